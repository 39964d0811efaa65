"""Tune, as shown: ranges, marks, sentences and buttons read back, and compared with what `evaluate`
gives at the settings that they name."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import sdc_core as sdc
from sdc_core.calibrate import Interval, solve
from sdc_core.questions.answer import Answer
from sdc_core.questions.tune import figures, words
from sdc_core.questions.tune.wish import PRESETS
from sdc_core.words.solutions import (
    answer_sentence,
    method_clause,
    range_text,
    rounded,
    value_text,
)
from tests.contract import Contract
from tests.page_driver import TWIN, answer, link, opened

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=("m1", "m2", "m3", "m4"),
    controls=("wish_measure", "wish_whom", "wish_sense", "wish_mean_error"),
    columns={
        "settings": (
            "method", "setting", "from", "to", "most protective", "most accurate", "nearest",
            "wanted", "at", "there", "± there", "promise", "error where people are", "unfairness",
            "people put into empty groups", "how",
        ),
    },
    fewer={"tune.REPETITIONS": 20},
)

PAGE = "../pages/tune.py"
DATA = sdc.load_dataset("ma2019-twin")
TABLE = DATA.histogram(DATA.default_features)
NOISE, HIDING = sdc.mechanism("laplace"), sdc.mechanism("suppression", keep_zeros=True)


def asked(*methods: Any, **controls: Any) -> Answer:
    return sdc.ask("tune", sdc.Study(DATA, methods=methods), **controls)


def mean_error(method: Any, low: int = 1, high: float = np.inf) -> float:
    inside = (TABLE.counts >= low) & (TABLE.counts <= high)
    return float(sdc.evaluate(method, TABLE).absolute_error[inside].mean())


def test_the_headline_quotes_settings_that_meet_the_wish_and_none_better() -> None:
    said = asked(NOISE, HIDING).headline
    found = re.fullmatch(
        r"For counts to be off by at most 1 person on average, adding noise needs ε of at least "
        r"([\d.]+); hiding small counts allows k up to (\d+)\.", said)
    assert found, said
    epsilon, k = float(found[1]), int(found[2])
    assert mean_error(NOISE.replace(epsilon=epsilon)) <= 1
    assert mean_error(NOISE.replace(epsilon=0.98 * epsilon)) > 1
    assert mean_error(HIDING.replace(k=k)) <= 1 < mean_error(HIDING.replace(k=k + 1))


def test_what_is_promised_is_said_of_each() -> None:
    more = asked(NOISE, HIDING).more
    assert more == "Just at these limits, adding noise keeps its promise; hiding small counts " \
        "promises nothing."
    assert "promises next to nothing" in asked(NOISE, wish_mean_error=0.01).more  # ε beyond 14


def test_groups_of_a_size_in_per_cent() -> None:
    said = asked(NOISE, wish_measure="relative_error", wish_whom="1-5").headline
    found = re.fullmatch(r"For counts of groups of 1 to 5 to be off by at most 10% on average, "
                         r"adding noise needs ε of at least ([\d.]+)\.", said)
    assert found, said
    inside = (TABLE.counts > 0) & (TABLE.counts <= 5)
    at = sdc.evaluate(NOISE.replace(epsilon=float(found[1])), TABLE)
    percent = 100 * (at.absolute_error[inside] / TABLE.counts[inside]).mean()
    assert 9.8 < percent <= 10


def test_the_same_as_a_method_of_the_bar() -> None:
    """The yardstick has no row; what is said is its number, and the answer is as far off."""
    found = asked(NOISE, HIDING, wish_sense="same", wish_like="m2")
    k6 = mean_error(HIDING)
    assert f"at most {k6:.2f} people on average, as under hiding small counts (k = 6)," in (
        found.headline)
    epsilon = float(re.search(r"of at least ([\d.]+)\.$", found.headline)[1])
    assert mean_error(NOISE.replace(epsilon=epsilon)) == pytest.approx(k6, rel=0.02)
    assert list(found.panel("settings").table["method"]) == ["Laplace"]


def test_the_chart_is_the_solution() -> None:
    """Thick parts, marks and labels, each on its row's own scale: ε and k by ratio."""
    found = asked(NOISE, HIDING)
    drawing = found.panel("settings").figures[0]
    filled = [t for t in drawing.data if t.name == "meets the wish"]
    exact = [solve(NOISE, TABLE, "epsilon", "mean_error", 1.0),
             solve(HIDING, TABLE, "k", "mean_error", 1.0)]
    ends = [(np.log(v / low) / np.log(high / low))
            for one, (low, high) in zip(exact, ((0.001, 100), (1, 1000)), strict=True)
            for v in (one.intervals[0].low, one.intervals[0].high)]
    assert [x for t in filled for x in t.x] == pytest.approx(ends)
    assert [t.y[0] for t in filled] == [0, 1]
    (now,) = [t for t in drawing.data if t.name == "now"]
    assert list(now.x) == pytest.approx([np.log(1000) / np.log(1e5), np.log(6) / np.log(1000)])
    (marks,) = [t for t in drawing.data if t.name == "settings"]
    epsilon = value_text(exact[0].param, rounded(exact[0].param, exact[0].intervals[0], False))
    assert list(marks.text) == [  # ends of the whole range have their ticks
        f"<b>ε = {epsilon}</b>", "", "", f"<b>k = {exact[1].intervals[0].high:.0f}</b>"]
    assert list(now.text) == ["now 1", "now 6"]
    ticks = [a.text for a in drawing.layout.annotations if a.yshift < 0]
    assert ticks == ["0.001", "0.01", "0.1", "10", "100", "1", "100", "1,000"]
    others = [t for t in drawing.data if t is not marks and t.name != "settings"]
    assert all(t.hoverinfo == "skip" for t in others)  # a click means a mark


def test_a_click_on_a_mark_takes_what_it_stands_for() -> None:
    panel = asked(NOISE, HIDING).panel("settings")
    (marks,) = [t for t in panel.figures[0].data if t.name == "settings"]
    sets = [panel.pick.set_by(i) for i in range(len(marks.x))]
    assert [list(s) for s in sets] == [["m1.epsilon"]] * 2 + [["m2.k"]] * 2
    for said, one in zip(marks.customdata, sets, strict=True):
        symbol = "ε" if "m1.epsilon" in one else "k"
        assert f"<br>{symbol} = {next(iter(one.values()))} meets the wish" in said
    assert panel.pick.set_by(-1) == panel.pick.set_by(len(marks.x)) == {}
    assert [a.sets for a in panel.actions] == [sets[0], sets[3]]


def test_the_table_has_what_a_setting_gives_elsewhere() -> None:
    row = asked(NOISE).panel("settings").table.iloc[0]
    at = sdc.evaluate(NOISE.replace(epsilon=row["at"]), TABLE)
    assert row["at"] == row["from"] == row["most protective"] and row["to"] == 100
    assert (row["there"], row["promise"], row["how"]) == (pytest.approx(1), "holds", "exact")
    assert row["error where people are"] == pytest.approx(at.people_error)
    assert row["unfairness"] == pytest.approx(at.fairness_alpha)
    assert row["people put into empty groups"] == pytest.approx(at.invented)


def test_where_no_setting_does_the_nearest_is_named() -> None:
    found = asked(NOISE, wish_measure="unique_shown", wish_unique_shown=10)
    assert "adding noise cannot: the nearest is 50%, at ε = 0.001." in found.headline
    none = asked(HIDING, wish_measure="epsilon").headline
    assert none == "For the promised ε to be at most 8, hiding small counts cannot at any setting."


def test_swap_rates_are_a_stretch_with_the_wish_just_met_at_its_lower_end() -> None:
    swapping = sdc.mechanism("permutation-swapping")
    found = asked(swapping, wish_measure="epsilon", wish_epsilon=8)
    low, high = re.search(r"from ([\d.]+)% to ([\d.]+)%", found.headline).groups()
    suited = swapping.suited_to(TABLE)
    at = [suited.replace(swap_rate=float(p) / 100).guarantee(TABLE).epsilon for p in (low, high)]
    assert all(7.9 < epsilon <= 8 for epsilon in at)
    (take,) = found.panel("settings").actions
    assert list(take.sets) == ["m1.swap_rate"]
    assert float(take.sets["m1.swap_rate"]) == pytest.approx(float(low) / 100, rel=1e-12)


def test_chance_is_said_where_it_may_turn_the_answer() -> None:
    found = solve(NOISE, TABLE, "epsilon", "flips", 0.05, whom="OWN_RENT=2", repetitions=20)
    assert found.by_chance(found.just) == ("within two standard errors" in method_clause(found))
    said = asked(NOISE, wish_measure="flips")
    assert "means over 200 releases" in said.panel("settings").caption.lower()
    assert said.provenance.computed == "simulated, up to 200 releases a method"


@pytest.mark.parametrize(("low", "high", "upper", "quoted"), [
    (1.8117284, 100, False, 1.82), (7.545, 100, False, 7.6), (0.48129, 0.99966465, False, 0.482),
    (0.48129, 0.99966465, True, 0.999664), (0.001, 8.0, True, 8.0), (2.0000001, 2.0000002, True,
                                                                    2.0000002),
])
def test_ends_are_rounded_inwards(low: float, high: float, upper: bool, quoted: float) -> None:
    rate = next(p for p in sdc.mechanism("swapping").params() if p.name == "swap_rate")
    epsilon = next(p for p in NOISE.params() if p.name == "epsilon")
    param = rate if high < 1 else epsilon
    assert rounded(param, Interval(low, high), upper) == quoted


def test_several_stretches_in_words() -> None:
    found = solve(sdc.mechanism("suppression"), sdc.Histogram.from_counts([5, 5, 5]), "k",
                  "mean_error", 0.5)
    assert range_text(found) == "takes k up to 5 or from 10 to 11"
    assert answer_sentence([found]) == (
        "For counts to be off by at most 0.5 people on average, hiding small counts takes k up to "
        "5 or from 10 to 11.")
    every = solve(HIDING, TABLE, "k", "mean_error", 1e9)
    assert range_text(every) == "may have any k"
    assert figures.row_text(every) == "Hide small counts (suppression) may have any k"


def test_presets_are_links_that_open() -> None:
    """Each sets controls that the page then has, and its methods, whatever was there before."""
    before = {**TWIN, "features": "RAC1P,SEX,OWN_RENT,INCOME_50K", "m1": "discrete-gaussian"}
    for preset in PRESETS[:4]:
        app = opened({**before, **preset.sets}, PAGE)
        assert not app.error and not app.warning
        found = link(app)
        assert {n: found[n] for n in preset.sets} == dict(preset.sets)
        assert answer(app).startswith('<h1 class="answer">For ')


def test_a_button_takes_the_setting_to_all_pages() -> None:
    app = opened(TWIN, PAGE)
    take = next(b for b in app.button if b.label.startswith("Take k = "))
    k = re.search(r"k = (\d+)", take.label)[1]
    take.click().run()
    assert link(app)["m4.k"] == k and app.slider(key="url.m4.k").value == int(k)
    assert next(b for b in app.button if b.label == take.label).disabled
    app.switch_page("../pages/compare.py").run()
    assert link(app)["m4.k"] == k


def test_what_takes_long_waits_to_be_started() -> None:
    """One button for all of them; the others have their answers."""
    app = opened({**TWIN, "m1": "aim", "m2": "mst", "m3": "none", "m4": "k-anonymity"}, PAGE)
    assert "merging small groups allows k" in answer(app) and "model" not in answer(app)
    looks = [b.label for b in app.button if b.label.startswith("Look along")]
    assert looks == ["Look along AIM synthetic data and MST synthetic data"]


def test_without_a_method_it_asks_for_one() -> None:
    app = opened({**TWIN, **dict.fromkeys(("m1", "m2", "m3", "m4"), "none")}, PAGE)
    assert "Choose a method" in answer(app)


def test_marks_are_ends_the_best_in_between_or_the_nearest() -> None:
    """With swap rates ε is least within the stretch; no ε shows fewer unique people than half."""
    small = sdc.Histogram(np.array([5, 1, 0, 9, 2, 4, 0, 3, 40]), sdc.Domain(tuple(
        sdc.Feature(name, name, tuple("012"), tuple("abc")) for name in ("place", "race"))))
    swaps = sdc.mechanism("permutation-swapping", match=(), swap=("place",)).suited_to(small)
    swapping = solve(swaps, small, "swap_rate", "epsilon", 8)
    none = solve(NOISE, small, "epsilon", "unique_shown", 0.1)
    (one,) = swapping.intervals
    shown = figures.marks([swapping, none])
    odds = [value / (1 - value) for row, value in shown if row == 0]
    assert odds[1] == pytest.approx(np.sqrt(small.total + 1), rel=0.02) and len(odds) == 3
    assert one.low < shown[1][1] < one.high and shown[3:] == [(1, 0.001)]
    symbols = figures.ranges([swapping, none], [0.5, 1.0]).data[-1].marker.symbol
    assert [symbol == "x-thin-open" for symbol in symbols] == [False] * 3 + [True]


def test_how_it_was_looked_for_says_what_is_exact() -> None:
    drawn = solve(sdc.mechanism("dp-k-anonymity", k=2, quasi_identifiers=("cell",)),
                  sdc.Histogram.from_counts([5, 1, 9]), "epsilon", "mean_error", 2, repetitions=20)
    exact = solve(NOISE, sdc.Histogram.from_counts([5, 1, 9]), "epsilon", "mean_error", 2)
    assert "The others are exact." in words.how_sentence([drawn, exact])
    alone = words.how_sentence([drawn])
    assert "means over 20 releases" in alone and "exact" not in alone
    assert words.how_sentence([exact]).startswith("All exact.")

"""Who can be found?: charts, tables and sentences hold the numbers of the releases, recomputed in
closed form or person by person; what is said is true of hand-made curves; the page shows it.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.curves import Curve
from sdc_core.figures.theme import SHADES, faded
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.outsider import GroupRisk, Knowledge, Risk, risk
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.metrics.reidentification import (
    Rule,
    UniqueMatches,
    chances_of_match,
    unique_matches,
)
from sdc_core.parameters import EPSILON
from sdc_core.questions import question
from sdc_core.questions.answer import Answer
from sdc_core.questions.question import Given
from sdc_core.questions.reidentification import (
    households,
    line_words,
    outsider_asks,
    outsider_words,
    words,
)
from sdc_core.questions.reidentification.compute import matches_along
from sdc_core.questions.reidentification.figures import risk_bars
from sdc_core.questions.work import Work
from sdc_core.words.numbers import sensible
from tests.contract import Contract
from tests.html_bars import aria_label, read_bars
from tests.page_driver import TWIN, answer, link, opened, said, uploaded
from tests.shorthand import short, shortened

RISK = (
    "mechanism", "group", "people", "apparent matches", "of them right", "right guesses %",
    "most common answer %", "releases", "standard error, apparent matches",
    "standard error, of them right", "standard error, right guesses %", "answer certain",
)
# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=("m1", "m2", "m3", "m4"),
    controls=("r_rule", "r_tune", "r_known", "r_sensitive", "r_group"),
    columns={
        "unique-matches": (
            "mechanism", "epsilon", "unique people", "in the release", "from (5%)", "to (95%)",
            "standard error", "share %", "empty groups", "shown all the same", "have the person %",
            "method",
        ),
        "risk": RISK,
        "risk-by_size": RISK,
        "risk-by_group": RISK,
        "unique-by-group": ("mechanism", "group", "people", "unique people", "in the release"),
    },
    fewer={"reidentification.REPETITIONS": 8, "reidentification.compute.REPETITIONS": 4},
)

COUNTS = np.array([  # by town (a line each), sex, job and pay
    1, 12, 0, 4, 2, 1, 0, 9, 1, 1, 6, 0,
    3, 1, 15, 0, 0, 2, 7, 0, 1, 5, 1, 8,
    0, 1, 0, 1, 20, 3, 2, 2, 0, 11, 0, 0,
])
FEATURES = ("town", "sex", "job", "pay")
VALUES = (("Ash", "Elm", "Oak"), ("f", "m"), ("x", "y", "z"), ("high", "low"))
CELLS = list(itertools.product(*VALUES))
PEOPLE = pd.DataFrame(
    [cell for cell, n in zip(CELLS, COUNTS, strict=True) for _ in range(n)], columns=FEATURES)
DATA = sdc.load_dataset(PEOPLE)
SEED = 11  # not the usual one: a seed that is not handed on shows
CHOSEN = [
    sdc.mechanism("laplace"), sdc.mechanism("suppression", k=5, keep_zeros=True),
    sdc.mechanism("swapping", paired=True, swap_rate=0.4, quasi_identifiers=("town",)),
    sdc.mechanism("geometric", epsilon=2.0),
]
LABELS = [m.label() for m in CHOSEN]
PLAIN = [one.plain_label() for one in CHOSEN]
COLOURS = [SHADES["dp"][0], SHADES["sdc"][0], SHADES["sdc"][1], SHADES["dp"][1]]  # each its own
UNIQUE, EMPTY = COUNTS == 1, COUNTS == 0
EPSILON_POINTS = [float(f"{v:.4g}") for v in np.geomspace(0.05, 20, 13)]
WORK = Work()  # shared: what is kept for one question must not be shown for another


def asked(work: Work | None = None, **controls: Any) -> Answer:
    study = sdc.Study(DATA, FEATURES, SEED, CHOSEN)
    return sdc.ask("reidentification", study, work=work or WORK, **controls)


@functools.cache
def releases(number: int, many: int = 40) -> np.ndarray:
    return sdc.released_people(CHOSEN[number], DATA.histogram(FEATURES), many, SEED)


def shown_by_laplace(epsilon: float, rule: str) -> tuple[float, float]:
    """The chance that a unique person and an empty group are shown: Laplace noise of scale 2/ε,
    rounded, is at least -½ (at most ½ away) from one person, and above ½ (up to 1½) from none."""
    q = math.exp(-epsilon / 4)
    return (1 - q / 2, q / 2) if rule == "at-least-once" else (1 - q, (q - q**3) / 2)


def shown_by_geometric(epsilon: float, rule: str) -> tuple[float, float]:
    q = math.exp(-epsilon / 2)
    still = (1 - q) / (1 + q)
    return (1 / (1 + q), q / (1 + q)) if rule == "at-least-once" else (still, still * q)


def found_by(number: int, rule: str, cells: np.ndarray, many: int = 40) -> np.ndarray:
    """How many of these cells each drawn release shows."""
    rows = releases(number, many)[:, cells]
    return ((rows >= 1) if rule == "at-least-once" else (rows == 1)).sum(axis=1)


def expected_matches(number: int, rule: str) -> float:
    """Of the unique people, by formula or by drawn releases. Hiding below 5 puts 2 there."""
    if number == 1:
        return float(UNIQUE.sum()) if rule == "at-least-once" else 0.0
    if number == 2:
        return float(found_by(2, rule, UNIQUE).mean())
    law = shown_by_laplace(1.0, rule) if number == 0 else shown_by_geometric(2.0, rule)
    return float(UNIQUE.sum() * law[0])


rules = pytest.mark.parametrize("rule", ["at-least-once", "exactly-once"])


@rules
def test_headline_names_the_most_and_the_fewest(rule: str) -> None:
    found = asked(r_rule=rule)
    matched = [expected_matches(n, rule) for n in range(4)]
    most, fewest = int(np.argmax(matched)), int(np.argmin(matched))
    unique = int(UNIQUE.sum())
    if rule == "at-least-once":
        assert (most, fewest) == (1, 0)
        assert found.headline.startswith(f"All {unique} unique people show after ")
        first, second = re.fullmatch(
            r".* after (.*), [\d.]+ \([\d.]+%\) after (.*?); .*", found.headline).groups()
        assert (first, second) == (CHOSEN[1].spoken(), CHOSEN[0].spoken())
        assert found.headline.endswith("; only the latter shows empty groups, too.")
        assert f"after {CHOSEN[3].spoken()}" in found.more.split(".  ")[0]
        number, share = re.search(r", ([\d.]+) \(([\d.]+)%\) after", found.headline).groups()
        assert float(number) == pytest.approx(matched[0], abs=0.0051)
        assert float(share) == pytest.approx(100 * matched[0] / unique, abs=0.051)
        shares = [  # of unique people and empty groups that are shown
            unique * law(e, rule)[0] / (unique * law(e, rule)[0] + EMPTY.sum() * law(e, rule)[1])
            for law, e in ((shown_by_laplace, 1.0), (shown_by_geometric, 2.0))
        ]
        drawn = [found_by(2, rule, cells).mean() for cells in (UNIQUE, EMPTY)]
        assert (
            f"nobody is there {100 * (1 - shares[0]):.0f}% of the time with "
            f"{CHOSEN[0].spoken()}, {100 * drawn[1] / sum(drawn):.0f}% with {CHOSEN[2].spoken()} "
            f"and {100 * (1 - shares[1]):.0f}% with {CHOSEN[3].spoken()}." in found.more
        )
        assert f"No empty group is shown so by {CHOSEN[1].spoken()}: " in found.more
    else:
        assert (most, fewest) == (2, 1)
        assert found.headline.startswith(f"{matched[2]:.2f} of the {unique} unique people ")
        assert (f"show exactly once after {CHOSEN[2].spoken()}, none after {CHOSEN[1].spoken()}; "
                "only the former shows empty groups exactly once, too.") in found.headline


def test_panels_come_in_order_and_are_told_to_those_who_do_not_see_them() -> None:
    found = asked()
    assert [p.name for p in found.panels] == [
        "unique-matches", "flattered", "risk", "risk-by_size", "risk-by_group", "unique-by-group"]
    assert found.panel("unique-matches").alt.endswith(found.headline)
    for panel in found.panels[2:]:
        assert panel.caption.startswith(panel.alt)
        if not panel.figures:
            assert aria_label(panel.drawing) == panel.alt


def lines(chart: Any) -> dict[str, Any]:
    return {t.name: t for t in chart.data if t.mode == "lines" and t.name}


@rules
def test_lines_along_epsilon_are_the_closed_forms(rule: str) -> None:
    panel = asked(r_rule=rule).panel("unique-matches")
    unique, empty = panel.figures
    assert unique.layout.title.text.startswith("<b>Unique people in the release</b>")
    assert empty.layout.title.text.startswith("<b>Empty groups shown as if somebody were there</b>")
    names = ["Add noise (Laplace)", PLAIN[1], PLAIN[2], "Add whole-number noise (geometric)"]
    for which, chart in enumerate((unique, empty)):
        drawn = lines(chart)
        assert list(drawn) == names
        assert [t.line.color for t in drawn.values()] == COLOURS
        assert [t.line.dash for t in drawn.values()] == ["solid", "dash", "dash", "solid"]
        for trace in drawn.values():
            assert list(trace.x) == EPSILON_POINTS
            assert "ε = %{x:.3g}" in trace.hovertemplate and "%{y:.3g}%" in trace.hovertemplate
        for name, law in ((names[0], shown_by_laplace), (names[3], shown_by_geometric)):
            expected = [100 * law(e, rule)[which] for e in EPSILON_POINTS]
            np.testing.assert_allclose(drawn[name].y, expected, atol=1e-9)
        hidden = 100 * (rule == "at-least-once" and which == 0)
        assert list(drawn[PLAIN[1]].y) == [hidden] * 13
        cells = (UNIQUE, EMPTY)[which]
        mean = 100 * found_by(2, rule, cells, 20).mean() / cells.sum()
        np.testing.assert_allclose(drawn[PLAIN[2]].y, mean)
        assert chart.layout.xaxis.title.text == "Privacy loss (ε)"
        assert chart.layout.xaxis.type == "log" and tuple(chart.layout.yaxis.range) == (0, 103)
    assert panel.controls == ("r_tune",)


def test_marks_stand_at_the_present_setting_and_the_band_holds_nine_of_ten() -> None:
    unique, empty = asked().panel("unique-matches").figures
    for which, chart in enumerate((unique, empty)):
        marks = [t for t in chart.data if t.mode == "markers"]
        assert [(t.x[0], t.marker.color) for t in marks] == [(1, COLOURS[0]), (2, COLOURS[3])]
        assert marks[0].y[0] == pytest.approx(100 * shown_by_laplace(1.0, "at-least-once")[which])
        line = [100 * shown_by_geometric(e, "at-least-once")[which] for e in EPSILON_POINTS]
        assert marks[1].y[0] == pytest.approx(np.interp(2.0, EPSILON_POINTS, line))
    bands = [t for t in unique.data if t.fill == "toself"]
    assert not [t for t in empty.data if t.fill == "toself"]
    counts = found_by(2, "at-least-once", UNIQUE, 20)
    low, high = 100 * np.percentile(counts, [5, 95]) / UNIQUE.sum()
    (band,) = bands
    assert band.fillcolor == faded(COLOURS[2], 0.15)
    assert {(x, round(y, 6)) for x, y in zip(band.x, band.y, strict=True)} == {
        (x, round(y, 6)) for x in EPSILON_POINTS for y in (low, high)}
    assert low < high


def test_lines_along_k() -> None:
    """A stand-in of k/2, rounded down, is one person for k of 2 and 3 only."""
    panel = asked(r_rule="exactly-once", r_tune="k").panel("unique-matches")
    unique = panel.figures[0]
    drawn = lines(unique)
    assert list(drawn) == [
        PLAIN[0], "Hide small counts (suppression)", PLAIN[2], PLAIN[3]]
    ks = drawn["Hide small counts (suppression)"].x
    assert (ks[0], ks[-1]) == (2, 30)
    assert list(drawn["Hide small counts (suppression)"].y) == [100 * (k < 4) for k in ks]
    np.testing.assert_allclose(
        drawn[PLAIN[0]].y, 100 * shown_by_laplace(1.0, "exactly-once")[0])
    (mark,) = (t for t in unique.data if t.mode == "markers")
    assert mark.x[0] == 5 and mark.marker.color == COLOURS[1]
    assert "Smallest count published" in unique.layout.xaxis.title.text
    assert "From the smallest to the largest ε" not in panel.caption
    assert panel.alt.startswith(
        "Share of unique people in the release as Smallest count published changes. ")


@rules
def test_line_table_has_a_row_a_method_and_value(rule: str) -> None:
    table = asked(r_rule=rule).panel("unique-matches").table
    assert len(table) == 4 * 13 and set(table["unique people"]) == {UNIQUE.sum()}
    assert set(table["empty groups"]) == {EMPTY.sum()}
    laplace = table[table["mechanism"] == "Laplace"]
    assert list(laplace["epsilon"]) == EPSILON_POINTS and set(laplace["method"]) == {"exact"}
    for number, column in enumerate(("in the release", "shown all the same")):
        size = (UNIQUE, EMPTY)[number].sum()
        np.testing.assert_allclose(
            laplace[column], [size * shown_by_laplace(e, rule)[number] for e in EPSILON_POINTS])
    np.testing.assert_allclose(laplace["share %"], 100 * laplace["in the release"] / UNIQUE.sum())
    drawn = table[table["mechanism"] == LABELS[2]].iloc[0]
    counts = found_by(2, rule, UNIQUE, 20)
    assert (drawn["in the release"], drawn["method"]) == (pytest.approx(counts.mean()), "simulated")
    low, high = np.percentile(counts, [5, 95])
    assert (drawn["from (5%)"], drawn["to (95%)"]) == (pytest.approx(low), pytest.approx(high))
    assert drawn["standard error"] == pytest.approx(counts.std(ddof=1) / np.sqrt(20))
    assert set(laplace["standard error"]) == {0}
    made_up = found_by(2, rule, EMPTY, 20).mean()
    assert drawn["have the person %"] == pytest.approx(
        100 * counts.mean() / (counts.mean() + made_up))


def test_why_the_count_flatters_hiding() -> None:
    """All unique people are behind a stand-in of 2: none shown once, all shown at least once."""
    panel = asked().panel("flattered")
    large = COUNTS[COUNTS >= 5].sum()
    cause, text = map(short, panel.prose)
    assert "with or without differential privacy" in cause and "stand-in" in cause
    unique = UNIQUE.sum()
    assert text.startswith(f"{LABELS[1]} hides {unique} of the {unique} unique people behind a ")
    assert f"exactly once, 0 of all {unique} are matched, which looks perfect" in text
    assert f"at least once, it is {unique}. " in text
    assert f"about the {large} people ({100 * large / COUNTS.sum():.1f}% of all)" in text
    assert text.endswith(", nor about the fact that a stand-in tells that somebody is there.")
    assert "says little" in panel.title and panel.minor  # at least once, it does not flatter


class Learnt:
    """What an outsider learns, person by person: apparent matches, right ones, right guesses."""

    def __init__(self, number: int, known: Sequence[str], wanted: str) -> None:
        here = [FEATURES.index(n) for n in known]
        goal = FEATURES.index(wanted)
        self.people: list[dict[str, Any]] = []
        rows = releases(number)
        for cell, count in zip(CELLS, COUNTS, strict=True):
            if count:
                self.people.append({"cell": cell, "count": int(count), "right": 0.0, "base": 0.0,
                                    "apparent": 0.0, "correct": 0.0})
        self.known = {p["cell"]: tuple(p["cell"][j] for j in here) for p in self.people}
        alike = Counter()
        for p in self.people:
            alike[self.known[p["cell"]]] += p["count"]
        self.alike = alike
        common = Counter()
        for p in self.people:
            common[p["cell"][goal]] += p["count"]
        self.right_in, self.correct_in = [], []  # per cent and people, one a release
        for row in rows:
            shown, answers, overall = Counter(), defaultdict(Counter), Counter()
            for cell, count in zip(CELLS, row, strict=True):
                key = tuple(cell[j] for j in here)
                shown[key] += int(count)
                answers[key][cell[goal]] += int(count)
                overall[cell[goal]] += int(count)
            released = dict(zip(CELLS, row, strict=True))
            for p in self.people:
                key, truth = self.known[p["cell"]], p["cell"][goal]
                p["base"] += chance(common, truth) / len(rows)
                p["now"] = chance(answers[key] if shown[key] else overall, truth)
                p["right"] += p["now"] / len(rows)
                hit = alike[key] == 1 and shown[key] == 1
                p["hit"] = hit and released[p["cell"]] == 1
                p["apparent"] += hit / len(rows)
                p["correct"] += p["hit"] / len(rows)
            self.right_in.append(self.mean("now"))
            self.correct_in.append(self.total("hit"))

    def mean(self, what: str, chosen: Callable[[dict[str, Any]], bool] = lambda p: True) -> float:
        """Per cent of people."""
        inside = [p for p in self.people if chosen(p)]
        return 100 * float(np.average([p[what] for p in inside], weights=[
            p["count"] for p in inside]))

    def total(self, what: str, chosen: Callable[[dict[str, Any]], bool] = lambda p: True) -> float:
        return sum(p[what] for p in self.people if chosen(p))


def chance(counts: Counter, truth: str) -> float:
    """That the most frequent answer is the true one; a tie is a toss."""
    best = [answer for answer in counts if counts[answer] == max(counts.values())]
    return (truth in best) / len(best)


@functools.cache
def learnt(number: int, known: tuple[str, ...], wanted: str) -> Learnt:
    return Learnt(number, known, wanted)


def told_apart(one: Sequence[float], other: Sequence[float]) -> bool:
    """Do two methods differ by more than two standard errors, release by release?"""
    gap = np.subtract(one, other)
    return abs(gap.mean()) > 2 * gap.std(ddof=1) / np.sqrt(len(gap)) + 1e-9


def highest(each: Sequence[Sequence[float]], written: Callable[[float], str]) -> list[int]:
    """All that may be the highest; numbers that are written alike are not ranked."""
    means = [np.mean(one) for one in each]
    top = int(np.argmax(means))
    return [n for n, one in enumerate(each)
            if written(means[n]) == written(means[top]) or not told_apart(one, each[top])]


@pytest.mark.parametrize("seed", range(4))
def test_a_certain_answer_is_the_only_one_that_could_be(seed: int) -> None:
    """All tables with the same release are tried: an answer is certain if it is the same in each
    that has the person. Hiding below 3 (a stand-in of 1) with and without zeros kept, and noise."""
    rng = np.random.default_rng(seed)
    truth = table(rng.integers(0, 4, 6), (3, 2))
    knows = Knowledge.of(truth.domain, ["a"], "b", None)
    for keep in (True, False):
        one = sdc.mechanism("suppression", k=3, keep_zeros=keep)
        row = sdc.released_people(one, truth, 1)
        tables = [t for t in itertools.product(range(4), repeat=6) if (
            sdc.released_people(one, table(t, (3, 2)), 1) == row).all()]
        assert tuple(truth.counts) in tables
        certain = alone = 0
        for a in range(3):
            people = truth.counts[2 * a : 2 * a + 2]
            could = {b for t in tables for b in (0, 1) if t[2 * a + b]}
            certain += int(people.sum()) * (len(could) == 1)
            alone += int(people.sum() == 1 and len(could) == 1)
        found = risk(one, truth, np.repeat(row, 3, axis=0), knows)
        assert (found.certain.mean, found.alone_certain.mean) == (certain, alone)
        assert found.fixed
    for noisy in (LAPLACE, GEOMETRIC, sdc.mechanism("dp-suppression", k=1, keep_zeros=True)):
        found = risk(noisy, truth, truth.counts[None, :] + 0, knows)
        assert found.certain.mean == 0 and not found.fixed


def best_guesses(known: Sequence[str], wanted: str) -> float:
    """Per cent that would be right from the data itself: the largest answer of each group."""
    return 100 * PEOPLE.groupby([*known, wanted]).size().groupby(list(known)).max().sum() / len(
        PEOPLE)


def certain_people(number: int, known: Sequence[str], wanted: str) -> int:
    """For whose known values one answer alone is above 0, person by person; the released zeros of
    hiding that leaves zeros are those of the data."""
    left = pd.DataFrame(CELLS, columns=FEATURES)[releases(number)[0] > 0]
    answers = left.groupby(list(known))[wanted].nunique()
    return sum(answers[tuple(row)] == 1 for row in PEOPLE[list(known)].itertuples(index=False))


ASKED = [
    (("town", "sex", "job"), "pay", "town"),  # as suggested
    (("town", "pay"), "job", "sex"),  # the group is not known
    (("job", "sex"), "pay", "pay"),  # the group is what is wanted
]
knowledge = pytest.mark.parametrize(("known", "wanted", "group"), ASKED)


@knowledge
def test_risk_bars_are_counted_person_by_person(
    known: tuple[str, ...], wanted: str, group: str
) -> None:
    panel = asked(r_known=known, r_sensitive=wanted, r_group=group).panel("risk")
    each = [learnt(n, known, wanted) for n in range(4)]
    best = best_guesses(known, wanted)
    alone = sum(n == 1 for n in each[0].alike.values())
    panels = {p.title: p for p in read_bars(panel.drawing)}
    titles = ["Right guesses", "Beyond the most common answer"]
    if alone:
        titles = ["Look like a sure hit", "Are a sure hit", *titles]
    certain = certain_people(1, known, wanted)
    if certain:
        titles.insert(-2, "Answer certain")
        rows = panels["Answer certain"].rows
        assert [row.text for row in rows] == ["0", f"{certain}", "0", "0"]
    assert list(panels) == titles and panel.controls == ("r_known", "r_sensitive", "r_group")
    for bars in panels.values():
        assert [row.label for row in bars.rows] == PLAIN
        assert [row.colour for row in bars.rows] == COLOURS
    right, base = ([one.mean(what) for one in each] for what in ("right", "base"))
    rows = panels["Right guesses"].rows
    assert [row.text for row in rows] == [f"{r:.1f}%" for r in right]
    assert [row.length for row in rows] == pytest.approx(right, abs=0.01)
    assert panels["Right guesses"].note.endswith(f"from the data itself {best:.1f}%")
    gains = np.subtract(right, base)
    rows = panels["Beyond the most common answer"].rows
    assert [float(row.text.replace("−", "-")) for row in rows] == pytest.approx(gains, abs=0.0501)
    top = max(1.0, *(best - b for b in base))
    assert [row.length for row in rows] == pytest.approx(
        [100 * max(g, 0) / top for g in gains], abs=0.01)
    if alone:
        apparent, correct = (
            [one.total(what) for one in each] for what in ("apparent", "correct"))
        top = max(1.0, *apparent)
        for title, numbers in zip(titles[:2], (apparent, correct), strict=True):
            assert [row.length for row in panels[title].rows] == pytest.approx(
                [100 * n / top for n in numbers], abs=0.01)
            assert [float(row.text.split(" ")[0]) for row in panels[title].rows] == pytest.approx(
                numbers, abs=0.0051)
        assert f"of {alone} alone with what is known" in panels["Look like a sure hit"].note
        for row, part, whole in zip(
            panels[titles[1]].rows, correct, apparent, strict=True
        ):
            assert row.text == "0" if whole == 0 else row.text.endswith(
                f" ({100 * part / whole:.0f}%)")


@knowledge
def test_risk_in_words(known: tuple[str, ...], wanted: str, group: str) -> None:
    found = shortened(asked(r_known=known, r_sensitive=wanted, r_group=group))
    caption = found.panel("risk").caption
    each = [learnt(n, known, wanted) for n in range(4)]
    right = [one.mean("right") for one in each]
    tops = highest([one.right_in for one in each], "{:.1f}".format)
    top = int(np.argmax(right))
    assert top in tops and len(tops) < 4
    assert f"“{wanted}” from the release is right for {right[top]:.1f}% of people" in caption
    named = re.search(r"of people at most \((.*?)(; not ranked)?\); the data itself", caption)
    assert named[1] == " and ".join(", ".join(LABELS[n] for n in tops).rsplit(", ", 1))
    assert bool(named[2]) == (len({f"{right[n]:.1f}" for n in tops}) > 1)
    base = each[0].mean("base")
    assert (
        f"would give {best_guesses(known, wanted):.1f}%, always guessing the most common answer "
        f"{base:.1f}%." in caption
    )
    assert " Averages over 40 releases; " in caption
    alone = sum(n == 1 for n in each[0].alike.values())
    certain = certain_people(1, known, wanted)
    assert (f"ith {LABELS[1]} only one answer is left above 0 for " in caption) == bool(certain)
    if certain:
        small = r"( \(\d+ in [\w ]+\))?"
        assert re.search(rf"\b{certain} people( altogether)?{small}, and a 0 is real", caption)
        assert f"With {LABELS[1]} the outsider below can be certain about {certain} people" in (
            found.more)
    assert caption.count("certain") <= 1  # noise and swapping make nothing certain
    if alone:
        correct = [one.total("correct") for one in each]
        worst = int(np.argmax(correct))
        assert f"finds, in {LABELS[worst]}, " in caption
        are = "is" if alone == 1 else "are"
        assert f"(of {alone} who {are} alone with these values)" in caption
        rest = [n for n in highest([one.correct_in for one in each], sensible) if n != worst]
        assert ("about as many" in caption) == bool(rest)
        alike = re.search(r"can tell, with (.*?)\. (?:With|Guessing)", caption)
        assert {n for n in range(4) if alike and LABELS[n] in alike[1]} == set(rest)
    else:
        assert caption.startswith("Nobody is alone with their ")
    assert found.more.endswith(f"; always guessing the most common answer for {base:.1f}%.")
    said = found.more.split("Guessing from the release is right for ")[1]
    for n in range(4):
        assert (LABELS[n] in said) == (n in tops)
        if n in tops:
            assert f"{right[n]:.1f}%" in said
    assert ("cannot rank" in said) == (len({f"{right[n]:.1f}" for n in tops}) > 1)


def group_of(learned: Learnt, by: str, group: str) -> dict[str, Callable[[dict[str, Any]], bool]]:
    """Titles of groups, and who is in them."""
    if by == "by_group":
        axis = FEATURES.index(group)
        return {v: lambda p, v=v: p["cell"][axis] == v for v in VALUES[axis]}
    sizes = {"1 to 5": (1, 5), "6 to 19": (6, 19), "20 to 99": (20, 99), "100 or more": (100, 1e9)}
    return {
        f"people in groups of {name}":
        lambda p, a=a, b=b: a <= learned.alike[learned.known[p["cell"]]] <= b
        for name, (a, b) in sizes.items()
    }


@knowledge
@pytest.mark.parametrize("by", ["by_size", "by_group"])
def test_right_guesses_by_group(
    known: tuple[str, ...], wanted: str, group: str, by: str
) -> None:
    found = asked(r_known=known, r_sensitive=wanted, r_group=group)
    panel = found.panel(f"risk-{by}")
    each = [learnt(n, known, wanted) for n in range(4)]
    groups = {
        title: inside for title, inside in group_of(each[0], by, group).items()
        if any(inside(p) for p in each[0].people)
    }
    (chart,) = panel.figures
    yardstick, *marks = chart.data
    assert yardstick.name == "most common answer"
    assert [trace.name.replace("<br>", " ") for trace in marks] == PLAIN
    assert [trace.marker.color for trace in marks] == COLOURS
    named = {a.text.replace("<br>", " "): int(a.y) for a in chart.layout.annotations}
    rows = {name.rsplit(", ", 1)[0]: row for name, row in named.items()}
    table = found.panel("risk").table.set_index(["mechanism", "group"])
    gained = {}
    for title, inside in groups.items():
        people = sum(p["count"] for p in each[0].people if inside(p))
        right, base = ([one.mean(what, inside) for one in each] for what in ("right", "base"))
        assert len(set(np.round(base, 9))) == 1  # the data's, whatever the release
        name = f"{title[:1].upper()}{title[1:]}"
        assert (name in rows) == (people >= 4)  # a chart of one to three people would show them
        if name in rows:
            row = rows[name]
            gained[row] = max(right) - base[0]
            assert yardstick.x[row] == pytest.approx(base[0])
            for trace, share in zip(marks, right, strict=True):
                assert trace.x[row] == pytest.approx(share)
                assert round(trace.y[row]) == row and f"{share:.1f}% right" in trace.text[row]
            size = "1 person" if people == 1 else f"{people} people"
            assert f"{name}, {size}" in named
        for number, label in enumerate(LABELS):
            row = table.loc[(label, title)]
            assert row["people"] == people and row["releases"] == 40
            assert row["right guesses %"] == pytest.approx(right[number])
            assert row["most common answer %"] == pytest.approx(base[number])
            assert row["apparent matches"] == pytest.approx(each[number].total("apparent", inside))
            assert row["of them right"] == pytest.approx(each[number].total("correct", inside))
    assert [gained[row] for row in sorted(gained)] == sorted(gained.values(), reverse=True)
    small = len(groups) - len(rows)
    assert ("in the table only" in panel.caption) == bool(small)
    what = group if by == "by_group" else "number of people who share the known values"
    assert panel.title == f"Right guesses by {what}"
    large = {t: inside for t, inside in groups.items()
             if sum(p["count"] for p in each[0].people if inside(p)) >= 5}
    added = {
        (n, t): one.mean("right", inside) - one.mean("base", inside)
        for n, one in enumerate(each) for t, inside in large.items()
    }
    top, title = max(added, key=lambda pair: added[pair])
    caption = short(panel.caption)
    said = re.match(
        r"By [\w ]+, (?:the release of (.*?) adds|releases add) most for ", caption)
    if said is None:
        assert "these releases cannot tell" in caption
    else:
        assert LABELS[top] in caption and (said[1] is None or said[1] == LABELS[top])
        assert f"{title}: " in caption
        assert f"{each[top].mean('right', large[title]):.1f}% right" in caption
        for n, label in enumerate(LABELS):  # all that are as high as the highest are named
            if f"{added[n, title]:.2f}" == f"{added[top, title]:.2f}":
                assert label in caption


@pytest.mark.parametrize("group", FEATURES)
def test_unique_people_by_group(group: str) -> None:
    """Asked with something to know that is not the group, where needed."""
    found = asked(r_group=group)
    panel = found.panel("unique-by-group")
    assert panel.title == f"Unique people in the release by {group}"
    axis = FEATURES.index(group)
    cube, alone = COUNTS.reshape(3, 2, 3, 2), UNIQUE.reshape(3, 2, 3, 2)
    rest = tuple(j for j in range(4) if j != axis)
    people, unique = cube.sum(axis=rest), alone.sum(axis=rest)
    shown = [
        unique * shown_by_laplace(1.0, "at-least-once")[0], unique,
        (releases(2) >= 1).reshape(40, 3, 2, 3, 2).mean(axis=0)[alone],
        unique * shown_by_geometric(2.0, "at-least-once")[0],
    ]
    values = np.argwhere(alone)[:, axis]
    shown[2] = np.bincount(values, shown[2], minlength=len(people))
    (chart,) = panel.figures
    yardstick, *marks = chart.data
    assert [(t.name.replace("<br>", " "), t.marker.color) for t in marks] == list(
        zip(PLAIN, COLOURS, strict=True))
    names = [str(a.text).split(": ")[0] for a in chart.layout.annotations]
    assert set(names) == {v for v, n in zip(VALUES[axis], unique, strict=True) if n}
    assert list(yardstick.x) == sorted(yardstick.x, reverse=True)
    for row, (name, title) in enumerate(zip(names, chart.layout.annotations, strict=True)):
        i = VALUES[axis].index(name)
        assert title.y == row and title.text == f"{name}: {unique[i]} unique of {people[i]} people"
        assert yardstick.x[row] == pytest.approx(100 * unique[i] / people[i])
        for trace, each in zip(marks, shown, strict=True):
            assert trace.x[row] == pytest.approx(100 * each[i] / people[i])
            number = re.match(rf"{name}: ([\d.]+) of {unique[i]} unique", trace.text[row])
            assert number and float(number[1]) == pytest.approx(each[i], abs=0.0051)
    table = panel.table.set_index(["mechanism", "group"])
    for label, each in zip(LABELS, shown, strict=True):
        for i, value in enumerate(VALUES[axis]):
            row = table.loc[(label, value)]
            assert (row["people"], row["unique people"]) == (people[i], unique[i])
            assert row["in the release"] == pytest.approx(each[i])
    share = unique / people
    least, most = (VALUES[axis][int(end(share))] for end in (np.argmin, np.argmax))
    assert panel.caption.index(f"“{least}”") < panel.caption.index(f"“{most}”")


def test_what_cannot_be_asked_is_said_and_the_rest_stays() -> None:
    for controls, says in [
        ({"r_known": ("town", "pay")}, "pay is known to the outsider already."),
        ({"r_known": ()}, "Choose at least one thing the outsider knows."),
    ]:
        found = asked(**controls)
        panel = found.panel("risk")
        assert [n.text[: len(says)] for n in panel.notices] == [says]
        assert panel.drawing is None and panel.controls == ("r_known", "r_sensitive", "r_group")
        assert [p.name for p in found.panels] == [
            "unique-matches", "flattered", "risk", "unique-by-group"]
        assert "Guessing" not in found.more
    with pytest.raises(sdc.InputError, match="hair"):
        asked(r_known=("hair",))


def test_one_feature_only_leaves_nothing_to_infer() -> None:
    letters = pd.DataFrame({"letter": ["a"] * 9 + ["b"] + ["c"] * 5, "other": "x"})
    study = sdc.Study(sdc.load_dataset(letters), ("letter",), SEED, [CHOSEN[0]])
    found = sdc.ask("reidentification", study)
    (notice,) = found.panel("risk").notices
    assert "one feature only" in notice.text
    assert len(found.panel("unique-matches").figures) == 1  # no group is empty
    chance = shown_by_laplace(1.0, "at-least-once")[0]
    assert f"shows in {100 * chance:.1f}% of releases after" in found.headline
    assert found.panel("unique-by-group").drawing is None  # one person is no group to draw
    assert "One group of fewer than 4 people is in the table only." in (
        found.panel("unique-by-group").caption)
    assert "2 groups with nobody who is one of a kind are left out." in found.panel(
        "unique-by-group").caption
    with pytest.raises(sdc.InputError, match="no control 'r_known'"):
        sdc.ask("reidentification", study, r_known="letter")


def test_where_nobody_is_unique_nothing_is_compared() -> None:
    """Hundreds of each: no chart of shares of nobody, but features to add."""
    study = sdc.Study(DATA, ("sex", "pay"), SEED, [CHOSEN[0]])
    found = sdc.ask("reidentification", study)
    assert found.headline.startswith("Nobody is one of a kind")
    assert "such as town or job, to see" in found.more
    assert {"unique-matches", "flattered", "unique-by-group"}.isdisjoint(
        p.name for p in found.panels)
    assert found.panel("risk").caption.startswith("Nobody is alone with their sex")
    twos = pd.DataFrame({"one": ["a"] * 9 + ["b"] * 5, "two": ["u"] * 9 + ["v"] * 5})
    study = sdc.Study(sdc.load_dataset(twos), ("one", "two"), SEED, [CHOSEN[0]])
    found = sdc.ask("reidentification", study)  # two groups are empty, none has one person
    assert found.panels[0].name == "risk" and found.panels[-1].name == "risk-by_group"


def none_for_laplace(one: Mechanism, *rest: Any, **more: Any) -> Any:
    return sdc.released_people(one, *rest, **more) * (one.name != "laplace")


def test_a_release_with_nobody_in_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdc_core.questions.work.released_people", none_for_laplace)
    found = asked(Work())
    (notice,) = found.notices
    assert short(notice.text) == f"{LABELS[0]}: None of 40 releases has people in it."
    assert notice.tone == "warning"
    rows = read_bars(found.panel("risk").drawing)[0].rows
    assert [row.label for row in rows] == PLAIN[1:]
    assert [row.colour for row in rows] == COLOURS[1:]


def test_everything_depends_on_the_seed() -> None:
    """Asked again with the same kept results and another seed: numbers of that seed."""
    study = sdc.Study(DATA, FEATURES, SEED + 1, CHOSEN)
    again, anew = (sdc.ask("reidentification", study, work=w) for w in (WORK, Work()))
    before = asked()
    for name, table in anew.tables().items():
        pd.testing.assert_frame_equal(again.panel(name).table, table)
        assert not table.equals(before.panel(name).table)


def test_a_slow_method_waits_and_then_has_no_line() -> None:
    """Fitted methods get 20 releases and no line along a parameter; both are said."""
    slow = sdc.mechanism("mst")
    study = sdc.Study(DATA, FEATURES, SEED, [slow, CHOSEN[0]])
    waiting = sdc.ask("reidentification", study, work=Work(started=set()))
    assert [job.label for job in waiting.waiting] == [f"Run {slow.title}"]
    assert "20 releases take" in waiting.waiting[0].note
    assert slow.label() not in str(waiting.headline)
    work = Work()
    found = sdc.ask("reidentification", study, work=work)
    assert list(lines(found.panel("unique-matches").figures[0])) == ["Add noise (Laplace)"]
    assert f"{slow.title}: a line would take too long" in found.panel("unique-matches").caption
    assert " Averages over 20 to 40 releases; " in found.panel("risk").caption
    alone = sdc.Study(DATA, FEATURES, SEED, [slow])
    panel = sdc.ask("reidentification", alone, work=work).panel("unique-matches")
    assert panel.caption == "These methods take too long to be drawn along a line."
    assert not panel.figures and not panel.controls
    none = sdc.ask("reidentification", alone, work=Work(started=set()))
    assert none.headline.startswith("Choose a method") and not none.panels


def test_the_suggested_methods_and_what_is_known() -> None:
    """The methods of all pages; those of Figure 5 of Das et al. 2024 one click away, without the
    hiding that the paper leaves out."""
    census = sdc.load_dataset("ma2019-twin")
    asks = question("reidentification")
    given = Given(sdc.Study(census))
    assert {slot: one.label() for slot, one in asks.methods(given).items()} == {
        "m1": "Laplace ε=1", "m2": "Discrete Gaussian ε=1", "m3": "DP suppression ε=1 k=6",
        "m4": "Suppression k=6",
    }
    (figure,) = asks.presets(given)
    assert [m.label() for m in figure.methods] == [
        "Laplace ε=1", "Discrete Gaussian ε=1", "DP swapping ε=1 25% (any donor)"]
    assert (str(figure.empty_groups), figure.domain) == ("left", "observed")
    offered = {p.name: p.default for p in outsider_asks(given)}
    assert offered == {"r_known": ("PUMA", "RAC1P", "SEX", "OWN_RENT"),
                       "r_sensitive": "INCOME_50K", "r_group": "RAC1P"}
    own = {p.name: p.default for p in outsider_asks(Given(sdc.Study(DATA, FEATURES)))}
    assert own == {"r_known": ("town", "sex", "job"), "r_sensitive": "pay", "r_group": "sex"}


EPSILONS = (0.1, 1.0, 10.0)
LAPLACE, SWAP = sdc.mechanism("laplace"), sdc.mechanism("dp-swapping")
GAUSSIAN, GEOMETRIC = sdc.mechanism("discrete-gaussian"), sdc.mechanism("geometric")


def table(counts: object, shape: Sequence[int]) -> Histogram:
    values = [tuple(str(i) for i in range(size)) for size in shape]
    features = tuple(
        Feature(n, n, v, tuple(f"{n}{i}" for i in v)) for n, v in zip("abcd", values, strict=False)
    )
    return Histogram(np.asarray(counts, dtype=np.int64).ravel(), Domain(features))


SMALL = table([[[0, 1, 2], [1, 4, 0]], [[3, 0, 1], [0, 7, 1]]], (2, 2, 3))


def curve(
    one: Mechanism, shares: Sequence[float], unique: int = 100, error: float = 0.0
) -> Curve[UniqueMatches]:
    """A line with these shares and their standard error along ε, made by hand."""
    points = tuple(
        UniqueMatches(
            one.replace(epsilon=e), "at-least-once", "exact", 0, 1000, unique, unique * s,
            unique * s, unique * s, 10, 0.0, np.array([]), np.array([], dtype=np.int64),
            unique * error,
        )
        for e, s in zip(EPSILONS, shares, strict=True)
    )
    return Curve(one, EPSILONS, points, 1.0)


@pytest.mark.parametrize("one", [
    sdc.mechanism(name, k=k, imputation=i, keep_zeros=z)
    for name, k, i, z in itertools.product(
        ("suppression", "dp-suppression"), (1, 2, 3, 6), ("floor", "half"), (False, True))
], ids=lambda m: f"{m.label()} {m.settings()['keep_zeros']}")
def test_a_stand_in_tells_only_where_no_empty_group_has_it(one: Mechanism) -> None:
    """Judged by releases: the stand-in is seen where somebody was hidden, and nowhere else."""
    once, loose = (unique_matches(one, SMALL, r) for r in ("exactly-once", "at-least-once"))
    _, text = words.hiding_sentences(SMALL, [once], [loose])
    stand_in = int(np.rint(one.imputed))  # type: ignore[attr-defined]
    drawn = sdc.released_people(one, SMALL, 400)
    filled = (drawn[:, SMALL.counts == 0] == stand_in).any() and stand_in > 0
    hides = one.hidden([1])[0] > 0  # type: ignore[attr-defined]
    tells = hides and stand_in > 1 and not filled  # one person behind a 1 is not hidden
    if "epsilon" in one.settings() or one.settings()["k"] == 3:
        tells = hides and stand_in > 0 and not filled  # there larger groups are hidden, too
    assert ("tells that somebody is there" in text) == tells
    shown = np.flatnonzero(one.hidden(SMALL))  # type: ignore[attr-defined]
    same = bool(len(shown)) and (SMALL.counts[shown] == one.imputed).all() and (  # type: ignore
        "epsilon" not in one.settings())
    assert ("each stand-in is the true count, so nothing is hidden" in text) == same
    assert text.endswith(".") and ("unique people behind a stand-in" in text) != same


def many() -> list[Mechanism]:
    return [
        *(sdc.mechanism(n, epsilon=e) for n in ("laplace", "geometric") for e in (0.5, 4.0, 20.0)),
        sdc.mechanism("discrete-gaussian", epsilon=20.0),
        sdc.mechanism("suppression", keep_zeros=True), sdc.mechanism("suppression"),
        sdc.mechanism("dp-suppression", keep_zeros=True), sdc.mechanism("k-anonymity", k=2),
        sdc.mechanism("permutation-swapping", swap_rate=0.02), sdc.mechanism("dp-swapping"),
    ]


@pytest.mark.parametrize("rule", ["at-least-once", "exactly-once"])
def test_no_empty_group_is_said_only_where_it_is_certain(rule: Rule) -> None:
    """Over noise weak and strong, hiding, swapping: `no empty group` needs a chance of exactly
    zero in every empty group; where a few are shown, the number is given."""
    truth = sdc.load_dataset("ma2019-twin").histogram(
        ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"])
    empty = truth.counts == 0
    for one in many():
        found = unique_matches(one, truth, rule, sdc.released_people(one, truth, 5))
        _, text = words.found_sentences([found], [])
        chance = chances_of_match(one, truth, rule)
        certain = chance is not None and not chance[empty].any()
        if "No empty group" in text:
            assert certain and one.spoken() in text
        elif found.share >= 0.005 and found.made_up_share < 0.005:
            assert not certain and f"Of the {empty.sum():,} empty groups" in text
            number = "fewer than 0.01" if found.made_up < 0.01 else sensible(found.made_up)
            assert (number if found.made_up else "none in 5 releases") in text
        assert "is real" not in text


def test_a_few_made_up_groups_are_numbered(real_data: Callable[[str], sdc.Dataset]) -> None:
    """1,240 empty groups, each shown with chance ½ e^(-ε/4) = 0.0034 at ε = 20: about 4.2."""
    data = real_data("national2019")
    truth = data.histogram(data.default_features)
    one = sdc.mechanism("laplace", epsilon=20.0)
    _, text = words.found_sentences([unique_matches(one, truth, "at-least-once")], [])
    expected = (truth.counts == 0).sum() * 0.5 * np.exp(-20 / 4)
    assert 4 < expected < 4.5
    assert f"about {sensible(float(expected))} with adding noise (ε = 20)" in text


def test_nobody_unique_is_nothing_to_say() -> None:
    lines = [curve(LAPLACE, (0, 0, 0), 0), curve(SWAP, (0, 0, 0), 0)]
    assert line_words.finding_sentence(lines) == ""
    assert line_words.finding_sentence([]) == ""


@pytest.mark.parametrize(("noise", "swap", "says"), [
    ((0.1, 0.5, 0.9), (0.95, 0.95, 0.96), "shows more than Laplace at every ε shown."),
    ((0.1, 0.5, 0.9), (0.6, 0.8, 0.7), "shows more than Laplace up to ε = 1 and fewer from ε = 10"),
    ((0.1, 0.5, 0.9), (0.6, 0.5, 0.7), "shows more than Laplace up to ε = 0.1 and fewer from ε ="),
    ((0.1, 0.5, 0.9), (0.6, 0.8, 0.9), "more than Laplace up to ε = 1 and about as many from ε = "),
    ((0.1, 0.5, 0.9), (0.6, 0.4, 0.95), "at 2 of the 3 values of ε shown and fewer at 1."),
    ((0.1, 0.5, 0.9), (0.1, 0.6, 0.9), "at 1 of the 3 values of ε shown and fewer at 0."),
    ((0.1, 0.5, 0.9), (0.1, 0.5, 0.9), "shows about as many as Laplace at every ε shown."),
    ((0.1, 0.5, 0.9), (0.0, 0.4, 0.8), "shows fewer than Laplace at every ε shown."),
])
def test_more_is_more_at_every_value(
    noise: tuple[float, ...], swap: tuple[float, ...], says: str
) -> None:
    text = line_words.finding_sentence([curve(LAPLACE, noise), curve(SWAP, swap)])
    assert text.split(f"Here {SWAP.label().replace(' ε=1', '')} ")[1].find(says) >= 0
    assert "hardly" not in text and "Das et al." not in text


@pytest.mark.parametrize(("error", "says"), [
    (0.0, "more than Laplace at every ε shown."), (0.02, "more than Laplace at every ε shown."),
    (0.03, "about as many as Laplace at every ε shown."),
])
def test_lines_are_not_ranked_within_two_standard_errors(error: float, says: str) -> None:
    """0.05 apart: 2 × 0.02 tells them apart, 2 × 0.03 does not."""
    lines = [curve(LAPLACE, (0.5,) * 3), curve(SWAP, (0.55, 0.55, 0.552), error=error)]
    text = line_words.finding_sentence(lines)
    assert f"Here DP swapping 25% shows {says}" in text
    drawn = f"from 55%{f' ± {100 * error:.0f}%' if error else ''} to 55%"
    assert drawn in text
    assert ("(no more than chance)" in text) == (error > 0)  # 0.002 apart, and 2 √2 × 0.02 = 0.057


def test_comparisons_are_true_whatever_the_curves() -> None:
    """Random lines on a coarse grid, so that ties and crossings of all kinds occur."""
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(300):
        first, second = rng.integers(0, 4, (2, 3)) / 4
        swap = rng.integers(0, 5, 3) / 4
        text = line_words.finding_sentence(
            [curve(LAPLACE, first), curve(GAUSSIAN, second), curve(SWAP, swap)])
        verdict = next(s for s in re.split(r"(?<=\.) ", text) if s.startswith("Here DP swapping"))
        claims = verdict.removesuffix(".").split(" shows ")[1].split("; ")
        for claim, name, noise in zip(
            claims, ("Laplace", "Discrete Gaussian"), (first, second), strict=True
        ):
            signs = np.sign(swap - noise)
            seen.add(kind(claim, name, signs))
        fewest = "Laplace" if first[-1] < second[-1] else "Discrete Gaussian"
        assert (f"Here {fewest} shows fewer" in text) == (first[-1] != second[-1])
    assert seen == {"every", "two", "count"}


SIGNS = {"more": 1, "fewer": -1, "about as many": 0}


def kind(claim: str, name: str, signs: np.ndarray) -> str:
    """What the claim says of the three values, checked against them."""
    if found := re.fullmatch(rf"(more|fewer|about as many) (?:than|as) {name} at every ε shown",
                             claim):
        assert set(signs) == {SIGNS[found[1]]}
        return "every"
    if found := re.fullmatch(
        rf"(more|fewer|about as many) (?:than|as) {name} up to ε = ([\d.]+) and "
        r"(more|fewer|about as many) from ε = ([\d.]+) on", claim,
    ):
        until, since = EPSILONS.index(float(found[2])), EPSILONS.index(float(found[4]))
        assert set(signs[: until + 1]) == {SIGNS[found[1]]} and set(signs[since:]) == {
            SIGNS[found[3]]}
        assert set(signs[until + 1 : since]) <= {0} and until < since
        return "two"
    numbers = re.fullmatch(
        rf"more than {name} at (\d) of the 3 values of ε shown and fewer at (\d)", claim)
    assert numbers is not None, claim
    assert [int(n) for n in numbers.groups()] == [(signs == 1).sum(), (signs == -1).sum()]
    return "count"



def test_the_paper_is_quoted_only_where_all_is_as_in_it() -> None:
    """Its Figure 5 has Laplace, discrete Gaussian and DP swapping, people shown exactly once, its
    own five features, and values as seen in the file."""
    census = sdc.load_dataset("ma2019-twin")
    quoted = "Das et al. 2024 (Figure 5) find"

    def caption(study: sdc.Study, **controls: str) -> str:
        return sdc.ask("reidentification", study, work=WORK, **controls).panel(
            "unique-matches").caption

    (figure,) = question("reidentification").presets(Given(sdc.Study(census)))
    study = figure.applied(sdc.Study(census))
    assert quoted in caption(study, r_rule="exactly-once")
    other_rule = caption(study)
    assert quoted not in other_rule and "choose that rule" in other_rule
    for changed in (
        sdc.Study(census), study.with_methods([*study.methods, sdc.mechanism("suppression")]),
        study.with_methods([LAPLACE, GEOMETRIC, SWAP]),
        figure.applied(sdc.Study(census, ["PUMA", "RAC1P", "SEX", "OWN_RENT"])),
        sdc.Study(census, methods=study.methods, domain="dictionary"),
    ):
        assert "Das et al." not in caption(changed, r_rule="exactly-once")


def swept(one: Mechanism, truth: Histogram) -> Curve[UniqueMatches]:
    return matches_along(one, EPSILON, truth, "at-least-once", 7)


def test_more_noise_is_a_cause_only_where_there_is_more() -> None:
    floor = sdc.mechanism("laplace", postprocess="floor")
    text = line_words.finding_sentence([swept(LAPLACE, SMALL), swept(floor, SMALL)])
    label = floor.label().replace(" ε=1", "")
    assert f"Here {label} shows fewer than Laplace at ε = 20." in text
    assert "noise is larger" not in text  # the same noise, rounded down
    same = line_words.finding_sentence([swept(LAPLACE, SMALL), swept(LAPLACE, SMALL)])
    assert "fewer" not in same and "larger" not in same
    close = line_words.finding_sentence([swept(LAPLACE, SMALL), swept(GEOMETRIC, SMALL)])
    assert "shows fewer" not in close  # both show all but a few in a thousand
    both = line_words.finding_sentence([swept(LAPLACE, SMALL), swept(GAUSSIAN, SMALL)])
    assert "Discrete Gaussian shows fewer than Laplace at ε = 20; its noise is larger." in both
    drawn = [
        sdc.mechanism(n, epsilon=20.0, postprocess="none").variance([50])[0]  # type: ignore[attr-defined]
        for n in ("discrete-gaussian", "laplace")
    ]
    assert drawn[0] > 1.05 * drawn[1]


def test_a_method_is_named_with_its_settings() -> None:
    rates = [sdc.mechanism("dp-swapping", swap_rate=r) for r in (0.2, 0.4)]
    text = line_words.finding_sentence([curve(m, (0.5, 0.5, 0.5)) for m in rates])
    assert "with DP swapping 20%" in text and "with DP swapping 40%" in text and "ε=" not in text


@pytest.mark.parametrize("seed", range(20))
def test_unique_groups_are_the_least_and_the_most(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = table(rng.poisson(0.9, 24), (3, 2, 4))
    found = unique_matches(LAPLACE, truth, "at-least-once")
    cube = truth.counts.reshape(3, 2, 4)
    for axis in range(3):
        rest = tuple(j for j in range(3) if j != axis)
        people, unique = cube.sum(axis=rest), (cube == 1).sum(axis=rest)
        share = unique[people > 0] / people[people > 0]
        text = words.unique_group_sentence(found, truth, axis)
        ends = [sensible(100 * share.min()), sensible(100 * share.max())]
        if not text:
            assert ends[0] == ends[1]
            continue
        assert re.findall(r"\(([\d.]+)%\)", text) == ends and ends[0] != ends[1]
        names = re.findall(r"“\w(\d)”", text)
        assert len(set(names)) == 2
        for name, wanted in zip(names, (share.min(), share.max()), strict=True):
            assert unique[int(name)] / people[int(name)] == wanted


def test_unique_groups_alike_are_not_called_uneven() -> None:
    found = unique_matches(LAPLACE, even := table([[1, 3], [3, 1]], (2, 2)), "at-least-once")
    assert words.unique_group_sentence(found, even, 0) == ""
    lone = table([[1, 0], [3, 1]], (2, 2))
    found = unique_matches(LAPLACE, lone, "at-least-once")
    text = words.unique_group_sentence(found, lone, 0)
    assert text == (
        "1 of 4 people with “a1” is one of a kind (25%), but the only one with “a0” is (100%).")
    nobody = table([[1, 1], [3, 3]], (2, 2))
    found = unique_matches(LAPLACE, nobody, "at-least-once")
    assert words.unique_group_sentence(found, nobody, 0) == (
        "None of 6 people with “a1” is one of a kind (0%), but all 2 with “a0” are (100%).")


def shown(
    one: Mechanism, expected: float, unique: int = 54, rule: Rule = "at-least-once", drawn: int = 0
) -> UniqueMatches:
    return UniqueMatches(
        one, rule, "simulated" if drawn else "exact", drawn, 1000, unique, expected, expected,
        expected, 0, 0.0, np.array([]), np.array([], dtype=np.int64),
    )


@pytest.mark.parametrize(("first", "second", "says"), [
    (54, 27.1, "All 54 unique people show after {}, about half (27) after {}."),
    (30, 12, "30 of the 54 unique people (55.6%) show after {}, 12 (22.2%) after "
     "{}."),
    (53.8, 0, "Nearly all (99.6%) of the 54 unique people show after {}, none after "
     "{}."),
    (30.01, 30, "30 of the 54 unique people (55.6%) show after {} and {}."),
    (0, 0, "None of the 54 unique people shows after {} and {}."),
])
def test_headline_says_how_many_and_ranks_no_ties(first: float, second: float, says: str) -> None:
    found = [shown(LAPLACE, first), shown(GEOMETRIC, second)]
    assert words.found_sentences(found, [])[0] == says.format(LAPLACE.spoken(), GEOMETRIC.spoken())
    assert words.found_sentences([*found, found[0]], [])[0] == says.format(
        LAPLACE.spoken(), GEOMETRIC.spoken())  # one that is chosen twice is one


def test_headline_of_one_person_of_draws_and_of_the_other_rule() -> None:
    def headline(one: UniqueMatches) -> str:
        return words.found_sentences([one], [])[0]

    assert headline(shown(SWAP, 54, drawn=40)) == (
        f"All 54 unique people show in all 40 releases after {SWAP.spoken()}.")
    assert headline(shown(LAPLACE, 1, 1)).startswith(
        "The one unique person shows after")
    assert "shows in 40% of releases after" in headline(shown(LAPLACE, 0.4, 1))
    assert "Nearly all (nearly 100%) of the 9,999" in headline(shown(LAPLACE, 9998.9, 9999))
    strict = headline(shown(LAPLACE, 20, rule="exactly-once"))
    assert "show exactly once after adding noise" in strict


def test_the_others_are_said_after_the_headline() -> None:
    found = [shown(LAPLACE, 30), shown(GEOMETRIC, 54), shown(GAUSSIAN, 12), shown(SWAP, 20)]
    headline, more = words.found_sentences(found, [])
    assert headline == (
        f"All 54 unique people show after {GEOMETRIC.spoken()}, 12 (22.2%) after "
        f"{GAUSSIAN.spoken()}.")
    assert more.parts[0].startswith("Unique people share") and more.parts[1] == (
        f"Of the other methods: 30 (55.6%) after {LAPLACE.spoken()} and 20 (37%) after "
        f"{SWAP.spoken()}.")


def test_the_headline_fits_two_lines() -> None:
    longest = [sdc.mechanism("mst", epsilon=0.05), sdc.mechanism("aim", epsilon=0.05),
               sdc.mechanism("dp-suppression", epsilon=0.05, k=30)]
    usual = [sdc.mechanism(n) for n in ("laplace", "discrete-gaussian", "dp-suppression")]
    for methods, most in ((usual, 166), (longest, 190)):
        for a, b in itertools.permutations(methods, 2):
            found = [dataclasses.replace(shown(a, 30), empty=9, made_up=2.0), shown(b, 54)]
            assert len(words.found_sentences(found, [])[0]) <= most


def test_what_is_written_alike_is_not_contrasted() -> None:
    """27.3 and 26.9 of 54 are both 27; 53.9 of 54 is not everyone."""
    near = [shown(LAPLACE, 27.3), shown(GAUSSIAN, 26.9)]
    headline, _ = words.found_sentences(near, [])
    assert headline == (
        f"27 of the 54 unique people (50.6%) show after {LAPLACE.spoken()} and "
        f"about as many after {GAUSSIAN.spoken()}.")
    headline, _ = words.found_sentences([shown(SWAP, 54), shown(LAPLACE, 53.9)], [])
    assert headline == (
        f"All 54 unique people show after {SWAP.spoken()}, nearly all (99.8%) after "
        f"{LAPLACE.spoken()}.")


def test_nearly_all_is_not_contrasted_with_nearly_all_nor_called_all() -> None:
    """Noise at ε = 20 shows 99.7% under Laplace (noise below −½ takes a 1 to 0)
    and all but 2e-9 under geometric: neither is everybody, and nobody would rank the two."""
    table = Histogram.from_counts(np.array([1, 1, 0, 30]))
    found = [unique_matches(sdc.mechanism(name, epsilon=20.0), table, "at-least-once")
             for name in ("laplace", "geometric")]
    laplace = 1 - math.exp(-20 / 4) / 2  # sensitivity 2: noise of scale 1/10 below −½
    assert found[0].share == pytest.approx(laplace) and 0.9999 < found[1].share < 1
    headline = words.found_sentences(found, [])[0]
    assert headline == (
        "Nearly all (nearly 100%) of the 2 unique people show after adding "
        "whole-number noise (ε = 20) and about as many after adding noise (ε = 20).")
    curve = matches_along(sdc.mechanism("geometric"), EPSILON, table, "at-least-once", 7)
    assert "to nearly 100% with Geometric" in line_words.finding_sentence([curve])


@rules
def test_the_headline_says_who_shows_groups_that_have_nobody(rule: Rule) -> None:
    """Being seen means little where empty groups are seen, too. Suppression that leaves them at 0
    stands beside noise, which fills them; treated like any other it fills them, too."""
    noise, hiding = sdc.mechanism("laplace"), sdc.mechanism("suppression", k=6)
    table = Histogram.from_counts(np.array([1] * 20 + [0] * 20 + [30]))
    for keep, differ in ((True, True), (False, False)):
        both = [noise, hiding.replace(keep_zeros=keep)]
        found = [unique_matches(one, table, rule) for one in both]
        if rule == "exactly-once":  # a 3 stands in: never exactly once
            assert found[1].expected == found[1].made_up == 0
            differ = True
        headline = words.found_sentences(found, [])[0]
        side = "latter" if rule == "at-least-once" else "former"  # who shows more comes first
        how = words.HOW[rule]  # a 3 in an empty group shows it, though not exactly once
        assert headline.endswith(f"; only the {side} shows empty groups{how}, too.") is differ
        assert ("empty groups" in headline) is differ
    drawn = [dataclasses.replace(shown(SWAP, 9, drawn=40), empty=20),
             dataclasses.replace(shown(LAPLACE, 30), empty=20, made_up=4.0)]
    assert words.found_sentences(drawn, [])[0].endswith(
        "; so far only the former shows empty groups, too.")


@rules
def test_no_empty_group_is_a_claim_about_what_the_rule_counts(rule: Rule) -> None:
    """DP suppression with empty groups treated like any other: a 3 stands in many of them, so that
    `where it shows somebody, there is somebody` is false, and `exactly one person` true."""
    one = sdc.mechanism("dp-suppression", k=6, epsilon=1.0, keep_zeros=False)
    truth = Histogram.from_counts(np.array([1] * 20 + [0] * 20 + [30]))
    drawn = sdc.released_people(one, truth, 400)[:, truth.counts == 0]
    assert (drawn > 0).any() and not (drawn == 1).any()
    _, more = words.found_sentences([unique_matches(one, truth, rule)], [])
    assert "where it shows somebody" not in more
    assert ("where it shows exactly one person, there is somebody" in more) == (
        rule == "exactly-once")


def test_a_method_that_is_chosen_twice_is_said_once() -> None:
    """Two cards of the same simulated method, two of noise that differ in ε, two that hide."""
    twice = [CHOSEN[2], CHOSEN[2], LAPLACE, LAPLACE.replace(epsilon=4.0), CHOSEN[1], CHOSEN[1]]
    study = sdc.Study(DATA, FEATURES, SEED, twice)
    found = sdc.ask("reidentification", study, work=WORK, r_tune="epsilon")
    texts = [found.headline, *found.more.parts,
             *(s for p in found.panels for s in (*p.caption.split(". "), *p.prose))]
    names = [f(m) for m in (*CHOSEN[1:3], LAPLACE)
             for f in (Mechanism.label, Mechanism.spoken)]
    for text in texts:
        for name in names:
            assert f"{name} and {name}" not in text and f"{name}, {name}" not in text
    assert found.panel("unique-matches").caption.count(" with Laplace") == 1
    assert len(lines(found.panel("unique-matches").figures[0])) >= 3  # both cards have their mark


def test_certain_answers_of_the_smallest_groups_are_each_method_s_own() -> None:
    """Two methods make 10 people certain, one of them 2 in the smallest groups, the other 6."""
    none = over(0, 0)
    each = [
        dataclasses.replace(
            guessed(one, (0.6, 0.6)), certain=over(10, 10), by_size=(GroupRisk(
                "people in groups of 1 to 5", 8, none, 0.5, none, none, over(few, few)),))
        for one, few in ((sdc.mechanism("suppression"), 2), (sdc.mechanism("k-anonymity"), 6))
    ]
    said = short(outsider_words.risk_sentence(each, ["A"], "b"))
    for one, few in zip(each, (2, 6), strict=True):
        assert f"With {one.mechanism.label()} only one answer is left above 0 for 10 people (" + (
            f"{few} in groups of 1 to 5)") in said
    both = short(outsider_words.certain_sentence(each))
    assert both.count("certain about 10 people") == 1
    assert all(one.mechanism.label() in both for one in each)


def test_one_empty_group_is_one() -> None:
    few = dataclasses.replace(shown(SWAP, 9, drawn=40), empty=1, made_up=0.001)
    assert f"Of the one empty group, fewer than 0.01 with {SWAP.spoken()} is shown so." in (
        words.found_sentences([few], [])[1])


def test_who_is_certain_on_average_is_said_to_be() -> None:
    """Zeros that are hidden by chance leave one answer in some releases and not in others."""
    truth = table([40, 0, 0, 60], (2, 2))
    knows = Knowledge.of(truth.domain, ["a"], "b", "a")
    one = sdc.mechanism("suppression", k=2, keep_zeros=True)
    fixed = risk(one, truth, np.tile(truth.counts, (4, 1)), knows)
    drawn = risk(one, truth, np.array([[40, 0, 0, 60], [40, 1, 0, 60]] * 2), knows)
    assert fixed.certain.mean == 100 and drawn.certain.mean == (100 + 60) / 2
    assert "certain about 100 people, without a guess." in outsider_words.certain_sentence([fixed])
    assert "certain about 80 people on average, without" in outsider_words.certain_sentence([drawn])


@rules
def test_what_chance_alone_shows_is_said(rule: str) -> None:
    """With no more than noise, a 1 or a 0 is at least 1 about half the time, and hardly ever just
    1: so it is said under one rule only, and not of hiding or swapping."""
    more = asked(r_rule=rule).more
    said = ("Even at the smallest ε, adding noise and adding whole-number noise show about half of "
            "them, by chance.")
    for law in (shown_by_laplace, shown_by_geometric):
        person, nobody = law(0.05, rule)
        assert (rule == "at-least-once") == (0.45 < nobody < person < 0.55)
    assert (said in more) == (rule == "at-least-once") == ("by chance" in more)
    assert more.startswith("Unique people share their values with nobody; shown means ")


def test_hiding_nobody_and_hiding_all() -> None:
    """Below 2, one person is hidden behind a 1; below 1000, nobody is published as they are."""
    for k, says, not_said in (
        (2, "so nothing is hidden.", "Neither"), (1000, "Neither says anything", " 0 ")
    ):
        one = sdc.mechanism("suppression", k=k, keep_zeros=True)
        once, loose = (unique_matches(one, SMALL, r) for r in ("exactly-once", "at-least-once"))
        _, text = words.hiding_sentences(SMALL, [once], [loose])
        assert says in text and not_said not in text.split("it is 4.")[-1]


@pytest.mark.parametrize(("empty", "says"), [
    (3, "None of 3 releases has people in it."), (2, "1 of 3 releases has people in it."),
    (1, "2 of 3 releases have people in them."),
])
def test_empty_releases_in_good_grammar(empty: int, says: str) -> None:
    assert short(words.empty_sentence(LAPLACE, empty, 3)) == f"Laplace ε=1: {says}"


def test_suppression_is_flattered_by_one_rule_and_not_by_the_other() -> None:
    one = sdc.mechanism("suppression", k=6)
    once, at_least = (unique_matches(one, SMALL, r) for r in ("exactly-once", "at-least-once"))
    assert (once.expected, at_least.expected) == (0, 4)
    cause, text = words.hiding_sentences(SMALL, [once], [at_least])
    assert "hides 4 of the 4 unique people" in text
    assert "0 of all 4 are matched, which looks perfect" in text
    # the one group of 6 or more has 7 of the 20 people
    assert "it is 4." in text and "7 people (35% of all)" in text
    both = [one, sdc.mechanism("dp-suppression", k=6)]  # the same cause, said once
    said = words.hiding_sentences(
        SMALL, *([unique_matches(m, SMALL, r) for m in both] for r in (
            "exactly-once", "at-least-once")))
    assert len(said) == 3 and said[:2] == (cause, text)
    assert words.hiding_sentences(SMALL, [unique_matches(LAPLACE, SMALL, "exactly-once")],
                                  [unique_matches(LAPLACE, SMALL, "at-least-once")]) == ()


def test_where_guessing_gains_nothing_no_method_is_named() -> None:
    """In both groups the same value is the most frequent, so a release adds nothing to it."""
    truth = table([[90, 10], [80, 20]], (2, 2))
    found = [risk(LAPLACE, truth, np.tile(truth.counts, (3, 1)),
                  Knowledge.of(truth.domain, ["a"], "b", "a"))]
    assert outsider_words.gain_sentence(found) == (
        "Guessing from a release is right no more often than always guessing the most common "
        "answer (85.0%).")
    assert outsider_words.nothing_gained(found, "by_group")
    other = table([[90, 10], [20, 80]], (2, 2))
    copies = np.tile(other.counts, (3, 1))
    found = [risk(LAPLACE, other, copies, Knowledge.of(other.domain, ["a"], "b", "a"))]
    assert outsider_words.gain_sentence(found) == (
        "Guessing from the release is right for 85.0% of people with adding noise (ε = 1); "
        "always guessing the most common answer for 55.0%.")
    assert not outsider_words.nothing_gained(found, "by_group")
    one = [risk(LAPLACE, other, copies[:1], Knowledge.of(other.domain, ["a"], "b", "a"))]
    assert "these releases cannot tell" in outsider_words.gain_sentence(one)
    assert outsider_words.releases_sentence(one) == "One release, so nothing is ranked."


def test_sentences_say_the_numbers() -> None:
    found = [unique_matches(m, SMALL, "at-least-once") for m in (
        sdc.mechanism("laplace", epsilon=2.0), sdc.mechanism("suppression", k=6))]
    headline, more = words.found_sentences(found, [])
    assert headline == (
        "All 4 unique people show after hiding small counts (k = 6), 2.79 (69.7%) "
        "after adding noise (ε = 2).")
    noise = words.found_sentences(found[:1], [])[0]
    assert noise.startswith("2.79 of the 4 unique people")  # 4 (1 - ½ e^(-½))
    assert more.startswith("Unique people share their values with nobody; shown means ")
    # of the four empty groups noise shows 4 × ½ e^(-½) = 1.21, hiding fills all four with 3
    assert ("nobody is there 30% of the time with adding noise (ε = 2) and 50% with hiding small "
            "counts (k = 6).") in more
    nobody = table([4, 5], (2,))
    alone = [unique_matches(m, nobody, "at-least-once") for m in (LAPLACE, found[1].mechanism)]
    headline, more = words.found_sentences(alone, [], ["Age", "Place"])
    assert headline == "Nobody is one of a kind in this table, so nobody can be matched."
    assert ("Count people by more features in the sidebar, such as age or place, to see who stands "
            "out") in more
    assert "all features" in words.found_sentences(alone, [])[1]
    assert "Choose a method" in words.found_sentences([], [])[0]
    text = words.unique_group_sentence(found[0], SMALL, 0)
    # a0: two of its 8 people are alone, a1: two of 12
    assert text == (
        "2 of 12 people with “a1” are one of a kind (16.7%), but 2 of 8 with “a0” are (25%).")


@pytest.mark.parametrize(
    ("number", "text"), [(9.0, "9"), (9.26, "9.26"), (0.5, "0.5"), (12.0, "12"), (12.4, "12")])
def test_people_are_whole_where_they_are_many_or_whole(number: float, text: str) -> None:
    assert words._whole(number) == text


def test_three_features_are_suggested_where_nobody_is_alone() -> None:
    data = sdc.load_dataset("ma2019-twin")
    study = sdc.Study(data, ["SEX"], methods=[LAPLACE])
    more = sdc.ask("reidentification", study).more
    titles = [c.title for c in data.columns if c.name in data.features and c.name != "SEX"]
    named = [t for t in titles if t.lower() in more.lower()]
    assert len(named) == 3, more


def test_a_method_without_the_parameter_is_drawn_once_and_level() -> None:
    """Exchanges in pairs have no ε: one set of releases serves the whole line."""
    pairs = sdc.mechanism("swapping", paired=True, quasi_identifiers=("c",))
    told: list[float] = []
    level = matches_along(pairs, EPSILON, SMALL, "exactly-once", 3, told.append)
    drawn = sdc.released_people(pairs, SMALL, 20, 3)[:, SMALL.counts == 1]
    assert level.here is None and len(level.points) == 13 == len(level.values)
    assert {p.expected for p in level.points} == {(drawn == 1).sum(axis=1).mean()}
    assert len(told) == 1
    told.clear()
    noise = matches_along(LAPLACE, EPSILON, SMALL, "exactly-once", 3, told.append)
    assert noise.here == 1.0 and told == pytest.approx(np.arange(1, 14) / 13)


def test_every_method_as_good_is_said_to_be() -> None:
    knows = Knowledge.of(SMALL.domain, ["a", "b"], "c", "a")
    found = risk(LAPLACE, SMALL, sdc.released_people(LAPLACE, SMALL, 5), knows)
    text = outsider_words.risk_sentence([found, found], ["A", "B"], "c")
    assert text.startswith("Nobody is alone with their a") and "with every method" in text
    lone = table([[1, 0, 0, 0], [3, 4, 2, 1]], (2, 4))
    found = risk(LAPLACE, lone, sdc.released_people(LAPLACE, lone, 5),
                 Knowledge.of(lone.domain, ["a"], "b", "a"))
    assert "(of 1 who is alone" in outsider_words.risk_sentence([found], ["A"], "b")


def over(*each: float) -> OverReleases:
    return OverReleases(np.array(each))


def guessed(
    one: Mechanism, right: Sequence[float], base: float = 0.5, best: float = 0.9,
    correct: Sequence[float] | None = None, groups: tuple[GroupRisk, ...] = (), alone: int = 0,
    fixed: bool = False,
) -> Risk:
    found = over(*(correct or [0.0] * len(right)))
    none = over(*[0.0] * len(right))
    return Risk("everybody", 100, over(*right), base, found, found, none, one, 0, alone, none,
                fixed, best, (), groups)


def test_bars_of_what_is_gained_share_a_scale_and_losses_have_none() -> None:
    """The longest bar there could be is from the base to what the data itself would give: 40
    points. A loss has no bar; what rounds to nothing has no minus."""
    found = [guessed(LAPLACE, [0.7]), guessed(SWAP, [0.8]), guessed(GEOMETRIC, [0.4]),
             guessed(GAUSSIAN, [0.49999])]
    _, gains = read_bars(risk_bars(found, ""))
    assert [row.text for row in gains.rows] == ["+20.0", "+30.0", "−10.0", "+0.0"]
    assert [row.length for row in gains.rows] == pytest.approx(
        [100 * 20 / 40, 100 * 30 / 40, 0, 0], abs=0.01)


def test_methods_are_ranked_release_by_release() -> None:
    """Two methods that go up and down together and differ by the same each time are told apart;
    two that cross are not, though their means differ as much."""
    ups = [0.60, 0.70, 0.65, 0.75]
    together = [guessed(LAPLACE, ups), guessed(SWAP, [u - 0.01 for u in ups])]
    assert outsider_words.gain_sentence(together) == (
        "Guessing from the release is right for 67.5% of people with adding noise (ε = 1); "
        "always guessing the most common answer for 50.0%.")
    crossed = [guessed(LAPLACE, ups), guessed(SWAP, [u - 0.01 for u in reversed(ups)])]
    assert outsider_words.gain_sentence(crossed) == (
        f"Guessing from the release is right for 67.5% of people with {LAPLACE.spoken()} and "
        f"66.5% with {SWAP.spoken()}, which these releases cannot rank; always guessing the most "
        "common answer for 50.0%.")
    assert "at most (Laplace ε=1; these releases cannot rank the methods)" in short(
        outsider_words.risk_sentence(crossed, ["A"], "b"))
    assert f"at most ({LAPLACE.label()});" in short(
        outsider_words.risk_sentence(together, ["A"], "b"))


@pytest.mark.parametrize(("right", "says"), [
    ((0.50, 0.50, 0.50), "is right no more often than"),
    ((0.40, 0.41, 0.42), "is right no more often than"),
    ((0.40, 0.50, 0.62), "cannot tell"),  # a little more on average, and less
    ((0.40, 0.50, 0.58), "cannot tell"),
    ((0.60, 0.61, 0.62), "is right for 61.0% of people"),
])
def test_a_gain_is_one_beyond_chance(right: tuple[float, ...], says: str) -> None:
    text = outsider_words.gain_sentence([guessed(LAPLACE, right)])
    assert says in text
    assert says != "cannot tell" or text.startswith("Whether guessing from a release is right more")
    none = over(0, 0, 0)
    groups = (GroupRisk("a group", 9, over(*right), 0.5, none, none, none),)
    said = outsider_words.group_sentence([guessed(LAPLACE, right, groups=groups)], "by_group", "x")
    expected = {"is right no": "no group is guessed better",
                "cannot tell": "whether a group is guessed better than by always guessing",
                "is right for": "adds most for a group: 61.0% right instead of 50.0%."}
    assert next(text for start, text in expected.items() if says.startswith(start)) in said


def test_groups_are_ranked_beyond_chance_and_tiny_ones_not_at_all() -> None:
    none = over(0, 0, 0)
    rows = {"a": (0.6, 0.6, 0.6), "b": (0.8, 0.7, 0.9), "c": (0.78, 0.86, 0.79), "d": (1, 1, 1)}
    people = {"a": 50, "b": 20, "c": 20, "d": 4}
    groups = tuple(
        GroupRisk(n, people[n], over(*r), 0.5, none, none, none) for n, r in rows.items())
    one = guessed(LAPLACE, (0.7, 0.7, 0.7), groups=groups)
    assert short(outsider_words.group_sentence([one], "by_group", "letter")) == (
        "By letter, among groups of 5 or more people, the release of Laplace ε=1 adds most for b: "
        "80.0% right instead of 50.0% and c: 81.0% right instead of 50.0% (not ranked).")
    lost = tuple(dataclasses.replace(g, right=over(0.5, 0.5, 0.5)) for g in groups[:3])
    assert "among groups of 5 or more people, no group is guessed better" in (
        outsider_words.group_sentence(
            [guessed(LAPLACE, (0.5,) * 3, groups=(*lost, groups[3]))], "by_group", "letter"))
    two = guessed(LAPLACE, (0.7, 0.7, 0.7), groups=groups[1:3])
    assert "for whom a release adds most, these releases cannot tell" in (
        outsider_words.group_sentence([two], "by_group", "letter"))


def in_group(method: Mechanism, **shares: tuple[float, ...]) -> Risk:
    """A method whose releases are right about so many of each group of 50."""
    some = next(iter(shares.values()))
    none = over(*[0.0] * len(some))
    return guessed(method, some, groups=tuple(
        GroupRisk(name, 50, over(*each), 0.5, none, none, none) for name, each in shares.items()))


def test_methods_that_add_as_much_are_all_named() -> None:
    """Two methods with the very same share, one that differs by less than is written, one by more
    than that but no more than chance, and one that is truly behind."""
    hides = sdc.mechanism("suppression")
    one = in_group(LAPLACE, few=(0.55, 0.55, 0.55), many=(0.6, 0.6, 0.6))
    same = in_group(hides, few=(0.52, 0.52, 0.52), many=(0.6, 0.6, 0.6))
    tiny = in_group(GEOMETRIC, few=(0.52, 0.52, 0.52), many=(0.6004, 0.6004, 0.6004))
    noisy = in_group(GAUSSIAN, few=(0.52, 0.52, 0.52), many=(0.55, 0.60, 0.68))
    behind = in_group(SWAP, few=(0.52, 0.52, 0.52), many=(0.59, 0.58, 0.6))

    def said(*risks: Risk) -> str:
        return short(outsider_words.group_sentence(risks, "by_group", "size"))

    both = "By size, releases add most for many: 60.0% right with {} instead of 50.0%."
    assert said(one, same) == both.format("Laplace ε=1 and Suppression k=6")
    assert said(same, one) == both.format("Suppression k=6 and Laplace ε=1")
    assert said(one, tiny) == both.format("Laplace ε=1 and Geometric ε=1")
    assert said(one, noisy) == (
        "By size, releases add most for many: 60.0% right with Laplace ε=1 and 61.0% right with "
        f"{GAUSSIAN.label()} instead of 50.0% (not ranked).")
    assert said(behind, in_group(hides, few=(0.5, 0.5, 0.5), many=(0.7, 0.7, 0.7))) == (
        "By size, the release of Suppression k=6 adds most for many: 70.0% right instead of 50.0%.")
    alone = [in_group(m, many=(0.6, 0.6, 0.6)) for m in (LAPLACE, hides)]  # one group, a tie
    assert said(*alone) == both.format("Laplace ε=1 and Suppression k=6")


def test_a_tie_of_two_methods_is_one_on_real_data(
    real_data: Callable[[str], sdc.Dataset]
) -> None:
    """Suppression and its DP version guess alike in the largest groups of Massachusetts, where next
    to nothing is hidden: whoever has the highest share by hand is named, with all others."""
    found = sdc.ask("reidentification", sdc.Study(real_data("ma2019")))
    table = found.panel("risk").table
    rows = table[table["group"].str.startswith("people in groups") & (table["people"] >= 5)]
    gain = rows["right guesses %"] - rows["most common answer %"]
    top = rows[gain > gain.max() - 0.05]
    assert len(top) > 1 and top["group"].nunique() == 1  # what is to be told
    caption = short(found.panel("risk-by_size").caption)
    share = f"{top['right guesses %'].iloc[0]:.1f}% right with "
    assert f"releases add most for {top['group'].iloc[0]}: {share}" in caption
    for name in top["mechanism"]:
        assert name in caption.split("instead of")[0]


def test_no_right_hit_says_what_that_excludes() -> None:
    """None in 40 releases: in at most 3 of 40, that is 7.5%."""
    never = guessed(LAPLACE, [0.6] * 40, alone=3)
    text = short(outsider_words.risk_sentence([never], ["A"], "b"))
    assert "no count points to the right person (of 3 who are alone with these values), in 40 " + (
        "releases of Laplace ε=1 (any in at most 7.5% of releases).") in text
    same = guessed(sdc.mechanism("suppression"), [0.6] * 40, alone=3, fixed=True)
    assert "the right person (of 3 who are alone with these values). Guessing" in (
        outsider_words.risk_sentence([same], ["A"], "b"))
    assert short(outsider_words.releases_sentence([same])) == (
        "Nothing is drawn at random: every release of Suppression k=6 is the same.")
    assert "Averages over 40 releases; " in outsider_words.releases_sentence([same, never])
    both = short(outsider_words.risk_sentence([same, never], ["A"], "b"))
    assert "in 40 releases of Laplace ε=1 (any in at most 7.5%" in both
    few = guessed(LAPLACE, [0.6] * 4, correct=[1, 2, 1, 2], alone=3)
    as_many = guessed(SWAP, [0.6] * 4, correct=[2, 1, 1, 1], alone=3)
    text = short(outsider_words.risk_sentence([few, as_many], ["A"], "b"))
    assert "is right about 1.5 of them; about as many, as far as these releases can tell, with " + (
        f"{SWAP.label()}.") in text


def test_of_simulated_counts_none_is_ranked_by_chance() -> None:
    """30 and 31 of 54 with an error of one each are not told apart; with an error of 0.2 they
    are. Nobody in 40 releases leaves up to 7.5% of releases."""
    def headline(*found: UniqueMatches) -> str:
        return words.found_sentences(found, [])[0]

    far = shown(LAPLACE, 12)
    near = [dataclasses.replace(shown(one, n, drawn=40), error=1.0)
            for one, n in ((SWAP, 30), (GEOMETRIC, 31))]
    assert headline(*near) == (
        f"31 of the 54 unique people (57.4%) show after {GEOMETRIC.spoken()}, 30 "
        f"(55.6%) after {SWAP.spoken()}, which these releases cannot rank.")
    assert headline(*near, far) == (
        f"31 of the 54 unique people (57.4%) show after {GEOMETRIC.spoken()}, 12 "
        f"(22.2%) after {LAPLACE.spoken()}.")
    sure = [dataclasses.replace(m, error=0.2) for m in near]
    assert headline(*sure) == (
        f"31 of the 54 unique people (57.4%) show after {GEOMETRIC.spoken()}, 30 "
        f"(55.6%) after {SWAP.spoken()}.")
    low = [dataclasses.replace(shown(one, n, drawn=40), error=1.0)
           for one, n in ((SWAP, 3), (GEOMETRIC, 4))]
    assert f", 3 (5.56%) after {SWAP.spoken()}." in headline(*low, shown(LAPLACE, 54))
    none = shown(SWAP, 0, drawn=40)
    assert (f"Nobody shows after {SWAP.spoken()} in 40 releases (any in at most 7.5% of releases)."
            in words.found_sentences([none, shown(LAPLACE, 54)], [])[1])
    assert headline(none, shown(LAPLACE, 54)) == (
        f"All 54 unique people show after {LAPLACE.spoken()}, none in 40 releases after "
        f"{SWAP.spoken()}.")
    assert headline(none) == (
        f"None of the 54 unique people shows in 40 releases after {SWAP.spoken()}.")
    assert headline(shown(SWAP, 0, 1, drawn=40)) == (
        f"The one unique person does not show in 40 releases after {SWAP.spoken()}.")
    assert headline(shown(SWAP, 0, 1, drawn=40), shown(LAPLACE, 1, 1)) == (
        f"The one unique person shows after {LAPLACE.spoken()}, in none of 40 releases after "
        f"{SWAP.spoken()}.")
    assert "releases" not in words.found_sentences([shown(LAPLACE, 0)], [])[1]
    lone = [dataclasses.replace(shown(one, n, 1, drawn=40), error=0.1)
            for one, n in ((SWAP, 0.5), (GEOMETRIC, 0.6))]
    assert headline(*lone) == (
        f"The one unique person shows in 60% of releases after {GEOMETRIC.spoken()}, in 50% of "
        f"releases after {SWAP.spoken()}, which these releases cannot rank.")
    mixed = headline(shown(LAPLACE, 54), shown(SWAP, 54, drawn=40))
    assert mixed == (f"All 54 unique people show after {LAPLACE.spoken()} and in all 40 releases "
                     f"after {SWAP.spoken()}.")
    _, more = words.found_sentences(
        [shown(SWAP, 54, drawn=40), shown(LAPLACE, 12), shown(GAUSSIAN, 54)], [])
    assert f"all in all 40 releases after {SWAP.spoken()}." in more
    assert headline(shown(LAPLACE, 1, 3)).startswith("1 of the 3 unique people (33.3%) shows after")


def test_a_line_is_kept_while_its_slider_moves() -> None:
    work = Work()
    three, five = (
        work.along(matches_along, sdc.mechanism("laplace", epsilon=e), EPSILON, SMALL,
                   "at-least-once", SEED)
        for e in (3.0, 5.0)
    )
    assert three.points is five.points
    assert [(c.here, c.mechanism.settings()["epsilon"]) for c in (three, five)] == [(3, 3), (5, 5)]


def test_where_nothing_is_gained_there_is_a_sentence_and_no_chart() -> None:
    """In both towns most have low pay, in the data and in every release of so little noise."""
    homes = pd.DataFrame({"town": ["A"] * 900 + ["B"] * 800,
                          "pay": ["low"] * 800 + ["high"] * 100 + ["low"] * 650 + ["high"] * 150})
    study = sdc.Study(sdc.load_dataset(homes), ("town", "pay"), SEED, [LAPLACE])
    panel = sdc.ask("reidentification", study).panel("risk-by_group")
    assert panel.caption.startswith("By town, no group is guessed better")
    assert panel.drawing is None and not panel.title


HOMES = {  # who lives where; a person is town, sex and pay
    "one exposed": [["Af", "Am"], ["Af"], ["Am"], ["Bf"]],  # the last alone; the first by both
    "more as a whole": [["Af", "Am"], ["Am", "Am"], ["Af"], ["Af"], ["Bf", "Bm"], ["Bm"]],
    "nobody": [["Af"], ["Af"], ["Am"], ["Am"]],
    "one home": [["Af", "Am"]],
}


@pytest.mark.parametrize("name", HOMES)
@rules
def test_households_in_words_are_counted_by_hand(name: str, rule: str) -> None:
    """How many have a member who is one of a kind, how many are one by who lives in them, and how
    many show after hiding below 4, behind a 2: all, and none exactly once. In one release of many
    nobody shows: what that leaves is said."""
    homes = HOMES[name]
    alone = {p for p, n in Counter(itertools.chain(*homes)).items() if n == 1}
    kinds = Counter(tuple(sorted(home)) for home in homes)
    exposed = sum(bool(alone & set(home)) for home in homes)
    whole = sum(n == 1 for n in kinds.values())
    records = pd.DataFrame([(f"h{i}", *p) for i, home in enumerate(homes) for p in home],
                           columns=["hh", "town", "sex"])
    data = sdc.load_dataset(records)
    data = data.with_columns([dataclasses.replace(data.column("hh"), role=sdc.Role.HOUSEHOLD)])
    hides, chance = sdc.mechanism("suppression", k=5), sdc.mechanism("geometric", epsilon=0.05)
    study = sdc.Study(data, ["town", "sex"], SEED, [hides, hides, chance])
    first, *rest = sdc.ask("reidentification", study, r_rule=rule).panel("households").prose
    homes_said = "one household" if len(homes) == 1 else f"{len(homes)} households"
    numbers = re.match(rf"Of {homes_said}, (\d+) \(([\d.]+)%\) (has|have) at least one member who "
                       r"is one of a kind, and (\d+) \(([\d.]+)%\) (is itself|are themselves) one "
                       r"of a kind by who lives in (it|them)", first)
    assert numbers and (int(numbers[1]), int(numbers[4])) == (exposed, whole)
    shares = [float(numbers[i]) for i in (2, 5)]
    assert shares == pytest.approx([100 * n / len(homes) for n in (exposed, whole)], abs=0.051)
    assert [numbers[i] for i in (3, 6, 7)] == [
        "has" if exposed == 1 else "have", *(
            ("is itself", "it") if whole == 1 else ("are themselves", "them"))]
    assert ("where no single person stands out" in first) == (whole > exposed)
    if not exposed:
        assert not rest
        return
    (said,) = map(short, rest)
    assert said.count(hides.label()) == 1  # two cards, one method
    often = 0 if rule == "exactly-once" else exposed
    assert f": {often} after {hides.label()} and " in said  # never drawn: no 7.5%
    assert said.startswith("In which share of the releases") == (exposed == 1)
    assert ("exactly once" in said) == (rule == "exactly-once")


def test_no_household_shown_in_the_releases_drawn_says_what_that_excludes() -> None:
    assert households._mean(over(*[0.0] * 40), fixed=False) == (
        "none in 40 releases (any in at most 7.5% of releases)")
    assert households._mean(over(*[0.0] * 40), fixed=True) == "0"
    assert households._mean(over(1.0, 2.0), fixed=False) == "1.5 ± 0.5"


@pytest.mark.parametrize("lone", [False, True])
def test_people_represented_are_summed_by_hand(lone: bool) -> None:
    """Records with weights 7 and 20 are alone (or the first only); Laplace noise shows each with
    the chance of its formula, drawn releases as often as they do. One chosen twice is said once."""
    rows = [("A", "x", 7), ("B", "x", 20), ("B", "y", 4), ("B", "y", 6)]
    if lone:
        rows.append(("B", "x", 5))
    people = pd.DataFrame(rows, columns=["town", "job", "weight"])
    data = sdc.load_dataset(people)
    data = data.with_columns([dataclasses.replace(
        data.column("weight"), role=sdc.Role.WEIGHT, type=sdc.Type.WHOLE)])
    swap = sdc.mechanism("permutation-swapping", swap_rate=0.5)
    study = sdc.Study(data, ("town", "job"), SEED, [LAPLACE, LAPLACE, swap],
                      counted_as="represented")
    more = short(sdc.ask("reidentification", study).more)
    weights = [7] if lone else [7, 20]
    assert ("The record that is one of a kind stands for 7 people; what the release shows stands "
            "for " if lone else "The 2 records that are one of a kind stand for 27 people, 13.5 "
            "each on average; those that the release shows stand for ") in more
    chance = shown_by_laplace(1.0, "at-least-once")[0]
    assert f"stand{'s' * lone} for {sensible(sum(weights) * chance)} after Laplace ε=1 and " in more
    assert more.count("after Laplace ε=1") == 1 and ", on average over releases." in more
    table = study.table
    drawn = sdc.released_people(study.treated(swap).suited_to(table), table, 40, SEED)
    each = (drawn[:, table.counts == 1] >= 1) @ table.per_record[table.counts == 1]
    error = each.std(ddof=1) / np.sqrt(40)
    spread = f" ± {sensible(error)}" if error else ""
    assert f" and {sensible(each.mean())}{spread} after Permutation swapping" in more


PAGE = "../pages/reidentification.py"
USUAL = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]


def test_page_shows_the_answer() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    expected = sdc.ask(
        "reidentification", sdc.Study(sdc.load_dataset("ma2019-twin"), USUAL, 7))
    assert expected.headline in answer(app) and expected.more in answer(app)
    for panel in expected.panels:
        for text in (panel.title, panel.caption.strip(), *panel.prose):
            assert text in said(app)
    assert len(app.get("plotly_chart")) == 2 + 3
    assert {"m1", "r_rule", "r_tune", "r_known", "r_sensitive", "r_group"} <= set(link(app))
    app.multiselect(key="url.r_known").set_value([]).run()
    assert "Choose at least one thing the outsider knows." in said(app)
    assert "quasi" not in said(app) and link(app)["r_known"] == ""


def test_deep_link() -> None:
    wanted = {"m1": "permutation-swapping", "m1.swap_rate": "0.2", "m2": "none", "m3": "none",
              "m4": "suppression", "m4.k": "4", "r_rule": "exactly-once", "r_tune": "k",
              "r_known": "SEX,RAC1P", "r_sensitive": "OWN_RENT", "r_group": "SEX"}
    app = opened({**TWIN, **wanted}, PAGE)
    assert not app.error and not app.warning
    assert {k: v for k, v in link(app).items() if k in wanted} == wanted
    assert "exactly once" in answer(app)
    assert "knows sex and race" in said(app)
    assert "Unique people in the release by sex" in said(app)


def test_bad_link_is_explained() -> None:
    app = opened({**TWIN, "r_known": "SEX,NOPE", "r_group": "magic", "features": "SEX,OWN_RENT"},
                 PAGE)
    warned = " ".join(w.value for w in app.warning)
    assert "NOPE" in warned and "magic" in warned
    assert link(app)["r_known"] == "SEX" and link(app)["r_group"] == "SEX"


def test_own_data_starts_with_something_known() -> None:
    mine = PEOPLE[["town", "sex", "pay"]]
    app = uploaded(opened({**TWIN, "features": "SEX,OWN_RENT"}, PAGE), mine)
    assert not app.error and not app.warning
    assert app.multiselect(key="url.r_known").value == ["town", "sex"]
    assert link(app)["r_sensitive"] == "pay"


def test_default_on_real_data(real_data: Callable[[str], sdc.Dataset]) -> None:
    real_data("ma2019")
    app = opened({"data": "ma2019"}, PAGE)
    assert not app.error and not app.warning
    captions = " ".join(c.value for c in app.caption)
    assert "P0" not in captions and "SDNist" not in captions
    assert "Das et al." not in captions + answer(app)
    assert "Discrete Gaussian shows fewer than Laplace" in said(app)
    assert "All 54 unique people show after hiding below a noisy limit (ε = 1, k = 6), " in (
        answer(app))
    assert "; only the latter shows empty groups, too." in answer(app)
    assert "Of the other methods: " in answer(app) and (
        "all after hiding small counts (k = 6)" in answer(app))
    assert "about half (" in answer(app) and "which are which" not in answer(app)


def test_hiding_leaves_certain_answers_on_real_data(
    real_data: Callable[[str], sdc.Dataset]
) -> None:
    """Counted with pandas: all 22 who are alone, and others whose neighbours answer alike."""
    data = real_data("ma2019")
    truth = data.histogram(data.default_features)
    cells = truth.cells()
    known, wanted = list(cells.columns[:4]), cells.columns[4]
    assert (known[0], wanted) == ("Place", "Income of $50,000 or more")
    some = cells[truth.counts > 0].assign(n=truth.counts[truth.counts > 0])
    by = some.groupby(known, observed=True).agg(answers=(wanted, "nunique"), n=("n", "sum"))
    sure = by[by.answers == 1].n
    assert (by.n == 1).sum() == (sure == 1).sum() == 22
    study = sdc.Study(data, methods=[sdc.mechanism("suppression", k=6)])
    caption = short(sdc.ask("reidentification", study).panel("risk").caption)
    assert "points to the right person (of 22 who are alone with these values). " in caption
    assert (
        f"only one answer is left above 0 for all 22 of them and {sure.sum()} people altogether "
        f"({sure[sure < 6].sum()} in groups of 1 to 5), and a 0 is real there" in caption)
    assert "7.5%" not in caption and "every release of Suppression k=6 is the same" in caption


def test_a_large_epsilon_is_not_called_muddled(real_data: Callable[[str], sdc.Dataset]) -> None:
    """ε = 10: 54 (1 - ½ e^(-2.5)) people and 256 × ½ e^(-2.5) empty groups, so 83% are people."""
    data = real_data("ma2019")
    study = sdc.Study(data, methods=[sdc.mechanism("laplace", epsilon=10.0)], domain="observed")
    q = math.exp(-2.5) / 2
    share = 54 * (1 - q) / (54 * (1 - q) + 256 * q)
    assert round(100 * share) == 83
    more = sdc.ask("reidentification", study).more
    assert "nobody is there 17% of the time with adding noise (ε = 10)." in more

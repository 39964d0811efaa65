"""Who can be found?: charts, tables and sentences hold the numbers of the releases, recomputed in
closed form or person by person; what is said is true of hand-made curves; the page shows it.
"""

from __future__ import annotations

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
from sdc_core.figures.theme import SHADES
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.outsider import Knowledge, Risk, risk
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
from sdc_core.questions.reidentification import outsider_asks, outsider_words, words
from sdc_core.questions.reidentification.compute import matches_along
from sdc_core.questions.reidentification.figures import risk_bars
from sdc_core.questions.work import Work
from sdc_core.words.numbers import sensible
from tests.contract import Contract
from tests.html_bars import aria_label, read_bars
from tests.page_driver import TWIN, answer, link, opened, said, uploaded

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=("r1", "r2", "r3", "r4"),
    controls=("r_rule", "r_tune", "r_known", "r_sensitive", "r_group"),
    columns={
        "unique-matches": (
            "mechanism", "epsilon", "unique people", "in the release", "from (5%)", "to (95%)",
            "share %", "empty groups", "shown all the same", "method",
        ),
        "risk": (
            "mechanism", "group", "people", "apparent matches", "of them right", "right guesses %",
            "most common answer %", "releases",
        ),
        "risk-by_size": (
            "mechanism", "group", "people", "apparent matches", "of them right", "right guesses %",
            "most common answer %", "releases",
        ),
        "risk-by_group": (
            "mechanism", "group", "people", "apparent matches", "of them right", "right guesses %",
            "most common answer %", "releases",
        ),
        "unique-by-group": ("mechanism", "group", "people", "unique people", "in the release"),
    },
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
COLOURS = [SHADES["dp"][0], SHADES["sdc"][0], SHADES["sdc"][1], SHADES["dp"][1]]
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
        assert found.headline.startswith(f"Everyone who is one of a kind ({unique} of {unique}) ")
        first, second = re.fullmatch(
            r".* after (.*), [\d.]+ \([\d.]+%\) after (.*?); .*", found.headline).groups()
        assert (first, second) == (LABELS[1], LABELS[0])
        number, share = re.search(r", ([\d.]+) \(([\d.]+)%\) after", found.headline).groups()
        assert float(number) == pytest.approx(matched[0], abs=0.0051)
        assert float(share) == pytest.approx(100 * matched[0] / unique, abs=0.051)
        empty = 100 * found_by(2, rule, EMPTY).mean() / EMPTY.sum()
        assert f"{LABELS[2]} shows {empty:.1f}% of the {EMPTY.sum()} groups that are" in found.more
        assert f"{LABELS[1]} shows no empty group so: " in found.more
    else:
        assert (most, fewest) == (2, 1)
        assert found.headline.startswith(f"{matched[2]:.2f} of the {unique} people who are one of ")
        assert f"are shown exactly once after {LABELS[2]}, nobody after {LABELS[1]}; " in (
            found.headline)


def test_panels_come_in_order_and_are_told_to_those_who_do_not_see_them() -> None:
    found = asked()
    assert [p.name for p in found.panels] == [
        "unique-matches", "flattered", "risk", "risk-by_size", "risk-by_group", "unique-by-group"]
    assert found.panel("unique-matches").alt.endswith(found.headline)
    for panel in found.panels[2:]:
        assert aria_label(panel.drawing) == panel.alt and panel.caption.startswith(panel.alt)


def lines(chart: Any) -> dict[str, Any]:
    return {t.name: t for t in chart.data if t.mode == "lines" and t.name}


@rules
def test_lines_along_epsilon_are_the_closed_forms(rule: str) -> None:
    panel = asked(r_rule=rule).panel("unique-matches")
    unique, empty = panel.figures
    assert unique.layout.title.text.startswith("<b>Unique people in the release</b>")
    assert empty.layout.title.text.startswith("<b>Empty groups shown as if somebody were there</b>")
    names = ["Laplace", LABELS[1], LABELS[2], "Geometric"]
    for which, chart in enumerate((unique, empty)):
        drawn = lines(chart)
        assert list(drawn) == names
        assert [t.line.color for t in drawn.values()] == COLOURS
        assert [t.line.dash for t in drawn.values()] == ["solid", "dash", "dash", "solid"]
        for trace in drawn.values():
            assert list(trace.x) == EPSILON_POINTS
            assert "ε = %{x:.3g}" in trace.hovertemplate and "%{y:.3g}%" in trace.hovertemplate
        for name, law in (("Laplace", shown_by_laplace), ("Geometric", shown_by_geometric)):
            expected = [100 * law(e, rule)[which] for e in EPSILON_POINTS]
            np.testing.assert_allclose(drawn[name].y, expected, atol=1e-9)
        hidden = 100 * (rule == "at-least-once" and which == 0)
        assert list(drawn[LABELS[1]].y) == [hidden] * 13
        cells = (UNIQUE, EMPTY)[which]
        mean = 100 * found_by(2, rule, cells, 20).mean() / cells.sum()
        np.testing.assert_allclose(drawn[LABELS[2]].y, mean)
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
    assert band.fillcolor == "rgba(209,73,29,0.15)"  # of the second traditional method, #D1491D
    assert {(x, round(y, 6)) for x, y in zip(band.x, band.y, strict=True)} == {
        (x, round(y, 6)) for x in EPSILON_POINTS for y in (low, high)}
    assert low < high


def test_lines_along_k() -> None:
    """A stand-in of k/2, rounded down, is one person for k of 2 and 3 only."""
    panel = asked(r_rule="exactly-once", r_tune="k").panel("unique-matches")
    unique = panel.figures[0]
    drawn = lines(unique)
    assert list(drawn) == ["Laplace ε=1", "Suppression zeros kept", LABELS[2], "Geometric ε=2"]
    ks = drawn["Suppression zeros kept"].x
    assert (ks[0], ks[-1]) == (2, 30)
    assert list(drawn["Suppression zeros kept"].y) == [100 * (k < 4) for k in ks]
    np.testing.assert_allclose(
        drawn["Laplace ε=1"].y, 100 * shown_by_laplace(1.0, "exactly-once")[0])
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


def test_why_the_count_flatters_hiding() -> None:
    """All unique people are behind a stand-in of 2: none shown once, all shown at least once."""
    panel = asked().panel("flattered")
    large = COUNTS[COUNTS >= 5].sum()
    (text,) = panel.prose
    unique = UNIQUE.sum()
    assert text.startswith(f"{LABELS[1]} hides {unique} of the {unique} unique people behind a ")
    assert "exactly once, 0 of them are matched, which looks perfect" in text
    assert f"at least once, it is {unique}. " in text
    assert f"about the {large} people ({100 * large / COUNTS.sum():.1f}% of all)" in text
    assert text.endswith(", nor about the fact that a stand-in tells that somebody is there.")
    assert (panel.title, panel.minor) == ("Why this flatters hiding", True)


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
                p["base"] += chance(overall, truth) / len(rows)
                p["right"] += chance(answers[key] if shown[key] else overall, truth) / len(rows)
                if alike[key] == 1 and shown[key] == 1:
                    p["apparent"] += 1 / len(rows)
                    p["correct"] += (released[p["cell"]] == 1) / len(rows)

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


def best_guesses(known: Sequence[str], wanted: str) -> float:
    """Per cent that would be right from the data itself: the largest answer of each group."""
    return 100 * PEOPLE.groupby([*known, wanted]).size().groupby(list(known)).max().sum() / len(
        PEOPLE)


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
        titles = ["Apparent matches", "Apparent matches that are right", *titles]
    assert list(panels) == titles and panel.controls == ("r_known", "r_sensitive", "r_group")
    for bars in panels.values():
        assert [row.label for row in bars.rows] == LABELS
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
        assert f"of {alone} alone with what is known" in panels["Apparent matches"].note
        for row, part, whole in zip(
            panels[titles[1]].rows, correct, apparent, strict=True
        ):
            assert row.text == "0" if whole == 0 else row.text.endswith(
                f" ({100 * part / whole:.0f}%)")


@knowledge
def test_risk_in_words(known: tuple[str, ...], wanted: str, group: str) -> None:
    found = asked(r_known=known, r_sensitive=wanted, r_group=group)
    caption = found.panel("risk").caption
    each = [learnt(n, known, wanted) for n in range(4)]
    right = [one.mean("right") for one in each]
    top = int(np.argmax(right))
    assert (
        f"Guessing “{wanted}” from the release is right for {right[top]:.1f}% of people at most "
        f"({LABELS[top]}); the data itself would give {best_guesses(known, wanted):.1f}%, always "
        f"guessing the most common answer {each[top].mean('base'):.1f}%." in caption
    )
    assert caption.endswith(" Averages over 40 releases.")
    alone = sum(n == 1 for n in each[0].alike.values())
    if alone:
        worst = int(np.argmax([one.total("correct") for one in each]))
        assert f"finds, in {LABELS[worst]}, " in caption
        are = "is" if alone == 1 else "are"
        assert f"(of {alone} who {are} alone with these values)" in caption
    else:
        assert caption.startswith("Nobody is alone with their ")
    gains = [one.mean("right") - one.mean("base") for one in each]
    most = int(np.argmax(gains))
    assert found.more.endswith(
        f"Guessing from the release of {LABELS[most]} is right for {right[most]:.1f}% of people, "
        f"always guessing the most common answer for {each[most].mean('base'):.1f}%.")


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
    panels = read_bars(panel.drawing)
    assert [p.title for p in panels] == [t[:1].upper() + t[1:] for t in groups]
    table = found.panel("risk").table.set_index(["mechanism", "group"])
    for bars, (title, inside) in zip(panels, groups.items(), strict=True):
        people = sum(p["count"] for p in each[0].people if inside(p))
        assert [row.label for row in bars.rows] == LABELS
        right, base = ([one.mean(what, inside) for one in each] for what in ("right", "base"))
        assert [row.text for row in bars.rows] == [f"{r:.1f}%" for r in right]
        assert [row.length for row in bars.rows] == pytest.approx(right, abs=0.01)
        ends = sorted({f"{min(base):.0f}%", f"{max(base):.0f}%"}, key=lambda t: float(t[:-1]))
        assert bars.note == f"{people} people, most common answer {' to '.join(ends)}"
        for number, label in enumerate(LABELS):
            row = table.loc[(label, title)]
            assert row["people"] == people and row["releases"] == 40
            assert row["right guesses %"] == pytest.approx(right[number])
            assert row["most common answer %"] == pytest.approx(base[number])
            assert row["apparent matches"] == pytest.approx(each[number].total("apparent", inside))
            assert row["of them right"] == pytest.approx(each[number].total("correct", inside))
    gains = [one.mean("right") - one.mean("base") for one in each]
    most = int(np.argmax(gains))
    added = {
        t: each[most].mean("right", inside) - each[most].mean("base", inside)
        for t, inside in groups.items()
    }
    what = group if by == "by_group" else "number of people who share the known values"
    assert panel.title == f"Right guesses by {what}"
    assert panel.caption.startswith(
        f"By {what}, the release of {LABELS[most]} adds most for {max(added, key=added.get)}: ")


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
    top = max(1.0, *(100 * s / p for each in shown for s, p in zip(each, people, strict=True)))
    panels = read_bars(panel.drawing)
    assert [p.title for p in panels] == [v for v, n in zip(VALUES[axis], unique, strict=True) if n]
    for bars in panels:
        i = VALUES[axis].index(bars.title)
        assert bars.note == f"{unique[i]} unique of {people[i]} people"
        assert [(row.label, row.colour) for row in bars.rows] == list(
            zip(LABELS, COLOURS, strict=True))
        for row, each in zip(bars.rows, shown, strict=True):
            assert row.length == pytest.approx(10_000 * each[i] / people[i] / top, abs=0.01)
            assert float(row.text.split(" ")[0]) == pytest.approx(each[i], abs=0.0051)
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
    assert f"is in {100 * chance:.1f}% of releases still visible" in found.headline
    assert [b.title for b in read_bars(found.panel("unique-by-group").drawing)] == ["b"]
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
    assert notice.text == f"{LABELS[0]}: None of 40 releases has people in it."
    assert notice.tone == "warning"
    rows = read_bars(found.panel("risk").drawing)[0].rows
    assert [row.label for row in rows] == LABELS[1:]
    assert [row.colour for row in rows] == [SHADES["sdc"][0], SHADES["sdc"][1], SHADES["dp"][0]]


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
    assert list(lines(found.panel("unique-matches").figures[0])) == ["Laplace"]
    assert f"{slow.title}: a line would take too long" in found.panel("unique-matches").caption
    assert found.panel("risk").caption.endswith("Averages over 20 to 40 releases.")
    alone = sdc.Study(DATA, FEATURES, SEED, [slow])
    panel = sdc.ask("reidentification", alone, work=work).panel("unique-matches")
    assert panel.caption == "These methods take too long to be drawn along a line."
    assert not panel.figures and not panel.controls
    none = sdc.ask("reidentification", alone, work=Work(started=set()))
    assert none.headline.startswith("Choose a method") and not none.panels


def test_the_suggested_methods_and_what_is_known() -> None:
    """Figure 5 of Das et al. 2024, and suppression as offices do it; the census's own features."""
    census = sdc.load_dataset("ma2019-twin")
    asks = question("reidentification")
    given = Given(sdc.Study(census))
    assert {slot: one.label() for slot, one in asks.methods(given).items()} == {
        "r1": "Laplace ε=1", "r2": "Discrete Gaussian ε=1", "r3": "DP swapping ε=1 25%",
        "r4": "Suppression k=6 zeros kept",
    }
    offered = {p.name: p.default for p in outsider_asks(given)}
    assert offered == {"r_known": ("PUMA", "RAC1P", "SEX", "OWN_RENT"),
                       "r_sensitive": "INCOME_50K", "r_group": "RAC1P"}
    own = {p.name: p.default for p in outsider_asks(Given(sdc.Study(DATA, FEATURES)))}
    assert own == {"r_known": ("town", "sex", "job"), "r_sensitive": "pay", "r_group": "town"}


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


def curve(one: Mechanism, shares: Sequence[float], unique: int = 100) -> Curve[UniqueMatches]:
    """A line with these shares along ε, made by hand."""
    points = tuple(
        UniqueMatches(
            one.replace(epsilon=e), "at-least-once", "exact", 0, 1000, unique, unique * s,
            unique * s, unique * s, 10, 0.0, np.array([]), np.array([], dtype=np.int64),
        )
        for e, s in zip(EPSILONS, shares, strict=True)
    )
    return Curve(one, EPSILONS, points, 1.0)


@pytest.mark.parametrize("one", [
    sdc.mechanism(name, k=k, imputation=i, keep_zeros=z)
    for name, k, i, z in itertools.product(
        ("suppression", "dp-suppression"), (1, 2, 3, 6), ("floor", "half"), (False, True))
], ids=lambda m: m.label())
def test_a_stand_in_tells_only_where_no_empty_group_has_it(one: Mechanism) -> None:
    """Judged by releases: the stand-in is seen where somebody was hidden, and nowhere else."""
    once, loose = (unique_matches(one, SMALL, r) for r in ("exactly-once", "at-least-once"))
    text = words.suppression_sentence(SMALL, [once], [loose])
    stand_in = int(np.rint(one.imputed))  # type: ignore[attr-defined]
    drawn = sdc.released_people(one, SMALL, 400)
    filled = (drawn[:, SMALL.counts == 0] == stand_in).any() and stand_in > 0
    hides = one.hidden([1])[0] > 0  # type: ignore[attr-defined]
    tells = hides and stand_in > 0 and not filled
    assert ("tells that somebody is there" in text) == tells
    assert text.endswith(".") and "unique people behind a stand-in" in text


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
        if "no empty group" in text:
            assert certain and one.label() in text
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
    assert 4 < expected < 4.5 and f"about {sensible(float(expected))} with Laplace ε=20" in text


def test_nobody_unique_is_nothing_to_say() -> None:
    lines = [curve(LAPLACE, (0, 0, 0), 0), curve(SWAP, (0, 0, 0), 0)]
    assert words.finding_sentence(lines) == ""
    assert words.finding_sentence([]) == ""


@pytest.mark.parametrize(("noise", "swap", "says"), [
    ((0.1, 0.5, 0.9), (0.95, 0.95, 0.96), "hardly moves and shows more than Laplace at every ε"),
    ((0.1, 0.5, 0.9), (0.6, 0.8, 0.91), "shows more than Laplace at every ε shown."),
    ((0.1, 0.5, 0.9), (0.6, 0.8, 0.7), "shows more than Laplace up to about ε = 1, not beyond."),
    ((0.1, 0.5, 0.9), (0.6, 0.4, 0.95), "shows more than Laplace at 2 of the 3 values of ε shown."),
    ((0.1, 0.5, 0.9), (0.05, 0.6, 0.5), "shows more than Laplace at 1 of the 3 values of ε shown."),
    ((0.1, 0.5, 0.9), (0.1, 0.5, 0.9), "shows at no ε more than Laplace."),
    ((0.1, 0.5, 0.9), (0.0, 0.4, 0.8), "shows fewer than Laplace at every ε shown."),
])
def test_more_is_more_at_every_value(
    noise: tuple[float, ...], swap: tuple[float, ...], says: str
) -> None:
    text = words.finding_sentence([curve(LAPLACE, noise), curve(SWAP, swap)])
    assert f"Here {SWAP.label().replace(' ε=1', '')} {says}" in text


def test_comparisons_are_true_whatever_the_curves() -> None:
    """Random lines on a coarse grid, so that ties and crossings of all kinds occur."""
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(300):
        first, second = rng.integers(0, 4, (2, 3)) / 4
        swap = rng.integers(0, 5, 3) / 4
        text = words.finding_sentence(
            [curve(LAPLACE, first), curve(GAUSSIAN, second), curve(SWAP, swap)])
        above = swap > np.maximum(first, second)
        verdict = next(s for s in re.split(r"(?<=\.) ", text) if s.startswith("Here DP swapping"))
        kind = next(k for k in ("at every ε", "up to about", "at no ε", "values of ε")
                    if k in verdict)
        seen.add(kind)
        assert (kind == "at every ε") == above.all() and (kind == "at no ε") == (not above.any())
        if kind == "up to about":
            until = EPSILONS[int(above.sum()) - 1]
            assert f"ε = {sensible(until)}, not beyond" in verdict
            np.testing.assert_array_equal(above, np.array(EPSILONS) <= until)
        elif kind == "values of ε":
            assert f"at {above.sum()} of the 3 values" in verdict
        assert ("hardly moves" in verdict) == (np.ptp(swap) < 0.1)
        fewest = "Laplace" if first[-1] < second[-1] else "Discrete Gaussian"
        assert (f"Here {fewest} shows fewer" in text) == (first[-1] != second[-1])
    assert len(seen) == 4


@pytest.mark.parametrize("one", [
    sdc.mechanism("dp-k-anonymity"), sdc.mechanism("dp-swapping-uniform"), SWAP,
], ids=lambda m: m.name)
@pytest.mark.parametrize("shares", [(0.9, 0.9, 0.95), (0.0, 0.0, 0.1), (0.5, 0.5, 0.5)])
def test_p0_is_credited_with_its_own_methods_only(
    one: Mechanism, shares: tuple[float, ...]
) -> None:
    """Its Figure 5 has Laplace, discrete Gaussian and DP swapping, and that is what is cited."""
    text = words.finding_sentence([curve(GEOMETRIC, (0.1, 0.5, 0.9)), curve(one, shares)])
    assert "In Das et al. 2024 (Figure 5), DP swapping shows more than noise" in text
    assert not re.search(r"\b(As in|Unlike|unlike there|As there|Here too)\b", text)


def swept(one: Mechanism, truth: Histogram) -> Curve[UniqueMatches]:
    return matches_along(one, EPSILON, truth, "at-least-once", 7)


def test_more_noise_is_a_cause_only_where_there_is_more() -> None:
    floor = sdc.mechanism("laplace", postprocess="floor")
    text = words.finding_sentence([swept(LAPLACE, SMALL), swept(floor, SMALL)])
    label = floor.label().replace(" ε=1", "")
    assert f"Here {label} shows fewer than Laplace at ε = 20." in text
    assert "noise is larger" not in text  # the same noise, rounded down
    same = words.finding_sentence([swept(LAPLACE, SMALL), swept(LAPLACE, SMALL)])
    assert "fewer" not in same and "larger" not in same
    close = words.finding_sentence([swept(LAPLACE, SMALL), swept(GEOMETRIC, SMALL)])
    assert "shows fewer" not in close  # both show all but a few in a thousand
    both = words.finding_sentence([swept(LAPLACE, SMALL), swept(GAUSSIAN, SMALL)])
    assert "Discrete Gaussian shows fewer than Laplace at ε = 20; its noise is larger." in both
    drawn = [
        sdc.mechanism(n, epsilon=20.0, postprocess="none").variance([50])[0]  # type: ignore[attr-defined]
        for n in ("discrete-gaussian", "laplace")
    ]
    assert drawn[0] > 1.05 * drawn[1]


def test_a_method_is_named_with_its_settings() -> None:
    rates = [sdc.mechanism("dp-swapping", swap_rate=r) for r in (0.2, 0.4)]
    text = words.finding_sentence([curve(m, (0.5, 0.5, 0.5)) for m in rates])
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
    (54, 27.1, "Everyone who is one of a kind (54 of 54) is still visible after Laplace ε=1, about "
     "half (27) after Geometric ε=1; visible"),
    (30, 12, "30 of the 54 people who are one of a kind (55.6%) are still visible after Laplace "
     "ε=1, 12 (22.2%) after Geometric ε=1; visible"),
    (53.8, 0, "Nearly everyone who is one of a kind (99.6% of 54) is still visible after Laplace "
     "ε=1, nobody after Geometric ε=1; visible"),
    (30, 30.01, "30 of the 54 people who are one of a kind (55.6%) are still visible after Laplace "
     "ε=1 and Geometric ε=1; visible"),
    (0, 0, "Nobody who is one of a kind (0 of 54) is still visible after Laplace ε=1 and "),
])
def test_headline_says_how_many_and_ranks_no_ties(first: float, second: float, says: str) -> None:
    found = [shown(LAPLACE, first), shown(GEOMETRIC, second)]
    assert words.found_sentences(found, [])[0].startswith(says)


def test_headline_of_one_person_of_draws_and_of_the_other_rule() -> None:
    def headline(one: UniqueMatches) -> str:
        return words.found_sentences([one], [])[0]

    assert headline(shown(SWAP, 54, drawn=40)).startswith(
        "Everyone who is one of a kind (54 of 54) is in all 40 releases still visible after")
    assert headline(shown(LAPLACE, 1, 1)).startswith(
        "The one person who is one of a kind is still visible after")
    assert "is in 40% of releases still visible" in headline(shown(LAPLACE, 0.4, 1))
    assert "(nearly 100% of 9,999)" in headline(shown(LAPLACE, 9998.9, 9999))
    strict = headline(shown(LAPLACE, 20, rule="exactly-once"))
    assert "are shown exactly once after Laplace" in strict
    assert strict.endswith("; that does not yet mean identified.")


@pytest.mark.parametrize(("empty", "says"), [
    (3, "None of 3 releases has people in it."), (2, "1 of 3 releases has people in it."),
    (1, "2 of 3 releases have people in them."),
])
def test_empty_releases_in_good_grammar(empty: int, says: str) -> None:
    assert words.empty_sentence(LAPLACE, empty, 3) == f"Laplace ε=1: {says}"


def test_suppression_is_flattered_by_one_rule_and_not_by_the_other() -> None:
    one = sdc.mechanism("suppression", k=6)
    once, at_least = (unique_matches(one, SMALL, r) for r in ("exactly-once", "at-least-once"))
    assert (once.expected, at_least.expected) == (0, 4)
    text = words.suppression_sentence(SMALL, [once], [at_least])
    assert "hides 4 of the 4 unique people" in text
    assert "0 of them are matched, which looks perfect" in text
    # the one group of 6 or more has 7 of the 20 people
    assert "it is 4." in text and "7 people (35% of all)" in text
    assert words.suppression_sentence(SMALL, [unique_matches(LAPLACE, SMALL, "exactly-once")],
                                      [unique_matches(LAPLACE, SMALL, "at-least-once")]) == ""


def test_where_guessing_gains_nothing_no_method_is_named() -> None:
    """In both groups the same value is the most frequent, so a release adds nothing to it."""
    truth = table([[90, 10], [80, 20]], (2, 2))
    found = [risk(LAPLACE, truth, truth.counts[None, :],
                  Knowledge.of(truth.domain, ["a"], "b", "a"))]
    assert outsider_words.gain_sentence(found) == (
        "Guessing from a release is right no more often than always guessing the most common "
        "answer (85.0%).")
    assert outsider_words.nothing_gained(found, "by_group")
    other = table([[90, 10], [20, 80]], (2, 2))
    found = [risk(LAPLACE, other, other.counts[None, :],
                  Knowledge.of(other.domain, ["a"], "b", "a"))]
    assert "85.0% of people, always guessing the most common answer for 55.0%." in (
        outsider_words.gain_sentence(found))
    assert not outsider_words.nothing_gained(found, "by_group")


def test_sentences_say_the_numbers() -> None:
    found = [unique_matches(m, SMALL, "at-least-once") for m in (
        sdc.mechanism("laplace", epsilon=2.0), sdc.mechanism("suppression", k=6))]
    headline, more = words.found_sentences(found, [])
    assert headline.startswith(
        "Everyone who is one of a kind (4 of 4) is still visible after Suppression k=6, 2.79 (69.7%"
    )
    noise = words.found_sentences(found[:1], [])[0]
    assert noise.startswith("2.79 of the 4 people who are one of a kind")  # 4 (1 - ½ e^(-½))
    assert headline.endswith("after Laplace ε=2; visible does not yet mean identified.")
    assert "empty" in more
    nobody = table([4, 5], (2,))
    alone = [unique_matches(m, nobody, "at-least-once") for m in (LAPLACE, found[1].mechanism)]
    headline, more = words.found_sentences(alone, [], ["Age", "Place"])
    assert headline == "Nobody is one of a kind in this table, so nobody can be matched."
    assert "such as age or place, to see who stands out" in more
    assert "all features" in words.found_sentences(alone, [])[1]
    assert "Choose a method" in words.found_sentences([], [])[0]
    text = words.unique_group_sentence(found[0], SMALL, 0)
    # a0: two of its 8 people are alone, a1: two of 12
    assert text == (
        "2 of 12 people with “a1” are one of a kind (16.7%), but 2 of 8 with “a0” are (25%).")


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


def guessed(one: Mechanism, right: float, base: float, best: float = 0.9) -> Risk:
    return Risk(one, 40, 0, 100, 0.0, 0, 0.0, 0.0, right, base, best, (), ())


def test_bars_of_what_is_gained_share_a_scale_and_losses_have_none() -> None:
    """The longest bar there could be is from the lowest base to what the data itself would give:
    60 points. A loss has no bar; what rounds to nothing has no minus."""
    found = [guessed(LAPLACE, 0.7, 0.5), guessed(SWAP, 0.6, 0.3), guessed(GEOMETRIC, 0.4, 0.5),
             guessed(GAUSSIAN, 0.49999, 0.5)]
    _, gains = read_bars(risk_bars(found, ""))
    assert [row.text for row in gains.rows] == ["+20.0", "+30.0", "−10.0", "+0.0"]
    assert [row.length for row in gains.rows] == pytest.approx(
        [100 * 20 / 60, 100 * 30 / 60, 0, 0], abs=0.01)


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


PAGE = "../pages/reidentification.py"
USUAL = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]


def test_page_shows_the_answer() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    chosen = [sdc.mechanism("laplace"), sdc.mechanism("discrete-gaussian"),
              sdc.mechanism("dp-swapping"), sdc.mechanism("suppression", keep_zeros=True)]
    expected = sdc.ask(
        "reidentification", sdc.Study(sdc.load_dataset("ma2019-twin"), USUAL, 7, chosen))
    assert expected.headline in answer(app) and expected.more in answer(app)
    for panel in expected.panels:
        for text in (panel.title, panel.caption.strip(), *panel.prose):
            assert text in said(app)
    assert len(app.get("plotly_chart")) == 2
    assert {"r1", "r_rule", "r_tune", "r_known", "r_sensitive", "r_group"} <= set(link(app))
    app.multiselect(key="url.r_known").set_value([]).run()
    assert "Choose at least one thing the outsider knows." in said(app)
    assert "quasi" not in said(app) and link(app)["r_known"] == ""


def test_deep_link() -> None:
    wanted = {"r1": "permutation-swapping", "r1.swap_rate": "0.2", "r2": "none", "r3": "none",
              "r4": "suppression", "r4.k": "4", "r_rule": "exactly-once", "r_tune": "k",
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


def test_default_shows_what_p0_found(real_data: Callable[[str], sdc.Dataset]) -> None:
    real_data("ma2019")
    app = opened({"data": "ma2019"}, PAGE)
    assert not app.error and not app.warning
    captions = " ".join(c.value for c in app.caption)
    assert "P0" not in captions and "SDNist" not in captions
    assert "In Das et al. 2024 (Figure 5), DP swapping shows more than noise" in said(app)
    assert "Here DP swapping 25% hardly moves and shows more than Laplace" in said(app)
    assert "Discrete Gaussian shows fewer than Laplace" in said(app)
    assert "Everyone who is one of a kind (54 of 54) is" in answer(app)
    assert "about half (" in answer(app)

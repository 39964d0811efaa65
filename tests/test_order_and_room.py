"""In which order things are said and drawn, and whether there is room for them: sources and
controls as declared, best before worst, what changes most on top, rows high enough for names."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import sdc_core as sdc
from sdc_core.histogram import Histogram
from sdc_core.metrics import subgroups as metrics
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.questions import QUESTIONS
from sdc_core.questions.classification import figures as prediction
from sdc_core.questions.classification.words import group_sentence
from sdc_core.questions.compare.words import compare_sentences
from sdc_core.questions.frontier.figures import _error_axis
from sdc_core.questions.funding.captions import _idle
from sdc_core.questions.reidentification.words import _by_chance
from sdc_core.questions.subgroups.words import subgroup_sentences
from sdc_core.questions.theorems import words as theorems
from sdc_core.questions.told_apart import figures as told_apart
from sdc_core.questions.told_apart.compute import Place
from sdc_core.words.numbers import lowered, percent
from tests.test_question_classification import curve_of, errors, few_hurt, held_against, scored
from tests.test_question_funding import by_releases, town
from tests.test_question_reidentification import curve
from tests.test_question_subgroups import SCHOOL, TENTH, errors_of
from tests.test_question_theorems import FAILS, LITTLE
from tests.test_question_told_apart import AGAINST, LAPLACE, LEAVES, REFERENCE, one

EPSILON = next(p for p in sdc.mechanism("laplace").params() if p.name == "epsilon")


def test_questions_of_a_section_stand_together_and_none_is_a_section_of_its_own() -> None:
    sections = [q.section for q in QUESTIONS]
    apart = [s for i, s in enumerate(sections) if i == 0 or s != sections[i - 1]]
    assert len(apart) == len(set(apart))
    assert {s for s in apart if sections.count(s) == 1} == {"Yours"}  # where files are kept, too


def test_pages_are_called_as_the_readme_calls_them() -> None:
    readme = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| ([^|]+?) \| ", readme, flags=re.MULTILINE)
    assert not {q.title for q in QUESTIONS} - set(named)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.address)
def test_papers_are_listed_by_their_number_before_other_sources(question: Any) -> None:
    numbers = [re.search(r"\(P(\d)\)", source) for source in question.sources]
    known = [int(n[1]) if n else 99 for n in numbers]
    assert known == sorted(known)


# ---------------------------------------------------------------- Compare


def test_other_versions_of_a_method_follow_the_order_of_the_headline() -> None:
    """Hiding is off by least and swapping by most, each beside its noisy version."""
    table = Histogram.from_counts([3, 4, 90])
    exact = sdc.evaluate(sdc.mechanism("suppression"), table)
    swap = {"quasi_identifiers": ("cell",)}
    found = [
        dataclasses.replace(exact, mechanism=method, people_error=3 * off)
        for method, off in (
            (sdc.mechanism("dp-swapping", **swap), 5.0), (sdc.mechanism("dp-suppression"), 3.0),
            (sdc.mechanism("swapping", **swap), 9.0), (sdc.mechanism("suppression"), 1.0))
    ]
    _, more = compare_sentences(table, found, [exact.mechanism.guarantee(table)] * 4)
    assert [int(n) for n in re.findall(r"as well, and is off by (\d+) in all", more)] == [9, 15]


# ---------------------------------------------------------------- Prediction


def test_groups_that_change_most_are_drawn_first() -> None:
    """By 5, 30 and 10 points, whatever their number: up or down."""
    before = errors([500, 400, 300], [0.2, 0.5, 0.3])
    after = errors([500, 400, 300], [0.25, 0.2, 0.4])
    chart = prediction.group_errors(before, [after], [scored("laplace", 0.7)])
    assert chart is not None
    names = [note.text.split(",")[0] for note in chart.layout.annotations]
    assert names == ["group 1", "group 2", "group 0"]
    marks = next(t for t in chart.data if "markers" in (t.mode or "") and len(t.x) == 3
                 and any(t.x))
    assert sorted(np.round(marks.x, 6)) == [-30, 5, 10]


@pytest.mark.parametrize(("points", "marked"), [(1, True), (4, True), (5, False), (9, False)])
def test_few_points_of_a_line_are_marked(points: int, marked: bool) -> None:
    """A line of one point would be nothing to see."""
    made = curve_of([[0.7, 0.7]] * points, here=None, values=np.geomspace(0.1, 9, points).tolist())
    chart = prediction.accuracy_lines(EPSILON, [made], held_against())[0]
    (drawn,) = [t for t in chart.data if t.name and t.name.startswith("Add noise")]
    assert ("markers" in drawn.mode) == marked


@pytest.mark.parametrize(("more", "said"), [(0.04, "up to 1 person more"), (0.06, "2 people more")])
def test_one_person_more_is_one(more: float, said: str) -> None:
    one_method = [scored("laplace", 0.7)]
    before = errors([500, 30], [0.1, 0.1])
    assert round(more * 30) == int(re.findall(r"\d+", said)[0])
    assert said in group_sentence(before, [[]], one_method, [[few_hurt(more, 30)]])


# ---------------------------------------------------------------- Money


def test_methods_that_change_nothing_come_with_their_reason_first() -> None:
    """Of those that cannot change it the reason is given; of those that did not, none."""
    found = by_releases(town([4, 9], [8, 11]), [[4, 9]] * 2, [[12, 20]] * 2)
    (outcome,) = found.outcomes
    still = dataclasses.replace(outcome, unchanged=True, certain=True, untouched=True)
    other = dataclasses.replace(still, untouched=False, mechanism=sdc.mechanism("laplace"))
    unsure = dataclasses.replace(other, certain=False, mechanism=sdc.mechanism("suppression"))
    said = _idle(dataclasses.replace(found, outcomes=(unsure, other, still)), "renters")
    first, second, third = said.removesuffix(".").split(". ")
    assert "is altered" in first and outcome.mechanism.spoken() in first.lower()
    assert second.endswith("in any release") and "changed none of these numbers" in third


# ---------------------------------------------------------------- Subgroups


def turned(*slopes: tuple[float | None, ...]) -> list[metrics.MethodResult]:
    """Methods after which the lines of 8,000 men and 4,000 women have these slopes instead of 1;
    None where a release leaves no line."""
    names = ("laplace", "suppression", "geometric")
    (plain,) = errors_of(laplace=(4, 4))
    return [
        metrics.MethodResult(sdc.mechanism(name), "exact", tuple(
            dataclasses.replace(
                g, truth=1000 * g.truth, records=1000 * g.people, true_line=metrics.Line(1.0, 0.0),
                released_line=None if slope is None else metrics.Line(slope, 0.0))
            for g, slope in zip(plain.groups, found, strict=True)))
        for name, found in zip(names, slopes, strict=False)
    ]


@pytest.mark.parametrize(("slopes", "every"), [
    (((0.5, 0.9), (0.6, 0.95)), True),  # the men's most, the same way
    (((0.5, 0.9), (None, 0.95)), False),  # the second leaves the men no line
    (((0.5, 0.9), (1.6, 0.95)), False),  # the other way
    (((0.5, 0.9), (0.96, 0.7)), False),  # the women's most
    (((0.5, 0.9),), False),  # one method is not every method
])
def test_every_method_is_said_where_every_one_turns_the_same_line(
    slopes: Sequence[tuple[float | None, ...]], every: bool
) -> None:
    headline, _ = subgroup_sentences(turned(*slopes), TENTH, SCHOOL)
    assert ("every method" in headline.lower() or "both methods" in headline.lower()) == every


# ---------------------------------------------------------------- Told apart


def test_scores_are_drawn_where_they_are() -> None:
    """Ranges from 0 to 100, each at its middle; half of the records at 50, none at 0."""
    (chart,) = told_apart.score_charts([one(LAPLACE, 9, 0)], "tree")
    edges = told_apart.EDGES
    for trace in chart.data:
        np.testing.assert_allclose(trace.x, [(a + b) / 2 for a, b in itertools.pairwise(edges)])
        assert (trace.x[0], trace.x[-1]) == (100 - trace.x[-1], 100 - trace.x[0])
        assert trace.x[int(np.argmax(trace.y))] == pytest.approx(50, abs=edges[1])


def test_a_method_that_gives_nobody_away_has_no_column() -> None:
    found = told_apart.given_away([one(LAPLACE, 9, 0), one(LEAVES, 0, 0)], "tree")
    table = told_apart.given_away_table(found)
    assert [c for c in table.columns if c[:1].isdigit()] == [f"1. {LAPLACE.label()}"]
    swapped = told_apart.given_away([one(LEAVES, 0, 0), one(LAPLACE, 9, 0)], "tree")
    assert f"2. {LAPLACE.label()}" in told_apart.given_away_table(swapped)
    nobody = told_apart.given_away([one(LEAVES, 0, 0)], "tree")
    assert told_apart.given_away_table(nobody).empty


def test_where_a_copy_is_not_told_apart_there_is_no_multiple_of_it() -> None:
    none = dataclasses.replace(AGAINST, references={
        "tree": dataclasses.replace(REFERENCE, copy=0.0)})
    fresh = told_apart.summary_table([one(LAPLACE, 9, 0)], none).iloc[-1]
    assert fresh["pMSE, Decision tree"] == REFERENCE.fresh
    assert np.isnan(fresh["times a copy's, Decision tree"])
    usual = told_apart.summary_table([one(LAPLACE, 9, 0)], AGAINST).iloc[-1]
    assert usual["times a copy's, Decision tree"] == pytest.approx(3)


def in_places(*names: str) -> list[told_apart.ToldApart]:
    score = OverReleases(np.array([990.0, 992.0]))
    tables: Any = SimpleNamespace(places=tuple(Place(n, 40, score, score) for n in names))
    return [dataclasses.replace(one(LAPLACE, 9, 0), tables={2: tables})]


def test_rows_are_high_enough_for_the_lines_of_their_names() -> None:
    """12 letters in a line of 22, or 60 in three: 15 pixels a line at least, legend below."""
    heights = []
    for lines, name in ((1, "North Addams"), (3, "North Addams and all of the towns to the west")):
        (chart,) = told_apart.place_chart(in_places(*(f"{name} {i}" for i in range(10))), 2)
        assert {row.count("<br>") + 1 for row in chart.data[0].y} == {lines}
        assert chart.layout.height >= 10 * 15 * lines + 100 and chart.layout.legend.y < 0
        heights.append(chart.layout.height)
    assert heights[1] - heights[0] == 10 * 2 * 15


# ---------------------------------------------------------------- Theorems, who can be found


def test_what_fails_is_said_before_what_is_loose() -> None:
    _, more = theorems.theorem_sentences([FAILS, LITTLE])
    assert more.startswith("What fails is") and more.endswith("so it says little.")


@pytest.mark.parametrize("shares", [(0.3, 0.4), (0.3,), (0.47, 0.52)])
def test_how_many_are_shown_by_chance_alone(shares: tuple[float, ...]) -> None:
    methods = (sdc.mechanism("laplace"), sdc.mechanism("geometric"))
    shown = []
    for method, share in zip(methods, shares, strict=False):
        point = curve(method, (0.2, 0.3, 0.4)).points[0]
        shown.append(dataclasses.replace(
            point, expected=share * point.unique, made_up=share * point.empty))
    (said,) = _by_chance(shown)
    low, high = percent(min(shares), 0), percent(max(shares), 0)
    much = "about half" if min(shares) > 0.45 else low if low == high else f"{low} to {high}"
    assert f" show{'s' * (len(shares) == 1)} {much} of them, by chance." in said


def test_the_axis_of_errors_holds_the_smallest_and_the_largest() -> None:
    axis = _error_axis([0.02, 3.0, 40.0])
    assert 10 ** axis["range"][0] < 0.02 and 10 ** axis["range"][1] > 40.0
    assert min(axis["tickvals"]) <= 0.1 and max(axis["tickvals"]) >= 10
    assert 10 ** _error_axis([0.02, 0.5])["range"][1] > 1.0  # one person is always in sight


def test_old_links_number_the_methods_of_a_page() -> None:
    """They have letters of the page and the number of the method; links are out there."""
    for slots in (q.old_slots for q in QUESTIONS if q.old_slots):
        letters = slots[0].rstrip("1")
        assert slots == tuple(f"{letters}{n}" for n in range(1, len(slots) + 1))


def test_a_name_in_capitals_stays_in_a_sentence() -> None:
    assert [lowered(name) for name in ("Place", "IDs of people", "DP suppression", "X")] == [
        "place", "IDs of people", "DP suppression", "x"]

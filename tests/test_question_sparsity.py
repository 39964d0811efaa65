"""Sparse tables, as shown: lines, crossings and tables read back from charts, captions and
sentences. Expected values come from the methods' formulas on plain counts."""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

import sdc_core as sdc
from sdc_core.figures.contrast import ink
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.sparsity import (
    ErrorLine,
    Measure,
    Sparsity,
    crossing,
    crossing_by_epsilon,
    joined,
    marginals,
    sparsity,
)
from sdc_core.questions.answer import Answer
from sdc_core.questions.sparsity import figures, words
from sdc_core.questions.sparsity.words import added_caption
from tests.contract import Contract
from tests.hover import hover
from tests.marks import unmarked
from tests.page_driver import TWIN, answer, link, opened
from tests.shorthand import short, shortened

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=("m1", "m2", "m3", "m4"),
    controls=("z_measure",),
    columns={
        "sparsity": (
            "share empty", "empty groups", "this table", "<method>", "where people are, <method>",
            "in empty groups, <method>",
        ),
        "sparsity-epsilon": (
            "epsilon", "first is better from share", "to share", "kind", "crossing, empty groups",
        ),
        "sparsity-features": (
            "counted by", "features", "groups", "empty", "share empty", "<method>",
            "where people are, <method>", "in empty groups, <method>",
        ),
    },
)

PAGE = "../pages/sparsity.py"
FIVE = ("PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K")
GREY, BLUE, ORANGE = "#8A8F98", "#2B7BBA", "#E8871E"

# ---------------------------------------------------------------- a small table, read back in full

CUBE = np.array([  # by colour, shape and size
    [[1, 0, 4, 20], [0, 3, 0, 7]], [[2, 9, 0, 5], [0, 0, 6, 1]], [[0, 30, 0, 2], [8, 0, 3, 0]],
])
NAMES = {"colour": "rgb", "shape": "cs", "size": "1234"}  # values, one letter each
WHOLE = "systematic error"
NOISE = sdc.mechanism("laplace", postprocess="clip")  # ε = 1
HIDING = sdc.mechanism("suppression", keep_zeros=True)  # k = 6: 3 for 1 to 5
FILLING = sdc.mechanism("suppression", k=4)  # 2 for 0 to 3
THREE = (NOISE, HIDING, FILLING)


@pytest.fixture(autouse=True)
def in_one_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said, however long; that a long headline is divided is a test of its own."""
    monkeypatch.setattr(words, "_TWO_LINES", 1000)


def records(cube: NDArray[Any]) -> pd.DataFrame:
    rows = [
        [values[i] for values, i in zip(NAMES.values(), place, strict=True)]
        for place, people in np.ndenumerate(cube) for _ in range(int(people))
    ]
    return pd.DataFrame(rows, columns=list(NAMES))


DATA = sdc.load_dataset(records(CUBE))


@functools.cache
def asked(methods: tuple[Mechanism, ...] = THREE, features: tuple[str, ...] = tuple(NAMES),
          **controls: Any) -> Answer:
    study = sdc.Study(DATA, features, methods=methods, empty_groups="as-set")
    return shortened(sdc.ask("sparsity", study, **controls))


def off_by(method: Mechanism, counts: Any, measure: str = "l1_bias") -> NDArray[Any]:
    """What a count is off by, from the formulas: noise of scale b = 2/ε that is cut off at zero
    has bias b/2 e^(-x/b) and expected error b/2 (2 − e^(-x/b)); hidden counts become k/2."""
    x, settings = np.asarray(counts, dtype=float), method.settings()
    if method.name == "laplace":
        half, cut = 1 / settings["epsilon"], np.exp(-x * settings["epsilon"] / 2)
        return half * cut if measure == "l1_bias" else half * (2 - cut)
    hides = (x < settings["k"]) & ((x > 0) | (not settings["keep_zeros"]))
    return np.where(hides, np.abs(settings["k"] // 2 - x), 0.0)


def total(method: Mechanism, empty: float, measure: str = "l1_bias",
          counts: NDArray[Any] = CUBE) -> float:
    """The error with the people of the table and so many empty groups."""
    occupied = off_by(method, counts[counts > 0], measure).sum()
    return float(occupied + empty * off_by(method, 0, measure))


def columns_of(methods: tuple[Mechanism, ...]) -> list[str]:
    """All groups, those that have people, and empty ones."""
    return [
        f"{part}{i}. {m.label()}" for i, m in enumerate(methods, start=1)
        for part in ("", "where people are, ", "in empty groups, ")
    ]


def noisy(method: Mechanism) -> str:
    return f"{method.label()}, which adds noise to empty groups as well,"


def leaving(method: Mechanism) -> str:
    return f"{method.label()}, which leaves them at 0,"


def filling(method: Mechanism) -> str:
    return f"{method.label()}, which fills them in like small counts,"


def sparsity_sentences(*given: Any) -> tuple[str, str]:
    """What the page says, methods written short."""
    headline, more = words.sparsity_sentences(*given)
    return short(headline), short(more)


def marginals_caption(*given: Any) -> str:
    return short(words.marginals_caption(*given))


def beside(method: Mechanism, does: str) -> str:
    return f"{method.label()}, {does}"


PEOPLE, EMPTY = 14, 10  # groups with people in them, and empty ones


def crossing_at(noise: Mechanism, other: Mechanism) -> float:
    """The number of empty groups at which both systematic errors are equal."""
    return (total(other, 0) - total(noise, 0)) / float(off_by(noise, 0) - off_by(other, 0))


@pytest.mark.parametrize("measure", ["l1_bias", "l1_error"])
def test_each_line_is_the_methods_error_with_so_many_empty_groups(measure: str) -> None:
    shown = asked(z_measure=measure).panel("sparsity")
    (chart,) = shown.figures
    looks = ((BLUE, "solid"), (ORANGE, "dash"), (ORANGE, "dashdot"))
    for trace, method, look in zip(chart.data, THREE, looks, strict=False):
        assert trace.name.replace("<br>", " ") == method.plain_label()
        assert (trace.line.color, trace.line.dash) == look
        assert (trace.x[0], trace.x[-1]) == (0, 0.9)
        for i, (share, height) in enumerate(zip(trace.x, trace.y, strict=True)):
            empty = PEOPLE * share / (1 - share)
            assert height == pytest.approx(total(method, empty, measure))
            assert hover(trace, i) == (
                f"{method.plain_label()}<br>{share:.0%} empty ({round(empty):,} groups)<br>"
                f"{total(method, empty, measure):,.4g} people: {total(method, 0, measure):,.4g} in "
                "groups that have people, "
                f"{empty * float(off_by(method, 0, measure)):,.4g} in empty ones")
    title, unit = ("Systematic error, empty groups included", "‖bias‖₁, people")
    if measure == "l1_error":
        title, unit = "Error of a release, empty groups included", "E‖x̃ − x‖₁, people"
    assert title in chart.layout.title.text and unit in chart.layout.title.text
    assert chart.layout.xaxis.title.text == "share of groups that are empty"
    assert chart.layout.xaxis.tickformat == ".0%"


def test_marks_stand_at_this_table_and_the_ring_where_errors_are_equal() -> None:
    (chart,) = asked().panel("sparsity").figures
    here = EMPTY / (PEOPLE + EMPTY)
    vertical, *dots, ring = chart.data[3:]
    assert list(vertical.x) == [here, here] and vertical.line.color == GREY
    assert [(d.x[0], d.marker.color) for d in dots] == [
        (here, BLUE), (here, ORANGE), (here, ORANGE)]
    assert [d.y[0] for d in dots] == pytest.approx([total(m, EMPTY) for m in THREE])
    meets = crossing_at(NOISE, HIDING)
    share = meets / (PEOPLE + meets)
    assert ring.x[0] == pytest.approx(share)
    assert ring.y[0] == pytest.approx(total(NOISE, meets)) == pytest.approx(total(HIDING, meets))
    assert hover(ring, 0) == f"equal at {share:.1%} empty"
    notes = {n.text: (n.x, n.y) for n in chart.layout.annotations}
    assert notes == {
        "this table, 42%": (here, chart.layout.yaxis.range[1]),
        f"<b>equal at {share:.0%}</b>": (ring.x[0], ring.y[0]),
    }
    assert chart.layout.yaxis.range[0] == 0
    assert chart.layout.yaxis.range[1] > max(total(m, EMPTY) for m in THREE)
    (alone,) = asked((NOISE,)).panel("sparsity").figures  # its line, this table, its dot; no ring
    assert len(alone.data) == 3 and len(alone.layout.annotations) == 1


def test_the_table_of_empty_groups() -> None:
    shown = asked().panel("sparsity").table
    assert list(shown.columns) == ["share empty", "empty groups", "this table", *columns_of(THREE)]
    assert list(shown["share empty"]) == sorted([*(i / 10 for i in range(10)), 0.4167])
    (present,) = shown.index[shown["this table"] == "yes"]
    assert shown.loc[present, "empty groups"] == EMPTY
    for i, method in enumerate(THREE, start=1):
        for _, row in shown.iterrows():
            share = EMPTY / 24 if row["this table"] else row["share empty"]
            empty = PEOPLE * share / (1 - share)
            assert row["empty groups"] == pytest.approx(empty, abs=0.051)
            name = f"{i}. {method.label()}"
            assert row[name] == pytest.approx(total(method, empty))
            assert row[f"where people are, {name}"] == pytest.approx(total(method, 0))
            assert row[f"in empty groups, {name}"] == pytest.approx(
                empty * float(off_by(method, 0)), abs=1e-9)


def test_captions_say_what_is_kept_and_what_is_counted() -> None:
    assert asked().panel("sparsity").caption == (
        "The 14 groups with people in them stay as they are; empty groups are added or taken away. "
        "This table has 10 empty groups. Where a line starts, at the left, is the error among "
        "people; what it rises above that is in empty groups. Exact, not simulated."
    )
    assert asked().panel("sparsity-features").caption.startswith(
        "The same people counted by every combination of the chosen features")
    assert asked(features=("size",)).panel("sparsity-features").caption.startswith(
        "The same people counted by one feature, then one more at a time.")


def test_this_table_is_one_row_also_at_a_round_share() -> None:
    """One of five is empty: 20%."""
    found = sparsity([NOISE], sdc.Histogram.from_counts([5, 5, 5, 5, 0]), "l1_bias")
    shown = figures.added_zeros_table(found)
    assert len(shown) == 10
    assert shown[shown["share empty"] == 0.2][["empty groups", "this table"]].values.tolist() == [
        [1.0, "yes"]]


AS_WELL, AT_ZERO = "to empty ones as well", "which leaves those at 0"
FILLED = "which fills those in"


def test_the_headline_says_from_where_on_noise_is_worse_and_where_this_table_is() -> None:
    """What each method does to empty groups stands in the same sentence."""
    meets = crossing_at(NOISE, HIDING)
    assert meets < EMPTY
    share = f"{meets / (PEOPLE + meets):.0%}"
    assert asked().headline == (
        f"With 42% of groups empty, {beside(NOISE, AS_WELL)}, has more {WHOLE} than "
        f"{beside(HIDING, AT_ZERO)}; below {share} it would have less.")
    strong = NOISE.replace(epsilon=4.0)
    meets = crossing_at(strong, HIDING)
    assert meets > EMPTY
    assert asked((strong, HIDING)).headline.endswith(
        f"at 0; from {meets / (PEOPLE + meets):.0%} on it would have more.")
    assert f"{beside(strong, AS_WELL)}, has less" in asked((strong, HIDING)).headline
    assert asked((NOISE, HIDING), z_measure="l1_error").headline == (
        f"With 42% of groups empty, {beside(NOISE, AS_WELL)}, has more error of a release than "
        f"{beside(HIDING, AT_ZERO)}; so it would however few were.")


@pytest.mark.parametrize(("epsilon", "ahead"), [(0.6, True), (0.59, False)])
def test_where_both_change_empty_groups_that_is_said_first(epsilon: float, ahead: bool) -> None:
    """No verdict on noise against a method that leaves them at 0."""
    noise = NOISE.replace(epsilon=epsilon)
    meets = crossing_at(noise, FILLING)
    assert (meets < EMPTY) == ahead == (total(noise, EMPTY) < total(FILLING, EMPTY))
    found = asked((noise, FILLING))
    share = f"{meets / (PEOPLE + meets):.0%}"
    now, then = ("less", f"up to {share} it would have more") if ahead else (
        "more", f"above {share} it would have less")
    assert found.headline == (
        f"With 42% of groups empty, {beside(noise, AS_WELL)}, has {now} {WHOLE} than "
        f"{beside(FILLING, FILLED)}; {then}.")
    assert found.more.startswith(
        "Both methods change empty groups here, so this does not set noise against one that leaves "
        "them at 0. ")
    assert "Das, Tajeddine" not in found.more


def test_the_sidebar_decides_which_sentence_it_is() -> None:
    """The same two methods, empty groups left at 0 or treated like any other."""
    for setting, void in (("left", False), ("treated", True)):
        study = sdc.Study(DATA, tuple(NAMES), methods=(NOISE, HIDING), empty_groups=setting)
        found = sdc.ask("sparsity", study)
        assert ("Both methods change empty groups" in found.more) is void
        assert (AT_ZERO in found.headline) is not void and (FILLED in found.headline) is void


def test_more_tells_people_from_people_who_are_not_there() -> None:
    """Laplace's bias on this table is Σ e^(-εx/2)/ε over the people and 1/ε for each empty group;
    suppression's is 9 people."""
    assert total(HIDING, EMPTY) == 9
    grid = np.linspace(0.5, 3, 250_001)
    occupied = CUBE[CUBE > 0]
    sums = np.exp(-np.outer(grid, occupied) / 2).sum(axis=1) / grid + EMPTY / grid
    even = math.ceil(100 * grid[np.argmin(np.abs(sums - 9))]) / 100  # there it has less already
    one, other = NOISE.label(), HIDING.label()
    assert total(NOISE, EMPTY, "l1_error") > 9  # hiding's: one release is further off
    assert asked().more == (
        "Systematic error is what is left when many releases are averaged; in a single release, "
        f"{one} is further off than {other} on this table. Among people, in the 14 "
        "groups that have any, the systematic error is "
        f"{total(NOISE, 0):.2f} people under {one} and 9 people under {other}. Every empty group "
        f"adds 1 person under {one} and none under {other}. On average {one} puts 10 people into "
        f"the 10 groups that have nobody. On this table Laplace no negatives has less {WHOLE} than "
        f"{other} from ε = {even:.2f} on. A larger ε is a weaker promise."
    )


def test_people_are_put_into_empty_groups_only_where_they_are() -> None:
    """As drawn, noise goes below zero as often as above: nobody is put there on average, and the
    total error of empty groups is not people who are not there."""
    drawn = sdc.mechanism("laplace", postprocess="none")
    for measure in ("l1_bias", "l1_error"):
        said = asked((drawn, HIDING), z_measure=measure).more
        assert "puts" not in said
        assert (f"Every empty group adds none under {drawn.label()}" in said) == (
            measure == "l1_bias")
    full = sparsity([NOISE, HIDING], sdc.Histogram.from_counts([3, 9]), "l1_bias")  # none is empty
    assert "puts" not in sparsity_sentences(full, None)[1]
    lone = sparsity([NOISE, HIDING], sdc.Histogram.from_counts([3, 0]), "l1_bias")
    assert "in the one group that has any" in sparsity_sentences(lone, None)[1]
    assert "puts 1 person into the one group that has nobody" in sparsity_sentences(lone, None)[1]


def test_the_share_at_which_errors_are_equal_moves_with_epsilon() -> None:
    shown = asked().panel("sparsity-epsilon")
    (chart,) = shown.figures
    low, high, here, dot = chart.data
    assert (high.x[0], high.x[-1], len(high.x)) == (0.05, 20, 60)
    assert high.fill == "tonexty" and high.fillcolor == "rgba(43,123,186,0.14)"
    assert high.line.color == BLUE and high.name == "Add noise"
    for i, epsilon in enumerate(high.x):
        meets = crossing_at(NOISE.replace(epsilon=epsilon), HIDING)
        share = max(0.0, meets / (PEOPLE + meets))
        assert (low.y[i], high.y[i]) == (0, pytest.approx(share))
        where = (f"has less error up to {share:.0%} empty" if meets > 0
                 else "has less error nowhere")
        assert hover(high, i) == f"ε = {epsilon:.3g}: Add noise {where}"
    assert list(here.y) == [10 / 24, 10 / 24] and list(here.x) == [0.05, 20]
    assert (dot.x[0], dot.y[0], dot.marker.color) == (1.0, 10 / 24, BLUE)
    assert hover(dot, 0) == "this table at ε = 1: 42% empty"
    assert chart.layout.xaxis.type == "log"
    assert list(chart.layout.xaxis.range) == pytest.approx([math.log10(0.05), math.log10(20)])
    assert chart.layout.xaxis.title.text == "Privacy loss (ε)"
    assert "share of groups that are empty" in chart.layout.title.text
    assert shown.caption == (
        f"Shaded: Laplace no negatives has the smaller error. The dot is this table at the "
        f"present ε; {HIDING.label()} stays as it is and leaves empty groups at 0."
    )
    moved = asked((NOISE.replace(epsilon=3.0), HIDING)).panel("sparsity-epsilon").figures[0]
    assert moved.data[3].x[0] == 3.0


def test_no_dot_where_epsilon_is_beyond_the_chart() -> None:
    """The chart ends at ε = 20: there is no dot of this table for a larger one."""
    (chart,) = asked((NOISE.replace(epsilon=50.0), HIDING)).panel("sparsity-epsilon").figures
    assert len(chart.data) == 3


def test_where_noise_is_better_above_the_chart_says_from_where() -> None:
    (chart,) = asked((NOISE, FILLING)).panel("sparsity-epsilon").figures
    low, high = chart.data[:2]
    seen = set()
    for i, epsilon in enumerate(high.x):
        noise = NOISE.replace(epsilon=epsilon)
        ahead = total(noise, 0) < total(FILLING, 0)
        cheaper = float(off_by(noise, 0)) < 2
        if cheaper and not ahead:
            share = crossing_at(noise, FILLING) / (PEOPLE + crossing_at(noise, FILLING))
            assert (low.y[i], high.y[i]) == (pytest.approx(share), 1)
            assert hover(high, i).endswith(f"has less error from {share:.0%} empty on")
        else:
            assert (low.y[i], high.y[i]) == (0, 1 if ahead else 0)
        seen.add((cheaper, ahead))
    assert seen == {(False, False), (True, False), (True, True)}


def names_at_corners(methods: tuple[Mechanism, ...], cube: NDArray[Any] = CUBE) -> dict[str, Any]:
    study = sdc.Study(
        sdc.load_dataset(records(cube)), tuple(NAMES), methods=methods, empty_groups="as-set")
    (chart,) = sdc.ask("sparsity", study).panel("sparsity-epsilon").figures
    return {n.text: (n.x > 0.5, n.y > 0.5, n.font.color) for n in chart.layout.annotations}


def test_areas_bear_the_name_of_whoever_is_better_there() -> None:
    hiding = "Hide small counts<br>has less"
    assert names_at_corners((NOISE, HIDING)) == {
        "Add noise<br>has less": (True, False, BLUE), hiding: (False, True, ink(ORANGE))}
    unbiased = sdc.mechanism("laplace", postprocess="none")
    assert names_at_corners((unbiased, HIDING)) == {  # it is better everywhere
        "Add noise<br>has less": (True, False, BLUE)}
    large = CUBE + 6  # nothing to hide, nothing empty
    assert names_at_corners((NOISE, HIDING), large) == {hiding: (False, True, ink(ORANGE))}
    assert names_at_corners((unbiased, HIDING), large) == {}  # neither is off by anything


def test_the_table_along_epsilon() -> None:
    shown = asked().panel("sparsity-epsilon").table
    assert list(shown.columns) == ["epsilon", "first is better from share", "to share", "kind",
                                   "crossing, empty groups"]
    for row in shown.itertuples(index=False):
        meets = crossing_at(NOISE.replace(epsilon=row[0]), HIDING)
        assert row[1] == 0
        if meets > 0:
            assert row[2:] == (pytest.approx(meets / (PEOPLE + meets)), "worse-above",
                               pytest.approx(meets))
        else:
            assert row[2:4] == (0, "always-worse") and math.isnan(row[4])


def counted_by(names: tuple[str, ...]) -> NDArray[Any]:
    """The people by some of the features, by adding up the others."""
    others = tuple(i for i, name in enumerate(NAMES) if name not in names)
    return CUBE.sum(axis=others)


@pytest.mark.parametrize("measure", ["l1_bias", "l1_error"])
def test_tables_by_fewer_features_are_those_that_adding_up_gives(measure: str) -> None:
    shown = asked(z_measure=measure).panel("sparsity-features")
    sets = [s for n in (1, 2, 3) for s in itertools.combinations(NAMES, n)]
    table = shown.table
    assert list(table.columns) == [
        "counted by", "features", "groups", "empty", "share empty", *columns_of(THREE)]
    assert list(table["counted by"]) == [" × ".join(s) for s in sets]
    (chart,) = shown.figures
    for j, method in enumerate(THREE):
        marks, path = chart.data[2 * j : 2 * j + 2]
        colour = (BLUE, ORANGE, ORANGE)[j]
        assert marks.marker.color == path.marker.color == path.line.color == colour
        assert path.name.replace("<br>", " ") == method.plain_label()
        assert path.mode == "lines+markers"
        for i, names in enumerate(sets):
            counts = counted_by(names)
            empty = int((counts == 0).sum())
            error = total(method, empty, measure, counts)
            row = table.iloc[i]
            assert (row["features"], row["groups"], row["empty"]) == (
                len(names), counts.size, empty)
            assert row["share empty"] == pytest.approx(empty / counts.size)
            name = f"{j + 1}. {method.label()}"
            among = total(method, 0, measure, counts)
            assert row[name] == pytest.approx(error)
            assert row[f"where people are, {name}"] == pytest.approx(among)
            assert row[f"in empty groups, {name}"] == pytest.approx(error - among, abs=1e-9)
            assert (marks.x[i], marks.y[i]) == pytest.approx((empty / counts.size, error))
            assert hover(marks, i) == (
                f"{method.plain_label()}<br>{' × '.join(names)}<br>{empty:,} of {counts.size:,} "
                f"groups empty<br>{marks.y[i]:,.4g} people: {among:,.4g} in groups that have "
                f"people, {marks.y[i] - among:,.4g} in empty ones")
        steps = [counted_by(tuple(NAMES)[:n]) for n in (1, 2, 3)]
        assert list(path.y) == pytest.approx(
            [total(method, int((c == 0).sum()), measure, c) for c in steps])
    assert chart.layout.xaxis.title.text == "share of groups that are empty"
    title = "Systematic error" if measure == "l1_bias" else "Error of a release"
    title += ", empty groups included"
    assert title in chart.layout.title.text


def test_the_path_adds_features_in_the_readers_order() -> None:
    (chart,) = asked(features=("size", "colour", "shape")).panel("sparsity-features").figures
    path = chart.data[1]
    steps = [counted_by(n) for n in (("size",), ("size", "colour"), tuple(NAMES))]
    assert list(path.x) == pytest.approx([(c == 0).mean() for c in steps])
    assert hover(path, 1).split("<br>")[1] == "size × colour"
    names = {n.text: (n.x, n.y) for n in chart.layout.annotations}
    assert not (steps[0] == 0).any() and not (steps[1] == 0).any()  # no room for a second name
    assert list(names) == ["1 feature", "3 features"]
    for (x, y), counts in zip(names.values(), steps[::2], strict=True):
        empty = int((counts == 0).sum())
        assert x == pytest.approx(empty / counts.size)
        assert y == pytest.approx(max(total(m, empty, counts=counts) for m in THREE))


def test_the_caption_counts_in_how_many_tables_noise_is_worse() -> None:
    sets = [s for n in (1, 2, 3) for s in itertools.combinations(NAMES, n)]
    tables = [counted_by(s) for s in sets]
    gaps = [total(NOISE, (c == 0).sum(), counts=c) - total(HIDING, (c == 0).sum(), counts=c)
            for c in tables]
    shares = [float((c == 0).mean()) for c in tables]
    worse = [s for s, gap in zip(shares, gaps, strict=True) if gap > 0.005]
    better = [s for s, gap in zip(shares, gaps, strict=True) if gap < -0.005]
    even = 7 - len(worse) - len(better)
    assert worse and better and even
    alone = [total(NOISE, 0, counts=c) - total(HIDING, 0, counts=c) for c in tables]
    more, less = sum(g > 0.005 for g in alone), sum(g < -0.005 for g in alone)
    assert more and less and more + less < 7 and (more, less) != (len(worse), len(better))
    assert (
        f"Of the 7 tables, {noisy(NOISE)} has more {WHOLE} than {leaving(HIDING)} in "
        f"{len(worse)} ({np.mean(worse):.0%} empty on average), less in {len(better)} "
        f"({np.mean(better):.0%} empty on average) and practically as much in {even}. Among people "
        f"alone, in groups that have any, {NOISE.label()} has more than {HIDING.label()} in "
        f"{more}, less in {less} and practically as much in {7 - more - less}. The table by all "
        "features has 24 groups, 42% of them empty."
    ) in asked().panel("sparsity-features").caption


def test_shares_near_all_are_not_rounded_to_all() -> None:
    """201 people, all different in both features: all but 201 of 40,401 groups are empty."""
    everyone = pd.DataFrame({name: [f"{name}{i}" for i in range(201)] for name in "ab"})
    found = sdc.ask("sparsity", sdc.Study(
        sdc.load_dataset(everyone, {"columns": [{"name": "a"}, {"name": "b"}]}), ("a", "b"),
        methods=[NOISE, HIDING]))
    assert found.headline.startswith("With 99.5% of groups empty, ")
    (chart,) = found.panel("sparsity").figures
    assert chart.layout.annotations[0].text == "this table, 99.5%"
    assert "99.5% of them empty" in found.panel("sparsity-features").caption


# ---------------------------------------------------------------- what is chosen


def test_it_starts_with_the_methods_of_all_questions() -> None:
    found = sdc.ask("sparsity", sdc.Study(sdc.load_dataset("ma2019-twin")))
    usual = tuple(sdc.mechanism(name) for name in (
        "laplace", "discrete-gaussian", "dp-suppression", "suppression"))
    assert list(found.panel("sparsity").table.columns[3:]) == columns_of(usual)
    assert re.match(rf"With \d+% of groups empty, {usual[0].spoken()[:-8]}", found.headline)
    assert found.headline.count(usual[3].spoken()) == 1


def test_the_paper_is_named_only_where_its_comparison_is_shown() -> None:
    """Laplace without negatives against suppression that leaves zeros, systematic error, values as
    seen in the file; anything else is not what the paper's figure shows."""
    twin = sdc.load_dataset("ma2019-twin")
    preset = sdc.ask("sparsity", sdc.Study(twin), as_in="das-2023-figure-4")
    assert "Das, Tajeddine and Fioretto (Figure 4) found the same" in preset.more
    assert preset.provenance is not None
    assert (preset.provenance.empty_groups, preset.provenance.domain) == ("left", "observed")
    shown = preset.panel("sparsity").table
    two = (NOISE, sdc.mechanism("suppression"))
    assert list(shown.columns[3:]) == columns_of(two)
    first, last = shown.iloc[0], shown.iloc[-1]  # what the caption of the figure says, in numbers
    assert first[f"1. {NOISE.label()}"] < last[f"1. {NOISE.label()}"]
    assert first[f"2. {two[1].label()}"] == last[f"2. {two[1].label()}"]
    others: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({}, {}), ({"methods": two}, {}), ({"methods": two, "domain": "observed"},
                                           {"z_measure": "l1_error"}),
        ({"methods": two, "domain": "observed", "empty_groups": "treated"}, {}),
        ({"methods": two[::-1], "domain": "observed"}, {}),
    ]
    for study, controls in others:
        found = sdc.ask("sparsity", sdc.Study(twin, **study), **controls)
        assert "Das, Tajeddine" not in f"{found.headline} {found.more}"


def test_methods_that_do_not_fit_leave_the_rest_standing() -> None:
    swapping = sdc.mechanism("swapping", quasi_identifiers=("shape",))
    topdown = sdc.mechanism("topdown", geography="colour")
    alone = asked((swapping, topdown))
    assert alone.headline.startswith("Choose a method that treats every count by itself")
    assert [p.name for p in alone.panels] == ["sparsity-features"]
    (notice,) = alone.notices
    assert notice.tone == "quiet"
    assert notice.text.startswith("Not drawn as a line, since the table is treated as a whole ")
    assert notice.text.endswith(f": {swapping.spoken()} and {topdown.spoken()}.")
    assert "Where a line starts" not in notice.text
    caption = alone.panel("sparsity-features").caption
    assert f"{swapping.label()} needs features that some of these tables do not have" in caption
    assert "do not have, and is left out there." in caption
    assert f"Not drawn, since no exact error is known: {topdown.label()}." in caption
    both = asked((NOISE, swapping, swapping.replace(swap_rate=0.5)))
    assert "need features that some of these tables do not have, and are left out" in both.panel(
        "sparsity-features").caption
    marks = both.panel("sparsity-features").figures[0].data[2]
    assert [t.split("<br>")[0] for t in marks.text] == [
        "colour × shape", "shape × size", "colour × shape × size"]
    assert "Not drawn as a line" in both.panel("sparsity").caption
    nothing = asked(())
    assert nothing.headline.startswith("Choose a method") and not nothing.panels


def test_headlines_fit_two_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit, when it would be otherwise, is the first thing after them."""
    monkeypatch.undo()
    table = sdc.Histogram.from_counts([1, 1, 2, 4, 20, 0])
    headline, more = sparsity_sentences(sparsity([LAPLACE, SUPPRESSION], table, "l1_bias"), None)
    assert headline.endswith(f"{AT_ZERO}.") and more.startswith("From 46% on it would have more. ")
    for first, second in PAIRS:
        for measure in ("l1_bias", "l1_error"):
            for counts in ([100, 200], [1, 4, 9, 0, 0], [3, 3, 3, 0]):
                found = sparsity([first, second], sdc.Histogram.from_counts(counts), measure)
                headline = words.sparsity_sentences(found, None)[0]
                assert len(headline) <= 222, headline  # with an option in a name
                assert len(headline) <= 200 or "always hidden" in headline


def test_the_other_error_is_told_beside_the_one_that_is_shown() -> None:
    """Noise as drawn averages out however many groups are empty, and is 2/ε off in every one of
    them in every release: the first alone would make it look harmless."""
    drawn = sdc.mechanism("laplace", postprocess="none")
    found = asked((drawn, HIDING))
    assert found.headline.endswith("; so it would however many were.")
    assert found.more.startswith(
        "Systematic error is what is left when many releases are averaged; in a single release, "
        f"{drawn.label()} is further off than {HIDING.label()} on this table.")
    turned = asked((drawn, HIDING), z_measure="l1_error")
    assert turned.more.startswith(
        f"Of {WHOLE}, which is what is left when many releases are averaged, {drawn.label()} has "
        "less than ")
    sharp = NOISE.replace(epsilon=100.0)
    both = asked((sharp.replace(postprocess="round"), HIDING.replace(k=1)))
    assert ("Laplace ε=100 and Suppression k=1 are practically as far off on this table."
            ) in both.more


def test_what_nobody_can_see_is_no_number() -> None:
    """At ε = 100 an empty group costs 2e-13 people, and the lines meet where all but one group in
    trillions are empty: that is no `fewer than 100%`, which is always so."""
    sharp = sdc.mechanism("laplace", epsilon=100.0)
    found = asked((sharp, HIDING))
    said = f"{found.headline} {found.more}"
    assert "; so it would unless practically all were." in found.headline
    assert "100%" not in said and "e-" not in said
    assert f"Every empty group adds practically none under {sharp.label()} and none under" in said
    assert f"the systematic error is practically none under {sharp.label()} and 9 people" in said
    full = sparsity([NOISE, HIDING], sdc.Histogram.from_counts([3, 9]), "l1_bias")
    assert sparsity_sentences(full, None)[0].startswith("With no group empty, ")
    assert "This table has no empty group." in added_caption(full)
    lone = sparsity([NOISE, HIDING], sdc.Histogram.from_counts([3, 9, 0]), "l1_bias")
    assert "This table has 1 empty group." in added_caption(lone)


def test_a_method_on_two_cards_is_named_once() -> None:
    for one in (NOISE, HIDING):
        alone, twice = asked((one,)), asked((one, one))
        assert (alone.headline, alone.more) == (twice.headline, twice.more)


def test_tables_that_only_one_can_treat_are_not_counted_as_compared() -> None:
    """Swapping shapes needs shape and something else: three of the seven tables."""
    swapping = sdc.mechanism("swapping", quasi_identifiers=("shape",))
    caption = asked((NOISE, swapping)).panel("sparsity-features").caption
    assert re.search(r"(all 3 tables|Of the 3 tables) that have what both need", caption)
    assert "7 tables" not in caption


def test_where_no_error_is_exact_a_sentence_stands_for_the_chart() -> None:
    topdown = sdc.mechanism("topdown", geography="colour")
    panel = asked((topdown,)).panel("sparsity-features")
    assert panel.drawing is None and panel.table is None
    assert panel.caption == (
        f"No exact error is known for {topdown.label()}, so there is nothing to draw. Choose "
        "Laplace or Suppression, say.")


def test_without_a_pair_every_method_has_its_price() -> None:
    one = asked((HIDING, FILLING))
    assert one.headline == (
        f"To the {WHOLE}, every empty group adds none under {HIDING.label()} and 2 people "
        f"under {FILLING.label()}.")
    assert one.more.startswith("Choose a method that adds noise and one that hides small counts")
    epsilon = one.panel("sparsity-epsilon")
    assert epsilon.drawing is None and epsilon.table is None
    assert "Choose a method that adds noise" in epsilon.caption
    assert asked((NOISE,)).headline.endswith(f"adds 1 person under {NOISE.label()}.")


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        ((HIDING,), f"{HIDING.label()} leaves empty groups at 0, so empty groups cost nothing"),
        ((HIDING, HIDING.replace(k=9)), "Suppression k=9 both leave empty groups at 0, so"),
        ((HIDING, HIDING.replace(k=9), sdc.mechanism("dp-suppression", keep_zeros=True)),
         "all leave empty groups at 0, so"),
    ],
)
def test_where_all_leave_empty_groups_that_is_the_answer(
    methods: tuple[Mechanism, ...], said: str
) -> None:
    found = asked(methods)
    assert said in found.headline
    for measure in ("l1_bias", "l1_error"):
        table = asked(methods, z_measure=measure).panel("sparsity").table
        assert not table.filter(like="in empty groups").any().any()


def test_the_code_makes_the_answer_again(capsys: pytest.CaptureFixture[str]) -> None:
    study = sdc.Study(sdc.load_dataset("ma2019-twin"), ("SEX", "RAC1P"), methods=[NOISE, HIDING])
    found = sdc.ask("sparsity", study, z_measure="l1_error")
    exec(compile(found.code, "code", "exec"), {})  # noqa: S102 - the page offers it to be run
    assert capsys.readouterr().out.strip() == str(found).strip()
    with pytest.raises(sdc.InputError, match="z_measure must be one of l1_bias, l1_error"):
        sdc.ask("sparsity", study, z_measure="beauty")


# ---------------------------------------------------------------- sentences, from results by hand

TOY = sdc.Histogram.from_counts([0, 0, 1, 4, 20])
LAPLACE, SUPPRESSION = NOISE, HIDING
FULL = sdc.mechanism("suppression")  # fills zeros, at k = 6
DRAWN = sdc.mechanism("laplace", postprocess="none")  # no bias at all
PAIRS: list[tuple[Mechanism, Mechanism]] = [
    (sdc.mechanism("laplace", epsilon=e, postprocess=p), sdc.mechanism(
        "suppression", k=k, keep_zeros=kept))
    for e, p in ((0.3, "round"), (1.0, "clip"), (4.0, "round"), (2.0, "none"))
    for k, kept in ((3, True), (6, True), (6, False), (10, True))
] + [(sdc.mechanism("discrete-gaussian", epsilon=4.0), sdc.mechanism(
    "dp-suppression", variant="P2", keep_zeros=True, k=10))]


@pytest.mark.parametrize("seed", range(12))
def test_from_the_epsilon_that_is_said_on_noise_has_less(seed: int) -> None:
    """At the number as it is written, not only at the one before rounding."""
    rng = np.random.default_rng(seed)
    table = sdc.Histogram.from_counts(rng.poisson(3, 20))
    hiding = sdc.mechanism("suppression", k=int(rng.integers(3, 9)), keep_zeros=True)
    found = sparsity([LAPLACE, hiding], table, "l1_bias")
    text = sparsity_sentences(found, crossing_by_epsilon(found, table))[1]
    said = re.search(r"from ε = ([\d.]+) on\. A larger ε is a weaker promise\.", text)
    assert said is not None
    at = float(said[1])
    limit = sdc.evaluate(hiding, table).l1_bias
    assert sdc.evaluate(LAPLACE.replace(epsilon=at), table).l1_bias < limit
    before = at - (0.1 if at >= 10 else 0.01 if at >= 0.1 else 0.001)
    assert sdc.evaluate(LAPLACE.replace(epsilon=before), table).l1_bias >= limit


@pytest.mark.parametrize("empty", [86, 87, 88, 89])
def test_shares_that_are_set_against_each_other_differ_as_written(empty: int) -> None:
    """60 groups of people, ever so few or many empty ones around the crossing."""
    counts = [2] * 60
    # 60 groups of 2 hidden behind a 3, against 60 e^-ε / ε and 1 / ε an empty group: equal at z
    even = brentq(lambda e: 60 * e - 60 * math.exp(-e) - 87.3, 1, 3)
    one = LAPLACE.replace(epsilon=even, postprocess="clip")
    hiding = sdc.mechanism("suppression", k=6, keep_zeros=True)
    found = sparsity([one, hiding], sdc.Histogram.from_counts([*counts, *[0] * empty]),
                     "l1_bias")
    assert found.crossing is not None and abs(found.crossing.empty - 87.3) < 0.01
    headline, _ = sparsity_sentences(found, None)
    said = re.search(r"With ([\d.]+)% of .* has (\w+) .*; (below|from) ([\d.]+)% ", headline)
    assert said is not None
    here, now, where, share = said.groups()
    assert (float(here) < float(share)) == (empty < 87.3)
    assert (now, where) == (("less", "from") if empty < 87.3 else ("more", "below"))
    notes = " ".join(a.text for a in figures.added_zeros(found).layout.annotations)
    assert f"this table, {here}%" in notes and f"equal at {share}%" in notes


def test_sentences_say_which_side_this_table_is_on() -> None:
    dense, sparse = ([1, 1, 2, 4, 20] + [0] * n for n in (1, 50))
    for counts, now, turn in ((dense, "less", "from"), (sparse, "more", "below")):
        table = sdc.Histogram.from_counts(counts)
        found = sparsity([LAPLACE, SUPPRESSION], table, "l1_bias")
        assert found.crossing is not None
        headline, _ = sparsity_sentences(found, crossing_by_epsilon(found, table))
        assert f", {AS_WELL}, has {now} {WHOLE} than " in headline
        assert f"; {turn} {100 * found.crossing.share:.0f}% " in headline
        assert headline.startswith(f"With {100 * counts.count(0) / len(counts):.0f}% of groups")
    total = sparsity([LAPLACE, SUPPRESSION], sdc.Histogram.from_counts([100, 0]), "l1_error")
    assert "however few were" in sparsity_sentences(total, None)[0]
    assert "Choose a method that adds" in sparsity_sentences(sparsity([LAPLACE], TOY, "l1_bias"),
                                                             None)[1]
    assert "Choose a method" in sparsity_sentences(sparsity([], TOY, "l1_bias"), None)[0]


@pytest.mark.parametrize(
    ("first", "second"),
    [(LAPLACE, SUPPRESSION), (LAPLACE, FULL), (DRAWN, FULL), (DRAWN, SUPPRESSION)],
)
def test_whom_empty_groups_cost(first: Mechanism, second: Mechanism) -> None:
    _, more = sparsity_sentences(sparsity([first, second], TOY, "l1_bias"), None)
    for one in (first, second):
        free = sdc.evaluate(one, [0]).l1_bias == 0
        assert (f"none under {one.label()}" in more) == free
    assert ("Both methods change empty groups" in more) == (second == FULL)


@pytest.mark.parametrize("measure", ["l1_bias", "l1_error"])
@pytest.mark.parametrize("counts", [[100, 200], [100, 200, 0], [1, 4, 9, 0, 0], [3, 3, 3]])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_headline_and_caption_say_what_the_errors_on_this_table_say(
    counts: list[int], measure: Measure, first: Mechanism, second: Mechanism
) -> None:
    """Both are compared with the errors that evaluate gives for the very table."""
    table = sdc.Histogram.from_counts(counts)
    one, two = (getattr(sdc.evaluate(m, table), measure) for m in (first, second))
    headline = " ".join(sparsity_sentences(sparsity([first, second], table, measure), None))
    caption = marginals_caption(marginals([first, second], table, measure))
    same = abs(one - two) <= 0.005
    assert ("practically the same" in headline) == same
    assert ("practically the same" in caption) == same
    if not same:
        word = "more" if one > two else "less"
        assert re.search(rf"{re.escape(noisy(first))} has {word} [^.]* in this table\.", caption)
        assert re.search(rf"{re.escape(beside(first, AS_WELL))}, has {word} ", headline)
    elif "would have more" in headline:
        many = [*counts, *[0] * 10_000]
        errors = {m.label(): getattr(sdc.evaluate(m, many), measure) for m in (first, second)}
        assert f"{max(errors, key=lambda m: errors[m])} would have more" in headline


def test_the_caption_counts_tables_as_one_would() -> None:
    data = sdc.load_dataset("ma2019-twin")
    mixed = 0
    for pair in ([LAPLACE, FULL], [LAPLACE, SUPPRESSION], [DRAWN, SUPPRESSION]):
        for features in (1, 2, 5):
            found = marginals(pair, data.histogram(FIVE[:features]), "l1_bias")
            said = marginals_caption(found).split(" Among people alone")[0]
            gaps = [t.errors[0] - t.errors[1] for t in found.tables]  # type: ignore[operator]
            numbers = {
                "more": sum(g > 0.005 for g in gaps), "less": sum(g < -0.005 for g in gaps),
                "as much": sum(abs(g) <= 0.005 for g in gaps),
            }
            assert " 1 tables" not in said and " in 0" not in said
            if len(gaps) in numbers.values():
                assert "in this table" in said or f"in all {len(gaps)} tables" in said
                continue
            mixed += 1
            assert f"Of the {len(gaps)} tables, " in said
            said = said.replace(WHOLE, "error")
            for word, number in numbers.items():
                assert bool(re.search(rf"{word}(?: [^(]*)? in {number}\b", said)) == (number > 0)
    assert mixed >= 2


def test_figures_are_valid_plotly() -> None:
    table = sdc.load_dataset("ma2019-twin").histogram(FIVE)
    methods = [LAPLACE, sdc.mechanism("dp-suppression"), SUPPRESSION]
    found = sparsity(methods, table, "l1_bias")
    by_epsilon = crossing_by_epsilon(found, table)
    assert by_epsilon is not None
    charts = [
        figures.added_zeros(found), figures.crossing_chart(by_epsilon),
        figures.marginal_chart(joined([marginals([m], table, "l1_bias") for m in methods])),
        figures.added_zeros(sparsity([SUPPRESSION], sdc.Histogram.from_counts([9]), "l1_bias")),
    ]
    for chart in charts:
        assert len(go.Figure(chart.to_dict()).data) == len(chart.data) > 0


def test_the_papers_finding_on_the_real_massachusetts(
    real_data: Callable[[str], sdc.Dataset]
) -> None:
    """P2 Figure 4, from the records and the printed formulas alone: rounded Laplace noise has bias
    e^(-x/2) / (4 sinh ¼) at ε = 1."""
    data = real_data("ma2019")
    counts = data.records.groupby(list(FIVE), observed=True).size().to_numpy()
    noise = np.exp(-counts / 2) / (4 * math.sinh(0.25))
    hidden = np.abs(3 - counts[counts < 6]).sum()
    meets = (hidden - noise.sum()) * 4 * math.sinh(0.25)
    found = sdc.ask("sparsity", sdc.Study(data, FIVE))
    both = (f"{noise.sum():.0f} people under adding noise (ε = 1) and {hidden} people under hiding "
            "small counts (k = 6)")
    assert both in found.more
    share = f"{100 * meets / (meets + len(counts)):.0f}%"
    assert found.headline.endswith(f"; below {share} it would have less.")
    assert ", to empty ones as well, has more systematic error than " in found.headline


# ---------------------------------------------------------------- the page


def test_the_page_shows_the_answer() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    found = sdc.ask("sparsity", sdc.Study(sdc.load_dataset("ma2019-twin"), FIVE))
    assert found.headline in answer(app) and found.more in answer(app)
    said = unmarked(" ".join(c.value for c in [*app.caption, *app.markdown])).replace("\\", "")
    for panel in found.panels:
        assert panel.title in said and panel.caption in said
    assert {"m1", "m4", "empty", "z_measure"} <= set(link(app))
    assert link(app)["empty"] == "left" and link(app)["z_measure"] == "l1_bias"
    assert len(app.get("plotly_chart")) == 3


def test_deep_link_sets_methods_measure_and_features() -> None:
    wanted = {"m1.epsilon": "0.5", "m4.k": "11", "z_measure": "l1_error", "features": "SEX,RAC1P"}
    app = opened({**TWIN, **wanted}, PAGE)
    assert not app.error and not app.warning
    chosen = [sdc.mechanism("laplace", epsilon=0.5), sdc.mechanism("suppression", k=11)]
    study = sdc.Study(sdc.load_dataset("ma2019-twin"), ("SEX", "RAC1P"), methods=chosen)
    assert sdc.ask("sparsity", study, z_measure="l1_error").headline in answer(app)
    assert {k: v for k, v in link(app).items() if k in wanted} == wanted
    app.select_slider(key="url.m1.epsilon").set_value(4.0).run()
    assert not app.exception and link(app)["m1.epsilon"] == "4"


def test_a_page_without_lines_or_with_a_bad_link() -> None:
    wanted = {"m1": "swapping", "m2": "topdown", "m3": "none", "m4": "none"}
    app = opened({**TWIN, **wanted}, PAGE)
    assert "Choose a method that treats every count by itself" in answer(app)
    said = unmarked(" ".join(c.value for c in app.caption)).replace("\\", "")
    assert "swapping similar records (25%) and adding noise that adds up" in said
    assert "no exact error is known" in said
    bad = opened({**TWIN, "z_measure": "beauty"}, PAGE)
    assert any("beauty" in w.value for w in bad.warning)
    assert WHOLE in answer(bad)


def test_that_empty_groups_cost_nothing_is_not_said_of_a_method_that_is_not_drawn() -> None:
    """TopDown puts people into empty groups, though nobody knows how many each of them adds."""
    topdown = sdc.mechanism("topdown", geography="colour")
    table = DATA.histogram(list(NAMES))
    empty = table.counts == 0
    drawn = sdc.evaluate(topdown, table, repetitions=5)
    assert empty.any() and drawn.absolute_error[empty].sum() > 0
    assert asked((HIDING, topdown)).headline == (
        "Suppression k=6 leaves empty groups at 0, so empty groups cost it nothing, however many "
        "there are.")
    assert asked((HIDING,)).headline.endswith(
        "so empty groups cost nothing here, however many there are.")


def with_lines(*numbers: tuple[float, float], empty: int = 4) -> Sparsity:
    """Noise and hiding with these errors among people and in each empty group; six groups have
    people."""
    lines = tuple(ErrorLine(m, 6, occupied, each, 0.0, not each)
                  for m, (occupied, each) in zip((NOISE, HIDING), numbers, strict=True))
    return Sparsity("l1_bias", 6, empty, lines, (), (lines[0], lines[1]), crossing(*lines))


@pytest.mark.parametrize(("noise", "hiding", "said"), [
    # as much on this table; noise costs more or less in an empty group, or the same
    ((2.0, 0.5), (4.0, 0.0), f"With many more empty groups, {NOISE.label()} would have more."),
    ((4.0, 0.0), (2.0, 0.5), f"With many more empty groups, {HIDING.label()} would have more."),
    ((2.0, 0.5), (2.001, 0.5), "So they would however many groups were empty."),
    ((2.0, 0.9), (4.0, 0.0), ""),
])
def test_who_would_have_more_where_both_are_level(
    noise: tuple[float, float], hiding: tuple[float, float], said: str
) -> None:
    found = with_lines(noise, hiding)
    level = abs(noise[0] + 4 * noise[1] - hiding[0] - 4 * hiding[1]) < 0.005
    headline, more = sparsity_sentences(found, None)
    assert (", have practically the same systematic error." in headline) is level is bool(said)
    assert said in short(more) and ("would have more" in more) is (" would have more" in said)


@pytest.mark.parametrize(("noise", "hiding", "empty", "turns"), [
    ((2.0, 1.0), (4.0, 0.0), 1, "less systematic error than {}; from 25% on it would have more."),
    ((2.0, 1.0), (4.0, 0.0), 4, "more systematic error than {}; below 25% it would have less."),
    ((4.0, 0.0), (2.0, 1.0), 1, "more systematic error than {}; above 25% it would have less."),
    ((4.0, 0.0), (2.0, 1.0), 4, "less systematic error than {}; up to 25% it would have more."),
    ((2.0, 1.0), (3.0, 1.0), 4, "less systematic error than {}; so it would however many were."),
    ((3.0, 1.0), (2.0, 1.0), 4, "more systematic error than {}; so it would however few were."),
])
def test_which_side_of_the_crossing_a_table_is_on(
    noise: tuple[float, float], hiding: tuple[float, float], empty: int, turns: str
) -> None:
    """Six groups with people and two empty ones, a quarter, are where 2 + z and 4 meet."""
    headline, _ = sparsity_sentences(with_lines(noise, hiding, empty=empty), None)
    before, _, after = turns.partition("{}")
    assert f"has {before}" in headline and headline.endswith(after)
    now = noise[0] + empty * noise[1] - hiding[0] - empty * hiding[1]
    assert ("more" if now > 0 else "less") == before.split(" ")[0]


def test_from_which_epsilon_on_noise_has_less() -> None:
    """On this very table: checked at what is said and just below; and where no ε is enough."""
    table = DATA.histogram(list(NAMES))
    said = asked((NOISE, HIDING)).more
    told = re.search(r"On this table Laplace no negatives has less systematic error than (.*) from "
                     r"ε = (\S+) on\. A larger ε is a weaker promise\.", said)
    assert told is not None and told[1] == HIDING.label()
    at, gap = float(told[2]), {}
    for epsilon in (at - 0.02, at, at + 3):
        mine = NOISE.replace(epsilon=epsilon)
        gap[epsilon] = total(mine, (CUBE == 0).sum()) - total(HIDING, (CUBE == 0).sum())
    assert [g < 0 for g in gap.values()] == [False, True, True]
    exact = HIDING.replace(k=1)  # nothing is hidden, so nobody can have less
    never = sparsity([NOISE, exact], table, "l1_bias")
    _, more = sparsity_sentences(never, crossing_by_epsilon(never, table))
    assert "On this table no ε up to " in more and "has less" not in more


def test_alternative_texts_say_what_is_drawn() -> None:
    found = asked()
    lines, areas, marks = (found.panel(n) for n in (
        "sparsity", "sparsity-epsilon", "sparsity-features"))
    assert lines.alt == ("Error against the share of empty groups, one line a method. "
                         f"{found.headline}")
    assert areas.alt.startswith("Between which shares of empty groups the method that adds noise "
                                "has less error, by ε. Shaded: Laplace no negatives has the "
                                "smaller error.")
    assert marks.alt == (
        f"Error against the share of empty groups, one mark a table. {marks.caption}")
    assert "the line adds one at a time, in the order of the sidebar" in marks.caption

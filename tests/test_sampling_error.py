"""The survey's own error as a yardstick: against drawn samples, a loop over groups, and known
figures; and its sentence where a careless one would be false."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.metrics.sampling import Yardstick, design_effect, sampling_error, yardstick
from sdc_core.words.sampling import yardstick_sentence, yardstick_sentences
from tests import agreement

RealData = Callable[[str], sdc.Dataset]
FIVE = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]


def test_the_formula_is_the_spread_of_samples() -> None:
    """40,000 samples of 50 people from a population with these shares."""
    counts = np.array([2, 8, 40])
    drawn = np.random.default_rng(4).multinomial(50, counts / 50, size=40_000).astype(float)
    for cell in range(3):
        expected = sampling_error(counts)[cell] ** 2
        assert agreement.variance_agrees(drawn[:, cell], counts[cell], expected, reach=50)
    np.testing.assert_allclose(sampling_error(counts, 4.0), 2 * sampling_error(counts))


def test_the_design_effect_is_that_of_the_estimated_share() -> None:
    """Var of Σwy/Σw over that of the plain mean, for answers drawn independently of the weights."""
    weights = np.array([1.0, 1, 1, 5, 5, 9])
    share = weights / weights.sum()
    assert design_effect(weights) == pytest.approx((share**2).sum() / (1 / len(weights)))
    assert design_effect(np.full(7, 3.2)) == pytest.approx(1)
    for bad in (np.array([]), np.array([1.0, -1]), np.array([1.0, np.nan]), np.zeros(3)):
        with pytest.raises(sdc.InputError, match="weights"):
            design_effect(bad)


def test_known_figures_on_the_real_excerpt(real_data: RealData) -> None:
    """Laplace at ε = 1: 1.6 times the sampling error for groups of 1 to 5, .45 for 20 to 99, .20
    for 100 and more; the weights' design effect is 1.49."""
    data = real_data("ma2019")
    table = data.histogram(FIVE)
    found = sdc.evaluate(sdc.mechanism("laplace", epsilon=1.0), table)
    one = yardstick(table.counts, found.bias, found.variance)
    by_size = {s.title: s for s in one.sizes}
    assert by_size["groups of 1 to 5"].ratio == pytest.approx(1.6, abs=0.05)
    assert by_size["groups of 20 to 99"].ratio == pytest.approx(0.45, abs=0.005)
    assert by_size["groups of 100 or more"].ratio == pytest.approx(0.20, abs=0.005)
    assert sum(s.groups for s in one.sizes) == one.groups == np.count_nonzero(table.counts)
    deff = design_effect(data.records["PWGTP"].to_numpy(float))
    assert deff == pytest.approx(1.49, abs=0.005)
    weighted = yardstick(table.counts, found.bias, found.variance, deff)
    for plain, wider in zip(one.sizes, weighted.sizes, strict=True):
        assert wider.ratio == pytest.approx(plain.ratio / math.sqrt(deff))
    assert (weighted.smaller_from or 0) < (one.smaller_from or 0)


numbers = st.lists(
    st.tuples(st.integers(0, 150), st.floats(-4, 4), st.floats(0, 30)), min_size=1, max_size=25)


@given(numbers, st.sampled_from([1.0, 1.5]))
def test_against_a_loop_over_groups(cells: list[tuple[int, float, float]], deff: float) -> None:
    counts = np.array([c[0] for c in cells])
    bias, variance = np.array([c[1] for c in cells]), np.array([c[2] for c in cells])
    found = yardstick(counts, bias, variance, deff)
    total = counts.sum()
    ratios = []
    for x, b, v in cells:
        if x == 0:
            continue
        own, error = math.sqrt(deff * x * (1 - x / total)), math.sqrt(b**2 + v)
        ratios.append((x, error / own if own else (math.inf if error else 0.0)))
    assert found.groups == len(ratios) and found.smaller == sum(r < 1 for _, r in ratios)
    starts = [s for s in sorted({x for x, _ in ratios}) if all(r < 1 for x, r in ratios if x >= s)]
    assert found.smaller_from == (starts[0] if starts else None)
    below = [r for x, r in ratios if not starts or x < starts[0]]
    assert found.larger_below == all(r >= 1 for r in below)
    for low, high, title in ((1, 5, "groups of 1 to 5"), (6, 19, "groups of 6 to 19"),
                             (20, 99, "groups of 20 to 99"),
                             (100, 10**9, "groups of 100 or more")):
        inside = [r for x, r in ratios if low <= x <= high]
        shown = [s for s in found.sizes if s.title == title]
        assert len(shown) == bool(inside)  # no row for a size that no group has
        if inside:
            assert shown[0].groups == len(inside)
            assert shown[0].ratio == pytest.approx(statistics.median(inside))


def said(counts: list[int], error: list[float]) -> str:
    none = np.zeros(len(counts))
    return yardstick_sentence("Laplace", yardstick(np.array(counts), np.array(error), none))


@pytest.mark.parametrize(
    ("counts", "error", "sentence"),
    [
        ([4, 9, 100], [3.0, 1.0, 1.0], "is smaller than what the survey itself does not know, "
         "except for groups below 9 people."),
        ([4, 9, 100], [1.0, 1.0, 1.0], "is smaller than what the survey itself does not know, for "
         "groups of every size."),
        ([4, 9, 100], [0.0, 0.0, 0.0], "for groups of every size."),
        ([4, 9, 100], [3.0, 4.0, 30.0], "is not smaller than what the survey itself does not know, "
         "for groups of any size."),
        ([4, 9, 100], [1.0, 1.0, 30.0], "for 2 of 3 groups, but not for the largest."),
        ([4, 4, 9, 100], [1.0, 3.0, 1.0, 1.0], "for all groups of 9 or more people, and for some "
         "of the smaller ones."),
        ([0, 0], [5.0, 5.0], "No group has anybody in it"),
        ([7, 0], [0.5, 3.0], "is not smaller than"),  # all of the sample: its share is certain
        ([7, 0], [0.0, 3.0], "for groups of every size."),
    ],
)
def test_the_sentence_in_every_case(counts: list[int], error: list[float], sentence: str) -> None:
    assert sentence in said(counts, error)


def one(counts: list[int], error: list[float]) -> Yardstick:
    return yardstick(np.array(counts), np.array(error), np.zeros(len(counts)))


def test_methods_that_differ_in_the_size_alone_share_a_sentence() -> None:
    counts = [1, 4, 9, 100]
    near, far = one(counts, [2, 1, 1, 1]), one(counts, [2, 3, 1, 1])
    said = yardstick_sentences([("A", near), ("B", far), ("C", near)])
    assert said == ("Errors are smaller than what the survey itself does not know, except for "
                    "groups below 4 people when A and C and 9 when B.")
    always = one(counts, [0, 0, 0, 0])
    said = yardstick_sentences([("A", near), ("D", always), ("B", far)])
    assert "below 4 people when A and 9 when B. The error of D is smaller" in said
    assert said.endswith("for groups of every size.")
    alone = yardstick_sentences([("A", near), ("D", always)])
    assert alone == f"{yardstick_sentence('A', near)} {yardstick_sentence('D', always)}"
    assert yardstick_sentences([]) == ""


@pytest.mark.parametrize("address", ["compare", "map"])
def test_compare_and_map_say_how_errors_stand_beside_the_surveys_own(address: str) -> None:
    """Root mean squared errors by the formulas: Laplace without changes has variance 8/ε² and no
    bias; suppression publishes 3 for a count below 6. The weights' design effect is by hand."""
    data = sdc.load_dataset("ma2019-twin")
    noise = sdc.mechanism("laplace", epsilon=1.0, postprocess="none")
    hiding = sdc.mechanism("suppression", k=6)
    study = sdc.Study(data, ["PUMA", "RAC1P", "SEX"], methods=[noise, hiding])
    weights = data.records["PWGTP"].to_numpy(float)
    deff = len(weights) * (weights**2).sum() / weights.sum() ** 2
    x = study.table.counts[study.table.counts > 0].astype(float)
    own = np.sqrt(deff * x * (1 - x / x.sum()))
    errors = {noise: np.full(len(x), np.sqrt(8)), hiding: np.where(x < 6, np.abs(3 - x), 0.0)}
    found = sdc.ask(address, study)
    if address == "compare":
        panel = found.panel("sampling")
        (chart,) = panel.figures
        names = [note.text for note in sorted(chart.layout.annotations, key=lambda note: note.y)]
        titles = [name.split(" (")[0] for name in names]
        drawn = {trace.name: trace for trace in chart.data}
        bands = {"Groups of 1 to 5": (1, 5), "Groups of 6 to 19": (6, 19),
                 "Groups of 20 to 99": (20, 99), "Groups of 100 or more": (100, 10**9)}
        assert titles == [b for b, (low, high) in bands.items()
                          if ((x >= low) & (x <= high)).any()]
        assert set(drawn.pop("the survey's own error").x) == {1}
        assert [name.replace("<br>", " ") for name in drawn] == [m.plain_label() for m in errors]
        for row, title in enumerate(titles):
            low, high = bands[title]
            inside = (x >= low) & (x <= high)
            wanted = [float(np.median((e / own)[inside])) for e in errors.values()]
            assert [trace.x[row] for trace in drawn.values()] == pytest.approx(wanted)
            assert f"{int(inside.sum()):,} groups" in names[row]
        table = panel.table
        assert table is not None
        last = table.iloc[-1]
        big = x >= 100
        assert last["mechanism"] == hiding.label() and last["groups"] == int(big.sum())
        assert last.iloc[-1] == np.median((errors[hiding] / own)[big])
        text = panel.caption
    else:
        text = found.panel("map-view").caption
    for method, error in errors.items():
        larger = x[error >= own]
        size = int(x[x > larger.max()].min())
        assert (error[x < size] >= own[x < size]).all()  # else the sentence would be another one
        assert f"below {size} people when {method.spoken()}" in text or (
            f"{size} when {method.spoken()}" in text), (size, text)


def test_nothing_is_said_where_errors_are_estimated_or_the_data_are_no_known_sample() -> None:
    twin = sdc.load_dataset("ma2019-twin")
    noise = sdc.mechanism("laplace")
    drawn = sdc.ask("compare", sdc.Study(twin, ["SEX", "RAC1P"], methods=[noise]), simulate=True)
    assert "sampling" not in [p.name for p in drawn.panels]
    own = sdc.load_dataset(twin.records[["SEX", "RAC1P"]])
    found = sdc.ask("compare", sdc.Study(own, methods=[noise]))
    assert "sampling" not in [p.name for p in found.panels] and own.weight is None

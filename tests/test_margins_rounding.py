"""Rounding to multiples of a base so that totals still add up.

Proven here: by the exact law of all releases of small tables (every draw that can matter, each with
its weight, in fractions) each number comes out as one of its neighbours and is right on average;
tables of one and two variables, with subtotals in one of them, round so at random; where no table
of neighbours exists, as in a cube worked out by hand, the smallest deviation is found, and it is
the one that trying everything finds. Odds that lean, and a rounding of each number by itself, are
noticed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import sdc_core as sdc
from sdc_core.margins import rounding
from sdc_core.margins.rounding import controlled_rounding, round_two_way, rounding_moments
from sdc_core.margins.table import Axis, MarginTable

DEEP = Axis("h", "Place", ("t", "A", "B", "a", "b", "c", "d", "e"), tuple("tABabcde"),
            (-1, 0, 0, 1, 1, 2, 2, 2))


def flat(name: str, size: int) -> Axis:
    codes = [f"{name}{i}" for i in range(size)]
    return Axis.flat(name, name.upper(), codes, codes)


def table_of(axes: tuple[Axis, ...], inner: list[int]) -> MarginTable:
    return MarginTable.of_leaves(axes, [float(n) for n in inner])


class Listed:
    """Draws that are given instead of random."""

    def __init__(self, draws: tuple[float, ...]) -> None:
        self.draws = draws

    def random(self, number: int) -> np.ndarray:
        return np.array((*self.draws, *[0.5] * max(0, number - len(self.draws))))[:number]


def exact_law(
    make: Callable[[Listed], np.ndarray], base: int, steps: int
) -> dict[tuple[int, ...], Fraction]:
    """The chance of every release: what a draw decides are shares with denominators up to the base,
    so draws in the middle of equally many equal pieces stand for all."""
    pieces = math.lcm(*range(1, base + 1))
    law: dict[tuple[int, ...], Fraction] = {}
    for one in itertools.product(range(pieces), repeat=steps):
        found = make(Listed(tuple((i + 0.5) / pieces for i in one)))
        key = tuple(int(v) for v in found)
        law[key] = law.get(key, Fraction(0)) + Fraction(1, pieces**steps)
    return law


def two_by_two(matrix: np.ndarray, base: int) -> Callable[[Listed], np.ndarray]:
    return lambda rng: round_two_way(matrix, base, rng).ravel()  # type: ignore[arg-type]


def is_unbiased(law: dict[tuple[int, ...], Fraction], truth: np.ndarray) -> bool:
    return all(sum(p * cell[i] for cell, p in law.items()) == int(x) for i, x in enumerate(truth))


def neighbours(value: int, base: int) -> set[int]:
    return {value // base * base, -(-value // base) * base}


@pytest.mark.parametrize(("matrix", "base"), [
    ([[1, 2], [2, 1]], 3), ([[1, 1], [1, 1]], 3), ([[4, 0], [7, 5]], 3), ([[2, 3], [0, 4]], 3),
    ([[1, 1], [0, 1]], 2), ([[1, 3], [2, 2]], 4),
], ids=str)
def test_a_small_table_by_its_exact_law(matrix: list[list[int]], base: int) -> None:
    """With four numbers and their totals there are at most four cycles to settle."""
    truth = np.array(matrix)
    law = exact_law(two_by_two(truth, base), base, 4)
    assert sum(law.values()) == 1 and is_unbiased(law, truth.ravel())
    for cells in law:
        released = np.array(cells).reshape(2, 2)
        for axis in (0, 1, None):
            for new, old in zip(np.atleast_1d(released.sum(axis=axis)),
                                np.atleast_1d(truth.sum(axis=axis)), strict=True):
                assert int(new) in neighbours(int(old), base)
        for new, old in zip(cells, truth.ravel(), strict=True):
            assert new in neighbours(int(old), base)


def test_odds_that_lean_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with the further way taken more often."""
    truth = np.array([[4, 0], [7, 5]])
    right = rounding._go_around

    def leaning(cycle: list[tuple[int, int]], rest: list[int], base: int, chance: float) -> None:
        right(cycle, rest, base, 1 - chance if chance < 0.5 else 0.99 - chance / 2)

    monkeypatch.setattr(rounding, "_go_around", leaning)
    assert not is_unbiased(exact_law(two_by_two(truth, 3), 3, 4), truth.ravel())


@pytest.mark.parametrize("axes", [
    (flat("a", 5),), (DEEP,), (flat("a", 1),), (flat("a", 4), flat("b", 3)), (DEEP, flat("b", 3)),
    (flat("b", 3), DEEP), (flat("o", 1), DEEP, flat("b", 2)), (flat("o", 1), flat("p", 1)),
], ids=lambda axes: "x".join(str(len(a)) for a in axes))
@pytest.mark.parametrize("base", [2, 3, 10])
def test_a_network_is_rounded_at_random_and_right_on_average(
    axes: tuple[Axis, ...], base: int
) -> None:
    rng = np.random.default_rng(base)
    releases, rounds = 1000, 1
    for _ in range(rounds):
        inner = rng.integers(0, 40, math.prod(len(a.leaves) for a in axes))
        table = table_of(axes, inner.tolist())
        found = [controlled_rounding(table, base, rng) for _ in range(releases)]
        assert all(one.unbiased and one.beyond == 0 for one in found)
        values = np.stack([one.table.values for one in found])  # which add up, or are no table
        assert not np.mod(values, base).any()
        assert (np.abs(values - table.values) < base).all()
        expected = rounding_moments(table.values, base)
        se = np.sqrt(expected.variance / releases)
        assert (np.abs(values.mean(axis=0) - table.values) <= 5 * se).all()
        np.testing.assert_allclose(
            np.abs(values - table.values).mean(axis=0), expected.absolute,
            atol=5 * base / 2 / math.sqrt(releases))


def test_moments_are_those_of_the_two_neighbours() -> None:
    for base in (2, 3, 5, 17):
        for x in range(-7, 40):
            low, high = x // base * base, x // base * base + base
            up = Fraction(x - low, base)
            mean = (1 - up) * low + up * high
            variance = (1 - up) * (low - mean) ** 2 + up * (high - mean) ** 2
            absolute = (1 - up) * abs(low - x) + up * abs(high - x)
            found = rounding_moments(np.array([float(x)]), base)
            assert mean == x and found.bias[0] == 0
            assert found.variance[0] == float(variance)
            assert found.absolute[0] == pytest.approx(float(absolute), rel=1e-14)


def test_ten_thousand_numbers_add_up() -> None:
    """100 × 100: every number and every total is a neighbour, in no direction more often."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 30, (100, 100))
    found = round_two_way(truth, 5, rng)
    assert not (found % 5).any() and (np.abs(found - truth) < 5).all()
    for axis in (0, 1, None):
        assert (np.abs(found.sum(axis=axis) - truth.sum(axis=axis)) < 5).all()
    each = rounding_moments(truth.astype(float), 5)
    off = np.abs(found - truth).sum() - each.absolute.sum()
    assert abs(off) < 5 * math.sqrt(each.variance.sum())


def test_each_by_itself_does_not_add_up() -> None:
    """Independent rounding is right on average too, but its totals are no neighbours of the true
    ones: so the test above could fail."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 30, (100, 100))
    alone = truth - truth % 5 + 5 * (rng.random(truth.shape) < truth % 5 / 5)
    assert (np.abs(alone.sum(axis=0) - truth.sum(axis=0)) >= 5).any()


# ---- where no such table may exist ------------------------------------------------------------

# Two values in each of three variables; one where an even number of second values meet. Each pair
# of values in two variables holds one, each single value two, all four: with base 2 the twos and
# the four stay, but any one of the four ones that becomes 2 takes the place of the three others,
# and then the opposite value has none left.
CUBE = [1, 0, 0, 1, 0, 1, 1, 0]


def least_deviation(table: MarginTable, base: int, beyond: int) -> float:
    """By trying all inner cells; infinity if none fits."""
    low = np.floor(table.values / base)
    top = np.where(low * base == table.values, low, low + 1) + beyond
    low = np.maximum(low - beyond, 0)
    ranges = [range(int(low[c]), int(top[c]) + 1) for c in table.inner]
    best = math.inf
    for one in itertools.product(*ranges):
        values = MarginTable.of_leaves(table.axes, one).values
        if ((values >= low) & (values <= top)).all():
            best = min(best, float(np.abs(values * base - table.values).sum()))
    return best


def test_a_cube_that_no_neighbours_fit() -> None:
    table = table_of((flat("a", 2), flat("b", 2), flat("c", 2)), CUBE)
    assert least_deviation(table, 2, 0) == math.inf
    found = controlled_rounding(table, 2, np.random.default_rng(1))
    assert found.beyond == 1 and found.nearest and not found.unbiased
    assert np.abs(found.table.values - table.values).sum() == least_deviation(table, 2, 1)


@pytest.mark.parametrize("inner", [
    [1, 0, 0, 1, 1, 0, 1, 1], [0, 1, 0, 1, 1, 1, 1, 0], [0, 1, 1, 0, 1, 0, 0, 0]], ids=str)
def test_no_people_below_zero(inner: list[int]) -> None:
    """Cubes in which a number of -2 would be as near as any."""
    table = table_of((flat("a", 2), flat("b", 2), flat("c", 2)), inner)
    found = controlled_rounding(table, 2, np.random.default_rng(1))
    assert found.beyond == 1 and found.table.values.min() >= 0
    assert np.abs(found.table.values - table.values).sum() == least_deviation(table, 2, 1)


@pytest.mark.parametrize("seed", range(12))
def test_cubes_come_out_as_near_as_trying_everything(seed: int) -> None:
    rng = np.random.default_rng(seed)
    base = int(rng.integers(2, 6))
    table = table_of((flat("a", 2), flat("b", 2), flat("c", 2)), rng.integers(0, 9, 8).tolist())
    found = controlled_rounding(table, base, rng)
    assert found.nearest and not found.unbiased and not np.mod(found.table.values, base).any()
    if found.beyond == 0:
        off = np.abs(found.table.values - table.values)
        assert (off < base).all()
        assert off.sum() == pytest.approx(least_deviation(table, base, 0), abs=1e-6)
    else:
        assert least_deviation(table, base, 0) == math.inf


def test_two_hierarchies_are_searched_and_said_to_be_fixed() -> None:
    other = Axis("g", "Trade", DEEP.codes, DEEP.labels, DEEP.parents)
    inner = np.random.default_rng(3).integers(0, 30, 25).tolist()
    table = table_of((DEEP, other), inner)
    one, two = (controlled_rounding(table, 5, np.random.default_rng(s)) for s in (1, 2))
    assert not one.unbiased and not np.mod(one.table.values, 5).any()
    np.testing.assert_array_equal(one.table.values, two.table.values)
    assert (np.abs(one.table.values - table.values) < 5 * (1 + one.beyond)).all()


def test_refusals_are_one_sentence() -> None:
    table = MarginTable.of_leaves((flat("a", 2),), [1.5, 2.0], [1, 1], "tons")
    with pytest.raises(sdc.InputError, match=r"Only whole numbers .* is 3\.5"):
        controlled_rounding(table, 5, np.random.default_rng(1))
    for base in (1, 0, -3, 2.5):
        with pytest.raises(sdc.InputError, match="base must be a whole number and at least 2"):
            controlled_rounding(table_of((flat("a", 2),), [1, 2]), base,  # type: ignore[arg-type]
                                np.random.default_rng(1))


def test_multiples_and_empty_tables_stay() -> None:
    for inner in ([0, 0, 0, 0], [5, 10, 0, 15]):
        table = table_of((flat("a", 2), flat("b", 2)), inner)
        found = controlled_rounding(table, 5, np.random.default_rng(1))
        np.testing.assert_array_equal(found.table.values, table.values)

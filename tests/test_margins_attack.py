"""What an attacker learns is exactly what all tables that fit have in common."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from sdc_core.errors import InputError
from sdc_core.margins.attack import Known, by_subtraction, intervals
from sdc_core.margins.table import Axis, Bools, Floats, MarginTable, with_totals
from tests.margin_attacks import attacked, axis, some_table


def some_hidden(table: MarginTable, seed: int) -> Bools:
    rng = np.random.default_rng([seed, 2])
    return np.asarray(rng.random(len(table)) < rng.choice([0.3, 0.5, 0.8]))


def off(found: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> bool:
    return not all(np.allclose(a, b, rtol=1e-6, atol=1e-6) for a, b in zip(
        found, other, strict=True))


@pytest.mark.parametrize("tens", range(15))
def test_intervals_are_those_of_programs_from_scratch(tens: int) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        table = some_table(seed)
        hidden = some_hidden(table, seed)
        assert not off(intervals(table, hidden), attacked(table, hidden, hidden)), seed
        most = float(table.values.max())
        known = Known(-2.0, most)
        if seed % 3 == 0:
            assert not off(intervals(table, hidden, known),
                           attacked(table, hidden, hidden, -2.0, most)), seed


def test_an_attack_that_forgets_a_sum_is_found_out() -> None:
    """The comparison above has teeth: without one of the sums
    with unknowns the engine gives other intervals."""
    differs = 0
    for seed in range(40):
        table = some_table(seed)
        hidden = some_hidden(table, seed)
        truth = attacked(table, hidden, hidden)
        used = np.flatnonzero(np.abs(table.sums) @ hidden > 1)
        table.__dict__["sums"] = table.sums[np.setdiff1d(
            np.arange(table.sums.shape[0]), used[:1])]
        differs += off(intervals(table, hidden), truth)
    assert differs >= 5  # many sums follow from the others


@pytest.mark.parametrize("seed", range(12))
def test_in_a_network_every_end_is_that_of_a_table_of_whole_numbers(seed: int) -> None:
    """All tables of as many people are gone through, and those that fit are kept."""
    rng = np.random.default_rng(seed)
    axes = (axis("a", 4, True), axis("b", 2, False)) if seed % 2 else (
        axis("a", 2, False), axis("b", 3, False))
    cells, people = (8, 6) if seed % 2 else (6, 8)
    table = MarginTable.of_leaves(axes, rng.multinomial(people, np.ones(cells) / cells))
    hidden = some_hidden(table, seed)
    hidden[0] = False
    everyone = with_totals(axes, np.array([
        np.bincount(where, minlength=cells)
        for where in itertools.combinations_with_replacement(range(cells), people)], dtype=float))
    fits = everyone[(everyone[:, ~hidden] == table.values[~hidden]).all(axis=1)]
    low, high = intervals(table, hidden)
    assert low.tolist() == fits.min(axis=0).tolist()
    assert high.tolist() == fits.max(axis=0).tolist()


def published() -> tuple[MarginTable, dict[str, int], Bools]:
    """The table in the tests of the R package sdcTable (version 0.32, test-simpleheuristic.R): two
    numbers are hidden in every row and column or more, and still one is known."""
    table = MarginTable.of_leaves(
        (Axis.flat("v1", "V1", "wxyz", "wxyz"), Axis.flat("v2", "V2", "abcd", "abcd")),
        [30, 47, 64, 89, 90, 124, 5, 31, 92, 100, 59, 85, 800, 991, 651, 685])
    cells = {"".join(table.codes(i)): i for i in range(len(table))}
    hidden = np.zeros(len(table), dtype=np.bool_)
    hidden[[cells[name] for name in ("wa", "wb", "wc", "xa", "xc", "yb", "yd", "zb", "zd")]] = True
    return table, cells, hidden


def test_a_published_table_in_which_subtraction_finds_nothing_and_programs_do() -> None:
    table, cells, hidden = published()
    assert not by_subtraction(table, hidden).any()
    low, high = intervals(table, hidden)
    assert low[cells["wb"]] == high[cells["wb"]] == 47
    hidden[cells["xb"]] = True  # what that package hides besides; it then says 0 to 141
    low, high = intervals(table, hidden)
    assert (low[cells["wb"]], high[cells["wb"]]) == (0, 141)


@pytest.mark.parametrize("seed", range(30))
def test_subtraction_goes_on_until_every_sum_has_two_unknowns(seed: int) -> None:
    table = some_table(seed)
    hidden = some_hidden(table, seed)
    found = by_subtraction(table, hidden)
    assert not (found & ~hidden).any()
    left = hidden & ~found
    sums = np.abs(table.sums.toarray())
    assert not (sums @ left == 1).any()
    low, high = intervals(table, hidden)
    assert np.allclose(low[found], table.values[found]) and np.allclose(
        high[found], table.values[found])
    # in some order each is the only unknown of a sum
    unknown = hidden.copy()
    while (unknown & found).any():
        single = sums[sums @ unknown == 1].any(axis=0) & unknown
        assert single.any()
        unknown &= ~single


def test_numbers_of_very_different_size() -> None:
    """In a hidden square all numbers change by as much, until one of those that go down is 0."""
    axes = (axis("a", 3, False), axis("b", 3, False))
    inner = np.array([3, 2.5e9, 7, 4e9, 1.25, 8, 5, 6, 7e11])
    table = MarginTable.of_leaves(axes, inner, np.ones(9), "turnover")
    hidden = np.zeros(len(table), dtype=np.bool_)
    square = table.inner[[0, 1, 3, 4]]
    hidden[square] = True
    low, high = intervals(table, hidden)
    assert low[square] == pytest.approx([1.75, 0, 1.5e9, 0], rel=1e-6, abs=1e-6)
    assert high[square] == pytest.approx(
        [2.5e9 + 3, 2.5e9 + 1.25, 4e9 + 1.25, 2.5e9 + 1.25], rel=1e-12)


def test_what_nothing_limits_is_endless() -> None:
    table = MarginTable.of_leaves((axis("a", 3, False),), [2, 3, 4])
    hidden = np.ones(4, dtype=np.bool_)
    low, high = intervals(table, hidden)
    assert low.tolist() == [0] * 4 and high.tolist() == [math.inf] * 4
    low, high = intervals(table, hidden, Known(1, 20))
    assert low.tolist() == [3, 1, 1, 1] and high.tolist() == [20, 18, 18, 18]
    hidden[0] = False
    low, high = intervals(table, hidden, Known(-math.inf, math.inf))
    assert (low[1:] == -math.inf).all() and (high[1:] == math.inf).all()
    lonely = MarginTable.of_leaves((Axis.flat("x", "X", ("x",), ("x",)),), [5])
    assert intervals(lonely, np.ones(1, dtype=np.bool_)) == ([0], [math.inf])
    low, high = intervals(table, np.zeros(4, dtype=np.bool_))
    assert low.tolist() == high.tolist() == table.values.tolist()


def test_a_hidden_number_that_nobody_expects() -> None:
    table = MarginTable.of_leaves((axis("a", 3, False),), [-2, 3, 4], np.ones(3), "profit")
    hidden = np.array([False, True, True, False])
    with pytest.raises(InputError, match=r"a1 is -2, .* from 0 to inf\. State what is known"):
        intervals(table, hidden)
    assert intervals(table, hidden, Known(-5)).low.tolist() == [5, -5, -5, 4]


def test_progress_rises_to_one_and_may_end_the_work() -> None:
    table, _, hidden = published()
    told: list[float] = []
    intervals(table, hidden, progress=told.append)
    assert told == sorted(told) and told[-1] == 1.0 and len(told) > 2

    def enough(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        intervals(table, hidden, progress=enough)

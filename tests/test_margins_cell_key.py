"""The cell key method: laws, keys and what they do to a table.

Proven here: every row of a lottery has mean 0, the wanted variance (or the nearest possible one, by
linear programming), no forbidden result, and is the most even such law, by its form and by a
general optimizer; it agrees with values that the R package ptable prints; sums of keys are exact
and the same cell has the same shift wherever it stands; shifts that are drawn agree with the
lottery by a chi-square test that rejects a variance that is 20% off.

Published: T. Enderle, vignette "Introduction to the ptable-Package" (CRAN, ptable 1.0.0),
`create_cnt_ptable(D = 2, V = 1)`; Ø. Langsrud, `Pmatrix` (experimentalRpackage), which prints the
rows of a ptable with D = 2, js = 0 at the largest variance, rounded.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog, minimize

import sdc_core as sdc
from sdc_core.margins.cell_key import (
    KEYS,
    PTable,
    agreement,
    by_cell_key,
    drawn_keys,
    keys_of_cells,
    most_even,
    record_keys,
)
from sdc_core.margins.table import Axis, MarginTable

SETTINGS = [(1, 0.5, 0), (2, 1.0, 0), (2, 2.0, 0), (2, 1.05, 1), (3, 2.0, 1), (5, 3.0, 2),
            (5, 3.0, 0), (8, 3.0, 2), (4, 0.3, 3), (2, 1.0, 4), (10, 40.0, 0)]
AXES = (Axis.flat("a", "A", "abc", "abc"), Axis.flat("b", "B", "xy", "xy"))


def entropy(law: np.ndarray) -> float:
    held = law[law > 0]
    return float(-(held * np.log(held)).sum())


def variance_ends(shifts: np.ndarray) -> tuple[float, float]:
    """The least and the largest variance of a law with mean 0 on these shifts."""
    sums, right = np.stack([np.ones_like(shifts), shifts]), [1.0, 0.0]
    low, high = (linprog(sign * shifts**2, A_eq=sums, b_eq=right).fun * sign for sign in (1, -1))
    return float(low), float(high)


@pytest.mark.parametrize(("spread", "variance", "least"), SETTINGS)
def test_every_row_keeps_its_conditions(spread: int, variance: float, least: int) -> None:
    lottery = PTable(spread, variance, least)
    assert lottery.chances[0, lottery.reach] == 1, "nobody is shifted to where nobody is"
    for count in range(1, lottery.alike_from + 4):
        row = lottery.chances[lottery.rows(np.array([count]))[0]]
        assert row.sum() == pytest.approx(1, abs=1e-12)
        assert row @ lottery.shifts == pytest.approx(0, abs=1e-7)
        results = count + lottery.shifts[row > 0]
        assert (results >= 0).all() and not ((results > 0) & (results <= least)).any()
        far = max(spread, least) if count <= least else spread
        assert np.abs(lottery.shifts[row > 0]).max() <= far
        able = np.array([float(s) for s in range(-far, far + 1)
                         if count + s == 0 or count + s > least])
        low, high = variance_ends(able)
        assert row @ lottery.shifts**2 == pytest.approx(min(max(variance, low), high), rel=1e-5)


@pytest.mark.parametrize(("spread", "variance", "least"), SETTINGS)
def test_no_other_law_is_more_even(spread: int, variance: float, least: int) -> None:
    """Where a law has all its shifts, its logarithm is a parabola, and by concavity that is enough.
    And a general optimizer, started at other laws, finds none that is more even."""
    lottery = PTable(spread, variance, least)
    for count in range(1, lottery.alike_from + 1):
        row, shifts = lottery.chances[count], lottery.shifts.astype(float)
        held = row > 0
        if held.sum() <= 3:
            continue  # three conditions leave one law
        height, v = np.log(row[held]), shifts[held]
        parabola = np.stack([np.ones_like(v), v, v * v], axis=1)
        left = height - parabola @ np.linalg.lstsq(parabola, height, rcond=None)[0]
        assert np.abs(left).max() < 1e-6 * max(1.0, np.abs(height).max())
    count = least + 1
    row = lottery.chances[count]
    able = lottery.possible(count)
    v = lottery.shifts[able].astype(float)
    wanted = [1.0, 0.0, row @ lottery.shifts**2]
    conditions = {"type": "eq", "fun": lambda p: np.stack([v**0, v, v * v]) @ p - wanted}
    other = minimize(lambda p: float((p * np.log(np.maximum(p, 1e-300))).sum()),
                     np.full(len(v), 1 / len(v)), bounds=[(0, 1)] * len(v), method="SLSQP",
                     constraints=conditions, options={"maxiter": 500, "ftol": 1e-12})
    if other.success:
        assert entropy(row) >= -other.fun - 1e-6


def test_values_that_are_printed_elsewhere() -> None:
    lottery = PTable(2, 1.0)
    # tMatrix of the vignette: p(2 -> 0) = 0.0638, and p_stay 0.383; the law is symmetric
    assert round(lottery.chances[2, 0], 4) == round(lottery.chances[2, 4], 4) == 0.0638
    assert round(lottery.chances[2, 2], 3) == 0.383
    # Pmatrix: at the largest variance of an even spread, 0.2 each
    np.testing.assert_allclose(PTable(2, 2.0).chances[2], 0.2, atol=1e-6)


def test_the_printed_row_of_one_differs_by_a_condition_of_its_own() -> None:
    """ptable asks by itself that chances fall from the middle outward (`mono`) and gives up
    variance for it: its row for a count of 1 has variance 0.932 in place of 1. Of laws with that
    variance, ours is more even, and theirs is the most even of those whose chance of -1 is at most
    that of staying."""
    printed, shifts = np.array([0.3665, 0.3665, 0.1676, 0.0995]), np.array([-1.0, 0.0, 1.0, 2.0])
    assert printed @ shifts == pytest.approx(0, abs=5e-4)
    assert printed @ shifts**2 == pytest.approx(0.932, abs=5e-4)
    ours = most_even(shifts, float(printed @ shifts**2))
    assert ours[0] > ours[1] and entropy(ours) > entropy(printed) + 1e-3
    # one number, p(2), is free with mean and variance given
    last = np.linspace(0, 0.3, 300_001)
    second = (printed @ shifts**2 - 6 * last) / 2
    first = second + 2 * last
    laws = np.stack([first, 1 - first - second - last, second, last], axis=1)
    laws = laws[(laws > 0).all(axis=1) & (laws[:, 0] <= laws[:, 1])]
    best = max(laws[::50], key=entropy)
    np.testing.assert_allclose(best, printed, atol=1e-3)


def test_the_eu_census_setting_has_what_it_is_known_for() -> None:
    """D = 5, V = 3, js = 2: no 1 and no 2, and from 8 on every count has one symmetric law."""
    lottery = PTable(5, 3.0, 2)
    assert lottery.alike_from == 8
    last = lottery.chances[lottery.rows(np.array([1000]))[0]]
    np.testing.assert_allclose(last, last[::-1], atol=1e-9)
    assert np.diff(last[5:]).max() < 0
    bias, variance, absolute = lottery.moments(np.array([0.0, 1.0, 2.0, 9.0]))
    np.testing.assert_allclose(bias, 0, atol=1e-9)
    np.testing.assert_allclose(variance, [0, 3, 3, 3], rtol=1e-8)
    assert absolute[0] == 0 and (absolute[1:] > 1).all()


def test_keys_of_cells_are_sums_of_their_records_keys() -> None:
    rng = np.random.default_rng(4)
    where, keys = rng.integers(0, 6, 500), record_keys(500, rng)
    found = keys_of_cells(AXES, where, keys).reshape(4, 3)
    for row in range(4):
        for column in range(3):
            rows = range(3) if row == 0 else [row - 1]
            columns = range(2) if column == 0 else [column - 1]
            inside = {2 * r + c for r in rows for c in columns}
            by_hand = sum(int(k) for k, w in zip(keys, where, strict=True) if int(w) in inside)
            assert int(found[row, column]) == by_hand % KEYS
    again = rng.permutation(500)
    np.testing.assert_array_equal(
        keys_of_cells(AXES, where[again], keys[again]).reshape(4, 3), found)


def test_the_same_people_have_the_same_number_in_every_table() -> None:
    """Row totals of a table are the cells of the table by rows alone."""
    rng = np.random.default_rng(5)
    where, keys, lottery = rng.integers(0, 6, 300), record_keys(300, rng), PTable(5, 3.0, 2)
    counts = np.bincount(where, minlength=6)
    both = MarginTable.of_leaves(AXES, counts.astype(float))
    rows = MarginTable.of_leaves(AXES[:1], counts.reshape(3, 2).sum(axis=1).astype(float))
    one = by_cell_key(both, lottery, keys_of_cells(AXES, where, keys)).reshape(4, 3)
    other = by_cell_key(rows, lottery, keys_of_cells(AXES[:1], where // 2, keys))
    np.testing.assert_array_equal(one[:, 0], other)


def test_totals_have_shifts_of_their_own_and_do_not_add_up() -> None:
    rng, lottery = np.random.default_rng(6), PTable(5, 3.0, 2)
    table = MarginTable.of_leaves(AXES, [40.0, 7, 3, 0, 12, 90])
    found = np.stack([by_cell_key(table, lottery, drawn_keys(table, rng)) for _ in range(3000)])
    assert (table.sums @ (found - table.values).T).any()
    assert (found[:, table.values == 0] == 0).all()
    shifts = (found - table.values).astype(int)
    for cell in range(len(table)):
        if table.values[cell]:
            seen = agreement(lottery, np.full(3000, table.values[cell]), shifts[:, cell])
            assert seen.chance > 1e-4, table.name(cell)


def test_a_total_of_one_group_alone_is_that_group() -> None:
    """The same people have the same key, also where keys are drawn cell by cell."""
    table = MarginTable.of_leaves(AXES, [0.0, 40, 30, 0, 0, 0])
    for seed in range(20):
        keys = drawn_keys(table, np.random.default_rng(seed))
        found = by_cell_key(table, PTable(5, 3.0, 2), keys).reshape(4, 3)
        np.testing.assert_array_equal(found[1:, 0], found[1:, 1:].sum(axis=1))
        np.testing.assert_array_equal(found[0, 1:], found[1:, 1:].sum(axis=0))
        np.testing.assert_array_equal(keys.reshape(4, 3)[1:, 0], keys.reshape(4, 3)[1:, 1:].sum(
            axis=1))


def test_each_shift_has_as_many_keys_as_its_chance() -> None:
    """By where the shift changes along all keys, found by halving."""
    lottery = PTable(3, 2.0, 1)
    for count in (0, 1, 2, 3, 9):
        def at(key: int, count: int = count) -> int:
            return int(lottery.shift(np.array([count]), np.array([key], dtype=np.uint64))[0])

        shares = np.zeros(len(lottery.shifts))
        start = 0
        while start < KEYS:
            low, high = start, KEYS  # the last key with the shift of this one, and the next
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if at(middle) == at(start) else (low, middle)
            shares[at(start) + lottery.reach] += (high - start) / KEYS
            start = high
        np.testing.assert_allclose(
            shares, lottery.chances[lottery.rows(np.array([count]))[0]], atol=2 / KEYS)


def drawn(lottery: PTable, counts: np.ndarray, seed: int) -> np.ndarray:
    return lottery.shift(counts, record_keys(len(counts), np.random.default_rng(seed)))


@pytest.mark.parametrize(("spread", "variance", "least"), [(5, 3.0, 2), (2, 1.0, 0), (4, 2.0, 1)])
def test_a_chi_square_test_tells_a_variance_that_is_off(
    spread: int, variance: float, least: int
) -> None:
    """Ten samples of 20,000 shifts: right ones have no small chance, as uniform as chances are;
    those of a lottery with 20% more or less variance have next to none."""
    counts = np.random.default_rng(99).integers(0, 30, 20_000)
    right = PTable(spread, variance, least)
    found = [agreement(right, counts, drawn(right, counts, s)) for s in range(10)]
    chances, freedom = [one.chance for one in found], found[0].freedom
    assert min(chances) > 1e-3 and max(chances) > 0.2
    mean = sum(one.statistic for one in found) / 10
    assert abs(mean - freedom) < 4 * math.sqrt(2 * freedom / 10)
    for factor in (0.8, 1.2):
        wrong = PTable(spread, factor * variance, least)
        for seed in range(10):
            assert agreement(right, counts, drawn(wrong, counts, seed)).chance < 1e-6


def test_a_shift_that_is_impossible_settles_the_test() -> None:
    lottery = PTable(2, 1.0, 1)
    for count, shift in ((0, 1), (1, 0), (9, 3), (2, -1)):
        assert agreement(lottery, np.array([count]), np.array([shift])).chance == 0
    alone = agreement(lottery, np.zeros(50), np.zeros(50, dtype=np.int64))
    assert alone.chance == 1 and alone.freedom == 0


def test_refusals_are_one_sentence() -> None:
    for wrong in ((0, 1.0, 0), (2, -1.0, 0), (2, 1.0, -1), (2, math.nan, 0)):
        with pytest.raises(sdc.InputError, match="A lottery of shifts needs"):
            PTable(*wrong)
    money = MarginTable.of_leaves(AXES, [1.0] * 6, [1] * 6, "euros")
    with pytest.raises(sdc.InputError, match="is of euros"):
        by_cell_key(money, PTable(2, 1.0), np.zeros(12, dtype=np.uint64))

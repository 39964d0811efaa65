"""Rules about single cells: sensitive is what somebody could really work out."""

from __future__ import annotations

import numpy as np
import pytest

from sdc_core.errors import InputError
from sdc_core.margins.rules import Dominance, PPercent, Sensitive, Threshold, by_rules
from sdc_core.margins.table import Axis, MarginTable


def cell_of(*contributions: float, most: int = 3) -> MarginTable:
    """One cell, and another with a hundred equal contributions."""
    axis = Axis.flat("x", "X", ("one", "other"), ("one", "other"))
    positions = np.array([0] * len(contributions) + [1] * 100)
    amounts = np.array([*contributions, *[1.0] * 100])
    return MarginTable.of_sums((axis,), [positions], amounts, "turnover", most)


@pytest.mark.parametrize("k", [1, 3, 6])
def test_a_threshold_is_about_contributors_and_leaves_zeros(k: int) -> None:
    axis = Axis.flat("x", "X", [str(i) for i in range(8)], [str(i) for i in range(8)])
    found = Threshold(k).sensitive(MarginTable.of_leaves((axis,), np.arange(8)))
    assert np.flatnonzero(found.cells).tolist() == list(range(2, 1 + k))  # numbers 1 to k − 1
    assert set(found.wide[found.cells]) <= {k} and not found.wide[~found.cells].any()


@pytest.mark.parametrize("seed", range(20))
def test_p_percent_is_what_the_second_largest_can_work_out(seed: int) -> None:
    """Whoever has the second largest contribution takes it, and nothing else, off the number: what
    is left is the most that the largest can have. Sensitive if that is less than p percent off;
    and with as much taken off what can be seen as the rule asks, it is not."""
    rng = np.random.default_rng(seed)
    parts = rng.lognormal(3, 1.5, int(rng.integers(2, 7)))
    first, second = sorted(parts, reverse=True)[:2]
    guess = parts.sum() - second
    found = PPercent(15).sensitive(cell_of(*parts))
    assert found.cells[1] == (guess < 1.15 * first)
    if found.cells[1]:
        assert guess + found.above[1] == pytest.approx(1.15 * first)
        assert found.below[1] == found.above[1]


def test_dominance_by_hand() -> None:
    # 80 + 15 of 100 are 95 percent: sensitive at (2, 90), and 95 are 90 percent of 105.55…
    found = Dominance(2, 90).sensitive(cell_of(80, 15, 5))
    assert found.cells.tolist() == [False, True, False]
    assert found.above[1] == pytest.approx(95 / 0.9 - 100)
    assert not Dominance(2, 96).sensitive(cell_of(80, 15, 5)).cells.any()


def test_either_rule_and_the_wider_protection() -> None:
    table = cell_of(80, 15, 5)
    both = by_rules(table, [Threshold(4), Dominance(2, 90)])
    assert both.above[1] == max(15.0, 95 / 0.9 - 100) and both.cells[1]
    assert not by_rules(table, []).cells.any()


@pytest.mark.parametrize(("low", "high", "safe"), [
    (5, 15, True), (6, 15, False), (5, 14, False), (4, 14, False), (3, 13, False), (5, 16, True),
])
def test_every_side_of_the_protection_counts(low: float, high: float, safe: bool) -> None:
    one, ten = np.ones(1, dtype=bool), np.array([10.0])
    held = Sensitive(one, np.array([4.5]), np.array([4.5]), np.array([9.5]))
    assert bool(held.protects(ten, np.array([low]), np.array([high]))[0]) is safe
    wide = Sensitive(one, np.zeros(1), np.zeros(1), ten)
    assert bool(wide.protects(ten, np.array([low]), np.array([high]))[0]) is (high - low >= 10)


def test_what_the_rules_do_not_take() -> None:
    people = MarginTable.of_leaves((Axis.flat("x", "X", "ab", "ab"),), [3, 4])
    for make, says in (
        (lambda: Threshold(0), "k must be at least 1"),
        (lambda: Dominance(1, 100), "percentage below 100"),
        (lambda: PPercent(0), "p must be above 0"),
        (lambda: PPercent(10).sensitive(people), "each counts as one"),
        (lambda: Dominance(3, 75).sensitive(cell_of(1, 2, most=2)), "needs the 3 largest"),
        (lambda: PPercent(10).sensitive(cell_of(5, 3, -1)), "below zero"),
    ):
        with pytest.raises(InputError, match=says) as error:
            make()
        assert str(error.value).endswith(".")

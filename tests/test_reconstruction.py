"""What totals give away: bounds, subtraction and numbers of tables against all tables there are."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sdc_core.metrics import reconstruction
from sdc_core.metrics.reconstruction import (
    HiddenTable,
    best_fits,
    by_subtraction,
    intervals,
    tables_that_fit,
)


def all_that_fit(table: HiddenTable) -> np.ndarray:
    """Every table with the shown counts, the totals and the rule, found by trying all values."""
    places = np.argwhere(table.hidden)
    found = []
    for values in itertools.product(range(table.low, table.high + 1), repeat=len(places)):
        tried = table.counts.copy()
        tried[tuple(places.T)] = values
        if (tried.sum(axis=0) == table.counts.sum(axis=0)).all() and (
                tried.sum(axis=1) == table.counts.sum(axis=1)).all():
            found.append(tried)
    return np.array(found)


def some_tables() -> list[HiddenTable]:
    rng = np.random.default_rng(3)
    out = []
    for shape, k, keep in itertools.product(((2, 3), (3, 3), (4, 2)), (2, 3, 4), (True, False)):
        for _ in range(3):
            counts = rng.poisson(3.5, shape)
            table = HiddenTable.below(counts, k, keep)
            if (k - keep) ** int(table.hidden.sum()) <= 20_000:
                out.append(table)
    return out


TABLES = some_tables()


def test_what_is_hidden_follows_the_rule() -> None:
    counts = np.array([[0, 1, 5], [6, 2, 0]])
    kept, treated = (HiddenTable.below(counts, 6, keep) for keep in (True, False))
    assert kept.hidden.tolist() == [[False, True, True], [False, True, False]]
    assert treated.hidden.tolist() == [[True, True, True], [False, True, True]]
    assert (kept.low, kept.high) == (1, 5) and (treated.low, treated.high) == (0, 5)


def test_bounds_and_numbers_are_those_of_all_tables() -> None:
    assert len(TABLES) > 30
    narrowed = 0
    for table in TABLES:
        every = all_that_fit(table)
        low, high = intervals(table)
        assert (low == every.min(axis=0)).all() and (high == every.max(axis=0)).all()
        assert tables_that_fit(table) == len(every)
        narrowed += int(((low > table.low) & (low < high) & table.hidden).sum())
        alone = intervals(table, totals=False)
        assert (alone[0][table.hidden] == table.low).all()
        assert (alone[1][table.hidden] == table.high).all()
        assert (alone[0][~table.hidden] == table.counts[~table.hidden]).all()
    assert narrowed > 5


def test_subtraction_finds_one_after_the_other_and_needs_no_rule() -> None:
    counts = np.array([[1, 9, 9], [2, 3, 9], [9, 4, 9]])
    table = HiddenTable.below(counts, 6, True)
    # rows one and three have one each; then each of row two is alone in its column
    assert (by_subtraction(table) == table.hidden).all()
    square = HiddenTable.below(np.array([[1, 2], [3, 4]]), 6, True)
    assert not by_subtraction(square).any()
    for one in TABLES:
        wide = HiddenTable(one.counts, one.hidden, 0, 99)  # somebody who does not know the rule
        low, high = intervals(wide)
        known = by_subtraction(one)
        assert (low[known] == one.counts[known]).all() and (high[known] == one.counts[known]).all()


def test_counting_stops_where_it_would_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    table = HiddenTable.below(np.full((3, 3), 2), 6, False)
    assert tables_that_fit(table) is not None
    monkeypatch.setattr(reconstruction, "MOST_STEPS", 10)
    assert tables_that_fit(table) is None


def test_each_best_fit_is_the_best_of_all_tables() -> None:
    """Many releases are fitted in one go, and none is paid for by another."""
    rng = np.random.default_rng(3)
    truth = np.array([[1, 2], [0, 3]])
    total = int(truth.sum())
    noisy = truth + rng.laplace(0, 1.5, (12, 2, 2))
    rows, columns = (truth.sum(axis=a) + rng.laplace(0, 1.5, (12, 2)) for a in (1, 0))
    every = np.array([v for v in itertools.product(range(total + 1), repeat=4) if sum(v) == total])
    tables = every.reshape(-1, 2, 2)
    found = best_fits(noisy, rows, columns, total)
    assert found.shape == noisy.shape and (found >= 0).all()
    for release in range(12):
        misfit = (np.abs(tables - noisy[release]).sum(axis=(1, 2))
                  + np.abs(tables.sum(axis=2) - rows[release]).sum(axis=1)
                  + np.abs(tables.sum(axis=1) - columns[release]).sum(axis=1))
        at = np.flatnonzero((tables == found[release]).all(axis=(1, 2)))
        assert misfit[at] == pytest.approx(misfit.min())


def test_without_noise_the_best_fit_is_the_table() -> None:
    truth = np.array([[3, 0, 7], [1, 1, 20]])
    found = best_fits(truth[None].astype(float), truth.sum(axis=1)[None], truth.sum(axis=0)[None],
                      int(truth.sum()))
    assert (found == truth).all()

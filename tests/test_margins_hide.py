"""What is hidden is safe from an attack that shares nothing with the engine's, and is not more than
has to be hidden: all choices of small tables are tried."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np
import pytest

from sdc_core.errors import InputError
from sdc_core.margins import cuts, heuristic
from sdc_core.margins.attack import NOTHING_NEGATIVE, Known
from sdc_core.margins.hide import Hiding, hide
from sdc_core.margins.rules import PPercent, Sensitive, Threshold
from sdc_core.margins.table import Axis, MarginTable
from tests.margin_attacks import (
    attacked,
    axis,
    free_cells,
    least_weight,
    some_sensitive,
    some_table,
    unsafe,
)
from tests.test_margins_attack import published


def only(table: MarginTable, *cells: int, below: float = 0, above: float = 0, wide: float = 0
         ) -> Sensitive:
    """These cells, to be protected so far."""
    which = np.isin(np.arange(len(table)), cells)
    return Sensitive(which, *(np.where(which, one, 0.0) for one in (below, above, wide)))


def row(*numbers: float) -> MarginTable:
    return MarginTable.of_leaves((axis("a", len(numbers), False),), numbers)


def from_zero(*given: Any, known: Known = NOTHING_NEGATIVE, **how: Any) -> Hiding:
    """Where it is not known that what is hidden is at least 1."""
    return hide(*given, known=known, **how)


def check(found: Hiding) -> None:
    """All that is said of a result is so."""
    table, sensitive = found.table, found.sensitive
    assert not unsafe(table, sensitive, found.hidden, found.known.low)
    assert (sensitive.cells <= found.hidden).all()
    assert found.further.tolist() == (found.hidden & ~sensitive.cells).tolist()
    assert found.safe.tolist() == sensitive.cells.tolist()
    assert found.bound <= found.weight * (1 + 1e-9)
    assert found.gap == pytest.approx(found.weight / found.bound - 1 if found.bound else 0)
    shown = ~found.hidden
    assert (found.low[shown] == table.values[shown]).all()
    assert (found.high[shown] == table.values[shown]).all()
    assert (found.high[found.further] > found.low[found.further]).all()  # else hidden for nothing
    zeros = found.further & (table.values == 0)
    assert found.zeros_needed == bool(zeros.any())


@pytest.mark.parametrize("tens", range(50))
def test_nothing_is_narrower_than_its_protection(tens: int) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        table = some_table(seed)
        check(hide(table, some_sensitive(table, seed), method="heuristic"))


def test_nothing_is_hidden_that_could_be_shown() -> None:
    """Shown again, each further cell would leave some other one unsafe."""
    tried = 0
    for seed in range(3000, 3120):
        table = some_table(seed)
        sensitive = some_sensitive(table, seed)
        found = hide(table, sensitive, method="heuristic")
        for cell in np.flatnonzero(found.further):
            without = found.hidden.copy()
            without[cell] = False
            assert unsafe(table, sensitive, without, found.known.low), (seed, cell)
            tried += 1
    assert tried > 200


SMALL = [seed for seed in range(1000, 1400) if len(free_cells(
    some_table(seed, shapes=6), some_sensitive(some_table(seed, shapes=6), seed))) <= 12][:45]

TINY = [seed for seed in SMALL if len(free_cells(some_table(seed, shapes=6), some_sensitive(
    some_table(seed, shapes=6), seed))) <= 6 and some_sensitive(
        some_table(seed, shapes=6), seed).cells.any()][:8]


@pytest.mark.parametrize("seed", SMALL)
def test_no_choice_at_all_is_better(seed: int) -> None:
    table = some_table(seed, shapes=6)
    sensitive = some_sensitive(table, seed)
    weights = np.abs(table.values) if seed % 5 else np.ones(len(table))
    found = hide(table, sensitive, weights="numbers" if seed % 5 else "cells", seconds=20)
    check(found)
    if found.zeros_needed or found.further[0]:
        return  # more was needed than the search below tries
    least = least_weight(table, sensitive, weights, found.weight, found.known.low)
    assert found.method == "optimal"
    assert found.weight == pytest.approx(least) and found.bound <= least * (1 + 1e-9)
    assert hide(table, sensitive, seconds=0.0).bound <= hide(table, sensitive).weight


@pytest.mark.parametrize("seed", range(3))
def test_a_bound_holds_at_any_time(seed: int) -> None:
    """Of a table too large to try all choices: whenever it stops, the bound is below all that is
    found, and no work is lost."""
    rng = np.random.default_rng(seed)
    table = MarginTable.of_leaves(
        (axis("a", 8, True), axis("b", 8, True)), rng.poisson(9, 64))
    sensitive = Threshold(6).sensitive(table)
    quick = hide(table, sensitive, method="heuristic")
    all_found = [quick, *(hide(table, sensitive, seconds=s) for s in (0.0, 0.2, 20.0))]
    assert max(f.bound for f in all_found) <= min(f.weight for f in all_found)
    assert all(f.weight <= quick.weight for f in all_found)
    assert all_found[-1].method == "optimal" and all_found[-1].gap == 0
    assert sensitive.cells.sum() > 5 and not unsafe(table, sensitive, all_found[-1].hidden, 1.0)


LESS = (5, 7, 13, 21, 22, 23, 26, 29, 31, 33, 34, 39)


def test_what_is_called_the_least_is_not_more_than_another_choice() -> None:
    """Prices of the relaxed master go with its own costs: beside a bound that whole rounds have
    raised since, they left out cells of the best choice."""
    codes = tuple(f"r{i}" for i in range(10))
    rows = Axis("r", "r", codes, codes, (-1, 0, 1, 1, 0, 4, 4, 0, 7, 7))
    table = MarginTable.of_leaves((rows, axis("c", 3, False)), [
        0, 2, 2, 20, 2, 1, 9, 15, 9, 1, 6, 1, 2, 4, 6, 1, 1, 15])
    sensitive = Threshold(2).sensitive(table)
    less = sensitive.cells.copy()
    less[list(LESS)] = True
    assert not unsafe(table, sensitive, less, 1.0) and not (less & (table.values == 0)).any()
    found = hide(table, sensitive, seconds=20.0)
    check(found)
    assert found.known.low == 1.0 and found.method == "optimal"
    assert found.bound <= table.values[less].sum() == 132


def test_published_choices() -> None:
    """The package sdcTable protects its table with one more hidden number; GaussSuppression's
    first example (vignette on small counts) hides the two rows beside the zero and no third."""
    table, _, hidden = published()
    sensitive = Sensitive(hidden, *np.where(hidden, 1.0, 0.0) * np.array([[0.0], [0.0], [1.0]]))
    found = from_zero(table, sensitive, weights="cells")
    assert found.method == "optimal" and found.further.sum() == 1
    check(found)
    countries = Axis.flat("geo", "Country", ("is", "pt", "es"), ("Iceland", "Portugal", "Spain"))
    ages = Axis.flat("age", "Age", ("y", "o"), ("young", "old"))
    table = MarginTable.of_leaves((countries, ages), [2, 3, 0, 4, 5, 6])
    zero = int(np.flatnonzero(table.values == 0)[0])
    found = from_zero(table, only(table, zero, wide=1))
    names = sorted(table.name(int(c)) for c in np.flatnonzero(found.hidden))
    assert names == ["Iceland, old", "Iceland, young", "Portugal, old", "Portugal, young"]


def test_a_row_by_hand() -> None:
    # 2 needs a width of 5: with 3 beside it both are from 0 to 5; hiding 9 instead costs more
    table = row(2, 3, 9)
    found = from_zero(table, only(table, 1, wide=5))
    assert np.flatnonzero(found.hidden).tolist() == [1, 2] and found.weight == 5
    assert (found.low[1], found.high[1]) == (0, 5)
    # a width of 6 is more than 3 can give
    found = from_zero(table, only(table, 1, wide=6))
    assert np.flatnonzero(found.hidden).tolist() == [1, 3] and found.weight == 11
    # upwards by 3 there is room for in 3, by 4 only in 9; downwards 2 is all there is
    assert from_zero(table, only(table, 1, above=3)).weight == 5
    assert from_zero(table, only(table, 1, above=4)).weight == 11
    assert from_zero(table, only(table, 1, below=2)).weight == 5
    weights = np.array([1.0, 1, 9, 1])
    dear = from_zero(table, only(table, 1, wide=5), weights=weights)
    assert np.flatnonzero(dear.hidden).tolist() == [1, 3]


def test_a_total_may_be_sensitive() -> None:
    table = MarginTable.of_leaves((axis("a", 4, True), axis("b", 3, False)), range(1, 13))
    group = int(np.flatnonzero(table.is_total)[5])
    found = from_zero(table, only(table, group, below=2, above=2))
    check(found)
    assert found.hidden[group] and found.method == "optimal"
    everything = from_zero(row(3, 4, 5), only(row(3, 4, 5), 0, above=1))
    assert everything.hidden[0] and everything.hidden.sum() == 2


def test_zeros_only_where_they_are_wished_or_nothing_else_will_do() -> None:
    table = row(4, 0, 9)
    assert not from_zero(table, only(table, 1, wide=4)).hidden[2]
    wished = from_zero(table, only(table, 1, above=0, below=4), hide_zeros=True)
    assert wished.hidden[2] and not wished.zeros_needed  # a zero counts as the smallest other
    lonely = row(4, 0, 0)
    forced = from_zero(lonely, only(lonely, 1, wide=4))
    assert forced.zeros_needed and forced.hidden.tolist() == [False, True, True, False]
    # the total only when zeros do not help either: they cannot let 4 rise
    last = from_zero(lonely, only(lonely, 1, above=1))
    assert last.hidden[0] and not last.zeros_needed


def test_who_sees_that_no_zero_is_hidden_knows_that_what_is_hidden_is_no_zero() -> None:
    """3 beside 3: from 1 to 5 and not from 0 to 6, which is too little for k = 6; 9 does."""
    table = row(3, 3, 9)
    found = hide(table, Threshold(6).sensitive(table))
    assert found.known.low == 1 and found.hidden.tolist() == [False, True, True, True]
    assert (found.low[1], found.high[1]) == (1, 13)
    # six ones beside each other give themselves away as six, if nothing more is hidden
    ones = row(*[1] * 6, 12)
    found = hide(ones, Threshold(6).sensitive(ones))
    assert found.hidden[7] and found.high[1] - found.low[1] >= 6
    # nothing but a zero is left to hide: then a hidden number may be 0
    lonely = row(4, 0, 0)
    found = hide(lonely, only(lonely, 1, wide=4))
    assert found.zeros_needed and found.known.low == 0 and found.hidden[2:].any()
    # and where there is none, it is said that nothing protects
    with pytest.raises(InputError, match="cannot be protected"):
        hide(row(2, 2), only(row(2, 2), 1, 2, below=2))


def test_cells_that_nothing_protects() -> None:
    one = MarginTable.of_leaves((Axis.flat("x", "X", ("x",), ("x",)),), [3])
    table = row(2, 3, 9)
    for make, says in (
        (lambda: from_zero(table, only(table, 1, below=3)), "a1 cannot be protected"),
        (lambda: from_zero(table, only(table, 1, wide=11), known=Known(0, 10)), "a1 cannot be"),
        (lambda: from_zero(one, only(one, 0, below=4)), "^x cannot be protected"),
        (lambda: from_zero(table, only(table, 1, wide=1), known=Known(3)), "a1 is 2, but an att"),
        (lambda: from_zero(table, only(table, 1), weights="people"), "Weights must be 'numbers'"),
        (lambda: from_zero(table, only(table, 1), weights=np.ones(2)), "Weights must be 4 numbers"),
        (lambda: from_zero(table, only(table, 1), weights=-np.ones(4)), "of 0 or more"),
        (lambda: from_zero(table, only(table, 1), method="fast"), "The method must be one of"),
    ):
        with pytest.raises(InputError, match=says) as error:
            make()
        assert str(error.value).endswith(".") and "\n" not in str(error.value)


def test_negative_numbers_with_what_is_known_of_them() -> None:
    table = MarginTable.of_leaves((axis("a", 3, False),), [-2, 3, 9], np.ones(3), "profit")
    with pytest.raises(InputError, match="a1 is -2, but an attacker"):
        from_zero(table, only(table, 1, wide=4))
    found = from_zero(table, only(table, 1, wide=4), known=Known(-5))
    assert np.flatnonzero(found.hidden).tolist() == [1, 2]
    # 3 may be −5, so −2 may be 6; and −5
    assert (found.low[1], found.high[1]) == (-5, 6)


def test_nothing_sensitive_hides_nothing() -> None:
    table = row(2, 3, 9)
    found = from_zero(table, Sensitive.none(table))
    assert not found.hidden.any() and found.weight == found.bound == found.gap == 0


def test_sums_of_money_by_p_percent() -> None:
    rng = np.random.default_rng(4)
    table = MarginTable.of_sums(
        (axis("a", 4, True), axis("b", 4, False)), [rng.integers(0, 4, 50), rng.integers(0, 4, 50)],
        np.rint(rng.lognormal(13, 1.5, 50)), "turnover")
    sensitive = PPercent(20).sensitive(table)
    assert sensitive.cells.sum() >= 3
    found = hide(table, sensitive)
    check(found)
    low, high = attacked(table, found.hidden, found.hidden)
    assert np.allclose(low, found.low, rtol=1e-6) and np.allclose(high, found.high, rtol=1e-6)


@pytest.mark.parametrize("forgotten", [0, 1, 2])
def test_a_choice_that_forgets_one_side_is_found_out(
    forgotten: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The independent attack has teeth: it finds cells that are not as safe as they should be."""
    right = heuristic.Task.needs

    def wrong(self: heuristic.Task, cell: int) -> tuple[float, float, float]:
        up, down, wide = right(self, cell)
        return (0.0 if forgotten == 0 else up, 0.0 if forgotten == 1 else down,
                0.0 if forgotten == 2 else wide)

    monkeypatch.setattr(heuristic.Task, "needs", wrong)
    lost = 0
    for seed in range(60) if forgotten != 1 else range(0, 360, 6):  # downwards only sums ask for
        table = some_table(seed)
        sensitive = some_sensitive(table, seed)
        found = hide(table, sensitive, method="heuristic")
        narrow = unsafe(table, sensitive, found.hidden, found.known.low)
        lost += bool(narrow)
        assert (found.safe.sum() < sensitive.cells.sum()) == bool(narrow)
    assert lost >= 3


def broken_cuts(times: float, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """How many cuts there are for some tables, and how many of them a safe choice breaks; they ask
    for so many times what is needed."""
    right = cuts.Cutter._cut
    monkeypatch.setattr(
        cuts.Cutter, "_cut", lambda self, reach, need: right(self, reach, times * need))
    number = broken = 0
    for seed in TINY:
        table = some_table(seed, shapes=6)
        sensitive = some_sensitive(table, seed)
        free = free_cells(table, sensitive)
        choices = np.tile(sensitive.cells, (2 ** len(free), 1))
        choices[:, free] = (np.arange(len(choices))[:, None] >> np.arange(len(free))) & 1 == 1
        safe = [one for one in choices if not unsafe(table, sensitive, one)]
        task = heuristic.Task(table, sensitive, [table.values != 0], table.values, Known())
        cutter = cuts.Cutter(task, np.isin(np.arange(len(table)), free))
        found = [cut for cell in task.order for cut in cutter.of_single_sums(int(cell))]
        rng = np.random.default_rng(seed)
        for _ in range(6):
            mixed = np.where(sensitive.cells, 1.0, rng.random(len(table)) * (rng.random() < 0.7))
            mixed[~sensitive.cells & ~np.isin(np.arange(len(table)), free)] = 0
            found += cutter.against_all(mixed, cutter.short(mixed, lambda: False))
        number += len(found)
        broken += sum(any(cut.shares @ one[cut.cells] < 1 - 1e-9 for one in safe) for cut in found)
    return number, broken


def test_every_cut_holds_for_every_safe_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    number, broken = broken_cuts(1.0, monkeypatch)
    assert number > 50 and broken == 0


def test_cuts_that_ask_for_too_much_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    number, broken = broken_cuts(3.0, monkeypatch)
    assert broken >= 5 and number > 50


def test_progress_and_an_end_to_it() -> None:
    table = some_table(3)
    told: list[float] = []
    hide(table, some_sensitive(table, 3), progress=told.append)
    assert all(0 <= share <= 1 for share in told) and told[-1] == 1.0

    def enough(share: float) -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        hide(table, some_sensitive(table, 3), progress=enough)


def test_many_at_once() -> None:
    """As visitors of an app do, each in a thread."""
    tables = [some_table(seed) for seed in range(12)]
    alone = [hide(t, some_sensitive(t, i)).hidden for i, t in enumerate(tables)]
    together: dict[int, Hiding] = {}

    def work(i: int) -> None:
        together[i] = hide(tables[i], some_sensitive(tables[i], i))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(tables))]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert time.monotonic() - begun < 60 and len(together) == len(tables)
    assert all((together[i].hidden == one).all() for i, one in enumerate(alone))

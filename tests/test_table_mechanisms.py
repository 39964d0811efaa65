"""Controlled rounding, cell keys and protected suppression as mechanisms on a table of counts.

Proven here: moments against the law of each count, worked out from its chances; releases against
the moments and against what is said to be possible; the chance that a cell key gives somebody away
for sure, by trying all pairs of counts; that what protected suppression hides stays hidden from an
attacker who is programmed here from scratch, while plain suppression's does not; that order of
features and of values makes no difference; and that everything refused is one sentence.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import norm

import sdc_core as sdc
from sdc_core.mechanisms.base import Mechanism, repetition_rng
from sdc_core.mechanisms.protected_suppression import MOST_CELLS

LAWS: list[tuple[str, dict[str, Any]]] = [
    *[("controlled-rounding", {"base": b}) for b in (3, 4, 5, 10, 100)],
    *[("cell-key", {"spread": d, "shift_variance": v, "least": js})
      for d, v, js in ((5, 3.0, 2), (2, 1.0, 0), (1, 0.5, 0), (4, 2.0, 3), (2, 1.0, 5))],
]


def table_of(counts: np.ndarray | list[Any], names: tuple[str, ...] = ("A", "PUMA")) -> (
        sdc.Histogram):
    array = np.array(counts)
    domain = sdc.Domain(tuple(
        sdc.Feature(name, name, *(tuple(str(v) for v in range(size)),) * 2)
        for name, size in zip(names, array.shape, strict=True)))
    return sdc.Histogram(array.reshape(-1), domain)


def sparse(seed: int, shape: tuple[int, ...], mean: float = 6.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.poisson(rng.gamma(0.7, mean / 0.7, shape))


# ---- chances ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "settings"), LAWS, ids=str)
def test_moments_follow_from_the_law_of_each_count(name: str, settings: dict[str, Any]) -> None:
    """The chances of 0, 1, 2, ... people, each the difference of two, and sums over them."""
    method = sdc.mechanism(name, **settings)
    counts = np.arange(60)
    people = np.arange(0.0, 400.0)
    upto = np.stack([method.chance_at_most(people, np.full_like(people, x)) for x in counts])
    chances = np.diff(upto, axis=1, prepend=0.0)
    np.testing.assert_allclose(upto[:, -1], 1, atol=1e-12)
    assert chances.min() > -1e-12
    off = people - counts[:, None]
    mean = (chances * off).sum(axis=1)
    np.testing.assert_allclose(method.bias(counts), mean, atol=1e-9)
    np.testing.assert_allclose(method.bias(counts), 0, atol=1e-6)
    np.testing.assert_allclose(
        method.variance(counts), (chances * off**2).sum(axis=1) - mean**2, atol=1e-8)
    np.testing.assert_allclose(
        method.absolute_error(counts), (chances * np.abs(off)).sum(axis=1), atol=1e-9)
    none, one = method.chance_of_none_or_one(counts)
    np.testing.assert_allclose(none, chances[:, 0])
    np.testing.assert_allclose(one, chances[:, 1], atol=1e-15)


@pytest.mark.parametrize(("name", "settings"), LAWS, ids=str)
def test_releases_are_as_their_moments_and_within_what_is_possible(
    name: str, settings: dict[str, Any]
) -> None:
    method, table, releases = sdc.mechanism(name, **settings), table_of(sparse(1, (8, 7))), 1200
    rows = method.draw_tables(table, [repetition_rng(3, r) for r in range(releases)])
    possible = method.support(table)
    assert possible.has(rows).all()
    bias, variance, absolute = method.exact_moments(table)
    limit = norm.isf(1e-4 / len(table) / 2)  # all cells at once
    off = rows - table.counts
    assert (np.abs(off.mean(axis=0) - bias) <= limit * np.sqrt(variance / releases) + 1e-12).all()
    spread = np.abs(off).std(axis=0) / math.sqrt(releases)
    assert (np.abs(np.abs(off).mean(axis=0) - absolute) <= limit * spread + 1e-12).all()
    never = np.where(np.isnan(possible.options), 0, possible.options).max(axis=1) + 1
    assert not possible.has(never[None])[0]


def test_rounding_keeps_rows_columns_and_all_next_to_the_truth() -> None:
    """Rows are those of the first feature, whatever the others are."""
    counts = sparse(2, (4, 3, 5))
    method, table = sdc.mechanism("controlled-rounding"), table_of(counts, ("A", "B", "C"))
    for seed in range(50):
        found = method.release(table, seed).counts.reshape(4, 15)
        assert not (found % 5).any()
        for axis in (0, 1, None):
            off = found.sum(axis=axis) - counts.reshape(4, 15).sum(axis=axis)
            assert (np.abs(off) < 5).all()
        assert (np.abs(found.reshape(counts.shape).sum(axis=(0, 1)) - counts.sum(axis=(0, 1)))
                < 20).all()


def test_many_bases_at_once_are_as_one_by_one() -> None:
    method, x = sdc.mechanism("controlled-rounding"), np.arange(30.0)
    together = method.moments_at("base", np.array([3.0, 7.0]), x)
    for row, base in enumerate((3, 7)):
        for one, all_ in zip(method.replace(base=base).moments(x), together, strict=True):
            np.testing.assert_allclose(all_[row], one)


def law_of(method: Mechanism, x: int) -> dict[int, float]:
    people = np.arange(0.0, x + 30.0)
    chances = np.diff(method.chance_at_most(people, np.full_like(people, x)), prepend=0.0)
    return {int(n): float(p) for n, p in zip(people, chances, strict=True) if p > 0}


@pytest.mark.parametrize(("spread", "variance", "least"), [
    (5, 3.0, 2), (2, 1.0, 0), (1, 0.4, 0), (3, 2.0, 1), (2, 1.0, 4)])
def test_how_often_a_cell_key_tells_for_sure(spread: int, variance: float, least: int) -> None:
    """By all pairs of counts up to 25 that a person leaves and joins: the chance of a release that
    could not come from the table without the move."""
    method = sdc.mechanism("cell-key", spread=spread, shift_variance=variance, least=least)
    laws = [law_of(method, x) for x in range(27)]
    worst = 0.0
    for left, joined in itertools.product(range(1, 26), range(25)):
        common = math.prod(
            sum(p for n, p in laws[a].items() if n in laws[b])
            for a, b in ((left, left - 1), (joined, joined + 1)))
        worst = max(worst, 1 - common)
    assert method.told_for_sure == pytest.approx(worst, abs=1e-9)
    assert 0 < worst < 1
    found = method.guarantee([3, 4], cap=10)
    assert found.delta_tight == 1 and found.is_bound and found.epsilon is None
    assert not found.formal and "every 0" in found.invariants


def test_a_rounded_count_tells_for_sure_as_often_as_is_said() -> None:
    """A group of b, and one of b + 1: 2b comes out of the second alone, once in b times."""
    for base in (3, 5, 10):
        method = sdc.mechanism("controlled-rounding", base=base)
        before, after = law_of(method, base), law_of(method, base + 1)
        assert set(before) == {base}
        assert sum(p for n, p in after.items() if n not in before) == pytest.approx(1 / base)
        found = method.guarantee([3, 4], cap=10)
        assert f"as {2 * base} with chance 1/{base}" in found.remark and not found.formal


def test_empty_groups_stay_empty() -> None:
    for name, settings in LAWS:
        rows = sdc.mechanism(name, **settings).draw_tables(
            table_of(np.zeros((3, 4), dtype=int)), [repetition_rng(1, r) for r in range(20)])
        assert not rows.any()


# ---- protected suppression --------------------------------------------------------------------


def attacked(
    matrix: np.ndarray, hidden: np.ndarray, least: int
) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest value of each inner cell: `matrix` and `hidden` have totals in the last row
    and column, and all that is hidden is at least so much. One program each, from scratch."""
    rows, columns = matrix.shape
    number = np.arange(matrix.size).reshape(matrix.shape)
    sums = []
    for line in (*number, *number.T):
        one = np.zeros(matrix.size)
        one[line[:-1]], one[line[-1]] = 1, -1
        sums.append(one)
    known = [(least, None) if out else (v, v)
             for v, out in zip(matrix.ravel(), hidden.ravel(), strict=True)]
    low, high = np.zeros(matrix.shape), np.zeros(matrix.shape)
    for row, column in itertools.product(range(rows), range(columns)):
        for sign, ends in ((1, low), (-1, high)):
            goal = np.zeros(matrix.size)
            goal[number[row, column]] = sign
            found = linprog(goal, A_eq=np.array(sums), b_eq=np.zeros(len(sums)), bounds=known)
            ends[row, column] = sign * found.fun if found.status == 0 else math.inf
    return low, high


def with_totals(inner: np.ndarray) -> np.ndarray:
    wide = np.concatenate([inner, inner.sum(axis=1, keepdims=True)], axis=1)
    return np.concatenate([wide, wide.sum(axis=0, keepdims=True)], axis=0)


def hidden_with_totals(found: Any, shape: tuple[int, int]) -> np.ndarray:
    """From totals first to totals last."""
    turned = np.roll(found.hidden.reshape(shape[0] + 1, shape[1] + 1), -1, axis=(0, 1))
    return np.asarray(turned)


@pytest.mark.parametrize("keep_zeros", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_hidden_stays_hidden(seed: int, keep_zeros: bool) -> None:
    counts = sparse(seed, (6, 5), 20.0)
    table, k = table_of(counts), 6
    method = sdc.mechanism("protected-suppression", k=k, keep_zeros=keep_zeros)
    hidden = method.hidden(table).reshape(counts.shape) > 0
    small = (counts < k) & ((counts > 0) | (not keep_zeros))
    assert (hidden | ~small).all() and small.any()
    all_hidden = hidden_with_totals(method.hiding(table), (6, 5))
    np.testing.assert_array_equal(all_hidden[:-1, :-1], hidden)
    # who sees that a zero is always shown knows that what is hidden is none
    least = int(keep_zeros and not (hidden & (counts == 0)).any())
    low, high = attacked(with_totals(counts), all_hidden, least)
    assert ((high - low)[:-1, :-1][small] >= k - 1e-6).all()
    released = method.release(table, seed).counts.reshape(counts.shape)
    np.testing.assert_array_equal(released[~hidden], counts[~hidden])
    middle = np.floor((low + high)[:-1, :-1] / 2 + 1e-9)
    np.testing.assert_array_equal(released[hidden], middle[hidden])
    # the same table with small counts hidden alone
    alone = np.zeros_like(all_hidden)
    alone[:-1, :-1] = small
    low, high = attacked(with_totals(counts), alone, least)
    assert ((high - low)[:-1, :-1][small] < k).any(), "hiding small counts alone would do here"


def test_its_moments_are_those_of_its_one_release() -> None:
    table = table_of(sparse(5, (7, 6), 15.0))
    method = sdc.mechanism("protected-suppression", keep_zeros=True)
    rows = method.draw_tables(table, [repetition_rng(s, 0) for s in range(3)])
    assert (rows == rows[0]).all()
    off = rows[0] - table.counts
    np.testing.assert_array_equal(method.bias(table), off)
    np.testing.assert_array_equal(method.absolute_error(table), np.abs(off))
    assert not method.variance(table).any() and off.any()
    assert method.support(table).has(rows).all()
    assert not method.support(table).has(rows + np.eye(len(table))[:1]).any()
    for seed in (1, 2):
        np.testing.assert_array_equal(method.hidden_in(table, seed), method.hidden(table) > 0)
    assert (off[method.hidden(table) == 0] == 0).all()
    assert method.log_rest_marked(100) == -math.inf


def test_columns_are_where_they_are_said_to_be() -> None:
    """The same counts with the columns' feature first, in the middle and last."""
    counts = sparse(6, (3, 4, 2), 15.0)
    method = sdc.mechanism("protected-suppression", keep_zeros=True)
    names = ("PUMA", "A", "B")
    usual = method.release(table_of(counts, names), 1).counts.reshape(counts.shape)
    for order in ((1, 0, 2), (1, 2, 0)):
        turned = table_of(counts.transpose(order), tuple(names[i] for i in order))
        found = method.release(turned, 1).counts.reshape([counts.shape[i] for i in order])
        np.testing.assert_array_equal(found, usual.transpose(order))
    other = sdc.mechanism("protected-suppression", keep_zeros=True, across="A")
    hidden = other.hiding(table_of(counts, names)).hidden
    assert hidden.size == (4 + 1) * (3 * 2 + 1)


def test_a_row_alone_hides_as_well() -> None:
    """One feature: a row of columns, with one total."""
    table = table_of([2, 30, 9, 50], ("PUMA",))
    method = sdc.mechanism("protected-suppression", keep_zeros=True)
    assert method.hidden(table).tolist() == [1, 0, 1, 0]
    assert method.release(table, 1).counts.tolist() == [5, 30, 5, 50]  # 11 together: 0 to 11


def test_counts_alone_have_no_totals_that_give_them_away() -> None:
    counts = [0, 2, 30, 5, 6]
    for keep_zeros in (True, False):
        method = sdc.mechanism("protected-suppression", keep_zeros=keep_zeros)
        plain = sdc.mechanism("suppression", keep_zeros=keep_zeros)
        np.testing.assert_array_equal(method.hidden(counts), plain.hidden(counts))
        np.testing.assert_array_equal(method.bias(counts), plain.bias(counts))


def test_it_is_worked_out_once_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    from sdc_core.mechanisms import protected_suppression as module

    calls = []
    right = module.hide
    monkeypatch.setattr(module, "hide", lambda *a, **k: calls.append(1) or right(*a, **k))
    table, method = table_of(sparse(7, (5, 4), 15.0)), sdc.mechanism("protected-suppression")
    for _ in range(3):
        method.release(table, 1), method.bias(table), method.hiding(table)
    assert calls == [1]


def test_refusals_are_one_sentence() -> None:
    for value in ("A,B", ""):
        with pytest.raises(sdc.InputError, match="across must"):
            sdc.mechanism("protected-suppression", across=value)
    method = sdc.mechanism("protected-suppression")
    with pytest.raises(sdc.InputError, match="across names 'PUMA'"):
        method.check(table_of([[1, 2], [3, 4]], ("A", "B")))
    large = table_of(np.ones((MOST_CELLS // 4, 2, 5), dtype=int), ("A", "B", "PUMA"))
    for ask in (method.check, method.hidden, method.bias, lambda t: method.release(t, 1)):
        with pytest.raises(sdc.InputError, match=r"can treat 1,000 cells.*dropping"):
            ask(large)
    with pytest.raises(sdc.InputError, match="base must be in"):
        sdc.mechanism("controlled-rounding", base=2)

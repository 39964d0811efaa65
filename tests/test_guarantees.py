"""Suppression: `delta_tight` is the exact hockey-stick divergence, `holds` compares it to theory.

Proven here, on domains small enough to enumerate: every table of two or three cells with counts up
to a cap, every neighbour (one record moves from a cell to another, both directions), every outcome.
The laws are written down again from the papers' definitions; nothing of the engine is used in them.
What two tables have in common is 1 - δ = Σ min(P, e^ε Q), so nothing is lost where δ is near one.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator

import pytest

import sdc_core as sdc

Table = tuple[int, ...]
Law = dict[Hashable, float]
THRESHOLDS = (1, 2, 3, 4, 6, 7)
EPSILONS = (0.1, 0.5, 1.0, 3.0, 8.0)
VARIANTS = ("P0", "P1-noisy-threshold", "P2")
SMALL_DOMAINS = ((2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (3, 2), (3, 3))  # cells, cap


def neighbours(cells: int, cap: int) -> Iterator[tuple[Table, Table]]:
    """All ordered pairs of tables that differ by one record moving between two cells."""
    for table in itertools.product(range(cap + 1), repeat=cells):
        for source, target in itertools.permutations(range(cells), 2):
            if table[source] > 0 and table[target] < cap:
                moved = list(table)
                moved[source] -= 1
                moved[target] += 1
                yield table, tuple(moved)


def overlap(p: Law, q: Law, epsilon: float) -> float:
    """1 - δ: what the neighbour explains, up to a factor e^ε. Σ min(P, e^ε Q)."""
    return math.fsum(min(w, math.exp(epsilon) * q.get(o, 0.0)) for o, w in p.items())


def least_overlap(law: Callable[[Table], Law], cells: int, cap: int, epsilon: float) -> float:
    laws = {table: law(table) for table in itertools.product(range(cap + 1), repeat=cells)}
    return min(overlap(laws[a], laws[b], epsilon) for a, b in neighbours(cells, cap))


def least_within(law: Callable[[Table], Law], cells: int, cap: int, epsilon: float) -> float:
    """The least chance, over neighbours, of an outcome whose loss ln(P/Q) is at most ε.

    A loss of ε itself counts as within, whatever rounding makes of it.
    """
    laws = {table: law(table) for table in itertools.product(range(cap + 1), repeat=cells)}
    limit = math.exp(epsilon) * (1 + 1e-9)
    return min(
        math.fsum(w for o, w in laws[a].items() if w <= limit * laws[b].get(o, 0.0))
        for a, b in neighbours(cells, cap)
    )


def merged(outcomes: Iterable[tuple[Hashable, float]]) -> Law:
    law: Law = defaultdict(float)
    for outcome, weight in outcomes:
        law[outcome] += weight
    return dict(law)


def filler(k: int, imputation: str) -> float:
    return math.floor(k / 2) if imputation == "floor" else k / 2


def separate_law(table: Table, hide: Callable[[int], float], c: float, keep_zeros: bool) -> Law:
    """Each cell by itself shows c with probability hide(x), else x."""
    cells = []
    for x in table:
        p = 0.0 if keep_zeros and x == 0 else hide(x)
        cells.append(merged([(c, p), (float(x), 1 - p)]))
    return merged(
        (tuple(v for v, _ in outcome), math.prod(w for _, w in outcome))
        for outcome in itertools.product(*(cell.items() for cell in cells))
    )


def laplace_mass(low: float, high: float, scale: float) -> float:
    """Pr(low < Lap(scale) < high) for an interval on one side of zero."""
    near, far = sorted((abs(low), abs(high)))
    return (math.exp(-near / scale) - math.exp(-far / scale)) / 2


def shared_law(
    table: Table, k: int, scale: float, imputation: str, keep_zeros: bool, cap: int
) -> Law:
    """One threshold T = k + Lap for all cells (P1 Alg 2), cut at whole numbers.

    Between whole numbers the pattern of hidden cells and floor(T/2) do not change. For T/2 itself,
    a hidden cell shows T: tables with the same pattern have the same density there, so a piece can
    stand for all its values. Above 2·cap + 2 all is hidden and no filler equals a count.
    """
    last = max(2 * cap + 2, k)
    cuts = [-math.inf, *range(last + 1), math.inf]

    def outcome(low: float) -> Hashable:
        rounded = imputation == "floor" and 0 <= low < last
        shown = math.floor(low / 2) if rounded else f"T above {low}"
        hidden = [x <= low and not (keep_zeros and x == 0) for x in table]
        return tuple(shown if h else x for h, x in zip(hidden, table, strict=True))

    return merged(
        (outcome(low), laplace_mass(low - k, high - k, scale))
        for low, high in itertools.pairwise(cuts)
    )


def dp_suppression_law(
    epsilon: float, k: int, variant: str, imputation: str, keep_zeros: bool, cap: int
) -> Callable[[Table], Law]:
    scale = 2 / epsilon
    if variant == "P1-noisy-threshold":
        return lambda table: shared_law(table, k, scale, imputation, keep_zeros, cap)

    def hide(x: int) -> float:
        if x < k:
            return 1.0 if variant == "P2" else 0.5 + laplace_mass(0, k - x, scale)
        return laplace_mass(-math.inf, k - x, scale)

    return lambda table: separate_law(table, hide, filler(k, imputation), keep_zeros)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("imputation", ["floor", "half"])
@pytest.mark.parametrize("keep_zeros", [False, True])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_dp_suppression_by_enumeration(
    variant: str, imputation: str, keep_zeros: bool, epsilon: float
) -> None:
    """All thresholds and small domains: tight δ to 1e-9 of 1 - δ; Thm 1 holds exactly when it does.

    Three cells must give the same worst case as two, since a third cell can only be a bystander.
    """
    for k, (cells, cap) in itertools.product(THRESHOLDS, SMALL_DOMAINS):
        law = dp_suppression_law(epsilon, k, variant, imputation, keep_zeros, cap)
        rest = least_overlap(law, cells, cap, epsilon)
        guarantee = sdc.mechanism(
            "dp-suppression", epsilon=epsilon, k=k, variant=variant, imputation=imputation,
            keep_zeros=keep_zeros,
        ).guarantee(cap=cap)
        case = f"k={k} cells={cells} cap={cap}"
        assert guarantee.delta_tight == pytest.approx(1 - rest, abs=1e-9), case
        assert math.exp(guarantee.log_rest_tight) == pytest.approx(rest, rel=1e-9), case
        within = least_within(law, cells, cap, epsilon)
        assert guarantee.exceeds == pytest.approx(1 - within, abs=1e-9), case
        assert math.exp(guarantee.log_within) == pytest.approx(within, rel=1e-7), case
        assert guarantee.exceeds >= guarantee.delta_tight - 1e-12, case
        if k < cap:
            published = 1 - math.exp(-epsilon * (cap - k)) / 4
            assert guarantee.delta_published == pytest.approx(published, abs=1e-12), case
            assert guarantee.holds is (published >= 1 - rest), case
        else:  # Thm 1 assumes k < B
            assert guarantee.delta_published is None and guarantee.holds is None, case


@pytest.mark.parametrize(("k", "cap"), [(30, 18), (30, 22), (30, 33), (12, 33), (2, 20)])
@pytest.mark.parametrize("epsilon", [0.1, 0.4, 1.2])
def test_losses_of_a_shared_threshold_in_larger_tables(k: int, cap: int, epsilon: float) -> None:
    """Rounded fillers make finite losses, and the worst pair is then not always at the top."""
    law = dp_suppression_law(epsilon, k, "P1-noisy-threshold", "floor", False, cap)
    guarantee = sdc.mechanism(
        "dp-suppression", epsilon=epsilon, k=k, variant="P1-noisy-threshold"
    ).guarantee(cap=cap)
    assert math.exp(guarantee.log_within) == pytest.approx(
        least_within(law, 2, cap, epsilon), rel=1e-9)


def test_the_loss_may_be_above_epsilon_for_sure_while_delta_is_below_one() -> None:
    """Small counts always hidden, ε = 0.5: (1, 5) is hidden for sure, (0, 6) half of the time, so
    the loss is ln 2 whatever comes out, and δ = 1 - e^0.5 / 2 for this pair."""
    found = sdc.mechanism("dp-suppression", epsilon=0.5, k=6, variant="P2").guarantee(cap=6)
    law = dp_suppression_law(0.5, 6, "P2", "floor", False, 6)
    assert 1 - overlap(law((1, 5)), law((0, 6)), 0.5) == pytest.approx(1 - math.exp(0.5) / 2)
    assert found.exceeds == 1 and 0.17 < found.delta_tight < 1 and found.formal


@pytest.mark.parametrize("k", THRESHOLDS)
@pytest.mark.parametrize("imputation", ["floor", "half"])
@pytest.mark.parametrize("keep_zeros", [False, True])
def test_plain_suppression_by_enumeration(k: int, imputation: str, keep_zeros: bool) -> None:
    """A fixed rule gives δ = 1, or δ = 0 where every small table comes out the same, at any ε."""
    mechanism = sdc.mechanism("suppression", k=k, imputation=imputation, keep_zeros=keep_zeros)
    for (cells, cap), epsilon in itertools.product(SMALL_DOMAINS, (0.0, 1.0, 5.0)):
        def law(table: Table) -> Law:
            return separate_law(table, lambda x: float(x < k), filler(k, imputation), keep_zeros)

        guarantee = mechanism.guarantee(cap=cap)
        assert guarantee.delta_tight == 1 - least_overlap(law, cells, cap, epsilon)
        assert guarantee.exceeds == 1 - least_within(law, cells, cap, epsilon)
        assert guarantee.delta_published is None and guarantee.holds is None
        assert guarantee.formal is (guarantee.delta_tight < 1)


def test_theorem_1_golden_values() -> None:
    """P0 Thm 1 at ε = 1, k = 6, B = 12: printed .999380, tight .998978."""
    guarantee = sdc.mechanism("dp-suppression", epsilon=1.0, k=6).guarantee(cap=12)
    assert guarantee.delta_published == pytest.approx(0.999380, abs=5e-7)
    assert guarantee.delta_tight == pytest.approx(0.998978, abs=5e-7)
    assert guarantee.holds is True and guarantee.formal is True


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("cap", [12, 516])
def test_leaving_zeros_alone_breaks_the_guarantee(variant: str, cap: int) -> None:
    """True δ is 1. At cap 516 both δ are 1.0 in floating point, yet only one of them is one."""
    settings = {"epsilon": 1.0, "k": 6, "variant": variant}
    broken = sdc.mechanism("dp-suppression", **settings, keep_zeros=True).guarantee(cap=cap)
    assert broken.delta_tight == 1.0 and broken.holds is False and broken.formal is False
    sound = sdc.mechanism("dp-suppression", **settings).guarantee(cap=cap)
    assert sound.holds is True and sound.formal is True


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("imputation", ["floor", "half"])
def test_the_example_in_the_remark_is_a_counterexample(variant: str, imputation: str) -> None:
    """The two tables that the remark names are neighbours with no outcome in common."""
    remark = sdc.mechanism(
        "dp-suppression", variant=variant, imputation=imputation, keep_zeros=True
    ).guarantee(cap=12).remark
    told = [(int(a), int(b)) for a, b in re.findall(r"\((\d+), (\d+)\)", remark)]
    assert tuple(told[:2]) in set(neighbours(2, 12)), remark
    law = dp_suppression_law(1.0, 6, variant, imputation, True, 12)
    assert overlap(law(told[0]), law(told[1]), 1.0) == 0.0, remark


@pytest.mark.parametrize("cap", [1, 2, 5, 6, 7])
def test_what_was_not_published_is_not_said_to_fail(cap: int) -> None:
    """Theorem 1 is about tables with counts above k = 6; about smaller ones it claims nothing."""
    found = sdc.mechanism("dp-suppression", epsilon=1.0, k=6, keep_zeros=True).guarantee(cap=cap)
    law = dp_suppression_law(1.0, 6, "P0", "floor", True, cap)
    assert least_overlap(law, 2, cap, 1.0) == 0.0 and found.delta_tight == 1.0
    assert (found.delta_published is None) is (cap <= 6) and found.holds is (
        None if cap <= 6 else False)
    assert ("The published guarantee fails" in found.remark) is (cap > 6)
    assert ("which is not so here; and nothing at all holds" in found.remark) is (cap <= 6)
    assert "when empty groups are left at 0, because a 0 then proves" in found.remark
    before, after = ((int(a), int(b)) for a, b in re.findall(r"\((\d+), (\d+)\)", found.remark))
    assert overlap(law(before), law(after), 1.0) == 0.0


@pytest.mark.parametrize("name", ["suppression", "dp-suppression"])
def test_a_missing_cap_is_asked_for_by_name(name: str) -> None:
    with pytest.raises(sdc.InputError, match="cap"):
        sdc.mechanism(name).guarantee()
    from_data = sdc.mechanism(name).guarantee([0, 3, 12])
    given = sdc.mechanism(name).guarantee(cap=12, records=15)
    read_off = ("the largest count, 12",) * given.formal  # no promise rests on it if there is none
    assert from_data == dataclasses.replace(
        given, invariants=(*given.invariants, *read_off), read_off=read_off,
        if_none_larger=given.formal)
    for bad in (0, -3, 2.5, math.nan, "a"):
        with pytest.raises(sdc.InputError, match=rf"cap must be a whole number .* got {bad}"):
            sdc.mechanism(name).guarantee(cap=bad)

"""What P2 says of its figures: whom methods hurt, what gives released records away, which places
fare better under which method, and what empty groups cost.

§3.4 says that suppression leaves empty groups alone; §2.3's definition of the DP version does not.
So all is tried both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.experiment import Evaluation, evaluate
from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism, repetition_rng
from sdc_core.metrics.propensity import Propensity
from sdc_core.metrics.sparsity import error_line
from sdc_core.metrics.subgroups import GroupResult, MethodResult, method_result
from sdc_core.papers.item import EVERYWHERE, Case, Claim, Empty, Found
from sdc_core.papers.p2_releases import (
    FEATURES,
    THRESHOLD,
    dp_suppression,
    laplace,
    suppression,
    told_apart,
)

Floats = NDArray[np.float64]
BY_SEX_AND_RACE = ("RAC1P", "SEX", "PINCP_DECILE", "EDU")
WHITE_MEN, BLACK_MEN = "white men", "black men"
RACES = {WHITE_MEN: "1", BLACK_MEN: "2"}
MAN = "1"


def _table(case: Case) -> Histogram:
    return case.data.histogram(FEATURES)


# Definitions --------------------------------------------------------------------------------------

def _small_groups_alone(case: Case) -> Found:
    table = _table(case)
    bias = evaluate(suppression(case.keep_zeros), table).bias
    small = (table.counts > 0) & (table.counts < THRESHOLD)
    others, empty = bias[~small], bias[table.counts == 0]
    return Found(not others.any() and bool(bias[small].any()), (
        f"Of {int(small.sum()):,} small groups with people {np.count_nonzero(bias[small]):,} come "
        f"out changed, of {int((table.counts >= THRESHOLD).sum()):,} larger ones "
        f"{np.count_nonzero(bias[table.counts >= THRESHOLD]):,}, of {len(empty):,} empty ones "
        f"{np.count_nonzero(empty):,}."))


def _limits_the_loss(case: Case) -> Found:
    """The exact δ at ε = 4, where 1 is no promise."""
    found = dp_suppression(4.0, case.keep_zeros).guarantee(_table(case))
    promises = found.log_rest_tight > -np.inf
    says = f"1 − δ = 10^{found.log_rest_tight / np.log(10):.0f}" if promises else "δ = 1"
    return Found(promises, f"At ε = 4 and counts up to {_table(case).counts.max():,}: {says}.")


# Figure 1 -----------------------------------------------------------------------------------------

def _of_men(case: Case, method: Mechanism) -> MethodResult:
    table = case.data.histogram(BY_SEX_AND_RACE)
    race, sex = table.domain.features[:2]
    groups = {name: (race.values.index(code), sex.values.index(MAN))
              for name, code in RACES.items()}
    found = evaluate(method, table)
    return method_result(table, groups, method, "exact", table.people + found.bias,
                         found.absolute_error)


def _misplaced(group: GroupResult) -> float:
    """For every 1,000 people of the group, in all its counts."""
    found = group.of_thousand(group.misplaced)
    if found is None:
        raise InputError(f"The data have no {group.name}.")
    return found


def _minority_loses_more(method: Callable[[Case], Mechanism]) -> Callable[[Case], Found]:
    def test(case: Case) -> Found:
        white, black = _of_men(case, method(case)).groups
        return Found(_misplaced(black) > _misplaced(white), (
            f"Of every 1,000 black men {_misplaced(black):,.0f} are counted wrongly (of "
            f"{black.people:,}), of white men {_misplaced(white):,.0f} (of {white.people:,})."))
    return test


def _laplace_is_fairer(case: Case) -> Found:
    gaps = []
    for method in (laplace(2.0), dp_suppression(2.0, case.keep_zeros)):
        white, black = _of_men(case, method).groups
        gaps.append(_misplaced(black) - _misplaced(white))
    return Found(abs(gaps[0]) < abs(gaps[1]), (
        f"Black men have {gaps[0]:+,.0f} errors for every 1,000 people against white men under "
        f"Laplace, {gaps[1]:+,.0f} under DP suppression."))


def _laplace_lines_are_fairer(case: Case) -> Found:
    """The line of income on education becomes flatter or steeper by a share, in each group."""
    first, second = (
        _of_men(case, m) for m in (laplace(2.0), dp_suppression(2.0, case.keep_zeros)))
    if first.slope_gap is None or second.slope_gap is None:
        raise InputError("There is no line to compare.")
    said = [f"{100 * (g.slope_change or 0):+.0f}%" for m in (first, second) for g in m.groups]
    return Found(first.slope_gap < second.slope_gap, (
        f"The slope changes by {said[0]} (white men) and {said[1]} (black men) under Laplace, by "
        f"{said[2]} and {said[3]} under DP suppression."))


# Figure 2 -----------------------------------------------------------------------------------------

def _scored(case: Case, method: Mechanism, number: int) -> list[Propensity]:
    table, seed = _table(case), case.attempt.seed
    rngs = [repetition_rng(seed, r) for r in range(number)]
    return [told_apart(table, row) for row in method.draw_tables(table, rngs)]


def _given_away(one: Propensity) -> float:
    """The share of released records that are surely released, less that of original ones which
    are taken for released just as surely."""
    released = one.given_away().sum() * one.times_released / one.pair.released_people
    return float(released - one.accused() * one.times_original / one.pair.people)


def _first_is_less(first: Sequence[float], second: Sequence[float]) -> bool:
    """Of means over releases: beyond two standard errors, or there is nothing to say."""
    a, b = np.asarray(first), np.asarray(second)
    gap, chance = b.mean() - a.mean(), 2 * np.hypot(*(x.std(ddof=1) / len(x)**0.5 for x in (a, b)))
    if abs(gap) <= chance:
        raise InputError(f"Too close to call: {a.mean():.4g} against {b.mean():.4g}.")
    return bool(gap > 0)


def _releases(case: Case) -> int:
    return case.attempt.either(20, 4)


def _laplace_is_closer(case: Case) -> Found:
    first, second = (
        [one.pmse for one in _scored(case, m, _releases(case))]
        for m in (laplace(4.0), dp_suppression(4.0, case.keep_zeros)))
    return Found(_first_is_less(first, second), (
        f"Mean pMSE {np.mean(first):.4f} against {np.mean(second):.4f} of DP suppression."))


def _spike_is_smaller(case: Case) -> Found:
    first, second = (
        [_given_away(one) for one in _scored(case, m, _releases(case))]
        for m in (laplace(4.0), dp_suppression(4.0, case.keep_zeros)))
    return Found(_first_is_less(first, second), (
        f"{np.mean(first):.1%} of Laplace's records have a score of 95 or more, "
        f"{np.mean(second):.1%} of DP suppression's."))


def _laplace_has_a_spike(case: Case) -> Found:
    found = [_given_away(one) for one in _scored(case, laplace(4.0), _releases(case))]
    return Found(_first_is_less(np.zeros(len(found)).tolist(), found),
                 f"{np.mean(found):.1%} of Laplace's records have a score of 95 or more.")


def _filler_gives_away(case: Case) -> Found:
    (one,) = _scored(case, dp_suppression(4.0, case.keep_zeros), 1)
    sure = one.given_away()
    if not sure.sum():
        return Found(False, "No record of DP suppression has a score of 95 or more.")
    filled = (one.pair.released == THRESHOLD // 2) & (one.pair.original != THRESHOLD // 2)
    share, empty = (sure[cells].sum() / sure.sum() for cells in (filled, one.pair.original == 0))
    return Found(bool(share > 0.5), (
        f"Of records with a score of 95 or more {share:.0%} stand in for a hidden count, and "
        f"{empty:.0%} are of people who do not exist."))


def _aim_is_closer(case: Case) -> Found:
    """AIM as written here, from its authors' paper; theirs was another program."""
    aim = mechanism("aim", epsilon=4.0)
    first = [one.pmse for one in _scored(case, aim, 2)]
    second = [one.pmse for one in _scored(case, laplace(4.0), 20)]
    return Found(_first_is_less(first, second), (
        f"Mean pMSE {np.mean(first):.4f} against {np.mean(second):.4f} of Laplace."))


# Figure 3 -----------------------------------------------------------------------------------------

def _by_place(table: Histogram, cells: Floats) -> Floats:
    (axis,) = table.domain.axes(["PUMA"], "place")
    return np.moveaxis(cells.reshape(table.domain.shape), axis, 0).reshape(
        table.domain.shape[axis], -1)


def total(bias: Floats) -> Floats:
    """‖bias‖₁ of each place."""
    return np.asarray(np.abs(bias).sum(axis=1))


def unfairness(bias: Floats) -> Floats:
    """α of each place."""
    return np.asarray(bias.max(axis=1) - bias.min(axis=1))


def _everywhere_better(
    epsilon: float, measure: Callable[[Floats], Floats]
) -> Callable[[Case], Found]:
    def test(case: Case) -> Found:
        table = _table(case)
        found: list[Evaluation] = [
            evaluate(m, table) for m in (laplace(epsilon), dp_suppression(epsilon, case.keep_zeros))
        ]
        first, second = (measure(_by_place(table, one.bias)) for one in found)
        return Found(bool((first < second).all()), (
            f"In {np.count_nonzero(first < second)} of {len(first)} places; on average "
            f"{first.mean():,.1f} against {second.mean():,.1f} of DP suppression."))
    return test


# Figure 4 and takeaways ---------------------------------------------------------------------------

def _laplace_grows(case: Case) -> Found:
    line = error_line(laplace(1.0), _table(case), "l1_bias")
    return Found(line.per_empty > 0, (
        f"At ε = 1 every empty group adds {line.per_empty:.2f} to {line.occupied:,.0f}."))


def _suppression_is_constant(case: Case) -> Found:
    lines = [error_line(m, _table(case), "l1_bias") for m in (
        suppression(case.keep_zeros), dp_suppression(1.0, case.keep_zeros))]
    return Found(not any(line.per_empty for line in lines), (
        f"Every empty group adds {lines[0].per_empty:g} to suppression's {lines[0].occupied:,.0f}, "
        f"and {lines[1].per_empty:g} to the {lines[1].occupied:,.0f} of its DP version at ε = 1."))


def _projection_counts(case: Case) -> Found:
    before, after = (error_line(laplace(1.0, p), _table(case), "l1_bias")
                     for p in ("none", "clip"))
    return Found(abs(before.per_empty) < 1e-12 < after.per_empty, (
        f"At ε = 1 an empty group adds {before.per_empty:g} before negative counts are set to 0, "
        f"{after.per_empty:.2f} after."))


def _simple_can_be_better(case: Case) -> Found:
    """At one of the paper's three ε at least, in error and in fairness at once."""
    table = _table(case)
    other = evaluate(suppression(case.keep_zeros, "floor"), table)
    at = {e: evaluate(laplace(e), table) for e in (1.0, 2.0, 4.0)}
    better = [e for e, one in at.items() if one.l1_bias < other.l1_bias
              and one.fairness_alpha < other.fairness_alpha]
    said = ", ".join(f"{one.l1_bias:,.0f}" for one in at.values())
    exact = laplace(4.0).guarantee(table).delta_tight
    return Found(bool(better) and exact == 0, (
        f"‖bias‖₁ at ε = 1, 2, 4: {said}, against {other.l1_bias:,.0f} of suppression, whose δ is "
        f"{suppression(case.keep_zeros).guarantee(table).delta_tight:g}; Laplace's is {exact:g}."))


def _claim(
    number: int, item: str, where: str, sentence: str, test: Callable[[Case], Found],
    about: tuple[str, ...] = ("ma2019",), empty: tuple[Empty, ...] = ("kept", "filled"),
    tried_on: tuple[str, ...] = EVERYWHERE, slow: bool = False,
) -> Claim:
    return Claim("P2", number, item, where, sentence, test, about, tried_on, empty, slow)


_NO_MATTER: tuple[Empty, ...] = ("",)
_MEN, _ALL, _EITHER = ("national2019",), ("all2019",), ("ma2019", "national2019")
_PLACES = ("all2019-twin", *EVERYWHERE)
CLAIMS = (
    _claim(1, "text", "§2.3", "Cell suppression changes groups that are small and not empty, and "
           "publishes all others as they are (Definition 2; filling empty groups is not in it).",
           _small_groups_alone),
    _claim(2, "text", "§2.3", "DP cell suppression has a worst-case privacy loss that differential "
           "privacy can state (read as: δ below 1, however near).", _limits_the_loss),
    _claim(3, "fig1", "§3.1, Fig 1",
           "Under Laplace, black men have more errors for every 1,000 people than white men.",
           _minority_loses_more(lambda case: laplace(2.0)), _MEN, _NO_MATTER),
    _claim(4, "fig1", "§3.1, Fig 1", "Under DP suppression, black men have more errors for every "
           "1,000 people than white men.",
           _minority_loses_more(lambda case: dp_suppression(2.0, case.keep_zeros)), _MEN),
    _claim(5, "fig1", "§3.1, Fig 1", "Laplace seems fairer than DP suppression, read as: errors "
           "of black and of white men are closer.", _laplace_is_fairer, _MEN),
    _claim(6, "fig1", "§3.1, Fig 1", "Laplace seems fairer than DP suppression, read as: the line "
           "of income on education changes more alike for black and for white men.",
           _laplace_lines_are_fairer, _MEN),
    _claim(7, "fig2", "§3.2, Fig 2",
           "Laplace's records are harder to tell from original ones than DP suppression's.",
           _laplace_is_closer, _EITHER),
    _claim(8, "fig2", "§3.2, Fig 2", "Fewer of Laplace's records than of DP suppression's are "
           "surely known as fake.", _spike_is_smaller, _EITHER),
    _claim(9, "fig2", "§3.2, Fig 2", "Some of Laplace's records are surely known as fake.",
           _laplace_has_a_spike, _EITHER, _NO_MATTER),
    _claim(10, "fig2", "§3.2", "DP suppression's fakes are known by what stands in for hidden "
           "counts, k/2 rounded down (the paper says perhaps).", _filler_gives_away, _EITHER),
    _claim(11, "fig2", "§3.2, Fig 2", "AIM's records are harder to tell from original ones than "
           "Laplace's.", _aim_is_closer, _EITHER, _NO_MATTER, slow=True),
    *(_claim(number, "fig3", where, f"At ε = {epsilon:g} Laplace has a lower {title} than DP "
             "suppression, read as: in every place.", _everywhere_better(epsilon, measure), _ALL,
             tried_on=_PLACES)
      for number, epsilon, title, measure, where in (
          (12, 1.0, "total bias", total, "§3.3, Fig 3"),
          (13, 4.0, "total bias", total, "§3.3, Fig 3"),
          (14, 1.0, "unfairness α", unfairness, "§3.3"),
          (15, 4.0, "unfairness α", unfairness, "§3.3"))),
    _claim(16, "fig4", "§3.4, Fig 4", "The more groups are empty, the larger is Laplace's bias.",
           _laplace_grows, empty=_NO_MATTER),
    _claim(17, "fig4", "§3.4, Fig 4",
           "However many groups are empty, the bias of suppression is the same (the paper leaves "
           "them alone; tried with its DP version, too).",
           _suppression_is_constant),
    _claim(18, "fig4", "§3.4", "Setting negative counts to 0 is a part of why Laplace has a bias "
           "in empty groups.", _projection_counts, empty=_NO_MATTER),
    _claim(19, "text", "Takeaways", "A simple DP method can have less error, more fairness and a "
           "much stronger guarantee than suppression.", _simple_can_be_better),
)

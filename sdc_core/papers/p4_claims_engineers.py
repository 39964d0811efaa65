"""What P4 says of Table 1, Figures 2 to 4 and §9.5, about programmers and engineers and the Pima
study, and tried on the engineers' twin."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from sdc_core.data.microdata import microdata
from sdc_core.mechanisms import mechanism
from sdc_core.metrics.microdata import recognised, relations
from sdc_core.papers.item import Case, Claim, Found
from sdc_core.papers.p4_engineers import (
    KEPT,
    OWN_BINS,
    WIDTHS,
    dependence,
    gap_of,
    gaps,
    in_own_bins,
    misclassified,
    mka,
    ordinal,
    pscr,
)
from sdc_core.papers.p4_told import above, below, every

TWIN = ("svcensus-twin",)
SLIGHTLY = 0.02  # of an error rate


def _swapping_lowers(case: Case) -> Found:
    answers, said = [], []
    for years, r0 in itertools.product(WIDTHS, KEPT):
        itself = recognised.mean_k_anonymity(ordinal(case.data, years).values)
        drawn = mka(case.data, years, mechanism("rank-swapping", rule="correlation", r0=r0),
                    case.attempt.either(10, 3), case.attempt.seed)
        answers.append(below(drawn, itself))
        said.append(f"{drawn.mean / itself - 1:+.1%}")
    return Found(every(answers), f"At R0 = 0.1, 0.9, age to 5 and to 25 years: {', '.join(said)}.")


def _rwn_leaves(case: Case) -> Found:
    itself = recognised.mean_k_anonymity(ordinal(case.data, WIDTHS[0]).values)
    drawn = mka(case.data, WIDTHS[0], mechanism("rwn", k=10, q=1.0), 3, case.attempt.seed)
    return Found(abs(drawn.mean / itself - 1) < 0.01, f"{drawn.mean / itself - 1:+.2%} with q = 1; "
                 "less than 1% counts as little.")


def _wider_is_larger(case: Case) -> Found:
    levels = [recognised.mean_k_anonymity(ordinal(case.data, y).values) for y in (1, 5, 25)]
    return Found(levels == sorted(levels), "Age to 1, 5, 25 years: "
                 + ", ".join(f"{v:,.1f}" for v in levels) + ".")


def _off(case: Case, k: int, q: float) -> float:
    """How far the wage gap of releases is from the true one, in dollars."""
    truth = gap_of(case.data, microdata(case.data))
    return abs(gaps(case.data, k, q, 10, case.attempt.seed).mean - truth)


def _q_costs(case: Case) -> Found:
    offs = [[_off(case, k, q) for q in (0.25, 0.5, 1.0)] for k in (5, 25)]
    said = "; ".join(", ".join(f"${v:,.0f}" for v in row) for row in offs)
    return Found(all(row[0] < row[1] < row[2] for row in offs),
                 f"Off by, at q = 25%, 50%, 100%, for k = 5 and 25: {said}.")


def _k_costs(case: Case) -> Found:
    offs = [_off(case, k, 1.0) for k in (5, 25, 60)]
    said = ", ".join(f"${v:,.0f}" for v in offs)
    return Found(offs == sorted(offs), f"Off by, at k = 5, 25, 60 and q = 100%: {said}.")


def _k_protects(case: Case) -> Found:
    levels = [pscr(case.data, k, 0.5, 2, case.attempt.seed) for k in (5, 25, 75)]
    return Found(every(below(b, a) for a, b in itertools.pairwise(levels)),
                 "Recognised at k = 5, 25, 75 (q = 50%): "
                 + ", ".join(f"{one.mean:.1%}" for one in levels) + ".")


def _q_dominates(case: Case) -> Found:
    seed = case.attempt.seed
    by_k = [pscr(case.data, k, 0.5, 2, seed).mean for k in (5, 75)]
    by_q = [pscr(case.data, 25, q, 2, seed).mean for q in (0.25, 0.75)]
    return Found(by_q[0] - by_q[1] > 1.5 * (by_k[0] - by_k[1]),
                 f"Recognised: {by_k[0]:.1%} to {by_k[1]:.1%} for k from 5 to 75, {by_q[0]:.1%} to "
                 f"{by_q[1]:.1%} for q from 25% to 75%.")


def _lines_meet(case: Case) -> Found:
    apart = {}
    for k in (20, 60, 75):
        levels = [gaps(case.data, k, q, 10, case.attempt.seed).mean for q in (0.25, 1.0)]
        apart[k] = abs(levels[0] - levels[1])
    return Found(apart[60] < 0.5 * min(apart[20], apart[75]), "The lines for q = 25% and 100% are "
                 "apart by " + ", ".join(f"${v:,.0f} at k = {k}" for k, v in apart.items()) + ".")


def _forest(target: str, splits: int, neighbours: tuple[int, ...]) -> Callable[[Case], Found]:
    def test(case: Case) -> Found:
        trees = case.attempt.either(50, 15)
        before = misclassified(case.data, target, 0, splits, trees)
        rises = {k: misclassified(case.data, target, k, splits, trees).minus(before)
                 for k in neighbours}
        said = ", ".join(f"{100 * one.mean:+.1f} at k = {k}" for k, one in rises.items())
        return Found(every(below(one, SLIGHTLY) for one in rises.values()),
                     f"Wrong for {before.mean:.1%} before; in points of a hundred {said}. Less "
                     "than 2 counts as slight.")
    return test


def _dependence_grows(case: Case) -> Found:
    itself = relations.total_correlation(in_own_bins(microdata(case.data)))
    drawn = dependence(case.data, 5, case.attempt.either(20, 4), case.attempt.seed)[OWN_BINS]
    return Found(above(drawn, itself), f"{itself:.3f} before, {drawn.mean:.3f} at k = 5.")


def _dependence_falls(case: Case) -> Found:
    levels = [
        dependence(case.data, k, case.attempt.either(20, 4), case.attempt.seed)[OWN_BINS]
        for k in (5, 25, 50)]
    return Found(every(below(b, a) for a, b in itertools.pairwise(levels)),
                 "At k = 5, 25, 50: " + ", ".join(f"{one.mean:.3f}" for one in levels) + ".")


def _claim(
    number: int, item: str, where: str, sentence: str, test: Callable[[Case], Found],
    about: str = "svcensus", besides: tuple[str, ...] = TWIN, slow: bool = True,
) -> Claim:
    return Claim("P4", number, item, where, sentence, test, (about,), besides, ("",), slow)


CLAIMS: tuple[Claim, ...] = (
    _claim(49, "table1", "§9.1.2, Table 1", "Mean k-anonymity is larger where ages are rounded "
           "more.", _wider_is_larger, slow=False),
    _claim(50, "table1", "§9.1.2, Table 1", "Rank swapping, if anything, lowers mean k-anonymity.",
           _swapping_lowers),
    _claim(51, "table1", "§9.1.2, Table 1", "RWN changes mean k-anonymity little.", _rwn_leaves),
    _claim(52, "fig2", "§9.3.1, Fig 2", "The larger q, the farther is the wage gap from the true "
           "one.", _q_costs),
    _claim(53, "fig2", "§9.3.1", "The larger k, the farther is the wage gap from the true one.",
           _k_costs),
    _claim(54, "fig3", "§9.3.1, Fig 3", "The larger k, the fewer people are recognised.",
           _k_protects),
    _claim(55, "fig3", "§9.3.1, Fig 3", "For how many are recognised q matters more than k.",
           _q_dominates),
    _claim(56, "fig4", "§9.3.1, Fig 4", "Around k of 50 or 60 the lines of the wage gap for each q "
           "come together, read as: at 60 nearer than at 20 and at 75.", _lines_meet),
    _claim(57, "table-9.5-forest-pef", "§9.5", "A random forest's error rises only slightly where "
           "it learns from RWN's release.", _forest("occ", 3, (10, 50)), "pef", TWIN),
    _claim(58, "table-9.5-forest-pima", "§9.5", "On the Pima study the error does not rise.",
           _forest("diabetes", 15, (5, 25)), "pima", ()),
    _claim(59, "table-9.5-totalcorrelation-pef", "§9.5", "With few neighbours the total "
           "correlation of a release is larger than before.", _dependence_grows, "pef"),
    _claim(60, "table-9.5-totalcorrelation-pef", "§9.5", "The more neighbours, the smaller is the "
           "total correlation of a release.", _dependence_falls, "pef"),
)

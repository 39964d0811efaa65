"""What P4 says of three methods along Table 3 (Figures 9 to 14), on body measurements and tried on
the Pima study, where the settings of that table set nothing side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from sdc_core.papers.item import Case, Claim, Found
from sdc_core.papers.p4_body import METHODS, Line, along, apart, original, regressions
from sdc_core.papers.p4_told import above, below, every

EQUAL_AT = (12, 15, 13)  # indices at which Figure 9 has the methods at the same distance
BODY, BESIDES = ("bodyfat",), ("pima",)


def _lines(case: Case, name: str) -> Mapping[str, Line]:
    return along(case.data, name, case.attempt.either(25, 5), case.attempt.seed)


def _comparable_in_the_middle(case: Case) -> Found:
    gaps = apart(_lines(case, "dcr_units"))
    middle, others = gaps[2:7], np.concatenate([gaps[:2], gaps[7:]])
    return Found(bool(middle.max() < others.min()), f"Apart by up to {middle.max():.1%} at "
                 f"indices 3 to 7, by {others.min():.1%} or more elsewhere.")


def _equal_across(case: Case) -> Found:
    lines = _lines(case, "dcr_units")
    levels = [lines[m].means[i - 1] for m, i in zip(METHODS, EQUAL_AT, strict=True)]
    gap = max(levels) / min(levels) - 1
    return Found(bool(gap < 0.02), f"{', '.join(f'{v:.2f}' for v in levels)}: apart by {gap:.1%}.")


def _ends(lines: Mapping[str, Line]) -> str:
    return "; ".join(
        f"{m} {lines[m].means[0]:.3f}, {lines[m].means[7]:.3f}, {lines[m].means[-1]:.3f}"
        for m in METHODS) + " (indices 1, 8, 15)."


def _far_less_interval_risk(case: Case) -> Found:
    lines = _lines(case, "interval")
    others = np.minimum(*(lines[m].means for m in METHODS[1:]))
    return Found(bool((lines["rwn"].means < others / 2).all()), f"Risk: {_ends(lines)}")


def _robust_order(case: Case) -> Found:
    lines = _lines(case, "interval_robust")
    answers = [
        below(lines["rwn"].over[i], lines[m].over[i]) for m in METHODS[1:] for i in range(15)]
    wins = sum(one is True for one in answers)
    return Found(every(answers), f"RWN is lower in {wins} of {len(answers)} comparisons. "
                 f"Risk: {_ends(lines)}")


def _less_distinct(case: Case) -> Found:
    ratio = []
    for name in ("interval", "interval_robust"):
        lines = _lines(case, name)
        ratio.append(float(np.mean([
            lines["rwn"].means / lines[m].means for m in METHODS[1:]])))
    return Found(ratio[0] < ratio[1] < 1, f"RWN's risk is {ratio[0]:.0%} of the others' by "
                 f"deviation and {ratio[1]:.0%} by robust distance, on average.")


def _ahead_at_first(case: Case) -> Found:
    lines = _lines(case, "il1")
    answers = [below(lines[m].over[i], lines["microaggregation"].over[i])
               for m in METHODS[:2] for i in (2, 3)]
    return Found(every(answers), f"IL₁: {_ends(lines)}")


def _behind_at_last(case: Case) -> Found:
    """Where Figure 9 has them at the same distance."""
    lines = _lines(case, "il1")
    rwn_, rank, cluster = (
        lines[m].over[i - 1] for m, i in zip(METHODS, EQUAL_AT, strict=True))
    fifth_less = [below(cluster, 0.8 * one.mean) for one in (rwn_, rank)]
    return Found(every(fifth_less), f"IL₁ at indices 12, 15, 13: RWN {rwn_.mean:.3f}, rank "
                 f"swapping {rank.mean:.3f}, microaggregation {cluster.mean:.3f}; a fifth less "
                 "counts as substantially.")


def _strengthens(case: Case) -> Found:
    line = _lines(case, "growth")["microaggregation"].means
    return Found(bool((line[1:] > 0).all() and line[-1] > line[0]),
                 f"Mean growth of |r| at k = 2, 9, 16: {line[0]:.3f}, {line[7]:.3f}, "
                 f"{line[-1]:.3f}.")


def _weaken(case: Case) -> Found:
    lines = _lines(case, "growth")
    answers = [below(lines[m].over[b], lines[m].over[a])
               for m in METHODS[:2] for a, b in ((0, 7), (7, 14))]
    return Found(every([*answers, *(below(lines[m].over[-1], 0.0) for m in METHODS[:2])]),
                 f"Mean growth of |r|: {_ends(lines)}")


def _first_alike(case: Case) -> Found:
    lines = _lines(case, "il2_aligned")
    gap = float(np.ptp([lines[m].means for m in METHODS], axis=0).max())
    typical = float(np.abs(original(case.data).components.loadings[:, 0]).mean())
    return Found(gap < 0.15 * typical, f"Apart by {gap:.3f} at most, where a loading is "
                 f"{typical:.2f}; less than 15% of it counts as comparable.")


def _second_worse(case: Case) -> Found:
    lines = _lines(case, "il2_second_aligned")
    answers = [above(lines["rwn"].over[i], lines[m].over[i])
               for m in METHODS[1:] for i in (12, 13, 14)]
    return Found(every(answers), f"IL₂ of the second: {_ends(lines)}")


def _fits(case: Case) -> tuple[Mapping[str, Line], Mapping[str, Line]]:
    both = regressions(case.data, case.attempt.either(25, 5), case.attempt.seed)
    return {m: both[m][0] for m in METHODS}, {m: both[m][1] for m in METHODS}


def _coefficients_alike(case: Case) -> Found:
    losses, _ = _fits(case)
    ratio = losses["rwn"].means / losses["rank swapping"].means
    return Found(bool((np.abs(np.log(ratio)) < np.log(1.33)).all()),
                 f"RWN's IL₃ is {ratio.min():.2f} to {ratio.max():.2f} times rank swapping's; "
                 "within a third counts as similar.")


def _jagged(case: Case) -> Found:
    losses, _ = _fits(case)
    jumps = {m: float(np.abs(np.diff(losses[m].means, n=2)).mean()) for m in METHODS}
    said = ", ".join(f"{m} {v:.3f}" for m, v in jumps.items())
    return Found(jumps["microaggregation"] > 3 * max(jumps["rwn"], jumps["rank swapping"]),
                 f"Mean bend of IL₃ from index to index: {said}.")


def _r_squared_moves(case: Case) -> Found:
    _, r2 = _fits(case)
    falls = [below(r2[m].over[b], r2[m].over[a])
             for m in METHODS[:2] for a, b in ((0, 7), (7, 14))]
    rises = above(r2["microaggregation"].over[-1], r2["microaggregation"].over[0])
    return Found(every([*falls, rises]), f"R²: {_ends(r2)}")


def _rank_keeps_more_r_squared(case: Case) -> Found:
    _, r2 = _fits(case)
    gap = r2["rank swapping"].means - r2["rwn"].means
    more = every(above(r2["rank swapping"].over[i], r2["rwn"].over[i]) for i in (12, 13, 14))
    return Found(every([bool(np.abs(gap[:3]).max() < 0.05), more]),
                 f"Rank swapping's R² less RWN's: {gap[0]:.3f}, {gap[7]:.3f}, {gap[-1]:.3f} "
                 "(indices 1, 8, 15).")


def _most_like_rank_swapping(case: Case) -> Found:
    off = dict.fromkeys(METHODS[1:], 0.0)
    for name in ("il1", "il2_second_aligned"):
        lines = _lines(case, name)
        for m in off:
            off[m] += float(np.abs(np.log(lines["rwn"].means / lines[m].means)).mean())
    losses, _ = _fits(case)
    for m in off:
        off[m] += float(np.abs(np.log(losses["rwn"].means / losses[m].means)).mean())
    said = ", ".join(f"{m} {v / 3:.2f}" for m, v in off.items())
    return Found(off["rank swapping"] < off["microaggregation"],
                 f"Mean |log ratio| of RWN's losses to those of: {said}.")


def _claim(
    number: int, item: str, where: str, sentence: str, test: Callable[[Case], Found],
    slow: bool = True,
) -> Claim:
    return Claim("P4", number, item, where, sentence, test, BODY, BESIDES, ("",), slow)


CLAIMS: tuple[Claim, ...] = (
    _claim(15, "fig9", "§9.4, Fig 9", "In distance to the closest record the three methods are "
           "comparable at indices 3 to 7, read as: closer than at any other.",
           _comparable_in_the_middle),
    _claim(16, "fig9", "§9.4, Fig 9", "RWN at index 12, rank swapping at 15 and microaggregation "
           "at 13 have nearly the same distance.", _equal_across),
    _claim(17, "fig10", "§9.4, Fig 10", "By deviation RWN's interval risk is far below that of the "
           "other two, read as: less than half at every index.", _far_less_interval_risk),
    _claim(18, "fig10", "§9.4, Fig 10", "By robust distance RWN's risk is the lowest, too, read "
           "as: at every index.", _robust_order),
    _claim(19, "fig10", "§9.4, Fig 10", "By robust distance RWN's advantage is much smaller.",
           _less_distinct),
    _claim(20, "fig11", "§9.4, Fig 11", "At small distances RWN and rank swapping change "
           "correlations less than microaggregation.", _ahead_at_first),
    _claim(21, "fig11", "§9.4, Fig 11", "At large distances microaggregation changes them "
           "substantially less than the other two.", _behind_at_last),
    _claim(22, "fig12", "§9.4, Fig 12", "Microaggregation strengthens correlations, the more the "
           "larger its clusters.", _strengthens),
    _claim(23, "fig12", "§9.4, Fig 5, 12", "RWN and rank swapping weaken correlations, the more "
           "they perturb.", _weaken),
    _claim(24, "fig13", "§9.4, Fig 13", "Loadings on the first component change about equally "
           "under all three.", _first_alike),
    _claim(25, "fig13", "§9.4, Fig 13", "At large distances loadings on the second component "
           "change most under RWN.", _second_worse),
    _claim(26, "fig14", "§9.4, Fig 14", "RWN and rank swapping change coefficients about equally.",
           _coefficients_alike),
    _claim(27, "fig14", "§9.4, Fig 14", "Microaggregation's change of coefficients is jagged.",
           _jagged),
    _claim(28, "fig14", "§9.4, Fig 14", "R² falls under RWN and rank swapping and rises under "
           "microaggregation.", _r_squared_moves),
    _claim(29, "fig14", "§9.4, Fig 14", "R² is alike under RWN and rank swapping at first; at last "
           "rank swapping keeps more of it.", _rank_keeps_more_r_squared),
    _claim(30, "fig14", "§9.4", "In what it loses RWN is most like rank swapping.",
           _most_like_rank_swapping),
)

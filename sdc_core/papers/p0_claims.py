"""What P0 says in words of its bounds, Table 1 and Figure 2, as sentences that can fail."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

from sdc_core.mechanisms.base import Mechanism
from sdc_core.papers.item import Case, Claim, Found
from sdc_core.papers.p0_claims_people import CLAIMS_ABOUT_PEOPLE
from sdc_core.papers.p0_figures import SHARES, THRESHOLDS
from sdc_core.papers.p0_methods import (
    DP_SDC,
    EPSILONS,
    NOISE,
    SWAP_RATE,
    Pair,
    counted,
    exact,
    measured,
    said,
    smaller_at_each_epsilon,
    suppression,
    swapping,
    the_four,
)

CLOSE = 0.25  # apart by no more than this share: what "closely resembles" is taken to mean
MEASURES = {"l1_bias": "error", "fairness_alpha": "unfairness", "max_variance": "variance"}

# ---- Table 1 ------------------------------------------------------------------------------------


def _at(case: Case, epsilon: float, measure: str) -> dict[str, float]:
    return measured(counted(case.data), the_four(epsilon, case.keep_zeros), measure)


def lower(
    first: str, second: str, measure: str, epsilons: Sequence[float], digits: int = 0
) -> Callable[[Case], Found]:
    """Is one method's number below another's at each of these ε?"""

    def test(case: Case) -> Found:
        found = [_at(case, epsilon, measure) for epsilon in epsilons]
        return smaller_at_each_epsilon(
            [(one[first], one[second], 0.0) for one in found], epsilons, digits)

    return test


def lowest(
    first: str, measure: str, epsilons: Sequence[float], digits: int = 2
) -> Callable[[Case], Found]:
    """Is it below that of the best of the other three?"""

    def test(case: Case) -> Found:
        pairs: list[Pair] = []
        for epsilon in epsilons:
            found = _at(case, epsilon, measure)
            own = found.pop(first)
            pairs.append((own, min(found.values()), 0.0))
        return smaller_at_each_epsilon(pairs, epsilons, digits)

    return test


def largest_swapping(measure: str) -> Callable[[Case], Found]:
    def test(case: Case) -> Found:
        pairs: list[Pair] = []
        for epsilon in EPSILONS:
            found = _at(case, epsilon, measure)
            own = found.pop("dp-swap")
            pairs.append((max(found.values()), own, 0.0))
        return smaller_at_each_epsilon(pairs, EPSILONS)

    return test


def noise_mostly_better(case: Case) -> Found:
    """Every pair of a noise method and a DP version, at each ε, in error, α and variance."""
    better = dict.fromkeys(MEASURES, 0)
    for measure in MEASURES:
        for epsilon in EPSILONS:
            found = _at(case, epsilon, measure)
            better[measure] += sum(found[a] < found[b] for a in NOISE for b in DP_SDC)
    each = len(EPSILONS) * len(NOISE) * len(DP_SDC)
    numbers = ", ".join(f"{n} of {each} in {MEASURES[m]}" for m, n in better.items())
    return Found(sum(better.values()) * 2 > each * len(MEASURES), f"Noise is better {numbers}.")


def deltas_are_large(case: Case) -> Found:
    table = counted(case.data)
    sdc: list[float] = []
    noise: list[float] = []
    for epsilon in EPSILONS:
        for row, method in the_four(epsilon, case.keep_zeros).items():
            (sdc if row in DP_SDC else noise).append(method.guarantee(table).delta_tight)
    return Found(min(sdc) > 0.5 and max(noise) < 0.01,
                 f"Exact δ: at least {min(sdc):.4f} for DP suppression and DP swapping, at most "
                 f"{max(noise):.4f} for noise.")


def suppression_less_fair(case: Case) -> Found:
    return _noise_fairer(case, suppression(case.keep_zeros))


def swapping_less_fair(case: Case) -> Found:
    return _noise_fairer(case, swapping())


def swapping_with_others_less_fair(case: Case) -> Found:
    return _noise_fairer(case, swapping(require_different=True))


def _noise_fairer(case: Case, old: Mechanism) -> Found:
    """The worse noise at each ε, against a traditional method."""
    alpha = exact(counted(case.data), old).fairness_alpha
    noise = [_at(case, epsilon, "fairness_alpha") for epsilon in EPSILONS]
    worse = [max(one[name] for name in NOISE) for one in noise]
    return smaller_at_each_epsilon([(one, alpha, 0.0) for one in worse], EPSILONS, 2)


def most_counts_are_shown(case: Case) -> Found:
    counts = counted(case.data).counts
    groups, shown = int((counts > 0).sum()), int((counts >= 3).sum())
    people = counts[counts >= 3].sum() / counts.sum()
    return Found(2 * shown > groups, f"{shown:,} of {groups:,} groups with anybody, and "
                 f"{people:.1%} of the people.")


def error_need_not_fall(case: Case) -> Found:
    found = [_at(case, epsilon, "l1_bias")["dp-sup"] for epsilon in EPSILONS]
    numbers = ", ".join(f"{one:,.0f}" for one in found)
    rises = any(b > a for a, b in itertools.pairwise(found))
    return Found(rises, f"Error of DP suppression at ε = 0.5, 1, 2, 4: {numbers}.")


def bound_on_gamma(case: Case) -> Found:
    table = counted(case.data)
    largest, people = float(table.counts.max()), float(table.total)
    bound = 1 - largest / (2 * people**3)
    return Found(bound > max(0.999999, 1 - SWAP_RATE),
                 f"1 − B/2m³ is one less {1 - bound:.1e}; γ is {1 - SWAP_RATE:g}.")


# ---- Figure 2 -----------------------------------------------------------------------------------

Versions = dict[str, list[float]]  # the DP version's number at each ε, by setting


def _suppressions(case: Case, measure: str) -> tuple[Versions, dict[str, float]]:
    table, zeros = counted(case.data), case.keep_zeros
    ours = {f"k = {k}": [float(getattr(exact(table, the_four(e, zeros, k)["dp-sup"]), measure))
                         for e in EPSILONS] for k in THRESHOLDS}
    return ours, {f"k = {k}": float(getattr(exact(table, suppression(zeros, k)), measure))
                  for k in THRESHOLDS}


def _swappings(case: Case, measure: str, differ: bool) -> tuple[Versions, dict[str, float]]:
    table = counted(case.data)
    ours, old = {}, {}
    for share in SHARES:
        name = f"{share:.0%} swapped"
        methods = [the_four(e, swap_rate=share, require_different=differ)["dp-swap"]
                   for e in EPSILONS]
        ours[name] = [float(getattr(exact(table, one), measure)) for one in methods]
        old[name] = float(getattr(exact(table, swapping(share, differ)), measure))
    return ours, old


def _both(case: Case, measure: str, differ: bool | None) -> tuple[Versions, dict[str, float]]:
    return _suppressions(case, measure) if differ is None else _swappings(case, measure, differ)


def resembles(measure: str, differ: bool | None = None) -> Callable[[Case], Found]:
    """Is the DP version's number within a quarter of the original's, at every setting?"""

    def test(case: Case) -> Found:
        ours, old = _both(case, measure, differ)
        apart = {(name, e): abs(value / old[name] - 1)
                 for name, row in ours.items() for e, value in zip(EPSILONS, row, strict=True)}
        (name, epsilon), worst = max(apart.items(), key=lambda one: one[1])
        value = ours[name][EPSILONS.index(epsilon)]
        return Found(worst <= CLOSE, f"Farthest apart at {name}, ε = {epsilon:g}: {value:,.1f} "
                     f"against {old[name]:,.1f}.")

    return test


def approaches(measure: str, differ: bool | None) -> Callable[[Case], Found]:
    """Does the distance to the original's number shrink from each ε to the next?"""

    def test(case: Case) -> Found:
        ours, old = _both(case, measure, differ)
        gaps = {name: [abs(value - old[name]) for value in row] for name, row in ours.items()}
        holds = all(b < a for row in gaps.values() for a, b in itertools.pairwise(row))
        name = next(iter(gaps)) if differ is None else f"{SWAP_RATE:.0%} swapped"
        numbers = ", ".join(f"{one:,.1f}" for one in gaps[name])
        return Found(holds, f"Distance to the original at {name}, ε = 0.5, 1, 2, 4: {numbers}.")

    return test


def no_less_fair(differ: bool | None) -> Callable[[Case], Found]:
    """Is α no more than a quarter above the original's, at every setting?"""

    def test(case: Case) -> Found:
        ours, old = _both(case, "fairness_alpha", differ)
        ratio = {name: max(row) / old[name] for name, row in ours.items()}
        name = max(ratio, key=lambda one: ratio[one])
        return Found(ratio[name] <= 1 + CLOSE,
                     f"Largest beside the original at {name}: α = {max(ours[name]):,.2f} against "
                     f"{old[name]:,.2f}.")

    return test


def may_be_more_precise(case: Case) -> Found:
    ours, old = _suppressions(case, "l1_error")
    better = [(value, old[name], 0.0) for name, row in ours.items() for value in row
              if value < old[name]]
    return Found(bool(better), f"{said(better[:1]) or 'Nowhere'} over k = 4 to 10, with "
                 f"{len(better)} of {len(ours) * len(EPSILONS)} settings below the original.")


def _claim(
    number: int, item: str, where: str, sentence: str, test: Callable[[Case], Found],
    empties: bool = True, slow: bool = False,
) -> Claim:
    """Where no method treats empty groups one way or the other, the claim is tried once."""
    return Claim("P0", number, item, where, sentence, test, slow=slow,
                 empty=("kept", "filled") if empties else ("",))


CLAIMS: tuple[Claim, ...] = (
    _claim(1, "text", "Abstract, §5, Table 1", "The DP versions of suppression and swapping lose "
           "far more privacy than noise: at every ε of Table 1 their exact δ is above a half, that "
           "of noise below 0.01 (the table prints up to 0.36).", deltas_are_large),
    _claim(2, "text", "§1", "Suppression itself can be less fair than Laplace and discrete "
           "Gaussian noise, the paper says much less (tried: less at every ε of Table 1).",
           suppression_less_fair),
    _claim(42, "text", "§1, §3", "Swapping can be less fair than noise (tried: at every ε of Table "
           "1), where the closest record may have the same quasi-identifiers, as in §3.",
           swapping_less_fair, empties=False),
    _claim(43, "text", "§1, §5", "Swapping can be less fair than noise (tried: at every ε of Table "
           "1), where the closest record must have other quasi-identifiers, as in §5.",
           swapping_with_others_less_fair, empties=False),
    _claim(44, "text", "§3, Fig 1", "Suppression with k = 3 still shows many counts as they are, "
           "which the paper says of a small example (tried: more than half of those above zero).",
           most_counts_are_shown, empties=False),
    _claim(3, "text", "§4", "The error of DP suppression need not fall as ε grows (tried: it rises "
           "at some step of ε).", error_need_not_fall),
    _claim(4, "fig2", "§4", "DP suppression may be nearer to the data than suppression itself "
           "(tried: at some ε of Table 1 and some k of 4, 6, 8, 10).", may_be_more_precise),
    _claim(5, "fig2", "§5, Fig 2", "Releases of DP suppression are about as far from the data as "
           "those of suppression (within a quarter, k = 4, 6, 8, 10).", resembles("l1_error")),
    _claim(6, "fig2", "§5, Fig 2", "Where any other record may be the donor in both (§3, eq. 2), "
           "releases of DP swapping are about as far from the data as those of swapping (within a "
           "quarter).", resembles("l1_error", False), empties=False, slow=True),
    _claim(7, "fig2", "§5, Fig 2", "Where donors must have other quasi-identifiers in both, "
           "releases of DP swapping are about as far from the data as those of swapping (within a "
           "quarter).", resembles("l1_error", True), empties=False, slow=True),
    _claim(8, "fig2", "§5, Fig 2", "With growing ε the error of DP swapping comes closer to that "
           "of swapping where any other record may be the donor in both.",
           approaches("l1_error", False), empties=False, slow=True),
    _claim(9, "fig2", "§5, Fig 2", "With growing ε the error of DP swapping comes closer to that "
           "of swapping where donors must have other quasi-identifiers in both.",
           approaches("l1_error", True), empties=False, slow=True),
    _claim(10, "fig2", "§6, Fig 2", "DP suppression is about as fair as suppression, or fairer (α "
           "at most a quarter above, k = 4, 6, 8, 10).", no_less_fair(None)),
    _claim(11, "fig2", "§6, Fig 2", "Where any other record may be the donor in both, DP swapping "
           "is about as fair as swapping, or fairer (α at most a quarter above).",
           no_less_fair(False), empties=False, slow=True),
    _claim(12, "fig2", "§6, Fig 2", "Where donors must have other quasi-identifiers in both, DP "
           "swapping is about as fair as swapping, or fairer (α at most a quarter above).",
           no_less_fair(True), empties=False, slow=True),
    _claim(13, "fig2", "§6, Fig 2", "With growing ε the α of DP suppression comes closer to that "
           "of suppression at every step, k = 4, 6, 8, 10 (our reading; the paper says that their "
           "likeness is noteworthy then).", approaches("fairness_alpha", None)),
    _claim(45, "fig2", "§6, Fig 2", "With growing ε the α of DP swapping comes closer to that of "
           "swapping at every step where donors must have other quasi-identifiers in both (our "
           "reading; the paper says that their likeness is noteworthy then).",
           approaches("fairness_alpha", True), empties=False, slow=True),
    _claim(14, "text", "§6", "The bound on γ in Theorem 8 is very close to one (within a "
           "millionth).", bound_on_gamma, empties=False),
    _claim(15, "table1", "Table 1", "Laplace has a lower error than DP suppression for ε ≥ 1.",
           lower("laplace", "dp-sup", "l1_bias", EPSILONS[1:])),
    _claim(16, "table1", "Table 1", "DP suppression has a lower error than Laplace at ε = 0.5.",
           lower("dp-sup", "laplace", "l1_bias", EPSILONS[:1])),
    _claim(17, "table1", "Table 1", "Laplace is the fairest of the four for ε ≥ 1 (exact "
           "α; the printed one has the noise of 200 averages).",
           lowest("laplace", "fairness_alpha", EPSILONS[1:])),
    _claim(18, "table1", "Table 1", "DP suppression is fairer than Laplace at ε = 0.5 (exact "
           "α; the printed one has the noise of 200 averages).",
           lower("dp-sup", "laplace", "fairness_alpha", EPSILONS[:1], 2)),
    _claim(19, "table1", "Table 1", "DP suppression has the smallest variance at ε = 0.5 and 1.",
           lowest("dp-sup", "max_variance", EPSILONS[:2])),
    _claim(20, "table1", "Table 1", "Laplace has the smallest variance at ε = 2 and 4.",
           lowest("laplace", "max_variance", EPSILONS[2:])),
    _claim(21, "table1", "Table 1, §7", "Discrete Gaussian noise has a larger error than Laplace "
           "noise at every ε.", lower("laplace", "dgauss", "l1_bias", EPSILONS), empties=False),
    _claim(22, "table1", "Table 1", "Discrete Gaussian noise has a lower error than DP suppression "
           "for ε ≥ 1.", lower("dgauss", "dp-sup", "l1_bias", EPSILONS[1:])),
    _claim(23, "table1", "Table 1", "DP swapping has the largest error of the four at every ε.",
           largest_swapping("l1_bias")),
    _claim(24, "table1", "Table 1", "DP swapping is the least fair of the four at every ε.",
           largest_swapping("fairness_alpha")),
    _claim(25, "table1", "§7", "In most cases noise has a lower error, α or variance than the DP "
           "versions of suppression and swapping (more than half of all comparisons, the three "
           "taken together).", noise_mostly_better),
    *CLAIMS_ABOUT_PEOPLE,
)

"""What P0 says in words of Figures 3 to 5: groups of people, models, and people who are unique."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from sdc_core.errors import InputError
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.classification import mean_of, paired
from sdc_core.papers.item import Case, Claim, Empty, Found
from sdc_core.papers.p0_figures import (
    BLACK_MEN,
    WHITE_MEN,
    by_income_and_education,
    heatmap,
    learning,
    learnt,
    methods_of_figure_3,
    misplaced,
    people_of,
    shown_once,
)
from sdc_core.papers.p0_methods import (
    DP_SDC,
    EPSILONS,
    NOISE,
    Pair,
    all_smaller,
    counted,
    smaller_at_each_epsilon,
    suppression,
    swapping,
    the_four,
)

# ---- Figure 3 -----------------------------------------------------------------------------------


def _heatmaps(case: Case) -> dict[str, tuple[float, float]]:
    """Misplaced people of 1,000 White men and of 1,000 Black men."""
    table = by_income_and_education(case.data)
    try:
        white, black = people_of(table, WHITE_MEN), people_of(table, BLACK_MEN)
    except ValueError:
        raise InputError("These groups do not occur here.") from None
    methods = methods_of_figure_3(case.keep_zeros)
    return {name: (misplaced(table, one, white), misplaced(table, one, black))
            for name, one in methods.items()}


def _listed(found: Mapping[str, tuple[float, float]]) -> str:
    return "Of 1,000 White and Black men: " + ", ".join(
        f"{name} {white:,.0f} and {black:,.0f}" for name, (white, black) in found.items()) + "."


def swapping_worst_for_black_men(case: Case) -> Found:
    found = _heatmaps(case)
    others = max(black for name, (_, black) in found.items() if name != "dp-swap")
    return Found(found["dp-swap"][1] > others, _listed(found))


def laplace_least(case: Case) -> Found:
    found = _heatmaps(case)
    own = found["laplace"]
    return Found(all(own[i] < other[i] for name, other in found.items() if name != "laplace"
                     for i in (0, 1)), _listed(found))


def black_men_bear_more(case: Case) -> Found:
    found = _heatmaps(case)
    return Found(all(white < black for white, black in found.values()), _listed(found))


def laplace_least_disparity(case: Case) -> Found:
    found = _heatmaps(case)
    gaps = {name: black - white for name, (white, black) in found.items()}
    return Found(all(gaps["laplace"] < gap for name, gap in gaps.items() if name != "laplace"),
                 _listed(found))


def gaussian_like_suppression(case: Case) -> Found:
    found = _heatmaps(case)
    gaussian, hiding = (found[one][1] - found[one][0] for one in ("dgauss", "dp-sup"))
    alike = min(gaussian, hiding) > 0 and max(gaussian, hiding) <= 1.25 * min(gaussian, hiding)
    return Found(alike, f"Black less White: {gaussian:,.0f} and {hiding:,.0f} of 1,000.")


def worse_where_sparse(case: Case) -> Found:
    """Groups by race and sex, the sparsest first: the share of cells of their two-way table that
    are empty, beside Laplace's error less DP suppression's."""
    table = by_income_and_education(case.data)
    methods = methods_of_figure_3(case.keep_zeros)
    sparse, more = [], []
    for place in np.ndindex(table.domain.shape[:2]):
        truth = heatmap(table, methods["laplace"], place).truth
        if truth.any():
            sparse.append(float((truth == 0).mean()))
            more.append(misplaced(table, methods["laplace"], place)
                        - misplaced(table, methods["dp-sup"], place))
    if len(sparse) < 4:
        raise InputError("Too few groups to see a trend.")
    rank, worst = float(spearmanr(sparse, more).statistic), more[int(np.argmax(sparse))]
    return Found(rank > 0 and worst > 0, f"Rank correlation {rank:.2f} over {len(more)} groups; in "
                 f"the sparsest Laplace misplaces {worst:+,.0f} of 1,000 beside DP suppression.")


# ---- Figure 4 -----------------------------------------------------------------------------------


def _accuracy(case: Case, method: Mechanism) -> NDArray[np.float64]:
    return learnt(case.data, method, case.attempt.either(200, 20), case.attempt.seed)


def _noise_above(case: Case, others: Mapping[str, Mechanism], epsilon: float) -> list[Pair]:
    """Accuracy of each other method, of the worse noise, and the error of their difference."""
    noise = [_accuracy(case, the_four(epsilon)[name]) for name in NOISE]
    worse = min(noise, key=lambda one: mean_of(one).mean)
    pairs = []
    for method in others.values():
        own = _accuracy(case, method)
        pairs.append((mean_of(own).mean, mean_of(worse).mean, paired(worse, own).se))
    return pairs


def _old(case: Case) -> dict[str, Mechanism]:
    return {"suppression": suppression(case.keep_zeros), "swapping": swapping()}


def _dp_versions(case: Case, epsilon: float) -> dict[str, Mechanism]:
    return {name: one for name, one in the_four(epsilon, case.keep_zeros).items()
            if name in DP_SDC}


def _percent(pairs: Iterable[Pair]) -> str:
    return ", ".join(f"{a:.1%} against {b:.1%}" for a, b, _ in pairs)


def noise_predicts_better(case: Case) -> Found:
    pairs = [one for epsilon in EPSILONS[1:]
             for one in _noise_above(case, _dp_versions(case, epsilon), epsilon)]
    return Found(all_smaller(pairs), "DP suppression and DP swapping against the worse noise at "
                 f"ε = 1, 2, 4: {_percent(pairs)}.")


def noise_above_traditional(case: Case) -> Found:
    pairs = [one for epsilon in EPSILONS[1:] for one in _noise_above(case, _old(case), epsilon)]
    return Found(all_smaller(pairs), "Suppression and swapping against the worse noise at ε = 1, "
                 f"2, 4: {_percent(pairs)}.")


def not_at_half(case: Case) -> Found:
    pairs = _noise_above(case, {**_dp_versions(case, 0.5), **_old(case)}, 0.5)
    above = all_smaller(pairs)
    return Found(None if above is None else not above,
                 f"Others against the worse noise at ε = 0.5: {_percent(pairs)}.")


def noise_nearest_to_the_data(case: Case) -> Found:
    own = learning(case.data).from_the_data
    pairs: list[Pair] = []
    for epsilon in EPSILONS[1:]:
        others = {**_dp_versions(case, epsilon), **_old(case)}
        gaps = {name: abs(_accuracy(case, one) - own) for name, one in (
            *((n, the_four(epsilon)[n]) for n in NOISE), *others.items())}
        worse = max((gaps[n] for n in NOISE), key=lambda one: mean_of(one).mean)
        near = min((gaps[n] for n in others), key=lambda one: mean_of(one).mean)
        pairs.append((mean_of(worse).mean, mean_of(near).mean, paired(near, worse).se))
    return Found(all_smaller(pairs), "Distance from the model of the data itself, the worse noise "
                 f"against the best other at ε = 1, 2, 4: {_percent(pairs)}.")


def hangs_on_settings(case: Case) -> Found:
    """How far mean accuracy moves along ε at the usual settings, and along k or the swap rate at
    ε = 1."""
    usual = [_dp_versions(case, epsilon) for epsilon in EPSILONS]
    along_k = [the_four(1.0, case.keep_zeros, k=k)["dp-sup"] for k in (3, 6, 12, 24)]
    along_rate = [the_four(1.0, swap_rate=rate)["dp-swap"] for rate in (0.05, 0.25, 0.5, 0.9)]
    pairs = []
    for name, settings in (("dp-sup", along_k), ("dp-swap", along_rate)):
        (by_epsilon, error), (by_setting, other) = (
            _reach(case, methods) for methods in ([one[name] for one in usual], settings))
        pairs.append((by_epsilon, by_setting, math.hypot(error, other)))
    return Found(all_smaller(pairs), "Accuracy moves along ε, and along k or the swap rate, by "
                 f"{_percent(pairs)}.")


def _reach(case: Case, methods: Iterable[Mechanism]) -> tuple[float, float]:
    """From the lowest to the highest mean accuracy, and its standard error."""
    means = sorted((mean_of(_accuracy(case, one)) for one in methods), key=lambda one: one.mean)
    return means[-1].mean - means[0].mean, math.hypot(means[0].se, means[-1].se)


# ---- Figure 5 -----------------------------------------------------------------------------------


def _shown(case: Case) -> dict[str, list[float]]:
    """Percent of the people who are unique whom a release shows exactly once, at each ε."""
    table = counted(case.data)
    if not (table.counts == 1).any():
        raise InputError("Nobody is unique here.")
    found = [{name: 100 * shown_once(table, one).share
              for name, one in the_four(epsilon, case.keep_zeros).items()} for epsilon in EPSILONS]
    return {name: [one[name] for one in found] for name in found[0]}


def noise_shows_more(case: Case) -> Found:
    found = _shown(case)
    rows = [found[name] for name in NOISE]
    said = " and ".join(f"{row[0]:.1f}% to {row[-1]:.1f}%" for row in rows)
    return Found(all(a < b for row in rows for a, b in itertools.pairwise(row)),
                 f"Laplace and discrete Gaussian, ε = 0.5 to 4: {said}.")


def swapping_moves_less(case: Case) -> Found:
    found = _shown(case)
    reach = {name: max(row) - min(row) for name, row in found.items()}
    return Found(reach["dp-swap"] < min(reach[name] for name in NOISE),
                 "From ε = 0.5 to 4 it moves by " + ", ".join(
                     f"{reach[n]:.1f} points ({n})" for n in (*NOISE, "dp-swap")) + ".")


def swapping_shows_most(case: Case) -> Found:
    found = _shown(case)
    pairs = [(max(found[n][i] for n in NOISE), found["dp-swap"][i], 0.0)
             for i in range(len(EPSILONS))]
    return smaller_at_each_epsilon(pairs, EPSILONS, 1)


def gaussian_shows_less(case: Case) -> Found:
    found = _shown(case)
    return smaller_at_each_epsilon(
        [(a, b, 0.0) for a, b in zip(found["dgauss"], found["laplace"], strict=True)], EPSILONS, 1)


def suppression_shows_hardly_any(case: Case) -> Found:
    found = _shown(case)["dp-sup"]
    return Found(max(found) < 5, "DP suppression shows " + ", ".join(
        f"{one:.1f}%" for one in found) + " of unique people at ε = 0.5, 1, 2, 4.")


_NATION, _TWO_STATES = ("national2019",), ("ma2019", "tx2019")
_ONCE: tuple[Empty, ...] = ("",)

CLAIMS_ABOUT_PEOPLE: tuple[Claim, ...] = (
    Claim("P0", 26, "fig4", "§7, Fig 4", "Models that learnt from Laplace or discrete Gaussian "
          "releases are right more often than from DP suppression or DP swapping at ε = 1, 2, 4 "
          "(the paper says much more often).", noise_predicts_better, slow=True),
    Claim("P0", 27, "fig4", "§7, Fig 4", "Models that learnt from Laplace or discrete Gaussian "
          "releases are right more often than from suppression or swapping themselves at ε = 1, 2, "
          "4.", noise_above_traditional, slow=True),
    Claim("P0", 28, "fig4", "§7, Fig 4", "At ε = 0.5 models that learnt from Laplace or "
          "discrete Gaussian releases are not ahead of all others.", not_at_half, slow=True),
    Claim("P0", 29, "fig4", "§7, Fig 4", "Models that learnt from Laplace or discrete Gaussian "
          "releases come closest to the accuracy of one that learnt from the data themselves at "
          "ε = 1, 2, 4.", noise_nearest_to_the_data, slow=True),
    Claim("P0", 30, "fig4", "§7, Fig 4", "Accuracy with DP suppression and DP swapping depends "
          "more on k (tried: 3 to 24) and the swap rate (5 to 90%) than on ε (0.5 to 4).",
          hangs_on_settings, slow=True),
    Claim("P0", 31, "fig3", "§7, Fig 3 (national)", "DP swapping misplaces more Black men than "
          "any of the other three.", swapping_worst_for_black_men, about=_NATION),
    Claim("P0", 32, "fig3", "§7, Fig 3 (national)", "Laplace misplaces the fewest of the four, "
          "White men and Black men.", laplace_least, about=_NATION),
    Claim("P0", 33, "fig3", "§7, Fig 3 (national)", "Every method treats the two groups "
          "unequally: it misplaces more of 1,000 Black men than of 1,000 White men.",
          black_men_bear_more, about=_NATION),
    Claim("P0", 34, "fig3", "§7, Fig 3 (national)", "Laplace has the smallest gap between White "
          "and Black men, in people misplaced of 1,000.", laplace_least_disparity, about=_NATION),
    Claim("P0", 35, "fig3", "§7, Fig 3 (national)", "Discrete Gaussian and DP suppression have "
          "about the same gap between White and Black men (within a quarter).",
          gaussian_like_suppression, about=_NATION),
    Claim("P0", 36, "fig3", "§7", "The sparser the table of a group, the worse noise compares "
          "with DP suppression, and in the sparsest it is worse (tried with Laplace alone).",
          worse_where_sparse, about=_NATION),
    Claim("P0", 37, "fig5", "§7, Fig 5", "Noise shows more unique people as they are, the larger "
          "ε is.",
          noise_shows_more, about=_TWO_STATES, empty=_ONCE),
    Claim("P0", 38, "fig5", "§7, Fig 5", "How many unique people DP swapping shows depends less on "
          "ε than with noise.",
          swapping_moves_less, about=_TWO_STATES, empty=_ONCE),
    Claim("P0", 39, "fig5", "§7, Fig 5", "DP swapping shows more unique people than noise at every "
          "ε.", swapping_shows_most, about=_TWO_STATES, empty=_ONCE),
    Claim("P0", 40, "fig5", "§7, Fig 5", "Discrete Gaussian noise shows fewer unique people than "
          "Laplace noise at every ε.", gaussian_shows_less, about=_TWO_STATES, empty=_ONCE),
    Claim("P0", 41, "fig5", "§7, Fig 5", "DP suppression shows hardly any of the unique people as "
          "they are (less than 5% at every ε).", suppression_shows_hardly_any, about=_TWO_STATES),
)

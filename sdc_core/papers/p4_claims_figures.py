"""What P4 says of Figures 1 and 5 to 8, about body measurements and tried on the Pima study."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from scipy.spatial import cKDTree

from sdc_core.metrics.microdata import relations
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.papers.item import Case, Claim, Found
from sdc_core.papers.p4_body import (
    ALL_RADII,
    LARGEST,
    original,
    people,
    plain_fit,
    released,
    rwn,
)
from sdc_core.papers.p4_told import below, every
from sdc_core.records import Records, Scale

K = 5
SMALL, MIDDLE, LARGE = 0.25, 0.6, 1.2
SLIGHT = 0.1  # of a correlation
BODY, BESIDES = ("bodyfat",), ("pima",)


def _over(case: Case, radius: float, of: Callable[[Records], float]) -> OverReleases:
    """A number of releases of RWN with this radius (k = 5, q = 1)."""
    releases = case.attempt.either(60, 6)
    return OverReleases(np.array([
        of(one) for one in released(case.data, rwn(radius), releases, case.attempt.seed)]))


def _percents(values: object) -> str:
    return ", ".join(f"{100 * float(v):.0f}%" for v in np.atleast_1d(np.asarray(values)))


def _sizes(case: Case, radius: float) -> np.ndarray:
    return rwn(radius).neighbourhoods(people(case.data)).sizes


def _few_then_many(case: Case) -> Found:
    shares = [float((_sizes(case, r) > K).mean()) for r in (0.1, SMALL, MIDDLE)]
    return Found(shares[0] < 0.1 and shares[-1] > 0.5 and shares == sorted(shares),
                 f"More than {K} neighbours at radius 0.1, {SMALL}, {MIDDLE}: {_percents(shares)}.")


def _few_stay(case: Case) -> Found:
    share = float((_sizes(case, MIDDLE) == K).mean())
    return Found(0 < share < 0.1, f"At radius {MIDDLE}, {share:.1%} have {K} neighbours.")


def _one_stays(case: Case) -> Found:
    sizes = np.array([_sizes(case, r) for r in ALL_RADII[:: case.attempt.either(1, 6)]])
    stay = np.flatnonzero((sizes == K).all(axis=0)) + 1
    named = ", ".join(str(i) for i in stay[:5]) or "none"
    right = len(stay) == 1 and (case.dataset != "bodyfat" or bool(stay[0] == LARGEST))
    return Found(right, f"{len(stay)} keep {K} neighbours up to radius {ALL_RADII[-1]}: {named}.")


def _unusual_have_none(case: Case) -> Found:
    points = Scale.of(people(case.data)).points(people(case.data))
    closest = cKDTree(points).query(points, k=2)[0][:, 1]
    alone = float((closest > 0.5).mean())
    usual = int(np.median(_sizes(case, 0.5)))
    return Found(alone > 0 and usual > 2 * K,
                 f"At radius 0.5, {alone:.1%} have nobody near; half of all have {usual} or more.")


def _upper(records: Records) -> np.ndarray:
    values = relations.correlations(records.values)
    return np.asarray(values[np.triu_indices(len(values), 1)])


def _same_at_small(case: Case) -> Found:
    before = _upper(people(case.data))
    clear = np.abs(before) > 0.2
    change = _over(case, SMALL, lambda one: float(np.abs(_upper(one) - before).mean()))
    signs = _over(case, SMALL, lambda one: float(
        (np.sign(_upper(one)) == np.sign(before))[clear].mean()))
    return Found(change.mean < SLIGHT and signs.mean > 0.99,
                 f"At radius {SMALL}: mean change {change.mean:.3f}, below {SLIGHT} counts as "
                 f"similar; of correlations above 0.2, {signs.mean:.1%} keep their sign.")


def _strength(records: Records) -> float:
    return float(np.abs(_upper(records)).mean())


def _toward_zero(case: Case) -> Found:
    levels = [_over(case, r, _strength) for r in (SMALL, 0.5, 0.75, LARGE)]
    said = ", ".join(f"{one.mean:.3f}" for one in levels)
    return Found(every(below(b, a) for a, b in itertools.pairwise(levels)),
                 f"Mean |r| at radius 0.25, 0.5, 0.75, 1.2: {said}.")


def _uncorrelated_at_large(case: Case) -> Found:
    found = _over(case, LARGE, _strength)
    chance = float(np.sqrt(2 / (np.pi * (len(people(case.data)) - 1))))
    return Found(found.mean < SLIGHT, f"Mean |r| at radius {LARGE}: {found.mean:.3f}; chance alone "
                 f"gives {chance:.3f}. Below {SLIGHT} counts as uncorrelated.")


def _majority_first(case: Case) -> Found:
    share = float(original(case.data).components.shares[0])
    return Found(share > 0.5, f"The first component has {share:.1%} of the variance.")


def _first_share(records: Records) -> float:
    return float(relations.components(records.values).shares[0])


def _spreads_out(case: Case) -> Found:
    before = float(original(case.data).components.shares[0])
    levels = [_over(case, r, _first_share) for r in (SMALL, 0.5, 0.75, LARGE)]
    falls = [below(b, a) for a, b in itertools.pairwise(levels)]
    said = _percents([one.mean for one in levels])
    return Found(every([abs(levels[0].mean - before) < 0.05, *falls]),
                 f"Share of the first: {before:.0%} before; {said} at 0.25, 0.5, 0.75, 1.2.")


def _pulls(records: Records, case: Case) -> np.ndarray:
    return plain_fit(records, original(case.data).task.outcome).cooks_distances


def _pulls_hardest(case: Case) -> Found:
    pulls = _pulls(people(case.data), case)
    who = int(pulls.argmax()) + 1
    return Found(who == LARGEST, f"Observation {who}, {pulls.max():.2f}; the next has "
                 f"{np.sort(pulls)[-2]:.2f}.")


def _pull_is_gone(case: Case) -> Found:
    before = float(_pulls(people(case.data), case).max())
    after = _over(case, 0.0, lambda one: float(_pulls(one, case).max()))
    return Found(below(after, before / 2), f"Largest: {before:.2f} before, {after.mean:.2f} at "
                 "radius 0 on average; less than half counts as much lower.")


def _scores(records: Records) -> np.ndarray:
    return np.abs(relations.components(records.values).scores(records.values)[:, 0])


def _leads(scores: np.ndarray) -> float:
    """How far the largest man is ahead of everybody else."""
    return float(scores[LARGEST - 1] / np.delete(scores, LARGEST - 1).max())


def _far_ahead(case: Case) -> Found:
    lead = _leads(_scores(people(case.data)))
    return Found(lead > 1.25, f"His score is {lead:.2f} times that of the next.")


def _keeps_the_lead(case: Case) -> Found:
    kept = [_over(case, r, lambda one: float(_leads(_scores(one)) > 1)) for r in (0.0, SMALL, 0.5)]
    return Found(all(one.mean > 0.95 for one in kept),
                 f"In {_percents([one.mean for one in kept])} of the releases at radius 0, "
                 "0.25, 0.5; the paper shows one of each.")


def _stands_out_less(case: Case) -> Found:
    before = _leads(_scores(people(case.data)))
    after = _over(case, 0.0, lambda one: _leads(_scores(one)))
    return Found(below(after, before), f"{before:.2f} times the next before, {after.mean:.2f} "
                 "after, on average.")


def _claim(
    number: int, item: str, where: str, sentence: str, test: Callable[[Case], Found],
    besides: tuple[str, ...] = BESIDES, slow: bool = False,
) -> Claim:
    return Claim("P4", number, item, where, sentence, test, BODY, besides, ("",), slow)


CLAIMS: tuple[Claim, ...] = (
    _claim(1, "fig1", "§8, Fig 1", "With a small radius k sets nearly all sizes of neighbourhoods; "
           "as it grows, many get larger (read as: more than half).", _few_then_many),
    _claim(2, "fig1", "§8, Fig 1", "A few unusual records still have only k neighbours when many "
           "have more.", _few_stay),
    _claim(3, "fig1", "§9.3.2, Fig 1", "One record alone, the largest man's, keeps its k "
           "neighbours at every radius.", _one_stays),
    _claim(4, "fig1", "§8", "By a radius alone unusual records have no neighbours while usual ones "
           "have many.", _unusual_have_none),
    _claim(5, "fig5", "§9.3.2, Fig 5", "With a small radius correlations keep their sign and very "
           "nearly their size.", _same_at_small),
    _claim(6, "fig5", "§9.3.2, Fig 5", "As the radius grows, correlations go to 0.", _toward_zero),
    _claim(7, "fig5", "§9.3.2, Fig 5", "With a large radius released variables are essentially "
           "uncorrelated.", _uncorrelated_at_large),
    _claim(8, "fig6", "§9.3.2, Fig 6", "Most of the variance lies along the first component.",
           _majority_first),
    _claim(9, "fig6", "§9.3.2, Fig 6", "With a small radius the first component has nearly the "
           "same share of the variance; as it grows, the variance spreads over more of them.",
           _spreads_out),
    _claim(10, "fig7", "§9.3.2, Fig 7", "The largest man has the largest Cook's distance.",
           _pulls_hardest, ()),
    _claim(11, "fig7", "§9.3.2, Fig 7", "Even the least perturbation makes the largest Cook's "
           "distance much lower.", _pull_is_gone),
    _claim(12, "fig8", "§9.3.2, Fig 8", "The largest man has by far the largest score on the first "
           "component.", _far_ahead, ()),
    _claim(13, "fig8", "§9.3.2, Fig 8", "In released data he keeps the largest score, read as: in "
           "nearly every release (the paper shows one at each radius).", _keeps_the_lead, ()),
    _claim(14, "fig8", "§9.3.2, Fig 8", "In released data he stands out less.", _stands_out_less,
           ()),
)

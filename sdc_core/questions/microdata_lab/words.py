"""Sentences of the microdata lab."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdc_core.metrics.microdata.battery import Measure
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.questions.lab_methods import additions, promises
from sdc_core.questions.microdata_lab.compute import Line, Look, Neighbourhood, ends
from sdc_core.questions.work import FITTED_REPETITIONS
from sdc_core.words.chance import differ
from sdc_core.words.numbers import Sentences, at_the_start, listed, lowered, percent, sensible

DRAWN_ANEW = "Records are drawn anew, so no released record is anybody's own."


def cut_off(bottom: float, top: float) -> str:
    """`largest 5% and smallest 2% cut off first`, or nothing."""
    parts = [f"{which} {percent(share)}" for which, share in (
        ("largest", top), ("smallest", bottom)) if share]
    return f"{listed(parts)} cut off first" if parts else ""


def headline(line: Line, privacy: Measure, utility: Measure, tails: str = "") -> str:
    """What a method does along its settings; from the weakest to the strongest that is measured."""
    if not line.known:
        lacking = [one for one in (privacy, utility) if (
            one.paired if line.undefined else one.name in line.lacking)]
        return (
            f"{at_the_start(line.path.base.doing)} cannot be measured by "
            f"{listed([lowered(one.title) for one in lacking])} here: {_decapitalised(line.why)}"
        )
    first, last = ends(line)
    param = line.path.declared
    low, high = (
        percent(v) if param.percent else sensible(v) for v in (first.value, last.value))
    return (
        f"{at_the_start(line.path.base.doing)}, {lowered(param.title)} from {low} to {high}"
        f"{f' ({tails})' * bool(tails)}: "
        f"{moved(privacy, first.privacy, last.privacy)}, and "
        f"{moved(utility, first.utility, last.utility)}."
    )


def _decapitalised(text: str) -> str:
    return text[:1].lower() + text[1:]


def moved(measure: Measure, first: OverReleases, last: OverReleases) -> str:
    """`self-closest record goes from 98% to 12%`; what chance alone could do is not called a
    change."""
    title = lowered(measure.title)
    if first.mean == last.mean and not (first.error or last.error):
        return f"{title} stays at {written(measure, last.mean)}"
    if not differ(first.mean, first.error, last.mean, last.error):
        return f"{title} stays at about {written(measure, last.mean)}, as far as can be told"
    ends = [written(measure, one.mean) for one in (first, last)]
    if ends[0] == ends[1]:
        return f"{title} stays at about {ends[1]}"
    return f"{title} goes from {ends[0]} to {ends[1]}"


def written(measure: Measure, number: float) -> str:
    return percent(number) if measure.percent else sensible(number)


def more(
    lines: Sequence[Line], shown: Line, privacy: Measure, utility: Measure, releases: int,
    tails: str = "",
) -> Sentences:
    better = {"up": "larger", "down": "smaller"}
    good = (
        f"For {lowered(privacy.title)} {better[privacy.good]} means more protection; for "
        f"{lowered(utility.title)} {better[utility.good]} means that more is kept. Settings of "
        "different methods have nothing in common: only points at the same protection can be "
        "compared."
    )
    others = " ".join(
        headline(one, privacy, utility) for one in lines if one is not shown and one.known)
    paths = [one.path for one in lines if one.known]
    fewer = releases > FITTED_REPETITIONS and any(one.base.slow for one in paths)
    return Sentences(
        good, tails and f"For all methods: {tails}, of every number.", others,
        additions(paths), promises(paths),
        f"Every number is the mean of {releases} releases"
        f"{f' ({FITTED_REPETITIONS} where one takes long)' * fewer}, or of one where nothing is "
        "random.",
    )


def correlations_caption(seen: Look, tails: str = "") -> str:
    """Whether correlations came out weaker or stronger in this release."""
    before, after = (np.abs(part) for part in seen.pairs)
    weaker, stronger = int((after < before - 1e-12).sum()), int((after > before + 1e-12).sum())
    start = f"One release of {seen.mechanism.label()}{f' ({tails})' * bool(tails)}."
    if not weaker and not stronger:
        return f"{start} All pairs of numbers go together as closely as in the original."
    turned = int((seen.pairs[0] * seen.pairs[1] < 0).sum())
    against = (f"; of {turned} the sign is another" if turned else "")
    return (
        f"{start} Of {len(before)} {'pair' if len(before) == 1 else 'pairs'} of numbers "
        f"{weaker or 'none'} {'go' if weaker > 1 else 'goes'} together less closely than in the "
        f"original and {stronger or 'none'} more closely{against}; the mean strength |r| is "
        f"{after.mean():.2f} and was {before.mean():.2f}."
    )


def components_caption(seen: Look) -> str:
    first, second = seen.shares_before[0], seen.shares_after[0]
    start = (
        f"In the original the first component has {percent(first)} of the variance of all numbers, "
        f"in this release {percent(second)}"
    )
    if percent(first) == percent(second):
        return f"{start}: as much, as far as these digits show."
    turn = "less" if second < first else "more"
    return f"{start}: it has {turn} of it, the others share the rest."


def outlier_caption(seen: Look) -> str:
    """What became of the record that pulls hardest on the regression."""
    how = (
        "the one farthest from its closest other" if seen.exposed.alone
        else "the one that pulls hardest on the regression (the largest Cook's distance)"
    )
    where = (
        "Both pictures show the original's first two components, so that places can be compared. "
        f"The marked record is {how}: whoever knows that person finds the record there."
    )
    if not seen.in_places:
        return f"{where} In this release records are drawn anew: none of them is that person's."
    if seen.exposed.alone:
        return (
            f"{where} In the original some variables follow from others, so the regression does "
            "not say who pulls hardest."
        )
    if seen.followed is None:
        return f"{where} The release does not determine the regression, so its pull is not known."
    found = seen.followed
    place = (
        "still pulls hardest of all" if found.place_after == 1
        else f"is now in place {found.place_after:,} of {len(seen.scores_after):,}"
    )
    return (
        f"{where} Its Cook's distance was {_pull(found.before)} and is "
        f"{_pull(found.after)} in this release: it {place}."
    )


def _pull(cook: float) -> str:
    """Without bounds where the fit has to go through the record."""
    return sensible(cook) if np.isfinite(cook) else "without bounds"


def neighbourhood_caption(found: Neighbourhood) -> str:
    method, sizes = found.mechanism, found.sizes
    alone = int((sizes == method.k).sum())
    radius = "no more are within the radius" if method.radius else "there is no radius"
    cut = " Tails are cut off before distances are taken." * found.coded
    return (
        f"Each mark is a record.{cut} {alone:,} of {len(sizes):,} records can borrow from exactly "
        f"{method.k} others, the fewest that are allowed, because {radius}; "
        f"the record in the middle of all from {int(np.median(sizes)):,}, and one from "
        f"{int(sizes.max()):,}. The marked record, the most exposed one, can borrow from "
        f"{int(sizes[found.record]):,}."
    )

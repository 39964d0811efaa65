"""What the lines along ε show, in words."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from sdc_core.curves import Curve
from sdc_core.mechanisms.base import Doing, ExactMoments, HidesCells
from sdc_core.metrics.reidentification import UniqueMatches
from sdc_core.parameters import EPSILON
from sdc_core.questions.reidentification.words import VISIBLE, nearly, told
from sdc_core.words.numbers import percent, sensible

MORE = {1: "more than", -1: "fewer than", 0: "about as many as"}
THEN = {1: "more", -1: "fewer", 0: "about as many"}
PAPER = (
    "Das et al. 2024 (Figure 5) find that DP swapping, at its swap rate of 25%, shows more than "
    "noise, even at a large ε, and discrete Gaussian noise fewer than Laplace noise."
)
OTHER_RULE = (
    "Das et al. 2024 (Figure 5) count people who are shown exactly once: choose that rule to see "
    "their comparison."
)


def finding_sentence(curves: Sequence[Curve[UniqueMatches]], paper: str = "") -> str:
    """What the methods on screen do along ε; `paper` is what a paper says of just these.

    P0 (§7) has Laplace, discrete Gaussian and DP swapping: matches of noise grow with ε; those of
    DP swapping less so, and are more than noise's even for large ε; discrete Gaussian, with its
    larger errors, has fewer than Laplace.
    """
    lines = {_name(c): c for c in curves}  # of cards that differ in ε alone it is one
    moved = [c for c in lines.values() if c.here is not None and c.points[0].unique]
    noise = [c for c in moved if c.mechanism.does is Doing.NOISE]
    others = [
        c for c in moved
        if c.mechanism.family == "dp-sdc" and not isinstance(c.mechanism, HidesCells)
    ]
    if not noise and not others:
        return paper
    spans = "; ".join(_span(c) for c in (*noise, *others))
    parts = [f"From the smallest to the largest ε shown, matches go {spans}.", paper]
    if noise:
        parts += [f"Here {_name(one)} shows {_against(one, noise)}." for one in others]
    return " ".join(filter(None, [*parts, *_noise_verdict(noise)]))


def _name(curve: Curve[UniqueMatches]) -> str:
    """The method without its ε, which runs along the axis."""
    return curve.mechanism.label_without(EPSILON)


def _span(curve: Curve[UniqueMatches]) -> str:
    first, last = curve.points[0], curve.points[-1]
    drawn = first.error > 0 or last.error > 0
    chance = " (no more than chance)" if drawn and not told(first, last, 0.0) else ""
    return f"from {_share(first)} to {_share(last)}{chance} with {_name(curve)}"


def _share(point: UniqueMatches) -> str:
    error = f" ± {percent(point.share_error)}" if point.error > 0 else ""
    whole = nearly(point) if point.share >= 0.9995 or point.share < 0.0005 else (
        percent(point.share, 0))
    return f"{whole}{error}"


def _against(one: Curve[UniqueMatches], noise: Sequence[Curve[UniqueMatches]]) -> str:
    return "; ".join(_compared(one, other) for other in noise)


def _compared(one: Curve[UniqueMatches], other: Curve[UniqueMatches]) -> str:
    """At which ε does one show more people than the other, and at which fewer? What differs by
    chance, or by less than a reader can see, is neither."""
    signs = [
        (1 if a.share > b.share else -1) if told(a, b, VISIBLE) else 0
        for a, b in zip(one.points, other.points, strict=True)
    ]
    runs = [(sign, len(list(group))) for sign, group in itertools.groupby(signs)]
    name, values = _name(other), [sensible(float(v)) for v in one.values]
    (first, until), (last, beyond) = runs[0], runs[-1]
    if len(runs) == 1:
        return f"{MORE[first]} {name} at every ε shown"
    if len(runs) == 2 or (len(runs) == 3 and first * last == -1):
        return (
            f"{MORE[first]} {name} up to ε = {values[until - 1]} and {THEN[last]} from "
            f"ε = {values[-beyond]} on"
        )
    return (
        f"more than {name} at {signs.count(1)} of the {len(signs)} values of ε shown and fewer at "
        f"{signs.count(-1)}"
    )


def _noise_verdict(noise: Sequence[Curve[UniqueMatches]]) -> list[str]:
    """Which noise shows fewest at the largest ε, and is that because there is more of it?"""
    if len(noise) < 2:
        return []
    ranked = sorted(noise, key=lambda c: c.points[-1].share)
    low, high = ranked[0], ranked[-1]
    if not told(low.points[-1], high.points[-1], VISIBLE):
        return []
    cause = "; its noise is larger" if _noisier(low, high) else ""
    return [
        f"Here {_name(low)} shows fewer than {_name(high)} at ε = "
        f"{sensible(float(low.values[-1]))}{cause}."
    ]


def _noisier(low: Curve[UniqueMatches], high: Curve[UniqueMatches]) -> bool:
    """Is the noise itself, before rounding and cutting off at zero, clearly larger?"""
    found = []
    for curve in (low, high):
        one = curve.points[-1].mechanism
        if "postprocess" in one.settings():
            one = one.replace(postprocess="none")
        if not (isinstance(one, ExactMoments) and one.is_exact):
            return False
        found.append(float(one.variance([1])[0]))
    return found[0] > 1.05 * found[1]

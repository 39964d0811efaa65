"""Lines that lie on each other: which they are, so that each can be drawn inside the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdc_core.curves import Curve
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import EPSILON
from sdc_core.privacy.guarantee import Guarantee

_NEAR = 0.15  # decades: two or three pixels


@dataclass(frozen=True)
class Line:
    """A curve as drawn: what it is of, and its points."""

    mechanism: Mechanism
    xs: tuple[float, ...]
    heights: tuple[float | None, ...]

    @classmethod
    def of(cls, curve: Curve[Guarantee], heights: Sequence[float | None]) -> Line:
        return cls(curve.mechanism, tuple(curve.values), tuple(heights))

    @property
    def drawn(self) -> bool:
        return any(height is not None for height in self.heights)

    def is_of_the_same(self, other: Line) -> bool:
        """The same method at another ε: one line with two marks."""
        here, there = (
            {k: v for k, v in one.mechanism.settings().items() if k != EPSILON.name}
            for one in (self, other)
        )
        moved = EPSILON.name in self.mechanism.settings()
        return moved and self.mechanism.name == other.mechanism.name and here == there

    @cached_property
    def _points(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where it is drawn, from left to right."""
        points = {x: y for x, y in zip(self.xs, self.heights, strict=True) if y is not None}
        return np.array(list(points)), np.array(list(points.values()))

    def lies_on(self, other: Line) -> bool:
        """Mostly at the same heights, where both are drawn?"""
        first, second = self._points, other._points
        if not len(first[0]) or not len(second[0]):
            return False
        xs = np.union1d(first[0], second[0])
        start, end = (max(first[0].min(), second[0].min()), min(first[0].max(), second[0].max()))
        xs = xs[(start <= xs) & (xs <= end)]
        if not len(xs):
            return False
        apart = np.interp(xs, *first) - np.interp(xs, *second)
        return bool((np.abs(apart) <= _NEAR).mean() > 0.5)


def on_top(lines: Sequence[Line]) -> list[list[int]]:
    """For each line, which of the later ones lie on it: it is drawn so much wider."""
    return [
        [j for j, other in enumerate(lines) if j > i and one.lies_on(other)
         and not one.is_of_the_same(other)]
        for i, one in enumerate(lines)
    ]


def shared(lines: Sequence[Line]) -> list[list[Mechanism]]:
    """The methods whose lines lie on each other, group by group."""
    groups: list[list[Line]] = []
    for line in lines:
        if not line.drawn or any(line.is_of_the_same(one) for group in groups for one in group):
            continue
        home = next((g for g in groups if any(line.lies_on(one) for one in g)), None)
        if home is None:
            groups.append([line])
        else:
            home.append(line)
    return [[line.mechanism for line in group] for group in groups if len(group) > 1]

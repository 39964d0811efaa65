"""From a number to a colour: a scale for sizes, one for too high or too low, one for who is worse.

Every scale is safe for colour-blind readers (lightness alone tells the order) and has a light and a
dark form: what matters most stands out from the background, what is zero sinks into it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["size", "signed", "difference"]

# After Paul Tol's YlOrBr, PRGn and BuRd; the dark forms are the project's own.
_LIGHT: dict[Kind, tuple[str, ...]] = {
    "size": ("#FFF7DB", "#FEE391", "#FEC44F", "#FB9A29", "#EC7014", "#CC4C02", "#8C2D04"),
    "signed": ("#762A83", "#9970AB", "#C2A5CF", "#F5F5F5", "#ACD39E", "#5AAE61", "#1B7837"),
    "difference": ("#2166AC", "#4393C3", "#92C5DE", "#F5F5F5", "#F4A582", "#D6604D", "#B2182B"),
}
_DARK: dict[Kind, tuple[str, ...]] = {
    "size": ("#33291F", "#5E3A1A", "#8F4E15", "#C26A14", "#E98F2B", "#FBBE62", "#FFEDB8"),
    "signed": ("#DDBDEB", "#AE7FC4", "#7A4A90", "#333842", "#3B7F47", "#6DB673", "#BDE6B4"),
    "difference": ("#66B4F5", "#3E89CB", "#2F5F91", "#333842", "#8F3B38", "#CE463D", "#FF6A5C"),
}


@dataclass(frozen=True)
class Scale:
    """Colours between `low` and `high`, evenly spaced; for signed kinds zero is in the middle."""

    kind: Kind
    low: float
    high: float
    stops: tuple[str, ...]

    def colours(self, values: NDArray[np.float64]) -> list[str]:
        """The colour of each value as #rrggbb; beyond the ends it stays that of the end."""
        stops = np.array([_channels(stop) for stop in self.stops], dtype=np.float64)
        share = (np.asarray(values) - self.low) / (self.high - self.low)
        place = np.clip(share, 0.0, 1.0) * (len(stops) - 1)
        mixed = [np.interp(place, np.arange(len(stops)), stops[:, c]) for c in range(3)]
        rows = np.rint(np.stack(mixed, axis=-1)).astype(int)
        return [f"#{r:02x}{g:02x}{b:02x}" for r, g, b in rows]

    @property
    def plotly(self) -> list[list[float | str]]:
        return [[i / (len(self.stops) - 1), stop] for i, stop in enumerate(self.stops)]


def scale_for(kind: Kind, largest: float, dark: bool) -> Scale:
    """The scale of a map whose largest size is given: from zero, or symmetric about zero."""
    top = largest if largest > 0 else 1.0
    return Scale(kind, 0.0 if kind == "size" else -top, top, (_DARK if dark else _LIGHT)[kind])


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)

"""What a reader sees who points at a mark: plotly's hover template, filled in."""

from __future__ import annotations

import re
from typing import Any

import numpy as np


def hover(trace: Any, *place: int) -> str:
    """The text at one mark (`place`: its number, or row and column of a heat map)."""
    data = trace.to_plotly_json()

    def filled(match: re.Match[str]) -> str:
        name, index, form = match.groups()
        value = np.asarray(data[name], dtype=object)
        found = value[place[-1]] if name == "x" and value.ndim == 1 else (
            value[place[0]] if name == "y" and value.ndim == 1 else value[place])
        if index is not None:
            found = found[int(index)]
        return str(found) if not form else _formatted(float(found), form)

    body = data["hovertemplate"].removesuffix("<extra></extra>")
    return re.sub(r"%\{(\w+)(?:\[(\d+)\])?(?::([^}]*))?\}", filled, body)


def _formatted(number: float, form: str) -> str:
    """d3's formats that charts here use; without digits a whole number has no decimals."""
    if form in (",", "+,"):
        whole = number == int(number)
        return format(int(number) if whole else number, form)
    return format(number, form)

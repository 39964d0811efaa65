"""Controls for a share in per cent and for any number, held in the URL like all others."""

from __future__ import annotations

from typing import Any

import streamlit as st

from sdc_core.parameters import Param
from ui.state import bound

_ROUND = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15)
_MIDDLE = (20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80)


def percentage(
    name: str, label: str, default: float, low: float, high: float, **look: Any
) -> float:
    """A slider in per cent, as fine near 100 as near 0: its steps are about even in the odds."""
    declared = Param(name, label, "", "", default, "real", low=low, high=high)
    upper = tuple(round(100 - v, 4) for v in _ROUND)

    def steps(current: float) -> list[float]:
        return sorted({float(v) for v in (*_ROUND, *_MIDDLE, *upper, current) if low <= v <= high})

    return bound(
        name, float(default), declared.validate, lambda v: f"{v:.10g}",
        lambda key: st.select_slider(
            label, steps(st.session_state[key]), key=key, format_func=lambda v: f"{v:g}%", **look
        ),
    )


def number(name: str, label: str, default: float, low: float, high: float, **look: Any) -> float:
    """Any number within limits, to be typed."""
    declared = Param(name, label, "", "", default, "real", low=low, high=high)
    return bound(
        name, float(default), declared.validate, lambda v: f"{v:.10g}",
        lambda key: st.number_input(label, float(low), float(high), key=key, **look),
    )

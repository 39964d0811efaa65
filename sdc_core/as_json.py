"""Anything the engine returns, as JSON knows it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd


def plain(value: Any) -> Any:
    """Frames as rows of records, arrays as lists; infinities and NaN become null."""
    if isinstance(value, pd.DataFrame):
        return plain(value.astype(object).to_dict(orient="records"))
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [plain(v) for v in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value

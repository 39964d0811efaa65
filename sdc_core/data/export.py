"""Tables out: CSV that a spreadsheet opens without running anything in it."""

from __future__ import annotations

import pandas as pd

# A cell that starts with one of these is a formula to a spreadsheet.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def to_safe_csv(table: pd.DataFrame) -> str:
    """CSV with every text cell and header made inert; numbers stay numbers."""
    safe = table.copy()
    for column in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[column]):
            safe[column] = safe[column].astype(object).map(_inert)
    safe.columns = [_inert(str(c)) for c in safe.columns]
    # With this line end, cells that hold a line break of any kind are put in quotes.
    return safe.to_csv(index=False, lineterminator="\r\n")


def _inert(value: object) -> object:
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return "'" + value
    return value

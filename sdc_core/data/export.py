"""Tables out: CSV that a spreadsheet opens without running anything in it.

A cell that starts like a formula gets an apostrophe before it: `=cmd` becomes `'=cmd`. That changes
the cell, so no more is done than is needed, and it can be undone:
- A number is no formula. Text such as `-5` or `-0.5e3` stays as it is: a spreadsheet shows the
  number, and whoever reads the file finds the value that was there. (`+1` is how formulas were once
  begun, and no table writes numbers so: it is guarded.)
- `unguarded` gives back what was there, whatever it was: text that has apostrophes before a formula
  already gets one more, so that one can always be taken away.
"""

from __future__ import annotations

import re

import pandas as pd

# A cell that starts with one of these is a formula to a spreadsheet.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"-\d+(\.\d+)?([eE][+-]?\d+)?\Z", re.ASCII)


def guarded(text: str) -> str:
    """Text that no spreadsheet runs."""
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.match(text) else text


def unguarded(text: str) -> str:
    """The text that was guarded."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text) else text


def to_safe_csv(table: pd.DataFrame) -> str:
    """CSV with every text cell and header made inert; numbers stay numbers."""
    safe = table.copy()
    for column in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[column]):
            safe[column] = safe[column].astype(object).map(_inert)
    safe.columns = [guarded(str(c)) for c in safe.columns]
    # With this line end, cells that hold a line break of any kind are put in quotes.
    return safe.to_csv(index=False, lineterminator="\r\n")


def _inert(value: object) -> object:
    return guarded(value) if isinstance(value, str) else value

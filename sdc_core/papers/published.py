"""Published numbers as they are printed: paper, table or figure, row, column, value, rounded or cut
off, and the data they are about. They stand in one file, `published.csv`, and nowhere else."""

from __future__ import annotations

import csv
import functools
import math
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

FILE = Path(__file__).with_name("published.csv")


@dataclass(frozen=True)
class Entry:
    """One printed number."""

    paper: str
    item: str
    row: str
    column: str
    printed: str
    truncated: bool
    data: str

    @property
    def value(self) -> float:
        return float(self.printed)

    @property
    def last_digit(self) -> float:
        """What one more in the last printed digit is worth."""
        return 10.0 ** int(Decimal(self.printed).as_tuple().exponent)

    def is_printed_as(self, ours: float) -> bool:
        """Would this number be printed as this entry is? Cut off where the paper cuts off; where it
        rounds, a half may go either way."""
        if not math.isfinite(ours):
            return False
        slack = 1e-9 * max(1.0, abs(ours))
        if self.truncated:
            return -slack <= abs(ours) - abs(self.value) < self.last_digit + slack and (
                ours * self.value >= 0)
        return abs(ours - self.value) <= self.last_digit / 2 + slack


@functools.cache
def _entries() -> tuple[Entry, ...]:
    with open(FILE, encoding="utf-8", newline="") as file:
        return tuple(
            Entry(r["paper"], r["item"], r["row"], r["column"], r["value"],
                  r["rounding"] == "truncated", r["data"])
            for r in csv.DictReader(file)
        )


def published(paper: str = "", item: str = "", column: str = "") -> list[Entry]:
    """All entries, or those of a paper, an item, a column, in the order of the paper."""
    return [
        one for one in _entries()
        if paper in ("", one.paper) and item in ("", one.item) and column in ("", one.column)
    ]

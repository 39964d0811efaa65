"""Published numbers as they are printed: paper, table or figure, row, column, value, rounded or cut
off, the data they are about, the convention under which they are made again, and how far ours may
be from them, and why. They stand in one file, `published.csv`, and nowhere else."""

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
    """One printed number. `convention` names the reading of the paper that ours is judged under
    (empty: the only one); `tolerance` is a share ("5%"), an amount ("0.02") or so many standard
    deviations of what the paper drew once ("3sd"), empty for none, and `reason` says why numbers
    may be so far apart. `given` says what it is where it is no result: data, a setting, or a sum
    in which no method shows; empty for results."""

    paper: str
    item: str
    row: str
    column: str
    printed: str
    truncated: bool
    data: str
    convention: str = ""
    tolerance: str = ""
    reason: str = ""
    given: str = ""

    @property
    def value(self) -> float:
        return float(self.printed)

    @property
    def last_digit(self) -> float:
        """What one more in the last printed digit is worth."""
        return 10.0 ** int(Decimal(self.printed).as_tuple().exponent)

    @property
    def leeway(self) -> float:
        """How far ours may be from it; none where no tolerance is stated, or where it hangs on how
        far what was drawn spreads (`leeway_of`)."""
        if self.tolerance.endswith("sd"):
            return 0.0
        if self.tolerance.endswith("%"):
            return abs(self.value) * float(self.tolerance[:-1]) / 100
        return float(self.tolerance or 0)

    def leeway_of(self, spread: float | None, error: float | None) -> float:
        """How far ours may be from it, where the printed number is one draw of many: `spread` is
        the standard deviation of such a draw, `error` that of ours."""
        if not self.tolerance.endswith("sd"):
            return self.leeway
        both = math.hypot(math.inf if spread is None else spread, error or 0.0)
        return float(self.tolerance[:-2]) * both if math.isfinite(both) else 0.0

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
                  r["rounding"] == "truncated", r["data"], r["convention"], r["tolerance"],
                  r["reason"], r["given"])
            for r in csv.DictReader(file)
        )


def published(paper: str = "", item: str = "", column: str = "") -> list[Entry]:
    """All entries, or those of a paper, an item, a column, in the order of the paper."""
    return [
        one for one in _entries()
        if paper in ("", one.paper) and item in ("", one.item) and column in ("", one.column)
    ]

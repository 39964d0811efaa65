"""From a table to what can be published of it, in one go: for the command line and for scripts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sdc_core.errors import InputError
from sdc_core.margins.attack import by_subtraction, intervals
from sdc_core.margins.formats import to_csv
from sdc_core.margins.hide import Hiding, Method, Weighing, hide
from sdc_core.margins.jj import Problem, to_jj
from sdc_core.margins.moves import Progress
from sdc_core.margins.rules import Rule
from sdc_core.margins.table import MarginTable
from sdc_core.whole_file import write_whole


@dataclass(frozen=True, eq=False)
class Protected:
    """A table with what is hidden, and the rule that asked for it."""

    hiding: Hiding
    rule: Rule

    def told(self) -> dict[str, Any]:
        """What was done and what it leaves an attacker, in numbers."""
        found, table = self.hiding, self.hiding.table
        alone = found.sensitive.cells
        low, high = intervals(table, alone, found.known)
        held = found.sensitive.protects(table.values, low, high)
        return {
            "rule": self.rule.sentence(), "numbers": len(table), "sensitive": int(alone.sum()),
            "hidden_further": int(found.further.sum()), "method": found.method,
            "hidden_weight": found.weight, "least_possible": found.bound,
            "protected": int(found.safe.sum()), "zeros_needed": found.zeros_needed,
            "protected_without_further": int((held & alone).sum()),
            "computed_back_without_further": int(by_subtraction(table, alone).sum()),
            "hidden": [
                {"cell": table.name(int(cell)), "sensitive": bool(alone[cell]),
                 "at_least": float(found.low[cell]),
                 "at_most": float(found.high[cell]) if np.isfinite(found.high[cell]) else None}
                for cell in np.flatnonzero(found.hidden)
            ],
        }

    def write(self, published: str | None = None, problem: str | None = None) -> None:
        """The table as it can be published, as CSV, with one sign for all that is hidden: whoever
        knew which numbers are small would know more of them. And the problem as other programs
        read it, with all true numbers."""
        found = self.hiding
        if published:
            _write(published, to_csv(found.table, found.hidden))
        if problem:
            _write(problem, to_jj(
                Problem.of(found.table, found.sensitive, known=found.known)).encode())


def protected(
    table: MarginTable, rule: Rule, *, weights: Weighing = "numbers", method: Method = "best",
    seconds: float = 60.0, hide_zeros: bool = False, progress: Progress | None = None,
) -> Protected:
    """The table with every number hidden that says too much, and what gives them away."""
    sensitive = rule.sensitive(table)
    return Protected(hide(
        table, sensitive, weights=weights, method=method, seconds=seconds, hide_zeros=hide_zeros,
        progress=progress), rule)


def _write(path: str, content: bytes) -> None:
    try:
        write_whole(Path(path), content)
    except OSError as problem:
        raise InputError(f"{path!r} cannot be written: {problem}.") from None

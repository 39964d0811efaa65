"""How a figure is taken: the best of several runs, against a named peer or limit in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One line of the results: what was measured, against what, and the limit it must keep."""

    what: str
    measured: str
    against: str
    ratio: float
    limit: float
    at_least: bool = False

    @property
    def kept(self) -> bool:
        return self.ratio >= self.limit if self.at_least else self.ratio <= self.limit

    def row(self) -> str:
        sign = "≥" if self.at_least else "≤"
        verdict = "kept" if self.kept else "**missed**"
        return (
            f"| {self.what} | {self.measured} | {self.against} | {self.ratio:.3g} | "
            f"{sign} {self.limit:g} | {verdict} |"
        )


def best_of(runs: int, action: Callable[[], object]) -> float:
    """Seconds of the fastest of several runs: what the code costs, not what else ran meanwhile."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return min(times)


def milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms"

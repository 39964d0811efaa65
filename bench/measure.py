"""How a figure is taken: the best of several runs, against a peer or limit in the same run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One line of the results: what was measured, against what, and the limit it must keep, if
    there is one."""

    what: str
    measured: str
    against: str
    ratio: float
    limit: float | None
    at_least: bool = False

    @property
    def kept(self) -> bool:
        if self.limit is None:
            return True
        return self.ratio >= self.limit if self.at_least else self.ratio <= self.limit

    def row(self) -> str:
        sign = "≥" if self.at_least else "≤"
        limit = "none" if self.limit is None else f"{sign} {self.limit:g}"
        verdict = "" if self.limit is None else "kept" if self.kept else "**missed**"
        return (
            f"| {self.what} | {self.measured} | {self.against} | {self.ratio:.3g} | "
            f"{limit} | {verdict} |"
        )


def best_of(
    runs: int, action: Callable[[], object], clock: Callable[[], float] = time.perf_counter
) -> float:
    """Seconds of the fastest of several runs: what the code costs, not what else ran meanwhile."""
    times = []
    for _ in range(runs):
        start = clock()
        action()
        times.append(clock() - start)
    return min(times)


def medians_taking_turns(
    runs: int, action: Callable[[], object], peer: Callable[[], object]
) -> tuple[float, float]:
    """Median seconds of two actions that take turns, so that both meet the same disturbances."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(runs):
        for one, kept in zip((action, peer), times, strict=True):
            kept.append(best_of(1, one))
    return statistics.median(times[0]), statistics.median(times[1])


def milliseconds(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"

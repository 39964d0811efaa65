"""What methods do to groups of people, computed once and kept while controls move."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.subgroups import MethodResult, method_result
from ui import compute

REPETITIONS = 200  # where an average is not known by formula
_MOST_KEPT = 60


@dataclass(frozen=True, eq=False)
class Groups:
    """A table and the groups of it to look at. `key` names the table's content."""

    key: tuple[Any, ...]
    table: Histogram
    places: Mapping[str, tuple[int, ...]]
    seed: int

    def on_average(self, mechanisms: Sequence[Mechanism]) -> list[MethodResult]:
        """What infinitely many releases would show on average; costly methods start on request."""
        waiting = [
            m for m in mechanisms if compute.waits_for_run(self.key, m, False, self.seed)
        ]
        if compute.run_button(waiting):
            for one in waiting:
                compute.evaluated(self.key, self.table, one, False, REPETITIONS, self.seed)
            st.rerun()
        return [
            self._kept("average", one, functools.partial(self._average, one))
            for one in mechanisms if one not in waiting
        ]

    def one_release(self, mechanisms: Sequence[Mechanism]) -> list[MethodResult]:
        rows = compute.releases(self.key, self.table, mechanisms, 1, self.seed)
        return [
            self._kept("one", one, functools.partial(self._release, one, found[0]))
            for one, found in zip(mechanisms, rows, strict=True) if found is not None
        ]

    def _average(self, one: Mechanism) -> MethodResult:
        found = compute.evaluated(self.key, self.table, one, False, REPETITIONS, self.seed)
        how = "exact" if one.knows_mean else f"average of {found.repetitions} releases"
        released = self.table.counts + found.bias
        return method_result(
            self.table, self.places, one, how, released, found.absolute_error)

    def _release(self, one: Mechanism, row: NDArray[np.int64]) -> MethodResult:
        how = f"one release, seed {self.seed}"
        return method_result(self.table, self.places, one, how, row)

    def _kept(
        self, view: str, one: Mechanism, make: Callable[[], MethodResult]
    ) -> MethodResult:
        """A result shown again is the same object, so that its chart need not be drawn anew."""
        kept: dict[Any, MethodResult] = st.session_state.setdefault("kept-subgroups", {})
        full_key = (*self.key, tuple(self.places.items()), view, one, self.seed)
        if full_key not in kept:
            kept[full_key] = make()
            if len(kept) > _MOST_KEPT:
                kept.pop(next(iter(kept)))
        return kept[full_key]

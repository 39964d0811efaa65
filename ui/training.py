"""Models trained on releases: each setting is computed once and kept while controls move."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from sdc_core.experiment import released_people
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.classification import (
    ScoreCurve,
    Scores,
    Task,
    Trained,
    Yardsticks,
    scores,
    yardsticks,
)
from sdc_core.metrics.classifiers import MODELS, Model
from sdc_core.parameters import Param
from ui import compute

REPETITIONS = 20
AT_ONCE = 3  # releases for a slow model until the user asks for all
_MOST_KEPT = 500
_PATIENCE = 0.5  # seconds before a progress bar appears


@dataclass(frozen=True, eq=False)
class Training:
    """A table, what is predicted from it and how. `key` names the table's content."""

    key: tuple[Any, ...]
    table: Histogram
    what: Task
    model_name: str
    seed: int

    @property
    def model(self) -> Model:
        return MODELS[self.model_name]

    @property
    def repetitions(self) -> int:
        """How many releases are shown at once."""
        return AT_ONCE if self.model.slow else REPETITIONS

    def _full_key(self, *more: Any) -> tuple[Any, ...]:
        return (self.key, self.what.predictors, self.what.target, self.model_name, self.seed, *more)

    def _kept(self) -> dict[Any, Any]:
        kept: dict[Any, Any] = st.session_state.setdefault("kept-trainings", {})
        while len(kept) > _MOST_KEPT:
            kept.pop(next(iter(kept)))
        return kept

    def yardsticks(self) -> Yardsticks:
        kept, full_key = self._kept(), self._full_key("yardsticks")
        if full_key not in kept:
            kept[full_key] = yardsticks(self.table, self.what, self.model, self.seed)
        found: Yardsticks = kept[full_key]
        return found

    def present(self, mechanisms: Sequence[Mechanism]) -> list[Trained]:
        """The methods as they are set now; costly ones wait behind a Run button."""
        kept, out = self._kept(), []
        all_rows = compute.releases(
            self.key, self.table, mechanisms, self.repetitions, self.seed)
        for one, rows in zip(mechanisms, all_rows, strict=True):
            if rows is None:
                continue
            full_key = self._full_key(one, len(rows))
            if full_key not in kept:
                kept[full_key] = scores(self.table, self.what, rows, self.model, self.seed)
            out.append(Trained(one, kept[full_key]))
        return out

    def curves(
        self, mechanisms: Sequence[Mechanism], param: Param, values: Sequence[float | int]
    ) -> list[ScoreCurve] | None:
        """The methods along a parameter; None while a slow model waits to be started."""
        lines = [
            [m.replace(**{param.name: v}) for v in values] if param.name in m.settings() else [m]
            for m in mechanisms
        ]
        kept = self._kept()
        missing = [
            one for line in lines for one in line
            if self._full_key(one, REPETITIONS) not in kept
        ]
        if missing and self.model.slow and not _started(len(missing)):
            return None
        self._run(missing, kept)
        out = []
        for one, line in zip(mechanisms, lines, strict=True):
            found: list[Scores] = [kept[self._full_key(m, REPETITIONS)] for m in line]
            has_it = param.name in one.settings()
            out.append(ScoreCurve(
                one, tuple(values), tuple(found if has_it else found * len(values)),
                float(one.settings()[param.name]) if has_it else None,
            ))
        return out

    def _run(self, missing: Sequence[Mechanism], kept: dict[Any, Any]) -> None:
        """Any control starts the page anew and so ends this loop; what is done is kept."""
        cancel, place, began = st.empty(), st.empty(), time.monotonic()
        cancellable = False
        for done, one in enumerate(missing):
            spent = time.monotonic() - began
            if spent > _PATIENCE:
                if not cancellable:
                    cancel.button("Cancel", key="training-cancel")
                    cancellable = True
                left = spent / done * (len(missing) - done)
                place.progress(
                    done / len(missing),
                    f"{one.label()}: {REPETITIONS} models, about {left:.0f} s left in all",
                )
            rows = released_people(one, self.table, REPETITIONS, self.seed)
            kept[self._full_key(one, REPETITIONS)] = scores(
                self.table, self.what, rows, self.model, self.seed)
        cancel.empty()
        place.empty()


def _started(settings: int) -> bool:
    with st.container(horizontal=True, vertical_alignment="center"):
        pressed = st.button(f"Train {settings * REPETITIONS} models", key="training-run",
                            icon=":material/play_arrow:", type="primary")
        st.caption(
            f"{REPETITIONS} releases of {settings} settings take up to a minute. Moving any "
            "control cancels; what is done is kept."
        )
    return pressed

"""What an answer shows, as plain values that can be compared; and answers that a page was given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from sdc_core.parameters import Param
from sdc_core.questions.answer import Answer, Panel, TableView
from sdc_core.questions.question import Given
from ui import page, state


def plain(value: Any) -> Any:
    """Numbers, texts, lists and dictionaries only; figures by what the browser is sent."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, pd.DataFrame):
        return value.to_csv(index=False)
    if isinstance(value, TableView):
        return [plain(value.frame), repr(value.looks), value.most, value.height]
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    return repr(value) if isinstance(value, float) else value  # NaN equals itself


def of_panel(panel: Panel) -> dict[str, Any]:
    drawing = panel.drawing
    return {
        "title": panel.title,
        "caption": panel.caption,
        "prose": panel.prose,
        "note": panel.note,
        "legend": panel.legend,
        "alt": panel.alt,
        "drawing": plain(drawing),
        "table": plain(panel.table),
        "notices": repr(panel.notices),
        "pick": repr(panel.pick),
        "actions": repr(panel.actions),
        "width": panel.width,
        "controls": panel.controls,
    }


def of(answer: Answer) -> dict[str, Any]:
    """Everything a reader would see of an answer."""
    return {
        "headline": answer.headline,
        "more": answer.more,
        "notices": repr(answer.notices),
        "see": repr(answer.see),
        "waiting": repr(answer.waiting),
        "code": answer.code,
        "provenance": None if answer.provenance is None else answer.provenance.facts(),
        **{f"panel {p.name}": of_panel(p) for p in answer.panels},
    }


@contextmanager
def answers_of_pages() -> Iterator[list[tuple[Given, Answer]]]:
    """The answers that pages are given while this is open, the newest last."""
    seen: list[tuple[Given, Answer]] = []
    original = page.complete

    def noted(question: Any, given: Given) -> Answer:
        found = original(question, given)
        seen.append((given, found))
        return found

    page.complete = noted
    try:
        yield seen
    finally:
        page.complete = original


@contextmanager
def controls_of_pages() -> Iterator[dict[str, tuple[Param, Any]]]:
    """Every control that pages settle while this is open: its declaration and its value, by name.
    Empty it before a run to have that run's alone."""
    seen: dict[str, tuple[Param, Any]] = {}
    original = state.settled

    def noted(name: str, param: Param) -> Any:
        value = original(name, param)
        seen[name] = (param, value)
        return value

    state.settled = noted
    try:
        yield seen
    finally:
        state.settled = original

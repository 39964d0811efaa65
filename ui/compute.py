"""Calls into the engine that a page may repeat: instant when exact, kept when simulated."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from sdc_core.data import Dataset, entry, load_dataset
from sdc_core.experiment import (
    Curve,
    Evaluation,
    Progress,
    evaluate,
    released_people,
    sweep,
    sweep_values,
)
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import Param

_KEPT = "kept-evaluations"
_KEPT_CURVES = "kept-curves"
_KEPT_RELEASES = "kept-releases"
_MOST_KEPT = 100
_MOST_BYTES = 48_000_000  # of releases, for one visitor
COSTLY_REPETITIONS = 20
Made = TypeVar("Made")
_PATIENCE = 0.5  # seconds before a progress bar appears


@st.cache_resource(max_entries=8, show_spinner="Reading the data …")
def _catalogue_dataset(dataset_id: str, path: str, changed: float) -> Dataset:
    return load_dataset(dataset_id)


def catalogue_dataset(dataset_id: str) -> tuple[Dataset, str]:
    """A data set of the catalogue, read once per file version, and the key of that version."""
    path = entry(dataset_id).path()
    changed = path.stat().st_mtime if path else 0.0
    return _catalogue_dataset(dataset_id, str(path), changed), f"{dataset_id}@{changed}"


@st.cache_resource(max_entries=64, show_spinner="Counting …")
def _histogram(dataset_key: str, features: tuple[str, ...], _dataset: Dataset) -> Histogram:
    return _dataset.histogram(features)


def histogram_of(dataset: Dataset, dataset_key: str, features: Iterable[str]) -> Histogram:
    """Kept under the data set's key, which names its content (never hashed as a whole)."""
    return _histogram(dataset_key, tuple(features), dataset)


def evaluated(
    key: tuple[Any, ...], histogram: Histogram, mechanism: Mechanism,
    simulate: bool, repetitions: int, seed: int, keep: bool = True,
) -> Evaluation:
    """The evaluation of a mechanism; simulations show progress and stop if a control moves.

    `keep` is false for the points of a curve, which is kept as a whole.
    """
    if mechanism.is_exact and not simulate:
        return evaluate(mechanism, histogram)
    kept: dict[Any, Evaluation] = st.session_state.setdefault(_KEPT, {})
    repetitions = COSTLY_REPETITIONS if mechanism.costly else repetitions
    full_key = (*key, mechanism, simulate, repetitions, seed)
    if full_key not in kept:
        with progress_bar(f"{mechanism.label()}: {repetitions} releases") as show:
            found = evaluate(mechanism, histogram, repetitions, seed, simulate, show)
        if not keep:
            return found
        kept[full_key] = found
        _forget_oldest(kept)
    return kept[full_key]


def waits_for_run(
    key: tuple[Any, ...], mechanism: Mechanism, simulate: bool, seed: int
) -> bool:
    """Is it costly and not yet computed, so that the user is asked first?"""
    full_key = (*key, mechanism, simulate, COSTLY_REPETITIONS, seed)
    return mechanism.costly and full_key not in st.session_state.get(_KEPT, {})


def run_button(waiting: Sequence[Mechanism], repetitions: int = COSTLY_REPETITIONS) -> bool:
    """Costly methods start on request; moving any control cancels them. Was it pressed?"""
    if not waiting:
        return False
    names = ", ".join(m.title for m in waiting)
    with st.container(horizontal=True, vertical_alignment="center"):
        started = st.button(f"Run {names}", icon=":material/play_arrow:", type="primary")
        if started:  # whatever is clicked starts the page anew, without what was going on
            st.button("Cancel", icon=":material/close:")
        else:
            st.caption(
                f"{names}: {repetitions} {'releases take' if repetitions > 1 else 'release takes'} "
                "some seconds. Moving any control cancels."
            )
    return started


def releases(
    key: tuple[Any, ...], histogram: Histogram, mechanisms: Sequence[Mechanism], repetitions: int,
    seed: int,
) -> list[NDArray[np.int64] | None]:
    """For each mechanism its released people, one row a release (kept while controls move).

    Costly ones wait behind a Run button; while they do, there is None in their place.
    """
    kept: dict[Any, NDArray[np.int64]] = st.session_state.setdefault(_KEPT_RELEASES, {})
    keys = [
        (*key, m, min(repetitions, COSTLY_REPETITIONS) if m.costly else repetitions, seed)
        for m in mechanisms
    ]
    todo = [m for m, k in zip(mechanisms, keys, strict=True) if k not in kept]
    started = run_button(
        [m for m in todo if m.costly], min(repetitions, COSTLY_REPETITIONS)
    )
    for one, full_key in zip(mechanisms, keys, strict=True):
        if full_key in kept or (one.costly and not started):
            continue
        with progress_bar(f"{one.label()}: {full_key[-2]} releases") as show:
            kept[full_key] = released_people(one, histogram, full_key[-2], seed, show)
        while len(kept) > 1 and sum(rows.nbytes for rows in kept.values()) > _MOST_BYTES:
            kept.pop(next(iter(kept)))
    if started:
        st.rerun()
    return [kept.get(full_key) for full_key in keys]


def curve_along(
    key: tuple[Any, ...], histogram: Histogram, mechanism: Mechanism, param: Param,
    repetitions: int, seed: int,
) -> Curve:
    """The mechanism along one parameter. The curve does not depend on where the parameter stands
    now, so it is kept while that slider moves."""
    kept: dict[Any, Curve] = st.session_state.setdefault(_KEPT_CURVES, {})
    has_it = param.name in mechanism.settings()
    base = mechanism.replace(**{param.name: param.default}) if has_it else mechanism
    full_key = (*key, base, param.name, repetitions, seed)
    if full_key not in kept:
        values, done = sweep_values(param), itertools.count(1)
        with progress_bar(f"{mechanism.title} along {param.title.lower()}") as show:

            def point(one: Mechanism) -> Evaluation:
                found = evaluated(key, histogram, one, False, repetitions, seed, keep=False)
                show(min(1.0, next(done) / len(values)))
                return found

            kept[full_key] = sweep(base, param, point, values)
        _forget_oldest(kept)
    here = float(mechanism.settings()[param.name]) if has_it else None
    return replace(kept[full_key], mechanism=mechanism, here=here)


def kept(name: str, key: tuple[Any, ...], make: Callable[[], Made]) -> Made:
    """A page's own result, made once for a key that says all it depends on."""
    known: dict[Any, Made] = st.session_state.setdefault(f"kept-{name}", {})
    if key not in known:
        known[key] = make()
        _forget_oldest(known)
    return known[key]


def kept_with_progress(
    name: str, key: tuple[Any, ...], words: str, make: Callable[[Progress], Made]
) -> Made:
    """Like `kept`, for work that may take a second: `make` is given what to tell its progress."""

    def shown() -> Made:
        with progress_bar(words) as show:
            return make(show)

    return kept(name, key, shown)


def _forget_oldest(kept: dict[Any, Any]) -> None:
    while len(kept) > _MOST_KEPT:
        kept.pop(next(iter(kept)))


@contextmanager
def progress_bar(words: str) -> Iterator[Progress]:
    """A bar with what is being done and how long it will still take, after a moment's patience."""
    place, start = st.empty(), time.monotonic()

    def show(share: float) -> None:
        spent = time.monotonic() - start
        if spent > _PATIENCE:
            left = spent * (1 - share) / max(share, 1e-3)
            more = f", about {math.ceil(left)} s left" if left > 1 and spent > 1 else ""
            place.progress(min(share, 1.0), f"{words}{more}")

    yield show
    place.empty()

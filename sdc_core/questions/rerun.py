"""A saved run, asked again: the same numbers, or a sentence on why they may differ."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from sdc_core import questions
from sdc_core.data import Dataset, load_dataset
from sdc_core.data.catalogue import own_file
from sdc_core.engines import is_elsewhere
from sdc_core.errors import InputError
from sdc_core.parameters import Param
from sdc_core.questions.answer import Answer, Notice
from sdc_core.questions.question import Arguments, Control, Given, complete, settle
from sdc_core.questions.run_file import DataName, Run, read_run
from sdc_core.questions.work import Work
from sdc_core.version import __version__


class _Saved(Arguments):
    """Controls as a link writes them. A file that a text names is not opened: whoever sends a run
    does not choose what is read here."""

    def value(self, control: Control, param: Param) -> Any:
        return super().value(control, param) if param.linked else param.default


def run(
    source: str | Path | Run, data: str | Path | pd.DataFrame | Dataset | None = None, *,
    anyway: bool = False, work: Work | None = None, dark: bool = False,
) -> Answer:
    """The answer that was saved, from a run file (or a `Run`). `data` says where the records are,
    if they are not where they were; records that have changed are refused, unless `anyway`."""
    folder = Path(source).parent if isinstance(source, (str, Path)) else Path()
    saved = source if isinstance(source, Run) else read_run(source)
    dataset = _records(saved, data, folder)
    changed = changed_words(saved.data, dataset)
    if changed and not anyway:
        raise InputError(
            f"{changed} Give the file as it was (--data), or go on all the same (--anyway).")
    asked = questions.question(saved.question)
    given = Given(saved.study(dataset), work or Work(), dark)
    settle(asked, given, _Saved(saved.controls))
    found = complete(asked, given)
    return dataclasses.replace(
        found, notices=(*reservations(saved, changed), *found.notices))


def _records(
    saved: Run, data: str | Path | pd.DataFrame | Dataset | None, folder: Path
) -> Dataset:
    """The records as the run reads them."""
    if isinstance(data, Dataset):
        return data if saved.schema is None else data.with_schema(
            saved.schema.for_columns(data.raw.names, data.title))
    if data is None:
        data = saved.data.id or _place_of(saved.data, folder)
    return load_dataset(data, saved.schema, **saved.data.read_as)  # type: ignore[arg-type]


def _place_of(name: DataName, folder: Path) -> Path | str:
    """Where the file is: where it was, beside the run file, here, or in the folder of own data."""
    if name.path and is_elsewhere(name.path):
        return name.path
    for place in (Path(name.path or name.name), folder / Path(name.name).name):
        if place.is_file():
            return place
    try:
        return own_file(Path(name.name).name)
    except InputError:
        raise InputError(
            f"The run was made on {name.name}, which is neither where it was nor beside the run "
            "file. Say where it is: --data PATH."
        ) from None


def changed_words(name: DataName, data: Dataset) -> str:
    """Is it the same data? Empty if so."""
    if name.sha256 == DataName.of(data).sha256:
        return ""
    return (
        f"{name} has changed since the run was saved (its checksum differs), so numbers may differ."
    )


def reservations(saved: Run, changed: str) -> Iterator[Notice]:
    """Why numbers may not be those that were saved."""
    if changed:
        yield Notice(changed, "warning", "difference")
    if saved.version != __version__:
        yield Notice(
            f"The run was saved by version {saved.version}; this is {__version__}, so numbers may "
            "differ.", "warning", "update",
        )
    for name in saved.files:
        yield Notice(
            f"The run was made with a file for {name}, which is not part of it: the answer is "
            "without.", "warning", "attach_file",
        )

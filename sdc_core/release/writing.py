"""A release as a file that may leave: rows, and beside them where they come from.

Question: how does a protected table get out of here? `release_file` makes it, `write_release` puts
it on disk, `zipped` packs it for a download. Python, the command line and the page all use these.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from sdc_core.data import Column, Dataset, Role, Schema, Type
from sdc_core.data.export import guarded
from sdc_core.errors import InputError
from sdc_core.histogram import Feature, distinct
from sdc_core.mechanisms.base import Release
from sdc_core.release import formats
from sdc_core.release.content import Content, Form, content_of
from sdc_core.release.formats import NumberColumn, TextColumn
from sdc_core.release.provenance import SUFFIX, provenance_of
from sdc_core.whole_file import beside, put

COUNT, STATUS, STAND_IN = "count", "status", "stand_in_for_hidden"
STATUSES = ("published", "hidden")


@dataclass(frozen=True, eq=False)
class ReleaseFile:
    """What is to be written: call `write` for its bytes, then `provenance` knows their hash."""

    name: str
    content: Content
    dataset: Dataset | None
    labels: bool

    def write(self, out: IO[bytes]) -> None:
        times = self.content.counts if self.content.form == "records" else None
        columns = [column for column, _ in self.columns()]
        formats.write(columns, times, formats.format_of(self.name), out)

    def provenance(self, sha256: str, size: int) -> dict[str, Any]:
        return self.provenance_of({"bytes": size, "sha256": sha256})

    def provenance_of(self, file: dict[str, Any]) -> dict[str, Any]:
        """The document, with what is known of the file or files besides."""
        described = [about for _, about in self.columns()]
        kind = formats.format_of(self.name)
        encoding = {"encoding": "UTF-8 with byte order mark"} if kind == "csv" else {}
        known = {
            "name": self.name, "format": kind, **encoding, "rows": self.content.rows, **file,
            "values": "labels" if self.labels else "codes",
        }
        found = provenance_of(self.content, self.dataset, described, known)
        return found if self.content.form == "table" else {
            **found, "file_schema": self.file_schema().to_dict()}

    def file_schema(self) -> Schema:
        """What the columns of the records mean, for whoever opens them as data: all values that
        there may be, whoever is in the file. `sdc.load_dataset(path, schema=...)` takes it."""
        def written(text: str) -> str:
            return guarded(text) if formats.format_of(self.name) == "csv" else text

        columns = []
        for (column, _), feature in zip(self.columns(), self.content.features, strict=True):
            assert isinstance(column, TextColumn)
            known = None if self.dataset is None else self.dataset.schema.column(feature.name)
            gap = dict(zip(column.texts, feature.labels, strict=True)).get("")
            columns.append(Column(
                written(column.header), feature.title, Role.QUASI if known is None else known.role,
                Type.CODE, {
                    written(text): label
                    for text, label in zip(column.texts, feature.labels, strict=True) if text
                }, missing=("",) * (gap is not None), may_be_missing=gap is not None,
                missing_label=gap or "missing",
            ))
        return Schema(tuple(columns))

    def columns(self) -> list[tuple[TextColumn | NumberColumn, dict[str, Any]]]:
        """Each column of the file, and what its provenance says about it."""
        content = self.content
        own = [f.title if self.labels else f.name for f in content.features]
        headers = distinct([*own, COUNT, STATUS, STAND_IN])
        found: list[tuple[TextColumn | NumberColumn, dict[str, Any]]] = []
        for j, feature in enumerate(content.features):
            texts = distinct(feature.labels) if self.labels else feature.values
            found.append((
                TextColumn(headers[j], texts, content.places[j]),
                {"header": headers[j], "holds": "feature", **_described(content, j)},
            ))
        if content.form == "records":
            return found
        count, status, stand_in = headers[len(own):]
        found.append((
            NumberColumn(count, content.counts, content.hidden), {"header": count, "holds": COUNT}
        ))
        if content.hidden is not None:
            found += [
                (
                    TextColumn(status, STATUSES, content.hidden.astype(np.int64)),
                    {"header": status, "holds": STATUS, "texts": STATUSES},
                ),
                (
                    NumberColumn(stand_in, content.counts, ~content.hidden),
                    {"header": stand_in, "holds": STAND_IN,
                     "meaning": "what the method fills in for a hidden count; no count of anybody"},
                ),
            ]
        return found


def _described(content: Content, j: int) -> dict[str, Any]:
    """A feature with its declared values and, where groups are published, what each stands for."""
    domain = content.release.histogram.domain
    feature: Feature = domain.features[j]
    about: dict[str, Any] = {
        "name": feature.name, "title": feature.title, "codes": feature.values,
        "labels": feature.labels, "ordered": feature.ordered,
        "unordered_tail": feature.unordered_tail, "role": str(feature.role),
        "read_off": feature.name in domain.read_off,
    }
    if content.groups is not None:
        published, members = content.groups.features[j], content.groups.members[j]
        about["groups"] = [
            {"code": code, "label": label, "members": inside}
            for code, label, inside in zip(
                published.values, published.labels, members, strict=True)
        ]
    return about


def release_file(
    release: Release, name: str, form: Form = "table", labels: bool = False,
    reconstructed: bool = False, dataset: Dataset | None = None,
) -> ReleaseFile:
    """The file of this name (.csv or .parquet) that a release makes, or why it makes none."""
    formats.format_of(name)
    return ReleaseFile(name, content_of(release, form, reconstructed), dataset, labels)


@dataclass(frozen=True)
class Written:
    """Where a release went, and what was written beside it."""

    path: Path
    provenance_path: Path
    provenance: dict[str, Any]


def write_release(
    release: Release, path: str | Path, form: Form = "table", labels: bool = False,
    reconstructed: bool = False, dataset: Dataset | None = None,
) -> Written:
    """Write a release as CSV or Parquet (as the path ends), and its provenance beside it.

    `form` is "table" (one row a group of people, hidden counts marked) or "records" (one row a
    person). `labels` writes words instead of codes. A method that merges people writes its groups;
    `reconstructed` writes values drawn back from them instead, which are not k-anonymous. `dataset`
    is what the release was made from, for the provenance. Nothing half-written is left behind.
    """
    target = Path(path)
    note_path = target.with_name(target.name + SUFFIX)
    made = release_file(release, target.name, form, labels, reconstructed, dataset)
    if target.exists() and not note_path.exists():
        raise InputError(
            f"{str(target)!r} is there already and is no release of this tool, so it is left as it "
            "is. Take another name."
        )
    try:
        with beside(target) as file, beside(note_path) as note:
            out = _Hashing(file)
            made.write(out)  # type: ignore[arg-type]
            found = made.provenance(out.sha256.hexdigest(), out.size)
            note.write(as_text(found).encode())
            put(note, note_path)
            put(file, target)
    except OSError as problem:
        raise InputError(
            f"{str(target)!r} cannot be written: {problem.strerror or problem}. Choose a folder "
            "that is there, may be written to, and has room."
        ) from None
    return Written(target, note_path, found)


def as_text(provenance: dict[str, Any]) -> str:
    return json.dumps(provenance, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def zipped(made: ReleaseFile) -> tuple[bytes, dict[str, Any]]:
    """The file and its provenance in one archive, the same bytes for the same release; and the
    provenance."""
    content = io.BytesIO()
    made.write(content)
    found = made.provenance(hashlib.sha256(content.getbuffer()).hexdigest(), content.tell())
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, inside in (
            (made.name, content.getvalue()), (made.name + SUFFIX, as_text(found).encode()),
        ):
            entry = zipfile.ZipInfo(name)  # dated 1980, whenever it is made
            archive.writestr(entry, inside, zipfile.ZIP_DEFLATED)
    return out.getvalue(), found


class _Hashing:
    """A file that knows the hash and the size of what was written to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.sha256, self.size = file, hashlib.sha256(), 0
        self.closed = False

    def write(self, part: Any) -> int:
        self.sha256.update(part)
        self.size += memoryview(part).nbytes
        return self._file.write(part)

    def tell(self) -> int:
        return self.size

    def flush(self) -> None:
        self._file.flush()

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        self.closed = True

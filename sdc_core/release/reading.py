"""A released file read back: the same counts over the same groups, with where they come from."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import QUASI, Domain, Feature, Histogram, distinct
from sdc_core.people import Groups
from sdc_core.release import formats
from sdc_core.release.provenance import FORMAT, FORMAT_VERSION, SUFFIX
from sdc_core.release.writing import COUNT, STAND_IN, STATUS, STATUSES

Provenance = dict[str, Any]


@dataclass(frozen=True, eq=False)
class ReleasedCounts:
    """Counts over a domain, one a cell. Where `hidden`, there is no count: NaN, and `stand_ins` is
    what the method fills in (NaN elsewhere)."""

    domain: Domain
    counts: NDArray[Any]
    hidden: NDArray[np.bool_]
    stand_ins: NDArray[np.float64]
    provenance: Provenance

    @property
    def histogram(self) -> Histogram:
        """The counts as a table that any measure takes, where they are people."""
        if self.hidden.any() or self.counts.dtype.kind != "i" or (self.counts < 0).any():
            raise InputError(
                "These counts are not people: some are hidden, below zero or not whole. Use counts "
                "and hidden instead."
            )
        return Histogram(self.counts.copy(), self.domain)


@dataclass(frozen=True, eq=False)
class ReleasedGroups:
    """People who are known by groups of values; `domain` has the values before they were merged."""

    domain: Domain
    groups: Groups
    provenance: Provenance

    @property
    def frame(self) -> pd.DataFrame:
        """One row a group: what is published of each feature, as codes, and how many people."""
        columns = {
            feature.name: np.asarray(feature.values, dtype=object)[self.groups.places[:, j]]
            for j, feature in enumerate(self.groups.features)
        }
        return pd.DataFrame({**columns, distinct([*columns, COUNT])[-1]: self.groups.sizes})


def read_release(path: str | Path) -> ReleasedCounts | ReleasedGroups:
    """What `write_release` wrote, records added up to counts; refused if the file has changed."""
    target = Path(path)
    beside = target.with_name(target.name + SUFFIX)
    try:
        content, note = target.read_bytes(), beside.read_bytes()
    except OSError as problem:
        missing = beside if target.is_file() else target
        raise InputError(
            f"{str(missing)!r} cannot be read: {problem.strerror or problem}. A release is a file "
            f"and its {SUFFIX.removeprefix('.')} in one folder."
        ) from None
    try:
        found = json.loads(note)
        if (found["format"], found["format_version"]) != (FORMAT, FORMAT_VERSION):
            raise ValueError
        changed = hashlib.sha256(content).hexdigest() != found["file"]["sha256"]
        if not changed:
            return _Reader(content, found, target.name).released()
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, IndexError, RecursionError, AttributeError):
        raise InputError(
            f"{beside.name} is not the provenance of a release, or of another version. Write the "
            "release again."
        ) from None
    raise InputError(
        f"{target.name} is not as it was written: its hash is another than in its provenance. "
        "Write the release again, or read it as data (load_dataset)."
    )


class _Reader:
    """A file and what its provenance says about its columns."""

    def __init__(self, content: bytes, found: Provenance, name: str) -> None:
        self._found, self._name = found, name
        self._kind = formats.format_of(name)
        self._written = formats.read(content, self._kind, name)
        self._about: list[dict[str, Any]] = found["columns"]
        if [header for header, _ in self._written] != [one["header"] for one in self._about]:
            raise ValueError

    def released(self) -> ReleasedCounts | ReleasedGroups:
        described = [one for one in self._about if one["holds"] == "feature"]
        domain = Domain(
            tuple(
                Feature(one["name"], one["title"], tuple(one["codes"]), tuple(one["labels"]),
                        bool(one["ordered"]), int(one["unordered_tail"]),
                        str(one.get("role", QUASI)))
                for one in described
            ),
            tuple(one["name"] for one in described if one["read_off"]),
        )
        if "groups" in described[0]:
            return self._groups(domain, described)
        places = [self._places(j, f.values, f.labels) for j, f in enumerate(domain.features)]
        cells = np.ravel_multi_index(tuple(places), domain.shape)
        return self._counts(domain, cells)

    def _places(
        self, j: int, codes: tuple[str, ...], labels: tuple[str, ...]
    ) -> NDArray[np.int64]:
        texts = distinct(labels) if self._found["file"]["values"] == "labels" else codes
        return formats.places_of(self._written[j][1], texts, self._kind, self._name)

    def _column(self, holds: str) -> Any:
        """The column of this meaning; None if the file has none."""
        held = [i for i, one in enumerate(self._about) if one["holds"] == holds]
        return self._written[held[0]][1] if held else None

    def _numbers(self, holds: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        return formats.numbers_of(self._column(holds), self._found["counts"] == "whole")

    def _counts(self, domain: Domain, cells: NDArray[np.int64]) -> ReleasedCounts:
        hidden = np.zeros(domain.size, dtype=np.bool_)
        stand_ins = np.full(domain.size, np.nan)
        if self._column(COUNT) is None:
            counts: NDArray[Any] = np.bincount(cells, minlength=domain.size).astype(np.int64)
            return ReleasedCounts(domain, counts, hidden, stand_ins, self._found)
        if not np.array_equal(np.sort(cells), np.arange(domain.size)):
            raise ValueError  # a table has each cell once
        values, _ = self._numbers(COUNT)
        if self._column(STATUS) is not None:
            status = formats.places_of(self._column(STATUS), STATUSES, self._kind, self._name)
            hidden[cells] = status == STATUSES.index("hidden")
            filled, gone = self._numbers(STAND_IN)
            stand_ins[cells] = np.where(gone, np.nan, filled)
        counts = np.zeros(domain.size, dtype=values.dtype)
        counts[cells] = values
        if hidden.any():
            counts = np.where(hidden, np.nan, counts)
        return ReleasedCounts(domain, counts, hidden, stand_ins, self._found)

    def _groups(self, domain: Domain, described: list[dict[str, Any]]) -> ReleasedGroups:
        features, members, places = [], [], []
        for j, one in enumerate(described):
            codes, labels = (tuple(g[key] for g in one["groups"]) for key in ("code", "label"))
            features.append(Feature(one["name"], one["title"], codes, labels))
            members.append(tuple(tuple(g["members"]) for g in one["groups"]))
            places.append(self._places(j, codes, labels))
        rows = np.stack(places, axis=1)
        sizes = np.ones(len(rows)) if self._column(COUNT) is None else self._numbers(COUNT)[0]
        alike, which = np.unique(rows, axis=0, return_inverse=True)
        people = np.bincount(which.reshape(-1), sizes, minlength=len(alike)).astype(np.int64)
        left_out = int(self._found["merged"]["left_out"])
        groups = Groups(tuple(features), tuple(members), alike, people, left_out)
        return ReleasedGroups(domain, groups, self._found)

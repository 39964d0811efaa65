"""What a released file holds: which rows, which counts, what is hidden.

Question: what may leave, and as what? As a table, one row a group of people, with what is hidden
marked as hidden. As records, one row a person, where the release is people. A method that merges
people publishes its groups, each value as coarse as the group; drawing single values back from them
(as the papers do to compare tables) is another release, to be asked for by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import Feature
from sdc_core.mechanisms.base import Bools, Generalises, HidesCells, Release
from sdc_core.people import MAX_PEOPLE, Groups, marginal

Form = Literal["table", "records"]
FORMS: tuple[Form, ...] = get_args(Form)
Ints = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Reconstructed:
    """What drawing values back does to a promise of k: how many combinations of the identifying
    features are shared by fewer than k people, and by one alone."""

    k: int
    below: int
    alone: int


@dataclass(frozen=True, eq=False)
class Content:
    """Rows of a file before they are written.

    `places[j]` is where each row stands in the values of feature j. `counts` are people: a column
    of a table; of records how often the row is repeated. `hidden` is None where the method hides
    nothing. `groups` are there where rows are groups of values, `reconstructed` where values were
    drawn back from such groups.
    """

    release: Release
    form: Form
    features: tuple[Feature, ...]
    places: tuple[Ints, ...]
    counts: NDArray[Any]
    hidden: Bools | None = None
    groups: Groups | None = None
    reconstructed: Reconstructed | None = None

    @property
    def rows(self) -> int:
        """How many rows the file has."""
        return len(self.counts) if self.form == "table" else int(self.counts.sum())

    @property
    def whole(self) -> bool:
        return bool(self.counts.dtype.kind == "i")


def content_of(release: Release, form: Form = "table", reconstructed: bool = False) -> Content:
    """The rows of a release, as a table or as records."""
    if form not in FORMS:
        raise InputError(f"A release is written as {' or '.join(FORMS)}, not as {form!r}.")
    method = release.mechanism
    merged = isinstance(method, Generalises)
    if reconstructed and not merged:
        raise InputError(
            f"{method.name} merges nobody, so there is nothing to reconstruct. Leave reconstructed "
            "away."
        )
    if isinstance(method, Generalises) and not reconstructed:
        return _groups(release, form, method.published_groups(release.histogram, release.seed))
    return _cells(release, form)


def _groups(release: Release, form: Form, found: Groups) -> Content:
    _check_number(int(found.sizes.sum()), form)
    places = tuple(found.places.T)
    return Content(release, form, found.features, places, found.sizes, groups=found)


def _cells(release: Release, form: Form) -> Content:
    method, domain = release.mechanism, release.histogram.domain
    drawn_back = _fewer_than_k(release) if isinstance(method, Generalises) else None
    cells = np.arange(domain.size)
    hidden = release.hidden if isinstance(method, HidesCells) else None
    counts = release.counts
    if form == "records":
        counts = release.people()
        _check_number(int(counts.sum()), form)
        cells = np.flatnonzero(counts)
        counts, hidden = counts[cells], None
    places = tuple(code.astype(np.int32) for code in np.unravel_index(cells, domain.shape))
    return Content(
        release, form, domain.features, places, counts, hidden, reconstructed=drawn_back
    )


def _check_number(people: int, form: Form) -> None:
    if form == "records" and people > MAX_PEOPLE:
        raise InputError(
            f"This release has {people:,} people; records are written for at most {MAX_PEOPLE:,}. "
            "Take it as a table."
        )


def _fewer_than_k(release: Release) -> Reconstructed:
    """How far records with values drawn back are from being k-anonymous: looked up in the release
    itself, so it gives nothing away that the file does not."""
    method, domain = release.mechanism, release.histogram.domain
    assert isinstance(method, Generalises)
    axes = domain.axes(method.quasi_identifiers, "quasi_identifiers")
    people = marginal(release.counts, domain, axes)
    below = (people > 0) & (people < method.k)
    return Reconstructed(method.k, int(below.sum()), int((people == 1).sum()))

"""Classes as the people of a file: each known by what is published about the class.

Question: which records may be handed out so that k of them always look alike? Not records that were
drawn back into the original values (that is for comparing tables), but the classes themselves:
every quasi-identifier as the values that the class is published with, every other feature as it is.
"""

from __future__ import annotations

import numpy as np

from sdc_core.histogram import Feature, distinct
from sdc_core.mechanisms.classes import Classes
from sdc_core.mechanisms.mondrian import Ints
from sdc_core.mechanisms.record_moves import RecordMoves
from sdc_core.people import Groups

Members = tuple[tuple[str, ...], ...]


def published_groups(classes: Classes) -> Groups:
    """The people of one table of classes, those who look alike in one row."""
    _, rows, labels, sizes = classes.groups
    features, members, places = _placed(classes, rows, labels)
    alike, which = np.unique(places, axis=0, return_inverse=True)
    people = np.bincount(which.reshape(-1), sizes, minlength=len(alike)).astype(np.int64)
    return Groups(features, members, alike, people, classes.left_out)


def moves_to_groups(classes: Classes) -> RecordMoves:
    """The same for each record: what is published in its place. Whoever is in no class is not."""
    patterns, parts = classes.patterns, classes.parts
    rows, cells = patterns.rows[parts.patterns], patterns.cells[parts.patterns]
    features, _, places = _placed(classes, rows, parts.classes)
    alike, which = np.unique(places, axis=0, return_inverse=True)
    return RecordMoves.of_numbers(
        patterns.table, features, alike, cells, which.reshape(-1), parts.sizes)


def _placed(
    classes: Classes, rows: Ints, labels: Ints
) -> tuple[tuple[Feature, ...], tuple[Members, ...], Ints]:
    """What is published of each feature, what that stands for, and which of it people in these rows
    and classes have."""
    domain, quasi = classes.patterns.table.domain, classes.patterns.qi_axes
    rest = [i for i in range(len(domain.shape)) if i not in quasi]
    codes = np.unravel_index(rows, tuple(domain.shape[i] for i in rest)) if rest else ()
    features, members = list(domain.features), [_themselves(f) for f in domain.features]
    places = np.zeros((len(rows), len(domain.shape)), dtype=np.int64)
    for axis, code in zip(rest, codes, strict=True):
        places[:, axis] = code
    for j, axis in enumerate(quasi):
        features[axis], members[axis], of_class = _published(classes, j)
        places[:, axis] = of_class[labels]
    return tuple(features), tuple(members), places


def _themselves(feature: Feature) -> Members:
    return tuple((value,) for value in feature.values)


def _published(classes: Classes, j: int) -> tuple[Feature, Members, Ints]:
    """A quasi-identifier with what is published in place of its values, what that stands for, and
    which of it each class has. Sets of values are in the order of the values they hold."""
    feature, masks = classes.features[j], classes.published[j]
    found, first, which = np.unique(masks, axis=0, return_index=True, return_inverse=True)
    order = np.arange(len(found))[::-1]  # sets that hold the first value come first
    members = tuple(
        tuple(feature.values[i] for i in np.flatnonzero(found[place])) for place in order
    )
    published = Feature(
        feature.name, feature.title,
        distinct([classes.words(j, int(first[place]), codes=True) for place in order]),
        distinct([classes.words(j, int(first[place])) for place in order]),
    )
    return published, members, (len(found) - 1 - which.reshape(-1)).astype(np.int64)

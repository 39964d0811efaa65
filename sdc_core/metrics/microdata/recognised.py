"""Can a record be recognised in the release? Classes of equal records, closest records, linkage.

P4 (§9.1) states neither a scale for its distances nor what happens if several records are equally
close. Here distances are Euclidean on the arrays as given (`arrays.scaled` puts both on one scale),
and an intruder who sees t equally close records takes one of them at random: a tie counts 1/t.
`unique` counts only records that are closer than all others, `any` every tie in full; the three
bound one another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import cKDTree

from sdc_core.errors import InputError
from sdc_core.metrics.microdata.arrays import Floats, Ints, comparable, pair

Ties = Literal["share", "unique", "any"]
TIES: dict[Ties, str] = {
    "share": "a tie of t records counts 1/t", "unique": "a tie does not count",
    "any": "a tie counts in full",
}
_ROUNDING = 1e-9  # distances that differ by less than this share of themselves are equal


def class_sizes(columns: ArrayLike) -> Ints:
    """For each record, how many records (itself among them) have all its values? Values may be
    numbers or texts; what matters is only whether they are equal."""
    values = np.asarray(columns)
    values = values[:, None] if values.ndim == 1 else values
    if values.ndim != 2 or values.size == 0:
        raise InputError("There are no records to put into classes; give a row a record.")
    codes = np.zeros(len(values), dtype=np.int64)
    for column in values.T:
        _, each = np.unique(column, return_inverse=True)
        _, codes = np.unique(codes * (each.max() + 1) + each, return_inverse=True)
    return np.bincount(codes)[codes].astype(np.int64)


def mean_k_anonymity(columns: ArrayLike) -> float:
    """MKA (P4 §9.1.2): the mean, over records, of how many have exactly the same values."""
    return float(class_sizes(columns).mean())


@dataclass(frozen=True, eq=False)
class Closest:
    """For each record that somebody searches: how far the closest candidate is, how far the right
    one, and among how many equally close ones the right one is (0: another one is closer)."""

    distance: Floats
    own: Floats
    tied: Ints

    def chances(self, ties: Ties = "share") -> Floats:
        """The chance of each record that the search ends at the right one."""
        if ties not in TIES:
            raise InputError(f"Ties are one of {', '.join(TIES)}, not {ties!r}.")
        if ties == "any":
            return (self.tied > 0).astype(np.float64)
        if ties == "unique":
            return (self.tied == 1).astype(np.float64)
        return np.divide(1.0, self.tied, out=np.zeros(len(self.tied)), where=self.tied > 0)


def closest(searched: ArrayLike, candidates: ArrayLike) -> Closest:
    """Where does a search for each record among the candidates end, and is it in its own row?"""
    wanted, here = pair(searched, candidates, least=1)
    tree = cKDTree(here)
    distance = np.asarray(tree.query(wanted)[0], dtype=np.float64)
    own = np.sqrt(((wanted - here) ** 2).sum(axis=1))
    right = own <= _just_above(distance)
    tied = np.zeros(len(wanted), dtype=np.int64)
    if right.any():
        tied[right] = tree.query_ball_point(
            wanted[right], _just_above(own[right]), return_length=True)
    return Closest(distance, own, tied)


def _just_above(distance: Floats) -> Floats:
    return distance * (1 + _ROUNDING) + 1e-12


def self_closest_record(original: ArrayLike, released: ArrayLike, ties: Ties = "share") -> float:
    """PSCR (P4 §9.1.4): an intruder knows all of a person's values and takes the closest released
    record for that person's. How often is it?"""
    return float(closest(original, released).chances(ties).mean())


def record_linkage(
    original: ArrayLike, released: ArrayLike, known: NDArray[np.integer] | None = None,
    ties: Ties = "share",
) -> float:
    """Share of released records that are linked to the right person by somebody who has the true
    values of the `known` columns (all unless told) of everybody: the search goes the other way
    round than for PSCR, from each released record to the closest person."""
    first, second = pair(original, released, least=1)
    if known is not None:
        if len(known) == 0:
            raise InputError("Somebody who knows no variable cannot link records; name one.")
        first, second = first[:, known], second[:, known]
    return float(closest(second, first).chances(ties).mean())


def distances_to_closest(original: ArrayLike, released: ArrayLike) -> Floats:
    """DCR of each original record (P4 §9.4): how far is the closest released record, whoever's it
    is? Needs no pairing, so synthetic records can be measured, too."""
    first, second = comparable(original, released, least=1)
    return np.asarray(cKDTree(second).query(first)[0], dtype=np.float64)


def distance_to_closest(original: ArrayLike, released: ArrayLike) -> float:
    """DCR: the mean of `distances_to_closest`. Larger is taken for safer, with care: in a crowd of
    equal records 0 endangers nobody."""
    return float(distances_to_closest(original, released).mean())

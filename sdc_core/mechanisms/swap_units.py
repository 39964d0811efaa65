"""What permutation swapping hands values round among: single records, or whole households.

Units of one kind are alike in everything that swapping looks at, so only how many there are of each
is kept. A member of a unit is in the cell `rest` + `place`: the place is what the unit may give
away, the rest is what stays with its member. A record is a unit with one member. Units change place
within a stratum: records that agree on the match features, households whose members do, one by one
(which makes them of one size).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.households import Households, alike, picked
from sdc_core.keep import kept_with_first
from sdc_core.mechanisms.base import Floats
from sdc_core.mechanisms.derangement import Ints, deranged_flows, uniform_derangement

# Units per pair of kinds above which counting flows between kinds is faster than shuffling.
_UNITS_PER_FLOW = 40


@dataclass(frozen=True, eq=False)
class SwapUnits:
    """Kinds of unit, ordered by stratum. Stratum i has the kinds from strata[i] to strata[i + 1]
    and the members of kind j are those from members[j] to members[j + 1]."""

    rest: Ints  # one a member
    members: Ints
    place: Ints  # one a kind
    counts: Ints
    strata: Ints

    @functools.cached_property
    def sizes(self) -> Ints:
        """How many units each stratum has."""
        return np.add.reduceat(self.counts, self.strata[:-1]) if len(self.counts) else self.counts

    def bias(self, rate: float, cells: int) -> Floats:
        """By how much is the number of people in each cell off on average? Exactly.

        A selected unit receives the place of a uniformly random other unit of its stratum. With n
        units in the stratum, n_s of them at place s, x_r people of rest r and x_rs of them at s,
        the bias of cell r + s is P(selected) Σ (x_r n_s - n x_rs) / (n - 1), over all strata.
        """
        chance = selection_probability(rate, self.sizes.astype(np.float64))
        cell, stratum, moved = self._if_selected
        return np.bincount(cell, chance[stratum] * moved, minlength=cells).astype(np.float64)

    @functools.cached_property
    def _if_selected(self) -> tuple[Ints, Ints, Floats]:
        """Cells, strata, and by how much the stratum would move the cell's mean if all its units
        were selected: the same at every rate."""
        found = [np.zeros((3, 0))]
        for i in np.flatnonzero(self.sizes >= 2):
            kinds = np.arange(self.strata[i], self.strata[i + 1])
            rest, begins = picked(self.rest, self.members, kinds)
            places, at = np.unique(self.place[kinds], return_inverse=True)
            if len(places) < 2:
                continue
            rests, who = np.unique(rest, return_inverse=True)
            n, n_s = self.sizes[i], np.bincount(at, self.counts[kinds])
            x_rs = np.zeros((len(rests), len(places)))
            size = np.diff(begins)
            np.add.at(x_rs, (who, np.repeat(at, size)), np.repeat(self.counts[kinds], size))
            moved = (x_rs.sum(axis=1)[:, None] * n_s - n * x_rs) / (n - 1)
            cell = (rests[:, None] + places).ravel()
            found.append(np.stack([cell, np.full(len(cell), i), moved.ravel()]))
        cell, stratum, moved = np.concatenate(found, axis=1)
        return cell.astype(np.int64), stratum.astype(np.int64), moved

    def exchange(self, row: Floats, rate: float, rng: np.random.Generator) -> None:
        """Swap within every stratum, in place."""
        for kinds, number, receivers, places, received in self.handed_round(rate, rng):
            self._put(row, kinds, self.place[kinds], -number)
            self._put(row, receivers, places, received)

    def handed_round(
        self, rate: float, rng: np.random.Generator
    ) -> Iterator[tuple[Ints, Ints, Ints, Ints, Ints | int]]:
        """Stratum by stratum: of which kinds units are selected and how many, and then which kinds
        receive which place how often."""
        for i in np.flatnonzero(self.sizes >= 2).tolist():
            start, stop = self.strata[i], self.strata[i + 1]
            selected = rng.binomial(self.counts[start:stop], rate)
            while selected.sum() == 1:  # nobody to exchange with: select again
                selected = rng.binomial(self.counts[start:stop], rate)
            which = np.flatnonzero(selected)
            if len(which):
                kinds, number = which + start, selected[which]
                yield kinds, number, *self._deranged(kinds, number, rng)

    def _deranged(
        self, kinds: Ints, number: Ints, rng: np.random.Generator
    ) -> tuple[Ints, Ints, Ints | int]:
        """A derangement of the selected units: `number` of each of these kinds."""
        place = self.place[kinds]
        if number.sum() > _UNITS_PER_FLOW * len(kinds) ** 2:
            flows = deranged_flows(number, rng)
            return np.repeat(kinds, len(kinds)), np.tile(place, len(kinds)), flows.ravel()
        donors = uniform_derangement(int(number.sum()), rng)
        return np.repeat(kinds, number), np.repeat(place, number)[donors], 1

    def _put(self, row: Floats, kinds: Ints, place: Ints, number: Ints | int) -> None:
        """So many units of each of these kinds more, at these places, with all their members."""
        rest = self.rest[kinds] if self._single else None
        if rest is None:
            rest, begins = picked(self.rest, self.members, kinds)
            sizes = np.diff(begins)
            place = np.repeat(place, sizes)
            number = np.repeat(np.broadcast_to(number, kinds.shape), sizes)
        np.add.at(row, rest + place, number)

    @functools.cached_property
    def _single(self) -> bool:
        """Has every unit one member?"""
        return len(self.rest) == len(self.place)


# What is kept: asked for by every check, release, guarantee and point of a curve of one method.
@kept_with_first
def records(table: Histogram, match: tuple[str, ...], swap: tuple[str, ...]) -> SwapUnits:
    """Single records as the units."""
    cells = np.flatnonzero(table.counts)
    stratum, place = _part(table, cells, match, "match"), _part(table, cells, swap, "swap")
    order = np.argsort(stratum, kind="stable")
    return SwapUnits(
        (cells - place)[order], np.arange(len(cells) + 1), place[order],
        table.counts[cells[order]], _bounds(stratum[order]),
    )


@kept_with_first
def households(table: Histogram, match: tuple[str, ...], swap: tuple[str, ...]) -> SwapUnits:
    """Whole households as the units, where the data know them and their members share a place."""
    found = table.households
    if found is None:
        raise InputError(
            "unit is household, but the data have no household id. Say which column holds it, or "
            "swap single records (unit=record)."
        )
    place = _part(table, found.cells, swap, "swap")
    own = place[found.starts[:-1]]
    _check_shared(table, found, place != own[found.owner], swap)
    codes = _part(table, found.cells, match, "match")
    stratum, _ = alike(codes[np.lexsort((codes, found.owner))], found.starts)
    order = np.argsort(stratum, kind="stable")
    rest, members = picked(found.cells - place, found.starts, order)
    return SwapUnits(rest, members, own[order], found.counts[order], _bounds(stratum[order]))


def _check_shared(
    table: Histogram, found: Households, differs: NDArray[np.bool_], swap: tuple[str, ...]
) -> None:
    if not differs.any():
        return
    members = found.cells[found.owner == found.owner[np.argmax(differs)]]
    mixed = next(
        name for name in swap if len(np.unique(_part(table, members, (name,), "swap"))) > 1)
    raise InputError(
        f"swap names {mixed!r}, in which members of one household differ. Whole households "
        "exchange what all their members share, such as the place; swap that, or single records "
        "(unit=record)."
    )


def _part(table: Histogram, cells: Ints, names: tuple[str, ...], role: str) -> Ints:
    """The part of a cell's number that these features make."""
    axes, shape = table.domain.axes(names, role), table.domain.shape
    codes = np.unravel_index(cells, shape)
    own = [c if a in axes else np.zeros_like(c) for a, c in enumerate(codes)]
    return np.ravel_multi_index(own, shape).astype(np.int64)


def _bounds(stratum: Ints) -> Ints:
    """Where each stratum begins, and where the last one ends."""
    return np.append(np.flatnonzero(np.diff(stratum, prepend=-1)), len(stratum))


def selection_probability(rate: float, n: Floats) -> Floats:
    """How likely is a unit of a stratum of n to be swapped?

    [p - p (1-p)^(n-1)] / [1 - n p (1-p)^(n-1)]: selected, given that it is not alone; 0 if n < 2.
    """
    others_not = np.power(1 - rate, np.maximum(n - 1, 1))
    if 0 < rate < 1:
        somebody_else = -np.expm1(np.maximum(n - 1, 1) * np.log1p(-rate))
    else:
        somebody_else = 1 - others_not
    return np.where(n >= 2, rate * somebody_else / (1 - np.maximum(n, 2) * rate * others_not), 0.0)

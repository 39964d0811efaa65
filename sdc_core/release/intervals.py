"""Where records go, as intervals of their draws: the small table that a database joins with.

A record's draw is a uniform number of 64 bits, written in base 16. Where each record moves by
itself, a cell's intervals are as long as its chances. Where so many are to go here and so many
there, the intervals end at the draws that stand at those places when the cell's records are sorted
by their draws; the database looks them up.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sdc_core.engines.statements import CELL, DIGITS, HEAD, HEADS, HIGH, LOW
from sdc_core.errors import InputError
from sdc_core.mechanisms.record_moves import OUT, RecordMoves

Ints = NDArray[np.int64]
Draws = NDArray[np.uint64]
_LAST = np.uint64(2**64 - 1)
_BITS_BELOW = np.uint64(4 * (DIGITS - HEAD))
_SLACK = 8.0  # standard deviations within which places are expected


def as_texts(draws: Draws) -> pa.Array:
    """Numbers as they are written in base 16, all of one length."""
    digits = draws.astype(">u8").tobytes().hex().encode()
    return pa.array(np.frombuffer(digits, dtype=f"S{DIGITS}").astype(str), pa.string())


def as_draws(texts: list[str]) -> Draws:
    return np.array([int(one, 16) for one in texts], dtype=np.uint64)


def _ends_a_cell(cells: Ints) -> NDArray[np.bool_]:
    return np.r_[cells[1:] != cells[:-1], np.ones(min(1, len(cells)), dtype=np.bool_)]


def wanted_places(moves: RecordMoves) -> tuple[Ints, Ints]:
    """Cells and places (counted from 1) of the draws at which intervals end, but for the last."""
    assert moves.numbers is not None
    inner = ~_ends_a_cell(moves.cells)
    return moves.cells[inner], _running(moves.cells, moves.numbers)[inner]


def _running(cells: Ints, numbers: NDArray[Any]) -> NDArray[Any]:
    """Sums from the beginning of each cell."""
    whole = np.cumsum(numbers)
    starts = np.flatnonzero(np.r_[True, cells[1:] != cells[:-1]]) if len(cells) else cells
    before = np.r_[np.zeros(1, whole.dtype), whole][starts]
    return whole - np.repeat(before, np.diff(np.r_[starts, len(cells)]))


def worth_looking(moves: RecordMoves, cells: Ints) -> Draws:
    """For each of these cells the draw up to which its places lie, all but surely: a cell's draws
    are uniform, so of n the first m lie below (m + some deviations)/n. Zero where there is none."""
    at, places = wanted_places(moves)
    assert moves.numbers is not None
    size = int(max(cells.max(initial=0), moves.cells.max(initial=0))) + 1
    most = np.zeros(size)
    np.maximum.at(most, at, places)
    total = np.bincount(moves.cells, moves.numbers, minlength=size)
    share = (most + _SLACK * np.sqrt(most) + 40) / np.maximum(total, 1)
    upto = np.where(most > 0, np.minimum(share, 1.0), 0.0)
    found = np.where(upto >= 1, 0.0, np.minimum(upto, 1 - 2**-53) * 2.0**64).astype(np.uint64)
    found[upto >= 1] = _LAST
    return found[cells]


def by_chance(moves: RecordMoves) -> Draws:
    """The last draw of each interval, as long as its chance."""
    assert moves.shares is not None
    upto = np.minimum(_running(moves.cells, moves.shares), 1 - 2**-53)
    ends = (upto * 2.0**64).astype(np.uint64) - np.uint64(1)
    ends[_ends_a_cell(moves.cells)] = _LAST
    return ends


def by_place(moves: RecordMoves, cells: Ints, places: Ints, draws: Draws) -> Draws:
    """The last draw of each interval, at the places that were looked up."""
    at, wanted = wanted_places(moves)
    order = np.lexsort((places, cells))
    if not (np.array_equal(cells[order], at) and np.array_equal(places[order], wanted)):
        raise InputError(
            "The records are not those that were counted: they were changed in between. Start "
            "again."
        )
    ends = np.full(len(moves.cells), _LAST, dtype=np.uint64)
    ends[~_ends_a_cell(moves.cells)] = draws[order]
    return ends


def as_table(moves: RecordMoves, ends: Draws, texts: dict[str, list[str]]) -> pa.Table:
    """Cell, first digits, interval and what is published (`texts` by column, one a value of the
    feature). An interval over several first digits is cut into one row each; those who are left out
    have no row."""
    starts = np.zeros(len(ends), dtype=np.uint64)
    inner = ~_ends_a_cell(moves.cells)
    starts[1:] = np.where(inner[:-1], ends[:-1] + np.uint64(1), np.uint64(0))
    there = (moves.targets != OUT) & (starts <= ends)
    if moves.shares is not None:  # an interval that is empty would begin after it ends
        there &= ~(np.r_[False, inner[:-1]] & (ends == np.r_[np.uint64(0), ends[:-1]]))
    rows = np.flatnonzero(there)
    first, last = starts[rows] >> _BITS_BELOW, ends[rows] >> _BITS_BELOW
    times = (last - first).astype(np.int64) + 1
    which = np.repeat(np.arange(len(rows)), times)
    within = np.arange(len(which)) - np.repeat(np.cumsum(times) - times, times)
    head = first[which] + within.astype(np.uint64)
    low = np.maximum(starts[rows][which], head << _BITS_BELOW)
    high = np.minimum(ends[rows][which], (head << _BITS_BELOW) | (_LAST >> np.uint64(4 * HEAD)))
    targets = moves.targets[rows][which]
    columns = {
        column: pa.array(known, pa.string()).take(pa.array(moves.places[targets, axis]))
        for axis, (column, known) in enumerate(texts.items())
    }
    begins = [f"{one:0{HEAD}x}" for one in range(16**HEAD)]
    return pa.table({
        CELL: pa.array(moves.cells[rows][which]),
        HEADS: pa.array(begins, pa.string()).take(pa.array(head.astype(np.int64))),
        LOW: as_texts(low), HIGH: as_texts(high), **columns,
    })

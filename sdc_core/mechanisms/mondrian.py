"""Mondrian: which records share a class so that every class has at least k of them?

Question: how fine may records be told apart if nobody may stand in a group smaller than k? The
data are cut in two, again and again, each time along the feature that still varies most, as near
to the middle as values allow, until no cut leaves k records on both sides. A feature with a
hierarchy is cut along it instead: a group is replaced by the groups that it consists of. (LeFevre,
DeWitt and Ramakrishnan 2006, which P1 uses in App. B.3.)

The work is done on patterns with multiplicities, and a whole level of cuts at a time: for all
classes of all tables at once. Its cost does not grow with the number of records.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
CUTS = ("strict", "relaxed")


@dataclass(frozen=True, eq=False)
class Partition:
    """Parts of patterns and the class of each; a strict cut never divides a pattern.

    Part i has `sizes[i]` records of pattern `patterns[i]` of table `tables[i]` and lies in class
    `classes[i]`. Parts are in the order of tables and patterns; classes are numbered through all
    tables in the order in which they first occur.
    """

    tables: Ints
    patterns: Ints
    classes: Ints
    sizes: Ints

    @cached_property
    def class_sizes(self) -> Ints:
        return np.bincount(self.classes, self.sizes).astype(np.int64)

    def __len__(self) -> int:
        return len(self.class_sizes)


@dataclass(frozen=True, eq=False)
class _Parts:
    """Parts that are still to be cut: the table, pattern and node of each, and its records."""

    tables: Ints
    patterns: Ints
    nodes: Ints
    sizes: Ints

    def take(self, chosen: NDArray[np.bool_]) -> _Parts:
        return _Parts(
            self.tables[chosen], self.patterns[chosen], self.nodes[chosen], self.sizes[chosen]
        )


def partition(
    codes: Ints, counts: Ints, ordered: Sequence[bool], k: int, cuts: str = "strict",
    steps: Sequence[Ints | None] | None = None,
) -> Partition:
    """Classes of at least k records each, as fine as cuts at the middle can make them.

    `codes` (patterns × features) are positions in each feature's values; `counts` says how many
    records have each pattern: a row for each table, or one row. Features that are not ordered are
    ordered by how frequent their values are in the table. A strict cut sends a value to one side
    as a whole; a relaxed cut halves the class, dividing the records that have the middle value in
    the order of their patterns. A table with fewer than k records gets no class at all.

    `steps` are the levels of features that have a hierarchy (levels × values, see
    `hierarchy.Ladder`): a class is cut into all groups of the next finer level at once, if each
    that has any records has at least k.
    """
    steps = [None] * len(ordered) if steps is None else list(steps)
    ordered = [o and step is None for o, step in zip(ordered, steps, strict=True)]
    codes = np.asarray(codes, dtype=np.int64)
    counts = np.atleast_2d(np.asarray(counts, dtype=np.int64))
    if k < 1:
        raise InputError(f"k must be at least 1, got {k}. Try 6.")
    if cuts not in CUTS:
        raise InputError(f"cuts must be one of {', '.join(CUTS)}, got {cuts!r}.")
    if codes.ndim != 2 or codes.shape != (counts.shape[1], len(ordered)) or not len(ordered):
        raise InputError(
            "codes needs a row for each pattern and a column for each feature, at least one."
        )
    enough = counts.sum(axis=1) >= k
    owner = np.flatnonzero(enough)  # the table of each node
    tables, patterns = np.nonzero(counts * enough[:, None])
    parts = _Parts(tables, patterns, np.cumsum(enough)[tables] - 1, counts[tables, patterns])
    ranks = [
        _ranks(codes[:, j], counts, o, step)
        for j, (o, step) in enumerate(zip(ordered, steps, strict=True))
    ]
    scale = np.ones((len(ranks), len(counts)))  # spread in the whole table
    for j, rank in enumerate(ranks if len(owner) else ()):
        whole = _spread(_by_value(parts, rank, codes[:, j]), ordered[j])
        scale[j, owner] = np.maximum(whole, 1)
    done: list[_Parts] = []
    numbered = 0
    while len(parts.sizes):
        feature, middle, left = _best_cuts(
            parts, ranks, codes, ordered, scale[:, owner], k, cuts, steps
        )
        final = feature < 0
        ended = parts.take(final[parts.nodes])
        number = np.cumsum(final) - 1 + numbered
        done.append(_Parts(ended.tables, ended.patterns, number[ended.nodes], ended.sizes))
        numbered += int(final.sum())
        parts = parts.take(~final[parts.nodes])
        parts, parent = _divide(parts, ranks, codes, feature, middle, left, steps)
        owner = owner[parent]
    return _in_order(done)


def partition_records(
    codes: Ints, ordered: Sequence[bool], k: int, cuts: str = "strict"
) -> Ints:
    """The class of every record, for records given one by one (records × features)."""
    rows = np.asarray(codes, dtype=np.int64)
    if rows.ndim != 2 or not rows.size:
        raise InputError("codes needs a row for each record and a column for each feature.")
    if len(rows) < k:
        raise InputError(f"k = {k} is more than the {len(rows)} records. Try a smaller k.")
    shape = tuple(int(n) + 1 for n in rows.max(axis=0))
    if rows.min() < 0 or math.prod(shape) >= 1 << 62:
        raise InputError("codes must be positions in each feature's values, counted from 0.")
    cells = np.ravel_multi_index(tuple(rows.T), shape)  # one number sorts faster than a row
    found, which, counts = np.unique(cells, return_inverse=True, return_counts=True)
    patterns = np.stack(np.unravel_index(found, shape), axis=1)
    parts = partition(patterns, counts, ordered, k, cuts)
    out = np.empty(len(rows), dtype=np.int64)
    out[np.argsort(which.reshape(-1), kind="stable")] = np.repeat(parts.classes, parts.sizes)
    return out


def _ranks(codes: Ints, counts: Ints, ordered: bool, step: Ints | None = None) -> Ints:
    """Where each value stands in its table's order: by value, or the most frequent first."""
    width = int(codes.max(initial=0)) + 1 if step is None else step.shape[1]
    if ordered or step is not None:
        return np.tile(np.arange(width), (len(counts), 1))
    frequency = np.zeros((len(counts), width), dtype=np.int64)
    for value in range(width):
        frequency[:, value] = counts[:, codes == value].sum(axis=1)
    order = np.argsort(-frequency, axis=1, kind="stable")
    return np.argsort(order, axis=1, kind="stable")


def _by_value(parts: _Parts, rank: Ints, codes: Ints) -> Floats:
    """Records of each node by the place of their value (nodes × values)."""
    nodes, width = int(parts.nodes.max()) + 1, rank.shape[1]
    index = parts.nodes * width + rank[parts.tables, codes[parts.patterns]]
    held = np.bincount(index, parts.sizes, minlength=nodes * width).astype(np.float64)
    return held.reshape(nodes, width)


def _spread(by_value: Floats, ordered: bool) -> Floats:
    """How much a feature varies within each node: steps from end to end, or values less one."""
    held = by_value > 0
    if not ordered:
        return (held.sum(axis=1) - 1).astype(np.float64)
    last = held.shape[1] - 1 - held[:, ::-1].argmax(axis=1)
    return (last - held.argmax(axis=1)).astype(np.float64)


def _best_cuts(
    parts: _Parts, ranks: list[Ints], codes: Ints, ordered: Sequence[bool], scale: Floats, k: int,
    cuts: str, steps: Sequence[Ints | None],
) -> tuple[Ints, Ints, Ints]:
    """For each node: the feature to cut (-1: none may be), the middle value's place, and how many
    records of the middle value go left (all of them, if the cut is strict). With a hierarchy, the
    level to cut at stands in the place of the middle value."""
    nodes = scale.shape[1]
    feature = np.full(nodes, -1)
    middle, left, widest = np.zeros(nodes, np.int64), np.zeros(nodes, np.int64), np.zeros(nodes)
    for j, (rank, step) in enumerate(zip(ranks, steps, strict=True)):
        table = _by_value(parts, rank, codes[:, j])
        spread = _spread(table, ordered[j]) / scale[j]
        if step is not None:
            place, goes, allowed = _cut_along(table, step, k)
        elif cuts == "strict":
            place, goes, allowed = _cut_between(table, k)
        else:
            place, goes, allowed = _cut_in_half(table, k)
        better = allowed & (spread > widest)
        feature[better] = j
        middle[better], left[better], widest[better] = place[better], goes[better], spread[better]
    return feature, middle, left


def _cut_between(table: Floats, k: int) -> tuple[Ints, Floats, Bools]:
    """Strict: after the value that leaves the smaller side largest; all its records go left."""
    upto = np.cumsum(table, axis=1)
    smaller = np.minimum(upto, upto[:, -1:] - upto)
    place = smaller.argmax(axis=1)
    return place, table[np.arange(len(table)), place], smaller.max(axis=1) >= k


def _cut_in_half(table: Floats, k: int) -> tuple[Ints, Floats, Bools]:
    """Relaxed: both halves are equally large, and the value in the middle may be divided."""
    upto = np.cumsum(table, axis=1)
    half = upto[:, -1] // 2
    place = (upto < half[:, None]).sum(axis=1)
    return place, half - (upto - table)[np.arange(len(table)), place], half >= k


def _cut_along(table: Floats, step: Ints, k: int) -> tuple[Ints, Floats, Bools]:
    """Along a hierarchy: the coarsest level with two groups or more that have records."""
    place, least = np.zeros(len(table), np.int64), np.zeros(len(table))
    for level, groups in enumerate(step):  # from fine to coarse: the last that cuts is kept
        held = table @ np.eye(int(groups.max()) + 1)[groups]
        cuts = (held > 0).sum(axis=1) > 1
        place[cuts] = level
        least[cuts] = np.where(held > 0, held, np.inf).min(axis=1)[cuts]
    return place, np.zeros(len(table)), least >= k


def _divide(
    parts: _Parts, ranks: list[Ints], codes: Ints, feature: Ints, middle: Ints, left: Ints,
    steps: Sequence[Ints | None],
) -> tuple[_Parts, Ints]:
    """All sides of every cut as new nodes, in the order of the old; and the old node of each."""
    chosen = feature[parts.nodes]
    place = np.zeros(len(chosen), dtype=np.int64)
    side = np.zeros(len(chosen), dtype=np.int64)  # of what does not go left
    for j, (rank, step) in enumerate(zip(ranks, steps, strict=True)):
        mine = chosen == j
        values = codes[parts.patterns[mine], j]
        if step is None:
            place[mine], side[mine] = rank[parts.tables[mine], values], 1
        else:  # nothing goes left: the group is the side
            place[mine] = middle[parts.nodes[mine]] + 1
            side[mine] = step[middle[parts.nodes[mine]], values]
    gap = place - middle[parts.nodes]
    to_left = np.where(gap < 0, parts.sizes, 0)
    tied = np.flatnonzero(gap == 0)
    tied = tied[np.lexsort((tied, parts.nodes[tied]))]
    sizes, nodes = parts.sizes[tied], parts.nodes[tied]
    before = np.cumsum(sizes) - sizes
    first = np.r_[True, nodes[1:] != nodes[:-1]] if len(nodes) else np.zeros(0, bool)
    before -= np.repeat(before[first], np.diff(np.r_[np.flatnonzero(first), len(nodes)]))
    to_left[tied] = np.clip(left[nodes] - before, 0, sizes)
    width = max([2, *(int(step.max()) + 1 for step in steps if step is not None)])
    both = _Parts(
        np.tile(parts.tables, 2), np.tile(parts.patterns, 2),
        np.r_[width * parts.nodes, width * parts.nodes + side],
        np.r_[to_left, parts.sizes - to_left],
    )
    both = both.take(both.sizes > 0)
    present = np.bincount(both.nodes, minlength=width * len(feature)) > 0
    number = np.cumsum(present) - 1
    return (
        _Parts(both.tables, both.patterns, number[both.nodes], both.sizes),
        np.flatnonzero(present) // width,
    )


def _in_order(done: list[_Parts]) -> Partition:
    """Parts by table and pattern; classes numbered as they first occur."""
    if not done:
        nothing = np.zeros(0, dtype=np.int64)
        return Partition(nothing, nothing, nothing, nothing)
    tables, patterns, classes, sizes = (
        np.concatenate([getattr(d, name) for d in done])
        for name in ("tables", "patterns", "nodes", "sizes")
    )
    order = np.lexsort((classes, patterns, tables))
    found, first, which = np.unique(classes[order], return_index=True, return_inverse=True)
    number = np.empty(len(found), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(found))
    return Partition(
        tables[order], patterns[order], number[which.reshape(-1)], sizes[order]
    )

"""Mondrian with anonypy's cuts, on patterns: the peer's rule done the engine's way.

The engine's own rule (`sdc_core.mechanisms.mondrian`) cuts as near to the middle as values allow,
which makes more and smaller classes; this one is here so that the two programs can be compared
class by class. The rule is told in `bench/peers/anonypy.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def class_sizes(records: Ints, numeric: Sequence[bool], k: int) -> Ints:
    """How many records each class has, from records (records × features, values from 0)."""
    shape = tuple(int(n) + 1 for n in records.max(axis=0))
    cells = np.ravel_multi_index(tuple(records.T), shape)
    _, first, counts = np.unique(cells, return_index=True, return_counts=True)
    order = np.argsort(first)  # patterns as they first occur: a list of values needs that order
    codes, counts = records[first[order]], counts[order]
    scale = [_spread(_held(codes[:, j], counts, np.zeros(len(codes), np.int64), 1), numeric[j])[0]
             for j in range(len(numeric))]
    nodes = np.zeros(len(codes), dtype=np.int64)
    sizes: list[Ints] = []
    while len(nodes):
        number = int(nodes.max()) + 1
        total = np.bincount(nodes, counts, number)
        widest, cut = np.zeros(number), np.zeros(number, dtype=bool)
        left = np.zeros(len(nodes), dtype=bool)
        for j, is_number in enumerate(numeric):
            held = _held(codes[:, j], counts, nodes, number)
            side = _below_median(held) if is_number else _first_half(held, codes[:, j], nodes)
            goes = (held * side).sum(axis=1)
            spread = _spread(held, is_number) / scale[j]
            better = (np.minimum(goes, total - goes) >= k) & (~cut | (spread > widest))
            cut |= better
            widest[better] = spread[better]
            mine = better[nodes]
            left[mine] = side[nodes[mine], codes[mine, j]]
        sizes.append(total[~cut])
        going = cut[nodes]
        new = np.cumsum(np.repeat(cut, 2)) - 1
        nodes = new[2 * nodes[going] + left[going]]
        codes, counts = codes[going], counts[going]
    return np.sort(np.concatenate(sizes).astype(np.int64))


def _held(values: Ints, counts: Ints, nodes: Ints, number: int) -> NDArray[np.float64]:
    """Records of each node by value (nodes × values)."""
    width = int(values.max()) + 1
    return np.bincount(nodes * width + values, counts, number * width).reshape(number, width)


def _spread(held: NDArray[np.float64], is_number: bool) -> NDArray[np.float64]:
    there = held > 0
    if not is_number:
        return there.sum(axis=1).astype(np.float64)
    last = there.shape[1] - 1 - there[:, ::-1].argmax(axis=1)
    return (last - there.argmax(axis=1)).astype(np.float64)


def _below_median(held: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Values below the upper of the two middle records: the same records as below the median."""
    upto = held.cumsum(axis=1)
    middle = (upto <= upto[:, -1:] // 2).sum(axis=1)
    return np.arange(held.shape[1]) < middle[:, None]


def _first_half(held: NDArray[np.float64], values: Ints, nodes: Ints) -> NDArray[np.bool_]:
    """The first half of a node's values in the order in which they occur."""
    width = held.shape[1]
    seen = np.full(held.size, len(values))
    backwards = (nodes * width + values)[::-1]
    seen[backwards] = np.arange(len(values))[::-1]  # the last assignment stays: the first pattern
    place = seen.reshape(held.shape).argsort(axis=1).argsort(axis=1)
    return place < ((held > 0).sum(axis=1) // 2)[:, None]

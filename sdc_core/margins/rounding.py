"""Which multiples of a base can stand in for the numbers of a table, so that totals still add up?

Controlled rounding (L. H. Cox, *A constructive procedure for unbiased controlled rounding*, JASA
82, 1987): every number, totals included, becomes one of the two multiples of the base next to it,
and what is a multiple stays. In a table of one or two variables, of which at most one has subtotals
within, this can always be done, and at random so that every number is right on average. The sums of
such a table are a network: each number is an edge that takes from one sum what it gives to
another. Where edges that are no multiples form a cycle, as much goes around it, one way or the
other, as makes one of them a multiple; the odds are such that nothing changes on average.

With more variables, or subtotals within two of them, there may be no such table. Then the nearest
one is searched for (integer programming), and it is said how far from its two neighbours a number
had to go. It is one table, fixed, and not right on average.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import block_array, eye_array

from sdc_core.errors import InputError
from sdc_core.margins.table import Axis, Floats, Ints, MarginTable

MOST_STEPS = 8  # multiples beyond the two neighbours that are tried
_SECONDS = 30.0


@dataclass(frozen=True, eq=False)
class Rounded:
    """A table of multiples of the base that adds up.

    `unbiased`: was it drawn so that each number is right on average? `beyond` is how many multiples
    past its two neighbours a number may be; where that is not 0, no table does with less.
    `nearest`: is it proved that no such table is nearer, in the sum of all deviations?
    """

    table: MarginTable
    base: int
    unbiased: bool
    beyond: int = 0
    nearest: bool = False


class Moments(NamedTuple):
    bias: Floats
    variance: Floats
    absolute: Floats


def rounding_moments(values: Floats, base: int) -> Moments:
    """Of unbiased rounding to neighbouring multiples: r above the lower one, it goes up with
    chance r / base."""
    above = np.mod(values, base)
    spread = above * (base - above)
    return Moments(np.zeros_like(above), spread, 2 * spread / base)


def controlled_rounding(
    table: MarginTable, base: int, rng: np.random.Generator, *, seconds: float = _SECONDS
) -> Rounded:
    """The table in multiples of the base, adding up: at random and right on average where the
    table allows it (see above), else the nearest one."""
    check_base(base)
    values = table.values
    if (values != np.rint(values)).any():
        first = int(np.argmax(values != np.rint(values)))
        raise InputError(
            f"Only whole numbers can be rounded to multiples of {base:,}; {table.name(first)} is "
            f"{values[first]:,.12g}. Take a smaller unit.")
    ways = _as_network(table)
    if ways is None:
        found, beyond, proved = _nearest(table, base, seconds)
        return Rounded(table.replace_values(found), base, False, beyond, proved)
    whole = values.astype(np.int64)
    return Rounded(table.replace_values(_settled(ways, whole, base, rng).astype(np.float64)), base,
                   True)


def round_two_way(counts: Ints, base: int, rng: np.random.Generator) -> Ints:
    """A matrix of whole numbers in neighbouring multiples of the base, right on average, whose row
    sums, column sums and sum of all are neighbouring multiples of the true ones as well."""
    rows, columns = counts.shape
    down, right = np.indices(counts.shape)
    # the end of row i is node i, that of column j is node rows + j; what the sum over rows or over
    # columns of all row and column sums needs besides are two nodes more
    by_row, by_column = rows + columns, rows + columns + 1
    ways = _Ways(
        np.concatenate([down.ravel(), np.full(rows, by_row), rows + np.arange(columns),
                        [by_column]]),
        np.concatenate([rows + right.ravel(), np.arange(rows), np.full(columns, by_column),
                        [by_row]]))
    numbers = np.concatenate(
        [counts.ravel(), counts.sum(axis=1), counts.sum(axis=0), [counts.sum()]])
    return _settled(ways, numbers, base, rng)[: counts.size].reshape(counts.shape)


def check_base(base: int) -> None:
    if base != int(base) or base < 2:
        raise InputError(f"base must be a whole number and at least 2, got {base}. Try 5.")


class _Ways(NamedTuple):
    """A network: from which sum to which each number runs. What runs into a node runs out."""

    start: Ints
    end: Ints


def _as_network(table: MarginTable) -> _Ways | None:
    """The network of the sums of a table, or that it is none (None)."""
    long = [i for i, axis in enumerate(table.axes) if len(axis) > 1]
    deep = [i for i in long if len(table.axes[i].parts) > 1]
    if len(long) > 2 or len(deep) > 1:
        return None
    first = deep[0] if deep else long[0] if long else 0
    other = next((i for i in long if i != first), None)
    tree = table.axes[first]
    places = np.unravel_index(np.arange(len(table)), table.shape)
    code = places[first]
    column = np.zeros_like(code) if other is None else places[other]
    width = 1 if other is None else len(table.axes[other])
    below, above = _nodes(tree, code, column, width)
    # totals over the columns run the other way, from the whole down to each row
    turned = (column == 0) & (other is not None)
    return _Ways(np.where(turned, above, below), np.where(turned, below, above))


def _nodes(tree: Axis, code: Ints, column: Ints, width: int) -> tuple[Ints, Ints]:
    """For each number the sum that it is made of and the one that it is part of, as nodes. A code
    with parts has a node in each column. A leaf has one for all its columns, or, where there is
    one column only, that of the whole, in which also every number of the first code ends."""
    size, whole = len(tree), len(tree) * (width + 1)
    leaf = np.ones(size, dtype=np.bool_)
    leaf[list(tree.parts)] = False
    of_leaf = np.full_like(code, whole) if width == 1 else size * width + code
    below = np.where(leaf[code], of_leaf, code * width + column)
    parent = np.array(tree.parents)[code]
    return below, np.where(parent < 0, whole, parent * width + column)


def _settled(ways: _Ways, numbers: Ints, base: int, rng: np.random.Generator) -> Ints:
    """The numbers in multiples of the base, with as much running into every node as out of it.

    A walk along numbers that are no multiples always goes on, since at no node there is just one of
    them; once it meets itself, it has found a cycle.
    """
    over = np.mod(numbers, base)
    rest = over.tolist()
    start, end = ways.start.tolist(), ways.end.tolist()
    around: list[list[int]] = [[] for _ in range(1 + max(*start, *end))]
    open_edges = np.flatnonzero(over).tolist()
    for edge in open_edges:
        around[start[edge]].append(edge)
        around[end[edge]].append(edge)
    chances = iter(rng.random(len(open_edges)).tolist())  # each cycle settles one at least
    for edge in open_edges:
        if 0 < rest[edge] < base:
            _settle_from(start[edge], start, end, around, rest, base, chances)
    return np.asarray(numbers - over + np.array(rest, dtype=np.int64))


def _settle_from(
    node: int, start: list[int], end: list[int], around: list[list[int]], rest: list[int],
    base: int, chances: Iterator[float],
) -> None:
    """Walk from this node and settle every cycle that is met, until the walk is back and there is
    no way left."""
    path: list[tuple[int, int]] = []  # each edge, and which way it was taken
    nodes, place = [node], {node: 0}
    while True:
        here = nodes[-1]
        came = path[-1][0] if path else -1
        edge = _next_edge(around[here], rest, base, came)
        if edge < 0:
            return
        there, way = (end[edge], 1) if start[edge] == here else (start[edge], -1)
        path.append((edge, way))
        met = place.get(there)
        if met is None:
            place[there] = len(nodes)
            nodes.append(there)
            continue
        _go_around(path[met:], rest, base, next(chances))
        # the walk goes on from the first number of the cycle that is settled now
        cut = next(i for i in range(met, len(path)) if rest[path[i][0]] in (0, base))
        for left in nodes[cut + 1:]:
            del place[left]
        del nodes[cut + 1:], path[cut:]


def _next_edge(edges: list[int], rest: list[int], base: int, came: int) -> int:
    """A number at this node that is no multiple yet, other than the one the walk came by; -1 if
    there is none. Those that are settled are forgotten."""
    at = len(edges) - 1
    while at >= 0:
        edge = edges[at]
        if rest[edge] in (0, base):
            edges[at] = edges[-1]
            edges.pop()
        elif edge != came:
            return edge
        at -= 1
    return -1


def _go_around(cycle: list[tuple[int, int]], rest: list[int], base: int, chance: float) -> None:
    """As much as possible one way or the other; the further way is taken so much more seldom."""
    forth = min(base - rest[e] if way > 0 else rest[e] for e, way in cycle)
    back = min(rest[e] if way > 0 else base - rest[e] for e, way in cycle)
    step = forth if chance * (forth + back) < back else -back
    for edge, way in cycle:
        rest[edge] += way * step


def _nearest(table: MarginTable, base: int, seconds: float) -> tuple[Floats, int, bool]:
    """The multiples nearest to the numbers, in the sum of all deviations, that add up: within their
    two neighbours if there are such, else as few multiples beyond as it takes; and whether nearness
    is proved."""
    low = np.floor(table.values / base)
    exact = low * base == table.values
    for beyond in range(MOST_STEPS + 1):
        lower, upper = low - beyond, low + np.where(exact, 0, 1) + beyond
        lower = np.where(low >= 0, np.maximum(lower, 0.0), lower)  # no people below zero
        found, proved = _integer_program(table, base, lower, upper, seconds)
        if found is not None:
            return found * base, beyond, proved
    raise InputError(
        f"No table of multiples of {base:,} that adds up was found near this one in "
        f"{seconds:g} seconds. Take another base, or fewer variables.")


def _integer_program(
    table: MarginTable, base: int, lower: Floats, upper: Floats, seconds: float
) -> tuple[Floats | None, bool]:
    """Multiples between these ends: the number of each and, after them, how far each is off."""
    size = len(table)
    share = table.values / base
    deviation = np.r_[np.zeros(size), np.ones(size)]
    sums = table.sums
    one = eye_array(size)
    nothing = 0 * sums
    rows = block_array([[sums, nothing], [one, -one], [one, one]], format="csr")
    ends_low = np.r_[np.zeros(sums.shape[0]), np.full(size, -math.inf), share]
    ends_high = np.r_[np.zeros(sums.shape[0]), share, np.full(size, math.inf)]
    result = milp(
        deviation, constraints=LinearConstraint(rows, ends_low, ends_high),
        bounds=Bounds(np.r_[lower, np.zeros(size)], np.r_[upper, np.full(size, math.inf)]),
        integrality=np.r_[np.ones(size), np.zeros(size)], options={"time_limit": seconds})
    if result.x is None:
        return None, False
    return np.rint(result.x[:size]), result.status == 0

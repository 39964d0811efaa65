"""The distinguishing game: from which of two tables does a release come?

Releases are drawn from both tables. On some of them scores are learnt, on others the best event (a
score above or below a limit) is chosen, and on releases that nobody has looked at before it is
judged: how often does it happen at least on one side (p), at most on the other (q)? If a mechanism
keeps (ε, δ), p <= e^ε q + δ; so ε is at least ln((p - δ)/q). Both chances are bounded by Clopper
and Pearson, exactly and at every sample size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainccinv, betaincinv

from sdc_core.mechanisms.neighbour_tables import Support

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Sides = tuple[Floats, Floats]  # releases of the first and of the second table, one a row
Score = Callable[[Floats], Floats]

_MOST_BINS = 24  # of one count, for its likelihood ratio
_MOST_LIMITS = 48  # of one score, that are tried
_MOST_OUTCOMES = 200  # different tables, up to which each is looked at as a whole


@dataclass(frozen=True)
class Bound:
    """How often an event happens: at least `p` on its own side, at most `q` on the other.

    `proven`: the other side cannot lead to it, so q is 0 without any draws."""

    p: float
    q: float
    proven: bool
    event: str

    def epsilon(self, delta: float) -> float:
        """The smallest ε that a promise with this δ may have."""
        if self.p <= delta:
            return 0.0
        return math.inf if self.q == 0 else max(0.0, math.log((self.p - delta) / self.q))

    def delta(self, epsilon: float) -> float:
        """The smallest δ that a promise with this ε may have."""
        return max(0.0, self.p - (math.exp(epsilon) * self.q if self.q > 0 else 0.0))


APART = Bound(1.0, 0.0, True, "no release can come from both tables")


@dataclass(frozen=True, eq=False)
class Event:
    """A score at or above a limit; `side` is where it happens more often."""

    score: Score
    limit: float
    side: int
    proven: bool
    says: str

    def happens(self, rows: Floats) -> Bools:
        return np.asarray(self.score(rows) >= self.limit, dtype=np.bool_)


def at_least(hits: NDArray[np.int64], draws: int, chance_of_error: float) -> Floats:
    """Clopper and Pearson's lower bound of a chance."""
    low = betaincinv(np.maximum(hits, 1), draws - hits + 1, chance_of_error)
    return np.where(hits == 0, 0.0, low)


def at_most(hits: NDArray[np.int64], draws: int, chance_of_error: float) -> Floats:
    """Their upper bound."""
    high = betainccinv(hits + 1, np.maximum(draws - hits, 1), chance_of_error)
    return np.where(hits == draws, 1.0, high)


def bound_of(event: Event, drawn: Sides, chance_of_error: float) -> Bound:
    """The event judged on releases that it was not chosen by: both bounds hold together but for
    this chance."""
    own, other = drawn[event.side], drawn[1 - event.side]
    share = chance_of_error if event.proven else chance_of_error / 2
    p = at_least(np.array(event.happens(own).sum()), len(own), share)
    q = 0.0 if event.proven else float(
        at_most(np.array(event.happens(other).sum()), len(other), share))
    return Bound(float(p), q, event.proven, event.says)


def best_event(
    learnt_on: Sides, chosen_on: Sides, change: Floats, supports: tuple[Support, Support] | None,
    delta: float, epsilon: float, chance_of_error: float,
) -> tuple[float, Event]:
    """The event that promises most at this δ, and how much; where none bounds ε, the one that comes
    nearest at this ε. `change` is by how much each count differs between the tables."""
    found = []
    for score, side, proven, says in _scores(learnt_on, change, supports):
        own, other = score(chosen_on[side]), score(chosen_on[1 - side])
        limits = np.ones(1) if proven else _limits(own, other)
        hits, misses = ((each[:, None] >= limits).sum(axis=0) for each in (own, other))
        worth = _worth(
            hits, misses, (len(own), len(other)), proven, delta, epsilon, chance_of_error)
        at = int(np.argmax(worth))
        found.append((float(worth[at]), Event(score, float(limits[at]), side, proven, says)))
    return max(found, key=lambda one: one[0])


def _worth(
    hits: NDArray[np.int64], misses: NDArray[np.int64], draws: tuple[int, int], proven: bool,
    delta: float, epsilon: float, chance_of_error: float,
) -> Floats:
    """What an event would be worth if judged on as many releases: ε at this δ; below zero by how
    far it is from bounding anything. A proof is worth most, the more often it comes up the more."""
    low = at_least(hits, draws[0], chance_of_error / 2)
    high = np.zeros(len(hits)) if proven else at_most(misses, draws[1], chance_of_error / 2)
    gap = low - delta
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(high > 0, np.log(gap / high), 1e6 * (1 + gap))
    short = np.minimum(hits / draws[0] - math.exp(min(epsilon, 50.0)) * high - delta, 0.0) - 1
    return np.where((gap > 0) & (found > 0), found, short)


def _limits(own: Floats, other: Floats) -> Floats:
    """Limits worth trying: all different scores, or some that leave equal shares."""
    pooled = np.unique(np.concatenate([own, other]))
    if len(pooled) <= _MOST_LIMITS:
        return pooled
    return np.unique(np.quantile(own, np.linspace(0, 1, _MOST_LIMITS), method="nearest"))


def _scores(
    learnt_on: Sides, change: Floats, supports: tuple[Support, Support] | None
) -> Iterator[tuple[Score, int, bool, str]]:
    """Scores, each with the side on which it is larger; and, where something is impossible, whether
    a release is: that one is `proven`."""
    moved = np.flatnonzero(change)
    named: list[tuple[Score, str]] = [
        (lambda rows: rows[:, moved] @ -change[moved], _APART),
        (_cell_by_cell(learnt_on, moved), _LIKELIER),
    ]
    if len(change) > len(moved):
        named.append((_cell_by_cell(learnt_on, np.arange(len(change))), _LIKELIER))
    whole = _as_a_whole(learnt_on)
    if whole is not None:
        named.append((whole, _LIKELIER))
    for score, says in named:
        yield score, 0, False, says
        yield _negative(score), 1, False, says
    if supports is not None:
        for side, name in enumerate(("first", "second")):
            yield _outside(supports[1 - side]), side, True, (
                f"a release that only the {name} table can lead to")


def _negative(score: Score) -> Score:
    return lambda rows: -score(rows)


_APART = (
    "the counts that differ lie further apart, in the direction of their change, than some limit"
)
_LIKELIER = (
    "a release of a kind that, in releases drawn before, was so many times as frequent on one side "
    "as on the other"
)


def _outside(support: Support) -> Score:
    return lambda rows: (~support.has(rows)).astype(np.float64)


def _cell_by_cell(learnt_on: Sides, cells: Sequence[int] | NDArray[np.intp]) -> Score:
    """The sum of each count's own log likelihood ratio, as counted in bins of its values."""
    parts = [(int(cell), *_ratios(learnt_on[0][:, cell], learnt_on[1][:, cell])) for cell in cells]

    def score(rows: Floats) -> Floats:
        total = np.zeros(len(rows))
        for cell, edges, ratios in parts:
            total += ratios[np.searchsorted(edges, rows[:, cell], side="right")]
        return np.round(total, 9)

    return score


def _ratios(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Edges between bins of a count's values, and each bin's log likelihood ratio."""
    values = np.unique(np.concatenate([first, second]))
    if len(values) > _MOST_BINS:
        pooled = np.concatenate([first, second])
        values = np.unique(np.quantile(pooled, np.linspace(0, 1, _MOST_BINS), method="nearest"))
    edges = (values[1:] + values[:-1]) / 2
    counts = [np.bincount(np.searchsorted(edges, side, side="right"), minlength=len(values))
              for side in (first, second)]
    return edges, np.log((counts[0] + 1) / (counts[1] + 1))


def _as_a_whole(learnt_on: Sides) -> Score | None:
    """The log likelihood ratio of the released table as a whole; None where too many are
    different."""
    both = np.concatenate(learnt_on)
    tables, which = np.unique(both, axis=0, return_inverse=True)
    if len(tables) > _MOST_OUTCOMES:
        return None
    which = which.reshape(-1)
    first = np.bincount(which[: len(learnt_on[0])], minlength=len(tables))
    second = np.bincount(which[len(learnt_on[0]):], minlength=len(tables))
    known = {row.tobytes(): ratio for row, ratio in zip(
        tables, np.log((first + 1) / (second + 1)), strict=True)}

    def score(rows: Floats) -> Floats:
        return np.array([known.get(row.tobytes(), 0.0) for row in np.ascontiguousarray(rows)])

    return score

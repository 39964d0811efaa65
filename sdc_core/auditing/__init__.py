"""How much does a mechanism give away for sure? A lower bound on its ε, by attacking it.

A theorem says how much is given away at most. An audit draws releases of two neighbouring tables
and tries to tell them apart: what it succeeds in, no theorem can deny. So theorem >= truth >=
attack, or else the theorem is broken, but for the stated chance of error.

Effort only tightens: releases are drawn in blocks that double, each block judges an event that was
chosen on the blocks before it, and the best of these bounds counts. The chance of error is spent on
them in halves (1/2, 1/4, ...), so that all bounds hold together.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sdc_core.auditing.game import (
    APART,
    Bound,
    Event,
    Sides,
    at_least,
    at_most,
    best_event,
    bound_of,
)
from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import CellMechanism, Mechanism, repetition_rng
from sdc_core.mechanisms.neighbour_tables import (
    KnowsSupport,
    KnowsWorstNeighbours,
    NeighbouringTables,
    Support,
    cell_neighbours,
    record_neighbours,
)
from sdc_core.privacy.guarantee import Facts, Guarantee

Progress = Callable[[float], None]

CONFIDENCE = 0.999
EFFORT = 4_000  # releases of each of the two tables
FIRST = 500  # releases of the first block
MOST = 1 << 20
_PORTION = 25  # releases of a slow mechanism between two words about the progress
_PEOPLE = 20  # in a small table for mechanisms that name no features and have no threshold
# Facts of the data that a promise may hang on, where neither data nor facts are given.
SMALL = {"cap": 12, "records": 2, "stratum_size": 4, "qi_domain_size": 3}


@dataclass(frozen=True, eq=False)
class Audit:
    """What an attack has shown about a mechanism: `bounds`, one a block of releases, hold together
    with the stated confidence. `promise` is what the mechanism promises for the same facts."""

    mechanism: Mechanism
    tables: NeighbouringTables
    bounds: tuple[Bound, ...]
    effort: int  # releases of each table; 0 where the tables are told apart without any
    confidence: float
    delta: float
    promise: Guarantee

    def epsilon_low(self, delta: float | None = None) -> float:
        """ε is at least this, at the δ of the audit or another one."""
        at = self.delta if delta is None else delta
        return max(bound.epsilon(at) for bound in self.bounds)

    def delta_low(self, epsilon: float) -> float:
        """δ is at least this."""
        return max(bound.delta(epsilon) for bound in self.bounds)

    @property
    def best(self) -> Bound:
        """The bound that says most at the δ of the audit."""
        return max(self.bounds, key=lambda one: (one.epsilon(self.delta), one.p - one.q))

    @property
    def certain(self) -> bool:
        """Is it proven, without any chance of error, that all releases tell the tables apart?"""
        return APART in self.bounds

    @property
    def most_shown(self) -> float:
        """The largest ε that so many releases can show at all: if all of the one table and none of
        the other lead to the event."""
        return max(
            Bound(*_limits_of(draws, draws, chance), False, "").epsilon(self.delta)
            for draws, chance in judged(self.effort, self.confidence))

    @property
    def least_seen(self) -> float:
        """The share of one table's releases that an event must be seen in so that it bounds ε,
        though it is never seen in the other's."""
        def least(draws: int, chance: float) -> float:
            low, high = _limits_of(np.arange(draws + 1), draws, chance)
            return float(np.argmax(low > high + self.delta)) / draws

        return min(least(*each) for each in judged(self.effort, self.confidence))

    @property
    def allowed(self) -> float | None:
        """The ε that is promised between these tables; None where none is."""
        return None if self.promise.epsilon is None else (
            self.promise.distance * self.promise.epsilon)

    @property
    def published_epsilon(self) -> float | None:
        """What the published theorem allows between these tables; None where there is none."""
        return None if self.promise.delta_published is None else self.allowed

    @property
    def crosses(self) -> bool:
        """Does the attack show more than the published theorem allows?"""
        allowed, delta = self.published_epsilon, self.promise.delta_published
        if allowed is None or delta is None or not self.tables.covered:
            return False
        if self.certain:  # a δ so near one that floating point cannot tell is still below one
            return self.promise.log_rest_published != -math.inf
        return self.epsilon_low(delta) > allowed

    def numbers(self) -> dict[str, Any]:
        """All of it by name, for tables and JSON; an ε without bound is `infinite`."""
        low, best, published = self.epsilon_low(), self.best, self.promise.delta_published
        return {
            "mechanism": self.mechanism.name, **self.mechanism.settings(),
            "delta": self.delta,
            "epsilon_low": low if math.isfinite(low) else None, "infinite": math.isinf(low),
            "proven": best.proven, "confidence": 1.0 if self.certain else self.confidence,
            "effort": self.effort, "tables": self.tables.says,
            "before": self.tables.before.counts.tolist(),
            "after": self.tables.after.counts.tolist(), "covered": self.tables.covered,
            "event": best.event, "p_low": best.p, "q_high": best.q,
            "steps": [bound.epsilon(self.delta) if math.isfinite(bound.epsilon(self.delta))
                      else None for bound in self.bounds],
            "epsilon_published": self.published_epsilon, "delta_published": published,
            "delta_low": None if self.published_epsilon is None
            else self.delta_low(self.published_epsilon),
            "delta_tight": self.promise.delta_tight,
            "delta_tight_is_a_bound": self.promise.is_bound, "crosses": self.crosses,
        }


def audit(
    mechanism: Mechanism,
    data: Histogram | None = None,
    *,
    delta: float = 0.0,
    effort: int = EFFORT,
    seed: int = 7,
    confidence: float = CONFIDENCE,
    cap: int | None = None,
    records: int | None = None,
    stratum_size: int | None = None,
    qi_domain_size: int | None = None,
    tables: Sequence[NeighbouringTables] | None = None,
    covered: bool = True,
    progress: Progress | None = None,
) -> Audit:
    """What is ε at least, at this δ?

    The tables are the worst neighbours known for the mechanism with the facts of the data (largest
    count, number of records, ...) or those given; with `covered` false those that its promise says
    nothing about. `progress` is told the share done; raising from it cancels.
    """
    _check(delta, effort, confidence)
    given = {"cap": cap, "records": records, "stratum_size": stratum_size,
             "qi_domain_size": qi_domain_size}
    if data is None:
        given = {name: SMALL[name] if value is None else value for name, value in given.items()}
    facts = Facts.of(mechanism.name, data, **given)
    promise = mechanism.guarantee(data, **given)
    pairs = list(tables if tables is not None else neighbours(mechanism, facts))
    pairs = [pair for pair in pairs if pair.covered is covered]
    if not pairs:
        raise InputError(
            f"The promise of {mechanism.name} is about any change of a record with these "
            "settings: there is no other to try."
        )
    for pair in pairs:
        supports = _supports(mechanism, pair)
        if supports is not None and supports[0].is_apart_from(supports[1]):
            return Audit(mechanism, pair, (APART,), 0, confidence, delta, promise)
    return _play(mechanism, pairs, promise, delta, effort, seed, confidence, progress)


def neighbours(mechanism: Mechanism, facts: Facts) -> Sequence[NeighbouringTables]:
    """The worst neighbouring tables known: the mechanism's own, or such as are bad for most."""
    if isinstance(mechanism, KnowsWorstNeighbours):
        return mechanism.worst_neighbours(facts)
    if isinstance(mechanism, CellMechanism):
        return cell_neighbours(facts, mechanism.settings().get("k"))
    if mechanism.acts_on == "numbers":
        raise InputError(
            f"{mechanism.name} changes the numbers of records; an audit here is about tables of "
            "counts. Try laplace or swapping."
        )
    return record_neighbours(mechanism.altered_features, _PEOPLE, values=2)[-1:]


def _check(delta: float, effort: int, confidence: float) -> None:
    if not 0 <= delta < 1:
        raise InputError(f"delta must be in [0, 1), got {delta}. Try 0.")
    if not (isinstance(effort, (int, np.integer)) and FIRST <= effort <= MOST):
        raise InputError(
            f"effort must be a whole number in [{FIRST}, {MOST}], got {effort}. Try {EFFORT}.")
    if not 0.5 <= confidence < 1:
        raise InputError(f"confidence must be in [0.5, 1), got {confidence}. Try {CONFIDENCE}.")


def _supports(
    mechanism: Mechanism, pair: NeighbouringTables
) -> tuple[Support, Support] | None:
    if not isinstance(mechanism, KnowsSupport):
        return None
    return mechanism.support(pair.before), mechanism.support(pair.after)


def blocks(effort: int) -> list[int]:
    """Releases drawn before each block and up to its end: 0, 500, 1000, 2000, ...; what is left
    over above the last doubling is not drawn."""
    ends = [0, FIRST]
    while 2 * ends[-1] <= effort:
        ends.append(2 * ends[-1])
    return ends


def judged(effort: int, confidence: float) -> list[tuple[int, float]]:
    """Releases of each table that judge an event, block by block, and the chance of error that is
    spent on it. Half of the first block has chosen."""
    ends = blocks(effort)
    draws = [FIRST - FIRST // 2, *(stop - start for start, stop in itertools.pairwise(ends[1:]))]
    return [(number, (1 - confidence) / 2 ** (i + 1)) for i, number in enumerate(draws)]


def _limits_of(hits: Any, draws: int, chance_of_error: float) -> tuple[Any, float]:
    """At least how often an event with so many hits happens, and at most one that was never
    seen."""
    return (at_least(np.asarray(hits), draws, chance_of_error / 2),
            float(at_most(np.array(0), draws, chance_of_error / 2)))


def _play(
    mechanism: Mechanism, pairs: Sequence[NeighbouringTables], promise: Guarantee, delta: float,
    effort: int, seed: int, confidence: float, progress: Progress | None,
) -> Audit:
    """The first block chooses which tables to go on with, by its first half; its second half, and
    every later block, judges what was chosen before."""
    ends = blocks(effort)
    asked = promise.distance * (promise.epsilon or 0.0)
    half, (share, *later) = FIRST // 2, [chance for _, chance in judged(effort, confidence)]
    tell = _Told(progress, ends[-1] + FIRST * (len(pairs) - 1))
    drawn = [
        _drawn(mechanism, pair, number, 0, FIRST, seed, tell) for number, pair in enumerate(pairs)]
    chosen = [
        _choice(mechanism, pair, _part(rows, 0, half), delta, asked, share)
        for pair, rows in zip(pairs, drawn, strict=True)
    ]
    at = max(range(len(pairs)), key=lambda i: chosen[i][0])
    pair, seen = pairs[at], drawn[at]
    bounds = [bound_of(chosen[at][1], _part(seen, half, FIRST), share)]
    for block, (start, stop) in enumerate(itertools.pairwise(ends[1:]), start=1):
        chance = later[block - 1]
        _, event = _choice(mechanism, pair, seen, delta, asked, chance)
        new = _drawn(mechanism, pair, at, block, stop - start, seed, tell)
        bounds.append(bound_of(event, new, chance))
        seen = np.concatenate([seen[0], new[0]]), np.concatenate([seen[1], new[1]])
    return Audit(mechanism, pair, tuple(bounds), ends[-1], confidence, delta, promise)


def _choice(
    mechanism: Mechanism, pair: NeighbouringTables, seen: Sides, delta: float, epsilon: float,
    share: float,
) -> tuple[float, Event]:
    """The best event, by releases of which one half teaches and the other half chooses."""
    half = len(seen[0]) // 2
    change = (pair.after.counts - pair.before.counts).astype(np.float64)
    return best_event(
        _part(seen, 0, half), _part(seen, half, len(seen[0])), change,
        _supports(mechanism, pair), delta, epsilon, share,
    )


def _part(rows: Sides, start: int, stop: int) -> Sides:
    return rows[0][start:stop], rows[1][start:stop]


class _Told:
    """Tells the progress: so many releases of so many are drawn."""

    def __init__(self, progress: Progress | None, releases: int) -> None:
        self._progress, self._releases, self._done = progress, 2 * releases, 0

    def __call__(self, drawn: int) -> None:
        self._done += drawn
        if self._progress is not None:
            self._progress(min(1.0, self._done / self._releases))


def _drawn(
    mechanism: Mechanism, pair: NeighbouringTables, number: int, block: int, draws: int, seed: int,
    tell: _Told,
) -> Sides:
    """Releases of both tables; each pair, block and side has a stream of its own, so that more
    blocks never change the earlier ones."""
    portion = _PORTION if mechanism.slow else draws
    sides = []
    for side, table in enumerate((pair.before, pair.after)):
        rng = repetition_rng(seed, (number * 64 + block) * 2 + side)
        rows = []
        for start in range(0, draws, portion):
            rngs = [rng] * min(portion, draws - start)
            rows.append(mechanism.draw_tables(table, rngs) + 0.0)  # no zeros with a sign
            tell(len(rngs))
        sides.append(np.concatenate(rows))
    return sides[0], sides[1]

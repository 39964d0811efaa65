"""Rank swapping: each number changes places with one of about the same rank.

Question: what happens when values are exchanged between records whose ranks are close, one variable
at a time? The rule `range` and the two that set it follow what sdcMicro's rankSwap computes; the
two others are those that P4 §4.2 names, after Nin, Herranz and Torra 2008, whose ranges an intruder
cannot know.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.mechanisms.base import Doing, Floats
from sdc_core.mechanisms.on_numbers import NUMBERS, NumberMechanism
from sdc_core.parameters import Choice, Integer, Param, Real
from sdc_core.privacy.guarantee import Facts, Guarantee, Neighbours
from sdc_core.privacy.protection import Protection

Ints = NDArray[np.int64]

RANGE = Real(
    name="p", title="Swapping range", symbol="P", default=0.1, low=0.0, high=1.0,
    slider=(0.01, 0.6), percent=True, stronger="up",
    help="Two values may change places if fewer than this share of the records are ranked between "
    "them. (sdcMicro's manual says per cent of the records; its code takes a fraction.)",
)
RULE = Choice(
    name="rule", title="How the range is set", default="range",
    choices=("range", "correlation", "mean", "distribution", "buckets"),
    titles={
        "range": "as a share of records (P)", "correlation": "by a correlation to keep (R0)",
        "mean": "by subset means to keep (K0)", "distribution": "at random (p-distribution)",
        "buckets": "by buckets (p-buckets)",
    },
    tag="({})",
    help="P: a fixed share of the records. R0 and K0: the share follows from each variable's "
    "spread. p-distribution: how far a value moves is drawn from a bell curve around half of P. "
    "p-buckets: ranks are cut into buckets, and nearer buckets are more likely, farther ones "
    "possible.",
)
CORRELATION = Real(
    name="r0", title="Correlation to keep", symbol="R0", default=0.95, low=0.0, high=1.0,
    slider=(0.1, 0.99), stronger="down",
    help="The range becomes √(2·variance·(1 − R0)) over the span of the values, as a share of "
    "records. The correlation that is really kept may be another.",
)
MEAN = Real(
    name="k0", title="Subset means to keep", symbol="K0", default=0.1, low=0.0, high=1.0,
    slider=(0.01, 0.5), stronger="up",
    help="The range becomes √(8/3)·K0·|mean| over the span of the values, as a share of records.",
)
BUCKETS = Integer(
    name="buckets", title="Buckets", symbol="b", default=10, low=1, high=1000, slider=(2, 50),
    stronger="down",
    help="Ranks are cut into this many buckets of equal size. A value goes to its own bucket with "
    "half of the chance, to the next with a quarter, and so on.",
)
TOP = Real(
    name="top", title="Largest values averaged", symbol="top", default=0.05, low=0.0, high=0.5,
    slider=(0.0, 0.2), percent=True, closed="left", advanced=True,
    help="This share of the largest values is replaced by their mean before anything is swapped, "
    "as sdcMicro does by itself. Only at 0 are all values of the column kept.",
)
BOTTOM = Real(
    name="bottom", title="Smallest values averaged", symbol="bottom", default=0.05, low=0.0,
    high=0.5, slider=(0.0, 0.2), percent=True, closed="left", advanced=True,
    help="This share of the smallest values is replaced by their mean before anything is swapped, "
    "as sdcMicro does by itself. Only at 0 are all values of the column kept.",
)
_TRIES = 32  # random places that are tried before free ones are listed


@dataclass(frozen=True)
class RankSwapping(NumberMechanism):
    """What does exchanging values of close ranks do, one variable at a time? (Moore 1996; P4 §4.2)

    Values are gone through from the largest on. One that has not moved changes places with a random
    one further down that has not moved either and is within the range; if there is none it stays.
    With both tails at 0 each column keeps its values: only whose they are changes. Of equal values
    the last in the file are the first to be in the top tail, the first in the file to be in the
    bottom tail, and between the tails they stand as in the file: as in sdcMicro's code.
    """

    name = "rank-swapping"
    does = Doing.SWAPPING
    title = "Rank swapping"
    plain = "Swap values of close rank"
    doing = "swapping values of close rank"
    summary = "Exchanges numbers between records of close rank, one variable at a time."
    citation = "Moore 1996; Templ, Kowarik and Meindl 2015 (sdcMicro); Nin, Herranz and Torra 2008"
    protection = Protection(
        what="Which number belongs to which record, for variables that are swapped.",
        where="Not to the numbers themselves: apart from the two tails every one of them is in the "
        "release, and each within a known range of ranks of its place.",
        unit="One number of one record.",
        measured="Not at all: how far a value may move is limited, so no bound on odds follows.",
        how_much="The range of ranks, P. There is no ε; δ = 1.",
    )

    p: float = RANGE.field()
    rule: str = RULE.field()
    r0: float = CORRELATION.field()
    k0: float = MEAN.field()
    buckets: int = BUCKETS.field()
    top: float = TOP.field()
    bottom: float = BOTTOM.field()
    variables: tuple[str, ...] = NUMBERS.field()

    _SETS: ClassVar[dict[str, Param]] = {
        "range": RANGE, "distribution": RANGE, "correlation": CORRELATION, "mean": MEAN,
        "buckets": BUCKETS,
    }

    def relevant_params(self) -> tuple[Param, ...]:
        idle = {*self._SETS.values()} - {self._SETS[self.rule]}
        return tuple(param for param in self.params() if param not in idle)

    def draw_columns(
        self, columns: Floats, names: Sequence[str], rng: np.random.Generator
    ) -> Floats:
        out = columns.copy()
        for j, name in enumerate(names):
            known = np.flatnonzero(~np.isnan(columns[:, j]))
            out[known, j] = self._swapped(columns[known, j], name, rng)
        return out

    def _swapped(self, values: Floats, name: str, rng: np.random.Generator) -> Floats:
        number = len(values)
        order = np.lexsort((-np.arange(number), -values))  # from the largest on
        top, bottom = int(number * self.top), int(number * self.bottom)
        out = values.copy()
        out[order[:top]] = values[order[:top]].mean() if top else 0.0
        out[order[number - bottom :]] = values[order[number - bottom :]].mean() if bottom else 0.0
        inner = np.sort(order[top : number - bottom])
        inner = inner[np.argsort(-values[inner], kind="stable")]
        edge = values[order[[max(top - 1, 0), min(number - bottom, number - 1)]]]
        width = self.range_of(values[inner], float(edge[0] - edge[1]), name) * len(inner)
        out[inner] = values[inner[self._partners(len(inner), width, rng)]]
        return out

    def range_of(self, inner: Floats, span: float, name: str) -> float:
        """P for the values between the tails: as given, or as R0 or K0 set it. The span is that
        between the tails, their nearest values included."""
        if self.rule in ("range", "distribution", "buckets"):
            return self.p
        if span == 0:
            raise InputError(
                f"{name} is the same for everybody between its tails, so no range follows from "
                f"{'R0' if self.rule == 'correlation' else 'K0'}. Leave it out."
            )
        if self.rule == "correlation":
            return math.sqrt(2 * float(inner.var()) * (1 - self.r0)) / span
        return math.sqrt(8 / 3) * self.k0 * abs(float(inner.mean())) / span

    def _partners(self, number: int, width: float, rng: np.random.Generator) -> Ints:
        if self.rule == "buckets":
            return by_buckets(number, self.buckets, rng)
        if self.rule == "distribution":
            return by_distribution(number, width, rng)
        return within_range(number, width, rng)

    def published_exactly(self, table: object) -> tuple[str, ...]:
        kept = super().published_exactly(None)
        tails = self.top > 0 or self.bottom > 0
        between = " between the tails" if tails else ""
        return (*kept, f"how often each number occurs{between}")

    def guarantee_from(self, facts: Facts) -> Guarantee:
        known = {
            "range": "An intruder who knows P knows a range of ranks that each value lies in.",
            "correlation": "P follows from the data, and with it a range of ranks for each value.",
            "mean": "P follows from the data, and with it a range of ranks for each value.",
            "distribution": "How far a value has moved is not known, only how likely it is.",
            "buckets": "How far a value has moved is not known, only how likely it is.",
        }[self.rule]
        return Guarantee.of_log_rest(
            None, None, -math.inf, neighbours=Neighbours.ONE_RECORD,
            invariants=self.published_exactly(None), citation=self.citation,
            remark="No formal guarantee: the numbers themselves are published, so one that nobody "
            f"else has shows that somebody has it. {known}",
        )


def within_range(number: int, width: float, rng: np.random.Generator) -> Ints:
    """Who changes places with whom: a random one of the next ranks, fewer than `width` away.

    The loop of `_exchanged`, written out: this is the rule that large files are swapped by.
    """
    steps = int(width) - 1
    partner, free = list(range(number)), bytearray(b"\x01") * number
    uniform = _uniforms(rng).__next__
    for place in range(number - 1 if steps > 0 else 0):
        if not free[place]:
            continue
        span = steps if steps < number - 1 - place else number - 1 - place
        there = place + 1 + int(uniform() * span)
        if not free[there]:
            there = _free_place(free, place + 1, place + 1 + span, uniform)
        if there >= 0:
            partner[place], partner[there] = there, place
            free[there] = 0  # who is behind is not asked again
    return np.array(partner, dtype=np.int64)


def by_distribution(number: int, width: float, rng: np.random.Generator) -> Ints:
    """The same, but how far is drawn from a bell curve: mean and spread are half of `width`.

    A place that is taken, not further down or beyond the last is drawn again, up to a limit.
    """
    def reach(place: int, uniform: Callable[[], float], free: bytearray) -> int:
        for _ in range(_TRIES):
            bell = math.sqrt(-2 * math.log(1 - uniform())) * math.cos(2 * math.pi * uniform())
            there = place + round(width / 2 * (1 + bell))
            if place < there < number and free[there]:
                return there
        return -1

    return _exchanged(number, reach, rng)


def by_buckets(number: int, buckets: int, rng: np.random.Generator) -> Ints:
    """Ranks in buckets of equal size: a value changes places with a random one of its own bucket
    with chance 1/2, of the next with 1/4, and so on down to the last; where all are taken, it is
    drawn again, up to a limit."""
    edges = [number * b // buckets for b in range(buckets + 1)]
    bucket_of = np.repeat(np.arange(buckets), np.diff(edges)).tolist()

    def reach(place: int, uniform: Callable[[], float], free: bytearray) -> int:
        own = bucket_of[place]
        total = 1 - 0.5 ** (buckets - own)
        for _ in range(_TRIES):
            ahead = min(int(-math.log2(1 - uniform() * total)), buckets - 1 - own)
            low, high = max(edges[own + ahead], place + 1), edges[own + ahead + 1]
            there = _free_place(free, low, high, uniform) if high > low else -1
            if there >= 0:
                return there
        return -1

    return _exchanged(number, reach, rng)


Reach = Callable[[int, Callable[[], float], bytearray], int]


def _exchanged(number: int, reach: Reach, rng: np.random.Generator) -> Ints:
    """Go through the ranks from the first on; `reach` names a free place further down, or -1."""
    partner = list(range(number))
    free = bytearray(b"\x01") * number
    uniform = _uniforms(rng).__next__
    for place in range(number):
        if free[place]:
            there = reach(place, uniform, free)
            if there >= 0:
                partner[place], partner[there] = there, place
                free[place] = free[there] = 0
    return np.array(partner, dtype=np.int64)


def _free_place(free: bytearray, low: int, high: int, uniform: Callable[[], float]) -> int:
    """A random free place in low..high-1, each with the same chance; -1 if all are taken."""
    for _ in range(_TRIES):
        there = low + int(uniform() * (high - low))
        if free[there]:
            return there
    listed = np.flatnonzero(np.frombuffer(free, dtype=np.uint8)[low:high])
    return low + int(listed[int(uniform() * len(listed))]) if len(listed) else -1


def _uniforms(rng: np.random.Generator) -> Iterator[float]:
    """Random numbers in [0, 1), drawn many at once."""
    while True:
        yield from rng.random(4096).tolist()

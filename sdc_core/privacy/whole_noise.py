"""Whole-number noise drawn from its law itself: nothing is rounded between the random bits and the
number, so that no digit of it can tell more than the law does (Mironov 2012 is about noise that is
computed in floating point).

A number Z with P(Z >= j) = t(j) is found by comparing a uniform number U with these chances. Of U
only the first 64 bits are drawn, as a whole number; of each chance the first 64 bits are computed,
with twenty digits to spare. Where these bits do not tell on which side U lies, which happens about
once in 2^64 for each chance, 64 more are drawn and as many more are computed. So Z has exactly this
law, as far as the random bits are independent and even; and it is as quick as a table.
"""

from __future__ import annotations

import bisect
import decimal
import functools
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_WORD = 64  # bits that are drawn at once
_SPARE = 20  # digits beyond those that are used; rounding takes fewer than ten of them
_DOUBT = Decimal("1e-6")  # far more than rounding does to a chance, in units of the last bit


class _Steps(NamedTuple):
    """Of U, in units of its last bit, for each z in a row: from `certain` + 1 on it is certain that
    Z is at least z; below `possible` it is certain that it is not. `first` is z - 1 of the first.
    """

    certain: list[int]
    possible: list[int]
    first: int


@dataclass(frozen=True)
class WholeNoise(ABC):
    """A law on the whole numbers, the same on both sides of 0."""

    @abstractmethod
    def reach(self, bits: int) -> int:
        """From which j on t(j) is below 2^-bits."""

    @abstractmethod
    def tails(self, reach: int) -> list[Decimal]:
        """t(1), t(2), … up to there, in the precision of the moment."""

    def draw(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        certain, possible, first = self._table
        drawn = rng.integers(0, 2**_WORD - 1, size, dtype=np.uint64, endpoint=True)
        places = np.searchsorted(certain, drawn)
        found = places.astype(np.int64) + first
        for i in np.flatnonzero(possible[places] <= drawn):
            found[i] = self._decided(int(drawn[i]), rng)
        return found

    def _decided(self, drawn: int, rng: np.random.Generator) -> int:
        """The same with more bits, as many as it takes."""
        bits = _WORD
        while True:
            bits += _WORD
            more = int(rng.integers(0, 2**_WORD - 1, dtype=np.uint64, endpoint=True))
            drawn = drawn << _WORD | more
            steps = _steps(self, bits)
            place = bisect.bisect_left(steps.certain, drawn)
            if steps.possible[place] > drawn:
                return place + steps.first

    @functools.cached_property
    def _table(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], int]:
        certain, possible, first = _steps(self, _WORD)
        return np.array(certain, np.uint64), np.array(possible, np.uint64), first


def _steps(law: WholeNoise, bits: int) -> _Steps:
    reach, one = law.reach(bits), 2**bits
    with decimal.localcontext(prec=math.ceil(bits * math.log10(2)) + _SPARE):
        tails = [one * tail for tail in law.tails(reach)]
        above = [int((t + _DOUBT).to_integral_value(decimal.ROUND_CEILING)) for t in tails]
        below = [max(0, int((t - _DOUBT).to_integral_value(decimal.ROUND_FLOOR))) for t in tails]
    # P(Z < z) is t(1 - z) for z up to 0, and 1 - t(z) from 1 on
    certain = [*(t - 1 for t in reversed(above)), *(one - t - 1 for t in below)]
    possible = [*reversed(below), *(one - t for t in above)]
    return _Steps(certain, possible, -reach)


@dataclass(frozen=True)
class TwoSidedGeometric(WholeNoise):
    """P(Z = z) proportional to e^(-rate |z|): t(j) = q^j / (1 + q) with q = e^-rate."""

    rate: float

    def reach(self, bits: int) -> int:
        return math.ceil(bits * math.log(2) / self.rate) + 1

    def tails(self, reach: int) -> list[Decimal]:
        q = (-Decimal(self.rate)).exp()
        found = [q / (1 + q)]
        for _ in range(reach - 1):
            found.append(found[-1] * q)
        return found


@dataclass(frozen=True)
class WholeGaussian(WholeNoise):
    """P(Z = z) proportional to e^(-z² / (2σ²))."""

    sigma: float

    def reach(self, bits: int) -> int:
        """Far enough for what lies beyond to be less than the doubt that is granted."""
        return math.ceil(self.sigma * math.sqrt(2 * (bits + 40) * math.log(2))) + 2

    def tails(self, reach: int) -> list[Decimal]:
        g = (-1 / (2 * Decimal(self.sigma) ** 2)).exp()
        weight, ratio, weights = Decimal(1), g, list[Decimal]()  # g^(z²), and g^(2z + 1)
        for _ in range(reach):
            weight *= ratio
            ratio *= g * g
            weights.append(weight)
        sums = [Decimal(0)]
        for weight in reversed(weights):  # from the far end, to keep small digits
            sums.append(sums[-1] + weight)
        whole = 1 + 2 * sums[-1]
        return [one / whole for one in reversed(sums[1:])]

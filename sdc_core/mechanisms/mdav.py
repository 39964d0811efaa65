"""MDAV: clusters of k to 2k - 1 similar records, from both ends of the cloud of records.

While at least 3k records are left: the record r farthest from the mean of those left and its k - 1
nearest become a cluster, then the record farthest from r and its k - 1 nearest. Of 2k to 3k - 1 the
first of the two is made; what is left then is the last cluster. Ties go by the order of records.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_TIE = 1e-9  # squared distances that differ by less are equal
_FEW = 12  # nearest ones that are looked for one after the other


class _Left:
    """The records that are in no cluster yet.

    Squared distances to a point a are |x|² - 2xa + |a|²: one product of a vector with a matrix of
    few rows. Those that are gone are put out of reach until enough of them are, and then dropped.
    """

    def __init__(self, points: Floats) -> None:
        centred = points - points.mean(axis=0)
        self.rows = np.arange(len(points))  # which record each column is
        self.matrix = np.ascontiguousarray(
            np.vstack([centred.T, np.einsum("ij,ij->i", centred, centred)]))
        self.gone = np.zeros(len(points))
        self.number = len(points)
        self.total = centred.sum(axis=0)
        self.far = 4 * float(self.matrix[-1].max(initial=0.0)) + 1.0

    def distances(self, point: Floats) -> Floats:
        """Squared, to everybody (also to those that are gone), but for a constant."""
        return np.append(-2 * point, 1.0) @ self.matrix

    def point(self, column: int) -> Floats:
        return self.matrix[:-1, column]

    def farthest(self, distance: Floats) -> int:
        reached = distance - self.gone
        last = int(reached.argmax())
        # The first of equals: only those before it can be one.
        return int(np.argmax(reached[: last + 1] >= reached[last] - _TIE))

    def nearest(self, distance: Floats, k: int) -> Ints:
        """The k nearest, ties by the order of records."""
        reached = distance + self.gone
        if k <= _FEW:
            found, values = [], []
            for _ in range(k + 1):  # one more, to see whether it ties with the last
                found.append(int(reached.argmin()))
                values.append(float(reached[found[-1]]))
                reached[found[-1]] = np.inf
            if values[k] > values[k - 1] + _TIE:
                return np.array(found[:k])
            reached[found] = values
            limit = values[k - 1]
        else:
            limit = np.partition(reached, k - 1)[k - 1]
        able = np.flatnonzero(reached <= limit + _TIE)
        if len(able) > k:
            order = np.argsort(np.round(reached[able] / _TIE), kind="stable")
            able = able[order[:k]]
        return able

    def remove(self, columns: Ints) -> Ints:
        """Take these out; which records they are."""
        found = self.rows[columns]
        self.gone[columns] = self.far
        self.total -= self.matrix[:-1, columns].sum(axis=1)
        self.number -= len(columns)
        return found

    def compact(self) -> None:
        """Drop those that are gone, once they are an eighth of all."""
        if 8 * self.number < 7 * len(self.rows):
            kept = self.gone == 0
            self.rows = self.rows[kept]
            self.matrix = np.ascontiguousarray(self.matrix[:, kept])
            self.gone = np.zeros(self.number)


def mdav(points: Floats, k: int) -> Ints:
    """The cluster of each record, numbered in the order in which they are made."""
    labels = np.empty(len(points), dtype=np.int64)
    left, made = _Left(points), 0
    while left.number >= 2 * k:
        both = left.number >= 3 * k
        end = left.farthest(left.distances(left.total / left.number))
        for again in range(1 + both):
            distance = left.distances(left.point(end))
            if both and not again:
                end = left.farthest(distance)
            labels[left.remove(left.nearest(distance, k))] = made
            made += 1
        left.compact()
    labels[left.rows[left.gone == 0]] = made
    return labels

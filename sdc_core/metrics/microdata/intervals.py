"""Interval disclosure: does a person's true value lie close to the value that was released?

Both measures follow what sdcMicro computes, which is not always what its manual says:

- `by_deviation` (dRisk): a record is at risk if all its true values lie within k standard
  deviations of the release around the released values. Older versions of sdcMicro forgave one value
  outside; `forgiven=1` does as they did.
- `by_robust_distance` (dRiskRMD): both files are standardised, each by its own mean and standard
  deviation. A record is at risk if any released value lies within k · .05 · RMD of the true one,
  RMD being the robust Mahalanobis distance of the true record (covariance by MCD, centre the mean).
  So the intervals of outliers are wider, and at k = .01 all are narrow: the measure nearly counts
  records that kept a value, and the more variables there are, the more do.
"""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
from numpy.typing import ArrayLike

from sdc_core.errors import InputError
from sdc_core.metrics.microdata.arrays import Floats, pair, records, varying

_WIDTH = 0.05  # sdcMicro's factor of the robust distance


def within_deviations(
    original: ArrayLike, released: ArrayLike, k: float = 1.0, forgiven: int = 0
) -> np.ndarray:
    """Which records have all true values (but `forgiven` of them) within k standard deviations of
    the release?"""
    first, second = pair(original, released)
    if not k > 0:
        raise InputError(f"The interval is k > 0 standard deviations wide, got {k:g}; try 1.")
    reach = k * second.std(axis=0, ddof=1)
    outside = np.abs(first - second) > reach * (1 + 1e-12)
    return np.asarray(outside.sum(axis=1) <= forgiven)


def by_deviation(
    original: ArrayLike, released: ArrayLike, k: float = 1.0, forgiven: int = 0
) -> float:
    """Share of records at risk by standard deviation; P4 takes k = 1."""
    return float(within_deviations(original, released, k, forgiven).mean())


def robust_distances(original: ArrayLike, seed: int = 0) -> Floats:
    """Robust Mahalanobis distance of each record from the mean, on standardised variables; the
    covariance is the minimum covariance determinant, whose search is seeded."""
    values = _standardised(records(original, "the original", least=3), "the original")
    rows, width = values.shape
    if rows <= 2 * width:
        raise InputError(
            f"A robust covariance of {width} variables needs more than {2 * width} records, and "
            f"there are {rows}; leave variables out."
        )
    if np.linalg.matrix_rank(values) < width:
        raise InputError(
            "Some variables are sums of others, so their covariance is singular and robust "
            "distances do not exist; leave one out."
        )
    robust = _robust_covariance(values, seed)
    return np.sqrt(np.einsum("ij,jk,ik->i", values, np.linalg.inv(robust), values))


def _robust_covariance(values: Floats, seed: int) -> Floats:
    """The minimum covariance determinant, or one sentence where it is zero."""
    from sklearn.covariance import MinCovDet  # heavy, so only when it is needed

    support = (len(values) + values.shape[1] + 1) // 2  # of so many records, the closest together
    alike = [int(np.unique(column, return_counts=True)[1].max()) for column in values.T]
    found = MinCovDet(random_state=seed)
    if max(alike) < support:
        with warnings.catch_warnings(), contextlib.suppress(ValueError, np.linalg.LinAlgError):
            warnings.simplefilter("ignore")  # it warns where the sentence below is due
            found.fit(values)
    half = values[found.raw_support_] if hasattr(found, "raw_support_") else values[:0]
    if np.linalg.matrix_rank(half - half[:1]) < values.shape[1]:
        raise InputError(
            "Half of the records or more agree in a variable, or lie on a line or plane, so the "
            "robust covariance is singular; leave that variable out."
        )
    return np.asarray(found.covariance_)


def by_robust_distance(
    original: ArrayLike, released: ArrayLike, k: float = 0.01, distances: Floats | None = None
) -> float:
    """Share of records at risk by robust distance. `distances` of the original are computed unless
    they are given: they are the same for every release."""
    first, second = pair(original, released, least=3)
    if not k > 0:
        raise InputError(f"k must be above 0, got {k:g}; sdcMicro takes .01.")
    reach = robust_distances(first) if distances is None else distances
    apart = np.abs(
        _standardised(second, "the release") - _standardised(first, "the original"))
    return float((apart < k * _WIDTH * reach[:, None]).any(axis=1).mean())


def _standardised(values: Floats, what: str) -> Floats:
    varying(values, what)
    return (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)

"""Do variables still go together as before? Correlations, principal components, dependence.

IL₁ and IL₂ are P4's (§9.4). A loading's sign is arbitrary, and P4 does not align signs, so one
component that comes out turned round looks like a large loss: `loadings_change` can do as P4 does
or align first, and a page shows both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from sdc_core.errors import InputError
from sdc_core.metrics.microdata.arrays import Floats, Ints, comparable, records, varying


def correlations(values: ArrayLike, what: str = "the records") -> Floats:
    """Pearson correlations of all pairs of variables."""
    found = varying(records(values, what, least=3), what)
    return np.atleast_2d(np.corrcoef(found, rowvar=False))


def _pairs(original: ArrayLike, released: ArrayLike) -> tuple[Floats, Floats]:
    first, second = comparable(original, released, least=3)
    upper = np.triu_indices(first.shape[1], 1)
    if not len(upper[0]):
        raise InputError("One variable alone has no correlations; give at least two.")
    return correlations(first, "the original")[upper], correlations(second, "the release")[upper]


def correlation_change(original: ArrayLike, released: ArrayLike) -> float:
    """IL₁: mean absolute change of the correlations, over all pairs of variables."""
    before, after = _pairs(original, released)
    return float(np.abs(before - after).mean())


def correlation_growth(original: ArrayLike, released: ArrayLike) -> float:
    """Mean change of the correlations' strength |r|: above 0 where variables go together more
    closely than they did, below 0 where less. IL₁ does not tell the two apart."""
    before, after = _pairs(original, released)
    return float((np.abs(after) - np.abs(before)).mean())


@dataclass(frozen=True, eq=False)
class Components:
    """Principal components of standardised variables, the largest first; a column of loadings
    each, as the decomposition of the standardised records gives them."""

    loadings: Floats
    variances: Floats
    centre: Floats
    spread: Floats

    @property
    def shares(self) -> Floats:
        """What share of the variance lies along each component?"""
        return self.variances / self.variances.sum()

    def scores(self, values: Floats) -> Floats:
        """Where records lie along the components."""
        return ((values - self.centre) / self.spread) @ self.loadings


def components(values: ArrayLike, what: str = "the records") -> Components:
    """Principal components after scaling each variable to variance 1."""
    found = varying(records(values, what, least=3), what)
    centre, spread = found.mean(axis=0), found.std(axis=0, ddof=1)
    _, sizes, loadings = np.linalg.svd((found - centre) / spread, full_matrices=False)
    return Components(loadings.T, sizes**2 / (len(found) - 1), centre, spread)


def loadings_change(
    original: ArrayLike | Components, released: ArrayLike | Components, component: int = 1,
    aligned: bool = False,
) -> float:
    """IL₂: mean absolute change of the loadings on one component, counted from 1. `aligned` turns
    the released component round if it points the other way; P4 does not."""
    before = original if isinstance(original, Components) else components(original, "the original")
    after = released if isinstance(released, Components) else components(released, "the release")
    if len(before.loadings) != len(after.loadings):
        raise InputError("Original and release have different variables; give the same columns.")
    most = min(before.loadings.shape[1], after.loadings.shape[1])
    if not 1 <= component <= most:
        raise InputError(f"There are components 1 to {most} here, not {component}.")
    one, other = before.loadings[:, component - 1], after.loadings[:, component - 1]
    turned = -1.0 if aligned and one @ other < 0 else 1.0
    return float(np.abs(one - turned * other).mean())


def bins(values: ArrayLike, count: int = 0) -> Ints:
    """A numeric variable in bins of equal width, by default the cube root of the number of records
    (rounded down): what P4's total correlation comes out with. A constant has one bin."""
    found = records(values, "the variable", least=1)[:, 0]
    wanted = count or max(1, math.floor(len(found) ** (1 / 3) + 1e-9))
    low, spread = found.min(), np.ptp(found)
    if spread == 0:
        return np.zeros(len(found), dtype=np.int64)
    return np.minimum((found - low) / spread * wanted, wanted - 1).astype(np.int64)


def total_correlation(codes: ArrayLike) -> float:
    """Sum of the variables' entropies less their joint entropy, in nats: 0 if they are independent.
    From counts as they are, so with few records and many combinations it is too large."""
    values = np.asarray(codes)
    if values.ndim != 2 or values.size == 0:
        raise InputError("Total correlation needs records of several variables, a row a record.")
    joint, alone = np.zeros(len(values), dtype=np.int64), 0.0
    for column in values.T:
        _, each = np.unique(column, return_inverse=True)
        alone += _entropy(each)
        _, joint = np.unique(joint * (each.max() + 1) + each, return_inverse=True)
    return max(0.0, alone - _entropy(joint))


def _entropy(codes: Ints) -> float:
    shares = np.bincount(codes) / len(codes)
    shares = shares[shares > 0]
    return float(-(shares * np.log(shares)).sum())

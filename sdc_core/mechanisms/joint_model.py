"""Which table of all combinations fits a few noisy marginals, and how are rows drawn from it?

The model is the full joint table: one probability per combination of values, at most 2^20 of them.
Among all tables that fit the measured marginals equally well, the fit picks one close to uniform,
because it starts there and moves by multiplication only.

The number of records n is taken as known. Under the neighbours used throughout (one record
changes) it is the same in both tables, so knowing it costs nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.histogram import Domain, fewer_features

Floats = NDArray[np.float64]
Axes = tuple[int, ...]

MAX_MODEL_CELLS = 1 << 20
_TOLERANCE = 1e-4  # of the gain in log-likelihood, relative to what is still unexplained
_WINDOW = 10  # steps over which progress is judged: single steps may be short
_MOST_STEPS = 2_000
_TINY = 1e-300  # a probability of zero, where a logarithm is taken


@dataclass(frozen=True, eq=False)
class Measurement:
    """A marginal's counts with noise of standard deviation σ on each; axes in rising order."""

    axes: Axes
    values: Floats
    sigma: float


def refuse_large(domain: Domain) -> None:
    """Does the joint table fit in memory? If not, say which features to drop."""
    if domain.size > MAX_MODEL_CELLS:
        raise InputError(
            f"These features span {domain.size:,} groups; the limit of synthetic data here is "
            f"{MAX_MODEL_CELLS:,}. {fewer_features(domain, MAX_MODEL_CELLS)}"
        )


def marginal(joint: Floats, axes: Axes) -> Floats:
    """The table summed over all axes but these."""
    others = tuple(i for i in range(joint.ndim) if i not in axes)
    return joint.sum(axis=others)


def combined(measurements: Sequence[Measurement]) -> list[Measurement]:
    """Repeated measurements of one marginal as one: means weighted by precision 1/σ²."""
    groups: dict[Axes, list[Measurement]] = {}
    for one in measurements:
        groups.setdefault(one.axes, []).append(one)
    out = []
    for axes, group in groups.items():
        precision = sum(m.sigma**-2 for m in group)
        mean = sum((m.values * m.sigma**-2 for m in group), np.zeros(())) / precision
        out.append(Measurement(axes, np.asarray(mean), precision**-0.5))
    return out


class _Marginals:
    """The measured marginals of a joint table as one vector, each divided by its noise: A p.

    The misfit is then f(p) = ½ ‖A p - b‖². A marginal that lies within a larger measured one is
    summed from that and not from the joint, so passes over the joint are few.
    """

    def __init__(self, shape: Axes, total: float, measurements: Sequence[Measurement]) -> None:
        self.shape = shape
        found = sorted(combined(measurements), key=lambda m: len(m.axes), reverse=True)
        self.parents: list[tuple[Axes, list[tuple[Axes, float]]]] = []
        ordered: list[list[Measurement]] = []
        for one in found:
            home = next(
                (i for i, (axes, _) in enumerate(self.parents) if set(one.axes) <= set(axes)), None
            )
            if home is None:
                home = len(self.parents)
                self.parents.append((one.axes, []))
                ordered.append([])
            axes, children = self.parents[home]
            children.append((tuple(axes.index(a) for a in one.axes), total / one.sigma))
            ordered[home].append(one)
        self.target = np.concatenate(
            [(m.values / m.sigma).reshape(-1) for group in ordered for m in group]
        )

    def of(self, joint: Floats) -> Floats:
        """A p."""
        parts = []
        for axes, children in self.parents:
            outer = marginal(joint, axes)
            parts += [marginal(outer, inner).reshape(-1) * scale for inner, scale in children]
        return np.concatenate(parts)

    def spread(self, vector: Floats) -> Floats:
        """Aᵀ r: what each cell of the joint gets from the marginals that it is part of."""
        out = np.zeros(self.shape)
        position = 0
        for axes, children in self.parents:
            outer = tuple(self.shape[a] for a in axes)
            part = np.zeros(outer)
            for inner, scale in children:
                wide = tuple(n if i in inner else 1 for i, n in enumerate(outer))
                size = math.prod(wide)
                part += (vector[position : position + size] * scale).reshape(wide)
                position += size
            out += part.reshape(tuple(n if i in axes else 1 for i, n in enumerate(self.shape)))
        return out


def fit_joint(
    shape: Axes,
    total: float,
    measurements: Sequence[Measurement],
    start: Floats | None = None,
    tolerance: float = _TOLERANCE,
    most_steps: int = _MOST_STEPS,
) -> Floats:
    """Which probabilities p fit the measured marginals best?

    Minimises f(p) = ½ Σ_r ‖n M_r(p) - y_r‖²/σ_r² by entropic mirror descent with momentum, from
    uniform or from `start` (a model fitted to fewer measurements). With a share θ that falls like
    2/k: y = (1 - θ)p + θz, z ← z exp(-∇f(y)/(θL)) / normaliser, p ← (1 - θ)p + θz. L doubles
    until ½‖A(z' - z)‖² <= L KL(z' ‖ z), which is all that the proof needs, and shrinks slowly in
    between. Momentum starts anew where f would rise. Ends when ten steps gain less than
    `tolerance` of what is left of f plus one. (Tseng 2008; O'Donoghue and Candès 2015.)
    """
    p = np.full(shape, 1 / math.prod(shape)) if start is None else start / start.sum()
    if not measurements or total <= 0:
        return p
    marginals = _Marginals(shape, total, measurements)
    at_p = marginals.of(p) - marginals.target
    value = before = 0.5 * float(at_p @ at_p)
    log_z, at_z, share = np.log(np.maximum(p, _TINY)), at_p, 1.0
    enough = sum((total / m.sigma) ** 2 for m in measurements)  # always, as ‖A x‖ <= √L ‖x‖₁
    lipschitz = 1e-3 * enough
    for count in range(1, most_steps + 1):
        gradient = marginals.spread((1 - share) * at_p + share * at_z)
        gradient -= gradient.mean()  # a constant changes nothing
        while True:
            log_new = log_z - gradient / (share * lipschitz)
            log_new -= log_new.max()
            log_new -= math.log(float(np.exp(log_new).sum()))
            new = np.exp(log_new)
            at_new = marginals.of(new) - marginals.target
            change = at_new - at_z
            room = lipschitz * float(np.vdot(new, log_new - log_z))
            if lipschitz >= enough or 0.5 * float(change @ change) <= room:
                break
            lipschitz *= 2
        at_next = (1 - share) * at_p + share * at_new
        next_value = 0.5 * float(at_next @ at_next)
        if next_value > value:
            if share == 1.0:
                break  # without momentum f falls, unless by less than rounding
            log_z, at_z, share = np.log(np.maximum(p, _TINY)), at_p, 1.0
            continue
        p, at_p, value = (1 - share) * p + share * new, at_next, next_value
        log_z, at_z = log_new, at_new
        share = (math.sqrt(share**4 + 4 * share**2) - share**2) / 2
        lipschitz *= 0.97
        if count % _WINDOW == 0:
            if before - value <= tolerance * (1 + value):
                break
            before = value
    return p


def draw_rows(
    joint: Floats,
    total: int,
    rng: np.random.Generator,
    method: Literal["systematic", "multinomial"] = "systematic",
) -> Floats:
    """How many rows of each combination, `total` in all, drawn from the model?

    "systematic": every count is its expectation rounded up or down, with the right mean; one
    uniform number decides for all cells, so that running sums (and with them the counts of the
    first features) are also off by less than one. "multinomial": independent rows.
    """
    p = joint.reshape(-1) / joint.sum()
    if method == "multinomial":
        return rng.multinomial(total, p).astype(np.float64)
    running = np.cumsum(p) * total
    running[np.flatnonzero(p)[-1] :] = total  # not an ulp less; no rows where p is zero
    marks = np.floor(running + rng.random())
    return np.diff(marks, prepend=0.0)

"""The registry: an explicit tuple. Adding a mechanism is its file and one line here."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from sdc_core.errors import InputError
from sdc_core.mechanisms.base import Declaration, Mechanism
from sdc_core.mechanisms.cell_key import CellKey
from sdc_core.mechanisms.controlled_rounding import ControlledRounding
from sdc_core.mechanisms.dp_swapping import DpSwapping, DpSwappingUniform
from sdc_core.mechanisms.kanonymity import DpKAnonymity, KAnonymity
from sdc_core.mechanisms.microaggregation import Microaggregation
from sdc_core.mechanisms.noise import DiscreteGaussianNoise, Geometric, Laplace
from sdc_core.mechanisms.noise_addition import NoiseAddition
from sdc_core.mechanisms.permutation import PermutationSwapping
from sdc_core.mechanisms.protected_suppression import ProtectedSuppression
from sdc_core.mechanisms.rank_swapping import RankSwapping
from sdc_core.mechanisms.rwn import Rwn
from sdc_core.mechanisms.suppression import DpSuppression, Suppression
from sdc_core.mechanisms.swapping import Swapping
from sdc_core.mechanisms.synthesis import Aim, Mst
from sdc_core.mechanisms.topdown import TopDown

REGISTRY: tuple[type[Mechanism], ...] = (
    Laplace,
    Geometric,
    DiscreteGaussianNoise,
    Suppression,
    DpSuppression,
    Swapping,
    DpSwapping,
    DpSwappingUniform,
    PermutationSwapping,
    KAnonymity,
    DpKAnonymity,
    TopDown,
    Mst,
    Aim,
    Rwn,
    RankSwapping,
    Microaggregation,
    NoiseAddition,
    ProtectedSuppression,
    ControlledRounding,
    CellKey,
)

# Those that a page about a table of counts can offer: all but methods for the numbers of records.
FOR_TABLES = tuple(cls for cls in REGISTRY if cls.acts_on != "numbers")

_BY_NAME = {cls.name: cls for cls in REGISTRY}


@functools.cache
def mechanisms() -> tuple[Declaration, ...]:
    """All mechanisms, as declarations."""
    return tuple(cls.declaration() for cls in REGISTRY)


def mechanism(name: str, /, **settings: Any) -> Mechanism:
    """A mechanism by name, with its parameters."""
    if name not in _BY_NAME:
        raise InputError(f"There is no mechanism {name!r}. Known: {', '.join(_BY_NAME)}.")
    cls = _BY_NAME[name]
    known = [p.name for p in cls.params()]
    for key in settings:
        if key not in known:
            raise InputError(f"{name} has no parameter {key!r}. It has: {', '.join(known)}.")
    return cls(**settings)


def with_counterparts(chosen: Sequence[Mechanism]) -> list[Mechanism]:
    """The chosen mechanisms, and after them the traditional method that each DP version imitates
    (with the settings they share), unless it is among them already."""
    out = list(chosen)
    for one in chosen:
        if one.counterpart and one.counterpart not in {m.name for m in out}:
            known = {p.name for p in _BY_NAME[one.counterpart].params()}
            shared = {k: v for k, v in one.settings().items() if k in known}
            out.append(mechanism(one.counterpart, **shared))
    return out

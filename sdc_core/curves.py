"""A mechanism along one parameter: one kind of curve for errors, guarantees, scores and matches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from sdc_core.errors import InputError
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import Real

Point = TypeVar("Point")


@dataclass(frozen=True, eq=False)
class Curve(Generic[Point]):
    """What was found at each value; `here` is the value that the mechanism is set to now.

    A mechanism without the parameter has the same point at every value and no `here`.
    """

    mechanism: Mechanism
    values: tuple[float | int, ...]
    points: tuple[Point, ...]
    here: float | None

    def numbers(self, metric: str) -> list[float]:
        return [float(getattr(point, metric)) for point in self.points]


def sweep(
    mechanism: Mechanism,
    param: Real,
    point: Callable[[Mechanism], Point],
    values: Sequence[float | int] | None = None,
) -> Curve[Point]:
    """The same mechanism along one parameter; `point` is what is found at each setting
    (`lambda m: evaluate(m, table)`). Settings that the data refuse, such as a k above the number of
    people, are left out: nobody has chosen them."""
    steps = tuple(values if values is not None else param.points(30))
    present = mechanism.settings().get(param.name)
    if present is None:
        return Curve(mechanism, steps, (point(mechanism),) * len(steps), None)
    found: dict[float | int, Point] = {}
    for value in steps:
        try:
            found[value] = point(mechanism.replace(**{param.name: value}))
        except InputError:
            if value == steps[-1] and not found:
                raise
    return Curve(mechanism, tuple(found), tuple(found.values()), float(present))

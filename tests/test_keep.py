"""Results made once: the same call gives the same object, any other argument another one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

import sdc_core as sdc
from sdc_core.keep import Keep

CALLS: list[tuple[Any, ...]] = []


def made(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    CALLS.append((args, kwargs))
    return (args, len(CALLS))


def other(*args: Any) -> str:
    return "other"


def told(value: int, progress: Any = None) -> int:
    progress(0.5)
    return value * 2


def large(number: int) -> np.ndarray:
    return np.zeros(number)


@dataclass(frozen=True)
class Doubler:
    by: int

    def times(self, value: int) -> int:
        CALLS.append((self.by, value))
        return self.by * value


def test_the_same_call_is_made_once() -> None:
    keep = Keep()
    first = keep(made, 1, "a", [1, 2], {"x": np.array([1, 2])}, flag=True)
    assert keep(made, 1, "a", [1, 2], {"x": np.array([1, 2])}, flag=True) is first
    assert keep.holds(made, 1, "a", [1, 2], {"x": np.array([1, 2])}, flag=True)


@pytest.mark.parametrize(
    "args",
    [
        (2, "a", (1, 2)),
        (1, "b", (1, 2)),
        (1, "a", (2, 1)),
        (1, "a", (1, 2), None),
        (1, "a"),
        (True, "a", (1, 2)),
        (1, "a", np.array([1, 2])),
        (1, "a", {1: 2}),
    ],
)
def test_any_other_argument_is_another_call(args: tuple[Any, ...]) -> None:
    keep = Keep()
    first = keep(made, 1, "a", (1, 2))
    assert not keep.holds(made, *args)
    assert keep(made, *args) is not first


def test_arrays_are_told_apart_by_value_shape_and_type() -> None:
    keep = Keep()
    first = keep(made, np.arange(4))
    assert keep(made, np.arange(4)) is first
    for array in (np.arange(4).reshape(2, 2), np.arange(4, dtype=float), np.array([0, 1, 2, 4])):
        assert not keep.holds(made, array)


def test_functions_and_their_objects_are_told_apart() -> None:
    keep = Keep()
    assert keep(made, 1) != keep(other, 1)
    assert keep(Doubler(2).times, 3) == 6 and keep(Doubler(3).times, 3) == 9
    CALLS.clear()
    assert keep(Doubler(2).times, 3) == 6 and CALLS == []  # an equal object is the same one


def test_large_things_count_by_which_one_they_are() -> None:
    keep = Keep()
    one, same = (sdc.Histogram.from_counts([1, 2]) for _ in range(2))
    first = keep(made, one)
    assert keep(made, one) is first and keep(made, same) is not first
    assert keep(made, sdc.mechanism("laplace")) is keep(made, sdc.mechanism("laplace"))
    assert keep(made, sdc.mechanism("laplace")) is not keep(
        made, sdc.mechanism("laplace", epsilon=2.0)
    )


def test_what_may_depend_on_more_than_its_arguments_is_refused() -> None:
    keep = Keep()
    hidden = 3
    for closure in (lambda: hidden, partial(made, 1)):
        with pytest.raises(TypeError, match="function of a module"):
            keep(closure)
    with pytest.raises(TypeError):
        keep(made, {1, 2})  # a set has no order to be told by


def test_progress_is_told_and_is_not_part_of_the_key() -> None:
    """Nothing is announced where nothing is made."""
    keep, shares, announced = Keep(), [], []

    def report() -> AbstractContextManager[Callable[[float], None]]:
        announced.append("making")
        return nullcontext(shares.append)

    assert keep.telling(report, told, 4) == 8
    assert shares == [0.5] and keep.holds(told, 4)
    assert keep.telling(report, told, 4) == 8 and shares == [0.5] and announced == ["making"]


def test_the_oldest_goes_first_when_it_grows_too_large() -> None:
    keep = Keep(most_bytes=30_000)
    for number in (1000, 1001, 1002):
        keep(large, number)
    assert keep.holds(large, 1002) and keep.holds(large, 1001) and keep.holds(large, 1000)
    keep(large, 1003)
    assert not keep.holds(large, 1000)
    assert keep.holds(large, 1001) and keep.holds(large, 1003)
    keep(large, 10_000)  # larger than all there is room for: it alone stays
    assert keep.holds(large, 10_000) and not keep.holds(large, 1003)


def test_a_failure_is_not_kept() -> None:
    keep = Keep()
    with pytest.raises(ZeroDivisionError):
        keep(divmod, 1, 0)
    assert not keep.holds(divmod, 1, 0)

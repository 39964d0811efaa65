"""Results made once: the same call gives the same object, any other argument another one."""

from __future__ import annotations

import ast
import copy
import gc
import itertools
import sys
import threading
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sdc_core as sdc
from sdc_core import keep as keeping
from sdc_core.keep import Keep, kept_for_all, kept_in_visit, kept_with_first, visiting

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


def test_an_array_that_cannot_change_counts_by_which_one_it_is() -> None:
    keep, fixed = Keep(), np.arange(100_000)
    fixed.setflags(write=False)
    first = keep(made, fixed)
    assert keep(made, fixed) is first and looked_at(keep) > fixed.nbytes
    same = fixed.copy()
    assert not keep.holds(made, same)
    part = fixed[:4]  # whoever has the whole could make it change
    again = keep(made, part)
    assert keep(made, np.arange(4)) is again
    same.setflags(write=False)
    assert not keep.holds(made, same)


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


# ---------------------------------------------------------------- how much is held on to


@dataclass(frozen=True, eq=False)
class Table:
    """Something large, of which more is found when somebody asks."""

    counts: np.ndarray

    @cached_property
    def more(self) -> np.ndarray:
        return np.zeros(10_000)


def table() -> Table:
    return Table(np.zeros(10_000))


def small(table: Table) -> int:
    return 1


def itself(table: Table) -> Table:
    return table


def looked_at(keep: Keep) -> int:
    """What is held on to, counted anew."""
    keep._look()
    return keep.size


def test_what_a_key_holds_on_to_counts() -> None:
    """A result of a few bytes kept a whole table alive."""
    keep = Keep(most_bytes=200_000)
    tables = [table() for _ in range(10)]
    for one in tables:
        keep(small, one)
    assert 160_000 < looked_at(keep) < 200_000
    assert [keep.holds(small, one) for one in tables] == [False] * 8 + [True] * 2


def test_one_thing_counts_once_however_many_results_hold_on_to_it() -> None:
    keep, one = Keep(most_bytes=200_000), table()
    for function in (small, itself, made):
        keep(function, one)
    assert 80_000 < looked_at(keep) < 100_000
    part = Keep()
    part(itself, one.counts[5:7])  # a part of an array keeps the whole
    assert 80_000 < looked_at(part) < 100_000


def test_what_a_result_works_out_later_counts() -> None:
    keep, one = Keep(most_bytes=150_000), table()
    keep(other_call, 1)
    keep(small, one)
    assert looked_at(keep) < 90_000 and keep.holds(other_call, 1)
    assert one.more.sum() == 0
    assert looked_at(keep) > 160_000 and not keep.holds(other_call, 1)


def other_call(number: int) -> str:
    return "x" * 1000


def test_what_was_asked_for_last_stays_longest() -> None:
    keep = Keep(most_bytes=30_000)
    for number in (1000, 1001, 1002, 1000):
        keep(large, number)
    keep(large, 1003)
    assert keep.holds(large, 1000) and not keep.holds(large, 1001)


def test_all_together_are_bounded_and_what_was_used_longest_ago_goes(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    visits = [Keep() for _ in range(5)]
    for visit in visits:
        visit(large, 100_000)
    visits[0](large, 100_000)
    gc.collect()
    others = sum(one.size for one in keeping._ALL if one not in visits)
    monkeypatch.setattr(keeping, "MOST_IN_ALL", others + 3_000_000)
    for one in list(keeping._ALL):  # others are newer, so that they stay
        one.used = one.used if one in visits else next(keeping._CLOCK)
    visits[4]._look()
    assert [visit.holds(large, 100_000) for visit in visits] == [True, False, False, True, True]


def test_a_copy_keeps_nothing() -> None:
    one = table()
    with_it(one, 2)
    again = copy.deepcopy(one)
    assert vars(again)[keeping._HELD].size == 0 < vars(one)[keeping._HELD].size


# ---------------------------------------------------------------- for whom


@kept_with_first
def with_it(owner: Table, by: int) -> tuple[Table, int]:
    CALLS.append((by,))
    return owner, by


@kept_in_visit
def in_visit(text: str) -> str:
    CALLS.append((text,))
    return text * 2


@kept_for_all
def for_all(number: float) -> float:
    CALLS.append((number,))
    return number / 2


def test_what_is_kept_with_something_goes_with_it() -> None:
    one, other = table(), table()
    CALLS.clear()
    assert with_it(one, 2) is with_it(one, 2) and with_it(one, 3)[1] == 3
    assert with_it(other, 2)[0] is other and CALLS == [(2,), (3,), (2,)]
    gone = weakref.ref(one)
    del one
    gc.collect()
    assert gone() is None


def test_what_is_kept_with_something_counts_for_who_holds_on_to_that() -> None:
    keep, one = Keep(most_bytes=1_000_000), table()
    keep(other_call, 1)
    keep(small, one)
    vars(one)[keeping._HELD] = Keep()
    vars(one)[keeping._HELD](large, 200_000)
    assert looked_at(keep) < 100_000 and not keep.holds(other_call, 1)


def test_what_is_kept_in_a_visit_is_nobody_elses() -> None:
    CALLS.clear()
    assert in_visit("a") == in_visit("a") == "aa" and len(CALLS) == 2  # outside of one: made anew
    mine, yours = Keep(), Keep()
    for keep in (mine, mine, yours):
        with visiting(keep):
            assert in_visit("a") == "aa"
    assert len(CALLS) == 4 and mine.size == yours.size > 0
    assert in_visit("a") and len(CALLS) == 5
    assert for_all(3.0) == for_all(3.0) == 1.5 and len(CALLS) == 6


SAFE = {  # of what no data can be in: numbers, kinds of thing, our colours, the machine's files
    "Hex", "int", "float", "int | None", "type", "type[Mechanism]", "tuple[type[Mechanism], ...]",
    "Path"}


def test_no_cache_of_the_program_takes_data_but_these() -> None:
    """Whatever else is kept has no bound in bytes and outlives the visit that asked for it."""
    known = {"lru_cache", "cache", "kept_for_all"}
    found = []
    for path in [p for folder in ("sdc_core", "ui") for p in Path(folder).rglob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any(
                ast.unparse(d).split("(")[0].split(".")[-1] in known for d in node.decorator_list
            ):
                found.append(node.name)
                taken = {ast.unparse(a.annotation) for a in node.args.args if a.annotation}
                assert taken <= SAFE and len(node.args.args) >= len(taken), (path, node.name)
    assert len(found) > 15


def test_visits_may_begin_while_others_are_looked_through() -> None:
    """A room full: what is kept is looked through in one thread while another begins to keep."""
    going, held = True, [Keep() for _ in range(300)]

    def begin() -> None:
        while going:
            held[next(places) % 300] = Keep()

    places, starting, before = itertools.count(), threading.Thread(target=begin), (
        sys.getswitchinterval())
    starting.start()
    try:
        sys.setswitchinterval(1e-5)
        for _ in range(200):
            held[0]._look()  # a RuntimeError, where the set of all changes meanwhile
    finally:
        going = False
        starting.join()
        sys.setswitchinterval(before)
    assert next(places) > 0

"""Results that are made once. What made them, a function and all its arguments, is the key.

No key is put together by hand, so none can forget an argument. Small arguments are told apart by
value; large ones that never change (tables, evaluations, data sets, arrays that cannot be written
to) by which object they are, and the key holds on to it, so that no other object can take its
place.

This is the one place that holds on to what may be as large as data, or be read off them. There are
four ways to use it, by who may share a result and when it is let go:

- a `Keep` of one's own, such as a visit's: gone with it;
- `kept_with_first`: with the table, data set or map that is the first argument. Who shares that
  (all visitors share what is bundled) shares the result; what was made of somebody's own file goes
  when the file does;
- `kept_in_visit`: in the `Keep` of the answer that is being given (`visiting`); outside of one
  nothing is kept;
- `kept_for_all`: for everybody, which is for what no data are in, such as laws of noise.

All of them are bounded in bytes, each by itself and all together, by what they hold on to now:
arguments count, what is kept with them counts, and so does what a result has worked out since.
"""

from __future__ import annotations

import functools
import itertools
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from types import FunctionType, MethodType, ModuleType
from typing import Any, ParamSpec, TypeVar

import numpy as np
import pandas as pd

from sdc_core.keys import key_of

Given = ParamSpec("Given")
Made = TypeVar("Made")

MOST_BYTES = 160_000_000  # distances between all records of a table may take 128 MB of it
MOST_WITH_PARTS = 2 * MOST_BYTES  # of a visit's, which may hold on to a table with as much
MOST_IN_ALL = 2_000_000_000
_ENTRY, _SMALL_PART = 500, 50  # bytes that an entry and any part of it are taken to have
_LOOKED_AT = 8  # members of a long list, from which its size is judged
_LOOK_AGAIN = 1.0  # seconds until what is kept may have grown
_AT_MOST = 100  # a hundredth of the time is spent on looking
_HELD = "kept with it"  # the name in an object's dictionary

_ALL: weakref.WeakSet[Keep] = weakref.WeakSet()
_CLOCK = itertools.count()
_FITTING = threading.Lock()
_VISIT: ContextVar[Keep | None] = ContextVar("visit", default=None)


class _Entry:
    """What was made, and when it was asked for last."""

    __slots__ = ("made", "used")

    def __init__(self, made: Any) -> None:
        self.made, self.used = made, 0

    def size(self, key: Hashable, counted: _Counted) -> int:
        """With what its key holds on to."""
        return _ENTRY + counted.size_of(key) + counted.size_of(self.made)


class Keep:
    """What was made; beyond `most_bytes` what was not asked for longest is forgotten first."""

    def __init__(self, most_bytes: int = MOST_WITH_PARTS) -> None:
        self._most = most_bytes
        self._made: dict[Hashable, _Entry] = {}
        self._lock = threading.Lock()
        self._look_at = time.monotonic() + _LOOK_AGAIN
        self.size = 0  # without that of others that are kept with something in it
        self.used = next(_CLOCK)
        with _FITTING:  # nobody goes through them now
            _ALL.add(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy starts empty."""
        return Keep, (self._most,)

    def __call__(
        self, make: Callable[Given, Made], *args: Given.args, **kwargs: Given.kwargs
    ) -> Made:
        """The result of this call: from before, or made now."""
        return self._found(key_of(make, args, kwargs), lambda: make(*args, **kwargs))

    def holds(
        self, make: Callable[Given, Any], *args: Given.args, **kwargs: Given.kwargs
    ) -> bool:
        """Has this call been made before?"""
        return key_of(make, args, kwargs) in self._made

    def telling(
        self, report: Callable[[], AbstractContextManager[Callable[[float], None]]],
        make: Callable[..., Made], *args: Any, **kwargs: Any,
    ) -> Made:
        """The same for a function that says how far it is, to what `report` gives if it has to be
        made: that does not change what it makes, so it is not in the key."""
        def told() -> Made:
            with report() as progress:
                return make(*args, progress=progress, **kwargs)

        return self._found(key_of(make, args, kwargs), told)

    def clear(self) -> None:
        with self._lock:
            self._made.clear()
            self.size = 0

    def _found(self, key: Hashable, make: Callable[[], Made]) -> Made:
        self.used = next(_CLOCK)
        entry = self._made.get(key)
        if entry is None:
            entry = _Entry(make())
            size = _ENTRY + _about(entry.made)
            with self._lock:
                self._made[key] = entry
                self.size += size
        entry.used = self.used
        if self.size > self._most or time.monotonic() > self._look_at:
            self._look()
        found: Made = entry.made
        return found

    def _look(self) -> None:
        """Forget what is too much. From the newest on, each thing counts once, however many hold
        on to it; the newest stays, however large it is."""
        start, counted, total = time.monotonic(), _Counted(), 0
        with self._lock:
            self.size = 0
            newest_first = sorted(self._made.items(), key=lambda one: -one[1].used)
            for key, entry in newest_first:
                size, parts = entry.size(key, counted), counted.parts
                if total and total + size + parts > self._most:
                    del self._made[key]
                else:
                    self.size += size
                    total += size + parts
                counted.parts = 0
        now = time.monotonic()
        self._look_at = now + max(_LOOK_AGAIN, _AT_MOST * (now - start))
        _fit_in_all(self)


_FOR_ALL = Keep(MOST_BYTES)


def _fit_in_all(present: Keep) -> None:
    """Where all together are too much, those used longest ago are emptied first."""
    with _FITTING:
        total = sum(one.size for one in _ALL)
        for one in sorted(_ALL, key=lambda one: one.used):
            if total <= MOST_IN_ALL:
                return
            if one is not present:
                total -= one.size
                one.clear()


def kept_with_first(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Results of a function are kept with its first argument, and go with it."""
    @functools.wraps(make)
    def found(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        owner, *rest = args
        keep = keep_of(owner)
        return keep._found(key_of(make, rest, kwargs), lambda: make(*args, **kwargs))

    return found


def keep_of(owner: Any) -> Keep:
    """What is kept with a table, a data set or a map, and goes with it."""
    held: dict[str, Any] = vars(owner)
    return held.get(_HELD) or held.setdefault(_HELD, Keep(MOST_BYTES))


def kept_in_visit(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Results of a function are kept in the visit that asks; outside of one they are made anew."""
    @functools.wraps(make)
    def found(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        visit = _VISIT.get()
        return make(*args, **kwargs) if visit is None else visit(make, *args, **kwargs)

    return found


def kept_for_all(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Results of a function of numbers alone are kept for everybody."""
    @functools.wraps(make)
    def found(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        return _FOR_ALL(make, *args, **kwargs)

    return found


@contextmanager
def visiting(keep: Keep) -> Iterator[None]:
    """What is computed within is asked for by the visit that has this."""
    before = _VISIT.set(keep)
    try:
        yield
    finally:
        _VISIT.reset(before)


# Most parts of results are one of these, and a slider move looks at thousands.
_SINGLE = frozenset({bool, int, float, str, type(None)})


def _about(value: Any, depth: int = 3) -> int:
    """About how large a new result is, at a glance, so that a slider move is not spent on counting:
    what is large in it is soon met. All that it holds on to is counted when `_look` comes round."""
    if isinstance(size := getattr(value, "nbytes", None), int):
        return size
    if isinstance(value, pd.DataFrame):
        return int(value.memory_usage(deep=False).sum())
    if isinstance(value, (str, bytes, bytearray)):
        return len(value)
    if not depth or type(value) in _SINGLE:
        return _SMALL_PART
    if isinstance(value, (list, tuple)):
        some = value[:_LOOKED_AT]
        return len(value) * sum([_about(one, depth - 1) for one in some]) // max(1, len(some))
    held = value if isinstance(value, Mapping) else getattr(value, "__dict__", {})
    parts = itertools.islice(list(held.values()), 4 * _LOOKED_AT)
    return sum([_about(one, depth - 1) for one in parts])


_NOT_DATA = (type, FunctionType, MethodType, ModuleType)


class _Counted:
    """What was counted already, so that each thing counts once; `parts` is the size of whatever is
    kept with things that were met."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self.parts = 0

    def size_of(self, value: Any) -> int:
        """About how many bytes it takes with all that it holds on to. What says `held_elsewhere` (a
        data set, which its visit has anyway) is not gone into."""
        kind: Any = type(value)
        if kind in _SINGLE:
            return _SMALL_PART + (len(value) if kind is str else 0)
        if id(value) in self._seen or isinstance(value, _NOT_DATA) or getattr(
                kind, "held_elsewhere", False):
            return 0
        self._seen.add(id(value))
        if isinstance(value, Keep):
            self.parts += value.size
            return 0
        return _SMALL_PART + self._of_what_is_in(value, kind)

    def _of_what_is_in(self, value: Any, kind: type) -> int:
        if isinstance(value, np.ndarray):
            base: Any = value.base  # a part of an array keeps the whole
            return int(value.nbytes) if base is None else self.size_of(base)
        if isinstance(value, (list, tuple)):  # the fields of a named one are not alike
            some = value[::max(1, len(value) // _LOOKED_AT) if kind in (list, tuple) else 1]
            return len(value) * sum([self.size_of(one) for one in some]) // max(1, len(some))
        if isinstance(value, pd.DataFrame):
            return int(value.memory_usage(deep=False).sum())
        if isinstance(value, (bytes, bytearray)):
            return len(value)
        if isinstance(size := getattr(value, "nbytes", None), int):
            return size
        held = value if isinstance(value, Mapping) else getattr(value, "__dict__", {})
        return sum([self.size_of(one) for one in list(held.values())])

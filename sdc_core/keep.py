"""Results that are made once. What made them, a function and all its arguments, is the key.

No key is put together by hand, so none can forget an argument. Small arguments are told apart by
value; large ones that never change (tables, evaluations, data sets) by which object they are, and
the key holds on to it, so that no other object can take its place.
"""

from __future__ import annotations

import functools
import hashlib
import threading
from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager
from dataclasses import fields, is_dataclass
from typing import Any, ParamSpec, TypeVar

import numpy as np
import pandas as pd

Given = ParamSpec("Given")
Made = TypeVar("Made")

MOST_BYTES = 64_000_000
_LEAST_SIZE = 500  # bytes that any entry is taken to have
_LOOKED_AT = 8


class Keep:
    """What was made, the oldest forgotten first when it grows beyond `most_bytes`."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._made: dict[Hashable, tuple[Any, int]] = {}
        self._size = 0
        self._lock = threading.Lock()

    def __call__(
        self, make: Callable[Given, Made], *args: Given.args, **kwargs: Given.kwargs
    ) -> Made:
        """The result of this call: from before, or made now."""
        key = _key(make, args, kwargs)
        if key in self._made:
            return self._made[key][0]
        return self._store(key, make(*args, **kwargs))

    def holds(
        self, make: Callable[Given, Any], *args: Given.args, **kwargs: Given.kwargs
    ) -> bool:
        """Has this call been made before?"""
        return _key(make, args, kwargs) in self._made

    def telling(
        self, report: Callable[[], AbstractContextManager[Callable[[float], None]]],
        make: Callable[..., Made], *args: Any, **kwargs: Any,
    ) -> Made:
        """The same for a function that says how far it is, to what `report` gives if it has to be
        made: that does not change what it makes, so it is not in the key."""
        key = _key(make, args, kwargs)
        if key in self._made:
            return self._made[key][0]
        with report() as progress:
            return self._store(key, make(*args, progress=progress, **kwargs))

    def _store(self, key: Hashable, made: Made) -> Made:
        size = _size(made)
        with self._lock:
            self._made[key] = (made, size)
            self._size += size
            while self._size > self._most and len(self._made) > 1:
                oldest = next(iter(self._made))
                self._size -= self._made.pop(oldest)[1]
        return made


def _key(make: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Hashable:
    name = getattr(make, "__qualname__", "<")
    if "<" in name:  # a lambda, a partial or an inner function may depend on more than it is given
        raise TypeError(f"{make!r} must be a function of a module, so that its arguments are all.")
    owner = getattr(make, "__self__", None)
    return (make.__module__, name, _part(owner), _part(args), _part(kwargs))


# Most arguments and most parts of results are one of these, and a slider move asks for thousands.
_NUMBERS = (bool, int, float)
_SINGLE = frozenset({*_NUMBERS, str, type(None)})


def _part(value: Any) -> Hashable:
    """An argument as a part of a key."""
    if type(value) in _SINGLE:
        return (type(value).__name__, value) if type(value) in _NUMBERS else value
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, *(_part(v) for v in value))
    if isinstance(value, Mapping):
        return ("mapping", *((_part(k), _part(v)) for k, v in value.items()))
    if isinstance(value, np.ndarray):
        content = hashlib.sha256(np.ascontiguousarray(value).tobytes()).digest()
        return (value.shape, value.dtype.str, content)
    hash(value)  # what cannot be told apart is refused here
    return (type(value).__name__, value) if isinstance(value, _NUMBERS) else value


def _size(value: Any) -> int:
    """About how many bytes a result takes: its arrays and frames."""
    kind: Any = type(value)
    if kind in _SINGLE:
        return _LEAST_SIZE + (len(value) if kind is str else 0)
    if kind is np.ndarray:
        return int(value.nbytes) + _LEAST_SIZE
    if isinstance(value, (list, tuple)):
        alike = kind in (list, tuple)  # unlike the fields of a named one
        some = value[::max(1, len(value) // _LOOKED_AT) if alike else 1]
        return _LEAST_SIZE + len(value) * sum(map(_size, some)) // max(1, len(some))
    if names := _field_names(kind):
        return _LEAST_SIZE + sum([_size(getattr(value, name)) for name in names])
    if isinstance(value, pd.DataFrame):
        return int(value.memory_usage(deep=False).sum()) + _LEAST_SIZE
    if isinstance(value, (str, bytes)):
        return len(value) + _LEAST_SIZE
    if isinstance(value, Mapping):
        return _LEAST_SIZE + sum(map(_size, value.values()))
    return _LEAST_SIZE + (int(value.nbytes) if isinstance(value, np.ndarray) else 0)


@functools.cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(f.name for f in fields(kind)) if is_dataclass(kind) else ()

"""What tells one call from another: the function and all its arguments, as a key.

A slider move asks for hundreds of results that are kept, so how an argument becomes part of a key
is decided once a type.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray


def key_of(make: Callable[..., Any], args: Any, kwargs: Mapping[str, Any]) -> Hashable:
    """The call as a key."""
    name = getattr(make, "__qualname__", "<")
    if "<" in name:  # a lambda, a partial or an inner function may depend on more than it is given
        raise TypeError(f"{make!r} must be a function of a module, so that its arguments are all.")
    owner = getattr(make, "__self__", None)
    return (make.__module__, name, _part(owner), _part(args), _part(kwargs))


_NUMBERS = (bool, int, float)


def _part(value: Any) -> Hashable:
    """An argument as a part of a key. What cannot be told apart cannot be hashed either, and is
    refused when it is looked for."""
    kind: Any = type(value)
    part = _part_of(kind)
    return value if part is None else part(value)


@functools.cache
def _part_of(kind: type) -> Callable[[Any], Hashable] | None:
    """How values of this type become part of a key; None for those that are it themselves."""
    if issubclass(kind, _NUMBERS):  # 1, 1.0 and True are equal, and not the same argument
        return lambda value: (kind.__name__, value)
    if issubclass(kind, (list, tuple)):
        return lambda value: (kind.__name__, *[_part(v) for v in value])
    if issubclass(kind, Mapping):
        return lambda value: ("mapping", *[(_part(k), _part(v)) for k, v in value.items()])
    return _array_part if issubclass(kind, np.ndarray) else None


class _This:
    """An array that cannot change: like all that is large, it is told apart by which one it is."""

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array

    def __hash__(self) -> int:
        return id(self.array)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _This) and self.array is other.array


def _array_part(value: NDArray[Any]) -> Hashable:
    if value.base is None and not value.flags.writeable:
        return _This(value)
    content = hashlib.blake2b(np.ascontiguousarray(value).tobytes()).digest()
    return (value.shape, value.dtype.str, content)

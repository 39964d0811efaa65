"""Records as arrays: what every measure asks of them, and the scales of distances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sdc_core.errors import InputError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Scale = Literal["range", "sd", "none"]
SCALES: dict[Scale, str] = {
    "range": "each variable from 0 to 1 over its range in the original",
    "sd": "each variable in standard deviations of the original",
    "none": "variables in their own units",
}


def records(values: ArrayLike, what: str = "the records", least: int = 2) -> Floats:
    """An array of finite numbers, a row a record; one sentence where it is not."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            f"In {what} there is text where numbers are needed; encode codes as 0 and 1 first."
        ) from None
    if found.ndim == 1:
        found = found[:, None]
    if found.ndim != 2 or found.shape[1] == 0:
        raise InputError(f"In {what} there is no variable to measure; give at least one column.")
    if len(found) < least:
        raise InputError(
            f"In {what} there are {len(found):,} rows, and this measure needs at least {least:,}."
        )
    missing = ~np.isfinite(found)
    if missing.any():
        column = int(missing.any(axis=0).argmax())
        count = int(missing[:, column].sum())
        every = count == len(found)
        raise InputError(
            f"In {what} column {column + 1} " + (
                "has no values at all; leave it out." if every else
                f"lacks {count:,} of {len(found):,} values; leave those rows out or fill them in.")
        )
    return found


def pair(original: ArrayLike, released: ArrayLike, least: int = 2) -> tuple[Floats, Floats]:
    """Original and released records that belong together row by row."""
    first, second = comparable(original, released, least)
    if len(first) != len(second):
        raise InputError(
            f"The release has {len(second):,} records and the original {len(first):,}: nobody "
            "knows which belongs to whom, so this measure is not defined."
        )
    return first, second


def comparable(
    original: ArrayLike, released: ArrayLike, least: int = 2
) -> tuple[Floats, Floats]:
    """Original and released records of the same variables, whatever their numbers."""
    first = records(original, "the original", least)
    second = records(released, "the release", least)
    if first.shape[1] != second.shape[1]:
        raise InputError(
            f"The original has {first.shape[1]} variables and the release {second.shape[1]}; give "
            "the same columns of both."
        )
    return first, second


def scaled(original: Floats, released: Floats, by: Scale = "range") -> tuple[Floats, Floats]:
    """Both on the original's scale. A variable that is constant in the original has none: it is
    left out of distances, and if that leaves nothing, that is said."""
    if by not in SCALES:
        raise InputError(f"The scale is one of {', '.join(SCALES)}, not {by!r}.")
    low, spread = original.min(axis=0), np.ptp(original, axis=0)
    varies = spread > 0
    if not varies.any():
        raise InputError(
            "Every variable of the original is constant: all records are alike, and no distance "
            "tells them apart."
        )
    unit = {"range": spread, "sd": original.std(axis=0, ddof=1), "none": np.ones_like(spread)}[by]
    first, second = ((each - low)[:, varies] / unit[varies] for each in (original, released))
    return first, second


def varying(values: Floats, what: str, names: Sequence[str] = ()) -> Floats:
    """The same records, if no variable is constant; else one sentence with its name."""
    constant = np.ptp(values, axis=0) <= 1e-12 * np.abs(values).max(axis=0)
    if constant.any():
        first = int(constant.argmax())
        name = names[first] if first < len(names) else f"column {first + 1}"
        raise InputError(
            f"In {what} {name} is constant, so it goes together with nothing; leave it out."
        )
    return values

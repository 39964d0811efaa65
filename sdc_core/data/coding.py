"""A column as a feature: which of its values, or which bin, each record has."""

from __future__ import annotations

import datetime
import itertools
import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sdc_core.data.raw import Raw
from sdc_core.data.schema import MAX_LEVELS, Column, Type, shortened
from sdc_core.errors import InputError
from sdc_core.histogram import Feature

DomainChoice = Literal["observed", "dictionary"]
Codes = NDArray[np.integer]

_NAMES_FOR_MISSING = ("", "(missing)", *(f"(missing {i})" for i in range(2, MAX_LEVELS + 3)))
_MISSING_BIN = "N"
_EPOCH = datetime.date(1970, 1, 1)
_NICE = (1.0, 2.0, 5.0, 10.0)
_HEAD = 1000  # numbers that are looked at first
_STEPS_BETWEEN = 8  # rounding moves an edge by less than a sixteenth of where the middle values lie


def coded(raw: Raw, column: Column, domain: DomainChoice) -> tuple[Codes, Feature]:
    """Positions in a feature's values. `dictionary`: those declared, whoever is in the data;
    `observed`: those that occur."""
    if column.kind == "identifier":
        raise InputError(
            f"{column.name} cannot be counted by: {column.note or f'its role is {column.role}'}."
        )
    coder = _bins if column.is_number else _levels
    return coder(raw, column, domain)


def as_declared(column: Column, feature: Feature) -> bool:
    """Would the feature be the same whoever is in the data?"""
    levels = len(column.edges) + 1 if column.is_number else len(column.values)
    return column.has_domain and len(feature) == levels + column.may_be_missing


def _levels(raw: Raw, column: Column, domain: DomainChoice) -> tuple[Codes, Feature]:
    texts, codes = raw.distinct(column.name).without(column.missing)
    unknown = len(texts) - len(column.values)
    if unknown > MAX_LEVELS:
        raise InputError(
            f"{column.name} has {len(texts):,} different values; a feature may have {MAX_LEVELS:,}."
            " Read it as a number with bins, or leave it out."
        )
    levels: list[str] = texts.to_pylist()
    occurring = set(levels)
    order = [v for v in column.values if domain == "dictionary" or v in occurring]
    order += sorted((v for v in levels if v not in column.values), key=natural)
    if len(order) > MAX_LEVELS:
        raise InputError(
            f"{column.name} has {len(order):,} different values; a feature may have {MAX_LEVELS:,}."
            " Read it as a number with bins, or leave it out."
        )
    labels = [column.values.get(v) or shortened(v) for v in order]
    has_missing = bool((codes < 0).any()) or (domain == "dictionary" and column.may_be_missing)
    if has_missing:
        order.append(next(n for n in _NAMES_FOR_MISSING if n not in order))
        labels.append(column.missing_label)
    position = {v: i for i, v in enumerate(order)}
    lookup = np.array([position[v] for v in levels] + [len(order) - 1], dtype=np.int16)
    return lookup[codes], Feature(
        column.name, column.title, tuple(order), tuple(labels), unordered_tail=int(has_missing),
        role=column.role,
    )


def _bins(raw: Raw, column: Column, domain: DomainChoice) -> tuple[Codes, Feature]:
    """What is missing or does not apply is a level of its own."""
    numbers = raw.numbers(column)
    missing = ~np.isfinite(numbers)
    if missing.all():
        raise InputError(f"{column.name} has no numbers in it.")
    given = domain == "dictionary" and bool(column.edges)
    edges = np.array(column.edges) if given else round_edges(numbers[~missing], column)
    codes = np.searchsorted(edges, numbers, side="right").astype(np.int16)
    labels = [f"{column.title.lower()} {text}" for text in bin_labels(edges, column.type)]
    names = [str(i) for i in range(len(labels))]
    has_missing = bool(missing.any()) or (
        domain == "dictionary" and column.has_domain and column.may_be_missing)
    if has_missing:
        codes[missing] = len(labels)
        labels.append(column.missing_label)
        names.append(_MISSING_BIN)
    return codes, Feature(
        column.name, column.title, tuple(names), tuple(labels), ordered=True,
        unordered_tail=int(has_missing), role=column.role,
    )


def round_edges(numbers: NDArray[np.float64], column: Column) -> NDArray[np.float64]:
    """Round inner edges that cut the numbers into about equally filled bins; a value equal to an
    edge goes up. No bin is empty, so ties can make bins fewer. No edge is somebody's own number
    unless it is a round one."""
    if not len(numbers):
        return numbers  # all are missing, or dates that no calendar has
    numbers, weights = _counted(numbers)
    if len(np.unique(numbers[:_HEAD])) <= column.bins and column.type is not Type.DATE:
        few = np.unique(numbers)
        if len(few) <= column.bins:
            return few[1:]  # each number is a bin of its own
    shares = np.arange(1, column.bins) / column.bins
    cuts = np.quantile(numbers, shares, method="inverted_cdf", weights=weights)
    if column.type is Type.DATE:
        edges = np.unique([_new_year(cut) for cut in cuts])
    else:
        step = _round_step((cuts[-1] - cuts[0]) / _STEPS_BETWEEN, column.type is Type.WHOLE)
        edges = np.unique(np.round(cuts / step) * step) if step else np.unique(cuts)
        digits = max(0, 1 - math.floor(math.log10(step))) if step else 12
        edges = np.unique(np.round(edges, digits)) + 0.0
    filled = _filled(numbers, edges)
    while len(edges) and not filled.all():
        empty = int(np.argmin(filled))
        edges = np.delete(edges, min(empty, len(edges) - 1))
        filled = _filled(numbers, edges)
    return edges


def _filled(numbers: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.bincount(np.searchsorted(edges, numbers, side="right"), minlength=len(edges) + 1)


def _counted(
    numbers: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64] | None]:
    """Many whole numbers within narrow bounds as different ones and how often each occurs."""
    if len(numbers) < _HEAD or (numbers[:_HEAD] != np.round(numbers[:_HEAD])).any():
        return numbers, None
    low, high = numbers.min(), numbers.max()
    if high - low >= len(numbers) or (numbers != np.round(numbers)).any():
        return numbers, None
    counts = np.bincount((numbers - low).astype(np.int64))
    occurring = np.flatnonzero(counts)
    return low + occurring, counts[occurring]


def _round_step(wanted: float, whole: bool) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not above what is wanted."""
    if wanted < 1 and whole:
        return 1.0
    if wanted <= 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(wanted))
    return max(nice for nice in _NICE if nice * power <= wanted * (1 + 1e-9)) * power


def _new_year(day: float) -> float:
    """The nearest first of January, in days since 1970."""
    date = _EPOCH + datetime.timedelta(days=int(day))
    year = date.year + (date.month > 6)
    return float((datetime.date(min(year, 9999), 1, 1) - _EPOCH).days)


def bin_labels(edges: NDArray[np.float64], kind: Type) -> list[str]:
    """`under 18`, `18 to 34`, ..., `65 or more`: true whatever numbers there are."""
    if not len(edges):
        return ["(any)"]
    if kind is Type.DATE:
        return _date_labels(edges)
    text = [_number(edge) for edge in edges]
    if kind is Type.WHOLE and all(edge == round(edge) for edge in edges):
        between = [
            a if high == low + 1 else f"{a} to {_number(high - 1)}"
            for a, (low, high) in zip(text, itertools.pairwise(edges), strict=False)
        ]
    else:
        between = [f"{a} to under {b}" for a, b in itertools.pairwise(text)]
    return [f"under {text[0]}", *between, f"{text[-1]} or more"]


def _date_labels(edges: NDArray[np.float64]) -> list[str]:
    dates = [_EPOCH + datetime.timedelta(days=int(edge)) for edge in edges]
    if all((d.month, d.day) == (1, 1) for d in dates):
        years = [d.year for d in dates]
        between = [
            f"{a}" if b == a + 1 else f"{a} to {b - 1}" for a, b in itertools.pairwise(years)
        ]
        return [f"before {years[0]}", *between, f"{years[-1]} or later"]
    text = [d.isoformat() for d in dates]
    between = [f"{a} to before {b}" for a, b in itertools.pairwise(text)]
    return [f"before {text[0]}", *between, f"{text[-1]} or later"]


def _number(value: float) -> str:
    """`1,341,000`, `-4,600`, `2.55`: never an exponent that a reader must decode."""
    return f"{value:,.8f}".rstrip("0").rstrip(".")


def natural(value: str) -> tuple[int, float, str]:
    """Numbers in order of size, then words."""
    try:
        number = float(value)
    except ValueError:
        return (1, 0.0, value)
    return (0, number, value) if math.isfinite(number) else (1, 0.0, value)

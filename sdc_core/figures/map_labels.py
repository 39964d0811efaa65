"""Which words go where on a map: in the area if they fit, in short if that fits, else beside it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sdc_core.figures.map_layout import Line, Placed, Sheet, within
from sdc_core.keep import kept_with_first

_PIXELS = 0.42  # of a sheet unit, on a screen somewhat narrower than a laptop's
_LARGE, _SMALL = 11, 9  # letters, in pixels
_LETTER, _LINE = 0.54, 1.28  # width and height of a letter, of its size
_PLACES = 60  # tried for a label within its area
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Label:
    """Words, perhaps with the area's number below them, at a spot on the sheet."""

    area: int
    x: float
    y: float
    words: tuple[str, ...]
    number: bool
    size: int
    side: str = ""  # of the area that it is beside; within the area if empty


@kept_with_first
def labels(sheet: Sheet, names: tuple[str, ...], letters: int) -> tuple[Label, ...]:
    """Every area's number, of so many letters at most, and its name where no title says it."""
    found: list[Label] = []
    taken: list[Box] = []
    rings = [_rings(area) for area in sheet.areas]
    for i, area in enumerate(sheet.areas):
        short = _short_name(names, i, [j for j, a in enumerate(sheet.areas)
                                       if a.frame == area.frame])
        inside = _inside(area, i, rings[i], _forms(names[i], short), letters)
        found += [inside] if inside else []
        if not area.named or (inside and inside.words):
            continue
        near = [r for r, a in zip(rings, sheet.areas, strict=True) if a.frame == area.frame]
        beside = _beside(area, i, near, short, 0 if inside else letters, taken)
        found += [beside] if beside else []
    return tuple(found)


def _forms(name: str, short: str) -> list[tuple[tuple[str, ...], int]]:
    """Ways to write a name and their sizes, the best first: in full, in short, in small."""
    plain = name.split(",")[0]
    ways = [(plain, _LARGE, (14, 11, 9)), (short, _LARGE, (20, 12, 9)), (short, _SMALL, (20, 9))]
    found = []
    for text, size, widths in ways:
        for width in widths:
            lines = tuple(
                line.replace("– ", "–")
                for line in textwrap.wrap(
                    text.replace("–", "– "), width, break_long_words=False)
            )
            if (lines, size) not in found:
                found.append((lines, size))
    return found


def _short_name(names: Sequence[str], own: int, neighbours: Sequence[int]) -> str:
    """The first place in a name, or its part in brackets where neighbours have that in common."""
    first = _first(names[own])
    if [_first(names[j]) for j in neighbours].count(first) == 1 or "(" not in names[own]:
        return first
    part = names[own].split("(")[1].split(")")[0].split("–")[0]
    return part if part[:1].isupper() else f"{first} {part}"


def _first(name: str) -> str:
    return name.split(",")[0].split("(")[0].split("–")[0].strip() or name


def _rings(area: Placed) -> list[tuple[Line, Line]]:
    cuts = np.flatnonzero(np.isnan(area.x))
    return [
        (x[~np.isnan(x)], y[~np.isnan(y)])
        for x, y in zip(np.split(area.x, cuts), np.split(area.y, cuts), strict=True)
    ]


def _inside(
    area: Placed, number: int, rings: Sequence[tuple[Line, Line]],
    forms: Sequence[tuple[tuple[str, ...], int]], letters: int,
) -> Label | None:
    """The best form that lies within the area, as near to its middle as it does."""
    away = np.hypot(area.click_x - area.label[0], area.click_y - area.label[1])
    order = np.argsort(away, kind="stable")[:_PLACES]
    for words, size in [*(forms if area.named else ()), ((), _LARGE), ((), _SMALL)]:
        x, y = _outline([*(len(line) for line in words), letters], size)
        at_x = np.add.outer(area.click_x[order], x)
        at_y = np.add.outer(area.click_y[order], y)
        free = within(rings, at_x.ravel(), at_y.ravel()).reshape(at_x.shape).all(axis=1)
        if free.any():
            best = order[int(np.argmax(free))]
            spot = float(area.click_x[best]), float(area.click_y[best])
            return Label(number, *spot, words, True, size)
    return None


def _outline(lines: Sequence[int], size: int) -> tuple[np.ndarray, np.ndarray]:
    """Points around lines of so many letters about their middle, in sheet units."""
    high = _LINE * size / _PIXELS
    x, y = [], []
    for row, letters in enumerate(lines):
        half = _LETTER * size * letters / 2 / _PIXELS
        top = high * (len(lines) / 2 - row)
        for level in (top - 0.1 * high, top - 0.9 * high):
            x += [-half, -half / 2, 0.0, half / 2, half]
            y += [level] * 5
    return np.array(x), np.array(y)


def _beside(
    area: Placed, number: int, near: Sequence[Sequence[tuple[Line, Line]]], short: str,
    letters: int, taken: list[Box],
) -> Label | None:
    """The short name, and the number if that is not within, where neither shapes nor words are."""
    forms = list(dict.fromkeys(
        tuple(textwrap.wrap(short, width, break_long_words=False)) for width in (20, 12, 8)))
    tries = [(said, spot, lines) for said in dict.fromkeys((letters, 0))
             for spot in _spots(area) for lines in forms]
    for said, (side, x, y), lines in tries:
        wide = _LETTER * _SMALL * max([said, *(len(line) for line in lines)]) / _PIXELS
        high = _LINE * _SMALL * (len(lines) + (said > 0)) / _PIXELS
        left = x if side == "right" else x - wide
        box = (left, y - high / 2, left + wide, y + high / 2)
        if _is_free(box, area.frame, near, taken):
            taken.append(box)
            return Label(number, x, y, lines, said > 0, _SMALL, side)
    return None


def _spots(area: Placed) -> Iterator[tuple[str, float, float]]:
    """Right and left of the area, from its middle outwards."""
    for shift in (0.0, 10.0, -10.0, 20.0, -20.0, 30.0, -30.0, 40.0, -40.0):
        level = area.label[1] + shift
        rows = np.abs(area.y - level) < 20
        if rows.any():
            yield "right", float(np.nanmax(area.x[rows])) + 4, level
            yield "left", float(np.nanmin(area.x[rows])) - 4, level


def _is_free(
    box: Box, frame: Box, near: Sequence[Sequence[tuple[Line, Line]]], taken: Sequence[Box]
) -> bool:
    left, low, right, high = box
    if left < frame[0] or right > frame[2] or low < frame[1] - 10 or high > frame[3] + 10:
        return False
    if any(left < r and l < right and low < h and b < high for l, b, r, h in taken):  # noqa: E741
        return False
    x, y = (g.ravel() for g in np.meshgrid(np.linspace(left, right, 9), np.linspace(low, high, 5)))
    return not any(within(rings, x, y).any() for rings in near)

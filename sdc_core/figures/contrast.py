"""Colours that can be seen and read: text on a page, text on a bar, the rim of a mark.

WCAG 2 asks 4.5 of text and 3 of marks, (L + 0.05) / (L' + 0.05) with the relative luminance L. A
drawing does not know whether its page is light or dark: a rim has contrast enough on both, which
no text can have. So text is drawn as it is read on white, and a dark page changes its colours
by this table.
"""

from __future__ import annotations

import colorsys
import functools

Hex = str  # a colour of ours, as #12161D: they are few, so what is found for them is kept
LIGHT_PAGE, DARK_PAGE = "#FFFFFF", "#12161D"
TEXT, MARK = 4.5, 3.0
_LETTERS = ("#FFFFFF", "#101318")
_STEPS = 400


def contrast(one: Hex, other: Hex) -> float:
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: Hex) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (
        p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@functools.cache
def ink(color: Hex, page: Hex = LIGHT_PAGE) -> Hex:
    """The colour as text on the page: itself, or darker or lighter until it can be read."""
    return _nearest(color, TEXT, (page,))


@functools.cache
def rim(color: Hex) -> Hex:
    """What a mark of the colour is outlined with to be seen on either page: mostly itself."""
    return _nearest(color, MARK, (LIGHT_PAGE, DARK_PAGE))


def ink_on(color: Hex) -> Hex:
    """Letters on a bar: light or dark, whichever is read better."""
    return max(_LETTERS, key=lambda letters: contrast(letters, color))


def _nearest(color: Hex, wanted: float, pages: tuple[Hex, ...]) -> Hex:
    """The lightness closest to the colour's own at which it stands out from all pages."""
    hue, lightness, strength = colorsys.rgb_to_hls(
        *(int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)))
    for step in range(_STEPS):
        for other in (lightness + step / _STEPS, lightness - step / _STEPS):
            found = _hex(hue, min(max(other, 0.0), 1.0), strength) if step else color
            if all(contrast(found, page) >= wanted for page in pages):
                return found
    raise ValueError(f"No lightness of {color} stands out from {pages}.")


def _hex(hue: float, lightness: float, strength: float) -> Hex:
    parts = colorsys.hls_to_rgb(hue, lightness, strength)
    return "#" + "".join(f"{round(255 * part):02X}" for part in parts)

"""How numbers, lists and names are written in a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence


class Sentences(str):
    """Several sentences as one text that still knows its parts; empty ones are left out."""

    parts: tuple[str, ...]

    def __new__(cls, *given: str) -> Sentences:
        parts = tuple(part for part in given if part)
        made = super().__new__(cls, " ".join(parts))
        made.parts = parts or ("",)
        return made


def sensible(number: float) -> str:
    """A number with the digits a reader can use: 763, 4.2, 0.36, 3e-4."""
    if not math.isfinite(number):
        return "∞" if number > 0 else "−∞"
    size = abs(number)
    if size == 0:
        return "0"
    if size < 0.001:
        mantissa, exponent = f"{number:.0e}".split("e")
        return f"{mantissa}e{int(exponent)}".replace("-", "−", 1 if number < 0 else 0)
    digits = 0 if size >= 99.95 else 1 if size >= 9.995 else 2 if size >= 0.1 else 3
    text = f"{number:,.{digits}f}"
    if digits:
        text = text.rstrip("0").rstrip(".")
    return text.replace("-", "−")


def counted(number: float | str, one: str = "person", many: str = "people") -> str:
    """`1 person`, `0.5 people`, `7,634 groups`: a number, or how it is written, with its noun."""
    said = number if isinstance(number, str) else sensible(number)
    return f"{said} {one if said == '1' else many}"


NO_LIMIT = 1e6  # odds that may move by this factor: one in a million becomes one in two
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def odds_factor(epsilon: float) -> str:
    """e^ε in words: 10%, a factor of 2.7, of 55, of 3 million, of 3 × 10⁴³."""
    decades = epsilon / math.log(10)
    if decades < math.log10(NO_LIMIT):
        factor = math.exp(epsilon)
        return f"{sensible(100 * (factor - 1))}%" if factor < 1.5 else (
            f"a factor of {sensible(factor)}")
    for power, word in ((6, "million"), (9, "billion"), (12, "trillion")):
        if decades < power + 3:
            return f"a factor of {sensible(10 ** (decades - power))} {word}"
    if math.isinf(decades):
        return "any factor"
    exponent = math.floor(decades)
    digit = round(10 ** (decades - exponent))
    if digit == 10:
        digit, exponent = 1, exponent + 1
    times = "" if digit == 1 else f"{digit} × "
    return f"a factor of {times}10{str(exponent).translate(_RAISED)}"


def listed(names: Sequence[str], most: int | None = None) -> str:
    """`a`, `a and b`, `a, b and c`; above `most` names the first few and how many more."""
    if most is not None and len(names) > most:
        return f"{', '.join(names[: most - 1])} and {len(names) - most + 1} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def lowered(title: str) -> str:
    """A title inside a sentence; a name in capitals stays as it is."""
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]


def at_the_start(words: str) -> str:
    """What begins a sentence: `hiding small counts` becomes `Hiding small counts`. Of k-anonymity,
    ε and other symbols the first letter stays as it is."""
    symbol = words[1:2] in ("-", "") or not words[0].isascii()
    return words if symbol else words[0].upper() + words[1:]


def points(share: float) -> str:
    """A difference of shares: `0.4 points`, `1 point`."""
    number = sensible(round(100 * share, 1))
    return f"{number} point{'' if number == '1' else 's'}"


def size_text(value: float) -> str:
    """A number for a map: whole from ten on, since nobody reads tenths of a person there, and
    hundredths below."""
    if abs(value) >= 9.995:
        return sensible(round(value))
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text.replace("-", "−")


def signed_text(value: float) -> str:
    text = size_text(value)
    return f"+{text}" if value > 0 and text != "0" else text


def percent(share: float, decimals: int | None = None) -> str:
    """A share: `53%`, `0.36%`, with the digits a reader can use or with a fixed number of decimals.

    Whole per cents give way to finer ones where they would say that nothing or everything is left.
    """
    if math.isnan(share):
        return "–"
    sensibly = f"{sensible(100 * share)}%"
    if decimals is None:
        return sensibly
    fixed = f"{100 * share:.{decimals}f}%"
    return sensibly if decimals == 0 and fixed in ("0%", "100%") and 0 < share < 1 else fixed


def in_words(number: float) -> str:
    """A large number that can be read aloud: `258`, `23,302`, `285 thousand`, `1.4 billion`."""
    for power, word in ((12, "trillion"), (9, "billion"), (6, "million"), (3, "thousand")):
        if number >= max(10.0**power, 1e5) * 0.9995:
            return f"{sensible(float(f'{number / 10**power:.3g}'))} {word}"
    return sensible(number)

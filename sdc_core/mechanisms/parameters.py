"""Parameters: one declaration gives validation, error text, widget, URL key and axis label."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from sdc_core.errors import InputError
from sdc_core.mechanisms import hierarchy


def short_number(value: float) -> str:
    """`1`, `0.25`, `1.4e-6`: all digits that a setting has, and no more."""
    mantissa, e, exponent = f"{value:g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


@dataclass(frozen=True)
class Param:
    """A parameter: what it may be, what it means, and how it likes to be shown.

    `low` and `high` are the values the mathematics allows (`closed` says which ends belong);
    `slider` is the part of that range a person would want to drag through.
    """

    name: str
    title: str
    symbol: str
    help: str
    default: Any
    kind: Literal["real", "integer", "choice", "flag", "features", "hierarchies"]
    low: float = -math.inf
    high: float = math.inf
    closed: Literal["both", "neither", "left", "right"] = "both"
    slider: tuple[float, float] | None = None
    log: bool = False
    percent: bool = False  # a share, shown as a percentage
    unit: str = ""
    choices: tuple[str, ...] = ()
    choice_titles: tuple[str, ...] = ()
    tag: str = ""  # what a name says where a setting is not as usual
    example: str = ""  # of a text
    advanced: bool = False  # rarely changed: shown with the options, not among the sliders
    stronger: Literal["down", "up", ""] = ""  # the direction in which it protects more

    @property
    def numeric(self) -> bool:
        return self.kind in ("real", "integer")

    @property
    def axis_title(self) -> str:
        if self.percent:
            return self.title
        unit = f", {self.unit}" if self.unit else ""
        return f"{self.title} ({self.symbol}{unit})" if self.symbol else f"{self.title}{unit}"

    def field(self, default: Any = None) -> Any:
        """The dataclass field that carries this declaration."""
        chosen = self if default is None else dataclasses.replace(self, default=default)
        return dataclasses.field(default=chosen.default, metadata={"param": chosen})

    def short(self, value: float) -> str:
        """`ε=1`, `δ=1e-6`, `25%`: the value in a legend."""
        if self.percent:
            return f"{100 * value:g}%"
        return f"{self.symbol}={short_number(value)}"

    def choice_title(self, choice: str) -> str:
        return dict(zip(self.choices, self.choice_titles, strict=True)).get(choice, choice)

    def validate(self, value: Any) -> Any:
        """The value in its right type, or an InputError that says what would be right."""
        if self.kind == "choice":
            if value not in self.choices:
                raise InputError(
                    f"{self.name} must be one of {', '.join(self.choices)}, got {value!r}."
                )
            return value
        if self.kind == "flag":
            return self._flag(value)
        if self.kind == "features":
            return self._features(value)
        if self.kind == "hierarchies":
            if not isinstance(value, str):
                raise InputError(
                    f"{self.name} must be a text such as {self.example!r}, got {value!r}."
                )
            return hierarchy.normal_text(value)
        return self._number(value)

    def _features(self, value: Any) -> tuple[str, ...]:
        """Names of columns, as a list or as one text with commas."""
        names = value.split(",") if isinstance(value, str) else value
        try:
            found = tuple(str(name).strip() for name in names)
        except TypeError:
            raise InputError(f"{self.name} must be a list of features, got {value!r}.") from None
        if self.low > 0 and not any(found):
            raise InputError(
                f"{self.name} must name at least one feature. Try {','.join(self.default)}."
            )
        if len(set(found)) < len(found):
            raise InputError(f"{self.name} names a feature twice: {', '.join(found)}.")
        return tuple(name for name in found if name)

    def _flag(self, value: Any) -> bool:
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        if isinstance(value, str) and value.lower() in words:
            return words[value.lower()]
        raise InputError(f"{self.name} must be true or false, got {value!r}.")

    def _number(self, value: Any) -> float | int:
        remedy = f"Try {self.default:g}."
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise InputError(f"{self.name} must be a number, got {value!r}. {remedy}") from None
        above = number >= self.low if self.closed in ("both", "left") else number > self.low
        below = number <= self.high if self.closed in ("both", "right") else number < self.high
        if not (above and below):  # also refuses NaN
            raise InputError(f"{self.name} must be in {self.interval}, got {value}. {remedy}")
        if self.kind == "integer":
            if number != int(number):
                raise InputError(f"{self.name} must be a whole number, got {value}. {remedy}")
            return int(number)
        return number

    @property
    def interval(self) -> str:
        left = "[" if self.closed in ("both", "left") else "("
        right = "]" if self.closed in ("both", "right") else ")"
        return f"{left}{self.low:g}, {self.high:g}{right}"


EPSILON = Param(
    name="epsilon", title="Privacy loss", symbol="ε", kind="real", default=1.0,
    low=0.001, high=100.0, slider=(0.05, 20.0), log=True, stronger="down",
    help="How far the odds of any outcome may move when one person's record changes: by a "
    "factor of at most e^ε. At ε = 0.1 odds move by 10%; at ε = 1 by 2.7 times; at ε = 4 by 55 "
    "times. Smaller is more private and less accurate.",
)
THRESHOLD = Param(
    name="k", title="Smallest count published", symbol="k", kind="integer", default=6,
    low=1, high=1000, slider=(2, 30), unit="people", stronger="up",
    help="Groups with fewer than k people are hidden and replaced by one fixed number, about "
    "k/2. Statistical offices commonly use 3 to 10.",
)

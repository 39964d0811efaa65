"""Parameters: one declaration gives validation, error text, widget, URL key and axis label.

A kind of parameter is a class: it knows which values it may have, how they are written as text (in
a link, on the command line), what a legend says about them, and which widget a person would like.
The widgets are descriptions (`Slider`, `Steps`, ...); whoever shows them draws them. A mechanism's
parameters and a question's own controls are declared alike.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol
from urllib.parse import quote, unquote

import numpy as np

from sdc_core.errors import InputError
from sdc_core.whole_file import read_whole


def short_number(value: float) -> str:
    """`1`, `0.25`, `1.4e-6`: all digits that a setting has, and no more."""
    mantissa, e, exponent = f"{value:g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


@dataclass(frozen=True)
class Slider:
    """Drag through a range in even steps."""

    low: float
    high: float
    step: float
    percent: bool = False


@dataclass(frozen=True)
class Steps:
    """Drag through given values; `say` is how each is written."""

    values: tuple[float, ...]
    say: Callable[[float], str]


@dataclass(frozen=True)
class Number:
    """Type a number; where it may be left empty, `placeholder` says what holds then."""

    low: float
    high: float
    step: float
    placeholder: str = ""
    format: str | None = None


@dataclass(frozen=True)
class OneOf:
    """Choose one: from a menu, or from segments that all stand there."""

    options: tuple[str, ...]
    titles: Mapping[str, str]
    segments: bool = False
    label_hidden: bool = False


@dataclass(frozen=True)
class ManyOf:
    """Choose any number."""

    options: tuple[str, ...]
    titles: Mapping[str, str]
    placeholder: str = ""


@dataclass(frozen=True)
class Toggle:
    """On or off."""


@dataclass(frozen=True)
class TextBox:
    """Several lines of text."""

    example: str


@dataclass(frozen=True)
class Upload:
    """Give a file of one of these types; `note` says what it is for."""

    types: tuple[str, ...]
    note: str


Widget = Slider | Steps | Number | OneOf | ManyOf | Toggle | TextBox | Upload


class Axis(Protocol):
    """What a parameter looks at in a feature that it may name."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def role(self) -> str: ...


class Salvaged(NamedTuple):
    """What can be made of a text that may not fit: a value, and what was wrong, a sentence each."""

    value: Any
    problems: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Param(ABC):
    """A parameter: what it may be, what it means, and how it likes to be shown."""

    name: str
    title: str
    default: Any
    symbol: str = ""
    help: str = ""
    unit: str = ""
    tag: str = ""  # what a name says where a setting is not as usual; `{}` is the chosen title
    advanced: bool = False  # rarely changed: shown with the options, not among the sliders
    of_study: bool = False  # one setting for all methods (see Study), so no card asks for it
    stronger: Literal["down", "up", ""] = ""  # the direction in which it protects more

    numeric = False  # does it have a place on an axis?
    linked = True  # can a text in a link say it? (a file cannot)

    @abstractmethod
    def validate(self, value: Any) -> Any:
        """The value in its right type, or an InputError that says what would be right. A text is
        read as a link or the command line writes it."""

    @abstractmethod
    def widget(self, value: Any) -> Widget:
        """What to draw while this value is chosen."""

    @property
    @abstractmethod
    def allowed(self) -> str | list[str]:
        """Which values it takes, for a list of parameters."""

    def text(self, value: Any) -> str:
        """The value as a link writes it."""
        return str(value)

    def words(self, value: Any) -> str:
        """The value as a reader is told it."""
        return self.text(value)

    def salvage(self, text: str) -> Salvaged:
        """The value that a link means; where it means none, the default and the reason."""
        try:
            return Salvaged(self.validate(text), ())
        except InputError as problem:
            return Salvaged(self.default, (str(problem),))

    def fits(self, value: Any) -> bool:
        """Is this a value it may have? Options may have changed since it was chosen."""
        try:
            self.validate(value)
        except InputError:
            return False
        return True

    def carried_over(self, value: Any) -> Any:
        """What becomes of an earlier choice when the options have changed."""
        return value if self.fits(value) else self.default

    def from_argument(self, text: str) -> str:
        """What the command line gives, as text (it may name a file to be read)."""
        return text

    def offered(self, features: Sequence[Axis]) -> Param:
        """The parameter on a table with these features."""
        return self

    def in_name(self, value: Any) -> str:
        """What a mechanism's name says about a setting that is not as usual."""
        return ""

    @property
    def axis_title(self) -> str:
        unit = f", {self.unit}" if self.unit else ""
        return f"{self.title} ({self.symbol}{unit})" if self.symbol else f"{self.title}{unit}"

    def field(self, default: Any = None) -> Any:
        """The dataclass field that carries this declaration."""
        chosen = self if default is None else dataclasses.replace(self, default=default)
        return dataclasses.field(default=chosen.default, metadata={"param": chosen})


@dataclass(frozen=True, kw_only=True)
class Real(Param):
    """A number. `low` and `high` are what the mathematics allows (`closed` says which ends belong);
    `slider` is the part of that range a person would want to drag through."""

    low: float = -math.inf
    high: float = math.inf
    closed: Literal["both", "neither", "left", "right"] = "both"
    slider: tuple[float, float] | None = None
    log: bool = False
    percent: bool = False  # a share, shown as a percentage

    numeric = True

    @property
    def axis_title(self) -> str:
        return self.title if self.percent else super().axis_title

    @property
    def range(self) -> tuple[float, float]:
        """Where a person drags."""
        return self.slider or (self.low, self.high)

    def short(self, value: float) -> str:
        """`ε=1`, `δ=1e-6`, `25%`: the value in a legend."""
        return f"{100 * value:g}%" if self.percent else f"{self.symbol}={short_number(value)}"

    def validate(self, value: Any) -> float | int:
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"{self.name} must be a number, got {value!r}. {self._remedy}"
            ) from None
        above = number >= self.low if self.closed in ("both", "left") else number > self.low
        below = number <= self.high if self.closed in ("both", "right") else number < self.high
        if not (above and below):  # also refuses NaN
            raise InputError(f"{self.name} must be in {self.allowed}, got {value}. {self._remedy}")
        return number

    @property
    def _remedy(self) -> str:
        return f"Try {self.default:g}."

    @property
    def allowed(self) -> str:
        left = "[" if self.closed in ("both", "left") else "("
        right = "]" if self.closed in ("both", "right") else ")"
        return f"{left}{self.low:g}, {self.high:g}{right}"

    def text(self, value: Any) -> str:
        """Short where that is the same number, so that a link gives back every bit."""
        short = f"{value:.10g}"
        return short if float(short) == value else repr(float(value))

    def words(self, value: Any) -> str:
        if self.percent:
            return f"{100 * value:g}%"
        unit = "" if not self.unit else self.unit if self.unit == "%" else f" {self.unit}"
        return f"{value:,.10g}{unit}"

    def points(self, number: int) -> tuple[float | int, ...]:
        """Values to draw a curve through: evenly on the parameter's own scale."""
        spaced = np.geomspace if self.log else np.linspace
        return tuple(float(f"{v:.4g}") for v in spaced(*self.range, number))

    def widget(self, value: Any) -> Widget:
        low, high = self.range
        if self.log:
            return Steps(_round_steps(low, high, value), short_number)
        return Slider(min(low, value), max(high, value), (high - low) / 98, self.percent)


@dataclass(frozen=True, kw_only=True)
class Integer(Real):
    """A whole number."""

    def validate(self, value: Any) -> int:
        number = super().validate(value)
        if number != int(number):
            raise InputError(
                f"{self.name} must be a whole number, got {value}. {self._remedy}"
            )
        return int(number)

    def text(self, value: Any) -> str:
        return str(value)

    def points(self, number: int) -> tuple[float | int, ...]:
        return tuple(sorted({round(v) for v in np.linspace(*self.range, number)}))

    def widget(self, value: Any) -> Widget:
        low, high = self.range
        return Slider(int(min(low, value)), int(max(high, value)), 1)


@dataclass(frozen=True, kw_only=True)
class Percentage(Real):
    """A share in per cent on a slider that is as fine near 100 as near 0: its steps are about even
    in the odds."""

    def widget(self, value: Any) -> Widget:
        ends = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15)
        middle = (20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80)
        every = {float(v) for v in (*ends, *middle, *(round(100 - v, 4) for v in ends), value)}
        return Steps(tuple(sorted(v for v in every if self.low <= v <= self.high)),
                     lambda v: f"{v:g}%")

    def words(self, value: Any) -> str:
        return f"{value:g}%"


@dataclass(frozen=True, kw_only=True)
class Typed(Real):
    """A number to be typed."""

    step: float = 1.0
    format: str | None = None

    def widget(self, value: Any) -> Widget:
        return Number(float(self.low), float(self.high), float(self.step), format=self.format)


@dataclass(frozen=True, kw_only=True)
class TypedInteger(Integer):
    """A whole number to be typed."""

    def widget(self, value: Any) -> Widget:
        return Number(int(self.low), int(self.high), 1)


@dataclass(frozen=True, kw_only=True)
class IntegerOrAuto(TypedInteger):
    """A whole number, or nothing typed (None): then it is read off the data. `otherwise` says
    what that comes to."""

    default: int | None = None
    otherwise: str = ""

    def validate(self, value: Any) -> Any:
        return None if value is None or value == "auto" else super().validate(value)

    @property
    def _remedy(self) -> str:
        return f"Try {self.low:g}, or leave it empty."

    def text(self, value: Any) -> str:
        return "auto" if value is None else str(value)

    def words(self, value: Any) -> str:
        return "read off the data" if value is None else super().words(value)

    def widget(self, value: Any) -> Widget:
        return Number(int(self.low), int(self.high), 1, self.otherwise)


@dataclass(frozen=True, kw_only=True)
class Choice(Param):
    """One of several; `titles` are the words for them where the name is not enough."""

    choices: tuple[str, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict, hash=False)
    segments: bool = False
    label_hidden: bool = False

    def validate(self, value: Any) -> str:
        if not isinstance(value, str) or value not in self.choices:
            raise InputError(
                f"{self.name} must be one of {', '.join(self.choices)}, got {value!r}."
            )
        return value

    @property
    def allowed(self) -> list[str]:
        return list(self.choices)

    def in_name(self, value: Any) -> str:
        title = self.words(value)
        return "" if value == self.default else (self.tag or "{}").format(title)

    def words(self, value: Any) -> str:
        return self.titles.get(value, value)

    def widget(self, value: Any) -> Widget:
        return OneOf(self.choices, self.titles, self.segments, self.label_hidden)


@dataclass(frozen=True, kw_only=True)
class Flag(Param):
    """Yes or no."""

    def validate(self, value: Any) -> bool:
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
        if isinstance(value, str) and value.lower() in words:
            return words[value.lower()]
        raise InputError(f"{self.name} must be true or false, got {value!r}.")

    @property
    def allowed(self) -> list[str]:
        return ["false", "true"]

    def text(self, value: Any) -> str:
        return str(bool(value)).lower()

    def words(self, value: Any) -> str:
        return "yes" if value else "no"

    def in_name(self, value: Any) -> str:
        if value == self.default:
            return ""
        return self.tag or (self.title.lower() if value else f"not {self.title.lower()}")

    def widget(self, value: Any) -> Widget:
        return Toggle()


@dataclass(frozen=True, kw_only=True)
class Several(Param):
    """Any number of several, at least `least`. Without `choices` any name will do.

    On a table that has none of the usual features (`default`), those that have one of these `roles`
    are taken, up to `most` of them, the first role first. `spare` features are left to others.
    """

    default: tuple[str, ...] = ()
    choices: tuple[str, ...] | None = None
    titles: Mapping[str, str] = field(default_factory=dict, hash=False)
    least: int = 0
    placeholder: str = ""
    alters: bool = False  # are these the features that a mechanism changes, and only these?
    roles: tuple[str, ...] = ()
    most: int | None = None
    spare: int = 1

    def validate(self, value: Any) -> tuple[str, ...]:
        """Names, as a list or as one text with commas (`%2C` for a comma within a name)."""
        found = self._names(value)
        if len(found) < self.least:
            raise InputError(
                f"{self.name} must name at least one feature. Try {','.join(self.default)}."
            )
        if len(set(found)) < len(found):
            raise InputError(f"{self.name} names a feature twice: {', '.join(found)}.")
        unknown = self._unknown(found)
        if unknown:
            raise InputError(
                f"{self.name} has no {unknown[0]!r}. It has: {', '.join(self.choices or ())}."
            )
        return found

    def _names(self, value: Any) -> tuple[str, ...]:
        names = value.split(",") if isinstance(value, str) else value
        try:
            found = [str(name).strip() for name in names]
        except TypeError:
            raise InputError(f"{self.name} must be a list of features, got {value!r}.") from None
        if isinstance(value, str):
            found = [n if n in (self.choices or ()) else unquote(n) for n in found]
        return tuple(name for name in found if name)

    def _unknown(self, names: Iterable[str]) -> list[str]:
        return [n for n in names if self.choices is not None and n not in self.choices]

    @property
    def allowed(self) -> str | list[str]:
        return list(self.choices) if self.choices is not None else "features of the table"

    def text(self, value: Any) -> str:
        """Names as one text; commas within a name are quoted."""
        return ",".join(quote(v, safe=" /") for v in value)

    def words(self, value: Any) -> str:
        return ", ".join(self.titles.get(v, v) for v in value) or "none"

    def salvage(self, text: str) -> Salvaged:
        """Names that are known are kept, whatever stands beside them; of many that are not, the
        first are said."""
        wanted = tuple(dict.fromkeys(self._names(text)))
        unknown = dict.fromkeys(self._unknown(wanted))
        problems = [str(InputError(f"{self.name} has no {one!r} in this data set."))
                    for one in itertools.islice(unknown, _MOST_SAID)]
        if len(unknown) > _MOST_SAID:
            problems.append(f"{self.name} has {len(unknown) - _MOST_SAID:,} more names that are "
                            "not in this data set.")
        return Salvaged(tuple(n for n in wanted if n not in unknown), tuple(problems))

    def carried_over(self, value: Any) -> Any:
        left = tuple(n for n in value if n not in self._unknown(value))
        return left if left or not value else self.default

    def offered(self, features: Sequence[Axis]) -> Several:
        """With the table's features to choose from; the usual ones that it has, else by role, but
        not all of them, so that something stays as it is."""
        names = [f.name for f in features]
        usual = [n for n in self.default if n in names] or self._by_role(features)
        usual = usual[: max(self.least, len(names) - self.spare)]
        return dataclasses.replace(
            self, choices=tuple(names), titles={f.name: f.title for f in features},
            default=tuple(usual or names[: self.least]),
        )

    def _by_role(self, features: Sequence[Axis]) -> list[str]:
        able = [f for f in features if f.role in self.roles]
        able = sorted(able, key=lambda f: self.roles.index(f.role))[: self.most]
        return [f.name for f in features if f in able]

    def widget(self, value: Any) -> Widget:
        return ManyOf(self.choices or (), self.titles, self.placeholder)


@dataclass(frozen=True, kw_only=True)
class File(Param):
    """A file that is given; `read` makes of its name and content what the question works with.

    On the command line it is a path. A link cannot hold it.
    """

    default: Any = None
    types: tuple[str, ...] = ()
    note: str = ""
    read: Callable[[str, bytes], Any] = field(default=lambda name, content: content, hash=False)
    sets: Mapping[str, str] = field(default_factory=dict, hash=False)  # controls, by a new file

    linked = False

    def validate(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value  # read already, or nothing given
        try:
            content = read_whole(value, _MOST_BYTES)
        except (OSError, ValueError) as problem:
            reason = getattr(problem, "strerror", None) or "not a path"
            raise InputError(f"{self.name}: {value!r} cannot be read: {reason}.") from None
        return self.read(value, content)

    @property
    def allowed(self) -> str:
        return f"a file ({', '.join(self.types)})"

    def widget(self, value: Any) -> Widget:
        return Upload(self.types, self.note)


_MOST_BYTES = 200_000_000  # of a file that is given
_MOST_SAID = 3  # names in a link that are not there

# Steps within a decade: fine where a small change matters, and all the values people ask for.
_STEPS = (
    1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2, 2.2, 2.5, 2.8, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 9,
)


_ROUND = frozenset(float(f"{s}e{d}") for d in range(-15, 4) for s in _STEPS)


def _round_steps(low: float, high: float, current: float) -> tuple[float, ...]:
    """Round numbers from low to high on a log scale, and the current value wherever it is."""
    return tuple(sorted({v for v in _ROUND if low <= v <= high} | {low, high, float(current)}))


EPSILON = Real(
    name="epsilon", title="Privacy loss", symbol="ε", default=1.0,
    low=0.001, high=100.0, slider=(0.05, 20.0), log=True, stronger="down",
    help="How far the chance of any outcome may move when one person's record changes: by a "
    "factor of at most e^ε. At ε = 0.1 it moves by 10%; at ε = 1 by 2.7 times; at ε = 4 by 55 "
    "times. Smaller is more private and less accurate.",
)
THRESHOLD = Integer(
    name="k", title="Smallest count published", symbol="k", default=6,
    low=1, high=1000, slider=(2, 30), unit="people", stronger="up",
    help="Groups with fewer than k people are hidden and replaced by one fixed number, about "
    "k/2. Statistical offices commonly use 3 to 10.",
)

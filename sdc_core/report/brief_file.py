"""Brief: the answers that somebody wants to hand on, in order, with their own words.

A brief holds no number. It says which runs to ask again (see `questions/run_file.py`) and what the
author wrote; every number of every export comes from the answers. As a file it is JSON, and the
HTML export carries the same JSON, so that opening either restores everything. A file that somebody
gives is treated as hostile: nothing in it is evaluated, and what does not fit is one sentence.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sdc_core.data.schema import shortened
from sdc_core.errors import InputError
from sdc_core.questions.run_file import Run, no_constant, read_run
from sdc_core.version import __version__
from sdc_core.whole_file import read_whole

FORMAT = "sdc-brief"
VERSION = 1
MOST_PINS = 12
MOST_TEXT = 5_000  # characters of one text of the author's
MOST_BYTES = 30_000_000  # an HTML export brings the library that draws its charts
HEADLINE = ""  # the panel's name of a pin on the answer itself
CARRIER = "sdc-brief"  # the id of the element of an HTML export that holds the file
# What an author may write in place of what is computed, or (a recommendation) at all.
TEXTS = ("hurt", "promised", "limits", "recommendation")


@dataclass(frozen=True, eq=False)
class Pin:
    """One answer, or one of its panels. `words` are the author's, in place of the answer's own."""

    run: Run
    panel: str = HEADLINE
    words: str = ""

    @property
    def same(self) -> tuple[str, str]:
        """Two pins on the same thing say the same here."""
        return json.dumps(self.run.to_dict(), sort_keys=True), self.panel


@dataclass(frozen=True, eq=False)
class Brief:
    """`title`, the question it is about (`asked`), the pins in order, and the author's texts by the
    name of their section."""

    title: str = ""
    asked: str = ""
    pins: tuple[Pin, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.pins) > MOST_PINS:
            raise InputError(
                f"A brief has at most {MOST_PINS} answers, got {len(self.pins)}. Remove some."
            )
        for name, text in (("title", self.title), ("question", self.asked), *self.texts.items(),
                           *(("words of an answer", pin.words) for pin in self.pins)):
            if len(text) > MOST_TEXT:
                raise InputError(
                    f"In the brief, {name} has {len(text):,} characters; at most {MOST_TEXT:,} fit."
                )

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": FORMAT, "version": VERSION, "sdc_core": __version__, "title": self.title,
            "asked": self.asked, "texts": {k: v for k, v in self.texts.items() if v},
            "pins": [
                {"run": pin.run.to_dict(), "panel": pin.panel, "words": pin.words}
                for pin in self.pins
            ],
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"

    def carried(self) -> str:
        """The file as an element of an HTML page: no text in it can end the element."""
        text = json.dumps(self.to_dict(), ensure_ascii=False).replace("<", "\\u003c")
        return f'<script type="application/json" id="{CARRIER}">{text}</script>'

    @classmethod
    def from_text(cls, text: str) -> Brief:
        """What a brief's file says, or the HTML that was made of it; one sentence where it is
        neither."""
        if len(text) > MOST_BYTES:
            raise InputError(f"A brief has at most {MOST_BYTES / 1e6:.0f} MB.")
        carrier = re.search(
            rf'<script type="application/json" id="{CARRIER}">(.*?)</script>', text, re.DOTALL)
        try:
            given = json.loads(carrier[1] if carrier else text, parse_constant=no_constant)
        except (ValueError, RecursionError):
            raise InputError(
                "This is not a brief: neither its file nor the HTML made of it. Open one that the "
                "page Brief has saved."
            ) from None
        if not isinstance(given, dict) or given.get("format") != FORMAT:
            raise InputError(
                f"This is not a brief: it lacks \"format\": \"{FORMAT}\". Open one that the page "
                "Brief has saved."
            )
        if given.get("version") != VERSION:
            raise InputError(
                f"This brief has version {shortened(str(given.get('version')))}; this program "
                f"reads version {VERSION}."
            )
        return cls._from_dict(given)

    @classmethod
    def _from_dict(cls, given: dict[str, Any]) -> Brief:
        pins, texts = given.get("pins", []), given.get("texts", {})
        if not isinstance(pins, list) or not all(isinstance(pin, dict) for pin in pins):
            raise InputError("In the brief, pins must be a list of objects.")
        if not isinstance(texts, dict) or not set(texts) <= {*TEXTS}:
            raise InputError(f"In the brief, texts may be: {', '.join(TEXTS)}.")
        return cls(
            _text(given, "title"), _text(given, "asked"),
            tuple(
                Pin(Run.from_dict(_object(pin, "run")), _text(pin, "panel"), _text(pin, "words"))
                for pin in pins
            ),
            {name: _text(texts, name) for name in texts},
        )


def read_brief(paths: Sequence[str]) -> Brief:
    """The brief in a file, or one of saved runs in this order."""
    if len(paths) > 1 or paths[0].endswith(".run.json"):
        return Brief(pins=tuple(Pin(read_run(path)) for path in paths))
    try:
        return Brief.from_text(read_whole(paths[0], MOST_BYTES).decode())
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "not a text file"
        raise InputError(f"The brief {paths[0]!r} cannot be read: {reason}.") from None


def _text(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key, "")
    if not isinstance(value, str):
        raise InputError(
            f"In the brief, {key} must be a text, got {shortened(repr(value))}."
        )
    return value


def _object(given: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = given.get(key)
    if not isinstance(value, dict):
        raise InputError(f"In the brief, {key} must be an object, got {shortened(repr(value))}.")
    return value


def escaped(text: str) -> str:
    """The author's words as HTML; an empty line starts a paragraph."""
    parts = (html.escape(part.strip()) for part in re.split(r"\n\s*\n", text))
    return "".join(f"<p>{part}</p>" for part in parts if part)

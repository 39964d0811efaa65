"""Sentences with methods written short, so that what is said about them can be read in a test.

Pages say `hiding small counts (k = 6)`; in expected sentences that is `Suppression k=6`. What a
method is called in a sentence is tested where sentences are made, and in test_registry.
"""

from __future__ import annotations

import dataclasses
import functools
import re

import sdc_core as sdc
from sdc_core.questions.answer import Answer, Panel
from sdc_core.words.numbers import Sentences

_SETTINGS = r"(?: \(((?:[^()]|\([^()]*\))*)\))?"  # in brackets, which may have some in them
_IN_BRACKETS = ("small counts always hidden", "one noisy threshold")


def short(text: str) -> str:
    """`Hiding small counts (k = 6) leaves …` as `Suppression k=6 leaves …`."""
    for one in sorted(map(sdc.mechanism, _names()), key=lambda m: -len(m.doing)):
        first, rest = one.doing[0], re.escape(one.doing[1:])
        pattern = rf"\b[{first}{first.upper()}]{rest}\b{_SETTINGS}"
        text = re.sub(pattern, lambda found, title=one.title: _named(title, found[1]), text)
    return text


@functools.cache
def _names() -> list[str]:
    return [one.name for one in sdc.mechanisms()]


def _named(title: str, settings: str | None) -> str:
    parts = [part.replace(" = ", "=") for part in re.split(r", (?![^(]*\))", settings or "")]
    return " ".join([title, *(f"({p})" if p in _IN_BRACKETS else p for p in parts if p)])


def shortened(found: Answer) -> Answer:
    """The answer, its sentences and captions written short."""
    more = Sentences(*map(short, found.more.parts)) if isinstance(found.more, Sentences) else (
        short(found.more))
    return dataclasses.replace(
        found, headline=short(found.headline), more=more, panels=tuple(map(_panel, found.panels)),
    )


def _panel(panel: Panel) -> Panel:
    return dataclasses.replace(
        panel, title=short(panel.title), caption=short(panel.caption), alt=short(panel.alt),
        prose=tuple(map(short, panel.prose)),
    )

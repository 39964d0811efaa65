"""For how many people do the records stand that are one of a kind? Where the data have weights and
results are told in people represented."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from sdc_core.metrics.reidentification import UniqueMatches
from sdc_core.questions.answer import ColumnLook, Panel, TableView
from sdc_core.words.evaluations import with_error
from sdc_core.words.numbers import listed, sensible

_SHOWN = "records in the release"
_STAND_FOR = "people represented by those"


def represented_sentence(found: Sequence[UniqueMatches]) -> str:
    """`The 54 records that are one of a kind stand for 3,200 people, 59 each on average; ...`"""
    one = found[0]
    if not one.unique:
        return ""
    each = sensible(one.represented / one.unique)
    lone = one.unique == 1
    who = "The record that is one of a kind stands" if lone else (
        f"The {one.unique:,} records that are one of a kind stand")
    shown = listed([
        f"{with_error(m.expected_represented, m.represented_error)} after {m.mechanism.spoken()}"
        for m in found
    ])
    return (
        f"{who} for {one.represented:,.0f} people{'' if lone else f', {each} each on average'}; "
        f"{'what' if lone else 'those that'} the release shows stand{'s' * lone} for {shown}, on "
        "average over releases. Whoever is alone among the records of a sample need not be alone "
        "among all people."
    )


def represented_panel(found: Sequence[UniqueMatches], weighted: bool) -> Iterator[Panel]:
    if not weighted:
        return
    frame = pd.DataFrame([
        {
            "mechanism": m.mechanism.label(), "unique records": m.unique,
            "people represented": m.represented, _SHOWN: m.expected,
            _STAND_FOR: m.expected_represented, "standard error": m.represented_error,
        }
        for m in found
    ])
    looks = {name: ColumnLook(format="%.1f") for name in (_SHOWN, "standard error")}
    looks |= {name: ColumnLook(format="%.0f") for name in ("people represented", _STAND_FOR)}
    yield Panel(
        "represented", "For how many people do they stand?",
        "Matches are of records, here and above; each stands for as many people as its weight "
        "says.",
        TableView(frame, looks),
    )

"""Charts and tables of Three intruders."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from sdc_core.figures.bars import Panel, bars
from sdc_core.figures.reading_table import frame_table
from sdc_core.figures.theme import styles
from sdc_core.metrics.microdata import intruders
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.questions.intruders import words
from sdc_core.questions.intruders.compute import Attacked, Scene
from sdc_core.words.numbers import percent

_PANELS = (
    (words.CELL, "Knows a small cell", "right number read off, % of people who are alone"),
    (words.EXTREME, "Knows who has the largest value", "right number read off, % of releases"),
    (words.MEMBER, "Asks who is in the data", "tells somebody in from somebody not, % (50: guess)"),
)


def success_bars(found: Sequence[Attacked], alt: str) -> str:
    """One panel an intruder, one bar a method."""
    mechanisms = [one.mechanism for one in found if one.mechanism is not None]
    panels = [_panel([words.right(one, key) for one in found], title, note)
              for key, title, note in _PANELS]
    return bars(panels, [m.plain for m in mechanisms], styles(mechanisms), alt)


def _panel(shares: Sequence[OverReleases], title: str, note: str) -> Panel:
    means = [0.0 if math.isnan(s.mean) else 100 * s.mean for s in shares]
    errors = [100 * s.error if math.isfinite(s.error) else 0.0 for s in shares]
    texts = ["–" if math.isnan(s.mean) else percent(s.mean, 1) for s in shares]
    return Panel(title, note, means, errors, texts, 100.0)


def success_table(found: Sequence[Attacked]) -> pd.DataFrame:
    rows = []
    for one in found:
        row: dict[str, object] = {"method": one.label, "releases": len(one.membership.each)}
        for kind, shares in (("small cell", one.cells), ("extreme", one.extreme)):
            for outcome, share in shares.items():
                row[f"{kind}: {outcome} %"] = 100 * share.mean
            row[f"{kind}: right, standard error"] = 100 * shares["right"].error
        row["membership %"] = 100 * one.membership.mean
        row["membership, standard error"] = 100 * one.membership.error
        rows.append(row)
    return pd.DataFrame(rows)


def played(found: Sequence[Attacked], at: Scene, intruder: str, person: int) -> pd.DataFrame:
    """What the intruder reads off the first release of each method."""
    rows = []
    for one in found:
        if intruder == words.MEMBER:
            rows.append(_nearness(one, at, person))
            continue
        reading = (
            intruders.small_cell(at.members, one.first, at.known, person)
            if intruder == words.CELL else
            intruders.extreme(at.members, one.first, at.extreme, at.known.wanted))
        rows.append({
            "method": one.label, "records that match": reading.matches,
            "the intruder": words.outcome_text(reading), "truth": reading.truth,
        })
    return pd.DataFrame(rows)


def _nearness(one: Attacked, at: Scene, person: int) -> dict[str, object]:
    """How many people who are not in the data are closer to the release than this person?"""
    inside, outside = intruders.distances(at.members, at.others, one.first)
    closer = float((outside <= inside[person]).mean())
    return {
        "method": one.label, "closest record at": float(inside[person]),
        "people not in it who are as close %": 100 * closer,
        "the intruder": "is nearly sure" if closer < 0.05 else "cannot tell",
    }


def criteria_table(found: Sequence[Attacked]) -> str:
    return frame_table("Which method meets which of P4's criteria?", criteria(found))


def criteria(found: Sequence[Attacked]) -> pd.DataFrame:
    """P4's criteria (§6), a row a method: computed, but for how its parameter is understood."""
    return pd.DataFrame([
        {
            "method": one.label,
            "mixed data": words.mixed(one),
            "answers about small cells": words.answered(one.answered.mean),
            "keeps correlations": words.relations_kept(one),
            "A: small cells": words.verdict(one.cells["right"].mean),
            "B: extreme record": words.verdict(one.extreme["right"].mean),
            "C: who is in it": words.verdict(max(0.0, 2 * one.membership.mean - 1)),
            "a person can understand": one.mechanism.protection.how_much if one.mechanism else "",
        }
        for one in found
    ])

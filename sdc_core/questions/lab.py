"""What questions about single records share: which records and variables, and what is done with
them. One choice travels from page to page."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sdc_core.data import Dataset, Role
from sdc_core.data.microdata import measurable, microdata
from sdc_core.errors import InputError
from sdc_core.mechanisms.tail_coding import code_tails
from sdc_core.metrics.microdata.battery import Original, Task
from sdc_core.metrics.microdata.prediction import kept_out
from sdc_core.parameters import Choice, Several
from sdc_core.questions.answer import Notice
from sdc_core.questions.question import Given
from sdc_core.words.numbers import listed

MOST_RECORDS = 2000  # all are compared with all, again and again
MOST_VARIABLES = 16
_CATEGORIES, _LEVELS = 4, 8  # of a suggestion: so many categories, each with at most so many values
_LEAST = 10  # records
_DRAW = 2024  # which records are taken hangs on nothing that a reader moves


def variables(given: Given) -> Several:
    """Numbers, and categories with few values."""
    names = measurable(given.dataset)
    return Several(
        name="lab_vars", title="Variables", default=_suggested(given.dataset, names),
        choices=names, titles=_titles(given.dataset), least=2, most=MOST_VARIABLES,
        help="What the records hold: all of it is protected, and an intruder may know any of it. "
        "Numbers stay numbers; no bins are made of them.",
    )


def problem(given: Given) -> str:
    """Why nothing can be said about these records, if so."""
    if len(_numbers(given)) < 2:
        return ("This page is about records with numbers: choose at least two variables that are "
                "numbers, or other data.")
    try:
        found = original(given, "")
        found.points, found.numeric  # noqa: B018  (say so where there are none)
    except InputError as why:
        return str(why)
    return ""


def outcome(given: Given) -> Choice | None:
    numbers = _numbers(given)
    if len(numbers) < 2:
        return None
    wanted = [n for n in numbers if given.dataset.column(n).role is Role.SENSITIVE]
    return Choice(
        name="lab_outcome", title="An analyst explains", default=(wanted or numbers[-1:])[0],
        choices=tuple(numbers), titles=_titles(given.dataset),
        help="The number that a regression explains by all other variables.",
    )


def coefficient(given: Given) -> Choice | None:
    if problem(given):
        return None
    found, data = original(given, ""), given.dataset
    of = [v for v in found.records.variables if v.name != given["lab_outcome"]]
    titles = {
        name: f"{v.title}: {label}" if label else v.title
        for v in of for name, label in (
            [(v.name, "")] if v.numeric else
            [(f"{v.name}={e}", data.column(v.name).values.get(e, e)) for e in v.levels[1:]])
    }
    two = next((f"{v.name}={v.levels[1]}" for v in of if len(v.levels) == 2), found.inputs[0])
    return Choice(
        name="lab_coefficient", title="and looks at", default=two, choices=found.inputs,
        titles=titles,
        help="One coefficient of that regression: a wage gap, say. A category's is against its "
        "first value.",
    )


def original(
    given: Given, coefficient: str | None = None, tails: tuple[float, float] = (0.0, 0.0),
    tries: bool = False,
) -> Original:
    """The records that are protected, and what is done with them. Of these shares of the smallest
    and of the largest numbers the tails are cut off first; `tries`: some people are kept out of all
    releases, for a forest to be tried on."""
    chosen = given["lab_coefficient"] if coefficient is None else coefficient
    return given.work.kept(
        _original, given.dataset, tuple(given["lab_vars"]), given["lab_outcome"], chosen, tails,
        tries)


def _original(
    data: Dataset, names: tuple[str, ...], outcome: str, coefficient: str,
    tails: tuple[float, float] = (0.0, 0.0), tries: bool = False,
) -> Original:
    found = microdata(data, names)
    whole = np.flatnonzero(~np.isnan(found.values).any(axis=1))
    if len(whole) < _LEAST:
        raise InputError(
            f"There are only {len(data)} records, and {_LEAST} are needed here." if
            len(data) < _LEAST else
            f"Only {len(whole)} records have all of these variables; leave out one that is often "
            "missing."
        )
    tried = None
    if tries:
        learnt, out = kept_out(len(whole), _DRAW)
        whole, tried = whole[learnt], found.rows(whole[out])
    if len(whole) > MOST_RECORDS:
        drawn = np.random.default_rng(_DRAW).choice(len(whole), MOST_RECORDS, replace=False)
        whole = whole[np.sort(drawn)]
    records, (bottom, top) = found.rows(whole), tails
    coded = code_tails(records, top, bottom) if top or bottom else None
    return Original(records, Task(outcome, coefficient), coded, tried)


def about_records(given: Given, found: Original) -> Iterator[Notice]:
    """What was left out, and what that means."""
    tried = 0 if found.tried is None else len(found.tried)
    number, every = len(found.records), len(given.dataset)
    if same := [v.title for v in found.records.variables if v.name in found.scale.constant]:
        is_same = "is" if len(same) == 1 else "are"
        yield Notice(f"{listed(same)} {is_same} the same for everybody: nobody differs by it, and "
                     "nothing goes together with it.", "quiet", "filter_alt")
    if number == every:
        return
    known = given.work.kept(_whole, given.dataset, tuple(given["lab_vars"]))
    parts = [f"{known:,} of {every:,} records have all of these variables"] * (known < every)
    if tried:
        parts.append(f"{tried:,} are kept out of all releases, to try the random forest on")
    if number < known - tried:
        parts.append(
            f"{number:,} of {known - tried:,} are taken, drawn once at random, because all are "
            "compared with all; neighbours lie further apart than in the whole file")
    yield Notice(f"Records: {listed(parts)}.", "quiet", "filter_alt")


def _whole(data: Dataset, names: tuple[str, ...]) -> int:
    """How many records have all of these variables."""
    return int((~np.isnan(microdata(data, names).values).any(axis=1)).sum())


def _suggested(data: Dataset, names: tuple[str, ...]) -> tuple[str, ...]:
    numbers = [n for n in names if data.column(n).kind == "numeric"]
    few = [
        n for n in names if n not in numbers and data.column(n).role is Role.QUASI
        and 1 < len(data.feature(n)) <= _LEVELS
    ]
    kept = {*numbers, *few[:_CATEGORIES]}
    return tuple(n for n in names if n in kept)[:MOST_VARIABLES]


def _numbers(given: Given) -> list[str]:
    return [n for n in given["lab_vars"] if given.dataset.column(n).kind == "numeric"]


def _titles(data: Dataset) -> dict[str, str]:
    return {c.name: c.title for c in data.columns}

"""Who is put into groups that have nobody, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sdc_core.experiment import Evaluation
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Doing
from sdc_core.words.chance import STANDARD_ERRORS, differ, none_in
from sdc_core.words.evaluations import with_error
from sdc_core.words.groups import people_text
from sdc_core.words.numbers import at_the_start, listed, sensible

_NONE = 1e-9  # people: rounding
_SOME = 0.5  # people: fewer are hardly anybody
_ONE_WAY = 0.9  # of the error: then nearly all of it is people who are added


@dataclass
class _Done:
    """Methods by what they do to groups that have nobody."""

    adds: list[tuple[str, str]] = field(default_factory=list)  # with how many people
    evens: list[str] = field(default_factory=list)
    hardly: list[str] = field(default_factory=list)
    leaves: list[str] = field(default_factory=list)
    so_far: dict[int, list[str]] = field(default_factory=dict)  # left at 0, by releases drawn


def invented_sentence(table: Histogram, evaluations: Sequence[Evaluation]) -> str:
    """What is put into groups that have nobody, by whom."""
    empty = table.counts == 0
    groups = int(empty.sum())
    if not groups:
        return ""
    done = _Done()
    for one in evaluations:
        _sort(one, empty, done)
    said = "; ".join(_parts(done, groups, table.weighted))
    return at_the_start(f"{said}.")


def _sort(one: Evaluation, empty: NDArray[np.bool_], done: _Done) -> None:
    """Where a method belongs; what was drawn is judged by what its error leaves open."""
    def absolute(bias: NDArray[np.float64], error: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(error[empty].sum())

    label, error = one.mechanism.spoken(), float(one.absolute_error[empty].sum())
    unsure = float(one.error_of(absolute))
    one_way = one.invented > _ONE_WAY * error  # else what goes up and what goes down cancels
    if one_way and one.invented >= _SOME and differ(one.invented, one.invented_se, 0.0, 0.0):
        done.adds.append((label, with_error(one.invented, one.invented_se)))
    elif max(error, abs(one.invented)) <= _NONE and one.mechanism.does is not Doing.NOISE:
        if one.method == "exact":
            done.leaves.append(label)
        else:
            done.so_far.setdefault(one.repetitions, []).append(label)
    elif error + STANDARD_ERRORS * unsure < _SOME:
        done.hardly.append(label)
    elif error < _SOME and one_way:
        done.adds.append((label, with_error(error, unsure)))
    else:
        done.evens.append(f"{label} by {sensible(error / int(empty.sum()))}")


def _parts(done: _Done, groups: int, weighted: bool) -> Iterator[str]:
    """The groups are named where they come first, and are `there` and `them` from then on."""
    named = False
    there, them = (f"the {groups:,} groups that have nobody", "them") if groups > 1 else (
        "the one group that has nobody", "it")
    if done.adds:
        (label, number), *rest = done.adds
        yield ", ".join([
            f"on average {label} shows {people_text(number, weighted)} who {_do(number)} not "
            f"exist, in {there}",
            *(f"{label} shows {number} there" for label, number in rest),
        ])
        named = True
    if done.evens:
        where, each = "there" if named else f"in {there}", " each" * (groups > 1)
        are = "counts {} are" if groups > 1 else "the count {} is"
        yield f"{are.format(where)} off in both directions, {listed(done.evens)}{each}"
        named = True
    if done.hardly:
        where = "there" if named else f"into {there}"
        yield f"{listed(done.hardly)} {_s(done.hardly, 'put')} hardly anybody {where}"
        named = True
    if done.leaves:
        yield f"{listed(done.leaves)} {_s(done.leaves, 'leave')} {them if named else there} at 0"
        named = True
    for releases, labels in done.so_far.items():
        yield f"{listed(labels)} left {them if named else there} at 0 {none_in(releases)}"
        named = True


def _do(number: str) -> str:
    return "does" if number == "1" else "do"


def _s(labels: Sequence[str], verb: str) -> str:
    return f"{verb}s" if len(labels) == 1 else verb

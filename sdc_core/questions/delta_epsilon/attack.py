"""What an attack shows: audits of the chosen methods, and what they say in sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from sdc_core.auditing import FIRST, Audit, audit, neighbours
from sdc_core.auditing import Progress as Progress
from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import Choice
from sdc_core.privacy.guarantee import Facts, Guarantee
from sdc_core.questions.answer import Job, Panel, TableView
from sdc_core.questions.question import Given
from sdc_core.questions.work import about
from sdc_core.words.guarantees import delta_text
from sdc_core.words.numbers import at_the_start, listed, odds_factor, percent, sensible

NONE = "none"
JOB = "attack"  # the key of the job that attacks methods whose every release takes long
_TIMES_SLOWER = 8  # such a method is attacked with so many releases fewer
_NEARLY_ONE = 1 - 1e-9


def effort(given: Given) -> Choice:
    return Choice(
        name="attack", title="Attack", default=NONE, choices=(NONE, "4000", "32000"),
        titles={NONE: "none", "4000": "4,000 tries", "32000": "32,000 tries"},
        help="Draws releases of two small tables that differ in one person and tries to tell them "
        "apart. What it can do is a lower limit of what the method gives away. More tries only "
        "tighten it.",
    )


def granted(promise: Guarantee) -> float:
    """The δ at which ε is bounded: the true one where it is known exactly, else the published."""
    if promise.formal and not promise.is_bound:
        return min(promise.delta_tight, _NEARLY_ONE)
    return min(promise.delta_published or 0.0, _NEARLY_ONE)


def attacked(
    mechanism: Mechanism, table: Histogram, cap: int | None, tries: int, seed: int,
    covered: bool, progress: Progress | None = None,
) -> Audit:
    promise = mechanism.guarantee(table, cap=cap)
    return audit(
        mechanism, table, cap=cap, delta=granted(promise) if covered else 0.0, effort=tries,
        seed=seed, covered=covered, progress=progress,
    )


def audits(given: Given) -> tuple[list[Audit], list[str]]:
    """An audit a method, and one more where a promise leaves changes out; methods that take long
    wait for a click. Also, in a sentence each, which cannot be attacked here."""
    tries = given["attack"]
    if tries == NONE:
        return [], []
    found, refused, waiting = [], [], []
    for method in given.methods:
        number = max(FIRST, int(tries) // _TIMES_SLOWER) if method.slow else int(tries)
        for covered in (True, False):
            call = (method, given.table, given["cap"], number, given.seed, covered)
            if method.slow and not given.work.may_start(JOB) and not (
                    given.work.keep.holds(attacked, *call)):
                if method not in waiting:
                    waiting.append(method)
                continue
            try:
                words = f"{method.label()}: {number:,} tries"
                found.append(given.work.told(words, attacked, *call))
                given.work.releases_seen = max(given.work.releases_seen, found[-1].effort)
            except InputError as problem:
                refused += [f"{at_the_start(method.spoken())}: {problem}"] * covered
    if waiting:
        names = listed([method.title for method in waiting])
        number = max(FIRST, int(tries) // _TIMES_SLOWER)
        seconds = sum(_seconds(method, given, number) for method in waiting)
        given.work.wait_for(Job(
            JOB, f"Attack {names}", f"{names}: {number:,} tries take {about(seconds)}. Moving any "
            "control cancels.",
        ))
    return found, refused


def _seconds(method: Mechanism, given: Given, tries: int) -> float:
    """About how long it takes to attack a method."""
    facts = Facts.of(method.name, given.table, given["cap"], None, None, None)
    pairs = neighbours(method, facts)
    return sum(2 * tries * method.effort(pair.before).release for pair in pairs)


def attack_panel(found: Sequence[Audit], refused: Sequence[str]) -> Panel:
    """Where the attack is started, and what it found."""
    caption = (
        "Theorems say how much is given away at most, an attack how much at least: releases of two "
        "small tables that differ in one person are drawn, and somebody tries to tell them apart."
    )
    if found:
        caption += (
            " How well that goes is judged on releases that were not used before, at a confidence "
            f"of {percent(found[0].confidence)} for each method. A small number proves nothing: a "
            "better attack may find more."
        )
    said = [attack_sentence(one) for one in found]
    return Panel(
        "attack", "What an attack shows", caption,
        TableView(attack_summary(found)) if found else None,
        (lambda: attack_frame(found)) if found else None, alt=" ".join(said),
        prose=(*said, *refused), controls=("attack",),
    )


def attack_sentence(one: Audit) -> str:
    """What somebody who tries can tell, in plain words."""
    who, low = at_the_start(one.mechanism.spoken()), one.epsilon_low()
    where = one.tables.says
    if not one.tables.covered:
        where += "; the promise does not cover this"
    if one.certain:
        return (
            f"{who}: a single release tells two tables apart for sure ({where}), so no ε holds, "
            f"however large.{_broken(one)}"
        )
    if one.best.proven and one.best.p > 0:
        return (
            f"{who}: in at least {percent(one.best.p)} of releases it is certain from which of two "
            f"tables they come ({where}), so δ is at least {sensible(one.best.p)} whatever ε."
            f"{_broken(one)}"
        )
    slack = f", granted a slack of δ = {_delta(one)}" if one.delta > 0 else ""
    if low == 0:
        return (
            f"{who}: somebody who tried {one.effort:,} times could not tell two tables apart "
            f"({where}{slack}). That proves nothing: so few tries can show odds of "
            f"e^{sensible(one.most_shown)} at most, and may miss what gives a person away in fewer "
            f"than {percent(one.least_seen)} of releases."
        )
    allowed = "" if one.allowed is None else f" The promise allows e^{sensible(one.allowed)}."
    return (
        f"{who}: somebody who tried {one.effort:,} times could already tell two tables apart with "
        f"odds of at least e^{sensible(low)}, {_above_even(low)} ({where}{slack}).{allowed}"
        f"{_broken(one)}"
    )


def _above_even(epsilon: float) -> str:
    said = odds_factor(epsilon)
    return f"{said} above even" if said.endswith("%") else said


def _delta(one: Audit) -> str:
    return delta_text(one.delta, math.log1p(-one.delta))


def _broken(one: Audit) -> str:
    if not one.crosses:
        return ""
    g = one.promise
    printed = delta_text(g.delta_published or 0.0, g.log_rest_published or 0.0)
    chance = "" if one.certain else f", but for a chance of {percent(1 - one.confidence)}"
    return (
        f" So the published promise (ε = {sensible(one.published_epsilon or 0.0)}, δ = {printed}) "
        f"is broken{chance}."
    )


def attack_summary(found: Sequence[Audit]) -> pd.DataFrame:
    """What fits a page: at least, at most, and how much so many tries can show."""
    return pd.DataFrame([
        {
            "method": one.mechanism.plain_label(),
            "the attack shows": _shown(one),
            "promised": "nothing" if one.allowed is None else f"ε = {sensible(one.allowed)}",
            "slack granted, δ": "any below 1" if one.certain else _delta(one),
            "more than published": "yes" if one.crosses else "no",
            "covered by the promise": "yes" if one.tables.covered else "no",
            "tries": f"{one.effort:,}" if one.effort else "none needed",
            "can show at most": "–" if one.certain else f"ε = {sensible(one.most_shown)}",
        }
        for one in found
    ])


def _shown(one: Audit) -> str:
    if one.certain:
        return "no ε is enough"
    if one.best.proven and one.best.p > 0:
        return f"δ of at least {sensible(one.best.p)}"
    low = one.epsilon_low()
    return f"ε of at least {sensible(low)}" if low > 0 else "nothing"


def attack_frame(found: Sequence[Audit]) -> pd.DataFrame:
    """Every audit as a row."""
    rows = []
    for one in found:
        low, allowed = one.epsilon_low(), one.allowed
        rows.append({
            "mechanism": one.mechanism.plain_label(),
            "epsilon at least": low if math.isfinite(low) else None,
            "no epsilon suffices": "yes" if math.isinf(low) else "no",
            "at delta": None if one.certain else one.delta,  # at any below one
            "epsilon promised": allowed,
            "delta at least, at that epsilon": one.delta_low(allowed or 0.0),
            "delta_true": one.promise.delta_tight,
            "delta_true is": "upper bound" if one.promise.is_bound else "exact",
            "delta_published": one.promise.delta_published,
            "published bound broken": "yes" if one.crosses else "no",
            "the promise covers it": "yes" if one.tables.covered else "no",
            "tables": one.tables.says,
            "tries": one.effort,
            "confidence": 1.0 if one.certain else one.confidence,
            "told apart by": one.best.event,
        })
    return pd.DataFrame(rows)

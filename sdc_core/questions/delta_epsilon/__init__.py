"""δ versus ε: what does each method promise, as published and in truth?"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from sdc_core.auditing import Audit
from sdc_core.curves import Curve
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import EPSILON, Choice, Integer, IntegerOrAuto
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.privacy.units import Unit, converted
from sdc_core.questions import sources
from sdc_core.questions.answer import Answer, Notice, Panel
from sdc_core.questions.delta_epsilon import figures
from sdc_core.questions.delta_epsilon.attack import attack_panel, attack_sentence, audits, effort
from sdc_core.questions.delta_epsilon.compute import privacy_curve
from sdc_core.questions.delta_epsilon.lanes import shared
from sdc_core.questions.delta_epsilon.method import METHOD
from sdc_core.questions.delta_epsilon.words import (
    conversion_sentence,
    household_size_sentence,
    limit_sentences,
    missing_sentences,
    privacy_sentences,
    shared_line_sentence,
)
from sdc_core.questions.question import Control, Given, Question
from sdc_core.words.guarantees import exceeds_sentence, outside_sentences, published_text
from sdc_core.words.numbers import lowered


def largest(given: Given) -> int:
    return max(1, int(given.table.counts.max()))


def cap(given: Given) -> IntegerOrAuto:
    return IntegerOrAuto(
        name="cap", title="Largest count, B", low=1, high=10_000_000,
        otherwise=f"{largest(given):,}, from the data",
        help="The guarantee is the worst case over all tables with counts up to B. Leave it empty "
        "for the largest group in this data; a small B, such as 12, shows more of the curves.",
    )


def view(given: Given) -> Choice:
    return Choice(
        name="view", title="Show", default="delta", choices=("delta", "rest", "loss"),
        titles={
            "delta": "Slack, δ", "rest": "What is left, 1 − δ", "loss": "Larger loss, Pr[loss > ε]",
        },
        segments=True, label_hidden=True,
    )


def unit(given: Given) -> Choice:
    return Choice(
        name="unit", title="For whom, on this chart", default=Unit.PERSON.value,
        choices=tuple(one.value for one in Unit),
        titles={
            Unit.PERSON.value: "a person whose record changes",
            Unit.ADDED.value: "a person who is added or left out",
            Unit.HOUSEHOLD.value: "several people whose records change",
        },
        help="Two ε can be compared only if they are about the same change. Promises about another "
        "change are converted; each method's line below shows how.",
    )


def people(given: Given) -> Integer | None:
    if given["unit"] != Unit.HOUSEHOLD:
        return None
    known = given.dataset.largest_household
    read_off = f" The largest has {known} people, read off the data." if known else ""
    most = max(10, known or 0)
    start = max(2, known or 3)
    return Integer(
        name="together", title="How many people", symbol="h", default=start, low=2, high=most,
        slider=(2, most), help=f"Such as the members of one household.{read_off}",
    )


def promise(given: Given, method: Mechanism) -> Guarantee:
    return method.guarantee(given.table, cap=given["cap"])


def answer(given: Given) -> Answer:
    guarantees = [one.guarantee for one in given.chosen]
    headline, more = privacy_sentences(given.methods, guarantees)
    notices = []
    if given["cap"] is not None and given["cap"] < largest(given):
        notices.append(Notice(
            f"B = {given['cap']:,} is below the largest group of this data ({largest(given):,} "
            "people): what follows is about smaller tables than yours.", "quiet",
        ))
    if not given.chosen:
        return Answer(headline, more, notices=tuple(notices))
    attacks, refused = audits(given)
    return Answer(
        headline, more,
        (published_and_true(given, f"{headline} {more}", attacks), attack_panel(attacks, refused),
         *verdicts(given)), tuple(notices),
    )


def curve_of(given: Given, method: Mechanism, whom: Unit, together: int) -> Curve[Guarantee]:
    """The curve along ε is the same whatever the present ε, which only moves the mark on it: so it
    is computed once."""
    moves = EPSILON.name in method.settings()
    anchor = method.replace(**{EPSILON.name: EPSILON.default}) if moves else method
    found = given.work.kept(privacy_curve, anchor, given.table, given["cap"], whom, together)
    if not moves or not found.points:
        return found
    here = converted(method.guarantee(given.table, cap=given["cap"]), whom, together)
    return dataclasses.replace(found, mechanism=method, here=here.epsilon if here else None)


_TITLES = {
    "delta": "Published and true, along ε", "rest": "Published and true, along ε",
    "loss": "How often odds move further, along ε",
}


def published_and_true(given: Given, said: str, attacks: Sequence[Audit]) -> Panel:
    whom, together = Unit(given["unit"]), given.get("together") or 1
    curves = [curve_of(given, one, whom, together) for one in given.methods]
    converted = "" if whom is Unit.PERSON else ", converted like the rest"
    left = given["view"] == "rest"
    caption = (
        f"Thick lines are {'what the true δ leaves' if left else 'the true δ'}, or "
        f"{'a lower' if left else 'an upper'} bound of it where the name says so; thin dotted "
        f"lines are what the paper prints{converted}, red crosses where that promises too much; "
        f"marks show the present ε. {'High' if left else 'Low'} is good."
        if given["view"] != "loss" else
        "How often the odds move by more than e^ε, in the worst tables; marks show the present ε. "
        "Never less than δ, which counts only what goes beyond. Low is good."
    )
    if attacks:
        caption += (
            " Triangles: an attack shows that at least so much is given away, in red where that is "
            "more than is published." if whom is Unit.PERSON and given["view"] != "loss" else
            " The attack is about δ for a person whose record changes: choose these to see it here."
        )
    said_of_h = household_size_sentence(together, given.dataset.largest_household) if (
        whom is Unit.HOUSEHOLD) else ""
    missing = missing_sentences(given.methods, curves, given["view"])
    lines = figures.drawn_lines(curves, given["view"])
    on_one = shared_line_sentence(shared(lines))
    further = [said_of_h, on_one, *limit_sentences(curves), *missing]
    return Panel(
        "delta-epsilon", _TITLES[given["view"]], " ".join(filter(None, [caption, *further])),
        (figures.privacy_curves(
            curves, given["view"], attacks if whom is Unit.PERSON else (), lines),),
        lambda: figures.privacy_table(curves),
        alt=" ".join((
            f"A line a method, along ε: {lowered(view(given).words(given['view']))}. {said}",
            *(attack_sentence(one) for one in attacks))),
        controls=("view", "unit", "together"),
    )


def verdicts(given: Given) -> Iterator[Panel]:
    """Each guarantee in full: published and true δ, why they differ, and where it comes from."""
    yield Panel("verdicts", "At the present settings")
    for number, (method, found) in enumerate(given.chosen, start=1):
        said = f"{published_text(found)} {exceeds_sentence(found)} {found.remark}"
        conversion = conversion_sentence(
            found, Unit(given["unit"]), given.get("together") or 1
        )
        broken = found.holds is False
        yield Panel(
            f"verdict-{number}", method.plain_label(), minor=True, width=1 / len(given.chosen),
            notices=(Notice(said, "error", "gpp_bad"),) if broken else (),
            prose=(
                *(() if broken else (said,)),
                *outside_sentences(found),
                *([conversion] if conversion else []),
            ),
            note=f"Neighbours: {found.neighbours}. Source: {found.citation}.",
        )


QUESTION = Question(
    address="delta_epsilon", title="δ versus ε", section="What is promised", icon="gpp_maybe",
    asks="what does each method promise, as published and in truth?",
    sentence="This method promises ε with a slack of δ; the paper says so much, the truth is so "
    "much, and here the paper's bound does not hold.",
    answer=answer, method=METHOD, sources=(sources.P0, sources.P1),
    method_title="What do ε and δ mean, and how are they computed?",
    controls=(
        Control(cap, width=260), Control(view, at_panel=True), Control(unit, at_panel=True),
        Control(people, at_panel=True), Control(effort, at_panel=True),
    ),
    guarantee=promise,
)

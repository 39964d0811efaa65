"""Money and thresholds: who would gain or lose if money or rules followed the released counts?"""

from __future__ import annotations

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.metrics.decisions import (
    MOST_GROUPS,
    Condition,
    Decisions,
    Group,
    affordable_releases,
    area_counts,
    conditions,
    decide,
)
from sdc_core.parameters import Choice, Several, TypedInteger
from sdc_core.questions import columns, sources
from sdc_core.questions.answer import Answer, Notice, Panel
from sdc_core.questions.funding import captions, figures, words
from sdc_core.questions.funding.method import METHOD
from sdc_core.questions.question import Control, Given, Preset, Question
from sdc_core.questions.study import CountedAs, EmptyGroups

RELEASES = 200
RENTERS = "OWN_RENT=2"  # the group to start with, where the data knows who rents
COUNTED = {"full": "All usual features", "small": "Place and group"}


def area(given: Given) -> Choice:
    able = columns.categories(given.dataset)
    if not able:
        raise InputError(
            "This data has no column of categories that could serve as places. Read one as a code, "
            "or choose other data."
        )
    return columns.one_of_them(
        "area", "Places", able, columns.place_of(given.dataset),
        "The column whose values share the money.",
    )


def group(given: Given) -> Several:
    offered = _offered(given)
    return Several(
        name="group", title="Shared by the number of people who are",
        default=(RENTERS,) if RENTERS in offered else (), choices=tuple(offered),
        titles={name: one.title for name, one in offered.items()}, placeholder="everybody",
        help="Values of one feature are alternatives, features add up: Black or Asian, and "
        "renting. Nothing chosen: everybody.",
    )


def pot(given: Given) -> TypedInteger:
    return TypedInteger(
        name="pot", title="Money, $", default=1_000_000, low=1, high=10**12,
        help="The fixed pot that is shared.",
    )


def threshold(given: Given) -> TypedInteger:
    return TypedInteger(
        name="threshold", title="Rule: more than, %", default=25, low=0, high=100,
        help="Applies to places where the group is a larger share.",
    )


def counted(given: Given) -> Choice:
    return Choice(
        name="counted", title="People are counted by", default="full", choices=tuple(COUNTED),
        titles=COUNTED, segments=True,
        help="The more groups a table has, the more error adds up in each place.",
    )


def table(given: Given) -> Histogram:
    return given.study.count(_counted_by(given))


def _counted_by(given: Given) -> tuple[str, ...]:
    """Place and group, and all usual features unless the smaller table is wanted."""
    usual = () if given["counted"] == "small" else given.dataset.default_features
    named = (*usual, given["area"], *wanted(given).features)
    return tuple(dict.fromkeys(n for n in named if n)) or tuple(given.study.features)


def presets(given: Given) -> list[Preset]:
    """Swapping as offices do it exchanges the place, which is what moves the money. By place alone
    there is nothing that it could be exchanged against."""
    if len(_counted_by(given)) < 2 or not given["area"]:
        return []
    return [Preset(
        "with-swapping", "With swapping of the place",
        (
            mechanism("laplace"), mechanism("dp-suppression"), mechanism("suppression"),
            mechanism("swapping", quasi_identifiers=(given["area"],)),
        ),
        EmptyGroups.LEFT_AT_ZERO, "dictionary", CountedAs(given.study.counted_as),
    )]


def _offered(given: Given) -> dict[str, Condition]:
    return given.work.kept(conditions, given.dataset, given["area"], given.study.domain)


def wanted(given: Given) -> Group:
    """Whom the chosen values make a member."""
    chosen = [_offered(given)[name] for name in given["group"]]
    return Group.of((one.feature, one.value) for one in chosen)


def answer(given: Given) -> Answer:
    if not given["area"]:
        return Answer(*words.NO_PLACES)
    found = decided(given)
    who = words.group_words(wanted(given), given.table.domain)
    headline, more = words.decision_sentences(found, who)
    if not found.outcomes:
        return Answer(headline, more)
    undefined = captions.undefined_sentences(words.once(found), who)
    return Answer(
        headline, more, (money(given, found, who, headline), rule(found, who)),
        tuple(map(Notice, undefined)),
    )


def decided(given: Given) -> Decisions:
    """Both decisions under every method's releases; methods that wait to be run are left out."""
    number = affordable_releases(len(given.table), RELEASES)
    members, place = wanted(given), given["area"]
    released = [
        (one, given.work.kept(area_counts, rows, given.table, place, members))
        for one, rows in given.work.releases(given.methods, given.table, given.seed, number)
    ]
    return given.work.kept(
        decide, given.table, place, members, given["pot"], given["threshold"], released
    )


def money(given: Given, found: Decisions, who: str, headline: str) -> Panel:
    counted_by = ", ".join(f.title.lower() for f in given.table.domain.features)
    return Panel(
        "money", "Who gains, who loses?",
        captions.money_caption(words.once(found), who, len(given.table), counted_by),
        figures.gains(found, headline), lambda: figures.gains_table(found), alt=headline,
    )


def rule(found: Decisions, who: str) -> Panel:
    title = f"Which {words.units(found)} change sides at {found.percent:g}%?"
    remark = words.threshold_remark(found, who)
    notices = (Notice(remark),) if remark else ()
    if who == words.EVERYBODY:  # 100% everywhere: nothing to draw
        return Panel("threshold", title, notices=notices)
    caption = captions.rule_caption(
        words.once(found), who, len(figures.nearest_threshold(found)))
    return Panel(
        "threshold", title, caption, (figures.share_chart(found),),
        lambda: figures.share_table(found), alt=caption, notices=notices,
    )


QUESTION = Question(
    address="funding", title="Money and thresholds", section="What follows",
    icon="account_balance",
    asks="who would gain or lose if money or rules followed the released counts?",
    sentence="If so much money is shared by the number of renters in each place, method A sends so "
    "much to the wrong places; the rule “more than x% renters” flips these places.",
    answer=answer, method=METHOD, sources=(sources.PUJOL,),
    controls=(
        Control(area), Control(group, prominent=True),
        Control(pot, prominent=True, width=170), Control(threshold, prominent=True, width=170),
        Control(counted),
    ),
    table=table, presets=presets, old_slots=("f1", "f2", "f3", "f4"), own_table=True,
    most_cells=MOST_GROUPS, weighted=True,
    smaller="“Place and group”, under “People are counted by”, makes the smallest table.",
)

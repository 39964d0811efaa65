"""Money and thresholds: who would gain or lose if money or rules followed the released counts?"""

from __future__ import annotations

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.metrics.decisions import (
    Condition,
    Decisions,
    Group,
    affordable_releases,
    area_counts,
    conditions,
    decide,
)
from sdc_core.parameters import Choice, Several, TypedInteger
from sdc_core.questions import sources
from sdc_core.questions.answer import Answer, Notice, Panel
from sdc_core.questions.funding import figures, words
from sdc_core.questions.funding.method import METHOD
from sdc_core.questions.question import Control, Given, Methods, Question

RELEASES = 200
RENTERS = "OWN_RENT=2"  # the group to start with, where the data knows who rents
COUNTED = {"full": "All usual features", "small": "Place and group"}


def area(given: Given) -> Choice:
    dataset = given.dataset
    titles = {c.name: c.title for c in dataset.columns if c.kind == "categorical"}
    if not titles:
        raise InputError(
            "This data has no column of categories that could serve as places. Read one as "
            "categorical (How your columns are read), or choose other data."
        )
    return Choice(
        name="area", title="Places", default=dataset.place or next(iter(titles)),
        choices=tuple(titles), titles=titles, help="The column whose values share the money.",
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
    """People by place and group, and by all usual features unless the smaller table is wanted."""
    usual = () if given["counted"] == "small" else given.dataset.default_features
    needed = (given["area"], *wanted(given).features)
    return given.study.count(dict.fromkeys((*usual, *needed)))


def suggested(given: Given) -> Methods:
    """Suppression as offices use it leaves zeros alone; swapping exchanges the place."""
    return {
        "f1": mechanism("laplace"),
        "f2": mechanism("dp-suppression"),
        "f3": mechanism("suppression", keep_zeros=True),
        "f4": mechanism("swapping", quasi_identifiers=(given["area"],)),
    }


def _offered(given: Given) -> dict[str, Condition]:
    return given.work.kept(conditions, given.dataset, given["area"])


def wanted(given: Given) -> Group:
    """Whom the chosen values make a member."""
    chosen = [_offered(given)[name] for name in given["group"]]
    return Group.of((one.feature, one.value) for one in chosen)


def answer(given: Given) -> Answer:
    found = decided(given)
    who = words.group_words(wanted(given), given.table.domain)
    headline, more = words.decision_sentences(found, who)
    if not found.outcomes:
        return Answer(headline, more)
    return Answer(
        headline, more, (money(given, found, who, headline), rule(found, who)),
        tuple(Notice(sentence) for sentence in words.undefined_sentences(found, who)),
    )


def decided(given: Given) -> Decisions:
    """Both decisions under every method's releases; methods that wait to be run are left out."""
    number = affordable_releases(len(given.table), RELEASES)
    members, place = wanted(given), given["area"]
    released = [
        (one, given.work.kept(area_counts, rows, given.table.domain, place, members))
        for one, rows in given.work.releases(given.methods, given.table, given.seed, number)
    ]
    return given.work.kept(
        decide, given.table, place, members, given["pot"], given["threshold"], released
    )


def money(given: Given, found: Decisions, who: str, headline: str) -> Panel:
    counted_by = ", ".join(f.title.lower() for f in given.table.domain.features)
    return Panel(
        "money", "Who gains, who loses?",
        words.money_caption(found, who, len(given.table), counted_by),
        figures.gains(found, headline), lambda: figures.gains_table(found), alt=headline,
    )


def rule(found: Decisions, who: str) -> Panel:
    title = f"Which {words.units(found)} change sides at {found.percent:g}%?"
    remark = words.threshold_remark(found, who)
    notices = (Notice(remark),) if remark else ()
    if who == words.EVERYBODY:  # 100% everywhere: nothing to draw
        return Panel("threshold", title, notices=notices)
    caption = words.rule_caption(found, who, len(figures.nearest_threshold(found)))
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
        Control(area), Control(group),
        Control(pot, row=1), Control(threshold, row=1), Control(counted, row=1),
    ),
    table=table, methods=suggested, own_table=True,
)

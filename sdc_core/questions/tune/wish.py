"""What can you accept, for whom? One sentence with blanks, each a control."""

from __future__ import annotations

from typing import NamedTuple

from sdc_core.calibrate import Measure, able, measure_named
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.parameters import Choice, Param, Several, Typed
from sdc_core.questions.answer import Action
from sdc_core.questions.question import Given

MEASURE, SENSE, LIKE, WHOM = "wish_measure", "wish_sense", "wish_like", "wish_whom"
AT_MOST, AT_LEAST, SAME = "at-most", "at-least", "same"
RENTERS = "OWN_RENT=2"  # whose share a rule looks at to begin with, where the data know it
FARTHEST = 1e12
NONE = "none"


class Asked(NamedTuple):
    """The wish, as `solve` takes it."""

    measure: Measure
    whom: str
    target: float | None
    at_least: bool
    like: Mechanism | None


def by_slot(given: Given) -> dict[str, Mechanism]:
    """The methods by their names in a link."""
    return dict(zip(given.slots, given.methods, strict=False))


def what(given: Given) -> Choice:
    offered = [one for one in able(given.table) if one.everyday]
    return Choice(
        name=MEASURE, title="What matters is", default=offered[0].name,
        choices=tuple(one.name for one in offered),
        titles={one.name: one.title for one in offered},
        help=" ".join(f"*{one.title}*: {one.help}" for one in offered),
    )


def for_whom(given: Given) -> Choice | None:
    """Groups of a size, or whatever the measure can be narrowed down to."""
    measure = measure_named(given[MEASURE])
    offered = measure.whom(given.table)
    if len(offered) < 2:
        return None
    name = whom_key(measure, given)
    start = RENTERS if RENTERS in offered else next(iter(offered))
    return Choice(name=name, title="for", default=start, choices=tuple(offered), titles=offered)


def whom_key(measure: Measure, given: Given) -> str:
    """Sizes of groups are shared by all measures of error; other lists are of one measure."""
    return WHOM if "all" in measure.whom(given.table) else f"{WHOM}_{measure.name}"


def sense(given: Given) -> Choice:
    titles = {AT_MOST: "at most", AT_LEAST: "at least"}
    if given.methods:
        titles[SAME] = "the same as"
    return Choice(
        name=SENSE, title="and may be", default=AT_MOST, choices=tuple(titles), titles=titles,
    )


def how_much(given: Given) -> Param:
    """A number, remembered for each measure; or one of the methods."""
    if given[SENSE] == SAME:
        named = {slot: one.plain_label() for slot, one in by_slot(given).items()}
        traditional = [slot for slot, one in by_slot(given).items() if one.family == "sdc"]
        return Choice(
            name=LIKE, title="method, as it is set", default=[*traditional, *named][0],
            choices=tuple(named), titles=named,
        )
    measure = measure_named(given[MEASURE])
    factor = 100.0 if measure.percent else 1.0
    return Typed(
        name=target_key(measure), title=f"how much{_unit(measure)}",
        default=factor * measure.suggested, low=max(measure.least, -FARTHEST), high=FARTHEST,
        step=factor * measure.suggested / 10, format="%g",
    )


def target_key(measure: Measure) -> str:
    return f"wish_{measure.name}"


def _unit(measure: Measure) -> str:
    unit = f"% {measure.unit}" if measure.percent else measure.unit
    return f", {unit}" if unit else ""


def asked(given: Given) -> Asked:
    measure = measure_named(given[MEASURE])
    whom = given.get(whom_key(measure, given)) or next(iter(measure.whom(given.table)))
    if given[SENSE] == SAME:
        return Asked(measure, whom, None, False, by_slot(given)[given[LIKE]])
    target = given[target_key(measure)] / (100 if measure.percent else 1)
    return Asked(measure, whom, target, given[SENSE] == AT_LEAST, None)


def _bar(**slots: Mechanism | None) -> dict[str, str]:
    """Methods by slot as a link writes them, with their settings, but for the features, which are
    the table's own, and what all methods share; None is no method."""
    sets = {slot: NONE if one is None else one.name for slot, one in slots.items()}
    for slot, one in slots.items():
        if one is not None:
            sets |= {
                f"{slot}.{param.name}": param.text(one.settings()[param.name])
                for param in one.relevant_params()
                if not (param.of_study or isinstance(param, Several))
            }
    return sets


def _about(measure: str, amount: str = "", whom: str = "", like: str = "") -> dict[str, str]:
    wanted = {SENSE: SAME, LIKE: like} if like else {SENSE: AT_MOST, f"wish_{measure}": amount}
    return {MEASURE: measure, **wanted, **({WHOM: whom} if whom else {})}


NOISE, HIDING = mechanism("laplace"), mechanism("suppression")
# The questions that people ask first, one click each.
PRESETS = (
    Action("Counts within one person", _about("mean_error", "1", "all")),
    Action("Smallest groups within 10%", _about("relative_error", "10", "1-5")),
    Action("Which ε is as inaccurate as hiding counts below 6?",
           _about("mean_error", whom="all", like="m4") | _bar(m1=NOISE, m4=HIDING)),
    Action("Which k is as fair as ε = 1?",
           _about("fairness_alpha", like="m1") | _bar(m1=NOISE, m4=HIDING)),
    Action("Which swap rate has ε = 8?", _about("epsilon", "8") | _bar(
        m1=mechanism("permutation-swapping"), m2=NOISE, m3=None, m4=None)),
    Action("k-anonymity or AIM?", _about("mean_error", "2", "all") | _bar(
        m1=mechanism("k-anonymity"), m2=mechanism("aim"), m3=None, m4=None)),
)

"""Microdata lab: what does each method cost and protect, record by record?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sdc_core.errors import InputError
from sdc_core.figures.theme import Style, styles
from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.mechanisms.rwn import Rwn
from sdc_core.metrics.microdata.battery import MEASURES, Measure, Original, measure
from sdc_core.parameters import Choice, Integer, Param, Real
from sdc_core.questions import lab, lab_methods, sources
from sdc_core.questions.answer import Answer, Job, Notice, Panel
from sdc_core.questions.microdata_lab import figures, words
from sdc_core.questions.microdata_lab.compute import (
    LEVELS,
    RWN_PATHS,
    Line,
    Look,
    closest_others,
    exposed,
    look,
    neighbourhood,
    paths,
    point,
)
from sdc_core.questions.microdata_lab.method import METHOD
from sdc_core.questions.question import Control, Given, Question, no_methods
from sdc_core.questions.work import METHODS
from sdc_core.record_experiment import Path

PRIVACY = tuple(m for m in MEASURES if m.side == "privacy" and m.good)
UTILITY = tuple(m for m in MEASURES if m.side == "utility" and m.good)
RELEASES = (5, 10, 100)


def protection(given: Given) -> Choice:
    return Choice(
        name="ml_privacy", title="Protection", default="pscr",
        choices=tuple(m.name for m in PRIVACY), titles={m.name: m.title for m in PRIVACY},
        help="What protection is measured by.",
    )


def usefulness(given: Given) -> Choice:
    return Choice(
        name="ml_utility", title="What changes", default="il1",
        choices=tuple(m.name for m in UTILITY), titles={m.name: _title(m) for m in UTILITY},
        help="What should change as little as possible.",
    )


def _title(one: Measure) -> str:
    """An aligned line's title stands for itself here."""
    plain = one.name.removesuffix("_aligned")
    return one.title if plain == one.name else f"{measure(plain).title}, signs aligned"


def along(given: Given) -> Choice:
    return Choice(
        name="ml_along", title="RWN moves along", default="radius", choices=tuple(RWN_PATHS),
        segments=True,
        help="Radius: q = 100%, k = 5. k: q = 50%, no radius. q: k = 5, no radius.",
    )


def releases(given: Given) -> Choice:
    return Choice(
        name="ml_releases", title="Releases", default="5",
        choices=tuple(str(n) for n in RELEASES), segments=True,
        help="So many releases stand behind every mark. P4 has 10 or 100.",
    )


def tails(given: Given) -> tuple[Param, ...]:
    """Top- and bottom-coding, before any method."""
    return tuple(
        Real(
            name=name, title=f"Cut off the {which} first", symbol=name.removeprefix("ml_"),
            default=0.0, low=0.0, high=0.5, slider=(0.0, 0.2), percent=True, closed="left",
            help=f"{coding}: before any method, this share of the {which} numbers of every "
            "variable become the next one that is left.",
        )
        for name, which, coding in (
            ("ml_top", "largest", "Top-coding"), ("ml_bottom", "smallest", "Bottom-coding"))
    )


def shown_method(given: Given) -> Choice:
    names = ("rwn", *(n for n in lab_methods.BESIDES if n in given["lab_methods"]))
    return Choice(
        name="ml_method", title="Look closely at", default="rwn", choices=names,
        titles={name: mechanism(name).plain for name in names},
        help="The method of the headline and of the pictures of one release.",
    )


def level(given: Given) -> Integer:
    return Integer(
        name="ml_level", title="Setting, from weak to strong", symbol="step", default=3, low=1,
        high=LEVELS, slider=(1, LEVELS),
        help="Which mark of its path is looked at closely.",
    )


def table(given: Given) -> Histogram:
    """Nothing is counted here, but every question has a table."""
    return given.study.count(given.study.features[:1])


def _original(given: Given) -> Original:
    return lab.original(
        given, tails=(given["ml_bottom"], given["ml_top"]),
        tries=measure(given["ml_utility"]).costly)


def answer(given: Given) -> Answer:
    if why := lab.problem(given):
        return Answer(why)
    original = _original(given)
    privacy, utility = measure(given["ml_privacy"]), measure(given["ml_utility"])
    lines, notices = _lines(given, original, privacy, utility)
    wanted = next((one for one in lines if one.path.base.name == given["ml_method"]), lines[0])
    given.work.saw(int(given["ml_releases"]))
    values = wanted.path.values
    method = wanted.path.at(values[min(given["ml_level"], len(values)) - 1])
    tails = words.cut_off(given["ml_bottom"], given["ml_top"])
    said = words.headline(wanted, privacy, utility, tails)
    panels = [trade_off(lines, wanted, privacy, utility, said)]
    try:
        panels += close_look(given, method, original, tails)
    except InputError as problem:  # a release in which a number is the same for everybody, say
        notices.append(Notice(f"This release cannot be looked at closely: {problem}", "warning"))
    if method.name != given["ml_method"]:
        notices.append(Notice(
            f"Looked at closely is {method.title}: the method that you chose is not in the "
            "picture.", "warning", "error"))
    return Answer(
        said, words.more(lines, wanted, privacy, utility, int(given["ml_releases"]), tails),
        tuple(panels), (*lab.about_records(given, original), *notices),
    )


def close_look(
    given: Given, method: Mechanism, original: Original, tails: str
) -> Iterator[Panel]:
    """One release of one method: the one of the seed. Where even one takes long, a page asks."""
    work = given.work
    found = work.kept(exposed, original)
    if method.slow and not work.may_start(METHODS) and not work.keep.holds(
            look, method, original, given.seed, found):
        work.wait_for(Job(METHODS, f"Run {method.title}", "One release, to be looked at closely."))
        return
    seen = work.kept(look, method, original, given.seed, found)
    (own,) = styles([method])
    yield correlation_panel(seen, tails)
    yield components_panel(seen, own)
    yield outlier_panel(seen, own)
    if isinstance(method, Rwn):
        yield neighbourhood_panel(given, method, original, own)


def _lines(
    given: Given, original: Original, privacy: Measure, utility: Measure
) -> tuple[list[Line], list[Notice]]:
    """Every method along its path, and what is to be said of those that cannot be."""
    work, number = given.work, int(given["ml_releases"])
    able, reasons = lab_methods.fitting(work, lab_methods.chosen(
        paths(given["ml_along"], original), given["lab_methods"]), original)
    measurable, anew = lab_methods.measurable(able, privacy, utility)

    def calls(path: Path) -> list[tuple[Any, ...]]:
        drawn = lab_methods.drawn(path, number)
        return [(path, value, original, privacy.name, utility.name, drawn, given.seed)
                for value in path.values]

    ready = lab_methods.ready(work, measurable, original, number, lambda path: all(
        work.keep.holds(point, *call) for call in calls(path)))
    waiting = [path for path in measurable if path not in ready]
    every = [call for path in ready for call in calls(path)]
    made = iter(work.each(
        lambda i: f"{every[i][0].base.title}: {number} releases at each setting", point, every))
    found = {path: Line(path, tuple(next(made) for _ in path.values)) for path in ready}
    lines = [
        found.get(path, Line(path, (), words.DRAWN_ANEW)) for path in able if path not in waiting]
    reasons += [(one.path.base.title, one.why) for one in found.values() if not one.known]
    notices = [Notice(anew, "quiet")] * bool(anew)
    return lines, [
        *notices, *lab_methods.left_out(reasons),
        *lab_methods.could_join(given["lab_methods"], privacy, utility)]


def trade_off(
    lines: Sequence[Line], shown: Line, privacy: Measure, utility: Measure, said: str
) -> Panel:
    return Panel(
        "lab-trade-off", "What does protection cost?",
        f"A path a method, a mark a setting. Across: {privacy.plain}. Up: {utility.plain}. Thin "
        "lines are one standard error to both sides.",
        (figures.trade_off(lines, shown, privacy, utility),),
        lambda: figures.trade_off_table(lines), alt=said,
    )


def correlation_panel(seen: Look, tails: str) -> Panel:
    said = words.correlations_caption(seen, tails)
    return Panel(
        "lab-correlations", "Do numbers still go together?", said,
        figures.correlation_charts(seen), lambda: figures.correlation_table(seen), alt=said,
        controls=("ml_method", "ml_level"),
    )


def components_panel(seen: Look, own: Style) -> Panel:
    said = words.components_caption(seen)
    return Panel(
        "lab-components", "How many directions are there?", said,
        (figures.scree_chart(seen, own),), lambda: figures.scree_table(seen), alt=said,
    )


def outlier_panel(seen: Look, own: Style) -> Panel:
    said = words.outlier_caption(seen)
    return Panel(
        "lab-outlier", "Where is the most exposed person?", said,
        figures.outlier_charts(seen, own), lambda: figures.outlier_table(seen), alt=said,
    )


def neighbourhood_panel(given: Given, method: Rwn, original: Original, own: Style) -> Panel:
    work = given.work
    found = work.kept(
        neighbourhood, method, original, work.kept(exposed, original),
        work.kept(closest_others, original.handed))
    said = words.neighbourhood_caption(found)
    return Panel(
        "lab-neighbourhoods", "From how many can a record borrow?", said,
        (figures.neighbourhood_chart(found, own),), lambda: figures.neighbourhood_table(found),
        alt=said,
    )


QUESTION = Question(
    address="microdata_lab", title="Microdata lab", section="Single records", icon="science",
    asks="what does each method for records cost, and whom does it protect?",
    sentence="From its weakest to its strongest setting the method takes the share of people who "
    "are recognised from A to B, and changes correlations by C to D.",
    answer=answer, method=METHOD,
    sources=(f"{sources.P4} §8, §9, Figures 1 to 14", sources.SDCMICRO),
    controls=(
        Control(protection, prominent=True), Control(usefulness, prominent=True),
        Control(lab.variables), Control(lab.outcome), Control(lab.coefficient),
        Control(lab_methods.methods), Control(tails, seconds=3.0), Control(along),
        Control(releases), Control(shown_method, at_panel=True), Control(level, at_panel=True),
    ),
    table=table, methods=no_methods, data="svcensus", own_table=True,
    uses=frozenset({"data", "seed"}),
)

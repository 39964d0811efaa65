"""Microdata lab: what does each method cost and protect, record by record?"""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.figures.theme import Style, styles
from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.rwn import Rwn
from sdc_core.metrics.microdata.battery import MEASURES, Measure, Original, measure
from sdc_core.parameters import Choice, Integer
from sdc_core.questions import lab, sources
from sdc_core.questions.answer import Answer, Notice, Panel
from sdc_core.questions.microdata_lab import figures, words
from sdc_core.questions.microdata_lab.compute import (
    LEVELS,
    RWN_PATHS,
    Line,
    Look,
    able,
    look,
    neighbourhood,
    paths,
    point,
)
from sdc_core.questions.microdata_lab.method import METHOD
from sdc_core.questions.question import Control, Given, Question, no_methods
from sdc_core.record_experiment import Path

PRIVACY = tuple(m for m in MEASURES if m.side == "privacy" and m.good)
UTILITY = tuple(m for m in MEASURES if m.side == "utility" and m.good)
RELEASES = (5, 10, 100)
SHOWN = ("rwn", "rank-swapping", "microaggregation", "noise-addition", "k-anonymity")


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
        titles={"radius": "radius", "k": "k", "q": "q"}, segments=True,
        help="Radius: q = 100%, k = 5. k: q = 50%, no radius. q: k = 5, no radius.",
    )


def releases(given: Given) -> Choice:
    return Choice(
        name="ml_releases", title="Releases", default="5",
        choices=tuple(str(n) for n in RELEASES), segments=True,
        help="So many releases stand behind every mark. P4 has 10 or 100.",
    )


def shown_method(given: Given) -> Choice:
    return Choice(
        name="ml_method", title="Look closely at", default="rwn", choices=SHOWN,
        titles={name: mechanism(name).plain for name in SHOWN},
        help="The method of the headline and of the pictures of one release.",
    )


def level(given: Given) -> Integer:
    return Integer(
        name="ml_level", title="Setting, from weak to strong", symbol="step", default=3, low=1,
        high=LEVELS, slider=(1, LEVELS),
        help="Which mark of its path is looked at closely.",
    )


def _paths(given: Given) -> tuple[Path, ...]:
    return paths(given["ml_along"], lab.original(given))


def table(given: Given) -> Histogram:
    """Nothing is counted here, but every question has a table."""
    return given.study.count(given.study.features[:1])


def answer(given: Given) -> Answer:
    if why := lab.problem(given):
        return Answer(why)
    original = lab.original(given)
    privacy, utility = measure(given["ml_privacy"]), measure(given["ml_utility"])
    lines, reasons = _lines(given, original, privacy, utility)
    wanted = next((one for one in lines if one.path.base.name == given["ml_method"]), lines[0])
    given.work.saw(int(given["ml_releases"]))
    values = wanted.path.values
    method = wanted.path.at(values[min(given["ml_level"], len(values)) - 1])
    seen = given.work.kept(look, method, original, given.seed)
    (own,) = styles([method])
    said = words.headline(wanted, privacy, utility)
    panels = [
        trade_off(lines, wanted, privacy, utility, said), correlation_panel(seen),
        components_panel(seen, own), outlier_panel(seen, own),
    ]
    if isinstance(method, Rwn):
        panels.append(neighbourhood_panel(given, method, original, own))
    notices = [*lab.about_records(given, original)]
    if method.name != given["ml_method"]:
        notices.append(Notice(
            f"Looked at closely is {method.title}: the method that you chose cannot release these "
            "records.", "warning", "error"))
    if reasons:
        notices.append(Notice(f"Not in the picture: {words.left_out(reasons)}.", "quiet"))
    return Answer(
        said, words.more(lines, wanted, privacy, utility, int(given["ml_releases"])),
        tuple(panels), tuple(notices),
    )


def _lines(
    given: Given, original: Original, privacy: Measure, utility: Measure
) -> tuple[list[Line], list[tuple[str, str]]]:
    """Every method along its path, and those that cannot be, with the reason."""
    reasons: list[tuple[str, str]] = []
    fitting: list[Path] = []
    for path in _paths(given):
        found, why = given.work.kept(able, path, original)
        if found is None:
            reasons.append((path.base.title, why))
        else:
            fitting.append(found)
    number = int(given["ml_releases"])
    calls = [
        (path, value, original, privacy.name, utility.name, number, given.seed)
        for path in fitting for value in path.values
    ]
    made = iter(given.work.each(lambda i: f"{calls[i][0].base.title}: {number} releases at each "
                                 "setting", point, calls))
    lines = [Line(path, tuple(next(made) for _ in path.values)) for path in fitting]
    reasons += [(one.path.base.title, one.points[0].why) for one in lines if not one.known]
    return lines, reasons


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


def correlation_panel(seen: Look) -> Panel:
    said = words.correlations_caption(seen)
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
    found = given.work.kept(neighbourhood, method, original)
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
        Control(along), Control(releases),
        Control(shown_method, at_panel=True), Control(level, at_panel=True),
    ),
    table=table, methods=no_methods, data="svcensus", own_table=True,
    uses=frozenset({"data", "seed"}),
)

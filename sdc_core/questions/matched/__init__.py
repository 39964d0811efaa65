"""Matched comparison: at the same level of protection, which method keeps most?"""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.histogram import Histogram
from sdc_core.metrics.microdata.battery import Measure, Original, measure
from sdc_core.parameters import Choice, Integer
from sdc_core.questions import lab, sources
from sdc_core.questions.answer import Answer, ColumnLook, Job, Panel, TableView
from sdc_core.questions.matched import figures, words
from sdc_core.questions.matched.compute import (
    INDICES,
    SCAN_RELEASES,
    UTILITY,
    Compared,
    able,
    compared,
    table_3,
    wide_paths,
)
from sdc_core.questions.matched.method import METHOD
from sdc_core.questions.question import Control, Given, Question, no_methods
from sdc_core.record_experiment import Path, Scan, scan
from sdc_core.words.numbers import lowered

TABLE_3 = "table-3"
MATCH_BY = ("dcr", "dcr_units", "pscr", "interval")
IN_TURN = ("dcr", "pscr", "interval")
IN_TURN_JOB = "matched-by"
RELEASES = (10, 20, 50, 100)


def match_by(given: Given) -> Choice:
    titles = {name: measure(name).title for name in MATCH_BY}
    return Choice(
        name="mc_by", title="Set all methods to the same", default="dcr",
        choices=(*MATCH_BY, TABLE_3),
        titles={**titles, TABLE_3: "index of P4's Table 3 (nothing is matched)"},
        help="What protection is measured by. Methods that match in one measure may differ in "
        "another.",
    )


def level(given: Given) -> Integer:
    return Integer(
        name="mc_level", title="Level", symbol="index", default=4, low=1, high=INDICES,
        slider=(1, INDICES),
        help="How strong: the radius of RWN, from .25 (1) to .95 (15) in P4's Table 3. The other "
        "methods follow.",
    )


def utility(given: Given) -> Choice:
    return Choice(
        name="mc_keeps", title="Ranked by", default="il1",
        choices=tuple(m.name for m in UTILITY), titles={m.name: _full_title(m) for m in UTILITY},
        help="What should change least.",
    )


def _full_title(one: Measure) -> str:
    aligned = one.name.endswith("_aligned")
    whole = measure(one.name.removesuffix("_aligned")).title
    return f"{whole}, signs aligned" if aligned else one.title


def releases(given: Given) -> Choice:
    return Choice(
        name="mc_releases", title="Releases", default="20",
        choices=tuple(str(n) for n in RELEASES), segments=True,
        help="So many releases of each method stand behind every number. P4 has 100.",
    )


def table(given: Given) -> Histogram:
    """Nothing is counted here, but every question has a table."""
    return given.study.count(given.study.features[:1])


def answer(given: Given) -> Answer:
    if problem := lab.problem(given):
        return Answer(problem)
    matched = given["mc_by"] != TABLE_3
    by = measure(given["mc_by"] if matched else "dcr_units")
    original = lab.original(given)
    chosen = able(wide_paths() if matched else table_3(), original)
    scans = scanned(given, chosen, original, by.name)
    number = int(given["mc_releases"])
    found = given.work.told(
        f"{number} releases of each method", compared, scans, given["mc_level"], matched, number)
    given.work.saw(number)
    name = given["mc_keeps"]
    headline = words.headline(found, by, name, matched)
    more = words.more(found, by, name, original, matched)
    panels = [kept(found, by, name, headline), levels(scans, found, by, matched)]
    if matched:
        panels.append(other_measures(given, original, chosen, name))
    return Answer(headline, more, tuple(panels), tuple(lab.about_records(given, original)))


def scanned(
    given: Given, chosen: Sequence[Path], original: Original, name: str
) -> list[Scan]:
    return [
        given.work.told(
            f"{path.base.title} along its settings", scan, path, original, name,
            SCAN_RELEASES, given.seed)
        for path in chosen
    ]


def other_measures(
    given: Given, original: Original, chosen: Sequence[Path], name: str
) -> Panel:
    """The same comparison for each measure that can be matched; it takes as long again, so a page
    asks first."""
    title = "And if another measure were matched?"
    if not given.work.may_start(IN_TURN_JOB):
        given.work.wait_for(Job(
            IN_TURN_JOB, "Match in other measures, too",
            "Searches all settings again, for two more measures. Moving any control cancels."))
        said = "Methods that match in one measure may differ in another."
        return Panel("matched-by", title, said)
    found = []
    for by in map(measure, IN_TURN):
        scans = scanned(given, chosen, original, by.name)
        found.append((by, given.work.told(
            f"Matched by {lowered(by.title)}", compared, scans, given["mc_level"], True,
            RELEASES[0], [name])))
    said = words.turning_caption(
        {by.title: words.verdict(one, name) for by, one in found})
    table = figures.turning_table(found, name)
    looks = {c: ColumnLook(format="%.3g") for c in table.columns if c not in ("matched", "least")}
    return Panel(
        "matched-by", title,
        f"{said} Numbers: {lowered(_full_title(measure(name)))}; empty where a method cannot be "
        "set to the level.", TableView(table, looks), alt=said,
    )


def kept(found: list[Compared], by: Measure, name: str, headline: str) -> Panel:
    return Panel(
        "matched", "What does each method change at this level?",
        "Shorter is better. Each group of bars has a scale of its own; thin lines are one standard "
        "error to both sides.",
        figures.loss_bars(found, name, headline), lambda: figures.loss_table(found, by),
        alt=headline,
    )


def levels(scans: list[Scan], found: list[Compared], by: Measure, matched: bool) -> Panel:
    said = words.settings_caption(found, by, matched)
    return Panel(
        "matched-levels", "Which settings are the same level?", said,
        tuple(figures.level_lines(scans, found, by)),
        lambda: figures.level_table(scans),
        alt=f"{by.title} along the settings of each method, from weak to strong. {said}",
    )


QUESTION = Question(
    address="matched", title="Matched comparison", section="Single records", icon="balance",
    asks="at the same level of protection, which method keeps most?",
    sentence="At the same distance to the closest record, method A changes correlations least "
    "and method B most.",
    answer=answer, method=METHOD, sources=(f"{sources.P4} §9.4, Table 3", sources.SDCMICRO),
    controls=(
        Control(match_by, prominent=True), Control(level, prominent=True),
        Control(utility, prominent=True), Control(releases),
        Control(lab.variables), Control(lab.outcome), Control(lab.coefficient),
    ),
    table=table, methods=no_methods, data="svcensus", own_table=True,
    uses=frozenset({"data", "seed"}),
)

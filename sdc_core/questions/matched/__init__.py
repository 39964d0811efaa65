"""Matched comparison: at the same level of protection, which method keeps most?"""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.histogram import Histogram
from sdc_core.metrics.microdata.battery import Measure, Original, measure
from sdc_core.papers.p4_body import INDICES, RADII
from sdc_core.parameters import Choice, Integer
from sdc_core.questions import lab, lab_methods, sources
from sdc_core.questions.answer import Answer, ColumnLook, Job, Notice, Panel, TableView
from sdc_core.questions.matched import figures, words
from sdc_core.questions.matched.compute import (
    SCAN_RELEASES,
    UTILITY,
    Compared,
    at_level,
    compared_by,
    level_at,
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
        choices=tuple(m.name for m in UTILITY),
        titles={m.name: words.full_title(m) for m in UTILITY},
        help="What should change least.",
    )


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
    matched, name = given["mc_by"] != TABLE_3, given["mc_keeps"]
    by = measure(given["mc_by"] if matched else "dcr_units")
    original = lab.original(given, tries=measure(name).costly)
    chosen, notices = _chosen(given, original, by, matched)
    scans = scanned(given, chosen, original, by.name)
    found = at_the_level(given, scans, matched, int(given["mc_releases"]), name)
    given.work.saw(int(given["mc_releases"]))
    headline = words.headline(found, by, name, matched)
    more = words.more(found, by, name, original, matched)
    panels = [kept(found, by, name, headline), levels(scans, found, by, matched)]
    if matched:
        panels.append(other_measures(given, original, chosen, name))
    return Answer(
        headline, more, tuple(panels), (*lab.about_records(given, original), *notices))


def _chosen(
    given: Given, original: Original, by: Measure, matched: bool
) -> tuple[list[Path], list[Notice]]:
    """Methods that can be compared here and now, and what is to be said of the others."""
    work, index = given.work, given["mc_level"] - 1
    if not matched:  # each method has its setting of the index, if so few records allow it
        able, reasons = lab_methods.fitting(
            work, lab_methods.chosen(table_3(), given["lab_methods"]), original)
        fits = [path for path in able if len(path.values) > index]
        reasons += [(path.base.title, "these records are too few for its setting of this index")
                    for path in able if path not in fits]
        return fits, lab_methods.left_out(reasons)
    able, reasons = lab_methods.fitting(
        work, lab_methods.chosen(wide_paths(original), given["lab_methods"]), original)
    able, anew = lab_methods.measurable(able, by)
    ready = lab_methods.ready(
        work, able, original, SCAN_RELEASES, lambda path: work.keep.holds(
            scan, path, original, by.name, SCAN_RELEASES, given.seed))
    return ready, [
        *[Notice(anew, "quiet")] * bool(anew), *lab_methods.left_out(reasons),
        *lab_methods.could_join(given["lab_methods"], by)]


def scanned(
    given: Given, chosen: Sequence[Path], original: Original, name: str
) -> list[Scan]:
    return [
        given.work.told(
            f"{path.base.title} along its settings", scan, path, original, name,
            SCAN_RELEASES, given.seed)
        for path in chosen
    ]


def at_the_level(
    given: Given, scans: Sequence[Scan], matched: bool, number: int, name: str,
    only: bool = False,
) -> list[Compared]:
    """Every method at the level of the first, which has the radius of the chosen index."""
    return [
        given.work.told(f"{call[0].path.base.title}: {call[3]} releases", at_level, *call)
        for call in _level_calls(given, scans, matched, number, name, only)
    ]


LevelCall = tuple[Scan, float, float | None, int, tuple[str, ...]]


def _level_calls(
    given: Given, scans: Sequence[Scan], matched: bool, number: int, name: str, only: bool
) -> list[LevelCall]:
    """What `at_level` is given for each method."""
    index = given["mc_level"] - 1
    wanted = given.work.kept(level_at, scans[0], RADII[index])
    names = (name,) if only else tuple(m.name for m in compared_by(name))
    return [
        (one, wanted,
         RADII[index] if one is scans[0] else None if matched else one.path.values[index],
         lab_methods.drawn(one.path, number), names)
        for one in scans
    ]


def other_measures(
    given: Given, original: Original, chosen: Sequence[Path], name: str
) -> Panel:
    """The same comparison for each measure that can be matched; it takes as long again, so a page
    asks first. Only methods that every one of them is defined for."""
    title = "And if another measure were matched?"
    able, _ = lab_methods.measurable(chosen, *map(measure, IN_TURN))
    if not given.work.may_start(IN_TURN_JOB) and not _matched_before(given, original, able, name):
        given.work.wait_for(Job(
            IN_TURN_JOB, "Match in other measures, too",
            "Searches all settings again, for two more measures. Moving any control cancels."))
        said = "Methods that match in one measure may differ in another."
        return Panel("matched-by", title, said)
    found = []
    for by in map(measure, IN_TURN):
        scans = scanned(given, able, original, by.name)
        found.append((by, at_the_level(given, scans, True, RELEASES[0], name, only=True)))
    said = words.turning_caption(
        {by.title: words.verdict(one, name) for by, one in found},
        [path.base.doing for path in chosen if path not in able])
    table = figures.turning_table(found, name)
    looks = {c: ColumnLook(format="%.3g") for c in table.columns if c not in ("matched", "least")}
    return Panel(
        "matched-by", title,
        f"{said} Numbers: {lowered(words.full_title(measure(name)))}; empty where a method cannot "
        "be set to the level.", TableView(table, looks), alt=said,
    )


def _matched_before(
    given: Given, original: Original, able: Sequence[Path], name: str
) -> bool:
    """Is all of it kept, so that nothing has to be asked for? A page is drawn again once it is."""
    holds = given.work.keep.holds
    for by in IN_TURN:
        if not all(holds(scan, path, original, by, SCAN_RELEASES, given.seed) for path in able):
            return False
        scans = scanned(given, able, original, by)
        calls = _level_calls(given, scans, True, RELEASES[0], name, only=True)
        if not all(holds(at_level, *call) for call in calls):
            return False
    return True


def kept(found: list[Compared], by: Measure, name: str, headline: str) -> Panel:
    return Panel(
        "matched", "What does each method change at this level?",
        "Shorter is better. Each group of bars has a scale of its own; thin lines are one standard "
        "error to both sides.",
        figures.loss_bars(found, name, headline), lambda: figures.loss_table(found, by, name),
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
        Control(match_by, prominent=True), Control(level, prominent=True, seconds=2.0),
        Control(utility, prominent=True), Control(releases), Control(lab_methods.methods),
        Control(lab.variables), Control(lab.outcome), Control(lab.coefficient),
    ),
    table=table, methods=no_methods, data="svcensus", own_table=True,
    uses=frozenset({"data", "seed"}),
)

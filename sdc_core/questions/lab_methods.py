"""Methods that questions about single records compare, each along one of its settings; and which
of them can be, now and by this measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from sdc_core.errors import InputError
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.on_records import AsTable, check_records, keeps_places
from sdc_core.metrics.microdata.battery import Measure, Original
from sdc_core.parameters import Several
from sdc_core.questions.answer import Job, Notice
from sdc_core.questions.question import Given
from sdc_core.questions.work import FITTED_REPETITIONS, METHODS, Work, about
from sdc_core.record_experiment import Path
from sdc_core.words.numbers import listed, lowered

BESIDES = (
    "rank-swapping", "microaggregation", "noise-addition", "k-anonymity", "mst", "aim",
)
IN_P4 = frozenset({"rwn", "rank-swapping", "microaggregation"})  # its experiments are with these
_CLASSES = (2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 50.0, 100.0)
_EPSILONS = (8.0, 4.0, 2.0, 1.0, 0.5, 0.2)
TITLE = "Compared with RWN borrowing"
Left = tuple[str, str]  # a method that is left out, and why


def methods(given: Given) -> Several:
    return Several(
        name="lab_methods", title=TITLE, choices=BESIDES,
        default=tuple(name for name in BESIDES if not mechanism(name).slow),
        titles={name: mechanism(name).title for name in BESIDES}, placeholder="nothing else",
        help="k-anonymity, MST and AIM go by way of a table, with numbers in eight bins, and draw "
        "records anew. MST and AIM take minutes: choose them here, then start them.",
    )


def chosen(paths: Iterable[Path], names: Sequence[str]) -> list[Path]:
    """RWN always, all others if they are asked for."""
    return [one for one in paths if one.base.name not in BESIDES or one.base.name in names]


def could_join(names: Sequence[str], *measures: Measure) -> list[Notice]:
    """That synthetic records can be compared, too, where they are not and these measures allow
    it."""
    slow = [mechanism(name).title for name in BESIDES if mechanism(name).slow]
    if any(one.paired for one in measures) or any(mechanism(name).slow for name in names):
        return []
    return [Notice(f"{listed(slow)} can join: choose them under “{TITLE}”.", "quiet")]


def by_table(original: Original) -> tuple[Path, ...]:
    """Methods that go by way of a table. k-anonymity merges all variables but the outcome; the
    synthetic ones go from a weak promise to a strong one."""
    known = tuple(n for n in original.records.names if n != original.task.outcome)
    return (
        Path(mechanism("k-anonymity", quasi_identifiers=known), "k", _CLASSES),
        Path(mechanism("mst"), "epsilon", _EPSILONS), Path(mechanism("aim"), "epsilon", _EPSILONS),
    )


def able(path: Path, original: Original) -> tuple[Path | None, str]:
    """The path without settings that these records do not allow; None where fewer than two are
    left, and why."""
    fitting, why = [], ""
    for value in path.values:
        try:
            check_records(path.at(value), original.handed)
            fitting.append(value)
        except InputError as problem:
            why = str(problem)
    return (replace(path, values=tuple(fitting)), "") if len(fitting) > 1 else (None, why)


def fitting(
    work: Work, paths: Iterable[Path], original: Original
) -> tuple[list[Path], list[Left]]:
    """Those that can release these records, and those that cannot, with the reason."""
    found, left = [], []
    for path in paths:
        fits, why = work.kept(able, path, original)
        if fits is None:
            left.append((path.base.title, why))
        else:
            found.append(fits)
    return found, left


def measurable(paths: Sequence[Path], *measures: Measure) -> tuple[list[Path], str]:
    """Paths whose releases these measures are defined for, and one sentence on those that are
    left out: whose a record is cannot be asked where records are drawn anew."""
    asks = [one for one in measures if one.paired]
    anew = [one for one in paths if asks and not keeps_places(one.base)]
    if not anew:
        return [*paths], ""
    has = "has" if len(anew) == 1 else "have"
    return [one for one in paths if one not in anew], (
        f"{listed([one.base.title for one in anew])} {has} no {lowered(asks[0].title)}: records "
        "are drawn anew, so no released record is anybody's own. Distance to closest record and "
        "mean k-anonymity can be had."
    )


def ready(
    work: Work, paths: Sequence[Path], original: Original, releases: int,
    held: Callable[[Path], bool],
) -> list[Path]:
    """Paths that are quick, computed already (`held`) or asked for; the others become a job."""
    waiting = [
        one for one in paths
        if one.base.slow and not work.may_start(METHODS) and not held(one)]
    if waiting:
        names = listed([one.base.title for one in waiting])
        table = work.kept(AsTable.of, original.handed).table
        seconds = sum(
            len(one.values) * one.base.effort(table).of(drawn(one, releases))
            for one in waiting)
        work.wait_for(Job(
            METHODS, f"Run {names}",
            f"{names}: releases at {len(waiting[0].values)} settings take {about(seconds)}. Moving "
            "any control cancels."))
    return [one for one in paths if one not in waiting]


def drawn(path: Path, releases: int) -> int:
    """How many releases are drawn: fewer where each takes long."""
    return min(releases, FITTED_REPETITIONS) if path.base.slow else releases


def additions(paths: Iterable[Path]) -> str:
    """Which lines are no experiments of P4."""
    others = [lowered(one.base.title) for one in paths if one.base.name not in IN_P4]
    if not others:
        return ""
    lines = "that line is an addition" if len(others) == 1 else "those lines are additions"
    return f"P4 has no experiment with {listed(others)}; {lines} here."


def promises(paths: Iterable[Path]) -> str:
    """What the promise of those that make one leaves out here."""
    formal = [one.base.title for one in paths if one.base.family == "dp"]
    if not formal:
        return ""
    return (
        f"The ε of {listed(formal)} is about the counts in the bins; where the bins of numbers "
        "begin and end is read off the data, and no promise covers that."
    )


def left_out(reasons: Sequence[Left]) -> list[Notice]:
    """Methods that are not in the picture, and why."""
    if not reasons:
        return []
    of_why: dict[str, list[str]] = {}
    for name, why in reasons:
        of_why.setdefault(why, []).append(name)
    parts = [f"{listed(names)} ({why[:1].lower()}{why[1:].rstrip('.')})"
             for why, names in of_why.items()]
    return [Notice(f"Not in the picture: {listed(parts)}.", "quiet")]

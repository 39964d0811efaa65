"""Published tables: what has to be hidden beside small counts, and from whom."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from sdc_core.data.schema import Role, Type
from sdc_core.histogram import Histogram
from sdc_core.margins.cell_key import PTable
from sdc_core.margins.rules import Dominance, PPercent, Rule, Threshold
from sdc_core.mechanisms import mechanism
from sdc_core.parameters import EPSILON, THRESHOLD, Choice, Integer, Param, Percentage, Typed
from sdc_core.questions import columns, sources
from sdc_core.questions.answer import Action, Answer, Job, Notice, Panel, See
from sdc_core.questions.published_tables import against, figures, words
from sdc_core.questions.published_tables.against import Limit, Off
from sdc_core.questions.published_tables.compute import (
    LARGEST,
    SECONDS,
    Published,
    leaf_names,
    of_amounts,
    published,
    seconds_for,
)
from sdc_core.questions.published_tables.method import METHOD
from sdc_core.questions.question import Control, Given, Question, no_methods
from sdc_core.words.numbers import counted

MOST_CELLS = 400  # without totals: what a page of a yearbook can hold
PEOPLE = "people"
FEW = 3  # contributors of a sum that says too much, mostly
LEAST = "least"  # the job that looks for the least to hide
BASES = (3, 5)  # that numbers are rounded to
LOTTERY = PTable(spread=5, variance=3.0, least=2)


def features(given: Given) -> list[Choice]:
    return columns.of_a_table(given.dataset, MOST_CELLS, {
        "pub_columns": "Columns", "pub_first": "Rows by", "pub_second": "and by"})


def what(given: Given) -> Param | None:
    """People, or what can be added up over them."""
    numbers = [c for c in given.dataset.columns if c.is_number and c.type is not Type.DATE
               and c.role in (Role.SENSITIVE, Role.QUASI)]
    if not numbers:
        return None
    ranked = sorted(numbers, key=lambda c: c.role is not Role.SENSITIVE)
    titles = {PEOPLE: "number of people", **{c.name: f"sum of {c.title}" for c in ranked}}
    return Choice(name="pub_what", title="The table shows", default=PEOPLE,
                  choices=tuple(titles), titles=titles)


def rule_name(given: Given) -> Param | None:
    if not column(given):
        return None
    return Choice(
        name="pub_rule", title="Says too much", default="p", choices=("p", "dominance", "few"),
        titles={"p": "p percent rule", "dominance": "dominance (n, k)",
                "few": "few contributors"},
        help="By which rule a sum says too much about one of those who contribute to it.")


def settings(given: Given) -> list[Param]:
    """What the rule needs to know."""
    found: dict[str, list[Param]] = {
        "few": [dataclasses.replace(THRESHOLD, name="pub_k")],
        "p": [Percentage(
            name="pub_p", title="Worked out to within", symbol="p", unit="%", default=10.0, low=0.1,
            high=100.0, stronger="up", help="A sum is hidden if the second largest contributor can "
            "work out the largest contribution more closely than this.")],
        "dominance": [
            Integer(name="pub_n", title="Largest contributors", symbol="n", default=1, low=1,
                    high=LARGEST, help="So many of the largest contributions are added up."),
            Percentage(
                name="pub_share", title="have more than", symbol="k", unit="%", default=75.0,
                low=1.0, high=99.0, stronger="down",
                help="A sum is hidden if its largest contributors have more than this of it."),
        ],
    }
    return found[given.get("pub_rule") or "few"]


def limit(given: Given) -> Param | None:
    """Noise on sums needs a limit on what one person can contribute."""
    if not column(given):
        return None
    start = usual_limit(given)
    where = "that the dictionary gives" if given.dataset.column(column(given)).has_domain else (
        "that were read off these data: choose another, or nothing is promised")
    return Typed(
        name="pub_limit", title="Nobody counts with more than", default=start, low=0.0,
        high=1e15, closed="right", help="For noise on sums: larger amounts count as this. It has "
        "to be chosen without a look at the data; it starts at twice the highest edge between "
        f"groups {where}.")


def usual_limit(given: Given) -> float:
    """Twice the highest edge between the bins: a limit at the edge would cut a whole bin."""
    edges = given.dataset.column(column(given)).edges
    return 2 * max((edge for edge in edges if edge > 0), default=0.5)


def epsilon(given: Given) -> Param:
    return dataclasses.replace(EPSILON, name="pub_epsilon")


def search(given: Given) -> Param:
    return Choice(
        name="pub_method", title="What else is hidden", default="heuristic",
        choices=("heuristic", "best"), advanced=True,
        titles={"heuristic": "quickly found", "best": "as little as possible"},
        help="Quickly found: one number after the other, the cheapest way. As little as possible: "
        f"an integer program, for up to {SECONDS:.0f} seconds.")


def column(given: Given) -> str:
    """The number that is added up; empty where people are counted."""
    chosen = given.get("pub_what")
    return "" if chosen in (None, PEOPLE) else str(chosen)


def rule(given: Given) -> Rule:
    rules: dict[str, Callable[[], Rule]] = {
        "few": lambda: Threshold(given["pub_k"]),
        "p": lambda: PPercent(given["pub_p"]),
        "dominance": lambda: Dominance(given["pub_n"], given["pub_share"]),
    }
    return rules[given.get("pub_rule") or "few"]()


def table(given: Given) -> Histogram:
    names = [given[name] for name in ("pub_columns", "pub_first", "pub_second")]
    columns.check_different(names)
    return given.study.count(names).in_records


def zeros(given: Given) -> bool:
    """Is an empty group treated like any other, as on all pages?"""
    return not given.study.treated(mechanism("suppression")).settings()["keep_zeros"]


def answer(given: Given) -> Answer:
    found = protected(given)
    noise = None if found.table.counts_people else limited(given)
    rivals = others(given, found, noise)
    said = words.headline(found, rule(given))
    more = words.more(found, rule(given), rivals)
    hides = found.hiding is not None and bool(found.hidden.any())
    hiding = against.hiding(found) if hides else None
    ways = [*([] if hiding is None else [hiding]), *rivals]
    prose = (*words.way_sentences(found, hiding, rivals),
             *(() if noise is None else words.limit_sentences(noise)))
    return Answer(said, more, (
        yearbook(given, found, f"{said} {more}"),
        *((undone(found),) if found.sensitive.cells.any() else ()),
        *(() if found.hiding is None else (costs(found),)), off(found, ways, prose),
        learnt(ways)), notices(found))


def protected(given: Given) -> Published:
    """The table with what has to be hidden; the least of it once that is asked for."""
    asked = (given.table, given.dataset, column(given), given.study.domain, rule(given),
             zeros(given))
    method = given["pub_method"]
    if method == "best" and not (
        given.work.may_start(LEAST) or given.work.keep.holds(published, *asked, method)
    ):
        given.work.wait_for(Job(
            LEAST, "Look for the least to hide", f"Up to {SECONDS:.0f} seconds and some for the "
            "rest; shown is what is quickly found.", panel="published"))
        method = "heuristic"
    found: Published = given.work.told(
        "Looking for what has to be hidden", published, *asked, method)
    return found


def notices(found: Published) -> tuple[Notice, ...]:
    said = []
    if found.why_not:
        said.append(Notice(found.why_not, "warning"))
    if found.dropped:
        said.append(Notice(
            f"{counted(found.dropped, 'amount is', 'amounts are')} below 0 and "
            f"{'counts' if found.dropped == 1 else 'count'} as nothing here.", "quiet"))
    return tuple(said)


def limited(given: Given) -> Limit:
    """What noise on sums is in proportion to. Whether a limit was taken from the data cannot be
    seen, unless it is the one of the dictionary."""
    most = given["pub_limit"]
    sums, _, cut = given.work.kept(
        of_amounts, given.table, given.dataset, column(given), given.study.domain, most)
    declared = given.dataset.column(column(given)).has_domain
    return Limit(most, sums, cut, declared and most == usual_limit(given))


def others(given: Given, found: Published, noise: Limit | None) -> list[Off]:
    """What can be done instead: noise on every number, noise added up, and more for people."""
    epsilon = given["pub_epsilon"]
    if noise is not None:
        return against.noise_on_sums(found, noise, epsilon)
    drawn = given.work.told("TopDown", against.by_topdown, given.table, epsilon, given.seed)
    simulated = against.added_up(given.table, found, epsilon, drawn)
    given.work.saw(simulated.releases)
    return [against.noise_on_every(found, epsilon), against.noise_added_up(found, epsilon),
            simulated, *(against.rounded(found, base) for base in BASES),
            against.shifted(found, LOTTERY)]


def yearbook(given: Given, found: Published, alt: str) -> Panel:
    by = " and ".join(f.title for f in given.table.domain.features[1:])
    return Panel(
        "published", figures.title(found), "",
        figures.yearbook(found, leaf_names(given.table), f"The table by {by}"),
        lambda: figures.published_frame(found), alt=alt, legend=figures.legend(found),
        actions=() if words.least(found) or given["pub_method"] == "best" else (
            Action("Look for the least to hide", {"pub_method": "best"}, "search"),))


def undone(found: Published) -> Panel:
    return Panel(
        "published-undone", "What the totals would give away",
        "Numbers that say too much, by what somebody who adds up learns: if these alone are hidden"
        + (", and with further ones (secondary suppression)." if found.further.any() else "."),
        (figures.undone_bars(found),), lambda: figures.undone_frame(found),
        alt=words.bars_alt(found))


def costs(found: Published) -> Panel:
    return Panel(
        "published-groups", "Who loses numbers",
        "Of the numbers about each group, with its subtotals, the share that is hidden.",
        (figures.group_bars(found),), lambda: figures.group_frame(found),
        alt=words.groups_alt(found), prose=words.group_sentences(found))


def off(found: Published, ways: list[Off], prose: tuple[str, ...]) -> Panel:
    hidden = "hidden and guessed, " * bool(found.hidden.any())
    said = f"{hidden}with noise, rounded, or shifted" if found.table.counts_people else (
        f"{hidden}{'or ' * bool(hidden)}with noise")
    return Panel(
        "published-off", "How far off a number is",
        f"The same numbers, published in other ways: {said}.",
        (figures.off_marks(found, ways),), lambda: figures.off_frame(found, ways),
        alt=words.ways_alt(found, ways), prose=prose, controls=("pub_epsilon",))


def learnt(ways: list[Off]) -> Panel:
    return Panel(
        "published-learnt", "Whether it adds up, and what is learnt", "",
        figures.learnt_table(ways), lambda: figures.learnt_frame(ways))


def seconds(given: Given) -> float:
    """Sums have few contributors where a p percent or a dominance rule hides them."""
    return given.work.kept(seconds_for, given.table, given.get("pub_k") or FEW, zeros(given))


QUESTION = Question(
    address="published_tables", title="Published tables", section="What follows", icon="table_view",
    asks="what else has to be hidden so that small counts stay hidden in a table with totals?",
    sentence="To hide these small counts in a table with totals, so many more have to be hidden, "
    "most of them about these people; noise instead is off by so much and hides none.",
    answer=answer, method=METHOD, sources=(sources.HUNDEPOOL, sources.FISCHETTI),
    method_title="How is it chosen what is hidden, and what is assumed?",
    controls=(
        Control(features, prominent=True), Control(what, prominent=True), Control(rule_name),
        Control(settings, prominent=True), Control(limit), Control(search),
        Control(epsilon, at_panel=True),
    ),
    seconds=seconds, table=table, methods=no_methods, own_table=True, most_cells=MOST_CELLS,
    smaller="Columns and rows are chosen above the table.",
    see=(See("undo", "What totals give away where nothing further is hidden"),
         See("compare", "What noise and hiding do to single counts")),
)

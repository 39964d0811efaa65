"""Subgroups: does the relation of two features survive, and alike for every group of people?"""

from __future__ import annotations

from sdc_core.data import Dataset, default_id
from sdc_core.figures.theme import styles
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.dp_swapping import AS_IN_DAS_2024
from sdc_core.metrics.subgroups import MethodResult
from sdc_core.questions import columns, sources
from sdc_core.questions.answer import Action, Answer, Notice, Panel
from sdc_core.questions.question import Control, Given, Methods, Preset, Question, usual_methods
from sdc_core.questions.study import EmptyGroups
from sdc_core.questions.subgroups import controls, figures, notes, words
from sdc_core.questions.subgroups.compute import results
from sdc_core.questions.subgroups.method import METHOD

PAPERS_DATA = "national2019"


def methods(given: Given) -> Methods:
    return usual_methods(given) if controls.has_axes(given) else {}


def presets(given: Given) -> list[Preset]:
    """As in the paper: ε = 2, k = 10, zeros left alone, 25% of the records take the race of
    any other record."""
    if not controls.has_axes(given):
        return []
    names = given.table.domain.names
    swapped = ("RAC1P",) if "RAC1P" in names else names[:1]
    return [Preset(
        "das-2024-figure-3", "As in Das et al. 2024, Figure 3",
        (
            mechanism("laplace", epsilon=2.0), mechanism("discrete-gaussian", epsilon=2.0),
            mechanism("dp-suppression", epsilon=2.0, k=10),
            mechanism("dp-swapping", epsilon=2.0, quasi_identifiers=swapped, **AS_IN_DAS_2024),
        ),
        EmptyGroups.LEFT_AT_ZERO,
    )]


def answer(given: Given) -> Answer:
    offered = national_data(given.dataset)
    if not controls.has_axes(given):
        titles = columns.titles(given.dataset)
        return Answer(*notes.axes_missing(
            [titles[name] for name in columns.ordered(given.dataset)],
            [titles[name] for name in columns.unordered(given.dataset)],
        ), notices=offered)
    y, x = given.table.domain.features[-2:]
    found = results(given, controls.shown_groups(given))
    once = said_once(found)
    headline, more = words.subgroup_sentences(once, y, x, given["g_view"] == "average")
    notices = (
        *offered, *about_choices(given),
        *(Notice(note, icon="info") for note in notes.group_notes(once)),
    )
    panels = (who_is_missing, alike) if found else ()
    return Answer(
        headline, more, tuple(panel(given, found, headline) for panel in panels), notices)


def said_once(found: list[MethodResult]) -> list[MethodResult]:
    """A method that is chosen twice is drawn twice, and one method in every sentence."""
    return list({one.mechanism: one for one in found}.values())


def national_data(dataset: Dataset) -> tuple[Notice, ...]:
    """The papers show the national data, and so does this page unless other data was chosen. That
    is said; whoever looks at other data is taken there."""
    if dataset.id in (PAPERS_DATA, f"{PAPERS_DATA}-twin"):
        return (Notice(
            "This page starts on the national data, as in the papers, and not on one state as most "
            "pages do.", "quiet"),)
    larger = "." if dataset.origin == "own" else ", where all groups are larger."
    return (Notice(
        f"This is {dataset.title}; the papers show the national data{larger}", "quiet",
        action=Action("Show the national data", {"data": default_id(PAPERS_DATA)}, icon="public"),
    ),)


def about_choices(given: Given) -> list[Notice]:
    """In which order values stand that have none, and whether more groups were chosen than are
    shown."""
    notices = []
    orders, titles = controls.chosen_orders(given), columns.titles(given.dataset)
    if orders:
        listed = columns.unordered(given.dataset)
        as_listed = [titles[name] for name, order in orders.items() if order == listed[name]]
        notices.append(Notice(notes.order_sentence(
            {titles[name]: order for name, order in orders.items()}, as_listed), "quiet"))
    if len(given["groups"]) > controls.MOST_GROUPS:
        notices.append(Notice(f"The first {controls.MOST_GROUPS} are shown.", "quiet"))
    return notices


def who_is_missing(given: Given, found: list[MethodResult], headline: str) -> Panel:
    y, x = given.table.domain.features[-2:]
    scale = figures.error_scale(found, given.dark)
    looks = styles([one.mechanism for one in found])
    return Panel(
        "subgroups", "Who is missing, who is too many?",
        words.heat_sentence(said_once(found), given["g_view"] == "average", x, y),
        tuple(
            given.work.kept(figures.heat_map, one, look, y, x, scale)
            for one, look in zip(found, looks, strict=True)
        ),
        lambda: figures.cell_table(found, y, x),
        alt=f"Heat maps of released minus true people by {x.title} and {y.title}, one panel for "
        f"each method and group, with the true and the released line. {headline}",
        legend=figures.legend(found, y, x, scale),
    )


def is_the_papers(given: Given) -> bool:
    """Is all as in the paper: data, chart, groups, methods, conventions?"""
    return (
        given.dataset.id == PAPERS_DATA
        and all(given[name] == param.default for name, param in given.params.items())
        and any(one.is_on(given.study, given.methods) for one in presets(given))
    )


def alike(given: Given, found: list[MethodResult], headline: str) -> Panel:
    said = words.disparity_sentence(said_once(found), given["g_view"] == "average")
    papers = words.papers_sentence(found) if is_the_papers(given) else ""
    return Panel(
        "disparity", "Are the groups treated alike?", f"{said} {papers}".strip(),
        figures.disparity_bars(found, said or headline),
        lambda: figures.subgroup_table(found), said or headline,
    )


QUESTION = Question(
    address="subgroups", title="Subgroups", section="Is it still true?", icon="diversity_3",
    asks="do income and education still go together, for White men as for Black men?",
    sentence="After hiding small counts, the line that links education with income is flatter "
    "for Black men than in the data; for White men it hardly changes.",
    answer=answer, method=METHOD, sources=(sources.P0, sources.P2),
    method_title="What is counted, and how is it computed?",
    controls=(
        Control(controls.to_put_in_order), Control(controls.upwards, prominent=True),
        Control(controls.across, prominent=True), Control(controls.grouped_by, prominent=True),
        Control(controls.orders_of_axes), Control(controls.groups),
        Control(controls.view, after_methods=True, prominent=True, width="content"),
    ),
    table=controls.counted, methods=methods, presets=presets,
    old_slots=("s1", "s2", "s3", "s4"), data=PAPERS_DATA, own_table=True, weighted=True,
)

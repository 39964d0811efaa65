"""Subgroups: does the relation of two features survive, and alike for every group of people?"""

from __future__ import annotations

from sdc_core.data import Dataset, default_id
from sdc_core.figures.theme import styles
from sdc_core.mechanisms import mechanism
from sdc_core.metrics.subgroups import MethodResult, ordinal_features, unordered_features
from sdc_core.questions import sources
from sdc_core.questions.answer import Action, Answer, Notice, Panel
from sdc_core.questions.question import Control, Given, Methods, Question
from sdc_core.questions.subgroups import controls, figures, words
from sdc_core.questions.subgroups.compute import results
from sdc_core.questions.subgroups.method import METHOD

PAPERS_DATA = "national2019"


def methods(given: Given) -> Methods:
    """As in the papers: ε = 2, k = 10, zeros left alone, 25% of the records take another race."""
    if not controls.has_axes(given):
        return {}
    names = given.table.domain.names
    swapped = ("RAC1P",) if "RAC1P" in names else names[:1]
    return {
        "s1": mechanism("laplace", epsilon=2.0),
        "s2": mechanism("suppression", k=10, keep_zeros=True),
        "s3": mechanism("dp-suppression", epsilon=2.0, k=10, keep_zeros=True),
        "s4": mechanism("dp-swapping", epsilon=2.0, swap_rate=0.25, quasi_identifiers=swapped),
    }


def answer(given: Given) -> Answer:
    offered = national_data(given.dataset)
    if not controls.has_axes(given):
        titles = controls.titles(given)
        return Answer(*words.axes_missing(
            [titles[name] for name in ordinal_features(given.dataset)],
            [titles[name] for name in unordered_features(given.dataset)],
        ), notices=offered)
    y, x = given.table.domain.features[-2:]
    found = results(given, controls.shown_groups(given))
    headline, more = words.subgroup_sentences(found, y, x)
    notices = (
        *offered, *about_choices(given),
        *(Notice(note, icon="info") for note in words.group_notes(found)),
    )
    panels = (who_is_missing(given, found, headline), alike(found, headline)) if found else ()
    return Answer(headline, more, panels, notices)


def national_data(dataset: Dataset) -> tuple[Notice, ...]:
    """The papers show the national data; whoever looks at other data is told, and taken there."""
    if dataset.id in (PAPERS_DATA, f"{PAPERS_DATA}-twin"):
        return ()
    larger = "." if dataset.origin == "own" else ", where all groups are larger."
    return (Notice(
        f"This is {dataset.title}; the papers show the national data{larger}", "quiet",
        action=Action("Show the national data", {"data": default_id(PAPERS_DATA)}, icon="public"),
    ),)


def about_choices(given: Given) -> list[Notice]:
    """In which order values stand that have none, and whether more groups were chosen than are
    shown."""
    notices = []
    orders, titles = controls.chosen_orders(given), controls.titles(given)
    if orders:
        listed = unordered_features(given.dataset)
        as_listed = [titles[name] for name, order in orders.items() if order == listed[name]]
        notices.append(Notice(words.order_sentence(
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
        words.heat_sentence(found, given["g_view"] == "average", x, y),
        tuple(
            given.work.kept(figures.heat_map, one, look, y, x, scale)
            for one, look in zip(found, looks, strict=True)
        ),
        lambda: figures.cell_table(found, y, x),
        alt=f"Heat maps of released minus true people by {x.title} and {y.title}, one panel for "
        f"each method and group, with the true and the released line. {headline}",
        legend=figures.legend(found, y, x, scale),
    )


def alike(found: list[MethodResult], headline: str) -> Panel:
    said = words.disparity_sentence(found)
    return Panel(
        "disparity", "Are the groups treated alike?",
        f"{said} {words.papers_sentence(found)}".strip(),
        figures.disparity_bars(found, said or headline),
        lambda: figures.subgroup_table(found), said or headline,
    )


QUESTION = Question(
    address="subgroups", title="Subgroups", section="Is it still true?", icon="diversity_3",
    asks="do income and education still go together, for White men as for Black men?",
    sentence="After suppression, the line of income on education of Black men is a fifth less "
    "steep than in truth; that of White men hardly moves.",
    answer=answer, method=METHOD, sources=(sources.P0, sources.P2),
    method_title="What is counted, and how is it computed?",
    controls=(
        Control(controls.to_put_in_order), Control(controls.upwards, row=1),
        Control(controls.across, row=1), Control(controls.grouped_by, row=1),
        Control(controls.orders_of_axes, row=2), Control(controls.groups, row=3),
        Control(controls.view, after_methods=True, row=4),
    ),
    table=controls.counted, methods=methods, data=PAPERS_DATA, own_table=True,
)

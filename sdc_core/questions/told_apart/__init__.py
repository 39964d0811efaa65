"""Told apart: could a classifier tell released records from original ones?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import pandas as pd

from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.metrics.propensity import CLASSIFIERS, COPIES, FOLDS, FRESH_SAMPLES, GIVES_AWAY
from sdc_core.parameters import Choice
from sdc_core.questions import sources
from sdc_core.questions.answer import Answer, Notice, Panel
from sdc_core.questions.question import Control, Given, Preset, Question
from sdc_core.questions.told_apart import figures, words
from sdc_core.questions.told_apart.compute import (
    MARGINALS,
    RELEASES,
    CopyScores,
    ToldApart,
    copy_scores,
    told_apart,
)
from sdc_core.questions.told_apart.method import METHOD
from sdc_core.questions.work import Released
from sdc_core.words.numbers import counted

COMBINATIONS = ("combination of values", "combinations of values")
MOST_CELLS = 20_000  # where four methods take a minute or two
SECONDS_A_PLACE = 1.3e-3  # of a method: the tables of each place are compared release by release
COUNTED = ("PUMA", "SEX", "RAC1P", "PINCP_DECILE", "OWN_RENT")  # by Das, Tajeddine and Fioretto


def presets(given: Given) -> list[Preset]:
    """Its equation 1: counts below k are always hidden, empty groups are filled. k is not said."""
    return [Preset(
        "das-2023-figure-2", "As in Das, Tajeddine and Fioretto, Figure 2",
        (mechanism("aim", epsilon=4.0), mechanism("laplace", epsilon=4.0),
         mechanism("dp-suppression", epsilon=4.0, variant="P2")),
    )]


def what_the_paper_says(given: Given) -> str:
    """Only where methods, table and conventions are the paper's."""
    (figure,) = presets(given)
    alike = set(given.table.domain.names) == set(COUNTED)
    return words.PAPER if alike and figure.is_on(given.study, given.methods) else ""


def classifier(given: Given) -> Choice:
    return Choice(
        name="classifier", title="Classifier", default="tree", choices=tuple(CLASSIFIERS),
        titles={name: one.title for name, one in CLASSIFIERS.items()}, segments=True,
        label_hidden=True,
    )


def features_of_a_table(given: Given) -> Choice | None:
    """Nothing to choose where all features together make no larger table than the smallest."""
    others = [name for name in given.table.domain.names if name != place(given)]
    if len(others) <= MARGINALS[0]:
        return None
    return Choice(
        name="t_k", title="Tables of", default=str(MARGINALS[0]),
        choices=tuple(str(k) for k in MARGINALS),
        titles={str(k): f"{k} features" for k in MARGINALS}, segments=True, label_hidden=True,
    )


def place(given: Given) -> str | None:
    """The feature of places, if people are counted by it."""
    named = given.dataset.place
    return named if named in given.table.domain.names else None


def place_title(given: Given) -> str:
    """What the data calls its places, whether people are counted by them or not."""
    return given.dataset.column(given.dataset.place).title if given.dataset.place else ""


def answer(given: Given) -> Answer:
    """By the classifier that is chosen; the table of all numbers has both, once it is asked for."""
    released = given.work.releases(given.methods, given.table, given.seed, RELEASES)
    if not released:
        return Answer(*words.told_apart_sentences([], given["classifier"]))
    by = place(given)
    against = given.work.told(
        "What an exact copy would score", copy_scores, given.table, by, given.seed,
        (given["classifier"],))
    found = [
        given.work.told(f"Telling {one.label()} from the original", told_apart, one, given.table,
                        rows, against, by, given.seed)
        for one, rows in released
    ]
    headline, more = words.told_apart_sentences(found, given["classifier"])
    notices = tuple(nobody_released(dict.fromkeys(found)))
    if not any(one.scores for one in found):
        return Answer(headline, more, notices=notices)
    panels = (
        how_sure(given, found, headline), which_are_recognised(given, found),
        how_far_from_a_copy(given, found, against, released), place_by_place(given, found, against),
    )
    return Answer(headline, more, panels, notices)


def by_all_classifiers(
    released: Sequence[Released], table: Histogram, by: str | None, seed: int
) -> pd.DataFrame:
    """All summary numbers; those of the chosen classifier come out as they are shown."""
    against = copy_scores(table, by, seed)
    found = [told_apart(one, table, rows, against, by, seed) for one, rows in released]
    return figures.summary_table(found, against)


def seconds(given: Given) -> float:
    """Every release and every copy is dealt into folds and fitted anew; a release but for the first
    in one fold."""
    features, by = given.table.domain.features, place(given)
    releases = (RELEASES + FOLDS - 1) * len(given.methods)
    fits = releases + FOLDS * (COPIES + FRESH_SAMPLES)
    places = sum(len(feature) for feature in features if feature.name == by)
    each = CLASSIFIERS[given["classifier"]].seconds(features, len(given.table))
    return fits * each + SECONDS_A_PLACE * places * len(given.methods)


def nobody_released(found: Iterable[ToldApart]) -> Iterator[Notice]:
    """Releases that have nobody in them are left out, which is said."""
    for one in found:
        text = "" if one.scores else one.problem
        if one.scores and one.releases < one.drawn:
            text = f"{one.releases:,} of {one.drawn:,} releases have people in them."
        if text:
            yield Notice(f"{one.mechanism.label()}: {text}", "warning", "person_off")


def how_sure(given: Given, found: list[ToldApart], headline: str) -> Panel:
    chosen, once = given["classifier"], list(dict.fromkeys(found))  # one chosen twice is one
    said = [
        words.finding_sentence(once, chosen, what_the_paper_says(given)),
        words.like_a_copy_sentence(once, chosen),
    ]
    return Panel(
        "propensity", "How surely is a record recognised as released?",
        "Grey: original records; colour: released ones; shares by their square root, means over "
        "all releases. Where the release looks like the original, both lie around 50. The red "
        f"strip is where records are recognised. {' '.join(filter(None, said))}",
        tuple(given.work.kept(figures.score_charts, found, chosen)),
        lambda: figures.score_table(found, chosen),
        alt=f"Distribution of scores, one panel a method on one scale. {headline}",
    )


def which_are_recognised(given: Given, found: list[ToldApart]) -> Panel:
    listed = given.work.kept(figures.given_away, found, given["classifier"])
    title = "Which released records are recognised?"
    surely = f"a score of {100 * GIVES_AWAY:.0f} or more"
    if not listed.patterns:
        return Panel(
            "given-away", title, f"None in the first release of any method: no record has {surely}."
        )
    number = len(listed.patterns)
    shown = f" (the first {figures.MOST_LISTED} are shown)" * (number > figures.MOST_LISTED)
    return Panel(
        "given-away", title,
        f"The first release of each method alone: {counted(number, *COMBINATIONS)} with "
        f"records of {surely}, those with most such records first{shown}. Another release would "
        "list others. Nobody in the data: nobody has this combination of values, so no real person "
        "is in these records.",
        figures.given_away_list(listed), lambda: figures.given_away_table(listed),
    )


def how_far_from_a_copy(
    given: Given, found: list[ToldApart], against: CopyScores, released: Sequence[Released]
) -> Panel:
    ratios = words.ratio_sentence(list(dict.fromkeys(found)), against)
    alt = (
        "Bars: records that are recognised, pMSE ratio and k-marginal scores, "
        f"for each method. {ratios}"
    )
    return Panel(
        "told-apart", "How far from a copy?",
        f"{ratios} Misplaced: the share of people in the wrong group of the average small table. A "
        "thin line is one standard error to both sides. The table has both classifiers.",
        figures.summary_bars(found, against, given["classifier"], alt),
        lambda: given.work.kept(
            by_all_classifiers, released, given.table, place(given), given.seed), alt,
    )


def place_by_place(given: Given, found: list[ToldApart], against: CopyScores) -> Panel:
    title, k = "Do small tables agree, place by place?", int(given.get("t_k") or MARGINALS[0])
    if not any(one.tables for one in found):
        problem = next((one.problem for one in found if one.problem), "")
        return Panel("k-marginal", title, problem)
    named = place_title(given)
    said = words.marginal_sentence(list(dict.fromkeys(found)), k, against, named)
    if place(given) is None:
        return Panel("k-marginal", title, f"{said} {words.no_places_sentence(named)}",
                     controls=("t_k",))
    return Panel(
        "k-marginal", title, f"{said} {figures.left_out_places(found, k)}",
        tuple(figures.place_chart(found, k)), lambda: figures.place_table(found, k),
        alt=f"{k}-marginal score of each place, one mark a method. {said}", controls=("t_k",),
    )


QUESTION = Question(
    address="told_apart", title="Told apart", section="Is it still true?", icon="join_inner",
    asks="could a classifier tell released records from original ones, and which are recognised?",
    sentence="A computer that compares the original with the release can tell that so many of the "
    "records released by method A are not original; it can tell so of none of those by method B.",
    answer=answer, method=METHOD,
    sources=(f"{sources.P2} §3.2, Figure 2", sources.SNOKE, sources.SDNIST),
    controls=(
        Control(classifier, after_methods=True, prominent=True),
        Control(features_of_a_table, after_methods=True, at_panel=True),
    ),
    presets=presets, old_slots=("t1", "t2", "t3", "t4"), most_cells=MOST_CELLS, seconds=seconds,
)

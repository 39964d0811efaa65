"""Can hiding be undone? What totals give away of hidden counts, and what noise leaves to guess."""

from __future__ import annotations

import dataclasses

from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.parameters import EPSILON, THRESHOLD, Choice, Param
from sdc_core.questions import columns, sources
from sdc_core.questions.answer import Answer, Panel, See, TableView
from sdc_core.questions.question import Control, Given, Question, no_methods
from sdc_core.questions.undo import figures, words
from sdc_core.questions.undo.compute import Undone, against_noise, block, fitting, undone
from sdc_core.questions.undo.method import METHOD
from sdc_core.words.numbers import lowered

MOST_CELLS = 400  # of a table that can be looked through


def features(given: Given) -> list[Choice]:
    return columns.of_a_table(given.dataset, MOST_CELLS, {
        "undo_place": "Columns", "undo_first": "Groups by", "undo_second": "and by"})


def threshold(given: Given) -> Param:
    return dataclasses.replace(THRESHOLD, name="undo_k")


def epsilon(given: Given) -> Param:
    return dataclasses.replace(EPSILON, name="undo_epsilon")


def one_place(given: Given) -> Param:
    """Which column is reconstructed by itself: the one with most small counts to begin with."""
    across = given.table.domain.features[0]
    counts = given.table.counts.reshape(len(across), -1)
    small = ((counts > 0) & (counts < given["undo_k"])).sum(axis=1)
    return Choice(
        name="undo_block", title="Reconstruct", default=across.values[int(small.argmax())],
        choices=across.values, titles=dict(zip(across.values, across.labels, strict=True)),
    )


def table(given: Given) -> Histogram:
    names = [given[name] for name in ("undo_place", "undo_first", "undo_second")]
    columns.check_different(names)
    return given.study.count(names).in_records


def keeps_zeros(given: Given) -> bool:
    """As all pages treat empty groups."""
    return bool(given.study.treated(mechanism("suppression")).settings()["keep_zeros"])


def answer(given: Given) -> Answer:
    k, keep = given["undo_k"], keeps_zeros(given)
    found = given.work.kept(undone, given.table, k, keep)
    headline, more = words.undo_sentences(found, k)
    return Answer(headline, more, (
        Panel(
            "undo", "The table, and what its totals give away",
            "× is hidden. Framed in red: what it must be, computed from the totals; dotted: what "
            "it can still be. Groups that have nobody anywhere are left out here.",
            figures.hidden_table(found, "Counts by group and place"),
            lambda: figures.undo_frame(found), alt=f"{headline} {more}",
        ),
        Panel(
            "undo-totals", "What the totals add", "Hidden counts, by what a reader can work out.",
            (figures.undo_bars(found),), alt=_bars_alt(found),
        ),
        reconstruction(given, k, keep),
    ))


def _bars_alt(found: Undone) -> str:
    known, narrowed, rest = found.with_totals()
    without = found.without_totals()
    return (
        f"With totals {known} hidden counts are computed back, {narrowed} narrowed down and of "
        f"{rest} nothing is learnt; without totals {without[0]} are computed back."
    )


def reconstruction(given: Given, k: int, keep: bool) -> Panel:
    place = given.table.domain.features[0]
    at = place.values.index(given["undo_block"])
    found = given.work.kept(block, given.table, at, k, keep)
    noise = given.work.kept(
        against_noise, found.table.counts, given["undo_epsilon"], given.seed)
    given.work.releases_seen = max(given.work.releases_seen, len(noise.right))
    by = " and by ".join(lowered(one.title) for one in given.table.domain.features[1:])
    said = words.block_sentences(
        found, f"{place.labels[at]} by itself, with exact totals by {by}",
        given.work.kept(fitting, found), noise, given["undo_epsilon"])
    return Panel(
        "undo-block", "One place, reconstructed",
        "The same place twice: with small counts hidden and exact totals, and with noise on "
        "everything. Noisy and best-fitting counts are those of the first release.",
        TableView(figures.block_frame(found, noise)), alt=" ".join(said),
        prose=(*said, words.CLAIMS), controls=("undo_block", "undo_epsilon"),
    )


QUESTION = Question(
    address="undo", title="Can hiding be undone?", section="What follows", icon="undo",
    asks="which hidden counts can be worked out from published totals, and can noise be undone?",
    sentence="So many of the hidden counts can be computed back from the totals, among them that "
    "of these people; and so many counts are right if a table with noise is reconstructed.",
    answer=answer, method=METHOD, sources=(sources.P0, sources.P1),
    method_title="How are hidden counts computed back, and what is assumed?",
    controls=(
        Control(features, prominent=True), Control(threshold, prominent=True),
        Control(one_place, after_methods=True, at_panel=True), Control(epsilon, at_panel=True),
    ),
    table=table, methods=no_methods, own_table=True, most_cells=MOST_CELLS,
    smaller="Columns and groups are chosen above the table.",
    see=(See("reidentification", "Which single people show in a release"),
         See("published_tables", "What else has to be hidden so that nothing is computed back")),
)

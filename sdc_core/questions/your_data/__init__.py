"""Your data: what do the columns mean, and which groups does a table have because of that?"""

from __future__ import annotations

import pandas as pd

from sdc_core.data.editing import (
    DIFFERENT,
    DOMAIN,
    MISSING_CODES,
    described,
    labelled_columns,
    labels_of,
)
from sdc_core.errors import InputError
from sdc_core.histogram import MAX_CELLS, Histogram
from sdc_core.parameters import Choice
from sdc_core.questions import sources
from sdc_core.questions.answer import Answer, ColumnLook, Notice, Panel, TableView
from sdc_core.questions.question import Control, Given, Question, no_methods
from sdc_core.questions.your_data import words
from sdc_core.questions.your_data.method import METHOD

_MOST_HEIGHT = 640
_ROW = 35  # pixels of a row in a shown table


def table(given: Given) -> Histogram:
    """The table that the study counts; people without groups where that cannot be made, since the
    columns are to be put right here."""
    try:
        return given.study.table
    except InputError:
        return Histogram.from_counts([len(given.dataset)])


def labelled(given: Given) -> Choice | None:
    """Of which column the words for its codes are shown."""
    names = labelled_columns(given.dataset.columns)
    if not names:
        return None
    chosen = [n for n in given.study.features if n in names]
    return Choice(
        name="label_of", title="Column", default=(chosen or names)[0],
        choices=names, titles={c.name: c.title for c in given.dataset.columns},
    )


def answer(given: Given) -> Answer:
    data, notices = given.dataset, []
    try:
        counted = given.study.table
    except InputError as problem:
        counted = None
        notices.append(Notice(str(problem), "error", "error"))
    headline, more = words.sentences(data, counted, given.study.domain)
    undeclared = words.undeclared_sentences(data.looked_at)
    notices += [Notice(text, "warning", "rule") for text in undeclared]
    return Answer(headline, more, (
        Panel("file", caption=words.reading_words(data), editor="file"),
        columns(given, headline), *labels(given),
        Panel("rows", "The first records as they were read", words.ROWS_CAPTION, editor="rows",
              folded=True, icon="table_rows"),
    ), tuple(notices))


def columns(given: Given, headline: str) -> Panel:
    frame = given.work.kept(described, given.dataset.looked_at)
    looks = {
        "type": ColumnLook(width=115), DOMAIN: ColumnLook(width=250),
        DIFFERENT: ColumnLook("different", "%d", 85), "declared": ColumnLook(width=80),
        MISSING_CODES: ColumnLook("missing", width=80),
    }
    return Panel(
        "columns", "What the columns mean", words.columns_caption(given.dataset),
        TableView(frame, looks, height=min(_MOST_HEIGHT, (len(frame) + 1) * _ROW + 3)),
        alt=f"One row a column of the file. {headline}", editor="columns",
    )


def labels(given: Given) -> list[Panel]:
    name = given.get("label_of")
    if name is None:
        return []
    found = labels_of(given.dataset.looked_at, name)
    frame = pd.DataFrame({"code": list(found), "label": list(found.values())}, dtype=str)
    return [Panel(
        "labels", "Words for codes", words.labels_caption(given.dataset.column(name), len(found)),
        TableView(frame, height=min(_MOST_HEIGHT // 2, (len(frame) + 1) * _ROW + 3), width=520),
        alt=f"Codes of {name} and the words for them.", controls=("label_of",), editor="labels",
    )]


QUESTION = Question(
    address="your_data", title="Your data", section="Yours", icon="table_edit",
    asks="what do the columns of the file mean, and are the groups declared or read off the data?",
    sentence="My file has N records and M columns; K of them are what an outsider may know, S are "
    "sensitive; the groups of the table are declared, or read off the data.",
    answer=answer, method=METHOD, sources=(sources.P0,), table=table, methods=no_methods,
    method_title="What do roles and declarations change?",
    controls=(Control(labelled, at_panel=True, width=320),), takes_files=True,
    uses=frozenset({"data", "domain"}),
    most_cells=MAX_CELLS,  # whoever has too many groups puts that right here
)

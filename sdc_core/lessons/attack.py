"""Lesson 3: attack it. What somebody who knows a little learns from each release."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from sdc_core.lessons.drawings import table_panel
from sdc_core.lessons.lesson import Lesson, Scene, Step, from_question
from sdc_core.questions.answer import Answer, Panel
from sdc_core.questions.undo.compute import undone
from sdc_core.questions.undo.figures import hidden_table
from sdc_core.words.numbers import Sentences


def _puzzle(scene: Scene, found: Answer) -> Panel:
    """The table as an office prints it, for the class to work on."""
    assert found.run is not None
    chosen, study = found.run.controls, found.run.study(scene.dataset)
    counts = study.count([chosen[f"undo_{name}"] for name in ("place", "first", "second")])
    hidden = scene.work.kept(undone, counts.in_records, int(chosen["undo_k"]),
                             study.empty_groups == "left")
    return Panel(
        "puzzle", "The table as it is printed",
        f"× is hidden: a count below {chosen['undo_k']}"
        + (", but not 0." if study.empty_groups == "left" else "."),
        hidden_table(hidden, "Counts by group and place", told=False),
        alt=f"A table of counts with totals; {hidden.hidden.sum()} small counts are hidden.",
    )


def _three(scene: Scene, found: Answer) -> Panel:
    frame = pd.DataFrame({
        "intruder": ["The neighbour", "The fan", "The employer"],
        "knows": ["some answers of a person whom no other shares them with",
                  "who has the largest value of all", "all about a person"],
        "wants to know": ["one more answer of that person", "one more answer of that person",
                          "whether that person is in the file at all"],
    })
    return table_panel("three-intruders", "Three intruders", frame)


def _second(found: Answer) -> Mapping[str, str]:
    more = found.more
    parts = more.parts if isinstance(more, Sentences) else (str(more),)
    return {"second": parts[1] if len(parts) > 1 else ""}


LESSON = Lesson(
    "attack", "Attack it",
    "To play the intruder: who can be seen, what can be undone, and what single records give away.",
    (
        Step("Who is one of a kind?", "Some people share their answers with nobody. Somebody who "
             "knows those answers can look for them in what is published.",
             "Guess: after which way of protecting are most of them still to be seen?",
             "{headline} {first}",
             from_question("reidentification", "unique-matches", "Choose who is looked for"), 15),
        Step("What can be undone?", "An office hides small counts, but prints the totals of rows "
             "and columns, as always.",
             "Can you compute a hidden count back? Find a row where only one is hidden.",
             "{headline}",
             from_question("undo", "undo", "Undo another table", before=_puzzle), 15),
        Step("Three intruders", "Now records instead of tables: one line for each person, with "
             "numbers such as age and income.",
             "Which of the three would you fear most? Guess how often each succeeds.",
             "{headline} {first} {second}",
             from_question("intruders", "intruders", "Play the intruder", _second, _three), 15),
    ),
)

"""Lesson 3: attack it. What somebody who knows a little learns from each release."""

from __future__ import annotations

from sdc_core.lessons.lesson import Lesson, Step, from_question

LESSON = Lesson(
    "attack", "Attack it",
    "To play the intruder: who can be found, what can be undone, and against whom noise helps.",
    (
        Step("Who is one of a kind?", "Some people share their answers with nobody. Somebody who "
             "knows those answers can look for them in what is published.",
             "Guess: after which way of protecting are most of them still to be seen?",
             "{headline} {first}",
             from_question("reidentification", "unique-matches", "Choose who is looked for"), 15),
        Step("What can be undone?", "An office hides small counts, but prints the totals of rows "
             "and columns, as always.",
             "Can you compute a hidden count back?",
             "{headline}", from_question("undo", "undo", "Undo another table"), 15),
        Step("Three intruders", "Now records instead of tables: an intruder who knows that a "
             "certain person is in the file.",
             "Which of the three would you fear most?",
             "{headline}", from_question("intruders", "intruders", "Play the intruder"), 15),
    ),
)

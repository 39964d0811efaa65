"""Lesson 4: who pays? Subgroups, money and places."""

from __future__ import annotations

from sdc_core.lessons.lesson import Lesson, Step, from_question

LESSON = Lesson(
    "who-pays", "Who pays?",
    "To see that the same protection costs some people more than others, and to name them.",
    (
        Step("Small groups", "Protection moves counts. Here is how far, for groups of every size.",
             "Who is hurt most: small groups or large ones? Is it the same for every method?",
             "{headline} {first}",
             from_question("compare", "sizes", "Compare other methods"), 12),
        Step("Places", "The same errors on a map.",
             "In which place would you rather not rely on the published numbers?",
             "{headline} {first}", from_question("map", "map-first", "Look at another group"), 11),
        Step("Men and women, Black and White", "Do income and education still go together in the "
             "published table, for everybody alike?",
             "For whom does the line change most?",
             "{headline} {first}",
             from_question("subgroups", "subgroups", "Choose other groups"), 11),
        Step("Money", "A sum is shared out by the published counts instead of the true ones.",
             "Who gains, who loses, and how much?",
             "{headline} {first}", from_question("funding", "money", "Share out another sum"), 11),
    ),
)

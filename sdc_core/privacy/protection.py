"""What is protected? Five questions that any privacy promise has to answer, and the answers.

An ε says how much, and nothing else. Bailie, Gong and Meng (P3) split a promise into five parts:
what can be protected (the possible data), to where the protection reaches (which of these data
are compared; whatever is published exactly is outside), who the unit is, how a change of the
output is measured, and how much of it is allowed. Two ε can be compared only if the other four
answers agree.

Every mechanism declares its answers in plain words, in a class variable `protection`; phrases that
several share are here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Protection:
    """The five answers of one mechanism, a sentence or two each."""

    what: str
    where: str
    unit: str
    measured: str
    how_much: str


QUESTIONS: dict[str, str] = {
    "what": "What can be protected?",
    "where": "To where does it reach?",
    "unit": "Who is the unit?",
    "measured": "How is it measured?",
    "how_much": "How much?",
}

EVERYTHING = "Everything a person answered: any feature of the table may be different."
PERSON = (
    "One person, whose answers may change to any others. How many people there are counts as known."
)
ODDS_AND_SLACK = "By odds with slack: no set of tables is more than e^ε times as likely, plus δ."
ODDS = (
    "By odds: when that person's record changes, no published table becomes more than e^ε times as "
    "likely or unlikely. No exceptions."
)

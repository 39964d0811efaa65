"""What the theorems say: which of the printed bounds on error and fairness hold on this table?"""

from __future__ import annotations

import dataclasses

from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.swapping import QUASI_IDENTIFIERS
from sdc_core.parameters import EPSILON, THRESHOLD, Param
from sdc_core.questions import sources
from sdc_core.questions.answer import Answer, Panel, See
from sdc_core.questions.question import Control, Given, Question, no_methods
from sdc_core.questions.theorems import figures, words
from sdc_core.questions.theorems.method import METHOD
from sdc_core.theorems import Finding, Setting, findings


def epsilon(given: Given) -> Param:
    return dataclasses.replace(EPSILON, name="th_epsilon")


def threshold(given: Given) -> Param:
    return dataclasses.replace(THRESHOLD, name="th_k")


def setting(given: Given) -> Setting:
    """The papers' own: 25% of the records swapped, race and sex where the table has them; else
    what an outsider may know."""
    hiding = given.study.treated(mechanism("dp-suppression"))
    return Setting(
        given.table, given["th_epsilon"], given["th_k"],
        quasi_identifiers=QUASI_IDENTIFIERS.offered(given.table.domain.features).default,
        keep_zeros=hiding.settings()["keep_zeros"],
    )


def found_on(
    table: Histogram, epsilon: float, k: int, quasi_identifiers: tuple[str, ...], keep_zeros: bool
) -> list[Finding]:
    return findings(Setting(
        table, epsilon, k, quasi_identifiers=quasi_identifiers, keep_zeros=keep_zeros
    ))


def answer(given: Given) -> Answer:
    chosen = setting(given)
    found = given.work.kept(
        found_on, chosen.table, chosen.epsilon, chosen.k, chosen.quasi_identifiers,
        chosen.keep_zeros,
    )
    headline, more = words.theorem_sentences(found)
    return Answer(headline, more, (
        Panel(
            "theorems-ratio", "How near do the theorems come?",
            "What is printed, as a multiple of the exact value on this table. Left of the line at "
            "1 a theorem fails; far to the right it holds but says little.",
            (figures.ratio_chart(found),), alt=figures.alt_text(found),
        ),
        Panel(
            "theorems", "Theorem by theorem", words.setting_caption(chosen),
            figures.theorem_table(found), lambda: figures.theorem_frame(found),
            alt=f"{headline} {more}",
        ),
    ))


QUESTION = Question(
    address="theorems", title="What the theorems say", section="What is promised",
    icon="rule", asks="which printed bounds on error and fairness hold here, and how tight are "
    "they?",
    sentence="Of n printed theorems on error and fairness, m hold on this table, and the tightest "
    "bound is x times the exact value.",
    answer=answer, method=METHOD, sources=(sources.P0, sources.P1),
    method_title="What does printed, exact and says little mean, and where do theorems fail?",
    controls=(Control(epsilon, prominent=True), Control(threshold, prominent=True)),
    methods=no_methods, see=(See("delta_epsilon", "Theorems on privacy"),),
    uses=frozenset({"data", "empty", "domain"}),
)

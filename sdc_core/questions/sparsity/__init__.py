"""Sparse tables: from which share of empty groups on is noise worse than suppression?"""

from __future__ import annotations

from sdc_core.mechanisms import mechanism
from sdc_core.metrics.sparsity import (
    CrossingByEpsilon,
    Sparsity,
    crossing_by_epsilon,
    joined,
    marginals,
    sparsity,
)
from sdc_core.parameters import Choice
from sdc_core.questions import sources
from sdc_core.questions.answer import Answer, Notice, Panel
from sdc_core.questions.question import Control, Given, Preset, Question
from sdc_core.questions.sparsity import figures, words
from sdc_core.questions.sparsity.method import METHOD
from sdc_core.questions.study import EmptyGroups


def presets(given: Given) -> list[Preset]:
    """The figure's caption names these two, and leaves zeros to suppression as they are."""
    return [Preset(
        "das-2023-figure-4", "As in Das, Tajeddine and Fioretto, Figure 4",
        (mechanism("laplace", postprocess="clip"), mechanism("suppression")),
        EmptyGroups.LEFT_AT_ZERO,
    )]


def measure(given: Given) -> Choice:
    return Choice(
        name="z_measure", title="Error", default="l1_bias", choices=tuple(figures.MEASURES),
        titles={name: title for name, (title, _) in figures.MEASURES.items()}, segments=True,
        help="Systematic error is what remains when many releases are averaged; error of a release "
        "is that of a single one. Both include people put into empty groups, which the errors "
        "where people are, on Compare, leave out.",
    )


def answer(given: Given) -> Answer:
    found = given.work.kept(sparsity, given.methods, given.table, given["z_measure"])
    by_epsilon = given.work.kept(crossing_by_epsilon, found, given.table)
    as_paper = given["z_measure"] == "l1_bias" and any(
        one.is_on(given.study, given.methods) for one in presets(given))
    headline, more = words.sparsity_sentences(found, by_epsilon, as_paper, by_the_other(given))
    if not given.methods:
        return Answer(headline, more)
    if not found.lines:
        left_out = Notice(words.left_out_sentence(found), "quiet")
        return Answer(headline, more, (features_added(given),), (left_out,))
    return Answer(headline, more, (
        zeros_added(found, headline), along_epsilon(by_epsilon), features_added(given),
    ))


def by_the_other(given: Given) -> Sparsity:
    """The same methods by the error that is not shown."""
    other = next(name for name in figures.MEASURES if name != given["z_measure"])
    return given.work.kept(sparsity, given.methods, given.table, other)


def zeros_added(found: Sparsity, headline: str) -> Panel:
    return Panel(
        "sparsity", "What do empty groups cost?", words.added_caption(found),
        (figures.added_zeros(found),), lambda: figures.added_zeros_table(found),
        alt=f"Error against the share of empty groups, one line a method. {headline}", width=0.6,
    )


def along_epsilon(found: CrossingByEpsilon | None) -> Panel:
    title = "And at another ε?"
    if found is None:
        return Panel(
            "sparsity-epsilon", title, "Choose a method that adds noise and one that hides small "
            "counts to see where they cross.", width=0.4,
        )
    return Panel(
        "sparsity-epsilon", title, words.epsilon_caption(found), (figures.crossing_chart(found),),
        lambda: figures.crossing_table(found),
        alt="Between which shares of empty groups the method that adds noise has less error, by ε. "
        f"{words.epsilon_caption(found)}",
        width=0.4,
    )


def features_added(given: Given) -> Panel:
    """Method by method, so that one that is tuned leaves the others as they are."""
    found = joined(given.work.each(
        lambda i: f"{given.methods[i].plain}: tables by fewer features", marginals,
        [([one], given.table, given["z_measure"]) for one in given.methods],
    ))
    said, title = words.marginals_caption(found), "What if people are counted by more features?"
    if not found.mechanisms:
        return Panel("sparsity-features", title, said)
    return Panel(
        "sparsity-features", title, said,
        (figures.marginal_chart(found),), lambda: figures.marginal_frame(found),
        alt=f"Error against the share of empty groups, one mark a table. {said}",
    )


QUESTION = Question(
    address="sparsity", title="Sparse tables", section="Is it still true?", icon="blur_on",
    asks="from which share of empty groups on is noise worse than suppression?",
    sentence="With this table Laplace has less error than suppression that leaves empty groups at "
    "0, as long as fewer than so many of the groups are empty; here so many are.",
    answer=answer, method=METHOD, sources=(sources.P2,), presets=presets,
    old_slots=("z1", "z2", "z3", "z4"),
    controls=(Control(measure, after_methods=True, prominent=True),), weighted=True,
)

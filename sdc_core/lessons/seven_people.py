"""Lesson 1: the same seven people, protected in four ways (Zhu et al. 2023, Figure 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdc_core.experiment import Evaluation, evaluate
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.lessons.drawings import table_panel
from sdc_core.lessons.lesson import Lesson, Scene, Shown, Step
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.questions.answer import Panel
from sdc_core.words.chance import differ
from sdc_core.words.guarantees import promise_word
from sdc_core.words.numbers import (
    at_the_start,
    counted,
    in_words,
    listed,
    lowered,
    percent,
    sensible,
)
from sdc_core.words.ranking import unbeaten

GENDER = Feature("gender", "Gender", ("M", "F"), ("man", "woman"))
BLOCK = Feature("block", "Block", ("1", "2"), ("block 1", "block 2"))
VOTES = Feature("votes", "May vote", ("yes", "no"), ("may vote", "too young"))
# man or woman, block, may vote or too young
PEOPLE = (("M", "1", "yes"), ("F", "1", "yes"), ("F", "1", "yes"), ("M", "2", "no"),
          ("M", "2", "no"), ("M", "2", "yes"), ("F", "2", "yes"))
K = 2
SUPPRESSION = mechanism("suppression", k=K)
SWAPPING = mechanism("swapping", swap_rate=0.3, quasi_identifiers=("gender",))
MANY = 1000  # times as many people, to see what the same noise does to them
# Merging genders and merging blocks lose equally much here: what stands last is merged first, and
# the paper merges genders.
ANONYMITY = mechanism(
    "k-anonymity", k=K, quasi_identifiers=("block", "votes", "gender"), algorithm="full-domain",
    hierarchies="gender: man or woman = M, F",
)


def table() -> Histogram:
    """The seven people in eight groups."""
    features = (GENDER, BLOCK, VOTES)
    columns = [np.array([f.values.index(person[i]) for person in PEOPLE])
               for i, f in enumerate(features)]
    return Histogram.from_codes(columns, Domain(features))


def names(counts: Histogram) -> list[str]:
    cells = counts.cells()
    return [", ".join(map(str, row[:-1])) for row in cells.itertuples(index=False, name=None)]


def counts_panel(
    name: str, title: str, caption: str = "", **columns: Sequence[Any]
) -> Panel:
    """The eight groups with their true counts and one column a table; what differs from the truth
    is marked."""
    true = table()
    frame = pd.DataFrame({"group": names(true), "people": true.counts.tolist(), **columns})
    return table_panel(name, title, frame, caption,
                       lambda column, row: column > 1 and isinstance(row[column], int)
                       and row[column] != row[1])


def _truth(scene: Scene) -> Shown:
    counts = table()
    men = counts.counts.reshape(counts.domain.shape)[0, 0]  # of the first block, by may vote
    panel = counts_panel("seven-people", "The table before anything is protected",
                         "After Figure 1 of Zhu et al. 2023.")
    return Shown(
        {"people": in_words(len(PEOPLE)), "groups": in_words(len(counts)),
         "alone": in_words(int((counts.counts == 1).sum())),
         "empty": in_words(int((counts.counts == 0).sum())), "men": in_words(int(men.sum())),
         "known": f"{VOTES.labels[int(men.argmax())]}"},
        panel, panel,
    )


def _released(method: Mechanism, scene: Scene) -> NDArray[Any]:
    return np.asarray(method.release(table(), scene.seed).counts)


def _comparison(name: str, method: Mechanism, after: Sequence[Any], **facts: str) -> Shown:
    before = counts_panel(f"{name}-before", "Before")
    return Shown(facts, before, counts_panel(name, f"{method.plain}: what is published",
                                             published=after))


def _hidden(scene: Scene) -> Shown:
    true, after = table().counts, _released(SUPPRESSION, scene)
    hidden = true < K
    stand_in = int(after[hidden][0])
    return _comparison(
        "seven-hidden", SUPPRESSION, after.tolist(), k=in_words(K),
        hidden=in_words(int(hidden.sum())), stand_in=in_words(stand_in),
        invented=counted(int(after[true == 0].sum())),
        right=in_words(int((after[hidden] == true[hidden]).sum())),
        total=in_words(int(after.sum())), people=in_words(len(PEOPLE)),
    )


def _swapped(scene: Scene) -> Shown:
    true, after = table().counts, _released(SWAPPING, scene)
    shape = table().domain.shape
    kept = np.array_equal(after.reshape(shape).sum(axis=0), true.reshape(shape).sum(axis=0))
    return _comparison(
        "seven-swapped", SWAPPING, after.tolist(), share=percent(SWAPPING.settings()["swap_rate"]),
        wrong=in_words(int((after != true).sum())), groups=in_words(len(true)),
        kept="exactly as before" if kept else "changed",
        error=sensible(evaluate(SWAPPING, table()).l1_error),
    )


def merged() -> pd.DataFrame:
    """What is published once people are merged."""
    found: pd.DataFrame = ANONYMITY.generalised_table(table())  # type: ignore[attr-defined]
    return found[[GENDER.title, BLOCK.title, VOTES.title, "count"]]


def _merged(scene: Scene) -> Shown:
    published = merged()
    frame = pd.DataFrame({
        "group": [", ".join(map(str, row[:-1]))
                  for row in published.itertuples(index=False, name=None)],
        "published": published["count"],
    })
    lost = [f.title.lower() for f in (GENDER, BLOCK, VOTES)
            if not set(published[f.title]) & set(f.labels)]
    votes = published.groupby(BLOCK.title)[VOTES.title].agg(["nunique", "first"])
    alike = votes[votes["nunique"] == 1].iloc[0]  # a test says that there is one
    size = int(published.loc[published[BLOCK.title] == alike.name, "count"].sum())
    return Shown(
        {"k": in_words(K), "classes": in_words(len(frame)),
         "smallest": in_words(int(published["count"].min())), "lost": " and ".join(lost),
         "alike": str(alike.name), "size": in_words(size), "known": str(alike["first"])},
        counts_panel("seven-merged-before", "Before"),
        table_panel("seven-merged", f"{ANONYMITY.plain}: what is published", frame),
    )


def _noised(scene: Scene) -> Shown:
    noise = mechanism("laplace", epsilon=scene.epsilon)
    true, after = table(), _released(noise, scene)
    wrong = int((after != true.counts).sum())
    large = Histogram(true.counts * MANY, true.domain)
    error, later = evaluate(noise, true).l1_error, evaluate(noise, large).l1_error
    return _comparison(
        "seven-noised", noise, after.tolist(), epsilon=sensible(scene.epsilon),
        wrong=in_words(wrong), groups=in_words(len(true)), total=in_words(int(after.sum())),
        people=in_words(len(PEOPLE)), error=sensible(error),
        share=percent(error / len(PEOPLE)), many=f"{large.total:,.0f}",
        later=percent(later / large.total),
    )


def _side_by_side(scene: Scene) -> Shown:
    noise = mechanism("laplace", epsilon=scene.epsilon)
    ways = (SUPPRESSION, SWAPPING, ANONYMITY, noise)
    found = [evaluate(method, table(), seed=scene.seed) for method in ways]
    promises = [promise_word(method.guarantee(table())) for method in ways]
    frame = pd.DataFrame({
        "method": [_named(one) for one in ways],
        "off where people are": [sensible(one.people_error) for one in found],
        "invented where nobody is": [sensible(one.invented) for one in found],
        "promise": promises,
    })
    holding = [one.spoken() for one, word in zip(ways, promises, strict=True) if word == "holds"]
    most = [one.mechanism.spoken() for one in _furthest(found)]
    return Shown(
        {"holding": in_words(len(holding)), "which": " and ".join(holding) or "none",
         "ways": in_words(len(ways)), "are": "is" if len(most) == 1 else "are",
         "most": at_the_start(listed(most)), "people": in_words(len(PEOPLE))},
        counts_panel(
            "seven-published", "What each of the four publishes",
            hidden=_released(SUPPRESSION, scene).tolist(),
            swapped=_released(SWAPPING, scene).tolist(), merged=_together(),
            noise=_released(noise, scene).tolist()),
        table_panel(
            "seven-all", "Four ways, the same seven people", frame,
            "People too many or too few, added up over the groups, in an average release. Merged "
            "people are shared out at random over the groups that were merged."),
    )


def _furthest(every: Sequence[Evaluation]) -> list[Evaluation]:
    """Those that none of the others is told to be further off than."""
    return unbeaten(every, lambda one: one.people_error, lambda one, other: differ(
        one.people_error, one.people_error_se, other.people_error, other.people_error_se))


def _named(method: Mechanism) -> str:
    """What it does and what it is called, without its settings: those stand in the steps."""
    name = method.title if method.proper_name else lowered(method.title)
    return f"{method.plain} ({name})"


def _together() -> list[str]:
    """For each of the eight groups the printed count of those it was merged with."""
    published = merged()
    sizes = {(row[1], row[2]): row[3] for row in published.itertuples(index=False, name=None)}
    cells = table().cells()
    found = (sizes.get((row[1], row[2])) for row in cells.itertuples(index=False, name=None))
    return ["none" if size is None else f"{size} together" for size in found]


LESSON = Lesson(
    "seven-people", "The same seven people, protected in four ways",
    "To see with one's own eyes what hiding, swapping, merging and noise do to a table, and that "
    "each hurts in its own way.",
    (
        Step("Seven people", "Here are {people} people, counted in {groups} groups: man or woman, "
             "first or second block, old enough to vote or not. Nobody's name is in the table.",
             "You know a man who lives in block one. What else does the table tell you about him?",
             "That he {known}: the table has only {men} man in that block. {alone} "
             "of the {groups} groups have one person, and {empty} have nobody. Whoever is alone in "
             "a group can be found.",
             _truth, 8),
        Step("Hide small counts", "An office hides every count below {k} and prints a stand-in "
             "of {stand_in} instead.",
             "How many counts are hidden? What will a reader believe about groups with nobody?",
             "{hidden} counts are hidden. In {right} of them the stand-in happens to be the truth, "
             "but a reader cannot tell which. In the others nobody is there, so {invented} are "
             "invented: the table now adds up to {total}, not {people}.", _hidden, 9),
        Step("Swap people", "Now each person takes, with a chance of {share}, the gender of "
             "somebody who is otherwise as alike as can be.",
             "Which numbers can change, and which cannot?",
             "In this release {wrong} of {groups} counts differ from the truth. How many people "
             "live in each block, and how many of them may vote, is {kept}: swapping genders "
             "never touches those numbers. In an average release counts are off by {error} people "
             "in all. Roll again: another table comes out.", _swapped, 9, rolls=True),
        Step("Merge people", "Now the office merges people until every group that it prints has "
             "at least {k} people.",
             "What is lost? And does it help the man in block one?",
             "{classes} groups are printed, the smallest with {smallest} people. Lost for "
             "everybody is the {lost}. Nobody is alone any more. And still: all {size} people in "
             "{alike} {known}, so whoever knows that the man lives there still knows that he "
             "{known}.", _merged, 8),
        Step("Add noise", "Now every count gets noise: a random number is added or taken away, "
             "and large ones are rare. A number called ε (epsilon) sets how much, here {epsilon}: "
             "the smaller it is, the more noise.",
             "Guess first: how many of the {groups} counts will be wrong?",
             "In this release {wrong} of {groups} are wrong, and the table adds up to {total} "
             "instead of {people}. In an average release counts are off by {error} people in all, "
             "{share} of the people here. The noise does not grow with the table: with {many} "
             "people in the same groups it would be {later}. Roll again, and move ε.",
             _noised, 8, rolls=True, tunes=True),
        Step("Four ways, side by side", "All {ways} ways, on the same {people} people.",
             "Which would you want if you were one of them? Which if you had to plan a school by "
             "this table?",
             "{most} {are} furthest off where people are. A promise that holds for everybody comes "
             "with {holding} of the {ways} ways: {which}. No way is without a price; the question "
             "is who pays it.", _side_by_side, 5, tunes=True, apart=True),
    ),
)

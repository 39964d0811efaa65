"""Lesson 1: the same seven people, protected in four ways (Zhu et al. 2023, Figure 1)."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdc_core.experiment import Evaluation, evaluate
from sdc_core.figures.theme import FAILURE
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.lessons.lesson import Lesson, Scene, Shown, Step
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.questions.answer import Panel
from sdc_core.words.chance import differ
from sdc_core.words.guarantees import promise_word
from sdc_core.words.numbers import counted, in_words, listed, percent, sensible
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
ANONYMITY = mechanism(
    "k-anonymity", k=K, quasi_identifiers=("gender", "block", "votes"), algorithm="full-domain",
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


def counts_panel(name: str, title: str, columns: Sequence[tuple[str, Sequence[Any]]]) -> Panel:
    """The eight groups, with one column a table; what differs from the truth is marked."""
    true = table()
    frame = pd.DataFrame({"group": names(true), **{head: list(v) for head, v in columns}})
    heads = "".join(f"<th>{html.escape(head)}</th>" for head in frame.columns)
    rows = "".join(
        "<tr>" + "".join(_cell(value, i > 1 and str(value) != str(row[1]))
                         for i, value in enumerate(row)) + "</tr>"
        for row in frame.itertuples(index=False, name=None)
    )
    drawing = (f'{_STYLE}<table class="seven"><thead><tr>{heads}</tr></thead>'
               f"<tbody>{rows}</tbody></table>")
    alt = "; ".join(f"{row[0]}: " + ", ".join(map(str, row[1:]))
                    for row in frame.itertuples(index=False, name=None))
    return Panel(name, title, drawing=drawing, make_table=lambda: frame,
                 alt=f"Groups with their counts, {' and '.join(frame.columns[1:])}. {alt}.")


_STYLE = f"""<style>.seven {{ border-collapse: collapse; font-size: 1.05rem;
  font-variant-numeric: tabular-nums; }} .seven td, .seven th {{ padding: .18rem .9rem .18rem 0;
  text-align: left; border-bottom: 1px solid rgb(128 128 128 / .3); }}
.seven .changed {{ color: {FAILURE}; font-weight: 700; }}</style>"""


def _cell(value: Any, changed: bool) -> str:
    look = ' class="changed"' if changed else ""
    return f"<td{look}>{html.escape(str(value))}</td>"


def _truth(scene: Scene) -> Shown:
    counts = table()
    alone = int((counts.counts == 1).sum())
    return Shown(
        {"people": in_words(len(PEOPLE)), "groups": in_words(len(counts)),
         "alone": in_words(alone), "empty": in_words(int((counts.counts == 0).sum()))},
        None, counts_panel("seven-people", "The table before anything is protected",
                           [("people", counts.counts.tolist())]),
    )


def _released(method: Mechanism, scene: Scene) -> NDArray[Any]:
    return np.asarray(method.release(table(), scene.seed).counts)


def _comparison(name: str, method: Mechanism, after: Sequence[Any], **facts: str) -> Shown:
    truth = table()
    before = counts_panel(f"{name}-before", "Before", [("people", truth.counts.tolist())])
    shown = counts_panel(name, f"{method.plain}: what is published",
                         [("people", truth.counts.tolist()), ("published", after)])
    return Shown(facts, before, shown)


def _hidden(scene: Scene) -> Shown:
    true, after = table().counts, _released(SUPPRESSION, scene)
    hidden = true < K
    stand_in = int(after[hidden][0])
    return _comparison(
        "seven-hidden", SUPPRESSION, after.tolist(), k=in_words(K),
        hidden=in_words(int(hidden.sum())), stand_in=in_words(stand_in),
        invented=counted(int(after[true == 0].sum())).replace("people", "invented people"),
        right=in_words(int((after[hidden] == true[hidden]).sum())),
        total=in_words(int(after.sum())), people=in_words(len(PEOPLE)),
    )


def _swapped(scene: Scene) -> Shown:
    true, after = table().counts, _released(SWAPPING, scene)
    moved = int(np.abs(after - true).sum()) // 2
    shape = table().domain.shape
    kept = np.array_equal(after.reshape(shape).sum(axis=0), true.reshape(shape).sum(axis=0))
    return _comparison(
        "seven-swapped", SWAPPING, after.tolist(), share="30%",
        moved=f"{in_words(moved)} {'person has' if moved == 1 else 'people have'}",
        kept="exactly as before" if kept else "changed",
        error=sensible(evaluate(SWAPPING, table()).l1_error),
    )


def _merged(scene: Scene) -> Shown:
    published = ANONYMITY.generalised_table(table(), scene.seed)  # type: ignore[attr-defined]
    smallest = int(published["count"].min())
    rows = [", ".join(map(str, row[:-1])) for row in published.itertuples(index=False, name=None)]
    panel = counts_panel("seven-merged-before", "Before", [("people", table().counts.tolist())])
    frame = pd.DataFrame({"group": rows, "published": published["count"]})
    shown = Panel(
        "seven-merged", f"{ANONYMITY.plain}: what is published",
        drawing=f'{_STYLE}<table class="seven"><thead><tr><th>group</th><th>published</th></tr>'
        "</thead><tbody>" + "".join(
            f"<tr>{_cell(g, False)}{_cell(n, False)}</tr>"
            for g, n in frame.itertuples(index=False, name=None)) + "</tbody></table>",
        make_table=lambda: frame,
        alt="; ".join(f"{g}: {n}" for g, n in frame.itertuples(index=False, name=None)),
    )
    lost = [f.title.lower() for i, f in enumerate(table().domain.features)
            if (published.iloc[:, i].astype(str) == "any").all()]
    return Shown(
        {"k": in_words(K), "classes": in_words(len(frame)), "smallest": in_words(smallest),
         "lost": " and ".join(lost) or "nothing", "first": rows[0],
         "size": in_words(int(frame["published"].iloc[0]))}, panel, shown,
    )


def _noised(scene: Scene) -> Shown:
    noise = mechanism("laplace", epsilon=scene.epsilon)
    true, after = table().counts, _released(noise, scene)
    wrong, off = int((after != true).sum()), evaluate(noise, table()).l1_error
    large = Histogram(1000 * true, table().domain)
    return _comparison(
        "seven-noised", noise, after.tolist(), epsilon=sensible(scene.epsilon),
        wrong=in_words(wrong), groups=in_words(len(true)), total=in_words(int(after.sum())),
        people=in_words(len(PEOPLE)), error=sensible(off), share=percent(off / len(PEOPLE)),
        small_share=percent(evaluate(noise, large).l1_error / large.total),
    )


def _side_by_side(scene: Scene) -> Shown:
    noise = mechanism("laplace", epsilon=scene.epsilon)
    rows, every = [], []
    for method in (SUPPRESSION, SWAPPING, ANONYMITY, noise):
        found, promised = evaluate(method, table(), seed=scene.seed), method.guarantee(table())
        every.append(found)
        rows.append({"method": method.plain_label(), "people off": sensible(found.people_error),
                     "people invented": sensible(found.invented),
                     "promise": promise_word(promised)})
    frame = pd.DataFrame(rows)
    heads = "".join(f"<th>{html.escape(head)}</th>" for head in frame.columns)
    body = "".join("<tr>" + "".join(_cell(v, False) for v in row) + "</tr>"
                   for row in frame.itertuples(index=False, name=None))
    panel = Panel(
        "seven-all", "Four ways, the same seven people",
        "People off: how many people too many or too few, added up over groups that have people, "
        "in an average release.",
        f'{_STYLE}<table class="seven"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{body}</tbody></table>",
        lambda: frame, alt="; ".join(f"{r['method']}: {r['people off']} off, promise {r['promise']}"
                                     for r in rows),
    )
    holding = [r["method"] for r in rows if r["promise"] == "holds"]
    return Shown({"holding": in_words(len(holding)), "which": " and ".join(holding) or "none",
                  "most": listed([one.mechanism.plain_label() for one in _furthest(every)])},
                 None, panel)


def _furthest(every: Sequence[Evaluation]) -> list[Evaluation]:
    """Those that none of the others is told to be further off than."""
    return unbeaten(every, lambda one: one.people_error, lambda one, other: differ(
        one.people_error, one.people_error_se, other.people_error, other.people_error_se))


LESSON = Lesson(
    "seven-people", "The same seven people, protected in four ways",
    "To see with one's own eyes what hiding, swapping, merging and noise do to a table, and that "
    "each hurts in its own way.",
    (
        Step("Seven people", "Here are {people} people, counted in {groups} groups: man or woman, "
             "first or second block, old enough to vote or not. Nobody's name is in the table.",
             "Somebody knows that a neighbour is a man in the first block. What else does the "
             "table tell about this man?",
             "That he may vote: he is the only man there. {alone} of the {groups} groups have one "
             "person, and {empty} have nobody. Whoever is alone in a group can be found.",
             _truth, 8),
        Step("Hide small counts", "An office hides every count below {k} and prints a stand-in "
             "of {stand_in} instead.",
             "How many counts are hidden? What does a reader believe about groups with nobody?",
             "{hidden} counts are hidden. In {right} of them the stand-in happens to be the "
             "truth, which a reader cannot tell; and {invented} appear in groups that have nobody. "
             "The table now adds up to {total}, not {people}.", _hidden, 9),
        Step("Swap people", "Now each person takes, with a chance of {share}, the gender of "
             "somebody who is otherwise as alike as can be.",
             "Which numbers can change, and which cannot? Roll again: is it the same table?",
             "In this release {moved} changed groups. How many people live in each block and may "
             "vote is {kept}: those numbers are never touched. In an average release counts are "
             "off by {error} people in all.", _swapped, 9, rolls=True),
        Step("Merge people", "Now values are merged until every group that is printed has at "
             "least {k} people.",
             "What is lost, and is anybody still told apart?",
             "{classes} groups are printed, the smallest with {smallest} people. Lost for "
             "everybody is: {lost}. And still: in “{first}” all {size} are alike, so whoever "
             "knows that you are there knows that much about you.", _merged, 8),
        Step("Add noise", "Now every count gets noise: a random number is added, large ones more "
             "rarely. How much is set by ε, here {epsilon}: small ε, much noise.",
             "Guess first: how many of the {groups} counts will be wrong? Then roll again.",
             "In this release {wrong} of {groups} are wrong, and the table adds up to {total} "
             "instead of {people}. In an average release counts are off by {error} people in all, "
             "{share} of the people here. The noise does not grow with the table: with a thousand "
             "times as many people in the same groups it would be {small_share}.",
             _noised, 8, rolls=True, tunes=True),
        Step("Four ways, side by side", "All four, on the same people.",
             "Which of them would you want for yourself? Which for a map of schools?",
             "Furthest off, where there are people, is here: {most}. A promise that holds for "
             "everybody comes with {holding} of the four ways: {which}. There is no way without a "
             "price; the question is who pays it.", _side_by_side, 5, tunes=True),
    ),
)

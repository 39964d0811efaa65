"""Sentences at ties and ends: a δ of exactly one over the people, an error of nobody in so many
releases, no count computed back, a k that nobody has chosen, an ε behind which nothing is promised.
"""

from __future__ import annotations

import inspect
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.histogram import Histogram
from sdc_core.metrics.attacks import Success
from sdc_core.parameters import EPSILON
from sdc_core.privacy.guarantee import Guarantee, Neighbours
from sdc_core.privacy.ledger import Entry
from sdc_core.privacy.swap_rate import epsilon_to_swap_rates, swap_rate_to_epsilon
from sdc_core.privacy.units import Unit
from sdc_core.questions.compare import words as compare
from sdc_core.questions.compare.figures import size_rows
from sdc_core.questions.delta_epsilon.words import conversion_sentence
from sdc_core.questions.frontier.compute import Attack
from sdc_core.questions.frontier.figures import FLOOR, _error_axis, _places
from sdc_core.questions.frontier.why import _errors
from sdc_core.questions.frontier.words import attack_words, ends_sentence
from sdc_core.questions.funding.words import threshold_remark
from sdc_core.questions.intruders import words as intruders
from sdc_core.questions.map.captions import precision_words
from sdc_core.questions.protected.coverage import Coverage
from sdc_core.questions.protected.words import coverage_sentences
from sdc_core.questions.reidentification import line_words
from sdc_core.questions.reidentification.compute import matches_along
from sdc_core.questions.reidentification.line_words import finding_sentence
from sdc_core.questions.reidentification.words import _few
from sdc_core.questions.subgroups.notes import axes_missing, group_notes, order_sentence
from sdc_core.questions.subgroups.words import papers_sentence, subgroup_sentences
from sdc_core.questions.swap_rate.words import wanted_sentence
from sdc_core.questions.swapping_changes.words import RUNS_PLANNED
from sdc_core.questions.told_apart import words as told_apart
from sdc_core.questions.undo.compute import _undone
from sdc_core.questions.undo.words import undo_sentences
from sdc_core.words.glossary import marked
from sdc_core.words.guarantees import promise_word
from tests.test_sentences import exact, settings_at
from ui import words as glossary_page
from ui.ledger import _delta

LAPLACE = sdc.mechanism("laplace")
PEOPLE = pd.DataFrame({
    "town": ["Ash"] * 10 + ["Elm"] * 10, "pet": (["cat"] * 5 + ["dog"] * 5) * 2,
    "sex": ["m", "f"] * 10})


def promise(delta: float, records: int = 4, **more: Any) -> Guarantee:
    return Guarantee.of_delta(
        1.0, None, delta, neighbours=Neighbours.ONE_RECORD, citation="", remark="",
        records=records, **{"invariants": (), **more})


# ---------------------------------------------------------------- how much slack


@pytest.mark.parametrize("kept", [(), ("counts by town",)])
@pytest.mark.parametrize(("delta", "word"), [
    (0.0, "holds"), (0.2, "holds"), (0.25, "too slack"), (0.3, "too slack"), (0.5, "too slack"),
    (0.51, "nearly empty"),
])
def test_a_slack_of_one_over_the_people_is_too_much_and_not_called_more(
    delta: float, word: str, kept: tuple[str, ...]
) -> None:
    """Four people: with δ = 1/4 one of four records may be printed. Whatever else is published
    exactly, a promise with so much slack does not hold in part."""
    found = promise(delta, invariants=kept)
    assert (delta * 4 >= 1) is (word != "holds")
    assert promise_word(found) == (f"{word} in part" if kept and word == "holds" else word)
    said = compare._protection([sdc.evaluate(LAPLACE, Histogram.from_counts([4]))], [found])
    loose = "leaves a slack of one over the number of people or more, too much to rely on"
    assert (loose in said) is (word == "too slack")
    assert ("no promise that holds for everyone" in said) is (word == "nearly empty")
    assert ("only about what is not published exactly" in said) is bool(kept and word == "holds")
    assert ("for everyone." in said) is (word == "nearly empty" or (not kept and word == "holds"))
    trick = SimpleNamespace(claims=())
    _, told = coverage_sentences([Coverage(type(LAPLACE), found)], trick)  # type: ignore[arg-type]
    assert ("not below one over the number of people: too much to rely on" in told) is (
        word == "too slack")


def test_without_slack_odds_move_by_at_most_the_factor_and_with_it_they_are_held_to_it() -> None:
    trick: Any = SimpleNamespace(claims=())
    for delta, said in ((0.0, "move by at most"), (0.1, "are held to")):
        _, told = coverage_sentences([Coverage(type(LAPLACE), promise(delta))], trick)
        assert f": odds {said} a factor of {math.e:.2f}" in told


def test_an_epsilon_behind_which_nothing_is_promised_is_not_converted() -> None:
    """Hiding below a noisy limit with empty groups left at 0 quotes ε = 1 and promises nothing, so
    no line is said to hold among any data."""
    empty = sdc.mechanism("dp-suppression", keep_zeros=True).guarantee(
        Histogram.from_counts([0, 1, 9]))
    assert empty.epsilon == 1 and not empty.formal
    exact = promise(1.0, invariants=("counts by town",))
    for one in (empty, exact):
        assert [conversion_sentence(one, unit, 3) for unit in Unit] == [""] * 3
    partly = promise(0.0, invariants=("counts by town",))
    assert "only among data that agree in what is published exactly" in conversion_sentence(
        partly, Unit.PERSON, 3)


# ---------------------------------------------------------------- nobody, and nothing


def test_an_error_of_nobody_is_of_people_and_in_so_many_releases() -> None:
    """Swapping the only feature there is changes no count, and with every count matched or swapped
    nothing is promised: whatever the rate, the table comes out as it was."""
    data = sdc.load_dataset(PEOPLE)
    for rate in (0.05, 1.0):
        swapping = sdc.mechanism("permutation-swapping", match=(), swap=("town",), swap_rate=rate)
        table = data.histogram(["town"])
        assert (sdc.evaluate(swapping, table, 20).absolute_error == 0).all()
        assert not swapping.guarantee(table).formal
        assert promise_word(swapping.guarantee(table)) == "none"
        found = sdc.ask("compare", sdc.Study(data, ("town",), methods=(swapping,)))
        assert found.headline.startswith("Shuffling among matches")
        assert " put no count off in 200 releases (any in at most 1.5% of" in found.headline
        assert "makes no promise that holds for everyone" in str(found.more)
        (caption,) = [p.caption for p in found.panels if p.title == "And in all?"]
        assert "is off by 0 people in 200 releases." in caption


@pytest.mark.parametrize(("error", "said"), [
    (0.0, "0 people"), (1e-5, "next to nothing"), (1.0, "1 person"), (2.5, "2.5 people"),
])
def test_what_nobody_can_see_is_no_number_of_people(error: float, said: str) -> None:
    one: Any = SimpleNamespace(people_error=error, people_error_se=0.0, weighted=False,
                               method="exact", mechanism=LAPLACE)
    assert compare.totals_sentence([one]).endswith(f" is off by {said}.")


def test_nothing_comes_on_top_of_nothing() -> None:
    """Two by two, all hidden: no count is computed back, so none is narrowed down *more*."""
    found = _undone(np.array([[1, 2], [3, 4]]), ("a", "b"), ("x", "y"), 6, True)
    fits = [(p, 3 - p, 4 - p, 3 + p) for p in range(1, 6)
            if all(1 <= c <= 5 for c in (3 - p, 4 - p, 3 + p))]
    assert len(fits) > 1 and not found.known.any()
    headline, more = undo_sentences(found, 6)
    assert headline.startswith("None of the 4 hidden counts can be computed back")
    assert more.split(". ")[1].startswith("4 are narrowed down") and " more" not in more


@pytest.mark.parametrize("releases", [0, 20])
def test_an_error_that_no_release_had_is_not_called_none(releases: int) -> None:
    """Swapping one in twenty of twenty people: off by 0.04 a count, and in twenty releases perhaps
    by nothing. Where no error is certain, no releases are named."""
    found = settings_at([exact(0.0, 0.9), exact(2.0, 0.1)], ["none"] * 2)
    found.marks[0].what = SimpleNamespace(  # type: ignore[misc]
        where_people_are=(0.0, 0.0), total=0.0, invented=(0.0, 0.0), releases=releases)
    said, ends = _errors(found, 0), ends_sentence(found)
    assert said == (
        "In 20 releases no count of a group that has people was off; in 20 releases nobody was put "
        "into the 1 empty group." if releases else
        "Counts of groups that have people are off by 0 on average, 0 in all 2 groups; on average "
        "0 people are put into the 1 empty group.")
    seen = " in 20 releases" * (releases > 0)
    assert f"(off by 0{seen}, 90% " in ends and "(off by 2, " in ends


# ---------------------------------------------------------------- which way round it is


def test_groups_that_have_nobody_are_called_that() -> None:
    table = Histogram.from_counts([0, 0, 0, 1, 7])
    rows = size_rows(table, [sdc.evaluate(LAPLACE, table)])
    assert {row.title: row.note.split(" ")[0] for row in rows} == {
        "All groups that have people": "2", "Groups of 1 to 5": "1", "Groups of 6 to 19": "1",
        "Groups that have nobody": "3"}


def test_the_first_tick_of_errors_is_for_smaller_ones_too() -> None:
    found = settings_at([exact(FLOOR / 50, 0.2), exact(2.0, 0.1)], ["none"] * 2)
    assert [x for x, _ in _places(found)] == [FLOOR, 2.0]
    ticks = _error_axis([x for x, _ in _places(found)])
    assert ticks["tickvals"][0] == FLOOR and ticks["ticktext"][0] == f"{FLOOR:g} or less"
    assert not any("less" in text for text in ticks["ticktext"][1:])


@pytest.mark.parametrize("attack", Attack)
def test_what_is_gained_is_more_than_without_the_release(attack: Attack) -> None:
    """A gain is hits less luck: beyond luck, or more right guesses; never less."""
    said = attack_words(attack, "income")
    assert Success(0.6, 0.2, 0.0, 0).advantage == pytest.approx(0.4)
    assert said.gain.endswith(" beyond luck") or said.gain == "more right guesses"


def test_matches_go_from_the_smallest_epsilon_to_the_largest() -> None:
    """Noise is rounded, so one person alone shows unless it takes away half a person or more."""
    low, high = (100 * (1 - math.exp(-e / 4) / 2) for e in EPSILON.slider)
    assert low < high
    curve = matches_along(LAPLACE, EPSILON, Histogram.from_counts([0, 1, 9]), "at-least-once", 7)
    assert finding_sentence([curve]).startswith(
        f"From the smallest to the largest ε shown, matches go from {low:.0f}% to {high:.1f}% with "
        "Laplace.")


@pytest.mark.parametrize(("made_up", "said"), [
    (0.0, "none in 40 releases (any in at most 7.5% of releases)"), (0.004, "fewer than 0.01"),
    (0.3, "about 0.3"),
])
def test_what_no_release_had_is_in_at_most_three_of_so_many(made_up: float, said: str) -> None:
    """The rule of three: at a share above 3/n, none in n would be rarer than one in twenty."""
    assert (1 - 0.075) ** 40 < 0.05
    found: Any = SimpleNamespace(made_up=made_up, repetitions=40)
    assert _few(found) == said


@pytest.mark.parametrize(("percent", "said"), [
    (100.0, "No share can be more than 100%, so this rule applies nowhere and nothing can flip."),
    (99.0, ""),
])
def test_no_share_is_more_than_all(percent: float, said: str) -> None:
    assert not np.any(np.arange(8) / 7 > 1)  # of seven, however many
    assert threshold_remark(SimpleNamespace(percent=percent), "women") == said  # type: ignore[arg-type]


def test_whoever_knows_more_finds_somebody_alone() -> None:
    """By town or pet nobody is alone; by both somebody may be, never the other way round."""
    people = pd.DataFrame({"town": list("aabb"), "pet": list("xyxy")})
    alone = [int((people.groupby(known).size() == 1).sum())
             for known in (["town"], ["pet"], ["town", "pet"])]
    assert alone == [0, 0, 4]
    none: Any = SimpleNamespace()
    assert intruders.headline([], none, 0, "wage").endswith("; let the intruder know more.")
    sizes = [people.groupby(known, observed=True).ngroups for known in (["town"], ["town", "pet"])]
    assert sizes[0] < sizes[1]  # more variables, more groups
    assert "would have too many groups with so many variables; choose fewer" in (
        intruders.left_out_sentence([sdc.mechanism("mst")]))


def test_the_least_epsilon_is_the_least_of_all_rates() -> None:
    """In a group of 10,000 the theorem's ε and the exact one are written alike."""
    rates, size = np.linspace(0.001, 0.999, 9_999), 10_000
    every = [swap_rate_to_epsilon(rate, size).theorem for rate in rates]
    least, at = min(every), 100 * rates[int(np.argmin(every))]
    said = wanted_sentence(epsilon_to_swap_rates(4.0, size))
    assert said == (
        f"ε = 4 is out of reach: the least, {least:.2f}, comes from swapping {at:.3g}%.")


@pytest.mark.parametrize(("delta", "bound", "said"), [
    (0.1, True, "at most 0.1"), (0.1, False, "0.1"), (1.0, True, "1"),
])
def test_a_bound_in_the_ledger_is_one_from_above(delta: float, bound: bool, said: str) -> None:
    """`is_bound`: the true δ may be smaller, never larger; of δ = 1 there is nothing above."""
    assert _delta(Entry("sex", "m", 1.0, delta, is_bound=bound)) == said


def test_words_are_marked_where_they_stand_first(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("ui.words.st.html", lambda text, **_: shown.append(text))
    glossary_page.show()
    assert "Wherever one of them stands first on a page, it is underlined" in shown[0]
    pieces = list(marked("Suppression here, and suppression there."))
    (linked,) = [i for i, piece in enumerate(pieces) if piece.term is not None]
    assert "".join(p.text for p in pieces[:linked + 1]) == "Suppression"


def group_of(records: int, line: bool = True) -> Any:
    return SimpleNamespace(name="women", records=records, people=records,
                           true_line=(0.0, 1.0) if line else None, released=np.array([1.0]))


@pytest.mark.parametrize(("records", "said"), [
    (0, "there is no true line, and whoever a release shows is not real."),
    (1, "There is one person among women in this data, and no line goes through one alone."),
    (29, "Only 29 women are in this data: a line through so few says little."), (30, ""),
])
def test_groups_of_nobody_and_of_few(records: int, said: str) -> None:
    result: Any = SimpleNamespace(groups=[group_of(records)], mechanism=LAPLACE)
    notes = group_notes([result])
    assert len(notes) == bool(said) and all(note.endswith(said) for note in notes)


def test_groups_too_small_for_a_headline_are_to_be_larger() -> None:
    small: Any = SimpleNamespace(
        mechanism=LAPLACE, groups=[
            SimpleNamespace(slope_change=0.1, people=99, records=99, weighted=False)])
    feature: Any = SimpleNamespace(title="School")
    headline, _ = subgroup_sentences([small], feature, feature)
    assert headline == ("None of these groups has 100 people, too few to say whose line a release "
                        "changes; choose larger groups.")


def test_ranks_go_from_low_to_high_as_the_axis_does() -> None:
    assert "schools from low to high" in axes_missing([], ["school", "town"])[1]
    said = order_sentence({"School": ["none", "some", "all"]}, [])
    assert "School: none < some < all" in said


def test_numbers_of_a_map_are_exact_or_means_of_few_releases() -> None:
    table = Histogram.from_counts([0, 3, 9])
    known, drawn = (sdc.evaluate(LAPLACE, table, 20, simulate=s) for s in (False, True))
    assert (known.people_error_se == 0) and drawn.people_error_se > 0
    assert precision_words("people_error", [known], 7) == "Numbers are exact, not simulated."
    said = precision_words("people_error", [known, drawn], 7)
    assert "exact" in said and "mean of 20 releases" in said
    assert "Averages of so few releases are still noisy" in said


@pytest.mark.parametrize(("said", "found"), [
    # Das et al. 2024, section 7: on Figure 5 (unique exact matches), and on Figure 3 (two findings)
    (line_words.PAPER, "shows more than noise, even at a large ε"),
    (line_words.PAPER, "discrete Gaussian noise fewer than Laplace noise"),
    (inspect.getsource(papers_sentence), "find the smallest errors, and those that differ least "),
    # Das, Tajeddine and Fioretto: spikes at the far right of Figure 2
    (told_apart.PAPER, "the records of DP suppression clearly fake, a few of Laplace noise"),
    # Bailie, Gong and Meng, box plots: twenty runs at each of six rates
    (RUNS_PLANNED, "20 swapped releases at each of 6 swap rates, from 1% to 50%: as many as in"),
])
def test_papers_are_quoted_with_what_they_found(said: str, found: str) -> None:
    """Read there; no computation of ours can say what is printed."""
    assert found in said


# ---------------------------------------------------------------- settings that the data refuse


@pytest.mark.parametrize(("name", "most"), [("k-anonymity", len(PEOPLE)), ("rwn", 19)])
def test_a_k_above_the_number_of_people_is_left_out_of_a_line(name: str, most: int) -> None:
    """Twenty people and k = 6, or five of nineteen others: nobody asked for a k of thirty."""
    data = sdc.load_dataset(PEOPLE)
    table = data.histogram(["town", "pet", "sex"])
    method = sdc.mechanism(name).suited_to(table)
    study = sdc.Study(data, ("town", "pet", "sex"), methods=(method,))
    (line,) = [p for p in sdc.ask("compare", study, {"tune": "k"}).panels if "tuned" in p.title]
    drawn = line.table() if callable(line.table) else line.table
    assert drawn is not None and 2 < drawn["k"].max() <= most
    assert np.isfinite(drawn["people_error"]).all()
    with pytest.raises(sdc.InputError, match="k must be at most"):
        sdc.evaluate(method.replace(k=most + 1), table)
    assert math.isfinite(sdc.evaluate(method.replace(k=most), table).people_error)

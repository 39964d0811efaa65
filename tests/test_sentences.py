"""Sentences at settings where a careless version of them would be false: ties, an attack that gains
nothing, a winner whose promise is nearly empty, one release, groups too small to be named. The word
that says which way round is compared with numbers computed here."""

from __future__ import annotations

import dataclasses
import itertools
import math
from types import SimpleNamespace
from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.histogram import Histogram
from sdc_core.lessons import LESSONS, Scene, filled, seven_people
from sdc_core.lessons.epsilon import IN_USE
from sdc_core.metrics.attacks import Success, membership
from sdc_core.questions.frontier import why, words
from sdc_core.questions.frontier.compute import Attack
from sdc_core.questions.frontier.pareto import Place, standings
from sdc_core.questions.tune.words import _told_first, how_sentence, promise_sentence
from sdc_core.questions.undo.compute import _undone
from sdc_core.questions.undo.words import undo_sentences
from sdc_core.questions.work import Work
from sdc_core.report.hurt import hurt_sentences
from sdc_core.theorems import THEOREMS, _and_enough_swaps, _small_but_not_too_small
from sdc_core.words.guarantees import PromiseWord, promise_word

NOISE, HIDING = sdc.mechanism("laplace", epsilon=20.0), sdc.mechanism("suppression", k=4)

# ---------------------------------------------------------------- Risk and error


def settings_at(
    places: list[Place], promises: list[str], attack: Attack = Attack.FIND, bar: int = 1
) -> words.Found:
    """Settings at these places; the last `bar` of them are in the method bar."""
    methods = [NOISE, HIDING, *(sdc.mechanism("suppression", k=k) for k in range(5, 20))]
    marks: Any = [
        SimpleNamespace(mechanism=method, slot="m1" if i >= len(places) - bar else "",
                        path=SimpleNamespace(base=method),
                        what=SimpleNamespace(invented=(0.0, 0.0), promise=promise, releases=0))
        for i, (method, promise) in enumerate(zip(methods, promises, strict=False))
    ]
    table = Histogram.from_counts([0, 1, 5])
    return words.Found(
        marks, places, standings(places), False, table, words.attack_words(attack, "income"))


def exact(error: float, risk: float) -> Place:
    return Place((error, 0.0), (risk, 0.0))


WINS = [exact(1.0, 0.2), exact(2.0, 0.6)]


@pytest.mark.parametrize(("winner", "loser", "said"), [
    ("holds", "none", ""),
    ("holds in part", "holds", ""),
    ("nearly empty", "none", "; the former's promise is nearly empty"),
    ("nearly empty", "nearly empty", "; both promises are nearly empty"),
    ("none", "holds", "; the former promises nothing"),
    ("none", "none", "; neither promises anything"),
    ("broken", "holds", "; the former's published promise is broken"),
    ("broken", "broken", "; both published promises are broken"),
    ("too slack", "holds", "; the former leaves too much slack"),
    ("too slack", "too slack", "; both leave too much slack"),
])
def test_a_winner_that_promises_little_is_said_to(winner: str, loser: str, said: str) -> None:
    headline = words.headline(settings_at(WINS, [winner, loser]))
    assert headline.endswith(f" shown beyond luck{said}.") and headline.count("promise") <= 1
    assert headline.startswith(
        "Adding noise (ε = 20) would beat hiding small counts (k = 4)")


@pytest.mark.parametrize(("fills", "winner", "said"), [
    ("former", "nearly empty", "; it fills empty groups and promises next to nothing"),
    ("former", "holds", "; only the former fills empty groups"),
    ("latter", "nearly empty", "; only the latter fills empty groups; the former's promise is "
     "nearly empty"),
])
def test_what_the_winner_lacks_is_not_said_of_the_loser(
    fills: str, winner: str, said: str
) -> None:
    """Nothing may read as if the other one, which promises nothing at all, promised more."""
    found = settings_at(WINS, [winner, "none"])
    filling = found.marks[0 if fills == "former" else 1]
    filling.what = SimpleNamespace(  # type: ignore[misc]
        invented=(9.0, 0.0), promise=filling.what.promise, releases=0)
    assert words.headline(found).replace(" beyond luck", "").endswith(f" shown{said}.")


def test_noise_at_a_large_epsilon_wins_with_a_promise_that_is_nearly_empty() -> None:
    """As on the page: e^20 is more than a million, beyond which odds count as not limited."""
    assert math.exp(20) > 1e6
    table = Histogram.from_counts([0, 1, 5])
    word = promise_word(NOISE.guarantee(table))
    assert "nearly empty" in words.headline(settings_at(WINS, [word, "none"]))


@pytest.mark.parametrize("bar", [0, 1, 2])
def test_what_is_not_beaten_has_less_risk_than_whatever_has_less_error(bar: int) -> None:
    """Three settings of which each with less error has more risk: none is beaten."""
    places = [exact(1.0, 0.6), exact(2.0, 0.4), exact(3.0, 0.1)]
    assert all((a.error < b.error) == (a.risk > b.risk)
               for a, b in itertools.permutations(places, 2))
    headline = words.headline(settings_at(places, ["holds"] * 3, bar=bar))
    than = "it" if bar == 1 else "one of them"
    assert f"of 3 settings shown, whatever has less error than {than} has more unique" in headline
    assert "not beaten" in headline or "None of the 2 methods as set is beaten" in headline


def test_a_setting_that_is_in_the_bar_and_on_its_path_is_one() -> None:
    found = settings_at(WINS, ["none", "none"])
    twice = dataclasses.replace(
        found, marks=[*found.marks, found.marks[-1]], places=[*WINS, WINS[-1]],
        standing=standings([*WINS, WINS[-1]]))
    assert twice.settings == 2
    assert why._beaten(twice, 1).startswith("By 1 of the 1 other settings shown. One of these is ")


@pytest.mark.parametrize(("attack", "said"), [
    (Attack.FIND, "20%, not 60%, of unique people shown beyond luck"),
    (Attack.INFER, "20%, not 60%, more right guesses of income"),
    (Attack.MEMBER, "20%, not 60%, of people told to be there beyond luck"),
])
def test_each_attack_names_the_lower_gain_first(attack: Attack, said: str) -> None:
    found = settings_at(WINS, ["holds", "none"], attack)
    assert said in words.headline(found)
    assert found.said.more.startswith("more ") and found.said.more.split(" ", 1)[1] in (
        "unique people shown", "right guesses of income", "people told to be there")
    assert found.said.axis.startswith("More ") is (attack is Attack.INFER)
    tie = [exact(1.0, 0.6), exact(2.0, 0.6)]
    assert "with as many (60%)" in words.headline(settings_at(tie, ["holds", "none"])).replace(
        " of unique", "")


def test_for_noise_no_intruder_does_better_and_the_chart_says_so_of_noise_alone() -> None:
    """Hits minus luck of the rule against the total variation distance of the two laws."""
    table, epsilon = Histogram.from_counts([7]), 1.0
    q, z = math.exp(-epsilon / 2), np.arange(-200, 201)
    law = (1 - q) / (1 + q) * q ** np.abs(z)  # of whole-number noise
    distance = np.abs(law - np.roll(law, 1)).sum() / 2
    noise = sdc.mechanism("geometric", epsilon=epsilon)
    assert membership(noise, table, 0).advantage == pytest.approx(distance, rel=1e-6)
    limits = words.attack_words(Attack.MEMBER, "").limits
    assert "For noise no intruder does better" in limits
    assert "where records are moved or merged, a cleverer one may" in limits
    assert not words.attack_words(Attack.FIND, "").limits


@pytest.mark.parametrize(("promise", "standing", "named"), [
    ("none", "on", True), ("broken", "on", True), ("holds", "on", False), ("none", "beaten", False),
])
def test_where_an_attack_fails_another_may_succeed(
    promise: str, standing: str, named: bool
) -> None:
    """Of a setting that promises nothing it is said whether or not this attack gains all."""
    found = settings_at([exact(1.0, 1.0)], [promise])
    found = dataclasses.replace(found, standing=[standing])  # type: ignore[list-item]
    said = words.promise_sentence(found)
    assert ("promises nothing: where this attack fails, another one may succeed" in said) is named
    assert named or said == "An attack that fails is no promise: another one may succeed."


COUNTS = Histogram.from_counts([1] * 10 + [0] * 1000 + [5])


@pytest.mark.parametrize(("hits", "luck", "releases"), [
    (1.0, 0.0, 0), (0.4, 0.0, 0), (0.4, 0.0, 20), (0.0, 0.0, 0), (0.5, 0.49, 0), (0.07, 0.03, 0),
    (0.6, 0.002, 0), (0.999, 0.0, 0),
])
def test_what_a_claim_is_worth(hits: float, luck: float, releases: int) -> None:
    """Ten are one of a kind and a thousand combinations are empty: even 0.2% of those are two
    people who are not there."""
    said = why._found(Success(hits, luck, 0.0, releases), COUNTS, "")
    assert "that nobody has" in said
    assert ("whoever is shown is there" in said) is (luck == 0 < hits)
    assert ("everybody is shown" in said) is (hits == 1 and luck == 0)
    assert ("nobody is shown" in said) is (hits == 0 == luck)
    assert ("the others are safe only by not being shown" in said) is (luck == 0 < hits < 1)
    assert ("nearly all luck" in said) is (luck > 0 and (hits - luck) / hits < 0.05)
    assert ("are not there, so a claim may be wrong" in said) is (
        luck > 0 and (hits - luck) / hits >= 0.05)
    assert ("in the releases drawn" in said) is (releases > 0)


@pytest.mark.parametrize(("hits", "luck", "error", "said"), [
    (0.63, 0.60, 0.0, "a gain of 3% of the people"),
    (0.60, 0.60, 0.0, "that is no gain."),
    (0.55, 0.60, 0.0, "that is no gain."),
    (0.63, 0.60, 0.02, "that is no gain beyond chance"),
    (0.63, 0.60, 0.01, "a gain of 3% of the people"),
])
def test_a_gain_is_one_beyond_chance(hits: float, luck: float, error: float, said: str) -> None:
    told = why._inferred(Success(hits, luck, error, 20), COUNTS, "income")
    assert said in told
    assert f"right for {100 * hits:.0f}%" in told
    assert f"the most frequent answer of the data for {100 * luck:.0f}%" in told


def test_what_a_promise_allows_is_at_most_what_no_attack_can_exceed() -> None:
    said = why._allowed(sdc.mechanism("geometric", epsilon=2.0).guarantee())
    most = f"{100 * math.tanh(0.5):.0f}%"  # (e^ε − 1)/(e^ε + 1) for the ε of a person added
    assert said == f"The promise allows any such attack to gain at most {most}."


def test_within_chance_another_looks_better() -> None:
    places = [Place((1.0, 0.0), (0.2, 0.3)), exact(2.0, 0.4)]
    assert why._beaten(settings_at(places, ["none"] * 2), 1).startswith(
        "Not for certain: another setting looks better")


# ---------------------------------------------------------------- Tune


def solved(word: str, doing: str, method: str = "exact", just: bool = True) -> Any:
    """A solution whose promise, where the wish is only just met, is in this word."""
    return SimpleNamespace(
        reached=just, method=method, repetitions=20, tried=9, whom="x",
        mechanism=SimpleNamespace(doing=doing), just=SimpleNamespace(guarantee=word) if just
        else None, measure=SimpleNamespace(phrase=""))


SAID = {
    "holds": ("keeps its promise", "keep their promises"),
    "holds in part": ("keeps a promise in part", "keep promises in part"),
    "too slack": ("leaves too much slack", "leave too much slack"),
    "nearly empty": ("promises next to nothing", "promise next to nothing"),
    "broken": ("breaks its published promise", "break their published promises"),
    "none": ("promises nothing", "promise nothing"),
}


@pytest.mark.parametrize("word", SAID)
def test_what_is_promised_is_said_of_every_method_that_meets_a_wish(
    word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sdc_core.questions.tune.words.promise_word", lambda promise: promise)
    one, two = solved(word, "adding noise"), solved(word, "hiding")
    assert promise_sentence([one]) == f"Just there, adding noise {SAID[word][0]}."
    assert promise_sentence([one, two]) == (
        f"Just at these limits, adding noise and hiding {SAID[word][1]}.")
    assert promise_sentence([one, one]).endswith(f"adding noise {SAID[word][0]}.")
    assert promise_sentence([solved(word, "hiding", just=False)]) == ""


@pytest.mark.parametrize("word", ["holds", "holds in part"])
def test_who_keeps_a_promise_is_in_the_headline(
    word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three methods two are told first; the one that promises something is one of them, and of
    the others one that promises nothing."""
    monkeypatch.setattr("sdc_core.questions.tune.words.promise_word", lambda promise: promise)
    three = [solved("broken", "swapping"), solved("none", "hiding"), solved(word, "adding noise")]
    for order in itertools.permutations(three):
        assert {one.mechanism.doing for one in _told_first(order)} == {"hiding", "adding noise"}


def test_the_words_of_promises_are_all_that_there_are() -> None:
    assert set(SAID) == set(get_args(PromiseWord))


def test_which_settings_are_exact_is_said() -> None:
    drawn, known = solved("none", "swapping", "simulated"), solved("none", "hiding")
    assert how_sentence([known]) == "All exact."
    assert how_sentence([drawn, known]).endswith(" The others are exact.")
    assert "exact" not in how_sentence([drawn])
    assert "means over 20 releases at 9 settings" in how_sentence([drawn])


# ---------------------------------------------------------------- Can hiding be undone?


def test_what_is_narrowed_down_comes_on_top_of_what_is_computed_back() -> None:
    counts = np.array([[1, 9, 9], [9, 2, 3], [9, 3, 2]])
    found = _undone(counts, ("a", "b", "c"), ("x", "y", "z"), 6, True)
    known = sum(1 for one in found.hidden[0] if one)  # the only hidden count of its row
    headline, more = undo_sentences(found, 6)
    fits = {  # the square of four hidden counts, by trying all
        (p, 5 - p, 5 - p, p) for p in range(1, 6) if 1 <= 5 - p <= 5}
    assert headline.startswith(f"{known} of the {known + 4} hidden counts")
    spans = {max(f[i] for f in fits) - min(f[i] for f in fits) for i in range(4)}
    assert spans == {3}  # 1 to 4, of 1 to 5 by the rule
    assert "4 more are narrowed down" in more and "with exact totals" in more


# ---------------------------------------------------------------- who is hurt


def test_a_change_to_groups_too_small_to_be_named_is_not_called_no_change() -> None:
    """Four people who share no value with many: nobody is named, but their count is hidden."""
    rows = [("Ash", "cat")] * 30 + [("Birch", "dog")] * 30 + [("Elm", "owl")] * 4
    frame = pd.DataFrame(rows, columns=["town", "pet"])
    table = sdc.load_dataset(frame).histogram(["town", "pet"])
    hidden = sdc.evaluate(sdc.mechanism("suppression", k=6, keep_zeros=True), table)
    assert hidden.people_error == abs(6 // 2 - 4)
    assert "changes no count" not in " ".join(hurt_sentences(table, [hidden]))
    shown = sdc.evaluate(sdc.mechanism("suppression", k=3, keep_zeros=True), table)
    assert shown.people_error == 0
    (said,) = hurt_sentences(table, [shown])
    assert said == "Hiding small counts (k = 3) changes no count that has people."


def test_where_no_group_has_enough_people_nobody_is_named() -> None:
    table = Histogram.from_counts([9, 8])
    (said,) = hurt_sentences(table, [sdc.evaluate(sdc.mechanism("laplace"), table)])
    assert said == "No group of one value has 20 people or more, so nobody is named."


# ---------------------------------------------------------------- lessons

TWIN, WORK = sdc.load_dataset("ma2019-twin"), Work()


def answer(lesson: int, step: int, epsilon: float, seed: int = 7) -> str:
    one = LESSONS[lesson].steps[step]
    return filled(one.answer, one.show(Scene(TWIN, seed, epsilon, WORK)).facts)


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0, 4.0, 20.0, 100.0])
def test_odds_are_odds_and_certainty_is_not_reached(epsilon: float) -> None:
    odds = answer(1, 2, epsilon)
    factor = odds.split("At most ")[1].split(" to one")[0]
    if epsilon < 10:
        assert float(factor) == pytest.approx(math.exp(epsilon), rel=5e-3)
    assert "%" not in factor and odds.startswith("At most ")
    sure = answer(1, 1, epsilon).removeprefix("They can fill ").split(" of 100")[0]
    assert sure.removeprefix("nearly ") != "100" or sure == "nearly 100"
    assert float(sure.removeprefix("nearly ")) == pytest.approx(
        100 / (1 + math.exp(-epsilon)), rel=5e-3)
    digits = int(answer(1, 3, epsilon).split("number of ")[1].split(" digits")[0])
    assert 10 ** (digits - 1) <= math.exp(IN_USE[1][0]) < 10**digits


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 20.0])
def test_what_noise_is_of_seven_people_and_of_seven_thousand(epsilon: float) -> None:
    """Noise on a count, rounded and not below zero: its law summed."""
    q, z = math.exp(-epsilon / 2), np.arange(-4000, 4001)
    tail = np.exp(-np.maximum(np.abs(z) - 0.5, 0) * epsilon / 2)
    law = np.where(z == 0, 1 - math.exp(-epsilon / 4), tail * (1 - q) / 2)

    def off(counts: Any) -> float:
        return sum(float(np.abs(np.maximum(x + z, 0) - x) @ law) for x in counts) / sum(counts)

    true = seven_people.table().counts
    said = answer(0, 4, epsilon)
    here, there = (float(part.split()[-1].replace(",", "")) for part in said.split("%")[:2])
    assert here == pytest.approx(100 * off(true), rel=8e-3)  # as far as it is written
    assert there == pytest.approx(100 * off(1000 * true), rel=0.1 if epsilon > 10 else 3e-2)
    assert there < here and "does not grow with the table" in said


@pytest.mark.parametrize(("seed", "epsilon"), [(0, 0.3), (1, 1.0), (2, 3.3), (3, 20.0)])
def test_the_furthest_off_is_not_told_within_chance(seed: int, epsilon: float) -> None:
    table = seven_people.table()
    noise = sdc.mechanism("laplace", epsilon=epsilon)
    found = {m.spoken(): sdc.evaluate(m, table, seed=seed) for m in (
        seven_people.SUPPRESSION, seven_people.SWAPPING, seven_people.ANONYMITY, noise)}
    top = max(e.people_error for e in found.values())
    may_be = [
        name for name, e in found.items() if all(
            o.people_error - e.people_error
            <= 2 * math.hypot(o.people_error_se, e.people_error_se) for o in found.values())]
    assert any(found[name].people_error == top for name in may_be)
    said = answer(0, 5, epsilon, seed)
    named = said.split(" furthest off where people are. A promise")[0]
    together = " and ".join(may_be)
    assert named == f"{together[0].upper()}{together[1:]} {'is' if len(may_be) == 1 else 'are'}"
    holds = [name for name, e in found.items()
             if promise_word(e.mechanism.guarantee(table)) == "holds"]
    assert f"comes with {len(holds)} of the 4 ways: {' and '.join(holds) or 'none'}." in said
    assert ("adding noise" in " ".join(holds)) is (epsilon < 13)  # e^13 is about half a million


# ---------------------------------------------------------------- theorems


def test_what_a_theorem_claims_is_what_it_is_judged_by() -> None:
    """Bounds say at most, values do not, comparisons say that noise is no less fair."""
    for one in THEOREMS:
        assert (" is at most " in one.claim or " by at most " in one.claim) is (
            one.kind == "bound"), one.claim
        assert ("Laplace noise is no less fair than" in one.claim) is (one.kind == "comparison")
        assert ("2 people or more" in one.claim) is (one.kind == "comparison")
        assert (one.about == "Noise fairer than both?") is (one.kind == "comparison")


@pytest.mark.parametrize(("smallest", "said"), [
    (1, "It needs at least 2 people in every group; the smallest here has 1."), (2, ""), (6, ""),
    (7, "It needs a group of at most k people; the smallest here has 7."),
])
def test_what_a_comparison_needs(smallest: int, said: str) -> None:
    assert _small_but_not_too_small(SimpleNamespace(smallest=smallest, k=6)) == said  # type: ignore[arg-type]
    few = SimpleNamespace(smallest=2, k=6, largest=1000.0, people=2, swap_rate=0.1)
    assert 1000 / (2 * 2**3) > 0.1
    assert _and_enough_swaps(few) == "It needs a larger share of swapped records."  # type: ignore[arg-type]

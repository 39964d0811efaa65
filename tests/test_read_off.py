"""What a guarantee says about data that nobody declared beforehand, and about how many people.

Proven here, for every mechanism: a table whose values or bin edges were read off the data is a
release whose shape one person can change, so it is listed as published exactly, and no promise on
it is called one for everyone; the same for a largest count that a formula took from the data. And
whether a δ is small is judged by the number of people.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.mechanisms import FOR_TABLES
from sdc_core.mechanisms.base import Mechanism
from sdc_core.privacy.guarantee import PEOPLE_IF_UNKNOWN
from sdc_core.words.guarantees import guarantee_chip, promise_sentence, promise_text

FEATURES = (
    sdc.Feature("place", "Place", ("1", "2"), ("Uptown", "Downtown")),
    sdc.Feature("race", "Race", ("1", "2", "3"), ("a", "b", "c")),
    sdc.Feature("age", "Age", ("1", "2"), ("young", "old"), ordered=True),
)
COUNTS = np.array([7, 3, 0, 9, 1, 2, 40, 8, 5, 6, 0, 1])
SETTINGS = {
    "swapping": {"quasi_identifiers": ("race",)}, "dp-swapping": {"quasi_identifiers": ("race",)},
    "dp-swapping-uniform": {"quasi_identifiers": ("race",)},
    "permutation-swapping": {"match": ("race",), "swap": ("place",)},
    "k-anonymity": {"quasi_identifiers": ("race",)},
    "dp-k-anonymity": {"quasi_identifiers": ("race",)}, "topdown": {"geography": ("place",)},
    "protected-suppression": {"across": ("place",)},
}
every_mechanism = pytest.mark.parametrize("cls", FOR_TABLES, ids=lambda c: c.name)


def table(*read_off: str) -> sdc.Histogram:
    return sdc.Histogram(COUNTS.copy(), sdc.Domain(FEATURES, read_off))


def chosen(cls: type[Mechanism]) -> Mechanism:
    return cls(**SETTINGS.get(cls.name, {}))


@every_mechanism
def test_values_read_off_the_data_are_listed_as_published_exactly(cls: type[Mechanism]) -> None:
    method = chosen(cls)
    declared = method.guarantee(table(), cap=50)
    seen = method.guarantee(table("place", "race", "age"), cap=50)
    shape = ("which values of Place and Race occur", "where the bins of Age lie")
    assert seen.read_off == shape and declared.read_off == ()
    assert seen.invariants == (*declared.invariants, *shape)
    assert method.guarantee(table("age"), cap=50).read_off == shape[1:]
    assert seen.delta_tight == declared.delta_tight  # what is left of the promise is the same
    assert not seen.reliable and seen.conditional is seen.formal
    chip, sentence = guarantee_chip(seen).text, promise_sentence("X", seen)
    if seen.formal:
        assert guarantee_chip(seen).tone in ("weak", "none")
        for words in shape:
            assert words in sentence
        assert "one person alone can change that" in sentence
        assert chip != guarantee_chip(declared).text or declared.conditional
        if declared.conditional:
            assert chip.endswith(", in part")
        elif seen.epsilon is not None and seen.holds is not False:
            assert chip.endswith(", values as seen") and promise_text(seen).endswith("as seen")
    assert "one person alone" not in promise_sentence("X", declared)


def test_one_person_with_a_value_of_their_own_is_seen_whatever_the_noise() -> None:
    """Why: the same people and one more race make a table of another shape."""
    people = [("Uptown", "a"), ("Downtown", "b"), ("Downtown", "a")]
    shapes = []
    for last in ("a", "z"):
        races = sorted({race for _, race in [*people, ("Uptown", last)]})
        race = sdc.Feature("race", "Race", tuple(races), tuple(races))
        counts = [sum(r == value for _, r in [*people, ("Uptown", last)]) for value in races]
        one = sdc.Histogram(np.array(counts), sdc.Domain((race,), ("race",)))
        shapes.append(len(sdc.mechanism("laplace").release(one, 1).counts))
        assert sdc.mechanism("laplace").guarantee(one).conditional
    assert shapes[0] != shapes[1]


@every_mechanism
def test_a_largest_count_from_the_data_is_listed_where_a_promise_rests_on_it(
    cls: type[Mechanism],
) -> None:
    method = chosen(cls)
    from_data, given = method.guarantee(table()), method.guarantee(table(), cap=40)
    rests = cls.name == "dp-suppression"  # no other true δ changes with B here
    assert from_data.read_off == ("the largest count, 40",) * rests
    assert given.read_off == ()
    assert from_data.if_none_larger is rests and not given.if_none_larger
    assert dataclasses.replace(
        from_data, invariants=given.invariants, read_off=(), if_none_larger=False) == given
    wider = method.guarantee(table(), cap=400)
    assert (wider.delta_tight != given.delta_tight
            or wider.log_rest_tight != given.log_rest_tight) is rests
    if rests:
        assert "the largest count, 40, is read off the data" in promise_sentence("X", from_data)
        assert guarantee_chip(from_data).text.endswith(", counts as seen")


def told_apart(method: Mechanism, before: list[int], after: list[int]) -> bool:
    """Have the releases of two tables nothing in common?"""
    shown = [
        {tuple(method.release(counts, seed).counts) for seed in range(40)}
        for counts in (before, after)
    ]
    return not shown[0] & shown[1]


HIDES_ALL = [
    sdc.mechanism("suppression"), sdc.mechanism("dp-suppression", epsilon=20.0, variant="P2"),
    sdc.mechanism("dp-suppression", epsilon=20.0, k=12),
]


@pytest.mark.parametrize("method", HIDES_ALL, ids=lambda m: m.label())
def test_a_table_that_is_hidden_altogether_promises_nothing(method: Mechanism) -> None:
    """Counts below k all come out alike, but one person more makes a count that shows: a promise
    only for whoever declared beforehand that there is none."""
    k = int(method.settings()["k"])
    few = [0, k - 1, 2]
    assert not told_apart(method, few, [1, k - 2, 2])
    assert told_apart(method, [1, k + 4, 2], [0, k + 5, 2])  # larger than any that was seen
    found = method.guarantee(few)
    assert not found.reliable and not found.reliable_in_part
    assert guarantee_chip(found).tone in ("none", "weak")
    said = promise_sentence("X", found)
    assert "X promises nothing" in said or said.endswith("So it is a promise to nobody.")
    declared = method.guarantee(few, cap=k - 1)
    assert declared.small_delta and declared.reliable
    if method.name == "suppression":
        assert guarantee_chip(found).text == "No formal guarantee" and found.delta_tight == 1.0
        assert guarantee_chip(declared).text == "Reveals nothing"
        assert f"counts up to {k - 1} comes out the same" in declared.remark


def small_file() -> sdc.Dataset:
    """60 people in twelve groups of five."""
    rows = [(f"t{i % 12}", ("no", "yes")[i % 2]) for i in range(60)]
    return sdc.load_dataset(pd.DataFrame(rows, columns=["town", "ill"]))


@pytest.mark.parametrize("variant", ["P0", "P2"])
def test_no_page_says_that_suppression_keeps_a_promise(variant: str) -> None:
    """Twelve groups of five, all of them hidden; a sixth person in one of them would show."""
    hides = [sdc.mechanism("suppression"), sdc.mechanism("dp-suppression", epsilon=0.5, k=16,
                                                         variant=variant)]
    data = small_file()
    assert data.histogram(["town", "ill"]).counts.max() == 5
    study = sdc.Study(data, methods=[sdc.mechanism("laplace"), *hides], empty_groups="treated")
    spoken = [one.spoken() for one in hides]
    compared = sdc.ask("compare", study).more
    assert "Adding noise (ε = 1) keeps its privacy promise but for what is read off" in compared
    assert f"{spoken[0]} and {spoken[1]} make no promise that holds for everyone" in (
        compared)
    pages = sdc.ask("protected", study)
    assert "Suppression" not in pages.headline and "DP suppression" not in pages.headline
    assert "Hiding small counts, hiding below a noisy limit" in (
        pages.more.split("make no promise that everyone")[0])
    promised = sdc.ask("delta_epsilon", study)
    assert promised.headline.startswith("Adding noise (ε = 1) lets the odds")
    assert "Hiding small counts (k = 6) promises nothing" in promised.more
    assert "publishes the same table" not in f"{promised.headline} {promised.more}"
    by_hand = sdc.ask("delta_epsilon", study, cap=5)  # declared: then it is so
    assert by_hand.headline.startswith("Hiding small counts (k = 6) reveals nothing")
    assert "Hiding small counts (k = 6) publishes the same table whatever the data" in by_hand.more


def test_dp_k_anonymity_needs_a_largest_count_only_where_counts_are_small() -> None:
    """At ε = 0.05 the printed δ is that of a count of 20; with fewer people B decides."""
    method = sdc.mechanism("dp-k-anonymity", epsilon=0.05)
    small, large = (sdc.Histogram.from_counts([top, 9]) for top in (19, 20))
    assert method.replace(quasi_identifiers=("cell",)).guarantee(small).read_off == (
        "the largest count, 19",)
    assert method.replace(quasi_identifiers=("cell",)).guarantee(large).read_off == ()


@pytest.mark.parametrize(("people", "small"), [(9_000, True), (9_400, False), (None, False)])
def test_a_delta_is_small_or_not_for_so_many_people(people: int | None, small: bool) -> None:
    """The discrete Gaussian of P0 has δ = 1.0696e-4 at ε = 1, that is one in 9,350."""
    found = sdc.mechanism("discrete-gaussian").guarantee(records=people)
    assert 1 / 9_400 < found.delta_tight < 1 / 9_000 and found.delta_tight > 1 / PEOPLE_IF_UNKNOWN
    assert found.reliable is small
    assert guarantee_chip(found).tone == ("strong" if small else "weak")


@every_mechanism
def test_an_upper_bound_is_called_one(cls: type[Mechanism]) -> None:
    found = chosen(cls).guarantee(table(), cap=50)
    assert found.is_bound is (cls.name in (
        "dp-k-anonymity", "mst", "aim", "topdown", "controlled-rounding", "cell-key"))
    assert ("δ ≤ " in guarantee_chip(found).text) is (found.is_bound and found.formal)
    if found.is_bound:
        assert found.exceeds is None or found.as_drawn  # of what is published it is not known
        assert "at most" in promise_text(found)


def test_compare_tells_slack_bounds_and_what_is_read_off_apart() -> None:
    """30 people of one's own: nothing is declared, and a δ from 1/30 on is too much slack."""
    people = pd.DataFrame({"town": ["Ash"] * 20 + ["Birch"] * 10, "ill": ["no", "yes"] * 15})
    gaussian = sdc.mechanism("discrete-gaussian", calibration="analytic", epsilon=0.5, delta=0.05)
    sampled = sdc.mechanism("dp-k-anonymity", epsilon=0.3, k=2, quasi_identifiers=("ill",))
    methods = [sdc.mechanism("laplace"), sdc.mechanism("mst"), gaussian, sampled]
    study = sdc.Study(sdc.load_dataset(people), methods=methods)
    said = sdc.ask("compare", study).more
    assert 1 / 30 < gaussian.guarantee().delta_tight <= 0.05
    assert ("Adding noise (ε = 1) and drawing records from a simple model (ε = 1) keep their "
            "privacy promise but for what is read off the data, which one person alone can change"
            ) in said
    share = -np.expm1(-0.3)
    assert (f"{gaussian.spoken()} (δ = 0.05) and {sampled.spoken()} (δ at most {share:.2f}) leave "
            "a slack of one over the number of people or more, too much to rely on") in said
    assert "for everyone" not in said and "except with" not in said

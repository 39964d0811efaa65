"""Full-domain generalisation: the best levels, who is left out, and exact moments all the same.

Proven here: the choice is the best of all level combinations, enumerated record by record with
fractions; every class that is published has k records and at most the limit is left out; the
moments are those of the law and of the draws, with those left out missing from the release; and
what the generalised table, the guarantee and the controls say about it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.hierarchy import default_ladder
from sdc_core.mechanisms.base import Generalises, repetition_rng
from sdc_core.mechanisms.classes import Classes
from sdc_core.mechanisms.full_domain import generalise
from sdc_core.mechanisms.kanonymity import KAnonymity
from tests import agreement
from tests.test_kanonymity import SMALL, table_of

RACE = "race: 0 | Rare = 1, 2"
TREE = f"age: Young = 0, 1 | Old = 2, 3; {RACE}"
# What the levels mean, as a reader of TREE would list them: from single values to all.
AGES = [[{0}, {1}, {2}, {3}], [{0, 1}, {2, 3}], [{0, 1, 2, 3}]]
RACES = {
    TREE: [[{0}, {1}, {2}], [{0}, {1, 2}], [{0, 1, 2}]],
    RACE: [[{0}, {1}, {2}], [{0}, {1, 2}], [{0, 1, 2}]],
    "": [[{0}, {1}, {2}], [{0, 1, 2}]],
}
trees = st.sampled_from(["", TREE])
counts_of = st.lists(st.integers(0, 6), min_size=24, max_size=24)
limits = st.sampled_from([0.0, 0.02, 0.05, 0.1, 0.3, 1.0])


def full_domain(k: int, limit: float = 0.05, tree: str = "", **more: Any) -> KAnonymity:
    qi = more.pop("quasi_identifiers", ("age", "race"))
    return KAnonymity(k=k, quasi_identifiers=qi, algorithm="full-domain", hierarchies=tree,
                      suppression_limit=limit, **more)


def best_of_all(
    counts: np.ndarray, k: int, limit: float, tree: str
) -> tuple[tuple[int, int], int, Fraction]:
    """Levels, left out and loss of the best choice: every record looked at for every choice."""
    records = [
        (age, race) for place, age, race in np.ndindex(counts.shape)
        for _ in range(counts[place, age, race])
    ]
    allowed = []
    for levels in itertools.product(range(len(AGES)), range(len(RACES[tree]))):
        ages, races = AGES[levels[0]], RACES[tree][levels[1]]
        seen = [
            (next(i for i, g in enumerate(ages) if age in g),
             next(i for i, g in enumerate(races) if race in g))
            for age, race in records
        ]
        size = Counter(seen)
        left_out = sum(size[one] < k for one in seen)
        if left_out > limit * len(records) + 1e-9:
            continue
        loss = sum(
            Fraction(2) if size[a, r] < k
            else Fraction(len(ages[a]) - 1, 3) + Fraction(len(races[r]) - 1, 2)
            for a, r in seen
        )
        allowed.append((loss / (2 * len(records)), left_out, levels))
    loss, left_out, levels = min(allowed)
    return levels, left_out, Fraction(loss)


@settings(max_examples=300)
@given(counts_of, st.integers(1, 12), limits, trees)
def test_the_choice_is_the_best_of_all(
    cells: list[int], k: int, limit: float, tree: str
) -> None:
    counts = np.array(cells).reshape(2, 4, 3)
    table = table_of(counts)
    if table.total < k:
        with pytest.raises(sdc.InputError, match=f"number of records, {table.total}, got {k}"):
            full_domain(k, limit, tree).release(table, 1)
        return
    found = full_domain(k, limit, tree).classes(table)
    levels, left_out, _ = best_of_all(counts, k, limit, tree)
    assert found.left_out == left_out
    assert found.levels == levels


@settings(max_examples=200)
@given(counts_of, st.integers(1, 12), limits, trees, st.integers(0, 99))
def test_classes_have_k_records_and_few_are_left_out(
    cells: list[int], k: int, limit: float, tree: str, seed: int
) -> None:
    counts = np.array(cells).reshape(2, 4, 3)
    table = table_of(counts)
    if table.total < k:
        return
    chosen = full_domain(k, limit, tree)
    classes = chosen.classes(table)
    assert classes.parts.class_sizes.min() >= k
    assert classes.left_out <= limit * table.total + 1e-9
    assert classes.left_out + classes.parts.class_sizes.sum() == table.total
    released = chosen.release(table, seed).counts
    assert released.sum() == table.total - classes.left_out
    shown = classes.described()
    assert not shown.drop(columns="count").duplicated().any()
    # Everybody whose words are published stands in the class of these words.
    by_words = {tuple(row[:-1]): row[-1] for row in shown.itertuples(index=False)}
    assert sum(by_words.values()) == classes.parts.class_sizes.sum()


def test_the_loss_is_what_was_enumerated() -> None:
    table, rng = table_of(SMALL), np.random.default_rng(4)
    ladders = [default_ladder(f) for f in table.domain.features[1:]]
    for _ in range(20):
        counts = rng.integers(0, 6, SMALL.shape)
        codes = np.argwhere(counts.sum(axis=0) >= 0)
        found = generalise(codes, counts.sum(axis=0).reshape(-1), ladders, 5, 0.1)
        levels, left_out, loss = best_of_all(counts, 5, 0.1, "")
        assert (found.levels, found.left_out) == (levels, left_out)
        assert found.loss == pytest.approx(float(loss))


def test_equal_losses_are_decided_by_who_is_left_out_and_then_by_order() -> None:
    """Two features with two values, one person in each corner: joining either loses the same."""
    features = tuple(sdc.Feature(n, n, ("0", "1"), ("0", "1")) for n in "ab")
    table = sdc.Histogram(np.array([2, 2, 2, 2]), sdc.Domain(features))
    found = KAnonymity(k=4, quasi_identifiers=("a", "b"), algorithm="full-domain").classes(table)
    assert found.levels == (0, 1)  # the first feature stays fine
    # All may be left out: that loses as much as joining everything, and joining is preferred.
    odd = sdc.Histogram(np.array([1, 1, 1, 1]), sdc.Domain(features))
    everything = KAnonymity(k=4, quasi_identifiers=("a", "b"), algorithm="full-domain",
                            suppression_limit=1.0).classes(odd)
    assert everything.levels == (1, 1) and everything.left_out == 0


def enumerated(classes: Classes, chosen: KAnonymity, counts: np.ndarray) -> list[np.ndarray]:
    """Bias, variance, E|error| of place × race cells, race generalised alone, by convolution."""
    assert classes.levels is not None
    groups = RACES[chosen.hierarchies][classes.levels[0]]
    out = [np.zeros(counts.shape) for _ in range(3)]
    for place, race in np.ndindex(counts.shape):
        group = next(g for g in groups if race in g)
        size = counts[:, sorted(group)].sum()
        number = counts[place, sorted(group)].sum() if size >= chosen.k else 0
        law = np.array([1.0])
        for _ in range(number):
            law = np.convolve(law, [1 - 1 / len(group), 1 / len(group)])
        error = np.arange(len(law)) - counts[place, race]
        out[0][place, race] = (law * error).sum()
        out[1][place, race] = (law * error**2).sum() - out[0][place, race] ** 2
        out[2][place, race] = (law * np.abs(error)).sum()
    return out


@given(st.lists(st.integers(0, 6), min_size=6, max_size=6), st.integers(1, 9), limits)
def test_exact_moments_are_those_of_the_law(cells: list[int], k: int, limit: float) -> None:
    counts = np.array(cells).reshape(2, 3)
    table = table_of(counts[:, None, :])
    if table.total < k:
        return
    chosen = full_domain(k, limit, RACE, quasi_identifiers=("race",))
    expected = enumerated(chosen.classes(table), chosen, counts)
    for mine, true in zip(chosen.exact_moments(table), expected, strict=True):
        np.testing.assert_allclose(mine, true.reshape(-1), rtol=0, atol=1e-9)


@pytest.mark.parametrize("tree", ["", TREE])
@pytest.mark.parametrize("limit", [0.0, 0.25])
def test_draws_follow_the_exact_moments(tree: str, limit: float) -> None:
    table, chosen = table_of(SMALL), full_domain(4, limit, tree)
    assert (chosen.classes(table).left_out > 0) is (limit > 0)
    bias, variance, absolute = chosen.exact_moments(table)
    rows = chosen.draw_tables(table, [repetition_rng(3, r) for r in range(2_000)])
    for cell in range(len(table)):
        mean = table.counts[cell] + bias[cell]
        assert agreement.mean_agrees(rows[:, cell], mean, variance[cell], reach=table.total)
        error = np.abs(rows[:, cell] - table.counts[cell])
        spread = variance[cell] + bias[cell] ** 2 - absolute[cell] ** 2  # of |error|
        assert agreement.mean_agrees(error, absolute[cell], max(spread, 0.0), reach=table.total)
    assert sdc.evaluate(chosen, table).method == "exact"


# ---- what is said about it --------------------------------------------------------------------


def test_the_last_line_says_who_is_not_published() -> None:
    """Race 2 has one person: within a limit of 10% of 19 people, that one is left out."""
    table = table_of([[[9, 9, 1]]])
    chosen = full_domain(4, 0.1, quasi_identifiers=("race", "age"))
    assert chosen.generalised_table(table).to_dict("list") == {
        "Race": ["race 0", "race 1", "not published: groups smaller than k"],
        "Age": ["age 0", "age 0", ""], "count": [9, 9, 1],
    }
    np.testing.assert_allclose(chosen.bias(table), [0, 0, -1])
    strict = full_domain(4, 0.0, quasi_identifiers=("race", "age"))
    assert strict.generalised_table(table).to_dict("list") == {
        "Race": ["any"], "Age": ["age 0"], "count": [19]
    }


def test_the_groups_in_one_sentence() -> None:
    table = table_of([[[9, 9, 1]]])
    assert full_domain(4, 0.1, quasi_identifiers=("race",)).groups_sentence(table) == (
        "2 groups of 9 people stand for 18 of 19 people. No feature had to be made coarser. "
        "Left out, because their group is smaller than k: 1 of 19 people (5.3%)."
    )
    assert full_domain(4, 0.0, RACE, quasi_identifiers=("race",)).groups_sentence(table) == (
        "2 groups of 9 to 10 people stand for 19 of 19 people. Coarser for everybody: Race (step "
        "1 of 2). Nobody is left out."
    )
    few = sdc.mechanism("dp-k-anonymity", k=19, epsilon=0.01, quasi_identifiers="race")
    assert isinstance(few, Generalises) and few.generalised_table(table, 1).empty
    assert few.groups_sentence(table, 1) == (
        "None of 19 people is published: no group is large enough."
    )
    with pytest.raises(sdc.InputError, match="k is more than the records of this sample"):
        few.diversity(table, "age", 1)


def test_the_guarantee_says_who_is_left_out_and_claims_no_exact_counts() -> None:
    table = table_of([[[9, 9, 1]]])
    some = full_domain(4, 0.1).guarantee(table)
    assert "1 of 19 people" in some.remark and some.invariants == () and not some.formal
    none = full_domain(4, 0.0).guarantee(table)
    assert "left out" not in none.remark and none.invariants == ("counts by Place",)
    assert "nobody had to be left out" in full_domain(1, 0.1).guarantee(table).remark
    assert "fewer people" in full_domain(4).guarantee().remark


def test_only_settings_that_matter_are_offered() -> None:
    names = [p.name for p in full_domain(4).relevant_params()]
    assert "suppression_limit" in names and "cuts" not in names
    names = [p.name for p in KAnonymity().relevant_params()]
    assert "suppression_limit" not in names and "cuts" in names
    assert full_domain(4).label() == "k-anonymity k=4 full-domain"


def test_k_of_one_changes_nothing_and_says_so() -> None:
    table = table_of(SMALL)
    for chosen in (full_domain(1), KAnonymity(k=1, quasi_identifiers=("age",))):
        np.testing.assert_array_equal(chosen.release(table, 1).counts, table.counts)
        assert "k = 1 nothing is merged" in chosen.guarantee(table).remark
    assert "k = 1 no groups" in sdc.mechanism("dp-k-anonymity", k=1).guarantee().remark
    assert "k = 1" not in sdc.mechanism("dp-k-anonymity").guarantee().remark


def test_too_many_choices_are_refused_by_number() -> None:
    features = tuple(sdc.Feature(f"f{i}", f"F{i}", ("0", "1"), ("0", "1")) for i in range(18))
    ladders = [default_ladder(f) for f in features]
    with pytest.raises(sdc.InputError, match="262,144 choices of levels"):
        generalise(np.zeros((1, 18), dtype=int), np.array([9]), ladders, 2, 0.0)


@pytest.mark.parametrize("limit", [-0.01, 1.01, "much"])
def test_a_limit_that_is_no_share_is_refused(limit: Any) -> None:
    with pytest.raises(sdc.InputError, match="suppression_limit must be"):
        KAnonymity(suppression_limit=limit)

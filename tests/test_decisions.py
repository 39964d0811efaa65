"""Money and thresholds: hand-made toys, an enumerated law, pandas, and what is never lost."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.decisions import (
    AreaCounts,
    Decisions,
    Group,
    above,
    affordable_releases,
    apply_rule,
    area_counts,
    conditions,
    decide,
    share_money,
)
from sdc_core.people import as_records
from tests.agreement import mean_agrees

FIVE = ("PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K")
RENTERS = Group.of([("OWN_RENT", "2")])
GEOMETRIC = sdc.mechanism("geometric", epsilon=1.0)


def ints(*rows: list[int]) -> np.ndarray:
    return np.array(rows, dtype=np.int64)


def town(renting: list[int], owning: list[int]) -> sdc.Histogram:
    """Places with so many renters and owners."""
    names = tuple(f"Town {chr(65 + i)}" for i in range(len(renting)))
    codes = tuple(str(i) for i in range(len(renting)))
    domain = sdc.Domain((
        sdc.Feature("PUMA", "Place", codes, names),
        sdc.Feature("OWN_RENT", "Tenure", ("1", "2"), ("owning", "renting")),
    ))
    counts = np.array([owning, renting], dtype=np.int64).T.ravel()
    return sdc.Histogram(counts, domain)


def counted(members: np.ndarray, everybody: np.ndarray) -> AreaCounts:
    """Releases that put nobody into groups that have nobody."""
    return AreaCounts(members, everybody, np.zeros_like(members))


def decided(
    table: sdc.Histogram, *mechanisms: Mechanism, pot: float = 100.0, percent: float = 30.0,
    releases: int = 200, group: Group = RENTERS,
) -> Decisions:
    released = [
        (m, area_counts(sdc.released_people(m, table, releases), table, "PUMA", group))
        for m in mechanisms
    ]
    return decide(table, "PUMA", group, pot, percent, released)


def test_money_by_hand() -> None:
    """True shares ¼ and ¾. Released ½ and ½, then ¼ and ¾ again: 25 of 100 moved, then nothing."""
    found = share_money(ints([1, 3])[0], ints([2, 2], [10, 30]), 100.0)
    assert found.gain == pytest.approx([12.5, -12.5])
    assert found.moved == pytest.approx(12.5)
    assert found.moved_se == pytest.approx(np.std([25, 0], ddof=1) / math.sqrt(2))
    assert found.low == pytest.approx(np.quantile([[25, -25], [0, 0]], 0.05, axis=0))
    assert found.high == pytest.approx(np.quantile([[25, -25], [0, 0]], 0.95, axis=0))
    assert (found.releases, found.undefined) == (2, 0)


def test_rule_by_hand() -> None:
    """30% of 10 is 3: not more than 30%. One release pushes it to 4, another leaves it."""
    members, everybody = ints([3, 5])[0], ints([10, 10])[0]
    released = counted(ints([4, 5], [3, 3], [6, 9]), ints([10, 10], [10, 10], [20, 10]))
    found = apply_rule(members, everybody, released, 30)
    assert above(members, everybody, 30).tolist() == [False, True]
    assert found.flip == pytest.approx([1 / 3, 1 / 3])
    assert found.flip_se == pytest.approx([math.sqrt(2 / 9 / 3)] * 2)
    assert found.flips == pytest.approx(2 / 3)
    assert found.any_flip == pytest.approx(2 / 3)
    assert found.shares == pytest.approx([(0.4 + 0.3 + 0.3) / 3, (0.5 + 0.3 + 0.9) / 3])
    assert not found.undefined.any()


@pytest.mark.parametrize("percent", [7, 29, 30, 57, 58])
def test_equality_is_not_more_than(percent: int) -> None:
    """In floating point 0.29 * 100 is not 29; in whole numbers no share at the threshold passes."""
    assert not above(ints([percent])[0], ints([100])[0], percent)[0]
    assert above(ints([percent + 1])[0], ints([100])[0], percent)[0]


def geometric_law(x: int, reach: int = 80) -> tuple[np.ndarray, np.ndarray]:
    """Values and probabilities of max(x + Z, 0), P(Z = z) = (1-q)/(1+q) q^|z|, q = e^(-ε/2)."""
    q = math.exp(-0.5)
    values = np.arange(0, x + reach)
    law = (1 - q) / (1 + q) * q ** np.abs(values - x)
    law[0] = q**x / (1 + q)
    return values, law


def test_flips_and_money_agree_with_the_enumerated_law() -> None:
    """Two places under geometric noise: every release enumerated, with its probability."""
    table = town(renting=[4, 9], owning=[8, 11])
    size = 20_000
    found = area_counts(
        sdc.released_people(GEOMETRIC, table, size), table, "PUMA", RENTERS
    )
    for place, (r, o) in enumerate([(4, 8), (9, 11)]):
        (renting, p), (owning, w) = geometric_law(r), geometric_law(o)
        people = renting[:, None] + owning[None, :]
        joint = p[:, None] * w[None, :] * (people > 0)
        over = 100 * renting[:, None] > 35 * people
        truth = 100 * r > 35 * (r + o)
        chance = float((joint * (over != truth)).sum() / joint.sum())
        rule = apply_rule(ints([4, 9])[0], ints([12, 20])[0], found, 35)
        seen = int(rule.flip[place] * (found.everybody[:, place] > 0).sum() + 0.5)
        sample = np.zeros((found.everybody[:, place] > 0).sum())
        sample[:seen] = 1
        assert 0.02 < chance < 0.98  # something to test
        assert mean_agrees(sample, chance, chance * (1 - chance), 1.0)
        assert not mean_agrees(sample, 1.3 * chance, chance * (1 - chance), 1.0)
    (one, p), (two, w) = geometric_law(4), geometric_law(9)
    total = one[:, None] + two[None, :]
    joint = p[:, None] * w[None, :] * (total > 0)
    joint /= joint.sum()
    moved = 100 * np.abs(one[:, None] / np.maximum(total, 1) - 4 / 13)
    mean, square = float((joint * moved).sum()), float((joint * moved**2).sum())
    money = share_money(ints([4, 9])[0], found.members, 100.0)
    some = found.members[found.members.sum(axis=1) > 0]
    sample = 100 * np.abs(some[:, 0] / some.sum(axis=1) - 4 / 13)
    assert money.moved == pytest.approx(sample.mean())
    assert mean_agrees(sample, mean, square - mean**2, 100.0)
    assert not mean_agrees(sample, 1.1 * mean, square - mean**2, 100.0)
    assert money.moved_se == pytest.approx(sample.std(ddof=1) / math.sqrt(len(some)))


def test_a_perfect_copy_moves_nothing_and_flips_nothing() -> None:
    table = sdc.load_dataset("ma2019-twin").histogram(FIVE)
    exact = sdc.mechanism("suppression", k=1, keep_zeros=True)  # nothing is below 1 but zeros
    found = decided(table, exact, percent=21)
    (outcome,) = found.outcomes
    assert outcome.unchanged
    assert outcome.money.moved == 0 and not outcome.money.gain.any()
    assert outcome.rule.flips == 0 and outcome.rule.any_flip == 0
    assert outcome.rule.shares == pytest.approx(found.shares)


@given(
    st.lists(st.integers(0, 30), min_size=2, max_size=5).filter(any),
    st.lists(st.lists(st.integers(0, 30), min_size=5, max_size=5), min_size=1, max_size=6),
    st.floats(0.01, 1e9),
)
def test_the_pot_is_always_shared_out_in_full(
    truth: list[int], rows: list[list[int]], pot: float
) -> None:
    released = ints(*[row[: len(truth)] for row in rows])
    found = share_money(ints(truth)[0], released, pot)
    assert found.releases + found.undefined == len(rows)
    if found.releases:
        assert found.gain.sum() == pytest.approx(0, abs=1e-9 * pot)
        assert 0 <= found.moved <= pot * (1 + 1e-12)
        assert (found.gain >= -pot * ints(truth)[0] / sum(truth) - 1e-9 * pot).all()
    else:
        assert math.isnan(found.moved) and np.isnan(found.gain).all()


def test_counts_by_place_agree_with_pandas() -> None:
    """Released people as records, counted by somebody else."""
    data = sdc.load_dataset("ma2019-twin")
    table = data.histogram(FIVE)
    group = Group.of([("OWN_RENT", "2"), ("RAC1P", "2"), ("RAC1P", "6")])
    people = sdc.released_people(sdc.mechanism("laplace"), table, 3)
    found = area_counts(people, table, "PUMA", group)
    places = list(table.domain.features[0].values)
    for r, counts in enumerate(people):
        records = as_records(counts, table.domain)
        inside = records[(records.OWN_RENT == "2") & records.RAC1P.isin(["2", "6"])]
        for column, frame in ((found.members, inside), (found.everybody, records)):
            by_place = frame.groupby("PUMA").size().reindex(places, fill_value=0)
            assert column[r].tolist() == by_place.tolist()
    truth = area_counts(table.counts, table, "PUMA", RENTERS)
    counted = data.records.groupby("PUMA", observed=True)["OWN_RENT"].agg(
        lambda column: (column.astype(str) == "2").sum()
    )
    assert truth.members[0].tolist() == counted.reindex(places).tolist()


def test_groups_are_alternatives_within_a_feature_and_add_up_across() -> None:
    table = town([1, 2], [3, 4])
    domain = table.domain
    assert Group.of([]).members(domain).all()
    both = Group.of([("OWN_RENT", "1"), ("OWN_RENT", "2")])
    assert both.members(domain).all()
    one = Group.of([("OWN_RENT", "2"), ("PUMA", "1")])
    assert table.counts[one.members(domain)].tolist() == [2]
    assert one.features == ("OWN_RENT", "PUMA")
    with pytest.raises(sdc.InputError, match="does not occur"):
        Group.of([("OWN_RENT", "9")]).members(domain)
    with pytest.raises(sdc.InputError, match="not counted by"):
        Group.of([("AGE", "9")]).members(domain)


def test_conditions_offer_every_value_but_places_and_usual_features_first() -> None:
    data = sdc.load_dataset("ma2019-twin")
    offered = conditions(data, "PUMA")
    assert offered["OWN_RENT=2"].title == "Housing tenure: renting"
    assert next(iter(offered)).startswith("RAC1P=")
    names = {c.feature for c in offered.values()}
    assert names == set(data.features) - {"PUMA"}


def test_bad_questions_are_one_sentence() -> None:
    table = town([1, 2], [3, 4])
    with pytest.raises(sdc.InputError, match="pot must be above 0"):
        decide(table, "PUMA", RENTERS, 0, 30, [])
    with pytest.raises(sdc.InputError, match=r"threshold must be in \[0, 100\]"):
        decide(table, "PUMA", RENTERS, 1, 101, [])
    with pytest.raises(sdc.InputError, match="Nobody in this data belongs"):
        decide(town([0, 0], [3, 4]), "PUMA", RENTERS, 1, 30, [])
    with pytest.raises(sdc.InputError, match="not counted by"):
        decide(table, "COUNTY", RENTERS, 1, 30, [])


def test_large_tables_have_fewer_releases_but_never_fewer_than_twenty() -> None:
    """Four million numbers at most: 200 releases of 20,000 groups, 20 of 200,000."""
    groups = (1, 20_000, 20_001, 40_000, 200_000)
    assert [affordable_releases(n, 200) for n in groups] == [200, 200, 199, 100, 20]
    assert affordable_releases(480, 20) == 20
    with pytest.raises(sdc.InputError, match="fewer features"):
        affordable_releases(200_001, 200)


def test_releases_without_members_or_people_are_left_out() -> None:
    table = town([1, 2], [3, 4])
    released = counted(ints([0, 0], [1, 2], [0, 0]), ints([0, 6], [4, 6], [0, 0]))
    found = decide(table, "PUMA", RENTERS, 90.0, 30, [(GEOMETRIC, released)])
    (outcome,) = found.outcomes
    assert (outcome.money.releases, outcome.money.undefined) == (1, 2)
    assert outcome.money.gain == pytest.approx([0, 0])
    assert outcome.rule.undefined.tolist() == [2, 1]
    # Town B: 2 of 6 is more than 30%; of the two releases with people in it, one says 0 of 6.
    assert outcome.rule.flip == pytest.approx([0, 0.5])


def test_swapping_matters_only_where_it_exchanges_place_or_group() -> None:
    table = sdc.load_dataset("ma2019-twin").histogram(FIVE)
    race = sdc.mechanism("swapping", quasi_identifiers=("RAC1P",))
    place = sdc.mechanism("swapping", quasi_identifiers=("PUMA",))
    found = decided(table, race, place, releases=20)
    assert found.outcomes[0].unchanged and found.outcomes[0].money.moved == 0
    assert not found.outcomes[1].unchanged and found.outcomes[1].money.moved > 0
    idle = sdc.mechanism("suppression", k=1, keep_zeros=True)
    private = sdc.mechanism("dp-swapping", quasi_identifiers=("RAC1P",))
    still = sdc.mechanism("permutation-swapping", match=(), swap=("PUMA",), swap_rate=0.0)
    found = decided(table, race, idle, private, still, releases=3)
    assert [o.untouched for o in found.outcomes] == [True, False, True, False]
    assert all(o.unchanged and o.money.moved == 0 for o in found.outcomes)


def test_fewer_groups_move_less_money() -> None:
    """What people are counted by matters: the same noise on 480 groups or on 15."""
    data = sdc.load_dataset("ma2019-twin")
    noise = sdc.mechanism("laplace")
    full, small = (
        decided(data.histogram(f), noise, pot=1e6).outcomes[0].money.moved
        for f in (FIVE, ("PUMA", "OWN_RENT"))
    )
    assert small < full / 2


def test_members_in_groups_that_have_nobody_are_counted_apart() -> None:
    """Town B has no renters. Released as records, those in its empty group are counted by pandas;
    what remains without them is shared once more."""
    table = town(renting=[120, 0, 50], owning=[20, 9, 0])
    noise = sdc.mechanism("geometric", epsilon=0.5)
    rows = sdc.released_people(noise, table, 50)
    counts = area_counts(rows, table, "PUMA", RENTERS)
    for r, row in enumerate(rows):
        records = as_records(row, table.domain)
        there = (records.PUMA == "1") & (records.OWN_RENT == "2")
        assert counts.invented[r].tolist() == [0, int(there.sum()), 0]  # owners are no members
    found = decide(table, "PUMA", RENTERS, 100.0, 30, [(noise, counts)])
    (outcome,) = found.outcomes
    assert found.empty == 1
    assert outcome.invented == pytest.approx(counts.invented.sum() / 50) and outcome.invented > 0.3
    assert outcome.kept is not None
    left = counts.members.copy()
    left[:, 1] = 0
    gain = 100 * (left / left.sum(axis=1, keepdims=True) - np.array([120, 0, 50]) / 170)
    assert outcome.kept.gain == pytest.approx(gain.mean(axis=0))
    assert outcome.kept.moved == pytest.approx(np.abs(gain).sum(axis=1).mean() / 2)
    assert outcome.kept.moved < outcome.money.moved


def test_a_method_that_leaves_empty_groups_is_what_another_would_do_without_them() -> None:
    """The same random numbers, with empty groups treated and left at 0."""
    table = sdc.load_dataset("ma2019-twin").histogram(FIVE)
    for name in ("suppression", "dp-suppression"):
        treated, left = (sdc.mechanism(name, keep_zeros=kept) for kept in (False, True))
        one, other = decided(table, treated, left, releases=20).outcomes
        assert one.kept is not None and one.invented > 0 and other.invented == 0
        assert one.kept.each == pytest.approx(other.money.each)
        assert one.money.moved > other.money.moved
    moving = sdc.mechanism("swapping", quasi_identifiers=("PUMA",))
    assert decided(table, moving, releases=3).outcomes[0].kept is None


def test_gains_of_each_release_are_kept_in_order() -> None:
    found = share_money(ints([1, 3])[0], ints([2, 2], [0, 0], [10, 30]), 100.0)
    assert np.isnan(found.each[1]).all()
    assert found.each[[0, 2]] == pytest.approx(np.array([[25, -25], [0, 0]]))
    assert found.moved_each[[0, 2]] == pytest.approx([25, 0]) and math.isnan(found.moved_each[1])
    rule = apply_rule(
        ints([3, 5])[0], ints([10, 10])[0],
        counted(ints([4, 2], [3, 3], [3, 5]), ints([10, 10], [10, 10], [10, 10])), 30)
    assert rule.each.tolist() == [2, 1, 0]


def test_certain_is_what_no_release_can_change() -> None:
    """Not what merely did not change in the releases that were drawn."""
    table = town(renting=[40, 90], owning=[80, 110])
    weak = sdc.mechanism("geometric", epsilon=20.0)  # noise of 0 in all but e⁻¹⁰ of the draws
    hiding = sdc.mechanism("suppression", k=6)
    noise = sdc.mechanism("geometric", epsilon=0.5)
    still = sdc.mechanism("permutation-swapping", match=(), swap=("OWN_RENT",), hold=("PUMA",))
    outcomes = decided(table, weak, hiding, noise, still, releases=5).outcomes
    assert [o.unchanged for o in outcomes] == [True, True, False, False]
    assert [o.certain for o in outcomes] == [False, True, False, False]
    race = sdc.mechanism("swapping", quasi_identifiers=("RAC1P",))
    twin = sdc.load_dataset("ma2019-twin").histogram(FIVE)
    assert decided(twin, race, releases=3).outcomes[0].certain  # whoever is exchanged

"""Money and thresholds: hand-made toys, an enumerated law, pandas, and what is never lost."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.figures import decisions as figures
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.decisions import (
    MOST_GROUPS,
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
from sdc_core.narrative.decisions import (
    decision_code,
    decision_sentences,
    dollars,
    group_words,
    money_caption,
    of_100,
    rule_caption,
    threshold_remark,
    undefined_sentences,
)
from sdc_core.people import as_records
from tests.statistics import mean_agrees

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


def decided(
    table: sdc.Histogram, *mechanisms: Mechanism, pot: float = 100.0, percent: float = 30.0,
    releases: int = 200, group: Group = RENTERS,
) -> Decisions:
    released = [
        (m, area_counts(sdc.released_people(m, table, releases), table.domain, "PUMA", group))
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
    released = AreaCounts(ints([4, 5], [3, 3], [6, 9]), ints([10, 10], [10, 10], [20, 10]))
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
        sdc.released_people(GEOMETRIC, table, size), table.domain, "PUMA", RENTERS
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
    headline, more = decision_sentences(found, "renters")
    assert "moves nothing" in headline
    assert "gives every place the same answer" in more
    said = money_caption(found, "renters", 480, "all")
    assert said.endswith("changes none of these numbers in any release.")


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
    found = area_counts(people, table.domain, "PUMA", group)
    places = list(table.domain.features[0].values)
    for r, counts in enumerate(people):
        records = as_records(counts, table.domain)
        inside = records[(records.OWN_RENT == "2") & records.RAC1P.isin(["2", "6"])]
        for column, frame in ((found.members, inside), (found.everybody, records)):
            by_place = frame.groupby("PUMA").size().reindex(places, fill_value=0)
            assert column[r].tolist() == by_place.tolist()
    truth = area_counts(table.counts, table.domain, "PUMA", RENTERS)
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
    with pytest.raises(sdc.InputError, match="fewer features"):
        affordable_releases(MOST_GROUPS + 1, 200)
    assert affordable_releases(480, 200) == 200
    assert affordable_releases(MOST_GROUPS, 200) == 20


def test_releases_without_members_or_people_are_left_out_and_said() -> None:
    table = town([1, 2], [3, 4])
    released = AreaCounts(ints([0, 0], [1, 2], [0, 0]), ints([0, 6], [4, 6], [0, 0]))
    found = decide(table, "PUMA", RENTERS, 90.0, 30, [(GEOMETRIC, released)])
    (outcome,) = found.outcomes
    assert (outcome.money.releases, outcome.money.undefined) == (1, 2)
    assert outcome.money.gain == pytest.approx([0, 0])
    assert outcome.rule.undefined.tolist() == [2, 1]
    # Town B: 2 of 6 is more than 30%; of the two releases with people in it, one says 0 of 6.
    assert outcome.rule.flip == pytest.approx([0, 0.5])
    said = " ".join(undefined_sentences(found, "renters"))
    assert "2 of 3 releases have no renters at all" in said
    assert "nobody at all in Town A and Town B, so their shares are not defined" in said
    one = AreaCounts(ints([0, 2], [1, 2]), ints([0, 6], [4, 6]))
    found = decide(table, "PUMA", RENTERS, 90.0, 30, [(GEOMETRIC, one)])
    assert "in Town A, so its share is not defined" in undefined_sentences(found, "renters")[0]


def test_nothing_but_empty_releases_still_makes_a_page() -> None:
    table = town([1, 2], [3, 4])
    nothing = AreaCounts(ints([0, 0], [0, 0]), ints([0, 0], [0, 0]))
    found = decide(table, "PUMA", RENTERS, 90.0, 30, [(GEOMETRIC, nothing)])
    headline, more = decision_sentences(found, "renters")
    assert "no release has anybody to share by" in headline
    assert "cannot be applied" in more
    assert "no release has a member" in figures.gains(found, "")
    chart = figures.share_chart(found)
    assert len(go.Figure(chart.to_dict()).data) == len(chart.data)
    assert "no people" in [a.text for a in chart.layout.annotations]
    assert rule_caption(found, "renters", 2) and money_caption(found, "renters", 4, "x")


@pytest.mark.parametrize(
    ("percent", "words"), [(0, "whether there is anybody"), (100, "nothing can flip"), (30, "")]
)
def test_a_rule_that_decides_nothing_says_so(percent: int, words: str) -> None:
    found = decided(town([4, 9], [8, 11]), GEOMETRIC, percent=percent)
    remark = threshold_remark(found, "renters")
    assert words in remark and bool(words) == bool(remark)
    if percent == 100:
        assert found.outcomes[0].rule.flips == 0
    assert "100% everywhere" in threshold_remark(found, "people")


def test_swapping_matters_only_where_it_exchanges_place_or_group() -> None:
    table = sdc.load_dataset("ma2019-twin").histogram(FIVE)
    race = sdc.mechanism("swapping", quasi_identifiers=("RAC1P",))
    place = sdc.mechanism("swapping", quasi_identifiers=("PUMA",))
    found = decided(table, race, place, releases=20)
    assert found.outcomes[0].unchanged and found.outcomes[0].money.moved == 0
    assert not found.outcomes[1].unchanged and found.outcomes[1].money.moved > 0
    said = money_caption(found, "renters", 480, "x")
    why = "none of these numbers in any release: neither the place nor who counts among the renters"
    assert f"{race.label()} changes {why} is altered." in said
    idle = sdc.mechanism("suppression", k=1, keep_zeros=True)
    private = sdc.mechanism("dp-swapping", quasi_identifiers=("RAC1P",))
    still = sdc.mechanism("permutation-swapping", match=(), swap=("PUMA",), swap_rate=0.0)
    found = decided(table, race, idle, private, still, releases=3)
    assert [o.untouched for o in found.outcomes] == [True, False, True, False]
    said = money_caption(found, "renters", 480, "x")
    assert f"{race.label()} and {private.label()} change {why} is altered." in said
    assert f"{idle.label()} and {still.label()} change none of these numbers in any release." in (
        said)
    everybody = decided(table, race, releases=3, group=Group.of([]))
    assert money_caption(everybody, "people", 480, "x").endswith("the place is not altered.")


def test_fewer_groups_move_less_money() -> None:
    """What people are counted by matters: the same noise on 480 groups or on 15."""
    data = sdc.load_dataset("ma2019-twin")
    noise = sdc.mechanism("laplace")
    full, small = (
        decided(data.histogram(f), noise, pot=1e6).outcomes[0].money.moved
        for f in (FIVE, ("PUMA", "OWN_RENT"))
    )
    assert small < full / 2


def test_words_and_numbers() -> None:
    assert [dollars(a) for a in (14_213, 999.6, 1e6, 1_234_567, -912, 0.2, 2.5e9)] == [
        "$14,200", "$1,000", "$1 million", "$1.23 million", "−$912", "$0", "$2.5 billion"]
    assert dollars(912, signed=True) == "+$912"
    assert [of_100(c) for c in (0, 0.004, 0.083, 0.999, 1, math.nan)] == [
        "in no release", "in fewer than 1 of 100 releases", "in 8 of 100 releases",
        "in 99 of 100 releases", "in every release", "in unknown many releases"]
    domain = sdc.load_dataset("ma2019-twin").histogram(FIVE).domain
    assert group_words(RENTERS, domain) == "renters"
    assert group_words(Group.of([]), domain) == "people"
    many = Group.of([("RAC1P", "2"), ("RAC1P", "6"), ("OWN_RENT", "2")])
    assert group_words(many, domain) == "people listed as “Black” or “Asian” and “renting”"


def test_the_answer_names_who_loses_who_gains_and_who_flips() -> None:
    """Suppression at k = 6 turns 2 renters into 3 and leaves 10: 3/13 instead of 2/12 to Town A."""
    found = decided(town([2, 10], [20, 20]), sdc.mechanism("suppression"), pot=1200, percent=10)
    headline, more = decision_sentences(found, "renters")
    moved = 1200 * (3 / 13 - 2 / 12)
    assert f"sends {dollars(moved)} to the wrong places, mostly from Town B to Town A" in headline
    assert "can flip 1 of 2 places under Suppression k=6: Town A in every release" in more
    assert "In truth 1 of 2 places has more than 10% renters." in rule_caption(found, "renters", 2)
    noisy = decided(town([4, 9], [8, 11]), GEOMETRIC, percent=35)
    (rule,) = (o.rule for o in noisy.outcomes)
    spread = math.sqrt(rule.any_flip * (1 - rule.any_flip) / 200)
    worst = math.ceil(100 * max(float(rule.flip_se.max()), spread))
    assert f"Counted in 200 releases: ± {worst} of 100 at most (one standard error)." in (
        rule_caption(noisy, "renters", 2))
    by_sex = sdc.load_dataset("ma2019-twin").histogram(("SEX", "OWN_RENT"))
    people = sdc.released_people(GEOMETRIC, by_sex, 5)
    counts = area_counts(people, by_sex.domain, "SEX", RENTERS)
    other = decide(by_sex, "SEX", RENTERS, 100, 1, [(GEOMETRIC, counts)])
    assert "renters in each category of sex" in decision_sentences(other, "renters")[0]
    assert decision_sentences(decided(town([1], [1])), "renters")[0].startswith("Choose a method")


def shared(gains: list[list[int]], truth: list[int] | None = None) -> Decisions:
    """Releases that move so many of 1,000 renters in each place; the pot is $1,000."""
    renting = truth or [1000 // len(gains[0])] * len(gains[0])
    table = town(renting, [1000] * len(renting))
    members = np.array([renting], dtype=np.int64) + ints(*gains)
    counts = AreaCounts(members, members + 1000)
    return decide(table, "PUMA", RENTERS, float(sum(renting)), 1, [(GEOMETRIC, counts)])


@pytest.mark.parametrize(
    ("gains", "said"),
    [
        # A bears all losses and B three quarters of all gains: most of it goes from A to B
        ([[-20, 15, 5, 0]] * 3, "mostly from Town A to Town B"),
        # half of all losses, half of all gains: A may have lost nothing to B
        ([[-10, 10, 6, -6], [-10, 10, 6, -6]],
         "with Town A losing most (62% of all losses) and Town B gaining most (62% of all gains)"),
        ([[-20, 7, 7, 6]] * 3,
         "with Town A losing most (100% of all losses) and Town B gaining most (35% of all gains)"),
        # A loses in every release; of the others one or another gains
        ([[-20, 20, 0, 0], [-20, 0, 20, 0], [-20, 0, 0, 20]], "(only Town A loses steadily)"),
        ([[20, -20, 0, 0], [20, 0, -20, 0], [20, 0, 0, -20]], "(only Town A gains steadily)"),
        # the largest loss is D's by chance; A and B lose in every release, C gains in every one
        ([[-5, -6, 71, -60], [-5, -6, 71, -60], [-5, -6, -9, 20]],
         "(only Town A and Town B lose steadily)"),
        ([[9, -9, 0, 0], [-9, 9, 0, 0]], "(who gains changes from release to release)"),
    ],
)
def test_who_loses_and_gains_is_said_only_as_far_as_it_is_so(
    gains: list[list[int]], said: str
) -> None:
    found = shared(gains)
    assert found.outcomes[0].money.gain == pytest.approx(np.mean(gains, axis=0))
    assert said in decision_sentences(found, "renters")[0]


@pytest.mark.parametrize("name", ["laplace", "geometric", "suppression", "dp-suppression"])
@pytest.mark.parametrize("seed", range(4))
def test_claims_about_money_hold_for_the_computed_gains(name: str, seed: int) -> None:
    """Read the claim back from the sentence and check it against every place's mean and error."""
    rng = np.random.default_rng(seed)
    table = town(*rng.integers(0, 40, size=(2, 6)).tolist())
    found = decided(table, sdc.mechanism(name), pot=1e6, releases=30)
    money = found.outcomes[0].money
    headline, _ = decision_sentences(found, "renters")
    steady = {p for p, g, e in zip(found.places, money.gain, money.gain_se, strict=True)
              if abs(g) > max(3 * e, 1e-3)}
    losses, gains = -money.gain[money.gain < 0], money.gain[money.gain > 0]
    loser, winner = found.places[money.gain.argmin()], found.places[money.gain.argmax()]
    if "moves nothing" in headline:
        assert np.abs(money.gain).sum() < 1
    elif "who gains changes from release to release" in headline:
        assert not steady
    elif "steadily" in headline:
        assert steady and {p for p in found.places if p in headline} == steady
        assert not {loser, winner} <= steady
    elif "mostly" in headline:
        assert f"from {loser} to {winner}" in headline
        assert losses.max() / losses.sum() + gains.max() / gains.sum() > 1.5
    else:
        assert {loser, winner} <= steady
        assert f"{loser} losing most ({100 * losses.max() / losses.sum():.0f}% of" in headline
        assert f"{winner} gaining most ({100 * gains.max() / gains.sum():.0f}% of" in headline


@pytest.mark.parametrize(
    ("flips", "said"),
    [((4, 4, 4, 4, 4), " and 2 more."), ((4, 4, 4, 3, 3), " and 2 more less often."),
     ((4, 3, 3, 3, 1), " and 2 more."), ((4, 3, 2, 0, 0), "Town C in 50 of 100 releases.")],
)
def test_the_rest_flips_less_often_only_if_it_does(flips: tuple[int, ...], said: str) -> None:
    """Five places at 20% renters and a rule of 30%; in so many of four releases it is 40%."""
    table = town([20] * 5, [80] * 5)
    members = ints(*[[40 if r < n else 20 for n in flips] for r in range(4)])
    counts = AreaCounts(members, np.full((4, 5), 100))
    found = decide(table, "PUMA", RENTERS, 100.0, 30, [(GEOMETRIC, counts)])
    assert decision_sentences(found, "renters")[1].endswith(said)


def test_the_error_covers_the_chance_of_any_flip() -> None:
    """Four places, each flipped in one release of eight, so that half of the releases flip one:
    √(1/8 · 7/8 / 8) is 0.117, √(1/2 · 1/2 / 8) is 0.177."""
    table = town([20] * 4, [80] * 4)
    members = ints(*[[40 if r == i else 20 for i in range(4)] for r in range(8)])
    counts = AreaCounts(members, np.full((8, 4), 100))
    found = decide(table, "PUMA", RENTERS, 100.0, 30, [(GEOMETRIC, counts)])
    assert found.outcomes[0].rule.any_flip == 0.5
    assert "Counted in 8 releases: ± 18 of 100 at most (one standard error)" in (
        rule_caption(found, "renters", 4))


def test_figures_are_valid_and_escape_names() -> None:
    table = town([2, 10, 5], [20, 20, 9])
    features = (
        sdc.Feature("PUMA", "Place", ("0", "1", "2"), ("<b>A", "B & C", "D")),
        table.domain.features[1],
    )
    table = sdc.Histogram(table.counts.copy(), sdc.Domain(features))
    found = decided(table, GEOMETRIC, sdc.mechanism("suppression"))
    drawn = figures.gains(found, '"><img>')
    assert "<b>A" not in drawn and "<img>" not in drawn and "B &amp; C" in drawn
    assert drawn.count('class="row"') == 3 * 2
    chart = figures.share_chart(found)
    assert len(go.Figure(chart.to_dict()).data) == len(chart.data)
    assert not any("<b><b>A" in (a.text or "") for a in chart.layout.annotations)
    rows = figures.gains_table(found)
    assert rows["true amount"].sum() == pytest.approx(100)
    assert rows["gain, 2. Suppression k=6"].sum() == pytest.approx(0, abs=1e-9)
    assert len(figures.share_table(found)) == 3


def test_many_places_show_the_ones_that_matter() -> None:
    table = town([1] + [50] * 29, [99] + [100] * 29)
    found = decided(table, sdc.mechanism("suppression"), percent=1)
    assert 0 in figures.most_moved(found) and len(figures.most_moved(found)) == 12
    assert 0 in figures.nearest_threshold(found)
    assert "the table has all" in rule_caption(found, "renters", 8)


def test_places_stand_in_the_order_of_the_first_methods_gain() -> None:
    """Suppression at k = 6 makes 3 renters of 1: the places with 1 gain, the others pay for it in
    proportion, so the largest loses most."""
    found = decided(town([50, 1, 90, 1], [100, 99, 100, 99]), sdc.mechanism("suppression"))
    assert figures.most_moved(found) == [1, 3, 0, 2]
    assert figures.nearest_threshold(found) == [2, 0, 1, 3]  # by true share: 47%, 33%, 1%, 1%
    assert "Places stand in the order of their gain under Suppression k=6." in (
        money_caption(found, "renters", 8, "place, tenure"))
    assert list(figures.gains_table(found)["place"]) == [found.places[i] for i in (1, 3, 0, 2)]


def test_a_method_without_chance_has_no_spread_in_the_table() -> None:
    """Means of many equal floats may be off in the last digit: that is nothing, not 9e-13."""
    found = decided(town([1, 7, 13], [97, 61, 31]), sdc.mechanism("suppression"), pot=1e6)
    dusty = dataclasses.replace(found, outcomes=tuple(
        dataclasses.replace(o, money=dataclasses.replace(
            o.money, gain_se=np.full(3, 9.026e-13))) for o in found.outcomes))
    for one in (found, dusty):
        assert set(figures.gains_table(one)["± 1. Suppression k=6"]) == {0.0}


def test_the_threshold_runs_beside_the_names_not_through_them() -> None:
    found = decided(town([30, 20, 10], [70, 80, 90]), sdc.mechanism("suppression"), percent=20)
    chart = figures.share_chart(found)
    (line,) = [t for t in chart.data if (t.line.dash == "dash")]
    names = [a.y for a in chart.layout.annotations if a.text.startswith("<b>")]
    pieces = [(line.y[i], line.y[i + 1]) for i in range(0, len(line.y), 3)]
    assert len(names) == len(pieces) == 3
    assert not any(low - 0.4 < y < high + 0.4 for y in names for low, high in pieces)


def test_the_code_reproduces_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    code = decision_code(
        "ma2019-twin", FIVE, "PUMA", RENTERS, 1000, 25, [sdc.mechanism("suppression", k=4)], 5, 7
    )
    scope: dict[str, object] = {}
    exec(code, scope)  # noqa: S102
    assert "Decisions(" in capsys.readouterr().out
    table = sdc.load_dataset("ma2019-twin").histogram(FIVE)
    ours = decided(table, sdc.mechanism("suppression", k=4), pot=1000, percent=25, releases=5)
    theirs = decide(table, "PUMA", RENTERS, 1000, 25, scope["released"])  # type: ignore[arg-type]
    assert theirs.outcomes[0].money.moved == ours.outcomes[0].money.moved


def test_default_statements_on_the_real_massachusetts(
    real_data: Callable[[str], sdc.Dataset]
) -> None:
    """Suppression that leaves zeros alone is not random: its misallocation follows from pandas."""
    data = real_data("ma2019")
    groups = data.records.groupby(list(FIVE), observed=True).size().reset_index(name="n")
    groups["released"] = groups.n.where(groups.n >= 6, 3)
    renters = groups[groups.OWN_RENT.astype(str) == "2"].groupby("PUMA", observed=True)[
        ["n", "released"]].sum()
    shares = renters / renters.sum()
    moved = 1e6 * (shares.released - shares.n).abs().sum() / 2
    found = decided(
        data.histogram(FIVE), sdc.mechanism("suppression", keep_zeros=True),
        sdc.mechanism("laplace"), pot=1e6, percent=25,
    )
    assert found.outcomes[0].money.moved == pytest.approx(moved)
    headline, _ = decision_sentences(found, "renters")
    assert dollars(moved) in headline
    assert headline.startswith("If $1 million is shared by the number of renters in each place, ")
    assert found.outcomes[1].extra_members > 0  # noise on empty groups invents renters

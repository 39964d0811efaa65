"""Households: who lives with whom is kept, whole households change place together, and what that
changes and promises is what enumerating every outcome gives.

Size: every random comparison spends from the one budget of tests/agreement.py. Power: released
tables are tested against the enumerated law of the whole table; a swap rate of .4 in place of .3 is
n·KL = 398 or more away with 6,000 draws, against critical values of at most 60, and not accepted.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from collections import Counter, defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.households import Households, alike, picked
from sdc_core.mechanisms import swap_units
from sdc_core.mechanisms.permutation import PermutationSwapping
from sdc_core.metrics.households import household_risks, households_shown
from sdc_core.metrics.sparsity import marginals
from sdc_core.metrics.subgroups import in_order
from sdc_core.privacy.guarantee import Neighbours
from sdc_core.privacy.swap_rate import swap_rate_to_epsilon
from sdc_core.privacy.units import Unit, converted, steps
from sdc_core.questions.answer import Answer
from sdc_core.words.guarantees import household_sentence, promise_sentence
from tests.agreement import law_agrees
from tests.household_towns import AGES, LIVING, living, people
from tests.page_driver import TWIN, answer, link, opened, said, uploaded

Home = tuple[str, tuple[str, ...]]  # the town, and for each member sex and age
DOMAIN = sdc.Domain((
    sdc.Feature("town", "Town", ("x", "y", "z"), ("x", "y", "z")),
    sdc.Feature("sex", "Sex", ("f", "m"), ("f", "m")),
    sdc.Feature("age", "Age", ("c", "a"), ("c", "a")),
))


def cell(town: str, member: str) -> int:
    """The number of a person's cell: towns × sexes × ages in row-major order."""
    return "xyz".index(town) * 4 + "fm".index(member[0]) * 2 + "ca".index(member[1])


def counted(homes: list[Home]) -> tuple[int, ...]:
    found = [0] * 12
    for town, members in homes:
        for member in members:
            found[cell(town, member)] += 1
    return tuple(found)


def table_of(homes: list[Home]) -> sdc.Histogram:
    persons = [(i, cell(town, m)) for i, (town, members) in enumerate(homes) for m in members]
    house, cells = (np.array(column, dtype=np.int64) for column in zip(*persons, strict=True))
    return sdc.Histogram(
        np.array(counted(homes)), DOMAIN, find_households=lambda: Households.of(house, cells))


def swapping(rate: float, match: tuple[str, ...] = (), unit: str = "household") -> (
        PermutationSwapping):
    return PermutationSwapping(rate, match=match, swap=("town",), unit=unit)


def matching(home: Home, match: tuple[str, ...]) -> tuple[str, ...]:
    """What two households must share: one entry a member, so the same size as well."""
    keep = {"sex": 0, "age": 1}
    return tuple(sorted("".join(m[keep[name]] for name in match) for m in home[1]))


def enumerated_law(
    homes: list[Home], rate: float, match: tuple[str, ...]
) -> dict[tuple[int, ...], float]:
    """The probability of every released table: in each stratum subsets times derangements of whole
    households, independently of the other strata."""
    strata = defaultdict(list)
    for home in homes:
        strata[matching(home, match)].append(home)
    law: dict[tuple[int, ...], float] = {tuple([0] * 12): 1.0}
    for inside in strata.values():
        n = len(inside)
        own: dict[tuple[int, ...], float] = defaultdict(float)
        rest = 1 - n * rate * (1 - rate) ** (n - 1) if n > 1 else 1.0
        for j in [0] if n == 1 else [j for j in range(n + 1) if j != 1]:
            ways = [s for s in itertools.permutations(range(j))
                    if all(i != v for i, v in enumerate(s))]
            chance = 1.0 if n == 1 else rate**j * (1 - rate) ** (n - j) / rest / len(ways)
            for chosen in itertools.combinations(range(n), j):
                for sigma in ways:
                    moved = list(inside)
                    for i, source in zip(chosen, sigma, strict=True):
                        moved[i] = (inside[chosen[source]][0], inside[i][1])
                    own[counted(moved)] += chance
        law = _convolved(law, own)
    return {table: p for table, p in law.items() if p > 0}


def _convolved(
    one: dict[tuple[int, ...], float], other: dict[tuple[int, ...], float]
) -> dict[tuple[int, ...], float]:
    found: dict[tuple[int, ...], float] = defaultdict(float)
    for (a, p), (b, q) in itertools.product(one.items(), other.items()):
        found[tuple(x + y for x, y in zip(a, b, strict=True))] += p * q
    return dict(found)


TOWNS: dict[str, list[Home]] = {
    "one": [("x", ("fa", "fc"))],
    "two alike": [("x", ("fa",)), ("y", ("fa",))],
    "couples": [("x", ("fa", "ma")), ("y", ("fa", "fa")), ("y", ("ma", "mc"))],
    "sizes": [("x", ("fa",)), ("y", ("ma",)), ("x", ("fa", "mc")), ("y", ("fa", "fc")),
              ("z", ("ma", "mc"))],
    "twins": [("x", ("fa", "fa", "fc")), ("y", ("ma", "fc", "fc")), ("z", ("fa", "ma", "mc")),
              ("x", ("mc",))],
}
every_town = pytest.mark.parametrize("homes", TOWNS.values(), ids=TOWNS)
MATCHES: list[tuple[str, ...]] = [(), ("sex",), ("age",), ("sex", "age")]


@every_town
@pytest.mark.parametrize("match", MATCHES)
@pytest.mark.parametrize("rate", [0.0, 0.05, 0.3, 0.9, 1.0])
def test_expected_table_is_the_enumerated_one(
    homes: list[Home], match: tuple[str, ...], rate: float
) -> None:
    law = enumerated_law(homes, rate, match)
    assert sum(law.values()) == pytest.approx(1, abs=1e-12)
    expected = sum(p * np.array(table) for table, p in law.items())
    table = table_of(homes)
    found = swapping(rate, match).bias(table)
    np.testing.assert_allclose(table.counts + found, expected, atol=1e-12)


@pytest.mark.parametrize("route", ["flows", "units"])
@pytest.mark.parametrize("name", ["couples", "sizes", "twins"])
@pytest.mark.slow
def test_released_tables_have_the_enumerated_law(
    name: str, route: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(swap_units, "_UNITS_PER_FLOW", 0 if route == "flows" else 10**9)
    homes = TOWNS[name]
    draws = swapping(0.3).draw_tables(table_of(homes), [np.random.default_rng(5)] * 6_000)
    for rate, same in ((0.3, True), (0.4, False)):
        law = enumerated_law(homes, rate, ())
        places = {counts: i for i, counts in enumerate(law)}
        found = [places[tuple(row)] for row in draws.astype(int).tolist()]
        assert law_agrees(found, np.arange(len(law)), list(law.values())) is same


@st.composite
def towns(draw: st.DrawFn) -> list[Home]:
    member = st.sampled_from(["fc", "fa", "mc", "ma"])
    home = st.tuples(
        st.sampled_from("xyz"), st.lists(member, min_size=1, max_size=4).map(tuple))
    return draw(st.lists(home, min_size=1, max_size=14))


@given(towns(), st.sampled_from(MATCHES), st.sampled_from([0.0, 0.2, 0.7, 1.0]),
       st.integers(0, 500))
@settings(deadline=None)
def test_every_household_stays_together_and_margins_are_kept(
    homes: list[Home], match: tuple[str, ...], rate: float, seed: int
) -> None:
    """The released table must be one that the same households can make: as many of each make-up,
    as many of each matching make-up in each town. That is decided by search, on its own terms."""
    table, mechanism = table_of(homes), swapping(rate, match)
    released = mechanism.release(table, seed).counts
    assert released.dtype.kind == "i" and released.min() >= 0
    cube, before = released.reshape(3, 2, 2), table.counts.reshape(3, 2, 2)
    np.testing.assert_array_equal(cube.sum(axis=0), before.sum(axis=0))
    axes = tuple(1 + i for i, name in enumerate(("sex", "age")) if name not in match)
    np.testing.assert_array_equal(cube.sum(axis=axes), before.sum(axis=axes))  # town × match
    assert can_be_made(homes, match, tuple(released.tolist()))
    np.testing.assert_array_equal(mechanism.release(table, seed).counts, released)
    bias = mechanism.bias(table).reshape(3, 2, 2)
    np.testing.assert_allclose(bias.sum(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(bias.sum(axis=axes), 0, atol=1e-9)
    if rate == 0:
        np.testing.assert_array_equal(released, table.counts)


def can_be_made(homes: list[Home], match: tuple[str, ...], released: tuple[int, ...]) -> bool:
    """Can households exchange towns with matching ones so that this table comes out? Towns are
    handed out to one household after the other; what has been tried is remembered."""
    order = sorted(homes, key=lambda home: (matching(home, match), home[1]))
    free: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for town, members in homes:
        free[matching((town, members), match)][town] += 1
    tried: set[tuple[int, tuple[int, ...]]] = set()

    def place(number: int, left: tuple[int, ...]) -> bool:
        if number == len(order):
            return not any(left)
        if (number, left) in tried:
            return False
        tried.add((number, left))
        members = order[number][1]
        towns = free[matching(order[number], match)]
        for town in [t for t, n in towns.items() if n]:
            after = list(left)
            for member in members:
                after[cell(town, member)] -= 1
            if min(after) >= 0:
                towns[town] -= 1
                if place(number + 1, tuple(after)):
                    towns[town] += 1
                    return True
                towns[town] += 1
        return False

    return place(0, released)


def test_the_search_finds_a_household_that_was_torn_apart() -> None:
    """Two couples of the same make-up, one in each town: their men alone may not change place."""
    homes: list[Home] = [("x", ("fa", "ma")), ("y", ("fc", "mc"))]
    torn = counted([("x", ("fa", "mc")), ("y", ("fc", "ma"))])
    assert not can_be_made(homes, ("sex",), torn)
    assert can_be_made(homes, ("sex",), counted([("y", ("fa", "ma")), ("x", ("fc", "mc"))]))
    by_record = swapping(0.5, ("sex",), "record")  # single records do tear it apart
    seen = {tuple(by_record.release(table_of(homes), seed).counts.tolist()) for seed in range(30)}
    assert torn in seen


@pytest.mark.parametrize("match", MATCHES)
def test_households_of_one_are_records(match: tuple[str, ...]) -> None:
    """The same bias, the same releases draw by draw, and the same promise."""
    rng = np.random.default_rng(4)
    homes: list[Home] = [
        ("xyz"[rng.integers(3)], (("fc", "fa", "mc", "ma")[rng.integers(4)],)) for _ in range(60)
    ]
    table = table_of(homes)
    together, alone = swapping(0.4, match), swapping(0.4, match, "record")
    np.testing.assert_allclose(together.bias(table), alone.bias(table), atol=1e-12)
    for seed in range(5):
        np.testing.assert_array_equal(
            together.release(table, seed).counts, alone.release(table, seed).counts)
    assert together.guarantee(table).epsilon == alone.guarantee(table).epsilon


def test_what_is_promised_is_about_households() -> None:
    """Households of two: 3 of two women, 2 of a couple. Matched on sex the largest stratum is 3
    households, unmatched 5; of persons it would be 8 and 10."""
    pair, couple = ("fa", "fc"), ("fa", "ma")
    homes: list[Home] = [("x", pair), ("y", pair), ("y", pair), ("x", couple), ("z", couple)]
    table = table_of(homes)
    for match, size in ((("sex",), 3), ((), 5)):
        found = swapping(0.2, match).guarantee(table)
        assert found.epsilon == pytest.approx(swap_rate_to_epsilon(0.2, size).theorem)
        assert found.neighbours is Neighbours.SAME_HOUSEHOLD_INVARIANTS and found.per_household
        assert f"{size} households" in found.remark and "per household" in found.remark
        assert found.distance == 2 and "2 households differ" in promise_sentence("It", found)
    assert swapping(0.2, ("sex",)).guarantee(table).invariants == (
        "who lives together, by Sex × Age (match and hold features)",
        "households by their size and Sex and by Town (match and swap features)",
    )
    assert swapping(0.2).published_exactly(table)[1] == (
        "households by their size and by Town (match and swap features)")
    by_record = swapping(0.2, (), "record").guarantee(table)
    assert by_record.epsilon == pytest.approx(swap_rate_to_epsilon(0.2, 10).theorem)
    assert not by_record.per_household and "2 records differ" in promise_sentence("It", by_record)


def test_a_household_is_one_step_of_a_promise_about_households() -> None:
    table = table_of([("x", ("fa", "fc")), ("y", ("fa", "ma")), ("z", ("fa", "fa"))])
    whole, single = swapping(0.2).guarantee(table), swapping(0.2, (), "record").guarantee(table)
    for h in (2, 3, 6):
        assert steps(whole, Unit.HOUSEHOLD, h) == 2  # two households trade places
        assert steps(single, Unit.HOUSEHOLD, h) == max(2, h)
        told = converted(single, Unit.HOUSEHOLD, h)
        assert told is not None and told.epsilon == pytest.approx(max(2, h) * single.epsilon)
    noise = sdc.mechanism("laplace", epsilon=0.5).guarantee(table)
    said = household_sentence([("Laplace", noise), ("Swapping", whole)], 4)
    assert "4 people together" in said and "ε = 2 under Laplace" in said and "read off" in said
    assert f"ε = {2 * whole.epsilon:.3g} under Swapping" in said
    assert household_sentence([("Laplace", noise)], 1) == ""
    hides = sdc.mechanism("suppression").guarantee(table)
    assert household_sentence([("Suppression", hides)], 4) == ""
    noisy = sdc.mechanism("dp-suppression", epsilon=0.5, k=40)  # δ is small for counts this small
    assert noisy.guarantee(table).small_delta and noisy.guarantee(table, cap=9).small_delta
    assert household_sentence([("Noisy limit", noisy.guarantee(table))], 4) == ""
    assert "under Noisy limit" in household_sentence([("Noisy limit", noisy.guarantee(cap=9))], 4)
    slack = sdc.mechanism("discrete-gaussian", epsilon=0.5, delta=1e-6).guarantee(table)
    found = household_sentence([("Gaussian", slack)], 3)
    times = 1 + math.exp(0.5) + math.exp(1.0)
    told = float(found.split("δ = at most ")[1].split(" ")[0])
    assert told == pytest.approx(slack.delta_tight * times, rel=0.1)
    # one over the people lies between the slack for a person and that for three
    people = round(2 / (slack.delta_tight * (1 + times)))
    sure = dataclasses.replace(slack, records=people)
    assert sure.small_delta and sure.delta_tight * times * people > 1
    said = household_sentence([("Gaussian", sure)], 3)
    assert "under Gaussian, too much slack to rely on; " in said
    many = dataclasses.replace(slack, records=round(0.5 / (slack.delta_tight * times)))
    assert "rely" not in household_sentence([("Gaussian", many)], 3)
    for size in (27, 28):  # e^13.5 is below a million, e^14 above
        wide = household_sentence([("Laplace", noise)], size)
        assert ("which limits nothing in practice" in wide) is (math.exp(0.5 * size) > 1e6)


def test_what_does_not_fit_is_refused_in_a_sentence() -> None:
    table = table_of([("x", ("fa", "mc")), ("y", ("fa", "fc"))])
    without = sdc.Histogram(table.counts, table.domain)
    for act in (lambda t: swapping(0.1).release(t, 7), swapping(0.1).bias, swapping(0.1).guarantee):
        with pytest.raises(sdc.InputError, match=r"no household id.*unit=record"):
            act(without)
    mixed = PermutationSwapping(0.1, match=(), swap=("town", "sex"), unit="household")
    with pytest.raises(sdc.InputError, match=r"swap names 'sex'.*members of one household differ"):
        mixed.release(table, 7)
    with pytest.raises(sdc.InputError, match="unit must be one of record, household"):
        swapping(0.1, (), "family")
    assert swapping(0.1).label() == "Permutation swapping 10% whole households"
    assert swapping(0.1, (), "record").label() == "Permutation swapping 10%"


@given(st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=12))
def test_equal_lists_and_only_those_are_alike(lists: list[list[int]]) -> None:
    values = np.array([v for one in lists for v in one], dtype=np.int64)
    starts = np.append(0, np.cumsum([len(one) for one in lists])).astype(np.int64)
    which, first = alike(values, starts)
    for (i, a), (j, b) in itertools.product(enumerate(lists), repeat=2):
        assert (which[i] == which[j]) == (a == b)
    assert [lists[i] for i in first] == [lists[int(np.argmax(which == n))]
                                         for n in range(len(first))]
    back, begins = picked(values, starts, np.arange(len(lists))[::-1])
    assert [back[a:b].tolist() for a, b in itertools.pairwise(begins)] == lists[::-1]


@given(towns())
@settings(deadline=None)
def test_kinds_of_household_are_counted(homes: list[Home]) -> None:
    table = table_of(homes)
    found = table.households
    assert found is not None
    kinds = Counter(
        tuple(sorted(cell(town, m) for m in members)) for town, members in homes)
    mine = {
        tuple(found.cells[a:b].tolist()): int(n)
        for a, b, n in zip(found.starts[:-1], found.starts[1:], found.counts, strict=True)
    }
    assert mine == kinds and found.number == len(homes)
    assert found.largest == max(len(members) for _, members in homes)
    np.testing.assert_array_equal(found.people(12), table.counts)
    by_town = found.mapped(np.arange(12) // 4)  # who lives with whom, by town alone
    assert by_town.number == len(homes)
    np.testing.assert_array_equal(by_town.people(3), table.counts.reshape(3, 4).sum(axis=1))
    assert len(by_town.counts) == len({(town, len(members)) for town, members in homes})


def test_a_data_set_says_who_lives_together() -> None:
    records = people()
    data = living(records)
    assert data.household == "hhid" and data.largest_household == 6
    table = data.histogram(LIVING)
    found = table.households
    assert found is not None and found.number == records["hhid"].nunique() == 120
    np.testing.assert_array_equal(found.people(len(table)), table.counts)
    sizes = records.groupby("hhid").size()
    assert Counter(np.repeat(found.sizes, found.counts).tolist()) == Counter(sizes.tolist())
    unknown = records.assign(hhid=records["hhid"].where(records["sex"] == "f", ""))
    column = data.column("hhid")
    gaps = sdc.load_dataset(unknown, schema=data.schema.with_columns(
        [sdc.Column(column.name, column.title, column.role, column.type, missing=("",))]))
    women = records[records["sex"] == "f"]
    apart = gaps.histogram(LIVING).households  # whoever has no id lives alone
    assert apart is not None
    assert apart.number == women["hhid"].nunique() + (records["sex"] == "m").sum()
    alone = sdc.load_dataset(records[["town", "sex"]])
    assert alone.household is None and alone.largest_household is None
    assert alone.histogram(["town", "sex"]).households is None


def test_households_go_along_where_a_table_is_rearranged() -> None:
    """In another order of values, or counted by fewer features, the same people live together."""
    table = living().histogram(LIVING)
    other = in_order(table, "age", ["old", "child"])
    whole = PermutationSwapping(0.3, match=("sex",), swap=("town",), unit="household")
    order = [AGES.index(age) for age in other.domain.features[2].values]
    cube = whole.bias(table).reshape(4, 2, 3)[:, :, order]
    np.testing.assert_allclose(whole.bias(other).reshape(4, 2, 3), cube, atol=1e-12)
    weighted = in_order(living().histogram(LIVING, represented=True), "age", ["old", "child"])
    people_of = living().histogram(LIVING, represented=True).people.reshape(4, 2, 3)[:, :, order]
    np.testing.assert_allclose(weighted.people.reshape(4, 2, 3), people_of)
    fewer = marginals([whole], table, "l1_bias").tables
    (by_two,) = [t for t in fewer if t.names == ("town", "sex")]
    assert by_two.errors[0] == pytest.approx(0, abs=1e-9)  # matched on sex: nothing to see
    by_age = living().histogram(("town", "sex", "age"))
    (by_three,) = [t for t in fewer if t.names == LIVING]
    assert by_three.errors[0] == pytest.approx(np.abs(whole.bias(by_age)).sum())


def by_pandas(records: pd.DataFrame) -> pd.DataFrame:
    """For each household its size, whether a member is one of a kind, and whether it is itself."""
    number = records.groupby(list(LIVING))["hhid"].transform("size")
    who = records.assign(alone=number == 1, cell=records[list(LIVING)].agg("-".join, axis=1))
    houses = who.groupby("hhid").agg(
        size=("sex", "size"), exposed=("alone", "any"),
        make=("cell", lambda cells: "+".join(sorted(cells))))
    return houses.assign(unique=houses.groupby("make")["size"].transform("size") == 1)


def by_members(records: pd.DataFrame) -> list[int]:
    """How many members of each household are one of a kind."""
    number = records.groupby(list(LIVING))["hhid"].transform("size")
    return (number == 1).groupby(records["hhid"]).sum().tolist()


def test_risk_per_household_is_what_pandas_finds() -> None:
    records = people(40, seed=11)
    houses, table = by_pandas(records), living(records).histogram(LIVING)
    assert houses["exposed"].any() and not houses["exposed"].all() and not houses["unique"].all()
    assert (houses["unique"] | ~houses["exposed"]).all()  # a unique member makes a unique household
    found = household_risks(table)
    for one, own in [(found[0], houses), *(
            (r, houses[houses["size"] == r.size]) for r in found[1:])]:
        assert (one.households, one.people, one.with_unique, one.unique) == (
            len(own), own["size"].sum(), own["exposed"].sum(), own["unique"].sum())
    assert [r.size for r in found] == [None, *sorted(houses["size"].unique())]
    assert household_risks(sdc.Histogram(table.counts, table.domain)) == ()


def test_households_that_still_show_somebody() -> None:
    """Two households with two unique people each and one with none; a release shows one of the
    first household's, one both of the second's twice over."""
    homes: list[Home] = [("x", ("fa", "ma")), ("y", ("fa", "ma")), ("z", ("fa",)), ("z", ("fa",))]
    table = table_of(homes)
    rows = np.zeros((2, 12), dtype=np.int64)
    rows[0, cell("x", "fa")] = 1
    rows[1, [cell("y", "fa"), cell("y", "ma")]] = 2
    rows[:, cell("z", "fa")] = 1
    assert households_shown(table, rows, "at-least-once").each.tolist() == [1, 1]
    assert households_shown(table, rows, "exactly-once").each.tolist() == [1, 0]
    assert households_shown(table, table.counts[None], "exactly-once").each.tolist() == [2]
    common = table_of([("z", ("fa",)), ("z", ("fa",))])
    assert households_shown(common, rows, "at-least-once").each.tolist() == [0, 0]


SWAPPED = sdc.mechanism(
    "permutation-swapping", swap_rate=0.3, match=("sex",), swap=("town",), unit="household")


def asked(address: str, records: pd.DataFrame | None = None, **controls: object) -> Answer:
    study = sdc.Study(living(records), LIVING, methods=[sdc.mechanism("laplace"), SWAPPED])
    return sdc.ask(address, study, controls)


def test_who_can_be_found_tells_of_households() -> None:
    records = people(16, seed=7)
    houses, found = by_pandas(records), asked("reidentification", records)
    panel = found.panel("households")
    exposed, unique = int(houses["exposed"].sum()), int(houses["unique"].sum())
    assert panel.prose[0].startswith(f"Of 16 households, {exposed} (")
    assert f"and {unique} (" in panel.prose[0]
    assert "where no single person stands out" in panel.prose[0]
    shown = re.search(
        r"show such a member.*: ([\d.]+) ± ([\d.]+) after adding noise", panel.prose[1])
    chance = sdc.mechanism("laplace").chance_of_none_or_one([1])[0][0]  # of not being shown
    members = by_members(records)  # how many of a household's are one of a kind
    expected = sum(1 - chance**n for n in members if n)
    assert shown and abs(float(shown[1]) - expected) < 4 * float(shown[2])
    table = panel.table.set_index("household of")
    assert table.loc["any size", "households"] == 16
    assert table.loc["any size", "with a unique person %"] == pytest.approx(100 * exposed / 16)
    by_size = houses.groupby("size").agg(n=("unique", "size"), unique=("unique", "sum"))
    for size, row in by_size.iterrows():
        assert table.loc[str(size), ["households", "unique"]].tolist() == row.tolist()
    without = sdc.ask("reidentification", sdc.Study(
        sdc.load_dataset(records.drop(columns="hhid")), ["town", "sex", "age"]))
    assert "households" not in [p.name for p in without.panels]


def test_promises_for_the_largest_household() -> None:
    """It is the start value where the data say who lives together, and is said to be read off."""
    found = asked("delta_epsilon", unit="household")
    caption = found.panel("delta-epsilon").caption
    assert "h = 6 is the largest household here: read off the data" in caption
    assert any("ε′ = 6ε = 6;" in text for text in found.panel("verdict-1").prose)
    other = asked("delta_epsilon", unit="household", together=4).panel("delta-epsilon").caption
    assert "h = 4 is smaller than the largest household here, 6 people" in other
    large = asked("delta_epsilon", people(30, largest=14), unit="household")
    assert "h = 14 is the largest" in large.panel("delta-epsilon").caption
    usual = sdc.ask("delta_epsilon", sdc.Study(sdc.load_dataset("ma2019-twin")), unit="household")
    assert "h = " not in usual.panel("delta-epsilon").caption
    assert any("ε′ = 3ε" in text for text in usual.panel("verdict-1").prose)
    whole = " ".join(found.panel("verdict-2").prose)
    assert "its nearest tables differ in two households: ε′ = 2ε" in whole
    said_by_compare = asked("compare").more
    assert (
        "For the largest household, 6 people together, the promise is ε = 6 under adding noise"
    ) in said_by_compare


def test_pages_know_who_lives_together() -> None:
    """An own file with a household id: found by its name, used by every page that can."""
    records = people()
    start = {"m1": "permutation-swapping", "m1.unit": "household", "m1.match": "sex",
             "m1.swap": "town", "m2": "laplace", "m3": "none", "m4": "none"}
    app = uploaded(opened(TWIN), records)
    for key, value in start.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception and not app.error and link(app)["m1.unit"] == "household"
    assert "whole households" in answer(app) and "For the largest household, 6 people" in (
        answer(app))
    app.switch_page("../pages/reidentification.py").run()
    assert not app.exception and "Of 120 households" in said(app)
    app.switch_page("../pages/delta_epsilon.py").run()
    app.selectbox(key="url.unit").set_value("household").run()
    assert not app.exception and "h = 6 is the largest household here" in said(app)
    refused = opened({**TWIN, **start, "m1.match": "SEX", "m1.swap": "PUMA"})
    assert any("no household id" in e.value for e in refused.error) and not refused.exception

"""The three attacks against brute force: laws enumerated or integrated here, people one by one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

import sdc_core as sdc
from sdc_core.errors import InputError
from sdc_core.experiment import released_people
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics import attacks
from sdc_core.metrics.outsider import Knowledge
from sdc_core.questions.frontier.why import most_allowed

COUNTS = [0, 1, 4, 20, 1, 0, 3, 7, 1, 0, 6, 5]  # by town (4), and by income (3) within it
TOWNS, INCOMES = ("a", "b", "c", "d"), ("low", "middle", "high")
DOMAIN = Domain((
    Feature("town", "Town", TOWNS, TOWNS), Feature("income", "Income", INCOMES, INCOMES),
))
TABLE = Histogram(np.array(COUNTS), DOMAIN)
KNOWS = Knowledge.of(DOMAIN, ["town"], "income", None)
PEOPLE = [cell for cell, count in enumerate(COUNTS) for _ in range(count)]
FAR = 400  # noise beyond this many people never happens


@dataclass(frozen=True)
class Told(Mechanism):
    """Something else in the coat of a method that has no closed form."""

    name = "told"
    title = "Told"

    def guarantee_from(self, facts: Any) -> Any:
        raise InputError("promises nothing")

    def draw_tables(
        self, table: Histogram, rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.float64]:
        return np.array([table.counts for _ in rngs], dtype=np.float64)


@dataclass(frozen=True)
class Unrelated(Told):
    """A release that has nothing to do with the data."""

    def draw_tables(
        self, table: Histogram, rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.float64]:
        return np.array([rng.poisson(3.0, len(table)) for rng in rngs], dtype=np.float64)


@dataclass(frozen=True)
class Coated(Told):
    """A method on counts whose law is kept a secret, so that the attack has to be tried."""

    inside: Any = None

    @classmethod
    def params(cls) -> tuple[Any, ...]:
        return ()

    def draw_tables(
        self, table: Histogram, rngs: Sequence[np.random.Generator]
    ) -> NDArray[np.float64]:
        return np.asarray(self.inside.draw_tables(table, rngs))


def law(method: Mechanism, x: int) -> dict[int, float]:
    """The chances of a released count whose true value is x, as whole people, from the noise's own
    density or the rule's own words."""
    settings = method.settings()
    epsilon, found = settings.get("epsilon", 1.0), {}
    if method.name == "geometric":
        q = math.exp(-epsilon / 2)
        for z in range(-FAR, FAR + 1):
            y = max(x + z, 0)
            found[y] = found.get(y, 0.0) + (1 - q) / (1 + q) * q ** abs(z)
        return found
    if method.name == "laplace":
        def density(u: float) -> float:
            return epsilon / 4 * math.exp(-epsilon / 2 * abs(u))

        for z in range(-40, 41):
            if z == 0:  # in two halves: the density has a corner there
                mass = 2 * integrate.quad(density, 0, 0.5)[0]
            else:
                mass = integrate.quad(density, z - 0.5, z + 0.5)[0]
            y = max(x + z, 0)
            found[y] = found.get(y, 0.0) + mass
        return found
    k, keep = settings["k"], settings["keep_zeros"]
    shown = x >= k or (keep and x == 0)
    return {x: 1.0} if shown else {k // 2: 1.0}


METHODS = (
    sdc.mechanism("laplace", epsilon=2.0), sdc.mechanism("geometric", epsilon=1.0),
    sdc.mechanism("suppression", k=5), sdc.mechanism("suppression", k=5, keep_zeros=True),
    sdc.mechanism("suppression", k=2, keep_zeros=True),
)
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.label()} {m!r}"[:40])


def chance(found: dict[int, float], least: int) -> float:
    return sum(p for y, p in found.items() if y >= least)


@every_method
def test_unique_people_and_empty_groups_are_seen_as_often_as_the_law_says(
    method: Mechanism,
) -> None:
    found = attacks.found(method, TABLE)
    assert found.hits == pytest.approx(chance(law(method, 1), 1), abs=1e-8)
    assert found.luck == pytest.approx(chance(law(method, 0), 1), abs=1e-8)
    assert found.releases == 0 and found.error == 0


@every_method
def test_membership_is_a_mean_over_all_people(method: Mechanism) -> None:
    """Person by person: the claim is made if the release shows at least the count with them."""
    found = attacks.membership(method, TABLE, seed=7)
    hits = [chance(law(method, COUNTS[cell]), COUNTS[cell]) for cell in PEOPLE]
    luck = [chance(law(method, COUNTS[cell] - 1), COUNTS[cell]) for cell in PEOPLE]
    assert found.hits == pytest.approx(np.mean(hits), abs=1e-8)
    assert found.luck == pytest.approx(np.mean(luck), abs=1e-8)


@every_method
def test_no_rule_gains_more_from_noise_and_none_gains_more_than_the_best(
    method: Mechanism,
) -> None:
    """The best rule gains the total variation distance of the two laws."""
    best = []
    for cell in PEOPLE:
        one, other = law(method, COUNTS[cell]), law(method, COUNTS[cell] - 1)
        best.append(sum(abs(one.get(y, 0) - other.get(y, 0)) for y in {*one, *other}) / 2)
    gained = attacks.membership(method, TABLE, seed=7).advantage
    assert gained <= np.mean(best) + 1e-8
    if method.name in ("laplace", "geometric"):
        assert gained == pytest.approx(np.mean(best), abs=1e-8)


@pytest.mark.parametrize("name", ["laplace", "geometric", "discrete-gaussian"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_no_attack_on_membership_gains_more_than_a_promise_allows(
    name: str, epsilon: float
) -> None:
    settings = {"calibration": "analytic"} if name == "discrete-gaussian" else {}
    method = sdc.mechanism(name, epsilon=epsilon, **settings)
    allowed = most_allowed(method.guarantee(TABLE))
    assert allowed is not None and allowed < 1
    assert attacks.membership(method, TABLE, seed=7).advantage <= allowed + 1e-12  # exact sums
    if name == "geometric":  # one count moves by one: half of ε, which this noise uses up
        exact = attacks.membership(method, TABLE, seed=7).advantage
        assert exact == pytest.approx(math.tanh(epsilon / 4)) == pytest.approx(allowed)


def test_nothing_is_allowed_for_where_nothing_is_promised() -> None:
    assert most_allowed(sdc.mechanism("suppression").guarantee(TABLE)) is None


def test_the_data_themselves_give_everything_away() -> None:
    told = Told()
    rows = released_people(told, TABLE, 20, 7)
    found, member = attacks.found(told, TABLE, rows), attacks.membership(told, TABLE, 7)
    assert (found.hits, found.luck, found.advantage) == (1, 0, 1)
    assert (member.hits, member.luck, member.advantage) == (1, 0, 1)
    inferred = attacks.inferred(told, TABLE, rows, KNOWS)
    by_town = np.array(COUNTS).reshape(4, 3)
    best, base = by_town.max(axis=1).sum() / 48, by_town.sum(axis=0).max() / 48
    assert (inferred.hits, inferred.luck) == pytest.approx((best, base))
    unseen = stats.beta.ppf(0.975, 1, 20)  # in other releases it could gain as much and no more
    assert 2 * inferred.error == pytest.approx(unseen * (best - base))
    assert sdc.evaluate(told, TABLE, 20).people_error == 0


def test_a_release_that_has_nothing_to_do_with_the_data_gains_nothing() -> None:
    unrelated = Unrelated()
    rows = released_people(unrelated, TABLE, 400, 7)
    found = attacks.found(unrelated, TABLE, rows)
    assert found.error < 0.03 and abs(found.hits - found.luck) < 4 * found.error
    inferred = attacks.inferred(unrelated, TABLE, rows, KNOWS)
    assert inferred.hits < inferred.luck and inferred.advantage == 0
    gaps = [attacks.membership(unrelated, TABLE, seed) for seed in range(40)]
    mean = np.mean([one.hits - one.luck for one in gaps])
    assert abs(mean) < 4 * np.std([one.hits - one.luck for one in gaps]) / math.sqrt(40)


def test_inference_is_what_an_outsider_would_guess_by_hand() -> None:
    """Town by town the most frequent income of the release; a tie is a toss, and a town without
    anybody is guessed like everybody."""
    released = np.array([
        [0, 2, 1, 9, 9, 0, 0, 0, 0, 4, 0, 1], [5, 0, 0, 0, 5, 0, 0, 0, 5, 1, 0, 0],
    ])
    by_town = np.array(COUNTS).reshape(4, 3)
    answers = [[(1,), (0, 1), (0,), (0,)], [(0,), (1,), (2,), (0,)]]  # which incomes are guessed
    right = [
        sum(by_town[t, list(tops)].mean() for t, tops in enumerate(each)) / by_town.sum()
        for each in answers
    ]
    inferred = attacks.inferred(Told(), TABLE, released, KNOWS)
    assert inferred.hits == pytest.approx(np.mean(right))
    assert inferred.luck == pytest.approx(by_town.sum(axis=0).max() / by_town.sum())
    assert inferred.error == pytest.approx(abs(right[0] - right[1]) / 2)
    nobody = attacks.inferred(Told(), TABLE, np.zeros_like(released), KNOWS)
    assert nobody.advantage == 0


def test_one_turn_of_the_game_is_person_by_person() -> None:
    """Those who are in and those who are out of what is published, each asked about by somebody
    who knows all the others."""
    outside = np.array([0, 1, 0, 3, 0, 0, 1, 0, 0, 0, 2, 0])
    part = Histogram(TABLE.counts - outside, DOMAIN)
    method = sdc.mechanism("geometric", epsilon=1.0)
    rngs = [np.random.default_rng(i) for i in range(3)]
    released = method.draw_tables(part, [np.random.default_rng(i) for i in range(3)])
    claims: dict[bool, list[bool]] = {True: [], False: []}
    for row, cell in itertools.product(released, range(len(COUNTS))):
        for inside, number in ((True, part.counts[cell]), (False, outside[cell])):
            others = part.counts[cell] - inside
            claims[inside] += [bool(row[cell] >= others + 1)] * int(number)
    turn = attacks._turn(Coated(inside=method), part, outside, rngs)
    assert turn == pytest.approx((np.mean(claims[True]), np.mean(claims[False])))


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_the_game_agrees_with_the_closed_form(epsilon: float) -> None:
    """What noise gains does not hang on the counts, so leaving some people out changes nothing."""
    method = sdc.mechanism("geometric", epsilon=epsilon)
    many = Histogram(100 * TABLE.counts, DOMAIN)
    exact = attacks.membership(method, many, 7)
    tried = attacks.membership(Coated(inside=method), many, 7)
    assert tried.releases == attacks.TURNS and 0 < tried.error < 0.15
    assert abs(tried.advantage - exact.advantage) < 4 * tried.error


def test_of_a_sample_the_count_is_compared_with_its_share() -> None:
    """A method that publishes a part of the records shows fewer people whoever is there."""
    @dataclass(frozen=True)
    class Half(Told):
        def share_of_records(self, table: Histogram) -> float:
            return 0.5

        def draw_tables(
            self, table: Histogram, rngs: Sequence[np.random.Generator]
        ) -> NDArray[np.float64]:
            return np.array([rng.binomial(table.counts, 0.5) for rng in rngs], dtype=np.float64)

    many = Histogram(np.array([2] * 12), DOMAIN)
    found = attacks.membership(Half(), many, 7)
    # others 1, threshold 0.75: Bin(2, ½) >= 1 against Bin(1, ½) >= 1
    assert abs(found.hits - 0.75) < 0.12 and abs(found.luck - 0.5) < 0.35


def test_releases_that_are_all_alike_leave_open_what_so_few_can() -> None:
    alike = attacks.over(np.ones(20), np.zeros(20))
    upper = stats.beta.ppf(0.975, 1, 20)  # Clopper and Pearson for 0 of 20
    assert 2 * alike.error == pytest.approx(upper)
    assert alike.band == pytest.approx((1 - upper, 1.0))
    assert attacks.over(np.ones(20), np.zeros(20), fixed=True).error == 0
    assert 2 * attacks.over(np.ones(20), np.ones(20), most=0.1).error == pytest.approx(upper / 10)
    spread = attacks.over(np.array([0.5, 0.7, 0.6]), np.array([0.1, 0.1, 0.1]))
    assert spread.error == pytest.approx(0.1 / math.sqrt(3))
    assert spread.band == pytest.approx((0.5 - 0.2 / math.sqrt(3), 0.5 + 0.2 / math.sqrt(3)))


def test_somebody_must_be_alone_and_some_group_empty() -> None:
    for counts, able in (([0, 1, 5], True), ([1, 2, 5], False), ([0, 2, 5], False)):
        assert attacks.can_be_found(Histogram.from_counts(counts)) is able


def test_swapping_is_seen_as_often_in_releases_as_its_law_says() -> None:
    """The closed form of a method that moves records, against drawn releases."""
    method = sdc.mechanism("swapping", swap_rate=0.5, quasi_identifiers=("town",))
    exact = attacks.found(method, TABLE)
    rows = released_people(method, TABLE, 600, 7)
    drawn = attacks.found(Coated(inside=method), TABLE, rows)
    assert exact.releases == 0 and drawn.releases == 600
    assert abs(exact.hits - exact.luck - drawn.hits + drawn.luck) < 4 * drawn.error

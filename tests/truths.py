"""Small computations, each of whether something is so that a fixed text of the product says. Laws
of noise are summed and small cases enumerated; the program's own functions are called where a text
is about what they do."""

from __future__ import annotations

import functools
import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import sdc_core as sdc
from sdc_core.histogram import Histogram
from sdc_core.lessons import seven_people
from sdc_core.lessons.epsilon import IN_USE, surest
from sdc_core.metrics.attacks import found, membership
from sdc_core.metrics.reconstruction import HiddenTable, by_subtraction, intervals
from sdc_core.privacy.discrete_gaussian import delta_tight, loss_exceeds
from sdc_core.privacy.swap_rate import swap_rate_to_epsilon
from sdc_core.privacy.zcdp import zcdp_to_epsilon
from sdc_core.questions.frontier.figures import KEPT
from sdc_core.questions.frontier.pareto import Place, standings
from sdc_core.words.guarantees import promise_word

SEVEN = seven_people.table().counts

# ---------------------------------------------------------------- noise, hiding and empty groups


@functools.cache
def laplace_law(epsilon: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Noise with a scale of 2/ε, rounded to whole people: numbers and their chances."""
    z = np.arange(-300, 301)
    half = np.exp(-(np.abs(z) - 0.5) * epsilon / 2) * (1 - math.exp(-epsilon / 2)) / 2
    return z, np.where(z == 0, 1 - math.exp(-epsilon / 4), half)


def mean_shown(count: int, epsilon: float = 1.0) -> float:
    z, law = laplace_law(epsilon)
    return float(np.maximum(count + z, 0) @ law)


def mean_error(count: int, epsilon: float = 1.0) -> float:
    z, law = laplace_law(epsilon)
    return float(np.abs(np.maximum(count + z, 0) - count) @ law)


def noise_puts_people_into_empty_groups() -> bool:
    return mean_shown(0) > 0.5 and mean_shown(0) == pytest.approx(
        1 / (4 * math.sinh(1 / 4)), rel=1e-6)


def noise_averages_out_but_below_zero() -> bool:
    return abs(mean_shown(40) - 40) < 1e-6 < mean_shown(0)


def large_noise_is_rarer() -> bool:
    _, law = laplace_law()
    return bool((np.diff(law[300:]) < 0).all())


def smaller_epsilon_more_noise() -> bool:
    return mean_error(50, 0.5) > mean_error(50, 1.0) > mean_error(50, 2.0)


def hiding_leans_to_one_side() -> bool:
    """Counts of 4 and 5 that are filled in with 3 are all too low; noise on both cancels."""
    hidden = [3 - 4, 3 - 5]
    return all(b < 0 for b in hidden) and abs(sum(mean_shown(x) - x for x in (44, 45))) < 1e-6


def more_groups_more_error() -> bool:
    """The same people in ten groups instead of one: the noise of ten counts adds up."""
    z, law = laplace_law()
    spread = float(z**2 @ law)
    return math.sqrt(10 * spread) > math.sqrt(spread) and 10 * mean_error(50) > mean_error(500)


def noise_hangs_on_epsilon_not_on_the_count() -> bool:
    return abs(mean_error(40) - mean_error(40_000)) < 1e-6 and mean_error(40) / 40 > (
        mean_error(40_000) / 40_000)


def crossing_of_two_lines() -> bool:
    """Σ f(x) + z f(0) of noise and of hiding that leaves zeros: equal at the crossing, and noise
    worse beyond it."""
    counts, k = [1, 1, 2, 3, 3, 4, 5, 9], 40
    noise, hiding = sum(map(mean_error, counts)), sum(abs(k // 2 - x) for x in counts)
    z = (hiding - noise) / (mean_error(0) - 0)
    return z > 0 and noise + (z + 1) * mean_error(0) > hiding > noise + (z - 1) * mean_error(0)


def filled_zeros_cost_half_of_k() -> bool:
    table = Histogram.from_counts([0, 0, 9])
    filled, left = (sdc.mechanism("suppression", k=6, keep_zeros=keep).release(table, 0).counts
                    for keep in (False, True))
    return filled.tolist() == [3, 3, 9] and left.tolist() == [0, 0, 9]


def zero_left_alone_proves_that_nobody_is_there() -> bool:
    """Over all tables of up to 9 people in a group: 0 is shown of 0 alone."""
    method = sdc.mechanism("suppression", k=6, keep_zeros=True)
    shown = {x: int(method.release(Histogram.from_counts([x]), 0).counts[0]) for x in range(10)}
    return [x for x, y in shown.items() if y == 0] == [0]


def hidden_is_what_is_below_k() -> bool:
    method = sdc.mechanism("suppression", k=6, keep_zeros=True)
    shown = {x: int(method.release(Histogram.from_counts([x]), 0).counts[0]) for x in range(1, 12)}
    return all((y == x) == (x >= 6) for x, y in shown.items() if x != 3)


def alpha_is_zero_if_all_are_moved_alike() -> bool:
    alike, unlike = np.array([0.4, 0.4, 0.4]), np.array([0.4, -1.0, 2.0])
    return alike.max() - alike.min() == 0 and unlike.max() - unlike.min() == 3.0


def many_features_make_groups_smaller_and_emptier() -> bool:
    rows = np.random.default_rng(1).integers(0, 3, (60, 3))
    sizes = [np.unique(rows[:, :n], axis=0, return_counts=True)[1] for n in (1, 2, 3)]
    empty = [3**n - len(s) for n, s in zip((1, 2, 3), sizes, strict=True)]
    return sizes[0].max() > sizes[1].max() > sizes[2].max() and empty[0] <= empty[1] < empty[2]


def pot_half_the_sum_of_gains_and_losses() -> bool:
    true, shown = np.array([10, 20, 70]) / 100, np.array([20, 20, 60]) / 100
    gains = shown - true
    return abs(gains).sum() / 2 == pytest.approx(gains[gains > 0].sum()) and gains.sum() < 1e-12


# ---------------------------------------------------------------- promises


def smaller_epsilon_is_stronger() -> bool:
    return math.exp(0.5) < math.exp(1.0) == pytest.approx(2.72, abs=0.005)


def delta_is_below_the_chance_of_a_larger_loss() -> bool:
    sigma = math.sqrt(20)
    return all(0 < delta_tight(e, sigma) < loss_exceeds(e, sigma) for e in (0.1, 0.5, 1.0, 2.0))


def equal_where_the_loss_is_infinite() -> bool:
    """Hidden counts that are 0 on one side and never on the other: all mass counts in full."""
    p, q = np.array([0.7, 0.3]), np.array([0.0, 1.0])
    delta = np.maximum(p - math.e * q, 0).sum()
    return delta == pytest.approx(p[p > math.e * q].sum()) == 0.7


def a_slack_of_one_in_n_publishes_a_record() -> bool:
    """Publish one record drawn at random, as it is: two data sets that differ in one person are
    told apart with a chance of 1/n, and no ε helps."""
    n = 50
    here, there = np.full(n, 1 / n), np.r_[np.full(n - 1, 1 / n), 0.0]
    return np.maximum(here - math.exp(9) * there, 0).sum() == pytest.approx(1 / n)


def steps_of_several_people_add_up() -> bool:
    """Noise on one count that h people may change: h ε; and δ grows by the geometric sum."""
    _, law = laplace_law(0.5)
    ratio = [float(np.log(law[:-h] / law[h:]).max()) for h in (1, 2, 3)]
    h, e, d = 3, 0.5, 1e-6
    grown = sum(d * math.exp(i * e) for i in range(h))
    return ratio == pytest.approx([0.25, 0.5, 0.75], rel=1e-6) and grown > h * d


def rho_grows_with_the_square() -> bool:
    """ρ of bell-shaped noise is Δ²/(2σ²): a shift of h instead of 1."""
    sigma, h = 5.0, 3
    rho = [shift**2 / (2 * sigma**2) for shift in (1, h)]
    return rho[1] == pytest.approx(h**2 * rho[0]) and (
        zcdp_to_epsilon(rho[0], 1e-6) < zcdp_to_epsilon(rho[1], 1e-6))


def one_count_instead_of_two_halves_epsilon() -> bool:
    _, law = laplace_law(1.0)
    one = float(np.log(law[:-1] / law[1:]).max())
    return one == pytest.approx(0.5) and 2 * one == pytest.approx(1.0)


def epsilons_of_tables_add_up() -> bool:
    """The worst ratio of two independent tables is the product of theirs."""
    _, law = laplace_law(1.0)
    worst = float((law[:-1] / law[1:]).max())
    both = float((np.outer(law[:-1], law[:-1]) / np.outer(law[1:], law[1:])).max())
    return math.log(both) == pytest.approx(2 * math.log(worst))


def two_thirds_lie_within_sigma() -> bool:
    z = np.arange(-400, 401)
    law = np.exp(-(z**2) / (2 * 50.0**2))
    return abs(law[np.abs(z) <= 50].sum() / law.sum() - 2 / 3) < 0.03


def a_large_largest_count_leaves_no_promise() -> bool:
    """1 − ¼ e^(−ε(B−k)): nearly 1 from a large B on, less for a small one."""
    def delta(cap: int) -> float:
        return 1 - math.exp(-(cap - 6)) / 4

    return delta(12) < delta(13) < delta(40) and 1 - delta(500) < 1e-200 < 1 - delta(12)


def promises_in_words() -> bool:
    table = Histogram.from_counts([0, 1, 40])
    said = {
        name: promise_word(sdc.mechanism(name, **settings).guarantee(table))
        for name, settings in (
            ("laplace", {"epsilon": 1.0}), ("suppression", {}),
            ("dp-suppression", {"keep_zeros": True}))
    }
    weak = promise_word(sdc.mechanism("laplace", epsilon=20.0).guarantee(table))
    return said == {"laplace": "holds", "suppression": "none", "dp-suppression": "broken"} and (
        weak == "nearly empty") and set(KEPT) == {"holds", "holds in part"}


# ---------------------------------------------------------------- swap rates


def by_theorem(p: float, b: int) -> float:
    log_odds = math.log(p / (1 - p))
    low = math.log(b + 1) - log_odds
    return low if p <= 0.5 else max(low, log_odds)


def smallest_in_the_middle() -> bool:
    rates = np.linspace(0.001, 0.999, 1999)
    found_ = [by_theorem(p, 40) for p in rates]
    best = rates[int(np.argmin(found_))]
    odds = math.sqrt(41)
    return 0.3 < best < 0.999 and abs(best - odds / (1 + odds)) < 1e-3 and (
        abs(min(found_) - math.log(41) / 2) < 2e-3) and min(found_[0], found_[-1]) > min(found_) + 1


def almost_everybody_swapped_has_a_large_epsilon() -> bool:
    return by_theorem(0.999, 40) > by_theorem(0.9, 40) and by_theorem(0.001, 40) > by_theorem(
        0.1, 40)


def larger_groups_have_a_larger_epsilon() -> bool:
    return by_theorem(0.05, 100) < by_theorem(0.05, 1000) < by_theorem(0.05, 10**6)


def theorem_is_never_below_the_exact_worst_case() -> bool:
    """For two people by hand: selected both or none, so the odds are p² / (1 − p)² over the two
    tables, the root of it for each record; for more by the engine."""
    for b, p in itertools.product((2, 3, 4, 7, 40, 10_000), (0.01, 0.2, 0.5, 0.8, 0.99)):
        one = swap_rate_to_epsilon(p, b)
        if one.theorem != pytest.approx(by_theorem(p, b)) or one.theorem < one.exact - 1e-12:
            return False
        if b == 2 and one.exact != pytest.approx(abs(math.log(p / (1 - p)))):
            return False
    large = swap_rate_to_epsilon(0.05, 10_000)
    return large.theorem - large.exact < 1e-3 < swap_rate_to_epsilon(0.05, 2).theorem - (
        swap_rate_to_epsilon(0.05, 2).exact)


def rare_groups_have_forms_of_their_own() -> bool:
    """The smallest for b = 2 and b = 3, over a fine grid."""
    least = {b: min(swap_rate_to_epsilon(p, b).exact for p in np.linspace(0.01, 0.99, 9801))
             for b in (2, 3)}
    by_paper = [math.log(b + 1) / 2 for b in (2, 3)]
    return least[2] < 1e-3 and round(least[3], 2) == 0.23 and (
        [round(x, 2) for x in by_paper] == [0.55, 0.69])


# ---------------------------------------------------------------- attacks and reconstruction


def attack_gains_all_from_the_data_and_nothing_from_elsewhere() -> bool:
    """A method without a closed form, with what it released given by hand."""
    method = sdc.mechanism("k-anonymity", k=2, quasi_identifiers=("cell",))
    table = Histogram.from_counts([1, 1, 0, 0, 3])
    everything = found(method, table, np.array([table.counts] * 2))
    unrelated = found(method, table, np.array([[1, 0, 1, 0, 5], [0, 1, 0, 1, 5]]))
    return (everything.hits, everything.luck) == (1, 0) and unrelated.hits == unrelated.luck == 0.5


def halfway_is_the_best_rule_for_noise() -> bool:
    noise = sdc.mechanism("laplace", epsilon=1.0, postprocess="none")
    gained = membership(noise, Histogram.from_counts([7]), 0)
    return gained.hits > gained.luck and gained.advantage <= 1 - math.exp(-1 / 4) + 1e-12 and (
        membership(sdc.mechanism("geometric", epsilon=1.0), Histogram.from_counts([7]), 0).advantage
        == pytest.approx(_geometric_distance(1.0)))


def _geometric_distance(epsilon: float) -> float:
    q, z = math.exp(-epsilon / 2), np.arange(-300, 301)
    law = (1 - q) / (1 + q) * q ** np.abs(z)
    return float(np.abs(law - np.roll(law, 1)).sum() / 2)


def a_cleverer_intruder_may_gain_more() -> bool:
    """Where a person who is there makes the count 0 or 4, and one who is not makes it 2: to look
    for 2 is always right, the rule by half of the time."""
    here, there = {0: 0.5, 4: 0.5}, {2: 1.0}
    rule = sum(p for x, p in here.items() if x > 1.5) - sum(p for x, p in there.items() if x > 1.5)
    best = sum(abs(here.get(x, 0) - there.get(x, 0)) for x in range(5)) / 2
    return rule < best == 1.0


def beaten_beyond_two_standard_errors() -> bool:
    def standing(gap: float, risk: float = 0.5) -> str:
        return standings([Place((1.0, 0.1), (0.5, 0.0)), Place((1 + gap, 0.0), (risk, 0.0))])[1]

    return (standing(0.21), standing(0.19)) == ("beaten", "within chance") and (
        standing(0.21, 0.4) == "on")


def hidden_counts_follow_from_totals() -> bool:
    """A row with one hidden count; and bounds against all tables that fit."""
    counts = np.array([[1, 9, 9], [9, 2, 3], [9, 3, 2]])
    table = HiddenTable.below(counts, 6, True)
    low, high = intervals(table)
    fits = [p for p in range(1, 6) if all(1 <= v <= 5 for v in (p, 5 - p))]
    return bool(by_subtraction(table)[0, 0]) and not by_subtraction(table)[1, 1] and (
        (low[1, 1], high[1, 1]) == (min(fits), max(fits)) and low[0, 0] == high[0, 0] == 1)


# ---------------------------------------------------------------- chance


def zero_of_n_excludes_three_in_n() -> bool:
    return all(abs((1 - 3 / n) ** n - 0.05) < 0.005 for n in (50, 200, 1000)) and (
        3 / 200 == 0.015)


def chances_lie_between_their_bounds() -> bool:
    """Clopper and Pearson, for 30 of 100: the bounds are those at which so many or more, or so few
    or fewer, come out with a chance of 0.1%."""
    low, high = stats.beta.ppf(0.001, 30, 71), stats.beta.ppf(0.999, 31, 70)
    return low < 0.3 < high and stats.binom.sf(29, 100, low) == pytest.approx(0.001) and (
        stats.binom.cdf(30, 100, high) == pytest.approx(0.001))


def two_standard_errors_may_be_chance() -> bool:
    return 2 * stats.norm.sf(2) < 0.05 < 2 * stats.norm.sf(1.9) and (
        1 - (1 - 2 * stats.norm.sf(2)) ** 20 > 0.5)  # of twenty places some are two apart


def always_saying_the_same_is_right_for_half_of_the_answers() -> bool:
    truth = np.array([1] * 90 + [0] * 10)
    said = np.ones(100, int)
    return np.mean([(said[truth == v] == v).mean() for v in (0, 1)]) == 0.5 and (
        (said == truth).mean() == 0.9)


def averages_of_absolute_values_come_out_too_large() -> bool:
    """The papers' 200 releases of noise without bias: the absolute mean is above 0."""
    means = np.random.default_rng(3).laplace(size=(200, 400)).mean(axis=0)
    return bool(np.abs(means).mean() > 0.02 > abs(means.mean()))


def half_the_differences_are_in_the_wrong_group() -> bool:
    true, shown = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.4, 0.2])
    wrong = np.abs(true - shown).sum() / 2
    return wrong == pytest.approx(0.1) and 1000 * (1 - 0.0) == 1000 > 1000 * (1 - wrong)


def scores_nearer_to_a_guess_have_a_smaller_pmse() -> bool:
    near, far = np.array([0.52, 0.48]), np.array([0.9, 0.1])
    return ((near - 0.5) ** 2).mean() < ((far - 0.5) ** 2).mean()


def slopes_and_points() -> bool:
    return 22 - -6 == 28 and abs(0.82 * 3.0) < abs(3.0)


def square_root_lifts_what_is_small() -> bool:
    return math.sqrt(1 / 100) > 1 / 100


def household_with_one_of_a_kind_is_one() -> bool:
    """All sets of two homes of two people: if a member's values occur once, so does the home's."""
    people = list(itertools.product("ab", repeat=4))
    for a, b, c, d in people:
        homes = [tuple(sorted((a, b))), tuple(sorted((c, d)))]
        everyone = [a, b, c, d]
        for home in homes:
            if any(everyone.count(x) == 1 for x in home) and homes.count(home) != 1:
                return False
    return True


# ---------------------------------------------------------------- lessons


def the_only_man_in_the_first_block_may_vote() -> bool:
    men = [p for p in seven_people.PEOPLE if p[:2] == ("M", "1")]
    return len(men) == 1 and men[0][2] == "yes"


def merged_groups_have_at_least_k() -> bool:
    made = seven_people.ANONYMITY.generalised_table(  # type: ignore[attr-defined]
        seven_people.table(), 0)
    return int(made["count"].min()) >= seven_people.K


def swapping_gender_leaves_the_rest() -> bool:
    def rest(counts: np.ndarray) -> list[int]:
        return list(map(int, counts.reshape(2, 4).sum(axis=0)))

    return all(rest(seven_people.SWAPPING.release(seven_people.table(), seed).counts)
               == rest(SEVEN) for seed in range(12))


def surest_grows_from_a_toss_up_to_nearly_all() -> bool:
    sure = [surest(e) for e in (0.01, 1.0, 4.0, 20.0)]
    return abs(sure[0] - 0.5) < 0.003 and sure == sorted(sure) and 0.999 < sure[-1] < 1


def numbers_in_use_are_in_order() -> bool:
    return 1.0 < 4.0 < IN_USE[0][0] < IN_USE[1][0]


def half_knows_nothing() -> bool:
    return surest(0.0) == 0.5 == Fraction(50, 100)

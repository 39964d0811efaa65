"""More small computations of whether a fixed text is so: what intruders do, from where on something
is called so, and which way round charts and lists are."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.tree import DecisionTreeClassifier

import sdc_core as sdc
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.microaggregation import Microaggregation
from sdc_core.mechanisms.tail_coding import code_tails
from sdc_core.metrics.decisions import Group, area_counts, decide
from sdc_core.metrics.microdata import intruders
from sdc_core.metrics.outsider import Knowledge, risk
from sdc_core.metrics.propensity import GIVES_AWAY
from sdc_core.metrics.reidentification import matches
from sdc_core.metrics.sparsity import ErrorLine, crossing
from sdc_core.privacy.discrete_gaussian import delta_tight, epsilon_at, smallest_sigma
from sdc_core.privacy.swap_rate import largest_stratum
from sdc_core.questions.funding.words import _STEADY
from sdc_core.questions.intruders.words import verdict
from sdc_core.questions.protected import perverse
from sdc_core.questions.sparsity.figures import _better_where
from sdc_core.records import Records
from sdc_core.theorems import Verdict, _verdict
from sdc_core.words.chance import differ
from sdc_core.words.evaluations import OF_MANY
from tests import truths as so

RICH = Records.of(pd.DataFrame({"age": np.arange(100.0), "wage": np.arange(100.0) ** 2}))


def top_coding_cuts_the_largest() -> bool:
    cut = code_tails(RICH, top=0.02).column("wage")
    return cut.max() == 97.0**2 and (cut == 97.0**2).sum() == 3 and cut.min() == 0.0


def the_largest_is_taken_for_the_largest() -> bool:
    """Whoever has the largest age keeps it, and gets somebody else's wage."""
    values = RICH.values.copy()
    values[99, 1] = 4.0
    read = intruders.extreme(RICH, RICH.with_values(values), "age", "wage")
    return (read.read, read.truth) == (4.0, 99.0**2)


def averaged_tails_hide_who_is_largest() -> bool:
    values = RICH.values.copy()
    values[95:, 0] = values[95:, 0].mean()
    return intruders.extreme(RICH, RICH.with_values(values), "age", "wage").matches == 5


def who_is_in_the_data_is_closer() -> bool:
    """Released as they are, members have a distance of 0; a release far from all tells nothing."""
    half, rest = (Records.of(RICH.values[start::2], ("age", "wage")) for start in (0, 1))
    far = half.with_values(half.values * 0 + 1e9)
    return intruders.membership(half, rest, half) == 1.0 and intruders.membership(
        half, half, half) == 0.5 == pytest.approx(intruders.membership(half, rest, far), abs=0.02)


def few_right_is_a_yes() -> bool:
    return [verdict(x).split(" (")[0] for x in (0.0, 0.1, 0.11, 0.5, 0.51, 1.0)] == [
        "yes", "yes", "in part", "in part", "no", "no"]


def verdicts_follow_printed_and_exact() -> bool:
    return [_verdict("bound", printed, 1.0) for printed in (0.9, 1.0, 9.9, 10.1)] == [
        Verdict.FAILS, Verdict.HOLDS, Verdict.HOLDS, Verdict.SAYS_LITTLE] and (
        _verdict("value", 2.0, 1.0) is Verdict.FAILS is not _verdict("value", 1.0, 1.0))


def ranked_beyond_two_or_three_standard_errors() -> bool:
    return differ(2.1, 1.0, 0.0, 0.0) and not differ(1.9, 1.0, 0.0, 0.0) and OF_MANY == 3.0 and (
        not differ(2.9, 1.0, 0.0, 0.0, OF_MANY)) and 2 * stats.norm.sf(3) < 0.003


def steadily_is_nine_of_ten() -> bool:
    return _STEADY == 0.9


def at_least_once_and_exactly_once() -> bool:
    shown = np.array([[0, 1, 2]])
    return matches(shown, "at-least-once").tolist() == [[False, True, True]] and matches(
        shown, "exactly-once").tolist() == [[False, True, False]]


def guesses_are_held_against_the_data_s_most_common_answer() -> bool:
    """Seven of ten say yes; the release says no throughout. Who guesses from it is right for three
    in ten, who always says yes for seven, whatever the release says."""
    frame = pd.DataFrame({"town": ["Ash"] * 10, "pay": ["yes"] * 7 + ["no"] * 3})
    table = sdc.load_dataset(frame).histogram(["town", "pay"])
    yes = table.domain.features[1].values.index("yes")
    released = np.zeros((2, 2), int)
    released[:, 1 - yes] = 10
    method = sdc.mechanism("laplace")
    seen = risk(method, table, released, Knowledge.of(table.domain, ("town",), "pay", None))
    return seen.base == pytest.approx(0.7) and seen.right.mean == pytest.approx(0.3)


def first_has_less_error_where_it_is_said() -> bool:
    """Two lines of error over all shares of empty groups: what is said where one points, against
    where the first line lies lower."""
    share = np.linspace(0, 0.99, 9901)
    empty = 4 * share / (1 - share)
    for a, b, c, d in itertools.product((1.0, 5.0), (0.0, 1.0), (1.0, 5.0), (0.0, 1.0)):
        one, two = (ErrorLine(sdc.mechanism("laplace"), 4, *line) for line in ((a, b), (c, d)))
        less = share[(a + b * empty < c + d * empty - 1e-9) & (empty > 0)]
        said = _better_where(*crossing(one, two).better_between())
        if not len(less):
            expected = "has less error nowhere"
        elif less[0] < 0.001:
            end = 1.0 if less[-1] > 0.98 else less[-1]
            expected = f"has less error up to {end:.0%} empty"
        else:
            expected = f"has less error from {less[0]:.0%} empty on"
        if said != expected:
            return False
    return True


def tricks_make_epsilon_smaller_and_protect_nobody_better() -> bool:
    """The quoted ε falls from the first way to the last; what is released stays what it was."""
    rows = pd.DataFrame(list(itertools.product("ab", "cd", "ef")) * 5, columns=["x", "y", "z"])
    table = sdc.load_dataset(rows).histogram(["x", "y", "z"])
    ways = (perverse.add_invariants(table, 0.05), perverse.smaller_unit(1.0, 3),
            perverse.kinder_measure(math.sqrt(20), 0.001, 40),
            perverse.one_table_at_a_time(1.0, ["x", "y", "z"]))
    falls = all(way.after.epsilon < way.before.epsilon for way in ways)
    return falls and all("better protected" in way.sentence for way in ways) and (
        perverse.one_table_at_a_time(1.0, ["x", "y", "z"]).before.epsilon == 3 + 3)


def scores_of_95_or_more() -> bool:
    return GIVES_AWAY == 0.95


def a_rule_is_more_than_a_share() -> bool:
    """A quarter is not more than a quarter, and a group with a larger share is."""
    rows = [("Ash", "rent")] * 1 + [("Ash", "own")] * 3 + [("Elm", "rent")] * 2 + [("Elm", "own")]
    table = sdc.load_dataset(pd.DataFrame(rows, columns=["town", "tenure"])).histogram(
        ["town", "tenure"])
    group = Group.of([("tenure", "rent")])
    method = sdc.mechanism("suppression", k=1)
    released = area_counts(sdc.released_people(method, table, 2), table, "town", group)
    found = decide(table, "town", group, 100, 25, [(method, released)])
    return list(found.above) == [False, True]


def noise_can_make_any_count_zero() -> bool:
    people = sdc.mechanism("laplace", epsilon=1.0)
    drawn = people.draw_tables(
        Histogram.from_counts([2] * 400), [np.random.default_rng(1)])
    return bool((np.asarray(drawn) <= 0).any())


def better_by_one_error_and_worse_by_the_other() -> bool:
    """Groups of 4: hiding with a stand-in of 3 is off by 1 in every release and on average; noise
    by more in a release and by next to nothing on average."""
    return so.mean_error(4) > 1.0 > abs(so.mean_shown(4) - 4)


def the_same_error_is_more_for_every_thousand_of_a_small_place() -> bool:
    return 1000 * so.mean_error(20) / 20 > 1000 * so.mean_error(2000) / 2000


def too_high_makes_up_for_too_low() -> bool:
    """Stand-ins of 3 for counts of 1 and 5: on balance 0, and each off by 2."""
    off = np.array([3 - 1, 3 - 5])
    return off.sum() == 0 and (np.abs(off) == 2).all()


def an_event_bounds_epsilon_from_below() -> bool:
    """What holds with (ε, δ): p ≤ e^ε q + δ for every event; for bell-shaped noise over all
    thresholds, ln((p − δ)/q) is never above ε and comes close to it."""
    sigma, shift, epsilon = 2.0, 1.0, 1.0
    x = np.linspace(-6, 12, 2000)
    p, q = stats.norm.sf(x, shift, sigma), stats.norm.sf(x, 0, sigma)
    delta = float(np.max(p - math.exp(epsilon) * q))
    bound = np.log(np.maximum(p - delta, 1e-300) / q)
    return bool(bound.max() <= epsilon + 1e-9 and bound.max() > epsilon - 1e-3)


def more_tries_tighten_a_bound() -> bool:
    low = [stats.beta.ppf(0.001, 3 * n // 10, 7 * n // 10 + 1) for n in (100, 1000, 10_000)]
    return low == sorted(low) and low[-1] < 0.3


def derangements_leave_nobody_their_own() -> bool:
    def count(n: int) -> int:
        return sum(all(i != j for i, j in enumerate(p)) for p in itertools.permutations(range(n)))

    return [count(n) for n in (2, 3, 4, 5)] == [1, 2, 9, 44]


def least_squares_is_least() -> bool:
    x, y = np.array([0.0, 1, 2, 3]), np.array([1.0, 0, 4, 3])
    slope, start = np.polyfit(x, y, 1)

    def squares(a: float, b: float) -> float:
        return float(((a * x + b - y) ** 2).sum())

    return all(squares(slope, start) <= squares(slope + da, start + db)
               for da, db in itertools.product((-0.1, 0, 0.1), repeat=2))


def the_largest_distance_of_cook_changes_the_fit_most() -> bool:
    """By leaving out one record at a time."""
    rng = np.random.default_rng(2)
    x = np.c_[np.ones(12), rng.normal(size=12)]
    y = x @ [1.0, 2.0] + rng.normal(size=12)
    hat = x @ np.linalg.inv(x.T @ x) @ x.T
    rest = y - hat @ y
    cook = rest**2 * np.diag(hat) / (1 - np.diag(hat)) ** 2
    moved = [
        ((x @ (np.linalg.lstsq(np.delete(x, i, 0), np.delete(y, i), rcond=None)[0]) - hat @ y) ** 2
         ).sum() for i in range(12)]
    return int(np.argmax(cook)) == int(np.argmax(moved))


def a_model_of_one_class_says_that_class() -> bool:
    model = DecisionTreeClassifier().fit([[0], [1], [2]], [1, 1, 1])
    return set(model.predict([[0], [5], [9]])) == {1}


def noise_hides_some_above() -> bool:
    """Of 400 counts of 7 some fall below 6 after noise, of 400 of 40 none; all of 3 do under the
    rule that always hides small ones."""
    def hidden(count: int, **settings: str) -> int:
        method = sdc.mechanism("dp-suppression", epsilon=2.0, k=6, **settings)
        return int((method.release(Histogram.from_counts([count] * 400), 1).counts != count).sum())

    return 0 < hidden(7) < 400 and hidden(40) == 0 and hidden(4, variant="P2") == 400


def hiding_tells_two_tables_apart() -> bool:
    """Six people and five: shown as 6 and as the stand-in 3, in every release."""
    method = sdc.mechanism("suppression", k=6)
    six, five = (int(method.release(Histogram.from_counts([n]), 0).counts[0]) for n in (6, 5))
    return six == 6 and five == 3


def a_larger_slack_has_a_smaller_epsilon() -> bool:
    found = [epsilon_at(delta, math.sqrt(20)) for delta in (1e-8, 1e-4, 1e-2)]
    return found == sorted(found, reverse=True) and len(set(found)) == 3


def printed_slack_is_larger() -> bool:
    """exp(−(ε − ρ)²/(4ρ)) with ρ = ε/10, against the exact one at σ² = 20/ε."""
    return all(
        math.exp(-((e - e / 10) ** 2) / (4 * e / 10)) > delta_tight(e, math.sqrt(20 / e))
        for e in (0.5, 1.0, 2.0, 4.0))


def less_noise_would_not_do() -> bool:
    sigma = smallest_sigma(1.0, 1e-5)
    return delta_tight(1.0, sigma) <= 1e-5 * (1 + 1e-9) < delta_tight(1.0, 0.99 * sigma)


def a_sample_shows_whom_it_keeps() -> bool:
    return round(1 - math.exp(-1), 2) == 0.63


def what_is_made_of_a_release_tells_no_more() -> bool:
    """Outcomes put together: the slack that is needed does not grow."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        p, q = rng.dirichlet(np.ones(6)), rng.dirichlet(np.ones(6))
        fine = np.maximum(p - 1.5 * q, 0).sum()
        coarse = np.maximum(p.reshape(3, 2).sum(1) - 1.5 * q.reshape(3, 2).sum(1), 0).sum()
        if coarse > fine + 1e-12:
            return False
    return True


def averaged_records_look_alike() -> bool:
    sizes = np.bincount(Microaggregation(k=5).clusters(RICH))
    return int(sizes.min()) >= 5


def the_last_one_follows_from_a_mean() -> bool:
    numbers = [4.0, 8.0, 15.0]
    return 3 * (sum(numbers) / 3) - 4.0 - 8.0 == pytest.approx(15.0)


def closer_donors_are_likelier() -> bool:
    """Permute-and-flip is report-noisy-max with one-sided exponential noise: two donors, one
    closer; the chance of the closer by integration, above one half."""
    gap, rate = 0.5, 2.0
    x = np.linspace(0, 20, 200_001)
    density = rate * np.exp(-rate * x)
    chance = float(np.trapezoid(density * (1 - np.exp(-rate * (x + gap))), x))
    return chance > 0.5 and chance == pytest.approx(1 - math.exp(-rate * gap) / 2, abs=1e-4)


def a_shared_budget_is_shared() -> bool:
    """ρ = 1/σ² for each: more of ρ for one level is a smaller σ there and a larger one here."""
    first, second = (math.sqrt(1 / (share * 0.5)) for share in (0.7, 0.3))
    even = math.sqrt(1 / (0.5 * 0.5))
    return first < even < second


def odds_in_the_help_of_epsilon() -> bool:
    return round(100 * math.expm1(0.1), -1) == 10 and round(math.e, 1) == 2.7 and (
        round(math.exp(4)) == 55) and so.smaller_epsilon_more_noise()


def the_census_epsilon_is_recomputed() -> bool:
    """ε of ρ = 15.29 at δ = 1e-10, by the conversion that is printed: ρ + 2 √(ρ ln(1/δ))."""
    found = 15.29 + 2 * math.sqrt(15.29 * math.log(1e10))
    return round(52.83 - round(found, 2), 2) == 0.01


def the_largest_stratum_is_the_largest() -> bool:
    rows = pd.DataFrame([("a", "x")] * 7 + [("b", "x")] * 2 + [("a", "y")] * 4,
                        columns=["town", "job"])
    table = sdc.load_dataset(rows).histogram(["town", "job"])
    alone, matched = (largest_stratum(table, names).size for names in ((), ("job",)))
    return (alone, matched) == (len(rows), int(rows.groupby("job").size().max()))


def swapping_keeps_totals() -> bool:
    """Permutation swapping of the county: both margins of the table stay."""
    rows = pd.DataFrame(
        [("a", "own")] * 9 + [("a", "rent")] * 5 + [("b", "own")] * 3 + [("b", "rent")] * 8,
        columns=["county", "tenure"])
    table = sdc.load_dataset(rows).histogram(["county", "tenure"])
    method = sdc.mechanism(
        "permutation-swapping", swap=("county",), match=(), swap_rate=0.5).suited_to(table)
    true = table.counts.reshape(2, 2)
    made = [method.release(table, seed).counts.reshape(2, 2) for seed in range(6)]
    return any((one != true).any() for one in made) and all(
        (one.sum(0) == true.sum(0)).all() and (one.sum(1) == true.sum(1)).all() for one in made)

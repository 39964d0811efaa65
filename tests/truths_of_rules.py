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
from sdc_core.mechanisms.tail_coding import code_tails
from sdc_core.metrics.decisions import Group, area_counts, decide
from sdc_core.metrics.microdata import intruders
from sdc_core.metrics.outsider import Knowledge, risk
from sdc_core.metrics.propensity import GIVES_AWAY
from sdc_core.metrics.reidentification import matches
from sdc_core.metrics.sparsity import ErrorLine, crossing
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

"""Small computations of whether that is so what a page says under a chart, or while it has nothing
else to say."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

import sdc_core as sdc
from sdc_core.margins.attack import Known, intervals
from sdc_core.margins.table import Axis, MarginTable, with_totals
from sdc_core.metrics.decisions import Group, area_counts, decide
from sdc_core.metrics.microdata import intruders
from sdc_core.metrics.microdata.relations import components
from sdc_core.metrics.propensity import GIVES_AWAY
from sdc_core.questions import columns
from sdc_core.records import Records


def what_nearly_everybody_answers_alike_is_not_predicted() -> bool:
    def chosen(yes: int) -> str | None:
        frame = pd.DataFrame({"town": ["Ash", "Elm"] * 50, "vote": ["yes"] * yes
                              + ["no"] * (100 - yes)})
        data = sdc.load_dataset(frame)
        able = [name for name in columns.yes_or_no(data) if name == "vote"]
        return columns.to_predict(data, able, "none")

    return chosen(80) == "vote" and chosen(97) is None


def what_goes_up_and_down_cancels_in_the_mean() -> bool:
    """Two towns of 50; one release has 60 and 40, the other 40 and 60. Either sends a tenth of the
    money to the wrong town, and on average neither town gains."""
    frame = pd.DataFrame({"town": ["Ash", "Elm"] * 50, "tenure": ["rents"] * 100})
    table = sdc.load_dataset(frame).histogram(["town", "tenure"])
    everybody = Group(())
    rows = np.array([[60, 40], [40, 60]])
    money = decide(table, "town", everybody, 100.0, 50.0, [
        (sdc.mechanism("laplace"), area_counts(rows, table, "town", everybody))]).outcomes[0].money
    return bool(np.allclose(money.gain, 0) and np.isclose(money.moved, 10.0))


def where_all_come_in_pairs_nobody_is_alone() -> bool:
    once = pd.DataFrame({"age": np.arange(20.0, 40.0), "wage": np.arange(20.0) ** 2})
    known = intruders.known_by(Records.of(once), ("age",), "wage")
    twice = Records.of(pd.concat([once, once], ignore_index=True))
    return len(intruders.alone(Records.of(once), known)) == 20 and not len(
        intruders.alone(twice, known))


def the_first_components_hold_most() -> bool:
    """The second variable is nearly the first, the third is its own: most of what varies lies along
    one direction, and the first two leave out least."""
    rng = np.random.default_rng(1)
    first, other = rng.normal(size=500), rng.normal(size=500)
    shares = components(np.column_stack([first, first + 0.1 * rng.normal(size=500), other])).shares
    return bool((np.diff(shares) < 0).all() and shares[0] > 0.6 and shares[2] < 0.05)


def whoever_looks_alike_is_as_likely_released() -> bool:
    """By values alone a released record is told from an original one: of two people with the same
    values, or of values that nobody has, it cannot be said whose the record is."""
    original, released = np.array([6, 2, 0]), np.array([5, 2, 1])
    sure = released / (original + released)
    alike = np.repeat(sure, original)  # person by person
    return bool(len(set(alike)) == 2 < len(alike) and original[sure >= GIVES_AWAY].sum() == 0)


def a_range_is_all_that_fits_what_is_shown() -> bool:
    """Rows of 3 and 4, columns of 2 and 5, nothing shown inside: of the first number against every
    table of whole numbers that there is, and against those without zeros."""
    axes = [Axis.flat(name, name, ("a", "b"), ("a", "b")) for name in ("row", "column")]
    table = MarginTable.of_leaves(axes, [1, 2, 1, 3])

    def found(least: int) -> bool:
        low, high = intervals(table, ~table.is_total, Known(low=least))
        fits = [a for a in range(8) if min(a, 3 - a, 2 - a, 5 - (3 - a)) >= least]
        first = int(table.inner[0])
        return (float(low[first]), float(high[first])) == (min(fits), max(fits))

    return found(0) and found(1)


def two_signs_tell_more_than_the_rule_allows() -> bool:
    """What is below k and above 0 lies in a range that is narrower than k."""
    return all(max(small) - min(small) < k
               for k in range(2, 20) for small in [[n for n in range(50) if 0 < n < k]])


def a_changed_record_moves_the_sum_of_all_by_the_difference() -> bool:
    """Whoever has 0 to 3 in one of four cells, and whoever comes instead: what moves of inner
    numbers, rows, columns and the total, and of all together at most twice three limits."""
    axes = [Axis.flat(name, name, ("a", "b"), ("a", "b")) for name in ("row", "column")]
    kind = np.add.outer([2, 0, 0], [1, 0, 0]).ravel()  # which axes a number is added up over
    moved = {
        (a, b, place): [
            float(np.abs(off[kind == k]).sum()) for k in range(4)
            for off in [with_totals(axes, a * np.eye(4)[0] - b * np.eye(4)[place])]]
        for a in range(4) for b in range(4) for place in range(4)}
    across = all(moved[a, b, 3] == [a + b, a + b, a + b, abs(a - b)]
                 for a in range(4) for b in range(4))
    return across and max(map(sum, moved.values())) == 2 * (4 - 1) * 3


def without_negatives_totals_are_too_high() -> bool:
    """A hundred empty groups with noise, negatives left or cut."""
    noise = np.random.default_rng(1).laplace(0, 2, (1000, 100))
    drawn, cut = noise.sum(axis=1), np.maximum(noise, 0).sum(axis=1)
    return bool(abs(drawn.mean()) < 4 and cut.mean() > 50)


def rounding_either_way_is_right_on_average() -> bool:
    """Up with the chance of what is above, whatever the number and the base."""
    return all(
        math.isclose(up * (x - x % b + b) + (1 - up) * (x - x % b), x)
        for b in (3, 5) for x in range(20) for up in [x % b / b])

"""Small computations of whether that is so what a page says under a chart, or while it has nothing
else to say."""

from __future__ import annotations

import numpy as np
import pandas as pd

import sdc_core as sdc
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

"""The reverse question: which value of a parameter meets a wanted error?"""

from __future__ import annotations

import math

import numpy as np
import pytest

import sdc_core as sdc
from sdc_core.calibrate import solve
from sdc_core.experiment import evaluate

FEATURES = tuple(sdc.Feature(n, n, ("0", "1", "2"), ("a", "b", "c")) for n in ("place", "race"))
TABLE = sdc.Histogram(np.array([5, 1, 0, 9, 2, 4, 0, 3, 40]), sdc.Domain(FEATURES))


def test_the_smallest_epsilon_in_closed_form() -> None:
    """Unclipped Laplace is off by 2/ε a cell: nine cells, a total of 6, so ε = 3."""
    found = solve(sdc.mechanism("laplace", postprocess="none"), TABLE, "epsilon", "l1_error", 6)
    assert found.value == pytest.approx(3, rel=1e-9)
    assert found.achieved <= 6


def test_the_largest_k_by_trying_all() -> None:
    suppression = sdc.mechanism("suppression")
    errors = {k: evaluate(suppression.replace(k=k), TABLE).l1_error for k in range(2, 31)}
    expected = max(k for k, error in errors.items() if error <= 20)
    assert solve(suppression, TABLE, "k", "l1_error", 20).value == expected


def test_the_largest_swap_rate() -> None:
    """The expected error of swapping grows with the rate, so the answer is at the target."""
    swapping = sdc.mechanism("swapping", quasi_identifiers=("race",))
    found = solve(swapping, TABLE, "swap_rate", "l1_error", 10)
    assert found.value is not None and 0.01 < found.value < 0.99
    assert evaluate(swapping.replace(swap_rate=found.value), TABLE).l1_error <= 10
    assert evaluate(swapping.replace(swap_rate=found.value + 1e-4), TABLE).l1_error > 10


def test_what_cannot_be_reached_says_what_can() -> None:
    found = solve(sdc.mechanism("suppression"), TABLE, "k", "l1_error", 0)
    assert found.value is None and math.isnan(found.achieved)
    assert found.best == pytest.approx(
        min(evaluate(sdc.mechanism("suppression", k=k), TABLE).l1_error for k in range(2, 31))
    )


@pytest.mark.parametrize(
    ("param", "metric", "target", "word"),
    [("delta", "l1_error", 1, "epsilon"), ("epsilon", "beauty", 1, "beauty"),
     ("epsilon", "l1_error", -1, "target"), ("epsilon", "l1_error", math.nan, "target")],
)
def test_bad_questions(param: str, metric: str, target: float, word: str) -> None:
    with pytest.raises(sdc.InputError, match=word):
        solve(sdc.mechanism("discrete-gaussian"), TABLE, param, metric, target)

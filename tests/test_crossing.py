"""Where a promise begins to hold: close to the crossing, and never on the wrong side of it."""

from __future__ import annotations

import math

import pytest

from sdc_core.privacy.crossing import nearest_that_holds


@pytest.mark.parametrize("crossing", [1e-9, 0.3, 2 / 3, 1.0, 17.123456789, 4e5])
@pytest.mark.parametrize("slope", [1e-30, 1.0, 1e20])
def test_from_either_side_it_ends_where_the_promise_holds(crossing: float, slope: float) -> None:
    up = nearest_that_holds(lambda x: slope * (crossing - x), 0.0, 1e6)
    down = nearest_that_holds(lambda x: slope * (x - crossing), 1e6, 0.0)
    assert down <= crossing <= up
    assert up == pytest.approx(crossing, rel=1e-11) == down


@pytest.mark.parametrize("steep", [1e-6, 1.0, 40.0])
def test_curved_and_nearly_flat_excess(steep: float) -> None:
    """As δ does: tiny on one side, many orders larger on the other."""
    found = nearest_that_holds(lambda x: math.exp(-steep * x) - math.exp(-3 * steep), 0.0, 100.0)
    assert 3 <= found == pytest.approx(3, rel=1e-9)
    assert math.exp(-steep * found) <= math.exp(-3 * steep)


def test_a_jump_is_not_stepped_over() -> None:
    """There is no zero to be found, only a side that holds."""
    found = nearest_that_holds(lambda x: 1.0 if x < math.pi else -1e-9, 1.0, 5.0)
    assert math.pi <= found == pytest.approx(math.pi, rel=1e-11)
    down = nearest_that_holds(lambda x: 1e-9 if x > math.pi else -1.0, 5.0, 1.0)
    assert math.pi >= down == pytest.approx(math.pi, rel=1e-11)


def test_the_only_value_that_holds_is_taken() -> None:
    assert nearest_that_holds(lambda x: -1.0 if x == 8.0 else 1e-3, 2.0, 8.0) == 8.0
    assert nearest_that_holds(lambda x: 0.0 if x == 2.0 else 1e-3, 8.0, 2.0) == 2.0

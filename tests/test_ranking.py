"""What may be ranked: means over releases, pairs release by release, both ends."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sdc_core.metrics.over_releases import OverReleases
from sdc_core.words.chance import at_most, differ
from sdc_core.words.ranking import apart, ends, unbeaten


def over(*each: float) -> OverReleases:
    return OverReleases(np.array(each, dtype=float))


def test_mean_and_error_by_hand() -> None:
    """1, 2, 3: mean 2, variance 1, error √(1/3). A release with nobody does not count."""
    for numbers in (over(1, 2, 3), over(1, math.nan, 2, 3)):
        assert numbers.mean == 2 and numbers.error == pytest.approx(math.sqrt(1 / 3))
    assert over(5).error == math.inf and over(5).mean == 5
    assert math.isnan(over(math.nan).mean) and over(math.nan).error == math.inf
    assert over(0.1 + 0.2, 0.3, 0.3).error == 0  # rounding is no spread
    assert over(0, 0, 0).error == 0


def test_differ_and_the_rule_of_three_by_hand() -> None:
    assert differ(1.0, 0.3, 2.1, 0.4) and not differ(1.0, 0.3, 2.0, 0.4)  # 2 × 0.5 = 1
    assert differ(1.0, 0.0, 1.1, 0.0) and not differ(1.0, 0.0, 1.0, 0.0)
    assert [at_most(n) for n in (1, 3, 20, 200)] == [1, 1, 0.15, 0.015]


def test_pairs_are_compared_release_by_release() -> None:
    up, crossed = (1.0, 5.0, 3.0), (4.9, 0.9, 2.9)
    assert apart(over(*up), over(*(u - 0.1 for u in up)))  # always 0.1 less
    assert not apart(over(*up), over(*crossed))  # also 0.1 less on average
    assert not apart(over(0.3, 0.3), over(0.1 + 0.2, 0.1 + 0.2))
    assert apart(over(0.3, 0.3), over(0.31, 0.31))
    assert not apart(over(1), over(9))  # one release of each says nothing
    assert apart(over(1, 1.1, 0.9), over(3, 3.1)) and not apart(over(1, 3, 5), over(3, 4))
    assert not apart(over(1, math.nan), over(math.nan, 9))  # no release that both have


@pytest.mark.parametrize("seed", range(12))
def test_ends_are_all_that_may_be_first_or_last(seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = [over(*(rng.normal(m, 1.0, 6))) for m in rng.integers(0, 4, 5)]
    low, high = ends(found, lambda one: one.mean, apart)
    means = [one.mean for one in found]
    first, last = found[int(np.argmin(means))], found[int(np.argmax(means))]

    def may_be(one: OverReleases, end: OverReleases) -> bool:
        gap = one.each - end.each
        return one is end or abs(gap.mean()) <= 2 * gap.std(ddof=1) / math.sqrt(6)

    if may_be(first, last):
        assert (low, high) == ([], [])
        return
    either = [(may_be(one, first), may_be(one, last)) for one in found]
    assert low == [one for one, e in zip(found, either, strict=True) if e == (True, False)]
    assert high == [one for one, e in zip(found, either, strict=True) if e == (False, True)]
    assert first in low and last in high
    assert ends(found[:1], lambda one: one.mean, apart) == ([], [])


@pytest.mark.parametrize("seed", range(12))
def test_unbeaten_is_who_has_nobody_above(seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = [over(*(rng.normal(m, s, 6))) for m, s in zip(
        rng.integers(0, 4, 5), rng.choice([0.1, 1.0, 3.0], 5), strict=True)]

    def is_above(one: OverReleases, other: OverReleases) -> bool:
        gap = one.each - other.each
        return gap.mean() > 2 * gap.std(ddof=1) / math.sqrt(6)

    first = unbeaten(found, lambda one: one.mean, apart)
    above = [[is_above(other, one) for other in found if other is not one] for one in found]
    assert first == [one for one, beaten in zip(found, above, strict=True) if not any(beaten)]
    assert max(found, key=lambda one: one.mean) in first
    same = [over(1, 2), over(1, 2)]
    assert unbeaten(same, lambda one: one.mean, apart) == same

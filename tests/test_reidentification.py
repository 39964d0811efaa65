"""Whom a release exposes: exact chances against simulated ones, SDNist's count with pandas, toys
counted by hand, and the two extremes (a copy, a shuffled copy)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms import FOR_TABLES
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.outsider import Knowledge, risk
from sdc_core.metrics.reidentification import (
    KnowsSmallCounts,
    chances_of_match,
    count_unique_matches,
    unique_matches,
)
from sdc_core.people import as_records, expand
from tests import agreement as stats

LAPLACE = sdc.mechanism("laplace")


def feature(name: str, size: int) -> Feature:
    values = tuple(str(i) for i in range(size))
    return Feature(name, name, values, tuple(f"{name}{v}" for v in values))


def table(counts: object, shape: tuple[int, ...], names: str = "abcdef") -> Histogram:
    domain = Domain(tuple(feature(n, s) for n, s in zip(names, shape, strict=False)))
    return Histogram(np.asarray(counts, dtype=np.int64).ravel(), domain)


SMALL = table([[[0, 1, 2], [1, 4, 0]], [[3, 0, 1], [0, 7, 1]]], (2, 2, 3))
CELLS = (0, 1, 2, 4, 10)
VARIANTS: list[Mechanism] = [
    *(sdc.mechanism("laplace", epsilon=e, postprocess=p)
      for e in (0.7, 3.0) for p in ("none", "clip", "round", "floor")),
    *(sdc.mechanism("geometric", epsilon=1.3, postprocess=p) for p in ("none", "clip")),
    sdc.mechanism("discrete-gaussian", epsilon=2.0),
    sdc.mechanism("discrete-gaussian", epsilon=4.0, calibration="printed", postprocess="none"),
    *(sdc.mechanism("dp-suppression", epsilon=1.0, k=k, variant=v, imputation=i, keep_zeros=z)
      for k, v, i, z in [(3, "P0", "floor", False), (2, "P0", "half", True),
                         (3, "P2", "half", True), (2, "P1-noisy-threshold", "floor", False),
                         (3, "P1-noisy-threshold", "half", True)]),
    sdc.mechanism("swapping", swap_rate=0.4, quasi_identifiers=("c",)),
    sdc.mechanism("dp-swapping", swap_rate=0.6, quasi_identifiers=("b",)),
    sdc.mechanism("dp-swapping-uniform", quasi_identifiers=("c",)),
]


@pytest.mark.parametrize("one", VARIANTS, ids=lambda m: m.label())
def test_exact_chances_are_those_of_the_releases(one: Mechanism) -> None:
    """P(0) and P(1) of cells with 0, 1, 2, 4 and 7 people, against 4,000 drawn releases."""
    assert isinstance(one, KnowsSmallCounts)
    drawn = sdc.released_people(one, SMALL, 4000, seed=3)
    for people, chance in enumerate(one.chance_of_none_or_one(SMALL)):
        assert (chance > -1e-9).all() and (chance < 1 + 1e-9).all()
        for cell in CELLS:
            p = float(chance[cell])
            assert stats.mean_agrees(drawn[:, cell] == people, p, max(p * (1 - p), 0.0), 1.0)


def test_a_wrong_chance_is_caught() -> None:
    """The test above has power: chances for another ε do not pass."""
    other = sdc.mechanism("laplace", epsilon=1.5)
    assert isinstance(other, KnowsSmallCounts)
    drawn = sdc.released_people(LAPLACE, SMALL, 4000, seed=3)
    agree = [
        stats.mean_agrees(drawn[:, cell] == people, float(p[cell]), float(p[cell]), 1.0)
        for people, p in enumerate(other.chance_of_none_or_one(SMALL)) for cell in CELLS
    ]
    assert not all(agree)


def test_laplace_by_hand() -> None:
    """One person stays at least one unless the rounded noise is below 0: 1 - ½ e^(-ε/4)."""
    chance = chances_of_match(LAPLACE, table([1, 0], (2,)), "at-least-once")
    assert chance is not None
    assert chance[0] == pytest.approx(1 - 0.5 * np.exp(-0.25))
    assert chance[1] == pytest.approx(0.5 * np.exp(-0.25))


def test_geometric_by_hand() -> None:
    one = sdc.mechanism("geometric", epsilon=2.0)
    q = np.exp(-1.0)
    exactly = chances_of_match(one, table([1], (1,)), "exactly-once")
    assert exactly is not None and exactly[0] == pytest.approx((1 - q) / (1 + q))


def test_no_closed_form_is_no_chance() -> None:
    """Exchanges in pairs depend on each other: averages over releases instead."""
    one = sdc.mechanism("swapping", paired=True, quasi_identifiers=("c",))
    assert chances_of_match(one, SMALL, "at-least-once") is None
    with pytest.raises(sdc.InputError, match="released_people"):
        unique_matches(one, SMALL, "at-least-once")
    released = np.array(
        [[0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 5, 0, 0, 1, 0, 0, 1]]
    )
    found = unique_matches(one, SMALL, "at-least-once", released)
    # unique people are in cells 1, 3, 8, 11; releases show {1, 3} and {3, 8, 11}
    assert (found.method, found.unique, found.expected) == ("simulated", 4, 2.5)
    assert unique_matches(one, SMALL, "exactly-once", released).expected == 2.0
    # of the empty cells 0, 5, 7, 9 only 5 is ever shown, with five people
    assert (found.empty, found.made_up) == (4, 0.5)
    assert unique_matches(one, SMALL, "exactly-once", released).made_up == 0


def test_simulated_numbers_have_the_error_of_a_mean() -> None:
    """Two releases show 2 and 3 unique people and 0 and 1 empty groups: √(½ / 2) = ½ each."""
    one = sdc.mechanism("swapping", paired=True, quasi_identifiers=("c",))
    rows = np.array(
        [[0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 5, 0, 0, 1, 0, 0, 1]])
    found = unique_matches(one, SMALL, "at-least-once", rows)
    assert (found.error, found.made_up_error) == pytest.approx((0.5, 0.5))
    assert found.share_error == pytest.approx(0.125)
    assert found.real_share == pytest.approx(2.5 / 3)  # of 2.5 people and 0.5 empty groups shown
    assert unique_matches(one, SMALL, "at-least-once", rows[:1]).error == np.inf
    assert unique_matches(LAPLACE, SMALL, "at-least-once").error == 0


@pytest.mark.parametrize("seed", range(4))
def test_risk_has_one_number_a_release(seed: int) -> None:
    """Each number is the one that this release alone gives; a release with nobody has none."""
    rng = np.random.default_rng(seed)
    truth = table(rng.poisson(1.2, 24), (4, 3, 2))
    rows = rng.poisson(1.0, (6, 24))
    rows[3] = 0
    knows = Knowledge.of(truth.domain, ["a", "b"], "c", "b")
    found = risk(LAPLACE, truth, rows, knows)
    for r, row in enumerate(rows):
        if r == 3:
            assert np.isnan(found.right.each[r])
            continue
        alone = risk(LAPLACE, truth, row[None, :], knows)
        for group, single in zip(
            (found, *found.by_size, *found.by_group), (alone, *alone.by_size, *alone.by_group),
            strict=True,
        ):
            for what in ("right", "apparent", "correct", "gain"):
                assert getattr(group, what).each[r] == pytest.approx(getattr(single, what).mean)
    values = np.delete(found.right.each, 3)
    assert found.right.error == pytest.approx(values.std(ddof=1) / np.sqrt(5))
    most = truth.counts.reshape(-1, 2).sum(axis=0)
    assert found.base == pytest.approx(most.max() / most.sum() if most[0] != most[1] else 0.5)


def by_pandas(original: pd.DataFrame, released: pd.DataFrame) -> tuple[int, int]:
    """SDNist's definition on records: unique rows of the target that occur in the release."""
    columns = list(original.columns)
    unique = original[~original.duplicated(keep=False)]
    return len(unique.merge(released.drop_duplicates(), on=columns)), len(unique)


@pytest.mark.parametrize("seed", range(4))
def test_equals_sdnist_on_records(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = table(rng.poisson(0.8, 60), (5, 4, 3))
    released = rng.poisson(0.7, 60)
    assert count_unique_matches(truth.counts, released) == by_pandas(
        as_records(truth.counts, truth.domain), as_records(released, truth.domain)
    )


def test_a_copy_shows_all_and_a_shuffled_copy_few() -> None:
    rng = np.random.default_rng(5)
    people = np.stack([np.arange(60) % 20, np.arange(60) // 3], axis=1)  # everybody unique
    truth = Histogram.from_codes(list(people.T), table(np.zeros(400), (20, 20)).domain)
    assert count_unique_matches(truth.counts, truth.counts) == (60, 60)
    shuffled = np.stack([rng.permutation(c) for c in people.T], axis=1)
    counts = Histogram.from_codes(list(shuffled.T), truth.domain).counts
    assert count_unique_matches(truth.counts, counts)[0] < 30
    still = sdc.mechanism("swapping", swap_rate=0.0, quasi_identifiers=("a",))
    copied = unique_matches(still, truth, "exactly-once")
    assert copied.share == pytest.approx(1) and copied.made_up == pytest.approx(0)


def test_apparent_matches_by_hand() -> None:
    """Known: a; other features b and c. Person 0 is alone in the data and shown as they are,
    person 1 is alone and shown with another b, a = 2 has two people of whom one is shown."""
    truth = table(np.zeros(24), (3, 2, 4))
    cube = truth.counts.reshape(3, 2, 4).copy()
    cube[0, 1, 2], cube[1, 0, 0], cube[2, 0, 0] = 1, 1, 2
    shown = np.zeros((3, 2, 4), dtype=np.int64)
    shown[0, 1, 2], shown[1, 1, 0], shown[2, 0, 0] = 1, 1, 1
    truth = Histogram(cube.ravel(), truth.domain)
    found = risk(LAPLACE, truth, shown.reshape(1, -1), Knowledge.of(truth.domain, ["a"], "b", "c"))
    assert found.original_unique == 2
    assert (found.apparent.mean, found.correct.mean) == (2, 1)
    by_c = {g.title: (g.people, g.apparent.mean, g.correct.mean) for g in found.by_group}
    assert by_c == {"c0": (3, 1, 0), "c2": (1, 1, 1)}
    sizes = {g.title: (g.people, g.apparent.mean, g.correct.mean) for g in found.by_size}
    assert sizes == {"people in groups of 1 to 5": (4, 2, 1)}


def test_guesses_by_hand() -> None:
    """a = 0: data 8 to 2, release says value 1; a = 1: data 1 to 4, release ties; a = 2: nobody in
    the release, so everybody's most frequent value (1) is guessed; data 3 to 2."""
    truth = table([[8, 2], [1, 4], [3, 2]], (3, 2))
    shown = np.array([[1, 3, 2, 2, 0, 0]])
    found = risk(LAPLACE, truth, shown, Knowledge.of(truth.domain, ["a"], "b", "a"))
    assert found.right.mean == pytest.approx((2 + 2.5 + 2) / 20)
    # the data has 12 and 8 in all, though the release has 3 and 5
    assert found.base == pytest.approx((8 + 1 + 3) / 20)
    assert found.best == pytest.approx((8 + 4 + 3) / 20)
    assert [g.right.mean for g in found.by_group] == pytest.approx([2 / 10, 2.5 / 5, 2 / 5])
    assert [g.base for g in found.by_group] == pytest.approx([8 / 10, 1 / 5, 3 / 5])
    assert found.gain.mean == pytest.approx(6.5 / 20 - 12 / 20)
    assert [(g.title, g.people) for g in found.by_size] == [
        ("people in groups of 1 to 5", 10), ("people in groups of 6 to 19", 10)]


def guessed_on_records(truth: Histogram, released: np.ndarray, known: list[str], wanted: str,
                       group: str) -> dict[str, float]:
    """The same with pandas, one person at a time; the toys below have no ties."""
    people = as_records(truth.counts, truth.domain)
    shown = as_records(released, truth.domain)
    overall = shown[wanted].value_counts().idxmax()
    modes = shown.groupby(known)[wanted].agg(lambda v: v.value_counts().idxmax())
    keys = people[known].itertuples(index=False, name=None)
    index = {k if isinstance(k, tuple) else (k,): v for k, v in modes.items()}
    right = [index.get(k, overall) == v for k, v in zip(keys, people[wanted], strict=True)]
    return pd.Series(right).groupby(people[group]).mean().to_dict()


@pytest.mark.parametrize("group", ["a", "b", "c", "d"])
def test_guesses_equal_those_on_records(group: str) -> None:
    """Group known, not known, or wanted; weights without ties in any combination."""
    rng = np.random.default_rng(9)
    shape = (3, 2, 4, 2)
    truth = table(rng.poisson(3, 48), shape)
    released = rng.poisson(3, 48).reshape(shape)
    totals = released.sum(axis=2)  # by a, b and d
    released[:, :, 0, 1] += totals[..., 0] == totals[..., 1]
    counts = released.ravel().astype(np.int64)
    knows = Knowledge.of(truth.domain, ["b", "a"], "d", group)
    found = risk(LAPLACE, truth, counts[None, :], knows)
    expected = guessed_on_records(truth, counts, ["a", "b"], "d", group)
    labels = {f"{group}{value}": share for value, share in expected.items()}
    assert {g.title: g.right.mean for g in found.by_group} == pytest.approx(labels)


def test_a_copy_is_guessed_best_and_a_shuffled_one_like_everybody() -> None:
    truth = table([[90, 10], [10, 90], [95, 5]], (3, 2))
    knows = Knowledge.of(truth.domain, ["a"], "b", None)
    copy = risk(LAPLACE, truth, truth.counts[None, :], knows)
    assert copy.right.mean == pytest.approx(copy.best) == pytest.approx(275 / 300)
    people = expand(truth.counts, truth.domain)
    rng = np.random.default_rng(1)
    shuffled = np.stack([rng.permutation(c) for c in people.T], axis=1)
    counts = Histogram.from_codes(list(shuffled.T), truth.domain).counts
    assert risk(LAPLACE, truth, counts[None, :], knows).gain.mean == pytest.approx(0)


def test_empty_releases_are_left_out() -> None:
    truth = table([[3, 2], [1, 4]], (2, 2))
    knows = Knowledge.of(truth.domain, ["a"], "b", "a")
    rows = np.stack([truth.counts, np.zeros(4, dtype=np.int64)])
    found = risk(LAPLACE, truth, rows, knows)
    assert (found.releases, found.empty) == (1, 1)
    assert found.right.mean == risk(LAPLACE, truth, rows[:1], knows).right.mean
    with pytest.raises(sdc.InputError, match="has people in it"):
        risk(LAPLACE, truth, rows[1:], knows)


def test_bad_knowledge_is_a_sentence() -> None:
    with pytest.raises(sdc.InputError, match="one feature only"):
        Knowledge.of(table([1, 2], (2,)).domain, ["a"], "a", None)
    domain = SMALL.domain
    with pytest.raises(sdc.InputError, match="not counted by"):
        Knowledge.of(domain, ["PUMA"], "a", None)
    with pytest.raises(sdc.InputError, match="Choose at least one thing the outsider knows"):
        Knowledge.of(domain, [], "a", None)
    with pytest.raises(sdc.InputError, match="known to the outsider already"):
        Knowledge.of(domain, ["a", "b"], "b", None)


def test_unique_people_by_group_add_up() -> None:
    found = unique_matches(LAPLACE, SMALL, "at-least-once")
    for axis in range(3):
        rows = found.by_value(SMALL, axis)
        assert sum(r[1] for r in rows) == SMALL.total
        assert sum(r[2] for r in rows) == 4
        assert sum(r[3] for r in rows) == pytest.approx(found.expected)


def test_every_mechanism_can_be_shown() -> None:
    """Nothing in the registry breaks the page's two questions."""
    truth = sdc.load_dataset("ma2019-twin").histogram(
        ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"])
    knows = Knowledge.of(truth.domain, ["PUMA", "RAC1P"], "INCOME_50K", "RAC1P")
    for cls in FOR_TABLES:
        one = cls()
        if one.slow:
            continue
        released = sdc.released_people(one, truth, 2)
        found = unique_matches(one, truth, "at-least-once", released)
        assert 0 <= found.expected <= found.unique == (truth.counts == 1).sum()
        assert 0 <= risk(one, truth, released, knows).right.mean <= 1


def test_what_p0_found_on_real_data(real_data: Callable[[str], sdc.Dataset]) -> None:
    """P0 Fig 5 on both excerpts: matches of noise grow with ε, fewer with discrete Gaussian; DP
    swapping shows more and hardly moves, until noise overtakes it (which P0 does not see)."""
    for name in ("ma2019", "tx2019"):
        data = real_data(name)
        truth = data.histogram(data.default_features)
        epsilons = (0.5, 1.0, 2.0, 4.0)
        for rule in ("at-least-once", "exactly-once"):
            laplace, gaussian, swap = (
                [unique_matches(sdc.mechanism(m, epsilon=e), truth, rule).share for e in epsilons]
                for m in ("laplace", "discrete-gaussian", "dp-swapping")
            )
            assert laplace == sorted(laplace) and gaussian == sorted(gaussian)
            assert all(g < b for g, b in zip(gaussian, laplace, strict=True))
            assert max(swap) - min(swap) < 0.1
            assert all(s > v for s, v in zip(swap[:3], laplace[:3], strict=True))

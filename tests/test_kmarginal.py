"""The k-marginal score: hand-computed toys, its definition on records with pandas, extremes."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.metrics.kmarginal import kmarginal
from sdc_core.metrics.side_by_side import SideBySide
from sdc_core.people import as_records

SHAPE = (3, 2, 4, 2)


def feature(name: str, size: int) -> Feature:
    values = tuple(str(i) for i in range(size))
    return Feature(name, name, values, values)


def table(counts: object, shape: tuple[int, ...]) -> Histogram:
    domain = Domain(tuple(feature(f"f{j}", s) for j, s in enumerate(shape)))
    return Histogram(np.asarray(counts, dtype=np.int64).ravel(), domain)


def random_pair(seed: int) -> tuple[Histogram, np.ndarray]:
    rng = np.random.default_rng(seed)
    size = int(np.prod(SHAPE))
    truth = table(rng.poisson(3.0, size), SHAPE)
    return truth, rng.poisson(rng.uniform(0.2, 5.0, size)).astype(np.int64)


def by_pandas(
    original: pd.DataFrame, released: pd.DataFrame, k: int, by: str | None
) -> tuple[float, dict[str, float]]:
    """The definition on records, one groupby a set of features."""
    others = [c for c in original.columns if c != by]
    whole, places = [], {g: [] for g in (original[by].unique() if by else [])}
    for chosen in itertools.combinations(others, k):
        keys = ([by] if by else []) + list(chosen)
        shares = [d.groupby(keys).size() / len(d) for d in (original, released)]
        gap = shares[0].sub(shares[1], fill_value=0).abs()
        whole.append(gap.sum())
        for g in places:
            t = (original[by] == g).mean()
            places[g].append(min(t, gap.xs(g, level=0).sum()) / t)
    return 500 * (2 - np.mean(whole)), {g: 1000 * (1 - np.mean(v)) for g, v in places.items()}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("k", "by"), [(2, "f0"), (3, "f0"), (2, None)])
def test_misplaced_people_are_invented_or_too_many(seed: int, k: int, by: str | None) -> None:
    """On records: the share of released people in groups that have nobody, and the rest of the
    misplaced, who are too many in groups that have people."""
    truth, released = random_pair(seed)
    truth = table(np.where(truth.counts < 3, 0, truth.counts), SHAPE)
    original, shown = (as_records(c, truth.domain) for c in (truth.counts, released))
    parts = []
    for chosen in itertools.combinations([c for c in original.columns if c != by], k):
        keys = ([by] if by else []) + list(chosen)
        here, there = (d.groupby(keys).size() / len(d) for d in (original, shown))
        both = pd.concat([here, there], axis=1).fillna(0).to_numpy()
        nobody = both[:, 0] == 0
        parts.append((both[nobody, 1].sum(), np.clip(np.diff(both[~nobody]), 0, None).sum()))
    found = kmarginal(SideBySide.of_table(truth, released), k, by)
    invented, too_many = np.mean(parts, axis=0)
    assert found.invented == pytest.approx(invented)
    assert found.misplaced == pytest.approx(invented + too_many)
    assert any(p[0] > 0 for p in parts) or k == 2


def test_hand_computed() -> None:
    """Original: 4 people, two and two; release: 2 people, both in the first cell."""
    truth = table([[2, 0], [0, 2]], (2, 2))
    found = kmarginal(SideBySide.of_table(truth, np.array([2, 0, 0, 0])), 2)
    # shares (½, 0, 0, ½) against (1, 0, 0, 0): D = ½ + ½ = 1, score 500 (2 - 1)
    assert found.score == pytest.approx(500)
    assert found.misplaced == pytest.approx(0.5)


def test_hand_computed_by_place() -> None:
    """Two places of 3 and 1 people, one other feature; the release empties the second place."""
    truth = table([[2, 1], [1, 0]], (2, 2))
    found = kmarginal(SideBySide.of_table(truth, np.array([2, 2, 0, 0])), 2, by="f0")
    # shares: (.5, .25 | .25, 0) against (.5, .5 | 0, 0): D = .25 in each place
    assert found.score == pytest.approx(500 * (2 - 0.5))
    assert [p.score for p in found.places] == pytest.approx([1000 * (1 - 0.25 / 0.75), 0.0])
    assert [(p.people, p.released) for p in found.places] == [(3, 4), (1, 0)]


def test_a_place_cannot_lose_more_than_its_people() -> None:
    truth = table([[9, 0], [0, 1]], (2, 2))
    found = kmarginal(SideBySide.of_table(truth, np.array([0, 0, 0, 10])), 2, by="f0")
    assert [p.score for p in found.places] == [0.0, 0.0]


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("by", [None, "f0", "f2"])
@pytest.mark.parametrize("seed", [1, 2])
def test_equals_the_definition_on_records(k: int, by: str | None, seed: int) -> None:
    truth, released = random_pair(seed)
    found = kmarginal(SideBySide.of_table(truth, released), k, by)
    score, places = by_pandas(
        as_records(truth.counts, truth.domain), as_records(released, truth.domain), k, by
    )
    assert found.score == pytest.approx(score, abs=1e-9)
    assert {p.name: p.score for p in found.places} == pytest.approx(places, abs=1e-9)


def test_records_and_tables_agree_where_codes_hardly_fit() -> None:
    """`of_codes` groups equal rows, also when their mixed-radix number overflows 63 bits."""
    rng = np.random.default_rng(3)
    features = [feature(f"g{j}", 50) for j in range(14)]  # 50^14 > 2^63
    original, released = (
        [rng.integers(0, 50, n) * (rng.random(n) < 0.3) for _ in features] for n in (400, 300)
    )
    pair = SideBySide.of_codes(features, original, released)
    frames = [
        pd.DataFrame({f.name: c for f, c in zip(features, side, strict=True)})
        for side in (original, released)
    ]
    assert len(pair.codes) == len(pd.concat(frames).drop_duplicates())
    assert (pair.people, pair.released_people) == (400, 300)
    score, places = by_pandas(*frames, 2, "g0")
    found = kmarginal(pair, 2, "g0")
    assert found.score == pytest.approx(score, abs=1e-9)
    known = {int(p.name): p.score for p in found.places}
    assert known == pytest.approx(places, abs=1e-9)


def test_copy_is_1000_and_a_shuffled_one_is_not() -> None:
    truth = table([[40, 0], [0, 40]], (2, 2))
    assert kmarginal(SideBySide.of_table(truth, truth.counts), 2).score == 1000
    shuffled = np.array([20, 20, 20, 20])  # columns permuted independently: margins stay
    pair = SideBySide.of_table(truth, shuffled)
    assert kmarginal(pair, 1).score == 1000
    assert kmarginal(pair, 2).score == 500


def test_fewer_features_than_k_is_the_table_of_all() -> None:
    truth, released = random_pair(4)
    pair = SideBySide.of_table(truth, released)
    assert kmarginal(pair, 9).by_set[0][0] == ("f0", "f1", "f2", "f3")
    assert len(kmarginal(pair, 9).by_set) == 1


def test_bad_input_is_a_sentence() -> None:
    truth = table([3, 4], (2,))
    with pytest.raises(sdc.InputError, match="no people in it"):
        kmarginal(SideBySide.of_table(truth, np.zeros(2, dtype=np.int64)))
    with pytest.raises(sdc.InputError, match="not counted by"):
        kmarginal(SideBySide.of_table(truth, truth.counts), by="PUMA")
    with pytest.raises(sdc.InputError, match="at least two features"):
        kmarginal(SideBySide.of_table(truth, truth.counts), by="f0")
    with pytest.raises(sdc.InputError, match="at least 1"):
        kmarginal(SideBySide.of_table(truth, truth.counts), 0)
    with pytest.raises(sdc.InputError, match="whole counts"):
        SideBySide.of_table(truth, np.array([1, -1]))


def test_real_data(real_data: Callable[[str], sdc.Dataset]) -> None:
    """On the Massachusetts excerpt: noise at ε = 4 misplaces fewer people than DP suppression."""
    data = real_data("ma2019")
    truth = data.histogram(data.default_features)
    scores = {}
    for name in ("laplace", "dp-suppression"):
        released = sdc.released_people(sdc.mechanism(name, epsilon=4.0), truth, 1)[0]
        found = kmarginal(SideBySide.of_table(truth, released), 2, "PUMA")
        expected, places = by_pandas(
            as_records(truth.counts, truth.domain), as_records(released, truth.domain), 2, "PUMA"
        )
        assert found.score == pytest.approx(expected, abs=1e-9)
        labels = dict(zip(truth.domain.features[0].values, truth.domain.features[0].labels,
                          strict=True))
        assert {p.name: p.score for p in found.places} == pytest.approx(
            {labels[g]: v for g, v in places.items()}, abs=1e-9
        )
        scores[name] = found.score
    assert scores["laplace"] > scores["dp-suppression"]

"""Counts become people and people become counts again: nothing is lost on the way."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.data.catalogue import FIVE_FEATURES
from sdc_core.mechanisms import FOR_TABLES
from sdc_core.mechanisms.base import Mechanism
from sdc_core.people import as_records, expand, marginal, whole_people

TABLE = sdc.load_dataset(
    pd.DataFrame(
        {
            "place": ["a"] * 30 + ["b"] * 30,
            "race": (["x"] * 25 + ["y"] * 5) * 2,
            "sex": ["m", "f"] * 30,
        }
    )
).histogram(["place", "race", "sex"])


def test_counts_below_zero_or_in_between_become_people() -> None:
    found = whole_people(np.array([-3.0, -0.2, 0.4, 0.6, 1.5, 2.5, 7.0]))
    assert found.tolist() == [0, 0, 0, 1, 2, 2, 7]  # halves go to the even neighbour
    assert found.dtype == np.int64


def test_records_are_the_cells_as_often_as_they_count() -> None:
    counts = np.array([2, 0, 1, 0, 0, 3, 0, 1])
    records = as_records(counts, TABLE.domain)
    wanted = [
        values
        for values, n in zip(
            itertools.product(*(f.values for f in TABLE.domain.features)), counts, strict=True
        )
        for _ in range(n)
    ]
    assert list(records.itertuples(index=False, name=None)) == wanted
    coded = expand(counts, TABLE.domain)
    assert [
        tuple(f.values[c] for f, c in zip(TABLE.domain.features, row, strict=True)) for row in coded
    ] == wanted


def test_expanding_and_counting_again_is_the_identity() -> None:
    coded = expand(TABLE.counts, TABLE.domain)
    again = sdc.Histogram.from_codes(list(coded.T), TABLE.domain)
    assert again.counts.tolist() == TABLE.counts.tolist()


@pytest.mark.parametrize("axes", [(0,), (2, 0), (1, 2), (0, 1, 2), (2, 1, 0), ()])
def test_marginals_are_those_of_pandas(axes: tuple[int, ...]) -> None:
    both = np.stack([TABLE.counts, 2 * TABLE.counts + 1])
    found = marginal(both, TABLE.domain, axes)
    cells = pd.DataFrame(
        np.array(list(np.ndindex(TABLE.domain.shape))), columns=[0, 1, 2]
    )
    for row, counts in enumerate(both):
        if not axes:
            assert found[row] == counts.sum()
            continue
        summed = cells.assign(n=counts).groupby(list(axes)).n.sum()
        for where in itertools.product(*(range(TABLE.domain.shape[a]) for a in axes)):
            assert found[(row, *where)] == summed[where if len(axes) > 1 else where[0]]


@pytest.fixture(scope="module")
def twin() -> sdc.Histogram:
    return sdc.load_dataset("ma2019-twin").histogram(FIVE_FEATURES)


@pytest.mark.parametrize("cls", FOR_TABLES, ids=lambda c: c.name)
def test_every_method_releases_people(cls: type[Mechanism], twin: sdc.Histogram) -> None:
    """Whole people, none negative, and a release does not depend on how many are drawn."""
    chosen = cls()
    three, one = (sdc.released_people(chosen, twin, n, seed=7) for n in (3, 1))
    assert three.shape == (3, len(twin)) and three.dtype == np.int64
    assert (three >= 0).all()
    assert three[0].tolist() == one[0].tolist()
    assert len(as_records(one[0], twin.domain)) == one[0].sum()


def test_too_few_or_too_many() -> None:
    with pytest.raises(sdc.InputError, match="repetitions must be in"):
        sdc.released_people(sdc.mechanism("laplace"), TABLE, 0)
    with pytest.raises(sdc.InputError, match="records are made for at most"):
        as_records(np.array([60_000_000, 0, 0, 0, 0, 0, 0, 0]), TABLE.domain)


def test_progress_is_told_and_may_cancel() -> None:
    seen: list[float] = []
    sdc.released_people(sdc.mechanism("laplace"), TABLE, 5, progress=seen.append)
    assert seen[-1] == 1.0

    def stop(share: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sdc.released_people(sdc.mechanism("laplace"), TABLE, 5, progress=stop)

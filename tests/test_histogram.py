"""Counting records: the fast mixed-radix count is what a plain group-by gives, cell by cell.

Proven here: `count_codes` against pandas on random tables (also when rows span several chunks);
order and words of the cells; domains observed and declared; and one clear sentence for a domain
that is too large or for counts that are not counts.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core import histogram as histogram_module
from sdc_core.data import Column
from sdc_core.histogram import MAX_CELLS, as_counts, count_codes, distinct


@st.composite
def coded_tables(draw: st.DrawFn) -> tuple[list[np.ndarray], tuple[int, ...]]:
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=1, max_size=5)))
    rows = draw(st.integers(0, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from([np.int8, np.int16, np.int64]))
    return [rng.integers(0, size, rows).astype(dtype) for size in shape], shape


def group_by_counts(columns: list[np.ndarray], shape: tuple[int, ...]) -> list[int]:
    """The same count by pandas, over the full product of values, last column fastest."""
    table = pd.DataFrame(dict(enumerate(columns)))
    sizes = table.groupby(list(table.columns)).size().to_dict() if len(table) else {}
    if len(shape) == 1:
        sizes = {(key if isinstance(key, tuple) else (key,)): n for key, n in sizes.items()}
    return [sizes.get(cell, 0) for cell in itertools.product(*(range(size) for size in shape))]


@given(coded_tables())
def test_counts_are_those_of_a_group_by(table: tuple[list[np.ndarray], tuple[int, ...]]) -> None:
    columns, shape = table
    before = [column.copy() for column in columns]
    counts = count_codes(columns, shape)
    assert counts.tolist() == group_by_counts(columns, shape)
    assert counts.dtype == np.int64 and counts.sum() == len(columns[0])
    assert all(np.array_equal(a, b) for a, b in zip(before, columns, strict=True))


def test_rows_in_many_chunks_count_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small codes must not overflow and no row may be lost where chunks meet."""
    rng = np.random.default_rng(5)
    shape = (7, 100, 3)
    columns = [rng.integers(0, size, 10_001).astype(np.int8) for size in shape]
    monkeypatch.setattr(histogram_module, "_CHUNK", 4)  # chunks of 2,100 rows, the domain's size
    assert count_codes(columns, shape).tolist() == group_by_counts(columns, shape)


def people() -> sdc.Dataset:
    table = pd.DataFrame(
        {
            "place": ["north", "south", "south", "north", "south"],
            "size": ["10", "2", "10", None, "2"],
            "score": [1.0, 2.0, 3.0, 4.0, 5.0],
        }
    )
    return sdc.load_dataset(table)


def test_cells_are_in_order_with_words_and_counts() -> None:
    """Values in natural order (2 before 10), what is missing last, last feature fastest."""
    cells = people().histogram(["place", "size"]).cells()
    assert list(cells.columns) == ["place", "size", "count"]
    assert [tuple(row) for row in cells.itertuples(index=False)] == [
        ("north", "2", 0), ("north", "10", 1), ("north", "missing", 1),
        ("south", "2", 2), ("south", "10", 1), ("south", "missing", 0),
    ]


def test_features_in_another_order_give_the_same_table_turned() -> None:
    straight = people().histogram(["place", "size"])
    turned = people().histogram(["size", "place"])
    assert straight.domain.shape == (2, 3) and turned.domain.shape == (3, 2)
    np.testing.assert_array_equal(
        straight.counts.reshape(2, 3), turned.counts.reshape(3, 2).T
    )
    assert straight.total == turned.total == 5
    assert straight.domain.names == ("place", "size")


def test_cells_are_described_in_words() -> None:
    described = people().histogram(["place", "size"]).describe_cells([0, 5, 2])
    assert described == ["north, 2", "south, missing", "north, missing"]


def test_a_column_named_count_is_not_lost() -> None:
    """A user's own column may be called count; the table of cells must still show it."""
    table = pd.DataFrame({"count": ["low", "high", "low"], "sex": ["f", "m", "m"]})
    cells = sdc.load_dataset(table).histogram(["count", "sex"]).cells()
    assert cells.shape == (4, 3)
    assert {"low", "high"} in [set(cells[column].astype(str)) for column in cells.columns]


def test_equal_words_for_two_values_stay_apart() -> None:
    """The word 'missing' as a value, beside values that are missing."""
    table = pd.DataFrame({"a": ["missing", None, "x", "x"], "b": ["p", "q", "p", "q"]})
    cells = sdc.load_dataset(table).histogram(["a"]).cells()
    assert cells["count"].tolist() == [1, 2, 1] and cells["a"].nunique() == 3


def test_dictionary_domain_has_the_values_that_do_not_occur() -> None:
    words = {"1": "one", "2": "two", "3": "three"}
    data = people().with_columns([Column("size", "Size", values=words)])
    observed = data.histogram(["size"], domain="observed")
    assert observed.domain.features[0].values == ("2", "10", "")
    assert observed.domain.read_off == ("size",)
    declared = data.histogram(["size"])
    assert declared.domain.read_off == ("size",)  # 10, and that somebody's is missing, are its own
    assert declared.domain.features[0].values == ("1", "2", "3", "10", "")
    assert declared.domain.features[0].labels == ("one", "two", "three", "10", "missing")
    assert declared.counts.tolist() == [0, 2, 0, 2, 1]


@pytest.mark.parametrize(
    ("features", "domain", "words"),
    [([], "observed", "at least one feature"), (["place", "place"], "observed", "named twice"),
     (["place"], "all", "domain must be observed or dictionary, got 'all'"),
     (["height"], "observed", "no column 'height'. It has: place, size, score")],
)
def test_impossible_requests_are_refused(features: list[str], domain: Any, words: str) -> None:
    with pytest.raises(sdc.InputError, match=words):
        people().histogram(features, domain)


def test_too_many_cells_are_refused_with_the_names_of_the_widest_features() -> None:
    widths = {"wide": 900, "wider": 1000, "narrow": 2, "middle": 20}
    features = tuple(
        sdc.Feature(name, name, tuple(map(str, range(n))), tuple(map(str, range(n))))
        for name, n in widths.items()
    )
    assert math.prod(widths.values()) > MAX_CELLS
    with pytest.raises(sdc.InputError) as caught:
        sdc.Domain(features)
    text = str(caught.value)
    assert "36,000,000" in text and f"{MAX_CELLS:,}" in text
    assert "wider (1000 values) or wide (900 values)" in text and "narrow" not in text


def test_histogram_checks_its_shape_and_cannot_be_changed() -> None:
    domain = sdc.Histogram.from_counts([1, 2, 3]).domain
    with pytest.raises(sdc.InputError, match="3 cells"):
        sdc.Histogram(np.array([1, 2]), domain)
    histogram = sdc.Histogram.from_counts([1, 2, 3])
    with pytest.raises(ValueError, match="read-only"):
        histogram.counts[0] = 9


@pytest.mark.parametrize(
    "bad",
    [[], [[1, 2], [3, 4]], [[1], [1, 2]], [1.5], [-1], [math.nan], [math.inf], [1e300], [2**63],
     [1j], ["a"], [None], "123", [True]],
    ids=repr,
)
def test_what_is_not_a_list_of_counts_is_refused_in_one_sentence(bad: Any) -> None:
    with pytest.raises(sdc.InputError) as caught:
        as_counts(bad)
    assert "counts must" in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("good", [[0, 1, 4], (0, 1, 4), np.array([0.0, 1.0, 4.0]), range(0, 5, 2)])
def test_whole_numbers_of_any_kind_are_counts(good: Any) -> None:
    counts = as_counts(good)
    assert counts.dtype == np.int64 and counts.tolist() == [int(v) for v in good]


def test_a_histogram_is_its_own_counts() -> None:
    histogram = sdc.Histogram.from_counts(iter([3, 0]))
    assert as_counts(histogram) is histogram.counts
    assert len(histogram) == 2 and histogram.total == 3


def test_labels_that_are_alike_are_told_apart() -> None:
    """Also where a label looks like the second of another one already."""
    assert distinct(["a", "b"]) == ("a", "b")
    assert distinct(["a", "a", "a (2)", "a"]) == ("a", "a (3)", "a (2)", "a (4)")
    feature = sdc.Feature("f", "count", ("1", "2", "3"), ("x", "x", "x (2)"))
    cells = sdc.Histogram(np.array([1, 2, 3]), sdc.Domain((feature,))).cells()
    assert cells.iloc[:, 0].nunique() == 3 and list(cells) == ["count (2)", "count"]

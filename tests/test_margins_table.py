"""Tables with margins: axes, totals and sums say what a reader would add up by hand."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.margins.table import Axis, MarginTable, with_totals

# a state of two counties, the first of two towns, the second of three
PLACES = Axis("place", "Place", ("all", "A", "a1", "a2", "B", "b1", "b2", "b3"),
              ("Total", "A", "a1", "a2", "B", "b1", "b2", "b3"), (-1, 0, 1, 1, 0, 4, 4, 4))
SEX = Axis.flat("sex", "Sex", ("f", "m"), ("women", "men"))


def by_hand(axes: tuple[Axis, ...], inner: np.ndarray) -> np.ndarray:
    """All numbers by going through every pair of cell and inner cell, up the parents."""
    def held(axis: Axis, leaf: int) -> set[int]:
        found, code = set(), leaf
        while code >= 0:
            found.add(code)
            code = axis.parents[code]
        return found

    shape = tuple(len(a) for a in axes)
    values = np.zeros(shape)
    leaves = [[i for i in range(len(a)) if i not in a.parents] for a in axes]
    for number, place in zip(inner, itertools.product(*leaves), strict=True):
        for codes in itertools.product(*(held(a, p) for a, p in zip(axes, place, strict=True))):
            values[codes] += number
    return values.ravel()


def test_a_table_adds_up_as_by_hand() -> None:
    inner = np.arange(1, 11, dtype=float) ** 2
    table = MarginTable.of_leaves((PLACES, SEX), inner)
    assert table.values.tolist() == by_hand((PLACES, SEX), inner).tolist()
    assert table.values[table.inner].tolist() == inner.tolist()
    assert table.is_total.sum() == 24 - 10
    assert table.name(0) == "the total" and table.name(3 * 2 + 1) == "a1, women"
    assert table.codes(23) == ("b3", "m")


@pytest.mark.parametrize("seed", range(8))
def test_many_tables_add_up_at_once(seed: int) -> None:
    rng = np.random.default_rng(seed)
    axes = (SEX, PLACES, Axis.flat("x", "X", "abc", "abc"))[: 1 + seed % 3]
    inner = rng.integers(0, 9, (4, int(np.prod([len(a.leaves) for a in axes])))).astype(float)
    found = with_totals(axes, inner)
    assert found.tolist() == [by_hand(axes, one).tolist() for one in inner]
    table = MarginTable.of_leaves(axes, inner[0])
    # every sum: as many as totals along each axis, and each is broken by changing any of its cells
    number = sum(len(a.parts) * len(table) // len(a) for a in axes)
    assert table.sums.shape == (number, len(table)) and not (table.sums @ table.values).any()
    for row in table.sums.toarray():
        assert (row == 1).sum() == 1 and (row == -1).sum() >= 2
    # nothing else holds of all tables: the sums leave as much free as there are inner cells
    rank = np.linalg.matrix_rank(table.sums.toarray())
    assert rank == len(table) - len(table.inner)


def test_counts_of_people_are_a_table() -> None:
    table = MarginTable.of_counts(Histogram.from_counts([3, 0, 5]))
    assert table.values.tolist() == [8, 3, 0, 5] and table.contributors.tolist() == [8, 3, 0, 5]
    assert table.counts_people


def test_sums_of_records_with_the_largest_of_each_cell() -> None:
    rng = np.random.default_rng(5)
    places = [rng.integers(0, 5, 60), rng.integers(0, 2, 60)]
    amounts = rng.integers(1, 1000, 60).astype(float)
    table = MarginTable.of_sums((PLACES, SEX), places, amounts, "income", most=2)
    assert table.largest is not None
    for cell in range(len(table)):
        row, column = np.unravel_index(cell, table.shape)
        inside = PLACES.holds[row][places[0]] & SEX.holds[column][places[1]]
        own = sorted(amounts[inside], reverse=True)
        assert table.values[cell] == sum(own) and table.contributors[cell] == len(own)
        assert table.largest[cell].tolist() == [*own, 0, 0][:2]


@pytest.mark.parametrize(("codes", "parents", "says"), [
    (("t", "a", "a"), (-1, 0, 0), "has the code 'a' twice"),
    (("t", "a", "b"), (-1, 0, 2), "no single total"),
    (("t", "a", "b"), (-1, -1, 0), "no single total"),
    (("t", "a"), (-1, 0), "one part alone"),
])
def test_an_axis_that_makes_no_sense(
    codes: tuple[str, ...], parents: tuple[int, ...], says: str
) -> None:
    with pytest.raises(InputError, match=says) as error:
        Axis("x", "Region", codes, codes, parents)
    assert str(error.value).endswith(".") and "Region" in str(error.value)


def test_numbers_that_do_not_add_up_or_are_missing() -> None:
    good = MarginTable.of_leaves((SEX,), [3, 4])
    with pytest.raises(InputError, match="the total is 8, its parts are 7 together"):
        good.replace_values(np.array([8.0, 3, 4]))
    with pytest.raises(InputError, match="women has no number"):
        good.replace_values(np.array([7.0, np.nan, 4]))
    with pytest.raises(InputError, match="needs 3 numbers"):
        good.replace_values(np.array([7.0, 3]))
    with pytest.raises(InputError, match="has 2 inner cells, got 3"):
        MarginTable.of_leaves((SEX,), [1, 2, 3])
    wide = Axis.flat("w", "Wide", [str(i) for i in range(500)], [str(i) for i in range(500)])
    with pytest.raises(InputError, match="251,001 numbers; the limit is 200,000"):
        MarginTable.of_leaves((wide, wide), np.zeros(250_000))

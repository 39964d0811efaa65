"""The file of published numbers: whole, printed as in the papers, and the only place they stand."""

from __future__ import annotations

from collections import Counter

import pytest

from sdc_core.papers import Entry, Ours, Verdict, judged, published
from sdc_core.papers.record import good


def entry(printed: str, truncated: bool = False) -> Entry:
    return Entry("P0", "table1", "a row", "l1_bias", printed, truncated, "ma2019")


@pytest.mark.parametrize(("printed", "truncated", "ours", "same"), [
    ("3.65", False, 3.6549, True), ("3.65", False, 3.6451, True), ("3.65", False, 3.6551, False),
    ("3.65", False, 3.6449, False), ("3.65", True, 3.6599, True), ("3.65", True, 3.6501, True),
    ("3.65", True, 3.6499, False), ("3.65", True, 3.6601, False), ("0.90", False, 0.904, True),
    ("0.90", False, 0.91, False), ("-1.2", True, -1.25, True), ("-1.2", True, 1.25, False),
    ("745", False, 745.4, True), ("745", False, 745.6, False), ("2", False, float("nan"), False),
])
def test_a_number_is_compared_to_the_digits_that_are_printed(
    printed: str, truncated: bool, ours: float, same: bool
) -> None:
    assert entry(printed, truncated).is_printed_as(ours) is same


def test_the_file_has_every_cell_of_the_tables_once() -> None:
    """Sizes of the tables as the papers have them: rows times columns."""
    number = Counter((one.paper, one.item) for one in published())
    assert number["P0", "table1"] == 4 * 4 * 4  # methods, ε, columns
    for table in ("table1", "table2", "table3"):
        assert number["P1", table] == 5 * 4 * 3
    assert number["P3", "table4"] == 15 * 6  # fourteen counties and their sum
    assert number["P4", "table2"] == 5 * 10
    places = Counter((one.paper, one.item, one.row, one.column) for one in published())
    assert set(places.values()) == {1}
    assert all(one.last_digit <= 1 or one.printed.isdigit() for one in published())


def test_counties_add_up_as_printed() -> None:
    """A slip in any of ninety numbers would show in a sum."""
    counties = published("P3", "table4")
    for column in {one.column for one in counties}:
        *parts, total = [one.value for one in counties if one.column == column]
        if total == round(total) and "%" not in column and "percent" not in column:
            assert sum(parts) == total, column


def test_what_is_no_result_is_not_counted_but_may_differ() -> None:
    """Data, settings and sums that come out again are no merit; one that does not is a fault."""
    given = [Entry("P0", "table1", row, "b", "5", False, "ma2019", given="a count of the census")
             for row in ("as printed", "not as printed", "not made")]
    result = entry("3.65")
    found = judged([*given, result], [
        Ours("as printed", "b", 5.2), Ours("not as printed", "b", 7.0),
        Ours("a row", "l1_bias", 3.652)])
    assert [one.verdict for one in found] == [
        Verdict.GIVEN, Verdict.DIFFERS, Verdict.GIVEN, Verdict.MATCH]
    assert good(found) == (1, 2)
    kinds = Counter(bool(one.given) for one in published())
    assert kinds[True] == 50 + 45 + 12 + 12 + 1 + 6 + 2 + 2 + 62  # P4 Tables 2, 3; P3's inputs

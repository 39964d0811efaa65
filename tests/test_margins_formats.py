"""Tables with totals as files: CSV as it is published, and the problem file of other programs.

Proven here: what is written is read back as it was, hierarchies and hostile labels included; no
hidden number is in the file; a spreadsheet runs nothing in it; whatever is missing, twice, off or
too large is one sentence that names it; a problem file is, line by line, as sdcTable's source
writes one for a table worked out by hand, and is read back in both spellings that are in use.
"""

from __future__ import annotations

import csv
import io
import math
from pathlib import Path

import numpy as np
import pytest

import sdc_core as sdc
from sdc_core.margins import formats, jj
from sdc_core.margins.attack import Known
from sdc_core.margins.formats import from_csv, read_csv, to_csv
from sdc_core.margins.jj import Problem, from_jj, read_jj, to_jj
from sdc_core.margins.rules import Sensitive, Threshold
from sdc_core.margins.table import Axis, MarginTable

SEX = Axis.flat("sex", "Sex", ["f", "m"], ["women", "men"])
# in the order of a tree that is walked down, with labels that a spreadsheet would run, that are the
# total's, that are there twice, or empty
PLACE = Axis(
    "place", "Place", ("t", "A", "a", "b", "B", "c", "d", "e", "g"),
    ("Total", "North", "=1+1", "-x", "South, \"old\"", "Salem", "Salem", "Total", ""),
    (-1, 0, 1, 1, 0, 4, 4, 4, 4))
INNER = [20.0, 30, 1, 4, 9, 9, 12, 2, 0, 40, 7, 8]


def table() -> MarginTable:
    return MarginTable.of_leaves((PLACE, SEX), INNER)


def lines_of(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


def test_a_whole_table_is_read_back_as_it_was() -> None:
    given = table()
    found = from_csv(to_csv(given)).table()
    np.testing.assert_array_equal(found.values, given.values)
    np.testing.assert_array_equal(found.contributors, given.contributors)
    assert [a.parents for a in found.axes] == [a.parents for a in given.axes]
    assert found.axes[0].codes[1:3] == ("North", "=1+1") and found.what == "people"
    assert from_csv(to_csv(found)).axes == found.axes


def test_sums_of_money_keep_their_contributors_and_every_digit() -> None:
    values = [0.1, 1 / 3, -2.5, 1e9 + 0.25]
    given = MarginTable.of_leaves((SEX, Axis.flat("job", "Job", "xy", "xy")), values, [1, 2, 3, 4],
                                  "=euros")
    found = from_csv(to_csv(given)).table()
    np.testing.assert_array_equal(found.values, given.values)
    np.testing.assert_array_equal(found.contributors, given.contributors)
    assert found.what == "=euros"


def test_tables_of_one_variable_and_of_single_codes() -> None:
    one = Axis.flat("o", "Only", ["x"], ["x"])
    for axes, inner in (((SEX,), [1.0, 2.0]), ((one,), [3.0]), ((one, SEX), [4.0, 5.0])):
        given = MarginTable.of_leaves(axes, inner)
        np.testing.assert_array_equal(from_csv(to_csv(given)).table().values, given.values)


def test_what_is_hidden_is_not_in_the_file_and_says_why() -> None:
    given = table()
    sensitive = Threshold(5).sensitive(given).cells
    hidden = sensitive.copy()
    hidden[given.inner[[0, 5]]] = True
    content = to_csv(given, hidden, sensitive)
    header, *rows = lines_of(content)
    assert header == ["Place", "Place (part of)", "Sex", "people", "status"]
    for cell, row in enumerate(rows):
        shown = ["", "S"] if sensitive[cell] else ["", "H"] if hidden[cell] else [
            str(int(given.values[cell])), ""]
        assert row[3:] == shown
    found = from_csv(content)
    np.testing.assert_array_equal(found.hidden, hidden)
    np.testing.assert_array_equal(found.sensitive, sensitive)
    np.testing.assert_array_equal(found.values[~hidden], given.values[~hidden])
    assert np.isnan(found.values[hidden]).all() and (found.contributors[hidden] == 0).all()
    money = MarginTable.of_leaves((PLACE, SEX), INNER, [3] * 12, "euros")
    for row, out in zip(lines_of(to_csv(money, hidden, sensitive))[1:], hidden, strict=True):
        assert (row[3:5] == ["", ""]) is bool(out), "nor how many contributed"
    with pytest.raises(sdc.InputError, match=f"{hidden.sum()} of 27 numbers are hidden"):
        found.table()
    with pytest.raises(sdc.InputError, match="is sensitive and not hidden"):
        to_csv(given, sensitive=sensitive)


def test_nothing_in_it_runs() -> None:
    for row in lines_of(to_csv(table())):
        assert not any(cell.startswith(("=", "+", "@", "-x", "\t")) for cell in row)
    assert "'=1+1" in to_csv(table()).decode("utf-8-sig")


def changed(old: str, new: str, content: bytes | None = None) -> bytes:
    text = (content or to_csv(MarginTable.of_leaves((SEX, Axis.flat("j", "Job", "xy", "xy")),
                                                    [1.0, 2, 3, 4]))).decode("utf-8-sig")
    assert old in text
    return text.replace(old, new, 1).encode()


@pytest.mark.parametrize(("content", "says"), [
    (changed("men,y,4,\r\n", ""), "men, y is not in the file.*1 of 9 are missing"),
    (changed("Total,Total,10,\r\n", ""), "Total, Total is not in the file"),
    (changed("women,x,1,", "women,x,2,"), r"does not add up: .*off by 1\. 2 of 6 totals"),
    (changed("Total,Total,10,", "Total,Total,11,"), "Total, Total is 11"),
    (changed("men,y,4,", "women,x,4,"), "women, x is in the file twice"),
    (changed("men,y,4,", "men,y,four,"), "'four' of men, y is no number"),
    (changed("men,y,4,", "men,y,nan,"), "'nan' of men, y is no number"),
    (changed("men,y,4,", "men,y,4,S"), "men, y has the status S and a number"),
    (changed("men,y,4,", "men,y,,"), "men, y has neither a number nor a status"),
    (changed("men,y,4,", "men,y,,Q"), "The status of men, y is 'Q'"),
    (changed("men,y,4,", "men,y,4"), "Row 10 has 3 columns, the header has 4"),
    (changed("Sex,Job", "Job,Job"), "Two columns have the same name"),
    (changed("people", "euros"), "needs a column 'contributors'"),
    (b"people,status\r\n1,\r\n", "a column for at least one variable"),
    (b"", "has no rows"), (b"a,people\r\n", "has no rows"),
    (b"\xff\xfe\x00", "no CSV in UTF-8"), (b'a,people\r\n"x', "no CSV in UTF-8"),
    (b"a,people\r\nx,1\r\ny,2\r\n", "a has no rows for its total"),
    (b"a,a (part of),people\r\nTotal,,1\r\nx,z,1\r\nz,x,0\r\n", "leads to no total"),
    (b"a,a (part of),b,people\r\nTotal,,Total,1\r\nx,Total,Total,1\r\nx,y,u,1\r\n",
     "'x' of a is part of two things"),
], ids=range(21))
def test_what_is_wrong_is_one_sentence(content: bytes, says: str) -> None:
    with pytest.raises(sdc.InputError, match=says) as caught:
        from_csv(content)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 220


def test_size_is_looked_at_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(to_csv(table()))
    np.testing.assert_array_equal(read_csv(path).values, table().values)
    for module in (formats, jj):
        monkeypatch.setattr(module, "MOST_BYTES", 100)
    for read in (read_csv, read_jj):
        with pytest.raises(sdc.InputError, match=r"cannot be read: it is too large"):
            read(path)
        with pytest.raises(sdc.InputError, match="cannot be read"):
            read(tmp_path / "none")
    with pytest.raises(sdc.InputError, match="larger than"):
        from_csv(to_csv(table()))


def test_codes_that_cannot_be_told_apart_are_refused() -> None:
    axis = Axis("a", "A", ("t", "x", "y", "z"), ("Total", "n", "n", "n (x)"), (-1, 0, 0, 0))
    with pytest.raises(sdc.InputError, match=r"A has 'n \(x\)' twice"):
        to_csv(MarginTable.of_leaves((axis,), [1.0, 2.0, 3.0]))


# ---- the problem file -------------------------------------------------------------------------

# A total of 12 with parts 1, 4 and 7, the first sensitive: protected if it can be 2 more and the
# interval is 3 wide. sdcTable's `createJJFormat` and `writeJJFormat` give 0, the number of cells, a
# line each, the number of sums, and `0.0 n : place(factor) ...`.
BY_HAND = """0
4
0 12 12 s 0 240 0 0 0
1 1 1 u 0 240 0 2 3
2 4 4 s 0 240 0 0 0
3 7 7 s 0 240 0 0 0
1
0 4 : 0 (1) 1 (-1) 2 (-1) 3 (-1)
"""


def by_hand() -> tuple[MarginTable, Sensitive]:
    given = MarginTable.of_leaves((Axis.flat("a", "A", "xyz", "xyz"),), [1.0, 4.0, 7.0])
    cells = np.array([False, True, False, False])
    return given, Sensitive(cells, np.zeros(4), 2.0 * cells, 3.0 * cells)


def test_a_problem_is_written_as_other_programs_read_it() -> None:
    given, sensitive = by_hand()
    assert to_jj(Problem.of(given, sensitive)) == BY_HAND


@pytest.mark.parametrize("text", [
    BY_HAND, BY_HAND.replace(" (", "("), BY_HAND.replace("\n0 4 :", "\n0.0 4 :"),
    BY_HAND.replace("\n", "\r\n"), BY_HAND + "\n\n",
], ids=["ours", "sdcTable's", "0.0", "line ends", "empty lines"])
def test_a_problem_is_read_back_in_every_spelling(text: str) -> None:
    given, sensitive = by_hand()
    found = from_jj(text)
    np.testing.assert_array_equal(found.values, given.values)
    np.testing.assert_array_equal(found.weights, given.values)
    np.testing.assert_array_equal(found.sums.toarray(), given.sums.toarray())
    np.testing.assert_array_equal(found.sensitive.cells, sensitive.cells)
    np.testing.assert_array_equal(found.sensitive.above, sensitive.above)
    np.testing.assert_array_equal(found.sensitive.wide, sensitive.wide)
    assert not found.must_show.any() and set(found.low) == {0} and set(found.high) == {240}


def test_a_table_with_everything_is_read_back() -> None:
    given = table()
    sensitive = Threshold(5).sensitive(given)
    problem = Problem.of(given, sensitive, known=Known(-3.0, 500.0))
    np.testing.assert_array_equal(problem.must_show, given.values == 0)
    found = from_jj(to_jj(problem))
    for name in ("values", "weights", "must_show", "low", "high", "right"):
        np.testing.assert_array_equal(getattr(found, name), getattr(problem, name))
    np.testing.assert_array_equal(found.sums.toarray(), given.sums.toarray())
    np.testing.assert_array_equal(found.sensitive.wide, sensitive.wide)
    assert to_jj(found) == to_jj(problem)
    halves = MarginTable.of_leaves((SEX,), [0.1, 1 / 3], [1, 1], "tons")
    again = from_jj(to_jj(Problem.of(halves, Sensitive.none(halves))))
    np.testing.assert_array_equal(again.values, halves.values)
    assert (again.weights == np.round(again.weights)).all() and again.weights.min() >= 1


@pytest.mark.parametrize(("old", "new", "says"), [
    ("0\n4\n", "1\n4\n", "no file in the JJ format"), ("0\n4\n", "0\nfour\n", "how many cells"),
    ("0\n4\n", "0\n999999999999999\n", "how many cells"),
    ("0\n4\n", "0\n5\n", "how many sums there are|is no cell"),
    ("0\n4\n", "0\n50\n", "ends before its 50 cells"),
    ("3 7 7 s", "4 7 7 s", "Line 6 should be cell 3"), ("3 7 7 s", "3 7 7 q", "Line 6 is no cell"),
    ("3 7 7 s", "3 seven 7 s", "Line 6 has something that is no number"),
    ("3 7 7 s", "3 inf 7 s", "finite"), ("3 7 7 s", "3 8 7 s", "line 8 is off by 1"),
    ("\n1\n", "\n2\n", "says 2 sums and has 1"), ("0 4 :", "0 3 :", "Line 8 is no sum"),
    ("3 (-1)", "9 (-1)", "Line 8 names a cell"), ("3 (-1)", "3 (-1) x", "Line 8 is no sum"),
    ("0 4 :", "nan 4 :", "Line 8 names a cell|finite"),
])
def test_a_wrong_problem_file_is_one_sentence(old: str, new: str, says: str) -> None:
    assert old in BY_HAND
    with pytest.raises(sdc.InputError, match=says) as caught:
        from_jj(BY_HAND.replace(old, new, 1))
    assert "\n" not in str(caught.value)


def test_a_problem_file_is_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "problem.jj"
    path.write_text(BY_HAND)
    assert len(read_jj(path)) == 4 and math.isclose(read_jj(path).values.sum(), 24)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(sdc.InputError, match="which is plain text"):
        read_jj(path)

"""`protect`: a table with totals in, the table as it can be published out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdc_core.cli import main
from sdc_core.margins.formats import read_csv
from sdc_core.margins.jj import read_jj

# Two towns by two tenures. 3 is small; its row and its column give it away, so a square of four is
# hidden. No zero is hidden, so each of the four is at least 1, and 3 can be 1 to 9.
TABLE = """town,tenure,people
Total,Total,60
Total,owning,33
Total,renting,27
Ash,Total,10
Ash,owning,3
Ash,renting,7
Birch,Total,50
Birch,owning,30
Birch,renting,20
"""


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["protect", *arguments, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def given(tmp_path: Path, text: str = TABLE) -> str:
    (tmp_path / "table.csv").write_text(text)
    return str(tmp_path / "table.csv")


def test_a_small_number_takes_a_square(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = asked(capsys, given(tmp_path), "--k", "6")
    assert (found["sensitive"], found["hidden_further"], found["protected"]) == (1, 3, 1)
    assert found["method"] == "optimal" and found["hidden_weight"] == 3 + 7 + 30 + 20
    assert found["computed_back_without_further"] == 1
    assert found["protected_without_further"] == 0
    ranges = {one["cell"]: (one["at_least"], one["at_most"]) for one in found["hidden"]}
    assert ranges == {"Ash, owning": (1, 9), "Ash, renting": (1, 9),
                      "Birch, owning": (24, 32), "Birch, renting": (18, 26)}
    assert [one["cell"] for one in found["hidden"] if one["sensitive"]] == ["Ash, owning"]


def test_what_is_written_is_what_can_be_published_and_the_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, problem = tmp_path / "out.csv", tmp_path / "out.jj"
    asked(capsys, given(tmp_path), "--out", str(out), "--jj", str(problem))
    published = read_csv(out)
    assert published.sensitive.sum() == 0 and published.hidden.sum() == 4  # one sign for all
    assert np.isnan(published.values[published.hidden]).all()
    assert "30" not in out.read_text() and "60" in out.read_text()
    back = read_jj(problem)
    assert back.values.tolist() == [60, 33, 27, 10, 3, 7, 50, 30, 20]
    assert back.sensitive.cells.nonzero()[0].tolist() == [4] and set(back.low) == {1}


def test_a_data_set_is_counted_with_its_totals(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "--dataset", "ma2019-twin", "--features", "RAC1P,SEX", "--k", "20")
    assert found["numbers"] == 10 * 3 and found["sensitive"] > 0
    assert found["protected"] == found["sensitive"] and found["rule"].endswith("20 contributors")
    assert all(one["at_most"] - one["at_least"] >= 20 for one in found["hidden"]
               if one["sensitive"])


def test_without_further_ones_a_reader_still_sees_that_no_zero_is_hidden(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """3 and 3 of 15, beside 9: each from 1 to 5, four wide, and not from 0 to 6."""
    found = asked(capsys, given(tmp_path, "town,people\nTotal,15\nAsh,3\nElm,3\nOak,9\n"))
    assert (found["sensitive"], found["protected_without_further"], found["protected"]) == (2, 0, 2)


def test_groups_of_values_have_subtotals(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, "--dataset", "ma2019-twin", "--features", "RAC1P,SEX", "--k", "20",
                  "--hierarchies", "RAC1P: 1 | 2 | Other = 3, 4, 5, 6, 7, 8, 9")
    assert found["numbers"] == (1 + 2 + 1 + 7) * 3 and found["protected"] == found["sensitive"] > 0


def test_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["protect", given(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "Ash, owning: 1 to 9, says too much" in said
    assert "Birch, renting: 18 to 26, protects others" in said


@pytest.mark.parametrize(("text", "more", "said"), [
    (TABLE, ["--k", "0"], "k must be at least 1"),
    (TABLE, ["--seconds", "nan"], "seconds must be above 0"),
    (TABLE, ["--dataset", "ma2019-twin"], "and not both"),
    (TABLE, ["--hierarchies", "town: A = Ash, Birch"], "for a data set"),
    (TABLE.replace("Ash,Total,10", "Ash,Total,11"), [], "does not add up"),
    (TABLE.replace("Ash,Total,10\n", ""), [], "Ash"),
    (TABLE.replace(",30\n", ",\n"), [], "neither a number nor a status"),
    (TABLE, ["--out", "/nowhere/out.csv"], "cannot be written"),
    ("", [], "error: "),
])
def test_what_cannot_be_done_is_one_sentence(
    text: str, more: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["protect", given(tmp_path, text), *more]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("\n") == 1 and said in told.err


def test_neither_file_nor_data_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["protect"]) == 2
    assert "a CSV file with totals, or --dataset" in capsys.readouterr().err

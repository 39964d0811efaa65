"""Records that stay where they are: counted in place, released part by part, refused in a sentence.

What a database counts is compared with the same records in memory; what becomes of records with the
mechanism's own law; what goes wrong with one sentence and nothing left behind.
"""

from __future__ import annotations

import datetime
import itertools
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from scipy.stats import chi2

import sdc_core as sdc
from sdc_core.cli import main
from sdc_core.data import population
from sdc_core.data.large import LargeDataset, load_large
from sdc_core.data.population import write_population
from sdc_core.engines import Engine, source_of, statements
from sdc_core.mechanisms.record_moves import OUT, RecordMoves
from sdc_core.people import as_records
from sdc_core.release import intervals
from sdc_core.release.at_scale import Progress, _check_numbers, progress_words, write_folder
from tests.crowds import DRAWN_ANEW, METHODS, QI, counted, people, released, write
from tests.page_driver import answer, opened

ROOT = Path(__file__).resolve().parents[1]
OF = ("town", "sex", "job", "age")


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> str:
    """5,000 people in three files, and the pattern that means them."""
    folder = tmp_path_factory.mktemp("crowd")
    return write(folder, [people(2000, 1), people(2500, 2, 2000), people(500, 3, 4500)])


@pytest.fixture(scope="module")
def twin_crowd(tmp_path_factory: pytest.TempPathFactory) -> str:
    """20,000 records like a twin's in four files, with a schema beside them."""
    like = sdc.load_dataset("ma2019-twin")
    return str(write_population(like, 20_000, tmp_path_factory.mktemp("twin") / "town", files=4))


def large(source: str, **options: Any) -> LargeDataset:
    found = sdc.load_dataset(source, **options)
    assert isinstance(found, LargeDataset)
    return found


def as_counter(counts: Any, domain: Any) -> Counter[tuple[str, ...]]:
    return Counter(as_records(counts, domain).itertuples(index=False, name=None))


def in_memory(pattern: str) -> pd.DataFrame:
    return pd.concat([pd.read_parquet(path) for path in source_of(pattern).files])


# ---- counting ------------------------------------------------------------------------------------


def test_counts_are_those_of_the_same_records_in_memory(crowd: str) -> None:
    here = sdc.load_dataset(in_memory(crowd))
    there = large(crowd, schema=here.schema.to_dict())
    for features in (["town", "sex"], ["sex", "job"], ["town", "sex", "job", "age"], ["age"]):
        expected, found = here.histogram(features), there.histogram(features)
        assert found.domain == expected.domain, features
        assert found.counts.tolist() == expected.counts.tolist(), features
    assert len(there) == 5000 and f"{5000:,} records" in there.title


@pytest.mark.parametrize("kind", ["csv", "duckdb", "one file", "folder"])
def test_every_kind_of_source_counts_the_same(crowd: str, tmp_path: Path, kind: str) -> None:
    frame, options = in_memory(crowd), {}
    if kind == "csv":
        source = write(tmp_path / "csv", [people(2000, 1), people(2500, 2, 2000),
                                          people(500, 3, 4500)], "csv")
    elif kind == "duckdb":
        import duckdb

        source, options = str(tmp_path / "store.duckdb"), {"table": "people"}
        with duckdb.connect(source) as connection:
            connection.execute("CREATE TABLE people AS FROM frame")
            connection.execute("CREATE TABLE other AS SELECT 1 AS a, 2 AS b")
    elif kind == "one file":
        source, options = str(tmp_path / "all.parquet"), {"engine": "duckdb"}
        frame.to_parquet(source)
    else:
        source = str(Path(crowd).parent)
    schema = sdc.load_dataset(frame).schema
    found = large(source, schema=schema.to_dict(), **options).histogram(OF)
    expected = sdc.load_dataset(frame).histogram(OF)
    assert found.counts.tolist() == expected.counts.tolist()


def test_numbers_are_cut_where_the_schema_says_and_gaps_are_a_level(tmp_path: Path) -> None:
    """At an edge, at a missing code, not a number, endless, nothing; as numbers and as texts."""
    numbers = [17.0, 18.0, 17.9999, 64.9, 65.0, -9.0, float("nan"), float("inf"), None, -1e300]
    texts = ["17", "18", "17.9999", " 64.9 ", "65", "-9", "n/a", "", None, "-1e300"]
    schema = {"columns": [
        {"name": "age", "type": "number", "edges": [18, 65], "missing": ["-9", "n/a", ""],
         "may_be_missing": True},
        {"name": "sex", "values": ["f"]},
    ]}
    expected = [3, 2, 1, 4]  # under 18: 17, 17.9999, -1e300; 18 and 64.9; 65; four gaps
    pattern = write(tmp_path / "numbers", [{"age": numbers, "sex": ["f"] * 10}])
    assert large(pattern, schema=schema).histogram(["age"]).counts.tolist() == expected
    pattern = write(tmp_path / "texts", [{"age": texts, "sex": ["f"] * 10}])
    assert large(pattern, schema=schema).histogram(["age"]).counts.tolist() == expected
    frame = pd.DataFrame({"age": texts, "sex": "f"})
    assert sdc.load_dataset(frame, schema=schema).histogram(["age"]).counts.tolist() == expected


def test_a_number_that_means_missing_may_lie_anywhere(tmp_path: Path) -> None:
    """Also just below an edge, where a bin is written as a number that lies in it."""
    for code, expected in (("17", [2, 1, 1]), ("18", [2, 1, 1]), ("64", [2, 1, 1])):
        ages = [10.0, 12.0, 30.0, float(code)]
        schema = {"columns": [{"name": "age", "type": "number", "edges": [18], "missing": [code],
                               "may_be_missing": True}, {"name": "sex"}]}
        pattern = write(tmp_path / code, [{"age": ages, "sex": ["f"] * 4}])
        assert large(pattern, schema=schema).histogram(["age"]).counts.tolist() == expected


def test_dates_and_decimal_commas(tmp_path: Path) -> None:
    days = [datetime.date(1949, 12, 31), datetime.date(1950, 1, 1), datetime.date(1979, 12, 31),
            datetime.date(1980, 1, 1), None]
    schema = {"columns": [
        {"name": "born", "type": "date", "edges": ["1950-01-01", "1980-01-01"],
         "may_be_missing": True},
        {"name": "pay", "type": "number", "edges": [2.5], "decimal": ",", "may_be_missing": True},
    ]}
    pay = ["2,4", "2,5", "2,6", None, "10,0"]
    for kind in ("dates", "texts"):
        born = days if kind == "dates" else [d and d.isoformat() for d in days]
        found = large(write(tmp_path / kind, [{"born": born, "pay": pay}]), schema=schema)
        assert found.histogram(["born"]).counts.tolist() == [1, 2, 1, 1]
        assert found.histogram(["pay"]).counts.tolist() == [1, 3, 1]


def test_weights_are_those_of_the_same_records_in_memory(tmp_path: Path) -> None:
    columns = {**people(600, 4), "WEIGHT": (np.arange(600) % 7 + 0.5).tolist()}
    schema = {"columns": [
        {"name": "town", "values": ["north", "south", "west"]},
        {"name": "sex", "values": ["f", "m"]},
        {"name": "WEIGHT", "role": "weight", "type": "number", "edges": [3]},
    ]}
    frame = pd.DataFrame(columns)[["town", "sex", "WEIGHT"]]
    here, there = sdc.load_dataset(frame, schema=schema), large(
        write(tmp_path / "w", [frame.to_dict("list")]), schema=schema)
    one, other = (d.histogram(["town", "sex"], represented=True) for d in (here, there))
    assert one.weights is not None and other.weights is not None
    assert other.weights.people == pytest.approx(one.weights.people)
    assert (other.weights.mean, other.weights.largest) == pytest.approx(
        (one.weights.mean, one.weights.largest))
    bad = {**frame.to_dict("list"), "WEIGHT": [1.0] * 599 + [None]}
    lacking = large(write(tmp_path / "v", [bad]), schema=schema)
    with pytest.raises(sdc.InputError, match="WEIGHT must be a number of at least 0"):
        lacking.histogram(["town", "sex"], represented=True)


def test_counts_are_kept_on_disk_until_a_file_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDC_COUNTS", str(tmp_path / "kept"))
    pattern = write(tmp_path / "files", [people(50, 1), people(50, 2)])
    schema = sdc.load_dataset(in_memory(pattern)).schema.to_dict()
    first = large(pattern, schema=schema).histogram(["town", "sex"])
    again = large(pattern, schema=schema)
    monkeypatch.setattr(type(again.engine), "rows", lambda self, sql: pytest.fail(sql))
    assert again.histogram(["town", "sex"]).counts.tolist() == first.counts.tolist()
    monkeypatch.undo()
    monkeypatch.setenv("SDC_COUNTS", str(tmp_path / "kept"))
    assert (tmp_path / "kept").stat().st_mode & 0o077 == 0
    write(tmp_path / "files", [people(50, 1), people(51, 2)])
    assert large(pattern, schema=schema).histogram(["town", "sex"]).total == 101
    monkeypatch.setenv("SDC_COUNTS", "off")
    kept = len(list((tmp_path / "kept").iterdir()))
    large(pattern, schema=schema).histogram(["sex", "town"])
    assert len(list((tmp_path / "kept").iterdir())) == kept


def test_a_damaged_kept_count_is_counted_anew(
    crowd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDC_COUNTS", str(tmp_path))
    right = large(crowd).histogram(["town", "sex"]).counts.tolist()
    for path in tmp_path.glob("*.arrow"):
        path.write_bytes(path.read_bytes()[:100])
    assert large(crowd).histogram(["town", "sex"]).counts.tolist() == right


def test_every_question_about_counts_answers_and_says_how_many_records(twin_crowd: str) -> None:
    data = large(twin_crowd)
    for asked in ("compare", "map", "protected", "undo", "your_data"):
        found = sdc.ask(asked, sdc.Study(data))
        assert "20,000" in f"{found.headline} {found.provenance.dataset.title}", asked
    columns = next(panel for panel in found.panels if panel.name == "columns")
    assert "put it beside the records" in columns.caption and "click" not in columns.caption
    assert found.headline.startswith("Town, 4 files has 20,000 records and 7 columns")
    with pytest.raises(sdc.InputError, match=r"20,000 are more than are read into memory"):
        _ = data.records


def test_a_run_file_and_the_shown_code_give_the_same_answer(
    twin_crowd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = tmp_path / "compare.run.json"
    asked = ["ask", "compare", "--dataset", twin_crowd, "--json"]
    assert main([*asked, "--save", str(saved)]) == 0
    first = sdc.ask("compare", sdc.Study(large(twin_crowd)))
    assert sdc.run(saved).headline == first.headline
    said: list[str] = []
    exec(first.code.replace("print(", "said.append("), {"said": said})  # noqa: S102
    assert str(said[0]) == str(first)


# ---- what becomes of records ---------------------------------------------------------------------


def moves_of(source: str, method: Any, seed: int = 7) -> tuple[Any, RecordMoves]:
    table = large(source).histogram(large(source).default_features)
    return table, method.record_moves(table, seed)


@pytest.mark.parametrize("name", METHODS)
def test_moves_account_for_every_record_of_every_cell(twin_crowd: str, name: str) -> None:
    table, moves = moves_of(twin_crowd, METHODS[name])
    assert (moves.shares is None) != (moves.numbers is None)
    if moves.numbers is not None:
        summed = np.bincount(moves.cells, moves.numbers, minlength=len(table))
        assert summed.tolist() == table.counts.tolist()
    else:
        summed = np.bincount(moves.cells, moves.shares, minlength=len(table))
        assert summed == pytest.approx((table.counts > 0).astype(float))
    assert (np.diff(moves.cells) >= 0).all() and moves.targets.max() < len(moves.places)


@pytest.mark.parametrize("name", METHODS)
def test_the_intervals_of_a_cell_cover_every_draw_once(twin_crowd: str, name: str) -> None:
    """Beside their definition: lengths, order, first digits, in whole numbers of Python."""
    _, moves = moves_of(twin_crowd, METHODS[name])
    if moves.shares is not None:
        ends = intervals.by_chance(moves)
    else:
        cells, places = intervals.wanted_places(moves)
        rng = np.random.default_rng(1)
        draws = np.zeros(len(cells), dtype=np.uint64)
        for cell in np.unique(cells):
            own = cells == cell
            draws[own] = np.sort(rng.integers(0, 2**63, own.sum(), dtype=np.uint64))
        ends = intervals.by_place(moves, cells, places, draws)
    texts = {statements.out(i): list(f.values) for i, f in enumerate(moves.features)}
    rows = intervals.as_table(moves, ends, texts).to_pylist()
    spans: dict[int, list[tuple[int, int]]] = {}
    for row in rows:
        texts_of = row[statements.LOW], row[statements.HIGH]
        low, high = (int(one, 16) for one in texts_of)
        assert low <= high
        assert all(len(t) == 16 and t.startswith(row[statements.HEADS]) for t in texts_of)
        spans.setdefault(row[statements.CELL], []).append((low, high))
    with_gaps = set(moves.cells[moves.targets == OUT].tolist())
    for cell, found in spans.items():
        found.sort()
        assert all(b[0] > a[1] for a, b in itertools.pairwise(found))
        if cell not in with_gaps:
            assert found[0][0] == 0 and found[-1][1] == 2**64 - 1
            assert all(b[0] == a[1] + 1 for a, b in itertools.pairwise(found))
    if moves.shares is not None:
        chance: Counter[tuple[Any, ...]] = Counter()
        for row in rows:
            key = (row[statements.CELL], *(row[one] for one in texts))
            chance[key] += int(row[statements.HIGH], 16) - int(row[statements.LOW], 16) + 1
        for cell, target, share in zip(moves.cells, moves.targets, moves.shares, strict=True):
            named = (int(cell), *(f.values[moves.places[target, i]]
                                  for i, f in enumerate(moves.features)))
            assert chance[named] / 2**64 == pytest.approx(share, abs=1e-12)


def test_draws_as_texts_stand_in_the_order_of_the_numbers() -> None:
    numbers = np.array([0, 1, 15, 16, 2**60, 2**63, 2**64 - 1], dtype=np.uint64)
    texts = intervals.as_texts(numbers).to_pylist()
    assert texts == sorted(texts) and [int(one, 16) for one in texts] == numbers.tolist()
    assert intervals.as_draws(texts).tolist() == numbers.tolist()


@pytest.mark.parametrize("name", [*METHODS, *DRAWN_ANEW])
def test_a_release_has_the_counts_that_the_method_releases(
    twin_crowd: str, tmp_path: Path, name: str
) -> None:
    """Where counts are drawn beforehand they are those of the release in memory, of the same seed.
    Where each record moves by itself, counts by what stays are the data's own."""
    data, method = large(twin_crowd), {**METHODS, **DRAWN_ANEW}[name]
    features = data.default_features
    table = data.histogram(features)
    told: list[Progress] = []
    written = write_folder(data, method, tmp_path / "out", seed=11, tell=told.append)
    found = counted(written.folder, features)
    made = method.suited_to(table).release(table, 11)
    assert told[-1].done == told[-1].of and found.total() == written.provenance["file"]["rows"]
    if hasattr(method, "published_groups"):
        groups = method.published_groups(table, 11)
        expected = Counter({
            tuple(f.values[p] for f, p in zip(groups.features, row, strict=True)): int(size)
            for row, size in zip(groups.places, groups.sizes, strict=True)})
        assert found == expected
    elif name in DRAWN_ANEW or method.record_moves(table, 11).shares is None:
        assert found == as_counter(made.counts, table.domain)
    else:
        stay = [i for i, f in enumerate(features) if f not in QI]
        kept, own = Counter[Any](), Counter[Any]()
        for rows, of in ((found, kept), (as_counter(table.counts, table.domain), own)):
            for row, number in rows.items():
                of[tuple(row[i] for i in stay)] += number
        assert kept == own
        assert found != as_counter(table.counts, table.domain)  # but somebody has moved


def test_records_that_move_by_themselves_follow_the_exact_law(tmp_path: Path) -> None:
    """Chi-square of who went where, over all patterns: agrees with the method's own chances and
    would not with a fifth more or less swapping."""
    data = large(write(tmp_path / "in", [people(8000, 5)]))
    method = sdc.mechanism("swapping", swap_rate=0.3, quasi_identifiers=("sex", "job"))
    features = ("town", "sex", "job")
    table = data.histogram(features)
    written = write_folder(data, method, tmp_path / "out", features, carried=["id"])
    before = {row["id"]: tuple(row[f] or "" for f in features) for row in
              pyarrow.parquet.read_table(tmp_path / "in" / "part-00000.parquet").to_pylist()}
    pairs = Counter((before[row[-1]], row[:-1])
                    for row in released(written.folder, (*features, "id")))

    def statistic(rate: float) -> tuple[float, int]:
        moves = method.replace(swap_rate=rate).record_moves(table, 0)
        values = [[f.values[p] for f, p in zip(moves.features, row, strict=True)]
                  for row in moves.places]
        cells = list(as_records(np.ones(len(table), np.int64), table.domain)
                     .itertuples(index=False, name=None))
        total, free = 0.0, 0
        for cell in np.unique(moves.cells):
            own = moves.cells == cell
            n = table.counts[cell]
            expected = n * moves.shares[own]
            seen = np.array([pairs[cells[cell], tuple(values[t])] for t in moves.targets[own]])
            assert seen.sum() == n
            if expected.min() >= 5:
                total += float(((seen - expected) ** 2 / expected).sum())
                free += len(seen) - 1
        return total, free

    found, free = statistic(0.3)
    assert free >= 10 and chi2.sf(found, free) > 1e-6
    for other in (0.24, 0.36):
        assert chi2.sf(*statistic(other)) < 1e-9, other


def test_who_moves_is_a_matter_of_chance_alone(tmp_path: Path) -> None:
    """Exactly so many of a pattern go, and they come from all over the files: from each of ten
    tenths of the rows about as many."""
    rows = 20_000
    data = large(write(tmp_path / "in", [
        {"id": list(range(rows)), "town": ["a", "b"] * (rows // 2), "sex": ["f"] * rows}]))
    method = sdc.mechanism("permutation-swapping", swap_rate=0.3, match=("sex",), swap=("town",))
    written = write_folder(data, method, tmp_path / "out", ("town", "sex", "pet")[:2],
                           carried=["id"])
    moved = [i for town, i in released(written.folder, ("town", "id")) if town != "ab"[i % 2]]
    tenths = np.bincount(np.array(moved) * 10 // rows, minlength=10)
    expected = len(moved) / 10
    assert chi2.sf(((tenths - expected) ** 2 / expected).sum(), 9) > 1e-6
    assert 0.1 * rows < len(moved) < 0.2 * rows  # half of those selected get the town they had


def test_another_seed_is_another_release_and_files_do_not_matter(tmp_path: Path) -> None:
    """With an id column the release does not hang on how records lie in files."""
    one, two = people(400, 1), people(400, 2, 400)
    both = {name: [*one[name], *two[name]] for name in one}
    turned = {name: list(reversed(values)) for name, values in both.items()}
    method = sdc.mechanism("swapping", quasi_identifiers=("sex",))
    schema = sdc.load_dataset(pd.DataFrame(both)).schema.to_dict()

    def release(name: str, files: list[Any], seed: int) -> list[tuple[Any, ...]]:
        data = large(write(tmp_path / name, files), schema=schema, id_column="id")
        out = write_folder(data, method, tmp_path / f"{name}-{seed}-out", ("town", "sex"), seed,
                           carried=["id"])
        return sorted(released(out.folder, ("id", "town", "sex")))

    first = release("apart", [one, two], 7)
    assert release("together", [both], 7) == first
    assert release("turned", [turned], 7) == first
    assert release("apart", [one, two], 8) != first


def test_files_of_one_name_in_several_folders_are_told_apart_by_content(tmp_path: Path) -> None:
    """Their names and rows would not do; so records are numbered over all of them at once."""
    for folder, seed in (("state=1", 1), ("state=2", 2)):
        write(tmp_path / "in" / folder, [people(200, seed)])
    data = large(str(tmp_path / "in" / "*" / "*.parquet"))
    method = sdc.mechanism("permutation-swapping", match=("sex",), swap=("town",))
    found = write_folder(data, method, tmp_path / "out", ("town", "sex", "job"), carried=["id"])
    assert found.provenance["records"]["told_apart"].startswith("each record by its values")
    table = data.histogram(("town", "sex", "job"))
    assert counted(found.folder, ("town", "sex", "job")) == as_counter(
        method.release(table, 7).counts, table.domain)


def test_rows_stand_in_the_order_of_their_draws(crowd: str, tmp_path: Path) -> None:
    """Which is that of md5, computed here: it says nothing about the order in the source."""
    import hashlib

    data = large(crowd, id_column="id")
    written = write_folder(data, METHODS["k-anonymity"].replace(quasi_identifiers=("sex",)),
                           tmp_path / "out", ("town", "sex"), 3, carried=["id"])
    for path in sorted(written.folder.glob("*.parquet")):
        ids = pyarrow.parquet.read_table(path)["id"].to_pylist()
        draws = [hashlib.md5(f"3:{i}".encode()).hexdigest() for i in ids]
        assert draws == sorted(draws) and ids != sorted(ids)


def test_the_provenance_says_what_was_done(crowd: str, tmp_path: Path) -> None:
    data = large(crowd)
    method = sdc.mechanism("swapping", quasi_identifiers=("sex",))
    found = write_folder(data, method, tmp_path / "out", ("town", "sex"), carried=["id", "age"])
    on_disk = json.loads((found.folder / "_provenance.json").read_text())
    assert on_disk == json.loads(json.dumps(found.provenance))
    assert on_disk["records"]["told_apart"].startswith("each record by the name of its file")
    assert on_disk["records"]["carried_along"] == ["id", "age"]
    assert "the columns id, age, as they stand" in on_disk["published_exactly"]
    assert "id names people" in on_disk["records"]["warning"]
    assert [one["name"] for one in on_disk["file"]["files"]] == sorted(
        path.name for path in found.folder.glob("*.parquet"))
    again = large(str(found.folder))  # the schema that lies in it is taken
    assert again.histogram(["town", "sex"]).total == 5000
    assert again.column("town").has_domain


def test_one_record_too_many_or_too_few_is_noticed() -> None:
    """As where two draws are equal at the end of an interval."""
    table = sdc.Histogram.from_counts([3, 2])
    one = np.array([0, 0, 1])
    moves = RecordMoves.of_movers(table, [(one[:1], one[2:], np.array([2]))])
    places = (np.array([0, 1]),)
    _check_numbers(moves, places, np.array([1, 4]))
    for wrong in ([2, 3], [1, 3], [0, 4]):
        with pytest.raises(sdc.InputError, match="two of them had the same draw"):
            _check_numbers(moves, places, np.array(wrong))


def test_progress_in_words() -> None:
    assert progress_words(Progress(30, 100, 10, 5)) == (
        "30 of 100 records, 4 a second, about 18 s left")
    assert "about 3 min left" in progress_words(Progress(10, 1000, 0, 1.9))


def test_columns_may_be_called_anything(tmp_path: Path) -> None:
    """Names that a database would take for something else, values with quotes."""
    odd = {'a "b"': ["it's", 'x"y', "it's"] * 20, "cell": ["1", "2", "3"] * 20,
           "select": ["p", "q"] * 30, "h": list(range(60)), "x.y": ["u", "v", "w"] * 20}
    data = large(write(tmp_path / "odd", [odd]))
    features = ['a "b"', "cell", "select", "x.y"]
    assert data.histogram(features).total == 60
    method = sdc.mechanism("swapping", quasi_identifiers=("select",))
    found = write_folder(data, method, tmp_path / "out", features, carried=["h"])
    assert Counter(row[:2] for row in released(found.folder, ('a "b"', "cell"))) == Counter(
        zip(odd['a "b"'], odd["cell"], strict=True))


# ---- stopped in the middle -----------------------------------------------------------------------


def test_killed_in_the_middle_it_leaves_nothing_half_and_goes_on(tmp_path: Path) -> None:
    like = sdc.load_dataset("ma2019-twin")
    source = write_population(like, 300_000, tmp_path / "town", files=30)
    out, whole = tmp_path / "out", tmp_path / "whole"

    def command(folder: Path) -> list[str]:
        return [sys.executable, "-m", "sdc_core", "release", "--dataset", str(source),
                "--mechanism", "permutation-swapping", "--out", str(folder), "--carry", "record"]

    running = subprocess.Popen(command(out), cwd=ROOT, stderr=subprocess.DEVNULL)
    aside = tmp_path / "out.unfinished"
    end = time.monotonic() + 120
    while time.monotonic() < end and not list(aside.glob("*.done")):
        assert running.poll() is None
        time.sleep(0.01)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert not out.exists() and 0 < len(list(aside.glob("*.done"))) < 30
    (aside / ".part-00029.abc.half").write_bytes(b"left behind")
    done = {path.name: path.stat().st_mtime_ns for path in aside.glob("*.done")}
    kept = {p.stem: p.with_suffix(".parquet").stat().st_mtime_ns for p in aside.glob("*.done")}
    went_on = subprocess.run(command(out), cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"{300_000:,} of {300_000:,} records" in went_on.stderr
    assert done and not aside.exists() and not list(out.glob(".*"))
    assert sorted(p.name for p in out.iterdir() if p.suffix != ".parquet") == [
        "_provenance.json", "_schema.json"]
    for stem, changed in kept.items():  # what was done is not done again
        assert (out / f"{stem}.parquet").stat().st_mtime_ns == changed
    subprocess.run(command(whole), cwd=ROOT, capture_output=True, check=True)
    names = sorted(path.name for path in whole.glob("*.parquet"))
    assert names == sorted(path.name for path in out.glob("*.parquet"))
    for name in names:
        one, other = (pyarrow.parquet.read_table(folder / name) for folder in (out, whole))
        assert one.equals(other), name


def test_what_was_not_finished_is_gone_on_with_only_under_the_same_settings(
    crowd: str, tmp_path: Path
) -> None:
    data = large(crowd)
    method = sdc.mechanism("swapping", quasi_identifiers=("sex",))

    def stop(progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_folder(data, method, tmp_path / "out", ("town", "sex"), tell=stop)
    assert not (tmp_path / "out").exists()
    with pytest.raises(sdc.InputError, match="holds another release that was not finished"):
        write_folder(data, method, tmp_path / "out", ("town", "sex"), seed=8)
    write_folder(data, method, tmp_path / "out", ("town", "sex"))
    with pytest.raises(sdc.InputError, match="is there already"):
        write_folder(data, method, tmp_path / "out", ("town", "sex"))


def test_records_that_change_between_counting_and_release_are_noticed(tmp_path: Path) -> None:
    pattern = write(tmp_path / "in", [people(100, 1)])
    data = large(pattern)
    data.histogram(("town", "sex"))
    changed = people(100, 1)
    changed["town"][7] = "nowhere"
    write(tmp_path / "in", [changed])
    method = sdc.mechanism("swapping", quasi_identifiers=("sex",))
    with pytest.raises(sdc.InputError, match="1 records of part-00000 are not among those"):
        write_folder(data, method, tmp_path / "out", ("town", "sex"))
    assert not (tmp_path / "out").exists()


# ---- bad input -----------------------------------------------------------------------------------


def test_files_that_are_no_table_are_one_sentence(tmp_path: Path) -> None:
    pattern = write(tmp_path / "a", [people(5), people(5), people(5)])

    def refused(source: str, words: str) -> None:
        with pytest.raises(sdc.InputError, match=words) as problem:
            sdc.load_dataset(source)
        assert "\n" not in str(problem.value) and len(str(problem.value)) < 400

    refused(str(tmp_path / "none" / "*.parquet"), "No file of records is there")
    refused(str(tmp_path / "a" / "*.csv"), "No file of records is there")
    (tmp_path / "a" / "part-00001.parquet").unlink()
    refused(pattern, "After 'part-00000.parquet' number 1 is missing")
    listed = ",".join(str(p) for p in sorted((tmp_path / "a").iterdir()))
    assert len(sdc.load_dataset(listed)) == 10  # named one by one it is meant so
    refused(f"{listed},{tmp_path / 'a' / 'part-00009.parquet'}", "There is no file")
    write(tmp_path / "b", [people(5), {**people(5), "sex": [1] * 5}])
    refused(str(tmp_path / "b"), "Column 'sex' is int64 in part-00001.parquet and text in")
    lacking = people(5)
    del lacking["job"]
    write(tmp_path / "c", [people(5), lacking])
    refused(str(tmp_path / "c"), "part-00001.parquet has no column 'job', other files have")
    refused(write(tmp_path / "d", [people(5), lacking], "csv"), "has no column 'job'")
    write(tmp_path / "e", [people(5), people(5)])
    whole = (tmp_path / "e" / "part-00001.parquet").read_bytes()
    (tmp_path / "e" / "part-00001.parquet").write_bytes(whole[:300])
    refused(str(tmp_path / "e"), "part-00001.parquet.*cannot be read: it is cut off or damaged")
    write(tmp_path / "f", [{"a": [[1], [2]], "b": ["x", "y"]}])
    refused(str(tmp_path / "f"), "'a' holds lists or raw bytes")
    (tmp_path / "a" / "part-00003.csv").write_text("a,b\n1,2\n")
    refused(str(tmp_path / "a" / "*"), "all files have to be Parquet, or all CSV")
    refused(write(tmp_path / "g", [{"sdc id": [1], "b": [2]}]), "has a name that is used here")
    refused(write(tmp_path / "h", [{"a": [], "b": []}]), "has no records")


def test_a_value_outside_the_declared_domain_is_named_with_its_number(tmp_path: Path) -> None:
    columns = people(1000)
    columns["sex"][999] = "x"
    columns["age"][998] = None
    schema = {"columns": [
        {"name": "sex", "values": ["f", "m"]},
        {"name": "town", "values": ["north", "south", "west"]},
        {"name": "age", "type": "whole number", "edges": [18, 65]},
    ]}
    data = large(write(tmp_path / "in", [columns]), schema=schema)
    method = sdc.mechanism("swapping", quasi_identifiers=("sex",))
    with pytest.raises(sdc.InputError, match=r"sex has 'x', which is not declared, in 1 of 1,000"):
        write_folder(data, method, tmp_path / "out", ("town", "sex"))
    with pytest.raises(sdc.InputError, match=r"age has no value, which is not declared, in 1 of"):
        data.histogram(["age"])
    assert not list(tmp_path.glob("out*"))
    assert data.histogram(["sex"], "observed").counts.sum() == 1000  # as seen: a group of its own
    texts = {**columns, "age": [*["30"] * 999, "thirty"]}
    data = large(write(tmp_path / "texts", [texts]), schema=schema)
    with pytest.raises(sdc.InputError, match=r"age cannot be read as a whole number in 1 of 1,000 "
                                             r"records, such as 'thirty'"):
        data.histogram(["age"])


def test_what_cannot_be_released_is_one_sentence(crowd: str, tmp_path: Path) -> None:
    data, out = large(crowd), tmp_path / "out"
    swap = sdc.mechanism("swapping", quasi_identifiers=("sex",))
    for method, options, words in (
        (swap, {"carried": ["sex"]}, "sex is a feature of the table"),
        (swap, {"carried": ["pet"]}, "has no column 'pet'"),
        (sdc.mechanism("laplace", postprocess="none"), {}, "not whole people"),
        (sdc.mechanism("geometric", postprocess="clip"), {"carried": ["id"]}, "draws its records"),
        (sdc.mechanism("suppression", k=1000), {}, "hides"),
        (sdc.mechanism("rank-swapping"), {}, "changes the numbers of records"),
        (sdc.mechanism("permutation-swapping", swap=("town",), match=("sex",), unit="household"),
         {}, "household"),
    ):
        with pytest.raises(sdc.InputError, match=words):
            write_folder(data, method, out, ("town", "sex", "job"), **options)
    assert not list(tmp_path.iterdir())
    with pytest.raises(sdc.InputError, match="have no column 'number' to tell them apart by"):
        large(crowd, id_column="number")
    for column, words in (("sex", "sex has about 2 different values for 5,000 records"),
                          ("job", "job is missing in .* of 5,000 records")):
        with pytest.raises(sdc.InputError, match=words):
            large(crowd, id_column=column)
    with pytest.raises(sdc.InputError, match="An id column is for records that stay"):
        sdc.load_dataset(source_of(crowd).files[0], id_column="id")


def test_a_disk_without_room_leaves_nothing_and_says_so(crowd: str, tmp_path: Path) -> None:
    """No file may be larger than 8 kB in this process: a real write that fails."""
    out = tmp_path / "out"
    ran = subprocess.run(
        [sys.executable, "-m", "sdc_core", "release", "--dataset", crowd, "--features", "town,sex",
         "--mechanism", "swapping", "--set", "quasi_identifiers=sex", "--out", str(out),
         "--carry", "id,age"],
        cwd=ROOT, capture_output=True, text=True, env={**os.environ, "SDC_COUNTS": "off"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)),
    )
    assert ran.returncode == 2 and ran.stdout == ""
    assert ran.stderr.startswith("error: The release cannot be written: "), ran.stderr
    assert ran.stderr.count("\n") == 1 and not out.exists()
    assert not list(tmp_path.rglob("*.parquet")) and not list(tmp_path.rglob("*.half"))


def test_no_java_and_no_master_are_one_sentence(
    crowd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(sdc.InputError, match=r"spark://127.0.0.1:1 cannot be reached: Connection "):
        sdc.load_dataset(crowd, spark_master="spark://127.0.0.1:1")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(sdc.InputError, match=r"Spark needs Java 17 .* not on this machine"):
        sdc.load_dataset(crowd, engine="spark")


@pytest.mark.parametrize(("arguments", "words"), [
    (["--out", "folder"], "is the name of a folder, which is for records that stay"),
    (["--carry", "AGEP"], "--carry is about records in a folder"),
])
def test_a_folder_is_for_records_in_a_database(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["release", "--dataset", "ma2019-twin", "--mechanism", "swapping"]
    assert main([*asked, *arguments]) == 2
    assert words in capsys.readouterr().err


# ---- populations and the app ---------------------------------------------------------------------


def test_a_population_is_like_its_twin_and_the_same_however_it_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    like = sdc.load_dataset("ma2019-twin")
    monkeypatch.setattr(population, "_CHUNK", 3000)  # drawn at a time, across the ends of files
    one = write_population(like, 50_000, tmp_path / "one", files=1, seed=3)
    many = write_population(like, 50_000, tmp_path / "many", files=7, seed=3)
    tables = [
        pa.concat_tables(pyarrow.parquet.read_table(p) for p in sorted(folder.glob("*.parquet")))
        for folder in (one, many)]
    assert tables[0].equals(tables[1]) and tables[0]["record"].to_pylist() == list(range(50_000))
    data = large(str(many))
    assert data.default_features == like.default_features
    places = data.histogram(["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"])
    new = (places.counts > 0) & (like.histogram(places.domain.names).counts == 0)
    assert 0 < places.counts[new].sum() < 0.02 * 50_000  # somebody has moved to where nobody was
    share = data.histogram(["SEX"]).counts / 50_000
    assert share == pytest.approx(like.histogram(["SEX"]).counts / len(like), abs=0.02)
    with pytest.raises(sdc.InputError, match="is there already"):
        write_population(like, 10, tmp_path / "one")
    with pytest.raises(sdc.InputError, match=r"rows must be in \[1, 1,000,000,000\], got 0"):
        write_population(like, 0, tmp_path / "none")


def test_the_app_shows_what_it_was_started_with(
    twin_crowd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDC_DATA", twin_crowd)
    app = opened({}, page="../pages/compare.py")
    data = next(box for box in app.selectbox if box.label == "Data")
    assert "20,000 records" in data.options[0] and data.value == "records"
    assert sdc.ask("compare", sdc.Study(large(twin_crowd))).headline in answer(app)


def test_what_the_app_cannot_open_is_said_and_other_data_are_there(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SDC_DATA", "/nowhere/*.parquet")
    app = opened({"data": "ma2019-twin"}, page="../pages/compare.py")
    assert any("cannot be opened" in one.value for one in app.warning)
    assert "hiding small counts" in answer(app)


def test_engines_are_asked_in_the_same_words() -> None:
    """All that is joined or grouped is written once; an engine has no statement of its own."""
    for name in ("duck", "spark"):
        source = (ROOT / "sdc_core" / "engines" / f"{name}.py").read_text()
        assert "JOIN" not in source and "GROUP BY" not in source, name
    assert {"rows", "put", "write", "parts", "look_at"} <= set(dir(Engine))
    assert load_large.__doc__


def test_a_csv_file_in_another_encoding_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "part-0.csv").write_bytes("miasto,płeć\nŁódź,k\n".encode("cp1250"))
    with pytest.raises(sdc.InputError, match=r"part-0\.csv is not UTF-8"):
        sdc.load_dataset(str(tmp_path / "in"))

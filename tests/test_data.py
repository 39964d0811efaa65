"""The catalogue: what each data set holds, how the real files arrive, and what leaves as CSV.

Proven here: twins load everywhere; the real Massachusetts excerpt has the facts that the papers'
tables rest on; derived columns follow their rules (checked on the raw file, read a second time);
a download is all or nothing; and an exported table runs nothing in a spreadsheet.
"""

from __future__ import annotations

import csv
import functools
import hashlib
import http.server
import io
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.data import CATALOGUE, catalogue, default_id, entry, fetch_real_files, to_safe_csv
from sdc_core.data.catalogue import Entry

FIVE = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
TWINS = [e for e in CATALOGUE if e.origin == "twin"]
EXCERPTS = [e for e in TWINS if not e.described]
RealData = Callable[[str], sdc.Dataset]


def raw_rows(dataset_id: str) -> list[dict[str, str]]:
    """A real file read with the standard library alone."""
    path = Path(os.environ["SDC_DATA_DIR"]) / f"{dataset_id}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("known", EXCERPTS, ids=lambda e: e.id)
def test_twins_load_and_are_labelled_as_such(known: Entry) -> None:
    data = sdc.load_dataset(known.id)
    assert len(data) == known.rows and data.origin == "twin"
    assert "twin" in data.title and data.source.startswith("Synthetic twin")
    histogram = data.histogram(data.default_features)
    assert list(data.default_features) == FIVE and histogram.total == known.rows
    assert (histogram.counts == 0).mean() == pytest.approx(0.55, abs=0.1)  # sparse, like the real


@pytest.mark.parametrize("known", TWINS, ids=lambda e: e.id)
def test_every_usable_column_can_be_counted_by(known: Entry) -> None:
    data = sdc.load_dataset(known.id)
    for name in data.features:
        for domain in ("observed", "dictionary"):
            histogram = data.histogram([name], domain)
            assert histogram.total == known.rows
            assert domain == "dictionary" or histogram.counts.min() > 0
            labels = histogram.domain.features[0].labels
            assert len(labels) == len(set(labels)) and all(labels)


@pytest.mark.parametrize(
    ("known", "rows"), [("ma2019", 7634), ("tx2019", 9276), ("national2019", 27253)]
)
def test_real_files_are_the_catalogued_ones(real_data: RealData, known: str, rows: int) -> None:
    data = real_data(known)
    assert len(data) == entry(known).rows == rows and data.origin == "real"
    content = (Path(os.environ["SDC_DATA_DIR"]) / f"{known}.csv").read_bytes()
    assert hashlib.sha256(content).hexdigest() == entry(known).sha256


def test_massachusetts_has_the_facts_behind_the_papers_tables(real_data: RealData) -> None:
    data = real_data("ma2019")
    histogram = data.histogram(FIVE, "observed")
    counts = histogram.counts
    assert (len(data), len(histogram), histogram.total) == (7634, 480, 7634)
    assert int((counts == 0).sum()) == 256
    assert int(((counts >= 1) & (counts <= 5)).sum()) == 122
    assert counts.max() == 516
    assert len(data.histogram(FIVE)) == 540  # all nine race codes
    assert default_id() == "ma2019"


def test_income_class_counts_not_applicable_as_no(real_data: RealData) -> None:
    data = real_data("ma2019")
    raw = raw_rows("ma2019")
    wanted = ["1" if r["PINCP"] != "N" and float(r["PINCP"]) >= 50_000 else "0" for r in raw]
    assert data.records["INCOME_50K"].tolist() == wanted
    assert any(r["PINCP"] == "N" for r in raw)
    assert data.records["PINCP"].isna().tolist() == [r["PINCP"] == "N" for r in raw]


def test_age_groups_are_five_and_fixed(real_data: RealData) -> None:
    """By bins that anybody can name beforehand, not by who is in the data."""
    data = real_data("ma2019")
    groups = data.histogram(["AGE_BIN"])
    ages = pd.Series([int(r["AGEP"]) for r in raw_rows("ma2019")])
    wanted = pd.cut(ages, [-1, 17, 34, 49, 64, 200]).value_counts(sort=False)
    assert groups.counts.tolist() == wanted.tolist() and groups.domain.read_off == ()
    assert groups.domain.features[0].labels == (
        "aged under 18", "aged 18–34", "aged 35–49", "aged 50–64", "aged 65 or more")
    same = data.histogram(["AGEP"])
    assert same.counts.tolist() == wanted.tolist()


def test_an_unknown_id_or_path_is_answered_with_the_ids() -> None:
    with pytest.raises(sdc.InputError) as caught:
        sdc.load_dataset("no-such-file.csv")
    assert all(known.id in str(caught.value) for known in CATALOGUE)
    assert "no-such-file.csv" in str(caught.value) and "\n" not in str(caught.value)


def test_without_the_real_files_the_twin_is_the_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    monkeypatch.setattr(catalogue, "NIST_DIRECTORY", tmp_path)
    assert default_id() == "ma2019-twin"
    with pytest.raises(sdc.InputError, match="ma2019-twin") as caught:
        sdc.load_dataset("ma2019")
    assert "datasets fetch" in str(caught.value) and "SDC_DATA_DIR" in str(caught.value)


@pytest.fixture
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Downloads in these tests go to this machine itself."""
    monkeypatch.setenv("no_proxy", "*")


@pytest.fixture
def served(tmp_path: Path, no_proxy: None) -> Iterator[tuple[Path, str]]:
    """A folder, and the address under which a local server gives it out."""
    folder = tmp_path / "served"
    folder.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield folder, f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def failed_fetch(directory: Path, address: str) -> str:
    """The one sentence of a download that fails, having left nothing behind."""
    with pytest.raises(sdc.InputError) as caught:
        fetch_real_files(lambda _: None, directory, address)
    assert "\n" not in str(caught.value) and "Traceback" not in str(caught.value)
    assert [p for p in directory.rglob("*") if p.is_file()] == []
    return str(caught.value)


def test_fetching_without_a_network_says_so(tmp_path: Path, no_proxy: None) -> None:
    with socket.socket() as probe:  # a port that was free a moment ago: nobody listens
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    text = failed_fetch(tmp_path / "nist", f"http://127.0.0.1:{port}/")
    assert "Could not download ma2019.csv" in text and "twins work without it" in text


def test_fetching_from_something_that_is_not_a_web_server_says_so(
    tmp_path: Path, no_proxy: None
) -> None:
    """A gateway that answers in another protocol."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"220 mail.example ready\r\n\r\n")

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        text = failed_fetch(tmp_path / "nist", f"http://127.0.0.1:{listener.getsockname()[1]}/")
        thread.join()
    assert "Could not download ma2019.csv" in text


def test_a_missing_file_on_the_server_says_so(tmp_path: Path, served: tuple[Path, str]) -> None:
    assert "Could not download ma2019.csv" in failed_fetch(tmp_path / "nist", served[1])


def test_an_altered_file_is_thrown_away(tmp_path: Path, served: tuple[Path, str]) -> None:
    folder, address = served
    (folder / "massachusetts").mkdir()
    (folder / "massachusetts" / "ma2019.csv").write_bytes(b"PUMA,SEX\n25-00503,1\n")
    text = failed_fetch(tmp_path / "nist", address)
    assert "ma2019.csv" in text and "checksum" in text and "thrown away" in text


def test_the_right_file_is_kept_and_not_fetched_again(
    tmp_path: Path, served: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, address = served
    body = b"PUMA,SEX\n25-00503,1\n"
    (folder / "place").mkdir()
    (folder / "place" / "small.csv").write_bytes(body)
    right = Entry("small", "Small", "real", "small.csv", 1, "place",
                  hashlib.sha256(body).hexdigest())
    monkeypatch.setattr(catalogue, "CATALOGUE", (right,))
    said: list[str] = []
    assert fetch_real_files(said.append, tmp_path, address) == [tmp_path / "small.csv"]
    assert (tmp_path / "small.csv").read_bytes() == body
    (folder / "place" / "small.csv").unlink()
    assert fetch_real_files(said.append, tmp_path, address) == [tmp_path / "small.csv"]
    assert "checksum right" in said[0] and "already here" in said[1]


FORMULAS = ["=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("x","y")']
HARMLESS = ["plain", "-5", "-0.5e3", "'n", "x\r=1+1", "x\n=1+1", "a,=1", 'say "=1"', "5-3"]


def test_exported_text_runs_nothing_in_a_spreadsheet() -> None:
    """Text that looks like a formula gets a leading apostrophe, other text stays as it is, and no
    line break or separator in a cell starts a new one (where a formula could hide)."""
    names = [*FORMULAS, *HARMLESS, None]
    table = pd.DataFrame({"=name": names, "@kind": pd.Categorical(["-a"] * len(names))})
    before = table.copy(deep=True)
    rows = list(csv.reader(io.StringIO(to_safe_csv(table), newline="")))
    assert rows[0] == ["'=name", "'@kind"]
    assert [row[0] for row in rows[1:]] == [*("'" + text for text in FORMULAS), *HARMLESS, ""]
    assert {row[1] for row in rows[1:]} == {"'-a"}
    pd.testing.assert_frame_equal(table, before)


def test_exported_numbers_stay_numbers() -> None:
    table = pd.DataFrame({"n": [-3, 0, 12], "x": [-0.5, 1e-12, np.nan], "+": [True, False, True]})
    back = pd.read_csv(io.StringIO(to_safe_csv(table)))
    assert back["n"].tolist() == [-3, 0, 12]
    np.testing.assert_array_equal(back["x"], table["x"])
    assert list(back.columns) == ["n", "x", "'+"] and back["'+"].tolist() == [True, False, True]

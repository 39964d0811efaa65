"""A run over the papers: what it makes and keeps, the command, and the documents that are written
from it. Verdicts of numbers are proven in test_papers, the page in test_question_reproduce."""

from __future__ import annotations

import dataclasses
import html.parser
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import sdc_core as sdc
from sdc_core.build import reproduction as build
from sdc_core.cli import main
from sdc_core.papers import record, running
from sdc_core.papers.every import CLAIMS, ITEMS
from sdc_core.papers.item import Attempt
from sdc_core.papers.published import Entry, published
from sdc_core.papers.record import NO_ITEM, Part, Record, last_run, read
from sdc_core.papers.verdicts import GOOD, Ours
from sdc_core.report.reproduction import as_html, as_markdown
from sdc_core.words import reproduction as words
from tests import made_up_run as made_up

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def papers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    made_up.take_the_place_of_the_papers(monkeypatch, tmp_path)
    monkeypatch.setattr(running, "CLAIMS", ())
    monkeypatch.setenv("SDC_RUNS", str(tmp_path / "cache"))
    return tmp_path


# ---------------------------------------------------------------- what a run makes and keeps


def test_a_record_is_the_same_written_and_read() -> None:
    again = read(made_up.STORED.to_json())
    assert again == dataclasses.replace(made_up.STORED, parts=again.parts)
    assert again.parts == made_up.STORED.parts
    odd = Record({"p0-table1": Part(1.0, (
        Ours("a", "b", float("nan"), how="", possible=(-float("inf"), 3.0)),))})
    (ours,) = read(odd.to_json()).parts["p0-table1"].made
    assert ours.value != ours.value and ours.possible == (-float("inf"), 3.0) and ours.how == ""


def test_what_is_finished_is_kept_and_taken_up_again(
    papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt, told = Attempt(twins_only=True), list[tuple[str, int, int]]()
    parts = running.chosen_parts([])
    first = running.run(parts, attempt, lambda part, done, of, left: told.append((part, done, of)),
                        workers=1)
    assert [one[1:] for one in told] == [(n, len(parts)) for n in range(len(parts) + 1)]
    assert {one[0] for one in told} == {"", *parts} and first.whole

    def never(part: str, attempt: Attempt) -> Part:
        raise AssertionError(f"{part} is made a second time")

    monkeypatch.setattr(running, "make", never)
    again = running.run(parts, attempt, workers=1)
    assert [one.made for one in again.parts.values()] == [
        one.made for one in first.parts.values()]
    for other in (dataclasses.replace(attempt, seed=8), dataclasses.replace(attempt, full=False)):
        with pytest.raises(AssertionError, match="a second time"):
            running.run(parts, other, workers=1)


def test_a_run_that_is_stopped_goes_on_where_it_was(
    papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, real = list[str](), running.make

    def stopped(part: str, attempt: Attempt) -> Part:
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(part)
        return real(part, attempt)

    attempt, parts = Attempt(twins_only=True), running.chosen_parts([])
    monkeypatch.setattr(running, "make", stopped)
    with pytest.raises(KeyboardInterrupt):
        running.run(parts, attempt, workers=1)
    monkeypatch.setattr(running, "make", lambda part, attempt: (
        made.append(part) or real(part, attempt)))  # type: ignore[func-returns-value]
    found = running.run(parts, attempt, workers=1)
    assert sorted(made) == sorted(parts) and set(found.parts) == set(parts)


def test_a_kept_part_that_is_cut_off_is_made_again(papers: Path) -> None:
    attempt = Attempt(twins_only=True)
    first = running.run(["p0-table1"], attempt)
    (file,) = (papers / "cache").rglob("p0-table1.json")
    file.write_text(file.read_text(encoding="utf-8")[:40], encoding="utf-8")
    again = running.run(["p0-table1"], attempt)
    assert again.parts["p0-table1"].made == first.parts["p0-table1"].made


def test_time_left_is_that_of_the_last_run_until_something_is_seen(papers: Path) -> None:
    """12 s for the first table in the stored run, 3 and 0.1 for the others: 15.1 s, 1 core; once
    the first took 6 s, half of 3.1 s are left."""
    parts = ["p0-table1", "p1-table2", "p4-text-9.5"]
    left = running._Left(parts, {}, 1, full=True)
    assert left.order == parts
    assert left.seconds({}) == pytest.approx(15.1)
    assert left.seconds({"p0-table1": Part(6.0)}) == pytest.approx(1.55)
    assert running._Left(parts, {}, 2, full=True).seconds({}) == pytest.approx(7.55)
    assert left.seconds({one: Part(6.0) for one in parts}) == 0


def test_an_item_goes_with_its_claims_and_a_paper_is_all_of_it(
    papers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "CLAIMS", made_up.CLAIMS)
    assert running.chosen_parts(["p1-fig2"]) == ["p1-fig2", "p1-claim-1", "p1-claim-2"]
    assert running.chosen_parts([], "P4") == ["p4-text-9.5", "p4-claim-1", "p4-claim-2"]
    assert running.chosen_parts([], "P2") == []
    assert running.chosen_parts(["theorems"]) == ["theorems"]
    assert len(running.chosen_parts([])) == 4 + 5 + 1


def test_a_whole_record_knows_what_it_lacks() -> None:
    found = Record({}, whole=True)
    assert len(found.numbers) == len(published())
    assert not Record({}).numbers
    known = {(one.paper, one.name) for one in ITEMS}
    for table in found.tables:
        assert (table.item is not None) == ((table.paper, table.name) in known)
        if table.item is None:
            assert {one.reason for one in table.judged} == {NO_ITEM}


# ---------------------------------------------------------------- the command


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["reproduce", *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def test_the_command_shows_the_stored_run_as_text_and_as_json(
    papers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = said(capsys)
    assert text.startswith("2 of 9 printed results come out here as printed")
    assert "noise eps=1, l1_bias: printed 100, ours 104 ± 1.5: within tolerance" in text
    assert "swap eps=1, l1_bias: printed 9000, ours 400: cannot be (more records than" in text
    assert "Does not hold." in text and "Not on Pima diabetes study." in text
    found = json.loads(said(capsys, "--json"))
    assert found["numbers"] == 9 and found["match or within tolerance"] == 2
    rows = [row for item in found["items"].values() for row in item["numbers"]]
    assert [row["verdict"] for row in rows] == [
        str(one) for verdicts in made_up.VERDICTS.values() for one in verdicts]
    assert {one["id"]: one["outcome"] for one in found["claims"]} == {
        "p4-claim-2": "does not hold", "p1-claim-1": "holds in some", "p0-claim-1": "holds",
        "p4-claim-1": "holds", "p1-claim-2": "not decided"}


def test_what_is_named_is_made_now(papers: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(said(capsys, "p0-table1", "--twins", "--quick", "--json"))
    assert list(found["items"]) == ["p0-table1"]
    assert {row["verdict"] for row in found["items"]["p0-table1"]["numbers"]} == {"not judged"}
    assert "on synthetic twins" in found["made"] and "quickly" in found["made"]
    assert found["headline"] == ("None of 6 printed results is judged here: 6 were made on data "
                                 "that stand in for the paper's.")


@pytest.mark.parametrize(("arguments", "named"), [
    (["p9-table1"], "p9-table1"), (["--paper", "P9"], "P9"), (["--full"], "--paper or --all"),
    (["--all", "p0-table1"], "--all is everything"), (["theorems", "--seed", "-1"], "seed"),
    (["--quick", "--full", "--all"], "not allowed with"),
    (["--html", "no/such/folder/x.html"], "no/such/folder"), (["--dataset", "ma2019"], "dataset"),
])
def test_what_is_wrong_is_one_line(
    papers: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    try:
        code: Any = main(["reproduce", *arguments])
    except SystemExit as ended:
        code = ended.code
    captured = capsys.readouterr()
    assert code == 2 and captured.out == ""
    assert captured.err.startswith("error: ") and captured.err.count("\n") == 1
    assert named in captured.err


def test_a_full_run_tells_how_far_it_is_and_what_is_left(
    papers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", "theorems", "--full", "--twins"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["0 of 1 parts, about 0 s left", "1 of 1 parts, about 0 s left: theorems"] or (
        lines[0].startswith("0 of 1 parts, about ") and lines[1].endswith(": theorems"))


class Elements(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags, self.text = list[tuple[str, dict[str, str | None]]](), list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_stands_alone_and_words_are_only_text(
    papers: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "all.html"
    said(capsys, "--html", str(file))
    parsed = Elements()
    parsed.feed(file.read_text(encoding="utf-8"))
    assert not {tag for tag, _ in parsed.tags} & {"img", "script", "link", "iframe", "a"}
    assert not [name for _, attrs in parsed.tags for name in attrs if name in ("src", "href")]
    text = "".join(parsed.text)
    assert made_up.HOSTILE in text and "2 of 9 printed results" in text
    for one in last_run().numbers:
        assert one.entry.printed in text and str(one.verdict) in text
    rows = file.read_text(encoding="utf-8").count("<tr>")
    assert rows >= len(last_run().numbers) + len(made_up.CLAIMS)


@pytest.mark.slow
def test_ctrl_c_ends_a_run_at_once(tmp_path: Path) -> None:
    """In its own group of processes, as a terminal has them: two parts at work, both are ended."""
    environment = {**os.environ, "SDC_RUNS": str(tmp_path)}
    run = subprocess.Popen(
        [sys.executable, "-m", "sdc_core", "reproduce", "--all", "--full", "--twins"], cwd=ROOT,
        env=environment, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert run.stderr is not None
    assert b" parts, about " in run.stderr.readline()
    time.sleep(3)
    start = time.monotonic()
    os.killpg(run.pid, signal.SIGINT)
    _, rest = run.communicate(timeout=30)
    assert run.returncode == 130 and rest.splitlines()[-1] == b"stopped"
    assert b"Traceback" not in rest and time.monotonic() - start < 15


# ---------------------------------------------------------------- documents


def test_the_document_and_the_readme_are_those_of_the_stored_run() -> None:
    """Judged anew: whoever changes a published value or a tolerance has to write them anew (`make
    readme`), or make the run again (`make reproduction`)."""
    assert build.DOCUMENT.read_text(encoding="utf-8") == as_markdown(last_run())
    text = build.README.read_text(encoding="utf-8")
    assert build.with_badge(text, last_run()) == text


def test_a_changed_published_value_is_noticed_in_the_documents(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of any number, of whatever verdict: the document has it, digit by digit."""
    before, entries = as_markdown(last_run()), published()
    for place in range(0, len(entries), 61):
        one = entries[place]
        wrong = dataclasses.replace(one, printed=f"{one.value + 1000:g}")
        changed = (*entries[:place], wrong, *entries[place + 1:])
        with monkeypatch.context() as patch:
            patch.setattr(made_up.PRINTED, "_entries", lambda changed=changed: changed)
            anew = dataclasses.replace(last_run())  # nothing that was judged before
            assert as_markdown(anew) != before, (one.paper, one.item, one.row, one.column)


def test_the_badge_counts_what_is_good(papers: Path) -> None:
    text = "# A title\n\n**Papers made again:** old.\n\nMore.\n"
    assert build.with_badge(text, last_run()) == (
        "# A title\n\n**Papers made again:** 2 of 9 published results match or are within a stated "
        "tolerance (1 to the printed digit); see [docs/REPRODUCTION.md](docs/REPRODUCTION.md).\n\n"
        "More.\n")
    for wrong in ("no line", text + text):
        with pytest.raises(sdc.InputError, match="one line"):
            build.with_badge(wrong, last_run())


def test_the_document_has_every_number_claim_and_theorem(papers: Path) -> None:
    text = as_markdown(last_run())
    assert made_up.HOSTILE not in text and "&lt;img" in text
    for one in last_run().numbers:
        assert any(one.entry.printed in line and str(one.verdict) in line
                   for line in text.splitlines() if line.startswith("| ")), one.entry
    for claim in made_up.CLAIMS:
        assert claim.sentence.partition("<")[0] in text
    assert "| Theorem 2 | A bound. | 1.01 | 1.1 | fails |" in text
    assert "holds in some" in text and "Massachusetts (empty groups left at zero)" in text


def test_documents_are_written_from_the_stored_run_alone(
    papers: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    readme, document = papers / "README.md", papers / "REPRODUCTION.md"
    readme.write_text("**Papers made again:** old.\n", encoding="utf-8")
    monkeypatch.setattr(build, "README", readme)
    monkeypatch.setattr(build, "DOCUMENT", document)
    assert build.main(["--documents"]) == 0
    assert document.read_text(encoding="utf-8") == as_markdown(last_run())
    assert "2 of 9" in readme.read_text(encoding="utf-8") and "2 of 9" in capsys.readouterr().out


def test_the_full_run_needs_the_papers_own_data(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(build, "Attempt", lambda: Attempt(twins_only=True))
    monkeypatch.setattr(build, "run", lambda *given: pytest.fail("nothing is made"))
    assert build.main([]) == 2
    assert "missing: Massachusetts 2019" in capsys.readouterr().err


# ---------------------------------------------------------------- the stored run itself


def test_every_number_below_a_match_has_its_reason() -> None:
    silent = [f"{one.entry.paper} {one.entry.item} {one.entry.row} {one.entry.column}"
              for one in last_run().numbers if one.verdict not in GOOD and not one.reason.strip()]
    assert silent == []


def test_within_tolerance_is_said_why() -> None:
    bare = [one for one in published() if one.tolerance and not one.reason]
    assert bare == []


def test_items_and_claims_have_ids_of_their_own_and_say_where_they_stand() -> None:
    ids = [one.id for one in (*ITEMS, *CLAIMS)]
    assert len(ids) == len(set(ids))
    places = {(one.paper, one.name) for one in ITEMS}
    for claim in CLAIMS:
        assert claim.where and claim.sentence.endswith("."), claim.id
        assert (claim.paper, claim.item) in places or claim.item == "text", claim.id


def test_names_for_readers() -> None:
    entry = Entry("P0", "table1", "r", "c", "3E-4", True, "ma2019")
    assert words.as_printed(entry, 0.000349) == "3E-4"
    assert words.as_printed(entry, 0.00049) == "5E-04"
    cut = dataclasses.replace(entry, printed="0.99")
    assert words.as_printed(cut, 0.99938) == "0.99"
    assert words.as_printed(dataclasses.replace(cut, truncated=False), 0.99938) == "1.00"
    assert words.as_printed(cut, float("nan")) == "none"
    for one in (cut, dataclasses.replace(cut, truncated=False)):
        assert words.as_printed(one, 0.000107) == "1e-4"
        assert words.as_printed(one, 0.0) == "0.00"
    assert words.data_name("tx2019-twin") == "Texas twin" and words.data_name("x") == "x"
    assert words.row_name("laplace eps=0.5") == "laplace ε = 0.5"
    assert as_html(Record({})).startswith("<!doctype html>")
    assert record.good(()) == (0, 0)

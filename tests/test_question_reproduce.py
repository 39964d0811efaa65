"""Reproduce: headline, picture, tables and reasons are read back and compared with verdicts that
follow by hand from numbers that are made up; and what is planted shows."""

from __future__ import annotations

import dataclasses
import io
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from sdc_core.papers.every import CLAIMS
from sdc_core.papers.item import Finding, Tried
from sdc_core.papers.record import Part, Record, last_run
from sdc_core.papers.verdicts import GOOD, Ours, Verdict
from sdc_core.questions.answer import Answer
from sdc_core.questions.reproduce import figures
from sdc_core.questions.reproduce.figures import COLORS
from sdc_core.questions.work import Work
from sdc_core.report.files import csv_bytes
from sdc_core.words import reproduction as words
from sdc_core.words.numbers import Sentences
from sdc_core.words.reproduction_tables import claims_frame
from tests import made_up_run as made_up
from tests import shown
from tests.contract import Contract
from tests.page_driver import TWIN, opened
from tests.reading import markup, only

_VERDICTS = ("match", "within tolerance", "same order only", "differs", "cannot be", "given",
             "not made again", "not judged")
CONTRACT = Contract(
    slots=(),
    controls=("rp_item", "rp_ours", "rp_claims"),
    columns={
        "reproduce-papers": ("paper", "table", "match or within tolerance", "results", *_VERDICTS),
        "reproduce-numbers": ("row", "column", "printed", "ours", "how", "verdict", "reason",
                              "tolerance", "convention", "data", "other readings"),
        "reproduce-claims": ("paper", "where", "claim", "data", "empty groups", "holds",
                             "numbers"),
    },
    costly={"rp_ours": ("quick", "full")},
)
PAGE = "../pages/reproduce.py"
STUDY = sdc.Study(sdc.load_dataset("ma2019-twin"))


@pytest.fixture(autouse=True)
def papers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made_up.take_the_place_of_the_papers(monkeypatch, tmp_path)


def asked(**controls: Any) -> Answer:
    return sdc.ask("reproduce", STUDY, **controls)


def planted(
    monkeypatch: pytest.MonkeyPatch, folder: Path, parts: dict[str, Part] | None = None,
    entries: tuple[Any, ...] = made_up.ENTRIES,
) -> Answer:
    stored = dataclasses.replace(
        made_up.STORED, parts={**made_up.STORED.parts, **(parts or {})})
    made_up.take_the_place_of_the_papers(monkeypatch, folder, stored, entries)
    return asked()


ALL = [one for verdicts in made_up.VERDICTS.values() for one in verdicts]


# ---------------------------------------------------------------- headline and picture


def test_the_headline_counts_what_comes_out_and_what_cannot_be() -> None:
    answer = asked()
    assert answer.headline == (
        "2 of 9 printed results come out here as printed or within the stated tolerance; 1 comes "
        "from no reading of the method that was tried.")
    assert isinstance(answer.more, Sentences)
    first, claims, theorems = answer.more.parts
    assert first == (
        "1 of them to the printed digit (1 of these is δ by the papers' own formulas); of the "
        "other 7, 1 comes out in the printed order only, 2 differ, 1 comes from no reading that "
        "was tried, 2 are not made again and 1 was made on other data and is not judged.")
    assert claims == ("Of 5 claims in words, 2 hold wherever tried, 1 holds on some data or "
                      "treatment of empty groups and not on others, 1 holds nowhere and 1 could "
                      "not be decided.")
    assert theorems == "Theorems and formulas as printed, 2 in all: fails (1) and holds (1)."


def test_claims_that_hold_wherever_the_paper_makes_them_are_counted() -> None:
    claim = next(one for one in CLAIMS if one.about == ("ma2019",))
    mine, other = "ma2019", "national2019"

    def sentence(*tried: tuple[str, bool]) -> str:
        found = Finding(claim, tuple(Tried(name, "kept", holds, "") for name, holds in tried))
        return words.claims_sentence((found, found))

    assert sentence((mine, True), (other, False)).endswith(
        "Of the 2 that hold on some data, 2 hold on all that the paper itself speaks of.")
    for tried in ([(mine, False), (other, True)], [(mine, True), (other, True)],
                  [(f"{mine}-twin", True), (other, False)]):
        assert "speaks of" not in sentence(*tried)


def test_the_record_says_of_each_number_what_follows_by_hand() -> None:
    found = {(one.paper, one.name): tuple(j.verdict for j in one.judged)
             for one in last_run().tables if one.judged}
    assert found == made_up.VERDICTS


def bars_of(answer: Answer) -> dict[str, dict[str, int]]:
    """What each bar is long, by verdict, from the chart as it is drawn."""
    chart = only(answer.panel("reproduce-papers"))
    names = dict(zip(
        chart.layout.yaxis.tickvals, chart.layout.yaxis.ticktext, strict=True))
    found: dict[str, dict[str, int]] = {}
    for trace in chart.data:
        if trace.type == "bar":
            for place, length, who in zip(trace.y, trace.x, trace.customdata, strict=True):
                assert who.endswith(names[place])
                found.setdefault(who, {})[trace.name] = length
    return found


def test_bars_are_as_long_as_there_are_numbers() -> None:
    answer = asked()
    wanted = {
        "P0 Table 1": {"match": 1, "within tolerance": 1, "same order only": 1, "differs": 2,
                       "cannot be": 1},
        "P1 2 passages": {"not judged": 1, "not made again": 1}, "P4 §9.5": {
            "not made again": 1},
    }
    assert {name: {k: v for k, v in bar.items() if v} for name, bar in bars_of(answer).items()} == (
        wanted)
    chart = only(answer.panel("reproduce-papers"))
    colors = {t.name: t.marker.color for t in chart.data if t.type == "bar"}
    assert colors == {str(one): COLORS[one] for one in set(ALL)} and len(set(colors.values())) == 7
    ends = next(t for t in chart.data if t.type == "scatter")
    assert [text.strip() for text in ends.text] == ["2 of 6", "0 of 2", "0 of 1"]
    assert list(ends.x) == [6, 2, 1] and chart.layout.xaxis.range[1] > 6
    heads = [re.sub(r"</?b>", "", note.text) for note in chart.layout.annotations]
    assert heads == ["P0 Das et al. 2024: 2 of 6", "P1 Zhu et al. 2023: 0 of 2",
                     "P4 Perry et al.: 0 of 1"]
    for note in chart.layout.annotations:  # a name above its own bars, below those before
        below = [place for place in chart.layout.yaxis.tickvals if place > note.y]
        assert min(below) - note.y < 1.5
    words = markup(f"</style>{answer.panel('reproduce-papers').legend.split('</style>')[1]}")
    said = [" ".join("".join(one.itertext()).split()) for one in words]
    assert said == [f"{one} {n}" for one in Verdict if (n := ALL.count(one))]


def test_bars_can_be_read_by_those_who_do_not_see_them() -> None:
    alt = asked().panel("reproduce-papers").alt
    assert ("P0 Table 1 2 of 6 results (same order only 1, differs 2 and cannot be 1)" in alt)
    assert "P4 §9.5 0 of 1 result (not made again 1)" in alt


def test_a_click_on_a_bar_shows_its_numbers() -> None:
    pick = asked().panel("reproduce-papers").pick
    assert pick is not None
    assert [pick.set_by(i) for i in range(3)] == [
        {"rp_item": "p0-table1"}, {"rp_item": "p1-table2"}, {"rp_item": "p4-text-9.5"}]


def test_tables_with_few_numbers_stand_together() -> None:
    many = tuple(made_up.entry("P1", "table2", f"row {i}", "alpha", "1") for i in range(12))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(made_up.PRINTED, "_entries", lambda: (*many, *made_up.ENTRIES[7:]))
        found = figures.bars_of(Record({}, whole=True))
        assert [(one.paper, one.name, len(one.judged)) for one in found] == [
            ("P1", "Table 2", 12), ("P1", "Figure 9", 1), ("P4", "§9.5", 1)]


def test_the_stored_run_says_of_when_and_of_what_it_is() -> None:
    answer = asked()
    said = " ".join(one.text for one in answer.notices)
    assert ("Run of 2026-01-02, version 9.9: made in full, on Massachusetts and Texas (real "
            "records), in 2 minutes.") in said
    assert answer.panel("reproduce-papers").caption.startswith(
        "From the full run of 2026-01-02, version 9.9, on the papers’ own data, real records.")
    facts = answer.provenance
    assert facts is not None
    assert facts.computed == "as stored in the full run of 2026-01-02 (version 9.9, seed 7)"
    assert not facts.seeded and "real records" in facts.about


def test_without_a_run_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("sdc_core.papers.record.LAST_RUN", tmp_path / "none.json")
    answer = asked()
    assert answer.headline == "None of 9 printed results is made again yet."
    assert "does not come with this copy" in answer.more
    table = answer.panel("reproduce-papers").table
    assert table is not None and table["not made again"].sum() == table["results"].sum() == 9


# ---------------------------------------------------------------- numbers beside numbers


def cells(html: Any) -> list[list[str]]:
    return [["|".join(text for text in one.itertext()) for one in row]
            for row in markup(html).findall(".//tbody/tr")]


def test_each_number_has_ours_under_it_and_its_verdict() -> None:
    answer = asked()
    assert cells(answer.panel("reproduce-numbers").drawing) == [
        ["noise ε = 1", "0.36|●| 0.36", "100|●| 104 ± 1.5"],
        ["noise ε = 2", "0.13|●| 0.50| differs", "50|●| 70| same order only"],
        ["swap ε = 1", "", "9000|●| 400| cannot be"],
        ["swap ε = 2", "", "300|●| 900| differs"],
    ]
    tree = markup(answer.panel("reproduce-numbers").drawing)
    assert [one.text for one in tree.findall(".//thead//th")][1:] == ["δ", "‖bias‖₁"]
    (said,) = answer.panel("reproduce-numbers").prose
    assert said.startswith("6 numbers: 1 match, 1 within tolerance, 1 same order only, 2 differ "
                           "and 1 cannot be.")
    assert said.endswith("The one claim in words holds wherever tried.")
    colors = [one.attrib["style"] for one in tree.findall(".//td//span[@aria-hidden]")]
    assert colors == [f"color:{COLORS[one]}" for one in made_up.VERDICTS["P0", "table1"]]


def test_reasons_and_other_readings_stand_by_the_numbers() -> None:
    rows = cells(asked().panel("reproduce-why").drawing)
    assert [row[0] for row in rows] == ["●| cannot be", "●| differs", "●| differs",
                                       "●| same order only", "●| within tolerance"]
    assert rows[0][1:] == ["swap ε = 1: ‖bias‖₁",
                           "More records than there are would have to move.", "–"]
    assert rows[2][1:] == ["swap ε = 2: ‖bias‖₁", "Nothing like it came out. Read as: any donor.",
                           "donors differ: 1200"]
    assert rows[4][1:] == ["noise ε = 1: ‖bias‖₁", "Chance of 200. Allowed: 5%.", "–"]


def test_tolerances_of_one_reason_are_one_row(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = dataclasses.replace(made_up.ENTRIES[1], tolerance="10.5%")
    second = dataclasses.replace(made_up.ENTRIES[3], tolerance="45%", reason=first.reason)
    entries = (made_up.ENTRIES[0], first, made_up.ENTRIES[2], second, *made_up.ENTRIES[4:])
    rows = cells(planted(monkeypatch, tmp_path, entries=entries).panel("reproduce-why").drawing)
    assert rows[-1] == ["●| within tolerance", "noise ε = 1, noise ε = 2: ‖bias‖₁",
                        "Chance of 200. Allowed: 10.5% to 45%.", "–"]


def test_the_table_of_numbers_has_all_of_it() -> None:
    table = asked().panel("reproduce-numbers").table
    assert table is not None and len(table) == 6
    assert table["verdict"].tolist() == [str(v) for v in made_up.VERDICTS["P0", "table1"]]
    assert table["ours"].tolist() == ["0.36", "104 ± 1.5", "0.50", "70", "400", "900"]
    assert table["other readings"].tolist()[-1] == "donors differ: 1200"


def test_what_prints_no_number_shows_its_claims_and_what_is_missing() -> None:
    panel = asked(rp_item="p1-fig2").panel("reproduce-numbers")
    assert "The text prints no number of it" in panel.prose[0]
    assert panel.caption.endswith("Only words. The paper came without its pictures.")
    assert [row[0].split("|")[0] for row in cells(panel.drawing)] == [
        f"Swapping is worst. {made_up.HOSTILE}", "Error falls with ε."]
    assert panel.table is not None and len(panel.table) == 5


def test_what_nothing_makes_again_says_so() -> None:
    answer = asked(rp_item="p1-fig9")
    assert cells(answer.panel("reproduce-numbers").drawing) == [["noise", "7|●| –| not made again"]]
    assert "Nothing here makes it again." in cells(answer.panel("reproduce-why").drawing)[0][2]
    lost = asked(rp_item="p4-text-9.5")
    assert "Engineers 2000 is not on this machine" in cells(
        lost.panel("reproduce-why").drawing)[0][2]


# ---------------------------------------------------------------- claims and theorems


def signs(row: Any) -> list[list[str]]:
    return [[one.text or "" for one in cell.findall("b")] for cell in row.findall("td")]


def test_claims_that_fail_come_first_with_each_data_set_and_treatment() -> None:
    panel = asked(rp_claims="all").panel("reproduce-claims")
    tree = markup(panel.drawing)
    heads = [one.text for one in tree.findall(".//thead//th")]
    assert heads == ["Claim", "Massachusetts", "Texas", "Massachusetts twin", "Other data",
                     "Numbers on the paper’s own data"]
    rows = tree.findall(".//tbody/tr")
    said = ["".join(one[0].itertext()) for one in rows]
    assert [text.split(":")[-1].strip() for text in said] == [
        "does not hold", "holds in some", "holds", "holds", "not decided"]
    assert signs(rows[1])[:3] == [["✓", "✗"], ["✗", "✗"], []]
    assert signs(rows[2])[:3] == [["✓", "✓"], [], ["✓", "✓"]]
    assert signs(rows[4])[0] == ["?"]
    labels = [one.attrib["aria-label"] for one in rows[1].findall("td/b")][:2]
    assert labels == ["holds, empty groups left at zero",
                      "does not hold, empty groups like any other"]
    assert "".join(rows[0][4].itertext()) == "Pima diabetes study: ✗"
    assert "".join(rows[1][5].itertext()) == (
        "5 against 4; it fails with empty groups like any other: 3 < 4")
    table = panel.table
    assert table is not None
    assert Counter(table["holds"]) == {"yes": 6, "no": 4, "not decided": 1}


def test_claims_are_those_that_fail_or_of_a_paper() -> None:
    assert len(cells(asked().panel("reproduce-claims").drawing)) == 2
    assert len(cells(asked(rp_claims="P1").panel("reproduce-claims").drawing)) == 2
    none = asked(rp_claims="P2").panel("reproduce-claims")
    assert none.drawing is None and none.caption.startswith("0 claims of P2")


def test_theorems_are_folded_with_their_verdicts() -> None:
    panel = asked().panel("reproduce-theorems")
    assert panel.folded
    assert cells(panel.drawing) == [
        ["P0| Theorem 2", "A bound.", "1.01", "1.1", "fails", "Nine people. K = 7."],
        ["P3| Theorem 1", "An ε.", "15.4", "15.4", "holds", " P = 5%."]]


# ---------------------------------------------------------------- what is planted shows


def test_a_changed_published_value_changes_what_is_shown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wrong = dataclasses.replace(made_up.ENTRIES[0], printed="0.37")
    answer = planted(monkeypatch, tmp_path, entries=(wrong, *made_up.ENTRIES[1:]))
    assert answer.headline.startswith("1 of 9 printed results comes out")
    assert bars_of(answer)["P0 Table 1"]["differs"] == 3
    assert "match" not in bars_of(answer)["P0 Table 1"]
    assert cells(answer.panel("reproduce-numbers").drawing)[0][1] == "0.37|●| 0.36| differs"


def test_a_convention_or_a_tolerance_that_changes_changes_the_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = dataclasses.replace(made_up.ENTRIES[5], convention="donors differ", printed="1200")
    wider = dataclasses.replace(made_up.ENTRIES[1], tolerance="3%")
    entries = (made_up.ENTRIES[0], wider, *made_up.ENTRIES[2:5], other, *made_up.ENTRIES[6:])
    found = bars_of(planted(monkeypatch, tmp_path, entries=entries))["P0 Table 1"]
    assert {k: v for k, v in found.items() if v} == {
        "match": 2, "same order only": 2, "differs": 1, "cannot be": 1}


def test_a_mechanism_that_gives_something_else_changes_the_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ours = (Ours("noise eps=1", "delta", 0.3701, dataset="ma2019"), *made_up.OURS[1:])
    answer = planted(monkeypatch, tmp_path, {"p0-table1": Part(1.0, ours)})
    assert answer.headline.startswith("1 of 9 printed results comes out")


def test_a_claim_that_turns_round_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    turned = Part(1.0, tried=(Tried("ma2019", "kept", False, "4 against 3"),
                              Tried("ma2019", "filled", True, "2 against 3")))
    answer = planted(monkeypatch, tmp_path, {"p0-claim-1": turned})
    assert "2 hold on some data or treatment" in answer.more
    rows = cells(answer.panel("reproduce-claims").drawing)
    assert len(rows) == 3 and any("Noise is below hiding." in row[0] for row in rows)


# ---------------------------------------------------------------- made again


@pytest.fixture
def no_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but numbers is made again."""
    monkeypatch.setattr("sdc_core.papers.running.CLAIMS", ())


@pytest.mark.usefixtures("no_claims")
def test_a_table_made_now_stands_in_place_of_the_stored_one(real_data: Any) -> None:
    """Twice as large now: nothing matches, and it is judged."""
    real_data("ma2019")
    answer = asked(rp_ours="quick")
    panel = answer.panel("reproduce-numbers")
    assert panel.table is not None
    assert panel.table["verdict"].tolist() == [
        "differs", "same order only", "differs", "same order only", "differs", "differs"]
    assert "Ours were made now, with fewer releases, which scatter more." in panel.caption
    assert "In the stored run 2 of 6 came out." in panel.caption
    assert answer.headline == asked().headline  # that of the stored run
    assert answer.provenance is not None
    assert answer.provenance.computed.endswith("; those of P0 Table 1 made now, with seed 7")
    full = asked(rp_ours="full").panel("reproduce-numbers").caption
    assert "Ours were made now, in full." in full


@pytest.mark.usefixtures("no_claims")
def test_without_real_data_it_is_made_on_the_twin_and_not_judged(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sdc_core.questions.reproduce.Attempt", lambda full=True, **more: (
        made_up.Attempt(full, twins_only=True)))
    answer = asked(rp_ours="quick")
    panel = answer.panel("reproduce-numbers")
    assert panel.table is not None and set(panel.table["verdict"]) == {"not judged"}
    assert "on Massachusetts twin (synthetic)" in panel.caption
    assert any("own data are not on this machine" in one.text for one in answer.notices)
    assert answer.headline.startswith("2 of 9")  # what is stored was judged on the real data


def test_costly_work_waits_for_its_button_at_the_panel() -> None:
    work = Work(started=())
    answer = sdc.ask("reproduce", STUDY, work=work, rp_ours="full")
    (job,) = answer.waiting
    assert job.panel == "reproduce-numbers" and job.label == "Make P0 Table 1 again"
    assert "about 10 seconds" in job.note  # 12 for the table and one for its claim
    table = answer.panel("reproduce-numbers").table
    assert table is not None and table["verdict"].tolist()[0] == "match"  # still what is stored
    assert asked().waiting == ()
    assert sdc.ask("reproduce", STUDY, work=Work(started=()), rp_item="p1-fig9",
                   rp_ours="full").waiting == ()  # nothing to make


def button(app: AppTest) -> Any:
    return next((one for one in app.button if one.key == "run.reproduce"), None)


@pytest.mark.usefixtures("no_claims")
def test_the_page_makes_a_table_again_at_a_press() -> None:
    with shown.answers_of_pages() as seen:
        app = opened({**TWIN, "rp_ours": "quick"}, PAGE)
        assert button(app) is not None
        before = seen[-1][1].panel("reproduce-numbers").caption
        assert before.startswith("Ours as in the stored run of 2026-01-02")
        button(app).click().run()
        assert not app.exception and button(app) is None
        assert "Ours were made now" in seen[-1][1].panel("reproduce-numbers").caption


# ---------------------------------------------------------------- what leaves


def test_words_of_papers_are_only_text() -> None:
    answer = asked(rp_item="p4-text-9.5", rp_claims="all")
    for panel in answer.panels:
        assert "<img" not in str(panel.drawing) + panel.legend
    csv = asked(rp_claims="all").panel("reproduce-claims").table
    assert csv is not None
    read = pd.read_csv(io.BytesIO(csv_bytes(csv)))
    assert len(read) == len(csv)


def test_one_number_has_words_of_its_own() -> None:
    found = last_run()
    assert words.table_sentence(found.tables[0].judged[:1]) == "1 number, and it matches."
    assert words.table_sentence(found.tables[0].judged[2:3]) == "1 number: 1 differs."
    assert words.claims_sentence(()) == ""
    assert [words.short_name(one) for one in found.tables[1:]] == [
        "Table 2", "Figure 2", "Figure 9", "§9.5"]


def test_what_comes_out_is_blue_and_nothing_else_that_is_counted_is() -> None:
    """The caption says so: of results, those that match or are within tolerance."""
    assert "Blue comes out as printed" in asked().panel("reproduce-papers").caption
    for one in Verdict:
        if one in (Verdict.NOT_MADE, Verdict.NOT_JUDGED, Verdict.GIVEN):
            continue  # greys
        red, green, blue = (int(COLORS[one][i : i + 2], 16) for i in (1, 3, 5))
        assert (blue > max(red, green)) == (one in GOOD), one


def test_what_is_given_is_counted_in_no_name_and_no_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A setting comes out as printed: it is in the bar, and no result anywhere."""
    given = made_up.entry("P0", "table1", "noise eps=3", "delta", "3", given="a setting")
    ours = Ours("noise eps=3", "delta", 3.0, dataset="ma2019")
    answer = planted(
        monkeypatch, tmp_path, {"p0-table1": Part(1.0, (*made_up.OURS, ours))},
        (*made_up.ENTRIES[:6], given, *made_up.ENTRIES[6:]))
    assert answer.headline.startswith("2 of 9 printed results come out")
    assert "1 more printed number" in answer.first
    panel = answer.panel("reproduce-papers")
    chart = only(panel)
    assert bars_of(answer)["P0 Table 1"]["given"] == 1
    assert chart.layout.annotations[0].text.endswith(": 2 of 6")
    ends = next(t for t in chart.data if t.type == "scatter")
    assert ends.text[0].strip() == "2 of 6" and ends.x[0] == 7
    assert "P0 Table 1 2 of 6 results" in panel.alt


def test_files_say_under_each_head_what_it_names() -> None:
    """Theorems, and claims with where they hold, where not, and where it is not decided."""
    found = last_run()
    checks = asked().panel("reproduce-theorems").table
    assert checks is not None
    for row, one in zip(checks.to_dict("records"), found.theorems, strict=True):
        assert (row["printed"], row["exact"], row["verdict"], row["reason"], row["setting"]) == (
            one.printed, one.exact, str(one.verdict), one.reason, one.setting)
    assert any(one.reason and one.setting and one.reason != one.setting for one in found.theorems)
    frame = claims_frame(found.findings)
    for row, finding in zip(frame.to_dict("records"), found.findings, strict=True):
        tried = {one.holds for one in finding.tried}
        assert {True: row["holds"] != "", False: row["does not"] != "",
                None: row["not decided"] != ""} == {one: one in tried for one in (
                    True, False, None)}


def test_tolerance_and_convention_stand_in_their_own_columns() -> None:
    table = asked().panel("reproduce-numbers").table
    assert table is not None
    mine = [one for one in made_up.ENTRIES if one.item == "table1"]
    for column in ("row", "column", "printed", "tolerance", "convention"):
        assert table[column].tolist() == [getattr(one, column) for one in mine], column
    assert any(one.tolerance for one in mine) and any(one.convention for one in mine)

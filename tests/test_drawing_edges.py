"""Drawings, tables and words that only some numbers show: names that are too long for their place,
labels that would lie on each other, ends of axes, and how the glossary and files are written."""

from __future__ import annotations

import dataclasses
import re
import types
import unicodedata
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.calibrate import Interval
from sdc_core.figures import bars as html_bars
from sdc_core.figures.map_labels import _LETTER, _PIXELS, _SMALL, _beside, _inside
from sdc_core.figures.map_layout import Placed, _placed_overview
from sdc_core.figures.theme import styles
from sdc_core.geography.overview import Overview
from sdc_core.metrics.reconstruction import HiddenTable
from sdc_core.metrics.sparsity import ErrorLine, Sparsity
from sdc_core.questions import QUESTIONS
from sdc_core.questions.answer import TableView
from sdc_core.questions.question import Question
from sdc_core.questions.sparsity import figures as sparsity_figures
from sdc_core.questions.tune import figures as tune_figures
from sdc_core.questions.undo.compute import Undone
from sdc_core.questions.undo.figures import hidden_table, undo_frame
from sdc_core.report import brief
from sdc_core.report.brief_file import Brief, Pin
from sdc_core.words.glossary import GLOSSARY, explained
from tests.test_every_figure import study_of

ROOT = Path(__file__).parents[1]
QUICK = ("compare", "undo", "protected", "swap_rate", "your_data", "sparsity", "delta_epsilon",
         "map", "funding", "theorems", "swapping_changes", "tune")
# What readers bring along and may ask the command for, or what is put together when it is said.
BROUGHT = {"efficient frontier", "2-marginal score", "2-marginal", "ℓ₁", "ℓ₂", "sampling weight",
           "biased", "unfair"}
EPSILON = sdc.mechanism("laplace").params()[0]


# -------------------------------------------------------------------------------------------- maps


def square(side: float) -> tuple[Placed, list[tuple[np.ndarray, np.ndarray]]]:
    x = np.array([500.0, 500 + side, 500 + side, 500, 500])
    y = np.array([300.0, 300, 300 + side, 300 + side, 300])
    middle = np.array([500 + side / 2])
    area = Placed("1", x, y, (500 + side / 2, 300 + side / 2), middle, middle - 200, True,
                  (0.0, 0.0, 1000.0, 700.0))
    return area, [(x, y)]


def test_a_name_stands_within_its_area_only_where_there_is_room() -> None:
    forms = [(("Elm",), 11)]
    for side, words in ((400.0, ("Elm",)), (2.0, None)):
        area, rings = square(side)
        found = _inside(area, 0, rings, forms, 3)
        assert (None if found is None else found.words) == words


def test_a_long_word_beside_its_area_is_not_broken() -> None:
    area, rings = square(40.0)
    found = _beside(area, 0, [rings], "Northborough", 3, [])
    assert found is not None and found.words == ("Northborough",) and found.number
    room = _LETTER * _SMALL * 10 / _PIXELS + 12  # for ten letters to either side, not for twelve
    narrow = dataclasses.replace(area, frame=(500 - room, 0.0, 540 + room, 700.0))
    assert _beside(narrow, 0, [rings], "Northborough", 3, []) is None
    assert _beside(narrow, 0, [rings], "Northboro", 3, []) is not None
    several = _beside(area, 0, [rings], "Great Barrington Town", 3, [])
    assert several is not None and " ".join(several.words) == "Great Barrington Town"


def test_parts_of_an_outline_are_parted_and_keep_their_points() -> None:
    rings = tuple((np.array([0.0, 4, 4]) + at, np.array([0.0, 0, 2])) for at in (0, 6))
    tiles, side, (x, y) = _placed_overview(Overview(rings, {"a": (1.0, 1.0), "b": (9.0, 1.0)}, 1.0),
                                           {"a"}, 100.0, 400.0)
    assert list(tiles) == ["a"] and side > 0
    assert np.isnan(x).tolist() == np.isnan(y).tolist() == [False, False, False, True] * 2
    scale = (x[1] - x[0]) / 4
    np.testing.assert_allclose(x[4:7] - x[:3], 6 * scale, rtol=1e-5)
    np.testing.assert_allclose(y[[2, 6]] - y[[0, 4]], 2 * scale, rtol=1e-5)
    assert np.nanmin(y) == pytest.approx(100) and np.nanmax(x) <= 1000


# ------------------------------------------------------------------------------------------ charts


def solution(**how: Any) -> Any:
    usual: dict[str, Any] = {"param": EPSILON, "intervals": (), "reached": True,
                             "limits": (0.01, 100.0)}
    return types.SimpleNamespace(**(usual | how))


def test_labels_that_would_lie_on_each_other_are_those_of_one_row() -> None:
    two = [solution(), solution()]
    same_row = tune_figures._labels(two, [(0, 1.0), (0, 1.1), (0, 9.0)], [0.5, 0.51, 0.8])
    assert [bool(text) for text in same_row] == [True, False, True]
    assert same_row[0] == "<b>ε = 1</b>"
    other_row = tune_figures._labels(two, [(0, 1.0), (1, 1.1)], [0.5, 0.51])
    assert all(other_row)
    at_an_end = tune_figures._labels(two, [(0, 0.01), (0, 1.0)], [0.0, 0.5])
    assert [bool(text) for text in at_an_end] == [False, True]  # the end is a tick already
    unmet = tune_figures._labels([solution(reached=False)], [(0, 0.01)], [0.0])
    assert all(unmet)
    ends = solution(intervals=(Interval(1.1, 5.0),))
    kept = tune_figures._labels([ends], [(0, 1.0), (0, 1.1)], [0.5, 0.51])
    assert [bool(text) for text in kept] == [False, True]  # that of an end stays


def test_a_row_of_settings_is_seen_from_end_to_end() -> None:
    found = sdc.ask("tune", study_of(next(q for q in QUESTIONS if q.address == "tune")))
    (chart,) = [f for p in found.panels for f in p.figures][:1]
    low, high = chart.layout.xaxis.range
    assert low < 0 < 1 < high
    bottom, top = chart.layout.yaxis.range  # rows are counted downwards
    lines = [t for t in chart.data if t.name == "range"]
    assert top < 0 <= len(lines) - 1 < bottom
    assert [set(t.y) for t in lines] == [{row} for row in range(len(lines))]


def test_the_axis_reaches_above_where_two_lines_meet() -> None:
    lines = tuple(ErrorLine(sdc.mechanism(name), 5, at, slope) for name, at, slope in (
        ("laplace", 300.0, 2.0), ("suppression", 310.0, 1.0)))
    meet = types.SimpleNamespace(share=0.6, empty=10.0)
    found = Sparsity("l1_bias", 5, 4, lines, (), lines, cast(Any, meet))
    (height,) = sparsity_figures._crossing_height(found)
    assert 1.1 * lines[0].at(10.0) < height < 2 * lines[0].at(10.0)
    for share, there in ((0.95, False), (0.94, True), (0.0, False)):
        at = types.SimpleNamespace(share=share, empty=10.0)
        one = dataclasses.replace(found, crossing=cast(Any, at))
        assert bool(sparsity_figures._crossing_height(one)) == there
    assert sparsity_figures._crossing_height(dataclasses.replace(found, pair=None)) == []


def test_names_of_areas_stand_in_the_four_corners_of_their_chart() -> None:
    corners = sparsity_figures._CORNERS
    assert {(x > 0.5, y > 0.5) for x, y in corners} == {
        (a, b) for a in (True, False) for b in (True, False)}
    assert all(0 < min(at, 1 - at) < 0.1 for corner in corners for at in corner)


@pytest.mark.parametrize(("panels", "threes"), [(1, False), (5, False), (6, True), (7, False)])
def test_bars_are_styled_and_six_stand_in_two_rows_of_three(panels: int, threes: bool) -> None:
    one = html_bars.Panel("Error", "people", (1.0, 2.0), (0.1, 0.0), ("1", "2"), 2.0)
    methods = [sdc.mechanism("laplace"), sdc.mechanism("suppression")]
    markup = html_bars.bars([one] * panels, ["a", "b"], styles(methods), "In <words>.")
    assert ('class="bars threes"' in markup) == threes
    assert 'aria-label="In &lt;words&gt;."' in markup
    assert unstyled(markup) == set() and markup.count("<h3>") == panels


def unstyled(markup: str) -> set[str]:
    """Classes of elements that no rule of the drawing's own style sheet knows."""
    sheets, rest = re.findall(r"<style>.*?</style>", markup, re.DOTALL), re.sub(
        r"<style>.*?</style>", "", markup, flags=re.DOTALL)
    if not sheets:
        return set()
    used = {name for found in re.findall(r'class="([^"]*)"', rest) for name in found.split()}
    return {name for name in used if not re.search(rf"\.{re.escape(name)}\b", " ".join(sheets))}


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q.address in QUICK],
                         ids=lambda q: q.address)
def test_looks_are_of_columns_that_are_there_and_classes_have_a_rule(question: Question) -> None:
    for panel in sdc.ask(question.address, study_of(question)).panels:
        if isinstance(panel.drawing, str):
            assert unstyled(panel.drawing) == set(), panel.name
        if not isinstance(panel.drawing, TableView):
            continue
        frame = panel.drawing.frame
        assert set(panel.drawing.looks) <= set(map(str, frame.columns)), panel.name
        for name, look in panel.drawing.looks.items():
            if look.format is not None:
                assert pd.api.types.is_numeric_dtype(frame[name]), (panel.name, name)
            if look.title is not None and look.title.islower():  # shorter, but the same
                assert set(look.title.split()) & set(name.lower().split()), (panel.name, name)


def test_what_is_known_of_hidden_counts_is_said_of_each() -> None:
    counts = np.array([[2, 9, 3], [4, 1, 8]])
    table = HiddenTable(counts, counts < 6, 0, 5)
    low, high = np.array([[2, 0, 1], [0, 0, 0]]), np.array([[2, 0, 4], [5, 0, 0]])
    low[1, 1] = high[1, 1] = 1
    subtracted = np.zeros((2, 3), dtype=bool)
    subtracted[1, 1] = True
    found = Undone(table, ("r0", "r1"), ("c0", "c1", "c2"), subtracted, low, high)
    frame = undo_frame(found)
    by = {(row.group, row.place): row for row in frame.itertuples()}
    known = dict(zip(zip(frame["group"], frame["place"], strict=True), frame["known by"],
                     strict=True))
    assert known == {("r0", "c0"): "no other number fits", ("r0", "c2"): "narrowed down",
                     ("r1", "c0"): "nothing learnt", ("r1", "c1"): "subtraction"}
    assert len(by) == 4 and frame["true count"].tolist() == [2, 3, 4, 1]
    assert frame["at least"].tolist() == [2, 1, 0, 1] and frame["at most"].tolist() == [2, 4, 5, 1]
    markup = hidden_table(found, "Here")
    assert re.findall(r'<td class="(\w+)"><span', markup) == ["back", "near", "back"]
    assert unstyled(markup) == set() and "→" not in hidden_table(found, "Here", told=False)


# ------------------------------------------------------------------------------------------- words


def test_every_spelling_of_a_word_is_one_that_somebody_writes() -> None:
    """In what the program says, of whichever page; a spelling that nobody uses links nothing."""
    said = " ".join(
        path.read_text() for folder in ("sdc_core", "ui", "docs") for kind in ("*.py", "*.md")
        for path in (ROOT / folder).rglob(kind) if path.name != "glossary.py")
    said = re.sub(r'"\s*\n\s*f?"', "", said).lower()  # sentences that go on in the next line
    for term in GLOSSARY:
        unused = {way for way in term.spelled
                  if not re.search(rf"(?<!\w){re.escape(way.lower())}s?(?!\w)", said)}
        assert unused <= BROUGHT, term.slug


def test_the_address_of_a_word_is_the_word() -> None:
    for term in GLOSSARY:
        words = {unicodedata.normalize("NFKD", way).lower().replace("δ", "delta").replace(" ", "-")
                 for way in (term.title, *term.spelled)}
        named = {re.sub(r"[^a-z0-9]+", "-", way).strip("-") for way in words} | {
            unicodedata.name(term.title).lower().split()[-1] if len(term.title) == 1 else ""}
        assert any(name.startswith(term.slug) for name in named), (term.slug, named)
        assert explained(term.title) is term


def test_a_run_file_is_readable_whatever_its_letters() -> None:
    frame = pd.DataFrame({"Größe": ["klein", "groß"] * 40, "ort": ["Zürich", "Genève"] * 40})
    run = sdc.ask("swap_rate", sdc.Study(sdc.load_dataset(frame), ["Größe", "ort"])).run
    assert run is not None and "Größe" in run.to_json() and "\\u" not in run.to_json()


def test_a_brief_is_white_unless_a_page_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    monkeypatch.setattr(brief, "run_again", lambda run, own, work, dark: seen.append(dark))
    run = sdc.ask("swap_rate", sdc.Study(sdc.load_dataset("ma2019-twin"))).run
    assert run is not None
    brief.answers_of(Brief(pins=(Pin(run),)))
    brief.answers_of(Brief(pins=(Pin(run),)), dark=True)
    assert seen == [False, True]

"""Tables wider than their place, and small charts and bars that wrap to a further row."""

from __future__ import annotations

import re

import pandas as pd

import sdc_core as sdc
from sdc_core.figures.bars import Panel, bars
from sdc_core.figures.reading_table import frame_table, sideways
from sdc_core.figures.theme import styles
from sdc_core.questions.published_tables import figures as published
from sdc_core.questions.reproduce import tables
from sdc_core.questions.undo import figures as undo
from tests.reading import look, markup
from ui import paper, render


def test_every_wide_table_shows_that_there_is_more() -> None:
    assert sideways(".yearbook") in published._STYLE and sideways(".undo") in undo._STYLE
    assert sideways(".reading-table") in frame_table("Words", pd.DataFrame({"a": ["b"]}))
    assert "reading_table" in vars(tables)


def test_a_hidden_number_has_one_weight_in_all_rows() -> None:
    """As specific as the rules for bold rows, and after them."""
    rules = re.findall(r"(\.yearbook [^{}]*\btd\b[^{}]*) \{([^}]*)\}", published._STYLE)
    weights = [rule for rule, said in rules if "font-weight" in said]
    assert weights[-1] == ".yearbook td.no"


def test_a_frame_of_words_wraps_and_is_escaped() -> None:
    drawn = frame_table("Ways <1>", pd.DataFrame({"way": ["<b>"], "learnt": ["a & b"]}))
    assert '<th scope="row">&lt;b&gt;</th><td>a &amp; b</td>' in drawn
    assert 'aria-label="Ways &lt;1&gt;"' in drawn and "nowrap" not in drawn.split("</style>")[1]


def test_bars_of_a_row_stand_level() -> None:
    looks = styles([sdc.mechanism("laplace"), sdc.mechanism("suppression")])
    one = Panel("Error", "people", [1.0, 2.0], [0.0, 0.0], ["1", "2"], 2.0)
    drawn = bars([one, one], ["A", "B"], looks, "in words")
    assert "grid-template-rows: subgrid" in drawn
    assert [look(panel)["grid-row"] for panel in markup(drawn)] == ["span 3", "span 3"]


def test_small_charts_are_alike_on_screen_and_on_paper() -> None:
    for style in (render.STYLE, paper.STYLE):
        rule = style.split('[class*="st-key-beside-"]')[1].split("}")[0]
        assert "grid-template-columns: repeat(auto-fit" in " ".join(rule.split())

"""Marks are seen and letters are read, on light pages and on dark ones."""

from __future__ import annotations

import re

import pytest

from sdc_core.figures.bars import Panel, bars
from sdc_core.figures.contrast import DARK_PAGE, LIGHT_PAGE, contrast, ink, ink_on, rim
from sdc_core.figures.theme import (
    FAILURE,
    MUTED,
    MUTED_TEXT,
    SHADES,
    DescribedFigure,
    Style,
    figure,
    scatter,
)
from sdc_core.mechanisms.base import Family
from sdc_core.papers.verdicts import Verdict
from sdc_core.questions.microdata_lab import figures as lab
from sdc_core.questions.reproduce.figures import COLORS, color_of
from tests.reading import look, markup
from ui import chart_ink

PALETTE = [*(one for shades in SHADES.values() for one in shades), FAILURE, MUTED]
PALE = "#C2B9AD"  # of traditional methods


def rims(found: DescribedFigure) -> list[object]:
    return [trace["marker"].get("line", {}).get("color") for trace in found.to_dict()["data"]]


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#FFFFFF") == contrast("#FFFFFF", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.005)
    assert contrast("#808495", "#FFFFFF") == pytest.approx(3.72, abs=0.005)


@pytest.mark.parametrize("color", PALETTE)
def test_every_colour_has_letters_and_a_rim_that_are_seen(color: str) -> None:
    for page in (LIGHT_PAGE, DARK_PAGE):
        assert contrast(rim(color), page) >= 3 and contrast(ink(color, page), page) >= 4.5
        if contrast(color, page) >= 4.5:
            assert ink(color, page) == color
    assert contrast(ink_on(color), color) >= 4.4


@pytest.mark.parametrize("end", [one for _, one in lab._DIVERGING])
def test_numbers_in_the_heat_map_are_read(end: str) -> None:
    assert contrast(lab._LETTERS, end) >= 4.5


def test_pale_marks_and_bars_have_a_rim_and_others_none() -> None:
    drawn = figure([
        scatter(x=[1], y=[1], mode="markers", marker={"color": PALE}),
        scatter(x=[1, 2], y=[1, 2], mode="lines+markers", marker={"color": [PALE, "#D82BBB"]}),
        scatter(x=[1], y=[1], mode="markers", marker={"color": "#D82BBB"}),
        {"type": "bar", "x": [1], "y": [1], "marker": {"color": PALE}},
        scatter(x=[1], y=[1], mode="markers", marker={"color": PALE, "opacity": 0.5}),
        scatter(x=[1], y=[1], mode="markers", marker={"color": PALE, "line": {"width": 2}}),
        scatter(x=[1], y=[1], mode="markers", marker={"color": "rgba(0,0,0,0)"}),
    ], 100)
    assert isinstance(drawn, DescribedFigure)
    assert rims(drawn) == [rim(PALE), [rim(PALE), "#D82BBB"], None, rim(PALE), None, None, None]


def test_bars_in_html_have_a_rim() -> None:
    drawn = markup(bars([Panel("Error", "", [1.0], [0.0], ["1"], 1.0)], ["A"],
                        [Style(PALE, "dash", "circle")], "in words"))
    assert look(drawn[0].find("div/div/div"))["box-shadow"].endswith(rim(PALE))


def test_letters_over_a_line_have_the_page_around_them() -> None:
    """But for those on a ground of their own."""
    (halo,) = re.findall(r"rect\.bg(.+?) ~ text\.annotation-text \{([^}]*)\}", chart_ink.STYLE)
    assert halo[0] == '[style*="fill-opacity: 0;"]'
    assert f"stroke: light-dark({LIGHT_PAGE}, {DARK_PAGE})" in halo[1]


def test_what_is_not_judged_recedes_on_either_page() -> None:
    for page, dark in ((LIGHT_PAGE, False), (DARK_PAGE, True)):
        seen = {one: contrast(color_of(one, dark), page) for one in COLORS}
        assert min(seen, key=lambda one: seen[one]) is Verdict.GIVEN
        assert min(contrast(ink_on(color_of(one, dark)), color_of(one, dark))
                   for one in COLORS) >= 4.4


def of(family: Family) -> list[str]:
    return [ink(one) for one in SHADES[family]]


def test_a_dark_page_changes_the_colours_of_letters() -> None:
    """Every colour that letters are drawn in is found by the style, in either page's version."""
    found = {
        f"#{int(r):02X}{int(g):02X}{int(b):02X}": (light, dark)
        for r, g, b, light, dark in re.findall(
            r"rgb\((\d+), (\d+), (\d+)\).*?light-dark\((#\w+), (#\w+)\)", chart_ink.STYLE)
    }
    assert {ink(FAILURE), MUTED_TEXT, *of("dp"), *of("sdc"), *of("dp-sdc")} == set(found)
    for light, dark in found.values():
        assert contrast(light, LIGHT_PAGE) >= 4.5 and contrast(dark, DARK_PAGE) >= 4.5


def test_a_rim_is_wide_enough_to_be_seen() -> None:
    """A line of no width is not drawn, whatever its colour."""
    (trace,) = figure([{"type": "bar", "x": [1], "y": [1], "marker": {"color": PALE}}],
                      100).to_dict()["data"]
    assert trace["marker"]["line"]["width"] >= 1

"""What all drawings share: the palette, bars in HTML, axes along a parameter, described figures."""

from __future__ import annotations

import colorsys
import itertools
import json
import math

import numpy as np
import plotly.graph_objects as go
import pytest

import sdc_core as sdc
from sdc_core.figures import theme
from sdc_core.figures.axes import band, mark_here, parameter_axis, value_format
from sdc_core.figures.bars import Panel, bars
from sdc_core.figures.rows import Dots, dot_plot
from sdc_core.figures.theme import FAILURE, SHADES, faded, safe_label, styles, titled
from sdc_core.mechanisms import mechanisms
from sdc_core.parameters import EPSILON, THRESHOLD, Real
from sdc_core.questions.question import usual_methods
from tests.reading import look, markup, share

CHOSEN = [sdc.mechanism("laplace"), sdc.mechanism("dp-suppression"), sdc.mechanism("suppression")]
NAMES = [one.name for one in mechanisms()]
SHARE = Real(name="rate", title="Rate", default=0.1, low=0, high=1, percent=True)


# ---------------------------------------------------------------- the palette


def hue(color: str) -> float:
    """In degrees: 0 red, 120 green, 240 blue."""
    red, green, blue = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return 360 * colorsys.rgb_to_hls(red, green, blue)[0]


def test_colour_says_the_family() -> None:
    """Differential privacy blue to teal, traditional orange to vermilion, DP versions purple."""
    private, version, traditional = (s.color for s in styles(CHOSEN))
    assert all(170 < hue(c) < 215 for c in SHADES["dp"]) and private in SHADES["dp"]
    assert all(10 < hue(c) < 40 for c in SHADES["sdc"]) and traditional in SHADES["sdc"]
    assert all(260 < hue(c) < 325 for c in SHADES["dp-sdc"]) and version in SHADES["dp-sdc"]
    assert hue(FAILURE) > 340  # red, and none of the families
    assert [s.dash for s in styles(CHOSEN)] == ["solid", "solid", "dash"]


def test_a_method_looks_the_same_whatever_else_is_chosen() -> None:
    alone = {name: styles([sdc.mechanism(name)])[0] for name in NAMES}
    assert len({look.color for look in alone.values()}) == len(NAMES)
    for shift in range(len(NAMES)):
        order = [*NAMES[shift:], *NAMES[:shift]]
        assert styles([sdc.mechanism(n) for n in order]) == [alone[n] for n in order]


def test_the_same_method_set_otherwise_keeps_colour_and_shape() -> None:
    first, other, again, third = styles([
        sdc.mechanism("suppression", k=k) if k else CHOSEN[0] for k in (3, 0, 6, 9)])
    assert first.color == again.color == third.color != other.color
    assert (first.symbol, again.symbol, third.symbol) == ("square", "square-dot", "square-open-dot")
    assert again.hollow == third.hollow == "square-open-dot" and first.hollow == "square-open"
    assert len({first.dash, again.dash, third.dash}) == 3
    for symbol in (first.symbol, again.symbol, again.hollow, first.hollow):
        go.scatter.Marker(symbol=symbol)  # plotly refuses what it does not know


# What the common kinds of colour blindness make of linear red, green and blue (Machado, Oliveira
# and Fernandes 2009, severity 1).
VISION = {
    "usual": np.eye(3),
    "no red": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                        [-0.003882, -0.048116, 1.051998]]),
    "no green": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                          [-0.011820, 0.042940, 0.968881]]),
    "no blue": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                         [0.004733, 0.691367, 0.303900]]),
}
TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                   [0.0193339, 0.1191920, 0.9503041]])


def linear(color: str) -> np.ndarray:
    part = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def lab(color: str, vision: str) -> np.ndarray:
    """CIE L*a*b* of a colour as it is seen: equal distances look about equally different."""
    seen = np.clip(VISION[vision] @ linear(color), 0, 1)
    xyz = TO_XYZ @ seen / np.array([0.95047, 1.0, 1.08883])
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", VISION)
def test_methods_are_told_apart_by_readers_who_do_not_see_all_colours(vision: str) -> None:
    """A difference of 2.3 can just be noticed side by side; ten is plain. The four methods that
    pages start with also differ in shape."""
    shades = [shade for family in SHADES.values() for shade in family]
    for one, other in itertools.combinations(shades, 2):
        assert np.linalg.norm(lab(one, vision) - lab(other, vision)) > 10, (one, other)
    usual = styles([m for m in usual_methods(None).values() if m])  # type: ignore[arg-type]
    assert len({s.symbol for s in usual}) == 4


@pytest.mark.parametrize("background", ["#FFFFFF", "#12161D"])
def test_shades_stand_out_from_the_page(background: str) -> None:
    """Contrast 3 for those that pages start with, as for any graphical object; the labels beside
    them carry the others."""
    def contrast(color: str) -> float:
        levels = sorted(TO_XYZ[1] @ linear(c) + 0.05 for c in (color, background))
        return float(levels[1] / levels[0])

    for shades in SHADES.values():
        assert min(map(contrast, shades)) > 1.85
    usual = styles([m for m in usual_methods(None).values() if m])  # type: ignore[arg-type]
    assert min(contrast(s.color) for s in usual) > 2.6


def test_a_faded_colour_is_the_same_colour() -> None:
    assert faded("#2B7BBA", 0.25) == f"rgba({0x2B},{0x7B},{0xBA},0.25)"


# ---------------------------------------------------------------- bars


def test_bars_have_their_length_text_colour_and_whisker() -> None:
    first = Panel("Error", "people", [2.0, 1.0, 0.0], [0.5, 0.0, 0.25], ["two", "one", "none"], 4.0)
    second = Panel("Chance", "δ", [0.0, 3.0, -1.0], [0.0] * 3, ["a", "b", "c"], 1.0)
    labels = ["A", "B", "C"]
    drawn = markup(bars([first, second], labels, styles(CHOSEN), "in words"))
    assert drawn.attrib["aria-label"] == "in words"
    titles = [((c.find("h3").text or "").strip(), c.findtext("h3/span")) for c in drawn]
    assert titles == [("Error", "people"), ("Chance", "δ")]
    for column, widths in zip(drawn, ([50, 25, 0], [0, 100, 0]), strict=True):
        rows = column.findall("div")
        found = [row.find("div/div") for row in rows]
        assert [share(bar, "width") for bar in found] == widths  # never beyond the track
        assert [look(bar)["background"] for bar in found] == [s.color for s in styles(CHOSEN)]
        assert [(row.find("b").tail or "").strip() for row in rows] == labels
    assert [row.findtext("b") for row in drawn[0].findall("div")] == ["two", "one", "none"]
    whiskers = [row.findall("div/div")[1:] for row in drawn[0].findall("div")]
    assert [len(w) for w in whiskers] == [1, 0, 1]
    (one,), (cut,) = whiskers[0], whiskers[2]
    assert (share(one, "left"), share(one, "width")) == (37.5, 25.0)  # 1.5 to 2.5 of 4
    assert share(cut, "left") == 0  # nothing below zero


def test_bars_show_names_from_a_file_as_they_are() -> None:
    panel = Panel("<i>t", "<u>", [1.0], [0.0], ["<b>"], 1.0)
    drawn = bars([panel], ["<script>x</script>"], styles(CHOSEN[:1]), '"><img>')
    (column,) = markup(drawn)
    assert (column.find("h3").text or "").strip() == "<i>t"
    assert column.findtext("h3/span") == "<u>" and column.findtext("div/b") == "<b>"
    assert (column.find("div/b").tail or "").strip() == "<script>x</script>"
    assert markup(drawn).attrib["aria-label"] == '"><img>'


def test_labels_from_a_file_cannot_smuggle_markup() -> None:
    assert safe_label("<a href='x'>b</a>") == "&lt;a href='x'&gt;b&lt;/a&gt;"
    assert titled("T", "note")["text"].startswith("<b>T</b><br>")
    assert titled("T")["text"] == "<b>T</b>"


# ---------------------------------------------------------------- axes


def test_an_axis_along_a_parameter_has_its_range_scale_and_title() -> None:
    loss, smallest, rate = (parameter_axis(p) for p in (EPSILON, THRESHOLD, SHARE))
    assert loss["type"] == "log" and smallest["type"] == rate["type"] == "linear"
    assert loss["range"] == pytest.approx([math.log10(0.05), math.log10(20)])
    assert loss["tickvals"] == [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20]
    assert (smallest["range"], rate["range"]) == ([2, 30], [0, 1])
    assert [a["title"]["text"] for a in (loss, smallest, rate)] == [
        "Privacy loss (ε)", "Smallest count published (k, people)", "Rate"]
    assert [a["tickformat"] for a in (loss, smallest, rate)] == [None, None, ".0%"]
    assert [value_format(p) for p in (EPSILON, SHARE)] == [".3g", ".0%"]
    for axis in (loss, smallest, rate):
        go.Figure(layout={"xaxis": axis})  # plotly knows every setting


def test_the_mark_lies_on_its_line() -> None:
    style = styles(CHOSEN)[1]
    (mark,) = mark_here(3.0, [2, 4, 8], [10.0, 20.0, 0.0], style)
    assert (mark["x"], mark["y"]) == ([3.0], [15.0])
    assert mark["marker"]["color"] == style.color and mark["marker"]["symbol"] == style.symbol
    assert mark["mode"] == "markers" and not mark["showlegend"]
    assert mark_here(None, [2, 4], [1.0, 2.0], style) == []


def test_a_band_goes_there_above_and_back_below() -> None:
    drawn = band([1, 2, 3], [0.0, 1.0, 2.0], [5.0, 6.0, 7.0], "rgba(0,0,0,0.1)")
    assert list(zip(drawn["x"], drawn["y"], strict=True)) == [
        (1, 5.0), (2, 6.0), (3, 7.0), (3, 2.0), (2, 1.0), (1, 0.0)]
    assert drawn["fill"] == "toself" and drawn["fillcolor"] == "rgba(0,0,0,0.1)"


# ---------------------------------------------------------------- described figures


def test_a_described_figure_is_a_plotly_figure_to_whoever_reads_it() -> None:
    x = np.arange(60)
    fig = theme.figure([theme.scatter(x=x, y=[1.0] * 60, line={"width": 2})], 300, bargap=0.2)
    assert isinstance(fig, go.Figure)
    assert fig.data[0].line.width == 2 and list(fig.data[0].x) == list(x)
    assert fig.layout.height == 300 and fig.layout.bargap == 0.2
    given = fig.to_dict()
    given["layout"]["height"] = 1
    given["data"][0]["line"]["width"] = 9
    assert fig.layout.height == 300 and fig.data[0].line.width == 2  # what it gave was a copy
    drawn = json.loads(fig.to_json())
    assert drawn["data"][0]["x"] == x.tolist() and drawn["layout"]["height"] == 300


def test_gaps_in_long_lines_stay_gaps() -> None:
    """None is where the pen is lifted; only data without gaps is packed into arrays."""
    values = [float(i) for i in range(60)]
    packed = theme.scatter(x=values, y=[None, *values[1:]])
    assert isinstance(packed["x"], np.ndarray) and packed["y"][0] is None
    assert theme.figure([packed], 300).data[0].y[0] is None


def test_a_described_figure_cannot_be_changed_unseen() -> None:
    fig = theme.figure([theme.scatter(x=[1], y=[1])], 300)
    for change in (
        lambda: fig.update_layout(height=100), lambda: fig.add_trace({}),
        lambda: setattr(fig, "layout", {}), lambda: fig.__setitem__("layout", {}),
    ):
        with pytest.raises(AttributeError, match="changeable"):
            change()
    own = fig.changeable()
    own.update_layout(height=100)
    assert (own.layout.height, fig.layout.height) == (100, 300)


def test_a_misspelt_setting_is_found_when_the_figure_is_read() -> None:
    fig = theme.figure([theme.scatter(x=[1], y=[1], colour="red")], 300)
    with pytest.raises(ValueError, match="colour"):
        _ = fig.data


# ---------------------------------------------------------------- a row a group


def test_a_long_name_is_broken_into_lines_and_its_row_is_higher() -> None:
    long = "Native Hawaiian or Pacific Islander, renting, in Waltham, Lexington and Burlington"

    def drawn(*names: str) -> go.Figure:
        marks = [Dots("noise", styles(CHOSEN)[0], [1.0] * len(names), [""] * len(names))]
        return dot_plot(names, marks, {})

    one, two = drawn("Ash", "Elm"), drawn("Ash", f"{long} & more")
    said = [note.text for note in two.layout.annotations]
    assert said[0] == "Ash" and said[1].replace("<br>", " ") == f"{long} &amp; more"
    assert said[1].count("<br>") == 1 and max(map(len, said[1].split("<br>"))) <= 58
    assert two.layout.height - one.layout.height == 2 * 15


def test_a_figure_that_is_shown_is_sent_as_it_is() -> None:
    """A page reads it without a copy: the same text, nothing changed by sending it, and it cannot
    be changed either."""
    trace = {"type": "scatter", "x": [1, 2], "y": [3, 4], "marker": {"size": [5, 6]}}
    fig = theme.figure([trace], 200, title={"text": "A"})
    before = fig.to_json()
    shown = fig.to_be_shown()
    assert shown.to_json() == before == fig.to_json()
    assert shown.to_dict()["data"][0] is trace and fig.to_dict()["data"][0] is not trace
    with pytest.raises(AttributeError, match="changeable"):
        shown.update_layout(height=1)

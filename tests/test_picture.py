"""Pictures of panels: what is described, what is drawn, and that nothing is cut.

Every panel of every question is drawn in a real Chromium and read back from its SVG.
"""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from playwright.sync_api import Page

import sdc_core as sdc
from sdc_core import cli
from sdc_core.questions import QUESTIONS
from sdc_core.questions.answer import Answer, ColumnLook, Panel, TableView
from sdc_core.questions.question import Question
from sdc_core.report.picture import Picture, font_face, picture, pictures
from tests import chromium
from tests.contract import hurry
from tests.usual import usual_answer
from tests.workshop import SVG, Draw, comparable, drawing, texts, words, words_of_html

every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.address)


def in_chromium(test: Any) -> Any:
    """A test that needs a real browser."""
    needed = pytest.mark.skipif(chromium.find() is None, reason=chromium.HOW_TO_GET)
    return pytest.mark.browser(needed(test))


TWIN = sdc.load_dataset("ma2019-twin")
METHODS = [sdc.mechanism("laplace", epsilon=0.7), sdc.mechanism("suppression", k=9)]


def footer(one: Picture) -> str:
    return " ".join(f"{name} {text}" for name, text in one.footer)


# ---- what is described


@every_question
def test_every_panel_with_something_to_look_at_has_one_picture(question: Question) -> None:
    answer = usual_answer(question.address)
    made = pictures(answer)
    names = [one.name for one in made]
    assert len(set(names)) == len(names)
    drawn = [p for p in answer.panels if p.drawing is not None and p.pictured]
    assert {p.together or p.name for p in drawn} == set(names)
    assert sum(len(one.figures) for one in made) == sum(len(p.figures) for p in drawn)
    for one in made:
        assert one.title
        assert one.html or one.figures
        assert json.loads(one.to_json())["name"] == one.name


@every_question
def test_a_picture_says_from_which_data_and_with_which_settings(
    question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = sdc.Study(TWIN, methods=METHODS, empty_groups="treated", seed=4242)
    answer = sdc.ask(question.address, study, hurry(question.address, monkeypatch))
    for one in pictures(answer):
        said = footer(one)
        if question.own_data:
            assert question.own_data in said and "real" in said
        else:
            assert "Massachusetts 2019 twin, synthetic twin" in said
            assert TWIN.source in said
            assert "empty groups treated like any other" in said
        facts = answer.provenance
        assert facts is not None
        both = "(Laplace, ε = 0.7)" in said and "(suppression, k = 9)" in said
        assert both == bool(facts.methods)
        assert ("seed 4242" in said) == facts.seeded


def test_real_data_are_called_real(real_data: Any) -> None:
    answer = sdc.ask("compare", sdc.Study(real_data("ma2019")))
    assert "Massachusetts 2019, real records." in footer(pictures(answer)[0])


def test_settings_that_are_not_as_usual_are_said() -> None:
    study = sdc.Study(TWIN, methods=METHODS, domain="observed")
    usual = footer(pictures(sdc.ask("funding", sdc.Study(TWIN)))[0])
    said = footer(pictures(sdc.ask("funding", study, threshold=33, counted="small"))[0])
    assert "people counted by place, housing tenure;" in said
    assert "groups as seen" in said and "groups as" not in usual
    assert "rule: more than, %: 33" in said and "rule: more than, %: 25" in usual
    assert "people are counted by: Place and group" in said and "Place and group" not in usual


def test_methods_that_have_no_say_about_empty_groups_are_not_said_to() -> None:
    study = sdc.Study(TWIN, methods=[sdc.mechanism("laplace"), sdc.mechanism("geometric")])
    assert "empty groups" not in footer(pictures(sdc.ask("compare", study))[0])


@pytest.mark.parametrize("caption, first", [
    ("One. Two.", "One."),
    ("Off by 0.4 people a group. More follows.", "Off by 0.4 people a group."),
    ("E.g. this, i.e. that; and so on", "E.g. this, i.e. that; and so on"),
    ("Really? Yes.", "Really?"),
    ("No end", "No end"),
])
def test_the_first_sentence_of_the_caption_is_taken(caption: str, first: str) -> None:
    answer = Answer("Headline.", panels=(Panel("p", "Title", caption, "<i>x</i>"),))
    assert picture(answer, answer.panels[0]).said == first


def test_titles_come_from_the_panel_the_one_before_it_or_the_headline() -> None:
    answer = Answer("Headline.", panels=(
        Panel("a", drawing="<i>x</i>"), Panel("b", "Second", drawing="<i>x</i>"),
        Panel("c", drawing="<i>x</i>"),
    ))
    assert [one.title for one in pictures(answer)] == ["Headline.", "Second", "Second"]


def test_panels_that_belong_together_are_one_picture() -> None:
    (maps,) = (one for one in pictures(sdc.ask("map", sdc.Study(TWIN))) if one.name == "maps")
    assert len(maps.figures) == 3
    unseen = [t for f in maps.figures for t in f["data"] if t.get("marker", {}).get("opacity") == 0]
    assert unseen == []


def test_a_long_table_says_what_is_left_out_and_numbers_look_as_on_the_page() -> None:
    frame = pd.DataFrame({
        "who": [f"<b>group</b> {i}" for i in range(30)], "share": np.linspace(0, 1, 30),
        "people": range(1000, 1030), "plain": [None, *[0.123456] * 29],
    })
    view = TableView(frame, {"share": ColumnLook("Share", "%.2f"),
                             "people": ColumnLook(format="localized")})
    answer = Answer("H", panels=(Panel("t", "T", drawing=view),))
    seen = words_of_html(picture(answer, answer.panels[0]).html)
    assert "<b>group</b>" in seen and "Share" in seen and "share" not in seen
    assert {"0.00", "0.03", "1,000", "1,019", "0.12"} <= set(seen)
    assert ">–</td>" in picture(answer, answer.panels[0]).html  # what is missing
    assert "1,020" not in seen
    assert " ".join(seen).endswith("The first 20 of 30 rows; the table as CSV has all.")


def test_the_font_is_there_to_be_embedded() -> None:
    data = re.search(r"base64,([^)]*)\)", font_face())
    assert data is not None
    assert base64.b64decode(data[1])[:4] == b"wOF2"


# ---- what is drawn


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Page, Draw]]:
    with drawing(tmp_path_factory.mktemp("workshop")) as open_now:
        yield open_now


# Whatever is seen of an SVG and lies outside its frame or on the line above the footer; what plotly
# clips to the plot is not seen outside it.
_OUTSIDE = """async (svg) => {
  document.body.innerHTML = svg;
  await document.fonts.load('16px "Source Sans 3"');
  const frame = document.querySelector('svg').getBoundingClientRect();
  const marks = [...document.querySelectorAll('svg text, svg path, svg rect')];
  return marks.filter((one) => {
    if (one.closest('defs') || one.closest('[clip-path]')) return false;
    const box = one.getBoundingClientRect();
    return (box.width || box.height) && (box.left < frame.left - 1 || box.top < frame.top - 1 ||
      box.right > frame.right + 1 || box.bottom > frame.bottom + 1);
  }).map((one) => one.outerHTML.slice(0, 200));
}"""
# Of the first chart: where the numbers of its upright axis stand, and where its only mark does.
_ON_AXIS = """async (svg) => {
  document.body.innerHTML = svg;
  await document.fonts.load('16px "Source Sans 3"');
  const chart = document.querySelector('.chart');
  const middle = (one) => {
    const box = one.getBoundingClientRect();
    return (box.top + box.bottom) / 2;
  };
  const [mark, ...others] = chart.querySelectorAll('.point');
  if (others.length) throw new Error('more than one mark');
  const ticks = [...chart.querySelectorAll('.ytick text')];
  return [ticks.map((one) => [middle(one), one.textContent]), middle(mark)];
}"""
# Names of one axis that stand on each other.
_COLLIDING = """() => [...document.querySelectorAll('svg .chart')].flatMap((chart) => {
  const names = [...chart.querySelectorAll('.yaxislayer-above > .ytick text')];
  const boxes = names.map((one) => one.getBoundingClientRect());
  return names.filter((one, i) => boxes.some((other, j) => j > i &&
    Math.min(boxes[i].bottom, other.bottom) - Math.max(boxes[i].top, other.top) > 3 &&
    Math.min(boxes[i].right, other.right) > Math.max(boxes[i].left, other.left))
  ).map((one) => one.textContent);
})"""
_LOWEST = """() => Math.max(...[...document.querySelectorAll('svg .chart text')].map(
  (one) => one.getBoundingClientRect().bottom), 0)"""


def _charts_words(figure: dict[str, Any]) -> set[str]:
    """Words of a chart's titles and annotations, as plotly's own small HTML has them."""
    layout = figure["layout"]
    said = [layout.get("title", {}).get("text", "")]
    said += [a["text"] for a in layout.get("annotations", ()) if a.get("visible", True)]
    said += [axis["title"]["text"] for name, axis in layout.items()
             if re.fullmatch(r"[xy]axis\d*", name) and axis.get("title", {}).get("text")
             and axis.get("visible", True)]
    if layout.get("showlegend"):
        said += [t["name"] for t in figure["data"]
                 if t.get("showlegend", True) and "name" in t and t.get("visible", True) is True]
    return set(words_of_html(" ".join(said).replace("<br>", " ")))


@in_chromium
@every_question
def test_what_is_described_can_be_read_in_the_picture(
    shop: tuple[Page, Draw], question: Question
) -> None:
    page, draw = shop
    for one in pictures(usual_answer(question.address)):
        svg = draw(one)["svg"]
        tree = ElementTree.fromstring(svg)
        assert (tree.attrib["width"], tree.attrib["height"]) == ("1600", "900")
        assert "@font-face" in svg and "http" not in svg.replace("http://www.w3.org/", "")
        seen = words(texts(svg))
        written = set(seen)
        title = words(one.title)
        assert seen[: len(title)] == title, one.name
        # between title and footer stands all that the drawing says, and nothing else
        foot = words(footer(one))
        charts = [t for g in tree.iter(f"{SVG}g") if g.get("class") == "chart"
                  for t in g.iter(f"{SVG}text")]
        in_charts = words([" ".join(t.itertext()) for t in charts])
        laid_out = seen[len(title): len(seen) - len(in_charts)]
        assert laid_out[-len(foot):] == foot, one.name
        inside = set(laid_out[: -len(foot)])
        said = set(words(one.said))
        shown = set(words_of_html(one.legend)) | set(words_of_html(one.html))
        assert shown <= inside <= shown | said, one.name
        for figure in one.figures:
            assert _charts_words(figure) <= written, one.name
        assert page.evaluate(_OUTSIDE, svg) == [], one.name
        assert page.evaluate(_COLLIDING) == [], one.name
        assert page.evaluate(_LOWEST) < 840, one.name  # above the footer


@in_chromium
def test_a_mark_stands_where_its_number_is(shop: tuple[Page, Draw]) -> None:
    """The mark of the present setting, read off the drawn axis, is the error that `evaluate`
    gives."""
    study = sdc.Study(TWIN, methods=[sdc.mechanism("laplace", epsilon=0.2)])
    answer = sdc.ask("compare", study)
    svg = shop[1](picture(answer, answer.panel("sweep")))["svg"]
    ticks, mark = shop[0].evaluate(_ON_AXIS, svg)
    slope, level = np.polyfit([place for place, _ in ticks], [float(v) for _, v in ticks], 1)
    wanted = sdc.evaluate(sdc.mechanism("laplace", epsilon=0.2), study.table).people_error
    assert slope * mark + level == pytest.approx(wanted, abs=1.5 * abs(slope))  # pixels


@in_chromium
def test_labels_of_an_uploaded_file_are_only_text(shop: tuple[Page, Draw]) -> None:
    evil = '<img src=x onerror="window.hit=1">"&<script>window.hit=1</script>'
    frame = pd.DataFrame({"place": [evil, "b"] * 40, "sex": (["m"] * 3 + ["f"]) * 20,
                          "tenure": ["own", "rent"] * 40})
    study = sdc.Study(sdc.load_dataset(frame), methods=METHODS)
    for address in ("compare", "map", "your_data", "funding"):
        for one in pictures(sdc.ask(address, study)):
            tree = ElementTree.fromstring(shop[1](one)["svg"])
            kinds = {element.tag.removeprefix(SVG) for element in tree.iter()}
            assert not kinds & {"script", "img", "image", "foreignObject", "a"}, one.name
            assert not any(name.startswith("on") for e in tree.iter() for name in e.attrib)
            assert "hit=1" not in "".join(
                value for e in tree.iter() for value in e.attrib.values()), one.name


@in_chromium
@pytest.mark.parametrize("name", ["summary", "sweep"])
def test_the_png_is_wide_white_and_not_blank(shop: tuple[Page, Draw], name: str) -> None:
    answer = sdc.ask("compare", sdc.Study(TWIN))
    png = shop[1](picture(answer, answer.panel(name)), "png")["png"]
    image = Image.open(io.BytesIO(base64.b64decode(png.partition(",")[2]))).convert("RGB")
    assert image.size == (3200, 1800)
    pixels = np.asarray(image)
    for edge in (pixels[:20], pixels[-20:], pixels[:, :20], pixels[:, -20:]):
        assert (edge == 255).all()
    inked = (pixels < 200).any(axis=2)
    assert 0.01 < inked.mean() < 0.5
    # title, drawing and footer: each has something to see
    for top, bottom in ((80, 180), (400, 1500), (1600, 1760)):
        assert inked[top:bottom].sum() > 1000
    laplace = (np.abs(pixels.astype(int) - (0x2B, 0x7B, 0xBA)) < 6).all(axis=2)
    assert laplace.sum() > 500


# ---- by command


@in_chromium
def test_the_command_writes_the_same_pictures(
    shop: tuple[Page, Draw], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("BROWSER_PATH", str(chromium.find()))
    asked = ["ask", "compare", "--dataset", "ma2019-twin", "--picture", str(tmp_path / "made")]
    assert cli.main([*asked, "--svg"]) == 0
    assert cli.main(asked) == 0
    wanted = pictures(sdc.ask("compare", sdc.Study(TWIN)))
    assert {path.name for path in (tmp_path / "made").iterdir()} == {
        f"{one.name}.{kind}" for one in wanted for kind in ("png", "svg")}
    for one in wanted:
        written = (tmp_path / "made" / f"{one.name}.svg").read_text(encoding="utf-8")
        assert comparable(written) == comparable(shop[1](one)["svg"]), one.name
        assert Image.open(tmp_path / "made" / f"{one.name}.png").size == (3200, 1800)


def test_without_a_browser_the_command_says_so_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "nowhere"))
    asked = ["ask", "theorems", "--dataset", "ma2019-twin", "--picture", str(tmp_path / "made")]
    assert cli.main(asked) == 2
    said = capsys.readouterr().err
    assert "Chrome, Edge or Chromium" in said and said.count("\n") == 1
    assert not (tmp_path / "made").exists()


def test_svg_alone_is_no_request(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["ask", "theorems", "--dataset", "ma2019-twin", "--svg"]) == 2
    assert "--picture" in capsys.readouterr().err

"""Files of an answer and of a brief at their edges, made from answers by hand: exactly as many rows
as fit, one picture or none, one chart or several, the longest text that is taken."""

from __future__ import annotations

import dataclasses
import io
import re
import zipfile
from pathlib import Path

import docx
import pandas as pd
import plotly.graph_objects as go
import pptx
import pytest

import sdc_core as sdc
from sdc_core.errors import InputError
from sdc_core.questions.answer import Answer, Panel, Provenance, TableView
from sdc_core.report import brief_pictures, pictures
from sdc_core.report.brief import Document, Item, Section
from sdc_core.report.brief_file import Brief, Pin
from sdc_core.report.brief_html import Charts, panels_html
from sdc_core.report.brief_office import as_markdown, as_slides, as_word, table_rows
from sdc_core.report.brief_pictures import Drawn, pictures_of
from sdc_core.report.picture import Picture, picture, written

TWIN = sdc.load_dataset("ma2019-twin")
RUN = sdc.ask("swap_rate", sdc.Study(TWIN)).run
PNG = bytes.fromhex(  # one white pixel
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8"
    "ffff3f0005fe02fe0def46b80000000049454e44ae426082")


def rows(number: int) -> pd.DataFrame:
    return pd.DataFrame({"who": [f"group {i}" for i in range(number)], "people": range(number)})


def chart(title: str = "") -> go.Figure:
    return go.Figure(go.Bar(x=[1], y=[2]), layout={"title": {"text": title}})


def answer_of(*panels: Panel, headline: str = "Two < three.", computed: str = "exact",
              data: sdc.Dataset = TWIN) -> Answer:
    about = Provenance(data, ("SEX",), 5, "keep", "declared", ("Laplace",), {"view": "x"}, computed,
                       settings=("people counted by sex",))
    return Answer(headline, "First. More.", panels, provenance=about, make_code=lambda: "ask(1)")


def item(found: Answer, panel: Panel | None = None, own: bool = False) -> Item:
    return Item(found, found.headline, ("Said here.",), panel, own, ("Said here.",))


def document(*items: Item) -> Document:
    assert RUN is not None
    return Document(
        Brief("A title", "Asked?", (Pin(RUN),)), "A title", "Asked?",
        ("Synthetic twin: Here", "Real records: There"), items,
        (Section("hurt", "Who is hurt", ("Nobody.",)),
         Section("promised", "What is promised", ("My view.",), own_words=True),
         Section("recommendation", "Recommendation", (), to_fill=True)))


# ----------------------------------------------------------------------------------------- pictures


@pytest.mark.parametrize("svg", [False, True])
def test_pictures_are_written_under_the_names_of_their_panels(
    svg: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn(wanted: tuple[Picture, ...], kind: str) -> list[bytes]:
        return [f"{one.name} as {kind}".encode() for one in wanted]

    monkeypatch.setattr(pictures, "drawn", drawn)
    found = answer_of(Panel("bars", drawing="<i>x</i>"), Panel("words"), Panel("map", drawing="y"))
    kind, folder = "svg" if svg else "png", tmp_path / "new" / "folder"
    written = pictures.write_pictures(found, str(folder), **({"svg": True} if svg else {}))
    assert written == [str(folder / f"{name}.{kind}") for name in ("bars", "map")]
    assert [Path(path).read_text() for path in written] == [f"bars as {kind}", f"map as {kind}"]
    assert pictures.write_pictures(found, str(folder), svg) == written  # the folder is there
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        pictures.write_pictures(found, str(tmp_path / "file"))


def test_nothing_to_draw_needs_no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "_in_browser", lambda page, use: pytest.fail("it was started"))
    assert pictures.drawn([]) == []


@pytest.mark.parametrize(("number", "most", "seen"), [
    (30, None, 20), (30, 5, 5), (30, 25, 20), (20, None, 20), (21, None, 20), (3, None, 3)])
def test_a_picture_of_a_table_has_at_most_twenty_rows(
    number: int, most: int | None, seen: int
) -> None:
    found = answer_of(Panel("t", drawing=TableView(rows(number), most=most)))
    markup = picture(found, found.panels[0]).html
    assert markup.count("<tr>") == 1 + seen
    assert (f"The first {seen} of {number} rows" in markup) == (seen < number)


def test_a_picture_says_how_sure_its_numbers_are_and_where_the_data_are_from() -> None:
    panel = Panel("t", drawing="<i>x</i>")
    for computed, said in (("exact", "numbers exact."), ("from 20", "numbers from 20, seed 5.")):
        found = answer_of(panel, computed=computed)
        footer = dict(picture(found, panel).footer)
        assert footer["Settings:"] == f"people counted by sex; {said}"
        assert footer["Data:"].endswith(f"Source: {TWIN.source}.")
    elsewhere = dataclasses.replace(found.provenance or pytest.fail(), own_data="Alabama: counts")
    found = dataclasses.replace(found, provenance=elsewhere)
    assert dict(picture(found, panel).footer)["Data:"] == "Alabama: counts."


def test_two_charts_of_half_a_row_have_a_quarter_each() -> None:
    for charts, width, wide in ((1, 1.0, 900), (2, 1.0, 450), (2, 0.5, 225), (1, 0.5, 450)):
        panel = Panel("t", drawing=(chart(),) * charts, width=width)
        assert picture(answer_of(panel), panel).wide == wide


def test_pictures_of_a_brief_belong_to_their_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        brief_pictures, "drawn", lambda wanted: [one.name.encode() for one in wanted])
    one, table = Panel("bars", drawing=(chart(),)), Panel("words")
    found = answer_of(one, table)
    shown = document(item(found), item(found, one), item(found, table), item(found, one))
    assert pictures_of(shown) == Drawn({1: b"bars", 3: b"bars"})


def test_a_browser_that_fails_is_not_one_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_: object) -> list[bytes]:
        raise InputError("It does not start.")

    monkeypatch.setattr(brief_pictures, "drawn", fails)
    assert pictures_of(document()).missing == "It does not start."


# ------------------------------------------------------------------------------------------- office


@pytest.mark.parametrize(("number", "last"), [
    (12, ["group 11", "11"]), (13, ["and 1 more row, in the panel's CSV", ""]),
    (1013, ["and 1,001 more rows, in the panel's CSV", ""])])
def test_twelve_rows_of_a_table_are_all_of_it_and_more_are_counted(
    number: int, last: list[str]
) -> None:
    found = table_rows(Panel("t", drawing=TableView(rows(number))))
    assert found[0] == ["who", "people"] and found[1] == ["group 0", "0"]
    assert len(found) == 1 + 12 + (number > 12) and found[-1] == last


def test_numbers_in_office_tables_are_written_for_readers() -> None:
    frame = pd.DataFrame({"a": [1234.0, 0.123456, None], "b": ["x", None, (1, 2)]}, dtype=object)
    assert table_rows(Panel("t", drawing=TableView(frame)))[1:] == [
        ["1,234", "x"], ["0.12", "–"], ["–", "(1, 2)"]]
    assert table_rows(Panel("t")) == []
    for number, form, text in (
            (1234.0, "localized", "1,234"), (1234.5, "localized", "1,234.5"), (7, "%d", "7"),
            (0.5, "%.2f", "0.50"), (10**18 + 1, None, "1" + ",000" * 5 + ",001")):
        assert written(number, form) == text


def briefed() -> tuple[Document, Drawn]:
    """An answer with a picture, one whose picture could not be made, and one in the author's
    words."""
    drawn, table = Panel("bars", drawing=(chart(),), alt="Bars."), Panel(
        "t", drawing=TableView(rows(2)))
    found = answer_of(drawn, table)
    return document(item(found, drawn), item(found, table), item(found, own=True)), Drawn({0: PNG})


def test_word_has_pictures_or_tables_and_marks_whose_words_they_are() -> None:
    shown, drawn = briefed()
    page = docx.Document(io.BytesIO(as_word(shown, drawn)))
    assert page.core_properties.title == "A title"
    headings = [(p.style.name, p.text) for p in page.paragraphs
                if p.style.name.startswith(("Heading", "Title"))]
    assert headings == [
        ("Title", "A title"), *[("Heading 1", "Two < three.")] * 3, ("Heading 1", "Who is hurt"),
        ("Heading 1", "What is promised"), ("Heading 1", "Recommendation"),
        ("Heading 1", "Technical appendix"), ("Heading 2", "Two < three.")]
    (sheet,) = page.sections
    assert (round(sheet.page_width.mm), round(sheet.page_height.mm)) == (210, 297)
    (image,) = page.inline_shapes
    room = sheet.page_width - sheet.left_margin - sheet.right_margin
    assert 0.9 * room < image.width <= room and sheet.left_margin == sheet.right_margin
    assert sheet.top_margin == sheet.bottom_margin
    (table,) = page.tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["who", "people"], ["group 0", "0"], ["group 1", "1"]]
    texts = [p.text for p in page.paragraphs]
    assert texts.count("(the author's words)") == 2 and texts.count("Said here.") == 3
    assert texts[1:3] == ["Asked?", "Synthetic twin: Here; Real records: There"]
    assert texts.count("To be written by the author.") == 1 and "seed: 5" in texts
    assert [p.text for p in page.paragraphs if p.style.name == "macro"] == ["ask(1)"]
    assert texts[texts.index("My view.") + 1] == "(the author's words)"


def test_slides_have_one_picture_each_or_words_and_say_the_rest_in_the_notes() -> None:
    shown, drawn = briefed()
    deck = pptx.Presentation(io.BytesIO(as_slides(shown, drawn)))
    slides = list(deck.slides)
    assert deck.core_properties.title == "A title" and len(slides) == 1 + 3 + 3
    (image,) = slides[1].shapes
    assert (image.left, image.top, image.width, image.height) == (
        0, 0, deck.slide_width, deck.slide_height)
    for slide in (slides[0], *slides[2:]):
        box, foot = slide.shapes
        lines = box.text_frame.paragraphs
        assert [line.font.bold for line in lines] == [True] + [False] * (len(lines) - 1)
        assert lines[0].font.size > lines[-1].font.size and box.text_frame.word_wrap
        assert foot.text_frame.text == "Synthetic twin: Here; Real records: There"
        assert foot.top > box.top and foot.top + foot.height <= deck.slide_height
        for part in (box, foot):
            assert part.left >= 0 and part.left + part.width <= deck.slide_width
    assert slides[0].shapes[0].text_frame.text == "A title\nAsked?"
    assert slides[3].shapes[0].text_frame.text == "Two < three.\nSaid here.\n(the author's words)"
    notes = [slide.notes_slide.notes_text_frame.text for slide in slides]
    assert notes[0] == "Asked? Data: Synthetic twin: Here; Real records: There."
    assert notes[1].split("\n") == [
        "Two < three.", "Said here.", "First. More.", "Synthetic twin: Here; Real records: There"]
    assert notes[5] == "My view.\n(the author's words)"


def test_a_slide_without_words_lists_the_numbers_and_says_why() -> None:
    panel = Panel("t", drawing=TableView(rows(2)))
    silent = dataclasses.replace(item(answer_of(panel), panel), said=())
    deck = pptx.Presentation(io.BytesIO(as_slides(document(silent), Drawn({}, "None was found."))))
    assert deck.slides[1].shapes[0].text_frame.text.split("\n") == [
        "Two < three.", "who · people", "group 0 · 0", "group 1 · 1", "None was found."]


def test_markdown_names_its_pictures_as_they_are_packed() -> None:
    shown, drawn = briefed()
    packed = zipfile.ZipFile(io.BytesIO(as_markdown(shown, drawn)))
    assert packed.namelist() == ["brief.md", "brief.json", "picture-1.png"]
    assert packed.read("picture-1.png") == PNG
    text = packed.read("brief.md").decode()
    assert re.findall(r"!\[(.*?)\]\((.*?)\)", text) == [("Bars.", "picture-1.png")]
    assert "| who | people |\n| --- | --- |\n| group 0 | 0 |\n| group 1 | 1 |" in text
    assert re.findall(r"^(#+) (.*)", text, re.MULTILINE) == [
        ("#", "A title"), *[("##", r"Two \< three.")] * 3, ("##", "Who is hurt"),
        ("##", "What is promised"), ("##", "Recommendation"), ("##", "Technical appendix"),
        ("###", r"Two \< three.")]
    assert "```python\nask(1)\n```" in text and "\n\n\n" not in text
    assert Brief.from_text(packed.read("brief.json").decode()).title == "A title"


# -------------------------------------------------------------------------------------------- pages


@pytest.mark.parametrize(("number", "columns", "wide"), [
    (1, 0, 820), (2, 2, 400), (3, 3, 400), (4, 2, 400)])
def test_charts_of_one_picture_stand_side_by_side_and_fit_the_page(
    number: int, columns: int, wide: int
) -> None:
    charts = Charts()
    group = [Panel("a", drawing=(chart(),) * number, alt='One "bar".', legend="<u>key</u>"),
             Panel("b", drawing="<i>drawn</i>", alt="Two.")]
    markup = panels_html(group, charts)
    found = re.findall(r"repeat\((\d), 1fr\)", markup)
    assert found == ([str(columns)] if columns else [])
    assert markup.startswith("<u>key</u>") and markup.count('class="chart"') == number
    assert 'aria-label="One &quot;bar&quot;. Two."' in markup and "<i>drawn</i>" in markup
    rooms = {int(n) for n in re.findall(r'class="chart" style="width: (\d+)px', markup)}
    (room,) = rooms
    assert room * max(columns, 1) <= 684 < (room + 30) * max(columns, 1)
    scale = re.search(r"transform: scale\(([\d.]+)\)", markup)
    assert scale and float(scale[1]) * wide == pytest.approx(room, abs=0.6)
    assert markup.count(f"width: {wide}px; transform") == number
    high = re.search(r"height: (\d+)px", markup)
    assert high and int(high[1]) == round(270 * float(scale[1]))
    assert len(markup) > 1e6 > len(panels_html(group, charts))  # the library comes once

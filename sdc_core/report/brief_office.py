"""A brief for an office: Word, PowerPoint, Markdown. Numbers are those of the pinned answers."""

from __future__ import annotations

import io
import re
import zipfile

from sdc_core.questions.answer import Panel
from sdc_core.report.brief import Document, Item, Section
from sdc_core.report.brief_html import fact_text
from sdc_core.report.brief_pictures import Drawn
from sdc_core.report.picture import written
from sdc_core.words.numbers import counted

_MOST_ROWS = 12  # of a table that stands for a chart
OWN = "(the author's words)"
TO_FILL = "To be written by the author."


def table_rows(panel: Panel) -> list[list[str]]:
    """A panel's numbers as texts, titles first; what does not fit is said in the last row."""
    table = panel.table
    if table is None:
        return []
    rows = [[written(value) for value in row]
            for row in table.head(_MOST_ROWS).itertuples(index=False, name=None)]
    left = len(table) - len(rows)
    what = counted(f"{left:,}", "more row", "more rows")
    more = [[f"and {what}, in the panel's CSV"] + [""] * (len(table.columns) - 1)]
    return [[str(name) for name in table.columns], *rows, *(more if left else [])]


def _xml_safe(text: str) -> str:
    """Without characters that XML does not know."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", "", text)


def as_word(document: Document, pictures: Drawn) -> bytes:
    """The brief as a Word file."""
    import docx
    from docx.shared import Cm, Pt

    page = docx.Document()
    page.styles["Normal"].font.size = Pt(10.5)
    for side in page.sections:
        side.page_width, side.page_height = Cm(21), Cm(29.7)
        side.left_margin = side.right_margin = Cm(1.8)
        side.top_margin = side.bottom_margin = Cm(1.5)

    def say(text: str, style: str | None = None) -> None:
        page.add_paragraph(_xml_safe(text), style)

    def table(rows: list[list[str]]) -> None:
        if rows:
            made = page.add_table(len(rows), len(rows[0]), "Light Grid Accent 1")
            for row, texts in zip(made.rows, rows, strict=True):
                for cell, text in zip(row.cells, texts, strict=True):
                    cell.text = _xml_safe(text)

    page.core_properties.title = _xml_safe(document.title)
    page.add_heading(_xml_safe(document.title), 0)
    say(document.asked)
    say("; ".join(document.stamps), "Intense Quote")
    if pictures.missing:
        say(pictures.missing)
    for number, item in enumerate(document.items):
        page.add_heading(_xml_safe(item.title), 1)
        if number in pictures.images:
            page.add_picture(io.BytesIO(pictures.images[number]), width=Cm(17.2))
        elif item.panel is not None:
            table(table_rows(item.panel))
        for text in _said(item):
            say(text)
    for section in document.sections:
        page.add_heading(_xml_safe(section.title), 1)
        for text in _section_said(section):
            say(text)
    page.add_page_break()
    page.add_heading("Technical appendix", 1)
    for headline, facts, code in document.appendix:
        page.add_heading(_xml_safe(headline), 2)
        for name, value in facts.items():
            say(f"{name}: {fact_text(value)}")
        say(code, "macro")
    out = io.BytesIO()
    page.save(out)
    return out.getvalue()


def _said(item: Item) -> list[str]:
    return [*item.said, OWN] if item.own_words else list(item.said)


def _section_said(section: Section) -> list[str]:
    if section.to_fill:
        return [TO_FILL]
    return [*section.said, OWN] if section.own_words else list(section.said)


def as_markdown(document: Document, pictures: Drawn) -> bytes:
    """The brief as Markdown with its pictures, in one ZIP file."""
    lines = [f"# {_plain(document.title)}", _plain(document.asked),
             f"**{_plain('; '.join(document.stamps))}**", _plain(pictures.missing)]
    for number, item in enumerate(document.items):
        lines.append(f"## {_plain(item.title)}")
        if number in pictures.images:
            alt = item.panel.alt if item.panel else ""
            lines.append(f"![{_plain(alt)}](picture-{number + 1}.png)")
        elif item.panel is not None:
            lines.append(_pipes(table_rows(item.panel)))
        lines += map(_plain, _said(item))
    for section in document.sections:
        lines += [f"## {_plain(section.title)}", *map(_plain, _section_said(section))]
    lines.append("## Technical appendix")
    for headline, facts, code in document.appendix:
        lines += [f"### {_plain(headline)}",
                  "\n".join(f"- {_plain(n)}: {_plain(fact_text(v))}" for n, v in facts.items()),
                  f"```python\n{code}\n```"]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("brief.md", "\n\n".join(line for line in lines if line) + "\n")
        packed.writestr("brief.json", document.brief.to_json())
        for number, image in pictures.images.items():
            packed.writestr(f"picture-{number + 1}.png", image)
    return out.getvalue()


def _plain(text: str) -> str:
    """Text that Markdown shows as it is: a label of somebody's file is no link and no heading."""
    return re.sub(r"([\\`*_\[\]<>#|!])", r"\\\1", text.replace("\n", " "))


def _pipes(rows: list[list[str]]) -> str:
    if not rows:
        return ""
    head, *rest = ["| " + " | ".join(map(_plain, row)) + " |" for row in rows]
    return "\n".join([head, "|" + " --- |" * len(rows[0]), *rest])


def as_slides(document: Document, pictures: Drawn) -> bytes:
    """The brief as PowerPoint slides, 16:9: one answer a slide, what to say in the notes."""
    import pptx
    from pptx.util import Cm, Pt

    deck = pptx.Presentation()
    deck.slide_width, deck.slide_height = Cm(33.867), Cm(19.05)
    deck.core_properties.title = _xml_safe(document.title)

    def slide(title: str, body: list[str], notes: str, image: bytes | None = None) -> None:
        made = deck.slides.add_slide(deck.slide_layouts[6])
        if image is not None:
            made.shapes.add_picture(io.BytesIO(image), 0, 0, deck.slide_width, deck.slide_height)
        else:
            texts = [(title, Pt(30), True), *((text, Pt(20), False) for text in body)]
            box = made.shapes.add_textbox(Cm(1.5), Cm(1.2), Cm(30.8), Cm(15)).text_frame
            box.word_wrap = True
            for number, (text, size, bold) in enumerate(texts):
                line = box.paragraphs[0] if number == 0 else box.add_paragraph()
                line.text, line.font.size, line.font.bold = _xml_safe(text), size, bold
                line.space_after = Pt(10)
            foot = made.shapes.add_textbox(Cm(1.5), Cm(17.2), Cm(30.8), Cm(1)).text_frame
            foot.text = _xml_safe("; ".join(document.stamps))
            foot.paragraphs[0].font.size = Pt(12)
        made.notes_slide.notes_text_frame.text = _xml_safe(notes)

    stamps = "; ".join(document.stamps)
    slide(document.title, [document.asked], f"{document.asked} Data: {stamps}.")
    for number, item in enumerate(document.items):
        said, image = _said(item), pictures.images.get(number)
        rows = table_rows(item.panel) if item.panel is not None and image is None else []
        body = said or [" · ".join(row) for row in rows]
        notes = "\n".join([item.title, *said, *(item.answer.first.splitlines()), stamps])
        slide(item.title, [*body, pictures.missing] if rows else body, notes, image)
    for section in document.sections:
        said = _section_said(section)
        slide(section.title, said, "\n".join(said))
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()

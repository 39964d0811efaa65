"""A brief as files, by their ending."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sdc_core.errors import InputError
from sdc_core.report.brief import Document
from sdc_core.report.brief_html import as_html, as_projector_page
from sdc_core.report.brief_office import as_markdown, as_slides, as_word
from sdc_core.report.brief_pictures import pictures_of
from sdc_core.report.pictures import printed
from sdc_core.whole_file import write_whole


@dataclass(frozen=True)
class Form:
    """One kind of file: what a button says, its ending and media type, and how it is made.
    `drawn` says that it takes a browser and some seconds."""

    title: str
    ending: str
    mime: str
    make: Callable[[Document], bytes]
    drawn: bool = True


_OFFICE = "application/vnd.openxmlformats-officedocument."
FORMS = (
    Form("Web page", ".html", "text/html", lambda one: as_html(one).encode(), drawn=False),
    Form("PDF", ".pdf", "application/pdf", lambda one: printed(as_html(one, appendix_open=True))),
    Form("Word", ".docx", f"{_OFFICE}wordprocessingml.document",
         lambda one: as_word(one, pictures_of(one))),
    Form("Slides", ".pptx", f"{_OFFICE}presentationml.presentation",
         lambda one: as_slides(one, pictures_of(one))),
    Form("Projector page", ".slides.html", "text/html",
         lambda one: as_projector_page(one).encode(), drawn=False),
    Form("Markdown", ".zip", "application/zip", lambda one: as_markdown(one, pictures_of(one))),
    Form("Brief file", ".brief.json", "application/json",
         lambda one: one.brief.to_json().encode(), drawn=False),
)


def form_of(path: str) -> Form:
    for form in sorted(FORMS, key=lambda one: -len(one.ending)):  # .slides.html before .html
        if path.lower().endswith(form.ending):
            return form
    raise InputError(
        f"{path!r} must end in {', '.join(form.ending for form in FORMS)}."
    )


def write_brief(document: Document, path: str) -> None:
    """The brief as a file; its ending says of which kind."""
    content = form_of(path).make(document)
    try:
        write_whole(path, content)
    except OSError as problem:
        raise InputError(f"{path!r} cannot be written: {problem}.") from None

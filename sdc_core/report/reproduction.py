"""A run over the papers as a document: Markdown for the project's own pages, HTML to pass on."""

from __future__ import annotations

import html
from collections.abc import Iterator

import pandas as pd

from sdc_core.papers.every import PAPERS
from sdc_core.papers.record import Record
from sdc_core.words.reproduction import (
    claims_sentence,
    headline,
    made_sentence,
    more,
    table_sentence,
    table_title,
)
from sdc_core.words.reproduction_tables import (
    by_table,
    claims_frame,
    numbers_frame,
    theorems_frame,
)

TITLE = "Every published number beside ours"
MADE_BY = "<!-- Written by `make reproduction`; what is changed here by hand is lost. -->"
VERDICTS = (
    "A number *matches* if ours would be printed with the same digits (cut off where the paper "
    "cuts off). It is *within tolerance* if it is no farther away than stated beside it, for the "
    "reason given there. It has the *same order only* if it lies above and below the same numbers "
    "as the printed one does; otherwise it *differs*. It *cannot be* where it lies outside all "
    "that the method as described gives on the paper's data, under every reading that was tried. "
    "What is no result (data, settings, sums in which no method shows) is *given* and not counted."
)
_NUMBERS = ["row", "column", "printed", "ours", "how", "verdict", "tolerance", "convention",
            "reason", "other readings"]

Block = tuple[str, str | pd.DataFrame]  # a heading's depth or "text", and what stands there


def _blocks(found: Record) -> Iterator[Block]:
    yield "1", TITLE
    yield "text", f"{headline(found)} {more(found)}"
    yield "text", made_sentence(found)
    yield "text", VERDICTS
    if found.numbers:
        yield "table", _without_empty(by_table(found))
    if found.findings:
        yield "2", "What the papers say in words"
        yield "text", (f"{claims_sentence(found.findings)} Those that do not hold, or hold on some "
                       "data only, come first. Where the treatment of empty groups makes a "
                       "difference it is named. Numbers are those on the paper's own data.")
        yield "table", _without_empty(claims_frame(found.findings))
    if found.theorems:
        yield "2", "Theorems as printed"
        yield "table", _without_empty(theorems_frame(found.theorems))
    for paper, authors in PAPERS.items():
        tables = [one for one in found.tables if one.paper == paper]
        if tables:
            yield "2", f"{paper}: {authors}"
        for one in tables:
            yield "3", table_title(one)
            about, missing = (one.item.about, one.item.missing) if one.item else ("", "")
            said = [about, table_sentence(one.judged), missing]
            yield "text", " ".join(text for text in said if text)
            if one.judged:
                yield "table", _without_empty(numbers_frame(one.judged)[_NUMBERS])


def _without_empty(frame: pd.DataFrame) -> pd.DataFrame:
    """Without columns in which nothing stands."""
    return frame.loc[:, [name for name in frame if any(
        value not in ("", 0) and value == value for value in frame[name])]]


def as_markdown(found: Record) -> str:
    parts = [MADE_BY]
    for kind, content in _blocks(found):
        if isinstance(content, pd.DataFrame):
            parts.append(_markdown_table(content))
        else:
            text = html.escape(content, quote=False)
            parts.append(text if kind == "text" else f"{'#' * int(kind)} {text}")
    return "\n\n".join(parts) + "\n"


def _markdown_table(frame: pd.DataFrame) -> str:
    rows = [list(frame.columns), ["---"] * len(frame.columns), *frame.to_numpy().tolist()]
    return "\n".join(f"| {' | '.join(_cell(one) for one in row)} |" for row in rows)


def _cell(value: object) -> str:
    return html.escape(_text(value), quote=False).replace("|", "\\|").replace("\n", " ")


def _text(value: object) -> str:
    if value is None or value != value:  # no number
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}"
    "table{border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}"
    "th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #bbb}"
    "div{overflow-x:auto}"
)


def as_html(found: Record) -> str:
    """One page that needs nothing else."""
    parts = []
    for kind, content in _blocks(found):
        if isinstance(content, pd.DataFrame):
            parts.append(_html_table(content))
        elif kind == "text":
            parts.append(f"<p>{html.escape(content.replace('*', ''))}</p>")
        else:
            parts.append(f"<h{kind}>{html.escape(content)}</h{kind}>")
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{TITLE}</title>'
            f"<style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>\n")


def _html_table(frame: pd.DataFrame) -> str:
    head = "".join(f'<th scope="col">{html.escape(str(one))}</th>' for one in frame.columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_text(one))}</td>" for one in row) + "</tr>"
        for row in frame.to_numpy().tolist())
    return f"<div><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"

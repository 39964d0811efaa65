"""An answer as files: a page that needs no network, and one CSV a table."""

from __future__ import annotations

import html
from pathlib import Path

import pandas as pd
import plotly.io

from sdc_core.data import to_safe_csv
from sdc_core.errors import InputError
from sdc_core.questions.answer import Answer, Panel, TableView
from sdc_core.whole_file import write_whole

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2rem auto; padding: 0 1rem;
  font-variant-numeric: tabular-nums; color: #1C2330; background: #fff; }
h1 { font-size: 1.5rem; line-height: 1.3; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.caption, footer { color: #555B66; font-size: .9rem; }
table { border-collapse: collapse; font-size: .85rem; }
td, th { padding: .15rem .6rem; text-align: left; border-bottom: 1px solid #ddd; }
.side { display: grid; grid-template-columns: repeat(auto-fit, minmax(320px, 1fr)); }
details { margin: .5rem 0; } pre { white-space: pre-wrap; }
"""
_MOST_ROWS = 500


def write_html(found: Answer, path: str) -> None:
    """The answer as one file: charts stay interactive, nothing is fetched from anywhere."""
    write_text(path, as_html(found))


def write_run(found: Answer, path: str) -> None:
    """What makes the answer again, as a run file."""
    write_text(path, found.run.to_json() if found.run else "")


def write_text(path: str, text: str) -> None:
    try:
        write_whole(path, text.encode())
    except OSError as problem:
        raise InputError(f"{path!r} cannot be written: {problem}.") from None


def as_html(found: Answer) -> str:
    """The whole page as text."""
    parts = [f"<h1>{html.escape(found.headline)}</h1>", f"<p>{html.escape(found.more)}</p>"]
    parts += [f"<p><b>{html.escape(n.text)}</b></p>" for n in found.notices]
    first = True
    for panel in found.panels:
        parts.append(_panel(panel, with_library=first and bool(panel.figures)))
        first = first and not panel.figures
    if found.provenance is not None:
        facts = found.provenance.facts()
        listed = "; ".join(f"{name}: {value}" for name, value in facts.items())
        parts.append(f"<footer>{html.escape(listed)}</footer>")
    parts.append(f"<details><summary>Code</summary><pre>{html.escape(found.code)}</pre></details>")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{html.escape(found.headline)}</title><style>{_STYLE}</style></head>"
        f"<body>{''.join(parts)}</body></html>"
    )


def _panel(panel: Panel, with_library: bool) -> str:
    parts = [f"<h2>{html.escape(panel.title)}</h2>"] if panel.title else []
    parts += [f"<p>{html.escape(text)}</p>" for text in (
        *(n.text for n in panel.notices), *panel.prose)]
    parts.append(f'<p class="caption">{html.escape(panel.caption)}</p>')
    parts.append(panel.legend)
    if isinstance(panel.drawing, str):
        parts.append(panel.drawing)
    charts = [
        plotly.io.to_html(
            figure.to_dict(), full_html=False, include_plotlyjs=with_library and i == 0,
            validate=False,
        )
        for i, figure in enumerate(panel.figures)
    ]
    if charts:
        label = html.escape(panel.alt, quote=True)
        parts.append(f'<div class="side" role="img" aria-label="{label}">{"".join(charts)}</div>')
    parts.append(f'<p class="caption">{html.escape(panel.note)}</p>')
    if panel.table is not None:
        shown = panel.table.head(_MOST_ROWS).to_html(index=False, border=0, escape=True)
        opened = " open" if isinstance(panel.drawing, TableView) else ""
        parts.append(f"<details{opened}><summary>Table</summary>{shown}</details>")
    return "".join(parts)


def csv_bytes(table: pd.DataFrame) -> bytes:
    """A table as a file that a spreadsheet opens safely and in the right alphabet."""
    return to_safe_csv(table).encode("utf-8-sig")


def write_csv_folder(found: Answer, folder: str) -> None:
    """One CSV a table, safe to open in a spreadsheet."""
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, table in found.tables().items():
            write_whole(Path(folder) / f"{name}.csv", csv_bytes(table))
    except OSError as problem:
        raise InputError(f"{folder!r} cannot be written: {problem}.") from None

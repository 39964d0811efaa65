"""Tables for reading: sentences need room that a grid of cells does not give."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

import pandas as pd


def sideways(selector: str) -> str:
    """Style for a table wider than its place: a shadow at the edge behind which there is more, and,
    on a phone, a first column that stays while the others move."""
    page = "light-dark(#fff, #12161D)"
    return f"""
{selector} {{ background:
    linear-gradient(to left, {page} 40%, transparent) right / 3rem 100% no-repeat local,
    linear-gradient(to left, rgb(128 128 128 / .45), transparent) right / .8rem 100% no-repeat
    scroll; }}
@media screen and (max-width: 640px) {{
  {selector} :is(th[scope=row], thead tr > :first-child) {{ position: sticky; left: 0; z-index: 1;
    white-space: normal; min-width: 0; max-width: 9.5rem; opacity: 1; background: {page};
    border-right: 1px solid rgb(128 128 128 / .35); }}
}}
@media print {{ {selector} {{ background: none; }} }}"""


STYLE = """<style>
.reading-table { overflow-x: auto; }
.reading-table table { border-collapse: collapse; width: 100%; min-width: 780px; font-size: .92rem;
  font-variant-numeric: tabular-nums; }
.reading-table th, .reading-table td { text-align: left; vertical-align: top; padding: .4rem .6rem;
  border-bottom: 1px solid rgba(128,128,128,.25); }
.reading-table .number { text-align: right; white-space: nowrap; }
.reading-table th[scope=row] { font-weight: 400; }
.reading-table .name { font-weight: 600; }
.reading-table .keep { white-space: nowrap; }
.reading-table .wide { min-width: 15rem; } .reading-table .long { min-width: 13rem; }
.reading-table .where { font-size: .85em; opacity: .8; }
@media screen and (min-width: 641px) {  /* a list within a page; a picture and paper have all */
  [data-testid="stMain"] .reading-table.tall { max-height: 40rem; overflow-y: auto; }
  [data-testid="stMain"] .reading-table.tall thead th { position: sticky; top: 0;
    background: light-dark(#fff, #12161D); }
}
""" + sideways(".reading-table") + """
@media print {  /* as wide as paper, whatever has to wrap */
  .reading-table { overflow: visible; }
  .reading-table table { min-width: 0; font-size: .72rem; }
  .reading-table :is(.wide, .long) { min-width: 0; }
  .reading-table :is(th, td) { padding: .25rem .35rem; }
}
</style>"""


def reading_table(
    label: str, heads: Sequence[str], rows: Iterable[str], tall: bool = False
) -> str:
    """Rows are markup by now; what stands in them has been escaped. A `tall` one is looked through
    in a window of its own."""
    head = "".join(f'<th scope="col">{html.escape(one)}</th>' for one in heads)
    return (
        f'{STYLE}<div class="reading-table{" tall" * tall}" tabindex="0" role="region" '
        f'aria-label="{html.escape(label)}"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def frame_table(label: str, frame: pd.DataFrame) -> str:
    """A table of words, whose cells wrap; each row is named by its first."""
    def row(cells: Sequence[object]) -> str:
        first, *rest = (html.escape(str(one)) for one in cells)
        others = "".join(f"<td>{one}</td>" for one in rest)
        return f'<tr><th scope="row">{first}</th>{others}</tr>'

    return reading_table(label, list(frame.columns), map(row, frame.itertuples(index=False)))


def with_dot(words: str, color: str) -> str:
    """A verdict: words, and a dot in its colour."""
    return f'<span aria-hidden="true" style="color:{color}">●</span> {html.escape(words)}'

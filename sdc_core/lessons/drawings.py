"""What lessons put on the wall: tables, dots, and the methods to choose between.

Everything is plain HTML that a page may show as it is. Drawings are images with their own text,
since a page that cleans HTML drops an SVG that stands in it.
"""

from __future__ import annotations

import base64
import html
import math
from collections.abc import Callable, Sequence

import pandas as pd

from sdc_core.figures.theme import FAILURE, MUTED
from sdc_core.mechanisms.base import Mechanism
from sdc_core.questions.answer import Panel

_STYLE = f"""<style>.seven {{ border-collapse: collapse; font-size: 1.05rem;
  font-variant-numeric: tabular-nums; }} .seven td, .seven th {{ padding: .18rem 1.1rem .18rem 0;
  text-align: left; border-bottom: 1px solid rgb(128 128 128 / .3); }}
.seven .changed {{ color: {FAILURE}; font-weight: 700; }}
@media (prefers-color-scheme: dark) {{ .stApp .seven .changed {{ color: #FF7A8A; }} }}</style>"""
Changed = Callable[[int, tuple[object, ...]], bool]  # does this column of this row differ?


def table_panel(
    name: str, title: str, frame: pd.DataFrame, caption: str = "", changed: Changed | None = None,
) -> Panel:
    """A small table as it stands; what is changed is marked, and not by colour alone."""
    rows = list(frame.itertuples(index=False, name=None))
    heads = "".join(f'<th scope="col">{html.escape(str(head))}</th>' for head in frame.columns)
    body = "".join(
        "<tr>" + "".join(
            _cell(value, changed is not None and changed(i, row)) for i, value in enumerate(row)
        ) + "</tr>" for row in rows
    )
    alt = "; ".join(f"{row[0]}: " + ", ".join(map(str, row[1:])) for row in rows)
    table = f'<table class="seven"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'
    return Panel(
        name, title, caption, _STYLE + table,
        lambda: frame, alt=f"{', '.join(map(str, frame.columns))}. {alt}.",
    )


def _cell(value: object, changed: bool) -> str:
    look = ' class="changed"' if changed else ""
    return f"<td{look}>{html.escape(str(value))}</td>"


def ways_panel(methods: Sequence[Mechanism]) -> Panel:
    """The methods that the class chooses between, before it sees what they do."""
    frame = pd.DataFrame({"way": [one.plain_label() for one in methods],
                          "what it does": [one.summary for one in methods]})
    return table_panel("ways", "You choose between", frame)


def dots(parts: Sequence[tuple[float, str]], number: int, alt: str) -> str:
    """So many dots, the first of them in colours: each part is how many, and its colour. A part of
    a dot is a smaller one."""
    many = number > 100  # so small that rings would be a grey mass
    per_row = 200 if many else 25
    size = 450 / per_row
    radius = size * (0.44 if many else 0.36)
    look = 'fill="#8A8F98" fill-opacity=".35"' if many else f'fill="none" stroke="{MUTED}"'
    wide, high = 450.0, -(-number // per_row) * size
    empty = (f'<pattern id="p" width="{size}" height="{size}" patternUnits="userSpaceOnUse">'
             f'<circle cx="{size / 2}" cy="{size / 2}" r="{radius:.3f}" {look}/>'
             "</pattern>")
    marks, start = [], 0.0
    for filled, color in parts:
        for i in range(math.floor(start), math.ceil(min(start + filled, number))):
            x, y = (i % per_row + 0.5) * size, (i // per_row + 0.5) * size
            share = min(start + filled - i, 1.0) - max(start - i, 0.0)
            marks.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius * math.sqrt(share):.3f}" '
                         f'fill="{color}"/>')
        start += filled
    drawn = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:g} {high:g}">'
             f'<defs>{empty}</defs><rect width="{wide:g}" height="{high:g}" fill="url(#p)"/>'
             f'{"".join(marks)}</svg>')
    packed = base64.b64encode(drawn.encode()).decode()
    width = "100%" if many else "min(100%, 46rem)"
    return (f'<img class="dots" alt="{html.escape(alt)}" style="width: {width}" '
            f'src="data:image/svg+xml;base64,{packed}">')

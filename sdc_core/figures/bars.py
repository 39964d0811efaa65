"""Small bars with their numbers written on them, as plain HTML.

A handful of labelled numbers needs no chart library: text stays text (for a screen reader, for
copying, in print), panels wrap by themselves on a narrow screen, and drawing costs nothing.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from sdc_core.figures.contrast import rim
from sdc_core.figures.theme import Style


@dataclass(frozen=True)
class Panel:
    """Bars on one scale from zero to `top`, one per mechanism."""

    title: str
    note: str
    values: Sequence[float]
    errors: Sequence[float]
    texts: Sequence[str]
    top: float


STYLE = """<style>
.bars { display: grid; grid-template-columns: repeat(auto-fit, minmax(160px, 1fr));
  gap: 0 1.2rem; font-variant-numeric: tabular-nums; font-size: .82rem; }
@media (min-width: 900px) { .bars.threes { grid-template-columns: repeat(3, 1fr); } }
/* titles of a row are as high as its highest, so bars stand beside each other */
.bars > div { display: grid; grid-template-rows: subgrid; grid-template-columns: minmax(0, 1fr);
  row-gap: 0; padding-bottom: 1.1rem; }
.bars h3 { font-size: .9rem; font-weight: 650; margin: 0 0 .15rem 0; padding: 0; }
.bars .note { display: block; opacity: .7; font-weight: 400; font-size: .8rem; }
.bars .row { margin-top: .5rem; line-height: 1.25; }
.bars .track { position: relative; height: 14px; margin-top: 2px; }
.bars .bar { height: 14px; border-radius: 0 2px 2px 0; min-width: 0;
  print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.bars .whisker { position: absolute; top: 6px; height: 2px; background: currentColor; }
</style>"""


def bars(
    panels: Sequence[Panel], labels: Sequence[str], looks: Sequence[Style], alt: str
) -> str:
    """The panels as HTML, described by `alt` for those who do not see them."""
    body = "".join(_panel(panel, labels, looks) for panel in panels)
    rows = "bars threes" if len(panels) in (6, 9) else "bars"  # not five and one, or six and three
    return f'{STYLE}<div class="{rows}" role="group" aria-label="{html.escape(alt)}">{body}</div>'


def _panel(panel: Panel, labels: Sequence[str], looks: Sequence[Style]) -> str:
    rows = "".join(
        f'<div class="row"><b>{html.escape(text)}</b> {html.escape(label)}'
        f'<div class="track"><div class="bar" style="width:{_percent(value, panel.top)};'
        f'background:{look.color};box-shadow:inset 0 0 0 1px {rim(look.color)}"></div>'
        f"{_whisker(value, error, panel.top)}</div></div>"
        for text, label, value, error, look in zip(
            panel.texts, labels, panel.values, panel.errors, looks, strict=True
        )
    )
    note = f'<span class="note">{html.escape(panel.note)}</span>'
    title = f"<h3>{html.escape(panel.title)} {note}</h3>"
    return f'<div style="grid-row:span {1 + len(panel.values)}">{title}{rows}</div>'


def _whisker(value: float, error: float, top: float) -> str:
    """One standard error to both sides, where there is one."""
    if error <= 0:
        return ""
    left, width = _percent(max(value - error, 0.0), top), _percent(2 * error, top)
    return f'<div class="whisker" style="left:{left};width:{width}"></div>'


def _percent(value: float, top: float) -> str:
    return f"{100 * min(max(value / top, 0.0), 1.0):.2f}%"

"""The exercise sheet of a lesson, and its key, as a page that prints on paper."""

from __future__ import annotations

import html
from collections.abc import Sequence

from sdc_core.lessons.lesson import Lesson, Scene, filled
from sdc_core.questions.answer import Panel
from sdc_core.report.brief_html import Charts, panels_html
from sdc_core.report.picture import font_face

_STYLE = """
body { font: 15px/1.5 'Source Sans 3', system-ui, sans-serif; width: 690px; max-width: 94vw;
  margin: 1.5rem auto; color: #1C2330; background: #fff; font-variant-numeric: tabular-nums; }
h1 { font-size: 1.5rem; margin: .2rem 0; } h2 { font-size: 1.08rem; margin: 1.1rem 0 .2rem; }
.apart { break-before: page; } .caption { color: #555B66; font-size: .82rem; }
.side { display: grid; align-items: start; justify-items: start; margin: .3rem 0; }
.side > div { min-width: 0; } .modebar-container { display: none !important; }
.seven { font-size: .95rem !important; } .undo table { font-size: .76rem !important; }
p { margin: .25rem 0; } .asks { font-weight: 600; } .line { height: 1.7rem;
  border-bottom: 1px solid #9AA0AC; } section { break-inside: avoid; }
.about { color: #555B66; font-size: .9rem; }
@page { size: A4; margin: 14mm; } @media print { body { margin: 0; } }
"""
_LINES = 3  # to write on, under a question


def as_html(lesson: Lesson, scene: Scene, key: bool) -> str:
    """Questions with room for answers; or, as the key, with the answers."""
    parts: list[str] = []
    charts, printed = Charts(), set[str]()
    for number, step in enumerate(lesson.steps, start=1):
        shown = step.show(scene)
        seen = [shown.after, shown.beside] if key else [shown.before]
        pictures = _pictures([one for one in seen if one is not None], charts, printed)
        below = (f"<p>{html.escape(filled(step.answer, shown.facts))}</p>" if key
                 else '<div class="line"></div>' * _LINES)
        apart = ' class="apart"' if step.apart and not key else ""
        parts.append(
            f"<section{apart}><h2>{number}. {html.escape(step.title)}</h2>"
            f"<p>{html.escape(filled(step.says, shown.facts))}</p>{pictures}"
            f'<p class="asks">{html.escape(filled(step.asks, shown.facts))}</p>{below}</section>'
        )
    kind = "Key" if key else "Exercise sheet"
    data = scene.dataset
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{kind}: {html.escape(lesson.title)}</title>"
        f"<style>{font_face()}{_STYLE}</style></head><body><main>"
        f"<h1>{html.escape(lesson.title)}</h1><p>{html.escape(lesson.goal)}</p>"
        f'<p class="about">{kind}, about {lesson.minutes} minutes. Data: '
        f"{html.escape(data.title)}; seed {scene.seed}.</p>{''.join(parts)}</main></body></html>"
    )


def _pictures(panels: Sequence[Panel], charts: Charts, printed: set[str]) -> str:
    """Pictures side by side; a table that stands on the sheet already is not printed again."""
    new = [one for one in panels if not (isinstance(one.drawing, str) and one.drawing in printed)]
    printed.update(one.drawing for one in new if isinstance(one.drawing, str))
    captions = "".join(
        f'<p class="caption">{html.escape(one.caption)}</p>' for one in new if one.caption)
    return panels_html(new, charts) + captions if new else ""

"""The exercise sheet of a lesson, and its key, as a page that prints on paper."""

from __future__ import annotations

import html

from sdc_core.lessons.lesson import Lesson, Scene, filled
from sdc_core.report.picture import font_face

_STYLE = """
body { font: 15px/1.5 'Source Sans 3', system-ui, sans-serif; width: 690px; max-width: 94vw;
  margin: 1.5rem auto; color: #1C2330; background: #fff; font-variant-numeric: tabular-nums; }
h1 { font-size: 1.5rem; margin: .2rem 0; } h2 { font-size: 1.08rem; margin: 1.1rem 0 .2rem; }
p { margin: .25rem 0; } .asks { font-weight: 600; } .line { height: 1.7rem;
  border-bottom: 1px solid #9AA0AC; } section { break-inside: avoid; }
.about { color: #555B66; font-size: .9rem; }
@page { size: A4; margin: 14mm; } @media print { body { margin: 0; } }
"""
_LINES = 3  # to write on, under a question


def as_html(lesson: Lesson, scene: Scene, key: bool) -> str:
    """Questions with room for answers; or, as the key, with the answers."""
    parts = []
    for number, step in enumerate(lesson.steps, start=1):
        shown = step.show(scene)
        seen = shown.before if not key else shown.after
        drawing = seen.drawing if seen is not None and isinstance(seen.drawing, str) else ""
        below = (f"<p>{html.escape(filled(step.answer, shown.facts))}</p>" if key
                 else '<div class="line"></div>' * _LINES)
        parts.append(
            f"<section><h2>{number}. {html.escape(step.title)}</h2>"
            f"<p>{html.escape(filled(step.says, shown.facts))}</p>{drawing}"
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

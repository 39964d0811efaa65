"""The first screen: what this is, in one line, and three doors. Whoever knows goes by the menu."""

from __future__ import annotations

import html
from dataclasses import dataclass

import streamlit as st

from sdc_core.questions import QUESTIONS
from ui import menu

ADDRESS, TITLE, ICON = "start", "Start", "home"


@dataclass(frozen=True)
class Door:
    """A job that somebody came for: what it gives, and the page where it begins."""

    title: str
    icon: str
    gives: str
    page: str
    button: str


DOORS = (
    Door("Brief", "description", "Who is hurt, what is promised: one page to hand to a decision "
         "maker, ready to print or to edit.", "brief", "Make a brief"),
    Door("Teach", "school", "Four lessons of about 45 minutes, with steps, questions to the class "
         "and an exercise sheet.", "teach", "Hold a lesson"),
    Door("Tune", "tune", "Which k, which swap rate, which ε meets the error that you can accept?",
         "tune", "Find a setting"),
)

_STYLE = """<style>
.st-key-doors [data-testid="stColumn"] > div { height: 100%; }
.door { font-size: 1.02rem; line-height: 1.45; min-height: 4.6rem; margin: 0; }
.sections { columns: 3 16rem; margin: .3rem 0 0; padding: 0; }
.sections div { break-inside: avoid; margin: 0 0 .9rem; } .sections b { font-size: .9rem; }
.sections p { margin: .1rem 0; font-size: .92rem; line-height: 1.4; }
</style>"""


def show() -> None:
    st.html(
        f'{_STYLE}<h1 class="answer">What do hiding, swapping and noise do to published numbers, '
        'and whom do they protect?</h1><p class="answer-more">Traditional disclosure control and '
        "differential privacy on the same data, in the same units: how far off counts are, who is "
        "hurt, and what is really promised.</p>"
    )
    with st.container(key="doors"):
        for place, door in zip(st.columns(len(DOORS), gap="medium"), _doors(), strict=True):
            with place.container(border=True):
                st.markdown(f"## :material/{door.icon}: {door.title}", anchors=False)
                st.html(f'<p class="door">{html.escape(door.gives)}</p>')
                if st.button(door.button, key=f"door.{door.page}", type="primary"):
                    st.switch_page(menu.file_of(door.page))
    st.markdown("## Or go straight to a question", anchors=False)
    sections: dict[str, list[str]] = {}
    for one in QUESTIONS:
        sections.setdefault(one.section, []).append(
            f'<p><a href="{one.address}" target="_self">{html.escape(one.title)}</a>: '
            f"{html.escape(one.asks)}</p>")
    st.html('<div class="sections">' + "".join(
        f"<div><b>{html.escape(name)}</b>{''.join(lines)}</div>"
        for name, lines in sections.items()) + "</div>")


def _doors() -> tuple[Door, ...]:
    return DOORS

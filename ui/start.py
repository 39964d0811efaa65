"""The first screen: what this is, in one line, and three doors. Whoever knows goes by the menu."""

from __future__ import annotations

import html
from dataclasses import dataclass

import streamlit as st

from sdc_core.lessons import LESSONS
from sdc_core.questions import QUESTIONS, question
from ui import brief, menu
from ui.terms import fixed, plain

ADDRESS, TITLE, ICON = "start", "Start", "home"


@dataclass(frozen=True)
class Door:
    """A job that somebody came for: what it gives, the page where it begins, and the stations of
    its way: what they are called, and their link."""

    title: str
    icon: str
    gives: str
    page: str
    button: str
    way: tuple[tuple[str, str], ...]


def _questions(*addresses: str) -> tuple[tuple[str, str], ...]:
    return tuple((question(address).title, address) for address in addresses)


DOORS = (
    Door("Brief", "description", "Who is hurt, what is promised: one page to hand to a decision "
         "maker, ready to print or to edit.", "brief", "Make a brief",
         (*_questions(*brief.USUAL, "delta_epsilon"), ("Brief", "brief"))),
    Door("Teach", "school", "Four lessons of about 45 minutes, with steps, questions to the class "
         "and an exercise sheet.", "teach", "Hold a lesson",
         tuple((one.title, f"teach?lesson={one.name}&step=1") for one in LESSONS)),
    Door("Tune", "tune", "Which limit for small counts (k), which swap rate, how much noise (ε) "
         "meets the error that you can accept?", "tune", "Find a setting",
         _questions("tune", "frontier", "delta_epsilon")),
)

_STYLE = """<style>
.door { font-size: 1.02rem; line-height: 1.45; min-height: 4.6rem; margin: 0; }
.way { font-size: .92rem; line-height: 1.5; margin: 0; }
.sections { display: grid; gap: .4rem 2rem; margin: .3rem 0 0;
  grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); }
.sections h3 { font-size: .9rem; font-weight: 700; margin: 0; padding: 0; }
.sections p { margin: .1rem 0; font-size: .92rem; line-height: 1.4; }
.way a, .sections a { color: light-dark(#1F6AA5, #7CBBEC); text-underline-offset: .18em; }
@media (max-width: 640px) { .door { min-height: 0; } }
</style>"""


def show() -> None:
    st.html(
        f'{_STYLE}<h1 class="answer">What do hiding, swapping and noise do to published numbers, '
        'and whom do they protect?</h1><p class="answer-more">Traditional disclosure control and '
        "differential privacy on the same data: who is hurt, and what is really promised.</p>"
    )
    with st.container(key="doors"):
        for place, door in zip(st.columns(len(DOORS), gap="medium"), DOORS, strict=True):
            with place.container(border=True, height="stretch"):
                st.markdown(fixed(f"## :material/{door.icon}: {door.title}"), anchors=False)
                st.html(f'<p class="door">{html.escape(door.gives)}</p>')
                if st.button(plain(door.button), key=f"door.{door.page}", type="primary"):
                    st.switch_page(menu.file_of(door.page))
                way = " · ".join(_link(*one) for one in door.way)
                st.html(f'<p class="way">The way: {way}</p>')
    st.markdown("## Or go straight to a question", anchors=False)
    sections: dict[str, list[str]] = {}
    for one in QUESTIONS:
        sections.setdefault(one.section, []).append(
            f"<p>{_link(one.title, one.address)}: {html.escape(one.asks)}</p>")
    st.html('<div class="sections">' + "".join(
        f"<div><h3>{html.escape(name)}</h3>{''.join(lines)}</div>"
        for name, lines in sections.items()) + "</div>")


def _link(title: str, address: str) -> str:
    return f'<a href="{html.escape(address)}" target="_self">{html.escape(title)}</a>'

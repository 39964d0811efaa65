"""The page that lists all words of the glossary."""

from __future__ import annotations

import html

import streamlit as st

from sdc_core.words.glossary import GLOSSARY, Term, marked

ADDRESS, TITLE, ICON = "glossary", "Glossary", "menu_book"

_STYLE = """<style>
.words { max-width: 46rem; margin: 1rem 0 0 0; padding: 0 !important; }
.words dt { font-weight: 650; margin-top: 1.1rem; scroll-margin-top: 4rem; }
.words dt span { font-weight: 400; opacity: .8; }
.words dd { margin: .1rem 0 0 0; line-height: 1.5; }
.words dt:target { background: rgb(90 160 220 / .25); }
.words a { color: inherit; text-underline-offset: .2em; }
</style>"""

# The list comes after the browser has looked for the word in the address: look again.
_FIND = """<script>
document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
</script>"""


def show() -> None:
    listed = "".join(_entry(term) for term in GLOSSARY)
    st.html(
        f'{_STYLE}<h1 class="answer">{len(GLOSSARY)} words, each in one sentence</h1>'
        '<p class="answer-more">Wherever one of them stands first on a page, it is underlined with '
        "dots: point at it, tap it or tab to it.</p>"
        f'<dl class="words">{listed}</dl>{_FIND}', unsafe_allow_javascript=True,
    )


def _entry(term: Term) -> str:
    also = f' <span>({html.escape(", ".join(term.spelled))})</span>' if term.spelled else ""
    return f'<dt id="{term.slug}">{html.escape(term.title)}{also}</dt><dd>{_linked(term)}</dd>'


def _linked(term: Term) -> str:
    """What it means, with the other words in it linked within the page."""
    return "".join(
        html.escape(piece.text) if piece.term is None
        else f'<a href="#{piece.term.slug}">{html.escape(piece.text)}</a>'
        for piece in marked(term.means, (term.slug,))
    )

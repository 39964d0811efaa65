"""Words of the glossary where they stand: the first time one occurs on a page it is a link to the
page that lists all, with its meaning a pointer, a tap or a tab key away. The link opens in a tab of
its own, since a new visit would not have the reader's file."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import streamlit as st

from sdc_core.words.glossary import Term, marked

ADDRESS = "glossary"
_SEEN = "terms-seen"
_PARTED = "\N{WORD JOINER}"
_FOUND_ANYWAY = re.compile(r"(?<=:)(?=[A-Za-z+/-])|(?<=www)(?=\.)|(?<=@)(?=[\w-])", re.IGNORECASE)
_AS_IT_IS = str.maketrans({sign: f"\\{sign}" for sign in "\\`*_{}[]()#+-.!|~<>$:"})

STYLE = """<style>
[data-testid="stApp"] a[href^="glossary#"] { color: inherit; cursor: help;
  text-decoration: underline dotted 1px; text-underline-offset: .22em; }
.answer a[href^="glossary#"] {  /* a hint, not a distraction from the answer */
  text-decoration-color: color-mix(in srgb, currentColor 40%, transparent) !important; }
#word { position: fixed; inset: auto; margin: 0; max-width: min(26rem, calc(100vw - 16px));
  padding: .5rem .7rem; border: 1px solid #8a919c; border-radius: 4px; font-size: .9rem;
  line-height: 1.45; box-shadow: 0 2px 10px rgb(0 0 0 / .2); }
#word a { color: inherit; white-space: nowrap; }
@media print { #word { display: none !important; }
  [data-testid="stApp"] a[href^="glossary#"] { text-decoration: none; } }
</style>"""

# The meaning is the link's title. It is taken from there when it is shown, so that the browser does
# not show it a second time, and said to those who listen as a description.
SCRIPT = """<script>
if (!window.wordsAreExplained) {
  window.wordsAreExplained = true;
  const box = document.createElement("div"), says = document.createElement("span");
  const more = document.createElement("a");
  Object.assign(more, {textContent: "All words", target: "_blank", rel: "noopener", tabIndex: -1});
  Object.assign(box, {id: "word", popover: "manual", ariaHidden: "true"});
  box.append(says, " ", more);
  document.body.append(box);
  let shown = null, leaving = 0, touch = false;
  const word = (event) => event.target.closest?.("a[href^='glossary#']");
  const hide = () => { if (shown) box.hidePopover(); shown = null; };
  const show = (link) => {
    clearTimeout(leaving);
    if (shown === link) return;
    if (link.title) { link.ariaDescription = link.title; link.removeAttribute("title"); }
    says.textContent = link.ariaDescription;
    more.href = link.href;
    const {color, backgroundColor, fontFamily} = getComputedStyle(
      document.querySelector("[data-testid=stApp]"));
    Object.assign(box.style, {color, backgroundColor, fontFamily});
    if (!shown) box.showPopover();
    shown = link;
    const at = link.getClientRects()[0], room = window.innerWidth - box.offsetWidth - 8;
    const below = at.bottom + 4, fits = below + box.offsetHeight < window.innerHeight;
    box.style.left = Math.max(8, Math.min(at.left, room)) + "px";
    box.style.top = (fits ? below : at.top - box.offsetHeight - 4) + "px";
  };
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const link = word(event);
    if (link) show(link);
    else if (box.contains(event.target)) clearTimeout(leaving);
    else if (shown) { clearTimeout(leaving); leaving = setTimeout(hide, 250); }
  });
  document.addEventListener("focusin", (event) => {
    const link = word(event);
    if (link && !touch) show(link); else if (!link) hide();
  });
  document.addEventListener("pointerdown", (event) => {
    touch = event.pointerType === "touch";
    if (touch && !word(event) && !box.contains(event.target)) hide();
  }, true);
  document.addEventListener("click", (event) => {
    const link = word(event);
    if (!link || !touch) return;
    event.preventDefault();
    if (shown === link) hide(); else show(link);
  }, true);
  document.addEventListener("keydown", (event) => {
    touch = false;
    if (event.key === "Escape") hide();
  });
  document.addEventListener("scroll", hide, true);
}
</script>"""


def begin() -> None:
    """A page is read from its headline on: no word has been met yet."""
    st.session_state[_SEEN] = set()


def plain(text: str) -> str:
    """Text that Markdown shows as it is; labels may come from an uploaded file. Where Streamlit
    looks for addresses, signs and emoji it takes no notice of backslashes: what it would find there
    is parted by something that is not seen."""
    return _FOUND_ANYWAY.sub(_PARTED, text).translate(_AS_IT_IS)


def fixed(markdown: str) -> str:
    """Markdown that stands in the program itself, with nothing of a file in it."""
    return markdown


def in_markdown(text: str) -> str:
    """The same with words marked where they stand first."""
    return _joined(text, plain, lambda term, said: (
        f'[{plain(said)}]({ADDRESS}#{term.slug} "{term.means.replace(chr(34), "”")}")'))


def in_html(text: str) -> str:
    """Text as HTML shows it, with words marked where they stand first."""
    return _joined(text, html.escape, lambda term, said: (
        f'<a href="{ADDRESS}#{term.slug}" target="_blank" title="{html.escape(term.means)}">'
        f"{html.escape(said)}</a>"))


def _joined(
    text: str, shown: Callable[[str], str], linked: Callable[[Term, str], str]
) -> str:
    seen: set[str] = st.session_state.setdefault(_SEEN, set())
    parts = []
    for piece in marked(text, frozenset(seen)):
        if piece.term is None:
            parts.append(shown(piece.text))
        else:
            seen.add(piece.term.slug)
            parts.append(linked(piece.term, piece.text))
    return "".join(parts)

"""The one layout of all pages: where what stands, and what the browser has to know for it.

From the top: the answer (room for two lines and a sentence is kept, so nothing below moves when it
changes), the method bar, the question's own controls, the first picture. On a phone the bar is a
list that opens.
"""

from __future__ import annotations

STYLE = """<style>
[data-testid="stMainBlockContainer"] { padding: 1.1rem 2.4rem 3rem; max-width: 1500px; }
[data-testid="stMainBlockContainer"] > [data-testid="stVerticalBlock"] { gap: .6rem; }
/* what holds nothing takes no room, nor does what stands over the page */
[data-testid="stLayoutWrapper"]:has(> .st-key-scripts),
[data-testid="stMainBlockContainer"] > div > [data-testid="stLayoutWrapper"]:not(
  :has([data-testid="stElementContainer"])) { display: none; }
[data-testid="stLayoutWrapper"]:has(> .st-key-progress) { position: absolute; }
.st-key-answer { min-height: 10rem; }  /* the stamp, two lines, and two of a smaller kind */
.st-key-frame { container: frame / inline-size; }
.st-key-method-bar { flex-wrap: nowrap; align-items: flex-start; }
.st-key-method-bar > div { min-width: 0; }
.st-key-method-bar [data-testid="stPopover"] button {
  justify-content: flex-start; padding: 0; min-height: 2rem; }
.st-key-method-bar [class*="st-key-slot-"] [data-testid="stPopover"] button { font-weight: 600; }
.st-key-method-bar [data-testid="stPopover"] button p,
.st-key-method-bar label p, .st-key-method-bar [data-testid="stCaptionContainer"] p {
  white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.st-key-method-bar [data-testid="stPopover"] button > div { min-width: 0; overflow: hidden; }
.st-key-aside { width: auto; }
.st-key-own-controls [data-testid="stWidgetLabel"] { min-height: 1.25rem; margin-bottom: .1rem; }
.methods, .bar-opens { display: none; }
.st-key-slots { flex-wrap: nowrap; } .st-key-slots > div { flex: 1 1 0; min-width: 0; }
[data-testid="stHtml"] .methods { list-style: none; margin: 0; padding: 0; }
[data-testid="stHtml"] .methods li { margin: 0 0 .2rem; padding-left: .5rem; font-size: .92rem; }
.bar-opens summary { cursor: pointer; min-height: 2.75rem; padding: .6rem 0; font-weight: 600; }
/* on a dark page the colour of what is to be pressed is light */
[data-testid="stBaseButton-primary"] { color: light-dark(#fff, #12161D) !important; }
/* The sidebar: data, table and what can be done with them on the first screen, under the menu. */
[data-testid="stSidebarHeader"] { height: 2rem; margin: 0; }
.st-key-study [data-testid="stWidgetLabel"] { min-height: 1.25rem; margin-bottom: .1rem; }
[data-testid="stSidebarNav"] { padding-bottom: 0; }
[data-testid="stSidebarNavSeparator"] { margin: .4rem 0 0; padding: 0; }
[data-testid="stSidebarUserContent"] { padding-top: .5rem; }
.st-key-actions button { padding: 0 .1rem; min-height: 2rem; }
.st-key-actions { margin: 0 -1.1rem 0 -.1rem; width: calc(100% + 1.2rem); }
.st-key-actions [data-testid="stPopover"] button > div > div:last-child { display: none; }
.st-key-popover-features button { padding: 0 .6rem; }
.st-key-popover-features button :is(div, span) { min-width: 0; }
.st-key-popover-features button p {
  white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
@media (min-width: 768px) {
  [data-testid="stSidebarNavItems"] header { margin: .1rem 0 0; height: 1rem;
    font-size: .78rem; }
  [data-testid="stSidebarNavItems"] > div { margin-top: 0; }
  [data-testid="stSidebarNavItems"] li { margin: 0; }
  [data-testid="stSidebarNavLink"] { margin: 0; min-height: 0; height: 1.1rem; }
}
@container frame (max-width: 760px) {
  .methods, .bar-opens { display: block; }
  .st-key-method-bar { display: none; }
  .st-key-frame:has(.bar-opens[open]) .st-key-method-bar { display: flex; flex-wrap: wrap; }
  .st-key-method-bar > div { flex: 1 1 100%; }
  .st-key-slots { flex-wrap: wrap; } .st-key-slots > div { flex: 1 1 100%; }
}
/* What is being computed is said over the page, not in it: nothing moves down and up again. */
.st-key-progress { position: fixed; right: 1.5rem; bottom: 1.5rem; width: min(24rem, 90vw);
  z-index: 99; padding: .6rem 1rem; border-radius: .5rem; background: light-dark(#fff, #1B212B);
  box-shadow: 0 2px 14px rgb(0 0 0 / .28); }
.st-key-progress:not(:has([data-testid="stProgress"], button, [data-testid="stAlert"])) {
  display: none; }
@media (max-width: 640px) {
  [data-testid="stMainBlockContainer"] { padding: 4rem 1rem 3rem; }
  .st-key-answer { min-height: 0; }
}
@media print { .methods { display: block; } .st-key-method-bar, .st-key-progress, .bar-opens {
  display: none; } }
</style>
"""

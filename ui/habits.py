"""Habits people bring, where Streamlit has to be helped in the browser: one press of Back undoes
one thing, and on a phone the menu closes once a page is chosen."""

from __future__ import annotations

# Streamlit makes a new entry in the history whenever the address changes. Where the new address
# only completes the one before (a page was opened and its settings are written out), a step back
# would undo nothing that anybody did: such an entry takes the place of the one before. A page that
# is quick may have written its settings before this is there; the entry that it then left behind
# is passed over on the way back. And a page that is still being made when one has gone on from it,
# by Back or Forward, writes its address too late: nobody touched anything that would lead there.
_ONE_STEP = """
  const push = history.pushState.bind(history), address = (url) => new URL(url, location.href);
  const completes = (to, from) => to.pathname === from.pathname && [...from.searchParams].every(
    ([name, text]) => to.searchParams.get(name) === text);
  let steps = false;
  addEventListener("popstate", () => { steps = true; });
  for (const touch of ["pointerdown", "keydown", "click"])
    addEventListener(touch, () => { steps = false; }, true);
  history.pushState = (state, title, url) => {
    const to = address(url), from = address(location.href);
    if (steps && to.pathname !== from.pathname) return;
    completes(to, from) ? history.replaceState(state, title, url) : push(state, title, url);
  };
  const opened = performance.getEntriesByType("navigation")[0].name;
  if (location.href !== opened && completes(address(location.href), address(opened)))
    addEventListener("popstate", () => { if (location.href === opened) history.back(); });
"""

_MENU_CLOSES = """
  document.addEventListener("click", (event) => {
    if (innerWidth >= 768 || !event.target.closest?.("[data-testid=stSidebarNavLink]")) return;
    document.querySelector("[data-testid=stSidebarCollapseButton] button")?.click();
  });
"""

# The script is the same in every run and does nothing the second time.
SCRIPT = (
    f"<script>if (!window.habits) {{ window.habits = true; {_ONE_STEP} {_MENU_CLOSES} }}</script>"
)

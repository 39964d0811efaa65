"""Habits people bring, where Streamlit has to be helped in the browser: one press of Back undoes
one thing, and on a phone the menu closes once a page is chosen."""

from __future__ import annotations

# Streamlit makes a new entry in the history whenever the address changes. A step back should undo
# what somebody did, so some of these entries must not be:
# - An address that only completes the one before (a page was opened and its settings are written
#   out) takes its place. A page that is quick may have written its settings before this is there;
#   the entry that it then left behind is passed over on the way back.
# - A new page's settings may come before its name, as if they were the old page's: the name takes
#   the place of that.
# - After Back or Forward nobody asks for a new entry, least of all a page that one has left while
#   it was still being made.
_ONE_STEP = """
  const push = history.pushState.bind(history), address = (url) => new URL(url, location.href);
  const completes = (to, from) => to.pathname === from.pathname && [...from.searchParams].every(
    ([name, text]) => to.searchParams.get(name) === text);
  let stepped = false, pushed = false;
  addEventListener("popstate", () => { stepped = true; });
  for (const touch of ["pointerdown", "keydown", "click", "drop"])
    addEventListener(touch, () => { stepped = pushed = false; }, true);
  history.pushState = (state, title, url) => {
    const to = address(url), from = address(location.href);
    if (stepped && to.pathname !== from.pathname) return;
    if (stepped || completes(to, from) || (pushed && to.search === from.search))
      return history.replaceState(state, title, url);
    pushed = true;
    push(state, title, url);
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

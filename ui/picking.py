"""Charts whose marks can be picked: a click, or one tap on a touch screen, sets controls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from sdc_core.questions.answer import Panel, Pick, PickSettings
from ui import state

# Plotly takes the mark under a finger to be the one that the pointer was over before, and keeps a
# swipe over a chart from scrolling the page. So touches are kept from it: a swipe is the browser's,
# and a tap becomes what a mouse would have done there.
_TAPS = """<script>
if (!window.tapsPick) {
  window.tapsPick = true;
  let start = null;
  const onChart = (event) => event.target.closest?.("[class*='st-key-pick-'] .draglayer");
  const spot = (event) => event.changedTouches[0];
  document.addEventListener("touchstart", (event) => {
    start = null;
    if (!onChart(event)) return;
    event.stopPropagation();
    if (event.touches.length === 1) start = [spot(event).clientX, spot(event).clientY];
  }, {capture: true, passive: true});
  document.addEventListener("touchend", (event) => {
    if (!start || !onChart(event)) return;
    const {clientX, clientY} = spot(event);
    const moved = Math.hypot(clientX - start[0], clientY - start[1]);
    start = null;
    if (moved > 10) return;
    event.preventDefault();
    for (const kind of ["mousemove", "mousedown", "mouseup"]) {
      const target = document.elementFromPoint(clientX, clientY);
      target?.dispatchEvent(new MouseEvent(kind, {
        clientX, clientY, bubbles: true, cancelable: true, view: window}));
    }
  }, {capture: true, passive: false});
}
</script>"""


def prepare(panels: Sequence[Panel]) -> None:
    """Once a page that has such charts: taps, and on phones no empty space under them. A chart's
    height is fixed; where it is narrow, what follows moves up into the free space."""
    picked = [panel for panel in panels if panel.pick is not None]
    if not picked:
        return
    rules = "".join(
        f"[class*='st-key-pick-{panel.name}-'] {{ margin-bottom: -{panel.spare_on_a_phone}px; }}"
        for panel in picked if panel.spare_on_a_phone
    )
    if rules:
        st.html(f"<style>@media (max-width: 640px) {{ {rules} }}</style>")
    st.html(_TAPS, unsafe_allow_javascript=True)


def chart(
    figure: go.Figure, pick: Pick | PickSettings, name: str, alt: str, config: dict[str, Any]
) -> None:
    key = f"pick.{name}"
    st.plotly_chart(
        figure, key=key, alt=alt, width="stretch", config=config, selection_mode="points",
        on_select=lambda: _picked(key, pick),
    )


def _picked(key: str, pick: Pick | PickSettings) -> None:
    """A click on a mark sets what it stands for."""
    points = st.session_state[key]["selection"]["points"]
    for name, text in (pick.set_by(int(points[0]["point_index"])) if points else {}).items():
        state.put(name, text)

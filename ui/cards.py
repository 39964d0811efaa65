"""Up to four mechanisms side by side, each a card: which one, its parameters, its guarantee."""

from __future__ import annotations

import streamlit as st

from sdc_core.mechanisms import mechanism, mechanisms
from sdc_core.mechanisms.base import FAMILY_TITLES, Declaration, Mechanism
from sdc_core.privacy.guarantee import Guarantee
from ui import state
from ui.layout import chip

NONE = "none"
SLOTS: dict[str, str] = {
    "m1": "laplace",
    "m2": "discrete-gaussian",
    "m3": "dp-suppression",
    "m4": "suppression",
}


def draw(guarantee_of) -> tuple[list[Mechanism], list[Guarantee]]:  # type: ignore[no-untyped-def]
    """The chosen mechanisms and their guarantees; `guarantee_of` knows the facts of the data."""
    chosen, guarantees = [], []
    for column, (slot, default) in zip(st.columns(len(SLOTS)), SLOTS.items(), strict=True):
        with column, st.container(border=True, height="stretch"):
            built = _card(slot, default)
            if built is not None:
                found = guarantee_of(built)
                chip(found)
                chosen.append(built)
                guarantees.append(found)
    return chosen, guarantees


def _card(slot: str, default: str) -> Mechanism | None:
    declared = {d.name: d for d in mechanisms()}
    titles = {name: d.title for name, d in declared.items()} | {NONE: "none"}
    name = state.choose(slot, f"Method {slot[1:]}", [*declared, NONE], default, titles)
    if name == NONE:
        st.caption("Choose a method to compare.")
        return None
    st.caption(f"{FAMILY_TITLES[declared[name].family]}. {declared[name].summary}")
    return _settled(slot, declared[name])


def _settled(slot: str, declared: Declaration) -> Mechanism:
    """Sliders first; choices and switches behind Options, to keep the card short."""
    settings: dict[str, object] = {}
    sliders = st.container()
    others = [p for p in declared.params if not p.numeric]
    options = st.popover("Options", icon=":material/tune:", type="tertiary") if others else sliders
    for param in sorted(declared.params, key=lambda p: p.numeric):
        relevant = mechanism(declared.name, **settings).relevant_params()
        if param.name not in {p.name for p in relevant}:
            continue
        with sliders if param.numeric else options:
            settings[param.name] = state.parameter(f"{slot}.{param.name}", param)
    return mechanism(declared.name, **settings)

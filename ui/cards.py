"""Up to four mechanisms side by side, each a card: which one, its parameters, its guarantee."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism, mechanisms
from sdc_core.mechanisms.base import FAMILY_TITLES, Declaration, Mechanism
from sdc_core.privacy.guarantee import Guarantee
from ui import state
from ui.layout import chip, plain

NONE = "none"
SLOTS: dict[str, str] = {
    "m1": "laplace",
    "m2": "discrete-gaussian",
    "m3": "dp-suppression",
    "m4": "suppression",
}


def draw(
    table: Histogram, guarantee_of: Callable[[Mechanism], Guarantee],
) -> tuple[list[Mechanism], list[Guarantee]]:
    """The chosen mechanisms and their guarantees; `guarantee_of` knows the facts of the data.

    A card whose settings do not fit the table says so and is left out of the comparison.
    """
    features = {f.name: f.title for f in table.domain.features}
    chosen, guarantees = [], []
    for column, (slot, default) in zip(st.columns(len(SLOTS)), SLOTS.items(), strict=True):
        with column, st.container(border=True, height="stretch"):
            try:
                built, foot = _card(slot, default, features)
                found = None if built is None else guarantee_of(built)
            except InputError as problem:
                st.error(plain(str(problem)))
                continue
            if built is not None and found is not None:
                with foot:
                    chip(found)
                chosen.append(built)
                guarantees.append(found)
    return chosen, guarantees


def _card(
    slot: str, default: str, features: Mapping[str, str]
) -> tuple[Mechanism | None, DeltaGenerator]:
    """The mechanism that the card settles, and the foot of the card, where its guarantee goes."""
    declared = {d.name: d for d in mechanisms()}
    titles = {name: d.title for name, d in declared.items()} | {NONE: "none"}
    name = state.choose(slot, f"Method {slot[1:]}", [*declared, NONE], default, titles)
    if name == NONE:
        st.caption("Choose a method to compare.")
        return None, st.container()
    st.caption(f"{FAMILY_TITLES[declared[name].family]}. {declared[name].summary}")
    sliders = st.container()
    foot = st.container(horizontal=True, vertical_alignment="center", gap="small")
    return _settled(slot, declared[name], features, sliders, foot), foot


def _settled(
    slot: str, declared: Declaration, features: Mapping[str, str], sliders: DeltaGenerator,
    foot: DeltaGenerator,
) -> Mechanism:
    """Sliders first; choices and switches behind Options, to keep the card short."""
    settings: dict[str, object] = {}
    options = sliders
    if any(not p.numeric for p in declared.params):
        options = foot.popover("Options", icon=":material/tune:", type="tertiary")
    for param in sorted(declared.params, key=lambda p: p.numeric):
        relevant = mechanism(declared.name, **settings).relevant_params()
        if param.name not in {p.name for p in relevant}:
            continue
        # a feature has one role: what an earlier list has taken is not offered again
        taken = {n for chosen in settings.values() if isinstance(chosen, list) for n in chosen}
        free = {n: title for n, title in features.items() if n not in taken}
        with sliders if param.numeric else options:
            settings[param.name] = state.parameter(f"{slot}.{param.name}", param, free)
    return mechanism(declared.name, **settings)

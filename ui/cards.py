"""Up to four mechanisms side by side, each a card: which one, its parameters, its guarantee."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from sdc_core.errors import InputError
from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism, mechanisms
from sdc_core.mechanisms.base import FAMILY_TITLES, Declaration, Mechanism
from sdc_core.parameters import Choice, Param, Several
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.questions.question import Chosen, Methods
from sdc_core.words.numbers import listed, lowered
from ui import state
from ui.render import chip, plain

NONE = "none"


def draw(
    suggested: Methods, table: Histogram, guarantee_of: Callable[[Mechanism], Guarantee]
) -> list[Chosen]:
    """The chosen mechanisms with their guarantees. `suggested` are the cards' names in the link and
    what they start with. A card whose settings do not fit the table says so and is left out."""
    chosen = []
    places = zip(st.columns(len(suggested)), enumerate(suggested.items(), start=1), strict=True)
    for column, (number, (slot, preset)) in places:
        with column, st.container(border=True, height="stretch"):
            try:
                built, foot = _card(slot, f"Method {number}", preset, table)
                found = None if built is None else guarantee_of(built)
            except InputError as problem:
                st.error(plain(str(problem)))
                continue
            if built is not None and found is not None:
                with foot:
                    chip(found)
                chosen.append(Chosen(built, found))
    return chosen


def _card(
    slot: str, title: str, preset: Mechanism | None, table: Histogram
) -> tuple[Mechanism | None, DeltaGenerator]:
    """The mechanism that the card settles, and the foot of the card, where its guarantee goes."""
    declared = {d.name: d for d in mechanisms()}
    titles = {name: d.title for name, d in declared.items()} | {NONE: "none"}
    start = preset.name if preset else NONE
    name = state.control(slot, Choice(
        name=slot, title=title, default=start, choices=(*declared, NONE), titles=titles,
    ))
    if name == NONE:
        st.caption("Choose a method to compare.")
        return None, st.container()
    st.caption(f"{FAMILY_TITLES[declared[name].family]}. {declared[name].summary}")
    sliders = st.container()
    foot = st.container(horizontal=True, vertical_alignment="center", gap="small")
    presets = preset.settings() if preset and name == start else {}
    return _settled(slot, declared[name], presets, table, sliders, foot), foot


def _settled(
    slot: str, declared: Declaration, presets: Mapping[str, Any], table: Histogram,
    sliders: DeltaGenerator, foot: DeltaGenerator,
) -> Mechanism:
    """Sliders first; choices, switches and what is rarely changed behind Options, to keep the card
    short. Every control is drawn, also where another one has a mistake: nothing typed is lost."""
    features = {f.name: f.title for f in table.domain.features}
    settings: dict[str, Any] = {}
    sound: dict[str, Any] = {}
    options = sliders
    if any(not _on_card(p) for p in declared.params):
        options = foot.popover("Options", icon=":material/tune:", type="tertiary")
    for param in sorted(declared.params, key=_on_card):
        relevant = mechanism(declared.name, **sound).relevant_params()
        if param.name not in {p.name for p in relevant}:
            continue
        # a feature has one role: what an earlier list has taken is not offered again
        taken = {n for chosen in settings.values() if isinstance(chosen, tuple) for n in chosen}
        free = {n: title for n, title in features.items() if n not in taken}
        with sliders if _on_card(param) else options:
            start = replace(param, default=presets.get(param.name, param.default))
            settings[param.name] = state.control(f"{slot}.{param.name}", start.offered(free))
        with suppress(InputError):  # said once, below, when all controls are there
            mechanism(declared.name, **sound, **{param.name: settings[param.name]})
            sound[param.name] = settings[param.name]
        if isinstance(param, Several) and settings[param.name]:
            chosen = listed([lowered(features[name]) for name in settings[param.name]])
            sliders.caption(plain(f"{param.title}: {chosen}"))
    try:
        built = mechanism(declared.name, **settings)
        built.check(table)
    except InputError as problem:
        if options is not sliders:  # the card says it as well, but may lie under the options
            options.error(plain(str(problem)))
        raise
    return built


def _on_card(param: Param) -> bool:
    return param.numeric and not param.advanced

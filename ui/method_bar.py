"""The method bar: up to four methods in one row, each with its plain name, its sign and the slider
that matters most; everything else opens from it."""

from __future__ import annotations

import functools
import html
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from sdc_core.errors import InputError
from sdc_core.figures.theme import Style, styles
from sdc_core.histogram import Histogram
from sdc_core.mechanisms import FOR_TABLES, mechanism
from sdc_core.mechanisms.base import FAMILY_TITLES, Declaration, Mechanism
from sdc_core.parameters import Choice, Param
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.questions.question import Chosen, Given, Methods, Preset
from sdc_core.questions.study import COUNT, DOMAIN, EMPTY_GROUPS
from sdc_core.words.guarantees import promise_word
from sdc_core.words.numbers import listed
from ui import opens, state
from ui.render import promise, promise_icon
from ui.terms import plain

NONE = "none"


def draw(
    suggested: Methods, given: Given, guarantee_of: Callable[[Mechanism], Guarantee],
    problems: DeltaGenerator,
) -> dict[str, Chosen]:
    """The chosen mechanisms with their guarantees, by slot. `suggested` are the slots' names in the
    link and what they start with. A slot whose settings do not fit the table is left out, and
    `problems` is where that is said."""
    chosen: dict[str, Chosen] = {}
    slots = tuple(suggested)
    for slot in slots:
        with st.container(key=f"slot-{slot}", gap=None):
            found = _slot(slot, slots, suggested[slot], given, guarantee_of, problems)
        if found is not None:
            chosen[slot] = found
    _mark(chosen)
    return chosen


@functools.cache
def _offered(
    methods: tuple[type[Mechanism], ...]
) -> tuple[Mapping[str, Declaration], Mapping[str, str]]:
    """All methods and what they are called in the list."""
    declared = {cls.name: cls.declaration() for cls in methods}
    return declared, {n: f"{d.plain} ({d.title})" for n, d in declared.items()} | {NONE: "none"}


def _slot(
    slot: str, slots: Sequence[str], preset: Mechanism | None, given: Given,
    guarantee_of: Callable[[Mechanism], Guarantee], problems: DeltaGenerator,
) -> Chosen | None:
    """One method. What its sign says hangs on its settings, and these open from the sign: so they
    are settled first, and drawn afterwards."""
    declared, titles = _offered(tuple(FOR_TABLES))
    start = preset.name if preset else NONE
    choice = Choice(
        name=slot, title="Method", default=start, choices=(*declared, NONE), titles=titles)
    name = state.settled(slot, choice)
    if name == NONE:
        adding = opens.popover("Add a method", f"method.{slot}", ":material/add:",
                               type="tertiary", width="stretch")
        if adding.open:
            with adding:
                state.draw(slot, choice)
        return None
    asked = _settled(slot, declared[name], preset.settings() if preset and name == start else {},
                     given.table)
    found, problem = None, ""
    try:
        built = given.study.treated(mechanism(name, **{p.name: v for p, v in asked}))
        built.check(given.table)
        found = Chosen(built, guarantee_of(built))
    except InputError as trouble:
        problem = str(trouble)
    main = next((p for p, _ in asked if p.stronger and p.numeric), None)
    icon = promise_icon(found.guarantee) if found else ":material/error:"
    settings = opens.popover(declared[name].plain, f"method.{slot}", icon, type="tertiary",
                             width="stretch")
    if settings.open:
        with settings:
            state.draw(slot, choice)
            st.caption(plain(f"{FAMILY_TITLES[declared[name].family]}. {declared[name].summary}"))
            if found:
                promise(found.guarantee)
            for param, _ in asked:
                if param is not main:
                    state.draw(f"{slot}.{param.name}", param)
            _moves(slot, slots)
    if main is not None:
        title = declared[name].title
        state.draw(f"{slot}.{main.name}", replace(main, title=title))
    else:
        st.caption(plain(declared[name].title))
    if problem:
        problems.error(plain(f"{declared[name].plain}: {problem}"), icon=":material/error:")
    return found


def _settled(
    slot: str, declared: Declaration, presets: Mapping[str, Any], table: Histogram
) -> list[tuple[Param, Any]]:
    """The parameters that matter under what is set so far, as they are offered on this table, with
    their values. One with a mistake keeps none of the others from being settled."""
    features = table.domain.features
    settled: list[tuple[Param, Any]] = []
    sound: dict[str, Any] = {}
    asked = [p for p in declared.params if not p.of_study]
    so_far = mechanism(declared.name)
    for param in sorted(asked, key=lambda p: p.numeric and not p.advanced):
        if param.name not in {p.name for p in so_far.relevant_params()}:
            continue
        # a feature has one role: what an earlier list has taken is not offered again
        taken = {n for _, chosen in settled if isinstance(chosen, tuple) for n in chosen}
        free = [f for f in features if f.name not in taken]
        start = replace(param, default=presets.get(param.name, param.default)).offered(free)
        value = state.settled(f"{slot}.{param.name}", start)
        settled.append((start, value))
        with suppress(InputError):  # said once, when all controls are there
            so_far = mechanism(declared.name, **sound, **{param.name: value})
            sound[param.name] = value
    return settled


def _moves(slot: str, slots: Sequence[str]) -> None:
    """Further left, further right, or away."""
    here = slots.index(slot)
    with st.container(horizontal=True, gap="small"):
        for label, icon, other in (("Left", "arrow_back", here - 1),
                                   ("Right", "arrow_forward", here + 1)):
            inside = 0 <= other < len(slots)
            st.button(plain(label), icon=f":material/{icon}:", key=f"move.{slot}.{label}",
                      type="tertiary", disabled=not inside, on_click=_exchange,
                      args=(slot, slots[other] if inside else slot))
        st.button("Remove", icon=":material/close:", key=f"remove.{slot}", type="tertiary",
                  on_click=state.put, args=(slot, NONE))


def _exchange(one: str, other: str) -> None:
    """Two methods change places, with all their settings."""
    texts = {slot: {n.removeprefix(slot): t for n, t in state.shown().items()
                    if n == slot or n.startswith(f"{slot}.")} for slot in (one, other)}
    for slot, found in ((one, texts[other]), (other, texts[one])):
        for name, text in found.items():
            state.put(f"{slot}{name}", text)


def _mark(chosen: Mapping[str, Chosen]) -> None:
    """The line above each method has the method's colour in the charts, dashed where theirs is; its
    promise stands beside its name, in a word."""
    rules = "".join(
        f".st-key-slot-{slot} {{ border-top: 4px {_line(look)}; padding-top: 2px; }}"
        f".st-key-slot-{slot} :is([data-testid=stWidgetLabel], [data-testid=stCaptionContainer]) "
        f'p::after {{ content: " · {promise_word(one.guarantee)}"; }}'
        for (slot, one), look in zip(chosen.items(), _looks(chosen.values()), strict=True)
    )
    st.html(f"<style>{rules}</style>")


def _looks(chosen: Iterable[Chosen]) -> list[Style]:
    return styles([one.mechanism for one in chosen])


def _line(look: Style) -> str:
    return f"{'dashed' if look.dash != 'solid' else 'solid'} {look.color}"


def listed_for_phones(chosen: Sequence[Chosen]) -> None:
    """The bar as a list: on a phone, where a tap opens the bar itself, and on paper."""
    items = "".join(
        f'<li style="border-left: 4px {_line(look)}">{html.escape(one.mechanism.plain_label())} · '
        f"promise: {promise_word(one.guarantee)}</li>"
        for one, look in zip(chosen, _looks(chosen), strict=True)
    )
    st.html(f'<ul class="methods" aria-label="Methods and what they promise">{items}</ul>')
    # by itself and always the same, so that it stays open when the list changes
    st.html('<details class="bar-opens"><summary>Change methods and settings</summary></details>')


def draw_presets(presets: Sequence[Preset], given: Given, slots: Sequence[str]) -> None:
    """Methods and conventions of papers, one click away; methods are the same on all pages."""
    if not presets:
        return
    on = [one for one in presets if one.is_on(given.study, given.methods)]
    place = opens.popover(on[0].title if on else "As in a paper", "presets",
                          ":material/check:" if on else ":material/auto_stories:", type="tertiary")
    if not place.open:
        return
    with place:
        for one in presets:
            st.button(
                plain(one.title), key=f"preset.{one.name}", type="tertiary", disabled=one in on,
                on_click=_take, args=(one, tuple(slots)), help=plain(_contents(one)),
            )


def _contents(preset: Preset) -> str:
    named = listed([m.label() for m in preset.methods])
    empty = EMPTY_GROUPS.titles[str(preset.empty_groups)]
    return (
        f"Sets, on all pages: {named}; empty groups {empty}; groups "
        f"{DOMAIN.titles[preset.domain]}."
    )


def _take(preset: Preset, slots: Sequence[str]) -> None:
    """A preset becomes what is chosen, as if each control had been set by hand."""
    state.put(EMPTY_GROUPS.name, str(preset.empty_groups))
    state.put(DOMAIN.name, preset.domain)
    state.put(COUNT, str(preset.counted_as))
    for slot, one in itertools.zip_longest(slots, preset.methods):
        state.put(slot, one.name if one else NONE)
        for param in one.params() if one else ():
            state.put(f"{slot}.{param.name}", param.text(one.settings()[param.name]))

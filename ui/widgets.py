"""The widget of a parameter, from its declaration alone: one function a kind of widget."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from sdc_core.parameters import (
    ManyOf,
    Number,
    OneOf,
    Param,
    Real,
    Slider,
    Steps,
    TextBox,
    Toggle,
    Widget,
)
from ui.terms import fixed, plain

OnChange = Callable[[], None]


def label_of(param: Param) -> str:
    """The title, and for a number its symbol."""
    shown = param.symbol and isinstance(param, Real) and not param.percent
    return f"{param.title}, {param.symbol}" if shown else param.title


def draw(param: Param, key: str, value: Any, on_change: OnChange, known: bool = False) -> None:
    """Draw what the parameter asks for; its value is in the session under `key`, and `known` says
    whether it was there before this run."""
    shown = param.widget(value)
    if isinstance(shown, Slider):
        _slider(label_of(param), shown, key, param.help, on_change, value if known else None)
    else:
        _DRAWN[type(shown)](label_of(param), shown, key, param.help, on_change)


def _slider(
    label: str, shown: Slider, key: str, help: str, moved: OnChange, value: Any
) -> None:
    """Without a value Streamlit looks for it through all that the visit remembers; with one it
    warns where the session has just been given another."""
    st.slider(plain(label), shown.low, shown.high, value, step=shown.step, key=key,
              help=plain(help) or None, on_change=moved,
              format="percent" if shown.percent else None)


def _steps(label: str, shown: Steps, key: str, help: str, moved: OnChange) -> None:
    st.select_slider(plain(label), shown.values, key=key, format_func=lambda v: fixed(shown.say(v)),
                     help=plain(help) or None,
                     on_change=moved)


def _number(label: str, shown: Number, key: str, help: str, moved: OnChange) -> None:
    st.number_input(
        plain(label), shown.low, shown.high, value=None if shown.placeholder else "min",
        step=shown.step, key=key, help=plain(help) or None, on_change=moved,
        placeholder=shown.placeholder or None, format=shown.format,
    )


def _one_of(label: str, shown: OneOf, key: str, help: str, moved: OnChange) -> None:
    def say(option: str) -> str:
        return shown.titles.get(option, option)

    if shown.segments:
        st.segmented_control(
            plain(label), shown.options, key=key, format_func=lambda o: plain(say(o)),
            required=True, help=plain(help) or None, on_change=moved,
            label_visibility="collapsed" if shown.label_hidden else "visible",
        )
    else:
        st.selectbox(plain(label), shown.options, key=key, format_func=say,
                     help=plain(help) or None, on_change=moved)


def _many_of(label: str, shown: ManyOf, key: str, help: str, moved: OnChange) -> None:
    st.multiselect(
        plain(label), shown.options, key=key, format_func=lambda o: shown.titles.get(o, o),
        help=plain(help) or None, placeholder=shown.placeholder or None, on_change=moved,
    )


def _toggle(label: str, shown: Toggle, key: str, help: str, moved: OnChange) -> None:
    st.toggle(plain(label), key=key, help=plain(help) or None, on_change=moved)


def _text_box(label: str, shown: TextBox, key: str, help: str, moved: OnChange) -> None:
    st.text_area(plain(label), key=key, help=plain(help) or None, placeholder=shown.example,
                 height=120, on_change=moved)


_DRAWN: dict[type[Widget], Callable[..., None]] = {
    Steps: _steps, Number: _number, OneOf: _one_of, ManyOf: _many_of,
    Toggle: _toggle, TextBox: _text_box,
}

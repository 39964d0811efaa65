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


def label_of(param: Param) -> str:
    """The title, and for a number its symbol."""
    shown = param.symbol and isinstance(param, Real) and not param.percent
    return f"{param.title}, {param.symbol}" if shown else param.title


def draw(param: Param, key: str, value: Any) -> None:
    """Draw what the parameter asks for; its value is in the session under `key`."""
    shown = param.widget(value)
    _DRAWN[type(shown)](label_of(param), shown, key, param.help or None)


def _slider(label: str, shown: Slider, key: str, help: str | None) -> None:
    st.slider(label, shown.low, shown.high, step=shown.step, key=key, help=help,
              format="percent" if shown.percent else None)


def _steps(label: str, shown: Steps, key: str, help: str | None) -> None:
    st.select_slider(label, shown.values, key=key, format_func=shown.say, help=help)


def _number(label: str, shown: Number, key: str, help: str | None) -> None:
    st.number_input(
        label, shown.low, shown.high, value=None if shown.placeholder else "min", step=shown.step,
        key=key, help=help, placeholder=shown.placeholder or None, format=shown.format,
    )


def _one_of(label: str, shown: OneOf, key: str, help: str | None) -> None:
    def say(option: str) -> str:
        return shown.titles.get(option, option)

    if shown.segments:
        st.segmented_control(
            label, shown.options, key=key, format_func=say, required=True, help=help,
            label_visibility="collapsed" if shown.label_hidden else "visible",
        )
    else:
        st.selectbox(label, shown.options, key=key, format_func=say, help=help)


def _many_of(label: str, shown: ManyOf, key: str, help: str | None) -> None:
    st.multiselect(
        label, shown.options, key=key, format_func=lambda o: shown.titles.get(o, o), help=help,
        placeholder=shown.placeholder or None,
    )


def _toggle(label: str, shown: Toggle, key: str, help: str | None) -> None:
    st.toggle(label, key=key, help=help)


def _text_box(label: str, shown: TextBox, key: str, help: str | None) -> None:
    st.text_area(label, key=key, help=help, placeholder=shown.example, height=120)


_DRAWN: dict[type[Widget], Callable[..., None]] = {
    Slider: _slider, Steps: _steps, Number: _number, OneOf: _one_of, ManyOf: _many_of,
    Toggle: _toggle, TextBox: _text_box,
}

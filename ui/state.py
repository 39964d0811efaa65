"""The URL is the state: every control has a name there, and opening the link elsewhere shows the
same numbers.

Streamlit can bind a widget to the URL by itself, but it then writes the widget's label instead of
its value, leaves defaults out (so a link would mean one thing where the real data is installed and
another where it is not), and drops a value it does not like without a word. So the few lines here
do it: the state is a dictionary of texts that outlives page changes, widgets are filled from it,
and it is written to the URL in full at the end of every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, unquote, urlencode

import streamlit as st

from sdc_core.errors import InputError
from sdc_core.mechanisms.parameters import Param, short_number

_STORE = "url-state"
_IN_URL = "url-in-url"
_USED = "url-used"
_LAST = "url-last"
_PAGE = "url-page"
_PROBLEMS = "url-problems"
_PREFIX = "url."


def begin(page: str) -> None:
    """Take over what the URL says, if it is not what it said last."""
    in_url = st.query_params.to_dict()
    memory = st.session_state
    if _STORE not in memory:
        memory.update({_STORE: {}, _PROBLEMS: [], _USED: {}, _IN_URL: None, _PAGE: ""})
    memory[_PROBLEMS] = []  # said once: whoever moves a control has read it
    if in_url and in_url != memory[_IN_URL]:
        memory[_STORE].update(in_url)
        _forget_widgets()
    if memory[_PAGE] != page:
        _forget_widgets()  # a widget of another page is another widget, even under the same name
    memory[_IN_URL] = in_url
    memory[_LAST] = memory[_USED] if memory[_PAGE] == page else None
    memory[_PAGE] = page
    memory[_USED] = {}


def finish() -> None:
    """Write the controls that were on screen into the URL, if one of them or the page has changed.

    Otherwise the URL is left alone, above all when the Back button led to an older one: writing
    again would make a step forward of every step back.
    """
    used = dict(st.session_state[_USED])
    st.session_state[_STORE].update(used)
    if used not in (st.session_state[_LAST], st.query_params.to_dict()):
        st.query_params.from_dict(used)
        st.session_state[_IN_URL] = used


def reset(kept: Iterable[str]) -> None:
    """This page's controls back to their defaults, but for those that are kept (a button's
    callback); other pages stay as they are."""
    used, store = st.session_state[_USED], st.session_state[_STORE]
    st.session_state[_STORE] = {k: v for k, v in store.items() if k not in used or k in kept}
    st.session_state[_PROBLEMS] = []
    _forget_widgets()


def put(name: str, text: str) -> None:
    """Set a control from a callback, as if the user had."""
    st.session_state[_STORE][name] = text
    st.session_state.pop(_PREFIX + name, None)


def add_problem(sentence: str) -> None:
    st.session_state[_PROBLEMS].append(sentence)


def problems() -> list[str]:
    """What was wrong with the link that was opened, a sentence each."""
    return list(st.session_state.get(_PROBLEMS, []))


def full_link() -> str:
    """The address of what is on screen, with nothing left to defaults."""
    base = str(st.context.url or "").split("?")[0]
    return f"{base}?{urlencode(st.session_state[_USED])}"


def _forget_widgets() -> None:
    for key in [k for k in st.session_state if str(k).startswith(_PREFIX)]:
        del st.session_state[key]


def bound(
    name: str,
    default: Any,
    parse: Callable[[str], Any],
    to_text: Callable[[Any], str],
    draw: Callable[[str], Any],
) -> Any:
    """A widget whose value lives in the URL under `name`."""
    key = _PREFIX + name
    if key not in st.session_state:
        value = default
        text = st.session_state[_STORE].get(name)
        if text is not None:
            try:
                value = parse(text)
            except InputError as problem:
                if name in st.query_params:  # else it comes from another page of this visit
                    add_problem(f"In the link, {name}: {problem}")
                st.session_state[_STORE].pop(name)
        st.session_state[key] = value
    value = draw(key)
    st.session_state[_USED][name] = to_text(value)
    return value


def choose(
    name: str, label: str, options: Sequence[str], default: str,
    titles: Mapping[str, str] | None = None, draw: Any = None, **look: Any,
) -> str:
    """One of several; `draw` is the Streamlit widget (a select box unless given)."""
    words = titles or {}

    def parse(text: str) -> str:
        if text not in options:
            raise InputError(f"{name} must be one of {', '.join(options)}, got {text!r}.")
        return text

    key = _PREFIX + name
    if st.session_state.get(key, default) not in options:  # the options have changed since
        st.session_state[key] = default
    widget = draw or st.selectbox
    return bound(
        name, default, parse, str,
        lambda key: widget(label, list(options), key=key,
                           format_func=lambda o: words.get(o, o), **look),
    )


def choose_many(
    name: str, label: str, options: Sequence[str], default: Iterable[str],
    titles: Mapping[str, str] | None = None, **look: Any,
) -> list[str]:
    words = titles or {}

    def parse(text: str) -> list[str]:
        wanted = list(dict.fromkeys(unquote(part) for part in text.split(",") if part))
        for one in wanted:
            if one not in options and name in st.query_params:
                add_problem(f"In the link, {name} has no {one!r} in this data set.")
        known = [one for one in wanted if one in options]
        # chosen for other data, on another page: nothing of it is left, so it starts anew
        return known if known or not wanted or name in st.query_params else list(default)

    key = _PREFIX + name
    if key in st.session_state:
        before = st.session_state[key]
        left = [v for v in before if v in options]
        st.session_state[key] = left if left or not before else list(default)
    return bound(
        name, list(default), parse,
        list_text,
        lambda key: st.multiselect(label, list(options), key=key,
                                   format_func=lambda o: words.get(o, o), **look),
    )


def list_text(values: Iterable[str]) -> str:
    """Names as one text in the URL; commas within a name are quoted."""
    return ",".join(quote(v, safe=" /") for v in values)


def switch(name: str, label: str, default: bool, **look: Any) -> bool:
    flag = Param(name, label, "", "", default, "flag")
    return bound(name, default, flag.validate, lambda v: str(bool(v)).lower(),
                  lambda key: st.toggle(label, key=key, **look))


def whole_number(name: str, label: str, default: int, low: int, high: int, **look: Any) -> int:
    declared = Param(name, label, "", "", default, "integer", low=low, high=high)
    return bound(name, default, declared.validate, str,
                  lambda key: st.number_input(label, low, high, step=1, key=key, **look))


def number_or_auto(name: str, label: str, low: int, high: int, **look: Any) -> int | None:
    """A whole number, or nothing typed: then the caller takes it from the data (`auto`)."""
    declared = Param(name, label, "", "", low, "integer", low=low, high=high)
    return bound(
        name, None, lambda text: None if text == "auto" else declared.validate(text),
        lambda value: "auto" if value is None else str(value),
        lambda key: st.number_input(label, low, high, value=None, step=1, key=key, **look),
    )


def parameter(name: str, param: Param, features: Mapping[str, str]) -> Any:
    """The widget of a mechanism's parameter, made from its declaration alone.

    `features` are the names and titles of what the table is counted by, for parameters that are
    lists of features.
    """
    if param.kind == "features":
        known = [f for f in param.default if f in features]
        if len(known) == len(features):
            known = known[:1]  # to leave something that is not swapped
        fallback = known or (list(features)[:1] if param.low > 0 else [])
        return choose_many(
            name, param.title, list(features), fallback, features, help=param.help
        )
    if param.kind == "choice":
        titles = dict(zip(param.choices, param.choice_titles, strict=True))
        return choose(name, param.title, param.choices, param.default, titles, help=param.help)
    if param.kind == "flag":
        return switch(name, param.title, param.default, help=param.help)
    if param.kind == "hierarchies":  # kept as it was typed, also where it has mistakes
        return bound(
            name, param.default, str, str,
            lambda key: st.text_area(
                param.title, key=key, help=param.help, placeholder=param.example, height=120
            ),
        )
    label = param.title if param.percent else f"{param.title}, {param.symbol}"
    low, high = param.slider or (param.low, param.high)
    if param.kind == "integer":
        return bound(
            name, param.default, _within_slider(param), str,
            lambda key: st.slider(label, int(low), int(high), key=key, help=param.help),
        )
    if not param.log:
        return bound(
            name, param.default, param.validate, lambda v: f"{v:g}",
            lambda key: st.slider(
                label, min(low, st.session_state[key]), max(high, st.session_state[key]),
                step=(high - low) / 98, key=key, help=param.help,
                format="percent" if param.percent else None,
            ),
        )
    return bound(
        name, param.default, param.validate, lambda v: f"{v:g}",
        lambda key: st.select_slider(
            label, _steps(low, high, st.session_state[key]), key=key,
            format_func=short_number, help=param.help,
        ),
    )


def _within_slider(param: Param) -> Callable[[str], int]:
    def parse(text: str) -> int:
        value = int(param.validate(text))
        low, high = param.slider or (param.low, param.high)
        if not low <= value <= high:
            raise InputError(f"{param.name} is shown from {low:g} to {high:g}, got {value}.")
        return value

    return parse


# Steps within a decade: fine where a small change matters, and all the values people ask for.
_STEPS = (
    1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2, 2.2, 2.5, 2.8, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 9,
)


def _steps(low: float, high: float, current: float) -> list[float]:
    """Round numbers from low to high on a log scale, and the current value wherever it is."""
    steps = {float(f"{s}e{d}") for d in range(-15, 4) for s in _STEPS}
    return sorted({v for v in steps if low <= v <= high} | {low, high, float(current)})

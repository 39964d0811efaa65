"""What stands on the axes of the Subgroups page and what makes a group, chosen by the reader."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from sdc_core.data import entry
from sdc_core.data.dataset import Dataset
from sdc_core.histogram import Histogram
from sdc_core.metrics import subgroups as metrics
from sdc_core.narrative import subgroup_axes as words
from sdc_core.words.numbers import lowered
from ui import compute, layout, state

_USUAL_AXES = ("PINCP_DECILE", "EDU")
Orders = Mapping[str, tuple[str, ...]]  # a feature's values, lowest first


class Choice(NamedTuple):
    """A table counted by the groups, what is upwards and what is across; `key` names its content,
    `orders` the order of what had none."""

    table: Histogram
    key: tuple[Any, ...]
    orders: Orders


def choose_axes(dataset: Dataset, key: str) -> Choice | None:
    """The axes and groups; None where the data has no two features for the axes, which the page
    says."""
    titles = {c.name: c.title for c in dataset.columns}
    unordered = metrics.unordered_features(dataset)
    upwards, across, groups = st.columns([1, 1, 2])
    made: list[str] = []
    if unordered:
        made = state.choose_many(
            "g_order", "Categories to put in order", list(unordered), [], titles,
            help="Columns whose values you can rank, such as education. They can then stand on an "
            "axis.",
        )
    ordinal = [*metrics.ordinal_features(dataset), *made]
    if len(ordinal) < 2:
        return None
    preferred = [n for n in _USUAL_AXES if n in ordinal] + ordinal
    with upwards:
        y = state.choose("g_y", "Upwards", ordinal, preferred[0], titles)
    rest = [n for n in dict.fromkeys(preferred) if n != y]
    with across:
        x = state.choose("g_x", "Across", rest, rest[0], titles)
    free = [n for n in dataset.features if n not in (y, x)]
    with groups:
        by = state.choose_many(
            "g_by", "Groups by", free, metrics.usual_groups(dataset, free), titles,
            help="Each combination of these features' values is a group of people.",
        )
    orders = _ask_orders({"g_y_order": y, "g_x_order": x}, unordered, titles)
    features = (*by, y, x)
    whole = (key, features, *orders.items())
    table = compute.histogram_of(dataset, key, features)
    return Choice(compute.kept("ordered", whole, functools.partial(_ordered, table, orders)),
                  whole, orders)


def _ask_orders(axes: Mapping[str, str], unordered: Orders, titles: Mapping[str, str]) -> Orders:
    """For each axis whose values have no order of their own, the order the reader gives them."""
    found = {}
    for name, feature in axes.items():
        if feature in unordered:
            listed = unordered[feature]
            found[feature] = tuple(state.choose_many(
                name, f"Order of {lowered(titles[feature])}, lowest first", listed, listed,
                help="Remove values and add them again in the right order. Neighbours stand one "
                "step apart; whoever has a value that is left out is not in the chart.",
            ))
    if found:
        st.caption(layout.plain(words.order_sentence(
            {titles[name]: order for name, order in found.items()}, [
                titles[name] for name, order in found.items() if order == unordered[name]])))
    return found


def _ordered(table: Histogram, orders: Orders) -> Histogram:
    for name, order in orders.items():
        table = metrics.in_order(table, name, order)
    return table


def say_what_is_missing(dataset: Dataset) -> None:
    """In place of the answer, where the data has no two features for the axes."""
    titles = {c.name: c.title for c in dataset.columns}
    layout.answer(*words.axes_missing(
        _titles(metrics.ordinal_features(dataset), titles),
        _titles(metrics.unordered_features(dataset), titles),
    ))


def _titles(names: Sequence[str] | Orders, titles: Mapping[str, str]) -> list[str]:
    return [titles[name] for name in names]


def offer_national_data(dataset: Dataset) -> None:
    """The papers show the national data; whoever looks at other data is told, and taken there."""
    known = next(n for n in ("national2019", "national2019-twin") if entry(n).path())
    if dataset.id in (known, f"{known}-twin"):
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(layout.plain(
            f"This is {dataset.title}; the papers show the national data"
            f"{'.' if dataset.origin == 'own' else ', where all groups are larger.'}"))
        st.button("Show the national data", on_click=state.put, args=("data", known),
                  type="tertiary", icon=":material/public:")

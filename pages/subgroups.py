"""Subgroups: "After suppression, the line of income on education of Black men is a fifth less steep
than in truth; that of White men hardly moves."
"""

import itertools

import streamlit as st

from sdc_core import mechanism
from sdc_core.errors import InputError
from sdc_core.figures import subgroups as figures
from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics import subgroups as metrics
from sdc_core.narrative import subgroups as words
from ui import cards, layout, sidebar, state
from ui.subgroup_axes import Orders, choose_axes, offer_national_data, say_what_is_missing
from ui.subgroup_results import Groups

MOST_GROUPS = 4
SLOTS = {  # as in the papers: ε = 2, k = 10, zeros left alone, 25% of the records take another race
    "s1": mechanism("laplace", epsilon=2.0),
    "s2": mechanism("suppression", k=10, keep_zeros=True),
    "s3": mechanism("dp-suppression", epsilon=2.0, k=10, keep_zeros=True),
    "s4": mechanism("dp-swapping", epsilon=2.0, swap_rate=0.25, quasi_identifiers=("RAC1P",)),
}
VIEWS = {"average": "On average", "one": "One release"}

study = sidebar.study()
dataset = study.dataset


def choose_groups(table: Histogram) -> dict[str, tuple[int, ...]]:
    """The groups to look at: their names, and where they are in the table."""
    by = table.domain.features[:-2]
    places = list(itertools.product(*(range(len(f)) for f in by)))
    names = {"~".join(f.values[i] for f, i in zip(by, p, strict=True)) or "all": p for p in places}
    said = {
        n: words.group_name([f.labels[i] for f, i in zip(by, p, strict=True)]) or "everybody"
        for n, p in names.items()
    }
    usual = [n for n in ("1~1", "2~1") if n in names] or metrics.largest_groups(table, names)
    chosen = state.choose_many("groups", "Groups side by side", list(names), usual, said)
    if len(chosen) > MOST_GROUPS:
        st.caption(f"The first {MOST_GROUPS} are shown.")
    return {said[n]: names[n] for n in chosen[:MOST_GROUPS]}


def heat_maps() -> None:
    y, x = table.domain.features[-2:]
    st.markdown("#### Who is missing, who is too many?")
    st.caption(layout.plain(words.heat_sentence(results, view == "average", x, y)))
    st.html(figures.legend(results, y, x))
    layout.chart(
        "subgroups", "", "", figures.heat_maps(results, y, x),
        lambda: figures.cell_table(results, y, x),
        alt=f"Heat maps of released minus true people by {x.title} and {y.title}, one panel for "
        f"each method and group, with the true and the released line. {headline}",
    )


def disparity() -> None:
    said = words.disparity_sentence(results)
    layout.chart(
        "disparity", "Are the groups treated alike?",
        f"{said} {words.papers_sentence(results)}".strip(),
        figures.disparity_bars(results, said or headline),
        lambda: figures.subgroup_table(results), said or headline,
    )


top = st.container()
drawn: list[Mechanism] = []
features: tuple[str, ...] = ()
orders: Orders = {}
offer_national_data(dataset)
try:
    chosen = choose_axes(dataset, study.key)
except InputError as problem:
    st.error(layout.plain(str(problem)), icon=":material/error:")
else:
    if chosen is None:
        with top:
            say_what_is_missing(dataset)
    else:
        table, orders = chosen.table, chosen.orders
        features = table.domain.names
        groups = Groups(chosen.key, table, choose_groups(table), study.seed)
        drawn, _ = cards.draw(table, lambda m: m.guarantee(table), SLOTS)
        view = state.choose("g_view", "What is shown", list(VIEWS), "average", VIEWS,
                            draw=st.segmented_control, required=True,
                            label_visibility="collapsed")
        look = groups.on_average if view == "average" else groups.one_release
        with st.container():  # progress bars come and go in it without moving what follows
            results = look(drawn) if groups.places else []
        headline, more = words.subgroup_sentences(results, *table.domain.features[-2:])
        with top:
            layout.answer(headline, more)
        for note in words.group_notes(results):
            st.info(layout.plain(note), icon=":material/info:")
        if results:
            heat_maps()
            disparity()
with st.expander("What is counted, and how is it computed?"):
    st.markdown(words.METHOD)
sidebar.footer(words.subgroup_code(dataset, features, orders, drawn))

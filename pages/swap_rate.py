"""Swap rate and ε: "With people matched on X, the largest group has b = N; swapping 5% of it means
ε = 15.4, and no swap rate gets below 6.2."
"""

from typing import Literal

import pandas as pd
import streamlit as st

from sdc_core.figures import swap_rate as figures
from sdc_core.narrative.swap_rate import (
    finer_matching_sentence,
    invariant_sentence,
    swap_rate_sentences,
)
from sdc_core.privacy import published_swap_tables as published
from sdc_core.privacy.swap_rate import (
    epsilon_to_swap_rates,
    largest_stratum,
    swap_rate_to_epsilon,
)
from ui import explain, layout, rate_controls, sidebar, state

study = sidebar.study()
titles = {f.name: f.title for f in study.histogram.domain.features}


def controls() -> tuple[list[str], str | None, float, float]:
    """Match features, swap feature (none if all are matched), swap rate, wanted ε."""
    left, middle, slider, right = st.columns([3, 2, 3, 1.6], vertical_alignment="bottom")
    usual = "PUMA" if "PUMA" in titles else study.features[0]
    with left:
        match = state.choose_many(
            "match", "Swap only between people with the same", study.features, [usual], titles,
            help="The match variables. People who agree on them form a group; values are "
            "exchanged inside a group only.",
        )
    free = [name for name in study.features if name not in match]
    with middle:
        swap = state.choose(
            "swap_variable", "What is exchanged", free, free[0], titles,
            help="The swap variable. It does not enter ε, only what is released untouched.",
        ) if free else None
    with slider:
        percent = rate_controls.percentage(
            "rate", "Swap rate, p", 5, 0.1, 99.9,
            help="The chance of each person to be selected for swapping.",
        )
    with right:
        wanted = rate_controls.number(
            "wanted", "Wanted ε", 8, 0, 30, step=0.5, format="%.4g",
            help="Which swap rates would promise this ε?",
        )
    return match, swap, percent / 100, wanted


def epsilon_along_the_rate() -> None:
    layout.chart(
        "swap-rate", "ε along the swap rate",
        "Thin dotted lines are the published theorem for groups of 2 to 10 million, the thick line "
        "is the exact worst case for the largest group of this table. The scale stretches rates "
        "near 0 and near 100%. Swapping almost everybody has a large ε too: a released value is "
        "then almost surely not the person's own, which also tells something.",
        [figures.swap_rate_curves(stratum.size, rate, wanted)],
        lambda: figures.swap_rate_table(stratum.size, rate, wanted),
        alt=f"ε against the swap rate for several sizes of the largest group. {headline} {more}",
    )


def what_this_epsilon_leaves_out() -> None:
    st.markdown("#### What this ε does not cover")
    st.markdown(layout.plain(
        f"{invariant_sentence(matched, titles[swap or ''], held)} ε compares only data sets that "
        "agree on all of these counts (the invariants), per unit of Hamming distance, which is the "
        "number of records that differ."
    ))
    st.markdown(layout.plain(
        "Matching on more features makes groups smaller, and so ε, but releases more counts "
        "untouched: a smaller ε does not mean that less is revealed. "
        f"{finer_matching_sentence(study.histogram, match, swap or '', rate)}"
    ))


def published_tables() -> None:
    st.markdown("#### Two published examples, recomputed")
    one = published.MASSACHUSETTS_1940
    st.caption(layout.plain(
        f"The 1940 census of Massachusetts: {one.swap} exchanged between households of the same "
        f"{one.match}; the largest group are the {one.stratum_size:,} {one.largest_stratum}."
    ))
    show(published.massachusetts_1940_table(), width=460)
    st.caption(
        "What if the 2020 census had been swapped? ε of six schemes at swap rates of 5% and 50%. "
        "The wider the area within which households are exchanged, the larger ε."
    )
    show(published.census_2020_table())
    st.caption(layout.plain(f"{published.agreement_sentence()} Source: {published.SOURCE}."))


def show(table: pd.DataFrame, width: Literal["stretch"] | int = "stretch") -> None:
    formats = {
        name: "%.3f" if "iff" in name else "localized" if name == "b" else "%.2f"
        for name in table.select_dtypes("number").columns
    }
    st.dataframe(
        table, hide_index=True, width=width,
        column_config={n: st.column_config.NumberColumn(format=f) for n, f in formats.items()},
    )


top = st.container()
match, swap, rate, wanted = controls()
stratum = largest_stratum(study.histogram, match)
matched = [titles[name] for name in match]
if swap is None:
    headline = "Every feature is matched on, so nothing is left to exchange."
    more = "Choose fewer features to match on, or count people by more features."
else:
    held = [titles[n] for n in study.features if n not in match and n != swap]
    headline, more = swap_rate_sentences(
        matched, titles[swap], held, stratum, swap_rate_to_epsilon(rate, stratum.size),
        epsilon_to_swap_rates(wanted, stratum.size),
    )
with top:
    layout.answer(headline, more)
if swap is not None:
    epsilon_along_the_rate()
    what_this_epsilon_leaves_out()
published_tables()
with st.expander("What does ε mean here, and how is it computed?"):
    st.markdown(explain.SWAP_RATE_METHOD)
sidebar.footer(explain.swap_rate_code(study.dataset, study.features, match, rate, wanted))

"""δ versus ε: "This method promises ε, but the promise fails with probability δ; the paper says so
much, the truth is so much, and here the paper's bound does not hold."
"""

import streamlit as st

from sdc_core.figures import privacy as figures
from sdc_core.narrative.compare import privacy_sentences
from sdc_core.privacy.curves import privacy_curve
from ui import cards, explain, layout, sidebar, state

VIEWS = {"delta": "Chance it fails, δ", "rest": "What is left of the promise, 1 − δ"}

study = sidebar.study()
largest = max(1, int(study.histogram.counts.max()))


def published_and_true() -> None:
    st.markdown("#### Published and true, along ε")
    view = state.choose(
        "view", "Show", list(VIEWS), "delta", VIEWS, draw=st.segmented_control, required=True,
        label_visibility="collapsed",
    )
    curves = [privacy_curve(one, study.histogram, cap) for one in chosen]
    layout.chart(
        "delta-epsilon", "", "Thick lines are the true δ, thin dotted lines what the paper prints, "
        "red crosses where that fails; marks show the present ε. Low is good for δ; high is good "
        "for what is left of the promise.",
        [figures.privacy_curves(curves, "rest" if view == "rest" else "delta")],
        lambda: figures.privacy_table(curves),
        alt=f"Published and true δ of each method along ε. {headline} {more}",
    )


def at_the_present_settings() -> None:
    st.markdown("#### At the present settings")
    for place, one, found in zip(st.columns(len(chosen)), chosen, guarantees, strict=True):
        layout.verdict(place, one.label(), found)


top = st.container()
cap = state.number_or_auto(
    "cap", "Largest count, B", 1, 10_000_000, width=260, placeholder=f"{largest:,}, from the data",
    help="The guarantee is the worst case over all tables with counts up to B. Leave it empty for "
    "the largest group in this data; a small B, such as 12, shows more of the curves.",
)
if cap is not None and cap < largest:
    st.caption(
        f"B = {cap:,} is below the largest group of this data ({largest:,} people): what follows "
        "is about smaller tables than yours."
    )
chosen, guarantees = cards.draw(
    study.histogram, lambda m: m.guarantee(study.histogram, cap=cap)
)
headline, more = privacy_sentences(chosen, guarantees)
with top:
    layout.answer(headline, more)
if chosen:
    published_and_true()
    at_the_present_settings()
with st.expander("What do ε and δ mean, and how are they computed?"):
    st.markdown(explain.PRIVACY_METHOD)
sidebar.footer(explain.compare_code(study.dataset, study.features, chosen))

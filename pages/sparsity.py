"""Sparse tables: "With this table Laplace is better than suppression as long as fewer than so many
of the groups are empty; here so many are."
"""

import functools

import streamlit as st

from sdc_core.figures import sparsity as figures
from sdc_core.mechanisms import mechanism
from sdc_core.metrics import sparsity as metric
from sdc_core.narrative.sparsity import (
    METHOD,
    added_caption,
    epsilon_caption,
    marginals_caption,
    sparsity_sentences,
)
from ui import cards, compute, explain, layout, sidebar, state

# As Das, Tajeddine and Fioretto describe them: suppression leaves empty groups alone, its DP
# version hides small counts.
SLOTS = {
    "z1": mechanism("laplace"),
    "z2": mechanism("discrete-gaussian"),
    "z3": mechanism("dp-suppression", variant="P2", keep_zeros=True),
    "z4": mechanism("suppression", keep_zeros=True),
}
MEASURES = {"l1_bias": "Systematic error", "l1_error": "Total error"}

study = sidebar.study()
histogram = study.histogram
key = (study.key, study.features)


def zeros_added() -> None:
    layout.chart(
        "sparsity", "What do empty groups cost?", added_caption(found),
        [figures.added_zeros(found)], lambda: figures.added_zeros_table(found),
        alt=f"Error against the share of empty groups, one line a method. {headline}",
    )


def along_epsilon() -> None:
    if by_epsilon is None:
        st.markdown("#### And at another ε?")
        st.caption("Choose a DP method with an ε and a traditional one to see where they cross.")
        return
    layout.chart(
        "sparsity-epsilon", "And at another ε?", epsilon_caption(by_epsilon),
        [figures.crossing_chart(by_epsilon)], lambda: figures.crossing_table(by_epsilon),
        alt=f"Share of empty groups up to which the first method is better, by ε. {more}",
    )


def features_added() -> None:
    by_features = metric.side_by_side([
        compute.kept(
            "marginals", (*key, one, measure),
            functools.partial(metric.marginals, [one], histogram, measure),
        )
        for one in chosen
    ])
    said = marginals_caption(by_features)
    layout.chart(
        "sparsity-features", "What if people are counted by more features?", said,
        [figures.marginal_chart(by_features)], lambda: figures.marginal_frame(by_features),
        alt=f"Error against the share of empty groups, one mark a table. {said}",
    )


top = st.container()
chosen, _ = cards.draw(histogram, lambda m: m.guarantee(histogram), SLOTS)
measure: metric.Measure = state.choose(  # type: ignore[assignment]
    "z_measure", "Error", list(MEASURES), "l1_bias", MEASURES, draw=st.segmented_control,
    required=True, help="Systematic error is what remains when many releases are averaged, as in "
    "the paper's figure; total error is that of a single release.",
)
found, by_epsilon = compute.kept(
    "sparsity", (*key, tuple(chosen), measure),
    lambda: (one := metric.sparsity(chosen, histogram, measure),
             metric.crossing_by_epsilon(one, histogram)),
)
headline, more = sparsity_sentences(found, by_epsilon)
with top:
    layout.answer(headline, more)
if found.lines:
    wide, narrow = st.columns([3, 2], gap="medium")
    with wide:
        zeros_added()
    with narrow:
        along_epsilon()
elif chosen:
    st.caption(layout.plain(added_caption(found)))
if chosen:
    features_added()
with st.expander("What do these numbers mean, and how are they computed?"):
    st.markdown(METHOD)
sidebar.footer(explain.compare_code(study.dataset, study.features, chosen))

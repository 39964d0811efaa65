"""Told apart: "A computer that compares the two files spots n of the records released by X; it
spots none of those by Y."
"""

import functools

import streamlit as st

from sdc_core.errors import InputError
from sdc_core.figures import told_apart as figures
from sdc_core.mechanisms import mechanism
from sdc_core.metrics.propensity import CLASSIFIERS
from sdc_core.metrics.told_apart import MARGINALS, told_apart, yardsticks
from sdc_core.narrative.told_apart import (
    finding_sentence,
    like_a_copy_sentence,
    marginal_sentence,
    no_places_sentence,
    ratio_sentence,
    told_apart_sentences,
)
from ui import cards, compute, explain_release, layout, sidebar, state

SLOTS = {  # P2 Figure 2, and suppression as offices do it
    "t1": mechanism("laplace", epsilon=4.0),
    "t2": mechanism("dp-suppression", epsilon=4.0),
    "t3": mechanism("suppression", keep_zeros=True),
    "t4": mechanism("aim", epsilon=4.0),
}
MOST_ROWS = 200
ROW = 66  # pixels: two lines of words; cells wrap only in rows above 64


def scores() -> None:
    words = [finding_sentence(found, classifier), like_a_copy_sentence(found, classifier)]
    layout.chart(
        "propensity", "How surely is a record recognised as released?",
        "Grey: original records; colour: released ones; shares by their square root. Where the "
        "release looks like the original, both lie around 50. The red strip is where records give "
        f"themselves away. {' '.join(filter(None, words))}",
        compute.kept("score-charts", shown_key, lambda: figures.score_charts(found, classifier)),
        lambda: figures.score_table(found, classifier),
        alt=f"Distribution of scores, one panel a method on one scale. {headline}",
    )


def who() -> None:
    table = compute.kept(
        "given-away", shown_key, lambda: figures.given_away_table(found, classifier)
    )
    st.markdown("#### Who gives themselves away?")
    if table.empty:
        st.caption("Nobody: no released record has a score of 95 or more.")
        return
    shown = f" (the first {MOST_ROWS} are shown)" if len(table) > MOST_ROWS else ""
    st.caption(
        f"{len(table):,} combinations of values with released records of a score of 95 or more, "
        f"those with most such records first{shown}. Zero people in the data: the release made "
        "them up."
    )
    methods = list(table.columns[2:])
    st.dataframe(
        table.head(MOST_ROWS), hide_index=True, row_height=ROW,
        height=min(372, 40 + ROW * len(table)),
        column_config={
            "who": st.column_config.TextColumn(width=430),
            "people in the data": st.column_config.NumberColumn("in the data", width=90),
            **{name: st.column_config.NumberColumn(width=170) for name in methods},
        },
    )
    layout.csv_button("given-away", lambda: table)


def summary() -> None:
    ratios = ratio_sentence(found, against)
    alt = f"Bars: pMSE ratio by classifier and k-marginal scores, for each method. {ratios}"
    layout.chart(
        "told-apart", "How far from a copy?",
        f"{ratios} Misplaced: the share of people in the wrong group of the average small table.",
        figures.summary_bars(found, against, alt),
        lambda: figures.summary_table(found, against), alt,
    )


def places() -> None:
    st.markdown("#### Do small tables agree, place by place?")
    if not any(one.marginals for one in found):
        st.caption(layout.plain(next((o.problem for o in found if o.problem), "")))
        return
    k = MARGINALS[0]
    if len(figures.table_sizes(found)) > 1:
        k = int(state.choose(
            "t_k", "Tables of", [str(k) for k in MARGINALS], str(k),
            {str(k): f"{k} features" for k in MARGINALS}, draw=st.segmented_control, required=True,
            label_visibility="collapsed",
        ))
    text = marginal_sentence(found, k, against, place_title)
    if by is None:
        st.caption(layout.plain(f"{text} {no_places_sentence(place_title)}"))
        return
    layout.chart(
        "k-marginal", "", f"{text} {figures.left_out_places(found, k)}",
        figures.place_chart(found, k),
        lambda: figures.place_table(found, k),
        alt=f"{k}-marginal score of each place, one mark a method. {text}",
    )


study = sidebar.study()
histogram = study.histogram
key = (study.key, study.features)
place = study.dataset.place
place_title = study.dataset.column(place).title if place else ""
by = place if place in study.features else None
top = st.container()
drawn, _ = cards.draw(histogram, lambda m: m.guarantee(histogram), SLOTS)
classifier = state.choose(
    "classifier", "Classifier", list(CLASSIFIERS), "tree",
    {name: one.title for name, one in CLASSIFIERS.items()}, draw=st.segmented_control,
    required=True, label_visibility="collapsed",
)
released = compute.releases(key, histogram, drawn, 1, study.seed)
try:
    against = compute.kept_with_progress(
        "yardsticks", (*key, study.seed), "What an exact copy would score",
        lambda show: yardsticks(histogram, by, study.seed, show),
    )
except InputError as problem:
    st.error(layout.plain(str(problem)))
    st.stop()
found = [
    compute.kept_with_progress(
        "told-apart", (*key, one, study.seed), f"Telling {one.label()} from the original",
        functools.partial(told_apart, one, histogram, rows[0], against, by, study.seed),
    )
    for one, rows in zip(drawn, released, strict=True) if rows is not None
]
shown_key = (*key, study.seed, classifier, *(one.mechanism for one in found))
headline, more = told_apart_sentences(found, classifier)
with top:
    layout.answer(headline, more)
for one in found:
    if one.problem and not one.propensities:
        st.warning(layout.plain(f"{one.mechanism.label()}: {one.problem}"),
                   icon=":material/person_off:")
if any(one.propensities for one in found):
    scores()
    who()
    summary()
    places()
with st.expander("What do these numbers mean, and how are they computed?"):
    st.markdown(explain_release.TOLD_APART_METHOD)
sidebar.footer(
    explain_release.told_apart_code(study.dataset, study.features, drawn, by, study.seed)
)

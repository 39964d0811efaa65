"""Compare: "On this table, method A is off by so much and method B by so much; A keeps its privacy
promise and B does not; and these are the people who pay for it."
"""

import streamlit as st

from sdc_core.experiment import sweep_values
from sdc_core.figures import compare as figures
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.narrative import burden_sentence, compare_sentences, precision_text
from ui import cards, compute, layout, sidebar, snippets, state

REPETITIONS = 200  # as in the papers

study = sidebar.study()
histogram = study.histogram
top = st.container()
chosen, guarantees = cards.draw(lambda m: m.guarantee(histogram))
simulate = state.switch(
    "simulate", f"Simulate {REPETITIONS} releases instead of exact formulas", False,
    help="The papers average 200 random releases. Exact formulas give what infinitely many would.",
)
key = (study.key, study.features)
evaluations = [
    compute.evaluated(key, histogram, m, simulate, REPETITIONS, study.seed) for m in chosen
]
with top:
    layout.answer(*compare_sentences(histogram, evaluations, guarantees))
sidebar.footer(snippets.compare_code(study.dataset, study.features, chosen))
if not chosen:
    st.stop()

how = precision_text(evaluations[0])
layout.chart(
    "summary", "How far off are the counts?",
    f"{histogram.total:,} people in {len(histogram):,} groups, "
    f"{int((histogram.counts == 0).sum()):,} of them empty. Numbers are {how}"
    + (f" (seed {study.seed}), whiskers one standard error." if simulate else ", not simulated."),
    figures.summary_bars(evaluations, guarantees),
    lambda: figures.summary_table(evaluations, guarantees),
    alt="Bars for each method: total error, systematic error, unfairness, largest variance, and "
    "the chance that its privacy promise fails. " + compare_sentences(
        histogram, evaluations, guarantees)[0],
)
layout.chart(
    "bias-by-count", "Who is counted too high or too low?",
    burden_sentence(histogram, evaluations) + " Each mark is one or more groups; larger marks "
    "are more groups. Point at one to see who they are.",
    figures.bias_by_count(histogram, evaluations),
    lambda: figures.worst_cells(histogram, evaluations),
    alt="Signed bias against the true count, one panel a method on the same scale. "
    + burden_sentence(histogram, evaluations),
)


def with_counterparts(mechanisms: list[Mechanism], shared: str) -> list[Mechanism]:
    """The chosen mechanisms, and the traditional method each DP version stands beside."""
    out = list(mechanisms)
    for one in mechanisms:
        names = {m.name for m in out}
        if one.counterpart and one.counterpart not in names:
            known = {p.name for p in mechanism(one.counterpart).params()}
            same = {k: v for k, v in one.settings().items() if k in known}
            out.append(mechanism(one.counterpart, **same))
    return out


tunable = {p.name: p for m in chosen for p in m.relevant_params() if p.stronger}
st.markdown("#### What if it were tuned differently?")
tuned = state.choose(
    "tune", "Move along", list(tunable), next(iter(tunable)),
    {name: p.axis_title for name, p in tunable.items()}, draw=st.segmented_control,
    required=True, label_visibility="collapsed",
)
param = tunable[tuned]
curves, current = [], []
for one in with_counterparts(chosen, tuned):
    values = sweep_values(param)
    if tuned in one.settings():
        found = compute.swept(key, histogram, one, tuned, values, REPETITIONS, study.seed)
        current.append(one.settings()[tuned] if one in chosen else None)
    else:
        level = compute.evaluated(key, histogram, one, False, REPETITIONS, study.seed)
        found = [level] * len(values)
        current.append(None)
    curves.append(
        (one, values, {name: [getattr(e, name) for e in found] for name in figures.METRICS})
    )
layout.chart(
    "sweep", "", "Marks show the present setting. DP versions are drawn beside the traditional "
    "method they imitate; a method without this parameter is a level line.",
    figures.sweep_lines(param, curves, ("l1_error", "fairness_alpha"), current),
    lambda: figures.sweep_table(param, curves),
    alt=f"Total error and unfairness as {param.title} changes, one line a method.",
)
with st.expander("What do these numbers mean, and how are they computed?"):
    st.markdown(snippets.COMPARE_METHOD)

"""Compare: "On this table, method A is off by so much and method B by so much; A keeps its privacy
promise and B does not; and these are the people who pay for it."
"""

import functools
import itertools

import streamlit as st

from sdc_core.errors import InputError
from sdc_core.figures import compare as figures
from sdc_core.mechanisms import with_counterparts
from sdc_core.mechanisms.base import Generalises
from sdc_core.mechanisms.work import ShowsWork
from sdc_core.narrative.compare import (
    burden_sentence,
    compare_sentences,
    diversity_sentence,
    precision_sentence,
)
from sdc_core.narrative.words import listed
from sdc_core.narrative.work import work_sentence
from ui import cards, compute, explain, layout, sidebar, state

REPETITIONS = 200  # as in the papers
CURVE_REPETITIONS = 40  # enough for a line, where there is no exact one

study = sidebar.study()
histogram = study.histogram
key = (study.key, study.features)


def how_far_off() -> None:
    alt = (
        "Bars for each method: total error, systematic error, unfairness, largest variance, and "
        f"the chance that its privacy promise fails. {headline}"
    )
    layout.chart(
        "summary", "How far off are the counts?",
        f"{histogram.total:,} people in {len(histogram):,} groups, "
        f"{int((histogram.counts == 0).sum()):,} of them empty. "
        f"{precision_sentence(evaluations, study.seed)}",
        figures.summary_bars(evaluations, guarantees, alt),
        lambda: figures.summary_table(evaluations, guarantees), alt,
    )


def who_is_moved() -> None:
    burden = burden_sentence(histogram, evaluations)
    layout.chart(
        "bias-by-count", "Who is counted too high or too low?",
        f"{burden} Each mark is one or more groups; larger marks are more groups. Point at one to "
        "see who they are; the table lists the worst first.",
        figures.bias_by_count(histogram, evaluations),
        lambda: figures.worst_cells(histogram, evaluations),
        alt=f"Signed bias against the true count, one panel a method on one scale. {burden}",
    )


def tuned_differently() -> None:
    st.markdown("#### What if it were tuned differently?")
    param = cards.move_along("tune", chosen)
    if param is None:
        return
    shown = [one for one in with_counterparts(chosen) if not one.costly]
    if not shown:
        st.caption("These methods take too long to be drawn along a line.")
        return
    curves = [
        compute.curve_along(key, histogram, one, param, CURVE_REPETITIONS, study.seed)
        for one in shown
    ]
    costly = [one.title for one in chosen if one.costly]
    left_out = f" {listed(costly)}: a line would take too long and is left out." if costly else ""
    layout.chart(
        "sweep", "", "Marks show the present setting. DP versions are drawn beside the traditional "
        f"method they imitate; a method without this parameter is a level line.{left_out}",
        figures.sweep_lines(
            param, curves, ("l1_error", "fairness_alpha"), [one in chosen for one in shown]
        ),
        lambda: figures.sweep_table(param, curves),
        alt=f"Total error and unfairness as {param.title} changes, one line a method.",
    )


def own_names() -> list[str]:
    """A name for each method in keys and the link, also where two cards show the same one."""
    names = [one.name for one in chosen]
    earlier = [names[:i].count(name) for i, name in enumerate(names)]
    return [f"{name}-{n + 1}" if n else name for name, n in zip(names, earlier, strict=True)]


def published_groups() -> None:
    """What a method that merges people really publishes: the groups, and what they still give
    away about a sensitive feature."""
    for one, own in zip(chosen, own_names(), strict=True):
        if not isinstance(one, Generalises):
            continue
        name = f"groups-{own}"
        shown = st.expander(f"The groups that {one.label()} publishes", key=f"open.{name}",
                            on_change="rerun", icon=":material/groups:")
        if not shown.open:
            continue
        groups = functools.partial(one.generalised_table, histogram, study.seed)
        shown.markdown(layout.plain(one.groups_sentence(histogram, study.seed)))
        if groups().empty:
            continue
        with shown:
            sensitive = state.choose(
                f"{own}.sensitive", "Sensitive feature", study.features, study.features[-1],
                {f.name: f.title for f in histogram.domain.features}, width=320,
                help="What an outsider would like to know about a member of a group.",
            )
            try:
                st.markdown(diversity_sentence(one.diversity(histogram, sensitive, study.seed)))
            except InputError as problem:  # the feature is itself generalised
                st.info(layout.plain(str(problem)))
            st.dataframe(groups(), hide_index=True)
            layout.csv_button(name, groups)


def one_release_worked_out() -> None:
    """What a method measured, and what its post-processing made of it."""
    for one, own in zip(chosen, own_names(), strict=True):
        if not isinstance(one, ShowsWork):
            continue
        name = f"work-{own}"
        shown = st.expander(f"How one release of {one.label()} came about", key=f"open.{name}",
                            on_change="rerun", icon=":material/construction:")
        if not shown.open:
            continue
        with shown:
            work = one.work(histogram, study.seed)
            st.markdown(layout.plain(work_sentence(work, study.seed)))
            st.dataframe(work.table(), hide_index=True)
            layout.csv_button(name, work.table)


def ask_before_costly() -> None:
    waiting = [m for m in drawn if compute.waits_for_run(key, m, simulate, study.seed)]
    if compute.run_button(waiting):
        for one in waiting:
            compute.evaluated(key, histogram, one, simulate, REPETITIONS, study.seed)
        st.rerun()


top = st.container()
drawn, promises = cards.draw(histogram, lambda m: m.guarantee(histogram))
simulate = state.switch(
    "simulate", f"Simulate {REPETITIONS} releases instead of exact formulas", False,
    help="The papers average 200 random releases. Exact formulas give what infinitely many would.",
)
ask_before_costly()
ready = [not compute.waits_for_run(key, m, simulate, study.seed) for m in drawn]
chosen = list(itertools.compress(drawn, ready))
guarantees = list(itertools.compress(promises, ready))
evaluations = [
    compute.evaluated(key, histogram, one, simulate, REPETITIONS, study.seed) for one in chosen
]
headline, more = compare_sentences(histogram, evaluations, guarantees)
with top:
    layout.answer(headline, more)
if chosen:
    how_far_off()
    who_is_moved()
    tuned_differently()
    published_groups()
    one_release_worked_out()
with st.expander("What do these numbers mean, and how are they computed?"):
    st.markdown(explain.COMPARE_METHOD)
how = f", repetitions={REPETITIONS}, seed={study.seed}" + ", simulate=True" * simulate
sidebar.footer(explain.compare_code(study.dataset, study.features, chosen, how))

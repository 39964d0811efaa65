"""What is protected? "These methods protect all that a person answered, those a part of it; and
this is how ε can be made to look small without protecting anybody better."
"""

import math
from collections.abc import Callable

import pandas as pd
import streamlit as st

from sdc_core.figures import protection as figures
from sdc_core.mechanisms import REGISTRY
from sdc_core.mechanisms.base import Family
from sdc_core.parameters import Param
from sdc_core.privacy import perverse
from sdc_core.privacy.coverage import (
    census_sentence,
    coverage,
    coverage_sentences,
    coverage_table,
)
from sdc_core.privacy.protection import CENSUS_SYSTEMS, RHO_NOTE
from ui import layout, sidebar, state

FAMILIES = {"all": "All", "dp": "DP", "sdc": "Traditional", "dp-sdc": "DP versions"}
SIGMA = math.sqrt(20)  # the discrete Gaussian of P0's Table 1 at ε = 1
HOUSEHOLD = 3

RATE = Param(
    "p_rate", "Share of records swapped", "p", "Each record is chosen with this chance. Real swap "
    "rates are mostly secret; a few per cent is usual.", 0.05, "real", 0.0, 0.5, "right",
    slider=(0.01, 0.5), percent=True,
)
PEOPLE = Param(
    "p_household", "People in the household", "h", "They answer alike, so they are all in the same "
    "group.", HOUSEHOLD, "integer", 1, 20, slider=(1, 10),
)
DELTA = Param(
    "p_delta", "Chance that the promise may fail", "δ", "Common practice is well below one over "
    "the number of people.", 0.001, "real", perverse.STRICT_DELTA, 0.5,
    slider=(perverse.STRICT_DELTA, 0.2), log=True,
)

METHOD = """
- **Five questions.** A privacy promise compares what is published for two possible data sets. It
  has to say which data are possible (*what*), which of them are compared (*to where*: only those
  that agree on everything published exactly, the *invariants*), what one step between two data sets
  is (*who*), how the change in the output is measured (*how*), and how large it may be (*how
  much*). The five parts are those of P3; the wording here is ours.
- **Answers** are declared with each method. The line under its name is computed for the present
  table with default settings, as on the page *δ versus ε*.
- **Swapping**: ε(p, b) = ln(b + 1) − ln(p/(1 − p)) for p up to one half, otherwise the larger of
  this and ln(p/(1 − p)); b is the largest group of records that match (P3).
- **Households**: ε for h people is h times ε for one, and counts with noise do reach it. With zCDP
  ρ grows with h².
- **ε at another δ** is solved from the exact δ of discrete Gaussian noise with σ² = 20 (the noise
  of P0's Table 1 at ε = 1). zCDP is converted by ε = ρ + 2√(ρ ln(1/δ)) (Bun and Steinke 2016).
- **Tables add up**: t tables about the same people, ε each, are tε together.

Sources: Bailie, Gong and Meng, *Can Swapping be Differentially Private?* (slides; P3): the five
building blocks, the table of census examples, the perverse guide (the first three ways; the fourth
is ours). Abowd et al. 2022 for TopDown, Tumult Labs 2022 for SafeTab, both as cited there.
"""


def shown(text: str) -> str:
    return layout.plain(figures.unbroken(text))


def five_questions() -> None:
    layout.chart(
        "protection", "Five questions to every method",
        "Two values of ε can be compared only where the other four answers agree. Under each name: "
        "what the method promises on the table you have chosen, with default settings.",
        figures.answers_table(covered), lambda: coverage_table(covered), alt="",
    )
    for one in covered:
        if one.problem:
            st.caption(layout.plain(f"{one.method.title}: {one.problem}"))


def census() -> None:
    st.markdown("#### The US Census, asked the same questions")
    st.markdown(shown(census_sentence(CENSUS_SYSTEMS, HOUSEHOLD)))
    st.html(figures.census_cards(CENSUS_SYSTEMS))
    st.caption(shown(RHO_NOTE))


def guide() -> list[perverse.Trick]:
    """The four ways, two and two, each with its control where it has one."""
    st.markdown("#### How to make ε look small without protecting anyone better")
    st.caption("Four ways to know when you read an ε in a report. Grey is where each begins.")
    steps: list[tuple[Family, Callable[[], perverse.Trick]]] = [
        ("sdc", lambda: perverse.add_invariants(
            table, state.parameter(RATE.name, RATE, {}))),
        ("dp", lambda: perverse.smaller_unit(1.0, state.parameter(PEOPLE.name, PEOPLE, {}))),
        ("dp", lambda: perverse.kinder_measure(
            SIGMA, state.parameter(DELTA.name, DELTA, {}), table.total)),
        ("dp", lambda: perverse.one_table_at_a_time(1.0, study.features)),
    ]
    tricks = []
    for first in (0, 2):
        for place, (kin, step) in zip(
            st.columns(2, gap="large"), steps[first : first + 2], strict=True
        ):
            with place:
                title = st.empty()
                trick = step()
                tricks.append(trick)
                title.markdown(f"**{len(tricks)}. {layout.plain(trick.title)}**")
                st.markdown(shown(trick.sentence))
                st.html(figures.trick_bars(trick, kin))
        st.space("small")
    return tricks


def claims_table() -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"Way": t.title, "Quoted": c.label, "Privacy loss (ε)": c.epsilon}
            for t in tricks
            for c in t.claims
        ]
    )


def code() -> str:
    """The page's numbers with the engine alone."""
    data = study.dataset
    source = data.id if data.origin != "own" else data.source
    kept = st.session_state
    rate, people, delta = (kept[f"url.{p.name}"] for p in (RATE, PEOPLE, DELTA))
    return f"""import sdc_core as sdc
from sdc_core.mechanisms import REGISTRY
from sdc_core.privacy import perverse
from sdc_core.privacy.coverage import coverage, coverage_table

table = sdc.load_dataset({source!r}).histogram({list(study.features)!r})
print(coverage_table(coverage(REGISTRY, table)))
for trick in [
    perverse.add_invariants(table, {rate!r}),
    perverse.smaller_unit(1.0, {people!r}),
    perverse.kinder_measure({SIGMA!r}, {delta!r}, table.total),
    perverse.one_table_at_a_time(1.0, {list(study.features)!r}),
]:
    print(trick.sentence)"""


study = sidebar.study()
table = study.histogram
top = st.container()
family = state.choose(
    "family", "Methods", list(FAMILIES), "all", FAMILIES, draw=st.segmented_control, required=True,
)
covered = coverage([m for m in REGISTRY if family in ("all", m.family)], table)
five_questions()
census()
tricks = guide()
with top:
    layout.answer(*coverage_sentences(covered, tricks[0]))
with st.expander("What do the five questions mean, and how are the numbers computed?"):
    st.markdown(METHOD)
    st.dataframe(claims_table(), hide_index=True)
sidebar.footer(code())

"""What swapping changes: "Swapping p% of dwellings moved so many between owned and rented in county
X, yet every county total and the state's total of owned dwellings are exactly as before."
"""

import time

import streamlit as st

from sdc_core import swapping_demo as demo
from sdc_core.data.census1940 import (
    LARGEST_STRATUM_BY_SIZE,
    PRINTED_RATE,
    SOURCE,
    massachusetts_1940,
    massachusetts_1940_printed_release,
)
from sdc_core.figures import swapping as figures
from sdc_core.metrics.tables import mean_absolute_percentage_error
from ui import layout, rate_controls, sidebar, state

METHOD = f"""
- **Permutation swapping** (Bailie, Gong and Meng 2023): among records that agree on the match
  features, each is selected with probability p, and the selected hand round their swap values so
  that nobody gets back their own. All ways to do so are equally likely.
- **Here** the county is swapped and tenure stays with the dwelling. The printed table has no
  household size, so the match key is the state alone: one group of all 1,144,424 dwellings. The
  slides match on household size as well (largest group {LARGEST_STRATUM_BY_SIZE:,}); that cannot be
  rebuilt from printed counts. Their one printed release, at 50%, is the diamond among the boxes.
- **Off by, on average** is the mean absolute percentage error over the 28 counts of the table; a
  count of 0 would be left out, and there is none.
- **Unchanged** means equal to the last dwelling, compared without tolerance. That is what makes
  swapping popular, and what its promise leaves out: it says nothing about what those totals reveal.
- The sampler is for study and demonstration, not for production release.

Data: {SOURCE}.
"""
CODE = """import sdc_core as sdc
from sdc_core.data.census1940 import massachusetts_1940

table = massachusetts_1940()
swapping = sdc.mechanism(
    "permutation-swapping", swap_rate={rate}, match=(), swap=("COUNTY",), hold=("TENURE",)
)
print(swapping.release(table, seed={seed}).counts.reshape(14, 2))
print(swapping.guarantee(table))
"""

study = sidebar.study()


def before_and_after() -> None:
    layout.chart(
        "swapped-1940", "Massachusetts 1940, before and after",
        "Owned and rented dwellings by county. Only the inner counts change; colour shows by how "
        "much.",
        figures.before_after(found.table, found.released, found.margins, headline),
        lambda: figures.before_after_frame(found.table, found.released, found.margins), headline,
    )


def over_many_runs() -> None:
    st.markdown("#### How far off, over many runs?")
    kept: dict[tuple[float, int, int], float] = st.session_state.setdefault("swap-runs", {})
    wanted = [(rate, study.seed, run) for rate in demo.RATES for run in range(demo.RUNS)]
    missing = [one for one in wanted if one not in kept]
    with st.container(horizontal=True, vertical_alignment="center"):
        words = f"Run {len(missing)} swaps" if missing else f"All {len(wanted)} swaps are done"
        start = st.button(words, disabled=not missing, icon=":material/play_arrow:", key="swap-run")
        cancel, progress = st.empty(), st.empty()
    if start:
        # Any control, this button too, starts the page anew and so ends the loop; runs are kept.
        cancel.button("Cancel", key="swap-cancel")
        began = time.monotonic()
        for done, (rate, seed, run) in enumerate(missing):
            left = (time.monotonic() - began) / max(done, 1) * (len(missing) - done)
            progress.progress(
                done / len(missing),
                f"Swap rate {100 * rate:g}%, run {run + 1} of {demo.RUNS}, {left:.0f} s left",
            )
            kept[rate, seed, run] = demo.percentage_error_of_run(rate, seed, run)
        st.rerun()
    runs = {
        rate: [kept[rate, study.seed, run] for run in range(demo.RUNS)
               if (rate, study.seed, run) in kept]
        for rate in demo.RATES
    }
    said = demo.runs_sentence(runs)
    if not said:
        st.caption(
            f"{demo.RUNS} swapped releases at each of {len(demo.RATES)} swap rates, from 1% to 50%,"
            " as in the slides. Nothing has been run with this seed yet."
        )
        return
    printed = mean_absolute_percentage_error(
        massachusetts_1940().counts, massachusetts_1940_printed_release().counts
    )
    layout.chart(
        "swap-error", "", f"{said} The diamond is the release printed in the slides.",
        [figures.error_boxes(runs, demo.RATES, {PRINTED_RATE: printed.percent})],
        lambda: figures.error_frame(runs),
        alt=f"Box plots of the mean absolute percentage error by swap rate. {said}",
    )


def step_by_step() -> None:
    st.markdown("#### Step by step, with eight households")
    step = state.choose(
        "step", "Step", list(demo.STEPS), "1", demo.STEPS, draw=st.segmented_control,
        required=True, label_visibility="collapsed",
    )
    example = demo.eight_households(study.seed)
    said = demo.step_sentence(example, step)
    with st.container(border=True):
        st.markdown(layout.plain(said))
        st.html(figures.example_table(example, int(step), said))
        with st.container(horizontal=True):
            st.button("Back", on_click=state.put, args=("step", str(int(step) - 1)),
                      disabled=step == "1", icon=":material/arrow_back:", key="step-back")
            st.button("Next step", on_click=state.put, args=("step", str(int(step) + 1)),
                      disabled=step == "4", icon=":material/arrow_forward:", key="step-next",
                      type="primary")


top = st.container()
with st.container(width=560):
    # The same name and range as on the page about swap rate and ε, so that it is kept on the way.
    percent = rate_controls.percentage(
        "rate", "Share of dwellings that are swapped", 5, 0.1, 99.9,
        help="Each dwelling is selected with this chance; the selected exchange their counties. "
        "The slides go from 1% to 50%.",
    )
found = demo.swap_massachusetts(percent / 100, study.seed)
headline, more = demo.massachusetts_sentences(found)
with top:
    layout.answer(headline, more)
st.caption(
    f"One swapped release, seed {study.seed}. This page has a table of its own: of the sidebar "
    "only the seed matters here."
)
before_and_after()
many_runs = st.container()
step_by_step()
with st.expander("What is swapped with what, and how is it computed?"):
    st.markdown(METHOD)
sidebar.footer(CODE.format(rate=percent / 100, seed=study.seed))
with many_runs:  # last, so that nothing else on the page waits for the runs
    over_many_runs()

"""The page 'What swapping changes' says what the engine says, steps, runs and lives in its link.

Tested with it: the facts, sentences and figures behind it.
"""

from __future__ import annotations

import re

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from sdc_core import swapping_demo as demo
from sdc_core.figures import swapping as figures
from sdc_core.metrics.tables import MarginCheck
from tests.page_driver import TWIN, answer, link, opened, said

PAGE = "../pages/swapping_changes.py"


def shown(app: AppTest) -> str:
    return " ".join(h.proto.body for h in app.get("html"))


def test_opens_and_says_what_the_engine_says() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    headline, more = demo.massachusetts_sentences(demo.swap_massachusetts(0.05, 7))
    assert headline.replace("'", "&#x27;") in answer(app)
    assert more in answer(app)
    assert "Exactly as before: 17 of 17 totals" in shown(app)
    assert link(app)["rate"] == "5" and link(app)["step"] == "1"


def test_deep_link_opens_the_same_page() -> None:
    wanted = {**TWIN, "rate": "50", "step": "4", "seed": "11"}
    app = opened(wanted, PAGE)
    assert not app.warning
    assert wanted.items() <= link(app).items()
    found = demo.swap_massachusetts(0.5, 11)
    assert demo.massachusetts_sentences(found)[1] in answer(app)
    assert f"{found.released[0]:,}" in shown(app)
    assert demo.step_sentence(demo.eight_households(11), "4") in said(app)


def test_a_bad_link_is_explained() -> None:
    app = opened({**TWIN, "rate": "lots", "step": "9"}, PAGE)
    words = " ".join(w.value for w in app.warning).replace("\\", "")
    assert "rate must be a number" in words and "step must be one of" in words
    assert link(app)["rate"] == "5" and link(app)["step"] == "1"


def test_next_and_back_walk_through_the_example() -> None:
    app = opened(TWIN, PAGE)
    example = demo.eight_households(7)
    assert app.button(key="step-back").disabled
    for step in ("2", "3", "4"):
        app.button(key="step-next").click().run()
        assert not app.exception
        assert link(app)["step"] == step
        assert demo.step_sentence(example, step) in said(app)
    assert app.button(key="step-next").disabled
    app.button(key="step-back").click().run()
    assert link(app)["step"] == "3"
    assert "from household" in shown(app)


def test_runs_are_made_once_and_kept() -> None:
    app = opened(TWIN, PAGE)
    assert "Nothing has been run with this seed yet" in said(app)
    done = {(rate, 7, run): 1.0 for rate in demo.RATES for run in range(demo.RUNS)}
    del done[0.01, 7, 19], done[0.5, 7, 0], done[0.5, 7, 1]
    app.session_state["swap-runs"] = done
    app.run()
    assert app.button(key="swap-run").label == "Run 3 swaps"
    app.button(key="swap-run").click().run()
    assert not app.exception
    kept = app.session_state["swap-runs"]
    assert len(kept) == 120 and kept[0.05, 7, 3] == 1.0  # what was there is not run again
    assert kept[0.5, 7, 1] == demo.percentage_error_of_run(0.5, 7, 1)
    assert app.button(key="swap-run").disabled
    assert len(app.get("plotly_chart")) == 1
    app.number_input(key="url.seed").set_value(8).run()
    assert app.button(key="swap-run").label == "Run 120 swaps"


@pytest.mark.parametrize("rate", [0.001, 0.05, 0.5, 0.999])
def test_the_headline_is_about_the_county_that_moved_most(rate: float) -> None:
    found = demo.swap_massachusetts(rate, 7)
    headline, more = demo.massachusetts_sentences(found)
    change = (found.released - found.table.counts).reshape(14, 2)
    assert (change.sum(axis=1) == 0).all() and change[:, 0].sum() == 0
    county = int(np.abs(change[:, 0]).argmax())
    assert f"moved a net {abs(change[county, 0]):,} from" in headline
    assert f"in {found.table.domain.features[0].labels[county]}, yet every county" in headline
    assert "435,805 owned dwellings are exactly as before" in headline
    assert "ε = " in more


def test_a_changed_total_would_not_be_called_unchanged() -> None:
    found = demo.swap_massachusetts(0.05, 7)
    broken = demo.Demonstration(
        found.mechanism, found.table, found.released, found.error,
        (*found.margins[:-1], MarginCheck((), "Total", 10, 11)),
    )
    assert "changed some totals" in demo.massachusetts_sentences(broken)[0]
    drawn = figures.before_after(broken.table, broken.released, broken.margins, "words")
    assert "<b>changed</b>" in drawn and "16 of 17 totals" in drawn and "11 (was 10)" in drawn


@pytest.mark.parametrize("seed", range(12))
def test_the_example_is_a_derangement_that_keeps_the_totals(seed: int) -> None:
    example = demo.eight_households(seed)
    selected = [h for h in example.households if h.selected]
    assert len(selected) != 1
    assert sorted(h.donor for h in selected) == [h.number for h in selected]
    assert all(h.donor != h.number for h in selected)
    towns = {h.number: h.town for h in example.households}
    assert all(h.new_town == towns[h.donor or h.number] for h in example.households)
    assert all(margin.equal for margin in example.margins)
    for step in demo.STEPS:
        assert demo.step_sentence(example, step)
        drawn = figures.example_table(example, int(step), "words")
        assert drawn.count("from household") == (len(selected) if step == "3" else 0)


def test_colours_are_symmetric_and_follow_the_change() -> None:
    found = demo.swap_massachusetts(0.5, 7)
    drawn = figures.before_after(found.table, found.released, found.margins, "a <b> & c")
    assert 'aria-label="a &lt;b&gt; &amp; c"' in drawn
    tints = re.findall(r'background:rgba\((\d+),\d+,\d+,([\d.]+)\)" title="([+−])([\d.]+)', drawn)
    assert len(tints) == 28
    for red, opacity, sign, percent in tints:
        assert red == ("1" if sign == "+" else "166")
        assert float(opacity) == pytest.approx(0.55 * float(percent) / 60, abs=0.002)
    assert drawn.count('aria-label="unchanged"') == 17


@pytest.mark.parametrize(
    ("percent", "end"), [(0, 1), (0.07, 0.08), (1, 1), (1.2, 1.5), (5.06, 6), (53, 60), (99, 100)]
)
def test_the_colour_scale_ends_at_a_round_number(percent: float, end: float) -> None:
    assert figures.round_up(percent) == pytest.approx(end)


def test_boxes_carry_the_runs_and_are_valid_plotly() -> None:
    runs = {0.01: [0.2, 0.3, 0.25], 0.5: [13.0, 14.0]}
    chart = figures.error_boxes(runs, demo.RATES, {0.5: 13.5})
    assert len(go.Figure(chart.to_dict()).data) == 3
    boxes = [trace for trace in chart.data if trace["type"] == "box"]
    assert [list(box["y"]) for box in boxes] == list(runs.values())
    assert [box["name"] for box in boxes] == ["1%", "50%"]
    assert len(go.Figure(figures.error_boxes({}, demo.RATES, {}).to_dict()).data) == 0
    frame = figures.error_frame(runs)
    assert len(frame) == 5 and frame["run"].tolist() == [1, 2, 3, 1, 2]


def test_runs_in_a_sentence() -> None:
    assert demo.runs_sentence({0.01: [], 0.5: []}) == ""
    one = demo.runs_sentence({0.01: [0.2, 0.4], 0.5: []})
    assert one.startswith("A count is off by 0.3% at a swap rate of 1% (medians)")
    both = demo.runs_sentence({0.5: [13.0, 14.0], 0.01: [0.3]})
    assert "0.3% at a swap rate of 1% and by 13.5% at a swap rate of 50%" in both
    assert "at 50% from 13% to 14%" in both


def test_the_csv_has_every_count_and_every_total() -> None:
    found = demo.swap_massachusetts(0.05, 7)
    frame = figures.before_after_frame(found.table, found.released, found.margins)
    assert len(frame) == 28 + 17
    assert frame.iloc[-1].tolist()[:4] == ["all", "all", 1_144_424, 1_144_424]
    assert (frame["change"][28:] == 0).all() and (frame["change"][:28] != 0).any()

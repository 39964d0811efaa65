"""Any answer as a page: what Streamlit is told to show, read back element by element."""

from __future__ import annotations

import json
from typing import Any

import pandas as pd
from streamlit.testing.v1 import AppTest

from sdc_core.report.files import csv_bytes


def _page() -> None:
    """An answer made by hand, shown as any other."""
    import pandas as pd
    import plotly.graph_objects as go
    import streamlit as st

    from sdc_core.questions.answer import (
        Action,
        Answer,
        ColumnLook,
        Notice,
        Panel,
        Pick,
        TableView,
    )
    from ui import render, state

    state.begin("test")
    frame = pd.DataFrame({"who": ["a", "=b", "c"], "people": [1.5, 2.0, 3.0]})
    found = Answer(
        "Two < three.",
        "And *more*.",
        panels=(
            Panel(
                "bars", "Bars_1", "A *caption*.", "<i>drawn</i>", lambda: frame,
                alt="In words.", controls=("one",), note="After it.", legend="<u>legend</u>",
            ),
            Panel(
                "charts", drawing=(go.Figure(go.Bar(x=[1], y=[2])), go.Figure()), alt="Two charts.",
                width=0.6, make_table=lambda: frame,
            ),
            Panel("beside", "Beside", width=0.4, minor=True, prose=("First.", "Second.")),
            Panel("below", "Below", width=0.5),
            Panel(
                "rows", "Rows",
                drawing=TableView(frame, {"people": ColumnLook("People", "%.2f", 90, "How many")},
                                  most=2),
            ),
            Panel("map", drawing=(go.Figure(go.Bar(x=[1, 2], y=[2, 1])),), alt="Click.",
                  pick=Pick("place", ("n", "s"), "n", "*")),
            Panel("closed", "Closed", prose=("Not yet.",), folded=True, icon="groups"),
            Panel("steps", actions=(
                Action("Back", {"step": "1"}, disabled=True),
                Action("Next", {"step": "3", "view": "x"}, icon="add", primary=True),
            ), notices=(Notice("Inside.", "warning"),)),
        ),
        notices=(
            Notice("Told.", "info", "info"), Notice("Warned.", "warning"),
            Notice("Wrong.", "error"), Notice("Quiet.", "quiet"),
            Notice("Elsewhere.", "quiet", action=Action("Go there", {"data": "far"})),
        ),
    )
    with st.container():
        render.headline(found)
    render.notices(found.notices)
    render.panels(found.panels, render.Around(lambda name: st.text(f"control {name}")))
    state.finish()


def page() -> AppTest:
    app = AppTest.from_function(_page, default_timeout=60).run()
    assert not app.exception, [e.value for e in app.exception]
    return app


def spelled(app: AppTest) -> list[tuple[str, str]]:
    """Types and texts in the order of the page."""
    out = []
    for node in app.main:
        text = getattr(node, "value", None)
        if not isinstance(text, str):
            text = getattr(getattr(node, "proto", None), "body", "")
        out.append((node.type, str(text)))
    return out


def test_the_headline_comes_first_and_is_escaped() -> None:
    body = page().get("html")[0].proto.body
    assert '<h1 class="answer">Two &lt; three.</h1>' in body
    assert '<p class="answer-more">And *more*.</p>' in body


def test_notices_have_their_tone() -> None:
    app = page()
    assert [e.value for e in app.info] == ["Told\\."]
    assert [e.value for e in app.warning] == ["Warned\\.", "Inside\\."]
    assert [e.value for e in app.error] == ["Wrong\\."]
    captions = [c.value for c in app.caption]
    assert captions[:2] == ["Quiet\\.", "Elsewhere\\."]


def test_a_panel_is_read_in_order() -> None:
    """Title, control, legend, drawing, caption, note; text from data is shown as it is."""
    texts = [text for _, text in spelled(page())]
    order = ["## Bars\\_1", "control one", "<u>legend</u>", "<i>drawn</i>",
             "A \\*caption\\*\\.", "After it\\."]
    places = [texts.index(t) for t in order]
    assert places == sorted(places)


def test_titles_prose_and_rows_of_panels() -> None:
    app = page()
    titles = [m.value for m in app.markdown]
    assert "### Beside" in titles and "## Rows" in titles and "First\\." in titles
    assert titles.index("First\\.") < titles.index("Second\\.")
    rows = [[round(c.proto.weight, 3) for c in block.children.values() if c.type == "column"]
            for block in _blocks(app.main) if block.type == "flex_container"]
    shares = [r for r in rows if len(r) > 1]
    assert [0.6, 0.4] in shares  # side by side; the next panel (0.5) starts a new row
    assert [0.5, 0.5] in shares  # two charts of one panel


def _blocks(node: Any) -> list[Any]:
    found = []
    for child in getattr(node, "children", {}).values():
        found += [child, *_blocks(child)]
    return found


def test_charts_are_described_and_named() -> None:
    app = page()
    charts = app.get("plotly_chart")
    assert [c.proto.alt for c in charts] == ["Two charts.", "Two charts.", "Click."]
    names = [json.loads(c.proto.config)["toImageButtonOptions"]["filename"] for c in charts]
    assert names == ["charts", "charts", "map"]
    bars = json.loads(json.loads(json.dumps(charts[0].proto.spec)))
    assert bars["data"][0]["type"] == "bar"
    for chart, zooms in zip(charts, (True, True, False), strict=True):
        removed = json.loads(chart.proto.config)["modeBarButtonsToRemove"]
        assert ("zoom2d" not in removed) == zooms and "lasso2d" in removed


def test_only_a_chart_with_a_pick_answers_to_clicks() -> None:
    """Plotly's selection is on where a click sets a control."""
    modes = [len(c.proto.selection_mode) for c in page().get("plotly_chart")]
    assert modes == [0, 0, 1]


def test_tables_are_offered_as_csv_and_opened_on_request() -> None:
    app = page()
    keys = [b.key for b in app.get("download_button")]
    assert keys == ["csv.bars", "csv.charts", "csv.rows"]
    assert [e.label for e in app.get("expander") if e.label == "Table"] == ["Table", "Table"]
    shown = [d.value for d in app.dataframe]
    assert len(shown) == 1 and shown[0]["who"].tolist() == ["a", "=b"]  # the most that is shown
    looks = json.loads(app.dataframe[0].proto.columns)
    assert looks["people"]["label"] == "People" and looks["people"]["width"] == 90
    app.session_state["table.bars"] = True
    app.run()
    assert [len(d.value) for d in app.dataframe] == [3, 2]


def test_folded_panels_are_filled_when_opened() -> None:
    app = page()
    assert "Closed" in [e.label for e in app.get("expander")]
    assert "Not yet\\." not in [m.value for m in app.markdown]
    app.session_state["open.closed"] = True
    app.run()
    assert "Not yet\\." in [m.value for m in app.markdown]


def test_actions_set_controls() -> None:
    app = page()
    buttons = {b.label: b for b in app.button}
    assert buttons["Back"].disabled and not buttons["Next"].disabled
    buttons["Next"].click().run()
    assert {k: app.session_state["url-state"][k] for k in ("step", "view")} == {
        "step": "3", "view": "x"}
    next(b for b in app.button if b.label == "Go there").click().run()
    assert app.session_state["url-state"]["data"] == "far"


def test_a_click_on_a_mark_sets_its_control_and_a_second_lets_go(monkeypatch: Any) -> None:
    from sdc_core.questions.answer import Pick
    from ui import picking, state

    put: list[tuple[str, str]] = []
    monkeypatch.setattr(state, "put", lambda name, text: put.append((name, text)))
    chosen = {"selection": {"points": [{"point_index": 1}]}}
    monkeypatch.setattr(picking.st, "session_state", {"c": chosen, "none": {
        "selection": {"points": []}}})
    picking._picked("c", Pick("place", ("n", "s"), "n", "*"))
    picking._picked("c", Pick("place", ("n", "s"), "s", "*"))
    picking._picked("c", Pick("place", ("n",), "", "*"))
    picking._picked("none", Pick("place", ("n", "s"), "n", "*"))
    assert put == [("place", "s"), ("place", "*")]


def test_csv_is_safe_for_spreadsheets() -> None:
    content = csv_bytes(pd.DataFrame({"who": ["=1+1"]}))
    assert content.startswith(b"\xef\xbb\xbf") and b"'=1+1" in content

"""Where things stand on a page: of every question, each control where it is declared to be, rows
that are rows, tables without row numbers, and what is folded closed until somebody opens it."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from streamlit.proto.Block_pb2 import Block as BlockProto
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block, Node

from sdc_core.parameters import File, Param
from sdc_core.questions import QUESTIONS
from sdc_core.questions.answer import TableView
from sdc_core.questions.question import Question
from tests import shown
from tests.page_driver import TWIN, opened
from tests.test_every_question import WIDGETS, page_of

# What a reader sees at once, and what stands at the panel that it changes; all else is in Settings.
IN_SIGHT = {
    "compare": "", "map": "map_measure map_place map_view", "delta_epsilon": "",
    "swap_rate": "match swap_variable rate wanted", "protected": "family",
    "theorems": "th_epsilon th_k", "swapping_changes": "rate", "told_apart": "classifier",
    "subgroups": "g_y g_x g_by g_view", "classification": "p_target p_model",
    "sparsity": "z_measure", "reidentification": "", "funding": "group pot threshold",
    "microdata_lab": "ml_privacy ml_utility", "matched": "mc_by mc_level mc_keeps",
    "intruders": "in_strength in_coded", "your_data": "",
}
AT_PANEL = {
    "compare": "tune", "delta_epsilon": "view unit attack",
    "protected": "p_rate p_household p_delta",
    "swapping_changes": "step", "told_apart": "t_k", "classification": "p_tune",
    "reidentification": "r_tune r_known r_sensitive r_group",
    "microdata_lab": "ml_method ml_level", "intruders": "in_play in_person",
    "your_data": "label_of",
}
ROW = BlockProto.FlexContainer.Direction.HORIZONTAL
every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.address)


def inside(
    block: Block, around: tuple[Block, ...] = ()
) -> Iterator[tuple[Node, tuple[Block, ...]]]:
    """Every element with the blocks that it stands in, the outermost first."""
    for node in block.children.values():
        if isinstance(node, Block):
            yield from inside(node, (*around, node))
        else:
            yield node, around


def blocks(block: Block) -> Iterator[Block]:
    for node in block.children.values():
        if isinstance(node, Block):
            yield node
            yield from blocks(node)


def is_row(block: Block) -> bool:
    return block.type == "flex_container" and block.proto.flex_container.direction == ROW


def named(block: Block, key: str) -> bool:
    """Was the container given this key?"""
    return str(getattr(block.proto, "id", "")).endswith(f"-{key}")


def places(app: AppTest) -> dict[str, tuple[Block, ...]]:
    """The blocks that each of a page's own controls stands in, by the control's name."""
    return {
        node.key.removeprefix("url."): around for node, around in inside(app.main)
        if node.type in WIDGETS and str(getattr(node, "key", "")).startswith("url.")
    }


@every_question
def test_controls_stand_in_the_row_in_settings_or_at_their_panel(question: Question) -> None:
    with shown.answers_of_pages() as answers:
        app = opened(TWIN, page_of(question))
    given, _ = answers[-1]
    found, folded = places(app), []
    in_sight, at_panel = (
        listed.get(question.address, "").split() for listed in (IN_SIGHT, AT_PANEL))
    for name, around in found.items():
        if question.address in IN_SIGHT and name in given.params:
            seen = any(named(b, "own-controls") for b in around)
            opened_first = any(b.type == "popover" for b in around)
            assert (seen, opened_first) == (name in in_sight, name not in in_sight + at_panel), name
    for control in question.controls:
        offered = control.offer(given)
        for param in [offered] if isinstance(offered, Param) else offered or ():
            if isinstance(param, File):
                continue
            around = found[param.name]
            in_row = any(named(b, "own-controls") and is_row(b) for b in around)
            in_settings = any(b.type == "popover" for b in around)
            assert in_row == control.prominent, param.name
            assert in_settings == (not control.prominent and not control.at_panel), param.name
            folded += [param.name] * in_settings
            if control.at_panel:  # beside the title, or in a row of what was opened
                assert any(is_row(b) for b in around), param.name
    settings = [b for b in blocks(app.main) if b.type == "popover"
                and b.proto.popover.label == "Settings"]
    assert bool(settings) == bool(folded), "Settings that hold nothing, or none for what is folded"


@every_question
def test_tables_open_without_row_numbers_and_panels_when_asked(question: Question) -> None:
    """Every folded panel and every table is opened once; before that neither is there."""
    with shown.answers_of_pages() as answers:
        app = opened(TWIN, page_of(question))
        answer = answers[-1][1]
        before = len(app.dataframe)
        always = [p for p in answer.panels if isinstance(p.drawing, TableView) and not p.folded]
        assert before == len(always)
        for panel in answer.panels:
            for key in (f"open.{panel.name}", f"table.{panel.name}"):
                app.session_state[key] = True
        app.run()
    assert not app.exception, [e.value for e in app.exception]
    answer = answers[-1][1]
    tables = [p for p in answer.panels if p.make_table is not None]
    views = [p for p in answer.panels if isinstance(p.drawing, TableView)]
    rows = [p for p in answer.panels if p.editor == "rows"]
    assert len(app.dataframe) == len(tables) + len(views) + len(rows)
    for frame in app.dataframe:
        assert json.loads(frame.proto.columns)["_index"]["hidden"] is True
    for segments in app.get("button_group"):
        assert segments.proto.required, segments.label


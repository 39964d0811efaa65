"""The page at its edges, piece by piece: one panel or two in a row, the first method and the last,
a file that has no encoding, a link that cannot be read, seconds that are left."""

from __future__ import annotations

import contextlib
import dataclasses
import html
import types
from collections.abc import Callable
from typing import Any, cast

import pytest

import sdc_core as sdc
from sdc_core.data.readers.limits import Reading
from sdc_core.privacy.ledger import Entry
from sdc_core.questions.answer import Answer, Panel, Pick, PickSettings, TableView
from sdc_core.questions.study import SEED, next_seed
from sdc_core.words.glossary import GLOSSARY, used_in
from tests.page_driver import link, opened
from tests.test_report_edges import answer_of, rows
from ui import (
    brief,
    ledger,
    method_bar,
    old_links,
    own_data,
    paper,
    picking,
    pins,
    progress,
    render,
    teach,
    your_data,
)
from ui.own_data import Own
from ui.pins import Pinned


class Recorder:
    """Stands for Streamlit: notes what is called, and gives places that are open."""

    def __init__(self, **gives: Any) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.session_state: dict[str, Any] = {}
        self._gives = gives

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(*args: Any, **how: Any) -> Any:
            self.calls.append((name, args, how))
            if name == "columns":
                number = args[0] if isinstance(args[0], int) else len(args[0])
                return [contextlib.nullcontext() for _ in range(number)]
            return self._gives.get(name, contextlib.nullcontext())

        return call

    def of(self, name: str) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
        return [(args, how) for called, args, how in self.calls if called == name]


# ------------------------------------------------------------------------------------------ panels


@pytest.mark.parametrize(("order", "seen_before"), [
    ("wd", 2), ("dw", 2), ("wwwd", 4), ("wwwdww", 4), ("ww", 2), ("wwdd", 4), ("ddww", 2),
    ("dwdw", 2), ("", 0)])
def test_what_follows_the_first_picture_stands_after_its_row_or_at_the_end(
    order: str, seen_before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two panels in a row, words or drawings."""
    seen: list[str] = []
    monkeypatch.setattr(render, "st", Recorder())
    monkeypatch.setattr(render, "_panel", lambda panel, around: seen.append(panel.name))
    listed = [Panel(f"{kind}{i}", drawing="x" if kind == "d" else None, width=0.5)
              for i, kind in enumerate(order)]
    render.panels(listed, render.Around(print), lambda: seen.append("after"))
    assert seen.count("after") == 1 and seen.index("after") == seen_before
    assert len(seen) == len(order) + 1


@pytest.mark.parametrize(("widths", "in_rows"), [
    ([1.0, 1.0], [1, 1]), ([0.5, 0.5, 0.5], [2, 1]), ([0.6, 0.5], [1, 1]), ([0.3] * 4, [3, 1]),
    ([0.1] * 10, [10]), ([], [])])
def test_a_row_is_full_and_no_fuller(widths: list[float], in_rows: list[int]) -> None:
    rows_found = list(render._rows([Panel(str(i), width=w) for i, w in enumerate(widths)]))
    assert [len(row) for row in rows_found] == in_rows
    assert [p.name for row in rows_found for p in row] == [str(i) for i in range(len(widths))]


def test_a_picture_is_offered_once_for_panels_that_are_one() -> None:
    listed = [Panel("a", drawing="x", together="pair"), Panel("b", drawing="x", together="pair"),
              Panel("c", drawing="x", editor="cells"), Panel("d"), Panel("e", drawing="x")]
    around = render.Around(print, {"cells": print}, ("a", "c", "d", "e"), lambda: answer_of())
    assert [p.name for p in listed if around.pictured(p) is not None] == ["a", "e"]


def test_a_lesson_shows_what_is_compared_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(render, "drawing", lambda panel, name: drawn.append(panel.name))
    step = dataclasses.replace(sdc.lessons.LESSONS[0].steps[0], answer="So.")
    before, after, beside = (Panel(name, drawing="<i>x</i>") for name in ("b", "a", "s"))
    scene = teach.Shown({}, before, after, None, beside)
    for found, reveal, columns, seen in (
        (scene, True, 2, ["a", "s"]), (scene, False, 1, ["b"]),
        (dataclasses.replace(scene, beside=None), True, 1, ["a"]),
        (dataclasses.replace(scene, before=None), False, 1, []),
    ):
        page = Recorder()
        drawn.clear()
        monkeypatch.setattr(teach, "st", page)
        teach._stage(step, found, reveal)
        assert [args for args, _ in page.of("columns")] == [(columns,)] and drawn == seen
        assert bool(page.of("html")) == reveal


def test_pictures_of_a_brief_stand_two_in_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    monkeypatch.setattr(render, "drawing", lambda panel, name: drawn.append(name))
    for number, columns in ((1, [1]), (2, [2]), (3, [2, 2])):
        page = Recorder()
        drawn.clear()
        monkeypatch.setattr(brief, "st", page)
        listed = [Panel(f"p{i}", drawing="x", together="all") for i in range(number)]
        brief._pictures(4, answer_of(*listed), "p0")
        assert [args[0] for args, _ in page.of("columns")] == columns
        assert drawn == [f"brief.4.p{i}" for i in range(number)]


# ------------------------------------------------------------------------------------- method bar


def test_a_method_moves_to_the_side_that_its_button_says(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Recorder()
    monkeypatch.setattr(method_bar, "st", page)
    for slot in ("m1", "m2", "m3"):
        method_bar._moves(slot, ("m1", "m2", "m3"))
    moves = {how["key"]: (how["disabled"], how["args"]) for args, how in page.of("button")
             if args[0] != "Remove"}
    assert moves == {
        "move.m1.Left": (True, ("m1", "m1")), "move.m1.Right": (False, ("m1", "m2")),
        "move.m2.Left": (False, ("m2", "m1")), "move.m2.Right": (False, ("m2", "m3")),
        "move.m3.Left": (False, ("m3", "m2")), "move.m3.Right": (True, ("m3", "m3"))}


# --------------------------------------------------------------------------------------- own files


def own_file() -> Own:
    content = b"place,age\n" + b"".join(b"n,%d\n" % (20 + i % 9) for i in range(60))
    return Own(content, sdc.data.catalogue.own_dataset(content, "mine.csv"))


def test_a_link_is_followed_only_if_the_file_can_be_read_as_it_says() -> None:
    own = own_file()
    here = own.in_link()
    assert own_data._is_read_as(own, here) and own_data._is_read_as(own, {})
    assert not own_data._is_read_as(own, {**here, "encoding": "no-such-encoding"})
    assert not own_data._is_read_as(own, {**here, own_data.SCHEMA: "0" * 12})
    assert own.edition == 0 and own.dataset.schema.names == ("place", "age")


@pytest.mark.parametrize(("reading", "offered"), [
    (None, []), (Reading("Parquet"), []), (Reading("CSV", "utf-8", ","), ["Encoding", "Separator"]),
    (Reading("SPSS", "utf-8"), ["Encoding"])])
def test_how_to_read_a_file_is_offered_where_it_can_be_chosen(
    reading: Reading | None, offered: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Recorder()
    monkeypatch.setattr(your_data, "st", page)
    own = types.SimpleNamespace(dataset=types.SimpleNamespace(reading=reading), id="own-1",
                                edition=3)
    your_data._reading(cast(Own, own))
    assert [args[0] for args, _ in page.of("selectbox")] == offered
    assert len(page.of("popover")) == bool(offered)
    for (title, options, place), _ in page.of("selectbox"):
        assert options[place] == {"Encoding": "utf-8", "Separator": ","}[title]


def test_an_unusual_encoding_is_offered_too(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Recorder()
    monkeypatch.setattr(your_data, "st", page)
    own = types.SimpleNamespace(id="own-1", edition=3)
    for now, options in (("b", ["a", "b"]), ("z", ["a", "b", "z"])):
        your_data._choice("encoding", "Encoding", {"a": "A", "b": "B"}, now, cast(Own, own))
        (_, listed, place), how = page.of("selectbox")[-1]
        assert listed == options and listed[place] == now
        assert [how["format_func"](o) for o in ("a", "z")] == ["A", "z"]


def test_data_that_were_chosen_stay_and_a_link_to_others_is_followed() -> None:
    app = opened(None, "../pages/swap_rate.py", unfolded=False)
    assert link(app)["data"] == sdc.data.default_id()  # nobody has chosen yet
    app.query_params["data"] = "tx2019-twin"
    app.run()
    assert link(app)["data"] == "tx2019-twin"
    app.switch_page("../pages/protected.py")
    app.query_params.clear()
    app.run()
    assert link(app)["data"] == "tx2019-twin"


# --------------------------------------------------------------------------------------- what else


def test_another_seed_is_the_next_and_always_one_that_is_allowed() -> None:
    assert [next_seed(seed) for seed in (0, 7, 2**31 - 2, 2**31 - 1)] == [1, 8, 2**31 - 1, 0]
    for limits in (SEED, teach._SEED):
        assert (limits.low, limits.high, limits.default) == (0, 2**31 - 1, 7)


def test_a_click_beside_all_marks_sets_nothing() -> None:
    one = Pick("place", ("n", "s"), "n", "*")
    assert [one.set_by(mark) for mark in (-1, 0, 1, 2)] == [
        {}, {"place": "*"}, {"place": "s"}, {}]
    many = PickSettings(({"a": "1"}, {"b": "2"}))
    assert [many.set_by(mark) for mark in (-1, 0, 1, 2)] == [{}, {"a": "1"}, {"b": "2"}, {}]


def test_on_phones_a_chart_gives_up_the_room_that_it_leaves_empty(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, spare = (Panel("a", pick=Pick("x", ()), spare_on_a_phone=n) for n in (0, 70))
    assert Panel("a").spare_on_a_phone == 0
    for listed, scripts, rules in (([Panel("b")], 0, 0), ([plain], 1, 0), ([plain, spare], 2, 1)):
        page = Recorder()
        monkeypatch.setattr(picking, "st", page)
        picking.prepare(listed)
        bodies = [args[0] for args, _ in page.of("html")]
        assert len(bodies) == scripts
        assert sum(body.count("margin-bottom: -70px") for body in bodies) == rules


def test_pins_move_within_their_list(monkeypatch: pytest.MonkeyPatch) -> None:
    for place, step, order in ((0, -1, "abc"), (0, 1, "bac"), (2, -1, "acb"), (2, 1, "abc")):
        listed = [cast(Pinned, name) for name in "abc"]
        monkeypatch.setattr(pins, "all_pins", lambda listed=listed: listed)
        pins.move(place, step)
        assert "".join(cast(list[str], listed)) == order


@pytest.mark.parametrize(("spent", "share", "said"), [
    (0.5, 0.5, None), (0.9, 0.1, (0.1, "Counting")), (2.0, 0.8, (0.8, "Counting")),
    (2.0, 0.25, (0.25, "Counting, about 6 s left")), (3.1, 0.5, (0.5, "Counting, about 4 s left")),
    (4.0, 1.5, (1.0, "Counting"))])
def test_the_seconds_that_are_left_are_said_once_they_can_be_known(
    spent: float, share: float, said: tuple[float, str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the time spent for the share that is done; a moment's work has no bar at all."""
    clock, places = iter([10.0, 10.0 + spent, 10.0 + spent]), [Recorder(), Recorder()]
    monkeypatch.setattr(progress, "time", types.SimpleNamespace(monotonic=lambda: next(clock)))
    given = iter(places)
    monkeypatch.setattr(progress, "st", types.SimpleNamespace(empty=lambda: next(given)))
    with progress._bar("Counting") as show:
        show(share)
        show(share)
    cancel, bar = places
    assert [args for args, _ in bar.of("progress")] == [said] * 2 * (said is not None)
    assert len(cancel.of("button")) == (said is not None)
    assert len(cancel.of("empty")) == len(bar.of("empty")) == (said is not None)


def test_a_closed_panel_is_on_paper_with_all_that_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Recorder()
    monkeypatch.setattr(paper, "st", page)
    paper.folded(Panel("a", "Only a title"))
    assert page.calls == []
    paper.folded(Panel(
        "b", "Rows & more", "Under it.", TableView(rows(1000)), prose=("Told <b>.",)))
    paper.folded(Panel("c", "Drawn", drawing="<i>x</i>"))
    paper.table(TableView(rows(1001)))
    table, drawn, long = (args[0] for args, _ in page.of("html"))
    assert table.startswith('<div class="on-paper"><h2>Rows &amp; more</h2><p>Told &lt;b&gt;.</p>')
    assert "<p>Under it.</p>" in table and ">group 999<" in table and "The first" not in table
    assert "<i>x</i>" in drawn and "The first 1000 of 1,001 rows" in long


def test_paper_says_where_numbers_come_from_and_what_words_mean(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Recorder()
    monkeypatch.setattr(paper, "st", page)
    found = answer_of(Panel("a", caption="By noise."), headline="Swapping & more.")
    paper.about(found, ("P0", "P1"))
    ((body,), _), = page.of("html")
    assert "<b>Method:</b> P0; P1.</p>" in body and "<b>Settings:</b> people counted by sex" in body
    named = [term.title for term in used_in(["By noise.", "Swapping & more.", "First. More."])]
    assert {"noise", "swapping"} <= set(named)
    for term in GLOSSARY:
        assert (f"<b>{html.escape(term.title)}</b>" in body) == (term.title in named)
    paper.about(Answer("Nothing."), ("P0",))
    assert "Settings:" not in page.of("html")[-1][0][0]


def test_what_was_drawn_is_listed_with_what_it_promises() -> None:
    noise = sdc.mechanism("laplace", epsilon=1)
    table = sdc.Histogram.from_counts([3, 8, 40])
    promised = Entry.of("sex", "noise", noise.guarantee(table), None, 1)
    hidden = Entry.of("age", "hiding", sdc.mechanism("suppression").guarantee(table), None, 1)
    frame = ledger._frame([promised, hidden])
    assert list(frame.columns) == ["Counted by", "Method", "ε", "δ", "ρ"]
    assert frame.iloc[0].tolist() == ["sex", "noise", "1", "0", "0.46"]  # ε tanh(ε/2)
    assert frame.iloc[1, [0, 1, 2, 4]].tolist() == ["age", "hiding", "–", "–"]


def test_an_old_link_means_what_it_meant() -> None:
    full = {"data": "x", "seed": "7", "a": "laplace", "a.epsilon": "1", "b": "none"}
    new, changed = old_links.brought_up_to_date(full, ("a", "b"))
    assert new == {"data": "x", "seed": "7", "m1": "laplace", "m1.epsilon": "1", "m2": "none",
                   "m3": "none", "m4": "none", "domain": "observed"} and not changed
    new, _ = old_links.brought_up_to_date({"data": "x", "seed": "7"}, ("a", "b"))
    assert new == {"data": "x", "seed": "7"}  # not in full: nothing is known about groups
    for zeros, empty, said in (("tt", "left", 0), ("ff", "treated", 0), ("tf", "left", 1)):
        texts = {f"m{i}.keep_zeros": "true" if z == "t" else "false"
                 for i, z in enumerate(zeros, start=1)}
        new, changed = old_links.brought_up_to_date(texts, ())
        assert new == {"empty": empty} and len(changed) == said
        assert old_links.brought_up_to_date({**texts, "empty": "kept"}, ())[0] == {"empty": "kept"}
    for old, now in (("persons", "records"), ("weighted", "represented"), ("other", "other")):
        assert old_links.brought_up_to_date({"map_count": old}, ())[0] == {"count": now}

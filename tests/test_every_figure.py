"""What holds for every chart of every question, whatever its menus are set to: axes run the right
way and hold what is drawn, titles stand where titles stand, marks are told apart, what is pointed
at is there to be read, and menus say what they do.

Each of these was once wrong in a planted fault that no other test noticed.
"""

from __future__ import annotations

import functools
import html
import itertools
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import sdc_core as sdc
from sdc_core.keep import Keep
from sdc_core.mechanisms import FOR_TABLES
from sdc_core.parameters import Choice
from sdc_core.questions import QUESTIONS
from sdc_core.questions.answer import Answer, Panel
from sdc_core.questions.funding import COUNTED
from sdc_core.questions.protected import FAMILIES
from sdc_core.questions.question import Arguments, Given, Question, settle
from sdc_core.questions.work import Work
from tests import shown
from tests.contract import contract, hurry

Drawn = dict[str, Any]
every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.address)
# words in the chart or under it say what is what
IN_WORDS = ("map", "swap-rate", "theorems", "subgroups", "settings")


@functools.cache
def census() -> sdc.Study:
    return sdc.Study(sdc.load_dataset("ma2019-twin"))


@functools.cache
def few_people() -> sdc.Study:
    """Eighty made-up people: pages about single records are quick with them."""
    rng = np.random.default_rng(4)
    age = rng.integers(20, 70, 80)
    return sdc.Study(sdc.load_dataset(pd.DataFrame({
        "age": age, "pay": (900 + 25 * age + rng.normal(0, 150, 80)).round(1),
        "height": rng.normal(170, 9, 80).round(1), "sex": rng.choice(["f", "m"], 80),
    })))


def study_of(question: Question) -> sdc.Study:
    return few_people() if question.section == "Single records" else census()


def settings(question: Question) -> Iterator[dict[str, str]]:
    """As it opens; and every menu at each of its options, all others as they were."""
    given = Given(study_of(question))
    settle(question, given, Arguments({}))
    yield {}
    most = 2 if question.section == "Single records" else 4  # of one menu; these take longer
    for param in given.params.values():
        if isinstance(param, Choice):
            costly = contract(question.address).costly.get(param.name, ())
            others = [c for c in param.choices if c not in (given.values[param.name], *costly)]
            yield from ({param.name: option} for option in others[:most])


def charts(answer: Answer) -> Iterator[tuple[Panel, Drawn]]:
    for panel in answer.panels:
        for figure in panel.figures:
            yield panel, figure.to_dict()


def axes(drawn: Drawn, letter: str) -> Iterator[tuple[str, dict[str, Any], list[float]]]:
    """Name, description and ends of each axis; ends only where they are set and can be measured."""
    for name, axis in drawn["layout"].items():
        if re.fullmatch(rf"{letter}axis\d*", name):
            ends = numbers(axis.get("range") or [])
            yield name, axis, ends if len(ends) == 2 else []


def on(drawn: Drawn, axis: str) -> Iterator[dict[str, Any]]:
    """The traces of an axis."""
    for trace in drawn["data"]:
        if trace.get(f"{axis[0]}axis", axis[0]) == axis.replace("axis", ""):
            yield trace


def numbers(values: Any) -> list[float]:
    """What of an axis can be measured; categories and dates cannot."""
    try:
        found = np.asarray(values, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        return []
    return [float(v) for v in found if math.isfinite(v)]


def axes_run_from_small_to_large(panel: Panel, drawn: Drawn) -> None:
    """To the right and upwards; only rows are counted downwards, the first at the upper end."""
    for letter in "xy":
        for name, _, ends in axes(drawn, letter):
            from_the_top = ends and letter == "y" and -1 < ends[1] < 0 < ends[0]
            if ends and not from_the_top:
                assert ends[0] < ends[1], (name, ends)


def marks_are_within_their_axis(panel: Panel, drawn: Drawn) -> None:
    for letter in "xy":
        for name, axis, ends in axes(drawn, letter):
            if not ends:
                continue
            low, high = sorted(ends)
            if axis.get("type") == "log":
                low, high = 10.0**low, 10.0**high
            slack = 0.02 * (high - low)
            for trace in on(drawn, name):
                if "markers" in trace.get("mode", "") and trace.get("type") == "scatter":
                    seen = numbers(trace.get(letter, []))
                    outside = [v for v in seen if not low - slack <= v <= high + slack]
                    assert not outside, (name, ends, outside[:3])


def plotly_understands_it(panel: Panel, drawn: Drawn) -> None:
    """Every name and every value is one that plotly knows: a length is no colour, a title no
    number. Charts are drawn from plain descriptions, which plotly takes as they are."""
    go.Figure(drawn)


def begins_a_title(text: str) -> bool:
    return bool(re.match(r"[A-ZΑ-Ωδεα“\d‖…]", text))


def titles_are_above_their_notes(panel: Panel, drawn: Drawn) -> None:
    """Titles begin with a capital or a symbol; units, which are notes, do not."""
    texts = [drawn["layout"].get("title", {}).get("text", "")]
    texts += [a.get("text", "") for a in drawn["layout"].get("annotations", [])]
    for text in texts:
        found = re.fullmatch(r"<b>(.+?)</b><br><span style='[^']*'>(.+)</span>", text or "")
        if found:
            assert begins_a_title(html.unescape(found[1])), text


def words_have_no_arrows(panel: Panel, drawn: Drawn) -> None:
    for words in drawn["layout"].get("annotations", []):
        points = "ax" in words and "ay" in words  # an arrow that was meant says how long it is
        assert words.get("showarrow") is False or points, words.get("text")


def words_stand_within_the_axes(panel: Panel, drawn: Drawn) -> None:
    """Words at a place of an axis are at one that is drawn."""
    for letter in "xy":
        for name, _, ends in axes(drawn, letter):
            for words in drawn["layout"].get("annotations", []) if ends else []:
                place = words.get(letter)
                if words.get(f"{letter}ref", letter) == name.replace("axis", "") and (
                        isinstance(place, (int, float))):
                    slack = 0.01 * abs(ends[1] - ends[0])
                    assert min(ends) - slack <= place <= max(ends) + slack, words.get("text")


def lines_are_told_apart(panel: Panel, drawn: Drawn) -> None:
    """Whatever has a name of its own shows it: in a legend, or written into the chart."""
    layout = drawn["layout"]
    named = {t["name"] for t in drawn["data"] if t.get("name") and t.get("showlegend", True)}
    written = " ".join([
        *(str(words.get("text")) for words in layout.get("annotations", [])),
        *(str(t.get(part)) for t in drawn["data"] for part in ("text", "x", "y")), panel.legend,
    ])
    if len(named) > 1 and not layout.get("showlegend") and not panel.name.startswith(IN_WORDS):
        assert not [n for n in named if n not in written and html.unescape(n) not in written]
    if layout.get("showlegend"):
        assert named, "a legend of nothing"


def what_is_pointed_at_is_there(panel: Panel, drawn: Drawn) -> None:
    """Whatever the words under the pointer name, each mark has."""
    for trace in drawn["data"]:
        asked = re.findall(r"%\{(\w+)(?:\[(\d+)\])?", trace.get("hovertemplate") or "")
        for name, place in asked:
            value = np.asarray(trace[name], dtype=object)
            assert value.size, name
            if place:
                assert len(value.reshape(-1, value.shape[-1])[0]) > int(place), (name, place)
        if not asked and not trace.get("hovertemplate"):
            quiet = trace.get("hoverinfo") == "skip" or trace.get("mode") == "text"
            assert quiet or trace.get("hoverinfo"), "plotly's own words would be shown"


def a_colour_bar_is_shown_once(panel: Panel, drawn: Drawn) -> None:
    coloured = [t for t in drawn["data"] if t["type"] == "heatmap" and t.get("showscale", True)]
    assert len(coloured) <= 1
    assert not (coloured and panel.legend), "the legend above shows the colours already"


def zero_is_a_line_where_it_is_a_place(panel: Panel, drawn: Drawn) -> None:
    """Between less and more there is a line at zero; rows, numbered from 0, have none."""
    for letter in "xy":
        for name, axis, ends in axes(drawn, letter):
            if not ends or axis.get("type") == "log":
                continue
            balanced = abs(sum(ends)) < 0.25 * abs(ends[1] - ends[0])
            if balanced and not axis.get("ticktext"):
                assert axis.get("zeroline", True), name
            if letter == "y" and axis.get("tickvals") is not None and (
                    numbers(axis["tickvals"]) == list(range(len(axis["tickvals"])))):
                assert axis.get("zeroline") is False or not axis.get("ticktext"), name


def boxes_show_their_mean(panel: Panel, drawn: Drawn) -> None:
    """It is written above the box, so it is to be seen in it, with every run as a mark."""
    for box in (t for t in drawn["data"] if t["type"] == "box"):
        assert box.get("boxmean") is True and box.get("boxpoints") == "all"


CHECKS: tuple[Callable[[Panel, Drawn], None], ...] = (
    plotly_understands_it, axes_run_from_small_to_large, marks_are_within_their_axis,
    titles_are_above_their_notes, words_have_no_arrows, words_stand_within_the_axes,
    lines_are_told_apart, what_is_pointed_at_is_there, a_colour_bar_is_shown_once,
    zero_is_a_line_where_it_is_a_place, boxes_show_their_mean,
)


HOLES = re.compile(
    r":\s*[.;,]|\(\s*\)|[,;]\s*[,;.]|\s[.,;]|\s{2,}|\bnan\b|(?<=[a-z,(] )None\b|(?<!\.)\.\.(?!\.)")


def holes(answer: Answer) -> Iterator[str]:
    """Places where a sentence lacks what it was to say: `under: .`, `by , and`, `nan people`."""
    texts = [answer.headline, answer.more, *(n.text for n in answer.notices)]
    for panel in answer.panels:
        texts += [panel.title, panel.caption, panel.note, panel.alt, *panel.prose]
        texts += [n.text for n in panel.notices]
    for text in texts:
        for found in HOLES.finditer(text):
            yield f"{found.group()!r} in {text[max(0, found.start() - 60):found.end() + 20]!r}"


@every_question
def test_every_chart_holds_to_the_rules(question: Question) -> None:
    """Whatever the menus are set to; a failure names the rule, the setting and the chart. What one
    setting has computed is kept for the next, as in a visit."""
    wrong, keep = [], Keep()
    for chosen in settings(question):
        try:
            answer = sdc.ask(question.address, study_of(question), chosen, work=Work(keep))
        except sdc.InputError:  # a choice that does not go with the others, and says so
            assert chosen
            continue
        wrong += [f"{chosen}: {hole}" for hole in holes(answer)]
        for (panel, drawn), check in itertools.product(charts(answer), CHECKS):
            try:
                check(panel, drawn)
            except (AssertionError, ValueError, KeyError) as problem:
                wrong.append(f"{check.__name__}, {chosen}, {panel.name}: {str(problem)[:300]}")
        for panel in answer.panels:
            for title, note in re.findall(
                    r'<h3>([^<]+) <span class="note">([^<]+)</span></h3>', str(panel.drawing)):
                if not begins_a_title(html.unescape(title)):
                    wrong.append(f"{chosen}, {panel.name}: {note} stands above {title}")
    assert not wrong, "\n".join(dict.fromkeys(wrong))


@every_question
def test_a_table_of_its_own_does_not_ask_what_to_count_by(
    question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether a page asks by what people are counted is whether that makes a difference."""
    if question.own_data:
        return
    hurry(question.address, monkeypatch)
    usual = study_of(question)
    fewer = sdc.Study(usual.dataset, usual.features[:3])
    here, there = (shown.of(sdc.ask(question.address, one)) for one in (usual, fewer))
    for part in ("code", "provenance"):  # these say how it was asked
        del here[part], there[part]
    assert question.own_table == (here == there), question.address


def test_families_by_their_names() -> None:
    """Which methods are shown is what the segment says."""
    words = {"dp": "DP", "sdc": "Traditional", "dp-sdc": "DP versions", "all": "All"}
    assert dict(FAMILIES) == words
    for family in words:
        table = sdc.ask("protected", census(), family=family).panels[0].table
        assert table is not None
        wanted = {m.title for m in FOR_TABLES if family in ("all", m.family)}
        assert {title for title in wanted if any(title in str(v) for v in table.iloc[:, 0])}
        others = {m.title for m in FOR_TABLES} - wanted
        assert not {t for t in others if (table.iloc[:, 0] == t).any()}, family


def test_what_money_is_counted_by() -> None:
    """`Place and group` counts by two features, `All usual features` by all."""
    for key, words in (("full", "All usual features"), ("small", "Place and group")):
        assert COUNTED[key] == words
        found = sdc.ask("funding", census(), counted=key).provenance
        assert found is not None
        assert (len(found.features) == 2) == (key == "small")

"""Lesson 2: what ε means, with a hundred dots and no formula."""

from __future__ import annotations

import math

import pandas as pd

from sdc_core.figures.theme import FAILURE, MUTED, SHADES
from sdc_core.lessons.lesson import Lesson, Scene, Shown, Step
from sdc_core.mechanisms import mechanism
from sdc_core.questions.answer import Panel, See
from sdc_core.words.numbers import odds_factor, sensible

DOTS = 100
DRAWS = 10_000  # releases that stand behind the last picture
# ε of published censuses: for whom, where it is printed
IN_USE = (
    (19.61, "2020 US census, redistricting files", "Perry, Matloff, Tendick 2024"),
    (52.83, "2020 US census, all its tables about people together, but for a δ of 10⁻¹⁰",
     "Bailie, Gong, Meng 2023"),
)


def surest(epsilon: float) -> float:
    """How sure somebody can become who knows everybody else and thought that your yes or no was a
    toss-up: a table with this ε moves even odds to at most e^ε to one."""
    return 1.0 / (1.0 + math.exp(-epsilon))


def dots(filled: float, color: str, alt: str, per_row: int = 25, number: int = DOTS) -> str:
    """So many dots, the first of them filled; a part of a dot is filled in part."""
    size = 18
    marks = []
    for i in range(number):
        x, y = (i % per_row) * size + size / 2, (i // per_row) * size + size / 2
        share = min(max(filled - i, 0.0), 1.0)
        marks.append(f'<circle cx="{x}" cy="{y}" r="6.5" fill="none" stroke="{MUTED}"/>')
        if share > 0:
            marks.append(f'<circle cx="{x}" cy="{y}" r="{6.5 * math.sqrt(share):.2f}" '
                         f'fill="{color}"/>')
    wide, high = per_row * size, -(-number // per_row) * size
    return (f'<svg role="img" aria-label="{alt}" viewBox="0 0 {wide} {high}" width="{wide}" '
            f'style="max-width:100%">{"".join(marks)}</svg>')


def _dots_text(filled: float) -> str:
    """All of them only if it is all of them: certainty is not reached."""
    said = sensible(filled)
    return f"nearly {said}" if said == str(DOTS) else said


def _factor(epsilon: float) -> str:
    """The odds against one: `1.11`, `2.72`, `485 million`."""
    said = odds_factor(epsilon).removeprefix("a factor of ")
    return sensible(math.exp(epsilon)) if said.endswith("%") else said


def _dots_panel(name: str, title: str, filled: float, color: str) -> Panel:
    alt = f"{_dots_text(filled)} of {DOTS} dots are filled."
    frame = pd.DataFrame({"of": [DOTS], "filled": [filled]})
    return Panel(name, title, drawing=dots(filled, color, alt), make_table=lambda: frame, alt=alt)


_BLUE = SHADES["dp"][0]


def _before(scene: Scene) -> Shown:
    half = DOTS / 2
    return Shown({"dots": str(DOTS), "half": sensible(half)}, None,
                 _dots_panel("dots-before", "Before any table: a toss-up", half, MUTED))


def _after(scene: Scene) -> Shown:
    half, sure = DOTS / 2, DOTS * surest(scene.epsilon)
    return Shown(
        {"epsilon": sensible(scene.epsilon), "dots": str(DOTS), "half": sensible(half),
         "sure": _dots_text(sure)},
        _dots_panel("dots-toss-up", "Before the table", half, MUTED),
        _dots_panel("dots-after", "After the table, at worst", sure, _BLUE),
    )


def _odds(scene: Scene) -> Shown:
    values = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0, scene.epsilon)
    frame = pd.DataFrame([
        {"ε": value, "even odds become at most": f"{_factor(value)} to 1",
         "of 100 dots": _dots_text(DOTS * surest(value))} for value in sorted(set(values))
    ])
    return Shown(
        {"epsilon": sensible(scene.epsilon), "factor": _factor(scene.epsilon),
         "dots": str(DOTS), "tenth": sensible(DOTS * surest(0.1)),
         "four": sensible(DOTS * surest(4.0))},
        None, _table("odds", "Betting odds", frame),
    )


def _in_use(scene: Scene) -> Shown:
    rows = [(1.0, "often called small", ""), (4.0, "often used in companies", ""), *IN_USE]
    frame = pd.DataFrame([
        {"ε": epsilon, "where": where, "even odds become at most": f"{math.exp(epsilon):,.0f} to 1",
         "not filled, of 100 dots": f"{DOTS * (1 - surest(epsilon)):.2g}", "printed in": source}
        for epsilon, where, source in rows
    ])
    least, most = IN_USE[0][0], IN_USE[1][0]
    return Shown(
        {"least": sensible(least), "most": sensible(most),
         "odds": f"{math.exp(least):,.0f}", "many": sensible(most / scene.epsilon),
         "epsilon": sensible(scene.epsilon)},
        None, _table("in-use", "The same scale for numbers in use", frame),
        See("swap_rate", "Which ε a swap rate buys"),
    )


def _table(name: str, title: str, frame: pd.DataFrame) -> Panel:
    text = frame.to_html(index=False, border=0, escape=True, classes="seven")
    style = ("<style>.seven { border-collapse: collapse; font-variant-numeric: tabular-nums; } "
             ".seven td, .seven th { padding: .2rem 1rem .2rem 0; text-align: left; "
             "border-bottom: 1px solid rgb(128 128 128 / .3); }</style>")
    alt = "; ".join(", ".join(map(str, row)) for row in frame.itertuples(index=False, name=None))
    return Panel(name, title, drawing=style + text, make_table=lambda: frame, alt=alt)


def _delta(scene: Scene) -> Shown:
    noise = mechanism("discrete-gaussian", epsilon=scene.epsilon)
    found = noise.guarantee()
    beyond = (found.exceeds or 0.0) * DRAWS
    dots_beyond = DOTS * beyond / DRAWS
    alt = f"{sensible(dots_beyond)} of {DOTS} dots are red."
    frame = pd.DataFrame({"δ": [found.delta_tight], "chance that the loss is above ε":
                          [found.exceeds]})
    panel = Panel("dots-beyond", "Red: tables that give away more than ε",
                  drawing=dots(dots_beyond, FAILURE, alt), make_table=lambda: frame, alt=alt)
    return Shown(
        {"epsilon": sensible(scene.epsilon), "delta": sensible(found.delta_tight),
         "beyond": sensible(beyond), "draws": f"{DRAWS:,}"}, None, panel,
        See("delta_epsilon", "Both, for every method"),
    )


LESSON = Lesson(
    "epsilon", "What ε means",
    "To say in one's own words what ε limits, what it does not, and why a large one promises "
    "little.",
    (
        Step("A toss-up", "Somebody wants to know whether you said yes or no. They know what "
             "everybody else said, but nothing about you. Picture {dots} dots, one for each way "
             "things could be: in how many did you say yes?",
             "How many dots would you fill if you knew nothing?",
             "Half of them: {half} of {dots}. It is a toss-up.", _before, 5),
        Step("After the table", "Now a table is published, with noise set by ε = {epsilon}. It "
             "was computed from everybody's answers, yours included.",
             "How many dots can they fill now, at the very worst?",
             "{sure} of {dots}, instead of {half}: never more, whatever else they know. Move the "
             "slider: with a small ε it stays close to a toss-up, with a large one nearly all "
             "dots fill.",
             _after, 12, tunes=True),
        Step("Betting odds", "The same, said as a bet. Before the table the odds were even.",
             "At which odds would a fair bet stand after the table?",
             "At most {factor} to one, for ε = {epsilon}. With a tenth of an ε, {tenth} of {dots} "
             "dots; with an ε of four, {four}.", _odds, 8, tunes=True),
        Step("Numbers in use", "Real tables have an ε, too. Here are two that are in print, "
             "beside smaller ones.",
             "What does the larger of them promise to you?",
             "With ε = {least} the odds may grow to {odds} to one, with {most} beyond words: "
             "{many} times the ε of this lesson. Such a promise excludes almost nothing; whether "
             "tables are safe in practice is then another question.", _in_use, 10, tunes=True),
        Step("When it goes beyond", "Some kinds of noise keep to ε only nearly always. The dots "
             "are all tables that could come out, the red ones those that give away more.",
             "Is the slack, δ, the share of red dots?",
             "No. Of {draws} tables, {beyond} go beyond ε = {epsilon}; δ = {delta} counts only the "
             "part of them that goes beyond, so it is smaller. Ask which of the two somebody "
             "means.", _delta, 10, tunes=True),
    ),
)

"""Lesson 2: what ε means, with a hundred dots and no formula."""

from __future__ import annotations

import math

import pandas as pd

from sdc_core.figures.theme import FAILURE, MUTED, SHADES
from sdc_core.lessons.drawings import dots, table_panel
from sdc_core.lessons.lesson import Lesson, Scene, Shown, Step
from sdc_core.mechanisms import mechanism
from sdc_core.questions.answer import Panel, See
from sdc_core.words.numbers import NO_LIMIT, odds_factor, sensible

DOTS = 100
DRAWS = 10_000  # releases that stand behind the last picture
LOW, HIGH = 0.1, 4.0  # an ε that promises much and one that promises little
# ε of published censuses: for whom, where it is printed
IN_USE = (
    (19.61, "2020 US census, files for drawing voting districts", "Perry, Matloff, Tendick 2024"),
    (52.83, "2020 US census, those and the tables on people and housing (δ of 10⁻¹⁰)",
     "Bailie, Gong, Meng 2023"),
)


def surest(epsilon: float) -> float:
    """How sure somebody can become who knows everybody else and thought that your yes or no was a
    toss-up: a table with this ε moves even odds to at most e^ε to one."""
    return 1.0 / (1.0 + math.exp(-epsilon))


def dots_text(epsilon: float) -> str:
    """So many of the hundred dots; never all, where a part of one is left."""
    text = sensible(DOTS * surest(epsilon))
    if text != str(DOTS):
        return text
    finer = f"{DOTS * surest(epsilon):.2f}"
    return finer if float(finer) < DOTS else f"nearly {DOTS}"


def odds_text(epsilon: float) -> str:
    """What even odds become at most, to one: `1.11`, `54.6`, `328 million`, `9 × 10²²`."""
    factor = math.exp(epsilon)
    return sensible(factor) if factor < NO_LIMIT else (
        odds_factor(epsilon).removeprefix("a factor of "))


def few(number: float) -> str:
    return sensible(number) if number >= 0.001 else "fewer than 0.001"


_BLUE = SHADES["dp"][0]
_PURPLE = "#7B4FB5"


def _dots_panel(name: str, title: str, filled: float, color: str) -> Panel:
    alt = f"{sensible(filled)} of {DOTS} dots are filled."
    frame = pd.DataFrame({"of": [DOTS], "filled": [filled]})
    return Panel(name, title, drawing=dots([(filled, color)], DOTS, alt), make_table=lambda: frame,
                 alt=alt)


def _before(scene: Scene) -> Shown:
    half = DOTS / 2
    return Shown({"dots": str(DOTS), "half": sensible(half)},
                 _dots_panel("dots-empty", "Which of them are yes?", 0, MUTED),
                 _dots_panel("dots-before", "Before any table: a toss-up", half, MUTED))


def _after(scene: Scene) -> Shown:
    half = DOTS / 2
    return Shown(
        {"epsilon": sensible(scene.epsilon), "dots": str(DOTS), "half": sensible(half),
         "sure": dots_text(scene.epsilon)},
        _dots_panel("dots-toss-up", "Before the table", half, MUTED),
        _dots_panel("dots-after", "After the table, at worst", DOTS * surest(scene.epsilon), _BLUE),
    )


def _odds(scene: Scene) -> Shown:
    values = sorted({LOW, 0.5, 1.0, 2.0, HIGH, 8.0, scene.epsilon})
    frame = pd.DataFrame({
        "ε": [sensible(value) for value in values],
        "even odds become at most": [f"{odds_text(value)} to 1" for value in values],
        f"of {DOTS} dots": [dots_text(value) for value in values],
    })
    return Shown(
        {"epsilon": sensible(scene.epsilon), "factor": odds_text(scene.epsilon),
         "dots": str(DOTS), "low": sensible(LOW), "high": sensible(HIGH),
         "low_dots": dots_text(LOW), "high_dots": dots_text(HIGH)},
        _dots_panel("dots-even", "Even odds: as many dots for yes as for no", DOTS / 2, MUTED),
        table_panel("odds", "Betting odds", frame),
    )


def _in_use(scene: Scene) -> Shown:
    rows = [(scene.epsilon, "the slider of this lesson", ""), *IN_USE]
    named = pd.DataFrame({"ε": [f"{epsilon:g}" for epsilon, _, _ in rows],
                          "where": [where for _, where, _ in rows]})
    frame = named.assign(**{
        "even odds become at most": [f"{odds_text(epsilon)} to 1" for epsilon, _, _ in rows],
        f"of {DOTS} dots": [dots_text(epsilon) for epsilon, _, _ in rows],
        "printed in": [source for _, _, source in rows],
    })
    least, most = IN_USE[0][0], IN_USE[1][0]
    return Shown(
        {"least": f"{least:g}", "most": f"{most:g}", "odds": odds_text(least),
         "digits": str(len(f"{math.exp(most):.0f}"))},
        table_panel("in-use-before", "Numbers in print", named),
        table_panel("in-use", "The same scale for numbers in use", frame,
                    "Both keep to their ε only nearly always: the next step is about that."),
        See("swap_rate", "Which ε a swap rate buys"),
    )


def _delta(scene: Scene) -> Shown:
    found = mechanism("discrete-gaussian", epsilon=scene.epsilon).guarantee()
    beyond, slack = (found.exceeds or 0.0) * DRAWS, found.delta_tight * DRAWS
    return Shown(
        {"epsilon": sensible(scene.epsilon), "delta": few(slack), "beyond": few(beyond),
         "draws": f"{DRAWS:,}"},
        _beyond_panel("dots-beyond-before", [(beyond, FAILURE, "red")],
                      "Red: tables that give away more than ε"),
        _beyond_panel("dots-beyond", [(slack, _PURPLE, "purple"), (beyond - slack, FAILURE, "red")],
                      "Purple and red: tables that give away more than ε. Purple alone: δ"),
        See("delta_epsilon", "Both, for every method"),
    )


def _beyond_panel(name: str, parts: list[tuple[float, str, str]], title: str) -> Panel:
    said = " and ".join(f"{few(number)} are {word}" for number, _, word in parts)
    alt = f"Of {DRAWS:,} dots {said}."
    frame = pd.DataFrame([{"colour": word, "dots": number} for number, _, word in parts])
    drawn = dots([(number, color) for number, color, _ in parts], DRAWS, alt)
    return Panel(name, title, drawing=drawn, make_table=lambda: frame, alt=alt)


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
        Step("After the table", "Now a table is published, computed from everybody's answers, "
             "yours included. Noise was added to it; how much is set by a number called ε "
             "(epsilon), here {epsilon}.",
             "How many dots can they fill now, at the very worst?",
             "They can fill {sure} of {dots}, instead of {half}, and never more, whatever they "
             "know about everybody else. Move the slider: with a small ε it stays close to a "
             "toss-up, with a large one nearly all dots fill.",
             _after, 12, tunes=True),
        Step("Betting odds", "The same, said as a bet. Before the table the odds were even: one "
             "to one.",
             "What is a fair bet after the table, at worst?",
             "At most {factor} to one, for ε = {epsilon}. With an ε of {low}, {low_dots} of "
             "{dots} dots are filled at most; with an ε of {high}, {high_dots}.",
             _odds, 8, tunes=True),
        Step("Numbers in use", "Real tables have an ε, too. Here are two that are in print.",
             "What does the larger of them promise to you?",
             "Almost nothing by itself: with ε = {least} the odds may grow to {odds} to one, with "
             "ε = {most} to a number of {digits} digits. Such a promise rules out next to "
             "nothing; whether the tables are safe in practice is another question.",
             _in_use, 10, tunes=True),
        Step("When it goes beyond", "Some kinds of noise keep to ε only nearly always. Each dot "
             "is one of {draws} tables that could come out, in the worst case; red ones give away "
             "more than ε = {epsilon} allows.",
             "Beside ε, such methods name a slack, δ (delta). Is δ the share of red dots?",
             "No. On average {beyond} of {draws} tables go beyond ε, and δ stands for {delta} of "
             "{draws}: it counts each of them only by how far it goes beyond, so it is smaller. "
             "Whoever quotes a δ should say which of the two is meant.", _delta, 10, tunes=True),
    ),
)

"""How far off the numbers of a published table are in each way: every mean against a law that is
worked out here, number by number."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import laplace

import sdc_core as sdc
from sdc_core.figures.theme import MUTED
from sdc_core.margins.cell_key import PTable
from sdc_core.margins.table import Axis, MarginTable, with_totals
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.questions.answer import Answer
from sdc_core.questions.published_tables.against import chance_below, limits, mean_of_sum
from sdc_core.questions.published_tables.compute import row_axis
from tests.reading import only
from tests.test_question_published_tables import (
    ADDED,
    ALL,
    AMOUNTS,
    CHOSEN,
    HIDDEN,
    INNER,
    PEOPLE,
    PLACES,
    TOWNS,
    asked,
    earners,
    frame,
    numbers,
    people,
    possible,
    sums,
    ways,
)


def means(found: Answer, off: dict[tuple[str, str], float]) -> tuple[float, float, float]:
    """The mean over inner numbers, all, and the hidden ones."""
    hidden = frame(found)["published"].isna()
    inner = [v for (row, column), v in off.items() if ", " in row and column != "Total"]
    assert len(inner) == 12
    return (float(np.mean(inner)), float(np.mean(list(off.values()))),
            float(np.mean([v for one, v in off.items() if hidden[one]])))


def is_off(found: Answer, way: str, off: dict[tuple[str, str], float]) -> None:
    row = ways(found).loc[way]
    assert (row[INNER], row[ALL], row[HIDDEN]) == pytest.approx(means(found, off), rel=1e-6), way


def test_a_reader_who_takes_the_middle() -> None:
    found = asked()
    rows, true = frame(found), numbers()
    ends = possible(set(rows.index[rows["published"].isna()]))
    off = {one: abs(sum(ends[one]) / 2 - true[one]) for one in true}
    is_off(found, "Hide, reader takes the middle", off)


def test_shares_and_errors_are_of_the_same_numbers() -> None:
    """Nobody red lives in flats: of 28 numbers 24 are above 0, and of twelve inner ones nine."""
    counts = PEOPLE.copy()
    counts[2] = 0
    found, true = asked(people(counts)), numbers(counts)
    off = {one: rounded_noise(value, 2 * 5) for one, value in true.items() if value}
    off["Total", "Total"] = 0.0
    row = ways(found).loc["Noise on every number"]
    assert len(off) == 24 and row["of"] == "numbers above 0"
    assert row[ALL] == pytest.approx(np.mean(list(off.values())))
    assert row[INNER] == pytest.approx(np.mean([
        v for (line, column), v in off.items() if ", " in line and column != "Total"]))
    treated = ways(asked(people(counts), "treated")).loc["Noise on every number"]
    zeros = [rounded_noise(0, 2 * 5)] * 4
    assert treated["of"] == "numbers"
    assert treated[ALL] == pytest.approx(np.mean([*off.values(), *zeros]))


def rounded_noise(count: int, scale: float) -> float:
    """E|max(round(x + L), 0) - x|, from the chances of every whole result."""
    near = np.arange(-400, 401) + count
    chances = np.diff(laplace.cdf(np.r_[near - 0.5, near[-1] + 0.5] - count, scale=scale))
    return float(chances @ np.abs(np.maximum(near, 0) - count))


def test_noise_on_every_number_has_a_fifth_of_epsilon_each() -> None:
    """Inner numbers, subtotals by town, rows, totals of colours, totals of towns: five kinds. The
    number of all is known."""
    found = asked(pub_epsilon=2.0)
    off = {one: rounded_noise(value, 2 / (2.0 / 5)) for one, value in numbers().items()}
    off["Total", "Total"] = 0.0
    is_off(found, "Noise on every number", off)
    assert f"(ε = 2) is off by {means(found, off)[1]:.2f} people a number" in found.first


def of_sum(number: int, scale: float, bias: float = 0.0) -> float:
    """E|b + X₁ + ... + Xₙ| by the characteristic function cos(bt) (1 + s²t²)⁻ⁿ."""
    def at(t: float) -> float:
        return (1 - math.cos(bias * t) * (1 + scale**2 * t**2) ** -number) / t**2

    edges = [0.0, *np.geomspace(0.01, 0.1, 5) / max(scale, bias),
             *np.linspace(0.2, 100, 300) / max(scale, bias)]
    parts = sum(quad(at, max(low, 1e-9 / scale), high)[0]
                for low, high in itertools.pairwise(edges))
    tail = 1 / edges[-1]  # of 1 / t²; what is taken from it there is nothing beside it
    return 2 / math.pi * (parts + tail)


def sum_below(number: int, scale: float, value: float) -> float:
    """P(x + X₁ + ... + Xₙ < 0), inverted from the same function (Gil-Pelaez)."""
    def at(t: float) -> float:
        return math.sin(value * t) / t * (1 + scale**2 * t**2) ** -number

    edges = np.arange(0, 100 / scale, 3 / max(scale, value))
    return 0.5 - sum(quad(at, low, high)[0] for low, high in itertools.pairwise(edges)) / math.pi


def test_noise_that_is_added_up_is_a_sum() -> None:
    parts = {(row, column): len(ADDED[row]) * len(PLACES[column]) for row, column in numbers()}
    off = {one: of_sum(number, 2 / 0.5) for one, number in parts.items()}
    below = {one: sum_below(parts[one], 2 / 0.5, value) for one, value in numbers().items()}
    off["Total", "Total"] = below["Total", "Total"] = 0.0
    found = asked(pub_epsilon=0.5)
    is_off(found, "Noise on inner numbers, added up", off)
    share = ways(found)["share below 0, zeros included"]
    assert share["Noise on inner numbers, added up"] == pytest.approx(
        np.mean(list(below.values())), rel=1e-3)
    assert (share.drop("Noise on inner numbers, added up") == 0).all()


@pytest.mark.parametrize(("number", "bias"), [(1, 0.0), (1, 3.0), (2, 0.7), (15, 4.0), (90, 40.0)])
def test_sums_of_noise_by_their_law(number: int, bias: float) -> None:
    """The mean and the chance, of many terms and beside what is cut off."""
    of, beside = np.array([number]), np.array([bias])
    assert mean_of_sum(of, beside)[0] == pytest.approx(of_sum(number, 1.0, bias), rel=1e-3)
    assert chance_below(of, beside)[0] == pytest.approx(
        sum_below(number, 1.0, bias), rel=1e-3, abs=1e-5)


def test_rounding_and_lottery_by_their_laws() -> None:
    found, true = asked(), numbers()
    for base in (3, 5):
        off = {}
        for one, value in true.items():
            above = value % base
            up = above / base  # right on average
            off[one] = up * (base - above) + (1 - up) * above
        is_off(found, f"Round to multiples of {base}", off)
    lottery = PTable(5, 3.0, 2)
    off = {}
    for one, value in true.items():
        chances = lottery.chances[min(value, lottery.alike_from)]
        off[one] = sum(float(p) * abs(int(s)) for p, s in zip(chances, lottery.shifts, strict=True))
    is_off(found, "Shift by cell keys", off)


@pytest.mark.parametrize("epsilon", [1.0, 0.2])
def test_topdown_is_drawn_and_added_up(epsilon: float) -> None:
    data = people()
    counts = data.histogram(["town", "colour", "shape"])
    noise = mechanism("topdown", epsilon=epsilon, geography=("town",))
    true, rows = numbers(), []
    found = sdc.ask(
        "published_tables", sdc.Study(data, seed=4), {**CHOSEN, "pub_epsilon": epsilon})
    for release in range(20):
        drawn = noise.draw_tables(counts, [repetition_rng(4, release)])[0].reshape(3, 4).T
        got = numbers(drawn)
        rows.append(means(found, {one: abs(got[one] - true[one]) for one in true}))
    row = ways(found).loc["Noise that adds up"]
    average, spread = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1)
    assert (row[INNER], row[ALL], row[HIDDEN]) == pytest.approx(tuple(average))
    assert row["standard error, all numbers"] == pytest.approx(spread[1] / math.sqrt(20))
    assert row["releases"] == 20


def test_the_chart_shows_the_frame() -> None:
    found = asked()
    chart, table = only(found.panel("published-off")), ways(found)
    marks, legend = chart.data[:3], chart.data[3:]
    assert [t.name for t in marks] == ["all numbers", "inner numbers", "hidden numbers"]
    assert [t.name for t in legend] == [t.name for t in marks]
    for trace, column in zip(marks, (ALL, INNER, HIDDEN), strict=True):
        assert list(trace.x) == pytest.approx(table[column].tolist())
        assert [name.replace("<br>", " ") for name in trace.y] == list(table.index)
    errors = chart.data[0].error_x.array
    assert list(errors) == pytest.approx(
        [2 * e or None for e in table["standard error, all numbers"]])  # none where it is exact
    for trace, key in zip(marks, legend, strict=True):  # a shape of all methods, in grey
        assert (key.marker.symbol, key.marker.color) == (trace.marker.symbol, MUTED)
        assert key.legendgroup == trace.legendgroup and trace.showlegend is False
        assert trace.marker.symbol.split("-")[0] not in ("x", "circle")  # signs of the table


def limited(one: float, limit: float = 100.0) -> float:
    return min(max(one + 0.25, 0.0), limit)


def test_noise_on_sums_pays_for_what_one_may_count_with() -> None:
    """Six kinds of sums, two of each but the sum of all move by 100 at most: 2 × 5 × 100 / ε. What
    is cut off moves each sum, and noise is on top of it; inner sums alone move by twice 100."""
    found = asked(earners(), pub_what="wage", pub_limit=100.0, pub_epsilon=3.0)
    table, true = frame(found), sums()
    kept, parts = dict.fromkeys(true, 0.0), dict.fromkeys(true, 0)
    for (town, colour, shape), every in AMOUNTS.items():
        for row in ("Total", colour, f"{colour}, {shape}"):
            for column in ("Total", town):
                kept[row, column] += sum(map(limited, every))
                parts[row, column] += 1
    cut = {one: true[one] - kept[one] for one in true}
    assert len(table) == len(cut) == 21
    for way, scale, number in (
        ("Noise on every number", 2 * 5 * 100 / 3.0, dict.fromkeys(true, 1)),
        ("Noise on inner numbers, added up", 2 * 100 / 3.0, parts),
    ):
        row = ways(found).loc[way]
        assert row[ALL] == pytest.approx(
            np.mean([of_sum(number[one], scale, cut[one]) for one in true]), rel=1e-3)
        assert row["cut off, all numbers"] == pytest.approx(np.mean(list(cut.values())))
        assert row["noise alone, all numbers"] == pytest.approx(
            np.mean([of_sum(number[one], scale) for one in true]), rel=1e-3)
        assert row["share below 0, zeros included"] == pytest.approx(
            np.mean([sum_below(number[one], scale, kept[one]) for one in true]), rel=1e-3)
    chart = only(found.panel("published-off"))
    (trace,) = [t for t in chart.data if t.name == "cut off alone" and t.showlegend is False]
    assert list(trace.x)[1:] == pytest.approx([np.mean(list(cut.values()))] * 2)
    amounts = [one for every in AMOUNTS.values() for one in every]
    share = 100 * np.mean([one + 0.25 > 100 for one in amounts])
    assert f"nobody counts with more than 100: {share:.3g}% of the amounts" in " ".join(
        found.panel("published-off").prose)


def test_all_sums_together_move_by_ten_limits_at_most() -> None:
    """Everybody who could be there instead of everybody, by hand: with 0, half or all of 100, in
    any two of the eight inner sums."""
    table = MarginTable.of_leaves(
        (row_axis(people().histogram(["town", "colour", "shape"])),
         Axis.flat("town", "town", TOWNS, TOWNS)), np.zeros(12))
    alone = [with_totals(table.axes, amount * np.eye(12)[cell])
             for cell in range(12) for amount in (0.0, 50.0, 100.0)]
    most = max(float(np.abs(one - other).sum()) for one in alone for other in alone)
    assert most == 100 * limits(table) == 1000


def test_what_is_promised_is_said_as_far_as_it_goes() -> None:
    """A limit that was read off the data promises nothing; one of the dictionary does. Counts are
    noisy beside a number of people that is published as it is."""
    sure = asked().tables()["published-learnt"]
    assert (sure["promise"] == "none").sum() == 4
    noisy = sure[sure["promise"].str.startswith("ε")]["an attacker learns"]
    assert len(noisy) == 3 and noisy.str.endswith("; besides, the number of people").all()
    data = earners()
    declared = data.with_schema(sdc.Schema(tuple(
        replace(c, edges=(50.0, 100.0), declared=True) if c.name == "wage" else c
        for c in data.schema)))
    unless = "ε = 1, if the limit was not taken from these data"
    for chosen, limit, said in ((data, 180.0, unless), (declared, 200.0, "ε = 1"),
                                (declared, 150.0, unless)):
        found = asked(chosen, pub_what="wage", pub_limit=limit)
        assert f"({said})" in found.first
        table = found.tables()["published-learnt"]
        assert list(table["promise"])[1:] == [said] * 2
        assert list(table["an attacker learns"])[1:] == ["about one person, what ε allows"] * 2

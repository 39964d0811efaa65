"""Published tables: sentences, table, bars and frames, read back against a table made by hand.

What is possible for a hidden number is worked out here once more, by linear programs of our own.
"""

from __future__ import annotations

import html
import math
import re
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog

import sdc_core as sdc
from sdc_core.data.schema import Role, Type
from sdc_core.figures.theme import FAILURE, MUTED
from sdc_core.margins.attack import Intervals
from sdc_core.margins.hide import Hiding, hide
from sdc_core.margins.rules import Sensitive
from sdc_core.margins.table import MarginTable
from sdc_core.questions import published_tables as page
from sdc_core.questions.answer import Answer
from sdc_core.questions.published_tables.compute import seconds_for
from sdc_core.questions.published_tables.figures import can_be, outwards
from sdc_core.questions.work import Work
from sdc_core.report.picture import picture
from sdc_core.words.numbers import percent
from tests.contract import Contract
from tests.hover import hover
from tests.reading import only

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=(),
    controls=("pub_columns", "pub_first", "pub_second", "pub_what", "pub_k", "pub_method",
              "pub_epsilon"),
    columns={
        "published": ("row", "column", "published", "status", "at least", "at most"),
        "published-undone": ("hidden", "computed back", "known too closely", "safe"),
        "published-groups": (
            "group", "numbers", "hidden, say too much", "hidden, protect others", "share hidden",
            "share in hidden inner numbers"),
        "published-off": (
            "way", "of", "off by, inner numbers", "off by, all numbers", "off by, hidden numbers",
            "standard error, all numbers", "releases", "share below 0, zeros included"),
        "published-learnt": ("way", "adds up", "promise", "an attacker learns"),
    },
)

TOWNS, ROWS = ("Ash", "Birch", "Cedar"), (
    ("blue", "flat"), ("blue", "round"), ("red", "flat"), ("red", "round"))
PEOPLE = np.array([[3, 4, 11], [1, 5, 20], [2, 9, 8], [12, 15, 10]])  # the rows, by town
# Each row of the printed table: which of the four above are added up, in order.
ADDED = {"Total": (0, 1, 2, 3), "blue": (0, 1), "blue, flat": (0,), "blue, round": (1,),
         "red": (2, 3), "red, flat": (2,), "red, round": (3,)}
PLACES = {"Total": (0, 1, 2), "Ash": (0,), "Birch": (1,), "Cedar": (2,)}


def people(counts: Any = PEOPLE, rows: Any = ROWS, towns: Any = TOWNS) -> sdc.Dataset:
    who = [(town, *row) for i, row in enumerate(rows) for j, town in enumerate(towns)
           for _ in range(counts[i][j])]
    return sdc.load_dataset(pd.DataFrame(who, columns=["town", "colour", "shape"]))


CHOSEN = {"pub_columns": "town", "pub_first": "colour", "pub_second": "shape"}


def asked(data: sdc.Dataset | None = None, empty: str = "left", **controls: Any) -> Answer:
    study = sdc.Study(data or people(), empty_groups=empty)
    return sdc.ask("published_tables", study, {**CHOSEN, **controls})


def numbers(counts: Any = PEOPLE) -> dict[tuple[str, str], int]:
    """Every number of the printed table, added up by hand."""
    return {(row, column): int(np.array(counts)[np.ix_(which, where)].sum())
            for row, which in ADDED.items() for column, where in PLACES.items()}


def frame(answer: Answer) -> pd.DataFrame:
    return answer.tables()["published"].set_index(["row", "column"])


def possible(
    hidden: set[tuple[str, str]], least: float = 1.0
) -> dict[tuple[str, str], tuple[float, float]]:
    """The least and largest of every number in any table that agrees with all that is shown, and
    where whatever is hidden is at least `least`: over the twelve inner numbers, all else being sums
    of them."""
    true, shown = numbers(), []
    sums: dict[tuple[str, str], Any] = {}
    for (row, column) in true:
        picks = np.zeros(PEOPLE.shape)
        picks[np.ix_(ADDED[row], PLACES[column])] = 1
        sums[row, column] = picks.ravel()
        if (row, column) not in hidden:
            shown.append((row, column))
    equal = np.array([sums[one] for one in shown])
    right = np.array([true[one] for one in shown])
    inner = [one for one in sums if ", " in one[0] and one[1] != "Total"]
    order = sorted(inner, key=lambda one: int(np.argmax(sums[one])))
    bounds = [(least if one in hidden else 0.0, None) for one in order]
    return {
        one: (linprog(picks, A_eq=equal, b_eq=right, bounds=bounds).fun,
              -linprog(-picks, A_eq=equal, b_eq=right, bounds=bounds).fun)
        for one, picks in sums.items()}


def cells(answer: Answer) -> dict[tuple[str, str], str]:
    """What stands in each cell of the drawn table, rows by the names of the group and its part."""
    drawn = str(answer.panels[0].drawing)
    columns = re.findall(r'<th scope="col">(.*?)</th>', drawn)
    out: dict[tuple[str, str], str] = {}
    group = ""
    for kind, name, line in re.findall(
            r'<tr class="(\w+)"><th scope="row">(.*?)</th>(.*?)</tr>', drawn):
        group = name if kind == "group" else group
        shown = [re.sub("<[^>]*>", "", cell.replace("<span>", "|"))
                 for cell in re.findall(r"<td[^>]*>(.*?)</td>", line)]
        row = f"{group}, {name}" if kind == "part" else name
        out |= {(row, column): text for column, text in zip(columns, shown, strict=True)}
    return out


def says_too_much(answer: Answer) -> set[tuple[str, str]]:
    return {one for one, text in cells(answer).items() if text.startswith("×")}


SMALL = {("blue", "Ash"), ("blue, flat", "Ash"), ("blue, flat", "Birch"), ("blue, round", "Ash"),
         ("blue, round", "Birch"), ("red, flat", "Ash")}


def ways(answer: Answer) -> pd.DataFrame:
    return answer.tables()["published-off"].set_index("way")


INNER, ALL, HIDDEN = (f"off by, {kind} numbers" for kind in ("inner", "all", "hidden"))


def test_what_totals_give_away_is_what_follows_by_hand() -> None:
    """Red flat in Ash is 19 - 9 - 8, blue in Ash 18 - 14: known. The four others stand crosswise in
    rows of 7 and 6 and columns of 4 and 9: with nobody nowhere each can move by 2 in all, but
    should by 6."""
    assert {one for one, value in numbers().items() if value < 6} == SMALL
    found = asked()
    table = found.tables()["published-undone"].set_index("hidden")
    assert table.loc["only × hidden"].tolist() == [2, 4, 0]
    assert table.loc["× and ○ hidden"].tolist() == [0, 0, 6]
    assert ("If only the small counts were hidden, 2 of the 6 could be computed back from the "
            "totals, both by subtraction; 4 would be known too closely.") in found.first
    ends = possible(SMALL)
    assert ends["red, flat", "Ash"] == pytest.approx((2, 2))
    assert ends["blue, flat", "Birch"] == pytest.approx((4, 6))
    chart = only(found.panels[1])
    assert {t.name: tuple(t.x) for t in chart.data} == {
        "computed back": (2, 0), "known too closely": (4, 0), "safe": (0, 6)}
    assert "2 would be computed back, 4 known too closely, 0 safe" in found.panels[1].alt


def test_who_sees_every_zero_knows_that_somebody_is_hidden() -> None:
    """Four ones crosswise in rows and columns of 2: whoever knows that none is 0 knows all four,
    without a sum that has one unknown. Where zeros are hidden as well each is 0 to 2."""
    data = people([[1, 1, 11], [1, 1, 20], [9, 9, 8], [12, 15, 10]])
    seen, unseen = (asked(data, empty, pub_k=2) for empty in ("left", "treated"))
    for found, row in ((seen, [4, 0, 0]), (unseen, [0, 0, 4])):
        table = found.tables()["published-undone"].set_index("hidden")
        assert table.loc["only × hidden"].tolist() == row
    assert "all 4 could be computed back from the totals, 0 of them" not in seen.first
    assert seen.first.startswith(
        "If only the small counts were hidden, all 4 could be computed back from the totals")


@pytest.mark.parametrize("method", ["best", "heuristic"])
def test_what_is_said_of_hidden_numbers_is_what_they_can_be(method: str) -> None:
    asked_for = asked(pub_method=method)
    found = frame(asked_for)
    hidden = set(found.index[found["published"].isna()])
    assert hidden > SMALL
    for one, (low, high) in possible(hidden).items():
        row = found.loc[one]
        assert row["at least"] == pytest.approx(math.floor(low + 1e-6)), one
        assert row["at most"] == pytest.approx(math.ceil(high - 1e-6)), one
        if one in SMALL:
            assert high - low >= 6 - 1e-6, one
    assert (found["status"] == np.where(found["published"].isna(), "hidden", "shown")).all()
    assert says_too_much(asked_for) == SMALL
    true = numbers()
    assert all(found.loc[one, "published"] == true[one] for one in true.keys() - hidden)


def test_groups_that_lose_all_are_counted_and_noise_below_zero_is_told_further_down() -> None:
    """On the twin of Massachusetts three races are too small for a single number."""
    found = sdc.ask("published_tables", sdc.Study(sdc.load_dataset("ma2019-twin")))
    groups = found.tables()["published-groups"]
    lost = int((groups["share hidden"] == groups["share hidden"].max()).sum())
    assert groups["share hidden"].max() in (1, 100) and lost > 1
    assert found.headline.endswith(f"; {lost} groups lose all of theirs.")
    on_screen, drawn = found.panel("published").legend, picture(found, found.panel("published"))
    assert "touch it" in on_screen and "touch" not in drawn.legend
    assert "says too much" in on_screen and "says too much" in drawn.legend
    assert "below 0 as drawn" not in found.first and "below 0 as drawn" in found.further


def test_the_headline_counts_what_the_table_hides() -> None:
    found = asked()
    published = frame(found)["published"]
    hidden = int(published.isna().sum())
    share = round(100 * hidden / 28)  # no number of the 28 is 0
    assert found.headline.startswith(
        f"6 small counts and {hidden - 6} more are hidden: {share}% of the numbers above 0, ")
    assert len(found.headline) <= 90
    blue = frame(found).loc[["blue", "blue, flat", "blue, round"]]["published"].isna()
    assert found.headline.endswith(f", {round(100 * blue.mean())}% of those of blue.")


def test_the_table_shows_no_hidden_number() -> None:
    """A hidden number is a sign and the ends of its range, never the number alone."""
    found, true = asked(), numbers()
    drawn, published = cells(found), frame(found)
    assert drawn.keys() == true.keys()
    for one, text in drawn.items():
        row = published.loc[one]
        if row["status"] == "shown":
            assert text == f"{true[one]:,}"
        else:
            sign = "×" if one in SMALL else "○"
            assert text == f"{sign}|can be {row['at least']:.0f} to {row['at most']:.0f}"
    drawing = str(found.panels[0].drawing)
    assert drawing.count('tabindex="0"') == 1 + int(published["published"].isna().sum())


def test_groups_lose_what_is_hidden_of_them() -> None:
    found = asked()
    published, true = frame(found), numbers()
    groups = found.tables()["published-groups"].set_index("group")
    bars = {t.name: dict(zip(t.y, t.x, strict=True)) for t in only(found.panels[2]).data}
    for colour in ("blue", "red"):
        mine = published.loc[[colour, f"{colour}, flat", f"{colour}, round"]]
        row, small = groups.loc[colour], set(mine.index) & SMALL
        assert row["numbers"] == 12
        assert row["hidden, say too much"] == len(small)
        assert row["hidden, protect others"] == int(mine["published"].isna().sum()) - len(small)
        assert row["share hidden"] == pytest.approx(mine["published"].isna().mean())
        assert bars["hidden"][colour] == pytest.approx(row["share hidden"])  # where it is written
        assert bars["say too much"][colour] + bars["protect others"][colour] == pytest.approx(
            row["share hidden"])
        inner = [one for one in mine.index if one[0] != colour and one[1] != "Total"]
        lost = sum(true[one] for one in inner if np.isnan(mine.loc[one, "published"]))
        assert row["share in hidden inner numbers"] == pytest.approx(lost / true[colour, "Total"])


def test_nothing_is_hidden_where_nothing_is_small() -> None:
    found = asked(pub_k=1)
    assert found.headline == "No number above 0 is small (fewer than 1 person)."
    assert found.first.startswith("Every number is shown as it is. Noise on every number")
    assert not frame(found)["published"].isna().any()
    panel = found.panel("published-off")
    assert [t.name for t in only(panel).data[:2]] == ["all numbers", "inner numbers"]
    assert "hidden" not in f"{panel.caption} {panel.alt}" and not ways(found).index.str.startswith(
        "Hide").any()
    assert "published-undone" not in [one.name for one in found.panels]


def test_small_numbers_may_protect_each_other() -> None:
    """Five everywhere, so that all inner numbers are small: with three towns each can be anything
    from 1 to 12 and nothing else has to be hidden."""
    found = asked(people(np.full((4, 3), 5)))
    assert found.headline == (
        "12 small counts are hidden here, and that is enough: no others have to be.")
    assert found.first.startswith("The totals give none of them away, even with nothing else")
    assert int(frame(found)["published"].isna().sum()) == len(says_too_much(found)) == 12
    assert f"{found.more}".count("give") == 1 and "others" not in found.more
    assert "○" not in found.panels[0].legend
    panel = found.panel("published-undone")
    assert panel.alt == (
        "With these hidden, 0 numbers are computed back, 0 known too closely, 12 safe.")
    assert len(only(panel).data[0].y) == len(panel.table) == 1


@dataclass(frozen=True)
class TooMuch:
    """Asks that red flat in Ash, which is 2, could be 5 less, and blue flat there 3 less."""

    def sensitive(self, table: MarginTable) -> Sensitive:
        names = [table.name(cell) for cell in range(len(table))]
        below = np.array([{"red, flat, Ash": 5.0, "blue, flat, Ash": 3.0}.get(n, 0) for n in names])
        return Sensitive(below > 0, below, np.zeros(len(below)), np.zeros(len(below)))

    def sentence(self) -> str:
        return "nothing that can be had"


def test_what_cannot_be_protected_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing without negatives is 5 below 2. Then nothing is said of a hiding that there is
    not."""
    monkeypatch.setattr("sdc_core.questions.published_tables.rule", lambda given: TooMuch())
    found = asked()
    assert found.headline == "One of 2 small counts cannot be protected: red, flat, Ash."
    (why,) = (n.text for n in found.notices if n.tone == "warning")
    assert "cannot be protected" in why and why not in found.more
    assert list(found.tables()["published-undone"]["hidden"]) == ["only × hidden"]
    assert "published-groups" not in found.tables()
    assert "Hide, reader takes the middle" not in ways(found).index
    said = f"{found.more} {' '.join(found.panel('published-off').prose)}"
    for gone in ("Hidden are", "add up to", "none hides", "middle", "protect"):
        assert gone not in said


def test_what_stays_known_is_not_called_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """If what is hidden leaves ranges of one number, neither sentence says that it is enough."""
    def open_(*asked_for: Any, **how: Any) -> Hiding:
        found = hide(*asked_for, **how)
        return replace(found, hidden=found.sensitive.cells, low=found.table.values,
                       high=found.table.values)

    monkeypatch.setattr("sdc_core.questions.published_tables.compute.hide", open_)
    found = asked()
    assert found.headline == "6 of 6 small counts stay known too closely though hidden."
    assert "enough" not in f"{found.headline} {found.more}"
    assert "none of them away" not in found.more


def test_four_people_are_hidden_altogether() -> None:
    """Even their total is small, so that nothing limits from above what is hidden: there is no
    middle to take. Four that are hidden and nobody else: 4 or more."""
    found = asked(people([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    assert found.headline == (
        "18 small counts are hidden here, and that is enough: no others have to be.")
    assert cells(found)["Total", "Total"] == "×|can be 4 or more"
    assert np.isinf(frame(found).loc[("Total", "Total"), "at most"])
    assert ways(found).loc["Hide, reader takes the middle"][[INNER, ALL, HIDDEN]].isna().all()
    assert "has no middle" in " ".join(found.panel("published-off").prose)
    assert found.first.startswith("Nothing is shown that they could be computed back from.")


def test_empty_groups_are_small_if_they_are_treated_like_any_other() -> None:
    gap = PEOPLE.copy()
    gap[2, 0] = 0
    left, treated = (asked(people(gap), empty) for empty in ("left", "treated"))
    where = ("red, flat", "Ash")
    assert frame(left).loc[where, "published"] == 0
    assert where in says_too_much(treated) and frame(treated).loc[where, "status"] == "hidden"
    assert "above 0" in left.headline and "Shares and errors are of the numbers above 0." in (
        left.further)
    assert "above 0" not in f"{treated.headline} {treated.more}"
    # where zeros are hidden a hidden number can be 0, else it is 1 at least
    least = {one: frame(a).query("status == 'hidden'")["at least"].min()
             for one, a in (("left", left), ("treated", treated))}
    assert least == {"left": 1, "treated": 0}


@pytest.mark.parametrize("search", ["heuristic", "best"])
def test_hidden_zeros_add_nothing_to_what_is_hidden(search: str) -> None:
    """Among choices a hidden zero counts as the smallest other number, so that none is hidden for
    nothing; among people it is nobody."""
    gap = PEOPLE.copy()
    gap[0, 0] = gap[2, 0] = gap[3, 1] = 0
    found = asked(people(gap), "treated", pub_k=4, pub_method=search)
    published, true = frame(found), numbers(gap)
    hidden = published.index[published["status"] == "hidden"]
    zeros = [one for one in hidden if true[one] == 0]
    assert len(zeros) == 3
    if "add up to" in found.further:
        assert f"add up to {sum(true[one] for one in hidden)} (" in found.further
    if "(proved)" in found.further:
        assert ", each hidden zero counted as the smallest other number (proved)" in found.further
    assert ("add up to" in found.further) or ("(proved)" in found.further)


AMOUNTS = {  # who earns what; of blue and flat in Ash the largest has nearly all
    ("Ash", "blue", "flat"): (900.0, 30.0, 20.0), ("Birch", "blue", "flat"): (100.0,) * 5,
    ("Ash", "blue", "round"): (50.0,) * 8, ("Birch", "blue", "round"): (60.0,) * 7,
    ("Ash", "red", "flat"): (70.0,) * 6, ("Birch", "red", "flat"): (80.0,) * 9,
    ("Ash", "red", "round"): (-40.0, *(90.0,) * 6), ("Birch", "red", "round"): (75.0,) * 6,
}


def earners(more: float = 0.25, times: float = 1.0) -> sdc.Dataset:
    who = pd.DataFrame([(*where, one + 0.25) for where, every in AMOUNTS.items() for one in every],
                       columns=["town", "colour", "shape", "wage"])
    means = sdc.load_dataset(who).schema  # whole numbers are so few that they look like codes
    return sdc.load_dataset(who.assign(wage=(who["wage"] - 0.25 + more) * times), means)


def sums(more: float = 0.25, times: float = 1.0) -> dict[tuple[str, str], float]:
    """Every sum of the printed table, added up by hand."""
    paid: dict[tuple[str, str], float] = {}
    for (town, colour, shape), every in AMOUNTS.items():
        for row in ("Total", colour, f"{colour}, {shape}"):
            for column in ("Total", town):
                paid[row, column] = paid.get((row, column), 0.0) + sum(
                    max((one + more) * times, 0.0) for one in every)
    return paid


def found_by_programs(
    table: pd.DataFrame, true: dict[tuple[str, str], float]
) -> dict[tuple[str, str], tuple[float, float]]:
    """The least and the largest that each hidden sum can be, over the eight inner ones."""
    inner = [one for one in true if ", " in one[0] and one[1] != "Total"]
    picks = {
        (row, column): np.array([
            float(row in ("Total", r, r.partition(", ")[0]) and column in ("Total", c))
            for r, c in inner])
        for row, column in true}
    size = max(true.values())
    shown = [one for one in true if table.loc[one, "status"] == "shown"]
    equal = np.array([picks[one] for one in shown])
    right = np.array([true[one] for one in shown]) / size
    return {
        one: tuple(sign * size * linprog(sign * picks[one], A_eq=equal, b_eq=right).fun
                   for sign in (1, -1))
        for one in true if one not in shown}


def test_sums_are_hidden_by_a_rule_about_sums() -> None:
    """30 + 20 beside 900: whoever earns 30 knows the largest to within 20, less than 10% of it.
    Other sums have nobody who stands out."""
    found = asked(earners(), pub_what="wage", pub_limit=100.0)
    table = frame(found)
    assert says_too_much(found) == {("blue, flat", "Ash")}
    amounts = [max(one + 0.25, 0.0) for every in AMOUNTS.values() for one in every]
    assert table.loc[("Total", "Total"), "published"] == pytest.approx(sum(amounts))
    assert table.loc[("red, round", "Ash"), ["at least", "at most"]].tolist() != [0, 0]
    assert found.headline.startswith("1 risky sum and ")
    assert found.panels[0].title == "Sums of wage above 0, and what is hidden of them"
    assert found.first.startswith(
        "If only this one was hidden, it could be computed back from the totals, by subtraction.")
    assert "Hidden are numbers of which one other can work out the largest contribution to within "\
        "10%" in found.further
    assert [n.text for n in found.notices] == ["1 amount is below 0 and counts as nothing here."]
    assert "of wage a number" in found.first


def test_sums_to_which_nobody_contributes_are_small_like_empty_groups() -> None:
    who = earners()
    nobody = (who.records["town"] == "Birch") & (who.records["shape"] == "round") & (
        who.records["colour"] == "red")
    gap = sdc.load_dataset(who.records[~nobody], who.schema)
    where, few = ("red, round", "Birch"), {"pub_what": "wage", "pub_rule": "few", "pub_k": 3}
    left, treated = (asked(gap, empty, **few) for empty in ("left", "treated"))
    assert nobody.any() and frame(left).loc[where, "published"] == 0
    assert where not in says_too_much(left) and where in says_too_much(treated)
    low, high = frame(treated).loc[where, ["at least", "at most"]]
    on_average = frame(left).loc[("Total", "Total"), "published"] / (~nobody).sum()
    assert low == 0 and high >= 0.99 * on_average


def test_sums_stand_where_their_people_do() -> None:
    table = frame(asked(earners(), pub_what="wage", pub_rule="few", pub_k=1))
    paid = sums()
    assert len(paid) == len(table) == 21
    assert {one: table.loc[one, "published"] for one in paid} == pytest.approx(paid)


def test_ends_that_are_no_whole_numbers_are_taken_outwards() -> None:
    """What is whole but for the last digits stays where all numbers are whole; of others nothing
    is known of such digits, so that the ends go outwards."""
    low, high = np.array([1.2, 3.0, 2.0 - 1e-9, -0.0]), np.array([3.4, 3.0, 5.0 + 1e-9, np.inf])
    for whole, third in ((True, "2 to 5"), (False, "1 to 6")):
        ends = outwards(Intervals(low, high), whole)
        assert [can_be(ends, cell) for cell in range(4)] == ["1 to 4", "3", third, "0 or more"]


@pytest.mark.parametrize(("more", "times"), [(0.25, 1.0), (0.0, 1.0), (0.0, 1e6), (0.3, 1e6 / 3)])
def test_ranges_of_sums_hold_the_true_sums(more: float, times: float) -> None:
    """Fractions, whole numbers, and whole ones so large that a program's last digits are wrong."""
    found = asked(earners(more, times), pub_what="wage")
    table, true = frame(found), sums(more, times)
    shown = table["status"] == "shown"
    assert 0 < shown.sum() < len(table) == len(true)
    for one, row in table.iterrows():
        last = 1e-14 * true[one] if row["status"] == "shown" else 0.0  # added up in another order
        assert row["at least"] - last <= true[one] <= row["at most"] + last, one
        assert not math.copysign(1, row["at least"]) < 0
    for end in ("at least", "at most"):
        assert table.loc[shown, end].equals(table.loc[shown, "published"].rename(end))
    ends = found_by_programs(table, true)
    for one, (low, high) in ends.items():
        assert low - 2 < table.loc[one, "at least"] <= low + 1e-4 + 1e-9 * true[one]
        assert high + 2 > table.loc[one, "at most"] >= high - 1e-4 - 1e-9 * true[one]


def test_shown_zeros_hide_nothing() -> None:
    """Nobody red lives in flats: those four numbers are no part of any share, and their row is left
    out. Red in rounds is then all of red."""
    counts = PEOPLE.copy()
    counts[2] = 0
    found = asked(people(counts))
    groups = found.tables()["published-groups"].set_index("group")["numbers"]
    assert groups.to_dict() == {"blue": 12, "red": 8}
    hidden = int(frame(found)["published"].isna().sum())
    assert f" {round(100 * hidden / 24)}% of the numbers above 0" in found.headline
    assert {row for row, _ in cells(found)} == {*ADDED} - {"red, flat"}


@pytest.mark.parametrize(("rule", "settings", "small"), [
    ("dominance", {"pub_n": 1, "pub_share": 90.0}, {("blue, flat", "Ash")}),
    ("dominance", {"pub_n": 1, "pub_share": 99.0}, set()),
    ("few", {"pub_k": 4}, {("blue, flat", "Ash")}),
    ("few", {"pub_k": 6}, {("blue, flat", "Ash"), ("blue, flat", "Birch")}),
])
def test_each_rule_by_hand(rule: str, settings: dict[str, Any], small: set[Any]) -> None:
    """900 of 950 is 94.7%; three people there, five in Birch, six and more elsewhere."""
    found = asked(earners(), pub_what="wage", pub_rule=rule, **settings)
    assert says_too_much(found) == small
    if not small:
        assert found.headline == (
            "No sum is risky by this rule (the largest contributor has more than 99%).")
        assert "says too much" not in f"{found.headline} {found.more}"


@pytest.mark.parametrize(("times", "written"), [(0.001, "{:,.2f}"), (10.0, "{:,.0f}")])
def test_small_sums_are_shown_with_decimals_and_large_ones_without(
    times: float, written: str
) -> None:
    found, paid = asked(earners(times=times), pub_what="wage", pub_limit=1.0), sums(times=times)
    drawn, published = cells(found), frame(found)
    shown = [one for one in paid if published.loc[one, "status"] == "shown"]
    assert len(shown) > 5 and "Sums are rounded" in found.panels[0].legend
    for one in shown:
        assert drawn[one] == written.format(paid[one])


def test_amounts_of_nothing_are_refused() -> None:
    with pytest.raises(sdc.InputError, match="No amount of wage is above 0"):
        asked(earners(-2000.0), pub_what="wage")


def test_a_share_tells_no_hidden_total() -> None:
    """Only five are blue, so that their total is hidden, and a second one: what share of these
    groups stands in hidden numbers would give it away."""
    rows = tuple((colour, shape) for colour in ("blue", "red", "tan") for shape in ("flat", "oval"))
    found = asked(people([[1, 1, 1], [1, 1, 0], [20, 9, 40], [30, 20, 10], [60, 70, 80],
                          [70, 80, 90]], rows))
    shares = found.tables()["published-groups"].set_index("group")["share in hidden inner numbers"]
    hidden = {one: np.isnan(frame(found).loc[(one, "Total"), "published"]) for one in shares.index}
    assert hidden["blue"] and sum(hidden.values()) == 2
    assert {one: np.isnan(share) for one, share in shares.items()} == hidden
    assert "Nothing but zeros is shown of: blue." in found.more


def test_people_represented_are_not_counted_here() -> None:
    who = pd.DataFrame([("Ash", c, s, 50 + i) for i, (c, s) in enumerate(ROWS)] * 9
                       + [("Elm", c, s, 70 + i) for i, (c, s) in enumerate(ROWS)] * 8,
                       columns=["town", "colour", "shape", "weight"])
    plain = sdc.load_dataset(who)
    data = plain.with_schema(sdc.Schema(tuple(
        replace(c, role=Role.WEIGHT, type=Type.WHOLE, values={}) if c.name == "weight" else c
        for c in plain.schema)))
    assert data.weight == "weight"
    found = sdc.ask("published_tables", sdc.Study(data, counted_as="represented"), CHOSEN)
    assert frame(found).loc[("Total", "Total"), "published"] == len(who) == 68


def test_hostile_names_are_shown_as_they_are() -> None:
    rows = (("<b>x</b>", "a&b"), ("<b>x</b>", "<i>"), ("$y$", "a&b"), ("$y$", "<i>"))
    found = asked(people(rows=rows, towns=("<script>", "Birch", "Cedar")))
    drawn = str(found.panels[0].drawing)
    assert "<script>" not in drawn and "<b>x" not in drawn
    assert html.escape("<script>") in drawn and html.escape("<b>x</b>") in drawn
    for name in only(found.panels[2]).data[0].y:
        assert "<b>" not in name


def test_what_takes_long_waits_until_it_is_asked_for() -> None:
    """On a page the least is looked for once its job is started; meanwhile what is quickly found is
    shown. In Python nothing waits."""
    study = sdc.Study(people(), empty_groups="left")
    waiting, started = (Work(started=keys) for keys in ((), ("least",)))
    quick = asked()
    shown = sdc.ask("published_tables", study, {**CHOSEN, "pub_method": "best"}, work=waiting)
    assert [job.key for job in shown.waiting] == ["least"]
    assert frame(shown).equals(frame(quick))
    found = sdc.ask("published_tables", study, {**CHOSEN, "pub_method": "best"}, work=started)
    assert not found.waiting and (
        "Of all choices that leave zeros and the overall total shown, none hides a smaller sum "
        "(proved).") in found.further
    assert "it was not looked for whether less would do." in quick.further
    assert frame(found).equals(frame(asked(pub_method="best")))
    assert [a.sets for a in quick.panels[0].actions] in ([], [{"pub_method": "best"}])


def test_large_tables_are_asked_for_first() -> None:
    """One person everywhere in 60 towns: of 61 × 7 numbers all but the seven row totals are small,
    which takes more than an instant; six small ones of 28 do not."""
    assert seconds_for(people().histogram(["town", "colour", "shape"]), 6, False) < 0.01
    many = people(np.ones((4, 60), dtype=int), towns=[f"town {i}" for i in range(60)])
    table = many.histogram(["town", "colour", "shape"])
    assert seconds_for(table, 6, False) == pytest.approx(3e-5 * 427 * 420)
    shown = sdc.ask("published_tables", sdc.Study(many), CHOSEN, work=Work(started=()))
    assert [job.key for job in shown.waiting] == ["answer"] and not shown.panels


def test_three_different_features_are_asked_for() -> None:
    with pytest.raises(sdc.InputError, match="three different features"):
        asked(pub_second="town")
    two = sdc.load_dataset(pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"]}))
    with pytest.raises(sdc.InputError, match="the data have 2"):
        sdc.ask("published_tables", sdc.Study(two))


def test_who_points_at_a_bar_reads_that_bars_numbers() -> None:
    found = asked()
    groups = found.tables()["published-groups"].set_index("group")
    drawn = {t.name: t for t in only(found.panel("published-groups")).data}
    for name, column in (("say too much", "hidden, say too much"),
                         ("protect others", "hidden, protect others")):
        for place, colour in enumerate(("blue", "red")):
            number, other, every = (
                int(groups.loc[colour, one]) for one in (column, *{
                    "hidden, say too much", "hidden, protect others"} - {column}, "numbers"))
            assert number != other
            assert hover(drawn[name], place) == f"{colour}: {number} of {every} numbers {name}"


def test_what_is_computed_back_is_red_and_what_is_safe_is_not() -> None:
    """Red is failure on every page."""
    colors = {t.name: t.marker.color for t in only(asked().panel("published-undone")).data}
    assert colors["computed back"] == FAILURE and colors["safe"] == MUTED


def test_errors_have_the_unit_of_what_is_shown() -> None:
    for found, unit, other in ((asked(), "people", "wage"),
                               (asked(earners(), pub_what="wage"), "wage", "people")):
        title = only(found.panel("published-off")).layout.xaxis.title.text
        assert unit in title and other not in title


def test_a_dash_is_nobody_or_nothing_paid_and_whole_numbers_are_not_rounded() -> None:
    people_shown = asked().panels[0].legend
    assert "– nobody" in people_shown and "rounded" not in people_shown
    paid = asked(earners(), pub_what="wage", pub_limit=100.0).panels[0].legend
    assert "– 0" in paid and "nobody" not in paid and "Sums are rounded" in paid


def test_what_is_learnt_stands_under_its_own_head() -> None:
    learnt = asked(pub_epsilon=2.0).tables()["published-learnt"].set_index("way")
    assert (learnt["adds up"].str.match("yes|no")).all()
    noisy = learnt.index.str.startswith("Noise")
    assert learnt.loc[noisy, "promise"].str.startswith("ε = 2").all()
    assert (learnt.loc[~noisy, "promise"] == "none").all()
    # only noise on the whole table at once and rounding by a program leave sums that are sums
    adds = set(learnt.index[learnt["adds up"].str.startswith("yes")])
    assert "Noise on every number" not in adds and "Shift by cell keys" not in adds
    assert {"Noise on inner numbers, added up", "Round to multiples of 3"} <= adds
    # a number that is rounded to a neighbouring multiple is off by less than the base
    for base in (3, 5):
        said = learnt.loc[f"Round to multiples of {base}", "an attacker learns"]
        assert f"to within {base - 1}," in said


def alike(text: str, number: float) -> bool:
    """Is a number written so, to two digits?"""
    return bool(abs(float(text.replace(",", "")) - number) <= 0.01 * abs(number) + 0.005)


def test_sentences_on_errors_say_the_numbers_of_the_table() -> None:
    """On hidden numbers, on all, on inner ones: each is another number."""
    found = asked()
    panel, table = found.panel("published-off"), ways(found)
    hide, noise = "Hide, reader takes the middle", "Noise on every number"
    said = next(one for one in panel.prose if one.startswith("Who takes the middle"))
    numbers_said = re.findall(r"by ([\d.,]+) (?:people|person)", said)
    wanted = [table.loc[hide, HIDDEN], table.loc[noise, HIDDEN], table.loc[noise, ALL]]
    assert len(numbers_said) == 3 and len({round(one, 2) for one in wanted}) == 3
    assert all(map(alike, numbers_said, wanted))
    (drawn,) = (one for one in panel.prose if "releases (±" in one)
    (error,) = re.findall(r"± ([\d.]+) for all numbers, two standard errors", drawn)
    assert alike(error, 2 * table.loc["Noise that adds up", "standard error, all numbers"])
    for way, every, inner in re.findall(
            r"(?:: |; )([^:;]+): ([\d.]+) (?:people|person) \(([\d.]+) for inner numbers\)",
            panel.alt):
        assert alike(every, table.loc[way, ALL]) and alike(inner, table.loc[way, INNER])
    assert panel.alt.count("for inner numbers") == len(table)


def test_bars_are_told_with_and_without_further_numbers_hidden() -> None:
    panel = asked().panel("published-undone")
    assert panel.table is not None
    alone, told = (panel.table.loc[i, ["computed back", "known too closely", "safe"]].tolist()
                   for i in (0, 1))
    assert alone != told
    assert [int(one) for one in re.findall(r"\d+", panel.alt)] == [*alone, *told]
    assert "further ones" in panel.caption
    enough = asked(people(np.full((4, 3), 5))).panel("published-undone")
    assert "further" not in f"{enough.caption} {enough.alt}"


def test_a_hidden_total_is_told_by_no_share() -> None:
    """Where the total of all is hidden, what share of it stands in hidden numbers gives it away."""
    shown, unseen = asked(), asked(people([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    assert frame(unseen).loc[("Total", "Total"), "status"] == "hidden"
    assert unseen.panel("published-groups").prose == ()
    published, true = frame(shown), numbers()
    inner = [one for one in true if ", " in one[0] and one[1] != "Total"]
    lost = sum(true[one] for one in inner if np.isnan(published.loc[one, "published"]))
    (said,) = shown.panel("published-groups").prose
    assert said.startswith(f"{lost} people, {percent(lost / PEOPLE.sum())} of all, stand")


def test_what_the_limit_cuts_off_and_noise_are_not_mistaken() -> None:
    found = asked(earners(), pub_what="wage", pub_limit=100.0, pub_epsilon=3.0)
    row = ways(found).loc["Noise on every number"]
    cut, noise = row["cut off, all numbers"], row["noise alone, all numbers"]
    assert cut < 0.9 * noise
    ((first, second),) = re.findall(
        r"\(([\d.,]+) by what is cut off at the limit, ([\d.,]+) by noise alone\)", found.first)
    assert alike(first, cut) and alike(second, noise)


def test_where_the_usual_limit_comes_from_is_said() -> None:
    """From edges that a dictionary gives, or from the data: then nothing is promised."""
    data = earners()
    declared = data.with_schema(sdc.Schema(tuple(
        replace(c, edges=(50.0, 100.0), declared=True) if c.name == "wage" else c
        for c in data.schema)))
    for chosen, said, other in ((data, "read off these data", "dictionary gives"),
                                (declared, "dictionary gives", "read off these data")):
        given = SimpleNamespace(dataset=chosen, get={"pub_what": "wage"}.get)
        param = page.limit(given)  # type: ignore[arg-type]
        assert param is not None and said in param.help and other not in param.help


def test_more_than_two_that_cannot_be_protected_are_two_names_and_a_number(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass(frozen=True)
    class More(TooMuch):
        def sensitive(self, table: MarginTable) -> Sensitive:
            names = [table.name(cell) for cell in range(len(table))]
            far = {f"red, {what}": 60.0 for what in ("flat, Ash", "flat, Birch", "round, Ash")}
            below = np.array([far.get(name, 0.0) for name in names])
            return Sensitive(below > 0, below, np.zeros(len(below)), np.zeros(len(below)))

    monkeypatch.setattr("sdc_core.questions.published_tables.rule", lambda given: More())
    found = asked()
    assert found.headline == ("3 of 3 small counts cannot be protected: red, flat, Ash; red, flat, "
                              "Birch; and 1 more.")


def test_so_many_of_the_largest_are_added_up() -> None:
    """Of 951 in blue flats of Ash one has 900, two 930: less and more than 96%."""
    for most, small in ((1, set()), (2, {("blue, flat", "Ash")})):
        found = asked(earners(), pub_what="wage", pub_rule="dominance", pub_n=most, pub_share=96.0)
        assert says_too_much(found) == small


def test_less_is_offered_to_be_looked_for_only_where_less_may_do() -> None:
    quick, proved = asked(), asked(people(np.full((4, 3), 5)))
    assert "it was not looked for whether less would do." in quick.further
    assert [one.sets for one in quick.panels[0].actions] == [{"pub_method": "best"}]
    assert "no others have to be" in proved.headline and not proved.panels[0].actions


def test_zeros_that_have_to_be_hidden_are_told_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    gap = PEOPLE.copy()
    gap[3, 0] = 0  # not hidden unless nothing else would do

    def zeros_too(table: MarginTable, *asked_for: Any, **how: Any) -> Hiding:
        found = hide(table, *asked_for, **how)
        return replace(found, hidden=found.hidden | (table.values == 0), zeros_needed=True)

    plain = asked(people(gap))
    assert "zeros had to" not in plain.further and "or hidden" not in plain.further
    monkeypatch.setattr("sdc_core.questions.published_tables.compute.hide", zeros_too)
    found = asked(people(gap))
    assert "Some zeros had to be hidden as well." in found.further
    assert "Shares and errors are of the numbers above 0 or hidden." in found.further

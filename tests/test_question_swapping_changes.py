"""What swapping changes: tables, boxes, steps and sentences, read back against the release itself.

What is shown is taken apart as a reader would see it (rows, colours, marks) and compared with plain
sums over a release that the test draws itself.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from typing import Any, NamedTuple

import numpy as np
import plotly.graph_objects as go
import pytest
from numpy.typing import NDArray

import sdc_core as sdc
from sdc_core.data.census1940 import massachusetts_1940, massachusetts_1940_printed_release
from sdc_core.experiment import Progress
from sdc_core.keep import Keep
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.metrics.tables import MarginCheck
from sdc_core.questions.answer import Answer
from sdc_core.questions.swapping_changes import compute, figures, tables, words
from sdc_core.questions.work import Work
from tests.contract import Contract
from tests.page_driver import TWIN, answer, link, opened, said

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=(),
    controls=("rate", "step"),
    columns={
        "swapped-changes": (
            "county", "owned, change in this release", "owned, change on average"),
        "swapped-1940": ("County", "Tenure", "before", "after", "change", "percent"),
    },
)

PAGE = "../pages/swapping_changes.py"
SHARED = TWIN  # no setting of the reader's data but which they are
RATES = (0.01, 0.05, 0.10, 0.20, 0.30, 0.50)
RATE_NAMES = ["1%", "5%", "10%", "20%", "30%", "50%"]
TRUE = massachusetts_1940().counts.reshape(14, 2)
COUNTIES = massachusetts_1940().domain.features[0].labels
STUDY = sdc.Study(sdc.load_dataset("ma2019-twin"))


def asked(work: Work | None = None, seed: int = 7, **controls: Any) -> Answer:
    """The answer; unless `work` says otherwise, the many runs are not made."""
    study = sdc.Study(STUDY.dataset, seed=seed)
    return sdc.ask("swapping_changes", study, work=work or Work(started=()), **controls)


def swapped(rate: float, seed: int = 7) -> NDArray[np.int64]:
    method = sdc.mechanism(
        "permutation-swapping", swap_rate=rate, match=(), swap=("COUNTY",), hold=("TENURE",)
    )
    return method.release(massachusetts_1940(), seed).counts.reshape(14, 2)


class Cell(NamedTuple):
    text: str
    style: str
    title: str
    row: str  # the class of its row
    locked: bool


class Rows(HTMLParser):
    """The tables of a drawing, cell by cell."""

    def __init__(self, drawn: str) -> None:
        super().__init__()
        self.tables: list[list[list[Cell]]] = []
        self._row = ""
        self._within = False
        self.feed(drawn)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self._row = given.get("class", "")
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self._within = True
            self.tables[-1][-1].append(
                Cell("", given.get("style", ""), given.get("title", ""), self._row, False)
            )
        elif given.get("aria-label") == "unchanged":
            self._replace(locked=True)
        elif given.get("class", "").startswith("by"):
            self._replace(text=self.tables[-1][-1][-1].text + " ")

    def handle_endtag(self, tag: str) -> None:
        self._within = self._within and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._within:
            self._replace(text=self.tables[-1][-1][-1].text + data)

    def _replace(self, **changed: Any) -> None:
        row = self.tables[-1][-1]
        row[-1] = row[-1]._replace(**changed)


def number(text: str) -> int:
    return int(text.replace(",", "").replace("−", "-").replace("+", "").replace("±", ""))


def as_written(text: str, value: float) -> bool:
    """Is this the number, to the digits that are written?"""
    decimals = len(text.partition(".")[2])
    return abs(float(text) - value) <= 0.5 * 10.0**-decimals + 1e-9


def luminance(channels: tuple[float, ...]) -> float:
    """Relative luminance, as the accessibility guidelines define it."""
    parts = [c / 255 for c in channels]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def tint_of(style: str) -> tuple[tuple[int, int, int], float]:
    found = re.fullmatch(r"background:rgba\((\d+),(\d+),(\d+),([\d.]+)\)", style)
    assert found is not None
    red, green, blue, strength = found.groups()
    return (int(red), int(green), int(blue)), float(strength)


# The ends of the maps' scale of too high and too low, on light (Paul Tol's PRGn) and on dark.
GREEN, PURPLE = (0x1B, 0x78, 0x37), (0x76, 0x2A, 0x83)
DARK_GREEN, DARK_PURPLE = (0xBD, 0xE6, 0xB4), (0xDD, 0xBD, 0xEB)
STRONGEST = 0.45


# Headline -----------------------------------------------------------------------------------------

def usual_change(rate: float) -> NDArray[np.float64]:
    """What all releases change on average: with n dwellings in one group, every selected one
    receives the county of any of the n − 1 others."""
    n = TRUE.sum()
    chance = rate / 100  # a lone selection, which is drawn again, is all but impossible here
    same = np.outer(TRUE.sum(axis=1), TRUE.sum(axis=0))
    return np.asarray(chance * (same - n * TRUE) / (n - 1))


def test_the_average_release_is_the_mean_of_many() -> None:
    """Two hundred releases at 5%, against the formula above."""
    method = sdc.mechanism(
        "permutation-swapping", swap_rate=0.05, match=(), swap=("COUNTY",), hold=("TENURE",))
    rows = method.draw_tables(massachusetts_1940(), [repetition_rng(7, r) for r in range(200)])
    drawn = rows.reshape(200, 14, 2) - TRUE
    error = drawn.std(axis=0, ddof=1) / math.sqrt(200)
    assert (np.abs(drawn.mean(axis=0) - usual_change(5)) < 4 * error).all()


SEEDS = [*((5, seed) for seed in range(12)), (0.1, 7), (0.1, 3), (50, 7), (99.9, 7), (2.5, 3)]


@pytest.mark.parametrize(("rate", "seed"), SEEDS)
def test_the_headline_names_the_county_that_moves_most_on_average(rate: float, seed: int) -> None:
    """In whichever release, so that chance does not choose it: Suffolk, where fewest own."""
    found = asked(rate=rate, seed=seed)
    county = int(np.abs(usual_change(rate)[:, 0]).argmax())
    assert COUNTIES[county] == "Suffolk"
    change = swapped(rate / 100, seed)[county, 0] - TRUE[county, 0]
    here, there = ("more", "fewer") if change > 0 else ("fewer", "more")
    rest = np.delete(swapped(rate / 100, seed) - TRUE, county, axis=0)[:, 0].sum()
    assert rest == -change
    assert found.headline == (
        f"In one release of Massachusetts 1940, swapping {rate:g}% of dwellings counts "
        f"{abs(change):,} {here} as owned in Suffolk and as many {there} elsewhere; every total "
        "stays exact."
    )
    assert len(found.headline) <= 165 and found.first.count(". ") == 0


def test_chance_alone_would_have_named_other_counties() -> None:
    """At 0.1% the count that is changed most in percent is not the same in every release: naming
    it would rank chance."""
    hit = set()
    for seed in range(12):
        share = (swapped(0.001, seed) - TRUE) / TRUE
        hit.add(np.unravel_index(np.abs(share).argmax(), share.shape))
        named = re.search(r"In percent the (\w+) dwellings of (\w+) are",
                          asked(rate=0.1, seed=seed).more)
        assert named is not None and named.groups() == ("rented", "Dukes")
    assert len(hit) > 1


def changed_by(moved: int, tenure: int = 0) -> compute.Demonstration:
    """A release at 50% that moves so many in Suffolk and changes nothing else."""
    found = compute.swap_massachusetts(0.5, 7)
    counts = TRUE.copy()
    counts[COUNTIES.index("Suffolk"), tenure] += moved
    return compute.Demonstration(
        found.mechanism, found.table, counts.ravel(), found.error, found.margins)


@pytest.mark.parametrize(
    ("moved", "said_so"),
    [(1200, "counts 1,200 more as owned in Suffolk and as many fewer elsewhere; every total"),
     (-3, "counts 3 fewer as owned in Suffolk and as many more elsewhere; every total"),
     (1, "counts 1 more as owned in Suffolk and one fewer elsewhere; every total"),
     (-1, "counts 1 fewer as owned in Suffolk and one more elsewhere; every total"),
     (0, "counts as many as before as owned in Suffolk; every total stays exact.")],
)
def test_both_ways_of_moving_are_told_apart_and_none(moved: int, said_so: str) -> None:
    headline, more = words.massachusetts_sentences(changed_by(moved))
    assert said_so in headline
    assert "on average, unchanged in this release" in more  # Dukes, which is left as it was


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rate", [0.1, 5, 50])
def test_what_follows_names_the_count_that_is_changed_most_on_average(
    rate: float, seed: int
) -> None:
    found = asked(rate=rate, seed=seed)
    usual = usual_change(rate)
    share, here = usual / TRUE, (swapped(rate / 100, seed) - TRUE) / TRUE
    county, tenure = np.unravel_index(np.abs(share).argmax(), share.shape)
    hit = re.search(r"percent the (\w+) dwellings of (\w+) are changed most: ([\d.]+)% too (\w+) "
                    r"on average, (?:([\d.]+)% too (\w+)|unchanged) in this release", found.more)
    assert hit is not None
    assert hit.group(1, 2) == (("owned", "rented")[int(tenure)], COUNTIES[county])
    assert as_written(hit.group(3), 100 * abs(share[county, tenure]))
    assert hit.group(4) == ("high" if share[county, tenure] > 0 else "low")
    if here[county, tenure]:
        assert as_written(hit.group(5), 100 * abs(here[county, tenure]))
        assert hit.group(6) == ("high" if here[county, tenure] > 0 else "low")
    else:
        assert hit.group(5) is None
    net = re.search(r"owned dwellings changes most in (\w+) \(([\d.,]+) dwellings\)", found.more)
    assert net is not None and net.group(1) == "Suffolk"
    assert as_written(net.group(2).replace(",", ""), float(np.abs(usual[:, 0]).max()))
    assert f"mix, {100 * TRUE[:, 0].sum() / TRUE.sum():.0f}% owned" in found.more
    average = re.search(r"The 28 counts of this release are off by ([\d.]+)% on", found.more)
    assert average is not None
    assert as_written(average.group(1), 100 * np.abs(here).mean())
    assert found.first.startswith("On average over releases swapping draws every county towards")
    epsilon = math.log(TRUE.sum() + 1) - math.log(rate / (100 - rate))  # all are one group
    assert f"this is ε = {epsilon:.3g} for each record that differs. " in found.more
    assert f"in which 2 records differ: 2ε = {2 * epsilon:.3g}" in found.more
    assert "but only between tables that agree on the counts it leaves untouched" in found.more
    assert math.exp(2 * epsilon) > 1e6 and "limits nothing in practice." in found.more


def test_the_axis_holds_a_change_that_is_larger_than_on_average() -> None:
    drawn = figures.change_bars(changed_by(60_000), dark=False).to_dict()
    low, high = drawn["layout"]["xaxis"]["range"]
    assert max(drawn["data"][0]["x"]) == 60_000 < high == -low


@pytest.mark.parametrize("rate", [0.1, 5, 50])
@pytest.mark.parametrize("dark", [False, True])
def test_gains_and_losses_point_apart(rate: float, dark: bool) -> None:
    """A bar a county, to the right in the colour of too high, to the left in that of too low; the
    average of all releases is a hollow mark on the same row."""
    found = compute.swap_massachusetts(rate / 100, 3)
    drawn = go.Figure(figures.change_bars(found, dark).to_dict())
    bars, labels, average = drawn.data
    change = dict(zip(COUNTIES, (swapped(rate / 100, 3) - TRUE)[:, 0], strict=True))
    usual = dict(zip(COUNTIES, usual_change(rate)[:, 0], strict=True))
    assert dict(zip(bars.y, bars.x, strict=True)) == change
    assert dict(zip(average.y, average.x, strict=True)) == pytest.approx(usual)
    assert list(average.x) == sorted(average.x, reverse=True)
    high, low = ((DARK_GREEN, DARK_PURPLE) if dark else (GREEN, PURPLE))
    assert list(bars.y) == list(labels.y) == list(average.y)
    for x, colour, text, end, side, mean in zip(
            bars.x, bars.marker.color, labels.text, labels.x, labels.textposition, average.x,
            strict=True):
        if x:
            assert colour.lower() == "#{:02x}{:02x}{:02x}".format(*(high if x > 0 else low))
        assert int(text.replace(",", "").replace("−", "-")) == x
        away = 1 if x >= 0 else -1  # beyond the bar and beyond the mark: nothing lies on the number
        assert side == ("middle right" if x >= 0 else "middle left")
        assert away * end >= away * x and away * end >= away * mean - 1e-9
    axis = drawn.layout.xaxis.range
    assert axis[0] == -axis[1] and axis[1] >= 1.2 * max(map(abs, bars.x))
    assert average.marker.symbol.endswith("open")


def test_every_change_is_in_the_words_for_those_who_do_not_see_the_bars() -> None:
    panel = asked(rate=5).panels[0]
    change = (swapped(0.05) - TRUE)[:, 0]
    for county, by in zip(COUNTIES, change, strict=True):
        assert f"{county} {by:+,}".replace("-", "−") in panel.alt
    table = panel.table
    assert table is not None and table["owned, change in this release"].tolist() == change.tolist()
    assert change.sum() == 0 and ((swapped(0.05) - TRUE).sum(axis=1) == 0).all()  # as it is said


@pytest.mark.parametrize("rate", [0.1, 5, 50])
def test_captions_are_true_of_the_release(rate: float) -> None:
    """What a county gains in owned dwellings it loses in rented ones; only inner counts move."""
    found = asked(rate=rate)
    change = swapped(rate / 100, 7) - TRUE
    assert (change[:, 0] == -change[:, 1]).all() and (change.sum(axis=0) == 0).all()
    assert found.panel("swapped-changes").caption.startswith(
        "Each county's rented dwellings change by as much the other way, so its total stays. "
        "Diamonds are the averages over all releases, known exactly")
    assert "Only the inner counts change" in found.panel("swapped-1940").caption
    off = 100 * np.mean(np.abs(change) / TRUE)
    told = re.search(r"The 28 counts of this release are off by (\S+)% on average\.", found.more)
    assert told is not None and float(told[1]) == pytest.approx(off, rel=0.02)
    share = TRUE[:, 0].sum() / TRUE.sum()
    towards = np.sign(usual_change(rate)[:, 0]) == np.sign(share - TRUE[:, 0] / TRUE.sum(axis=1))
    assert towards.all() and f"draws every county towards the state's mix, {share:.0%} owned" in (
        found.more)


def test_the_seed_and_the_rate_make_the_release() -> None:
    assert len({asked(rate=r, seed=s).headline for r in (5, 6) for s in (7, 8)}) == 4
    assert asked(rate=5, seed=8).headline == asked(rate=5, seed=8).headline


# Before and after ---------------------------------------------------------------------------------

def before_after(rate: float, dark: bool = False) -> list[list[list[Cell]]]:
    found = sdc.ask("swapping_changes", STUDY, work=Work(started=()), dark=dark, rate=rate)
    drawn = found.panel("swapped-1940").drawing
    assert isinstance(drawn, str)
    return Rows(drawn).tables


@pytest.mark.parametrize("rate", [0.1, 5, 50])
def test_every_count_stands_before_and_after_in_its_own_row(rate: float) -> None:
    table, _ = before_after(rate)
    after = swapped(rate / 100)
    groups, columns, *rows, foot = table
    assert [c.text for c in groups] == ["", "Owned", "Rented", "Total"]
    assert [c.text for c in columns] == ["County", "before", "after", "before", "after",
                                         "unchanged"]
    assert [row[0].text for row in rows] == list(COUNTIES)
    for r, row in enumerate(rows):
        for c, (first, second) in enumerate(((1, 2), (3, 4))):
            assert number(row[first].text) == TRUE[r, c]
            shown, by = row[second].text.split()
            assert number(shown) == after[r, c]
            assert number(by) == after[r, c] - TRUE[r, c]
            assert by[0] in ("+" if after[r, c] > TRUE[r, c] else "−±")
        assert number(row[5].text) == TRUE[r].sum() and row[5].locked
    assert [number(c.text) for c in foot[1:]] == [435_805, 435_805, 708_619, 708_619, 1_144_424]
    assert [c.locked for c in foot[1:]] == [False, True, False, True, True]
    assert foot[0].text == "Total" and foot[0].row == "all"


@pytest.mark.parametrize(
    ("dark", "more", "fewer"), [(False, GREEN, PURPLE), (True, DARK_GREEN, DARK_PURPLE)]
)
def test_colour_follows_the_change_in_percent(
    dark: bool, more: tuple[int, ...], fewer: tuple[int, ...]
) -> None:
    """More is green and fewer purple, in proportion; the end of this scale is 60%."""
    table, _ = before_after(50, dark)
    percent = 100 * (swapped(0.5) - TRUE) / TRUE
    assert 50 < np.abs(percent).max() <= 60
    for r, row in enumerate(table[2:-1]):
        for c, cell in enumerate((row[2], row[4])):
            colour, strength = tint_of(cell.style)
            assert colour == (more if percent[r, c] > 0 else fewer)
            assert strength == pytest.approx(STRONGEST * abs(percent[r, c]) / 60, abs=6e-4)
            sign = "+" if percent[r, c] > 0 else "−"
            assert cell.title == f"{sign}{abs(percent[r, c]):.1f}% of the true count"


@pytest.mark.parametrize(
    ("colour", "ground", "ink"),
    [
        (colour, ground, ink)
        for colours, ground, ink in (
            ((GREEN, PURPLE), (255, 255, 255), (49, 51, 63)),
            ((DARK_GREEN, DARK_PURPLE), (14, 17, 23), (250, 250, 250)),
        )
        for colour in colours
    ],
)
def test_text_can_be_read_on_the_strongest_colour(
    colour: tuple[float, ...], ground: tuple[float, ...], ink: tuple[float, ...]
) -> None:
    """On the app's light and its dark background."""
    mixed = tuple(
        STRONGEST * c + (1 - STRONGEST) * g for c, g in zip(colour, ground, strict=True)
    )
    bright, dim = sorted((luminance(mixed), luminance(ink)), reverse=True)
    assert (bright + 0.05) / (dim + 0.05) > 4.5


def test_equal_changes_to_both_sides_are_equally_strong() -> None:
    table = sdc.Histogram.from_codes([np.array([0, 0, 1, 1] * 25), np.array([0, 1] * 50)],
                                     compute.eight_households(7).table.domain)
    moved = table.counts + np.array([5, -5, -5, 5, 0, 0])
    margins = compute.check_margins(table, moved, [("TOWN",), ("TENURE",), ()])
    body = Rows(tables.before_after(table, moved, margins, "words")).tables[0][2:-1]
    cells = [cell for row in body for cell in (row[2], row[4])]
    # 20% is the end of the scale
    assert [tint_of(c.style) for c in cells[:4]] == [
        (colour, STRONGEST) for colour in (GREEN, PURPLE, PURPLE, GREEN)]
    assert cells[4].style == "" and cells[4].text == "0 ±0"


def test_the_legend_runs_from_fewer_to_more_up_to_a_round_number() -> None:
    drawn = asked(rate=50).panel("swapped-1940").drawing
    assert isinstance(drawn, str)
    ramp = re.search(
        r'<span>−60%</span><span class="ramp" style="background:linear-gradient\(90deg,'
        r'rgba\(([\d,.]+)\),rgba\(([\d,.]+)\),rgba\(([\d,.]+)\)\)"></span>'
        r"<span>\+60% of the true count</span>", drawn,
    )
    assert ramp is not None
    fewer, none, more = ([float(v) for v in part.split(",")] for part in ramp.groups())
    assert (tuple(fewer), tuple(more)) == ((*PURPLE, STRONGEST), (*GREEN, STRONGEST))
    assert none[3] < 0.1
    small = asked(rate=5).panel("swapped-1940").drawing
    assert isinstance(small, str) and "<span>−6%</span>" in small  # the largest change is 5.06%


@pytest.mark.parametrize(
    ("percent", "end"), [(0, 1), (0.07, 0.08), (1, 1), (1.2, 1.5), (5.06, 6), (53, 60), (99, 100)]
)
def test_the_colour_scale_ends_at_a_round_number(percent: float, end: float) -> None:
    assert tables.round_up(percent) == pytest.approx(end)


def test_every_total_is_proved_equal() -> None:
    _, proof = before_after(5)
    drawn = asked(rate=5).panel("swapped-1940").drawing
    assert isinstance(drawn, str) and "<h3>Exactly as before: 17 of 17 totals</h3>" in drawn
    head, *rows = ([c.text for c in row] for row in proof)
    assert head == ["Total of", "before", "after", ""]
    sums = [*TRUE.sum(axis=1), *TRUE.sum(axis=0), TRUE.sum()]
    names = [*COUNTIES, "Owned", "Rented", "Total"]
    assert rows == [[n, f"{s:,}", f"{s:,}", "equal"] for n, s in zip(names, sums, strict=True)]


def test_a_changed_total_would_not_be_called_unchanged() -> None:
    found = compute.swap_massachusetts(0.05, 7)
    broken = compute.Demonstration(
        found.mechanism, found.table, found.released, found.error,
        (*found.margins[:-1], MarginCheck((), "Total", 10, 11)),
    )
    assert "changes some totals" in words.massachusetts_sentences(broken)[0]
    drawn = tables.before_after(broken.table, broken.released, broken.margins, "words")
    table, proof = Rows(drawn).tables
    assert "16 of 17 totals" in drawn
    assert [c.text for c in proof[-1]] == ["Total", "10", "11", "changed"]
    assert table[-1][-1].text == "11 (was 10)" and not table[-1][-1].locked
    example = compute.eight_households(7)
    short = compute.Example(
        example.households, example.table, example.released,
        (*example.margins[:-1], MarginCheck((), "Total", 8, 9)),
    )
    assert "5 of the 6 totals" in words.step_sentence(short, "4")


def test_labels_are_shown_as_they_are() -> None:
    found = compute.swap_massachusetts(0.5, 7)
    drawn = tables.before_after(found.table, found.released, found.margins, "a <b> & c")
    assert 'aria-label="a &lt;b&gt; &amp; c"' in drawn


def test_the_csv_has_every_count_and_every_total() -> None:
    frame = asked(rate=5).tables()["swapped-1940"]
    after = swapped(0.05)
    assert list(frame.columns) == ["County", "Tenure", "before", "after", "change", "percent"]
    inner = frame.iloc[:28]
    assert list(inner["County"]) == [c for c in COUNTIES for _ in range(2)]
    assert list(inner["Tenure"]) == ["Owned", "Rented"] * 14
    assert list(inner["before"]) == TRUE.ravel().tolist()
    assert list(inner["after"]) == after.ravel().tolist()
    assert list(inner["change"]) == (after - TRUE).ravel().tolist()
    assert list(inner["percent"]) == pytest.approx((100 * (after / TRUE - 1)).ravel(), abs=6e-4)
    totals = frame.iloc[28:]
    assert list(totals["County"]) == [*COUNTIES, "all", "all", "all"]
    assert list(totals["Tenure"]) == ["all"] * 14 + ["Owned", "Rented", "all"]
    sums = [*TRUE.sum(axis=1), *TRUE.sum(axis=0), TRUE.sum()]
    assert list(totals["before"]) == list(totals["after"]) == sums
    assert (totals["change"] == 0).all() and (inner["change"] != 0).all()


# Many runs ----------------------------------------------------------------------------------------

def error_of_run(rate: float, seed: int, run: int) -> float:
    method = sdc.mechanism(
        "permutation-swapping", swap_rate=rate, match=(), swap=("COUNTY",), hold=("TENURE",)
    )
    (after,) = method.draw_tables(massachusetts_1940(), [repetition_rng(seed, run)])
    return float(100 * np.abs(after.reshape(14, 2) / TRUE - 1).mean())


@pytest.fixture(scope="module")
def all_run() -> Answer:
    return asked(Work())


def boxes(found: Answer) -> tuple[go.Figure, dict[str, Any]]:
    (drawn,) = found.panel("swap-error").figures
    checked = go.Figure(drawn.to_dict())
    return checked, {t.name: t for t in checked.data if t.type == "box"}


def test_a_box_at_each_rate_holds_its_twenty_runs(all_run: Answer) -> None:
    drawn, found = boxes(all_run)
    assert list(found) == RATE_NAMES
    for rate, name in zip(RATES, RATE_NAMES, strict=True):
        assert list(found[name].y) == pytest.approx([error_of_run(rate, 7, r) for r in range(20)])
        assert set(found[name].x) == {name}
        assert found[name].hovertemplate.startswith(f"swap rate {name}<br>off by %{{y:.3f}}%")
        assert found[name].boxpoints == "all"
    xs, ys = drawn.layout.xaxis, drawn.layout.yaxis
    assert list(xs.categoryarray) == RATE_NAMES
    assert xs.title.text == "Swap rate (share of dwellings)"
    assert ys.title.text == "A count is off by, on average" and ys.type == "log"
    assert [f"{t:g}%" for t in ys.tickvals] == list(ys.ticktext)
    every = [y for box in found.values() for y in box.y]
    assert 10 ** ys.range[0] < min(every) and max(every) < 10 ** ys.range[1]


def test_means_are_written_above_their_boxes(all_run: Answer) -> None:
    drawn, found = boxes(all_run)
    labels = drawn.layout.annotations
    assert [a.x for a in labels] == RATE_NAMES
    for label in labels:
        values = found[label.x].y
        assert label.text.endswith("%") and as_written(label.text[:-1], float(np.mean(values)))
        assert found[label.x].boxmean is True
        assert label.y == pytest.approx(math.log10(max(values))) and label.yshift > 0


def test_the_diamond_is_the_release_that_the_slides_print(all_run: Answer) -> None:
    drawn, _ = boxes(all_run)
    (diamond,) = [t for t in drawn.data if t.type == "scatter"]
    printed = massachusetts_1940_printed_release().counts.reshape(14, 2)
    assert list(diamond.x) == ["50%"] and diamond.marker.symbol == "diamond-open"
    assert list(diamond.y) == pytest.approx([100 * np.abs(printed / TRUE - 1).mean()])
    assert "printed in the slides" in diamond.hovertemplate
    caption = all_run.panel("swap-error").caption
    assert "The diamond is the one release printed in the slides, at 50%." in caption
    assert "among households of the same size, so it is not one of these runs" in caption


def test_all_runs_in_a_sentence_and_in_the_table(all_run: Answer) -> None:
    panel = all_run.panel("swap-error")
    low, high = ([error_of_run(rate, 7, r) for r in range(20)] for rate in (0.01, 0.5))
    error = [np.std(v, ddof=1) / math.sqrt(20) for v in (low, high)]
    assert panel.caption.startswith(
        f"On average a count is off by {np.mean(low):.2f}% ± {error[0]:.3f}% at a swap rate of 1% "
        f"(20 runs) and by {np.mean(high):.1f}% ± {error[1]:.3f}% at a swap rate of 50% (20 runs). "
        f"± is one standard error of the mean. Single runs go from {min(low):.2f}% to "
        f"{max(low):.2f}% at 1% and from {min(high):.1f}% to {max(high):.1f}% at 50%."
    )
    assert np.mean(high) - np.mean(low) > 2 * math.hypot(*error)  # so nothing is said of chance
    assert panel.note == "All 120 swaps are done." and not all_run.waiting
    frame = panel.table
    assert frame is not None
    assert list(frame.columns) == ["swap rate", "run", "mean absolute percentage error"]
    assert list(frame["swap rate"]) == [rate for rate in RATES for _ in range(20)]
    assert list(frame["run"]) == [*range(1, 21)] * 6
    assert frame["mean absolute percentage error"].iloc[-1] == pytest.approx(high[-1])
    assert all_run.provenance is not None
    assert all_run.provenance.computed == "simulated, up to 20 releases a method"


def test_runs_wait_until_they_are_asked_for() -> None:
    found = asked()
    (job,) = found.waiting
    assert job.label == "Run 120 swaps"
    panel = found.panel("swap-error")
    assert panel.caption.startswith("20 swapped releases at each of 6 swap rates, from 1% to 50%")
    assert "Nothing has been run with this seed yet" in panel.caption
    assert panel.drawing is None and panel.table is None
    assert found.provenance is not None
    assert found.provenance.computed == "simulated, up to one release a method"
    started = asked(Work(started={job.key}))
    assert started.panel("swap-error").figures and not started.waiting


@contextmanager
def ends_after_five(says: str) -> Iterator[Progress]:
    """Somebody moves a control while the sixth run is made."""
    assert says == "120 swaps of the 1940 table"

    def progress(share: float) -> None:
        if share > 4.5 / 120:
            raise KeyboardInterrupt

    yield progress


def test_runs_that_are_done_are_kept_when_the_rest_is_cancelled() -> None:
    keep = Keep()
    with pytest.raises(KeyboardInterrupt):
        asked(Work(keep, ends_after_five))
    found = asked(Work(keep, started=()))
    assert [job.label for job in found.waiting] == ["Run 115 swaps"]
    panel = found.panel("swap-error")
    assert panel.note == "5 of 120 swaps are done."
    drawn, named = boxes(found)
    assert list(named) == ["1%"]
    assert list(named["1%"].y) == pytest.approx([error_of_run(0.01, 7, r) for r in range(5)])
    assert list(drawn.layout.xaxis.categoryarray) == RATE_NAMES  # the others have their place
    assert [job.label for job in asked(Work(keep, started=()), seed=8).waiting] == ["Run 120 swaps"]
    assert "Nothing has been run" in asked(Work(keep, started=()), seed=8).panel(
        "swap-error").caption
    assert [j.label for j in asked(Work(keep, started=()), rate=9).waiting] == ["Run 115 swaps"]


def test_runs_in_a_sentence() -> None:
    assert words.runs_sentence({0.01: [], 0.5: []}) == ""
    assert words.runs_sentence({0.01: [0.3]}) == (
        "On average a count is off by 0.3% at a swap rate of 1% (one run).")
    one = words.runs_sentence({0.01: [0.2, 0.4], 0.5: []})  # a spread of 0.1414, by the root of 2
    assert one == (
        "On average a count is off by 0.3% ± 0.1% at a swap rate of 1% (2 runs). ± is one standard "
        "error of the mean. Single runs go from 0.2% to 0.4% at 1%."
    )
    skewed = words.runs_sentence({0.01: [0.2, 0.8, 0.3]})  # the median would be 0.3
    assert skewed.startswith("On average a count is off by 0.43% ±")
    middle = words.runs_sentence({0.01: [1.0, 1.1], 0.1: [5.0, 5.1], 0.5: [9.0, 9.1]})
    assert "10%" not in middle and "(2 runs) and by 9.05% ± 0.05% at a swap rate of 50%" in middle


@pytest.mark.parametrize(
    ("runs", "apart"),
    [
        ({0.01: [1.0, 1.2], 0.5: [9.0, 9.2]}, True),
        ({0.01: [1.0, 3.0], 0.5: [2.0, 4.0]}, False),  # 1 apart, with errors of 1 each
        ({0.01: [1.0, 3.0], 0.5: [3.8, 5.8]}, False),  # 2.8 apart, 2 √2 = 2.83
        ({0.01: [1.0, 3.0], 0.5: [3.9, 5.9]}, True),
        ({0.01: [1.0], 0.5: [9.0]}, False),  # one run says nothing about chance
        ({0.01: [1.0, 1.2], 0.5: [9.0]}, False),
    ],
)
def test_rates_are_told_apart_only_beyond_two_errors(
    runs: dict[float, list[float]], apart: bool
) -> None:
    said = words.runs_sentence(runs)
    assert ("do not tell swap rates of 1% and 50% apart" in said) is not apart
    assert "hardly" not in said
    assert all(f"at a swap rate of {rate}" in said for rate in ("1%", "50%"))


def test_no_runs_no_boxes() -> None:
    assert len(go.Figure(figures.error_boxes({}, RATES, {}).to_dict()).data) == 0


# Step by step -------------------------------------------------------------------------------------

def steps(step: int, seed: int) -> tuple[str, list[list[Cell]]]:
    """The sentence and the table of a step."""
    panel = asked(seed=seed, step=str(step)).panel("eight-households")
    assert isinstance(panel.drawing, str)
    (sentence,) = panel.prose
    assert f'aria-label="{html.escape(sentence)}"' in panel.drawing
    (table,) = Rows(panel.drawing).tables
    return sentence, table


def test_the_first_step_shows_the_households() -> None:
    sentence, (head, *rows) = steps(1, 7)
    assert sentence.startswith("Eight households")
    assert [c.text for c in head] == ["Household", "Town", "Tenure"]
    assert [row[0].text for row in rows] == [str(n) for n in range(1, 9)]
    assert [row[1].text for row in rows] == [
        *["Boston"] * 3, *["Cambridge"] * 3, *["Somerville"] * 2]
    assert {row[0].row for row in rows} == {""}  # nobody is selected yet


@pytest.mark.parametrize("seed", range(12))
def test_the_steps_follow_from_each_other(seed: int) -> None:
    """Selected, exchanged, counted: each step's table is what the one before makes of it."""
    first = {r[0].text: r for r in steps(1, seed)[1][1:]}
    sentence, (head, *rows) = steps(2, seed)
    assert [c.text for c in head][-1] == "Selected?"
    chosen = [r[0].text for r in rows if r[3].text == "selected"]
    assert {r[3].text for r in rows} <= {"selected", "no"}
    assert [r[0].text for r in rows if r[0].row == "chosen"] == chosen
    assert [r[0].text for r in rows if r[0].row == "left"] == [n for n in first if n not in chosen]
    assert len(chosen) != 1  # `Had it been one alone, all coins would be tossed again`
    assert ("Had it been one alone, all coins would be tossed again." in sentence) is bool(chosen)
    assert (f"{len(chosen)} of 8 were selected" if chosen else "nobody was selected") in sentence

    sentence, (head, *rows) = steps(3, seed)
    assert [c.text for c in head][-1] == "What it receives"
    towns = {n: r[1].text for n, r in first.items()}
    donors, after = {}, dict(towns)
    for row in rows:
        received = re.fullmatch(r"← (\w+), from household (\d)", row[4].text)
        assert (received is not None) == (row[0].text in chosen)
        if received is None:
            assert row[4].text == "keeps its town"
            continue
        after[row[0].text], donors[row[0].text] = received.groups()
    assert sorted(donors.values()) == sorted(chosen)  # what is given is received, once each
    assert all(giver != taker for taker, giver in donors.items())
    assert all(after[taker] == towns[giver] for taker, giver in donors.items())
    assert ("so that nobody gets back their own" in sentence) is bool(chosen)
    assert ("nothing is exchanged" in sentence) is not bool(chosen)
    stayed = sum(after[n] == towns[n] for n in chosen)
    assert ("changes nothing" in sentence) == bool(stayed)
    assert ("One household receives" in sentence) == (stayed == 1)
    assert (f"{stayed} households receive" in sentence) == (stayed > 1)

    sentence, (groups, _, *rows, foot) = steps(4, seed)
    assert [c.text for c in groups][1:3] == ["Owned", "Rented"]
    changed = 0
    for row in rows:
        for tenure, before, later in (("owned", 1, 2), ("rented", 3, 4)):
            mine = [n for n, r in first.items() if r[2].text == tenure]
            was = sum(towns[n] == row[0].text for n in mine)
            now = sum(after[n] == row[0].text for n in mine)
            assert number(row[before].text) == was
            assert number(row[later].text.split()[0]) == now
            changed += was != now
        assert row[5].locked
    assert [number(c.text.split()[0]) for c in foot[1:]] == [4, 4, 4, 4, 8]
    assert sentence.startswith(f"{changed or 'None'} of the 6 inner counts changed. All 6 totals")


@pytest.mark.parametrize(
    ("dark", "more", "fewer"), [(False, GREEN, PURPLE), (True, DARK_GREEN, DARK_PURPLE)]
)
def test_the_new_table_has_the_same_colours(
    dark: bool, more: tuple[int, ...], fewer: tuple[int, ...]
) -> None:
    found = sdc.ask("swapping_changes", STUDY, work=Work(started=()), dark=dark, step="4")
    drawn = found.panel("eight-households").drawing
    assert isinstance(drawn, str)
    (table,) = Rows(drawn).tables
    cells = [cell for row in table[2:-1] for cell in (row[2], row[4]) if "±" not in cell.text]
    assert len(cells) == 4
    for cell in cells:
        assert tint_of(cell.style)[0] == (more if "+" in cell.text else fewer)


def test_seeds_select_different_households() -> None:
    chosen = {
        tuple(r[0].text for r in steps(2, seed)[1][1:] if r[0].row == "chosen")
        for seed in range(12)
    }
    assert len(chosen) > 6


@pytest.mark.parametrize(("step", "back", "ahead"), [("1", None, "2"), ("2", "1", "3"),
                                                     ("4", "3", None)])
def test_back_and_next_step_lead_one_on(step: str, back: str | None, ahead: str | None) -> None:
    panel = asked(step=step).panel("eight-households")
    first, second = panel.actions
    assert (first.label, second.label) == ("Back", "Next step")
    assert second.primary and not first.primary
    assert (None if first.disabled else first.sets["step"]) == back
    assert (None if second.disabled else second.sets["step"]) == ahead
    assert panel.controls == ("step",)


# Where it comes from ------------------------------------------------------------------------------

def test_the_answer_is_not_about_the_study_s_data() -> None:
    found = asked(seed=11, rate=20)
    assert found.provenance is not None
    facts = found.provenance.facts()
    assert facts["data"].startswith("Massachusetts 1940") and "1940 US Census" in facts["data"]
    assert facts["features"] == ["COUNTY", "TENURE"] and facts["seed"] == 11
    assert facts["controls"] == {"rate": "20", "step": "1"}
    assert "sha256" not in facts and "rows" not in facts
    assert str(found).endswith("seed 11; simulated, up to one release a method.")
    assert "2019" not in str(found)
    (notice,) = found.notices
    assert notice.tone == "quiet" and notice.text.startswith("One swapped release, seed 11.")
    other = sdc.Study(sdc.load_dataset("tx2019-twin"), seed=11)
    again = sdc.ask("swapping_changes", other, work=Work(started=()), rate=20)
    assert (again.headline, again.more) == (found.headline, found.more)


# The page -----------------------------------------------------------------------------------------

def shown(app: Any) -> str:
    return " ".join(h.proto.body for h in app.get("html"))


def test_the_page_opens() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    change = swapped(0.05) - TRUE
    assert f"counts {change[COUNTIES.index('Suffolk'), 0]:,} more as owned" in answer(app)
    assert "Exactly as before: 17 of 17 totals" in shown(app)
    assert link(app) == {**SHARED, "seed": "7", "rate": "5", "step": "1"}
    assert "Nothing has been run with this seed yet" in said(app)
    assert "Count people by" not in [m.label for m in app.multiselect]


def test_a_deep_link_opens_to_the_same_page() -> None:
    wanted = {**SHARED, "rate": "50", "step": "4", "seed": "11"}
    app = opened(wanted, PAGE)
    assert not app.warning
    assert link(app) == wanted
    assert f"{swapped(0.5, 11)[0, 0]:,}" in shown(app)
    assert steps(4, 11)[0] in said(app)


@pytest.mark.parametrize("features", ["SEX,RAC1P", "NOSUCH", ""])
def test_links_from_when_the_sidebar_asked_what_to_count_by_still_open(features: str) -> None:
    app = opened({**TWIN, "features": features, "rate": "10"}, PAGE)
    assert not app.warning and not app.error
    assert "swapping 10% of dwellings" in answer(app)


def test_a_bad_link_is_explained() -> None:
    app = opened({**TWIN, "rate": "lots", "step": "9"}, PAGE)
    warned = " ".join(w.value for w in app.warning).replace("\\", "")
    assert "rate must be a number" in warned and "step must be one of" in warned
    assert link(app)["rate"] == "5" and link(app)["step"] == "1"


def press(app: Any, label: str) -> None:
    next(b for b in app.button if b.label == label).click().run()
    assert not app.exception


def test_next_and_back_walk_through_the_example() -> None:
    app = opened(TWIN, PAGE)
    for step in (2, 3, 4):
        press(app, "Next step")
        assert link(app)["step"] == str(step)
        assert steps(step, 7)[0] in said(app)
    assert next(b for b in app.button if b.label == "Next step").disabled
    press(app, "Back")
    assert link(app)["step"] == "3"
    assert "from household" in shown(app)


def test_runs_are_made_on_request_and_kept_with_their_seed() -> None:
    app = opened(TWIN, PAGE)
    press(app, "Run 120 swaps")
    assert len(app.get("plotly_chart")) == 2
    assert "All 120 swaps are done." in said(app)
    assert not [b for b in app.button if b.label.startswith("Run ")]
    app.select_slider(key="url.rate").set_value(10.0).run()
    assert len(app.get("plotly_chart")) == 2
    app.number_input(key="url.seed").set_value(8).run()
    assert "Run 120 swaps" in [b.label for b in app.button]
    assert len(app.get("plotly_chart")) == 1  # the changes alone


def test_the_rate_is_kept_on_the_way_to_the_other_page_about_swapping() -> None:
    app = opened({**TWIN, "rate": "20"}, PAGE)
    app.switch_page("../pages/swap_rate.py").run()
    assert not app.exception
    assert "swapping 20% among" in answer(app)

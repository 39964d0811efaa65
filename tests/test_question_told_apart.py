"""Told apart: charts, tables and sentences hold the numbers of the release, recomputed on records
with scikit-learn and pandas; what is said is true of hand-made results; the page shows the answer.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import sdc_core as sdc
from sdc_core.figures.theme import MUTED, SHADES
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.metrics.propensity import CLASSIFIERS, Propensity, Reference, Tree
from sdc_core.metrics.side_by_side import SideBySide
from sdc_core.questions import question
from sdc_core.questions.answer import Answer
from sdc_core.questions.question import Arguments, Given, settle
from sdc_core.questions.told_apart import what_the_paper_says
from sdc_core.questions.told_apart.compute import (
    CopyScores,
    Scores,
    ToldApart,
    copy_scores,
    told_apart,
)
from sdc_core.questions.told_apart.figures import left_out_places, place_chart
from sdc_core.questions.told_apart.words import (
    copies_sentence,
    finding_sentence,
    like_a_copy_sentence,
    marginal_sentence,
    no_places_sentence,
    ratio_sentence,
    told_apart_sentences,
)
from sdc_core.questions.work import Work
from sdc_core.words.numbers import sensible
from tests.contract import Contract
from tests.html_bars import aria_label, read_bars
from tests.page_driver import TWIN, answer, link, opened, said
from tests.test_kmarginal import by_pandas

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=("m1", "m2", "m3", "m4"),
    controls=("classifier", "t_k"),
    columns={
        "propensity": ("score", "original %, <method>", "released %, <method>"),
        "given-away": ("who", "people in the data", "<method>"),
        "told-apart": (
            "mechanism", "releases", "released people", "in empty groups",
            *(name for model in ("Decision tree", "Logistic regression") for what in (
                "pMSE", "times a copy's", "give themselves away", "of them in empty groups",
                "give themselves away %", "original records accused",
            ) for name in (f"{what}, {model}", f"standard error, {what}, {model}")),
            *(name for k in (2, 3) for name in (
                f"{k}-marginal score", f"standard error, {k}-marginal score",
                f"{k}-marginal, in empty groups %",
            )),
            "note",
        ),
        "k-marginal": ("mechanism", "place", "people", "released", "score", "standard error"),
    },
)

TOWNS, SEXES, HOMES, JOBS = ("Ash", "Elm", "Oak"), ("f", "m"), ("own", "rent"), ("a", "b", "c")
COUNTS = np.array([  # by town (a line each), sex, home and job; hardly anybody has job c
    120, 0, 0, 95, 140, 1, 60, 130, 0, 0, 180, 0,
    150, 110, 0, 70, 0, 0, 160, 2, 0, 125, 105, 0,
    0, 135, 0, 145, 115, 0, 100, 85, 0, 155, 165, 0,
])
CELLS = list(itertools.product(TOWNS, SEXES, HOMES, JOBS))
FEATURES = ("town", "sex", "home", "job")
SEED = 11  # not the usual one: a seed that is not handed on shows
CHOSEN = [
    sdc.mechanism("laplace"), sdc.mechanism("suppression", k=100),
    sdc.mechanism("suppression", k=90, keep_zeros=True),
    sdc.mechanism("dp-suppression", epsilon=4.0, k=60),
]
LABELS = [m.label() for m in CHOSEN]
PLAIN = [one.plain_label() for one in CHOSEN]
COLOURS = [SHADES["dp"][0], SHADES["sdc"][0], SHADES["sdc"][0], SHADES["dp-sdc"][0]]
PEOPLE = pd.DataFrame(
    [cell for cell, n in zip(CELLS, COUNTS, strict=True) for _ in range(n)], columns=FEATURES)
DATA = sdc.load_dataset(PEOPLE)
WORK = Work()  # shared: what is kept for one question must not be shown for another


def asked(work: Work | None = None, **controls: str) -> Answer:
    study = sdc.Study(DATA, FEATURES, SEED, CHOSEN, "as-set")
    return sdc.ask("told_apart", study, work=work or WORK, **controls)


@functools.cache
def releases(number: int) -> np.ndarray:
    """Released people in each cell, twenty times: hiding at k = 100 puts 50 wherever there are
    fewer, and at k = 90 puts 45 where there is anybody."""
    if number in (1, 2):
        k = (100, 90)[number - 1]
        hidden = k > COUNTS if number == 1 else np.isin(COUNTS, np.arange(1, k))
        return np.tile(np.where(hidden, k // 2, COUNTS), (20, 1))
    return sdc.released_people(CHOSEN[number], DATA.histogram(FEATURES), 20, SEED)


def release(number: int) -> np.ndarray:
    return releases(number)[0]


def by_tree(codes: np.ndarray, here: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Scores of the patterns by a tree that was shown one row a record."""
    rows = np.r_[np.repeat(codes, here, axis=0), np.repeat(codes, there, axis=0)]
    labels = np.r_[np.zeros(here.sum()), np.ones(there.sum())]
    model = DecisionTreeClassifier(max_depth=12, min_samples_leaf=10, random_state=0)
    return model.fit(rows, labels).predict_proba(codes)[:, 1]


def by_regression(codes: np.ndarray, here: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Scores by scikit-learn's logistic regression with a column for each value."""
    columns = np.concatenate([np.eye(codes[:, j].max() + 1)[codes[:, j]] for j in range(4)], axis=1)
    model = LogisticRegression(solver="newton-cholesky", tol=1e-12, max_iter=500)
    model.fit(np.r_[columns, columns], np.repeat([0, 1], len(codes)), np.r_[here, there])
    return model.predict_proba(columns)[:, 1]


MODELS = {"tree": by_tree, "logistic": by_regression}
TITLES = {"tree": "Decision tree", "logistic": "Logistic regression"}


def dice(stream: int) -> np.random.Generator:
    return np.random.default_rng(np.random.SeedSequence(SEED, spawn_key=(stream,)))


class Deal:
    """People dealt into five folds; each fold, or one of them alone, is scored by a model that was
    shown the others."""

    def __init__(
        self, model: str, released: np.ndarray, rng: np.random.Generator, only: int | None = None
    ) -> None:
        self.used = np.flatnonzero((COUNTS > 0) | (released > 0))
        codes = np.stack(np.unravel_index(self.used, (3, 2, 2, 3)), axis=1)
        sides = [COUNTS[self.used], released[self.used]]
        self.here, self.there = (rng.multinomial(side, np.full(5, 0.2)).T for side in sides)
        if only is not None:
            self.here, self.there = self.here[[only]], self.there[[only]]
        self.all = released.sum()
        self.scores = np.stack([
            MODELS[model](codes, sides[0] - here, sides[1] - there)
            for here, there in zip(self.here, self.there, strict=True)
        ])
        self.share = released.sum() / (COUNTS.sum() + released.sum())

    @property
    def pmse(self) -> float:
        return float(np.average((self.scores - self.share) ** 2, weights=self.here + self.there))

    @property
    def even(self) -> np.ndarray:
        """Scores as if both sides had equally many records."""
        odds = self.scores / (1 - self.scores + 1e-300) * (1 - self.share) / self.share
        return odds / (1 + odds)

    @functools.cached_property
    def away(self) -> np.ndarray:
        """Released records with a score of 95 or more, for each cell of the table: as many of all
        as of those that are scored."""
        found = np.zeros(len(COUNTS))
        found[self.used] = np.where(self.even >= 0.95, self.there, 0).sum(axis=0)
        return found * (self.all / self.there.sum())

    @property
    def accused(self) -> float:
        return float(self.here[self.even >= 0.95].sum() * (COUNTS.sum() / self.here.sum()))

    def shares(self, side: np.ndarray) -> np.ndarray:
        """Per cent of records in each range of five points, from 0 to 100."""
        bins = np.clip(np.ceil(self.even * 20) - 1, 0, 19).astype(int)
        return 100 * np.bincount(bins.ravel(), side.ravel(), minlength=20) / side.sum()


@functools.cache
def deals(model: str, number: int) -> list[Deal]:
    """Every release, dealt into folds of its own: the first is scored in all, the others in one."""
    return [
        Deal(model, row, dice(1_000_000 + r), r % 5 if r else None)
        for r, row in enumerate(releases(number))
    ]


def first_deal(model: str, number: int) -> Deal:
    return deals(model, number)[0]


@functools.cache
def away(model: str, number: int) -> np.ndarray:
    """Records that give themselves away, by release and cell."""
    return np.array([deal.away for deal in deals(model, number)])


@functools.cache
def shares_away(model: str, number: int) -> np.ndarray:
    """Per cent of its records, release by release."""
    return 100 * away(model, number).sum(axis=1) / releases(number).sum(axis=1)


@functools.cache
def ratios(model: str, number: int) -> np.ndarray:
    """pMSE of each release, in multiples of an exact copy's of the same size."""
    return np.array([times_a_copy(model, deal) for deal in deals(model, number)])


def times_a_copy(model: str, deal: Deal) -> float:
    return deal.pmse / (np.mean(copies(model)) * 8 * deal.share * (1 - deal.share) ** 2)


def ratio(model: str, number: int) -> float:
    return float(ratios(model, number).mean())


def error(each: np.ndarray) -> float:
    return float(np.std(each, ddof=1) / np.sqrt(len(each)))


def told(one: np.ndarray, other: np.ndarray) -> bool:
    """Do they differ by more than two standard errors, release by release?"""
    gap = np.asarray(one) - np.asarray(other)
    return abs(gap.mean()) > 2 * error(gap) + 1e-12


@functools.cache
def copied(model: str) -> list[Deal]:
    return [Deal(model, COUNTS, dice(2_000_000 + r)) for r in range(40)]


@functools.cache
def copies(model: str) -> np.ndarray:
    return np.array([deal.pmse for deal in copied(model)])


@functools.cache
def copies_by_fold(model: str) -> np.ndarray:
    """What each fold of each copy scores."""
    return np.array([
        np.average((scores - 0.5) ** 2, weights=here + there)
        for deal in copied(model)
        for scores, here, there in zip(deal.scores, deal.here, deal.there, strict=True)
    ])


@functools.cache
def fresh_pmse(model: str) -> float:
    """People drawn anew from the occupied cells, ten times."""
    found, occupied = [], COUNTS > 0
    for r in range(10):
        rng, sample = dice(4_000_000 + r), np.zeros(len(COUNTS), dtype=int)
        sample[occupied] = rng.multinomial(COUNTS.sum(), COUNTS[occupied] / COUNTS.sum())
        found.append(Deal(model, sample, rng).pmse)
    return float(np.mean(found))


def by_records(counts: np.ndarray, k: int) -> tuple[float, dict[str, float]]:
    shown = pd.DataFrame(np.repeat(np.array(CELLS), counts, axis=0), columns=FEATURES)
    return by_pandas(PEOPLE, shown, k, "town")


@functools.cache
def scored(number: int, k: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """k-marginal score and those of places, on records, release by release."""
    rows = releases(number)
    found = [by_records(row, k) for row in (rows[:1] if number in (1, 2) else rows)]
    found = found * (20 if number in (1, 2) else 1)  # hiding does the same each time
    return (np.array([score for score, _ in found]),
            {town: np.array([places[town] for _, places in found]) for town in TOWNS})


def marginal_scores(number: int, k: int) -> tuple[float, dict[str, float]]:
    score, places = scored(number, k)
    return float(score.mean()), {town: float(each.mean()) for town, each in places.items()}


@functools.cache
def fresh_score(k: int) -> float:
    samples = [
        dice(3_000_000 + r).multinomial(COUNTS.sum(), COUNTS / COUNTS.sum()) for r in range(5)
    ]
    return float(np.mean([by_records(sample, k)[0] for sample in samples]))


both = pytest.mark.parametrize("model", ["tree", "logistic"])


def written(per_cent: float) -> str:
    return f"{sensible(per_cent)}%"


def rounded(per_cent: float) -> str:
    return f"{sensible(float(f'{per_cent:.2g}'))}%"


def beats_mistakes(model: str, number: int) -> bool:
    """Are more of the released records recognised than original ones taken for them, beyond two
    standard errors? Per cent of either side."""
    wrong = 100 * np.array([deal.accused for deal in deals(model, number)]) / COUNTS.sum()
    more = shares_away(model, number) - wrong
    return bool(away(model, number).any() and more.mean() > 2 * error(more))


@both
def test_headline_names_the_most_and_the_least_recognisable(model: str) -> None:
    found = asked(classifier=model)
    shares = [shares_away(model, n) for n in range(4)]
    means = [share.mean() for share in shares]
    top, low = int(np.argmax(means)), int(np.argmin(means))
    most = [n for n in range(4) if not told(shares[n], shares[top])]
    least = [n for n in range(4) if not told(shares[n], shares[low])]
    assert not set(most) & set(least) and 1 in most and 0 in least
    first, second = max(most, key=lambda n: means[n]), min(least, key=lambda n: means[n])
    said_so = {n: (
        f"none after {CHOSEN[n].spoken()}" if not away(model, n).any()
        else f"no more than by mistake after {CHOSEN[n].spoken()}" if not beats_mistakes(model, n)
        else f"hardly any after {CHOSEN[n].spoken()}" if away(model, n).sum() < 20
        else f"{rounded(means[n])} after {CHOSEN[n].spoken()}") for n in range(4)}
    invents = [bool(releases(n)[:, COUNTS == 0].any()) for n in (first, second)]
    start = said_so[first].replace("% after", "% of records after")
    assert found.headline.startswith(f"A computer recognises {start}, {said_so[second]}")
    assert ("fills empty groups" in found.headline) == (invents[0] != invents[1])
    if invents[0] != invents[1]:
        assert f"only the {'former' if invents[0] else 'latter'} fills" in found.headline
    for n in set(range(4)) - {first, second}:
        assert said_so[n] in found.more
    assert f"at least 95% sure ({TITLES[model].lower()})" in found.more.parts[0]
    chief = max((n for n in range(4) if beats_mistakes(model, n)),
                key=lambda n: away(model, n).sum())
    spotted = away(model, chief)
    inside = 100 * spotted[:, COUNTS == 0].sum() / spotted.sum()
    assert (f"After {CHOSEN[chief].spoken()}, {sensible(spotted.sum() / 20)} records are recogn" in
            found.more)
    have = f"{inside:.0f}% of them have a combination of values that nobody"
    assert have in found.more or inside in (0, 100)
    accused = np.mean([deal.accused for deal in deals(model, chief)])
    assert f"takes {sensible(accused)} original record" in found.more or accused == 0
    assert "; nobody real is found by this: " in found.more.parts[0]
    assert "Means over 20 releases; methods are ranked only where" in found.more
    none = [n for n in range(4) if not away(model, n).any()]
    assert ("in at most 15% of releases" in found.more) == bool(none)  # 3 of 20


@both
def test_score_charts_are_the_shares_of_both_sides(model: str) -> None:
    panel = asked(classifier=model).panel("propensity")
    assert len(panel.figures) == 4
    for number, chart in enumerate(panel.figures):
        title, note = chart.layout.title.text.split("<br>", 1)
        assert PLAIN[number].startswith(title.removeprefix("<b>").removesuffix("</b>"))
        share = shares_away(model, number)
        spread = f" ± {written(error(share))}" if np.ptp(share) > 1e-9 else ""
        end = " recognised" if beats_mistakes(model, number) else ", as many by mistake"
        given = f"{written(share.mean())}{spread}{end}"
        assert (given in note) == (share.mean() > 0)
        assert ("none recognised in 20 releases" in note) == (share.mean() == 0)
        for line in re.sub("</?(b>|span[^>]*>)", "", chart.layout.title.text).split("<br>"):
            assert len(line) <= 35  # of 12 pixels each letter is some 7 wide: four charts in 1,040
        assert [t.name for t in chart.data] == ["original", "released"]
        assert [t.line.color for t in chart.data] == [MUTED, COLOURS[number]]
        for trace, expected in zip(chart.data, mean_shares(model, number), strict=True):
            np.testing.assert_allclose(trace.x, np.arange(2.5, 100, 5))
            np.testing.assert_allclose(np.square(trace.y), expected, atol=1e-6)
            assert trace.text[19].endswith("score 95 to 100")
            assert trace.text[19].startswith(f"{trace.name} records: {expected[19]:.2g}%")


@functools.cache
def mean_shares(model: str, number: int) -> tuple[np.ndarray, np.ndarray]:
    """Per cent of original and released records in each range of scores, over all releases."""
    each = deals(model, number)
    return (np.mean([deal.shares(deal.here) for deal in each], axis=0),
            np.mean([deal.shares(deal.there) for deal in each], axis=0))


def test_panels_come_in_order_and_are_told_to_those_who_do_not_see_them() -> None:
    found = asked()
    assert [(p.name, p.title) for p in found.panels] == [
        ("propensity", "How surely is a record recognised as released?"),
        ("given-away", "Which released records are recognised?"),
        ("told-apart", "How far from a copy?"),
        ("k-marginal", "Do small tables agree, place by place?"),
    ]
    assert found.panel("propensity").alt.endswith(found.headline)
    bars = found.panel("told-apart")
    assert aria_label(bars.drawing) == bars.alt and "which by chance alone" in bars.alt
    assert found.panel("k-marginal").alt.split(". ", 1)[1] in found.panel("k-marginal").caption


def test_score_charts_are_on_one_scale_with_a_red_strip_at_the_end() -> None:
    charts = asked(classifier="tree").panel("propensity").figures
    assert len({tuple(c.layout.yaxis.range) for c in charts}) == 1
    tallest = max(max(t.y) for c in charts for t in c.data)
    for chart in charts:
        low, high = chart.layout.yaxis.range
        assert low == 0 and tallest < high < 1.1 * tallest
        for value, text in zip(
            chart.layout.yaxis.tickvals, chart.layout.yaxis.ticktext, strict=True
        ):
            assert value**2 == pytest.approx(float(text.removesuffix("%")))
        (strip,) = chart.layout.shapes
        assert (strip.x0, strip.x1) == (95, 100)
        assert strip.fillcolor.startswith("rgba(198,38,62,")  # the red of failures, #C6263E
        assert tuple(chart.layout.xaxis.range) == (0, 100)
        assert "how surely released" in chart.layout.xaxis.title.text


@both
def test_score_table_has_the_numbers_of_the_charts(model: str) -> None:
    table = asked(classifier=model).panel("propensity").table
    assert list(table["score"][[0, 19]]) == ["0 to 5", "95 to 100"]
    assert len(table.columns) == 1 + 2 * 4
    for number, label in enumerate(LABELS):
        for side, expected in zip(
            ("original", "released"), mean_shares(model, number), strict=True
        ):
            np.testing.assert_allclose(
                table[f"{side} %, {number + 1}. {label}"], expected, atol=1e-6)


@both
def test_who_gives_themselves_away(model: str) -> None:
    panel = asked(classifier=model).panel("given-away")
    by_method = {
        f"{n + 1}. {label}": first_deal(model, n).away for n, label in enumerate(LABELS)
        if first_deal(model, n).away.any()
    }
    assert f"1. {LABELS[0]}" not in by_method  # nobody, so no column
    most = np.max(list(by_method.values()), axis=0)
    table = panel.table
    assert table is not None and list(table.columns) == ["who", "people in the data", *by_method]
    assert len(table) == np.count_nonzero(most)
    assert panel.caption.startswith(
        f"The first release of each method alone: {np.count_nonzero(most)} combinations of values ")
    places = {", ".join(cell): i for i, cell in enumerate(CELLS)}
    cells = [places[who] for who in table["who"]]
    assert list(table["people in the data"]) == COUNTS[cells].tolist()
    for name, away in by_method.items():
        assert list(table[name]) == away[cells].tolist()
    assert (np.diff(most[cells]) <= 0).all()  # those with most such records first
    assert isinstance(panel.drawing, str)
    listed = re.findall(r"<li>(.*?)</li>", panel.drawing)
    assert len(listed) == min(12, len(table))
    for text, cell in zip(listed, cells, strict=False):
        who, *counts = re.sub(r"</?(?:p|i)[^>]*>", "\n", text).split("\n\n")
        has = COUNTS[cell]
        assert who.strip() == f"{', '.join(CELLS[cell])}: {has or 'nobody'} in the data"
        assert [c.strip() for c in counts if c.strip()] == [
            f"{int(deal.away[cell])} after {CHOSEN[n].spoken()}" for n in range(4)
            if (deal := first_deal(model, n)).away[cell]]


@both
def test_summary_numbers_by_another_way(model: str) -> None:
    """Means over twenty releases dealt on records, an exact copy over forty, a fresh sample over
    ten; and how far the means may stray."""
    found = asked().panel("told-apart")
    table, title = found.table, TITLES[model]
    assert list(table["mechanism"]) == [*LABELS, "a fresh sample"]
    for number in range(4):
        row, each = table.iloc[number], deals(model, number)
        spotted = away(model, number)
        assert row["released people"] == pytest.approx(releases(number).sum(axis=1).mean())
        assert row["in empty groups"] == pytest.approx(
            releases(number)[:, COUNTS == 0].sum(axis=1).mean())
        for what, numbers in (
            ("times a copy's", ratios(model, number)), ("pMSE", [d.pmse for d in each]),
            ("give themselves away", spotted.sum(axis=1)),
            ("of them in empty groups", spotted[:, COUNTS == 0].sum(axis=1)),
            ("give themselves away %", shares_away(model, number)),
            ("original records accused", [d.accused for d in each]),
        ):
            assert row[f"{what}, {title}"] == pytest.approx(np.mean(numbers), rel=1e-5), what
            assert row[f"standard error, {what}, {title}"] == pytest.approx(
                error(np.asarray(numbers)), rel=1e-3), what
        for k in (2, 3):
            score = scored(number, k)[0]
            assert row[f"{k}-marginal score"] == pytest.approx(score.mean())
            assert row[f"standard error, {k}-marginal score"] == pytest.approx(
                error(score), abs=1e-9)
            assert row[f"{k}-marginal, in empty groups %"] == pytest.approx(
                np.mean([invented(row, k) for row in releases(number)]))
    fresh = table.iloc[4]
    assert fresh[f"pMSE, {title}"] == pytest.approx(fresh_pmse(model), rel=1e-5)
    assert fresh[f"times a copy's, {title}"] == pytest.approx(
        fresh_pmse(model) / copies(model).mean(), rel=1e-5)
    for k in (2, 3):
        assert fresh[f"{k}-marginal score"] == pytest.approx(fresh_score(k))


def invented(counts: np.ndarray, k: int) -> float:
    """Per cent of released people in groups of the average table that have nobody."""
    cubes = [side.reshape(3, 2, 2, 3) for side in (COUNTS, counts)]
    found = []
    for left_out in ([3], [2], [1]) if k == 2 else ([],):
        truth, shown = (cube.sum(axis=tuple(left_out)) for cube in cubes)
        found.append(100 * shown[truth == 0].sum() / shown.sum())
    return float(np.mean(found))


@both
def test_summary_bars_say_and_draw_those_numbers(model: str) -> None:
    """By the classifier that is chosen."""
    panels = read_bars(asked(classifier=model).panel("told-apart").drawing)
    assert [p.title for p in panels] == [
        "Recognised, values that people have", "Recognised, values that nobody has",
        TITLES[model], "Misplaced in 2-way tables", "Misplaced in 3-way tables",
    ]
    for panel in panels:
        assert [row.label for row in panel.rows] == PLAIN
        assert [row.colour for row in panel.rows] == COLOURS
    spotted, made_up = panels[:2]
    inside = [away(model, n)[:, COUNTS == 0].sum(axis=1) for n in range(4)]
    there = [away(model, n).sum(axis=1) - inside[n] for n in range(4)]
    shares = [
        [100 * np.mean(part[n] / releases(n).sum(axis=1)) for n in range(4)]
        for part in (there, inside)
    ]
    top = max(1.0, *shares[0], *shares[1])
    for panel, part in zip((spotted, made_up), shares, strict=True):
        assert panel.note == f"% of released records, {TITLES[model].lower()}"
        assert [row.text for row in panel.rows] == [written(share) for share in part]
        assert [row.length for row in panel.rows] == pytest.approx(
            [100 * share / top for share in part], abs=0.01)
    panel, means = panels[2], [ratio(model, n) for n in range(4)]
    assert [float(row.text) for row in panel.rows] == pytest.approx(means, rel=0.01)
    assert [row.length for row in panel.rows] == pytest.approx(
        [100 * r / max(means) for r in means], abs=0.01)
    fresh = fresh_pmse(model) / copies(model).mean()
    assert float(panel.note.removeprefix("pMSE, copy = 1, fresh sample = ")) == pytest.approx(
        fresh, abs=0.006)
    for panel, k in zip(panels[3:], (2, 3), strict=True):
        lost = [100 - marginal_scores(n, k)[0] / 10 for n in range(4)]
        for row, per_cent in zip(panel.rows, lost, strict=True):
            share, score = re.fullmatch(r"([\d.]+)% \(score (\d+)\)", row.text).groups()
            assert float(share) == pytest.approx(per_cent, rel=0.01)
            assert int(score) == int(1000 - 10 * per_cent + 1e-9)
            assert row.length == pytest.approx(100 * per_cent / max(lost), abs=0.01)
        share = re.fullmatch(r"fresh sample: ([\d.]+)% \(score \d+\)", panel.note)[1]
        assert float(share) == pytest.approx(100 - fresh_score(k) / 10, rel=0.01)


@both
def test_where_an_exact_copy_would_lie_is_said(model: str) -> None:
    caption, named = asked(classifier=model).panel("told-apart").caption, TITLES[model].lower()
    ((low, high, name),) = re.findall(r"between ([\d.]+) and ([\d.]+) \((.*?)\)", caption)
    reach = 2 / copies(model).mean() * np.hypot(
        copies_by_fold(model).std(ddof=1) / np.sqrt(20), copies(model).std(ddof=1) / np.sqrt(40))
    assert name == named
    assert (float(low), float(high)) == pytest.approx((1 - reach, 1 + reach), abs=0.006)
    shown = re.search(rf"at about ([\d.]+) \({named}\)\.", caption)
    assert float(shown[1]) == pytest.approx(fresh_pmse(model) / copies(model).mean(), abs=0.006)


def test_only_the_chosen_classifier_is_fitted_until_the_table_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A moved slider waits for what is shown alone; the table of all numbers has both all the
    same."""
    fitted: list[str] = []

    def noting(name: str, whole: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*given: Any) -> Any:
            fitted.append(name)
            return whole(*given)
        return noted

    for name, one in CLASSIFIERS.items():
        monkeypatch.setattr(type(one), "scores", noting(name, type(one).scores))
    found = asked(Work())
    assert set(fitted) == {"tree"}
    table = found.panel("told-apart").table
    assert set(fitted) == {"tree", "logistic"}
    assert {f"pMSE, {title}" for title in TITLES.values()} <= set(table)


@pytest.mark.parametrize("k", [2, 3])
def test_places_have_their_own_scores(k: int) -> None:
    panel = asked(t_k=str(k)).panel("k-marginal")
    (chart,) = panel.figures
    assert [t.name.replace("<br>", " ") for t in chart.data] == PLAIN
    assert [t.marker.color for t in chart.data] == COLOURS
    cube = COUNTS.reshape(3, -1).sum(axis=1)
    for number, trace in enumerate(chart.data):
        places = marginal_scores(number, k)[1]
        assert list(trace.y) == list(TOWNS)
        assert list(trace.x) == pytest.approx([places[t] for t in TOWNS])
        shown = releases(number).reshape(20, 3, -1).sum(axis=2).mean(axis=0)
        errors = [error(scored(number, k)[1][town]) for town in TOWNS]
        np.testing.assert_allclose(trace.customdata, np.stack([cube, shown, errors], axis=1),
                                   atol=1e-9)
        assert list(trace.error_x.array) == pytest.approx(errors, abs=1e-9)
        assert trace.hovertemplate.startswith(
            f"{PLAIN[number]}<br>%{{y}}<br>score %{{x:.0f}} ± %{{customdata[2]:.1f}}<br>")
        assert "%{customdata[0]:,} people, %{customdata[1]:,.0f} released" in trace.hovertemplate
    lowest = min(min(t.x) for t in chart.data)
    low, high = chart.layout.xaxis.range
    assert lowest - 50 < low < lowest and 1000 < high < 1010
    assert chart.layout.xaxis.title.text.startswith(f"{k}-marginal score")
    assert chart.layout.yaxis.autorange == "reversed"  # the first place on top
    assert panel.alt.startswith(f"{k}-marginal score of each place")
    table = panel.table.set_index(["mechanism", "place"])
    assert len(table) == 4 * 3
    for number, label in enumerate(LABELS):
        for town, score in marginal_scores(number, k)[1].items():
            assert table.loc[(label, town), "score"] == pytest.approx(score)


@pytest.mark.parametrize("k", [2, 3])
def test_places_in_words(k: int) -> None:
    caption = asked(t_k=str(k)).panel("k-marginal").caption
    each = [scored(n, k)[0] for n in range(4)]
    means = [score.mean() for score in each]
    best, worst = (
        [n for n in range(4) if not told(each[n], each[int(end(means))])]
        for end in (np.argmax, np.argmin)
    )
    tables = "the average table of 2 features" if k == 2 else "the table of sex, home and job"
    assert caption.startswith(f"In {tables} by town, {CHOSEN[best[0]].spoken()} puts ")
    lost = re.findall(r"([\d.]+)% (?:of people in the wrong group )?\((?:score )?(\d+)\)", caption)
    assert [int(score) for _, score in lost] == [int(means[n] + 1e-9) for n in (*best, *worst)]
    assert [float(text) for text, _ in lost] == pytest.approx(
        [100 - means[n] / 10 for n in (*best, *worst)], rel=0.01)
    last = int(np.argmin(means))
    places = scored(last, k)[1]
    low, high = (
        [t for t in TOWNS
         if not told(places[t], places[end(TOWNS, key=lambda town: places[town].mean())])]
        for end in (min, max)
    )
    listed = [" and ".join(f"{t} ({int(places[t].mean() + 1e-9)})" for t in part)
              for part in (low, high)]
    after = f"By town, the score after {CHOSEN[last].spoken()} is lowest in "
    assert f"{after}{listed[0]} and highest in {listed[1]}." in caption
    for n in range(4):
        put = np.mean([invented(row, k) for row in releases(n)])
        assert (f"{written(put)} after {CHOSEN[n].spoken()}" in caption) == (put > 0)
    assert f"would score about {int(fresh_score(k))}." in caption


def test_everything_depends_on_the_seed() -> None:
    """Asked again with the same kept results and another seed: numbers of that seed."""
    study = sdc.Study(DATA, FEATURES, SEED + 1, CHOSEN[1:2], "as-set")
    again, anew = (sdc.ask("told_apart", study, work=w) for w in (WORK, Work()))
    for name, table in anew.tables().items():
        pd.testing.assert_frame_equal(again.panel(name).table, table)
    before = asked().panel("told-apart").table.set_index("mechanism")
    after = anew.panel("told-apart").table.set_index("mechanism")
    assert (before.loc[LABELS[1], "released people"] == after.loc[LABELS[1], "released people"])
    assert before.loc[LABELS[1], "pMSE, Decision tree"] != after.loc[
        LABELS[1], "pMSE, Decision tree"]
    assert before.loc["a fresh sample", "2-marginal score"] != after.loc[
        "a fresh sample", "2-marginal score"]


def test_a_method_that_takes_long_waits_and_the_others_do_not() -> None:
    work = Work(started=set())
    study = sdc.Study(DATA, FEATURES, SEED, [CHOSEN[0], sdc.mechanism("aim"), CHOSEN[2]])
    found = sdc.ask("told_apart", study, work=work)
    assert [job.label for job in found.waiting] == ["Run AIM synthetic data"]
    assert len(found.panel("propensity").figures) == 2
    alone = sdc.Study(DATA, FEATURES, SEED, [sdc.mechanism("aim")])
    found = sdc.ask("told_apart", alone, work=Work(started=set()))
    assert not found.panels and "no release to tell apart" in found.headline


def test_the_methods_of_the_figure_are_one_click_away() -> None:
    """Figure 2 of Das, Tajeddine and Fioretto is at ε = 4, with AIM, Laplace and DP suppression by
    their equation 1, which always hides counts below k and fills empty groups."""
    given = Given(sdc.Study(DATA))
    assert list(question("told_apart").methods(given)) == ["m1", "m2", "m3", "m4"]
    (figure,) = question("told_apart").presets(given)
    assert [(m.name, m.settings()["epsilon"]) for m in figure.methods] == [
        ("aim", 4.0), ("laplace", 4.0), ("dp-suppression", 4.0)]
    assert figure.methods[2].settings()["variant"] == "P2"
    assert (str(figure.empty_groups), figure.domain) == ("treated", "observed")


def test_the_paper_is_quoted_only_where_all_is_as_in_it() -> None:
    census = sdc.load_dataset("ma2019-twin")
    paper = ("PUMA", "SEX", "RAC1P", "PINCP_DECILE", "OWN_RENT")
    (figure,) = question("told_apart").presets(Given(sdc.Study(census)))

    def quoted(study: sdc.Study) -> bool:
        given = Given(study)
        settle(question("told_apart"), given, Arguments({}))
        return "Fioretto" in what_the_paper_says(given)

    study = figure.applied(sdc.Study(census, paper))
    assert quoted(study)
    for changed in (
        figure.applied(sdc.Study(census)), study.with_methods(study.methods[:2]),
        dataclasses.replace(study, empty_groups="left"), sdc.Study(census, paper),
        dataclasses.replace(study, domain="dictionary"),
    ):
        assert not quoted(changed)


def test_values_whose_labels_are_cut_short_alike_stay_apart() -> None:
    """Labels are cut at 60 signs; two jobs that differ after that are still two groups."""
    long = "x" * 70
    names = {"a": f"{long} first", "b": f"{long} second", "c": f"{long} third"}
    data = sdc.load_dataset(PEOPLE.replace({"job": names}))
    study = sdc.Study(data, FEATURES, SEED, CHOSEN[1:2], "as-set")
    table = sdc.ask("told_apart", study).panel("given-away").table
    away = first_deal("tree", 1).away
    assert len(table) == np.count_nonzero(away)
    assert table[f"1. {LABELS[1]}"].sum() == away.sum()


def test_of_very_many_only_the_first_are_shown() -> None:
    """People on the diagonal of a table of 18 by 18: the 306 other groups are filled by hiding."""
    values = [f"v{i:02}" for i in range(18)]
    data = sdc.load_dataset(pd.DataFrame({"one": values * 500, "two": values * 500}))
    study = sdc.Study(data, ("one", "two"), SEED, [sdc.mechanism("suppression", k=100)],
                      "treated")
    panel = sdc.ask("told_apart", study).panel("given-away")
    assert str(panel.drawing).count("<li>") == 12 and len(panel.table) > 200
    assert f"{len(panel.table)} combinations of values" in panel.caption
    assert "(the first 12 are shown)" in panel.caption


def asked_by(features: Sequence[str], data: sdc.Dataset = DATA, **controls: str) -> Answer:
    study = sdc.Study(data, features, SEED, CHOSEN[1:3], "as-set")
    return sdc.ask("told_apart", study, work=WORK, **controls)


def test_one_feature_only_and_no_place() -> None:
    """Without places there is no score by place; with places alone there are no tables to make."""
    found = asked_by(["sex"])
    caption = found.panel("k-marginal").caption
    assert caption.startswith("In the table of sex, ")
    assert "not counted by place" in caption and "add “town” in the sidebar" in caption
    assert [p.title for p in read_bars(found.panel("told-apart").drawing)][3:] == [
        "Misplaced in 1-way tables"]
    found = asked_by(["town"])
    assert found.panel("k-marginal").caption == (
        "The table is counted by town alone: there is no other feature to make tables of. Count "
        "people by at least two features.")
    texts = [row.text for p in read_bars(found.panel("told-apart").drawing)[3:] for row in p.rows]
    assert set(texts) == {"not defined"}
    assert "at least 95% sure (decision tree)" in found.more


def test_tables_of_three_are_offered_where_there_are_any() -> None:
    """Two features beside the place make tables of two alone, and so do two without a place."""
    for features in (["town", "sex", "home"], ["sex", "home"]):
        with pytest.raises(sdc.InputError, match="no control 't_k'"):
            asked_by(features, t_k="3")
        panels = read_bars(asked_by(features).panel("told-apart").drawing)
        assert [p.title for p in panels[3:]] == ["Misplaced in 2-way tables"]
    without = asked_by(["sex", "home", "job"], t_k="3").panel("k-marginal")
    assert without.caption.startswith("In the table of sex, home and job, ")
    assert without.drawing is None and without.controls == ("t_k",)


def test_data_without_a_place_is_not_asked_for_one() -> None:
    data = sdc.load_dataset(PEOPLE.rename(columns={"town": "school"}))
    caption = asked_by(["school", "sex", "home"], data).panel("k-marginal").caption
    assert caption.startswith("In the average table of 2 features, ")
    assert "No column of this data reads like a place" in caption and "sidebar" not in caption


def none_for_laplace(one: Mechanism, *rest: Any, **more: Any) -> Any:
    return sdc.released_people(one, *rest, **more) * (one.name != "laplace")


def test_a_release_with_nobody_in_it_leaves_the_others_standing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sdc_core.questions.work.released_people", none_for_laplace)
    found = asked(Work())
    notice = found.notices[-1]
    assert notice.text.startswith(f"{LABELS[0]}: ") and "no people in it" in notice.text
    assert notice.tone == "warning"
    text = f"{found.headline} {found.more}"
    assert [CHOSEN[n].spoken() in text for n in (1, 0)] == [True, False]
    charts = found.panel("propensity").figures
    assert [chart.data[1].line.color for chart in charts] == COLOURS[1:]
    table = found.panel("told-apart").table
    assert list(table["releases"][:2]) == [0, 20]
    assert table["released people"][1] == release(1).sum()
    alone = sdc.Study(DATA, FEATURES, SEED, CHOSEN[:1])
    found = sdc.ask("told_apart", alone, work=Work())
    assert "no release to tell apart" in found.headline and not found.panels
    assert found.more == notice.text


def some_for_laplace(one: Mechanism, *rest: Any, **more: Any) -> Any:
    rows = sdc.released_people(one, *rest, **more)
    return rows * (np.arange(len(rows)) % 2 if one.name == "laplace" else 1)[:, None] if (
        one.name == "laplace") else rows


def test_releases_with_nobody_are_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdc_core.questions.work.released_people", some_for_laplace)
    found = asked(Work())
    assert found.notices[-1].text == f"{LABELS[0]}: 10 of 20 releases have people in them."
    assert "Means over 10 to 20 releases" in found.more
    table = found.panel("told-apart").table
    assert table["releases"][0] == 10
    assert table["released people"][0] == pytest.approx(releases(0)[1::2].sum(axis=1).mean())
    # the first release with people is the second, which is then scored in all folds
    first = times_a_copy("tree", Deal("tree", releases(0)[1], dice(1_000_001)))
    assert table["times a copy's, Decision tree"][0] == pytest.approx(
        np.mean([first, *ratios("tree", 0)[3::2]]), rel=1e-5)


LAPLACE, GEOMETRIC = sdc.mechanism("laplace", epsilon=4.0), sdc.mechanism("geometric")
FILLS = sdc.mechanism("dp-suppression", epsilon=4.0)
LEAVES = sdc.mechanism("suppression", keep_zeros=True)
AIM, TOPDOWN = sdc.mechanism("aim"), sdc.mechanism("topdown")
REFERENCE = Reference(
    copy=0.001, fresh=0.003, copy_spread=0.0002, copies=40, release_spread=0.0002)
AGAINST = CopyScores({"tree": REFERENCE, "logistic": REFERENCE}, {2: 980.0, 3: 970.0})


Each = int | float | Sequence[float]


def one(
    mechanism: Mechanism, real: Each, made_up: Each, pmse: Each = 0.002, number: int = 4
) -> ToldApart:
    """Releases of 1,000 of whom `real` in a group of the data and `made_up` in an empty one give
    themselves away, made by hand; one number for all releases, or one for each."""
    features = (Feature("f", "f", ("0", "1", "2"), ("0", "1", "2")),)
    each = [
        [value] * number if isinstance(value, (int, float)) else list(value)
        for value in (real, made_up, pmse)
    ]
    found = []
    for here, there, score in zip(*each, strict=True):
        pair = SideBySide(features, np.arange(3)[:, None], np.array([999, 1, 0]),
                          np.array([1000 - here - there, here, there], dtype=np.int64))
        found.append(Propensity(
            pair, Tree(), np.array([[0.5, 0.99, 0.99]]), pair.original[None, :],
            pair.released[None, :], score, REFERENCE, 1,
        ))
    return ToldApart(
        mechanism, OverReleases(np.full(len(found), 1000.0)),
        OverReleases(np.array(each[1], dtype=float)), {"tree": Scores.of(found)}, {},
    )


@pytest.mark.parametrize(("filling", "leaving", "noise", "says"), [
    (100, 0, 9, {"filling": "easier", "leaving": "harder"}),
    (100, None, 9, {"filling": "easier"}),
    (None, 0, 9, {"leaving": "harder"}),
    (9, 9, 9, {}),  # the same number
    (0, 0, 0, {}),
    (9, 100, 9, {"leaving": "easier"}),
    ((8, 12, 9, 13), 0, (9, 10, 8, 11), {"leaving": "harder"}),  # 10.5 and 9.5, up and down
    ((11, 12, 10, 13), 0, (10, 11, 9, 12), {"filling": "easier", "leaving": "harder"}),  # always 1
])
def test_hiding_is_named_by_what_it_does_to_empty_groups(
    filling: Each | None, leaving: Each | None, noise: Each, says: dict[str, str]
) -> None:
    """Whether hiding is easier to recognise than noise hangs on whether it fills empty groups: each
    has a sentence of its own, and only beyond chance."""
    chosen = [(FILLS, filling), (LEAVES, leaving), (LAPLACE, noise)]
    found = [one(m, 0, away) for m, away in chosen if away is not None]
    text = finding_sentence(found, "tree")
    expected = [
        f"Hiding small counts and {does} is {says[name]} to recognise here than noise{also}."
        for name, does, also in (
            ("filling", "filling empty groups", ""),
            ("leaving", "leaving empty groups at 0", ", which is added to empty groups as well"),
        ) if name in says
    ]
    assert text == " ".join(expected)


def test_a_verdict_holds_for_all_methods_on_screen() -> None:
    between = [one(FILLS, 0, 50), one(LAPLACE, 0, 9), one(GEOMETRIC, 0, 90)]
    assert finding_sentence(between, "tree") == ""
    two = [one(FILLS, 0, 50), one(FILLS.replace(k=8), 0, 5), one(LAPLACE, 0, 9)]
    assert finding_sentence(two, "tree") == ""
    assert finding_sentence([one(FILLS, 0, 50)], "tree") == ""
    once = [one(FILLS, 0, 50, number=1), one(LAPLACE, 0, 9, number=1)]
    assert finding_sentence(once, "tree") == ""  # one release of each ranks nothing


@pytest.mark.parametrize("fitted", [AIM, TOPDOWN])
@pytest.mark.parametrize(("ours", "theirs", "says"), [
    ((1.0, 1.2, 0.9), (9.0, 9.1, 9.2), "is closer to the original than"),
    ((9.0, 9.1, 9.2), (1.0, 1.2, 0.9), "strays farther from the original than"),
    ((2.0, 2.2, 2.1), (2.2, 2.0, 2.4), "is about as far from the original as"),
])
def test_a_fitted_model_is_held_against_noise_beyond_chance(
    fitted: Mechanism, ours: tuple[float, ...], theirs: tuple[float, ...], says: str
) -> None:
    found = [one(fitted, 0, 0, [0.001 * r for r in ours], 3),
             one(GEOMETRIC, 0, 0, [0.001 * r for r in theirs], 3)]
    text = finding_sentence(found, "tree")
    first = fitted.spoken()
    assert text.startswith(
        f"{first[0].upper()}{first[1:]} {says} {GEOMETRIC.spoken()} (")
    numbers = re.search(r"\(([\d.]+) against ([\d.]+) times a copy\)", text).groups()
    assert [float(n) for n in numbers] == pytest.approx([np.mean(ours), np.mean(theirs)], abs=0.006)
    assert "Fioretto" not in text
    assert finding_sentence(found, "tree", "As printed.").startswith("As printed. ")
    assert finding_sentence(found[:1], "tree") == ""


@pytest.mark.parametrize(("real", "made_up", "says"), [
    (0, 2, "2 records are recognised in each release on average. All of them have"),
    (5, 0, "5 records are recognised in each release on average. None of them has"),
    (5, 3, "8 records are recognised in each release on average. 38% of them have"),
    ((1, 3, 2, 2), (3, 1, 2, 2),
     "4 records are recognised in each release on average. 50% of them have"),
])
def test_whose_records_they_are(real: Each, made_up: Each, says: str) -> None:
    """The one original record in the second group has its score, so it is accused."""
    headline, more = told_apart_sentences([one(FILLS, real, made_up), one(LEAVES, 0, 0)], "tree")
    total = np.mean(real) + np.mean(made_up)
    assert headline == (
        f"A computer recognises {total / 10:g}% of records after {FILLS.spoken()}, "
        f"none after {LEAVES.spoken()}"
        f"{'; only the former fills empty groups' * bool(np.any(made_up))}.")
    assert f"After {FILLS.spoken()}, {says} a combination of values that nobody has; " in more
    assert "takes 1 original record in each release for a released one." in more
    assert f"None after {LEAVES.spoken()} in 4 releases, so any at all in at most 75%" in more
    assert more.endswith("Means over 4 releases; methods are ranked only where they differ by more "
                         "than chance.")


@pytest.mark.parametrize("found", [0, (1, 0, 0, 0), 1, (1, 3, 0, 1)])
def test_being_sure_of_as_many_original_records_recognises_nothing(found: Each) -> None:
    """One original record is taken for a released one in every release; so many released ones are
    recognised, no more than that beyond chance: the computer cannot tell."""
    headline, more = told_apart_sentences([one(LAPLACE, 0, found)], "tree")
    assert headline == f"A computer recognises no released record after {LAPLACE.spoken()}."
    mistaken = (f"It is as sure of {sensible(float(np.mean(found)))} in each release after "
                f"{LAPLACE.spoken()}, and of 1 original one by mistake: that recognises nothing.")
    assert (mistaken in more) == bool(np.any(found))
    assert ("any at all in at most 75%" in more) != bool(np.any(found))
    beside, _ = told_apart_sentences([one(FILLS, 0, 50), one(LAPLACE, 0, found)], "tree")
    few = "no more than by mistake" if np.any(found) else "none"
    assert f"after {FILLS.spoken()}, {few} after {LAPLACE.spoken()}" in beside


def test_who_is_sure_by_mistake_only_is_not_named_first() -> None:
    """10% of the noisy records in every release, but as many original ones; 5% of the others."""
    wrong = one(LAPLACE, 0, 100)
    scores = dataclasses.replace(
        wrong.scores["tree"], accused=OverReleases(np.full(4, 110.0)))
    wrong = dataclasses.replace(wrong, scores={"tree": scores})
    for found in itertools.permutations([wrong, one(FILLS, 0, 50)]):
        headline, _ = told_apart_sentences(found, "tree")
        assert headline == (
            f"A computer recognises 5% of records after {FILLS.spoken()}, no more than by mistake "
            f"after {LAPLACE.spoken()}.")


def by_mistake(found: ToldApart, accused: float) -> ToldApart:
    scores = dataclasses.replace(
        found.scores["tree"], accused=OverReleases(np.full(found.releases, accused)))
    return dataclasses.replace(found, scores={"tree": scores})


def test_hiding_is_not_called_easy_to_recognise_by_mistake() -> None:
    """10% of hidden records and 1% of noisy ones are sure: easier, unless original ones are, too;
    the other way round it is noise that must be beyond mistakes."""
    hides, noise = one(FILLS, 0, 100), one(LAPLACE, 0, 10)
    assert "is easier to" in finding_sentence([hides, noise], "tree")
    assert finding_sentence([by_mistake(hides, 110), noise], "tree") == ""
    hides, noise = one(FILLS, 0, 10), one(LAPLACE, 0, 100)
    assert "is harder to" in finding_sentence([hides, noise], "tree")
    assert finding_sentence([hides, by_mistake(noise, 110)], "tree") == ""


def test_numbers_that_read_alike_are_not_ranked_nor_said_ungrammatically() -> None:
    near = [one(AIM, 0, 0, 0.0010001, 3), one(GEOMETRIC, 0, 0, 0.001, 3)]
    assert "is about as far from the original as" in finding_sentence(near, "tree")
    rare = [by_mistake(one(m, 0, (1, 0, 1, 1)), 0) for m in (FILLS, LAPLACE)]
    headline, more = told_apart_sentences(rare, "tree")
    assert headline == (f"A computer recognises hardly any records after {FILLS.spoken()} and "
                        f"about as many after {LAPLACE.spoken()}.")
    assert (f"After {FILLS.spoken()}, 0.75 records are recognised in each release on average. All "
            "of them") in more
    assert "takes no original record in 4 releases for released ones" in more
    said = FILLS.replace(variant="P2") if "variant" in FILLS.settings() else sdc.mechanism(
        "dp-suppression", variant="P2")
    _, more = told_apart_sentences([one(said, 0, 50)], "tree")
    assert f"After {said.spoken()}, 50 records are recognised" in more  # names keep their capitals


def test_a_method_that_is_chosen_twice_is_said_once() -> None:
    study = sdc.Study(DATA, FEATURES, SEED, [CHOSEN[2], CHOSEN[2], CHOSEN[0]], "as-set")
    found = sdc.ask("told_apart", study, work=WORK)
    for text in (found.headline, found.more, *(p.caption for p in found.panels)):
        for sentence in text.split(". "):
            assert sentence.count(CHOSEN[2].label()) + sentence.count(CHOSEN[2].spoken()) <= 1
    assert len(found.panel("propensity").figures) == 3  # each card has its chart


def test_what_a_few_releases_did_not_do_is_not_called_its_rule() -> None:
    """Suppression that leaves zeros alone never fills an empty group; a swap did not so far."""
    swap = sdc.mechanism("swapping", quasi_identifiers=("sex",))
    headline, _ = told_apart_sentences([one(FILLS, 5, 3), one(swap, 0, 0)], "tree")
    assert headline.endswith("; so far only the former fills empty groups.")
    never, _ = told_apart_sentences([one(FILLS, 5, 3), one(LEAVES, 0, 0)], "tree")
    assert never.endswith("; only the former fills empty groups.")
    other, _ = told_apart_sentences([one(LEAVES, 50, 0), one(FILLS, 5, 3)], "tree")
    assert other.endswith("; only the latter fills empty groups.")


def test_headline_ranks_nothing_within_chance() -> None:
    def headline(*found: ToldApart) -> str:
        return told_apart_sentences(found, "tree")[0].removeprefix("A computer recognises ")

    fills, noise = (f"after {m.spoken()}" for m in (FILLS, LAPLACE))
    up_and_down = one(FILLS, 0, (40, 60, 50, 54)), one(LAPLACE, 0, (60, 42, 50, 48))
    assert headline(*up_and_down) == (
        f"5.1% of records {fills}, 5% {noise}, a difference that may be chance.")
    far = one(GEOMETRIC, 0, 3)
    text, more = told_apart_sentences([*up_and_down, far], "tree")
    assert text.endswith(
        f"5.1% of records {fills}, 0.3% after {GEOMETRIC.spoken()}.")
    assert f"Of the other methods: 5% {noise}." in more
    rare = one(LAPLACE, (0, 0, 0, 0), (4, 0, 0, 0), number=4)
    text, more = told_apart_sentences([one(FILLS, 0, 50), rare, one(LEAVES, 0, 0)], "tree")
    assert text.endswith(
        f"5% of records {fills}, none after {LEAVES.spoken()}; only the former fills "
        "empty groups.")
    assert f"Of the other methods: no more than by mistake {noise}." in more
    assert headline(one(FILLS, 0, 50)) == f"5% of records {fills}."
    assert headline(one(FILLS, 0, 50), one(LAPLACE, 0, 50)) == (
        f"5% of records {fills} and about as many {noise}.")
    once = one(FILLS, 0, 50, number=1), one(LAPLACE, 0, 3, number=1)
    text, more = told_apart_sentences(once, "tree")
    assert "a difference that may be chance" in text
    assert more.endswith("One release of each, so nothing is ranked.")
    text, more = told_apart_sentences([one(LEAVES, 0, 0), one(LAPLACE, 0, 0)], "tree")
    assert text == "A computer recognises no released record after any of these methods."
    assert f"The methods: {LEAVES.spoken()} and {LAPLACE.spoken()}." in more
    assert (f"None after {LEAVES.spoken()} and {LAPLACE.spoken()} in 4 releases, so any at all in "
            "at most 75% of releases.") in more
    single = told_apart_sentences([one(LEAVES, 0, 0, number=1)], "tree")
    assert "in one release, which says little about others." in single[1]


LONGEST = [sdc.mechanism("mst", epsilon=0.05), sdc.mechanism("dp-suppression", epsilon=0.05, k=30),
           sdc.mechanism("aim", epsilon=0.05), sdc.mechanism("dp-swapping", epsilon=0.05)]


USUAL_ONES = [sdc.mechanism(name) for name in (
    "laplace", "discrete-gaussian", "dp-suppression", "suppression")]


@pytest.mark.parametrize(("methods", "most"), [(USUAL_ONES, 172), (LONGEST, 195)])
def test_the_headline_fits_two_lines(methods: Sequence[Mechanism], most: int) -> None:
    """Two lines at 1440 pixels; with the longest names there are a few signs more."""
    for numbers in itertools.permutations((50, 0, 9, 20)):
        found = [one(m, 0, n) for m, n in zip(methods, numbers, strict=True)]
        assert len(told_apart_sentences(found, "tree")[0]) <= most
        assert len(told_apart_sentences(found[:1], "tree")[0]) <= 100


@pytest.mark.parametrize("seed", range(12))
def test_what_is_ranked_is_so_in_hand_made_releases(seed: int) -> None:
    """Random numbers of records, with ties and zeros: who is named first and last is apart beyond
    two standard errors from each other, and nobody who may be first or last is left out."""
    rng = np.random.default_rng(seed)
    spread = rng.integers(1, 30)
    chosen = [LAPLACE, GEOMETRIC, FILLS, LEAVES]
    rows = [np.maximum(rng.integers(0, 40) + rng.integers(-spread, spread + 1, 4), 0)
            for _ in chosen]
    headline, more = told_apart_sentences(
        [one(m, 0, row.tolist()) for m, row in zip(chosen, rows, strict=True)], "tree")
    means = [row.mean() for row in rows]
    top, low = rows[int(np.argmax(means))], rows[int(np.argmin(means))]
    spoken = [m.spoken() for m in chosen]
    order = sorted((headline.find(name), i) for i, name in enumerate(spoken) if name in headline)
    if "no released record" in headline:  # none beats the one original record by mistake
        assert not any((row - 1).mean() > 2 * error(row) for row in rows)
        return
    (_, first), (_, second) = order  # two are named, whoever is compared
    assert (rows[first] - 1).mean() > 2 * error(rows[first])
    if "may be chance" in headline or "as many" in headline:
        assert not told(top, low) or f"{means[first]:.2g}" == f"{means[second]:.2g}"
    else:
        assert told(top, low) and told(rows[first], rows[second])
        assert not told(rows[first], top) and not told(rows[second], low)
    others = [i for i in range(4) if i not in (first, second)]
    assert all(spoken[i] in more for i in others)


def test_who_strays_no_more_than_a_copy_is_said() -> None:
    """The outlines of an exact copy differ, so the page says why. A copy has 0.001 and a spread of
    a fifth; over 4 deals, divided by a mean of 40, it may have 1 + 2 × 0.2 √(1/4 + 1/40) = 1.21
    times that."""
    truth = table(np.arange(10, 26), (4, 4))
    against = copy_scores(truth, None, 7)
    copy = told_apart(LEAVES, truth, np.tile(truth.counts, (2, 1)), against, None, 7)
    assert not np.allclose(copy.scores["tree"].original, copy.scores["tree"].released)
    near, far = one(LEAVES, 0, 0, 0.00120), one(LAPLACE, 0, 0, 0.00122)
    text = like_a_copy_sentence([near, far], "tree")
    assert text.endswith("by what was learned from the others, never from itself: "
                         f"{LEAVES.spoken()} strays no more than a copy may by chance.")
    assert LAPLACE.spoken() not in text and like_a_copy_sentence([far], "tree") == ""


def test_of_many_places_the_worst_are_drawn() -> None:
    rng = np.random.default_rng(4)
    truth = table(np.full(120, 50), (60, 2))
    found = [told_apart(LAPLACE, truth, rng.poisson(50, (3, 120)), AGAINST, "F0", 7)]
    scores = sorted(found[0].tables[2].places, key=lambda p: p.score.mean)
    (chart,) = place_chart(found, 2)
    assert sorted(chart.data[0].x) == [p.score.mean for p in scores[:40]]
    assert left_out_places(found, 2).startswith("Of 60 places, the 40 with")
    drawn = dict(zip(chart.data[0].y, chart.data[0].x, strict=True))
    assert drawn == {p.name: p.score.mean for p in scores[:40]}


def test_no_place_is_explained() -> None:
    assert "add “Town” in the sidebar" in no_places_sentence("Town")
    assert "sidebar" not in no_places_sentence("")


def test_the_spread_of_a_copy_is_said() -> None:
    """0.2 of the mean a deal; over 20 deals, divided by a mean of 40: 0.2 √(1/20 + 1/40) = 0.0548,
    and twice that either side of 1."""
    assert REFERENCE.copy_range(20) == pytest.approx((1 - 0.1095, 1 + 0.1095), abs=1e-4)
    more = ratio_sentence([one(LAPLACE, 0, 0)], AGAINST)
    assert "by chance alone would be between 0.89 and 1.11 (decision tree) and" in more
    assert "fresh sample of the same people would be at about 3 (decision tree) and 3 (" in more
    assert copies_sentence(AGAINST).count("between 0.89 and 1.11") == 2
    assert Reference(1.0, 2.0, 9.0, 40, 9.0).copy_range(20)[0] == 0
    nothing = Reference(0.0, 0.0, 0.0)
    assert copies_sentence(CopyScores({"tree": nothing}, {})) == "not defined (decision tree)"


def test_a_release_of_another_size_is_said_to_be_rough() -> None:
    truth = table(np.full(8, 30), (2, 4))
    against = copy_scores(truth, None, 7)
    for times, rough in ((1, False), (2, False), (5, True)):
        found = [told_apart(LAPLACE, truth, times * truth.counts[None, :], against, None, 7)]
        more = ratio_sentence(found, against)
        assert (f"releases {times} times as many people as there are" in more) == rough
        assert ("rough" in more) == rough


def table(counts: object, shape: Sequence[int]) -> Histogram:
    values = [tuple(str(i) for i in range(size)) for size in shape]
    features = tuple(Feature(f"F{j}", f"Title {j}", v, v) for j, v in enumerate(values))
    return Histogram(np.asarray(counts, dtype=np.int64).ravel(), Domain(features))


@pytest.mark.parametrize(("shape", "by", "k", "says"), [
    ((4,), None, 2, "In the table of title 0, "),
    ((4,), None, 3, "In the table of title 0, "),
    ((3, 4), "F0", 3, "In the table of title 1 by place, "),
    ((3, 4), None, 3, "In the table of title 0 and title 1, "),
    ((3, 4, 2), None, 2, "In the average table of 2 features, "),
    ((3, 4, 2), "F0", 3, "In the table of title 1 and title 2 by place, "),
    ((3, 2, 2, 2), "F0", 2, "In the average table of 2 features by place, "),
])
def test_tables_have_the_features_that_are_said(
    shape: tuple[int, ...], by: str | None, k: int, says: str
) -> None:
    size = int(np.prod(shape))
    truth = table(np.arange(10, 10 + size), shape)
    against = CopyScores(AGAINST.references, {2: 980.0, 3: 980.0})
    found = [told_apart(LAPLACE, truth, np.full((2, size), 12), against, by, 7)]
    assert marginal_sentence(found, k, against, "Place").startswith(says)


def test_scores_of_places_are_said_to_be_on_another_scale() -> None:
    """Weighted by people, places lose twice what the score for all does, so the best place may be
    below it: the sentence must not put the two on one scale."""
    truth = table([[40, 40], [40, 40], [40, 40]], (3, 2))
    released = np.array([51, 29, 50, 30, 47, 33])
    found = [told_apart(LAPLACE, truth, np.tile(released, (2, 1)), AGAINST, "F0", 7)]
    score = found[0].tables[2]
    mean = np.average(
        [p.score.mean for p in score.places], weights=[p.people for p in score.places])
    assert 1000 - mean == pytest.approx(2 * (1000 - score.score.mean))
    assert max(p.score.mean for p in score.places) < score.score.mean
    text = marginal_sentence(found, 2, AGAINST, "Place")
    lost = [2 * 11 / 80, 2 * 7 / 80]  # 11 of the 80 people of place 0 misplaced, 7 of place 2
    low, high = (int(1000 * (1 - share) + 1e-9) for share in lost)
    assert f"is lowest in 0 ({low}) and highest in 2 ({high})" in text
    assert ("counts both the people who are missing and those who are too many, the score for all "
            "only one of the two, so they are not on one scale") in text
    same = [told_apart(LAPLACE, truth, np.tile(truth.counts, (2, 1)), AGAINST, "F0", 7)]
    text = marginal_sentence(same, 2, AGAINST, "Place")
    assert "is 1000 everywhere" in text and "lowest" not in text


def test_places_and_methods_are_ranked_beyond_chance() -> None:
    """Places that change ends from release to release are not ranked, nor are methods."""
    truth = table([[40, 40], [40, 40]], (2, 2))
    rows = np.array([[50, 30, 42, 38], [42, 38, 50, 30], [49, 31, 42, 38], [42, 38, 51, 29]])
    found = told_apart(LAPLACE, truth, rows, AGAINST, "F0", 7)
    text = marginal_sentence([found], 2, AGAINST, "Place")
    assert "differs from place to place by no more than chance" in text
    crossed = rows[[1, 0, 3, 2]] + np.array([1, -1, 0, 0])
    other = told_apart(GEOMETRIC, truth, crossed, AGAINST, "F0", 7)
    text = marginal_sentence([found, other], 2, AGAINST, "Place")
    assert "differences that may be chance" in text and "groups that have nobody" not in text
    again = told_apart(GEOMETRIC, truth, rows, AGAINST, "F0", 7)
    text = marginal_sentence([found, again], 2, AGAINST, "Place")
    assert ", the same; a fresh sample" in text and "may be chance" not in text
    assert "1000 would mean that every table has the same shares." in text
    moved = rows + np.array([15, -15, 15, -15])
    far = told_apart(GEOMETRIC, truth, moved, AGAINST, "F0", 7)
    text = marginal_sentence([far, found], 2, AGAINST, "Place")
    assert text.startswith(f"In the table of title 1 by place, {LAPLACE.spoken()} puts ")
    assert f", {GEOMETRIC.spoken()} " in text and "chance" not in text.split("; a fresh")[0]
    once = told_apart(LAPLACE, truth, rows[:1], AGAINST, "F0", 7)
    assert "by no more than chance" in marginal_sentence([once], 2, AGAINST, "Place")


def test_progress_reaches_the_end_and_never_turns_back() -> None:
    truth = table([30, 40, 50, 60], (2, 2))
    seen: list[float] = []
    against = copy_scores(truth, None, 7, progress=seen.append)
    assert seen == sorted(seen) and seen[-1] == pytest.approx(1)
    seen.clear()
    rows = np.tile(truth.counts, (3, 1))
    told_apart(sdc.mechanism("laplace"), truth, rows, against, None, 7, seen.append)
    assert seen == sorted(seen) and seen[-1] == pytest.approx(1) and len(seen) == 2 * 3


@pytest.mark.slow
def test_what_p2_found_on_real_data(real_data: Callable[[str], sdc.Dataset]) -> None:
    """P2 Fig 2, ε = 4, empty groups filled: records of DP suppression are clearly fake, Laplace's a
    few. With empty groups left at 0 it is the other way round."""
    data = real_data("ma2019")
    features = ("PUMA", "SEX", "RAC1P", "PINCP_DECILE", "OWN_RENT")
    for names, empty in itertools.product((data.default_features, features), ("treated", "left")):
        chosen = [sdc.mechanism("laplace", epsilon=4.0),
                  sdc.mechanism("dp-suppression", epsilon=4.0, variant="P2")]
        study = sdc.Study(data, names, 7, chosen, empty, "observed")
        for name, title in TITLES.items():
            found = sdc.ask("told_apart", study, work=WORK, classifier=name)
            row = found.panel("told-apart").table[f"give themselves away %, {title}"]
            caption = found.panel("propensity").caption
            if empty == "treated":
                assert row[1] > 10 * row[0]
                assert "filling empty groups is easier to recognise here than noise." in caption
            else:
                assert row[1] < row[0] or row[0] == row[1] == 0
                assert "easier to recognise" not in caption
            assert "Fioretto" not in caption  # without AIM it is not their figure


PAGE = "../pages/told_apart.py"
USUAL = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]


def test_page_shows_the_answer() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    expected = sdc.ask("told_apart", sdc.Study(sdc.load_dataset("ma2019-twin"), USUAL, 7))
    assert expected.headline in answer(app) and expected.more in answer(app)
    for panel in expected.panels:
        assert panel.title in said(app) and panel.caption.strip() in said(app)
    assert len(app.get("plotly_chart")) == 4 + 1
    assert {"m1", "m1.epsilon", "m4", "classifier", "t_k"} <= set(link(app))
    shown = [one.proto.body for one in app.get("html")]
    assert any(str(expected.panel("given-away").drawing) in body for body in shown)


def test_deep_link_and_the_other_classifier() -> None:
    wanted = {"m1": "geometric", "m1.epsilon": "0.5", "m1.postprocess": "clip", "m2": "none",
              "m3": "none", "m4": "none",
              "classifier": "logistic", "t_k": "3", "features": "SEX,RAC1P,OWN_RENT"}
    app = opened({**TWIN, **wanted}, PAGE)
    assert not app.error and not app.warning
    study = sdc.Study(sdc.load_dataset("ma2019-twin"), ["SEX", "RAC1P", "OWN_RENT"], 7,
                      [sdc.mechanism("geometric", epsilon=0.5)])
    expected = sdc.ask("told_apart", study, classifier="logistic", t_k="3")
    assert expected.headline in answer(app)
    assert expected.panel("k-marginal").caption in said(app)
    assert {k: v for k, v in link(app).items() if k in wanted} == wanted


def test_bad_link_is_explained_and_the_rest_kept() -> None:
    app = opened({**TWIN, "classifier": "magic", "t_k": "7", "m4.k": "9", "m1": "none",
                  "m2": "none", "m3": "none", "features": "SEX,NOPE,RAC1P,OWN_RENT"}, PAGE)
    warned = " ".join(w.value for w in app.warning)
    assert [word in warned for word in ("magic", "'7'", "NOPE")] == [True, True, True]
    assert "(decision tree) that" in answer(app) and "hiding small counts (k = 9)" in answer(app)
    assert (link(app)["classifier"], link(app)["t_k"]) == ("tree", "2")


def test_default_on_real_data(real_data: Callable[[str], sdc.Dataset]) -> None:
    """Noise is added to empty groups, hiding leaves them at 0: the headline itself says so."""
    real_data("ma2019")
    app = opened({"data": "ma2019"}, PAGE)
    assert not app.error and not app.warning
    assert "% of records after adding bell-shaped noise (ε = 1), " in answer(app)
    assert "; only the former fills empty groups." in answer(app)
    captions = " ".join(c.value for c in app.caption)
    assert "pMSE" not in answer(app) and "P2" not in captions and "Fioretto" not in captions
    assert "leaving empty groups at 0 is harder to recognise here than noise" in said(app)

"""Told apart: charts, tables and sentences hold the numbers of the release, recomputed on records
with scikit-learn and pandas; what is said is true of hand-made results; the page shows the answer.
"""

from __future__ import annotations

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
from sdc_core.metrics.propensity import CLASSIFIERS, Propensity, Reference, Tree
from sdc_core.metrics.side_by_side import SideBySide
from sdc_core.questions import question
from sdc_core.questions.answer import Answer, TableView
from sdc_core.questions.question import Given
from sdc_core.questions.told_apart.compute import CopyScores, ToldApart, copy_scores, told_apart
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
    slots=("t1", "t2", "t3", "t4"),
    controls=("classifier", "t_k"),
    columns={
        "propensity": ("score", "original %, <method>", "released %, <method>"),
        "given-away": ("who", "people in the data", "<method>"),
        "told-apart": (
            "mechanism", "released people", "pMSE, Decision tree", "times a copy's, Decision tree",
            "give themselves away, Decision tree", "original records accused, Decision tree",
            "pMSE, Logistic regression", "times a copy's, Logistic regression",
            "give themselves away, Logistic regression",
            "original records accused, Logistic regression", "2-marginal score",
            "3-marginal score", "note",
        ),
        "k-marginal": ("mechanism", "place", "people", "released", "score"),
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
    sdc.mechanism("suppression", k=100, keep_zeros=True),
    sdc.mechanism("dp-suppression", epsilon=4.0, k=60),
]
LABELS = [m.label() for m in CHOSEN]
COLOURS = [SHADES["dp"][0], SHADES["sdc"][0], SHADES["sdc"][1], SHADES["dp-sdc"][0]]
PEOPLE = pd.DataFrame(
    [cell for cell, n in zip(CELLS, COUNTS, strict=True) for _ in range(n)], columns=FEATURES)
DATA = sdc.load_dataset(PEOPLE)
WORK = Work()  # shared: what is kept for one question must not be shown for another


def asked(work: Work | None = None, **controls: str) -> Answer:
    study = sdc.Study(DATA, FEATURES, SEED, CHOSEN)
    return sdc.ask("told_apart", study, work=work or WORK, **controls)


@functools.cache
def release(number: int) -> np.ndarray:
    """Released people in each cell: hiding at k = 100 puts 50 wherever there are fewer."""
    if CHOSEN[number].name == "suppression":
        kept = COUNTS >= 100
        return np.where(kept | ((COUNTS == 0) & (number == 2)), COUNTS, 50)
    return sdc.released_people(CHOSEN[number], DATA.histogram(FEATURES), 1, SEED)[0]


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
    """People dealt into five folds; each fold is scored by a model that was shown the others."""

    def __init__(self, model: str, released: np.ndarray, rng: np.random.Generator) -> None:
        self.used = np.flatnonzero((COUNTS > 0) | (released > 0))
        codes = np.stack(np.unravel_index(self.used, (3, 2, 2, 3)), axis=1)
        sides = [COUNTS[self.used], released[self.used]]
        self.here, self.there = (rng.multinomial(side, np.full(5, 0.2)).T for side in sides)
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
        """Released records with a score of 95 or more, for each cell of the table."""
        found = np.zeros(len(COUNTS), dtype=int)
        found[self.used] = np.where(self.even >= 0.95, self.there, 0).sum(axis=0)
        return found

    @property
    def accused(self) -> int:
        return int(self.here[self.even >= 0.95].sum())

    def shares(self, side: np.ndarray) -> np.ndarray:
        """Per cent of records in each range of five points, from 0 to 100."""
        bins = np.clip(np.ceil(self.even * 20) - 1, 0, 19).astype(int)
        return 100 * np.bincount(bins.ravel(), side.ravel(), minlength=20) / side.sum()


@functools.cache
def first_deal(model: str, number: int) -> Deal:
    return Deal(model, release(number), dice(1_000_000))


@functools.cache
def ratio(model: str, number: int) -> float:
    """pMSE over ten deals, in multiples of an exact copy's of the same size."""
    deals = [Deal(model, release(number), dice(1_000_000 + d)).pmse for d in range(10)]
    c = first_deal(model, number).share
    return float(np.mean(deals) / (np.mean(copies(model)) * 8 * c * (1 - c) ** 2))


@functools.cache
def copies(model: str) -> np.ndarray:
    return np.array([Deal(model, COUNTS, dice(2_000_000 + r)).pmse for r in range(40)])


@functools.cache
def fresh_pmse(model: str) -> float:
    """People drawn anew from the occupied cells, ten times."""
    found, occupied = [], COUNTS > 0
    for r in range(10):
        rng, sample = dice(4_000_000 + r), np.zeros(len(COUNTS), dtype=int)
        sample[occupied] = rng.multinomial(COUNTS.sum(), COUNTS[occupied] / COUNTS.sum())
        found.append(Deal(model, sample, rng).pmse)
    return float(np.mean(found))


@functools.cache
def marginal_scores(number: int | None, k: int) -> tuple[float, dict[str, float]]:
    """k-marginal score and those of places, on records; without a number of fresh samples."""
    def scores(counts: np.ndarray) -> tuple[float, dict[str, float]]:
        shown = pd.DataFrame(np.repeat(np.array(CELLS), counts, axis=0), columns=FEATURES)
        return by_pandas(PEOPLE, shown, k, "town")

    if number is not None:
        return scores(release(number))
    samples = [
        dice(3_000_000 + r).multinomial(COUNTS.sum(), COUNTS / COUNTS.sum()) for r in range(5)
    ]
    return float(np.mean([scores(s)[0] for s in samples])), {}


both = pytest.mark.parametrize("model", ["tree", "logistic"])


@both
def test_headline_names_the_most_and_the_least_recognisable(model: str) -> None:
    found = asked(classifier=model)
    away = [int(first_deal(model, n).away.sum()) for n in range(4)]
    assert np.argmax(away) == 1 and away[0] == 0 and min(away[1:]) > 0
    assert f"spots {away[1]} of the {release(1).sum():,} records released by {LABELS[1]} (" in (
        found.headline)
    assert f" ({TITLES[model].lower()}, at least 95% sure); " in found.headline
    assert found.headline.endswith(f"; it spots none of those by {LABELS[0]}.")
    deal = first_deal(model, 1)
    accused = {1: "one real person"}.get(deal.accused, f"{deal.accused} real people")
    assert f"{deal.away[COUNTS == 0].sum()} of them are invented people" in found.more
    assert found.more.endswith(f"it wrongly accuses {accused}.")


@both
def test_score_charts_are_the_shares_of_both_sides(model: str) -> None:
    panel = asked(classifier=model).panel("propensity")
    assert len(panel.figures) == 4
    for number, chart in enumerate(panel.figures):
        deal = first_deal(model, number)
        title, note = chart.layout.title.text.split("<br>", 1)
        assert LABELS[number].startswith(title.removeprefix("<b>").removesuffix("</b>"))
        away = int(deal.away.sum())
        assert (f"{away} of {release(number).sum():,} records give themselves away" in note) == (
            away > 0)
        assert ("nobody gives themselves away" in note) == (away == 0)
        assert [t.name for t in chart.data] == ["original", "released"]
        assert [t.line.color for t in chart.data] == [MUTED, COLOURS[number]]
        for trace, side in zip(chart.data, (deal.here, deal.there), strict=True):
            np.testing.assert_allclose(trace.x, np.arange(2.5, 100, 5))
            np.testing.assert_allclose(np.square(trace.y), deal.shares(side), atol=1e-6)
            assert trace.text[19].endswith("score 95 to 100")
            assert trace.text[19].startswith(
                f"{trace.name} records: {deal.shares(side)[19]:.2g}%")


def test_panels_come_in_order_and_are_told_to_those_who_do_not_see_them() -> None:
    found = asked()
    assert [(p.name, p.title) for p in found.panels] == [
        ("propensity", "How surely is a record recognised as released?"),
        ("given-away", "Who gives themselves away?"), ("told-apart", "How far from a copy?"),
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
        deal = first_deal(model, number)
        for side, people in (("original", deal.here), ("released", deal.there)):
            np.testing.assert_allclose(
                table[f"{side} %, {number + 1}. {label}"], deal.shares(people), atol=1e-6)


@both
def test_who_gives_themselves_away(model: str) -> None:
    panel = asked(classifier=model).panel("given-away")
    by_method = {
        f"{n + 1}. {label}": first_deal(model, n).away for n, label in enumerate(LABELS)
        if first_deal(model, n).away.any()
    }
    assert f"1. {LABELS[0]}" not in by_method  # nobody, so no column
    most = np.max(list(by_method.values()), axis=0)
    assert isinstance(panel.drawing, TableView)
    table = panel.drawing.frame
    assert list(table.columns) == ["who", "people in the data", *by_method]
    assert len(table) == np.count_nonzero(most)
    assert panel.caption.startswith(f"{np.count_nonzero(most)} combinations of values ")
    assert panel.drawing.looks["people in the data"].title == "in the data"
    places = {", ".join(cell): i for i, cell in enumerate(CELLS)}
    cells = [places[who] for who in table["who"]]
    assert list(table["people in the data"]) == COUNTS[cells].tolist()
    for name, away in by_method.items():
        assert list(table[name]) == away[cells].tolist()
    assert (np.diff(most[cells]) <= 0).all()  # those with most such records first


@both
def test_what_the_papers_found_is_set_beside_the_shares_here(model: str) -> None:
    caption = asked(classifier=model).panel("propensity").caption
    said = re.search(r"Records that give themselves away here: (.*?)\. So hiding", caption)[1]
    for number, label in enumerate(LABELS):
        deal, after = first_deal(model, number), said.split(f" with {label}")
        number_text = after[0].rsplit(" ", 1)[-1]
        share = 100 * deal.away.sum() / release(number).sum()
        assert float(number_text.removesuffix("%")) == pytest.approx(share, abs=0.05)
        if number in (1, 3):
            inside = 100 * deal.away[COUNTS == 0].sum() / deal.away.sum()
            assert f"{label} ({inside:.0f}% of them in empty groups, which it fills)" in said
    assert f"{LABELS[2]} (empty groups left alone)" in said
    assert "So hiding is easier to recognise than noise here." in caption


@both
def test_summary_numbers_by_another_way(model: str) -> None:
    """pMSE over ten deals on records, an exact copy over forty, a fresh sample over ten."""
    found = asked().panel("told-apart")
    table, title = found.table, TITLES[model]
    assert list(table["mechanism"]) == [*LABELS, "a fresh sample"]
    for number in range(4):
        row, deal = table.iloc[number], first_deal(model, number)
        assert row["released people"] == release(number).sum()
        assert row[f"times a copy's, {title}"] == pytest.approx(ratio(model, number), rel=1e-5)
        scale = 8 * deal.share * (1 - deal.share) ** 2
        assert row[f"pMSE, {title}"] == pytest.approx(
            ratio(model, number) * scale * copies(model).mean(), rel=1e-5)
        assert row[f"give themselves away, {title}"] == deal.away.sum()
        assert row[f"original records accused, {title}"] == deal.accused
        for k in (2, 3):
            assert row[f"{k}-marginal score"] == pytest.approx(marginal_scores(number, k)[0])
    fresh = table.iloc[4]
    assert fresh[f"pMSE, {title}"] == pytest.approx(fresh_pmse(model), rel=1e-5)
    assert fresh[f"times a copy's, {title}"] == pytest.approx(
        fresh_pmse(model) / copies(model).mean(), rel=1e-5)
    for k in (2, 3):
        assert fresh[f"{k}-marginal score"] == pytest.approx(marginal_scores(None, k)[0])


def test_summary_bars_say_and_draw_those_numbers() -> None:
    panels = read_bars(asked().panel("told-apart").drawing)
    assert [p.title for p in panels] == [
        "Decision tree", "Logistic regression", "Misplaced in 2-way tables",
        "Misplaced in 3-way tables",
    ]
    for panel in panels:
        assert [row.label for row in panel.rows] == LABELS
        assert [row.colour for row in panel.rows] == COLOURS
    for panel, model in zip(panels, ("tree", "logistic"), strict=False):
        ratios = [ratio(model, n) for n in range(4)]
        assert [float(row.text) for row in panel.rows] == pytest.approx(ratios, rel=0.01)
        assert [row.length for row in panel.rows] == pytest.approx(
            [100 * r / max(ratios) for r in ratios], abs=0.01)
        fresh = fresh_pmse(model) / copies(model).mean()
        assert float(panel.note.removeprefix("pMSE, copy = 1, fresh sample = ")) == pytest.approx(
            fresh, abs=0.006)
    for panel, k in zip(panels[2:], (2, 3), strict=True):
        lost = [100 - marginal_scores(n, k)[0] / 10 for n in range(4)]
        for row, per_cent in zip(panel.rows, lost, strict=True):
            share, score = re.fullmatch(r"([\d.]+)% \(score (\d+)\)", row.text).groups()
            assert float(share) == pytest.approx(per_cent, rel=0.01)
            assert int(score) == int(1000 - 10 * per_cent + 1e-9)
            assert row.length == pytest.approx(100 * per_cent / max(lost), abs=0.01)
        share = re.fullmatch(r"fresh sample: ([\d.]+)% \(score \d+\)", panel.note)[1]
        assert float(share) == pytest.approx(100 - marginal_scores(None, k)[0] / 10, rel=0.01)


def test_where_an_exact_copy_would_lie_is_said() -> None:
    caption = asked().panel("told-apart").caption
    said = re.findall(r"between ([\d.]+) and ([\d.]+) \((.*?)\)", caption)
    assert [name for *_, name in said] == ["decision tree", "logistic regression"]
    for (low, high, _), model in zip(said, ("tree", "logistic"), strict=True):
        reach = 2 * copies(model).std(ddof=1) / copies(model).mean() * np.sqrt(1 / 10 + 1 / 40)
        assert (float(low), float(high)) == pytest.approx((1 - reach, 1 + reach), abs=0.006)
    fresh = [fresh_pmse(m) / copies(m).mean() for m in ("tree", "logistic")]
    shown = re.search(r"at about ([\d.]+) \(decision tree\) and ([\d.]+) \(logistic", caption)
    assert [float(text) for text in shown.groups()] == pytest.approx(fresh, abs=0.006)


@pytest.mark.parametrize("k", [2, 3])
def test_places_have_their_own_scores(k: int) -> None:
    panel = asked(t_k=str(k)).panel("k-marginal")
    (chart,) = panel.figures
    assert [t.name for t in chart.data] == LABELS
    assert [t.marker.color for t in chart.data] == COLOURS
    cube = COUNTS.reshape(3, -1).sum(axis=1)
    for number, trace in enumerate(chart.data):
        places = marginal_scores(number, k)[1]
        assert list(trace.y) == list(TOWNS)
        assert list(trace.x) == pytest.approx([places[t] for t in TOWNS])
        shown = release(number).reshape(3, -1).sum(axis=1)
        assert [tuple(d) for d in trace.customdata] == list(zip(cube, shown, strict=True))
        assert trace.hovertemplate.startswith(f"{LABELS[number]}<br>%{{y}}<br>score %{{x:.0f}}<br>")
        assert "%{customdata[0]:,} people, %{customdata[1]:,} released" in trace.hovertemplate
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
    scores = [marginal_scores(n, k)[0] for n in range(4)]
    best, worst = int(np.argmax(scores)), int(np.argmin(scores))
    tables = "the average table of 2 features" if k == 2 else "the table of sex, home and job"
    assert caption.startswith(f"In {tables} by town, {LABELS[best]} puts ")
    lost = [float(text) for text in re.findall(r"([\d.]+)% ", caption)]
    assert lost == pytest.approx([100 - scores[best] / 10, 100 - scores[worst] / 10], rel=0.01)
    places = marginal_scores(worst, k)[1]
    low, high = (end(places, key=lambda town: places[town]) for end in (min, max))
    assert (
        f"By town, {LABELS[worst]} does worst in {low} ({int(places[low])}) and best in {high} "
        f"({int(places[high])})." in caption
    )
    assert f"would score {int(marginal_scores(None, k)[0])}." in caption


def test_everything_depends_on_the_seed() -> None:
    """Asked again with the same kept results and another seed: numbers of that seed."""
    study = sdc.Study(DATA, FEATURES, SEED + 1, CHOSEN[1:2])
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


def test_the_suggested_methods_are_those_of_the_figure() -> None:
    """Figure 2 of Das, Tajeddine and Fioretto is at ε = 4; suppression as offices do it."""
    suggested = question("told_apart").methods(Given(sdc.Study(DATA)))
    assert {slot: one.label() for slot, one in suggested.items()} == {
        "t1": "Laplace ε=4", "t2": "DP suppression ε=4 k=6", "t3": "Suppression k=6 zeros kept",
        "t4": "AIM synthetic data ε=4",
    }


def test_values_whose_labels_are_cut_short_alike_stay_apart() -> None:
    """Labels are cut at 60 signs; two jobs that differ after that are still two groups."""
    long = "x" * 70
    names = {"a": f"{long} first", "b": f"{long} second", "c": f"{long} third"}
    study = sdc.Study(sdc.load_dataset(PEOPLE.replace({"job": names})), FEATURES, SEED, CHOSEN[1:2])
    table = sdc.ask("told_apart", study).panel("given-away").table
    away = first_deal("tree", 1).away
    assert len(table) == np.count_nonzero(away)
    assert table[f"1. {LABELS[1]}"].sum() == away.sum()


def test_of_very_many_only_the_first_are_shown() -> None:
    """People on the diagonal of a table of 18 by 18: the 306 other groups are filled by hiding."""
    values = [f"v{i:02}" for i in range(18)]
    data = sdc.load_dataset(pd.DataFrame({"one": values * 500, "two": values * 500}))
    study = sdc.Study(data, ("one", "two"), SEED, [sdc.mechanism("suppression", k=100)])
    panel = sdc.ask("told_apart", study).panel("given-away")
    assert isinstance(panel.drawing, TableView)
    assert panel.drawing.most == 200 and len(panel.table) > 200
    assert f"{len(panel.table)} combinations of values" in panel.caption
    assert "(the first 200 are shown)" in panel.caption


def asked_by(features: Sequence[str], data: sdc.Dataset = DATA, **controls: str) -> Answer:
    study = sdc.Study(data, features, SEED, CHOSEN[1:3])
    return sdc.ask("told_apart", study, work=WORK, **controls)


def test_one_feature_only_and_no_place() -> None:
    """Without places there is no score by place; with places alone there are no tables to make."""
    found = asked_by(["sex"])
    caption = found.panel("k-marginal").caption
    assert caption.startswith("In the table of sex, ")
    assert "not counted by place" in caption and "add “town” in the sidebar" in caption
    assert [p.title for p in read_bars(found.panel("told-apart").drawing)][2:] == [
        "Misplaced in 1-way tables"]
    found = asked_by(["town"])
    assert found.panel("k-marginal").caption == (
        "The table is counted by town alone: there is no other feature to make tables of. Count "
        "people by at least two features.")
    texts = [row.text for p in read_bars(found.panel("told-apart").drawing)[2:] for row in p.rows]
    assert set(texts) == {"not defined"}
    assert "(decision tree, at least 95% sure)" in found.headline


def test_tables_of_three_are_offered_where_there_are_any() -> None:
    """Two features beside the place make tables of two alone, and so do two without a place."""
    for features in (["town", "sex", "home"], ["sex", "home"]):
        with pytest.raises(sdc.InputError, match="no control 't_k'"):
            asked_by(features, t_k="3")
        panels = read_bars(asked_by(features).panel("told-apart").drawing)
        assert [p.title for p in panels[2:]] == ["Misplaced in 2-way tables"]
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
    found = asked()
    (notice,) = found.notices
    assert notice.text.startswith(f"{LABELS[0]}: ") and "no people in it" in notice.text
    assert notice.tone == "warning"
    assert [LABELS[1] in found.headline, LABELS[0] in found.headline] == [True, False]
    charts = found.panel("propensity").figures
    assert [chart.data[1].line.color for chart in charts] == COLOURS[1:]
    assert list(found.panel("told-apart").table["released people"][:2]) == [0, release(1).sum()]
    alone = sdc.Study(DATA, FEATURES, SEED, CHOSEN[:1])
    found = sdc.ask("told_apart", alone, work=WORK)
    assert "no release to tell apart" in found.headline and not found.panels
    assert found.more == notice.text


LAPLACE, GEOMETRIC = sdc.mechanism("laplace", epsilon=4.0), sdc.mechanism("geometric")
FILLS = sdc.mechanism("dp-suppression", epsilon=4.0)
LEAVES = sdc.mechanism("suppression", keep_zeros=True)
AIM, TOPDOWN = sdc.mechanism("aim"), sdc.mechanism("topdown")
REFERENCE = Reference(copy=0.001, fresh=0.003, copy_spread=0.0002, copies=40)
AGAINST = CopyScores({"tree": REFERENCE, "logistic": REFERENCE}, {2: 980.0, 3: 970.0})


def one(mechanism: Mechanism, real: int, made_up: int, pmse: float = 0.002) -> ToldApart:
    """A release of 1,000 of whom `real` in a group of the data and `made_up` in an empty one give
    themselves away, made by hand."""
    features = (Feature("f", "f", ("0", "1", "2"), ("0", "1", "2")),)
    rest = 1000 - real - made_up
    pair = SideBySide(features, np.arange(3)[:, None], np.array([999, 1, 0]),
                      np.array([rest, real, made_up]))
    scores = Propensity(
        pair, Tree(), np.array([[0.5, 0.99, 0.99]]), pair.original[None, :],
        pair.released[None, :], pmse, REFERENCE, 10,
    )
    return ToldApart(mechanism, 1000, {"tree": scores}, {})


def test_hiding_is_named_by_what_it_does_to_empty_groups() -> None:
    """Records in filled empty groups are what gives hiding away; a method that leaves empty groups
    alone is reported beside it, and does not lend its name to the verdict."""
    found = [one(LAPLACE, 4, 5), one(FILLS, 5, 95), one(LEAVES, 0, 0)]
    text = finding_sentence(found, "tree")
    assert f"10% with {FILLS.label()} (95% of them in empty groups, which it fills)" in text
    assert f"0% with {LEAVES.label()} (empty groups left alone)" in text
    assert f"0.9% with {LAPLACE.label()}." in text
    assert "only where it fills empty groups" in text


@pytest.mark.parametrize(("filling", "leaving", "noise", "verdict"), [
    (100, 100, 9, "So hiding is easier to recognise than noise here."),
    (100, None, 9, "So hiding is easier to recognise than noise here."),
    (None, 0, 9, "So hiding is not easier to recognise than noise here."),
    (9, 9, 9, "So hiding is not easier to recognise than noise here."),
    (0, 0, 0, ""),
    (100, 9, 9, "So hiding is easier to recognise than noise only where it fills empty groups."),
    (9, 100, 9, ""),
])
def test_verdict_holds_for_all_methods_on_screen(
    filling: int | None, leaving: int | None, noise: int, verdict: str
) -> None:
    chosen = [(FILLS, filling), (LEAVES, leaving), (LAPLACE, noise)]
    found = [one(m, 0, away) for m, away in chosen if away is not None]
    text = finding_sentence(found, "tree")
    assert text.endswith(verdict) and ("So hiding" in text) == bool(verdict)


def test_noise_on_both_sides_of_hiding_gives_no_verdict() -> None:
    found = [one(FILLS, 0, 50), one(LAPLACE, 0, 9), one(GEOMETRIC, 0, 90)]
    assert "So hiding" not in finding_sentence(found, "tree")


@pytest.mark.parametrize("fitted", [AIM, TOPDOWN])
@pytest.mark.parametrize(("ratios", "says"), [
    ((1.0, 9.0), "is closer to the original than"),
    ((9.0, 1.0), "strays farther from the original than"),
    ((2.0, 2.1), "is about as far from the original as"),
])
def test_papers_are_credited_with_their_own_methods_only(
    fitted: Mechanism, ratios: tuple[float, float], says: str
) -> None:
    """P2 compares AIM, Laplace and DP suppression; TopDown and geometric noise are ours."""
    ours, theirs = (0.001 * r for r in ratios)
    found = [one(fitted, 0, 0, ours), one(GEOMETRIC, 0, 0, theirs), one(LEAVES, 0, 0)]
    text = finding_sentence(found, "tree")
    assert f"Here {fitted.label()} {says}" in text
    assert "Fioretto find AIM closer to the original than Laplace noise." in text
    assert not re.search(r"\b(As in|Unlike|As there|Here too)\b", text)
    assert "easier to recognise" not in finding_sentence(found[:2], "tree")
    assert finding_sentence(found[:1], "tree") == ""


@pytest.mark.parametrize(("real", "made_up", "says"), [
    (0, 1, "It is an invented person, like nobody in the data; "),
    (1, 0, "The data has people like it; "),
    (5, 0, "The data has people like all of them; "),
    (0, 5, "All of them are invented people, like nobody in the data; "),
    (5, 1, "1 of them is an invented person, like nobody in the data; "),
    (5, 3, "3 of them are invented people, like nobody in the data; "),
])
def test_whose_records_they_are(real: int, made_up: int, says: str) -> None:
    """The one original record in the second group has its score, so it is accused."""
    headline, more = told_apart_sentences(
        [one(FILLS, real, made_up), one(LEAVES, 0, 0)], "tree")
    assert f"spots {real + made_up} of the 1,000 records released by {FILLS.label()}" in headline
    assert headline.endswith(f"; it spots none of those by {LEAVES.label()}.")
    assert "(decision tree, at least 95% sure)" in headline
    assert more == f"{says}just as sure, it wrongly accuses one real person."


def test_one_record_gives_itself_away() -> None:
    found = [one(FILLS, 5, 5), one(LAPLACE, 0, 1)]
    headline, _ = told_apart_sentences(found, "tree")
    assert headline.endswith(f"; it spots 1 of the 1,000 by {LAPLACE.label()}.")
    assert "; it spots" not in told_apart_sentences(found[:1], "tree")[0]
    nobody = told_apart_sentences([one(LEAVES, 0, 0), one(LAPLACE, 0, 0)], "tree")
    assert f"spots none of the records released by {LEAVES.label()} and" in nobody[0]
    assert nobody[1] == ""


def test_who_strays_no_more_than_a_copy_is_said() -> None:
    """The outlines of an exact copy differ, so the page says why; 0.00114 is the most that a copy
    with 0.001 and its spread has."""
    truth = table(np.arange(10, 26), (4, 4))
    against = copy_scores(truth, None, 7)
    copy = told_apart(LEAVES, truth, truth.counts, against, None, 7)
    _, original, released = copy.propensities["tree"].distribution(20)
    assert not np.allclose(original, released)
    near, far = one(LEAVES, 0, 0, 0.00114), one(LAPLACE, 0, 0, 0.00115)
    text = like_a_copy_sentence([near, far], "tree")
    assert text.endswith(f"{LEAVES.label()} strays no more than that.")
    assert LAPLACE.label() not in text and like_a_copy_sentence([far], "tree") == ""


def test_of_many_places_the_worst_are_drawn() -> None:
    rng = np.random.default_rng(4)
    truth = table(np.full(120, 50), (60, 2))
    found = [told_apart(LAPLACE, truth, rng.poisson(50, 120), AGAINST, "F0", 7)]
    scores = sorted(found[0].marginals[2].places, key=lambda p: p.score)
    (chart,) = place_chart(found, 2)
    assert sorted(chart.data[0].x) == [p.score for p in scores[:40]]
    assert left_out_places(found, 2).startswith("Of 60 places, the 40 with")
    drawn = dict(zip(chart.data[0].y, chart.data[0].x, strict=True))
    assert drawn == {p.name: p.score for p in scores[:40]}


def test_no_place_is_explained() -> None:
    assert "add “Town” in the sidebar" in no_places_sentence("Town")
    assert "sidebar" not in no_places_sentence("")


def test_the_spread_of_a_copy_is_said() -> None:
    """0.2 of the mean a deal; over 10 deals, divided by a mean of 40: 0.2 √(1/10 + 1/40) = 0.0707,
    and twice that either side of 1."""
    assert REFERENCE.copy_range(10) == pytest.approx((1 - 0.1414, 1 + 0.1414), abs=1e-4)
    more = ratio_sentence([one(LAPLACE, 0, 0)], AGAINST)
    assert "by chance alone would be between 0.86 and 1.14 (decision tree) and" in more
    assert "fresh sample of the same people would be at about 3 (decision tree) and 3 (" in more
    assert copies_sentence(AGAINST).count("between 0.86 and 1.14") == 2
    assert Reference(1.0, 2.0, 9.0, 40).copy_range()[0] == 0
    nothing = Reference(0.0, 0.0, 0.0)
    assert copies_sentence(CopyScores({"tree": nothing}, {})) == "not defined (decision tree)"


def test_a_release_of_another_size_is_said_to_be_rough() -> None:
    truth = table(np.full(8, 30), (2, 4))
    against = copy_scores(truth, None, 7)
    for times, rough in ((1, False), (2, False), (5, True)):
        found = [told_apart(LAPLACE, truth, times * truth.counts, against, None, 7)]
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
    found = [told_apart(LAPLACE, truth, np.full(size, 12), against, by, 7)]
    assert marginal_sentence(found, k, against, "Place").startswith(says)


def test_scores_of_places_are_said_to_be_on_another_scale() -> None:
    """Weighted by people, places lose twice what the score for all does, so the best place may be
    below it: the sentence must not put the two on one scale."""
    truth = table([[40, 40], [40, 40], [40, 40]], (3, 2))
    released = np.array([51, 29, 50, 30, 47, 33])
    found = [told_apart(LAPLACE, truth, released, AGAINST, "F0", 7)]
    score = found[0].marginals[2]
    mean = np.average([p.score for p in score.places], weights=[p.people for p in score.places])
    assert 1000 - mean == pytest.approx(2 * (1000 - score.score))
    assert max(p.score for p in score.places) < score.score
    text = marginal_sentence(found, 2, AGAINST, "Place")
    lost = [2 * 11 / 80, 2 * 7 / 80]  # 11 of the 80 people of place 0 misplaced, 7 of place 2
    low, high = (int(1000 * (1 - share) + 1e-9) for share in lost)
    assert f"does worst in 0 ({low}) and best in 2 ({high})" in text
    assert "not on one scale" in text
    same = [told_apart(LAPLACE, truth, truth.counts, AGAINST, "F0", 7)]
    text = marginal_sentence(same, 2, AGAINST, "Place")
    assert "scores 1000 everywhere" in text and "worst" not in text


def test_a_fitted_model_is_held_against_noise() -> None:
    """The sentence about P2's third panel names both and says which is closer, either way."""
    truth = table(np.r_[np.full(20, 30), np.zeros(20)], (5, 4, 2))
    against = copy_scores(truth, "F0", 7)
    hiding, noise, fitted = (
        sdc.mechanism("suppression"), sdc.mechanism("laplace"), sdc.mechanism("aim")
    )
    filled = truth.counts + 3 * (truth.counts == 0)
    closer, farther = "is closer to the original", "strays farther from the original"
    for far, near, says in ((noise, fitted, closer), (fitted, noise, farther)):
        found = [told_apart(m, truth, counts, against, "F0", 7) for m, counts in (
            (hiding, filled), (far, filled), (near, truth.counts))]
        assert f"Here {fitted.label()} {says} than {noise.label()}" in finding_sentence(
            found, "tree")


def test_progress_reaches_the_end_and_never_turns_back() -> None:
    truth = table([30, 40, 50, 60], (2, 2))
    seen: list[float] = []
    against = copy_scores(truth, None, 7, seen.append)
    assert seen == sorted(seen) and seen[-1] == pytest.approx(1)
    seen.clear()
    told_apart(sdc.mechanism("laplace"), truth, truth.counts, against, None, 7, seen.append)
    assert seen == sorted(seen) and seen[-1] == pytest.approx(1) and len(seen) == 2 * 10


@pytest.mark.slow
@pytest.mark.parametrize("features", [
    ("PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"),
    ("PUMA", "SEX", "RAC1P", "PINCP_DECILE", "OWN_RENT"),
])
def test_what_is_said_is_true_on_real_data(
    real_data: Callable[[str], sdc.Dataset], features: tuple[str, ...]
) -> None:
    """Shares and verdict recomputed from the scores, for hiding of all kinds beside noise."""
    truth = real_data("ma2019").histogram(features)
    chosen = [LAPLACE, GEOMETRIC, FILLS, FILLS.replace(keep_zeros=True),
              FILLS.replace(variant="P2", keep_zeros=True), LEAVES]
    found = [
        told_apart(m, truth, sdc.released_people(m, truth, 1)[0], AGAINST, "PUMA", 7)
        for m in chosen
    ]
    for name in CLASSIFIERS:
        text = finding_sentence(found, name)
        shares = []
        for release in found:
            scores = release.propensities[name]
            away = np.where(scores.even_scores >= 0.95, scores.released, 0).sum(axis=0)
            shares.append(away.sum() / release.released)
            assert f"{sensible(100 * shares[-1])}% with {release.mechanism.label()}" in text
            if release.mechanism == FILLS:
                inside = away[scores.pair.original == 0].sum() / away.sum()
                assert inside > 0.9 and f"({100 * inside:.0f}% of them in empty groups" in text
        only = shares[2] > max(shares[:2]) and max(shares[3:]) <= min(shares[:2])
        assert only == ("only where it fills empty groups" in text)
        assert not re.search(r"\b(As in|Unlike)\b", text)


@pytest.mark.slow
def test_what_p2_found_on_real_data(real_data: Callable[[str], sdc.Dataset]) -> None:
    """P2 Fig 2, ε = 4: records of DP suppression are clearly fake, Laplace's a few."""
    data = real_data("ma2019")
    for features in (
        data.default_features, ("PUMA", "SEX", "RAC1P", "PINCP_DECILE", "OWN_RENT")
    ):
        truth = data.histogram(features)
        against = copy_scores(truth, "PUMA", 7)
        found = [
            told_apart(m, truth, sdc.released_people(m, truth, 1)[0], against, "PUMA", 7)
            for m in (sdc.mechanism("laplace", epsilon=4.0),
                      sdc.mechanism("dp-suppression", epsilon=4.0))
        ]
        for name in CLASSIFIERS:
            laplace, hiding = (one.propensities[name] for one in found)
            assert hiding.given_away().sum() > 10 * laplace.given_away().sum()
            assert hiding.ratio > 5 * laplace.ratio > 5
            assert "So hiding is easier to recognise than noise here" in finding_sentence(
                found, name)


PAGE = "../pages/told_apart.py"
USUAL = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]


def test_page_shows_the_answer_and_the_slow_method_waits() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    chosen = [sdc.mechanism("laplace", epsilon=4.0), sdc.mechanism("dp-suppression", epsilon=4.0),
              sdc.mechanism("suppression", keep_zeros=True)]
    expected = sdc.ask("told_apart", sdc.Study(sdc.load_dataset("ma2019-twin"), USUAL, 7, chosen))
    assert expected.headline in answer(app) and expected.more in answer(app)
    for panel in expected.panels:
        assert panel.title in said(app) and panel.caption.strip() in said(app)
    assert any("Run AIM" in b.label for b in app.button)
    assert len(app.get("plotly_chart")) == 3 + 1
    assert {"t1", "t1.epsilon", "t4", "classifier", "t_k"} <= set(link(app))
    pd.testing.assert_frame_equal(
        app.dataframe[0].value, expected.panel("given-away").table.head(200))


def test_deep_link_and_the_other_classifier() -> None:
    wanted = {"t1": "geometric", "t1.epsilon": "0.5", "t2": "none", "t3": "none", "t4": "none",
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
    app = opened({**TWIN, "classifier": "magic", "t_k": "7", "t3.k": "9", "t1": "none",
                  "t2": "none", "t4": "none", "features": "SEX,NOPE,RAC1P,OWN_RENT"}, PAGE)
    warned = " ".join(w.value for w in app.warning)
    assert [word in warned for word in ("magic", "'7'", "NOPE")] == [True, True, True]
    assert "(decision tree, " in answer(app) and "Suppression k=9" in answer(app)
    assert (link(app)["classifier"], link(app)["t_k"]) == ("tree", "2")


def test_default_shows_what_p2_found(real_data: Callable[[str], sdc.Dataset]) -> None:
    real_data("ma2019")
    app = opened({"data": "ma2019"}, PAGE)
    assert not app.error and not app.warning
    assert "records released by DP suppression" in answer(app)
    assert "it spots none of those by Suppression k=6 zeros kept" in answer(app)
    assert "pMSE" not in answer(app)
    assert not any("P2" in c.value for c in app.caption)
    assert "of them in empty groups, which it fills)" in said(app)
    assert "is easier to recognise than noise only where it fills empty groups." in said(app)

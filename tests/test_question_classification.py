"""What Prediction shows, read back: sentences, bars, charts and tables against models that are
trained a second time, with scikit-learn on single records."""

from __future__ import annotations

import dataclasses
import math
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.preprocessing import OneHotEncoder

import sdc_core as sdc
from sdc_core.curves import Curve
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics import classification as metrics
from sdc_core.metrics import classifiers
from sdc_core.parameters import EPSILON
from sdc_core.people import as_records
from sdc_core.questions.answer import Answer, Panel
from sdc_core.questions.classification import compute, figures, words
from sdc_core.questions.work import Work
from tests.contract import Contract
from tests.page_driver import TWIN, answer, link, opened, said, uploaded

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=("p1", "p2", "p3", "p4"),
    controls=("p_target", "p_from", "p_by", "p_model", "p_also", "p_tune"),
    columns={
        "prediction": ("trained on", "accuracy", "balanced accuracy", "releases"),
        "prediction-groups": ("group", "people", "wrong, trained on the truth", "wrong, <method>"),
        "prediction-sweep": (
            "method", "epsilon", "accuracy", "accuracy, 10%", "accuracy, 90%", "balanced",
            "balanced, 10%", "balanced, 90%",
        ),
    },
)

PAGE = "../pages/classification.py"
FROM, BY, TARGET = ("race", "home", "school"), ("race",), "rich"
TASK: dict[str, Any] = {"p_target": TARGET, "p_from": FROM, "p_by": BY, "p_tune": "epsilon"}


def people() -> pd.DataFrame:
    """900 people: owners and the long at school are more often rich, Black people less often."""
    rng = np.random.default_rng(4)
    race = rng.choice(["White", "Black", "Asian", "Other"], 900, p=[0.55, 0.27, 0.15, 0.03])
    sex = rng.choice(["male", "female"], 900)
    home = rng.choice(["owning", "renting"], 900, p=[0.6, 0.4])
    school = rng.choice(["long", "middle", "short"], 900)
    odds = (1.6 * (home == "owning") - 1.0 * (race == "Black") + 1.2 * (school == "long")
            - 1.1 * (school == "short") - 0.6)
    rich = np.where(rng.random(900) < 1 / (1 + np.exp(-odds)), "rich", "poor")
    return pd.DataFrame({"race": race, "sex": sex, "home": home, "school": school, "rich": rich})


DATA = sdc.load_dataset(people())
SWAPPING = sdc.mechanism("swapping", swap_rate=0.6, quasi_identifiers=("race",))
LAPLACE = sdc.mechanism("laplace", epsilon=0.2)
SUPPRESSION = sdc.mechanism("suppression", k=40)
METHODS = (SWAPPING, SUPPRESSION, LAPLACE)
STUDY = sdc.Study(DATA, methods=METHODS)


class Again(NamedTuple):
    """Models trained again: each release's accuracies, and who of the real people it got wrong."""

    accuracy: NDArray[np.float64]
    balanced: NDArray[np.float64]
    wrong: NDArray[np.bool_]  # a row a release, a column a person

    def by(self, name: str) -> pd.DataFrame:
        """The share that is wrong in each group, a row a release."""
        groups = DATA.records[name].to_numpy()
        return pd.DataFrame({g: self.wrong[:, groups == g].mean(axis=1) for g in set(groups)})


def trained_again(
    released: Sequence[pd.DataFrame], predictors: Sequence[str] = FROM, target: str = TARGET
) -> Again:
    truth = DATA.records.astype(str)
    encoder = OneHotEncoder().fit(truth[list(predictors)])
    accuracy, balanced, wrong = [], [], []
    for records in released:
        model = LogisticRegression(solver="newton-cholesky", tol=1e-10)
        model.fit(encoder.transform(records[list(predictors)]), records[target])
        guess = model.predict(encoder.transform(truth[list(predictors)]))
        accuracy.append(accuracy_score(truth[target], guess))
        balanced.append(balanced_accuracy_score(truth[target], guess))
        wrong.append(guess != truth[target].to_numpy())
    return Again(np.array(accuracy), np.array(balanced), np.array(wrong))


def releases(
    method: Mechanism, counted_by: Sequence[str] = (*FROM, TARGET), number: int = 20, seed: int = 7
) -> list[pd.DataFrame]:
    table = DATA.histogram(counted_by)
    rows = sdc.released_people(method, table, number, seed)
    return [as_records(row, table.domain) for row in rows]


@pytest.fixture(scope="module")
def again() -> dict[Mechanism, Again]:
    return {m: trained_again(releases(m)) for m in METHODS}


@pytest.fixture(scope="module")
def truth() -> Again:
    return trained_again([DATA.records])


@pytest.fixture(scope="module")
def asked() -> Answer:
    return sdc.ask("classification", STUDY, TASK)


def shown(share: float) -> str:
    return f"{100 * share:.1f}%"


def in_points(share: float) -> str:
    number = f"{100 * share:.1f}".removesuffix(".0")
    return f"{number} point{'' if number == '1' else 's'}"


# ---------------------------------------------------------------- the sentences


def test_the_headline(asked: Answer, again: dict[Mechanism, Again], truth: Again) -> None:
    """The first method against truth and guessing, and the large group whose errors grow most."""
    first = again[SWAPPING]
    share = (DATA.records[TARGET] == "rich").mean()
    assert share > 0.5  # so that always saying “rich” is the better guess
    assert asked.headline.startswith(
        f"A model trained on the release of Swapping 60% is right for "
        f"{shown(first.accuracy.mean())} of people, against {shown(truth.accuracy[0])} when "
        f"trained on the truth and {shown(share)} by always saying “rich”; for "
    )
    grown = first.by("race").mean() - truth.by("race").mean()
    sizes = DATA.records["race"].value_counts()
    hurt = grown[sizes.index[sizes >= 100]].idxmax()
    assert grown.idxmax() == "Other" and sizes["Other"] < 30  # hit harder, but too few to be named
    assert asked.headline.endswith(
        f"for people listed as “{hurt}” ({sizes[hurt]} people) it is wrong "
        f"{in_points(grown[hurt])} more often ({shown(first.by('race')[hurt].mean())} instead of "
        f"{shown(truth.by('race')[hurt][0])})."
    )


def test_the_best_and_the_worst_method(asked: Answer, again: dict[Mechanism, Again],
                                       truth: Again) -> None:
    ranked = sorted(METHODS, key=lambda m: again[m].accuracy.mean())
    worst, best = ranked[0], ranked[-1]
    assert worst is not METHODS[0] and best is not METHODS[-1]
    grown = (again[worst].by("race").mean() - truth.by("race").mean()).drop("Other")
    hurt = grown.idxmax()
    assert asked.more == (
        f"Of these methods, {best.label()} costs least "
        f"({shown(again[best].accuracy.mean())} right) and {worst.label()} most "
        f"({shown(again[worst].accuracy.mean())}). After {worst.label()}, people listed as "
        f"“{hurt}” ({(DATA.records.race == hurt).sum()} people) are predicted wrong "
        f"{shown(again[worst].by('race')[hurt].mean())} of the time instead of "
        f"{shown(truth.by('race')[hurt][0])}."
    )


def test_noise_is_set_against_the_others(asked: Answer, again: dict[Mechanism, Again],
                                         truth: Again) -> None:
    caption = asked.panel("prediction").caption
    noise = again[LAPLACE].accuracy.mean()
    parts = []
    for other in (SWAPPING, SUPPRESSION):
        lead = noise - again[other].accuracy.mean()
        parts.append(f"{in_points(abs(lead))} {'ahead of' if lead > 0 else 'behind'} "
                     f"{other.label()}")
    means = [a.accuracy.mean() for a in again.values()]
    gain = truth.accuracy[0] - (DATA.records[TARGET] == "rich").mean()
    assert caption.endswith(
        f"Here Laplace ε=0.2 is {parts[0]} and {parts[1]}. All methods lie within "
        f"{in_points(max(means) - min(means))}; what the model gains over always saying the same "
        f"is {in_points(gain)}."
    )
    assert caption.startswith("Averages of 20 releases. Trained on the truth, the model is right "
                              f"for {shown(truth.accuracy[0])} of the people it learnt from")


def scored(name: str, accuracy: float, **settings: Any) -> metrics.Trained:
    one = np.array([accuracy])
    return metrics.Trained(
        sdc.mechanism(name, **settings), metrics.Scores(one, one, np.zeros((1, 1), dtype=bool)))


def held_against(truth: float = 0.8, guessing: float = 0.6) -> metrics.TruthAndGuessing:
    return metrics.TruthAndGuessing(scored("laplace", truth).scores, truth, guessing, "poor")


def test_only_noise_is_called_noise() -> None:
    """AIM, MST and TopDown are differentially private, but what they release is not noisy counts;
    all the same they are among all methods."""
    hidden = scored("dp-suppression", 0.70)
    for name in ("aim", "mst", "topdown"):
        assert words.papers_sentence([scored(name, 0.79), hidden], held_against()) == ""
    found = words.papers_sentence(
        [scored("aim", 0.79), scored("laplace", 0.74), scored("geometric", 0.73), hidden],
        held_against())
    assert "Here Laplace ε=1 is 4 points ahead of DP suppression ε=1 k=6." in found
    assert "All methods lie within 9 points; what the model gains" in found
    assert found.endswith("always saying the same is 20 points.")


def test_noise_behind_and_level() -> None:
    found = words.papers_sentence(
        [scored("laplace", 0.70), scored("suppression", 0.7004), scored("k-anonymity", 0.72)],
        held_against())
    assert "Here Laplace ε=1 is level with Suppression k=6 and 2 points behind" in found
    assert words.papers_sentence([scored("laplace", 0.7)], held_against()) == ""
    assert words.papers_sentence(
        [scored("laplace", 0.7), scored("suppression", math.nan)], held_against()) == ""


def test_methods_that_cost_the_same_are_not_ranked() -> None:
    names = ("suppression", "laplace", "geometric")
    level = [scored(n, 0.8) for n in names]
    _, more = words.prediction_sentences(level, held_against(), [None] * 3)
    assert more == ("Suppression k=6, Laplace ε=1 and Geometric ε=1 cost the same, to within 0.1 "
                    "points (80.0% right).")
    apart = [*level[:2], scored("geometric", 0.79)]
    _, more = words.prediction_sentences(apart, held_against(), [None] * 3)
    assert more.endswith("costs least (80.0% right) and Geometric ε=1 most (79.0%).")


def test_a_group_that_fares_no_worse_is_not_named() -> None:
    better = metrics.GroupShift(("Black", "female"), 0.2, 0.25, 140)
    same = dataclasses.replace(better, wrong=0.2503)
    worse = dataclasses.replace(better, wrong=0.26)
    for shift in (better, same, None):
        headline, _ = words.prediction_sentences([scored("laplace", 0.7)], held_against(), [shift])
        assert headline.endswith("60.0% by always saying “poor”.")
    headline, _ = words.prediction_sentences([scored("laplace", 0.7)], held_against(), [worse])
    assert headline.endswith("; for Black women (140 people) it is wrong 1 point more often (26.0% "
                             "instead of 25.0%).")


@pytest.mark.parametrize(
    ("unseen", "said"),
    [(0.79, "79.0% of people it has not seen: the test on its own people flatters it by 1 point."),
     (0.8, "80.0% of people it has not seen: the test on its own people does not flatter it.")])
def test_how_far_the_test_on_its_own_people_flatters(unseen: float, said: str) -> None:
    against = dataclasses.replace(held_against(), unseen=unseen)
    note = words.precision_note(against, 3)
    assert note.startswith("Averages of 3 releases.") and note.endswith(said)
    assert "right for 80.0% of the people it learnt from" in note


# ---------------------------------------------------------------- the bars


class Bar(NamedTuple):
    text: str
    label: str
    width: float
    colour: str
    whisker: tuple[float, float] | None  # left and width, per cent


def bars_of(drawing: Any) -> dict[str, list[Bar]]:
    found = {}
    for title, body in re.findall(r"<h5>(.*?) <span.*?</h5>(.*?)(?=<div><h5>|$)", drawing, re.S):
        rows = re.findall(
            r'<div class="row"><b>(.*?)</b> (.*?)<div class="track"><div class="bar" '
            r'style="width:([\d.]+)%;background:(#\w+)"></div>'
            r'(?:<div class="whisker" style="left:([\d.]+)%;width:([\d.]+)%">)?', body)
        found[title] = [
            Bar(text, label, float(width), colour, (float(a), float(b)) if a else None)
            for text, label, width, colour, a, b in rows
        ]
    return found


def bluish(colour: str) -> bool:
    return int(colour[1:3], 16) < int(colour[5:7], 16)


def test_the_bars(asked: Answer, again: dict[Mechanism, Again], truth: Again) -> None:
    found = bars_of(asked.panel("prediction").drawing)
    assert list(found) == ["Right", "Right, classes weighed alike", "Lost against the truth"]
    lost = [truth.accuracy[0] - again[m].accuracy.mean() for m in METHODS]
    for place, method in enumerate(METHODS):
        for title, runs in (("Right", again[method].accuracy),
                            ("Right, classes weighed alike", again[method].balanced)):
            bar = found[title][place]
            assert (bar.label, bar.text) == (method.label(), shown(runs.mean()))
            assert bar.width == pytest.approx(100 * runs.mean(), abs=0.006)
            left, width = bar.whisker or (bar.width, 0.0)
            assert left == pytest.approx(100 * (runs.mean() - runs.std()), abs=0.006)
            assert width == pytest.approx(200 * runs.std(), abs=0.006)
        bar = found["Lost against the truth"][place]
        assert (bar.label, bar.text) == (method.label(), in_points(lost[place]))
        assert bar.width == pytest.approx(100 * lost[place] / max(lost), abs=0.006)
        assert bluish(bar.colour) == (method is LAPLACE)
    assert again[SUPPRESSION].accuracy.std() < 1e-9 < again[LAPLACE].accuracy.std()


def test_what_is_gained_or_unknown_is_no_loss() -> None:
    """Gains have no bar; a gain too small to be written is none; nothing learnt is unknown."""
    trained = [scored("laplace", 0.82), scored("geometric", 0.8004), scored("suppression", 0.79),
               scored("dp-suppression", math.nan)]
    found = bars_of(figures.summary_bars(trained, held_against(0.8), "words"))
    lost = found["Lost against the truth"]
    assert [b.text for b in lost] == ["2 points gained", "0 points", "1 point", "unknown"]
    assert [b.width for b in lost] == [0, 0, 50, 0]  # the longest would be the two points
    assert [b.text for b in found["Right"]] == ["82.0%", "80.0%", "79.0%", "unknown"]


def test_the_table_of_scores(asked: Answer, again: dict[Mechanism, Again], truth: Again) -> None:
    table = asked.panel("prediction").table
    assert table is not None
    assert list(table.columns) == ["trained on", "accuracy", "balanced accuracy", "releases"]
    for method, (_, row) in zip(METHODS, table.iterrows(), strict=False):
        assert row["trained on"] == method.label() and row["releases"] == 20
        assert row["accuracy"] == pytest.approx(again[method].accuracy.mean())
        assert row["balanced accuracy"] == pytest.approx(again[method].balanced.mean())
    rest = table.iloc[len(METHODS):].set_index("trained on")
    assert rest.loc["the truth", "accuracy"] == pytest.approx(truth.accuracy[0])
    assert rest.loc["the truth", "balanced accuracy"] == pytest.approx(truth.balanced[0])
    guess = rest.loc["nothing: always “rich”"]
    assert guess["accuracy"] == pytest.approx((DATA.records[TARGET] == "rich").mean())
    assert guess["balanced accuracy"] == 0.5
    unseen = rest.loc["the truth, tested on people it has not seen", "accuracy"]
    assert f"for {shown(unseen)} of people it has not seen" in asked.panel("prediction").caption
    assert abs(unseen - truth.accuracy[0]) < 0.03 and unseen != truth.accuracy[0]


# ---------------------------------------------------------------- who is predicted wrong


def test_the_chart_of_groups(asked: Answer, again: dict[Mechanism, Again], truth: Again) -> None:
    (chart,) = asked.panel("prediction-groups").figures
    sizes = DATA.records["race"].value_counts()
    drawn = [g for g in sizes.index if sizes[g] >= 30]  # largest first; the others are left out
    names = sorted(chart.layout.annotations, key=lambda note: note.y)
    assert [n.text for n in names] == [f"{g}, {sizes[g]} people" for g in drawn]
    top, bottom = chart.layout.yaxis.range[1], chart.layout.yaxis.range[0]
    assert top < 0 and bottom > len(drawn) - 1  # the axis runs downwards: the largest is on top
    assert chart.layout.xaxis.title.text == "predicted wrong, share of the group"
    base, *marks = chart.data
    assert base.name == "trained on the truth" and list(base.y) == [n.y for n in names]
    assert list(base.x) == pytest.approx([truth.by("race")[g][0] for g in drawn])
    assert "trained on the truth: wrong %{x:.1%}" in base.hovertemplate
    assert [m.name for m in marks] == [m.label() for m in METHODS]
    for place, (method, mark) in enumerate(zip(METHODS, marks, strict=True)):
        runs = again[method].by("race")[drawn]
        assert list(mark.x) == pytest.approx(runs.mean().tolist())
        assert [round(y) for y in mark.y] == [n.y for n in names]
        assert mark.y[0] > marks[place - 1].y[0] or place == 0  # side by side, in the same order
        assert np.asarray(mark.x) + mark.error_x.array == pytest.approx(
            np.maximum(runs.quantile(0.9), runs.mean()))
        assert np.asarray(mark.x) - mark.error_x.arrayminus == pytest.approx(
            np.minimum(runs.quantile(0.1), runs.mean()))
        assert mark.hovertemplate.startswith(f"{method.label()}: wrong %{{x:.1%}}")
        assert bluish(mark.marker.color) == (method is LAPLACE)
    assert len({m.marker.symbol for m in marks}) == 3


def test_the_table_of_groups(asked: Answer, again: dict[Mechanism, Again], truth: Again) -> None:
    """All groups, also the small ones."""
    table = asked.panel("prediction-groups").table
    assert table is not None
    sizes = DATA.records["race"].value_counts()
    assert table["group"].tolist() == sizes.index.tolist()
    assert table["people"].tolist() == sizes.tolist()
    expected = {"wrong, trained on the truth": truth}
    expected |= {f"wrong, {i}. {m.label()}": again[m] for i, m in enumerate(METHODS, 1)}
    assert list(table.columns) == ["group", "people", *expected]
    for column, found in expected.items():
        assert table[column].to_numpy() == pytest.approx(found.by("race").mean()[sizes.index])


def test_the_words_about_groups(asked: Answer, again: dict[Mechanism, Again],
                                truth: Again) -> None:
    panel = asked.panel("prediction-groups")
    before = truth.by("race").iloc[0].drop("Other")
    sizes = DATA.records["race"].value_counts()
    most, least = before.idxmax(), before.idxmin()
    assert panel.caption.startswith(
        f"Even trained on the truth, the model is wrong about {shown(before[most])} of people "
        f"listed as “{most}” ({sizes[most]} people) and {shown(before[least])} of people listed as "
        f"“{least}” ({sizes[least]} people). Hurt most by the release, among groups of 100 people "
        "or more: ")
    for method in METHODS:
        grown = again[method].by("race").mean().drop("Other") - before
        assert f"{method.label()} {grown.idxmax()} (+{in_points(grown.max())})" in panel.caption
    assert panel.caption.endswith("Groups of fewer than 30 people are in the table only.")
    assert panel.alt.startswith("Error rates by group. Even trained on the truth")


def errors(sizes: Sequence[int], rates: Sequence[float]) -> metrics.GroupErrors:
    labels = tuple((f"group {i}",) for i in range(len(sizes)))
    return metrics.GroupErrors(labels, np.array(sizes), np.array([rates]))


def test_which_groups_are_drawn() -> None:
    """Thirty people are enough for a rate; of more than fourteen such groups the largest."""
    found = errors([500, 30, 29], [0.1, 0.3, 0.9])
    chart = figures.group_errors(found, [found], [scored("laplace", 0.7)])
    assert chart is not None and list(chart.data[0].x) == [0.1, 0.3]
    said = words.group_sentence(found, [None], [scored("laplace", 0.7)])
    assert said == ("Even trained on the truth, the model is wrong about 30.0% of people listed as "
                    "“group 1” (30 people) and 10.0% of people listed as “group 0” (500 people).")
    fourteen = errors(range(200, 60, -10), np.linspace(0.1, 0.2, 14))
    fifteen = errors(range(200, 50, -10), np.linspace(0.1, 0.2, 15))
    for one, left in ((fourteen, "Groups of fewer than 30 people are in the table only."),
                      (fifteen, "The 14 largest groups are drawn; all are in the table.")):
        drawn = figures.group_errors(one, [], [])
        assert drawn is not None and list(drawn.data[0].x) == pytest.approx(one.wrong[0][:14])
        assert words.left_to_the_table(one) == left


def test_no_group_is_large_enough() -> None:
    """Nothing is drawn, and it is said; the table has the groups."""
    frame = pd.DataFrame({"town": [f"t{i % 30}" for i in range(300)], "home": ["a", "b"] * 150,
                          "yes": ["y", "n", "n"] * 100})
    found = sdc.ask("classification", sdc.Study(sdc.load_dataset(frame), methods=[LAPLACE]),
                    p_target="yes", p_from=["home"], p_by=["town"])
    panel = found.panel("prediction-groups")
    assert panel.drawing is None and panel.table is not None and len(panel.table) == 30
    assert panel.caption.startswith("No group has 30 people: error rates would say little.")


def test_nobody_is_singled_out_without_groups(again: dict[Mechanism, Again]) -> None:
    found = sdc.ask("classification", STUDY, {**TASK, "p_by": ()})
    assert [p.name for p in found.panels] == ["prediction", "prediction-sweep"]
    assert found.headline.endswith("by always saying “rich”.")
    assert f"is right for {shown(again[SWAPPING].accuracy.mean())} of people" in found.headline


def test_the_legend_of_few_groups_is_not_below_the_axis() -> None:
    found = errors([500, 140], [0.2, 0.3])
    chart = figures.group_errors(found, [found], [scored("laplace", 0.7)])
    assert chart is not None
    assert chart.layout.legend.y >= 1 and chart.layout.legend.yanchor == "bottom"


# ---------------------------------------------------------------- along a parameter


def lines_of(panel: Panel, number: int) -> dict[str, Any]:
    return {t.name: t for t in panel.figures[number].data if t.name is not None}


def test_the_lines(asked: Answer, again: dict[Mechanism, Again]) -> None:
    """At two values of ε and in both charts, models are trained again; a method without ε is a
    level line. Bands are the middle 80% of the releases."""
    panel = asked.panel("prediction-sweep")
    values = list(EPSILON.points(9))
    assert values[0] == 0.05 and values[-1] == 20 and len(values) == 9
    along = {i: trained_again(releases(LAPLACE.replace(epsilon=values[i]))) for i in (1, 4)}
    for number, metric in enumerate(("accuracy", "balanced")):
        lines = lines_of(panel, number)
        assert list(lines) == ["Swapping 60%", "Suppression k=40", "Laplace"]
        assert all(list(t.x) == values for t in lines.values())
        bands = [t for t in panel.figures[number].data if t.fill == "toself"]
        assert len(bands) == 2  # suppression has none: its releases are all the same
        band = next(b for b in bands if bluish(_hex(b.fillcolor)))
        for place, found in along.items():
            runs = getattr(found, metric)
            assert lines["Laplace"].y[place] == pytest.approx(runs.mean())
            there = [y for x, y in zip(band.x, band.y, strict=True) if x == values[place]]
            assert sorted(there) == pytest.approx(np.quantile(runs, [0.1, 0.9]))
        for method in (SWAPPING, SUPPRESSION):
            level = [getattr(again[method], metric).mean()] * 9
            assert list(lines[method.label()].y) == pytest.approx(level)


def _hex(rgba: str) -> str:
    red, green, blue = map(int, re.findall(r"\d+", rgba)[:3])
    return f"#{red:02x}{green:02x}{blue:02x}"


def test_the_levels_and_axes_of_the_lines(asked: Answer, truth: Again) -> None:
    """What the truth gives and what always saying the same gives, each with its words."""
    share = (DATA.records[TARGET] == "rich").mean()
    titles = ("Right about", "Right, classes weighed alike")
    both = ((truth.accuracy[0], share), (truth.balanced[0], 0.5))
    for chart, title, (top, floor) in zip(
            asked.panel("prediction-sweep").figures, titles, both, strict=True):
        assert chart.layout.title.text.startswith(f"<b>{title}</b>")
        assert [s.y0 for s in chart.layout.shapes] == pytest.approx([top, floor])
        assert all(s.y1 == s.y0 for s in chart.layout.shapes)
        notes = {n.text: n.y for n in chart.layout.annotations}
        assert notes == pytest.approx({
            f"trained on the truth, {shown(top)}": top, f"always “rich”, {shown(floor)}": floor})
        assert chart.layout.xaxis.type == "log"
        assert chart.layout.xaxis.title.text == "Privacy loss (ε)"
        assert chart.layout.yaxis.tickformat == ".2~%"
        low, high = chart.layout.yaxis.range
        assert low < floor < top < high
        heights = [y for t in chart.data for y in t.y]
        assert low < min(heights) and max(heights) <= high


def test_marks_stand_at_the_present_setting(asked: Answer) -> None:
    """On the line, where ε is now: only Laplace has an ε."""
    for chart in asked.panel("prediction-sweep").figures:
        (mark,) = [t for t in chart.data if t.mode == "markers"]
        line = next(t for t in chart.data if t.name == "Laplace")
        assert list(mark.x) == [0.2] and mark.marker.color == line.line.color
        assert bluish(line.line.color) and line.line.dash == "solid"
        between = [y for x, y in zip(line.x, line.y, strict=True) if 0.1 < x < 0.3]
        assert min(between) <= mark.y[0] <= max(between)
        assert line.hovertemplate == ("Laplace<br>ε = %{x:.3g}<br>right: %{y:.1%}<extra></extra>")
        dashes = {t.name: t.line.dash for t in chart.data if t.name}
        assert dashes["Swapping 60%"] == dashes["Suppression k=40"] == "dash"


def test_a_method_has_one_colour_in_all_drawings(asked: Answer) -> None:
    bars = bars_of(asked.panel("prediction").drawing)
    expected = {bar.label: bar.colour for bar in bars["Right"]}
    assert len(set(expected.values())) == 3
    assert all({b.label: b.colour for b in rows} == expected for rows in bars.values())
    (groups,) = asked.panel("prediction-groups").figures
    assert {m.name: m.marker.color for m in groups.data[1:]} == expected
    for number in (0, 1):
        lines = lines_of(asked.panel("prediction-sweep"), number)
        assert [t.line.color for t in lines.values()] == list(expected.values())


def test_the_table_and_the_words_of_the_lines(asked: Answer) -> None:
    panel = asked.panel("prediction-sweep")
    table = panel.table
    assert table is not None and len(table) == 27
    assert list(table.columns) == [
        "method", "epsilon", "accuracy", "accuracy, 10%", "accuracy, 90%", "balanced",
        "balanced, 10%", "balanced, 90%"]
    row = table[(table.method == "Laplace") & (table.epsilon == 1.0)].iloc[0]
    again = trained_again(releases(LAPLACE.replace(epsilon=1.0)))
    for metric in ("accuracy", "balanced"):
        runs = getattr(again, metric)
        assert [row[metric], row[f"{metric}, 10%"], row[f"{metric}, 90%"]] == pytest.approx(
            [runs.mean(), *np.quantile(runs, [0.1, 0.9])])
    line = table[table.method == "Laplace"].accuracy
    assert panel.caption.startswith(
        "Along this range of Privacy loss (ε) the accuracy moves: Laplace by "
        f"{in_points(line.max() - line.min())}. Bands hold the middle 80% of 20 releases.")
    assert panel.alt.startswith("Accuracy and balanced accuracy along Privacy loss.")


@pytest.mark.parametrize(
    ("name", "axis", "scale", "here", "line"),
    [("k", "Smallest count published (k, people)", "linear", 40, "Suppression"),
     ("swap_rate", "Share of records swapped", "linear", 0.6, "Swapping"),
     ("epsilon", "Privacy loss (ε)", "log", 0.2, "Laplace")])
def test_the_parameter_to_move_along(name: str, axis: str, scale: str, here: float,
                                     line: str) -> None:
    found = sdc.ask("classification", STUDY, {**TASK, "p_tune": name})
    chart = found.panel("prediction-sweep").figures[0]
    assert (chart.layout.xaxis.title.text, chart.layout.xaxis.type) == (axis, scale)
    assert chart.layout.xaxis.tickformat == (".0%" if name == "swap_rate" else None)
    (mark,) = [t for t in chart.data if t.mode == "markers"]
    (own,) = [t for t in chart.data if t.name == line]
    assert list(mark.x) == [here] and own.line.color == mark.marker.color
    value = "%{x:.0%}" if name == "swap_rate" else "%{x:.3g}"
    assert f" = {value}<br>" in own.hovertemplate
    assert f"the accuracy moves: {line} by" in found.panel("prediction-sweep").caption


def curve_of(runs: Sequence[Sequence[float]], here: float | None = 1.0, name: str = "laplace",
             values: Sequence[float] | None = None) -> Curve[metrics.Scores]:
    made = [metrics.Scores(np.array(r), np.array(r), np.zeros((len(r), 1), dtype=bool))
            for r in runs]
    return Curve(sdc.mechanism(name), tuple(values or EPSILON.points(len(runs))), tuple(made), here)


def test_the_largest_move_is_said_first() -> None:
    still, far = curve_of([[0.7], [0.71]], name="geometric"), curve_of([[0.9], [0.6]])
    level, lost = curve_of([[0.7], [0.7]], here=None), curve_of([[math.nan], [0.7]])
    assert words.sweep_sentence(EPSILON, [still, far, level, lost]) == (
        "Along this range of Privacy loss (ε) the accuracy moves: Laplace by 30 points and "
        "Geometric by 1 point.")
    assert words.sweep_sentence(EPSILON, [level, lost]) == ""


def test_no_line_is_cut_off() -> None:
    """A release may teach more than the truth did: the axis reaches that far."""
    chart = figures.accuracy_lines(EPSILON, [curve_of([[0.7], [0.95]])], held_against(0.72))[0]
    assert chart.layout.yaxis.range[1] >= 0.95
    usual = figures.accuracy_lines(EPSILON, [curve_of([[0.7], [0.71]])], held_against(0.72))[0]
    assert usual.layout.yaxis.range[1] < 0.75


def test_a_band_is_drawn_where_only_the_first_point_is_unknown() -> None:
    unknown = [math.nan, math.nan]
    chart = figures.accuracy_lines(
        EPSILON, [curve_of([unknown, [0.6, 0.7], [0.6, 0.7]])], held_against())[0]
    assert [t.fill for t in chart.data if t.fill] == ["toself"]


def test_words_for_a_level_line_stay_clear_of_the_bands() -> None:
    """Releases at small ε scatter from 40% to 90% and agree on 80% at large ε: what always saying
    the same gives (51%) is written at the right end; turned round, at the left."""
    values = np.geomspace(*EPSILON.range, 9).tolist()
    wide, narrow = [0.4, 0.9] * 5, [0.8] * 10
    for runs, side in (([wide] * 4 + [narrow] * 5, 1), ([narrow] * 5 + [wide] * 4, 0)):
        chart = figures.accuracy_lines(
            EPSILON, [curve_of(runs, values=values)], held_against(0.8, 0.51))[0]
        (note,) = [a for a in chart.layout.annotations if a.text.startswith("always")]
        assert note.x == side and note.xanchor == ("right" if side else "left")


def test_a_slow_model_has_the_papers_few_values() -> None:
    assert compute.line_values(EPSILON, few=True) == (0.5, 1.0, 2.0, 4.0)
    k = next(p for p in SUPPRESSION.params() if p.name == "k")
    assert compute.line_values(k, few=True) == (2, 11, 21, 30)  # type: ignore[arg-type]
    assert len(compute.line_values(EPSILON, few=False)) == 9


# ---------------------------------------------------------------- controls


@pytest.mark.parametrize(
    ("control", "value"),
    [("p_also", ("sex",)), ("p_from", ("home", "school")), ("p_target", "home"),
     ("p_by", ("school",)), ("seed", 8)])
def test_every_control_does_what_it_says(control: str, value: Any) -> None:
    """Trained again with the changed setting, by work that has what was trained before."""
    usual = {**TASK, "p_from": ("race", "school"), "p_also": (), "p_tune": "swap_rate"}
    study, work = STUDY.with_methods([LAPLACE, SWAPPING]), Work()
    sdc.ask("classification", study, usual, work=work)
    controls = {**usual, control: value} if control != "seed" else usual
    changed = dataclasses.replace(study, seed=value) if control == "seed" else study
    tables = sdc.ask("classification", changed, controls, work=work).tables()
    predictors, target, by = controls["p_from"], controls["p_target"], controls["p_by"]
    counted_by = tuple(dict.fromkeys((*predictors, *by, *controls["p_also"], target)))

    def again(method: Mechanism) -> Again:
        return trained_again(releases(method, counted_by, seed=changed.seed), predictors, target)

    found = again(LAPLACE)
    assert tables["prediction"]["accuracy"][0] == pytest.approx(found.accuracy.mean())
    groups = tables["prediction-groups"].set_index("group")["wrong, 1. Laplace ε=0.2"]
    assert groups.to_dict() == pytest.approx(found.by(by[0]).mean().to_dict())
    lines = tables["prediction-sweep"].set_index(["method", "swap_rate"])
    expected = again(SWAPPING.replace(swap_rate=0.5)).accuracy.mean()
    assert lines.loc[("Swapping", 0.5), "accuracy"] == pytest.approx(expected)


def test_the_forest_is_another_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same work at hand nothing of the logistic regression is taken for the forest's, nor
    of another seed: three releases, the truth, and lines of four points."""
    monkeypatch.setattr(compute, "REPETITIONS", 4)
    controls = {**TASK, "p_by": (), "p_model": "forest"}
    study, work = STUDY.with_methods([LAPLACE]), Work()
    for other in ({**controls, "p_model": "logistic"}, controls):
        sdc.ask("classification", study, other, work=work)
    found = sdc.ask("classification", dataclasses.replace(study, seed=8), controls,
                    work=Work(work.keep))
    table = DATA.histogram((*FROM, TARGET))
    what = metrics.Task(table.domain, FROM, TARGET)
    real = what.by_class(table.counts)[0]

    def right(rows: NDArray[np.int64]) -> float:
        streams = [np.random.SeedSequence(8, spawn_key=(r,)) for r in range(len(rows))]
        guess = classifiers.random_forest(
            what.design, what.by_class(rows), [np.random.default_rng(s) for s in streams])
        return float(np.where(guess, real[:, 1], real[:, 0]).sum(axis=1).mean() / 900)

    scores = found.tables()["prediction"].set_index("trained on")
    first = scores.loc["Laplace ε=0.2"]
    assert first["releases"] == 3
    assert first["accuracy"] == pytest.approx(right(sdc.released_people(LAPLACE, table, 3, 8)))
    assert scores.loc["the truth", "accuracy"] == pytest.approx(right(table.counts[None, :]))
    assert found.panel("prediction").caption.startswith("Averages of 3 releases.")
    lines = found.tables()["prediction-sweep"]
    assert lines["epsilon"].tolist() == [0.5, 1, 2, 4]
    rows = sdc.released_people(LAPLACE.replace(epsilon=2.0), table, 4, 8)
    assert lines["accuracy"][2] == pytest.approx(right(rows))
    assert found.provenance is not None
    assert found.provenance.computed == "simulated, up to 4 releases a method"


def test_what_is_usual() -> None:
    """The paper's task where the data has it; else the last feature with two values."""
    found = sdc.ask("classification", sdc.Study(sdc.load_dataset("ma2019-twin")))
    facts = found.provenance
    assert facts is not None and facts.features == (
        "RAC1P", "AGE_BIN", "SEX", "OWN_RENT", "INCOME_50K")
    assert facts.controls == {
        "p_target": "INCOME_50K", "p_from": "RAC1P,AGE_BIN,SEX,OWN_RENT", "p_by": "RAC1P,SEX",
        "p_model": "logistic", "p_also": "", "p_tune": "epsilon"}
    assert [m.split("(")[1].split(",")[0] for m in facts.methods] == [
        "'laplace'", "'discrete-gaussian'", "'dp-suppression'", "'dp-swapping'"]
    assert "k=6" in facts.methods[2] and "swap_rate=0.25" in facts.methods[3]
    own = sdc.ask("classification", sdc.Study(DATA)).provenance
    assert own is not None and own.controls["p_target"] == "rich"
    assert own.controls["p_from"] == "sex,home" and own.controls["p_by"] == "sex"
    assert "quasi_identifiers=('sex',)" in own.methods[3]  # one that the table has


def test_a_task_that_cannot_be() -> None:
    with pytest.raises(sdc.InputError, match="at least one"):
        sdc.ask("classification", STUDY, {**TASK, "p_from": ()})
    with pytest.raises(sdc.InputError, match="p_target must be one of sex, home, rich"):
        sdc.ask("classification", STUDY, {**TASK, "p_target": "race"})
    with pytest.raises(sdc.InputError, match="p_from has no 'rich'"):
        sdc.ask("classification", STUDY, {**TASK, "p_from": ("rich",)})


def test_nothing_to_predict_and_no_method() -> None:
    frame = pd.DataFrame({"x": list("abc") * 20, "y": list("defg") * 15})
    found = sdc.ask("classification", sdc.Study(sdc.load_dataset(frame)))
    assert found.headline.startswith("This page predicts a feature that has exactly two values")
    assert found.panels == ()
    alone = sdc.load_dataset(
        pd.DataFrame({"name": [f"person {i}" for i in range(3000)], "yes": ["y", "n"] * 1500}))
    assert alone.features == ("yes",)  # nothing to predict it from
    assert sdc.ask("classification", sdc.Study(alone)).headline == found.headline
    none = sdc.ask("classification", STUDY.with_methods([]), p_target=TARGET)
    assert none.headline.startswith("Choose a method") and none.panels == ()


def test_releases_without_records_and_with_one_class() -> None:
    """Four people and much noise: some releases have nobody, some only one class."""
    frame = pd.DataFrame({"home": list("aabb") * 2, "yes": list("ynyn") * 2})
    data = sdc.load_dataset(frame)
    one = sdc.mechanism("laplace", epsilon=0.05)
    found = sdc.ask("classification", sdc.Study(data, methods=[one]), p_target="yes",
                    p_from=["home"], p_by=["home"])
    rows = sdc.released_people(one, data.histogram(["home", "yes"]), 20).reshape(20, 2, 2)
    sizes = rows.sum(axis=1)
    empty, alike = (sizes.sum(axis=1) == 0).sum(), ((sizes > 0).sum(axis=1) == 1).sum()
    assert empty > 0 and alike > 0
    first, second = (n.text for n in found.notices)
    assert first.startswith(f"{empty} of 20 releases of Laplace ε=0.05 hold no records")
    assert second.startswith(f"In {alike} of 20 releases of Laplace ε=0.05 all people")
    assert all(n.tone == "info" for n in found.notices)


def test_nothing_but_empty_releases_is_said() -> None:
    trained = [scored("laplace", math.nan), scored("suppression", 0.7)]
    headline, more = words.prediction_sentences(trained, held_against(), [None, None])
    assert headline == "Laplace ε=1 releases no records: nothing can be learnt." and more == ""


# ---------------------------------------------------------------- work that waits


@pytest.fixture
def small_forests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute, "REPETITIONS", 2)
    monkeypatch.setattr(classifiers, "TREES", 2)


def test_a_slow_model_waits_to_be_asked_for(small_forests: None) -> None:
    """The bars are there at once; for the lines eight models have to be trained."""
    work = Work(started=())
    controls = {**TASK, "p_model": "forest"}
    study = STUDY.with_methods([LAPLACE])
    found = sdc.ask("classification", study, controls, work=work)
    (job,) = found.waiting
    assert (job.key, job.label) == ("training", "Train 8 models")
    assert job.note.startswith("2 releases of 4 settings take up to a minute.")
    panel = found.panel("prediction-sweep")
    assert panel.drawing is None and panel.controls == ("p_tune",)
    assert "button above" in panel.caption
    assert found.panel("prediction").caption.startswith("Averages of 3 releases.")
    started = Work(work.keep, started={"training"})
    assert len(sdc.ask("classification", study, controls, work=started).panels[-1].figures) == 2
    later = sdc.ask("classification", study, controls, work=Work(work.keep, started=()))
    assert later.waiting == () and len(later.panels[-1].figures) == 2


def test_what_is_trained_is_kept_when_the_rest_is_cancelled(small_forests: None) -> None:
    class Cancelled(Exception):
        pass

    @contextmanager
    def impatient(words: str) -> Iterator[Callable[[float], None]]:
        def progress(share: float) -> None:
            if "at each privacy loss" in words and share > 0.6:
                raise Cancelled

        yield progress

    work = Work(report=impatient, started={"training"})
    controls = {**TASK, "p_model": "forest"}
    study = STUDY.with_methods([LAPLACE])
    with pytest.raises(Cancelled):
        sdc.ask("classification", study, controls, work=work)
    rest = sdc.ask("classification", study, controls, work=Work(work.keep, started=()))
    assert [job.label for job in rest.waiting] == ["Train 2 models"]


def test_slow_methods_wait_and_have_no_line() -> None:
    """MST is trained on when it is asked for; a line along ε is not drawn, and that is said."""
    mst = sdc.mechanism("mst", epsilon=2.0)
    study, work = STUDY.with_methods([mst, LAPLACE]), Work(started=())
    controls = {"p_target": TARGET, "p_from": ("home",), "p_by": ()}
    found = sdc.ask("classification", study, controls, work=work)
    assert [(j.key, j.label) for j in found.waiting] == [("methods", f"Run {mst.title}")]
    assert "trained on the release of Laplace ε=0.2" in found.headline
    panel = found.panel("prediction-sweep")
    assert list(lines_of(panel, 0)) == ["Laplace"]
    assert panel.caption.endswith(f"{mst.title}: a line would take too long and is left out.")
    other = sdc.ask("classification", study.with_methods([mst, SUPPRESSION]), controls,
                    work=Work(work.keep, started=()))
    assert other.tables()["prediction-sweep"].columns[1] == "k"  # ε would be a line of MST's only
    started = Work(work.keep, started={"methods"})
    alone = sdc.ask("classification", study.with_methods([mst]), controls, work=started)
    expected = trained_again(releases(mst, ("home", TARGET)), ("home",))
    assert alone.tables()["prediction"]["accuracy"][0] == pytest.approx(expected.accuracy.mean())
    assert alone.panels[-1].caption == "These methods take too long to be drawn along a line."


def test_a_moved_slider_trains_only_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """Along ε the line does not depend on where ε stands: a moved ε trains one setting."""
    made: list[Mechanism] = []
    monkeypatch.setattr(compute, "released_people", _noting(made, sdc.released_people))
    work = Work()
    study = STUDY.with_methods([LAPLACE, SUPPRESSION])
    sdc.ask("classification", study, TASK, work=work)
    assert len(made) == 2 + 9  # the level line of suppression is the present setting
    made.clear()
    moved = LAPLACE.replace(epsilon=0.31)
    sdc.ask("classification", STUDY.with_methods([moved, SUPPRESSION]), TASK, work=work)
    assert made == [moved]


def _noting(made: list[Mechanism], inner: Callable[..., Any]) -> Callable[..., Any]:
    def noted(mechanism: Mechanism, *args: Any) -> Any:
        made.append(mechanism)
        return inner(mechanism, *args)

    return noted


def test_the_question_does_not_load_scikit_learn() -> None:
    """It takes a second, and nobody has asked for a forest yet."""
    code = "import sys, sdc_core.questions.classification; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---------------------------------------------------------------- the page


def test_the_page_says_what_the_engine_says() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    found = sdc.ask("classification", sdc.Study(sdc.load_dataset("ma2019-twin")))
    assert found.headline in answer(app) and found.more in answer(app)
    for panel in found.panels:
        assert panel.caption in said(app)
    assert len(app.get("plotly_chart")) == 3  # groups, accuracy, balanced accuracy


def test_deep_link() -> None:
    wanted = {**TWIN, "p2": "none", "p3": "none", "p4": "none", "p_target": "SEX",
              "p_from": "RAC1P,INCOME_50K", "p_by": "OWN_RENT", "p_also": "PUMA",
              "p_tune": "swap_rate", "p1": "swapping", "p1.swap_rate": "0.5"}
    app = opened(wanted, PAGE)
    assert not app.error and not app.warning
    assert wanted.items() <= link(app).items()
    one = sdc.mechanism("swapping", swap_rate=0.5, quasi_identifiers=("RAC1P", "SEX"))
    found = sdc.ask(
        "classification", sdc.Study(sdc.load_dataset("ma2019-twin"), methods=[one]),
        p_target="SEX", p_from=["RAC1P", "INCOME_50K"], p_by=["OWN_RENT"], p_also=["PUMA"],
        p_tune="swap_rate")
    assert found.headline in answer(app) and "always saying “female”" in found.headline
    assert all(panel.caption in said(app) for panel in found.panels)


def test_a_forest_trains_on_request(small_forests: None) -> None:
    app = opened({**TWIN, "p2": "none", "p3": "none", "p4": "none", "p_model": "forest"}, PAGE)
    assert "Averages of 3 releases" in said(app)
    assert len(app.get("plotly_chart")) == 1
    assert app.button(key="run.training").label == "Train 8 models"
    app.button(key="run.training").click().run()
    assert not app.exception
    assert len(app.get("plotly_chart")) == 3
    assert not [b for b in app.button if b.key == "run.training"]


def test_a_bad_link_and_no_predictors_are_explained() -> None:
    app = opened({**TWIN, "p_target": "RAC1P", "p_model": "oracle"}, PAGE)
    problems = " ".join(w.value for w in app.warning).replace("\\", "")
    assert "p_target must be one of" in problems and "p_model must be one of" in problems
    app.multiselect(key="url.p_from").set_value([]).run()
    assert not app.exception
    assert "Choose at least one" in app.error[0].value
    assert not [s for s in app.selectbox if s.key == "url.p1"]  # no cards without a table


def test_what_is_predicted_is_not_offered_to_predict_from() -> None:
    app = opened(TWIN, PAGE)
    app.selectbox(key="url.p_target").set_value("SEX").run()
    assert not app.exception and not app.error
    assert (link(app)["p_from"], link(app)["p_by"]) == ("RAC1P,AGE_BIN,OWN_RENT", "RAC1P")
    for key in ("url.p_from", "url.p_by", "url.p_also"):
        assert "Sex" not in app.multiselect(key=key).options
    assert "always saying “female”" in answer(app)


@pytest.mark.parametrize(
    "columns", [{"x": list("abc") * 20, "y": list("defg") * 15},
                {"x": list("abcd") * 20, "n": np.arange(80) % 3}])
def test_data_with_nothing_to_predict_is_told_so(columns: dict[str, list[object]]) -> None:
    app = uploaded(opened(TWIN, PAGE), pd.DataFrame(columns))
    assert words.NOTHING_TO_PREDICT in answer(app)
    assert not app.get("plotly_chart")
    assert not [s for s in app.selectbox if s.key.startswith("url.p")]


def spot(low: list[float], high: list[float], level: float = 0.5) -> tuple[int, bool]:
    """Where the words of a level line go beside one band between 0 and 1."""
    xs = np.array([0.0, 0.5, 1.0])
    found = metrics.Band(mean=list(np.mean([low, high], axis=0)), low=low, high=high)
    return figures._free_spot(np.array([0.0, 1.0]), [(xs, found)], level, 0.1)


def test_words_of_a_level_line_stand_where_no_band_is() -> None:
    """Left (0) or right (1), above or below: the band leaves one corner free."""
    assert spot([0.45, 0.45, 0.0], [0.6, 0.6, 0.1]) == (1, True)
    assert spot([0.0, 0.45, 0.45], [0.1, 0.6, 0.6]) == (0, True)
    assert spot([0.5, 0.5, 0.5], [0.6, 0.6, 0.6]) in ((0, False), (1, False))
    assert spot([0.45, 0.5, 0.9], [0.6, 0.6, 1.0]) == (1, False)

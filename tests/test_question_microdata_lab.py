"""The microdata lab, as shown: paths, matrices, components and captions read back and compared with
numbers computed another way, on a small file with known people in it."""

from __future__ import annotations

import functools
import math
import re

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.spatial import cKDTree

import sdc_core as sdc
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.mechanisms.on_records import draw_records
from sdc_core.metrics.microdata.battery import measure
from sdc_core.metrics.microdata.regression import Followed
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.questions.answer import Answer
from sdc_core.questions.microdata_lab import words
from sdc_core.questions.microdata_lab.compute import RWN_PATHS, Exposed, Look
from sdc_core.questions.microdata_lab.words import moved
from sdc_core.questions.work import Work
from sdc_core.records import Records
from tests.contract import Contract

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=(),
    controls=("ml_privacy", "ml_utility", "lab_vars", "lab_outcome", "lab_coefficient",
              "lab_methods", "ml_top", "ml_bottom", "ml_along", "ml_releases",
              "ml_method", "ml_level"),
    columns={
        "lab-trade-off": (
            "method", "setting", "value", "privacy", "privacy, standard error", "utility",
            "utility, standard error", "releases",
        ),
        "lab-correlations": ("first", "second", "original", "release"),
        "lab-components": ("component", "original", "release"),
        "lab-outlier": ("where", "component 1", "component 2", "Cook's distance", "place"),
        "lab-neighbourhoods": ("records to borrow from", "closest"),
    },
    quick={"lab_vars": "AGEP,PINCP,SEX,OWN_RENT", "ml_releases": "5"},
)
QUICK = "rank-swapping,microaggregation,noise-addition,k-anonymity"
NUMBERS = ["age", "pay", "height"]


@functools.cache
def people() -> pd.DataFrame:
    """Ninety made-up people; the last earns far more than anybody."""
    rng = np.random.default_rng(5)
    age = rng.integers(20, 70, 90)
    pay = 1000 + 30 * age + rng.normal(0, 200, 90)
    pay[-1] = 9000
    return pd.DataFrame({
        "age": age, "pay": pay.round(1), "height": rng.normal(170, 9, 90).round(1),
        "sex": rng.choice(["f", "m"], 90),
    })


@functools.cache
def asked(**controls: object) -> Answer:
    data = sdc.load_dataset(people())
    wanted = {"lab_vars": ("age", "pay", "height", "sex"), "lab_outcome": "pay",
              "lab_methods": QUICK, **controls}
    return sdc.ask("microdata_lab", sdc.Study(data, seed=3), wanted)


def own_records() -> Records:
    return Records.of(people()[["age", "pay", "height", "sex"]])


def scaled(frame: np.ndarray) -> np.ndarray:
    """Numbers on the original's range, sex as two coordinates, written down by hand."""
    real = people()[NUMBERS].to_numpy(float)
    numbers = (frame[:, :3] - real.min(axis=0)) / np.ptp(real, axis=0)
    return np.column_stack([numbers, frame[:, 3] == 0, frame[:, 3] == 1]).astype(float)


def closest_is_own(original: np.ndarray, released: np.ndarray) -> float:
    """In which share of cases is the closest released record one's own; ties share the chance."""
    far = np.round(((scaled(original)[:, None] - scaled(released)[None]) ** 2).sum(axis=2), 12)
    nearest = far == far.min(axis=1, keepdims=True)
    return float((np.diag(nearest) / nearest.sum(axis=1)).mean())


def correlation_loss(original: np.ndarray, released: np.ndarray) -> float:
    upper = np.triu_indices(3, 1)
    before, after = (np.corrcoef(a[:, :3].T)[upper] for a in (original, released))
    return float(np.abs(before - after).mean())


@pytest.mark.parametrize(("method", "name", "settings", "value"), [
    ("Microaggregation", "microaggregation", {"k": 4}, 4.0),
    ("RWN borrowing", "rwn", {"q": 1.0, "k": 5, "radius": 0.55}, 0.55),
    ("Rank swapping", "rank-swapping", {"p": 0.3}, 0.3),
    ("Noise on records", "noise-addition", {"share": 0.5}, 0.5),
])
def test_a_mark_is_the_mean_of_its_releases(
    method: str, name: str, settings: dict, value: float
) -> None:
    """Releases drawn again, and both measures worked out as one would write them down."""
    table = asked().panel("lab-trade-off").table
    assert table is not None
    (row,) = table[(table["method"] == method) & (table["value"] == value)].to_dict("records")
    records = own_records()
    made = [next(sdc.mechanism(name, **settings).draw_records(records, [repetition_rng(3, r)]))
            .values for r in range(row["releases"])]
    privacy = [closest_is_own(records.values, one) for one in made]
    utility = [correlation_loss(records.values, one) for one in made]
    assert row["privacy"] == pytest.approx(np.mean(privacy))
    assert row["utility"] == pytest.approx(np.mean(utility))
    wanted = 0.0 if name == "microaggregation" else np.std(utility, ddof=1) / math.sqrt(5)
    assert row["utility, standard error"] == pytest.approx(wanted, abs=1e-12)


def test_the_chart_shows_the_table_and_the_headline_its_ends() -> None:
    found = asked()
    table, (chart,) = found.panel("lab-trade-off").table, found.panel("lab-trade-off").figures
    drawn = {trace.name: trace for trace in chart.data}
    known = table.dropna(subset=["privacy", "utility"])
    assert set(drawn) == set(known["method"])
    for method, rows in known.groupby("method"):
        np.testing.assert_allclose(drawn[method].x, rows["privacy"])
        np.testing.assert_allclose(drawn[method].y, rows["utility"])
        np.testing.assert_allclose(drawn[method].error_y.array, rows["utility, standard error"])
    first, last = (known[known["method"] == "RWN borrowing"].iloc[i] for i in (0, -1))
    numbers = re.search(r": .* from ([\d.]+)% to ([\d.]+)%, .* from ([\d.]+) to ([\d.]+)\.",
                        found.headline)
    assert numbers is not None, found.headline
    said = [float(n) for n in numbers.groups()]
    wanted = [100 * first["privacy"], 100 * last["privacy"], first["utility"], last["utility"]]
    np.testing.assert_allclose(said, wanted, rtol=0.06)
    assert found.headline.startswith(
        "Borrowing values from similar records, radius from 0 to 1.2: self-closest record goes")
    assert "Averaging similar records, smallest cluster from 2 to 32: " in found.more
    across = chart.layout.xaxis.title.text
    assert "more protection to the left" in across  # fewer recognised is better
    other = asked(ml_privacy="dcr").panel("lab-trade-off").figures[0]
    assert "more protection to the right" in other.layout.xaxis.title.text
    for answer, privacy in ((found, "smaller"), (asked(ml_privacy="dcr"), "larger")):
        means = re.search(
            r"For .+ (\w+) means more protection; for .+ (\w+) means that more is", answer.more)
        assert means and means.groups() == (privacy, "smaller")  # a change of correlations


def test_what_chance_could_do_is_not_called_a_change() -> None:
    one = measure("il1")
    low, high = OverReleases(np.array([1.0, 2.0, 3.0])), OverReleases(np.array([2.0, 3.0, 2.5]))
    assert moved(one, low, high).startswith("change of correlations (IL₁) stays at about 2.5")
    far = OverReleases(np.array([8.0, 8.1, 8.2]))
    assert moved(one, low, far).endswith("goes from 2 to 8.1")
    hair = OverReleases(np.array([8.1001, 8.1001, 8.1001]))  # no chance, and nothing to read
    assert moved(one, OverReleases(np.full(3, 8.1)), hair).endswith("stays at about 8.1")
    nothing = OverReleases(np.array([2.0, 2.0]))
    assert moved(one, nothing, nothing).endswith("stays at 2")


def test_matrices_and_their_caption_are_those_of_the_release() -> None:
    found = asked(ml_level=5)
    panel = found.panel("lab-correlations")
    released = next(sdc.mechanism("rwn", q=1.0, k=5, radius=0.7).draw_records(
        own_records(), [repetition_rng(3, 0)])).values
    before, after = (np.corrcoef(a[:, :3].T) for a in (own_records().values, released))
    for figure, matrix in zip(panel.figures, (before, after), strict=True):
        np.testing.assert_allclose(figure.data[0].z, matrix, atol=1e-4)
        assert (figure.data[0].zmin, figure.data[0].zmax) == (-1, 1)
    upper = np.triu_indices(3, 1)
    weaker = int((np.abs(after[upper]) < np.abs(before[upper])).sum())
    assert f"Of 3 pairs of numbers {weaker} " in panel.caption
    assert f"is {np.abs(after[upper]).mean():.2f} and was {np.abs(before[upper]).mean():.2f}" in (
        panel.caption)
    assert "r=0.7" in panel.caption


def test_components_are_those_of_the_correlations() -> None:
    panel = asked(ml_level=5).panel("lab-components")
    matrix = np.corrcoef(own_records().values[:, :3].T)
    shares = np.sort(np.linalg.eigvalsh(matrix))[::-1] / 3
    np.testing.assert_allclose(panel.table["original"], shares)
    assert panel.table["release"].sum() == pytest.approx(1)
    assert f"In the original the first component has {100 * shares[0]:.3g}%" in panel.caption


def test_the_marked_record_has_the_largest_cooks_distance() -> None:
    """By statsmodels: the one who earns far more; and its place in the release is told."""
    frame = people()
    design = sm.add_constant(np.column_stack([frame["age"], frame["height"], frame["sex"] == "m"]))
    cook = sm.OLS(frame["pay"], design.astype(float)).fit().get_influence().cooks_distance[0]
    assert cook.argmax() == 89
    panel = asked().panel("lab-outlier")
    assert panel.table["Cook's distance"][0] == pytest.approx(cook[89])
    before, after = panel.figures
    marks = [figure.data[1] for figure in (before, after)]
    np.testing.assert_allclose([marks[0].x[0], marks[1].x[0]], panel.table["component 1"])
    assert "pulls hardest on the regression (the largest Cook's distance)" in panel.caption
    assert {mark.hovertemplate.split("<")[0] for mark in marks} == {"the most exposed record"}
    assert all("first and second component" in f.layout.title.text for f in (before, after))
    released = asked(ml_method="k-anonymity").panel("lab-outlier")
    assert len(released.figures[1].data) == 1 and "drawn anew" in released.caption


def test_neighbourhoods_are_counted_as_drawn() -> None:
    panel = asked(ml_level=3).panel("lab-neighbourhoods")
    points = scaled(own_records().values)
    far = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=2))
    np.fill_diagonal(far, np.inf)
    sizes = np.maximum((far <= 0.4 + 1e-12).sum(axis=1), 5)
    np.testing.assert_array_equal(panel.table["records to borrow from"], sizes)
    np.testing.assert_allclose(panel.table["closest"], far.min(axis=1))
    assert (f"{(sizes == 5).sum()} of 90 records can borrow from exactly 5 others, the fewest that "
            "are allowed, because no more are within the radius") in panel.caption
    marked = panel.figures[0].data[-1]  # who earns far more, and has the largest Cook's distance
    assert marked.x[0] == sizes[89] and marked.hovertemplate.startswith("the most exposed record")
    assert "lab-neighbourhoods" not in {p.name for p in asked(ml_method="microaggregation").panels}


def test_a_method_that_cannot_be_measured_says_why() -> None:
    """k-anonymity draws records anew: no self-closest record, but a distance to the closest."""
    texts = [n.text for n in asked().notices]
    assert any("k-anonymity has no self-closest record: records are drawn anew" in text
               for text in texts)
    by_distance = asked(ml_privacy="dcr")
    assert [n.text[:9] for n in by_distance.notices] == ["MST synth"]  # that they can join
    drawn = {trace.name for trace in by_distance.panel("lab-trade-off").figures[0].data}
    assert "k-anonymity" in drawn


def test_settings_that_few_records_do_not_allow_are_left_out() -> None:
    """Ninety people make no class of 100; and what cannot be done at all is said where it was
    chosen."""
    table = asked(ml_privacy="dcr").panel("lab-trade-off").table
    assert table[table["method"] == "k-anonymity"]["value"].max() == 50
    strongest = asked(ml_method="k-anonymity", ml_level=8)
    assert "k=50" in strongest.panel("lab-correlations").caption
    wide = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 12))).rename(columns="x{}".format)
    found = sdc.ask("microdata_lab", sdc.Study(sdc.load_dataset(wide)), {
        "ml_method": "k-anonymity", "lab_vars": tuple(wide.columns)})
    texts = " ".join(n.text for n in found.notices)
    assert "Looked at closely is RWN borrowing" in texts and "the limit is" in texts


def test_rwn_moves_along_what_is_asked_for() -> None:
    for along, path in RWN_PATHS.items():
        table = asked(ml_along=along).panel("lab-trade-off").table
        rows = table[table["method"] == "RWN borrowing"]
        assert set(rows["setting"]) == {along} and tuple(rows["value"]) == path.values


def test_synthetic_records_are_on_the_picture_by_distance_and_told_why_not_by_recognition() -> None:
    found = asked(ml_privacy="dcr", lab_methods="k-anonymity,mst,aim", ml_method="mst")
    table = found.panel("lab-trade-off").table
    for title, kind in (("MST synthetic data", "mst"), ("AIM synthetic data", "aim")):
        (row,) = table[(table["method"] == title) & (table["value"] == 1.0)].to_dict("records")
        records = own_records()
        method = sdc.mechanism(kind, epsilon=1.0)
        made = [next(draw_records(method, records, [repetition_rng(3, r)])) for r in range(5)]
        near = [cKDTree(scaled(one.values)).query(scaled(records.values))[0].mean() for one in made]
        assert row["privacy"] == pytest.approx(np.mean(near))
        loss = [correlation_loss(records.values, one.values) for one in made]
        assert row["utility"] == pytest.approx(np.mean(loss))
    assert found.headline.startswith("Drawing records from a simple model, privacy loss from 8 to")
    by_own = asked(lab_methods="mst", ml_method="mst")
    assert "cannot be measured by self-closest record here: records are drawn anew" in (
        by_own.headline)
    assert len(by_own.panel("lab-outlier").figures[1].data) == 1  # nobody is marked


def test_slow_methods_wait_for_a_click_and_nothing_else_does() -> None:
    study = sdc.Study(sdc.load_dataset(people()), seed=3)
    wanted = {"lab_vars": "age,pay,sex", "lab_outcome": "pay", "ml_privacy": "dcr",
              "lab_methods": QUICK + ",mst,aim"}
    found = sdc.ask("microdata_lab", study, wanted, work=Work(started=()))
    assert [job.label for job in found.waiting] == [
        "Run MST synthetic data and AIM synthetic data"]
    drawn = {trace.name for trace in found.panel("lab-trade-off").figures[0].data}
    assert drawn == {"RWN borrowing", "Rank swapping", "Microaggregation", "Noise on records",
                     "k-anonymity"}
    alone = sdc.ask("microdata_lab", study, {**wanted, "ml_privacy": "pscr", "ml_method": "aim"},
                    work=Work(started=()))
    assert [job.label for job in alone.waiting] == ["Run AIM synthetic data"]
    assert [p.name for p in alone.panels] == ["lab-trade-off"]


def test_tails_are_cut_off_before_any_method_and_measured_against_the_truth() -> None:
    found = asked(ml_top=0.1, ml_bottom=0.05, ml_privacy="dcr")
    said = "largest 10% and smallest 5% cut off first"
    assert said in found.headline and said in found.panel("lab-correlations").caption
    records = own_records()
    cut = records.values.copy()
    for j in range(3):
        known = np.sort(cut[:, j])
        cut[:, j] = np.clip(cut[:, j], known[4], known[-10])  # 4 and 9 of 90 are beyond
    table = found.panel("lab-trade-off").table
    (row,) = table[(table["method"] == "Microaggregation") & (table["value"] == 4)].to_dict(
        "records")
    released = next(sdc.mechanism("microaggregation", k=4).draw_records(
        records.with_values(cut), [repetition_rng(3, 0)])).values
    near = cKDTree(scaled(released)).query(scaled(records.values))[0].mean()
    assert row["privacy"] == pytest.approx(near)
    assert row["utility"] == pytest.approx(correlation_loss(records.values, released))
    assert "cut off" not in asked().headline + asked().more


def test_a_release_that_cannot_be_looked_at_says_so_and_the_rest_stays() -> None:
    """Whoever cuts off nearly half at both ends of a number that half the people share leaves a
    constant."""
    frame = people().assign(height=[170.0] * 60 + list(range(140, 170)))
    found = sdc.ask("microdata_lab", sdc.Study(sdc.load_dataset(frame)), {
        "lab_vars": "age,pay,height", "lab_outcome": "pay", "ml_top": 0.4, "ml_bottom": 0.4,
        "lab_methods": "microaggregation"})
    assert [p.name for p in found.panels] == ["lab-trade-off"]
    (note,) = [n.text for n in found.notices if "looked at closely" in n.text]
    assert "is constant" in note


# Sentences where a careless version is false ------------------------------------------------------


def seen(before: np.ndarray, after: np.ndarray, **changed: object) -> Look:
    """A close look with these correlations of three numbers; the rest is nothing in particular."""
    flat, points = np.array([0.5, 0.3, 0.2]), np.zeros((4, 2))
    whole = {
        "mechanism": sdc.mechanism("rwn"), "names": ("a", "b", "c"), "before": before,
        "after": after, "shares_before": flat, "shares_after": flat, "scores_before": points,
        "scores_after": points, "exposed": Exposed(0, False), "in_places": True,
        "followed": Followed(0, math.inf, 0.2, 1, 1, 0.2), **changed}
    return Look(**whole)


def matrix(first: float, second: float, third: float) -> np.ndarray:
    return np.array([[1, first, second], [first, 1, third], [second, third, 1]])


def test_a_release_that_changes_nothing_is_not_said_to_weaken_or_to_have_more() -> None:
    same = seen(matrix(0.5, -0.2, 0.1), matrix(0.5, -0.2, 0.1))
    assert words.correlations_caption(same).endswith("go together as closely as in the original.")
    said = words.components_caption(same)
    assert "50% of the variance" in said and "more" not in said and "less" not in said


def test_a_sign_that_turns_is_told_though_the_strength_grows() -> None:
    turned = words.correlations_caption(seen(matrix(0.5, -0.2, 0.1), matrix(0.4, 0.3, 0.1)))
    assert ("Of 3 pairs of numbers 1 goes together less closely than in the original and 1 more "
            "closely; of 1 the sign is another") in turned
    none = words.correlations_caption(seen(matrix(0.5, -0.2, 0.1), matrix(0.6, -0.3, 0.2)))
    assert "none goes together less closely" in none and "sign" not in none


def test_a_record_that_the_fit_goes_through_has_no_number_for_its_pull() -> None:
    said = words.outlier_caption(seen(matrix(0, 0, 0), matrix(0, 0, 0)))
    assert "was without bounds and is 0.2" in said and "still pulls hardest" in said


def test_only_the_measure_that_is_lacking_is_said_to_be_lacking() -> None:
    """A regression that follows from its inputs: no coefficients, but people are recognised."""
    frame = people().assign(twice=2.0 * people()["age"])
    found = sdc.ask("microdata_lab", sdc.Study(sdc.load_dataset(frame)), {
        "lab_vars": "age,pay,twice", "lab_outcome": "pay", "ml_utility": "il3",
        "lab_methods": "rank-swapping,microaggregation"})
    assert "cannot be measured by change of coefficients (IL₃) here: in the original" in (
        found.headline)
    (note,) = [n.text for n in found.notices if n.text.startswith("Not in the picture")]
    assert note.startswith(
        "Not in the picture: RWN borrowing, Rank swapping and Microaggregation (")


def test_without_a_radius_none_is_named() -> None:
    caption = asked(ml_along="k", ml_level=2).panel("lab-neighbourhoods").caption
    assert "90 of 90 records can borrow from exactly 10 others" in caption
    assert "because there is no radius" in caption and "within the radius" not in caption

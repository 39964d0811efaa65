"""Measures over releases of records, and settings that match: with methods made for the purpose."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from sdc_core.errors import InputError
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.metrics.microdata import intervals, recognised, regression, relations
from sdc_core.metrics.microdata.battery import MEASURES, Original, Task, measure, measured
from sdc_core.parameters import Integer, Real
from sdc_core.record_experiment import Path, match, measure_releases, record_releases, scan
from sdc_core.records import Records

SPREAD = Real(name="spread", title="Spread", default=0.1, low=0.0, high=10.0, stronger="up")
STEPS = Integer(name="steps", title="Steps", default=1, low=0, high=100, stronger="up")


@dataclass(frozen=True)
class Blurred:
    """Adds normal noise to every number, `spread` standard deviations of it."""

    spread: float = 0.1
    name = title = "blurred"

    @classmethod
    def params(cls) -> tuple[Real, ...]:
        return (SPREAD,)

    def label(self) -> str:
        return f"blurred {self.spread:g}"

    def replace(self, **settings: float) -> Blurred:
        return dataclasses.replace(self, **settings)

    def check_records(self, records: Records) -> None:
        if len(records) < 3:
            raise InputError("Too few records to blur.")

    def draw_records(
        self, records: Records, rngs: Sequence[np.random.Generator]
    ) -> Iterator[Records]:
        for rng in rngs:
            values = records.values.copy()
            for j in records.numeric_axes:
                values[:, j] += self.spread * values[:, j].std() * rng.standard_normal(len(values))
            yield records.with_values(values)


@dataclass(frozen=True)
class Rounded(Blurred):
    """Rounds every number to a multiple; nothing in it is random."""

    steps: int = 1
    name = title = "rounded"

    @classmethod
    def params(cls) -> tuple[Real, ...]:
        return (STEPS,)

    def draw_records(
        self, records: Records, rngs: Sequence[np.random.Generator]
    ) -> Iterator[Records]:
        for _ in rngs:
            values = records.values.copy()
            for j in records.numeric_axes:
                step = self.steps * values[:, j].std() / 5
                if step:
                    values[:, j] = np.round(values[:, j] / step) * step
            yield records.with_values(values)


def people(rows: int = 200) -> Records:
    rng = np.random.default_rng(9)
    age = rng.uniform(20, 60, rows).round(1)
    sex = np.where(rng.random(rows) < 0.4, "f", "m")
    wage = 1000 * age + 8000 * (sex == "m") + rng.normal(0, 5000, rows)
    return Records.of(pd.DataFrame({
        "age": age, "sex": sex, "wage": wage, "hours": rng.normal(38, 5, rows) + age / 10}))


@pytest.fixture(scope="module")
def original() -> Original:
    return Original(people(), Task("wage", "sex=m"))


def test_the_battery_gives_what_its_measures_give_by_themselves(original: Original) -> None:
    (released,) = Blurred(0.5).draw_records(original.records, [repetition_rng(7, 0)])
    found, why = measured(original, released)
    assert why == {} and set(found) == {m.name for m in MEASURES if not m.costly}
    numbers = [r.values[:, [0, 2, 3]] for r in (original.records, released)]
    points = [np.column_stack([
        *((r.column(n) - original.records.column(n).min()) / np.ptp(original.records.column(n))
          for n in ("age", "wage", "hours")), r.column("sex") == 0, r.column("sex") == 1,
    ]).astype(float) for r in (original.records, released)]
    assert found["pscr"] == pytest.approx(recognised.self_closest_record(*points))
    assert found["linkage"] == pytest.approx(recognised.record_linkage(*points))
    assert found["dcr"] == pytest.approx(recognised.distance_to_closest(*points))
    assert found["dcr_units"] == pytest.approx(recognised.distance_to_closest(*numbers))
    assert found["interval"] == intervals.by_deviation(*numbers)
    assert found["interval_robust"] == intervals.by_robust_distance(*numbers)
    assert found["mka"] == 1 and found["il1"] == relations.correlation_change(*numbers)
    assert found["il2_aligned"] == pytest.approx(relations.loadings_change(*numbers, aligned=True))
    assert found["il2_second"] == pytest.approx(relations.loadings_change(*numbers, 2))
    fits = [regression.fit(
        np.column_stack([r.column("age"), r.column("sex") == 1, r.column("hours")]),
        r.column("wage")) for r in (original.records, released)]
    assert found["il3"] == pytest.approx(regression.coefficient_change(*fits))
    assert found["r2"] == pytest.approx(fits[1].r_squared)
    assert found["r2_change"] == pytest.approx(abs(fits[1].r_squared - fits[0].r_squared))
    assert found["coefficient"] == pytest.approx(
        abs(fits[1].coefficients[2] - fits[0].coefficients[2]))
    assert original.fit.coefficients[original.coefficient] == pytest.approx(8000, abs=2500)


def test_nothing_is_lost_where_nothing_is_changed(original: Original) -> None:
    found, why = measured(original, original.records)
    assert why == {}
    for one in MEASURES:
        if one.side == "utility" and one.good == "down" and not one.costly:
            assert found[one.name] == pytest.approx(0, abs=1e-12), one.name
    assert found["pscr"] == found["linkage"] == found["interval"] == 1 and found["dcr"] == 0


def test_directions_are_as_declared(original: Original) -> None:
    """The more noise, the safer and the less of use."""
    weak, strong = (measure_releases(Blurred(s), original, repetitions=5) for s in (0.05, 2.0))
    for one in (m for m in MEASURES if not m.costly):
        gap = strong.mean(one.name) - weak.mean(one.name)
        if one.good and one.name != "mka":  # noise makes no two records alike
            up = one.good == "up"
            assert (gap > 0) == (up if one.side == "privacy" else not up), one.name


def test_a_forest_is_measured_where_it_is_asked_for_and_people_were_kept_out(
    original: Original
) -> None:
    everybody = people(400)
    split = Original(everybody.rows(np.arange(200)), original.task,
                     tried=everybody.rows(np.arange(200, 400)))
    weak, strong = (measure_releases(Blurred(s), split, ["forest"], 5) for s in (0.05, 3.0))
    assert 0 < weak.mean("forest") < 0.2 < strong.mean("forest") < 0.6
    found, why = measured(original, original.records, ["forest"])
    assert np.isnan(found["forest"]) and "Nobody was kept out" in why["forest"]


def test_total_correlation_uses_the_originals_bins(original: Original) -> None:
    moved = original.records.values.copy()
    moved[0, 0] = 1e6  # one far value must not push all others into one bin
    (found, _) = measured(original, original.records.with_values(moved), ["dependence"])
    assert found["dependence"] < 0.1


def test_what_cannot_be_measured_says_why_and_the_rest_is_measured(original: Original) -> None:
    flat = original.records.values.copy()
    flat[:, 3] = 40
    found, why = measured(original, original.records.with_values(flat))
    assert math.isnan(found["il1"]) and "constant" in why["il1"]
    assert math.isnan(found["il3"]) and "constant or sums of others" in why["il3"]
    assert found["dcr"] > 0 and "dcr" not in why
    fewer = original.records.rows(np.arange(150))
    found, why = measured(original, fewer)
    assert "nobody knows which belongs to whom" in why["pscr"] and found["il1"] > 0


@pytest.mark.parametrize(("task", "says"), [
    (Task("sex"), "sex is a category"), (Task("size"), "outcome names 'size'"),
    (Task("wage", "sex=x"), r"no coefficient 'sex=x'\. It has: age, sex=m, hours"),
])
def test_a_task_that_cannot_be_done_is_one_sentence(task: Task, says: str) -> None:
    with pytest.raises(InputError, match=says):
        assert Original(people(), task).coefficient


def test_an_unknown_measure_is_answered_with_those_there_are(original: Original) -> None:
    with pytest.raises(InputError, match=r"no measure 'il9'\. Known: pscr"):
        measured(original, original.records, ["il9"])


def test_releases_share_their_streams_and_more_never_change_the_first(original: Original) -> None:
    few, many = (
        measure_releases(Blurred(0.5), original, ["dcr"], n, seed=3).over["dcr"].each
        for n in (4, 9))
    assert many[:4].tolist() == few.tolist() and len(set(many)) == 9
    seen: list[float] = []
    measure_releases(Blurred(0.5), original, ["dcr"], 4, progress=seen.append)
    assert seen == [0.25, 0.5, 0.75, 1.0]


def test_where_nothing_is_random_two_releases_are_enough_and_have_no_error(
    original: Original
) -> None:
    found = measure_releases(Rounded(steps=5), original, ["dcr"], 50)  # type: ignore[arg-type]
    assert found.repetitions == 2 and found.over["dcr"].error == 0


def test_a_match_is_found_between_the_settings_of_the_path(original: Original) -> None:
    path = Path(Blurred(), "spread", (0.1, 0.4, 0.8, 1.6))  # type: ignore[arg-type]
    wanted = measure_releases(Blurred(0.55), original, ["dcr"], 5).mean("dcr")
    found = match(scan(path, original, "dcr"), wanted)
    assert found.reached and found.value == pytest.approx(0.55, abs=0.4 / 2**6)
    assert found.off < 0.02
    assert found.achieved.mean == measure_releases(
        Blurred(found.value), original, ["dcr"], 5).mean("dcr")
    # A measure that falls along the path is matched as well.
    falling = measure_releases(Blurred(0.55), original, ["pscr"], 5).mean("pscr")
    assert match(scan(path, original, "pscr"), falling).value == pytest.approx(0.55, abs=0.1)


def test_whole_settings_stay_whole_and_the_closest_is_taken(original: Original) -> None:
    path = Path(Rounded(), "steps", tuple(range(1, 11)))  # type: ignore[arg-type]
    by_hand = {s: measure_releases(
        Rounded(steps=s), original, ["dcr"], 2).mean("dcr") for s in range(1, 11)}
    wanted = 0.3 * by_hand[4] + 0.7 * by_hand[5]
    found = match(scan(path, original, "dcr"), wanted)
    assert found.value == min(by_hand, key=lambda s: abs(by_hand[s] - wanted))
    assert isinstance(found.mechanism.steps, int)
    wide = Path(Rounded(), "steps", (1, 10))  # type: ignore[arg-type]
    assert match(scan(wide, original, "dcr"), by_hand[5]).value == 5


def test_a_scan_goes_along_the_whole_path_and_says_how_far_it_is(original: Original) -> None:
    path, told = Path(Blurred(), "spread", (0.1, 0.4, 0.8)), []  # type: ignore[arg-type]
    found = scan(path, original, "dcr", progress=told.append)
    assert told == [1 / 3, 2 / 3, 1.0] and list(found.seen) == [0.1, 0.4, 0.8]
    means = [one.mean for one in found.seen.values()]
    assert means == sorted(means)
    assert found.at(0.4) is found.seen[0.4] and means[0] < found.at(0.2).mean < means[1]


def test_what_lies_beyond_the_path_is_the_end_of_it_and_said(original: Original) -> None:
    path = Path(Blurred(), "spread", (0.1, 0.4, 0.8))  # type: ignore[arg-type]
    found = match(scan(path, original, "dcr"), 50.0)
    assert not found.reached and found.value == 0.8 and found.off > 0.9


def test_paths_and_releases_that_cannot_be_are_one_sentence(original: Original) -> None:
    with pytest.raises(InputError, match="no number 'size'"):
        Path(Blurred(), "size", (1, 2))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="two settings or more"):
        Path(Blurred(), "spread", (1,))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="not a list of people"):
        next(record_releases(mechanism("suppression"), original.records, 2, 7))
    with pytest.raises(InputError, match="at least 2"):
        next(record_releases(Blurred(), original.records, 1, 7))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="Too few"):
        next(record_releases(
            Blurred(), original.records.rows(np.arange(2)), 2, 7))  # type: ignore[arg-type]


def test_measures_have_names_and_words_of_their_own() -> None:
    assert len({m.name for m in MEASURES}) == len(MEASURES)
    assert measure("dcr").good == "up" and measure("pscr").percent

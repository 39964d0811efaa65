"""P4's numbers about body measurements beside ours: Tables 2 and 3, Figures 1 and 5 to 14."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from sdc_core.data import Dataset
from sdc_core.data.catalogue import entry
from sdc_core.data.lab_files import LEFT_OUT
from sdc_core.data.raw import Raw
from sdc_core.data.readers import content_of, read_file
from sdc_core.data.schema import Column, Type
from sdc_core.metrics.microdata import regression, relations
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.papers.item import Attempt
from sdc_core.papers.p4_body import (
    ALL_RADII,
    CLUSTERS,
    INDICES,
    LARGEST,
    METHODS,
    RADII,
    RANGES,
    Line,
    along,
    at,
    closest_index,
    comparable,
    original,
    people,
    plain_fit,
    regressions,
    released,
    rwn,
    standard_fit,
)
from sdc_core.papers.verdicts import Ours

RELEASED_14, RELEASED_15 = "index worked out afterwards", "index released, too"
BY_VARIANCE = "clusters by variance"
SHOWN = (1, 8, 15)  # indices of Table 3 whose numbers stand for a line
LIMITS = (0.03, 0.05)  # how close together "comparable" is
TAKEN_OVER, SAME_DISTANCE = "", "same distance as RWN"
_TABLE_2 = {
    "body_fat_pct": "siri", "bmi": "bmi", "age": "age", "weight": "weight", "height": "height",
    "neck": "neck", "chest": "chest", "abdomen": "abdomen", "hip": "hip",
}


def data_of(attempt: Attempt) -> Dataset:
    return attempt.data("bodyfat")


def cleaned(attempt: Attempt) -> Iterator[Ours]:
    """Who is left out, by the rule in the authors' notebook: body fat that is not what Siri's
    equation makes of the density, or below 4%, or a height below 30 inches."""
    data = data_of(attempt)
    path = entry(data.id).paths()[0]
    raw = Raw(read_file(content_of(path), path.name).table)
    case, fat, density, height = (
        raw.numbers(Column(n, n, type=Type.NUMBER)) for n in ("case", "siri", "density", "height"))
    by_equation = np.round(495 / density - 450, 1)
    left_out = (np.abs(by_equation - fat) > 1) | (fat < 4) | (height < 30)
    same = sorted(case[left_out].astype(int)) == sorted(LEFT_OUT)
    yield Ours("bodyfat original", "rows", float(len(raw)), dataset=data.id)
    yield Ours(
        "bodyfat removed", "rows", float(left_out.sum()), dataset=data.id,
        how="by the rule of the authors' notebook, the same cases as fit Table 2" if same else
        "by the rule of the authors' notebook, not the cases that fit Table 2")
    heaviest = int(data.records["bmi"].to_numpy().argmax()) + 1
    yield Ours("largest individual", "obs_number", float(heaviest), dataset=data.id)


def table_2(attempt: Attempt) -> Iterator[Ours]:
    data = data_of(attempt)
    ranked = data.records.sort_values("bmi", ascending=False).head(5)
    for rank, (row, person) in enumerate(ranked.iterrows(), start=1):
        yield Ours(f"bmi-rank={rank}", "obs_number", float(str(row)) + 1, dataset=data.id)
        for column, name in _TABLE_2.items():
            yield Ours(f"bmi-rank={rank}", column, float(person[name]), dataset=data.id)


def table_3(attempt: Attempt) -> Iterator[Ours]:
    """Settings are not results: they are taken over, in even steps. In a full run the settings that
    have RWN's distance stand beside them."""
    settings = {
        "rwn_radius": RADII, "rank_swapping_p": RANGES, "microaggregation_k": CLUSTERS}
    for index in range(1, INDICES + 1):
        for column, values in settings.items():
            yield Ours(f"index={index}", column, values[index - 1],
                       "a setting, taken over: every index is a step further")
    if attempt.full and attempt.has("bodyfat"):
        yield from _matched(data_of(attempt), attempt)


def _matched(data: Dataset, attempt: Attempt) -> Iterator[Ours]:
    """Between the settings of the table by straight lines, where the level is reached at all."""
    lines = along(data, "dcr_units", 100, attempt.seed)
    for method, column, values in (("rank swapping", "rank_swapping_p", RANGES),
                                   ("microaggregation", "microaggregation_k", CLUSTERS)):
        levels = np.maximum.accumulate(lines[method].means)
        for index, wanted in enumerate(lines["rwn"].means, start=1):
            if levels[0] <= wanted <= levels[-1]:
                setting = float(np.interp(wanted, levels, values))
                yield Ours(f"index={index}", column, setting, "between two settings",
                           convention=SAME_DISTANCE, dataset=data.id)


def figure_1(attempt: Attempt) -> Iterator[Ours]:
    """How many neighbours the largest man has at most, at every radius from 0 to 1.2."""
    data = data_of(attempt)
    sizes = [int(rwn(r).neighbourhoods(people(data)).sizes[LARGEST - 1]) for r in ALL_RADII]
    yield Ours("largest individual", "neighbourhood_size", float(max(sizes)), dataset=data.id)


def figure_5(attempt: Attempt) -> Iterator[Ours]:
    data = data_of(attempt)
    upper = np.triu_indices(people(data).values.shape[1], 1)
    for radius in (0.0, 0.3, 0.6, 0.9, 1.2):
        drawn = OverReleases(np.array([
            np.abs(relations.correlations(one.values)[upper]).mean()
            for one in released(data, rwn(radius), attempt.either(100, 5), attempt.seed)]))
        yield _drawn(f"radius {radius:g}", "mean_absolute_correlation", drawn, data)
    before = np.abs(relations.correlations(people(data).values)[upper]).mean()
    yield Ours("unperturbed", "mean_absolute_correlation", float(before), dataset=data.id)


def figure_6(attempt: Attempt) -> Iterator[Ours]:
    data = data_of(attempt)
    before = original(data).components.shares[0]
    yield Ours("unperturbed", "share_of_first_component", float(before), dataset=data.id)
    for radius in (0.0, 0.3, 0.6, 0.9, 1.2):
        drawn = OverReleases(np.array([
            relations.components(one.values).shares[0]
            for one in released(data, rwn(radius), attempt.either(100, 5), attempt.seed)]))
        yield _drawn(f"radius {radius:g}", "share_of_first_component", drawn, data)


def figure_7(attempt: Attempt) -> Iterator[Ours]:
    data = data_of(attempt)
    fitted = plain_fit(people(data), original(data).task.outcome)
    yield Ours("unperturbed largest", "obs_number",
               float(regression.most_exposed(fitted) + 1), dataset=data.id)


def figure_8(attempt: Attempt) -> Iterator[Ours]:
    data = data_of(attempt)
    whole = original(data)
    scores = np.abs(whole.components.scores(whole.records.values)[:, 0])
    yield Ours("unperturbed largest", "obs_number", float(scores.argmax() + 1), dataset=data.id)


def figure_9(attempt: Attempt) -> Iterator[Ours]:
    data = data_of(attempt)
    readings = (
        (RELEASED_14, False, "sd"), (RELEASED_15, True, "sd"), (BY_VARIANCE, False, "variance"))
    for number, (convention, with_made, scaling) in enumerate(readings[:attempt.either(3, 1)]):
        releases = attempt.either(30 if number else 100, 25)
        attempt.tell(number / len(readings))
        lines = along(data, "dcr_units", releases, attempt.seed, with_made, scaling)
        how = f"means of {releases} releases"
        for limit in LIMITS:
            if scaling == "variance":
                continue  # nowhere comparable
            first, last = comparable(lines, limit)
            reading = f"{convention}; within {limit:.0%}"
            yield Ours("all three comparable", "index_first", first, how, convention=reading,
                       dataset=data.id)
            yield Ours("all three comparable", "index_last", last, how, convention=reading,
                       dataset=data.id)
        rank, ours = lines["rank swapping"], lines["rwn"]
        level = float(ours.means[RADII.index(0.8)])
        found = {
            ("rwn", "radius"): (RADII, closest_index(ours, float(rank.means[-1]))),
            ("rank-swap", "p"): (RANGES, closest_index(rank, level)),
            ("microaggregation", "k"): (
                CLUSTERS, closest_index(lines["microaggregation"], level)),
        }
        for (method, column), (settings, index) in found.items():
            for name, value in ((column, settings[index - 1]), ("index", float(index))):
                yield Ours(f"similar DCR {method}", name, value, how, convention=convention,
                           dataset=data.id)


def along_table_3(
    *names: str, regression_too: bool = False
) -> Callable[[Attempt], Iterator[Ours]]:
    """What a figure draws along Table 3, at its first, middle and last index."""
    def make(attempt: Attempt) -> Iterator[Ours]:
        data = data_of(attempt)
        releases = attempt.either(100, 3)
        for number, name in enumerate(names):
            attempt.tell(number / (len(names) + regression_too))
            yield from _shown(name, along(
                data, name, releases, attempt.seed, indices=SHOWN), data)
        if regression_too:
            both = regressions(data, releases, attempt.seed, SHOWN)
            before = standard_fit(people(data), original(data).task.outcome)
            yield Ours("unperturbed", "r_squared", before.r_squared, dataset=data.id)
            for place, name in enumerate(("il3", "r_squared")):
                yield from _shown(name, {m: both[m][place] for m in METHODS}, data)
    return make


def _shown(name: str, lines: Mapping[str, Line], data: Dataset) -> Iterator[Ours]:
    for method in METHODS:
        for place, index in enumerate(SHOWN):
            yield _drawn(f"{method}, index {index}", name, lines[method].over[place], data)


def _drawn(row: str, column: str, drawn: OverReleases, data: Dataset) -> Ours:
    return Ours(row, column, drawn.mean, f"mean of {len(drawn.known)} releases", drawn.error,
                dataset=data.id)


def figure_12(attempt: Attempt) -> Iterator[Ours]:
    """Mean |r| of the two other methods at the ends of Table 3, as in Figure 5 for RWN."""
    data = data_of(attempt)
    upper = np.triu_indices(people(data).values.shape[1], 1)
    for method in METHODS[1:]:
        for index in (1, INDICES):
            drawn = OverReleases(np.array([
                np.abs(relations.correlations(one.values)[upper]).mean()
                for one in released(data, at(method, index), attempt.either(100, 5), attempt.seed)
            ]))
            yield _drawn(f"{method}, index {index}", "mean_absolute_correlation", drawn, data)

"""Map: where does each method hurt, place by place?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sdc_core.errors import InputError
from sdc_core.experiment import Evaluation
from sdc_core.figures.map_layout import Sheet, sheet_of, tile_sheet
from sdc_core.histogram import Feature, Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.metrics.areas import MEASURES, AreaComparison, cells_of_area, compare_areas
from sdc_core.parameters import Choice, File
from sdc_core.questions import sources
from sdc_core.questions.answer import Answer, ColumnLook, Notice, Panel, Pick, TableView
from sdc_core.questions.map import figures, places, words
from sdc_core.questions.map.compute import (
    WEIGHT,
    has_weights,
    read_boundaries,
    shapes_of,
    weights_of,
)
from sdc_core.questions.map.method import METHOD
from sdc_core.questions.question import Control, Given, Methods, Question

REPETITIONS = 200
MOST_TILES = 60
PLACE = "PUMA"  # says where people live in the census excerpts
ANY = "*"
DEFAULT_GROUP = {"RAC1P": "2", "OWN_RENT": "2"}  # Black renters, where the data knows them


def area_column(given: Given) -> Choice | None:
    """Of own data, the column that says where people live; None where it is known."""
    titles = {c.name: c.title for c in given.dataset.columns if c.kind == "categorical"}
    if given.dataset.origin != "own" or not titles:
        return None
    counted_by = [f for f in given.study.features if f in titles]
    start = given.dataset.place or [*counted_by, *titles][0]
    return Choice(
        name="map_area", title="Area column", default=start, choices=tuple(titles), titles=titles,
        help="The column that says where people live. The table is counted by it and by the "
        "features chosen at the left.",
    )


def area_of(given: Given) -> str:
    if given.dataset.origin != "own":
        return PLACE
    return given.get("map_area") or given.study.features[0]


def table(given: Given) -> Histogram:
    """The study's table, counted by the area as well."""
    area, names = area_of(given), given.study.features
    return given.study.count(names if area in names else (area, *names))


def area_feature(given: Given) -> Feature:
    return next(f for f in given.table.domain.features if f.name == area_of(given))


def two_methods(given: Given) -> Methods:
    return {
        "map1": mechanism("laplace", epsilon=1.0), "map2": mechanism("dp-suppression", epsilon=1.0),
    }


def measure(given: Given) -> Choice:
    return Choice(
        name="map_measure", title="What is shown", default="l1_bias", choices=tuple(MEASURES),
        titles={name: f"{said.title}, {said.unit}" for name, said in MEASURES.items()},
    )


def counted_as(given: Given) -> Choice | None:
    if not has_weights(given):
        return None
    return Choice(
        name="map_count", title="Counted as", default="persons", choices=("persons", "weighted"),
        titles={"persons": "Persons recorded", "weighted": "People represented"}, segments=True,
        help=f"Each person in the survey stands for others like them: {WEIGHT} says for how many. "
        "Weighted, an error of one record counts as that many people.",
    )


def pinned_place(given: Given) -> Choice:
    return _one_value("map_place", "Pinned place", area_feature(given), "none: click one")


def group_values(given: Given) -> list[Choice]:
    """The chosen group: a value, or any, of each feature but the area."""
    if given["map_measure"] != "group_bias":
        return []
    others = [f for f in given.table.domain.features if f.name != area_of(given)]
    return [
        _one_value(f"map_group.{f.name}", f.title, f, "any", DEFAULT_GROUP.get(f.name, ANY))
        for f in others
    ]


def _one_value(name: str, title: str, feature: Feature, none: str, start: str = ANY) -> Choice:
    return Choice(
        name=name, title=title, default=start if start in feature.values else ANY,
        choices=(ANY, *feature.values),
        titles={**dict(zip(feature.values, feature.labels, strict=True)), ANY: none},
    )


def boundary_file(given: Given) -> File:
    return File(
        name="map_boundaries", title="Use your own boundaries",
        types=("geojson", "json", "gpkg", "zip"), note="GeoJSON, GeoPackage or zipped shapefile",
        help="Areas are matched by their codes. Read on this machine only.",
        read=read_boundaries, sets={"map_view": "map"},  # whoever gives shapes wants to see them
    )


def view(given: Given) -> Choice:
    without_shapes = (
        given.dataset.origin == "own" and area_of(given) != PLACE
        and given["map_boundaries"] is None
    )
    return Choice(
        name="map_view", title="View", default="bars" if without_shapes else "map",
        choices=("map", "tiles", "bars"),
        titles={"map": "Map", "tiles": "Tiles", "bars": "Bars"}, segments=True, label_hidden=True,
    )


def answer(given: Given) -> Answer:
    methods = given.methods[:2]
    evaluations = given.work.evaluate(methods, given.table, given.seed, REPETITIONS)
    notices = []
    if len(given.methods) > 2:
        left_out = [m.label() for m in given.methods[2:]]
        notices.append(Notice(words.left_out_sentence(left_out)))
    weights = None
    if given.get("map_count") == "weighted":
        try:
            weights = weights_of(given, area_of(given))
        except InputError as problem:
            notices.append(Notice(str(problem), "error", "error"))
    found = compared(given, evaluations, weights)
    others = words.at_other_epsilon([e.mechanism for e in evaluations])
    other = compared(
        given, given.work.evaluate(others, given.table, given.seed, REPETITIONS), weights
    )
    pinned = "" if given["map_place"] == ANY else given["map_place"]
    headline, more = words.map_sentences(found, other, pinned)
    panels = () if found is None else (
        *(where(given, found, evaluations, pinned, headline)),
        *(who_there(given, evaluations, pinned)),
    )
    return Answer(headline, more, panels, tuple(notices))


def compared(
    given: Given, evaluations: Sequence[Evaluation], weights: NDArray[np.float64] | None
) -> AreaComparison | None:
    if not evaluations:
        return None
    group = {
        name.removeprefix("map_group."): value for name, value in given.values.items()
        if name.startswith("map_group.") and value != ANY
    }
    return compare_areas(
        given.table, area_of(given), evaluations, given["map_measure"], group, weights
    )


def where(
    given: Given, found: AreaComparison, evaluations: Sequence[Evaluation], pinned: str,
    headline: str,
) -> Iterator[Panel]:
    """What is shown, a map a method and their difference, and the worst places beside them."""
    sheet, drawn_from, notices = drawn_on(given, found)
    yield Panel(
        "map-view", caption=f"{found.words.meaning} ({found.words.symbol}). "
        f"{words.weight_sentence(found, WEIGHT)} {drawn_from} "
        f"{words.precision_words(found.measure, evaluations, given.seed)}",
        notices=notices, controls=("map_view",),
    )
    if sheet is None:
        yield worst_places(found, headline)
        return
    pick = Pick("map_place", figures.clickable_codes(sheet), pinned, ANY)
    drawn = figures.maps(found, sheet, given.dark, pinned)
    for name, one in zip(("first", "second", "difference"), drawn, strict=False):
        yield Panel(
            f"map-{name}", drawing=(one,), alt=headline, pick=pick, width=0.5,
            spare_on_a_phone=figures.spare_on_a_phone(sheet),
        )
    yield worst_places(found, headline, sheet, pinned)


def drawn_on(
    given: Given, found: AreaComparison
) -> tuple[Sheet | None, str, tuple[Notice, ...]]:
    """What to draw on, and what must be said about it; without shapes there are bars."""
    feature = found.area
    if given["map_view"] == "tiles":
        many = len(feature) > MOST_TILES
        order = found.worst_first()[:MOST_TILES] if many else range(len(feature))
        sheet = given.work.kept(
            tile_sheet, [feature.values[i] for i in order], [feature.labels[i] for i in order]
        )
        note = f" The {MOST_TILES} worst of {len(feature)}." if many else ""
        return sheet, f"Equal tiles, no map.{note}", ()
    if given["map_view"] == "map":
        try:
            shapes = shapes_of(given.work, feature.values, given["map_boundaries"])
        except InputError as problem:
            return None, "Worst place on top.", (Notice(str(problem), "warning", "map"),)
        label = shapes.label[:1].upper() + shapes.label[1:]
        return sheet_of(shapes), " ".join([f"{label}.", *shapes.notes]), ()
    return None, "Worst place on top.", ()


def worst_places(
    found: AreaComparison, headline: str, sheet: Sheet | None = None, pinned: str = ""
) -> Panel:
    """All places as bars or, beside maps on a sheet, the worst of them as a list."""
    return Panel(
        "map", "Worst places",
        drawing=(places.area_bars(found),) if sheet is None
        else places.worst_list(found, figures.map_height(sheet), pinned),
        make_table=lambda: places.area_table(found), alt=headline,
        width=1.0 if sheet is None else 0.5,
    )


def who_there(given: Given, evaluations: Sequence[Evaluation], pinned: str) -> Iterator[Panel]:
    """The groups of the pinned place."""
    feature = area_feature(given)
    if pinned not in feature.values:
        return
    cells = cells_of_area(given.table, feature.name, pinned, evaluations)
    look = ColumnLook(format="%+.2f", help="Expected published count minus true count, in people.")
    yield Panel(
        "map-cells", f"Who in {feature.labels[feature.values.index(pinned)]}?",
        "Every group there with its true count and by how many people each method puts it off in "
        "the average release: groups with people first, the worst of them first.",
        TableView(cells, dict.fromkeys(cells.columns[2:], look), height=340),
    )


QUESTION = Question(
    address="map", title="Map", section="Compare", icon="map",
    asks="where does each method hurt, place by place?",
    sentence="At ε = 1, DP suppression is worse in so many places, the gap is widest in this one "
    "(so many people off instead of so many).",
    answer=answer, method=METHOD, sources=(f"{sources.P2}, Figure 3",),
    controls=(
        Control(area_column, width=280),
        Control(measure, after_methods=True, width=330),
        Control(counted_as, after_methods=True, width="content"),
        Control(pinned_place, after_methods=True, width=330),
        Control(group_values, after_methods=True, row=1, width=210),
        Control(boundary_file, after_methods=True),
        Control(view, after_methods=True, at_panel=True),
    ),
    table=table, methods=two_methods,
)

"""Map: where does each method hurt, place by place?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sdc_core.errors import InputError
from sdc_core.experiment import Evaluation
from sdc_core.figures.map_layout import Sheet, sheet_of, tile_sheet
from sdc_core.histogram import Feature, Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.areas import (
    MEASURES,
    AreaComparison,
    Measure,
    cells_of_area,
    compare_areas,
)
from sdc_core.parameters import Choice, File
from sdc_core.questions import columns, sources
from sdc_core.questions.answer import Answer, ColumnLook, Notice, Panel, Pick, TableView
from sdc_core.questions.map import captions, figures, names, places, words
from sdc_core.questions.map.compute import codes_on, read_boundaries, shapes_of
from sdc_core.questions.map.method import METHOD
from sdc_core.questions.question import Control, Given, Preset, Question
from sdc_core.questions.yardstick import yardstick_words, yardsticks
from sdc_core.words.evaluations import mean_is_exact
from sdc_core.words.groups import people_word

REPETITIONS = 200
MOST_TILES = 60
ANY = "*"
DEFAULT_GROUP = {"RAC1P": "2", "OWN_RENT": "2"}  # Black renters, where the data knows them


def area_column(given: Given) -> Choice | None:
    """Of own data, the column that says where people live; None where it is known."""
    able = columns.categories(given.dataset)
    if given.dataset.origin != "own" or not able:
        return None
    return columns.one_of_them(
        "map_area", "Area column", able,
        columns.place_of(given.dataset, codes_on(given.work, given["map_boundaries"])),
        "The column that says where people live. The table is counted by it and by the features "
        "chosen at the left.",
    )


def area_of(given: Given) -> str:
    """The column of places; nothing while none is chosen."""
    own = given.dataset.origin == "own"
    return (given.get("map_area") if own else given.dataset.place) or ""


def table(given: Given) -> Histogram:
    """The study's table, counted by the area as well."""
    area, names = area_of(given), given.study.features
    return given.study.count(names if area in (*names, "") else (area, *names))


def area_feature(given: Given) -> Feature | None:
    return next((f for f in given.table.domain.features if f.name == area_of(given)), None)


def two_of_them(given: Given) -> list[Choice]:
    """Which two methods are set against each other; nothing to choose where there are two."""
    if len(given.methods) <= 2:
        return []
    numbered = {str(n): f"{n}. {m.plain_label()}" for n, m in enumerate(given.methods, start=1)}
    return [
        Choice(name=name, title=title, default=start, choices=tuple(numbered), titles=numbered)
        for name, title, start in (
            ("map_one", "First map", "1"), ("map_other", "Second map", str(len(numbered))),
        )
    ]


def compared_methods(given: Given) -> list[Mechanism]:
    if len(given.methods) <= 2:
        return list(dict.fromkeys(given.methods))  # the same one twice is one
    two = (given.methods[int(given[name]) - 1] for name in ("map_one", "map_other"))
    return list(dict.fromkeys(two))


def presets(given: Given) -> list[Preset]:
    """P2 Figure 3 by the paper's own rule, equation 1, which fills empty groups in. It does not
    state k; 6 is what the same authors use where they say nothing else."""
    return [Preset(
        "das-tajeddine-fioretto-figure-3", "As in Das, Tajeddine and Fioretto, Figure 3",
        (mechanism("laplace"), mechanism("dp-suppression", k=6, variant="P2")),
    )]


def measure(given: Given) -> Choice:
    return Choice(
        name="map_measure", title="What is shown", default="people_error", choices=tuple(MEASURES),
        titles={name: f"{said.title}, {said.unit}" for name, said in MEASURES.items()},
    )


def pinned_place(given: Given) -> Choice | None:
    area = area_feature(given)
    if area is None:
        return None
    return _one_value("map_place", "Pinned place", area, "none: click one")


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


def view(given: Given) -> Choice | None:
    area = area_feature(given)
    if area is None:
        return None
    without_shapes = given["map_boundaries"] is None and not columns.known_places(area.values)
    return Choice(
        name="map_view", title="View", default="bars" if without_shapes else "map",
        choices=("map", "tiles", "bars"),
        titles={"map": "Map", "tiles": "Tiles", "bars": "Bars"}, segments=True, label_hidden=True,
    )


def answer(given: Given) -> Answer:
    if not area_of(given):
        return Answer(*words.NO_PLACES)
    methods = compared_methods(given)
    evaluations = given.work.evaluate(methods, given.table, given.seed, REPETITIONS)
    found = compared(given, evaluations)
    others = names.at_other_epsilon([e.mechanism for e in evaluations])
    other = compared(given, given.work.evaluate(others, given.table, given.seed, REPETITIONS))
    pinned = "" if given["map_place"] == ANY else given["map_place"]
    headline, more = words.map_sentences(
        found, other, pinned, averaged(given, evaluations),
        [given.guarantee(e.mechanism) for e in evaluations],
    )
    panels = () if found is None else (
        *(where(given, found, evaluations, pinned, headline)),
        *(who_there(given, evaluations, pinned)),
    )
    return Answer(headline, more, panels)


def compared(
    given: Given, evaluations: Sequence[Evaluation], measure: Measure | None = None
) -> AreaComparison | None:
    if not evaluations:
        return None
    group = {
        name.removeprefix("map_group."): value for name, value in given.values.items()
        if name.startswith("map_group.") and value != ANY
    }
    shown: Measure = measure or given["map_measure"]
    found = compare_areas(given.table, area_of(given), evaluations, shown, group)
    drawn = tuple(0 if captions.is_exact(shown, e) else e.repetitions for e in evaluations)
    return replace(found, drawn=drawn)


def averaged(given: Given, evaluations: Sequence[Evaluation]) -> AreaComparison | None:
    """The systematic error beside the error of one release, where noise averages out and the mean
    is known: who is better by the one may be worse by the other."""
    cancels = any(e.people_bias < 0.9 * e.people_error for e in evaluations)
    known = all(mean_is_exact(e) for e in evaluations)
    if given["map_measure"] not in ("people_error", "error_rate") or not (cancels and known):
        return None
    return compared(given, evaluations, "people_bias")


def where(
    given: Given, found: AreaComparison, evaluations: Sequence[Evaluation], pinned: str,
    headline: str,
) -> Iterator[Panel]:
    """A map a method and their difference, the worst places beside them, and what is shown."""
    sheet, drawn_from, notices = drawn_on(given, found)
    if sheet is None:
        yield worst_places(found, headline)
    else:
        pick = Pick("map_place", figures.clickable_codes(sheet), pinned, ANY)
        drawn = figures.maps(found, sheet, given.dark, pinned)
        for name, one in zip(("first", "second", "difference"), drawn, strict=False):
            yield Panel(
                f"map-{name}", drawing=(one,), alt=headline, pick=pick,
                width=figures.map_width(sheet), spare_on_a_phone=figures.spare_on_a_phone(sheet),
                together="maps",
            )
        yield worst_places(found, headline, sheet, pinned)
    yield Panel(
        "map-view", caption=" ".join(filter(None, (
            f"{found.words.meaning} ({found.words.symbol}).", captions.invented_words(found),
            captions.weight_sentence(found, given.dataset.weight), drawn_from,
            captions.precision_words(found.measure, evaluations, given.seed),
            captions.yardstick_text(found, yardstick_words(yardsticks(given, evaluations))),
        ))),
        notices=notices,
    )


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
        worst = "with the largest numbers, of" if found.estimated else "worst of"
        note = f" The {MOST_TILES} {worst} {len(feature)}." if many else ""
        return sheet, f"Equal tiles, no map.{note}", ()
    on_top = "Largest number on top." if found.estimated else "Worst place on top."
    if given["map_view"] == "map":
        try:
            shapes = shapes_of(given.work, feature.values, given["map_boundaries"])
        except InputError as problem:
            return None, on_top, (Notice(str(problem), "warning", "map"),)
        label = shapes.label[:1].upper() + shapes.label[1:]
        return sheet_of(shapes), " ".join([f"{label}.", *shapes.notes]), ()
    return None, on_top, ()


def worst_places(
    found: AreaComparison, headline: str, sheet: Sheet | None = None, pinned: str = ""
) -> Panel:
    """All places as bars or, beside maps on a sheet, the worst of them as a list."""
    return Panel(
        "map", places.worst_title(found),
        drawing=(places.area_bars(found),) if sheet is None
        else places.worst_list(found, figures.map_height(sheet), pinned),
        make_table=lambda: places.area_table(found), alt=headline,
        width=1.0 if sheet is None else figures.list_width(sheet, len(found.values)),
    )


def who_there(given: Given, evaluations: Sequence[Evaluation], pinned: str) -> Iterator[Panel]:
    """The groups of the pinned place."""
    feature = area_feature(given)
    if feature is None or pinned not in feature.values:
        return
    cells = cells_of_area(given.table, feature.name, pinned, evaluations)
    people = people_word(given.table.weighted)
    look = ColumnLook(
        format="%+.2f", help=f"Expected published count minus true count, in {people}.")
    looks = {name: look for name in cells.columns[3:] if name[:1].isdigit()}
    if given.table.weighted:
        looks["people represented"] = ColumnLook(format="%.0f")
    yield Panel(
        "map-cells", f"Who in {feature.labels[feature.values.index(pinned)]}?",
        f"Every group there with its true count and by how many {people} each method puts it off "
        "in the average release: groups with people first, the largest error of these on top. "
        "Whoever is put into a group with a true count of 0 is invented.",
        TableView(cells, {"% of the place": ColumnLook(format="%.1f"), **looks}, height=340),
    )


QUESTION = Question(
    address="map", title="Map", section="Compare", icon="map",
    asks="where does each method hurt, place by place?",
    sentence="In groups that have people, this method is worse in so many places, the gap is "
             "widest in "
    "this one (so many people off instead of so many), and so many are invented there.",
    answer=answer, method=METHOD, sources=(f"{sources.P2}, Figure 3",),
    controls=(
        Control(boundary_file),  # a file's codes tell which column is the place
        Control(area_column, width=280),
        Control(two_of_them, after_methods=True, width=300),
        Control(measure, after_methods=True, width=330, prominent=True),
        Control(pinned_place, after_methods=True, width=330, prominent=True),
        Control(group_values, after_methods=True, width=210),
        Control(view, after_methods=True, prominent=True, width="content"),
    ),
    table=table, presets=presets, old_slots=("map1", "map2"), weighted=True, data="all2019",
)

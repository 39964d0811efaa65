"""Map: "At ε = 1, DP suppression is worse in so many places, the gap is widest in this one (so
many people off instead of so many)."
"""

import itertools
from collections.abc import Sequence

import plotly.graph_objects as go
import streamlit as st

from sdc_core.errors import InputError
from sdc_core.experiment import Evaluation
from sdc_core.figures import map as figures
from sdc_core.figures import places
from sdc_core.figures.map_layout import Sheet, sheet_of, tile_sheet
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.areas import AreaComparison, cells_of_area, compare_areas
from sdc_core.narrative.map import at_other_epsilon, map_sentences, weight_sentence
from sdc_core.words.evaluations import precision_sentence
from ui import cards, compute, layout, map_controls, map_explain, sidebar, state

REPETITIONS = 200
MOST_TILES = 60
SLOTS = {
    "map1": mechanism("laplace", epsilon=1.0), "map2": mechanism("dp-suppression", epsilon=1.0),
}
VIEWS = {"map": "Map", "tiles": "Tiles", "bars": "Bars"}

study = sidebar.study()


def evaluated(methods: Sequence[Mechanism]) -> list[Evaluation]:
    return [
        compute.evaluated(key, histogram, one, False, REPETITIONS, study.seed) for one in methods
    ]


def compared(ones: Sequence[Evaluation]) -> AreaComparison | None:
    return compare_areas(histogram, area, ones, measure, group, weights) if ones else None


def ask_before_costly() -> None:
    waiting = [m for m in drawn if compute.waits_for_run(key, m, False, study.seed)]
    if compute.run_button(waiting):
        evaluated(waiting)
        st.rerun()


def sheet_and_caption(found: AreaComparison, view: str) -> tuple[Sheet | None, str]:
    """What to draw on, and what must be said about it; without shapes there are bars."""
    if view == "tiles":
        order = found.worst_first()[:MOST_TILES] if len(feature) > MOST_TILES else range(
            len(feature))
        codes = [feature.values[i] for i in order]
        note = f" The {MOST_TILES} worst of {len(feature)}." if len(feature) > MOST_TILES else ""
        return tile_sheet(codes, [feature.labels[i] for i in order]), f"Equal tiles, no map.{note}"
    if view == "bars":
        return None, "Worst place on top."
    try:
        shapes = map_controls.shapes(feature, file)
    except InputError as problem:
        st.warning(layout.plain(str(problem)), icon=":material/map:")
        return None, "Worst place on top."
    label = shapes.label[:1].upper() + shapes.label[1:]
    return sheet_of(shapes), " ".join([f"{label}.", *shapes.notes])


def draw_maps(found: AreaComparison) -> None:
    own = study.dataset.origin == "own" and file is None
    view = state.choose(
        "map_view", "View", list(VIEWS),
        "bars" if own and area != map_controls.PLACE else "map", VIEWS,
        draw=st.segmented_control, required=True, label_visibility="collapsed",
    )
    sheet, drawn_from = sheet_and_caption(found, view)
    st.caption(layout.plain(
        f"{found.words.meaning} ({found.words.symbol}). "
        f"{weight_sentence(found, map_controls.WEIGHT)} {drawn_from} "
        f"{precision_sentence(evaluations, study.seed)}"
    ))
    if sheet is None:
        draw_worst(found, [places.area_bars(found)])
        return
    map_controls.fit_phones(sheet)
    map_controls.take_taps()
    every = figures.maps(found, sheet, map_controls.is_dark(), pinned)
    spots = [*st.columns(2), *(st.columns(2) if len(every) > 1 else [])]
    for spot, one, name in zip(spots, every, ("first", "second", "difference"), strict=False):
        with spot:
            map_controls.draw(one, name, sheet, pinned, headline)
    with spots[-1]:
        draw_worst(found, places.worst_list(found, figures.map_height(sheet), pinned))


def draw_worst(found: AreaComparison, drawn: Sequence[go.Figure] | str) -> None:
    layout.chart("map", "Worst places", "", drawn, lambda: places.area_table(found), headline)


def look_into_place() -> None:
    title = feature.labels[feature.values.index(pinned)]
    st.markdown(f"#### Who in {layout.plain(title)}?")
    st.caption(
        "Every group there with its true count and by how many people each method puts it off in "
        "the average release: groups with people first, the worst of them first."
    )
    table = cells_of_area(histogram, area, pinned, evaluations)
    st.dataframe(
        table, hide_index=True, height=340,
        column_config=dict.fromkeys(table.columns[2:], map_controls.BIAS_COLUMN),
    )
    layout.csv_button("map-cells", lambda: table)


top = st.container()
area = map_controls.area_column(study)
names = study.features if area in study.features else (area, *study.features)
try:
    histogram = compute.histogram_of(study.dataset, study.key, names)
except InputError as problem:
    st.error(layout.plain(str(problem)), icon=":material/error:")
    state.finish()
    st.stop()
key = (study.key, names)
feature = histogram.domain.features[histogram.domain.names.index(area)]
drawn, _ = cards.draw(histogram, lambda m: m.guarantee(histogram), SLOTS)
ask_before_costly()
ready = [not compute.waits_for_run(key, m, False, study.seed) for m in drawn]
chosen = list(itertools.compress(drawn, ready))
evaluations = evaluated(chosen)
with st.container(horizontal=True, vertical_alignment="bottom"):
    measure = map_controls.measure()
    weights = map_controls.weights(study.dataset, study.key, names, area)
    pinned = map_controls.pin(feature)
group = map_controls.group(histogram, area) if measure == "group_bias" else {}
found = compared(evaluations)
other = at_other_epsilon(chosen) if len(chosen) == 2 else ()
headline, more = map_sentences(found, compared(evaluated(other)), pinned)
with top:
    layout.answer(headline, more)
maps_place = st.container()
file = map_controls.boundary_file()
if found is not None:
    with maps_place:
        draw_maps(found)
        if pinned:
            look_into_place()
with st.expander("What do these numbers mean, and how are they computed?"):
    st.markdown(map_explain.METHOD)
sidebar.footer(map_explain.code(
    study.dataset, names, area, chosen, measure, group,
    map_controls.WEIGHT if weights is not None else None,
))

"""The Map page's own controls: area, measure, group, weights, boundary file, and the click that
pins a place."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
import streamlit as st
from numpy.typing import NDArray

from sdc_core.data import Dataset
from sdc_core.errors import InputError
from sdc_core.figures import map as figures
from sdc_core.figures.map_layout import Sheet
from sdc_core.geography import Boundaries, BoundaryFile, boundaries, read_boundary_file
from sdc_core.histogram import Feature, Histogram
from sdc_core.metrics.areas import MEASURES, Measure, mean_weights
from ui import state
from ui.layout import plain
from ui.sidebar import Study

PLACE = "PUMA"
WEIGHT = "PWGTP"
DEFAULT_GROUP = {"RAC1P": "2", "OWN_RENT": "2"}  # Black renters, where the data knows them
ANY = "*"
BIAS_COLUMN = st.column_config.NumberColumn(
    format="%+.2f", help="Expected published count minus true count, in people.",
)
_FILE = "map-boundary-file"
_CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d",
                               "pan2d", "zoom2d", "resetScale2d"],
}

# Plotly takes the place under a finger to be the one that the pointer was over before, and keeps a
# swipe over a chart from scrolling the page. So touches are kept from it: a swipe is the browser's,
# and a tap becomes what a mouse would have done there.
_TAPS = """<script>
if (!window.mapTaps) {
  window.mapTaps = true;
  let start = null;
  const onMap = (event) => event.target.closest?.("[class*='st-key-map-'] .draglayer");
  const spot = (event) => event.changedTouches[0];
  document.addEventListener("touchstart", (event) => {
    start = null;
    if (!onMap(event)) return;
    event.stopPropagation();
    if (event.touches.length === 1) start = [spot(event).clientX, spot(event).clientY];
  }, {capture: true, passive: true});
  document.addEventListener("touchend", (event) => {
    if (!start || !onMap(event)) return;
    const {clientX, clientY} = spot(event);
    const moved = Math.hypot(clientX - start[0], clientY - start[1]);
    start = null;
    if (moved > 10) return;
    event.preventDefault();
    for (const kind of ["mousemove", "mousedown", "mouseup"]) {
      const target = document.elementFromPoint(clientX, clientY);
      target?.dispatchEvent(new MouseEvent(kind, {
        clientX, clientY, bubbles: true, cancelable: true, view: window}));
    }
  }, {capture: true, passive: false});
}
</script>"""


def area_column(study: Study) -> str:
    """The column that says where people live: of the census the place, of own data any."""
    dataset = study.dataset
    if dataset.origin != "own":
        return PLACE
    words = {c.name: c.title for c in dataset.columns if c.kind == "categorical"}
    if not words:
        return study.features[0]
    start = dataset.place or next((f for f in study.features if f in words), next(iter(words)))
    return state.choose(
        "map_area", "Area column", list(words), start, words, width=280,
        help="The column that says where people live. The table is counted by it and by the "
        "features chosen at the left.",
    )


def measure() -> Measure:
    chosen: Measure = state.choose(
        "map_measure", "What is shown", list(MEASURES), "l1_bias",
        {name: f"{words.title}, {words.unit}" for name, words in MEASURES.items()}, width=330,
    )  # type: ignore[assignment]
    return chosen


def group(histogram: Histogram, area: str) -> dict[str, str]:
    """The chosen group: a value, or any, for each feature but the area."""
    others = [f for f in histogram.domain.features if f.name != area]
    found = {}
    with st.container(horizontal=True):
        for feature in others:
            value = _group_value(feature)
            if value != ANY:
                found[feature.name] = value
    return found


def _group_value(feature: Feature) -> str:
    start = DEFAULT_GROUP.get(feature.name, ANY)
    titles = dict(zip(feature.values, feature.labels, strict=True)) | {ANY: "any"}
    return state.choose(
        f"map_group.{feature.name}", feature.title, [ANY, *feature.values],
        start if start in feature.values else ANY, titles, width=210,
    )


def weights(
    dataset: Dataset, key: str, features: Sequence[str], area: str
) -> NDArray[np.float64] | None:
    """People per record and cell, if there is a survey weight and it is to be used."""
    kinds = {c.name: c.kind for c in dataset.columns}
    if kinds.get(WEIGHT) != "numeric":
        return None
    how = state.choose(
        "map_count", "Counted as", ["persons", "weighted"], "persons",
        {"persons": "Persons recorded", "weighted": "People represented"},
        draw=st.segmented_control, required=True,
        help=f"Each person in the survey stands for others like them: {WEIGHT} says for how many. "
        "Weighted, an error of one record counts as that many people.",
    )
    if how == "persons":
        return None
    try:
        return _weights(key, tuple(features), area, dataset)
    except InputError as problem:
        st.error(plain(str(problem)), icon=":material/error:")
        return None


@st.cache_resource(max_entries=32, show_spinner=False)
def _weights(
    dataset_key: str, features: tuple[str, ...], area: str, _dataset: Dataset
) -> NDArray[np.float64]:
    return mean_weights(_dataset, features, area, WEIGHT)


def boundary_file() -> BoundaryFile | None:
    """The boundary file that the user gave last and that could be read."""
    with st.expander("Use your own boundaries", icon=":material/upload_file:"):
        file = st.file_uploader(
            "GeoJSON, GeoPackage or zipped shapefile", key="map-upload",
            type=["geojson", "json", "gpkg", "zip"],
            help="Areas are matched by their codes. Read on this machine only.",
        )
        if file is None:
            for kept in (_FILE, "map-upload-seen", "map-upload-problem"):
                st.session_state.pop(kept, None)
        elif st.session_state.get("map-upload-seen") != file.file_id:
            st.session_state["map-upload-seen"] = file.file_id
            _take(file.name, file.getvalue())
        if "map-upload-problem" in st.session_state:
            st.error(plain(st.session_state["map-upload-problem"]), icon=":material/error:")
    return st.session_state.get(_FILE)


def _take(name: str, content: bytes) -> None:
    st.session_state.pop("map-upload-problem", None)
    try:
        st.session_state[_FILE] = read_boundary_file(name, content)
        state.put("map_view", "map")
    except InputError as problem:
        st.session_state["map-upload-problem"] = str(problem)


def shapes(feature: Feature, file: BoundaryFile | None) -> Boundaries:
    """The shapes of these areas; looked up anew now and then, since files may come."""
    return _shapes(feature.values, file.digest if file else "", file)


@st.cache_resource(max_entries=32, ttl=120, show_spinner="Reading the boundaries …")
def _shapes(codes: tuple[str, ...], digest: str, _file: BoundaryFile | None) -> Boundaries:
    return boundaries(codes, _file)


def pin(feature: Feature) -> str:
    """The place that is looked into: chosen here, or by a click on a map."""
    titles = dict(zip(feature.values, feature.labels, strict=True)) | {ANY: "none: click one"}
    chosen = state.choose(
        "map_place", "Pinned place", [ANY, *feature.values], ANY, titles, width=330,
    )
    return "" if chosen == ANY else chosen


def fit_phones(sheet: Sheet) -> None:
    """A chart's height is fixed; where it is narrow, what follows moves up into the free space."""
    spare = figures.spare_on_a_phone(sheet)
    st.html(
        "<style>@media (max-width: 640px) { .st-key-map-first, .st-key-map-second, "
        f".st-key-map-difference {{ margin-bottom: -{spare}px; }} }}</style>"
    )


def take_taps() -> None:
    """On a touch screen one tap pins a place, as one click does elsewhere."""
    st.html(_TAPS, unsafe_allow_javascript=True)


def draw(figure: go.Figure, name: str, sheet: Sheet, pinned: str, alt: str) -> None:
    """A map that pins the place that is clicked; a click on the pinned one lets go of it."""
    key = f"map.{name}"
    st.plotly_chart(
        figure, key=key, alt=alt, width="stretch", selection_mode="points",
        on_select=functools.partial(_clicked, key, sheet, pinned),
        config={**_CONFIG, "toImageButtonOptions": {
            "format": "png", "scale": 2, "filename": f"map-{name}"}},
    )


def _clicked(key: str, sheet: Sheet, pinned: str) -> None:
    points = st.session_state[key]["selection"]["points"]
    code = figures.clicked_area(sheet, int(points[0]["point_index"])) if points else ""
    if code:
        state.put("map_place", ANY if code == pinned else code)


def is_dark() -> bool:
    return st.context.theme.type == "dark"

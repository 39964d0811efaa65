"""Speed and size of the Map page: all 31 places, two exact methods."""

from __future__ import annotations

import itertools

from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from bench.app import ROOT
from bench.measure import Figure, best_of, medians_taking_turns, milliseconds
from bench.tables import five_feature_table
from sdc_core.figures import map as figures_of_map
from sdc_core.figures.map_layout import sheet_of
from sdc_core.geography import boundaries
from sdc_core.metrics.areas import compare_areas

DATA_LIMIT = 0.1
SIZE_LIMIT = 400_000


def figures() -> list[Figure]:
    return [*_figure_data(), _slider_move()]


def _figure_data() -> list[Figure]:
    known, table = five_feature_table("all2019")
    sheet = sheet_of(boundaries(table.domain.features[0].values))  # once, at load
    chosen = [sdc.mechanism("laplace"), sdc.mechanism("dp-suppression")]

    def draw() -> list[str]:
        found = compare_areas(table, "PUMA", [sdc.evaluate(m, table) for m in chosen])
        return [one.to_json() for one in figures_of_map.maps(found, sheet)]

    seconds = best_of(7, draw)
    size = sum(len(text) for text in draw())
    return [
        Figure(f"Map of all 31 places, from the table to three figures as JSON ({known})",
               milliseconds(seconds), f"limit of {milliseconds(DATA_LIMIT)}",
               seconds / DATA_LIMIT, 1),
        Figure(f"Size of those three figures together ({known})", f"{size / 1000:.0f} KB",
               f"limit of {SIZE_LIMIT / 1000:.0f} KB", size / SIZE_LIMIT, 1),
    ]


def _slider_move() -> Figure:
    """Each move goes to a value that was not computed before."""
    trivial = AppTest.from_file(str(ROOT / "bench" / "trivial_app.py"), default_timeout=60).run()
    app = AppTest.from_file(str(ROOT / "tests" / "app_entry.py"), default_timeout=60).run()
    app.switch_page("../pages/map.py")
    app.query_params["data"] = "all2019-twin"
    app.run()
    steps, values = itertools.count(11), itertools.count(5)
    ours, peer = medians_taking_turns(
        30,
        lambda: app.slider(key="url.map2.k").set_value(next(values) % 25 + 3).run(),
        lambda: trivial.slider(key="steps").set_value(next(steps)).run(),
    )
    if app.exception:
        raise AssertionError(app.exception)
    return Figure(
        "A slider move on Map (all 31 places, three maps)", milliseconds(ours),
        f"rerun of a trivial one-chart app, {milliseconds(peer)}", ours / peer, 10,
    )

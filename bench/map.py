"""Speed and size of the Map page: all 31 places, two exact methods."""

from __future__ import annotations

import sdc_core as sdc
from bench.app import slider_move
from bench.measure import Figure, best_of, milliseconds
from bench.tables import five_feature_table
from sdc_core.figures.map_layout import sheet_of
from sdc_core.geography import boundaries
from sdc_core.metrics.areas import compare_areas
from sdc_core.questions.map import figures as figures_of_map

DATA_LIMIT = 0.1
SIZE_LIMIT = 400_000


def figures() -> list[Figure]:
    return [
        *_figure_data(),
        slider_move("Map (all 31 places, three maps)", "map", "m4.k", data="all2019-twin"),
    ]


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

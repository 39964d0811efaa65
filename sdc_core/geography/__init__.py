"""Where are the areas, and how are they drawn without a base map?

Boundaries come from a file that the user gives, from the Census Bureau (fetched on request), from
the data folder, or from the project's own schematic map, in this order. Everything is projected to
an equal-area plane in kilometres and simplified once, ready for filled scatter traces.
"""

from __future__ import annotations

from sdc_core.geography.files import BoundaryFile
from sdc_core.geography.given import read_boundary_file
from sdc_core.geography.official import fetch_official
from sdc_core.geography.overview import Overview, overview
from sdc_core.geography.panels import Panel, panels
from sdc_core.geography.shapes import Area, Boundaries, Kind
from sdc_core.geography.sources import KnownFile, boundaries, known_files

__all__ = [
    "Area", "Boundaries", "BoundaryFile", "Kind", "KnownFile", "Overview", "Panel", "boundaries",
    "fetch_official", "known_files", "overview", "panels", "read_boundary_file",
]

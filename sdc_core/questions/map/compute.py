"""What a map is made of: boundaries of the areas, and weights of the records in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sdc_core.metrics.areas import mean_weights
from sdc_core.questions.question import Given
from sdc_core.questions.work import Work

# The libraries for shapes take a second to load: only a map waits for them.
if TYPE_CHECKING:
    from sdc_core.geography import Boundaries, BoundaryFile

WEIGHT = "PWGTP"


def read_boundaries(name: str, content: bytes) -> BoundaryFile:
    """The areas of a file that a reader gives."""
    from sdc_core.geography import read_boundary_file

    return read_boundary_file(name, content)


def shapes_of(work: Work, codes: Sequence[str], file: BoundaryFile | None) -> Boundaries:
    """The shapes of these areas. Which boundary files there are is looked up every time, so that
    one that comes later is seen."""
    from sdc_core.geography import boundaries, known_files

    return work.kept(boundaries, tuple(codes), file, known_files())


def has_weights(given: Given) -> bool:
    return {c.name: c.kind for c in given.dataset.columns}.get(WEIGHT) == "numeric"


def weights_of(given: Given, area: str) -> NDArray[np.float64]:
    """How many people one record of each of the table's cells stands for."""
    names = given.table.domain.names
    return given.work.kept(
        mean_weights, given.dataset, names, area, WEIGHT, given.study.domain
    )

"""What a map is made of: boundaries of the areas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from sdc_core.errors import InputError
from sdc_core.questions.columns import known_places
from sdc_core.questions.work import Work

# The libraries for shapes take a second to load: only a map waits for them.
if TYPE_CHECKING:
    from sdc_core.geography import Boundaries, BoundaryFile, KnownFile


def read_boundaries(name: str, content: bytes) -> BoundaryFile:
    """The areas of a file that a reader gives."""
    from sdc_core.geography import read_boundary_file

    return read_boundary_file(name, content)


def shapes_of(work: Work, codes: Sequence[str], file: BoundaryFile | None) -> Boundaries:
    """The shapes of these areas. Which boundary files there are is looked up every time, so that
    one that comes later is seen."""
    from sdc_core.geography import known_files

    found = work.kept(_shapes_or_why_not, tuple(codes), file, known_files())
    if isinstance(found, str):
        raise InputError(found)
    return found


def _shapes_or_why_not(
    codes: tuple[str, ...], file: BoundaryFile | None, known: tuple[KnownFile, ...]
) -> Boundaries | str:
    """What is wrong is kept, too: to find it may have taken long."""
    from sdc_core.geography import boundaries

    try:
        return boundaries(codes, file, known)
    except InputError as problem:
        return str(problem)


def codes_on(work: Work, file: BoundaryFile | None) -> Callable[[Sequence[str]], int]:
    """How many of these codes have an area in the file that is open, or else in those at hand?"""
    if file is None:
        return known_places
    return lambda codes: work.kept(_areas_found, file, tuple(codes))


def _areas_found(file: BoundaryFile, codes: Sequence[str]) -> int:
    from sdc_core.geography.codes import match_codes

    return len(match_codes(file.columns, codes).rows)

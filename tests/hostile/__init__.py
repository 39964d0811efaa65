"""Files and paths that were made to do harm, or are merely odd. Nothing of it is kept: each is made
when a test asks for it, by a function that also says what a right reading of it is.

`data_files`, `boundary_files` and `paths` list them; `tests/test_hostile.py` takes every one
through Python, and through the command and the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """A file: how it is called, how it is made, and what is right. `right` is None where there is
    nothing to be read, so that it must be refused; `may_refuse` where a reader who says no is
    right, too. The function that makes it is called with a folder of its own."""

    id: str
    name: str
    make: Callable[..., bytes]
    right: Any = None
    may_refuse: bool = False

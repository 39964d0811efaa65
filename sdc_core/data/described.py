"""What a dictionary says about the columns of a file: words, values, what stands for no value.

Less than a schema: it knows no roles, perhaps not every column, and it may know some that the file
does not have. What it does not say is proposed from the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sdc_core.data.schema import Type
from sdc_core.errors import InputError


@dataclass(frozen=True)
class Described:
    """One column in a dictionary. `type` is None where it does not say how values are to be read;
    `values` are all that there may be, unless `type` is a number."""

    name: str
    title: str = ""
    type: Type | None = None
    values: Mapping[str, str] = field(default_factory=dict, hash=False)
    missing: tuple[str, ...] = ()
    missing_label: str = ""
    may_be_missing: bool = False
    decimal: str = ""
    note: str = ""


@dataclass(frozen=True)
class Dictionary:
    """What is said about columns, by a dictionary or by the file itself."""

    columns: tuple[Described, ...]

    def about(self, names: Iterable[str], file: str) -> dict[str, Described]:
        """What it says about these columns of a file, found by name, else by title (which in some
        dictionaries is what the header says)."""
        by_title = {c.title: c for c in self.columns if c.title}
        known = by_title | {c.name: c for c in self.columns}
        found = {name: known[name] for name in names if name in known}
        if not found:
            first = self.columns[0].name if self.columns else ""
            raise InputError(
                f"The dictionary describes none of the columns of {file}; it begins with {first!r}."
            )
        return found

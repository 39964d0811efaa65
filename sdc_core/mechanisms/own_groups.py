"""The kind of parameter that is a text of hierarchies: how values may be grouped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sdc_core import hierarchy
from sdc_core.data.hierarchy_file import with_files
from sdc_core.errors import InputError
from sdc_core.parameters import Param, Salvaged, TextBox, Widget


@dataclass(frozen=True, kw_only=True)
class Hierarchies(Param):
    """Groups of values, one line a feature; on the command line a line may name a CSV."""

    default: str = ""
    example: str = ""

    def validate(self, value: Any) -> str:
        if not isinstance(value, str):
            raise InputError(f"{self.name} must be a text such as {self.example!r}, got {value!r}.")
        return hierarchy.normal_text(value)

    def from_argument(self, text: str) -> str:
        return with_files(text)

    @property
    def allowed(self) -> list[str]:
        return self.example.split("\n")

    def salvage(self, text: str) -> Salvaged:
        return Salvaged(text, ())  # kept as it was typed, also where it has mistakes

    def carried_over(self, value: Any) -> Any:
        return value

    def in_name(self, value: Any) -> str:
        return "" if value == self.default else self.tag

    def widget(self, value: Any) -> Widget:
        return TextBox(self.example)

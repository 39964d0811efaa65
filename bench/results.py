"""RESULTS.md: one section a module, so that taking some figures again leaves the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from bench.measure import Figure

HEAD = """# Speed

Made by `make bench` (`make bench ONLY=app` for one section): each figure is the best or the median
of several runs, against a named peer or limit in the same run, so that the ratio means the same on
another machine. Peers run in environments of their own (`bench/peers`), on the same input.
"""
_TABLE = """| what | measured | against | ratio | limit | |
| --- | --- | --- | --- | --- | --- |
"""


def section(
    figures: Sequence[Figure], machine: str, notes: Sequence[str] = (),
    picture: tuple[str, str] | None = None,
) -> str:
    """The text under a module's heading."""
    rows = "\n".join(one.row() for one in figures)
    listed = "".join(f"\n- {note}" for note in notes)
    drawn = f"\n\n![{picture[1]}]({picture[0]})\n" if picture else ""
    return f"{machine}\n\n{_TABLE}{rows}\n{listed}{drawn}".rstrip("\n") + "\n"


def updated(text: str, new: Mapping[str, str], order: Iterable[str]) -> str:
    """The whole file with these sections in place of the old ones; sections of modules that are no
    longer there go."""
    parts = re.split(r"^## (\S+)\n\n", text, flags=re.MULTILINE)[1:]
    kept = {**dict(zip(parts[::2], (part.rstrip("\n") + "\n" for part in parts[1::2]),
                       strict=True)), **new}
    return HEAD + "".join(f"\n## {name}\n\n{kept[name]}" for name in order if name in kept)

"""Names that others rely on: keys in links, and columns of CSV files.

A link in a report of last year must open, and a script that reads a CSV must find its columns. Each
question's test file lists its own, once; `test_every_question.py` holds the pages to them. Those of
the first twelve were written down from what the pages offered before questions had folders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module

import pytest

from sdc_core.mechanisms.base import Mechanism


@dataclass(frozen=True)
class Contract:
    """The slots of a question's methods (whose settings go by the parameter's name, `m1.epsilon`),
    its own controls, and the columns of each table. A method's own name stands in some columns;
    here it is `<method>`. `quick` are settings under which the page takes little time, for tests
    that open it again and again; `fewer` are numbers of releases, points and the like, by where
    they stand below `sdc_core.questions`, with which it does the same in less time; `costly` are
    options of menus, by their control, that are minutes of work where nothing waits."""

    slots: tuple[str, ...]
    controls: tuple[str, ...]
    columns: Mapping[str, tuple[str, ...]]
    quick: Mapping[str, str] = field(default_factory=dict)
    fewer: Mapping[str, int] = field(default_factory=dict)
    costly: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def contract(address: str) -> Contract:
    found: Contract = import_module(f"tests.test_question_{address}").CONTRACT
    return found


def hurry(address: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The question does less of the same until the test ends; given are its quick settings."""
    found = contract(address)
    for name, number in found.fewer.items():
        monkeypatch.setattr(f"sdc_core.questions.{name}", number)
    return dict(found.quick)


def generic(columns: Iterable[str], methods: Sequence[Mechanism]) -> tuple[str, ...]:
    """Column titles with `<method>` for each method's numbered name, each once. A question may
    number the methods that it compares by itself."""
    names = sorted((m.label() for m in methods), key=len, reverse=True)
    found: dict[str, None] = {}
    for column in columns:
        for name in names:
            column = re.sub(rf"[1-9]\. {re.escape(name)}", "<method>", column)
        found[column] = None
    return tuple(found)

"""Three visitors for a few seconds, as `make soak` has fifty for an hour; and it would notice."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests import soak
from tests.visitors import Visitor

pytestmark = pytest.mark.slow


def test_some_visitors_for_some_seconds(tmp_path: Path) -> None:
    found = soak.soaked(3, 12, seed=1, think=0.2, out=tmp_path)
    assert not found.problems
    assert found.counts["visitors"] >= 3 and found.counts["moved"] > 3
    assert len(found.seconds) == found.counts.total() - found.counts["visitors"]
    assert all(used > 50 for _, used in found.memory)
    assert (tmp_path / "soak.csv").read_text().startswith("seconds,MB,")


def test_what_belongs_to_another_is_noticed(address: str) -> None:
    found = soak.Soak()
    guest = soak.Guest(address, 1, random.Random(1), found)
    with guest.visitor as visitor:
        guest._seen("opened", "your_data", visitor.open("your_data", seed=guest.seed))
        assert not found.problems
        foreign = "town,sex\n" + "visitor-2-Ash,f\nvisitor-2-Elm,m\n" * 20
        guest._seen("brought", "upload", visitor.upload("upload", "a.csv", foreign.encode()))
    assert len(found.problems) == 1 and "something of [2]" in found.problems[0]


def test_another_setting_is_noticed(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = soak.Soak()
    guest = soak.Guest(address, 1, random.Random(1), found)
    with guest.visitor as visitor:
        guest._seen("opened", "compare", visitor.open("compare", data=soak.TWIN, seed="99"))
        assert "the seed is 99" in found.problems.pop()
        monkeypatch.setattr(Visitor, "set", lambda self, key, value: self.page)
        monkeypatch.setattr(guest.dice, "random", lambda: 0.1)
        monkeypatch.setattr(guest.dice, "choice", lambda values: values[-1])
        guest._move()  # to the largest ε, which the page does not hear of
    assert any("ε was set to 20" in problem for problem in found.problems)


def test_growth_is_from_when_it_had_settled() -> None:
    found = soak.Soak()
    found.memory = [(float(t), 300 + min(t, 600)) for t in range(10, 3601, 10)]
    assert soak.levels(found) == (900, 900)
    found.memory = [(float(t), 300 + t) for t in range(10, 3601, 10)]
    before, after = soak.levels(found)
    assert before == 930 and after == 3870

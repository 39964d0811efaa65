"""RESULTS.md: a section that is taken again replaces itself and nothing else."""

from __future__ import annotations

from pathlib import Path

from bench.measure import Figure
from bench.results import section, updated

ORDER = ("engine", "map", "app")
FAST = Figure("a move", "5 ms", "a peer, 1 ms", 5.0, 10)
SLOW = Figure("a move", "20 ms", "a peer, 1 ms", 20.0, 10)
SEEN = Figure("painted", "1 s", "a peer, 1 s", 1.0, None)


def test_only_the_sections_that_were_taken_change_and_all_stand_in_order() -> None:
    taken = {"app": section([FAST], "Here."), "engine": section([SLOW], "Here.")}
    first = updated("", taken, ORDER)
    assert first.index("## engine") < first.index("## app") and "## map" not in first
    again = updated(first, {"app": section([SEEN], "There.", ["no peer"])}, ORDER)
    engine = first[first.index("## engine"):first.index("## app")]
    assert engine in again and "a move | 5 ms" not in again
    assert again.endswith("| painted | 1 s | a peer, 1 s | 1 | none |  |\n\n- no peer\n")
    assert updated(again, {}, ORDER) == again
    assert "## engine" not in updated(again, {}, ("app",))  # a module that is gone


def test_what_has_no_limit_cannot_miss_it() -> None:
    assert (FAST.kept, SLOW.kept, SEEN.kept) == (True, False, True)
    assert SLOW.row().endswith("| ≤ 10 | **missed** |")


def test_the_file_in_the_repository_is_what_the_writer_writes() -> None:
    from bench.__main__ import MODULES

    text = (Path(__file__).parents[1] / "bench" / "RESULTS.md").read_text(encoding="utf-8")
    assert updated(text, {}, MODULES) == text

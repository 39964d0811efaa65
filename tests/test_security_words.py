"""docs/security.md and SECURITY.md name tests, files, targets and methods that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sdc_core.mechanisms import mechanisms
from tests import test_faults, test_fuzz
from tests.printed import inline, targets

ROOT = Path(__file__).resolve().parents[1]
DOCS = {name: (ROOT / name).read_text(encoding="utf-8")
        for name in ("SECURITY.md", "docs/security.md")}
METHODS = {declared.name: {p.name for p in declared.params} for declared in mechanisms()}


@pytest.mark.parametrize("name", DOCS)
def test_files_targets_and_links_exist(name: str) -> None:
    named = inline(DOCS[name])
    files = [code for code in named if re.fullmatch(r"[\w./]+\.(py|md)", code)]
    linked = re.findall(r"\]\(([^)#]+)\)", DOCS[name])
    assert files and all((ROOT / code).is_file() for code in files), files
    assert all(((ROOT / name).parent / one).is_file() for one in linked), linked
    made = {code.split()[1] for code in named if code.startswith("make ")}
    assert made <= targets((ROOT / "Makefile").read_text(encoding="utf-8"))


def test_methods_and_their_settings_exist() -> None:
    noise = DOCS["docs/security.md"].split("## Noise and floating point")[1].split("## ")[0]
    named = {code for code in inline(noise) if re.fullmatch(r"[a-z-]+", code)}
    assert named == {"geometric", "discrete-gaussian", "topdown", "laplace", "dp-suppression",
                     "mst", "aim"}
    assert named <= METHODS.keys()
    assert "postprocess" in METHODS["laplace"]


def test_counts_are_those_of_the_tests() -> None:
    text = DOCS["docs/security.md"]
    assert f"all {len(test_fuzz.ADDRESSES)} questions" in text
    assert len(test_faults.WRITERS) == 8 and "eight writers" in text
    assert "25 visits" in text and test_fuzz.few.max_examples == 25

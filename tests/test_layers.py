"""One way down: no package and no module imports from a floor above its own.

The graph is read from the source, imports inside functions included. `sdc_core/__init__.py` is the
front door of the engine: it offers names of every floor (the questions only when somebody asks for
them) and so stands above them; what asks for its version is said below.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# From the ground up; packages and modules of one floor may not import each other either, unless
# they are in the same package.
FLOORS: tuple[tuple[str, ...], ...] = (
    ("sdc_core.as_json", "sdc_core.errors", "sdc_core.folders", "sdc_core.keys",
     "sdc_core.version", "sdc_core.whole_file"),
    ("sdc_core.keep", "sdc_core.parameters", "sdc_core.records"),
    ("sdc_core.households", "sdc_core.weights"),
    ("sdc_core.histogram",),
    ("sdc_core.hierarchy", "sdc_core.people", "sdc_core.engines"),
    ("sdc_core.data", "sdc_core.privacy"),
    ("sdc_core.margins",),
    ("sdc_core.geography", "sdc_core.mechanisms"),
    ("sdc_core.curves",),
    ("sdc_core.metrics",),
    ("sdc_core.auditing", "sdc_core.experiment", "sdc_core.record_experiment"),
    ("sdc_core.calibrate", "sdc_core.theorems"),
    ("sdc_core.papers",),
    ("sdc_core.words",),
    ("sdc_core.figures",),
    ("sdc_core.release",),
    ("sdc_core.questions",),
    ("sdc_core.report",),
    ("sdc_core.lessons",),
    ("sdc_core.cli", "sdc_core.build"),
    ("sdc_core", "sdc_core.__main__"),
    ("ui",),
    ("pages", "app"),
)
FLOOR_OF = {part: number for number, floor in enumerate(FLOORS) for part in floor}


def modules() -> dict[str, Path]:
    found = {"app": ROOT / "app.py"}
    for package in ("sdc_core", "ui", "pages"):
        for path in (ROOT / package).rglob("*.py"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


MODULES = modules()


def part_of(module: str) -> str:
    """The package or single module that has a floor."""
    pieces = module.split(".")
    return next(
        ".".join(pieces[:n]) for n in range(len(pieces), 0, -1) if ".".join(pieces[:n]) in FLOOR_OF
    )


def imported(module: str, path: Path) -> set[str]:
    """The modules of this project that a module imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports by a relative name"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in MODULES else node.module or "")
    return {name for name in found if name in MODULES} - {module}


GRAPH = {module: imported(module, path) for module, path in MODULES.items()}


def test_every_part_has_a_floor() -> None:
    """`sdc_core` itself is only its front door: a new file or package must be given a floor."""
    homeless = [
        m for m in MODULES
        if part_of(m) == "sdc_core" and m not in ("sdc_core", "sdc_core.__main__")
    ]
    assert homeless == []


@pytest.mark.parametrize("module", sorted(GRAPH))
def test_no_import_leads_up(module: str) -> None:
    own = part_of(module)
    upwards = [
        other for other in sorted(GRAPH[module])
        if part_of(other) != own and FLOOR_OF[part_of(other)] >= FLOOR_OF[own]
    ]
    assert upwards == [], f"{module} reaches up to {upwards}"


def test_modules_form_no_cycle() -> None:
    """Within a package, too, there is an order; a package's `__init__` stands after its modules."""
    done: set[str] = set()
    while len(done) < len(GRAPH):
        ready = {m for m in GRAPH if m not in done and GRAPH[m] <= done}
        assert ready, f"a cycle among {sorted(set(GRAPH) - done)}"
        done |= ready


def test_no_question_knows_another() -> None:
    """What two questions need lives below them."""
    folders = {p.name for p in (ROOT / "sdc_core" / "questions").iterdir() if p.is_dir()}
    for module, others in GRAPH.items():
        pieces = module.split(".")
        if pieces[:2] == ["sdc_core", "questions"] and len(pieces) > 2 and pieces[2] in folders:
            strangers = [
                o for o in others
                if o.split(".")[:2] == pieces[:2] and len(o.split(".")) > 2
                and o.split(".")[2] in folders - {pieces[2]}
            ]
            assert strangers == [], f"{module} uses {strangers}"


def test_the_engine_knows_no_user_interface() -> None:
    for module, path in MODULES.items():
        if module.startswith("sdc_core"):
            assert "streamlit" not in path.read_text(encoding="utf-8"), module


def test_the_test_finds_an_edge_that_leads_up(tmp_path: Path) -> None:
    """The reading of imports itself: inside functions, by module and by name."""
    file = tmp_path / "x.py"
    file.write_text(
        "import numpy\nfrom sdc_core.words import numbers\n"
        "def f():\n    from sdc_core.experiment import evaluate\n    import ui.state\n"
    )
    assert imported("sdc_core.metrics.x", file) == {
        "sdc_core.words.numbers", "sdc_core.experiment", "ui.state",
    }

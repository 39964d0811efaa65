"""A copy of the checkout in which a test may build, install and write files."""

from __future__ import annotations

import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What a clone has and an installation or a printed command could need; no real data.
PARTS = (
    ".streamlit", "app.py", "data/README.md", "data/geo/README.md", "data/geo/schematic.geojson",
    "data/geo/us-outline.geojson", "data/twins", "Makefile", "pages", "pyproject.toml",
    "README.md", "requirements.lock", "requirements.txt", "sdc_core", "setup.py", "ui",
)


def copy_checkout(folder: Path) -> Path:
    """Copies with the times of the originals, so that compiled files stay valid."""
    for part in PARTS:
        target = folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, target)
        else:
            shutil.copy2(ROOT / part, target)
    return folder

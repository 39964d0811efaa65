"""The Release button: what a visitor takes away is what the page shows, and what Python writes."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from sdc_core.release import ReleasedCounts, ReleasedGroups
from tests.page_driver import TWIN, opened, uploaded
from ui import release as page

METHODS = {"m1": "laplace", "m2": "suppression", "m3": "k-anonymity", "m4": "none"}
LINK = {**TWIN, **METHODS, "features": "SEX,OWN_RENT,RAC1P", "seed": "5", "domain": "dictionary",
        "empty": "left"}


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bytes, dict[str, Any]]]:
    """What the download button offers, run by run."""
    offered: list[tuple[bytes, dict[str, Any]]] = []
    original = page.st.download_button

    def noted(label: str, data: Any, **look: Any) -> Any:
        if look.get("key") == "release.download":
            offered.append((data, look))
        return original(label, data, **look)

    monkeypatch.setattr(page.st, "download_button", noted)
    return offered


def choose(app: AppTest, make: bool = False, **chosen: Any) -> AppTest:
    """The open dialog after a choice. The harness runs the whole page where a browser would run the
    dialog alone, so that the button has to be pressed each time."""
    app.button(key="release.open").click()
    for key, value in chosen.items():
        widgets = [*app.selectbox, *app.toggle, *app.get("button_group")]
        next(w for w in widgets if w.key == f"release.{key}").set_value(value)
    if make:
        app.button(key="release.make").click()
    app.run()
    assert not app.exception, [e.value for e in app.exception]
    return app


def said(app: AppTest) -> str:
    blocks = [*app.markdown, *app.caption, *app.error]
    return " ".join(b.value for b in blocks).replace("\\", "")


def unpacked(offer: tuple[bytes, dict[str, Any]], folder: Path) -> Path:
    archive, look = offer
    with zipfile.ZipFile(io.BytesIO(archive)) as opened_zip:
        first, beside = opened_zip.namelist()
        opened_zip.extractall(folder)
    assert look["file_name"] == f"{first}.zip" and beside == f"{first}.provenance.json"
    return folder / first


def test_nothing_is_made_before_it_is_asked_for(
    taken: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    monkeypatch.setattr(page, "zipped", lambda file: made.append(file))
    app = choose(opened(LINK))
    assert [b.label for b in app.button if b.key == "release.make"] == ["Make the file"]
    assert app.selectbox(key="release.method").options == [
        "Laplace ε=1", "Suppression k=6", "k-anonymity k=6"]
    assert made == [] and taken == []


def test_the_table_is_that_of_the_page(taken: list[Any], tmp_path: Path) -> None:
    """Empty groups are left at 0 on the page, so they are in the file."""
    app = choose(opened(LINK))
    app = choose(app, method="Suppression k=6")
    app = choose(app, make=True)
    assert "hidden and marked so" in said(app) and "promises nothing" in said(app)
    assert "not for production release" in said(app) and "Keep what is under" in said(app)
    data = sdc.load_dataset("ma2019-twin")
    table = data.histogram(["SEX", "OWN_RENT", "RAC1P"])
    back = sdc.read_release(unpacked(taken[-1], tmp_path))
    assert isinstance(back, ReleasedCounts) and back.domain == table.domain
    counts = table.counts
    np.testing.assert_array_equal(back.hidden, (counts > 0) & (counts < 6))
    np.testing.assert_array_equal(back.counts[~back.hidden], counts[~back.hidden])
    assert back.provenance["private"] | {"why": ""} == {
        "why": "", "seed": 5, "data_sha256": data.digest, "data_file_sha256": data.file_sha256}
    assert back.provenance["method"]["settings"]["keep_zeros"] is True


def test_it_is_what_python_writes_and_stays_ready(taken: list[Any], tmp_path: Path) -> None:
    app = choose(opened(LINK))
    app = choose(app, method="k-anonymity k=6", form="records", labels=True, kind="parquet")
    app = choose(app, make=True)
    path = unpacked(taken[-1], tmp_path)
    data = sdc.load_dataset("ma2019-twin")
    release = sdc.mechanism("k-anonymity", k=6).release(
        data.histogram(["SEX", "OWN_RENT", "RAC1P"]), 5)
    (tmp_path / "ours").mkdir()
    ours = sdc.write_release(
        release, tmp_path / "ours" / path.name, "records", labels=True, dataset=data)
    assert path.read_bytes() == ours.path.read_bytes()
    assert json.loads(Path(f"{path}.provenance.json").read_text()) == ours.provenance
    assert isinstance(sdc.read_release(path), ReleasedGroups)
    app = choose(app)  # nothing has changed: it is there at once
    assert not [b for b in app.button if b.key == "release.make"] and len(taken) == 2
    app = choose(app, reconstructed=True)  # something has: it waits to be asked for
    assert [b for b in app.button if b.key == "release.make"] and len(taken) == 2
    app = choose(app, make=True)
    assert "not k-anonymous" in said(app) or "nothing makes this k-anonymous" in said(app)


def test_what_is_no_list_of_people_is_said_in_the_dialog(taken: list[Any]) -> None:
    app = choose(opened(LINK))
    app = choose(app, method="Suppression k=6", form="records")
    app = choose(app, make=True)
    assert [e.value.replace("\\", "") for e in app.error] != []
    assert "not a list of people" in said(app) and "as a table" in said(app)
    assert taken == []


def test_a_page_without_methods_has_nothing_to_release() -> None:
    app = opened(TWIN, page="pages/protected.py")
    assert not [b for b in app.button if b.key == "release.open"]


def test_own_data_leave_protected(taken: list[Any], tmp_path: Path) -> None:
    people = pd.DataFrame({
        "town": ["=north", "south", "-5", "007"] * 30, "ill": ["yes", "no", "no"] * 40})
    app = choose(uploaded(opened({**TWIN, **METHODS}), people))
    app = choose(app, method="Laplace ε=1", make=True)
    path = unpacked(taken[-1], tmp_path)
    back = sdc.read_release(path)
    assert isinstance(back, ReleasedCounts)
    assert set(back.domain.features[back.domain.names.index("town")].values) == {
        "=north", "south", "-5", "007"}
    text = path.read_text(encoding="utf-8-sig")
    assert "'=north" in text and "\r\n=" not in text and ",=" not in text
    assert back.provenance["data"]["origin"] == "own"

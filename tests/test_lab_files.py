"""Files for work on single records: what they hold, what becomes of a wrong one, and their twin."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.build.engineers_twin import COLUMNS, ROWS, SEED, build_engineers
from sdc_core.build.write_twins import twin_bytes
from sdc_core.data import CATALOGUE, catalogue, default_id, entry
from sdc_core.data.lab_files import LEFT_OUT

TWIN = Path(__file__).resolve().parents[1] / "data" / "twins" / "svcensus-twin.csv"
LAB = {"svcensus": 20_090, "pef": 20_090, "bodyfat": 241, "pima": 768}
RealData = Callable[[str], sdc.Dataset]


def raw(name: str) -> pd.DataFrame:
    return pd.read_csv(Path(os.environ["SDC_DATA_DIR"]) / entry(name).file)


@pytest.mark.parametrize("name", LAB)
def test_real_files_load_with_source_terms_and_declared_columns(
    real_data: RealData, name: str
) -> None:
    data = real_data(name)
    assert len(data) == LAB[name] == entry(name).rows and data.origin == "real"
    assert "R package" in data.source and ("licence" in data.source or "non-comm" in data.source)
    table = data.histogram(data.default_features)
    assert table.total == LAB[name] and table.domain.read_off == ()
    for feature in data.features:  # nothing in the file lies outside what is declared
        assert data.histogram([feature]).domain.read_off == ()
    assert data.is_survey is (name in ("svcensus", "pef"))


def test_values_are_those_of_the_file(real_data: RealData) -> None:
    for name in ("svcensus", "pima"):
        data, file = real_data(name), raw(name)
        for column in data.features:
            wanted = file[column].tolist() if data.column(column).is_number else [
                str(v) for v in file[column]]
            assert data.records[column].tolist() == wanted


def test_body_measurements_are_without_the_cases_that_p4_left_out(real_data: RealData) -> None:
    data, file = real_data("bodyfat"), raw("bodyfat")
    assert "density" not in data.records and "brozek" not in data.records
    assert not {str(c) for c in LEFT_OUT} & set(data.records["case"])
    kept = file[~file["case"].isin(LEFT_OUT)]
    assert len(kept) == 241
    assert data.records["weight"].tolist() == kept["weight"].tolist()
    wanted = (kept["weight"] * 0.45359237) / (kept["height"] * 0.0254) ** 2
    assert data.records["bmi"].to_numpy() == pytest.approx(wanted.to_numpy(), rel=1e-3)


def test_a_file_with_other_columns_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "pima_mlbench.csv").write_text("glucose,age\n100,30\n")
    monkeypatch.setenv("SDC_DATA_DIR", str(tmp_path))
    with pytest.raises(sdc.InputError, match="has no column 'pregnant'") as caught:
        sdc.load_dataset("pima")
    assert "\n" not in str(caught.value)


def test_where_a_file_is_missing_it_is_said_how_to_get_it_and_what_to_use(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    monkeypatch.setattr(catalogue, "NIST_DIRECTORY", tmp_path)
    for name, package in {
        "svcensus": "qeML", "pef": "regtools", "bodyfat": "mfp", "pima": "mlbench",
    }.items():
        assert default_id(name) == "svcensus-twin"
        with pytest.raises(sdc.InputError, match="or use svcensus-twin") as caught:
            sdc.load_dataset(name)
        assert f"R package {package}" in str(caught.value)
        assert "datasets fetch" not in str(caught.value)  # that would not get it


def test_every_entry_has_a_twin_that_is_bundled() -> None:
    for known in CATALOGUE:
        assert entry(known.twin).origin == "twin" and entry(known.twin).path()
        if any(e.id == f"{known.id}-twin" for e in CATALOGUE):
            assert known.twin == f"{known.id}-twin"


# The twin -----------------------------------------------------------------------------------------


def made_up_engineers(rows: int = 2500) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    occ = rng.choice([100, 101, 141], rows, p=[0.5, 0.3, 0.2])
    gender = np.where(rng.random(rows) < 0.2 + 0.2 * (occ == 101), "female", "male")
    weeks = np.where(rng.random(rows) < 0.7, 52, rng.integers(0, 52, rows))
    age = rng.normal(40, 10, rows).clip(17, 90)
    wage = (weeks * (900 + 300 * (gender == "male") + 10 * age) * rng.lognormal(0, 0.3, rows))
    return pd.DataFrame({
        "age": age, "educ": rng.choice(["14", "zzzOther"], rows), "occ": occ,
        "wageinc": wage.round(-3).astype(int), "wkswrkd": weeks, "gender": gender,
    })


def test_the_builder_keeps_what_it_says_and_leaves_its_input_alone() -> None:
    people = made_up_engineers()
    before = people.copy()
    twin = build_engineers(people, 1, 2000)
    pd.testing.assert_frame_equal(people, before)
    assert twin_bytes(twin) == twin_bytes(build_engineers(people, 1, 2000))
    assert twin_bytes(twin) != twin_bytes(build_engineers(people, 2, 2000))
    assert list(twin.columns) == list(COLUMNS) and len(twin) == 2000
    shares = [
        pd.crosstab(t["occ"].astype(str), t["gender"], normalize=True) for t in (people, twin)]
    assert shares[0].to_numpy() == pytest.approx(shares[1].to_numpy(), abs=0.01)
    for column in ("age", "wageinc", "wkswrkd"):
        assert twin[column].mean() == pytest.approx(people[column].mean(), rel=0.03)
    gaps = [t.groupby("gender")["wageinc"].mean().diff().iloc[-1] for t in (people, twin)]
    assert gaps[1] == pytest.approx(gaps[0], rel=0.35) and gaps[0] > 5000
    assert (twin.loc[twin["wkswrkd"] == 0, "wageinc"] == 0).all()


def test_nobody_who_stands_out_shows_in_the_twin() -> None:
    people = made_up_engineers()
    people.loc[0, ["age", "wageinc", "wkswrkd"]] = [140.0, 90_000_000, 52]
    twin = build_engineers(people, 1)
    others = people.drop(index=0)
    assert twin["age"].max() < others["age"].max()
    # One of a hundred in the highest knot: it is raised, by no more than a hundredth of the amount.
    assert twin["wageinc"].max() < 90_000_000 / 50


def test_the_bundled_twin_is_small_complete_and_possible() -> None:
    twin = pd.read_csv(TWIN)
    assert list(twin.columns) == list(COLUMNS) and len(twin) == ROWS == entry("svcensus-twin").rows
    assert TWIN.stat().st_size < 150_000 and not twin.isna().any().any()
    assert twin["age"].between(16, 94).all() and twin["wkswrkd"].between(0, 52).all()
    assert twin["wageinc"].between(0, 325_000).all()
    assert (twin.loc[twin["wkswrkd"] == 0, "wageinc"] == 0).all()
    data = sdc.load_dataset("svcensus-twin")
    assert data.source.startswith("Synthetic twin of programmers") and data.origin == "twin"
    assert all(data.histogram([name]).domain.read_off == () for name in data.features)


def test_the_bundled_twin_is_what_the_builder_makes_and_no_copy(real_data: RealData) -> None:
    real_data("svcensus")
    real, twin = raw("svcensus"), pd.read_csv(TWIN)
    assert TWIN.read_bytes() == twin_bytes(build_engineers(real, SEED))
    keys = [list(zip(*(t[c] for c in COLUMNS), strict=True)) for t in (real, twin)]
    assert not set(keys[0]) & set(keys[1])
    # With ages in whole years people do coincide. Real people coincide with other real people at
    # least as often as the twin's do.
    whole = [t.assign(age=t["age"].round()) for t in (real, twin)]
    first, second, made = (
        set(map(tuple, t[list(COLUMNS)].astype(str).to_numpy()))
        for t in (whole[0].iloc[::2], whole[0].iloc[1::2], whole[1])
    )
    assert len(made & first) / len(made) <= len(second & first) / len(second)


def test_the_bundled_twin_is_close_enough_to_learn_from(real_data: RealData) -> None:
    real_data("svcensus")
    real, twin = raw("svcensus"), pd.read_csv(TWIN)
    for one, other in (("occ", "gender"), ("educ", "occ"), ("educ", "gender")):
        shares = [pd.crosstab(t[one].astype(str), t[other], normalize=True) for t in (real, twin)]
        assert (shares[0] - shares[1]).abs().to_numpy().sum() / 2 < 0.02
    numbers = ["age", "wageinc", "wkswrkd"]
    assert (real[numbers].corr() - twin[numbers].corr()).abs().to_numpy().max() < 0.05
    for name in numbers:
        there, here = (np.sort(t[name]) for t in (real, twin))
        at = np.linspace(0.05, 0.95, 46)
        apart = np.abs(np.quantile(there, at) - np.quantile(here, at)) / there.std()
        assert apart.max() < 0.15, name  # two weeks are .14

"""Error by area: each measure by hand on a toy, by an independent groupby on a twin, and what makes
the numbers wrong is caught."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.data import CATALOGUE, entry
from sdc_core.data.catalogue import FIVE_FEATURES
from sdc_core.data.dictionary import PLACES
from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms import REGISTRY
from sdc_core.mechanisms.base import HidesCells
from sdc_core.metrics.areas import MEASURES, cells_of_area, compare_areas, mean_weights

TWIN = "ma2019-twin"


def toy() -> Histogram:
    """Two towns, two races, two tenures; the area is the middle feature, so axes must move.

    North: (White own, White rent, Black own, Black rent) = 9, 4, 0, 2; South: 20, 6, 3, 0.
    """
    race = Feature("race", "Race", ("w", "b"), ("White", "Black"))
    town = Feature("town", "Town", ("n", "s"), ("North", "South"))
    home = Feature("home", "Home", ("o", "r"), ("owning", "renting"))
    counts = np.array([[[9, 4], [20, 6]], [[0, 2], [3, 0]]])  # race, town, home
    return Histogram(counts.reshape(-1).astype(np.int64), Domain((race, town, home)))


def suppressed(k: int = 5, **more: object) -> sdc.Evaluation:
    return sdc.evaluate(sdc.mechanism("suppression", k=k, **more), toy())


def test_systematic_error_by_hand() -> None:
    """k = 5 hides counts below 5 and puts 2: North 4→2, 0→2, 2→2; South 3→2, 0→2."""
    found = compare_areas(toy(), "town", [suppressed()])
    assert found.area.labels == ("North", "South")
    assert found.values[0].tolist() == [2 + 2 + 0, 1 + 2]
    assert found.people.tolist() == [15, 29]
    assert not found.weighted


def test_group_bias_by_hand() -> None:
    """Black renters are one cell a town; Black people two; everyone four."""
    bias = [suppressed()]
    renters = compare_areas(toy(), "town", bias, "group_bias", {"race": "b", "home": "r"})
    assert renters.values[0].tolist() == [0, 2]
    assert renters.group == ("Black", "renting")
    assert renters.group_people.tolist() == [2, 0]
    black = compare_areas(toy(), "town", bias, "group_bias", {"race": "b"})
    assert black.values[0].tolist() == [(2 + 0) / 2, (-1 + 2) / 2]
    everyone = compare_areas(toy(), "town", bias, "group_bias")
    assert everyone.values[0].tolist() == [(0 - 2 + 2 + 0) / 4, (0 + 0 - 1 + 2) / 4]


def test_error_per_thousand_by_hand() -> None:
    found = compare_areas(toy(), "town", [suppressed()], "error_rate")
    assert found.values[0] == pytest.approx([1000 * 4 / 15, 1000 * 3 / 29])


def test_hidden_share_by_hand() -> None:
    """Of North's three groups with people (9, 4, 2) two are hidden, of South's (20, 6, 3) one."""
    found = compare_areas(toy(), "town", [suppressed()], "hidden_share")
    assert found.values[0] == pytest.approx([100 * 2 / 3, 100 / 3])
    assert found.hides == (True,)
    noise = compare_areas(
        toy(), "town", [sdc.evaluate(sdc.mechanism("laplace"), toy())], "hidden_share"
    )
    assert noise.values[0].tolist() == [0, 0] and noise.hides == (False,)


def test_weights_by_hand() -> None:
    """Every cell's error is multiplied by the people that a record of that cell stands for."""
    weights = np.array([[[10, 20], [30, 40]], [[50, 60], [70, 80]]], dtype=float).reshape(-1)
    found = compare_areas(toy(), "town", [suppressed()], weights=weights)
    assert found.values[0].tolist() == [2 * 20 + 2 * 50, 1 * 70 + 2 * 80]
    assert found.people.tolist() == [9 * 10 + 4 * 20 + 2 * 60, 20 * 30 + 6 * 40 + 3 * 70]
    assert found.weighted
    rate = compare_areas(toy(), "town", [suppressed()], "error_rate", weights=weights)
    assert rate.values[0] == pytest.approx([1000 * 140 / 290, 1000 * 230 / 1050])
    share = compare_areas(toy(), "town", [suppressed()], "hidden_share", weights=weights)
    assert share.values[0] == pytest.approx([100 * 2 / 3, 100 / 3]) and not share.weighted
    assert share.people.tolist() == [15, 29]  # persons, since nothing here is about more


def test_mean_weights_by_hand() -> None:
    records = pd.DataFrame({
        "town": ["n", "n", "n", "s"] * 5, "home": ["o", "o", "r", "o"] * 5,
        "PWGTP": [10.0, 20.0, 33.0, 7.0] * 5,
    })
    data = sdc.load_dataset(records)
    found = mean_weights(data, ["home", "town"], "town", "PWGTP").reshape(2, 2)
    # rows: owning, renting; columns: north, south; nobody rents in the south
    assert found.tolist() == [[15.0, 7.0], [33.0, 7.0]]
    census = sdc.load_dataset(TWIN)
    wide = mean_weights(census, ["PUMA", "RAC1P"], "PUMA", "PWGTP", "dictionary")
    assert len(wide) == len(census.histogram(["PUMA", "RAC1P"], "dictionary"))
    records.loc[0, "PWGTP"] = np.nan
    with pytest.raises(InputError, match="PWGTP must be a number"):
        mean_weights(sdc.load_dataset(records), ["home", "town"], "town", "PWGTP")


def test_two_methods_difference_excess_and_order() -> None:
    second = suppressed(3)  # 0→1, 2→1: North 0+0+1+1 = 2, South 0+1 = 1
    found = compare_areas(toy(), "town", [suppressed(), second])
    assert found.difference.tolist() == [2 - 4, 1 - 3]
    assert found.largest == 4
    assert found.worst_first().tolist() == [0, 1]
    signed = compare_areas(toy(), "town", [suppressed(), second], "group_bias", {"home": "r"})
    # renters, k=5: North (4→2, 2→2), South (6, 0→2); k=3: North (4, 2→1), South (6, 0→1)
    assert signed.values[0].tolist() == [-1, 1] and signed.values[1].tolist() == [-0.5, 0.5]
    assert signed.difference.tolist() == [0.5, -0.5]
    assert signed.excess.tolist() == [-0.5, -0.5]  # better in both, whichever the sign


@pytest.mark.parametrize("measure", list(MEASURES))
def test_a_twin_by_pandas(measure: str) -> None:
    """The same numbers by merging, masking and grouping records with pandas alone."""
    data = sdc.load_dataset(TWIN)
    table = data.histogram(FIVE_FEATURES)
    chosen = sdc.mechanism("dp-suppression", epsilon=0.7, k=8)
    found = compare_areas(
        table, "PUMA", [sdc.evaluate(chosen, table)], measure,  # type: ignore[arg-type]
        {"RAC1P": "2", "OWN_RENT": "2"},
    )
    levels = [sorted(data.records[f].astype(str).unique()) for f in FIVE_FEATURES]
    every = pd.MultiIndex.from_product(levels, names=list(FIVE_FEATURES))
    counted = data.records.astype(dict.fromkeys(FIVE_FEATURES, str)).groupby(
        list(FIVE_FEATURES), observed=True).size().reindex(every, fill_value=0)
    cells = counted.rename("count").reset_index()
    x = cells["count"].to_numpy(dtype=float)
    tail = 0.5 * np.exp(-np.abs(x - 8) * 0.35)
    cells["p"] = np.where(x >= 8, tail, 1 - tail)
    cells["bias"] = (4 - x) * cells["p"]
    cells["size"] = cells["bias"].abs()
    by = cells.groupby("PUMA")
    there = cells[cells["count"] > 0].groupby("PUMA")
    renters = cells[(cells["RAC1P"] == "2") & (cells["OWN_RENT"] == "2")].groupby("PUMA")
    expected = {
        "l1_bias": by["size"].sum(),
        "error_rate": 1000 * by["size"].sum() / by["count"].sum(),  # |c - x| p is also E|error|
        "group_bias": renters["bias"].mean(),
        "hidden_share": 100 * there["p"].mean(),
    }[measure]
    ours = pd.Series(found.values[0], index=found.area.values)
    assert len(ours) == 5
    pd.testing.assert_series_equal(
        ours.sort_index(), expected.sort_index(), check_names=False, rtol=1e-9
    )


def test_areas_add_up_to_the_whole_and_broken_axes_would_show() -> None:
    table = sdc.load_dataset(TWIN).histogram(["RAC1P", "PUMA", "SEX"])
    evaluation = sdc.evaluate(sdc.mechanism("laplace"), table)
    found = compare_areas(table, "PUMA", [evaluation])
    assert found.values[0].sum() == pytest.approx(evaluation.l1_bias)
    assert found.people.sum() == table.total
    first_axis = np.abs(evaluation.bias).reshape(len(found.area), -1).sum(axis=1)
    assert not np.allclose(first_axis, found.values[0])  # what forgetting to move the axis gives


def test_cells_of_an_area_those_with_people_first_then_worst_first() -> None:
    table = cells_of_area(toy(), "town", "n", [suppressed(), suppressed(3)])
    assert table["who"].tolist() == [
        "White, renting", "Black, renting", "White, owning", "Black, owning"
    ]
    assert table["true count"].tolist() == [4, 2, 9, 0]
    assert table.iloc[:, 2].tolist() == [-2, 0, 0, 2]
    assert table.iloc[:, 3].tolist() == [0, -1, 0, 1]


@pytest.mark.parametrize(
    ("group", "word"), [({"race": "x"}, "no value 'x'"), ({"town": "n"}, "area"),
                        ({"age": "1"}, "age")],
)
def test_a_bad_group_is_a_sentence(group: dict[str, str], word: str) -> None:
    with pytest.raises(InputError, match=word):
        compare_areas(toy(), "town", [suppressed()], "group_bias", group)


def test_an_unknown_area_and_no_method_are_sentences() -> None:
    with pytest.raises(InputError, match="county"):
        compare_areas(toy(), "county", [suppressed()])
    with pytest.raises(InputError, match="at least one method"):
        compare_areas(toy(), "town", [])


def test_who_hides_cells_says_how_often() -> None:
    counts = [0, 1, 5, 6, 30]
    assert sdc.mechanism("suppression", k=6).hidden(counts).tolist() == [1, 1, 1, 0, 0]
    kept = sdc.mechanism("suppression", k=6, keep_zeros=True)
    assert kept.hidden(counts).tolist() == [0, 1, 1, 0, 0]
    always = sdc.mechanism("dp-suppression", k=6, variant="P2").hidden(counts)
    assert always[:3].tolist() == [1, 1, 1] and 0 < always[4] < always[3] < 1
    hiding = {m.name for m in REGISTRY if issubclass(m, HidesCells)}
    assert hiding == {"suppression", "dp-suppression"}


@pytest.mark.parametrize("variant", ["P0", "P1-noisy-threshold", "P2"])
def test_hidden_is_what_the_moments_are_made_of(variant: str) -> None:
    """With variance p (1 - p) g² and bias p g for a fixed gap g, p = bias² / (variance + bias²);
    the shared threshold has a random gap, so there the law is summed instead."""
    x = np.array([1, 2, 5, 6, 9, 25])
    chosen = sdc.mechanism("dp-suppression", epsilon=0.8, k=7, variant=variant)
    found = chosen.hidden(x)
    if variant == "P1-noisy-threshold":
        noise = np.linspace(-80, 80, 800_001)
        density = 0.2 * np.exp(-0.4 * np.abs(noise))
        step = noise[1] - noise[0]
        expected = [float((density * (v < 7 + noise)).sum() * step) for v in x]
        assert found == pytest.approx(expected, abs=1e-4)
    else:
        bias, variance = chosen.bias(x), chosen.variance(x)
        assert found == pytest.approx(bias**2 / (variance + bias**2))


def test_all_31_places_are_the_three_parts_stacked() -> None:
    parts = [sdc.load_dataset(f"{name}2019-twin") for name in ("ma", "tx", "national")]
    whole = sdc.load_dataset("all2019-twin")
    assert [len(p) for p in parts] == [7634, 9276, 27253]
    assert len(whole) == 7634 + 9276 + 27253 == entry("all2019-twin").rows == entry("all2019").rows
    assert whole.origin == "twin" and "twin" in whole.title
    seen = whole.records["PUMA"].astype(str)
    assert set(seen) == set(PLACES) and len(set(seen)) == 31
    for part in parts:
        codes = part.records["PUMA"].astype(str)
        assert seen.isin(codes.unique()).sum() == len(part)
        there = seen[seen.isin(codes.unique())].value_counts()
        assert there.to_dict() == codes.value_counts().to_dict()


def test_the_real_parts_stack_too(real_data: Callable[[str], sdc.Dataset]) -> None:
    sizes = [len(real_data(name)) for name in ("ma2019", "tx2019", "national2019")]
    whole = sdc.load_dataset("all2019")
    assert sizes == [7634, 9276, 27253] and len(whole) == sum(sizes)
    assert whole.records["PUMA"].nunique() == 31 and whole.origin == "real"


def test_a_stack_without_all_its_parts_is_not_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SDC_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("sdc_core.data.catalogue.NIST_DIRECTORY", tmp_path / "none")
    (tmp_path / "ma2019.csv").write_text("PUMA,SEX\n25-00503,1\n")
    assert entry("ma2019").path() is not None
    assert entry("all2019").path() is None
    with pytest.raises(InputError, match=r"tx2019\.csv.*all2019-twin"):
        sdc.load_dataset("all2019")
    assert [e.id for e in CATALOGUE if e.parts] == ["all2019", "all2019-twin"]

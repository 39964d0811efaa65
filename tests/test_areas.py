"""Error by area: each measure by hand on a toy, by an independent groupby on a twin, and what makes
the numbers wrong is caught."""

from __future__ import annotations

import dataclasses
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
from sdc_core.mechanisms import FOR_TABLES
from sdc_core.mechanisms.base import HidesCells, repetition_rng
from sdc_core.metrics.areas import MEASURES, cells_of_area, compare_areas
from sdc_core.weights import Weights

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


def test_people_and_invented_people_by_hand() -> None:
    """k = 5 hides counts below 5 and puts 2: North 4→2, 0→2, 2→2; South 3→2, 0→2. What happens to
    those who live there, and who is put where nobody is, are two numbers."""
    for measure, off in (("people_error", [2 + 0, 1]), ("people_bias", [2 + 0, 1]),
                         ("invented", [2, 2]), ("l1_bias", [2 + 2 + 0, 1 + 2])):
        found = compare_areas(toy(), "town", [suppressed()], measure)  # type: ignore[arg-type]
        assert found.area.labels == ("North", "South")
        assert found.values[0].tolist() == off
        assert found.people.tolist() == [15, 29]
        assert found.invented[0].tolist() == [2, 2]
        assert not found.weighted and not found.errors[0].any() and not found.noise[0].any()
        kept = compare_areas(toy(), "town", [suppressed(keep_zeros=True)], measure)  # type: ignore[arg-type]
        assert kept.values[0].tolist() == ([0, 0] if measure == "invented" else [2, 1])
        assert kept.invented[0].tolist() == [0, 0]
    assert compare_areas(toy(), "town", [suppressed()]).measure == "people_error"


def test_the_error_of_a_release_is_not_the_systematic_error() -> None:
    """Noise as drawn is off by 2 in each of three groups with people, and by nothing on average."""
    noise = [sdc.evaluate(sdc.mechanism("laplace", epsilon=1, postprocess="none"), toy())]
    assert compare_areas(toy(), "town", noise).values[0] == pytest.approx([6, 6])
    assert compare_areas(toy(), "town", noise, "people_bias").values[0].tolist() == [0, 0]
    assert compare_areas(toy(), "town", noise, "invented").values[0].tolist() == [0, 0]


def test_group_bias_by_hand() -> None:
    """Black renters are one cell a town, with nobody in it in South; Black people two cells, of
    which each town has one with people; everyone four, of which three have people."""
    bias = [suppressed()]
    renters = compare_areas(toy(), "town", bias, "group_bias", {"race": "b", "home": "r"})
    assert renters.values[0].tolist() == [0, 0]
    assert renters.group == ("Black", "renting")
    assert renters.group_people.tolist() == [2, 0]
    assert renters.invented[0].tolist() == [0, 2]
    black = compare_areas(toy(), "town", bias, "group_bias", {"race": "b"})
    assert black.values[0].tolist() == [0, -1]
    assert black.invented[0].tolist() == [2, 2]
    everyone = compare_areas(toy(), "town", bias, "group_bias")
    assert everyone.values[0] == pytest.approx([(0 - 2 + 0) / 3, (0 + 0 - 1) / 3])


def test_error_per_thousand_by_hand() -> None:
    found = compare_areas(toy(), "town", [suppressed()], "error_rate")
    assert found.values[0] == pytest.approx([1000 * 2 / 15, 1000 * 1 / 29])


def test_simulated_numbers_have_errors_and_what_chance_adds() -> None:
    """Standard errors by leaving tenths out by hand; and by how much noise alone makes a sum of
    absolute averages too large: √(2/π) of each cell's error."""
    method = sdc.mechanism("laplace", epsilon=1, postprocess="none")
    found = sdc.evaluate(method, toy(), 200, 3, simulate=True)
    drawn = np.stack([repetition_rng(3, r).laplace(0.0, 2.0, 8) for r in range(200)])
    town = np.array([0, 0, 1, 1, 0, 0, 1, 1])
    there = toy().counts > 0

    def error_of(numbers: np.ndarray) -> float:
        return float(numbers.reshape(20, 10).mean(axis=1).std(ddof=1) / np.sqrt(20))

    off = compare_areas(toy(), "town", [found])
    invented = compare_areas(toy(), "town", [found], "invented")
    systematic = compare_areas(toy(), "town", [found], "people_bias")
    everything = compare_areas(toy(), "town", [found], "l1_bias")
    for place in (0, 1):
        own, nobody = (town == place) & there, (town == place) & ~there
        one = np.abs(drawn[:, own]).sum(axis=1)
        assert off.values[0][place] == pytest.approx(one.mean())
        assert off.errors[0][place] == pytest.approx(error_of(one))
        assert off.noise[0][place] == invented.noise[0][place] == 0
        assert invented.errors[0][place] == pytest.approx(error_of(drawn[:, nobody].sum(axis=1)))
        each = np.array([error_of(drawn[:, i]) for i in range(8)])
        for said, cells in ((systematic, own), (everything, town == place)):
            assert said.noise[0][place] == pytest.approx(np.sqrt(2 / np.pi) * each[cells].sum())
    pair = compare_areas(toy(), "town", [suppressed(), found], "people_bias")
    expected = 3 * pair.errors[1] + np.where(pair.excess > 0, pair.noise[1], 0)
    assert pair.chance(3) == pytest.approx(expected)


def test_hidden_share_by_hand() -> None:
    """Of North's three groups with people (9, 4, 2) two are hidden, of South's (20, 6, 3) one."""
    found = compare_areas(toy(), "town", [suppressed()], "hidden_share")
    assert found.values[0] == pytest.approx([100 * 2 / 3, 100 / 3])
    assert found.hides == (True,)
    noise = compare_areas(
        toy(), "town", [sdc.evaluate(sdc.mechanism("laplace"), toy())], "hidden_share"
    )
    assert noise.values[0].tolist() == [0, 0] and noise.hides == (False,)


def weighted_toy() -> Histogram:
    """Records of the toy stand for 10, 20, ... people, cell by cell; an empty one would for 55."""
    each = 10.0 * np.arange(1, 9)
    return dataclasses.replace(toy(), weights=Weights(toy().counts * each, 55.0, 80.0, "w"))


def test_weights_by_hand() -> None:
    """Every cell's error is multiplied by the people that a record of that cell stands for."""
    table = weighted_toy()
    hidden = sdc.evaluate(suppressed().mechanism, table)
    found = compare_areas(table, "town", [hidden])
    assert found.values[0].tolist() == [2 * 20, 1 * 70]
    assert found.invented[0].tolist() == [2 * 55, 2 * 55]
    assert found.people.tolist() == [9 * 10 + 4 * 20 + 2 * 60, 20 * 30 + 6 * 40 + 3 * 70]
    assert found.weighted
    rate = compare_areas(table, "town", [hidden], "error_rate")
    assert rate.values[0] == pytest.approx([1000 * 40 / 290, 1000 * 70 / 1050])
    share = compare_areas(table, "town", [hidden], "hidden_share")
    assert share.values[0] == pytest.approx([100 * 2 / 3, 100 / 3]) and not share.weighted
    assert share.people.tolist() == [15, 29]  # persons, since nothing here is about more
    cells = cells_of_area(table, "town", "n", [hidden]).set_index("true count")
    assert cells["people represented"].to_dict() == {9: 90.0, 4: 80.0, 2: 120.0, 0: 0.0}
    assert cells["% of the place"][9] == pytest.approx(100 * 90 / 290)
    assert cells.iloc[:, -1].to_dict() == {9: 0.0, 4: -40.0, 2: 0.0, 0: 110.0}


def test_two_methods_difference_excess_and_order() -> None:
    second = suppressed(3)  # 0→1, 2→1: North 0+0+1+1 = 2, South 0+1 = 1
    found = compare_areas(toy(), "town", [suppressed(), second], "l1_bias")
    assert found.difference.tolist() == [2 - 4, 1 - 3]
    assert found.largest == 4
    assert found.worst_first().tolist() == [0, 1]
    signed = compare_areas(toy(), "town", [suppressed(), second], "group_bias", {"race": "b"})
    # Black people, k=5: North 2→2, South 3→2; k=3: North 2→1, South 3
    assert signed.values[0].tolist() == [0, -1] and signed.values[1].tolist() == [-1, 0]
    assert signed.difference.tolist() == [-1, 1]
    assert signed.excess.tolist() == [1, -1]  # worse in one, whichever the sign


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
    levels = [data.coded(f)[1].values for f in FIVE_FEATURES]  # all that are declared
    assert [len(level) for level in levels] == [5, 9, 2, 3, 2]
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
    there = cells[cells["count"] > 0]
    renters = there[(there["RAC1P"] == "2") & (there["OWN_RENT"] == "2")].groupby("PUMA")
    off = there.groupby("PUMA")["size"].sum()  # |c - x| p is also E|error|
    expected = {
        "people_error": off, "people_bias": off,
        "error_rate": 1000 * off / by["count"].sum(),
        "invented": cells[cells["count"] == 0].groupby("PUMA")["bias"].sum(),
        "group_bias": renters["bias"].mean(),
        "hidden_share": 100 * there.groupby("PUMA")["p"].mean(),
        "l1_bias": by["size"].sum(),
    }[measure]
    ours = pd.Series(found.values[0], index=found.area.values)
    assert len(ours) == 5
    pd.testing.assert_series_equal(
        ours.sort_index(), expected.sort_index(), check_names=False, rtol=1e-9
    )


def test_areas_add_up_to_the_whole_and_broken_axes_would_show() -> None:
    table = sdc.load_dataset(TWIN).histogram(["RAC1P", "PUMA", "SEX"])
    evaluation = sdc.evaluate(sdc.mechanism("laplace"), table)
    for measure in ("people_error", "people_bias", "invented", "l1_bias"):
        found = compare_areas(table, "PUMA", [evaluation], measure)  # type: ignore[arg-type]
        assert found.values[0].sum() == pytest.approx(getattr(evaluation, measure))
        assert found.invented[0].sum() == pytest.approx(evaluation.invented)
    assert found.people.sum() == table.total
    first_axis = np.abs(evaluation.bias).reshape(len(found.area), -1).sum(axis=1)
    assert not np.allclose(first_axis, found.values[0])  # what forgetting to move the axis gives


def test_cells_of_an_area_those_with_people_first_then_worst_first() -> None:
    table = cells_of_area(toy(), "town", "n", [suppressed(), suppressed(3)])
    assert table["who"].tolist() == [
        "White, renting", "Black, renting", "White, owning", "Black, owning"
    ]
    assert table["true count"].tolist() == [4, 2, 9, 0]
    assert table["% of the place"].tolist() == pytest.approx([400 / 15, 200 / 15, 60, 0])
    assert table.iloc[:, 3].tolist() == [-2, 0, 0, 2]
    assert table.iloc[:, 4].tolist() == [0, -1, 0, 1]
    assert not [c for c in table if c.startswith("±")]
    noise = sdc.evaluate(sdc.mechanism("laplace"), toy(), 40, simulate=True)
    drawn = cells_of_area(toy(), "town", "n", [suppressed(), noise])
    assert list(drawn.columns[-2:]) == ["2. Laplace ε=1", "± 2"] and (drawn["± 2"] > 0).all()


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
    hiding = {m.name for m in FOR_TABLES if issubclass(m, HidesCells)}
    assert hiding == {"suppression", "dp-suppression", "protected-suppression"}


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

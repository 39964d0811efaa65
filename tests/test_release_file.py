"""A release that leaves: the file holds what was released, marks what was hidden, says where it
comes from, runs nothing, and reads back to the same counts.

Files are read here with the csv module, pandas and pycanon, not only with what wrote them.
"""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import math
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycanon import anonymity

import sdc_core as sdc
from sdc_core.cli import main
from sdc_core.data.export import guarded, unguarded
from sdc_core.mechanisms import FOR_TABLES
from sdc_core.mechanisms.base import Generalises, HidesCells, Mechanism
from sdc_core.release import ReleasedCounts, ReleasedGroups, release_file, zipped

ROOT = Path(__file__).resolve().parents[1]
FIVE = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]


def small_table(seed: int = 1) -> sdc.Histogram:
    """Counts by the features that mechanisms name by default, many of them small."""
    sizes = {"PUMA": 2, "RAC1P": 3, "SEX": 2, "OWN_RENT": 2, "INCOME_50K": 2}
    domain = sdc.Domain(tuple(
        sdc.Feature(name, name.title(), tuple(f"{i:02d}" for i in range(n)),
                    tuple(f"{name} no. {i}" for i in range(n)))
        for name, n in sizes.items()
    ))
    rng = np.random.default_rng(seed)
    return sdc.Histogram(rng.poisson(rng.choice([0, 2, 5, 40], domain.size)), domain)


# Every mechanism as it is by default, and the settings under which a release looks different.
SETTINGS: list[tuple[str, dict[str, Any]]] = [
    *((cls.name, {}) for cls in FOR_TABLES),
    ("laplace", {"postprocess": "none"}), ("geometric", {"postprocess": "none"}),
    ("discrete-gaussian", {"postprocess": "none"}),
    *(
        (name, {"imputation": imputation, "keep_zeros": keep, **variant})
        for name, variants in (
            ("suppression", [{}]),
            ("dp-suppression", [{"variant": v} for v in ("P0", "P1-noisy-threshold", "P2")]),
        )
        for variant in variants for imputation in ("floor", "half") for keep in (False, True)
    ),
    ("k-anonymity", {"k": 4, "quasi_identifiers": tuple(FIVE)}),
    ("k-anonymity", {"k": 9, "quasi_identifiers": tuple(FIVE), "cuts": "relaxed"}),
    ("k-anonymity", {"k": 9, "algorithm": "full-domain", "quasi_identifiers": tuple(FIVE)}),
    ("dp-k-anonymity", {"k": 7, "quasi_identifiers": ("PUMA", "OWN_RENT")}),
]
every_release = pytest.mark.parametrize(
    ("name", "chosen"), SETTINGS,
    ids=[f"{name}-{'-'.join(map(str, chosen.values()))}" for name, chosen in SETTINGS],
)


def cells_of(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file as anybody reads them."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def by_cell(table: sdc.Histogram, values: Any) -> dict[tuple[str, ...], Any]:
    """A number for each combination of codes."""
    keys = itertools.product(*(f.values for f in table.domain.features))
    return dict(zip(keys, np.asarray(values).tolist(), strict=True))


# ---- every mechanism: what is in the file is what was released ----------------------------------


@every_release
def test_a_table_holds_the_released_counts_and_reads_back(
    name: str, chosen: dict[str, Any], tmp_path: Path
) -> None:
    method, table = sdc.mechanism(name, **chosen), small_table()
    release = method.release(table, seed=3)
    merges = isinstance(method, Generalises)
    path = tmp_path / "out.csv"
    sdc.write_release(release, path, reconstructed=merges)
    expected = by_cell(table, release.counts)
    found = {}
    for row in cells_of(path):
        text = row["stand_in_for_hidden"] if row.get("status") == "hidden" else row["count"]
        found[tuple(row[f] for f in FIVE)] = float(text)
    assert found == expected and len(cells_of(path)) == table.domain.size
    for ending, labels in itertools.product(("csv", "parquet"), (False, True)):
        path = tmp_path / f"back-{labels}.{ending}"
        sdc.write_release(release, path, labels=labels, reconstructed=merges)
        back = sdc.read_release(path)
        assert isinstance(back, ReleasedCounts)
        assert back.domain == table.domain
        filled = np.where(back.hidden, back.stand_ins, back.counts)
        np.testing.assert_array_equal(filled, release.counts)
        assert np.isnan(back.stand_ins[~back.hidden]).all()
        assert np.isnan(back.counts[back.hidden]).all()


@every_release
def test_records_are_as_many_as_the_counts_say_or_refused_in_a_sentence(
    name: str, chosen: dict[str, Any], tmp_path: Path
) -> None:
    method, table = sdc.mechanism(name, **chosen), small_table()
    release = method.release(table, seed=3)
    merges = isinstance(method, Generalises)
    path = tmp_path / "out.csv"
    whole = bool((release.counts == np.floor(release.counts)).all() and release.counts.min() >= 0)
    if not whole or (isinstance(method, HidesCells) and release.hidden.any()):
        with pytest.raises(sdc.InputError) as refused:
            sdc.write_release(release, path, form="records")
        assert str(refused.value).count("table") == 1 and "\n" not in str(refused.value)
        assert list(tmp_path.iterdir()) == []
        return
    written = sdc.write_release(release, path, form="records", reconstructed=merges)
    people = Counter(tuple(row.values()) for row in cells_of(path))
    expected = {cell: n for cell, n in by_cell(table, release.counts).items() if n}
    assert people == expected
    assert written.provenance["file"]["rows"] == release.counts.sum()
    for ending, labels in itertools.product(("csv", "parquet"), (False, True)):
        path = tmp_path / f"back-{labels}.{ending}"
        sdc.write_release(release, path, "records", labels, reconstructed=merges)
        back = sdc.read_release(path)
        assert isinstance(back, ReleasedCounts)
        np.testing.assert_array_equal(back.histogram.counts, release.counts)
        assert back.domain == table.domain


@every_release
def test_the_same_seed_gives_the_same_bytes(
    name: str, chosen: dict[str, Any], tmp_path: Path
) -> None:
    method, table = sdc.mechanism(name, **chosen), small_table()
    for ending in ("csv", "parquet"):
        seen = []
        for folder in ("a", "b"):
            (tmp_path / folder).mkdir(exist_ok=True)
            path = tmp_path / folder / f"out.{ending}"
            sdc.write_release(method.release(table, seed=11), path)
            seen.append([p.read_bytes() for p in (path, Path(f"{path}.provenance.json"))])
        assert seen[0] == seen[1]


def test_another_seed_gives_another_file(tmp_path: Path) -> None:
    for seed in (1, 2):
        sdc.write_release(sdc.mechanism("laplace").release(small_table(), seed),
                          tmp_path / f"{seed}.csv")
    assert (tmp_path / "1.csv").read_bytes() != (tmp_path / "2.csv").read_bytes()


# ---- what is hidden -----------------------------------------------------------------------------


def drawn_by_hand(chosen: dict[str, Any], counts: np.ndarray, seed: int) -> np.ndarray:
    """Which counts DP suppression hides, from the papers' rules and the seed's random stream."""
    stream = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))
    k, scale = chosen["k"], 2 / chosen["epsilon"]
    if chosen["variant"] == "P1-noisy-threshold":
        hidden = counts < k + stream.laplace(0, scale)
    else:
        hidden = counts + stream.laplace(0, scale, len(counts)) < k
        if chosen["variant"] == "P2":
            hidden |= counts < k
    return hidden & (counts > 0) if chosen["keep_zeros"] else hidden


@pytest.mark.parametrize("keep_zeros", [False, True])
@pytest.mark.parametrize("variant", ["P0", "P1-noisy-threshold", "P2"])
@pytest.mark.parametrize("seed", [0, 5, 9])
def test_the_file_marks_what_that_release_hid_and_nothing_else(
    variant: str, keep_zeros: bool, seed: int, tmp_path: Path
) -> None:
    chosen = {"epsilon": 0.7, "k": 5, "variant": variant, "keep_zeros": keep_zeros}
    table = small_table()
    release = sdc.mechanism("dp-suppression", **chosen).release(table, seed)
    hidden = by_cell(table, drawn_by_hand(chosen, table.counts, seed))
    truth = by_cell(table, table.counts)
    assert 0 < sum(hidden.values()) < len(hidden)
    sdc.write_release(release, tmp_path / "out.csv")
    for row in cells_of(tmp_path / "out.csv"):
        cell = tuple(row[f] for f in FIVE)
        if hidden[cell]:
            assert (row["count"], row["status"]) == ("", "hidden") and row["stand_in_for_hidden"]
        else:
            shown = (row["count"], row["status"], row["stand_in_for_hidden"])
            assert shown == (str(truth[cell]), "published", "")
    sdc.write_release(release, tmp_path / "out.parquet")
    again = pyarrow.parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert {tuple(r[f] for f in FIVE): r["count"] is None for r in again} == hidden
    assert all((r["status"] == "hidden") == (r["count"] is None) for r in again)
    assert all((r["stand_in_for_hidden"] is None) == (r["count"] is not None) for r in again)


@pytest.mark.parametrize("keep_zeros", [False, True])
def test_suppression_marks_every_count_below_k(keep_zeros: bool, tmp_path: Path) -> None:
    """A 3 that is a count and a 3 that stands in for one are told apart; with k = 4 the stand-in is
    2, and where 2 is a stand-in no 2 is ever a count."""
    table = sdc.Histogram.from_counts([0, 1, 2, 3, 4, 5, 2])
    release = sdc.mechanism("suppression", k=4, keep_zeros=keep_zeros).release(table, 1)
    written = sdc.write_release(release, tmp_path / "out.csv")
    rows = cells_of(tmp_path / "out.csv")
    first = ("0", "published") if keep_zeros else ("", "hidden")
    small = [("", "hidden")] * 3
    assert [(r["count"], r["status"]) for r in rows] == [
        first, *small, ("4", "published"), ("5", "published"), ("", "hidden")]
    number = 4 + (not keep_zeros)
    assert written.provenance["hidden"] == {"cells": number, "of": 7}
    assert f"{number} counts are hidden and marked so" in written.provenance["says"]
    assert written.provenance["people"] is None  # nobody can add up what is hidden


def test_what_hides_says_which_counts_a_release_hid() -> None:
    """Over the registry: elsewhere the release is the truth, there it is the stand-in, and only
    methods that hide are said to."""
    table = small_table()
    for cls in FOR_TABLES:
        release = cls().release(table, 4)
        assert release.hidden.any() == issubclass(cls, HidesCells)
        if issubclass(cls, HidesCells):
            np.testing.assert_array_equal(
                release.counts[~release.hidden], table.counts[~release.hidden])
            alike = len(set(release.counts[release.hidden].tolist())) == 1
            assert alike is hasattr(release.mechanism, "imputed"), "one stand-in, or one for each"


def two_cells(method: Mechanism, counts: tuple[int, int]) -> Iterator[tuple[Any, float]]:
    """All outcomes of DP suppression with marks on two counts, with their chances. Of the noisy
    threshold T, chances are those of the intervals between whole numbers."""
    chosen = method.settings()
    scale = 2 / chosen["epsilon"]

    def below(u: float) -> float:  # Pr(Lap < u)
        return 0.5 * math.exp(u / scale) if u < 0 else 1 - 0.5 * math.exp(-u / scale)

    def exempt(x: int) -> bool:
        return bool(chosen["keep_zeros"]) and x == 0

    if chosen["variant"] == "P1-noisy-threshold":
        for low in range(-200, 200):
            chance = below(low + 1 - chosen["k"]) - below(low - chosen["k"])
            hidden = [x <= low and not exempt(x) for x in counts]
            shown = tuple("hidden" if h else x for h, x in zip(hidden, counts, strict=True))
            yield (shown, math.floor(low / 2) if any(hidden) else None), chance
        return
    each = []
    for x in counts:
        p = 1.0 if chosen["variant"] == "P2" and x < chosen["k"] else below(chosen["k"] - x)
        each.append([(x, 1.0)] if exempt(x) else [("hidden", p), (x, 1 - p)])
    for (one, p), (other, q) in itertools.product(*each):
        yield (one, other), p * q


def delta_by_hand(method: Mechanism, cap: int, epsilon: float) -> float:
    """The hockey-stick divergence at ε, the worst over all moves of one person between two counts
    of at most the cap, outcome by outcome."""
    laws = {}
    for counts in itertools.product(range(cap + 1), repeat=2):
        law: Counter[Any] = Counter()
        for outcome, chance in two_cells(method, counts):
            law[outcome] += chance  # type: ignore[assignment]
        laws[counts] = law
    worst = 0.0
    for a, b in laws:
        for after in ((a - 1, b + 1), (a + 1, b - 1)):
            if after in laws:
                one, other = laws[a, b], laws[after]
                worst = max(worst, sum(
                    max(0.0, p - math.exp(epsilon) * other[o]) for o, p in one.items()))
    return worst


@pytest.mark.parametrize("cap", [1, 2, 3, 5, 7])
@pytest.mark.parametrize("keep_zeros", [False, True])
@pytest.mark.parametrize("variant", ["P0", "P1-noisy-threshold", "P2"])
@pytest.mark.parametrize("k", [1, 2, 4, 6])
def test_delta_with_marks_by_enumeration(
    variant: str, keep_zeros: bool, cap: int, k: int, tmp_path: Path
) -> None:
    """Saying which counts are hidden says more than the counts: the δ in the provenance is that of
    what is in the file, and never below that of the counts alone."""
    method = sdc.mechanism("dp-suppression", epsilon=1.3, k=k, variant=variant,
                           keep_zeros=keep_zeros)
    table = sdc.Histogram.from_counts([cap, 0, 1, 0])
    written = sdc.write_release(method.release(table, 1), tmp_path / "out.csv")
    found = written.provenance["guarantee"]["delta_tight"]
    assert found == pytest.approx(delta_by_hand(method, cap, 1.3), abs=1e-9)
    assert found >= method.guarantee(table).delta_tight - 1e-12


def test_marks_matter_where_a_stand_in_looks_like_a_count(tmp_path: Path) -> None:
    """k = 6 fills in 3. If 3 is the largest count, a 3 is a count or hidden, nobody can tell;
    marked, it is one of them. With p(x) = 1 - e^((x - 6)/2)/2: δ = 1 - p(2)², and 1 - p(2) p(3)."""
    method = sdc.mechanism("dp-suppression", epsilon=1.0, k=6)
    table = sdc.Histogram.from_counts([3, 2, 0])
    written = sdc.write_release(method.release(table, 1), tmp_path / "out.csv")
    marked = written.provenance["guarantee"]
    p = {x: 1 - math.exp((x - 6) / 2) / 2 for x in (2, 3)}
    assert method.guarantee(table).delta_tight == pytest.approx(1 - p[2] ** 2)
    assert marked["delta_tight"] == pytest.approx(1 - p[2] * p[3])
    assert "marks what is hidden" in marked["remark"]


# ---- why records may be refused -----------------------------------------------------------------


@pytest.mark.parametrize(("name", "chosen", "words"), [
    ("laplace", {"postprocess": "none"}, ["not whole people", "postprocess", "table"]),
    ("geometric", {"postprocess": "none"}, ["not whole people", "postprocess", "table"]),
    ("suppression", {}, ["hides", "list of people", "table"]),
    ("dp-suppression", {"variant": "P1-noisy-threshold"}, ["hides", "table"]),
])
def test_what_is_no_list_of_people_says_so_with_a_remedy(
    name: str, chosen: dict[str, Any], words: list[str], tmp_path: Path
) -> None:
    release = sdc.mechanism(name, **chosen).release(small_table(), 3)
    with pytest.raises(sdc.InputError) as refused:
        sdc.write_release(release, tmp_path / "out.csv", form="records")
    assert all(word in str(refused.value) for word in words)
    sdc.write_release(release, tmp_path / "out.csv")  # the remedy: as a table it goes


def test_the_remedy_postprocess_makes_records(tmp_path: Path) -> None:
    release = sdc.mechanism("laplace", postprocess="round").release(small_table(), 3)
    sdc.write_release(release, tmp_path / "out.csv", form="records")
    assert len(cells_of(tmp_path / "out.csv")) == release.counts.sum()


# ---- groups of values ---------------------------------------------------------------------------

OWN = "RAC1P: 1 | Indigenous = 3, 4, 5, 7 | Other = 2, 6, 8, 9 > 1 | Not White = Indigenous, Other"
MERGING: list[tuple[str, dict[str, Any]]] = [
    ("k-anonymity", {}), ("k-anonymity", {"cuts": "relaxed"}),
    ("k-anonymity", {"hierarchies": OWN}), ("k-anonymity", {"algorithm": "full-domain"}),
    ("k-anonymity", {"algorithm": "full-domain", "hierarchies": OWN, "suppression_limit": 0.01}),
    ("dp-k-anonymity", {}), ("dp-k-anonymity", {"hierarchies": OWN}),
]


@pytest.mark.parametrize("labels", [False, True])
@pytest.mark.parametrize(("name", "chosen"), MERGING)
@pytest.mark.parametrize(("k", "quasi"), [
    (5, ["PUMA", "RAC1P", "SEX", "AGEP"]), (3, ["RAC1P", "SEX", "AGEP"]), (40, ["RAC1P", "SEX"]),
])
def test_records_of_k_anonymity_are_k_anonymous_in_the_file_itself(
    name: str, chosen: dict[str, Any], k: int, quasi: list[str], labels: bool, tmp_path: Path
) -> None:
    data = sdc.load_dataset("ma2019-twin")
    table = data.histogram(["PUMA", "RAC1P", "SEX", "AGEP", "OWN_RENT"])
    method = sdc.mechanism(name, k=k, quasi_identifiers=tuple(quasi), **chosen)
    path = tmp_path / "out.csv"
    release = method.release(table, 7)
    written = sdc.write_release(release, path, "records", labels, dataset=data)
    records = pd.read_csv(path, dtype=str, keep_default_na=False)
    columns = [f.title if labels else f.name for f in table.domain.features if f.name in quasi]
    counted = Counter(records[columns].itertuples(index=False, name=None))
    assert anonymity.k_anonymity(records, columns) == min(counted.values()) >= k
    assert written.provenance["merged"]["smallest_group"] == min(counted.values())
    assert f"with k = {k}" in written.provenance["says"]
    assert len(records) == release.counts.sum() == written.provenance["people"]


def test_pycanon_sees_that_drawn_records_are_not(tmp_path: Path) -> None:
    """The check has teeth: values drawn back from the groups fail it, the file says so, and how
    many groups are too small is what a count of the file gives."""
    data = sdc.load_dataset("ma2019-twin")
    method = sdc.mechanism("k-anonymity", k=5, quasi_identifiers=tuple(FIVE))
    path = tmp_path / "out.csv"
    written = sdc.write_release(
        method.release(data.histogram(FIVE), 7), path, "records", reconstructed=True, dataset=data)
    records = pd.read_csv(path, dtype=str, keep_default_na=False)
    sizes = records.groupby(FIVE).size()
    below, alone = int((sizes < 5).sum()), int((sizes == 1).sum())
    assert anonymity.k_anonymity(records, FIVE) < 5 and below > 20 and alone > 1
    assert written.provenance["reconstructed"] == {
        "k_anonymous": False, "k": 5, "groups_below_k": below, "people_alone": alone}
    said = written.provenance["says"]
    assert f"not k-anonymous: {below} combinations are shared by fewer than 5 people" in said
    assert f"{alone} people are alone" in said
    groups = sdc.write_release(
        method.release(data.histogram(FIVE), 7), path, "records", dataset=data).provenance
    assert groups["merged"]["k_anonymous"] is True and "reconstructed" not in groups


@pytest.mark.parametrize("chosen", [
    {}, {"algorithm": "full-domain"}, {"hierarchies": "SEX: Any = 00, 01"},
])
@pytest.mark.parametrize("quasi", [tuple(FIVE), ("RAC1P", "SEX")])
def test_each_group_holds_the_people_whose_values_it_lists(
    chosen: dict[str, Any], quasi: tuple[str, ...], tmp_path: Path
) -> None:
    """By brute force over the cells: strict classes have no value in common, so the people of a
    group are all who have one of the values that its provenance lists, feature by feature."""
    table = small_table()
    truth = by_cell(table, table.counts)
    method = sdc.mechanism("k-anonymity", k=6, quasi_identifiers=quasi, **chosen)
    written = sdc.write_release(method.release(table, 1), tmp_path / "out.csv")
    about = [c for c in written.provenance["columns"] if c["holds"] == "feature"]
    members = [{g["code"]: g["members"] for g in c["groups"]} for c in about]
    seen: Counter[tuple[str, ...]] = Counter()
    for row in cells_of(tmp_path / "out.csv"):
        cells = list(itertools.product(*(m[row[f]] for m, f in zip(members, FIVE, strict=True))))
        seen.update(cells)
        assert int(row["count"]) == sum(truth[cell] for cell in cells) > 0
    assert set(seen.values()) == {1}
    lost = sum(n for cell, n in truth.items() if cell not in seen)
    assert lost == written.provenance["merged"]["left_out"]


def test_groups_read_back_and_name_what_they_stand_for(tmp_path: Path) -> None:
    table = small_table()
    for name, chosen in (("k-anonymity", {"cuts": "relaxed"}), ("dp-k-anonymity", {})):
        method = sdc.mechanism(name, k=7, quasi_identifiers=("PUMA", "RAC1P", "SEX"), **chosen)
        assert isinstance(method, Generalises)
        release = method.release(table, 2)
        described = method.generalised_table(table, 2)
        words = ["Puma", "Rac1P", "Sex"]
        expected = described.groupby(words)["count"].sum().to_dict()
        for form, labels, ending in itertools.product(
            ("table", "records"), (False, True), ("csv", "parquet")
        ):
            path = tmp_path / f"{form}-{labels}.{ending}"
            sdc.write_release(release, path, form, labels)  # type: ignore[arg-type]
            back = sdc.read_release(path)
            assert isinstance(back, ReleasedGroups) and back.domain == table.domain
            people: Counter[tuple[str, ...]] = Counter()
            for place, size in zip(back.groups.places, back.groups.sizes, strict=True):
                words_of = (back.groups.features[j].labels[place[j]] for j in range(3))
                people[tuple(words_of)] += int(size)
            assert people == expected
            assert back.frame["count"].sum() == described["count"].sum()


def test_a_file_of_groups_tells_nothing_but_the_groups(tmp_path: Path) -> None:
    """Tables that differ within one class give the same file, down to the order of its rows."""
    domain = sdc.Domain((
        sdc.Feature("town", "Town", ("a", "b", "c"), ("A", "B", "C")),
        sdc.Feature("sex", "Sex", ("f", "m"), ("female", "male")),
    ))
    method = sdc.mechanism("k-anonymity", k=12, quasi_identifiers=("town", "sex"))
    files = []
    for number, counts in enumerate(([1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1])):
        table = sdc.Histogram(np.array(counts), domain)
        path = tmp_path / f"{number}.csv"
        sdc.write_release(method.release(table, number), path, "records")
        files.append(path.read_bytes())
    assert files[0] == files[1] and files[0].count(b"\r\n") == 22
    order = [row["town"] for row in cells_of(path)]
    assert order == sorted(order)


def test_nobody_is_published_where_no_group_is_large_enough(tmp_path: Path) -> None:
    table = sdc.Histogram.from_counts([3, 3])
    method = sdc.mechanism("dp-k-anonymity", epsilon=0.01, k=6, quasi_identifiers=("cell",))
    for ending in ("csv", "parquet"):
        path = tmp_path / f"out.{ending}"
        written = sdc.write_release(method.release(table, 1), path, "records")
        assert "nobody is published" in written.provenance["says"]
        back = sdc.read_release(path)
        assert isinstance(back, ReleasedGroups) and back.groups.sizes.tolist() == []


def test_only_merged_groups_can_be_drawn_back(tmp_path: Path) -> None:
    release = sdc.mechanism("laplace").release(small_table(), 1)
    with pytest.raises(sdc.InputError, match="nothing to reconstruct"):
        sdc.write_release(release, tmp_path / "out.csv", reconstructed=True)


# ---- values stay what they are, and nothing runs ------------------------------------------------

FORMULAS = ["=cmd|' /C calc'!A0", "+1", "@x", "\tx", "\r=1", "-1+1", "'=x", "''=x", "＝1"]
HARMLESS = ["-5", "-0.5", "-1e3", "007", "7", "", "NA", "null", "x", "'x", "'", ' "', "a,b", "a\nb",
            "a\r\nb", "Ünïcødé 日本", " =1", "1,000"]
_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def is_inert(text: str) -> bool:
    """Would a spreadsheet run it? A number it shows."""
    return not text.startswith(_STARTS) or text.removeprefix("-").replace(".", "").isdigit() or (
        text == "-1e3")


def coded(values: list[str], header: str = "code") -> sdc.Histogram:
    feature = sdc.Feature(header, header, tuple(values), tuple(values))
    return sdc.Histogram(
        np.arange(len(values)), sdc.Domain((feature, sdc.Feature("n", "n", ("1",), ("one",)))))


@pytest.mark.parametrize("form", ["table", "records"])
@pytest.mark.parametrize("header", ["code", "=1+1", "@code"])
def test_formulas_are_inert_and_values_come_back(form: Any, header: str, tmp_path: Path) -> None:
    values = [*FORMULAS, *HARMLESS]
    table = coded(values, header)
    release = sdc.mechanism("k-anonymity", k=1, quasi_identifiers=(header,)).release(table, 1)
    for labels in (False, True):
        path = tmp_path / f"{labels}.csv"
        sdc.write_release(release, path, form, labels, reconstructed=True)
        text = path.read_bytes().decode("utf-8-sig")
        read = list(csv.reader(io.StringIO(text, newline="")))
        assert all(is_inert(cell) for row in read for cell in row)
        written = [row[0] for row in read[1:]]
        kept = HARMLESS if form == "table" else [v for v in HARMLESS if v]
        assert set(kept) <= set(written)  # -5 and 007 stand there as they are
        back = sdc.read_release(path)
        assert isinstance(back, ReleasedCounts) and back.domain == table.domain
        np.testing.assert_array_equal(back.counts, table.counts)
        path = tmp_path / f"{labels}.parquet"
        sdc.write_release(release, path, form, labels, reconstructed=True)
        column = pyarrow.parquet.read_table(path).column(header).to_pylist()
        assert set(column) == {v for i, v in enumerate(values) if i or form == "table"}


@given(st.lists(st.text(max_size=8), min_size=1, max_size=12, unique=True), st.booleans())
@settings(max_examples=60)
def test_any_text_survives(values: list[str], one_column: bool) -> None:
    """Codes of any characters, also where a file has one column only."""
    feature = sdc.Feature("f", "f", tuple(values), tuple(values))
    features = (feature,) if one_column else (feature, sdc.Feature("g", "g", ("1",), ("1",)))
    table = sdc.Histogram(1 + np.arange(len(values)), sdc.Domain(features))
    release = sdc.mechanism("geometric").release(table, 1)
    for form, ending in itertools.product(("table", "records"), ("csv", "parquet")):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{form}.{ending}"
            sdc.write_release(release, path, form)  # type: ignore[arg-type]
            back = sdc.read_release(path)
        assert isinstance(back, ReleasedCounts) and back.domain == table.domain
        np.testing.assert_array_equal(back.counts, release.counts)


@given(st.text(alphabet="'=+-@\t5.ex", max_size=6))
def test_a_guard_can_always_be_taken_away(text: str) -> None:
    safe = guarded(text)
    assert unguarded(safe) == text
    assert not safe.startswith(("=", "+", "@", "\t"))
    if safe.startswith("-"):
        assert math.isfinite(float(safe))


def test_own_columns_keep_their_names(tmp_path: Path) -> None:
    """Data may have a column called count or status: those of the file get out of the way."""
    domain = sdc.Domain(tuple(
        sdc.Feature(name, "Same title", ("1", "2"), ("one", "one")) for name in ("count", "status")
    ))
    table = sdc.Histogram(np.array([1, 9, 8, 2]), domain)
    release = sdc.mechanism("suppression", k=5).release(table, 1)
    for labels in (False, True):
        sdc.write_release(release, tmp_path / "out.csv", labels=labels)
        back = sdc.read_release(tmp_path / "out.csv")
        assert isinstance(back, ReleasedCounts) and back.domain == domain
        assert back.hidden.tolist() == [True, False, False, True]
        assert back.counts[1:3].tolist() == [9, 8]
    sdc.write_release(release, tmp_path / "out.csv")
    header = (tmp_path / "out.csv").read_text("utf-8-sig").split("\n")[0].strip()
    assert header == "count,status,count (2),status (2),stand_in_for_hidden"


# ---- provenance ---------------------------------------------------------------------------------


def test_the_provenance_says_all_that_is_needed(tmp_path: Path) -> None:
    data = sdc.load_dataset("ma2019-twin")
    table = data.histogram(["SEX", "OWN_RENT"], "observed")
    method = sdc.mechanism("discrete-gaussian", epsilon=0.5)
    path = tmp_path / "out.csv"
    sdc.write_release(method.release(table, 23), path, dataset=data)
    found = json.loads(Path(f"{path}.provenance.json").read_text(encoding="utf-8"))
    assert found["file"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found["file"]["bytes"] == path.stat().st_size and found["file"]["rows"] == 6
    assert found["method"]["settings"] == method.settings()
    assert sdc.mechanism(found["method"]["name"], **found["method"]["settings"]) == method
    assert "not for production release" in found["for"]
    assert found["private"]["seed"] == 23 and found["private"]["data_sha256"] == data.digest
    assert "yourself" in found["private"]["why"] and "seed" in found["private"]["why"]
    promised = method.guarantee(table)
    assert found["guarantee"]["delta_tight"] == promised.delta_tight
    assert found["guarantee"]["epsilon"] == 0.5
    assert found["published_exactly"] == list(promised.invariants) != []
    assert "a factor of 1.65" in found["guarantee"]["in_words"]
    assert (found["data"]["title"], found["data"]["origin"]) == (data.title, "twin")
    assert "synthetic" in found["says"] and "6 counts" in found["says"]
    assert found["versions"]["sdc_core"] == sdc.__version__
    assert [c["header"] for c in found["columns"]] == ["SEX", "OWN_RENT", "count"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("labels", [False, True])
def test_records_open_as_data_with_the_schema_of_the_file(
    labels: bool, ending: str, tmp_path: Path
) -> None:
    """By the way any file is read, over all values that there may be; also where a value starts
    like a formula, looks like a number or is missing."""
    people = pd.DataFrame({
        "code": ["007", "7", "-5", "=x", None] * 20, "age": [*range(20, 70, 10)] * 20})
    data = sdc.load_dataset(people)
    data = data.with_columns([sdc.Column("code", "Code", values={
        v: v for v in ("007", "7", "-5", "=x", "unseen")}, may_be_missing=True),
        sdc.Column("age", "Age", type=sdc.Type.WHOLE, edges=(30.0, 50.0, 90.0))])
    release = sdc.mechanism("geometric").release(data.histogram(["code", "age"]), 4)
    path = tmp_path / f"out.{ending}"
    written = sdc.write_release(release, path, "records", labels, dataset=data)
    opened = sdc.load_dataset(path, schema=written.provenance["file_schema"])
    table = opened.histogram(opened.features)
    np.testing.assert_array_equal(table.counts, release.counts)
    assert table.domain.read_off == () and len(opened) == release.counts.sum()
    read = sdc.Schema.from_dict(written.provenance["schema"])
    assert read == data.schema


def test_it_reads_back_without_what_is_private(tmp_path: Path) -> None:
    release = sdc.mechanism("laplace").release(small_table(), 1)
    written = sdc.write_release(release, tmp_path / "out.csv")
    shared = {k: v for k, v in written.provenance.items() if k != "private"}
    assert "seed" not in json.dumps(shared["method"])
    written.provenance_path.write_text(json.dumps(shared))
    back = sdc.read_release(tmp_path / "out.csv")
    assert isinstance(back, ReleasedCounts)
    np.testing.assert_array_equal(back.counts, release.counts)


def test_a_zip_has_both_and_reads_back(tmp_path: Path) -> None:
    release = sdc.mechanism("suppression").release(small_table(), 1)
    archive, found = zipped(release_file(release, "mine.parquet"))
    assert archive == zipped(release_file(release, "mine.parquet"))[0]
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        assert opened.namelist() == ["mine.parquet", "mine.parquet.provenance.json"]
        opened.extractall(tmp_path)
    back = sdc.read_release(tmp_path / "mine.parquet")
    assert isinstance(back, ReleasedCounts) and back.provenance == found
    np.testing.assert_array_equal(back.hidden, release.hidden)
    sdc.write_release(release, tmp_path / "mine.csv")
    assert sdc.read_release(tmp_path / "mine.csv").provenance["says"] == found["says"]


@pytest.mark.parametrize(("harm", "words"), [
    (lambda file, note: file.write_bytes(file.read_bytes() + b"1"), "not as it was written"),
    (lambda file, note: note.unlink(), "provenance.json"),
    (lambda file, note: file.unlink(), "out.csv"),
    (lambda file, note: note.write_text("{"), "not the provenance"),
    (lambda file, note: note.write_text("[]"), "not the provenance"),
    (lambda file, note: note.write_text('{"format": "sdc_core release", "format_version": 99}'),
     "another version"),
    (lambda file, note: note.write_text(note.read_text().replace('"header": "SEX"', '"header": 1')),
     "not the provenance"),
])
def test_what_was_changed_or_is_missing_is_noticed(
    harm: Any, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "out.csv"
    written = sdc.write_release(sdc.mechanism("laplace").release(small_table(), 1), path)
    harm(path, written.provenance_path)
    with pytest.raises(sdc.InputError) as refused:
        sdc.read_release(path)
    assert words in str(refused.value) and "\n" not in str(refused.value)


def test_counts_that_are_no_people_are_no_histogram(tmp_path: Path) -> None:
    for name, chosen in (("suppression", {}), ("laplace", {"postprocess": "none"})):
        release = sdc.mechanism(name, **chosen).release(small_table(), 1)
        sdc.write_release(release, tmp_path / f"{name}.csv")
        back = sdc.read_release(tmp_path / f"{name}.csv")
        assert isinstance(back, ReleasedCounts)
        with pytest.raises(sdc.InputError, match="not people"):
            _ = back.histogram


# ---- on disk ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["out.xlsx", "out", "no/such/folder/out.csv", "folder.csv"])
def test_a_path_that_cannot_be_written_is_one_sentence(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    release = sdc.mechanism("laplace").release(small_table(), 1)
    with pytest.raises(sdc.InputError) as refused:
        sdc.write_release(release, tmp_path / name)
    assert Path(name).name in str(refused.value) and "\n" not in str(refused.value)
    assert [p.name for p in tmp_path.iterdir()] == ["folder.csv"]


def test_a_file_that_is_no_release_is_left_alone(tmp_path: Path) -> None:
    """The data itself, above all: `--dataset mine.csv --out mine.csv` destroys nothing."""
    path = tmp_path / "mine.csv"
    path.write_text("a,b\n1,2\n")
    release = sdc.mechanism("laplace").release(small_table(), 1)
    with pytest.raises(sdc.InputError, match="Take another name"):
        sdc.write_release(release, path)
    assert path.read_text() == "a,b\n1,2\n"


FULL = """
import resource, sys
import sdc_core as sdc
small, large = (
    sdc.mechanism("laplace").release(sdc.Histogram.from_counts(range(n)), 1) for n in (2, 5000)
)
for path in sys.argv[1:]:
    sdc.write_release(small, path)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
for path in sys.argv[1:]:
    before = open(path, "rb").read()
    try:
        sdc.write_release(large, path)
    except sdc.InputError as problem:
        print(problem)
    assert open(path, "rb").read() == before
    assert len(sdc.read_release(path).counts) == 2
"""


def test_a_disk_that_is_full_leaves_what_was_there(tmp_path: Path) -> None:
    """The system refuses to make a file longer than some bytes, in the middle of writing."""
    paths = [tmp_path / "out.csv", tmp_path / "out.parquet"]
    done = subprocess.run(
        [sys.executable, "-c", FULL, *map(str, paths)], cwd=ROOT, capture_output=True, text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == done.stdout.count("cannot be written") == 2
    assert done.stdout.count("has room") == 2
    names = {name for p in paths for name in (p.name, f"{p.name}.provenance.json")}
    assert {p.name for p in tmp_path.iterdir()} == names


def test_a_file_may_be_read_by_others(tmp_path: Path) -> None:
    """As any file that is written here, not only by whoever wrote it."""
    plain = tmp_path / "plain"
    plain.write_text("x")
    written = sdc.write_release(
        sdc.mechanism("laplace").release(small_table(), 1), tmp_path / "out.csv")
    for path in (written.path, written.provenance_path):
        assert path.stat().st_mode == plain.stat().st_mode


# ---- by command ---------------------------------------------------------------------------------

COMMAND = ["release", "--dataset", "ma2019-twin", "--features", "SEX,OWN_RENT,RAC1P"]


def test_the_command_writes_what_python_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = sdc.load_dataset("ma2019-twin")
    table = data.histogram(["SEX", "OWN_RENT", "RAC1P"])
    for form, flags in (("table", []), ("records", ["--labels"])):
        out, ours = tmp_path / "a" / "out.csv", tmp_path / "b" / "out.csv"
        for path in (out, ours):
            path.parent.mkdir(exist_ok=True)
        assert main([*COMMAND, "--mechanism", "k-anonymity", "--set", "k=7", "--seed", "3", "--out",
                     str(out), "--as", form, *flags, "--json"]) == 0
        said = json.loads(capsys.readouterr().out)
        written = sdc.write_release(
            sdc.mechanism("k-anonymity", k=7).release(table, 3), ours, form,  # type: ignore[arg-type]
            labels=bool(flags), dataset=data)
        assert out.read_bytes() == ours.read_bytes()
        assert said["file"] == str(out) and said["says"] == written.provenance["says"]
        assert said["promises"] == written.provenance["guarantee"]["in_words"]
        beside = Path(said["provenance"])
        assert beside.read_bytes() == written.provenance_path.read_bytes()


def test_the_command_says_what_it_wrote(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.parquet"
    assert main([*COMMAND, "--mechanism", "k-anonymity", "--out", str(out), "--reconstructed"]) == 0
    said = capsys.readouterr().out
    assert "drawn back" in said and "k-anonymous" in said and "promises nothing" in said
    assert isinstance(sdc.read_release(out), ReleasedCounts)


@pytest.mark.parametrize(("flags", "named"), [
    (["--as", "records"], "--out"), (["--labels"], "--out"), (["--reconstructed"], "--out"),
    (["--out", "x.doc"], "x.doc"), (["--out", "/no/such/folder/x.csv"], "/no/such/folder"),
    (["--out", "x.csv", "--reconstructed"], "reconstruct"),
])
def test_the_command_refuses_in_one_line(
    flags: list[str], named: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*COMMAND, "--mechanism", "laplace", *flags]) == 2
    captured = capsys.readouterr()
    assert named in captured.err and captured.err.count("\n") == 1 and captured.out == ""
    assert list(tmp_path.iterdir()) == []

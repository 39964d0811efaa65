"""Quality and risk of a release: speed and numbers against SDNist 2.4, on the same two files.

Two releases: all 24 columns, a quarter of the records having taken place, race, sex and tenure from
a donor; and six features released as counts with geometric noise, expanded to people. How SDNist
defines each number is told in `bench/peers/sdnist.py`. Both sides start from prepared files,
the peer from frames, ours from coded columns; making patterns of them is part of our time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
import pandas as pd

import sdc_core as sdc
from bench.measure import Figure, best_of, milliseconds
from bench.peer import ask
from bench.tables import found
from sdc_core.histogram import Feature
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.metrics.kmarginal import kmarginal
from sdc_core.metrics.propensity import Tree, propensity
from sdc_core.metrics.reidentification import count_unique_matches
from sdc_core.metrics.side_by_side import SideBySide
from sdc_core.people import as_records, whole_people

TAKEN = ["PUMA", "DENSITY", "RAC1P", "SEX", "OWN_RENT"]
COUNTED = ("PUMA", "RAC1P", "SEX", "OWN_RENT", "EDU", "PINCP_DECILE")
RANKED = ("AGEP", "POVPIP", "PINCP", "PWGTP", "WGTP")  # in 20 bins for k-marginals
NOT_IN_PAIRS = "INDP"
HIGHEST_WITHOUT_VALUE = ("PINCP", "POVPIP")  # 'N' above all numbers there, below them elsewhere
HIGHEST_DENSITY = 52864.7
SDNIST_TREE = Tree(depth=6, leaf=1)
T = TypeVar("T")
_Columns = tuple[list[Feature], list[np.ndarray], list[np.ndarray]]


def figures() -> list[Figure]:
    known = found("ma2019")
    records = _written(sdc.load_dataset(known).records)
    rows = []
    for words, target, release in (
        (f"{records.shape[1]} columns, donors for a quarter", records, _with_donors(records)),
        ("six features, geometric noise, ε = 4", records[list(COUNTED)], _noisy(known)),
    ):
        answer = ask("sdnist", {"target": target, "release": release})
        if answer is None:
            return rows
        rows += _against(answer, f"{words} ({known})", *_coded(target, release))
    return rows


def _against(
    answer: dict[str, dict[str, float]], words: str, whole: _Columns, binned: _Columns
) -> list[Figure]:
    pmse = _timed(lambda: propensity(SideBySide.of_codes(*whole), SDNIST_TREE, folds=1).pmse)
    match = _timed(lambda: _matches(SideBySide.of_codes(*whole)))
    score = _timed(lambda: kmarginal(SideBySide.of_codes(*binned), 2, "PUMA"))
    peer = {name: f"SDNist, {milliseconds(a['seconds'])}" for name, a in answer.items()}
    places = np.array([place.score for place in score[1].places])
    theirs = answer["kmarginal"]
    gap = max(abs(score[1].score - theirs["score"]), np.abs(places - theirs["places"]).max())
    expected = float(np.mean(answer["propensity"]["pmse"]))
    seen, unique = answer["matches"]["matched"], answer["matches"]["unique"]
    off = abs(match[1][0] - seen) + abs(match[1][1] - unique)
    return [
        _faster("Propensity, one tree of depth 6 on all records", words, pmse[0],
                peer["propensity"], answer["propensity"]["seconds"], 2),
        Figure(f"Its pMSE: relative difference, {words}",
               f"{pmse[1]:.6f}", f"SDNist, {expected:.6f}", abs(pmse[1] / expected - 1), 1e-6),
        _faster("Unique exact matches", words, match[0], peer["matches"],
                answer["matches"]["seconds"], 5),
        Figure(f"Unique exact matches: difference in records, {words}",
               f"{match[1][0]:,} of {match[1][1]:,}", f"SDNist, {seen:,} of {unique:,}", off, 0),
        _faster("2-way k-marginal score by place", words, score[0], peer["kmarginal"],
                theirs["seconds"], 5),
        Figure(f"k-marginal score, and of each place: largest difference of 1000, {words}",
               f"{score[1].score:.3f}", f"SDNist, {theirs['score']:.3f}", gap, 1e-6),
    ]


def _faster(
    what: str, words: str, ours: float, peer: str, theirs: float, limit: float
) -> Figure:
    return Figure(f"{what}, {words}", milliseconds(ours), peer, theirs / ours, limit, at_least=True)


def _timed(action: Callable[[], T]) -> tuple[float, T]:
    return best_of(5, action), action()


def _matches(pair: SideBySide) -> tuple[int, int]:
    return count_unique_matches(pair.original, pair.released)


# What is released


def _written(records: pd.DataFrame) -> pd.DataFrame:
    """Records as SDNist reads them: 'N' where there is no value, no derived columns."""
    plain = records.drop(columns=["INCOME_50K", "AGE_BIN"]).astype(object)
    return plain.where(records.notna(), "N")


def _with_donors(records: pd.DataFrame) -> pd.DataFrame:
    rng = repetition_rng(7, 0)
    taking = np.flatnonzero(rng.random(len(records)) < 0.25)
    out = records.copy()
    names = [name for name in TAKEN if name in records]  # the twin has fewer columns
    donors = rng.integers(len(records), size=len(taking))
    out.loc[taking, names] = records.loc[donors, names].to_numpy()
    return out


def _noisy(known: str) -> pd.DataFrame:
    table = sdc.load_dataset(known).histogram(COUNTED, "observed")
    counts = sdc.mechanism("geometric", epsilon=4.0).draw_tables(table, [repetition_rng(7, 0)])[0]
    return as_records(whole_people(counts), table.domain)


# Both files as coded columns


def _coded(target: pd.DataFrame, release: pd.DataFrame) -> tuple[_Columns, _Columns]:
    """All columns in order of their values; and for k-marginals, with numbers in bins."""
    whole: _Columns = ([], [], [])
    binned: _Columns = ([], [], [])
    for name in sorted(target.columns):
        sides = _numbers(name, target[name], release[name])
        _add(whole, name, sides)
        if name != NOT_IN_PAIRS:
            _add(binned, name, _percentile_bins(*sides) if name in RANKED else sides)
    return whole, binned


def _add(columns: _Columns, name: str, sides: tuple[np.ndarray, np.ndarray]) -> None:
    values, codes = np.unique(np.concatenate(sides), return_inverse=True)
    words = tuple(map(str, values))
    columns[0].append(Feature(name, name, words, words, ordered=True))
    columns[1].append(codes[: len(sides[0])])
    columns[2].append(codes[len(sides[0]) :])


def _numbers(name: str, *sides: pd.Series) -> tuple[np.ndarray, ...]:
    """Values as numbers in SDNist's order."""
    if name == "PUMA":
        places = sorted(sides[0].unique())
        return tuple(np.array([places.index(v) for v in side], dtype=float) for side in sides)
    missing = np.inf if name in HIGHEST_WITHOUT_VALUE else -np.inf
    read = tuple(side.replace("N", missing).to_numpy(dtype=float) for side in sides)
    if name != "DENSITY":
        return read
    edges = np.r_[0, 150, np.geomspace(10, HIGHEST_DENSITY + 500, 21)[8:]]
    return tuple(np.searchsorted(edges, side).astype(float) for side in read)


def _percentile_bins(target: np.ndarray, release: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Twenty bins by the target's mean percentile ranks; the release falls in by their ends."""
    there = np.sort(target[np.isfinite(target)])
    ends = np.searchsorted(there, there, "left") + np.searchsorted(there, there, "right")
    bins = np.minimum((20 * ((ends + 1) / 2 / len(there))).astype(int), 19)
    last = np.flatnonzero(np.diff(bins, append=bins[-1] + 1))  # where each bin ends

    def place(values: np.ndarray) -> np.ndarray:
        within = bins[last][np.searchsorted(there[last[:-1]], values)]
        return np.where(np.isfinite(values), within, -1).astype(float)

    return place(target), place(release)

"""Synthetic twins of the 2019 community excerpts: how are they made, and how close are they?

A twin has as many rows as its original and the same codes, but no row of it comes from a person.
It is drawn from tables of two or three columns, in four steps:

1. *Backbone.* PUMA, race, sex, tenure and income class are fitted by a log-linear model with all
   three-way margins (iterative proportional fitting) and rounded to whole persons.
2. *Attachment.* Every other column is drawn given two columns already there.
3. *Adjustment.* Single values are changed until all two-way tables are close to the original's.
   Combinations that never occur in the original's two-way tables are driven out, which keeps
   children out of marriages and group quarters out of ownership.
4. *Numbers.* Ages, incomes, poverty ratios and weights are drawn inside their bands by
   interpolated quantiles, each knot an average of several people.

Run ``python -m sdc_core.data.twins`` with ``SDC_DATA_DIR`` naming the folder of the real files to
rebuild the twins and the fidelity table. The same input gives the same bytes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd

COLUMNS = (
    "PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "INDP_CAT",
    "EDU", "PINCP", "PINCP_DECILE", "POVPIP", "PWGTP",
)  # fmt: skip
NUMERIC = ("AGEP", "PINCP", "POVPIP", "PWGTP")
FIVE_FEATURES = ("PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K")
DATASETS = ("ma2019", "tx2019", "national2019")
NOT_APPLICABLE = "N"
SEED = 2019

# Ages where the questionnaire starts to apply (3, 15, 16) or schooling changes quickly.
AGE_CUTS = (0, 3, 4, 5, 6, 7, 8, 12, 15, 16, 18, 19, 20, 22, 25, 30, 40, 50, 60, 65, 70, 75, 80)
INCOME_CUTS = (0, 1, 50_000)  # zero is its own band; 50,000 splits the five-feature histogram
POVERTY_CUTS = (0, 1, 501)  # 0 and 501 ("above five times the line") are point masses

# Levels of these columns held by fewer people are modelled together: a table of one person would
# describe that person.
POOLED_COLUMNS = ("RAC1P", "HISP", "INDP_CAT")
SMALLEST_LEVEL = 20
PEOPLE_PER_KNOT = 5

# Households put alike people into the same cell, so real tables have more empty cells than a model
# of separate persons leaves: a backbone cell expected to hold less than this is left empty.
EMPTY_BELOW = 0.3

BACKBONE = ("PUMA", "RAC1P", "SEX", "TENURE", "INCOME_CLASS")
# Each attached column with the two columns it is first drawn from.
PARENTS = {
    "AGE": ("INCOME_CLASS", "TENURE"),
    "MSP": ("AGE", "SEX"),
    "HISP": ("RAC1P", "PUMA"),
    "EDU": ("AGE", "INCOME_CLASS"),
    "INDP_CAT": ("AGE", "INCOME_CLASS"),
    "INCOME": ("INCOME_CLASS", "EDU"),
    "POVERTY": ("TENURE", "INCOME"),
    "WEIGHT": ("PUMA", "AGE"),
}
MODEL_COLUMNS = (*BACKBONE, *PARENTS)
SWEEPS = 30
BATCH = 512
FORBIDDEN = 1_000  # cost of one record in a combination the original never shows


@dataclass(frozen=True)
class Fidelity:
    """How far is a twin from its original, and does it repeat anybody?"""

    rows: int
    five_feature_distance: float  # sum of |twin - real| over the histogram, per row
    zero_share_real: float
    zero_share_twin: float
    worst_pair: tuple[str, str]
    worst_pair_distance: float  # total variation
    mean_pair_distance: float
    repeated_share: float  # twin records equal to a real record on all columns


def fidelity(real: pd.DataFrame, twin: pd.DataFrame) -> Fidelity:
    """How close is the twin on the five-feature histogram, on all pairs, and record by record?"""
    real_counts, twin_counts = _five_feature_counts(real, twin)
    real_levels, twin_levels = _comparison_levels(real, twin)
    distances = {
        (a, b): _total_variation(real_levels[[a, b]], twin_levels[[a, b]])
        for a, b in combinations(COLUMNS, 2)
    }
    worst_pair = max(distances, key=lambda pair: distances[pair])
    originals = set(_comparable(real).itertuples(index=False, name=None))
    repeated = [row in originals for row in _comparable(twin).itertuples(index=False, name=None)]
    return Fidelity(
        rows=len(twin),
        five_feature_distance=float(np.abs(real_counts - twin_counts).sum() / len(real)),
        zero_share_real=float((real_counts == 0).mean()),
        zero_share_twin=float((twin_counts == 0).mean()),
        worst_pair=worst_pair,
        worst_pair_distance=distances[worst_pair],
        mean_pair_distance=float(np.mean(list(distances.values()))),
        repeated_share=float(np.mean(repeated)),
    )


def build_twin(real: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Which synthetic records share the original's low-order tables?

    ``real`` holds the excerpt's codes as text, "N" for not applicable; so does the result.
    """
    rng = np.random.default_rng(seed)
    real = real.loc[:, list(COLUMNS)].reset_index(drop=True)
    bands = _bands(real)
    labels = _model_labels(real, bands)
    levels = {name: np.unique(labels[name]) for name in MODEL_COLUMNS}
    observed = np.column_stack(
        [np.searchsorted(levels[name], labels[name]) for name in MODEL_COLUMNS]
    )
    codes = np.zeros_like(observed)
    codes[:, : len(BACKBONE)] = _draw_backbone(observed[:, : len(BACKBONE)], rng)
    for name, parents in PARENTS.items():
        column = MODEL_COLUMNS.index(name)
        conditions = [MODEL_COLUMNS.index(parent) for parent in parents]
        codes[:, column] = _draw_given(observed, codes, column, conditions, rng)
    _adjust_to_pairs(observed, codes, rng)
    drawn = pd.DataFrame({name: levels[name][codes[:, i]] for i, name in enumerate(MODEL_COLUMNS)})
    return _records(real, drawn, bands, rng)


# --- bands and levels ---------------------------------------------------------------------------


def _number(column: pd.Series) -> pd.Series:
    """What number does each code stand for, with a gap where the question does not apply?"""
    return pd.to_numeric(column.where(column != NOT_APPLICABLE))


def _decile_starts(values: pd.Series) -> np.ndarray:
    """Where do the tenths of a column start, when a tenth includes its upper end?"""
    return np.unique(np.floor(np.quantile(values.dropna(), np.arange(1, 10) / 10)) + 1).astype(int)


def _bands(real: pd.DataFrame) -> dict[str, np.ndarray]:
    """At which whole numbers do the bands of each numeric column start (and the last one end)?"""
    cuts = {"AGEP": AGE_CUTS, "PINCP": INCOME_CUTS, "POVPIP": POVERTY_CUTS, "PWGTP": ()}
    bands = {}
    for name, fixed in cuts.items():
        values = _number(real[name])
        inner = np.union1d(_decile_starts(values), fixed)
        low, high = int(values.min()), int(values.max())
        inner = inner[(inner > low) & (inner <= high)]
        bands[name] = np.concatenate([[low], inner, [high + 1]]).astype(int)
    return bands


def _band_labels(column: pd.Series, starts: np.ndarray) -> np.ndarray:
    """In which band does each value lie, written so that labels sort in the bands' order?"""
    values = _number(column)
    band = np.searchsorted(starts, values.fillna(starts[0]), side="right") - 1
    return np.where(values.isna(), NOT_APPLICABLE, [f"{b:02d}" for b in band])


def _model_labels(real: pd.DataFrame, bands: dict[str, np.ndarray]) -> pd.DataFrame:
    """What does the model see of each person?

    Columns that determine one another are joined, so that two-way tables alone rule out
    contradictions: tenure is ownership with housing type, income is the state's decile with the
    band, and a missing poverty ratio says whether a household or group quarters explains it.
    """
    labels = real.loc[:, ["PUMA", "RAC1P", "SEX", "MSP", "HISP", "INDP_CAT", "EDU"]].copy()
    for name in POOLED_COLUMNS:
        labels[name] = labels[name].where(~labels[name].isin(_rare_levels(real[name])), "rare")
    income = _number(real["PINCP"])
    # Labels sort so that the cells of one five-feature cell are neighbours in the backbone.
    labels["TENURE"] = real["OWN_RENT"] + real["HOUSING_TYPE"]
    labels["INCOME_CLASS"] = np.select([income.isna(), income < 50_000], ["0 N", "0 low"], "1 high")
    labels["AGE"] = _band_labels(real["AGEP"], bands["AGEP"])
    labels["INCOME"] = real["PINCP_DECILE"] + "|" + _band_labels(real["PINCP"], bands["PINCP"])
    reason = np.where(real["OWN_RENT"] == "0", "|group", "|household")
    poverty = pd.Series(_band_labels(real["POVPIP"], bands["POVPIP"]))
    labels["POVERTY"] = poverty.where(poverty != NOT_APPLICABLE, NOT_APPLICABLE + pd.Series(reason))
    labels["WEIGHT"] = _band_labels(real["PWGTP"], bands["PWGTP"])
    return labels


def _rare_levels(column: pd.Series) -> list[str]:
    """Which levels are modelled as one, so that the group has at least SMALLEST_LEVEL people?"""
    counts = column[column != NOT_APPLICABLE].value_counts().sort_index().sort_values(kind="stable")
    if counts.empty or counts.iloc[0] >= SMALLEST_LEVEL:
        return []
    pooled = (counts.cumsum() - counts < SMALLEST_LEVEL) | (counts < SMALLEST_LEVEL)
    return list(counts.index[pooled])


# --- the model ----------------------------------------------------------------------------------


def _draw_backbone(observed: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which combinations of the backbone columns occur, and how often?"""
    shape = tuple(observed.max(axis=0) + 1)
    counts = np.zeros(shape)
    np.add.at(counts, tuple(observed.T), 1)
    axes = range(len(shape))
    dropped = [tuple(set(axes) - set(kept)) for kept in combinations(axes, 3)]
    margins = [counts.sum(axis=drop, keepdims=True) for drop in dropped]
    fitted = np.full(shape, counts.sum() / counts.size)
    for _ in range(200):
        for drop, margin in zip(dropped, margins, strict=True):
            current = fitted.sum(axis=drop, keepdims=True)
            fitted *= np.divide(margin, current, out=np.zeros_like(margin), where=current > 0)
    if fitted.max() >= EMPTY_BELOW:
        fitted[fitted < EMPTY_BELOW] = 0
    whole = _round_to_total(fitted.ravel(), len(observed), rng)
    return np.column_stack(np.unravel_index(np.repeat(np.arange(whole.size), whole), shape))


def _round_to_total(expected: np.ndarray, total: int, rng: np.random.Generator) -> np.ndarray:
    """Which whole counts add up to the total, each run of neighbours off by less than one?

    Systematic sampling: unbiased like independent draws, at a fraction of their variance.
    """
    running = np.cumsum(expected) * (total / expected.sum())
    running[-1] = total
    return np.diff(np.floor(running + rng.random()).astype(int), prepend=0)


def _draw_given(
    observed: np.ndarray,
    codes: np.ndarray,
    column: int,
    conditions: list[int],
    rng: np.random.Generator,
) -> np.ndarray:
    """Which values does a column take, given two columns that are already drawn?"""
    size = observed.max(axis=0) + 1
    first, second = conditions
    table = np.zeros((size[first], size[second], size[column]))
    np.add.at(table, (observed[:, first], observed[:, second], observed[:, column]), 1)
    drawn = np.zeros(len(codes), dtype=int)
    cell = codes[:, first] * size[second] + codes[:, second]
    for value in np.unique(cell):
        rows = np.flatnonzero(cell == value)
        a, b = divmod(int(value), int(size[second]))
        # A pair of conditions the original never shows is described by its first condition.
        expected = table[a, b] if table[a, b].any() else table[a].sum(axis=0)
        counts = _round_to_total(expected, len(rows), rng)
        drawn[rng.permutation(rows)] = np.repeat(np.arange(counts.size), counts)
    return drawn


def _adjust_to_pairs(observed: np.ndarray, codes: np.ndarray, rng: np.random.Generator) -> None:
    """Which single values must change (in place) for every two-way table to come close?

    A change is made only where it lowers the summed distance |twin - real| over the tables that
    hold the column. The backbone stays as fitted. All costs are whole numbers, so the path is
    the same on every machine.
    """
    size = observed.max(axis=0) + 1
    target = {}
    excess = {}
    for a, b in combinations(range(len(size)), 2):
        target[a, b] = _crosstab(observed, a, b, size)
        excess[a, b] = _crosstab(codes, a, b, size) - target[a, b]
        target[b, a], excess[b, a] = target[a, b].T, excess[a, b].T  # views: one table, two names
    for _ in range(SWEEPS):
        order = rng.permutation(len(codes))
        for start in range(0, len(codes), BATCH):
            rows = order[start : start + BATCH]
            for column in range(len(BACKBONE), len(size)):
                _change_values(column, rows, codes, target, excess, rng)


def _crosstab(codes: np.ndarray, a: int, b: int, size: np.ndarray) -> np.ndarray:
    """How many records hold each pair of levels?"""
    flat = np.bincount(codes[:, a] * size[b] + codes[:, b], minlength=size[a] * size[b])
    return flat.reshape(size[a], size[b])


def _change_values(
    column: int,
    rows: np.ndarray,
    codes: np.ndarray,
    target: dict[tuple[int, int], np.ndarray],
    excess: dict[tuple[int, int], np.ndarray],
    rng: np.random.Generator,
) -> None:
    """Which of these rows take another level in this column? (changes codes and excess)"""
    others = [other for other in range(codes.shape[1]) if other != column]
    current = codes[rows, column]
    cost = np.zeros((len(target[column, others[0]]), len(rows)), dtype=int)
    for other in others:
        over, never = excess[column, other], FORBIDDEN * (target[column, other] == 0)
        context = codes[rows, other]
        cost += (np.where(over >= 0, 1, -1) + never)[:, context]  # one record more
        cost += (np.where(over > 0, -1, 1) - never)[current, context]  # one record less
    cost[current, np.arange(len(rows))] = 0
    # Ties go to levels in a random order, not to the first level.
    preference = rng.permutation(len(cost))
    best = preference[np.argmin(cost[preference], axis=0)]
    gain = cost[best, np.arange(len(rows))]
    # Equal changes compete for the same gap in the tables: one of each kind per batch.
    by_gain = np.argsort(gain, kind="stable")
    _, firsts = np.unique((current * len(cost) + best)[by_gain], return_index=True)
    chosen = by_gain[firsts]
    chosen = chosen[gain[chosen] < 0]
    for other in others:
        context = codes[rows[chosen], other]
        np.subtract.at(excess[column, other], (current[chosen], context), 1)
        np.add.at(excess[column, other], (best[chosen], context), 1)
    codes[rows[chosen], column] = best[chosen]


# --- from model levels to records ---------------------------------------------------------------


def _records(
    real: pd.DataFrame,
    drawn: pd.DataFrame,
    bands: dict[str, np.ndarray],
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Which codes and numbers do the drawn levels stand for?"""
    twin = drawn.loc[:, ["PUMA", "RAC1P", "SEX", "MSP", "HISP", "INDP_CAT", "EDU"]].copy()
    for name in POOLED_COLUMNS:
        rows = np.flatnonzero(twin[name] == "rare")
        if rows.size:
            counts = real[name][real[name].isin(_rare_levels(real[name]))].value_counts()
            counts = counts.sort_index()
            dealt = np.repeat(counts.index, _round_to_total(counts.to_numpy(), rows.size, rng))
            twin.loc[rng.permutation(rows), name] = dealt
    twin["OWN_RENT"], twin["HOUSING_TYPE"] = drawn["TENURE"].str[0], drawn["TENURE"].str[1:]
    for name, level in (("AGEP", "AGE"), ("POVPIP", "POVERTY"), ("PWGTP", "WEIGHT")):
        values = _number(real[name]).dropna().to_numpy()
        column = np.full(len(drawn), NOT_APPLICABLE, dtype=object)
        for band in np.unique(drawn[level][~drawn[level].str.startswith(NOT_APPLICABLE)]):
            rows = np.flatnonzero(drawn[level] == band)
            low, high = bands[name][int(band)], bands[name][int(band) + 1] - 1
            column[rows] = _draw_inside(values, low, high, rows.size, rng).astype(str)
        twin[name] = column
    twin["PINCP"], twin["PINCP_DECILE"] = _incomes(real, drawn, bands["PINCP"], rng)
    return twin.loc[rng.permutation(len(twin)), list(COLUMNS)].reset_index(drop=True)


def _incomes(
    real: pd.DataFrame, drawn: pd.DataFrame, starts: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Which income does each record have, and which decile of its state is that?"""
    values = _number(real["PINCP"]).dropna().to_numpy()
    income = np.full(len(drawn), NOT_APPLICABLE, dtype=object)
    decile = income.copy()
    state_of = drawn["PUMA"].str[:2]
    for state in np.unique(state_of):
        decile_starts = _state_decile_starts(real[real["PUMA"].str[:2] == state])
        for level in np.unique(drawn["INCOME"][state_of == state]):
            if level.startswith(NOT_APPLICABLE):
                continue
            tenth, band = map(int, level.split("|"))
            rows = np.flatnonzero((state_of == state) & (drawn["INCOME"] == level))
            low = max(starts[band], decile_starts[tenth])
            high = min(starts[band + 1], decile_starts[tenth + 1]) - 1
            if low > high:  # the state has no such income: the band decides
                low, high = starts[band], starts[band + 1] - 1
            amounts = _reported(_draw_inside(values, low, high, rows.size, rng), low, high)
            income[rows] = amounts.astype(str)
            tenths = np.searchsorted(decile_starts[:-1], amounts, side="right") - 1
            decile[rows] = tenths.astype(str)
    return income, decile


def _state_decile_starts(people: pd.DataFrame) -> np.ndarray:
    """At which income does each decile of a state start, as far as its people show it?"""
    known = people[people["PINCP"] != NOT_APPLICABLE]
    lowest = _number(known["PINCP"]).groupby(known["PINCP_DECILE"].astype(int)).min()
    lowest = lowest.reindex(range(11)).bfill()  # a decile nobody is in gets an empty range
    lowest[0] = -np.inf
    return lowest.fillna(np.inf).to_numpy()


def _draw_inside(
    values: np.ndarray, low: float, high: float, size: int, rng: np.random.Generator
) -> np.ndarray:
    """Which whole numbers between low and high are spread like the original's values there?"""
    pool = np.sort(values[(values >= low) & (values <= high)])
    position = rng.permutation((np.arange(size) + rng.random(size)) / size)
    if pool.size < 2 * PEOPLE_PER_KNOT:
        return np.floor(low + position * (high - low + 1)).astype(int).clip(low, high)
    knots = [group.mean() for group in np.array_split(pool, pool.size // PEOPLE_PER_KNOT)]
    where = (np.arange(len(knots)) + 0.5) / len(knots)
    return np.rint(np.interp(position, where, knots)).astype(int).clip(low, high)


def _reported(amounts: np.ndarray, low: float, high: float) -> np.ndarray:
    """Which round amount is published for each income, staying between low and high?"""
    published = amounts
    for unit, smallest in ((10, 0), (100, 1_000)):
        rounded = np.rint(amounts / unit).astype(int) * unit
        fits = (rounded >= low) & (rounded <= high) & (np.abs(amounts) >= smallest)
        published = np.where(fits, rounded, published)
    return published


# --- comparing ----------------------------------------------------------------------------------


def _five_feature_counts(real: pd.DataFrame, twin: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """How many people does each cell hold, over the product of the original's observed values?"""

    def features(table: pd.DataFrame) -> pd.DataFrame:
        rich = (_number(table["PINCP"]) >= 50_000).astype(int).rename("INCOME_50K")
        return table.join(rich).loc[:, list(FIVE_FEATURES)]

    seen = features(real)
    cells = pd.MultiIndex.from_product([sorted(seen[name].unique()) for name in FIVE_FEATURES])
    counts = [t.value_counts().reindex(cells, fill_value=0) for t in (seen, features(twin))]
    return counts[0].to_numpy(), counts[1].to_numpy()


def _comparison_levels(real: pd.DataFrame, twin: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Which level (code, or decile of the original) does each value have in both tables?"""
    levels = real.loc[:, list(COLUMNS)].copy(), twin.loc[:, list(COLUMNS)].copy()
    for name in NUMERIC:
        starts = np.concatenate([[-np.inf], _decile_starts(_number(real[name]))])
        for table in levels:
            table[name] = _band_labels(table[name], starts)
    return levels


def _total_variation(real: pd.DataFrame, twin: pd.DataFrame) -> float:
    """How much of the probability lies elsewhere?"""
    shares = real.value_counts(normalize=True), twin.value_counts(normalize=True)
    return float(shares[0].sub(shares[1], fill_value=0).abs().sum() / 2)


def _comparable(table: pd.DataFrame) -> pd.DataFrame:
    """How do records read once 5000.0 and 5000 are the same?"""
    income = table["PINCP"].str.replace(r"\.0$", "", regex=True)
    return table.loc[:, list(COLUMNS)].assign(PINCP=income)


# --- files --------------------------------------------------------------------------------------


def read_codes(path: Path) -> pd.DataFrame:
    """Which codes does a file hold, as written?"""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def twin_bytes(twin: pd.DataFrame) -> bytes:
    """What does a twin look like as a file, the same on every system?"""
    return twin.to_csv(index=False, lineterminator="\n").encode()


def fidelity_table(results: dict[str, Fidelity]) -> str:
    """How does the measured fidelity read in the data folder's README?"""
    lines = [
        "| data set | rows | five-feature distance | zero cells, real | zero cells, twin "
        "| worst pair | its distance | mean over pairs | repeated records |",
        "| --- | ---: | ---: | ---: | ---: | --- | ---: | ---: | ---: |",
    ]
    for name, f in results.items():
        lines.append(
            f"| {name} | {f.rows:,} | {f.five_feature_distance:.1%} | {f.zero_share_real:.1%} "
            f"| {f.zero_share_twin:.1%} | {' × '.join(f.worst_pair)} | {f.worst_pair_distance:.3f} "
            f"| {f.mean_pair_distance:.3f} | {f.repeated_share:.2%} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Rebuild the twins and the fidelity table from the real files."""
    data = Path(__file__).resolve().parents[2] / "data"
    originals = Path(os.environ.get("SDC_DATA_DIR") or data / "nist")
    results = {}
    for name in DATASETS:
        real = read_codes(originals / f"{name}.csv")
        twin = build_twin(real, SEED)
        path = data / "twins" / f"{name}-twin.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(twin_bytes(twin))
        results[name] = fidelity(real, twin)
    readme = data / "README.md"
    between = re.compile(r"(<!-- fidelity -->\n).*?(\n<!-- end of fidelity -->)", re.DOTALL)
    table = fidelity_table(results)
    text = readme.read_text(encoding="utf-8")
    readme.write_text(between.sub(rf"\1\n{table}\n\2", text), encoding="utf-8", newline="\n")
    print(table)


if __name__ == "__main__":
    main()

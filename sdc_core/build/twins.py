"""Synthetic twins of the 2019 community excerpts: how are they made, and how close are they?

A twin has as many rows as its original and the same codes, but no row of it comes from a person.
It is drawn from tables of two or three columns, in four steps:

1. *Backbone.* PUMA, race, sex, tenure and income class are fitted by a log-linear model with all
   three-way margins (iterative proportional fitting) and rounded to whole persons.
2. *Attachment.* Every other column is drawn given two columns already there.
3. *Adjustment.* Single values are changed until all two-way tables are close to the original's.
   Pairs of levels that the original never shows are driven out, which keeps children out of
   marriages and group quarters out of ownership.
4. *Numbers.* Ages, incomes, poverty ratios and weights are drawn inside their bands by
   interpolated quantiles, each knot an average of several people.

Run ``make twins`` with ``SDC_DATA_DIR`` naming the folder of the real files to rebuild the twins
and the fidelity table. The same input gives the same bytes.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

NUMERIC = ("AGEP", "PINCP", "POVPIP", "PWGTP")
COLUMNS = (
    "PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "HOUSING_TYPE", "OWN_RENT", "INDP_CAT",
    "EDU", "PINCP", "PINCP_DECILE", "POVPIP", "PWGTP",
)  # fmt: skip
DATASETS = ("ma2019", "tx2019", "national2019")
NOT_APPLICABLE = "N"
SEED = 2019

# Bands start at the tenths of each column and at these numbers: ages where questions begin to
# apply (3, 15, 16) or schooling moves fast, and the values that many people share.
FIXED_CUTS = {
    "AGEP": (3, 4, 5, 6, 7, 8, 12, 15, 16, 18, 19, 20, 22, 25, 30, 40, 50, 60, 65, 70, 75, 80),
    "PINCP": (0, 1, 50_000),
    "POVPIP": (0, 1, 501),
    "PWGTP": (),
}

# Levels of these columns held by few people are modelled together, and a quantile is an average
# of several people: a number about one person would describe that person.
POOLED_COLUMNS = ("RAC1P", "HISP", "INDP_CAT")
SMALLEST_LEVEL = 20
PEOPLE_PER_KNOT = 5

BACKBONE = ("PUMA", "RAC1P", "SEX", "TENURE", "INCOME_CLASS")
# Households put alike people into the same cell, so real tables have more empty cells than a model
# of separate persons leaves: a backbone cell expected to hold less than this is left empty.
EMPTY_BELOW = 0.3
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
KEPT_CODES = ["PUMA", "RAC1P", "SEX", "MSP", "HISP", "INDP_CAT", "EDU"]
SWEEPS, BATCH = 30, 512
FORBIDDEN = 1_000  # cost of one record in a combination the original never shows

Tables = dict[tuple[int, int], np.ndarray]


def build_twin(real: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Which synthetic records share the original's low-order tables?

    ``real`` holds the excerpt's codes as text, "N" for not applicable; so does the result.
    """
    rng = np.random.default_rng(seed)
    real = real.loc[:, list(COLUMNS)].reset_index(drop=True)
    bands = {name: _band_starts(as_number(real[name]), FIXED_CUTS[name]) for name in NUMERIC}
    labels = _model_labels(real, bands)
    coded = {name: np.unique(labels[name], return_inverse=True) for name in MODEL_COLUMNS}
    observed = np.column_stack([codes for _, codes in coded.values()])
    codes = np.zeros_like(observed)
    codes[:, : len(BACKBONE)] = _draw_backbone(observed[:, : len(BACKBONE)], rng)
    for name, parents in PARENTS.items():
        used = [MODEL_COLUMNS.index(column) for column in (*parents, name)]
        codes[:, used[-1]] = _draw_given(observed[:, used], codes[:, used[:-1]], rng)
    _adjust_to_pairs(observed, codes, rng)
    drawn = pd.DataFrame({name: coded[name][0][codes[:, i]] for i, name in enumerate(coded)})
    return _records(real, drawn, bands, rng)


def as_number(column: pd.Series) -> pd.Series:
    """What number does each code stand for, with a gap where the question does not apply?"""
    return pd.to_numeric(column.where(column != NOT_APPLICABLE))


def decile_starts(values: pd.Series) -> np.ndarray:
    """Where do the tenths of a column start, when a tenth includes its upper end?"""
    return np.unique(np.floor(np.quantile(values.dropna(), np.arange(1, 10) / 10)) + 1)


def _band_starts(values: pd.Series, cuts: tuple[int, ...]) -> np.ndarray:
    """At which whole numbers do a column's bands start? (the last one is where they end)"""
    low, high = values.min(), values.max()
    inner = np.union1d(decile_starts(values), cuts)
    return np.concatenate([[low], inner[(inner > low) & (inner <= high)], [high + 1]]).astype(int)


def band_labels(column: pd.Series, starts: np.ndarray) -> np.ndarray:
    """In which band does each value lie, written so that labels sort in the bands' order?"""
    values = as_number(column)
    band = np.searchsorted(starts, values.fillna(starts[0]), side="right") - 1
    return np.where(values.isna(), NOT_APPLICABLE, [f"{b:02d}" for b in band])


def _rare_levels(column: pd.Series) -> list[str]:
    """Which levels are modelled as one, so that the group has at least SMALLEST_LEVEL people?"""
    counts = column[column != NOT_APPLICABLE].value_counts().sort_index().sort_values(kind="stable")
    if counts.empty or counts.iloc[0] >= SMALLEST_LEVEL:
        return []
    pooled = (counts < SMALLEST_LEVEL) | (counts.cumsum() - counts < SMALLEST_LEVEL)
    return list(counts.index[pooled])


def _model_labels(real: pd.DataFrame, bands: dict[str, np.ndarray]) -> pd.DataFrame:
    """What does the model see of each person?

    Columns that determine one another are joined, so that two-way tables alone rule out
    contradictions: tenure is ownership with housing type, income is the state's decile with the
    band, and a missing poverty ratio says whether a household or group quarters explains it.
    """
    labels = real.loc[:, KEPT_CODES].copy()
    for name in POOLED_COLUMNS:
        labels[name] = labels[name].mask(labels[name].isin(_rare_levels(real[name])), "rare")
    banded = {name: band_labels(real[name], bands[name]) for name in NUMERIC}
    income = as_number(real["PINCP"])
    # Labels sort so that the cells of one five-feature cell are neighbours in the backbone.
    labels["TENURE"] = real["OWN_RENT"] + real["HOUSING_TYPE"]
    labels["INCOME_CLASS"] = np.select([income.isna(), income < 50_000], ["0 N", "0 low"], "1 high")
    labels["AGE"], labels["WEIGHT"] = banded["AGEP"], banded["PWGTP"]
    labels["INCOME"] = real["PINCP_DECILE"] + "|" + banded["PINCP"]
    missing = np.where(real["OWN_RENT"] == "0", "N|group", "N|household")
    labels["POVERTY"] = np.where(real["POVPIP"] == NOT_APPLICABLE, missing, banded["POVPIP"])
    return labels


def _draw_backbone(observed: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which combinations of the backbone columns occur, and how often?"""
    shape = tuple(observed.max(axis=0) + 1)
    counts = np.zeros(shape)
    np.add.at(counts, tuple(observed.T), 1)
    axes = range(len(shape))
    dropped = [tuple(set(axes) - set(kept)) for kept in combinations(axes, 3)]
    margins = [counts.sum(axis=drop, keepdims=True) for drop in dropped]
    fitted = np.full(shape, counts.mean())
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


def _draw_given(observed: np.ndarray, given: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Which values does the last observed column take, given two columns already drawn?"""
    shape = tuple(observed.max(axis=0) + 1)
    table = np.zeros(shape)
    np.add.at(table, tuple(observed.T), 1)
    drawn = np.zeros(len(given), dtype=int)
    cell = given[:, 0] * shape[1] + given[:, 1]
    for value in np.unique(cell):
        rows = np.flatnonzero(cell == value)
        first, second = divmod(value, shape[1])
        # A pair of conditions the original never shows is described by its first condition.
        seen = table[first, second].any()
        expected = table[first, second] if seen else table[first].sum(axis=0)
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
    target: Tables = {}
    excess: Tables = {}
    for a, b in combinations(range(len(size)), 2):
        counts = [
            np.bincount(table[:, a] * size[b] + table[:, b], minlength=size[a] * size[b])
            for table in (observed, codes)
        ]
        target[a, b] = counts[0].reshape(size[a], size[b])
        excess[a, b] = (counts[1] - counts[0]).reshape(size[a], size[b])
        target[b, a], excess[b, a] = target[a, b].T, excess[a, b].T  # views: one table, two names
    for _ in range(SWEEPS):
        order = rng.permutation(len(codes))
        for start in range(0, len(codes), BATCH):
            for column in range(len(BACKBONE), len(size)):
                _change_values(column, order[start : start + BATCH], codes, target, excess, rng)


def _change_values(
    column: int, rows: np.ndarray, codes: np.ndarray, target: Tables, excess: Tables,
    rng: np.random.Generator,
) -> None:  # fmt: skip
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
    preference = rng.permutation(len(cost))  # among equals, no level comes first every time
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


def _records(
    real: pd.DataFrame, drawn: pd.DataFrame, bands: dict[str, np.ndarray], rng: np.random.Generator
) -> pd.DataFrame:
    """Which codes and numbers do the drawn levels stand for?"""
    twin = drawn.loc[:, KEPT_CODES].copy()
    for name in POOLED_COLUMNS:
        rows = np.flatnonzero(twin[name] == "rare")
        if rows.size:
            counts = real[name][real[name].isin(_rare_levels(real[name]))].value_counts()
            whole = _round_to_total(counts.sort_index().to_numpy(), rows.size, rng)
            twin.loc[rng.permutation(rows), name] = np.repeat(sorted(counts.index), whole)
    twin["OWN_RENT"], twin["HOUSING_TYPE"] = drawn["TENURE"].str[0], drawn["TENURE"].str[1:]
    for name, source in (("AGEP", "AGE"), ("POVPIP", "POVERTY"), ("PWGTP", "WEIGHT")):
        values, starts = as_number(real[name]).to_numpy(), bands[name]
        twin[name] = NOT_APPLICABLE
        for band in np.unique(drawn[source][~drawn[source].str.startswith(NOT_APPLICABLE)]):
            rows = np.flatnonzero(drawn[source] == band)
            low, high = starts[int(band)], starts[int(band) + 1] - 1
            twin.loc[rows, name] = _draw_inside(values, low, high, rows.size, rng).astype(str)
    twin[["PINCP", "PINCP_DECILE"]] = _incomes(real, drawn, bands["PINCP"], rng)
    return twin.loc[rng.permutation(len(twin)), list(COLUMNS)].reset_index(drop=True)


def _incomes(
    real: pd.DataFrame, drawn: pd.DataFrame, starts: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Which income does each record have, and which decile of its state is that?"""
    values = as_number(real["PINCP"]).to_numpy()
    result = np.full((len(drawn), 2), NOT_APPLICABLE, dtype=object)
    known = drawn[~drawn["INCOME"].str.startswith(NOT_APPLICABLE)]
    for (state, level), group in known.groupby([known["PUMA"].str[:2], "INCOME"]):
        tenth, band = map(int, level.split("|"))
        tenths = _state_decile_starts(real[real["PUMA"].str[:2] == state])
        low = max(starts[band], tenths[tenth])
        high = min(starts[band + 1], tenths[tenth + 1]) - 1
        if low > high:  # the state has no such income: the band decides
            low, high = starts[band], starts[band + 1] - 1
        amounts = _published(_draw_inside(values, low, high, len(group), rng), low, high)
        result[group.index, 0] = amounts.astype(str)
        decile = np.searchsorted(tenths[:-1], amounts, side="right") - 1
        result[group.index, 1] = decile.astype(str)
    return result


def _state_decile_starts(people: pd.DataFrame) -> np.ndarray:
    """At which income does each decile of a state start, as far as its people show it?"""
    known = people[people["PINCP"] != NOT_APPLICABLE]
    lowest = as_number(known["PINCP"]).groupby(known["PINCP_DECILE"].astype(int)).min()
    lowest = lowest.reindex(range(11)).bfill()  # a decile nobody is in gets an empty range
    lowest[0] = -np.inf
    return lowest.fillna(np.inf).to_numpy()


def _draw_inside(
    values: np.ndarray, low: float, high: float, size: int, rng: np.random.Generator
) -> np.ndarray:
    """Which whole numbers between low and high are spread like the original's values there?"""
    pool = np.sort(values[(values >= low) & (values <= high)])
    position = rng.permutation((np.arange(size) + rng.random(size)) / size)
    if pool.size < 2 * PEOPLE_PER_KNOT:  # too few people to say more than the limits
        return np.floor(low + position * (high - low + 1)).astype(int)
    knots = [group.mean() for group in np.array_split(pool, pool.size // PEOPLE_PER_KNOT)]
    share_below = (np.arange(len(knots)) + 0.5) / len(knots)
    return np.rint(np.interp(position, share_below, knots)).astype(int)


def _published(amounts: np.ndarray, low: float, high: float) -> np.ndarray:
    """Which round amount is published for each income, staying between low and high?"""
    published = amounts
    for unit, smallest in ((10, 0), (100, 1_000)):
        rounded = np.rint(amounts / unit).astype(int) * unit
        fits = (rounded >= low) & (rounded <= high) & (np.abs(amounts) >= smallest)
        published = np.where(fits, rounded, published)
    return published

"""A synthetic twin of the census file of programmers and engineers, for work on single records.

Nobody is copied. The model knows of the original only:

1. *Classes.* Tables of two columns at a time of education, occupation, sex and whether a person
   worked none, part or all of the year, every count rounded to tens. A log-linear model is fitted
   to them and rounded to whole people.
2. *Age and wage.* A straight line each, on the normal scale of ranks, by class (wage: by age and
   weeks as well), its coefficients rounded to hundredths; and their spread around it.
3. *Values.* Quantiles of age, wage and weeks, each knot the mean of at least 100 people, with
   straight lines between them.

The twin has fewer rows than the original, so that what compares all records with all others stays
quick. The same input gives the same bytes.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import norm, rankdata

ROWS = 3000
SEED = 2000
COLUMNS = ("age", "educ", "occ", "wageinc", "wkswrkd", "gender")
CLASSES = ("educ", "occ", "gender", "work")
WHOLE_YEAR = 52
ROUNDED_TO = 10  # counts of the two-way tables
PEOPLE_PER_KNOT = 100

Floats = NDArray[np.float64]


def build_engineers(real: pd.DataFrame, seed: int, rows: int = ROWS) -> pd.DataFrame:
    """Synthetic people with the original's tables of two, lines and quantiles."""
    rng = np.random.default_rng(seed)
    real = _with_work(real.loc[:, list(COLUMNS)].reset_index(drop=True))
    levels = {name: sorted(real[name].unique()) for name in CLASSES}
    twin = _classes(real, levels, rows, rng)
    age = _scores(real["age"])
    shape = _indicators(real, levels)
    line = _fitted(shape, age)
    age_score = _drawn(_indicators(twin, levels), line, rng)
    twin["age"] = np.round(_values(real["age"], age_score), 2)
    twin["wkswrkd"] = _weeks(real, twin, rng)
    twin["wageinc"] = _wages(real, twin, levels, rng)
    return twin.loc[rng.permutation(rows), list(COLUMNS)].reset_index(drop=True)


def _with_work(people: pd.DataFrame) -> pd.DataFrame:
    weeks = people["wkswrkd"]
    work = np.select([weeks == 0, weeks == WHOLE_YEAR], ["none", "whole"], "part")
    return people.assign(work=work, educ=people["educ"].astype(str), occ=people["occ"].astype(str))


def _classes(
    real: pd.DataFrame, levels: dict[str, list[str]], rows: int, rng: np.random.Generator
) -> pd.DataFrame:
    """People by education, occupation, sex and work, from rounded tables of two columns."""
    shape = tuple(len(levels[name]) for name in CLASSES)
    codes = tuple(pd.Categorical(real[n], categories=levels[n]).codes for n in CLASSES)
    counts = np.zeros(shape)
    np.add.at(counts, codes, 1)
    axes = range(len(shape))
    dropped = [tuple(set(axes) - set(kept)) for kept in combinations(axes, 2)]
    margins = [np.rint(counts.sum(axis=drop, keepdims=True) / ROUNDED_TO) for drop in dropped]
    fitted = np.ones(shape)
    for _ in range(100):
        for drop, margin in zip(dropped, margins, strict=True):
            present = fitted.sum(axis=drop, keepdims=True)
            fitted *= np.divide(margin, present, out=np.zeros_like(margin), where=present > 0)
    running = np.cumsum(fitted.ravel()) * (rows / fitted.sum())
    running[-1] = rows
    whole = np.diff(np.floor(running + rng.random()).astype(int), prepend=0)
    cells = np.unravel_index(np.repeat(np.arange(whole.size), whole), shape)
    return pd.DataFrame({
        name: np.asarray(levels[name], dtype=object)[cell]
        for name, cell in zip(CLASSES, cells, strict=True)
    })


def _indicators(people: pd.DataFrame, levels: dict[str, list[str]]) -> Floats:
    """A constant, and 1 for each level but the first."""
    columns = [np.ones(len(people))]
    for name in CLASSES:
        columns += [(people[name] == level).to_numpy(float) for level in levels[name][1:]]
    return np.column_stack(columns)


def _scores(values: pd.Series) -> Floats:
    """Ranks on the normal scale."""
    return np.asarray(norm.ppf(rankdata(values) / (len(values) + 1)))


def _fitted(shape: Floats, scores: Floats) -> tuple[Floats, float]:
    """A least-squares line and the spread around it, both to hundredths."""
    line = np.linalg.lstsq(shape, scores, rcond=None)[0]
    spread = float(np.std(scores - shape @ line))
    return np.round(line, 2), round(spread, 2)


def _drawn(shape: Floats, line: tuple[Floats, float], rng: np.random.Generator) -> Floats:
    """Scores around the line, put back on the normal scale by their ranks."""
    coefficients, spread = line
    found = shape @ coefficients + spread * rng.standard_normal(len(shape))
    return np.asarray(norm.ppf((rankdata(found) - 0.5) / len(found)))


def _values(real: pd.Series, scores: Floats) -> Floats:
    """Values at these places of the original's distribution, each knot a mean of many people."""
    ordered = np.sort(real.to_numpy(float))
    parts = np.array_split(ordered, max(1, len(ordered) // PEOPLE_PER_KNOT))
    knots = [part.mean() for part in parts]
    below = (np.arange(len(knots)) + 0.5) / len(knots)
    return np.interp(norm.cdf(scores), below, knots)


def _weeks(real: pd.DataFrame, twin: pd.DataFrame, rng: np.random.Generator) -> NDArray[np.int64]:
    weeks = np.where(twin["work"] == "whole", WHOLE_YEAR, 0)
    part = (twin["work"] == "part").to_numpy()
    partly = real.loc[real["work"] == "part", "wkswrkd"]
    drawn = _values(partly, rng.standard_normal(int(part.sum())))
    weeks[part] = np.clip(np.rint(drawn), 1, WHOLE_YEAR - 1)
    return weeks.astype(np.int64)


def _wages(
    real: pd.DataFrame, twin: pd.DataFrame, levels: dict[str, list[str]], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Whoever worked earns by class, age and weeks, in round amounts; whoever did not, nothing."""
    shapes = []
    for people in (real, twin):
        age, weeks = people["age"].to_numpy(float) / 10 - 4, people["wkswrkd"] / WHOLE_YEAR
        shapes.append(np.column_stack([_indicators(people, levels), age, age**2, weeks]))
    worked, works = (people["work"].to_numpy() != "none" for people in (real, twin))
    wages = real.loc[worked, "wageinc"]
    line = _fitted(shapes[0][worked], _scores(wages))
    amounts = _values(wages, _drawn(shapes[1][works], line, rng))
    step = np.where(amounts < 20_000, 100, 1_000)
    found = np.zeros(len(twin), dtype=np.int64)
    found[works] = (np.rint(amounts / step) * step).astype(np.int64)
    return found

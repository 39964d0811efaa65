"""Randomization within neighbourhoods, on records and on tables.

Proven: neighbourhoods are those of a plain search, ties and duplicates included; nothing changes at
q = 0, and only values that occur in the column are released; expected counts and variances equal a
full enumeration, on records and on the table of the same records; as neighbourhoods shrink the
joint distribution is kept (P4 §7); the example that the remark on δ gives is true; bad input is one
sentence.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.mechanisms.neighbours import all_neighbours, from_pairs, from_parts, from_sample
from sdc_core.mechanisms.rwn import Rwn
from sdc_core.people import as_records
from sdc_core.records import Records, Scale

PEOPLE = Records.of(pd.DataFrame({
    "age": [20.0, 20.0, 30.0, 60.0, 30.0], "sex": ["f", "f", "m", "m", "f"],
}))


def mixed_records(number: int, seed: int = 1) -> Records:
    """Few different values, so that there are many ties and duplicates."""
    rng = np.random.default_rng(seed)
    pay = rng.integers(0, 5, number) / 4.0
    pay[rng.random(number) < 0.1] = np.nan
    return Records.of(pd.DataFrame({
        "age": rng.integers(0, 4, number).astype(float), "pay": pay,
        "sex": rng.choice(["f", "m"], number),
    }))


def plain_search(points: np.ndarray, k: int, radius: float) -> list[list[int]]:
    """Record by record, as one would write it down."""
    found = []
    for i, one in enumerate(points):
        far = sorted((round(float(((one - other) ** 2).sum()), 9), j)
                     for j, other in enumerate(points) if j != i)
        inside = [j for squared, j in far if squared <= round(radius**2, 9)]
        found.append(sorted(max(inside, [j for _, j in far[:k]], key=len)))
    return found


@pytest.mark.parametrize(("number", "k", "radius"), [
    (120, 5, 0.0), (120, 5, 0.5), (120, 3, 1.5), (120, 119, 0.0), (3, 1, 0.0), (700, 4, 0.25)])
def test_neighbourhoods_are_those_of_a_plain_search(number: int, k: int, radius: float) -> None:
    records = mixed_records(number)
    points = Scale.of(records).points(records)
    found = all_neighbours(points, k, radius)
    assert [found.of(i).tolist() for i in range(number)] == plain_search(points, k, radius)


def test_a_sample_of_everybody_and_one_part_are_the_full_search() -> None:
    records = mixed_records(200)
    points = Scale.of(records).points(records)
    full = all_neighbours(points, 5, 0.3)
    for search in (from_sample, from_parts):
        found = search(points, 5, 0.3, 200, np.random.default_rng(3))
        np.testing.assert_array_equal(found.members, full.members)
        np.testing.assert_array_equal(found.starts, full.starts)


def test_neighbours_come_from_where_they_are_looked_for() -> None:
    records = mixed_records(400)
    points = Scale.of(records).points(records)
    pool = from_sample(points, 5, 0.0, 40, np.random.default_rng(1))
    assert len(np.unique(pool.members)) <= 40 and (pool.sizes == 5).all()
    parts = from_parts(points, 5, 0.0, 40, np.random.default_rng(1))
    part = np.empty(400, dtype=int)
    for number, rows in enumerate(np.array_split(np.random.default_rng(1).permutation(400), 10)):
        part[rows] = number
    for i in range(400):
        inside = np.flatnonzero(part == part[i])
        nearest = plain_search(points[inside], 5, 0.0)[int(np.searchsorted(inside, i))]
        assert parts.of(i).tolist() == inside[nearest].tolist()
    pairs = from_pairs(points, 5, 0.0, 30, np.random.default_rng(1))
    assert (pairs.sizes == 5).all()
    assert not any(i in pairs.of(i) for i in range(400))
    # the five nearest of about 30 random others are nearer than five random others
    random_far = np.median(((points[:-1] - points[1:]) ** 2).sum(axis=1))
    far = [((points[i] - points[pairs.of(i)]) ** 2).sum(axis=1).max() for i in range(400)]
    assert np.median(far) < random_far / 2


def test_nothing_changes_without_a_coin_and_only_existing_values_come_out() -> None:
    records = mixed_records(150)
    same = next(Rwn(q=0.0, k=4, radius=0.7).draw_records(records, [repetition_rng(1, 0)]))
    np.testing.assert_array_equal(same.values, records.values)
    for search in ("all", "sample", "pairs", "parts"):
        method = Rwn(q=1.0, k=4, radius=0.7, search=search, looked_at=60)
        release = next(method.draw_records(records, [repetition_rng(1, 0)]))
        assert not np.array_equal(release.values, records.values, equal_nan=True)
        for released, original in zip(release.values.T, records.values.T, strict=True):
            assert {*released[~np.isnan(released)]} <= {*original[~np.isnan(original)]}
    table = sdc.load_dataset("ma2019-twin").histogram(["SEX", "RAC1P"])
    still = Rwn(q=0.0).release(table, seed=3)
    np.testing.assert_array_equal(still.counts, table.counts)


def test_only_chosen_variables_change_and_the_seed_decides() -> None:
    records = mixed_records(150)
    method = Rwn(q=1.0, variables=("pay",))
    one, again, other = (
        next(method.draw_records(records, [repetition_rng(seed, 0)])) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.values, again.values)
    assert not np.array_equal(one.values, other.values, equal_nan=True)
    np.testing.assert_array_equal(one.values[:, [0, 2]], records.values[:, [0, 2]])


def enumerated(records: Records, q: float, near: list[list[int]]) -> dict[tuple[float, ...], list]:
    """The number of released records with each combination, over all outcomes: each record and
    each variable keeps its value, or takes that of one of the neighbours. Chances by number."""
    number, width = records.values.shape
    laws = []
    for i in range(number):
        law: dict[tuple[float, ...], float] = {}
        choices = [(1 - q, i), *((q / len(near[i]), s) for s in near[i])]
        for picks in itertools.product(choices, repeat=width):
            made = tuple(records.values[s, j] for j, (_, s) in enumerate(picks))
            law[made] = law.get(made, 0.0) + math.prod(p for p, _ in picks)
        laws.append(law)
    out: dict[tuple[float, ...], list] = {}
    for outcome in itertools.product(*(law.items() for law in laws)):
        chance = math.prod(p for _, p in outcome)
        for combination in {made for made, _ in outcome}:
            hits = sum(made == combination for made, _ in outcome)
            out.setdefault(combination, []).append((chance, hits))
    return out


@pytest.mark.parametrize(("q", "k", "radius"), [(0.3, 2, 0.0), (1.0, 1, 0.0), (0.5, 1, 0.3)])
def test_expected_counts_equal_an_enumeration(q: float, k: int, radius: float) -> None:
    near = plain_search(Scale.of(PEOPLE).points(PEOPLE), k, radius)
    found = enumerated(PEOPLE, q, near)
    combinations = np.array([*itertools.product([20.0, 30.0, 60.0], [0.0, 1.0])])
    mean, variance = Rwn(q=q, k=k, radius=radius).expected_counts(PEOPLE, combinations)
    assert mean.sum() == pytest.approx(len(PEOPLE))
    for combination, m, v in zip(combinations, mean, variance, strict=True):
        law = found.get(tuple(combination), [])
        first = sum(p * hits for p, hits in law)
        assert m == pytest.approx(first, abs=1e-12)
        assert v == pytest.approx(sum(p * hits**2 for p, hits in law) - first**2, abs=1e-12)


SMALL = sdc.Histogram(
    np.array([0, 3, 1, 0, 2, 7, 1, 1, 0, 4, 0, 2]),
    sdc.Domain((
        sdc.Feature("AGE", "Age", ("0", "1", "2"), ("young", "middle", "old"), ordered=True),
        sdc.Feature("SEX", "Sex", ("1", "2"), ("male", "female")),
        sdc.Feature("JOB", "Job", ("0", "1"), ("no", "yes")),
    )),
)


@pytest.mark.parametrize("settings", [
    {"q": 0.4, "k": 3}, {"q": 1.0, "k": 1}, {"q": 0.7, "k": 2, "radius": 1.45},
    {"q": 0.6, "k": 4, "variables": ("SEX", "AGE")}, {"q": 0.6, "k": 4, "variables": ("JOB",)},
])
def test_a_table_is_its_records(settings: dict) -> None:
    """The closed form on cells with counts is that of the same records, one row each, in the order
    of the cells; and what is drawn agrees with it."""
    method = Rwn(**settings)
    frame = as_records(SMALL.counts, SMALL.domain)
    records = Records.of(frame.assign(AGE=frame["AGE"].astype(float)))
    cells = np.stack(np.unravel_index(np.arange(12), SMALL.domain.shape), axis=1).astype(float)
    mean, variance = method.expected_counts(records, cells)
    bias, spread, absolute = method.exact_moments(SMALL)
    np.testing.assert_allclose(bias + SMALL.counts, mean, atol=1e-12)
    np.testing.assert_allclose(spread, variance, atol=1e-12)
    drawn = method.draw_tables(SMALL, [repetition_rng(5, r) for r in range(4000)])
    error = np.sqrt(variance / 4000) + 1e-12
    assert (np.abs(drawn.mean(axis=0) - mean) < 5 * error + 1e-9).all()
    seen = np.abs(drawn - SMALL.counts)
    assert (np.abs(seen.mean(axis=0) - absolute) < 5 * seen.std(axis=0) / 4000**0.5 + 1e-9).all()
    assert (drawn.sum(axis=1) == SMALL.total).all()


def test_drawn_records_agree_with_expected_counts() -> None:
    method, releases = Rwn(q=0.6, k=3), 3000
    cells = np.array([*itertools.product([20.0, 30.0, 60.0], [0.0, 1.0])])
    mean, variance = method.expected_counts(PEOPLE, cells)
    drawn = np.array([
        [(release.values == cell).all(axis=1).sum() for cell in cells]
        for release in method.draw_records(PEOPLE, [repetition_rng(2, r) for r in range(releases)])
    ])
    assert (np.abs(drawn.mean(axis=0) - mean) < 5 * np.sqrt(variance / releases) + 1e-9).all()


def test_as_neighbourhoods_shrink_the_joint_distribution_is_kept() -> None:
    """P4 §7, exactly: with q = 1 and neighbours within a radius the expected share of releases at
    or below (a, b) is the mean of a product of two shares. It goes to the data's own as the radius
    goes to 0, and to the product of the margins as it covers everybody, though every two values
    are drawn independently at any radius."""
    rng = np.random.default_rng(4)
    first = rng.normal(size=1500)
    data = np.column_stack([first, 0.9 * first + math.sqrt(1 - 0.81) * rng.normal(size=1500)])
    records = Records.of(data)
    grid = np.quantile(data, [0.1, 0.3, 0.5, 0.7, 0.9], axis=0)
    below = (data[:, :, None] <= grid.T[None]).astype(float)  # record, variable, place
    truth = np.einsum("ia,ib->ab", below[:, 0], below[:, 1]) / len(data)
    gaps = []
    for radius in (2.0, 0.3, 0.1, 0.03):
        near = Rwn(q=1.0, k=1, radius=radius).neighbourhoods(records)
        shares = [
            np.add.reduceat(below[near.members, j], near.starts[:-1], axis=0)
            / near.sizes[:, None] for j in (0, 1)]
        gaps.append(np.abs(np.einsum("ia,ib->ab", *shares) / len(data) - truth).max())
    independent = np.abs(np.outer(below[:, 0].mean(0), below[:, 1].mean(0)) - truth).max()
    assert gaps[0] == pytest.approx(independent, abs=1e-3)
    assert gaps == sorted(gaps, reverse=True) and gaps[-1] < 0.01 < independent / 10


@pytest.mark.parametrize("q", [0.2, 1.0])
@pytest.mark.parametrize("k", [1, 4])
def test_two_groups_of_k_plus_one_show_a_move_for_sure(q: float, k: int) -> None:
    """The example of the remark: such groups come out as they are; after a move they never do."""
    method = Rwn(q=q, k=k)
    domain = sdc.Domain((sdc.Feature("SEX", "Sex", ("1", "2"), ("male", "female")),))
    before = sdc.Histogram(np.array([k + 1, k + 1]), domain)
    after = sdc.Histogram(np.array([k, k + 2]), domain)
    rngs = [repetition_rng(1, r) for r in range(300)]
    assert (method.draw_tables(before, rngs) == before.counts).all()
    assert (method.draw_tables(after, rngs)[:, 0] <= k).all()
    found = method.guarantee(before)
    assert found.delta_tight == 1.0 and not found.is_bound and f"{k + 1} people" in found.remark
    everybody = method.replace(radius=3.0).guarantee(before)
    assert everybody.is_bound and "not known" in everybody.remark


@pytest.mark.parametrize(("records", "settings", "said"), [
    (PEOPLE, {"k": 5}, "k must be at most the number of other records, 4, got 5"),
    (PEOPLE, {"k": 1, "variables": ("income",)}, "'income', which the records do not have"),
    (Records.of(pd.DataFrame({"x": [1.0, 1.0], "s": ["f", "f"]})), {"k": 1},
     "All records are the same"),
])
def test_bad_input_is_one_sentence(records: Records, settings: dict, said: str) -> None:
    with pytest.raises(sdc.InputError, match=said):
        next(Rwn(**settings).draw_records(records, [repetition_rng(1, 0)]))


def test_bad_tables_are_refused_in_one_sentence() -> None:
    with pytest.raises(sdc.InputError, match="at most the number of other records, 20, got 21"):
        Rwn(k=21).check(SMALL)
    alone = sdc.Histogram(np.array([9, 0]), sdc.Domain(SMALL.domain.features[1:2]))
    with pytest.raises(sdc.InputError, match="All records are the same"):
        Rwn().check(alone)
    with pytest.raises(sdc.InputError, match="needs a table with named features"):
        Rwn().exact_moments([1, 2, 3])


def test_two_rows_exchange_their_values_and_constant_columns_stay() -> None:
    two = Records.of(pd.DataFrame({"x": [1.0, 5.0], "c": [3.0, 3.0]}))
    release = next(Rwn(q=1.0, k=1).draw_records(two, [repetition_rng(1, 0)]))
    np.testing.assert_array_equal(release.values, [[5.0, 3.0], [1.0, 3.0]])

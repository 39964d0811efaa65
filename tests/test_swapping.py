"""Swapping of quasi-identifiers: the law of every version, its invariants, and its guarantees.

Proven here: permute-and-flip by groups equals the mechanism candidate by candidate; exact bias,
variance and expected error of a released table equal those of its law, enumerated record by
record on tiny tables; counts by the features that are not swapped never change; the published
guarantees are what the papers print, and fail where they fail.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.experiment import evaluate
from sdc_core.mechanisms.base import Mechanism, repetition_rng
from sdc_core.mechanisms.permute_and_flip import win_probabilities
from sdc_core.mechanisms.swapping import _patterns
from sdc_core.privacy.guarantee import Neighbours
from tests import agreement

RealData = Callable[[str], sdc.Dataset]
FIVE = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
QI = ("race",)

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("swapping", {"swap_rate": 0.3, "require_different": True}),
    ("swapping", {"swap_rate": 0.6, "require_different": False}),
    ("dp-swapping", {"swap_rate": 0.4, "epsilon": 0.5, "require_different": False}),
    ("dp-swapping", {"swap_rate": 1.0, "epsilon": 6.0, "require_different": False}),
    ("dp-swapping", {"swap_rate": 0.4, "epsilon": 0.5, "require_different": True}),
    ("dp-swapping", {"swap_rate": 1.0, "epsilon": 6.0, "require_different": True}),
    ("dp-swapping-uniform", {"epsilon": 0.7}),
]
every_setting = pytest.mark.parametrize(("name", "settings"), SETTINGS)


def table_of(counts: Any) -> sdc.Histogram:
    """Counts by place (rows) and race (columns)."""
    counts = np.asarray(counts, dtype=np.int64)
    features = tuple(
        sdc.Feature(title, title, tuple(str(i) for i in range(n)), tuple(f"{title} {i}" for i in
                                                                      range(n)))
        for title, n in zip(("place", "race"), counts.shape, strict=True)
    )
    return sdc.Histogram(counts.reshape(-1).copy(), sdc.Domain(features))


def built(name: str, settings: dict[str, Any]) -> Mechanism:
    return sdc.mechanism(name, **settings, quasi_identifiers=QI)


# ---- permute-and-flip -------------------------------------------------------------------------


def one_by_one(scores: np.ndarray, rate: float) -> np.ndarray:
    """The mechanism as defined: in random order, each candidate is taken with chance
    exp(λ (q - q*)); averaged over all orders, exactly."""
    chance = np.exp(rate * (scores - scores.max()))
    wins = np.zeros(len(scores))
    for order in itertools.permutations(range(len(scores))):
        left = 1.0
        for candidate in order:
            wins[candidate] += left * chance[candidate]
            left *= 1 - chance[candidate]
    return wins / math.factorial(len(scores))


@pytest.mark.parametrize("rate", [0.1, 1.0, 7.0])
@pytest.mark.parametrize(
    ("scores", "sizes"),
    [((0.0, -1.0), (1, 1)), ((0.0, -0.2, -0.6, -1.0), (1, 2, 1, 3)), ((-1.0, -2.0), (3, 4)),
     ((0.0, -1.0, -3.0), (0, 2, 3)), ((0.0,), (5,)), ((0.0, -5.0), (1, 6))],
)
def test_groups_win_as_often_as_their_candidates(
    scores: tuple[float, ...], sizes: tuple[int, ...], rate: float
) -> None:
    candidates = np.repeat(scores, sizes)
    group = np.repeat(np.arange(len(scores)), sizes)
    expected = np.bincount(group, one_by_one(candidates, rate), minlength=len(scores))
    found = win_probabilities(np.array(scores), np.array([sizes]), rate)[0]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_the_sheets_check_values() -> None:
    found = win_probabilities(np.array([0.0, -0.2, -0.6, -1.0]), np.array([[1, 2, 1, 3]]), 1.0)
    np.testing.assert_allclose(found[0], [0.253512, 0.389649, 0.121680, 0.235159], atol=5e-7)


def test_many_candidates_win_as_the_exponential_race_says() -> None:
    """200,000 races of noisy scores with thousands of candidates, drawn as group maxima."""
    scores, sizes, rate = np.array([0.0, -1.0, -2.0, -5.0]), np.array([3, 400, 2000, 9000]), 0.8
    rng = np.random.default_rng(5)
    uniform = rng.random((200_000, len(scores)))
    noisy = scores - np.log(-np.expm1(np.log(uniform) / sizes)) / rate
    expected = win_probabilities(scores, sizes[None, :], rate)[0]
    assert agreement.law_agrees(noisy.argmax(axis=1), range(len(scores)), expected)
    shifted = win_probabilities(scores, sizes[None, :], 1.2 * rate)[0]
    assert not agreement.law_agrees(noisy.argmax(axis=1), range(len(scores)), shifted)


# ---- the law of a released table --------------------------------------------------------------


def record_moves(name: str, settings: dict[str, Any], counts: np.ndarray) -> list[np.ndarray]:
    """For each record, where its race goes, worked out donor by donor from the definition."""
    records = [(r, q) for r, q in np.ndindex(counts.shape) for _ in range(counts[r, q])]
    out = []
    for i, (row, race) in enumerate(records):
        law = np.zeros(counts.shape[1])
        if name == "dp-swapping-uniform":
            e, n = math.exp(settings["epsilon"]), counts.shape[1]
            law[:] = 1 / (e + n - 1)
            law[race] = e / (e + n - 1)
            out.append(law)
            continue
        donors = [d for j, d in enumerate(records) if j != i]
        if settings.get("require_different"):
            donors = [d for d in donors if d[1] != race]
        if not donors:  # its own values are all there is
            law[race] = 1.0
            out.append(law)
            continue
        distance = np.array([(d[0] != row) + (d[1] != race) for d in donors], dtype=float)
        if name == "swapping":
            wins = (distance == distance.min()) / (distance == distance.min()).sum()
        else:
            wins = one_by_one(-distance, settings["epsilon"] / 4)  # λ = ε/(2d), d = 2 features
        rate = settings["swap_rate"]
        law[race] += 1 - rate
        for donor, win in zip(donors, wins, strict=True):
            law[donor[1]] += rate * win
        out.append(law)
    return out


def cell_moments(counts: np.ndarray, laws: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    """Bias, variance and E|error| of every cell by enumerating who ends where."""
    records = [r for r, q in np.ndindex(counts.shape) for _ in range(counts[r, q])]
    bias, variance, absolute = (np.zeros(counts.shape) for _ in range(3))
    for row, race in np.ndindex(counts.shape):
        chances = [law[race] for r, law in zip(records, laws, strict=True) if r == row]
        law = np.array([1.0])
        for chance in chances:
            law = np.convolve(law, [1 - chance, chance])
        error = np.arange(len(law)) - counts[row, race]
        bias[row, race] = (law * error).sum()
        variance[row, race] = (law * error**2).sum() - bias[row, race] ** 2
        absolute[row, race] = (law * np.abs(error)).sum()
    return bias, variance, absolute


TABLES = [[[2, 1], [0, 3]], [[1, 0, 2], [3, 1, 0]], [[1, 1], [1, 1]], [[4, 0], [0, 3]]]


@every_setting
@pytest.mark.parametrize("counts", TABLES)
def test_exact_moments_are_those_of_the_law(
    name: str, settings: dict[str, Any], counts: list[list[int]]
) -> None:
    table = table_of(counts)
    expected = cell_moments(np.array(counts), record_moves(name, settings, np.array(counts)))
    found = built(name, settings).exact_moments(table)
    for mine, true in zip(found, expected, strict=True):
        np.testing.assert_allclose(mine, true.reshape(-1), rtol=0, atol=1e-10)


@every_setting
def test_draws_follow_the_exact_moments(name: str, settings: dict[str, Any]) -> None:
    table = table_of([[6, 2, 0], [1, 9, 3]])
    mechanism = built(name, settings)
    bias, variance, _ = mechanism.exact_moments(table)
    rows = mechanism.draw_tables(table, [repetition_rng(3, r) for r in range(20_000)])
    for cell in range(len(table)):
        mean = table.counts[cell] + bias[cell]
        assert agreement.mean_agrees(rows[:, cell], mean, variance[cell], reach=table.total)
        assert agreement.variance_agrees(rows[:, cell], mean, variance[cell], reach=table.total)


@pytest.mark.parametrize("require_different", [True, False])
@pytest.mark.parametrize("counts", [[[6, 2, 0], [1, 9, 3]], *TABLES])
def test_dp_swapping_and_swapping_meet_as_epsilon_grows(
    counts: list[list[int]], require_different: bool
) -> None:
    """As ε grows permute-and-flip takes the closest donor, ties alike: all moments become those of
    swapping with the same setting, the nearer the larger ε is. (Donors alike: equal at any ε.)"""
    table = table_of(counts)
    settings = {"swap_rate": 0.25, "require_different": require_different}
    target = built("swapping", settings).exact_moments(table)
    gaps = []
    for epsilon in (1, 20, 50, 100):
        found = built("dp-swapping", {**settings, "epsilon": epsilon}).exact_moments(table)
        gaps.append([np.abs(f - t).max() for f, t in zip(found, target, strict=True)])
    assert np.max(gaps[-1]) < 1e-9
    assert (np.diff(np.array(gaps)[:, 0]) <= 1e-12).all()  # the expected tables only come nearer
    if counts == [[6, 2, 0], [1, 9, 3]]:
        assert gaps[0][0] > 0.02
        other = built("swapping", {**settings, "require_different": not require_different})
        far = np.abs(found[0] - other.exact_moments(table)[0]).max()
        assert far > 0.2  # with another setting they do not meet


def test_on_the_real_excerpt_they_meet_at_the_counterparts_error(real_data: RealData) -> None:
    """Swapping's donor must differ, and at 25% its expected table is off by 525 people. DP swapping
    comes there; were its donor free to be alike, its error would fall to 21 instead."""
    table = real_data("ma2019").histogram(FIVE)
    swapping = sdc.mechanism("swapping", swap_rate=0.25)
    # by hand: everybody's donor is any of the records with another race or sex at least distance
    cells = np.flatnonzero(table.counts)
    codes = np.stack(np.unravel_index(cells, table.domain.shape))
    ordered = [f.ordered for f in table.domain.features]
    assert not any(ordered)  # so that distance is the number of features that differ
    apart = (codes[:, :, None] != codes[:, None, :]).sum(axis=0).astype(float)
    alike = (codes[1][:, None] == codes[1]) & (codes[2][:, None] == codes[2])
    apart[alike] = np.inf
    donors = (apart == apart.min(axis=1, keepdims=True)) * table.counts[cells]
    donors = donors / donors.sum(axis=1, keepdims=True)
    expected = 0.75 * table.counts
    for i, cell in enumerate(cells):
        for j in np.flatnonzero(donors[i]):
            to = (codes[0, i], codes[1, j], codes[2, j], *codes[3:, i])
            where = np.ravel_multi_index(to, table.domain.shape)
            expected[where] += 0.25 * table.counts[cell] * donors[i, j]
    np.testing.assert_allclose(swapping.bias(table), expected - table.counts, atol=1e-9)
    l1 = np.abs(expected - table.counts).sum()
    assert l1 == pytest.approx(525, abs=0.5)
    for require_different, known in ((True, l1), (False, 21)):
        private = sdc.mechanism("dp-swapping", epsilon=100, swap_rate=0.25,
                                require_different=require_different)
        assert evaluate(private, table).l1_bias == pytest.approx(known, abs=0.5)


def test_moving_whole_groups_has_the_same_mean_and_squares_in_its_variance() -> None:
    table = table_of([[6, 2, 0], [1, 9, 3]])
    mechanism = built("dp-swapping-uniform", {"epsilon": 1.0, "unit": "cell"})
    by_record = built("dp-swapping-uniform", {"epsilon": 1.0})
    np.testing.assert_allclose(mechanism.bias(table), by_record.bias(table), atol=1e-12)
    keep = math.e / (math.e + 2)
    other = (1 - keep) / 2
    counts = table.counts.reshape(2, 3).astype(float)
    squares = (counts**2).sum(axis=1, keepdims=True) - counts**2
    expected = (counts**2 * keep * (1 - keep) + squares * other * (1 - other)).reshape(-1)
    rows = mechanism.draw_tables(table, [repetition_rng(4, r) for r in range(20_000)])
    np.testing.assert_allclose(rows.var(axis=0), expected, rtol=0.06)
    assert evaluate(mechanism, table, repetitions=20).method == "simulated"


def test_bias_of_uniform_swapping_is_proposition_1() -> None:
    """(Σ over the row - n_Q x)/(e^ε + n_Q - 1), P1 Prop 1."""
    counts = np.array([[5, 0, 2], [1, 7, 4]])
    found = built("dp-swapping-uniform", {"epsilon": 1.5}).bias(table_of(counts))
    expected = (counts.sum(axis=1, keepdims=True) - 3 * counts) / (math.exp(1.5) + 2)
    np.testing.assert_allclose(found, expected.reshape(-1), atol=1e-12)


# ---- what never changes, and what must ----------------------------------------------------------

small_counts = st.lists(
    st.lists(st.integers(0, 6), min_size=3, max_size=3), min_size=2, max_size=4
).filter(lambda rows: np.count_nonzero(np.sum(rows, axis=0)) >= 2)
any_setting = st.sampled_from([*SETTINGS, ("swapping", {"paired": True, "swap_rate": 0.5})])


@given(small_counts, any_setting, st.integers(0, 10_000))
def test_counts_by_other_features_never_change(
    rows: list[list[int]], chosen: tuple[str, dict[str, Any]], seed: int
) -> None:
    table = table_of(rows)
    before = table.counts.copy()
    release = built(*chosen).release(table, seed)
    after = release.counts.reshape(len(rows), 3)
    np.testing.assert_array_equal(after.sum(axis=1), np.sum(rows, axis=1))
    assert (after >= 0).all() and after.dtype.kind == "i"
    np.testing.assert_array_equal(table.counts, before)
    np.testing.assert_array_equal(built(*chosen).release(table, seed).counts, release.counts)
    if chosen[1].get("paired"):  # an exchange also keeps how often each race occurs
        np.testing.assert_array_equal(after.sum(axis=0), np.sum(rows, axis=0))


def test_a_donor_that_must_differ_is_the_default_of_both() -> None:
    for name in ("swapping", "dp-swapping"):
        assert sdc.mechanism(name).settings()["require_different"] is True
        assert sdc.mechanism(name, require_different=False).label().endswith("25% (any donor)")


def test_a_swap_rate_of_zero_changes_nothing_and_a_different_donor_changes_something() -> None:
    table = table_of([[8, 2], [1, 9]])
    for name in ("swapping", "dp-swapping"):
        still = built(name, {"swap_rate": 0.0})
        np.testing.assert_array_equal(still.release(table, 1).counts, table.counts)
        assert evaluate(still, table).l1_error == 0
    everyone = built("swapping", {"swap_rate": 1.0, "require_different": True})
    np.testing.assert_array_equal(everyone.release(table, 1).counts, [2, 8, 9, 1])


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.8, 1.0])
def test_chances_that_add_up_to_one_are_not_above_it(rate: float) -> None:
    """Many donors of one place: their shares add up to 1 + 2e-16, which no sampler takes."""
    table = sdc.load_dataset("ma2019-twin").histogram(FIVE)
    chosen = sdc.mechanism("swapping", quasi_identifiers=("PUMA",), swap_rate=rate,
                           require_different=False)
    moves = chosen.moves(chosen.patterns(table))
    assert moves.max() <= 1.0 and moves.min() >= 0.0
    assert moves.sum(axis=1) == pytest.approx(np.ones(len(moves)), abs=1e-12)
    assert chosen.release(table, 7).counts.sum() == table.total


def test_records_of_a_release_are_the_release() -> None:
    table = table_of([[3, 2], [1, 4]])
    release = built("swapping", {"swap_rate": 0.5}).release(table, 2)
    records = release.records
    assert len(records) == 10 and list(records.columns) == ["place", "race"]
    again = sdc.load_dataset(records).histogram(["place", "race"])
    assert again.counts.sum() == 10
    noisy = sdc.mechanism("laplace", postprocess="none").release(table, 2)
    with pytest.raises(sdc.InputError, match="not whole people"):
        _ = noisy.records


def test_bins_of_a_number_are_nearer_when_they_are_next() -> None:
    """Of two donors that differ in age only, the one in the next bin is the closest."""
    ages = sdc.Feature("age", "Age", ("0", "1", "2"), ("a", "b", "c"), ordered=True)
    races = sdc.Feature("race", "Race", ("0", "1", "2"), ("x", "y", "z"))
    counts = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    table = sdc.Histogram(counts.reshape(-1), sdc.Domain((ages, races)))
    moved = sdc.mechanism(
        "swapping", swap_rate=1.0, quasi_identifiers=("race",), require_different=True
    ).release(table, 1).counts.reshape(3, 3)
    assert moved[0].tolist() == [0, 1, 0] and moved[2].tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("settings", "counts", "words"),
    [
        ({"quasi_identifiers": ()}, [[1, 2], [3, 4]], "at least one feature"),
        ({"quasi_identifiers": ("place", "race")}, [[1, 2], [3, 4]], "every feature"),
        ({"quasi_identifiers": ("hair",)}, [[1, 2], [3, 4]], "hair"),
        ({"quasi_identifiers": ("race", "race")}, [[1, 2], [3, 4]], "twice"),
        ({"quasi_identifiers": QI}, [[5, 0], [4, 0]], "nothing to swap"),
    ],
)
@pytest.mark.parametrize("name", ["swapping", "dp-swapping"])
def test_what_cannot_be_swapped_is_said(
    name: str, settings: dict[str, Any], counts: list[list[int]], words: str
) -> None:
    with pytest.raises(sdc.InputError, match=words):
        evaluate(sdc.mechanism(name, **settings), table_of(counts))
    with pytest.raises(sdc.InputError, match=words):
        sdc.mechanism(name, **settings).release(table_of(counts), 1)


def test_bare_counts_have_no_features_to_swap() -> None:
    with pytest.raises(sdc.InputError, match="RAC1P"):
        evaluate(sdc.mechanism("swapping"), sdc.Histogram.from_counts([1, 2]))
    with pytest.raises(sdc.InputError, match="named features"):
        sdc.mechanism("dp-swapping").bias([1, 2])


# ---- guarantees -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "printed", "correct"),
    [(0.5, 0.868, 0.889391), (1, 0.874, 0.891744), (2, 0.899, 0.908041), (4, 0.969, 0.970347)],
)
def test_uniform_swapping_prints_the_misprint_and_the_truth(
    epsilon: float, printed: float, correct: float
) -> None:
    """P1 Table 1 at n_Q = 9, and Theorem 3 with its sign put right."""
    cells = sdc.mechanism("dp-swapping-uniform", epsilon=epsilon, unit="cell")
    found = cells.guarantee(qi_domain_size=9)
    assert found.delta_published == pytest.approx(printed, abs=1e-3)
    assert found.delta_tight == pytest.approx(correct, abs=5e-7)
    assert found.holds is False
    records = sdc.mechanism("dp-swapping-uniform", epsilon=epsilon).guarantee(qi_domain_size=9)
    assert records.delta_tight == 0 and records.holds is True


@pytest.mark.parametrize("n_q", [2, 3, 5])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 3.0])
def test_uniform_swapping_tight_delta_by_enumeration(n_q: int, epsilon: float) -> None:
    """Two whole groups a and b in one row; one person moves from a to b. Outcomes: where each
    group lands. They look alike only if both land in one place; then sizes add up the same."""
    keep = math.exp(epsilon) / (math.exp(epsilon) + n_q - 1)
    other = (1 - keep) / (n_q - 1)

    def law(sizes: tuple[int, int]) -> dict[tuple[int, ...], float]:
        out: dict[tuple[int, ...], float] = {}
        for to_a, to_b in itertools.product(range(n_q), repeat=2):
            chance = (keep if to_a == 0 else other) * (keep if to_b == 1 else other)
            counts = [0] * n_q
            counts[to_a] += sizes[0]
            counts[to_b] += sizes[1]
            out[tuple(counts)] = out.get(tuple(counts), 0.0) + chance
        return out

    before, after = law((10, 20)), law((9, 21))
    delta = sum(max(0.0, p - math.exp(epsilon) * after.get(o, 0.0)) for o, p in before.items())
    found = sdc.mechanism("dp-swapping-uniform", epsilon=epsilon, unit="cell")
    assert found.guarantee(qi_domain_size=n_q).delta_tight == pytest.approx(delta, abs=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 0.48, 0.49, 1.0, 3.0])
def test_how_often_moving_cells_gives_away_more_than_epsilon(epsilon: float) -> None:
    """Two values, all counts up to 5: the worst is a person who leaves for an empty group. With
    more values groups of equal size land on each other, and no closed form is claimed."""
    keep = math.exp(epsilon) / (math.exp(epsilon) + 1)

    def law(sizes: tuple[int, int]) -> dict[tuple[int, int], float]:
        out: dict[tuple[int, int], float] = {}
        groups = [(place, size) for place, size in enumerate(sizes) if size]
        for landing in itertools.product((0, 1), repeat=len(groups)):
            counts, chance = [0, 0], 1.0
            for (place, size), to in zip(groups, landing, strict=True):
                counts[to] += size
                chance *= keep if to == place else 1 - keep
            out[counts[0], counts[1]] = out.get((counts[0], counts[1]), 0.0) + chance
        return out

    deltas, exceeds = [], []
    for a, b in itertools.product(range(1, 6), range(5)):
        for before, after in (((a, b), (a - 1, b + 1)), ((b, a), (b + 1, a - 1))):
            p, q = law(before), law(after)
            deltas.append(sum(max(0.0, w - math.exp(epsilon) * q.get(o, 0)) for o, w in p.items()))
            limit = math.exp(epsilon) * (1 + 1e-9)
            exceeds.append(sum(w for o, w in p.items() if w > limit * q.get(o, 0.0)))
    cells = sdc.mechanism("dp-swapping-uniform", epsilon=epsilon, unit="cell")
    found = cells.guarantee(qi_domain_size=2)
    assert found.delta_tight == pytest.approx(max(deltas), abs=1e-12)
    assert found.exceeds == pytest.approx(max(exceeds), abs=1e-12)
    assert cells.guarantee(qi_domain_size=4).exceeds is None
    records = sdc.mechanism("dp-swapping-uniform", epsilon=epsilon).guarantee(qi_domain_size=4)
    assert records.exceeds == 0


def test_dp_swapping_prints_theorem_3_and_says_that_it_fails() -> None:
    found = sdc.mechanism("dp-swapping", epsilon=0.1, swap_rate=0.25).guarantee(records=2)
    assert found.delta_published == pytest.approx(0.7792, abs=5e-5)
    assert found.delta_tight == 1 and found.holds is False
    assert "0.8125" in found.remark
    with pytest.raises(sdc.InputError, match="records"):
        sdc.mechanism("dp-swapping").guarantee()


def test_the_counterexample_to_theorem_3() -> None:
    """m = 2, 25% swapped, ε = 0.1, {q0, q2} against {q0, q1} with equal other features."""
    rate = 0.25

    def law(first: int, second: int) -> dict[tuple[int, ...], float]:
        out: dict[tuple[int, ...], float] = {}
        for swap_one, swap_two in itertools.product((0, 1), repeat=2):
            result = tuple(sorted((second if swap_one else first, first if swap_two else second)))
            chance = (rate if swap_one else 1 - rate) * (rate if swap_two else 1 - rate)
            out[result] = out.get(result, 0.0) + chance
        return out

    one, two = law(0, 2), law(0, 1)
    delta = sum(max(0.0, p - math.exp(0.1) * two.get(o, 0.0)) for o, p in one.items())
    assert delta == pytest.approx(0.8125)


def release_law(counts: np.ndarray, settings: dict[str, Any]) -> dict[tuple[int, ...], float]:
    """The law of the table that DP swapping releases, by enumerating where every record ends."""
    moves = record_moves("dp-swapping", settings, counts)
    rows = [r for r, q in np.ndindex(counts.shape) for _ in range(counts[r, q])]
    out: dict[tuple[int, ...], float] = {}
    for ends in itertools.product(range(counts.shape[1]), repeat=len(rows)):
        released = np.zeros_like(counts)
        np.add.at(released, (rows, list(ends)), 1)
        chance = math.prod(m[q] for m, q in zip(moves, ends, strict=True))
        key = tuple(released.reshape(-1).tolist())
        out[key] = out.get(key, 0.0) + chance
    return out


def hockey_stick(one: dict, two: dict, epsilon: float) -> float:
    return sum(max(0.0, p - math.exp(epsilon) * two.get(o, 0.0)) for o, p in one.items())


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize(("people", "shape"), [(2, (1, 3)), (3, (1, 3)), (3, (2, 2)), (4, (1, 2))])
def test_true_delta_where_only_swapped_features_differ(
    epsilon: float, people: int, shape: tuple[int, int]
) -> None:
    """Over all tables with so many people, and all changes of one race: the worst δ. A donor that
    must differ makes it larger, never smaller, up to that of one person unlike all the others."""
    worst = {}
    for different in (False, True):
        settings = {"epsilon": epsilon, "swap_rate": 0.25, "require_different": different}
        tables = [
            np.bincount(c, minlength=shape[0] * shape[1]).reshape(shape)
            for c in itertools.combinations_with_replacement(range(shape[0] * shape[1]), people)
        ]
        laws = {t.tobytes(): release_law(t, settings) for t in tables}
        found = []
        for t in tables:
            for row, race in np.argwhere(t):
                for other in set(range(shape[1])) - {race}:
                    changed = t.copy()
                    changed[row, race] -= 1
                    changed[row, other] += 1
                    found.append(hockey_stick(
                        laws[t.tobytes()], laws[changed.tobytes()], epsilon))
        worst[different] = max(found)
    assert worst[True] >= worst[False] - 1e-12
    assert worst[True] == pytest.approx(1 - 0.25 * 0.75 ** (people - 1))
    if people > 2:
        assert worst[True] > worst[False] + 0.05


def test_a_donor_that_must_differ_breaks_theorem_3_at_larger_epsilon_and_that_is_said() -> None:
    """Ten records, nine alike, 25% swapped, ε = 1: against ten alike, which stay as they are, any
    release but that one gives the difference away. Enumerated, swap by swap."""
    unchanged = sum(
        math.prod(0.25 if s else 0.75 for s in swapped)
        for swapped in itertools.product((0, 1), repeat=10)
        if swapped[0] and not any(swapped[1:])  # the odd one takes theirs, nobody takes its
    )
    delta = 1 - unchanged  # e^ε times one certain outcome takes the rest
    chosen = sdc.mechanism("dp-swapping", epsilon=1.0, swap_rate=0.25)
    found = chosen.guarantee(records=10)
    assert found.delta_published < delta
    assert f"{delta:.4f}" == "0.9812" and f"{found.delta_published:.4f}" == "0.9766"
    assert "0.9812" in found.remark and "0.9766" in found.remark
    free = sdc.mechanism("dp-swapping", epsilon=1.0, require_different=False).guarantee(records=10)
    assert "0.9812" not in free.remark and "0.8125" in free.remark


def test_invariants_are_listed_by_name() -> None:
    table = table_of([[1, 2], [3, 4]])
    for name in ("swapping", "dp-swapping", "dp-swapping-uniform"):
        found = sdc.mechanism(name, quasi_identifiers=QI).guarantee(table)
        assert found.invariants == ("counts by place",)
        within = Neighbours.SWAPPED_FEATURES if "uniform" in name else Neighbours.ONE_RECORD
        assert found.neighbours is within
    assert sdc.mechanism("swapping", quasi_identifiers=QI).guarantee(table).formal is False


# ---- the papers' figures ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "l1_bias"), [(0.5, 10906.79), (1, 9859.26), (2, 6841.19), (4, 1664.63)]
)
def test_p1_table_1_within_three_per_cent(
    real_data: RealData, epsilon: float, l1_bias: float
) -> None:
    """QI = race alone with all nine codes, whole groups moved (an earlier extract)."""
    table = real_data("ma2019").histogram(FIVE, domain="dictionary")
    chosen = sdc.mechanism(
        "dp-swapping-uniform", epsilon=epsilon, unit="cell", quasi_identifiers=("RAC1P",)
    )
    assert np.abs(chosen.bias(table)).sum() == pytest.approx(l1_bias, rel=0.03)


def test_p0_table_1_swapping_row_cannot_be_right_as_described(real_data: RealData) -> None:
    """P0 prints ‖bias‖₁ of 3462–3658 with α of 1775–1949 at 25%. A quarter of 7,634 records is
    1,908; α that large needs nearly all of them to land in one cell, but a swap leaves the other
    features in place. Ours is bounded by the records that move, and far smaller."""
    table = real_data("ma2019").histogram(FIVE, "observed")
    moved = 0.25 * table.total
    for epsilon in (0.5, 1, 2, 4):
        found = evaluate(sdc.mechanism("dp-swapping", epsilon=epsilon, swap_rate=0.25), table)
        assert found.l1_bias <= 2 * moved  # the bound that is useful
        assert found.l1_bias < 1000 and found.fairness_alpha < 100
        row_totals = table.counts.reshape(5, 8, 2, 3, 2).sum(axis=(1, 2))
        assert found.fairness_alpha <= 2 * 0.25 * row_totals.max()


def test_no_method_gives_the_numbers_of_another_setting() -> None:
    """What has no closed form says so; moving whole groups has its own variance, with squares."""
    table = table_of([[6, 2, 0], [1, 9, 3]])
    paired = built("swapping", {"paired": True})
    for asked in (paired.bias, paired.variance, paired.exact_moments):
        with pytest.raises(sdc.InputError, match="no closed form"):
            asked(table)
    cells = built("dp-swapping-uniform", {"epsilon": 1.0, "unit": "cell"})
    rows = cells.draw_tables(table, [repetition_rng(4, r) for r in range(20_000)])
    np.testing.assert_allclose(cells.variance(table), rows.var(axis=0), rtol=0.06)
    with pytest.raises(sdc.InputError, match="no closed form"):
        cells.exact_moments(table)


def test_an_exchange_between_records_alike_changes_no_count_and_that_is_said() -> None:
    table = table_of([[40, 30], [20, 50]])
    paired = built("swapping", {"paired": True, "swap_rate": 0.25})
    assert evaluate(paired, table, repetitions=20).l1_error == 0
    assert "protects nobody" in paired.guarantee(table).remark


def test_missing_is_as_far_from_every_bin_as_can_be() -> None:
    ages = sdc.Feature("age", "Age", ("0", "1", "2", "N"), tuple("abc?"), ordered=True,
                       unordered_tail=1)
    races = sdc.Feature("race", "Race", ("0", "1"), ("x", "y"))
    counts = np.array([[1, 0], [0, 0], [1, 0], [0, 1]])
    table = sdc.Histogram(counts.reshape(-1), sdc.Domain((ages, races)))
    distances = _patterns(table, ("race",)).distances
    assert distances[0, 1] == 1  # first and last bin, the whole range
    assert distances[1, 2] == distances[0, 2] == 2  # missing, and another race


def test_a_table_without_people_and_one_with_too_many_kinds() -> None:
    empty = table_of([[0, 0], [0, 0]])
    assert evaluate(built("dp-swapping-uniform", {}), empty).l1_error == 0
    crowd = table_of(np.ones((2100, 2), dtype=int))
    with pytest.raises(sdc.InputError, match="4,200 different records"):
        evaluate(built("dp-swapping", {}), crowd)


@pytest.mark.parametrize(
    ("fact", "value"), [("records", 0), ("records", -5), ("qi_domain_size", 1),
                        ("stratum_size", 0), ("records", 2.5)]
)
def test_facts_that_cannot_be_are_refused_by_name(fact: str, value: Any) -> None:
    with pytest.raises(sdc.InputError, match=f"{fact} must be"):
        sdc.mechanism("dp-swapping-uniform").guarantee(**{fact: value})


def test_a_sure_move_is_drawn_also_where_rounding_puts_it_above_one() -> None:
    """Shares of donors add up to 1 + 2e-16 on this table; numpy refuses more than 1."""
    table = sdc.load_dataset("ma2019-twin").histogram(
        ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
    )
    swapping = sdc.mechanism(
        "swapping", quasi_identifiers=("PUMA",), require_different=False, swap_rate=0.8
    )
    released = swapping.release(table, seed=7)
    assert released.counts.sum() == table.total
    assert (swapping.variance(table) >= 0).all()
    assert np.isfinite(swapping.absolute_error(table)).all()

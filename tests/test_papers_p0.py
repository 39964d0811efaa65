"""P0's Table 1, figures and claims, against numbers worked out here another way.

Proven here: δ is the paper's formula, typed in again; errors of suppression and of noise come from
counts by pandas and laws by scipy; the leads give the figures known for them; what cannot be is
bounded; another printed value, another reading or a broken mechanism turns a verdict round; claims
fail where they must, and chance decides nothing.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import laplace

import sdc_core as sdc
from sdc_core.mechanisms.base import ExactBias, Mechanism
from sdc_core.papers import p0_claims, p0_claims_people, p0_figures, p0_methods, p0_table
from sdc_core.papers.item import Attempt, Case, Claim, find
from sdc_core.papers.p0 import CLAIMS, ITEMS
from sdc_core.papers.p1_coding import ipums_table
from sdc_core.papers.p1_tables import EXCERPT, IPUMS
from sdc_core.papers.published import published
from sdc_core.papers.verdicts import GOOD, Judged, Ours, Verdict, judged

RealData = Callable[[str], sdc.Dataset]
FIVE = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
EPSILONS = (0.5, 1.0, 2.0, 4.0)
QUICK = Attempt(full=False)
TABLE = ITEMS[0]


def groups(dataset: str) -> np.ndarray:
    """Sizes of all groups by the five features with the values that occur, by pandas."""
    records = sdc.load_dataset(dataset).records[FIVE].astype(str)
    sizes = records.groupby(FIVE).size()
    number = math.prod(records[name].nunique() for name in FIVE)
    return np.r_[sizes.to_numpy(), np.zeros(number - len(sizes), dtype=np.int64)]


def recoded() -> np.ndarray:
    """Sizes of all groups of Massachusetts in P1's coding; test_papers_p1 is about that coding."""
    return ipums_table(sdc.load_dataset("ma2019")).counts


@functools.cache
def made() -> tuple[Ours, ...]:
    return tuple(TABLE.make(QUICK))


def of(row: str, column: str, convention: str = "") -> Ours:
    (one,) = [o for o in made() if (o.row, o.column, o.convention) == (row, column, convention)]
    return one


def verdicts_of(changed: dict[str, Any], row: str, column: str, ours: Any = None) -> Verdict:
    """Of one number of the table, with something changed in the file of printed numbers."""
    (entry,) = [e for e in published("P0", "table1") if (e.row, e.column) == (row, column)]
    mine = [o for o in ours or made() if (o.row, o.column) == (row, column)]
    (one,) = judged([dataclasses.replace(entry, **changed)], mine)
    return one.verdict


# ---- Table 1 ------------------------------------------------------------------------------------


def test_every_delta_is_printed_as_the_papers_formula_gives_it(real_data: RealData) -> None:
    real_data("ma2019")
    largest, people = int(recoded().max()), int(recoded().sum())
    assert people == 7634
    for epsilon in EPSILONS:
        rho, rest = epsilon / 10, math.exp(-epsilon / 2) / people
        by_hand = {
            "laplace": 0.0, "dgauss": math.exp(-((epsilon - rho) ** 2) / (4 * rho)),
            "dp-sup": 1 - math.exp(-epsilon * (largest - 6)) / 4,
            "dp-swap": 1 - 2 * 0.75 * 0.25 * rest - 3 * 0.25**2 * rest**2,
        }
        for row, delta in by_hand.items():
            assert of(f"{row} eps={epsilon:g}", "delta").value == pytest.approx(delta, abs=1e-12)
    found = [one for one in TABLE.judged(made()) if one.entry.column == "delta"]
    assert len(found) == 16 and {one.verdict for one in found} == {Verdict.MATCH}


def test_errors_are_those_of_the_groups_themselves(real_data: RealData) -> None:
    """Exact errors by scipy; 200 averages add at most what noise of variance/200 in each count can
    add, and never take away."""
    real_data("ma2019")
    as_coded, x = groups("ma2019"), recoded()
    assert (len(as_coded), int((as_coded == 0).sum())) == (480, 256)

    def by_noise(sizes: np.ndarray, epsilon: float) -> float:
        return float((np.exp(-epsilon * sizes / 2) / (4 * math.sinh(epsilon / 4))).sum())

    def by_hiding(sizes: np.ndarray, epsilon: float, kept: bool) -> float:
        hidden = laplace(scale=2 / epsilon).cdf(6 - sizes)
        return float((np.abs(3 - sizes) * hidden * ((sizes > 0) | (not kept))).sum())

    for epsilon in EPSILONS:
        for row, convention, errors in (
            ("laplace", IPUMS, by_noise(x, epsilon)),
            ("laplace", EXCERPT, by_noise(as_coded, epsilon)),
            ("dp-sup", p0_table.ZEROS_KEPT, by_hiding(x, epsilon, True)),
            ("dp-sup", p0_table.ZEROS_FILLED, by_hiding(x, epsilon, False)),
            ("dp-sup", EXCERPT, by_hiding(as_coded, epsilon, True)),
        ):
            ours = of(f"{row} eps={epsilon:g}", "l1_bias", convention).value
            assert errors <= ours + 1e-9
            if row == "laplace":
                assert ours <= errors + len(x) * 2.9 / epsilon / math.sqrt(200)
            else:
                assert ours == pytest.approx(errors, rel=0.005)


def test_alpha_and_variance_of_200_releases_drawn_here(real_data: RealData) -> None:
    real_data("ma2019")
    x, rng = recoded(), np.random.default_rng(11)
    alphas, variances = [], []
    for _ in range(30):
        drawn = np.maximum(x + np.rint(rng.laplace(0, 2.0, (200, len(x)))), 0)
        bias = drawn.mean(axis=0) - x
        alphas.append(bias.max() - bias.min())
        variances.append(drawn.var(axis=0, ddof=1).max())
    for column, values in (("alpha", alphas), ("variance", variances)):
        one = of("laplace eps=1", column, IPUMS)
        error = math.hypot(np.std(values) / math.sqrt(30), np.std(values) / math.sqrt(4))
        assert one.value == pytest.approx(np.mean(values), abs=4 * error) and one.error


def test_the_leads_give_the_figures_known_for_them(real_data: RealData) -> None:
    """747, 716, 598 and 422, one draw each; a set of 200 releases varies by 2 people."""
    real_data("ma2019")
    known = dict(zip(EPSILONS, (747, 716, 598, 422), strict=True))
    for epsilon, people in known.items():
        one = of(f"dp-sup eps={epsilon:g}", "l1_bias", p0_table.LEAD_ROUNDED)
        assert one.value == pytest.approx(people, abs=8)
    x = np.array([0.0, 0.0, 0.0, 1.0, 5.0, 6.0, 6.0, 9.0])
    noise = np.array([0.4, 0.6, -0.6, -0.7, 0.4, -0.4, -0.6, -9.2])
    assert p0_table.rounded_rule(x, noise).tolist() == [0, 3, 3, 0, 3, 6, 3, 0]
    assert p0_table.cut_rule(x, noise).tolist() == [0, 0, 0, 3, 3, 6, 6, 9]


def test_what_the_second_lead_is_said_to_do(real_data: RealData) -> None:
    """Errors within 4%, α within 5% of what is printed, drawn here another way."""
    real_data("ma2019")
    printed = {(e.row, e.column): e for e in published("P0", "table1")}
    x, rng = recoded(), np.random.default_rng(5)
    for epsilon in EPSILONS:
        row = f"dp-sup eps={epsilon:g}"
        drawn = []
        for _ in range(40):
            noisy = x + np.trunc(rng.laplace(0, 2 / epsilon, (200, len(x))))
            bias = np.where((noisy < 6) & (noisy != 0), 3, x).mean(axis=0) - x
            drawn.append((np.abs(bias).sum(), bias.max() - bias.min()))
        mean, chance = np.mean(drawn, axis=0), np.std(drawn, axis=0, ddof=1)
        for i, (column, share) in enumerate((("l1_bias", 0.04), ("alpha", 0.05))):
            assert mean[i] == pytest.approx(printed[row, column].value, rel=share)
            ours = of(row, column, p0_table.LEAD_CUT).value  # the mean of two sets
            assert ours == pytest.approx(mean[i], abs=4 * chance[i] / math.sqrt(2))


def test_swapping_cannot_be_as_printed(real_data: RealData) -> None:
    table = ipums_table(real_data("ma2019"))
    found = {(j.entry.row, j.entry.column): j for j in TABLE.judged(made())}
    for epsilon in EPSILONS:
        row = f"dp-swap eps={epsilon:g}"
        assert {found[row, c].verdict for c in ("l1_bias", "alpha")} == {Verdict.CANNOT_BE}
        assert "1,908" in found[row, "alpha"].reason
    assert found["dp-swap eps=0.5", "variance"].verdict is Verdict.CANNOT_BE
    assert found["dp-swap eps=1", "variance"].verdict is not Verdict.CANNOT_BE
    # 25% of the records with one value of what stays are all that can gather in a group
    cube = table.counts.reshape(table.domain.shape)
    stays = max(
        int(cube.sum(axis=tuple(a for a in range(5) if a != axis)).max()) for axis in range(5))
    most = 0.25 * stays + 0.25 * int(table.counts.max())
    assert p0_table.most_by_swapping(table, 1.0, "alpha") < most < 1945.24
    for swapped in (["RACE"], ["RACE", "SEX"], ["PUMA", "OWN_RENT"]):
        for differ in (True, False):
            method = sdc.mechanism("dp-swapping", quasi_identifiers=swapped, swap_rate=0.25,
                                   require_different=differ)
            assert isinstance(method, ExactBias)
            assert np.abs(method.bias(table)).sum() <= p0_table.most_by_swapping(
                table, 1.0, "l1_bias")


def test_a_printed_value_a_reading_or_a_mechanism_turns_a_verdict_round(
    real_data: RealData, monkeypatch: pytest.MonkeyPatch,
) -> None:
    real_data("ma2019")
    row = "laplace eps=1"
    assert verdicts_of({}, row, "l1_bias") is Verdict.WITHIN
    assert verdicts_of({"printed": "442.88"}, row, "l1_bias") is Verdict.DIFFERS
    assert verdicts_of({"tolerance": "0.5%"}, row, "l1_bias") is Verdict.DIFFERS
    assert verdicts_of({"convention": EXCERPT}, row, "l1_bias") is Verdict.DIFFERS
    assert verdicts_of({"printed": "0.14"}, "dgauss eps=1", "delta") is Verdict.DIFFERS
    suppressed = ("dp-sup eps=1", "l1_bias")
    assert verdicts_of({}, *suppressed) is Verdict.DIFFERS
    near = {"convention": p0_table.LEAD_ROUNDED, "tolerance": "10%"}
    assert verdicts_of(near, *suppressed) is Verdict.WITHIN
    assert verdicts_of({**near, "convention": p0_table.ZEROS_KEPT}, *suppressed) is Verdict.DIFFERS

    def without_rounding(epsilon: float, **settings: Any) -> dict[str, Mechanism]:
        found = p0_methods.the_four(epsilon, **settings)
        return {**found, "laplace": found["laplace"].replace(postprocess="none")}

    monkeypatch.setattr(p0_table, "the_four", without_rounding)
    monkeypatch.setattr(p0_table, "EPSILONS", (1.0,))
    broken = list(p0_table.table_1(QUICK))
    assert verdicts_of({}, row, "l1_bias", broken) is Verdict.DIFFERS
    assert verdicts_of({}, row, "alpha", broken) is Verdict.DIFFERS


def test_on_a_twin_nothing_is_judged() -> None:
    found = TABLE.judge(Attempt(full=False, twins_only=True))
    assert len(found) == 64 and {one.verdict for one in found} == {Verdict.NOT_JUDGED}
    assert all("stands in" in one.reason for one in found)


def test_what_the_table_comes_to(real_data: RealData) -> None:
    """Noise rows come out but for their variance and one α; what does not has a reason."""
    real_data("ma2019")
    found: list[Judged] = TABLE.judged(made())
    assert all(one.reason for one in found if one.verdict is not Verdict.MATCH)
    assert Counter(one.verdict for one in found)[Verdict.CANNOT_BE] == 9
    noise = [one for one in found if one.entry.row.startswith(("laplace", "dgauss"))
             and one.entry.column == "l1_bias"]
    assert len(noise) == 8 and all(one.verdict in GOOD for one in noise)
    p1 = {e.row: e.tolerance for e in published("P1", "table1", "l1_bias")}
    assert all(one.entry.tolerance == p1[one.entry.row] for one in noise)  # of the same numbers
    assert all("after ours was seen" in one.entry.reason for one in noise)


# ---- figures ------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_a_figure_has_numbers_but_none_is_judged(number: int) -> None:
    item = ITEMS[number]
    found, problem = item.made(Attempt(full=False, twins_only=True))
    assert not problem and len(found) > 15 and item.judged(found) == [] and item.missing
    assert all(math.isfinite(one.value) for one in found)
    places = Counter((one.row, one.column, one.convention) for one in found)
    assert set(places.values()) == {1}


def test_figure_2_by_hand() -> None:
    x = groups("ma2019-twin")
    found = {(o.row, o.column, o.convention): o.value
             for o in ITEMS[1].make(Attempt(full=False, twins_only=True))}
    for k in (4, 10):
        shown = np.where(x < k, k // 2, x)
        name = f"suppression, k={k}"
        assert found[name, "l1_error", p0_table.ZEROS_FILLED] == np.abs(shown - x).sum()
        assert found[name, "l1_error", p0_table.ZEROS_KEPT] == np.abs(shown - x)[x > 0].sum()
    hidden = laplace(scale=2.0).cdf(8 - x)
    assert found["dp-sup eps=1, k=8", "l1_error", p0_table.ZEROS_FILLED] == pytest.approx(
        (np.abs(4 - x) * hidden).sum())


def test_a_release_that_is_the_data_teaches_what_the_data_teach() -> None:
    data = sdc.load_dataset("ma2019-twin")
    own = p0_figures.learning(data).from_the_data
    still = p0_methods.swapping(0.0)
    assert p0_figures.learnt(data, still, 3, 7).tolist() == [own] * 3
    records = data.records[[*p0_figures.PREDICTORS, "INCOME_50K"]].astype(str)
    rich = (records["INCOME_50K"] == "1").mean()
    assert max(rich, 1 - rich) < own < 1


# ---- claims -------------------------------------------------------------------------------------


def claim(number: int) -> Claim:
    (one,) = [c for c in CLAIMS if c.number == number]
    return one


def tried(number: int, dataset: str = "ma2019-twin", empty: Any = "kept") -> bool | None:
    return claim(number).test(Case(QUICK, dataset, empty)).holds


def test_claims_are_numbered_once_and_belong_to_an_item_or_the_text() -> None:
    assert len({one.number for one in CLAIMS}) == len(CLAIMS) > 40
    assert {one.item for one in CLAIMS} == {"text", *(item.name for item in ITEMS)}
    assert all(one.sentence.endswith(".") and one.where for one in CLAIMS)


@pytest.mark.parametrize("one", [c for c in CLAIMS if not c.slow], ids=lambda one: one.id)
def test_each_claim_can_be_tried_and_gives_its_numbers(one: Claim) -> None:
    for empty in one.empty:
        found = one.test(Case(QUICK, "ma2019-twin", empty))
        assert found.holds in (True, False, None) and any(c.isdigit() for c in found.numbers)


def test_chance_decides_nothing() -> None:
    smaller = p0_methods.all_smaller
    assert smaller([(1, 2, 0.4)]) is True and smaller([(2, 1, 0.4)]) is False
    assert smaller([(1, 2, 0.6)]) is None and smaller([(2, 1, 0.6)]) is None
    assert smaller([(1, 2, 0.0), (2, 1, 0.6)]) is None
    assert smaller([(1, 2, 0.6), (2, 1, 0.1)]) is False
    assert smaller([(1, 1, 0.0)]) is False and smaller([(1, 2, 0), (1, 3, 0)]) is True


@pytest.mark.parametrize("dataset", ["ma2019-twin", "tx2019-twin"])
def test_laplace_and_suppression_by_hand(dataset: str) -> None:
    """Claims 15 and 16 turn on what becomes of empty groups."""
    x = groups(dataset)
    for empty in ("kept", "filled"):
        below = []
        for epsilon in EPSILONS:
            hidden = laplace(scale=2 / epsilon).cdf(6 - x) * ((x > 0) | (empty == "filled"))
            noise = (np.exp(-epsilon * x / 2) / (4 * math.sinh(epsilon / 4))).sum()
            below.append(noise < (np.abs(3 - x) * hidden).sum())
        assert tried(15, dataset, empty) is all(below[1:])
        assert tried(16, dataset, empty) is not below[0]
    assert tried(15, dataset, "filled") and not tried(15, dataset, "kept")


def test_unique_people_by_hand() -> None:
    """Rounded noise leaves 1 at 1 with chance 1 − e^(−ε/4); a 1 is shown with Pr[noise ≥ 5]."""
    found = p0_claims_people._shown(Case(QUICK, "ma2019-twin"))
    assert found["laplace"] == pytest.approx([100 * (1 - math.exp(-e / 4)) for e in EPSILONS])
    shown = [100 * laplace(scale=2 / e).sf(5) for e in EPSILONS]
    assert found["dp-sup"] == pytest.approx(shown)
    assert max(shown) > 5 and tried(41) is False
    assert tried(37, empty="") is True


def planted(**changed: Any) -> Callable[..., dict[str, Mechanism]]:
    """The four methods, one of them another."""
    def four(*given: Any, **settings: Any) -> dict[str, Mechanism]:
        found = p0_methods.the_four(*given, **settings)
        return found | {name: make(found[name]) for name, make in changed.items()}

    return four


def weaker(method: Mechanism) -> Mechanism:
    return method.replace(epsilon=method.settings()["epsilon"] / 50)


def test_claims_fail_for_a_planted_mechanism(monkeypatch: pytest.MonkeyPatch) -> None:
    holding = {15: "filled", 17: "kept", 20: "kept", 21: ""}
    assert all(tried(n, empty=e) is True for n, e in holding.items())
    monkeypatch.setattr(p0_claims, "the_four", planted(laplace=weaker))
    assert all(tried(n, empty=e) is False for n, e in holding.items())
    assert tried(5, empty="filled") is True
    monkeypatch.setattr(p0_claims, "the_four", planted(**{
        "dp-sup": lambda one: one.replace(k=4 * one.settings()["k"])}))
    assert tried(5, empty="filled") is False and tried(10) is False
    monkeypatch.setattr(p0_claims_people, "the_four", planted(dgauss=lambda one: sdc.mechanism(
        "geometric", epsilon=one.settings()["epsilon"] * 4)))
    assert tried(40, empty="") is False
    monkeypatch.setattr(p0_claims_people, "the_four", planted(laplace=lambda one: sdc.mechanism(
        "laplace", epsilon=2.0 / one.settings()["epsilon"])))
    assert tried(37, empty="") is False


def test_models_are_compared_beyond_chance_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """With noise in place of every method nothing can be told apart; with hardly any it can."""
    noise = {name: lambda one: sdc.mechanism("laplace", epsilon=one.settings()["epsilon"])
             for name in p0_methods.FOUR}
    monkeypatch.setattr(p0_claims_people, "the_four", planted(**noise))
    assert tried(26) is False  # the same releases: no difference at all
    worst = {name: lambda one: sdc.mechanism("laplace", epsilon=0.001)
             for name in p0_methods.DP_SDC}
    best = {name: lambda one: sdc.mechanism("laplace", epsilon=20.0) for name in p0_methods.NOISE}
    monkeypatch.setattr(p0_claims_people, "the_four", planted(**worst, **best))
    assert tried(26) is True


def test_groups_of_people_by_hand() -> None:
    """Suppression of each cell of the two-way table of White men, added up here."""
    data = sdc.load_dataset("ma2019-twin")
    records = data.records[["RAC1P", "SEX", "PINCP_DECILE", "EDU"]].astype(str)
    men = records[(records["RAC1P"] == "1") & (records["SEX"] == "1")]
    known = men[~men["PINCP_DECILE"].isin(["N"]) & ~men["EDU"].isin(["N"])]
    sizes = known.groupby(["PINCP_DECILE", "EDU"]).size().to_numpy()
    hidden = laplace(scale=1.0).cdf(10 - sizes)
    table = p0_figures.by_income_and_education(data)
    method = p0_figures.methods_of_figure_3(True)["dp-sup"]
    place = p0_figures.people_of(table, p0_figures.WHITE_MEN)
    assert p0_figures.misplaced(table, method, place) == pytest.approx(
        1000 * (np.abs(5 - sizes) * hidden).sum() / sizes.sum())


def test_a_finding_says_where_a_claim_flips() -> None:
    found = find(claim(15), Attempt(full=False, twins_only=True))
    assert found.flips and found.fails
    assert {(t.dataset, t.empty) for t in found.tried} == set(itertools.product(
        ("ma2019-twin", "tx2019-twin", "national2019-twin"), ("kept", "filled")))
    assert {t.empty for t in found.tried if t.holds} == {"filled"}

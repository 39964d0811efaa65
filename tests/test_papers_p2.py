"""P2 beside ours: plain formulas, small releases by hand, and verdicts that flip."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from sdc_core.data import Dataset, load_dataset
from sdc_core.errors import InputError
from sdc_core.experiment import evaluate
from sdc_core.histogram import Histogram
from sdc_core.papers import p2, p2_claims
from sdc_core.papers.every import CLAIMS, item
from sdc_core.papers.item import Attempt, Case, Empty, Finding, find
from sdc_core.papers.p2_releases import FEATURES, dp_suppression, laplace, told_apart
from sdc_core.papers.published import published
from sdc_core.papers.verdicts import Verdict, judged

QUICK = Attempt(full=False, twins_only=True)
TWIN = "ma2019-twin"
K = 10


def found(number: int) -> Finding:
    (claim,) = (c for c in CLAIMS if c.id == f"p2-claim-{number}")
    return find(replace(claim, tried_on=(TWIN,), about=()), QUICK)


def holds(number: int) -> dict[str, bool | None]:
    return {one.empty: one.holds for one in found(number).tried}


def on_twin(test: Callable[[Case], Any], empty: Empty = "") -> Any:
    return test(Case(QUICK, TWIN, empty))


def laplace_bias(x: float, epsilon: float) -> float:
    """Rounded, then set to zero where negative."""
    return math.exp(-epsilon * x / 2) / (4 * math.sinh(epsilon / 4))


def hidden(x: int, epsilon: float) -> float:
    """P2's eq. 1: the chance that a count is hidden."""
    return 1.0 if x < K else 0.5 * math.exp(-(x - K) * epsilon / 2)


# Numbers ------------------------------------------------------------------------------------------

def test_the_places_are_those_of_three_files(real_data: Callable[[str], Dataset]) -> None:
    names = ("ma2019", "tx2019", "national2019")
    codes = {code for name in names for code in real_data(name).records["PUMA"].unique()}
    (one,) = item("p2-text-3.3").judge(Attempt(full=False))
    assert one.verdict is Verdict.MATCH and one.ours is not None
    assert one.ours.value == len(codes) == 31


def test_on_twins_nothing_is_judged() -> None:
    for name in ("p2-text-3.2", "p2-text-3.3"):
        for one in item(name).judge(QUICK):
            assert one.verdict is Verdict.NOT_JUDGED and "stands in" in one.reason


def test_the_spike_is_where_most_released_records_right_of_the_centre_are() -> None:
    """Three hundred at the centre, ten at 71, thirty at 98 in two releases of twenty and ten."""
    def release(at_71: int, at_98: int) -> Any:
        return SimpleNamespace(even_scores=np.array([[0.5, 0.71, 0.98]]),
                               released=np.array([[300, at_71, at_98]]))

    assert p2.spike([release(10, 20), release(0, 10)]) == 98
    assert p2.spike([release(25, 20), release(0, 1)]) == 71


def test_the_reading_makes_the_verdict(real_data: Callable[[str], Dataset]) -> None:
    """Only where empty groups are filled is there a spike near 100 under suppression."""
    real_data("ma2019")
    entry = next(e for e in published("P2", "text-3.2") if e.row.startswith("dp-sup"))
    made = [o for o in item("p2-text-3.2").made(Attempt(full=False))[0] if o.row == entry.row]
    of = {o.convention: judged([replace(entry, convention=o.convention)], [o])[0] for o in made}
    assert of[f"Massachusetts, {p2.FILLED}"].verdict is Verdict.MATCH
    assert of[f"National, {p2.FILLED}"].verdict is Verdict.WITHIN
    assert of[f"Massachusetts, {p2.LEFT}"].verdict is Verdict.DIFFERS
    assert of[f"National, {p2.LEFT}"].verdict is Verdict.DIFFERS
    filled = next(o for o in made if o.convention == f"Massachusetts, {p2.FILLED}")
    elsewhere = judged([replace(entry, printed="50", convention=filled.convention)], [filled])
    assert elsewhere[0].verdict is Verdict.DIFFERS


def test_every_entry_has_its_item_and_every_claim_its_figure() -> None:
    assert {e.item for e in published("P2")} <= {i.name for i in p2.ITEMS}
    assert {c.item for c in p2.CLAIMS} <= {*(i.name for i in p2.ITEMS), "text"}
    assert len({c.number for c in p2.CLAIMS}) == len(p2.CLAIMS)


# Figure 1 -----------------------------------------------------------------------------------------

def test_errors_of_a_group_are_added_up_over_its_counts() -> None:
    """Suppression: a count x is off by |5 - x| where it is hidden."""
    data = load_dataset(TWIN)
    records = data.records
    black = records[(records["RAC1P"] == "2") & (records["SEX"] == "1")]
    known = black[(black["PINCP_DECILE"] != "N") & (black["EDU"] != "N")]
    counts = known.groupby(["PINCP_DECILE", "EDU"], observed=True).size()
    assert (counts < K).all() and counts.sum() == 75
    cells = 10 * 12  # tenths and kinds of education that are in order
    kept = sum(abs(5 - x) for x in counts)
    of_men = p2_claims._of_men(Case(QUICK, TWIN), dp_suppression(2.0, True))
    assert of_men.groups[1].misplaced == pytest.approx(kept)
    filled = p2_claims._of_men(Case(QUICK, TWIN), dp_suppression(2.0, False))
    assert filled.groups[1].misplaced == pytest.approx(kept + 5 * (cells - len(counts)))
    assert p2_claims._misplaced(of_men.groups[1]) == pytest.approx(1000 * kept / 75)


def test_lines_are_fairer_under_one_treatment_and_not_the_other() -> None:
    """With empty groups filled, a group of 75 becomes one of 600, and its line is gone."""
    assert holds(6) == {"kept": False, "filled": True}
    assert holds(5) == {"kept": True, "filled": True}


# Figure 2 -----------------------------------------------------------------------------------------

def test_records_in_an_empty_group_give_themselves_away() -> None:
    """Two groups alike and one that only the release has: its records score 100, no other near."""
    table = Histogram.from_counts([200, 200, 0])
    one = told_apart(table, np.array([200.0, 200.0, 40.0]))
    assert p2.spike([one]) == 100
    assert p2_claims._given_away(one) == pytest.approx(40 / 440)
    assert p2_claims._given_away(told_apart(table, np.array([200.0, 200.0, 0.0]))) == 0


def test_means_that_chance_could_turn_round_are_not_ranked() -> None:
    assert p2_claims._first_is_less([1.0, 1.1, 0.9], [2.0, 2.1, 1.9])
    assert not p2_claims._first_is_less([2.0, 2.1, 1.9], [1.0, 1.1, 0.9])
    with pytest.raises(InputError, match="close"):
        p2_claims._first_is_less([1.0, 3.0, 2.0], [2.1, 1.1, 3.1])


def test_fakes_are_known_only_where_empty_groups_are_filled() -> None:
    assert holds(8) == {"kept": False, "filled": True}
    assert holds(10) == {"kept": False, "filled": True}
    assert holds(9) == {"": True}


# Figure 3 -----------------------------------------------------------------------------------------

@pytest.mark.parametrize(("epsilon", "number"), [(1.0, 12), (4.0, 13)])
@pytest.mark.parametrize("empty", ["kept", "filled"])
def test_places_are_counted_as_each_by_itself(epsilon: float, number: int, empty: Empty) -> None:
    """A table for every place, added up count by count with the formulas in plain arithmetic."""
    data, better, places = load_dataset("all2019-twin"), 0, 0
    whole = data.histogram(FEATURES)
    for counts in whole.counts.reshape(31, -1):
        sizes, how_many = np.unique(counts, return_counts=True)
        noise = sum(n * laplace_bias(int(x), epsilon)
                    for x, n in zip(sizes, how_many, strict=True))
        hiding = sum(n * abs(K // 2 - int(x)) * hidden(int(x), epsilon)
                     for x, n in zip(sizes, how_many, strict=True) if x or empty == "filled")
        better += bool(noise < hiding)
        places += 1
    (claim,) = (c for c in CLAIMS if c.id == f"p2-claim-{number}")
    tried = claim.test(Case(QUICK, "all2019-twin", empty))
    assert tried.holds is (better == places == 31)
    assert tried.numbers.startswith(f"In {better} of 31 places")


def test_unfairness_of_a_place_is_its_largest_less_its_smallest_bias() -> None:
    bias = np.array([[1.0, -2.0, 0.5], [0.0, 0.25, 0.25]])
    assert p2_claims.unfairness(bias).tolist() == [3.0, 0.25]
    assert p2_claims.total(bias).tolist() == [3.5, 0.5]


# Figure 4 and the rest ----------------------------------------------------------------------------

def test_what_an_empty_group_adds() -> None:
    case = Case(QUICK, TWIN)
    added = laplace_bias(0, 1.0)
    assert f"adds {added:.2f} to" in p2_claims._laplace_grows(case).numbers
    counts = case.data.histogram(FEATURES).counts
    occupied = sum(laplace_bias(int(x), 1.0) for x in counts if x)
    assert f"{occupied:,.0f}." in p2_claims._laplace_grows(case).numbers
    assert holds(17) == {"kept": True, "filled": False}
    assert holds(1) == {"kept": True, "filled": False}


def test_another_mechanism_flips_the_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    assert on_twin(p2_claims._laplace_grows).holds
    monkeypatch.setattr(p2_claims, "laplace", lambda epsilon, p="none": laplace(epsilon, "none"))
    assert not on_twin(p2_claims._laplace_grows).holds
    assert not on_twin(p2_claims._projection_counts).holds
    monkeypatch.setattr(p2_claims, "laplace", lambda epsilon, p="round": laplace(epsilon / 20, p))
    assert not on_twin(p2_claims._simple_can_be_better, "kept").holds
    assert not on_twin(p2_claims._everywhere_better(4.0, p2_claims.total), "kept").holds


def test_the_loss_is_limited_only_where_a_zero_may_be_hidden() -> None:
    """1 - δ = p(B) p(B - 1) for the largest count B."""
    case = Case(QUICK, TWIN, "filled")
    top = int(case.data.histogram(FEATURES).counts.max())
    log_rest = -(2 * (top - K) - 1) * 4.0 / 2 + 2 * math.log(0.5)
    assert f"10^{log_rest / math.log(10):.0f}." in p2_claims._limits_the_loss(case).numbers
    assert holds(2) == {"kept": False, "filled": True}


def test_both_suppressions_are_those_of_the_paper() -> None:
    """Def. 2 fills in k/2 and leaves zeros; eq. 1 hides every small count and rounds down."""
    x = np.array([0, 3, 9, 10, 12])
    def2 = evaluate(p2_claims.suppression(True), cast(Any, x)).bias
    assert def2.tolist() == [0, 2, -4, 0, 0]
    eq1 = evaluate(dp_suppression(2.0, False), cast(Any, x)).bias
    assert eq1 == pytest.approx([(5 - int(n)) * hidden(int(n), 2.0) for n in x])

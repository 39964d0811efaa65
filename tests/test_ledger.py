"""What several releases promise together: against dp_accounting and by hand, in words, and in the
app's popover."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import dp_accounting
import numpy as np
import pytest
from dp_accounting.pld import pld_privacy_accountant
from dp_accounting.rdp import rdp_privacy_accountant
from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from sdc_core.mechanisms import REGISTRY
from sdc_core.mechanisms.base import KnowsRho
from sdc_core.privacy.guarantee import Neighbours
from sdc_core.privacy.ledger import Entry, total
from sdc_core.privacy.zcdp import rho_of_pure, zcdp_delta, zcdp_epsilon
from sdc_core.words.ledger import total_sentences
from tests.household_towns import living
from tests.page_driver import TWIN, opened

COUNTS = [0, 1, 4, 20]


def entry(name: str, what: str = "sex", **settings: Any) -> Entry:
    chosen = sdc.mechanism(name, **settings)
    rho = chosen.rho if isinstance(chosen, KnowsRho) else None
    return Entry.of(what, chosen.label(), chosen.guarantee(COUNTS), rho)


# ---- numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 4.0, 20.0])
def test_rho_of_a_pure_promise_is_that_of_the_worst_method(epsilon: float) -> None:
    """Randomised response with odds e^ε: its Rényi divergence over its order, over many orders, is
    never above, and comes as near as one likes."""
    p = 1 / (1 + math.exp(-epsilon))
    orders = 1 + np.geomspace(1e-4, 1e3, 400)
    logs = np.logaddexp(
        orders * math.log(p) + (1 - orders) * math.log1p(-p),
        orders * math.log1p(-p) + (1 - orders) * math.log(p),
    )
    divergence = logs / (orders - 1) / orders
    assert divergence.max() <= rho_of_pure(epsilon) * (1 + 1e-7)
    assert divergence.max() == pytest.approx(rho_of_pure(epsilon), rel=1e-2)
    assert rho_of_pure(epsilon) <= epsilon**2 / 2


@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-2])
@pytest.mark.parametrize("rho", [1e-4, 0.05, 1.0, 15.29])
def test_the_epsilon_of_rho_is_that_of_dp_accounting(rho: float, delta: float) -> None:
    accountant = rdp_privacy_accountant.RdpAccountant(
        list(1 + np.geomspace(0.005, 1e5, 20_000)), dp_accounting.NeighboringRelation.REPLACE_ONE)
    accountant.compose(dp_accounting.ZCDpEvent(rho))
    assert zcdp_epsilon(rho, delta) == pytest.approx(accountant.get_epsilon(delta), rel=0.01)
    assert zcdp_delta(rho, zcdp_epsilon(rho, delta)) <= delta


def test_nothing_is_needed_where_delta_covers_all() -> None:
    assert zcdp_epsilon(1e-9, 0.01) == 0
    for delta in (0.0, 1.0, -1.0):
        with pytest.raises(sdc.InputError, match="delta"):
            zcdp_epsilon(0.1, delta)


def test_a_total_of_gaussian_and_laplace_against_dp_accounting() -> None:
    """Twelve Gaussians and eight Laplace tables: zCDP's ε within 1% of the Rényi accountant given
    the same ρ, never below the numeric (PLD) one; added up, ε is the plain sum."""
    entries = [entry("discrete-gaussian", epsilon=1.0) for _ in range(12)]
    entries += [entry("laplace", epsilon=0.5) for _ in range(8)]
    found = total(entries, 1e-5)
    assert found.epsilon == pytest.approx(12 * 1.0 + 8 * 0.5)
    assert found.delta == pytest.approx(12 * 1.06959e-4, rel=1e-4)  # tight δ at σ² = 20
    assert found.zcdp_delta == 1e-5 and not found.without and found.within == ()
    rho = 12 / 20 + 8 * 0.5 * math.tanh(0.25)
    renyi = rdp_privacy_accountant.RdpAccountant(
        list(1 + np.geomspace(0.005, 1e4, 20_000)), dp_accounting.NeighboringRelation.REPLACE_ONE)
    renyi.compose(dp_accounting.ZCDpEvent(rho))
    assert found.zcdp_epsilon == pytest.approx(renyi.get_epsilon(1e-5), rel=0.01)
    numeric = pld_privacy_accountant.PLDAccountant(  # the same law, noise in units of the distance
        dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE)
    numeric.compose(dp_accounting.GaussianDpEvent(math.sqrt(20) / math.sqrt(2)), 12)
    numeric.compose(dp_accounting.LaplaceDpEvent(1 / 0.5), 8)
    assert numeric.get_epsilon(1e-5) <= found.zcdp_epsilon < found.epsilon


def test_what_has_no_rho_is_added_to_what_has() -> None:
    """(ε, δ) of its own beside the ε of the rest."""
    known, other = entry("laplace", epsilon=1.0), Entry("sex", "other", 2.0, 0.1)
    found = total([known, other], 1e-6)
    assert found.epsilon == 3.0 and found.delta == pytest.approx(0.1)
    assert found.zcdp_epsilon == pytest.approx(zcdp_epsilon(math.tanh(0.5), 1e-6) + 2.0)
    assert found.zcdp_delta == pytest.approx(0.1 + 1e-6)
    alone = total([other])
    assert (alone.epsilon, alone.delta) == (alone.zcdp_epsilon, alone.zcdp_delta) == (2.0, 0.1)


def test_no_releases_promise_everything_and_one_is_itself() -> None:
    none = total([])
    assert (none.epsilon, none.delta, none.zcdp_epsilon, none.zcdp_delta) == (0, 0, 0, 0)
    one = total([entry("laplace", epsilon=0.7)])
    assert (one.epsilon, one.delta, one.promises) == (0.7, 0.0, True)


def test_a_failing_published_bound_does_not_count() -> None:
    """DP suppression that leaves zeros alone is published with δ < 1; the true one is 1."""
    kept = entry("dp-suppression", epsilon=1.0, k=6, keep_zeros=True)
    assert not kept.promises
    found = total([kept, entry("laplace", epsilon=1.0)])
    assert found.without == (kept,) and found.epsilon == 1.0 and not found.promises


def test_deltas_that_add_up_to_one_promise_nothing() -> None:
    weak = [Entry("sex", f"m{i}", 1.0, 0.4) for i in range(3)]
    found = total(weak)
    assert found.delta == 1.0 and not found.promises
    assert total_sentences(found)[0].endswith(
        "the slacks (δ) would add up to 1 or more, so adding up shows no promise for them "
        "together.")
    assert "ε =" not in total_sentences(found)[0]


def test_every_rho_in_the_registry_covers_its_own_promise() -> None:
    """Where a method says its ρ, the δ that ρ gives at its ε is not below the true one."""
    known = [cls for cls in REGISTRY if hasattr(cls, "rho")]
    assert {"discrete-gaussian", "mst", "aim", "topdown"} == {cls.name for cls in known}
    for epsilon in (0.5, 2.0):
        chosen = sdc.mechanism("discrete-gaussian", epsilon=epsilon)
        assert isinstance(chosen, KnowsRho)
        assert chosen.rho == pytest.approx(epsilon / 20)  # σ² = 20/ε
        assert zcdp_delta(chosen.rho, epsilon) >= chosen.guarantee(COUNTS).delta_tight


# ---- words --------------------------------------------------------------------------------------


def test_sentences_say_what_is_left_out_and_what_the_total_covers() -> None:
    assert total_sentences(total([])) == ["Nothing has been drawn yet."]
    hidden = entry("suppression", k=3)
    said = total_sentences(total([hidden]))
    assert said == [
        "Suppression k=3 promises nothing to speak of (δ is 1, or rounds to it, or is smaller only "
        "as long as no count grows) and is left out. "
        "For the whole, nothing is promised."]
    first, second = total_sentences(total([entry("laplace", epsilon=1.0), hidden, hidden]))
    assert first.startswith("If this table were published") and "ε = 1 with δ = 0" in first
    assert "a factor of 2.7" in first and "by zCDP" not in first  # one release: no gain from zCDP
    assert second.startswith("Suppression k=3 promises nothing") and "is left out" in second
    more = total_sentences(total([hidden, entry("suppression", k=9)]))[0]
    assert more.startswith("Suppression k=3 and Suppression k=9 promise nothing")
    assert "are left out" in more
    assert "The total is about the others alone" in second
    many = total_sentences(total([entry("laplace", epsilon=0.1) for _ in range(200)]))[0]
    assert "these 200 tables" in many and "ε = 20 with δ = 0 (added up)" in many
    assert "by zCDP" in many


def test_the_sentence_has_the_numbers_of_both_ways_and_the_factor_of_the_last() -> None:
    gauss = [entry("discrete-gaussian", epsilon=1.0) for _ in range(12)]
    said = total_sentences(total(gauss, 1e-5))[0]
    least = zcdp_epsilon(12 / 20, 1e-5)
    assert least < 12 and f"{math.exp(least):,.0f}" != f"{math.exp(12):,.0f}"
    assert said.startswith(
        "If these 12 tables were published, together they would promise ε = 12 with δ = "
        f"{12 * 1.06959e-4:.3f} (added up) or ε = {least:.2f} with δ = 1e-5 (by zCDP): by the "
        f"last, odds may move by a factor of {math.exp(least):,.0f} and, within the slack, "
        "further.")
    pure = total_sentences(total([entry("laplace", epsilon=1.0)] * 2))[0]
    assert pure == ("If these 2 tables were published, together they would promise ε = 2 with "
                    f"δ = 0 (added up): odds may move by a factor of {math.exp(2):.2f}.")
    weak = total_sentences(total([Entry("sex", f"m{i}", 1.0, 0.4) for i in range(3)]))[0]
    assert weak.startswith("If these 3 tables were published, the slacks (δ) would add up")
    empty = total_sentences(total([Entry("sex", "m", 1.0, 0.6)]))[0]
    assert empty.endswith(" With so much slack it is a promise in name only.")
    wide = total_sentences(total([entry("laplace", epsilon=7.0)] * 2))[0]  # e^14 is over a million
    assert wide.endswith(" So large a factor limits nothing in practice.")
    assert "limits nothing" not in total_sentences(total([entry("laplace", epsilon=13.0)]))[0]


def test_what_a_promise_leaves_untouched_limits_the_total() -> None:
    part = Entry.of("sex", "Swap", sdc.mechanism("dp-swapping-uniform").guarantee(
        records=10, qi_domain_size=4))
    assert part.within and part.promises
    assert part.step == str(Neighbours.SWAPPED_FEATURES) and part.step not in part.within
    said = total_sentences(total([part, entry("laplace", epsilon=1.0), part]))
    assert said[1].startswith("This holds only between data that agree on: ")
    for text in part.within:
        assert said[1].count(text) == 1
    assert part.step not in said[1]
    assert said[2] == f"It compares data that differ like this: {part.step}."


def test_where_the_nearest_data_are_two_records_apart_everything_counts_twice() -> None:
    """An exchange between two people: 2ε of swapping, and the noise of the other table was promised
    per record as well. With slack, two steps of (ε, δ) are (2ε, δ (1 + e^ε)); ρ grows with 4."""
    method = sdc.mechanism("permutation-swapping", swap=("sex",))
    swapped = Entry.of("sex", "Swap", method.guarantee(stratum_size=9))
    assert swapped.distance == 2
    alone = total([swapped])
    assert alone.epsilon == pytest.approx(2 * swapped.epsilon)
    said = total_sentences(alone)
    assert said[0].startswith("If this table were published, it would promise ε = ")
    assert all("counts twice" not in text and "one person" not in text for text in said)
    assert said[-1] == (
        "The nearest such data differ in 2 records, so every ε of the list counts 2 times.")
    noisy, gauss = entry("laplace", epsilon=0.5), entry("discrete-gaussian", epsilon=1.0)
    found = total([swapped, noisy, gauss], 1e-5)
    assert found.epsilon == pytest.approx(2 * (swapped.epsilon + 0.5 + 1.0))
    assert found.delta == pytest.approx(gauss.delta * (1 + math.e))
    rho = rho_of_pure(2 * swapped.epsilon) + rho_of_pure(1.0) + 4 / 20
    assert found.zcdp_epsilon == pytest.approx(zcdp_epsilon(rho, 1e-5))
    assert total([noisy, gauss], 1e-5).epsilon == 1.5  # without swapping nothing is doubled


def test_a_household_counts_as_many_times_as_people_may_live_in_it() -> None:
    """Two households of six exchange towns: twice the ε of swapping households, but 2 x 6 records
    change for the noise of another table, so its ε counts twelve times."""
    towns = living()
    method = sdc.mechanism("permutation-swapping", unit="household").suited_to(
        towns.histogram(["town", "sex"]))
    promise = method.guarantee(towns.histogram(["town", "sex"]))
    largest = towns.largest_household
    assert promise.per_household and promise.epsilon is not None and largest == 6
    swapped = Entry.of("town", "Swap", promise, None, largest)
    noisy = entry("laplace", epsilon=0.25)
    found = total([swapped, noisy])
    assert found.epsilon == pytest.approx(2 * promise.epsilon + 12 * 0.25)
    assert total([swapped]).epsilon == pytest.approx(2 * promise.epsilon)
    said = total_sentences(found)
    assert said[-1] == (
        "The nearest such data differ in 2 households of up to 6 people, so an ε per household "
        "counts 2 times and any other 12 times.")
    assert all("records" not in text for text in said[2:])


def test_a_promise_that_ends_where_a_count_grows_is_none() -> None:
    """DP suppression of small counts: δ is 0.99 for the counts of the data, and 1 without them."""
    found = sdc.mechanism("dp-suppression", epsilon=1.0, k=6).guarantee([0, 3, 9])
    assert found.if_none_larger and 0.9 < found.delta_tight < 1
    one = Entry.of("sex", "Hide", found)
    assert not one.promises and total([one]).without == (one,)
    assert "as long as no count grows" in total_sentences(total([one]))[0]
    declared = sdc.mechanism("dp-suppression", epsilon=1.0, k=6).guarantee([0, 3, 9], cap=9)
    assert Entry.of("sex", "Hide", declared).promises


def test_a_slack_that_is_too_large_is_said_to_be() -> None:
    """Judged by the number of people; a δ next to one is not written as one."""
    few, many = (Entry("sex", "m", 1.0, 1e-4, None, among=n) for n in (9_000, 11_000))
    assert "too much to rely on" not in total_sentences(total([few]))[0]
    said = total_sentences(total([many]))[0]
    assert "not below one over 11,000 people: too much to rely on" in said
    assert "and, within the slack, further" in said
    unknown = Entry("sex", "m", 1.0, 1e-5, None)
    assert "one over 1,000,000 people" in total_sentences(total([unknown]))[0]
    named = total_sentences(total([Entry("sex", "m", 1.0, 1 - 1e-9, None, among=10)]))[0]
    assert "δ = 1 − 1e-9" in named and "a promise in name only" in named


def test_where_adding_up_has_too_much_slack_zcdp_is_said_as_well() -> None:
    """Four tables with δ of 1e-4 each are not for 9,000 people; at δ = 1e-6 ε is larger."""
    gauss = sdc.mechanism("discrete-gaussian", epsilon=1.0)
    assert isinstance(gauss, KnowsRho)
    one = Entry.of("sex", "Gauss", gauss.guarantee(records=9_000), gauss.rho)
    found = total([one] * 4)
    assert found.delta * 9_000 > 1 and found.people == 9_000
    alone = total([dataclasses.replace(one, among=9_500)])
    assert alone.zcdp_epsilon > alone.epsilon
    said = total_sentences(alone)[0]
    assert "(added up) or" in said and "(by zCDP): by the last, odds" in said
    assert "too much to rely on" not in said  # of the last


# ---- the app ------------------------------------------------------------------------------------


def ledger_of(app: AppTest) -> tuple[str, list[Any]]:
    """What the opened popover says, and its tables."""
    app.session_state["popover.ledger"] = True
    app.run()
    assert not app.exception, [e.value for e in app.exception]
    text = " ".join(m.value for m in app.sidebar.markdown).replace("\\", "")
    return text, [d.value for d in app.sidebar.dataframe]


NOISE, HIDE = "Add noise (Laplace, ε = 1)", "Hide small counts (suppression, k = 6)"
METHODS = {"m1": "laplace", "m2": "suppression", "m3": "none", "m4": "none"}


def test_the_popover_lists_what_was_drawn_once_each() -> None:
    app = opened({**TWIN, **METHODS, "features": "SEX,OWN_RENT"})
    said, (table,) = ledger_of(app)
    assert table["Method"].tolist() == [NOISE, HIDE]
    assert table["ε"].tolist() == ["1", "–"] and table["δ"].tolist() == ["0", "1"]
    assert "If this table were published" in said and f"{HIDE} promises nothing" in said
    assert len(ledger_of(app)[1][0]) == 2  # shown again: no new release


def test_another_setting_is_another_release_and_forgetting_leaves_what_is_shown() -> None:
    app = opened({**TWIN, **METHODS, "features": "SEX,OWN_RENT"})
    app.select_slider(key="url.m1.epsilon").set_value(2.0).run()
    said, (table,) = ledger_of(app)
    assert table["Method"].tolist() == [NOISE, HIDE, "Add noise (Laplace, ε = 2)"]
    assert "these 2 tables" in said and "ε = 3 with δ = 0" in said
    app.button(key="ledger.forget").click().run()
    _, (table,) = ledger_of(app)
    assert table["Method"].tolist() == ["Add noise (Laplace, ε = 2)", HIDE]


def test_groups_as_seen_are_another_table_than_groups_as_declared() -> None:
    """Looking at both is looking at two releases: ε adds up."""
    app = opened({**TWIN, **METHODS, "features": "SEX,RAC1P"})
    for domain in ("observed", "dictionary"):  # there and back
        choices = [e for e in app.get("button_group") if e.key == "url.domain"]
        choices[0].set_value(domain).run()
        assert not app.exception, [e.value for e in app.exception]
    said, (table,) = ledger_of(app)
    assert table["Method"].tolist() == [NOISE, HIDE] * 2
    declared, seen = table["Counted by"].tolist()[::2]
    assert seen == f"{declared} (groups as seen)" and "seen" not in declared
    assert "these 2 tables" in said and "ε = 2 with δ = 0" in said


def test_other_data_has_a_total_of_its_own() -> None:
    app = opened({**TWIN, **METHODS, "features": "SEX,OWN_RENT"})
    app.selectbox(key="url.data").set_value("tx2019-twin").run()
    said, tables = ledger_of(app)
    assert len(tables) == 2 and "Massachusetts 2019 twin" in said and "Texas 2019 twin" in said
    assert said.count("ε = 1 with δ = 0") == 2 and "ε = 2" not in said

"""People represented: a record counts for as many people as the survey's weights say, wherever an
error or a number of people is told; mechanisms, and promises, are about records all the same.

Each number is worked out by hand or by pandas from the records themselves, on a file of eleven
records and on a twin of the census excerpt.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.cli import main
from sdc_core.data import Dataset
from sdc_core.mechanisms import FOR_TABLES
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.metrics.decisions import Group, above, area_counts, decide
from sdc_core.metrics.reidentification import unique_matches
from sdc_core.metrics.sparsity import error_line, marginals
from sdc_core.questions import QUESTIONS
from sdc_core.questions.study import CountedAs, counting
from sdc_core.weights import Weights
from sdc_core.words.guarantees import guarantee_chip, promise_sentence
from tests.household_towns import people
from tests.page_driver import TWIN as TWIN_LINK
from tests.page_driver import answer, link, opened, said, uploaded

HIDES = sdc.mechanism("suppression", k=4, keep_zeros=False)  # 1 to 3, and 0, become 2
FIVE = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
EVERYWHERE = {"compare", "map", "funding", "sparsity", "reidentification", "subgroups"}


def eleven() -> pd.DataFrame:
    """North owning: 5 records that stand for 100; renting: 3 for 90 (10, 20, 60). South owning: one
    for 7; renting: nobody. East: two who own, for 33."""
    rows = [("n", "own", w) for w in (10, 20, 30, 15, 25)]
    rows += [("n", "rent", w) for w in (10, 20, 60)]
    rows += [("s", "own", 7), ("e", "own", 11), ("e", "own", 22)]
    return pd.DataFrame(rows, columns=["town", "home", "weight"])


def small() -> Dataset:
    column = sdc.Column
    return sdc.load_dataset(eleven(), schema=sdc.Schema((
        column("town", "Town", sdc.Role.PLACE, values={"n": "North", "s": "South", "e": "East"}),
        column("home", "Home", values={"own": "owning", "rent": "renting"}),
        column("weight", "Weight", sdc.Role.WEIGHT, sdc.Type.WHOLE),
    )))


MEAN = 230 / 11
# North own, rent; South own, rent; East own, rent
COUNTS, PEOPLE = [5, 3, 1, 0, 2, 0], [100.0, 90.0, 7.0, 0.0, 33.0, 0.0]
EACH = [20.0, 30.0, 7.0, MEAN, 16.5, MEAN]


def weighted(names: tuple[str, ...] = ("town", "home")) -> sdc.Histogram:
    return small().histogram(names, represented=True)


def test_what_records_stand_for_by_hand() -> None:
    table = weighted()
    assert table.weights is not None and table.weighted
    assert table.counts.tolist() == COUNTS and table.weights.people.tolist() == PEOPLE
    assert table.per_record.tolist() == pytest.approx(EACH)
    assert table.people.tolist() == pytest.approx(PEOPLE)
    assert (table.weights.mean, table.weights.largest, table.weights.column) == (
        pytest.approx(MEAN), 60.0, "weight")
    plain = small().histogram(("town", "home"))
    assert not plain.weighted and plain.people.tolist() == COUNTS
    assert not table.in_records.weighted and table.in_records.counts.tolist() == COUNTS
    data = small()
    assert data.histogram(["home"], represented=True) is data.histogram(["home"], represented=True)


@pytest.mark.parametrize("bad", [np.nan, -1.0, np.inf])
def test_weights_that_are_none_are_refused(bad: float) -> None:
    cells = np.array([0, 1, 1])
    with pytest.raises(sdc.InputError, match=r"w must be a number of at least 0.*Count records"):
        Weights.of(np.array([1.0, bad, 2.0]), cells, 2, "w")
    with pytest.raises(sdc.InputError, match="0 in every row"):
        Weights.of(np.zeros(3), cells, 2, "w")


def test_errors_count_as_people_by_hand() -> None:
    """3 → 2, 1 → 2, 2 → 2 and the two empty groups 0 → 2; the five stay."""
    found = sdc.evaluate(HIDES, weighted())
    bias = [0, -30.0, 7.0, 2 * MEAN, 0, 2 * MEAN]
    assert found.weighted and found.bias.tolist() == pytest.approx(bias)
    assert found.people_error == pytest.approx(37) and found.people_bias == pytest.approx(37)
    assert found.invented == pytest.approx(4 * MEAN)
    assert found.l1_error == found.l1_bias == pytest.approx(37 + 4 * MEAN)
    assert found.fairness_alpha == pytest.approx(2 * MEAN + 30)
    noise = sdc.evaluate(sdc.mechanism("laplace", epsilon=1, postprocess="none"), weighted())
    assert noise.variance.tolist() == pytest.approx([8 * w * w for w in EACH])  # 2 (2/ε)²
    assert noise.absolute_error.tolist() == pytest.approx([2 * w for w in EACH])
    assert noise.max_variance == pytest.approx(8 * 30**2)


def test_simulated_errors_are_those_of_the_same_releases() -> None:
    """Draw by draw, times what a record stands for; errors by leaving a twentieth out."""
    table = weighted()
    one = sdc.mechanism("geometric", epsilon=0.5)
    found = sdc.evaluate(one, table, repetitions=40, seed=3, simulate=True)
    drawn = one.draw_tables(table.in_records, [repetition_rng(3, r) for r in range(40)])
    off = (drawn - np.array(COUNTS)) * np.array(EACH)
    np.testing.assert_allclose(found.bias, off.mean(axis=0))
    np.testing.assert_allclose(found.variance, off.var(axis=0, ddof=1))
    np.testing.assert_allclose(found.absolute_error, np.abs(off).mean(axis=0))
    there = np.array(COUNTS) > 0
    assert found.people_error == pytest.approx(np.abs(off[:, there]).mean(axis=0).sum())
    without = [np.delete(off, slice(g, g + 2), axis=0) for g in range(0, 40, 2)]
    errors = np.array([np.abs(w[:, there]).mean(axis=0).sum() for w in without])
    jackknife = math.sqrt(19 / 20 * ((errors - errors.mean()) ** 2).sum())
    assert found.people_error_se == pytest.approx(jackknife)
    largest = np.array([w.var(axis=0, ddof=1).max() for w in without])
    assert found.max_variance_se == pytest.approx(
        math.sqrt(19 / 20 * ((largest - largest.mean()) ** 2).sum()))
    np.testing.assert_allclose(
        found.error_of(lambda bias, _: bias),
        np.sqrt(19 / 20 * np.array([(w.mean(axis=0) - np.mean(
            [v.mean(axis=0) for v in without], axis=0)) ** 2 for w in without]).sum(axis=0)))


def test_a_known_mean_is_weighted_as_well() -> None:
    """Everybody exchanges the town with one other: the expected table in records, cell by cell."""
    one = sdc.mechanism("permutation-swapping", swap_rate=0.5, match=(), swap=("town",))
    table = weighted()
    found = sdc.evaluate(one, table, repetitions=20)
    np.testing.assert_allclose(found.bias, one.bias(table.in_records) * np.array(EACH))
    assert found.people_bias_se == 0 and found.people_error_se > 0


@given(st.lists(st.integers(0, 30), min_size=2, max_size=8), st.floats(0.1, 500.0),
       st.sampled_from(["suppression", "laplace", "geometric", "dp-suppression"]))
def test_equal_weights_only_change_the_unit(counts: list[int], each: float, name: str) -> None:
    plain = sdc.Histogram.from_counts([1, *counts])
    table = dataclasses.replace(
        plain, weights=Weights(plain.counts * each, each, each, "w"))
    one, other = (sdc.evaluate(sdc.mechanism(name), t) for t in (plain, table))
    for what, times in (("people_error", each), ("people_bias", each), ("invented", each),
                        ("l1_error", each), ("fairness_alpha", each), ("max_variance", each**2)):
        assert getattr(other, what) == pytest.approx(times * getattr(one, what), rel=1e-9)
    assert other.weighted and not one.weighted


def twin_groups() -> tuple[Dataset, pd.DataFrame]:
    """Every group of the twin that has people: how many records, and whom they stand for."""
    data = sdc.load_dataset("ma2019-twin")
    records = data.records[[*FIVE, "PWGTP"]].astype(dict.fromkeys(FIVE, str))
    return data, records.groupby(FIVE)["PWGTP"].agg(["size", "sum"])


def test_a_twin_says_what_pandas_says() -> None:
    data, groups = twin_groups()
    table = data.histogram(FIVE, represented=True)
    each = groups["sum"] / groups["size"]
    hidden = (3 - groups["size"]).abs().where(groups["size"] < 6, 0) * each
    found = sdc.evaluate(sdc.mechanism("suppression", k=6, keep_zeros=True), table)
    assert found.people_error == pytest.approx(hidden.sum()) and found.invented == 0
    filled = sdc.evaluate(sdc.mechanism("suppression", k=6), table)
    mean = data.records["PWGTP"].mean()
    assert filled.invented == pytest.approx((540 - len(groups)) * 3 * mean)
    assert table.people.sum() == pytest.approx(data.records["PWGTP"].sum())
    assert table.weights is not None and table.weights.largest == data.records["PWGTP"].max()
    noise = sdc.evaluate(sdc.mechanism("laplace", postprocess="none"), table)
    assert noise.people_error == pytest.approx(2 * each.sum())


@pytest.mark.parametrize("cls", FOR_TABLES, ids=lambda c: c.name)
def test_a_guarantee_says_what_weights_do_to_it(cls: type) -> None:
    """The mean weights are listed as published, nobody relies on the promise for everyone any more,
    and ε is what it was: it is about records."""
    data = sdc.load_dataset("ma2019-twin")
    plain, table = (data.histogram(FIVE, represented=r) for r in (False, True))
    before, after = cls().guarantee(plain), cls().guarantee(table)
    fact = "the mean weight of each group"
    assert fact in after.read_off and fact in after.invariants and fact not in before.invariants
    assert (after.epsilon, after.delta_tight) == (before.epsilon, before.delta_tight)
    assert after.records == before.records == len(data)
    assert not after.reliable
    largest = f"up to {data.records['PWGTP'].max():,.0f} people"
    assert "about records" in after.remark and largest in after.remark
    assert after.remark.startswith(before.remark) and "PWGTP" not in before.remark
    if after.formal:
        assert after.conditional and fact in promise_sentence("It", after)
        said = "counts as seen" if after.if_none_larger else "in part"
        assert said in guarantee_chip(after).text or after.epsilon is None or (
            guarantee_chip(after).tone == "broken")


def test_the_setting_is_offered_where_there_are_weights() -> None:
    offered = counting(small())
    assert offered is not None and offered.name == "count" and "weight says" in offered.help
    assert offered.choices == ("records", "represented") and offered.default == "records"
    without = sdc.load_dataset(eleven().drop(columns="weight"))
    assert counting(without) is None
    with pytest.raises(sdc.InputError, match=r"no weight column.*role weight"):
        sdc.ask("compare", sdc.Study(without, counted_as="represented"))
    with pytest.raises(sdc.InputError, match="counted_as must be one of records, represented"):
        sdc.Study(small(), counted_as="twice")
    assert {q.address for q in QUESTIONS if q.weighted} == EVERYWHERE


def study(counted: str = "represented", **more: Any) -> sdc.Study:
    return sdc.Study(small(), **{
        "features": ("town", "home"), "methods": [HIDES], "empty_groups": "treated",
        "counted_as": counted, **more})


@pytest.mark.parametrize("address", [q.address for q in QUESTIONS])
def test_every_question_says_in_what_it_counts(address: str) -> None:
    """Where it makes sense, in people represented, with what that means for the promise; else in
    records, without a word about weights that play no part."""
    data = sdc.load_dataset("ma2019-twin")
    asked = sdc.Study(data, ["RAC1P", "SEX", "OWN_RENT"], counted_as="represented")
    found = sdc.ask(address, asked)
    notices = [n.text for n in found.notices if n.text.startswith("Counted in people represented")]
    facts = found.provenance.facts() if found.provenance else {}
    if address in EVERYWHERE:
        (notice,) = notices
        total = f"{data.records['PWGTP'].sum():,.0f} people"
        assert f"{len(data):,} records, which stand for {total}" in notice
        assert f"up to {data.records['PWGTP'].max():,.0f} people" in notice
        assert "ε is about records" in notice and "would have to be published" in notice
        assert facts["counted as"] == "represented" and "counted_as='represented'" in found.code
    else:
        assert not notices and facts["counted as"] == "records" and "counted_as" not in found.code
        assert "people represented" not in f"{found.headline} {found.more}"
    plain = sdc.ask(address, asked.in_records())
    assert "people represented" not in f"{plain.headline} {plain.more}"
    assert (plain.headline == found.headline and plain.more == found.more) == (
        address not in EVERYWHERE)


def test_compare_by_hand() -> None:
    found = sdc.ask("compare", study())
    assert found.headline == (
        "In groups that have people, hiding small counts (k = 4) puts a count off by 9.25 people "
        "represented on average.")
    assert f"shows {4 * MEAN:.1f} people represented who do not exist" in found.more
    summary = found.panel("summary")
    assert "is off by 37 people represented." in summary.caption
    assert "11 records, which stand for 230 people, in 6 groups, 2 of them empty" in (
        found.panel("sizes").caption)
    row = summary.table.iloc[0]
    assert row["counted as"] == "people represented"
    assert row["Error where people are (E Σ|x̃ − x|, x > 0)"] == pytest.approx(37)
    for panel in (summary, found.panel("sizes")):
        assert "people represented" in panel.figures[0].layout.xaxis.title.text
    worst = found.panel("bias-by-count").table
    assert worst["true count"].tolist() == [3, 1, 5, 2]
    assert worst["people represented"].tolist() == pytest.approx([90, 7, 100, 33])
    assert worst["% of all people"].tolist() == pytest.approx(
        [100 * n / 230 for n in (90, 7, 100, 33)])
    assert worst.iloc[:, -1].tolist() == pytest.approx([-30, 7, 0, 0])
    assert "takes 5.75 people represented a group from the groups of 1 to 5 records" in (
        found.panel("bias-by-count").caption)  # (7 - 30) / 4
    chart = found.panel("bias-by-count").figures[0].to_dict()
    assert chart["layout"]["xaxis"]["title"]["text"] == "true count, records"
    marks = {(round(x, 3), round(y, 3)) for x, y in zip(
        chart["data"][0]["x"], chart["data"][0]["y"], strict=True)}
    assert marks == {(round(math.log10(n + 1), 3), round(y, 3)) for n, y in (
        (5, 0.0), (3, -30.0), (1, 7.0), (0, 2 * MEAN), (2, 0.0))}
    sweep = found.panel("sweep").table.set_index("k")
    assert sweep.loc[4, "people_error"] == pytest.approx(37)
    assert set(sweep["counted as"]) == {"people represented"}
    plain = sdc.ask("compare", study("records"))
    assert "is off by 2 people." in plain.panel("summary").caption
    assert "counted as" not in plain.panel("summary").table
    assert "11 people counted, without survey weights, in 6" in plain.panel("sizes").caption


def test_a_papers_conventions_count_records() -> None:
    data = sdc.load_dataset("ma2019-twin")
    found = sdc.ask("compare", sdc.Study(data, counted_as="represented"), as_in="das-2024-table-1")
    assert found.provenance is not None and found.provenance.counted_as == CountedAs.RECORDS
    swapped = sdc.ask("funding", sdc.Study(data, counted_as="represented"), as_in="with-swapping")
    assert swapped.provenance is not None and swapped.provenance.counted_as == "represented"


def test_money_follows_people_represented() -> None:
    """Renters: 90 of 190 in the north, nobody elsewhere; hidden and filled in, 2 × 30 there and
    2 × the mean weight in the two others."""
    table, rent = weighted(), Group.of([("home", "rent")])
    released = np.array([[5, 2, 2, 2, 2, 2]])
    counts = area_counts(released, table, "town", rent)
    shown = [60.0, 2 * MEAN, 2 * MEAN]
    assert counts.members[0].tolist() == pytest.approx(shown)
    assert counts.everybody[0].tolist() == pytest.approx([160, 14 + 2 * MEAN, 33 + 2 * MEAN])
    assert counts.invented[0].tolist() == pytest.approx([0, 2 * MEAN, 2 * MEAN])
    found = decide(table, "town", rent, 900.0, 40, [(HIDES, counts)])
    assert found.weighted and found.members.tolist() == pytest.approx([90, 0, 0])
    assert found.fair.tolist() == pytest.approx([900, 0, 0])
    gain = [900 * (60 / sum(shown) - 1), *(900 * n / sum(shown) for n in shown[1:])]
    assert found.outcomes[0].money.gain.tolist() == pytest.approx(gain)
    assert found.outcomes[0].money.moved == pytest.approx(-gain[0])
    assert found.shares.tolist() == pytest.approx([90 / 190, 0, 0])
    flips = [60 / 160 < 0.4, 2 * MEAN / (14 + 2 * MEAN) > 0.4, 2 * MEAN / (33 + 2 * MEAN) > 0.4]
    assert found.outcomes[0].rule.flip.tolist() == flips == [True, True, True]
    same = decide(table, "town", rent, 900.0, 40, [(
        HIDES, area_counts(np.array([COUNTS]), table, "town", rent))])
    assert same.outcomes[0].unchanged and same.outcomes[0].money.moved == pytest.approx(0)


def test_more_than_is_not_equal_whatever_the_weights_round_to() -> None:
    """3/10 of people who stand for a third each are 30%, not more."""
    members, everybody = np.array([3 * (1 / 3)]), np.array([10 * (1 / 3)])
    assert not above(members, everybody, 30.0)[0] and above(members, everybody, 29.9)[0]
    assert not above(np.array([3]), np.array([10]), 30.0)[0]
    assert above(np.array([300_000_001]), np.array([10**9]), 30.0)[0]


def test_money_in_words() -> None:
    controls = {"area": "town", "group": ("home=rent",), "pot": 900, "threshold": 40}
    found = sdc.ask("funding", study(), controls)
    assert found.headline.startswith(
        "Of $900 for people listed as “renting” (people represented), ")
    assert f"{round(4 * MEAN):,} people represented who do not exist" in found.more
    assert "counted in people represented" in found.panel("money").caption
    assert "There are 90 people listed as “renting” (people represented)" in (
        found.panel("money").caption)
    assert "of the people represented. " in found.panel("threshold").caption
    assert found.panel("money").table.set_index("place")["people"].to_dict() == pytest.approx(
        {"North": 190, "South": 7, "East": 33})
    plain = sdc.ask("funding", study("records"), controls)
    assert "represented" not in f"{plain.headline} {plain.more}"


def test_sparse_tables_by_hand() -> None:
    table = weighted()
    line = error_line(HIDES, table, "l1_bias")
    assert (line.people, line.occupied) == (4, pytest.approx(37))
    assert line.per_empty == line.invented == pytest.approx(2 * MEAN) and line.weighted
    assert line.at(2) == pytest.approx(sdc.evaluate(HIDES, table).l1_bias)
    found = {t.names: t for t in marginals([HIDES], table, "l1_bias").tables}
    # by town: 8, 1 → 2 and 2; by home: 8 and 3 → 2, whose three stand for 90
    assert found["town",].errors[0] == pytest.approx(7)
    assert found["home",].errors[0] == pytest.approx(30)
    assert found["town", "home"].errors[0] == pytest.approx(37 + 4 * MEAN)
    assert found["town", "home"].people_errors[0] == pytest.approx(37)
    told = sdc.ask("sparsity", study(methods=[sdc.mechanism("laplace", postprocess="none"), HIDES]),
                   z_measure="l1_error")
    assert "37 people represented under hiding small counts (k = 4)" in told.more
    chart = told.panel("sparsity").figures[0].to_dict()
    assert "people represented" in chart["layout"]["title"]["text"]


def test_who_can_be_found_stands_for_others() -> None:
    """One record is one of a kind, of weight 7; hidden, it is shown as two."""
    table = weighted()
    found = unique_matches(HIDES, table, "at-least-once")
    assert (found.unique, found.represented, found.expected_represented) == (
        1, pytest.approx(7), pytest.approx(7))
    once = unique_matches(HIDES, table, "exactly-once")
    assert once.expected_represented == 0
    rows = np.array([[5, 3, 1, 0, 2, 0], [5, 3, 0, 0, 2, 0], [5, 3, 1, 0, 2, 0]])
    topdown = sdc.mechanism("topdown", geography=("town",))
    drawn = unique_matches(topdown, table, "at-least-once", rows)
    assert drawn.expected_represented == pytest.approx(14 / 3)
    assert drawn.represented_error == pytest.approx(7 * np.std([1, 0, 1], ddof=1) / math.sqrt(3))
    told = sdc.ask("reidentification", study())
    assert "The record that is one of a kind stands for 7 people" in told.more
    assert "need not be alone among all people" in told.more
    row = told.panel("represented").table.iloc[0]
    assert (row["unique records"], row["people represented"]) == (1, 7.0)
    plain = sdc.ask("reidentification", study("records"))
    assert "represented" not in [p.name for p in plain.panels] and "stands for" not in plain.more


def test_who_can_be_found_on_a_twin() -> None:
    data, groups = twin_groups()
    alone = groups[groups["size"] == 1]
    one = sdc.mechanism("laplace", epsilon=1)
    found = unique_matches(one, data.histogram(FIVE, represented=True), "at-least-once")
    plain = unique_matches(one, data.histogram(FIVE), "at-least-once")
    assert found.unique == len(alone) and found.represented == pytest.approx(alone["sum"].sum())
    assert found.expected == plain.expected  # records are matched, whatever they stand for
    share = plain.expected / len(alone)  # noise treats all who are alone alike
    assert found.expected_represented == pytest.approx(share * alone["sum"].sum())


def test_subgroups_fit_their_lines_through_people_represented() -> None:
    """Least squares with the survey's weights, before; after hiding counts below 6 with each cell's
    three records standing for as many as its own do on average."""
    data = sdc.load_dataset("national2019-twin")
    study = sdc.Study(data, methods=[sdc.mechanism("suppression", k=6)], counted_as="represented")
    found = sdc.ask("subgroups", study)
    told = found.panel("disparity").table.set_index("group")
    records = data.records[["RAC1P", "SEX", "PINCP_DECILE", "EDU", "PWGTP"]].astype(str)
    records = records.apply(pd.to_numeric, errors="coerce").dropna()
    for name, race in (("White men", 1), ("Black men", 2)):
        men = records[(records["RAC1P"] == race) & (records["SEX"] == 1)]
        own = np.polyfit(men["EDU"], men["PINCP_DECILE"], 1, w=np.sqrt(men["PWGTP"]))
        cells = men.groupby(["PINCP_DECILE", "EDU"])["PWGTP"].agg(["size", "sum"]).reset_index()
        shown = cells["sum"] * np.where(cells["size"] < 6, 3 / cells["size"], 1)
        after = np.polyfit(cells["EDU"], cells["PINCP_DECILE"], 1, w=np.sqrt(shown))
        row = told.loc[name]
        assert row["true slope"] == pytest.approx(own[0])
        assert row["released slope"] == pytest.approx(after[0])
        assert (row["records"], row["people"]) == (len(men), men["PWGTP"].sum())
        assert row["error per 1,000 people, cells with people"] == pytest.approx(
            1000 * (shown - cells["sum"]).abs().sum() / men["PWGTP"].sum())
        assert f"{name} ({men['PWGTP'].sum():,.0f} people represented)" in found.more
    once = sdc.ask("subgroups", study, g_view="one").panel("disparity").table.set_index("group")
    assert once["released slope"].tolist() == pytest.approx(told["released slope"].tolist())


def test_a_group_is_large_enough_by_its_records() -> None:
    """Eight records that stand for thousands are still eight."""
    rows = [{"x": str(i % 3), "y": str(i % 2), "sex": "f", "weight": 500 + i} for i in range(40)]
    data = sdc.load_dataset(pd.DataFrame(rows), schema=sdc.Schema((
        *(sdc.Column(n, n, values={str(i): str(i) for i in range(3)}) for n in "xy"),
        sdc.Column("sex", "Sex", values={"f": "women", "m": "men"}),
        sdc.Column("weight", "w", sdc.Role.WEIGHT, sdc.Type.WHOLE),
    )))
    found = sdc.ask("subgroups", sdc.Study(
        data, methods=[HIDES], counted_as="represented"), g_y="y", g_x="x", g_by=("sex",))
    assert found.headline.startswith("None of these groups has 100 records")


PAGES = {"compare": None} | {
    name: f"../pages/{name}.py" for name in ("subgroups", "funding", "sparsity", "reidentification")
}


@pytest.mark.parametrize("address", PAGES)
def test_the_page_counts_people_represented(address: str) -> None:
    app = opened({**TWIN_LINK, "count": "represented"}, PAGES[address])
    assert not app.error and link(app)["count"] == "represented"
    control = next(g for g in app.get("button_group") if g.key == "url.count")
    assert control.options == ["people counted", "people represented"]
    data = sdc.load_dataset("ma2019-twin")
    found = sdc.ask(address, sdc.Study(data, counted_as="represented"))
    assert found.headline in answer(app) and found.more in answer(app)
    assert f"{data.records['PWGTP'].sum():,.0f} people" in said(app)
    control.set_value("records").run()
    assert link(app)["count"] == "records" and answer(app) != answer(
        opened({**TWIN_LINK, "count": "represented"}, PAGES[address]))


def test_a_preset_sets_back_what_its_paper_does_not_do() -> None:
    app = opened({**TWIN_LINK, "count": "represented"})
    app.button(key="preset.das-2024-table-1").click().run()
    assert link(app)["count"] == "records" and not app.exception


def test_pages_where_weights_make_no_sense_do_not_offer_them() -> None:
    app = opened({**TWIN_LINK, "count": "represented"}, "../pages/told_apart.py")
    assert "count" not in link(app) and not app.warning and not app.error
    assert not [g for g in app.get("button_group") if g.key == "url.count"]


def test_own_data_with_a_weight_column() -> None:
    """Found by its name; without one nothing is offered."""
    records = people()
    app = uploaded(opened(TWIN_LINK), records)
    control = next(g for g in app.get("button_group") if g.key == "url.count")
    control.set_value("represented").run()
    assert not app.error and "people represented" in answer(app)
    total = f"{len(records):,} records, which stand for {records['weight'].sum():,} people"
    assert total in said(app)
    bare = uploaded(opened(TWIN_LINK), records.drop(columns="weight"))
    assert "count" not in link(bare) and not bare.error


def test_the_command_line_counts_as_it_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["ask", "sparsity", "--dataset", "ma2019-twin", "--features", "SEX,OWN_RENT"]
    assert main([*asked, "--count", "represented"]) == 0
    told = capsys.readouterr().out
    study = sdc.Study(sdc.load_dataset("ma2019-twin"), ["SEX", "OWN_RENT"])
    assert told.startswith(
        sdc.ask("sparsity", dataclasses.replace(study, counted_as="represented")).headline)
    assert main(asked) == 0
    assert capsys.readouterr().out.startswith(sdc.ask("sparsity", study).headline)
    assert "people represented" in told

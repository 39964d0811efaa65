"""P4's numbers beside ours: made again here in plain arithmetic, and verdicts that can flip.

Numbers that rest on the real files skip without them; what judges them is tried without.
"""

from __future__ import annotations

import csv
import dataclasses
import itertools
import math
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

import sdc_core as sdc
from sdc_core.mechanisms.rwn import Rwn
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.papers import Entry, p4, published
from sdc_core.papers.item import Attempt, Case, Item, find
from sdc_core.papers.p4_body import (
    CLUSTERS,
    METHODS,
    RADII,
    RANGES,
    Line,
    along,
    comparable,
    people,
    standard_fit,
)
from sdc_core.papers.p4_claims_text import share_changed
from sdc_core.papers.p4_engineers import in_own_bins
from sdc_core.papers.p4_told import above, every
from sdc_core.papers.verdicts import Judged, Ours, Verdict, judged
from sdc_core.records import Records

QUICK = Attempt(full=False)
files = pytest.mark.skipif(
    "SDC_DATA_DIR" not in os.environ, reason="SDC_DATA_DIR is not set: it names the real files")


def item(name: str) -> Item:
    return next(one for one in p4.ITEMS if one.name == name)


def verdicts(found: list[Judged]) -> Counter[Verdict]:
    return Counter(one.verdict for one in found)


def rows_of(file: str) -> list[dict[str, str]]:
    with open(Path(os.environ["SDC_DATA_DIR"]) / file, encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


# The frame ----------------------------------------------------------------------------------------


def test_every_printed_number_has_its_item_and_every_claim_one_or_is_of_the_text() -> None:
    printed = {one.item for one in published("P4")}
    assert printed <= {one.name for one in p4.ITEMS}
    assert {c.item for c in p4.CLAIMS} <= {one.name for one in p4.ITEMS} | {"text"}
    assert {f"fig{n}" for n in range(1, 15)} <= {one.name for one in p4.ITEMS}
    assert sorted(c.number for c in p4.CLAIMS) == [*range(1, len(p4.CLAIMS) + 1)]


def entry_within(tolerance: str) -> Entry:
    return Entry("P4", "table1", "r", "mka", "100.00", False, "svcensus", "", tolerance, "why")


@pytest.mark.parametrize(("value", "spread", "error", "verdict"), [
    (102.9, 1.0, 0.0, Verdict.WITHIN), (103.1, 1.0, 0.0, Verdict.DIFFERS),
    (97.1, 1.0, None, Verdict.WITHIN), (104.1, 1.0, 1.0, Verdict.WITHIN),
    (104.4, 1.0, 1.0, Verdict.DIFFERS), (100.1, None, 5.0, Verdict.DIFFERS),
    (100.1, math.inf, 0.0, Verdict.DIFFERS), (100.1, 1.0, math.inf, Verdict.DIFFERS),
    (100.004, None, None, Verdict.MATCH),
])
def test_three_deviations_of_one_draw(
    value: float, spread: float | None, error: float | None, verdict: Verdict
) -> None:
    """3 × √(spread² + error²); without a spread, or with one that nobody knows, nothing is
    allowed."""
    ours = Ours("r", "mka", value, error=error, spread=spread)
    (found,) = judged([entry_within("3sd")], [ours])
    assert found.verdict is verdict


def test_chance_is_no_finding() -> None:
    one, other = OverReleases(np.array([1.0, 1.2, 0.8])), OverReleases(np.array([1.1, 1.3, 0.9]))
    assert above(other, one) is None
    assert above(OverReleases(np.array([9.0, 9.1])), one) is True
    assert above(one, 5.0) is False
    assert every([True, None]) is None and every([None, False]) is False and every([True]) is True


def test_comparable_is_the_longest_stretch() -> None:
    def line(*values: float) -> Line:
        return Line(tuple(OverReleases(np.array([v])) for v in values))
    flat = line(*[1.0] * 6)
    lines = {METHODS[0]: line(1.0, 1.5, 1.01, 1.02, 1.0, 1.4), METHODS[1]: flat, METHODS[2]: flat}
    assert comparable(lines, 0.03) == (3, 5)
    assert comparable(lines, 0.5) == (1, 6)


# Numbers made again in plain arithmetic -----------------------------------------------------------


@files
def test_table_2_from_the_file_by_hand() -> None:
    """The rule by which 11 cases are left out, the index, and the fifty numbers, from the text of
    the file."""
    kept = [
        r for r in rows_of("bodyfat_mfp.csv")
        if abs(round(495 / float(r["density"]) - 450, 1) - float(r["siri"])) <= 1
        and float(r["siri"]) >= 4 and float(r["height"]) >= 30
    ]
    assert len(kept) == 252 - 11
    index = [703 * float(r["weight"]) / float(r["height"]) ** 2 for r in kept]
    heaviest = sorted(range(len(kept)), key=lambda i: -index[i])[:5]
    ours = {(o.row, o.column): o.value for o in item("table2").make(QUICK)}
    for rank, i in enumerate(heaviest, start=1):
        assert ours[f"bmi-rank={rank}", "obs_number"] == i + 1
        assert ours[f"bmi-rank={rank}", "bmi"] == pytest.approx(index[i], abs=1e-5)
        for column in ("age", "weight", "height", "neck", "chest", "abdomen", "hip"):
            assert ours[f"bmi-rank={rank}", column] == float(kept[i][column])
    judged_ = item("table2").judge(QUICK)
    assert verdicts(judged_) == {Verdict.GIVEN: 50}  # rows of a file are no result
    assert all(j.ours is not None and j.entry.is_printed_as(j.ours.value) for j in judged_)
    removed = {o.row: o for o in item("text-9.3.2").make(QUICK)}["bodyfat removed"]
    assert removed.value == 11 and "same cases" in removed.how


@files
def test_table_1_before_anything_is_done_by_counting() -> None:
    people_ = rows_of("svcensus_qeML.csv")
    for years, printed in ((5, 480.92), (25, 1699.84)):
        keys = Counter(
            (round(float(r["age"]) / years), r["educ"], r["wkswrkd"], r["gender"]) for r in people_)
        by_hand = sum(n * n for n in keys.values()) / len(people_)
        ours = next(o for o in item("table1").make(QUICK) if o.row == f"none m={years}")
        assert ours.value == pytest.approx(by_hand, abs=1e-6)
        assert by_hand == pytest.approx(printed, abs=0.005)


@files
def test_the_wage_gap_by_plain_least_squares() -> None:
    people_ = rows_of("svcensus_qeML.csv")
    columns = [np.ones(len(people_))]
    columns += [np.array([float(r[n]) for r in people_]) for n in ("age", "wkswrkd")]
    for name, levels in (("educ", ("14", "16")), ("occ", ("101", "102", "106", "140", "141"))):
        columns += [np.array([float(r[name] == level) for r in people_]) for level in levels]
    columns.append(np.array([float(r["gender"] == "female") for r in people_]))
    wages = np.array([float(r["wageinc"]) for r in people_])
    (*_, gap), *_ = np.linalg.lstsq(np.column_stack(columns), wages, rcond=None)
    (ours,) = item("text-9.3.1").make(QUICK)
    assert ours.value == pytest.approx(gap, abs=1e-3)


@files
def test_standardised_coefficients_by_plain_least_squares() -> None:
    records = people(sdc.load_dataset("bodyfat"))
    assert len(records.names) == 14 and "bmi" not in records.names
    values = np.column_stack([
        records.values, 703 * records.column("weight") / records.column("height") ** 2])
    z = (values - values.mean(axis=0)) / values.std(axis=0, ddof=1)
    wanted, *_ = np.linalg.lstsq(z[:, 1:], z[:, 0], rcond=None)  # body fat comes first
    found = standard_fit(records, "siri")
    np.testing.assert_allclose(found.coefficients[1:], wanted, atol=1e-9)
    assert found.coefficients[0] == pytest.approx(0, abs=1e-9)


def test_total_correlation_of_two_is_their_mutual_information() -> None:
    """In bins of equal width of the release's own; scikit-learn's mutual information is in nats."""
    rng = np.random.default_rng(3)
    a = rng.normal(size=1000)
    records = Records.of(np.column_stack([a, a + rng.normal(size=1000)]))
    codes = in_own_bins(records)
    assert codes.max() == 9
    from sdc_core.metrics.microdata.relations import total_correlation
    assert total_correlation(codes) == pytest.approx(mutual_info_score(*codes.T))


def test_the_share_of_changed_values_is_that_of_many_releases() -> None:
    rng = np.random.default_rng(4)
    records = Records.of(rng.integers(0, 4, (150, 3)).astype(float))
    method = Rwn(k=6, q=0.7)
    seen = [
        (out.values != records.values).mean()
        for out in method.draw_records(records, [np.random.default_rng(s) for s in range(300)])]
    error = np.std(seen, ddof=1) / math.sqrt(len(seen))
    assert share_changed(records, method) == pytest.approx(np.mean(seen), abs=4 * error)


# Verdicts that can fail ---------------------------------------------------------------------------


def changed(found: Item, row: str, column: str, **to: str) -> list[Judged]:
    entries = [
        dataclasses.replace(e, **to) if (e.row, e.column) == (row, column) else e  # type: ignore[arg-type]
        for e in found.entries]
    return judged(entries, found.made(QUICK)[0])


def of(found: list[Judged], row: str, column: str) -> Verdict:
    return next(j.verdict for j in found if (j.entry.row, j.entry.column) == (row, column))


@files
def test_another_printed_value_differs() -> None:
    gap = item("text-9.3.1")
    assert of(gap.judge(QUICK), "unperturbed", "coef_female_usd") is Verdict.MATCH
    wrong = changed(gap, "unperturbed", "coef_female_usd", printed="-8595.7")
    assert of(wrong, "unperturbed", "coef_female_usd") is Verdict.DIFFERS
    swapping = item("table1")
    row = "rank-swap R0=0.10 m=5"
    assert of(swapping.judge(QUICK), row, "mka") is Verdict.WITHIN
    assert of(changed(swapping, row, "mka", printed="495.00"), row, "mka") is Verdict.DIFFERS
    setting = changed(item("table3"), "index=4", "rwn_radius", printed="0.41")
    assert of(setting, "index=4", "rwn_radius") is Verdict.DIFFERS


@files
def test_other_conventions_give_other_verdicts_at_figure_9() -> None:
    """Dividing by the variance, microaggregation is as far as RWN at k = 8, not 14; and nowhere do
    the three lie within 3%. That is how P4's clusters are known to divide by the deviation."""
    data = sdc.load_dataset("bodyfat")
    lines = along(data, "dcr_units", 25, 7)
    assert comparable(lines, 0.03) == (3, 7)
    by_variance = {**lines, "microaggregation": along(
        data, "dcr_units", 2, 7, scaling="variance")["microaggregation"]}
    with pytest.raises(sdc.InputError):
        comparable(by_variance, 0.03)
    level = lines["rwn"].means[RADII.index(0.8)]

    def closest(line: Line) -> float:
        return CLUSTERS[int(np.abs(line.means - level).argmin())]
    assert closest(lines["microaggregation"]) == 14
    assert closest(by_variance["microaggregation"]) < 11
    figure = item("fig9")
    assert verdicts(figure.judge(QUICK)) == {Verdict.MATCH: 8}
    wider = changed(figure, "all three comparable", "index_last",
                    convention="index worked out afterwards; within 5%")
    assert of(wider, "all three comparable", "index_last") is Verdict.DIFFERS


@files
def test_another_mechanism_gives_another_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """If rank swapping's tails took the first of equal values, as a plain sort does, Table 1's
    ages in steps of 25 years would come out too large."""
    from sdc_core.mechanisms import rank_swapping
    from sdc_core.papers import p4_engineers

    row = "rank-swap R0=0.10 m=25"
    assert of(item("table1").judge(QUICK), row, "mka") is Verdict.WITHIN

    class PlainSort(rank_swapping.RankSwapping):
        def _swapped(self, values: np.ndarray, name: str, rng: np.random.Generator) -> np.ndarray:
            return super()._swapped(values[::-1], name, rng)[::-1]

    real = p4_engineers.mechanism
    monkeypatch.setattr(p4_engineers, "mechanism", lambda name, **given: (
        PlainSort(**given) if name == "rank-swapping" else real(name, **given)))
    assert of(item("table1").judge(QUICK), row, "mka") is not Verdict.WITHIN


def test_settings_are_even_steps() -> None:
    for values in (RADII, RANGES, CLUSTERS):
        steps = [b - a for a, b in itertools.pairwise(values)]
        assert max(steps) - min(steps) < 1e-9 and len(values) == 15


def test_without_the_papers_files_nothing_is_judged_by_a_stand_in() -> None:
    twins = Attempt(full=False, twins_only=True)
    assert verdicts(item("text-9.3.1").judge(twins)) == {Verdict.NOT_JUDGED: 1}
    assert verdicts(item("table2").judge(twins)) == {Verdict.GIVEN: 50}
    assert verdicts(item("text-6.4").judge(twins)) == {Verdict.MATCH: 1}


@files
@pytest.mark.parametrize(("number", "holds"), [(3, True), (13, False), (31, False), (34, True)])
def test_claims_can_hold_and_can_fail(number: int, holds: bool) -> None:
    """Small ones: one man alone keeps his five neighbours; he does not always keep the largest
    score; columns under rank swapping; variances under microaggregation."""
    claim = next(one for one in p4.CLAIMS if one.number == number)
    assert claim.test(Case(QUICK, "bodyfat")).holds is holds
    assert type(claim.test(Case(QUICK, "bodyfat")).holds) is bool
    tried = find(dataclasses.replace(claim, tried_on=()), QUICK)
    assert [one.holds for one in tried.on_its_data] == [holds]

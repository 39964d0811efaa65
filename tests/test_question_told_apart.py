"""What Told apart says is true of the numbers: who is easier to recognise, whose records they are,
which tables were compared, how far an exact copy strays."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest

import sdc_core as sdc
from sdc_core.figures.told_apart import MOST_PLACES, left_out_places, place_chart
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.propensity import CLASSIFIERS, Propensity, Reference, Tree
from sdc_core.metrics.side_by_side import SideBySide
from sdc_core.metrics.told_apart import MARGINALS, ToldApart, Yardsticks, told_apart, yardsticks
from sdc_core.narrative.told_apart import (
    copies_sentence,
    finding_sentence,
    like_a_copy_sentence,
    marginal_sentence,
    no_places_sentence,
    percentage,
    ratio_sentence,
    told_apart_sentences,
)
from sdc_core.words.numbers import sensible

LAPLACE, GEOMETRIC = sdc.mechanism("laplace", epsilon=4.0), sdc.mechanism("geometric")
FILLS = sdc.mechanism("dp-suppression", epsilon=4.0)
LEAVES = sdc.mechanism("suppression", keep_zeros=True)
AIM, TOPDOWN = sdc.mechanism("aim"), sdc.mechanism("topdown")
REFERENCE = Reference(copy=0.001, fresh=0.003, copy_spread=0.0002, copies=40)
AGAINST = Yardsticks({"tree": REFERENCE, "logistic": REFERENCE}, {2: 980.0, 3: 970.0})


def one(mechanism: Mechanism, real: int, made_up: int, pmse: float = 0.002) -> ToldApart:
    """A release of 1,000 of whom `real` in a group of the data and `made_up` in an empty one give
    themselves away, made by hand."""
    features = (Feature("f", "f", ("0", "1", "2"), ("0", "1", "2")),)
    rest = 1000 - real - made_up
    pair = SideBySide(features, np.arange(3)[:, None], np.array([999, 1, 0]),
                      np.array([rest, real, made_up]))
    scores = Propensity(
        pair, Tree(), np.array([[0.5, 0.99, 0.99]]), pair.original[None, :],
        pair.released[None, :], pmse, REFERENCE, 10,
    )
    return ToldApart(mechanism, 1000, {"tree": scores}, {})


def test_hiding_is_named_by_what_it_does_to_empty_groups() -> None:
    """Records in filled empty groups are what gives hiding away; a method that leaves empty groups
    alone is reported beside it, and does not lend its name to the verdict."""
    found = [one(LAPLACE, 4, 5), one(FILLS, 5, 95), one(LEAVES, 0, 0)]
    text = finding_sentence(found, "tree")
    assert f"10% with {FILLS.label()} (95% of them in empty groups, which it fills)" in text
    assert f"0% with {LEAVES.label()} (empty groups left alone)" in text
    assert f"0.9% with {LAPLACE.label()}." in text
    assert "only where it fills empty groups" in text


@pytest.mark.parametrize(("filling", "leaving", "noise", "verdict"), [
    (100, 100, 9, "So hiding is easier to recognise than noise here."),
    (100, None, 9, "So hiding is easier to recognise than noise here."),
    (None, 0, 9, "So hiding is not easier to recognise than noise here."),
    (9, 9, 9, "So hiding is not easier to recognise than noise here."),
    (0, 0, 0, ""),
    (100, 9, 9, "So hiding is easier to recognise than noise only where it fills empty groups."),
    (9, 100, 9, ""),
])
def test_verdict_holds_for_all_methods_on_screen(
    filling: int | None, leaving: int | None, noise: int, verdict: str
) -> None:
    chosen = [(FILLS, filling), (LEAVES, leaving), (LAPLACE, noise)]
    found = [one(m, 0, away) for m, away in chosen if away is not None]
    text = finding_sentence(found, "tree")
    assert text.endswith(verdict) and ("So hiding" in text) == bool(verdict)


def test_noise_on_both_sides_of_hiding_gives_no_verdict() -> None:
    found = [one(FILLS, 0, 50), one(LAPLACE, 0, 9), one(GEOMETRIC, 0, 90)]
    assert "So hiding" not in finding_sentence(found, "tree")


@pytest.mark.parametrize("fitted", [AIM, TOPDOWN])
@pytest.mark.parametrize(("ratios", "says"), [
    ((1.0, 9.0), "is closer to the original than"),
    ((9.0, 1.0), "strays farther from the original than"),
    ((2.0, 2.1), "is about as far from the original as"),
])
def test_papers_are_credited_with_their_own_methods_only(
    fitted: Mechanism, ratios: tuple[float, float], says: str
) -> None:
    """P2 compares AIM, Laplace and DP suppression; TopDown and geometric noise are ours."""
    ours, theirs = (0.001 * r for r in ratios)
    found = [one(fitted, 0, 0, ours), one(GEOMETRIC, 0, 0, theirs), one(LEAVES, 0, 0)]
    text = finding_sentence(found, "tree")
    assert f"Here {fitted.label()} {says}" in text
    assert "Fioretto find AIM closer to the original than Laplace noise." in text
    assert not re.search(r"\b(As in|Unlike|As there|Here too)\b", text)
    assert "easier to recognise" not in finding_sentence(found[:2], "tree")
    assert finding_sentence(found[:1], "tree") == ""


@pytest.mark.parametrize(("real", "made_up", "says"), [
    (0, 1, "It is an invented person, like nobody in the data; "),
    (1, 0, "The data has people like it; "),
    (5, 0, "The data has people like all of them; "),
    (0, 5, "All of them are invented people, like nobody in the data; "),
    (5, 1, "1 of them is an invented person, like nobody in the data; "),
    (5, 3, "3 of them are invented people, like nobody in the data; "),
])
def test_whose_records_they_are(real: int, made_up: int, says: str) -> None:
    """The one original record in the second group has its score, so it is accused."""
    headline, more = told_apart_sentences(
        [one(FILLS, real, made_up), one(LEAVES, 0, 0)], "tree")
    assert f"spots {real + made_up} of the 1,000 records released by {FILLS.label()}" in headline
    assert headline.endswith(f"; it spots none of those by {LEAVES.label()}.")
    assert "(decision tree, at least 95% sure)" in headline
    assert more == f"{says}just as sure, it wrongly accuses one real person."


def test_one_record_gives_itself_away() -> None:
    found = [one(FILLS, 5, 5), one(LAPLACE, 0, 1)]
    headline, _ = told_apart_sentences(found, "tree")
    assert headline.endswith(f"; it spots 1 of the 1,000 by {LAPLACE.label()}.")
    assert "; it spots" not in told_apart_sentences(found[:1], "tree")[0]
    nobody = told_apart_sentences([one(LEAVES, 0, 0), one(LAPLACE, 0, 0)], "tree")
    assert f"spots none of the records released by {LEAVES.label()} and" in nobody[0]
    assert nobody[1] == ""


def test_who_strays_no_more_than_a_copy_is_said() -> None:
    """The outlines of an exact copy differ, so the page says why; 0.00114 is the most that a copy
    with 0.001 and its spread has."""
    truth = table(np.arange(10, 26), (4, 4))
    against = yardsticks(truth, None, 7)
    copy = told_apart(LEAVES, truth, truth.counts, against, None, 7)
    _, original, released = copy.propensities["tree"].distribution(20)
    assert not np.allclose(original, released)
    near, far = one(LEAVES, 0, 0, 0.00114), one(LAPLACE, 0, 0, 0.00115)
    text = like_a_copy_sentence([near, far], "tree")
    assert text.endswith(f"{LEAVES.label()} strays no more than that.")
    assert LAPLACE.label() not in text and like_a_copy_sentence([far], "tree") == ""


@pytest.mark.parametrize(("share", "says"), [
    (0.000999999, "0.1%"), (0.000998, "0.1%"), (0.0001, "0.01%"), (0.5, "50%"),
    (0.0675, "6.75%"), (0, "0%"), (1, "100%"), (0.00033, "0.033%"),
])
def test_percentages_have_no_zeros_at_the_end(share: float, says: str) -> None:
    assert percentage(share) == says


def test_of_many_places_the_worst_are_drawn() -> None:
    rng = np.random.default_rng(4)
    truth = table(np.full(120, 50), (60, 2))
    found = [told_apart(LAPLACE, truth, rng.poisson(50, 120), AGAINST, "F0", 7)]
    scores = sorted(found[0].marginals[2].places, key=lambda p: p.score)
    (chart,) = place_chart(found, 2)
    assert sorted(chart.data[0].x) == [p.score for p in scores[:MOST_PLACES]]
    assert left_out_places(found, 2).startswith("Of 60 places, the 40 with")
    assert len(chart.data[0].y) == len(chart.data[0].customdata) == MOST_PLACES


def test_no_place_is_explained() -> None:
    assert "add “Town” in the sidebar" in no_places_sentence("Town")
    assert "sidebar" not in no_places_sentence("")


def test_the_spread_of_a_copy_is_said() -> None:
    """0.2 of the mean a deal; over 10 deals, divided by a mean of 40: 0.2 √(1/10 + 1/40) = 0.0707,
    and twice that either side of 1."""
    assert REFERENCE.copy_range(10) == pytest.approx((1 - 0.1414, 1 + 0.1414), abs=1e-4)
    more = ratio_sentence([one(LAPLACE, 0, 0)], AGAINST)
    assert "by chance alone would be between 0.86 and 1.14 (decision tree) and" in more
    assert "fresh sample of the same people would be at about 3 (decision tree) and 3 (" in more
    assert copies_sentence(AGAINST).count("between 0.86 and 1.14") == 2
    assert Reference(1.0, 2.0, 9.0, 40).copy_range()[0] == 0
    nothing = Reference(0.0, 0.0, 0.0)
    assert copies_sentence(Yardsticks({"tree": nothing}, {})) == "not defined (decision tree)"


def test_a_release_of_another_size_is_said_to_be_rough() -> None:
    truth = table(np.full(8, 30), (2, 4))
    against = yardsticks(truth, None, 7)
    for times, rough in ((1, False), (2, False), (5, True)):
        found = [told_apart(LAPLACE, truth, times * truth.counts, against, None, 7)]
        more = ratio_sentence(found, against)
        assert (f"releases {times} times as many people as there are" in more) == rough
        assert ("rough" in more) == rough


def table(counts: object, shape: Sequence[int]) -> Histogram:
    values = [tuple(str(i) for i in range(size)) for size in shape]
    features = tuple(Feature(f"F{j}", f"Title {j}", v, v) for j, v in enumerate(values))
    return Histogram(np.asarray(counts, dtype=np.int64).ravel(), Domain(features))


@pytest.mark.parametrize(("shape", "by", "k", "says"), [
    ((4,), None, 2, "In the table of title 0, "),
    ((4,), None, 3, "In the table of title 0, "),
    ((3, 4), "F0", 3, "In the table of title 1 by place, "),
    ((3, 4), None, 3, "In the table of title 0 and title 1, "),
    ((3, 4, 2), None, 2, "In the average table of 2 features, "),
    ((3, 4, 2), "F0", 3, "In the table of title 1 and title 2 by place, "),
    ((3, 2, 2, 2), "F0", 2, "In the average table of 2 features by place, "),
])
def test_tables_have_the_features_that_are_said(
    shape: tuple[int, ...], by: str | None, k: int, says: str
) -> None:
    size = int(np.prod(shape))
    truth = table(np.arange(10, 10 + size), shape)
    against = Yardsticks(AGAINST.references, dict.fromkeys(MARGINALS, 980.0))
    found = [told_apart(LAPLACE, truth, np.full(size, 12), against, by, 7)]
    assert marginal_sentence(found, k, against, "Place").startswith(says)


def test_scores_of_places_are_said_to_be_on_another_scale() -> None:
    """Weighted by people, places lose twice what the score for all does, so the best place may be
    below it: the sentence must not put the two on one scale."""
    truth = table([[40, 40], [40, 40], [40, 40]], (3, 2))
    released = np.array([51, 29, 50, 30, 47, 33])
    found = [told_apart(LAPLACE, truth, released, AGAINST, "F0", 7)]
    score = found[0].marginals[2]
    mean = np.average([p.score for p in score.places], weights=[p.people for p in score.places])
    assert 1000 - mean == pytest.approx(2 * (1000 - score.score))
    assert max(p.score for p in score.places) < score.score
    text = marginal_sentence(found, 2, AGAINST, "Place")
    lost = [2 * 11 / 80, 2 * 7 / 80]  # 11 of the 80 people of place 0 misplaced, 7 of place 2
    low, high = (int(1000 * (1 - share) + 1e-9) for share in lost)
    assert f"does worst in 0 ({low}) and best in 2 ({high})" in text
    assert "not on one scale" in text
    same = [told_apart(LAPLACE, truth, truth.counts, AGAINST, "F0", 7)]
    text = marginal_sentence(same, 2, AGAINST, "Place")
    assert "scores 1000 everywhere" in text and "worst" not in text


@pytest.mark.slow
@pytest.mark.parametrize("features", [
    ("PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"),
    ("PUMA", "SEX", "RAC1P", "PINCP_DECILE", "OWN_RENT"),
])
def test_what_is_said_is_true_on_real_data(
    real_data: Callable[[str], sdc.Dataset], features: tuple[str, ...]
) -> None:
    """Shares and verdict recomputed from the scores, for hiding of all kinds beside noise."""
    truth = real_data("ma2019").histogram(features)
    chosen = [LAPLACE, GEOMETRIC, FILLS, FILLS.replace(keep_zeros=True),
              FILLS.replace(variant="P2", keep_zeros=True), LEAVES]
    found = [
        told_apart(m, truth, sdc.released_people(m, truth, 1)[0], AGAINST, "PUMA", 7)
        for m in chosen
    ]
    for name in CLASSIFIERS:
        text = finding_sentence(found, name)
        shares = []
        for release in found:
            scores = release.propensities[name]
            away = np.where(scores.even_scores >= 0.95, scores.released, 0).sum(axis=0)
            shares.append(away.sum() / release.released)
            assert f"{sensible(100 * shares[-1])}% with {release.mechanism.label()}" in text
            if release.mechanism == FILLS:
                inside = away[scores.pair.original == 0].sum() / away.sum()
                assert inside > 0.9 and f"({100 * inside:.0f}% of them in empty groups" in text
        only = shares[2] > max(shares[:2]) and max(shares[3:]) <= min(shares[:2])
        assert only == ("only where it fills empty groups" in text)
        assert not re.search(r"\b(As in|Unlike)\b", text)

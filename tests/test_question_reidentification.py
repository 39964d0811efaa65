"""What Who can be found? says is true of the numbers, over methods, settings, hand-made curves."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence

import numpy as np
import pytest

import sdc_core as sdc
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.reidentification import (
    MatchCurve,
    Rule,
    UniqueMatches,
    chances_of_match,
    match_curve,
    unique_matches,
)
from sdc_core.narrative import reidentification as words
from sdc_core.parameters import EPSILON
from sdc_core.words.numbers import sensible

EPSILONS = (0.1, 1.0, 10.0)
LAPLACE, SWAP = sdc.mechanism("laplace"), sdc.mechanism("dp-swapping")
GAUSSIAN, GEOMETRIC = sdc.mechanism("discrete-gaussian"), sdc.mechanism("geometric")


def table(counts: object, shape: Sequence[int]) -> Histogram:
    values = [tuple(str(i) for i in range(size)) for size in shape]
    features = tuple(
        Feature(n, n, v, tuple(f"{n}{i}" for i in v)) for n, v in zip("abcd", values, strict=False)
    )
    return Histogram(np.asarray(counts, dtype=np.int64).ravel(), Domain(features))


SMALL = table([[[0, 1, 2], [1, 4, 0]], [[3, 0, 1], [0, 7, 1]]], (2, 2, 3))


def curve(one: Mechanism, shares: Sequence[float], unique: int = 100) -> MatchCurve:
    """A line with these shares along ε, made by hand."""
    points = tuple(
        UniqueMatches(
            one.replace(epsilon=e), "at-least-once", "exact", 0, 1000, unique, unique * s,
            unique * s, unique * s, 10, 0.0, np.array([]), np.array([], dtype=np.int64),
        )
        for e, s in zip(EPSILONS, shares, strict=True)
    )
    return MatchCurve(one, EPSILONS, points, 1.0)


@pytest.mark.parametrize("one", [
    sdc.mechanism(name, k=k, imputation=i, keep_zeros=z)
    for name, k, i, z in itertools.product(
        ("suppression", "dp-suppression"), (1, 2, 3, 6), ("floor", "half"), (False, True))
], ids=lambda m: m.label())
def test_a_stand_in_tells_only_where_no_empty_group_has_it(one: Mechanism) -> None:
    """Judged by releases: the stand-in is seen where somebody was hidden, and nowhere else."""
    once, loose = (unique_matches(one, SMALL, r) for r in ("exactly-once", "at-least-once"))
    text = words.suppression_sentence(SMALL, [once], [loose])
    stand_in = int(np.rint(one.imputed))  # type: ignore[attr-defined]
    drawn = sdc.released_people(one, SMALL, 400)
    filled = (drawn[:, SMALL.counts == 0] == stand_in).any() and stand_in > 0
    hides = one.hidden([1])[0] > 0  # type: ignore[attr-defined]
    tells = hides and stand_in > 0 and not filled
    assert ("tells that somebody is there" in text) == tells
    assert text.endswith(".") and "unique people behind a stand-in" in text


def many() -> list[Mechanism]:
    return [
        *(sdc.mechanism(n, epsilon=e) for n in ("laplace", "geometric") for e in (0.5, 4.0, 20.0)),
        sdc.mechanism("discrete-gaussian", epsilon=20.0),
        sdc.mechanism("suppression", keep_zeros=True), sdc.mechanism("suppression"),
        sdc.mechanism("dp-suppression", keep_zeros=True), sdc.mechanism("k-anonymity", k=2),
        sdc.mechanism("permutation-swapping", swap_rate=0.02), sdc.mechanism("dp-swapping"),
    ]


@pytest.mark.parametrize("rule", ["at-least-once", "exactly-once"])
def test_no_empty_group_is_said_only_where_it_is_certain(rule: Rule) -> None:
    """Over noise weak and strong, hiding, swapping: `no empty group` needs a chance of exactly
    zero in every empty group; where a few are shown, the number is given."""
    truth = sdc.load_dataset("ma2019-twin").histogram(
        ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"])
    empty = truth.counts == 0
    for one in many():
        found = unique_matches(one, truth, rule, sdc.released_people(one, truth, 5))
        _, text = words.found_sentences([found], [])
        chance = chances_of_match(one, truth, rule)
        certain = chance is not None and not chance[empty].any()
        if "no empty group" in text:
            assert certain and one.label() in text
        elif found.share >= 0.005 and found.made_up_share < 0.005:
            assert not certain and f"Of the {empty.sum():,} empty groups" in text
            number = "fewer than 0.01" if found.made_up < 0.01 else sensible(found.made_up)
            assert (number if found.made_up else "none in 5 releases") in text
        assert "is real" not in text


def test_a_few_made_up_groups_are_numbered(real_data: Callable[[str], sdc.Dataset]) -> None:
    """1,240 empty groups, each shown with chance ½ e^(-ε/4) = 0.0034 at ε = 20: about 4.2."""
    data = real_data("national2019")
    truth = data.histogram(data.default_features)
    one = sdc.mechanism("laplace", epsilon=20.0)
    _, text = words.found_sentences([unique_matches(one, truth, "at-least-once")], [])
    expected = (truth.counts == 0).sum() * 0.5 * np.exp(-20 / 4)
    assert 4 < expected < 4.5 and f"about {sensible(float(expected))} with Laplace ε=20" in text


def test_nobody_unique_is_nothing_to_say() -> None:
    lines = [curve(LAPLACE, (0, 0, 0), 0), curve(SWAP, (0, 0, 0), 0)]
    assert words.finding_sentence(lines) == ""
    assert words.finding_sentence([]) == ""


@pytest.mark.parametrize(("noise", "swap", "says"), [
    ((0.1, 0.5, 0.9), (0.95, 0.95, 0.96), "hardly moves and shows more than Laplace at every ε"),
    ((0.1, 0.5, 0.9), (0.6, 0.8, 0.91), "shows more than Laplace at every ε shown."),
    ((0.1, 0.5, 0.9), (0.6, 0.8, 0.7), "shows more than Laplace up to about ε = 1, not beyond."),
    ((0.1, 0.5, 0.9), (0.6, 0.4, 0.95), "shows more than Laplace at 2 of the 3 values of ε shown."),
    ((0.1, 0.5, 0.9), (0.05, 0.6, 0.5), "shows more than Laplace at 1 of the 3 values of ε shown."),
    ((0.1, 0.5, 0.9), (0.1, 0.5, 0.9), "shows at no ε more than Laplace."),
    ((0.1, 0.5, 0.9), (0.0, 0.4, 0.8), "shows fewer than Laplace at every ε shown."),
])
def test_more_is_more_at_every_value(
    noise: tuple[float, ...], swap: tuple[float, ...], says: str
) -> None:
    text = words.finding_sentence([curve(LAPLACE, noise), curve(SWAP, swap)])
    assert f"Here {SWAP.label().replace(' ε=1', '')} {says}" in text


def test_comparisons_are_true_whatever_the_curves() -> None:
    """Random lines on a coarse grid, so that ties and crossings of all kinds occur."""
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(300):
        first, second = rng.integers(0, 4, (2, 3)) / 4
        swap = rng.integers(0, 5, 3) / 4
        text = words.finding_sentence(
            [curve(LAPLACE, first), curve(GAUSSIAN, second), curve(SWAP, swap)])
        above = swap > np.maximum(first, second)
        verdict = next(s for s in re.split(r"(?<=\.) ", text) if s.startswith("Here DP swapping"))
        kind = next(k for k in ("at every ε", "up to about", "at no ε", "values of ε")
                    if k in verdict)
        seen.add(kind)
        assert (kind == "at every ε") == above.all() and (kind == "at no ε") == (not above.any())
        if kind == "up to about":
            until = EPSILONS[int(above.sum()) - 1]
            assert f"ε = {sensible(until)}, not beyond" in verdict
            np.testing.assert_array_equal(above, np.array(EPSILONS) <= until)
        elif kind == "values of ε":
            assert f"at {above.sum()} of the 3 values" in verdict
        assert ("hardly moves" in verdict) == (np.ptp(swap) < 0.1)
        fewest = "Laplace" if first[-1] < second[-1] else "Discrete Gaussian"
        assert (f"Here {fewest} shows fewer" in text) == (first[-1] != second[-1])
    assert len(seen) == 4


@pytest.mark.parametrize("one", [
    sdc.mechanism("dp-k-anonymity"), sdc.mechanism("dp-swapping-uniform"), SWAP,
], ids=lambda m: m.name)
@pytest.mark.parametrize("shares", [(0.9, 0.9, 0.95), (0.0, 0.0, 0.1), (0.5, 0.5, 0.5)])
def test_p0_is_credited_with_its_own_methods_only(
    one: Mechanism, shares: tuple[float, ...]
) -> None:
    """Its Figure 5 has Laplace, discrete Gaussian and DP swapping, and that is what is cited."""
    text = words.finding_sentence([curve(GEOMETRIC, (0.1, 0.5, 0.9)), curve(one, shares)])
    assert "In Das et al. 2024 (Figure 5), DP swapping shows more than noise" in text
    assert not re.search(r"\b(As in|Unlike|unlike there|As there|Here too)\b", text)


def swept(one: Mechanism, truth: Histogram) -> MatchCurve:
    return match_curve(
        one, truth, EPSILON, "at-least-once", EPSILON.points(5),
        lambda m: sdc.released_people(m, truth, 3),
    )


def test_more_noise_is_a_cause_only_where_there_is_more() -> None:
    floor = sdc.mechanism("laplace", postprocess="floor")
    text = words.finding_sentence([swept(LAPLACE, SMALL), swept(floor, SMALL)])
    label = floor.label().replace(" ε=1", "")
    assert f"Here {label} shows fewer than Laplace at ε = 20." in text
    assert "noise is larger" not in text  # the same noise, rounded down
    same = words.finding_sentence([swept(LAPLACE, SMALL), swept(LAPLACE, SMALL)])
    assert "fewer" not in same and "larger" not in same
    close = words.finding_sentence([swept(LAPLACE, SMALL), swept(GEOMETRIC, SMALL)])
    assert "shows fewer" not in close  # both show all but a few in a thousand
    both = words.finding_sentence([swept(LAPLACE, SMALL), swept(GAUSSIAN, SMALL)])
    assert "Discrete Gaussian shows fewer than Laplace at ε = 20; its noise is larger." in both
    drawn = [
        sdc.mechanism(n, epsilon=20.0, postprocess="none").variance([50])[0]  # type: ignore[attr-defined]
        for n in ("discrete-gaussian", "laplace")
    ]
    assert drawn[0] > 1.05 * drawn[1]


def test_a_method_is_named_with_its_settings() -> None:
    rates = [sdc.mechanism("dp-swapping", swap_rate=r) for r in (0.2, 0.4)]
    text = words.finding_sentence([curve(m, (0.5, 0.5, 0.5)) for m in rates])
    assert "with DP swapping 20%" in text and "with DP swapping 40%" in text and "ε=" not in text


@pytest.mark.parametrize("seed", range(20))
def test_unique_groups_are_the_least_and_the_most(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = table(rng.poisson(0.9, 24), (3, 2, 4))
    found = unique_matches(LAPLACE, truth, "at-least-once")
    cube = truth.counts.reshape(3, 2, 4)
    for axis in range(3):
        rest = tuple(j for j in range(3) if j != axis)
        people, unique = cube.sum(axis=rest), (cube == 1).sum(axis=rest)
        share = unique[people > 0] / people[people > 0]
        text = words.unique_group_sentence(found, truth, axis)
        ends = [sensible(100 * share.min()), sensible(100 * share.max())]
        if not text:
            assert ends[0] == ends[1]
            continue
        assert re.findall(r"\(([\d.]+)%\)", text) == ends and ends[0] != ends[1]
        names = re.findall(r"“\w(\d)”", text)
        assert len(set(names)) == 2
        for name, wanted in zip(names, (share.min(), share.max()), strict=True):
            assert unique[int(name)] / people[int(name)] == wanted


def test_unique_groups_alike_are_not_called_uneven() -> None:
    found = unique_matches(LAPLACE, even := table([[1, 3], [3, 1]], (2, 2)), "at-least-once")
    assert words.unique_group_sentence(found, even, 0) == ""
    lone = table([[1, 0], [3, 1]], (2, 2))
    found = unique_matches(LAPLACE, lone, "at-least-once")
    text = words.unique_group_sentence(found, lone, 0)
    assert text == (
        "1 of 4 people with “a1” is one of a kind (25%), but the only one with “a0” is (100%).")
    nobody = table([[1, 1], [3, 3]], (2, 2))
    found = unique_matches(LAPLACE, nobody, "at-least-once")
    assert words.unique_group_sentence(found, nobody, 0) == (
        "None of 6 people with “a1” is one of a kind (0%), but all 2 with “a0” are (100%).")


def shown(
    one: Mechanism, expected: float, unique: int = 54, rule: Rule = "at-least-once", drawn: int = 0
) -> UniqueMatches:
    return UniqueMatches(
        one, rule, "simulated" if drawn else "exact", drawn, 1000, unique, expected, expected,
        expected, 0, 0.0, np.array([]), np.array([], dtype=np.int64),
    )


@pytest.mark.parametrize(("first", "second", "says"), [
    (54, 27.1, "Everyone who is one of a kind (54 of 54) is still visible after Laplace ε=1, about "
     "half (27) after Geometric ε=1; visible"),
    (30, 12, "30 of the 54 people who are one of a kind (55.6%) are still visible after Laplace "
     "ε=1, 12 (22.2%) after Geometric ε=1; visible"),
    (53.8, 0, "Nearly everyone who is one of a kind (99.6% of 54) is still visible after Laplace "
     "ε=1, nobody after Geometric ε=1; visible"),
    (30, 30.01, "30 of the 54 people who are one of a kind (55.6%) are still visible after Laplace "
     "ε=1 and Geometric ε=1; visible"),
    (0, 0, "Nobody who is one of a kind (0 of 54) is still visible after Laplace ε=1 and "),
])
def test_headline_says_how_many_and_ranks_no_ties(first: float, second: float, says: str) -> None:
    found = [shown(LAPLACE, first), shown(GEOMETRIC, second)]
    assert words.found_sentences(found, [])[0].startswith(says)


def test_headline_of_one_person_of_draws_and_of_the_other_rule() -> None:
    def headline(one: UniqueMatches) -> str:
        return words.found_sentences([one], [])[0]

    assert headline(shown(SWAP, 54, drawn=40)).startswith(
        "Everyone who is one of a kind (54 of 54) is in all 40 releases still visible after")
    assert headline(shown(LAPLACE, 1, 1)).startswith(
        "The one person who is one of a kind is still visible after")
    assert "is in 40% of releases still visible" in headline(shown(LAPLACE, 0.4, 1))
    assert "(nearly 100% of 9,999)" in headline(shown(LAPLACE, 9998.9, 9999))
    strict = headline(shown(LAPLACE, 20, rule="exactly-once"))
    assert "are shown exactly once after Laplace" in strict
    assert strict.endswith("; that does not yet mean identified.")


@pytest.mark.parametrize(("empty", "says"), [
    (3, "None of 3 releases has people in it."), (2, "1 of 3 releases has people in it."),
    (1, "2 of 3 releases have people in them."),
])
def test_empty_releases_in_good_grammar(empty: int, says: str) -> None:
    assert words.empty_sentence(LAPLACE, empty, 3) == f"Laplace ε=1: {says}"

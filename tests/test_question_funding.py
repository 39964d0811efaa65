"""Money and thresholds: who stands where with which amount, read back from what is shown.

Four towns are small enough to be worked out by hand: suppression leaves nothing to chance, and for
methods with chance the released people are added up here, in plain numpy.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import sdc_core as sdc
from sdc_core.figures.contrast import ink
from sdc_core.figures.theme import FAILURE, styles
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.decisions import AreaCounts, Decisions, Group, area_counts, decide
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.questions import funding, question
from sdc_core.questions.answer import Answer
from sdc_core.questions.funding import figures
from sdc_core.questions.funding.captions import money_caption, rule_caption, undefined_sentences
from sdc_core.questions.funding.words import (
    decision_sentences,
    dollars,
    group_words,
    of_100,
    threshold_remark,
)
from sdc_core.questions.work import Work
from sdc_core.words.ranking import apart
from tests.contract import Contract
from tests.page_driver import TWIN, answer, link, opened, said, uploaded
from tests.reading import look, markup, only, share, traces
from tests.shorthand import short

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=("m1", "m2", "m3", "m4"),
    controls=("area", "group", "pot", "threshold", "counted"),
    columns={
        "money": (
            "place", "members", "people", "true amount", "gain, <method>", "± <method>",
            "5% of releases below, <method>", "5% of releases above, <method>",
            "gain with empty groups at 0, <method>",
        ),
        "threshold": (
            "place", "true share", "more than 25%", "share, <method>",
            "chance of a flip, <method>", "± <method>", "chance of a flip at most, <method>",
        ),
    },
    quick={"counted": "small"},
    fewer={"funding.RELEASES": 20},
)

TOWNS = ("Ash", "Birch", "Cedar", "Dale")
RENT = np.array([1, 10, 4, 30])  # $20 a renter of a pot of $900
OWN = np.array([20, 20, 36, 70])
POT = 900
FIVE = ["PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K"]
SUPPRESSED = [sdc.mechanism("suppression", k=k, keep_zeros=True) for k in (6, 12, 1)]
GEOMETRIC = sdc.mechanism("geometric", epsilon=0.5)
WHO = "people listed as “rent”"


def people(rent: Iterable[int] = RENT, own: Iterable[int] = OWN) -> sdc.Dataset:
    """So many renters and owners in each town."""
    rows = [
        (town, tenure)
        for town, r, o in zip(TOWNS, rent, own, strict=False)
        for tenure, number in (("rent", r), ("own", o)) for _ in range(number)
    ]
    return sdc.load_dataset(pd.DataFrame(rows, columns=["town", "tenure"]))


def asked(
    methods: Sequence[Mechanism] | None = SUPPRESSED, data: sdc.Dataset | None = None,
    seed: int = 7, work: Work | None = None, **controls: Any,
) -> Answer:
    study = sdc.Study(data or people(), seed=seed, methods=methods)
    chosen = {"group": ("tenure=rent",), "pot": POT, "threshold": 10, **controls}
    return sdc.ask("funding", study, chosen, work=work)


def hidden(k: int, counts: np.ndarray) -> np.ndarray:
    """Suppression that leaves zeros alone, by hand."""
    return np.where((counts > 0) & (counts < k), k // 2, counts)


def gains(rent: np.ndarray, pot: float = POT) -> np.ndarray:
    """What each town gets by these renters instead of the true ones, one row a release."""
    return pot * (rent / rent.sum(axis=-1, keepdims=True) - RENT / RENT.sum())


GAINS = {m.label(): gains(hidden(m.settings()["k"], RENT)) for m in SUPPRESSED}


def geometric_releases(
    seed: int = 7, method: Mechanism = GEOMETRIC
) -> tuple[np.ndarray, np.ndarray]:
    """Renters and owners by town, one row a release; owners are the first tenure."""
    rows = sdc.released_people(method, people().histogram(["town", "tenure"]), 200, seed)
    cube = rows.reshape(200, 4, 2)
    return cube[:, :, 1], cube[:, :, 0]


def half_up(number: float) -> int:
    return math.floor(number + 0.5)


def three_digits(amount: float) -> str:
    """`$14,200`, `−$88`: the test's own way to write an amount below a million."""
    size = float(f"{abs(amount):.3g}")
    return f"{'−' if amount < 0 else ''}${size:,.0f}"


# ---------------------------------------------------------------- the sentence


def test_the_sentence_names_worst_best_and_between() -> None:
    """k = 12 sends ½ Σ|gain| = 125 astray, k = 6 less, k = 1 hides nobody. None is random."""
    found = asked()
    moved = {name: np.abs(g).sum() / 2 for name, g in GAINS.items()}
    assert moved == pytest.approx({
        "Suppression k=6": 38.695652, "Suppression k=12": 125.0, "Suppression k=1": 0.0,
    })
    assert found.headline == (
        f"Of $900 for {WHO}, hiding small counts (k = 12) misdirects $125, "
        "hiding small counts (k = 1) nothing."
    )
    assert found.more.parts[:2] == (
        f"Misdirected is what some places get too much for their {WHO}, and others too little.",
        "Of the other methods: $39 after hiding small counts (k = 6).")
    worst = GAINS["Suppression k=12"]  # +92.5, −87.5, +32.5, −37.5
    assert TOWNS[worst.argmin()] == "Birch" and TOWNS[worst.argmax()] == "Ash"
    assert (
        f"After hiding small counts (k = 12), Birch loses most ({87.5 / 125:.0%} of all losses) "
        f"and Ash gains most ({92.5 / 125:.0%} of all gains)." in found.more
    )


def test_a_tie_without_chance_is_not_put_down_to_chance() -> None:
    """10 and 10 renters become 6 and 6: both lose the same in every release."""
    found = asked([SUPPRESSED[1]], people([10, 10, 40], [50, 50, 50]))
    assert (
        "After hiding small counts (k = 12), several places share the largest losses and Cedar "
        "gains most (100% of all gains)." in found.more
    )
    assert "chance" not in found.more


def test_one_release_says_nothing_about_who_gains_as_a_rule() -> None:
    found = by_releases(town([250] * 3, [100] * 3), [[230, 260, 260]], [[330, 360, 360]])
    headline, more = decision_sentences(found, "renters")
    assert "misdirects $2.67" not in headline and "misdirects $3" in headline
    assert "After" not in more and "most" not in more


def test_two_methods_are_compared_in_so_many_words() -> None:
    assert asked(SUPPRESSED[:2]).headline.endswith(
        "hiding small counts (k = 12) misdirects $125, hiding small counts (k = 6) "
        "$39.")
    both = [SUPPRESSED[1], SUPPRESSED[1].replace(imputation="half")]  # 6 either way
    assert asked(both).headline.endswith(
        "hiding small counts (k = 12) misdirects $125 and "
        f"{both[1].spoken()} as much.")


def test_the_rule_names_who_changes_sides_under_the_method_that_flips_most() -> None:
    """Ash has 1 of 21 renters and Cedar 4 of 40, which is 10% and not more. Hidden below 12 they
    have 6 of 26 and 6 of 42; hidden below 6 only Ash is above, with 3 of 23."""
    found = asked()
    assert (
        "flips places most often after hiding small counts (k = 12): Ash in every "
        "release, Cedar in every release." in found.more
    )
    rule = found.panel("threshold")
    assert rule.title == "Which places change sides at 10%?"
    assert short(rule.caption).startswith(f"In truth 2 of 4 places have more than 10% {WHO}. ")
    assert "Suppression k=6 flips at least one in every release. " in short(rule.caption)
    assert "k=12 flips at least one in every release, 2 on average." in short(rule.caption)
    assert "Suppression k=1 flips none." in short(rule.caption)
    assert "standard error" not in rule.caption and "exclude" not in rule.caption  # no chance


def test_chances_are_counted_in_the_releases() -> None:
    rent, own = geometric_releases()
    flipped = (10 * rent > rent + own) != (10 * RENT > RENT + OWN)
    chance = flipped.mean(axis=0)
    likely = np.argsort(-chance, kind="stable")
    found = asked([GEOMETRIC])
    named = ", ".join(
        f"{TOWNS[i]} in {half_up(100 * chance[i])} of 100 releases" for i in likely if chance[i] > 0
    )
    assert 0.01 < chance[likely[0]] < 0.99
    assert (chance > 0).sum() <= 3
    assert f"flips places after adding whole-number noise (ε = 0.5): {named}." in found.more
    any_flip = flipped.any(axis=1).mean()
    caption = short(found.panel("threshold").caption)
    assert f"Geometric ε=0.5 flips at least one in {half_up(100 * any_flip)} of 100" in caption
    errors = [math.sqrt(c * (1 - c) / 200) for c in (*chance, any_flip)]
    assert f"Counted in 200 releases: ± {math.ceil(100 * max(errors))} of 100 at most" in caption


def test_a_copy_is_said_to_change_nothing() -> None:
    found = asked(SUPPRESSED[2:])
    assert found.headline.endswith(
        f"for {WHO}, hiding small counts (k = 1) misdirects nothing.")
    assert found.more.parts[1] == (
        f"The rule “more than 10% {WHO}” gives every place its true answer under every method.")
    assert "stand in the order" not in found.panel("money").caption
    assert asked([SUPPRESSED[2], SUPPRESSED[2].replace(imputation="half")]).headline.endswith(
        "every method here misdirects nothing.")


def test_no_flip_in_so_many_releases_is_not_never() -> None:
    """0 of 200 exclude more than 1.5% (three in 200); suppression leaves nothing to chance."""
    steady = sdc.mechanism("geometric", epsilon=3.0)
    rent, own = geometric_releases(method=steady)
    assert not ((rent > rent + own) != (RENT > RENT + OWN)).any()
    assert not ((2 * rent > rent + own) != (2 * RENT > RENT + OWN)).any()
    found = asked([steady, SUPPRESSED[2]], threshold=50)
    assert found.more.endswith(
        f"The rule “more than 50% {WHO}” gives every place its true answer in all releases that "
        "were drawn. No flip in 200 releases: the chance of one is below 1.5%.")
    caption = short(found.panel("threshold").caption)
    assert f"{steady.label()} flips none in 200 releases. Suppression k=1 flips none." in caption
    assert caption.endswith("No flip in 200 releases: the chance of one is below 1.5%.")
    table = found.panel("threshold").table
    assert table is not None
    assert set(table[f"chance of a flip at most, 1. {steady.label()}"]) == {0.015}
    assert set(table["chance of a flip at most, 2. Suppression k=1"]) == {0.0}
    chart = only(found.panel("threshold"))
    hints = [t for trace in chart.data if trace.mode == "markers" for t in trace.text]
    assert sum("flips in none of 200 releases" in hint for hint in hints) == 4
    assert sum("flips in no release" in hint for hint in hints) == 4


def test_always_is_said_only_where_no_release_could_be_otherwise() -> None:
    """Four releases that all flip a town are four, not all."""
    drawn = by_releases(town([20, 50], [80, 50]), [[40, 50]] * 4, np.full((4, 2), 100))
    assert "Town A in all of 4 releases." in decision_sentences(drawn, "renters")[1]
    texts = [a.text for a in figures.share_chart(drawn).layout.annotations if a.x == 1]
    assert "flips all of 4" in texts and "always flips" not in texts


def test_the_caption_says_how_it_was_computed_and_whom_methods_add() -> None:
    """To 45 renters k = 6 adds 3 − 1 + 3 − 4 = 1 and k = 12 adds 6 − 1 + 6 − 10 + 6 − 4 = 3. k = 1
    does nothing at all."""
    caption = short(asked().panel("money").caption)
    assert f"by the true number of {WHO}: exact. Places" in caption
    assert "Places stand in the order of their gain under Suppression k=6." in caption
    assert "People are counted by town, tenure: 8 groups," in caption
    assert (
        f"There are 45 {WHO}: Suppression k=6 adds 1 and Suppression k=12 adds 3 (each hides small "
        "counts)." in caption
    )
    assert caption.endswith("Suppression k=1 changes none of these numbers in any release.")
    mixed = short(asked([GEOMETRIC, SUPPRESSED[0]]).panel("money").caption)
    assert (
        f"means over 200 releases ± one standard error for {GEOMETRIC.label()}; exact for "
        "Suppression k=6; lines span nine of ten releases." in mixed
    )
    assert "means over 200 releases ± one standard error; lines" in asked(
        [GEOMETRIC]).panel("money").caption


def test_bars_that_cancel_out_over_releases_are_explained() -> None:
    """Gains of 30 and losses of 30 in turn: means add up to nothing, every release moves $30."""
    table, said = town([250] * 4, [1000] * 4), "cancels out in its bar, so bars add up to less"
    for moved, cancels in (([[30, -30, 0, 0], [-30, 30, 0, 0]], True),
                           ([[30, -30, 0, 0], [30, -30, 0, 0]], False)):
        members = 250 + np.array(moved)
        found = by_releases(table, members, members + 1000, 1000.0, 1)
        assert found.outcomes[0].money.moved == pytest.approx(30)
        assert (said in money_caption(found, "renters", 8, "x")) is cancels
    assert said not in asked().panel("money").caption  # nothing is left to chance


def test_a_method_that_keeps_a_part_of_the_records_loses_people_by_that() -> None:
    method = sdc.mechanism("dp-k-anonymity", epsilon=2.0, quasi_identifiers=("tenure",))
    data = people(10 * RENT, 10 * OWN)
    rows = sdc.released_people(method, data.histogram(["town", "tenure"]), 200, 7)
    lost = 450 - rows.reshape(200, 4, 2)[:, :, 1].sum(axis=1).mean()
    assert lost > 0.005 * 450
    caption = short(asked([method], data).panel("money").caption)
    found = re.search(r"takes away ([\d.]+) ± ([\d.]+) \((.*?)\)", caption)
    assert found is not None and float(found[1]) == pytest.approx(lost, abs=0.51)
    error = rows.reshape(200, 4, 2)[:, :, 1].sum(axis=1).std(ddof=1) / math.sqrt(200)
    assert float(found[2]) == pytest.approx(error, abs=0.006)
    assert found[3].startswith("it keeps a random part of the records")


def clipped(counts: Iterable[int], epsilon: float = 1.0) -> float:
    """Whom rounding and removing negatives adds to Laplace noise: Σ e^(−εx/2)/(4 sinh ε/4)."""
    return sum(math.exp(-epsilon * x / 2) for x in counts) / (4 * math.sinh(epsilon / 4))


@pytest.mark.parametrize("seed", range(12))
def test_chance_is_given_no_cause(seed: int) -> None:
    """Four towns of ten: noise truly adds 0.03 of 40 people, and in 200 releases up to one, either
    way. To 40 people in 20 of 400 groups it truly adds several times as many."""
    noise = sdc.mechanism("laplace")
    alike = sdc.load_dataset(pd.DataFrame({"town": list("abcd") * 10, "all": ["yes"] * 40}))
    assert clipped([10] * 4) < 0.005 * 40
    study = sdc.Study(alike, seed=seed, methods=[noise])
    caption = sdc.ask("funding", study, area="town", group=()).panel("money").caption
    assert "adds" not in caption and "takes away" not in caption
    rows = [(f"t{i % 20}", f"v{i % 20}") for i in range(40)]
    sparse = sdc.load_dataset(pd.DataFrame(rows, columns=["town", "tenure"]))
    study = sdc.Study(sparse, seed=seed, methods=[noise], features=["town", "tenure"])
    caption = sdc.ask("funding", study, area="town", group=()).panel("money").caption
    found = re.search(r"There are 40 people: Laplace ε=1 adds ([\d.]+) ± ([\d.]+) \(it adds noise",
                      short(caption))
    assert found is not None
    added, error = map(float, found.groups())
    assert abs(added - clipped([2] * 20 + [0] * 380)) < 4 * error < 0.1 * added


def test_a_simulated_zero_says_what_it_excludes() -> None:
    """Two people of twenty rarely exchange towns: not in these releases. A filler for empty groups
    stands beside a method that put nobody there so far."""
    rare = sdc.mechanism("permutation-swapping", swap=("town",), match=(), swap_rate=1e-6)
    data = people([10, 10], [10, 0])
    rows = sdc.released_people(rare, data.histogram(["town", "tenure"]), 200, 7)
    assert (rows == rows[0]).all() and rare.bias(data.histogram(["town", "tenure"])).any()
    caption = short(asked([rare], data).panel("money").caption)
    assert caption.endswith(f"{rare.label()} changed none of these numbers in 200 releases (any in "
                            "at most 1.5% of releases).")
    other = asked([sdc.mechanism("laplace"), rare], data, group=()).headline
    assert other.endswith("; so far only the former fills empty groups.")
    never = asked([sdc.mechanism("laplace"), SUPPRESSED[2]], data, group=()).headline
    assert never.endswith("nothing; only the former fills empty groups.")


def test_those_who_vanish_are_said_to() -> None:
    """10 and 11 renters become 6 each: of 51, nine are lost."""
    found = asked([SUPPRESSED[1]], people([10, 11, 30], [50, 50, 50]))
    caption = short(found.panel("money").caption)
    assert caption.endswith(
        f"There are 51 {WHO}: Suppression k=12 takes away 9 (it hides small counts).")


# ---------------------------------------------------------------- people where nobody is

ODD = sdc.mechanism("suppression", k=6)  # 3 for 0 to 5, where empty groups are treated


def with_empty(rent: Sequence[int], kinds: int = 3) -> sdc.Dataset:
    """So many renters of the first kind in each town; the town of most has some of all kinds, the
    others none of the rest, so that their groups are empty."""
    rows = []
    for town_name, number in zip(TOWNS, rent, strict=True):
        rows += [(town_name, "rent", "kind0")] * number
        if number == max(rent):
            rows += [(town_name, "rent", f"kind{k}") for k in range(1, kinds) for _ in range(50)]
        rows += [(town_name, "own", f"kind{k}") for k in range(kinds) for _ in range(60)]
    return sdc.load_dataset(pd.DataFrame(rows, columns=["town", "tenure", "kind"]))


def by_town(data: sdc.Dataset, treated: bool) -> tuple[np.ndarray, np.ndarray]:
    """True renters, and those that suppression at 6 releases, by town: pandas."""
    renters = data.records[data.records.tenure.astype(str) == "rent"]
    counts = pd.crosstab(renters.town, renters.kind).reindex(TOWNS).to_numpy()
    small = (counts < 6) & ((counts > 0) | treated)
    return counts.sum(axis=1), np.where(small, 3, counts).sum(axis=1)


def test_people_in_empty_groups_and_what_they_draw_are_their_own_sentence() -> None:
    data = with_empty([20, 30, 40, 90])  # three towns with two empty groups of renters each
    study = sdc.Study(data, methods=[ODD, GEOMETRIC], empty_groups="treated")
    found = sdc.ask("funding", study, group=("tenure=rent",), pot=POT, threshold=10)
    true, released = by_town(data, treated=True)
    assert released.tolist() == [26, 36, 46, 190] and true.tolist() == [20, 30, 40, 190]
    moved = POT * np.abs(released / released.sum() - true / true.sum()).sum() / 2
    assert f"{ODD.spoken()} {three_digits(moved)}" in found.headline or (
        f"{ODD.spoken()} misdirects {three_digits(moved)}" in found.headline)
    rows = sdc.released_people(GEOMETRIC, study.count(("town", "tenure", "kind")), 200, 7)
    table = study.count(("town", "tenure", "kind"))
    inside = (table.counts == 0) & Group.of([("tenure", "rent")]).members(table.domain)
    invented = rows[:, inside].sum(axis=1).mean()
    assert inside.sum() == 6
    assert (
        f"In the 6 groups of {WHO} that have nobody, {ODD.spoken()} shows 18 and "
        f"{GEOMETRIC.spoken()} shows {round(invented)} people who do not exist." in found.more
    )
    assert (
        f"draws money to places with few {WHO}: if they left empty groups at 0, which a method "
        "that adds noise to every count cannot do without breaking its promise, nothing after "
        in found.more
    )
    hiding = sdc.ask("funding", study.with_methods([ODD]), group=("tenure=rent",), pot=POT,
                     threshold=10)
    assert "if it left empty groups at 0, nothing after" in hiding.more  # it could
    assert "promise" not in hiding.more
    money = found.panel("money").table
    assert money is not None
    for i, one in enumerate((ODD, GEOMETRIC), start=1):
        column = money.set_index("place")[f"gain with empty groups at 0, {i}. {one.label()}"]
        cube = np.where(table.counts == 0, 0, rows) if one is GEOMETRIC else table.counts[None]
        renters = cube.reshape(len(cube), 4, 2, 3)[:, :, 1].sum(axis=2)  # own, rent
        gain = POT * (renters / renters.sum(axis=1, keepdims=True) - true / true.sum())
        assert list(column[list(TOWNS)]) == pytest.approx(list(gain.mean(axis=0)), abs=1e-9)
        notes = [e.text for e in list(markup(found.panel("money").drawing))[i - 1].findall("span")]
        left = np.abs(gain).sum(axis=1) / 2
        spread = left.std(ddof=1) / math.sqrt(200) if len(left) > 1 else 0.0
        error = f" ± {three_digits(spread)}" if spread else ""
        assert notes[1] == f"empty groups at 0: {three_digits(left.mean())}{error}"


def test_empty_groups_that_are_left_alone_need_no_sentence() -> None:
    data = with_empty([20, 30, 40, 90])
    study = sdc.Study(data, methods=[ODD])
    found = sdc.ask("funding", study, group=("tenure=rent",), pot=POT, threshold=10)
    true, released = by_town(data, treated=False)
    assert (true == released).all()
    assert "nobody" not in f"{found.headline} {found.more}"
    assert "empty groups" not in str(found.panel("money").drawing)
    both = sdc.ask("funding", study.with_methods([ODD, GEOMETRIC, sdc.mechanism(
        "swapping", quasi_identifiers=("town",))]), group=("tenure=rent",), pot=POT, threshold=10)
    notes = [[e.text or "" for e in column.findall("span")]
             for column in markup(both.panel("money").drawing)]
    assert [len(one) for one in notes] == [2, 2, 2]
    assert notes[0][1] == "leaves empty groups at 0"
    assert notes[1][1].startswith("empty groups at 0: $")
    assert notes[2][1] == "moves people into empty groups"


def test_methods_that_treat_empty_groups_differently_are_not_compared_without_saying_so() -> None:
    """In the headline itself, also where it is only the study's setting that makes them differ."""
    data = with_empty([20, 30, 40, 90])
    smaller = ODD.replace(k=40)
    for setting, differ in (("left", True), ("treated", False)):
        study = sdc.Study(data, methods=[smaller, GEOMETRIC], empty_groups=setting)
        found = sdc.ask("funding", study, group=("tenure=rent",), pot=POT, threshold=10)
        first = found.headline.split(", ", 1)[1].startswith(GEOMETRIC.spoken())
        said_so = f"; only the {'former' if first else 'latter'} fills empty groups."
        assert found.headline.endswith(said_so) is differ
        assert ("empty groups" in found.headline) is differ


def with_invented(
    true: list[int], members: list[list[int]], invented: list[list[int]], pot: float = 1000.0
) -> Decisions:
    """Releases by hand of a table whose last groups of renters are empty."""
    domain = sdc.Domain((
        sdc.Feature("PUMA", "Place", *[tuple(f"Town {c}" for c in "ABCD"[: len(true)])] * 2,
                    role="place"),
        sdc.Feature("OWN_RENT", "Tenure", ("1", "2"), ("owning", "renting")),
        sdc.Feature("SEX", "Sex", ("1", "2"), ("male", "female")),
    ))
    counts = np.array([[[9, 9], [n, 0]] for n in true], dtype=np.int64).ravel()
    rows = np.array(members, dtype=np.int64)
    released = AreaCounts(rows, rows + 100, np.array(invented, dtype=np.int64))
    return decide(sdc.Histogram(counts, domain), "PUMA", RENTERS, pot, 30, [(GEOMETRIC, released)])


@pytest.mark.parametrize(
    ("true", "members", "invented", "said_so"),
    [
        # ten in each town: small towns gain, and without them nothing would move
        ([10, 50, 90], [[20, 60, 100]] * 2, [[10, 10, 10]] * 2,
         "In the 3 groups of renters that have nobody, adding whole-number noise (ε = 0.5) shows "
         "30 people who do not exist. That draws money to places with few renters: if it left "
         "empty groups at 0, which "
         "a method that adds noise to every count cannot do without breaking its promise, nothing "
         "after adding whole-number noise (ε = 0.5) would go to the wrong places."),
        # all of them in the large town: it moves money, but not to the small ones
        ([10, 50, 90], [[10, 50, 120]] * 2, [[0, 0, 30]] * 2,
         "shows 30 people who do not exist. That moves money: if it left empty groups at 0, which"),
        # what they do changes sign from release to release
        ([50, 50], [[60, 50], [50, 60], [60, 50], [48, 50]], [[10, 0], [0, 10], [10, 0], [0, 0]],
         "shows 8 people who do not exist."),
        ([50, 50], [[58, 50], [50, 50]], [[8, 0], [0, 0]],
         "shows 4 people who do not exist. What that does to the money cannot be told"),
        ([50, 50], [[58, 50]], [[8, 0]],  # one release: nothing is known
         "shows 8 people who do not exist. What that does to the money cannot be told"),
        ([50, 50], [[51, 50]], [[1, 0]], "shows 1 person who does not exist."),
    ],
)
def test_what_people_in_empty_groups_do_is_said_only_as_far_as_it_is_so(
    true: list[int], members: list[list[int]], invented: list[list[int]], said_so: str
) -> None:
    _, more = decision_sentences(with_invented(true, members, invented), "renters")
    assert said_so in more
    few = "to places with few renters" in more
    kept, small = np.array(members) - np.array(invented), np.array(true) < np.mean(true)
    there = [m[small].sum() / m.sum() - k[small].sum() / k.sum()
             for m, k in zip(np.array(members), kept, strict=True)]
    assert few == (small.any() and min(there) > 0)


def test_two_small_towns_of_three_may_lose_what_the_third_gains() -> None:
    """Few renters are fewer than the average town has: what counts is whether the towns with 10
    and 20, taken together, gain from the one with 90. In the last case one of them does, and both
    together lose."""
    for invented, few in (([0, 40, 0], True), ([0, 0, 40], False), ([6, 0, 34], False)):
        true = np.array([10, 20, 90])
        more = decision_sentences(
            with_invented(true.tolist(), [(true + invented).tolist()] * 3, [invented] * 3),
            "renters")[1]
        gain = (true + invented) / (true + invented).sum() - true / true.sum()
        assert bool(gain[:2].sum() > 0) is few
        assert ("draws money to places with few renters" in more) is few


# ---------------------------------------------------------------- what chance could have done


def test_an_order_of_places_is_no_finding_where_gains_are_chance() -> None:
    """Geometric noise moves a few dollars either way, and no town steadily: bars stand in the
    order of the data, which is said. Suppression has an order without chance."""
    even = people([60, 60, 60, 60], [40, 40, 40, 40])
    noise = sdc.mechanism("geometric", epsilon=1.0)
    for seed in range(12):
        found = asked([noise], even, seed=seed)
        table = found.panel("money").table
        assert table is not None
        mean, error = (table.set_index("place")[f"{word} 1. {noise.label()}"][list(TOWNS)]
                       for word in ("gain,", "±"))
        (column,) = markup(found.panel("money").drawing)
        shown = [row.findtext("p/span") for row in column.findall("div")]
        if (mean.abs() > 3 * error).any():
            assert shown == list(mean.sort_values(ascending=False, kind="stable").index)
            assert f"in the order of their gain under {noise.label()}." in short(
                found.panel("money").caption)
            continue
        assert shown == list(TOWNS)
        assert "Places stand in the order of the data: who gains is chance." in (
            found.panel("money").caption)
    both = asked([noise, SUPPRESSED[1]], people([60, 10, 60, 60], [40] * 4))
    assert "Places stand in the order of their gain under Suppression k=12." in short(
        both.panel("money").caption) or (
        f"in the order of their gain under {noise.label()}." in short(both.panel("money").caption))


def test_less_than_a_dollar_is_not_nothing() -> None:
    """k = 6 moves 3 of 45 renters' worth of $1: some cents."""
    found = asked(SUPPRESSED[:1], pot=1)
    assert 0 < np.abs(gains(hidden(6, RENT), 1)).sum() / 2 < 0.5
    assert found.headline.endswith(
        "hiding small counts (k = 6) misdirects less than $1.")
    pair = asked([SUPPRESSED[0], SUPPRESSED[2]], pot=1).headline
    assert pair.endswith("every method here misdirects less than $1.")


def test_the_headline_fits_two_lines(real_data: Callable[[str], sdc.Dataset]) -> None:
    """With the usual methods on Massachusetts, whatever becomes of empty groups."""
    data = real_data("ma2019")
    for empty in ("left", "treated"):
        found = sdc.ask("funding", sdc.Study(data, empty_groups=empty))
        assert len(found.headline) <= 165 and len(found.more.parts[0]) <= 90


def test_amounts_have_no_more_digits_than_releases_agree_on() -> None:
    """Of 20 releases with a standard error of thousands no third digit would come back."""
    assert dollars(95_812, error=9_100) == "$96,000"
    assert dollars(95_812, error=910) == "$95,800" == dollars(95_812)
    assert dollars(95_812, error=95) == "$95,800"
    assert dollars(1_234_567, error=200_000) == "$1.2 million"
    assert dollars(99_800, error=9_000) == "$100,000"



def ranked(*moved: list[float]) -> str:
    """The headline where release r of method i moves so much of $1,000 from the first town to the
    second; who they are is told by ε."""
    table = town([500, 500], [100, 100])
    methods = [GEOMETRIC.replace(epsilon=float(i + 1)) for i in range(len(moved))]
    released = []
    for method, each in zip(methods, moved, strict=True):
        rows = np.array([[500 - m, 500 + m] for m in each], dtype=np.int64)
        released.append((method, AreaCounts(rows, rows + 100, np.zeros_like(rows))))
    found = decide(table, "PUMA", RENTERS, 1000.0, 30, released)
    assert [o.money.moved for o in found.outcomes] == pytest.approx([np.mean(m) for m in moved])
    headline, more = decision_sentences(found, "renters")
    more = more.replace(
        "Misdirected is what some places get too much for their renters, and others too little. ",
        "")
    return f"{headline} {more}".split("for renters, ", 1)[1]



@pytest.mark.parametrize(
    ("moved", "said_so"),
    [
        ([[50.0, 52.0] * 8, [20.0, 22.0] * 8], "1 misdirects $51, 2 $21."),
        # paired: release by release the second moves one more, whatever the spread
        ([[50.0, 90.0] * 8, [51.0, 91.0] * 8], "2 misdirects $71, 1 $70."),
        # a difference of 1 with an error of 1: not ranked, whoever is larger
        ([[50.0, 52.0, 52.0, 50.0], [50.0, 50.0, 50.0, 50.0]],
         "1 misdirects $51, 2 $50, a difference that may be chance."),
        # one release each says nothing about chance
        ([[50.0], [20.0]],
         "1 misdirects $50, 2 $20, a difference that may be chance. The rule"),
        # as many releases as there are: 16 and 4
        ([[50.0, 52.0] * 8, [20.0, 22.0] * 2], "1 misdirects $51, 2 $21."),
        ([[50.0, 52.0] * 8, [54.0, 46.0] * 2],
         "1 misdirects $51, 2 $50, a difference that may be chance."),
        # three: most and least, with one in between
        ([[50.0, 52.0] * 8, [20.0, 22.0] * 8, [30.0, 32.0] * 8],
         "1 misdirects $51, 2 $21. Of the other methods: $31 after 3. After"),
        # the least of three cannot be told from the next
        ([[50.0, 52.0] * 8, [20.0, 22.0] * 8, [22.0, 21.0] * 8],
         "1 misdirects $51, 2 $21. Of the other methods: $22 after 3, no telling it "
         "from 2."),
        # the largest of three cannot be told from the next
        ([[50.0, 52.0] * 8, [20.0, 22.0] * 8, [50.0, 50.0, 52.0, 50.0] * 4],
         "1 misdirects $51, 2 $21. Of the other methods: $50 after 3, no telling it "
         "from 1."),
        # the one in the middle cannot be told from either
        ([[52.0, 54.0] * 8, [40.0, 42.0] * 8, [0.0, 90.0] * 8],
         "1 misdirects $53, 2 $41. Of the other methods: $45 after 3, no telling it "
         "from 1 and 2."),
        # nobody moves anything
        ([[0.0] * 4, [0.0] * 4], "every method here misdirects nothing in 4 releases."),
        ([[5.0] * 4, [0.0] * 4], "1 misdirects $5, 2 nothing in 4 releases."),
        ([[5.0] * 4, [5.0] * 4], "1 misdirects $5 and 2 as much."),
    ],
)
def test_nothing_within_chance_is_ranked(moved: list[list[float]], said_so: str) -> None:
    """Methods by their number, which is their ε."""
    said_here = re.sub(r"adding whole-number noise \(ε = (\d)\)", r"\1", ranked(*moved))
    assert said_here.startswith(said_so), said_here


@pytest.mark.parametrize("seed", range(12))
def test_two_seeds_of_one_method_are_never_far_apart(seed: int) -> None:
    """Equal methods: what is ranked is chance. Two standard errors let five in a hundred pass."""
    data = people().histogram(["town", "tenure"])
    rows = [sdc.released_people(GEOMETRIC, data, 200, s) for s in (seed, seed + 100)]
    moved = [
        np.abs(gains(each.reshape(200, 4, 2)[:, :, 1])).sum(axis=1) / 2 for each in rows]
    gap = abs(moved[0].mean() - moved[1].mean())
    error = (moved[0] - moved[1]).std(ddof=1) / math.sqrt(200)
    first, second = map(OverReleases, moved)
    assert apart(first, second) == (gap > 2 * error)
    assert not apart(first, first)


@pytest.mark.parametrize("seed", range(12))
def test_whatever_the_seed_only_what_stands_out_is_called_most(seed: int) -> None:
    """Read back from the headline, and checked against the releases."""
    methods = [GEOMETRIC, GEOMETRIC.replace(epsilon=0.55), SUPPRESSED[0]]
    found = asked(methods, seed=seed)
    moved = {m.label(): np.abs(gains(geometric_releases(seed, m)[0])).sum(axis=1) / 2
             for m in methods[:2]}
    moved[SUPPRESSED[0].label()] = np.full(200, np.abs(GAINS["Suppression k=6"]).sum() / 2)
    order = sorted(moved, key=lambda name: -moved[name].mean())

    def told_apart(one: str, other: str) -> bool:
        gap = moved[one] - moved[other]
        return bool(abs(gap.mean()) > 2 * gap.std(ddof=1) / math.sqrt(200))

    spoken = {m.label(): m.spoken() for m in methods}
    top, middle, bottom = order
    assert f", {spoken[top]} misdirects $" in found.headline
    assert f", {spoken[bottom]} $" in found.headline
    assert ("may be chance" in found.headline) != told_apart(top, bottom)
    (said_so,) = re.findall(r"Of the other methods: (.*?)\. After", found.more)
    assert f"after {spoken[middle]}" in said_so
    for other in (top, bottom):
        no_telling = said_so.split("no telling it from ")[1:]
        same = three_digits(moved[middle].mean()) == three_digits(moved[other].mean())
        assert (spoken[other] in "".join(no_telling)) == (same or not told_apart(middle, other))


@pytest.mark.parametrize(
    ("flips", "said_so"),
    [
        (([1, 0] * 20, [0] * 40),
         "flips places most often after adding whole-number noise (ε = 1): Town A in 20 of 40"),
        (([1] + [0] * 39, [0] * 40),
         "flips places after adding whole-number noise (ε = 1), which cannot be told apart "
         "from adding whole-number noise (ε = 2): Town A "
         "in 1 of 40 releases."),
        (([1, 0] * 20, [0, 1] * 20),
         "which cannot be told apart from adding whole-number noise (ε = 2)"),
        (([1],),
         "flips places after adding whole-number noise (ε = 1): Town A in the one release."),
        (([0] * 40, [0] * 40),
         "gives every place its true answer in all releases that were drawn. No flip in 40 "
         "releases: the chance of one is below 7.5%."),
        (([0] * 40, [0] * 20), "No flip in 20 releases: the chance of one is below 15%."),
        (([0] * 3,), "that were drawn. No flip in 3 releases: too few to say how likely one is."),
        (([0],), "that were drawn. No flip in one release: too few to say how likely one is."),
    ],
)
def test_who_flips_most_is_no_chance(flips: tuple[list[int], ...], said_so: str) -> None:
    """One town at 20% renters, a rule of 30%, and 40% where it flips."""
    released = []
    for i, each in enumerate(flips):
        rows = np.array([[40 if one else 20, 50] for one in each], dtype=np.int64)
        released.append((GEOMETRIC.replace(epsilon=float(i + 1)), AreaCounts(
            rows, np.full_like(rows, 100), np.zeros_like(rows))))
    found = decide(town([20, 50], [80, 50]), "PUMA", RENTERS, 100.0, 30, released)
    assert said_so in decision_sentences(found, "renters")[1]


# ---------------------------------------------------------------- who gains, who loses


def test_bars_stand_where_the_gains_are() -> None:
    """All panels on one scale whose middle is zero and whose end is the largest gain, 92.5."""
    panel = asked().panel("money")
    assert panel.title == "Who gains, who loses?"
    drawn = markup(panel.drawing)
    assert drawn.attrib["aria-label"] == panel.alt == asked().headline
    first = GAINS["Suppression k=6"]
    order = sorted(range(4), key=lambda i: -first[i])
    assert [TOWNS[i] for i in order] == ["Ash", "Birch", "Dale", "Cedar"]
    assert [column.findtext("h3") for column in drawn] == [
        m.plain_label() for m in SUPPRESSED]
    for column, method, look_of in zip(drawn, SUPPRESSED, styles(SUPPRESSED), strict=True):
        expected = GAINS[method.label()]
        assert column.findtext("span") == (
            f"{three_digits(np.abs(expected).sum() / 2)} to wrong places")
        rows = column.findall("div")
        assert [row.findtext("p/span") for row in rows] == [TOWNS[i] for i in order]
        for row, town in zip(rows, order, strict=True):
            gain = expected[town]
            written = row.findtext("p/b")
            assert written == ("+" if gain > 0.5 else "") + three_digits(gain).replace("−$0", "$0")
            fair = 20 * RENT[town]
            assert row.attrib["title"].startswith(
                f"{three_digits(fair + gain)} instead of {three_digits(fair)};")
            bar = row.find("div/i")
            assert bar is not None
            assert share(bar, "left") == pytest.approx(50 + 50 * min(gain, 0) / 92.5, abs=0.01)
            assert share(bar, "width") == pytest.approx(50 * abs(gain) / 92.5, abs=0.01)
            assert ("loss" in bar.attrib["class"]) == (gain < -0.5)
            assert look(bar)["background"] == look_of.color
            assert not [i for i in row.iter("i") if i.attrib["class"] == "band"]  # no chance


def test_lines_span_nine_of_ten_releases() -> None:
    """Also where they are short: the second method has a fifth of the noise."""
    methods = [GEOMETRIC, sdc.mechanism("geometric", epsilon=2.5)]
    gained = [gains(geometric_releases(7, m)[0]) for m in methods]
    ends = [np.quantile(gain, [0.05, 0.95], axis=0) for gain in gained]
    top = np.abs(ends).max()
    columns = list(markup(asked(methods).panel("money").drawing))
    for column, gain, (low, high) in zip(columns, gained, ends, strict=True):
        moved = np.abs(gain).sum(axis=1) / 2
        spread = moved.std(ddof=1) / math.sqrt(200)
        assert column.findtext("span") == (
            f"{three_digits(moved.mean())} ± {three_digits(spread)} to wrong places")
        seen = {row.findtext("p/span"): row for row in column.findall("div")}
        for i, town_name in enumerate(TOWNS):
            row = seen[town_name]
            (line,) = [e for e in row.iter("i") if e.attrib["class"] == "band"]
            assert share(line, "left") == pytest.approx(50 + 50 * low[i] / top, abs=0.01)
            assert share(line, "width") == pytest.approx(50 * (high[i] - low[i]) / top, abs=0.01)
            assert row.attrib["title"].endswith(
                f"nine of ten releases: {three_digits(low[i])} to +{three_digits(high[i])}")
            assert low[i] < 0 < high[i]  # so that the signs above are right


def test_the_table_of_money_has_every_place_in_the_order_of_the_bars() -> None:
    rent, _ = geometric_releases()
    gain = gains(rent)
    methods = [GEOMETRIC, SUPPRESSED[1]]
    table = asked(methods).panel("money").table
    assert table is not None
    order = np.argsort(-gain.mean(axis=0), kind="stable")
    assert list(table["place"]) == [TOWNS[i] for i in order]
    assert list(table["members"]) == list(RENT[order])
    assert list(table["people"]) == list((RENT + OWN)[order])
    assert list(table["true amount"]) == pytest.approx(20 * RENT[order])
    low, high = np.quantile(gain, [0.05, 0.95], axis=0)
    one = "1. Geometric ε=0.5"
    error = gain.std(axis=0, ddof=1) / math.sqrt(200)
    for title, numbers in {
        f"gain, {one}": gain.mean(axis=0), f"± {one}": error,
        f"5% of releases below, {one}": low, f"5% of releases above, {one}": high,
    }.items():
        assert list(table[title]) == pytest.approx(numbers[order])
    two = "2. Suppression k=12"
    assert list(table[f"gain, {two}"]) == pytest.approx(GAINS[two[3:]][order])
    assert set(table[f"± {two}"]) == {0.0}  # without chance: not even rounding is left over


# ---------------------------------------------------------------- who changes sides


def shares(k: int) -> np.ndarray:
    rent, own = hidden(k, RENT), hidden(k, OWN)
    return rent / (rent + own)


def heads(figure: go.Figure) -> dict[str, tuple[float, float]]:
    """Where each town's block begins and ends, from top to bottom, and its name with the share."""
    names = [a for a in figure.layout.annotations if str(a.text).startswith("<b>")]
    bottom, top = figure.layout.yaxis.range
    assert bottom > top  # the first place stands at the top
    ends = [*(a.y for a in names[1:]), bottom]
    return {a.text: (a.y, end) for a, end in zip(names, ends, strict=True)}


def test_places_stand_from_the_largest_share_down() -> None:
    chart = only(asked().panel("threshold"))
    assert list(heads(chart)) == [
        "<b>Birch</b>  33.3%", "<b>Dale</b>  30.0%", "<b>Cedar</b>  10.0%", "<b>Ash</b>  4.8%"]
    tops = [top for top, _ in heads(chart).values()]
    assert tops == sorted(tops)
    (true,) = traces(chart, name="true share")
    for (text, (top, end)), i in zip(heads(chart).items(), (1, 3, 2, 0), strict=True):
        assert TOWNS[i] in text
        piece = [(x, y) for x, y in zip(true.x, true.y, strict=True)
                 if y is not None and top < y < end]
        assert [x for x, _ in piece] == pytest.approx([RENT[i] / (RENT + OWN)[i]] * 2)


def test_every_method_has_its_mark_in_its_row_and_colour() -> None:
    found = asked()
    chart = only(found.panel("threshold"))
    rows = [t for t in chart.data if t.mode == "markers"]
    assert [t.name for t in rows] == [m.plain_label() for m in SUPPRESSED]
    assert len({t.marker.symbol for t in rows}) == 3
    for row, method, style in zip(rows, SUPPRESSED, styles(SUPPRESSED), strict=True):
        expected = shares(method.settings()["k"])
        assert row.marker.color == style.color  # as in the bars above
        for (top, end), i in zip(heads(chart).values(), (1, 3, 2, 0), strict=True):
            (at,) = [n for n, y in enumerate(row.y) if top < y < end]
            assert row.x[at] == pytest.approx(expected[i])
            flips = (expected[i] > 0.1) != (10 * RENT[i] > (RENT + OWN)[i])
            assert row.text[at] == (
                f"{TOWNS[i]}<br>{method.plain_label()}: {expected[i]:.1%}, nine of ten releases "
                f"{expected[i]:.1%} to {expected[i]:.1%}<br>truth {RENT[i] / (RENT + OWN)[i]:.1%}, "
                f"flips {'in every release' if flips else 'in no release'}")
            (word,) = [a for a in chart.layout.annotations if a.x == 1 and a.y == row.y[at]]
            assert word.text == ("always flips" if flips else "")
            assert word.font.color == ink(style.color)


def test_chances_and_spans_of_shares_are_those_of_the_releases() -> None:
    rent, own = geometric_releases()
    there = rent + own > 0  # a release without anybody in a place has no share there
    releases = there.sum(axis=0)
    assert 190 < releases.min() < 200 == releases.max()
    seen = np.where(there, rent / np.maximum(rent + own, 1), np.nan)
    low, high = np.nanquantile(seen, [0.05, 0.95], axis=0)
    flips = (10 * rent > rent + own) != (10 * RENT > RENT + OWN)
    chance = np.nanmean(np.where(there, flips, np.nan), axis=0)
    panel = asked([GEOMETRIC]).panel("threshold")
    chart = only(panel)
    (row,) = [t for t in chart.data if t.mode == "markers"]
    (span,) = [t for t in chart.data if t.mode == "lines" and t.legendgroup == row.legendgroup]
    for (top, end), i in zip(heads(chart).values(), (1, 3, 2, 0), strict=True):
        (at,) = [n for n, y in enumerate(row.y) if top < y < end]
        assert row.x[at] == pytest.approx(np.nanmean(seen[:, i]))
        ends = [x for x, y in zip(span.x, span.y, strict=True) if y == row.y[at]]
        assert ends == pytest.approx([low[i], high[i]])
        assert span.line.color == row.marker.color
        (word,) = [a for a in chart.layout.annotations if a.x == 1 and a.y == row.y[at]]
        assert word.text == (f"flips {half_up(100 * chance[i])} of 100" if chance[i] else "")
    table = panel.table
    assert table is not None
    one = "1. Geometric ε=0.5"
    assert list(table["place"]) == list(TOWNS)
    assert list(table["true share"]) == pytest.approx(RENT / (RENT + OWN))
    assert list(table["more than 10%"]) == ["no", "yes", "no", "yes"]
    assert list(table[f"share, {one}"]) == pytest.approx(np.nanmean(seen, axis=0))
    assert list(table[f"chance of a flip, {one}"]) == pytest.approx(chance)
    error = np.sqrt(chance * (1 - chance) / releases)
    assert list(table[f"± {one}"]) == pytest.approx(error)
    most = np.where(chance > 0, np.minimum(1, chance + 2 * error), 3 / releases)
    assert list(table[f"chance of a flip at most, {one}"]) == pytest.approx(most)


@pytest.mark.parametrize(("percent", "anchor"), [(6, "left"), (20, "center"), (32, "right")])
def test_the_threshold_is_a_red_line_beside_the_names(percent: int, anchor: str) -> None:
    chart = only(asked(threshold=percent).panel("threshold"))
    (line,) = traces(chart, line__dash="dash")
    assert line.line.color == FAILURE
    assert {x for x in line.x if x is not None} == {percent / 100}
    pieces = [(line.y[i], line.y[i + 1]) for i in range(0, len(line.y), 3)]
    names = [top for top, _ in heads(chart).values()]
    assert len(names) == len(pieces) == 4
    assert not any(low - 0.4 < y < high + 0.4 for y in names for low, high in pieces)
    (word,) = [a for a in chart.layout.annotations if "threshold" in a.text]
    assert (word.text, word.x, word.xanchor) == (f"threshold {percent}%", percent / 100, anchor)
    low, high = chart.layout.xaxis.range
    assert low < shares(1).min() and high > shares(1).max()
    assert chart.layout.xaxis.tickformat == ".0%"


def many(towns: int) -> sdc.Dataset:
    """Town i has i renters of 100 people."""
    rows = [(f"T{i:02}", "rent" if n < i else "own") for i in range(1, towns + 1)
            for n in range(100)]
    return sdc.load_dataset(pd.DataFrame(rows, columns=["town", "tenure"]))


def test_of_many_places_those_that_matter_are_shown() -> None:
    """Thirty towns with 1 to 30 renters of 100; hidden below 12 they become 6. The twelve that move
    most have a bar. Nearest to 10% are seven towns with 7% to 13%, and of 6% and 14%, which are
    equally near, the one that comes first."""
    found = asked([SUPPRESSED[1]], many(30), threshold=10)
    true = np.arange(1, 31)
    gain = 900 * (hidden(12, true) / hidden(12, true).sum() - true / true.sum())
    (column,) = markup(found.panel("money").drawing)
    shown = [row.findtext("p/span") for row in column.findall("div")]
    most = np.sort(np.argsort(-np.abs(gain), kind="stable")[:12])
    assert shown == [f"T{true[i]:02}" for i in sorted(most, key=lambda i: -gain[i])]
    table = found.panel("money").table
    assert table is not None and len(table) == 30
    panel = found.panel("threshold")
    assert list(heads(only(panel))) == [f"<b>T{i:02}</b>  {i}.0%" for i in range(13, 5, -1)]
    assert panel.caption.endswith(
        "Shown are the 8 places nearest the threshold; the table has all.")
    assert panel.table is not None and len(panel.table) == 30


# ---------------------------------------------------------------- the controls


def pair(**controls: Any) -> list[Answer]:
    """The same question asked twice: with a memory of other settings, and afresh."""
    memory = Work()
    asked(work=memory)
    return [asked(work=memory, **controls), asked(**controls)]


@pytest.mark.parametrize(
    ("controls", "words"),
    [
        ({"pot": 1800}, "Of $1,800 for"),
        ({"pot": 1800}, "hiding small counts (k = 12) misdirects $250,"),
        ({"threshold": 32}, "“more than 32%"),  # Birch has 33%; hidden below 12 it has 6 of 26
        ({"threshold": 32}, "flips places most often after hiding small counts (k = 12): Birch"),
        ({"group": ("tenure=own",)}, "people listed as “own”"),
        ({"group": "tenure=own,tenure=rent"}, "people listed as “own” or “rent”"),
        ({"area": "tenure", "group": ("town=Ash",)},
         "people listed as “Ash” in each category of tenure"),
        ({"group": ()}, "Of $900 for people, "),
    ],
)
def test_controls_say_what_is_asked(controls: dict[str, Any], words: str) -> None:
    for found in pair(**controls):
        assert words in f"{found.headline} {found.more}"
    remembered, fresh = pair(**controls)
    assert str(remembered) == str(fresh)


def test_another_seed_is_another_two_hundred_releases() -> None:
    memory = Work()
    for seed in (7, 3):
        found = asked([GEOMETRIC], seed=seed, work=memory)
        gain = gains(geometric_releases(seed)[0])
        table = found.panel("money").table
        assert table is not None
        by_town = table.set_index("place")["gain, 1. Geometric ε=0.5"]
        assert list(by_town[list(TOWNS)]) == pytest.approx(gain.mean(axis=0))
        assert found.provenance is not None
        assert found.provenance.computed == "simulated, up to 200 releases a method"


def test_the_smaller_table_has_place_and_group_only() -> None:
    data = sdc.load_dataset("ma2019-twin")
    study = sdc.Study(data, methods=[SUPPRESSED[0]])
    usual = ("PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K")
    for counted, features in {"full": usual, "small": ("PUMA", "OWN_RENT")}.items():
        found = sdc.ask("funding", study, counted=counted)
        groups = math.prod(len(data.coded(f, "dictionary")[1]) for f in features)
        assert f": {groups} groups, each with an error" in found.panel("money").caption
        assert found.provenance is not None and found.provenance.features == features
    extra = sdc.ask("funding", study, group=["EDU=12"])
    assert extra.provenance is not None
    assert extra.provenance.features == (*usual, "EDU")  # what defines the group is counted by


def test_the_preset_exchanges_the_place_that_is_asked_about() -> None:
    study = sdc.Study(sdc.load_dataset("ma2019-twin"), empty_groups="treated", domain="observed")
    for area, group in (("PUMA", "OWN_RENT=2"), ("SEX", "OWN_RENT=1")):
        found = sdc.ask("funding", study, as_in="with-swapping", area=area, group=[group],
                        counted="small")
        assert found.provenance is not None
        laplace, private, hiding, swapping = found.provenance.methods
        assert laplace.startswith("sdc.mechanism('laplace', epsilon=1.0")
        assert private.startswith("sdc.mechanism('dp-suppression', epsilon=1.0, k=6")
        assert "'suppression', k=6" in hiding
        assert all("keep_zeros=True" in one for one in (private, hiding))  # alike, as offices do
        assert "swap_rate=0.25" in swapping and f"quasi_identifiers=('{area}',)" in swapping
        assert (found.provenance.empty_groups, found.provenance.domain) == ("left", "dictionary")
    usual = sdc.ask("funding", sdc.Study(study.dataset), counted="small")
    assert usual.provenance is not None
    assert not any("swapping" in m for m in usual.provenance.methods)


def test_by_place_alone_there_is_no_preset() -> None:
    """There is nothing that a place could be swapped against."""
    with pytest.raises(sdc.InputError, match="with-swapping"):
        sdc.ask("funding", sdc.Study(people()), as_in="with-swapping", group=(), counted="small")


def test_renters_are_the_group_to_start_with_where_they_are_known() -> None:
    twin = sdc.ask("funding", sdc.Study(sdc.load_dataset("ma2019-twin"), methods=SUPPRESSED[:1]))
    assert "Of $1 million for renters, " in twin.headline
    assert "“more than 25% renters”" in twin.more
    own = sdc.ask("funding", sdc.Study(people(), methods=SUPPRESSED[:1]))
    assert "for people, " in own.headline
    later = people()
    later = sdc.load_dataset(later.records[["tenure", "town"]])  # a name that reads like a place
    found = sdc.ask("funding", sdc.Study(later, methods=SUPPRESSED[:1]))
    assert found.provenance is not None and found.provenance.controls["area"] == "town"


def test_the_code_makes_the_same_answer() -> None:
    methods = [sdc.mechanism("suppression", k=4), GEOMETRIC]
    study = sdc.Study(sdc.load_dataset("ma2019-twin"), seed=3, methods=methods)
    found = sdc.ask("funding", study, group=["RAC1P=2", "SEX=1"], pot=5000, threshold=3,
                    counted="small", area="PUMA")
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(found.code, {})  # noqa: S102
    assert printed.getvalue() == f"{found}\n"
    assert "Of $5,000 for people listed as “Black” and “male”" in (
        printed.getvalue())


def test_methods_that_take_long_wait_until_they_are_asked_for() -> None:
    slow = sdc.mechanism("mst")
    waiting = asked([slow, SUPPRESSED[0]], work=Work(started=()))
    assert [job.label for job in waiting.waiting] == [f"Run {slow.title}"]
    assert slow.spoken() not in waiting.headline
    assert slow.label() not in short(waiting.panel("money").caption)
    done = asked([slow, SUPPRESSED[0]])
    assert not done.waiting and slow.spoken() in done.headline
    assert (
        f"means over 20 releases ± one standard error for {slow.label()}; exact for "
        f"{SUPPRESSED[0].label()}" in short(done.panel("money").caption))


# ---------------------------------------------------------------- what cannot be said


def test_no_method_no_panels() -> None:
    found = asked([])
    assert found.headline.startswith("Choose a method") and not found.panels


@pytest.mark.parametrize(
    ("percent", "remark"),
    [(0, "whether there is anybody: a place flips"), (100, "nothing can flip")],
)
def test_a_rule_that_decides_nothing_says_so(percent: int, remark: str) -> None:
    found = asked(threshold=percent)
    (notice,) = found.panel("threshold").notices
    assert remark in notice.text and notice.tone == "info" and notice.text in found.more
    assert found.panel("threshold").figures  # shares are shown all the same
    table = found.panel("threshold").table
    assert table is not None
    assert list(table[f"more than {percent}%"]) == ["no" if percent else "yes"] * 4
    assert not table.filter(like="flip").any().any()
    by_tenure = asked(threshold=0, area="tenure", group=("town=Ash",))
    assert "a category flips" in by_tenure.panel("threshold").notices[0].text
    assert not asked().panel("threshold").notices


def test_without_a_group_there_is_no_rule_to_draw() -> None:
    rule = asked(group=()).panel("threshold")
    (notice,) = rule.notices
    assert "100% everywhere. Choose a group." in notice.text
    assert not rule.figures and rule.table is None and not rule.caption


def test_releases_without_people_are_left_out_and_said() -> None:
    """One renter in each of two towns, noise of scale 40: many releases have nobody."""
    data = people([1, 1], [1, 40])
    noise = sdc.mechanism("geometric", epsilon=0.05)
    table = data.histogram(["town", "tenure"])
    rows = sdc.released_people(noise, table, 200, 7).reshape(200, 2, 2)
    nobody = int((rows[:, :, 1].sum(axis=1) == 0).sum())
    empty = (rows.sum(axis=2) == 0).any(axis=0)
    found = asked([noise], data)
    assert nobody > 0 and empty.all()
    assert [n.tone for n in found.notices] == ["info", "info"]
    assert short(found.notices[0].text).startswith(
        f"{noise.label()}: {nobody} of 200 releases have no {WHO} at all")
    assert "nobody at all in Ash and Birch, so their shares are not defined" in (
        found.notices[1].text)
    some = rows[rows[:, :, 1].sum(axis=1) > 0][:, :, 1]
    gain = 900 * (some / some.sum(axis=1, keepdims=True) - 0.5)
    money = found.panel("money").table
    assert money is not None
    by_town = money.set_index("place")[f"gain, 1. {noise.label()}"]
    assert by_town["Ash"] == pytest.approx(gain[:, 0].mean())
    assert not asked().notices


@pytest.mark.parametrize(
    ("controls", "words"),
    [
        ({"group": ("tenure=nobody",)}, "group has no 'tenure=nobody'"),
        ({"group": ("town=Ash",)}, "group has no 'town=Ash'"),  # places are no members
        ({"area": "county"}, "area must be one of town, tenure"),
        ({"pot": 0}, "pot must be in"),
        ({"pot": 2.5}, "pot must be a whole number"),
        ({"threshold": 101}, "threshold must be in"),
        ({"counted": "huge"}, "counted must be one of full, small"),
        ({"money": 5}, "There is no control 'money'. It has: area, group, pot, threshold, counted"),
    ],
)
def test_bad_questions_are_one_sentence(controls: dict[str, Any], words: str) -> None:
    with pytest.raises(sdc.InputError, match=re.escape(words)):
        asked(**controls)


def test_a_group_that_nobody_belongs_to_is_said() -> None:
    data = sdc.load_dataset("ma2019-twin")
    nobody = ["AGE_BIN=0", "INCOME_50K=1", "MSP=3"]  # widowed children with a high income
    with pytest.raises(sdc.InputError, match="Nobody in this data belongs"):
        sdc.ask("funding", sdc.Study(data, methods=SUPPRESSED), group=nobody, counted="small")


def test_data_without_categories_and_tables_too_large() -> None:
    numbers = sdc.load_dataset(pd.DataFrame({"x": np.arange(99.0), "y": np.arange(99.0) ** 2}))
    with pytest.raises(sdc.InputError, match="no column of categories"):
        sdc.ask("funding", sdc.Study(numbers))
    wide = pd.DataFrame({"town": [f"t{i % 60}" for i in range(1000)],
                         **{c: [f"{c}{i % 60}" for i in range(1000)] for c in "ab"}})
    with pytest.raises(sdc.InputError, match=r"216,000 groups.*“Place and group”, under"):
        data = dataclasses.replace(sdc.load_dataset(wide), default_features=("town", "a", "b"))
        sdc.ask("funding", sdc.Study(data, methods=SUPPRESSED))


# ---------------------------------------------------------------- words one by one


def test_words_and_numbers() -> None:
    assert [dollars(a) for a in (14_213, 999.6, 1e6, 1_234_567, -912, 0.2, 2.5e9)] == [
        "$14,200", "$1,000", "$1 million", "$1.23 million", "−$912", "$0", "$2.5 billion"]
    assert [dollars(a, signed=True) for a in (912, -912, 0.2)] == ["+$912", "−$912", "$0"]
    assert [of_100(c, 200) for c in (0, 0.005, 0.01, 0.085, 0.995, 1, math.nan)] == [
        "in none of 200 releases", "in fewer than 1 of 100 releases", "in 1 of 100 releases",
        "in 8 of 100 releases", "in 99 of 100 releases", "in all of 200 releases",
        "in unknown many releases"]
    assert [of_100(c, 20) for c in (0, 0.05, 1)] == [
        "in none of 20 releases", "in 1 of 20 releases", "in all of 20 releases"]
    assert [of_100(c, 1) for c in (0, 1)] == ["not in the one release", "in the one release"]
    assert [of_100(c, 200, True) for c in (0, 1)] == ["in no release", "in every release"]
    domain = sdc.load_dataset("ma2019-twin").histogram(FIVE).domain
    for chosen, said_as in {
        (): "people",
        (("OWN_RENT", "2"),): "renters",
        (("OWN_RENT", "1"),): "people who own their home",
        (("SEX", "1"),): "men and boys",
        (("SEX", "2"),): "women and girls",
        (("OWN_RENT", "0"),): "people in group quarters",
        (("RAC1P", "1"),): "White residents",
        (("RAC1P", "2"),): "Black residents",
        (("RAC1P", "6"),): "Asian residents",
        (("INCOME_50K", "0"),): "people with an income under $50,000",
        (("INCOME_50K", "1"),): "people with an income of $50,000 or more",
        (("RAC1P", "2"), ("RAC1P", "6"), ("OWN_RENT", "2")):
            "people listed as “Black” or “Asian” and “renting”",
    }.items():
        assert group_words(Group.of(chosen), domain) == said_as


def town(renting: list[int], owning: list[int]) -> sdc.Histogram:
    """Places with so many renters and owners."""
    names = tuple(f"Town {chr(65 + i)}" for i in range(len(renting)))
    codes = tuple(str(i) for i in range(len(renting)))
    domain = sdc.Domain((
        sdc.Feature("PUMA", "Place", codes, names, role="place"),
        sdc.Feature("OWN_RENT", "Tenure", ("1", "2"), ("owning", "renting")),
    ))
    return sdc.Histogram(np.array([owning, renting], dtype=np.int64).T.ravel(), domain)


RENTERS = Group.of([("OWN_RENT", "2")])
# A loses a little in every release, the others gain and lose much in turn
CHANGING = [[-6, 106, -100, 0], [-6, 0, 106, -100], [-6, -100, 0, 106]]


def by_releases(
    table: sdc.Histogram, members: Any, everybody: Any, pot: float = 100.0, percent: float = 30
) -> Decisions:
    """Decisions for one method whose releases are given."""
    rows = np.array(members, dtype=np.int64)
    counts = AreaCounts(rows, np.array(everybody, dtype=np.int64), np.zeros_like(rows))
    return decide(table, "PUMA", RENTERS, pot, percent, [(GEOMETRIC, counts)])


@pytest.mark.parametrize(
    ("moved", "said_so"),
    [
        # A bears all losses and B three quarters of all gains: most of it goes from A to B
        ([[-20, 15, 5, 0]] * 3, "it goes mostly from Town A to Town B."),
        # half of all losses, half of all gains: A may have lost nothing to B
        ([[-10, 10, 6, -6], [-10, 10, 6, -6]],
         ", averaged over releases Town A loses most (it loses in all of 2 releases) and "
         "Town B gains most (it gains in all of 2 releases)."),
        # A loses and D gains in every release, but in single releases B and C far more
        ([[-2, 40, -40, 2], [-3, -40, 40, 3], [-2, 40, -40, 2], [-3, -40, 40, 3]],
         ", averaged over releases who loses most and who gains most cannot be told from chance."),
        # B and C gain the same: neither gains most
        ([[-20, 7, 7, 6]] * 3, ", averaged over releases Town A loses most (it loses in all of 3 "
         "releases) and who gains most cannot be told from chance."),
        ([[-20, 10, 10, 0]] * 3,
         ", averaged over releases Town A loses most (it loses in all of 3 releases) and "
         "who gains most cannot be told from chance."),
        # B gains more than C by 1 on average, with an error of 1
        ([[-20, 11, 9, 0], [-20, 12, 8, 0], [-20, 8, 12, 0], [-20, 11, 9, 0]],
         ", averaged over releases Town A loses most (it loses in all of 4 releases) and who "
         "gains most cannot be told from chance."),
        # so do A and B lose: 18 and 17 on average, with an error of 1
        ([[-19, -16, 35, 0], [-17, -18, 35, 0], [-20, -16, 36, 0], [-16, -18, 34, 0]],
         ", averaged over releases who loses most cannot be told from chance and Town C gains most "
         "(it gains in all of 4 releases)."),
        ([[-20, -20, 20, 20]] * 3, ", averaged over releases who loses most and who gains most "
         "cannot be told from chance."),
        # all from A to B in three releases of four; means of 7.75 with an error of 2.25
        ([[-10, 10, 0, 0]] * 3 + [[-1, 1, 0, 0]], "it goes mostly from Town A to Town B."),
        ([[-10, 10, 0, 0]] * 3 + [[2, -2, 0, 0]], ", who gains changes from release to release."),
        # 55% from A to B on average, but 45% in every other release
        ([[-20, 9, 6, 5], [-20, 13, 4, 3]] * 2,
         ", averaged over releases Town A loses most (it loses in all of 4 releases) and "
         "Town B gains most (it gains in all of 4 releases)."),
        # A loses in every release; of the others one or another gains. Three releases are few
        ([[-20, 20, 0, 0], [-20, 0, 20, 0], [-20, 0, 0, 20]],
         ", on average only Town A (in all of 3 releases) loses."),
        ([[20, -20, 0, 0], [20, 0, -20, 0], [20, 0, 0, -20]],
         ", on average only Town A (in all of 3 releases) gains."),
        # 114 of 114 and 114 of 117 are more than nine of ten beyond chance, 111 of 119 are not
        (CHANGING * 38, ", only Town A (in all of 114 releases) loses steadily."),
        (CHANGING * 38 + [[6, -6, 0, 0]] * 3,
         ", only Town A (in 97 of 100 releases) loses steadily."),
        (CHANGING * 37 + [[6, -6, 0, 0]] * 8,
         ", on average only Town A (in 93 of 100 releases) loses."),
        # the largest loss is D's by chance; A and B lose in every release, C gains in every one
        ([[-5, -6, 71, -60], [-5, -6, 71, -60], [-5, -6, -9, 20]],
         ", on average only Town A (in all of 3 releases) and Town B (in all of 3 releases) lose."),
        ([[9, -9, 0, 0], [-9, 9, 0, 0]], ", who gains changes from release to release."),
    ],
)
def test_who_loses_and_gains_is_said_only_as_far_as_it_is_so(
    moved: list[list[int]], said_so: str
) -> None:
    """Releases that move so many of 1,000 renters in each place; the pot is $1,000."""
    members = 250 + np.array(moved)
    found = by_releases(town([250] * 4, [1000] * 4), members, members + 1000, 1000.0, 1)
    assert found.outcomes[0].money.gain == pytest.approx(np.mean(moved, axis=0))
    assert f"After {GEOMETRIC.spoken()}{'' if said_so[0] == ',' else ' '}{said_so}" in (
        decision_sentences(found, "renters")[1])


@pytest.mark.parametrize("name", ["laplace", "geometric", "suppression", "dp-suppression"])
@pytest.mark.parametrize("seed", range(4))
def test_claims_about_money_hold_for_the_computed_gains(name: str, seed: int) -> None:
    """Read the claim back from the sentence and check it against every release's gains."""
    rng = np.random.default_rng(seed)
    renting, owning = rng.integers(0, 40, size=(2, 6)).tolist()
    table = town(renting, owning)
    rows = sdc.released_people(sdc.mechanism(name), table, 30).reshape(30, 6, 2)[:, :, 1]
    gain = 1e6 * (rows / rows.sum(axis=1, keepdims=True) - np.array(renting) / sum(renting))
    mean, error = gain.mean(axis=0), gain.std(axis=0, ddof=1) / math.sqrt(30)
    counts = area_counts(sdc.released_people(sdc.mechanism(name), table, 30), table, "PUMA",
                         RENTERS)
    found = decide(table, "PUMA", RENTERS, 1e6, 30, [(sdc.mechanism(name), counts)])
    headline, more = decision_sentences(found, "renters")
    (claim,) = re.findall(r"After [^.]*?(?:ε = 1[^.]*|k = 6[^.]*)\.", more) or [""]
    steady = {p for p, g, e in zip(found.places, mean, error, strict=True)
              if abs(g) > max(3 * e, 1e-3)}
    losses, won = -mean[mean < 0], mean[mean > 0]
    loser, winner = found.places[mean.argmin()], found.places[mean.argmax()]

    def stands_out(place: int) -> bool:
        gaps = [gain[:, place] - gain[:, i] for i in range(6) if i != place]
        return all(abs(g.mean()) > max(2 * g.std(ddof=1) / math.sqrt(30), 1e-6) for g in gaps)

    def often(place: int) -> str:
        same = int((gain[:, place] * mean[place] > 0).sum())
        return "in all of 30 releases" if same == 30 else f"in {same} of 30 releases"

    if "misdirects nothing" in headline:
        assert np.abs(mean).sum() < 1 and not claim
    elif "who gains changes from release to release" in claim:
        assert not steady
    elif "only" in claim:
        assert steady and {p for p in found.places if p in claim} == steady
        assert not {loser, winner} <= steady
        for place in steady:
            assert f"{place} ({often(found.places.index(place))})" in claim
    elif "mostly" in claim:
        assert f"from {loser} to {winner}" in claim
        assert losses.max() / losses.sum() + won.max() / won.sum() > 1.5
    else:
        assert {loser, winner} <= steady
        certain = name == "suppression"
        assert ("averaged over releases" in claim) != certain
        parts = [f"{100 * side.max() / side.sum():.0f}% of all" if certain
                 else f"it {does} {often(int(place))}" for does, side, place in (
                     ("loses", losses, mean.argmin()), ("gains", won, mean.argmax()))]
        assert (f"{loser} loses most ({parts[0]}" in claim) == stands_out(int(mean.argmin()))
        assert (f"{winner} gains most ({parts[1]}" in claim) == stands_out(int(mean.argmax()))


@pytest.mark.parametrize(
    ("flips", "said_so"),
    [((4, 4, 4, 4, 4), " and 2 more."), ((4, 4, 4, 3, 3), " and 2 more."),
     ((4, 3, 3, 3, 1), " and 2 more."), ((4, 3, 2, 0, 0), "Town C in 2 of 4 releases.")],
)
def test_of_many_places_that_flip_three_are_named(flips: tuple[int, ...], said_so: str) -> None:
    """Five places at 20% renters and a rule of 30%; in so many of four releases it is 40%."""
    members = [[40 if r < n else 20 for n in flips] for r in range(4)]
    found = by_releases(town([20] * 5, [80] * 5), members, np.full((4, 5), 100))
    assert decision_sentences(found, "renters")[1].endswith(said_so)


def test_the_error_covers_the_chance_of_any_flip() -> None:
    """Four places, each flipped in one release of eight, so that half of the releases flip one:
    √(1/8 · 7/8 / 8) is 0.117, √(1/2 · 1/2 / 8) is 0.177."""
    members = [[40 if r == i else 20 for i in range(4)] for r in range(8)]
    found = by_releases(town([20] * 4, [80] * 4), members, np.full((8, 4), 100))
    assert "Counted in 8 releases: ± 18 of 100 at most (one standard error)" in (
        rule_caption(found, "renters", 4))


def test_the_error_is_said_although_one_method_never_flips() -> None:
    hiding = sdc.mechanism("suppression", k=6)
    flipping = [[40 if r == i else 20 for i in range(4)] for r in range(8)]
    releases = [
        (one, AreaCounts(np.array(members, dtype=np.int64), np.full((8, 4), 100),
                         np.zeros((8, 4), dtype=np.int64)))
        for one, members in ((hiding, np.full((8, 4), 20)), (GEOMETRIC, flipping))
    ]
    for shown, tells in ((releases, True), (releases[:1], False)):
        found = decide(town([20] * 4, [80] * 4), "PUMA", RENTERS, 100.0, 30, shown)
        assert ("± 18 of 100 at most" in rule_caption(found, "renters", 4)) is tells


def test_nothing_but_empty_releases_is_said_everywhere() -> None:
    found = by_releases(town([1, 2], [3, 4]), np.zeros((2, 2)), np.zeros((2, 2)), 90.0)
    headline, more = decision_sentences(found, "renters")
    assert "no release has anybody to share by" in headline
    assert "cannot be applied: no release has people in any place" in more
    (column,) = markup(figures.gains(found, ""))
    assert column.findtext("span") == "no release has a member to share by"
    assert not column.findall("div")
    chart = figures.share_chart(found)
    assert [a.text for a in chart.layout.annotations if a.x == 1] == ["no people", "no people"]
    assert [len(t.x) for t in chart.data if t.mode == "markers"] == [0]
    first = short(undefined_sentences(found, "renters")[0])
    assert first == ("Geometric ε=0.5: 2 of 2 releases have no renters at all, so there is nothing "
                     "to share by; those are left out of the money.")
    one = by_releases(town([1, 2], [3, 4]), [[0, 2], [1, 2]], [[0, 6], [4, 6]], 90.0)
    assert "in Town A, so its share is not defined there" in undefined_sentences(one, "renters")[0]


def test_rounding_in_the_arithmetic_is_no_spread() -> None:
    """Means of many equal floats may be off in the last digit: that is nothing, not 9e-13."""
    members = np.tile([3, 7, 13], (5, 1))
    found = by_releases(town([1, 7, 13], [97, 61, 31]), members, members + 100, 1e6)
    (one,) = found.outcomes
    dusty = replace(found, outcomes=(replace(one, money=replace(
        one.money, gain_se=np.full(3, 9.026e-13))),))
    for each in (found, dusty):
        assert set(figures.gains_table(each)["± 1. Geometric ε=0.5"]) == {0.0}


def test_why_a_method_changes_nothing() -> None:
    """Exchanging race moves neither places nor renters; other methods happen to do nothing."""
    table = sdc.load_dataset("ma2019-twin").histogram(["PUMA", "RAC1P", "OWN_RENT"])
    race = sdc.mechanism("swapping", quasi_identifiers=("RAC1P",))
    idle = sdc.mechanism("suppression", k=1, keep_zeros=True)
    private = sdc.mechanism("dp-swapping", quasi_identifiers=("RAC1P",))

    def caption(group: Group, who: str, *methods: Mechanism) -> str:
        released = [
            (m, area_counts(sdc.released_people(m, table, 3), table, "PUMA", group))
            for m in methods
        ]
        return short(money_caption(
            decide(table, "PUMA", group, 100, 30, released), who, 8, "x"))

    nothing = "none of these numbers in any release"
    why = f"{nothing}: neither the place nor who counts among the renters is altered."
    assert caption(RENTERS, "renters", race).endswith(f"{race.label()} changes {why}")
    both = caption(RENTERS, "renters", race, idle, private)
    assert f"{race.label()} and {private.label()} change {why}" in both
    assert f"{idle.label()} changes {nothing}." in both
    assert caption(Group.of([]), "people", race).endswith(f"{nothing}: the place is not altered.")


def test_names_from_a_file_are_shown_as_they_are() -> None:
    rows = [("<b>A", "<i>rent")] * 9 + [("B & C", "own")] * 9 + [("B & C", "<i>rent")] * 3
    data = sdc.load_dataset(pd.DataFrame(rows, columns=["town", "tenure"]))
    found = asked(data=data, group=("tenure=<i>rent",))
    drawn = found.panel("money").drawing
    assert isinstance(drawn, str) and "<b>A" not in drawn and "<i>rent" not in drawn
    names = {row.findtext("p/span") for column in markup(drawn) for row in column.findall("div")}
    assert names == {"<b>A", "B & C"}
    chart = only(found.panel("threshold"))
    texts = [a.text for a in chart.layout.annotations if str(a.text).startswith("<b>")]
    assert texts == ["<b>&lt;b&gt;A</b>  100.0%", "<b>B &amp; C</b>  25.0%"]


@pytest.mark.parametrize(
    ("renting", "released", "said_so"),
    [
        ([400, 600], [404, 600], ""),  # below half a per cent: not worth a sentence
        ([400, 600], [405, 600],
         "There are 1,000 renters: Geometric ε=0.5 adds 5 (it adds noise to every count)."),
        ([400, 600], [395, 600],
         "There are 1,000 renters: Geometric ε=0.5 takes away 5 (it adds noise to every count)."),
    ],
)
def test_whom_a_method_adds_or_takes_away_is_said_where_it_matters(
    renting: list[int], released: list[int], said_so: str
) -> None:
    table = town(renting, [1000] * len(renting))
    caption = money_caption(
        by_releases(table, [released] * 2, [np.array(released) + 1000] * 2), "renters", 4, "x")
    told = short(caption.split("each with an error of its own.")[1].strip())
    assert told == said_so
    once = money_caption(  # one release says nothing about others
        by_releases(table, [released], [np.array(released) + 1000]), "renters", 4, "x")
    assert once.endswith("each with an error of its own.")


def test_a_threshold_remark_is_about_the_rule_alone() -> None:
    found = by_releases(town([4, 9], [8, 11]), [[4, 9]], [[12, 20]], percent=30)
    assert threshold_remark(found, "renters") == ""
    everybody = threshold_remark(found, "people")
    assert everybody.startswith("The rule says nothing here: without a group everybody is a member")
    assert "the share is 100% everywhere" in everybody
    never, ever = (
        by_releases(town([4, 0], [8, 11]), [[4, 0], [4, 1]], [[12, 11], [12, 12]], percent=p)
        for p in (100, 0))
    assert "applies nowhere and nothing can flip" in threshold_remark(never, "renters")
    assert not never.above.any() and never.outcomes[0].rule.flips == 0
    said = threshold_remark(ever, "renters")  # a town without renters flips where one is invented
    assert "“More than 0%” asks only whether there is anybody: a place flips where the last" in said
    assert "or where some are invented" in said
    assert list(ever.above) == [True, False] and list(ever.outcomes[0].rule.flip) == [0, 0.5]


# ---------------------------------------------------------------- the page

PAGE = "../pages/funding.py"
QUIET = {"m2": "none", "m3": "none", "m4": "none"}


def suppressed_by_pandas(data: sdc.Dataset) -> float:
    """What $1 million shared by renters loses to the wrong places under suppression at k = 6 that
    leaves zeros alone."""
    groups = data.records.groupby(list(FIVE), observed=True).size().reset_index(name="n")
    groups["released"] = groups.n.where(groups.n >= 6, 3)
    renters = groups[groups.OWN_RENT.astype(str) == "2"].groupby("PUMA", observed=True)[
        ["n", "released"]].sum()
    parts = renters / renters.sum()
    return float(1e6 * (parts.released - parts.n).abs().sum() / 2)


def test_the_page_shows_the_answer() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning and not app.info
    data = sdc.load_dataset("ma2019-twin")
    found = sdc.ask("funding", sdc.Study(data))
    assert found.headline in answer(app) and found.more in answer(app)
    moved = three_digits(suppressed_by_pandas(data))
    assert re.search(rf"{re.escape(moved)} after hiding small counts \(k = 6\)|hiding small counts "
                     rf"\(k = 6\) (misdirects )?{re.escape(moved)}", answer(app))
    for panel in found.panels:
        assert panel.caption in said(app) and f"## {panel.title}" in said(app)
    assert "means over 200 releases" in said(app)
    assert {k: v for k, v in link(app).items() if "." not in k} == {
        "data": "ma2019-twin", "seed": "7", "empty": "left", "domain": "dictionary",
        "count": "records",
        "area": "PUMA", "group": "OWN_RENT%3D2", "pot": "1000000", "threshold": "25",
        "counted": "full", "m1": "laplace", "m2": "discrete-gaussian", "m3": "dp-suppression",
        "m4": "suppression"}
    assert question("funding").title == "Money and thresholds"


def test_a_deep_link_sets_the_question() -> None:
    wanted = {"group": "RAC1P%3D2,AGE_BIN%3D0", "pot": "5000", "threshold": "2",
              "counted": "small", "area": "PUMA", "m1.epsilon": "0.5"}
    app = opened({**TWIN, **QUIET, **wanted}, PAGE)
    assert not app.error and not app.warning
    assert "Of $5,000 for people listed as “Black” and “aged" in answer(app)
    assert "place, race, age, five groups" in said(app)
    assert {k: v for k, v in link(app).items() if k in wanted} == wanted
    app.number_input(key="url.pot").set_value(7000).run()
    assert not app.exception and "$7,000" in answer(app)


def test_a_bad_link_is_explained_and_the_rest_stays() -> None:
    bad = opened({**TWIN, **QUIET, "threshold": "130", "pot": "much"}, PAGE)
    assert "Of $1 million for renters" in answer(bad)
    told = " ".join(w.value for w in bad.warning)
    assert "130" in told and "much" in told


def test_the_page_keeps_its_cards_where_nobody_is_a_member() -> None:
    nobody = "AGE_BIN%3D0,INCOME_50K%3D1,MSP%3D3"
    app = opened({**TWIN, **QUIET, "group": nobody, "counted": "small"}, PAGE)
    assert any("Nobody in this data belongs" in e.value for e in app.error)
    assert app.selectbox(key="url.m1").value == "laplace"
    assert link(app)["group"] == nobody
    app.multiselect(key="url.group").set_value(["OWN_RENT=2"]).run()
    assert not app.error and "renters" in answer(app)


def test_own_data_on_the_page() -> None:
    numbers = pd.DataFrame({"x": [i * 1.5 for i in range(200)], "y": [i % 97 for i in range(200)]})
    app = uploaded(opened(TWIN, PAGE), numbers)
    assert any("no column of categories" in e.value for e in app.error)
    uploaded(app, people().records, "towns.csv")
    assert app.selectbox(key="url.area").value == "town"
    assert "for people, " in answer(app)
    app.selectbox(key="url.area").set_value("tenure").run()
    assert "in each category of tenure" in answer(app)
    app.selectbox(key="url.area").set_value("town").run()
    app.multiselect(key="url.group").set_value(["tenure=rent"]).run()
    assert not app.exception and WHO in answer(app)


def test_the_real_massachusetts(real_data: Callable[[str], sdc.Dataset]) -> None:
    """Suppression that leaves zeros alone is not random: what it moves follows from pandas. Much of
    what Laplace moves comes from people who are put into groups of renters that have nobody."""
    data = real_data("ma2019")
    noise = sdc.mechanism("laplace")
    study = sdc.Study(data, methods=[sdc.mechanism("suppression"), noise])
    found = sdc.ask("funding", study)
    hiding = three_digits(suppressed_by_pandas(data))
    assert found.headline.endswith(
        f", hiding small counts (k = 6) {hiding}; only the former fills empty groups.")
    caption = short(found.panel("money").caption)
    assert re.search(r"There are [\d,]+ renters: .*Laplace ε=1 adds \d", caption)
    table = study.count(FIVE)
    rows = sdc.released_people(noise, table, 200, 7)
    renters = Group.of([("OWN_RENT", "2")]).members(table.domain)
    moved = []
    for counts in (rows, np.where(table.counts == 0, 0, rows)):
        places = (counts * renters).reshape(200, 5, -1).sum(axis=2)
        true = (table.counts * renters).reshape(5, -1).sum(axis=1)
        gain = 1e6 * (places / places.sum(axis=1, keepdims=True) - true / true.sum())
        moved.append(float(np.abs(gain).sum(axis=1).mean() / 2))
    assert moved[1] < 0.7 * moved[0]
    assert found.headline.startswith(
        f"Of $1 million for renters, adding noise (ε = 1) misdirects "
        f"{three_digits(moved[0])}, ")
    invented = rows[:, renters & (table.counts == 0)].sum(axis=1).mean()
    assert (
        f"nobody, adding noise (ε = 1) shows {round(invented)} people who do not exist. "
        "That draws money to places with few" in found.more)
    left = f"{three_digits(moved[1])} after adding noise (ε = 1)"
    assert f"breaking its promise, {left} would go to the wrong" in found.more


def test_tables_are_called_what_they_count_by() -> None:
    assert "All" in funding.COUNTED["full"] and "Place" in funding.COUNTED["small"]


def test_the_name_of_the_threshold_stands_above_the_first_place() -> None:
    name = figures._threshold_name(25, 0.0, 1.0)
    assert name["y"] < 0 and name["x"] == 0.25 and name["xanchor"] == "center"
    assert figures._threshold_name(2, 0.0, 1.0)["xanchor"] == "left"
    assert figures._threshold_name(98, 0.0, 1.0)["xanchor"] == "right"


def test_a_method_on_two_cards_is_named_once() -> None:
    one = sdc.mechanism("geometric", epsilon=1)
    found = asked([one, one])
    assert found.headline.count(one.spoken()) == 1 and "as much" not in found.headline
    alone = asked([one])
    assert found.headline == alone.headline and found.notices == alone.notices
    for name in ("money", "threshold"):
        assert found.panel(name).caption == alone.panel(name).caption

"""P2, Das, Tajeddine and Fioretto: its few numbers made again, and what it says of its figures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sdc_core.data import Dataset
from sdc_core.mechanisms.base import Mechanism, repetition_rng
from sdc_core.metrics.propensity import Propensity
from sdc_core.papers import p2_claims
from sdc_core.papers.item import TWIN, Attempt, Item
from sdc_core.papers.p2_releases import FEATURES, dp_suppression, laplace, told_apart
from sdc_core.papers.verdicts import Ours

EPSILON = 4.0  # of Figure 2
RIGHT = 60  # beyond the centre: scores of records that look neither true nor released are near 50
PLACES = {"ma2019": "Massachusetts", "national2019": "National"}
FILLED, LEFT = "empty groups like any other", "empty groups left at zero"


def spike(found: list[Propensity]) -> int:
    """At which whole score, of those right of the centre, do most released records lie?"""
    height = np.zeros(101)
    for one in found:
        at = np.rint(100 * one.even_scores).astype(np.int64)
        height += np.bincount(at.ravel(), one.released.ravel(), minlength=101)
    return RIGHT + int(height[RIGHT:].argmax())


def _text_32(attempt: Attempt) -> Iterator[Ours]:
    for wanted, name in PLACES.items():
        data = attempt.data(wanted)
        methods: list[tuple[str, str, Mechanism]] = [
            ("laplace", name, laplace(EPSILON)),
            ("dp-suppression", f"{name}, {FILLED}", dp_suppression(EPSILON, keep_zeros=False)),
            ("dp-suppression", f"{name}, {LEFT}", dp_suppression(EPSILON, keep_zeros=True)),
        ]
        for row, convention, method in methods:
            yield _position(attempt, data, f"{row} eps=4", convention, method)


def _position(
    attempt: Attempt, data: Dataset, row: str, convention: str, method: Mechanism
) -> Ours:
    number = attempt.either(20, 3)
    table = data.histogram(FEATURES)
    rows = method.draw_tables(table, [repetition_rng(attempt.seed, r) for r in range(number)])
    return Ours(
        row, "propensity_spike_position", float(spike([told_apart(table, r) for r in rows])),
        f"{number} releases, a tree as SDNist's", convention=convention,
        dataset=data.id if data.id.endswith(TWIN) else "not stated")


def _text_33(attempt: Attempt) -> Iterator[Ours]:
    data = attempt.data("all2019")
    people = data.histogram(("PUMA",)).counts
    yield Ours("MA+TX+National excerpts", "pumas", float(np.count_nonzero(people)),
               f"places that any of {people.sum():,} records names", dataset=data.id)


_PICTURE = "The picture is not in the text that we have: what the text says of it is tried."

ITEMS = (
    Item("P2", "fig1", "Figure 1: two-way tables of income and education, white and black men",
         f"National, ε = 2, k = 10. {_PICTURE}", data=("national2019",), see="subgroups"),
    Item("P2", "fig2", "Figure 2: propensity of released records",
         f"Place, sex, race, income tenth and tenure, ε = 4; k and the data are not stated. "
         f"{_PICTURE}", data=("ma2019", "national2019"), see="told_apart"),
    Item("P2", "text-3.2", "Figure 2 in the text: where released records are known as fake",
         "The score, out of 100, at which most records right of the centre lie, by a decision "
         "tree as in SDNist; k = 10 as in Figure 1. The text says around 100, and does not say "
         "how empty groups are treated: the reading judged was chosen after ours were seen.",
         _text_32, ("ma2019", "national2019"),
         see="told_apart"),
    Item("P2", "fig3", "Figure 3: bias by place",
         "All 31 places together, place, sex, race, income tenth and tenure, ε = 1 and 4; k = 10 "
         f"as in Figure 1. {_PICTURE}", data=("all2019",), see="map"),
    Item("P2", "text-3.3", "Figure 3 in the text: how many places",
         "Places with people in the three excerpts together.", _text_33, ("all2019",), see="map"),
    Item("P2", "fig4", "Figure 4: bias by the share of empty groups",
         "Empty groups added to the same people; exact, since the error is a sum over groups. "
         f"{_PICTURE}", data=("ma2019",), see="sparsity"),
)
CLAIMS = p2_claims.CLAIMS

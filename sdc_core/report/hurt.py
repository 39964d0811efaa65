"""Who is hurt? Named groups that have people, method by method, for a brief.

A group here is everybody with one value of one feature (all renters, everybody in Salem): such
groups are large enough to be named in public. How hard one is hit is the expected error of its
cells, per 1,000 of its people, so that small and large groups compare.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sdc_core.experiment import Evaluation
from sdc_core.histogram import Histogram
from sdc_core.metrics.areas import compare_areas
from sdc_core.words.chance import differ
from sdc_core.words.groups import people_text
from sdc_core.words.numbers import at_the_start, listed, lowered, sensible
from sdc_core.words.ranking import unbeaten

FEWEST = 20  # people: of smaller groups nothing is said in public


@dataclass(frozen=True)
class Hit:
    """Everybody with one value of one feature: their number, how many people too many or too few
    one release shows for every 1,000 of them, and its standard error."""

    feature: str
    value: str
    people: float
    rate: float
    error: float

    def named(self, weighted: bool) -> str:
        size = people_text(f"{self.people:,.0f}", weighted)
        return f"people with {self.feature} “{self.value}” ({size})"


def hits(table: Histogram, evaluation: Evaluation) -> list[Hit]:
    """All groups of one value that have enough people."""
    found = []
    for feature in table.domain.features:
        if len(feature) < 2:
            continue
        seen = compare_areas(table, feature.name, [evaluation], "error_rate")
        found += [
            Hit(lowered(feature.title), label, float(n), float(rate), float(error))
            for label, n, rate, error in zip(
                feature.labels, seen.people, seen.values[0], seen.errors[0], strict=True)
            if n >= FEWEST
        ]
    return found


def _told(one: Hit, other: Hit) -> bool:
    return differ(one.rate, one.error, other.rate, other.error)


def hardest(found: list[Hit]) -> list[Hit]:
    """Those that none of the others is hit harder than; none where all may be hit alike."""
    top = unbeaten(found, lambda one: one.rate, _told)
    return [] if len(top) == len(found) else top


def hurt_sentences(
    table: Histogram, evaluations: Sequence[Evaluation], most: int = 3
) -> Iterator[str]:
    """Methods that hit the same groups hardest are one sentence: `Hiding small counts (k = 6) and
    adding noise (ε = 1) hit people with race “Some other race” (68 people) hardest: …`."""
    by_groups: dict[tuple[str, ...], list[tuple[Evaluation, list[Hit]]]] = {}
    for one in evaluations:
        found = hits(table, one)
        if not found:
            yield f"No group of one value has {FEWEST} people or more, so nobody is named."
            return
        top = hardest(found)
        certain = top if len(top) <= most else []
        if one.people_error == 0:
            yield f"{at_the_start(one.mechanism.spoken())} changes no count that has people."
        else:
            named = tuple(hit.named(table.weighted) for hit in certain)
            by_groups.setdefault(named, []).append((one, certain))
    people = max(float(table.people.sum()), 1.0)
    for named, methods in by_groups.items():
        yield _said(named, methods, len(methods) == len(evaluations), people)


def _said(
    named: Sequence[str], methods: Sequence[tuple[Evaluation, list[Hit]]], all_of_them: bool,
    people: float,
) -> str:
    names = [one.mechanism.spoken() for one, _ in methods]
    many = len(names) > 2
    who = f"All {len(names)} methods" if many and all_of_them else at_the_start(listed(names))
    hit = "hits" if len(names) == 1 else "hit"
    everybody = _rates([1000 * one.people_error / people for one, _ in methods])
    order = ", in this order" if len(names) == 2 else ""
    if not named:
        return (
            f"{who} {hit} no group that can be named harder than all others; for every "
            f"1,000 of everybody, counts are off by {everybody}{order}."
        )
    rates = _rates([max(h.rate for h in top) for _, top in methods])
    up_to = "up to " if len(named) > 1 else ""
    return (
        f"{who} {hit} {listed(named)} hardest: for every 1,000 of them, counts are off by {up_to}"
        f"{rates}{order}; for every 1,000 of everybody, by {everybody}."
    )


def _rates(rates: Sequence[float]) -> str:
    """One or two as they are; of more, from the least to the most."""
    if len(rates) <= 2:
        return listed([sensible(rate) for rate in rates])
    low, high = sensible(min(rates)), sensible(max(rates))
    return low if low == high else f"{low} to {high}"

"""All items and claims of all papers, in their order."""

from __future__ import annotations

from sdc_core.errors import InputError
from sdc_core.papers import p0, p1, p2, p3, p4
from sdc_core.papers.item import Claim, Item

PAPERS = {
    "P0": "Das et al. 2024", "P1": "Zhu et al. 2023", "P2": "Das, Tajeddine and Fioretto",
    "P3": "Bailie, Gong and Meng", "P4": "Perry, Matloff and Tendick 2024",
}
ITEMS: tuple[Item, ...] = tuple(one for paper in (p0, p1, p2, p3, p4) for one in paper.ITEMS)
CLAIMS: tuple[Claim, ...] = tuple(one for paper in (p0, p1, p2, p3, p4) for one in paper.CLAIMS)


def item(wanted: str) -> Item:
    for one in ITEMS:
        if one.id == wanted:
            return one
    raise InputError(f"There is no item {wanted!r}. Known: {', '.join(i.id for i in ITEMS)}.")

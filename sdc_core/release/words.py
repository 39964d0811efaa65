"""A released file in words: what it is, what is not in it, what it promises."""

from __future__ import annotations

from sdc_core.data import Dataset
from sdc_core.mechanisms.base import Generalises
from sdc_core.release.content import Content
from sdc_core.words.numbers import listed, lowered

_ORIGIN = {"real": " (real records)", "twin": " (synthetic data)", "own": ""}
STUDY = (
    "For study and demonstration, not for production release: the random numbers come from a seed "
    "and from floating-point arithmetic, which an attacker could use."
)
KEEP_BACK = (
    "Keep what is under 'private' in the provenance to yourself: with the seed anybody can draw "
    "the same random numbers and take the protection away, and with the hash whoever can guess the "
    "data can check the guess. The file can be read back without them."
)


def file_sentence(content: Content, dataset: Dataset | None) -> str:
    """What the file is: rows, of whom, by which method, and what is hidden or merged in it."""
    of = "" if dataset is None else f" of {dataset.title}{_ORIGIN[dataset.origin]}"
    by = listed([lowered(feature.title) for feature in content.features])
    method = content.release.mechanism.label()
    merged = content.groups is not None
    does = "publishes" if merged else "releases"
    said = f"{_rows(content)}{of} by {by}, as {method} {does} them."
    rest = [_merged(content)] if merged else [*_hidden(content), *_drawn_back(content)]
    return " ".join([said, *rest])


def _rows(content: Content) -> str:
    number, many = content.rows, "s" * (content.rows != 1)
    if content.form == "records":
        return f"{number:,} record{many} (one row a person)"
    return f"A table of {number:,} {'group' if content.groups is not None else 'count'}{many}"


def _hidden(content: Content) -> list[str]:
    if content.hidden is None:
        return []
    number = int(content.hidden.sum())
    if not number:
        return ["No count is hidden."]
    verb = "count is" if number == 1 else "counts are"
    return [
        f"{number:,} {verb} hidden and marked so; what the method fills in for a hidden count "
        "stands in a column of its own and is no count of anybody."
    ]


def _merged(content: Content) -> str:
    """How large the groups are that look alike, as far as identifying features go."""
    method, found = content.release.mechanism, content.groups
    assert isinstance(method, Generalises) and found is not None
    left_out = f" {found.left_out:,} people are left out." if found.left_out else ""
    smallest = smallest_group(content)
    if smallest is None:
        return f"No group was large enough, so nobody is published.{left_out}"
    titles = [f.title for f in found.features if f.name in method.quasi_identifiers]
    if len(titles) == len(found.features):
        return (
            f"Each combination is shared by at least {smallest:,} people: the file is k-anonymous "
            f"with k = {method.k}.{left_out}"
        )
    quasi = listed([titles[0], *(lowered(title) for title in titles[1:])])
    return (
        f"{quasi}: each combination is shared by at least {smallest:,} people, so the file is "
        f"k-anonymous in {'this' if len(titles) == 1 else 'these'} with k = {method.k}. The other "
        f"features are as they were.{left_out}"
    )


def smallest_group(content: Content) -> int | None:
    """The fewest people who share all identifying features as published; None without people."""
    found, method = content.groups, content.release.mechanism
    if found is None or not isinstance(method, Generalises) or not len(found.sizes):
        return None
    axes = content.release.histogram.domain.axes(method.quasi_identifiers, "quasi_identifiers")
    sizes: dict[tuple[int, ...], int] = {}
    for place, size in zip(found.places[:, axes].tolist(), found.sizes.tolist(), strict=True):
        sizes[tuple(place)] = sizes.get(tuple(place), 0) + size
    return min(sizes.values())


def _drawn_back(content: Content) -> list[str]:
    found = content.reconstructed
    if found is None:
        return []
    people = "1 person is" if found.alone == 1 else f"{found.alone:,} people are"
    combinations = "1 combination is" if found.below == 1 else f"{found.below:,} combinations are"
    return [
        "Single values were drawn back from the groups that the method publishes, so these "
        f"{'records are' if content.form == 'records' else 'counts are'} not k-anonymous: "
        f"{combinations} shared by fewer than {found.k} people, and {people} alone with theirs."
        if found.below else
        "Single values were drawn back from the groups that the method publishes, so nothing makes "
        f"this k-anonymous, although by chance no combination has fewer than {found.k} people."
    ]

"""What Who can be found? found, in words."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.histogram import Histogram
from sdc_core.mechanisms.base import ExactMoments, HidesCells, Mechanism
from sdc_core.metrics.outsider import Risk
from sdc_core.metrics.reidentification import Rule, UniqueMatches
from sdc_core.parameters import EPSILON
from sdc_core.questions.reidentification.outsider_words import (
    SAME,
    certain_sentence,
    gain_sentence,
)
from sdc_core.words.chance import at_most, differ, none_in
from sdc_core.words.conventions import former_clause
from sdc_core.words.evaluations import releases_text
from sdc_core.words.numbers import Sentences, at_the_start, listed, lowered, percent, sensible
from sdc_core.words.ranking import ends

HOW: dict[Rule, str] = {"at-least-once": "", "exactly-once": " exactly once"}
SHOWN = (
    "Unique people share their values with nobody; shown means that somebody with these values can "
    "be seen to exist, found would mean knowing which person it is."
)
VISIBLE = 0.005  # a difference of shares that a reader can see on the chart
PEOPLE_FOR_A_ROW = 4  # a chart of one to three people would show them, not a group
FLOOR = 0.05  # a share of people who are shown by chance that is worth a sentence


def found_sentences(
    matches: Sequence[UniqueMatches], risks: Sequence[Risk], more: Sequence[str] = (),
    noisiest: Sequence[UniqueMatches] = (),
) -> tuple[str, str]:
    """How many unique people are in the releases as they are, and what does that mean? `more` are
    features that people are not counted by yet, for a table where nobody is unique; `noisiest` the
    methods that add noise, at the smallest ε."""
    if not matches:
        return "Choose a method to see whom its release exposes.", ""
    if not matches[0].unique:
        return "Nobody is one of a kind in this table, so nobody can be matched.", _add(more)
    matches = list(dict.fromkeys(matches))  # a method that is chosen twice is one
    headline, named = _ends(matches)
    others = [f"{_part(m)} after {m.mechanism.spoken()}" for m in matches if m not in named]
    return headline, Sentences(
        SHOWN, f"Of the other methods: {listed(others)}." if others else "", *_none_drawn(matches),
        *_by_chance(noisiest), _not_found(matches, risks))


def _ends(matches: Sequence[UniqueMatches]) -> tuple[str, list[UniqueMatches]]:
    """The sentence on the method that shows most and on the one that shows fewest, and which these
    are; the others are said after it."""
    least, most = ends(matches, lambda m: m.share, _contrasts)
    # of exact and drawn numbers that are alike the exact one says more
    first = max(most or matches, key=lambda m: (m.share, -m.repetitions))
    said = f"{_who(first)} after {first.mechanism.spoken()}"
    if len(matches) == 1:
        return f"{said}.", [first]
    second = min((m for m in least or matches if m is not first), key=lambda m: m.share)
    if first.share - second.share < SAME:
        drawn = _in_all(second) if second.repetitions != first.repetitions else ""
        said += f" and{f'{drawn} after' * bool(drawn)} {second.mechanism.spoken()}"
    elif least or any(m.error > 0 for m in (first, second)):
        said += f", {_part(second)} after {second.mechanism.spoken()}"
        said += ", which these releases cannot rank" * (not least)
    else:
        said += f" and about as many after {second.mechanism.spoken()}"
    return f"{said}{_empty_groups(first, second)}.", [first, second]


def _contrasts(one: UniqueMatches, other: UniqueMatches) -> bool:
    """Do they differ as they are written? All and not quite all do, 99.7% and 99.9% do not."""
    gap = SAME if _complete(one) != _complete(other) else VISIBLE
    return told(one, other, gap) and _written(one) != _written(other)


def _empty_groups(first: UniqueMatches, second: UniqueMatches) -> str:
    """Being seen says less where groups that have nobody are seen, too: the sentence that compares
    says whose are."""
    shows = [m.made_up > 0 for m in (first, second)]
    how = HOW[first.rule]  # counts that are larger than one are not what the sentence is about
    there = (f"shows empty groups{how}, too", f"show empty groups{how}, too")
    clause = former_clause(shows[:1], shows[1:], there) or ""
    leaves = first if shows[1] else second
    return clause.replace("only", "so far only") if leaves.repetitions else clause


def _by_chance(noisiest: Sequence[UniqueMatches]) -> list[str]:
    """Noise alone shows people, and as often groups that have nobody."""
    shown = [m for m in noisiest if m.share >= FLOOR and abs(m.share - m.made_up_share) < FLOOR]
    if not shown:
        return []
    names = listed(list(dict.fromkeys(m.mechanism.spoken(EPSILON) for m in shown)))
    low, high = _from_to(shown)
    share = "about half" if 0.45 < low.share <= high.share < 0.55 else (
        f"{percent(low.share, 0)} to {percent(high.share, 0)}" if len(shown) > 1
        else percent(low.share, 0)
    )
    return [
        f"Even at the smallest ε, {names} show{'s' * (len(shown) == 1)} {share} of them, by chance."
    ]


def told(one: UniqueMatches, other: UniqueMatches, gap: float = SAME) -> bool:
    """Do the shares differ, beyond chance and by so much that a reader sees it?"""
    return abs(one.share - other.share) >= gap and differ(
        one.share, one.share_error, other.share, other.share_error
    )


def _add(more: Sequence[str]) -> str:
    """What would make people stand out."""
    if not more:
        return "People are counted by all features of this data already."
    *first, last = [lowered(title) for title in more]
    names = f"{', '.join(first)} or {last}" if first else last
    return f"Count people by more features in the sidebar, such as {names}, to see who stands out."


def _written(m: UniqueMatches) -> str:
    """What a reader would hold against another method's: what is written alike is the same."""
    return "all" if _complete(m) else nearly(m) if m.unique == 1 else _count(m)


def _from_to(alike: Sequence[UniqueMatches]) -> tuple[UniqueMatches, UniqueMatches]:
    ranked = sorted(alike, key=lambda m: m.share)
    return ranked[0], ranked[-1]


def _who(m: UniqueMatches) -> str:
    """`All 54 unique people show`, `12 of the 54 unique people (22%) show`."""
    how = HOW[m.rule]
    if m.unique == 1:
        often = _in_all(m) if _complete(m) else f" in {nearly(m)} of releases"
        if m.expected:
            return f"The one unique person shows{how}{often}"
        return f"The one unique person does not show{how}{_so_far(m)}"
    people = f"{m.unique:,} unique people"
    if m.expected == 0:
        return f"None of the {people} shows{how}{_so_far(m)}"
    if _complete(m):
        return f"All {people} show{how}{_in_all(m)}"
    if m.share >= 0.99:  # not "54 of the 54" for 53.8
        return f"Nearly all ({nearly(m)}) of the {people} show{how}"
    return f"{_count(m)} of the {people} ({nearly(m)}) show{'s' * (_count(m) == '1')}{how}"


def _in_all(m: UniqueMatches) -> str:
    """Who is in every release that was drawn need not be in every other."""
    return f" in all {m.repetitions:,} releases" if m.repetitions and _complete(m) else ""


def _so_far(m: UniqueMatches) -> str:
    """What no release had is not known to be in none; what that excludes is said after it."""
    return f" in {releases_text(m.repetitions)}" if m.repetitions else ""


def _none_drawn(matches: Sequence[UniqueMatches]) -> list[str]:
    """What nobody in so many releases excludes."""
    none = [m for m in matches if m.repetitions and not m.expected]
    return [f"Nobody shows after {listed([m.mechanism.spoken() for m in none])} "
            f"{none_in(min(m.repetitions for m in none))}."] if none else []


def _complete(m: UniqueMatches) -> bool:
    return m.unique - m.expected < 1e-9 * m.unique


def _part(m: UniqueMatches) -> str:
    """The same of a second method: `about half (27)`, `12 (22%)`, `none`."""
    if m.unique == 1:
        shows = _in_all(m).strip() or f"in {nearly(m)} of releases"
        return shows if m.expected else "in none" + (
            f" of {releases_text(m.repetitions)}" if m.repetitions else "")
    if m.expected == 0:
        return f"none{_so_far(m)}"
    if m.share >= 0.99:
        return f"all{_in_all(m)}" if _complete(m) else f"nearly all ({nearly(m)})"
    about_half = abs(m.share - 0.5) < 0.05
    return f"about half ({_count(m)})" if about_half else f"{_count(m)} ({nearly(m)})"


def nearly(m: UniqueMatches) -> str:
    """A share that is not quite all is not written as all, nor one that is not quite none."""
    if m.share >= 0.9995 and not _complete(m):
        return "nearly 100%"
    return percent(m.share) if m.share >= 0.0005 or not m.share else "nearly 0%"


def _count(m: UniqueMatches) -> str:
    return sensible(m.expected) if m.expected < 10 else f"{m.expected:,.0f}"


def _not_found(matches: Sequence[UniqueMatches], risks: Sequence[Risk]) -> str:
    """What a match does not say: that there is somebody, and that an outsider gains from it."""
    parts = []
    if matches[0].empty:
        muddled = [m for m in matches if m.made_up_share >= VISIBLE]
        if muddled:
            numbers = listed([
                f"{percent(1 - m.real_share, 0)}{' of the time' if i == 0 else ''} with "
                f"{m.mechanism.spoken()}" for i, m in enumerate(muddled)
            ])
            parts.append(
                "Empty groups can show in the same way: where a group of one person or nobody is "
                f"shown, nobody is there {numbers}."
            )
        parts += _hardly_made_up([m for m in matches if m.made_up_share < VISIBLE <= m.share])
    if risks:
        parts += [certain_sentence(risks), gain_sentence(risks)]
    return " ".join(filter(None, parts))


def _hardly_made_up(matches: Sequence[UniqueMatches]) -> list[str]:
    """Who shows no empty group at all (which only a closed form can tell), and who a few?"""
    never = [m for m in matches if m.method == "exact" and m.made_up == 0]
    text = []
    if never:
        they = "it shows" if len(never) == 1 else "they show"
        somebody = "somebody" if never[0].rule == "at-least-once" else "exactly one person"
        names = listed([m.mechanism.spoken() for m in never])
        text.append(
            f"No empty group is shown so by {names}: where {they} {somebody}, there is somebody.")
    few = [m for m in matches if m not in never]
    if few:
        numbers = listed([f"{_few(m)} with {m.mechanism.spoken()}" for m in few])
        groups, are = ("one empty group", "is") if few[0].empty == 1 else (
            f"{few[0].empty:,} empty groups", "are")
        text.append(f"Of the {groups}, {numbers} {are} shown so.")
    return text


def _few(m: UniqueMatches) -> str:
    if m.made_up == 0:
        return (
            f"none in {m.repetitions:,} releases (any in at most "
            f"{percent(at_most(m.repetitions))} of releases)"
        )
    return "fewer than 0.01" if m.made_up < 0.01 else f"about {sensible(m.made_up)}"


SAYS_LITTLE = "Why this says little about hiding small counts"  # it may flatter, or the reverse
HIDING = (
    "Hiding a small count puts a stand-in in its place, so whether people who are alone are "
    "matched hangs on the size of the stand-in, not on how well anybody is protected. That comes "
    "from hiding small counts, with or without differential privacy."
)


def hiding_sentences(
    table: Histogram, once: Sequence[UniqueMatches], at_least: Sequence[UniqueMatches]
) -> tuple[str, ...]:
    """Why the count of unique matches flatters methods that hide small groups: nothing, or the
    reason and the numbers of each.

    `once` and `at_least` are the matches under the two rules, in the same order.
    """
    text = []
    for strict, loose in zip(once, at_least, strict=True):
        one = strict.mechanism
        if not isinstance(one, HidesCells) or not strict.unique:
            continue
        name = at_the_start(one.spoken())
        if _changes_nothing(one, table):
            text.append(f"{name}: each stand-in is the true count, so nothing is hidden.")
            continue
        hidden = one.hidden(table)
        exact = float((table.counts * (1 - hidden)).sum())
        alone = float(hidden[table.counts == 1].sum())
        silent = [*_published(exact, table.total), *_telling(one, alone, loose)]
        text.append(
            f"{name} hides {_whole(alone)} of the {strict.unique:,} unique people behind a "
            f"stand-in. Counted as appearing exactly once, {_whole(strict.expected)} of all "
            f"{strict.unique:,} {'is' if strict.expected == 1 else 'are'} matched, which looks "
            f"{_looks(strict.share)}; counted as appearing at least once, it is "
            f"{_whole(loose.expected)}."
            + (f" Neither says anything about {', nor about '.join(silent)}." if silent else "")
        )
    return (HIDING, *text) if text else ()


def _changes_nothing(one: Mechanism, table: Histogram) -> bool:
    """Is each count that is hidden the stand-in itself?"""
    return (
        isinstance(one, HidesCells) and bool(one.hidden(table).any())
        and isinstance(one, ExactMoments) and not one.absolute_error(table).any()
    )


def _published(exact: float, total: int) -> list[str]:
    """Who is in groups that are shown as they are; nobody to speak of where all are hidden."""
    if exact < 0.5:
        return []
    people = "person" if _whole(exact) == "1" else "people"
    return [
        f"the {_whole(exact)} {people} ({percent(exact / max(total, 1))} of all) in groups that it "
        "publishes to the last person"
    ]


def _telling(one: HidesCells, alone: float, loose: UniqueMatches) -> list[str]:
    """Does a stand-in tell that somebody is there? Not if empty groups get it, too, nor if it is
    zero, so that hidden people are not in the release."""
    shown_hidden = loose.expected - (loose.unique - alone)
    if one.hidden([0])[0] > 0 or shown_hidden < 1e-9:
        return []
    return ["the fact that a stand-in tells that somebody is there"]


def _looks(share: float) -> str:
    return "perfect" if share < 0.005 else "good" if share < 0.2 else "poor"


def _whole(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 or number == round(number) else sensible(number)


def unique_group_sentence(m: UniqueMatches, table: Histogram, axis: int) -> str:
    """Who is unique most often, and who least? Nothing where all groups are alike."""
    rows = [(label, people, unique) for label, people, unique, _ in m.by_value(table, axis)]
    if not any(unique for _, _, unique in rows):
        return "Nobody is unique in this table."
    # of groups that are alike the larger one is named: its share says more
    least = min(rows, key=lambda row: (row[2] / row[1], -row[1]))
    most = max(rows, key=lambda row: (row[2] / row[1], row[1]))
    low, high = (percent(row[2] / row[1]) for row in (least, most))
    if low == high:
        return ""
    return (
        f"{_alone(least, ' people')} {'is' if least[2] <= 1 else 'are'} one of a kind ({low}), "
        f"but {lowered(_alone(most, ''))} {'is' if most[2] == 1 else 'are'} ({high})."
    )


def _alone(row: tuple[str, int, int], people_word: str) -> str:
    """`1 of 6,658 people with “White”`, `all 3 with “Asian”`, `nobody of 70 with “Black”`."""
    label, people, unique = row
    if people_word and people == 1:
        people_word = " person"
    if not unique:
        return f"None of {people:,}{people_word} with “{label}”"
    if unique == people:
        return f"{'The only one' if people == 1 else f'All {people:,}'} with “{label}”"
    return f"{unique:,} of {people:,}{people_word} with “{label}”"


def left_out_sentence(m: UniqueMatches, table: Histogram, axis: int) -> str:
    """Which groups the chart leaves out."""
    rows = m.by_value(table, axis)
    without = sum(not unique for _, _, unique, _ in rows)
    said = too_small_sentence([people for _, people, unique, _ in rows if unique])
    if not without:
        return said
    groups = "1 group" if without == 1 else f"{without:,} groups"
    are = "is" if without == 1 else "are"
    return f"{groups} with nobody who is one of a kind {are} left out. {said}".strip()


def too_small_sentence(sizes: Sequence[int]) -> str:
    """A chart of one to three people would show them, not a group."""
    small = sum(size < PEOPLE_FOR_A_ROW for size in sizes)
    if not small:
        return ""
    groups = "One group" if small == 1 else f"{small:,} groups"
    return f"{groups} of fewer than {PEOPLE_FOR_A_ROW} people {'is' if small == 1 else 'are'} in " \
        "the table only."


def empty_sentence(mechanism: Mechanism, empty: int, releases: int) -> str:
    """A release without anybody in it exposes nobody, and tells nothing."""
    if not empty:
        return ""
    full = releases - empty
    words = "have people in them" if full > 1 else "has people in it"
    number = f"{full:,}" if full else "None"
    return f"{at_the_start(mechanism.spoken())}: {number} of {releases:,} releases {words}."

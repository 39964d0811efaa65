"""Money and thresholds in words: dollars, place names, how many of 100 releases."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sdc_core.histogram import Domain
from sdc_core.mechanisms.base import Doing
from sdc_core.metrics.decisions import Decisions, Floats, Group, Money, Outcome
from sdc_core.metrics.over_releases import OverReleases
from sdc_core.metrics.sparsity import leaves_empty
from sdc_core.words.chance import STANDARD_ERRORS, at_most
from sdc_core.words.conventions import former_clause
from sdc_core.words.evaluations import OF_MANY, releases_text
from sdc_core.words.groups import people_word
from sdc_core.words.numbers import Sentences, listed, percent
from sdc_core.words.ranking import apart

# How one says it, for what people ask about most; anything else is quoted as the data has it.
_NOUNS = {
    ("OWN_RENT", "0"): "people in group quarters",
    ("OWN_RENT", "1"): "people who own their home",
    ("OWN_RENT", "2"): "renters",
    ("SEX", "1"): "men and boys",
    ("SEX", "2"): "women and girls",
    ("RAC1P", "1"): "White residents",
    ("RAC1P", "2"): "Black residents",
    ("RAC1P", "6"): "Asian residents",
    ("INCOME_50K", "0"): "people with an income under $50,000",
    ("INCOME_50K", "1"): "people with an income of $50,000 or more",
}
EVERYBODY = "people"


def dollars(amount: float, signed: bool = False, error: float = 0.0) -> str:
    """`$14,200`, `$1.2 million`, `−$900`: three digits, or two where its standard error leaves
    no more."""
    size = abs(amount)
    sign = "−" if amount < 0 else "+" if signed else ""
    if size < 0.5:
        return "$0"
    digits = 3
    if 0 < error < math.inf:
        digits = 1 + math.floor(math.log10(size)) - math.floor(math.log10(error))
    size = float(f"{size:.{min(3, max(2, digits))}g}")
    for unit, word in ((1e9, " billion"), (1e6, " million")):
        if size >= 0.9995 * unit:
            return f"{sign}${float(f'{size / unit:.3g}'):,.10g}{word}"
    return f"{sign}${size:,.0f}"


def group_words(group: Group, domain: Domain) -> str:
    """Who the members are: `renters`, `people listed as “Black” and “renting”`."""
    conditions = [(name, value) for name, values in group.wanted for value in values]
    if not conditions:
        return EVERYBODY
    if len(conditions) == 1 and conditions[0] in _NOUNS:
        return _NOUNS[conditions[0]]
    parts = []
    for name, values in group.wanted:
        (axis,) = domain.axes([name], "group")
        feature = domain.features[axis]
        labels = dict(zip(feature.values, feature.labels, strict=True))
        parts.append(" or ".join(f"“{labels[value]}”" for value in values))
    return f"people listed as {' and '.join(parts)}"


def of_100(chance: float, releases: int, certain: bool = False) -> str:
    """`in 8 of 100 releases`, `in fewer than 1 of 100 releases`; never and always only where
    nothing is left to chance, else `in none of 200 releases`."""
    if math.isnan(chance):
        return "in unknown many releases"
    if releases == 1 and not certain:
        return "in the one release" if chance else "not in the one release"
    if chance >= 1:
        return "in every release" if certain else f"in all of {releases} releases"
    if chance <= 0:
        return "in no release" if certain else f"in none of {releases} releases"
    if releases < 100:
        return f"in {round(chance * releases)} of {releases} releases"
    if chance < 0.01:
        return "in fewer than 1 of 100 releases"
    return f"in {min(99, round(100 * chance))} of 100 releases"


NO_PLACES = (
    "No column of this data is known to say where people live.",
    "Choose above the column whose values share the money; one whose role is place is found by "
    "itself.",
)


def units(found: Decisions, number: int = 2) -> str:
    """`place` or `places` where that is what the column is; others have categories."""
    one, many = ("place", "places") if found.is_place else ("category", "categories")
    return one if number == 1 else many


def each(found: Decisions) -> str:
    if found.is_place:
        return "each place"
    name = found.area if any(c.isupper() for c in found.area[1:]) else found.area.lower()
    return f"each category of {name}"


def _told(one: Floats, other: Floats) -> bool:
    """Do two methods (or places) differ by more than chance, a number a release?"""
    return apart(OverReleases(one), OverReleases(other))


def once(found: Decisions) -> Decisions:
    """A method on two cards is named once."""
    unique = {one.mechanism: one for one in found.outcomes}
    return dataclasses.replace(found, outcomes=tuple(unique.values()))


def decision_sentences(found: Decisions, who: str) -> tuple[str, str]:
    """The page's answer: who sends most and who least money to the wrong places; then the others,
    why, and which places change sides."""
    if not found.outcomes:
        return "Choose a method to see what it would do to money and thresholds.", ""
    found = once(found)
    among = "" if found.is_place else f" in {each(found)}"
    represented = f" ({people_word(True)})" * found.weighted
    shared = f"Of {dollars(found.pot)} for {who}{represented}{among}"
    ranked = sorted(
        (o for o in found.outcomes if o.money.releases), key=lambda o: -o.money.moved
    )
    if not ranked:
        return (
            f"{shared}, no release has anybody to share by: every one of them is empty of {who}.",
            _rule_sentence(found, who),
        )
    said, named = _ranking(ranked)
    headline = f"{shared}, {said}{_conventions(named)}."
    others = [f"{_with_amount(o)}{_level(o, named)}" for o in ranked if o not in named]
    rest = f"Of the other methods: {'; '.join(others)}." if others else ""
    means = (
        f"Misdirected is what some {units(found)} get too much for their {who}, and others too "
        "little."
    )
    more = (means, rest, _whom(ranked[0], found), _cause(found, who), _rule_sentence(found, who))
    return headline, Sentences(*more)


def _ranking(ranked: Sequence[Outcome]) -> tuple[str, list[Outcome]]:
    """Who sends most and least to the wrong places, and whether that may be chance; and whom of the
    methods this names."""
    top, bottom = ranked[0], ranked[-1]
    if top.money.moved < 0.5:
        most = f"nothing{_unsure(ranked)}" if top.money.moved == 0 else "less than $1"
        names = top.mechanism.spoken() if len(ranked) == 1 else "every method here"
        return f"{names} misdirects {most}", (
            [top] if len(ranked) == 1 else list(ranked))
    said = f"{top.mechanism.spoken()} misdirects {_amount(top)}"
    if len(ranked) == 1:
        return said, [top]
    if _amount(top) == _amount(bottom):
        return f"{said} and {bottom.mechanism.spoken()} as much", [top, bottom]
    chance = "" if _ranks(top, bottom) else ", a difference that may be chance"
    return f"{said}, {bottom.mechanism.spoken()} {_amount(bottom)}{chance}", [top, bottom]


def _level(one: Outcome, named: Sequence[Outcome]) -> str:
    """Which of the methods in the headline it cannot be told apart from."""
    level = [o.mechanism.spoken() for o in named if not _ranks(one, o)]
    return f", no telling it from {listed(level)}" if level else ""


def _ranks(one: Outcome, other: Outcome) -> bool:
    """May these two be ranked by money? Not within chance, and not where both read the same."""
    if _amount(one) == _amount(other):
        return False
    if one.certain and other.certain:
        return True
    return _told(one.money.moved_each, other.money.moved_each)


def _amount(outcome: Outcome, money: Money | None = None) -> str:
    """What a method sends to the wrong places, or the same releases with empty groups at 0
    (`money`). What no release sent is not known to be nothing."""
    drawn = "" if money else _unsure([outcome])
    money = money or outcome.money
    if money.moved == 0:
        return f"nothing{drawn}"
    if money.moved < 0.5:
        return "less than $1"
    return dollars(money.moved, error=0.0 if outcome.certain else money.moved_se)


def _unsure(outcomes: Sequence[Outcome]) -> str:
    """How many releases nothing was seen in; nothing to add where no release could differ."""
    drawn = [o.money.releases for o in outcomes if not o.certain]
    return f" in {releases_text(min(drawn))}" if drawn else ""


def _with_amount(outcome: Outcome) -> str:
    return f"{_amount(outcome)} after {outcome.mechanism.spoken()}"


def _spoken(outcomes: Sequence[Outcome]) -> str:
    return listed([o.mechanism.spoken() for o in outcomes])


def _conventions(named: Sequence[Outcome]) -> str:
    """Methods that are compared and do not treat empty groups alike: said in the same sentence."""
    if len(named) != 2:
        return ""
    fills = [o.invented > 0 for o in named]
    clause = former_clause(fills[:1], fills[1:], ("fills empty groups", "fill empty groups")) or ""
    leaves = named[0] if fills[1] else named[1]
    # Of others than these the releases tell only what they did, not what they do.
    sure = leaves.certain or leaves_empty(leaves.mechanism)
    return clause if sure else clause.replace("only", "so far only")


def _cause(found: Decisions, who: str) -> str:
    """What people who are shown in groups that have nobody do to the money, and what would happen
    without them."""
    fill = [o for o in found.outcomes if o.kept is not None and o.invented >= 0.5]
    if not fill:
        return ""
    shows = listed([f"{o.mechanism.spoken()} shows {round(o.invented):,}" for o in fill])
    lone = len(fill) == 1 and round(fill[0].invented) == 1
    where = f"{found.empty:,} groups of {who} that have" if found.empty > 1 else (
        f"one group of {who} that has")
    people = people_word(found.weighted)
    exist = "person who does not exist" if lone else f"{people} who do not exist"
    said = f"In the {where} nobody, {shows} {exist}."
    without = [
        (o, o.kept) for o in fill
        if o.kept is not None and o.kept.releases
        and _told(o.money.moved_each, o.kept.moved_each)
    ]
    if not without:
        return f"{said} What that does to the money {_BY_CHANCE}."
    left = listed([
        f"{_amount(o, kept)} after {o.mechanism.spoken()}" for o, kept in without])
    draws = all(_helps_few(o, found) for o, _ in without)
    effect = f"That draws money to {units(found)} with few {who}" if draws else "That moves money"
    bound = (
        ", which a method that adds noise to every count cannot do without breaking its promise,"
        if any(o.mechanism.does is Doing.NOISE for o, _ in without) else ","
    )
    they = "it" if len(without) == 1 else "they"
    return (
        f"{said} {effect}: if {they} left empty groups at 0{bound} {left} would go to the wrong "
        f"{units(found)}."
    )


def _helps_few(outcome: Outcome, found: Decisions) -> bool:
    """Does money go, because of empty groups, to the places that have fewer members than the
    average place, release by release and beyond chance?"""
    few = found.members < found.members.mean()
    if outcome.kept is None or not few.any():
        return False
    there, without = (money.each[:, few].sum(axis=1) for money in (outcome.money, outcome.kept))
    drawn = OverReleases(there).minus(OverReleases(without))
    return drawn.mean > 0 and _told(there, without)


def gains_told(outcome: Outcome) -> NDArray[np.bool_]:
    """Which places gain or lose on average, beyond chance? Of many the most extreme is picked."""
    money = outcome.money
    if money.releases < 2 and not outcome.certain:
        return np.zeros(len(money.gain), dtype=bool)
    error = 0.0 if outcome.certain else OF_MANY * money.gain_se
    return np.asarray(np.abs(money.gain) > error)


def in_order_of(found: Decisions) -> Outcome | None:
    """The method whose gains put the places in order: the first that moves any beyond chance. An
    order of chance would look like a finding."""
    return next((o for o in found.outcomes if o.money.moved >= 0.5 and gains_told(o).any()), None)


def _whom(outcome: Outcome, found: Decisions) -> str:
    """`After X it goes mostly from A to B`, as far as that is no chance. Gains and losses of one
    place cancel out over releases, so shares of all losses are given only where every release is
    the same, else how often a place loses."""
    money, under = outcome.money, f"After {outcome.mechanism.spoken()}"
    if money.moved < 0.5 or (money.releases < 2 and not outcome.certain):
        return ""
    loser, winner = int(np.argmin(money.gain)), int(np.argmax(money.gain))
    told = gains_told(outcome)
    if not (told[loser] and told[winner]):
        return f"{under}, {_told_ones(outcome, found, told)}."
    if _mostly(outcome, loser, winner):
        return f"{under} it goes mostly from {found.places[loser]} to {found.places[winner]}."
    parts = []
    for place, verb, side in ((loser, "loses", "losses"), (winner, "gains", "gains")):
        share = float(money.gain[place] / money.gain[money.gain * money.gain[place] > 0].sum())
        size = f"{percent(share, 0)} of all {side}" if outcome.certain else (
            f"it {verb} {_how_often(money, place)}")
        level = f"several {units(found)} share the largest {side}" if outcome.certain else (
            f"who {verb} most {_BY_CHANCE}")
        parts.append(f"{found.places[place]} {verb} most ({size})"
                     if _stands_out(outcome, place) else level)
    said = " and ".join(parts).replace(f" {_BY_CHANCE} and who", " and who")
    return f"{under}, {'' if outcome.certain else 'averaged over releases '}{said}."


_BY_CHANCE = "cannot be told from chance"
_STEADY = 0.9  # of the releases, for a place that is said to gain or lose steadily


def _same_sign(money: Money, place: int) -> float:
    """In which share of the releases does a place gain, or lose, as it does on average?"""
    each = money.each[~np.isnan(money.each[:, place]), place]
    return float(np.mean(each * money.gain[place] > 0))


def _how_often(money: Money, place: int) -> str:
    return of_100(_same_sign(money, place), money.releases)


def _is_steady(outcome: Outcome, place: int) -> bool:
    """In more than nine of ten releases, beyond two standard errors of that share (Wilson's lower
    bound, which does not call three of three releases all)."""
    n, share, z = outcome.money.releases, _same_sign(outcome.money, place), STANDARD_ERRORS
    spread = z * math.sqrt(share * (1 - share) / n + (z / (2 * n)) ** 2)
    return outcome.certain or (share + z * z / (2 * n) - spread) / (1 + z * z / n) > _STEADY


def _stands_out(outcome: Outcome, place: int) -> bool:
    """Is this place's gain or loss larger than any other's, beyond chance?"""
    each = outcome.money.each
    if outcome.certain:
        return bool((np.delete(outcome.money.gain, place) != outcome.money.gain[place]).all())
    others = [i for i in range(each.shape[1]) if i != place]
    return all(_told(each[:, place], each[:, i]) for i in others)


def _mostly(outcome: Outcome, loser: int, winner: int) -> bool:
    """Does more than half of what moves go from the one to the other, beyond chance? What the loser
    loses and the winner gains beyond all that is moved must have gone that way."""
    each = outcome.money.each
    direct = each[:, winner] - each[:, loser] - 1.5 * outcome.money.moved_each
    if not np.nanmean(direct) > 1e-9 * outcome.money.moved:
        return False
    return outcome.certain or _told(direct, np.zeros(len(direct)))


def _told_ones(outcome: Outcome, found: Decisions, told: NDArray[np.bool_]) -> str:
    """`A loses steadily (in 97 of 100 releases)`, `on average B gains (in 60 of 100 releases)`, or
    that who gains changes."""
    parts = []
    for sign, verb in ((-1, "lose"), (1, "gain")):
        places = [int(i) for i in np.flatnonzero(told & (sign * outcome.money.gain > 0))]
        for steady in (True, False):
            named = [f"{found.places[i]} ({_how_often(outcome.money, i)})"
                     for i in places if _is_steady(outcome, i) == steady]
            if named:
                does = f"{verb}s" if len(named) == 1 else verb
                who = f"only {listed(named, most=4)} {does}"
                parts.append(f"{who} steadily" if steady else f"on average {who}")
    return " and ".join(parts) or "who gains changes from release to release"


def rule_words(found: Decisions, who: str) -> str:
    return f"more than {found.percent:g}% {who}"


def _rule_sentence(found: Decisions, who: str) -> str:
    """The method under which most places change sides, and which of them how often."""
    limits = threshold_remark(found, who)
    if limits:
        return limits
    rule = f"The rule “{rule_words(found, who)}”"
    known = [o for o in found.outcomes if not np.isnan(o.rule.flip).all()]
    if not known:
        return f"{rule} cannot be applied: no release has people in any {units(found, 1)}."
    worst = max(known, key=lambda o: o.rule.flips)
    if worst.rule.flips == 0:
        return f"{rule} gives every {units(found, 1)} its true answer {_so_far(known)}"
    likely = [int(i) for i in np.argsort(-np.nan_to_num(worst.rule.flip), kind="stable")
              if worst.rule.flip[i] > 0]
    named = ", ".join(f"{found.places[i]} {how_often(worst, i)}" for i in likely[:3])
    more = f" and {len(likely) - 3} more" if len(likely) > 3 else ""
    level = [o for o in known if o is not worst and not _flips_apart(worst, o)]
    if level:
        start = (
            f"{rule} flips {units(found)} after {worst.mechanism.spoken()}, which cannot be told "
            f"apart from {_spoken(level)}"
        )
    elif len(known) > 1:
        start = f"{rule} flips {units(found)} most often after {worst.mechanism.spoken()}"
    else:
        start = f"{rule} flips {units(found)} after {worst.mechanism.spoken()}"
    return f"{start}: {named}{more}."


def _flips_apart(one: Outcome, other: Outcome) -> bool:
    if one.certain and other.certain:
        return one.rule.flips != other.rule.flips
    return _told(one.rule.each, other.rule.each)


def how_often(outcome: Outcome, place: int) -> str:
    """How often a place changes sides, of the releases that have people in it."""
    known = outcome.releases - int(outcome.rule.undefined[place])
    return of_100(float(outcome.rule.flip[place]), known, outcome.certain)


def _so_far(outcomes: Sequence[Outcome]) -> str:
    """Never, or never so far: what so many releases without a flip exclude."""
    drawn = [o.releases - int(o.rule.undefined.max()) for o in outcomes if not o.certain]
    if not drawn:
        return "under every method."
    return f"in all releases that were drawn. {excluded(min(drawn))}"


def excluded(releases: int) -> str:
    """What it means that so many releases have no flip: the rule of three."""
    drawn = releases_text(releases)
    chance = at_most(releases) if releases else 1.0
    if chance >= 1:
        return f"No flip in {drawn}: too few to say how likely one is."
    return f"No flip in {drawn}: the chance of one is below {percent(chance)}."


def threshold_remark(found: Decisions, who: str) -> str:
    """What to say where the rule itself decides nothing."""
    if who == EVERYBODY:
        return (
            "The rule says nothing here: without a group everybody is a member, and the share is "
            "100% everywhere. Choose a group."
        )
    if found.percent >= 100:
        return "No share can be more than 100%, so this rule applies nowhere and nothing can flip."
    if found.percent <= 0:
        return (
            f"“More than 0%” asks only whether there is anybody: a {units(found, 1)} flips where "
            f"the last of its {who} vanish or where some are invented."
        )
    return ""

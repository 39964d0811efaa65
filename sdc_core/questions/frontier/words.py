"""What the chart of risk against error says, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sdc_core.histogram import Histogram
from sdc_core.metrics.attacks import Success
from sdc_core.questions.frontier.compute import Attack, Mark
from sdc_core.questions.frontier.pareto import Place, Standing, who_beats
from sdc_core.words.chance import STANDARD_ERRORS
from sdc_core.words.conventions import former_clause, share_clause
from sdc_core.words.evaluations import OF_MANY, releases_text
from sdc_core.words.guarantees import PromiseWord
from sdc_core.words.numbers import Sentences, at_the_start, counted, listed, percent, sensible

STANDINGS: dict[Standing, str] = {
    "on": "on the frontier", "within chance": "within chance of the frontier", "beaten": "beaten",
}
TITLES: dict[Attack, str] = {
    Attack.FIND: "see somebody who is one of a kind",
    Attack.INFER: "infer a sensitive answer",
    Attack.MEMBER: "tell whether a person is in the data",
}
_TWO_LINES = 200  # characters of a headline, about
_ROUNDING = 1e-9
_SOMEBODY = 0.5  # of a person, in all empty groups together: less is nobody


@dataclass(frozen=True)
class AttackWords:
    """How an attack is spoken of: the axis, what is gained, how much (`{}`), and more of it;
    `limits` is what the attack cannot tell."""

    axis: str
    gain: str
    much: str
    more: str
    limits: str = ""


def attack_words(attack: Attack, sensitive: str) -> AttackWords:
    """`sensitive` is what the intruder wants to infer."""
    return {
        Attack.FIND: AttackWords(
            "Unique people shown, beyond luck",
            "shown beyond luck", "{} of unique people shown beyond luck",
            "more unique people shown",
        ),
        Attack.INFER: AttackWords(
            "More right guesses than without the release",
            "more right guesses", f"{{}} more right guesses of {sensitive}",
            f"more right guesses of {sensitive}",
        ),
        Attack.MEMBER: AttackWords(
            "People told to be there, beyond luck",
            "told beyond luck", "{} of people told to be there beyond luck",
            "more people told to be there",
            " For noise no intruder does better; where records are moved or merged, a cleverer one "
            "may.",
        ),
    }[attack]


def share(number: float) -> str:
    """A share of people with two digits: `0.43%`, `9.2%`, `71%`, and 100% only if it is all."""
    if 0.995 <= number < 1 - _ROUNDING:
        return percent(number, 1) if number < 0.9995 else "nearly 100%"
    return f"{float(f'{100 * number:.2g}'):g}%"


def amount(success: Success) -> str:
    """What an attack gains, with its standard error where it is estimated."""
    return share(success.advantage) + (f" ± {share(success.error)}" if success.error else "")


def error_words(everywhere: bool) -> str:
    """The unit of the error."""
    return f"people a group{', empty ones included' if everywhere else ' that has any'}"


@dataclass(frozen=True, eq=False)
class Found:
    """All that is drawn: settings, where they stand, and in which error."""

    marks: Sequence[Mark]
    places: Sequence[Place]
    standing: Sequence[Standing]
    everywhere: bool
    table: Histogram
    said: AttackWords

    @property
    def settings(self) -> int:
        """How many are shown; one of the method bar may lie on its method's path."""
        return len({mark.mechanism for mark in self.marks})

    @property
    def present(self) -> list[int]:
        """The settings of the method bar; one that is there twice is one."""
        seen = {m.mechanism: i for i, m in reversed(list(enumerate(self.marks))) if m.slot}
        return sorted(seen.values())

    def standing_as(self, wanted: Standing) -> list[int]:
        return [i for i in self.present if self.standing[i] == wanted]

    def beaters(self, number: int) -> list[int]:
        """What beats a setting: what surely does first, and of that the least risk."""
        found = [int(i) for i in np.flatnonzero(self._beats(number, STANDARD_ERRORS))]
        return sorted(found, key=lambda i: (
            not self.surely_beats(i, number), self.standing[i] != "on",
            self.places[i].risk[0], self.places[i].error[0]))

    def surely_beats(self, one: int, other: int) -> bool:
        """By so much that picking it from many does not explain it?"""
        return bool(self._beats(other, OF_MANY)[one])

    def _beats(self, number: int, errors: float) -> NDArray[np.bool_]:
        """Which beat this setting, by so many standard errors; asked of few settings, and of each
        again and again."""
        if (number, errors) not in self._asked:
            self._asked[number, errors] = who_beats([self.places[number]], self.places, errors)[0]
        return self._asked[number, errors]

    @cached_property
    def _asked(self) -> dict[tuple[int, float], NDArray[np.bool_]]:
        return {}

    def name(self, number: int) -> str:
        return self.marks[number].mechanism.spoken()

    def names(self, numbers: Sequence[int]) -> str:
        return listed([self.name(i) for i in numbers])

    def fills(self, number: int) -> bool:
        """Does it put people into groups that have nobody?"""
        return self.marks[number].what.invented[0] > _SOMEBODY

    def off(self, number: int) -> str:
        """By how much counts are off; where no release drawn had an error, in how many."""
        error, releases = self.places[number].error[0], self.marks[number].what.releases
        seen = f" in {releases_text(releases)}" if releases and not error else ""
        return f"{sensible(error)}{seen}"


def headline(found: Found) -> str:
    """Is what is set beaten? Compared only beyond two standard errors."""
    beaten = found.standing_as("beaten")
    if beaten:  # of several the traditional one, which is the usual practice
        return _shortened(_beaten(found, max(beaten, key=lambda i: (
            found.marks[i].mechanism.family == "sdc", len(found.beaters(i))))))
    unsure = any(p.error[1] or p.risk[1] for p in found.places)
    than = "it" if len(found.present) == 1 else "one of them"
    rule = (
        f"of {counted(found.settings, 'setting', 'settings')} shown, whatever has less error than "
        f"{than} has {found.said.more}{', as far as can be told' * unsure}{_mixed(found)}."
    )
    if len(found.present) == 1:
        return _shortened(at_the_start(f"{found.name(found.present[0])} is not beaten: {rule}"))
    if found.present:
        return _shortened(f"None of the {len(found.present)} methods as set is beaten: {rule}")
    made = dict.fromkeys(m.path.base.doing for m, s in zip(
        found.marks, found.standing, strict=True) if s == "on")
    return _shortened(f"Some settings of {listed(list(made), 3)} are not beaten: there, {rule}")


def _shortened(said: str) -> str:
    """Two lines; what luck has to do with it is said at the axis."""
    return said if len(said) <= _TWO_LINES else said.replace(" beyond luck", "")


def _beaten(found: Found, loser: int) -> str:
    winner = found.beaters(loser)[0]
    low, high = found.places[winner], found.places[loser]
    verb = _verb(found, winner, found.surely_beats(winner, loser))
    unlike = _unlike(found, winner, loser)
    promises = [found.marks[i].what.promise for i in (winner, loser)]
    return at_the_start(
        f"{found.name(winner)} {verb} {found.name(loser)}: {_error_gap(low, high)}, with "
        f"{_risk_gap(low, high, found.said)}{_with_promise(unlike, *promises)}.")


def _verb(found: Found, winner: int, surely: bool) -> str:
    """Of a setting that nobody has chosen it is said that it would."""
    if found.marks[winner].mechanism in [found.marks[i].mechanism for i in found.present]:
        return "beats" if surely else "seems to beat"
    return "would beat" if surely else "might beat"


_FORMER_FILLS = "; only the former fills empty groups"
_LACKING: dict[PromiseWord, tuple[str, str, str]] = {  # of the winner, if just named, of both
    "none": ("the former promises nothing", "promises nothing", "neither promises anything"),
    "broken": ("the former's published promise is broken", "breaks its published promise",
               "both published promises are broken"),
    "nearly empty": ("the former's promise is nearly empty", "promises next to nothing",
                     "both promises are nearly empty"),
    "too slack": ("the former leaves too much slack", "leaves too much slack",
                  "both leave too much slack"),
}


def _with_promise(unlike: str, winner: PromiseWord, loser: PromiseWord) -> str:
    """What the two do differently, and what the winner lacks: a setting that wins against one
    attack may promise next to nothing about all others."""
    if winner not in _LACKING:
        return unlike
    one, it, both = _LACKING[winner]
    if winner == loser:
        return f"{unlike}; {both}"
    if unlike == _FORMER_FILLS:  # one clause, or there would be three lines
        return f"; it fills empty groups and {it}"
    return f"{unlike}; {one}"


def _error_gap(low: Place, high: Place) -> str:
    """`off by 0.4, not 0.73 a group`."""
    here, there = sensible(low.error[0]), sensible(high.error[0])
    if here == there:
        return f"off by about as much ({here} a group)"
    return f"off by {here}, not {there} a group"


def _risk_gap(low: Place, high: Place, said: AttackWords) -> str:
    here, there = share(low.risk[0]), share(high.risk[0])
    return said.much.format(f"as many ({here})" if here == there else f"{here}, not {there},")


def _unlike(found: Found, first: int, second: int) -> str:
    """What the two do differently besides, as a clause."""
    clause = former_clause(
        [found.fills(first)], [found.fills(second)],
        ("fills empty groups", "fill empty groups"))
    methods = [found.marks[i].mechanism for i in (first, second)]
    return (clause or "") + share_clause(
        (one.doing, one.share_of_records(found.table)) for one in methods)


def _mixed(found: Found) -> str:
    """Where settings that fill empty groups are compared with some that do not."""
    kinds = {found.fills(i) for i in range(len(found.marks))}
    return "; some fill empty groups, others do not" if len(kinds) > 1 else ""


def more(found: Found) -> Sentences:
    """Where the methods of the bar stand, and who the frontier is made of."""
    said = [
        f"{title}: {found.names(numbers)}."
        for title, numbers in (
            ("On the frontier as set", found.standing_as("on")),
            ("Within chance of it", found.standing_as("within chance")),
            ("Beaten", found.standing_as("beaten")),
        ) if numbers
    ]
    return Sentences(" ".join(said), ends_sentence(found), promise_sentence(found))


def ends_sentence(found: Found) -> str:
    """From where to where the frontier goes."""
    on = [i for i, s in enumerate(found.standing) if s == "on"]
    if not on:
        return ""
    least = min(on, key=lambda i: (found.places[i].error[0], found.places[i].risk[0]))
    safest = min(on, key=lambda i: (found.places[i].risk[0], found.places[i].error[0]))
    both = [
        f"{found.name(i)} (off by {found.off(i)}, "
        f"{share(found.places[i].risk[0])} {found.said.gain})"
        for i in dict.fromkeys((least, safest))
    ]
    made = dict.fromkeys(found.marks[i].path.base.doing for i in on)
    if len(both) == 1:
        return f"The frontier is one setting: {both[0]}."
    return (
        f"The frontier goes from {both[0]} to {both[1]} and is made of "
        f"{listed(list(made), 6)}."
    )


def promise_sentence(found: Found) -> str:
    """What the attacks say is not what is promised."""
    quiet = [i for i in found.present if found.marks[i].what.promise in ("none", "broken")
             and found.standing[i] == "on"]
    if not quiet:
        return "An attack that fails is no promise: another one may succeed."
    return (
        f"{at_the_start(found.names(quiet))} {'promises' if len(quiet) == 1 else 'promise'} "
        "nothing: where this attack fails, another one may succeed."
    )


def not_offered(table: Histogram, offered: Sequence[Attack]) -> str:
    """Which attacks cannot be tried here, and why."""
    why = {
        Attack.FIND: "nobody is one of a kind" if not (table.counts == 1).any() else (
            "every group has people, so no claim could be wrong"),
        Attack.INFER: "no feature that people are counted by is declared sensitive",
        Attack.MEMBER: "there are fewer than two people",
    }
    left_out = [f"{TITLES[attack]} ({why[attack]})" for attack in Attack if attack not in offered]
    return f"Not tried here: {listed(left_out)}." if left_out else ""

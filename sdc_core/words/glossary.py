"""The words that a reader may not know, each defined once, in one sentence. Pages mark a word where
it first stands; one page and one command list them all."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from sdc_core.errors import InputError
from sdc_core.keep import kept_in_visit


@dataclass(frozen=True)
class Term:
    """A word and what it means. `slug` is its place on the page that lists all words; `spelled` are
    the other ways in which it is written. A capital at its beginning and an s at its end are found
    by themselves; a single Latin letter is a symbol only in front of an equals sign."""

    slug: str
    title: str
    means: str
    spelled: tuple[str, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        return (self.title, *self.spelled)


GLOSSARY: tuple[Term, ...] = (
    Term("accuracy", "accuracy",
         "The share of people about whom a prediction is right.", ("accurate",)),
    Term("aim", "AIM synthetic data",
         "Synthetic data from a model that is improved, step by step, where noisy counts show that "
         "it is most wrong.", ("AIM",)),
    Term("b", "b",
         "In swapping, the number of records in the largest group of those that may exchange "
         "values."),
    Term("balanced-accuracy", "balanced accuracy",
         "The share of right predictions, worked out for each answer by itself and then averaged, "
         "so that a rare answer counts as much as a common one."),
    Term("bound", "bound",
         "A limit that a paper states: if its proof is right, the true value is no worse than "
         "this, and may be much better."),
    Term("cell", "cell",
         "One group of people in a table, all with the same values of what is counted by, or the "
         "count that stands there."),
    Term("cell-key", "cell key",
         "A number that is drawn once for every group of people and decides by how much its count "
         "is shifted, the same wherever that group is counted.", ("cell key method",)),
    Term("classifier", "classifier",
         "A computer program that learns from records to give an answer about a new one.",
         ("decision tree", "logistic regression")),
    Term("controlled-rounding", "controlled rounding",
         "Rounds every number of a table to a multiple of a base, such as 3 or 5, so that totals "
         "still add up."),
    Term("declared", "declared",
         "Written down before anybody looked at the data, so that it tells nothing about them.",
         ("as declared",)),
    Term("delta", "δ",
         "The slack in a privacy promise: how far the chance of a result may go beyond what ε "
         "allows, from 0 (no slack) to 1 (no promise); it is not the chance that the promise "
         "fails.", ("delta", "slack")),
    Term("differential-privacy", "differential privacy",
         "A privacy promise that what is published would be almost as likely if any one person's "
         "record were different; ε says how nearly.",
         ("differentially private", "DP")),
    Term("discrete-gaussian", "Discrete Gaussian",
         "Noise in whole numbers that follows a bell curve: mostly small, and hardly ever very "
         "large.", ("bell-shaped noise", "bell-shaped", "Gaussian")),
    Term("dominance", "dominance",
         "A rule by which a sum is hidden if its few largest contributors have more than a given "
         "share of it.", ("dominance rule",)),
    Term("donor", "donor",
         "In swapping, the record from which another record gets its values."),
    Term("dp-k-anonymity", "DP k-anonymity",
         "First leaves out records at random and then makes groups of at least k people, meant as "
         "a version of k-anonymity with a privacy promise."),
    Term("dp-suppression", "DP suppression",
         "Hides a count if it is below the limit k after noise has been added, and publishes all "
         "others exactly; meant as a version of suppression with a privacy promise.",
         ("noisy limit", "hide below a noisy limit")),
    Term("dp-swapping", "DP swapping",
         "Swapping in which the donor is drawn at random, meant as a version of swapping with a "
         "privacy promise.", ("uniform DP swapping",)),
    Term("empty-group", "empty group",
         "A combination of values that nobody in the data has; noise can make people appear "
         "there who do not exist.", ("group that has nobody", "groups that have nobody")),
    Term("epsilon", "ε",
         "The strength of a privacy promise: it limits the factor by which one person's record can "
         "change the chance of anything published (2.72 at ε = 1, 20 at ε = 3), so smaller is "
         "stronger.", ("epsilon", "privacy loss", "privacy budget")),
    Term("frontier", "frontier",
         "All settings that no other one beats, that is, of which no other one has less error "
         "without helping an intruder more.", ("efficient frontier",)),
    Term("geometric", "Geometric",
         "Noise in whole numbers that is mostly small and sometimes large, drawn so that ε alone "
         "says how strong the privacy promise is.", ("geometric noise", "whole-number noise")),
    Term("hamming-distance", "Hamming distance",
         "The number of records in which two data sets of the same size differ."),
    Term("invariant", "invariants",
         "Counts that are published exactly and are outside the privacy promise.",
         ("invariant",)),
    Term("ipums", "IPUMS",
         "A collection of census records from many years and countries in one common coding, made "
         "at the University of Minnesota."),
    Term("k", "k",
         "The smallest number of people that may be shown: groups with fewer are hidden or merged "
         "with others."),
    Term("k-anonymity", "k-anonymity",
         "Merges groups until at least k people look alike in everything that an outsider may "
         "know; this is no privacy promise about the rest of their records.",
         ("k-anonymous",)),
    Term("k-marginal", "k-marginal",
         "A score for how well all small tables of k features agree with the truth; 1000 is full "
         "agreement.", ("k-marginal score", "2-marginal score", "2-marginal")),
    Term("l1", "ℓ1",
         "A way to measure how far apart two tables are: the sum of their differences, all taken "
         "as positive.", ("ℓ₁",)),
    Term("l2", "ℓ2",
         "A way to measure how far apart two tables are: the root of the sum of their squared "
         "differences.", ("ℓ₂",)),
    Term("laplace", "Laplace",
         "Noise that is mostly small and sometimes large, drawn so that ε alone says how strong "
         "the privacy promise is.", ("Laplace noise",)),
    Term("margin", "margin",
         "The totals of a table: of its rows, of its columns, and of all.", ("subtotal",)),
    Term("microaggregation", "microaggregation",
         "Replaces the numbers of a few similar records by their mean, so that they look alike."),
    Term("mst", "MST synthetic data",
         "Synthetic data from a model of single features and of the strongest links between them, "
         "all seen through noise.", ("MST",)),
    Term("neighbours", "neighbours",
         "Two data sets that differ in one person's record; a privacy promise says how hard they "
         "are to tell apart.", ("neighbour",)),
    Term("noise", "noise",
         "A random number added to a count, so that what is published depends little on any one "
         "person.", ("noisy",)),
    Term("noise-on-records", "noise on records",
         "Adds a random number to every number of every record."),
    Term("odds", "odds",
         "How much likelier something is than its opposite: odds of 3 to 1 are a chance of 75%."),
    Term("one-of-a-kind", "one of a kind",
         "The only person in the data with this combination of values.",
         ("unique people", "unique person")),
    Term("outsider", "outsider",
         "Somebody who knows some facts about a person, such as place, age and sex, and looks for "
         "the rest in what is published."),
    Term("p-percent-rule", "p percent rule",
         "A rule by which a sum is hidden if one of its contributors could work out another one's "
         "part too closely."),
    Term("people-represented", "people represented",
         "All the people for whom the records of a survey stand, by their survey weights.",
         ("people that they represent",)),
    Term("permutation-swapping", "Permutation swapping",
         "Swapping in which a share of the records hand their places round at random among "
         "records like them; its privacy promise leaves out the invariants."),
    Term("pmse", "pMSE",
         "How well a computer tells released from original records: the mean squared distance of "
         "its scores from a mere guess, so smaller is closer to the original."),
    Term("privacy-promise", "privacy promise",
         "A proved limit on how much any one person's record can change how likely anything "
         "published is, whatever else a reader knows.",
         ("formal guarantee", "published guarantee", "guarantee", "privacy guarantee", "promise")),
    Term("protected-suppression", "protected suppression",
         "Hides small counts and as many others as it takes, so that none of the small ones can be "
         "worked out from the totals, also by a reader who sees that no zero is hidden."),
    Term("quasi-identifier", "quasi-identifier",
         "A feature that an outsider may know about a person and use to find their record, such as "
         "place, age or sex.", ("identifying feature", "what an outsider may know")),
    Term("rank-swapping", "rank swapping",
         "Exchanges a number between records that stand close to each other when all are put in "
         "the order of that number."),
    Term("read-off", "read off the data",
         "Taken from the data as they are and not declared beforehand, so that publishing it can "
         "tell who is in them.", ("as seen", "values as seen")),
    Term("release", "release",
         "What is published after protection; with a random method another release of the same "
         "data has other numbers.", ("released",)),
    Term("rho", "ρ",
         "Another way to state the strength of a privacy promise made with bell-shaped noise: "
         "smaller is stronger, and it can be turned into ε with a small δ.", ("zCDP",)),
    Term("rwn", "RWN borrowing",
         "Replaces single values of a record by those of random records that are similar to it, "
         "each variable by itself.", ("RWN",)),
    Term("sampling-error", "sampling error",
         "How far a survey's count would move if other people had been asked, before anything is "
         "done to protect it.", ("what the survey itself does not know",)),
    Term("secondary-suppression", "secondary suppression",
         "Hides further numbers of a table, so that those that say too much cannot be computed "
         "back from its totals; an office prints one sign for both."),
    Term("seed", "seed",
         "The number that starts a computer's random draws: the same seed gives the same release."),
    Term("sensitive", "sensitive",
         "Of a feature: what a person would not want an outsider to learn, such as income."),
    Term("sensitivity", "sensitivity",
         "By how much one person's record can change what is counted; noise must be large enough "
         "to hide that."),
    Term("sigma", "σ",
         "How wide bell-shaped noise spreads: where it is wide, about two thirds of all draws are "
         "closer to zero than this.", ("sigma",)),
    Term("simulated", "simulated",
         "Found by making many releases and averaging, so that it is known up to chance only."),
    Term("slope", "slope",
         "How much one thing changes, on average, where another is one step higher; it does not "
         "say that the one causes the other.", ("line that links",)),
    Term("stand-in", "stand-in",
         "The fixed number that is shown in the place of a hidden count."),
    Term("standard-error", "standard error",
         "How far an average is typically off because it comes from a limited number of draws; "
         "differences of less than two of them may be chance."),
    Term("statistical-disclosure-control", "statistical disclosure control",
         "What offices do to published tables so that nobody can be found in them, such as "
         "suppression and swapping.", ("disclosure control", "SDC")),
    Term("suppression", "suppression",
         "Hides every count of fewer than k people and publishes the others exactly.",
         ("hide small counts", "hiding small counts", "hides small counts")),
    Term("survey-weight", "survey weight",
         "The number of people for whom one record of a survey stands.", ("sampling weight",)),
    Term("swap-rate", "swap rate",
         "The share of records that exchange values with another record."),
    Term("swapping", "swapping",
         "Exchanges some values, such as the place, between records that are alike otherwise, so "
         "that a record may not show where its person lives.", ("swapped",)),
    Term("synthetic-data", "synthetic data",
         "Invented records that are meant to give nearly the same tables as the real ones.",
         ("synthetic record",)),
    Term("synthetic-twin", "synthetic twin",
         "Synthetic data that stand in for a real file which is not on this machine; their numbers "
         "are not those of real people.", ("twin",)),
    Term("systematic-error", "systematic error",
         "The part of the error that stays when many releases are averaged: how far a count is too "
         "high or too low on average.", ("bias", "biases", "biased")),
    Term("theorem", "theorem",
         "A statement that a paper proves; it holds where its conditions do."),
    Term("topdown", "TopDown",
         "The method of the 2020 US Census: noise for the whole and for each area, and then the "
         "nearest table that adds up."),
    Term("true-delta", "true δ",
         "The smallest δ for which the privacy promise holds at its ε, worked out and not taken "
         "from a paper.", ("exact δ",)),
    Term("unfairness", "unfairness",
         "How differently groups are treated: the largest systematic error of any group minus "
         "the smallest; 0 means that all are moved alike.",
         ("fairness", "unfair", "α")),
    Term("variance", "variance",
         "How much a number jumps from one release to the next: the mean squared distance from its "
         "average."),
)


class Piece(NamedTuple):
    """A part of a text: plain, or a word of the glossary."""

    text: str
    term: Term | None = None


@kept_in_visit  # most texts of a page stay as they are when a slider moves
def found_in(text: str) -> tuple[tuple[int, int, Term], ...]:
    """Where each word of the glossary begins and ends, as often as it stands there."""
    return tuple(
        (*found.span(), _by_spelling()[found.group()]) for found in _pattern().finditer(text))


def marked(text: str, seen: Collection[str] = ()) -> Iterator[Piece]:
    """The text in pieces, with each word of the glossary apart where it stands first; words whose
    slugs are in `seen` are known already."""
    known, last = set(seen), 0
    for start, end, term in found_in(text):
        if term.slug in known:
            continue
        known.add(term.slug)
        if start > last:
            yield Piece(text[last:start])
        yield Piece(text[start:end], term)
        last = end
    if last < len(text):
        yield Piece(text[last:])


def used_in(texts: Iterable[str]) -> list[Term]:
    """The words of the glossary that stand in these texts, in the order of the alphabet."""
    found = {term.slug for text in texts for _, _, term in found_in(text)}
    return [term for term in GLOSSARY if term.slug in found]


def explained(word: str) -> Term:
    """What a word means."""
    if word not in _by_spelling():
        known = ", ".join(term.title for term in GLOSSARY)
        raise InputError(f"There is no word {word!r} in the glossary. It has: {known}.")
    return _by_spelling()[word]


@cache
def _by_spelling() -> dict[str, Term]:
    """Every word by each way to write it."""
    found = {}
    for term in GLOSSARY:
        for spelling in term.spellings:
            found[spelling] = term
            if len(spelling) > 1:
                capital = spelling[0].upper() + spelling[1:]
                found |= dict.fromkeys((capital, f"{spelling}s", f"{capital}s"), term)
    return found


@cache
def _pattern() -> re.Pattern[str]:
    """Any word of the glossary, the longest first."""
    ways = sorted(_by_spelling(), key=len, reverse=True)
    written = "|".join(
        f"{way}(?= ?=)" if len(way) == 1 and way.isascii() else re.escape(way) for way in ways
    )
    return re.compile(rf"(?<![\w-])(?:{written})(?!\w)")

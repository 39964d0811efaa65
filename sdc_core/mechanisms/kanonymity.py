"""k-anonymity, and a version that first leaves out records at random.

Question: what happens to the table when everybody has to share their identifying features with at
least k - 1 others? Records are grouped into classes of k or more, by Mondrian or by full-domain
generalisation; a record is then known by its class only, and to compare tables it draws its
features back from the values of its class. (Sweeney 2002; P1 §5.3, App. B.3, Alg. 5 and 6.)
"""

from __future__ import annotations

import dataclasses
import functools
import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import binom

from sdc_core import hierarchy
from sdc_core.errors import InputError
from sdc_core.histogram import Histogram, as_counts
from sdc_core.keep import kept_with_first
from sdc_core.mechanisms.base import (
    Doing,
    Effort,
    Floats,
    Mechanism,
    MomentsInOneGo,
    repetition_rng,
)
from sdc_core.mechanisms.classes import Classes
from sdc_core.mechanisms.diversity import Diversity, diversity
from sdc_core.mechanisms.moves import Patterns, cells_that_stay, counts_that_stay
from sdc_core.mechanisms.neighbour_tables import (
    NeighbouringTables,
    Support,
    record_neighbours,
)
from sdc_core.mechanisms.own_groups import Hierarchies
from sdc_core.mechanisms.published_groups import moves_to_groups, published_groups
from sdc_core.mechanisms.record_moves import RecordMoves
from sdc_core.mechanisms.swapping import QUASI_IDENTIFIERS
from sdc_core.parameters import EPSILON, THRESHOLD, Choice, Param, Real
from sdc_core.people import Groups
from sdc_core.privacy.guarantee import Facts, Guarantee, Neighbours
from sdc_core.privacy.protection import ODDS_AND_SLACK, Protection

CLASS_SIZE = dataclasses.replace(
    THRESHOLD, title="Smallest group",
    help="Every combination of identifying features that is published is shared by at least k "
    "people. Groups that are smaller are merged with others. Common choices are 3 to 20; k = 1 "
    "changes nothing.",
)
GENERALISED = dataclasses.replace(
    QUASI_IDENTIFIERS, title="Generalised features",
    help="The features that could identify a person. They are published as lists or ranges of "
    "values that at least k people share. All other features stay with their record.",
)
CUTS = Choice(
    name="cuts", title="Records with the middle value",
    default="strict", choices=("strict", "relaxed"),
    titles={"strict": "stay together", "relaxed": "may be divided"},
    help="Groups are cut in two at the middle value. Either all records with that value go to "
    "one side, or they are divided so that both sides are equally large, which gives smaller "
    "groups whose ranges overlap.",
)
ALGORITHM = Choice(
    name="algorithm", title="How features are merged",
    default="mondrian", choices=("mondrian", "full-domain"),
    titles={"mondrian": "group by group (Mondrian)", "full-domain": "full-domain"},
    help="Group by group: each group of people is merged only as far as it needs. Full-domain: "
    "every feature is made coarser for everybody alike, and the few people who are still in "
    "groups smaller than k are left out.",
)
SUPPRESSION_LIMIT = Real(
    name="suppression_limit", title="People who may be left out", symbol="limit",
    default=0.05, low=0.0, high=1.0, slider=(0.0, 0.2), percent=True, advanced=True,
    help="The largest share of people who may be left out so that the features of all others "
    "stay finer. Those left out are not published: the release has fewer people. Of all levels "
    "that keep to this limit, those with the least information loss are taken: the average, over "
    "people and features, of how much of a feature's values a group covers, and all of it for "
    "those left out.",
)
HIERARCHIES = Hierarchies(
    name="hierarchies", title="How values may be grouped",
    default="", tag="(own groups)", advanced=True,
    example="SEX: Any sex = 1, 2\nOWN_RENT: 0 | Household = 1, 2",
    help="One line a feature: its name, a colon, and its groups between bars, such as "
    "`OWN_RENT: 0 | Household = 1, 2`. Values are codes or labels between commas; a group may have "
    "a name. A coarser level follows after `>` and may use the names: "
    "`RAC1P: 1 | Indigenous = 3, 5, 7 | Other = 2, 6, 8, 9 > 1 | Not White = Indigenous, Other`. "
    "All values come together at the end by themselves. Lines may also end with a semicolon, and "
    'what contains one of these signs goes in "quotation marks". Features without a line are '
    "merged as values allow.",
)


@dataclass(frozen=True)
class _Generalising(Mechanism):
    """What both share: classes on the quasi-identifiers, and records drawn back from them."""

    acts_on = "records"

    def patterns(self, table: Histogram) -> Patterns:
        return _patterns(table, self.settings()["quasi_identifiers"])

    def ladders(self, table: Histogram) -> dict[str, hierarchy.Ladder]:
        return hierarchy.ladders(self.settings()["hierarchies"], table.domain)

    def effort(self, table: Histogram) -> Effort:
        """Class by class, as many as there are different records at most; each draws among all
        values of a feature."""
        patterns = self.patterns(table)
        number = len(patterns.sizes)
        values = sum(table.domain.shape[axis] for axis in patterns.qi_axes)
        return Effort(1e-6 * number + 1.5e-8 * number * values, 2e-6 * number, 1e-5 * number)

    def check(self, table: Histogram) -> None:
        self.patterns(table)
        self.ladders(table)
        k = self.settings()["k"]
        if table.total < k:
            raise InputError(
                f"k must be at most the number of records, {table.total}, got {k}. With fewer "
                "records than k no group is large enough."
            )

    def worst_neighbours(self, facts: Facts) -> Sequence[NeighbouringTables]:
        """One person unlike all the others, in a table with people enough for a group."""
        settings = self.settings()
        if settings["hierarchies"]:
            raise InputError(
                "An audit plays with small tables, which do not have the values of hierarchies of "
                "your own. Try without hierarchies."
            )
        return record_neighbours(settings["quasi_identifiers"], settings["k"] + 1, values=3)

    @abstractmethod
    def published_classes(self, table: Histogram, seed: int = 0) -> Classes:
        """The classes that the release of this seed publishes."""

    def published_groups(self, table: Histogram, seed: int) -> Groups:
        """The people of the release of this seed, each known by the values of the class."""
        return published_groups(self.published_classes(table, seed))

    def record_moves(self, table: Histogram, seed: int) -> RecordMoves:
        """Each record as its class is published; nobody is drawn back to single values."""
        return moves_to_groups(self.published_classes(table, seed))

    def generalised_table(self, table: Histogram, seed: int = 0) -> pd.DataFrame:
        """What would be published: each class's values in words, and how many people it has.

        Where people are left out by rule, a last line says how many.
        """
        return self.published_classes(table, seed).published_table()

    def groups_sentence(self, table: Histogram, seed: int = 0) -> str:
        """How many groups are published, how large, and who is missing."""
        return self.published_classes(table, seed).sentence()

    def diversity(self, table: Histogram, sensitive: str, seed: int = 0) -> Diversity:
        """ℓ-diversity and t-closeness: what does a class still say about a sensitive feature?"""
        return diversity(self.published_classes(table, seed), sensitive)

    def _named(self, data: Histogram | Iterable[int]) -> Histogram:
        if not isinstance(data, Histogram):
            raise InputError(f"{self.name} needs a table with named features, not bare counts.")
        self.check(data)
        return data


@dataclass(frozen=True)
class KAnonymity(MomentsInOneGo, _Generalising):
    """What does sharing one's features with k - 1 others do? (Sweeney 2002; P1 Def. 4, Alg. 5)

    The classes follow from the data alone; given its class, each record draws its values by
    itself. So every count is a sum of binomials and all moments are exact. With k = 1 every
    combination is a class of its own and the table is unchanged; if all features are
    quasi-identifiers only the number of people stays fixed. Full-domain generalisation may leave
    out records, always the same ones: then the release has fewer people.
    """

    name = "k-anonymity"
    does = Doing.MERGING
    title = "k-anonymity"
    plain = "Merge small groups"
    doing = "merging small groups"
    family = "sdc"
    summary = "Merges groups until each combination of identifying features has k people or more."
    citation = "Sweeney 2002; LeFevre, DeWitt and Ramakrishnan 2006; Zhu et al. 2023 (P1) Alg. 5"
    protection = Protection(
        what="Only which record is whose: identifying features are known by group, and a group "
        "has at least k people.",
        where="Not to the other features: counts by all of them come out exactly, and a whole "
        "group may share one sensitive value.",
        unit="A group of k people or more, not a person.",
        measured="Not at all: the groups follow from the data by a fixed rule, so no bound on "
        "odds follows.",
        how_much="k people. There is no ε; some tables that differ in one person can always be "
        "told apart (δ = 1).",
    )

    k: int = CLASS_SIZE.field()
    quasi_identifiers: tuple[str, ...] = GENERALISED.field()
    algorithm: str = ALGORITHM.field()
    cuts: str = CUTS.field()
    suppression_limit: float = SUPPRESSION_LIMIT.field()
    hierarchies: str = HIERARCHIES.field()

    def relevant_params(self) -> tuple[Param, ...]:
        idle = "cuts" if self.algorithm == "full-domain" else "suppression_limit"
        return tuple(param for param in self.params() if param.name != idle)

    @property
    def leaves_out(self) -> bool:
        """May people be left out of the release?"""
        return self.algorithm == "full-domain" and self.suppression_limit > 0

    def classes(self, table: Histogram) -> Classes:
        """Who shares a class: the same for every release of this table."""
        self.check(table)
        patterns = self.patterns(table)
        if self.algorithm == "full-domain":
            return _full_domain(patterns, self.k, self.suppression_limit, self.hierarchies)
        return _mondrian(patterns, self.k, self.cuts, self.hierarchies)

    def same_up_to(self, param: str, table: Histogram) -> float | None:
        """Up to the smallest class of all: every cut that was made is then allowed as before, and
        none that was refused becomes so."""
        if param != "k":
            return None
        parts = self.classes(table).parts
        return float(np.bincount(parts.classes, parts.sizes).min(initial=np.inf))

    def exact_moments(self, data: Histogram | Iterable[int]) -> tuple[Floats, Floats, Floats]:
        table = self._named(data)
        mean, variance, absolute = self.classes(table).moments()
        return mean - table.counts, variance, absolute

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        classes = self.classes(table)
        return np.concatenate([classes.draw([rng]) for rng in rngs])

    def published_classes(self, table: Histogram, seed: int = 0) -> Classes:
        """The rule is fixed, so the seed changes nothing."""
        return self.classes(table)

    def guarantee_from(self, facts: Facts) -> Guarantee:
        return Guarantee.of_log_rest(
            None, None, -math.inf, neighbours=Neighbours.ONE_RECORD,
            invariants=self.published_exactly(facts.table), citation=self.citation,
            remark="No formal guarantee: the groups follow from the data by a fixed rule, so some "
            "tables that differ in one person never look alike. A group of k people may also have "
            "one and the same value of a sensitive feature; then being in the group gives it away."
            + self._left_out_words(facts.table)
            + (" With k = 1 nothing is merged: the table is published as it is." * (self.k == 1)),
        )

    def support(self, table: Histogram) -> Support:
        """Where nobody is left out, counts by the features that are not merged stay."""
        return Support.of_sums(
            table, [] if self.leaves_out else cells_that_stay(self.patterns(table)))

    def share_of_records(self, table: Histogram) -> float:
        if not self.leaves_out or not table.total:
            return 1.0
        return 1 - self.classes(table).left_out / table.total

    def published_exactly(self, table: Histogram | None) -> tuple[str, ...]:
        return () if self.leaves_out else counts_that_stay(table, self.quasi_identifiers)

    def _left_out_words(self, table: Histogram | None) -> str:
        if not self.leaves_out:
            return ""
        if table is None:
            return " People in groups smaller than k are left out, so the release has fewer people."
        number = self.classes(table).left_out
        return (
            f" {number:,} of {table.total:,} people are in groups smaller than k at the levels "
            "that were chosen; they are left out of the release."
            if number else " At the levels that were chosen nobody had to be left out."
        )


@dataclass(frozen=True)
class DpKAnonymity(_Generalising):
    """What does leaving out records at random before k-anonymity change? (P1 Thm 5, 6, Alg. 6)

    Each record is kept with β = 1 - e^(-ε); the rest is k-anonymity on those kept. As in the
    paper the result is not scaled up: it has about β times as many people as the data, so
    ‖bias‖₁ is at least (1 - β) m. A sample of fewer than k records is released as an empty table.
    """

    name = "dp-k-anonymity"
    does = Doing.SAMPLING
    title = "DP k-anonymity"
    plain = "Sample, then merge"
    doing = "sampling, then merging"
    family = "dp-sdc"
    counterpart = "k-anonymity"
    summary = "Leaves out records at random, then merges groups until each has k people or more."
    citation = "Zhu et al. 2023 (P1) Thm 5, Thm 6, Alg. 6; Li, Qardaji and Su 2011"
    protection = Protection(
        what="Everything a person answered, but only by the chance of having been left out of the "
        "sample.",
        where="To records that happen to be left out. Those that are kept go through k-anonymity, "
        "which promises nothing by itself.",
        unit="One person, whose answers may change; how many people there are in the data counts "
        "as known.",
        measured=ODDS_AND_SLACK,
        how_much="ε sets the share that is kept, β = 1 − e^(−ε), and δ is at most β: 63% at ε = 1. "
        "What k adds is not known.",
    )

    epsilon: float = EPSILON.field()
    k: int = CLASS_SIZE.field()
    quasi_identifiers: tuple[str, ...] = GENERALISED.field()
    cuts: str = CUTS.field()
    hierarchies: str = HIERARCHIES.field()

    @property
    def beta(self) -> float:
        """β = 1 - e^(-ε), the chance that a record is kept."""
        return -math.expm1(-self.epsilon)

    def share_of_records(self, table: Histogram) -> float:
        return self.beta

    def classes(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Classes:
        """A random sample for each generator, and the classes of all samples."""
        self.check(table)
        patterns = self.patterns(table)
        samples = np.stack([rng.binomial(patterns.sizes, self.beta) for rng in rngs])
        return Classes.of(patterns, samples, self.k, self.cuts, self.ladders(table))

    def draw_tables(self, table: Histogram, rngs: Sequence[np.random.Generator]) -> Floats:
        return self.classes(table, rngs).draw(rngs)

    def published_classes(self, table: Histogram, seed: int = 0) -> Classes:
        """The classes of the sample that belongs to this seed."""
        return self.classes(table, [repetition_rng(seed, 0)])

    def support(self, table: Histogram) -> Support:
        """No more people with the same other features than there are; without merging, no more in
        any group."""
        most = table.counts.astype(np.float64)
        if self.k > 1:
            for cells in cells_that_stay(self.patterns(table)):
                most[cells] = most[cells].sum()
        return Support(np.zeros(len(most)), most)

    def merge_probability(self, counts: Histogram | Iterable[int]) -> Floats:
        """How likely is a group too small in the sample to stand alone? Pr[Bin(x, β) < k].

        P1 Thm 6: for x >= k this is the bias of "is merged"; smaller groups always are.
        """
        return np.asarray(binom.cdf(self.k - 1, as_counts(counts), self.beta), dtype=np.float64)

    def guarantee_from(self, facts: Facts) -> Guarantee:
        _, at = least_not_above_mean(self.epsilon)
        log_least, _ = least_not_above_mean(self.epsilon, facts.cap_up_to(at))
        merged = self.k > 1
        return Guarantee.of_log_rest(
            self.epsilon, 2 * log_least, -self.epsilon,
            neighbours=Neighbours.ONE_RECORD, invariants=(), citation=self.citation,
            remark="Valid but weak. Only leaving out records at random is counted, with δ = β, "
            f"the chance of being kept ({self.beta:.3g}): a person who is the only one of a kind "
            "shows whenever kept. The paper's δ is larger: it bounds how often the loss is above "
            "ε, which is more often than δ. k does not enter either. "
            + ("That δ is the sample's. Merging groups afterwards can only lower it, so it is an "
               "upper bound. " if merged else "With k = 1 no groups are merged, and δ is exact. ")
            + "The released table is not scaled up: it has about β times as many people.",
            # In a sample, one of w alike who leaves them for a kind of their own is given away by
            # a loss of ln(w / (w - j)) if j are kept: above ε if j > β w.
            log_within=None if merged else log_least,
            is_bound=merged, added_epsilon=self.epsilon,
        )


@functools.lru_cache(maxsize=1024)
def least_not_above_mean(epsilon: float, cap: int | None = None) -> tuple[float, int]:
    """The least Pr[Bin(w, β) <= ⌊β w⌋] over w >= 1 (up to the cap), as a logarithm, and its w.

    P1 Thm 5 is δ = 1 - its square. No scan over all w is needed:
    - While ⌊β w⌋ = m stays, the chance falls with w, so only the last w of each m counts (or B).
    - If q = 1 - β is at most 1/4, w = 1 is the worst: its chance is q, and as long as q w <= 1 it
      is 1 - (1 - q)^w >= q, beyond that above 1/4 (Greenberg and Mohri 2014).
    - Else the least is at most 0.45 for m = 0, unless β is from 0.5 to 0.55. By Berry and Esseen
      (constant 0.4748) the chance is at least Φ(-1/σ) - 0.4748/σ, σ² = w β q: above 0.45 from
      σ² = 310 on, that is from m = 310/q <= 1240 on. So 1300 m are enough.
    - For β just above one half the last w are 2m + 1 up to some M, and there the chance falls with
      m (Condorcet's jury theorem), to about 1/2 - 0.2/σ at M. The same bound with β² + q² = 1/2,
      1/2 - 0.64/σ, is above that from twelve times as many m on. Where these would be more than
      30,000 (ε within 2e-4 of ln 2) M is still looked at, and what could lie beyond differs from
      it by less than 0.006.
    """
    lost, beta = math.exp(-epsilon), -math.expm1(-epsilon)
    if lost <= 0.25:
        w = np.array([1.0])
    else:
        falling = 0.0 if beta <= 0.5 else lost / max(2 * beta - 1, 1e-15)
        enough = 1300 if falling == 0 else int(min(max(1300, 12 * falling), 30_000))
        m = np.append(np.arange(enough), [math.ceil(falling) - 1, math.ceil(falling)])
        last = np.ceil((m + 1) / beta) - 1
        w = np.concatenate([last, last - 1, last + 1, [1.0]])  # rounding may put it next to it
        w = w[(w >= 1) & (w <= 1e15)]
    if cap is not None:
        w = np.append(w[w <= cap], float(cap))
    # The same event by records left out, at least w - ⌊β w⌋ = ⌈e^(-ε) w⌉: exact for β near one.
    chances = binom.logsf(np.ceil(w * lost * (1 - 1e-12)) - 1, w, lost)
    return float(chances.min()), int(w[int(np.argmin(chances))])


# Kept while a page is used: patterns and classes depend on the table and few settings.
@kept_with_first
def _patterns(table: Histogram, quasi_identifiers: tuple[str, ...]) -> Patterns:
    return Patterns(table, table.domain.axes(quasi_identifiers, "quasi_identifiers"))


@kept_with_first
def _mondrian(patterns: Patterns, k: int, cuts: str, hierarchies: str) -> Classes:
    ladders = hierarchy.ladders(hierarchies, patterns.table.domain)
    return Classes.of(patterns, patterns.sizes, k, cuts, ladders)


@kept_with_first
def _full_domain(patterns: Patterns, k: int, limit: float, hierarchies: str) -> Classes:
    ladders = hierarchy.ladders(hierarchies, patterns.table.domain)
    return Classes.full_domain(patterns, k, limit, ladders)

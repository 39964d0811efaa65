"""What is protected? Five questions that any privacy promise has to answer, and the answers.

An ε says how much, and nothing else. Bailie, Gong and Meng (P3) split a promise into five parts:
what can be protected (the possible data), to where the protection reaches (which of these data
are compared; whatever is published exactly is outside), who the unit is, how a change of the
output is measured, and how much of it is allowed. Two ε can be compared only if the other four
answers agree.

Every mechanism declares its answers here in plain words, in a class variable `protection`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from sdc_core.errors import InputError


@dataclass(frozen=True)
class Protection:
    """The five answers of one mechanism, a sentence or two each."""

    what: str
    where: str
    unit: str
    measured: str
    how_much: str


QUESTIONS: dict[str, str] = {
    "what": "What can be protected?",
    "where": "To where does it reach?",
    "unit": "Who is the unit?",
    "measured": "How is it measured?",
    "how_much": "How much?",
}

_EVERYTHING = "Everything a person answered: any feature of the table may be different."
_PERSON = (
    "One person, whose answers may change to any others. How many people there are counts as known."
)
_ODDS = (
    "By odds: when that person's record changes, no published table becomes more than e^ε times as "
    "likely or unlikely. No exceptions."
)

LAPLACE = Protection(
    what=_EVERYTHING,
    where="All the way: every count gets noise, empty groups and totals included. Nothing is "
    "published exactly.",
    unit=_PERSON,
    measured=_ODDS,
    how_much="ε, set directly; δ = 0. A second table about the same people adds its own ε.",
)
GEOMETRIC = Protection(
    what=_EVERYTHING,
    where="All the way: every count gets whole-number noise, empty groups and totals included. "
    "Nothing is published exactly.",
    unit=_PERSON,
    measured=_ODDS,
    how_much="ε, set directly; δ = 0. A second table about the same people adds its own ε.",
)
DISCRETE_GAUSSIAN = Protection(
    what=_EVERYTHING,
    where="All the way: every count gets bell-shaped whole-number noise, empty groups included. "
    "Nothing is published exactly.",
    unit=_PERSON,
    measured="By odds with an exception: a factor of e^ε, except with a small chance δ. The noise "
    "has its own measure as well, zCDP's ρ = 1/σ².",
    how_much="The noise σ fixes a whole curve of pairs (ε, δ). Which pair is quoted is a choice: "
    "the larger δ, the smaller ε.",
)
SUPPRESSION = Protection(
    what="Small counts only: how many there are in a group of fewer than k people.",
    where="Not to larger groups: every count of k or more is published exactly. A hidden count can "
    "often be worked out from totals.",
    unit="A small group, not a person. People in larger groups are not a unit of anything.",
    measured="Not at all: the rule is fixed and nothing is random, so there are no odds.",
    how_much="k people. There is no ε; some tables that differ in one person can always be told "
    "apart (δ = 1).",
)
DP_SUPPRESSION = Protection(
    what="Meant to be everything a person answered; in effect, whether a count is shown or hidden.",
    where="To counts that happen to be hidden. All others, nearly always those of large groups, "
    "are published exactly.",
    unit="One person, whose answers may change; how many people there are counts as known.",
    measured="By odds with an exception: a factor of e^ε, except with a chance δ.",
    how_much="ε in name, with δ near 1 for people in large groups; exactly 1 where empty groups "
    "are left at zero.",
)
SWAPPING = Protection(
    what="Only quasi-identifiers: the features that are swapped.",
    where="Not to the other features: counts by all features that are not swapped come out "
    "exactly. A record that is not swapped is published as it is.",
    unit="One record, and only its quasi-identifiers.",
    measured="Not at all: the donor is the closest record, a fixed rule apart from ties, so no "
    "bound on odds follows.",
    how_much="The swap rate, a share of records. There is no ε; δ = 1.",
)
DP_SWAPPING = Protection(
    what="Only quasi-identifiers: they may come from another record, nearer ones more often.",
    where="Not to the other features: counts by all of them are released exactly (invariants). For "
    "a person who differs in one of those, δ = 1.",
    unit="One record, and only its quasi-identifiers.",
    measured="By odds with an exception: a factor of e^ε, except with a chance δ, among tables "
    "that agree on all other features.",
    how_much="ε and the swap rate together, with δ near 1. The δ printed in the paper is too "
    "small in some cases.",
)
DP_SWAPPING_UNIFORM = Protection(
    what="Only quasi-identifiers: they are kept, or replaced by any other combination with equal "
    "chance.",
    where="Not to the other features: counts by all of them are released exactly (invariants). For "
    "a person who differs in one of those, δ = 1.",
    unit="One record's quasi-identifiers, or a whole cell's, if cells are moved as one.",
    measured="By odds, among tables that agree on all other features: a factor of e^ε; with a "
    "chance δ of exceptions if whole cells are moved.",
    how_much="ε, which sets the share that is kept. The δ printed for moving cells has a sign "
    "error.",
)
PERMUTATION_SWAPPING = Protection(
    what="The link between the swapped features and those that are neither swapped nor matched.",
    where="Only among data with the same invariants: counts by match and hold features, and counts "
    "by match and swap features, are released exactly.",
    unit="One record (a household, if records are households). Two records that trade places are "
    "two units, so 2ε.",
    measured="By odds: a factor of e^ε for every record that differs. No exceptions within the "
    "invariants.",
    how_much="ε = ln(b + 1) − ln(p/(1 − p)) for a swap rate p up to one half; b is the largest "
    "group of matching records. Larger groups cost more.",
)

SLIDES = "Bailie, Gong and Meng, Can Swapping be Differentially Private? (P3)"
SLIDE_TABLE = f"{SLIDES}, table of examples from the US decennial censuses"


@dataclass(frozen=True)
class Budget:
    """A budget as the slides print it, with what is needed to compute it again.

    Either `rho` and `delta` (zCDP), or `swaps`: pairs of swap rate p and largest stratum b.
    """

    product: str
    printed: str
    rho: float | None = None
    delta: float | None = None
    swaps: tuple[tuple[float, int], ...] = ()


@dataclass(frozen=True)
class CensusSystem:
    """What one method of the US Census answers to the five questions."""

    name: str
    role: str
    protection: Protection
    budgets: tuple[Budget, ...]
    source: str


CENSUS_SYSTEMS: tuple[CensusSystem, ...] = (
    CensusSystem(
        name="TopDown",
        role="2020 Census: redistricting file (PL) and demographic tables (DHC)",
        protection=Protection(
            what="All answers in the edited census file.",
            where="Only among files that agree on what is kept exact: each state's population, "
            "housing units and occupied group quarters in each block, and combinations that "
            "cannot occur.",
            unit="One person.",
            measured="zCDP: an average over the odds, not their worst case; turned into (ε, δ) "
            "afterwards.",
            how_much="One budget for all tables made from it.",
        ),
        budgets=(
            Budget("PL and DHC", "ρ² = 15.29; ε = 52.83 at δ = 1e-10", 15.29, 1e-10),
        ),
        source=f"{SLIDE_TABLE}, after Abowd et al. 2022",
    ),
    CensusSystem(
        name="SafeTab",
        role="2020 Census: detailed race and ethnicity tables (DDHC-A)",
        protection=Protection(
            what="All answers in the edited census file.",
            where="All the way: nothing is kept exact.",
            unit="One person.",
            measured="zCDP, as for TopDown.",
            how_much="A budget of its own, on top of TopDown's: the same people are in both. For "
            "DDHC-B and S-DHC it was still open when the slides were made.",
        ),
        budgets=(Budget("DDHC-A", "ρ² = 19.776; no ε given", 19.776, 1e-10),),
        source=f"{SLIDE_TABLE}, after Tumult Labs 2022",
    ),
    CensusSystem(
        name="Swapping",
        role="What the 2020 Census would have had, had it swapped households",
        protection=Protection(
            what="The link between where a household lives and what is not matched.",
            where="Only among files that agree on what is kept exact, which depends on the match "
            "but is more than TopDown keeps.",
            unit="One household.",
            measured="By odds, the strictest of the measures: a factor of e^ε, no exceptions.",
            how_much="Depends on the swap rate p (5% to 50%) and on the largest group of matching "
            "households b; one budget for all tables made from it.",
        ),
        budgets=(
            Budget(
                "any table", "ε between 9.37 and 19.38",
                swaps=((0.5, 11_691), (0.05, 13_680_081)),
            ),
        ),
        source=f"{SLIDE_TABLE} and table of 2020 swapping settings",
    ),
)

RHO_NOTE = (
    "The slides write ρ² = 15.29 in this table and ρ = 15.29 (2.63 for the redistricting file "
    "alone) in their theorem on TopDown. Their distance takes a square root, so its square is the "
    "ρ of zCDP as usually defined: 15.29 is that ρ. The recomputed ε is 0.01 below the printed "
    "one, which the rounding of ρ in print explains."
)


def zcdp_to_epsilon(rho: float, delta: float) -> float:
    """Which ε does zCDP with this ρ promise at this δ? ε = ρ + 2 √(ρ ln(1/δ)).

    Bun and Steinke 2016, Prop. 1.3. Simple and a little loose: the exact ε is smaller.
    """
    if not rho >= 0:
        raise InputError(f"rho must be at least 0, got {rho}. Try 0.05.")
    if not 0 < delta < 1:
        raise InputError(f"delta must be in (0, 1), got {delta}. Try 1e-10.")
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))

MST = Protection(
    what=_EVERYTHING + " Nothing in the published records is anyone's own.",
    where="All the way: single features and the chosen pairs are seen through noise only, and so "
    "is the choice of pairs. Which values can occur counts as known.",
    unit=_PERSON,
    measured="zCDP, an average over the odds, summed over all looks at the data; then turned into "
    "a factor of e^ε, except with a small chance δ.",
    how_much="ε and δ, set directly; one budget for all tables made from the synthetic records.",
)
AIM = Protection(
    what=_EVERYTHING + " Published records are drawn from a model.",
    where="All the way: every marginal is seen through noise only, and so is the choice of which "
    "to look at. Which values can occur counts as known.",
    unit=_PERSON,
    measured="zCDP, an average over the odds, summed over all rounds, however they go; then turned "
    "into a factor of e^ε, except with a small chance δ.",
    how_much="ε and δ, set directly; one budget for all rounds and for all tables made from the "
    "synthetic records.",
)

TOPDOWN = Protection(
    what="All answers of a person, as far as they leave unchanged what is published exactly.",
    where="Only among tables that agree on what is kept exact: by default the number of people; "
    "by choice also how many live in each area, and which combinations nobody has.",
    unit="A person, whose answers may change; with exact numbers for each area, all answers but "
    "the area.",
    measured="By odds with an exception: a factor of e^ε, except with a small chance δ. Underneath "
    "zCDP's ρ, which adds up over the levels.",
    how_much="ε at the wanted δ, one budget for both levels: all areas together and each area.",
)

K_ANONYMITY = Protection(
    what="Only which record is whose: identifying features are known by group, and a group has at "
    "least k people.",
    where="Not to the other features: counts by all of them come out exactly, and a whole group "
    "may share one sensitive value.",
    unit="A group of k people or more, not a person.",
    measured="Not at all: the groups follow from the data by a fixed rule, so no bound on odds "
    "follows.",
    how_much="k people. There is no ε; some tables that differ in one person can always be told "
    "apart (δ = 1).",
)
DP_K_ANONYMITY = Protection(
    what="Everything a person answered, but only by the chance of having been left out of the "
    "sample.",
    where="To records that happen to be left out. Those that are kept go through k-anonymity, "
    "which promises nothing by itself.",
    unit="One person, whose answers may change; how many people there are in the data counts as "
    "known.",
    measured="By odds with an exception: a factor of e^ε, except with a chance δ.",
    how_much="ε sets the share that is kept, β = 1 − e^(−ε), and δ = β: over half of the people "
    "at ε = 1. k plays no part.",
)

"""What methods of the US Census answer to the five questions, and their budgets recomputed."""

from __future__ import annotations

from dataclasses import dataclass

from sdc_core.mechanisms.base import Family
from sdc_core.privacy.protection import Protection
from sdc_core.privacy.swap_rate import swap_rate_to_epsilon
from sdc_core.privacy.zcdp import zcdp_to_epsilon

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
    family: Family
    role: str
    protection: Protection
    budgets: tuple[Budget, ...]
    source: str


CENSUS_SYSTEMS: tuple[CensusSystem, ...] = (
    CensusSystem(
        name="TopDown", family="dp",
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
        name="SafeTab", family="dp",
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
        name="Swapping", family="sdc",
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


def recomputed(budget: Budget) -> str:
    """The budget computed again from its own formula, in the words of the printed one."""
    if budget.rho is not None and budget.delta is not None:
        epsilon = zcdp_to_epsilon(budget.rho, budget.delta)
        return f"ε = {epsilon:.2f} at δ = {budget.delta:g}"
    epsilons = [swap_rate_to_epsilon(p, b).theorem for p, b in budget.swaps]
    return f"ε between {min(epsilons):.2f} and {max(epsilons):.2f}"


def household_epsilon(rho: float, delta: float, people: int) -> float:
    """zCDP for a group: h people who change together have ρ h², here as ε at this δ."""
    return zcdp_to_epsilon(rho * people**2, delta)

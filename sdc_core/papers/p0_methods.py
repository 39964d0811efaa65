"""P0's methods under its settings, and what is asked of them again and again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sdc_core.data import Dataset
from sdc_core.data.catalogue import FIVE_FEATURES
from sdc_core.experiment import Evaluation, evaluate
from sdc_core.histogram import Histogram
from sdc_core.keep import kept_with_first
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.mechanisms.dp_swapping import AS_IN_DAS_2024
from sdc_core.papers.item import Found

EPSILONS = (0.5, 1.0, 2.0, 4.0)
REPETITIONS = 200  # as the paper says
K = 6
SWAP_RATE: float = AS_IN_DAS_2024["swap_rate"]
NOISE = ("laplace", "dgauss")
DP_SDC = ("dp-sup", "dp-swap")
FOUR = (*NOISE, *DP_SDC)
CHANCE = 2.0  # standard errors within which nothing is said to be lower


def counted(data: Dataset) -> Histogram:
    """By the five features, with the values that occur: the table that the paper's errors of noise
    and suppression come nearest to."""
    return data.histogram(FIVE_FEATURES, "observed")


def the_four(
    epsilon: float, keep_zeros: bool = True, k: int = K, swap_rate: float = SWAP_RATE,
    quasi_identifiers: Sequence[str] = ("RAC1P", "SEX"), require_different: bool = False,
) -> dict[str, Mechanism]:
    """The rows of Table 1 at one ε; donors as in eq. 2, that is any other record."""
    return {
        "laplace": mechanism("laplace", epsilon=epsilon),
        "dgauss": mechanism("discrete-gaussian", epsilon=epsilon),
        "dp-sup": mechanism("dp-suppression", epsilon=epsilon, k=k, keep_zeros=keep_zeros),
        "dp-swap": mechanism(
            "dp-swapping", epsilon=epsilon, swap_rate=swap_rate,
            quasi_identifiers=tuple(quasi_identifiers), require_different=require_different),
    }


def suppression(keep_zeros: bool, k: int = K) -> Mechanism:
    return mechanism("suppression", k=k, keep_zeros=keep_zeros)


def swapping(
    swap_rate: float = SWAP_RATE, require_different: bool = False,
    quasi_identifiers: Sequence[str] = ("RAC1P", "SEX"),
) -> Mechanism:
    return mechanism("swapping", swap_rate=swap_rate, require_different=require_different,
                     quasi_identifiers=tuple(quasi_identifiers))


@kept_with_first
def exact(table: Histogram, method: Mechanism) -> Evaluation:
    """All methods of P0 have a closed form."""
    return evaluate(method, table)


def measured(table: Histogram, methods: Mapping[str, Mechanism], measure: str) -> dict[str, float]:
    return {name: float(getattr(exact(table, one), measure)) for name, one in methods.items()}


# ---- what follows from comparisons --------------------------------------------------------------

# The one that is said to be smaller, the other, and the standard error of their difference.
Pair = tuple[float, float, float]


def all_smaller(pairs: Sequence[Pair]) -> bool | None:
    """Is the first smaller in all pairs? Not known where chance could have turned one round, and
    none is surely the other way."""
    surely = [b - a > CHANCE * error for a, b, error in pairs]
    surely_not = [a - b >= CHANCE * error for a, b, error in pairs]
    return False if any(surely_not) else True if all(surely) else None


def said(pairs: Sequence[Pair], digits: int = 0) -> str:
    return ", ".join(f"{a:,.{digits}f} against {b:,.{digits}f}" for a, b, *_ in pairs)


def smaller_at_each_epsilon(
    pairs: Sequence[Pair], epsilons: Sequence[float], digits: int = 0
) -> Found:
    at = ", ".join(f"{one:g}" for one in epsilons)
    return Found(all_smaller(pairs), f"At ε = {at}: {said(pairs, digits)}.")

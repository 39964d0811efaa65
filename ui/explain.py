"""Code that recomputes what is on screen, and the method behind each page, for those who doubt."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.data import Dataset
from sdc_core.mechanisms.base import Mechanism


def compare_code(
    dataset: Dataset, features: Sequence[str], mechanisms: Sequence[Mechanism], how: str = ""
) -> str:
    """A script that prints the page's numbers with the engine alone; `how` goes to evaluate."""
    source = dataset.id if dataset.origin != "own" else dataset.source
    lines = [
        "import sdc_core as sdc",
        "",
        f"data = sdc.load_dataset({source!r})",
        f"table = data.histogram({list(features)!r})",
        "for mechanism in [",
    ]
    for one in mechanisms:
        relevant = {p.name for p in one.relevant_params()}
        settings = ", ".join(f"{k}={v!r}" for k, v in one.settings().items() if k in relevant)
        lines.append(f"    sdc.mechanism({one.name!r}, {settings}),")
    lines += [
        "]:",
        f"    print(sdc.evaluate(mechanism, table{how}))",
        "    print(mechanism.guarantee(table))",
    ]
    return "\n".join(lines)


COMPARE_METHOD = """
- **Total error**: the expected sum of the absolute differences between published and true counts,
  E‖x̃ − x‖₁, in people.
- **Systematic error**, ‖bias‖₁: what remains of it when many releases are averaged. Noise averages
  out; hiding and rounding do not.
- **Unfairness**, α: the largest bias of any group minus the smallest. Zero means that all groups
  are moved alike.
- **Largest variance**: how much the worst cell jumps from one release to the next.
- **Chance the promise fails**, δ: the true (tight) δ at this ε, not the published one; the page
  *δ versus ε* shows both.

Exact numbers come from closed forms or from sums over the whole law of the noise, not from
repetitions. The papers average 200 releases, which leaves noise in every average and makes ‖bias‖₁
and α come out too large; switch the simulation on to see it. The samplers are for study and
demonstration, not for production release.

Papers: Das, Zhu, Task, Van Hentenryck and Fioretto 2024 (P0); Zhu, Fioretto, Van Hentenryck, Das
and Task 2023 (P1); Das, Tajeddine and Fioretto (P2).
"""

PRIVACY_METHOD = """
- Two tables are **neighbours** if one person's record changes, so that two counts change by one.
- **True δ** is the largest, over all neighbours with counts up to the largest count B, of
  the probability mass by which one table's releases exceed e^ε times the other's. It is computed in
  closed form and checked by enumerating every output of small tables.
- **Published δ** is what the paper's theorem prints: for DP suppression 1 − ¼ e^(−ε(B−k)) (P0 and
  P1, Theorem 1), for the discrete Gaussian the conversion behind P0's Table 1.
- The published bound **fails** where the true δ is larger. That happens for DP suppression when
  empty groups are left at zero, which is the convention of P0's own experiments.
"""


def swap_rate_code(
    dataset: Dataset, features: Sequence[str], match: Sequence[str], rate: float, wanted: float
) -> str:
    """A script that prints the swap-rate page's numbers with the engine alone."""
    source = dataset.id if dataset.origin != "own" else dataset.source
    return "\n".join(
        [
            "import sdc_core as sdc",
            "from sdc_core.privacy.swap_rate import largest_stratum",
            "",
            f"data = sdc.load_dataset({source!r})",
            f"table = data.histogram({list(features)!r})",
            f"largest = largest_stratum(table, match={list(match)!r})",
            "print(largest)",
            f"print(sdc.swap_rate_to_epsilon(rate={rate!r}, stratum_size=largest.size))",
            f"print(sdc.epsilon_to_swap_rates(epsilon={wanted!r}, stratum_size=largest.size))",
        ]
    )


SWAP_RATE_METHOD = """
- **Permutation swapping**: people who agree on the match variables form a group (stratum). In each
  group everybody is selected with probability p; if exactly one is, the selection is made again.
  The swap variable of the selected is then shuffled so that nobody keeps their own.
- **ε, theorem**, with the odds o = p / (1 − p) and the size b of the largest group:
  ln(b + 1) − ln o up to p = 50%, above it the larger of that and ln o. It is 0 for b = 1 and
  infinite at p = 0 and p = 100%. The smallest is ½ ln(b + 1), at o = √(b + 1).
- **ε, exact worst case**: the larger of ln o and ½ ln(D_b / D_{b−2}) − ln o for b of at least 4,
  where D_n counts the shuffles of n values that leave nobody their own; groups of 2 and 3 have
  forms of their own. It was checked by enumerating all data sets and all outcomes of small groups.
  The theorem is never below it and for large groups almost the same.
- **Unit**: ε counts per unit of Hamming distance, the number of records in which two data sets
  differ. Exchanging the values of two people changes two records, so it costs up to 2ε.
- **Subject to invariants**: only data sets are compared that agree on what swapping cannot change:
  the table without the swap variable, and the counts by match and swap variables. Whoever learns
  something from those counts learns it outside this ε, so ε of different schemes, or of methods
  without invariants, cannot be compared by size alone.

Paper: Bailie, Gong and Meng 2023 (P3).
"""

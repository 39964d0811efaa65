"""How numbers came about: exact, or means over how many releases."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.experiment import Evaluation


def precision_text(evaluation: Evaluation) -> str:
    """`exact`, or how many repetitions stand behind the numbers."""
    if evaluation.method == "exact":
        return "exact"
    return f"mean of {evaluation.repetitions} releases"


def precision_sentence(evaluations: Sequence[Evaluation], seed: int) -> str:
    """How the numbers on screen were obtained."""
    simulated = [e for e in evaluations if e.method == "simulated"]
    if not simulated:
        return "Numbers are exact, not simulated."
    numbers = " or ".join(f"{n:,}" for n in sorted({e.repetitions for e in simulated}))
    means = f"means over {numbers} releases (seed {seed}), ± one standard error"
    lead = "Numbers are" if len(simulated) == len(evaluations) else (
        "Numbers are exact; those with ± are"
    )
    return (
        f"{lead} {means}. Averages of so few releases are still noisy, which makes their "
        "systematic error, unfairness and largest variance come out too large."
    )

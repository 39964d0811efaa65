"""How numbers came about, exact or means over how many releases, and how sure that makes them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from sdc_core.experiment import Evaluation
from sdc_core.words.numbers import listed, sensible

# Of many numbers the most extreme one is picked: two standard errors are then passed by chance all
# the time. Three keep the chance of a false finding among ten or so below 5%.
OF_MANY = 3.0


def precision_text(evaluation: Evaluation) -> str:
    """`exact`, or how many repetitions stand behind the numbers."""
    if evaluation.method == "exact":
        return "exact"
    return f"mean of {releases_text(evaluation.repetitions)}"


def with_error(value: float, error: float, say: Callable[[float], str] = sensible) -> str:
    """`164`, or `164 ± 3` where it is a mean over releases; of one release no error is known."""
    return say(value) + (f" ± {say(error)}" if 0 < error < math.inf else "")


def releases_text(releases: int) -> str:
    return "one release" if releases == 1 else f"{releases:,} releases"


def or_none_seen(evaluation: Evaluation, value: float, error: float) -> str:
    """The same of a method's error, `0 in 200 releases` where no release had one: without a ± it
    would read as known."""
    if evaluation.method == "simulated" and value == error == 0:
        return f"0 in {releases_text(evaluation.repetitions)}"
    return with_error(value, error)


def mean_is_exact(evaluation: Evaluation) -> bool:
    """Is what many releases would show on average known, and not a mean over those drawn?"""
    if evaluation.method == "exact":
        return True
    return evaluation.mechanism.knows_mean and evaluation.l1_bias_se == 0


def precision_sentence(evaluations: Sequence[Evaluation], seed: int) -> str:
    """How the numbers on screen were obtained, each method with its own number of releases."""
    simulated = [e for e in evaluations if e.method == "simulated"]
    if not simulated:
        return "Numbers are exact, not simulated."
    numbers = sorted({e.repetitions for e in simulated})
    means = f"means over {numbers[0]:,} releases (seed {seed}), ± one standard error"
    if len(numbers) > 1:
        each = listed(list(dict.fromkeys(
            f"{e.repetitions:,} of {e.mechanism.spoken()}" for e in simulated)))
        means = f"means over releases (seed {seed}), ± one standard error: {each}"
    lead = "Numbers are" if len(simulated) == len(evaluations) else (
        "Numbers are exact; those with ± are"
    )
    return f"{lead} {means}."


def too_large_sentence(evaluations: Sequence[Evaluation]) -> str:
    """What comes out too large because averages are noisy; not where the mean is known."""
    simulated = [e for e in evaluations if e.method == "simulated"]
    means_vary = any(e.l1_bias_se for e in simulated)
    named = [
        *(("systematic error", "unfairness") if means_vary else ()),
        *(("largest variance",) if any(e.max_variance_se for e in simulated) else ()),
    ]
    if not named:
        return ""
    return (
        f"Averages of so few releases are still noisy, which makes their {listed(named)} come out "
        "too large."
    )

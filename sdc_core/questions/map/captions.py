"""What a map shows and how its numbers came about, in its caption."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.experiment import Evaluation
from sdc_core.metrics.areas import AreaComparison, Measure
from sdc_core.words.evaluations import precision_text


def invented_words(comparison: AreaComparison) -> str:
    """What is meant by invented, where the word is used."""
    if not comparison.words.split:
        return ""
    return "Invented are people who are put into groups that have nobody" + (
        "." if comparison.measure == "l1_bias" else "; they are counted apart.")


def weight_sentence(comparison: AreaComparison, weight: str | None) -> str:
    """What is counted: survey records, or the people that they stand for."""
    if comparison.weighted:
        return (
            f"Weighted: an error of one record counts as many people as a record of that group "
            f"stands for in the survey ({weight}; {comparison.people.sum():,.0f} people in all; "
            "in an empty group, the average record's). The method itself works on records."
        )
    if not comparison.words.weighable:
        return "A share of counts, so survey weights play no part."
    without = ", without survey weights" if weight else ""
    return f"Persons as recorded{without} ({comparison.people.sum():,.0f} in all)."


def precision_words(measure: Measure, evaluations: Sequence[Evaluation], seed: int) -> str:
    """How each method's numbers came about, and where their standard errors are."""
    rough = [e for e in evaluations if not is_exact(measure, e)]
    if not rough:
        return "Numbers are exact, not simulated."
    said = "; ".join(
        f"{e.mechanism.spoken()}: {precision_text(e) if e in rough else 'exact'}"
        for e in evaluations
    )
    noisy = "Averages of so few releases are still noisy: point at a place, or see the table, for "
    noisy += "± one standard error"
    if measure in ("people_bias", "l1_bias"):
        noisy += "; noise makes their systematic error come out too large"
    return f"{said} (seed {seed}). {noisy}."


def is_exact(measure: Measure, evaluation: Evaluation) -> bool:
    """Where only the mean is known exactly, so is what follows from it; a share of hidden counts is
    never simulated."""
    if measure not in ("people_error", "error_rate") and evaluation.l1_bias_se == 0:
        return True
    return evaluation.method == "exact" or measure == "hidden_share"


def yardstick_text(comparison: AreaComparison, said: str) -> str:
    """How the error compares with the survey's own, where what is shown is that error: of one
    release, where people are."""
    shown = comparison.measure in ("people_error", "error_rate")
    return f"{said} Empty groups are left out there." if said and shown and (
        not comparison.weighted) else ""

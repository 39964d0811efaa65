"""Every theorem of the papers as printed, beside the exact value."""

from __future__ import annotations

from sdc_core.papers.item import Attempt
from sdc_core.papers.theorem_check import TheoremCheck
from sdc_core.papers.theorem_errors import on_error_and_fairness
from sdc_core.papers.theorem_promises import on_privacy
from sdc_core.papers.theorem_swapping import on_invariants, on_neighbourhoods, on_swap_rates

__all__ = ["TheoremCheck", "checks"]


def checks(attempt: Attempt) -> list[TheoremCheck]:
    """By paper, and within a paper privacy before error and fairness."""
    found = [*on_privacy(), *on_error_and_fairness(attempt), *on_swap_rates(), *on_invariants(),
             *on_neighbourhoods()]
    return sorted(found, key=lambda one: one.paper)

"""What the two methods of a map are called, and at which ε and δ they are compared."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.areas import AreaComparison, Measure
from sdc_core.parameters import EPSILON
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.words.guarantees import deltas_text

PAPER_EPSILONS = (1.0, 4.0)  # P2 Figure 3 shows both
_WHERE: dict[Measure, str] = {
    "people_error": "leaving out empty groups, ", "error_rate": "leaving out empty groups, ",
    "people_bias": "averaged over many releases and leaving out empty groups, ",
    "l1_bias": "averaged over many releases and with empty groups, ",
}


def at_other_epsilon(mechanisms: Sequence[Mechanism]) -> tuple[Mechanism, ...]:
    """The same methods at the other ε of P2 Figure 3; empty where that says nothing.

    Only where two methods have one ε in common and are exact, so that the sentence costs nothing.
    """
    present = {m.settings()[EPSILON.name] for m in mechanisms if has_epsilon(m)}
    if len(mechanisms) != 2 or len(present) != 1 or not all(m.is_exact for m in mechanisms):
        return ()
    other = next(e for e in reversed(PAPER_EPSILONS) if e not in present)
    return tuple(m.replace(epsilon=other) if has_epsilon(m) else m for m in mechanisms)


def has_epsilon(mechanism: Mechanism) -> bool:
    return EPSILON.name in {p.name for p in mechanism.relevant_params()}


def full_names(comparison: AreaComparison) -> list[str]:
    """With their settings, without which a comparison means nothing; ε is said at the start where
    it is the same."""
    common = common_epsilon(comparison) is not None
    labels = [m.label_without(EPSILON) if common else m.label() for m in comparison.mechanisms]
    if len(set(labels)) < len(labels):
        labels = [f"{label} ({i})" for i, label in enumerate(labels, start=1)]
    return labels


def short_names(comparison: AreaComparison) -> list[str]:
    """The same with numbers alone, for all that follows the headline."""
    common = common_epsilon(comparison) is not None
    names = [m.short_label(EPSILON if common else None) for m in comparison.mechanisms]
    return names if len(set(names)) == len(names) else full_names(comparison)


def common_epsilon(comparison: AreaComparison) -> float | None:
    found = [m.settings()[EPSILON.name] for m in comparison.mechanisms if has_epsilon(m)]
    same = len(found) == len(comparison.mechanisms) and len(set(found)) == 1
    return float(found[0]) if same else None


def lead(comparison: AreaComparison, promised: Sequence[Guarantee] = ()) -> str:
    """Which ε both have, and with which δ where that differs: the same ε alone is not the same
    promise."""
    epsilon = common_epsilon(comparison)
    where = _WHERE.get(comparison.measure, "")
    if epsilon is None:
        return where
    deltas = deltas_text(short_names(comparison), promised) if promised else ""
    return f"At ε = {epsilon:g}{f' {deltas}' * bool(deltas)}, {where}"

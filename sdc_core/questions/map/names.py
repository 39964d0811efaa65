"""What the two methods of a map are called, and at which ε and δ they are compared."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.areas import AreaComparison, Measure
from sdc_core.parameters import EPSILON
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.words.guarantees import deltas_text, promise_word

PAPER_EPSILONS = (1.0, 4.0)  # P2 Figure 3 shows both
_WHERE: dict[Measure, str] = {
    "people_error": "in groups that have people, ", "error_rate": "in groups that have people, ",
    "people_bias": "averaged over many releases, in groups that have people, ",
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
    known = EPSILON if common_epsilon(comparison) is not None else None
    return [m.spoken(known) for m in comparison.mechanisms]


def with_promises(comparison: AreaComparison, promised: Sequence[Guarantee]) -> list[str]:
    """The names, at one ε with what the promise of each is worth where that differs: the same ε
    alone is not the same promise."""
    names = full_names(comparison)
    said = [promise_word(one) for one in promised]
    if common_epsilon(comparison) is None or len(set(said)) < 2:
        return names
    return [
        f"{name[:-1]}, promise {word})" if name.endswith(")") else f"{name} (promise {word})"
        for name, word in zip(names, said, strict=True)
    ]


def deltas_sentence(comparison: AreaComparison, promised: Sequence[Guarantee]) -> str:
    """At one ε, with which δ each has it, where that differs."""
    epsilon = common_epsilon(comparison)
    deltas = deltas_text(full_names(comparison), promised) if epsilon is not None else ""
    return f"The promise of ε = {epsilon:g} comes {deltas}." if deltas else ""


def common_epsilon(comparison: AreaComparison) -> float | None:
    found = [m.settings()[EPSILON.name] for m in comparison.mechanisms if has_epsilon(m)]
    same = len(found) == len(comparison.mechanisms) and len(set(found)) == 1
    return float(found[0]) if same else None


def lead(comparison: AreaComparison) -> str:
    """Which ε both have, and which groups are meant."""
    epsilon = common_epsilon(comparison)
    where = _WHERE.get(comparison.measure, "")
    if epsilon is None:
        return where
    return f"at ε = {epsilon:g}, {where}"

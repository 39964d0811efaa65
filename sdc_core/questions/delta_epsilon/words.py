"""What is promised: sentences of the question about δ and ε."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.mechanisms.base import Mechanism
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.words.guarantees import promise_sentence
from sdc_core.words.numbers import listed


def privacy_sentences(
    mechanisms: Sequence[Mechanism], guarantees: Sequence[Guarantee]
) -> tuple[str, str]:
    """The answer of the δ-versus-ε page: the strongest and the emptiest promise on screen."""
    if not mechanisms:
        return "Choose a method to see what it promises.", ""
    pairs = sorted(zip(mechanisms, guarantees, strict=True), key=lambda p: _weakness(p[1]))
    strongest, emptiest = pairs[0], pairs[-1]
    headline = promise_sentence(strongest[0].label(), strongest[1])
    broken = [m.label() for m, g in zip(mechanisms, guarantees, strict=True) if g.holds is False]
    more = ""
    if emptiest is not strongest:
        more = promise_sentence(emptiest[0].label(), emptiest[1])
    if broken:
        verb = "does" if len(broken) == 1 else "do"
        more += f" The published guarantee of {listed(broken)} {verb} not hold: see below."
    return headline, more.strip()


def _weakness(guarantee: Guarantee) -> tuple[bool, bool, float, float]:
    """The less is promised, the larger: nothing, only in part, more rarely, a larger ε."""
    if not guarantee.formal:
        return True, False, 0.0, 0.0
    return False, guarantee.conditional, -guarantee.log_rest_tight, guarantee.epsilon or 0.0

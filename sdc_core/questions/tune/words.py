"""Sentences of Tune."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.calibrate import EVERYBODY, Solution
from sdc_core.mechanisms.base import Mechanism
from sdc_core.words.guarantees import promise_word
from sdc_core.words.numbers import Sentences, at_the_start, listed
from sdc_core.words.solutions import answer_sentence, method_clause

_IN_HEADLINE = 2


def answer_sentences(
    found: Sequence[Solution], like: Mechanism | None
) -> tuple[str, Sentences]:
    """The answer of two methods, if possible one that promises something and one that does not;
    then the others, and what is promised."""
    first = _told_first(found)
    rest = [one for one in found if one not in first]
    others = "; ".join(method_clause(one) for one in rest)
    return answer_sentence(first, like), Sentences(
        f"{at_the_start(others)}." if others else "", promise_sentence(found))


def _told_first(found: Sequence[Solution]) -> list[Solution]:
    keeping = [one for one in found if _word(one) in ("holds", "holds in part")]
    others = sorted((one for one in found if one not in keeping),
                    key=lambda one: _word(one) != "none")
    chosen = [*keeping[:1], *others[:1]]
    chosen += [one for one in found if one not in chosen]
    told = chosen[:_IN_HEADLINE]
    return [one for one in found if one in told]


def _word(one: Solution) -> str:
    """What is promised where the wish is only just met."""
    return promise_word(one.just.guarantee) if one.just else ""


_SAID = {
    "holds": "keeps its promise", "holds in part": "keeps a promise in part",
    "too slack": "leaves too much slack", "nearly empty": "promises next to nothing",
    "broken": "breaks its published promise", "none": "promises nothing",
}


def promise_sentence(found: Sequence[Solution]) -> str:
    """A setting that meets a wish about error may promise nothing: said of each."""
    met = [one for one in found if one.reached]
    if not met:
        return ""
    clauses = []
    for word, said in _SAID.items():
        named = list(dict.fromkeys(one.mechanism.doing for one in met if _word(one) == word))
        if named:
            clauses.append(f"{listed(named)} {said if len(named) == 1 else _PLURAL[word]}")
    at = "Just there," if len(met) == 1 else "Just at these limits,"
    return f"{at} {'; '.join(clauses)}."


_PLURAL = {
    "holds": "keep their promises", "holds in part": "keep promises in part",
    "too slack": "leave too much slack", "nearly empty": "promise next to nothing",
    "broken": "break their published promises", "none": "promise nothing",
}


def how_sentence(found: Sequence[Solution]) -> str:
    """How the settings were looked for."""
    drawn = [one for one in found if one.method == "simulated"]
    if not drawn:
        return f"All exact.{_of_people(found[0])}"
    said = [
        f"{one.mechanism.doing}: means over {one.repetitions} releases at {one.tried} settings"
        for one in drawn
    ]
    exact = "" if len(drawn) == len(found) else " The others are exact."
    return (f"{at_the_start('; '.join(said))}, so that ends are known to a step of the search "
            f"only.{exact}{_of_people(found[0])}")


def _of_people(found: Solution) -> str:
    """Whom an error is of, where the wish does not say."""
    said = found.whom == EVERYBODY and "{of}" in found.measure.phrase
    return " Errors are of groups that have people." * said

"""Sentences that mention another question lead there: declared, and known."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import sdc_core as sdc
from sdc_core.questions import QUESTIONS, question
from sdc_core.questions.answer import Answer, See
from sdc_core.questions.question import Question
from tests.page_driver import TWIN, opened
from tests.usual import STUDY, usual_answer

every_question = pytest.mark.parametrize("asked", QUESTIONS, ids=lambda q: q.address)


def declared(asked: Question, answer: Answer) -> Iterator[See]:
    yield from (*asked.see, *answer.see)
    for panel in answer.panels:
        yield from panel.see


@every_question
def test_a_question_that_is_mentioned_is_linked(asked: Question) -> None:
    answer = usual_answer(asked.address)
    links = list(declared(asked, answer))
    assert all(question(one.address) is not asked and len(one.says) > 10 for one in links)
    said = "\n".join([asked.method, answer.headline, answer.more, *(
        text for p in answer.panels for text in (p.caption, p.note, *p.prose))])
    mentioned = {
        other.address for other in QUESTIONS
        if re.search(rf"\bpages? \*?“?{re.escape(other.title)}(?!\w)", said)
    }
    assert mentioned <= {one.address for one in links}


def test_some_are_mentioned() -> None:
    """Else the test above would prove nothing."""
    assert sum(bool(re.search(r"\bpage \*?δ versus ε", q.method)) for q in QUESTIONS) >= 3


def test_a_broken_promise_leads_to_its_proof_and_only_that() -> None:
    """Compare says that a guarantee is not true; where none is broken, there is nothing to see."""
    broken = sdc.mechanism("dp-suppression")
    sound = sdc.mechanism("laplace")

    def leads(*methods: sdc.Mechanism, empty: str = "left") -> list[str]:
        study = sdc.Study(STUDY.dataset, methods=methods, empty_groups=empty)
        return [one.address for one in sdc.ask("compare", study).see]

    assert "delta_epsilon" in leads(sound, broken)
    assert "delta_epsilon" not in leads(sound)


def test_empty_groups_lead_on_only_where_there_are_any() -> None:
    full = sdc.Study(STUDY.dataset, ["SEX"], methods=[sdc.mechanism("laplace")])
    assert (full.table.counts > 0).all()
    assert [one.address for one in sdc.ask("compare", full).see] == []
    sparse = sdc.Study(STUDY.dataset, methods=[sdc.mechanism("laplace")])
    assert [one.address for one in sdc.ask("compare", sparse).see] == ["sparsity"]


def test_the_page_links_to_the_page_and_python_says_which() -> None:
    app = opened(TWIN)
    links = [(p.proto.page, p.proto.label.replace("\\", "")) for p in app.main.get("page_link")]
    answer = usual_answer("compare")
    assert {"delta_epsilon", "sparsity"} <= {one.address for one in answer.see}
    for one in (*answer.see, *question("compare").see):
        assert (one.address, f"{one.says} · {question(one.address).title}") in links
    assert "Why a published guarantee is not true: ask delta_epsilon." in str(answer)
    assert {"question": "sparsity", "says": "What empty groups cost"} in answer.to_dict()["see"]

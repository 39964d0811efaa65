"""Words: every technical one that a page uses is explained, once and in plain words, where it first
stands; and text that comes from a file stays text."""

from __future__ import annotations

import html
import math
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from sdc_core.cli import main
from sdc_core.mechanisms import mechanisms
from sdc_core.questions import QUESTIONS
from sdc_core.questions.answer import Answer
from sdc_core.words.glossary import GLOSSARY, explained, found_in, marked, used_in
from tests.marks import unmarked
from tests.page_driver import TWIN, opened
from tests.usual import usual_answer

# What somebody who has never met the subject would have to ask about.
TECHNICAL = (
    "accuracy", "anonymity", "bias", "bound of", "bounds", "cell", "decision tree", "declared",
    "delta",
    "differential privacy", "disclosure control", "donor", "empty group", "epsilon", "fairness",
    "guarantee", "Gaussian", "geometric", "Hamming", "identifier", "invariant", "Laplace",
    "logistic regression", "marginal", "neighbour", "noise", "noisy", "odds", "one of a kind",
    "outsider", "promise", "release", "sampling error", "seed", "sensitive", "sensitivity",
    "simulated", "slack", "slope", "stand-in", "standard error", "suppress", "swap", "synthetic",
    "systematic error", "theorem", "TopDown", "twin", "unfair", "unique", "variance",
)
SYMBOL = re.compile(r"[α-ω]|ℓ|\b[a-z](?= ?=)")
ACRONYM = re.compile(r"\b[a-z]?[A-Z]{2,}\b")
KNOWN_TO_ALL = {"US", "NIST", "PUMA", "CSV", "NA"}  # a country, an office, a column of the data


def texts_of(answer: Answer) -> list[str]:
    said = [answer.headline, answer.more, *(n.text for n in answer.notices)]
    for panel in answer.panels:
        said += [panel.title, panel.caption, panel.note, *panel.prose,
                 *(n.text for n in panel.notices)]
    return said


def technical_words(text: str) -> set[str]:
    """Found without asking the glossary."""
    words = {word for word in TECHNICAL if _spans(word, text)}
    return words | set(SYMBOL.findall(text)) | set(ACRONYM.findall(text)) - KNOWN_TO_ALL


def _spans(word: str, text: str) -> list[tuple[int, int]]:
    """Where it stands, with any ending."""
    ending = r"\w{0,6}\b" if len(word) > 1 else ""
    return [m.span() for m in re.finditer(rf"(?i:{re.escape(word)}){ending}", text)]


def unexplained(text: str) -> set[str]:
    """Technical words that the glossary finds nowhere in the text."""
    found = [(start, end) for start, end, _ in found_in(text)]
    return {
        word for word in technical_words(text)
        if not any(a < end and start < b for a, b in _spans(word, text) for start, end in found)
    }


@pytest.fixture(scope="module")
def answers() -> dict[str, Answer]:
    return {q.address: usual_answer(q.address) for q in QUESTIONS}


@pytest.mark.parametrize("address", [q.address for q in QUESTIONS])
def test_every_technical_word_of_an_answer_has_an_entry(
    address: str, answers: dict[str, Answer]
) -> None:
    assert not unexplained("\n".join(texts_of(answers[address])))


def test_the_list_of_technical_words_is_not_a_dead_letter(answers: dict[str, Answer]) -> None:
    """Most of it is met; and the test above would notice a word without an entry."""
    everything = "\n".join("\n".join(texts_of(a)) for a in answers.values())
    assert {"ε", "δ", "k", "DP", "noise", "promise", "suppress"} <= technical_words(everything)
    assert unexplained("A copula with θ = 3 under RDP, and ε = 1") == {"θ", "RDP"}


@pytest.mark.parametrize("declared", mechanisms(), ids=lambda d: d.name)
def test_every_method_has_an_entry_under_its_own_name(declared: object) -> None:
    title = declared.title  # type: ignore[attr-defined]
    assert [p.text for p in marked(title) if p.term] == [title]


def test_a_definition_is_one_sentence_and_uses_no_undefined_word() -> None:
    for term in GLOSSARY:
        assert re.fullmatch(r"[A-Z][^\n]{20,240}\.", term.means), term.slug
        assert not re.search(r"[.?!] ", term.means), term.slug
        assert not unexplained(term.means), term.slug


def test_no_definition_leads_in_a_circle_of_two() -> None:
    """A word may be used to explain another, but not each the other."""
    uses = {t.slug: {u.slug for u in used_in([t.means])} - {t.slug} for t in GLOSSARY}
    circles = {frozenset((a, b)) for a in uses for b in uses[a] if a in uses[b]}
    # ε, δ and the promise are three parts of one thing: a reader needs all three
    assert {frozenset(c) for c in circles} <= {
        frozenset(("epsilon", "privacy-promise")), frozenset(("delta", "epsilon")),
        frozenset(("delta", "privacy-promise"))}


def test_words_are_in_order_and_no_spelling_is_two_words() -> None:
    slugs = [t.slug for t in GLOSSARY]
    assert slugs == sorted(set(slugs))
    spellings = [s.lower() for t in GLOSSARY for s in t.spellings]
    assert len(spellings) == len(set(spellings))
    for term in GLOSSARY:
        assert all(explained(s) is term for s in term.spellings)


def test_the_longest_spelling_wins_and_letters_are_symbols_only_before_an_equals_sign() -> None:
    def found(text: str) -> list[tuple[str, str]]:
        return [(p.text, p.term.slug) for p in marked(text) if p.term]

    assert found("DP suppression k=6, then suppression") == [
        ("DP suppression", "dp-suppression"), ("k", "k"), ("suppression", "suppression")]
    assert found("Plan b has k people; ask OK = yes") == []
    assert found("k = 6") == [("k", "k")]
    assert found("biased, Biases, noiseless, prenoise") == [("biased", "systematic-error")]
    assert "".join(p.text for p in marked("ε and ε, δ.")) == "ε and ε, δ."
    assert [p.term is not None for p in marked("ε and ε", ())] == [True, False]
    assert [p.term for p in marked("ε and ε", {"epsilon"})] == [None]


class Links(HTMLParser):
    """The links and all other elements of a text, as a browser would find them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[dict[str, str | None]] = []
        self.others: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.links.append(dict(attributes))
        else:
            self.others.append(tag)


def said_by(app: AppTest) -> tuple[str, str]:
    """The answer's HTML, and all Markdown."""
    bodies = [h.proto.body for h in app.get("html")]
    answer = " ".join(b for b in bodies if 'class="answer' in b and "<style" not in b)
    blocks = [*app.main.markdown, *app.main.caption, *app.main.info, *app.main.warning]
    return answer, " ".join(b.value for b in blocks)


@pytest.mark.parametrize("address", ["compare", "delta_epsilon", "protected"])
def test_a_word_is_marked_once_on_a_page_with_its_meaning(address: str) -> None:
    app = opened(TWIN, f"../pages/{address}.py")
    answer, markdown = said_by(app)
    inside = re.findall(r'\]\(glossary#([a-z0-9-]+) "([^"]*)"\)', markdown)
    links = Links(answer).links
    assert all(link["target"] == "_blank" for link in links)  # a visit keeps its file
    in_answer = [(str(link["href"]).removeprefix("glossary#"), link["title"]) for link in links]
    slugs = [slug for slug, _ in [*in_answer, *inside]]
    assert len(slugs) == len(set(slugs)) and len(in_answer) >= 2 and len(inside) >= 2
    assert all({t.slug: t.means for t in GLOSSARY}[s] == m for s, m in [*in_answer, *inside])
    if address != "protected":  # there it is said later
        assert "glossary#epsilon" in answer  # where it stands first, not in a caption
    app.run()  # a page is read from its beginning each time
    assert said_by(app) == (answer, markdown)


HOSTILE = "<img src=x onerror=alert(1)> noise ](javascript:alert(2))"


def test_labels_of_a_file_cannot_become_markup() -> None:
    """A value that holds markup and a word of the glossary, where a sentence names the group."""
    people = pd.DataFrame({
        HOSTILE: ["a", "b"] * 20, "town": [HOSTILE] * 30 + ["North"] * 10,
        "income": ["low", "high"] * 20,
    })
    data = sdc.load_dataset(people)
    for address in ("map", "your_data", "subgroups", "reidentification"):
        found = sdc.ask(address, sdc.Study(data))
        if any(HOSTILE in text for text in texts_of(found)):
            break
    else:
        raise AssertionError("no answer names the value")
    app = AppTest.from_function(_show, args=(found,), default_timeout=60).run()
    assert not app.exception
    answer, markdown = said_by(app)
    assert set(Links(answer).others) <= {"p", "h1"}
    assert not any("javascript" in str(link["href"]) for link in Links(answer).links)
    without = unmarked(markdown)
    assert not re.search(r"(?<!\\)<|(?<!\\)\]\(", without)
    shown = html.unescape(re.sub("<[^>]*>", "", answer)) + without.replace("\\", "")
    assert HOSTILE in shown


def _show(found: object) -> None:
    from ui import render, state

    state.begin("test")
    render.headline(found)
    render.notices(found.notices)
    render.more(found.further)
    render.panels(found.panels, render.Around(lambda name: None))


def test_the_page_lists_every_word() -> None:
    app = opened({}, "../pages/glossary.py")
    body = next(h.proto.body for h in app.get("html") if "<dl" in h.proto.body)
    ids = re.findall(r'<dt id="([^"]+)">', body)
    assert ids == [t.slug for t in GLOSSARY]
    text = html.unescape(re.sub("<[^>]*>", "", body))
    assert all(t.means in text for t in GLOSSARY)
    assert {link["href"] for link in Links(body).links} <= {f"#{slug}" for slug in ids}
    assert not app.sidebar.selectbox and dict(app.query_params) == {}  # it asks nothing


def test_the_methods_are_still_there_after_a_look_at_the_words() -> None:
    app = opened({**TWIN, "m1.epsilon": "0.5"})
    app.switch_page("../pages/glossary.py").run()
    app.switch_page("../pages/delta_epsilon.py").run()
    assert not app.exception
    assert app.select_slider(key="url.m1.epsilon").value == 0.5
    assert app.selectbox(key="url.data").value == "ma2019-twin"


def test_the_command_explains_one_word_or_lists_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["glossary", "bias"]) == 0
    assert explained("systematic error").means in capsys.readouterr().out
    assert main(["glossary"]) == 0
    listed = capsys.readouterr().out
    assert all(t.means in listed for t in GLOSSARY)
    assert main(["glossary", "gobbledygook"]) == 2
    assert "no word 'gobbledygook'" in capsys.readouterr().err


def test_epsilon_limits_chances_and_not_odds() -> None:
    """The truth with odds of e^ε or its opposite: the chance of `yes` moves by e^ε, its odds, as
    they are defined here, by e^2ε."""
    for epsilon in (0.5, 1.0, 3.0):
        yes = math.exp(epsilon) / (1 + math.exp(epsilon))
        assert yes / (1 - yes) == pytest.approx(math.exp(epsilon))  # the other answer: 1 − yes
        moved = (yes / (1 - yes)) / ((1 - yes) / yes)
        assert moved == pytest.approx(math.exp(2 * epsilon))
    means = explained("ε").means
    assert "change the chance of anything published (2.72 at ε = 1, 20 at ε = 3)" in means
    assert [f"{math.exp(1):.2f}", f"{math.exp(3):.0f}"] == ["2.72", "20"]


def test_two_thirds_within_sigma_is_said_of_wide_noise_only() -> None:
    """Whole-number noise of σ = 1: only zero itself, 40%, is closer to zero than σ."""
    def within(sigma: float) -> float:
        draws = np.arange(-2000, 2001)
        weights = np.exp(-draws**2 / (2 * sigma**2))
        return float(weights[np.abs(draws) < sigma].sum() / weights.sum())

    assert within(1.0) < 0.41 and within(50.5) == pytest.approx(0.683, abs=0.002)
    assert "where it is wide, about two thirds" in explained("σ").means

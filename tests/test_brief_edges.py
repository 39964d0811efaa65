"""What a brief says and takes at its edges: the smallest group that is named, the longest text,
one answer or several, one method or three; and pages of an answer that need no network."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

import sdc_core as sdc
from sdc_core.errors import InputError
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms.base import Mechanism
from sdc_core.questions.answer import Answer, Notice, Panel, TableView
from sdc_core.report import brief_file, hurt
from sdc_core.report.brief import YOURS, _limits, answers_of, compose
from sdc_core.report.brief_file import MOST_PINS, MOST_TEXT, Brief, Pin, escaped, read_brief
from sdc_core.report.brief_html import as_html, as_projector_page, fact_text
from sdc_core.report.files import as_html as answer_html
from tests.test_report_edges import RUN, TWIN, answer_of, briefed, chart, item, rows


def pin(panel: str = "", words: str = "") -> Pin:
    assert RUN is not None
    return Pin(RUN, panel, words)


# --------------------------------------------------------------------------------------------- file


def test_texts_of_a_brief_are_taken_up_to_their_limit() -> None:
    full, over = "x" * MOST_TEXT, "x" * (MOST_TEXT + 1)
    Brief(full, full, (pin(words=full),), {"hurt": full})
    for broken in ({"title": over}, {"asked": over}, {"texts": {"hurt": over}},
                   {"pins": (pin(words=over),)}):
        with pytest.raises(InputError, match="has 5,001 characters; at most 5,000 fit"):
            Brief(**broken)  # type: ignore[arg-type]
    assert len(Brief(pins=(pin(),) * MOST_PINS).pins) == 12
    with pytest.raises(InputError, match="at most 12 answers, got 13"):
        Brief(pins=(pin(),) * (MOST_PINS + 1))


def test_a_file_is_read_up_to_its_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Brief("A title", pins=(pin(),)).to_json()
    path = tmp_path / "a.brief.json"
    path.write_text(text)
    for most, taken in ((len(text), True), (len(text) - 1, False)):
        monkeypatch.setattr(brief_file, "MOST_BYTES", most)
        for read in (lambda: Brief.from_text(text), lambda: read_brief([str(path)])):
            if taken:
                assert read().title == "A title"
                continue
            with pytest.raises(InputError, match=r"too large|has at most 0 MB"):
                read()
    monkeypatch.setattr(brief_file, "MOST_BYTES", 30_000_000)
    with pytest.raises(InputError, match="at most 30 MB"):
        Brief.from_text("x" * 30_000_001)


def test_saved_texts_stay_readable_and_cannot_end_their_element() -> None:
    brief = Brief("Genève </script>", "Où?", (pin(words="Zürich"),), {"hurt": "", "limits": "Ñ"})
    for text in (brief.to_json(), brief.carried()):
        assert {"Genève", "Où?", "Zürich", "Ñ"} <= set(text.replace('"', " ").split())
        assert Brief.from_text(text).to_dict() == brief.to_dict()
    assert brief.carried().count("</script>") == 1 and '"hurt"' not in brief.to_json()


def test_a_file_or_runs_in_their_order(tmp_path: Path) -> None:
    paths = []
    for seed in (3, 4):
        run = sdc.ask("swap_rate", sdc.Study(TWIN, seed=seed)).run
        assert run is not None
        paths.append(str(tmp_path / f"{seed}.run.json"))
        Path(paths[-1]).write_text(run.to_json())
    assert [one.run.settings["seed"] for one in read_brief(paths[::-1]).pins] == [4, 3]
    assert [one.run.settings["seed"] for one in read_brief(paths[:1]).pins] == [3]
    (tmp_path / "b.json").write_bytes(b"\xff\xfe\x00")
    for name, reason in (("b.json", "not a text file"), ("none.json", "No such file")):
        with pytest.raises(InputError, match=reason):
            read_brief([str(tmp_path / name)])


@pytest.mark.parametrize(("change", "reason"), [
    ({"pins": {}}, "pins must be a list"), ({"pins": [1]}, "pins must be a list of objects"),
    ({"texts": []}, "texts may be: hurt, promised, limits, recommendation"),
    ({"texts": {"other": "x"}}, "texts may be"), ({"title": 3}, "title must be a text, got 3"),
    ({"pins": [{"run": "x"}]}, "run must be an object, got 'x'"),
    ({"version": 2}, "has version 2; this program reads version 1"),
    ({"format": "other"}, "lacks \"format\": \"sdc-brief\""),
])
def test_what_does_not_fit_is_one_sentence(change: dict[str, object], reason: str) -> None:
    text = json.dumps({**Brief("A title", pins=(pin(),)).to_dict(), **change})
    with pytest.raises(InputError) as problem:
        Brief.from_text(text)
    assert reason in str(problem.value) and str(problem.value).count("\n") == 0


def test_an_empty_line_starts_a_paragraph_of_the_author_s() -> None:
    assert escaped(" a < b \n\n \n c\nd ") == "<p>a &lt; b</p><p>c\nd</p>"


# ----------------------------------------------------------------------------------------- document


def test_an_answer_that_was_pinned_twice_is_asked_once_and_shown_twice() -> None:
    brief = Brief(pins=(pin(), pin("", "Mine."), pin()))
    first, second, third = answers_of(brief)
    assert first is second is third
    made = compose(brief, [first] * 3)
    assert [one.own_words for one in made.items] == [False, True, False]
    assert made.items[1].said == ("Mine.",) and made.items[1].computed == made.items[0].said
    assert len(made.appendix) == 1 and len(made.stamps) == 1
    last = made.sections[-1]
    assert (last.title, last.said, last.own_words, last.to_fill) == (YOURS, (), False, True)
    written = compose(dataclasses.replace(brief, texts={"recommendation": " Do it. "}), [first] * 3)
    last = written.sections[-1]
    assert (last.said, last.own_words, last.to_fill) == (("Do it.",), True, False)


def test_limits_name_what_the_numbers_hang_on() -> None:
    real = sdc.load_dataset(rows(60))
    exact, drawn = answer_of(), answer_of(computed="from 20 releases", data=real)
    one = " ".join(_limits([item(exact)]))
    assert "synthetic" in one and "of one table (people counted by sex)" in one
    assert "not exact" not in one and "one release each" not in one
    two = " ".join(_limits([item(drawn), item(drawn)]))
    assert "synthetic" not in two and "not exact, but from 20 releases: another seed" in two
    assert "one release each" in two and "of one table" in two
    about = drawn.provenance
    assert about is not None
    other = dataclasses.replace(drawn, provenance=dataclasses.replace(
        about, settings=("people counted by age",)))
    assert "of these tables (people counted by sex; people counted by age)" in " ".join(
        _limits([item(drawn), item(other)]))
    elsewhere = dataclasses.replace(drawn, provenance=dataclasses.replace(
        about, own_data="Alabama: published"))
    assert len(list(_limits([item(elsewhere)]))) == 1


# -------------------------------------------------------------------------------------- who is hurt


def counted(*people: int, values: int = 2) -> Histogram:
    """A value of one feature each; a second feature has one value or two, half of them each."""
    half = np.repeat(np.array(people) // values, values)
    names = tuple(f"v{i}" for i in range(len(people)))
    kinds = tuple("xy"[:values])
    return Histogram(half, Domain((
        Feature("f", "Kind", names, names), Feature("g", "Other", kinds, kinds))))


def noise(epsilon: float) -> Mechanism:
    return sdc.mechanism("laplace", epsilon=epsilon)


def said_of(table: Histogram, *methods: Mechanism) -> list[str]:
    return list(hurt.hurt_sentences(table, [sdc.evaluate(one, table) for one in methods]))


def test_a_group_of_twenty_is_named_and_one_of_nineteen_is_not() -> None:
    for people in (18, 20):
        found = {one.value for one in hurt.hits(counted(people, 400), sdc.evaluate(
            noise(1), counted(people, 400)))}
        assert ("v0" in found) == (people >= 20) and "v1" in found
    (nobody,) = said_of(counted(4, 6), noise(1))
    assert "has 20 people or more, so nobody is named" in nobody
    assert not [one for one in hurt.hits(counted(40, 50, values=1), sdc.evaluate(
        noise(1), counted(40, 50, values=1))) if one.feature == "other"]


def test_up_to_three_groups_are_named_and_more_are_not() -> None:
    (three,) = said_of(counted(20, 20, 20, 400), noise(1))
    assert all(f"“v{i}” (20 people)" in three for i in range(3)) and "off by up to" in three
    (four,) = said_of(counted(20, 20, 20, 20, 400), noise(1))
    assert "hits no group that can be named harder" in four
    (single,) = said_of(counted(20, 400), noise(1))
    assert "“v0” (20 people) hardest: for every 1,000 of them, counts are off by " in single
    assert "up to" not in single


def test_methods_that_hit_the_same_group_are_one_sentence() -> None:
    table = counted(20, 400)
    for methods, start in (
        ([noise(1)], "Adding noise (ε = 1) hits "),
        ([noise(1), noise(2)], "Adding noise (ε = 1) and adding noise (ε = 2) hit "),
        ([noise(1), noise(2), noise(3)], "All 3 methods hit "),
    ):
        (said,) = said_of(table, *methods)
        assert said.startswith(start), said
        assert (", in this order;" in said) == (len(methods) == 2)
        rates = [hurt.hits(table, sdc.evaluate(m, table))[0].rate for m in methods]
        low, high = (hurt.sensible(one) for one in (min(rates), max(rates)))
        text = said.split("them, counts are off by ")[1].split(";")[0]
        assert text.startswith([low, f"{high} and {low}", f"{low} to {high}"][len(methods) - 1])


def test_who_changes_nothing_is_said_to() -> None:
    table = counted(40, 400)
    assert said_of(table, sdc.mechanism("suppression", k=3), noise(1))[0].endswith(
        "changes no count that has people.")


# -------------------------------------------------------------------------------------------- pages


def test_a_brief_s_pages_carry_all_of_it() -> None:
    shown, _ = briefed()
    page, slides = as_html(shown), as_projector_page(shown)
    for text in (page, slides):
        assert Brief.from_text(text).to_dict() == shown.brief.to_dict()
        assert text.count("<b>Synthetic twin</b> Here <b>Real records</b> There")
        assert text.count('<div class="own">') == 2 and text.count('class="fill"') == 1
        assert "<title>A title</title>" in text and text.count("plotly-graph-div") >= 1
    assert page.count('<article class="item">') == 3 and slides.count('class="slide"') == 1 + 3 + 3
    assert slides.count('<div class="notes">') == 3  # how to go on, and beside two drawings
    assert '<details class="appendix"><summary>' in page
    assert '<details class="appendix" open><summary>' in as_html(shown, appendix_open=True)
    assert "<dt>seed</dt><dd>5</dd>" in page and "<dt>controls</dt><dd>view: x</dd>" in page


@pytest.mark.parametrize(("value", "text"), [
    ({}, "none"), ([], "none"), ({"a": 1, "b": 2}, "a: 1; b: 2"), (["x", 2], "x; 2"), (3, "3")])
def test_facts_stand_on_one_line(value: object, text: str) -> None:
    assert fact_text(value) == text


def test_an_answer_as_a_page_has_the_library_once_and_tables_where_they_are_the_picture() -> None:
    found = answer_of(
        Panel("a", "Words", "A <caption>.", "<i>drawn</i>", prose=("Told.",), note="After."),
        Panel("b", "Charts", drawing=(chart(), chart()), alt='In "words".',
              make_table=lambda: rows(501)),
        Panel("c", drawing=(go.Figure(),)), Panel("d", "Rows", drawing=TableView(rows(2))))
    found = dataclasses.replace(found, notices=(Notice("Know <this>."),))
    page = answer_html(found)
    assert page.count("Plotly.newPlot(") == 3 and 3e6 < len(page) < 7e6
    assert page.index("Know &lt;this&gt;.") < page.index("<h2>Words</h2>") < page.index("drawn")
    assert page.index("<i>drawn</i>") < page.index("After.") < page.index("<h2>Charts</h2>")
    assert 'role="img" aria-label="In &quot;words&quot;."' in page and page.count("<h2>") == 3
    assert page.count("<details><summary>Table") == 1 == page.count("<details open><summary>Table")
    assert "<td>group 499</td>" in page and "<td>group 500</td>" not in page
    assert "seed: 5; " in page and "<pre>ask(1)</pre>" in page
    assert "<footer>" not in answer_html(Answer("None."))

"""Limits at the limit and one beyond; words that take an s; what is said of settings; files that
are wrong, and runs that lack a part."""

from __future__ import annotations

import dataclasses
import gc
import json

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from sdc_core.questions.reidentification.outsider_words import _look_like_hits
from sdc_core.questions.run_file import Run
from sdc_core.words.glossary import GLOSSARY, found_in
from tests.own_people import own_people
from tests.page_driver import TWIN, opened, uploaded
from tests.test_question_map_words import DP_HIDES, LAPLACE, compared, map_sentences
from ui import own_data, run_files


def saved(study: sdc.Study | None = None) -> Run:
    return Run.of("compare", study or sdc.Study(sdc.load_dataset("ma2019-twin")), {})


def test_a_run_file_has_at_most_twenty_million_letters() -> None:
    text = saved().to_json()
    assert Run.from_json(text.ljust(20_000_000)).question == "compare"
    with pytest.raises(sdc.InputError, match="at most 20 MB"):
        Run.from_json(text.ljust(20_000_001))
    with pytest.raises(sdc.InputError, match="mine is too large"):
        run_files.take(b" " * 20_000_001, "mine")


@pytest.mark.parametrize("number", [50, 51])
def test_a_run_has_at_most_fifty_methods(number: int) -> None:
    document = saved().to_dict()
    document["study"]["methods"] = [{"name": "laplace", "settings": {}}] * number
    if number == 50:
        assert len(Run.from_json(json.dumps(document)).methods) == 50
        return
    with pytest.raises(sdc.InputError, match="more than 50 methods"):
        Run.from_json(json.dumps(document))


@pytest.mark.parametrize("number", [1, 5, 6])
def test_of_what_is_not_declared_five_are_named(number: int) -> None:
    """With more, four are named and the others counted; one takes a verb of its own."""
    values = [f"v{i}" for i in range(number)]
    data = sdc.load_dataset(pd.DataFrame({"kind": ["a", *values] * 4, "sex": "f"}))
    data = data.with_columns([data.column("kind").redeclared("a")])
    (notice,) = sdc.ask("your_data", sdc.Study(data, ["kind"])).notices
    named = [v for v in values if repr(v) in notice.text]
    assert len(named) == (number if number <= 5 else 4)
    assert (" occurs in the file and is not " in notice.text) == (number == 1)
    assert (" occur in the file and are not " in notice.text) == (number > 1)
    assert ("Declare it, or make it a missing" in notice.text) == (number == 1)


def test_a_visit_remembers_schemas_until_there_are_too_many_and_nobody_does_after_it() -> None:
    first = sdc.load_dataset(pd.DataFrame({"a": ["x", "y"], "b": ["x", "y"]})).schema
    copies = [dataclasses.replace(first) for _ in range(501)]
    gc.collect()
    others = len(own_data._seen())  # of other tests, which may still hold on to theirs
    st.session_state[own_data._REMEMBERED] = mine = {}
    names = [own_data.remember(f"{i:064x}"[::-1], copies[i]) for i in range(500)]
    assert len(set(names)) == 1 and len(mine) == 500 == len(own_data._seen()) - others
    oldest = next(iter(mine))
    own_data.remember(f"{0:064x}"[::-1], copies[0])  # asked for again: now the newest
    assert len(mine) == 500 and next(iter(mine)) != oldest
    own_data.remember("f" * 64, copies[500])
    assert len(mine) == 500 and oldest in mine
    another = dataclasses.replace(first)
    st.session_state[own_data._REMEMBERED] = {}  # of another visit, with the same file and schema
    own_data.remember("f" * 64, another)
    del copies, mine
    gc.collect()
    assert len(own_data._seen()) == others + 1
    st.session_state.clear()
    gc.collect()
    assert len(own_data._seen()) == others


@pytest.mark.parametrize(("number", "said"), [
    (1.0, "1 person who looks like a sure hit"), (2.0, "2 people who look like a sure hit"),
    (0.0, "people who look like a sure hit"),
])
def test_one_looks_and_several_look(number: float, said: str) -> None:
    assert _look_like_hits(number).endswith(said)


def test_the_longest_word_of_the_glossary_is_marked() -> None:
    """`privacy loss` is not `privacy` followed by a word; every spelling leads to its own entry."""
    for term in GLOSSARY:
        for spelling in term.spellings:
            text = f"the {spelling} = 1" if len(spelling) == 1 else f"the {spelling} here"
            assert [(text[a:b], one.slug) for a, b, one in found_in(text)] == [
                (spelling, term.slug)], spelling


@pytest.mark.parametrize(("address", "methods", "told"), [
    ("compare", ["laplace"], False), ("compare", ["laplace", "suppression"], True),
    ("theorems", None, True),
])
def test_what_becomes_of_empty_groups_is_told_where_it_matters(
    address: str, methods: list[str] | None, told: bool
) -> None:
    chosen = None if methods is None else [sdc.mechanism(name) for name in methods]
    found = sdc.ask(address, sdc.Study(sdc.load_dataset("ma2019-twin"), methods=chosen))
    assert found.provenance is not None
    settings = found.provenance.settings
    assert any(text.startswith("empty groups ") for text in settings) is told
    assert any(text.startswith("people counted by ") for text in settings)
    assert not any("groups read" in text or "represented" in text for text in settings)


def test_a_run_on_own_data_without_a_schema_is_opened_as_it_is_read() -> None:
    data = sdc.load_dataset(own_people())
    run = saved(sdc.Study(data, ["sex"]))
    assert own_data.SCHEMA in run_files.link_to(run)
    bare = run_files.link_to(dataclasses.replace(run, schema=None))
    assert own_data.SCHEMA not in bare
    assert bare[own_data.FEATURES] == "sex" and bare["data"].startswith("own-")


@pytest.mark.parametrize(("off", "said"), [
    (0.004, "neither Laplace nor DP suppression k=6 is off by a noticeable amount in any place."),
    (40.0, "Laplace is off by 0 people there and DP suppression k=6 by 40; "),
])
def test_at_another_epsilon_nothing_is_made_of_what_nobody_would_notice(
    off: float, said: str
) -> None:
    fours = [m.replace(epsilon=4.0) for m in (LAPLACE, DP_HIDES)]
    then = compared([0.001, 0.001], [off, off], methods=fours)
    more = map_sentences(compared([10.0, 10.0], [20.0, 40.0]), then)[1]
    assert f"at ε = 4, in groups that have people, {said}" in more
    assert ("neither" in more) == (off < 1)


def told(app: AppTest) -> list[str]:
    return [e.value for e in app.error]


def test_a_wrong_file_is_said_until_a_right_one_comes() -> None:
    """Also where the wrong one comes second: then the one before it stays open."""
    app = uploaded(opened(TWIN), b"", "empty.csv")
    assert len(told(app)) == 1 and "empty.csv" in told(app)[0].replace("\\", "")
    app.run()
    assert len(told(app)) == 1  # still in sight
    uploaded(app, own_people(), "mine.csv")
    assert told(app) == [] and app.query_params["data"] != ["ma2019-twin"]
    here = dict(app.query_params)
    uploaded(app, b"", "again.csv")
    assert len(told(app)) == 1 and dict(app.query_params) == here

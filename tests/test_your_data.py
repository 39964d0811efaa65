"""The page "Your data": one table that is edited, and nothing that was said is lost.

Each test does in the page what a person would do, and counts by hand what must then be on screen,
on this page and on the next.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import sdc_core as sdc
from sdc_core.data.editing import DOMAIN
from sdc_core.questions.run_file import Run
from tests import shown
from tests.page_driver import TWIN, answer, edit, link, opened, uploaded

PAGE = "../pages/your_data.py"
COMPARE = "../pages/compare.py"


def people(seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({
        "region": rng.choice(["north", "so, uth", "<b>east</b>"], 300),
        "plz": rng.choice(["01234", "1234", "09999"], 300),
        "age": rng.integers(0, 90, 300), "income": rng.integers(0, 90_000, 300),
    })


def sent(frame: pd.DataFrame) -> bytes:
    return frame.to_csv(index=False).encode()


def own_id(content: bytes) -> str:
    return f"own-{hashlib.sha256(content).hexdigest()[:12]}"


def page_with(frame: pd.DataFrame) -> AppTest:
    return uploaded(opened(TWIN, PAGE), frame)


def columns(app: AppTest) -> pd.DataFrame:
    return app.data_editor[0].value.set_index("column")


def press(app: AppTest, key: str) -> AppTest:
    app.button(key=key).click().run()
    assert not app.exception, [e.value for e in app.exception]
    return app


def test_the_sentence_and_the_table_of_a_file() -> None:
    app = page_with(people())
    assert (
        "mine.csv has 300 records and 4 columns; 3 of them are what an outsider may know, 1 is "
        "sensitive; the groups of the table are read off the data."
    ) in answer(app)
    table = columns(app)
    assert list(table["role"]) == ["place", "quasi-identifier", "quasi-identifier", "sensitive"]
    assert table.loc["plz", DOMAIN] == "01234, 1234, 09999"  # not a number, not merged
    assert table.loc["region", DOMAIN] == '<b>east</b>, north, "so, uth"'
    assert not table["declared"].any()


def test_a_role_changes_the_sentence_here_and_the_study_everywhere() -> None:
    app = edit(page_with(people()), {"age": {"role": "sensitive"}, "plz": {"role": "ignored"}})
    assert "1 of them is what an outsider may know, 2 are sensitive" in answer(app)
    with shown.answers_of_pages() as answers:
        app.switch_page(COMPARE).run()
    data = answers[-1][0].dataset
    assert data.column("age").role is sdc.Role.SENSITIVE and "plz" not in data.features
    app.switch_page(PAGE).run()
    assert list(columns(app)["role"]) == ["place", "ignored", "sensitive", "sensitive"]


def test_what_cannot_be_is_said_once_and_nothing_else_changes() -> None:
    app = edit(page_with(people()), {"age": {"title": "Age in years"}})
    before = (answer(app), link(app), columns(app).to_csv())
    edit(app, {"region": {"type": "number"}, "income": {"title": "Pay"}})
    assert [e.value.replace("\\", "") for e in app.error] == [
        "region cannot be read as a number: it holds "
        f"{people()['region'][0]!r}. Read it as a code, or say that this value means missing."]
    assert (answer(app), link(app), columns(app).to_csv()) == before
    edit(app, {"income": {"title": "Pay"}})
    assert not app.error and columns(app).loc["income", "title"] == "Pay"
    assert columns(app).loc["age", "title"] == "Age in years"


def test_a_type_changed_and_back_is_as_it_was_also_in_the_table() -> None:
    """A column that cannot be counted by leaves the table, and comes back to its place in it."""
    app = page_with(people())
    app.multiselect(key="url.own_features").set_value(["region", "age", "plz"]).run()
    before = (link(app), columns(app).to_csv(), answer(app))
    edit(app, {"age": {"type": "text"}})
    assert app.multiselect(key="url.own_features").value == ["region", "plz"]
    assert link(app)["schema"] != before[0]["schema"]
    edit(app, {"age": {"type": "whole number"}})
    assert (link(app), columns(app).to_csv(), answer(app)) == before


def test_edges_are_counted_by_as_they_were_typed() -> None:
    frame = people()
    app = edit(page_with(frame), {"age": {DOMAIN: "18,65"}})
    assert columns(app).loc["age", DOMAIN] == "18, 65" and columns(app).loc["age", "declared"]
    app.multiselect(key="url.own_features").set_value(["age"]).run()
    assert "the groups of the table are declared" in answer(app)
    with shown.answers_of_pages() as answers:
        app.switch_page(COMPARE).run()
    ages = frame["age"]
    truth = [(ages < 18).sum(), ages.between(18, 64).sum(), (ages > 64).sum()]
    assert answers[-1][0].table.counts.tolist() == truth


def test_an_old_edit_does_not_come_back_when_another_one_overrules_it() -> None:
    """The edges that were typed belong to the number; as a code the column has its own values, and
    a later edit elsewhere does not bring the edges back."""
    app = edit(page_with(people()), {"age": {DOMAIN: "18, 65"}})
    edit(app, {"age": {"type": "code"}})
    edit(app, {"region": {"title": "Where"}})
    seen = [str(v) for v in sorted(set(people()["age"]))]
    assert columns(app).loc["age", DOMAIN] == ", ".join(seen)
    edit(app, {"age": {"type": "whole number"}})
    assert columns(app).loc["age", DOMAIN] == "18, 65"


def test_undo_takes_back_one_change_after_the_other() -> None:
    app = page_with(people())
    assert app.button(key="schema.undo").disabled
    first = columns(app).to_csv()
    edit(app, {"age": {"role": "sensitive"}})
    second = columns(app).to_csv()
    press(app, "schema.declare")
    assert columns(app)["declared"].all()
    press(app, "schema.undo")
    assert columns(app).to_csv() == second
    press(app, "schema.undo")
    assert columns(app).to_csv() == first and app.button(key="schema.undo").disabled


def test_declare_all_and_propose_again() -> None:
    app = press(page_with(people()), "schema.declare")
    assert "the groups of the table are declared" in answer(app)
    assert any("whoever is in the data" in c.value for c in app.caption)
    press(app, "schema.propose")
    assert "the groups of the table are read off the data" in answer(app)
    assert app.button(key="schema.propose").disabled
    press(app, "schema.undo")
    assert "the groups of the table are declared" in answer(app)


def test_words_for_codes_are_typed_and_shown_elsewhere() -> None:
    app = page_with(people())
    app.selectbox(key="url.label_of").set_value("plz").run()
    edit(app, {"01234": {"label": "Ash"}, "1234": {"label": "Elm"}}, editor=1)
    assert list(app.data_editor[1].value["label"]) == ["Ash", "Elm", "09999"]
    assert list(columns(app)["declared"]) == [False] * 4  # words do not declare anything
    with shown.answers_of_pages() as answers:
        app.switch_page(COMPARE).run()
    assert answers[-1][0].dataset.coded("plz")[1].labels == ("Ash", "Elm", "09999")


def test_back_to_an_earlier_link_brings_back_the_columns_of_then() -> None:
    app = page_with(people())
    before = link(app)
    edit(app, {"age": {"role": "sensitive"}})
    after = link(app)
    for key, value in before.items():  # the Back button
        app.query_params[key] = value
    app.run()
    assert columns(app).loc["age", "role"] == "quasi-identifier" and not app.warning
    for key, value in after.items():
        app.query_params[key] = value
    app.run()
    assert columns(app).loc["age", "role"] == "sensitive"


def test_a_link_waits_for_its_file_and_then_shows_the_same() -> None:
    """In a new visit: the question, the table, the methods and the columns as they were declared;
    the file itself is matched by its checksum."""
    frame = people(3)
    app = edit(page_with(frame), {"age": {"title": "Age in years", "type": "code"}})
    app.switch_page(COMPARE).run()
    app.multiselect(key="url.own_features").set_value(["plz", "age"]).run()
    app.select_slider(key="url.m1.epsilon").set_value(0.5).run()
    wanted, said = link(app), answer(app)
    assert wanted["data"] == own_id(sent(frame))
    fresh = opened(wanted)
    assert ["Open that file" in w.value for w in fresh.warning] == [True]
    assert fresh.selectbox(key="url.data").value == link(fresh)["data"] != wanted["data"]
    uploaded(fresh, frame, "renamed.csv")
    assert link(fresh) == wanted and answer(fresh) == said and not fresh.warning


def test_another_file_than_the_links_is_said_in_one_sentence() -> None:
    app = uploaded(opened({"data": own_id(b"something else"), "own_features": "plz"}), people())
    told = [w.value.replace("\\", "") for w in app.warning]
    assert told == ["mine.csv is another file than the link was made with, so it is shown as a new "
                    "one."]
    assert link(app)["data"] == own_id(sent(people()))
    app.query_params["data"] = own_id(b"something else")
    app.run()
    assert ["and not with mine.csv" in w.value.replace("\\", "") for w in app.warning] == [True]
    assert link(app)["data"] == own_id(sent(people()))


def test_a_link_with_columns_that_nobody_knows_here_says_so() -> None:
    app = page_with(people())
    app.query_params["schema"] = "0123456789ab"
    app.run()
    assert ["declared otherwise" in w.value for w in app.warning] == [True]
    assert link(app)["schema"] != "0123456789ab"


def test_a_link_of_before_means_the_file_that_is_open() -> None:
    app = page_with(people())
    app.query_params["data"] = "own"
    app.run()
    assert not app.warning and link(app)["data"] == own_id(sent(people()))


def test_corrections_are_there_when_the_file_is_opened_again() -> None:
    app = edit(page_with(people()), {"age": {"role": "ignored"}})
    next(b for b in app.button if b.label == "Close the file").click().run()
    assert link(app)["data"] == sdc.data.default_id()
    uploaded(app, people(5), "other.csv")
    assert columns(app).loc["age", "role"] == "quasi-identifier"
    uploaded(app, people())
    assert columns(app).loc["age", "role"] == "ignored"


def test_a_schema_is_saved_and_loaded() -> None:
    """What the page hands out is what it takes, and what Python takes."""
    app = press(edit(page_with(people()), {"plz": {"title": "Postcode"}}), "schema.declare")
    with shown.answers_of_pages() as answers:
        app.run()
    saved = answers[-1][0].dataset.schema.to_json()
    fresh = page_with(people())
    fresh.file_uploader(key="upload.schema").set_value(
        ("mine.schema.json", saved.encode(), "application/json")).run()
    assert not fresh.exception and columns(fresh).to_csv() == columns(app).to_csv()
    press(fresh, "schema.undo")
    assert not columns(fresh)["declared"].any()


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"\xff\xfe\x00", "not a schema"), (b"{", "not JSON"), (b"[]", "neither a schema"),
     (json.dumps({"columns": [{"name": "nobody"}]}).encode(), "which mine.csv does not have"),
     (json.dumps({"columns": [{"name": "region", "type": "number"}]}).encode(), "it holds")],
)
def test_a_schema_that_does_not_fit_is_one_sentence(content: bytes, words: str) -> None:
    app = page_with(people())
    before = columns(app).to_csv()
    app.file_uploader(key="upload.schema").set_value(("s.json", content, "application/json")).run()
    assert len(app.error) == 1 and words in app.error[0].value.replace("\\", "")
    assert columns(app).to_csv() == before and not app.exception


GERMAN = "ort;größe\n" + "Köln;1,5\nBonn;2,25\nKöln;3,75\n" * 20


def chosen(app: AppTest, title: str, value: str) -> AppTest:
    """Read the file otherwise."""
    next(s for s in app.selectbox if s.label == title).set_value(value).run()
    assert not app.exception, [e.value for e in app.exception]
    return app


def test_how_a_file_was_read_is_said_and_can_be_changed() -> None:
    """Windows-1252 is what it is; as Mac Roman the same bytes are other letters, and Undo or Back
    bring back what was."""
    content = GERMAN.encode("cp1252")
    app = uploaded(opened(TWIN, PAGE), content, "orte.csv")
    assert any("orte.csv: CSV, read as Windows-1252, separated by semicolons." in c.value.replace(
        "\\", "") for c in app.caption)
    first = link(app)
    assert list(columns(app).index) == ["ort", "größe"] and "encoding" not in first
    chosen(app, "Encoding", "mac-roman")
    wrong = content.decode("mac-roman").split("\n")[0].split(";")
    assert list(columns(app).index) == wrong and link(app)["encoding"] == "mac-roman"
    second = link(app)
    press(app, "schema.undo")
    assert list(columns(app).index) == ["ort", "größe"] and link(app) == first
    for key, value in second.items():  # a link to it as it was read
        app.query_params[key] = value
    app.run()
    assert list(columns(app).index) == wrong and not app.warning
    chosen(app, "Separator", ",")
    assert len(app.error) == 1  # a table needs two columns: the sentence of the reader
    assert list(columns(app).index) == wrong and link(app)["encoding"] == "mac-roman"


def test_what_was_said_about_columns_stays_when_only_letters_change() -> None:
    content = "place;size\n" + "Köln;15\nBonn;22\nKöln;37\n" * 20
    app = uploaded(opened(TWIN, PAGE), content.encode("cp1252"), "orte.csv")
    edit(app, {"size": {"title": "Size", "role": "sensitive"}})
    chosen(app, "Encoding", "iso-8859-1")
    assert columns(app).loc["size", "title"] == "Size"
    assert columns(app).loc["size", "role"] == "sensitive"


def test_a_run_keeps_how_the_file_was_read(tmp_path: Path) -> None:
    path = tmp_path / "orte.csv"
    path.write_bytes(GERMAN.encode("cp1252"))
    app = chosen(uploaded(opened(TWIN, PAGE), path.read_bytes(), path.name), "Encoding", "cp1250")
    with shown.answers_of_pages() as answers:
        app.run()
    saved = Run.from_json(answers[-1][1].run.to_json())
    assert saved.data.read_as == {"encoding": "cp1250"}
    again = sdc.run(saved, data=path)
    assert again.provenance.dataset.reading.encoding == "cp1250"
    assert again.headline == answers[-1][1].headline
    assert again.code == answers[-1][1].code.replace("'orte.csv'", repr(str(path)))
    assert "encoding='cp1250'" in again.code


def test_a_dictionary_is_loaded_like_a_schema() -> None:
    """NIST's form: it says what codes mean, and no roles."""
    said = {"plz": {"description": "Postcode", "values": {"01234": "Ash", "1234": "Elm"}}}
    app = page_with(people())
    app.file_uploader(key="upload.schema").set_value(
        ("dictionary.json", json.dumps(said).encode(), "application/json")).run()
    assert not app.exception and columns(app).loc["plz", "title"] == "Postcode"
    assert columns(app).loc["region", "role"] == "place"  # what it does not say is proposed


def test_nothing_left_to_count_by_is_refused() -> None:
    app = page_with(people())
    edit(app, {name: {"role": "ignored"} for name in people().columns})
    assert ["Nothing would be left to count by" in e.value for e in app.error] == [True]
    assert "quasi-identifier" in set(columns(app)["role"])


def test_a_table_that_cannot_be_made_can_be_put_right_here() -> None:
    """Fifteen hundred different numbers are no groups; the page says so and stays open."""
    frame = pd.DataFrame({"pay": np.arange(1500) * 7 % 9001, "sex": ["f", "m"] * 750})
    app = uploaded(opened(TWIN, PAGE), frame)
    app.multiselect(key="url.own_features").set_value(["pay", "sex"]).run()
    edit(app, {"pay": {"type": "code"}})
    assert "the table that is asked for cannot be made" in answer(app)
    assert any("1,500 different values" in e.value for e in app.error)
    app.switch_page(COMPARE).run()
    assert not app.exception and "cannot be answered" in answer(app)
    app.switch_page(PAGE).run()
    edit(app, {"pay": {"type": "whole number"}})
    assert "read off the data" in answer(app) and not app.error


def test_data_of_the_catalogue_are_read_only() -> None:
    app = opened(TWIN, PAGE)
    assert not app.data_editor
    table = app.dataframe[0].value
    assert table["declared"].all() and "PUMA" in set(table["column"])
    labels = app.dataframe[1].value
    assert "Salem–Beverly–Gloucester" in set(labels["label"])


def test_the_first_records_are_shown_as_they_stand() -> None:
    app = page_with(people())
    app.session_state["open.rows"] = True
    app.run()
    rows = app.dataframe[-1].value
    assert list(rows["plz"]) == list(people()["plz"][:20])  # leading zeros and all

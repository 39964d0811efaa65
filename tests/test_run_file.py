"""A saved run gives the same answer, to the last bit: on the page, in Python and by command, on
data of the catalogue and on one's own; and what is not the same is noticed.

Answers are compared as the whole dictionary that a command prints. The only thing that may differ
is where a file is: a page knows only the name of what was dropped on it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.cli import main
from sdc_core.data import CATALOGUE
from sdc_core.mechanisms import mechanisms
from sdc_core.questions import QUESTIONS
from sdc_core.questions.question import Question
from sdc_core.questions.run_file import Run, read_run
from tests import shown
from tests.contract import hurry
from tests.own_people import own_people, put_right
from tests.page_driver import TWIN, answer, followed, link, opened, uploaded
from tests.test_every_question import another, page_of, widget_of
from ui.run_files import file_name

every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.address)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "mine.csv"
    path.parent.mkdir()
    own_people().to_csv(path, index=False)
    return path


def study(path: Path | str, **settings: Any) -> sdc.Study:
    data = sdc.load_dataset(path)
    data = put_right(data) if data.origin == "own" else data
    return sdc.Study(data, seed=12, empty_groups="treated", methods=[
        sdc.mechanism("laplace", epsilon=0.1 + 0.2), sdc.mechanism("suppression", k=4),
    ], **settings)


def whole(found: Any) -> Any:
    """An answer as a command prints it, with every digit."""
    return shown.plain(found.to_dict())


@every_question
def test_a_run_is_the_answer_that_was_saved(
    question: Question, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick = hurry(question.address, monkeypatch)
    asked = sdc.ask(
        question.address, study("ma2019-twin", features=["PUMA", "RAC1P", "SEX"]), quick)
    path = tmp_path / "a.run.json"
    path.write_text(asked.run.to_json(), encoding="utf-8")
    assert whole(sdc.run(path)) == whole(asked)


@every_question
def test_a_run_on_own_data_is_the_answer_that_was_saved(
    question: Question, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With columns that were put right: the schema is in the run."""
    hurry(question.address, monkeypatch)
    asked = sdc.ask(question.address, study(file))
    path = tmp_path / "a.run.json"
    path.write_text(asked.run.to_json(), encoding="utf-8")
    assert json.loads(path.read_text())["study"]["schema"]["columns"][1]["title"] == "Sex"
    assert whole(sdc.run(path)) == whole(asked)


@pytest.mark.parametrize("address", ["compare", "map", "your_data", "microdata_lab"])
def test_a_file_that_was_moved_gives_the_same_answer(
    address: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(address, monkeypatch)
    asked = sdc.ask(address, study(file))
    path = tmp_path / "a.run.json"
    path.write_text(asked.run.to_json(), encoding="utf-8")
    moved = tmp_path / "elsewhere.csv"
    file.rename(moved)
    again = sdc.run(path, data=moved)
    assert again.provenance.digest == asked.provenance.digest
    assert [t.to_csv() for t in again.tables().values()] == [
        t.to_csv() for t in asked.tables().values()]


@every_question
def test_what_a_page_saves_is_what_it_shows(
    question: Question, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every control of the page is moved, then its run is asked by command, from another folder;
    the file is found by its name. Switches stay, since some make all that follows slow."""
    hurry(question.address, monkeypatch)
    monkeypatch.setenv("SDC_DATA_DIR", str(file.parent))
    with shown.answers_of_pages() as answers, shown.controls_of_pages() as seen:
        app = uploaded(opened(TWIN), file.read_bytes())
        app.switch_page(page_of(question)).run()  # the file goes along
        for name, (param, value) in list(seen.items()):
            widget = widget_of(app, name)
            if widget is not None and name not in ("data", "own_features") and param.numeric:
                widget.set_value(another(param, value))
        followed(app.run())
    assert not app.exception
    given, on_page = answers[-1]
    again = sdc.run(Run.from_json(on_page.run.to_json()))
    assert again.run is not None and again.run.controls == given.texts()
    here, there = whole(on_page), whole(again)
    there["code"] = there["code"].replace(str(file), "mine.csv")
    if on_page.waiting:  # by command nothing waits, so there is more to see
        here, there = ({k: found[k] for k in ("code", "provenance")} for found in (here, there))
        for found in (here, there):
            found["provenance"].pop("computed")
    assert here == there


def test_every_setting_of_every_method_is_kept_to_the_last_bit() -> None:
    every = [sdc.mechanism(d.name) for d in mechanisms()]
    tuned = [sdc.mechanism("laplace", epsilon=1 / 3), sdc.mechanism("swapping", swap_rate=2 / 3)]
    twin = sdc.load_dataset("ma2019-twin")
    saved = Run.of("compare", sdc.Study(twin, methods=[*every, *tuned]), {})
    again = Run.from_json(saved.to_json())
    assert again.methods == saved.methods == (*every, *tuned)
    assert again.to_dict() == saved.to_dict()


def test_all_settings_of_the_study_are_kept() -> None:
    """Also one that a later version adds: what is not in a run would be silently as usual."""
    fields = {f.name for f in dataclasses.fields(sdc.Study)}
    saved = Run.of("compare", study("ma2019-twin", domain="observed"), {}).to_dict()["study"]
    assert set(saved) == (fields - {"dataset"}) | {"data"}
    assert (saved["seed"], saved["domain"], saved["empty_groups"]) == (12, "observed", "treated")


def test_a_file_that_has_changed_is_noticed(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One record more: refused in one sentence with exit code 2; asked all the same, it is said."""
    path = tmp_path / "a.run.json"
    assert main(["ask", "compare", "--dataset", str(file), "--save", str(path)]) == 0
    before = capsys.readouterr().out
    assert main(["run", str(path)]) == 0
    assert capsys.readouterr().out == before
    file.write_bytes(file.read_bytes() + b"Ash,1,20,a,5.0,010\n")
    assert main(["run", str(path)]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("\n") == 1
    assert "mine.csv has changed since the run was saved" in told.err and "--anyway" in told.err
    assert main(["run", str(path), "--anyway", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert "has changed since the run was saved" in document["notices"][0]["text"]
    assert document["provenance"]["rows"] == 601


def test_a_file_that_is_not_there_has_to_be_given(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is looked for where it was, beside the run file, here, and in the folder of own data."""
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "runs" / "a.run.json"
    path.parent.mkdir()
    assert main(["ask", "sparsity", "--dataset", str(file), "--save", str(path)]) == 0
    before = capsys.readouterr().out
    moved = file.rename(tmp_path / "renamed.csv")
    assert main(["run", str(path)]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1 and "made on mine.csv" in told and "--data PATH" in told
    assert main(["run", str(path), "--data", str(moved)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == before.splitlines()[0]
    for place in (path.parent, tmp_path, tmp_path / "named"):
        place.mkdir(exist_ok=True)
        monkeypatch.setenv("SDC_DATA_DIR", str(tmp_path / "named"))
        there = moved.rename(place / "mine.csv")
        assert main(["run", str(path)]) == 0, place
        assert capsys.readouterr().out == before
        moved = there.rename(tmp_path / "renamed.csv")


def test_a_run_reads_records_that_are_given_by_its_own_schema(file: Path, tmp_path: Path) -> None:
    asked = sdc.ask("sparsity", study(file))
    path = tmp_path / "a.run.json"
    path.write_text(asked.run.to_json(), encoding="utf-8")
    as_proposed = sdc.load_dataset(file)
    assert as_proposed.digest != asked.provenance.digest
    assert sdc.run(path, data=as_proposed).provenance.digest == asked.provenance.digest


def test_of_two_files_of_one_name_that_where_it_was_is_read(file: Path, tmp_path: Path) -> None:
    """One beside the run file may be another one, from another day."""
    asked = sdc.ask("sparsity", study(file))
    path = tmp_path / "runs" / "a.run.json"
    path.parent.mkdir()
    path.write_text(asked.run.to_json(), encoding="utf-8")
    own_people().head(300).to_csv(path.parent / file.name, index=False)
    assert whole(sdc.run(path)) == whole(asked)


def test_the_command_writes_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run, page, tables = tmp_path / "a.json", tmp_path / "a.html", tmp_path / "tables"
    assert main(["ask", "sparsity", "--dataset", "ma2019-twin", "--save", str(run)]) == 0
    assert main(["run", str(run), "--html", str(page), "--csv", str(tables)]) == 0
    headline = capsys.readouterr().out.splitlines()[0]
    assert "<h1>" in page.read_text(encoding="utf-8") and headline[:20] in page.read_text("utf-8")
    assert {p.name for p in tables.iterdir()} >= {"sparsity.csv"}
    assert main(["ask", "sparsity", "--dataset", "ma2019-twin", "--save", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_run_of_another_version_says_so() -> None:
    saved = sdc.ask("sparsity", sdc.Study(sdc.load_dataset("ma2019-twin"))).run.to_dict()
    again = sdc.run(Run.from_json(json.dumps({**saved, "sdc_core": "0.0.1"})))
    assert ["saved by version 0.0.1" in n.text for n in again.notices] == [True]
    assert not sdc.run(Run.from_json(json.dumps(saved))).notices


def test_a_frame_has_to_be_given_and_is_known_again() -> None:
    frame = own_people()
    asked = sdc.ask("sparsity", sdc.Study(sdc.load_dataset(frame)))
    saved = Run.from_json(asked.run.to_json())
    assert whole(sdc.run(saved, data=frame)) == whole(asked)
    with pytest.raises(sdc.InputError, match="changed since the run was saved"):
        sdc.run(saved, data=frame.iloc[1:])
    with pytest.raises(sdc.InputError, match="--data PATH"):
        sdc.run(saved)


def base() -> dict[str, Any]:
    return Run.of("compare", study("ma2019-twin"), {"simulate": "false"}).to_dict()


def changed(*keys: Any, value: Any) -> str:
    """The run with something else at one place."""
    found = base()
    inner: Any = found
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    return json.dumps(found)


HOSTILE = {
    "": "not JSON", "[" * 100_000: "not JSON", "null": "not a run file", "{}": "not a run file",
    '{"format": "sdc-run", "version": 99}': "version 99",
    '{"format": "sdc-run", "version": NaN}': "not JSON",
    '{"a": ' + "9" * 5000 + "}": "not JSON",
    changed("question", value=7): "question must be a text",
    changed("question", value="magic"): "There is no question 'magic'",
    changed("controls", value=["simulate"]): "controls must be an object",
    changed("controls", "simulate", value=True): "control simulate must be a text",
    changed("controls", "simulate", value="maybe"): "simulate must be true or false",
    changed("controls", "magic", value="1"): "There is no control 'magic'",
    changed("extra", value=1): "'extra', which is not known",
    changed("study", value="x"): "study must be an object",
    changed("study", "seed", value="7"): "seed must be a whole number",
    changed("study", "seed", value=True): "seed must be a whole number",
    changed("study", "domain", value="magic"): "domain must be observed or dictionary",
    changed("study", "empty_groups", value="magic"): "empty_groups must be one of",
    changed("study", "features", value="SEX"): "features must be a list",
    changed("study", "features", value=[["SEX"]]): "features must be a text",
    changed("study", "features", value=["BLA"]): "no column 'BLA'",
    changed("study", "magic", value=1): "'magic', which is not known",
    changed("study", "data", value={"id": "ma2019-twin"}): "needs an id or a name, and its sha256",
    changed("study", "data", "id", value="ma2018"): "ma2018",
    changed("study", "data", "sha256", value="0" * 64): "has changed since the run was saved",
    changed("study", "schema", value={"columns": "x"}): "list of columns",
    changed("study", "methods", value=["laplace"]): "an object with a name and settings",
    changed("study", "methods", value=[{"name": "laplace"}] * 1000): "more than 50 methods",
    changed("study", "methods", 0, "name", value="magic"): "There is no mechanism 'magic'",
    changed("study", "methods", 0, "settings", value={"name": "x"}): "'name', which is not known",
    changed("study", "methods", 0, "settings", "epsilon", value=-1): "epsilon must be in",
    changed("study", "methods", 0, "settings", "epsilon", value=10**400): "epsilon must be",
    changed("study", "methods", 0, "settings", "epsilon", value={"a": 1}): "must be a number",
    changed("study", "methods", 0, "settings", "postprocess", value=[]): "postprocess must be one",
}


@pytest.mark.parametrize("text", HOSTILE, ids=list(HOSTILE.values()))
def test_a_hostile_run_file_is_one_sentence(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "hostile.json"
    path.write_text(text)
    assert main(["run", str(path)]) == 2
    told = capsys.readouterr()
    assert told.out == "" and told.err.count("\n") == 1 and HOSTILE[text] in told.err
    assert "Traceback" not in told.err


def test_a_run_file_names_no_other_file_to_be_read(tmp_path: Path) -> None:
    """On the command line a control may be the path of a file; in a run that somebody sends it may
    not choose what is read here."""
    other = tmp_path / "shapes.geojson"
    other.write_text("{}")
    saved = Run.of("map", study("ma2019-twin"), {"map_boundaries": str(other)})
    with pytest.raises(sdc.InputError, match="no control 'map_boundaries'"):
        sdc.run(Run.from_json(saved.to_json()))


def test_what_is_no_file_or_no_text_or_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    binary = tmp_path / "b.json"
    binary.write_bytes(b"\xff\xfe\x00")
    for path in (tmp_path, tmp_path / "nowhere.json", binary):
        with pytest.raises(sdc.InputError, match="cannot be read"):
            read_run(path)
    monkeypatch.setattr("sdc_core.questions.run_file.MOST_BYTES", 2)
    with pytest.raises(sdc.InputError, match="too large"):
        read_run(binary)
    with pytest.raises(sdc.InputError, match="at most"):
        Run.from_json("[1,2,3]")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner,
                                                                max_size=3),
    max_leaves=5,
)


def places(found: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a document."""
    items = found.items() if isinstance(found, dict) else enumerate(found) if isinstance(
        found, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


PLACES = sorted(places(base()), key=str)


@settings(max_examples=300)
@given(where=st.sampled_from(PLACES), value=json_values)
def test_anything_anywhere_in_a_run_file_is_read_or_refused(where: Any, value: Any) -> None:
    """Never another kind of error; what is read, is written again as it was read."""
    try:
        found = Run.from_json(changed(*where, value=value))
    except sdc.InputError as problem:
        assert "\n" not in str(problem)
        return
    assert Run.from_json(found.to_json()).to_dict() == found.to_dict()


def open_run(app: Any, content: bytes) -> Any:
    app.session_state["popover.save"] = True
    app.run()
    app.file_uploader(key="upload.run").set_value(("a.run.json", content, "application/json")).run()
    assert not app.exception, [e.value for e in app.exception]
    return app


def test_a_run_is_opened_on_the_page() -> None:
    """From another page: question, data, table, methods, settings and controls."""
    wanted = {**TWIN, "data": "tx2019-twin", "features": "SEX,OWN_RENT", "m1": "suppression",
              "m1.k": "9", "m2": "laplace", "m2.epsilon": "0.25", "m3": "none", "m4": "none",
              "empty": "treated", "domain": "observed", "seed": "99", "z_measure": "l1_error"}
    with shown.answers_of_pages() as answers:
        there = opened(wanted, "../pages/sparsity.py")
        saved = answers[-1][1]
        here = open_run(opened(TWIN), saved.run.to_json().encode())
    assert link(here) == link(there) and answer(here) == answer(there)
    assert whole(answers[-1][1]) == whole(saved) and not here.warning


def test_a_run_on_own_data_waits_for_its_file_on_the_page(file: Path) -> None:
    """Saved by Python, with columns put right; opened on the page, then the file is dropped."""
    asked = sdc.ask("sparsity", study(file, features=["sex", "age"]))
    content = asked.run.to_json().encode()
    app = open_run(opened(TWIN), content)
    assert ["made with mine.csv" in w.value.replace("\\", "") for w in app.warning] == [True]
    with shown.answers_of_pages() as answers:
        uploaded(app, file.read_bytes())
    given, found = answers[-1]
    assert found.headline == asked.headline and link(app)["own_features"] == "sex,age"
    assert given.dataset.schema == asked.provenance.dataset.schema
    # with the file open, another run on it is shown at once
    other = sdc.ask("compare", study(file, features=["job"])).run.to_json().encode()
    open_run(app, other)
    assert link(app)["own_features"] == "job" and link(app)["m1.epsilon"] == repr(0.1 + 0.2)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"{}", b"["])
def test_a_run_that_is_none_is_one_sentence_on_the_page(content: bytes) -> None:
    app = opened(TWIN)
    before = answer(app)
    open_run(app, content)
    assert len(app.error) == 1 and answer(app) == before


def test_reservations_are_said_on_the_page() -> None:
    """Data that have changed, another version, more methods than cards."""
    many = sdc.Study(sdc.load_dataset("ma2019-twin"), methods=[sdc.mechanism("laplace")] * 5)
    saved = Run.of("compare", many, {}).to_dict()
    saved["sdc_core"] = "0.0.1"
    saved["study"]["data"]["sha256"] = "0" * 64
    app = open_run(opened(TWIN), json.dumps(saved).encode())
    told = " ".join(w.value.replace("\\", "") for w in app.warning)
    assert "ma2019-twin has changed" in told and "version 0.0.1" in told
    assert "shows 4 methods; the run has 5" in told


def test_the_file_that_a_page_offers_is_named_after_what_it_is() -> None:
    assert file_name(Run.of("map", study("ma2019-twin"), {})) == "map-ma2019-twin.run.json"
    app = opened(TWIN)
    app.session_state["popover.save"] = True
    app.run()
    assert app.get("download_button")[-1].label == "Save this run"


def test_the_checksum_of_the_catalogue_is_that_of_its_files() -> None:
    for known in CATALOGUE:
        paths = known.paths()
        if paths and known.origin == "twin":
            content = b"".join(path.read_bytes() for path in paths)
            saved = Run.of("compare", sdc.Study(sdc.load_dataset(known.id)), {})
            assert saved.data.sha256 == hashlib.sha256(content).hexdigest()

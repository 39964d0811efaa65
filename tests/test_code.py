"""The lines that a page shows run as they stand, from any folder, and print what the page shows.

Columns that were put right are in them: without, a table that has 57,901 people too many on the
screen may have 629 when the lines are run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.data.catalogue import TWIN_DIRECTORY, own_dataset
from sdc_core.questions import QUESTIONS
from sdc_core.questions.question import Question
from tests import shown
from tests.own_people import own_people, put_right
from tests.page_driver import TWIN, edit, opened, uploaded

ROOT = Path(__file__).resolve().parents[1]
every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.address)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data" / "mine's.csv"
    path.parent.mkdir()
    own_people().to_csv(path, index=False)
    return path


def printed(code: str, folder: Path, **environment: str) -> str:
    """What the lines print, run by themselves."""
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment}, check=False,
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


@pytest.mark.slow
def test_the_code_of_an_upload_prints_what_the_page_shows(file: Path, tmp_path: Path) -> None:
    """With columns put right on the page; the file is found by its name in the folder of own data,
    or in the folder where the lines are run."""
    app = uploaded(opened(TWIN, "../pages/your_data.py"), file.read_bytes(), file.name)
    edit(app, {"income": {"values or bin edges": "20, 50.5"}, "age": {"type": "code"},
               "sex": {"title": "Sex", "declared": True}})
    app.selectbox(key="url.label_of").set_value("sex").run()
    edit(app, {"1": {"label": "men"}}, editor=1)
    with shown.answers_of_pages() as answers:
        app.switch_page("../pages/compare.py").run()
        app.multiselect(key="url.own_features").set_value(["sex", "income", "age"]).run()
        app.segmented_control(key="url.empty").set_value("treated").run()
    answer = answers[-1][1]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert printed(answer.code, elsewhere, SDC_DATA_DIR=str(file.parent)).strip() == str(
        answer).strip()
    assert printed(answer.code, file.parent, SDC_DATA_DIR="").strip() == str(answer).strip()
    # and the corrections matter: as proposed, the numbers are others
    lines = answer.code.splitlines()
    first, last = lines.index("data = data.with_columns(["), lines.index("])")
    without = "\n".join([*lines[:first], *lines[last + 1:]])
    plain = printed(without, file.parent, SDC_DATA_DIR="")
    assert plain.splitlines()[0] != answer.headline


@pytest.mark.slow
def test_the_code_of_a_path_names_it_whole(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    answer = sdc.ask("compare", sdc.Study(put_right(sdc.load_dataset(file.name))))
    assert repr(str(file)) in answer.code
    assert printed(answer.code, tmp_path, SDC_DATA_DIR="").strip() == str(answer).strip()


@every_question
def test_the_code_gives_the_same_answer_on_own_data(
    question: Question, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = sdc.ask(question.address, sdc.Study(put_right(sdc.load_dataset(file)), seed=3))
    assert "sdc.Column('sex', 'Sex'" in answer.code
    assert "sdc.Column('town'" not in answer.code  # as proposed, so it need not be said
    exec(compile(answer.code, "code", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out.strip() == str(answer).strip()


def test_a_schema_beside_the_file_does_not_change_what_the_code_does(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The page knew nothing of it."""
    proposed = sdc.load_dataset(file)
    answer = sdc.ask("sparsity", sdc.Study(proposed))
    file.with_suffix(".schema.json").write_text(put_right(proposed).schema.to_json())
    assert sdc.load_dataset(file).schema == put_right(proposed).schema
    exec(compile(answer.code, "code", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out.strip() == str(answer).strip()


def test_columns_of_the_catalogue_that_were_changed_are_in_the_code(
    capsys: pytest.CaptureFixture[str],
) -> None:
    twin = sdc.load_dataset("ma2019-twin")
    changed = twin.with_columns([twin.column("AGEP").redeclared("30, 60")])
    answer = sdc.ask("sparsity", sdc.Study(changed, ["AGEP", "SEX"]))
    exec(compile(answer.code, "code", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out.strip() == str(answer).strip()
    assert "with_columns" not in sdc.ask("sparsity", sdc.Study(twin)).code


def test_a_frame_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    frame = own_people()
    answer = sdc.ask("sparsity", sdc.Study(put_right(sdc.load_dataset(frame))))
    exec(compile(answer.code, "code", "exec"), {"frame": frame})  # noqa: S102
    assert capsys.readouterr().out.strip() == str(answer).strip()


def test_a_name_that_is_nowhere_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SDC_DATA_DIR", raising=False)
    with pytest.raises(sdc.InputError, match=r"There is no file 'mine\.csv', neither here nor"):
        sdc.load_dataset("mine.csv")
    own_people().to_csv(tmp_path / "mine.csv", index=False)
    assert sdc.load_dataset("mine.csv").path == str(tmp_path / "mine.csv")
    folder = tmp_path / "deeper"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SDC_DATA_DIR", str(tmp_path))
    assert sdc.load_dataset("mine.csv").path == str(tmp_path / "mine.csv")
    with pytest.raises(sdc.InputError, match="no file"):
        sdc.load_dataset("../nowhere/mine.csv")  # a path means that path and no other


def test_an_excerpt_of_another_year_keeps_its_derived_columns() -> None:
    """Saved with its schema and opened by it: the columns that were derived are there again."""
    content = (TWIN_DIRECTORY / "ma2019-twin.csv").read_bytes()
    read = own_dataset(content, "ma2018.csv")
    again = own_dataset(content, "ma2018.csv", read.schema)
    assert again.schema == read.schema and again.digest == read.digest
    assert again.default_features == read.default_features
    assert again.proposed == read.proposed == read.schema
    people = pd.Series(again.records["INCOME_50K"]).value_counts()
    assert int(people["1"]) == int((read.records["PINCP"] >= 50_000).sum())

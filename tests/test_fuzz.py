"""Links and commands as nobody meant them, about a minute of them and the same in every run; `make
fuzz` tries others for an hour. What it is to find is planted, and found."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from sdc_core.cli import main
from sdc_core.data import load_dataset
from sdc_core.errors import InputError
from sdc_core.parameters import Several
from tests.fuzz import (
    ADDRESSES,
    HOSTILE,
    MARKUP,
    check_command,
    check_visit,
    commands,
    hurried,
    keys,
    visits,
    with_every_key,
)
from ui import terms

pytestmark = pytest.mark.slow

few = settings(max_examples=25, suppress_health_check=list(HealthCheck), database=None)


@pytest.fixture(autouse=True, scope="module")
def quickly() -> Iterator[None]:
    with hurried():
        yield


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_key_of_a_question_at_once(address: str) -> None:
    check_visit([(address, with_every_key(address, ADDRESSES.index(address)))])


def test_in_all_turns_every_key_has_every_hostile_text() -> None:
    turns = [with_every_key("map", turn) for turn in range(len(HOSTILE))]
    for key in set(keys("map")) - {"data", "embed", "m1", "m2", "m3", "m4"}:
        assert {turn[key] for turn in turns} == set(HOSTILE), key


@few
@given(visits())
def test_visits_by_any_links(visit: list[tuple[str, dict[str, str]]]) -> None:
    check_visit(visit)


@settings(few, max_examples=200)
@given(commands())
def test_commands(arguments: list[str]) -> None:
    assert check_command(arguments) in ("answered", "refused")


@pytest.mark.parametrize("markup", [m for m in MARKUP if m[:4] not in (":mat", "java")])
def test_markup_on_a_page_would_be_found(markup: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """If what is wrong with a link were said as it comes."""
    monkeypatch.setattr("ui.sidebar.plain", lambda text: text)
    with pytest.raises(AssertionError, match="markup in warning"):
        check_visit([("glossary", {}), ("your_data", {"domain": markup, "data": "ma2019-twin"})])


@pytest.mark.parametrize("markup", [m for m in MARKUP if "<" in m])
def test_markup_in_html_would_be_found(markup: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "in_html", lambda text: markup)
    with pytest.raises(AssertionError, match="markup in html"):
        check_visit([("your_data", {"data": "ma2019-twin"})])


def test_an_exception_on_a_page_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "marked", lambda text, seen: 1 / 0)
    with pytest.raises(AssertionError, match="an exception on the page"):
        check_visit([("your_data", {"data": "ma2019-twin"})])


def test_a_traceback_and_a_second_line_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sdc_core.cli._glossary", lambda options: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        check_command(["glossary"])
    monkeypatch.setattr("sdc_core.cli._glossary", lambda options: print("1\n2", file=sys.stderr)
                        or sys.exit(2))
    with pytest.raises(AssertionError, match="not one line"):
        check_command(["glossary"])


def test_an_argument_that_is_far_too_long_is_not_repeated(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["ask", "compare", "--dataset", "ma2019-twin", "--domain", "a\n" * 50_000])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert len(said) < 1_300 and said.count("\n") == 1 and "--domain" in said


@pytest.mark.parametrize("separator", ["<>", "é", "a", "\0", "\n"])
def test_records_in_a_database_are_separated_by_one_sign(separator: str, tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("town;sex\nAsh;m\n")
    with pytest.raises(InputError, match="The separator must be one sign"):
        load_dataset(f"{tmp_path}/*.csv", separator=separator)
    assert load_dataset(f"{tmp_path}/*.csv", separator="semicolon").features == ("town", "sex")


def test_of_many_unknown_names_the_first_are_said() -> None:
    param = Several(name="features", title="Features", choices=("SEX", "AGE"))
    value, problems = param.salvage("AGE,a,b,c,d,e,SEX")
    assert value == ("AGE", "SEX")
    assert problems == (
        "features has no 'a' in this data set.", "features has no 'b' in this data set.",
        "features has no 'c' in this data set.",
        "features has 2 more names that are not in this data set.")
    assert len("".join(param.salvage("x" * 100_000).problems)) < 1_100

"""The app for a room: to whom it answers, what is said about that, and several processes behind
nginx that each keep their own visitors."""

from __future__ import annotations

import itertools
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdc_core.cli import main
from tests.serving import serving
from tests.visitors import Visitor
from ui import serve

ROOT = Path(__file__).resolve().parents[1]
SEVERAL = (sys.executable, "-m", "sdc_core", "app", "--processes", "2", "--port")
MISSING = "nginx is not installed; `make test` installs it where it may."
NO_PROXY = not (shutil.which("nginx") or Path("/usr/sbin/nginx").exists())


def test_by_default_only_this_machine_is_answered() -> None:
    assert serve.settings(8501, serve.HERE, serve.names(serve.HERE)) == [
        "run", str(serve.APP), "--server.port", "8501"]  # the configuration file says the rest
    settings = (ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8")
    assert 'address = "127.0.0.1"' in settings
    assert 'allowedHosts = ["127.0.0.1", "localhost"]' in settings


def test_for_a_room_the_app_is_asked_for_by_this_machines_own_names_only() -> None:
    told = serve.settings(9000, serve.EVERYWHERE, names := serve.names(serve.EVERYWHERE))
    assert told[told.index("--server.address") + 1] == "0.0.0.0"
    allowed = [after for one, after in itertools.pairwise(told) if one == "--server.allowedHosts"]
    assert allowed == list(names) and {"127.0.0.1", "localhost", socket.gethostname()} <= {*names}
    assert "*" not in names and "0.0.0.0" not in names
    assert serve.names("192.0.2.7") == ("127.0.0.1", "localhost", "192.0.2.7")


def test_what_a_room_means_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr("streamlit.web.cli.main", lambda args, **_: ran.append(args))
    serve.serve(8501)
    assert capsys.readouterr().out == ""
    serve.serve(8501, "192.0.2.7")
    said = capsys.readouterr().out
    for words in ("http://192.0.2.7:8501", "no password", "not encrypted", "until they leave"):
        assert words in said
    assert len(ran) == 2 and "192.0.2.7" in ran[1] and "192.0.2.7" not in ran[0]


@pytest.mark.parametrize("number", ["0", "-1", "65"])
def test_a_number_of_processes_that_cannot_be(
    number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["app", "--processes", number]) == 2
    assert f"processes must be in [1, 64], got {number}" in capsys.readouterr().err


def test_without_nginx_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(SystemExit, match=r"need nginx .* apt-get install nginx-light"):
        serve.serve(8501, processes=2)


def test_the_configuration_in_the_docs_is_the_one_that_is_used() -> None:
    made = serve.proxy_config("/folder", serve.EVERYWHERE, 8501, [8502, 8503])
    text = (ROOT / "docs" / "classroom.md").read_text(encoding="utf-8")
    (shown,) = (block for block in re.findall(r"```\n(.*?)```", text, re.DOTALL)
                if "proxy_pass" in block)
    assert shown in made
    three = serve.proxy_config("/folder", serve.HERE, 1, [5, 6, 7])
    assert "{ 33.33% 0; 33.33% 1; * 2; }" in three and "2 127.0.0.1:7;" in three


@pytest.fixture(scope="module")
def room() -> Iterator[str]:
    if NO_PROXY:
        pytest.skip(MISSING)
    with serving(SEVERAL) as address:
        yield address


@pytest.mark.slow
def test_visitors_are_spread_and_stay_where_their_visit_is(room: str) -> None:
    def place(cookie: str = "") -> str:
        asked = urllib.request.Request(f"{room}/_stcore/health", headers={"Cookie": cookie})
        with urllib.request.urlopen(asked, timeout=20) as answer:
            (found,) = (one for one in answer.headers.get_all("Set-Cookie") if "place=" in one)
            return re.findall("place=([0-9]+)", found)[0]

    assert {place() for _ in range(40)} == {"0", "1"}
    for number in "01":
        assert {place(f"place={number}") for _ in range(5)} == {number}
    assert {place("place=7") for _ in range(20)} == {"0", "1"}  # no such place


@pytest.mark.slow
def test_a_page_answers_through_the_proxy(room: str) -> None:
    with Visitor(room) as visitor:
        opened = visitor.open("compare", data="ma2019-twin")
        moved = visitor.set("url.m1.epsilon", "4")
        assert not opened.exceptions and not moved.exceptions
        assert visitor.link["m1.epsilon"] == "4" and opened.headline and moved.headline


@pytest.mark.slow
@pytest.mark.skipif(NO_PROXY, reason=MISSING)
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_running(how: signal.Signals) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [*SEVERAL, str(port)], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True)
    try:
        end = time.monotonic() + 60
        while time.monotonic() < end and len(_children(server.pid)) < 3:
            time.sleep(0.1)
        started = _children(server.pid)
        assert len(started) >= 3  # two apps and nginx
        time.sleep(1)
        server.send_signal(how)
        server.wait(30)
        time.sleep(0.5)
        assert [one for one in started if Path(f"/proc/{one}/cmdline").exists()] == []
    finally:
        if server.poll() is None:
            server.kill()


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(one) for one in found]

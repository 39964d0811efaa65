"""What the server takes from whom: only requests to this machine by its own name, and it asks
nothing of others to tell."""

from __future__ import annotations

import socket
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from streamlit import net_util
from streamlit.web.server.server_util import is_url_from_allowed_origins

import ui

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(("host", "origin", "status"), [
    ("127.0.0.1", "http://127.0.0.1", 101), ("localhost", "http://localhost", 101),
    ("elsewhere.invalid", "http://elsewhere.invalid", 403),  # a name that leads here
    ("127.0.0.1", "http://elsewhere.invalid", 403),
])
def test_a_visit_is_to_this_machine_by_its_own_name(
    address: str, host: str, origin: str, status: int
) -> None:
    port = urlsplit(address).port
    with socket.create_connection(("127.0.0.1", port or 0), timeout=20) as line:
        line.sendall((
            f"GET /_stcore/stream HTTP/1.1\r\nHost: {host}:{port}\r\nOrigin: {origin}:{port}\r\n"
            "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n").encode())
        assert line.recv(100).split()[1] == str(status).encode()


def test_no_other_machine_is_asked_who_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ui.__name__ == "ui"  # importing it is what settles this
    asked: list[str] = []
    monkeypatch.setattr(net_util, "_make_blocking_http_get", lambda url, **_: asked.append(url))
    assert not is_url_from_allowed_origins("http://elsewhere.invalid")
    assert asked == []


def test_errors_offer_no_way_out() -> None:
    """No link that would hand what went wrong to somebody else."""
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["client"]["showErrorLinks"] is False
    assert settings["client"]["showErrorDetails"] == "none"

"""How is the dashboard started from any folder? `sdc-core app` runs `serve`: for the reader alone,
for a room (`host`), and past what one process can do (`processes`, behind nginx)."""

from __future__ import annotations

import contextlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

APP = Path(__file__).resolve().parents[1] / "app.py"
HERE = "127.0.0.1"
EVERYWHERE = "0.0.0.0"
_LOCAL = (HERE, "localhost")

# A visitor stays with the process that has their visit: a cookie says which. nginx keeps nothing.
PROXY = """\
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
events {{ worker_connections 2048; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  client_max_body_size 200m;
  map $http_upgrade $connection_is {{ default upgrade; "" close; }}
  split_clients $request_id $drawn {{ {shares} }}
  map $cookie_place $place {{ default $drawn; "~^({numbers})$" $cookie_place; }}
  map $place $app {{ {apps} }}
  server {{
    listen {host}:{port};
    location / {{
      proxy_pass http://$app;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_is;
      proxy_read_timeout 1d;
      proxy_buffering off;
      add_header Set-Cookie "place=$place; Path=/; HttpOnly; SameSite=Lax" always;
    }}
  }}
}}
"""


def serve(port: int, host: str = HERE, processes: int = 1) -> None:
    """Serve the app until it is stopped, as `streamlit run app.py` does in a checkout. Look and the
    rest are in `.streamlit/config.toml` beside app.py, where Streamlit finds them from any folder.
    """
    if host not in _LOCAL:
        print(what_it_means(host, port), flush=True)
    if processes > 1:
        _behind_a_proxy(port, host, processes)
        return
    from streamlit.web import cli  # takes half a second, which a proxy does not need

    cli.main(settings(port, host, names(host)), prog_name="streamlit")


def settings(port: int, host: str, allowed: Sequence[str]) -> list[str]:
    """What Streamlit is told; where it says nothing else, the configuration file holds."""
    away = [] if host in _LOCAL and tuple(allowed) == _LOCAL else [
        "--server.address", host, *(x for name in allowed for x in ("--server.allowedHosts", name))]
    return ["run", str(APP), "--server.port", str(port), *away]


def names(host: str) -> tuple[str, ...]:
    """By which names the app may be asked for: under others a page elsewhere whose name leads here
    (DNS rebinding) could speak for a visitor."""
    if host in _LOCAL:
        return _LOCAL
    if host != EVERYWHERE:
        return (*_LOCAL, host)
    name = socket.gethostname()
    found = dict.fromkeys((*_LOCAL, name))
    with contextlib.suppress(OSError):
        found |= dict.fromkeys(str(one[4][0]) for one in socket.getaddrinfo(
            name, None, socket.AF_INET))
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.connect(("192.0.2.1", 9))  # sends nothing: asks the system which address it would use
        found[line.getsockname()[0]] = None
    return tuple(found)


def what_it_means(host: str, port: int) -> str:
    return (
        f"Whoever reaches this machine can use the app: http://{names(host)[-1]}:{port}. There is "
        "no password, and what is sent is not encrypted: a room's own network, not the internet. "
        "Files that visitors open stay in this machine's memory until they leave; others cannot "
        "see them."
    )


def _behind_a_proxy(port: int, host: str, processes: int) -> None:
    proxy = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
    if proxy is None:
        sys.exit("Several processes need nginx in front of them. On Debian: apt-get install "
                 "nginx-light")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # nobody is left behind
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as ending:
        ports = list(_free_ports(processes))
        apps = []
        for one in ports:
            command = [sys.executable, "-m", "streamlit", *settings(one, HERE, names(host))]
            apps.append(subprocess.Popen(command, cwd=APP.parent))
            ending.callback(_end, apps[-1])
        for one, app in zip(ports, apps, strict=True):
            _wait_for(one, app)
        config = Path(folder, "nginx.conf")
        config.write_text(proxy_config(folder, host, port, ports), encoding="utf-8")
        with contextlib.suppress(KeyboardInterrupt):
            front = subprocess.Popen(
                [proxy, "-c", str(config), "-p", folder, "-e", f"{folder}/errors"])
            ending.callback(_end, front)
            if front.wait():
                sys.exit(Path(folder, "errors").read_text(encoding="utf-8").strip())


def proxy_config(folder: str, host: str, port: int, ports: Sequence[int]) -> str:
    share = 100 / len(ports)
    shares = [f"{share:.2f}% {i};" for i in range(len(ports) - 1)]
    return PROXY.format(
        folder=folder, host=host, port=port, shares=" ".join([*shares, f"* {len(ports) - 1};"]),
        numbers="|".join(map(str, range(len(ports)))),
        apps=" ".join(f"{i} {HERE}:{one};" for i, one in enumerate(ports)),
    )


def _free_ports(number: int) -> Iterator[int]:
    with contextlib.ExitStack() as held:
        for _ in range(number):
            line = held.enter_context(socket.socket())
            line.bind((HERE, 0))
            yield line.getsockname()[1]


def _wait_for(port: int, app: subprocess.Popen[bytes]) -> None:
    """Until it answers: whom nginx sent to an app that is not there yet would see an error."""
    while app.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection((HERE, port), timeout=1):
            return
        time.sleep(0.05)
    sys.exit(f"An app on port {port} ended by itself.")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait(timeout=20)

"""`make cluster`: a Spark master and two workers on 127.0.0.1, from pyspark's own classes.

To try on one machine what runs on a cluster; each worker has one core. Ctrl-C ends all of them.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HOST = "127.0.0.1"


@dataclass
class Cluster:
    """What was started; `workers` can be ended one by one."""

    master: str
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def workers(self) -> list[subprocess.Popen[bytes]]:
        return self.processes[1:]


@contextlib.contextmanager
def cluster(workers: int = 2, port: int = 0, memory: str = "1g") -> Iterator[Cluster]:
    """A master and so many workers with one core each; all are ended afterwards."""
    import pyspark

    port = port or _free_port()
    found = Cluster(f"spark://{HOST}:{port}")
    home = Path(pyspark.__file__).parent
    with tempfile.TemporaryDirectory(prefix="sdc-cluster-") as folder:
        environment = {
            **os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": HOST,
            "SPARK_MASTER_HOST": HOST, "PYSPARK_PYTHON": sys.executable,
            "SPARK_WORKER_DIR": folder, "SPARK_LOCAL_DIRS": folder,
        }

        def start(name: str, *arguments: str) -> None:
            with open(Path(folder) / f"{len(found.processes)}.log", "wb") as log:
                found.processes.append(subprocess.Popen(
                    [str(home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}",
                     "--host", HOST, *arguments],
                    env=environment, stdout=log, stderr=log, start_new_session=True))

        try:
            start("master.Master", "--port", str(port), "--webui-port", "0")
            _wait_for(port, found.processes[0])
            for _ in range(workers):
                start("worker.Worker", "--cores", "1", "--memory", memory, "--webui-port", "0",
                      found.master)
            _wait_for_workers(Path(folder), workers)
            yield found
        finally:
            for process in reversed(found.processes):
                process.terminate()
            for process in found.processes:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(20)
                process.kill()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind((HOST, 0))
        return int(one.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes], seconds: float = 180) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError):
            socket.create_connection((HOST, port), timeout=1).close()
            return
        time.sleep(0.2)
    raise RuntimeError("The Spark master did not start.")


def _wait_for_workers(folder: Path, workers: int, seconds: float = 180) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if (folder / "0.log").read_text(errors="replace").count("Registering worker") >= workers:
            return
        time.sleep(0.2)
    raise RuntimeError("The Spark workers did not register.")


def main() -> None:
    with cluster(port=7077) as found:
        print(f"{found.master} with two workers; Ctrl-C ends it. Try:\n"
              f"  {sys.executable} -m sdc_core ask compare --dataset 'census/*.parquet' "
              f"--engine spark --spark-master {found.master}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            while all(one.poll() is None for one in found.processes):
                time.sleep(1)


if __name__ == "__main__":
    main()

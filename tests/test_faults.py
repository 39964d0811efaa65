"""What goes wrong around the program: it is killed at any write, the disk is full or read-only,
files go while the app runs, the terminal knows few letters, the clock jumps, there is no network.

Killing is by an audit hook: the child ends itself with SIGKILL at its n-th step on the disk (a file
is made, put in place or removed), for every n until it comes through. Disks and networks are those
of a namespace, where the machine lets one be made.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pytest

import sdc_core as sdc
from sdc_core import cli
from sdc_core.data import counts_kept
from sdc_core.data.population import write_population
from sdc_core.release import read_release
from sdc_core.whole_file import PART, write_whole
from tests.page_driver import TWIN, answer, opened

ROOT = Path(__file__).resolve().parents[1]
SMALL = ("--dataset", "ma2019-twin", "--features", "SEX,OWN_RENT")

Writer = Callable[[Path], None]


def command(*arguments: str) -> None:
    assert cli.main(arguments) == 0


def answer_as_files(to: Path) -> None:
    command("ask", "your_data", *SMALL, "--html", f"{to}/a.html", "--csv", str(to),
            "--save", f"{to}/a.run.json")


def schema(to: Path) -> None:
    command("schema", "--dataset", "ma2019-twin", "--out", f"{to}/a.schema.json")


def release(to: Path) -> None:
    command("release", *SMALL, "--mechanism", "laplace", "--out", f"{to}/a.csv")


def parquet(to: Path) -> None:
    command("release", *SMALL, "--mechanism", "suppression", "--out", f"{to}/a.parquet")


def population(to: Path) -> None:
    write_population(sdc.load_dataset("ma2019-twin"), 40, to / "town", files=2)


def folder_of_records(to: Path) -> None:
    """Of a database: what was done before is gone on with."""
    command("release", "--dataset", f"{TOWN}/town/*.parquet", "--features", "SEX,OWN_RENT",
            "--mechanism", "geometric", "--out", f"{to}/records")


def counts(to: Path) -> None:
    os.environ["SDC_COUNTS"] = str(to)
    counts_kept.keep("one", pa.table({"n": [1, 2, 3]}))


def plain_file(to: Path) -> None:
    write_whole(to / "a.bin", b"new" * 100_000)


TOWN = ""  # where a small population lies, for the process that was forked
WRITERS: tuple[Writer, ...] = (
    answer_as_files, schema, release, parquet, population, counts, plain_file, folder_of_records)
_STEPS = {"os.rename", "os.remove", "os.mkdir", "os.rmdir"}


def _killed_at(number: int, write: Writer, to: Path) -> bool:
    """Run it in a process of its own that ends at that step; was there such a step?"""
    child = os.fork()
    if child == 0:
        left = number

        def step(event: str, about: tuple[object, ...]) -> None:
            nonlocal left
            written = event == "open" and str(about[1])[:1] in ("w", "x", "a")
            if (written or event in _STEPS) and str(to) in str(about[0]):
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(step)
        code = 1
        try:
            write(to)
            code = 0
        finally:
            os._exit(code)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended in (0, -signal.SIGKILL), f"{write.__name__} at step {number}: exit {ended}"
    return ended != 0


def _files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def _in_sight(folder: Path) -> dict[str, bytes]:
    """Without what is being written: hidden names, and folders that say so in theirs."""
    return {name: body for name, body in _files(folder).items()
            if not Path(name).name.startswith(".") and "unfinished" not in name}


@pytest.fixture(scope="module", autouse=True)
def town(tmp_path_factory: pytest.TempPathFactory) -> None:
    global TOWN
    TOWN = str(tmp_path_factory.mktemp("crowd"))
    write_population(sdc.load_dataset("ma2019-twin"), 60, f"{TOWN}/town", files=2)


@pytest.mark.slow
@pytest.mark.parametrize("write", WRITERS, ids=lambda one: one.__name__)
def test_killed_at_every_step_nothing_half_is_in_sight_and_the_next_run_succeeds(
    write: Writer, tmp_path: Path
) -> None:
    whole = tmp_path / "whole"
    whole.mkdir()
    assert not _killed_at(10_000, write, whole)
    names = _in_sight(whole)
    assert names and not [name for name in _files(whole) if name.endswith(PART)]
    single = write not in (release, parquet, population, folder_of_records)
    for number in range(10_000):
        to = tmp_path / f"{number}"
        to.mkdir()
        for name in names if single else ():  # what was there before
            (to / name).write_bytes(b"old")
        killed = _killed_at(number, write, to)
        for name, body in _in_sight(to).items():
            assert body in (names[name], b"old"), f"{name} after step {number}"
        if not killed:
            break
        _killed_at(10_000, write, to)
        assert _in_sight(to) == names, f"after step {number}"
        shutil.rmtree(to)
    assert number >= 2  # each has made a file and put it in place


def test_a_release_killed_between_its_two_files_is_not_read_as_whole(tmp_path: Path) -> None:
    """The note is put in place first: it does not fit the older file, and that is said."""
    target = tmp_path / "a.csv"
    release(tmp_path)
    assert read_release(target).counts.sum() > 0  # type: ignore[union-attr]

    def again(to: Path) -> None:
        command("release", *SMALL, "--mechanism", "laplace", "--seed", "8", "--out", str(target))

    steps = [n for n in range(20) if _killed_at(n, again, tmp_path) and not _reads(target)]
    assert len(steps) == 1
    again(tmp_path)
    assert _reads(target)


def _reads(path: Path) -> bool:
    try:
        read_release(path)
    except sdc.InputError as problem:
        assert "does not" in str(problem) or "another" in str(problem), problem
        return False
    return True


# Disks


def in_namespace(options: str, script: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the shell with mounts or a network of its own."""
    return subprocess.run(
        ["unshare", options, "sh", "-ec", script], cwd=ROOT, text=True, capture_output=True,
        timeout=240, env={**os.environ, "PY": sys.executable, **more})


def can(options: str, script: str = "true") -> bool:
    try:
        return in_namespace(options, script).returncode == 0
    except OSError:
        return False


DISK = 'mkdir -p "$AT" && mount -t tmpfs -o size=64k none "$AT"\n'
needs_mounts = pytest.mark.skipif(
    not can("-rm", "mount -t tmpfs none /mnt"), reason="this machine lets nobody mount a disk")
needs_network = pytest.mark.skipif(
    not can("-rn"), reason="this machine lets nobody make a network of their own")


@needs_mounts
@pytest.mark.slow
@pytest.mark.parametrize("disk", ["full", "read-only"])
@pytest.mark.parametrize("arguments", [
    ("ask your_data {data} --html $AT/big.html", "big.html"),
    ("ask your_data {data} --csv $AT/big", ""),
    ("ask your_data {data} --save $AT/big.run.json", "big.run.json"),
    ("release {data} --mechanism laplace --out $AT/big.csv", "big.csv"),
    ("schema --dataset ma2019-twin --out $AT/big.json", "big.json"),
    ("population --rows 200000 --files 2 --out $AT/big", "big"),
], ids=lambda one: one[0].split("$AT/")[1])
def test_a_disk_that_is_full_or_read_only_is_one_line(
    disk: str, arguments: tuple[str, str], tmp_path: Path
) -> None:
    line, name = arguments
    given = line.format(data="--dataset ma2019-twin --features SEX,OWN_RENT")
    spoilt = {"full": 'cat /dev/zero > "$AT/ballast" 2> /dev/null || true',
              "read-only": 'mount -o remount,ro "$AT"'}[disk]
    done = in_namespace(
        "-rm", f'{DISK}{spoilt}\n"$PY" -m sdc_core {given} > /dev/null 2> "$SAID" || code=$?\n'
        'echo "$code"; ls -A "$AT"', AT=str(tmp_path / "disk"), SAID=str(tmp_path / "said"))
    said = (tmp_path / "said").read_text(encoding="utf-8")
    code, *left = done.stdout.split()
    assert code == "2", (done, said)
    assert said.startswith("error: ") and said.count("\n") == 1
    assert not [one for one in left if one.endswith(PART) or one == name], left


@needs_mounts
@pytest.mark.slow
def test_counts_that_cannot_be_kept_are_counted_all_the_same(tmp_path: Path) -> None:
    done = in_namespace(
        "-rm", f'{DISK}mount -o remount,ro "$AT"\n"$PY" -m sdc_core evaluate --dataset '
        f'"{TOWN}/town/*.parquet" --features SEX --mechanism laplace --json',
        AT=str(tmp_path / "disk"), SDC_COUNTS=str(tmp_path / "disk"))
    assert done.returncode == 0 and '"l1_bias"' in done.stdout, done


# Files that go or change while the app runs


@pytest.mark.slow
@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_bytes(b"PAR1" * 9)],
                         ids=["vanish", "are cut off"])
def test_records_of_a_database_that_go_while_the_app_runs_are_a_sentence(
    spoil: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Real files that go or change are in test_wrong_files."""
    shutil.copytree(f"{TOWN}/town", tmp_path / "town")
    monkeypatch.setenv("SDC_DATA", f"{tmp_path}/town/*.parquet")
    app = opened(None, "../pages/your_data.py")
    assert "60" in answer(app) and not app.error
    for path in (tmp_path / "town").glob("*.parquet"):
        spoil(path)
    app.run()
    assert not app.exception
    again = opened(None, "../pages/compare.py")
    assert answer(again) or again.error


# Letters, places, clocks, networks


@pytest.mark.slow
@pytest.mark.parametrize("letters", [
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONIOENCODING": "cp1252"}, {"PYTHONIOENCODING": "ascii"},
], ids=["LANG=C", "cp1252", "ascii"])
def test_a_terminal_with_few_letters_is_written_to(
    letters: Mapping[str, str], tmp_path: Path
) -> None:
    """Where ε is not among them it is written as \\u03b5; files have all letters."""
    page = tmp_path / "a.html"
    for arguments, code in ((["ask", "compare", *SMALL, "--html", str(page)], 0),
                            (["ask", "compare", *SMALL, "--json"], 0),
                            (["glossary"], 0), (["ask", "日本語", *SMALL], 2)):
        done = subprocess.run([sys.executable, "-m", "sdc_core", *arguments], cwd=ROOT, timeout=120,
                              capture_output=True, env={**os.environ, **letters})
        assert done.returncode == code, (arguments, done.stderr)
        assert b"Traceback" not in done.stderr and done.stderr.count(b"\n") == (code == 2)
        assert done.stdout or code
    assert "ε" in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_names_with_accents_and_spaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "Öl und Käse – été 日本"
    folder.mkdir()
    monkeypatch.chdir(folder)
    Path("mes données.csv").write_text("Größe,sex\n" + "klein,f\ngroß,m\n" * 30, encoding="utf-8")
    own = ("--dataset", "mes données.csv")
    command("ask", "compare", *own, "--html", "à voir.html", "--csv", "des tables",
            "--save", "le run.json")
    command("run", "le run.json")
    command("schema", *own, "--out", "le schéma.json")
    command("release", *own, "--mechanism", "geometric", "--out", "à publier.csv")
    assert read_release("à publier.csv").counts.sum() > 0  # type: ignore[union-attr]
    assert "mes données" in Path("à voir.html").read_text(encoding="utf-8")
    assert sorted(p.suffix for p in Path("des tables").iterdir())[0] == ".csv"


def test_a_clock_that_jumps_changes_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    app = opened(TWIN, "../pages/compare.py")
    before, now = answer(app), time.time()
    for jump in (-10**9, 10**9, -3600):
        monkeypatch.setattr(time, "time", lambda jump=jump: now + jump)
        app.run()
        assert not app.exception and answer(app) == before
        command("release", *SMALL, "--mechanism", "laplace")


OFFLINE = """
import fcntl, socket, struct, sys
with socket.socket() as line:  # the loopback of a new network is down
    fcntl.ioctl(line, 0x8914, struct.pack("16sh", b"lo", 1 | 0x40))
from sdc_core import cli
from tests.serving import serving
from tests.visitors import Visitor
try:
    socket.create_connection(("192.0.2.1", 80), timeout=1)
    sys.exit("there is a network")
except OSError:
    pass
assert cli.main(["ask", "compare", "--dataset", "ma2019-twin"]) == 0
with serving() as address, Visitor(address) as visitor:
    for question in ("compare", "map", "your_data"):
        run = visitor.open(question, data="ma2019-twin")
        assert run.headline and not run.exceptions and not run.errors, question
print("all of it")
"""


@needs_network
@pytest.mark.slow
def test_without_any_network_but_the_loopback_all_is_there() -> None:
    done = in_namespace("-rn", '"$PY" -c "$SCRIPT"', SCRIPT=OFFLINE)
    assert done.returncode == 0 and done.stdout.endswith("all of it\n"), done

"""Paths: to files of odd names, to what is no file, and to nothing.

What is right is how often each sex is in the file; None where nothing can be read.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.data_files import PEOPLE, text_of

GOOD = text_of(PEOPLE).encode()
RIGHT = {"m": 3, "f": 3}


@dataclass(frozen=True)
class PathCase:
    """`make` puts into a folder what is wanted and gives the path to it."""

    id: str
    make: Callable[[Path], str]
    right: dict[str, int] | None = None
    may_refuse: bool = False


def file(name: str, content: bytes = GOOD) -> Callable[[Path], str]:
    def make(home: Path) -> str:
        target = home / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        return str(target)

    return make


def said(text: str) -> Callable[[Path], str]:
    return lambda home: text


def inside(text: str, *names: str) -> Callable[[Path], str]:
    """A path below the folder, in which there are files of these names."""
    def make(home: Path) -> str:
        for name in names:
            file(name)(home)
        return f"{home}/{text}"

    return make


def link(to: str, name: str = "link.csv") -> Callable[[Path], str]:
    def make(home: Path) -> str:
        file("a.csv")(home)
        (home / name).symlink_to(to)
        return str(home / name)

    return make


def _two_links(home: Path) -> str:
    link("a.csv", "one.csv")(home)
    (home / "two.csv").symlink_to("one.csv")
    return str(home / "two.csv")


def _loop(home: Path) -> str:
    (home / "one.csv").symlink_to("two.csv")
    (home / "two.csv").symlink_to("one.csv")
    return str(home / "one.csv")


def _folder_loop(home: Path) -> str:
    (home / "deep").mkdir()
    (home / "deep" / "again").symlink_to("..")
    return str(home / "deep/again/deep/again/nothing.csv")


def _pipe(home: Path) -> str:
    os.mkfifo(home / "pipe.csv")
    return str(home / "pipe.csv")


def _folder_with_pipe(home: Path) -> str:
    _pipe(home)
    return str(home / "*.csv")


def _socket(home: Path) -> str:
    here = os.getcwd()
    os.chdir(home)  # the name of a socket may only be short
    try:
        socket.socket(socket.AF_UNIX).bind("socket.csv")
    finally:
        os.chdir(here)
    return str(home / "socket.csv")


def _closed_file(home: Path) -> str:
    path = Path(file("a.csv")(home))
    path.chmod(0)
    return str(path)


def _closed_folder(home: Path) -> str:
    path = Path(file("shut/a.csv")(home))
    path.parent.chmod(0)
    return str(path)


def _sparse(size: int, name: str) -> Callable[[Path], str]:
    def make(home: Path) -> str:
        with open(home / name, "wb") as out:
            out.truncate(size)
        return str(home / name)

    return make


def _relative(home: Path) -> str:
    return os.path.relpath(file("a.csv")(home))


def _folder(home: Path) -> str:
    file("many/a.csv")(home)
    return str(home / "many")


def _other_folder(home: Path) -> str:
    file("many/a.txt")(home)
    file("many/b.png")(home)
    return str(home / "many")


def _called_like_a_file(home: Path) -> str:
    (home / "a.csv").mkdir()
    return str(home / "a.csv")


_GOOD: dict[str, Callable[[Path], str]] = {
    "plain": file("a.csv"), "spaces": file(" my  file .csv"), "accents": file("Zürich é Łódź.csv"),
    "emoji": file("😀.csv"), "a line break": file("a\nb.csv"), "quotes": file("a'b\"c.csv"),
    "a dash": file("-rf.csv"), "percent": file("%2e%2e%00.csv"), "a dollar": file("$(id).csv"),
    "a semicolon": file("a;b|c&d.csv"), "Markdown": file("![x](x).csv"), "capitals": file("A.CSV"),
    "two endings": file("a.csv.csv"), "no ending": file("people"), "hidden": file(".people.csv"),
    "a link": link("a.csv"), "a link to a link": _two_links, "climbing": inside("x/../a.csv",
                                                                               "a.csv", "x/b.csv"),
    "a slash at the end": inside("a.csv/", "a.csv"), "slashes": inside("//.//a.csv", "a.csv"),
    "relative": _relative, "a folder": _folder,
    "a pattern": inside("*.csv", "a.csv"), "a name of 255 letters": file("x" * 251 + ".csv"),
}
_EITHER: dict[str, Callable[[Path], str]] = {
    "a file that may not be read": _closed_file,  # root may
    "in a folder that may not be looked into": _closed_folder,
    "brackets": file("[a].csv"), "braces": file("{a,b}.csv"), "a star": file("a*.csv"),
    "a question mark": file("a?.csv"), "a backslash": file("a\\b.csv"),
}
_BAD: dict[str, Callable[[Path], str]] = {
    "nothing there": inside("no.csv"), "no folder": inside("no/no.csv"),
    "an empty folder": inside(""), "a folder of other files": _other_folder,
    "a folder called like a file": _called_like_a_file,
    "below a file": inside("a.csv/b.csv", "a.csv"),
    "a link to nothing": link("no.csv"), "a link to itself": link("link.csv"),
    "links in a circle": _loop, "folders in a circle": _folder_loop,
    "a link to a device": link("/dev/zero"), "a pipe": _pipe,
    "a pattern of pipes": _folder_with_pipe,
    "a socket": _socket, "an empty file": file("a.csv", b""),
    "a pattern without match": inside("*.csv"), "stars": inside("**/*.parquet"),
    "300 MB of nothing": _sparse(300_000_000, "a.xlsx"), "a terabyte": _sparse(10**12, "a.sav"),
    "a database of noise": file("a.duckdb", bytes(range(256)) * 20),
    **{text: said(text) for text in (
        "/dev/zero", "/dev/null", "/dev/random", "/dev/stdin", "/dev/full", "/dev/fd/0",
        "/proc/self/mem", "/proc/self/pagemap", "/proc/kmsg", "/proc/kcore", "/proc/self/environ",
        "/proc/self/fd", "/proc/sysrq-trigger", "/sys/kernel", "/", ".", "..", "", " ", "~",
        "~/nothing.csv", "~nobody/nothing.csv", "\x00", "a\x00.csv", "a.csv\x00.png", "\ud800.csv",
        "http://elsewhere.invalid/a.csv", "https://elsewhere.invalid/a.csv", "file:///etc/passwd",
        "ftp://elsewhere.invalid/a.csv", "s3://bucket/a.parquet", "\\\\server\\share\\a.csv",
        "C:\\a.csv", "|cat /etc/passwd", "$(id)", "`id`", "'; drop table x; --", "MA2019",
        "ma2019 ", "1", "-", "--", "\n", "*", "[", "{", "?")},
    "5,000 letters": said("x" * 5_000), "5,000 letters of a file": said("x" * 5_000 + ".csv"),
    "a hundred thousand letters": said("x/" * 50_000 + "a.csv"),
    "a name of 300 letters": said("x" * 300 + ".csv"),
}

CASES = [
    *(PathCase(k, make, RIGHT) for k, make in _GOOD.items()),
    *(PathCase(k, make, RIGHT, True) for k, make in _EITHER.items()),
    *(PathCase(k, make) for k, make in _BAD.items()),
]

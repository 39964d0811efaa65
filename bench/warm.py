"""Runs tests against planted faults in a process that has imported and collected them once.

For each fault the process is forked; the child takes the changed functions' code in place of theirs
and runs the tests that were asked for until one fails. A fault in what runs when a module is
imported (a constant, a declaration) cannot be planted like that and is answered with `fresh`.
The file itself is changed meanwhile, for tests that read it or start a process of their own.

    python -m bench.warm tests/test_a.py ... < faults, one JSON object a line > one outcome a line
"""

from __future__ import annotations

import gc
import inspect
import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from _pytest.runner import runtestprotocol

Change = tuple[CodeType, CodeType]


class Warm:
    """Answers faults from standard input once all tests are collected."""

    def __init__(self, answers: int) -> None:
        self._answers = os.fdopen(answers, "w")
        self._sound: set[str] = set()  # tests that pass here while no fault is planted

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._items = {item.nodeid: item for item in session.items}
        for line in sys.stdin:
            print(self._outcome(**json.loads(line)), file=self._answers, flush=True)
        return True

    def _outcome(self, file: str, planted: str, tests: list[str], patience: float) -> str:
        path, source = Path(file), Path(file).read_bytes()
        changes = _changes(source, planted.encode())
        if changes is None:
            return "fresh"
        left = [item for test in tests for name, item in self._items.items()
                if name == test or name.startswith(f"{test}::")]
        while True:
            path.write_bytes(planted.encode())
            try:
                said = self._run(left, changes, patience)
            finally:
                path.write_bytes(source)
            if said not in self._items:
                return said
            if said not in self._sound and self._run([self._items[said]], [], patience) == said:
                left = [item for item in left if item.nodeid != said]  # fails without a fault, too
            else:
                self._sound.add(said)
                return f"killed by {said}"

    def _run(self, tests: list[pytest.Item], changes: list[Change], patience: float) -> str:
        """What a child with these changes says: the test that failed, `survived` or `hung`."""
        told, tell = os.pipe()
        child = os.fork()
        if not child:
            os.setsid()
            for number in (0, 1, 2):
                os.dup2(os.open(os.devnull, os.O_RDWR), number)
            os.write(tell, _first_failing(tests, changes).encode())
            os._exit(0)
        os.close(tell)
        until = time.monotonic() + patience
        with os.fdopen(told) as read:
            while os.waitpid(child, os.WNOHANG) == (0, 0):
                if time.monotonic() > until:
                    os.killpg(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                    return "hung"
                time.sleep(0.005)
            return read.read() or "hung"  # a child that is gone without a word


def _first_failing(tests: list[pytest.Item], changes: list[Change]) -> str:
    became = dict(changes)
    try:
        for one in gc.get_objects():
            if isinstance(one, FunctionType) and one.__code__ in became:
                one.__code__ = became[one.__code__]
    except ValueError:  # it closes over other variables
        return "fresh"
    for item, after in zip(tests, [*tests[1:], None], strict=False):
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=after)):
            return item.nodeid
    return "survived"


def _changes(before: bytes, planted: bytes) -> list[Change] | None:
    """Functions that differ, as they are and as they become; None if more than functions does."""
    old, new = (compile(text, "", "exec", dont_inherit=True) for text in (before, planted))
    functions = []
    for one, other in _differing(old, new):
        if one.co_flags & inspect.CO_OPTIMIZED:
            functions.append((one, other))
        elif _plain(one) != _plain(other):
            return None
    return functions


def _differing(old: CodeType, new: CodeType) -> Iterator[Change]:
    if old != new:
        yield old, new
        pairs = [[c for c in code.co_consts if isinstance(c, CodeType)] for code in (old, new)]
        for one, other in zip(*pairs, strict=False):
            yield from _differing(one, other)


def _plain(code: CodeType) -> tuple[object, ...]:
    """What a module or a class does itself, apart from the functions it makes."""
    constants = [None if isinstance(c, CodeType) else (type(c), c) for c in code.co_consts]
    return code.co_code, code.co_names, constants


if __name__ == "__main__":
    answers = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.exit(pytest.main(
        ["-q", "-s", "-p", "no:cacheprovider", "-m", "not browser", *sys.argv[1:]],
        plugins=[Warm(answers)]))

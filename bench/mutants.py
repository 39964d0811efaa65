"""`make mutants`: would the tests notice if what is shown were wrong?

A mutant is the program with one small fault planted: a sign or a comparison turned round, two
titles or two arguments exchanged, a scale reversed, a number one off, a key or a word changed, a
condition dropped. Faults are planted in the questions, the figures, the words and the app, drawn at
random with a seed; with `--sense` only in sentences, by turning what one word says (more to less,
too high to too low), and with `--fixed` also in texts that stay the same. Each mutant is run
against the tests that reach the changed line (found by one run under coverage), the quickest first
and in a process that is forked for each fault (`bench/warm.py`); it is killed if one fails. What
survives is listed with its place, to be killed by a better test or explained in docs/testing.md.

    python -m bench.mutants [--number 200] [--seed 1] [--only sdc_core/questions/map] [--again]
                            [--sense [--fixed]]
"""

from __future__ import annotations

import argparse
import ast
import concurrent.futures
import difflib
import io
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

ROOT = Path(__file__).resolve().parents[1]
WHERE = ("sdc_core/questions", "sdc_core/figures", "sdc_core/words", "sdc_core/lessons",
         "sdc_core/report", "ui")
TESTS = (
    "tests/test_question_*.py", "tests/test_every_*.py", "tests/test_contract.py",
    "tests/test_pages.py", "tests/test_shared_*.py", "tests/test_parameters.py",
    "tests/test_map_drawing.py", "tests/test_ui_*.py", "tests/test_asking.py",
    "tests/test_own_data.py", "tests/test_cli.py", "tests/test_ranking.py", "tests/test_ledger.py",
    "tests/test_sampling_error.py", "tests/test_see.py", "tests/test_your_data.py",
    "tests/test_release_page.py", "tests/test_glossary.py", "tests/test_run_file.py",
    "tests/test_code.py", "tests/test_columns.py", "tests/test_read_off.py",
    "tests/test_weights.py", "tests/test_households.py", "tests/test_own_files.py",
    "tests/test_page_places.py", "tests/test_limits.py", "tests/test_told_back.py",
    "tests/test_chart_details.py", "tests/test_brief.py", "tests/test_lessons.py",
    "tests/test_calibrate.py", "tests/test_edges.py", "tests/test_sentences.py",
    "tests/test_report_edges.py", "tests/test_brief_edges.py", "tests/test_lab_edges.py",
    "tests/test_seldom_said.py", "tests/test_order_and_room.py", "tests/test_drawing_edges.py",
    "tests/test_words_at_ties.py",
)
READERS = "tests/test_claims.py"
SENSE = "sense turned"
REACH = ROOT / ".bench" / "mutants-reach.json"
WARM_SECONDS = 10  # of tests that reach a line, the quickest that take so much of the processor
MOST_SECONDS = 60  # the same, for what survives those
PATIENCE = 300  # seconds until a mutant counts as hung, and so as killed


class Reach(TypedDict):
    """How long each test kept the processor busy, which tests run each line of each file; and the
    files of tests and of the program as they were then."""

    took: dict[str, float]
    reach: dict[str, dict[str, list[str]]]
    tests: dict[str, str]
    sources: dict[str, list[str]]


@dataclass(frozen=True)
class Mutant:
    """One planted fault: a piece of a file, and what takes its place."""

    file: str
    line: int
    start: int
    end: int
    kind: str
    before: str
    after: str

    def planted(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.kind}: {self.before[:70]!r} → {self.after[:70]!r}"


_COMPARED = {
    ast.Lt: ("<", ">="), ast.LtE: ("<=", ">"), ast.Gt: (">", "<="), ast.GtE: (">=", "<"),
    ast.Eq: ("==", "!="), ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"), ast.Is: ("is", "is not"), ast.IsNot: ("is not", "is"),
}
_REPLACED = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "/"), ast.Div: ("/", "*")}
_CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "argmin": "argmax",
           "argmax": "argmin", "floor": "ceil", "ceil": "floor"}

_COSMETIC = {
    "size", "width", "height", "row_height", "standoff", "opacity", "pad", "margin", "font", "icon",
    "help", "gap", "hoverlabel", "borderwidth", "borderpad", "thickness", "len", "xpad", "ypad",
    "gridcolor", "zerolinecolor", "zerolinewidth", "gridwidth", "ticklen", "nticks", "automargin",
    "yshift", "xshift", "yanchor", "xanchor", "align", "template", "vertical_alignment", "layer",
    "bargap", "bargroupgap", "title_standoff", "dtick", "hovermode", "displaylogo", "scale",
    "paper_bgcolor", "plot_bgcolor", "cliponaxis", "arrowhead", "arrowsize", "ax", "ay", "pattern",
    "show_spinner", "max_entries", "placeholder", "note", "textposition", "side", "legend", "key",
}
_OPPOSITES = (
    ("more", "less"), ("most", "least"), ("higher", "lower"), ("high", "low"), ("above", "below"),
    ("best", "worst"), ("better", "worse"), ("many", "few"), ("larger", "smaller"),
    ("largest", "smallest"), ("gain", "lose"), ("gains", "loses"), ("gained", "lost"),
    ("holds", "fails"), ("always", "never"), ("adds", "takes"), ("at least", "at most"),
    ("closer", "further"), ("nobody", "everybody"), ("exact", "simulated"), ("real", "synthetic"),
    ("weaker", "stronger"), ("richer", "poorer"), ("earlier", "later"), ("easier", "harder"),
    ("wider", "narrower"), ("steeper", "flatter"), ("first", "last"), ("both", "neither"),
)
_TURNED = dict(_OPPOSITES) | {b: a for a, b in _OPPOSITES}
_SENSE = re.compile(rf"(?<![\w.])({'|'.join(sorted(_TURNED, key=len, reverse=True))})(?![\w=(\[])")
_COMPUTED = ("words.py", "captions.py", "figures.py", "notes.py", "lanes.py", "census.py",
             "perverse.py", "coverage.py", "households.py", "chance.py", "ranking.py",
             "conventions.py", "sampling.py", "ledger.py", "guarantees.py", "evaluations.py")


class Planter:
    """All faults that could be planted in one file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.source = (ROOT / file).read_bytes()
        self._starts = [0]
        for line in self.source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._tree = ast.parse(self.source)
        self._skipped = self._words_about_code()
        self._keys = {  # names of columns and entries may have several words
            id(k) for n in ast.walk(self._tree) if isinstance(n, ast.Dict) for k in n.keys
        } | {id(n.slice) for n in ast.walk(self._tree) if isinstance(n, ast.Subscript)}

    def _words_about_code(self) -> set[int]:
        """What cannot make a shown thing wrong: docstrings, annotations, declarations of data
        classes, `strict=` of zip, the types that isinstance is asked about, and what only sets a
        size, a distance, an icon or a hint."""
        found: set[int] = set()
        for node in ast.walk(self._tree):
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
                for decorator in node.decorator_list:
                    found |= {id(inner) for inner in ast.walk(decorator)}
            if isinstance(node, ast.keyword) and node.arg in _COSMETIC | {"strict"}:
                found |= {id(inner) for inner in ast.walk(node.value)}
            if isinstance(node, ast.Dict):
                for key, value in zip(node.keys, node.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value in _COSMETIC:
                        found |= {id(inner) for inner in ast.walk(value)}
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                found |= {id(inner) for inner in ast.walk(node.args[1])}
            if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
                found.add(id(node.comparators[0]))  # in whichever order they are listed
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("min", "max"):
                found |= {id(a) for a in node.args if isinstance(a, (ast.List, ast.Tuple))}
        for node in ast.walk(self._tree):
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(
                    body[0].value, ast.Constant):
                found.add(id(body[0].value))
            for part in (getattr(node, "annotation", None), getattr(node, "returns", None)):
                if part is not None:
                    found |= {id(inner) for inner in ast.walk(part)}
        return found

    def _span(self, node: ast.AST) -> tuple[int, int]:
        first, last = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        return (self._starts[first - 1] + node.col_offset,  # type: ignore[attr-defined]
                self._starts[last - 1] + node.end_col_offset)  # type: ignore[attr-defined]

    def _text(self, start: int, end: int) -> str:
        return self.source[start:end].decode()

    def _made(self, node: ast.AST, kind: str, start: int, end: int, after: str) -> Mutant:
        return Mutant(self.file, node.lineno, start, end, kind,  # type: ignore[attr-defined]
                      self._text(start, end), after)

    def mutants(self) -> Iterator[Mutant]:
        for node in ast.walk(self._tree):
            if id(node) not in self._skipped:
                yield from self._of(node)

    def senses(self) -> Iterator[Mutant]:
        """Every word of a shown sentence that says which way round, said the other way."""
        docstrings = {
            n.value.lineno for n in ast.walk(self._tree)
            if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
        }
        text = self.source.decode()
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type != tokenize.STRING or token.start[0] in docstrings:
                continue
            if token.string.count(" ") < 2:  # a name or a key, not a sentence
                continue
            line = text.splitlines()[token.start[0] - 1]
            start = self._starts[token.start[0] - 1] + len(line[: token.start[1]].encode())
            for at in _SENSE.finditer(re.sub(r"{[^{}]*}", lambda m: "_" * len(m[0]), token.string)):
                a = start + len(token.string[: at.start()].encode())
                yield Mutant(self.file, token.start[0], a, a + len(at[0].encode()), SENSE,
                             at[0], _TURNED[at[0]])

    def _of(self, node: ast.AST) -> Iterator[Mutant]:
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from self._between(node, node.left, node.comparators[0],
                                     *_COMPARED[type(node.ops[0])], "comparison turned")
        elif isinstance(node, ast.BinOp) and type(node.op) in _REPLACED:
            yield from self._between(node, node.left, node.right, *_REPLACED[type(node.op)],
                                     "arithmetic turned")
        elif isinstance(node, ast.BoolOp):
            words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
            yield from self._between(node, node.values[0], node.values[1], *words,
                                     "condition changed")
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Not)):
            start, end = self._span(node)
            inner = self._text(*self._span(node.operand))
            yield self._made(node, "sign or not dropped", start, end, f"({inner})")
        elif isinstance(node, ast.Constant):
            yield from self._constant(node)
        elif isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Load):
            if len(node.elts) > 1 and not any(isinstance(e, ast.Starred) for e in node.elts[:2]):
                yield self._exchanged(node, node.elts[0], node.elts[1], "two elements exchanged")
        elif isinstance(node, ast.Dict):
            pairs = [v for k, v in zip(node.keys, node.values, strict=True) if k is not None]
            if len(pairs) > 1:
                yield self._exchanged(node, pairs[0], pairs[-1], "two entries exchanged")
        elif isinstance(node, ast.Call):
            yield from self._call(node)
        elif isinstance(node, ast.If):
            start, end = self._span(node.test)
            yield self._made(node, "condition always met", start, end, "True")

    def _between(
        self, node: ast.AST, left: ast.AST, right: ast.AST, old: str, new: str, kind: str
    ) -> Iterator[Mutant]:
        start, end = self._span(left)[1], self._span(right)[0]
        found = list(re.finditer(rf"(?<![\w]){re.escape(old)}(?![\w=])", self._text(start, end)))
        if found:
            text = self._text(start, end)
            at = found[0]
            yield self._made(node, kind, start, end, text[: at.start()] + new + text[at.end() :])

    def _constant(self, node: ast.Constant) -> Iterator[Mutant]:
        start, end = self._span(node)
        text = self._text(start, end)
        if isinstance(node.value, bool):
            yield self._made(node, "flag turned", start, end, str(not node.value))
        elif isinstance(node.value, (int, float)):
            yield self._made(node, "number changed", start, end, repr(node.value + 1))
        elif isinstance(node.value, str) and re.match(r"[\"']", text):
            words = re.findall(r"\w+", node.value)
            if words and "\n" not in text and (" " not in node.value or id(node) in self._keys):
                yield self._made(node, "word changed", start, end,
                                 text.replace(words[-1], f"{words[-1]}x", 1))

    def _call(self, node: ast.Call) -> Iterator[Mutant]:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(
            node.func, "id", "")
        if name in _CALLED:
            start, end = self._span(node.func)
            yield self._made(node, "function changed", start, end,
                             self._text(start, end)[: -len(name)] + _CALLED[name])
        plain = [a for a in node.args if not isinstance(a, ast.Starred)]
        if name in ("min", "max"):
            return  # of whichever order
        if len(plain) > 1 and len(plain) == len(node.args):
            yield self._exchanged(node, plain[0], plain[1], "two arguments exchanged")

    def _exchanged(self, node: ast.AST, one: ast.AST, other: ast.AST, kind: str) -> Mutant:
        (a, b), (c, d) = self._span(one), self._span(other)
        after = self._text(c, d) + self._text(b, c) + self._text(a, b)
        return self._made(node, kind, a, d, after)


def drawn(
    number: int, seed: int, only: str, sense: bool = False, fixed: bool = False
) -> list[Mutant]:
    """That many mutants that differ from the program and can be read by Python: first a file by its
    number of lines, then a kind of fault, then a place, so that words do not crowd out signs."""
    files = sorted(
        str(p.relative_to(ROOT)) for where in WHERE for p in (ROOT / where).rglob("*.py")
        if (p.name != "method.py" or fixed) and str(p.relative_to(ROOT)).startswith(only)
        and (not sense or fixed or p.name.endswith(_COMPUTED))
    )
    every = {
        file: list(Planter(file).senses() if sense else Planter(file).mutants()) for file in files
    }
    every = {file: found for file, found in every.items() if found}
    rng, taken = random.Random(seed), set()
    while len(taken) < min(number, sum(map(len, every.values()))):
        file = rng.choices(list(every), [len(found) for found in every.values()])[0]
        kinds = sorted({m.kind for m in every[file]})
        kind = rng.choice(kinds)
        mutant = rng.choice([m for m in every[file] if m.kind == kind])
        try:
            same = ast.dump(ast.parse(mutant.planted((ROOT / file).read_bytes()))) == ast.dump(
                ast.parse((ROOT / file).read_bytes()))
        except SyntaxError:
            same = True
        if same:
            every[file].remove(mutant)
        else:
            taken.add(mutant)
    return sorted(taken, key=lambda m: (m.file, m.line, m.start))


_REACHED = """
import json, sys, time
import coverage, pytest
from sdc_core import keep
from _pytest.runner import runtestprotocol

SHOWN = ("tests.", "sdc_core.questions", "sdc_core.figures", "sdc_core.words", "ui.")

class Contexts:
    # Each test on its own: what an earlier one has left in a cache or a fixture is thrown away, or
    # lines would seem to be reached by none but the first test that asks for them.
    def __init__(self, cov): self.cov, self.took, self.failed = cov, {}, set()
    def pytest_runtest_logreport(self, report):
        if report.failed: self.failed.add(report.nodeid)
    def pytest_collectreport(self, report):
        if report.failed: self.failed.add(report.nodeid)
    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        for module in [m for name, m in sys.modules.items() if name.startswith(SHOWN)]:
            for kept in list(vars(module).values()):
                if callable(getattr(kept, "cache_clear", None)):
                    kept.cache_clear()
        for kept in list(keep._ALL):
            kept.clear()
        self.cov.switch_context(item.nodeid); start = time.process_time()
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        runtestprotocol(item, nextitem=None)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        self.took[item.nodeid] = time.process_time() - start
        return True

cov = coverage.Coverage(data_file=None, include=json.loads(sys.argv[2]))
cov.start()
seen = Contexts(cov)
pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[3:]], plugins=[seen])
cov.stop()
data = cov.get_data()
reach = {}
for file in data.measured_files():
    reach[file] = {str(n): [c for c in found if c] for n, found in
                   data.contexts_by_lineno(file).items()}
json.dump({"failed": sorted(seen.failed), "took": seen.took, "reach": reach},
          open(sys.argv[1], "w"))
"""


def reached(workers: int, again: bool) -> Reach:
    """Which test runs which line, from one run of the tests about what is shown; `again` runs only
    files of tests that have changed since, and finds lines of the program where they are now."""
    REACH.parent.mkdir(exist_ok=True)
    tests = {
        str(p.relative_to(ROOT)): p.read_text() for pattern in TESTS for p in ROOT.glob(pattern)}
    found = _brought_forward(json.loads(REACH.read_text()), tests) if (
        again and REACH.exists()) else Reach(took={}, reach={}, tests={}, sources={})
    due = sorted(tests.keys() - found["tests"].keys(), key=lambda p: -len(tests[p]))
    parts = [REACH.with_suffix(f".{n}") for n in range(workers)]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", _REACHED, str(part), json.dumps([f"{w}/**" for w in WHERE]),
             *due[n::workers], "-m", "not browser"], cwd=ROOT, stdout=subprocess.DEVNULL)
        for n, part in enumerate(parts[:len(due)])
    ]
    for one in running:
        one.wait()
    failed = []
    for part in parts[:len(due)]:
        read = json.loads(part.read_text())
        failed += read["failed"]
        found["took"] |= read["took"]
        for file, lines in read["reach"].items():
            known = found["reach"].setdefault(str(Path(file).relative_to(ROOT)), {})
            for line, names in lines.items():
                known[line] = [*known.get(line, []), *names]
    if failed:  # such a test would "kill" every fault
        raise SystemExit("\n".join(["These tests fail without any fault planted:", *failed]))
    found["tests"] = tests
    found["sources"] = {file: (ROOT / file).read_text().split("\n") for file in found["reach"]}
    REACH.write_text(json.dumps(found))
    return found


def _brought_forward(old: Reach, tests: dict[str, str]) -> Reach:
    same = {file for file, text in old["tests"].items() if tests.get(file) == text}
    kept = {test for test in old["took"] if test.partition("::")[0] in same}
    reach: dict[str, dict[str, list[str]]] = {}
    for file, lines in old["reach"].items():
        if not (ROOT / file).exists():
            continue
        now = (ROOT / file).read_text().split("\n")
        blocks = difflib.SequenceMatcher(
            None, old["sources"][file], now, autojunk=False).get_matching_blocks()
        moved = {str(b.a + i + 1): str(b.b + i + 1) for b in blocks for i in range(b.size)}
        reach[file] = {moved[n]: [t for t in names if t in kept]
                       for n, names in lines.items() if n in moved}
    return Reach(took={t: old["took"][t] for t in kept}, reach=reach,
                 tests={file: tests[file] for file in same}, sources={})


def tests_for(mutant: Mutant, known: Reach, seconds: float) -> list[str]:
    """The quickest tests that run the changed line; for a line that runs on import only, those
    that run anything of its file."""
    lines = known["reach"].get(mutant.file, {})
    found = set(lines.get(str(mutant.line), []))
    if not found:
        inside = _lines_of_function(mutant)
        found = {t for n, tests in lines.items() for t in tests if not inside or int(n) in inside}
    quickest = sorted(found, key=lambda test: known["took"].get(test, 0.0))
    ends = itertools.accumulate(known["took"].get(test, 0.0) for test in quickest)
    taken = [test for test, end in zip(quickest, ends, strict=True) if end <= seconds]
    # Some tests read texts where they are written, so no line leads to them.
    return [*taken, READERS] if mutant.kind == SENSE else taken


def _lines_of_function(mutant: Mutant) -> set[int]:
    tree = ast.parse((ROOT / mutant.file).read_bytes())
    spans: list[range] = [
        range(n.body[0].lineno, (n.end_lineno or n.lineno) + 1) for n in ast.walk(tree)
        if isinstance(n, ast.FunctionDef) and n.body[0].lineno <= mutant.line <= (n.end_lineno or 0)
    ]
    return set(min(spans, key=len)) if spans else set()


class Tree:
    """A copy of the tree to plant faults in, and a process that has its tests at hand."""

    def __init__(self, parent: Path, number: int, known: Reach) -> None:
        self._folder, self._known = copy_of_tree(parent, number), known
        self._warm = subprocess.Popen(
            [sys.executable, "-m", "bench.warm", *sorted(known["tests"]), READERS],
            cwd=self._folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def tried(self, mutant: Mutant) -> str:
        """`killed`, `survived`, `hung` or `not reached`. What survives the quickest tests is tried
        with more of them, and in a process that imports the fault: what a module works out when it
        is imported is not changed by changing its functions."""
        if not tests_for(mutant, self._known, MOST_SECONDS):
            return "not reached"
        said = self._warmly(mutant, tests_for(mutant, self._known, WARM_SECONDS))
        if said.startswith(("killed", "hung")):
            return said.split()[0]
        return self._freshly(mutant, tests_for(mutant, self._known, MOST_SECONDS))

    def _warmly(self, mutant: Mutant, tests: list[str]) -> str:
        assert self._warm.stdin and self._warm.stdout
        planted = mutant.planted((ROOT / mutant.file).read_bytes()).decode()
        asked = {"file": mutant.file, "planted": planted, "tests": tests, "patience": PATIENCE}
        print(json.dumps(asked), file=self._warm.stdin, flush=True)
        return self._warm.stdout.readline()

    def _freshly(self, mutant: Mutant, tests: list[str]) -> str:
        path, source = self._folder / mutant.file, (ROOT / mutant.file).read_bytes()
        path.write_bytes(mutant.planted(source))
        try:
            ran = subprocess.run(
                [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests],
                cwd=self._folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                timeout=PATIENCE, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            )
            return "survived" if ran.returncode == 0 else "killed"
        except subprocess.TimeoutExpired:
            return "hung"
        finally:
            path.write_bytes(source)

    def close(self) -> None:
        assert self._warm.stdin
        self._warm.stdin.close()
        self._warm.wait()


def copy_of_tree(parent: Path, number: int) -> Path:
    tree = parent / f"tree-{number}"
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout.split("\n")
    for name in filter(None, listed):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    return tree


def main() -> int:
    ask = argparse.ArgumentParser(description=__doc__)
    ask.add_argument("--number", type=int, default=200)
    ask.add_argument("--seed", type=int, default=1)
    ask.add_argument("--only", default="", help="files whose path starts so")
    ask.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    ask.add_argument("--sense", action="store_true", help="only turn the words of sentences")
    ask.add_argument("--fixed", action="store_true", help="with --sense: in fixed texts, too")
    ask.add_argument("--again", action="store_true", help="run only tests changed since, for reach")
    options = ask.parse_args()
    known = reached(options.workers, options.again)
    mutants = drawn(
        options.number, options.seed, options.only, options.sense, options.fixed)
    began, outcomes = time.monotonic(), {}
    with tempfile.TemporaryDirectory() as folder:
        trees = [Tree(Path(folder), n, known) for n in range(options.workers)]
        with concurrent.futures.ThreadPoolExecutor(options.workers) as pool:
            def one(mutant: Mutant) -> tuple[Mutant, str]:
                tree = trees.pop()
                try:
                    return mutant, tree.tried(mutant)
                finally:
                    trees.append(tree)

            for mutant, outcome in pool.map(one, mutants):
                outcomes[mutant] = outcome
                print(f"{outcome:11} {mutant}", flush=True)
        for tree in trees:
            tree.close()
    counts = Counter(outcomes.values())
    dead = counts["killed"] + counts["hung"]
    print(f"\n{dead} of {len(mutants)} killed ({100 * dead / max(1, len(mutants)):.1f}%), seed "
          f"{options.seed}, {time.monotonic() - began:.0f} s: {dict(counts)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

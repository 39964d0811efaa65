"""Links and commands as nobody meant them: every key of every question's link, and every command.

Whatever a link says, its page answers or says in a sentence why not; it ends in no exception, and
nothing of the link becomes markup. Whatever a command is given, it ends with 0, or with 2 and one
line. `tests/test_fuzz.py` tries the same few in every run; `make fuzz SECONDS=3600 SEED=1` tries on
and on, with another seed each round, and writes what it finds to test-output/fuzz.jsonl.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import json
import os
import re
import resource
import shlex
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from streamlit import config
from streamlit.testing.v1 import AppTest

from sdc_core import cli
from sdc_core.mechanisms import mechanisms
from sdc_core.parameters import Choice, Flag, Integer, Param, Real
from sdc_core.questions import QUESTIONS
from sdc_core.questions.study import DOMAIN, EMPTY_GROUPS
from tests.contract import contract
from tests.page_driver import ENTRY, _switch, unfold
from tests.page_driver import answer as headline

Link = dict[str, str]
Visit = list[tuple[str, Link]]  # pages by their addresses, each with the link that opens it

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 120  # seconds for a page; for a command half of that
LONGEST_SENTENCE = 1_300  # characters that a page or a command says about one mistake
TWINS = ("ma2019-twin", "national2019-twin", "svcensus-twin")
FEATURES = ("PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K")

# The word by which what comes from a link is known again. Nothing else has it.
MARK = "zq"
MARKUP = (
    f"<img src=//{MARK}.invalid/x onerror={MARK}()>", f"<script>{MARK}()</script>",
    f'"><svg onload={MARK}()>', f"</style><b id={MARK}>", f"<iframe src=//{MARK}.invalid>",
    f"![{MARK}](https://{MARK}.invalid/i.png)", f"[{MARK}](https://{MARK}.invalid)",
    f"https://{MARK}.invalid/a", f"www.{MARK}.invalid", f"me@{MARK}.invalid", f":red[{MARK}]",
    f":material/home: {MARK}", f"${MARK}$", f"**{MARK}**", f"`{MARK}`", f"# {MARK}",
    f'<a href="https://{MARK}.invalid">{MARK}</a>', f"javascript:{MARK}()",
)
NUMBERS = (
    "nan", "NaN", "inf", "-inf", "1e308", "1e999", "-1e-320", "-0", "0", "-1", "1", "2", "0.5",
    "1e400", "9" * 400, "10" * 12, "1_000", "١٢", "0x10", "1,5", "1e", "+", "--1", "1e-300",
    "2147483648", "9223372036854775808", "0.1 + 0.2", "½", "１", " 1 ", "1\n",
)
WORDS = (
    "", " ", "none", "None", "null", "true", "false", "*", ",", ",,,", "PUMA,PUMA", "%2C", "%",
    "%ZZ", "a,b", "[]", "[1, 2]", "{}", '{"a": 1}', "{0}", "{self}", "%s%n", "\\", "'", '"',
    "\0", "\x1b[31m", "\ud7ff", "\ufeff", "\u202e", "é", "日本語", "🏳️‍🌈", "a" * 5_000,
    "A,B," * 2_000, "\n" * 500, "../../etc/passwd", "/etc/passwd", "own", "own-000000000000",
    "@/dev/zero", "PUMA: @/etc/passwd", "RAC1P: 1, 2 | 3", "__class__", "constructor", "m1",
)
HOSTILE = (*MARKUP, *NUMBERS, *WORDS)

_hostile = st.one_of(
    st.sampled_from(HOSTILE), st.integers().map(str), st.floats().map(str),
    st.text(max_size=60).filter(lambda text: "\0" not in text),
    st.tuples(st.sampled_from(HOSTILE), st.sampled_from(HOSTILE)).map("".join),
)


# What links can say


def _params() -> dict[str, tuple[Param, ...]]:
    return {declared.name: declared.params for declared in mechanisms()}


def _plausible(param: Param) -> st.SearchStrategy[str]:
    """Values that a parameter may well have, and some just beyond its ends."""
    if isinstance(param, Real):
        ends = [v for v in (*param.range, param.low, param.high) if abs(v) < 1e6]
        near = [v + d for v in ends for d in (-1, 0, 1)]
        whole = isinstance(param, Integer)
        return st.sampled_from([param.text(int(v) if whole else v) for v in (*near, 1, 3)])
    if isinstance(param, Choice):
        return st.sampled_from(param.choices)
    if isinstance(param, Flag):
        return st.sampled_from(["true", "false"])
    return st.lists(st.sampled_from(FEATURES), max_size=3).map(",".join)


_METHODS = _params()
_OTHERS = ("brief", "teach", "glossary", "")  # pages that are not questions
_SHARED: dict[str, st.SearchStrategy[str]] = {
    "data": st.sampled_from((*TWINS, "ma2019", "pef", "own", "large")),
    "features": st.lists(st.sampled_from(FEATURES), max_size=4).map(",".join),
    "empty": st.sampled_from(EMPTY_GROUPS.choices), "domain": st.sampled_from(DOMAIN.choices),
    "count": st.sampled_from(("records", "represented")), "seed": st.integers(0, 99).map(str),
}
# of older links, of own files and of lessons
_ODD = ("map_count", "m1.keep_zeros", "schema", "encoding", "separator", "own_features", "lesson",
        "step", "answer", "present", "lesson_seed", "lesson_epsilon", "unknown", "", "m5", "m1.",
        ".epsilon", "embed", "m1.epsilon.k")


def keys(address: str) -> list[str]:
    """All that a question's link can say, and more."""
    if address in _OTHERS:
        return [*_SHARED, *_ODD]
    found = contract(address)
    asked = next(one for one in QUESTIONS if one.address == address)
    of_methods = [f"{slot}.{name}" for slot in found.slots
                  for name in sorted({p.name for all in _METHODS.values() for p in all})]
    return [*_SHARED, *found.slots, *of_methods, *found.controls, *asked.old_slots, *_ODD]


def _value(key: str) -> st.SearchStrategy[str]:
    name = key.partition(".")[2]
    if key in _SHARED:
        return st.one_of(_SHARED[key], _hostile)
    if key in ("m1", "m2", "m3", "m4"):
        return st.one_of(st.sampled_from([*_METHODS, "none"]), _hostile)
    known = [p for all in _METHODS.values() for p in all if name and p.name == name]
    if known:
        return st.one_of(*map(_plausible, known[:3]), _hostile)
    return st.one_of(st.sampled_from(("1", "2", "true", "all", "epsilon", *FEATURES)), _hostile)


ADDRESSES = tuple(one.address for one in QUESTIONS)


@st.composite
def _links(draw: st.DrawFn, address: str) -> Link:
    """Up to a dozen keys, of the question itself or of another; mostly on a table that is there."""
    own = keys(address)
    other = keys(draw(st.sampled_from(ADDRESSES)))
    chosen = draw(st.lists(st.one_of(st.sampled_from(own), st.sampled_from(other)), max_size=12))
    link = {"data": draw(st.sampled_from(TWINS))} if draw(st.integers(0, 3)) else {}
    return link | {key: draw(_value(key)) for key in chosen if key != "embed"}


@st.composite
def visits(draw: st.DrawFn) -> Visit:
    """One page or several in one visit: what one leaves behind, the next one finds."""
    addresses = draw(st.lists(st.sampled_from((*ADDRESSES, *_OTHERS)), min_size=1, max_size=3))
    return [(address, draw(_links(address))) for address in addresses]


def with_every_key(address: str, turn: int) -> Link:
    """Every key of a question at once; at another turn each has another of the hostile texts.
    Methods are real ones, so that their settings are read."""
    link = {key: HOSTILE[(number * 7 + turn) % len(HOSTILE)]
            for number, key in enumerate(keys(address)) if key != "embed"}
    names = list(_METHODS)
    link |= {slot: names[(turn * 4 + number) % len(names)]
             for number, slot in enumerate(("m1", "m2", "m3", "m4")) if slot in link}
    return link | {"data": TWINS[turn % len(TWINS)]}


# What a page makes of them


_IN_HTML = re.compile(rf"<(img|script|svg|b|iframe|a)\b[^<>]*{MARK}|<script>{MARK}", re.I)
_IN_MARKDOWN = re.compile(
    rf"(?<!\\)<(img|script|svg|b|iframe|a)\b|(?<!\\)\]\((https?:)?//{MARK}|://{MARK}|www\.{MARK}"
    rf"|(?<!\\)[*$`]{MARK}|:red\[{MARK}|@{MARK}|(?<!\\)# {MARK}", re.I)
_SHOWN_AS_IT_IS = {"code", "plotly_chart", "dataframe", "arrow_data_frame", "download_button"}
_DRAWN = ("body", "label", "help", "title", "value", "text")


def check_visit(visit: Visit) -> None:
    """A visit over these pages. An AssertionError says what was wrong, and where."""
    app = unfold(AppTest.from_file(ENTRY, default_timeout=PATIENCE)).run()
    for address, link in visit:
        if address:
            _switch(app, f"../pages/{address}.py")
            unfold(app)
        app.query_params.clear()
        for key, value in link.items():
            app.query_params[key] = value
        app.run()
        check_page(app, address)


def check_page(app: AppTest, address: str) -> None:
    ended = [f"{one.message} {one.stack_trace}" for one in app.exception]
    assert not ended, f"an exception on the page: {ended}"
    said = [one.value for one in (*app.error, *app.warning, *app.info)]
    assert address in _OTHERS or headline(app) or said, "neither an answer nor a reason"
    for sentence in said:
        length = len(sentence.replace("\\", ""))
        assert length <= LONGEST_SENTENCE, f"a sentence of {length} letters: {sentence[:200]}"
    for kind, text in _texts(app):
        found = (_IN_HTML if kind in ("html", "plotly_chart") else _IN_MARKDOWN).search(text)
        around = text[max(found.start() - 80, 0):found.end() + 80] if found else ""
        assert not found, f"markup in {kind}: {around}"


def _texts(app: AppTest) -> Iterator[tuple[str, str]]:
    """All texts that a browser would read as HTML or Markdown, by the kind of their element."""
    for element in app._tree:
        proto = getattr(element, "proto", None)
        if proto is None or not hasattr(proto, "DESCRIPTOR"):
            continue
        kind = element.type
        if kind == "plotly_chart":
            yield kind, proto.spec
        elif kind not in _SHOWN_AS_IT_IS:
            for name in _DRAWN:
                text = getattr(proto, name, "")
                if isinstance(text, str) and not (name == "value" and kind != "markdown"):
                    yield kind, text


# What the command line can be given


def _safe_name(text: str) -> bool:
    return "/" not in text and ".." not in text and len(text) < 300


_to_write = st.sampled_from(
    ("out.csv", "out.csv", "out.parquet", "out", "out.html", "out.json", "out.zip", "é ü.csv",
     "missing/out.csv", "/dev/full", "/nowhere/at/all.csv", "/proc/none.csv", ""))
_to_read = st.sampled_from(
    (*TWINS, *TWINS, "mine.csv", "mine.csv", "empty.csv", "mine.run.json", "none.csv", "/dev/null",
     "/etc", "/dev/zero", "*.csv", "*.parquet", ".", "é.csv", "ma2019", "a" * 5_000))
_few = st.integers(-2, 30).map(str)
_names = st.sampled_from(list(_METHODS))
_features = st.lists(st.sampled_from(FEATURES), min_size=1, max_size=3, unique=True).map(",".join)


@st.composite
def _settings(draw: st.DrawFn, name: str) -> list[str]:
    params = draw(st.lists(st.sampled_from(_METHODS[name] or (None,)), max_size=3))
    pairs = [f"{p.name}={draw(_seldom(_plausible(p), _hostile))}" for p in params if p]
    wrong = st.sampled_from((["="], ["x=1"], ["name=1"], [""]))
    return [*pairs, *draw(_seldom(st.just([]), wrong))]


@st.composite
def _seldom(draw: st.DrawFn, usual: st.SearchStrategy[Any], odd: st.SearchStrategy[Any]) -> Any:
    """One of eight is odd: a command of which all is wrong is refused at its first word."""
    return draw(odd if draw(st.integers(0, 7)) == 7 else usual)


_typed = _names.flatmap(lambda name: _settings(name).map(
    lambda pairs: " ".join(map(shlex.quote, [name, *pairs]))))
# by the option; whatever is not here takes any text
_VALUES: dict[str, st.SearchStrategy[str]] = {
    **dict.fromkeys(("dataset", "data", "like", "file", "files"), _to_read),
    **dict.fromkeys(("out", "save", "html", "csv"), _to_write),
    **dict.fromkeys(("repetitions", "effort", "rows", "cap", "records", "seed"), _few),
    **dict.fromkeys(("rate", "epsilon", "stratum_size", "target", "delta", "confidence"),
                    st.one_of(st.floats(0, 1).map(str), _few)),
    "items": st.sampled_from(("p2-text-3.3", "p3-table2", "p3-table2", "p9-table1")),
    "paper": st.sampled_from(("", "P9", "p3")),  # all of one takes a while, and so does all
    "mechanism": _names, "methods": _typed, "same_as": _typed, "features": _features,
    "columns": _features, "carry": _features, "question": st.sampled_from(ADDRESSES),
    "counts": st.lists(st.integers(0, 50).map(str), min_size=1).map(",".join),
    "param": st.sampled_from(("epsilon", "k", "p", "rate")),
    "word": st.sampled_from(("epsilon", "k-anonymity", "delta")),
    "schema": st.sampled_from(("mine.schema.json", "mine.csv")),
    "encoding": st.sampled_from(("utf-8", "cp1252", "utf-16", "utf-7", "idna", "rot13", "hex")),
    "separator": st.sampled_from(("comma", ";", "tab", "bar", "")),
}
_OFF = {"picture", "svg", "action", "spark_master", "help", "all"}  # Chromium, network, Spark
_PATHS = {"dataset", "data", "like", "file", "files", "out", "save", "html", "csv", "schema"}
_MUCH = {"repetitions", "effort", "rows"}  # where a large number is no mistake, but an order


def _commands() -> dict[str, list[argparse.Action]]:
    parser = cli._build_parser()
    found = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return {name: [a for a in sub._actions if a.dest not in _OFF]
            for name, sub in found.choices.items() if name != "app"}


COMMANDS = _commands()


@st.composite
def commands(draw: st.DrawFn) -> list[str]:
    """A command with some of its options, most of which are as they should be."""
    name = draw(st.sampled_from(list(COMMANDS)))
    found = [name]
    small = {"--features", "--repetitions", "--effort"}  # else the usual ones, which take a while
    for action in COMMANDS[name]:
        needed = action.required or not action.option_strings or small & {*action.option_strings}
        if draw(st.integers(0, 19)) >= (19 if needed else 4):
            continue
        found += [*action.option_strings[:1], *draw(_values(action, name, found))]
    if name == "ask" and draw(st.booleans()):
        control = draw(st.sampled_from([k for a in ADDRESSES for k in contract(a).controls]))
        found += [f"--{control}", draw(_value(control))]
    return [*found, *draw(_seldom(st.just([]), _hostile.map(lambda text: [text])))]


def _values(
    action: argparse.Action, command: str, before: Sequence[str]
) -> st.SearchStrategy[list[str]]:
    if action.nargs == 0:
        return st.just([])
    if action.dest == "settings":
        named = next((word for word in before if word in _METHODS), None)
        return _settings(named) if named else _names.flatmap(_settings)
    if action.dest == "engine":  # Spark would start a machine of its own
        return st.sampled_from((["duckdb"], ["x"], [""]))
    usual = st.sampled_from(list(action.choices)) if action.choices else _VALUES.get(
        action.dest, _hostile)
    if action.dest == "files" and command == "population":
        usual = _few
    odd = _hostile.filter(_safe_name) if action.dest in _PATHS else _hostile
    if action.dest in _MUCH:
        odd = st.sampled_from(("", "x", "nan", "inf", "1.5", "-1", "1e300", "٣"))
    one = _seldom(usual, odd)
    if action.nargs == "+":
        return st.lists(one, min_size=1, max_size=2)
    return one.map(lambda value: [value])


def _safe_name(text: str) -> bool:
    """Nothing is written but in the folder of its own."""
    return "/" not in text and ".." not in text and len(text) < 300


class TookTooLong(BaseException):
    """Not an error of the program: a command does as much as it is asked to."""


def _stop(signal_number: int, frame: Any) -> None:
    raise TookTooLong


def check_command(arguments: Sequence[str]) -> str:
    """How it ended, in a word; an AssertionError says what was wrong. It is run in a folder of its
    own with a few files in it."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            _lay_out(Path(folder))
            return _ended(arguments)
        finally:
            os.chdir(here)


def _lay_out(folder: Path) -> None:
    (folder / "mine.csv").write_text(
        "town,sex,age\n" + "".join(f"T{i % 5},{'mf'[i % 2]},{20 + i % 30}\n" for i in range(60)))
    (folder / "empty.csv").write_text("")
    (folder / "mine.run.json").write_text('{"run": 1, "question": "compare"}')


def _ended(arguments: Sequence[str]) -> str:
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    before = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE / 2)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(arguments)
    except SystemExit as ended:
        code = int(ended.code or 0)
    except TookTooLong:
        return "took long"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    said, printed = (_written(one) for one in (err, out))
    assert code in (0, 2), f"exit {code}: {said[-500:]}"
    assert "Traceback" not in said + printed, said[-2_000:]
    if code == 0:
        return "answered"
    assert said.count("\n") == 1 and said.startswith("error: "), f"not one line: {said[:500]!r}"
    assert len(said) <= LONGEST_SENTENCE, f"a line of {len(said)} letters: {said[:200]}"
    return "refused"


def _written(stream: io.TextIOWrapper) -> str:
    with contextlib.suppress(ValueError):  # closed, as for a reader who has seen enough
        stream.flush()
        content: bytes = stream.buffer.getvalue()  # type: ignore[attr-defined]
        return content.decode("utf-8", "replace")
    return ""


# On and on


@contextlib.contextmanager
def hurried() -> Iterator[None]:
    """Questions draw fewer releases meanwhile: what they compute is tested elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        for address in ADDRESSES:
            for name, number in contract(address).fewer.items():
                patch.setattr(f"sdc_core.questions.{name}", number)
        yield


def _round(
    check: Callable[[Any], Any], examples: st.SearchStrategy[Any], number: int, seed_number: int,
    end: float, counts: Counter[str],
) -> None:
    """So many examples of a seed; the smallest that fails is raised."""

    @seed(seed_number)
    @settings(max_examples=number, database=None, deadline=None, derandomize=False,
              report_multiple_bugs=False, suppress_health_check=list(HealthCheck),
              phases=(Phase.generate, Phase.shrink))
    @given(examples)
    def tried(example: Any) -> None:
        if time.monotonic() < end:
            counts[f"{check.__name__}: {check(example) or 'opened'}"] += 1

    tried()


def _first_note(problem: BaseException) -> str:
    return "\n".join(getattr(problem, "__notes__", []))


def run(seconds: float, seed_number: int, findings: Path) -> tuple[Counter[str], int]:
    """Rounds until the time is over: counts of what was tried, and how many findings there were."""
    end, counts, found = time.monotonic() + seconds, Counter[str](), 0
    findings.parent.mkdir(exist_ok=True)
    with findings.open("w", encoding="utf-8") as file, hurried():

        def noted(what: str, problem: BaseException, more: Mapping[str, Any]) -> None:
            nonlocal found
            found += 1
            line = {"what": what, **more, "problem": f"{type(problem).__name__}: {problem}"[:4_000]}
            file.write(json.dumps(line) + "\n")
            file.flush()
            print(f"found: {json.dumps(line)[:600]}", flush=True)

        for turn in itertools.count():
            for address in ADDRESSES:
                if time.monotonic() > end:
                    return counts, found
                link = with_every_key(address, seed_number * 1_000 + turn)
                try:
                    check_visit([(address, link)])
                except Exception as problem:
                    noted("link", problem, {"visit": [[address, link]]})
                counts["check_visit: opened with every key"] += 1
            for check, examples, number in (
                (check_command, commands(), 300), (check_visit, visits(), 60),
            ):
                this = seed_number * 1_000_000 + turn
                try:
                    _round(check, examples, number, this, end, counts)
                except Exception as problem:
                    noted(check.__name__, problem,
                          {"seed": this, "example": _first_note(problem)[:20_000]})
            print(f"{seconds - (end - time.monotonic()):,.0f} s: {dict(counts)}, {found} found",
                  flush=True)
    raise AssertionError("unreachable")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--findings", type=Path, default=ROOT / "test-output" / "fuzz.jsonl")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (12_000_000_000,) * 2)  # for what asks for everything
    config.set_option("client.showErrorDetails", "full")  # to find where it was
    counts, found = run(options.seconds, options.seed, options.findings)
    for what, number in sorted(counts.items()):
        print(f"{number:,} {what}")
    print(f"{found} found" + (f"; see {options.findings}" if found else ""))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""The command line: a thin skin over the engine.

Every command but app takes --json (one document on standard output, nothing else). What cannot be
done is one line on standard error and exit code 2; Ctrl-C ends with 130.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import json
import os
import runpy
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pandas as pd

from sdc_core.as_json import plain
from sdc_core.auditing import CONFIDENCE, EFFORT, audit
from sdc_core.calibrate import MEASURES, Setting, solve
from sdc_core.data import CATALOGUE, Dataset, fetch_real_files, load_dataset
from sdc_core.data.large import LargeDataset
from sdc_core.data.population import write_population
from sdc_core.engines import ENGINES
from sdc_core.errors import InputError
from sdc_core.experiment import evaluate
from sdc_core.folders import bundled
from sdc_core.hierarchy import ladders
from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism, mechanisms
from sdc_core.mechanisms.base import ExactMoments, Mechanism, repetition_rng
from sdc_core.metrics.error import fairness_alpha, l1_bias
from sdc_core.privacy.swap_rate import CITATION, epsilon_to_swap_rates, swap_rate_to_epsilon
from sdc_core.release import FORMS, write_release
from sdc_core.release.at_scale import progress_words, write_folder
from sdc_core.words.glossary import GLOSSARY, explained
from sdc_core.words.guarantees import promise_sentence, promise_word
from sdc_core.words.solutions import answer_sentence

if TYPE_CHECKING:
    from sdc_core.questions.answer import Answer


class _OneLineErrors(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        words = " ".join(str(InputError(message)).split())  # one line, and not all of a long input
        sys.stderr.write(f"error: {words} (see {_called()} --help)\n")
        raise SystemExit(2)


def _called() -> str:
    """How the reader called this program, and so can call it again."""
    return "sdc-core" if Path(sys.argv[0]).stem == "sdc-core" else "python -m sdc_core"


def main(arguments: Sequence[str] | None = None) -> int:
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # letters that a terminal lacks are written as \u
            stream.reconfigure(errors="backslashreplace")
    try:
        _answer(arguments)
        sys.stdout.flush()
        return 0
    except InputError as problem:
        words = str(problem)
    except BrokenPipeError:  # the reader (head, less) has seen enough
        sys.stderr.close()
        return 0
    except OSError as problem:  # a disk that is full, a folder that may not be written to
        words = f"{problem.strerror or problem}{f': {problem.filename}' * bool(problem.filename)}"
        _forget_output()
    except MemoryError:
        words = "This takes more memory than there is. Choose fewer features, or take a sample."
    except KeyboardInterrupt:
        _forget_output()
        sys.stderr.write("stopped\n")
        return 130
    sys.stderr.write(f"error: {' '.join(words.split())}\n")
    return 2


def _forget_output() -> None:
    """What could not be written is not tried again when the program ends."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _answer(arguments: Sequence[str] | None) -> None:
    if any("\0" in one for one in arguments or ()):  # no shell passes it on; no file has it
        raise InputError("An argument has a zero character in it. Leave it out.")
    parser = _build_parser()
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "ask":  # only a question has flags of its own
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    options.rest = rest
    answer = options.run(options)
    if options.json:
        every_letter = sys.stdout.encoding.lower().startswith("utf")
        print(json.dumps(plain(answer), ensure_ascii=not every_letter, allow_nan=False, indent=2))
    else:
        _print_text(answer)


def _build_parser() -> argparse.ArgumentParser:
    parser = _OneLineErrors(
        prog=_called(),
        description="Compare disclosure control and differential privacy on the same table.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    def command(
        name: str, run: Callable[[argparse.Namespace], Any], text: str
    ) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.add_argument("--json", action="store_true", help="print one JSON document")
        sub.set_defaults(run=run)
        return sub

    text = "start the dashboard on 127.0.0.1; Ctrl-C ends it"
    app = commands.add_parser("app", help=text, description=text)
    app.add_argument("--port", type=int, default=8501)
    app.add_argument("--host", default="127.0.0.1", help="0.0.0.0 for everybody who reaches this "
                     "machine, without a password; see docs/classroom.md")
    app.add_argument("--processes", type=int, default=1, help="more than one, behind nginx, for "
                     "more than about thirty visitors at once")
    app.add_argument("--data-dir", metavar="FOLDER", help="where the real files are, if they are; "
                     "without it the folder that SDC_DATA_DIR names")
    app.add_argument("--data", metavar="PATTERN", help="records that stay where they are, such as "
                     "'/data/census/*.parquet', as one more choice of data")
    app.set_defaults(run=_app)

    datasets = command("datasets", _datasets, "list the data sets, or fetch the real ones")
    datasets.add_argument("action", nargs="?", choices=["list", "fetch"], default="list")
    shapes = command("boundaries", _boundaries, "which map is drawn, or fetch official boundaries")
    shapes.add_argument("action", nargs="?", choices=["list", "fetch"], default="list")
    meaning = command("schema", _schema, "what the columns of a file seem to mean, to be put right")
    _add_source(meaning, required=True)
    meaning.add_argument("--out", metavar="FILE", help="such as mydata.schema.json")
    command("mechanisms", _mechanisms, "list the mechanisms and their parameters")
    words = command("glossary", _glossary, "what the words mean, each in one sentence")
    words.add_argument("word", nargs="?", help="such as epsilon; without one, all of them")

    question = command("ask", _ask, "the answer that a page gives: headline first, then the tables")
    question.add_argument("question", help="such as compare; a wrong one lists them")
    _add_data(question, required=True)
    question.add_argument("--seed", type=int, default=7)
    question.add_argument(
        "--method", action="append", metavar='"name key=value ..."', dest="methods",
        help='such as --method "laplace epsilon=1" --method "suppression k=6"; without any, the '
        "question takes those it suggests",
    )
    question.add_argument("--empty-groups", choices=["left", "treated", "as-set"], default="left",
                          help="groups that have nobody are left at 0, treated like any other, or "
                          "as each method's own setting says")
    question.add_argument("--count", choices=["records", "represented"], default="records",
                          help="tell results in records, or in the people that they represent, "
                          "where the data have weights")
    question.add_argument("--as-in", default="", metavar="PAPER",
                          help="methods and conventions of a paper, such as das-2024-figure-2")
    question.add_argument("--save", metavar="FILE", help="write a run file, for `run`")
    question.epilog = "A question's own controls are flags of their own, such as --simulate true."

    again = command("run", _run, "the answer of a run file that a page or `ask --save` wrote")
    again.add_argument("file", help="the run file")
    again.add_argument("--data", metavar="PATH", help="where the records are, if not where they "
                       "were")
    again.add_argument("--anyway", action="store_true", help="also if the records have changed")
    for sub in (question, again):
        sub.add_argument("--html", metavar="FILE", help="write a page that needs no network")
        sub.add_argument("--csv", metavar="FOLDER", help="write one CSV a table")
        sub.add_argument("--picture", metavar="FOLDER", help="write one picture a panel, 16:9, as "
                         "PNG; needs a Chrome, Edge or Chromium on this machine")
        sub.add_argument("--svg", action="store_true", help="write the pictures as SVG")

    handout = command("brief", _brief, "saved runs, or a saved brief, as a page to hand out")
    handout.add_argument("files", nargs="+", metavar="file", help="run files in reading order, or "
                         "one brief: its file or the web page that was made of it")
    handout.add_argument("--out", required=True, metavar="FILE", help="ends in .html, .pdf, .docx, "
                         ".pptx, .zip (Markdown with pictures) or .brief.json")
    handout.add_argument("--title", help="what the brief is called")
    handout.add_argument("--asked", help="the question it answers")
    handout.add_argument("--data", metavar="PATH", help="the reader's own file, for runs on one")

    moments = command("moments", _moments, "exact bias and variance for a list of counts")
    moments.add_argument("mechanism")
    moments.add_argument("--counts", required=True, help="such as 0,1,4,20")
    _add_settings(moments)

    guarantee = command("guarantee", _guarantee, "published and tight privacy guarantee")
    guarantee.add_argument("mechanism")
    _add_settings(guarantee)
    guarantee.add_argument("--cap", type=int, help="largest count B, if no data set is given")
    guarantee.add_argument("--records", type=int, help="number of records m")
    _add_data(guarantee, required=False)

    attack = command("audit", _audit, "a lower bound on ε: how well can somebody tell two tables "
                     "apart that differ in one person?")
    attack.add_argument("mechanism")
    _add_settings(attack)
    attack.add_argument("--delta", type=float, default=0.0, help="the δ that is granted; default 0")
    attack.add_argument("--effort", type=int, default=EFFORT,
                        help=f"releases of each table; default {EFFORT:,}")
    attack.add_argument("--confidence", type=float, default=CONFIDENCE)
    attack.add_argument("--beyond", action="store_true", help="try tables that the promise says "
                        "nothing about")
    attack.add_argument("--cap", type=int, help="largest count B; default 12, or that of the data")
    attack.add_argument("--records", type=int, help="number of records m; default 2, or the data's")
    attack.add_argument("--seed", type=int, default=7)
    _add_data(attack, required=False)

    evaluation = command("evaluate", _evaluate, "error, fairness and variance on a data set")
    release = command("release", _release, "one released table (for study, not for production)")
    _add_release_file(release)
    solving = command("solve", _solve, "which parameter value meets a wanted error")
    for sub in (evaluation, release, solving):
        _add_data(sub, required=True)
        sub.add_argument("--mechanism", required=True)
        _add_settings(sub)
        sub.add_argument("--seed", type=int, default=7)
    for sub in (evaluation, solving):
        sub.add_argument("--repetitions", type=int, default=200)
    evaluation.add_argument("--simulate", action="store_true", help="even if a closed form exists")
    solving.add_argument("--param", required=True, help="the parameter to tune, such as epsilon")
    solving.add_argument("--measure", "--metric", default="l1_error", metavar="MEASURE",
                         help=f"what the wish is about: {', '.join(m.name for m in MEASURES)}")
    solving.add_argument("--whom", default="all", help="of whom, such as 1-5 for groups of 1 to 5; "
                         "a wrong one lists them")
    wish = solving.add_mutually_exclusive_group(required=True)
    wish.add_argument("--target", type=float, help="at most so much (see --at-least)")
    wish.add_argument("--same-as", metavar='"name key=value ..."',
                      help='at most what it is under another method, such as "suppression k=6"')
    solving.add_argument("--at-least", action="store_true", help="at least, in place of at most")

    _add_protect(command)
    swapping = command("swap-rate", _swap_rate, "ε of a swap rate, or the swap rates of an ε")
    asked = swapping.add_mutually_exclusive_group(required=True)
    asked.add_argument("--rate", type=float, help="swap rate p, such as 0.05 for 5%%")
    asked.add_argument("--epsilon", type=float, help="wanted ε")
    swapping.add_argument(
        "--stratum-size", type=float, required=True, help="records in the largest stratum, b"
    )

    crowd = command("population", _population, "made-up records like a twin's, as many as you like")
    crowd.add_argument("--like", default="ma2019-twin", help="id of a twin")
    crowd.add_argument("--rows", type=float, required=True, help="such as 1e6, up to 1e9")
    crowd.add_argument("--files", type=int, default=8)
    crowd.add_argument("--out", required=True, metavar="FOLDER", help="for Parquet files")
    crowd.add_argument("--columns", help="comma-separated; default: the usual features and age")
    crowd.add_argument("--seed", type=int, default=7)

    _add_reproduce(command)
    return parser


def _add_protect(command: Callable[..., argparse.ArgumentParser]) -> None:
    text = "hide small numbers of a table with totals, and what else would give them away"
    table = command("protect", _protect, text)
    table.add_argument("file", nargs="?", help="a CSV with totals: a column a variable, Total for "
                       "its total; or give --dataset and --features")
    _add_data(table, required=False)
    table.add_argument("--hierarchies", metavar="TEXT", default="", help="subtotals in a table of "
                       "a data set, such as 'PUMA: North = 25-00703, 25-02800 | 25-01000'")
    table.add_argument("--k", type=int, default=6, help="fewer contributors say too much")
    table.add_argument("--method", choices=["best", "heuristic"], default="best")
    table.add_argument("--weights", choices=["numbers", "cells"], default="numbers",
                       help="what is lost with a hidden number: its size, or one")
    table.add_argument("--seconds", type=float, default=60.0, help="to look for the least to hide")
    table.add_argument("--hide-zeros", action="store_true", help="zeros may be hidden, too")
    table.add_argument("--out", metavar="FILE", help="the table as it can be published, as CSV")
    table.add_argument("--jj", metavar="FILE", help="the problem, true numbers included, as "
                       "τ-ARGUS and sdcTable hand it to their optimizers (JJ format)")


def _add_reproduce(command: Callable[..., argparse.ArgumentParser]) -> None:
    papers = command("reproduce", _reproduce, "every published number beside ours, with a verdict; "
                     "with nothing named, the full run that comes with the program")
    papers.add_argument("items", nargs="*", metavar="ITEM", help="such as p0-table1 or theorems")
    papers.add_argument("--paper", default="", help="all of a paper: P0 to P4")
    papers.add_argument("--all", action="store_true", help="all papers")
    how = papers.add_mutually_exclusive_group()
    how.add_argument("--quick", action="store_true", help="fewer releases, less than a minute for "
                     "all; the default")
    how.add_argument("--full", action="store_true", help="as many releases as the papers, less "
                     "than 20 minutes for all; goes on where it was stopped")
    papers.add_argument("--twins", action="store_true", help="on synthetic twins even where real "
                        "data are here; what hangs on data is then not judged")
    papers.add_argument("--html", metavar="FILE", help="write it as one page, too")
    papers.add_argument("--seed", type=int, default=7)


def _add_release_file(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("--out", metavar="FILE", help="write it as .csv or .parquet, with its "
                     "provenance beside it, instead of printing it; a name that ends otherwise is "
                     "a folder for records that stay in a database")
    sub.add_argument("--carry", metavar="COLUMNS", default="", help="columns that go along with "
                     "each record as they are, into a folder; comma-separated")
    sub.add_argument("--as", choices=FORMS, dest="form", help="one row a group of people (table, "
                     "with hidden counts marked) or one row a person (records)")
    sub.add_argument("--labels", action="store_true", help="words instead of codes")
    sub.add_argument("--reconstructed", action="store_true", help="of a method that merges people: "
                     "single values drawn back from its groups, which are not k-anonymous")


def _add_settings(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--set", nargs="+", action="extend", default=[], metavar="name=value", dest="settings",
        help="parameters, such as epsilon=1 k=6; hierarchies='RAC1P: @race.csv' reads a file of "
        "values and their groups",
    )


def _add_source(
    sub: argparse.ArgumentParser, required: bool = False, default: str | None = None
) -> None:
    """Which data, and how they are to be read."""
    sub.add_argument("--dataset", required=required, default=default,
                     help="catalogue id, or path of a CSV, Parquet, Excel, SPSS or Stata file; a "
                     "folder or pattern of CSV or Parquet files, or a DuckDB file; empty for a "
                     "table of Spark")
    sub.add_argument("--schema", metavar="FILE", help="what the columns mean: a schema, or a "
                     "dictionary (NIST's, csvw, SPSS, Stata); default: guessed, unless a file "
                     "NAME.schema.json lies beside NAME.csv")
    sub.add_argument("--encoding", help="of a text file, such as cp1252; default: detected")
    sub.add_argument("--separator", help="of a text file: comma, semicolon, tab, bar or any sign; "
                     "default: detected")
    sub.add_argument("--engine", choices=ENGINES, help="count records where they are, with this "
                     "database; default: in memory, or duckdb for a folder, a pattern "
                     "('census/*.parquet') or a file too large for memory")
    sub.add_argument("--table", default="", dest="of_database",
                     help="of a DuckDB file, or of Spark's catalogue")
    sub.add_argument("--spark-master", default="", metavar="ADDRESS",
                     help="such as spark://127.0.0.1:7077; default: the cores of this machine")
    sub.add_argument("--id", default="", metavar="COLUMN", dest="id_column",
                     help="a column that tells records apart, of records that stay in a database; "
                     "default: the file's name and the row in it")


def _loaded(options: argparse.Namespace) -> Dataset:
    return load_dataset(
        options.dataset or "", options.schema, options.encoding, options.separator,
        options.engine, options.of_database, options.id_column, options.spark_master)


def _add_data(sub: argparse.ArgumentParser, required: bool) -> None:
    _add_source(sub, required)
    sub.add_argument("--features", help="comma-separated; default: the data set's own")
    sub.add_argument("--domain", choices=["dictionary", "observed"], default="dictionary")


def _chosen_mechanism(options: argparse.Namespace) -> Mechanism:
    return _mechanism_of(options.mechanism, options.settings)


def _mechanism_of(name: str, pairs: Sequence[str]) -> Mechanism:
    """A mechanism from its name and settings as they are typed."""
    settings = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise InputError(f"A setting is name=value, got {pair!r}. Try epsilon=1.")
        settings[key] = value
    for declared in mechanisms():
        for param in declared.params if declared.name == name else ():
            if param.name in settings:
                settings[param.name] = param.from_argument(settings[param.name])
    return mechanism(name, **settings)


def _typed_mechanism(text: str) -> Mechanism:
    try:
        name, *settings = shlex.split(text)
    except ValueError:  # nothing, or a quotation mark that is not closed
        raise InputError(f'A method is "name key=value ...", got {text!r}.') from None
    return _mechanism_of(name, settings)


def _ask(options: argparse.Namespace) -> Any:
    # Questions draw charts, whose library takes a moment to load.
    from sdc_core.questions import Study, ask

    methods = None
    if options.methods is not None:
        methods = [_typed_mechanism(text) for text in options.methods]
    study = Study(
        _loaded(options),
        _listed(options.features),
        options.seed, methods, options.empty_groups, options.domain, options.count,
    )
    found = ask(options.question, study, _own_flags(options.rest), as_in=options.as_in)
    if options.save:
        from sdc_core.report.files import write_run

        write_run(found, options.save)
    return _given_out(found, options)


def _run(options: argparse.Namespace) -> Any:
    from sdc_core.questions.rerun import run

    return _given_out(run(options.file, options.data, anyway=options.anyway), options)


def _brief(options: argparse.Namespace) -> Any:
    from sdc_core.report.brief import answers_of, compose
    from sdc_core.report.brief_file import read_brief
    from sdc_core.report.briefs import form_of, write_brief

    form_of(options.out)  # before anything is computed
    given = {k: v for k in ("title", "asked") if (v := getattr(options, k)) is not None}
    brief = dataclasses.replace(read_brief(options.files), **given)
    own = load_dataset(options.data) if options.data else None
    document = compose(brief, answers_of(brief, own))
    write_brief(document, options.out)
    return {"title": document.title, "data": list(document.stamps), "out": options.out,
            "answers": [item.title for item in document.items]}


def _given_out(found: Answer, options: argparse.Namespace) -> Any:
    """An answer as files, if any are asked for, and as what is printed."""
    from sdc_core.report.files import write_csv_folder, write_html

    if options.html:
        write_html(found, options.html)
    if options.csv:
        write_csv_folder(found, options.csv)
    if options.svg and not options.picture:
        raise InputError("--svg says how pictures are written: give their folder with --picture.")
    if options.picture:
        from sdc_core.report.pictures import write_pictures

        write_pictures(found, options.picture, options.svg)
    return found.to_dict() if options.json else str(found)


def _own_flags(rest: Sequence[str]) -> dict[str, str]:
    """`--map-measure group_bias` or `--map_measure=group_bias`: a question's own controls."""
    flags: dict[str, str] = {}
    waiting = list(rest)
    while waiting:
        flag = waiting.pop(0)
        if not flag.startswith("--"):
            raise InputError(f"A control is --name value, got {flag!r}.")
        name, equals, value = flag[2:].partition("=")
        if not equals:
            if not waiting:
                raise InputError(f"--{name} needs a value.")
            value = waiting.pop(0)
        flags[name] = value
    return flags


def _chosen_data(options: argparse.Namespace) -> tuple[Dataset, Histogram]:
    dataset = _loaded(options)
    features = _listed(options.features) or dataset.default_features
    return dataset, dataset.histogram(features, options.domain)


def _chosen_histogram(options: argparse.Namespace) -> Histogram:
    return _chosen_data(options)[1]


def _app(options: argparse.Namespace) -> Any:
    """Does not come back: the process ends with the dashboard. The engine knows no user interface,
    so it runs a file of it instead of importing it."""
    if not 1 <= options.port <= 65_535:
        raise InputError(f"port must be in [1, 65535], got {options.port}. Try 8501.")
    if not 1 <= options.processes <= 64:
        raise InputError(f"processes must be in [1, 64], got {options.processes}. Try 2.")
    if options.data is not None:
        os.environ["SDC_DATA"] = options.data
    if options.data_dir is not None:
        folder = Path(options.data_dir).resolve()
        if not os.path.isdir(folder):
            raise InputError(
                f"data-dir must be a folder, got {options.data_dir!r}. Give the one that holds "
                "ma2019.csv, or leave it out: the twins come with the app."
            )
        os.environ["SDC_DATA_DIR"] = str(folder)
    runpy.run_path(str(bundled("ui/serve.py")))["serve"](
        options.port, options.host, options.processes)


def _datasets(options: argparse.Namespace) -> Any:
    if options.action == "fetch":
        say = (lambda line: None) if options.json else print
        return {"fetched": [str(path) for path in fetch_real_files(say)]}
    return pd.DataFrame(
        [
            {"id": e.id, "title": e.title, "origin": e.origin, "rows": e.rows,
             "here": e.path() is not None}
            for e in CATALOGUE
        ]
    )


def _schema(options: argparse.Namespace) -> Any:
    from sdc_core.data.editing import described
    from sdc_core.report.files import write_text

    found = _loaded(options)
    if options.out:
        write_text(options.out, found.schema.to_json())
    if options.json:
        return found.schema.to_dict()
    return described(found.looked_at)


def _boundaries(options: argparse.Namespace) -> Any:
    # Only this command reads maps, and the libraries for them are slow to load.
    from sdc_core.data.dictionary import PLACES
    from sdc_core.geography import boundaries, fetch_official

    if options.action == "fetch":
        say = (lambda line: None) if options.json else print
        return {"fetched": str(fetch_official(say))}
    found = boundaries(PLACES)
    return {
        "source": found.kind, "label": found.label, "areas": [a.code for a in found.areas],
        "missing": found.missing, "notes": found.notes,
    }


def _mechanisms(options: argparse.Namespace) -> Any:
    listed = []
    for declared in mechanisms():
        params = [
            {
                "name": p.name, "default": p.default, "symbol": p.symbol, "help": p.help,
                "unit": p.unit, "range": p.allowed,
            }
            for p in declared.params
        ]
        listed.append(
            {
                "name": declared.name, "title": declared.title, "family": declared.family,
                "acts_on": declared.acts_on, "exact": declared.exact,
                "summary": declared.summary, "params": params, "citation": declared.citation,
            }
        )
    return listed


def _glossary(options: argparse.Namespace) -> Any:
    terms = GLOSSARY if options.word is None else (explained(options.word),)
    return {term.title: term.means for term in terms}


def _moments(options: argparse.Namespace) -> Any:
    chosen = _chosen_mechanism(options)
    if not isinstance(chosen, ExactMoments):
        raise InputError(f"{chosen.name} has no closed form; use evaluate, which simulates.")
    try:
        counts = [int(part) for part in options.counts.split(",")]
    except ValueError:
        raise InputError(
            f"counts must be whole numbers, such as 0,1,4,20, got {options.counts!r}."
        ) from None
    bias = chosen.bias(counts)
    return {
        "mechanism": chosen.name, **chosen.settings(), "counts": counts,
        "bias": bias, "variance": chosen.variance(counts),
        "absolute_error": chosen.absolute_error(counts),
        "l1_bias": l1_bias(bias), "fairness_alpha": fairness_alpha(bias), "method": "exact",
    }


def _guarantee(options: argparse.Namespace) -> Any:
    chosen = _chosen_mechanism(options)
    data = _chosen_histogram(options) if options.dataset else None
    chosen = chosen if data is None else chosen.suited_to(data)
    found = chosen.guarantee(data, cap=options.cap, records=options.records)
    return {"mechanism": chosen.name, **chosen.settings(), **found.numbers()}


def _audit(options: argparse.Namespace) -> Any:
    chosen = _chosen_mechanism(options)
    data = _chosen_histogram(options) if options.dataset else None
    chosen = chosen if data is None else chosen.suited_to(data)
    return audit(
        chosen, data, delta=options.delta, effort=options.effort, seed=options.seed,
        confidence=options.confidence, cap=options.cap, records=options.records,
        covered=not options.beyond,
    ).numbers()


def _evaluate(options: argparse.Namespace) -> Any:
    table = _chosen_histogram(options)
    found = evaluate(
        _chosen_mechanism(options).suited_to(table), table, options.repetitions, options.seed,
        options.simulate,
    )
    return {"dataset": options.dataset, **found.numbers(), "seed": options.seed}


def _release(options: argparse.Namespace) -> Any:
    if options.out and not options.out.lower().endswith((".csv", ".parquet")):
        return _release_folder(options)
    if options.carry:
        raise InputError("--carry is about records in a folder: --out FOLDER.")
    dataset, histogram = _chosen_data(options)
    released = _chosen_mechanism(options).suited_to(histogram).release(histogram, options.seed)
    if not options.out:
        if options.form or options.labels or options.reconstructed:
            raise InputError("--as, --labels and --reconstructed are about a file: add --out FILE.")
        return histogram.cells().drop(columns="count").assign(released=released.counts)
    written = write_release(
        released, options.out, options.form or "table", options.labels, options.reconstructed,
        dataset,
    )
    found = written.provenance
    return {
        "file": str(written.path), "provenance": str(written.provenance_path),
        "rows": found["file"]["rows"], "says": found["says"],
        "promises": found["guarantee"]["in_words"], "for": found["for"],
        "private": found["private"]["why"],
    }


def _release_folder(options: argparse.Namespace) -> Any:
    """All records of a database, into a folder."""
    if options.form == "table" or options.reconstructed:
        raise InputError("A folder holds records; for a table name a .csv or .parquet file.")
    dataset = _loaded(options)
    if not isinstance(dataset, LargeDataset):
        raise InputError(
            f"{options.out!r} is the name of a folder, which is for records that stay in a "
            "database. Name a .csv or .parquet file, or an engine (--engine duckdb)."
        )
    shown = sys.stderr.isatty()
    written = write_folder(
        dataset, _chosen_mechanism(options), options.out, _listed(options.features), options.seed,
        options.domain, _listed(options.carry), options.labels,
        lambda progress: print(f"{progress_words(progress)}", file=sys.stderr,
                               end="\r" if shown and progress.done < progress.of else "\n"),
    )
    found = written.provenance
    return {
        "folder": str(written.folder), "files": len(found["file"]["files"]),
        "rows": found["file"]["rows"], "says": found["says"],
        "promises": found["guarantee"]["in_words"], "for": found["for"],
        "records": found["records"], "private": found["private"]["why"],
    }


def _population(options: argparse.Namespace) -> Any:
    if not options.rows.is_integer():
        raise InputError(f"rows must be a whole number, got {options.rows:g}.")
    shown = sys.stderr.isatty()
    folder = write_population(
        load_dataset(options.like), int(options.rows), options.out, options.files, options.seed,
        _listed(options.columns), lambda done, of: print(
            f"{done:,} of {of:,} records", file=sys.stderr, end="\r" if done < of else "\n")
        if shown else None)
    return {"folder": str(folder), "rows": int(options.rows), "like": options.like,
            "says": "Made up: nobody in it is real."}


def _listed(text: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def _solve(options: argparse.Namespace) -> Any:
    table = _chosen_histogram(options)
    like = None
    if options.same_as is not None:
        like = _typed_mechanism(options.same_as).suited_to(table)
    found = solve(
        _chosen_mechanism(options).suited_to(table), table, options.param, options.measure,
        options.target, at_least=options.at_least, same_as=like, whom=options.whom,
        repetitions=options.repetitions, seed=options.seed,
    )
    shown = found.protective or found.nearest
    return {
        "says": answer_sentence([found], like), "mechanism": options.mechanism,
        "param": options.param, "measure": found.measure.name, "whom": found.whom,
        "target": found.wanted.value, "at_least": found.at_least, "reached": found.reached,
        "feasible": [[one.low, one.high] for one in found.intervals],
        "value": found.protective.value if found.protective else None,
        "achieved": shown.reading.value if shown else None,
        "most_protective": _setting(found.protective), "most_accurate": _setting(found.accurate),
        "nearest": _setting(found.nearest), "method": found.method,
        "repetitions": found.repetitions, "settings_tried": found.tried,
        "all_tried": found.exhaustive, "seed": options.seed,
    }


def _setting(found: Setting | None) -> Any:
    """A setting, with what it brings besides."""
    if found is None:
        return None
    seen = found.evaluation
    return {
        "value": found.value, "achieved": found.reading.value, "error": found.reading.error,
        "people_error": seen.people_error, "fairness_alpha": seen.fairness_alpha,
        "invented": seen.invented, "promise": promise_word(found.guarantee),
        "in_words": promise_sentence(found.mechanism.title, found.guarantee),
    }


def _protect(options: argparse.Namespace) -> Any:
    from sdc_core.margins.formats import read_csv
    from sdc_core.margins.protecting import protected
    from sdc_core.margins.rules import Threshold
    from sdc_core.margins.table import MarginTable

    if bool(options.file) == bool(options.dataset):
        raise InputError("Give a CSV file with totals, or --dataset, and not both.")
    if not 0 < options.seconds < 1e6:
        raise InputError(f"seconds must be above 0 and below 1,000,000, got {options.seconds:g}.")
    if options.file and options.hierarchies:
        raise InputError("Hierarchies are for a data set; a CSV file says itself what is part of "
                         "what.")
    if options.file:
        table = read_csv(options.file).table()
    else:
        counted = _chosen_histogram(options)
        table = MarginTable.of_counts(counted, ladders(options.hierarchies, counted.domain))
    found = protected(
        table, Threshold(options.k), weights=options.weights, method=options.method,
        seconds=options.seconds, hide_zeros=options.hide_zeros, progress=_tell_share())
    found.write(options.out, options.jj)
    told = found.told()
    if options.json:
        return told
    hidden = told.pop("hidden")
    return {**told, **{f"  {one['cell']}": _range(one) for one in hidden}}


def _tell_share() -> Callable[[float], None]:
    """How far it is, on a terminal in one line."""
    shown = sys.stderr.isatty()

    def tell(share: float) -> None:
        if shown:
            print(f"{share:4.0%}", file=sys.stderr, end="\r" if share < 1 else "\n")

    return tell


def _range(hidden: dict[str, Any]) -> str:
    """What a hidden number can be: `0 to 6, says too much`."""
    top = "any number" if hidden["at_most"] is None else f"{hidden['at_most']:,.12g}"
    why = "says too much" if hidden["sensitive"] else "protects others"
    return f"{hidden['at_least']:,.12g} to {top}, {why}"


def _swap_rate(options: argparse.Namespace) -> Any:
    size = options.stratum_size
    if options.rate is not None:
        answer = dataclasses.asdict(swap_rate_to_epsilon(options.rate, size))
    else:
        answer = dataclasses.asdict(epsilon_to_swap_rates(options.epsilon, size))
    return {**answer, "citation": CITATION}


def _reproduce(options: argparse.Namespace) -> Any:
    from sdc_core.papers.item import Attempt
    from sdc_core.papers.record import last_run
    from sdc_core.papers.running import chosen_parts, run
    from sdc_core.report.files import write_text
    from sdc_core.report.reproduction import as_html
    from sdc_core.words.reproduction_tables import as_dict, as_text

    if options.items or options.paper or options.all:
        if options.all and (options.items or options.paper):
            raise InputError("--all is everything: name no item and no paper with it.")
        parts = chosen_parts(options.items, options.paper, options.full)
        repetition_rng(options.seed, 0)  # one that is none is refused before anything is made
        attempt = Attempt(options.full, options.seed, twins_only=options.twins)
        found = run(parts, attempt, _tell_part(options.full))
    elif options.full or options.quick or options.twins:
        raise InputError("What is to be made again? Name items, --paper or --all.")
    else:
        found = last_run()
    if options.html:
        write_text(options.html, as_html(found))
    return as_dict(found) if options.json else as_text(found)


def _tell_part(full: bool) -> Callable[[str, int, int, float], None]:
    """How far a run is, on a terminal in one line; elsewhere only where it takes long."""
    shown = sys.stderr.isatty()

    def tell(part: str, done: int, of: int, left: float) -> None:
        if shown or full:
            said = f"{done} of {of} parts, about {left:.0f} s left" + f": {part}" * bool(part)
            print(f"{said:<72}" if shown else said, file=sys.stderr,
                  end="\r" if shown and done < of else "\n")

    return tell


def _print_text(answer: Any) -> None:
    if isinstance(answer, str):
        print(answer)
    elif isinstance(answer, pd.DataFrame):
        print(answer.to_string(index=False))
    elif isinstance(answer, list):
        for item in answer:
            print(f"{item['name']:<20}{item['summary']}")
            for param in item["params"]:
                print(f"    {param['name']} = {param['default']}  {param['range']}")
    else:
        for key, value in answer.items():
            print(f"{key}: {plain(value)}")

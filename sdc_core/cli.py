"""The command line: a thin skin over the engine.

Every command takes --json (one document on standard output, nothing else). Bad input is one line
on standard error and exit code 2.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import shlex
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from sdc_core.calibrate import solve
from sdc_core.data import CATALOGUE, fetch_real_files, load_dataset
from sdc_core.errors import InputError
from sdc_core.experiment import SUMMARY, evaluate
from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism, mechanisms
from sdc_core.mechanisms.base import ExactMoments, Mechanism
from sdc_core.metrics.error import fairness_alpha, l1_bias
from sdc_core.privacy.swap_rate import CITATION, epsilon_to_swap_rates, swap_rate_to_epsilon
from sdc_core.reproduce import PUBLISHED, reproduce


class _OneLineErrors(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"error: {message} (see python -m sdc_core --help)\n")
        raise SystemExit(2)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _build_parser()
    options, rest = parser.parse_known_args(arguments)
    if rest and options.command != "ask":  # only a question has flags of its own
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    options.rest = rest
    try:
        answer = options.run(options)
    except InputError as problem:
        sys.stderr.write(f"error: {problem}\n")
        return 2
    try:
        if options.json:
            print(json.dumps(_plain(answer), ensure_ascii=False, allow_nan=False, indent=2))
        else:
            _print_text(answer)
    except BrokenPipeError:  # the reader (head, less) has seen enough
        sys.stderr.close()
    return 0


def _build_parser() -> argparse.ArgumentParser:
    parser = _OneLineErrors(
        prog="python -m sdc_core",
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

    datasets = command("datasets", _datasets, "list the data sets, or fetch the real ones")
    datasets.add_argument("action", nargs="?", choices=["list", "fetch"], default="list")
    shapes = command("boundaries", _boundaries, "which map is drawn, or fetch official boundaries")
    shapes.add_argument("action", nargs="?", choices=["list", "fetch"], default="list")
    command("mechanisms", _mechanisms, "list the mechanisms and their parameters")

    question = command("ask", _ask, "the answer that a page gives: headline first, then the tables")
    question.add_argument("question", help="such as compare; a wrong one lists them")
    _add_data(question, required=True)
    question.add_argument("--seed", type=int, default=7)
    question.add_argument(
        "--method", action="append", metavar='"name key=value ..."', dest="methods",
        help='such as --method "laplace epsilon=1" --method "suppression k=6"; without any, the '
        "question takes those it suggests",
    )
    question.add_argument("--empty-groups", choices=["as-set", "left", "treated"], default="as-set")
    question.add_argument("--html", metavar="FILE", help="write a page that needs no network")
    question.add_argument("--csv", metavar="FOLDER", help="write one CSV a table")
    question.epilog = "A question's own controls are flags of their own, such as --simulate true."

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

    evaluation = command("evaluate", _evaluate, "error, fairness and variance on a data set")
    release = command("release", _release, "one released table (for study, not for production)")
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
    solving.add_argument("--metric", default="l1_error", choices=SUMMARY)
    solving.add_argument("--target", type=float, required=True)

    swapping = command("swap-rate", _swap_rate, "ε of a swap rate, or the swap rates of an ε")
    asked = swapping.add_mutually_exclusive_group(required=True)
    asked.add_argument("--rate", type=float, help="swap rate p, such as 0.05 for 5%%")
    asked.add_argument("--epsilon", type=float, help="wanted ε")
    swapping.add_argument(
        "--stratum-size", type=float, required=True, help="records in the largest stratum, b"
    )

    papers = command("reproduce", _reproduce, "a paper's table beside ours")
    papers.add_argument("table", choices=list(PUBLISHED))
    papers.add_argument("--dataset", default="ma2019")
    papers.add_argument("--seed", type=int, default=7)
    return parser


def _add_settings(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "--set", nargs="+", action="extend", default=[], metavar="name=value", dest="settings",
        help="parameters, such as epsilon=1 k=6; hierarchies='RAC1P: @race.csv' reads a file of "
        "values and their groups",
    )


def _add_data(sub: argparse.ArgumentParser, required: bool) -> None:
    sub.add_argument("--dataset", required=required, help="catalogue id or path of a file")
    sub.add_argument("--features", help="comma-separated; default: the data set's own")
    sub.add_argument("--domain", choices=["observed", "dictionary"], default="observed")


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


def _ask(options: argparse.Namespace) -> Any:
    # Questions draw charts, whose library takes a moment to load.
    from sdc_core.questions import Study, ask
    from sdc_core.report.files import write_csv_folder, write_html

    methods = None
    if options.methods is not None:
        parts = [shlex.split(text) for text in options.methods]
        methods = [_mechanism_of(name, settings) for name, *settings in parts]
    study = Study(
        load_dataset(options.dataset),
        [f.strip() for f in options.features.split(",")] if options.features else (),
        options.seed, methods, options.empty_groups, options.domain,
    )
    found = ask(options.question, study, _own_flags(options.rest))
    if options.html:
        write_html(found, options.html)
    if options.csv:
        write_csv_folder(found, options.csv)
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


def _chosen_histogram(options: argparse.Namespace) -> Histogram:
    dataset = load_dataset(options.dataset)
    features = options.features.split(",") if options.features else dataset.default_features
    return dataset.histogram([f.strip() for f in features], options.domain)


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
    found = chosen.guarantee(data, cap=options.cap, records=options.records)
    return {
        "mechanism": chosen.name, **chosen.settings(),
        "epsilon": found.epsilon, "delta_published": found.delta_published,
        "delta_tight": found.delta_tight, "holds": found.holds,
        "ln_one_minus_delta_published": found.log_rest_published,
        "ln_one_minus_delta_tight": found.log_rest_tight,
        "neighbours": found.neighbours, "invariants": found.invariants,
        "citation": found.citation, "remark": found.remark,
    }


def _evaluate(options: argparse.Namespace) -> Any:
    found = evaluate(
        _chosen_mechanism(options), _chosen_histogram(options), options.repetitions,
        options.seed, options.simulate,
    )
    return {"dataset": options.dataset, **found.numbers(), "seed": options.seed}


def _release(options: argparse.Namespace) -> Any:
    histogram = _chosen_histogram(options)
    released = _chosen_mechanism(options).release(histogram, options.seed)
    table = histogram.cells().drop(columns="count")
    return table.assign(released=released.counts)


def _solve(options: argparse.Namespace) -> Any:
    found = solve(
        _chosen_mechanism(options), _chosen_histogram(options), options.param, options.metric,
        options.target, options.repetitions, options.seed,
    )
    return {
        "mechanism": options.mechanism, "param": options.param, "metric": options.metric,
        "target": options.target, "reached": found.value is not None, "value": found.value,
        "achieved": found.achieved, "best_value": found.best_value, "best": found.best,
    }


def _swap_rate(options: argparse.Namespace) -> Any:
    size = options.stratum_size
    if options.rate is not None:
        answer = dataclasses.asdict(swap_rate_to_epsilon(options.rate, size))
    else:
        answer = dataclasses.asdict(epsilon_to_swap_rates(options.epsilon, size))
    return {**answer, "citation": CITATION}


def _reproduce(options: argparse.Namespace) -> Any:
    published, table = reproduce(options.table, load_dataset(options.dataset), options.seed)
    if options.json:
        return {
            "citation": published.citation, "remark": published.remark,
            "dataset": options.dataset, "rows": table,
        }
    print(f"{published.citation}; here on {options.dataset}. {published.remark}")
    return table.round(3)


def _plain(value: Any) -> Any:
    """Anything the engine returns, as JSON knows it; infinities and NaN become null."""
    if isinstance(value, pd.DataFrame):
        return _plain(value.astype(object).to_dict(orient="records"))
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [_plain(v) for v in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


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
            print(f"{key}: {_plain(value)}")

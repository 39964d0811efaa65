"""Speed of the Prediction page: models trained in one go against scikit-learn's, on records and on
patterns, and a whole sweep."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LogisticRegression

import sdc_core as sdc
from bench.measure import Figure, best_of, milliseconds
from bench.tables import found
from sdc_core.histogram import Histogram
from sdc_core.metrics.classification import Task, scores
from sdc_core.metrics.classifiers import MODELS, Model
from sdc_core.people import expand

PREDICTORS = ("RAC1P", "AGE_BIN", "SEX", "OWN_RENT")
TARGET = "INCOME_50K"
METHODS = ("laplace", "discrete-gaussian", "dp-suppression", "dp-swapping")
EPSILONS = (0.5, 1.0, 2.0, 4.0)
REPETITIONS = 20


def figures() -> list[Figure]:
    known, table, what = _task()
    return [*_fits(known, table, what), *_sweeps(known, table, what)]


def _task() -> tuple[str, Histogram, Task]:
    known = found("ma2019")
    table = sdc.load_dataset(known).histogram([*PREDICTORS, TARGET])
    return known, table, Task(table.domain, PREDICTORS, TARGET)


def _fits(known: str, table: Histogram, what: Task) -> list[Figure]:
    """The same 20 models: all at once on patterns, and one after the other, on single records as
    scikit-learn does by default and on the same patterns by its quickest solver."""
    released = sdc.released_people(sdc.mechanism("laplace"), table, REPETITIONS)

    def on_records() -> None:
        for row in released:
            records = expand(row, table.domain)
            inputs = np.concatenate(
                [np.eye(n)[records[:, i]] for i, n in enumerate(table.domain.shape[:-1])], axis=1)
            LogisticRegression(max_iter=1000).fit(inputs, records[:, -1])

    def on_patterns() -> None:
        inputs, classes = np.r_[what.design, what.design], np.repeat([0, 1], len(what.design))
        for people in what.by_class(released):
            weights = people.T.ravel()
            there = weights > 0
            model = LogisticRegression(solver="newton-cholesky", tol=1e-8)
            model.fit(inputs[there], classes[there], weights[there])

    ours = best_of(5, lambda: scores(table, what, released, MODELS["logistic"]))
    return [
        Figure(
            f"{REPETITIONS} logistic regressions trained and tested ({known})", milliseconds(ours),
            f"scikit-learn {words}, {milliseconds(peer)}", peer / ours, limit, at_least=True,
        )
        for words, peer, limit in (
            ("on the expanded records", best_of(1, on_records), 20),
            ("on the same patterns, newton-cholesky", best_of(3, on_patterns), 5),
        )
    ]


def _sweeps(known: str, table: Histogram, what: Task) -> list[Figure]:
    rows = []
    for model in MODELS.values():
        seconds = best_of(1, lambda model=model: _sweep(table, what, model))  # type: ignore[misc]
        rows.append(Figure(
            f"{model.title}: {len(METHODS)} methods × {len(EPSILONS)} ε × {REPETITIONS} releases, "
            f"released, trained and tested ({known})",
            milliseconds(seconds), "limit of 60 s", seconds / 60, 1,
        ))
    return rows


def _sweep(table: Histogram, what: Task, model: Model) -> None:
    for name in METHODS:
        for epsilon in EPSILONS:
            released = sdc.released_people(sdc.mechanism(name, epsilon=epsilon), table, REPETITIONS)
            scores(table, what, released, model)

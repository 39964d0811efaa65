"""Figures 4 and 5 of P1: is a model that learnt from a release still right about the people?"""

from __future__ import annotations

import functools

import numpy as np

from sdc_core.data import Dataset
from sdc_core.data.catalogue import FIVE_FEATURES
from sdc_core.experiment import released_people
from sdc_core.keep import kept_with_first
from sdc_core.mechanisms import Mechanism, mechanism
from sdc_core.metrics.classification import Mean, Scores, Task, paired, scores
from sdc_core.metrics.classifiers import MODELS
from sdc_core.papers.item import Case, Claim, Found
from sdc_core.papers.p1_kanonymity import K
from sdc_core.papers.p1_tables import METHODS, swapping

TARGET = "INCOME_50K"
EPSILON = 1.0
NEAR = 0.01  # one person in a hundred


@kept_with_first
def _learnt(data: Dataset, one: Mechanism | None, repetitions: int, seed: int) -> Scores:
    """Logistic regression on releases, or (None) on the data, tested on the data."""
    table = data.histogram(FIVE_FEATURES, "observed")
    others = tuple(name for name in FIVE_FEATURES if name != TARGET)
    task = Task(table.domain, others, TARGET)
    rows = table.counts[None] if one is None else released_people(one, table, repetitions, seed)
    return scores(table, task, rows, MODELS["logistic"], seed)


def _all(case: Case, methods: dict[str, Mechanism]) -> tuple[float, dict[str, Scores]]:
    number = case.attempt.either(40, 10)
    truth = _learnt(case.data, None, 1, case.attempt.seed)
    return float(truth.accuracy[0]), {
        name: _learnt(case.data, one, number, case.attempt.seed)
        for name, one in methods.items()}


def _others(case: Case) -> dict[str, Mechanism]:
    qi = ("PUMA", "RAC1P", "SEX", "OWN_RENT")
    return {
        "DP suppression": mechanism(
            "dp-suppression", epsilon=EPSILON, k=K, keep_zeros=case.keep_zeros),
        "DP swapping": swapping(EPSILON, "RAC1P"),
        "DP k-anonymity": mechanism(
            "dp-k-anonymity", epsilon=EPSILON, k=K, quasi_identifiers=(*qi, TARGET)),
    }


def _percent(found: Scores) -> str:
    return f"{100 * float(np.nanmean(found.accuracy)):.1f}%"


def _more_right(case: Case, method: str, title: str) -> Found:
    """Than each of the others, beyond two standard errors of the difference."""
    truth, found = _all(case, {title: METHODS[method](EPSILON), **_others(case)})
    ahead = [paired(found[title].accuracy, one.accuracy)
             for name, one in found.items() if name != title]
    said = ", ".join(f"{name} {_percent(one)}" for name, one in found.items())
    return Found(all(_beyond_chance(one) for one in ahead),
                 f"Trained on the data {100 * truth:.1f}%; {said}.")


def _beyond_chance(lead: Mean) -> bool:
    return lead.mean > 2 * lead.se


def _near_the_truth(case: Case, method: str) -> Found:
    truth, found = _all(case, {method: METHODS[method](EPSILON)})
    mean = float(np.nanmean(found[method].accuracy))
    error = float(np.nanstd(found[method].accuracy, ddof=1)) / len(found[method].accuracy) ** 0.5
    return Found(truth - mean <= NEAR + 2 * error,
                 f"Trained on the data {100 * truth:.2f}%, on releases {100 * mean:.2f}%.")


def claims(first: int) -> list[Claim]:
    out: list[Claim] = []
    for method, title in (("laplace", "Laplace"), ("dgauss", "discrete Gaussian")):
        out.append(Claim(
            "P1", first + len(out), "fig4", "§7, Fig 4; App. C.3, Fig 5",
            f"Logistic regression that learnt from releases of {title} (ε = 1) is more often right "
            "about income than after any of the three DP versions of traditional methods (from "
            "place, race, sex and ownership; the paper also names age).",
            functools.partial(_more_right, method=method, title=title),
            about=("ma2019", "tx2019", "national2019"), slow=True))
        out.append(Claim(
            "P1", first + len(out), "fig5", "§7, Fig 4; App. C.3, Fig 5",
            f"Logistic regression that learnt from releases of {title} (ε = 1) is right almost as "
            "often as after the data themselves (within one person in a hundred; from place, race, "
            "sex and ownership, the paper also names age).",
            functools.partial(_near_the_truth, method=method),
            about=("ma2019", "tx2019", "national2019"), empty=("",), slow=True))
    return out

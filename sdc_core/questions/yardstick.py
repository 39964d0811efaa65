"""Is a method's error large beside what the survey itself does not know? For any question that has
evaluations of a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sdc_core.data import Dataset
from sdc_core.experiment import Evaluation
from sdc_core.histogram import Histogram
from sdc_core.metrics.sampling import Yardstick, design_effect, yardstick
from sdc_core.questions.question import Given
from sdc_core.words.sampling import yardstick_sentences


def weights_make(dataset: Dataset) -> float:
    """The design effect of the survey's weights; 1 where there are none."""
    if dataset.weight is None:
        return 1.0
    weights = dataset.records[dataset.weight].to_numpy(dtype=np.float64)
    known = weights[np.isfinite(weights)]
    return design_effect(known) if known.any() else 1.0


def yardsticks(
    given: Given, evaluations: Sequence[Evaluation]
) -> list[tuple[Evaluation, Yardstick]]:
    """For each method whose error is known exactly. Where errors are estimated, chance would move
    the size from which on they are the smaller ones; where the data are not known to be a sample,
    there is nothing to compare with. Weights multiply both errors alike: records will do."""
    if not given.dataset.is_survey:
        return []
    deff = given.work.kept(weights_make, given.dataset)
    exact = [e for e in evaluations if e.method == "exact"]
    table = given.table.in_records
    plain = given.work.evaluate([e.mechanism for e in exact], table, given.seed)
    return [
        (e, given.work.kept(_yardstick_of, table, one, deff))
        for e, one in zip(exact, plain, strict=True)
    ]


def _yardstick_of(table: Histogram, one: Evaluation, deff: float) -> Yardstick:
    return yardstick(table.counts, one.bias, one.variance, deff)


def yardstick_words(
    found: Sequence[tuple[Evaluation, Yardstick]], weighted: bool = False
) -> str:
    """`weighted`: results are told in people represented, so sizes of groups are of records."""
    named = {e.mechanism.spoken(): one for e, one in found}  # a method on two cards is named once
    return yardstick_sentences(list(named.items()), "record" if weighted else "person")

"""What takes long starts on request, with about how long it takes: also on a column of a thousand
values, and also where nobody expected it to take long."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.data.catalogue import own_dataset
from sdc_core.experiment import Progress
from sdc_core.keep import Keep
from sdc_core.metrics.classification import Task
from sdc_core.metrics.logistic import MOST_INPUTS, MOST_NUMBERS, fitted
from sdc_core.questions import QUESTIONS, question, work
from sdc_core.questions.answer import Answer
from sdc_core.questions.question import (
    ANSWER,
    LONGEST_WAIT,
    Arguments,
    Given,
    complete,
    settle,
)
from sdc_core.questions.study import Study
from sdc_core.questions.work import UNASKED, TakesLong, Work

TOWNS = 1000
LONG = 2 * UNASKED  # seconds of a processor: nothing that nobody asked for takes that long


@lru_cache(maxsize=4)
def people(towns: int = TOWNS) -> sdc.Dataset:
    rng, rows = np.random.default_rng(5), 20_000
    return own_dataset(pd.DataFrame({
        "town": [f"t{v:04d}" for v in rng.integers(0, towns, rows)],
        "sex": rng.choice(["f", "m"], rows), "age": rng.integers(18, 90, rows),
        "job": rng.choice(list("abcdef"), rows), "income": rng.gamma(2, 20, rows).round(1),
    }).to_csv(index=False).encode(), "wide.csv")


def given_for(
    address: str, towns: int, controls: Mapping[str, str], work: Work,
    features: tuple[str, ...] = ("town", "sex", "job"),
) -> Given:
    given = Given(Study(people(towns), features), work)
    settle(question(address), given, Arguments(controls))
    return given


CONTROLS = {"classification": {"p_from": "town,job"}}


@pytest.mark.parametrize("address", [q.address for q in QUESTIONS])
def test_a_column_of_a_thousand_values_is_answered_quickly_or_on_request(address: str) -> None:
    start = time.process_time()
    given = given_for(address, TOWNS, CONTROLS.get(address, {}), Work(started=()))
    found = complete(question(address), given)
    assert time.process_time() - start < LONG
    asked = [job for job in found.waiting if job.key == ANSWER]
    assert bool(asked) or found.panels or "page needs" in found.headline
    if question(address).seconds(given) > LONGEST_WAIT:
        assert found.panels == () and re.search(
            r"takes (some seconds|about \d+ (seconds|minutes)|hours)\.", asked[0].note)


@pytest.mark.parametrize(("address", "towns", "controls"), [
    ("classification", 200, {"p_from": "town,job"}),
    ("told_apart", 300, {}), ("told_apart", 200, {"classifier": "logistic"}),
])
def test_what_is_said_of_its_time_is_of_the_right_order(
    address: str, towns: int, controls: dict[str, str]
) -> None:
    given = given_for(address, towns, controls, Work())
    said = question(address).seconds(given)
    start = time.process_time()
    complete(question(address), given)
    assert 1 / 5 < (time.process_time() - start) / said < 5


def test_prediction_from_a_thousand_towns_takes_minutes_and_says_so() -> None:
    given = given_for("classification", TOWNS, CONTROLS["classification"], Work(started=()))
    assert 60 < question("classification").seconds(given) < 3600
    (job,) = complete(question("classification"), given).waiting
    assert job.key == ANSWER and "minutes" in job.note


def slowly(steps: int, progress: Progress | None = None) -> int:
    for step in range(steps):
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass
        if progress is not None:
            progress((step + 1) / steps)
    return steps


def test_what_was_not_expected_to_take_long_is_stopped_and_asked_for(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """It took as long as it took; now a page asks, with what is left by how far it came."""
    monkeypatch.setattr(work, "UNASKED", 0.1)
    with pytest.raises(TakesLong) as found:
        Work(started=()).told("slowly", slowly, 100)
    assert 1 < found.value.seconds < 5  # 100 steps of 20 ms
    for asked in (Work(), Work(started={"any"})):
        assert asked.told("slowly", slowly, 10) == 10
    assert Work(started=()).told("in time", slowly, 2) == 2


def test_what_is_done_stays_when_the_rest_has_to_be_asked_for(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "UNASKED", 0.1)
    keep = Keep()
    with pytest.raises(TakesLong):
        Work(keep, started=()).each(lambda i: "slowly", slowly, [(n,) for n in range(2, 30)])
    assert keep.holds(slowly, 2) and keep.holds(slowly, 3) and not keep.holds(slowly, 29)


def test_a_page_that_takes_longer_than_expected_offers_to_go_on(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    import dataclasses

    def answer(given: Given) -> Answer:
        given.work.told("slowly", slowly, 50)
        return Answer("Answered.")

    monkeypatch.setattr(work, "UNASKED", 0.1)
    slow = dataclasses.replace(question("sparsity"), answer=answer)

    def shown(work: Work) -> Answer:
        given = Given(Study(people(), ("sex", "job")), work)
        settle(slow, given, Arguments({}))
        return complete(slow, given)

    keep = Keep()
    waiting = shown(Work(keep, started=()))
    assert waiting.panels == () and [job.key for job in waiting.waiting] == [ANSWER]
    assert shown(Work(keep, started={ANSWER})).headline == "Answered."
    assert shown(Work(keep, started=())).headline == "Answered."  # kept


def test_a_control_that_waits_is_followed_for_one_visit_and_not_for_all() -> None:
    """What is made of bundled data is shared; where somebody's controls stood is not."""
    shared, address = Keep(), "matched"
    mine, yours = Keep(), Keep()

    def standing(visit: Keep, level: int) -> bool:
        from sdc_core.questions.question import _remember, _standing

        asked = question(address)
        given = Given(Study(people(20)), Work(shared, started=(), visit=visit))
        settle(asked, given, Arguments({"mc_level": level}))
        waits = _standing(asked, given) is not None
        if not waits:
            _remember(asked, given)
        return waits

    assert not standing(mine, 3) and standing(mine, 5)
    assert not standing(yours, 5)


# ---------------------------------------------------------------- models of many inputs


def test_a_model_with_too_many_inputs_is_refused_in_one_sentence() -> None:
    """One feature of 20,000 values took 3 GB for a table of ones and zeros."""
    towns = tuple(str(i) for i in range(MOST_INPUTS))
    sex = sdc.Feature("sex", "Sex", ("f", "m"), ("f", "m"))
    at_most = sdc.Feature("town", "Town", towns[:-3], towns[:-3])
    assert Task(sdc.Domain((at_most, sex)), ("town",), "sex").design.shape == (1497, 1497)
    many = sdc.Feature("town", "Town", (*towns, "x"), (*towns, "x"))
    with pytest.raises(sdc.InputError, match=r"1,501 inputs.* Leave out the feature with most"):
        Task(sdc.Domain((many, sex)), ("town",), "sex").design  # noqa: B018
    wide = sdc.Feature("job", "Job", towns[:40], towns[:40])
    assert MOST_INPUTS * 40 * (MOST_INPUTS + 40) > MOST_NUMBERS
    with pytest.raises(sdc.InputError, match=r"59,880 combinations"):
        Task(sdc.Domain((at_most, wide, sex)), ("town", "job"), "sex").design  # noqa: B018


def test_many_data_sets_with_many_inputs_are_fitted_a_few_at_a_time(
    monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same numbers, whatever fits into memory at once."""
    rng = np.random.default_rng(1)
    design = np.eye(12)[rng.integers(0, 12, 60)]
    people = rng.poisson(4, (9, 60, 2)).astype(float)
    whole = fitted(design, people)
    monkeypatch.setattr("sdc_core.metrics.logistic._AT_ONCE", 13 * 13 * 2)
    np.testing.assert_allclose(fitted(design, people), whole, atol=1e-6)


# ---------------------------------------------------------------- sentences


@contextmanager
def refused() -> Iterator[list[str]]:
    said: list[str] = []
    with pytest.raises(sdc.InputError) as problem:
        yield said
    said.append(str(problem.value))


def test_no_sentence_repeats_a_long_input() -> None:
    """In one place, whoever raises it; its rule and its remedy stand at its ends."""
    long = "x" * 100_000
    data = people(20)
    for attempt in (
        lambda: sdc.mechanism(long), lambda: sdc.mechanism("laplace", epsilon=long),
        lambda: data.column(long), lambda: data.histogram([long]),
        lambda: sdc.load_dataset(long), lambda: sdc.ask(long, Study(data)),
        lambda: sdc.mechanism("k-anonymity", hierarchies=f"sex: {long} | {long}").check(
            data.histogram(["sex"])),
    ):
        with refused() as said:
            attempt()
        assert len(said[0]) < 1100
    with refused() as said:
        raise sdc.InputError(f"The rule. {long} The remedy.")
    assert said[0].startswith("The rule.") and said[0].endswith("The remedy.")

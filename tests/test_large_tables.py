"""Tables of many groups: a page answers, or says at once why not and what would make it feasible.

Nothing here measures time. Proven is that limits are declared and kept, that what is said to help
helps, that long work waits for a click on a page and says about how long it takes, and that the
short ways (by size of count, by sparse products) give what the long ways give.
"""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms import FOR_TABLES
from sdc_core.mechanisms.base import CellMoments, Effort, Mechanism
from sdc_core.questions import QUESTIONS, question
from sdc_core.questions.answer import Answer
from sdc_core.questions.question import ANSWER, Arguments, Given, complete, settle
from sdc_core.questions.study import Study
from sdc_core.questions.work import (
    FITTED_REPETITIONS,
    LONGEST_LINE,
    METHODS,
    PATIENCE,
    POINTS,
    Work,
    about,
    affordable,
    can_be_drawn,
    takes_long,
)

SIZES = {"area": 30, "race": 9, "sex": 2, "education": 12, "age": 12, "income": 10}
ALL = tuple(SIZES)
GROUPS = 777_600


def people(rows: int = 20_000) -> sdc.Dataset:
    """Six columns of declared values: 777,600 groups, whoever is in them."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({
        name: [f"{name[0]}{v:02d}" for v in rng.integers(0, size, rows) * rng.integers(0, 2, rows)]
        for name, size in SIZES.items()})
    roles = {"area": "place", "income": "sensitive"}
    return sdc.load_dataset(frame, {"columns": [
        {"name": name, "role": roles.get(name, "quasi-identifier"),
         "values": [f"{name[0]}{v:02d}" for v in range(size)]}
        for name, size in SIZES.items()]})


DATA = people()
TABLE = DATA.histogram(ALL)
CENSUS = sdc.load_dataset("all2019-twin")
USUAL = CENSUS.histogram(CENSUS.default_features)

# Pages with a table of their own, made as large as their controls allow.
LARGE: dict[str, dict[str, str]] = {
    "classification": {"p_target": "sex", "p_from": "area,race,education,age,income", "p_by": ""},
    "funding": {"group": "race=r00,sex=s00,education=e00,age=a00,income=i00"},
    "subgroups": {"g_order": "income,age", "g_y": "income", "g_x": "age",
                  "g_by": "area,race,sex,education"},
}


def asked(address: str, features: tuple[str, ...] = ALL) -> Answer:
    kept = {n: ",".join(one for one in text.split(",") if one.split("=")[0] in features)
            for n, text in LARGE.get(address, {}).items()}
    study = Study(DATA, features, methods=[sdc.mechanism("laplace"), sdc.mechanism("suppression")])
    return sdc.ask(address, study, kept, work=Work(started=()))


def test_the_table_is_as_large_as_it_should_be() -> None:
    assert len(TABLE) == np.prod(list(SIZES.values())) == GROUPS


@pytest.mark.parametrize("address", [q.address for q in QUESTIONS])
def test_every_page_answers_or_says_why_not_and_what_helps(address: str) -> None:
    """What is said to help is done, and helps."""
    try:
        found = asked(address)
    except sdc.InputError as problem:
        said = str(problem)
        most = question(address).most_cells
        assert said.startswith(f"This table has 777,600 groups; this page works up to {most:,}. ")
        told = re.search(r"Count by fewer features: dropping (.+) leaves ([\d,]+)\.", said)
        assert told is not None and "\n" not in said
        dropped, left = told[1].split(" and "), int(told[2].replace(",", ""))
        assert left == GROUPS / np.prod([SIZES[name] for name in dropped]) <= most
        found = asked(address, tuple(n for n in ALL if n not in dropped))
    assert len(found.headline) > 20 and "cannot" not in found.headline.split()[:3]


def test_most_pages_do_answer_so_large_a_table() -> None:
    able = {q.address for q in QUESTIONS if q.most_cells >= GROUPS}
    assert able >= {"compare", "map", "delta_epsilon", "swap_rate", "protected", "theorems",
                    "sparsity", "subgroups"}
    assert all(0 < q.most_cells <= 2_000_000 for q in QUESTIONS if not q.takes_files)


def test_data_with_nothing_to_predict_is_not_called_too_large() -> None:
    study = Study(DATA.with_columns([dataclasses.replace(
        DATA.column("sex"), values={f"s{i:02d}": f"s{i:02d}" for i in range(3)})]), ALL)
    assert len(study.table) > GROUPS
    assert sdc.ask("classification", study).headline.startswith("This page predicts a feature that")


# ---------------------------------------------------------------- long answers wait


def answered(seconds: float, work: Work) -> Answer:
    given = Given(Study(DATA, ("race", "sex")), work)
    slow = dataclasses.replace(question("sparsity"), seconds=lambda given: seconds)
    settle(slow, given, Arguments({}))
    return complete(slow, given)


def test_an_answer_that_takes_long_waits_until_it_is_asked_for() -> None:
    page = Work(started=())
    waiting = answered(3600, page)
    assert waiting.panels == () and "takes a while" in waiting.headline
    (job,) = waiting.waiting
    assert job.key == ANSWER and "18 groups" in job.note and "about 60 minutes" in job.note
    started = answered(3600, Work(page.keep, started={ANSWER}))
    assert started.panels and started.waiting == ()
    assert answered(3600, Work(page.keep, started=())).panels  # what was answered does not wait
    assert answered(3600, Work()).panels  # nothing waits in Python
    assert answered(1, Work(started=())).panels


# ---------------------------------------------------------------- methods that take long


def suited(cls: type[Mechanism], table: Histogram) -> Mechanism:
    return cls().suited_to(table)


@pytest.mark.parametrize("cls", FOR_TABLES, ids=lambda c: c.name)
def test_on_the_excerpts_only_slow_methods_wait_and_all_others_are_drawn(
    cls: type[Mechanism],
) -> None:
    method = suited(cls, USUAL)
    assert takes_long(method, USUAL, 200, exact=True) is cls.slow
    assert can_be_drawn(method, USUAL, POINTS, 40, exact=True) is not cls.slow


@pytest.mark.parametrize("cls", FOR_TABLES, ids=lambda c: c.name)
def test_a_method_on_the_large_table_is_quick_or_waits_or_says_why_not(
    cls: type[Mechanism],
) -> None:
    method = suited(cls, TABLE)
    try:
        method.check(TABLE)
    except sdc.InputError as problem:
        assert re.search(r"dropping .+ leaves [\d,]+\.|Let fewer features change\.", str(problem))
        return
    work = Work(started=())
    ready = work._ready([method], sdc.evaluate, TABLE, 200, (7, False), True)
    if takes_long(method, TABLE, 200, exact=True):
        assert ready == [] and work.waiting[0].label == f"Run {method.title}"
        assert re.search(r"takes? (some seconds|about \d+ (seconds|minutes)|hours)",
                         work.waiting[0].note)
    else:
        assert ready == [method] and work.waiting == []


def test_what_takes_long_draws_fewer_releases_and_no_line() -> None:
    @dataclasses.dataclass(frozen=True)
    class Heavy(sdc.mechanism("laplace").__class__):  # type: ignore[misc]
        def effort(self, table: Histogram) -> Effort:
            return Effort(PATIENCE / 100, LONGEST_LINE / POINTS)

    heavy = Heavy()
    assert affordable(heavy, TABLE, 100) == 100  # just within patience
    assert affordable(heavy, TABLE, 101) == FITTED_REPETITIONS
    assert affordable(heavy, TABLE, 101, exact=True) == 101  # a closed form draws nothing
    assert can_be_drawn(heavy, TABLE, POINTS, 40, exact=True)
    assert not can_be_drawn(heavy, TABLE, POINTS + 1, 40, exact=True)
    assert not can_be_drawn(heavy, TABLE, POINTS, 60)
    waiting, small = Work(started=()), DATA.histogram(("race", "sex"))
    assert waiting.releases([heavy], small, 7, 200) == [] and waiting.waiting[0].key == METHODS


def test_effort_grows_with_the_table() -> None:
    for cls in FOR_TABLES:
        small = DATA.histogram(("area", "sex", "income"))
        one, other = (suited(cls, t).effort(t) for t in (small, TABLE))
        assert other.release > 5 * one.release > 0, cls.name


@pytest.mark.parametrize(("seconds", "words"), [
    (0.1, "some seconds"), (9.9, "some seconds"), (12, "about 10 seconds"),
    (44, "about 40 seconds"), (150, "about 2 minutes"), (3600, "about 60 minutes"),
    (9000, "hours")])
def test_no_more_is_said_about_time_than_is_known(seconds: float, words: str) -> None:
    assert about(seconds) == words


def test_swapping_follows_records_to_combinations_as_far_as_memory_goes() -> None:
    """200,000 different records and 200 combinations: 40 million chances."""
    values = tuple(str(i) for i in range(1000))
    domain = Domain((Feature("a", "A", values, values), Feature("b", "B", values[:200],
                                                                values[:200])))
    table = Histogram(np.ones(200_000, dtype=np.int64), domain)
    with pytest.raises(sdc.InputError, match=r"200,000 .*200 combinations.*Let fewer"):
        sdc.mechanism("dp-swapping-uniform", quasi_identifiers=("b",)).check(table)
    with pytest.raises(sdc.InputError, match=r"stops at 4,000\. .*dropping B leaves 1,000"):
        sdc.mechanism("swapping", quasi_identifiers=("b",)).check(table)


# ---------------------------------------------------------------- short ways


@pytest.mark.parametrize(
    "cls", [c for c in FOR_TABLES if issubclass(c, CellMoments)], ids=lambda c: c.name)
def test_moments_by_size_of_count_are_those_cell_by_cell(cls: type[Mechanism]) -> None:
    table = DATA.histogram(("area", "race", "sex"))
    method = cls()
    assert isinstance(method, CellMoments)
    by_cell = method.moments(table.counts.astype(np.float64))
    for found, again in zip(method.exact_moments(table), by_cell, strict=True):
        np.testing.assert_allclose(found, again, rtol=1e-12)
    sizes, which = table.sizes
    assert len(sizes) < len(table) and (sizes[which] == table.counts).all()


def test_curves_keep_their_sums_and_not_their_cells() -> None:
    method = sdc.mechanism("laplace")
    param = next(p for p in method.params() if p.name == "epsilon")
    table = DATA.histogram(("race", "sex"))
    curve = Work().curve(method, table, param, 7, 40)  # type: ignore[arg-type]
    here = sdc.evaluate(method.replace(epsilon=curve.values[3]), table)
    assert curve.points[3].people_error == here.people_error and len(here.bias) == 18
    assert all(p.bias.size == p.variance.size == p.absolute_error.size == 0 for p in curve.points)


def test_of_a_large_table_no_more_releases_are_kept_than_fit() -> None:
    wide = DATA.histogram(("area", "race", "education", "age"))
    assert len(wide) == 38_880
    (found,) = Work().releases([sdc.mechanism("suppression")], wide, 7, 200)
    assert found.rows.shape == (4_000_000 // 38_880, 38_880)
    (few,) = Work().releases([sdc.mechanism("suppression")], DATA.histogram(("sex",)), 7, 200)
    assert len(few.rows) == 200


@pytest.mark.slow
@pytest.mark.parametrize("address", ["compare", "reidentification"])
def test_a_table_as_large_as_a_page_allows_fits_into_the_memory_that_is_said(address: str) -> None:
    """In a process of its own, with a limit: these two once took all there was."""
    from bench import memory

    found = memory.measured(address)
    assert found["cells"] == question(address).most_cells
    assert 100 < max(found["peak"], found["asked"]) < memory.LIMIT

"""Every mechanism of the registry keeps the same promises.

Proven here, for each entry: declarations are complete and validate; a bad value is refused in one
sentence that names the parameter, the rule and the value; a release is determined by its seed,
leaves its input alone and keeps the domain; more repetitions never change earlier ones; closed
forms are claimed exactly where they exist. And for the source: no user interface, no global random
state, nothing evaluated or unpickled.
"""

from __future__ import annotations

import ast
import dataclasses
import itertools
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.households import Households
from sdc_core.mechanisms import FOR_TABLES, REGISTRY
from sdc_core.mechanisms.base import (
    CellMechanism,
    Doing,
    ExactMoments,
    Mechanism,
    ReleasesRecords,
    repetition_rng,
)
from sdc_core.parameters import Choice, Flag, Integer, Param, Real
from sdc_core.privacy.guarantee import Neighbours
from sdc_core.records import Records

COUNTS = [0, 1, 2, 3, 5, 6, 7, 9, 30, 400]
ON_CELLS = [cls for cls in REGISTRY if issubclass(cls, CellMechanism)]
PARAMS = [(cls, param) for cls in REGISTRY for param in cls.params()]
NUMBERS = [(cls, param) for cls, param in PARAMS if param.numeric]
SOURCE = Path(sdc.__file__).parent



def in_pairs() -> Households:
    """Everybody lives with others of their cell, so that members share every feature."""
    cell = np.repeat(np.arange(64), np.arange(64) % 9)
    return Households.of(cell * 10 + (np.arange(len(cell)) % 2), cell)


# Counts by the features that mechanisms name by default, and one that none of them does.
NAMED = sdc.Histogram(
    np.arange(64) % 9,
    sdc.Domain(tuple(
        sdc.Feature(name, name.title(), ("1", "2"), ("one", "two"))
        for name in ("PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K", "JOB")
    )),
    find_households=in_pairs,
)

RECORDS = Records.of(pd.DataFrame({
    "age": np.random.default_rng(1).integers(18, 90, 60).astype(float),
    "pay": [math.nan, *np.random.default_rng(2).lognormal(7, 1, 58), math.nan],
    "sex": np.random.default_rng(3).choice(["f", "m"], 60),
}))
ON_RECORDS = [cls for cls in REGISTRY if issubclass(cls, ReleasesRecords)]
every_record_mechanism = pytest.mark.parametrize("cls", ON_RECORDS, ids=lambda c: c.name)
every_mechanism = pytest.mark.parametrize("cls", REGISTRY, ids=lambda c: c.name)
# What is hidden by a rule without chance: there is one release.
FIXED_RULES = [cls for cls in ON_CELLS if cls.family == "sdc" and cls.does is Doing.HIDING]
every_cell_mechanism = pytest.mark.parametrize("cls", ON_CELLS, ids=lambda c: c.name)


def named(value: Any) -> str:
    return value.name


def outside(param: Param) -> Iterator[float]:
    """Numbers just beyond each end, and an end itself where it does not belong."""
    step = 1 if isinstance(param, Integer) else 1e-9
    if math.isfinite(param.low):
        yield param.low - step
        if param.closed in ("neither", "right"):
            yield param.low
    if math.isfinite(param.high):
        yield param.high + max(step, 1e-9 * abs(param.high))
        if param.closed in ("neither", "left"):
            yield param.high


def refusal(cls: type[Mechanism], name: str, value: Any) -> str:
    """The one sentence with which a mechanism refuses a value."""
    with pytest.raises(sdc.InputError) as caught:
        sdc.mechanism(cls.name, **{name: value})
    text = str(caught.value)
    assert "\n" not in text and "Traceback" not in text
    return text


@every_mechanism
def test_declaration_is_complete(cls: type[Mechanism]) -> None:
    declared = cls.declaration()
    for words in (declared.title, declared.plain, declared.summary, declared.citation,
                  cls.__doc__ or ""):
        assert len(words.strip()) > 3
    assert declared.summary.endswith(".")
    assert declared.family in ("dp", "sdc", "dp-sdc") and declared.acts_on in (
        "cells", "records", "numbers")
    if declared.counterpart is not None:
        assert declared.counterpart in [other.name for other in REGISTRY]
    assert [p.name for p in declared.params] == [f.name for f in dataclasses.fields(cls)]
    for param in declared.params:
        assert param.title and len(param.help) > 20, f"{param.name} has no words"
        assert not param.numeric or param.symbol, f"{param.name} has no symbol for its axis"
        if isinstance(param, Choice):
            assert set(param.titles) == set(param.choices)


@every_mechanism
def test_it_is_named_by_what_it_does_first(cls: type[Mechanism]) -> None:
    """In plain words, then by its name, then by its settings; in a sentence as its subject."""
    one = cls()
    said, _, named = one.plain_label().partition(" (")
    assert said == cls.plain[0].upper() + cls.plain[1:] and named.endswith(")")
    assert named.lower().startswith(cls.title.lower())
    subject, _, settings = one.spoken().partition(" (")
    assert subject == cls.doing and cls.doing[0].islower()
    assert re.match(r"\w+ing\b", cls.doing), "the subject of a sentence: hiding, adding, ..."
    for part in one.label().removeprefix(cls.title).split():
        if "=" in part:
            assert part.replace("=", " = ") in named and part.replace("=", " = ") in settings


@pytest.mark.parametrize(
    ("name", "settings", "label", "spoken"),
    [
        ("laplace", {}, "Add noise (Laplace, ε = 1)", "adding noise (ε = 1)"),
        ("suppression", {"k": 10}, "Hide small counts (suppression, k = 10)",
         "hiding small counts (k = 10)"),
        ("swapping", {"swap_rate": 0.1, "require_different": False},
         "Swap similar records (swapping, 10%, any donor)",
         "swapping similar records (10%, any donor)"),
        ("topdown", {}, "Add noise that adds up (TopDown, ε = 1)",
         "adding noise that adds up (ε = 1)"),
    ],
)
def test_plain_names_as_people_read_them(
    name: str, settings: dict[str, Any], label: str, spoken: str
) -> None:
    one = sdc.mechanism(name, **settings)
    assert (one.plain_label(), one.spoken()) == (label, spoken)


def test_names_are_unique_and_mechanisms_lists_them_in_order() -> None:
    names = [cls.name for cls in REGISTRY]
    assert len(set(names)) == len(names)
    assert [declared.name for declared in sdc.mechanisms()] == names
    assert all(type(sdc.mechanism(name)) is cls for name, cls in zip(names, REGISTRY, strict=True))


@pytest.mark.parametrize(("cls", "param"), PARAMS, ids=named)
def test_default_validates_and_is_within_the_slider(cls: type[Mechanism], param: Param) -> None:
    assert param.validate(param.default) == param.default
    assert getattr(cls(), param.name) == param.default
    if isinstance(param, Real) and param.slider is not None:
        low, high = param.slider
        assert param.low <= low < high <= param.high
        assert low <= param.default <= high
        assert param.validate(low) == low and param.validate(high) == high


@pytest.mark.parametrize(("cls", "param"), NUMBERS, ids=named)
def test_number_out_of_range_is_refused_by_name_rule_and_value(
    cls: type[Mechanism], param: Param
) -> None:
    beyond = list(outside(param))
    assert beyond, f"{param.name} has no limits"
    for value in beyond:
        text = refusal(cls, param.name, value)
        assert param.name in text and param.allowed in text and str(value) in text
        assert f"Try {param.default:g}" in text


@pytest.mark.parametrize(
    ("closed", "refused"),
    [("both", []), ("neither", [0.0, 1.0]), ("left", [1.0]), ("right", [0.0])],
)
def test_an_open_end_does_not_belong_to_the_range(closed: Any, refused: list[float]) -> None:
    share = Real(
        name="share", title="Share", symbol="p", default=0.5, low=0.0, high=1.0, closed=closed
    )
    for end in (0.0, 1.0):
        if end in refused:
            with pytest.raises(sdc.InputError, match=re.escape(share.allowed)):
                share.validate(end)
        else:
            assert share.validate(end) == end
    assert share.allowed == ("(" if 0.0 in refused else "[") + "0, 1" + (
        ")" if 1.0 in refused else "]"
    )


@pytest.mark.parametrize(("cls", "param"), NUMBERS, ids=named)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, "many", "", None, [1]], ids=repr)
def test_what_is_not_a_number_is_refused(cls: type[Mechanism], param: Param, value: Any) -> None:
    text = refusal(cls, param.name, value)
    assert param.name in text and (repr(value) in text or str(value) in text)


@pytest.mark.parametrize(
    ("cls", "param"), [pair for pair in NUMBERS if isinstance(pair[1], Integer)], ids=named
)
def test_half_a_person_is_refused(cls: type[Mechanism], param: Param) -> None:
    assert f"{param.name} must be a whole number, got" in refusal(
        cls, param.name, param.default + 0.5
    )


@pytest.mark.parametrize(
    ("cls", "param"), [pair for pair in PARAMS if isinstance(pair[1], (Choice, Flag))], ids=named
)
@pytest.mark.parametrize("value", ["nonsense", "", None, math.nan, 17, [True]], ids=repr)
def test_unknown_choice_is_refused(cls: type[Mechanism], param: Param, value: Any) -> None:
    text = refusal(cls, param.name, value)
    assert param.name in text and repr(value) in text
    assert all(choice in text for choice in param.allowed)


def test_unknown_names_are_refused_and_known_ones_listed() -> None:
    with pytest.raises(sdc.InputError, match=r"no mechanism 'laplacian'.*laplace, geometric"):
        sdc.mechanism("laplacian")
    with pytest.raises(sdc.InputError, match=r"laplace has no parameter 'eps'.*epsilon"):
        sdc.mechanism("laplace", eps=1.0)


@every_cell_mechanism
def test_same_seed_same_release_other_seed_another(cls: type[Mechanism]) -> None:
    first, again, other = (cls().release(COUNTS, seed=s).counts for s in (7, 7, 8))
    np.testing.assert_array_equal(first, again)
    is_random = cls not in FIXED_RULES  # which have nothing to vary
    assert np.array_equal(first, other) is not is_random


@every_cell_mechanism
def test_release_keeps_the_domain_and_leaves_the_input_alone(cls: type[Mechanism]) -> None:
    given = np.array(COUNTS)
    release = cls().release(given, seed=7)
    assert release.counts.shape == given.shape and release.seed == 7
    np.testing.assert_array_equal(given, COUNTS)
    histogram = sdc.Histogram.from_counts(COUNTS)
    from_histogram = cls().release(histogram, seed=7)
    assert from_histogram.histogram is histogram
    np.testing.assert_array_equal(histogram.counts, COUNTS)
    np.testing.assert_array_equal(from_histogram.counts, release.counts)


@every_cell_mechanism
def test_more_repetitions_never_change_earlier_ones(cls: type[Mechanism]) -> None:
    """Repetition r draws from its own stream, alone or in any block; release is repetition 0."""
    counts, mechanism = np.tile(COUNTS, 10), cls()
    together = mechanism.draw(counts, [repetition_rng(7, r) for r in range(8)])
    for r in range(8):
        alone = mechanism.draw(counts, [repetition_rng(7, r)])[0]
        np.testing.assert_array_equal(together[r], alone)
    np.testing.assert_array_equal(mechanism.release(counts, seed=7).counts, together[0])
    few = sdc.evaluate(mechanism, counts, repetitions=8, seed=7, simulate=True)
    np.testing.assert_allclose(few.bias, together.mean(axis=0) - counts, atol=1e-12)
    np.testing.assert_allclose(few.variance, together.var(axis=0, ddof=1), atol=1e-9)
    np.testing.assert_allclose(few.absolute_error, np.abs(together - counts).mean(axis=0))
    assert len({tuple(row) for row in together}) == (1 if cls in FIXED_RULES else 8)


@every_record_mechanism
def test_records_are_released_alike_and_stay_in_their_places(cls: type[Mechanism]) -> None:
    """One seed, one release; repetition r draws from its own stream, alone or with others; the
    input is left alone, and the release has the same variables and as many records."""
    before = RECORDS.values.copy()
    for one in every_setting(cls):
        if "k" in one.settings():
            one = one.replace(k=2)
        together = [*one.draw_records(RECORDS, [repetition_rng(7, r) for r in range(4)])]
        for r, release in enumerate(together):
            alone = next(one.draw_records(RECORDS, [repetition_rng(7, r)]))
            np.testing.assert_array_equal(release.values, alone.values)
            assert release.variables == RECORDS.variables and len(release) == len(RECORDS)
            assert not np.array_equal(release.values, before, equal_nan=True)
        different = len({release.values.tobytes() for release in together})
        assert different == (1 if cls.does is Doing.AVERAGING else 4)
    np.testing.assert_array_equal(RECORDS.values, before)


def test_methods_for_numbers_refuse_a_table_and_are_not_offered_for_one() -> None:
    """By declaration alone: whatever is not for tables treats records, and says so in a sentence
    wherever a table would be drawn, evaluated or guaranteed."""
    others = [cls for cls in REGISTRY if cls not in FOR_TABLES]
    assert others and all(cls.acts_on == "numbers" and cls in ON_RECORDS for cls in others)
    for cls in others:
        for ask in (cls().check, cls().guarantee, lambda t, c=cls: c().release(t, 1),
                    lambda t, c=cls: sdc.evaluate(c(), t)):
            with pytest.raises(sdc.InputError, match="a table of counts has none"):
                ask(NAMED)
        nothing = Records.of(pd.DataFrame({"sex": ["f", "m", "m"]}))
        with pytest.raises(sdc.InputError, match="have no numbers"):
            next(cls().draw_records(nothing, [repetition_rng(1, 0)]))
        with pytest.raises(sdc.InputError, match="'sex', a category"):
            next(cls(variables=("sex",)).draw_records(RECORDS, [repetition_rng(1, 0)]))


@every_mechanism
def test_exactness_is_claimed_where_it_exists(cls: type[Mechanism]) -> None:
    exact = all(callable(getattr(cls, m, None)) for m in ("bias", "variance", "absolute_error"))
    assert cls.declaration().exact is exact is issubclass(cls, ExactMoments)
    if exact and issubclass(cls, CellMechanism):
        result = sdc.evaluate(cls(), COUNTS)
        assert result.method == "exact" and result.l1_bias_se == 0.0
    if issubclass(cls, CellMechanism):
        simulated = sdc.evaluate(cls(), COUNTS, repetitions=20, simulate=True)
        assert simulated.method == "simulated" and simulated.repetitions == 20


@pytest.mark.parametrize(
    ("name", "settings"),
    [("suppression", {"k": 1}), ("laplace", {"epsilon": 100.0}),
     ("geometric", {"epsilon": 100.0}),
     ("dp-suppression", {"epsilon": 100.0, "k": 1})],
)
def test_zero_strength_is_the_identity(name: str, settings: dict[str, Any]) -> None:
    """k = 1 hides only zeros, as 0. At ε = 100 rounded noise moves a count once in e^25 draws.

    With noise, however small, a count of exactly k is hidden half of the time: left out.
    """
    counts = [c for c in COUNTS if not (name == "dp-suppression" and c == 1)]
    mechanism = sdc.mechanism(name, **settings)
    for seed in range(20):
        np.testing.assert_array_equal(mechanism.release(counts, seed=seed).counts, counts)


def every_setting(cls: type[Mechanism]) -> Iterator[Mechanism]:
    """The mechanism with every combination of what can be chosen or switched."""
    chosen = {p.name: p.choices for p in cls.params() if isinstance(p, Choice)}
    switched = {p.name: (False, True) for p in cls.params() if isinstance(p, Flag)}
    options: dict[str, Any] = {**chosen, **switched}
    for values in itertools.product(*options.values()):
        yield cls(**dict(zip(options, values, strict=True)))


@every_mechanism
def test_a_guarantee_says_whom_it_compares_and_what_stays_exact(cls: type[Mechanism]) -> None:
    """Neighbours are one of the declared relations, and what is published exactly is what the
    mechanism says it is, with and without a table."""
    table = NAMED if cls in FOR_TABLES else None
    for one in every_setting(cls):
        found = one.guarantee(table)
        assert isinstance(found.neighbours, Neighbours)
        exact = one.published_exactly(table)
        assert isinstance(exact, tuple) and all(isinstance(words, str) for words in exact)
        assert found.invariants == (*exact, *found.read_off)
        assert bool(one.published_exactly(None)) is bool(exact)
        if found.neighbours not in (Neighbours.ONE_RECORD, Neighbours.SWAPPED_FEATURES):
            assert exact, "fewer data are compared only where something is published exactly"


def sources() -> list[Path]:
    found = sorted(SOURCE.rglob("*.py"))
    assert len(found) > 10
    return found


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def dotted(node: ast.AST) -> str:
    """`np.random.seed` as text, for attribute chains that start with a name."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


FORBIDDEN_MODULES = {"streamlit", "pickle", "cPickle", "dill", "joblib", "marshal", "shelve",
                     "random", "ui", "pages"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__", "pd.read_pickle", "pd.eval"}
MODERN_RANDOM = {"Generator", "SeedSequence", "default_rng", "BitGenerator", "PCG64"}


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_engine_source_keeps_its_boundaries(path: Path) -> None:
    """No user interface, no hidden random state, nothing that runs what a file says."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not {name.split(".")[0] for name in imports(tree)} & FORBIDDEN_MODULES
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            assert dotted(node.func) not in FORBIDDEN_CALLS, f"line {node.lineno}"
            assert not any(kw.arg == "allow_pickle" for kw in node.keywords), f"line {node.lineno}"
        if isinstance(node, ast.Attribute) and dotted(node.value) in ("np.random", "numpy.random"):
            assert node.attr in MODERN_RANDOM, f"line {node.lineno}: np.random.{node.attr}"


@pytest.mark.parametrize("seed", [-1, 1.5, "seven", None])
def test_a_bad_seed_is_refused_by_name(seed: Any) -> None:
    with pytest.raises(sdc.InputError, match="seed must be a whole number"):
        sdc.mechanism("laplace").release([1, 2], seed)
    with pytest.raises(sdc.InputError, match="seed must be a whole number"):
        sdc.evaluate(sdc.mechanism("laplace"), [1, 2], simulate=True, seed=seed)


def test_what_a_mechanism_alters_is_declared() -> None:
    """Values that it hands round or coarsens; all other features stay with their record."""
    for name in ("swapping", "dp-swapping", "dp-swapping-uniform", "k-anonymity", "dp-k-anonymity"):
        assert sdc.mechanism(name, quasi_identifiers=("SEX",)).altered_features == ("SEX",)
    permuted = sdc.mechanism("permutation-swapping", swap=("PUMA",), match=("SEX",))
    assert permuted.altered_features == ("PUMA",)
    for name in ("laplace", "suppression", "dp-suppression", "topdown", "aim"):
        assert sdc.mechanism(name).altered_features == ()


def test_every_mechanism_says_what_it_does() -> None:
    does = {cls.name: cls.does for cls in REGISTRY}
    assert {n for n, d in does.items() if d is Doing.NOISE} == {
        "laplace", "geometric", "discrete-gaussian"}
    assert {n for n, d in does.items() if d is Doing.FITTING} == {"aim", "mst"}
    assert {n for n, d in does.items() if d is Doing.HIDING} == {
        "suppression", "dp-suppression", "protected-suppression"}
    assert does["controlled-rounding"] is Doing.ROUNDING and does["cell-key"] is Doing.SHIFTING
    assert does["topdown"] is Doing.REPAIRING
    assert {cls.name for cls in REGISTRY if cls.slow} == {
        "topdown", "aim", "mst", "protected-suppression"}


@every_mechanism
def test_half_a_closed_form_is_none(cls: type[Mechanism]) -> None:
    """Whoever writes moments means them to be used: all four methods have to be there."""
    if hasattr(cls, "exact_moments") or hasattr(cls, "moments"):
        assert issubclass(cls, ExactMoments), "inherit CellMoments, or write all of ExactMoments"

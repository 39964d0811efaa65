"""Which cells exist must not tell who is in the data.

Under a declared domain, changing any one record (also the only one with some value) leaves the
released cells the same, for every mechanism. Where values were read off the data, that is known and
named.
"""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdc_core as sdc
from sdc_core.data import Column, Dataset, Type
from sdc_core.data.catalogue import CATALOGUE, load_dataset
from sdc_core.data.dictionary import COLUMNS, PLACES
from sdc_core.data.raw import Raw
from sdc_core.mechanisms import FOR_TABLES
from sdc_core.mechanisms.base import Mechanism

TOWNS, SEXES, AGES = ("n", "s", "w"), ("f", "m"), (18.0, 65.0)
WORDS = [
    Column("town", "Town", values={t: t.upper() for t in TOWNS}),
    Column("sex", "Sex", values={s: s.upper() for s in SEXES}, may_be_missing=True),
    Column("age", "Age", type=Type.WHOLE, edges=AGES, may_be_missing=True),
]
FEATURES = ["town", "sex", "age"]
person = st.tuples(
    st.sampled_from(TOWNS), st.sampled_from([*SEXES, None]),
    st.one_of(st.none(), st.integers(0, 99)),
)


def data_of(people: list[tuple[str, str | None, int | None]]) -> Dataset:
    """These people, with everything declared. Two more, always the same, keep columns readable."""
    frame = pd.DataFrame([*people, ("n", "f", 30), ("s", "m", 70)], columns=FEATURES)
    frame["age"] = frame["age"].astype(float)
    return sdc.load_dataset(frame).with_columns(WORDS)


def each_mechanism() -> list[Mechanism]:
    """One of each, with settings that fit the table of three features."""
    asked = {
        "swapping": {"quasi_identifiers": ("sex",)}, "dp-swapping": {"quasi_identifiers": ("sex",)},
        "dp-swapping-uniform": {"quasi_identifiers": ("sex",)},
        "permutation-swapping": {"match": ("sex",), "swap": ("town",)},
        "k-anonymity": {"quasi_identifiers": ("town", "sex")},
        "dp-k-anonymity": {"quasi_identifiers": ("town", "sex")},
        "topdown": {"geography": "town"}, "protected-suppression": {"across": "town", "k": 2},
    }
    return [sdc.mechanism(d.name, **asked.get(d.name, {})) for d in FOR_TABLES]


@settings(max_examples=60, deadline=None)
@given(people=st.lists(person, min_size=3, max_size=8), other=person, which=st.integers(0, 7))
def test_one_record_changes_no_declared_cell(
    people: list[tuple[str, str | None, int | None]], other: tuple[str, str | None, int | None],
    which: int,
) -> None:
    changed = list(people)
    changed[which % len(people)] = other
    before, after = (data_of(rows).histogram(FEATURES) for rows in (people, changed))
    assert before.domain == after.domain and before.domain.read_off == ()
    assert before.domain.shape == (3, 3, 4)  # n s w; f m missing; under 18, to 65, more, missing


@pytest.mark.parametrize("method", each_mechanism(), ids=lambda m: m.name)
@settings(max_examples=15, deadline=None)
@given(people=st.lists(person, min_size=4, max_size=8), other=person, which=st.integers(0, 7))
def test_one_record_changes_no_released_cell(
    method: Mechanism, people: list[tuple[str, str | None, int | None]],
    other: tuple[str, str | None, int | None], which: int,
) -> None:
    """Whoever changes, to whatever: every release lists the same cells in the same order, and the
    promise does not name the shape among what is published exactly."""
    changed = list(people)
    changed[which % len(people)] = other
    tables = [data_of(rows).histogram(FEATURES) for rows in (people, changed)]
    cells = [method.release(table, seed=5).histogram.cells()[["Town", "Sex", "Age"]]
             for table in tables]
    pd.testing.assert_frame_equal(*cells)
    assert len(cells[0]) == len(method.release(tables[1], seed=6).counts) == 36
    assert not any("which values" in fact or "bins" in fact
                   for table in tables for fact in method.guarantee(table).invariants)


@pytest.mark.parametrize("method", each_mechanism(), ids=lambda m: m.name)
def test_the_only_person_with_a_value_cannot_be_seen_by_the_cells(method: Mechanism) -> None:
    """w, and a missing age, occur once; without that person the release has the same cells."""
    alone = [("w", "m", None), ("n", "f", 20), ("n", "m", 40), ("s", "f", 80), ("s", "f", 3)]
    same = [("n", "m", 33), *alone[1:]]
    with_them, without = (data_of(rows).histogram(FEATURES) for rows in (alone, same))
    first, second = (method.release(table, seed=3) for table in (with_them, without))
    assert first.histogram.domain == second.histogram.domain
    assert first.counts.shape == second.counts.shape == (36,)


@pytest.mark.parametrize(
    "name", [e.id for e in CATALOGUE if e.origin == "twin" and not e.described])
def test_the_excerpts_domains_are_declared_and_hang_on_nobody(name: str) -> None:
    data = load_dataset(name)
    states = {"ma2019-twin": "25", "tx2019-twin": "48"}
    places = [p for p in PLACES if p.startswith(states.get(name, "")) and (
        name != "national2019-twin" or p[:2] not in states.values())]
    for feature in data.features:
        table = data.histogram([feature])
        words = COLUMNS[feature]
        assert table.domain.read_off == (), feature
        levels = len(places) if feature == "PUMA" else (
            len(words.edges) + 1 + words.may_be_missing if words.edges
            else len(words.values))
        assert len(table.domain.features[0]) == levels, feature
        assert table.total == len(data)
    fewer = Raw(data.raw.table.slice(100, 40))
    small = Dataset("own", "few", "own", "few", fewer, data.schema)
    some = ["PUMA", "RAC1P", "PINCP", "AGE_BIN", "PWGTP"]
    assert small.histogram(some).domain == data.histogram(some).domain


def test_bins_are_fixed_where_declared_and_follow_the_data_where_seen() -> None:
    data = data_of([("n", "f", age) for age in (0, 17, 18, 64, 65, 66)])
    declared, seen = (data.histogram(["age"], domain) for domain in ("dictionary", "observed"))
    assert declared.domain.features[0].labels == (
        "age under 18", "age 18 to 64", "age 65 or more", "missing")
    assert declared.counts.tolist() == [2, 3, 3, 0]  # 0 17 | 18 64 and the 30 | 65 66 and the 70
    assert seen.domain.read_off == ("age",) and "age under 18" not in seen.domain.features[0].labels
    assert seen.total == len(data) == declared.total


def test_own_data_is_as_seen_and_every_guarantee_says_so() -> None:
    frame = pd.DataFrame({"town": list("nnssw"), "sex": list("fmfmf")})
    table = sdc.load_dataset(frame).histogram(["town", "sex"])
    assert table.domain.read_off == ("town", "sex")
    with pytest.raises(sdc.InputError, match="edges must rise"):
        Column("age", "Age", type=Type.WHOLE, edges=(3.0, 3.0))


@pytest.mark.parametrize(("name", "text", "levels", "read_off"), [
    ("town", "n, s, w", ("n", "s", "w"), ()),
    ("town", "e, n, s, w,", ("e", "n", "s", "w"), ()),
    ("town", "n, s", ("n", "s", "w"), ("town",)),  # the file has one more: that is seen
    ("town", "", ("n", "s", "w"), ("town",)),
    ("sex", "f, m", ("f", "m", ""), ("sex",)),  # that somebody's is missing is seen
    ("sex", "f, m, (missing)", ("f", "m", ""), ()),
    ("age", "18, 65, (missing)", ("0", "1", "2", "N"), ()),
    ("age", "18, 65", ("0", "1", "2", "N"), ("age",)),
])
def test_a_declaration_is_written_and_read_back(
    name: str, text: str, levels: tuple[str, ...], read_off: tuple[str, ...]
) -> None:
    data = data_of([("w", None, None)])
    column = data.column(name).redeclared(text)
    table = data.with_columns([column]).histogram([name])
    assert table.domain.features[0].values == levels
    assert table.domain.read_off == read_off
    assert column.redeclared(column.declaration) == column
    assert data.with_columns([column]).digest != data.with_columns([column.redeclared("")]).digest \
        or not column.declaration


@pytest.mark.parametrize(("text", "words"), [
    ("18, old", "edges between bins are whole numbers"), ("65, 18", "edges must rise"),
    (", ".join(map(str, range(200))), "at most 99 edges"), ("18, inf", "all finite"),
])
def test_a_declaration_that_is_wrong_is_one_sentence(text: str, words: str) -> None:
    with pytest.raises(sdc.InputError, match=words):
        data_of([("w", "f", 3)]).column("age").redeclared(text)

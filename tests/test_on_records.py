"""Records released by any method, also by way of a table; and tails that are cut off first.

Proven: records become the table that counting them gives, and released people become records whose
numbers lie in their bins; a method that changes nothing gives back values of the same bins; records
drawn anew are marked, and measures that need to know whose they are refuse them; top and bottom
coding moves only the tails, to the next number.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.mechanisms.base import repetition_rng
from sdc_core.mechanisms.on_records import AsTable, check_records, draw_records
from sdc_core.mechanisms.tail_coding import code_tails
from sdc_core.metrics.microdata.battery import MEASURES, Original, Task
from sdc_core.record_experiment import measure_releases
from sdc_core.records import Records


def people(number: int = 600) -> Records:
    rng = np.random.default_rng(1)
    age = rng.integers(18, 90, number).astype(float)
    pay = 1000 * rng.lognormal(0, 0.5, number) + 20 * age
    return Records.of(pd.DataFrame({
        "age": age, "pay": np.where(rng.random(number) < 0.1, np.nan, pay),
        "children": rng.integers(0, 4, number).astype(float), "sex": rng.choice(["f", "m"], number),
    }))


def test_records_become_the_table_that_counting_gives() -> None:
    records = people()
    seen = AsTable.of(records, bins=5)
    age, pay, children, sex = seen.table.domain.features
    assert (len(age), len(pay), len(children), len(sex)) == (5, 6, 4, 2)
    assert (age.ordered, age.unordered_tail, pay.unordered_tail, sex.ordered) == (True, 0, 1, False)
    assert seen.table.domain.read_off == records.names and seen.table.total == len(records)
    cube = seen.table.counts.reshape(seen.table.domain.shape)
    assert cube.sum(axis=(0, 2, 3))[-1] == np.isnan(records.column("pay")).sum()
    by_age = cube.sum(axis=(1, 2, 3))
    assert by_age.min() > 80 and by_age.max() < 160  # a fifth of 600 each, but for ties
    np.testing.assert_array_equal(
        cube.sum(axis=(0, 1, 3)), np.bincount(records.column("children").astype(int)))


def test_a_method_that_changes_nothing_keeps_every_bin() -> None:
    """k-anonymity with k = 1: the released records make the same table, and lie in the same bins:
    categories and few-valued numbers come back as they are."""
    records = people()
    seen = AsTable.of(records, bins=5)
    method = sdc.mechanism("k-anonymity", k=1, quasi_identifiers=("age", "sex"))
    released = next(draw_records(method, records, [repetition_rng(1, 0)], bins=5))
    assert not released.in_places and len(released) == len(records)
    codes = [axis.coded(column) for axis, column in zip(seen.axes, released.values.T, strict=True)]
    again = sdc.Histogram.from_codes(codes, seen.table.domain)
    np.testing.assert_array_equal(again.counts, seen.table.counts)
    for name in ("children", "sex"):
        np.testing.assert_array_equal(
            np.sort(released.column(name)), np.sort(records.column(name)))
    age = released.column("age")
    assert (age == np.rint(age)).all() and age.min() >= 18 and age.max() <= 89
    assert np.isnan(released.column("pay")).sum() == np.isnan(records.column("pay")).sum()


@pytest.mark.parametrize("name", ["k-anonymity", "mst", "aim", "laplace", "swapping"])
def test_methods_for_tables_join_in(name: str) -> None:
    records = people(300).select(["age", "children", "sex"])
    wanted = {"quasi_identifiers": ("age", "sex")} if name in ("k-anonymity", "swapping") else {}
    method = sdc.mechanism(name, **wanted)
    check_records(method, records, bins=4)
    one, again = (
        next(draw_records(method, records, [repetition_rng(3, 0)], bins=4)) for _ in range(2))
    np.testing.assert_array_equal(one.values, again.values)
    assert one.variables == records.variables and not one.in_places


def test_records_drawn_anew_have_no_measure_that_asks_whose_they_are() -> None:
    records = people(300).select(["age", "children", "sex"])
    method = sdc.mechanism("k-anonymity", k=5, quasi_identifiers=("age",))
    found = measure_releases(method, Original(records, Task("age")), repetitions=2)
    paired = {m.name for m in MEASURES if m.paired}
    assert paired == {"pscr", "linkage", "interval", "interval_robust"}
    for name in paired:
        assert np.isnan(found.mean(name)) and "drawn anew" in found.why[name]
    assert np.isfinite([found.mean(n) for n in ("dcr", "mka", "il1", "r2")]).all()


def test_what_is_no_list_of_people_is_refused() -> None:
    records = people(300).select(["age", "sex"])
    with pytest.raises(sdc.InputError, match="not a list of people"):
        next(draw_records(sdc.mechanism("suppression", k=50), records, [repetition_rng(1, 0)]))
    with pytest.raises(sdc.InputError, match="bins must be at least 2"):
        AsTable.of(records, bins=1)
    wide = Records.of(np.random.default_rng(1).normal(size=(50, 12)))
    with pytest.raises(sdc.InputError, match="the limit is"):
        check_records(sdc.mechanism("aim"), wide)


def test_only_tails_are_cut_off_and_to_the_next_number() -> None:
    values = np.random.default_rng(2).permutation(np.arange(100.0))
    records = Records.of(pd.DataFrame({"x": values, "y": values[::-1], "s": ["f", "m"] * 50}))
    cut = code_tails(records, top=0.05, bottom=0.1, names=["x"])
    np.testing.assert_array_equal(cut.column("x"), np.clip(values, 10, 94))
    np.testing.assert_array_equal(cut.column("y"), values[::-1])
    both = code_tails(records, top=0.05)
    assert both.column("y").max() == 94 and both.column("y").min() == 0
    np.testing.assert_array_equal(code_tails(records).values, records.values)
    with pytest.raises(sdc.InputError, match="s is a category"):
        code_tails(records, 0.1, names=["s"])
    with pytest.raises(sdc.InputError, match=r"top must be in \[0, 0.5\)"):
        code_tails(records, 0.5)

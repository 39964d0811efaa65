"""Files for work on single records: what their columns mean, where they come from, on what terms.

They are the files that P4 (Perry, Matloff, Tendick) works with. None of them comes with the
program: a user has them from the R packages named here, as CSV. Only the first one's twin is
bundled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sdc_core.data.raw import Raw
from sdc_core.data.schema import Column, Role, Schema, Type
from sdc_core.errors import InputError

# What P4 leaves out of the body measurements as wrong or implausible is not listed there. These
# eleven cases fit every number that it prints, and are those that the rule of its first author's
# notebook leaves out: body fat more than a point off Siri's equation or below 4%, height below 30.
LEFT_OUT = (26, 29, 42, 48, 55, 76, 96, 169, 171, 172, 182)
_POUNDS_PER_SQUARE_INCH = 703.0  # to kilograms per square metre


@dataclass(frozen=True)
class Described:
    """A file that is not a census excerpt: its columns, its source and terms, the columns that
    people are counted by unless told, and what is done to the table as it is read."""

    columns: tuple[Column, ...]
    source: str
    terms: str
    features: tuple[str, ...]
    prepared: Callable[[pa.Table], pa.Table] = lambda table: table
    sample: bool = True  # were the people drawn from a population?

    def read(self, table: pa.Table, file: str) -> tuple[pa.Table, Schema]:
        """The table as it is used, and what its columns mean; one sentence where it is another."""
        written = [c.name for c in self.columns if c.name not in _MADE]
        lacking = next((name for name in written if name not in table.column_names), None)
        if lacking is not None:
            raise InputError(
                f"{file} has no column {lacking!r}, so it is not the file of that name; it should "
                f"have {', '.join(written)}."
            )
        made = self.prepared(table)
        return made.select([c.name for c in self.columns]), Schema(self.columns)


def _number(
    name: str, title: str, edges: tuple[float, ...], unit: str = "", role: Role = Role.QUASI,
    whole: bool = False, note: str = "",
) -> Column:
    kind = Type.WHOLE if whole else Type.NUMBER
    return Column(name, title, role, kind, edges=edges, unit=unit, note=note)


def _body_mass(table: pa.Table) -> pa.Table:
    """Without the cases that P4 leaves out, and with the body mass index."""
    kept = table.filter(pc.invert(pc.is_in(
        table.column("case").cast(pa.string()), pa.array([str(case) for case in LEFT_OUT]))))
    raw = Raw(kept)
    weight, height = (raw.numbers(_number(n, n, ())) for n in ("weight", "height"))
    return kept.append_column(
        "bmi", pa.array(np.round(_POUNDS_PER_SQUARE_INCH * weight / height**2, 6)))


_MADE = ("bmi",)
_WORK = (
    _number("age", "Age", (25, 35, 45, 55, 65), "years"),
    Column("educ", "Education", values={
        "zzzOther": "no higher degree", "14": "master's degree", "16": "doctorate"}),
    Column("occ", "Occupation", values={
        "100": "computer scientists, systems analysts", "101": "programmers",
        "102": "software engineers", "106": "database administrators",
        "140": "hardware engineers", "141": "electrical engineers"}),
    _number("wageinc", "Wage income", (1, 25_000, 50_000, 75_000, 100_000), "$", Role.SENSITIVE,
            whole=True, note="amounts above a limit are shown as one, $325,000"),
    _number("wkswrkd", "Weeks worked", (1, 27, 40, 50, 52), "weeks", whole=True),
)
_CENSUS = (
    "programmers and engineers in the public-use sample of the 2000 US census, R package "
)
_CENSUS_TERMS = (
    "Census Bureau public-use microdata, a work of the US government; the package has a licence of "
    "its own (GPL)"
)
SVCENSUS = Described(
    (*_WORK, Column("gender", "Sex", values={"female": "women", "male": "men"})),
    f"{_CENSUS}qeML", _CENSUS_TERMS, ("occ", "gender", "educ", "wageinc"),
)
PEF = Described(
    (*_WORK[:3], Column("sex", "Sex", values={"1": "men", "2": "women"}), *_WORK[3:]),
    f"{_CENSUS}regtools", _CENSUS_TERMS, ("occ", "sex", "educ", "wageinc"),
)
BODYFAT = Described(
    (
        Column("case", "Case", Role.PERSON),
        _number("siri", "Body fat", (10, 15, 20, 25, 30), "%", Role.SENSITIVE,
                note="by Siri's equation"),
        _number("bmi", "Body mass index", (20, 22.5, 25, 27.5, 30),
                note="made of weight and height"),
        _number("age", "Age", (25, 35, 45, 55, 65), "years"),
        _number("weight", "Weight", (150, 165, 180, 195, 210), "lb"),
        _number("height", "Height", (66, 68, 70, 72, 74), "in"),
        _number("neck", "Neck", (36, 38, 40), "cm"),
        _number("chest", "Chest", (94, 100, 106), "cm"),
        _number("abdomen", "Abdomen", (84, 92, 100), "cm"),
        _number("hip", "Hip", (95, 100, 105), "cm"), _number("thigh", "Thigh", (56, 59, 63), "cm"),
        _number("knee", "Knee", (37, 38.5, 40), "cm"),
        _number("ankle", "Ankle", (22, 23, 24), "cm"),
        _number("biceps", "Biceps", (30, 32, 34), "cm"),
        _number("forearm", "Forearm", (27, 28.5, 30), "cm"),
        _number("wrist", "Wrist", (17.5, 18.3, 19), "cm"),
    ),
    "body measurements of 252 men (Penrose, Nelson, Fisher 1985), R package mfp; without the 11 "
    "cases whose absence fits P4's numbers",
    "given by A. G. Fisher to be distributed freely and used for non-commercial purposes",
    ("age", "bmi", "siri"), _body_mass, sample=False,
)
PIMA = Described(
    (
        _number("pregnant", "Pregnancies", (1, 3, 6), whole=True),
        _number("glucose", "Glucose", (100, 125, 150), "mg/dl", note="0 where not measured"),
        _number("pressure", "Blood pressure", (60, 70, 80), "mm Hg", note="0 where not measured"),
        _number("triceps", "Skin fold", (1, 20, 30), "mm", note="0 where not measured"),
        _number("insulin", "Insulin", (1, 100, 200), "µU/ml", note="0 where not measured"),
        _number("mass", "Body mass index", (25, 30, 35), note="0 where not measured"),
        _number("pedigree", "Pedigree function", (0.25, 0.5, 0.75)),
        _number("age", "Age", (25, 35, 45, 55), "years"),
        Column("diabetes", "Diabetes", Role.SENSITIVE, values={"neg": "no", "pos": "yes"}),
    ),
    "diabetes study among Pima women (US National Institute of Diabetes, by way of the UCI "
    "repository), R package mlbench",
    "no terms are stated with the data; the package has a licence of its own (GPL-2)",
    ("diabetes", "age", "mass"), sample=False,
)

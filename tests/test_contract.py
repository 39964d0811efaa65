"""Names that others rely on: keys in links and columns of CSV files, listed here and nowhere else.

A link in a report of last year must open, and a script that reads a CSV must find its columns. Both
were written down from what the pages offered before questions had folders of their own. A method's
own name stands in some columns; here it is `<method>`. Methods in a link are slots (`m1`) whose
settings go by the parameter's name (`m1.epsilon`), which `tests/test_registry.py` knows.
"""

from __future__ import annotations

from typing import Any

import pytest

import sdc_core as sdc
from sdc_core.questions import QUESTIONS, question
from tests import shown
from tests.page_driver import TWIN, link, opened

# Of each question: the slots of its methods, then its own controls.
KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "compare": (("m1", "m2", "m3", "m4"), ("simulate", "tune")),
    "map": (("map1", "map2"), ("map_measure", "map_count", "map_place", "map_view")),
    "delta_epsilon": (("m1", "m2", "m3", "m4"), ("cap", "view")),
    "swap_rate": ((), ("match", "swap_variable", "rate", "wanted")),
    "protected": ((), ("family", "p_rate", "p_household", "p_delta")),
    "swapping_changes": ((), ("rate", "step")),
    "told_apart": (("t1", "t2", "t3", "t4"), ("classifier", "t_k")),
    "subgroups": (("s1", "s2", "s3", "s4"), ("g_y", "g_x", "g_by", "groups", "g_view")),
    "classification": (
        ("p1", "p2", "p3", "p4"),
        ("p_target", "p_from", "p_by", "p_model", "p_also", "p_tune"),
    ),
    "sparsity": (("z1", "z2", "z3", "z4"), ("z_measure",)),
    "reidentification": (
        ("r1", "r2", "r3", "r4"),
        ("r_rule", "r_tune", "r_known", "r_sensitive", "r_group"),
    ),
    "funding": (("f1", "f2", "f3", "f4"), ("area", "group", "pot", "threshold", "counted")),
}
# Of each table: its columns.
COLUMNS: dict[str, dict[str, tuple[str, ...]]] = {
    "compare": {
        "summary": (
            "mechanism", "Total error (E‖x̃ − x‖₁)", "Systematic error (‖bias‖₁)", "Unfairness (α)",
            "Largest variance (max Var)", "δ published", "δ true", "published δ holds", "method",
        ),
        "bias-by-count": ("who", "true count", "bias, <method>"),
        "sweep": (
            "mechanism", "epsilon", "l1_error", "l1_bias", "fairness_alpha", "max_variance",
            "method",
        ),
    },
    "map": {
        "map": ("place", "code", "people", "<method>, people", "difference"),
    },
    "delta_epsilon": {
        "delta-epsilon": (
            "mechanism", "epsilon", "delta_published", "delta_true", "ln(1 - delta_published)",
            "ln(1 - delta_true)", "holds",
        ),
    },
    "swap_rate": {
        "swap-rate": (
            "what", "stratum size", "swap rate", "epsilon, theorem", "epsilon, exact worst case",
        ),
    },
    "protected": {
        "protection": (
            "Method", "Family", "What can be protected?", "To where does it reach?",
            "Who is the unit?", "How is it measured?", "How much?", "On this table", "Source",
        ),
    },
    "swapping_changes": {
        "swapped-1940": ("County", "Tenure", "before", "after", "change", "percent"),
    },
    "told_apart": {
        "propensity": ("score", "original %, <method>", "released %, <method>"),
        "given-away": ("who", "people in the data", "<method>"),
        "told-apart": (
            "mechanism", "released people", "pMSE, Decision tree", "times a copy's, Decision tree",
            "give themselves away, Decision tree", "original records accused, Decision tree",
            "pMSE, Logistic regression", "times a copy's, Logistic regression",
            "give themselves away, Logistic regression",
            "original records accused, Logistic regression", "2-marginal score", "3-marginal score",
            "note",
        ),
        "k-marginal": ("mechanism", "place", "people", "released", "score"),
    },
    "subgroups": {
        "subgroups": ("method", "group", "Income tenth", "Education", "true", "released"),
        "disparity": (
            "method", "group", "people", "released people", "true slope", "released slope",
            "change of slope, %", "error per 1,000 people", "how",
        ),
    },
    "classification": {
        "prediction": ("trained on", "accuracy", "balanced accuracy", "releases"),
        "prediction-groups": ("group", "people", "wrong, trained on the truth", "wrong, <method>"),
        "prediction-sweep": (
            "method", "epsilon", "accuracy", "accuracy, 10%", "accuracy, 90%", "balanced",
            "balanced, 10%", "balanced, 90%",
        ),
    },
    "sparsity": {
        "sparsity": ("share empty", "empty groups", "this table", "<method>"),
        "sparsity-epsilon": (
            "epsilon", "first is better from share", "to share", "kind", "crossing, empty groups",
        ),
        "sparsity-features": (
            "counted by", "features", "groups", "empty", "share empty", "<method>",
        ),
    },
    "reidentification": {
        "unique-matches": (
            "mechanism", "epsilon", "unique people", "in the release", "from (5%)", "to (95%)",
            "share %", "empty groups", "shown all the same", "method",
        ),
        "risk": (
            "mechanism", "group", "people", "apparent matches", "of them right", "right guesses %",
            "most common answer %", "releases",
        ),
        "risk-by_size": (
            "mechanism", "group", "people", "apparent matches", "of them right", "right guesses %",
            "most common answer %", "releases",
        ),
        "risk-by_group": (
            "mechanism", "group", "people", "apparent matches", "of them right", "right guesses %",
            "most common answer %", "releases",
        ),
        "unique-by-group": ("mechanism", "group", "people", "unique people", "in the release"),
    },
    "funding": {
        "money": (
            "place", "members", "people", "true amount", "gain, <method>", "± <method>",
            "5% of releases below, <method>", "5% of releases above, <method>",
        ),
        "threshold": (
            "place", "true share", "more than 25%", "share, <method>", "chance of a flip, <method>",
            "± <method>",
        ),
    },
}

every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.address)


def generic(columns: Any, methods: Any) -> tuple[str, ...]:
    """Column titles with `<method>` for each method's numbered name, each once."""
    names = [f"{i}. {m.label()}" for i, m in enumerate(methods, start=1)]
    found: dict[str, None] = {}
    for column in columns:
        for name in sorted(names, key=len, reverse=True):
            column = column.replace(name, "<method>")
        found[column] = None
    return tuple(found)


def test_every_question_is_listed() -> None:
    assert list(KEYS) == [q.address for q in QUESTIONS]
    assert list(COLUMNS) == list(KEYS)


@pytest.mark.parametrize("address", list(KEYS))
def test_keys_of_a_link(address: str) -> None:
    found = list(link(opened(TWIN, f"../pages/{address}.py")))
    slots, own = KEYS[address]
    shared = ["data", *([] if question(address).own_table else ["features"]), "seed"]
    settings = [k for k in found if k.split(".")[0] in slots and "." in k]
    assert sorted(found) == sorted([*shared, *slots, *settings, *own])


@pytest.mark.parametrize("address", list(COLUMNS))
def test_columns_of_the_tables(address: str) -> None:
    with shown.answers_of_pages() as answers:
        opened(TWIN, f"../pages/{address}.py")
    given, answer = answers[-1]
    for name, columns in COLUMNS[address].items():
        assert generic(answer.tables()[name].columns, given.methods) == columns, name


def test_slots_hold_the_parameters_of_their_method() -> None:
    found = link(opened({**TWIN, "m1": "swapping"}))
    declared = {p.name for p in sdc.mechanism("swapping").params()}
    assert {k.split(".")[1] for k in found if k.startswith("m1.")} == declared

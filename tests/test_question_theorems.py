"""What the theorems say: sentence, chart and table, read back against findings made here.

The numbers of the findings themselves are proven in test_theorems.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.questions.answer import Answer
from sdc_core.questions.theorems import figures, words
from sdc_core.theorems import THEOREMS, Finding, Kind, Theorem, Verdict
from sdc_core.words.numbers import in_words
from tests.contract import Contract
from tests.reading import markup, only, traces

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=(),
    controls=("th_epsilon", "th_k"),
    columns={
        "theorems": (
            "paper", "theorem", "claim", "printed", "exact", "printed over exact", "verdict",
            "reason",
        ),
    },
)

TWIN = sdc.load_dataset("ma2019-twin")
PEOPLE = pd.DataFrame(
    [("North", "x")] * 3 + [("North", "y")] * 2 + [("South", "x")] * 4 + [("South", "y")] * 2,
    columns=["Place", "Colour"],
)


def asked(data: Any = TWIN, **controls: Any) -> Answer:
    dataset = data if isinstance(data, sdc.Dataset) else sdc.load_dataset(data)
    return sdc.ask("theorems", sdc.Study(dataset), **controls)


def made(kind: Kind, printed: float | None, exact: float | None, verdict: Verdict) -> Finding:
    def unused(setting: Any) -> tuple[float, float]:
        raise AssertionError

    return Finding(Theorem("Das et al. 2024", f"Theorem {printed}", "c.", kind, unused, "w."),
                   printed, exact, verdict, "because.")


HOLDS = made("bound", 4.0, 2.0, Verdict.HOLDS)
LITTLE = made("bound", 5000.0, 2.0, Verdict.SAYS_LITTLE)
FAILS = made("bound", 1.0, 2.0, Verdict.FAILS)
IDLE = made("comparison", None, None, Verdict.DOES_NOT_APPLY)
VALUE = made("value", 3.0, 3.0, Verdict.HOLDS)
NOTHING = made("bound", 7.0, 0.0, Verdict.SAYS_LITTLE)


@pytest.mark.parametrize(
    ("found", "headline"),
    [
        ([HOLDS, LITTLE], "2 hold on this table; the tightest bound is twice the exact value."),
        ([HOLDS], "1 holds on this table; the one bound among them is twice the exact value."),
        ([VALUE], "1 holds on this table."),
        ([VALUE, LITTLE, HOLDS], "3 hold on this table; 1 is exact, and the tightest bound is "
         "twice the exact value."),
        ([VALUE, VALUE, HOLDS], "3 hold on this table; 2 are exact, and the one bound among them "
         "is twice the exact value."),
        ([FAILS], "none holds on this table and 1 fails."),
        ([FAILS, FAILS, IDLE],
         "none holds on this table, 2 fail and 1 does not apply."),
        ([IDLE, IDLE], "none holds on this table and 2 do not apply."),
        ([NOTHING, VALUE], "2 hold on this table."),  # a bound on nothing is not the tightest
        ([NOTHING, LITTLE, FAILS],
         "2 hold on this table and 1 fails; the one bound on what happens here is 2,500 times "
         "the exact value."),
        ([NOTHING, HOLDS, LITTLE], "3 hold on this table; the tightest bound on what happens here "
         "is twice the exact value."),
    ],
)
def test_the_headline_in_every_case(found: Sequence[Finding], headline: str) -> None:
    said, _ = words.theorem_sentences(found)
    start = f"Of {len(found)} printed theorems on error and fairness, "
    assert said == start + headline


def test_what_the_headline_leaves_open() -> None:
    _, more = words.theorem_sentences([HOLDS, LITTLE, FAILS, VALUE])
    assert "What fails is Das et al. 2024 Theorem 1.0" in more and "1 gives the exact value" in more
    assert "1 of the 2 bounds that hold is more than 10 times too large, so it says" in more
    assert "loosest" not in more  # one cannot be the loosest of one
    assert words.theorem_sentences([IDLE])[1] == ""
    assert "the exact value is 0" not in more
    _, more = words.theorem_sentences([HOLDS, LITTLE, NOTHING])
    assert "For 1 of the 3 bounds that hold the exact value is 0." in more
    assert "For the one bound that holds the exact value is 0." in (
        words.theorem_sentences([NOTHING, VALUE])[1])
    loose = made("bound", 8e9, 2.0, Verdict.SAYS_LITTLE)
    _, more = words.theorem_sentences([LITTLE, loose])
    assert "2 of the 2 bounds that hold are more than" in more
    assert "Das et al. 2024 Theorem 8000000000.0, is 4 billion times the exact value" in more


def test_what_only_rounds_to_one_is_not_called_equal() -> None:
    near, reached = (made("bound", printed, 2.0, Verdict.HOLDS) for printed in (2.005, 2.0))
    assert words.theorem_sentences([near])[0].endswith("is almost equal to the exact value.")
    assert words.theorem_sentences([reached])[0].endswith("is equal to the exact value.")
    assert "almost equal" in figures.alt_text([near])


def test_a_comparison_that_fails_has_nothing_printed_to_lie_above() -> None:
    compared = made("comparison", 0.1, 0.4, Verdict.FAILS)
    _, more = words.theorem_sentences([compared])
    assert more == ("What fails is Das et al. 2024 Theorem 0.1: the true unfairness of Laplace "
                    "noise is larger than that of one of the others.")
    _, more = words.theorem_sentences([FAILS, compared])
    assert more.startswith("What fails is Das et al. 2024 Theorem 1.0: the exact value lies above")
    assert "; and Das et al. 2024 Theorem 0.1: the true unfairness" in more


def test_a_formula_that_is_exact_is_so_where_numbers_vanish() -> None:
    """At ε = 100 chances are below what a computer can tell from 0: no infinite multiples."""
    answer = asked(th_epsilon=100.0)
    table = answer.tables()["theorems"]
    assert not np.isinf(table["printed over exact"].dropna().astype(float)).any()
    kinds = [t.kind for t in THEOREMS]
    for kind, (_, row) in zip(kinds, table.iterrows(), strict=True):
        if kind == "value" and row["verdict"] == "holds":
            assert row["printed over exact"] == 1
    idle = [k == "bound" and v.startswith("holds") and e < 1e-9
            for k, v, e in zip(kinds, table["verdict"], table["exact"], strict=True)]
    holds = [k == "bound" and v.startswith("holds")
             for k, v in zip(kinds, table["verdict"], strict=True)]
    assert sum(idle) > 0
    assert f"For {sum(idle)} of the {sum(holds)} bounds that hold the exact value is 0." in (
        answer.more)
    assert "P0" not in answer.headline + answer.more


@pytest.mark.parametrize("k", [6, 7])
@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_sentence_chart_and_table_say_the_same(epsilon: float, k: int) -> None:
    answer = asked(th_epsilon=epsilon, th_k=k)
    table = answer.tables()["theorems"]
    assert list(table["paper"] + " " + table["theorem"]) == [t.title for t in THEOREMS]
    ratio = table["printed"] / table["exact"]
    shown = table[ratio.notna()]
    assert shown["printed over exact"].tolist() == pytest.approx(ratio.dropna().tolist())
    # the sentence
    hold = table[table["verdict"].str.startswith("holds")]
    assert answer.headline.startswith(f"Of {len(table)} printed theorems")
    assert f"{len(hold)} hold on this table" in answer.headline
    kinds = {t.title: t.kind for t in THEOREMS}
    names = table["paper"] + " " + table["theorem"]
    bounds = [r for n, r, v in zip(names, ratio, table["verdict"], strict=True)
              if kinds[n] == "bound" and v.startswith("holds")]
    assert words.times_text(min(bounds)) in answer.headline
    exact = sum(kinds[n] == "value" and v.startswith("holds")
                for n, v in zip(names, table["verdict"], strict=True))
    assert exact == np.isclose(ratio, 1).sum() > 1
    assert f"; {exact} are exact, and the " in answer.headline
    assert words.times_text(max(bounds)) in answer.more
    # the chart
    (marks,) = traces(only(answer.panel("theorems-ratio")), mode="markers+text")
    assert list(marks.y) == names[ratio.notna()].tolist()
    assert list(marks.x) == pytest.approx(ratio.dropna().tolist())
    for x, color, verdict in zip(marks.x, marks.marker.color, shown["verdict"], strict=True):
        assert color == figures.COLORS[Verdict(verdict)]
        assert (color == figures.COLORS[Verdict.FAILS]) == (x < 1 - 1e-9)
    (rest,) = traces(only(answer.panel("theorems-ratio")), mode="text")
    assert list(rest.y) == names[ratio.isna()].tolist()
    axis = only(answer.panel("theorems-ratio")).layout.xaxis
    assert axis.type == "log"
    assert all(axis.range[0] < math.log10(x) < axis.range[1] for x in marks.x)
    (line,) = traces(only(answer.panel("theorems-ratio")), mode="lines")
    assert set(line.x) == {1}
    ticks = only(answer.panel("theorems-ratio")).layout.yaxis
    for title, shown_as, theorem in zip(ticks.tickvals, ticks.ticktext, THEOREMS, strict=True):
        assert title == theorem.title and theorem.about
        assert shown_as.startswith(f"{theorem.about}<br>") and theorem.title in shown_as
    assert len(answer.headline) <= 165
    # the table as it is read
    rows = markup(answer.panel("theorems").drawing).findall(".//tbody/tr")
    assert len(rows) == len(table)
    for element, (_, row) in zip(rows, table.iterrows(), strict=True):
        cells = ["".join(cell.itertext()) for cell in element]
        name = next(t for t in THEOREMS if t.title == f"{row['paper']} {row['theorem']}")
        assert cells[:2] == [f"{name.about}{name.title}", row["claim"]]
        for text, number in zip(cells[2:4], (row["printed"], row["exact"]), strict=True):
            assert text == ("–" if math.isnan(number) else in_words(number))
        assert cells[4] == f"● {row['verdict']}" and cells[5] == row["reason"]


def test_a_failure_is_left_of_the_line_red_and_named() -> None:
    """Groups of 2 to 4 people: large enough for the comparisons, and Laplace noise is then less
    fair than they claim."""
    answer = asked(PEOPLE, th_k=2)
    table = answer.tables()["theorems"]
    failing = table[table["verdict"] == "fails"]
    assert len(failing) >= 1 and (failing["printed"] < failing["exact"]).all()
    for _, row in failing.iterrows():
        assert f"{row['paper']} {row['theorem']}" in answer.more
    low = only(answer.panel("theorems-ratio")).layout.xaxis.range[0]
    assert low < math.log10(failing["printed over exact"].min())


def test_empty_groups_are_treated_as_the_study_says() -> None:
    counts = {("North", "x"): 0, ("North", "y"): 1, ("South", "x"): 1, ("South", "y"): 1}
    people = pd.DataFrame([key for key, n in counts.items() for _ in range(n)],
                          columns=["Place", "Colour"])
    verdicts = {}
    for empty in ("treated", "left"):
        answer = sdc.ask("theorems", sdc.Study(sdc.load_dataset(people), empty_groups=empty))
        table = answer.tables()["theorems"].set_index(["paper", "theorem"])
        verdicts[empty] = table.loc[("Das et al. 2024", "Theorem 5"), "verdict"]
        said = answer.panel("theorems").caption
        assert ("left at 0" in said) == (empty == "left")
    assert verdicts == {"treated": "holds", "left": "fails"}


def test_one_feature_leaves_nothing_to_swap() -> None:
    answer = sdc.ask("theorems", sdc.Study(sdc.load_dataset(PEOPLE), features=["Place"]))
    table = answer.tables()["theorems"]
    idle = table[table["verdict"] == "does not apply"]
    assert "Theorem 4" in set(idle["theorem"]) and f"{len(idle)} do not apply" in answer.headline


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0, "0"), (2.0, "2"), (258, "258"), (23302.07, "23,302"), (99_900, "99,900"),
     (285_326, "285 thousand"), (999_960, "1 million"), (1.4453e9, "1.45 billion"),
     (1.112e11, "111 billion"), (0.97, "0.97"), (3e15, "3,000 trillion")],
)
def test_large_numbers_can_be_read_aloud(number: float, text: str) -> None:
    assert in_words(number) == text


def test_the_method_text_gives_the_counterexamples_with_their_numbers() -> None:
    """The same numbers as test_theorems proves, rounded."""
    from sdc_core.questions.theorems.method import METHOD

    said = re.sub(r"\s+", " ", METHOD)
    for part in ("error is 1.10 and the bound 1.01", "unfairness is 1.92 and the bound 1.02",
                 "unfairness of 0.22"):
        assert part in said


@pytest.mark.parametrize("empty", ["left", "treated"])
def test_the_settings_are_those_that_the_values_were_computed_with(empty: str) -> None:
    study = sdc.Study(TWIN, empty_groups=empty)
    found = sdc.ask("theorems", study, th_epsilon=2.0, th_k=5)
    caption = found.panel("theorems").caption
    assert caption.startswith("With ε = 2 and k = 5; empty groups are "
                              f"{'left at 0' if empty == 'left' else 'treated like all others'}; ")
    assert "for 25% of the records where the paper has a swap rate" in caption
    assert "and any other record may be the donor there" in caption
    assert "x₁ is the smallest and xₙ the largest count" in caption
    # P0 Thm 2 bounds the error of hiding: with empty groups left at 0 they add nothing to it
    table = found.panel("theorems").table
    assert table is not None
    rows = table[table["theorem"].str.contains("Theorem 2")]
    hiding = sdc.mechanism("dp-suppression", epsilon=2.0, k=5, keep_zeros=empty == "left")
    error = float(np.abs(hiding.bias(study.table)).sum())
    assert any(value == pytest.approx(error, rel=1e-6) for value in rows["exact"])


def test_left_of_the_line_is_what_fails() -> None:
    found = asked()
    panel, table = found.panel("theorems-ratio"), found.panel("theorems").table
    assert "Left of the line at 1 a theorem fails; far to the right it holds but says little." in (
        panel.caption)
    assert table is not None
    ratio = table["printed over exact"].astype(float)
    fails = table["verdict"].str.contains("fail")
    assert fails[ratio < 1 - 1e-9].all() and not fails[ratio > 1 + 1e-9].any()
    little = table["verdict"].str.contains("little")
    assert little.any() and (ratio[little] > 10).all()
    assert panel.alt.startswith("What is printed over the exact value, one mark a theorem: ")


def test_how_many_give_the_value_itself_and_who_is_loosest() -> None:
    _, more = words.theorem_sentences([HOLDS, VALUE, VALUE, LITTLE, NOTHING])
    assert "Of those that hold, 2 give the exact value itself." in more
    loose = made("bound", 900.0, 2.0, Verdict.SAYS_LITTLE)
    _, more = words.theorem_sentences([loose, LITTLE, HOLDS])
    assert "so they say little; the loosest, Das et al. 2024 Theorem 5000.0, is 2,500 times" in more


def test_what_is_exact_is_called_exact_on_the_chart() -> None:
    """Printed 4, exact 2; printed 7 where nothing happens; and one that does not apply."""
    chart = figures.ratio_chart([HOLDS, NOTHING, IDLE])
    assert chart.layout.xaxis.title.text == "Printed over exact"
    _, marks, rest = chart.data
    assert list(marks.x) == [4 / 2] and "<br>printed 4, exact 2<br>" in marks.customdata[0]
    assert [text.strip() for text in rest.text] == [
        "nothing happens: the exact value is 0", "does not apply"]
    assert figures.alt_text([HOLDS]).endswith(" holds, twice the exact value.")

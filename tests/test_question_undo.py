"""Can hiding be undone? Sentence, table, bars and block, read back against a table made by hand.

The metrics themselves are compared with all tables there are in test_reconstruction.
"""

from __future__ import annotations

import itertools
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.questions.answer import Answer, TableView
from sdc_core.questions.undo.compute import AgainstNoise, against_noise, undone
from sdc_core.questions.undo.words import block_sentences, undo_sentences
from tests.contract import Contract
from tests.reading import only

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=(),
    controls=("undo_place", "undo_first", "undo_second", "undo_k", "undo_block", "undo_epsilon"),
    columns={
        "undo": (
            "group", "place", "at least", "at most", "without totals at least",
            "without totals at most", "true count", "known by",
        ),
        "undo-block": (
            "group", "true count", "published, small ones hidden", "follows from totals",
            "published with noise", "best-fitting table",
        ),
    },
)

# (town, colour, shape): people. Ash and Birch across; red is alone with one hidden count.
PEOPLE = {
    ("Ash", "red", "flat"): 2, ("Birch", "red", "flat"): 9,
    ("Ash", "red", "round"): 12, ("Birch", "red", "round"): 15,
    ("Ash", "blue", "flat"): 3, ("Birch", "blue", "flat"): 4,
    ("Ash", "blue", "round"): 1, ("Birch", "blue", "round"): 5,
    ("Cedar", "red", "flat"): 8, ("Cedar", "red", "round"): 10, ("Cedar", "blue", "flat"): 11,
    ("Cedar", "blue", "round"): 20,
}


def people(counts: dict[tuple[str, str, str], int] = PEOPLE) -> sdc.Dataset:
    rows = [who for who, number in counts.items() for _ in range(number)]
    return sdc.load_dataset(pd.DataFrame(rows, columns=["town", "colour", "shape"]))


def asked(data: sdc.Dataset | None = None, empty: str = "left", **controls: Any) -> Answer:
    study = sdc.Study(data or people(), empty_groups=empty)
    chosen = {"undo_place": "town", "undo_first": "colour", "undo_second": "shape", **controls}
    return sdc.ask("undo", study, chosen)


def cells(answer: Answer) -> dict[tuple[str, str], str]:
    """What stands in each cell of the drawn table."""
    drawn = str(answer.panels[0].drawing)
    columns = re.findall(r'<th scope="col">(.*?)</th>', drawn)
    out = {}
    for name, line in re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', drawn):
        shown = [re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<td.*?>(.*?)</td>", line)]
        out |= {(name, column): text for column, text in zip(columns, shown, strict=True)}
    return out


def test_the_headline_says_how_many_and_whose() -> None:
    """2 is alone in its row. The blue counts are two by two: 3 + 4 = 7 and 1 + 5 = 6 down, 4 and 9
    across, so blue flat in Ash is from 2 to 3 (Birch, 5 at most) and nothing is certain."""
    found = asked()
    assert found.headline == (
        "1 of the 5 hidden counts can be computed back from the totals: 2 people in Ash "
        "(red, flat).")
    assert "suppression, k = 6" in found.first and "1 by subtraction alone" in found.first
    assert "4 more are narrowed down" in found.further
    assert "Without totals all of them stay hidden, from 1 to 5 people" in found.further


def test_the_table_shows_what_is_hidden_and_what_follows() -> None:
    shown = cells(asked())
    assert shown["red, flat", "Ash"] == "× → 2" and shown["red, flat", "Birch"] == "9"
    assert shown["blue, flat", "Ash"] == "× 2–3" and shown["blue, round", "Ash"] == "× 1–2"
    assert shown["blue, flat", "Birch"] == "× 4–5" and shown["blue, round", "Birch"] == "× 4–5"
    assert shown["blue, flat", "total"] == "18" and shown["total", "Cedar"] == "49"
    drawn = str(asked().panels[0].drawing)
    assert drawn.count('class="back"') == 1 and drawn.count('class="near"') == 4


def test_csv_has_every_hidden_count() -> None:
    frame = asked().tables()["undo"]
    assert len(frame) == 5 and (frame["at least"] <= frame["true count"]).all()
    assert (frame["true count"] <= frame["at most"]).all()
    assert frame["known by"].tolist().count("subtraction") == 1
    assert set(frame["without totals at most"]) == {5}


def test_bars_count_with_and_without_totals() -> None:
    chart = only(asked().panels[1])
    numbers = {t.name: dict(zip(t.y, t.x, strict=True)) for t in chart.data}
    assert numbers == {
        "computed back": {"without totals": 0, "with totals": 1},
        "narrowed down": {"without totals": 0, "with totals": 4},
        "nothing learnt": {"without totals": 5, "with totals": 0},
    }


@pytest.mark.parametrize(("change", "k", "headline"), [
    ({}, 1, "No count of this table is hidden (suppression, k = 1): there is nothing to undo."),
    ({}, 2, "The one hidden count can be computed back from the totals: 1 person in Ash "
     "(blue, round)."),
    ({("Birch", "blue", "round"): 7, ("Birch", "blue", "flat"): 9}, 6,
     "All 3 hidden counts can be computed back from the totals, among them that of 1 person in "
     "Ash (blue, round)."),
])
def test_headlines_at_the_ends(change: dict[Any, int], k: int, headline: str) -> None:
    assert asked(people({**PEOPLE, **change}), undo_k=k).headline == headline


def test_a_rule_that_leaves_one_number_gives_it_away_by_itself() -> None:
    found = asked(undo_k=2)
    assert "Even without totals the rule gives them away" in found.more
    assert dict(zip(only(found.panels[1]).data[0].y, only(found.panels[1]).data[0].x, strict=True)
                ) == {"without totals": 1, "with totals": 1}


def test_zeros_that_are_treated_are_hidden_too() -> None:
    gap = {who: n for who, n in PEOPLE.items() if who != ("Ash", "red", "flat")}
    left, treated = (asked(people(gap), empty) for empty in ("left", "treated"))
    assert cells(left)["red, flat", "Ash"] == "0"
    assert cells(treated)["red, flat", "Ash"].startswith("×")
    assert set(treated.tables()["undo"]["without totals at least"]) == {0}


def test_one_place_is_reconstructed() -> None:
    """Ash: red 2 and 12, blue 3 and 1; hidden 2, 3, 1, of which with totals all follow."""
    found = asked(undo_block="Ash", undo_epsilon=1.0)
    panel = found.panel("undo-block")
    assert isinstance(panel.drawing, TableView)
    assert "Ash by itself, with exact totals by colour and by shape: one table alone fits" in (
        panel.prose[0])
    assert "3 of 3 hidden counts" in panel.prose[0]
    frame = panel.drawing.frame.set_index("group")
    assert frame.loc["blue, round", "follows from totals"] == "1"
    assert frame.loc["red, round", "published, small ones hidden"] == "12"
    noise = against_noise(np.array([[3, 1], [2, 12]]), 1.0, 7)
    assert frame.loc["blue, flat", "published with noise"] == pytest.approx(
        noise.noisy[0, 0], abs=0.05)
    assert frame["best-fitting table"].sum() == 18
    assert "secondary suppression" in panel.prose[-1]


def test_noise_is_undone_only_where_there_is_little() -> None:
    """At ε = 300 noise of scale 2/100 rounds away; at ε = 0.3 it does not."""
    counts = np.array([[3, 1], [2, 12]])
    loud, quiet = (against_noise(counts, epsilon, 7) for epsilon in (0.3, 300.0))
    assert (quiet.right == 1).all() and (quiet.error == 0).all()
    assert loud.error.mean() > 1 and loud.right.mean() < 0.6
    spread = np.abs(loud.noisy - counts).mean()
    assert spread > 1  # a third of ε each: Laplace of scale 20


def test_each_release_has_noise_and_a_fit_of_its_own() -> None:
    """The ten releases are fitted in one go: each as if it were alone, with a stream of its own."""
    counts = np.array([[3, 1], [2, 12]])
    found = against_noise(counts, 3.0, 7)
    noise = sdc.mechanism("laplace", epsilon=1.0, postprocess="none")
    every = np.array([v for v in itertools.product(range(19), repeat=4) if sum(v) == 18])
    tables = every.reshape(-1, 2, 2)
    for release in range(10):
        rng = np.random.default_rng(np.random.SeedSequence(7, spawn_key=(release,)))
        cells, rows, columns = (
            noise.draw_tables(sdc.Histogram.from_counts(part), [rng])[0]
            for part in (counts.reshape(-1), counts.sum(axis=1), counts.sum(axis=0)))
        misfit = (np.abs(every - cells).sum(axis=1)
                  + np.abs(tables.sum(axis=2) - rows).sum(axis=1)
                  + np.abs(tables.sum(axis=1) - columns).sum(axis=1))
        best = np.isclose(misfit, misfit.min())  # often several
        off = np.abs(tables[best] - counts)
        both = list(zip((off == 0).mean(axis=(1, 2)), off.mean(axis=(1, 2)), strict=True))
        assert (found.right[release], found.error[release]) in both
        if not release:
            np.testing.assert_allclose(found.noisy, cells.reshape(2, 2))
            assert (tables[best] == found.fitted).all(axis=(1, 2)).any()
    assert len(found.right) == len(found.error) == 10 and len(set(found.error)) > 3


def test_block_sentences_have_the_numbers() -> None:
    counts = np.array([[3, 1], [2, 12]])
    noise = AgainstNoise(np.array([0.5, 0.7]), np.array([2.0, 4.0]), counts * 1.0, counts)
    from sdc_core.questions.undo.compute import _undone

    found = _undone(counts, ("a", "b"), ("c", "d"), 6, True)
    hidden, noisy = block_sentences(found, "Ash", None, noise, 0.5)
    assert "more tables fit than could be counted" in hidden
    assert "the best-fitting table has 60% of 4 counts right and is off by 3 ± 1 people a" in noisy
    assert "ε = 0.5" in noisy
    assert "12 tables fit" in block_sentences(found, "Ash", 12, noise, 0.5)[0]
    # the last 2 is alone in its row; 3 + 1 over 2 + 4 may also be 2 + 2 over 3 + 3
    partly = _undone(np.array([[3, 1, 7], [2, 4, 8], [9, 9, 2]]), ("a", "b", "c"),
                     ("d", "e", "f"), 6, True)
    assert "; 1 of 5 hidden counts are certain." in block_sentences(
        partly, "Ash", 3, noise, 0.5)[0]


def test_three_different_features_are_asked_for() -> None:
    with pytest.raises(sdc.InputError, match="three different features"):
        asked(undo_second="town")
    two = sdc.load_dataset(pd.DataFrame({"a": ["x", "y"], "b": ["u", "v"]}))
    with pytest.raises(sdc.InputError, match="the data have 2"):
        sdc.ask("undo", sdc.Study(two))


def test_what_is_subtracted_and_what_only_fits_are_counted_apart() -> None:
    """Three counts that add up to 3 are 1 each, three that add up to 15 are 5 each; no line has
    one of them alone. The 2 is alone in its row."""
    counts = np.array([[1, 1, 1, 20], [5, 5, 5, 30], [9, 9, 9, 2]])
    places = sdc.Feature("place", "Place", tuple("0123"), ("Ash", "Birch", "Cedar", "Dale"))
    groups = sdc.Feature("group", "Group", tuple("012"), ("red", "blue", "green"))
    table = sdc.Histogram(counts.T.reshape(-1), sdc.Domain((places, groups)))
    headline, more = undo_sentences(undone(table, 6, True), 6)
    assert headline.startswith("All 7 hidden counts can be computed back")
    assert "1 by subtraction alone and 6 since no other number fits all totals" in str(more)


def test_the_place_with_most_small_counts_comes_first() -> None:
    """Ash has three, Birch two, Cedar none."""
    assert "Small counts hidden, Ash by itself" in asked().panel("undo-block").prose[0]


def test_totals_may_say_nothing() -> None:
    """Threes all over: with two others in its row and column each may be anything from 1 to 5."""
    threes = sdc.Histogram(np.full(9, 3), sdc.Domain(tuple(
        sdc.Feature(name, name, tuple("012"), tuple("abc")) for name in ("place", "group"))))
    assert undone(threes, 6, True).with_totals() == (0, 0, 9)

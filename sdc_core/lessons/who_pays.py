"""Lesson 4: who pays? Subgroups, money and places."""

from __future__ import annotations

from collections.abc import Mapping

from sdc_core.lessons.drawings import ways_panel
from sdc_core.lessons.lesson import Lesson, Scene, Step, from_question
from sdc_core.questions.answer import Answer, Panel
from sdc_core.words.numbers import listed, lowered, sensible


def _by_size(found: Answer) -> Mapping[str, str]:
    """How far off a count is among the smallest groups and among the largest, method by method."""
    table = found.panel("sizes").table
    assert table is not None and found.run is not None
    kinds = [kind for kind in dict.fromkeys(table["groups of"]) if any(c.isdigit() for c in kind)]
    if len(kinds) < 2:
        return {"by_size": ""}
    spoken = {one.label(): one.spoken() for one in found.run.methods}
    off = table.set_index(["groups of", "mechanism"])["a count is off by"]
    said = [f"by {_number(off[kinds[0], name])} and {_number(off[kinds[-1], name])} after "
            f"{spoken[name]}" for name in dict.fromkeys(table["mechanism"])]
    return {"by_size": f"In {lowered(kinds[0])} people and in {lowered(kinds[-1])} a count is off "
            f"{listed(said)}."}


def _number(value: float) -> str:
    return "almost 0" if 0 < value < 0.001 else sensible(value)


def _by_group(found: Answer) -> Mapping[str, str]:
    """How far off counts are for every 1,000 people of each group, from the least to the most."""
    table = found.panel("disparity").table
    assert table is not None
    errors = table.groupby("group", sort=False)["error per 1,000 people, cells with people"]
    people = table.groupby("group", sort=False)["people"].first()
    said = [f"for every 1,000 {name} ({people[name]:,} in the data) by {sensible(each.min())} to "
            f"{sensible(each.max())}" for name, each in errors]
    return {"by_group": f"Where there are people, counts are off {listed(said)}, from method to "
            "method."}


def _two(scene: Scene, found: Answer) -> Panel:
    """Those that the maps compare."""
    assert found.run is not None
    chosen = [int(found.run.controls[name]) - 1 for name in ("map_one", "map_other")]
    return ways_panel([found.run.methods[place] for place in chosen])


LESSON = Lesson(
    "who-pays", "Who pays?",
    "To see that the same protection costs some people more than others, and to name them.",
    (
        Step("Small groups", "Protection moves counts: some become larger, some smaller. A count "
             "is of a group, such as all women who rent in one place.",
             "Who is hurt most: small groups or large ones? Is it the same for every method?",
             "{by_size} An error of one is little for a large group, and much for a small one. "
             "{headline}",
             from_question("compare", "sizes", "Compare other methods", _by_size), 12),
        Step("Places", "Two ways of protecting, place by place: how far off are the counts there?",
             "Which way would you choose for your own place? And is it the same everywhere?",
             "{headline} {first}",
             from_question("map", "map-first", "Look at another group", before=_two,
                           beside="map-second"), 11),
        Step("White men and Black men", "Do income and education still go together in the "
             "published table, for both alike? A line shows how: grey in truth, in colour as "
             "published.",
             "For whom are the counts further off? For whom does the line change more?",
             "{by_group} {headline} {first}",
             from_question("subgroups", "subgroups", "Choose other groups", _by_group), 11),
        Step("Money", "A sum of money is shared out among places by published counts instead of "
             "true ones.",
             "Who gains, who loses, and how much?",
             "{headline} {first}", from_question("funding", "money", "Share out another sum"), 11),
    ),
)

"""A small table of towns for the tests of the Map: its numbers worked out by hand, and how its
answer is read back."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

import sdc_core as sdc
from sdc_core.questions.answer import Answer
from tests.shorthand import shortened

HIDES, DP_HIDES = "Suppression k=5", "DP suppression ε=1 k=3"
# what they are called where they are seen
SEEN = ["Hide small counts (suppression, k = 5)",
        "Hide below a noisy limit (DP suppression, ε = 1, k = 3)"]
UNITS = {
    "people_error": "people", "people_bias": "people", "error_rate": "people per 1,000",
    "invented": "people", "group_bias": "people per count", "hidden_share": "% of counts",
    "l1_bias": "people",
}
TITLES = {
    "people_error": "Error of a release", "people_bias": "Systematic error",
    "error_rate": "Error of a release", "invented": "People put into empty groups",
    "group_bias": "One group too high or too low", "hidden_share": "Hidden counts",
    "l1_bias": "Systematic error, empty groups included",
}
SPLIT = [m for m in UNITS if m not in ("invented", "hidden_share")]  # invented people stand beside
# Town, home, sex: people. The first method is worse in Barton and Aston, the second in Corby.
COUNTS = {
    ("Aston", "own", "f"): 20, ("Aston", "own", "m"): 7,
    ("Aston", "rent", "f"): 3, ("Aston", "rent", "m"): 0,
    ("Barton", "own", "f"): 4, ("Barton", "own", "m"): 4,
    ("Barton", "rent", "f"): 4, ("Barton", "rent", "m"): 1,
    ("Corby", "own", "f"): 11, ("Corby", "own", "m"): 12,
    ("Corby", "rent", "f"): 30, ("Corby", "rent", "m"): 2,
}
TOWNS = ("Aston", "Barton", "Corby")


def people() -> pd.DataFrame:
    rows = [cell for cell, n in COUNTS.items() for _ in range(n)]
    weight = [10.0 + i * 7 % 37 for i in range(len(rows))]
    return pd.DataFrame(rows, columns=["town", "home", "sex"]).assign(PWGTP=weight)


def study(
    features: tuple[str, ...] = ("sex", "home"), methods: Any = None,
    records: pd.DataFrame | None = None, empty: str = "treated", counted: str = "records",
) -> sdc.Study:
    """Empty groups are filled in unless said otherwise, so that there is somebody invented."""
    chosen = methods or [
        sdc.mechanism("suppression", k=5), sdc.mechanism("dp-suppression", k=3, epsilon=1.0),
    ]
    return sdc.Study(
        sdc.load_dataset(people() if records is None else records), features, methods=chosen,
        empty_groups=empty, counted_as=counted)


def cells(epsilon: float = 1.0, empty: str = "treated") -> pd.DataFrame:
    """Every cell with its count, the bias of both methods, how likely each hides it (that is where
    the bias comes from: a hidden count becomes 2, or 1), and its records' mean weight (without
    records, everybody's)."""
    table = pd.DataFrame(
        [(*cell, n) for cell, n in COUNTS.items()], columns=["town", "home", "sex", "count"])
    x = table["count"].to_numpy(dtype=float)
    tail = 0.5 * np.exp(-epsilon / 2 * np.abs(x - 3))
    reached = (x > 0) | (empty == "treated")
    table["hides 1"] = (x < 5) & reached
    table["hides 2"] = np.where(x >= 3, tail, 1 - tail) * reached
    table["bias 1"], table["bias 2"] = (2 - x) * table["hides 1"], (1 - x) * table["hides 2"]
    weights = people().groupby(["town", "home", "sex"])["PWGTP"].mean()
    everybody = people()["PWGTP"].mean()
    table["weight"] = [
        weights.get((t, h, s), everybody)
        for t, h, s in table[["town", "home", "sex"]].itertuples(index=False)
    ]
    return table


def by_hand(
    measure: str, group: dict[str, str] | None = None, weighted: bool = False,
    epsilon: float = 1.0, empty: str = "treated",
) -> dict[str, tuple[float, float]]:
    """Each town's number under the first and the second method. A hidden count becomes one and the
    same number, so that the expected error of a release is the size of the bias."""
    found = {}
    table = cells(epsilon, empty)
    weight = table["weight"] if weighted else 1.0
    for town in TOWNS:
        here, pair = table["town"] == town, []
        there = here & (table["count"] > 0)
        inside = there.copy()
        for name, value in (group or {}).items():
            inside &= table[name] == value
        for number in (1, 2):
            bias = table[f"bias {number}"] * weight
            living = (table["count"] * weight)[here].sum()
            off = bias[there].abs().sum()
            pair.append({
                "people_error": off, "people_bias": off, "error_rate": 1000 * off / living,
                "invented": bias[here & ~there].sum(),
                "group_bias": bias[inside].mean() if inside.any() else 0.0,
                "hidden_share": 100 * table[there][f"hides {number}"].mean(),
                "l1_bias": bias[here].abs().sum(),
            }[measure])
        found[town] = (float(pair[0]), float(pair[1]))
    return found


def asked(
    view: str = "tiles", dark: bool = False, empty: str = "treated", counted: str = "records",
    **controls: Any,
) -> Answer:
    return shortened(
        sdc.ask("map", study(empty=empty, counted=counted), controls, map_view=view, dark=dark))


def figure(found: Answer, name: str) -> go.Figure:
    return go.Figure(found.panel(f"map-{name}").figures[0].to_dict())  # plotly's own validation


def numbers(packed: Any) -> np.ndarray:
    """Coordinates as plotly sends them."""
    if isinstance(packed, dict):
        return np.frombuffer(base64.b64decode(packed["bdata"]), dtype=packed["dtype"])
    return np.asarray(packed, dtype=float)


def filled(fig: go.Figure) -> dict[str, Any]:
    return {t.name: t for t in fig.data if t.fill == "toself" and t.name != "land"}


def owner(fig: go.Figure, x: float, y: float) -> list[str]:
    """The tiles that a point lies in."""
    return [
        code for code, t in filled(fig).items()
        if numbers(t.x).min() < x < numbers(t.x).max() and numbers(t.y).min() < y
        < numbers(t.y).max()
    ]


def trace(fig: go.Figure, name: str) -> Any:
    return next(t for t in fig.data if t.name == name)


def mixed(stops: tuple[str, ...], share: float) -> tuple[int, ...]:
    """A colour on the way through the stops, worked out channel by channel."""
    place = min(max(share, 0.0), 1.0) * (len(stops) - 1)
    low = min(int(place), len(stops) - 2)
    return tuple(
        round(int(stops[low][i : i + 2], 16) * (1 - place + low)
              + int(stops[low + 1][i : i + 2], 16) * (place - low))
        for i in (1, 3, 5)
    )


def squares(codes: Sequence[str]) -> bytes:
    """A boundary file with a square for each code, side by side."""
    features = [
        {
            "type": "Feature", "properties": {"code": code},
            "geometry": {"type": "Polygon", "coordinates": [
                [[i, 0], [i + 1, 0], [i + 1, 1], [i, 1], [i, 0]]]},
        }
        for i, code in enumerate(codes)
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


def views(found: Answer) -> str:
    return found.panel("map-view").caption

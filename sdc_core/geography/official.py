"""How does one get the Census Bureau's own boundaries?"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from sdc_core.data.dictionary import PLACES
from sdc_core.errors import InputError
from sdc_core.geography.codes import match_codes
from sdc_core.geography.sources import OFFICIAL, OFFICIAL_DIRECTORY
from sdc_core.whole_file import write_whole

YEAR = 2019  # the last year whose files have the areas of the 2010 census, as the excerpts do


def fetch_official(
    say: Callable[[str], None], directory: Path = OFFICIAL_DIRECTORY,
    codes: Iterable[str] = PLACES,
) -> Path:
    """Download the generalised (1:500,000) PUMA boundaries with pygris and keep the areas known.

    The file appears under its name only when it is complete.
    """
    wanted = sorted(codes)
    frames = []
    for state in sorted({code[:2] for code in wanted}):
        frames.append(_state(_pygris(), state).to_crs("EPSG:4326"))
        say(f"state {state}: downloaded")
    table = pd.concat(frames, ignore_index=True)
    rows = match_codes(pd.DataFrame(table.drop(columns="geometry")), wanted).rows
    lost = [code for code in wanted if code not in rows]
    if lost:
        raise InputError(
            f"The downloaded boundaries lack {len(lost)} of {len(wanted)} areas, {lost[0]} for "
            "one; nothing was kept. Update pygris and try again."
        )
    kept = table.loc[[rows[code][0] for code in wanted], ["NAME10", "geometry"]]
    kept = kept.rename(columns={"NAME10": "name"}).assign(PUMA=wanted)
    target = directory / OFFICIAL.format(year=YEAR)
    directory.mkdir(parents=True, exist_ok=True)
    write_whole(target, json.dumps(json.loads(kept.to_json(drop_id=True))).encode())
    say(f"{target.name}: {len(wanted)} areas")
    return target


def _pygris() -> Any:
    try:
        return importlib.import_module("pygris")
    except ImportError:
        raise InputError(
            "Fetching official boundaries needs the package pygris, which is not installed. Run "
            "'pip install pygris', or use the schematic map, which needs nothing."
        ) from None


def _state(pygris: Any, state: str) -> Any:
    try:
        return pygris.pumas(state=state, cb=True, year=YEAR)
    except Exception as problem:  # whatever its downloader raises: the cause is the network
        reason = " ".join(str(problem).split())[:120] or type(problem).__name__
        raise InputError(
            f"Could not download the boundaries of state {state} from the Census Bureau "
            f"({reason}). Check the network; the schematic map works without it."
        ) from None

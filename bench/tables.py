"""The tables the benchmarks run on: real files where they are, else their twins."""

from __future__ import annotations

import sdc_core as sdc
from sdc_core.data import entry
from sdc_core.data.catalogue import FIVE_FEATURES


def found(name: str) -> str:
    """The data set's own id where its file is on this machine, else its twin's."""
    return name if entry(name).path() else f"{name}-twin"


def five_feature_table(name: str) -> tuple[str, sdc.Histogram]:
    """Which data set was found, and its histogram by the papers' five features, over the values
    that occur: what peers read from the same records."""
    known = found(name)
    return known, sdc.load_dataset(known).histogram(FIVE_FEATURES, "observed")

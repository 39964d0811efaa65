"""Top and bottom coding: largest and smallest numbers are cut off at a limit, before any method.

P4 §6.5 names it as what helps where somebody is known to have the largest value of all.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sdc_core.errors import InputError
from sdc_core.records import Records


def code_tails(
    records: Records, top: float = 0.0, bottom: float = 0.0, names: Iterable[str] = ()
) -> Records:
    """The same records with this share of the largest and of the smallest numbers of each variable
    (all numbers unless named) replaced by the next number that is not cut off."""
    for what, share in (("top", top), ("bottom", bottom)):
        if not 0 <= share < 0.5:
            raise InputError(f"{what} must be in [0, 0.5), got {share:g}. Try 0.05.")
    axes = records.axes(names) or records.numeric_axes
    values = records.values.copy()
    for j in axes:
        if not records.variables[j].numeric:
            raise InputError(f"{records.names[j]} is a category and has no tails to cut off.")
        known = np.sort(values[~np.isnan(values[:, j]), j])
        low = known[int(len(known) * bottom)]
        high = known[len(known) - 1 - int(len(known) * top)]
        values[:, j] = np.clip(values[:, j], low, high)
    return records.with_values(values)

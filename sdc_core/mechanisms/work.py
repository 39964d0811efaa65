"""What a release was made from: the true, the measured and the released counts beside each other.

Question: what did the noise do, and what did making a consistent table of it change? Only a study
can show this; a real release never shows the true counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sdc_core.histogram import Histogram


@dataclass(frozen=True, eq=False)
class Level:
    """Counts that were measured with the same noise: groups in rows, areas in columns."""

    words: str  # `all areas together`
    areas: tuple[str, ...]
    true: NDArray[np.int64]
    measured: NDArray[np.float64]
    released: NDArray[np.int64]

    @property
    def negative(self) -> int:
        """How many counts were measured as fewer than no people."""
        return int((self.measured < 0).sum())

    def off_by(self, counts: NDArray[Any]) -> float:
        """How far these counts are from the true ones, on average."""
        return float(np.abs(counts - self.true).mean())


@dataclass(frozen=True, eq=False)
class Work:
    """One release, level by level from the top, and what of it was published without noise."""

    levels: tuple[Level, ...]
    groups: tuple[str, ...]
    area: str  # the title of the feature that says where
    exact: tuple[str, ...]

    def table(self) -> pd.DataFrame:
        """Every measured count with what it truly was and what became of it."""
        return pd.concat(
            [
                pd.DataFrame(
                    {
                        self.area: np.tile(np.array(level.areas, dtype=object), len(self.groups)),
                        "group": np.repeat(np.array(self.groups, object), len(level.areas)),
                        "true": level.true.reshape(-1),
                        "measured": level.measured.reshape(-1).astype(np.int64),
                        "released": level.released.reshape(-1),
                    }
                )
                for level in self.levels
            ],
            ignore_index=True,
        )


@runtime_checkable
class ShowsWork(Protocol):
    """Mechanisms that measure first and publish something else, and can show both."""

    def work(self, table: Histogram, seed: int) -> Work: ...

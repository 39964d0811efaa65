"""P2's histogram, its methods, and the classifier of the tool that it reports from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sdc_core.histogram import Histogram
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.propensity import Propensity, Tree, propensity
from sdc_core.metrics.side_by_side import SideBySide

FEATURES = ("PUMA", "SEX", "RAC1P", "PINCP_DECILE", "OWN_RENT")  # §2.1
THRESHOLD = 10  # of Figure 1; other figures do not say
SDNIST = Tree(depth=6, leaf=1)  # fitted and scored on the same records


def laplace(epsilon: float, postprocess: str = "round") -> Mechanism:
    return mechanism("laplace", epsilon=epsilon, postprocess=postprocess)


def dp_suppression(epsilon: float, keep_zeros: bool) -> Mechanism:
    """P2's eq. 1: small counts are always hidden, larger ones if noise makes them small."""
    return mechanism("dp-suppression", epsilon=epsilon, k=THRESHOLD, variant="P2",
                     keep_zeros=keep_zeros)


def suppression(keep_zeros: bool, imputation: str = "half") -> Mechanism:
    """P2's Def. 2."""
    return mechanism("suppression", k=THRESHOLD, keep_zeros=keep_zeros, imputation=imputation)


def told_apart(table: Histogram, released: NDArray[np.float64]) -> Propensity:
    """Scores of a release's records and the original ones."""
    people = np.rint(released).astype(np.int64)
    return propensity(SideBySide.of_table(table, people), SDNIST, folds=1)

"""What do classes of records that look alike still say about a sensitive feature?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from sdc_core.errors import InputError
from sdc_core.mechanisms.classes import Classes


@dataclass(frozen=True, eq=False)
class Diversity:
    """How much do classes say about a sensitive feature? Each class, and the worst of them.

    `distinct`: fewest different values in a class (distinct ℓ-diversity). `entropy`: least
    exp(entropy) of the values in a class (entropy ℓ-diversity; equals `distinct` if all values are
    equally frequent). `closeness`: largest total-variation distance, ½ Σ |p - q|, between a class
    and the whole table (t-closeness with all values equally far from each other, also for bins of
    a number, where the original definition counts steps).
    """

    distinct: int
    entropy: float
    closeness: float
    by_class: pd.DataFrame


def diversity(classes: Classes, sensitive: str) -> Diversity:
    """ℓ-diversity (Machanavajjhala et al. 2007) and t-closeness (Li, Li and Venkatasubramanian
    2007, with total variation as the distance) of one table's classes."""
    (axis,) = classes.patterns.table.domain.axes([sensitive], "sensitive")
    if axis in classes.patterns.qi_axes:
        raise InputError(
            f"sensitive must not be a quasi-identifier, got {sensitive!r}: its values are "
            "generalised themselves. Choose another feature, or fewer quasi_identifiers."
        )
    if not len(classes):
        raise InputError("k is more than the records of this sample, so there is no group. "
                         "Choose a smaller k or a larger epsilon.")
    held = classes.by_class(axis)
    share = held / held.sum(axis=1, keepdims=True)
    whole = held.sum(axis=0) / held.sum()
    entropy = -(share * np.log(np.where(share > 0, share, 1.0))).sum(axis=1)
    table = classes.described().assign(
        **{
            "distinct values": (held > 0).sum(axis=1),
            "entropy ℓ": np.exp(entropy),
            "distance t": 0.5 * np.abs(share - whole).sum(axis=1),
        }
    )
    return Diversity(
        int(table["distinct values"].min()), float(table["entropy ℓ"].min()),
        float(table["distance t"].max()), table,
    )

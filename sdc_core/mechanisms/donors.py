"""Whose values does a record take? How donors' quasi-identifiers are distributed, by pattern."""

from __future__ import annotations

import numpy as np

from sdc_core.keep import kept_with_first
from sdc_core.mechanisms.moves import Floats, Patterns
from sdc_core.mechanisms.permute_and_flip import win_probabilities


def mixed(patterns: Patterns, donors: Floats, rate: float) -> Floats:
    """Donor's values with the swap rate, else one's own."""
    moves = rate * donors
    moves[np.arange(len(moves)), patterns.columns] += 1 - rate
    return np.minimum(moves, 1.0)  # a sum of probabilities may exceed one in its last digit


# Kept while a slider moves: donors depend on the table, not on the swap rate.
@kept_with_first
def nearest_donors(patterns: Patterns, require_different: bool) -> Floats:
    """For each pattern, how the closest other record's quasi-identifiers are distributed."""
    others = _possible_donors(patterns, require_different)
    distance = np.where(others > 0, patterns.distances, np.inf)
    nearest = np.where(distance == distance.min(axis=1, keepdims=True), others, 0)
    return _by_column(patterns, nearest)


@kept_with_first
def random_donors(patterns: Patterns, epsilon: float, require_different: bool) -> Floats:
    """For each pattern, how a permute-and-flip donor's quasi-identifiers are distributed."""
    others = _possible_donors(patterns, require_different)
    scores, which = patterns.score_groups
    count = len(others)
    flat = (np.arange(count)[:, None] * len(scores) + which).reshape(-1)
    sizes = np.bincount(flat, others.reshape(-1), minlength=count * len(scores))
    sizes = sizes.reshape(count, len(scores)).astype(np.int64)
    alone = sizes.sum(axis=1) == 0  # no other record, or none with other quasi-identifiers
    sizes[alone, -1] = 1
    rate = epsilon / (2 * len(patterns.table.domain.features))
    each = win_probabilities(scores, sizes, rate) / np.maximum(sizes, 1)
    return _by_column(patterns, others * np.take_along_axis(each, which, axis=1))


def _possible_donors(patterns: Patterns, require_different: bool) -> Floats:
    """How many other records of each pattern may be donors, seen from each pattern: all, or those
    with other quasi-identifiers."""
    others = np.tile(patterns.sizes.astype(np.float64), (len(patterns.sizes), 1))
    others[np.diag_indices(len(others))] -= 1
    if require_different:
        others[patterns.columns[:, None] == patterns.columns[None, :]] = 0
    return others


def _by_column(patterns: Patterns, weights: Floats) -> Floats:
    """Donors' weights added up by their quasi-identifiers; without a donor one's own are kept."""
    total = weights.sum(axis=1, keepdims=True)
    own = np.zeros((len(weights), patterns.n_q))
    own[np.arange(len(weights)), patterns.columns] = 1.0
    return np.where(total > 0, (weights / np.where(total > 0, total, 1)) @ own, own)

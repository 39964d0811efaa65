"""What ε and δ mean and how they are computed, for those who doubt."""

METHOD = """
- Two tables are **neighbours** if one person's record changes, so that two counts change by one.
- **True δ** is the largest, over all neighbours with counts up to the largest count B, of
  the probability mass by which one table's releases exceed e^ε times the other's. It is computed in
  closed form and checked by enumerating every output of small tables.
- **Published δ** is what the paper's theorem prints: for DP suppression 1 − ¼ e^(−ε(B−k)) (P0 and
  P1, Theorem 1), for the discrete Gaussian the conversion behind P0's Table 1.
- The published bound **fails** where the true δ is larger. That happens for DP suppression when
  empty groups are left at zero, which is the convention of P0's own experiments.
"""

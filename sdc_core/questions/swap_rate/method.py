"""What ε means under swapping and how it is computed, for those who doubt."""

METHOD = """
- **Permutation swapping**: people who agree on the match variables form a group (stratum). In each
  group everybody is selected with probability p; if exactly one is, the selection is made again.
  The swap variable of the selected is then shuffled so that nobody keeps their own.
- **ε, theorem**, with the odds o = p / (1 − p) and the size b of the largest group:
  ln(b + 1) − ln o up to p = 50%, above it the larger of that and ln o. It is 0 for b = 1 and
  infinite at p = 0 and p = 100%. The smallest is ½ ln(b + 1), at o = √(b + 1).
- **ε, exact worst case**: the larger of ln o and ½ ln(D_b / D_{b−2}) − ln o for b of at least 4,
  where D_n counts the shuffles of n values that leave nobody their own; groups of 2 and 3 have
  forms of their own: |ln o|, and the largest of ln o, ⅓ ln 2 − ln o and ½ (ln 2 − ln o). Its
  smallest value is 0 for b = 2 (at p = 50%), 0.23 for b = 3 and ¼ ln(D_b / D_{b−2}) from 4 on,
  where the theorem has 0.55, 0.69 and ½ ln(b + 1). It was checked by enumerating all data sets and
  all outcomes of small groups.
  The theorem is never below it and for large groups almost the same.
- **Unit**: ε counts per unit of Hamming distance, the number of records in which two data sets
  differ. Exchanging the values of two people changes two records, so it costs up to 2ε.
- **Subject to invariants**: only data sets are compared that agree on what swapping cannot change:
  the table without the swap variable, and the counts by match and swap variables. Whoever learns
  something from those counts learns it outside this ε, so ε of different schemes, or of methods
  without invariants, cannot be compared by size alone.
"""

"""How hidden counts are computed back and tables reconstructed, for those who doubt."""

METHOD = """
- **Hidden** is every count below k; where empty groups are left at 0, zeros are shown. The reader
  of the table is taken to know the rule, so a hidden count is from 1 (or 0) to k − 1.
- **By subtraction**: a row or column with one hidden count gives it away, as the total less all
  that is shown; then the next, until nothing is left to subtract (differencing).
- **At least and at most**: the smallest and the largest number that a hidden count can be so that
  all totals come out: as far as it can be moved while other hidden counts of its row and column
  make up for it, which is a greatest flow in a network of rows and columns. Such flows are whole
  numbers, so the bounds are exact.
- **Tables that fit** are counted one row after the other, with the number of ways to reach every
  remainder of the column totals; above 50,000 steps it is only said that there are many.
- **Against noise**: counts, row totals and column totals each get Laplace noise with a third of ε,
  so that all together keep ε. The best-fitting table has whole, not negative counts and the least
  sum of absolute differences from all noisy numbers; a linear program on that network finds it
  (HiGHS, by scipy). Most often several tables fit equally well, and one of them is taken. The
  number of people is taken as known.
- Offices know this attack: they hide further counts until nothing can be computed back (secondary
  suppression). That is not done here, nor in the papers that this page is about.
"""

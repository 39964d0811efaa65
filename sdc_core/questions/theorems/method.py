"""How a verdict on a theorem is reached, for those who doubt."""

METHOD = """
- **Printed** is the paper's formula on this table, as it stands in the paper. **Exact** is what the
  method does on this table, from its closed form, not from a simulation.
- **Error** is ‖bias‖₁: by how many people the counts are off on average over many releases, added
  over all groups. **Unfairness** is α: the largest minus the smallest average error of a group,
  with its sign. Zhu et al. 2023 Theorem 6 counts groups instead of people.
- **Verdict**: a bound below the exact value *fails*; one more than ten times as large *holds but
  says little*; a formula that claims to be the exact value holds only if it is. A theorem *does not
  apply* where the table lacks what it assumes.
- **The methods** are those that the theorems are about: Laplace noise with negative counts set to
  0; DP suppression with noise on each count, hidden counts filled in with k/2 (Das et al. 2024:
  rounded down); DP swapping with donors drawn by permute-and-flip from all other records (Das et
  al. 2024, equation 2), or with values drawn from all combinations alike (Zhu et al. 2023).
- **Comparisons** (Das et al. 2024 Theorem 8, Zhu et al. 2023 Theorem 10) claim that Laplace noise
  is no less fair than two others. Printed is then the smaller true unfairness of those two, exact
  is that of Laplace noise.
- **Where they fail**: Das et al. 2024 Theorem 2 for one group of 9 people with k = 7 and ε = 1,
  where the error is 1.10 and the bound 1.01; Das et al. 2024 Theorem 5 and Zhu et al. 2023 Theorem
  7 where empty groups are left at 0, for the counts 0 and 1 with k = 6 and ε = 1, where the
  unfairness is 1.92 and the bound 1.02; Das et al. 2024 Theorem 8 and Zhu et al. 2023 Theorem 10
  for the counts 3 and 1,000 with k = 6 and ε = 1, where Laplace noise has an unfairness of 0.22 and
  suppression almost none.
- Theorems on privacy are on the page δ versus ε.
"""

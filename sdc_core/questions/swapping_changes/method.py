"""What is swapped with what and how it is computed, for those who doubt."""

from sdc_core.data.census1940 import LARGEST_STRATUM_BY_SIZE

METHOD = f"""
- **Permutation swapping** (Bailie, Gong and Meng 2023): among records that agree on the match
  features, each is selected with probability p, and the selected hand round their swap values so
  that nobody gets back their own. All ways to do so are equally likely.
- **Here** the county is swapped and tenure stays with the dwelling. The printed table has no
  household size, so the match key is the state alone: one group of all 1,144,424 dwellings. The
  slides match on household size as well (largest group {LARGEST_STRATUM_BY_SIZE:,}); that cannot be
  rebuilt from printed counts. Their one printed release, at 50%, is the diamond among the boxes.
- **On average over releases** is exact: a selected dwelling receives the county of any other
  dwelling with equal chance, so every county is drawn towards the state's mix, and by how much
  follows from the swap rate. Counties are compared by these averages only, since in one release
  chance can put another one first.
- **Off by, on average** is, for one release, the mean absolute percentage error over the 28 counts
  of the table; a count of 0 would be left out, and there is none. Over many runs it has a mean
  with a standard error; two swap rates are set against each other only beyond two of those.
- **Unchanged** means equal to the last dwelling, compared without tolerance. That is what makes
  swapping popular, and what its promise leaves out: it says nothing about what those totals reveal.
- The sampler is for study and demonstration, not for production release.
"""

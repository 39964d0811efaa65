"""How the numbers of Told apart are computed, for those who doubt."""

from sdc_core.metrics.propensity import COPIES, ENOUGH_IN_A_FOLD, FOLDS, GIVES_AWAY
from sdc_core.questions.told_apart.compute import RELEASES

METHOD = f"""
- **Score**: a classifier is shown original and released records, told which is which, and asked how
  sure it is that a record was released. No record takes part in its own score: people are dealt
  into {FOLDS} folds, and each fold is scored by a classifier fitted to the others. Scores are shown
  as if both sides had equally many people, so 50 means that a record says nothing about where it
  comes from. Classifiers work on combinations of values with their counts, which gives the same as
  working on records.
- **Recognised** (gives itself away): a released record with a score of {100 * GIVES_AWAY:.0f} or
  more. No person is found by that. Records with a combination of values that nobody has are counted
  apart: noise always makes some up, hiding does if so set in the sidebar, and methods that move or
  exchange values of real records can have them, too.
- **Releases**: numbers are means over {RELEASES} releases of each method, each dealt into folds
  anew, so their standard errors hold what another release and another deal would change. The first
  is scored whole, of each other one fold: a random fifth of its records, which has the same mean
  (below {ENOUGH_IN_A_FOLD} records a fold, all folds). Numbers of records are told as if all had
  been scored. Methods
  are compared release by release, and ranked only where they differ by more than two standard
  errors. None in n releases is read as in at most 3/n of them. The list of recognised records
  is that of the first release.
- **Decision tree**: at most 12 questions deep, no leaf with fewer than 10 records. **Logistic
  regression**: one term for each value, with scikit-learn's usual ridge penalty.
- **pMSE**: the mean over all records of (score − share released)² (Woo et al. 2009; Snoke et al.
  2018). It is divided by the pMSE that an exact copy gets in the same way, which is above zero only
  because its folds differ by chance: 1 is as good as can be. How people are dealt into folds moves
  pMSE by chance, most where there are few groups, so it is the mean over all releases ({COPIES}
  deals for the copy). The page says where an exact copy would lie: two standard deviations either
  side of 1. For a release of another size the copy's pMSE is scaled, which is approximate: on the
  usual Massachusetts table, a copy of everybody twenty times over has about 1.6 with the tree and
  0.9 with the regression. Snoke's formula for the expected pMSE is for regressions that score the
  records they were fitted to and does not hold here. A fresh sample (people drawn from the data
  with replacement) is the second yardstick: a release below it is closer to the data than another
  survey would be.
- **k-marginal score** (NIST's SDNist report): for every set of k features the shares of people in
  each combination are compared; half the sum of the differences is the share of people in the wrong
  group. The score is 1000 times one minus its mean over all sets. Where people are counted by
  place, tables are split by place as well. The score of a place takes the whole sum, the missing
  and the too many, as a share of its own people, and stops at 0: it is on a stricter scale than the
  score for all.
- Das, Tajeddine and Fioretto have a version of DP suppression that always hides counts below k:
  choose it under Options. Their equation 1 fills empty groups, their Definition 2 and §3.4 leave
  them alone; the button above takes equation 1, and k = 6, since they do not say theirs. They count
  people by place, sex, race, income decile and tenure: choose these in the sidebar to see their
  table, which is sparser, with what they found beside it. They show one release.
- The samplers are for study and demonstration, not for production release.
"""

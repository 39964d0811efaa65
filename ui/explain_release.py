"""The method behind "Told apart" and "Who can be found?", and code that recomputes them."""

from __future__ import annotations

from collections.abc import Sequence

from sdc_core.data import Dataset
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.propensity import COPIES, DEALS, FOLDS, GIVES_AWAY

TOLD_APART_METHOD = f"""
- **Score**: a classifier is shown original and released records, told which is which, and asked how
  sure it is that a record was released. No record takes part in its own score: people are dealt
  into {FOLDS} folds, and each fold is scored by a classifier fitted to the others. Scores are shown
  as if both sides had equally many people, so 50 means that a record says nothing about where it
  comes from. Classifiers work on combinations of values with their counts, which gives the same as
  working on records.
- **Gives itself away**: a released record with a score of {100 * GIVES_AWAY:.0f} or more, in the
  first deal into folds.
- **Decision tree**: at most 12 questions deep, no leaf with fewer than 10 records. **Logistic
  regression**: one term for each value, with scikit-learn's usual ridge penalty.
- **pMSE**: the mean over all records of (score − share released)² (Woo et al. 2009; Snoke et al.
  2018). It is divided by the pMSE that an exact copy gets in the same way, which is above zero only
  because its folds differ by chance: 1 is as good as can be. How people are dealt into folds moves
  pMSE by chance, most where there are few groups, so it is the mean over {DEALS} deals ({COPIES}
  for the copy). The page says where an exact copy would lie: two standard deviations either side
  of 1. For a release of another size the copy's pMSE is scaled, which is approximate: on the usual
  Massachusetts table, a copy of everybody twenty times over has about 1.6 with the tree and 0.9
  with the regression. Snoke's formula for the expected pMSE is for regressions that score the
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
  them alone: both can be chosen. They count people by place, sex, race, income decile and tenure:
  choose these in the sidebar to see their table, which is sparser and gives away more.
- One release is shown, the one of the seed; re-roll for another. The samplers are for study and
  demonstration, not for production release.

Papers: Das, Tajeddine and Fioretto §3.2, Figure 2; Snoke, Raab, Nowok, Dibben and Slavković
2018; NIST SDNist.
"""

REIDENTIFICATION_METHOD = """
- **Unique**, or one of a kind: the only person in the data with this combination of all the
  features that people are counted by.
- **Unique exact match**: NIST's SDNist report counts unique people whose combination is in the
  release at least once; Das et al. 2024 (§7, Figure 5) take singletons of both, that is exactly
  once. Choose which. Shares are of the unique people; Das et al. draw them as a share of all
  people.
- **Expected numbers are exact** for noise, suppression and swapping of single records: they follow
  from the chance of no person and of one person in each released count. Other methods are averages
  over releases, with a band that nine in ten releases fall into.
- **Empty groups shown as if somebody were there**: the same rule applied to groups that are
  empty in the data. Where this share is as large, a match means nothing.
- **Apparent match**: with the features the outsider knows, one record in the release and one person
  in the data. It is **right** if all other features agree as well.
- **Guess**: the most frequent value of the sensitive feature among released records with the known
  values; where there is no such record, among all. Ties are a toss. A right guess about a large
  group is a fact about the group, which a release is made to tell; only what goes beyond that is
  about a person, and the promise of ε bounds that, whatever the outsider knows.
- None of this is a promise: it measures what these outsiders do, not what a cleverer one could.

Papers: Das et al. 2024 §7, Figure 5; NIST SDNist.
"""


def told_apart_code(
    dataset: Dataset, features: Sequence[str], mechanisms: Sequence[Mechanism], by: str | None,
    seed: int,
) -> str:
    """A script that prints the page's numbers with the engine alone."""
    return f"""{_table(dataset, features, "told_apart import told_apart, yardsticks")}
against = yardsticks(table, {by!r}, seed={seed})
{_each(mechanisms)}
    released = sdc.released_people(mechanism, table, 1, seed={seed})[0]
    found = told_apart(mechanism, table, released, against, {by!r}, seed={seed})
    for name, scores in found.propensities.items():
        print(mechanism.label(), name, scores.ratio, scores.given_away().sum())
    print(found.problem, {{k: m.score for k, m in found.marginals.items()}})"""


def reidentification_code(
    dataset: Dataset, features: Sequence[str], mechanisms: Sequence[Mechanism], rule: str,
    repetitions: int, seed: int,
) -> str:
    """A script that prints the page's numbers with the engine alone."""
    return f"""{_table(dataset, features, "reidentification import unique_matches")}
{_each(mechanisms)}
    released = sdc.released_people(mechanism, table, {repetitions}, seed={seed})
    found = unique_matches(mechanism, table, {rule!r}, released)
    print(mechanism.label(), found.unique, found.expected, found.method)"""


def _table(dataset: Dataset, features: Sequence[str], imported: str) -> str:
    source = dataset.id if dataset.origin != "own" else dataset.source
    return f"""import sdc_core as sdc
from sdc_core.metrics.{imported}

table = sdc.load_dataset({source!r}).histogram({list(features)!r})"""


def _each(mechanisms: Sequence[Mechanism]) -> str:
    lines = []
    for one in mechanisms:
        relevant = {p.name for p in one.relevant_params()}
        settings = ", ".join(f"{k}={v!r}" for k, v in one.settings().items() if k in relevant)
        lines.append(f"    sdc.mechanism({one.name!r}, {settings}),")
    return "\n".join(["for mechanism in [", *lines, "]:"])

"""How the numbers of Who can be found? are computed, for those who doubt."""

METHOD = """
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
"""

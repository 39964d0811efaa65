"""How the numbers of Who can be found? are computed, for those who doubt."""

METHOD = """
- **Unique**, or one of a kind: the only person in the data with this combination of all the
  features that people are counted by.
- **Unique exact match**: NIST's SDNist report counts unique people whose combination is in the
  release at least once; Das et al. 2024 (§7, Figure 5) take singletons of both, that is exactly
  once. Choose which. Shares are of the unique people; Das et al. draw them as a share of all
  people. They show Laplace, discrete Gaussian and DP swapping alone, since hiding small counts
  comes out (nearly) perfect by this count whatever it promises.
- **Expected numbers are exact** for noise, suppression and swapping of single records: they follow
  from the chance of no person and of one person in each released count. Other methods are averages
  over releases, with a band that nine in ten releases fall into. Methods are ranked only where they
  differ by more than two standard errors; none in n releases is read as in at most 3/n of them,
  where releases are drawn at random.
- **Empty groups shown as if somebody were there**: the same rule applied to groups that are
  empty in the data. Of the groups shown that have one person or nobody, the page says how many have
  the person: how far a match can be trusted by somebody who cannot look into the data. The size of
  a released count can tell more than that.
- **Looks like a sure hit** (apparent match): with the features the outsider knows, one record in
  the release and one person in the data. It **is** one if all other features agree as well.
- **Answer certain**: where a method shows 0 only if nobody is there, answers at 0 are ruled out.
  People with known values for which a single answer is left above 0 have that answer, whatever the
  count. Noise can bring any count to 0, so it makes no answer certain in this way.
- **Guess**: the most frequent value of the sensitive feature among released records with the known
  values; where there is no such record, among all. Ties are a toss. It is held against always
  guessing the **most common answer** in the data, which is the same for all methods. Differences
  between methods are taken release by release. A right guess about a large
  group is a fact about the group, which a release is made to tell; only what goes beyond that is
  about a person, and the promise of ε bounds that, whatever the outsider knows.
- **People represented** (*Counted as*, in the sidebar, where the data have weights): a record that
  is one of a kind stands for as many people as its weight says. Who is unique, and who is shown, is
  still a matter of records, which is what is released.
- **Households** (where a column says who lives together): a household is one of a kind if no other
  has members with the same values, one by one. One with a member who is one of a kind always is.
- None of this is a promise: it measures what these outsiders do, not what a cleverer one could.
"""

"""What ε and δ mean and how they are computed, for those who doubt."""

METHOD = """
- Two tables are **neighbours** if one person's record changes, so that two counts change by one.
- **True δ** is the largest, over all neighbours with counts up to the largest count B, of
  the probability mass by which one table's releases exceed e^ε times the other's. It is computed in
  closed form and checked by enumerating every output of small tables. Where it is called an **upper
  bound** (MST, AIM, TopDown, DP k-anonymity) only that is known.
- **Pr[loss > ε]** is how often a release comes out that is more than e^ε times as likely as under
  the neighbour, for the worst neighbours. It is never below δ: a release that is a little more than
  e^ε times as likely counts in full here and hardly in δ. The two are equal where such releases are
  impossible under the neighbour. Where negative counts are set to 0 it is that of the table as
  published. Of TopDown, and of very large Gaussian noise, it is known for the noisy counts alone,
  and what is made of them can make it larger; names and table say so.
- **Published δ** is what the paper's theorem prints: for DP suppression 1 − ¼ e^(−ε(B−k)) (P0 and
  P1, Theorem 1), for the discrete Gaussian the conversion behind P0's Table 1.
- The published bound **does not hold** where the true δ is larger. That happens for DP suppression
  when empty groups are left at zero, which is the convention of P0's own experiments.
- **A δ is small** if it is below one over the number of people: a δ of 1/n would allow to publish
  one of n records as it is.
- **Other units**: the records of h people change in h steps, each of (ε, δ), so they have hε and
  δ (1 + e^ε + … + e^((h−1)ε)), an upper bound unless δ = 0 (group privacy). A person who is added
  or left out changes one count and not two: noise with δ = 0 then has ε/2; others keep their (ε, δ)
  as an upper bound; methods that publish the number of people promise nothing about it. Replacing a
  record is leaving one out and adding one, two such steps. Permutation swapping counts per record,
  and its nearest tables differ in two.
- **The attack** draws releases of the worst neighbouring tables that are known for a method (small
  ones: next to zero, to the threshold and to B; one person unlike all others). Half of the releases
  drawn so far teach what to look for and choose an event, new ones judge it: it happens with a
  chance of at least p on one side and at most q on the other (Clopper and Pearson), so ε is at
  least ln((p − δ)/q). Tries come in blocks that double, each with half the chance of error of the
  one before, 0.1% in all, and the best bound counts: more tries only tighten it. That a release is
  impossible on the other side is taken from how the method works, never from not having seen it.
- **Read off the data**: which values occur, where bins lie, or the largest count B, if nobody
  declared them beforehand. One person can change them, so they are listed as published exactly.
  A δ that is true only up to a largest count read off the data is shown, but no promise rests on
  it: one more person can make a larger count. Suppression of all counts below k then promises
  nothing, as it should; with a B that is declared it does, for tables with counts up to B.
"""

"""How the lab's numbers are computed, for those who doubt."""

METHOD = """
- **Records, not tables**: each method gets the records as they are, numbers as numbers, and gives
  records back. *RWN borrowing* takes single values from similar records; *rank swapping* exchanges
  numbers of close rank; *microaggregation* gives k similar records their means; *noise on records*
  adds a random number to each. All but the first leave categories alone. *k-anonymity*, *MST* and
  *AIM* go by way of a table: numbers are cut into eight bins, and a released record gets a random
  number of its bin. Such records are drawn anew, so measures that ask whose a record is
  (self-closest record, linkage, interval risk) cannot be had. The bins are read off the data, which
  the ε of MST and AIM does not cover.
- **Cut off first**: top- and bottom-coding, before any method; releases are compared with the
  records as they were.
- **Distance**: numbers are scaled so that their range is 1; two records that differ in one category
  are √2 apart. P4 does not say how it scales for the measures; these are the distances by which its
  neighbourhoods are made.
- **Self-closest record**: an intruder who knows everything about a person takes the released record
  that is closest to it. In which share of cases is it that person's? Ties share the chance.
  **Distance to closest record**: how far it is, on average.
- **Interval risk**: the share of people all of whose numbers lie within one standard deviation of
  what was released for them; robust: any of them next to it, by robust distances.
- **Change of correlations, loadings, coefficients**: means of absolute changes, as P4 defines them.
  Loadings have arbitrary signs, which P4 leaves as they come; lines with aligned signs are ours.
- **Paths**: one setting moves, all others stand. RWN goes along the radius (with q = 100% and
  k = 5, as P4 §9.3.2), along k (with q = 50%) or along q (with k = 5, no radius), as P4 §9.3.1.
  Rank swapping averages 5% of the values at both ends, as sdcMicro does by itself.
- **Chance**: thin lines are one standard error of the mean over releases. Microaggregation has no
  chance in it: there is one release. P4 runs experiments with RWN, rank swapping and
  microaggregation; all other lines are an addition. MST and AIM have 20 releases at most.
- **A random forest** (50 trees, leaves of 5 or more) learns from the release whether the outcome is
  above the original's median, and is tried on people kept out of all releases: 1,000, or a fifth.
  They are the same people for all methods, so the standard error is that over releases only.
- **The pictures of one release** are those of the seed in the sidebar. Another seed, another
  release.
- **The most exposed record** is the one with the largest Cook's distance in the regression of the
  outcome on all other variables: without it, the fit would change most.
"""

"""How methods are matched and ranked, for those who doubt."""

METHOD = """
- **The level** is a measure of protection. *Distance to closest record*: how far each person is
  from the closest released record, on the mean; numbers are scaled to their range and categories
  that differ are √2 apart. *Own units*: the same with numbers as they stand in the file. P4 does
  not say which it takes; on its body measurements only own units give what it reports (comparable
  at indices 3 to 7, equal at indices 12, 15 and 13). *Self-closest record*: how often the closest
  released record is the person's own; a tie of t records counts 1/t. *Interval risk*: share of
  people all of whose numbers lie within one standard deviation of the released ones.
- **Matching**: RWN (k = 5, q = 1) is set to the radius of the chosen index of P4's Table 3. Every
  other method is tried from hardly anything to very much, and the step in which its level crosses
  that of RWN is halved six times (3 releases a setting). Cluster sizes are whole, so
  microaggregation may stay off; how far is said. A method that cannot reach the level is not
  ranked.
- **As in Table 3**: nothing is searched, each method has its setting of the same index.
- **What is kept**: mean absolute change of correlations (IL₁), of the loadings on the first two
  principal components (IL₂; P4 does not align signs, and a component that comes out turned round
  then looks like a large loss, so both are shown), of the coefficients of a regression (IL₃),
  of one coefficient, of R², of total correlation (numbers in as many bins as the cube root of the
  number of records). Numbers only for correlations and components; all variables for the rest.
- **A random forest** (50 trees, leaves of 5 or more) is measured only where methods are ranked by
  it: it learns from the release whether the outcome is above the original's median, and is tried on
  people kept out of all releases: 1,000, or a fifth. They are the same people for all methods.
- **k-anonymity, MST, AIM** go by way of a table (numbers in eight bins that are read off the data)
  and draw records anew. So no released record is anybody's own, and they can be matched by distance
  only. Where a release lacks a measure (a category is gone, say), the method is not ranked by it.
- **Chance**: each number is a mean over releases with its standard error. Repetition r of every
  method has the same random stream, differences are taken release by release, and nothing is
  ranked within two standard errors. Microaggregation has no chance in it.
- Rank swapping averages the largest and smallest 5% of each variable, as sdcMicro does by itself.
- Records that lack a value are left out, and of large files 2,000 records are taken at random.
"""

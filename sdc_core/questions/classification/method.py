"""How Prediction's numbers are computed, for those who doubt."""

METHOD = """
- **Training and test:** each method releases the whole table, counted by everything named above.
  A model learns from the released people and is asked about the real ones. People with the same
  values count as one pattern with a weight, which gives the same model as their single records.
- **Logistic regression** has a weight for every value of every feature, with the usual mild penalty
  (½ of the sum of squared weights). It finds one answer for given data, without chance. The
  **random forest** has 25 trees, each on its own random sample of the records.
- **Trained on the truth** means learnt from the original and tested on the same people, as in the
  paper. That flatters it a little; the five-fold figure beside it does not. Models trained on a
  release are tested on people whose (protected) data they learnt from, so they share that flattery
  in part.
- **Both answers counted alike** (balanced accuracy) is the average of the shares that are right
  among the people of either class: whoever always says the same gets 50%.
- **Chance:** numbers are averages of 100 releases (20 of methods that take long, 3 for the random
  forest). Release r of every method is drawn from the same random stream, so methods are compared
  release by release: one is called better only if the average difference is at least 0.2 points and
  more than two of its standard errors, from at least 10 releases. What does not pass is said not to
  be told apart. So it is with groups, of 100 people or more; as they are picked from many, it takes
  three standard errors. A smaller one is named where its errors grow more than those of all large
  ones; there the change must be three standard errors of rates among so few people to be more than
  chance. Whether a group is predicted worse than another before any release is judged by three
  standard errors of a share among so few people, from 30 people on.
- **Rounding:** differences in points are those of the shares as they are written.
- **Bands** hold the middle 80% of the releases, and so do the lines through the marks of the
  groups; the thin lines on the bars reach one standard error to either side. A release with people
  of one class only gives a model that always says that class.
- **In the paper:** Das et al. (2024, Figure 4) predict an income of $50,000 or more from race, age
  in five groups of equal size, sex and tenure on the Massachusetts data, at ε = 0.5, 1, 2 and 4,
  with k = 6, a swap rate of 25% and zero counts left as they are. They do not say which features
  were swapped; here it is race and sex. The age groups here are those of the data. Children count
  as under $50,000.
"""

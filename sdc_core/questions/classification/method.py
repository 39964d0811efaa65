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
- **Balanced** accuracy is the average of the shares that are right among the people of either
  class: whoever always says the same gets 50%.
- **Bands** hold the middle 80% of the releases, and so do the lines through the marks of the
  groups; the thin lines on the bars reach one standard deviation of the releases to either side. A
  release with people of one class only gives a model that always says that class.
- **In the paper:** Das et al. (2024, Figure 4) predict an income of $50,000 or more from race, age
  in five groups, sex and tenure on the Massachusetts data, at ε = 0.5, 1, 2 and 4, with k = 6 and a
  swap rate of 25%. Children count as under $50,000.
"""

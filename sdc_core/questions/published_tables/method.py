"""How numbers to hide are chosen and attacked, for those who doubt."""

METHOD = """
- **The table** has the inner numbers, a subtotal for every group of the rows, and totals of rows,
  columns and all: what a yearbook prints. Records are counted, each as one person, also where a
  survey’s weights say for how many people it stands.
- **What says too much** is decided number by number, totals too. *Fewer than k people*: what is
  possible has to be at least k people wide. Of a sum, *few contributors* are fewer than k people
  with an amount; what is possible has to reach 15% of the sum below it, and above it 15% of the sum
  or of the average amount, whichever is more. *Dominance (n, k)*: the n largest contributors have
  more than k percent. *p percent rule*: whoever has the second largest contribution can work out
  the largest to within p percent; a sum with a single contributor is that one's amount. (Hundepool
  and others 2012, chapter 4.) Amounts below 0 count as nothing. A sum of 0 is shown by dominance
  and p percent: it says of each who contributes that the amount is 0 or less.
- **The attacker** knows every number that is shown, that all sums are exact, and that no number is
  negative; in a table of people where every zero is shown, also that a hidden number is at least 1.
  What a hidden number can be is the least and the largest value in any table, over real numbers,
  that agrees with this: a linear program for each. That only whole numbers are possible is not
  used; it could narrow a range in tables where sums are not a network.
- **One sign**: × and ○ are what the office sees. It prints one sign for both, and the attacker is
  taken to see one. Two would tell that every × is from 1 to k − 1, closer than the rule allows.
  Sums of hidden numbers, shares and errors that this page says would not be published either, and
  are not counted as known.
- **Further numbers** (○) are hidden until every × is as uncertain as its rule demands, so that the
  sum of the hidden numbers is small (not their number; a zero that has to be hidden weighs as much
  as the smallest other number): *quickly found*, by a linear program for one × after the other that
  makes use of what is hidden already; or *as little as possible*, by an integer program with cuts
  from the attacker's programs (Fischetti and Salazar-González 2001). What is proved about the least
  is proved among choices that leave zeros and the total of all shown, unless these have to be
  hidden.
- **Off by** is the mean absolute error of the numbers that shares are about, too: those above 0,
  or all where empty groups are treated like any other. Of a hidden number the reader is taken to
  use the middle of its range.
- **Noise on every number** splits ε evenly over the kinds of numbers (inner ones, subtotals, totals
  of rows, of columns), since a person stands in one number of each kind. It is rounded, without
  negatives; the number of people is taken as known. These numbers do not add up. **Noise on inner
  numbers, added up** has all of ε there, as drawn, since without negatives totals would be too
  high. **Noise that adds up** (TopDown) measures all columns together and each by itself, and gives
  the nearest table of whole numbers that adds up.
- **Noise on sums** needs a limit on what one person counts with: noise is in proportion to it, and
  what is beyond is cut off. If somebody with a is replaced by somebody elsewhere with b, two sums
  of each kind move by a + b together, but the sum of all by their difference only: with six kinds
  by ten limits in all at most. Every sum, that of all too, has noise in proportion to this; inner
  sums alone, to be added up, in proportion to two limits. It is neither rounded nor cut at 0, and
  nothing is taken as known.
- **Rounded** (controlled rounding, Cox 1987): every number goes to one of the two multiples next to
  it, at random, so that it is right on average and totals add up. **Shifted by cell keys** (Fraser
  and Wooton 2005): a lottery with shifts of at most 5, variance 3 and no results of 1 or 2; the
  same people are shifted alike wherever they are counted, and totals do not add up. Neither
  promises an ε. An attacker who knows the rule knows each number to within what is said, or closer
  by adding up.
- **Not claimed**: that the table is safe beside others about the same people (linked tables), that
  a contributor who knows the own number learns no more than the rule says, or that the choice of
  what is hidden says nothing. Hiding promises nothing about attackers who know more than this.
"""

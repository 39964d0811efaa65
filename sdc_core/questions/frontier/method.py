"""How risk and error are computed, for those who doubt."""

METHOD = """
- **Error**: by how many people a count of one release is off on average, E|x̃ − x|, over the groups
  that have people, as on Compare; people put into empty groups are told apart (and are in the error
  if you choose *empty ones included*).
- **Risk** is what an attack gains from the release: how often its claim is made where it is true,
  minus how often where it is not (*luck*). The attack is a fixed rule, the same for every method. A
  release that has nothing to do with the data gains nothing; the data as they are gain most.
- **See somebody who is one of a kind**: the intruder knows the combination of values of somebody
  who is alone with it, and claims that this person is there if the release shows anybody with it.
  Luck: combinations that nobody has and that are shown all the same.
- **Infer a sensitive answer**: the intruder knows all other answers, takes the most frequent
  sensitive one among people who look alike in the release, and is compared with always giving the
  most frequent answer of the data.
- **Tell whether a person is in the data**: the intruder knows everybody else, and claims that the
  person is there, too, if the release shows more people of this combination than halfway between
  the count without and with the person; a mean over all people. For noise this rule is the best
  there is. For other methods a cleverer intruder may gain more, so it is a lower bound.
- **Exact** where the law of each count is known (noise, hiding; for seeing people also swapping
  and RWN). Else means over 20 releases (10 of the slow methods); for membership, of methods that
  move or merge records, two people in a hundred are left out at a time, ten times with four
  releases each, and people in and out are compared. Lines at marks are two standard errors to both
  sides; where all releases were alike, what so few of them leave open (Clopper and Pearson).
- **Settings**: about ten of each method along the parameter it is tuned by, over the range of its
  slider. Methods of the bar have their other settings from there, the others as they start.
- **Beaten** is a setting if another one is lower on one axis by more than two standard errors of
  the difference, and on the other axis as well, or for certain not higher. A setting that only
  looks beaten is *within chance*. The step line joins the others: between two settings, the risk of
  the left one is what can be had.
- **Filled marks** have a promise that holds, at least in part; hollow ones none, a broken one,
  or one that is too slack or nearly empty. A promise is about all attacks, the chart about one.
"""

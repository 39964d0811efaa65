"""How the intruders go about it, for those who doubt."""

METHOD = """
- **Who is in the data**: half of the records, drawn once at random, are protected and released; the
  other half are people who are not in the data. Of large files 2,000 records are taken in all.
- **A, small cell** (P4 §2): the intruder knows the chosen variables of a person who is the only one
  with them; numbers to about a fiftieth of their range (age in years or two). In the release the
  intruder looks for records with these values and reads the wanted number: if there is one record,
  or several that agree in it. Right is within a tenth of the truth.
- **B, extreme record**: the intruder knows who has the largest value of a variable, takes the
  released record with the largest value for that person's, and reads the wanted number.
- **C, who is in it**: the intruder knows all values of a person and looks how far the closest
  released record is. The number is the chance that of somebody in the data and somebody not the
  first is closer; 50% is a guess. *Nearly sure*: fewer than 5% of the people who are not in the
  data are as close as this person.
- **Methods**: RWN (k = 5, q = 1, radius .25, .5, .8), rank swapping (P = .12, .27, .45; largest and
  smallest 5% averaged), microaggregation and k-anonymity (k = 2, 7, 13; k-anonymity by all
  variables), MST synthetic data (ε = 10, 1, .1). k-anonymity and MST see numbers in eight bins and
  draw numbers from them anew. The first four are P4's Table 3 at indices 1, 6 and 12.
- **Criteria** (P4 §6): *mixed data*: are categories changed as well as numbers, and which share of
  numbers is impossible (below zero, or with decimals, where no number was)? *Answers about small
  cells*: for which share of them does a query find nobody? *Keeps correlations*: mean change of
  correlations up to .05. *A, B, C*: yes if the intruder is right in at most 10% of cases, in part
  up to 50% (C: twice the chance beyond a guess). What a person understands is not computed: it is
  what each method says of its parameter.
- P4 expects rank swapping to fail against B. That hangs on its tails: averaged, as sdcMicro does by
  itself, nobody has the largest value alone.
- Numbers are means over 20 releases. One release more, other settings or another intruder may
  do better: a yes here is no promise. Only MST has a promise.
"""

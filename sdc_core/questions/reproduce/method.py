"""How a published number is judged, for those who doubt."""

METHOD = """
- **Printed** is the number as it stands in the paper, with its digits. Some columns are cut off
  instead of rounded, and are compared so.
- **Ours** is exact where an exact value exists, else the mean of so many releases, with its
  standard error after ±. It is written with the printed digits.
- **Match**: ours would be printed with the same digits. **Within tolerance**: it is no farther away
  than is stated beside the number, for the reason that stands there, too: the chance in a mean of
  200 releases, say, or an earlier extract of the same survey. **Same order only**: it is farther
  away, but lies above and below the same numbers as the printed one does. **Differs**: not even
  that. **Cannot be**: no reading of the paper's method that was tried can give the printed number
  on its data; the reason says why. **Not made again**: the reason says what is missing. **Not
  judged**: it was made on other data than the paper's. **Given**: settings of a method, sums of
  printed counts, sizes of files and rows read off a file (all of P4's Tables 2 and 3, P3's Table 6
  and the totals of its Table 4): they are shown, and not counted.
- **Tolerances** stand in the file of published numbers, each with its reason. Most were set after
  ours were seen, from chance or rounding; the reason then says so. The numbers of the
  stored run are judged anew whenever this page is opened: a tolerance that changes, changes it.
- **Readings**: where a paper can be read in several ways, one reading is judged and the others
  stand beside it.
- **What a match is worth** differs. The printed δ come out of the papers' own formulas, and a match
  says that the formula was read rightly; whether it is true stands under the theorems.
- **Claims** are what the papers say of their results, in our words that can be true or false; one
  sentence of a paper may be several claims. *Read as* and brackets are our reading, not the
  paper's. Each is tried on the paper's data and on others: Massachusetts, Texas, the national
  excerpt and their synthetic twins, or P4's other files; and with empty groups left at zero or
  treated like any other, where that matters, whichever the paper means. *Holds in some* may hold
  wherever the paper says it. *Not decided* is a claim that cannot be tried there, or whose numbers
  are too close to call.
- **Figures** are judged by what the text says of them: no number was read off a picture.
- The stored run is made by the command `reproduce --all --full`; the same numbers are in
  docs/REPRODUCTION.md.
"""

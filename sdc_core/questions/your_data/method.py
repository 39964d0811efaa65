"""What roles and declarations mean for the numbers on all other pages."""

METHOD = """
**Roles** say what a column is to somebody who wants to find a person. A *quasi-identifier* is what
an outsider may know, and so is the *place*; a *sensitive* column is what an outsider would like to
know. A *weight* says for how many people a record stands; a *household id* says who lives together;
a *person id* names the record. Ids and ignored columns are not counted by.

**Types** say how values are read. A *code* is a name, whatever digits it is made of: `01234` stays
`01234`. Numbers and dates are counted in bins. No reading changes the file: a column that is read
another way and back is what it was.

**Declared** means that values, or the edges between bins, were known before anybody looked at this
file: from a questionnaire, a code list, a law. Then a table has the same groups whoever is in the
data. What is not declared is read off the data: that a rare value has a group tells that somebody
has it, and that bins end where they do tells something about the numbers. No noise hides that, so
every promise lists it under what is published exactly. Declaring what is seen makes the list fixed
from then on; it does not make it one that was chosen without looking.

**Proposals** come from names and values of columns, and are only that: what is begun with zeros or
named like a code is a code; what never repeats names a record; words for place, income or weight in
several languages are known. Whoever owns the data knows better.

A schema is saved as `mydata.schema.json`; next to `mydata.csv` it is taken by itself.
"""

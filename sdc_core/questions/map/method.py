"""What a map shows and how it is computed, for those who doubt."""

METHOD = """
- **Every place has its own table**: the groups formed by the other features. A method treats all
  groups alike wherever they are; places differ because some have more small or empty groups.
- **Systematic error**, ‖bias‖₁: the sum over a place's groups of |expected published count − true
  count|. What is random from release to release averages out; what is left is systematic.
- **One group too high or too low**: the mean of the signed bias over the counts that make up the
  chosen group in that place.
- **Error of a release**: the expected sum of absolute errors of a single release, E‖x̃ − x‖₁, for
  every 1,000 people who live there. Small places show more.
- **Hidden counts**: of a place's groups that have people, the share whose count is hidden and
  replaced; for the DP version the expected share. Methods that hide nothing show 0.
- **People represented**: the American Community Survey is a sample, and its weight PWGTP says how
  many people a record stands for. Errors of a group are multiplied by the mean weight of its
  records; an empty group has none, so the place's average is taken there. The protection itself
  is applied to records: weighting shows what an error of that many records means in people.
- **The same colour means the same number on both maps.** The difference has a scale of its own,
  symmetric about zero.
- **Boundaries**: your own file if you give one, else official boundaries in data/geo, else the
  data folder's, else the bundled schematic map, which is good for orientation and not for
  measuring. Areas far apart are drawn as insets that are not to one scale; the tiles over them show
  where in the country they are.

The paper can be read either way on empty groups: by its formula for DP suppression (equation 1)
they are filled in like all small counts, while its §3.4 says that suppression does not touch them.
Here they are filled in unless *Leave empty groups at 0* is switched on under Options, which also
breaks the promise.
"""

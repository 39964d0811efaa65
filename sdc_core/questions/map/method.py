"""What a map shows and how it is computed, for those who doubt."""

METHOD = """
- **Every place has its own table**: the groups formed by the other features. A method treats all
  groups alike wherever they are; places differ because some have more small or empty groups.
- **Error of a release**: the expected sum of absolute errors of a single release over a place's
  groups that have people, in people or for every 1,000 who live there. Small places show more for
  every 1,000.
- **Systematic error**: the sum over a place's groups that have people of |expected published count
  − true count|. What is random from release to release averages out; what is left is systematic.
  A method can be worse by the one and better by the other.
- **People put into empty groups**: how many people the average release shows in a place's groups
  that have nobody. They do not live there, so they are counted apart. Whether a method that hides
  counts fills empty groups in is the setting *Empty groups*; noise always reaches them.
- **One group too high or too low**: the mean of the signed bias over the counts that make up the
  chosen group in that place and have people. Counts that are too high make up for others that are
  too low, so a method near 0 leans to no side and may still be far off.
- **Hidden counts**: of a place's groups that have people, the share whose count is hidden and
  replaced; for the DP version the expected share. Methods that hide nothing show 0.
- **People represented** (*Counted as*, in the sidebar): a survey is a sample, and its weight (PWGTP
  in the American Community Survey) says how many people a record stands for. Errors of a group are
  multiplied by the mean weight of its records; an empty group has none, so the average record's is
  taken there. The protection itself is applied to records: weighting shows what an error of that
  many records means in people.
- **The same colour means the same number on both maps.** The difference has a scale of its own,
  symmetric about zero.
- **Boundaries**: your own file if you give one, else official boundaries in data/geo, else the
  data folder's, else the bundled schematic map, which is good for orientation and not for
  measuring. Areas far apart are drawn as insets that are not to one scale; the tiles over them show
  where in the country they are.

The paper's Figure 3 adds up the bias of all groups, with people and without: *Systematic error,
empty groups included*. It can be read either way on empty groups: by its formula for DP suppression
(equation 1) they are filled in like all small counts, while its Definition 2 of suppression and its
§3.4 leave them as they are. The button *As in Das, Tajeddine and Fioretto, Figure 3* takes
equation 1. Which of the two methods looks better on that map at ε = 1 hangs on this reading alone.

Of simulated methods, places are ranked only where they are more than three standard errors apart
(of many places some are two apart by chance). DP suppression that leaves empty groups at 0 breaks
its promise: a zero then proves that nobody is there.
"""

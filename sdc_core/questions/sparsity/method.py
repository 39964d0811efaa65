"""How the numbers about empty groups are computed, for those who doubt."""

METHOD = """
- **Empty share**: groups with nobody in them, out of all combinations of the chosen features'
  values that occur in the data.
- **Systematic error**, ‖bias‖₁: by how many people counts are wrong on average over releases, added
  over all groups. **Total error**, E‖x̃ − x‖₁: by how many people a single release is wrong.
- **Why noise pays for empty groups**: noise on a count of 0 goes up or down, and what falls below
  0 is put back to 0. So on average people appear where there are none. Suppression that leaves
  zeros alone publishes them exactly, and thereby tells everybody that nobody is there; suppression
  that fills them in (switch *Leave empty groups at 0* off) pays k/2 people for each.
- **The crossing** is exact: a method that treats each count by itself has the error
  Σ f(x) over the groups with people, plus z f(0) for z empty ones, and two straight lines meet at
  z = difference of the first parts / difference of the f(0).
- **Many features**: each mark is the table of the same people by some of the features. More
  features make smaller groups as well as more empty ones, so both ends of the comparison move.
- **In the paper** (§3.4 and Figure 4), marginals of the Massachusetts excerpt are counted and
  simulated releases averaged.
"""

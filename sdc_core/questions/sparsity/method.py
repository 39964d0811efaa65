"""How the numbers about empty groups are computed, for those who doubt."""

METHOD = """
- **Empty share**: groups with nobody in them, out of all combinations of the chosen features'
  values: those that the data dictionary declares, or those that occur in the file (*Groups that
  exist*, in the sidebar).
- **Systematic error**, ‖bias‖₁: by how many people counts are wrong on average over releases, added
  over all groups. **Error of a release**, E‖x̃ − x‖₁: by how many people one is wrong. Both
  have two parts, and the tables show them apart: the error in groups that have people, and the
  error in groups that have nobody, which is people who are not there.
- **Why noise pays for empty groups**: noise on a count of 0 goes up or down, and what falls below
  0 is put back to 0. So on average people appear where there are none. Suppression that leaves
  zeros alone publishes them exactly, and thereby tells everybody that nobody is there; suppression
  that fills them in (*Empty groups* in the sidebar, *treated like any other*) pays k/2 people for
  each. So a comparison is about this convention as much as about noise and hiding.
- **The crossing** is exact: a method that treats each count by itself has the error
  Σ f(x) over the groups with people, plus z f(0) for z empty ones, and two straight lines meet at
  z = difference of the first parts / difference of the f(0).
- **People represented** (*Counted as*, in the sidebar, where the data have weights): f(x) is
  multiplied by the mean weight of the group's records, f(0) by that of all records.
- **Many features**: each mark is the table of the same people by some of the features. More
  features make smaller groups as well as more empty ones, so both ends of the comparison move.
- **In the paper** (§3.4 and Figure 4), marginals of the Massachusetts excerpt are counted with
  Laplace noise, negatives set to 0, and with suppression that leaves zeros alone; simulated
  releases are averaged. Which ε and k were taken is not said; the preset has ε = 1 and k = 6.
"""

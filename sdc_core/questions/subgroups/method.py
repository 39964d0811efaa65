"""What is counted and how lines, errors and gaps are computed, for those who doubt."""

METHOD = """
- **The table** counts people by the group features and the two features of the chart. Each method
  protects that whole table; the page then looks at some of its groups.
- **The line** is fitted by least squares through all people of a group, with the codes as numbers;
  whoever has no such number (children have no income tenth) is left out of line and heat map. Its
  slope says how many steps upwards people differ, on average, who are one step apart across. It
  says how two features go together in the data, not what one does to the other. A line that is 18%
  flatter has a slope that is 18% closer to zero.
- **On average** is the table that infinitely many releases would show on average, by formula where
  there is one; its line is the line through that table. Where there is no formula, 200 releases
  are averaged (20 of methods that take long), and ± is one standard error. A change within two
  standard errors is put down to chance.
- **Errors for every 1,000 people** are expected errors without sign, so noise that averages out
  counts too. They are those of cells that have people. People whom a release puts into cells that
  have nobody are counted apart: noise does so, since counts below zero are set to zero.
- **One release** is drawn from the seed, and its counts are rounded to whole people. It shows what
  a reader of that release would see; which method is better cannot be read off it.
- **Colours** grow with the square root of the error, so that small errors are seen beside
  large ones.
- **The gap** is the largest minus the smallest change of slope, with their signs, in percentage
  points of the true slope: −6% and +22% are 28 points apart. Groups of fewer than 100 people are
  shown but never make the headline.
- **People represented** (*Counted as*, in the sidebar, where the data have weights): each cell's
  records, true and released, count for as many people as their weights say on average; lines and
  errors are those of these people. Whether a group is large enough is still a matter of records.
- **In the papers:** Das et al. (2024, Figure 3) and Das, Tajeddine and Fioretto (Figure 1) show the
  national data with ε = 2 and k = 10. The former have Laplace and discrete Gaussian noise, DP
  suppression, and DP swapping of race with a swap rate of 25%, where any other record may be the
  donor (equation 2); the latter Laplace noise and DP suppression. Zero counts are left as they are.
  They do not say what else their released table was counted by: the finer a table, the larger all
  errors.
"""

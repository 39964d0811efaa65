"""What is counted and how lines, errors and gaps are computed, for those who doubt."""

METHOD = """
- **The table** counts people by the group features and the two features of the chart. Each method
  protects that whole table; the page then looks at some of its groups.
- **The line** is fitted by least squares through all people of a group, with the codes as numbers;
  whoever has no such number (children have no income tenth) is left out of line and heat map. Its
  slope says how many steps upwards people differ, on average, who are one step apart across. That
  education “seems to pay 18% less” means that this slope, of income tenth on education, is 18%
  smaller in the release; it says nothing about causes.
- **On average** is the table that infinitely many releases would show on average, by formula where
  there is one; its line is the line through that table. Errors for every 1,000 people are expected
  errors without sign, so noise that averages out counts too. **One release** is drawn from the
  seed, and its counts are rounded to whole people.
- **Colours** grow with the square root of the error, so that small errors are seen beside
  large ones.
- **The gap** is the difference between the group whose slope changes most and the one whose slope
  changes least, in percentage points of the true slope. Groups of fewer than 100 people are shown
  but never make the headline.
- **In the papers:** Das et al. (2024, Figure 3) and Das, Tajeddine and Fioretto (Figure 1) show the
  national data with ε = 2 and k = 10; only the former have DP swapping, with a swap rate of 25%.
  They do not say what else their released table was counted by: the finer a table, the larger all
  errors.
"""

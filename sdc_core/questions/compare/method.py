"""How Compare's numbers are computed, for those who doubt."""

METHOD = """
- **A count is off by, on average**: the expected absolute difference between a published and a true
  count of one release, averaged over the groups of a size; groups that have nobody are a row of
  their own.
- **Error where people are**: the expected sum of the absolute differences between published and
  true counts of one release, over the groups that have people. This is what the headline compares:
  it does not depend on what is done to empty groups.
- **Systematic error where people are**: what remains of it when many releases are averaged. Noise
  averages out but for counts below zero, which are set to zero; hiding does not. A method can be
  better by the one and worse by the other.
- **People put into empty groups**: how many people the average release shows in groups that have
  nobody. Noise always reaches empty groups; whether hiding does is the setting *Empty groups*, and
  how many there are is the setting *Groups that exist*.
- **Unfairness**, α: the largest bias of any group minus the smallest, over all groups, empty ones
  included, as the papers define it. Zero means that all groups are moved alike.
- **Largest variance**: how much the worst cell, empty ones included, jumps from one release to the
  next.
- **Slack in the promise**, δ: the true δ at this ε, not the published one, or an upper bound of it
  ("at most"). It is not how often the odds move by more than e^ε; the page *δ versus ε* shows both.
- **People represented** (*Counted as*, in the sidebar, where the data have weights): methods act on
  records, and an error of one record counts for as many people as the records of its group stand
  for on average, W/n for n records with weights that add up to W; in an empty group for as many as
  the average record. Errors, biases and their standard errors are multiplied by that number,
  variances by its square. Sizes of groups are still those of records. The mean weights would have
  to be published, and nothing protects them; ε is about a record, however many it stands for.

The papers add up all groups, with people and without: the tables have these sums, too (Total error
E‖x̃ − x‖₁, Systematic error ‖bias‖₁). They change with the number of empty groups, and can turn
the order of two methods round.

Exact numbers come from closed forms or from sums over the whole law of the noise, not from
repetitions. The papers average 200 releases, which leaves noise in every average and makes
systematic error and α come out too large; switch the simulation on to see it. Standard errors of
simulated numbers come from leaving a twentieth of the releases out at a time. Methods are ranked
only if they are more than two of them apart, and a size of group is called moved only beyond three,
since it is picked from several. The samplers are for study and demonstration, not for production
release.
"""

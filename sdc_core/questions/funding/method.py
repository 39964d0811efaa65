"""How money and rules are computed, for those who doubt."""

METHOD = """
- **The pot** is shared in proportion to the number of people in the group, place by place. A
  place's gain is what it gets by a released table minus what it gets by the true counts. **Sent to
  the wrong places** is half the sum of all gains and losses: what one place has too much, another
  has too little.
- **The rule** applies to a place if more than x% of its people belong to the group. It flips if the
  released table says otherwise than the true one. Equality is not *more than*.
- **Releases are drawn**, since a share is a ratio of two noisy counts and has no closed form. Each
  release is made of whole people: counts are rounded and those below zero set to zero. The same
  seed gives the same releases. A chance that is seen in none of 200 releases is below 1.5% with 95%
  confidence, not zero.
- **Chance is not a finding.** Methods, and places, are ranked only where their difference, release
  by release, is more than two standard errors; else it is said that they cannot be told apart. A
  place gains or loses *on average* where its mean is more than three standard errors from nothing,
  and *steadily* where it also does so in more than nine of ten releases, beyond two standard errors
  of that share.
- **Groups that have nobody** matter for money: whoever is put there counts like anybody else. Such
  groups are in all places, and often most where few people of the group live, so money tends to go
  to places with few. For methods that treat every count by itself, money is also shared by the same
  releases with those groups left at 0, which shows how much of it comes from there.
- **What people are counted by matters.** The same number of renters can be published as one count
  or added up from a hundred small ones. Every group bears error of its own: noise adds up, and
  groups that are hidden and filled in add up in one direction. Switch to the smaller table to see.
- **Swapping** (one click away, below the methods) changes only what it exchanges. If neither the
  place nor what defines the group is exchanged, shares and money stay as they are.
- **People represented** (*Counted as*, in the sidebar, where the data have weights): methods act on
  records, and a released count of n′ records stands for n′ times the mean weight of its group's
  records (in an empty group, the average record's). Money and shares follow these numbers. A method
  that moves records between groups then moves weights as well, even where the number of records in
  a place stays.
- Counts here are otherwise of people in a survey file, not of the population, and no real programme
  is imitated: real formulas have floors, caps and several counts in them.

The samplers are for study and demonstration, not for production release.
"""

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
- **What people are counted by matters.** The same number of renters can be published as one count
  or added up from a hundred small ones. Every group bears error of its own: noise adds up, and
  groups that are hidden and filled in add up in one direction. Switch to the smaller table to see.
- **Swapping** changes only what it exchanges. If neither the place nor what defines the group is
  exchanged, shares and money stay as they are.
- Counts here are of people in a survey file, not of the population, and no real programme is
  imitated: real formulas have floors, caps and several counts in them.

The samplers are for study and demonstration, not for production release.
"""

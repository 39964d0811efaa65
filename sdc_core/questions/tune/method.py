"""How settings are looked for, for those who doubt."""

METHOD = """
- **The whole legal range** of a method's main setting is searched, not the part that its slider
  shows: ε from 0.001 to 100, k up to 1,000, every share of records. The settings that meet the wish
  need not hang together; all stretches are drawn.
- **Exact** where a closed form is known: the range is read at many settings (whole numbers: at all
  of them, or at all where anything changes) and every crossing is closed in on to ten digits or
  more. Ends are then rounded inwards, so that the number you read meets the wish itself.
- **Simulated** where it is not: releases are drawn at a limited number of settings, always with the
  same random streams, and each crossing is halved a few times. What lies within two standard errors
  of the wish is said to; narrow stretches between the settings that were tried can be missed.
- **Most protective**: by the promised ε where it hangs on the setting, else in the direction in
  which the setting protects more. With swap rates ε is smallest somewhere in the middle: at 0%
  nobody is swapped, and at 100% everybody is known to have been moved.
- **Most accurate**: the end at which counts of groups that have people are least far off.
- **A wish that is met is no promise.** What each setting promises stands beside it; a method
  without a formal guarantee may meet any wish about error and promise nothing.
- **Of groups that have people** are all errors, as on Compare; people put into empty groups are a
  wish of their own. Unfairness α is over all groups, as in the paper. *In the place that is hit
  worst* is the largest error per 1,000 people of any place. A rule *turns round* in a place where a
  group's released share is on the other side of 25% from its true share. *Linked rightly*: found
  exactly once by what identifies, and right in all else.
- **The same as** takes the other method's number at its present setting as the most that is
  accepted.
"""

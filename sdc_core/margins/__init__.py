"""Tables with all their totals: which cells say too much, what else to hide, and what somebody who
can add up still learns."""

"""How Compare's numbers are computed, for those who doubt."""

METHOD = """
- **Total error**: the expected sum of the absolute differences between published and true counts,
  E‖x̃ − x‖₁, in people.
- **Systematic error**, ‖bias‖₁: what remains of it when many releases are averaged. Noise averages
  out; hiding and rounding do not.
- **Unfairness**, α: the largest bias of any group minus the smallest. Zero means that all groups
  are moved alike.
- **Largest variance**: how much the worst cell jumps from one release to the next.
- **Chance the promise fails**, δ: the true (tight) δ at this ε, not the published one; the page
  *δ versus ε* shows both.

Exact numbers come from closed forms or from sums over the whole law of the noise, not from
repetitions. The papers average 200 releases, which leaves noise in every average and makes ‖bias‖₁
and α come out too large; switch the simulation on to see it. The samplers are for study and
demonstration, not for production release.
"""

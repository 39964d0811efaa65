"""What the five questions mean and where the numbers come from, for those who doubt."""

METHOD = """
- **Five questions.** A privacy promise compares what is published for two possible data sets. It
  has to say which data are possible (*what*), which of them are compared (*to where*: only those
  that agree on everything published exactly, the *invariants*), what one step between two data sets
  is (*who*), how the change in the output is measured (*how*), and how large it may be (*how
  much*). The five parts are those of P3; the wording here is ours.
- **Answers** are declared with each method. The line under its name is computed for the present
  table with default settings, as on the page *δ versus ε*.
- **Swapping**: ε(p, b) = ln(b + 1) − ln(p/(1 − p)) for p up to one half, otherwise the larger of
  this and ln(p/(1 − p)); b is the largest group of records that match (P3).
- **Households**: ε for h people is h times ε for one, and counts with noise do reach it. With zCDP
  ρ grows with h².
- **ε at another δ** is solved from the exact δ of discrete Gaussian noise with σ² = 20 (the noise
  of P0's Table 1 at ε = 1). zCDP is converted by ε = ρ + 2√(ρ ln(1/δ)) (Bun and Steinke 2016).
- **Tables add up**: t tables about the same people, ε each, are tε together.
- **From P3's slides** are the five building blocks, the table of census examples and the first
  three of the four ways to make ε look small (their perverse guide); the fourth way is ours.
"""

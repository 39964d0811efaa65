"""P0, Das et al. 2024: Table 1 and Figures 2 to 5 made again, and what the text says of them."""

from __future__ import annotations

from sdc_core.papers.item import Item
from sdc_core.papers.p0_claims import CLAIMS as CLAIMS
from sdc_core.papers.p0_figures import figure_2, figure_3, figure_4, figure_5
from sdc_core.papers.p0_table import table_1
from sdc_core.papers.published import Entry


def epsilon_of(entry: Entry) -> str:
    """Methods are compared at the same ε."""
    return entry.row.partition(" ")[2]


_NO_NUMBER = "The text prints no number of this figure, and the figure itself is not at hand."

ITEMS = (
    Item("P0", "table1", "Table 1: δ, error, fairness and variance of four methods",
         "Massachusetts by five features. Race and income are coded as IPUMS codes them, which the "
         "paper does not say: it brings P1's tables and with them the noise rows of this one. k = "
         "6, zeros left alone, a quarter of the records swapped, any other record as donor, 200 "
         "releases. Errors are the expected "
         "ones of 200 averages, α and variance means over such sets.",
         table_1, ("ma2019",), compared=epsilon_of, see="compare?data=ma2019"),
    Item("P0", "fig2", "Figure 2: suppression and swapping beside their DP versions",
         "Expected distance of a release from the data, and α, by threshold and by share of "
         "records swapped, on Massachusetts.",
         figure_2, ("ma2019",), missing=_NO_NUMBER, see="compare?data=ma2019"),
    Item("P0", "fig3", "Figure 3: income tenth and education of White and Black men",
         "National data, ε = 2, k = 10, a quarter of the records take another's race: misplaced "
         "people for every 1,000 of the group, and how the slope changes.",
         figure_3, ("national2019",), missing=_NO_NUMBER, see="subgroups?data=national2019"),
    Item("P0", "fig4", "Figure 4: logistic regression trained on releases",
         "Income of 50,000 dollars from race, age, sex and house ownership: accuracy on the "
         "original of models that learnt from a release, Massachusetts.",
         figure_4, ("ma2019",), missing=_NO_NUMBER, see="classification?data=ma2019"),
    Item("P0", "fig5", "Figure 5: unique exact matches",
         "Share of the people who are one of a kind by the five features that a release shows "
         "exactly once, Massachusetts and Texas.",
         figure_5, ("ma2019", "tx2019"), missing=_NO_NUMBER,
         see="reidentification?data=ma2019"),
)

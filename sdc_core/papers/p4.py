"""P4, Perry, Matloff and Tendick 2024: its tables, what its figures draw, and what it says of
them."""

from __future__ import annotations

from sdc_core.papers import p4_engineers as engineers
from sdc_core.papers import p4_measured as body
from sdc_core.papers.item import Claim, Item
from sdc_core.papers.p4_claims_engineers import CLAIMS as OF_ENGINEERS
from sdc_core.papers.p4_claims_figures import CLAIMS as OF_FIGURES
from sdc_core.papers.p4_claims_privacy import CLAIMS as OF_PRIVACY
from sdc_core.papers.p4_claims_table_3 import CLAIMS as OF_TABLE_3
from sdc_core.papers.p4_claims_text import CLAIMS as OF_TEXT
from sdc_core.papers.published import Entry

FULL_ONLY = "Released files of this size are made in a full run."


def rounding_of(entry: Entry) -> str:
    """Table 1 compares methods at the same rounding of ages."""
    return entry.row.partition("m=")[2]


def same_table(entry: Entry) -> str:
    return entry.item


ITEMS: tuple[Item, ...] = (
    Item("P4", "table1", "Table 1: mean k-anonymity before and after",
         "Age rounded to 5 or 25 years, education, weeks and sex as numbers; rank swapping with "
         "sdcMicro's settings, RWN with k = 10.",
         engineers.table_1, ("svcensus",), rounding_of, FULL_ONLY, "microdata_lab?data=svcensus"),
    Item("P4", "table2", "Table 2: the five men with the largest body mass index",
         "Read off the file once 11 cases are left out, which were found by this table and "
         "are those of the rule in the authors' notebook. A match says that the file is theirs.",
         body.table_2, ("bodyfat",)),
    Item("P4", "table3", "Table 3: settings that are set side by side",
         "Settings, no results: they are taken over in even steps, so that they match says "
         "nothing. Beside them stand those that really have RWN's distance to the closest "
         "record.",
         body.table_3, ("bodyfat",), see="matched?data=bodyfat"),
    Item("P4", "text-6.4", "§6.4: e to the ε of the 2020 census", "Arithmetic.",
         engineers.text_6_4),
    Item("P4", "fig1", "Figure 1: sizes of neighbourhoods",
         "k = 5, radius from 0 to 1.2; the largest man's neighbours.", body.figure_1, ("bodyfat",),
         see="microdata_lab?data=bodyfat"),
    Item("P4", "text-9.1.2", "§9.1.2: the file of engineers", "Counted.", engineers.sizes,
         ("svcensus",)),
    Item("P4", "text-9.3.1", "§9.3.1: what women earn less",
         "Least squares of the wage on all other variables, categories as 0 and 1.",
         engineers.wage_gap, ("svcensus",)),
    Item("P4", "fig2", "Figure 2: utility against privacy",
         "What women earn less in releases, by k and q; privacy stands with Figure 3.",
         engineers.figure_2, ("svcensus",), missing=FULL_ONLY, see="microdata_lab?data=svcensus"),
    Item("P4", "fig3", "Figure 3: privacy against k",
         "The share of people whose own record is the closest, by k and q.",
         engineers.figure_3, ("svcensus",), missing=FULL_ONLY, see="microdata_lab?data=svcensus"),
    Item("P4", "fig4", "Figure 4: the wage gap against k",
         "Ten releases at each k and q: at which two of 10, 20, …, 70 are the lines for q closest "
         "to one another?", engineers.figure_4, ("svcensus",), missing=FULL_ONLY),
    Item("P4", "text-9.3.2", "§9.3.2: who is left out of the body measurements",
         "By the rule in the authors' notebook.", body.cleaned, ("bodyfat",)),
    Item("P4", "fig5", "Figure 5: correlations under RWN",
         "Mean strength of all correlations, by radius (k = 5, q = 1).", body.figure_5,
         ("bodyfat",)),
    Item("P4", "fig6", "Figure 6: principal components under RWN",
         "The share of the first, by radius (k = 5, q = 1).", body.figure_6, ("bodyfat",)),
    Item("P4", "fig7", "Figure 7: Cook's distances",
         "Body fat explained by all other measurements and the body mass index.", body.figure_7,
         ("bodyfat",), see="microdata_lab?data=bodyfat"),
    Item("P4", "fig8", "Figure 8: scores on the first component", "Standardised measurements.",
         body.figure_8, ("bodyfat",)),
    Item("P4", "fig9", "Figure 9: distance to the closest record along Table 3",
         "In the units of the file; comparable is what lies within 3% of one another, a limit "
         "set after ours were seen. Each setting stands beside its index: one finding, not two. "
         "One method's setting is taken as printed to find another's.",
         body.figure_9, ("bodyfat",), see="matched?data=bodyfat"),
    Item("P4", "fig10", "Figure 10: interval risk along Table 3",
         "By deviation (k = 1) and by robust distance, as sdcMicro has them.",
         body.along_table_3("interval", "interval_robust"), ("bodyfat",)),
    Item("P4", "fig11", "Figure 11: change of correlations along Table 3", "IL₁.",
         body.along_table_3("il1"), ("bodyfat",)),
    Item("P4", "fig12", "Figure 12: correlations under the other two methods",
         "Mean strength of all correlations at the ends of Table 3.", body.figure_12,
         ("bodyfat",)),
    Item("P4", "fig13", "Figure 13: change of loadings along Table 3",
         "IL₂ of the first two components, signs turned round where they come out the other way.",
         body.along_table_3("il2_aligned", "il2_second_aligned"), ("bodyfat",)),
    Item("P4", "fig14", "Figure 14: regression along Table 3",
         "IL₃ and R² of the regression on variables of mean 0 and variance 1.",
         body.along_table_3(regression_too=True), ("bodyfat",)),
    Item("P4", "text-9.5", "§9.5: the error before anything is released",
         "A random forest; a thousand records are kept out.", engineers.text_9_5,
         ("pef", "pima")),
    Item("P4", "table-9.5-forest-pef", "§9.5: random forests on engineers",
         "q = ½; the forest learns from a release and is tried on 1,000 people kept out of it. "
         "Its settings are not printed.", engineers.forests_pef, ("pef",), same_table, FULL_ONLY),
    Item("P4", "table-9.5-forest-pima", "§9.5: random forests on the Pima study",
         "q = ½; a fifth is kept out, as 1,000 of 768 cannot be.", engineers.forests_pima,
         ("pima",), same_table),
    Item("P4", "table-9.5-totalcorrelation-pef", "§9.5: total correlation of released engineers",
         "27 bins of equal width between the least and largest number of each release, in nats. "
         "Bins are not printed: these were found by trying, until the number before release came "
         "out.",
         engineers.total_correlations, ("pef",), same_table, FULL_ONLY),
)
CLAIMS: tuple[Claim, ...] = (
    *OF_FIGURES, *OF_TABLE_3, *OF_TEXT, *OF_PRIVACY, *OF_ENGINEERS)

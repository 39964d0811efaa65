"""P1's own coding of the survey: IPUMS's, which is not that of the excerpts that came later.

P1 names RACE, OWNERSHP and INCTOT. These are variables of IPUMS, which codes the same answers of
the same people differently. RACE has nine codes as RAC1P has, but others: Chinese and Japanese
stand apart from other Asians, two races apart from three or more, while all American Indians and
Alaska Natives are one. INCTOT is 9999999 where a question about income does not apply, so a child
earns more than $50,000 if nobody takes that code out. The excerpts do not say who among Asians is
Chinese or Japanese, nor who has three races or more: these are drawn, with the shares that they had
in the 2010 census.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sdc_core.data import Dataset
from sdc_core.histogram import Domain, Feature, Histogram

Ints = NDArray[np.int64]
Codes = NDArray[np.integer]

# Of people who are Asian alone, and of people of two races or more; 2010 census, briefs C2010BR-11
# (The Asian Population) and C2010BR-13 (The Two or More Races Population).
CHINESE, JAPANESE, THREE_OR_MORE = 0.23, 0.05, 0.08
RICH = 50_000.0

RACE = Feature(
    "RACE", "Race (IPUMS)", tuple("123456789"),
    ("White", "Black", "American Indian or Alaska Native", "Chinese", "Japanese",
     "Other Asian or Pacific Islander", "Other race", "Two major races", "Three or more races"),
)
INCOME = Feature("INCTOT", "Earns more than $50,000 or has no income asked", ("0", "1"),
                 ("no", "yes or not asked"))
SAME = ("PUMA", "SEX", "OWN_RENT")  # coded alike
_DRAWN = 20_230_000  # seeds of who is drawn to be what


def ipums_race(data: Dataset, draw: int = 0) -> Ints:
    """Positions in RACE; those that the excerpt does not tell apart are drawn."""
    codes, feature = data.coded("RAC1P", "dictionary")
    answers = np.array([int(value) for value in feature.values])[codes]
    chance = np.random.default_rng(_DRAWN + draw).random(len(answers))
    asian = np.select([chance < CHINESE, chance < CHINESE + JAPANESE], [4, 5], 6)
    several = np.where(chance < THREE_OR_MORE, 9, 8)
    recoded = np.select(
        [answers <= 2, answers <= 5, answers == 6, answers == 7, answers == 8],
        [answers, 3, asian, 6, 7], several)
    return (recoded - 1).astype(np.int64)


def ipums_income(data: Dataset) -> Ints:
    """More than $50,000, as a code of 9999999 for those who were not asked would have it."""
    income = data.records["PINCP"].to_numpy(dtype=np.float64)
    return (np.isnan(income) | (income > RICH)).astype(np.int64)


def ipums_columns(data: Dataset, draw: int = 0) -> list[tuple[Codes, Feature]]:
    """Place, race, sex, tenure and income of everybody."""
    place, sex, tenure = (data.coded(name, "observed") for name in SAME)
    return [place, (ipums_race(data, draw), RACE), sex, tenure, (ipums_income(data), INCOME)]


def ipums_table(data: Dataset, draw: int = 0, people: Ints | None = None) -> Histogram:
    """The table of five features as P1's data would give it; of some people only (with repeats),
    where they are named."""
    columns = ipums_columns(data, draw)
    chosen = slice(None) if people is None else people
    domain = Domain(tuple(feature for _, feature in columns), SAME)
    return Histogram.from_codes([np.asarray(codes)[chosen] for codes, _ in columns], domain)

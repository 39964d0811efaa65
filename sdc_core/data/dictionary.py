"""What the columns and codes of the census excerpts mean, in plain words.

Facts follow the ACS 2019 documentation as given with the NIST Diverse Community Excerpts; the
wording is the project's own and short enough for a chart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["categorical", "numeric", "identifier"]

NOT_APPLICABLE = "N"


@dataclass(frozen=True)
class ColumnWords:
    """A column's title, kind, and what its codes mean (in the order they should appear)."""

    title: str
    kind: Kind = "categorical"
    values: Mapping[str, str] = field(default_factory=dict)
    not_applicable: str = "not applicable"
    unit: str = ""


PLACES: dict[str, str] = {
    "25-00503": "Waltham–Lexington–Burlington",
    "25-00703": "Salem–Beverly–Gloucester",
    "25-01000": "Peabody–Danvers–Reading",
    "25-01300": "Billerica–Andover–Tewksbury",
    "25-02800": "Woburn–Melrose–Saugus",
    "48-02101": "Ellis County, Texas",
    "48-02102": "Johnson County, Texas",
    "48-02507": "Arlington (west), Texas",
    "48-02510": "North Richland Hills–Keller, Texas",
    "48-02515": "Fort Worth (west), Texas",
    # so in the Census Bureau's boundaries; the excerpts' dictionary says southwest and Benbrook
    "48-02516": "Fort Worth (northwest)–Saginaw, Texas",
    "01-01301": "Birmingham (west), Alabama",
    "06-07502": "San Francisco (North Beach–Chinatown)",
    "06-08507": "Cupertino–Saratoga–Los Gatos, California",
    "08-00803": "Boulder, Colorado",
    "13-04600": "Atlanta (central), Georgia",
    "17-03529": "Chicago (Hyde Park–South Shore)",
    "17-03531": "Chicago (Auburn Gresham–Roseland)",
    "19-01700": "Des Moines, Iowa",
    "24-01004": "Bethesda–Potomac, Maryland",
    "26-02702": "Ann Arbor, Michigan",
    "28-01100": "Jackson (east and central), Mississippi",
    "29-01901": "St. Louis (north), Missouri",
    "30-00600": "Eastern Montana",
    "32-00405": "Las Vegas (southeast), Nevada",
    "36-03710": "Bronx (Hunts Point–Melrose)",
    "36-04010": "Brooklyn (East Flatbush)",
    "38-00100": "Western North Dakota–Minot",
    "40-00200": "Cherokee–Sequoyah–Adair, Oklahoma",
    "51-01301": "Arlington (north), Virginia",
    "51-51255": "Alexandria, Virginia",
}

_YES_NO = {"1": "yes", "2": "no"}

COLUMNS: dict[str, ColumnWords] = {
    "PUMA": ColumnWords("Place", values=PLACES),
    "RAC1P": ColumnWords(
        "Race",
        values={
            "1": "White",
            "2": "Black",
            "3": "American Indian",
            "4": "Alaska Native",
            "5": "American Indian or Alaska Native, tribe not given",
            "6": "Asian",
            "7": "Native Hawaiian or Pacific Islander",
            "8": "Some other race",
            "9": "Two or more races",
        },
    ),
    "SEX": ColumnWords("Sex", values={"1": "male", "2": "female"}),
    "OWN_RENT": ColumnWords(
        "Housing tenure",
        values={"0": "in group quarters", "1": "owning", "2": "renting"},
    ),
    "INCOME_50K": ColumnWords(
        "Income of $50,000 or more",
        values={"0": "under $50,000", "1": "$50,000 or more"},
    ),
    "AGE_BIN": ColumnWords("Age, five groups"),
    "AGEP": ColumnWords("Age", kind="numeric", unit="years"),
    "MSP": ColumnWords(
        "Marital status",
        values={
            "1": "married, living together",
            "2": "married, living apart",
            "3": "widowed",
            "4": "divorced",
            "5": "separated",
            "6": "never married",
            "N": "under 15",
        },
    ),
    "HISP": ColumnWords(
        "Hispanic origin",
        values={
            "0": "not Hispanic",
            "1": "Mexican",
            "2": "Puerto Rican",
            "3": "Cuban",
            "4": "other Hispanic",
        },
    ),
    "HOUSING_TYPE": ColumnWords(
        "Kind of housing",
        values={"1": "household", "2": "institution", "3": "other group quarters"},
    ),
    "INDP_CAT": ColumnWords(
        "Industry",
        values={
            "0": "farming, forestry, fishing",
            "1": "mining, oil and gas",
            "2": "utilities",
            "3": "construction",
            "4": "manufacturing",
            "5": "wholesale",
            "6": "retail",
            "7": "transport, warehousing",
            "8": "information",
            "9": "finance, insurance, property",
            "10": "professional, technical",
            "11": "education",
            "12": "health care",
            "13": "social assistance",
            "14": "arts, hotels, food",
            "15": "other services",
            "16": "public administration",
            "17": "military",
            "18": "unemployed",
            "N": "under 16 or long out of work",
        },
    ),
    "EDU": ColumnWords(
        "Education",
        values={
            "1": "no schooling",
            "2": "nursery or kindergarten",
            "3": "grades 1–8",
            "4": "grades 9–12, no diploma",
            "5": "high-school diploma",
            "6": "GED",
            "7": "some college",
            "8": "associate degree",
            "9": "bachelor's degree",
            "10": "master's degree",
            "11": "professional degree",
            "12": "doctorate",
            "N": "under 3",
        },
    ),
    "PINCP": ColumnWords("Income", kind="numeric", unit="dollars", not_applicable="under 15"),
    "PINCP_DECILE": ColumnWords(
        "Income tenth",
        values={
            **{str(d): f"income tenth {d + 1}" for d in range(10)},
            "N": "under 15",
        },
    ),
    "POVPIP": ColumnWords(
        "Income against poverty line", kind="numeric", unit="% of poverty line"
    ),
    "PWGTP": ColumnWords("Survey weight", kind="numeric", unit="people"),
    "WGTP": ColumnWords("Household survey weight", kind="numeric", unit="households"),
    "DENSITY": ColumnWords("Population density", kind="numeric", unit="people per square mile"),
    "NOC": ColumnWords("Own children in household", kind="numeric", unit="children"),
    "NPF": ColumnWords("People in family", kind="numeric", unit="people"),
    "INDP": ColumnWords("Detailed industry code", kind="identifier"),
    "DVET": ColumnWords("Veteran disability rating"),
    "DREM": ColumnWords("Difficulty remembering", values={**_YES_NO, "N": "under 5"}),
    "DPHY": ColumnWords("Difficulty walking", values={**_YES_NO, "N": "under 5"}),
    "DEYE": ColumnWords("Difficulty seeing", values=_YES_NO),
    "DEAR": ColumnWords("Difficulty hearing", values=_YES_NO),
}

"""What the columns and codes of the census excerpts mean, in plain words.

Facts follow the ACS 2019 documentation as given with the NIST Diverse Community Excerpts; the
wording is the project's own and short enough for a chart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sdc_core.data.schema import Role, Type

NOT_APPLICABLE = "N"
FIVE_FEATURES = ("PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K")  # what the papers count by


@dataclass(frozen=True)
class ColumnWords:
    """A column's title, type, role, and what its codes mean (in the order they should appear).

    Numbers have the edges of their bins: bins that are fixed beforehand tell nothing about the
    data. `may_be_missing` says whether a number can be missing at all.
    """

    title: str
    type: Type = Type.CODE
    values: Mapping[str, str] = field(default_factory=dict)
    not_applicable: str = "not applicable"
    unit: str = ""
    edges: tuple[float, ...] = ()
    may_be_missing: bool = False
    role: Role = Role.QUASI
    note: str = ""


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
AGES = (18.0, 35.0, 50.0, 65.0)

COLUMNS: dict[str, ColumnWords] = {
    "PUMA": ColumnWords("Place", values=PLACES, role=Role.PLACE),
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
        "Income of $50,000 or more", role=Role.SENSITIVE,
        values={"0": "under $50,000", "1": "$50,000 or more"},
    ),
    "AGE_BIN": ColumnWords(
        "Age, five groups",
        values={
            "0": "aged under 18",
            "1": "aged 18–34",
            "2": "aged 35–49",
            "3": "aged 50–64",
            "4": "aged 65 or more",
        },
    ),
    "AGEP": ColumnWords("Age", type=Type.WHOLE, unit="years", edges=AGES),
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
    "PINCP": ColumnWords(
        "Income", type=Type.WHOLE, role=Role.SENSITIVE, unit="dollars", not_applicable="under 15",
        edges=(10_000.0, 25_000.0, 50_000.0, 100_000.0), may_be_missing=True,
    ),
    "PINCP_DECILE": ColumnWords(
        "Income tenth", role=Role.SENSITIVE,
        values={
            **{str(d): f"income tenth {d + 1}" for d in range(10)},
            "N": "under 15",
        },
    ),
    "POVPIP": ColumnWords(
        "Income against poverty line", type=Type.WHOLE, unit="% of poverty line",
        role=Role.SENSITIVE,
        edges=(100.0, 200.0, 300.0, 501.0), may_be_missing=True,
    ),
    "PWGTP": ColumnWords(
        "Survey weight", type=Type.WHOLE, unit="people", edges=(50.0, 80.0, 110.0, 160.0),
        role=Role.WEIGHT,
    ),
    "WGTP": ColumnWords(
        "Household survey weight", type=Type.WHOLE, unit="households",
        edges=(50.0, 80.0, 110.0, 160.0), role=Role.IGNORED,  # the weight is that of people
    ),
    "DENSITY": ColumnWords(
        "Population density", type=Type.NUMBER, unit="people per square mile",
        edges=(500.0, 2_000.0, 5_000.0, 20_000.0),
    ),
    "NOC": ColumnWords(
        "Own children in household", type=Type.WHOLE, unit="children", edges=(1.0, 2.0, 3.0),
        may_be_missing=True,
    ),
    "NPF": ColumnWords(
        "People in family", type=Type.WHOLE, unit="people", edges=(3.0, 4.0, 5.0),
        may_be_missing=True,
    ),
    "INDP": ColumnWords(
        "Detailed industry code", role=Role.IGNORED,
        note="too many codes; use the industry categories",
    ),
    "DVET": ColumnWords(
        "Veteran disability rating", role=Role.SENSITIVE,
        values={
            "1": "rated 0%",
            "2": "rated 10–20%",
            "3": "rated 30–40%",
            "4": "rated 50–60%",
            "5": "rated 70% or more",
            "6": "rating not given",
            "N": "no rating",
        },
    ),
    "DREM": ColumnWords("Difficulty remembering", values={**_YES_NO, "N": "under 5"}),
    "DPHY": ColumnWords("Difficulty walking", values={**_YES_NO, "N": "under 5"}),
    "DEYE": ColumnWords("Difficulty seeing", values=_YES_NO),
    "DEAR": ColumnWords("Difficulty hearing", values=_YES_NO),
}

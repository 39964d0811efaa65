"""Words in the names of columns that tell what a column is, in several languages."""

from __future__ import annotations

import re
import unicodedata

# Words in names of columns, the likeliest first, without accents: English, German, French, Spanish,
# Italian, Portuguese, Dutch, Polish, the Scandinavian languages.
PLACE_WORDS = (
    "puma", "area", "place", "region", "district", "county", "municipality", "commune", "comune",
    "municipio", "gemeinde", "gemeente", "kommune", "kommun", "gmina", "town", "city", "stadt",
    "ville", "ciudad", "cidade", "citta", "ort", "ward", "tract", "province", "provincia",
    "provincie", "prowincja", "departement", "department", "departamento", "kreis", "landkreis",
    "bezirk", "bundesland", "state", "canton", "kanton", "regio", "regione", "zip", "zipcode",
    "postcode", "postal", "plz", "postleitzahl", "codepostal", "cp", "cap", "location", "nuts",
    "fips", "lau", "ags", "insee",
)
NO_PLACES = (  # a marital state, a floor area and a market cap are none
    "marital", "civil", "health", "mental", "employment", "status", "sex", "gender", "floor",
    "study", "subject", "field", "market", "mind", "emotional",
)
WEIGHTS = ("pwgtp", "weight", "weights", "wgt", "wt", "gewicht", "hochrechnungsfaktor", "poids",
           "peso", "pond", "ponderation", "waga", "vikt", "vaegt", "gewichtung", "expansion")
# Names that are a survey's weight as often as what a body or a thing weighs.
EITHER_WEIGHT = frozenset({
    "weight", "wt", "gewicht", "poids", "peso", "waga", "vikt", "vaegt",
})
OF_A_SURVEY = frozenset({
    "survey", "sample", "sampling", "design", "final", "person", "people", "household", "hh",
    "stichprobe", "enquete", "encuesta", "hochrechnung", "expansion",
})
BODIES = frozenset({  # measured beside a weight, they say what it is of
    "height", "hoehe", "groesse", "grosse", "koerpergroesse", "korpergrosse", "taille", "altura",
    "estatura", "altezza", "lengte", "wzrost", "bmi", "waist", "hip", "chest", "neck", "abdomen",
    "thigh", "biceps", "wrist", "fat", "blood", "pressure", "glucose", "cholesterol",
    "bloodpressure", "pulse", "calories", "length", "width", "diameter", "volume", "carat",
    "horsepower", "mpg", "kg", "lb", "lbs", "birth", "body", "koerper", "korper",
})
HOUSEHOLDS = ("household", "householdid", "hhid", "hh", "hid", "serialno", "serial", "haushalt",
              "haushaltsid", "menage", "hogar", "famiglia", "familia", "huishouden", "husholdning",
              "hushall", "gospodarstwo", "idhogar", "idmenage", "dwelling")
PERSONS = ("id", "personid", "pid", "person", "pnum", "nr", "ssn", "uuid", "key", "identifier",
           "lfd", "numero", "rowid", "respondent", "recordid", "index")
CODES = ("code", "kode", "codigo", "codice", "zip", "zipcode", "postcode", "plz", "postal", "cp",
         "fips", "puma", "nuts", "id", "nace", "isco", "icd", "sic", "naics", "indp", "occp",
         "lau", "ags", "insee", "postleitzahl", "codepostal", "cap", "tract", "key", "nr")
YEARS = ("year", "jahr", "annee", "ano", "anno", "jaar", "rok", "yr", "ar", "geburtsjahr",
         "birthyear")
SENSITIVE = (
    "income", "salary", "wage", "wages", "earnings", "pay", "pincp", "einkommen", "gehalt", "lohn",
    "revenu", "salaire", "ingreso", "ingresos", "salario", "renda", "reddito", "stipendio",
    "inkomen", "inkomst", "indkomst", "dochod", "disease", "diagnosis", "diagnose", "illness",
    "health", "krankheit", "gesundheit", "maladie", "sante", "enfermedad", "salud", "malattia",
    "hiv", "cancer", "religion", "religione", "politics", "party", "vote", "debt", "schulden",
    "dette", "deuda", "wealth", "vermogen", "benefits", "crime", "conviction", "disability",
    "handicap", "behinderung", "poverty",
)


def words(name: str) -> list[str]:
    """The words of a column's name, without accents: `PLZ_Wohnort`, `codePostal`, `hhID`."""
    plain = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = plain.encode("ascii", "ignore").decode()
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", plain)
    found = [w for w in re.split(r"[^a-z]+", apart.lower()) if w]
    return [*found, "".join(found)] if len(found) > 1 else found

"""Two files of one's own go through every question: a mixed one, as an analyst brings it, and an
excerpt of another year.

Proven here: every question answers both as they come; what it counts by, predicts, compares and
shares by follows the columns' roles (never the weight, never the household); every table is what
pandas counts; and what the answers say about the data is, too. The pages say the same.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.data import Role, Type
from sdc_core.data.catalogue import TWIN_DIRECTORY, own_dataset
from sdc_core.data.dictionary import COLUMNS, PLACES
from sdc_core.keep import keep_of
from sdc_core.questions import QUESTIONS, question
from sdc_core.questions.answer import Answer, Provenance
from sdc_core.questions.question import Arguments, Given, settle
from sdc_core.questions.work import Work
from tests import shown
from tests.mixed_file import NAME, mixed_file
from tests.page_driver import TWIN, answer, link, opened, uploaded

every_question = pytest.mark.parametrize("address", [q.address for q in QUESTIONS])

MIXED = mixed_file()
EXCERPT = "national2018.csv"
GONE = "38-00100"  # a place that the other year's file has nobody of


@lru_cache(maxsize=1)
def mixed() -> sdc.Dataset:
    return own_dataset(MIXED.content, NAME)


@lru_cache(maxsize=1)
def other_year() -> tuple[bytes, pd.DataFrame]:
    """The same columns as the twin's, other people: drawn from it, without one of its places."""
    twin = pd.read_csv(TWIN_DIRECTORY / "national2019-twin.csv", dtype=str, keep_default_na=False)
    drawn = twin[twin["PUMA"] != GONE].sample(5000, replace=True, random_state=18)
    return drawn.to_csv(index=False).encode(), drawn.reset_index(drop=True)


@lru_cache(maxsize=1)
def excerpt() -> sdc.Dataset:
    return own_dataset(other_year()[0], EXCERPT)


@lru_cache(maxsize=64)
def asked(address: str, of_excerpt: bool = False) -> Answer:
    data = excerpt() if of_excerpt else mixed()
    return sdc.ask(address, sdc.Study(data), work=Work(keep_of(data)))


def settled(address: str, study: sdc.Study) -> dict[str, str]:
    """What the question's controls are set to where nobody has set any."""
    given = Given(study)
    settle(question(address), given, Arguments({}))
    return dict(given.texts())


def facts(found: Answer) -> Provenance:
    assert found.provenance is not None
    return found.provenance


def chosen(found: Answer) -> dict[str, str]:
    return dict(facts(found).controls)


# ---------------------------------------------------------------- counted again, with pandas


def binned(values: pd.Series, edges: Sequence[float], last: str | None) -> pd.Series:
    """The number of the bin that each value lies in, from below; `last` where there is none."""
    found = pd.cut(values, [-np.inf, *edges, np.inf], right=False, labels=False)
    names = found.map(lambda bin: last if pd.isna(bin) else str(int(bin)))
    return pd.Series(names, index=values.index)


@lru_cache(maxsize=1)
def mixed_codes() -> pd.DataFrame:
    """What each record of the mixed file is counted as."""
    truth, data = MIXED.truth, mixed()
    days = (truth["Geburtsdatum"] - pd.Timestamp("1970-01-01")).dt.days
    return truth.assign(
        Geburtsdatum=binned(days, data.column("Geburtsdatum").edges, None),
        Einkommen=binned(truth["Einkommen"], data.column("Einkommen").edges, "N"),
        Kinder=truth["Kinder"].map(lambda n: f"{n:.0f}"),
    )


@lru_cache(maxsize=1)
def excerpt_codes() -> pd.DataFrame:
    """Numbers by the dictionary's edges; derived columns by hand, as the papers derive them."""
    records = other_year()[1].copy()
    income = pd.to_numeric(records["PINCP"], errors="coerce")
    age = pd.to_numeric(records["AGEP"])
    return records.assign(
        INCOME_50K=np.where(income >= 50_000, "1", "0"),
        AGE_BIN=pd.cut(age, [-1, 17, 34, 49, 64, 200], labels=False).astype(str),
    )


def assert_counted(data: sdc.Dataset, codes: pd.DataFrame, features: Sequence[str]) -> None:
    """Cell by cell, zeros included."""
    table = data.histogram(features)
    found = pd.Series(table.counts, pd.MultiIndex.from_product(
        [f.values for f in table.domain.features]))
    again = codes.groupby(list(features)).size()
    again.index = pd.MultiIndex.from_tuples(
        [one if isinstance(one, tuple) else (one,) for one in again.index])
    assert again.index.isin(found.index).all()
    pd.testing.assert_series_equal(
        found[found > 0].sort_index(), again.sort_index(), check_names=False, check_dtype=False)


# ---------------------------------------------------------------- the mixed file


def test_what_the_columns_of_the_mixed_file_are() -> None:
    read = {c.name: (c.role, c.type) for c in mixed().columns}
    assert read == {
        "Haushalt": (Role.HOUSEHOLD, Type.CODE), "PLZ": (Role.PLACE, Type.CODE),
        "Geschlecht": (Role.QUASI, Type.CODE), "Familienstand": (Role.QUASI, Type.CODE),
        "Geburtsdatum": (Role.QUASI, Type.DATE), "Kinder": (Role.QUASI, Type.CODE),
        "Einkommen": (Role.SENSITIVE, Type.NUMBER), "Gewicht": (Role.WEIGHT, Type.NUMBER),
    }
    assert mixed().default_features == ("Geschlecht", "Familienstand", "Einkommen")


@every_question
def test_every_question_answers_the_mixed_file_as_it_comes(address: str) -> None:
    """With everything where it belongs, and nothing that the answer itself calls wrong."""
    found = asked(address)
    assert found.panels and not [n for n in found.notices if n.tone == "error"]
    never = {"Haushalt", "Gewicht"}
    assert not never & set(facts(found).features)
    named = [name for text in chosen(found).values() for name in text.split(",")]
    assert not never & set(named)


WANTED = {  # what each question chooses on the mixed file
    "map": {"map_area": "PLZ", "map_view": "bars"},
    "funding": {"area": "PLZ", "group": ""},
    "swap_rate": {"match": "Geschlecht", "swap_variable": "Familienstand"},
    "subgroups": {"g_y": "Einkommen", "g_x": "Geburtsdatum", "g_by": "Geschlecht",
                  "groups": "weiblich,m%C3%A4nnlich"},
    "classification": {"p_target": "Einkommen", "p_by": "Geschlecht",
                       "p_from": "Geschlecht,Familienstand,Geburtsdatum,Kinder"},
    "reidentification": {"r_known": "Geschlecht,Familienstand", "r_sensitive": "Einkommen",
                         "r_group": "Geschlecht"},
}


@pytest.mark.parametrize("address", WANTED)
def test_what_is_chosen_follows_the_roles(address: str) -> None:
    found = chosen(asked(address))
    assert {name: found[name] for name in WANTED[address]} == WANTED[address]


@every_question
def test_the_mixed_file_is_counted_as_pandas_counts_it(address: str) -> None:
    """But for the number that is predicted, which is read as above or below (see below)."""
    names = facts(asked(address)).features
    if names != ("COUNTY", "TENURE"):  # that one is about the 1940 census
        assert_counted(mixed(), mixed_codes(), names)
        assert mixed().histogram(names).total == len(MIXED.truth)


def test_the_numbers_of_compare_are_those_of_pandas() -> None:
    """Hidden counts of 1 to 5 are published as 3."""
    sizes = mixed_codes().groupby(["Geschlecht", "Familienstand", "Einkommen"]).size()
    table = asked("compare").tables()["summary"].set_index("mechanism")
    error = table.loc["Suppression k=6"].iloc[0]
    assert error == pytest.approx((sizes[sizes < 6] - 3).abs().sum())
    worst = asked("compare").tables()["bias-by-count"]
    assert worst["true count"].gt(0).all() and len(worst) == len(sizes)
    said = asked("compare").panel("sizes").caption
    assert said.startswith(f"{len(MIXED.truth):,} people counted")
    assert f"in 90 groups, {90 - len(sizes)} of them empty." in said


def test_the_numbers_of_the_map_are_those_of_pandas() -> None:
    table = asked("map").tables()["map"].set_index("place")
    people = MIXED.truth["PLZ"].value_counts()
    assert len(table) == 800 and "01067" in table.index and "10670" in table.index
    assert table["people"].to_dict() == people.to_dict()
    sizes = mixed_codes().groupby(["PLZ", "Geschlecht", "Familienstand", "Einkommen"]).size()
    off = (sizes - 3).abs().where(sizes < 6, 0).groupby("PLZ").sum()
    hidden = next(c for c in table if c.startswith("2. Suppression k=6, error"))
    pd.testing.assert_series_equal(
        table[hidden].sort_index(), off.sort_index(), check_names=False, check_dtype=False,
        check_index_type=False)


def test_the_numbers_of_money_are_those_of_pandas() -> None:
    table = asked("funding").tables()["money"].set_index("place")
    people = MIXED.truth["PLZ"].value_counts()
    assert table["members"].to_dict() == people.to_dict()
    assert table["true amount"].to_dict() == pytest.approx(
        (1_000_000 * people / people.sum()).to_dict())


def test_the_numbers_about_single_people_are_those_of_pandas() -> None:
    sizes = mixed_codes().groupby(["Geschlecht", "Familienstand", "Einkommen"]).size()
    alone = asked("reidentification").tables()["unique-matches"]["unique people"]
    assert set(alone) == {(sizes == 1).sum()}
    empty = 1 - len(sizes) / (3 * 5 * 6)
    assert f"With {100 * empty:.0f}% of groups empty" in asked("sparsity").headline
    largest = MIXED.truth["Geschlecht"].value_counts().max()
    assert f"people who may exchange, which has {largest:,} (b)" in asked("swap_rate").more


def test_the_numbers_of_subgroups_are_those_of_pandas() -> None:
    """The line through income's bins by those of the date of birth, fitted again."""
    codes = mixed_codes()
    table = asked("subgroups").tables()["disparity"]
    for group in ("weiblich", "männlich"):
        members = codes[(codes["Geschlecht"] == group) & (codes["Einkommen"] != "N")]
        x, y = (members[n].astype(float) for n in ("Geburtsdatum", "Einkommen"))
        line = table[table["group"] == group].iloc[0]
        assert line["people"] == len(members)
        assert line["true slope"] == pytest.approx(np.polyfit(x, y, 1)[0])


def test_the_numbers_of_prediction_are_those_of_pandas() -> None:
    """Income is predicted as above or below the third of its four edges."""
    known = MIXED.truth.dropna(subset="Einkommen")
    edge = mixed().column("Einkommen").edges[2]
    above = (known["Einkommen"] >= edge).mean()
    table = asked("classification").tables()["prediction"].set_index("trained on")
    guess = table.loc[[n for n in table.index if "always" in n], "accuracy"].iloc[0]
    assert guess == pytest.approx(max(above, 1 - above))
    missing = len(MIXED.truth) - len(known)
    assert (f"{missing:,} of {len(MIXED.truth):,} people are left out: their einkommen is missing."
            in [n.text for n in asked("classification").notices])
    groups = asked("classification").tables()["prediction-groups"].set_index("group")["people"]
    assert groups.to_dict() == known["Geschlecht"].value_counts().to_dict()


# ---------------------------------------------------------------- an excerpt of another year


def test_an_excerpt_of_another_year_is_known_by_its_columns() -> None:
    """Labels and domain are the known ones, also of a place that nobody in the file is from."""
    data = excerpt()
    assert data.origin == "own" and data.default_features == (
        "PUMA", "RAC1P", "SEX", "OWN_RENT", "INCOME_50K")
    place = data.coded("PUMA")[1]
    national = [code for code in PLACES if code[:2] not in ("25", "48")]
    assert list(place.values) == national and GONE in place.values
    assert place.labels == tuple(PLACES[code] for code in national)
    assert data.coded("RAC1P")[1].labels == tuple(COLUMNS["RAC1P"].values.values())
    assert data.histogram(data.default_features).domain.read_off == ()
    assert data.weight == "PWGTP" and data.place == "PUMA"


@every_question
def test_every_question_answers_the_other_year_as_it_does_the_known_one(address: str) -> None:
    """The same choices on the same table; where places are chosen by hand, the known one is."""
    found = asked(address, True)
    assert found.panels and not [n for n in found.notices if n.tone == "error"]
    twin = sdc.load_dataset("national2019-twin")
    known = settled(address, sdc.Study(twin))
    here = chosen(found)
    assert here.pop("map_area", "PUMA") == "PUMA"
    here.pop("g_order", None)  # own categories can be put in order
    for name in ("in_person", "undo_block"):  # one of the file's own people, or of its places
        known.pop(name, None), here.pop(name, None)
    assert here == known


@every_question
def test_the_other_year_is_counted_as_pandas_counts_it(address: str) -> None:
    names = facts(asked(address, True)).features
    if names != ("COUNTY", "TENURE"):
        assert_counted(excerpt(), excerpt_codes(), names)


# ---------------------------------------------------------------- the pages


def test_one_visit_takes_the_mixed_file_through_every_page() -> None:
    """Given on the first page, it is on all of them, with the choices that Python makes."""
    app = uploaded(opened(TWIN), MIXED.content, NAME)
    for one in QUESTIONS:
        with shown.answers_of_pages() as answers:
            app.switch_page(f"../pages/{one.address}.py").run()
        assert not app.exception, (one.address, [e.value for e in app.exception])
        assert link(app)["data"].startswith("own"), one.address
        given, on_page = answers[-1]
        assert given.dataset.digest == mixed().digest
        assert on_page.headline in html.unescape(answer(app)), one.address
        assert given.texts() == chosen(asked(one.address)), one.address
        python = sdc.ask(
            one.address, sdc.Study(mixed(), methods=given.methods), given.texts(),
            work=Work(keep_of(mixed())))
        assert on_page.headline == python.headline, one.address

"""Which columns suit a purpose: by role, then by content, then by words; never nonsense.

Proven here on small files whose columns are known: the place is never sex; what is predicted is not
what nearly everybody answers alike; codes of places are no numbers; weights and ids are not chosen
for anything; and where nothing suits, the reader is asked.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest

import sdc_core as sdc
from sdc_core.data import Role
from sdc_core.data.dictionary import PLACES
from sdc_core.histogram import Feature, fewer_features
from sdc_core.questions import columns

TWIN = sdc.load_dataset("ma2019-twin")


def with_roles(data: sdc.Dataset, **roles: Role) -> sdc.Dataset:
    return data.with_columns(
        dataclasses.replace(data.column(name), role=role) for name, role in roles.items())


def people(rows: int = 600) -> pd.DataFrame:
    """Nothing in the names of these columns says what they are; `code` is where people live."""
    rng = np.random.default_rng(5)
    return pd.DataFrame({
        "geslacht": rng.choice(["1", "2"], rows),
        "code": rng.choice([f"0{i}" for i in range(9)], rows),
        "klasse": rng.choice(["1", "2", "3", "4"], rows), "x": rng.normal(50, 9, rows).round(2),
        "gewicht": rng.gamma(4, 20, rows).round(1),
        "z": rng.choice(["ja", "nee"], rows, p=[0.96, 0.04]),
    })


OWN = sdc.load_dataset(people())


# ---------------------------------------------------------------- places


def test_the_place_is_known_by_role_first() -> None:
    assert columns.place_of(TWIN) == "PUMA"
    declared = with_roles(OWN, klasse=Role.PLACE)
    assert columns.place_of(declared) == "klasse"
    assert columns.place_of(declared, len) == "klasse"  # whatever a boundary file has


def test_then_by_content_and_never_by_two_codes() -> None:
    """A file with areas 1 to 400: sex and class are among its codes, too; most are of the place."""
    assert OWN.place is None and columns.place_of(OWN) is None
    areas = {f"0{i}" for i in range(400)} | {str(i) for i in range(400)}

    def found(codes: object) -> int:
        return sum(code in areas for code in codes)  # type: ignore[attr-defined]

    assert columns.place_of(OWN, found) == "code"
    without = sdc.load_dataset(people()[["geslacht", "x", "z"]])
    assert columns.place_of(without, found) is None  # 1 and 2 may be any yes and no
    secret = with_roles(sdc.load_dataset(people()[["klasse", "x"]]), klasse=Role.SENSITIVE)
    assert columns.place_of(secret, found) is None


def test_places_of_the_excerpts_are_known_by_their_codes_whatever_the_column_is_called() -> None:
    codes = [c for c in PLACES if c.startswith("25")]
    frame = people(50).assign(k=[codes[i % 5] for i in range(50)])
    data = sdc.load_dataset(frame)
    assert data.place == "k"
    forgotten = with_roles(data, k=Role.QUASI)  # a schema that does not say so
    assert forgotten.place is None and columns.place_of(forgotten) == "k"


def test_where_none_suits_the_reader_is_asked() -> None:
    asked = columns.one_of_them("c", "Column", {"a": "A", "b": "B"}, None)
    assert asked.default == columns.CHOOSE and asked.choices == ("", "a", "b")
    assert asked.titles[""] == "choose a column"
    known = columns.one_of_them("c", "Column", {"a": "A", "b": "B"}, "b")
    assert known.default == "b" and known.choices == ("a", "b")


@pytest.mark.parametrize("address", ["map", "funding"])
def test_questions_about_places_ask_for_one(address: str) -> None:
    found = sdc.ask(address, sdc.Study(OWN))
    assert found.headline == "No column of this data is known to say where people live."
    assert "Choose" in found.more and found.panels == ()
    control = {"map": "map_area", "funding": "area"}[address]
    chosen = sdc.ask(address, sdc.Study(OWN), {control: "code"})
    assert chosen.panels and "code" in chosen.provenance.features  # type: ignore[union-attr]


# ---------------------------------------------------------------- axes and groups


def test_what_can_stand_on_an_axis() -> None:
    assert {"PINCP_DECILE", "EDU", "AGE_BIN", "AGEP", "PINCP"} <= set(columns.ordered(TWIN))
    assert not {"RAC1P", "SEX", "PUMA", "PWGTP"} & set(columns.ordered(TWIN))
    assert columns.unordered(TWIN) == {}
    own = sdc.load_dataset(pd.DataFrame({
        "id": [f"p{i}" for i in range(1200)], "town": ["a", "b", None] * 400,
        "code": [1, 2, 10] * 400, "wage": np.linspace(0, 1, 1200), "one": ["x"] * 1200,
        "many": [f"v{i % 41}" for i in range(1200)], "two": [1, 2] * 600,
        "weight": np.linspace(1, 9, 1200), "sector": [i % 7 for i in range(1200)],
    }))
    assert own.weight == "weight" and own.place == "town"
    assert columns.ordered(own) == ["code", "wage", "sector"]
    assert columns.unordered(own) == {"town": ("a", "b"), "two": ("1", "2")}  # missing has no place
    placed = with_roles(own, town=Role.QUASI, sector=Role.PLACE)
    assert columns.ordered(placed) == ["code", "wage"]  # a place's number is a name


def test_codes_that_have_words_are_in_no_order_of_their_own() -> None:
    schema = sdc.Schema.from_dict({"columns": [
        {"name": "race", "values": {"1": "White", "2": "Black", "3": "Asian"}},
        {"name": "level", "values": {"1": "1", "2": "2", "3": "3"}}]})
    data = sdc.load_dataset(pd.DataFrame({"race": list("123") * 9, "level": list("231") * 9}))
    assert columns.ordered(data.with_schema(schema)) == ["level"]


def test_an_outcome_is_what_is_sensitive_and_a_number() -> None:
    names = ["EDU", "AGEP", "POVPIP", "PINCP_DECILE", "PINCP"]
    usual = ("PINCP_DECILE", "EDU")
    assert columns.outcomes_first(TWIN, names, usual)[:2] == ["PINCP_DECILE", "EDU"]
    assert columns.outcomes_first(TWIN, names, ()) == [
        "POVPIP", "PINCP", "PINCP_DECILE", "AGEP", "EDU"]


def axis(name: str, values: int, role: Role = Role.QUASI) -> Feature:
    texts = tuple(str(i) for i in range(values))
    return Feature(name, name, texts, texts, role=role)


def test_groups_are_few_and_of_what_an_outsider_may_know() -> None:
    found = [axis("town", 9, Role.PLACE), axis("job", 30), axis("pay", 5, Role.SENSITIVE),
             axis("sex", 2), axis("age", 5)]
    assert columns.groups_among(found, ()) == ["sex"]  # thirty jobs are too many for a chart
    assert columns.groups_among(found, ("age", "race", "job")) == ["age", "job"]
    assert columns.groups_among(found[:1], ()) == ["town"]
    assert columns.groups_among([axis("code", 800, Role.PLACE)], ()) == []


def test_what_an_outsider_knows_and_wants() -> None:
    found = [axis("pay", 5, Role.SENSITIVE), axis("town", 9, Role.PLACE), axis("age", 5),
             axis("factor", 5, Role.WEIGHT)]
    assert columns.sensitive_of(found) == "pay"
    assert columns.known_of(found, "pay") == ["town", "age"]
    assert columns.known_of(found, "pay", ("age", "sex")) == ["age"]
    plain = [axis("a", 2), axis("b", 2), axis("c", 2)]
    assert columns.sensitive_of(plain) == "c" and columns.known_of(plain, "c") == ["a", "b"]


def test_a_table_that_nobody_asked_for_stays_small() -> None:
    found = [axis("a", 10), axis("b", 20), axis("c", 30)]
    assert columns.small_enough(found, ["a", "b", "c"], 200) == ["a", "b"]
    assert columns.small_enough(found, ["c", "b", "a"], 10) == ["c"]


# ---------------------------------------------------------------- what is predicted


def answers(**share: float) -> sdc.Dataset:
    """Yes and no, with these shares of yes, among a thousand people; `x` tells nothing."""
    made = {n: np.where(np.arange(1000) < 1000 * p, "yes", "no") for n, p in share.items()}
    return sdc.load_dataset(pd.DataFrame({"x": list("abcd") * 250, **made}))


def predicted(data: sdc.Dataset) -> str | None:
    return columns.to_predict(data, tuple(columns.yes_or_no(data)), "INCOME_50K")


def test_nothing_is_predicted_that_nearly_everybody_answers_alike() -> None:
    assert predicted(answers(a=0.3, b=0.96)) == "a"
    assert predicted(answers(a=0.3, b=0.6)) == "b"  # outcomes stand last
    assert predicted(answers(a=0.04, b=0.96)) is None
    assert predicted(answers(a=0.3, health=0.2)) == "health"  # sensitive by its name
    assert predicted(answers(a=0.3, health=0.01)) == "a"
    assert predicted(TWIN) == "INCOME_50K"


def test_the_page_asks_what_to_predict_where_nothing_is_sensible() -> None:
    found = sdc.ask("classification", sdc.Study(answers(a=0.04, b=0.96)))
    assert found.headline.startswith("Choose what to predict: nothing in this data is marked as")
    assert found.panels == () and found.provenance is not None
    assert found.provenance.controls == {"p_target": ""} and found.provenance.methods == ()
    chosen = sdc.ask(
        "classification", sdc.Study(answers(a=0.04, b=0.96)), p_target="b", p_from="x")
    assert "prediction" in chosen.tables()


def test_a_sensitive_number_is_predicted_as_above_or_below_the_middle_of_its_edges() -> None:
    """By hand: edges 10, 20, 30 and 40; the third one divides."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({
        "sex": rng.choice(["f", "m"], 500), "income": rng.integers(0, 60, 500).astype(float)})
    frame.loc[::10, "income"] = np.nan
    schema = {"columns": [{"name": "sex"}, {
        "name": "income", "role": "sensitive", "type": "whole number",
        "edges": [10, 20, 30, 40], "may_be_missing": True}]}
    data = sdc.load_dataset(frame).with_schema(sdc.Schema.from_dict(schema))
    assert columns.yes_or_no(data) == {"sex": "sex", "income": "income: 30 or more"}
    assert predicted(data) == "income"
    found = sdc.ask("classification", sdc.Study(data, methods=[sdc.mechanism("suppression", k=1)]))
    assert found.provenance is not None and found.provenance.controls["p_from"] == "sex"
    known = frame.dropna()
    above = known["income"] >= 30
    most = max(above.mean(), 1 - above.mean())
    label = "income 30 or more" if above.mean() > 0.5 else "income under 30"
    assert f"always saying “{label}”" in found.more
    table = found.tables()["prediction"]
    guess = table.loc[table["trained on"].str.contains("always"), "accuracy"]
    assert guess.iloc[0] == pytest.approx(most)
    by_hand = (known.assign(above=above).groupby("sex")["above"].agg(["sum", "size"]))
    right = np.maximum(by_hand["sum"], by_hand["size"] - by_hand["sum"]).sum() / len(known)
    truth = table.loc[table["trained on"].str.contains("truth"), "accuracy"].iloc[0]
    assert truth == pytest.approx(right)
    assert [n.text for n in found.notices] == [
        f"{500 - len(known)} of 500 people are left out: their income is missing."]


def test_a_yes_or_no_with_gaps_can_be_predicted() -> None:
    frame = pd.DataFrame({"x": list("ab") * 60, "work": ["yes", "no", None] * 40})
    data = sdc.load_dataset(frame)
    assert list(columns.yes_or_no(data)) == ["x", "work"]
    found = sdc.ask("classification", sdc.Study(data), p_target="work", p_from="x")
    assert [n.text for n in found.notices if "left out" in n.text] == [
        "40 of 120 people are left out: their work is missing."]


# ---------------------------------------------------------------- methods


@pytest.fixture
def mixed() -> sdc.Histogram:
    frame = people().rename(columns={"code": "region", "x": "income"})
    data = sdc.load_dataset(frame)
    assert (data.place, data.weight) == ("region", "gewicht")
    return data.histogram(["geslacht", "klasse", "region", "income"])


def test_a_mechanism_takes_what_the_table_has_by_role(mixed: sdc.Histogram) -> None:
    for name in ("swapping", "dp-swapping", "dp-swapping-uniform", "k-anonymity", "dp-k-anonymity"):
        suited = sdc.mechanism(name).suited_to(mixed)
        assert suited.settings()["quasi_identifiers"] == ("geslacht", "klasse", "region"), name
    swapped = sdc.mechanism("permutation-swapping").suited_to(mixed).settings()
    assert (swapped["match"], swapped["swap"], swapped["hold"]) == (("geslacht",), ("region",), ())
    assert sdc.mechanism("topdown").suited_to(mixed).settings()["geography"] == ("region",)


def test_what_somebody_chose_stays(mixed: sdc.Histogram) -> None:
    told = sdc.mechanism("permutation-swapping", swap=("geslacht",)).suited_to(mixed)
    assert told.settings()["swap"] == ("geslacht",) and told.settings()["match"] == ("klasse",)
    fine = sdc.mechanism("k-anonymity", quasi_identifiers=("income",))
    assert fine.suited_to(mixed) == fine
    census = TWIN.histogram(TWIN.default_features)
    for name in ("swapping", "k-anonymity", "permutation-swapping", "topdown", "laplace"):
        assert sdc.mechanism(name).suited_to(census) == sdc.mechanism(name)


def test_methods_named_alone_work_on_any_data() -> None:
    data = sdc.load_dataset(people().rename(columns={"code": "region"}))
    found = sdc.ask("compare", sdc.Study(data, ["geslacht", "klasse", "region"],
                                         methods=[sdc.mechanism("k-anonymity", k=5)]))
    assert found.provenance is not None
    assert "quasi_identifiers=('geslacht', 'klasse')" in found.provenance.methods[0]  # one stays


# ---------------------------------------------------------------- what to drop


def test_what_to_drop_leaves_as_much_as_fits() -> None:
    """Of 2 · 30 · 9 · 12 groups up to 700 may stay: without b 216 would, without c 720."""
    domain = sdc.Domain((axis("a", 2), axis("b", 30), axis("c", 9), axis("d", 12)))
    assert fewer_features(domain, 700) == (
        "Count by fewer features: dropping d leaves 540.")
    assert fewer_features(domain, 300) == "Count by fewer features: dropping b leaves 216."
    assert fewer_features(domain, 110) == (
        "Count by fewer features: dropping a and b leaves 108.")
    placed = sdc.Domain((axis("a", 2), axis("b", 30, Role.PLACE), axis("c", 40)))
    assert fewer_features(placed, 80) == "Count by fewer features: dropping c leaves 60."
    assert fewer_features(placed, 50) == "Count by fewer features: dropping a and c leaves 30."
    assert fewer_features(domain, 1) == "Use fewer bins, or merge values."

"""What Prediction shows, read back: sentences, bars, charts and tables against models that are
trained a second time, with scikit-learn on single records."""

from __future__ import annotations

import dataclasses
import math
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.preprocessing import OneHotEncoder

import sdc_core as sdc
from sdc_core.curves import Curve
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics import classification as metrics
from sdc_core.metrics import classifiers
from sdc_core.parameters import EPSILON
from sdc_core.people import as_records
from sdc_core.questions.answer import Answer, Panel
from sdc_core.questions.classification import compute, figures, ranking, words
from sdc_core.questions.question import tunable_params
from sdc_core.questions.work import Work
from tests.contract import Contract
from tests.page_driver import TWIN, answer, link, opened, said, uploaded

# What links and scripts rely on; see tests/contract.py.
CONTRACT = Contract(
    slots=("m1", "m2", "m3", "m4"),
    controls=("p_target", "p_from", "p_by", "p_model", "p_also", "p_tune"),
    columns={
        "prediction": (
            "trained on", "accuracy", "balanced accuracy", "releases", "accuracy, standard error",
            "balanced accuracy, standard error",
        ),
        "prediction-groups": (
            "group", "people", "wrong, trained on the truth", "wrong, <method>",
            "wrong, <method>, standard error",
        ),
        "prediction-sweep": (
            "method", "epsilon", "accuracy", "accuracy, 10%", "accuracy, 90%", "balanced",
            "balanced, 10%", "balanced, 90%",
        ),
    },
    fewer={"classification.compute.PRESENT": 12, "classification.compute.REPETITIONS": 4},
)

PAGE = "../pages/classification.py"
FROM, BY, TARGET = ("race", "home", "school"), ("race",), "rich"
TASK: dict[str, Any] = {"p_target": TARGET, "p_from": FROM, "p_by": BY, "p_tune": "epsilon"}


def people() -> pd.DataFrame:
    """900 people: owners and the long at school are more often rich, Black people less often."""
    rng = np.random.default_rng(4)
    race = rng.choice(["White", "Black", "Asian", "Other"], 900, p=[0.55, 0.27, 0.15, 0.03])
    sex = rng.choice(["male", "female"], 900)
    home = rng.choice(["owning", "renting"], 900, p=[0.6, 0.4])
    school = rng.choice(["long", "middle", "short"], 900)
    odds = (1.6 * (home == "owning") - 1.0 * (race == "Black") + 1.2 * (school == "long")
            - 1.1 * (school == "short") - 0.6)
    rich = np.where(rng.random(900) < 1 / (1 + np.exp(-odds)), "rich", "poor")
    return pd.DataFrame({"race": race, "sex": sex, "home": home, "school": school, "rich": rich})


DATA = sdc.load_dataset(people())
SWAPPING = sdc.mechanism("swapping", swap_rate=0.6, quasi_identifiers=("race",))
LAPLACE = sdc.mechanism("laplace", epsilon=0.2)
SUPPRESSION = sdc.mechanism("suppression", k=40)
METHODS = (SWAPPING, SUPPRESSION, LAPLACE)
STUDY = sdc.Study(DATA, methods=METHODS)


class Again(NamedTuple):
    """Models trained again: each release's accuracies, and who of the real people it got wrong."""

    accuracy: NDArray[np.float64]
    balanced: NDArray[np.float64]
    wrong: NDArray[np.bool_]  # a row a release, a column a person

    def by(self, name: str) -> pd.DataFrame:
        """The share that is wrong in each group, a row a release."""
        groups = DATA.records[name].to_numpy()
        return pd.DataFrame({g: self.wrong[:, groups == g].mean(axis=1) for g in set(groups)})


def trained_again(
    released: Sequence[pd.DataFrame], predictors: Sequence[str] = FROM, target: str = TARGET
) -> Again:
    truth = DATA.records.astype(str)
    encoder = OneHotEncoder().fit(truth[list(predictors)])
    accuracy, balanced, wrong = [], [], []
    for records in released:
        model = LogisticRegression(solver="newton-cholesky", tol=1e-10)
        model.fit(encoder.transform(records[list(predictors)]), records[target])
        guess = model.predict(encoder.transform(truth[list(predictors)]))
        accuracy.append(accuracy_score(truth[target], guess))
        balanced.append(balanced_accuracy_score(truth[target], guess))
        wrong.append(guess != truth[target].to_numpy())
    return Again(np.array(accuracy), np.array(balanced), np.array(wrong))


def releases(
    method: Mechanism, counted_by: Sequence[str] = (*FROM, TARGET), number: int = 100, seed: int = 7
) -> list[pd.DataFrame]:
    table = DATA.histogram(counted_by)
    rows = sdc.released_people(method, table, number, seed)
    return [as_records(row, table.domain) for row in rows]


@pytest.fixture(scope="module")
def again() -> dict[Mechanism, Again]:
    return {m: trained_again(releases(m)) for m in METHODS}


@pytest.fixture(scope="module")
def truth() -> Again:
    return trained_again([DATA.records])


@pytest.fixture(scope="module")
def asked() -> Answer:
    return sdc.ask("classification", STUDY, TASK)


def shown(share: float) -> str:
    return f"{100 * share:.1f}%"


def in_points(share: float) -> str:
    number = f"{100 * share:.1f}".removesuffix(".0")
    return f"{number} point{'' if number == '1' else 's'}"


def shown_apart(one: float, other: float) -> str:
    """The difference that a reader gets who subtracts the two as they are written."""
    tenths = round(1000 * one) - round(1000 * other)
    return in_points(tenths / 1000)


# ---------------------------------------------------------------- the sentences


def told_apart(differences: NDArray[np.float64] | pd.Series) -> bool:
    """Beyond two standard errors, and at least 0.2 points."""
    runs = np.asarray(differences)
    mean, error = runs.mean(), runs.std(ddof=1) / math.sqrt(len(runs))
    return bool(abs(mean) > 2 * error and abs(mean) >= 0.002)


def test_the_headline(asked: Answer, again: dict[Mechanism, Again], truth: Again) -> None:
    """The first method against truth and guessing, and the large group whose errors grow most, if
    that is beyond chance and the others' grow less beyond chance."""
    first = again[SWAPPING]
    share = (DATA.records[TARGET] == "rich").mean()
    assert share > 0.5  # so that always saying “rich” is the better guess
    assert asked.headline.startswith(
        f"After swapping similar records (60%), a model is right for "
        f"{shown(first.accuracy.mean())} of people instead of {shown(truth.accuracy[0])}, and "
    )
    assert len(asked.headline) <= 165 and asked.more.parts[0] == (
        "Trained on a release and asked about the real people, on average; always saying “rich” is "
        f"right for {shown(share)}.")
    more = first.by("race") - truth.by("race").iloc[0]
    sizes = DATA.records["race"].value_counts()
    assert more.mean().idxmax() == "Other" and sizes["Other"] < 30  # hit harder, but too few
    grown = more[[g for g in sizes.index if sizes[g] >= 100 and told_apart(more[g])]]
    grown = grown[grown.mean().sort_values(ascending=False).index]
    top, *rest = grown.columns[grown.mean() > 0]
    level = [top, *(g for g in rest if not told_apart(grown[top] - grown[g]))]
    often = shown_apart(first.by("race")[top].mean(), truth.by("race")[top][0])
    assert asked.headline.endswith(f"{often} more often wrong about people listed as “{top}”.")
    said = "; ".join(
        f"for people listed as “{g}” ({sizes[g]} people) it is wrong "
        f"{shown(first.by('race')[g].mean())} of the time instead of "
        f"{shown(truth.by('race')[g][0])}" for g in level)
    assert asked.more.parts[1] == f"F{said[1:]}."


def test_which_method_costs_least(asked: Answer, again: dict[Mechanism, Again]) -> None:
    ranked = sorted(METHODS, key=lambda m: again[m].accuracy.mean())
    worst, middle, best = ranked
    assert worst is not METHODS[0] and best is not METHODS[-1]
    for one, other in ((best, middle), (best, worst)):
        assert told_apart(again[one].accuracy - again[other].accuracy)
    behind = [m for m in METHODS if m is not best]
    shares = [shown(again[m].accuracy.mean()) for m in (worst, middle)]
    assert asked.more.parts[-1].startswith(
        f"Of these methods, {best.spoken()} costs least ({shown(again[best].accuracy.mean())} "
        f"right); {behind[0].spoken()} and {behind[1].spoken()} cost more ({shares[0]} to "
        f"{shares[1]} right)")
    span = shown_apart(again[best].accuracy.mean(), again[worst].accuracy.mean())
    assert asked.more.endswith(
        f"right); {LAPLACE.spoken()} also puts people into groups that have nobody, "
        f"{SUPPRESSION.spoken()} leaves those at 0. All lie within {span} of each other.")


@pytest.mark.parametrize("empty", ["left", "treated"])
def test_no_seed_ranks_what_another_reverses(empty: str) -> None:
    """Seeds 0 to 11, four methods on the twin of Massachusetts: whoever is said to cost more does
    so over all 1,200 releases, and no seed says the opposite; so with groups that are hurt."""
    data = sdc.load_dataset("ma2019-twin")
    features = ("RAC1P", "AGE_BIN", "SEX", "OWN_RENT", "INCOME_50K")
    table = data.histogram(features, "dictionary")
    what = metrics.Task(table.domain, features[:-1], "INCOME_50K")
    study = sdc.Study(data, empty_groups=empty)
    methods = [study.treated(m) for m in (
        sdc.mechanism("laplace", epsilon=0.4), sdc.mechanism("geometric", epsilon=0.4),
        sdc.mechanism("dp-suppression"), sdc.mechanism("suppression"))]
    accuracy: dict[str, list[NDArray[np.float64]]] = {m.label(): [] for m in methods}
    ahead: set[tuple[str, str]] = set()
    against = metrics.truth_and_guessing(table, what, classifiers.MODELS["logistic"])
    before = metrics.errors_by_group(table, what, against.truth.learnt, ("RAC1P", "SEX"))
    hurt: set[tuple[str, str]] = set()
    grown: dict[tuple[str, str], list[float]] = {}
    for seed in range(12):
        trained = [
            metrics.Trained(m, compute.learnt(m, table, compute.PRESENT, seed, what,
                                              classifiers.MODELS["logistic"]))
            for m in methods
        ]
        found = ranking.standing(trained)
        said = words.cost_sentence(trained)
        assert (len(found.first) == len(trained)) == said.startswith("No telling ")
        assert len(found.first) == 1 or found.behind == [] or "no telling which" in said
        for one in trained:
            label = one.mechanism.label()
            accuracy[label].append(one.scores.accuracy)
            after = metrics.errors_by_group(table, what, one.scores.learnt, ("RAC1P", "SEX"))
            shifts = metrics.group_shifts(before, after)
            for shift in shifts:
                grown.setdefault((label, str(shift.labels)), []).append(shift.more.mean)
            hurt |= {(label, str(s.labels)) for s in ranking.hurt(shifts)}
        for behind in found.behind:
            ahead |= {(b.mechanism.label(), behind.method.mechanism.label()) for b in behind.than}
    means = {label: np.concatenate(runs).mean() for label, runs in accuracy.items()}
    assert ahead and hurt
    assert not [pair for pair in ahead if pair[::-1] in ahead]
    assert all(means[best] > means[worst] for best, worst in ahead)
    assert all(np.mean(grown[one]) > 0 for one in hurt)


def test_the_usual_methods_are_level_whatever_the_seed(
    real_data: Callable[[str], sdc.Dataset]
) -> None:
    """Massachusetts as the page starts: no seed of 0 to 11 makes one of them the cheapest."""
    features = ("RAC1P", "AGE_BIN", "SEX", "OWN_RENT", "INCOME_50K")
    study = sdc.Study(real_data("ma2019"))
    table = study.count(features)
    what = metrics.Task(table.domain, features[:-1], "INCOME_50K")
    for seed in range(12):
        said = words.cost_sentence([
            metrics.Trained(m, compute.learnt(m, table, compute.PRESENT, seed, what,
                                              classifiers.MODELS["logistic"]))
            for m in map(study.treated, (
                sdc.mechanism("laplace"), sdc.mechanism("discrete-gaussian"),
                sdc.mechanism("dp-suppression"), sdc.mechanism("suppression")))
        ])
        assert said.startswith(
            "No telling adding noise (ε = 1), adding bell-shaped noise (ε = 1), hiding below a "
            "noisy limit (ε = 1, k = 6) and hiding small counts (k = 6) apart")


def runs_of(mean: float, spread: float = 0.0, number: int = 20) -> NDArray[np.float64]:
    """As many releases below the mean as above it: its standard error is spread / √(number − 1)."""
    return mean + spread * np.resize([1.0, -1.0], number)


def scored(name: str, accuracy: float, spread: float = 0.0, number: int = 20,
           **settings: Any) -> metrics.Trained:
    runs = runs_of(accuracy, spread, number)
    return metrics.Trained(sdc.mechanism(name, **settings), metrics.Scores(
        runs, runs, np.zeros((number, 1), dtype=bool)))


def held_against(truth: float = 0.8, guessing: float = 0.6) -> metrics.TruthAndGuessing:
    return metrics.TruthAndGuessing(scored("laplace", truth).scores, truth, guessing, "poor")


def shift_of(more: float, spread: float = 0.0, number: int = 20,
             labels: tuple[str, ...] = ("Black", "female")) -> metrics.GroupShift:
    return metrics.GroupShift(labels, 140, 0.25, runs_of(0.25 + more, spread, number))


def test_methods_that_cannot_be_told_apart_are_not_ranked() -> None:
    names = ("suppression", "laplace", "geometric")
    level = [scored(n, 0.8) for n in names]
    assert words.cost_sentence(level) == (
        "No telling hiding small counts (k = 6), adding noise (ε = 1) and adding whole-number "
        "noise (ε = 1) apart (80.0% right): they differ by less than 0.2 points, or by no more "
        "than chance.")
    tiny = [*level[:2], scored("geometric", 0.7982)]  # beyond chance, but nothing to choose by
    assert "apart (79.8% to 80.0% right): they differ" in words.cost_sentence(tiny)
    noisy = [level[0], level[1], scored("geometric", 0.79, spread=0.03)]  # 1 point ± 0.69
    assert "apart (79.0% to 80.0% right): they differ" in words.cost_sentence(noisy)
    apart = [level[0], level[1], scored("geometric", 0.79, spread=0.02)]  # 1 point ± 0.46
    assert words.cost_sentence(apart) == (
        "Of these methods, hiding small counts (k = 6) or adding noise (ε = 1) costs least, no "
        "telling which (80.0% right); adding whole-number noise (ε = 1) costs more (79.0% right). "
        "All lie within 1 point of each other.")
    # one of them leaves empty groups at 0, the others do not: said where there are any
    kept = dataclasses.replace(
        apart[0], mechanism=sdc.mechanism("suppression", keep_zeros=True))
    assert ("costs more (79.0% right); adding noise (ε = 1) and adding whole-number noise (ε = 1) "
            "also put people into groups that have nobody, hiding small counts (k = 6) leaves "
            "those at 0. All lie") in (
        words.cost_sentence([kept, *apart[1:]], empty=3))
    assert "nobody" not in words.cost_sentence([kept, *apart[1:]], empty=0)
    assert "nobody" not in words.cost_sentence(apart, empty=3)  # all fill them
    assert words.cost_sentence(level[:1]) == "" == words.cost_sentence(
        [level[0], scored("laplace", math.nan)])


def test_methods_are_compared_release_by_release() -> None:
    """Two that swing together differ by the same in every release; against each other they do
    not."""
    together = [scored("laplace", 0.80, 0.1), scored("geometric", 0.79, 0.1)]
    assert words.cost_sentence(together).startswith(
        "Of these methods, adding noise (ε = 1) costs least")
    against = [together[0], scored("geometric", 0.79, -0.1)]
    assert "apart (79.0% to 80.0% right)" in words.cost_sentence(against)


def test_a_dp_version_beside_its_model_is_named_by_what_both_do() -> None:
    both = [scored("laplace", 0.8), scored("dp-suppression", 0.78), scored("suppression", 0.777)]
    assert words.cost_sentence(both[:1] + both[1:]) == (
        "Of these methods, adding noise (ε = 1) costs least (80.0% right); hiding below a noisy "
        "limit (ε = 1, k = 6) and hiding small counts (k = 6) cost more (77.7% to 78.0% right). "
        "All lie within 2.3 points of each other.")


def test_costs_more_than_whom_is_said_where_it_is_not_than_all() -> None:
    """AIM swings so much that it cannot be told apart from anything; swapping is behind Laplace."""
    some = [scored("laplace", 0.80), scored("aim", 0.795, 0.2),
            scored("swapping", 0.79, swap_rate=0.1), scored("swapping", 0.79, swap_rate=0.5)]
    assert words.cost_sentence(some) == (
        f"Of these methods, adding noise (ε = 1) or {some[1].mechanism.spoken()} costs least, no "
        "telling which (79.5% to 80.0% right); swapping similar records (10%) and swapping similar "
        "records (50%) cost more than adding noise (ε = 1) (79.0% right). All lie within 1 point "
        "of each other.")


@pytest.mark.parametrize("accuracy", [(0.8, 0.8, 20), (0.8, 0.7, 3), (0.8, 0.7, 20)])
def test_whoever_is_compared_is_said_to_treat_empty_groups_differently(
    accuracy: tuple[float, float, int]
) -> None:
    """Whether they can be told apart or not: noise fills empty groups, suppression may leave them
    at 0. Without an empty group there is nothing to say, nor where both fill them."""
    noise, hiding, number = accuracy
    for keep, empty, differ in ((True, 5, True), (True, 0, False), (False, 5, False)):
        both = [scored("laplace", noise, number=number),
                scored("suppression", hiding, number=number, keep_zeros=keep)]
        said = words.cost_sentence(both, empty)
        clause = (f"; adding noise (ε = 1) also puts people into groups that have nobody, "
                  f"{both[1].mechanism.spoken()} leaves those at 0.")
        assert (clause in said) is differ and ("nobody" in said) is differ


def test_nearly_all_is_not_written_as_all() -> None:
    """299,999 of 300,000 are not all, nor is one in 300,000 none."""
    assert words.tenths(1.0) == "100.0%" and words.tenths(0.0) == "0.0%"
    assert words.tenths(299_999 / 300_000) == "nearly 100%"
    assert words.tenths(1 / 300_000) == "nearly 0%"
    assert words.tenths(0.9994) == "99.9%" and words.tenths(0.726) == "72.6%"
    headline, _ = words.prediction_sentences(
        [scored("laplace", 0.99997)], held_against(truth=1.0), [[]])
    assert "is right for nearly 100% of people instead of 100.0%" in headline


def test_a_model_that_is_worse_than_no_model_is_said_to_be() -> None:
    headline, more = words.prediction_sentences(
        [scored("laplace", 0.55)], held_against(truth=0.8, guessing=0.6), [[shift_of(0.2)]])
    assert headline == (
        "After adding noise (ε = 1), a model is right for 55.0% of people instead of 80.0%, less "
        "often than by always saying “poor”.")
    assert "“poor” is right for 60.0%." in more and "For Black women (140 people)" in more
    level, _ = words.prediction_sentences([scored("laplace", 0.8)], held_against(), [[]])
    assert level.endswith("a model is right for 80.0% of people, as often as without it.")


@pytest.mark.parametrize(("number", "said"), [(1, "1 release of"), (3, "3 releases of"),
                                              (9, "9 releases of")])
def test_few_releases_rank_nothing(number: int, said: str) -> None:
    few = [scored("laplace", 0.8, number=number), scored("suppression", 0.7, number=number)]
    assert words.cost_sentence(few) == (
        f"From {said} each no method can be said to cost more or less than another (70.0% to 80.0% "
        "right).")
    headline, _ = words.prediction_sentences(few, held_against(), [[shift_of(0.2, number=number)]])
    assert "more often" not in headline


@pytest.mark.parametrize(("more", "spread", "named"), [
    (-0.05, 0.0, False), (0.0, 0.0, False), (0.0019, 0.0, False), (0.01, 0.0, True),
    # standard errors of 0.28 and 0.46: three are needed, since a group is picked from many
    (0.01, 0.012, True), (0.01, 0.02, False),
])
def test_a_group_that_fares_no_worse_beyond_chance_is_not_named(
    more: float, spread: float, named: bool
) -> None:
    headline, _ = words.prediction_sentences(
        [scored("laplace", 0.7)], held_against(), [[shift_of(more, spread)]])
    assert headline.endswith(
        "instead of 80.0%, and 1 point more often wrong about Black women." if named
        else "70.0% of people instead of 80.0%.")


def test_groups_that_cannot_be_told_apart_are_named_together() -> None:
    """Grown by 3, 2.9 ± 0.3, 1 and 0 points."""
    shifts = [shift_of(0.03, labels=("a",)), shift_of(0.029, 0.013, labels=("b",)),
              shift_of(0.01, labels=("c",)), shift_of(0.0, labels=("d",))]
    headline, more = words.prediction_sentences([scored("laplace", 0.7)], held_against(), [shifts])
    assert headline.endswith("and 3 points more often wrong about people listed as “a”.")
    assert more.endswith(
        "For people listed as “a” (140 people) it is wrong 28.0% of the time instead of 25.0%; for "
        "people listed as “b” (140 people) it is wrong 27.9% of the time instead of 25.0%.")
    many = [shift_of(0.03, labels=(name,)) for name in "abcd"]
    _, more = words.prediction_sentences([scored("laplace", 0.7)], held_against(), [many])
    assert more.count("of the time") == 2
    assert more.endswith("; no telling these apart from 2 more groups.")
    said = words.group_sentence(errors([500], [0.1]), [shifts], [scored("laplace", 0.7)])
    assert [s.wrong > s.before for s in shifts] == [True, True, True, False]
    assert said.endswith(" Wrong more often after the release, beyond chance, among groups of 100 "
                         "people or more: after adding noise (ε = 1), a (+3 points), b (+2.9 "
                         "points) and c (+1 point).")


def test_the_papers_finding_is_set_beside_ours() -> None:
    found = words.papers_sentence([
        scored("laplace", 0.74), scored("discrete-gaussian", 0.73, 0.05),
        scored("dp-suppression", 0.70), scored("dp-swapping", 0.75, 0.02, swap_rate=0.25)])
    assert found.endswith(
        "Here, with the age groups of the data, Laplace ε=1 is 4 points ahead of DP suppression "
        "ε=1 k=6 and 1 point behind DP swapping ε=1 25%; Discrete Gaussian ε=1 is 3 points ahead "
        "of DP suppression ε=1 k=6 and 2 points behind DP swapping ε=1 25%.")
    unsure = words.papers_sentence([scored("laplace", 0.74), scored("dp-swapping", 0.75, 0.05)])
    assert unsure.endswith("Laplace ε=1 is not to be told apart from DP swapping ε=1 25%.")


def test_the_paper_is_quoted_only_on_its_own_ground(
    real_data: Callable[[str], sdc.Dataset]
) -> None:
    """Das et al. 2024, Figure 4: Massachusetts, its task, methods and conventions."""
    study = sdc.Study(real_data("ma2019"))
    as_in: dict[str, Any] = {"as_in": "das-2024-figure-4"}
    found = sdc.ask("classification", study, **as_in)
    facts = found.provenance
    assert facts is not None and facts.empty_groups == "left"
    table = found.panel("prediction").table
    assert table is not None and table["trained on"].tolist()[:4] == [
        "Laplace ε=1", "Discrete Gaussian ε=1", "DP suppression ε=1 k=6",
        "DP swapping ε=1 25% (any donor)"]
    assert "quasi_identifiers=('RAC1P', 'SEX')" in facts.methods[3]
    assert "Das et al. (2024, Figure 4) find" in found.panel("prediction").caption
    twin = sdc.Study(sdc.load_dataset("ma2019-twin"))
    for other in (
        sdc.ask("classification", study), sdc.ask("classification", twin, **as_in),
        sdc.ask("classification", study, p_also=["PUMA"], **as_in),
        sdc.ask("classification", study, p_from=["RAC1P", "SEX"], **as_in),
    ):
        assert "Das et al." not in other.panel("prediction").caption
    tuned = sdc.ask("classification", study, p_tune="k", p_by=[], **as_in)  # not what is learnt
    assert "Das et al." in tuned.panel("prediction").caption


@pytest.mark.parametrize(
    ("unseen", "error", "said"),
    [(0.79, 0.004, "the test on its own people flatters it by 1 point."),
     (0.79, 0.006, "the test on its own people does not flatter it beyond chance."),
     (0.8, 0.0, "the test on its own people does not flatter it beyond chance."),
     (0.81, 0.001, "the test on its own people does not flatter it beyond chance.")])
def test_how_far_the_test_on_its_own_people_flatters(
    unseen: float, error: float, said: str
) -> None:
    against = dataclasses.replace(held_against(), unseen=unseen, unseen_se=error)
    note = words.precision_note([scored("laplace", 0.7, number=3)], against, 3000)
    assert note.startswith("Averages of 3 releases, thin lines one standard error.")
    assert f"{shown(unseen)} of people it has not seen: {said}" in note
    assert "right for 80.0% of the people it learnt from" in note
    assert note.endswith("What it gains over always saying “poor” is 20 points.")
    level = words.precision_note([scored("laplace", 0.7), scored("mst", 0.7, number=50)],
                                 held_against(0.6, 0.6), 3000)
    assert level.startswith("Averages of 20 or 50 releases") and "gains" not in level


@pytest.mark.parametrize(("unseen", "error", "people", "enough"), [
    (0.8, 0.0, 2, False), (0.3, 0.1, 4, False), (0.3, 0.1, 29, False),
    (0.3, 0.1, 30, True),  # 50 points, ± 10
    (0.79, 0.011, 3000, False), (0.79, 0.009, 3000, True),  # up to 2.2 and 1.8 points
    (0.8, 0.0, 149, False), (0.8, 0.0, 150, True),  # nobody of 150 excludes more than 2%
])
def test_few_people_do_not_tell_how_far_the_test_flatters(
    unseen: float, error: float, people: int, enough: bool
) -> None:
    against = dataclasses.replace(held_against(), unseen=unseen, unseen_se=error)
    note = words.precision_note([scored("laplace", 0.7)], against, people)
    said = f": {people:,} people are too few to say how far the test on its own people flatters it."
    assert (said in note) != enough


def test_two_people_are_too_few() -> None:
    frame = pd.DataFrame({"home": ["own", "rent"] * 2, "rich": ["yes", "no"] * 2})
    found = sdc.ask("classification", sdc.Study(sdc.load_dataset(frame), methods=[LAPLACE]))
    assert "4 people are too few to say how far" in found.panel("prediction").caption


# ---------------------------------------------------------------- right, against the truth


def bluish(colour: str) -> bool:
    return int(colour[1:3], 16) < int(colour[5:7], 16)


ROWS = ("Right about people", "Right, both answers counted alike")


def test_small_differences_are_drawn_as_differences(
    asked: Answer, again: dict[Mechanism, Again], truth: Again
) -> None:
    """Zero is the model that learnt from the truth; marks are points more or less, with a standard
    error to either side, and how often each is right stands beside its name."""
    (chart,) = asked.panel("prediction").figures
    yardstick, *marks = chart.data
    assert yardstick.name == "trained on the truth" and list(yardstick.x) == [0, 0]
    truths = [truth.accuracy[0], truth.balanced[0]]
    names = sorted(chart.layout.annotations, key=lambda note: note.y)
    assert [n.text.replace("<br>", " ") for n in names] == [
        f"{row}: {shown(share)} when trained on the truth"
        for row, share in zip(ROWS, truths, strict=True)]
    low, high = chart.layout.xaxis.range
    assert -low == high >= 1 and chart.layout.xaxis.title.text.endswith("percentage points")
    for method, mark in zip(METHODS, marks, strict=True):
        both = (again[method].accuracy, again[method].balanced)
        assert mark.name.replace("<br>", " ") == (
            f"{method.plain_label()}: {shown(both[0].mean())} right")
        for row, (runs, share) in enumerate(zip(both, truths, strict=True)):
            assert mark.x[row] == pytest.approx(100 * (runs.mean() - share))
            error = 100 * runs.std(ddof=1) / 10  # of 100 releases
            assert mark.error_x.array[row] == pytest.approx(error, abs=1e-9)
            assert mark.error_x.arrayminus[row] == pytest.approx(error, abs=1e-9)
            assert low < mark.x[row] - error and mark.x[row] + error < high
            less = runs.mean() <= share
            gap = shown_apart(*((share, runs.mean()) if less else (runs.mean(), share)))
            how = "as often" if shown(runs.mean()) == shown(share) else (
                f"{gap} {'less' if less else 'more'}")
            assert mark.text[row] == f"{method.plain_label()}: {shown(runs.mean())}, {how}"
        assert bluish(mark.marker.color) == (method is LAPLACE)


def test_a_method_that_is_chosen_twice_is_said_once() -> None:
    """Two cards of one method and two that differ in ε: none is held against itself, and of lines
    along ε, which the last two share, one is told."""
    other = LAPLACE.replace(epsilon=1.0)
    twice = sdc.Study(DATA, methods=[SUPPRESSION, SUPPRESSION, LAPLACE, other])
    found = sdc.ask("classification", twice, TASK)
    once = sdc.ask("classification", twice.with_methods([SUPPRESSION, LAPLACE, other]), TASK)
    assert (found.headline, found.more) == (once.headline, once.more)
    for panel in found.panels:
        assert panel.caption == once.panel(panel.name).caption
    assert found.panel("prediction-sweep").caption.count("after adding noise") == 1
    assert len(found.panel("prediction").figures[0].data) == 1 + 4  # each card has its mark


def test_gains_point_the_other_way_and_what_is_unknown_is_not_drawn() -> None:
    trained = [scored("laplace", 0.82), scored("geometric", 0.8004), scored("suppression", 0.79),
               scored("dp-suppression", math.nan)]
    chart = figures.right_against_truth(trained, held_against(0.8))
    _, *marks = chart.data
    assert [m.x[0] for m in marks] == pytest.approx([2, 0.04, -1])
    assert chart.layout.xaxis.title.text == "right more or less often, percentage points"
    assert [m.text[0].split(", ")[-1] for m in marks] == [
        "2 points more", "as often", "1 point less"]


def test_small_losses_look_small_and_are_what_a_reader_subtracts() -> None:
    """72.86% is written 72.9% and 72.64% is written 72.6%: 0.3 points, though 0.22 are lost."""
    trained = [scored("laplace", 0.7264), scored("suppression", 0.7277), scored("mst", 0.7288)]
    chart = figures.right_against_truth(trained, held_against(0.7286))
    _, *marks = chart.data
    assert [m.name.replace("<br>", " ").split(": ")[1] for m in marks] == [
        "72.6% right", "72.8% right", "72.9% right"]
    assert [m.text[0].split(", ")[-1] for m in marks] == [
        "0.3 points less", "0.1 points less", "as often"]
    assert chart.layout.xaxis.range[1] >= 1  # the scale does not end at a fifth of a point
    headline, _ = words.prediction_sentences(trained, held_against(0.7286), [[], [], []])
    assert "72.6% of people instead of 72.9%" in headline


def test_the_table_of_scores(asked: Answer, again: dict[Mechanism, Again], truth: Again) -> None:
    table = asked.panel("prediction").table
    assert table is not None
    assert tuple(table.columns) == CONTRACT.columns["prediction"]
    for method, (_, row) in zip(METHODS, table.iterrows(), strict=False):
        assert row["trained on"] == method.label() and row["releases"] == 100
        assert row["accuracy"] == pytest.approx(again[method].accuracy.mean())
        assert row["balanced accuracy"] == pytest.approx(again[method].balanced.mean())
        for name, runs in (("accuracy", again[method].accuracy),
                           ("balanced accuracy", again[method].balanced)):
            assert row[f"{name}, standard error"] == pytest.approx(
                runs.std(ddof=1) / 10, abs=1e-12)
    rest = table.iloc[len(METHODS):].set_index("trained on")
    assert rest.loc["the truth", "accuracy"] == pytest.approx(truth.accuracy[0])
    assert rest.loc["the truth", "balanced accuracy"] == pytest.approx(truth.balanced[0])
    guess = rest.loc["nothing: always “rich”"]
    assert guess["accuracy"] == pytest.approx((DATA.records[TARGET] == "rich").mean())
    assert guess["balanced accuracy"] == 0.5
    unseen = rest.loc["the truth, tested on people it has not seen", "accuracy"]
    assert f"for {shown(unseen)} of people it has not seen" in asked.panel("prediction").caption
    assert abs(unseen - truth.accuracy[0]) < 0.03 and unseen != truth.accuracy[0]


# ---------------------------------------------------------------- who is predicted wrong


def test_the_chart_of_groups(asked: Answer, again: dict[Mechanism, Again], truth: Again) -> None:
    (chart,) = asked.panel("prediction-groups").figures
    sizes = DATA.records["race"].value_counts()
    before = truth.by("race").iloc[0]
    means = {m: again[m].by("race").mean() for m in METHODS}
    drawn = sorted((g for g in sizes.index if sizes[g] >= 30), key=lambda g: -max(
        abs(mean[g] - before[g]) for mean in means.values()))  # those that change most first
    names = sorted(chart.layout.annotations, key=lambda note: note.y)
    assert [n.text.replace("<br>", " ") for n in names] == [
        f"{g}, {sizes[g]} people: wrong {shown(before[g])}"
        for g in drawn]
    top, bottom = chart.layout.yaxis.range[1], chart.layout.yaxis.range[0]
    assert top < 0 and bottom > len(drawn) - 1  # the axis runs downwards: the largest is on top
    assert chart.layout.xaxis.title.text == "wrong more or less often, percentage points"
    base, *marks = chart.data
    assert base.name == "trained on the truth: wrong as often as its name says"
    assert list(base.y) == [n.y for n in names]
    assert list(base.x) == [0] * len(drawn)
    assert [m.name.replace("<br>", " ") for m in marks] == [
        m.plain_label() for m in METHODS]
    for place, (method, mark) in enumerate(zip(METHODS, marks, strict=True)):
        runs = 100 * (again[method].by("race")[drawn] - before[drawn])
        assert list(mark.x) == pytest.approx(runs.mean().tolist())
        wrong = again[method].by("race")[drawn].mean()
        assert list(mark.text) == [
            f"{method.plain_label()}: wrong {shown(wrong[g])}, trained on the truth "
            f"{shown(before[g])}" for g in drawn]
        assert [round(y) for y in mark.y] == [n.y for n in names]
        assert mark.y[0] > marks[place - 1].y[0] or place == 0  # side by side, in the same order
        assert np.asarray(mark.x) + mark.error_x.array == pytest.approx(
            np.maximum(runs.quantile(0.9), runs.mean()))
        assert np.asarray(mark.x) - mark.error_x.arrayminus == pytest.approx(
            np.minimum(runs.quantile(0.1), runs.mean()))
        assert bluish(mark.marker.color) == (method is LAPLACE)
    assert len({m.marker.symbol for m in marks}) == 3


def test_the_table_of_groups(asked: Answer, again: dict[Mechanism, Again], truth: Again) -> None:
    """All groups, also the small ones."""
    table = asked.panel("prediction-groups").table
    assert table is not None
    sizes = DATA.records["race"].value_counts()
    assert table["group"].tolist() == sizes.index.tolist()
    assert table["people"].tolist() == sizes.tolist()
    expected = {"wrong, trained on the truth": truth}
    expected |= {f"wrong, {i}. {m.label()}": again[m] for i, m in enumerate(METHODS, 1)}
    assert set(table.columns) == {"group", "people", *expected, *(
        f"{column}, standard error" for column in list(expected)[1:])}
    for column, found in expected.items():
        runs = found.by("race")[sizes.index]
        assert table[column].to_numpy() == pytest.approx(runs.mean())
        if len(runs) > 1:
            assert table[f"{column}, standard error"].to_numpy() == pytest.approx(
                runs.std() / 10, abs=1e-12)


def test_the_words_about_groups(asked: Answer, again: dict[Mechanism, Again],
                                truth: Again) -> None:
    panel = asked.panel("prediction-groups")
    before = truth.by("race").iloc[0].drop("Other")
    sizes = DATA.records["race"].value_counts()
    pairs = [
        (before[a] - before[b], a, b) for a in before.index for b in before.index
        if before[a] - before[b] > 2 * math.hypot(share_error(before[a], sizes[a]),
                                                  share_error(before[b], sizes[b]))
    ]
    assert not pairs and before.max() > before.min() + 0.01
    assert panel.caption.startswith(
        f"Trained on the truth, the model is wrong about {shown(before.min())} to "
        f"{shown(before.max())} of each group of 30 people or more, no further apart than chance "
        "puts groups of their size. Wrong more often after the release, beyond chance, among "
        "groups of 100 people or more: ")
    for method in METHODS:
        grown = again[method].by("race").drop(columns="Other") - before
        listed = panel.caption.split(f"after {method.spoken()}, ")[-1].split(";")[0]
        for race in grown.columns:
            hurt = grown[race].mean() > 0 and told_apart(grown[race])
            after = again[method].by("race")[race].mean()
            assert (f"{race} (+{shown_apart(after, before[race])})" in listed) == hurt
    assert panel.caption.endswith("Groups of fewer than 30 people are in the table only.")
    assert panel.alt.startswith("Error rates by group. Trained on the truth")


def share_error(share: float, people: int) -> float:
    """With one more that is wrong and one more that is right."""
    share = (share * people + 1) / (people + 2)
    return math.sqrt(share * (1 - share) / (people + 2))


def errors(sizes: Sequence[int], rates: Sequence[float]) -> metrics.GroupErrors:
    labels = tuple((f"group {i}",) for i in range(len(sizes)))
    return metrics.GroupErrors(labels, np.array(sizes), np.array([rates]))


def test_which_groups_are_drawn() -> None:
    """Thirty people are enough for a rate; of more than fourteen such groups the largest."""
    found = errors([500, 30, 29], [0.1, 0.4, 0.9])
    chart = figures.group_errors(found, [found], [scored("laplace", 0.7)])
    assert chart is not None and [n.text for n in chart.layout.annotations] == [
        "group 0, 500 people: wrong 10.0%",
        "group 1, 30 people: wrong 40.0%"]
    assert chart.layout.xaxis.title.text == "wrong more or less often, percentage points"
    said = words.group_sentence(found, [[]], [scored("laplace", 0.7)])
    assert said == ("Even trained on the truth, the model is wrong about 40.0% of people listed as "
                    "“group 1” (30 people) and 10.0% of people listed as “group 0” (500 people).")
    near = errors([500, 30, 29], [0.1, 0.3, 0.9])  # 20 points, 2.4 standard errors: picked of many
    assert words.group_sentence(near, [[]], [scored("laplace", 0.7)]).startswith(
        "Trained on the truth, the model is wrong about 10.0% to 30.0% of each group of 30 people "
        "or more, no further apart than chance")
    fourteen = errors(range(200, 60, -10), np.linspace(0.1, 0.2, 14))
    fifteen = errors(range(200, 50, -10), np.linspace(0.1, 0.2, 15))
    for one, left in ((fourteen, "Groups of fewer than 30 people are in the table only."),
                      (fifteen, "The 14 largest groups are drawn; all are in the table.")):
        drawn = figures.group_errors(one, [], [])
        assert drawn is not None and [n.text.split(",")[0] for n in drawn.layout.annotations] == [
            f"group {i}" for i in range(14)]
        assert words.left_to_the_table(one) == left


def test_small_groups_are_not_told_apart_by_chance() -> None:
    """30 people who are 20% wrong are no finding beside 500 who are 10% wrong; 300 would be. The
    furthest apart need not be the two that can be told apart."""
    one = [scored("laplace", 0.7)]
    said = words.group_sentence(errors([500, 30], [0.1, 0.2]), [[]], one)
    assert said == ("Trained on the truth, the model is wrong about 10.0% to 20.0% of each group "
                    "of 30 people or more, no further apart than chance puts groups of their size.")
    more = words.group_sentence(errors([500, 300, 30], [0.1, 0.2, 0.21]), [[]], one)
    assert "20.0% of people listed as “group 1” (300 people) and 10.0% of" in more
    alone = words.group_sentence(errors([500, 29], [0.1, 0.9]), [[]], one)
    assert alone == ("Even trained on the truth, the model is wrong about 10.0% of people listed "
                     "as “group 0” (500 people).")
    level = words.group_sentence(errors([500, 500], [0.1, 0.1]), [[]], one)
    assert level.startswith("Trained on the truth, the model is wrong about 10.0% of each group")


def few_hurt(more: float, people: int = 78, spread: float = 0.0) -> metrics.GroupShift:
    return metrics.GroupShift(("Asian", "male"), people, 0.1, runs_of(0.1 + more, spread))


@pytest.mark.parametrize(("more", "people", "sure"), [
    ((0.12, 0.13), 78, False),  # rates of 11% and 24%, ± 3.5 and 4.8: 18 points would be enough
    ((0.19, 0.19), 78, True), ((0.19, 0.19), 40, False),
])
def test_a_small_group_that_changes_most_is_named_with_its_size(
    more: tuple[float, float], people: int, sure: bool
) -> None:
    two = [scored("laplace", 0.7), scored("suppression", 0.7)]
    before, large = errors([500, people], [0.1, 0.1]), [[shift_of(0.03)], []]
    small = [[few_hurt(m, people)] for m in more]
    said = words.group_sentence(before, large, two, small)
    ends = " to ".join(dict.fromkeys(f"{10 + 100 * m:.1f}%" for m in more))
    assert (f"In a small group it is more: about Asian men ({people} people) the model is wrong "
            f"{ends} of the time instead of 10.0%, after every method. ") in said
    after = 0.1 + max(more)
    error = math.hypot(share_error(0.1, people), share_error(after, people))
    assert (max(more) > 3 * error) is sure
    assert said.endswith("That is more than chance explains in a group of its size." if sure else (
        f"it is up to {round(max(more) * people)} people more, in the small group that changes "
        "most, and too few to say it of others like them."))


def test_a_small_group_is_named_only_where_it_stands_out() -> None:
    two = [scored("laplace", 0.7), scored("suppression", 0.7)]
    before, large = errors([500, 78], [0.1, 0.1]), [[shift_of(0.03)], [shift_of(0.05)]]
    for small in ([[], []], [[few_hurt(0.05)], []], [[few_hurt(0.2, spread=0.6)], []],
                  [[few_hurt(-0.08)], []]):
        assert "small group" not in words.group_sentence(before, large, two, small)
    one = words.group_sentence(before, large, two, [[few_hurt(0.06)], [few_hurt(0.0)]])
    assert "16.0% of the time instead of 10.0%, after adding noise (ε = 1). So it is for" in one
    unsure = few_hurt(0.07, spread=0.1)  # beyond chance by itself, but not beside 0.05
    error = float(unsure.runs.std(ddof=1)) / math.sqrt(len(unsure.runs))
    assert 0.02 < 2 * error < 0.07
    assert "small group" not in words.group_sentence(before, large, two, [[unsure], []])


def test_one_of_several_small_groups_is_not_called_the_first() -> None:
    one = [scored("laplace", 0.7)]
    before, large = errors([500, 78], [0.1, 0.1]), [[shift_of(0.03)]]
    also = metrics.GroupShift(("Black", "male"), 78, 0.1, runs_of(0.1 + 0.1205, 0.0))
    for small, which in (
        ([few_hurt(0.12), also], "in one of the small groups that change most, and too few"),
        ([few_hurt(0.13), also], "in the small group that changes most, and too few"),
    ):
        assert which in words.group_sentence(before, large, one, [small])


def test_the_small_group_of_massachusetts(real_data: Callable[[str], sdc.Dataset]) -> None:
    """Men of two or more races, whose errors double under all four methods: read off the table."""
    found = sdc.ask("classification", sdc.Study(real_data("ma2019"))).panel("prediction-groups")
    assert found.table is not None
    row = found.table.set_index("group").loc["men of two or more races"]
    rates = [row[c] for c in found.table.columns if re.fullmatch(r"wrong, \d\. .*(?<!error)", c)]
    assert 30 <= row["people"] < 100 and len(rates) == 4
    assert min(rates) > 2 * row["wrong, trained on the truth"]
    assert (
        f"about men of two or more races ({row['people']:.0f} people) the model is wrong "
        f"{shown(min(rates))} to {shown(max(rates))} of the time instead of "
        f"{shown(row['wrong, trained on the truth'])}, after every method." in found.caption)


def test_no_group_is_large_enough() -> None:
    """Nothing is drawn, and it is said; the table has the groups."""
    frame = pd.DataFrame({"town": [f"t{i % 30}" for i in range(300)], "home": ["a", "b"] * 150,
                          "yes": ["y", "n", "n"] * 100})
    found = sdc.ask("classification", sdc.Study(sdc.load_dataset(frame), methods=[LAPLACE]),
                    p_target="yes", p_from=["home"], p_by=["town"])
    panel = found.panel("prediction-groups")
    assert panel.drawing is None and panel.table is not None and len(panel.table) == 30
    assert panel.caption.startswith("No group has 30 people: error rates would say little.")


def test_nobody_is_singled_out_without_groups(again: dict[Mechanism, Again]) -> None:
    found = sdc.ask("classification", STUDY, {**TASK, "p_by": ()})
    assert [p.name for p in found.panels] == ["prediction", "prediction-sweep"]
    assert "more often" not in found.headline
    assert f"is right for {shown(again[SWAPPING].accuracy.mean())} of" in found.headline


def test_the_legend_of_few_groups_is_not_below_the_axis() -> None:
    found = errors([500, 140], [0.2, 0.3])
    chart = figures.group_errors(found, [found], [scored("laplace", 0.7)])
    assert chart is not None
    assert chart.layout.legend.y >= 1 and chart.layout.legend.yanchor == "bottom"


# ---------------------------------------------------------------- along a parameter


NOISE_LINE = "Add noise (Laplace)"


def lines_of(panel: Panel, number: int) -> dict[str, Any]:
    return {t.name: t for t in panel.figures[number].data if t.name is not None}


def test_the_lines(asked: Answer, again: dict[Mechanism, Again]) -> None:
    """At two values of ε and in both charts, models are trained again; a method without ε is a
    level line. Bands are the middle 80% of the releases."""
    panel = asked.panel("prediction-sweep")
    values = list(EPSILON.points(9))
    assert values[0] == 0.05 and values[-1] == 20 and len(values) == 9
    along = {i: trained_again(releases(LAPLACE.replace(epsilon=values[i]), number=20))
             for i in (1, 4)}
    for number, metric in enumerate(("accuracy", "balanced")):
        lines = lines_of(panel, number)
        assert list(lines) == [*(m.plain_label() for m in (SWAPPING, SUPPRESSION)), NOISE_LINE]
        assert all(list(t.x) == values for t in lines.values())
        bands = [t for t in panel.figures[number].data if t.fill == "toself"]
        assert len(bands) == 2  # suppression has none: its releases are all the same
        band = next(b for b in bands if bluish(_hex(b.fillcolor)))
        for place, found in along.items():
            runs = getattr(found, metric)
            assert lines[NOISE_LINE].y[place] == pytest.approx(runs.mean())
            there = [y for x, y in zip(band.x, band.y, strict=True) if x == values[place]]
            assert sorted(there) == pytest.approx(np.quantile(runs, [0.1, 0.9]))
        for method in (SWAPPING, SUPPRESSION):
            level = [getattr(again[method], metric)[:20].mean()] * 9
            assert list(lines[method.plain_label()].y) == pytest.approx(level)


def _hex(rgba: str) -> str:
    red, green, blue = map(int, re.findall(r"\d+", rgba)[:3])
    return f"#{red:02x}{green:02x}{blue:02x}"


def test_the_levels_and_axes_of_the_lines(asked: Answer, truth: Again) -> None:
    """What the truth gives and what always saying the same gives, each with its words."""
    share = (DATA.records[TARGET] == "rich").mean()
    titles = ROWS
    both = ((truth.accuracy[0], share), (truth.balanced[0], 0.5))
    for chart, title, (top, floor) in zip(
            asked.panel("prediction-sweep").figures, titles, both, strict=True):
        assert chart.layout.title.text.startswith(f"<b>{title}</b>")
        assert [s.y0 for s in chart.layout.shapes] == pytest.approx([top, floor])
        assert all(s.y1 == s.y0 for s in chart.layout.shapes)
        notes = {n.text: n.y for n in chart.layout.annotations}
        assert notes == pytest.approx({
            f"trained on the truth, {shown(top)}": top, f"always “rich”, {shown(floor)}": floor})
        assert chart.layout.xaxis.type == "log"
        assert chart.layout.xaxis.title.text == "Privacy loss (ε)"
        assert chart.layout.yaxis.tickformat == ".2~%"
        low, high = chart.layout.yaxis.range
        assert low < floor < top < high
        heights = [y for t in chart.data for y in t.y]
        assert low < min(heights) and max(heights) <= high


def test_marks_stand_at_the_present_setting(asked: Answer) -> None:
    """On the line, where ε is now: only Laplace has an ε."""
    for chart in asked.panel("prediction-sweep").figures:
        (mark,) = [t for t in chart.data if t.mode == "markers"]
        line = next(t for t in chart.data if t.name == NOISE_LINE)
        assert list(mark.x) == [0.2] and mark.marker.color == line.line.color
        assert bluish(line.line.color) and line.line.dash == "solid"
        between = [y for x, y in zip(line.x, line.y, strict=True) if 0.1 < x < 0.3]
        assert min(between) <= mark.y[0] <= max(between)
        assert line.hovertemplate == (
            f"{NOISE_LINE}<br>ε = %{{x:.3g}}<br>right: %{{y:.1%}}<extra></extra>")
        dashes = {t.name: t.line.dash for t in chart.data if t.name}
        assert [dashes[m.plain_label()] for m in (SWAPPING, SUPPRESSION)] == ["dash", "dash"]


def test_a_method_has_one_colour_in_all_drawings(asked: Answer) -> None:
    _, *marks = asked.panel("prediction").figures[0].data
    expected = {
        mark.name.replace("<br>", " ").rsplit(":", 1)[0]: mark.marker.color for mark in marks}
    assert len(set(expected.values())) == 3
    (groups,) = asked.panel("prediction-groups").figures
    assert {
        m.name.replace("<br>", " "): m.marker.color for m in groups.data[1:]} == expected
    for number in (0, 1):
        lines = lines_of(asked.panel("prediction-sweep"), number)
        assert [t.line.color for t in lines.values()] == list(expected.values())


def test_the_table_and_the_words_of_the_lines(asked: Answer) -> None:
    panel = asked.panel("prediction-sweep")
    table = panel.table
    assert table is not None and len(table) == 27
    assert list(table.columns) == [
        "method", "epsilon", "accuracy", "accuracy, 10%", "accuracy, 90%", "balanced",
        "balanced, 10%", "balanced, 90%"]
    row = table[(table.method == "Laplace") & (table.epsilon == 1.0)].iloc[0]
    again = trained_again(releases(LAPLACE.replace(epsilon=1.0), number=20))
    for metric in ("accuracy", "balanced"):
        runs = getattr(again, metric)
        assert [row[metric], row[f"{metric}, 10%"], row[f"{metric}, 90%"]] == pytest.approx(
            [runs.mean(), *np.quantile(runs, [0.1, 0.9])])
    line = table[table.method == "Laplace"].accuracy.tolist()
    low, high = (trained_again(releases(LAPLACE.replace(epsilon=e), number=20)).accuracy
                 for e in (0.05, 20.0))
    assert told_apart(high - low)
    assert panel.caption.startswith(
        f"From ε=0.05 to ε=20 the share that is right goes from {shown(line[0])} to "
        f"{shown(line[-1])} after adding noise. Bands hold the middle 80% of 20 releases.")
    assert (line[0], line[-1]) == pytest.approx((low.mean(), high.mean()))
    assert panel.alt.startswith("Accuracy and balanced accuracy along Privacy loss.")


@pytest.mark.parametrize(
    ("name", "axis", "scale", "here", "line"),
    [("k", "Smallest count published (k, people)", "linear", 40, "Hide small counts (suppression)"),
     ("swap_rate", "Share of records swapped", "linear", 0.6, "Swap similar records (swapping)"),
     ("epsilon", "Privacy loss (ε)", "log", 0.2, "Add noise (Laplace)")])
def test_the_parameter_to_move_along(name: str, axis: str, scale: str, here: float,
                                     line: str) -> None:
    found = sdc.ask("classification", STUDY, {**TASK, "p_tune": name})
    chart = found.panel("prediction-sweep").figures[0]
    assert (chart.layout.xaxis.title.text, chart.layout.xaxis.type) == (axis, scale)
    assert chart.layout.xaxis.tickformat == (".0%" if name == "swap_rate" else None)
    (mark,) = [t for t in chart.data if t.mode == "markers"]
    (own,) = [t for t in chart.data if t.name == line]
    assert list(mark.x) == [here] and own.line.color == mark.marker.color
    value = "%{x:.0%}" if name == "swap_rate" else "%{x:.3g}"
    assert f" = {value}<br>" in own.hovertemplate
    said = found.panel("prediction-sweep").caption.split(" Bands hold")[0]
    named = next(m for m in METHODS if line in m.plain_label().replace(",", ")"))
    assert said.startswith("From ")
    assert said.endswith(f" after {named.spoken(tunable_params([named])[name])}.")


def curve_of(runs: Sequence[Sequence[float]], here: float | None = 1.0, name: str = "laplace",
             values: Sequence[float] | None = None) -> Curve[metrics.Scores]:
    made = [metrics.Scores(np.array(r), np.array(r), np.zeros((len(r), 1), dtype=bool))
            for r in runs]
    return Curve(sdc.mechanism(name), tuple(values or EPSILON.points(len(runs))), tuple(made), here)


def test_what_moves_from_end_to_end_beyond_chance() -> None:
    """By the ends alone, in the order of the cards: of nine noisy points two are always apart."""
    still = curve_of([runs_of(0.7, 0.05), runs_of(0.71, -0.05)], name="geometric")
    far = curve_of([runs_of(0.9), runs_of(0.2), runs_of(0.6)])
    bent = curve_of([runs_of(0.7), runs_of(0.9), runs_of(0.7)], name="dp-suppression")
    level = curve_of([runs_of(0.7), runs_of(0.8)], here=None)
    lost, few = curve_of([[math.nan], [0.7]]), curve_of([[0.7] * 9, [0.8] * 9])
    assert words.sweep_sentence(EPSILON, [still, far, level, lost, bent]) == (
        "From ε=0.05 to ε=20 the share that is right goes from 90.0% to 60.0% after adding "
        "noise; it moves by less than 0.2 points after hiding below a noisy limit (k = 6); it does "
        "not move beyond chance after adding whole-number noise.")
    assert words.sweep_sentence(EPSILON, [few]) == (
        "From ε=0.05 to ε=20 the share that is right does not move beyond chance after adding "
        "noise.")
    assert words.sweep_sentence(EPSILON, [level, lost]) == ""


def test_a_line_ends_where_the_data_end_and_is_said_to() -> None:
    """Twenty-four people: k-anonymity goes up to k = 24, hiding further."""
    frame = pd.DataFrame({"home": list("aabb") * 6, "pet": list("xyz") * 8, "yes": list("ny") * 12})
    data = sdc.load_dataset(frame)
    methods = [sdc.mechanism("suppression"),
               sdc.mechanism("k-anonymity").suited_to(data.histogram(["home", "pet", "yes"]))]
    found = sdc.ask("classification", sdc.Study(data, methods=methods), p_target="yes",
                    p_from=["home", "pet"], p_tune="k")
    (panel,) = [p for p in found.panels if "goes" in p.caption or "move" in p.caption]
    table = panel.table
    assert table is not None
    hiding, merging = (rows["k"].max() for _, rows in table.groupby("method", sort=False))
    assert merging <= len(frame) < hiding
    with pytest.raises(sdc.InputError, match="k must be at most"):
        sdc.evaluate(methods[1].replace(k=25), data.histogram(["home", "pet", "yes"]))
    assert f"From k=2 to k={hiding} " in panel.caption
    assert f"merging small groups (up to k={merging})" in panel.caption
    assert "hiding small counts (up to" not in panel.caption


def test_no_line_is_cut_off() -> None:
    """A release may teach more than the truth did: the axis reaches that far."""
    chart = figures.accuracy_lines(EPSILON, [curve_of([[0.7], [0.95]])], held_against(0.72))[0]
    assert chart.layout.yaxis.range[1] >= 0.95
    usual = figures.accuracy_lines(EPSILON, [curve_of([[0.7], [0.71]])], held_against(0.72))[0]
    assert usual.layout.yaxis.range[1] < 0.75


def test_a_band_is_drawn_where_only_the_first_point_is_unknown() -> None:
    unknown = [math.nan, math.nan]
    chart = figures.accuracy_lines(
        EPSILON, [curve_of([unknown, [0.6, 0.7], [0.6, 0.7]])], held_against())[0]
    assert [t.fill for t in chart.data if t.fill] == ["toself"]


def test_words_for_a_level_line_stay_clear_of_the_bands() -> None:
    """Releases at small ε scatter from 40% to 90% and agree on 80% at large ε: what always saying
    the same gives (51%) is written at the right end; turned round, at the left."""
    values = np.geomspace(*EPSILON.range, 9).tolist()
    wide, narrow = [0.4, 0.9] * 5, [0.8] * 10
    for runs, side in (([wide] * 4 + [narrow] * 5, 1), ([narrow] * 5 + [wide] * 4, 0)):
        chart = figures.accuracy_lines(
            EPSILON, [curve_of(runs, values=values)], held_against(0.8, 0.51))[0]
        (note,) = [a for a in chart.layout.annotations if a.text.startswith("always")]
        assert note.x == side and note.xanchor == ("right" if side else "left")


def test_a_slow_model_has_the_papers_few_values() -> None:
    assert compute.line_values(EPSILON, few=True) == (0.5, 1.0, 2.0, 4.0)
    k = next(p for p in SUPPRESSION.params() if p.name == "k")
    assert compute.line_values(k, few=True) == (2, 11, 21, 30)  # type: ignore[arg-type]
    assert len(compute.line_values(EPSILON, few=False)) == 9


# ---------------------------------------------------------------- controls


@pytest.mark.parametrize(
    ("control", "value"),
    [("p_also", ("sex",)), ("p_from", ("home", "school")), ("p_target", "home"),
     ("p_by", ("school",)), ("seed", 8)])
def test_every_control_does_what_it_says(
    control: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Trained again with the changed setting, by work that has what was trained before."""
    monkeypatch.setattr(compute, "PRESENT", 10)
    monkeypatch.setattr(compute, "REPETITIONS", 5)
    usual = {**TASK, "p_from": ("race", "school"), "p_also": (), "p_tune": "swap_rate"}
    study, work = STUDY.with_methods([LAPLACE, SWAPPING]), Work()
    sdc.ask("classification", study, usual, work=work)
    controls = {**usual, control: value} if control != "seed" else usual
    changed = dataclasses.replace(study, seed=value) if control == "seed" else study
    tables = sdc.ask("classification", changed, controls, work=work).tables()
    predictors, target, by = controls["p_from"], controls["p_target"], controls["p_by"]
    counted_by = tuple(dict.fromkeys((*predictors, *by, *controls["p_also"], target)))

    def again(method: Mechanism, number: int = 10) -> Again:
        drawn = releases(method, counted_by, number, changed.seed)
        return trained_again(drawn, predictors, target)

    found = again(LAPLACE)
    assert tables["prediction"]["accuracy"][0] == pytest.approx(found.accuracy.mean())
    groups = tables["prediction-groups"].set_index("group")["wrong, 1. Laplace ε=0.2"]
    assert groups.to_dict() == pytest.approx(found.by(by[0]).mean().to_dict())
    lines = tables["prediction-sweep"].set_index(["method", "swap_rate"])
    expected = again(SWAPPING.replace(swap_rate=0.5), 5).accuracy.mean()
    assert lines.loc[("Swapping", 0.5), "accuracy"] == pytest.approx(expected)


def test_the_forest_is_another_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same work at hand nothing of the logistic regression is taken for the forest's, nor
    of another seed: three releases, the truth, and lines of four points."""
    monkeypatch.setattr(compute, "REPETITIONS", 4)
    controls = {**TASK, "p_by": (), "p_model": "forest"}
    study, work = STUDY.with_methods([LAPLACE]), Work()
    for other in ({**controls, "p_model": "logistic"}, controls):
        sdc.ask("classification", study, other, work=work)
    found = sdc.ask("classification", dataclasses.replace(study, seed=8), controls,
                    work=Work(work.keep))
    table = DATA.histogram((*FROM, TARGET))
    what = metrics.Task(table.domain, FROM, TARGET)
    real = what.by_class(table.counts)[0]

    def right(rows: NDArray[np.int64]) -> float:
        streams = [np.random.SeedSequence(8, spawn_key=(r,)) for r in range(len(rows))]
        guess = classifiers.random_forest(
            what.design, what.by_class(rows), [np.random.default_rng(s) for s in streams])
        return float(np.where(guess, real[:, 1], real[:, 0]).sum(axis=1).mean() / 900)

    scores = found.tables()["prediction"].set_index("trained on")
    first = scores.loc["Laplace ε=0.2"]
    assert first["releases"] == 3
    assert first["accuracy"] == pytest.approx(right(sdc.released_people(LAPLACE, table, 3, 8)))
    assert scores.loc["the truth", "accuracy"] == pytest.approx(right(table.counts[None, :]))
    assert found.panel("prediction").caption.startswith("Averages of 3 releases, thin")
    lines = found.tables()["prediction-sweep"]
    assert lines["epsilon"].tolist() == [0.5, 1, 2, 4]
    rows = sdc.released_people(LAPLACE.replace(epsilon=2.0), table, 4, 8)
    assert lines["accuracy"][2] == pytest.approx(right(rows))
    assert found.provenance is not None
    assert found.provenance.computed == "simulated, up to 4 releases a method"


def test_what_is_usual() -> None:
    """The paper's task where the data has it; else the last feature with two values, from all that
    an outsider may know."""
    found = sdc.ask("classification", sdc.Study(sdc.load_dataset("ma2019-twin")))
    facts = found.provenance
    assert facts is not None and facts.features == (
        "RAC1P", "AGE_BIN", "SEX", "OWN_RENT", "INCOME_50K")
    assert facts.controls == {
        "p_target": "INCOME_50K", "p_from": "RAC1P,AGE_BIN,SEX,OWN_RENT", "p_by": "RAC1P,SEX",
        "p_model": "logistic", "p_also": "", "p_tune": "epsilon"}
    assert [m.split("(")[1].split(",")[0] for m in facts.methods] == [
        "'laplace'", "'discrete-gaussian'", "'dp-suppression'", "'suppression'"]
    assert "Das et al." not in found.panel("prediction").caption
    own = sdc.ask("classification", sdc.Study(DATA), as_in="das-2024-figure-4").provenance
    assert own is not None and own.controls["p_target"] == "rich"
    assert own.controls["p_from"] == "race,sex,home,school" and own.controls["p_by"] == "race"
    assert "quasi_identifiers=('race', 'sex', 'home', 'school')" in own.methods[3]


def test_a_task_that_cannot_be() -> None:
    with pytest.raises(sdc.InputError, match="at least one"):
        sdc.ask("classification", STUDY, {**TASK, "p_from": ()})
    with pytest.raises(sdc.InputError, match="p_target must be one of sex, home, rich"):
        sdc.ask("classification", STUDY, {**TASK, "p_target": "race"})
    with pytest.raises(sdc.InputError, match="p_from has no 'rich'"):
        sdc.ask("classification", STUDY, {**TASK, "p_from": ("rich",)})


def test_nothing_to_predict_and_no_method() -> None:
    frame = pd.DataFrame({"x": list("abc") * 20, "y": list("defg") * 15})
    found = sdc.ask("classification", sdc.Study(sdc.load_dataset(frame)))
    assert found.headline.startswith("This page predicts a feature that has exactly two values")
    assert found.panels == ()
    alone = sdc.load_dataset(
        pd.DataFrame({"name": [f"person {i}" for i in range(3000)], "yes": ["y", "n"] * 1500}))
    assert alone.features == ("yes",)  # nothing to predict it from
    assert sdc.ask("classification", sdc.Study(alone)).headline == found.headline
    none = sdc.ask("classification", STUDY.with_methods([]), p_target=TARGET)
    assert none.headline.startswith("Choose a method") and none.panels == ()


def test_releases_without_records_and_with_one_class() -> None:
    """Four people and much noise: some releases have nobody, some only one class."""
    frame = pd.DataFrame({"home": list("aabb") * 2, "yes": list("ynyn") * 2})
    data = sdc.load_dataset(frame)
    one = sdc.mechanism("laplace", epsilon=0.05)
    found = sdc.ask("classification", sdc.Study(data, methods=[one]), p_target="yes",
                    p_from=["home"], p_by=["home"])
    rows = sdc.released_people(one, data.histogram(["home", "yes"]), 100).reshape(100, 2, 2)
    sizes = rows.sum(axis=1)
    empty, alike = (sizes.sum(axis=1) == 0).sum(), ((sizes > 0).sum(axis=1) == 1).sum()
    assert empty > 0 and alike > 0
    first, second = (n.text for n in found.notices)
    assert first.startswith(f"{empty} of 100 releases of Laplace ε=0.05 hold no records")
    assert second.startswith(f"In {alike} of 100 releases of Laplace ε=0.05 all people")
    assert all(n.tone == "info" for n in found.notices)


def test_nothing_but_empty_releases_is_said() -> None:
    trained = [scored("laplace", math.nan), scored("suppression", 0.7)]
    headline, more = words.prediction_sentences(trained, held_against(), [[], []])
    assert headline == (
        "After adding noise (ε = 1) no records are left to learn from.") and more == ""


# ---------------------------------------------------------------- work that waits


@pytest.fixture
def small_forests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute, "REPETITIONS", 2)
    monkeypatch.setattr(classifiers, "TREES", 2)


def test_a_slow_model_waits_to_be_asked_for(small_forests: None) -> None:
    """The bars are there at once; for the lines eight models have to be trained."""
    work = Work(started=())
    controls = {**TASK, "p_model": "forest"}
    study = STUDY.with_methods([LAPLACE])
    found = sdc.ask("classification", study, controls, work=work)
    (job,) = found.waiting
    assert (job.key, job.label) == ("training", "Train 8 models")
    assert job.note.startswith("2 releases of 4 settings take some seconds.")
    panel = found.panel("prediction-sweep")
    assert panel.drawing is None and panel.controls == ("p_tune",)
    assert "button above" in panel.caption
    assert found.panel("prediction").caption.startswith("Averages of 3 releases, thin")
    started = Work(work.keep, started={"training"})
    assert len(sdc.ask("classification", study, controls, work=started).panels[-1].figures) == 2
    later = sdc.ask("classification", study, controls, work=Work(work.keep, started=()))
    assert later.waiting == () and len(later.panels[-1].figures) == 2


def test_what_is_trained_is_kept_when_the_rest_is_cancelled(small_forests: None) -> None:
    class Cancelled(Exception):
        pass

    @contextmanager
    def impatient(words: str) -> Iterator[Callable[[float], None]]:
        def progress(share: float) -> None:
            if "at each privacy loss" in words and share > 0.6:
                raise Cancelled

        yield progress

    work = Work(report=impatient, started={"training"})
    controls = {**TASK, "p_model": "forest"}
    study = STUDY.with_methods([LAPLACE])
    with pytest.raises(Cancelled):
        sdc.ask("classification", study, controls, work=work)
    rest = sdc.ask("classification", study, controls, work=Work(work.keep, started=()))
    assert [job.label for job in rest.waiting] == ["Train 2 models"]


def test_slow_methods_wait_and_have_no_line() -> None:
    """MST is trained on when it is asked for; a line along ε is not drawn, and that is said."""
    mst = sdc.mechanism("mst", epsilon=2.0)
    study, work = STUDY.with_methods([mst, LAPLACE]), Work(started=())
    controls = {"p_target": TARGET, "p_from": ("home",), "p_by": ()}
    found = sdc.ask("classification", study, controls, work=work)
    assert [(j.key, j.label) for j in found.waiting] == [("methods", f"Run {mst.title}")]
    assert "After adding noise (ε = 0.2), a model" in found.headline
    panel = found.panel("prediction-sweep")
    assert list(lines_of(panel, 0)) == [NOISE_LINE]
    assert panel.caption.endswith(f"{mst.title}: a line would take too long and is left out.")
    other = sdc.ask("classification", study.with_methods([mst, SUPPRESSION]), controls,
                    work=Work(work.keep, started=()))
    assert other.tables()["prediction-sweep"].columns[1] == "k"  # ε would be a line of MST's only
    started = Work(work.keep, started={"methods"})
    alone = sdc.ask("classification", study.with_methods([mst]), controls, work=started)
    expected = trained_again(releases(mst, ("home", TARGET), 20), ("home",))
    assert alone.tables()["prediction"]["accuracy"][0] == pytest.approx(expected.accuracy.mean())
    assert alone.panels[-1].caption == "These methods take too long to be drawn along a line."


def test_a_moved_slider_trains_only_what_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """Along ε the line does not depend on where ε stands: a moved ε trains one setting."""
    made: list[Mechanism] = []
    monkeypatch.setattr(compute, "released_people", _noting(made, sdc.released_people))
    work = Work()
    study = STUDY.with_methods([LAPLACE, SUPPRESSION])
    sdc.ask("classification", study, TASK, work=work)
    assert len(made) == 2 + 9 + 1  # two present settings, a line of nine points, a level line
    made.clear()
    moved = LAPLACE.replace(epsilon=0.31)
    sdc.ask("classification", STUDY.with_methods([moved, SUPPRESSION]), TASK, work=work)
    assert made == [moved]


def _noting(made: list[Mechanism], inner: Callable[..., Any]) -> Callable[..., Any]:
    def noted(mechanism: Mechanism, *args: Any) -> Any:
        made.append(mechanism)
        return inner(mechanism, *args)

    return noted


def test_the_question_does_not_load_scikit_learn() -> None:
    """It takes a second, and nobody has asked for a forest yet."""
    code = "import sys, sdc_core.questions.classification; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---------------------------------------------------------------- the page


def test_the_page_says_what_the_engine_says() -> None:
    app = opened(TWIN, PAGE)
    assert not app.error and not app.warning
    found = sdc.ask("classification", sdc.Study(sdc.load_dataset("ma2019-twin")))
    assert found.headline in answer(app) and found.more in answer(app)
    for panel in found.panels:
        assert panel.caption in said(app)
    assert len(app.get("plotly_chart")) == 4  # right, groups, accuracy, balanced accuracy


def test_deep_link() -> None:
    wanted = {**TWIN, "m2": "none", "m3": "none", "m4": "none", "p_target": "SEX",
              "p_from": "RAC1P,INCOME_50K", "p_by": "OWN_RENT", "p_also": "PUMA",
              "p_tune": "swap_rate", "m1": "swapping", "m1.swap_rate": "0.5"}
    app = opened(wanted, PAGE)
    assert not app.error and not app.warning
    assert wanted.items() <= link(app).items()
    one = sdc.mechanism("swapping", swap_rate=0.5, quasi_identifiers=("RAC1P", "SEX"))
    found = sdc.ask(
        "classification", sdc.Study(sdc.load_dataset("ma2019-twin"), methods=[one]),
        p_target="SEX", p_from=["RAC1P", "INCOME_50K"], p_by=["OWN_RENT"], p_also=["PUMA"],
        p_tune="swap_rate")
    assert found.headline in answer(app) and "always saying “female”" in found.more
    assert all(panel.caption in said(app) for panel in found.panels)


def test_a_forest_trains_on_request(small_forests: None) -> None:
    app = opened({**TWIN, "m2": "none", "m3": "none", "m4": "none", "p_model": "forest"}, PAGE)
    assert "Averages of 3 releases" in said(app)
    assert len(app.get("plotly_chart")) == 2
    assert app.button(key="run.training").label == "Train 8 models"
    app.button(key="run.training").click().run()
    assert not app.exception
    assert len(app.get("plotly_chart")) == 4
    assert not [b for b in app.button if b.key == "run.training"]


def test_a_bad_link_and_no_predictors_are_explained() -> None:
    app = opened({**TWIN, "p_target": "RAC1P", "p_model": "oracle"}, PAGE)
    problems = " ".join(w.value for w in app.warning).replace("\\", "")
    assert "p_target must be one of" in problems and "p_model must be one of" in problems
    app.multiselect(key="url.p_from").set_value([]).run()
    assert not app.exception
    assert "Choose at least one" in app.error[0].value
    assert not [s for s in app.selectbox if s.key == "url.m1"]  # no cards without a table


def test_what_is_predicted_is_not_offered_to_predict_from() -> None:
    app = opened(TWIN, PAGE)
    app.selectbox(key="url.p_target").set_value("SEX").run()
    assert not app.exception and not app.error
    assert (link(app)["p_from"], link(app)["p_by"]) == ("RAC1P,AGE_BIN,OWN_RENT", "RAC1P")
    for key in ("url.p_from", "url.p_by", "url.p_also"):
        assert "Sex" not in app.multiselect(key=key).options
    assert "always saying “female”" in answer(app)


@pytest.mark.parametrize(
    "columns", [{"x": list("abc") * 20, "y": list("defg") * 15},
                {"x": list("abcd") * 20, "n": np.arange(80) % 3}])
def test_data_with_nothing_to_predict_is_told_so(columns: dict[str, list[object]]) -> None:
    app = uploaded(opened(TWIN, PAGE), pd.DataFrame(columns))
    assert words.NOTHING_TO_PREDICT in answer(app)
    assert not app.get("plotly_chart")
    assert not [s for s in app.selectbox if s.key.startswith("url.p")]


def spot(low: list[float], high: list[float], level: float = 0.5) -> tuple[int, bool]:
    """Where the words of a level line go beside one band between 0 and 1."""
    xs = np.array([0.0, 0.5, 1.0])
    found = metrics.Band(mean=list(np.mean([low, high], axis=0)), low=low, high=high)
    return figures._free_spot(np.array([0.0, 1.0]), [(xs, found)], level, 0.1)


def test_words_of_a_level_line_stand_where_no_band_is() -> None:
    """Left (0) or right (1), above or below: the band leaves one corner free."""
    assert spot([0.45, 0.45, 0.0], [0.6, 0.6, 0.1]) == (1, True)
    assert spot([0.0, 0.45, 0.45], [0.1, 0.6, 0.6]) == (0, True)
    assert spot([0.5, 0.5, 0.5], [0.6, 0.6, 0.6]) in ((0, False), (1, False))
    assert spot([0.45, 0.5, 0.9], [0.6, 0.6, 1.0]) == (1, False)


def test_a_copy_is_as_often_right_whatever_its_mean_is_rounded_to() -> None:
    """273 of 400 is 68.25%: a mean of equal numbers may lie a hair above it."""
    truth = 273 / 400
    again = scored("suppression", truth)
    hair = np.nextafter(truth, 1.0)
    above = metrics.Trained(again.mechanism, metrics.Scores(
        np.full(20, hair), np.full(20, hair), again.scores.predicted))
    assert hair > truth
    for one in (again, above):
        headline, _ = words.prediction_sentences([one], held_against(truth=truth), [[]])
        assert headline.endswith("of people, as often as without it."), headline
    assert words.apart_as_shown(hair, truth) == words.apart_as_shown(truth, truth)


def test_worse_than_a_guess_is_no_chance() -> None:
    """0.59 on average where guessing is right for 0.6: with a standard error of 0.01 (20 releases
    that spread by 0.0436) that may be chance, with one of 0.001 it is not."""
    for spread, known in ((0.01 * math.sqrt(19), False), (0.001 * math.sqrt(19), True)):
        headline, _ = words.prediction_sentences(
            [scored("laplace", 0.59, spread)], held_against(), [[]])
        assert ("less often than by always saying" in headline) == known

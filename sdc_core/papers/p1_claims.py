"""What P1 says of its tables and figures, as sentences that data can contradict."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sdc_core.data.catalogue import FIVE_FEATURES
from sdc_core.experiment import Evaluation, evaluate
from sdc_core.histogram import Histogram
from sdc_core.keep import kept_with_first
from sdc_core.mechanisms import Mechanism, mechanism
from sdc_core.papers.item import EVERYWHERE, Case, Claim, Empty, Found
from sdc_core.papers.p1_kanonymity import K
from sdc_core.papers.p1_learning import claims as of_learning
from sdc_core.papers.p1_tables import EPSILONS, METHODS, swapping
from sdc_core.papers.published import published

ALL = ("ma2019", "tx2019", "national2019")
Pairs = list[tuple[tuple[float, float], tuple[float, float]]]
THRESHOLDS = (6, 10, 4, 8)
SWAP_RATES = (0.1, 0.25, 0.5)
CLOSE = 0.2  # what we take "close" to be: within a fifth
BOTH: tuple[Empty, ...] = ("kept", "filled")
NO_MATTER: tuple[Empty, ...] = ("",)
NAMES = {"laplace": "Laplace", "dgauss": "discrete Gaussian", "dp-sup": "DP suppression",
         "dp-swap": "DP swapping", "dp-kanon": "DP k-anonymity"}


def table(case: Case) -> Histogram:
    return case.data.histogram(FIVE_FEATURES)


def made(method: str, epsilon: float, k: int = K, keep_zeros: bool = False) -> Mechanism:
    if method == "dp-sup":
        return mechanism("dp-suppression", epsilon=epsilon, k=k, keep_zeros=keep_zeros)
    if method == "dp-swap":
        return swapping(epsilon, "RAC1P")
    if method == "dp-kanon":
        return mechanism("dp-k-anonymity", epsilon=epsilon, k=k, quasi_identifiers=FIVE_FEATURES)
    return METHODS[method](epsilon)


def traditional(method: str, k: int = K, rate: float = 0.25, keep_zeros: bool = False) -> Mechanism:
    if method == "dp-sup":
        return mechanism("suppression", k=k, keep_zeros=keep_zeros)
    if method == "dp-swap":
        return mechanism("swapping", swap_rate=rate, quasi_identifiers=("RAC1P",))
    return mechanism("k-anonymity", k=k, quasi_identifiers=FIVE_FEATURES)


@kept_with_first
def _evaluated(counted: Histogram, one: Mechanism, repetitions: int, seed: int) -> Evaluation:
    return evaluate(one, counted, repetitions, seed)


def value(case: Case, one: Mechanism, statistic: str) -> tuple[float, float]:
    """The number, and its standard error where it had to be drawn."""
    found = _evaluated(table(case), one, case.attempt.either(20, 4), case.attempt.seed)
    return float(getattr(found, statistic)), float(getattr(found, f"{statistic}_se"))


def surely_below(a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Chance is no finding: within two standard errors nothing is lower."""
    return a[0] < b[0] - 2 * (a[1] ** 2 + b[1] ** 2) ** 0.5


def _lower_than(method: str, other: str, statistic: str) -> Callable[[Case], Found]:
    """At every ε of the tables."""
    def test(case: Case) -> Found:
        pairs = [
            (value(case, made(method, epsilon), statistic),
             value(case, made(other, epsilon, keep_zeros=case.keep_zeros), statistic))
            for epsilon in EPSILONS
        ]
        return Found(all(surely_below(a, b) for a, b in pairs), _against(EPSILONS, pairs))
    return test


def _against(at: Sequence[float], pairs: Pairs, symbol: str = "ε") -> str:
    said = ", ".join(f"{a[0]:,.4g} against {b[0]:,.4g}" for a, b in pairs)
    return f"At {symbol} = {', '.join(f'{one:g}' for one in at)}: {said}."


def _close(method: str, statistic: str, epsilon: float = 4.0) -> Callable[[Case], Found]:
    """The DP version within a fifth of the traditional method, along what the figure varies."""
    def test(case: Case) -> Found:
        at, pairs = _along(case, method, statistic, epsilon)
        close = all(abs(a[0] - b[0]) <= CLOSE * b[0] + 2 * (a[1] + b[1]) for a, b in pairs)
        return Found(close, _against(at, pairs, "swap rate" if method == "dp-swap" else "k"))
    return test


def _along(
    case: Case, method: str, statistic: str, epsilon: float
) -> tuple[Sequence[float], Pairs]:
    zeros = case.keep_zeros
    if method == "dp-swap":
        one = value(case, made(method, epsilon), statistic)
        return SWAP_RATES, [
            (one, value(case, traditional(method, rate=rate), statistic)) for rate in SWAP_RATES]
    at = THRESHOLDS[: case.attempt.either(4, 1)]
    return at, [
        (value(case, made(method, epsilon, k, zeros), statistic),
         value(case, traditional(method, k, keep_zeros=zeros), statistic)) for k in at]


def _comparable_or_better(method: str) -> Callable[[Case], Found]:
    """α of the DP version is at most a fifth above that of the traditional method, at ε = 4."""
    def test(case: Case) -> Found:
        at, pairs = _along(case, method, "fairness_alpha", 4.0)
        fine = not any(surely_below(b, (a[0] / (1 + CLOSE), a[1])) for a, b in pairs)
        return Found(fine, _against(at, pairs, "swap rate" if method == "dp-swap" else "k"))
    return test


def _approaches(method: str, statistic: str) -> Callable[[Case], Found]:
    """The distance to the traditional method falls from each ε to the next."""
    def test(case: Case) -> Found:
        zeros = case.keep_zeros
        goal = value(case, traditional(method, keep_zeros=zeros), statistic)
        each = [value(case, made(method, e, keep_zeros=zeros), statistic) for e in EPSILONS]
        gaps = [(abs(one[0] - goal[0]), one[1]) for one in each]
        said = ", ".join(f"{gap[0]:,.4g}" for gap in gaps)
        farther = any(surely_below(a, b) for a, b in itertools.pairwise(gaps))
        return Found(not farther and surely_below(gaps[-1], gaps[0]),
                     f"Apart by {said} at ε = 0.5, 1, 2, 4; the traditional has {goal[0]:,.4g}.")
    return test


def _course(method: str, rises: bool) -> Callable[[Case], Found]:
    """‖bias‖₁ goes one way with ε."""
    def test(case: Case) -> Found:
        each = [value(case, made(method, e, keep_zeros=case.keep_zeros), "l1_bias")
                for e in EPSILONS]
        ordered = each if rises else each[::-1]
        said = ", ".join(f"{one[0]:,.4g}" for one in each)
        steps = itertools.pairwise(ordered)
        return Found(all(surely_below(a, b) for a, b in steps), f"At ε = 0.5, 1, 2, 4: {said}.")
    return test


def _not_monotone(case: Case) -> Found:
    found = _course("dp-sup", rises=False)(case)
    return Found(not found.holds, found.numbers)


def _below_traditional_somewhere(case: Case) -> Found:
    goal = value(case, traditional("dp-sup", keep_zeros=case.keep_zeros), "l1_bias")
    each = [value(case, made("dp-sup", e, keep_zeros=case.keep_zeros), "l1_bias")
            for e in EPSILONS]
    said = ", ".join(f"{one[0]:,.4g}" for one in each)
    return Found(any(surely_below(one, goal) for one in each),
                 f"At ε = 0.5, 1, 2, 4: {said}; suppression itself has {goal[0]:,.4g}.")


def _sampling_helps(case: Case) -> Found:
    """At the smallest ε, against all records, as the text says that errors are measured."""
    one = value(case, made("dp-kanon", EPSILONS[0]), "l1_error")
    other = value(case, traditional("dp-kanon"), "l1_error")
    return Found(surely_below(one, other), _against(EPSILONS[:1], [(one, other)]))


def _smaller_slack(method: str) -> Callable[[Case], Found]:
    """δ as it is, not as it is printed."""
    def test(case: Case) -> Found:
        counted, lower, said = table(case), True, []
        for epsilon in EPSILONS:
            mine = made(method, epsilon).guarantee(counted).delta_tight
            others = {
                name: made(name, epsilon, keep_zeros=case.keep_zeros).guarantee(counted)
                for name in ("dp-sup", "dp-swap", "dp-kanon")
            }
            lower &= all(mine < one.delta_tight for one in others.values())
            least = min(others, key=lambda name: others[name].delta_tight)
            said.append(f"{mine:.3g} against {others[least].delta_tight:.3g} ({NAMES[least]})")
        return Found(lower, f"At ε = 0.5, 1, 2, 4, the least other: {', '.join(said)}.")
    return test


def _no_promise(case: Case) -> Found:
    found = {
        one.title: one.guarantee(table(case)).delta_tight
        for one in (traditional(m, keep_zeros=case.keep_zeros)
                    for m in ("dp-sup", "dp-swap", "dp-kanon"))
    }
    return Found(all(delta == 1 for delta in found.values()),
                 ", ".join(f"{name}: δ = {delta:.4g}" for name, delta in found.items()) + ".")


def _two_hundred(case: Case) -> Found:
    """A mean of 200 whole numbers ends anywhere on multiples of 0.005; one of 20 does not."""
    printed = [one for item in ("table1", "table2", "table3") for one in published("P1", item)
               if one.row.startswith("dp-kanon") and one.column != "delta"]
    coarse = sum(abs(one.value * 20 - round(one.value * 20)) < 1e-6 for one in printed)
    return Found(coarse < len(printed),
                 f"{coarse} of {len(printed)} printed numbers of DP k-anonymity are multiples of "
                 "0.05, which one in ten means of 200 whole numbers is.")


@dataclass(frozen=True)
class _Said:
    item: str
    where: str
    sentence: str
    test: Callable[[Case], Found]
    about: tuple[str, ...] = ALL
    empty: tuple[Empty, ...] = NO_MATTER
    tried_on: tuple[str, ...] = EVERYWHERE
    slow: bool = False


_UNLIKE_PRINTED = {
    ("dgauss", "dp-sup"): " (as §7 says without exception; at ε = 0.5 the tables print the "
    "opposite, and App. C.2 says almost always)"}
_TRIED = {"dp-sup": "k = 4, 6, 8, 10", "dp-swap": "10, 25 and 50% swapped",
          "dp-kanon": "k = 4, 6, 8, 10"}
_TRIED_AT = {"dp-sup": "k = 6", "dp-swap": "25% swapped", "dp-kanon": "k = 6"}


def _comparisons() -> list[_Said]:
    out = []
    for method in ("laplace", "dgauss"):
        for other in ("dp-sup", "dp-swap", "dp-kanon"):
            for statistic, what in (("l1_bias", "lower error (‖bias‖₁)"),
                                    ("fairness_alpha", "lower α")):
                sentence = (f"At every ε of the tables {NAMES[method]} has a {what} than "
                            f"{NAMES[other]}{_UNLIKE_PRINTED.get((method, other), '')}.")
                out.append(_Said("table1", "§7, Tables 1 to 3", sentence,
                                 _lower_than(method, other, statistic),
                                 empty=BOTH if other == "dp-sup" else NO_MATTER))
        out.append(_Said("table1", "§7, Tables 1 to 3",
                         f"At every ε {NAMES[method]} has a smaller δ than the DP versions of the "
                         "traditional methods (exact δ).", _smaller_slack(method), empty=BOTH))
    return out


def _figures() -> list[_Said]:
    out = []
    for method, title in (("dp-sup", "suppression"), ("dp-swap", "swapping"),
                          ("dp-kanon", "k-anonymity")):
        empty = BOTH if method == "dp-sup" else NO_MATTER
        slow = method == "dp-kanon"
        out += [
            _Said("fig2", "§5, §8, Fig 2, 6, 7", f"The error of DP {title} is close to that of "
                  f"{title} itself (tried: within a fifth at ε = 4, {_TRIED[method]}).",
                  _close(method, "l1_error"), empty=empty, slow=slow),
            _Said("fig3", "§6, Fig 3, 8, 9", f"DP {title} is about as fair as {title} itself, or "
                  f"fairer (tried: α at most a fifth above at ε = 4, {_TRIED[method]}).",
                  _comparable_or_better(method), empty=empty, slow=slow),
            _Said("fig6", "App. C.2, Fig 2, 6, 7", f"As ε grows, the error of DP {title} comes "
                  f"nearer to that of {title} itself (tried at {_TRIED_AT[method]}).",
                  _approaches(method, "l1_error"), empty=empty, slow=slow),
            _Said("fig8", "App. C.2, Fig 3, 8, 9", f"As ε grows, α of DP {title} comes nearer to "
                  f"that of {title} itself (tried at {_TRIED_AT[method]}).",
                  _approaches(method, "fairness_alpha"), empty=empty, slow=slow),
        ]
    return out


def _below_traditional(method: str) -> Callable[[Case], Found]:
    """At ε of 1 or more, against k = 6 or a quarter of the records swapped."""
    def test(case: Case) -> Found:
        goal = value(case, traditional(method, keep_zeros=case.keep_zeros), "l1_bias")
        pairs = [(value(case, made("laplace", epsilon), "l1_bias"), goal)
                 for epsilon in EPSILONS[1:]]
        return Found(all(surely_below(a, b) for a, b in pairs), _against(EPSILONS[1:], pairs))
    return test


def _traditional_comparisons() -> list[_Said]:
    return [
        _Said("text", "§1, §8", f"Laplace may be more accurate than {title} itself (tried: lower "
              "‖bias‖₁ at ε = 1, 2 and 4).", _below_traditional(method),
              empty=BOTH if method == "dp-sup" else NO_MATTER)
        for method, title in (("dp-sup", "suppression"), ("dp-swap", "swapping"),
                              ("dp-kanon", "k-anonymity"))
    ]


_SAID = [
    *_comparisons(),
    *_traditional_comparisons(),
    *_figures(),
    _Said("fig2", "§5.3, Fig 2", "For small ε the error of DP k-anonymity is lower than that of "
          "k-anonymity itself, as fewer records are kept (tried at ε = 0.5 against all records; "
          "the printed numbers fit errors against the sample).", _sampling_helps, ("ma2019",)),
    _Said("text", "§4", "The error of DP suppression need not fall as ε grows.",
          _not_monotone, empty=BOTH),
    _Said("text", "§4", "DP suppression may be more precise than suppression itself (tried: at "
          "some ε of the tables).",
          _below_traditional_somewhere, empty=BOTH),
    _Said("table1", "Tables 1 to 3",
          "‖bias‖₁ of DP k-anonymity rises with ε (tried against all records; the printed "
          "numbers fit errors against the sample, and these do rise).",
          _course("dp-kanon", rises=True)),
    _Said("table1", "Tables 1 to 3", "‖bias‖₁ of DP swapping falls with ε.",
          _course("dp-swap", rises=False)),
    _Said("text", "§5", "Suppression, swapping and k-anonymity by themselves are not "
          "differentially private (δ is 1 for each).", _no_promise, empty=BOTH),
    _Said("text", "§7", "All printed numbers are means of 200 repetitions (tried on the digits "
          "of DP k-anonymity).", _two_hundred,
          ("ma2019",), tried_on=()),
]
CLAIMS: tuple[Claim, ...] = (
    *(Claim("P1", number, one.item, one.where, one.sentence, one.test, one.about, one.tried_on,
            one.empty, one.slow)
      for number, one in enumerate(_SAID, start=1)),
    *of_learning(len(_SAID) + 1),
)

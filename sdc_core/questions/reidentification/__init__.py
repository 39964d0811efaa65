"""Who can be found? Which unique people show in the release, and what could an outsider infer?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sdc_core.errors import InputError
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Doing, Mechanism
from sdc_core.mechanisms.dp_swapping import AS_IN_DAS_2024
from sdc_core.metrics.outsider import Knowledge, Risk, risk
from sdc_core.metrics.reidentification import (
    RULES,
    Rule,
    UniqueMatches,
    knows_chances,
    unique_matches,
)
from sdc_core.parameters import EPSILON, Choice, Param, Several
from sdc_core.questions import columns, sources
from sdc_core.questions.answer import Answer, Notice, Panel
from sdc_core.questions.question import (
    Control,
    Given,
    Preset,
    Question,
    move_along,
    tunable_params,
)
from sdc_core.questions.reidentification import figures, line_words, outsider_words, words
from sdc_core.questions.reidentification.compute import POINTS, matches_along
from sdc_core.questions.reidentification.compute import REPETITIONS as LINE_REPETITIONS
from sdc_core.questions.reidentification.households import households_panel
from sdc_core.questions.reidentification.method import METHOD
from sdc_core.questions.reidentification.represented import (
    represented_panel,
    represented_sentence,
)
from sdc_core.questions.study import EmptyGroups
from sdc_core.questions.work import Released, can_be_drawn
from sdc_core.words.numbers import listed, lowered

REPETITIONS = 40
KNOWN = ("PUMA", "RAC1P", "SEX", "OWN_RENT")
COUNTED = (*KNOWN, "INCOME_50K")  # by Das et al. 2024
GROUP = "RAC1P"
SUGGESTED = 3


def presets(given: Given) -> list[Preset]:
    """The paper's methods; it leaves out DP suppression, because the metric flatters it."""
    return [Preset(
        "das-2024-figure-5", "As in Das et al. 2024, Figure 5",
        (mechanism("laplace"), mechanism("discrete-gaussian"),
         mechanism("dp-swapping", **AS_IN_DAS_2024).suited_to(given.table)),
        EmptyGroups.LEFT_AT_ZERO,
    )]


def what_the_paper_says(given: Given) -> str:
    """Only where methods, table and conventions are the paper's; its rule is asked for."""
    (figure,) = presets(given)
    alike = set(given.table.domain.names) == set(COUNTED)
    if not alike or not figure.is_on(given.study, given.methods):
        return ""
    return line_words.PAPER if given["r_rule"] == "exactly-once" else line_words.OTHER_RULE


def rule(given: Given) -> Choice:
    return Choice(
        name="r_rule", title="A unique person counts as matched if in the release",
        default="at-least-once", choices=tuple(RULES),
        titles={str(name): title for name, title in RULES.items()}, segments=True,
        help="At least once is the rule of NIST's SDNist report, exactly once that of Das et al. "
        "2024.",
    )


def drawable(given: Given) -> list[Mechanism]:
    """Methods that are quick enough to be drawn along a line."""
    return [
        one for one in given.methods
        if can_be_drawn(one, given.table, POINTS, LINE_REPETITIONS, knows_chances(one))
    ]


def tune(given: Given) -> Choice | None:
    return move_along("r_tune", drawable(given))


def titles_of(given: Given) -> dict[str, str]:
    return {f.name: f.title for f in given.table.domain.features}


def outsider_asks(given: Given) -> list[Param]:
    """What the outsider knows and wants; nothing where there is only one feature."""
    titles, features = titles_of(given), given.table.domain.features
    names = tuple(titles)
    if len(names) < 2:
        return []
    wanted = columns.sensitive_of(features)
    known = columns.known_of(features, wanted, KNOWN)
    others = [f for f in features if f.name != wanted]
    group = next(iter(columns.groups_among(others, (GROUP,))), others[0].name)
    return [
        Several(name="r_known", title="The outsider knows", default=tuple(known), choices=names,
                titles=titles),
        Choice(name="r_sensitive", title="and wants to know", default=wanted, choices=names,
               titles=titles),
        Choice(name="r_group", title="Risk by", default=group, choices=names, titles=titles),
    ]


def answer(given: Given) -> Answer:
    released = given.work.releases(given.methods, given.table, given.seed, REPETITIONS)
    by_rule = {r: [matched(given, one, r) for one in released] for r in RULES}
    found = by_rule[given["r_rule"]]
    somebody = bool(released) and bool((given.table.counts == 1).any())
    risks, problem = what_outsiders_learn(given, released)
    headline, more = words.found_sentences(
        found, list(dict.fromkeys(risks)), not_counted_by(given), at_smallest_epsilon(given)
    )
    if given.table.weighted and found:
        more = f"{represented_sentence(list(dict.fromkeys(found)))} {more}".strip()
    panels: list[Panel] = []
    if somebody:
        panels += [*shown_along(given, found, headline), *why_flattered(given, by_rule)]
    if released:
        panels += outsider(given, risks, problem)
    if somebody:
        panels.append(who_is_unique(given, found))
        panels += represented_panel(found, given.table.weighted)
    panels += households_panel(given, released, given["r_rule"])
    empty = [
        words.empty_sentence(one, int((~rows.any(axis=1)).sum()), len(rows))
        for one, rows in released
    ]
    notices = tuple(Notice(t, "warning", "person_off") for t in dict.fromkeys(empty) if t)
    return Answer(headline, more, tuple(panels), notices)


def matched(given: Given, one: Released, by: Rule) -> UniqueMatches:
    rows = None if knows_chances(one.mechanism) else one.rows
    return given.work.kept(unique_matches, one.mechanism, given.table, by, rows)


def at_smallest_epsilon(given: Given) -> list[UniqueMatches]:
    """What noise shows where there is most of it: nearly what chance alone does."""
    noise = dict.fromkeys(
        one.replace(epsilon=EPSILON.range[0]) for one in given.methods
        if one.does is Doing.NOISE and EPSILON in one.relevant_params()
    )
    return [
        given.work.kept(unique_matches, one, given.table, given["r_rule"], None)
        for one in noise if knows_chances(one)
    ]


def not_counted_by(given: Given) -> list[str]:
    """Up to three features that the table could have as well, the data's usual ones first."""
    data = given.dataset
    names = dict.fromkeys([*data.default_features, *(f.name for f in columns.features(data))])
    return [data.column(n).title for n in names if n not in titles_of(given)][:SUGGESTED]


def shown_along(given: Given, found: list[UniqueMatches], headline: str) -> Iterator[Panel]:
    """How many unique people the release shows, along a parameter."""
    title = "How many people who are one of a kind does the release show?"
    shown = drawable(given)
    if not shown:
        yield Panel("unique-matches", title,
                    "These methods take too long to be drawn along a line.")
    param = tunable_params(shown).get(given.get("r_tune") or "")
    if param is None:
        return
    curves = [
        given.work.along(matches_along, one, param, given.table, given["r_rule"], given.seed)
        for one in shown
    ]
    finding = ""
    if param.name == EPSILON.name:
        finding = line_words.finding_sentence(curves, what_the_paper_says(given))
    drawn = any(p.method == "simulated" for curve in curves for p in curve.points)
    band = " A band holds nine of ten releases of a method whose line is simulated."
    band = band if drawn else " All lines are exact."
    slow = dict.fromkeys(
        m.mechanism.label_without(param) for m in found if m.mechanism not in shown)
    left_out = ""
    if slow:
        left_out = f" {listed(list(slow))}: a line would take too long and is left out."
    yield Panel(
        "unique-matches", title,
        f"{finding} Marks show the present setting; a method without this parameter is a level "
        f"line.{band}{left_out}".lstrip(),
        tuple(figures.match_lines(param, curves)),
        lambda: figures.match_table(param, curves),
        alt=f"Share of unique people in the release as {param.title} changes. {headline}",
        controls=("r_tune",),
    )


def why_flattered(given: Given, by_rule: dict[Rule, list[UniqueMatches]]) -> Iterator[Panel]:
    """What the two rules make of methods that hide small groups."""
    said = words.hiding_sentences(given.table, by_rule["exactly-once"], by_rule["at-least-once"])
    if said:
        yield Panel("flattered", words.SAYS_LITTLE, prose=said, minor=True)


def what_outsiders_learn(
    given: Given, released: Sequence[Released]
) -> tuple[list[Risk], str]:
    """What an outsider learns from each release that has people; or why that cannot be said."""
    try:
        knows = Knowledge.of(
            given.table.domain, given.get("r_known") or (), given.get("r_sensitive") or "",
            given.get("r_group"),
        )
    except InputError as problem:
        return [], str(problem)
    return [
        given.work.kept(risk, one, given.table, rows, knows) for one, rows in released if rows.any()
    ], ""


def outsider(given: Given, found: list[Risk], problem: str) -> Iterator[Panel]:
    title = "What does an outsider learn who knows some features?"
    controls = ("r_known", "r_sensitive", "r_group")
    if not found:
        notices = (Notice(problem, icon="info"),) if problem else ()
        yield Panel("risk", title, notices=notices, controls=controls)
        return
    titles, once = titles_of(given), list(dict.fromkeys(found))  # a method chosen twice is one
    said = outsider_words.risk_sentence(
        once, [titles[n] for n in given["r_known"]], titles[given["r_sensitive"]]
    )
    counted = " Counted in records." * given.table.weighted
    yield Panel(
        "risk", title, f"{said} {outsider_words.releases_sentence(once)}{counted}",
        figures.risk_bars(found, said), lambda: figures.risk_table(found), said, controls=controls,
    )
    for by, what in (
        ("by_size", "number of people who share the known values"),
        ("by_group", lowered(titles[given["r_group"]])),
    ):
        said = outsider_words.group_sentence(once, by, what)
        if outsider_words.nothing_gained(found, by):
            yield Panel(f"risk-{by}", caption=said)
            continue
        chart = figures.group_dots(found, by)
        small = words.too_small_sentence([g.people for g in getattr(found[0], by)])
        yield Panel(
            f"risk-{by}", f"Right guesses by {what}", f"{said} {small}".strip(),
            None if chart is None else (chart,), lambda: figures.risk_table(found), said,
        )


def who_is_unique(given: Given, found: list[UniqueMatches]) -> Panel:
    features, chosen = given.table.domain.features, given.get("r_group")
    axis = next((i for i, f in enumerate(features) if f.name == chosen), 0)
    said = words.unique_group_sentence(found[0], given.table, axis)
    chart = figures.unique_dots(found, given.table, axis)
    title = f"Unique people in the release by {lowered(features[axis].title)}"
    return Panel(
        "unique-by-group", title,
        f"{said} How many of them the release shows, and which part of the whole group they are. "
        f"{words.left_out_sentence(found[0], given.table, axis)}",
        None if chart is None else (chart,),
        lambda: figures.unique_table(found, given.table, axis), said or title,
    )


QUESTION = Question(
    address="reidentification", title="Who can be found?", section="What follows",
    icon="person_search",
    asks="which unique people show in the release, and what could an outsider infer?",
    sentence="Everyone who is one of a kind is still visible after method A, about half after "
    "method B; visible does not yet mean identified, for these reasons.",
    answer=answer, method=METHOD,
    sources=(f"{sources.P0} §7, Figure 5", sources.SDNIST),
    controls=(
        Control(rule, after_methods=True),
        Control(tune, after_methods=True, at_panel=True),
        Control(outsider_asks, at_panel=True, width=300),
    ),
    presets=presets, old_slots=("r1", "r2", "r3", "r4"), weighted=True,
    most_cells=200_000,  # forty releases of four methods: 256 MB
)

"""Who can be found? "Everyone who is one of a kind is still visible after X, about half after Y;
visible does not yet mean identified, for these reasons."
"""

import functools

import streamlit as st

from sdc_core.errors import InputError
from sdc_core.experiment import released_people, sweep_values
from sdc_core.figures import reidentification as figures
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics.outsider import Knowledge, Risk, risk
from sdc_core.metrics.reidentification import RULES, MatchCurve, match_curve, unique_matches
from sdc_core.narrative import outsider as outsider_words
from sdc_core.narrative import reidentification as words
from ui import cards, compute, explain_release, layout, sidebar, state

REPETITIONS = 40
CURVE_REPETITIONS = 20
CURVE_POINTS = 13
SLOTS = {  # P0 Figure 5, and the method that it leaves out because the metric flatters it
    "r1": mechanism("laplace"),
    "r2": mechanism("discrete-gaussian"),
    "r3": mechanism("dp-swapping"),
    "r4": mechanism("suppression", keep_zeros=True),
}
KNOWN = ("PUMA", "RAC1P", "SEX", "OWN_RENT")
GROUP = "RAC1P"
SUGGESTED = 3


def along() -> None:
    st.markdown("#### How many people who are one of a kind does the release show?")
    param = cards.move_along("r_tune", chosen)
    if param is None:
        return
    name = param.name
    shown = [m for m in chosen if not m.costly]
    curves = [_curve(m, name) for m in shown]
    finding = words.finding_sentence(curves) if name == "epsilon" else ""
    layout.chart(
        "unique-matches", "",
        f"{finding} Marks show the present setting; a method without this parameter is a level "
        "line.",
        compute.kept(
            "match-lines", (*key, *shown, name, rule, study.seed),
            lambda: figures.match_lines(param, curves),
        ),
        lambda: figures.match_table(param, curves),
        alt=f"Share of unique people in the release as {param.title} changes. {headline}",
    )
    flattered = words.suppression_sentence(
        histogram, by_rule["exactly-once"], by_rule["at-least-once"]
    )
    if flattered:
        st.markdown(f"**Why this flatters hiding.** {layout.plain(flattered)}")


def _curve(one: Mechanism, name: str) -> MatchCurve:
    """Kept for its settings other than the parameter that runs along the axis."""
    param = next((p for p in one.params() if p.name == name), None)
    base = one if param is None else one.replace(**{name: param.default})
    axis = next(p for m in chosen for p in m.params() if p.name == name)

    def make() -> MatchCurve:
        with st.spinner(f"{one.title} along {axis.title.lower()} …"):
            return match_curve(
                base, histogram, axis, rule, sweep_values(axis, CURVE_POINTS),
                lambda m: released_people(m, histogram, CURVE_REPETITIONS, study.seed),
            )

    kept = compute.kept("match-curves", (*key, base, name, rule, study.seed), make)
    here = None if param is None else float(one.settings()[name])
    return MatchCurve(one, kept.values, kept.points, here)


def outsider() -> list[Risk]:
    """Controls of the second view, and what it finds; nothing where the features do not fit."""
    st.markdown("#### What does an outsider learn who knows some features?")
    titles = {f.name: f.title for f in histogram.domain.features}
    names = list(titles)
    if len(names) < 2:
        st.info("The table is counted by one feature only: there is nothing to infer from it. "
                "Count people by at least two features.", icon=":material/info:")
        return []
    with st.container(horizontal=True, vertical_alignment="bottom"):
        known = state.choose_many(
            "r_known", "The outsider knows", names,
            [n for n in KNOWN if n in names[:-1]] or names[:-1], titles, width=440,
        )
        sensitive = state.choose(
            "r_sensitive", "and wants to know", names, names[-1], titles, width=230)
        group = state.choose(
            "r_group", "Risk by", names, GROUP if GROUP in names else names[0], titles, width=230)
    try:
        knows = Knowledge.of(histogram.domain, known, sensitive, group)
        found = [
            compute.kept("risks", (*key, m, study.seed, knows),
                         functools.partial(risk, m, histogram, rows, knows))
            for m, rows in drawn if rows.any()
        ]
    except InputError as problem:
        st.info(layout.plain(str(problem)), icon=":material/info:")
        return []
    if found:
        _show_risks(found, [titles[n] for n in known], titles[sensitive], titles[group])
    return found


def _show_risks(found: list[Risk], known: list[str], sensitive: str, group: str) -> None:
    text = outsider_words.risk_sentence(found, known, sensitive)
    layout.chart("risk", "", f"{text} Averages over {found[0].releases} releases.",
                 figures.risk_bars(found, text), lambda: figures.risk_table(found), text)
    for by, what in (("by_size", "number of people who share the known values"),
                     ("by_group", group.lower())):
        text = outsider_words.group_sentence(found, by, what)
        if outsider_words.nothing_gained(found, by):
            st.caption(layout.plain(text))
            continue
        layout.chart(f"risk-{by}", f"Right guesses by {what}", text,
                     figures.group_bars(found, by, text), lambda: figures.risk_table(found), text)


def who_is_unique() -> None:
    names = [f.name for f in histogram.domain.features]
    group = st.session_state.get("url.r_group", names[0])
    axis = names.index(group) if group in names else 0
    text = words.unique_group_sentence(matches[0], histogram, axis)
    layout.chart(
        "unique-by-group", f"Unique people in the release by "
        f"{histogram.domain.features[axis].title.lower()}",
        f"{text} How many of them the release shows, and which part of the whole group they are. "
        f"{words.left_out_sentence(matches[0], histogram, axis)}",
        figures.unique_bars(matches, histogram, axis, text),
        lambda: figures.unique_table(matches, histogram, axis), text,
    )


def not_counted_by() -> list[str]:
    """Up to three features that the table could have as well, the data's usual ones first."""
    data = study.dataset
    names = dict.fromkeys([*data.default_features, *data.features])
    return [data.column(n).title for n in names if n not in study.features][:SUGGESTED]


study = sidebar.study()
histogram = study.histogram
key = (study.key, study.features)
top = st.container()
cards_drawn, _ = cards.draw(histogram, lambda m: m.guarantee(histogram), SLOTS)
wanted = state.choose(
    "r_rule", "A unique person counts as matched if in the release", [*RULES], "at-least-once",
    {str(name): title for name, title in RULES.items()}, draw=st.segmented_control, required=True,
    help="At least once is the rule of NIST's SDNist report, exactly once that of Das et al. 2024.",
)
rule = next(r for r in RULES if r == wanted)
released = compute.releases(key, histogram, cards_drawn, REPETITIONS, study.seed)
drawn = [(m, r) for m, r in zip(cards_drawn, released, strict=True) if r is not None]
chosen = [m for m, _ in drawn]
by_rule = {
    r: [
        compute.kept("matches", (*key, m, r, study.seed),
                     functools.partial(unique_matches, m, histogram, r, rows))
        for m, rows in drawn
    ]
    for r in RULES
}
matches = by_rule[rule]
for one, rows in drawn:
    if sentence := words.empty_sentence(one, int((~rows.any(axis=1)).sum()), len(rows)):
        st.warning(layout.plain(sentence), icon=":material/person_off:")
headline = words.found_sentences(matches, [])[0]
somebody = (histogram.counts == 1).any()
risks: list[Risk] = []
if chosen and somebody:
    along()
if chosen:
    risks = outsider()
if chosen and somebody:
    who_is_unique()
with top:
    layout.answer(*words.found_sentences(matches, risks, not_counted_by()))
with st.expander("What do these numbers mean, and how are they computed?"):
    st.markdown(explain_release.REIDENTIFICATION_METHOD)
sidebar.footer(explain_release.reidentification_code(
    study.dataset, study.features, chosen, rule, REPETITIONS, study.seed))

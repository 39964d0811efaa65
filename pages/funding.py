"""Money and thresholds: "If so much money is shared by the number of renters in each place, method
A sends so much to the wrong places; the rule 'more than x% renters' flips these places."
"""

import functools

import streamlit as st

from sdc_core.errors import InputError
from sdc_core.figures import decisions as figures
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.metrics import decisions as metric
from sdc_core.narrative import decisions as words
from ui import cards, compute, layout, sidebar, state

RELEASES = 200
RENTERS = "OWN_RENT=2"
TABLES = {"full": "All usual features", "small": "Place and group"}

study = sidebar.study()
dataset = study.dataset


def ask() -> tuple[str, metric.Group, int, int, str]:
    """Which places, which group, how much money, which threshold, counted by what."""
    areas = [c.name for c in dataset.columns if c.kind == "categorical"]
    if not areas:
        raise InputError(
            "This data has no column of categories that could serve as places. Read one as "
            "categorical (How your columns are read), or choose other data."
        )
    titles = {c.name: c.title for c in dataset.columns}
    first, second = st.columns([2, 3])
    with first:
        area = state.choose(
            "area", "Places", areas, dataset.place or areas[0], titles,
            help="The column whose values share the money.",
        )
    offered = compute.kept(
        "conditions", (study.key, area), lambda: metric.conditions(dataset, area)
    )
    with second:
        chosen = state.choose_many(
            "group", "Shared by the number of people who are", list(offered),
            [RENTERS] if RENTERS in offered else [], {o: c.title for o, c in offered.items()},
            placeholder="everybody",
            help="Values of one feature are alternatives, features add up: Black or Asian, and "
            "renting. Nothing chosen: everybody.",
        )
    third, fourth, fifth = st.columns([1, 1, 2])
    with third:
        pot = state.whole_number("pot", "Money, $", 1_000_000, 1, 10**12,
                                 help="The fixed pot that is shared.")
    with fourth:
        percent = state.whole_number("threshold", "Rule: more than, %", 25, 0, 100,
                                     help="Applies to places where the group is a larger share.")
    with fifth:
        base = state.choose(
            "counted", "People are counted by", list(TABLES), "full", TABLES,
            draw=st.segmented_control, required=True,
            help="The more groups a table has, the more error adds up in each place.",
        )
    group = metric.Group.of((offered[o].feature, offered[o].value) for o in chosen)
    return area, group, pot, percent, base


def slots(area: str) -> cards.Slots:
    """Suppression as offices use it leaves zeros alone; swapping exchanges the place."""
    return {
        "f1": mechanism("laplace"),
        "f2": mechanism("dp-suppression"),
        "f3": mechanism("suppression", keep_zeros=True),
        "f4": mechanism("swapping", quasi_identifiers=(area,)),
    }


def draw_money() -> None:
    titles = ", ".join(f.title.lower() for f in table.domain.features)
    caption = words.money_caption(found, who, len(table), titles)
    layout.chart(
        "money", "Who gains, who loses?", caption, figures.gains(found, headline),
        lambda: figures.gains_table(found), alt=headline,
    )


def draw_rule() -> None:
    st.markdown(f"#### Which {words.units(found)} change sides at {percent}%?")
    remark = words.threshold_remark(found, who)
    if remark:
        st.info(layout.plain(remark))
    if who == words.EVERYBODY:
        return
    shown = len(figures.nearest_threshold(found))
    layout.chart(
        "threshold", "", words.rule_caption(found, who, shown), [figures.share_chart(found)],
        lambda: figures.share_table(found), alt=words.rule_caption(found, who, shown),
    )


def released() -> list[tuple[Mechanism, metric.AreaCounts]]:
    """Members and people by place in every release; methods that wait to be run are left out."""
    drawn = compute.releases(key, table, chosen, releases, study.seed)
    return [
        (one, compute.kept(
            "area-counts", (*key, one, len(people), study.seed, area, group),
            functools.partial(metric.area_counts, people, table.domain, area, group),
        ))
        for one, people in zip(chosen, drawn, strict=True) if people is not None
    ]


top = st.container()
code = "# Choose places and a group first."
try:
    area, group, pot, percent, base = ask()
    needed = (area, *group.features)
    features = needed if base == "small" else tuple(
        dict.fromkeys((*dataset.default_features, *needed)))
    table = compute.histogram_of(dataset, study.key, features)
    key, who = (study.key, features), words.group_words(group, table.domain)
    releases = metric.affordable_releases(len(table), RELEASES)
    chosen, _ = cards.draw(table, lambda m: m.guarantee(table), slots(area))
    found = metric.decide(table, area, group, pot, percent, released())
    code = words.decision_code(
        dataset.id if dataset.origin != "own" else dataset.source, features, area, group, pot,
        percent, chosen, releases, study.seed,
    )
except InputError as problem:
    with top:
        layout.answer("As it is set, this question cannot be answered on this data.")
    st.error(layout.plain(str(problem)), icon=":material/error:")
else:
    headline, more = words.decision_sentences(found, who)
    with top:
        layout.answer(headline, more)
    for sentence in words.undefined_sentences(found, who):
        st.info(layout.plain(sentence))
    if found.outcomes:
        draw_money()
        draw_rule()
with st.expander("What do these numbers mean, and how are they computed?"):
    st.markdown(words.METHOD)
sidebar.footer(code)

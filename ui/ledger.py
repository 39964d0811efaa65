"""If all were published: what this visit has drawn, and what it would promise together."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from sdc_core.histogram import Domain
from sdc_core.mechanisms.base import KnowsRho
from sdc_core.privacy.guarantee import log_rest
from sdc_core.privacy.ledger import Entry, total
from sdc_core.questions.question import Given
from sdc_core.words.guarantees import delta_text
from sdc_core.words.ledger import total_sentences
from sdc_core.words.numbers import sensible
from ui.terms import plain

_LEDGER = "ledger"
Key = tuple[str, Domain, str, int]


def note(given: Given) -> None:
    """Every method on the page, on the page's table: one entry however often it is shown. The same
    features with other groups, declared or as seen, are another table."""
    noted: dict[str, dict[Key, Entry]] = st.session_state.setdefault(_LEDGER, {})
    for one in given.chosen:
        table, data = given.table, given.dataset
        key = (data.digest, table.domain, one.mechanism.code(), given.seed)
        what = ", ".join(f.title for f in table.domain.features)
        what += " (groups as seen)" * bool(table.domain.read_off)
        rho = one.mechanism.rho if isinstance(one.mechanism, KnowsRho) else None
        largest = data.largest_household if one.guarantee.per_household else None
        noted.setdefault(data.title, {})[key] = Entry.of(
            what, one.mechanism.plain_label(), one.guarantee, rho, largest or 1
        )


def forget() -> None:
    st.session_state.pop(_LEDGER, None)


def popover() -> None:
    """What was drawn, data set by data set, since only releases of the same people add up."""
    place = st.popover("If all were published", icon=":material/receipt_long:", on_change="rerun",
                       key="popover.ledger", type="tertiary")
    if not place.open:
        return
    noted: dict[str, dict[Key, Entry]] = st.session_state.get(_LEDGER, {})
    with place:
        st.caption(
            "All that this visit has drawn, as if every table had been published. Each setting and "
            "each seed is a release of its own."
        )
        for data, entries in noted.items():
            listed = list(entries.values())
            st.markdown(f"**{plain(data)}**")
            for sentence in total_sentences(total(listed)):
                st.markdown(plain(sentence))
            st.dataframe(_frame(listed), hide_index=True)
        if not noted:
            st.markdown("Nothing has been drawn yet.")
        st.button("Forget", icon=":material/delete_sweep:", on_click=forget, key="ledger.forget")


def _frame(entries: list[Entry]) -> pd.DataFrame:
    return pd.DataFrame([
        {
            "Counted by": one.what, "Method": one.method,
            "ε": sensible(one.epsilon) if one.promises else "–", "δ": _delta(one),
            "ρ": "–" if one.rho is None or not one.promises else sensible(one.rho),
        }
        for one in entries
    ])


def _delta(one: Entry) -> str:
    text = delta_text(one.delta, log_rest(one.delta))
    return f"at most {text}" if one.is_bound and one.promises else text

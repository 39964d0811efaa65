"""The router: pages and the shared sidebar, nothing else. Start it with `make app`."""

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from ui import layout, sidebar, state

PAGES = Path(__file__).parent / "pages"

st.set_page_config(
    page_title="Disclosure control and differential privacy",
    page_icon="⚖️",
    layout="wide",
)


@dataclass(frozen=True)
class Entry:
    """A page in the menu. Its address is its file's name: until this router has run once, Streamlit
    takes the folder for an app of the old kind and looks addresses up there (sidebar.study then
    calls the router). `own_table`: the page's question says what people are counted by. `data`:
    what it starts on, if the reader has not chosen."""

    file: str
    title: str
    icon: str
    own_table: bool = False
    data: str = "ma2019"


MENU = {
    "Compare": (
        Entry("compare", "Compare", "compare_arrows"),
        Entry("map", "Map", "map"),
    ),
    "What is promised": (
        Entry("delta_epsilon", "δ versus ε", "gpp_maybe"),
        Entry("swap_rate", "Swap rate and ε", "swap_horiz"),
        Entry("protected", "What is protected?", "shield_question"),
    ),
    "Is it still true?": (
        Entry("swapping_changes", "What swapping changes", "shuffle"),
        Entry("told_apart", "Told apart", "join_inner"),
        Entry("subgroups", "Subgroups", "diversity_3", own_table=True, data="national2019"),
        Entry("classification", "Prediction", "model_training", own_table=True),
        Entry("sparsity", "Sparse tables", "blur_on"),
    ),
    "What follows": (
        Entry("reidentification", "Who can be found?", "person_search"),
        Entry("funding", "Money and thresholds", "account_balance", own_table=True),
    ),
}

page = st.navigation(
    {
        section: [
            st.Page(PAGES / f"{e.file}.py", title=e.title, icon=f":material/{e.icon}:",
                    default=e.file == "compare")
            for e in listed
        ]
        for section, listed in MENU.items()
    }
)
entry = next(e for listed in MENU.values() for e in listed if page.title == e.title)
layout.style()
state.begin(page.url_path)
sidebar.draw(entry.own_table, entry.data)
page.run()
sidebar.notices()
state.finish()

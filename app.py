"""The router: pages and the shared sidebar, nothing else. Start it with `make app`."""

from pathlib import Path

import streamlit as st

from ui import layout, sidebar, state

PAGES = Path(__file__).parent / "pages"

st.set_page_config(
    page_title="Disclosure control and differential privacy",
    page_icon="⚖️",
    layout="wide",
)
# A page's address is its file's name: until this router has run once, Streamlit takes the folder
# for an app of the old kind and looks addresses up there (sidebar.study then calls the router).
page = st.navigation(
    [
        st.Page(PAGES / "compare.py", title="Compare", icon=":material/compare_arrows:",
                default=True),
        st.Page(PAGES / "delta_epsilon.py", title="δ versus ε", icon=":material/gpp_maybe:"),
        st.Page(PAGES / "swap_rate.py", title="Swap rate and ε", icon=":material/swap_horiz:"),
        st.Page(PAGES / "swapping_changes.py", title="What swapping changes",
                icon=":material/shuffle:"),
        st.Page(PAGES / "protected.py", title="What is protected?",
                icon=":material/shield_question:"),
    ]
)
layout.style()
state.begin(page.url_path)
sidebar.draw()
page.run()
sidebar.notices()
state.finish()

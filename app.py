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
page = st.navigation(
    [
        st.Page(PAGES / "compare.py", title="Compare", icon=":material/compare_arrows:",
                default=True),
        st.Page(PAGES / "delta_epsilon.py", title="δ versus ε", icon=":material/gpp_maybe:",
                url_path="delta-epsilon"),
        st.Page(PAGES / "swap_rate.py", title="Swap rate and ε", icon=":material/swap_horiz:",
                url_path="swap-rate"),
        st.Page(PAGES / "what_is_protected.py", title="What is protected?",
                icon=":material/shield_question:", url_path="protected"),
        st.Page(PAGES / "swapping_changes.py", title="What swapping changes",
                icon=":material/shuffle:", url_path="swapping-changes"),
    ]
)
layout.style()
state.begin(page.url_path)
sidebar.draw()
page.run()
sidebar.notices()
state.finish()

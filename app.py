"""The router: pages and the shared sidebar, nothing else. Start it with `make app`."""

import streamlit as st

from ui import layout, sidebar, state

st.set_page_config(
    page_title="Disclosure control and differential privacy",
    page_icon=":material/balance:",
    layout="wide",
)
page = st.navigation(
    [
        st.Page("pages/compare.py", title="Compare", icon=":material/compare_arrows:",
                default=True),
        st.Page("pages/delta_epsilon.py", title="δ versus ε", icon=":material/gpp_maybe:",
                url_path="delta-epsilon"),
    ]
)
layout.style()
state.begin()
sidebar.draw()
page.run()
state.finish()

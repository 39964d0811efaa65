"""The smallest app with one chart: what a Streamlit rerun costs before anything is computed."""

import plotly.graph_objects as go
import streamlit as st

steps = st.slider("steps", 2, 50, 10, key="steps")
st.plotly_chart(go.Figure(go.Scatter(x=list(range(steps)), y=list(range(steps)))))

"""Pure functions from results to plotly figures: one palette, one theme."""

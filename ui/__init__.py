"""Streamlit glue shared by the pages: state in the URL, widgets from declarations, layout."""

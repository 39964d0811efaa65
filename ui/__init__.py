"""Streamlit glue shared by the pages: state in the URL, widgets from declarations, layout."""

from streamlit import net_util

# To judge a request from another origin, Streamlit asks a server elsewhere for this machine's
# outside address. Nothing here asks anything of other machines: the address counts as known.
net_util._external_ip = "127.0.0.1"

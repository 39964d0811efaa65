"""The app as the page tests start it.

Streamlit's test harness takes a folder named `pages` beside the entry script for an app of the old
kind and then runs a page's file without its router. Started from here, it sees no such folder.
"""

import runpy
from pathlib import Path

runpy.run_path(str(Path(__file__).resolve().parents[1] / "app.py"), run_name="__main__")

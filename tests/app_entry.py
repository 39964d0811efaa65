"""The app as the page tests start it.

Streamlit's test harness takes a folder named `pages` beside the entry script for an app of the old
kind and then runs a page's file without its router. Started from here, it sees no such folder.
"""

from ui import router

router.run()

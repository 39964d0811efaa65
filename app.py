"""The app. Start it with `make app`; what it shows is in ui/router.py and sdc_core/questions."""

from ui import router

router.run()

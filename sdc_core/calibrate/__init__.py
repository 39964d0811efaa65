"""The reverse question: which value of a parameter meets a wish?"""

from sdc_core.calibrate.affordable import about_seconds
from sdc_core.calibrate.declared import MEASURES, able, measure_named
from sdc_core.calibrate.measures import EVERYBODY, Measure, Reading
from sdc_core.calibrate.search import Interval
from sdc_core.calibrate.solving import Setting, Solution, solve, tunable, tunable_params

__all__ = [
    "EVERYBODY", "MEASURES", "Interval", "Measure", "Reading", "Setting", "Solution", "able",
    "about_seconds", "measure_named", "solve", "tunable", "tunable_params",
]

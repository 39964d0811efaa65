"""The engine: data, mechanisms, guarantees, metrics, figures. It knows no user interface."""

from __future__ import annotations

from sdc_core.data import Dataset, load_dataset
from sdc_core.errors import InputError
from sdc_core.experiment import Evaluation, evaluate, sweep
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms import mechanism, mechanisms
from sdc_core.privacy.guarantee import Guarantee

__all__ = [
    "Dataset", "Domain", "Evaluation", "Feature", "Guarantee", "Histogram", "InputError",
    "evaluate", "load_dataset",
    "mechanism", "mechanisms", "sweep",
]
__version__ = "0.1.0"

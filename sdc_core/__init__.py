"""The engine: data, mechanisms, guarantees, metrics, figures. It knows no user interface."""

from __future__ import annotations

from sdc_core.data import Dataset, load_dataset
from sdc_core.errors import InputError
from sdc_core.experiment import Evaluation, evaluate, released_people, sweep
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms import mechanism, mechanisms
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.privacy.swap_rate import epsilon_to_swap_rates, swap_rate_to_epsilon

__all__ = [
    "Dataset", "Domain", "Evaluation", "Feature", "Guarantee", "Histogram", "InputError",
    "epsilon_to_swap_rates", "evaluate", "load_dataset",
    "mechanism", "mechanisms", "released_people", "swap_rate_to_epsilon", "sweep",
]
__version__ = "0.1.0"

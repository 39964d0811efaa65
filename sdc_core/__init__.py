"""The engine: data, mechanisms, guarantees, metrics, questions. It knows no user interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sdc_core.auditing import Audit, audit
from sdc_core.calibrate import MEASURES, Solution, solve
from sdc_core.curves import sweep
from sdc_core.data import Column, Dataset, Role, Schema, Type, load_dataset
from sdc_core.errors import InputError
from sdc_core.experiment import Evaluation, evaluate, released_people
from sdc_core.histogram import Domain, Feature, Histogram
from sdc_core.mechanisms import mechanism, mechanisms
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.privacy.swap_rate import epsilon_to_swap_rates, swap_rate_to_epsilon
from sdc_core.release import read_release, write_release
from sdc_core.version import __version__

if TYPE_CHECKING:
    from sdc_core.questions import Study, ask
    from sdc_core.questions.rerun import run
    from sdc_core.report.pictures import write_pictures

__all__ = [
    "Audit", "Column", "Dataset", "Domain", "Evaluation", "Feature", "Guarantee", "Histogram",
    "InputError", "MEASURES", "Role", "Schema", "Solution", "Study", "Type", "__version__", "ask",
    "audit", "epsilon_to_swap_rates", "evaluate", "load_dataset", "mechanism", "mechanisms",
    "read_release", "released_people", "run", "solve", "swap_rate_to_epsilon", "sweep",
    "write_pictures", "write_release",
]


def __getattr__(name: str) -> Any:
    """`sdc.ask`, `sdc.run`, `sdc.Study`, `sdc.write_pictures`: questions draw charts, so they are
    loaded when somebody asks."""
    if name in ("ask", "Study"):
        from sdc_core import questions

        return getattr(questions, name)
    if name == "run":
        from sdc_core.questions import rerun

        return rerun.run
    if name == "write_pictures":
        from sdc_core.report import pictures

        return pictures.write_pictures
    raise AttributeError(f"module 'sdc_core' has no attribute {name!r}")

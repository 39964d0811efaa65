"""Databases that count patterns and hand records their new values.

An engine does two things only: it counts patterns (one GROUP BY), and it joins records with a small
table of what becomes of them. Both are the same SQL text in every engine (`statements.py`); what
differs, how files become a table and a result becomes files, is in the engine's own module. Numpy
never sees a record.
"""

from __future__ import annotations

from sdc_core.engines.engine import ENGINES, Engine, EngineName, Part
from sdc_core.engines.opening import opened
from sdc_core.engines.source import SCHEMA_OF_FOLDER, Source, is_elsewhere, source_of

__all__ = ["ENGINES", "SCHEMA_OF_FOLDER", "Engine", "EngineName", "Part", "Source", "is_elsewhere",
           "opened", "source_of"]

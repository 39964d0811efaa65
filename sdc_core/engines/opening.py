"""Which engine is taken. Each is imported when it is wanted: Spark needs Java, DuckDB a moment.
"""

from __future__ import annotations

from sdc_core.engines.engine import ENGINES, Engine, EngineName
from sdc_core.engines.source import Source
from sdc_core.errors import InputError


def opened(
    source: Source, engine: EngineName | None = None, id_column: str = "", master: str = ""
) -> Engine:
    """An engine on a source: DuckDB, unless Spark is asked for or is where the records are."""
    if engine not in (None, *ENGINES):
        raise InputError(f"engine must be {' or '.join(ENGINES)}, got {engine!r}.")
    wanted = engine or ("spark" if master or source.kind == "spark" else "duckdb")
    if wanted == "spark" and source.kind == "duckdb":
        raise InputError("Spark does not read DuckDB files. Take engine duckdb.")
    if wanted == "duckdb" and (master or source.kind == "spark"):
        raise InputError("A Spark master is for engine spark.")
    if wanted == "spark":
        from sdc_core.engines.spark import Spark

        return Spark(source, id_column, master)
    from sdc_core.engines.duck import DuckDb

    return DuckDb(source, id_column)

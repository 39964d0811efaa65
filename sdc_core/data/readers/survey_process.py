"""Reads an SPSS or Stata file from standard input and writes what is in it to standard output.

A program of its own, run under limits (`limited.py`): the library that knows these formats is
written in C, and a damaged file can crash it or make it ask for all memory. Here that ends this
process and nothing else. It is run by its path and imports nothing of the project, so that it
starts at once.

Written first is one line of JSON (what the file says about itself, or what is wrong), then the
table as an Arrow stream. A column that has letters for missing values (Stata's .a to .z) is
followed by a column of those letters.
"""

from __future__ import annotations

import io
import json
import math
import sys
from typing import Any

import pyarrow as pa
import pyreadstat

_DATES = ("MOYR", "QYR", "WKYR")  # SPSS: a month, a quarter, a week, kept as its first day


def main(kind: str, encoding: str, most_cells: int, metadata_only: bool) -> None:
    content = sys.stdin.buffer.read()
    read = pyreadstat.read_sav if kind == "SPSS" else pyreadstat.read_dta
    options: dict[str, Any] = {"output_format": "dict", "user_missing": True}
    if encoding:
        options["encoding"] = encoding
    _, meta = read(io.BytesIO(content), metadataonly=True, **options)
    columns = max(1, meta.number_columns)
    table = pa.table({})
    dates_kept = True
    if not metadata_only:
        if columns * (meta.number_rows or 0) > most_cells:
            _write({"rows": meta.number_rows, "columns": columns, "problem": "size"})
            return
        formats = [f for f in meta.original_variable_types.values() if f]
        options["extra_date_formats"] = sorted({
            f for f in formats if f.startswith(("%td", "%d", *_DATES))})
        options["extra_datetime_formats"] = sorted({f for f in formats if f.startswith("%tc")})
        options["row_limit"] = most_cells // columns + 1
        try:
            found, meta = read(io.BytesIO(content), **options)
        except OverflowError:  # a date that no calendar has
            dates_kept = False
            found, meta = read(io.BytesIO(content), disable_datetime_conversion=True, **options)
        rows = max((len(values) for values in found.values()), default=0)
        if columns * rows > most_cells:
            _write({"rows": rows, "columns": columns, "problem": "size"})
            return
        table = pa.table(_arrays(found, set(meta.missing_user_values)))
    _write(_said(meta, dates_kept), table)


def _arrays(found: dict[str, list[Any]], lettered: set[str]) -> dict[str, pa.Array]:
    out = {}
    for place, (name, values) in enumerate(found.items()):
        if name in lettered:
            out[f"{place}"] = pa.array([None if isinstance(v, str) else v for v in values])
            out[f"{place}.letters"] = pa.array(
                [v if isinstance(v, str) else None for v in values], pa.string())
        else:
            array = pa.array(values, from_pandas=True)
            nothing = pa.types.is_null(array.type)
            out[f"{place}"] = pa.nulls(len(array), pa.string()) if nothing else array
    return out


def _said(meta: Any, dates_kept: bool) -> dict[str, Any]:
    return {
        "names": [name or "" for name in meta.column_names], "encoding": meta.file_encoding or "",
        "titles": meta.column_names_to_labels, "formats": meta.original_variable_types,
        "measures": meta.variable_measure, "rows": meta.number_rows,
        "texts": [n for n, t in meta.readstat_variable_types.items() if t.startswith("string")],
        "labels": {name: list(labels.items())
                   for name, labels in meta.variable_value_labels.items()},
        "missing": {
            name: [[_bound(r["lo"]), _bound(r["hi"])] for r in ranges]
            for name, ranges in meta.missing_ranges.items()
        },
        "letters": meta.missing_user_values, "dates_kept": dates_kept,
    }


def _bound(value: Any) -> Any:
    """JSON knows no infinity: nothing stands for an open end."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _write(said: dict[str, Any], table: pa.Table | None = None) -> None:
    sys.stdout.buffer.write(json.dumps(said).encode() + b"\n")
    if table is not None:
        with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
            stream.write_table(table)


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] == "metadata")
    except MemoryError:
        _write({"problem": "size"})
    except LookupError:
        _write({"problem": "encoding"})
    except UnicodeError:
        _write({"problem": "letters"})
    except Exception as problem:  # whatever is wrong with it, it cannot be read
        _write({"problem": "unreadable", "reason": str(problem)})

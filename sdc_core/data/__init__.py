"""All file input and output: catalogue, loading, validation, derived columns, twins, export."""

from __future__ import annotations

from sdc_core.data.catalogue import CATALOGUE, default_id, entry, fetch_real_files, load_dataset
from sdc_core.data.dataset import Dataset
from sdc_core.data.export import to_safe_csv
from sdc_core.data.hierarchy_file import hierarchy_from_csv
from sdc_core.data.readers import Reading
from sdc_core.data.schema import Column, Role, Schema, Type

__all__ = [
    "CATALOGUE", "Column", "Dataset", "Reading", "Role", "Schema", "Type", "default_id", "entry",
    "fetch_real_files", "hierarchy_from_csv", "load_dataset", "to_safe_csv",
]

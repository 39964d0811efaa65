"""What leaves: a protected table or records as a file, its provenance, and reading it back."""

from __future__ import annotations

from sdc_core.release.content import FORMS, Form
from sdc_core.release.reading import ReleasedCounts, ReleasedGroups, read_release
from sdc_core.release.writing import ReleaseFile, Written, release_file, write_release, zipped

__all__ = [
    "FORMS", "Form", "ReleaseFile", "ReleasedCounts", "ReleasedGroups", "Written", "read_release",
    "release_file", "write_release", "zipped",
]

"""Python that makes an answer again: lines that run as they stand, from any folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sdc_core.data import Dataset
from sdc_core.data.catalogue import PROPOSED
from sdc_core.mechanisms.base import Mechanism
from sdc_core.questions.study import Study


def asking(
    address: str, study: Study, features: Sequence[str] | None,
    methods: Sequence[Mechanism] | None, controls: Mapping[str, Any],
) -> str:
    """Data, study and question; features and methods only where the question asks for any."""
    lines = ["import sdc_core as sdc", "", *reading(study.dataset)]
    lines += ["study = sdc.Study(", "    data,"]
    if features is not None:
        lines.append(f"    features={list(features)!r},")
    lines.append(f"    seed={study.seed},")
    lines.append(f"    empty_groups={str(study.empty_groups)!r},")
    lines.append(f"    domain={study.domain!r},")
    if study.represented:
        lines.append(f"    counted_as={str(study.counted_as)!r},")
    if methods is not None:
        lines += ["    methods=[", *(f"        {m.code()}," for m in methods), "    ],"]
    lines.append(")")
    keywords = {n: v for n, v in controls.items() if n.isidentifier()}
    others = {n: v for n, v in controls.items() if n not in keywords}
    arguments = [repr(address), "study", *(f"{n}={v!r}" for n, v in keywords.items())]
    if others:
        arguments.append(f"**{others!r}")
    return "\n".join([*lines, f"print(sdc.ask({', '.join(arguments)}))"])


def reading(data: Dataset) -> list[str]:
    """The data, with what was said about columns that are not as proposed."""
    if data.origin != "own":
        reads = f"sdc.load_dataset({data.id!r})"
    elif data.file_sha256:  # as proposed, whatever schema may lie beside the file
        options = "".join(f", {key}={value!r}" for key, value in data.read_as.items())
        reads = f"sdc.load_dataset({data.path or data.title!r}, schema={PROPOSED!r}{options})"
    else:
        reads = "sdc.load_dataset(frame)  # the DataFrame that was given"
    changed = [c for c in data.columns if c != data.proposed.column(c.name)]
    if not changed:
        return [f"data = {reads}"]
    corrections = [f"    {column.code()}," for column in changed]
    return [f"data = {reads}", "data = data.with_columns([", *corrections, "])"]

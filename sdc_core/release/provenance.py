"""What stands beside a released file: all that is needed to read it, to judge it, to make it again.

Question: what is in this file, who made it how, and what does it promise? The answer is one JSON
document without a date, so that the same release gives the same document.
"""

from __future__ import annotations

import dataclasses
import math
import platform
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from sdc_core.as_json import plain
from sdc_core.data import Dataset
from sdc_core.data.schema import Schema
from sdc_core.mechanisms.base import HidesCells, Release
from sdc_core.privacy.guarantee import Guarantee
from sdc_core.release.content import Content
from sdc_core.release.words import KEEP_BACK, STUDY, file_sentence, smallest_group
from sdc_core.version import __version__
from sdc_core.words.guarantees import exceeds_sentence, promise_sentence, published_text

FORMAT = "sdc_core release"
FORMAT_VERSION = 1
SUFFIX = ".provenance.json"


def provenance_of(
    content: Content, dataset: Dataset | None, columns: list[dict[str, Any]], file: dict[str, Any]
) -> dict[str, Any]:
    """The whole document; `columns` say what each column of the file holds, `file` which file."""
    release = content.release
    found = guarantee_of(content)
    label = release.mechanism.label()
    return plain({
        "format": FORMAT, "format_version": FORMAT_VERSION,
        "for": STUDY,
        "says": file_sentence(content, dataset),
        "file": file,
        "form": content.form,
        "counts": "whole" if content.whole else "fractional",
        "people": release_total(content),
        "columns": columns,
        **_what_became(content),
        "method": _method(release),
        "guarantee": {
            "in_words": promise_sentence(label, found), "published": published_text(found),
            "more_than_epsilon": exceeds_sentence(found), **found.numbers(),
        },
        "published_exactly": found.invariants,
        "data": _data(dataset),
        "schema": _schema(content, dataset),
        "versions": versions(),
        "private": {
            "why": KEEP_BACK, "seed": release.seed,
            **_hashes(dataset),
        },
    })


def guarantee_of(content: Content) -> Guarantee:
    """What the method promises about what is in the file. Marks that say which counts are hidden
    say more than a stand-in that looks like a count, so δ is that of a release with marks."""
    release = content.release
    method, table = release.mechanism, release.histogram
    found = method.guarantee(table)
    if content.hidden is None or not isinstance(method, HidesCells):
        return found
    marked = method.log_rest_marked(max(1, int(table.counts.max())))
    if marked >= found.log_rest_tight:
        return found
    remark = "This δ is that of a table which marks what is hidden: that says more than its counts."
    return dataclasses.replace(
        found, delta_tight=-math.expm1(marked), log_rest_tight=marked, log_within=None,
        remark=f"{found.remark} {remark}",
    )


def release_total(content: Content) -> float | int | None:
    """How many people the file shows; of a table with hidden counts nobody can say."""
    if content.hidden is not None and content.hidden.any():
        return None
    total: float | int = content.counts.sum().item()
    return total


def _what_became(content: Content) -> dict[str, Any]:
    """What is hidden, merged or drawn back."""
    out: dict[str, Any] = {}
    if content.hidden is not None:
        out["hidden"] = {"cells": int(content.hidden.sum()), "of": len(content.counts)}
    if content.groups is not None:
        out["merged"] = {
            "smallest_group": smallest_group(content), "left_out": content.groups.left_out,
            "k_anonymous": True,
        }
    if content.reconstructed is not None:
        found = content.reconstructed
        out["reconstructed"] = {
            "k_anonymous": False, "k": found.k, "groups_below_k": found.below,
            "people_alone": found.alone,
        }
    return out


def _method(release: Release) -> dict[str, Any]:
    method = release.mechanism
    return {
        "name": method.name, "title": method.title, "label": method.label(),
        "settings": method.settings(), "code": method.code(), "summary": method.summary,
        "citation": method.citation,
    }


def _data(dataset: Dataset | None) -> dict[str, Any] | None:
    if dataset is None:
        return None
    return {
        "title": dataset.title, "id": dataset.id, "origin": dataset.origin,
        "source": dataset.source, "rows": len(dataset),
    }


def _hashes(dataset: Dataset | None) -> dict[str, str]:
    """What names the data: their content as it was read, and the file that they came from."""
    if dataset is None:
        return {}
    file = {"data_file_sha256": dataset.file_sha256} if dataset.file_sha256 else {}
    return {"data_sha256": dataset.digest, **file}


def _schema(content: Content, dataset: Dataset | None) -> dict[str, Any] | None:
    """How the columns of the data were read that the release is about."""
    if dataset is None:
        return None
    used = [dataset.schema.column(feature.name) for feature in content.features]
    return Schema(tuple(column for column in used if column is not None)).to_dict()


def versions() -> dict[str, str]:
    """Of what the file was made with."""
    return {
        "sdc_core": __version__, "python": platform.python_version(), "numpy": np.__version__,
        "pandas": pd.__version__, "pyarrow": pa.__version__,
    }

"""Run: all that makes an answer, as one JSON file that can be kept and sent.

Which data (by name and checksum, never the records), what its columns mean, what is counted, which
methods with which settings, the seed, the question and its controls. A file that somebody gives is
treated as hostile: nothing in it is evaluated, and what does not fit is one sentence.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, NoReturn

from sdc_core.data import Dataset, Schema
from sdc_core.data.schema import shortened
from sdc_core.errors import InputError
from sdc_core.mechanisms import mechanism
from sdc_core.mechanisms.base import Mechanism
from sdc_core.questions.study import Study
from sdc_core.version import __version__
from sdc_core.whole_file import read_whole

FORMAT = "sdc-run"
VERSION = 1
MOST_BYTES = 20_000_000
_MOST_METHODS = 50
READ_AS = ("encoding", "separator", "engine", "table", "id_column")
# What a study has besides these is a plain setting, and is written by its name.
_OF_ITS_OWN_KIND = ("dataset", "features", "methods")


@dataclass(frozen=True)
class DataName:
    """Which data a run was made on: an id of the catalogue, or the name of a file; `path` says
    where that was, if it is known, and the rest how it was to be read (`READ_AS`)."""

    id: str = ""
    name: str = ""
    path: str = ""
    sha256: str = ""
    encoding: str = ""
    separator: str = ""
    engine: str = ""
    table: str = ""
    id_column: str = ""

    @classmethod
    def of(cls, data: Dataset) -> DataName:
        content = data.file_sha256 or data.digest
        if data.origin != "own":
            return cls(id=data.id, sha256=content)
        return cls(name=data.title, path=data.path, sha256=content, **data.read_as)

    @property
    def read_as(self) -> dict[str, str]:
        """What was asked for."""
        return {key: value for key in READ_AS if (value := getattr(self, key))}

    def __str__(self) -> str:
        return self.id or self.name


@dataclass(frozen=True, eq=False)
class Run:
    """A question, and what it was asked about. `controls` are texts as in a link; `settings` are
    the study's, by name; `files` are controls that were given a file, which is not kept."""

    question: str
    data: DataName
    schema: Schema | None
    features: tuple[str, ...]
    methods: tuple[Mechanism, ...]
    settings: Mapping[str, Any]
    controls: Mapping[str, str]
    files: tuple[str, ...] = ()
    version: str = __version__

    @classmethod
    def of(
        cls, question: str, study: Study, controls: Mapping[str, str], files: Sequence[str] = ()
    ) -> Run:
        data = study.dataset
        as_known = data.origin != "own" and data.schema is data.proposed
        return cls(
            question, DataName.of(data), None if as_known else data.schema,
            tuple(study.features), tuple(study.methods or ()),
            {name: getattr(study, name) for name in _plain_settings()}, dict(controls),
            tuple(files),
        )

    def study(self, data: Dataset) -> Study:
        """What is asked about, on this data."""
        return Study(data, self.features, methods=self.methods, **self.settings)

    def to_dict(self) -> dict[str, Any]:
        named = {k: v for k, v in dataclasses.asdict(self.data).items() if v}
        return {
            "format": FORMAT, "version": VERSION, "sdc_core": self.version,
            "question": self.question, "controls": dict(self.controls),
            **({"files": list(self.files)} if self.files else {}),
            "study": {
                "data": named, "features": list(self.features),
                **{k: str(v) if isinstance(v, StrEnum) else v for k, v in self.settings.items()},
                "methods": [{"name": m.name, "settings": m.settings()} for m in self.methods],
                **({} if self.schema is None else {"schema": self.schema.to_dict()}),
            },
        }

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Run:
        """What a run file says; one sentence where it is none."""
        if len(text) > MOST_BYTES:
            raise InputError(f"A run file has at most {MOST_BYTES / 1e6:.0f} MB.")
        try:
            given = json.loads(text, parse_constant=no_constant)
        except (ValueError, RecursionError) as problem:
            reason = str(problem).splitlines()[0] if isinstance(problem, ValueError) else "too deep"
            raise InputError(f"The run file is not JSON: {shortened(reason)}.") from None
        if not isinstance(given, dict) or given.get("format") != FORMAT:
            raise InputError(
                f"This is not a run file: it lacks \"format\": \"{FORMAT}\". Save one from a page."
            )
        if given.get("version") != VERSION:
            raise InputError(
                f"This run file has version {shortened(str(given.get('version')))}; this program "
                f"reads version {VERSION}."
            )
        return cls.from_dict(given)

    @classmethod
    def from_dict(cls, given: dict[str, Any]) -> Run:
        """From what `to_dict` gave; one sentence where something does not fit."""
        _check_keys(given, ("format", "version", "sdc_core", "question", "controls", "files",
                            "study"), "a run file")
        study = _typed(given, "study", dict)
        _check_keys(study, ("data", "schema", "features", "methods", *_plain_settings()), "a study")
        named = _typed(study, "data", dict)
        _check_keys(named, [f.name for f in dataclasses.fields(DataName)], "data")
        data = DataName(**{key: _typed(named, key, str) for key in named})
        if not str(data) or not re.fullmatch(r"[0-9a-f]{64}", data.sha256):
            raise InputError("In the run file, data needs an id or a name, and its sha256.")
        schema = study.get("schema")
        return cls(
            _typed(given, "question", str), data,
            None if schema is None else Schema.from_dict(schema),
            _texts(study, "features"), _methods(_typed(study, "methods", list)),
            {name: _typed(study, name, kind)
             for name, kind in _plain_settings().items() if name in study},
            {key: _text(value, f"control {key}")
             for key, value in _typed(given, "controls", dict).items()},
            _texts(given, "files") if "files" in given else (),
            _typed(given, "sdc_core", str),
        )


def read_run(path: str | Path) -> Run:
    """The run in a file."""
    try:
        return Run.from_json(read_whole(path, MOST_BYTES).decode())
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or "not a text file"
        raise InputError(f"The run file {str(path)!r} cannot be read: {reason}.") from None


def _plain_settings() -> dict[str, type]:
    """The study's settings besides data, features and methods, and what kind of value each has."""
    return {
        f.name: str if isinstance(f.default, str) else type(f.default)
        for f in dataclasses.fields(Study) if f.name not in _OF_ITS_OWN_KIND
    }


def _methods(listed: list[Any]) -> tuple[Mechanism, ...]:
    if len(listed) > _MOST_METHODS:
        raise InputError(f"In the run file, there are more than {_MOST_METHODS} methods.")
    found = []
    for one in listed:
        if not isinstance(one, dict):
            raise InputError("In the run file, a method is an object with a name and settings.")
        _check_keys(one, ("name", "settings"), "a method")
        name, settings = _typed(one, "name", str), _typed(one, "settings", dict)
        plain = mechanism(name)
        _check_keys(settings, [p.name for p in plain.params()], name)
        found.append(plain.replace(**settings))
    return tuple(found)


def _check_keys(given: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    unknown = [key for key in given if key not in known]
    if unknown:
        raise InputError(
            f"In the run file, {what} has {shortened(unknown[0])!r}, which is not known. It may "
            f"have: {', '.join(known)}."
        )


def _typed(given: Mapping[str, Any], key: str, kind: type) -> Any:
    value = given.get(key)
    if type(value) is not kind:
        words = {dict: "an object", list: "a list", str: "a text", int: "a whole number",
                 bool: "true or false", float: "a number"}
        raise InputError(
            f"In the run file, {key} must be {words[kind]}, got {shortened(repr(value))}."
        )
    return value


def _texts(given: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return tuple(_text(value, key) for value in _typed(given, key, list))


def _text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InputError(
            f"In the run file, {shortened(what)} must be a text, got {shortened(repr(value))}."
        )
    return value


def no_constant(constant: str) -> NoReturn:
    """JSON of other programs may say NaN; no setting is that."""
    raise ValueError(f"{constant} is not a number")

"""What columns mean, from a file: our own schema, or a dictionary that somebody else wrote.

Known are NIST's data dictionaries (JSON: column, description, values), csvw metadata (the W3C's
JSON beside a CSV), and SPSS and Stata files, which carry their dictionary with them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from sdc_core.data.described import Described, Dictionary
from sdc_core.data.raw import number_text
from sdc_core.data.readers import dictionary_of, survey_format
from sdc_core.data.schema import Schema, Type, shortened
from sdc_core.errors import InputError

MAX_BYTES = 200_000_000  # an SPSS file comes with its data
_MOST_JSON = 20_000_000
_CSVW_TYPES: dict[str, Type] = {
    **dict.fromkeys(
        ("integer", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger",
         "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte", "nonPositiveInteger",
         "negativeInteger", "gYear"), Type.WHOLE),
    **dict.fromkeys(("number", "decimal", "double", "float"), Type.NUMBER),
    **dict.fromkeys(("date", "dateTime", "datetime", "dateTimeStamp"), Type.DATE),
    **dict.fromkeys(("boolean", "string", "token", "normalizedString", "NMTOKEN", "Name"),
                    Type.CODE),
}
_PLAIN = r"[^\\\[\](){}.*+?^$|]+"
_PLAIN_CHOICE = re.compile(rf"\^?\(?(?:\?:)?({_PLAIN}(?:\|{_PLAIN})+)\)?\$?")


def schema_from(given: str | bytes, name: str = "The schema") -> Schema | Dictionary:
    """The schema in a file; of a dictionary that knows no roles, what it says about columns.
    `name` is what the file is called in a sentence that says what is wrong."""
    if isinstance(given, bytes) and survey_format(given):
        if len(given) > MAX_BYTES:
            raise InputError(f"{name} is too large for a dictionary. Save it without its records.")
        return dictionary_of(given, name)
    content = _json(given, name)
    if isinstance(content, Mapping):
        if _is_csvw(content):
            return _from_csvw(content, name)
        if isinstance(content.get("columns"), list):
            return Schema.from_dict(content)
        if _is_nist(content):
            return Dictionary(tuple(_from_nist(key, said) for key, said in content.items()))
    raise InputError(
        f"{name} is JSON, but neither a schema ({{'columns': [...]}}), a NIST data dictionary nor "
        "csvw metadata. Save a schema on the page Your data to see what one looks like."
    )


def _json(given: str | bytes, name: str) -> Any:
    if len(given) > _MOST_JSON:
        raise InputError(f"{name} is too long for a schema; the limit is {_MOST_JSON:,} letters.")
    try:
        text = given.decode("utf-8-sig") if isinstance(given, bytes) else given
        return json.loads(text.removeprefix("\ufeff"))
    except UnicodeDecodeError:
        raise InputError(
            f"{name} is not a schema: give JSON (UTF-8), or an SPSS or Stata file."
        ) from None
    except RecursionError:
        raise InputError(f"{name} is not a schema: its JSON is nested too deeply.") from None
    except ValueError as problem:
        reason = shortened(str(problem).splitlines()[0])
        raise InputError(f"{name} is not JSON: {reason}.") from None


def _is_nist(content: Mapping[str, Any]) -> bool:
    """Every column is an object with a description, values, or both."""
    return bool(content) and all(
        isinstance(said, Mapping) and ("description" in said or "values" in said)
        and isinstance(said.get("values", {}), Mapping)
        for said in content.values()
    )


def _from_nist(name: str, said: Mapping[str, Any]) -> Described:
    """A range (`min` and `max`) makes a number, and other codes beside it mean that there is none
    (`N`) or have a meaning of their own; without a range, codes are all that there are."""
    values = said.get("values", {})
    labels = {code: shortened(str(text)) for code, text in values.items()
              if code not in ("min", "max")}
    title = shortened(str(said.get("description", "")).strip())
    if len(labels) == len(values):
        return Described(name, title, Type.CODE if labels else None, labels)
    ends = [values[end] for end in ("min", "max") if end in values]
    whole = all(isinstance(end, int) for end in ends)
    missing = tuple(code for code in labels if not _is_number(code))
    rest = "; ".join(f"{code}: {text}" for code, text in labels.items() if code not in missing)
    return Described(
        name, title, Type.WHOLE if whole else Type.NUMBER, {}, missing,
        labels[missing[0]] if len(missing) == 1 else "", note=shortened(rest),
    )


def _is_csvw(content: Mapping[str, Any]) -> bool:
    return "tableSchema" in content or isinstance(content.get("tables"), list) or any(
        "csvw" in str(part) for part in _listed(content.get("@context", [])))


def _from_csvw(content: Mapping[str, Any], name: str) -> Dictionary:
    tables = content.get("tables", [content])
    schemas = [t.get("tableSchema") for t in _listed(tables) if isinstance(t, Mapping)]
    found = [s for s in (*schemas, content.get("tableSchema")) if isinstance(s, Mapping)]
    columns = [c for s in found for c in _listed(s.get("columns", [])) if isinstance(c, Mapping)
               and not c.get("virtual")]
    if not columns:
        raise InputError(
            f"{name} is csvw metadata without columns. It needs a tableSchema that lists them."
        )
    known: dict[str, Described] = {}
    for place, column in enumerate(columns):
        said = _csvw_column(column, content, place)
        known.setdefault(said.name, said)  # the first table that names it
    return Dictionary(tuple(known.values()))


def _csvw_column(column: Mapping[str, Any], content: Mapping[str, Any], place: int) -> Described:
    """A title is what the header says; a longer text beside it is better to read."""
    titles = _texts(column.get("titles", column.get("title")))
    name = titles[0] if titles else str(column.get("name", f"_col.{place + 1}"))
    words = next((t for key in ("dc:title", "dc:description", "dcterms:description",
                                "rdfs:comment", "schema:description", "description")
                  for t in _texts(column.get(key))), "")
    kind = column.get("datatype", "")
    details = kind if isinstance(kind, Mapping) else {"base": kind}
    values = _csvw_values(details)
    nulls = column.get("null", content.get("null", ""))
    several = column.get("separator")
    return Described(
        name, shortened(words or (titles[1] if len(titles) > 1 else name)),
        _CSVW_TYPES.get(str(details.get("base", "")) or ("string" if values else "")), values,
        tuple(_texts(nulls, empty=True)),
        may_be_missing="null" in column and column.get("required") is not True,
        decimal="," if _decimal_char(details) == "," else "",
        note=f"several values in one cell, separated by {several!r}" if several else "",
    )


def _csvw_values(details: Mapping[str, Any]) -> dict[str, str]:
    """All values that there may be, where the format lists them: `Y|N`, `^(a|b|c)$`."""
    base, format_ = details.get("base", "string"), details.get("format", "")
    if base == "boolean":
        parts = format_.split("|") if isinstance(format_, str) and format_ else ["true", "false"]
    elif base == "string" and isinstance(format_, str):
        found = _PLAIN_CHOICE.fullmatch(format_)
        parts = found[1].split("|") if found else []
    else:
        return {}
    return {part: shortened(part) for part in parts}


def _decimal_char(details: Mapping[str, Any]) -> str:
    said = details.get("format")
    return str(said.get("decimalChar", ".")) if isinstance(said, Mapping) else "."


def _texts(given: Any, empty: bool = False) -> list[str]:
    """A text, a list of texts, or texts by language; numbers are written out."""
    if isinstance(given, Mapping):
        given = given.get("en", next(iter(given.values()), None)) if "@value" not in given else (
            given["@value"])
    found = [number_text(float(t)) if isinstance(t, (int, float)) else t for t in _listed(given)]
    return [t for t in found if isinstance(t, str) and (t or empty)]


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [] if given is None else [given]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

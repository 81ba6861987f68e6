"""The JSON Schema of the configuration, as SchemaStore takes them (draft 7): made from the keys and the rules.

`config/schema.json` is its text, shipped with the package and printed by `compilelint config --schema`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from compilelint.keys import DYNAMO_KEYS, KEYS, MOST_SECONDS, TARGET_KEYS, Key
from compilelint.model import Effect, Rule

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string", "minLength": 1}
_RULE: Schema = {"$ref": "#/definitions/rule"}
_RULES: Schema = {"type": "array", "items": _RULE}
_WHOLE: Schema = {"type": "array", "items": {"type": "integer"}}


def schema_text(rules: Sequence[Rule]) -> str:
    """The whole schema as a file."""
    return json.dumps(schema(rules), indent=2) + "\n"


def schema(rules: Sequence[Rule]) -> Schema:
    """The schema of `compilelint.toml`, which is that of `[tool.compilelint]` too."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "urn:compilelint:schema",
        "title": "compilelint",
        "description": "Configuration of compilelint, the linter of code for torch.compile",
        **_table(KEYS),
        "definitions": {"rule": _rule(rules), "dynamo": _table(DYNAMO_KEYS), "target": _target()},
    }


def _table(keys: Iterable[Key]) -> Schema:
    return {"type": "object", "additionalProperties": False, "properties": {one.name: _key(one) for one in keys}}


def _target() -> Schema:
    return {**_table(TARGET_KEYS), "required": [one.name for one in TARGET_KEYS if one.default == "needed"]}


def _rule(rules: Sequence[Rule]) -> Schema:
    """What names rules; codes and names may be written in any case, editors offer the usual one."""
    codes = [rule.code for rule in rules]
    families = list(dict.fromkeys(code[:3] for code in codes))
    words = ["ALL", *families, *codes, *(rule.name for rule in rules), *(effect.value for effect in Effect)]
    return {"type": "string", "anyOf": [{"enum": words}, {"pattern": "^[A-Za-z][A-Za-z0-9-]*$"}]}


def _key(one: Key) -> Schema:
    """What a key takes, and what editors show of it."""
    default = _default(one)
    words = "" if default else f"; without it: {one.default}"
    return {**_VALUES.get(one.kind, {}), **_choices(one), "description": f"{_upper(one.meaning)}{words}", **default}


def _choices(one: Key) -> Schema:
    if one.kind == "severities":
        return {"type": "object", "propertyNames": _RULE, "additionalProperties": {"enum": list(one.choices)}}
    if one.kind == "compilers":
        names = {"pattern": r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)+$"}
        return {"type": "object", "propertyNames": names, "additionalProperties": {"enum": list(one.choices)}}
    return {"enum": list(one.choices)} if one.choices else {}


def _default(one: Key) -> Schema:
    """The default as data, where it is a value that could be written."""
    if one.choices:
        return {"default": one.default} if one.default in one.choices else {}
    try:
        return {"default": json.loads(one.default)}
    except ValueError:
        return {}


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


_INPUT: Schema = {"type": ["string", "number", "boolean", "array", "object"]}
_VALUES: Mapping[str, Schema] = {
    "text": _TEXT,
    "any-text": {"type": "string"},
    "reference": {"type": "string", "pattern": "^.+:[A-Za-z_][\\w.]*$"},
    "torch-version": _TEXT,
    "texts": {"type": "array", "items": _TEXT},
    "any-texts": {"type": "array", "items": {"type": "string"}},
    "patterns": {"type": "array", "items": _TEXT},
    "flag": {"type": "boolean"},
    "rules": _RULES,
    "ignores": {"type": "object", "additionalProperties": _RULES},
    "seconds": {"type": "number", "exclusiveMinimum": 0, "maximum": MOST_SECONDS},
    "positive": {"type": "number", "exclusiveMinimum": 0},
    "count": {"type": "integer", "minimum": 0},
    "table": {"type": "object"},
    "dynamo": {"allOf": [{"$ref": "#/definitions/dynamo"}]},  # draft 7 overlooks what stands beside a `$ref`
    "targets": {"type": "array", "items": {"$ref": "#/definitions/target"}},
    "inputs": {
        "anyOf": [
            {"type": "string"},
            {"type": "object", "additionalProperties": _INPUT},
            {"type": "array", "minItems": 1, "items": {"type": "string"}},
            {"type": "array", "minItems": 1, "items": {"type": ["array", "object"]}},
        ]
    },
    "weights": {"type": "array", "items": {"type": "number", "exclusiveMinimum": 0}},
    "dims": {"anyOf": [_WHOLE, {"type": "object", "additionalProperties": _WHOLE}]},
    "seeds": {**_WHOLE, "minItems": 1},
}

"""Documents of strangers: TOML and JSON, whatever they try to do to their parser.

The parsers themselves raise a handful of exceptions for what is no document (a number of too many digits is a plain
ValueError, deep nesting a RecursionError) and take quadratic time over a key of very many parts. Here each becomes one
`NotParsedError`, with the line where there is one and never with text of the document beyond a character.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from compilelint.model.patterns import late_pattern

T = TypeVar("T")

_MOST_PARTS = 100
_AT_LINE = late_pattern(r"^(.*) \(at line (\d+), column \d+\)$", re.DOTALL)
_TEXTS = late_pattern(r'"[^"\\]*(?:\\.[^"\\]*)*"' + r"|'[^']*'")
_PART = late_pattern(r"[\w\"'][ \t]*\.[ \t]*(?=[\w\"'])")


class NotParsedError(Exception):
    """`message` says what is wrong, in one sentence part without a full stop; `line` is 1-based, 0 where unknown."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def toml_of(data: bytes | str) -> dict[str, Any]:
    """A TOML document. Raises NotParsedError."""
    text = _decoded(data)
    for at, one in enumerate(text.split("\n"), 1):
        if one.count(".") > _MOST_PARTS and len(_PART.findall(_TEXTS.sub('""', one))) > _MOST_PARTS:
            raise NotParsedError(f"a key of more than {_MOST_PARTS} parts", at)
    if sys.version_info >= (3, 11):  # here, for most runs read no TOML
        import tomllib
    else:
        import tomli as tomllib
    try:
        return _guarded(lambda: tomllib.loads(text), tomllib.TOMLDecodeError)
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.match(str(error))
        what, line = (found.group(1), int(found.group(2))) if found else (str(error), text.count("\n") + 1)
        what = what.partition(" (at ")[0]
        raise NotParsedError(f"not valid TOML: {what[:1].lower()}{what[1:]}", line) from error


def json_of(data: bytes | str) -> Any:
    """A JSON document. Raises NotParsedError."""
    text = _decoded(data).removeprefix("\ufeff")
    try:
        return _guarded(lambda: json.loads(text), json.JSONDecodeError)
    except json.JSONDecodeError as error:
        raise NotParsedError(f"not valid JSON: {error.msg[:1].lower()}{error.msg[1:]}", error.lineno) from error


def _decoded(data: bytes | str) -> str:
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise NotParsedError("the file is not UTF-8", data[: error.start].count(b"\n") + 1) from error


def _guarded(parse: Callable[[], T], own: type[Exception]) -> T:
    """What parsing gives; what a parser raises beside its `own` error is one of ours."""
    try:
        return parse()
    except own:
        raise
    except RecursionError as error:
        raise NotParsedError("nested too deeply") from error
    except MemoryError as error:
        raise NotParsedError("too large for the memory there is") from error
    except (ValueError, OverflowError) as error:
        digits = "digits" in str(error)
        raise NotParsedError("a number of too many digits" if digits else "a value that cannot be read") from error

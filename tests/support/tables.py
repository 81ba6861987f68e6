"""Every table, enumeration and default of a room, as text: one line each, so that a changed item is a changed line.

A word that is gone from a table, a limit that is one more, a default that is the other: programs that meet each are
more than a room can have tests for, so the room pins them whole in `golden/tables.txt`. What a line *does* is for the
tests beside it. `python -m tests.support.tables` writes the files again; the difference is to be read line by line.
"""

from __future__ import annotations

import ast
import enum
import importlib
import inspect
import re
import types
import typing
from collections.abc import Iterator
from collections.abc import Mapping as Dictionary
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from compilelint.model.patterns import late_pattern

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "compilelint"
REWRITE_THEM = "if the new lines are right: python -m tests.support.tables"
ROOMS = tuple(
    "bench cache checks cli config disk dynamic events fixes interp model project report session survey syntax "
    "torchfacts values".split()
)
_TORCH_ALONE = ("worker", "generate")
_WIDTH = 110


def tables(room: str) -> str:
    """What `golden/tables.txt` of a room should hold today."""
    parts = []
    for path in sorted((SOURCE / room).rglob("*.py")):
        inside = path.relative_to(SOURCE).as_posix()
        if not set(_TORCH_ALONE) & set(path.parts):
            lines = list(_of_module(path, inside))
            parts += [f"# {inside}", *lines, ""] if lines else []
    return "\n".join(parts)


def _of_module(path: Path, inside: str) -> Iterator[str]:
    name = "compilelint." + inside.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    module = importlib.import_module(name)
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=word)], value=value)
                | ast.AnnAssign(target=ast.Name(id=word), value=ast.expr() as value)
            ):
                if word != "__all__" and hasattr(module, word) and not _is_filled_later(value):
                    yield from _entry(word, getattr(module, word))
            case ast.FunctionDef():
                yield from _defaults(node.name, inspect.unwrap(getattr(module, node.name, None) or tables))
            case ast.ClassDef() if isinstance(made := getattr(module, node.name, None), type):
                yield from _of_class(made, node)


def _is_filled_later(value: ast.expr) -> bool:
    """A memory of the process, which holds what was asked so far."""
    return ast.unparse(value) in ("{}", "[]", "set()", "dict()")


def _of_class(made: type[Any], node: ast.ClassDef) -> Iterator[str]:
    if issubclass(made, enum.Enum):
        for member in made:
            yield from _entry(f"{made.__name__}.{member.name}", member.value)
    elif is_dataclass(made):
        for one in fields(made):
            for kind, default in (("", one.default), (" made by", one.default_factory)):
                if default.__class__.__name__ != "_MISSING_TYPE":
                    yield from _entry(f"{made.__name__}.{one.name}{kind}", default)
            if not (one.init and one.repr and one.compare):
                flags = f"{one.init} {one.repr} {one.compare}"
                yield f"{made.__name__}.{one.name} init, repr, compare: {flags}"
    for inner in node.body:
        match inner:
            case ast.FunctionDef() if inspect.isfunction(found := made.__dict__.get(inner.name)):
                yield from _defaults(f"{made.__name__}.{inner.name}", found)
            case ast.Assign(targets=[ast.Name(id=word)]) if not issubclass(made, enum.Enum) and word in made.__dict__:
                yield from _entry(f"{made.__name__}.{word}", made.__dict__[word])


def _defaults(name: str, function: Any) -> Iterator[str]:
    if not inspect.isfunction(function):
        return
    for one in inspect.signature(function).parameters.values():
        if one.default is not one.empty:
            yield from _entry(f"{name}({one.name})", one.default)


def _entry(name: str, value: object) -> Iterator[str]:
    """One line, or for what is long a line an item."""
    text = _text(value)
    if not text:
        return
    if len(text) <= _WIDTH or not isinstance(value, (tuple, list, set, frozenset, Dictionary)):
        yield f"{name} = {text}"
        return
    yield f"{name} ="
    if isinstance(value, Dictionary):
        yield from (f"    {_text(key)}: {_text(one)}" for key, one in value.items())
        return
    items = [_text(one) for one in value]
    line = ""
    for item in sorted(items) if isinstance(value, (set, frozenset)) else items:
        if line and len(line) + len(item) > _WIDTH:
            yield f"   {line}"
            line = ""
        line += f" {item}"
    yield f"   {line}"


def _text(value: object) -> str:
    match value:
        case enum.Enum():
            return f"{type(value).__name__}.{value.name}"
        case re.Pattern():
            return f"pattern {value.pattern!r} {value.flags & ~int(re.UNICODE)}"
        case _ if type(value).__name__ == late_pattern.__name__:
            return f"pattern {value._given}"  # type: ignore[attr-defined]
        case tuple() if hasattr(value, "_fields"):
            return f"{type(value).__name__}({', '.join(map(_text, value))})"
        case tuple() | list():
            return f"({', '.join(map(_text, value))})"
        case set() | frozenset():
            return f"{{{', '.join(sorted(map(_text, value)))}}}"
        case Dictionary():
            return "{" + ", ".join(f"{_text(key)}: {_text(one)}" for key, one in value.items()) + "}"
        case str():
            return repr(value.replace(str(ROOT), "ROOT"))
        case bytes() | bool() | int() | float() | complex() | None:
            return repr(value)
        case _ if typing.get_origin(value) is typing.Literal:
            return f"one of ({', '.join(map(_text, typing.get_args(value)))})"
        case _ if typing.get_origin(value) is not None:
            return ""  # a type, for the type checker alone; Python 3.10 calls `tuple[int]` a type too
        case types.FunctionType() | type():
            return value.__qualname__.replace("<locals>.", "")
        case _ if is_dataclass(value):  # without `_key`, which a value keeps once it was asked for
            given = [
                f"{one.name}={_text(getattr(value, one.name))}"
                for one in fields(value)
                if one.repr and one.name != "_key"
            ]
            return f"{type(value).__name__}({', '.join(given)})"
        case _ if callable(value):
            return getattr(value, "__qualname__", type(value).__name__)
    return ""  # a state, such as a logger or a cache


def path_of(room: str) -> Path:
    """Where a room keeps its tables."""
    return ROOT / "tests" / room / "golden" / "tables.txt"


if __name__ == "__main__":
    for room in ROOMS:
        path_of(room).parent.mkdir(exist_ok=True)
        path_of(room).write_text(tables(room), encoding="utf-8")

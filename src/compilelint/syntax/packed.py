"""IR as bytes and back, so that a file that did not change need not be parsed again.

Functions and classes are bytes within the bytes, read when what is in them is first asked for: of what a model imports,
most functions are never called. The bytes are those of `marshal`, for the Python that wrote them; the caller vouches
that they are whole (`cache.store` does, by the user's own key). Nothing but IR comes out of them: every field is held
against its declared type.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Collection
from functools import partial
from operator import attrgetter
from types import EllipsisType
from typing import Any, TypeAlias

from compilelint.syntax import ir

Packed: TypeAlias = Any
"""A node as a list (its number, then its fields), a tuple of such, or what a field holds as it is."""

_Reader: TypeAlias = Callable[[Packed], Any]


class NotPackedError(Exception):
    """The bytes are no IR."""


def packed(module: ir.Module) -> bytes | None:
    """What stands in a module, without its path and name; None where it is nested too deeply to be written."""
    try:
        return marshal.dumps((dict(module.wide_lines), _packed(module.body)))
    except ValueError:
        return None


def unpacked(data: bytes, path: str, name: str, is_package: bool) -> ir.Module:
    """What `packed` was given, as a module of that path and name. Raises NotPackedError."""
    try:
        wide, body = marshal.loads(data)
        if wide.__class__ is not dict or any(
            at.__class__ is not int or row.__class__ is not str for at, row in wide.items()
        ):
            raise TypeError("no lines")
        return ir.Module(path, name, is_package, _reader("Body")(body), wide)
    except (ValueError, TypeError, IndexError, EOFError) as error:
        raise NotPackedError(f"{type(error).__name__}: {error}") from error


# ------------------------------------------------------------------------ nodes

_NODES: list[type[Any]] = [
    one
    for one in vars(ir).values()
    if isinstance(one, type) and one.__module__ == ir.__name__ and one not in (ir.Noted, ir.Late, ir.Module)
]
_FIELDS: dict[type[Any], tuple[str, ...]] = {node: node.__match_args__ for node in _NODES}
_NUMBER = {node: number for number, node in enumerate(_NODES)}
_LATE = {ir.Function: ("params", "body", "returns", "local_names"), ir.Class: ("body",)}
"""The fields that are read when one of them is asked for."""
_AT_ONCE = {node: tuple([name for name in names if name not in _LATE.get(node, ())]) for node, names in _FIELDS.items()}


def _values(names: Collection[str]) -> Callable[[Any], tuple[Any, ...]]:
    """The values of fields, as a tuple."""
    get: Callable[[Any], Any] = attrgetter(*names)
    return get if len(names) > 1 else lambda node: (get(node),)


_WRITTEN = {node: (_NUMBER[node], _values(_AT_ONCE[node])) for node in _NODES}
_WRITTEN_LATE = {node: _values(names) for node, names in _LATE.items()}


def _packed(value: Any) -> Packed:
    kind = value.__class__
    if kind is tuple:
        return tuple([one if one.__class__ in _PLAIN else _packed(one) for one in value]) if value else value
    known = _WRITTEN.get(kind)
    if known is None:
        return value
    number, fields = known
    out = [number, *[one if one.__class__ in _PLAIN else _packed(one) for one in fields(value)]]
    if kind in _LATE:
        out.append(marshal.dumps(_packed(_WRITTEN_LATE[kind](value))))
    return out


_PLAIN: frozenset[type[Any]] = frozenset((int, str, bool, type(None)))
_CONSTANTS: frozenset[type[Any]] = frozenset((*_PLAIN, float, complex, bytes, EllipsisType))

# ---------------------------------------------------------------------- reading


def _exactly(*kinds: type[Any]) -> _Reader:
    def read(value: Packed) -> Any:
        if value.__class__ not in kinds:
            raise TypeError(f"{value.__class__.__name__} in place of {kinds[0].__name__}")
        return value

    return read


def _optional(reader: _Reader) -> _Reader:
    return lambda value: None if value is None else reader(value)


def _many(reader: _Reader) -> _Reader:
    def read(value: Packed) -> Any:
        if value.__class__ is not tuple:
            raise TypeError(f"{value.__class__.__name__} in place of a tuple")
        return tuple([reader(one) for one in value]) if value else value

    return read


def _pair(first: _Reader, second: _Reader) -> _Reader:
    def read(value: Packed) -> Any:
        one, other = value
        return first(one), second(other)

    return read


def _one_of(nodes: Collection[type[Any]]) -> _Reader:
    readers: dict[int, _Reader] = {}

    def read(value: Packed) -> Any:
        if value.__class__ is not list:
            raise TypeError(f"{value.__class__.__name__} in place of a node")
        number = value[0]
        reader = readers.get(number)
        if reader is None:
            node = _NODES[number]
            if node not in nodes:
                raise TypeError(f"{node.__name__} out of place")
            reader = readers[number] = _node_reader(node)
        return reader(value)

    return read


def _node_reader(node: type[Any]) -> _Reader:
    """Reads nodes of one class; the first call looks at its fields."""
    declared: dict[str, str] = node.__annotations__
    names = _AT_ONCE[node]
    readers = [_reader(declared[name]) for name in names]
    if node not in _LATE:

        def read(value: Packed) -> Any:
            given = iter(value)
            next(given)  # its number
            return node(*[reader(one) for reader, one in zip(readers, given, strict=True)])

        return read

    late = [(name, _reader(declared[name])) for name in _LATE[node]]

    def read_late(value: Packed) -> Any:
        _, *given, content = value
        made: Any = object.__new__(node)
        for name, reader, one in zip(names, readers, given, strict=True):
            setattr(made, name, reader(one))
        if content.__class__ is not bytes:
            raise TypeError("no content")
        made.later = partial(_fill, late, content)
        return made

    return read_late


def _fill(late: list[tuple[str, _Reader]], content: bytes, node: Any) -> None:
    for (name, reader), one in zip(late, marshal.loads(content), strict=True):
        setattr(node, name, reader(one))


_SIMPLE: dict[str, _Reader] = {
    "int": _exactly(int),
    "str": _exactly(str),
    "bool": _exactly(bool),
    "Any": _exactly(*_CONSTANTS),
}
for _name in ("CompKind", "JumpKind", "ParamKind"):
    _SIMPLE[_name] = _SIMPLE["str"]
_MADE: dict[str, _Reader] = {}  # as they are asked for


def _reader(declared: str) -> _Reader:
    """What reads a field of a type, as it is spelled in `ir`."""
    known = _SIMPLE.get(declared) or _MADE.get(declared)
    if known is None:
        known = _MADE[declared] = _made(declared)
    return known


def _made(declared: str) -> _Reader:
    if declared.startswith("Literal["):
        return _SIMPLE["str"]
    if declared.endswith(" | None"):
        return _optional(_reader(declared.removesuffix(" | None")))
    if declared in ("Expr", "Stmt"):
        return _one_of(frozenset(getattr(ir, declared).__args__))
    if declared == "Body":
        return _many(_reader("Stmt"))
    if declared.endswith(", ...]"):
        return _many(_reader(declared.removeprefix("tuple[").removesuffix(", ...]")))
    if declared.startswith("tuple["):
        first, second = declared.removeprefix("tuple[").removesuffix("]").split(", ")
        return _pair(_reader(first), _reader(second))
    return _one_of(frozenset((getattr(ir, declared),)))

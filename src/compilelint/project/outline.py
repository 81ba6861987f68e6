"""A file in units: what of it another part of the project may have read, and where each unit stands.

A unit is a name of the top level (the header of its function, its class without the bodies of methods, its statement),
or the body of a function or method. Two texts in which a unit has one digest have the same IR for it, but for the lines
it stands in; those are listed in the same order. Units are compared by whole lines of text: a comment inside counts.
"""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from compilelint.project.classes import Imported, ModuleInfo, bindings_of
from compilelint.syntax import ir, places
from compilelint.syntax.facts import NOT_PLAIN

Lines: TypeAlias = tuple[tuple[int, int], ...]
"""First and last line, of each stretch of text that makes a unit."""

STARS = "*"
"""The unit of all modules whose names a module takes."""

STATEMENTS = "="
"""The unit of everything at a module's top level, without the bodies of functions and methods."""

PLAIN = "-"
"""The unit of the statements at the top level that define no function or class and import nothing."""

WHOLE = "#"
"""The unit of a whole text."""


def said_for(purpose: str) -> str:
    """The unit of what is said of all of a module for one purpose; in no outline: what knows the purpose adds it."""
    return f"?{purpose}"


def said(text: str) -> Unit:
    """The unit of what is said."""
    return Unit(_hash(text), ())


class Unit(NamedTuple):
    """A hash of what a unit says, and where that stands."""

    digest: str
    lines: Lines


NOTHING = Unit("", ())
"""A name that a module does not have."""

Outline: TypeAlias = Mapping[str, Unit]
"""The units of a file by `named`, by the keys of `bodies`, and by the names above; what is not there is `NOTHING`."""


def named(name: str) -> str:
    """The unit of a name of the top level."""
    return f".{name}"


def outline_of(module: ir.Module, text: str) -> Outline:
    """The units of a file."""
    lines, info = text.split("\n"), ModuleInfo(module, linted=True)
    bound: dict[str, list[tuple[Lines, str]]] = {}
    every: list[tuple[Lines, str]] = []
    units: dict[str, Unit] = {}
    statements = module.body
    for s in statements:
        shell = list(_shell(s))
        every += shell
        for name, found in bindings_of((s,), info).items():
            imported = [one for one in found if isinstance(one, Imported)]
            plain = isinstance(s, (ir.Import, ir.ImportFrom)) and len(imported) == len(found)
            bound.setdefault(name, []).extend([((), repr(one)) for one in imported] if plain else shell)
    for name, parts in bound.items():
        units[named(name)] = _unit(parts, lines)
    for key, function, _ in bodies(statements):
        units[key] = _unit([(_of_body(function), "")], lines)
    at_top = [s.names for s in statements if isinstance(s, ir.ImportFrom) and ("*", None) in s.names]
    units[STARS] = Unit(_hash(repr((info.stars, len(at_top) > 0))), ())
    units[PLAIN] = _unit([_all(s) for s in statements if s.__class__ not in NOT_PLAIN], lines)
    units[STATEMENTS] = _unit(every, lines)
    units[WHOLE] = Unit(_hash(text), ())
    return units


def written(outline: Outline) -> bytes:
    """An outline in little room."""
    return marshal.dumps({key: tuple(unit) for key, unit in outline.items()})


def read(data: bytes) -> Outline:
    """What `written` was given."""
    return {key: Unit(*unit) for key, unit in marshal.loads(data).items()}


def bodies(
    body: ir.Body, there: Callable[[ir.Class], bool] = lambda _: True
) -> Iterator[tuple[str, ir.Function, ir.Class | None]]:
    """The functions of a module's top level and the methods of its classes that are `there`, each with its class and
    the unit of its body. None within blocks: the whole block is a unit.
    """
    tops: dict[str, int] = {}
    for s in body:
        if not isinstance(s, (ir.Function, ir.Class)):
            continue
        top = tops[s.name] = tops.get(s.name, -1) + 1
        if isinstance(s, ir.Function):
            yield f"{s.name}:{top}", s, None
        elif there(s):
            met: dict[str, int] = {}
            for one in s.body:
                if isinstance(one, ir.Function):
                    number = met[one.name] = met.get(one.name, -1) + 1
                    yield f"{s.name}:{top}.{one.name}:{number}", one, s


def _of_body(s: ir.Function) -> Lines:
    return ((_first_of_body(s), places.unpack(s.pos)[2]),) if s.body else ()


def _shell(s: ir.Stmt) -> Iterator[tuple[Lines, str]]:
    """What a statement says without the bodies of its function or methods: stretches of lines, and what the IR adds."""
    if isinstance(s, ir.Function):
        yield _header(s)
    elif isinstance(s, ir.Class):
        start, end = _start(s), places.unpack(s.pos)[2]
        first = min(map(_start, s.body), default=end + 1)
        yield ((start, max(start, first - 1)),), ""
        for one in s.body:
            yield _header(one) if isinstance(one, ir.Function) else _all(one)
    else:
        yield _all(s)


def _header(s: ir.Function) -> tuple[Lines, str]:
    start = _start(s)
    first = _first_of_body(s)
    said = f"{s.qualname} {s.stores} {s.mode_reads} {s.is_generator} {s.is_async}"
    return ((start, max(start, first - 1)),), said


def _all(s: ir.Stmt) -> tuple[Lines, str]:
    return ((_start(s), places.unpack(s.pos)[2]),), s.__class__.__name__


def _first_of_body(s: ir.Function) -> int:
    """The line in which a body begins, that behind the function where it is a docstring."""
    return min(map(_start, s.body), default=places.unpack(s.pos)[2] + 1)


def _start(s: ir.Stmt) -> int:
    """The first line of a statement, decorators included."""
    start = places.line_of(s.pos)
    if isinstance(s, (ir.Function, ir.Class)):
        return min([start, *[places.line_of(one.pos) for one in s.decorators]])
    return start


def _unit(parts: Iterable[tuple[Lines, str]], lines: Sequence[str]) -> Unit:
    every = list(parts)
    seen = hashlib.blake2b(digest_size=8)
    for stretches, said in every:
        seen.update(f"\0{said}".encode("utf-8", "surrogatepass"))
        for first, last in stretches:
            row = "\n".join(lines[first - 1 : last])
            seen.update(f"\0{last - first} {row}".encode("utf-8", "surrogatepass"))
    return Unit(seen.hexdigest(), tuple([stretch for stretches, _ in every for stretch in stretches]))


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

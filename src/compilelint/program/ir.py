"""The compact IR that the interpreter runs over.

One node per construct that means something to the interpreter: docstrings, comments and formatting are gone,
`elif` chains are flat, deep operator chains are cut (`Opaque`). A node remembers only where it stood (`pos`), from
which `Module.span` finds line and column, and with them its LibCST node, again. Nothing here knows a parser.

Nodes are frozen for the type checker; at run time they are plain slotted objects, because a frozen dataclass costs
three times as much to build and a run builds tens of thousands a megabyte.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from compilelint.model import Location, Span

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import dataclass_transform

    @dataclass_transform(frozen_default=True, eq_default=False)
    def node(cls: type[Any]) -> type[Any]:
        """Decorator: a frozen, slotted class with an `__init__` from its fields."""
        ...
else:

    def node(cls):
        """Decorator: a slotted class with an `__init__` from its fields."""
        return dataclass(slots=True, eq=False)(cls)


# Two 30-bit digits of a Python int hold nearly every place: line 20 bits, column 14, lines more 12, end column 14.
_WIDE = (1 << 30) - 1


def pack(line: int, column: int, end_line: int, end_column: int) -> int:
    """Fold a place into one integer. Columns are UTF-8 byte offsets from 0. What does not fit is a negative one."""
    more = end_line - line
    if column < 16384 and end_column < 16384 and line < 1048576 and 0 <= more < 4096:
        return (line << 40) | (column << 26) | (more << 14) | end_column
    return -((((((line << 30) | column) << 30) | end_line) << 30) | end_column)


def unpack(pos: int) -> tuple[int, int, int, int]:
    """The inverse of `pack`: line, byte column, end line, end byte column."""
    if pos >= 0:
        line = pos >> 40
        return line, (pos >> 26) & 16383, line + ((pos >> 14) & 4095), pos & 16383
    pos = -pos
    return pos >> 90, (pos >> 60) & _WIDE, (pos >> 30) & _WIDE, pos & _WIDE


def line_of(pos: int) -> int:
    """The first line of a packed place."""
    return unpack(pos)[0]


# ---------------------------------------------------------------- expressions


@node
class Name:
    pos: int
    id: str


@node
class Const:
    """A literal: number, string, bytes, True, False, None or Ellipsis."""

    pos: int
    value: Any


@node
class Attr:
    pos: int
    value: Expr
    name: str


@node
class Call:
    """`keywords` pairs a name with its value; the name is None for `**mapping`."""

    pos: int
    func: Expr
    args: tuple[Expr, ...]
    keywords: tuple[tuple[str | None, Expr], ...]


@node
class Binary:
    pos: int
    op: str
    left: Expr
    right: Expr


@node
class Unary:
    """`op` is `-`, `+`, `~` or `not`."""

    pos: int
    op: str
    operand: Expr


@node
class BoolOp:
    """`op` is `and` or `or`; flat, as Python's own tree."""

    pos: int
    op: str
    values: tuple[Expr, ...]


@node
class Compare:
    pos: int
    left: Expr
    ops: tuple[str, ...]
    rights: tuple[Expr, ...]


@node
class Index:
    """`value[index]`; load, store or delete is decided by where it stands."""

    pos: int
    value: Expr
    index: Expr


@node
class Slice:
    pos: int
    lower: Expr | None
    upper: Expr | None
    step: Expr | None


@node
class Display:
    """`(a, b)`, `[a, b]` or `{a, b}`; `kind` is `tuple`, `list` or `set`."""

    pos: int
    kind: str
    items: tuple[Expr, ...]


@node
class DictDisplay:
    """A key is None for `**mapping`."""

    pos: int
    keys: tuple[Expr | None, ...]
    values: tuple[Expr, ...]


@node
class IfExp:
    pos: int
    test: Expr
    then: Expr
    other: Expr


@node
class Lambda:
    pos: int
    function: Function


@node
class Comp:
    """A comprehension. `kind` is `list`, `set`, `dict` or `generator`; `value` is set for `dict` only."""

    pos: int
    kind: str
    element: Expr
    value: Expr | None
    clauses: tuple[Clause, ...]


@node
class Clause:
    """`for target in iterable if condition ...` inside a comprehension."""

    target: Expr
    iterable: Expr
    conditions: tuple[Expr, ...]
    is_async: bool


@node
class Star:
    pos: int
    value: Expr


@node
class FString:
    """The replacement fields of an f-string (or t-string); the literal parts carry no meaning here."""

    pos: int
    fields: tuple[Field, ...]


@node
class Field:
    """`{value!r:spec}`: `conversion` is "", "r", "s" or "a"."""

    pos: int
    value: Expr
    conversion: str
    spec: FString | None


@node
class Walrus:
    pos: int
    name: str
    value: Expr


@node
class Yield:
    """`yield x`, `yield from x` (`how` = `from`) and `await x` (`how` = `await`)."""

    pos: int
    how: str
    value: Expr | None


@node
class Opaque:
    """An expression nested too deeply to be followed; its value is unknown."""

    pos: int


Expr: TypeAlias = (
    Name
    | Const
    | Attr
    | Call
    | Binary
    | Unary
    | BoolOp
    | Compare
    | Index
    | Slice
    | Display
    | DictDisplay
    | IfExp
    | Lambda
    | Comp
    | Star
    | FString
    | Walrus
    | Yield
    | Opaque
)

# ----------------------------------------------------------------- statements


@node
class Assign:
    pos: int
    targets: tuple[Expr, ...]
    value: Expr


@node
class AugAssign:
    pos: int
    target: Expr
    op: str
    value: Expr


@node
class AnnAssign:
    pos: int
    target: Expr
    annotation: Expr
    value: Expr | None


@node
class ExprStmt:
    pos: int
    value: Expr


@node
class Return:
    pos: int
    value: Expr | None


@node
class If:
    """An `if`/`elif` chain: each arm is (test, body), in order; `other` is the `else` body."""

    pos: int
    arms: tuple[tuple[Expr, Body], ...]
    other: Body


@node
class For:
    pos: int
    target: Expr
    iterable: Expr
    body: Body
    other: Body
    is_async: bool


@node
class While:
    pos: int
    test: Expr
    body: Body
    other: Body


@node
class Try:
    """`star` is set for `except*`."""

    pos: int
    body: Body
    handlers: tuple[Handler, ...]
    other: Body
    final: Body
    star: bool


@node
class Handler:
    pos: int
    type: Expr | None
    name: str | None
    body: Body


@node
class With:
    pos: int
    items: tuple[tuple[Expr, Expr | None], ...]
    body: Body
    is_async: bool


@node
class Raise:
    pos: int
    exc: Expr | None
    cause: Expr | None


@node
class Assert:
    pos: int
    test: Expr
    message: Expr | None


@node
class Delete:
    pos: int
    targets: tuple[Expr, ...]


@node
class Scope:
    """`global` or `nonlocal`."""

    pos: int
    kind: str
    names: tuple[str, ...]


@node
class Import:
    """`import a.b as c`: pairs of dotted name and alias."""

    pos: int
    names: tuple[tuple[str, str | None], ...]


@node
class ImportFrom:
    pos: int
    module: str
    level: int
    names: tuple[tuple[str, str | None], ...]


@node
class Jump:
    """`break`, `continue` or `pass`."""

    pos: int
    kind: str


@node
class Case:
    """One `case` of a `match`: the names its pattern binds, the values it compares, its guard.

    `types` are the classes of a pattern that tests nothing but the class (`case Tensor():`).
    """

    pos: int
    binds: tuple[str, ...]
    values: tuple[Expr, ...]
    types: tuple[Expr, ...]
    irrefutable: bool
    guard: Expr | None
    body: Body


@node
class Match:
    pos: int
    subject: Expr
    cases: tuple[Case, ...]


@node
class Param:
    """`kind` is `positional`, `either`, `star`, `keyword` or `double-star`."""

    name: str
    kind: str
    annotation: Expr | None
    default: Expr | None


@node
class Function:
    """A `def` or a lambda (`name` is "<lambda>", the body one Return).

    `local_names` are the names its body binds (parameters included), less `global` and `nonlocal` ones.
    `stores` are the attributes that its body writes on its first parameter, `mode_reads` how often it reads
    `training` there; `head` is the place of the `def` line.
    """

    pos: int
    name: str
    qualname: str
    params: tuple[Param, ...]
    body: Body
    decorators: tuple[Expr, ...]
    returns: Expr | None
    is_async: bool
    is_generator: bool
    local_names: tuple[str, ...]
    stores: tuple[str, ...]
    mode_reads: int
    head: int


@node
class Class:
    pos: int
    name: str
    qualname: str
    bases: tuple[Expr, ...]
    keywords: tuple[tuple[str | None, Expr], ...]
    decorators: tuple[Expr, ...]
    body: Body
    head: int


Stmt: TypeAlias = (
    Assign
    | AugAssign
    | AnnAssign
    | ExprStmt
    | Return
    | If
    | For
    | While
    | Try
    | With
    | Raise
    | Assert
    | Delete
    | Scope
    | Import
    | ImportFrom
    | Jump
    | Match
    | Function
    | Class
)
Body: TypeAlias = tuple[Stmt, ...]


@node
class Module:
    """A file. `wide_lines` holds the text of the lines that are not ASCII: their columns need a second look."""

    path: str
    name: str
    is_package: bool
    body: Body
    wide_lines: Mapping[int, str]
    line_count: int

    def span(self, pos: int) -> Span:
        """Line and column of a packed place: 1-based, in code points, end exclusive."""
        line, column, end_line, end_column = unpack(pos)
        wide = self.wide_lines
        if wide:
            column = _code_points(wide.get(line), column)
            end_column = _code_points(wide.get(end_line), end_column)
        return Span(line, column + 1, end_line, end_column + 1)

    def location(self, pos: int) -> Location:
        """`span` with the file's path."""
        return Location(self.path, self.span(pos))


def _code_points(text: str | None, column: int) -> int:
    return column if text is None else len(text.encode("utf-8")[:column].decode("utf-8", "ignore"))

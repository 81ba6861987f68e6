"""The compact IR that the interpreter runs over.

One node per construct that means something to the interpreter: docstrings, comments and formatting are gone,
`elif` chains are flat, deep operator chains are cut (`Opaque`). A node remembers only where it stood (`pos`), from
which `Module.span` finds line and column, and with them its LibCST node, again. Nothing here knows a parser.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from compilelint.model import Location, Span
from compilelint.model.slotted import slotted
from compilelint.syntax.places import code_points, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


# ---------------------------------------------------------------- expressions


@slotted
class Name:
    pos: int
    id: str


@slotted
class Const:
    """A literal: number, string, bytes, True, False, None or Ellipsis."""

    pos: int
    value: Any


@slotted
class Attr:
    pos: int
    value: Expr
    name: str


@slotted
class Call:
    """`keywords` pairs a name with its value; the name is None for `**mapping`."""

    pos: int
    func: Expr
    args: tuple[Expr, ...]
    keywords: tuple[tuple[str | None, Expr], ...]


@slotted
class Binary:
    pos: int
    op: str
    left: Expr
    right: Expr


@slotted
class Unary:
    """`op` is `-`, `+`, `~` or `not`."""

    pos: int
    op: str
    operand: Expr


@slotted
class BoolOp:
    """`op` is `and` or `or`; flat, as Python's own tree."""

    pos: int
    op: Literal["and", "or"]
    values: tuple[Expr, ...]


@slotted
class Compare:
    pos: int
    left: Expr
    ops: tuple[str, ...]
    rights: tuple[Expr, ...]


@slotted
class Index:
    """`value[index]`; load, store or delete is decided by where it stands."""

    pos: int
    value: Expr
    index: Expr


@slotted
class Slice:
    pos: int
    lower: Expr | None
    upper: Expr | None
    step: Expr | None


@slotted
class Display:
    """`(a, b)`, `[a, b]` or `{a, b}`; `kind` is `tuple`, `list` or `set`."""

    pos: int
    kind: Literal["tuple", "list", "set"]
    items: tuple[Expr, ...]


@slotted
class DictDisplay:
    """A key is None for `**mapping`."""

    pos: int
    keys: tuple[Expr | None, ...]
    values: tuple[Expr, ...]


@slotted
class IfExp:
    pos: int
    test: Expr
    then: Expr
    other: Expr


@slotted
class Lambda:
    pos: int
    function: Function


CompKind: TypeAlias = Literal["list", "set", "dict", "generator"]


@slotted
class Comp:
    """A comprehension. `kind` is `list`, `set`, `dict` or `generator`; `value` is set for `dict` only."""

    pos: int
    kind: CompKind
    element: Expr
    value: Expr | None
    clauses: tuple[Clause, ...]


@slotted
class Clause:
    """`for target in iterable if condition ...` inside a comprehension."""

    target: Expr
    iterable: Expr
    conditions: tuple[Expr, ...]
    is_async: bool


@slotted
class Star:
    pos: int
    value: Expr


@slotted
class FString:
    """The replacement fields of an f-string (or t-string).

    `texts` are the literal parts around the fields, one more than these; None where they are long: a message.
    """

    pos: int
    fields: tuple[Field, ...]
    texts: tuple[str, ...] | None = None


@slotted
class Field:
    """`{value!r:spec}`: `conversion` is "", "r", "s" or "a"."""

    pos: int
    value: Expr
    conversion: str
    spec: FString | None


@slotted
class Walrus:
    pos: int
    name: str
    value: Expr


@slotted
class Yield:
    """`yield x`, `yield from x` (`how` = `from`) and `await x` (`how` = `await`)."""

    pos: int
    how: Literal["yield", "from", "await"]
    value: Expr | None


@slotted
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


@slotted
class Assign:
    pos: int
    targets: tuple[Expr, ...]
    value: Expr


@slotted
class AugAssign:
    pos: int
    target: Expr
    op: str
    value: Expr


@slotted
class AnnAssign:
    pos: int
    target: Expr
    annotation: Expr
    value: Expr | None


@slotted
class ExprStmt:
    pos: int
    value: Expr


@slotted
class Return:
    pos: int
    value: Expr | None


@slotted
class If:
    """An `if`/`elif` chain: each arm is (test, body), in order; `other` is the `else` body."""

    pos: int
    arms: tuple[tuple[Expr, Body], ...]
    other: Body


@slotted
class For:
    pos: int
    target: Expr
    iterable: Expr
    body: Body
    other: Body
    is_async: bool


@slotted
class While:
    pos: int
    test: Expr
    body: Body
    other: Body


@slotted
class Try:
    """`star` is set for `except*`."""

    pos: int
    body: Body
    handlers: tuple[Handler, ...]
    other: Body
    final: Body
    star: bool


@slotted
class Handler:
    pos: int
    type: Expr | None
    name: str | None
    body: Body


@slotted
class With:
    pos: int
    items: tuple[tuple[Expr, Expr | None], ...]
    body: Body
    is_async: bool


@slotted
class Raise:
    pos: int
    exc: Expr | None
    cause: Expr | None


@slotted
class Assert:
    pos: int
    test: Expr
    message: Expr | None


@slotted
class Delete:
    pos: int
    targets: tuple[Expr, ...]


@slotted
class Scope:
    """`global` or `nonlocal`."""

    pos: int
    kind: Literal["global", "nonlocal"]
    names: tuple[str, ...]


@slotted
class Import:
    """`import a.b as c`: pairs of dotted name and alias."""

    pos: int
    names: tuple[tuple[str, str | None], ...]


@slotted
class ImportFrom:
    pos: int
    module: str
    level: int
    names: tuple[tuple[str, str | None], ...]


JumpKind: TypeAlias = Literal["break", "continue", "pass"]


@slotted
class Jump:
    """`break`, `continue` or `pass`."""

    pos: int
    kind: JumpKind


@slotted
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


@slotted
class Match:
    pos: int
    subject: Expr
    cases: tuple[Case, ...]


ParamKind: TypeAlias = Literal["positional", "either", "star", "keyword", "double-star"]


@slotted
class Param:
    """A parameter; `either` may be given by position or by name."""

    name: str
    kind: ParamKind
    annotation: Expr | None
    default: Expr | None


class Noted:
    """A node that keeps what was read off it (`syntax.facts`); none of its fields."""

    __slots__ = ("facts",)

    facts: dict[object, Any]


class Late(Noted):
    """What may be filled in when it is first asked for: `later` then puts the missing fields into a node."""

    __slots__ = ("later",)

    later: Callable[[Any], None]

    def __getattr__(self, name: str) -> Any:  # asked where a slot is empty
        if name in ("later", "facts"):
            raise AttributeError(name)
        try:
            later = self.later
        except AttributeError:
            raise AttributeError(f"{type(self).__name__} has no {name}") from None
        del self.later
        later(self)
        return getattr(self, name)


@slotted
class Function(Late):
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


@slotted
class Class(Late):
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


@slotted
class Module(Noted):
    """A file. `wide_lines` holds the text of the lines that are not ASCII: their columns need a second look.

    `numbers` are those by which places name its lines, ascending; None numbers them from 1 on.
    """

    path: str
    name: str
    is_package: bool
    body: Body
    wide_lines: Mapping[int, str]
    numbers: Sequence[int] | None = None

    def line(self, pos: int) -> int:
        """The line where a packed place begins."""
        return self._line(unpack(pos)[0])

    def _line(self, number: int) -> int:
        return number if self.numbers is None else bisect_left(self.numbers, number) + 1

    def span(self, pos: int) -> Span:
        """Line and column of a packed place: 1-based, in code points, end exclusive."""
        line, column, end_line, end_column = unpack(pos)
        if self.numbers is not None:
            line, end_line = self._line(line), self._line(end_line)
        wide = self.wide_lines
        if wide:
            column = code_points(wide.get(line), column)
            end_column = code_points(wide.get(end_line), end_column)
        return Span(line, column + 1, end_line, end_column + 1)

    def location(self, pos: int) -> Location:
        """`span` with the file's path."""
        return Location(self.path, self.span(pos))

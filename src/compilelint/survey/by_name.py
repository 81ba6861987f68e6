"""The expressions of one scope by the names that stand in them, so that many compiled objects cost one walk.

Each table is made when it is first asked for. Does not belong here: what a name means (`scopes`, `compiled_objects`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

from compilelint.survey.deadline import look
from compilelint.survey.scopes import Scope, Spot, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name

Found = TypeVar("Found")
Placed: TypeAlias = tuple[ir.Stmt, tuple[ir.Stmt, ...]]
"""A statement and the blocks around it."""


class Spots(list[Spot]):
    """The expressions of a scope, in the order of the file.

    A key is a dotted name as it is written, or `.name` for an attribute of whatever object.
    """

    def calling(self, key: str) -> Sequence[Spot]:
        """The calls of what goes by a key."""
        return self._calling.get(key, ())

    def given(self, key: str) -> Sequence[Spot]:
        """The calls that pass what goes by a key."""
        return self._given.get(key, ())

    def naming(self, key: str) -> Sequence[Spot]:
        """The names and attributes that go by a key, and the attributes of such."""
        return self._naming.get(key, ())

    def methods_of(self, key: str) -> Sequence[Spot]:
        """The calls of methods of what goes by a key."""
        return self._methods.get(key, ())

    def spot_of(self, expr: ir.Expr) -> Spot | None:
        """The spot of an expression of the scope."""
        return self._by_expr.get(id(expr))

    def once(self, read: Callable[[Spots], Found]) -> Found:
        """What is read off the scope, once for all objects that are compiled in it."""
        if read not in self._read:
            self._read[read] = read(self)
        found: Found = self._read[read]
        return found

    def about(self, keys: Collection[str]) -> Iterator[Spot]:
        """The calls of methods of dotted names, and those whose first argument is one or lies behind its dot."""
        every = {number for key in keys for number in self._about.get(key, ())}
        yield from (self[number] for number in sorted(every))

    @cached_property
    def calls(self) -> list[tuple[Spot, ir.Call]]:
        """The calls."""
        return [(spot, spot.expr) for spot in self if isinstance(spot.expr, ir.Call)]

    def assigning(self, key: str) -> Sequence[ir.Stmt]:
        """The statements that assign to a dotted name, loops over it included."""
        return self._assigning.get(key, ())

    def binding(self, key: str) -> Iterator[Placed]:
        """The statements that bind or delete a dotted name, or what stands before one of its dots, in their order."""
        parts = key.split(".")
        heads = [".".join(parts[: number + 1]) for number in range(len(parts))]
        every = {number for head in heads for number in self._binding.get(head, ())}
        yield from (self._statements[number] for number in sorted(every))

    def placed(self, s: ir.Stmt) -> Placed | None:
        """A statement of the scope with its blocks."""
        number = self._numbers.get(id(s))
        return None if number is None else self._statements[number]

    def assigned_from(self, key: str) -> Iterator[ir.Assign]:
        """The assignments of a dotted name to others."""
        yield from self._assigned_from.get(key, ())

    def arm(self, child: ir.Stmt) -> int | None:
        """Which arm of the `if` around it a statement stands in, the last for `else`; None where it is in no `if`."""
        return self._arms.get(id(child))

    # -------------------------------------------------------------- the tables

    @property
    def _scope(self) -> Scope | None:
        return self[0].scope if self else None

    @cached_property
    def _read(self) -> dict[Callable[[Spots], Any], Any]:
        return {}

    @cached_property
    def _by_expr(self) -> dict[int, Spot]:
        return {id(spot.expr): spot for spot in self}

    @cached_property
    def _calling(self) -> dict[str, list[Spot]]:
        found: dict[str, list[Spot]] = {}
        for spot, call in self.calls:
            for key in _keys(call.func):
                found.setdefault(key, []).append(spot)
        return found

    @cached_property
    def _given(self) -> dict[str, list[Spot]]:
        found: dict[str, list[Spot]] = {}
        for spot, call in self.calls:
            look()
            given = (*call.args, *(value for _, value in call.keywords))
            for key in {key for one in given for key in _keys(one)}:
                found.setdefault(key, []).append(spot)
        return found

    @cached_property
    def _naming(self) -> dict[str, list[Spot]]:
        found: dict[str, list[Spot]] = {}
        for spot in self:
            look()
            one = spot.expr
            for key in {*_keys(one), *(_keys(one.value) if isinstance(one, ir.Attr) else ())}:
                found.setdefault(key, []).append(spot)
        return found

    @cached_property
    def _methods(self) -> dict[str, list[Spot]]:
        found: dict[str, list[Spot]] = {}
        for spot, call in self.calls:
            for key in _keys(call.func.value) if isinstance(call.func, ir.Attr) else ():
                found.setdefault(key, []).append(spot)
        return found

    @cached_property
    def _about(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, spot in enumerate(self):
            look()
            call = spot.expr
            if not isinstance(call, ir.Call):
                continue
            method = dotted_name(call.func.value) if isinstance(call.func, ir.Attr) else ""
            first = [*call.args[:1], *(value for key, value in call.keywords if key in ("model", "module"))]
            for key in {method, *(head for one in first for head in _heads(dotted_name(one)))} - {""}:
                found.setdefault(key, []).append(number)
        return found

    @cached_property
    def _assigning(self) -> dict[str, list[ir.Stmt]]:
        found: dict[str, dict[int, ir.Stmt]] = {}
        for s in {id(spot.statement): spot.statement for spot in self}.values():
            look()
            single = (s.target,) if isinstance(s, (ir.For, ir.AugAssign)) else ()
            for target in s.targets if isinstance(s, ir.Assign) else single:
                for one in unpacked(target):
                    found.setdefault(dotted_name(one), {})[id(s)] = s
        return {key: list(some.values()) for key, some in found.items()}

    @cached_property
    def _statements(self) -> list[Placed]:
        return [] if self._scope is None else list(statements(self._scope.body))

    @cached_property
    def _numbers(self) -> dict[int, int]:
        return {id(s): number for number, (s, _) in enumerate(self._statements)}

    @cached_property
    def _binding(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, (s, _) in enumerate(self._statements):
            look()
            for name in set(_binds(s)):
                found.setdefault(name, []).append(number)
        return found

    @cached_property
    def _assigned_from(self) -> dict[str, list[ir.Assign]]:
        found: dict[str, list[ir.Assign]] = {}
        for s, _ in self._statements:
            if isinstance(s, ir.Assign):
                found.setdefault(dotted_name(s.value), []).append(s)
        return found

    @cached_property
    def _arms(self) -> dict[int, int]:
        return {
            id(child): number
            for s, _ in self._statements
            if isinstance(s, ir.If)
            for number, body in enumerate((*(body for _, body in s.arms), s.other))
            for child in body
        }


def _keys(expr: ir.Expr) -> Iterator[str]:
    """The keys that an expression goes by."""
    key = dotted_name(expr)
    if key:
        yield key
    if isinstance(expr, ir.Attr):
        yield f".{expr.name}"


def _heads(key: str) -> Iterator[str]:
    """A dotted name and what stands before each of its dots."""
    while key:
        yield key
        key = key.rpartition(".")[0]


def _binds(s: ir.Stmt) -> Iterator[str]:
    """The names that a statement binds or deletes, as written."""
    if isinstance(s, (ir.Function, ir.Class)):
        yield s.name
    elif isinstance(s, (ir.Import, ir.ImportFrom)):
        yield from (other or name.partition(".")[0] for name, other in s.names)
    elif isinstance(s, (ir.Assign, ir.Delete)):
        yield from (dotted_name(one) for target in s.targets for one in unpacked(target))
    elif isinstance(s, ir.For):
        yield from map(dotted_name, unpacked(s.target))
    elif isinstance(s, ir.With):
        yield from (dotted_name(one) for _, held in s.items if held is not None for one in unpacked(held))


def unpacked(target: ir.Expr) -> Iterator[ir.Expr]:
    """A target, or the targets in a tuple of them."""
    if isinstance(target, ir.Display):
        for one in target.items:
            yield from unpacked(one)
    else:
        yield target.value if isinstance(target, ir.Star) else target

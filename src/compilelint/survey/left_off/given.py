"""What every name of a project is given: by defaults, calls, assignments, options and properties."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import field
from typing import TypeAlias

from compilelint.model.slotted import dataclass
from compilelint.survey.scopes import expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name

OFF, UNKNOWN = "", None
Given: TypeAlias = "str | None"
"""What a name is given: `OFF` is `False`, `UNKNOWN` anything else; any other text is the name that it is taken from."""

_MOST_ARGUMENTS = 12
_READERS = frozenset({"get", "pop", "getattr", "setdefault"})

# Attributes that torch's own objects have, which nothing in a project needs to set.
_OF_TORCH = frozenset({"training", "requires_grad", "is_cuda", "is_leaf", "is_sparse", "affine", "bias", "inplace"})


@dataclass(slots=True)
class Names:
    """What names are given, filled file by file, and by whom: `parameters` of functions and classes by their name,
    `positional` what calls give them in order.
    """

    given: dict[str, set[Given]] = field(default_factory=dict)
    parameters: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    bases: dict[str, set[str]] = field(default_factory=dict)
    positional: dict[str, set[tuple[Given, ...]]] = field(default_factory=dict)
    options: set[str] = field(default_factory=set)

    def read(self, module: ir.Module) -> None:
        """Take in one more file."""
        waiting: list[tuple[ir.Body, ir.Class | None, bool]] = [(module.body, None, False)]
        while waiting:
            body, around, is_class = waiting.pop()
            for s, _ in statements(body):
                if isinstance(s, ir.Function):
                    self._define(s, around if is_class else None)
                    waiting.append((s.body, around, False))
                elif isinstance(s, ir.Class):
                    self.bases.setdefault(s.name, set()).update(map(last_name, s.bases))
                    waiting.append((s.body, s, True))
                self._assign(s)
                for expr in expressions(own_expressions(s)):
                    self._note(expr, around)

    def _define(self, function: ir.Function, owner: ir.Class | None) -> None:
        name = owner.name if owner is not None and function.name == "__init__" else function.name
        params = [one for one in function.params if one.kind not in ("star", "double-star")]
        for one in params:
            if one.default is not None:
                self._give(one.name, given(one.default))
        placed = [one.name for one in params if one.kind != "keyword"]
        self.parameters.setdefault(name, []).append(tuple(placed[owner is not None :]))
        if owner is not None and any(last_name(one) == "property" for one in function.decorators):
            last = function.body[-1] if function.body else None
            value = last.value if isinstance(last, ir.Return) and len(function.body) == 1 else None
            self._give(function.name, UNKNOWN if value is None else given(value))

    def _assign(self, s: ir.Stmt) -> None:
        if isinstance(s, ir.Assign):
            for target in s.targets:
                self._bind(target, given(s.value))
        elif isinstance(s, ir.AnnAssign) and s.value is not None:
            self._bind(s.target, given(s.value))
        elif isinstance(s, (ir.AugAssign, ir.For)):
            self._bind(s.target, UNKNOWN)

    def _bind(self, target: ir.Expr, value: Given) -> None:
        if isinstance(target, ir.Display):
            for one in target.items:
                self._bind(one, UNKNOWN)
        elif name := named(target):
            self._give(name, value)

    def _note(self, expr: ir.Expr, around: ir.Class | None) -> None:
        if isinstance(expr, ir.DictDisplay):
            for key, value in zip(expr.keys, expr.values, strict=True):
                if isinstance(key, ir.Const) and isinstance(key.value, str):
                    self._give(key.value, given(value))
        elif isinstance(expr, ir.Call):
            self._call(expr, around)

    def _call(self, call: ir.Call, around: ir.Class | None) -> None:
        name = last_name(call.func)
        if name == "add_argument":
            self._option(call)
            return
        for key, value in call.keywords:
            if key is not None:
                self._give(key, given(value))
        if name in _READERS and len(call.args) >= 2 and isinstance(call.args[-1], ir.Const):
            asked = call.args[-2]
            if isinstance(asked, ir.Const) and isinstance(asked.value, str):
                self._give(asked.value, given(call.args[-1]))
        if call.args and not any(isinstance(one, ir.Star) for one in call.args):
            values = tuple([given(one) for one in call.args[:_MOST_ARGUMENTS]])
            for callee in _callees(call, around):
                self.positional.setdefault(callee, set()).add(values)

    def _option(self, call: ir.Call) -> None:
        """An option of the command line, by the name of its attribute."""
        keywords = {key: value for key, value in call.keywords if key is not None}
        flags = [one.value for one in call.args if isinstance(one, ir.Const) and isinstance(one.value, str)]
        dest = keywords.get("dest")
        long = next((one for one in flags if one.startswith("--")), flags[0] if flags else "")
        name = str(dest.value) if isinstance(dest, ir.Const) else long.lstrip("-").replace("-", "_")
        action, default = keywords.get("action"), keywords.get("default")
        value: Given = UNKNOWN if default is None else given(default)
        if isinstance(action, ir.Const) and action.value == "store_true" and default is None:
            value = OFF
        if name:
            self.options.add(name)
            self._give(name, value)

    def _give(self, name: str, value: Given) -> None:
        if value != name:
            self.given.setdefault(sys.intern(name), set()).add(value)

    def resolved(self) -> Mapping[str, set[Given]]:
        """What names are given, positional arguments of the project's own functions and classes included."""
        found = {name: set(values) for name, values in self.given.items()}
        for callee, calls in self.positional.items():
            for params in self._parameters(callee):
                for values in calls:
                    for name, value in zip(params, values, strict=False):
                        if value != name:
                            found.setdefault(name, set()).add(value)
        return found

    def _parameters(self, callee: str) -> Iterator[tuple[str, ...]]:
        """Those of a function, or of the constructor that a class has or inherits."""
        waiting, seen = [callee], set[str]()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            own = self.parameters.get(name)
            if own is not None:
                yield from own
            else:
                waiting += self.bases.get(name, ())


def _callees(call: ir.Call, around: ir.Class | None) -> list[str]:
    """The name of what is called; the bases for the constructor of `super()`."""
    name = last_name(call.func)
    return [last_name(one) for one in around.bases] if name == "__init__" and around is not None else [name]


def named(expr: ir.Expr) -> str:
    """The name that a variable, an attribute or the item of a table goes by."""
    if isinstance(expr, ir.Name):
        return expr.id
    if isinstance(expr, ir.Attr):
        return expr.name
    if isinstance(expr, ir.Index) and isinstance(expr.index, ir.Const) and isinstance(expr.index.value, str):
        return expr.index.value
    return ""


def given(expr: ir.Expr) -> Given:
    """What an expression gives."""
    if isinstance(expr, ir.Const):
        return OFF if expr.value is False else UNKNOWN
    if isinstance(expr, ir.Call) and last_name(expr.func) in _READERS:
        keys = [one.value for one in expr.args if isinstance(one, ir.Const) and isinstance(one.value, str)]
        return keys[0] if keys else UNKNOWN
    if isinstance(expr, ir.Call) and last_name(expr.func) == "bool" and len(expr.args) == 1:
        return given(expr.args[0])
    return named(expr) or UNKNOWN


def switches(names: Mapping[str, set[Given]], on: Collection[str]) -> dict[str, str]:
    """The names that are off wherever they come from, each with the name that its value begins at.

    `on` are those that a configuration or a command of the project sets.
    """
    left = {name for name, values in names.items() if UNKNOWN not in values and name not in on} - _OF_TORCH
    while gone := {name for name in left if any(one and one not in left for one in names[name])}:
        left -= gone
    source = {name: name for name in left if OFF in names[name]}
    while more := {
        name: source[found] for name in left if name not in source and (found := _first(names[name], source))
    }:
        source |= more
    return {name: _begin(name, names, source) for name in source}


def _first(values: Iterable[Given], source: Mapping[str, str]) -> str:
    return min((one for one in values if one and one in source), default="")


def _begin(name: str, names: Mapping[str, set[Given]], source: Mapping[str, str]) -> str:
    """The name at the beginning: the option or key that a user sets."""
    seen = {name}
    while (above := _first(names[name] - seen, source)) and above not in seen:
        seen.add(above)
        name = above
    return name

"""What the models of a project pass to the layers that they hold: their own arguments and state, or what they compute.

An argument of a layer that the model around it has just computed is no input of the model, and lives for one call of
it. Layers are followed by the attribute that holds them (`self.block = Block()`, then `self.block(x, tables)`), by
name over all files; where no such call is found, nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from compilelint.survey.scopes import argument, expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name


class Passed:
    """The calls of layers in the files, read once."""

    def __init__(self, modules: Iterable[ir.Module]) -> None:
        self._held: dict[str, set[str]] = {}  # by class: the attributes that hold one
        self._calls: dict[str, list[tuple[ir.Call, frozenset[str]]]] = {}  # by attribute, with the caller's parameters
        self._forwards: dict[str, list[ir.Function]] = {}
        for module in modules:
            for cls, function in _functions(module):
                if cls and function.name == "forward":
                    self._forwards.setdefault(cls, []).append(function)
                self._read(function)

    def _read(self, function: ir.Function) -> None:
        params = frozenset(p.name for p in function.params)
        for s, _ in statements(function.body):
            if isinstance(s, ir.Assign) and isinstance(s.value, ir.Call):
                made = last_name(s.value.func)
                self._held.setdefault(made, set()).update(t.name for t in s.targets if isinstance(t, ir.Attr))
            for one in expressions(own_expressions(s)):
                if isinstance(one, ir.Call) and isinstance(one.func, ir.Attr):
                    self._calls.setdefault(one.func.name, []).append((one, params))

    def is_computed(self, cls: str, name: str) -> bool:
        """Whether every model that holds a layer of the class passes a variable of its own for that parameter."""
        forwards = self._forwards.get(cls, [])
        places = {
            place for f in forwards for place, p in enumerate(f.params[1:]) if p.name == name and p.kind != "keyword"
        }
        if len(forwards) != 1 or len(places) != 1:
            return False
        given = [
            (argument(call, next(iter(places)), name), params)
            for attribute in self._held.get(cls, ())
            for call, params in self._calls.get(attribute, ())
        ]
        passed = [(value, params) for value, params in given if value is not None]
        return bool(passed) and all(isinstance(v, ir.Name) and v.id not in params for v, params in passed)


def _functions(module: ir.Module) -> Iterator[tuple[str, ir.Function]]:
    """The functions of a file and those in its classes, each with the name of its class."""
    for s, _ in statements(module.body):
        if isinstance(s, ir.Function):
            yield "", s
        elif isinstance(s, ir.Class):
            for inner, _ in statements(s.body):
                if isinstance(inner, ir.Function):
                    yield s.name, inner

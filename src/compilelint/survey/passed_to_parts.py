"""What the models of a project pass to the layers that they hold: their own arguments and state, or what they compute.

An argument of a layer that the model around it has just computed is no input of the model, and lives for one call of
it. Layers are followed by the attribute that holds them (`self.block = Block()`, then `self.block(x, tables)`), by
name over all files; where no such call is found, nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from compilelint.survey.scopes import expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name


class _Given(NamedTuple):
    """What a call passes, by position and by name: whether it is a variable that the caller has made itself; None for
    what a star unpacks.
    """

    places: tuple[bool | None, ...]
    names: tuple[tuple[str | None, bool], ...]

    def at(self, place: int, name: str) -> bool | None:
        """The same of one parameter; None where nothing is passed for it."""
        if place < len(self.places):
            return self.places[place]
        return next((own for key, own in self.names if key == name), None)


class Passed:
    """The calls of layers in the files, of which no node is held on to."""

    def __init__(self, modules: Iterable[ir.Module] = ()) -> None:
        self._held: dict[str, set[str]] = {}  # by class: the attributes that hold one
        self._calls: dict[str, set[_Given]] = {}  # by attribute
        self._forwards: dict[str, list[list[str]]] = {}  # by class: the parameters behind the first, "" for keywords
        for module in modules:
            self.read(module)

    def read(self, module: ir.Module) -> None:
        """Take in one more file."""
        for cls, function in _functions(module):
            if cls and function.name == "forward":
                names = ["" if p.kind == "keyword" else p.name for p in function.params[1:]]
                self._forwards.setdefault(cls, []).append(names)
            self._read(function)

    def _read(self, function: ir.Function) -> None:
        params = frozenset(p.name for p in function.params)
        for s, _ in statements(function.body):
            if isinstance(s, ir.Assign) and isinstance(s.value, ir.Call):
                held = [t.name for t in s.targets if isinstance(t, ir.Attr)]
                if held:
                    self._held.setdefault(last_name(s.value.func), set()).update(held)
            for one in expressions(own_expressions(s)):
                if isinstance(one, ir.Call) and isinstance(one.func, ir.Attr):
                    self._calls.setdefault(one.func.name, set()).add(_given(one, params))

    def is_computed(self, cls: str, name: str) -> bool:
        """Whether every model that holds a layer of the class passes a variable of its own for that parameter."""
        forwards = self._forwards.get(cls, [])
        if len(forwards) != 1 or forwards[0].count(name) != 1:
            return False
        place = forwards[0].index(name)
        given = [one.at(place, name) for attribute in self._held.get(cls, ()) for one in self._calls.get(attribute, ())]
        passed = [own for own in given if own is not None]
        return bool(passed) and all(passed)


def _given(call: ir.Call, params: frozenset[str]) -> _Given:
    def own(value: ir.Expr) -> bool:
        return isinstance(value, ir.Name) and value.id not in params

    places = tuple([None if isinstance(one, ir.Star) else own(one) for one in call.args])
    return _Given(places, tuple([(name, own(value)) for name, value in call.keywords]))


def _functions(module: ir.Module) -> Iterator[tuple[str, ir.Function]]:
    """The functions of a file and those in its classes, each with the name of its class."""
    for s, _ in statements(module.body):
        if isinstance(s, ir.Function):
            yield "", s
        elif isinstance(s, ir.Class):
            for inner, _ in statements(s.body):
                if isinstance(inner, ir.Function):
                    yield s.name, inner

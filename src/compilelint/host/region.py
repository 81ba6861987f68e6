"""One call of compiled code, followed: each argument, attribute or global that it reads from outside is a guard."""

from __future__ import annotations

from typing import Any

from compilelint.events import NumberUse
from compilelint.host.guards import Guard, guard_of
from compilelint.host.values import (
    Bound,
    Class,
    Env,
    External,
    Function,
    Lib,
    Member,
    Partial,
    Sym,
    SymBool,
    Tensor,
    Thing,
    Value,
    is_plain,
)

_LEFT_TO_PYTHON = frozenset({"torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN"})
_READ_TRAINING = frozenset("Dropout Dropout1d Dropout2d BatchNorm1d BatchNorm2d BatchNorm3d MultiheadAttention".split())


class Region:
    """One call of compiled code, while it is followed: what it reads from outside."""

    def __init__(self) -> None:
        self.guards: dict[str, Guard] = {}
        self.owners: dict[str, tuple[Any, str]] = {}
        self.paths: dict[int, str] = {}
        self.kept: list[Any] = []  # so that identities stay their own
        self.root: Env | None = None
        self.own: set[int] = set()
        self.wrote: set[tuple[int, str]] = set()
        self.tests: dict[str, int] = {}
        self.uses: dict[str, set[NumberUse]] = {}
        self.broken = (
            False  # a layer that Dynamo leaves to Python is called: which guards there are is another question
        )

    # ------------------------------------------------------------ reading

    def entered(self, inner: Env, function: Function) -> None:
        """A function of the region is entered; the first is its root."""
        self.own.add(id(inner))
        self.kept.append(inner)
        if self.root is None:
            self.root = inner
            for p in function.info.node.params:
                value = inner.names.get(p.name)
                if (p.kind == "star" and isinstance(value, tuple)) or (
                    isinstance(value, dict) and p.kind == "double-star"
                ):
                    self._placed(f"L['{p.name}']", value)

    def name_read(self, scope: Env, name: str, value: Value) -> Value:
        """A name is read: an argument of the root, a global, or a name of a function around the root."""
        if scope is self.root:
            assert scope.function is not None
            if all(p.name != name for p in scope.function.node.params):
                return value
            path = f"L['{name}']"
            if path in self.owners and self.owners[path][0] is not value and not isinstance(value, Sym):
                return value  # bound again by the region itself
            return self.note(path, value, value, "")
        if id(scope) in self.own or (scope.function is not None and id(scope) in self.own):
            return value
        if isinstance(value, (Function, Class, External, Partial, Bound)):
            return value
        if scope.outer is not None and id(scope.outer) in self.own:
            return value  # a comprehension of the region
        if (id(scope), name) in self.wrote:
            return value
        return self.note(f"G['{name}']", value, scope, name)

    def attribute_read(self, owner: Any, name: str, value: Value, holder: Any = None) -> Value:
        """`owner.name`, an object from outside; `holder` is its class, if that has the attribute."""
        path = self.paths.get(id(owner))
        if path is None or (id(owner), name) in self.wrote or isinstance(value, (Function, Bound)):
            return value
        return self.note(f"{path}.{name}", value, owner, name, holder)

    def item_read(self, container: Value, index: Value, value: Value) -> Value:
        """`container[index]`."""
        path = self.paths.get(id(container))
        if path is None or not (is_plain(index) or isinstance(index, Member)) or isinstance(container, Tensor):
            return value
        return self.note(f"{path}[{index!r}]" if is_plain(index) else f"{path}[{index.name}]", value, container, "")

    def gone_over(self, container: Value, items: list[Value]) -> list[Value]:
        """The items of a container of which all are looked at."""
        path = self.paths.get(id(container))
        if path is None or isinstance(container, (set, range)):
            return items
        if isinstance(container, dict):
            self.keys_asked(container)
            return items
        if isinstance(container, Lib):
            self._put(f"{path} items", Guard("length", (container.name, len(items))), container, "")
        return [self.note(f"{path}[{i}]", one, container, "") for i, one in enumerate(items[:64])]

    def keys_asked(self, container: dict[Any, Value]) -> None:
        """The keys of a dictionary are looked at."""
        path = self.paths.get(id(container))
        if path is not None:
            self.guards.setdefault(f"{path}.keys()", Guard("keys", tuple(map(str, container))))

    def hooks_met(self, module: Any) -> None:
        """A part of what is compiled is called: how many hooks it has is asked, where it had any."""
        path = self.paths.get(id(module))
        if path is not None and path != "L['self']" and "<hooks>" in module.attrs:
            self._put(f"{path}._forward_hooks", Guard("hooks", len(module.attrs["<hooks>"])), module, "<hooks>")

    def layer_called(self, layer: Lib) -> None:
        """A layer of torch is called: its settings and weights are read."""
        self.hooks_met(layer)
        if layer.name in _LEFT_TO_PYTHON:
            self.broken = True
        path = self.paths.get(id(layer))
        if path is None:
            return
        settings = (*layer.args, *[v for _, v in sorted(layer.keywords.items())])
        known = all(map(is_plain, settings))
        self._put(f"{path} settings", Guard("layer", (layer.name, settings) if known else None), layer, "")
        short = layer.name.rpartition(".")[2]
        if short in _READ_TRAINING:
            self.note(f"{path}.training", layer.attrs.get("training", True), layer, "training")
        for name, value in list(layer.attrs.items()):
            if isinstance(value, Tensor) or (is_plain(value) and name != "training"):
                self.note(f"{path}.{name}", value, layer, name)

    def note(self, path: str, value: Value, owner: Any, name: str, holder: Any = None) -> Value:
        """Something from outside is read: what a guard on it asks, and its path, for what is read off it."""
        if isinstance(value, Sym):
            if value.source in self.guards:
                return value
            value = int(value)  # of an earlier call, which has stored it
        self._put(path, guard_of(path, value, owner), owner if holder is None else holder, name)
        self._placed(path, value)
        if type(value) is int:
            return Sym(value, path)
        return value

    def _placed(self, path: str, value: Value) -> None:
        if isinstance(value, (Thing, Lib, list, dict, tuple, Tensor)):
            self.paths.setdefault(id(value), path)
            self.kept.append(value)

    def _put(self, path: str, guard: Guard, owner: Any, name: str) -> None:
        if path not in self.guards:
            self.guards[path] = guard
            self.owners[path] = (owner, name)

    # ----------------------------------------------------------- deciding

    def written(self, owner: Any, name: str) -> None:
        """The region itself writes an attribute: what it reads of it from here on is its own."""
        self.wrote.add((id(owner), name))

    def decided(self, value: SymBool) -> None:
        """A test of a number from outside decides what runs."""
        count = self.tests[value.source] = self.tests.get(value.source, 0) + 1
        self.uses.setdefault(value.source, set()).add("test")
        self.guards[f"{value.source} in test {count}"] = Guard("outcome", value.value)

    def specialized(self, value: Sym, use: NumberUse) -> None:
        """A number from outside decides how often something runs, or whether it does by being zero."""
        self.uses.setdefault(value.source, set()).add(use)
        self.guards[f"{value.source} itself"] = Guard("number", int(value))

    def used(self, value: Sym) -> None:
        """A number from outside is used as a number: no guard of its own."""

    def indexed(self, index: Value) -> None:
        """A tensor is read or written by an index: numbers from outside in it select a row or bound a slice."""
        for one in index if isinstance(index, tuple) else (index,):
            for bound in (one.start, one.stop, one.step) if isinstance(one, slice) else ():
                if isinstance(bound, Sym):
                    self.uses.setdefault(bound.source, set()).add("bound")
            if isinstance(one, Sym):
                self.uses.setdefault(one.source, set()).add("index")

    def use_of(self, path: str) -> NumberUse:
        """What the number behind a failed guard is for; of several uses, the one that leaves fewest remedies."""
        uses = self.uses.get(path.removesuffix(" itself").partition(" in test ")[0], set())
        order: tuple[NumberUse, ...] = ("count", "bound", "test", "index")
        return next((one for one in order if one in uses), "")

"""Guards, and the versions of compiled code that they keep apart: which calls share what was compiled.

Dynamo's own rule: a version holds for a call if every guard that it made still holds. A size or number that has changed
once is taken for a symbol from then on. Nothing is concluded from what is not known."""

from __future__ import annotations

from typing import Any, NamedTuple

from compilelint.host.tensors import strides_of
from compilelint.host.values import (
    Compilation,
    Drawn,
    External,
    Function,
    Lib,
    Member,
    Partial,
    Tensor,
    Thing,
    Value,
)

GRAD_MODE = "grad mode"


class Guard(NamedTuple):
    """What a version asks of one thing: `kind` and `value`; unknown values are asked nothing."""

    kind: str
    value: Any
    fixed: bool = True  # numbers: Dynamo never makes a symbol of it


def class_of(value: Thing) -> Guard:
    """What Dynamo asks of an object's class: that it is the very class."""
    kind = value.kind
    return Guard("class", value.cls.qualified_name if kind is None else f"{kind.name} {id(kind)}")


def guard_of(path: str, value: Value, owner: Any) -> Guard:
    """What Dynamo asks of a value that compiled code reads."""
    if isinstance(value, bool) or value is None or isinstance(value, (str, bytes)):
        return Guard("equals", value)
    if isinstance(value, int):
        of_module = isinstance(owner, Lib) or (isinstance(owner, Thing) and owner.cls.is_module)
        return Guard("number", int(value), of_module and owner is not value)
    if isinstance(value, float):
        return Guard("float", value, False)
    if isinstance(value, Drawn):
        kind = "drawn" if value.kind in ("str", "bool") else "float" if value.kind == "float" else "number"
        return Guard(kind, value, False)
    if isinstance(value, Tensor):
        shape = None if value.shape is None else tuple(value.shape)
        kind = "Parameter" if value.param else "Tensor" if value.dtype and shape is not None else ""
        return Guard("tensor", (value.dtype, value.device, value.grad, shape, value.layout, dict(value.marks), kind))
    if isinstance(value, (list, tuple)):
        return Guard("length", (type(value).__name__, len(value)))
    if isinstance(value, dict):
        return Guard("length", ("dict", len(value)))
    if isinstance(value, Thing):
        return class_of(value)
    if isinstance(value, Lib):
        return Guard("class", value.attrs.get("<class>", value.name) if value.is_module else None)
    if isinstance(value, Member):
        return Guard("equals", f"{value.cls.node.name}.{value.name}")
    if isinstance(value, (Function, Partial)):
        function = value.function if isinstance(value, Partial) else value
        return Guard("code", id(function.info.node) if isinstance(function, Function) else None)
    if isinstance(value, External) and value.name.startswith("torch."):
        return Guard("code", value.name)
    return Guard("anything", None)


class Difference(NamedTuple):
    """A guard that does not hold: what it asks of, what it was and is; `dim` of a tensor that differs in a size."""

    path: str
    what: str
    before: str
    after: str
    sure: bool
    dim: int | None = None


class Version:
    """What was compiled in one call: the guards, and which numbers are symbols in it."""

    def __init__(
        self,
        guards: dict[str, Guard],
        symbols: set[tuple[str, int]],
        step: int,
        root: Value,
        owners: dict[str, tuple[Any, str]],
        compilation: Compilation,
    ) -> None:
        self.guards, self.symbols, self.step, self.root, self.owners = guards, symbols, step, root, owners
        self.compilation = compilation

    def owner_of(self, path: str) -> Any:
        """What held the thing that a guard asks of."""
        return self.owners.get(path, (None, ""))[0]

    def difference(self, other: dict[str, Guard]) -> Difference | None:
        """The first guard that does not hold for another call; None if that call shares this version."""
        for path, guard in self.guards.items():
            now = other.get(path)
            if now is not None:
                found = _differs(path, guard, now, self.symbols)
                if found is not None:
                    return found
        return None


def _differs(path: str, old: Guard, new: Guard, symbols: set[tuple[str, int]]) -> Difference | None:
    if (old.value is None and old.kind != "equals") or (new.value is None and new.kind != "equals"):
        return None
    if "anything" in (old.kind, new.kind):
        return None
    if old.kind != new.kind:
        return Difference(path, "type", said(old), said(new), True)
    if old.kind == "hooks" and not old.value:
        return None  # a hook that comes later is not looked for
    if old.kind == "tensor":
        return _tensors_differ(path, old.value, new.value, symbols)
    if old.kind == "drawn":
        return None if old.value is new.value else Difference(path, "value", said(old), said(new), False)
    if old.kind in ("number", "float"):
        if (path, -1) in symbols or old.value is new.value:
            return None
        if isinstance(old.value, Drawn) or isinstance(new.value, Drawn):
            return Difference(path, "value", said(old), said(new), False)
    return None if old.value == new.value else Difference(path, "value", said(old), said(new), True)


def _tensors_differ(path: str, old: Any, new: Any, symbols: set[tuple[str, int]]) -> Difference | None:
    found = _attributes_differ(path, old, new)
    if found is not None or old[3] is None or new[3] is None:
        return found
    return _sizes_differ(path, old[3], new[3], symbols) or _layouts_differ(path, old, new, symbols)


def _attributes_differ(path: str, old: Any, new: Any) -> Difference | None:
    for i, what in enumerate(("dtype", "device", "requires_grad")):
        a, b = old[i], new[i]
        if a not in ("", None) and b not in ("", None) and a != b:
            return Difference(path, what, str(a), str(b), True)
    if old[6] and new[6] and old[6] != new[6]:
        return Difference(path, "type", f"a {old[6]}", f"a {new[6]}", True)
    return None


def _sizes_differ(path: str, old: Any, new: Any, symbols: set[tuple[str, int]]) -> Difference | None:
    if len(old) != len(new):
        return Difference(path, "rank", f"{len(old)} dimensions", f"{len(new)} dimensions", True)
    for d, (a, b) in enumerate(zip(old, new, strict=True)):
        if a is None or b is None or a is b or a == b:
            continue
        if (path, d) in symbols and (isinstance(b, Drawn) or b > 1):
            continue
        sure = not isinstance(a, Drawn) and not isinstance(b, Drawn)
        return Difference(path, "size", _size(a), _size(b), sure, d)
    return None


def _layouts_differ(path: str, old: Any, new: Any, symbols: set[tuple[str, int]]) -> Difference | None:
    """How tensors of like sizes lie in memory."""
    if (isinstance(old[4], tuple) or isinstance(new[4], tuple)) and old[3] == new[3]:
        a, b = strides_of(old[3], old[4]), strides_of(new[3], new[4])
        if a is None or b is None or a == b or (path, -2) in symbols:
            return None
        return Difference(path, "stride", f"strides {a}", f"strides {b}", True)
    if isinstance(old[4], str) and isinstance(new[4], str) and old[4] != new[4] and 1 not in old[3]:
        was, now = ("permuted" if one else "contiguous" for one in (old[4], new[4]))
        return Difference(path, "stride", was, now, True)
    return None


def _size(d: Any) -> str:
    return str(d) if isinstance(d, int) else "another size"


def said(guard: Guard) -> str:
    """What a guard asks, as a message says it."""
    value = guard.value
    if guard.kind == "tensor":
        shape = value[3]
        return "a tensor" if shape is None else f"a tensor of shape {[d if isinstance(d, int) else '?' for d in shape]}"
    if guard.kind == "length":
        return f"a {value[0].rpartition('.')[2]} of {value[1]}"
    if guard.kind == "hooks":
        return f"a dict of {value}"
    if guard.kind == "layer":
        name, settings = value
        return f"a `{name.rpartition('.')[2]}({', '.join(map(repr, settings))})`"
    if guard.kind == "class":
        return f"a `{str(value).partition(' ')[0].rpartition('.')[2]}`"
    if guard.kind == "keys":
        return f"the keys {', '.join(value)}"
    if guard.kind == "code":
        return f"`{value.rpartition('.')[2]}`" if isinstance(value, str) else "another function"
    if isinstance(value, Drawn):
        return {"str": "another string", "bool": "another truth value"}.get(value.kind, "another number")
    return "None" if value is None else repr(value)[:40]


class Versions:
    """All versions of one compiled function, and the calls that made them."""

    def __init__(self) -> None:
        self.versions: list[Version] = []
        self.symbols: set[tuple[str, int]] = set()
        self.history: dict[str, list[Guard]] = {}

    def called(
        self,
        guards: dict[str, Guard],
        owners: dict[str, tuple[Any, str]],
        compilation: Compilation,
        root: Value,
        step: int,
        *,
        frozen: bool = False,
        learns: bool = True,
    ) -> tuple[Difference, Version] | None:
        """A call is made: None if it shares a version or is the first, else why not, and which version is meant.

        `frozen` says that a call which shares none is left to Python, `learns` that what varies becomes a symbol.
        """
        for version in self.versions:
            if version.difference(guards) is None:
                return None
        if frozen and self.versions:
            return None
        failed = None
        if self.versions:
            last = self.versions[-1]
            difference = last.difference(guards)
            assert difference is not None
            failed = difference, last
        self._learn(guards, compilation, learns)
        self.versions.append(Version(dict(guards), set(self.symbols), step, root, owners, compilation))
        return failed

    def _learn(self, guards: dict[str, Guard], compilation: Compilation, learns: bool) -> None:
        """Sizes and numbers that differ from a call before are symbols from now on."""
        for path, guard in guards.items():
            before = self.history.setdefault(path, [])
            if learns and compilation.dynamic is not False:
                for old in before:
                    self._compared(path, old, guard)
            if guard.kind == "tensor" and guard.value[3] is not None:
                marked = guard.value[5]
                for d, size in enumerate(guard.value[3]):
                    if d in marked or (compilation.dynamic is True and (not isinstance(size, int) or size > 1)):
                        self.symbols.add((path, d))
            elif guard.kind in ("number", "float") and not guard.fixed and compilation.dynamic is True:
                self.symbols.add((path, -1))
            before.append(guard)

    def _compared(self, path: str, old: Guard, new: Guard) -> None:
        if old.kind != new.kind:
            return
        if old.kind == "tensor":
            a, b = old.value[3], new.value[3]
            if a is not None and b is not None and len(a) == len(b):
                if a == b and old.value[4] != new.value[4]:
                    self.symbols.add((path, -2))
                self.symbols.update(
                    (path, d) for d, (x, y) in enumerate(zip(a, b, strict=True)) if x != y and x is not y
                )
        elif old.kind in ("number", "float") and not new.fixed and old.value != new.value:
            self.symbols.add((path, -1))

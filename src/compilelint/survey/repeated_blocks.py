"""Models that repeat one block: a `ModuleList` of one class, and a loop over it in code that is compiled whole."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.model.slotted import dataclass
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.project.index import Program
from compilelint.survey.scopes import Scope, argument, expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
from compilelint.values import ClassRef

_LISTS = frozenset({"torch.nn.ModuleList", "torch.nn.Sequential"})
_FEW = 6  # blocks that were measured to pay (`benchmarks/advice`, `whole_model`); fewer save less
_DEPTH = 3  # modules in modules: wrapper with a head, decoder, stack of layers


@dataclass(frozen=True, slots=True)
class Repeated:
    """A list of blocks of one class, made in `owner`; `count` is None where it is not a number in the source."""

    owner: ClassInfo
    name: str
    block: ClassInfo
    count: int | None


def repeated_block(program: Program, cls: ClassInfo, depth: int = 0) -> Repeated | None:
    """The first list of identical blocks that a model loops over, itself or in a module it holds."""
    init = cls.method("__init__")
    if init is None or not cls.is_module:
        return None
    scope = Scope(program, init.module, init.node.body, init, init.owner, Scope(program, init.module, _body(init)))
    held = list(_kept_attributes(scope))
    looped = _looped(cls)
    for name, value in held:
        found = _blocks(scope, value)
        if found is not None and name in looped and (found[1] is None or found[1] >= _FEW):
            return Repeated(cls, name, *found)
    if depth < _DEPTH:
        for _, value in held:
            inner = _class_of(scope, value)
            if inner is not None and inner is not cls:
                deeper = repeated_block(program, inner, depth + 1)
                if deeper is not None:
                    return deeper
    return None


def _body(function: FunctionInfo) -> ir.Body:
    return function.module.ir.body


def _kept_attributes(scope: Scope) -> Iterator[tuple[str, ir.Expr]]:
    """What a constructor keeps under which name: attributes, and keywords and keys of what they are made from."""
    for s, _ in statements(scope.body):
        if not isinstance(s, (ir.Assign, ir.AnnAssign)) or s.value is None:
            continue
        for target in s.targets if isinstance(s, ir.Assign) else (s.target,):
            if not isinstance(target, ir.Attr):
                continue
            yield target.name, s.value
            for inner in expressions([s.value]):
                if isinstance(inner, ir.Call):
                    yield from ((name, value) for name, value in inner.keywords if name is not None)
                elif isinstance(inner, ir.DictDisplay):
                    for key, value in zip(inner.keys, inner.values, strict=True):
                        if isinstance(key, ir.Const) and isinstance(key.value, str):
                            yield key.value, value


def _blocks(scope: Scope, value: ir.Expr) -> tuple[ClassInfo, int | None] | None:
    """The one class of a list of modules, and how many there are."""
    if not isinstance(value, ir.Call) or scope.name(value.func) not in _LISTS or not value.args:
        return None
    made = value.args[0].value if isinstance(value.args[0], ir.Star) else value.args[0]
    if isinstance(made, ir.Comp) and len(made.clauses) == 1:
        block = _class_of(scope, made.element)
        return None if block is None else (block, _length(made.clauses[0].iterable))
    items = made.items if isinstance(made, ir.Display) else value.args
    classes = {_class_of(scope, one) for one in items}
    only = next(iter(classes)) if len(classes) == 1 else None
    return None if only is None else (only, len(items))


def _class_of(scope: Scope, value: ir.Expr) -> ClassInfo | None:
    """The module class of the program that a call makes."""
    if not isinstance(value, ir.Call):
        return None
    meaning = scope.meaning(value.func)
    found = meaning.cls if isinstance(meaning, ClassRef) else None
    return found if isinstance(found, ClassInfo) and found.is_module else None


def _length(iterable: ir.Expr) -> int | None:
    if isinstance(iterable, ir.Call) and last_name(iterable.func) == "range" and len(iterable.args) == 1:
        count = argument(iterable, 0)
        return count.value if isinstance(count, ir.Const) and isinstance(count.value, int) else None
    return None


def _looped(cls: ClassInfo) -> set[str]:
    """Last names of what the methods of a class loop over or, as a `Sequential`, call."""
    names: set[str] = set()
    for method in cls.methods():
        if method.node.name == "__init__":
            continue
        for s, _ in statements(method.node.body):
            if isinstance(s, ir.For):
                names.update(_iterated(s.iterable))
            for expr in expressions(own_expressions(s)):
                if isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr):
                    names.add(expr.func.name)
    return names


def _iterated(iterable: ir.Expr) -> Iterator[str]:
    """Names behind slices and whatever is handed them: `enumerate`, `zip`, a progress bar, `range(len(...))`."""
    if isinstance(iterable, ir.Index):
        yield from _iterated(iterable.value)
    elif isinstance(iterable, ir.Call):
        for one in iterable.args:
            yield from _iterated(one)
    elif isinstance(iterable, ir.Attr):
        yield iterable.name

"""What scripts do with each model that they make: where it is made, called in training, in loops, by which methods.

Names say which object is which: what a name is assigned from (a class of modules that learns, a function that returns
one, a wrapper of either, another such name) it holds in every file, as an attribute and as a parameter too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from compilelint.model.slotted import dataclass
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.survey.practices.practice import Practice
from compilelint.survey.practices.steps import Steps, is_without_gradients
from compilelint.survey.practices.written import bound_to, is_method, loops_of
from compilelint.survey.scopes import Scope, Spot, argument, expressions, own_expressions, statements
from compilelint.survey.weights import Weights
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name
from compilelint.values import ClassRef, FunctionRef

_SAME = frozenset({"to", "cuda", "cpu", "eval", "train", "half", "float", "double", "bfloat16", "requires_grad_"})
_WRAPPERS = frozenset({"DataParallel", "DistributedDataParallel", "FullyShardedDataParallel", "compile"})
_ROUNDS = 3
# Methods that every module has, and that compute nothing.
_OF_MODULES = (
    frozenset("apply parameters named_parameters modules named_modules children buffers state_dict".split()) | _SAME
)


@dataclass(slots=True)
class Models:
    """What names hold models, filled file by file: `held` by name, `looped` the functions that counting loops call."""

    weights: Weights
    held: dict[str, dict[int, ClassInfo]] = field(default_factory=dict)
    aliases: dict[str, set[str]] = field(default_factory=dict)
    looped: set[str] = field(default_factory=set)

    def read(self, scope: Scope, seen: Sequence[Spot]) -> None:
        """Take in what a scope assigns and calls."""
        for spot in seen:
            if not isinstance(spot.expr, ir.Call):
                continue
            if (names := bound_to(spot)) and not _is_of_module(scope):  # what modules hold are their parts
                self._bind({name.rpartition(".")[2] for name in names}, scope, spot.expr)
            if any(_counts(scope, loop) for loop in loops_of(spot)):
                self.looped.add(last_name(spot.expr.func))

    def _bind(self, names: set[str], scope: Scope, value: ir.Call) -> None:
        source = _source(value)
        if isinstance(source, ir.Call):
            made = {id(one): one for one in _made(scope, source) if self.weights.learns(one)}
            if made:
                for name in names:
                    self.held.setdefault(name, {}).update(made)
            elif _returns_function(scope, source.func):
                for name in names:
                    self.aliases.setdefault(name, set()).update(map(last_name, source.args))
        elif held := last_name(source):
            for name in names:
                self.aliases.setdefault(name, set()).add(held)

    def settle(self) -> None:
        """Let names hold what the names that they are taken from hold."""
        for _ in range(_ROUNDS):
            for name, sources in self.aliases.items():
                for one in sources & self.held.keys():
                    self.held.setdefault(name, {}).update(self.held[one])

    def names(self, name: str) -> str:
        """The classes that a name holds, for a reader."""
        return ", ".join(sorted({cls.node.name for cls in self.held[name].values()}))


def _is_of_module(scope: Scope) -> bool:
    return scope.owner is not None and _is_model(scope.owner)


def _is_model(cls: object) -> bool:
    """Whether a class is one of modules, of TorchScript too."""
    return isinstance(cls, ClassInfo) and (cls.is_module or _is_scripted(cls))


def _is_scripted(cls: ClassInfo) -> bool:
    return any(last_name(base) == "ScriptModule" for base in cls.node.bases)


def read_models(weights: Weights, files: Iterable[Mapping[Scope, Sequence[Spot]]]) -> Models:
    """What the names of files hold."""
    found = Models(weights)
    for of_file in files:
        for scope, seen in of_file.items():
            found.read(scope, seen)
    found.settle()
    return found


def _source(expr: ir.Expr) -> ir.Expr:
    """The object itself, of `Net().to(device)`, `DataParallel(net)` and the like."""
    while isinstance(expr, ir.Call):
        if isinstance(expr.func, ir.Attr) and expr.func.name in _SAME:
            expr = expr.func.value
        elif last_name(expr.func) in _WRAPPERS and (given := argument(expr, 0, "module", "model")) is not None:
            expr = given
        else:
            break
    return expr


def _made(scope: Scope, call: ir.Call) -> Iterator[ClassInfo]:
    """The module classes that a call makes one of: itself, or the function of the project that it calls."""
    if (cls := _class_of(scope, call.func)) is not None:
        yield cls
    code = _code_of(scope, call.func)
    if code is None:
        return
    inner = Scope(scope.program, code.module, code.node.body, code, parent=_top(scope, code))
    for s, _ in statements(code.node.body):
        value = _source(s.value) if isinstance(s, (ir.Return, ir.Assign)) and s.value is not None else None
        if isinstance(value, ir.Call) and (cls := _class_of(inner, value.func)) is not None:
            yield cls


def _top(scope: Scope, code: FunctionInfo) -> Scope:
    return Scope(scope.program, code.module, code.module.ir.body)


def _class_of(scope: Scope, func: ir.Expr) -> ClassInfo | None:
    meaning = scope.meaning(func)
    cls = meaning.cls if isinstance(meaning, ClassRef) else None
    return cls if isinstance(cls, ClassInfo) and _is_model(cls) else None


def _code_of(scope: Scope, func: ir.Expr) -> FunctionInfo | None:
    meaning = scope.meaning(func)
    code = meaning.code if isinstance(meaning, FunctionRef) else None
    return code if isinstance(code, FunctionInfo) else None


def _returns_function(scope: Scope, func: ir.Expr) -> bool:
    """Whether a function of the project returns one that it defines."""
    code = _code_of(scope, func)
    every = [] if code is None else [s for s, _ in statements(code.node.body)]
    inner = {s.name for s in every if isinstance(s, ir.Function)}
    return any(isinstance(s, ir.Return) and isinstance(s.value, ir.Name) and s.value.id in inner for s in every)


def _counts(scope: Scope, loop: ir.Stmt) -> bool:
    """Whether a loop counts its passes, or goes on until a test ends it; not one over what a loader gives."""
    if isinstance(loop, ir.While):
        return True
    over: list[ir.Expr] = [loop.iterable] if isinstance(loop, ir.For) else []
    over += [
        made
        for one in over
        for name in expressions([one])
        if isinstance(name, ir.Name)
        for made in scope.assigned(name.id)
    ]
    return any(isinstance(one, ir.Call) and last_name(one.func) == "range" for one in expressions(over))


def uses(scope: Scope, seen: Sequence[Spot], models: Models, steps: Steps) -> Iterator[Practice]:
    """What a scope does with the models that its names hold."""
    calls = [(spot, spot.expr) for spot in seen if isinstance(spot.expr, ir.Call)]
    if _is_of_module(scope):
        yield from _own_passes(scope, calls, steps)
        return
    done: set[tuple[str, str, str]] = set()
    for spot, call in calls:
        if (cls := _class_of(scope, call.func)) is not None:
            if models.weights.learns(cls):
                yield Practice("made", spot.site().location, cls.node.name)
            continue
        for one in _called(scope, spot, call, models, steps):
            if (one.kind, one.name, one.detail) not in done:
                done.add((one.kind, one.name, one.detail))
                yield one


def _own_passes(scope: Scope, calls: Iterable[tuple[Spot, ir.Call]], steps: Steps) -> Iterator[Practice]:
    """The first layer that a loop in a method of a model calls in each pass, `sample` or `generate` say."""
    node = None if scope.function is None else scope.function.node
    if node is None or not node.params or node.name in ("forward", "__init__") or steps.has(scope):
        return
    for spot, call in calls:
        name, loops = dotted_name(call.func), loops_of(spot)
        attribute = name.removeprefix(f"{node.params[0].name}.").partition(".")[0] if "." in name else ""
        if attribute and name.startswith(f"{node.params[0].name}.") and any(_counts(scope, one) for one in loops):
            assert scope.owner is not None
            yield Practice("passes", spot.site().location, scope.owner.node.name, name)
            return


def _called(scope: Scope, spot: Spot, call: ir.Call, models: Models, steps: Steps) -> Iterator[Practice]:
    name, method = last_name(call.func), ""
    holder = last_name(call.func.value) if isinstance(call.func, ir.Attr) else ""
    own = [cls.method(name) for cls in models.held.get(holder, {}).values()]
    if found := [one for one in own if one is not None and (name == "forward" or _computes(one))]:
        if any(_goes_backward(one) for one in found):
            return  # it trains by itself
        name, method = holder, name
    if name not in models.held:
        return
    at, classes = spot.site().location, models.names(name)
    trains = steps.cover(spot) and not (is_without_gradients(spot) and loops_of(spot))
    repeated = not trains and _is_repeated(scope, spot, models, steps)
    if method == "forward":
        yield Practice("past", at, f"{name}.forward", classes)
    elif method and (trains or repeated):
        yield Practice("instead", at, classes, method)
    if trains:
        yield Practice("stepped", at, classes, method)
    elif repeated:
        yield Practice("passes", at, classes, f"{name}.{method}" if method else name)


def _computes(code: FunctionInfo) -> bool:
    """Whether a method calls a layer or another method of its object; questions and settings do not."""
    own = code.node.params[0].name if code.node.params else ""
    every = (one for s, _ in statements(code.node.body) for one in expressions(own_expressions(s)))
    names = [dotted_name(one.func) for one in every if isinstance(one, ir.Call)]
    return any(name.startswith(f"{own}.") and name.rpartition(".")[2] not in _OF_MODULES for name in names)


def _goes_backward(code: FunctionInfo) -> bool:
    every = (one for s, _ in statements(code.node.body) for one in expressions(own_expressions(s)))
    return any(is_method(one, "backward") for one in every)


def _is_repeated(scope: Scope, spot: Spot, models: Models, steps: Steps) -> bool:
    """Whether passes of a loop that computes without a backward pass make a call: around it, or around its function."""
    loops = loops_of(spot)
    if loops:
        return id(loops[-1]) not in steps.loops and _counts(scope, loops[-1])
    function = None if scope.function is None else scope.function.node
    return function is not None and function.name in models.looped and not steps.has(scope)


def scripted(scope: Scope) -> Iterator[Practice]:
    """A class whose modules are compiled by TorchScript already."""
    cls = scope.owner if scope.function is None else None
    if cls is not None and _is_scripted(cls):
        yield Practice("scripted", scope.site(cls.node.head).location, cls.node.name)

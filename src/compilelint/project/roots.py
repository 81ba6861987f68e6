"""Compile roots: the functions that TorchDynamo starts from.

`explicit`: what the code itself compiles or exports. `auto` adds the forwards of modules and autograd functions, and,
for whatever they do not reach, functions with a tensor among their annotated parameters. `all` starts every function
that nothing else reaches. A glob names functions by qualified name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from compilelint.events import DynamoConfig
from compilelint.model import Location
from compilelint.project.compile_calls import CompileCall
from compilelint.project.compile_modes import RECORDING_MODES, records_cuda_graphs
from compilelint.project.globs import wildcard
from compilelint.project.index import (
    Assigned,
    ClassInfo,
    FunctionInfo,
    ModuleInfo,
    Program,
    last_name,
    statements_of,
)
from compilelint.syntax import ir
from compilelint.values import ClassRef, External, FunctionRef, Value

# Decorators whose functions Dynamo never enters.
_OPAQUE = frozenset(
    {
        *("disable", "allow_in_graph", "nonstrict_trace", "custom_op", "assume_constant_result", "triton_op"),
        *("register_fake", "register_kernel"),  # of a custom operator
    }
)
# Methods that prepare, convert or describe rather than compute: no starting points of their own.
_SETUP_PREFIXES = (
    "set_",
    "from_",
    "save",
    "load",
    "_init",
    "init_",
    "_load",
    "_save",
    "convert_",
    "get_config",
    "add_",
)


@dataclass(frozen=True, slots=True)
class Root:
    """A function to start from. `owner` is the class whose instance `self` is; `kind` says how it became a root.

    `compiled_at` is where an explicit root is compiled.
    """

    function: FunctionInfo
    owner: ClassInfo | None
    kind: str
    config: DynamoConfig
    compiled_at: Location | None = None

    @property
    def name(self) -> str:
        """`Class.forward` as the messages call it."""
        return self.function.node.qualname


@dataclass(slots=True)
class Roots:
    """`first` are started in any case, `rest` only if nothing started before reaches them.

    `calls` are the compile calls that were found, those of which it is not known what they compile included.
    """

    first: list[Root] = field(default_factory=list)
    rest: list[Root] = field(default_factory=list)
    calls: list[CompileCall] = field(default_factory=list)


def find_roots(
    program: Program, modules: Iterable[ModuleInfo], specs: tuple[str, ...], config: DynamoConfig | None = None
) -> Roots:
    """The roots of the linted modules for the given items of `--roots`."""
    modules = list(modules)
    default = config or DynamoConfig()
    roots = Roots()
    configs: dict[tuple[int, int], set[DynamoConfig]] = {}

    def add(
        into: list[Root],
        function: FunctionInfo,
        owner: ClassInfo | None,
        kind: str,
        how: DynamoConfig,
        compiled_at: Location | None = None,
    ) -> None:
        known = configs.setdefault((id(function.node), id(owner)), set())
        # Compiled twice in two ways it is two roots; but what is compiled explicitly is no root of another kind.
        if not opaque(function) and how not in known and (kind == "explicit" or not known):
            known.add(how)
            into.append(Root(function, owner, kind, how, compiled_at))

    globs = [wildcard(s) for s in specs if s not in ("auto", "explicit", "all")]
    for module in modules:
        for function, owner, how, place in _explicit(program, module, default):
            add(roots.first, function, owner, "explicit", how, place)
    if "auto" in specs:
        for module in modules:
            for cls in classes_of(program, module):
                for function, kind in _entry_points(cls):
                    add(roots.first, function, cls, kind, default)
    for module in modules if globs else ():
        for function in functions_of(program, module):
            names = (function.qualified_name, f"{module.name}:{function.node.qualname}")
            if function.node.name != "__init__" and any(g.matches(n) for n in names for g in globs):
                add(roots.rest, function, function.owner, "glob", default)
    if "auto" in specs:
        for module in modules:
            for function in functions_of(program, module):
                if _worth_starting(program, function):
                    add(roots.rest, function, function.owner, "unreached", default)
    if "all" in specs:
        for module in modules:
            for function in functions_of(program, module):
                if function.node.name != "__init__":
                    add(roots.rest, function, function.owner, "all", default)
    return roots


def opaque(function: FunctionInfo) -> bool:
    """Whether Dynamo never enters the function."""
    for d in function.node.decorators:
        name = last_name(d)
        if name in _OPAQUE:
            return True
        call = d.func if isinstance(d, ir.Call) else d
        if (
            name in ("ignore", "unused", "jit")
            and isinstance(call, ir.Attr)
            and last_name(call.value) in ("jit", "triton")
        ):
            return True
    return False


def classes_of(program: Program, module: ModuleInfo) -> Iterator[ClassInfo]:
    """Classes defined at the top level of a module or of its classes."""
    stack = [s for s in statements_of(module.ir.body) if isinstance(s, ir.Class)]
    while stack:
        node = stack.pop(0)
        yield program.class_info(module, node)
        stack.extend(s for s in statements_of(node.body) if isinstance(s, ir.Class))


def functions_of(program: Program, module: ModuleInfo) -> Iterator[FunctionInfo]:
    """Functions at the top level of a module, and methods."""
    for s in statements_of(module.ir.body):
        if isinstance(s, ir.Function):
            yield module.function(s, None)
    for cls in classes_of(program, module):
        yield from cls.methods()


def _entry_points(cls: ClassInfo) -> Iterator[tuple[FunctionInfo, str]]:
    if cls.is_module:
        forward = cls.own("forward")
        if forward is None and any(not m.node.name.startswith("__") for m in cls.methods()):
            forward = cls.method("forward")  # a template method, run with the steps that this class defines
        if forward is not None:
            yield forward, "forward"
    elif cls.is_autograd_function:
        for name in ("forward", "setup_context", "backward", "jvp", "vmap"):
            method = cls.own(name)
            if method is not None:
                yield method, "autograd"


def _worth_starting(program: Program, function: FunctionInfo) -> bool:
    node = function.node
    name = node.name
    if (name.startswith("__") and name != "__call__") or name.startswith(_SETUP_PREFIXES):
        return False
    return takes_tensors(function)


def takes_tensors(function: FunctionInfo) -> bool:
    """Whether a parameter is annotated with a tensor type."""
    return any(p.annotation is not None and _names_tensor(p.annotation, 0) for p in function.node.params)


def _names_tensor(annotation: ir.Expr, depth: int) -> bool:
    """Whether a tensor type stands in an annotation, by its name alone: cheap, and aliases are rare."""
    if depth > 4:
        return False
    if isinstance(annotation, (ir.Name, ir.Attr)):
        return last_name(annotation).endswith("Tensor")
    if isinstance(annotation, ir.Binary):
        return _names_tensor(annotation.left, depth + 1) or _names_tensor(annotation.right, depth + 1)
    if isinstance(annotation, ir.Index):
        inside = annotation.index
        parts = inside.items if isinstance(inside, ir.Display) else (inside,)
        return _names_tensor(annotation.value, depth + 1) or any(_names_tensor(p, depth + 1) for p in parts)
    return False


# -------------------------------------------------------------------- explicit


_Compiled = tuple[FunctionInfo, ClassInfo | None, DynamoConfig, Location]


def _explicit(program: Program, module: ModuleInfo, default: DynamoConfig) -> Iterator[_Compiled]:
    for function in functions_of(program, module):
        for d in function.node.decorators:
            call = d if isinstance(d, ir.Call) else None
            if _is(program, module, d if call is None else call.func, "torch.compile", "torch.export.export"):
                yield function, function.owner, _configured(default, call), module.ir.location(d.pos)
        yield from _calls_in(program, module, function.node.body, function, default)
    yield from _calls_in(program, module, module.ir.body, None, default)


def _calls_in(
    program: Program, module: ModuleInfo, body: ir.Body, inside: FunctionInfo | None, default: DynamoConfig
) -> Iterator[_Compiled]:
    """`torch.compile(f)`, `model.compile()` and `torch.export.export(m, ...)` in the statements of a body."""
    made: dict[str, ir.Expr] = {}
    for s in statements_of(body):
        value = s.value if isinstance(s, (ir.Assign, ir.ExprStmt, ir.Return, ir.AnnAssign)) else None
        if isinstance(s, ir.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ir.Name) and value is not None:
            made.setdefault(s.targets[0].id, value)
        if not isinstance(value, ir.Call):
            continue
        target: ir.Expr | None = None
        config = default
        if _is(program, module, value.func, "torch.compile") and value.args:
            target, config = value.args[0], _configured(default, value)
        elif _is(program, module, value.func, "torch.export.export") and value.args:
            target = value.args[0]
            config = DynamoConfig(True, True, default.captures, default.dynamic, default.mode)
        elif isinstance(value.func, ir.Attr) and value.func.name == "compile" and isinstance(value.func.value, ir.Name):
            target, config = value.func.value, _configured(default, value)
        if target is not None:
            found = _target(program, module, target, made, inside)
            if found is not None:
                yield (*found, config, module.ir.location(value.pos))


def _target(
    program: Program, module: ModuleInfo, expr: ir.Expr, made: dict[str, ir.Expr], inside: FunctionInfo | None
) -> tuple[FunctionInfo, ClassInfo | None] | None:
    for _ in range(4):  # a name for a name for a call
        if isinstance(expr, ir.Name) and expr.id in made and not isinstance(made[expr.id], ir.Name):
            expr = made[expr.id]
            continue
        break
    if isinstance(expr, ir.Call):
        value = program.resolve(module, expr.func)
        if isinstance(value, ClassRef) and isinstance(value.cls, ClassInfo):
            return _callable_of(value.cls)
        return None
    if isinstance(expr, ir.Attr) and isinstance(expr.value, ir.Name) and expr.value.id == "self" and inside is not None:
        owner = inside.owner
        method = None if owner is None else owner.method(expr.name)
        return None if method is None else (method, owner)
    return _from_value(program, module, expr)


def _from_value(program: Program, module: ModuleInfo, expr: ir.Expr) -> tuple[FunctionInfo, ClassInfo | None] | None:
    if isinstance(expr, ir.Name):
        for binding in module.bindings.get(expr.id, ()):
            if isinstance(binding, Assigned) and isinstance(binding.expr, ir.Call):
                value = program.resolve(module, binding.expr.func)
                if isinstance(value, ClassRef) and isinstance(value.cls, ClassInfo):
                    return _callable_of(value.cls)
    value = program.resolve(module, expr)
    if isinstance(value, FunctionRef) and isinstance(value.code, FunctionInfo):
        return value.code, value.code.owner
    return None


def _callable_of(cls: ClassInfo) -> tuple[FunctionInfo, ClassInfo] | None:
    method = cls.method("forward") if cls.is_module else cls.method("__call__")
    return None if method is None else (method, cls)


def _is(program: Program, module: ModuleInfo, expr: ir.Expr, *names: str) -> bool:
    if last_name(expr) not in {n.rpartition(".")[2] for n in names}:
        return False
    value: Value | None = program.resolve(module, expr)
    return isinstance(value, External) and value.name in names


def _configured(default: DynamoConfig, call: ir.Call | None) -> DynamoConfig:
    """The configuration that the keywords of `torch.compile(...)` ask for."""
    if call is None:
        return default
    given = {k: e.value for k, e in call.keywords if k is not None and isinstance(e, ir.Const)}
    fullgraph = given.get("fullgraph", default.fullgraph)
    return DynamoConfig(
        bool(fullgraph),
        default.export,
        default.captures,
        given.get("dynamic", default.dynamic),
        _mode(call, given.get("mode", default.mode)),
    )


def _mode(call: ir.Call, given: str | None) -> str | None:
    """The mode that takes effect: modes are Inductor's, and one of its options asks for CUDA graphs without a mode."""
    if records_cuda_graphs(call):
        return given if given in RECORDING_MODES else "reduce-overhead"
    return None if given in RECORDING_MODES else given

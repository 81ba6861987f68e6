"""Calls of `torch.compile` that cannot do what they are there for: thrown away, repeated, of the wrong thing."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import Compile, Event
from compilelint.project.classes import Assigned, ClassInfo
from compilelint.project.compile_modes import records_cuda_graphs
from compilelint.survey.compile_arguments import arguments
from compilelint.survey.repeated_blocks import repeated_block
from compilelint.survey.scopes import Scope, Spot, argument, expressions, own_expressions, statements, text_of
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name
from compilelint.values import ClassRef

COMPILERS = frozenset({"torch.compile", "torch._dynamo.optimize"})
_JIT = frozenset({"torch.jit.script", "torch.jit.trace", "torch.jit.trace_module"})
_REPEATED = frozenset({"forward", "__call__", "training_step", "validation_step", "predict_step"})
# Methods that serve one request each, by the class that frameworks ask for.
_SERVING = {
    "BaseHTTPRequestHandler": frozenset({"do_GET", "do_POST", "do_PUT"}),
    "BasePredictor": frozenset({"predict"}),  # cog
    "BaseHandler": frozenset({"handle", "preprocess", "inference", "postprocess"}),  # TorchServe
    "LitAPI": frozenset({"decode_request", "predict", "encode_response"}),  # LitServe
}
_ROUTES = frozenset({"get", "post", "put", "patch", "delete", "head", "options", "route", "api_route", "websocket"})
_FSDP_NAMES = frozenset(
    {
        "torch.distributed.fsdp.FullyShardedDataParallel",
        "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel",
    }
)


def compiles(spot: Spot) -> Iterator[Event]:
    """What a call of `torch.compile` or of a `compile` method does wrong where it stands."""
    call = spot.expr
    if not isinstance(call, ir.Call):
        return
    last = last_name(call.func)
    if is_compile(spot.scope, call):
        if not _in_raises(spot):
            yield from arguments(spot, call)
        yield from _recorded(spot, call)
        yield from _compile_call(spot, call)
    elif last == "compile" and isinstance(call.func, ir.Attr):
        made = _made_from(spot, call.func.value)
        if _class_made(spot, call.func.value) is not None:
            yield from arguments(spot, call)
            yield from _recorded(spot, call)
            yield from _payoff(spot, call, call.func.value)
        name = "" if made is None else spot.scope.name(made.func)
        if name.startswith("torch.nn.") and name.rpartition(".")[2][:1].isupper():
            yield Compile(spot.site(), None, "library-in-place", name)


def is_compile(scope: Scope, call: ir.Call) -> bool:
    """Whether a call is `torch.compile(...)` under any of its names."""
    return last_name(call.func) not in ("", "append") and scope.name(call.func) in COMPILERS


def _compile_call(spot: Spot, call: ir.Call) -> Iterator[Event]:
    target = argument(call, 0, "model")
    if target is None or spot.scope.name(call.func) != "torch.compile":
        return  # the first argument of `torch._dynamo.optimize` is a backend
    words = dotted_name(target) or "the model"
    if isinstance(spot.statement, ir.ExprStmt) and spot.statement.value is call and not _expects_an_error(spot):
        yield Compile(spot.site(), None, "discarded", words)
        return
    made = target if isinstance(target, ir.Call) else _made_from(spot, target)
    origin = "" if made is None else spot.scope.name(made.func)
    if origin in _JIT or _scripted(spot, target):
        yield Compile(spot.site(), None, "traced" if origin.startswith("torch.jit.trace") else "scripted", words)
    yield from _payoff(spot, call, target)
    where = _repeated(spot)
    if where and not _depends_on_loop(spot, target):
        backend = argument(call, -1, "backend")
        fresh = isinstance(backend, ir.Lambda) or (
            isinstance(backend, ir.Call) and spot.scope.name(backend.func) == "functools.partial"
        )
        yield Compile(spot.site(), None, "fresh-backend" if fresh else "per-call", words, where)


def _payoff(spot: Spot, call: ir.Call, target: ir.Expr) -> Iterator[Compile]:
    """Compiling that works and pays less than it could, or nothing."""
    words = dotted_name(target) or "the model"
    if any(spot.scope.name(made.func) in _FSDP_NAMES and _flattens(made) for made in _makers(spot, target)):
        yield Compile(spot.site(), None, "flat-parameters", words)
    cls = _class_made(spot, target)
    found = None if cls is None else repeated_block(spot.scope.program, cls)
    if found is not None:
        count = "" if found.count is None else f"{found.count} "
        yield Compile(
            spot.site(),
            None,
            "blocks",
            words,
            f"{count}`{found.block.node.name}` in `{found.owner.node.name}.{found.name}`",
        )


def _recorded(spot: Spot, call: ir.Call) -> Iterator[Compile]:
    """CUDA graphs asked for together with sizes that vary."""
    dynamic = argument(call, -1, "dynamic")
    if not (records_cuda_graphs(call) and isinstance(dynamic, ir.Const) and dynamic.value is True):
        return
    target = argument(call, 0, "model")
    words = "" if target is None else dotted_name(target)
    if isinstance(spot.statement, ir.Function):
        words = spot.statement.name
    yield Compile(spot.site(dynamic), None, "recorded-sizes", words or "the model")


def _class_made(spot: Spot, target: ir.Expr) -> ClassInfo | None:
    """The class of the program whose instance is compiled: made in place, or under a name bound once."""
    meanings = [spot.scope.meaning(made.func) for made in _makers(spot, target)]
    found = {one.cls for one in meanings if isinstance(one, ClassRef)}
    only = next(iter(found)) if len(found) == 1 else None
    return only if isinstance(only, ClassInfo) and only.is_module else None


def _makers(spot: Spot, target: ir.Expr) -> list[ir.Call]:
    """The calls that may have made what is compiled, in place or under its name."""
    if isinstance(target, ir.Call):
        return [target]
    bound = spot.scope.assigned(target.id) if isinstance(target, ir.Name) else []
    return [one for one in bound if isinstance(one, ir.Call) and one is not spot.expr]


def _flattens(call: ir.Call) -> bool:
    """Whether FSDP keeps its default of flattening the parameters; no when `**settings` might say otherwise."""
    kept = argument(call, -1, "use_orig_params")
    if kept is None:
        return all(name is not None for name, _ in call.keywords)
    return isinstance(kept, ir.Const) and kept.value is False


def _scripted(spot: Spot, target: ir.Expr) -> bool:
    """Whether the target is a module name bound to the result of `torch.jit.script`."""
    made = _made_from(spot, target)
    return made is not None and spot.scope.name(made.func) == "torch.jit.script"


def _made_from(spot: Spot, target: ir.Expr) -> ir.Call | None:
    """The one call that a local or global name is assigned from; None where there are several or other values."""
    if not isinstance(target, ir.Name):
        return None
    bound = spot.scope.bindings(target.id) or []
    if len(bound) == 1 and isinstance(bound[0], Assigned) and isinstance(bound[0].expr, ir.Call) and not bound[0].path:
        return bound[0].expr
    return None


def _expects_an_error(spot: Spot) -> bool:
    """Whether a `with pytest.raises(...)` or `assertRaises` stands around, or a `try`."""
    return spot.inside(ir.Try) is not None or _in_raises(spot)


def _in_raises(spot: Spot) -> bool:
    return any(
        isinstance(block, ir.With) and any("aises" in last_name(item) for item, _ in block.items)
        for block in spot.blocks
    )


def _repeated(spot: Spot) -> str:
    """Where an expression runs again and again: in words, else empty. What an `if` guards may run once."""
    if isinstance(spot.statement, (ir.Function, ir.Class)) or spot.inside(ir.If) is not None or _conditional(spot):
        return ""
    loop = spot.inside(ir.For, ir.While)
    if loop is not None:
        return "`for` loop" if isinstance(loop, ir.For) else "`while` loop"
    function, owner = spot.scope.function, spot.scope.owner
    if function is not None and owner is not None and function.node.name in _REPEATED and _is_called_often(owner):
        return f"`{function.node.qualname}`"
    if function is not None and (_is_route(function.node) or _serves(owner, function.node.name)):
        return f"`{function.node.qualname}`, which runs for every request"
    return ""


def _is_route(function: ir.Function) -> bool:
    """Whether a decorator makes a function the endpoint of a path: `@app.post("/predict")`."""
    return any(
        isinstance(d, ir.Call)
        and isinstance(d.func, ir.Attr)
        and d.func.name in _ROUTES
        and (text_of(argument(d, 0, "path", "rule")) or "").startswith("/")
        for d in function.decorators
    )


def _serves(owner: ClassInfo | None, method: str) -> bool:
    """Whether a serving framework calls a method once a request."""
    if owner is None:
        return False
    bases = {base.rpartition(".")[2] for base in owner.external_bases}
    return any(method in _SERVING[base] for base in bases & set(_SERVING))


def _is_called_often(owner: ClassInfo) -> bool:
    return owner.is_module or any("Module" in base for base in owner.external_bases)


def _conditional(spot: Spot) -> bool:
    """Whether a conditional expression or a lambda of the statement holds the expression."""
    return any(
        isinstance(one, (ir.IfExp, ir.Lambda)) and any(inner is spot.expr for inner in expressions([one]))
        for one in expressions(own_expressions(spot.statement))
    )


def _depends_on_loop(spot: Spot, target: ir.Expr) -> bool:
    """Whether what is compiled is another thing in each round: regional compilation, or a sweep over settings."""
    loop = spot.inside(ir.For, ir.While)
    if loop is None:
        return isinstance(target, ir.Lambda)
    changing = set(_bound_in(loop))
    call = spot.expr
    return any(isinstance(one, ir.Name) and one.id in changing for one in expressions([call]))


def _bound_in(loop: ir.Stmt) -> Iterator[str]:
    """Names that a loop binds: its targets, and whatever is assigned or defined in its body."""
    if isinstance(loop, ir.For):
        yield from (one.id for one in expressions([loop.target]) if isinstance(one, ir.Name))
    for s, _ in statements((loop,)):
        if isinstance(s, ir.Assign):
            yield from (one.id for t in s.targets for one in expressions([t]) if isinstance(one, ir.Name))
        elif isinstance(s, (ir.Function, ir.Class)):
            yield s.name
        elif isinstance(s, ir.For):
            yield from (one.id for one in expressions([s.target]) if isinstance(one, ir.Name))
        elif isinstance(s, ir.With):
            yield from (b.id for _, b in s.items if isinstance(b, ir.Name))

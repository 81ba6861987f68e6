"""Calls of `torch.compile` on what it cannot compile, or not well: layers of a library, scripts, flat parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from compilelint.events import Compile, CompileUse, Event
from compilelint.project.compile_calls import COMPILERS
from compilelint.project.file_kinds import is_benchmark, is_test
from compilelint.survey.made import class_made, made_from, makers
from compilelint.survey.repeated_blocks import repeated_block
from compilelint.survey.scopes import (
    Scope,
    Spot,
    argument,
    expressions,
    expressions_of,
    own_expressions,
    statements,
    switched_off,
)
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import dotted_name, last_name

WRAPPING = frozenset(name for name, how in COMPILERS.items() if how in ("wraps", "optimizes"))
_JIT = frozenset({"torch.jit.script", "torch.jit.trace", "torch.jit.trace_module"})
_FSDP_NAMES = frozenset(
    {
        "torch.distributed.fsdp.FullyShardedDataParallel",
        "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel",
    }
)


def compiles(spot: Spot) -> Iterator[Event]:
    """What a call of `torch.compile` or of a `compile` method is given that it cannot compile, or not well."""
    call = spot.expr
    if not isinstance(call, ir.Call):
        return
    if is_compile(spot.scope, call):
        yield from _compile_call(spot, call)
    elif last_name(call.func) == "compile" and isinstance(call.func, ir.Attr):
        made = made_from(spot.scope, call.func.value)
        if class_made(spot.scope, call.func.value) is not None:
            yield from _payoff(spot, call.func.value)
        name = "" if made is None else spot.scope.name(made.func)
        if name.startswith("torch.nn.") and name.rpartition(".")[2][:1].isupper():
            yield Compile(spot.site(), None, "library-in-place", name)


def is_compile(scope: Scope, call: ir.Call) -> bool:
    """Whether a call is `torch.compile(...)` under any of its names."""
    return last_name(call.func) not in ("", "append") and scope.name(call.func) in WRAPPING


def compile_calls(calls: Iterable[tuple[Scope, ir.Call]]) -> Iterator[ir.Call]:
    """Those that compile: `torch.compile` under any of its names, and `compile` of a model whose class is known."""
    for scope, call in calls:
        model = call.func.value if isinstance(call.func, ir.Attr) and call.func.name == "compile" else None
        if is_compile(scope, call) or (model is not None and class_made(scope, model) is not None):
            yield call


def _compile_call(spot: Spot, call: ir.Call) -> Iterator[Event]:
    target = argument(call, 0, "model")
    if target is None or spot.scope.name(call.func) != "torch.compile":
        return  # the first argument of `torch._dynamo.optimize` is a backend
    if isinstance(spot.statement, ir.ExprStmt) and spot.statement.value is call:
        return  # what is thrown away is judged as that
    made = target if isinstance(target, ir.Call) else made_from(spot.scope, target)
    origin = "" if made is None else spot.scope.name(made.func)
    if origin in _JIT:
        how: CompileUse = "traced" if origin.startswith("torch.jit.trace") else "scripted"
        yield Compile(spot.site(), None, how, dotted_name(target))
    if _generates(spot.scope, target):
        yield Compile(spot.site(), None, "generation", dotted_name(target))
    yield from _payoff(spot, target)


def _generates(scope: Scope, target: ir.Expr) -> bool:
    """Whether what is compiled is the method of a model that calls the model in a loop, for each token once."""
    if not isinstance(target, ir.Attr) or target.name != "generate" or not dotted_name(target):
        return False
    cls = class_made(scope, target.value)
    if cls is None:
        return scope.meaning(target.value) is None
    method = cls.method(target.name)
    params = () if method is None else method.node.params
    runs = {params[0].name, f"{params[0].name}.forward"} if params else set()
    loops = (s for s, _ in statements(() if method is None else method.node.body) if isinstance(s, (ir.For, ir.While)))
    inside = (one for loop in loops for s, _ in statements(loop.body) for one in expressions(own_expressions(s)))
    return any(isinstance(one, ir.Call) and dotted_name(one.func) in runs for one in inside)


def _payoff(spot: Spot, target: ir.Expr) -> Iterator[Compile]:
    """Compiling that works and pays less than it could, or nothing."""
    words = dotted_name(target)
    made = makers(spot.scope, target, spot.expr)
    if any(spot.scope.name(one.func) in _FSDP_NAMES and _flattens(one) for one in made):
        yield Compile(spot.site(), None, "flat-parameters", words)
    cls = class_made(spot.scope, target, spot.expr)
    found = None if cls is None else repeated_block(spot.scope.program, cls)
    if found is not None and _start_counts(spot):
        count = "" if found.count is None else f"{found.count} "
        where = f"{count}`{found.block.node.name}` in `{found.owner.node.name}.{found.name}`"
        yield Compile(spot.site(), None, "blocks", words, where)


def _start_counts(spot: Spot) -> bool:
    """Whether a faster start may pay where a model is compiled.

    Next to a training run the seconds that a smaller graph saves are nothing, tests and benchmarks compile for the
    graph's sake, and behind a switch that is off nothing starts.
    """
    path = spot.scope.module.ir.path
    return not (is_test(path) or is_benchmark(path) or switched_off(spot) or fact(spot.scope.module.ir, _trains))


def _trains(module: ir.Module) -> bool:
    """Whether a file runs backward, or has a trainer do so."""
    return any(
        isinstance(one, ir.Call) and isinstance(one.func, ir.Attr) and one.func.name in ("backward", "fit")
        for one in expressions_of(module)
    )


def _flattens(call: ir.Call) -> bool:
    """Whether FSDP keeps its default of flattening the parameters; no when `**settings` might say otherwise."""
    kept = argument(call, -1, "use_orig_params")
    if kept is None:
        return all(name is not None for name, _ in call.keywords)
    return isinstance(kept, ir.Const) and kept.value is False

"""The practices of files: what each line that matters to a deployment does, with nothing evaluated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from compilelint.project.classes import ModuleInfo
from compilelint.project.index import Program
from compilelint.survey.loaders import keeps_last
from compilelint.survey.practices.compiled import Compiled, beside, called_once, compile_calls, order_of
from compilelint.survey.practices.practice import Practice, PracticeKind
from compilelint.survey.practices.reads import reads
from compilelint.survey.practices.sizes import grows, singles, unrolls
from compilelint.survey.practices.steps import Steps, loops_without_gradients, place_of, steps_of
from compilelint.survey.practices.uses import read_models, scripted, uses
from compilelint.survey.practices.written import at_times, is_method, loops_of, receiver
from compilelint.survey.practices.written_out import FUSED_ATTENTION, written_out
from compilelint.survey.scopes import Scope, Spot, argument, own_expressions, scopes, spots, statements
from compilelint.survey.views import LOADERS
from compilelint.survey.weights import Weights
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name

_CALLED: Mapping[str, PracticeKind] = {
    "FullyShardedDataParallel": "sharded",
    "fully_shard": "sharded",
    "DistributedDataParallel": "distributed",
    "DataParallel": "replicated",
    "checkpoint": "checkpoint",
    "checkpoint_sequential": "checkpoint",
    "autocast": "autocast",
    "GradScaler": "scaler",
    "quantize_": "quantized",
    "quantize_dynamic": "quantized",
    "prepare_pt2e": "quantized",
    "set_float32_matmul_precision": "precision",
    "load_cache_artifacts": "caches",
    "save_cache_artifacts": "caches",
    "mark_dynamic": "marked",
    "maybe_mark_dynamic": "marked",
}
_WRAPPERS: frozenset[PracticeKind] = frozenset({"sharded", "distributed", "replicated"})
_FUSED = frozenset({"Adam", "AdamW", "SGD", "Adagrad"})  # that torch has fused kernels for
_SWITCHES: Mapping[str, PracticeKind] = {"allow_tf32": "precision", "fp32_precision": "precision"}
_CACHES = ("TORCHINDUCTOR_CACHE_DIR", "TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE")
_HALF = frozenset({"torch.half", "torch.float16", "torch.bfloat16"})
_ACCUMULATES = frozenset({"no_sync", "accumulate"})


def practices(program: Program, modules: Sequence[ModuleInfo]) -> Iterator[Practice]:
    """The practices of the files given, file by file; what was read of one is not kept for the next."""
    steps = steps_of(_seen(program, module).items() for module in modules)
    models = read_models(Weights(program), (_seen(program, module) for module in modules))
    for module in modules:
        seen = _seen(program, module)
        calls = {scope: [spot for spot in found if isinstance(spot.expr, ir.Call)] for scope, found in seen.items()}
        compiled = {scope: list(compile_calls(scope, found)) for scope, found in seen.items()}
        fused = any(last_name(spot.expr) == FUSED_ATTENTION for found in calls.values() for spot in found)
        for scope in seen:
            yield from scripted(scope)
            yield from uses(scope, seen[scope], models, steps)
            yield from _of_scope(scope, seen[scope], calls, compiled, steps, fused)


def _seen(program: Program, module: ModuleInfo) -> dict[Scope, list[Spot]]:
    return {scope: list(spots(scope, kept=False)) for scope in scopes(program, module)}


def _same_class(scope: Scope, other: Scope) -> bool:
    return scope.owner is not None and scope.owner is other.owner


def _of_scope(
    scope: Scope,
    seen: Sequence[Spot],
    every: Mapping[Scope, Sequence[Spot]],
    compiling: Mapping[Scope, Sequence[Compiled]],
    steps: Steps,
    fused: bool,
) -> Iterator[Practice]:
    """The practices of one scope; `every` holds the calls of all scopes of its file, `compiling` what they compile.

    `fused` says that the file has the operator for attention somewhere.
    """
    calls, compiled = every[scope], compiling[scope]
    yield from (one for one, _, _ in compiled)
    for spot in calls:
        yield from _called(spot, compiled)
    yield from (one for s, _ in statements(scope.body) for one in _switched(scope, s))
    yield from _half(scope, seen)
    yield from unrolls(scope)
    trains = [spot for spot in calls if is_method(spot.expr, "backward")]
    yield from (Practice("trains", spot.site().location) for spot in trains[:1])
    yield from _accumulated(calls, trains)
    near = [one for other, found in compiling.items() if other is scope or _same_class(scope, other) for one in found]
    fast = called_once(calls, near)
    yield from fast.once
    without = loops_without_gradients(seen)

    def place(spot: Spot) -> str:
        return place_of(spot, steps, without, fast.loops)

    yield from reads(scope, seen, place)
    yield from grows(scope, seen)
    yield from singles(scope, seen, place)
    yield from written_out(scope, seen, fused, steps)
    if compiled:
        others = [other for other in every if other is not scope and _same_class(scope, other)]
        yield from beside(calls, [one for other in others for one in every[other]], compiled)


def _half(scope: Scope, seen: Sequence[Spot]) -> Iterator[Practice]:
    """The first of a scope that names a dtype of two bytes, or casts to one; not for autocast, which casts itself."""
    for spot in seen:
        cast = is_method(spot.expr, "half", "bfloat16") and isinstance(spot.expr, ir.Call) and not spot.expr.args
        named = isinstance(spot.expr, ir.Attr) and scope.name(spot.expr) in _HALF
        if cast or (named and not any(last_name(one) == "autocast" for one in own_expressions(spot.statement))):
            yield Practice("half", spot.site().location)
            return


def _called(spot: Spot, compiled: Sequence[Compiled]) -> Iterator[Practice]:
    call, scope = spot.expr, spot.scope
    assert isinstance(call, ir.Call)
    name = scope.name(call.func)
    last = name.rpartition(".")[2]
    if name in LOADERS:
        yield Practice("loader", spot.site().location, "DataLoader", "keeps last" if keeps_last(call) else "")
    elif name.startswith("torch.optim.") and name.count(".") <= 3 and last in _FUSED:
        yield Practice("optimizer", spot.site().location, last, _fused(call))
    elif last == "autocast" and _is_false(argument(call, -1, "enabled")):
        return
    elif last in _CALLED and (name.startswith("torch.") or last == "quantize_"):
        kind = _CALLED[last]
        order = order_of(call, spot, compiled) if kind in _WRAPPERS else ""
        yield Practice(kind, spot.site().location, last, order=order)


def _is_false(value: ir.Expr | None) -> bool:
    return isinstance(value, ir.Const) and value.value is False


def _fused(call: ir.Call) -> str:
    """`fused` where it is asked for or cannot be seen; else empty."""
    if any(name is None for name, _ in call.keywords):
        return "fused"
    given = argument(call, -1, "fused")
    return "" if given is None or (isinstance(given, ir.Const) and not given.value) else "fused"


def _switched(scope: Scope, s: ir.Stmt) -> Iterator[Practice]:
    """Switches that an assignment sets: precision of products, the folder of the caches."""
    if not isinstance(s, ir.Assign):
        return
    for target in s.targets:
        if isinstance(target, ir.Attr) and target.name in _SWITCHES and scope.name(target).startswith("torch."):
            yield Practice(_SWITCHES[target.name], scope.site(s.pos).location, target.name)
        key = target.index if isinstance(target, ir.Index) else None
        if isinstance(key, ir.Const) and key.value in _CACHES:
            yield Practice("caches", scope.site(s.pos).location, str(key.value))


def _accumulated(calls: Sequence[Spot], trains: Sequence[Spot]) -> Iterator[Practice]:
    """A step that several backward passes lead to: an inner loop of them, a step in some passes alone, or a block that
    keeps gradients from being exchanged.
    """
    blocks = [spot for spot in calls if isinstance(spot.statement, ir.With) and is_method(spot.expr, *_ACCUMULATES)]
    if blocks and trains:
        yield Practice("accumulates", blocks[0].site().location)
        return
    for step in (spot for spot in calls if is_method(spot.expr, "step") and _clears(spot, calls)):
        outer = loops_of(step)
        for spot in trains:
            inner = len(loops_of(spot)) > len(outer) and loops_of(spot)[: len(outer)] == outer
            rests = [one for one in at_times(step) if one not in at_times(spot)]
            if inner or (rests and loops_of(spot)):
                yield Practice("accumulates", step.site().location)
                return


def _clears(step: Spot, calls: Sequence[Spot]) -> bool:
    """Whether the gradients are cleared where the step is made: then it is an optimizer's, and they are added up."""
    name = receiver(step.expr)
    given = step.expr.args[0] if isinstance(step.expr, ir.Call) and step.expr.args else None
    names = {name, "" if given is None else dotted_name(given)} - {""}
    return any(
        is_method(one.expr, "zero_grad") and receiver(one.expr) in names and loops_of(one) == loops_of(step)
        for one in calls
    )

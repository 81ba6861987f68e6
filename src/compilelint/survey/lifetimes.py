"""What happens to a compiled model over time: it is changed between calls, called when its `autocast` is over, its
results are kept.

Read off the order of statements in the scope that compiled it; nothing is said of a wrapper that travels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from compilelint.events import WrapperHow, WrapperUse
from compilelint.model import Confidence, Doubt
from compilelint.project.compile_modes import records_cuda_graphs
from compilelint.survey.by_name import Spots
from compilelint.survey.deadline import look
from compilelint.survey.late_hooks import late_hooks
from compilelint.survey.optimized_modules import Wrapper
from compilelint.survey.scopes import Scope, Spot, argument, expressions, own_expressions
from compilelint.syntax import ir, places
from compilelint.syntax.walk import dotted_name, last_name

# Measured: each fails a guard on dtype, device or `requires_grad` of a parameter. Weights loaded in place do not.
_CHANGING = frozenset({"half", "float", "double", "bfloat16", "cuda", "cpu", "requires_grad_"})
_REPLACING = frozenset(
    {
        "torchao.quantization.quantize_",
        "torch.nn.utils.prune.l1_unstructured",
        "torch.nn.utils.prune.random_unstructured",
        "torch.nn.utils.prune.ln_structured",
        "torch.nn.utils.parametrizations.weight_norm",
        "torch.nn.utils.parametrizations.spectral_norm",
    }
)
_AUTOCAST = frozenset({"torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast", "torch.cpu.amp.autocast"})
_KEEPING = frozenset({"append", "extend", "add", "insert"})


def lifetimes(wrappers: Iterable[Wrapper], seen: Spots) -> Iterator[WrapperUse]:
    """All of it, for the wrappers of one scope, which `seen` is of."""
    for wrapper in wrappers:
        runs = [spot for spot in seen.calling(wrapper.key) if _runs(wrapper, spot)]
        if not runs:
            continue
        yield from _changes(wrapper, seen, runs)
        for spot, layer, cap in late_hooks(wrapper, seen, runs):
            yield _use_of(spot, "late-hook", wrapper, layer, cap)
        yield from _autocast(wrapper, seen, runs)
        if records_cuda_graphs(wrapper.call):
            yield from _kept(wrapper, runs)


def _runs(wrapper: Wrapper, spot: Spot) -> bool:
    """Whether a spot calls the wrapper, where the name still means it."""
    call = spot.expr
    return (
        isinstance(call, ir.Call)
        and dotted_name(call.func) == wrapper.key
        and wrapper.holds_at(spot.scope, call.pos) is not None
    )


def _use_of(spot: Spot, how: WrapperHow, wrapper: Wrapper, detail: str, sure: Confidence) -> WrapperUse:
    sure = Doubt.BOUND_BEHIND_A_TEST.lower(sure) if wrapper.conditional else sure
    return WrapperUse(spot.site(), None, how, wrapper.key, detail, wrapper.made, sure)


# --------------------------------------------------------------------- changed


def _changes(wrapper: Wrapper, seen: Spots, runs: list[Spot]) -> Iterator[WrapperUse]:
    """A change of the model between two of its calls."""
    model = argument(wrapper.call, 0, "model")
    keys = {wrapper.key, "" if model is None else dotted_name(model)} - {""}
    lines = [places.line_of(run.expr.pos) for run in runs]
    first, last = min(lines), max(lines)
    for spot in seen.about(keys):
        look()
        call = spot.expr
        if not isinstance(call, ir.Call) or spot.inside(ir.If, ir.Try) is not None:
            continue
        what = _change(spot.scope, call, keys)
        if what and first < places.line_of(call.pos) < last and wrapper.holds_at(spot.scope, call.pos) is not None:
            yield _use_of(spot, "changed", wrapper, what, Doubt.ORDER_OF_CALLS.cap)


def _change(scope: Scope, call: ir.Call, keys: set[str]) -> str:
    """How a call changes one of the names, in words; empty if it does not."""
    if isinstance(call.func, ir.Attr) and dotted_name(call.func.value) in keys:
        name = call.func.name
        moved = name == "to" and (call.args or any(k in ("dtype", "device") for k, _ in call.keywords))
        return f"{dotted_name(call.func)}()" if name in _CHANGING or moved else ""
    first = argument(call, 0, "model", "module")
    target = "" if first is None else dotted_name(first)
    held = any(target == key or target.startswith(f"{key}.") for key in keys)
    name = scope.name(call.func) if held else ""
    return f"{last_name(call.func)}({target})" if name in _REPLACING else ""


# -------------------------------------------------------------------- autocast


def _autocast(wrapper: Wrapper, seen: Spots, runs: list[Spot]) -> Iterator[WrapperUse]:
    """The first call of what was compiled under `autocast`, where every call comes when that is over."""
    made = seen.spot_of(wrapper.call)
    around = None if made is None else _autocast_around(made)
    heads = [] if around is None else [item for item, _ in around.items]
    # Any other `autocast` of the scope may be the one that the calls are meant to have.
    if around is not None and not any(_is_autocast(one.scope, one.expr, heads) for one in seen.once(_autocasts)):
        yield _use_of(runs[0], "autocast", wrapper, "", Doubt.ORDER_OF_CALLS.cap)


def _autocasts(seen: Spots) -> list[Spot]:
    """The calls of a scope that make an `autocast`."""
    return [spot for spot, _ in seen.calls if _is_autocast(spot.scope, spot.expr, [])]


def _autocast_around(spot: Spot) -> ir.With | None:
    """The `with torch.autocast(...)` around a spot; one that is switched off, or may be, is none."""
    for block in spot.blocks:
        if isinstance(block, ir.With) and any(_is_autocast(spot.scope, item, []) for item, _ in block.items):
            return block if not any(_sets_enabled(item) for item, _ in block.items) else None
    return None


def _is_autocast(scope: Scope, expr: ir.Expr, heads: list[ir.Expr]) -> bool:
    """Whether an expression makes an `autocast`, and none of those given."""
    call = isinstance(expr, ir.Call) and not any(expr is one for one in heads)
    return call and isinstance(expr, ir.Call) and scope.name(expr.func) in _AUTOCAST


def _sets_enabled(expr: ir.Expr) -> bool:
    """Whether an `autocast` is set on or off: `enabled` by name, or so far along that it may be that."""
    return isinstance(expr, ir.Call) and (len(expr.args) > 1 or any(key == "enabled" for key, _ in expr.keywords))


# ------------------------------------------------------------------------ kept


def _kept(wrapper: Wrapper, runs: list[Spot]) -> Iterator[WrapperUse]:
    """Results of CUDA graphs that are collected in a list, although the next run writes the same memory."""
    for run in runs:
        if collected(run):
            yield _use_of(run, "kept-output", wrapper, "", Doubt.ORDER_OF_CALLS.cap)


def collected(run: Spot) -> bool:
    """`kept.append(compiled(x))`, or `y = compiled(x)` and `kept.append(y)`, in one loop."""
    loop = run.inside(ir.For, ir.While)
    if not isinstance(loop, (ir.For, ir.While)):
        return False
    call, statement = run.expr, run.statement
    names: set[str] = set()
    if isinstance(statement, ir.Assign) and statement.value is call:
        names = {one.id for one in statement.targets if isinstance(one, ir.Name)}
    for s in loop.body:
        for outer in expressions(own_expressions(s)):
            if not (isinstance(outer, ir.Call) and isinstance(outer.func, ir.Attr) and outer.func.name in _KEEPING):
                continue
            if any(one is call or (isinstance(one, ir.Name) and one.id in names) for one in outer.args):
                return True
    return False

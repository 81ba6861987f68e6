"""Hooks of layers that are registered between two calls of a compiled model, the first of which compiled it without.

Measured (torch 2.13 and 2.15): a hook of a layer is not run where the call that compiled had none. On the model itself
and on its wrapper hooks do run, and so they do where the later calls compile again anyway: where one of the calls alone
stands under `no_grad`. `eval()` between the calls changes nothing for layers that do not read `training`.
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.model import Confidence, Doubt
from compilelint.survey.by_name import Spots
from compilelint.survey.deadline import look
from compilelint.survey.optimized_modules import Wrapper
from compilelint.survey.scopes import Spot, argument, expressions
from compilelint.syntax import ir, places
from compilelint.syntax.walk import dotted_name, last_name

_HOOKING = frozenset(
    """
    register_forward_hook register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook
    """.split()
)
_LAYERS = frozenset({"modules", "named_modules", "children", "named_children"})
_GRAD_MODES = frozenset({"no_grad", "inference_mode", "enable_grad", "set_grad_enabled"})


def late_hooks(wrapper: Wrapper, seen: Spots, runs: list[Spot]) -> Iterator[tuple[Spot, str, Confidence]]:
    """The registrations, each with the layer as written and how sure it is that the hook does not run."""
    model = argument(wrapper.call, 0, "model")
    keys = {wrapper.key, "" if model is None else dotted_name(model)} - {""}
    hooks, first_line = seen.once(_hooks)
    if not any(places.line_of(run.expr.pos) < first_line for run in runs):
        return  # a hook that was there before may have been on the same layer
    for spot in hooks:
        look()
        line = places.line_of(spot.expr.pos)
        later = [run for run in runs if places.line_of(run.expr.pos) > line or _in_same_loop(spot, run)]
        modes = {_sets_grad_mode(run) for run in later}
        first = [run for run in _before(spot, runs) if _sets_grad_mode(run) in modes]
        layer = _layer(spot, keys)
        if layer and first and wrapper.holds_at(spot.scope, spot.expr.pos) is not None:
            always = any(not _behind_a_test(run, spot) for run in first)
            yield spot, layer, Doubt.ORDER_OF_CALLS.cap if always else Doubt.ONCE_BEHIND_A_TEST.cap


def _hooks(seen: Spots) -> tuple[list[Spot], int]:
    """The registrations of a scope, and the first line that has one."""
    found = [spot for spot, call in seen.calls if _is_hook(call)]
    return found, min((places.line_of(spot.expr.pos) for spot in found), default=0)


def _is_hook(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) and expr.func.name in _HOOKING


def _before(spot: Spot, runs: list[Spot]) -> list[Spot]:
    """The calls of the model that stand before a spot, those in the other arm of a test around both left out."""
    line = places.line_of(spot.expr.pos)
    return [run for run in runs if places.line_of(run.expr.pos) < line]


def _behind_a_test(run: Spot, spot: Spot) -> bool:
    """Whether a test decides that a call is made, and not that the spot is reached."""
    return any(isinstance(one, (ir.If, ir.Try)) and one not in spot.blocks for one in run.blocks)


def _in_same_loop(spot: Spot, run: Spot) -> bool:
    """Whether a loop holds a spot and a call of the model."""
    loops = [one for one in spot.blocks if isinstance(one, (ir.For, ir.While))]
    return any(one is loop for one in run.blocks for loop in loops)


def _sets_grad_mode(run: Spot) -> bool:
    """Whether a call stands under `no_grad` or its like, which Dynamo guards: it compiles a version of its own."""
    around = [item for one in run.blocks if isinstance(one, ir.With) for item, _ in one.items]
    return any(isinstance(one, ir.Call) and last_name(one.func) in _GRAD_MODES for one in around)


def _layer(spot: Spot, keys: set[str]) -> str:
    """The layer of the model that gets a hook, as written; empty where it is another object, or the model itself."""
    call = spot.expr
    assert isinstance(call, ir.Call)
    assert isinstance(call.func, ir.Attr)
    name = dotted_name(call.func.value)
    for key in keys:
        rest = name.removeprefix(f"{key}.")
        if rest != name:
            return "" if rest in ("module", "_orig_mod") else name
    for block in spot.blocks:
        if isinstance(block, ir.For):
            bound = {one.id for one in expressions([block.target]) if isinstance(one, ir.Name)}
            if name in bound and _goes_over_layers(spot, block.iterable, keys):
                return name
    return ""


def _goes_over_layers(spot: Spot, over: ir.Expr, keys: set[str]) -> bool:
    """Whether a loop goes over layers of the model: `model.modules()`, or those of them that a list was made of."""
    if isinstance(over, ir.Call) and last_name(over.func) == "enumerate" and over.args:
        over = over.args[0]
    if isinstance(over, ir.Name):
        made = spot.scope.assigned(over.id)
        over = made[0] if len(made) == 1 else over
    if isinstance(over, ir.Comp) and isinstance(over.element, ir.Name) and len(over.clauses) == 1:
        over = over.clauses[0].iterable
    if isinstance(over, ir.Call) and isinstance(over.func, ir.Attr) and over.func.name in _LAYERS:
        return dotted_name(over.func.value) in keys
    return any(dotted_name(over).startswith(f"{key}.") for key in keys)  # `for block in model.blocks`

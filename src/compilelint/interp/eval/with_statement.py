"""`with manager`: what `as` binds, and whether Dynamo can end and resume a graph inside it."""

from __future__ import annotations

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.perform import Operation, ask, perform
from compilelint.interp.core.refusals import refused
from compilelint.interp.regions.leaving_region import BODY, MANAGER
from compilelint.syntax import ir
from compilelint.torchfacts import SyntaxForm
from compilelint.values import NONE, UNKNOWN, Instance, Object, Sequence, Union, Value, join_all

# Measured: up to 2.14 one that the program wrote must be made in the region, not kept on `self` or at module level.
_UNKNOWN_MANAGER = "GB0142"  # "Unsupported context manager"
_NO_GENERATOR = "GB0221"  # "non-generator contextlib.contextmanager"


def enter(f: Frame, manager: Value, expr: ir.Expr) -> tuple[Value, bool]:
    """Enter a context manager: what `as` binds, and whether a graph that ends inside is resumed there."""
    if isinstance(manager, Union):
        found = [enter(f, a, expr) for a in manager.arms if a is not NONE]
        return join_all([v for v, _ in found]), all(t for _, t in found)
    if isinstance(manager, Instance) and manager.name == MANAGER:
        body = dict(manager.state).get(BODY)
        if isinstance(body, Sequence):
            return body.element, False
        # Measured on torch 2.13 and 2.15: only what `yield`s is entered, not what returns an iterator.
        return refused(f, _NO_GENERATOR, "with", (manager,), expr.pos), False
    if isinstance(manager, Instance):
        fact = f.interp.facts.context_manager(manager.name, from_outside=not manager.inside)
        if fact is None and not manager.inside:
            fact = f.interp.facts.syntax(SyntaxForm.WITH_GLOBAL_NO_GRAD) if manager.name.startswith("torch.") else None
        if fact is None:
            fact = ask(f, Operation.WITH, "with", (manager,), expr.pos)
        f.emit(events.Enter(f.site(expr.pos), fact, manager.name, manager, manager.inside))
        f.broken_by(fact, splits=False)
        return manager, manager.name.startswith("torch.") or manager.name == "contextlib.nullcontext"
    if isinstance(manager, Object):
        perform(f, Operation.WITH, "with", (manager,), expr.pos, expr)
        value = f.unsplit(lambda: f.interp.call_method(f, manager, "__enter__", Args([]), expr.pos))
        f.unsplit(lambda: f.interp.call_method(f, manager, "__exit__", Args([NONE, NONE, NONE]), expr.pos))
        return value, False
    if isinstance(manager, Sequence) and manager.kind == "generator":
        return manager.element, False
    return UNKNOWN, False

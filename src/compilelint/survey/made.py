"""What may have made the object that an expression stands for: a call in place, or those that its name is bound to."""

from __future__ import annotations

from compilelint.project.classes import Assigned, ClassInfo
from compilelint.survey.scopes import Scope
from compilelint.syntax import ir
from compilelint.values import ClassRef


def makers(scope: Scope, target: ir.Expr, but: ir.Expr | None = None) -> list[ir.Call]:
    """The calls that may have made it, `but` one that only wraps it."""
    if isinstance(target, ir.Call):
        return [target]
    bound = scope.assigned(target.id) if isinstance(target, ir.Name) else []
    return [one for one in bound if isinstance(one, ir.Call) and one is not but]


def class_made(scope: Scope, target: ir.Expr, but: ir.Expr | None = None) -> ClassInfo | None:
    """The module class of the program whose instance it is: made in place, or under a name bound once."""
    meanings = [scope.meaning(made.func) for made in makers(scope, target, but)]
    found = {one.cls for one in meanings if isinstance(one, ClassRef)}
    only = next(iter(found)) if len(found) == 1 else None
    return only if isinstance(only, ClassInfo) and only.is_module else None


def made_from(scope: Scope, target: ir.Expr) -> ir.Call | None:
    """The one call that a local or global name is assigned from; None where there are several or other values."""
    if not isinstance(target, ir.Name):
        return None
    bound = scope.bindings(target.id) or []
    if len(bound) == 1 and isinstance(bound[0], Assigned) and isinstance(bound[0].expr, ir.Call) and not bound[0].path:
        return bound[0].expr
    return None

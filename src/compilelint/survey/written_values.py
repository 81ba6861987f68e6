"""What a loop goes over, followed from names and parameters to the list, tuple or `range` that was written down.

A name is followed where it is bound once, an attribute of `self` where its class binds it once, a parameter to what the
calls of its file pass for it, or to its default where no call passes anything. Nothing is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from compilelint.survey.compiled_objects import Received, Seen, passed, scope_of, stored
from compilelint.survey.loaders import unwrapped
from compilelint.survey.scopes import Scope
from compilelint.survey.views import View
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name

_MOST_STEPS = 4  # names and parameters behind each other


@dataclass(frozen=True, eq=False)
class Written:
    """Where the values of one view's loops are looked up: the view, and all scopes of its file."""

    view: View
    seen: Seen

    def values(self, over: ir.Expr) -> list[ir.Expr]:
        """What an expression may stand for, behind progress bars and names; itself if it is followed no further."""
        return list(self._followed(self.view.scope, unwrapped(over), _MOST_STEPS))

    def _followed(self, scope: Scope, over: ir.Expr, steps: int) -> Iterator[ir.Expr]:
        key = dotted_name(over)
        if not key or not steps:
            yield over
            return
        found = stored(key, scope, self.seen)
        if found is not None:
            yield from self._followed(found[0], unwrapped(found[1]), steps - 1)
            return
        values = list(self._passed(scope, key))
        for caller, value in values:
            yield from self._followed(caller, unwrapped(value), steps - 1)
        if not values:
            yield over

    def _passed(self, scope: Scope, name: str) -> Iterator[tuple[Scope, ir.Expr]]:
        """What calls of this file pass for a parameter; of a function that receives the compiled object, that call."""
        if scope.function is None or name in scope.names:
            return
        param = next((one for one in scope.function.node.params if one.name == name), None)
        if param is None:
            return
        of = self.view.of
        if isinstance(of, Received) and of.scope is scope:
            calls = [(of.caller, of.passed)]
        else:
            spots = (spot for spots in self.seen.values() for spot in spots)
            calls = [(spot.scope, spot.expr) for spot in spots if isinstance(spot.expr, ir.Call)]
            calls = [(caller, call) for caller, call in calls if scope_of(caller, call, self.seen) is scope]
        for caller, call in calls:
            value = next((value for key, value in passed(caller, call) if key == name), param.default)
            if value is not None:
                yield caller, value
        if not calls and param.default is not None and scope.parent is not None:
            yield scope.parent, param.default

"""How likely a function is part of a compiled region, judged by its head alone."""

from __future__ import annotations

from compilelint.model import Confidence, Doubt
from compilelint.project.roots import opaque, takes_tensors
from compilelint.survey.compile_uses import WRAPPING
from compilelint.survey.scopes import Scope
from compilelint.syntax import ir


def region(scope: Scope) -> Confidence | None:
    """Certain in a module's forward and under `@torch.compile`, likely where tensors go in; None where Dynamo never is.

    Module level and class bodies run once, before anything is compiled.
    """
    best: Confidence | None = None
    here: Scope | None = scope
    while here is not None:
        function = here.function
        if function is not None:
            if opaque(function):
                return None
            best = max(best or Doubt.NOT_KNOWN_TO_BE_COMPILED.cap, _by_head(here))
        here = here.parent
    return best


def _by_head(scope: Scope) -> Confidence:
    function, owner = scope.function, scope.owner
    assert function is not None
    outside = scope.parent or scope
    for one in function.node.decorators:
        if outside.name(one.func if isinstance(one, ir.Call) else one) in WRAPPING:
            return Confidence.CERTAIN
    if owner is not None and function.node.name == "forward" and (owner.is_module or owner.is_autograd_function):
        return Confidence.CERTAIN
    return (Doubt.MAY_BE_COMPILED if takes_tensors(function) else Doubt.NOT_KNOWN_TO_BE_COMPILED).cap

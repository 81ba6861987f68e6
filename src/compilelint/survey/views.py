"""Where a compiled object is called: the scopes that call it, under its own name or as a parameter, and their calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from compilelint.model import Confidence, weakest
from compilelint.survey.compiled_objects import Bound, Decorated, Mentions, Received, Seen, received
from compilelint.survey.scopes import Scope, Spot
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name

LOADERS = frozenset({"torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"})


@dataclass(frozen=True, eq=False)
class View:
    """A scope that calls a compiled object, with those calls and how sure it is of them."""

    of: Bound | Decorated | Received
    scope: Scope
    runs: tuple[Spot, ...]
    sure: Confidence

    @property
    def name(self) -> str:
        """The object as the first call writes it."""
        call = self.runs[0].expr
        assert isinstance(call, ir.Call)
        return dotted_name(call.func)


def views(compiled: Bound | Decorated, seen: Seen, mentions: Mentions) -> Iterator[View]:
    """The scopes that call it, under its own name or as a parameter."""
    for scope in mentions.of(compiled):
        yield from _view(compiled, scope, seen)
    for one in received(compiled, seen, mentions):
        yield from _view(one, one.scope, seen)


def _view(of: Bound | Decorated | Received, scope: Scope, seen: Seen) -> Iterator[View]:
    """The calls of one scope, if there are any."""
    found = []
    for spot in seen[scope].calling(of.key):
        if isinstance(spot.expr, ir.Call):
            sure = of.means(scope, spot.expr.func)
            if sure is not None:
                found.append((spot, sure))
    if found:
        yield View(of, scope, tuple(spot for spot, _ in found), weakest(*(sure for _, sure in found)))

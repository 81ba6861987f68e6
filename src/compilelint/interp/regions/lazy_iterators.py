"""Generators that are handed to a function in which a graph ends: `checkpoint(self._forward, (x,), self.parameters())`.

Measured on torch 2.13: a graph that ends in a callee ends its caller's too, and behind it Dynamo must rebuild what lies
on the caller's stack. A generator that walks the parts of a module, a generator expression or an `enumerate` cannot be
rebuilt, read or not, so the whole caller is left to Python. The callee is then compiled by itself, with an iterator
from outside as its argument, and what goes through that ends its graph. `zip` and `map` are rebuilt, and end the
callee's graph in the same way; what `iter`, `reversed`, `range` and generator functions give is rebuilt and read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import OUTSIDE, Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.refusals import refusal
from compilelint.model import Doubt
from compilelint.torchfacts import SyntaxForm
from compilelint.values import LAZY, Sequence, Value, resumed

_NOT_REBUILT: Final = "GB8335"  # "Generator reconstruction with mutations"


@if_judged
def handed_on(f: Frame, args: Args, pos: int, call: Callable[[Args], object]) -> None:
    """A graph has ended in a call: where it was given generators, report that, and `call` again as Python then does."""
    if not any(map(_is_lazy, (*args.positional, *args.keywords.values()))):
        return
    outcome = refusal(f, _NOT_REBUILT)
    cap, f.around.cap = f.around.cap, Doubt.CALLEE_SPLIT.lower(f.around.cap)
    f.emit(events.Syntax(f.site(pos), outcome, SyntaxForm.LAZY_ARGUMENT.value))
    f.broken_by(outcome, splits=False)
    keywords = {name: _from_outside(value) for name, value in args.keywords.items()}
    call(Args([_from_outside(value) for value in args.positional], keywords, args.star, args.double_star))
    f.around.cap = cap


def _is_lazy(value: Value) -> bool:
    return isinstance(value, Sequence) and value.kind == LAZY


def _from_outside(value: Value) -> Value:
    """An argument as the callee's own frame meets it."""
    found = resumed(value)
    if isinstance(found, Sequence) and _is_lazy(found):
        return Sequence(OUTSIDE, found.items, found.element)
    return found

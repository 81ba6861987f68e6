"""Numbers that Python's `random` draws inside the region.

Dynamo puts a 0-d tensor in the place of such a number until its graph ends; behind the next break it is a plain number.
Measured on torch 2.13 and 2.15, with `random.randint` and `random.uniform`:

- an operation on tensors takes it as it takes any number, and so do `max`, `min`, `abs`, f-strings and comparisons
  with a number;
- arithmetic with plain numbers or other drawn ones, `-n`, `[x] * n`, `"%d" % n`, a comparison of two drawn ones and
  `for _ in range(n)` end the graph and leave the frame to Python;
- `int`, `float`, `bool`, `round`, `str` and `pow` of it end the graph;
- as an index, a bound of a slice, a size or a parameter that takes numbers only it is read as a computed tensor is.
"""

from __future__ import annotations

from typing import Final

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.outcomes import finish
from compilelint.interp.core.perform import Operation, Use, rule
from compilelint.interp.core.refusals import refusal
from compilelint.torchfacts import Fact
from compilelint.values import Scalar, Source, Tensor, Value, is_drawn, resumed, tensor_arm

_ARITHMETIC: Final = "GB0213|drawn number"  # "unimplemented builtin op on tensor arguments"
_FOLDED: Final = "GB0178|drawn number"  # "constant fold exception"
_LOOPED: Final = "GB4841|range of a drawn number"  # "Unsupported python_type() call"
_FAILED: Final = "drawn number in a function of torch"


def as_tensor(f: Frame, value: Value, pos: int) -> Tensor | None:
    """The 0-d tensor that stands for a drawn number while the graph goes on; a tensor among the arms is itself."""
    tensor = tensor_arm(value)
    if tensor is not None or not isinstance(value, Scalar) or not is_drawn(value):
        return tensor
    origin = value.origin or f.origin("a random number", pos)
    return Tensor("int" if value.kind == "int" else "float", 0, Source.COMPUTED, origin=origin)


def operated(f: Frame, op: str, operands: tuple[Value, ...], result: Value, pos: int) -> Value:
    """`result` of an operator that Dynamo does not have for a drawn number and no tensor; the graph ends."""
    return _ended(f, op, operands, result, pos, refusal(f, _ARITHMETIC))


@rule(Operation.NUMBER, Scalar)
def _signed(use: Use) -> Value | None:
    (value,) = use.operands
    signed = use.name in _SIGNS and is_drawn(value)
    return operated(use.frame, use.name, use.operands, value, use.pos) if signed else None


@rule(Operation.COMPARE, Scalar)
def _compared(use: Use) -> Value | None:
    drawn = all(map(is_drawn, use.operands))
    return operated(use.frame, use.name, use.operands, Scalar("bool"), use.pos) if drawn else None


_SIGNS: Final = frozenset("-+~")


def looped(f: Frame, number: Value, pos: int) -> None:
    """`range` of a drawn number is looped over."""
    _ended(f, "range", (number,), number, pos, refusal(f, _LOOPED))


def converted(f: Frame, name: str, args: Args, result: Value, pos: int) -> Value:
    """`result` of a builtin that wants the drawn number itself: `int(n)`, `round(n)`, `str(n)`."""
    fact = refusal(f, _FOLDED)
    return resumed(finish(f, f"builtins.{name}", None, args, pos, fact, result))


def failed(f: Frame, name: str, args: Args, result: Value, pos: int) -> Value:
    """`result` of a function at which Dynamo raises an error of its own, handed a drawn number."""
    fact = refusal(f, _FAILED)
    return resumed(finish(f, name, None, args, pos, fact, result))


def _ended(f: Frame, form: str, operands: tuple[Value, ...], result: Value, pos: int, fact: Fact | None) -> Value:
    f.emit(events.Syntax(f.site(pos), fact, form, operands))
    f.broken_by(fact, splits=False)
    return resumed(result)

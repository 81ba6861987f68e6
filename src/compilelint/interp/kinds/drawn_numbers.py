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
from compilelint.torchfacts import Fact, Reason
from compilelint.values import Scalar, Source, Tensor, Value, is_drawn, resumed, tensor_arm

_ARITHMETIC: Final = "GB0213"  # "unimplemented builtin op on tensor arguments"
_FOLDED: Final = "GB0178"  # "constant fold exception"
_LOOPED: Final = "GB4841"  # "Unsupported python_type() call"
_MEASURED: Final = ("2.13", "2.15")


def as_tensor(f: Frame, value: Value, pos: int) -> Tensor | None:
    """The 0-d tensor that stands for a drawn number while the graph goes on; a tensor among the arms is itself."""
    tensor = tensor_arm(value)
    if tensor is not None or not isinstance(value, Scalar) or not is_drawn(value):
        return tensor
    origin = value.origin or f.origin("a random number", pos)
    return Tensor("int" if value.kind == "int" else "float", 0, Source.COMPUTED, origin=origin)


def operated(f: Frame, op: str, operands: tuple[Value, ...], result: Value, pos: int) -> Value:
    """`result` of an operator that Dynamo does not have for a drawn number and no tensor; the graph ends."""
    return _ended(f, op, operands, result, pos, _fact(f, _ARITHMETIC))


def looped(f: Frame, number: Value, pos: int) -> None:
    """`range` of a drawn number is looped over."""
    _ended(f, "range", (number,), number, pos, _fact(f, _LOOPED))


def converted(f: Frame, name: str, args: Args, result: Value, pos: int) -> Value:
    """`result` of a builtin that wants the drawn number itself: `int(n)`, `round(n)`, `str(n)`."""
    fact = f.interp.facts.of_entry(_FOLDED, Reason.UNTRACEABLE_BUILTIN, measured=_MEASURED)
    return resumed(finish(f, f"builtins.{name}", None, args, pos, fact, result))


def failed(f: Frame, name: str, args: Args, result: Value, pos: int) -> Value:
    """`result` of a function at which Dynamo raises an error of its own, handed a drawn number."""
    fact = f.interp.facts.of_failure(Reason.UNTRACEABLE_BUILTIN, measured=_MEASURED)
    return resumed(finish(f, name, None, args, pos, fact, result))


def _fact(f: Frame, gb_id: str) -> Fact | None:
    return f.interp.facts.of_entry(gb_id, Reason.UNTRACEABLE_BUILTIN, measured=_MEASURED, skips_frame=True)


def _ended(f: Frame, form: str, operands: tuple[Value, ...], result: Value, pos: int, fact: Fact | None) -> Value:
    f.emit(events.Syntax(f.site(pos), fact, form, operands))
    f.broken_by(fact, splits=False)
    return resumed(result)

"""What was measured of an operation's results, applied to abstract values: number, dtype class and rank.

`torchfacts.results` holds the rules; here values become arguments of a rule, and its answer corrects what is believed.
Where a rule is silent, because it needs something that is not known, the belief stays.
"""

from __future__ import annotations

from collections.abc import Callable

from compilelint.interp.frame import Args
from compilelint.interp.truth import dtype_class
from compilelint.torchfacts.result_rules import Argument, Arguments
from compilelint.torchfacts.results import TensorResult, forms_of, rule_for, shapes_of
from compilelint.values import (
    BOTTOM,
    UNKNOWN,
    Const,
    External,
    Instance,
    Permuted,
    Scalar,
    Sequence,
    Tensor,
    Union,
    Value,
)

_UNKNOWN = Argument("unknown")
_DEEP = 3  # lists in lists


def corrected(
    name: str,
    args: Args,
    receiver: Tensor | None,
    believed: Value | None,
    unmodelled: Callable[[], Tensor],
    *,
    placed: bool = False,
) -> Value | None:
    """`believed`, the result of calling `name` (`torch.Tensor.norm`), as far as measurements do not say otherwise.

    Where nothing is believed and one was measured, `unmodelled` makes the tensor that the measurement is put on. None
    stays None where nothing was measured either. `placed` says that the believed layout follows from the arguments.
    """
    call = _call(args, receiver)
    rule = rule_for(name, call)
    if rule is None:
        return _unmeasured(name, call, believed)
    if rule.shape == "python":
        return UNKNOWN if believed is None or isinstance(believed, Tensor) else believed
    base = _tensor_in(believed) or (unmodelled() if believed is None else None)
    if base is None:
        return believed
    found = [_with(base, one, placed) for one in rule.results(call)]
    if rule.shape == "one":
        return found[0]
    if rule.shape == "tuple":
        return Sequence("tuple", tuple(found), BOTTOM)
    if isinstance(believed, Sequence) and believed.items is not None:
        return believed  # how many there are is known from the arguments
    return Sequence("tuple", None, found[0])


def _unmeasured(name: str, call: Arguments, believed: Value | None) -> Value | None:
    """A belief about a form of call that was not measured although others of that operation were.

    It stays where the form is not known; else what kind of thing comes back is known only if all forms agree on it.
    """
    shapes = shapes_of(name)
    if not shapes or not forms_of(call) or not isinstance(believed, Tensor):
        return believed
    if shapes == {"one"}:
        return believed.but(dtype="", rank=None, layout="")
    return believed if name.rpartition(".")[2] in _BY_MODEL else UNKNOWN


_BY_MODEL = ("max", "min")  # a 0-d tensor is a dimension to them, any other the other side: one form holds both


def _call(args: Args, receiver: Tensor | None) -> Arguments:
    """The arguments as rules know them: what a method is called on stands first, and so does a named `input`."""
    given = [argument(one) for one in args.positional]
    keywords = {key: argument(value) for key, value in args.keywords.items()}
    if receiver is not None:
        given.insert(0, argument(receiver))
    elif not given:
        first = next((keywords.pop(name) for name in _FIRST if name in keywords), None)
        given += [] if first is None else [first]
    return Arguments(given, keywords, args.star is not None or args.double_star is not None)


_FIRST = ("input", "self", "tensors", "tensor")


def _with(tensor: Tensor, result: TensorResult, placed: bool) -> Tensor:
    """The tensor with what was measured; of a rule that is silent on these arguments, nothing is known."""
    layout = tensor.layout
    if result.order is not None:
        layout = "contiguous" if result.order == "" else Permuted(tuple(int(digit) for digit in result.order))
    elif (layout == "contiguous" and not placed) or (isinstance(layout, Permuted) and len(layout.order) != result.rank):
        layout = ""
    return tensor.but(dtype=result.dtype, rank=result.rank, layout=layout)


def _tensor_in(value: Value | None) -> Tensor | None:
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Sequence):
        inside = value.items[0] if value.items else value.element
        return inside if isinstance(inside, Tensor) else None
    return None


def argument(value: Value, depth: int = 0) -> Argument:
    """A value as rules of results know arguments."""
    if isinstance(value, Tensor):
        return Argument("tensor", value.dtype, value.rank, order=_order(value))
    if isinstance(value, Const):
        return _constant(value.value)
    if isinstance(value, Scalar):
        return _plain(value.kind)
    if isinstance(value, Sequence) and value.kind in ("list", "tuple") and depth < _DEEP:
        if value.items is None:
            return Argument("sequence", element=argument(value.element, depth + 1))
        return Argument("sequence", items=tuple([argument(one, depth + 1) for one in value.items]))
    if isinstance(value, External) and (kind := dtype_class(value.name)):
        return Argument("dtype", kind)
    if isinstance(value, Instance) and value.name == "torch.dtype":
        return Argument("dtype")
    if isinstance(value, Union):
        kinds = {argument(arm, depth + 1) for arm in value.arms} if depth < _DEEP else set()
        return kinds.pop() if len(kinds) == 1 else _UNKNOWN
    return _UNKNOWN


def _order(tensor: Tensor) -> str | None:
    if isinstance(tensor.layout, Permuted):
        return "".join(map(str, tensor.layout.order))
    return "" if tensor.layout == "contiguous" else None if tensor.layout == "" else "?"


def _constant(value: object) -> Argument:
    if value is None:
        return Argument("none")
    if isinstance(value, bool):
        return Argument("bool", value=value)
    if isinstance(value, int):
        return Argument("int", value=value)
    if isinstance(value, str):
        return Argument("text", value=value)
    return _plain(type(value).__name__)


def _plain(kind: str) -> Argument:
    if kind == "bool":
        return Argument("bool")
    if kind == "int":
        return Argument("int")
    if kind == "float":
        return Argument("float")
    if kind == "complex":
        return Argument("complex")
    return Argument("text") if kind == "str" else _UNKNOWN

"""What was measured of an operation's results, applied to abstract values: number, dtype class and rank.

`torchfacts.results` holds the rules; here values become arguments of a rule, and its answer is put on a tensor. Where a
rule is silent, because it needs something that is not known, nothing is believed.
"""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.dtypes import dtype_class
from compilelint.torchfacts import TorchFacts
from compilelint.torchfacts.result_rules import Argument, Arguments, dtype_by
from compilelint.torchfacts.results import ResultRule, Shape, TensorResult
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
    join_all,
)

_UNKNOWN = Argument("unknown")
_DEEP = 3  # lists in lists


def corrected(
    facts: TorchFacts, name: str, args: Args, receiver: Tensor | None, base: Tensor, *, placed: bool = False
) -> Value:
    """The result of calling `name` (`torch.Tensor.norm`): `base` with what was measured put on it.

    Where no form was measured, `base` stays. `placed` says that its layout follows from the arguments.
    """
    call = _call(args, receiver)
    rule = facts.result(name, call)
    if rule is not None and rule.shape == "python":
        return UNKNOWN if (plain := facts.results.plain(name)) is None else Scalar(plain)
    if rule is not None:
        return _applied(rule, call, base, placed)
    forms = facts.results.possible(name, call)
    if len({one.shape for one in forms}) > 1 and all(one.shape != "python" for one in forms):
        return join_all([_applied(one, call, base, placed) for one in forms])  # `x.max(unknown)`
    return _unmeasured(facts.results.shapes_of(name), base, call)


def _applied(rule: ResultRule, call: Arguments, base: Tensor, placed: bool) -> Value:
    results = rule.results(call)
    if results is None:
        return Sequence("tuple", None, _nothing(base))
    found = [_with(base, one, placed) for one in results]
    if rule.shape == "one":
        return found[0]
    return Sequence("tuple", None, found[0]) if rule.shape == "many" else Sequence("tuple", tuple(found), BOTTOM)


def _unmeasured(shapes: frozenset[Shape], base: Tensor, call: Arguments) -> Value:
    """What a call returns whose form is not known or was not measured: what all forms agree on."""
    if not shapes:
        return base
    if shapes == {"one"}:
        return _nothing(base).but(dtype=dtype_by("", call))
    return Sequence("tuple", None, _nothing(base)) if not shapes & {"one", "python"} else UNKNOWN


def _nothing(tensor: Tensor) -> Tensor:
    return tensor.but(dtype="", rank=None, layout="")


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
    elif not placed or (isinstance(layout, Permuted) and len(layout.order) != result.rank):
        layout = layout if layout == "sparse" else ""
    sizes = tensor.sizes if placed and tensor.sizes is not None else result.sizes
    if sizes is not None and len(sizes) != result.rank:
        sizes = None
    return tensor.but(dtype=result.dtype, rank=result.rank, layout=layout, sizes=sizes)


def argument(value: Value, depth: int = 0) -> Argument:
    """A value as rules of results know arguments."""
    if isinstance(value, Tensor):
        return Argument("tensor", value.dtype, value.rank, order=_order(value), sizes=value.sizes)
    if isinstance(value, Const):
        return _constant(value.value)
    if isinstance(value, Scalar):
        return _plain(value.kind) if value.number is None else Argument("int", number=value.number)
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

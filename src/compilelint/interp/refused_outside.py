"""Values that Dynamo cannot take into a graph from outside: each use of one ends it.

Measured on torch 2.13 and 2.15: nested tensors of the strided layout, quantized tensors, arrays of objects or texts.
They are made where nothing is compiled, in a constructor, at module level or behind an earlier break; the jagged
layout, and a quantized tensor that the region itself makes, are traced.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from compilelint.interp.frame import Args, Frame
from compilelint.interp.refusals import older, refusal
from compilelint.torchfacts import Fact
from compilelint.values import Const, External, Instance, Mapping, Sequence, Value

_NESTED: Final = "torch.nested.NestedTensor"
_QUANTIZED: Final = "torch.quantized tensor"
_OBJECTS: Final = "numpy.array of objects"
GROUPS: Final = "itertools.groupby"
_IDS: Final = {
    GROUPS: "GB0811",  # "missing tp_iter": one that a break has left behind
    _NESTED: "GB0016",  # "Attempted to wrap strided NestedTensor"
    _QUANTIZED: "GB0064",  # "Fake tensor propagation exception"
    _OBJECTS: "GB0185",  # "failed to convert numpy.ndarray to Tensor"
}
KINDS: Final = frozenset(_IDS)
"""Names of the instances that stand for them."""

_MAKES_NESTED: Final = frozenset({"torch.nested.nested_tensor", "torch.nested.as_nested_tensor"})
_MAKES_QUANTIZED: Final = frozenset(
    {"torch.quantize_per_tensor", "torch.quantize_per_channel", "torch.quantize_per_tensor_dynamic"}
)
_MAKES_ARRAY: Final = frozenset({"numpy.array", "numpy.asarray"})
_OBJECT_DTYPES: Final = frozenset({"builtins.object", "numpy.object_", "builtins.str", "numpy.str_"})


def made(f: Frame, name: str, args: Args) -> Value | None:
    """What a call of a library function gives, where it is one of them."""
    if name in _MAKES_NESTED:
        layout = args.keywords.get("layout")
        strided = layout is None or (isinstance(layout, External) and layout.name == "torch.strided")
        return Instance(_NESTED) if strided and args.double_star is None else None
    if name in _MAKES_QUANTIZED:
        return Instance(_QUANTIZED) if f.silent else None
    if name in _MAKES_ARRAY:
        return Instance(_OBJECTS) if is_object_dtype(args.get(1, "dtype")) or _holds_objects(args.get(0)) else None
    return None


def boxed() -> Value:
    """What `array.astype(object)` gives."""
    return Instance(_OBJECTS)


def is_object_dtype(value: Value | None) -> bool:
    """Whether it is a dtype of arrays that hold Python objects or texts."""
    if isinstance(value, Const):
        return value.value in ("O", "object", "U", "str")
    return isinstance(value, External) and value.name in _OBJECT_DTYPES


def _holds_objects(value: Value | None) -> bool:
    """Whether an array of these items holds texts or dicts."""
    items = value.items if isinstance(value, Sequence) else None
    return bool(items) and any(
        isinstance(one, Mapping) or (isinstance(one, Const) and isinstance(one.value, str)) for one in items or ()
    )


def met(f: Frame, values: Iterable[Value]) -> Fact | None:
    """The fact on the use of values, where one is such a value."""
    if f.silent or f.host:
        return None
    for value in values:
        if isinstance(value, Instance) and value.name in _IDS:
            gb_id = _IDS[value.name]
            if value.name == GROUPS and not older(f, "2.15"):
                gb_id = "GB9493"
            return refusal(f, gb_id, skips_frame=True)
    return None

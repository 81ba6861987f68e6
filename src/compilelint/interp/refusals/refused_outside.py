"""Values that Dynamo cannot take into a graph from outside: each use of one ends it.

Measured on torch 2.13 and 2.15: nested tensors of the strided layout, quantized tensors, arrays of objects or texts,
views of the keys of a dict and mapping proxies with a class, a function or an object among the keys.
They are made where nothing is compiled, in a constructor, at module level or behind an earlier break; the jagged
layout, and a quantized tensor that the region itself makes, are traced.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged
from compilelint.interp.core.refusals import refusal
from compilelint.project.classes import Assigned
from compilelint.syntax import ir
from compilelint.torchfacts import Fact
from compilelint.values import (
    ClassRef,
    Const,
    External,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    Sequence,
    Tensor,
    Value,
)

_NESTED: Final = "torch.nested.NestedTensor"
_QUANTIZED: Final = "torch.quantized tensor"
_OBJECTS: Final = "numpy.array of objects"
GROUPS: Final = "itertools.groupby"
_PROXY: Final = "types.MappingProxyType of other keys"
_KEYS: Final = "dict_keys of other keys"
_ROWS: Final = {
    _PROXY: "GB0204",  # "non-const keys in mappingproxy"
    _KEYS: "GB0203",  # "non-const keys in dict_keys"
    GROUPS: "GB0811|groupby from before a break",  # "missing tp_iter": one that a break has left behind
    _NESTED: "GB0016",  # "Attempted to wrap strided NestedTensor"
    _QUANTIZED: "GB0064",  # "Fake tensor propagation exception"
    _OBJECTS: "GB0185",  # "failed to convert numpy.ndarray to Tensor"
}
KINDS: Final = frozenset(_ROWS)
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
        return Instance(_QUANTIZED) if f.modes.silent else None
    if name in _MAKES_ARRAY:
        return Instance(_OBJECTS) if is_object_dtype(args.get(1, "dtype")) or _holds_objects(args.get(0)) else None
    return None


def proxy(f: Frame, name: str, node: ir.Call | None) -> Value | None:
    """What `types.MappingProxyType({...})` gives outside of a graph, where a key is no plain constant."""
    if name != "types.MappingProxyType" or not f.modes.silent or node is None or not node.args:
        return None
    return Instance(_PROXY) if _has_odd_key(f, node.args[0]) else None


def keys(f: Frame, node: ir.Call) -> Value | None:
    """What `{...}.keys()` gives outside of a graph, where a key is no plain constant."""
    return Instance(_KEYS) if isinstance(node.func, ir.Attr) and _has_odd_key(f, node.func.value) else None


def _has_odd_key(f: Frame, table: ir.Expr) -> bool:
    """Whether a dict is written out with a class, function, tensor or other object for a key."""
    if isinstance(table, ir.Name):
        bound = f.module.bindings.get(table.id, ())
        only = bound[0] if len(bound) == 1 else None
        table = only.expr if isinstance(only, Assigned) and only.expr is not None and not only.path else table
    if not isinstance(table, ir.DictDisplay):
        return False
    return any(_is_object(f.eval(key)) for key in table.keys if key is not None)


def _is_object(key: Value) -> bool:
    if isinstance(key, External):
        return key.name.startswith("builtins.") or key.name.rpartition(".")[2][:1].isupper()
    return isinstance(key, _OBJECTS_AS_KEYS)


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


_OBJECTS_AS_KEYS: Final = (ClassRef, FunctionRef, Instance, Object, Tensor)


@if_judged
def met(f: Frame, values: Iterable[Value]) -> Fact | None:
    """The fact on the use of values, where one is such a value."""
    for value in values:
        if isinstance(value, Instance) and value.name in _ROWS:
            return refusal(f, _ROWS[value.name])
    return None

"""The classes of dtypes that values keep: int, float, complex and bool, whatever their width."""

from __future__ import annotations

_DTYPE_CLASSES = {
    "bool": "bool",
    "float": "float",
    "double": "float",
    "half": "float",
    "bfloat16": "float",
    "int": "int",
    "long": "int",
    "short": "int",
    "cfloat": "complex",
    "cdouble": "complex",
}


def dtype_class(name: str) -> str:
    """`torch.int64` -> "int"; "" for what is no dtype."""
    last = name.rpartition(".")[2]
    if last in _DTYPE_CLASSES:
        return _DTYPE_CLASSES[last]
    for prefix in ("float", "complex", "int", "uint", "bool"):
        if last.startswith(prefix) and (last == prefix or last[len(prefix) :].isdigit() or last == "bool_"):
            return "int" if prefix == "uint" else prefix
    return ""

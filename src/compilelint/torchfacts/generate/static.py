"""What can be read from the installed torch without tracing: configuration, trace rules, aten tags, registry."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch._dynamo.config
import torch._dynamo.trace_rules as trace_rules
from torch._dynamo.variables import functions as function_variables
from torch._dynamo.variables import torch as torch_variables

from compilelint.model.patterns import late_pattern
from compilelint.torchfacts.generate.encode import OPTIONS, readable
from compilelint.torchfacts.generate.measure import registry

_NAMESPACES = ("torch", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special")
_OF_DEVICES = ("torch.accelerator", "torch.cpu", "torch.cuda", "torch.mps", "torch.mtia", "torch.xpu")


def config() -> dict[str, Any]:
    """Dynamo's defaults for the options that a prediction can depend on, those that this torch has."""
    values = {option: getattr(torch._dynamo.config, option, None) for option in OPTIONS}
    return {option: value for option, value in values.items() if isinstance(value, (bool, int, float, str))}


def _dotted(thing: Any) -> str:
    if isinstance(thing, str):
        return thing
    if isinstance(thing, types.ModuleType):
        return thing.__name__
    name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", None) or repr(thing)
    return f"{getattr(thing, '__module__', None) or ''}.{name}"


def _names(things: Iterable[Any]) -> frozenset[str]:
    return readable(_dotted(thing) for thing in things)


def rules() -> dict[str, frozenset[str]]:
    """The trace rules by our names. That Dynamo would skip a callable is none: it says no more than a coin does."""
    return {
        "skip_modules": _names([*trace_rules.BUILTIN_SKIPLIST, *trace_rules.THIRDPARTY_SKIPLIST]),
        "polyfills": _names(function_variables.PolyfilledFunctionVariable._get_polyfill_handlers()),
        "constant_fold": _names(_called(torch_variables.constant_fold_functions)),
        # Packages whose functions Dynamo registers for the graph as soon as they are imported.
        "graph_packages": _names(trace_rules._lazy_module_init),
        **_aten_rules(),
    }


def _called(value: Any) -> Iterable[Any]:
    result: Iterable[Any] = value if isinstance(value, (dict, set, frozenset, list, tuple)) else value()
    return result


def _aten_rules() -> dict[str, frozenset[str]]:
    """Operators all of whose overloads (but `out`) carry a tag: the tag then holds whatever the arguments."""
    overloads: dict[str, list[set[str]]] = {}
    for full_name in torch._C._dispatch_get_all_op_names():
        if not full_name.startswith("aten::"):
            continue
        name, _, overload = full_name.removeprefix("aten::").partition(".")
        operator = getattr(getattr(torch.ops.aten, name, None), overload or "default", None)
        if operator is not None and "out" not in overload:
            overloads.setdefault(name, []).append({str(tag).rpartition(".")[2] for tag in operator.tags})
    tagged = {
        tag: {name for name, tags in overloads.items() if all(tag in of for of in tags)}
        for tag in ("dynamic_output_shape", "data_dependent_output")
    }
    return {
        "aten_dynamic_shape": frozenset(tagged["dynamic_output_shape"]),
        "aten_data_dependent": frozenset(tagged["data_dependent_output"]),
    }


def in_graph(known: Iterable[str]) -> frozenset[str]:
    """Public functions outside `known` that Dynamo puts into the graph as they are; such a one does not break.

    Of what a device answers those that Dynamo has code of its own for: the others break where they return no tensor.
    """
    known, found = set(known), set[str]()
    by_hand = torch_variables.TorchInGraphFunctionVariable._get_handlers()
    for prefix in (*_NAMESPACES, *_OF_DEVICES):
        space: Any = torch
        for part in prefix.split(".")[1:]:
            space = getattr(space, part, None)
        for name in dir(space) if space is not None else ():
            thing, key = getattr(space, name, None), f"{prefix}.{name}"
            if name.startswith("_") or key in known or not callable(thing) or isinstance(thing, type):
                continue
            if prefix in _OF_DEVICES and thing not in by_hand:
                continue
            rule = trace_rules.lookup(thing)
            if rule is not None and rule.__name__ == "TorchInGraphFunctionVariable":
                found.add(key)
    return frozenset(found)


def _raised(source: str) -> Iterator[str]:
    """The types that a source file gives `gb_type=`, texts of several pieces and on several lines included."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.keyword) or node.arg != "gb_type":
            continue
        for value in (node.value.body, node.value.orelse) if isinstance(node.value, ast.IfExp) else (node.value,):
            if isinstance(value, ast.Constant):
                yield str(value.value)
            elif isinstance(value, ast.JoinedStr):
                yield "".join(
                    str(part.value) if isinstance(part, ast.Constant) else ast.unparse(ast.JoinedStr([part]))[2:-1]
                    for part in value.values
                )


def registered() -> dict[str, list[Any]]:
    """Per id of torch's registry its type and whether this torch's source still raises it (ids are never removed)."""
    folder = Path(torch._dynamo.config.__file__).parent
    live: set[str] = set()
    for path in sorted(folder.rglob("*.py")):
        live.update(_raised(path.read_text(encoding="utf-8", errors="replace")))
    return {
        gb_id: [entries[0]["Gb_type"], entries[0]["Gb_type"] in live] for gb_id, entries in sorted(registry().items())
    }


# Advice that torch gives with every second break and that helps no reader of a finding.
_EMPTY_ADVICE = late_pattern(
    r"[Rr]eport an issue|File an issue|Dynamo bug|difficult to debug|fundamental|in an error when running|docs\.google|"
    r"[{]|can't be supported|how to fix|does not really define"
)


def _without_templates(explanation: str) -> str:
    """Nothing of an explanation that is a template: its holes are filled only when Dynamo raises it."""
    return "" if "{" in explanation else explanation


def words() -> dict[str, list[Any]]:
    """Explanation and hints of every id in torch's registry."""
    return {
        gb_id: [
            _without_templates(entries[0]["Explanation"]),
            [hint for hint in entries[0]["Hints"] if not _EMPTY_ADVICE.search(hint)],
        ]
        for gb_id, entries in sorted(registry().items())
    }

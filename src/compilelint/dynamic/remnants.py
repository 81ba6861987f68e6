"""What older ways to freeze a model left in its source: TorchScript and the ONNX exporter before `torch.export`.

Pure: reads files with `ast`, imports nothing of them. What each name means under `torch.export` was measured with torch
2.13. Does not belong here: scripted and traced modules inside a model, which only its process can see
(`dynamic.worker.exporting`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_UNSEEN = "is False while exporting, so what it guards is left out of the exported program"
_MEANT_FOR_SCRIPT = "affects only TorchScript; `torch.export` ignores it"
_SCRIPT = "makes TorchScript, which strict export refuses as a module; export the Python code it is made from"
_SYMBOLIC = (
    "translates an operator for the older ONNX exporter; `torch.onnx.export(..., dynamo=True)` takes "
    "`custom_translation_table` instead"
)

# A name, or what it lies in; the longest that fits counts. Opsets are a family: symbolic_opset9, symbolic_opset11, ...
_MEANING = {
    "torch.jit.is_scripting": _UNSEEN,
    "torch.jit.is_tracing": _UNSEEN,
    "torch.onnx.is_in_onnx_export": _UNSEEN,
    "torch.jit.script": _SCRIPT,
    "torch.jit.script_if_tracing": _SCRIPT,
    "torch.jit.trace": _SCRIPT,
    "torch.jit.trace_module": _SCRIPT,
    "torch.jit.freeze": _SCRIPT,
    "torch.jit.load": _SCRIPT,
    "torch.jit.ScriptModule": _SCRIPT,
    "torch.jit.ignore": _MEANT_FOR_SCRIPT,
    "torch.jit.unused": _MEANT_FOR_SCRIPT,
    "torch.jit.export": _MEANT_FOR_SCRIPT,
    "torch.jit.interface": _MEANT_FOR_SCRIPT,
    "torch.jit.script_method": _MEANT_FOR_SCRIPT,
    "torch.onnx.export": "records one path of the code with `dynamo=False`, and otherwise goes through `torch.export`",
    "torch.onnx.register_custom_op_symbolic": _SYMBOLIC,
    "torch.onnx.symbolic_helper": _SYMBOLIC,
    "torch.onnx.symbolic_opset": _SYMBOLIC,
    "onnxscript": "translates operators when an exported program becomes ONNX; `torch.export` itself never reads it",
}


def remnants_in(text: str) -> Iterator[tuple[int, str]]:
    """Line and words of every remnant in a file's text, in order; nothing for a file that does not parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    names = _imported(tree)
    found: set[tuple[int, str]] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        dotted = _dotted(node, names)
        key = _known(dotted)
        if key and isinstance(node, ast.expr):
            found.add((node.lineno, f"`{dotted}` {_MEANING[key]}"))
        if not dotted:  # `a.b` is no finding of its own inside `a.b.c`
            waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.ClassDef) and any(_is_function(base, names) for base in node.bases):
            found |= {
                (one.lineno, f"`{node.name}.symbolic` {_SYMBOLIC}")
                for one in node.body
                if isinstance(one, ast.FunctionDef) and one.name == "symbolic"
            }
    yield from sorted(found)


def _is_function(base: ast.expr, names: dict[str, str]) -> bool:
    """Whether a base class is `torch.autograd.Function`."""
    return _dotted(base, names).startswith("torch.autograd") and _dotted(base, names).endswith(".Function")


def _known(dotted: str) -> str:
    """The entry for a name: the name itself, one it lies in, or for opsets a beginning."""
    fitting = [key for key in _MEANING if dotted == key or dotted.startswith(f"{key}.")]
    if dotted.startswith("torch.onnx.symbolic_opset"):
        fitting.append("torch.onnx.symbolic_opset")
    return max(fitting, key=len, default="")


def _imported(tree: ast.Module) -> dict[str, str]:
    """What the names that a file imports stand for."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                names[one.asname or one.name.partition(".")[0]] = one.name if one.asname else one.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for one in node.names:
                names[one.asname or one.name] = f"{node.module}.{one.name}"
    return names


def _dotted(node: ast.AST, names: dict[str, str]) -> str:
    """The full name of `a.b.c`; empty for anything else, and for names that are not imported."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in names:
        return ""
    return ".".join([names[node.id], *reversed(parts)])

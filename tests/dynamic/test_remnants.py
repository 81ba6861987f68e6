"""What TorchScript and the older ONNX exporter leave in a source, by line and in words."""

from __future__ import annotations

import pytest

from compilelint.dynamic.remnants import remnants_in

IMPORTS = """\
import onnxscript
import torch
import torch.onnx
from torch import jit
from torch.onnx import register_custom_op_symbolic, symbolic_opset11 as ops
"""


def remnants(code: str) -> list[tuple[int, str]]:
    """Lines (counted in `code`) and names of the remnants."""
    start = IMPORTS.count("\n")
    return [(line - start, words.split("`")[1]) for line, words in remnants_in(IMPORTS + code)]


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("if torch.jit.is_scripting():\n    pass\n", "torch.jit.is_scripting"),
        ("if torch.onnx.is_in_onnx_export():\n    pass\n", "torch.onnx.is_in_onnx_export"),
        ("layer = jit.script(layer)\n", "torch.jit.script"),
        ("@jit.unused\ndef f(self, x):\n    return x\n", "torch.jit.unused"),
        ("torch.onnx.export(model, (), 'x.onnx', dynamo=False)\n", "torch.onnx.export"),
        ("register_custom_op_symbolic('a::b', f, 9)\n", "torch.onnx.register_custom_op_symbolic"),
        ("def f(g, x):\n    return ops.mul(g, x, x)\n", "torch.onnx.symbolic_opset11.mul"),
        ("@onnxscript.script()\ndef f(x):\n    return x\n", "onnxscript.script"),
    ],
)
def test_a_remnant_is_named_once(code: str, name: str) -> None:
    assert [found for _, found in remnants(code)] == [name]


def test_symbolic_of_an_autograd_function_is_one_and_of_another_class_is_none() -> None:
    body = "    @staticmethod\n    def symbolic(g, x):\n        return x\n"
    assert remnants(f"class Scale(torch.autograd.Function):\n{body}") == [(3, "Scale.symbolic")]
    assert remnants(f"class Scale:\n{body}") == []


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("torch.export.export(model, ())\n", id="the newer way"),
        pytest.param("jit = None\nself.script(1)\n", id="another object's method"),
        pytest.param("import torch.jit as\n", id="a file that does not parse"),
    ],
)
def test_what_is_no_remnant(code: str) -> None:
    assert remnants(code) == []


def test_the_words_say_what_exporting_makes_of_it() -> None:
    ((_, words),) = remnants_in("import torch\nx = torch.jit.is_tracing()\n")
    assert "False while exporting" in words

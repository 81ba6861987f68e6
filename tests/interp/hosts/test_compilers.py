"""How a compile call is asked: the configuration that takes effect, and the calls that compile nothing."""

from __future__ import annotations

import pytest

from compilelint.events import DynamoConfig
from compilelint.interp import Interpreter, roots_of
from compilelint.torchfacts import Capture
from tests.support.reveal import facts, program_of, sources

F = "def f(x: Tensor):\n    return x\n"


def config(call: str, default: DynamoConfig | None = None) -> DynamoConfig:
    """The configuration under which `f` is compiled."""
    program, modules = program_of(sources(f"{F}import torch._dynamo\nbackend = make()\n{call}\n"))
    interp = Interpreter(program, facts(), lambda event: None, default)
    (root,) = [r for r in roots_of(interp, modules, ("explicit",), default).first if r.kind == "explicit"]
    return root.config


def compiled(call: str) -> list[str]:
    """The names of what is compiled."""
    program, modules = program_of(sources(f"{F}import torch._dynamo\n{call}\n"))
    interp = Interpreter(program, facts(), lambda event: None)
    return [r.name for r in roots_of(interp, modules, ("explicit",)).first]


@pytest.mark.parametrize(
    ("keywords", "wanted"),
    [
        ("", DynamoConfig()),
        (", fullgraph=True", DynamoConfig(fullgraph=True)),
        (", fullgraph=False", DynamoConfig()),
        (", dynamic=True", DynamoConfig(dynamic=True)),
        (", dynamic=False", DynamoConfig(dynamic=False)),
        (", dynamic=None", DynamoConfig()),
        (", dynamic=flag", DynamoConfig()),
        (", mode='reduce-overhead'", DynamoConfig(mode="reduce-overhead")),
        (", mode='max-autotune'", DynamoConfig(mode="max-autotune")),
        (", mode='max-autotune-no-cudagraphs'", DynamoConfig(mode="max-autotune-no-cudagraphs")),
        (", mode='default'", DynamoConfig(mode="default")),
        (", mode='reduce-overhead', backend='inductor'", DynamoConfig(mode="reduce-overhead")),
        (", mode='reduce-overhead', backend='aot_eager'", DynamoConfig()),
        (", mode='reduce-overhead', backend=backend", DynamoConfig()),
        (", options={'triton.cudagraphs': True}", DynamoConfig(mode="reduce-overhead")),
        (", options={'triton.cudagraphs': False}", DynamoConfig()),
        (", options={'max_autotune': True}", DynamoConfig()),
    ],
)
def test_what_the_keywords_of_torch_compile_ask_for(keywords: str, wanted: DynamoConfig) -> None:
    assert config(f"g = torch.compile(f{keywords})") == wanted


def test_the_default_holds_where_the_call_is_silent() -> None:
    default = DynamoConfig(fullgraph=True, dynamic=True, captures=frozenset({Capture.SCALAR}))
    assert config("g = torch.compile(f)", default) == default
    asked = config("g = torch.compile(f, fullgraph=False, dynamic=False)", default)
    assert asked == DynamoConfig(dynamic=False, captures=frozenset({Capture.SCALAR}))


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("g = torch._dynamo.optimize('eager')(f)", DynamoConfig()),
        ("g = torch._dynamo.optimize('eager', nopython=True)(f)", DynamoConfig(fullgraph=True)),
        ("g = torch._dynamo.optimize_assert('eager')(f)", DynamoConfig(fullgraph=True)),
        ("g = torch._dynamo.optimize('eager', dynamic=True)(f)", DynamoConfig(dynamic=True)),
        ("g = torch.export.export(f, (torch.ones(2),))", DynamoConfig(fullgraph=True, export=True)),
        ("g = torch._dynamo.export(f)(torch.ones(2))", DynamoConfig(fullgraph=True, export=True)),
        ("g = torch._dynamo.explain(f)(torch.ones(2))", DynamoConfig()),
        ("torch.onnx.export(f, (torch.ones(2),), 'f', dynamo=True)", DynamoConfig(fullgraph=True, export=True)),
    ],
)
def test_what_other_ways_to_compile_ask_for(call: str, wanted: DynamoConfig) -> None:
    assert config(call) == wanted


@pytest.mark.parametrize(
    "call",
    [
        pytest.param("g = torch.compile(f, disable=True)", id="disabled"),
        pytest.param("torch.onnx.export(f, (torch.ones(2),), 'f')", id="the older exporter"),
        pytest.param("torch.onnx.export(f, (torch.ones(2),), 'f', dynamo=False)", id="the older exporter, in words"),
        pytest.param("g = torch.compile(fullgraph=True)", id="a decorator of nothing"),
        pytest.param("thing.compile(f)", id="compile of something unknown"),
    ],
)
def test_what_compiles_nothing(call: str) -> None:
    assert compiled(call) == []


NET = "class Net(nn.Module):\n    def forward(self, x):\n        return x\n"


@pytest.mark.parametrize(
    ("call", "found"),
    [
        pytest.param("m = Net()\nm.compile()", ["Net.forward"], id="a module compiles itself"),
        pytest.param("m = Net()\nm.compile(disable=True)", [], id="unless it is disabled"),
        pytest.param("class C:\n    def compile(self): ...\nC().compile()", [], id="no module"),
    ],
)
def test_a_module_that_compiles_itself(call: str, found: list[str]) -> None:
    assert compiled(NET + call) == found

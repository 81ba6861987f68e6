"""What frameworks offer that compiles: a row each in `project.compile_calls`, the frameworks' sources at hand or not.

Accelerate, torchrl and diffusers were run (`benchmarks/frameworks`); vLLM and torchtune stand as documented.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from compilelint.events import DynamoConfig
from compilelint.interp import Interpreter, roots_of
from compilelint.project.compile_calls import FRAMEWORKS, NO_OWN
from tests.support.reveal import facts, program_of

HEAD = """
from torch import nn

class Block(nn.Module):
    def forward(self, x):
        return x

class Net(nn.Module):
    _repeated_blocks = ["Block"]

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block() for _ in range(2)])

    def forward(self, x):
        return x

class Plain(nn.Module):
    def forward(self, x):
        return x

net = Net()
"""


def compiled(source: str, own: Mapping[str, str] = NO_OWN) -> list[tuple[str, DynamoConfig]]:
    """What a program compiles, and how."""
    program, modules = program_of({"app.py": HEAD + source})
    program.compilers = own
    interp = Interpreter(program, facts(), lambda event: None)
    roots = roots_of(interp, modules, ("explicit",)).first
    return [(root.name, root.config) for root in roots if root.kind == "explicit"]


WHOLE = DynamoConfig(fullgraph=True, dynamic=True)
VLLM = "from vllm.compilation.decorators import support_torch_compile\n"
CLASS = "class Model(nn.Module):\n    def forward(self, ids):\n        return ids\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(f"{VLLM}@support_torch_compile\n{CLASS}", [("Model.forward", WHOLE)], id="vLLM, bare"),
        pytest.param(
            f"{VLLM}@support_torch_compile(dynamic_arg_dims={{'ids': 0}})\n{CLASS}",
            [("Model.forward", WHOLE)],
            id="vLLM, with dimensions",
        ),
        pytest.param(f"from other import support_torch_compile\n@support_torch_compile\n{CLASS}", [], id="another one"),
        pytest.param(
            "net.compile_repeated_blocks(fullgraph=True)",
            [("Block.forward", DynamoConfig(fullgraph=True))],
            id="diffusers' repeated blocks",
        ),
        pytest.param("Plain().compile_repeated_blocks()", [], id="a model that names no blocks"),
        pytest.param(
            "from accelerate.utils import compile_regions\ncompile_regions(net, dynamic=True)",
            [("Block.forward", DynamoConfig(dynamic=True))],
            id="Accelerate's regions",
        ),
        pytest.param(
            "from accelerate.utils import compile_regions\ncompile_regions(Plain())",
            [("Plain.forward", DynamoConfig())],
            id="Accelerate's regions of a model without blocks",
        ),
        pytest.param(
            "from torchrl._utils import compile_with_warmup\n"
            "def update(x): return x\nupdate = compile_with_warmup(update, warmup=1)",
            [("update", DynamoConfig())],
            id="torchrl",
        ),
        pytest.param(
            "from torchtune import training\ntraining.compile_loss(Plain())",
            [("Plain.forward", DynamoConfig())],
            id="torchtune",
        ),
    ],
)
def test_what_a_framework_compiles(source: str, expected: list[tuple[str, DynamoConfig]]) -> None:
    assert compiled(source) == expected


def test_a_call_whose_blocks_are_not_known_is_said_to_be_unresolved() -> None:
    program, modules = program_of({"app.py": f"{HEAD}Plain().compile_repeated_blocks()\n"})
    interp = Interpreter(program, facts(), lambda event: None)
    (call,) = roots_of(interp, modules, ("explicit",)).calls
    assert (call.resolved, call.how) == (False, "compile_repeated_blocks")


def test_parts_that_comfyui_compiles_when_they_are_called_are_unresolved() -> None:
    source = (
        "from comfy_api.torch_helpers import set_torch_compile_wrapper\n"
        "def patch(model):\n    m = model.clone()\n    set_torch_compile_wrapper(model=m, backend='inductor')\n"
    )
    program, modules = program_of({"app.py": source})
    interp = Interpreter(program, facts(), lambda event: None)
    (call,) = roots_of(interp, modules, ("explicit",)).calls
    assert (call.resolved, call.how) == (False, "comfy_api.torch_helpers.set_torch_compile_wrapper")


OWN = {"speedy.fast": "wraps", "app.tuned": "wraps", "speedy.layers": "wraps blocks", "speedy.whole": "wraps class"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("import speedy\nspeedy.fast(net)", [("Net.forward", DynamoConfig())], id="of a library"),
        pytest.param(
            "from speedy import fast as f\nf(net, fullgraph=True)",
            [("Net.forward", DynamoConfig(fullgraph=True))],
            id="its keywords are those of torch.compile",
        ),
        pytest.param(
            "from speedy import fast\n@fast\ndef f(x):\n    return x", [("f", DynamoConfig())], id="a decorator"
        ),
        pytest.param(
            "def tuned(m):\n    return REGISTRY['x'](m)\ntuned(net)",
            [("Net.forward", DynamoConfig())],
            id="of the project itself",
        ),
        pytest.param("from speedy import layers\nlayers(net)", [("Block.forward", DynamoConfig())], id="blocks"),
        pytest.param(f"from speedy import whole\n@whole\n{CLASS}", [("Model.forward", WHOLE)], id="a class"),
        pytest.param("from speedy import other\nother(net)", [], id="no row"),
        pytest.param("def other(m):\n    return REGISTRY['x'](m)\nother(net)", [], id="no row of the project"),
    ],
)
def test_rows_of_a_project(source: str, expected: list[tuple[str, DynamoConfig]]) -> None:
    assert compiled(source, OWN) == expected


def test_every_row_has_a_program_here() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert all(name in text for _, name in FRAMEWORKS)

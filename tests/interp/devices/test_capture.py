"""What a CUDA graph cannot hold, by small programs: emitted where the mode records one, with the near miss beside it.

Each pair is of a class that was recorded on a GPU (`benchmarks/cudagraphs`).
"""

from __future__ import annotations

import pytest

from compilelint.events import Unrecorded
from compilelint.model import Confidence
from tests.support.reveal import run

HEAD = '@torch.compile(mode="reduce-overhead")\ndef f(x: Tensor, mask: Tensor, states: list[Tensor]):\n'


def hows(body: str, head: str = HEAD) -> list[str]:
    """What is emitted of a function with that body."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return [event.how for event in run(f"import random, time\n{head}{lines}") if isinstance(event, Unrecorded)]


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("x.mul_(2)\nreturn x", "input-written"),
        ("x += 1\nreturn x", "input-written"),
        ("y = x.view(-1)\ny.add_(1)\nreturn y", "input-written"),
        ("y = x[:, :2]\ny.zero_()\nreturn x", "input-written"),
        ("y = x.contiguous()\ny.mul_(2)\nreturn y", "input-written"),
        ("torch.mul(x, 2, out=mask)\nreturn x", "input-written"),
        ("return torch.nn.functional.relu(x, inplace=True)", "input-written"),
        ("return torch.nn.ReLU(inplace=True)(x)", "input-written"),
        ("for s in states:\n    s.mul_(0.9)\nreturn x", "input-written"),
        ("return x * random.uniform(0, 1)", "drawn-number"),
        ("return x * random.random()", "number-between"),
        ("return x + time.time()", "number-between"),
        ("return x / x.sum().item()", "number-between"),
        ("return x / float(x.sum())", "number-between"),
        ("return x * torch.rand(())", "host-number"),
        ("return x[:, torch.tensor([0, 2])]", "host-index"),
        ("return x[:, torch.randint(0, x.shape[1], (4,))]", "host-index"),
        ("y = x + 1\ny[mask.bool()] = torch.zeros(4, device=x.device)\nreturn y", "mask-write"),
        ("y = x + 1\ny[:, mask.bool()] = 0.0\nreturn y", "mask-write"),
        ("return torch.cond(x.sum() > 0, lambda t: t, lambda t: t * 2, (x,))", "control-flow"),
        ("return torch.linalg.eigvalsh(x)", "refused"),
        ("return x.matrix_exp()", "refused"),
    ],
)
def test_what_cannot_be_recorded(body: str, how: str) -> None:
    assert hows(body) == [how]
    assert hows(body, HEAD.replace('(mode="reduce-overhead")', "")) == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("y = x + 1\ny.mul_(2)\nreturn y", id="a result is written"),
        pytest.param("y = x.clone()\ny[0] = 1\nreturn y", id="a copy is written"),
        pytest.param("x.requires_grad_()\nreturn x", id="no data is written"),
        pytest.param("y = x.half()\ny.mul_(2)\nreturn y", id="what another dtype made is written"),
        pytest.param("return x * torch.rand((), device=x.device)", id="drawn on the device"),
        pytest.param("return x * random.choice([1, 2])", id="no float is drawn"),
        pytest.param("return x * int(mask.sum())", id="an integer, which Dynamo makes a symbol"),
        pytest.param("return x[: int(mask.sum())]", id="as a bound"),
        pytest.param("return x * torch.tensor(0.5)", id="a constant is made on the device"),
        pytest.param("return x[:, [0, 2]]", id="a list of indices"),
        pytest.param("return x[torch.arange(3)]", id="indices that are made on the device"),
        pytest.param("y = x + 1\ny[mask.bool()] = 0.0\nreturn y", id="one number under a mask"),
        pytest.param(
            "return torch.cond(x.shape[0] > 2, lambda t: t, lambda t: t * 2, (x,))", id="decided while tracing"
        ),
        pytest.param("return torch.linalg.inv(x)", id="recorded"),
        pytest.param("x.set_(mask)\nreturn x", id="storage is replaced, which ends the graph"),
    ],
)
def test_what_is_recorded_whole(body: str) -> None:
    assert hows(body) == []


def test_a_number_of_what_outlives_the_call_stays_the_same() -> None:
    held = (
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.s = torch.ones(())\n"
    )
    read = "    @torch.compile(mode='reduce-overhead')\n    def forward(self, x: Tensor):\n        return x * {}\n"
    for number, expected in (("float(self.s)", []), ("self.s.item()", []), ("float(x.sum())", ["number-between"])):
        text = f"from torch import nn\n{held}{read.format(number)}"
        assert [one.how for one in run(text) if isinstance(one, Unrecorded)] == expected


CLASS = """
@torch.compile(mode="reduce-overhead")
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        {made}

    def forward(self, x: Tensor):
        {body}
        return y

step = torch.compile(Net(), mode="reduce-overhead")
"""


def of_module(made: str, body: str) -> list[str]:
    """What is emitted of a module that holds `made`."""
    text = CLASS.replace('@torch.compile(mode="reduce-overhead")\n', "").format(
        made=made, body=body.replace("\n", "\n        ")
    )
    return [event.how for event in run(text) if isinstance(event, Unrecorded)]


@pytest.mark.parametrize(
    ("made", "body", "expected"),
    [
        pytest.param("self.scale = torch.tensor(2.0)", "y = x * self.scale", ["host-number"], id="plain number"),
        pytest.param('self.register_buffer("scale", torch.tensor(2.0))', "y = x * self.scale", [], id="buffer"),
        pytest.param(
            'self.register_buffer("h", torch.zeros(4))',
            "self.h = torch.tanh(x + self.h)\ny = self.h * 2",
            ["kept-output"],
            id="a buffer is bound to a result",
        ),
        pytest.param(
            'self.register_buffer("h", torch.zeros(4))',
            "self.h.copy_(torch.tanh(x + self.h))\ny = self.h * 2",
            [],
            id="a buffer is written",
        ),
        pytest.param("self.last = None", "y = x * 2\nself.last = y", [], id="only written"),
        pytest.param("self.all = []", "y = x * 2\nself.all.append(y)", ["kept-output"], id="a list that grows"),
        pytest.param(
            "self.mask = None",
            "if self.mask is None:\n    self.mask = torch.ones(4, device=x.device)\ny = x * self.mask",
            ["kept-output"],
            id="made in the first call",
        ),
    ],
)
def test_state_of_a_module(made: str, body: str, expected: list[str]) -> None:
    assert of_module(made, body) == expected


OPERATOR = """
@torch.library.custom_op("lab::peak", mutates_args=(){tags})
def peak(x: Tensor) -> Tensor:
    {body}

{head}    return {call}
"""


@pytest.mark.parametrize("call", ["peak(x)", "torch.ops.lab.peak(x)"])
@pytest.mark.parametrize(
    ("body", "tags", "expected"),
    [
        pytest.param("return x / x.max().item()", "", ["refused"], id="reads an item"),
        pytest.param("return x.cpu().sort().values.to(x.device)", "", ["refused"], id="copies to the host"),
        pytest.param("return x / 2", "", [], id="stays on the device"),
        pytest.param(
            "return x / x.max().item()", ", tags=(torch._C.Tag.cudagraph_unsafe,)", ["tagged"], id="is tagged"
        ),
    ],
)
def test_kernels_of_custom_operators(call: str, body: str, tags: str, expected: list[str]) -> None:
    text = OPERATOR.format(tags=tags, body=body, head=HEAD, call=call)
    assert [event.how for event in run(text) if isinstance(event, Unrecorded)] == expected


EXPERTS = """
@torch.library.custom_op("lab::by_expert", mutates_args=())
def by_expert(x: Tensor, w: Tensor) -> Tensor:
    return x[: int(w[0].tolist()[0])]

def can_be_grouped(w: Tensor):
    if w.device.type == "tpu":
        return True
    if torch.compiler.is_compiling() and w.dtype != torch.bfloat16:
        return False
    return torch.cuda.get_device_capability(w.device) >= (8, 0)

def product(x: Tensor, w: Tensor):
    if can_be_grouped(w):
        return torch.nn.functional.grouped_mm(x, w)
    return torch.ops.lab.by_expert(x, w)
"""
CALLER = """
from lab import product

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.zeros(2, 3, 4))

    @torch.compile(mode="reduce-overhead")
    def forward(self, x: Tensor):
        return product(x, self.w)
"""


def of_library(library: str) -> list[Unrecorded]:
    """What is emitted of a model that calls a library, which is not linted."""
    files = {"app.py": CALLER, "lab.py": f"import torch\nfrom torch import Tensor\n{library}"}
    return [event for event in run(files, unlinted=("lab",)) if isinstance(event, Unrecorded)]


def test_an_operator_of_a_library_is_called_for_parameters_of_the_usual_dtype() -> None:
    found = of_library(EXPERTS)
    assert [(event.how, event.unless, event.site.cap > Confidence.POSSIBLE) for event in found] == [
        ("refused", "torch.bfloat16", True)
    ]
    other = of_library(EXPERTS.replace("torch.bfloat16", "torch.float32"))
    assert [event.site.cap for event in other] == [Confidence.POSSIBLE]


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        pytest.param("if key not in self.kept:", ["kept-output"], id="filled once"),
        pytest.param("if True:", [], id="written in each call"),
    ],
)
def test_a_dict_of_the_object_keeps_a_result(test: str, expected: list[str]) -> None:
    body = f"key = str(x.device)\n{test}\n    self.kept[key] = torch.tanh(x)\nreturn self.kept[key]"
    assert of_module("self.kept = {}", body) == expected


@pytest.mark.parametrize(
    ("head", "sure"),
    [
        pytest.param("def helper(hidden_states):", [Confidence.POSSIBLE], id="a tensor by its name"),
        pytest.param("def helper(hidden_states: Tensor):", [Confidence.CERTAIN], id="a tensor by its annotation"),
    ],
)
def test_items_stored_by_number_are_those_of_a_list_too(head: str, sure: list[Confidence]) -> None:
    text = f"""
class Inner(nn.Module):
    {head.replace("helper(", "forward(self, ")}
        hidden_states[0] = hidden_states[1]
        return hidden_states

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    @torch.compile(mode="reduce-overhead")
    def forward(self, maps):
        return self.inner(maps)
"""
    assert [event.sure for event in run(text) if isinstance(event, Unrecorded)] == sure


@pytest.mark.parametrize(
    "body",
    [
        "if mask.dtype == torch.bool:\n    mask = mask.to(x)\n    mask.masked_fill_(mask < 1, -1)\nreturn mask",
        "ids = known(x)\nkinds = torch.zeros(8, device=x.device)\nkinds[ids == 3] = 1\nreturn x + kinds",
        "h = known(x)\nh = h * torch.tensor(2.0)\nreturn h.pow(2).mean()",
    ],
    ids=["converted-behind-a-test", "a-number-under-a-comparison", "a-number-on-the-host-joins-the-unknown"],
)
def test_what_repositories_write_that_is_recorded_whole(body: str) -> None:
    assert hows(body, f"from somewhere import known\n{HEAD}") == []


SCALED = """
class Scaled(nn.Module):
    def __init__(self, inplace{default}):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(8))
        self.inplace = inplace

    @torch.compile(mode="reduce-overhead")
    def forward(self, x: Tensor):
        {body}
"""


@pytest.mark.parametrize(
    "body",
    [
        "if self.inplace: x.mul_(self.scale)\n        return x",
        "return x.mul_(self.scale) if self.inplace else x * self.scale",
        "return x * self.scale if not self.inplace else x.mul_(self.scale)",
    ],
    ids=["statement", "expression", "turned"],
)
@pytest.mark.parametrize(
    ("default", "sure"), [("=False", Confidence.POSSIBLE), ("=True", Confidence.CERTAIN), ("", Confidence.CERTAIN)]
)
def test_a_write_that_the_constructor_leaves_off_is_only_possible(body: str, default: str, sure: Confidence) -> None:
    events = run(SCALED.format(default=default, body=body))
    assert [one.sure for one in events if isinstance(one, Unrecorded)] == [sure]

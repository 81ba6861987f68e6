"""What scripts do with their models: what names hold, loops that call them, methods, `forward` itself, TorchScript."""

from __future__ import annotations

import pytest

from tests.support.practices import of_kind

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 3)

    def forward(self, x):
        return self.a(x)

    def act(self, x):
        return self.a(x)
"""
SAMPLE = "def sample(net, x):\n    for t in range(9):\n        x = {}\n    return x\n"


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("net = Net()", id="made"),
        pytest.param("net = Net().to('cuda').eval()", id="and moved"),
        pytest.param("net = nn.DataParallel(Net())", id="wrapped"),
        pytest.param("def build():\n    return Net().cuda()\nnet = build()", id="by a function"),
        pytest.param("other = Net()\nnet = other.half()", id="under another name"),
        pytest.param(
            "def with_guidance(model):\n    def guided(x):\n        return model(x)\n    return guided\n"
            "model = Net()\nnet = with_guidance(model)",
            id="in a function that another returns",
        ),
    ],
)
def test_each_pass_of_a_loop_calls_a_model(script: str) -> None:
    assert of_kind("passes", f"{NET}\n{script}\n{SAMPLE.format('net(x)')}") == [("Net", "net")]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("net = Net()\nfor x in loader:\n    net(x)", id="a loop over data"),
        pytest.param("net = Net()\nnet(x)", id="no loop"),
        pytest.param("net = Net()\nfor t in range(9):\n    net(x).backward()", id="a step of training"),
        pytest.param("net = len\nfor t in range(9):\n    net(x)", id="no model"),
        pytest.param("net = nn.MSELoss()\nfor t in range(9):\n    net(x)", id="a loss"),
    ],
)
def test_what_is_no_such_loop(script: str) -> None:
    assert of_kind("passes", f"{NET}\n{script}") == []


def test_a_function_that_a_loop_calls_and_a_method_of_a_model_with_a_loop() -> None:
    inner = f"{NET}\nnet = Net()\ndef act(net, x):\n    return net(x)\nfor t in range(9):\n    act(net, x)"
    assert of_kind("passes", inner) == [("Net", "net")]
    own = f"{NET}    def generate(self, x):\n        while x.ok:\n            x = self.a(x)\n        return x"
    assert of_kind("passes", own) == [("Net", "self.a")]
    assert of_kind("passes", own.replace("def generate", "def forward")) == []


def test_methods_are_called_in_place_of_the_model() -> None:
    script = f"{NET}\nnet = Net()\n{SAMPLE.format('net.act(x)')}"
    assert of_kind("instead", script) == [("Net", "act")]
    assert of_kind("passes", script) == [("Net", "net.act")]
    assert of_kind("instead", f"{NET}\nnet = Net()\n{SAMPLE.format('net.parameters(x)')}") == []
    assert of_kind("instead", f"{NET}\nnet = Net()\nnet.act(x)") == []
    asks = f"{NET}    def is_wide(self):\n        return self.wide > 3\n    def freeze(self):\n        self.apply(f)\n"
    asks += "net = Net()"
    assert of_kind("instead", f"{asks}\n{SAMPLE.format('net.is_wide(), net.freeze()')}") == []


def test_a_method_that_trains_is_no_pass() -> None:
    trains = f"{NET}    def update(self, x):\n        self(x).sum().backward()\nnet = Net()\n"
    assert of_kind("passes", f"{trains}for t in range(9):\n    net.update(x)") == []


def test_forward_itself_is_called() -> None:
    assert of_kind("past", f"{NET}\nnet = Net()\nnet.forward(x)") == [("net.forward", "Net")]
    assert of_kind("past", f"{NET}\nnet = Net()\nnet(x)") == []


def test_a_step_of_training_and_where_a_model_is_made() -> None:
    script = f"{NET}\nnet = Net()\nfor x in loader:\n    net(x).sum().backward()"
    assert of_kind("stepped", script) == [("Net", "")]
    assert of_kind("made", script) == [("Net", "")]


@pytest.mark.parametrize(("base", "found"), [("torch.jit.ScriptModule", [("S", "")]), ("nn.Module", [])])
def test_classes_of_torchscript(base: str, found: list[tuple[str, str]]) -> None:
    assert of_kind("scripted", f"class S({base}):\n    def forward(self, x):\n        return x") == found


def test_a_step_by_an_object_whose_class_is_imported_under_another_name() -> None:
    text = (
        "class Scaler:\n    def __call__(self, loss):\n        loss.backward()\n"
        "from m0 import Scaler as Scale\ndef train(loader):\n    scale = Scale()\n    for x in loader:\n"
        "        scale(x)\n        x.item()"
    )
    assert of_kind("reads", text) == [("", "training")]

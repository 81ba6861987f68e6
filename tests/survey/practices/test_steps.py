"""What runs in each step: by a backward pass, by the calls that lead to it and from it, by blocks without gradients."""

from __future__ import annotations

import pytest

from tests.support.practices import of_kind

_LOOP = """
def train(model, optimizer, loader):
    for x in loader:
        step(model, x)
        optimizer.step()
        log(x)
"""
_STEP = """
def step(model, x):
    loss = model(x).sum()
    loss.backward()
"""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(_STEP + _LOOP + "def log(x):\n    print(x.item())", id="a function that the loop calls besides"),
        pytest.param(_STEP + "def run(model, x):\n    step(model, x)\n    x.item()", id="a caller of one step"),
        pytest.param(
            "class Trainer:\n    def run_step(self, x):\n        self.back(x)\n        self.norm(x)\n"
            "    def back(self, x):\n        for y in x.split(2):\n            y.sum().backward()\n"
            "    def norm(self, x):\n        return x.item()",
            id="micro-batches in a method, the norm in another",
        ),
        pytest.param(
            "import functools\nclass Loss:\n    def terms(self, x):\n        return x.item()\n"
            "def step(loss, x):\n    f = functools.partial(loss.terms, x)\n    f().backward()",
            id="what a partial call hands on",
        ),
        pytest.param(
            "class Agent:\n    def learn(self, x):\n        x.backward()\n"
            "    def act(self, x):\n        return x.item()\n"
            "agent = Agent()\nfor t in range(9):\n    agent.act(t)\n    if t % 4 == 0:\n        agent.learn(t)",
            id="each pass of a loop that learns every fourth time",
        ),
        pytest.param(
            "class Scaled:\n    def __call__(self, loss):\n        loss.backward()\n"
            "def train(xs):\n    scaled = Scaled()\n    for x in xs:\n        scaled(x)\n        x.item()",
            id="an object whose call goes backward",
        ),
    ],
)
def test_a_read_is_in_each_step_of_training(text: str) -> None:
    assert of_kind("reads", text) == [("", "training")]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        pytest.param(
            _STEP + _LOOP.replace("log(x)", "if x.n % 10 == 0: log(x)") + "def log(x):\n    print(x.item())",
            [],
            id="called in some passes alone",
        ),
        pytest.param(_STEP + "def other(x):\n    return x.item()", [], id="nothing calls it"),
        pytest.param(
            "@torch.no_grad()\ndef f(xs):\n    for x in xs:\n        x.item()", [("", "inference")], id="no gradients"
        ),
        pytest.param(
            "def f(xs):\n    for x in xs:\n        with torch.no_grad():\n            y = g(x)\n        y.item()",
            [("", "inference")],
            id="no gradients in a part of the loop",
        ),
        pytest.param("def f(xs):\n    for x in xs:\n        x.item()", [("", "loop")], id="a loop of anything"),
        pytest.param(
            "def f(net, xs):\n    net = torch.compile(net)\n    for x in xs:\n        net(x).item()",
            [("", "compiled")],
            id="a loop that calls what is compiled",
        ),
        pytest.param(
            "class A:\n    def close(self, x):\n        return x.item()\n"
            "class B:\n    def train(self, f, xs):\n        for x in xs:\n"
            "            x.backward()\n            f.apply(x)\n"
            "class C:\n    def apply(self, x):\n        return x.item()",
            [],
            id="a method of a common name",
        ),
    ],
)
def test_other_reads_are_placed_by_their_loop(text: str, place: list[tuple[str, str]]) -> None:
    assert of_kind("reads", text) == place

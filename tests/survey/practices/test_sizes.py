"""Tensors that become longer from pass to pass, and batches of one."""

from __future__ import annotations

import pytest

from tests.support.practices import of_kind

_LOOP = "def f(net, x, n):\n    for i in range(n):\n        {}"


@pytest.mark.parametrize(
    "body",
    [
        "x = torch.cat([x, net(x)], 1)",
        "y = net(x)\n        x = torch.cat((x, y))",
        "x = torch.cat([x, x], 1)\n        part = x[:, 1:].clone()\n        net(part)",
        "x = torch.cat([x, x], 1)\n        net(x[:, 1:])",
    ],
)
def test_a_tensor_grows(body: str) -> None:
    assert of_kind("grows", _LOOP.format(body)) == [("x", "")]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("y = torch.cat([x, net(x)], 1)", id="another name"),
        pytest.param("x = net(i)\n        x = torch.cat([x, x])\n        net(x)", id="begins again in each pass"),
        pytest.param("x = torch.cat([x, torch.zeros(1)])\n        print(x)", id="nothing is computed with it"),
        pytest.param("x = torch.cat([x, x])\n        x.sum()", id="its own method"),
        pytest.param("x = torch.stack([x, x])\n        net(x)", id="stacked"),
    ],
)
def test_no_tensor_grows(body: str) -> None:
    assert of_kind("grows", _LOOP.format(body)) == []


_ACT = """
class Agent:
    def act(self, x):
        {}

    def learn(self, x):
        x.backward()


agent = Agent()
for t in range(9):
    agent.act(t)
    agent.learn(t)
"""


def test_a_batch_of_one_is_computed_and_read() -> None:
    act = "with torch.no_grad():\n            return self.net({}).argmax().item()"
    assert of_kind("single", _ACT.format(act.format("x.unsqueeze(0)"))) == [("", "training")]
    assert of_kind("single", _ACT.format(act.format("x[None]"))) == [("", "training")]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("return self.net(x.unsqueeze(0)).item()", id="with gradients"),
        pytest.param("with torch.no_grad():\n            return self.net(x.unsqueeze(1)).item()", id="not of one"),
        pytest.param("with torch.no_grad():\n            return self.net(x.unsqueeze(0))", id="not read"),
        pytest.param("with torch.no_grad():\n            return torch.sin(x.unsqueeze(0)).item()", id="one operation"),
    ],
)
def test_no_batch_of_one(body: str) -> None:
    assert of_kind("single", _ACT.format(body)) == []

"""An `if` without an `else` that stores into attributes and tensors: the stores are made always, of what was chosen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compilelint.fixes.rewrites.stores import stored_always
from tests.fixes.alike import made

TEXT = """import torch
from torch import nn


class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(4))
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x: torch.Tensor):
        if x.sum() > 0:
            self.scale = x.abs().mean(0)
        return x * self.scale
"""
ARM = "            self.scale = x.abs().mean(0)\n"


def _with(arm: str) -> str:
    return TEXT.replace(ARM, "".join(f"            {line}\n" for line in arm.split("\n")))


@pytest.mark.parametrize(
    ("arm", "wanted"),
    [
        ("self.scale = x.abs().mean(0)", "self.scale = torch.where(x.sum() > 0, x.abs().mean(0), self.scale)"),
        ("self.scale.copy_(x[0])", "self.scale.copy_(torch.where(x.sum() > 0, x[0], self.scale))"),
        ("self.scale.data.fill_(3.0)", "self.scale.data.copy_(torch.where(x.sum() > 0, 3.0, self.scale.data))"),
        ("self.scale.zero_()", "self.scale.copy_(torch.where(x.sum() > 0, 0, self.scale))"),
        ("self.scale += x[0]", "self.scale.copy_(torch.where(x.sum() > 0, self.scale + x[0], self.scale))"),
        ("self.scale[0] = x.max()", "self.scale[0] = torch.where(x.sum() > 0, x.max(), self.scale[0])"),
        (
            "self.scale.mul_(x[0] + 1)",
            "self.scale.copy_(torch.where(x.sum() > 0, self.scale * (x[0] + 1), self.scale))",
        ),
        (
            "self.seen.add_(1)\nx = x * 2\nself.scale.copy_(x[0])",
            "chosen = x.sum() > 0\n"
            "        self.seen.copy_(torch.where(chosen, self.seen + 1, self.seen))\n"
            "        x = torch.where(chosen, x * 2, x)\n"
            "        self.scale.copy_(torch.where(chosen, x[0], self.scale))",
        ),
    ],
)
def test_stores_are_made_always(arm: str, wanted: str, tmp_path: Path) -> None:
    after, unmet = made(_with(arm), stored_always, tmp_path)
    after = after.replace("(x.sum() > 0).reshape(())", "x.sum() > 0")
    assert f"        {wanted}\n        return x * self.scale\n" in after
    assert unmet, "only a run can say that nothing else sees it"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TEXT.replace(ARM, f"{ARM}        else:\n            x = -x\n"), id="another way"),
        pytest.param(_with("self.layer(x)"), id="a call that may do anything"),
        pytest.param(_with("self.scale = torch.rand(4)"), id="a draw"),
        pytest.param(_with("self.scale = None"), id="no tensor"),
        pytest.param(_with("self.scale.copy_(x[0], True)"), id="more arguments"),
        pytest.param(_with("self.scale //= 2"), id="another operator"),
        pytest.param(_with("y = x[0]\nself.scale = y"), id="a name without a value before"),
        pytest.param(_with("x = -x"), id="names alone, which others choose"),
        pytest.param(_with("self.scale = x[0]  # seen"), id="a comment that would be lost"),
        pytest.param(_with("out.scale = x[0]\nreturn x"), id="more than stores"),
        pytest.param(_with("self.scale = table[x]"), id="an index that the test may guard"),
        pytest.param(TEXT.replace("x.sum() > 0", "x"), id="a test that is no bool"),
    ],
)
def test_near_misses(text: str, tmp_path: Path) -> None:
    assert text != TEXT
    assert made(text, stored_always, tmp_path)[0] == text


@pytest.mark.dynamo
def test_the_same_state_and_one_graph(tmp_path: Path) -> None:
    import torch

    before = _with("self.seen.add_(1)\nx = x * 2\nself.scale.copy_(x[0])\nself.scale[1] = x.max()")
    after, _ = made(before, stored_always, tmp_path)
    kinds = []
    for text in (before, after):
        names: dict[str, Any] = {}
        exec(text, names)
        kinds.append(names["M"])
    for x in (torch.ones(2, 4), -torch.ones(2, 4), torch.full((2, 4), float("nan")), torch.ones(1, 4)):
        old, new = (kind() for kind in kinds)
        kept = new.scale
        compiled = torch.compile(new, backend="eager", fullgraph=True)
        assert torch.equal(old(x).nan_to_num(7), compiled(x).nan_to_num(7))
        for key, one in old.state_dict().items():
            assert torch.equal(one.nan_to_num(7), new.state_dict()[key].nan_to_num(7))
        assert new.scale is kept

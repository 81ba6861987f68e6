"""`module.name = ...` of an `nn.Buffer`: what real TorchDynamo (torch 2.13 and 2.15) refuses, and what it takes."""

from __future__ import annotations

import pytest

from compilelint.events import Syntax
from compilelint.torchfacts import SyntaxForm
from tests.support.reveal import run


def refused(line: str, made: str = "nn.Buffer(torch.ones(3))") -> bool:
    """Whether a forward with this line ends its graph at the assignment."""
    stores = f"self.register_buffer('b', {made})" if made.startswith("torch") else f"self.b = {made}"
    text = (
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        {stores}\n    def forward(self, x: Tensor):\n        {line}\n        return x * 2\n"
    )
    return any(isinstance(e, Syntax) and e.form == SyntaxForm.MODULE_SET_BUFFER.value for e in run(text))


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("nn.Buffer(x)", id="new"),
        "self.b.to(x.device)",
        "self.b.to(device=x.device, dtype=x.dtype)",
        "self.b.to(x)",
        "self.b.float()",
        "self.b.contiguous()",
        "self.b.type_as(x)",
        "self.b.add_(1)",
        "self.b.cpu().contiguous()",
    ],
)
def test_the_buffer_itself_is_assigned(value: str) -> None:
    assert refused(f"self.b = {value}")


@pytest.mark.parametrize(
    "value",
    [
        "self.b",
        pytest.param("self.b + 1", id="computed"),
        pytest.param("self.b.clone()", id="copy"),
        pytest.param("self.b.view(3)", id="view"),
        pytest.param("self.b.detach()", id="detached"),
        pytest.param("self.b.double()", id="another dtype"),
        pytest.param("self.b.to(torch.float64)", id="another dtype by to"),
        pytest.param("self.b.requires_grad_(False)", id="a flag"),
    ],
)
def test_a_plain_tensor_is_assigned(value: str) -> None:
    assert not refused(f"self.b = {value}")


def test_what_register_buffer_was_given_is_a_plain_tensor() -> None:
    assert not refused("self.b = self.b.to(x.device)", made="torch.ones(3)")


def test_behind_a_test_of_the_device_there_is_something_to_convert() -> None:
    assert not refused("if self.b.device != x.device: self.b = self.b.to(x.device)")

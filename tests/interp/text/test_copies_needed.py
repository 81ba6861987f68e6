"""Copies to the host that the host needs are notes, unless a call compiles the code or an option names it."""

from __future__ import annotations

import pytest

from compilelint.events import DynamoConfig, Placed
from compilelint.model import Confidence
from tests.support.reveal import run

RECORDED = DynamoConfig(mode="reduce-overhead")


def copies(body: str, roots: tuple[str, ...] = ("auto",)) -> list[Confidence]:
    """How sure it is that a copy of `y`, which a forward computes, costs a split of its graph."""
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    text = f"class M(nn.Module):\n    def forward(self, x: Tensor):\n        y = x * 2\n{lines}        return x\n"
    found = run({"app.py": text}, roots, RECORDED)
    return [min(one.sure, one.site.cap) for one in found if isinstance(one, Placed) and one.how == "to-host"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("a = y.cpu().numpy()", id="as an array"),
        pytest.param("a = y.detach().cpu().tolist()", id="as numbers"),
        pytest.param("z = y.cpu()\nfor row in z:\n    use(row)", id="in a loop"),
        pytest.param("z, w = y.cpu(), 1\nn = int(z[0, 1])", id="item by item"),
        pytest.param("z = y.cpu()\na = [f(row.tolist()) for row in zip(z, z)]", id="in a comprehension"),
        pytest.param("p = nn.utils.rnn.pack_padded_sequence(x, y.cpu())", id="lengths that torch asks for there"),
        pytest.param(
            "c = y.cpu()\npairs = [linear_sum_assignment(c[i]) for i, c in enumerate(c.split(2))]",
            id="for an assignment that the host solves",
        ),
        pytest.param("torch.save(y.cpu(), 'a.pt')", id="into a file"),
    ],
)
def test_what_the_host_needs(body: str) -> None:
    assert copies(body) == [Confidence.POSSIBLE]
    assert copies(body, ("all",)) == [Confidence.LIKELY], "asked about by name"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("z = y.cpu() * 2", id="computed with"),
        pytest.param("z = y.to('cpu').sum()", id="a sum"),
        pytest.param("z = y.cpu()", id="kept"),
        pytest.param("z = y.cpu()\na = other.numpy()", id="another tensor is the array"),
    ],
)
def test_what_a_tensor_operation_goes_on_with(body: str) -> None:
    assert copies(body) == [Confidence.LIKELY]

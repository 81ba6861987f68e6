"""What stays on the host where a CUDA graph is recorded, by small programs, each with the near miss beside it.

Which constants Inductor makes on the device was measured by compiling them (`benchmarks/cudagraphs/replay.py`).
"""

from __future__ import annotations

import pytest

from compilelint.events import Placed, Unrecorded
from tests.support.reveal import run

HEAD = '@torch.compile(mode="reduce-overhead")\ndef f(x: Tensor, mask, rows, cache, out):\n'


def hows(body: str, before: str = "") -> list[str]:
    """What is emitted of a function with that body, of graphs and of copies to the host."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    text = f"import random\nimport numpy as np\n{before}\n{HEAD}{lines}"
    found = (event for event in run(text) if isinstance(event, (Unrecorded, Placed)))
    return [event.how for event in found if isinstance(event, Unrecorded) or event.how == "to-host"]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param("w = torch.softmax(torch.tensor([1.0, 2.0]), 0)\nreturn x * w.to(x.device)", True, id="softmax"),
        pytest.param("k = torch.tensor([1.0, 2.0])\nreturn x * (k / k.sum()).to(x.device)", True, id="sum"),
        pytest.param("k = torch.tensor([[1.0, 2.0]])\nreturn x * (k @ k.T).to(x.device)", True, id="product"),
        pytest.param("return x[:, torch.arange(4).argsort().to(x.device)]", True, id="sorted"),
        pytest.param("return x * (torch.tensor([1.0, 2.0]) * 2).to(x.device)", False, id="one by one"),
        pytest.param("return x * torch.arange(4).cumsum(0).to(x.device)", False, id="a range is made there"),
        pytest.param("k = torch.tensor([1.0], device=x.device)\nreturn x * k.sum()", False, id="made there"),
    ],
)
def test_operations_on_constants(body: str, found: bool) -> None:
    assert ("host-work" in hows(body)) is found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param("return x * np.random.rand()", "number-between", id="NumPy"),
        pytest.param("lam = np.random.beta(1.0, 1.0)\nreturn lam * x", "number-between", id="a distribution"),
        pytest.param("return x * (1 + float(np.random.uniform(0.1, 0.2)))", "number-between", id="computed with"),
        pytest.param("return x * RNG.uniform(0.5, 2.0)", "number-between", id="a generator of its own"),
        pytest.param("return x.clamp(LOW, HIGH)", "host-number", id="an argument"),
        pytest.param("return x * TABLE[3]", "host-number", id="an item of a table"),
        pytest.param("return x * (1 - TABLE[3]) ** 0.5", "", id="computed of an item, which the kernel reads"),
        pytest.param("return x.clamp(0.0, 1.0)", "", id="Python numbers"),
        pytest.param("y = np.random.rand(4)\nreturn x + x.new_tensor(y)", "", id="an array"),
    ],
)
def test_numbers_on_the_host(body: str, found: str) -> None:
    before = (
        "RNG = random.Random(0)\nLOW, HIGH = torch.tensor(-1.0), torch.tensor(1.0)\nTABLE = torch.linspace(0, 1, 9)\n"
    )
    assert hows(body, before) == ([found] if found else [])


@pytest.mark.parametrize(
    ("body", "found"),
    [
        pytest.param("y = x + 1\ny[mask] = torch.zeros(4, device=x.device)\nreturn y", "mask-write", id="by its name"),
        pytest.param("y = x + 1\ny[rows > 0] = x.new_zeros(4)\nreturn y", "mask-write", id="compared"),
        pytest.param("y = x + 1\ny[rows] = torch.zeros(4, device=x.device)\nreturn y", "", id="rows"),
        pytest.param("y = x + 1\ny[mask] = 0.0\nreturn y", "", id="one number"),
        pytest.param("y = x + 1\ny[mask] += 1.0\nreturn y", "mask-write", id="rows that are taken out and put back"),
        pytest.param("y = x + 1\ny[mask] = x[mask]\nreturn y", "mask-write", id="rows of another"),
        pytest.param("return x[:, rows.cpu()]", "to-host", id="an index"),
        pytest.param('return {k: v.to("cpu") for k, v in cache.items()}', "to-host", id="items"),
        pytest.param("return x[:, rows.long()]", "", id="no copy"),
        pytest.param("cache.append(x * 2)\nreturn x", "kept-output", id="a list of the caller"),
        pytest.param("cache.append(x.detach())\nreturn x", "", id="an argument is put back"),
        pytest.param('cache["k"] = torch.cat([cache["k"], x])\nreturn x', "kept-output", id="an item read and stored"),
        pytest.param('cache["k"] = x * 2\nreturn x', "", id="an item that is only stored"),
        pytest.param('cache = cache.to(x.device)\ncache["k"] = x * 2\nreturn x', "", id="a dict of tensors is moved"),
        pytest.param("torch.add(x, 1, out=out)\nreturn x", "input-written", id="filled by `out=`"),
    ],
)
def test_bare_arguments_by_their_use(body: str, found: str) -> None:
    assert hows(body) == ([found] if found else [])


TABLE = """
class Steps:
    def __init__(self):
        self.table = torch.linspace(0, 1, 10)
        self.i = 0

    def halved(self, sigma):
        return sigma / 2, torch.sigmoid(sigma)

    @torch.compile(mode="reduce-overhead")
    def step(self, x: Tensor):
        half, soft = self.halved(self.table[self.i])
        return x * {used}
"""


@pytest.mark.parametrize(
    ("used", "expected"),
    [
        pytest.param("soft", ["host-number"], id="what is computed before it is copied"),
        pytest.param("half", [], id="what the kernel on the device computes"),
    ],
)
def test_items_of_a_table_on_the_host_are_followed_into_callees(used: str, expected: list[str]) -> None:
    found = [event.how for event in run(TABLE.format(used=used)) if isinstance(event, Unrecorded)]
    assert found == expected


def test_a_conversion_of_dtype_is_no_copy_to_the_host() -> None:
    assert (
        hows("scale = torch.sqrt(torch.tensor(x.size(-1), dtype=torch.float))\nreturn x / scale.to(dtype=x.dtype)")
        == []
    )

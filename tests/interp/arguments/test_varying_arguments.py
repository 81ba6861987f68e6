"""Arguments that decide which code runs: numbers, texts, what may be None, sizes; only where the caller is outside."""

from __future__ import annotations

import pytest

from compilelint.events import InputGuard
from tests.support.reveal import run

HEAD = "x: Tensor, n: int, s: str, m: Optional[Tensor] = None, k=3, t='a', v=None, flag: bool = False"


def guards(*lines: str, head: str = HEAD, before: str = "@torch.compile") -> list[tuple[str, str, str]]:
    """Kind, name and guard of what decides in a compiled function of these lines."""
    body = "\n    ".join(lines)
    text = f"{before}\ndef f({head}):\n    {body}\n    return x\n"
    found = [event for event in run(text) if isinstance(event, InputGuard)]
    return [(event.how, event.name, event.guard) for event in found]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        pytest.param("if n > 3: x = x + 1", ("number", "n", "n == ..."), id="a number, by its annotation"),
        pytest.param("if k > 3: x = x + 1", ("number", "k", "k == ..."), id="a number, by its default"),
        pytest.param("while n > 3: x = x + 1; break", ("number", "n", "n == ..."), id="a `while`"),
        pytest.param("for i in range(n): x = x + i", ("number", "n", "n == ..."), id="a count of rounds"),
        pytest.param("x = x + (1 if n > 3 else 2)", ("number", "n", "n == ..."), id="a conditional expression"),
        pytest.param("if 3 < n: x = x + 1", ("number", "n", "n == ..."), id="on the right side"),
        pytest.param("if n: x = x + 1", ("number", "n", "n == ..."), id="its truth"),
        pytest.param("if s == 'a': x = x + 1", ("text", "s", "s == ..."), id="a text, by its annotation"),
        pytest.param("if t == 'a': x = x + 1", ("text", "t", "t == ..."), id="a text, by its default"),
        pytest.param("if m is not None: x = x + m", ("optional", "m", "m is None"), id="a tensor that may be None"),
        pytest.param("if v is None: x = x + 1", ("optional", "v", "v is None"), id="None by default"),
    ],
)
def test_what_decides(line: str, found: tuple[str, str, str]) -> None:
    assert guards(line) == [found]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("x = x * n", id="arithmetic"),
        pytest.param("if n > 3: raise ValueError(n)", id="a check that only raises"),
        pytest.param("if flag: x = x + 1", id="a flag has two values"),
        pytest.param("n = 3\n    if n > 3: x = x + 1", id="a name that is bound again"),
        pytest.param("n = 3\n    for i in range(n): x = x + i", id="likewise in a loop"),
        pytest.param("for i in range(3): x = x + i", id="a constant count"),
        pytest.param("if m: x = x + 1", id="the truth of what may be None"),
        pytest.param("if m == 3: x = x + 1", id="the value of what may be None"),
        pytest.param("if n is None: x = x + 1", id="a number that is asked for None"),
        pytest.param("if x is None: x = 1", id="what is never None"),
    ],
)
def test_what_decides_nothing(line: str) -> None:
    assert [found for found in guards(line) if found[1] != ""] == []


def test_each_argument_is_reported_once() -> None:
    assert guards("if n > 3: x = x + 1", "if n > 4: x = x + 1") == [("number", "n", "n == ...")]


def test_a_forward_that_nothing_is_known_to_compile_is_no_boundary() -> None:
    text = "class M(nn.Module):\n    def forward(self, x: Tensor, n: int):\n        return x if n > 3 else -x\n"
    assert [event for event in run(text) if isinstance(event, InputGuard)] == []
    assert [event.name for event in run(text, ("all",)) if isinstance(event, InputGuard)] == ["n"]


@pytest.mark.parametrize(
    ("line", "count"),
    [
        pytest.param("if x.shape[0] > 4: x = x + 1", 1, id="a size"),
        pytest.param("if len(x) > 4: x = x + 1", 1, id="a length"),
        pytest.param("if x.shape[0] > 4: raise ValueError", 0, id="a check that only raises"),
        pytest.param("if x.dim() > 4: x = x + 1", 0, id="a rank is part of every guard"),
        pytest.param("if n > 4: x = x + 1", 0, id="no size"),
    ],
)
def test_a_branch_on_a_size(line: str, count: int) -> None:
    assert [how for how, _, _ in guards(line) if how == "size"] == ["size"] * count


MODEL = """
class GPT(torch.nn.Module):
    def forward(self, x, targets=None, scale=1):
        if targets is None:
            return x
        if scale > 1:
            return x * 2
        return x + targets

    def generate(self, x):
        return self(x)
"""


@pytest.mark.parametrize(
    ("calls", "found"),
    [
        pytest.param("model(x, y)", [], id="always passed"),
        pytest.param("model(x, targets=y)", [], id="by keyword"),
        pytest.param("model(x, y); model(y, x)", [], id="by every call"),
        pytest.param("model(x)", [], id="never passed"),
        pytest.param("model(x, y); net.generate(x)", [], id="eager calls of the model itself are none"),
        pytest.param("model(x, y); model.generate(x)", [], id="nor are those of its methods"),
        pytest.param("model(x, y, 2); model(x, y, 2)", [], id="one number"),
        pytest.param("model(x, y); model(x)", ["targets"], id="passed at times"),
        pytest.param("model(x, y); model(x, None)", ["targets"], id="None at times"),
        pytest.param("model(x, given)", ["targets"], id="what is passed is not known"),
        pytest.param("model(*given)", ["targets", "scale"], id="starred"),
        pytest.param("model(x, y, 2); model(x, y, 3)", ["scale"], id="two numbers"),
        pytest.param("model(x, y if given else None)", ["targets"], id="None in one of two cases"),
    ],
)
def test_of_a_function_whose_calls_are_all_seen_what_they_pass_decides(calls: str, found: list[str]) -> None:
    head = "def main(given):\n    net = GPT()\n    model = torch.compile(net)\n"
    body = f"{head}    x, y = torch.ones(2), torch.ones(2)\n    {calls}\n"
    events = run(MODEL + body)
    assert [one.name for one in events if isinstance(one, InputGuard) and one.how in ("optional", "number")] == found


def test_other_files_may_leave_out_what_this_one_leaves_out() -> None:
    head = f"{MODEL}\nx, y = torch.ones(2), torch.ones(2)\nmodel = torch.compile(GPT())\n"
    found = [
        [one.name for one in run(head + calls) if isinstance(one, InputGuard)]
        for calls in ("model(x)\n", "model(x, y)\n")
    ]
    assert found == [["targets", "scale"], ["scale"]]

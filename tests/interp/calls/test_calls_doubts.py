"""How sure a call leaves its caller: what a function promises that is not entered, and whose fault a doubt is."""

from __future__ import annotations

import pytest

from compilelint.events import Branch
from compilelint.model import Confidence
from compilelint.values import tensor_arm
from tests.support.reveal import Files, run

LIKELY = Confidence.LIKELY


def sure(files: Files) -> list[Confidence]:
    """How far each branch on a tensor is believed."""
    found = []
    for event in run(files):
        tensor = tensor_arm(event.condition) if isinstance(event, Branch) else None
        if tensor is not None:
            found.append(min(event.site.cap, tensor.confidence))
    return found


PROMISED = """
from lib import f

class M(nn.Module):
    def forward(self, x: Tensor):
        {}
        return x
"""
LIBRARY = """
@torch.compiler.disable
def f(x) -> Tensor:
    return x

@torch.compiler.disable
def pair(x) -> Tuple[Tensor, int]:
    return x, 1

@torch.compiler.disable
def silent(x):
    return x
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("y = f(x)", LIKELY, id="a tensor by its annotation"),
        pytest.param("y, _ = lib.pair(x)", LIKELY, id="an item of a tuple"),
    ],
)
def test_what_is_not_entered_returns_what_it_promises_at_most_likely(line: str, expected: Confidence) -> None:
    text = "import lib\n" + PROMISED.format(f"{line}\n        if y.sum() > 0:\n            x = x + 1")
    assert sure({"app.py": text, "lib.py": LIBRARY})[-1] == expected


def test_what_promises_nothing_is_unknown() -> None:
    text = "import lib\n" + PROMISED.format("if lib.silent(x) > 0:\n            x = x + 1")
    assert sure({"app.py": text, "lib.py": LIBRARY}) == []


TRAINER = """
class Trainer:
    def step(self, x: Tensor):
        return helper(x)

    def train(self, loader):
        for data in loader:
            self.step(data).backward()

def helper(x: Tensor):
    return x.sum().item()
"""


def doubted_for_its_class(text: str) -> list[bool]:
    """Whether each break is reached from a class that is not a module alone."""
    return [event.site.context.host_class for event in run(text) if event.breaks]


def test_what_only_a_trainer_reaches_is_marked_as_such() -> None:
    assert doubted_for_its_class(TRAINER.replace("x: Tensor):\n    return x.sum", "x):\n    return x.sum")) == [True]


def test_a_single_step_makes_no_trainer() -> None:
    text = TRAINER.replace("x: Tensor):\n    return x.sum", "x):\n    return x.sum")
    assert doubted_for_its_class(text.replace("for data in loader", "if data := loader")) == [False]


def test_a_class_is_no_trainer_for_being_no_module() -> None:
    text = TRAINER.replace("x: Tensor):\n    return x.sum", "x):\n    return x.sum").replace(".backward()", "")
    assert doubted_for_its_class(text) == [False]


def test_a_function_that_a_module_reaches_too_is_not_doubted_for_a_trainer() -> None:
    reached = TRAINER + "class M(nn.Module):\n    def forward(self, x: Tensor):\n        return helper(x)\n"
    assert doubted_for_its_class(reached) == [False]


HELPER = """
def read(x):
    return x.sum().item()

class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.off = False

    def forward(self, x: Tensor, k: int):
        {}
        return x
"""


@pytest.mark.parametrize(
    ("lines", "caps"),
    [
        pytest.param(("if self.off:", "    read(x)", "read(x)"), ["possible", "certain"], id="doubted, then sure"),
        pytest.param(("read(x)", "if self.off:", "    read(x)"), ["certain", "possible"], id="sure, then doubted"),
        pytest.param(("if k:", "    read(x)", "    raise ValueError"), ["possible"], id="before an error"),
        pytest.param(("if k:", "    read(x)"), ["certain"], id="behind a test"),
    ],
)
def test_a_doubt_of_one_call_is_not_that_of_another(lines: tuple[str, ...], caps: list[str]) -> None:
    """What was found out about a function under a doubt is no answer for callers that have none, nor the reverse."""
    text = HELPER.format("\n        ".join(lines))
    found = [event.site.cap.label for event in run(text) if event.breaks and not event.site.after_skip]
    assert sorted(set(found)) == sorted(set(caps))


@pytest.mark.parametrize("decorator", ["torch.compiler.disable", "torch._dynamo.disable(recursive=True)"])
def test_what_is_disabled_ends_the_graph_and_is_not_entered(decorator: str) -> None:
    text = f"@{decorator}\ndef f(x):\n    print(x)\n    return x\n@torch.compile\ndef g(x):\n    return f(x)\n"
    found = [event.site.context.function for event in run(text) if event.breaks]
    assert found == ["g"]


@pytest.mark.parametrize(
    "decorator", ["torch.compiler.allow_in_graph", "torch.library.custom_op('a::b', mutates_args=())"]
)
def test_what_becomes_one_operation_is_not_entered_and_ends_nothing(decorator: str) -> None:
    text = f"@{decorator}\ndef f(x):\n    print(x)\n    return x\n@torch.compile\ndef g(x):\n    return f(x)\n"
    assert [event for event in run(text) if event.breaks] == []


@pytest.mark.parametrize("decorator", ["torch.jit.ignore", "torch.jit.unused", "functools.lru_cache"])
def test_what_only_looks_opaque_is_entered(decorator: str) -> None:
    text = f"@{decorator}\ndef f(x):\n    print(x)\n    return x\n@torch.compile\ndef g(x):\n    return f(x)\n"
    assert "f" in [event.site.context.function for event in run(text) if event.breaks]


def test_a_function_handed_to_unknown_code_is_called_by_it() -> None:
    text = "@torch.compile\ndef g(x, run):\n    def inner(y):\n        print(y)\n        return y\n    return run({})\n"
    called = run(text.format("inner"), ("explicit",))
    assert [event.site.context.function for event in called if event.breaks] == ["g.<locals>.inner"]


@pytest.mark.parametrize(
    ("method", "found"),
    [
        pytest.param("forward", ["C.forward"], id="a module by its forward"),
        pytest.param("__call__", ["C.__call__"], id="unless it has a call of its own"),
        pytest.param("other", [], id="any other method is not run"),
    ],
)
def test_calling_a_module(method: str, found: list[str]) -> None:
    text = (
        f"class C(nn.Module):\n    def {method}(self, x):\n        print(x)\n        return x\n"
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.c = C()\n"
        "    def forward(self, x):\n        return self.c(x)\nfast = torch.compile(M())\n"
    )
    assert [event.site.context.function for event in run(text, ("explicit",)) if event.breaks] == found

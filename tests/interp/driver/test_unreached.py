"""Which functions are started although nothing compiles or reaches them: those that model code would call.

Each case says why a function is a guess worth making, or why it belongs to the host.
"""

from __future__ import annotations

import pytest

from compilelint.interp import Interpreter, roots_of
from tests.support.reveal import Files, facts, program_of, sources


def started(files: Files) -> list[str]:
    """The functions that are started as a guess, in the order of the files."""
    program, modules = program_of(sources(files))
    found = roots_of(Interpreter(program, facts(), lambda event: None), modules, ("auto",)).rest
    return [root.name for root in found if root.kind == "unreached"]


def function(*lines: str, head: str = "def f(x: Tensor):", before: str = "") -> str:
    """A function of these lines."""
    return f"{before}\n{head}\n    " + "\n    ".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(function("return x + 1"), id="annotated with a tensor"),
        pytest.param(function("return x.unsqueeze(0)", head="def f(x):"), id="used as a tensor"),
        pytest.param(function("return x.float()"), id="float() of a tensor is a cast"),
        pytest.param(function("return loads(x)", before="def loads(y): return y"), id="loads is not load"),
        pytest.param(function("return x * float(os.environ['SCALE'])", before="import os"), id="reads the environment"),
        pytest.param(function("return save(x)", before="def save(y): return y"), id="a save of its own"),
        pytest.param(function("return x.sum(), x.mean()"), id="a pair of tensors"),
        pytest.param(function("return x + 1", head="def f(x: Tensor) -> Tensor:"), id="promises a tensor"),
        pytest.param(
            function("return blur(x)", before="import cv2\ndef blur(x: Tensor):\n    return cv2.blur(x) + 1"),
            id="calls what computes on the host",
        ),
        pytest.param(function("return x.sum().item()"), id="hands a number back"),
        pytest.param(function("return float(x.sum())"), id="hands a float back"),
        pytest.param(function("return x, x.sum().item()"), id="hands a tensor and a number back"),
        pytest.param(function("return g(x)", head="def f(x: Tensor) -> float:"), id="promises a number"),
        pytest.param(function("x.sum().backward()", "return x"), id="trains for one step"),
        pytest.param(
            function("for _ in range(3):", "    g(x).backward()", "return x"), id="an attack, which takes several steps"
        ),
        pytest.param(function("x.sum().backward()", "return x.sum().item()"), id="a step that hands its loss back"),
        pytest.param(
            function("step(x)", "return x", before="def step(x: Tensor):\n    x.sum().backward()"), id="calls a step"
        ),
    ],
)
def test_a_function_that_tensors_go_through_is_started(text: str) -> None:
    assert "f" in started(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(function("return n + 1", head="def f(n: int):"), id="no tensor goes in"),
        pytest.param(function("return x.cpu().numpy()"), id="hands an array back"),
        pytest.param(function("return float(x.detach().cpu().item())"), id="only converts to a number"),
        pytest.param(function("return x.numpy(), x.sum().item()"), id="hands an array and a number back"),
        pytest.param(function("return str(x.sum().item())"), id="hands a text back"),
        pytest.param(function("return g(x)", head="def f(x: Tensor) -> str:"), id="promises a text"),
        pytest.param(
            function("torch.save(x, 'x.pt')", "return x.sum().item()"), id="writes a file, hands a number back"
        ),
        pytest.param(
            function("for y in data:", "    g(x, y).backward()", "return x", head="def f(x: Tensor, data):"),
            id="trains on data",
        ),
        pytest.param(
            function(
                "for _ in range(3):", "    for y in data:", "        g(x, y).backward()", head="def f(x: Tensor, data):"
            ),
            id="trains on data for several epochs",
        ),
        pytest.param(
            function("x.sum().backward()", "torch.save(x, 'x.pt')", "return x"),
            id="trains for one step and writes a file",
        ),
        pytest.param(
            function(
                "for y in loader:",
                "    step(y)",
                "return x",
                head="def f(x: Tensor, loader):",
                before="def step(x: Tensor):\n    x.sum().backward()",
            ),
            id="calls a step for each batch",
        ),
        pytest.param(
            function(
                "epoch(x)",
                "return x",
                before="def step(x: Tensor):\n    x.sum().backward()\n"
                "def epoch(xs):\n    for y in xs:\n        step(y)",
            ),
            id="calls what calls a step for each batch",
        ),
        pytest.param(function("torch.save(x, 'x.pt')", "return x"), id="writes a file"),
        pytest.param(function("open('x').write(str(x.shape))", "return x"), id="opens a file"),
        pytest.param(function("nn.init.zeros_(x)", "return x"), id="initialises parameters"),
        pytest.param(function("plt.plot(x)", "return x", before="import matplotlib.pyplot as plt"), id="draws"),
        pytest.param(function("def g():", "    return open('x')", "return x + 1"), id="a nested function opens a file"),
        pytest.param(function("torch.set_rng_state(state)", "return x + 1"), id="sets the random state"),
        pytest.param(
            function(
                "for p in m.parameters():", "    p.requires_grad_(False)", "return x + 1", head="def f(m, x: Tensor):"
            ),
            id="freezes a model",
        ),
        pytest.param(
            function("read(x)", "return x + 1", before="def read(x):\n    return open('x').read()"),
            id="calls what reads",
        ),
    ],
)
def test_a_function_that_works_on_the_host_is_not(text: str) -> None:
    assert "f" not in started(text)


HELPER = "def helper(x: Tensor):\n    return x.unsqueeze(0)\n"
HOST = "def evaluate(x: Tensor):\n    return helper(x).numpy()\n"
MODEL = "def block(x: Tensor):\n    return helper(x) + 1\n"


def test_what_only_host_code_calls_belongs_to_it() -> None:
    assert started(HELPER + HOST) == []


def test_what_model_code_calls_as_well_does_not() -> None:
    assert started(HELPER + HOST + MODEL) == ["helper", "block"]


def test_neither_does_a_function_that_changes_what_both_hand_it() -> None:
    helper = "def helper(x: Tensor):\n    x.unsqueeze_(0)\n"
    host = "def evaluate(x: Tensor):\n    helper(x)\n    return x.numpy()\n"
    model = "def block(x: Tensor):\n    helper(x)\n    return x + 1\n"
    assert started(helper + host) == []
    assert started(helper + host + model) == ["helper", "block"]


def test_what_nothing_calls_does_not() -> None:
    assert started(HELPER) == ["helper"]


def test_a_function_that_calls_itself_has_no_caller_by_that() -> None:
    again = "def helper(x: Tensor):\n    return helper(x.unsqueeze(0))\n"
    assert started(again) == ["helper"]
    assert started(again + HOST) == []


def chain(length: int) -> str:
    """`f1` is called by `f2`, ..., and the last of them by host code."""
    links = [f"def f{n}(x: Tensor):\n    return x + f{n - 1}(x)\n" for n in range(2, length + 1)]
    first = "def f1(x: Tensor):\n    return x.unsqueeze(0)\n"
    return first + "".join(links) + f"def evaluate(x: Tensor):\n    return f{length}(x).numpy()\n"


def test_callers_are_followed_three_calls_up() -> None:
    assert started(chain(3)) == []
    assert started(chain(4)) == ["f1"]


@pytest.mark.parametrize("hook", ["collate_fn", "worker_init_fn", "target_transform"])
def test_a_hook_of_a_data_loader_is_host_code(hook: str) -> None:
    text = function("return x.unsqueeze(0)", head="def f(x):")
    assert started(text) == ["f"]
    assert started(f"{text}\nloader = DataLoader(data, {hook}=f)") == []
    assert started(f"{text}\ndef load(data):\n    return DataLoader(data, {hook}=f)") == []


@pytest.mark.parametrize(
    ("path", "found"),
    [
        pytest.param("app.py", ["f"], id="any file"),
        pytest.param("test_app.py", [], id="test_*.py"),
        pytest.param("app_test.py", [], id="*_test.py"),
        pytest.param("conftest.py", [], id="conftest.py"),
        pytest.param("tests/app.py", [], id="in a folder of tests"),
        pytest.param("contests/app.py", ["f"], id="in a folder whose name only ends so"),
    ],
)
def test_a_test_is_host_code(path: str, found: list[str]) -> None:
    assert started({path: function("return x + 1")}) == found


def method(*lines: str, base: str = "", name: str = "f") -> str:
    """A method of a class."""
    body = "\n        ".join(lines)
    return f"class C({base}):\n    def {name}(self, x: Tensor):\n        {body}\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(method("return x + 1"), ["C.f"], id="of any class"),
        pytest.param(method("return x + 1", name="__call__"), ["C.__call__"], id="__call__"),
        pytest.param(method("return x + 1", name="__add__"), [], id="another special method"),
        pytest.param(method("return x + 1", base="torch.utils.data.Dataset"), [], id="of a data set"),
        pytest.param(method("return x + 1", base="lightning.Callback"), [], id="of a callback"),
        pytest.param(method("return x.item()", base="lightning.Callback"), [], id="of a callback, hands a number back"),
        pytest.param(method("return x + 1", base="transformers.Trainer"), [], id="of a library's trainer"),
        pytest.param(method("return x + 1", base="DataCollatorMixin"), [], id="of a collator"),
        pytest.param(method("self.x = x"), [], id="prepares its object"),
        pytest.param(method("self.x = x", "return None"), [], id="prepares its object and returns None"),
        pytest.param(method("self.x = x", "return x + 1"), ["C.f"], id="stores and returns"),
        pytest.param(method("self.x[x] = 1"), ["C.f"], id="writes into what it holds"),
        pytest.param(method("self.x = x", base="nn.Module"), ["C.f"], id="a module may store"),
        pytest.param(
            "class C:\n    x: Tensor\n    def f(self):\n        return self.x.sum()\n", ["C.f"], id="holds its tensor"
        ),
        pytest.param("class C:\n    x: int\n    def f(self):\n        return self.x.sum()\n", [], id="holds none"),
    ],
)
def test_a_method_is_judged_by_its_class_too(text: str, found: list[str]) -> None:
    assert started(text) == found

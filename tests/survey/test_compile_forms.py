"""What compiles what it is called with, in every form; and what only looks like it."""

from __future__ import annotations

import textwrap

import pytest

from compilelint.events import Around
from tests.support.survey_events import NET, events_of


def around(text: str) -> list[tuple[str, str, str]]:
    """How, of which name, and what, of everything that is reported around compiled calls."""
    events = events_of(textwrap.dedent(text))
    return [(event.how, event.name, event.detail) for event in events if isinstance(event, Around)]


def looped(*lines: str, head: str = "", called: str = "fast") -> list[tuple[str, str, str]]:
    """The same of a loop around `fast(x)`, whose result is read, behind these lines of a function."""
    body = textwrap.indent("\n".join((*lines, "for x in data:", f"    total += {called}(x).item()")), "    ")
    return around(f"import functools\nfrom functools import partial\n{head}\ndef main(model, data, f):\n{body}\n")


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(
            ("fast = functools.partial(torch.compile, mode='reduce-overhead')(model)",), id="partial in place"
        ),
        pytest.param(("speed = partial(torch.compile, dynamic=True)", "fast = speed(model)"), id="partial by name"),
        pytest.param(("a = partial(torch.compile, mode='x')", "b = partial(a)", "fast = b(f)"), id="of a partial"),
        pytest.param(("fast = torch.compile(fullgraph=True)(model)",), id="asked without a model"),
        pytest.param(("fast = torch._dynamo.optimize('eager')(model)",), id="optimize"),
        pytest.param(("@torch.compile", "def fast(x):", "    return x"), id="decorated"),
        pytest.param(("@torch.compile(mode='max-autotune')", "def fast(x):", "    return x"), id="decorated, asked"),
        pytest.param(
            ("@functools.partial(torch.compile, mode='x')", "def fast(x):", "    return x"), id="decorated by partial"
        ),
        pytest.param(
            ("speed = partial(torch.compile, mode='x')", "@speed", "@torch.no_grad()", "def fast(x):", "    return x"),
            id="decorated by a name",
        ),
    ],
)
def test_what_compiles(lines: tuple[str, ...]) -> None:
    assert looped(*lines) == [("read", "fast", "....item()")]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("fast = partial(torch.no_grad, mode='x')(model)",), id="a partial of something else"),
        pytest.param(
            ("speed = partial(torch.compile, f)", "fast = speed(model)"), id="its function is compiled, later"
        ),
        pytest.param(("fast = partial(torch.compile, mode='x')",), id="called once it compiles, and runs nothing"),
        pytest.param(("fast = partial(torch.compile, disable=True)(model)",), id="disabled"),
        pytest.param(("fast = torch._dynamo.optimize('eager')",), id="a decorator"),
        pytest.param(("@torch.compile(disable=True)", "def fast(x):", "    return x"), id="decorated and disabled"),
        pytest.param(("@torch.compiler.disable", "def fast(x):", "    return x"), id="disable"),
        pytest.param(("@torch.compile", "def fast(x):", "    return x", "fast = f"), id="bound again"),
        pytest.param(
            ("speed = partial(torch.compile, mode='x')", "speed = f", "fast = speed(model)"), id="the partial replaced"
        ),
    ],
)
def test_what_does_not_compile(lines: tuple[str, ...]) -> None:
    assert looped(*lines) == []


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("net = Net()", "net.compile()"), id="of a class of the program"),
        pytest.param(("net = model.cuda()", "net.compile(dynamic=False)"), id="unknown, asked as torch does"),
        pytest.param(("net = model", "net.compile()"), id="unknown, in a file that imports torch"),
        pytest.param(("net = Net()", "if f:", "    net.compile()"), id="behind a test"),
    ],
)
def test_a_model_compiled_in_place(lines: tuple[str, ...]) -> None:
    assert looped(*lines, head=NET, called="net") == [("read", "net", "....item()")]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("net = Net()", "net.compile(disable=True)"), id="disabled"),
        pytest.param(("net = nn.Linear(4, 4)", "net.compile()"), id="a bare layer, which may not be compiled (CL806)"),
        pytest.param(("net = Net()", "net.compile()", "net = Net()"), id="replaced"),
        pytest.param(("net = Net()", "other = Net()", "other.compile()"), id="another model"),
        pytest.param(("net = Grammar()", "net.compile()"), id="a class that is no module"),
        pytest.param(("net = re.compile('x')",), id="a pattern"),
        pytest.param(("net = keras.Sequential()", "net.compile()"), id="a model of another library"),
        pytest.param(("net = model", "net.compile(optimizer='adam')"), id="keywords of another library"),
    ],
)
def test_a_compile_that_is_not_of_torch(lines: tuple[str, ...]) -> None:
    head = f"import re, keras\n{NET}\nclass Grammar:\n    pass\n"
    assert looped(*lines, head=head, called="net") == []


def test_a_model_compiled_in_place_at_the_top_is_seen_in_functions() -> None:
    text = """
    class Net(nn.Module):
        pass

    model = Net()
    model.compile()

    def train(data):
        for x in data:
            total += model(x).sum().item()
    """
    assert around(text) == [("read", "model", "....item()")]
    assert around(text.replace("    model.compile()\n", "    model.compile()\n    model = model.eval()\n")) == []


def test_an_attribute_compiled_in_place_is_seen_in_other_methods_of_the_class() -> None:
    text = """
    class Trainer:
        def __init__(self, model):
            self.model = model
            self.model.compile(mode="reduce-overhead")

        def fit(self, data):
            for x in data:
                loss = self.model(x)
                self.log(loss.item())

    class Other:
        def fit(self, data):
            for x in data:
                self.log(self.model(x).item())
    """
    assert around(text) == [("read", "self.model", "loss.item()")]
    assert around(text.replace("self.log(loss", "self.send(loss")) == []  # it may need the number at once

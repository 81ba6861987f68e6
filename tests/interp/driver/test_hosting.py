"""Which code is run as a host, and in which order: callers first, since they know the arguments."""

from __future__ import annotations

import pytest

from compilelint.interp import Interpreter, roots_of
from tests.support.reveal import Files, facts, program_of, run, sources

F = "def f(x, mask):\n    if mask:\n        return x\n    return -x\n"
CALL = "def call(mask=None):\n    torch.compile(f)(torch.randn(3), mask)\n"


def branches(text: str) -> int:
    """How often compiled code branches on a tensor."""
    return len([event for event in run(text, ("explicit",)) if event.breaks])


def compiled(files: Files) -> list[str]:
    """What compile calls compile."""
    program, modules = program_of(sources(files))
    return [
        root.name
        for root in roots_of(Interpreter(program, facts(), lambda event: None), modules, ("explicit",)).first
        if root.kind == "explicit"
    ]


def test_a_function_that_a_host_calls_is_not_run_for_itself_too() -> None:
    """By itself it would pass whatever its parameter may be, a tensor by its name among it."""
    main = "def main():\n    call(True)\n"
    assert branches(F + CALL) == 1
    assert branches(F + CALL + main) == 0
    assert branches(F + main + CALL) == 0


def test_of_hosts_in_a_row_the_first_brings_the_arguments() -> None:
    chain = "def outer(mask=None):\n    call(mask)\ndef main():\n    outer(True)\n"
    assert branches(F + CALL + chain) == 0


NET = "class Net(nn.Module):\n    def forward(self, x): return x\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(NET + "torch.compile(Net())", id="at module level"),
        pytest.param(NET + "def main():\n    torch.compile(Net())", id="in a function that nothing calls"),
        pytest.param(NET + "def main():\n    def inner():\n        torch.compile(Net())", id="in an inner function"),
        pytest.param(NET + "class T:\n    def go(self):\n        torch.compile(Net())", id="in a method"),
        pytest.param(
            NET + "class T:\n    @classmethod\n    def go(cls):\n        torch.compile(Net())", id="classmethod"
        ),
        pytest.param(
            NET + "class T:\n    @staticmethod\n    def go():\n        torch.compile(Net())", id="staticmethod"
        ),
        pytest.param(
            NET + "def main():\n    class T:\n        def go(self):\n            torch.compile(Net())\n    T",
            id="in a method of a class of a function",
        ),
        pytest.param(
            NET + "def fast(m):\n    return torch.compile(m)\ndef main():\n    fast(Net())", id="a caller of a wrapper"
        ),
        pytest.param(
            NET + "tc = torch.compile\ndef fast(m):\n    return tc(m)\ndef more(m):\n    return fast(m)\n"
            "def main():\n    more(Net())",
            id="callers of callers, by another name",
        ),
        pytest.param(
            NET + "class T:\n    def __init__(self, m):\n        self.m = torch.compile(m)\ndef main():\n    T(Net())",
            id="the maker of an object whose constructor compiles",
        ),
    ],
)
def test_a_host_is_found_wherever_it_stands(text: str) -> None:
    assert compiled(text) == ["Net.forward"]


@pytest.mark.parametrize(
    "app",
    [
        pytest.param("from lib import fast\ndef main():\n    fast(Net())", id="a name"),
        pytest.param("from lib import fast as quick\ndef main():\n    quick(Net())", id="another name"),
        pytest.param("import lib\ndef main():\n    lib.fast(Net())", id="through its module"),
        pytest.param(
            "from lib import Engine\ndef main():\n    Engine().attach(Net())", id="a class with such a method"
        ),
    ],
)
def test_a_name_of_another_file_leads_there(app: str) -> None:
    lib = "def fast(m):\n    return torch.compile(m)\nclass Engine:\n    def attach(self, m):\n        return fast(m)\n"
    assert compiled({"lib.py": lib, "app.py": NET + app}) == ["Net.forward"]


def test_a_file_in_a_package_leads_there_too() -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/lib.py": "def fast(m):\n    return torch.compile(m)\n",
        "app.py": NET + "from pkg import lib\ndef main():\n    lib.fast(Net())",
    }
    assert compiled(files) == ["Net.forward"]


def test_an_object_keeps_what_its_constructor_was_given() -> None:
    text = (
        "class Wrapper(nn.Module):\n    def __init__(self, inner):\n        super().__init__()\n"
        "        self.inner = inner\n{}    def forward(self, x):\n        return self.inner(x)\n"
        "class Loud(nn.Module):\n    def forward(self, x):\n        print(x)\n        return x\n"
        "def main():\n    torch.compile(Wrapper(Loud()))\n"
    )
    swap = "    def swap(self, other):\n        self.inner = other\n"
    assert branches(text.format("")) == 1
    assert branches(text.format(swap)) == 0  # what another method stores may lie there instead


MODEL = "class Net(nn.Module):\n    _can_compile_fullgraph = True\n    def forward(self, x):\n        return x\n"


def hosted(text: str) -> bool:
    """Whether a module is run as a host, if its text alone is reason to look."""
    program, modules = program_of(sources(text))
    interpreter = Interpreter(program, facts(), lambda event: None)
    roots_of(interpreter, modules, ("auto",), hosting=modules)
    return "app" in interpreter.hosts.modules


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(MODEL + "net = torch.compile(Net())", id="a call"),
        pytest.param(MODEL + "from torch import compile as faster", id="an import under another name"),
        pytest.param(MODEL + "net = getattr(torch, 'compile')(Net())", id="by its text"),
        pytest.param(
            "class Net(nn.Module):\n    @torch.compile\n    def forward(self, x):\n        return x", id="inside"
        ),
        pytest.param("def fit(trainer):\n    trainer(torch_compile=True)", id="a switch of a framework"),
    ],
)
def test_code_with_a_word_for_compiling_is_run(text: str) -> None:
    assert hosted(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(MODEL, id="in a longer name"),
        pytest.param(MODEL + "# torch.compile makes it faster", id="in a comment"),
        pytest.param('"""How to torch.compile it."""\n' + MODEL, id="in a text about it"),
    ],
)
def test_code_without_one_is_not(text: str) -> None:
    assert not hosted(text)

"""The models of a project: which module classes are the outermost, and what each asks of who makes and calls it."""

from __future__ import annotations

import pytest

from compilelint.survey.top_models import Model, models
from tests.support.reveal import Files, program_of, sources


def found(files: Files) -> list[Model]:
    """The models of a program, in order."""
    return models(*program_of(sources(files)))


def names(files: Files) -> list[str]:
    """Their names alone."""
    return [one.reference for one in found(files)]


NET = "class Net(nn.Module):\n    def forward(self, x): return x\n"
BLOCK = "class Block(nn.Module):\n    def forward(self, x): return x\n"


def test_a_module_class_is_a_model_with_its_place_and_arguments() -> None:
    text = (
        "class Net(nn.Module):\n    def __init__(self, width, depth=3, *more, name, **rest):\n        pass\n"
        "    def forward(self, x, mask=None): return x\n"
    )
    assert found(text) == [Model("app:Net", "app.py", 2, ("width", "name"), ("x",))]


def test_a_module_without_a_constructor_asks_for_nothing() -> None:
    (net,) = found(NET)
    assert (net.required, net.inputs) == ((), ("x",))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        pytest.param(
            BLOCK + "class Net(nn.Module):\n    def __init__(self):\n        self.b = Block()\n"
            "    def forward(self, x): return self.b(x)\n",
            ["app:Net"],
            id="what another one is built from",
        ),
        pytest.param(
            BLOCK + "class Net(nn.Module):\n    def __init__(self):\n"
            "        self.b = nn.ModuleList([Block() for _ in range(3)])\n    def forward(self, x): return x\n",
            ["app:Net"],
            id="what another one holds a list of",
        ),
        pytest.param(
            BLOCK + "def build():\n    return Block()\n", ["app:Block"], id="what a function makes is outermost"
        ),
        pytest.param(
            BLOCK + "def build():\n    return Block()\n"
            "class Net(nn.Module):\n    def __init__(self):\n        self.b = build()\n"
            "    def forward(self, x): return x\n",
            ["app:Net"],
            id="what a function makes for another one",
        ),
        pytest.param(
            NET + "class Wide(Net):\n    def forward(self, x): return x\nnet = Net()\n",
            ["app:Net", "app:Wide"],
            id="a base that is made itself",
        ),
        pytest.param(
            BLOCK + NET + "def small():\n    return Net(Block)\n", ["app:Net"], id="a class that another one is given"
        ),
        pytest.param(
            BLOCK + NET.replace("def forward", "def __init__(self, block=Block): pass\n    def forward"),
            ["app:Net"],
            id="the default of a parameter of another one",
        ),
        pytest.param(BLOCK + "def train(cls): ...\ntrain(Block)\n", ["app:Block"], id="a function is given it"),
        pytest.param(NET + "    def copy(self): return Net()\n", ["app:Net"], id="what makes a copy of itself"),
        pytest.param(NET + "class Wide(Net):\n    pass\n", ["app:Wide"], id="the base of another one"),
        pytest.param("class Base(nn.Module):\n    def other(self): ...\n", [], id="no forward"),
        pytest.param(
            BLOCK + "class Agent(nn.Module):\n    def __init__(self):\n        self.b = Block()\n"
            "    def act(self, x): return self.b(x)\n",
            ["app:Block"],
            id="what holds models and has no forward",
        ),
        pytest.param(
            BLOCK + "class Base(nn.Module):\n    def forward(self, x): return self.b(x)\n"
            "class Net(Base):\n    def __init__(self):\n        self.b = Block()\n",
            ["app:Net"],
            id="what has the forward of its base",
        ),
        pytest.param(
            BLOCK + "class Agent(nn.Module):\n    def __init__(self, block): self.b = block()\n"
            "def make(): return Agent(Block)\n",
            ["app:Block"],
            id="a class that a holder is given",
        ),
        pytest.param("class Net:\n    def forward(self, x): return x\n", [], id="no module"),
        pytest.param(NET.replace("Net", "_Net"), [], id="a private name"),
        pytest.param(BLOCK + NET, ["app:Block", "app:Net"], id="two that do not know each other"),
    ],
)
def test_only_the_outermost_are_models(text: str, left: list[str]) -> None:
    assert names(text) == left


def test_models_of_several_files_come_in_their_order() -> None:
    lib = BLOCK + NET.replace("Net", "Other")
    app = "from lib import Block\nclass Net(nn.Module):\n    def __init__(self):\n        self.b = Block()\n"
    app += "    def forward(self, x): return self.b(x)\n"
    assert names({"lib.py": lib, "app.py": app}) == ["lib:Other", "app:Net"]

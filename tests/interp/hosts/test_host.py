"""What a compiled method knows of its object: what the host that made the object gave it."""

from __future__ import annotations

import pytest

from compilelint.events import DynamoConfig
from compilelint.interp.core.args import Args
from compilelint.interp.core.compile_calls import Met
from compilelint.values import NONE, TRUE, Scalar
from tests.interp.driver.test_hosting_spellings import broken, marked
from tests.support.reveal import program_of

STEP = """\
class Step:
    def __init__(self, model, scale=2):
        self.model = model
        self.scale = scale
        {compiled}

    def step(self, x):
        y = self.model(x)
        if y.max() > 1:{mark}
            y = y / self.scale
        return y

"""
IN_THE_CONSTRUCTOR = STEP.format(compiled="self.run = torch.compile(self.step)", mark="  # break")
LATER = STEP.format(compiled="self.run = None", mark="  # break")
EAGER = STEP.format(compiled="self.run = self.step", mark="")

PROGRAMS = {
    "a layer of torch": IN_THE_CONSTRUCTOR + "s = Step(nn.Linear(4, 4))\ns.run(torch.randn(4))",
    "layers in a row": IN_THE_CONSTRUCTOR + "s = Step(nn.Sequential(nn.Linear(4, 4)))\ns.run(torch.randn(4))",
    "a module of the program": IN_THE_CONSTRUCTOR
    + "class Net(nn.Module):\n    def forward(self, x):\n        print(x)  # break\n        return x\n"
    + "def main():\n    s = Step(Net())\n    s.run(torch.randn(4))",
    "what a function builds": IN_THE_CONSTRUCTOR
    + "def build():\n    return torch.compile(nn.Linear(4, 4))\ns = Step(build())\ns.run(torch.randn(4))",
    "compiled behind the constructor": LATER
    + "def main():\n    s = Step(nn.Linear(4, 4))\n    s.run = torch.compile(s.step)\n    s.run(torch.randn(4))",
    "compiled by a method of it": LATER.replace(
        "def step", "def prepare(self):\n        self.run = torch.compile(self.step)\n\n    def step"
    )
    + "s = Step(nn.Linear(4, 4))\ns.prepare()\ns.run(torch.randn(4))",
    "an object that holds the object": IN_THE_CONSTRUCTOR
    + "class Loop:\n    def __init__(self, step):\n        self.step = step\n"
    + "loop = Loop(Step(nn.Linear(4, 4)))\nloop.step.run(torch.randn(4))",
    "only one of two constructions gives a layer": IN_THE_CONSTRUCTOR
    + "a, b = Step(None), Step(nn.Linear(4, 4))\nb.run(torch.randn(4))",
    "the object itself": LATER.replace("def step", "def __call__")
    + "s = torch.compile(Step(nn.Linear(4, 4)))\ns(torch.randn(4))",
}
SILENT = {
    "never compiled": EAGER + "s = Step(nn.Linear(4, 4))\ns.run(torch.randn(4))",
    "a function that returns a size": IN_THE_CONSTRUCTOR.replace("y.max() > 1:  # break", "y > 1:")
    + "s = Step(lambda x: x.shape[0])\ns.run(torch.randn(4))",
    "another method stores another model": IN_THE_CONSTRUCTOR.replace("  # break", "").replace(
        "def step", "def swap(self, other):\n        self.model = other\n\n    def step"
    )
    + "s = Step(nn.Linear(4, 4))\ns.run(torch.randn(4))",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_a_compiled_method_knows_what_its_object_was_given(program: str) -> None:
    assert broken(program) == marked(program) != []


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT.keys())
def test_nothing_is_believed_of_what_is_not_given_or_may_be_replaced(program: str) -> None:
    assert broken(program) == []


def test_calls_of_either_of_two_objects_that_look_the_same_are_calls_of_both() -> None:
    _, (module,) = program_of({"app.py": "import torch"})
    met = Met(module, 0, "torch.compile")
    config = DynamoConfig()
    targets = []
    for _ in range(2):
        target = met.put(Scalar("int"), config)  # under construction
        assert target is not None
        met.replace(target, Scalar("str"))  # finished
        target.called(Args([TRUE]))
        targets.append(target)
    first, second = targets
    second.called(Args([NONE]))
    assert list(met.targets.values()) == [first]
    assert [args.positional for args in first.calls] == [[TRUE], [TRUE], [NONE]]

"""Which module classes hold parameters, by their source; and the layers of torch that do not, held against torch."""

from __future__ import annotations

import inspect

import pytest

from compilelint.project.roots import classes_of
from compilelint.survey.weights import WITHOUT, Weights, compiles_itself
from tests.support.survey_events import program_of

_CLASS = """
class Loss(nn.Module):
    def __init__(self, net=None, width=3, mse=nn.MSELoss()):
        {}
{}"""
_FORWARD = "    def forward(self, x):\n        return {}"


def is_learning(init: str, forward: str = "x", before: str = "") -> bool:
    """Whether the class of this constructor has something to learn."""
    program, modules = program_of(f"{before}\n" + _CLASS.format(init, _FORWARD.format(forward)))
    found = {one.node.name: one for one in classes_of(program, modules[0])}
    return Weights(program).learns(found["Loss"])


BLOCK = "class Block(nn.Module):\n    def __init__(self):\n        self.a = {}\n    def forward(self, x): return x"


@pytest.mark.parametrize(
    ("init", "forward", "before"),
    [
        pytest.param("self.mse = nn.MSELoss()", "self.mse(x)", "", id="a loss of torch"),
        pytest.param("self.all = {}; self.all['a'] = nn.L1Loss()", "self.all['a'](x)", "", id="a table of them"),
        pytest.param("self.width = width", "x * self.width", "", id="a number"),
        pytest.param("self.loss = mse", "self.loss(x)", "", id="what is a loss by default"),
        pytest.param("self.register_buffer('w', torch.hann_window(4))", "x * self.w", "", id="a buffer"),
        pytest.param("self.a = Block()", "self.a(x)", BLOCK.format("nn.ReLU()"), id="a module without any"),
        pytest.param("self.act = nn.Sequential(nn.ReLU(), nn.Dropout2d())", "self.act(x)", "", id="activations"),
    ],
)
def test_a_module_without_weights(init: str, forward: str, before: str) -> None:
    assert not is_learning(init, forward, before)


@pytest.mark.parametrize(
    ("init", "forward", "before"),
    [
        pytest.param("self.a = nn.Linear(3, 3)", "self.a(x)", "", id="a layer"),
        pytest.param("self.a = nn.PReLU()", "self.a(x)", "", id="an activation that learns"),
        pytest.param("self.w = nn.Parameter(torch.ones(1))", "x * self.w", "", id="a parameter"),
        pytest.param("self.register_parameter('w', net)", "x", "", id="a registered parameter"),
        pytest.param("self.net = net", "self.net(x)", "", id="a model that it is given"),
        pytest.param("self.net = build()", "self.net(x)", "from other import build", id="what another library makes"),
        pytest.param("self.nets = net", "[f(x) for f in self.nets]", "", id="models that it is given"),
        pytest.param("self.a = Block()", "self.a(x)", BLOCK.format("nn.Conv2d(1, 1, 1)"), id="a module with a layer"),
        pytest.param("self.a = nn.ModuleList([nn.GRU(1, 1)])", "x", "", id="a list of layers"),
    ],
)
def test_a_module_with_weights(init: str, forward: str, before: str) -> None:
    assert is_learning(init, forward, before)


@pytest.mark.parametrize(
    ("forward", "itself"),
    [
        pytest.param("torch.compile(self.trace(x))(x)", True, id="hands a trace to torch.compile"),
        pytest.param("torch.export.export(self.net, (x,))", False, id="exports one"),
        pytest.param("self.compile(x)", False, id="a method of that name"),
    ],
)
def test_a_forward_that_compiles_what_it_computes(forward: str, itself: bool) -> None:
    text = f"class Net(nn.Module):\n{_FORWARD.format(forward)}\nclass Other(Net):\n    pass"
    program, modules = program_of(text)
    assert [compiles_itself(program, one) for one in classes_of(program, modules[0])] == [itself, itself]


def test_a_method_beside_the_forward_may_compile() -> None:
    text = f"class Net(nn.Module):\n{_FORWARD.format('x')}\n    def fast(self): return torch.compile(self)"
    program, modules = program_of(text)
    assert [compiles_itself(program, one) for one in classes_of(program, modules[0])] == [False]


def test_a_base_of_another_library_may_bring_weights() -> None:
    program, modules = program_of(
        "from other import Base\nclass A(Base, nn.Module):\n    def forward(self, x): return x"
    )
    (cls,) = classes_of(program, modules[0])
    assert Weights(program).learns(cls)


@pytest.mark.slow
def test_torch_has_no_parameters_in_these_layers() -> None:
    from torch import nn

    layers = [(n, c) for n, c in vars(nn).items() if inspect.isclass(c) and issubclass(c, nn.Module)]
    without = [one for one in layers if WITHOUT.fullmatch(one[0])]
    assert len(without) > 70
    containers = {"Module", "ModuleList", "ModuleDict", "Sequential"}
    assert [n for n, c in without if n not in containers and "Parameter(" in inspect.getsource(c)] == []

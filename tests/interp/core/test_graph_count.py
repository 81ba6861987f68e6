"""How many graphs a root comes to, held against what the installed torch compiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.session.commands.lint import lint

HEAD = """\
import os
import torch
from torch import Tensor, nn

def stops(x):
    y = x * 2
    print("here")
    return y + 1

def whole(x):
    return x * 2

class Unsure:
    def __bool__(self):
        print("asked")
        return True

"""

# The body of `f(x: Tensor)`, and the graphs of its first call.
BODIES = [
    ("return x + 1", 1),
    ("return x", 0),
    ("print('first')\nreturn x + 1", 1),
    ("y = x + 1\nprint('between')\nreturn y * 2", 2),
    ("y = x + 1\nprint('last')\nreturn y", 1),
    ("y = x.sin()\nprint('a')\nprint('b')\nreturn y.cos()", 2),
    ("if x.sum() > 0:\n    return x + 1\nreturn x - 1", 2),
    ("return stops(x)", 2),
    ("y = x.sin()\ny = stops(y)\nreturn y.cos()", 4),
    ("y = stops(x)\ny = stops(y)\nreturn y", 2),
    ("for _ in range(2):\n    x = whole(x)\n    print('in a loop')\nreturn x + 1", 1),
    ("print('first')\nfor _ in range(2):\n    x = x + 1\n    print('in a loop')\nreturn x", 0),
    ("y = x + 1\nprint('first')\nfor _ in range(2):\n    y = y + 1\n    print('in a loop')\nreturn y", 1),
    ("y = x + 1\nwith open(os.devnull):\n    y = y * 2\nreturn y - 1", 1),
    ("with open(os.devnull):\n    y = whole(x)\nreturn y - 1", 1),
    ("y = x + 1\nwith torch.no_grad():\n    y = y * 2\n    print('in')\n    y = y.sin()\nreturn y - 1", 2),
    ("y = x + 1\nif Unsure():\n    y = y * 2\nreturn y - 1", 0),
    ("try:\n    y = x + 1\n    print('in')\nexcept ValueError:\n    return x\nreturn y * 2", 0),
    ("y = x.sin()\ntry:\n    print('in')\nfinally:\n    y = y.cos()\nreturn y * 2", 0),
    ("y = x.sin()\ntry:\n    y = y.cos()\nfinally:\n    print('in')\nreturn y * 2", 2),
    ("y = x.sin()\ntry:\n    y = y.cos()\nexcept ValueError:\n    pass\nelse:\n    print('in')\nreturn y * 2", 2),
    (
        "try:\n    pass\nexcept ValueError:\n    pass\nelse:\n    print('in')\nfinally:\n    y = x.cos()\nreturn y * 2",
        0,
    ),
    ("y = x.sin()\ny = [t * float(t.sum()) for t in (y, y)]\nreturn y[0].cos()", 2),
    ("y = [t * float(t.sum()) for t in (x, x)]\nreturn y", 0),
]

# The body of `f(x: Tensor, flag: bool)`, and the graphs of its first call with False and with True.
ARMS = [
    ("if flag:\n    return x + 1\nprint('here')\ny = x * 2\nprint('there')\nreturn y - 1", 2, 1),
    ("y = x + 1\nif flag:\n    print('here')\nreturn y * 2", 1, 2),
    ("if flag:\n    print('here')\n    x = stops(x)\n    print('there')\nelse:\n    x = x * 2\nreturn x", 1, 2),
    ("if flag:\n    raise ValueError\nprint('here')\nreturn stops(x) + 1", 3, None),
    ("y = x.sum()\nif flag:\n    return x - 1 if y > 0 else x + 1\nreturn x + 1", 1, 2),
]


@pytest.mark.parametrize(("body", "graphs"), BODIES)
def test_a_piece_without_an_operation_is_no_graph(body: str, graphs: int, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(_program(body), encoding="utf-8")
    report = lint(Options((str(tmp_path),), torch_version="2.13", roots=("*:f",), no_cache=True))
    assert [(root.fewest, root.graphs) for root in report.roots if root.name == "f"] == [(graphs, graphs)]


@pytest.mark.parametrize(("body", "without", "with_flag"), ARMS)
def test_arms_come_to_a_range(body: str, without: int, with_flag: int | None, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(_program(body, "x: Tensor, flag: bool"), encoding="utf-8")
    report = lint(Options((str(tmp_path),), torch_version="2.13", roots=("*:f",), no_cache=True))
    both = [without] if with_flag is None else [without, with_flag]
    assert [(root.fewest, root.graphs) for root in report.roots if root.name == "f"] == [(min(both), max(both))]


def test_an_argument_that_is_not_passed_decides(tmp_path: Path) -> None:
    body = ARMS[1][0]
    (tmp_path / "app.py").write_text(_program(body, "x: Tensor, flag: bool = False"), encoding="utf-8")
    report = lint(Options((str(tmp_path),), torch_version="2.13", roots=("*:f",), no_cache=True))
    assert [(root.fewest, root.graphs) for root in report.roots if root.name == "f"] == [(1, 1)]


def test_a_chain_of_comparisons_is_two_tests(tmp_path: Path) -> None:
    body = "y = x.sum()\nz = x + 1 if -1 < y < 1 else x\nreturn z * 2"
    (tmp_path / "app.py").write_text(_program(body), encoding="utf-8")
    report = lint(Options((str(tmp_path),), torch_version="2.13", roots=("*:f",), no_cache=True))
    assert [(root.fewest, root.graphs) for root in report.roots if root.name == "f"] == [(2, 3)]


def test_methods_of_several_modules_may_be_compiled_again(tmp_path: Path) -> None:
    text = (
        HEAD
        + """
class Part(nn.Module):
    def forward(self, x: Tensor):
        y = x * 2
        print("here")
        return y + 1

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([Part(), Part()])
        self.part = Part()

    def forward(self, x: Tensor):
        for part in self.parts:
            x = part(x)
        return x

class One(Net):
    def forward(self, x: Tensor):
        return self.part(x)
"""
    )
    (tmp_path / "app.py").write_text(text, encoding="utf-8")
    report = lint(Options((str(tmp_path),), torch_version="2.13", no_cache=True))
    found = {root.name: (root.fewest, root.graphs, root.again) for root in report.roots}
    assert found["Net.forward"] == (2, 2, True)
    assert found["One.forward"] == (2, 2, False)


def test_of_the_arms_of_an_if_one_is_taken(tmp_path: Path) -> None:
    body = "if flag:\n    y = stops(x)\nelse:\n    y = whole(x)\n    print('other')\nreturn y"
    (tmp_path / "app.py").write_text(_program(body).replace("x: Tensor", "x: Tensor, flag: bool"), encoding="utf-8")
    report = lint(Options((str(tmp_path),), torch_version="2.13", roots=("*:f",), no_cache=True))
    assert [(root.fewest, root.graphs) for root in report.roots if root.name == "f"] == [(1, 2)]


def test_the_lines_that_compute_are_known(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(_program("print('first')\ny = whole(x)\nz = 1\nreturn y + z"), encoding="utf-8")
    report = lint(Options((str(tmp_path),), torch_version="2.13", roots=("*:f",), no_cache=True))
    (root,) = [root for root in report.roots if root.name == "f"]
    first = root.location.span.line
    assert root.captured == (first + 2, first + 4)


@pytest.mark.dynamo
@pytest.mark.parametrize(("body", "graphs"), BODIES)
def test_so_does_the_installed_torch(body: str, graphs: int, tmp_path: Path) -> None:
    assert _compiled(_program(body), tmp_path) == graphs


@pytest.mark.dynamo
@pytest.mark.parametrize(("body", "without", "with_flag"), ARMS)
def test_so_do_the_arms(body: str, without: int, with_flag: int | None, tmp_path: Path) -> None:
    text = _program(body, "x: Tensor, flag: bool")
    assert _compiled(text, tmp_path, False) == without
    assert with_flag is None or _compiled(text, tmp_path, True) == with_flag


def _compiled(text: str, tmp_path: Path, *flags: bool) -> int:
    """The graphs in which an operation is captured, of a call of the program's `f`."""
    import torch

    # Dynamo asks for the source of what it compiles.
    path = tmp_path / "app.py"
    path.write_text(text, encoding="utf-8")
    names: dict[str, object] = {"__name__": "app"}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    found = 0

    def backend(graph: torch.fx.GraphModule, _: object) -> torch.fx.GraphModule:
        nonlocal found
        found += any(node.op.startswith("call") for node in graph.graph.nodes)
        return graph

    torch._dynamo.reset()
    torch.compile(names["f"], backend=backend)(torch.randn(3), *flags)
    return found


def _program(body: str, parameters: str = "x: Tensor") -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{HEAD}\ndef f({parameters}):\n{lines}"

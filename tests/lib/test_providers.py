"""Metadata of LibCST: beliefs stand on the right nodes, whatever the text looks like, in a lint and in other tools."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import FullRepoManager

from benchmarks import beliefs
from compilelint.lib import UNREACHED, CompileState, NodeState, QualifiedNames
from tests.lib.programs import MODEL, write

WRITTEN = """\
import torch
from torch.nn import functional as fun


def f(x: torch.Tensor, ñ=3):
    {}
    return x
"""


def known(folder: Path, text: str) -> tuple[dict[str, NodeState], dict[str, str]]:
    """States and names of all nodes of a file, by their code (of two alike the last)."""
    path = write(folder, m=text) / "m.py"
    manager = FullRepoManager(str(folder), [path.name], {CompileState, QualifiedNames})
    wrapper = manager.get_metadata_wrapper_for_path(path.name)
    code = wrapper.module.code_for_node
    states = wrapper.resolve(CompileState)
    names = wrapper.resolve(QualifiedNames)
    return {code(node): state for node, state in states.items()}, {code(node): name for node, name in names.items()}


@pytest.mark.parametrize(
    ("line", "node", "belief"),
    [
        pytest.param("y = (x.sum())", "(x.sum())", "tensor ? 0-d", id="in parentheses"),
        pytest.param('y = ("é", x.sum())', "x.sum()", "tensor ? 0-d", id="behind what is not ASCII"),
        pytest.param("y = (x\n      .sum())", "(x\n  .sum())", "tensor ? 0-d", id="over two lines"),
        pytest.param("y = (x, 1)", "(x, 1)", "tuple(tensor", id="a tuple in parentheses"),
        pytest.param("y = x, 1", "x, 1", "tuple(tensor", id="a tuple without"),
        pytest.param("y = ( # why\n  x, 1\n )", "( # why\n  x, 1\n )", "tuple(tensor", id="a tuple with a comment"),
        pytest.param("y = tuple(a for a in x)", "a for a in x", "lazy generator[tensor", id="a bare generator"),
        pytest.param("y = -1", "-1", "-1", id="a negative number"),
        pytest.param("y = x if ñ else None", "ñ", "int", id="a name that is not ASCII"),
        pytest.param("y, *z = x.shape", "x.shape", "shape", id="unpacked"),
        pytest.param('y = f"{x.shape} é {ñ}"', 'f"{x.shape} é {ñ}"', "str", id="an f-string, not what stands in it"),
        pytest.param("y = x.sum", "x.sum", "method sum of tensor", id="a method"),
        pytest.param("y = [z := x.sum()]", "z := x.sum()", "tensor ? 0-d", id="walrus"),
    ],
)
def test_a_belief_stands_on_its_node(tmp_path: Path, line: str, node: str, belief: str) -> None:
    states, _ = known(tmp_path, WRITTEN.format(line))
    assert belief in states[node].words


def test_line_ends_of_windows_move_nothing(tmp_path: Path) -> None:
    path = write(tmp_path, m="") / "m.py"
    path.write_bytes(WRITTEN.format("y = x.sum()").replace("\n", "\r\n").encode())
    manager = FullRepoManager(str(tmp_path), [path.name], {CompileState})
    wrapper = manager.get_metadata_wrapper_for_path(path.name)
    states = {wrapper.module.code_for_node(node): state for node, state in wrapper.resolve(CompileState).items()}
    assert states["x.sum()"].kind == "tensor"


def test_a_state_says_what_happens_and_who_gets_there(tmp_path: Path) -> None:
    states, names = known(tmp_path, MODEL)
    read = states["y.sum().item()"]
    assert [(one.what, one.break_id) for one in read.happenings] == [("break", "GB0124"), ("sync", "")]
    assert [(one.root, one.kind, one.confidence.name) for one in read.reached_by] == [
        ("Net.forward", "forward", "CERTAIN")
    ]
    assert states["self.lin"].kind == "module"
    assert states["y"].tensor is not None
    assert states["y"].tensor.dtype == "float"
    assert "result" in states["y.sum()"].why
    assert states["F.relu(y)"].happens("break") is None
    assert names["F.relu"] == "torch.nn.functional.relu"
    assert names["nn.Linear"] == "torch.nn.Linear"


def test_what_no_root_reaches_is_not_believed(tmp_path: Path) -> None:
    states, _ = known(tmp_path, "def g():\n    return len([1])\n")
    assert states["len([1])"] == UNREACHED
    assert not states["len([1])"].is_reached
    assert states["len([1])"].words == "not reached"


def test_names_follow_imports_through_other_files(tmp_path: Path) -> None:
    write(tmp_path, layers="from torch.nn import Linear as Dense\n")
    _, names = known(tmp_path, "from layers import Dense\n\nlayer = Dense(1, 2)\n")
    assert names["Dense"] == "torch.nn.Linear"


def test_without_the_engine_nothing_is_known() -> None:
    wrapper = cst.MetadataWrapper(cst.parse_module("x = 1"), cache={CompileState: object()})
    assert not wrapper.resolve(CompileState)


def test_random_expressions_of_real_files_are_believed_as_the_engine_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert beliefs.main(["fixtures", "examples", "--number", "400"]) == 0
    said = capsys.readouterr().out
    assert int(said.split(" ")[0].replace(",", "")) >= 400

"""Breaks of what a linted file compiles in another file: at the compile call, where that is linted."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.model import Effect
from compilelint.project.index import Program
from compilelint.session.commands.lint import lint

BREAKS = "import torch\n\n\ndef step(x: torch.Tensor):\n    if x.sum() > 0:\n        return x + 1\n    return x\n"
COMPILES = "import torch\n\nfrom pkg.steps import step\n\nfast = torch.compile(step)\n"


def found(folder: Path, linted: list[str], **texts: str) -> list[tuple[str, int, str]]:
    """File, line and message of each graph break, in a package of these modules of which some are linted."""
    package = folder / "pkg"
    package.mkdir()
    for name, text in {"__init__": "", **texts}.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    paths = tuple(str(package / f"{name}.py") for name in linted)
    report = lint(Options(paths=paths, torch_version="2.13", no_cache=True))
    findings = [one for one in report.findings if Effect.GRAPH_BREAK in one.effects]
    return [(Path(one.location.path).stem, one.location.span.line, one.message) for one in findings]


def test_a_function_of_another_file_is_reported_where_it_is_compiled(tmp_path: Path) -> None:
    ((name, line, message),) = found(tmp_path, ["uses"], uses=COMPILES, steps=BREAKS)
    assert (name, line) == ("uses", 5)
    assert message.endswith(", in `step`, which is compiled here")


def test_what_is_linted_itself_is_reported_in_its_own_file_alone(tmp_path: Path) -> None:
    assert [(name, line) for name, line, _ in found(tmp_path, ["uses", "steps"], uses=COMPILES, steps=BREAKS)] == [
        ("steps", 5)
    ]


@pytest.mark.parametrize("linted", [["uses", "calls"], ["calls", "uses"]], ids=["compiled first", "called first"])
def test_a_call_and_a_compile_call_of_one_function_each_say_what_they_do(tmp_path: Path, linted: list[str]) -> None:
    calls = COMPILES.replace(
        "fast = torch.compile(step)", "@torch.compile\ndef run(x: torch.Tensor):\n    return step(x)"
    )
    said = {name: message for name, _, message in found(tmp_path, linted, uses=COMPILES, calls=calls, steps=BREAKS)}
    assert said["uses"].endswith(", in `step`, which is compiled here")
    assert said["calls"].endswith(", in `step`, which is called here")


@pytest.mark.parametrize(
    ("uses", "steps"),
    [
        pytest.param(COMPILES, BREAKS.replace("x.sum() > 0", "x.shape[0] > 1"), id="nothing breaks there"),
        pytest.param(COMPILES.replace("torch.compile(step)", "step"), BREAKS, id="nothing is compiled"),
        pytest.param("from pkg.fast import fast\n", BREAKS, id="the compile call is not linted either"),
    ],
)
def test_nothing_is_reported_of(tmp_path: Path, uses: str, steps: str) -> None:
    assert found(tmp_path, ["uses"], uses=uses, steps=steps, fast=COMPILES) == []


def test_a_library_s_function_is_reported_as_where_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Program, "is_in_project", lambda *_: False)
    assert [(name, line) for name, line, _ in found(tmp_path, ["uses"], uses=COMPILES, steps=BREAKS)] == [("uses", 5)]


RECURRENT = """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 4)

    def forward(self, x):
        return self.rnn(x)[0]
"""
DECODER = """
from torch import nn
from pkg.net import Net

class Decode(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = Net()

    def forward(self, x):
        y = self.net(x * 2)
        return y + 1
"""


@pytest.mark.parametrize(
    ("linted", "block", "graphs", "skips"),
    [
        pytest.param(["use"], False, 2, False, id="the callee is not linted"),
        pytest.param(["use", "net"], False, 2, True, id="it is linted, and says that its own frame is left to Python"),
        pytest.param(["use"], True, 0, True, id="the call is in a block that cannot be split"),
    ],
)
def test_a_frame_that_calls_what_is_left_to_python_is_split(
    linted: list[str], block: bool, graphs: int, skips: bool, tmp_path: Path
) -> None:
    """Run on 2.13: `x * 2` and `y + 1` are two graphs; in a `try` the whole frame is left to Python."""
    text = DECODER.replace(
        "y = self.net(x * 2)", "try:\n            y = self.net(x * 2)\n        finally:\n            pass"
    )
    package = tmp_path / "pkg"
    package.mkdir()
    for name, one in {"__init__": "", "use": text if block else DECODER, "net": RECURRENT}.items():
        (package / f"{name}.py").write_text(one, encoding="utf-8")
    report = lint(Options(tuple(str(package / f"{one}.py") for one in linted), torch_version="2.13", no_cache=True))
    assert [one.graphs for one in report.roots if one.name == "Decode.forward"] == [graphs]
    (finding,) = (one for one in report.findings if one.rule.code == "CL603")
    assert finding.skips_frame is skips
    assert ("Dynamo compiles the rest of `Decode.forward`" in finding.why) is (not skips)

"""`compilelint dev test-rules`: cases that hold, and each way in which one may not."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from compilelint.cli import app
from compilelint.session.commands.test_rules import tried
from tests.lib.programs import RULE, write

SWITCHES = """\
import torch

torch._dynamo.config.capture_scalar_outputs = True


def f(x):
    return x + 1


def inputs():
    return (torch.ones(3),)
"""


def faults(folder: Path, rule: str) -> list[str]:
    return [fault for case in tried([str(write(folder, team=rule))]) for fault in case.faults]


def test_cases_that_hold(tmp_path: Path) -> None:
    cases = tried([str(write(tmp_path, team=RULE))])
    assert [str(case) for case in cases] == ["TEAM001 VALID 1: as it says", "TEAM001 INVALID 1: as it says"]


@pytest.mark.parametrize(
    ("before", "after", "fault"),
    [
        pytest.param("  # TEAM001", "", "no line is marked `# TEAM001`", id="no mark"),
        pytest.param(
            "  # TEAM001", "\n\n                # TEAM001", "line 7 is marked and not found", id="a wrong mark"
        ),
        pytest.param("  # TEAM001", "", "line 5 is found and not marked", id="no mark, from the other side"),
        pytest.param('VALID = ("', 'VALID = ("# TEAM001\\n', "a line is marked", id="a mark in a valid case"),
        pytest.param("fix=func.value", "fix=cst.parse_expression('x.sum().item()')", "does not cure line 5", id="fix"),
        pytest.param("INVALID = (", "OTHERS = (", "there is no case", id="no case"),
        pytest.param("state = self", "assert 0\n            state = self", "failed here: AssertionError", id="raises"),
    ],
)
def test_a_case_that_does_not(tmp_path: Path, before: str, after: str, fault: str) -> None:
    assert any(fault in one for one in faults(tmp_path, RULE.replace(before, after)))


def test_the_command_says_how_many_and_exits_with_1_for_a_fault(tmp_path: Path) -> None:
    folder = str(write(tmp_path, team=RULE))
    good = CliRunner().invoke(app, ["dev", "test-rules", "--rules", folder])
    assert (good.exit_code, good.output) == (0, "2 cases: 0 not as they say\n")
    write(tmp_path, team=RULE.replace("  # TEAM001", ""))
    import sys

    for name in [name for name in sys.modules if name.startswith("compilelint_rules_")]:
        del sys.modules[name]
    bad = CliRunner().invoke(app, ["dev", "test-rules", "--rules", folder, "TEAM001"])
    assert bad.exit_code == 1
    assert "TEAM001 INVALID 1: no line is marked" in bad.output
    none = CliRunner().invoke(app, ["dev", "test-rules"])
    assert none.exit_code == 1
    assert "name a pack" in none.output


@pytest.mark.dynamo
def test_under_the_real_one_marks_of_graph_breaks_are_where_it_breaks(tmp_path: Path) -> None:
    breaking = RULE.replace("Effect.SYNC", "Effect.GRAPH_BREAK")
    first = breaking.replace("    VALID = (", f"    VALID = ({SWITCHES!r}, ")
    cases = tried([str(write(tmp_path, team=first))], dynamo=True)
    ran = [("VALID", True, ()), ("VALID", False, ()), ("INVALID", True, ())]
    assert [(case.kind, case.ran, case.faults) for case in cases] == ran, "what a case switches is for itself alone"
    on = "import torch\n        torch._dynamo.config.capture_scalar_outputs = True\n"
    captured = breaking.replace("import torch\n\n", on)
    (case,) = [one for one in tried([str(write(tmp_path / "b", b=captured))], dynamo=True) if one.kind == "INVALID"]
    assert any("TorchDynamo does not break at line" in fault for fault in case.faults)

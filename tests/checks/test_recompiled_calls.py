"""CL714 to CL716: what a call that compiles again costs, by what the program sets (each run on torch 2.13)."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.model import Effect
from compilelint.session.commands.lint import lint

PROGRAM = """
import torch
import torch._dynamo

def step(x, text):
    return x * len(text)

f = torch.compile(step, backend="eager", fullgraph={whole})
{setting}
for text in ("a", "ab", "abc", "abcd"):
    f(torch.ones(3), text)
"""


@pytest.mark.parametrize(
    ("setting", "whole", "raises", "words"),
    [
        pytest.param("torch._dynamo.config.recompile_limit = 2", True, True, "after 2", id="a whole graph, beyond it"),
        pytest.param("torch._dynamo.config.recompile_limit = 2", False, False, "runs uncompiled", id="with breaks"),
        pytest.param("torch._dynamo.config.recompile_limit = 64", True, False, "after 64", id="within the limit"),
        pytest.param("pass", True, False, "after 8", id="torch's own limit"),
        pytest.param("torch.compiler.set_stance('default')", True, False, "after 8", id="the usual stance"),
        pytest.param(
            "f(torch.ones(3), '')\ntorch.compiler.set_stance('fail_on_recompile')",
            False,
            True,
            "so the call raises",
            id="the stance refuses",
        ),
    ],
)
def test_what_a_further_version_costs(tmp_path: Path, setting: str, whole: bool, raises: bool, words: str) -> None:
    (tmp_path / "app.py").write_text(PROGRAM.format(setting=setting, whole=whole), encoding="utf-8")
    report = lint(Options((str(tmp_path),), torch_version="2.13"))
    (found,) = [one for one in report.findings if one.rule.code == "CL714"]
    assert (Effect.ERROR in found.effects, words in found.why) == (raises, True)

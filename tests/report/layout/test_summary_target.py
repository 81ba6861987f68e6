"""The report's last line is a command that runs as it is printed: the targets of the configuration, or finding some."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import settle
from compilelint.model import Rule
from compilelint.report.formats.grouped import render
from compilelint.session.commands.lint import lint

MODEL = """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x
"""
TABLE = '[[tool.compilelint.targets]]\nname = "{name}"\nmodel = "net:Net"\n'
RULES: list[Rule] = []


@pytest.mark.parametrize(
    ("folder", "configuration", "said"),
    [
        pytest.param(
            ".", "[project]\n", "compilelint init --verify` finds how models are built and runs them", id="no targets"
        ),
        pytest.param(
            "apps/one two",
            "[project]\n",
            "compilelint init --verify 'apps/one two'` finds how models are built and runs them",
            id="of a project in another folder",
        ),
        pytest.param(
            "apps",
            TABLE.format(name="a"),
            "cd apps && compilelint verify` runs the target of the configuration",
            id="there",
        ),
        pytest.param(
            ".",
            TABLE.format(name="a"),
            "compilelint verify` runs the target of the configuration",
            id="one target is configured",
        ),
        pytest.param(
            ".",
            TABLE.format(name="a") + TABLE.format(name="b"),
            "compilelint verify` runs the 2 targets of the configuration",
            id="several targets",
        ),
    ],
)
def test_the_command_that_runs_the_models(
    folder: str, configuration: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / folder
    path.mkdir(parents=True, exist_ok=True)
    (path / "net.py").write_text(MODEL, encoding="utf-8")
    (path / "pyproject.toml").write_text(configuration, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    report = lint(settle((str(path),), {"torch-version": "2.13"}, RULES).options)
    text = render(report, color=False, width=None, summary=True)
    last = " ".join(text[text.index("Then: ") :].split())
    assert last == f"Then: `{said} under TorchDynamo; 1 finding is not certain."

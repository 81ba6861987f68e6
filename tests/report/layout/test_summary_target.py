"""The report's last line names a target that `verify` takes, from where the report was made."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.report.formats.grouped import render
from compilelint.session.commands.lint import lint

MODEL = """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x
"""


@pytest.mark.parametrize(
    ("file", "target"),
    [
        pytest.param("pkg/net.py", "pkg.net:Net", id="found from here"),
        pytest.param("src/net.py", "net:Net", id="src is looked in too"),
        pytest.param("apps/one/net.py", "net:Net --path apps/one", id="found from another folder"),
    ],
)
def test_the_module_with_the_break_is_named(
    file: str, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(MODEL, encoding="utf-8")
    if path.parent.name == "pkg":
        (path.parent / "__init__.py").touch()
    monkeypatch.chdir(tmp_path)
    report = lint(Options((file,), torch_version="2.13"))
    last = render(report, color=False, width=None, summary=True).splitlines()[-1]
    assert last == f"Then: `compilelint verify {target}` runs it under TorchDynamo; 1 finding is not certain."

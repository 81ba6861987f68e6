"""Code actions, as a client asks for them and applies them."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from compilelint.model import Edit, Fix, Safety, Span
from compilelint.server.buffers import Buffer, Buffers, uri_of
from compilelint.server.features.actions import _edit_of
from compilelint.syntax.source import Source
from tests.support.editor import editor

MODEL = """import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.float().to("cuda")
        print("sum", x.sum())
        if x.sum() > 0:
            x = x + 1
        else:
            x = x - 1
        return y.sum(x)  # compilelint: ignore[CL101]
"""


def test_a_fix_says_in_its_title_whether_it_is_safe(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    with editor(tmp_path) as client:
        client.open("model.py")
        assert [one.title for one in client.actions("model.py", "print(", "quickfix")] == [
            "log only outside compiled code (safe)",
            "Suppress CL201 here, with a reason",
            "Explain CL201 (print-call)",
            "Verify Model.forward under TorchDynamo (runs your code)",
        ]
        unsafe = client.actions("model.py", 'x.float().to("cuda")', "quickfix")[0]
        assert unsafe.title == "take the device of `x` (unsafe: may change results)"
        assert "y = x.float().to(x.device)" in client.applied("model.py", unsafe.edit)


def test_all_safe_fixes_are_one_edit(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    with editor(tmp_path) as client:
        client.open("model.py")
        (action,) = client.actions("model.py", "import torch", "source.fixAll")
        assert action.kind == "source.fixAll.compilelint"
        after = client.applied("model.py", action.edit)
        assert "# compilelint: ignore" not in after  # the suppression that silences nothing
        assert "if not torch.compiler.is_compiling():" in after
        assert 'x.float().to("cuda")' in after  # its fix is not safe


def test_a_suppression_silences_the_line_it_is_written_on(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    with editor(tmp_path) as client:
        client.open("model.py")
        before = client.codes("model.py")
        (action,) = [one for one in client.actions("model.py", "x.sum() > 0") if one.title.startswith("Suppress CL101")]
        client.replace("model.py", client.applied("model.py", action.edit))
        assert "if x.sum() > 0:  # compilelint: ignore[CL101] reason" in client.texts["model.py"]
        after = client.codes("model.py")
        assert before.count("CL101") == after.count("CL101") + 1


def test_explaining_a_rule_shows_its_page(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    with editor(tmp_path) as client:
        client.open("model.py")
        page = client.execute("compilelint.explain", "CL101")
        assert page["name"] == "branch-on-tensor"
        assert "## Bad" in page["page"]
        assert client.shown[0].endswith("/CL101-branch-on-tensor.md")


def test_code_runs_only_in_a_workspace_that_the_client_trusts(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("open('ran', 'w')\n" + MODEL)
    with editor(tmp_path, settings={"trusted": True}) as client:
        client.open("model.py")
        root = {"uri": client.uri("model.py"), "spec": "model:Model.forward"}
        assert client.execute("compilelint.verify", root) == {"ran": False, "reason": "untrusted"}
        assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("versioned", [True, False])
def test_a_fix_of_two_files_is_one_edit_of_the_workspace(versioned: bool, tmp_path: Path) -> None:
    home, other = str(tmp_path / "net.py"), str(tmp_path / "helper.py")
    Path(other).write_text("b = 2\n")
    edits = (Edit(Span(1, 5, 1, 6), "3"), Edit(Span(1, 5, 1, 6), "4", other))
    server: Any = Mock(buffers=Buffers())
    server.client_capabilities.workspace.workspace_edit.document_changes = versioned
    source, buffer = Source(home, "a = 1\n", ascii=True), Buffer(uri_of(home), home, 7, "a = 1\n")
    edit = _edit_of(server, Mock(texts={}), buffer, source, Fix(Safety.UNSAFE, "both", edits))
    assert edit is not None
    if versioned:
        found = [(one.text_document.uri, one.text_document.version) for one in edit.document_changes or ()]  # type: ignore[union-attr]
        assert found == [(uri_of(home), 7), (uri_of(other), None)]
    else:
        texts = {uri: one[0].new_text for uri, one in (edit.changes or {}).items()}
        assert texts == {uri_of(home): "a = 3\n", uri_of(other): "b = 4\n"}
    Path(other).unlink()
    assert _edit_of(server, Mock(texts={}), buffer, source, Fix(Safety.UNSAFE, "both", edits)) is None

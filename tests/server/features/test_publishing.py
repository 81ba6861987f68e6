"""Diagnostics as a client gets them: what, where, why, how sure; pushed, pulled, and while one types."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from compilelint.model.site import rule_page
from tests.support.editor import editor

MODEL = """import torch
from torch import nn

from layers import gate


class Model(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = gate(x)
        if y.sum() > 0:
            return y
        return x
"""
LAYERS = """import torch


def gate(x: torch.Tensor) -> torch.Tensor:
    mask = x > 0
    return x * mask.sum().item()
"""


def project(folder: Path) -> Path:
    (folder / "pyproject.toml").write_text('[project]\nname = "demo"\n[tool.compilelint]\ntorch-version = "2.13"\n')
    (folder / "model.py").write_text(MODEL)
    (folder / "layers.py").write_text(LAYERS)
    return folder


def test_a_finding_comes_with_its_severity_its_page_and_the_way_to_it(tmp_path: Path) -> None:
    with editor(project(tmp_path)) as client:
        client.open("model.py")
        client.open("layers.py")
        (branch,) = client.diagnostics("model.py")
        assert branch.code == "CL101"
        assert branch.severity == types.DiagnosticSeverity.Error
        href = None if branch.code_description is None else branch.code_description.href
        assert href == (rule_page("CL101") or None)
        assert branch.range == client.range("model.py", "y.sum() > 0")
        (read,) = client.diagnostics("layers.py")
        assert read.code == "CL102"
        related = [(one.location.uri, one.location.range.start.line) for one in read.related_information or ()]
        assert (client.uri("model.py"), 8) in related  # called from the root


def test_typing_changes_what_is_found_and_says_of_which_version(tmp_path: Path) -> None:
    with editor(project(tmp_path)) as client:
        client.open("model.py")
        assert client.codes("model.py") == ["CL101"]
        client.type("model.py", "if y.sum() > 0:", "if y.shape[0] > 0:")
        assert client.codes("model.py") == []
        assert client.published[client.uri("model.py")].version == 2


def test_an_unsaved_text_counts_in_the_files_that_import_it(tmp_path: Path) -> None:
    with editor(project(tmp_path)) as client:
        client.open("model.py")
        client.open("layers.py")
        assert client.codes("model.py") == ["CL101"]
        client.type("layers.py", "return x * mask.sum().item()", "return x.shape[0]")
        client.type("model.py", "y.sum() > 0", "y > 0")
        assert client.codes("model.py") == []
        assert client.codes("layers.py") == []


def test_a_client_that_pulls_is_answered_for_the_text_as_it_is(tmp_path: Path) -> None:
    with editor(project(tmp_path), pull=True) as client:
        client.open("model.py")
        assert client.codes("model.py") == ["CL101"]
        client.type("model.py", "if y.sum() > 0:", "if y.shape[0] > 0:")
        assert client.codes("model.py") == []
        assert not client.published


def test_while_a_text_is_no_python_what_was_found_stays_faded_on_the_lines_that_are_left(tmp_path: Path) -> None:
    with editor(project(tmp_path)) as client:
        client.open("model.py")
        assert client.codes("model.py") == ["CL101"]
        client.type("model.py", "import torch\n", "import torch\nx = (\n\n")
        refused, stale = client.diagnostics("model.py")
        assert refused.code == "CL901"
        assert stale.code == "CL101"
        assert list(stale.tags or ()) == [types.DiagnosticTag.Unnecessary]
        assert isinstance(stale.data, dict)
        assert stale.data["version"] == 1
        assert stale.range == client.range("model.py", "y.sum() > 0")
        client.type("model.py", "x = (\n\n", "")
        (fresh,) = client.diagnostics("model.py")
        assert not fresh.tags


def test_what_is_closed_counts_as_it_is_on_the_disk(tmp_path: Path) -> None:
    with editor(project(tmp_path)) as client:
        client.open("model.py")
        client.open("layers.py", "def gate(x):\n    return 3\n")
        client.until(lambda: client.codes("model.py") == [])
        client.close("layers.py")
        client.until(lambda: len(client.published[client.uri("model.py")].diagnostics) == 1)

"""Texts, files and notebooks that come, change and go."""

from __future__ import annotations

from pathlib import Path

import pytest
from lsprotocol import types

from compilelint.server.buffers import uri_of
from tests.support.editor import Editor, editor

ITEM = """import torch

class M(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x.sum().item()
"""
USER = """import torch
from helper import gate

class M(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if gate(x):
            return x
        return -x
"""
TENSOR, NUMBER = "def gate(x):\n    return x.sum() > 0\n", "def gate(x):\n    return x.shape[0] > 0\n"


def watched(client: Editor, path: Path, kind: types.FileChangeType) -> None:
    params = types.DidChangeWatchedFilesParams([types.FileEvent(uri_of(path.as_posix()), kind)])
    client.call(lambda: client.client.workspace_did_change_watched_files(params))


def test_files_that_come_change_and_go(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(USER)
    helper = tmp_path / "helper.py"
    with editor(tmp_path) as client:
        client.open("model.py")
        assert client.codes("model.py") == []
        for content, kind, codes in (
            (TENSOR, types.FileChangeType.Created, ["CL101"]),
            (NUMBER, types.FileChangeType.Changed, []),
            (TENSOR, types.FileChangeType.Changed, ["CL101"]),
            (None, types.FileChangeType.Deleted, []),
        ):
            if content is None:
                helper.unlink()
            else:
                helper.write_text(content)
            watched(client, helper, kind)
            client.until(lambda codes=codes: client.codes("model.py") == codes, f"{kind} {codes}")  # type: ignore[misc]


def test_a_renamed_file_is_found_under_its_new_name(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(USER)
    (tmp_path / "other.py").write_text(TENSOR)
    with editor(tmp_path) as client:
        client.open("model.py")
        assert client.codes("model.py") == []
        (tmp_path / "other.py").rename(tmp_path / "helper.py")
        renamed = types.FileRename(client.uri("other.py"), client.uri("helper.py"))
        params = types.RenameFilesParams([renamed])
        client.call(lambda: client.client.workspace_did_rename_files(params))
        client.until(lambda: client.codes("model.py") == ["CL101"])


def test_each_folder_has_its_own_configuration(tmp_path: Path) -> None:
    for name, ignored in (("one", "[]"), ("two", '["CL102"]')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "model.py").write_text(ITEM)
        (tmp_path / name / "compilelint.toml").write_text(f"ignore = {ignored}\n")
    with editor(tmp_path / "one", tmp_path / "two") as client:
        second = (tmp_path / "two" / "model.py").as_posix()
        client.open("model.py")
        client.open(second, ITEM)
        assert client.codes("model.py") == ["CL102"]
        client.until(lambda: uri_of(second) in client.published)
        assert not client.published[uri_of(second)].diagnostics


def test_a_configuration_that_changes_holds_at_once(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ITEM)
    with editor(tmp_path) as client:
        client.open("model.py")
        assert client.codes("model.py") == ["CL102"]
        (tmp_path / "compilelint.toml").write_text('ignore = ["CL102"]\n')
        watched(client, tmp_path / "compilelint.toml", types.FileChangeType.Created)
        client.until(lambda: client.codes("model.py") == [])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_every_way_of_counting_leads_to_the_same_place(tmp_path: Path, encoding: str) -> None:
    odd = ITEM.replace("x.sum()", "('😋é', x)[1].sum()")
    (tmp_path / "model.py").write_text(odd, encoding="utf-8")
    with editor(tmp_path, encoding=encoding) as client:
        client.open("model.py")
        (found,) = client.diagnostics("model.py")
        assert found.range == client.range("model.py", "('😋é', x)[1].sum().item()")
        client.type("model.py", ".item()", "")
        assert client.codes("model.py") == []


def test_a_notebook_has_its_findings_in_its_cells(tmp_path: Path) -> None:
    uri = uri_of((tmp_path / "n.ipynb").as_posix())
    texts = {"a": "import torch\n%time x = 1", "b": "# é", "c": ITEM.replace("import torch\n", "")}
    cells = [types.NotebookCell(types.NotebookCellKind.Code, f"vscode-notebook-cell:{name}") for name in texts]
    notebook = types.NotebookDocument(uri, "jupyter-notebook", 1, cells)
    items = [
        types.TextDocumentItem(f"vscode-notebook-cell:{name}", "python", 1, content) for name, content in texts.items()
    ]
    with editor(tmp_path) as client:
        client.call(
            lambda: client.client.notebook_document_did_open(types.DidOpenNotebookDocumentParams(notebook, items))
        )
        client.until(lambda: "vscode-notebook-cell:c" in client.published)
        (found,) = client.published["vscode-notebook-cell:c"].diagnostics
        assert (found.code, found.range.start.line) == ("CL102", 3)
        content = types.NotebookDocumentCellContentChanges(
            types.VersionedTextDocumentIdentifier(2, "vscode-notebook-cell:c"),
            [types.TextDocumentContentChangeWholeDocument("y = 1\n")],
        )
        event = types.NotebookDocumentChangeEvent(cells=types.NotebookDocumentCellChanges(text_content=[content]))
        document = types.VersionedNotebookDocumentIdentifier(2, uri)
        params = types.DidChangeNotebookDocumentParams(document, event)
        client.call(lambda: client.client.notebook_document_did_change(params))
        client.until(lambda: not client.published["vscode-notebook-cell:c"].diagnostics)

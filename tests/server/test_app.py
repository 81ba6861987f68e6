"""The server beside its features: what it does when nothing can be sent any more."""

from __future__ import annotations

import ast
import io
import logging
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams
from pygls.io_ import StdoutWriter

from compilelint.server.buffers import path_of, uri_of
from compilelint.server.serve import server_of
from compilelint.syntax.source import Source
from compilelint.syntax.unreadable import Unreadable


def test_that_nothing_can_be_sent_is_logged_once_and_not_sent(caplog: pytest.LogCaptureFixture) -> None:
    server = server_of()
    closed = io.BytesIO()
    closed.close()
    server.protocol.set_writer(StdoutWriter(closed))
    with caplog.at_level(logging.ERROR):
        server.window_show_message(types.ShowMessageParams(types.MessageType.Info, "found"))
    assert [one.message for one in caplog.records] == ["Error sending data"]


def test_other_errors_are_shown(caplog: pytest.LogCaptureFixture) -> None:
    server, sent = server_of(), io.BytesIO()
    server.protocol.set_writer(StdoutWriter(sent))
    server.report_server_error(ValueError("no such thing"), JsonRpcInvalidParams)
    assert b"Error in server: no such thing" in sent.getvalue()


@pytest.mark.parametrize("uri", ["file:///", "file://{folder}", "file://{folder}/"])
def test_a_folder_is_no_document(tmp_path: Path, uri: str) -> None:
    """It would be linted as a folder: of `file:///`, the whole disk."""
    (tmp_path / "net.py").write_text("x = 1\n")
    server = server_of()
    named = uri.format(folder=tmp_path)
    buffer = server.buffers.open(types.TextDocumentItem(named, "python", 1, "x = 1\n"))
    notebook = types.NotebookDocument(named, "jupyter-notebook", 1, [])
    assert buffer.path == server.buffers.open_notebook(notebook, []).path == ""
    assert server.open_paths() == []
    assert server.texts() == {}
    assert server.state_of(path_of(named)) is None
    assert server.state_of(str(tmp_path / "net.py")) is not None


def test_texts_are_parsed_once_a_version_and_by_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A large text would keep every other request waiting in the loop."""
    parsed: list[str] = []
    original = Source.tree

    def counted(self: Source) -> ast.Module | Unreadable:
        parsed.append(self.text)
        return original(self)

    monkeypatch.setattr(Source, "tree", counted)
    server = server_of()
    path = str(tmp_path / "m.py")
    uri = uri_of(path)
    server.buffers.open(types.TextDocumentItem(uri, "python", 1, "x = 1\n"))
    assert parsed == []
    assert [one.text for one in server.texts().values()] == ["x = 1\n"]
    server.texts()
    assert parsed == ["x = 1\n"]
    server.buffers.change(uri, 2, [types.TextDocumentContentChangeWholeDocument("x = (\n")])
    assert [one.text for one in server.texts().values()] == ["x = 1\n"]  # the last that was Python
    assert path in server.broken
    assert parsed == ["x = 1\n", "x = (\n"]
    server.buffers.close(uri)
    server.closed(path)
    assert (server.texts(), server.broken) == ({}, {})

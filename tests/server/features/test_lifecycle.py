"""The beginning and the end, over a pipe and over a port; settings; more than one request at a time."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from pathlib import Path

from lsprotocol import types

from tests.support.editor import Editor, editor

ITEM = """import torch

class M(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x.sum().item()
"""


def test_what_the_server_can_do_is_said_once(tmp_path: Path) -> None:
    client = Editor(tmp_path, encoding="utf-8")
    can = client.start().capabilities
    client.stop()
    assert can.position_encoding == types.PositionEncodingKind.Utf8
    assert can.hover_provider
    assert can.inlay_hint_provider
    assert can.code_lens_provider
    assert can.notebook_document_sync
    assert isinstance(can.code_action_provider, types.CodeActionOptions)
    assert "source.fixAll.compilelint" in (can.code_action_provider.code_action_kinds or ())
    assert isinstance(can.diagnostic_provider, types.DiagnosticOptions)
    assert can.diagnostic_provider.inter_file_dependencies
    assert can.diagnostic_provider.workspace_diagnostics
    assert "compilelint.verify" in (can.execute_command_provider or types.ExecuteCommandOptions([])).commands


def started(folder: Path, port: int) -> Editor:
    """A client of a server that may not listen yet."""
    for _ in range(600):
        client = Editor(folder)
        try:
            client.start(tcp=port)
        except ConnectionRefusedError:
            time.sleep(0.1)
        else:
            return client
    raise AssertionError("nothing listens")


def test_a_client_on_a_port(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ITEM)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, "-m", "compilelint", "server", "--tcp", str(port)])
    try:
        client = started(tmp_path, port)
        client.open("model.py")
        assert client.codes("model.py") == ["CL102"]
        client.run(client.client.shutdown_async(None))
    finally:
        process.kill()
        process.wait()


def test_settings_are_asked_for_and_hold(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ITEM)
    with editor(tmp_path, settings={"ignore": ["CL102"]}) as client:
        client.open("model.py")
        client.until(lambda: client.codes("model.py") == [])
        client.settings = {"ignore": [], "colour": 3}
        client.call(lambda: client.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None)))
        client.until(lambda: client.codes("model.py") == ["CL102"])
        client.until(lambda: any("compilelint.colour" in line for line in client.log))


def test_settings_that_are_pushed_hold(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ITEM)
    with editor(tmp_path) as client:
        client.open("model.py")
        assert client.codes("model.py") == ["CL102"]
        pushed = types.DidChangeConfigurationParams({"compilelint": {"ignore": ["CL102"]}})
        client.call(lambda: client.client.workspace_did_change_configuration(pushed))
        client.until(lambda: client.codes("model.py") == [])


def test_a_wrong_configuration_is_shown(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ITEM)
    (tmp_path / "compilelint.toml").write_text("colour = 3\n")
    with editor(tmp_path) as client:
        client.open("model.py")
        client.until(lambda: any("colour" in one.message for one in client.messages))


def test_a_request_that_is_cancelled_is_answered_as_such_and_the_next_one_is_answered(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ITEM)
    with editor(tmp_path, pull=True) as client:
        client.open("model.py")

        async def cancelled() -> str:
            document = types.TextDocumentIdentifier(client.uri("model.py"))
            future = client.client.protocol.send_request(
                types.TEXT_DOCUMENT_DIAGNOSTIC, types.DocumentDiagnosticParams(document), msg_id="slow"
            )
            client.client.cancel_request(types.CancelParams("slow"))
            while not future.done():
                await asyncio.sleep(0.01)
            return str(future.exception())

        said = "None"
        for number in range(20):  # one that is answered before its cancellation arrives was not cancelled
            if said == "None":
                client.type("model.py", "return ", f"y{number} = 1\n        return ")
                said = client.run(cancelled())
        assert "cancel" in said.lower()
        assert client.codes("model.py") == ["CL102"]


def test_typing_faster_than_the_analysis_ends_with_the_last_text(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(ITEM)
    with editor(tmp_path) as client:
        client.open("model.py")
        for number in range(60):
            client.type("model.py", "return ", f"y{number} = 1\n        return ")
        (found,) = client.diagnostics("model.py")
        assert found.range == client.range("model.py", "x.sum().item()")

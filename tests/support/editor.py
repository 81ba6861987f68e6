"""An editor for tests: pygls's own client, driven without async code, against a server process.

with editor(folder) as client:
    client.open("model.py")
    assert client.codes("model.py") == ["CL101"]
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar, Union

from lsprotocol import types
from pygls.lsp.client import LanguageClient
from pygls.protocol import default_converter

from compilelint.server.buffers import uri_of
from compilelint.server.positions import Encoding, split_lines

T = TypeVar("T")
PATIENCE = 60.0  # seconds: the machine may be busy


class Editor:
    """One client and what it was sent. Files are named relative to the first folder; positions count code points.

    `pull` makes it ask for diagnostics instead of waiting for them, `settings` is what it answers when it is asked.
    """

    def __init__(
        self,
        *folders: Path,
        pull: bool = False,
        encoding: str = "utf-16",
        settings: dict[str, Any] | None = None,
        options: dict[str, Any] | None = None,
        snippets: bool = False,
    ) -> None:
        self.folders = folders
        self.settings = settings
        self.texts: dict[str, str] = {}
        self.versions: dict[str, int] = {}
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.messages: list[types.ShowMessageParams] = []
        self.log: list[str] = []
        self.shown: list[str] = []
        self.progress: list[Any] = []
        self.refreshed = 0
        self.registered: list[str] = []
        self._pull, self._snippets = pull, snippets
        self._encoding = encoding
        self._options = options
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.client = LanguageClient("tests", "1", converter_factory=_converter)
        self._listen()

    def run(self, coroutine: Coroutine[Any, Any, T], patience: float = PATIENCE) -> T:
        """What a coroutine gives, run in the client's loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(patience)

    def call(self, function: Callable[[], object]) -> None:
        """Send a notification, in the client's loop."""

        async def sent() -> None:
            function()

        self.run(sent())

    def until(self, true: Callable[[], bool], what: str = "it") -> None:
        """Wait for something that the server is to bring about."""
        end = time.monotonic() + PATIENCE
        while not true():
            if time.monotonic() > end:
                raise AssertionError(f"waited in vain for {what}; log: {self.log[-5:]} {self.messages[-2:]}")
            time.sleep(0.01)

    # ------------------------------------------------------------- begin, end

    def start(self, *arguments: str, tcp: int = 0) -> types.InitializeResult:
        """Start the server and shake hands."""
        if tcp:
            self.run(self.client.start_tcp("127.0.0.1", tcp))
        else:
            command = [sys.executable, "-m", "compilelint", "server", *arguments]
            self.run(self.client.start_io(*command, env={**os.environ, "PYTHONFAULTHANDLER": "1"}))
        folders = [types.WorkspaceFolder(uri_of(one.as_posix()), one.name) for one in self.folders]
        result = self.run(
            self.client.initialize_async(
                types.InitializeParams(
                    capabilities=self._capabilities(),
                    workspace_folders=folders,
                    initialization_options=self._options,
                )
            )
        )
        chosen = result.capabilities.position_encoding
        self.units = Encoding(str(getattr(chosen, "value", chosen)))
        self.call(lambda: self.client.initialized(types.InitializedParams()))
        return result

    def stop(self) -> None:
        """End the server as the protocol says."""
        self.run(self.client.shutdown_async(None))
        self.call(lambda: self.client.exit(None))
        try:
            self.run(self.client.stop())  # type: ignore[no-untyped-call]
        except (TimeoutError, concurrent.futures.TimeoutError):
            raise AssertionError(f"the server does not end: {self._at_work()}") from None
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(PATIENCE)

    def _at_work(self) -> str:
        """What the threads of a server that does not end are at, or that it has ended."""
        server = self.client._server
        if server is None or server.stderr is None or os.name == "nt":
            return "no process to ask"
        with suppress(ProcessLookupError):
            server.send_signal(signal.SIGABRT)  # Python then writes the stacks
        try:
            return f"{server.returncode}, {self.run(server.stderr.read(), 10).decode(errors='replace')}"
        except (TimeoutError, concurrent.futures.TimeoutError):
            return f"{server.returncode}, and another process holds its standard error"

    def _capabilities(self) -> types.ClientCapabilities:
        document = types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
            diagnostic=types.DiagnosticClientCapabilities() if self._pull else None,
        )
        return types.ClientCapabilities(
            general=types.GeneralClientCapabilities(position_encodings=[self._encoding]),
            text_document=document,
            notebook_document=types.NotebookDocumentClientCapabilities(types.NotebookDocumentSyncClientCapabilities()),
            workspace=types.WorkspaceClientCapabilities(
                configuration=self.settings is not None,
                workspace_folders=True,
                did_change_watched_files=types.DidChangeWatchedFilesClientCapabilities(dynamic_registration=True),
                workspace_edit=types.WorkspaceEditClientCapabilities(
                    document_changes=True, snippet_edit_support=self._snippets or None
                ),
                diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True) if self._pull else None,
            ),
            window=types.WindowClientCapabilities(
                work_done_progress=True, show_document=types.ShowDocumentClientCapabilities(support=True)
            ),
        )

    def _listen(self) -> None:
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.published[params.uri] = params

        def shown(params: types.ShowMessageParams) -> None:
            self.messages.append(params)

        def logged(params: types.LogMessageParams) -> None:
            self.log.append(params.message)

        def configuration(params: types.ConfigurationParams) -> list[Any]:
            return [self.settings for _ in params.items]

        def register(params: types.RegistrationParams) -> None:
            self.registered += [one.method for one in params.registrations]

        def document(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
            self.shown.append(params.uri)
            return types.ShowDocumentResult(True)

        def create(params: types.WorkDoneProgressCreateParams) -> None:
            self.progress.append(params.token)

        def progressed(params: types.ProgressParams) -> None:
            self.progress.append(params.value)

        def refresh(params: None) -> None:
            self.refreshed += 1

        received: dict[str, Callable[[Any], object]] = {
            types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: published,
            types.WINDOW_SHOW_MESSAGE: shown,
            types.WINDOW_LOG_MESSAGE: logged,
            types.WORKSPACE_CONFIGURATION: configuration,
            types.CLIENT_REGISTER_CAPABILITY: register,
            types.WINDOW_SHOW_DOCUMENT: document,
            types.WINDOW_WORK_DONE_PROGRESS_CREATE: create,
            types.PROGRESS: progressed,
            types.WORKSPACE_DIAGNOSTIC_REFRESH: refresh,
        }
        for method, function in received.items():
            self.client.feature(method)(function)

    # ------------------------------------------------------------------ texts

    def uri(self, name: str) -> str:
        """The URI of a file below the first folder, or of an absolute path."""
        return uri_of((self.folders[0] / name).as_posix() if self.folders else name)

    def open(self, name: str, text: str | None = None) -> None:
        """Open a file as it is on the disk, or with another text."""
        if text is None:
            text = (self.folders[0] / name).read_text(encoding="utf-8")
        self.texts[name], self.versions[name] = text, 1
        item = types.TextDocumentItem(self.uri(name), "python", 1, text)
        self.call(lambda: self.client.text_document_did_open(types.DidOpenTextDocumentParams(item)))

    def type(self, name: str, old: str, new: str) -> None:
        """Replace the first `old` of an open text, as an editor sends it."""
        text = self.texts[name]
        at = text.index(old)
        start, end = self._position(text, at), self._position(text, at + len(old))
        change = types.TextDocumentContentChangePartial(types.Range(start, end), new)
        self.texts[name] = text[:at] + new + text[at + len(old) :]
        self._changed(name, change)

    def replace(self, name: str, text: str) -> None:
        """Replace all of an open text."""
        self.texts[name] = text
        self._changed(name, types.TextDocumentContentChangeWholeDocument(text))

    def _changed(self, name: str, change: types.TextDocumentContentChangeEvent) -> None:
        self.versions[name] += 1
        document = types.VersionedTextDocumentIdentifier(self.versions[name], self.uri(name))
        params = types.DidChangeTextDocumentParams(document, [change])
        self.call(lambda: self.client.text_document_did_change(params))

    def close(self, name: str) -> None:
        """Close an open text."""
        document = types.TextDocumentIdentifier(self.uri(name))
        self.call(lambda: self.client.text_document_did_close(types.DidCloseTextDocumentParams(document)))

    def _position(self, text: str, at: int) -> types.Position:
        lines = split_lines(text[:at])
        return types.Position(len(lines) - 1, self.units.units(lines[-1], len(lines[-1])))

    def range(self, name: str, piece: str) -> types.Range:
        """Where the first such piece of an open text stands."""
        text = self.texts[name]
        at = text.index(piece)
        return types.Range(self._position(text, at), self._position(text, at + len(piece)))

    # ---------------------------------------------------------------- answers

    def diagnostics(self, name: str) -> list[types.Diagnostic]:
        """What is said of an open text as it is now: pulled, or waited for."""
        uri = self.uri(name)
        if self._pull:
            document = types.TextDocumentIdentifier(uri)
            report = self.run(self.client.text_document_diagnostic_async(types.DocumentDiagnosticParams(document)))
            assert isinstance(report, types.RelatedFullDocumentDiagnosticReport)
            return list(report.items)
        version = self.versions.get(name)
        self.until(lambda: uri in self.published and self.published[uri].version == version, f"{name} {version}")
        return list(self.published[uri].diagnostics)

    def codes(self, name: str) -> list[object]:
        """The codes of the diagnostics of an open text, in order."""
        return [one.code for one in self.diagnostics(name)]

    def actions(self, name: str, piece: str, *only: str) -> list[types.CodeAction]:
        """The code actions for a piece of an open text."""
        params = types.CodeActionParams(
            types.TextDocumentIdentifier(self.uri(name)),
            self.range(name, piece),
            types.CodeActionContext([], only=list(only) or None),
        )
        found = self.run(self.client.text_document_code_action_async(params)) or []
        return [one for one in found if isinstance(one, types.CodeAction)]

    def hover(self, name: str, piece: str) -> str:
        """What is said of the place where a piece of an open text begins; empty where nothing is."""
        document = types.TextDocumentIdentifier(self.uri(name))
        params = types.HoverParams(document, self.range(name, piece).start)
        found = self.run(self.client.text_document_hover_async(params))
        content = found.contents if found is not None else None
        return content.value if isinstance(content, types.MarkupContent) else ""

    def hints(self, name: str) -> list[tuple[int, str]]:
        """Line (from 1) and label of each inlay hint."""
        whole = types.Range(types.Position(0, 0), types.Position(10_000, 0))
        params = types.InlayHintParams(types.TextDocumentIdentifier(self.uri(name)), whole)
        found = self.run(self.client.text_document_inlay_hint_async(params)) or []
        return [(one.position.line + 1, str(one.label)) for one in found]

    def lenses(self, name: str) -> list[tuple[int, str]]:
        """Line (from 1) and title of each code lens."""
        params = types.CodeLensParams(types.TextDocumentIdentifier(self.uri(name)))
        found = self.run(self.client.text_document_code_lens_async(params)) or []
        return [(one.range.start.line + 1, one.command.title) for one in found if one.command]

    def execute(self, command: str, *arguments: Any) -> Any:
        """What a command of the server gives."""
        params = types.ExecuteCommandParams(command, list(arguments))
        return self.run(self.client.workspace_execute_command_async(params), 300)

    def applied(self, name: str, edit: types.WorkspaceEdit | None) -> str:
        """An open text after an edit, as an editor applies it."""
        assert edit is not None
        changes = [one for one in edit.document_changes or () if isinstance(one, types.TextDocumentEdit)]
        text = self.texts[name]
        for one in changes:
            assert one.text_document.uri == self.uri(name)
            assert one.text_document.version == self.versions[name]
            for change in one.edits:
                start, end = self._offset(text, change.range.start), self._offset(text, change.range.end)
                new = change.snippet.value if isinstance(change, types.SnippetTextEdit) else change.new_text
                text = text[:start] + new + text[end:]
        return text

    def _offset(self, text: str, at: types.Position) -> int:
        lines = text.split("\n")
        return sum(len(line) + 1 for line in lines[: at.line]) + self.units.points(lines[at.line], at.character)


def _converter() -> Any:
    """lsprotocol takes a code action that names a command for the command itself."""
    converter: Any = default_converter()  # type: ignore[no-untyped-call]

    def either(given: Any, _: Any) -> types.Command | types.CodeAction:
        command = isinstance(given.get("command"), str)
        found: types.Command | types.CodeAction = converter.structure(
            given, types.Command if command else types.CodeAction
        )
        return found

    converter.register_structure_hook(Union[types.Command, types.CodeAction], either)  # noqa: UP007 - its own spelling
    return converter


@contextmanager
def editor(*folders: Path, arguments: tuple[str, ...] = (), **how: Any) -> Iterator[Editor]:
    """A client with a server of its own, for as long as the block runs."""
    client = Editor(*folders, **how)
    client.start(*arguments)
    try:
        yield client
    finally:
        client.stop()

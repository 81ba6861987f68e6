"""The server: what is open, what was found, and who waits for it. Features register themselves (`features`).

Everything here runs in the loop that talks to the client; what takes long runs in the worker's thread. A change of a
text marks its project; the worker lints it with the texts as they are then, so that typing never queues.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError, PyglsError
from pygls.lsp.server import LanguageServer
from pygls.workspace import Workspace

from compilelint import __version__
from compilelint.config import nearest_files
from compilelint.model import Finding
from compilelint.server.buffers import Buffer, Buffers, path_of, uri_of
from compilelint.server.diagnostics import Places
from compilelint.server.notebook_places import NotebookPlaces
from compilelint.server.positions import Encoding
from compilelint.server.projects import Project, Results
from compilelint.server.settings import Settings, settings_of
from compilelint.server.worker import Worker
from compilelint.session.pipeline.inputs import base_of, unparsable
from compilelint.syntax.source import Source, read_source, source_from_bytes
from compilelint.syntax.unreadable import Unreadable

T = TypeVar("T")
_log = logging.getLogger(__name__)

MAX_UNSHOWN = 2.0
"""Seconds for which an analysis is given up when the text changes again; later one is let run to its end."""


@dataclass(slots=True)
class Good:
    """The last text of a file that was Python, its version, and what was found in it."""

    source: Source
    version: int | None


@dataclass(slots=True)
class State:
    """A project as the client sees it: what was asked for last, what was found last, and who waits."""

    project: Project
    asked: int = 0
    done: int = 0
    shown: float = field(default_factory=time.monotonic)  # when something was shown last
    results: Results | None = None
    versions: dict[str, int | None] = field(default_factory=dict)  # by URI: of the texts that were linted
    waiting: list[tuple[int, asyncio.Future[Results]]] = field(default_factory=list)


class CompilelintServer(LanguageServer):
    """A language server of compilelint. `packs` are rule packs that the command line names."""

    def __init__(self, packs: Sequence[str] = ()) -> None:
        super().__init__(
            "compilelint",
            __version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            notebook_document_sync=types.NotebookDocumentSyncOptions(
                notebook_selector=[  # of every notebook, the cells in Python
                    types.NotebookDocumentFilterWithNotebook("*", [types.NotebookCellLanguage(language="python")])
                ],
                save=True,
            ),
        )
        self.packs = tuple(packs)
        self.buffers = Buffers()
        self.worker = Worker()
        self.trusted = False
        self.folders: list[str] = []
        self.settings: dict[str, Settings] = {}  # by workspace folder, "" for what lies in none
        self.states: dict[tuple[str, str | None], State] = {}
        self.good: dict[str, Good] = {}  # by path
        self.broken: dict[str, Unreadable] = {}  # by path: open texts that are no Python
        self._judged: dict[str, Buffer] = {}  # by path: of which `good` and `broken` speak
        self.published: Callable[[State], None] = lambda state: None  # set by `features.diagnostics`
        self._homes: dict[str, tuple[str, str | None]] = {}

    def report_server_error(self, error: Exception, source: type[PyglsError] | type[JsonRpcException]) -> None:
        """Show an error to the client, but not that sending failed: saying so would fail too, without end."""
        if source is not JsonRpcInternalError:
            super().report_server_error(error, source)

    # --------------------------------------------------------------- projects

    def folder_of(self, path: str) -> str:
        """The innermost workspace folder around a path; empty where there is none."""
        around = [one for one in self.folders if path.startswith(f"{one.rstrip('/')}/")]
        return max(around, key=len, default="")

    def settings_for(self, path: str) -> Settings:
        """The settings that hold for a path."""
        return self.settings.get(self.folder_of(path)) or self.settings.get("") or Settings()

    def state_of(self, path: str) -> State | None:
        """The project of a file; None where nothing is linted."""
        if not path or not self.settings_for(path).enable:
            return None
        home = self._homes.get(path)
        if home is None:
            if os.path.isdir(path):
                return None  # asked for as if it were a text: it would be linted as a folder
            home = self._homes[path] = (self.folder_of(path), nearest_files([path])[path])
        state = self.states.get(home)
        if state is None:
            folder, config = home
            project = Project(folder or base_of(path), config, self.settings_for(path), self.packs, not folder)
            state = self.states[home] = State(project)
        return state

    def forget(self) -> None:
        """Files came or went, or what is configured changed: every project is looked at again."""
        self._homes.clear()
        for state in self.states.values():
            state.project.forget()

    def reset(self) -> None:
        """Folders or settings changed: begin again with what is open."""
        self._homes.clear()
        self.states.clear()
        for path in self.open_paths():
            self.touch(path)

    def open_paths(self) -> list[str]:
        """The files and notebooks that are open."""
        return [*(one.path for one in self.buffers.files()), *(one.path for one in self.buffers.notebooks())]

    # --------------------------------------------------------------- analysis

    def _judge(self, buffer: Buffer) -> None:
        """See whether an open text is Python, once at each version, in the worker: a large one takes its time."""
        if self._judged.get(buffer.path) is buffer:
            return
        source = buffer.source()
        found = source.tree() if isinstance(source, Source) else source
        if self.buffers.get(buffer.uri) is not buffer:
            return  # it was changed or closed meanwhile, and is looked at again, or not at all
        self._judged[buffer.path] = buffer
        if isinstance(found, Unreadable):
            self.broken[buffer.path] = found
        else:
            assert isinstance(source, Source)
            self.broken.pop(buffer.path, None)
            self.good[buffer.path] = Good(source, buffer.version)

    def closed(self, path: str) -> None:
        """Forget a text that is open no more: what the disk holds counts again."""
        for known in (self.good, self.broken, self._judged):
            known.pop(path, None)

    def touch(self, path: str) -> None:
        """Lint the project of a path again."""
        state = self.state_of(path)
        if state is not None:
            self.lint(state)

    def lint(self, state: State) -> None:
        """Lint a project with what is open when its turn comes."""
        state.asked += 1
        loop = asyncio.get_running_loop()

        def stopped() -> bool:  # someone types on; but now and then something is shown all the same
            return self.worker.waits(id(state)) and time.monotonic() - state.shown < MAX_UNSHOWN

        def job() -> tuple[int, dict[str, int | None], Results]:
            asked = state.asked  # before the texts are taken: what comes later is asked again
            versions = self.buffers.versions()
            return asked, versions, state.project.results(self.texts(), stopped)

        def done(outcome: tuple[int, dict[str, int | None], Results] | None, error: BaseException | None) -> None:
            loop.call_soon_threadsafe(self._finished, state, outcome, error)

        self.worker.ask(id(state), job, done)

    def texts(self) -> dict[str, Source]:
        """The texts that stand in for files; of one that is no Python at the moment, the last that was.

        For the worker's thread.
        """
        found: dict[str, Source] = {}
        for buffer in self.buffers.files():
            self._judge(buffer)
            good = self.good.get(buffer.path)
            if good is not None:
                found[buffer.path] = good.source
            elif isinstance(source := buffer.source(), Source):
                found[buffer.path] = source
        for notebook in self.buffers.notebooks():
            source = source_from_bytes(notebook.path, self.buffers.as_json(notebook))
            if isinstance(source, Source):
                found[notebook.path] = source
        return found

    def _finished(
        self, state: State, outcome: tuple[int, dict[str, int | None], Results] | None, error: BaseException | None
    ) -> None:
        if self.worker.ended:  # asked for before the client said that it ends: its pipe may be closed
            return
        if outcome is None:
            failure = f"a defect of compilelint: {error!r}; please report it"
            outcome = state.asked, self.buffers.versions(), Results({}, failure=failure)
        done, versions, results = outcome
        if results.failure and (state.results is None or state.results.failure != results.failure):
            _log.error("%s", results.failure)
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, results.failure))
        state.shown = time.monotonic()
        state.done, state.versions, state.results = done, versions, results
        ready = [future for asked, future in state.waiting if asked <= done]
        state.waiting = [one for one in state.waiting if one[0] > done]
        for future in ready:
            if not future.done():
                future.set_result(results)
        self.published(state)

    async def results(self, path: str) -> Results | None:
        """What was found with all that is open as it is now; None where nothing is linted."""
        state = self.state_of(path)
        if state is None:
            return None
        if state.results is not None and state.done >= state.asked:
            return state.results
        if state.asked == 0:
            self.lint(state)
        future: asyncio.Future[Results] = asyncio.get_running_loop().create_future()
        state.waiting.append((state.asked, future))
        return await future

    async def in_worker(self, key: object, job: Callable[[], T]) -> T:
        """What a job gives that must not run beside an analysis."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()

        def settle(outcome: Any, error: BaseException | None) -> None:
            if future.done():
                return
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(outcome)

        def done(outcome: Any, error: BaseException | None) -> None:
            loop.call_soon_threadsafe(settle, outcome, error)

        self.worker.ask(key, job, done)
        return await future

    # ----------------------------------------------------------------- places

    def places(self, results: Results) -> Places:
        """How places in the texts that were linted are given to the client."""
        known: dict[str, list[str]] = {}

        def lines_of(path: str, cell: int | None) -> list[str]:
            if cell is not None:
                return self.notebook_places.lines(path, cell)
            if path not in known:
                source = results.texts.get(path) or read_source(path)
                known[path] = source.lines if isinstance(source, Source) else []
            return known[path]

        return Places(self.buffers.encoding, lines_of, self.uri)

    def places_in(self, path: str, lines: Sequence[str]) -> Places:
        """How places in one text are given, which may be no text that was linted."""
        return Places(self.buffers.encoding, lambda at, cell: lines if at == path else [], self.uri)

    def refusal(self, broken: Unreadable) -> Finding:
        """The finding for a text that is no Python."""
        return unparsable(broken)

    @property
    def notebook_places(self) -> NotebookPlaces:
        """Cells of open notebooks by their number."""
        return NotebookPlaces(self.buffers)

    def uri(self, path: str, cell: int | None = None) -> str:
        """The URI of a path, as the client writes it where it is open."""
        if cell is not None:
            return self.notebook_places.uri(path, cell) or uri_of(path)
        return next((one.uri for one in self.buffers.files() if one.path == path), None) or uri_of(path)

    def say(self, text: str) -> None:
        """A line for the client's log."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Info, text))


def started(server: CompilelintServer, params: types.InitializeParams) -> None:
    """What the client says of itself once: folders, how it counts, whether the workspace is trusted."""
    options = params.initialization_options
    options = options if isinstance(options, dict) else {}
    server.trusted = options.get("trusted") is True
    server.settings[""] = settings_of(options.get("settings"))
    named = [one.uri for one in params.workspace_folders or ()] or [params.root_uri or ""]
    server.folders = list(folders_of(named))
    _keep_no_texts(server.workspace)
    chosen = server.workspace.position_encoding
    server.buffers.encoding = Encoding(str(getattr(chosen, "value", chosen)))


def _keep_no_texts(workspace: Workspace) -> None:
    """Let pygls keep no texts of its own: it would hold each twice, and split it all again at every change."""
    for kind in ("text", "notebook"):
        for what in ("put", "update", "remove"):
            setattr(workspace, f"{what}_{kind}_document", lambda *_, **__: None)


def folders_of(uris: Sequence[str]) -> Iterator[str]:
    """The paths of workspace folders."""
    for uri in uris:
        path = path_of(uri)
        if path:
            yield path.rstrip("/") or "/"

"""What is opened, changed, saved, closed, created, renamed and deleted."""

from __future__ import annotations

from lsprotocol import types

from compilelint.server.app import CompilelintServer
from compilelint.server.buffers import Buffer, path_of


def register(server: CompilelintServer) -> None:
    """Follow what happens to texts and files. Nothing here waits: the order of changes is what they mean."""

    def taken(buffer: Buffer | None) -> None:
        if buffer is not None and buffer.path:
            server.touch(buffer.path)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: types.DidOpenTextDocumentParams) -> None:
        taken(server.buffers.open(params.text_document))

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        taken(server.buffers.change(document.uri, document.version, params.content_changes))

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def did_save(params: types.DidSaveTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        if path.endswith((".toml", ".txt", ".gitignore")):
            _again(server)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: types.DidCloseTextDocumentParams) -> None:
        buffer = server.buffers.close(params.text_document.uri)
        if buffer is not None and buffer.path:
            server.closed(buffer.path)
            server.touch(buffer.path)

    _register_notebooks(server)
    _register_files(server)


def _register_notebooks(server: CompilelintServer) -> None:
    @server.feature(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def notebook_opened(params: types.DidOpenNotebookDocumentParams) -> None:
        found = server.buffers.open_notebook(params.notebook_document, params.cell_text_documents)
        server.touch(found.path)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def notebook_changed(params: types.DidChangeNotebookDocumentParams) -> None:
        document = params.notebook_document
        found = server.buffers.change_notebook(document.uri, document.version, params.change)
        if found is not None:
            server.touch(found.path)

    @server.feature(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def notebook_closed(params: types.DidCloseNotebookDocumentParams) -> None:
        found = server.buffers.close_notebook(params.notebook_document.uri)
        if found is not None:
            server.touch(found.path)


def _register_files(server: CompilelintServer) -> None:
    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: types.DidChangeWatchedFilesParams) -> None:
        _again(server)

    every = types.FileOperationRegistrationOptions(
        [types.FileOperationFilter(types.FileOperationPattern("**/*.{py,ipynb}"), "file")]
    )

    @server.feature(types.WORKSPACE_DID_CREATE_FILES, every)
    def created(params: types.CreateFilesParams) -> None:
        _again(server)

    @server.feature(types.WORKSPACE_DID_RENAME_FILES, every)
    def renamed(params: types.RenameFilesParams) -> None:
        _again(server)

    @server.feature(types.WORKSPACE_DID_DELETE_FILES, every)
    def deleted(params: types.DeleteFilesParams) -> None:
        _again(server)


def _again(server: CompilelintServer) -> None:
    """Files came, went or changed on the disk: all that is open is linted again."""
    server.forget()
    for state in {id(one): one for path in server.open_paths() if (one := server.state_of(path))}.values():
        server.lint(state)

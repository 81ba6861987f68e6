"""Diagnostics: pulled by the clients that can, pushed to the others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from lsprotocol import types

from compilelint.server.app import CompilelintServer, State
from compilelint.server.buffers import path_of
from compilelint.server.diagnostics import SOURCE, diagnostic, dimmed, kept_through
from compilelint.server.positions import split_lines
from compilelint.server.projects import Results

_OPTIONS = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=True, identifier=SOURCE)


def register(server: CompilelintServer) -> None:
    """Push after each analysis; answer what is pulled."""
    shown: dict[str, str] = {}  # by URI: what was pushed last

    def push(state: State) -> None:
        if pulls(server):
            workspace = server.client_capabilities.workspace
            if workspace and workspace.diagnostics and workspace.diagnostics.refresh_support and state.done > 1:
                server.workspace_diagnostic_refresh(None)
            return
        results = state.results
        if results is None:
            return
        found = all_diagnostics(server, state, results)
        for uri in [uri for uri in shown if uri not in found and _belongs(server, uri, state)]:
            found[uri] = []
        for uri, diagnostics in found.items():
            opened, stamp = uri in state.versions, _stamp(diagnostics)
            if shown.get(uri, "") == stamp and not opened:
                continue
            shown[uri] = stamp
            version = state.versions.get(uri)
            server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, version))
            if not diagnostics:
                shown.pop(uri, None)

    server.published = push

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, _OPTIONS)
    async def pulled(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        found = await diagnostics_of(server, params.text_document.uri)
        stamp = _stamp(found)
        if params.previous_result_id == stamp:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=stamp)
        return types.RelatedFullDocumentDiagnosticReport(items=found, result_id=stamp)

    @server.feature(types.WORKSPACE_DIAGNOSTIC)
    async def of_workspace(params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
        before = {one.uri: one.value for one in params.previous_result_ids}
        items: list[types.WorkspaceDocumentDiagnosticReport] = []
        for state in list(server.states.values()):
            results = state.results
            if results is None:
                continue
            found = all_diagnostics(server, state, results)
            for uri in before.keys() - found.keys():
                if _belongs(server, uri, state):
                    found[uri] = []
            for uri, diagnostics in found.items():
                buffer, stamp = server.buffers.get(uri), _stamp(diagnostics)
                version = None if buffer is None else buffer.version
                if before.get(uri) == stamp:
                    items.append(types.WorkspaceUnchangedDocumentDiagnosticReport(uri, stamp, version))
                else:
                    items.append(
                        types.WorkspaceFullDocumentDiagnosticReport(uri, diagnostics, version, result_id=stamp)
                    )
        return types.WorkspaceDiagnosticReport(items)


def pulls(server: CompilelintServer) -> bool:
    """Whether the client asks for diagnostics itself."""
    documents = server.client_capabilities.text_document
    return documents is not None and documents.diagnostic is not None


async def diagnostics_of(server: CompilelintServer, uri: str) -> list[types.Diagnostic]:
    """The diagnostics of an open text or a cell, with all that is open as it is now."""
    buffer = server.buffers.get(uri)
    if buffer is None:
        return []
    notebook = server.buffers.notebook(buffer.cell_of) if buffer.cell_of else None
    path = notebook.path if notebook is not None else buffer.path
    results = await server.results(path)
    state = server.state_of(path)
    if results is None or state is None:
        return []
    return all_diagnostics(server, state, results).get(uri, [])


def all_diagnostics(server: CompilelintServer, state: State, results: Results) -> dict[str, list[types.Diagnostic]]:
    """The diagnostics of a project by URI; an open text has an entry even where nothing is found."""
    found: dict[str, list[types.Diagnostic]] = {}
    for buffer in server.buffers.files():
        if server.state_of(buffer.path) is state:
            found[buffer.uri] = list(_of_file(server, results, buffer.path))
    for notebook in server.buffers.notebooks():
        if server.state_of(notebook.path) is state:
            found.update({cell.document: [] for cell in notebook.cells})
            for one in results.findings(notebook.path):
                places = server.places(results)
                uri = places.uri_of(notebook.path, one.location.cell)
                found.setdefault(uri, []).append(diagnostic(one, places, related(server)))
    opened = set(server.open_paths())
    if not state.project.one_by_one:
        for path in results.paths():
            if path not in opened:
                found[server.uri(path)] = list(_of_file(server, results, path))
    return found


def _of_file(server: CompilelintServer, results: Results, path: str) -> Iterator[types.Diagnostic]:
    places = server.places(results)
    broken = server.broken.get(path)
    if broken is None:
        for one in results.findings(path):
            yield diagnostic(one, places, related(server))
        return
    buffer = next(one for one in server.buffers.files() if one.path == path)
    lines = split_lines(buffer.text) if broken.kind != "too-large" else []  # nothing is placed in such a text
    yield diagnostic(server.refusal(broken), server.places_in(path, lines), related(server))
    good = server.good.get(path)
    if good is not None and lines and results.texts.get(path) is good.source:
        there = server.places_in(path, lines)
        for one in kept_through(results.findings(path), good.source.lines, lines):
            yield dimmed(diagnostic(one, there, related(server)), good.version)


def related(server: CompilelintServer) -> bool:
    """Whether the client shows related places, with either way of handing diagnostics over."""
    documents = server.client_capabilities.text_document
    for can in (documents and documents.publish_diagnostics, documents and documents.diagnostic):
        if can and can.related_information:
            return True
    return False


def _belongs(server: CompilelintServer, uri: str, state: State) -> bool:
    return server.state_of(path_of(uri)) is state


def _stamp(diagnostics: list[types.Diagnostic]) -> str:
    """A name for what is said: the same words, the same name."""
    text = json.dumps([repr(one) for one in diagnostics])
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()

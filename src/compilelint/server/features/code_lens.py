"""Code lenses on compile roots: how many graphs are expected, and a run that proves it."""

from __future__ import annotations

from lsprotocol import types

from compilelint.report.layout.root_titles import titles
from compilelint.server.app import CompilelintServer
from compilelint.server.features.actions import VERIFY

SHOW = "compilelint.showRoot"


def register(server: CompilelintServer) -> None:
    """Answer for a text."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    async def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        buffer = server.buffers.get(params.text_document.uri)
        if buffer is None or buffer.cell_of:
            return []
        if not server.settings_for(buffer.path).code_lens:
            return []
        results = await server.results(buffer.path)
        source = None if results is None else results.texts.get(buffer.path)
        if results is None or source is None or buffer.path in server.broken:
            return []
        found = []
        report = results.report_of(buffer.path)
        if report is not None:
            for root, title in titles(report, buffer.path):
                range_ = server.buffers.encoding.range(source.lines, root.location.span)
                argument = {"uri": buffer.uri, "spec": root.spec}
                found.append(types.CodeLens(range_, types.Command(title, SHOW, arguments=[argument])))
                if root.spec and server.trusted:
                    found.append(types.CodeLens(range_, types.Command("verify", VERIFY, arguments=[argument])))
        return found

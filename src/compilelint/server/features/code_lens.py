"""Code lenses on compile roots: how many graphs are expected, and a run that proves it."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from compilelint.report.layout.graph_count import graph_count
from compilelint.report.layout.text import counted
from compilelint.report.report import CompileRoot, Report
from compilelint.server.app import CompilelintServer
from compilelint.server.features.actions import VERIFY

SHOW = "compilelint.showRoot"
_WHOLE = "one graph expected"


def register(server: CompilelintServer) -> None:
    """Answer for a text."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS, types.CodeLensOptions(resolve_provider=False))
    async def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        buffer = server.buffers.get(params.text_document.uri)
        if buffer is None or buffer.cell_of or buffer.path in server.broken:
            return []
        if not server.settings_for(buffer.path).code_lens:
            return []
        results = await server.results(buffer.path)
        source = None if results is None else results.texts.get(buffer.path)
        if results is None or source is None:
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


def titles(report: Report, path: str) -> Iterator[tuple[CompileRoot, str]]:
    """The roots of a file, each once, with what is expected of them; guesses only where something ends a graph."""
    seen: set[tuple[str, int]] = set()
    for root in report.roots:
        key = root.name, root.location.span.line
        if root.location.path != path or root.location.cell is not None or key in seen:
            continue
        seen.add(key)
        places = {one.location.span.line for one in report.findings if root.name in one.roots and one.ends_graph}
        if places or root.known:
            count = len(places)
            words = f"{counted(count, 'graph break')}, {graph_count([root]).words} expected" if count else _WHOLE
            yield root, words if root.known else f"{words} if compiled"

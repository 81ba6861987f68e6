"""Inlay hints: where in the body of a root a graph ends and the next one begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from compilelint.model import Location
from compilelint.report.layout.strips import Strip, expected
from compilelint.report.report import Report
from compilelint.server.app import CompilelintServer


def register(server: CompilelintServer) -> None:
    """Answer for the visible part of a text."""

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        buffer = server.buffers.get(params.text_document.uri)
        if buffer is None or buffer.cell_of:
            return []
        if not server.settings_for(buffer.path).inlay_hints:
            return []
        results = await server.results(buffer.path)
        report = None if results is None else results.report_of(buffer.path)
        source = None if results is None else results.texts.get(buffer.path)
        if report is None or source is None or buffer.path in server.broken:
            return []
        first, last = params.range.start.line + 1, params.range.end.line + 1
        encoding, lines = server.buffers.encoding, source.lines
        found = []
        for line, label, note in labels(report, buffer.path, lines):
            if first <= line <= last:
                at = encoding.position(lines, line, len(lines[line - 1]) + 1)
                found.append(types.InlayHint(at, label, padding_left=True, tooltip=note or None))
        return found


def labels(report: Report, path: str, lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Line, label and tooltip of each hint of a file, in order of lines."""

    def line_of(place: Location, number: int) -> str:
        return lines[number - 1] if place.path == path and 0 < number <= len(lines) else ""

    found: dict[tuple[int, str], str] = {}
    for strip in expected(report, line_of):
        if strip.path == path:
            for line, label, note in _of(strip):
                found.setdefault((line, label), note)
    for (line, label), note in sorted(found.items()):
        yield line, label, note


def _of(strip: Strip) -> Iterator[tuple[int, str, str]]:
    count = max((one.part for one in strip.stretches), default=0)
    root = f"Compile root: {strip.name}" + (f", {strip.varies} in a call" if strip.varies else "")
    among = "up to " if strip.varies else ""  # not each part is one in every call
    for one in strip.stretches:
        if one.kind == "graph":
            yield one.lines[0], f"graph {one.part} of {among}{count}", root
        elif one.kind == "break":
            yield one.lines[0], "graph ends" if count else "frame skipped", f"{one.note}\n\n{root}"
        elif one.kind == "python":
            yield one.lines[0], "not compiled", root

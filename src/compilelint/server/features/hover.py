"""Hover: what is believed of the expression under the cursor, why, how sure, and which roots get there."""

from __future__ import annotations

from lsprotocol import types

from compilelint.lib.node_state import NodeState
from compilelint.model import Span
from compilelint.server.app import CompilelintServer
from compilelint.session.live_hover import innermost, words


def register(server: CompilelintServer) -> None:
    """Answer what is asked of a position."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        buffer = server.buffers.get(params.text_document.uri)
        if buffer is None or buffer.cell_of:
            return None
        results = await server.results(buffer.path)
        state = server.state_of(buffer.path)
        source = results.texts.get(buffer.path) if results is not None else None
        if results is None or state is None or source is None or buffer.path in server.broken:
            return None
        place = server.buffers.encoding.place(source.lines, params.position)

        def job() -> tuple[Span, NodeState] | None:
            known = state.project.beliefs(results.texts, buffer.path)
            return None if known is None else innermost(known, place)

        found = await server.in_worker(("hover", buffer.uri), job)
        if found is None:
            return None
        span, believed = found
        content = types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(words(believed)))
        return types.Hover(content, server.buffers.encoding.range(source.lines, span))

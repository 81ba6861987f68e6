"""What is believed of the expression at a place of a text, and the words that an editor shows for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compilelint.lib.file_state import FileState, Key
from compilelint.lib.node_state import Happening, NodeState, happenings_of
from compilelint.model import Span
from compilelint.values.words import describe

_MOST_ROOTS = 5


def innermost(known: FileState, place: tuple[int, int]) -> tuple[Span, NodeState] | None:
    """The smallest expression around a place of which something is believed."""
    best: tuple[tuple[int, int], Key, Span] | None = None
    for key in known.believed():
        span = known.span(key)
        if span[:2] <= place <= span[2:]:
            size = (span.end_line - span.line, span.end_column - span.column)
            if best is None or size < best[0]:
                best = size, key, span
    if best is None:
        return None
    _, key, span = best
    state = known.state(key, known.function_around(span))
    return span, state if state.happenings else replace(state, happenings=happenings_around(known, span))


def happenings_around(known: FileState, inside: Span) -> tuple[Happening, ...]:
    """What happens at the smallest expression around a span at which anything does: at a call, of its callee."""
    around = [(span, pos) for pos in known.seen.events if _holds(span := known.span((pos, object)), inside)]
    if not around:
        return ()
    _, pos = min(around, key=lambda one: (one[0].end_line - one[0].line, one[0].end_column - one[0].column))
    return happenings_of(known.seen.events[pos])


def _holds(span: Span, inside: Span) -> bool:
    return span[:2] <= inside[:2] and inside[2:] <= span[2:]


def words(believed: NodeState) -> Iterator[str]:
    """Paragraphs: the belief, why, how sure it is, what happens there, and from which roots it is reached."""
    if believed.value is not None:
        yield f"```text\n{describe(believed.value, whole=True)}\n```"
    if believed.why:
        yield believed.why
    if believed.tensor is not None and believed.tensor.confidence.doubts:
        yield believed.tensor.confidence.explained
    for one in believed.happenings:
        named = f" {one.break_id}" if one.break_id else ""
        yield f"**{_HAPPENS[one.what]}**{named}{f': {one.reason}' if one.reason else ''}"
    roots = believed.reached_by
    if roots:
        named = ", ".join(f"`{one.root}`" for one in roots[:_MOST_ROOTS])
        more = f" and {len(roots) - _MOST_ROOTS} more" if len(roots) > _MOST_ROOTS else ""
        yield f"compiled from {named}{more} ({believed.confidence.explained})"


_HAPPENS = {
    "break": "Graph break",
    "sync": "Device sync",
    "recompile": "Recompile",
    "view": "View",
    "mutation": "Mutation",
}

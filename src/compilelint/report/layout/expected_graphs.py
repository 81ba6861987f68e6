"""How many graphs the findings of a compile root lead one to expect.

A break in straight-line code splits its function: a graph before it, a graph after it. One in a function that is called
splits every caller at the call, and that function into graphs of its own. One that Dynamo cannot split at (in a loop,
`try` or `with`) leaves the piece of the function that it stands in to Python, up to the function's end; what earlier
breaks have closed stays compiled. Counted is every piece, also one that computes nothing and is no graph.
"""

from __future__ import annotations

from collections.abc import Iterable

from compilelint.model import Finding

_Frame = tuple[tuple[str, int, str], ...]


def expected_graphs(findings: Iterable[Finding]) -> int:
    """The number of graphs of a root whose findings these are; 0 where nothing of it is compiled."""
    breaking = [one for one in findings if one.ends_graph]
    ends: dict[_Frame, dict[int, bool]] = {(): {}}
    for finding in breaking:
        frame: _Frame = ()
        for call in finding.call_chain:
            line = call.location.span.line
            ends.setdefault(frame, {}).setdefault(line, False)
            frame = (*frame, (call.location.path, line, call.function))
        here = ends.setdefault(frame, {})
        line = finding.location.span.line
        here[line] = here.get(line, False) or finding.skips_frame
    return sum(pieces(found) for found in ends.values())


def pieces(ends: dict[int, bool]) -> int:
    """The compiled pieces of one function; `ends` says of each line that ends a graph whether it skips the frame."""
    first_skip = min((line for line, skips in ends.items() if skips), default=None)
    if first_skip is None:
        return len(ends) + 1
    return sum(line < first_skip for line in ends)

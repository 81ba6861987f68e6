"""What an editor shows above each compile root of a file: how many graphs it is expected to come to."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.report.layout.graph_count import graph_count
from compilelint.report.layout.text import counted
from compilelint.report.report import CompileRoot, Report

_WHOLE = "one graph expected"


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

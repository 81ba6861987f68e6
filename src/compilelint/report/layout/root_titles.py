"""What an editor shows above each compile root of a file: how many graphs it is expected to come to."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.report.layout.graph_count import graph_count
from compilelint.report.layout.reached import ReachedRoots, RootKey, key_of
from compilelint.report.layout.text import counted
from compilelint.report.report import CompileRoot, Report

_WHOLE = "one graph expected"


def titles(report: Report, path: str) -> Iterator[tuple[CompileRoot, str]]:
    """The roots of a file, each once, with what is expected of them; guesses only where something ends a graph."""
    seen: set[tuple[str, int]] = set()
    reached = ReachedRoots(report)
    breaks: dict[RootKey, set[int]] = {}
    for one in report.findings if any(root.location.path == path for root in report.roots) else ():
        for reached_from in reached.of(one) if one.ends_graph else ():
            breaks.setdefault(reached_from, set()).add(one.location.span.line)
    for root in report.roots:
        key = root.name, root.location.span.line
        if root.location.path != path or root.location.cell is not None or key in seen:
            continue
        seen.add(key)
        places = breaks.get(key_of(root), set())
        if places or root.known:
            count = len(places)
            words = f"{counted(count, 'graph break')}, {graph_count([root]).words} expected" if count else _WHOLE
            yield root, words if root.known else f"{words} if compiled"

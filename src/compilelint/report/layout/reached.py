"""Which compile roots reach a finding: by name, and by place where several roots have one name."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.model import Finding
from compilelint.report.report import CompileRoot, Report

RootKey = tuple[str, str, int]
"""The name of a root, as findings call it, and the file and line of its `def`: a class may be defined twice."""

UNREACHED = " (unreached)"
"""What findings add to the name of a root that only might be compiled."""


class ReachedRoots:
    """The roots of a report by finding.

    A finding that does not say where its root lies reaches all roots of that name.
    """

    def __init__(self, report: Report) -> None:
        self._places: dict[str, dict[tuple[str, int], None]] = {}
        for root in report.roots:
            self._places.setdefault(root.name, {})[root.location.path, root.location.span.line] = None

    def of(self, finding: Finding) -> Iterator[RootKey]:
        """The roots that reach a finding, each once, in the finding's order."""
        said: dict[str, list[tuple[str, int]]] = {}
        for name, path, line in finding.root_places:
            said.setdefault(name, []).append((path, line))
        for name in finding.roots:
            places = self._places.get(name.removesuffix(UNREACHED), {})
            among = [place for place in said.get(name, ()) if place in places]
            for path, line in among or places:
                yield name, path, line


def key_of(root: CompileRoot) -> RootKey:
    """The key of a root that is known to be compiled."""
    return root.name, root.location.path, root.location.span.line

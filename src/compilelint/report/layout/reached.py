"""Which compile roots reach a finding: by name, and by file where several files have roots of one name."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.model import Finding
from compilelint.report.report import CompileRoot, Report

RootKey = tuple[str, str]
"""The name of a root, as findings call it, and the file that it lies in."""

UNREACHED = " (unreached)"
"""What findings add to the name of a root that only might be compiled."""


class ReachedRoots:
    """The roots of a report by finding.

    A finding that does not say in which file its root lies reaches all roots of that name.
    """

    def __init__(self, report: Report) -> None:
        self._paths: dict[str, dict[str, None]] = {}
        for root in report.roots:
            self._paths.setdefault(root.name, {})[root.location.path] = None

    def of(self, finding: Finding) -> Iterator[RootKey]:
        """The roots that reach a finding, each once, in the finding's order."""
        files: dict[str, list[str]] = {}
        for name, path in finding.root_files:
            files.setdefault(name, []).append(path)
        for name in finding.roots:
            paths = self._paths.get(name.removesuffix(UNREACHED), {})
            among = [path for path in files.get(name, ()) if path in paths]
            for path in among or paths:
                yield name, path


def key_of(root: CompileRoot) -> RootKey:
    """The key of a root that is known to be compiled."""
    return root.name, root.location.path

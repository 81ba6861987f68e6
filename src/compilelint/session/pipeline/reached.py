"""Every root that reaches a break is named by its finding, and not only the root that was run first.

What a function comes to is found once for all calls alike (a summary), so one root meets its breaks and the others
share them. How far each reaches is known (`CompileRoot.ends`), and a root that is asked alone says the same. Roots
of one name in several places are different roots.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from compilelint.model import Finding
from compilelint.report.report import CompileRoot

_UNREACHED = " (unreached)"  # what findings add to the name of a root that only might be compiled


def with_roots(findings: Iterable[Finding], roots: Iterable[CompileRoot]) -> Iterator[Finding]:
    """The findings, those that end graphs with all roots that reach them, in the order of the roots."""
    reaching: dict[tuple[str, int], dict[tuple[str, str, int], None]] = {}
    for root in roots:
        name = f"{root.name}{_UNREACHED}" if root.kind == "unreached" else root.name
        for place in root.ends:
            reaching.setdefault(place, {})[name, root.location.path, root.location.span.line] = None
    for finding in findings:
        more = reaching.get((finding.location.path, finding.location.span.line)) if finding.ends_graph else None
        known = dict.fromkeys(finding.root_places)
        if not more or not finding.roots or more.keys() <= known.keys():
            yield finding
            continue
        names = dict.fromkeys((*finding.roots, *(name for name, *_ in more)))
        yield replace(finding, roots=tuple(names), root_places=tuple({**known, **more}))

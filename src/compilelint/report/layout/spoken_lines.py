"""A finding as plain lines, for formats that have no frames: annotations and test cases."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.model import Finding
from compilelint.report.layout.paths import Places
from compilelint.report.layout.text import escaped, spoken, witnessed


def spoken_lines(finding: Finding, places: Places) -> Iterator[str]:
    """What an annotation or a test case says, in lines."""
    yield escaped(finding.message)
    if finding.location.cell is not None:
        yield f"in cell {finding.location.cell}, line {finding.location.span.line}"
    yield from (escaped(line) for line in finding.why.splitlines())
    if seen := witnessed(finding):
        yield f"verify: {seen}"
    if finding.confidence.doubts:
        yield f"confidence: {finding.confidence.explained}"
    if finding.help:
        yield "help: " + " ".join(escaped(line) for line in finding.help.splitlines())
    for site in finding.call_chain:
        where = escaped(places.relative(site.location.path)) + spoken(site.location)
        yield f"called in {escaped(site.function)}, {where}"
    yield f"docs: compilelint rule {finding.rule.code}"

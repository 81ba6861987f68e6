"""Findings as the protocol's diagnostics: severity, code with a link to its page, and the way of the value and call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from lsprotocol import types

from compilelint.model import Effect, Finding, Location, Severity, Span
from compilelint.server.positions import Encoding

SOURCE = "compilelint"

_SEVERITY = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}
_UNNECESSARY = frozenset({"CL902"})


class Places:
    """Places of findings as the client counts them. `lines_of` gives the lines of a file as it was linted.

    `uri_of` gives the URI of a path, and of a cell of a notebook that is open; empty where there is none.
    """

    def __init__(
        self,
        encoding: Encoding,
        lines_of: Callable[[str, int | None], Sequence[str]],
        uri_of: Callable[[str, int | None], str],
    ) -> None:
        self.encoding = encoding
        self.lines_of = lines_of
        self.uri_of = uri_of

    def range(self, at: Location) -> types.Range:
        """The range of a location in its file or cell."""
        return self.encoding.range(self.lines_of(at.path, at.cell), at.span)

    def location(self, at: Location) -> types.Location:
        """A location with its URI."""
        return types.Location(self.uri_of(at.path, at.cell), self.range(at))


def diagnostic(finding: Finding, places: Places, related: bool = True) -> types.Diagnostic:
    """One finding. `related` says that the client shows related places."""
    return types.Diagnostic(
        range=places.range(finding.location),
        message=message_of(finding),
        severity=_SEVERITY[finding.severity],
        code=finding.rule.code,
        code_description=types.CodeDescription(finding.rule.address) if finding.rule.address else None,
        source=SOURCE,
        related_information=list(_related(finding, places)) or None if related else None,
        tags=[types.DiagnosticTag.Unnecessary] if finding.rule.code in _UNNECESSARY else None,
        data=data_of(finding),
    )


def message_of(finding: Finding) -> str:
    """What is found, why, how sure it is, and what to do, a line each."""
    sure = f"confidence: {finding.confidence.explained}" if finding.confidence.doubts else ""
    said = (finding.message, finding.why, sure, finding.help and f"help: {finding.help}")
    return "\n".join(one for one in said if one)


def data_of(finding: Finding) -> dict[str, object]:
    """What the client hands back with a request for actions."""
    return {
        "name": finding.rule.name,
        "effect": finding.effect.value,
        "confidence": finding.confidence.label,
        "doubts": [{"name": doubt.label, "why": doubt.why} for doubt in finding.confidence.doubts],
        "breakIds": list(finding.break_ids),
        "roots": list(finding.roots),
        "function": finding.function,
    }


def _related(finding: Finding, places: Places) -> Iterator[types.DiagnosticRelatedInformation]:
    """The way of the value, then the calls that lead from the root to the place."""
    for one in finding.related:
        yield types.DiagnosticRelatedInformation(places.location(one.location), one.text)
    for site in finding.call_chain:
        text = f"called here in `{site.function}`"
        yield types.DiagnosticRelatedInformation(places.location(site.location), text)


# ------------------------------------------------------------------- last good


def kept_through(findings: Iterable[Finding], before: Sequence[str], now: Sequence[str]) -> Iterator[Finding]:
    """The findings of an earlier text that stand on lines which a later text still has, moved to where they are now.

    For a text that is no Python at the moment: what is known of the rest of it stays on the screen.
    """
    head = 0
    while head < min(len(before), len(now)) and before[head] == now[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(now)) - head and before[-1 - tail] == now[-1 - tail]:
        tail += 1
    moved = len(now) - len(before)
    for one in findings:
        span = one.location.span
        if one.effect is Effect.TOOL:
            continue
        if span.end_line <= head:
            yield one
        elif span.line > len(before) - tail:
            there = Span(span.line + moved, span.column, span.end_line + moved, span.end_column)
            yield replace(one, location=replace(one.location, span=there))


def dimmed(diagnostic: types.Diagnostic, version: int | None) -> types.Diagnostic:
    """A finding of an earlier version of the text: faded, and it says of which."""
    diagnostic.tags = [*(diagnostic.tags or ()), types.DiagnosticTag.Unnecessary]
    assert isinstance(diagnostic.data, dict)
    diagnostic.data["version"] = version
    return diagnostic

"""What to write against a run's graph breaks and failed compiles: the help of the findings in the same lines.

Only the files that the log leads to are linted, so that this takes a second in a large checkout. The run has shown that
the line breaks, so a finding that is merely possible counts. Does not belong here: what is written against recompiles,
which the guard itself says (`trace.advice`), and a lint of the whole checkout (`session.commands.trace.joined`).
"""

from __future__ import annotations

from dataclasses import replace

from compilelint import checks
from compilelint.config import UsageError, settle
from compilelint.model import Confidence
from compilelint.session.commands.lint import lint
from compilelint.session.commands.trace import finding_for
from compilelint.trace.advice import Advice
from compilelint.trace.cause import Kind
from compilelint.trace.entry import Entry, TraceReport

_MOST_FILES = 20


def advised(report: TraceReport) -> TraceReport:
    """The report with the help and the rule of findings; unchanged after a lint, or where none can be made."""
    paths = _paths(report)
    if report.linted or not paths:
        return report
    try:
        options = settle(paths, {}, checks.rulebook((), paths).rules).options
    except UsageError:
        return report  # the log can be read beside a configuration that cannot
    findings = lint(replace(options, min_confidence=Confidence.POSSIBLE)).findings

    def with_help(entry: Entry) -> Entry:
        finding = finding_for(entry, findings) if _wants_help(entry) else None
        if finding is None or not finding.help:
            return entry
        return replace(entry, advice=(Advice(finding.help),), rules=(finding.rule,))

    return replace(report, entries=tuple(map(with_help, report.entries)))


def _wants_help(entry: Entry) -> bool:
    return entry.cause.kind in (Kind.BREAK, Kind.ERROR) and not entry.advice


def _paths(report: TraceReport) -> tuple[str, ...]:
    """The files of this checkout with a cause that has no advice, the most expensive first."""
    places = [
        one.here.path or (one.called_from.path if one.called_from is not None else "")
        for one in report.entries
        if _wants_help(one)
    ]
    return tuple(dict.fromkeys(path for path in places if path))[:_MOST_FILES]

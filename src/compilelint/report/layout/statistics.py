"""The counts of `--statistics`."""

from __future__ import annotations

from collections import Counter

from compilelint.report.layout.text import counted
from compilelint.report.report import Report


def statistics(report: Report) -> str:
    """Findings counted by rule, the most frequent first, with how many are errors, warnings and notes."""
    rules = {finding.rule.code: finding.rule for finding in report.findings}
    counts = Counter(finding.rule.code for finding in report.findings)
    rows = []
    for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        parts = Counter(finding.severity for finding in report.findings if finding.rule.code == code)
        worst_first = sorted(parts, reverse=True)
        listed = ", ".join(counted(parts[severity], severity.label) for severity in worst_first)
        rows.append(f"{count:>6}  {code}  {rules[code].name}  ({listed})")
    return "\n".join(rows or ["no findings"])

"""The head of a finding, `error[CL101]`, in the colour of its severity."""

from __future__ import annotations

from compilelint.model import Finding, Severity
from compilelint.report.layout.styled import Text

STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.NOTE: "bold cyan"}


def label(finding: Finding) -> Text:
    """Return `error[CL101]`."""
    return Text(f"{finding.severity.label}[{finding.rule.code}]", style=STYLES[finding.severity])

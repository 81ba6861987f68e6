"""Reports: findings in, text out. Nothing here prints, exits or judges.

`Report` is what every format is made from; the formats themselves are imported when one is asked for.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from compilelint.model import Confidence, Finding, Notice, Severity


class TorchTarget(NamedTuple):
    """The torch version (or the range) whose behaviour was predicted, and in words where it comes from."""

    version: str
    source: str


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of one run.

    `findings` are sorted by place; `suppressed` counts those that a pragma silenced, `hidden` those below
    `min_confidence`. `base` is the folder (absolute, `/`) that fingerprints count paths from. `torch_versions` names
    the versions, oldest first, whose findings are united here; empty for one target.
    """

    findings: tuple[Finding, ...]
    files_checked: int
    torch: TorchTarget
    base: str
    notices: tuple[Notice, ...] = ()
    suppressed: int = 0
    hidden: int = 0
    min_confidence: Confidence = Confidence.LIKELY
    torch_versions: tuple[str, ...] = ()

    def by_severity(self) -> dict[Severity, int]:
        """How many findings of each severity, worst first, none left out."""
        counts = Counter(finding.severity for finding in self.findings)
        return {severity: counts[severity] for severity in sorted(Severity, reverse=True)}


__all__ = ["Report", "TorchTarget"]

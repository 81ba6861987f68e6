"""The marks by which a finding is known again in a later report."""

from __future__ import annotations

import hashlib
import os
from collections import Counter

from compilelint.report.report import Report


def fingerprints(report: Report) -> list[str]:
    """One mark a finding, which outlives edits elsewhere in the file.

    It is made of rule, path, function, text of the line, and how many of the same came before; no line number is in
    it, and blanks do not count.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    marks = []
    for finding in report.findings:
        path = os.path.relpath(finding.location.path, report.base).replace(os.sep, "/")
        line = " ".join(finding.line_text.split())
        key = (finding.rule.code, path, finding.function, line)
        ordinal = str(seen[key])
        seen[key] += 1
        text = "\0".join((*key, ordinal))
        marks.append(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32])
    return marks

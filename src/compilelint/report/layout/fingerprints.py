"""The marks by which a finding is known again in a later report."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from itertools import count
from typing import Any

from compilelint.report.report import Report


def fingerprints(report: Report) -> list[str]:
    """One mark a finding, which outlives edits elsewhere in the file.

    It is made of rule, path, function, text of the line, and how many of the same came before; no line number is in
    it, and blanks do not count.
    """
    marks = []
    lines: dict[str, str] = {}  # a line may be very long, and hold thousands of findings
    begun: dict[tuple[str, str, str, str], tuple[Any, Iterator[int]]] = {}
    for finding in report.findings:
        path = os.path.relpath(finding.location.path, report.base).replace(os.sep, "/")
        line = lines.get(finding.line_text)
        if line is None:
            line = lines[finding.line_text] = " ".join(finding.line_text.split())
        key = (finding.rule.code, path, finding.function, line)
        if key not in begun:
            text = "\0".join((*key, ""))
            begun[key] = hashlib.sha256(text.encode("utf-8", "surrogatepass")), count()
        so_far, ordinals = begun[key]
        mark = so_far.copy()
        mark.update(str(next(ordinals)).encode("ascii"))
        marks.append(mark.hexdigest()[:32])
    return marks

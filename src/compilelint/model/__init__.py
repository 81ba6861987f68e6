"""The data everybody speaks: places, rules, findings. Frozen, and imports nothing of ours."""

from compilelint.model.finding import (
    CallSite,
    Confidence,
    Edit,
    Effect,
    Finding,
    Fix,
    Location,
    Notice,
    Related,
    Safety,
    Severity,
    Span,
    severity_of,
)
from compilelint.model.rule import Rule

__all__ = [
    "CallSite",
    "Confidence",
    "Edit",
    "Effect",
    "Finding",
    "Fix",
    "Location",
    "Notice",
    "Related",
    "Rule",
    "Safety",
    "Severity",
    "Span",
    "severity_of",
]

"""The data that all layers speak: places, rules, findings. Frozen, and imports nothing of ours."""

from compilelint.model.confidence import Confidence, Doubt
from compilelint.model.finding import (
    CallSite,
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
from compilelint.model.observation import (
    Divergence,
    ExportTry,
    Fate,
    LimitHit,
    ObservedBreak,
    Parity,
    Recompile,
    Remnant,
    SkippedFrame,
    Step,
    TargetRun,
)
from compilelint.model.rewrite import FactName, Known, Rewrite, RewriteName
from compilelint.model.rule import Rule
from compilelint.model.verdict import Outcome, Verdict

__all__ = [
    "CallSite",
    "Confidence",
    "Divergence",
    "Doubt",
    "Edit",
    "Effect",
    "ExportTry",
    "FactName",
    "Fate",
    "Finding",
    "Fix",
    "Known",
    "LimitHit",
    "Location",
    "Notice",
    "ObservedBreak",
    "Outcome",
    "Parity",
    "Recompile",
    "Related",
    "Remnant",
    "Rewrite",
    "RewriteName",
    "Rule",
    "Safety",
    "Severity",
    "SkippedFrame",
    "Span",
    "Step",
    "TargetRun",
    "Verdict",
    "severity_of",
]

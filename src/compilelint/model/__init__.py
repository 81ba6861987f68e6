"""The data that all layers speak: places, rules, findings. Frozen, and imports nothing of ours."""

from compilelint.model.belief import Belief
from compilelint.model.confidence import Confidence, Doubt, weakest
from compilelint.model.effect import Effect, Safety, Severity, severity_of
from compilelint.model.finding import (
    HERE_TOO,
    CallSite,
    Edit,
    Finding,
    Fix,
    Location,
    Notice,
    NoticeKind,
    Related,
    Span,
)
from compilelint.model.observation import (
    CudaGraphs,
    Divergence,
    ExportTry,
    Fate,
    LeftOut,
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
    "HERE_TOO",
    "Belief",
    "CallSite",
    "Confidence",
    "CudaGraphs",
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
    "LeftOut",
    "LimitHit",
    "Location",
    "Notice",
    "NoticeKind",
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
    "weakest",
]

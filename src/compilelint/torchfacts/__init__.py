"""What TorchDynamo does with a callable, an attribute, a construct, per torch version: typed, read-only questions.

Imports the standard library alone; torch is imported by `torchfacts.generate` only.
"""

from compilelint.torchfacts.calls import Call, CallShape
from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.fact import Fact, Traits
from compilelint.torchfacts.facts import TorchFacts, available, load
from compilelint.torchfacts.history import Change, Difference, Row, facts_diff, facts_row, nearest_names
from compilelint.torchfacts.reach import Reach, reach_of
from compilelint.torchfacts.registry import GraphBreakEntry
from compilelint.torchfacts.verdict import Verdict
from compilelint.torchfacts.versions import Source, Target, allows, installed_torch, required_torch, resolve_target
from compilelint.torchfacts.vocabulary import ArgKind, Capture, Quirk, Reason, Returns, SyntaxForm

__all__ = [
    "ArgKind",
    "Call",
    "CallShape",
    "Capture",
    "Change",
    "Difference",
    "Fact",
    "FactsError",
    "GraphBreakEntry",
    "Quirk",
    "Reach",
    "Reason",
    "Returns",
    "Row",
    "Source",
    "SyntaxForm",
    "Target",
    "TorchFacts",
    "Traits",
    "Verdict",
    "allows",
    "available",
    "facts_diff",
    "facts_row",
    "installed_torch",
    "load",
    "nearest_names",
    "reach_of",
    "required_torch",
    "resolve_target",
]

"""Rules in LibCST for those who know LibCST: what a rule may ask of the engine, and how rules are found and run.

Public: `Rule`, `CompileState`, `QualifiedNames`, `NodeState`, `UNREACHED`, `API_VERSION`, and the words of a rule,
`Effect`, `Confidence` and `Safety`. They are imported when they are first named, so that a lint without such rules
never loads LibCST.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compilelint.lib.node_state import UNREACHED, Happening, NodeState, Reach
    from compilelint.lib.providers import CompileState, QualifiedNames
    from compilelint.lib.rule import API_VERSION, Rule
    from compilelint.model import Confidence, Effect, Safety

_HOMES = {
    "API_VERSION": "compilelint.lib.rule",
    "CompileState": "compilelint.lib.providers",
    "Confidence": "compilelint.model",
    "Effect": "compilelint.model",
    "Happening": "compilelint.lib.node_state",
    "NodeState": "compilelint.lib.node_state",
    "QualifiedNames": "compilelint.lib.providers",
    "Reach": "compilelint.lib.node_state",
    "Rule": "compilelint.lib.rule",
    "Safety": "compilelint.model",
    "UNREACHED": "compilelint.lib.node_state",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    found = getattr(importlib.import_module(home), name)
    globals()[name] = found
    return found


__all__ = [
    "API_VERSION",
    "UNREACHED",
    "CompileState",
    "Confidence",
    "Effect",
    "Happening",
    "NodeState",
    "QualifiedNames",
    "Reach",
    "Rule",
    "Safety",
]

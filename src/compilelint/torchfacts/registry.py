"""TorchDynamo's graph-break registry over the versions: id, type, and whether a raise site is left in the source."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.store import DATA, read
from compilelint.torchfacts.vocabulary import Reason


@dataclass(frozen=True, slots=True)
class GraphBreakEntry:
    """One id of the registry in one torch version.

    `live` tells whether the version's source still raises it (the registry never forgets ids); explanation and
    hints are torch's own words and empty for ids that no table entry uses.
    """

    gb_id: str
    type: str
    reason: Reason
    live: bool
    explanation: str = ""
    hints: tuple[str, ...] = ()


@functools.lru_cache(maxsize=16)
def entries(version: str, data: Path = DATA) -> dict[str, GraphBreakEntry]:
    """All ids registered in `version`, empty before torch 2.8, which has no registry."""
    content = read("registry.json", data)
    try:
        bit = 1 << content["versions"].index(version)
        found: dict[str, GraphBreakEntry] = {}
        for reason, rows in content["reasons"].items():
            for gb_id, (types, present, live, *more) in rows.items():
                if present & bit:
                    text = next(text for text, mask in types if mask & bit) if isinstance(types, list) else types
                    explanation, hints = more if more else ("", [])
                    found[gb_id] = GraphBreakEntry(gb_id, text, Reason(reason), bool(live & bit), explanation, tuple(hints))
    except (KeyError, TypeError, ValueError, StopIteration) as error:
        raise FactsError(f"registry.json is damaged: {error!r}", str(data / "registry.json"), "reinstall compilelint") from error
    return found

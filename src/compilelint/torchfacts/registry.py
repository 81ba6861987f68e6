"""TorchDynamo's graph-break registry over the versions: id, type, and whether a raise site is left in the source."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from compilelint.model.slotted import dataclass
from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.store import DATA, read
from compilelint.torchfacts.vocabulary import Reason


@dataclass(frozen=True, slots=True)
class GraphBreakEntry:
    """One id of the registry in one torch version.

    `live` says whether the version's source still raises it (the registry never forgets ids); explanation and
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
        for reason, by_masks in content["reasons"].items():
            for masks, types in by_masks.items():
                present, live = map(int, masks.split())
                if present & bit:
                    found.update(_entries(types, Reason(reason), bool(live & bit), bit, content))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, StopIteration) as error:
        where = str(data / "registry.json")
        raise FactsError(f"registry.json is damaged: {error!r}", where, "reinstall compilelint") from error
    return found


def _entries(
    types: dict[str, Any], reason: Reason, live: bool, bit: int, content: dict[str, Any]
) -> Iterator[tuple[str, GraphBreakEntry]]:
    for number, type_ in types.items():
        # An id that was renamed has its types with a bit mask of versions each.
        text = type_ if isinstance(type_, str) else next(text for text, mask in type_ if mask & bit)
        explanation, hints = content["words"].get(number, ("", ()))
        lines = tuple(content["hints"][index] for index in hints)
        yield f"GB{number}", GraphBreakEntry(f"GB{number}", text, reason, live, explanation, lines)

"""What a worker hands over to the one that takes its place, as bytes.

What a part takes goes back to the system only in part when it is let go of: what lives on lies between what is free.
Of very many files a process therefore analyses a few parts, hands over what it has answered, and ends. Nothing that is
analysed depends on that: a part that is not kept answers ahead, wherever it does so.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from typing import Any

from compilelint.model import Rule


def packed(handed: object) -> bytes:
    """What is handed over; rules go by their codes."""
    out = io.BytesIO()
    _Packing(out, pickle.HIGHEST_PROTOCOL).dump(handed)
    return out.getvalue()


def unpacked(data: bytes, rules: Mapping[str, Rule]) -> Any:
    """What `packed` was given, by a process of this run. Raises LookupError for a rule that is not among these."""
    return _Unpacking(data, rules).load()


class _Packing(pickle.Pickler):
    def persistent_id(self, obj: Any) -> str | None:
        return obj.code if isinstance(obj, Rule) else None


class _Unpacking(pickle.Unpickler):
    def __init__(self, data: bytes, rules: Mapping[str, Rule]) -> None:
        super().__init__(io.BytesIO(data))
        self._rules = rules

    def persistent_load(self, pid: Any) -> Rule:
        return self._rules[pid]

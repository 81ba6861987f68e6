"""A labelled case, and the half that it belongs to."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from compilelint.model import Finding


@dataclass(frozen=True)
class Case:
    """A program: where it stands, what was recorded, and what is said of it."""

    name: str
    label: str
    reasons: tuple[str, ...]
    first: int
    last: int
    findings: tuple[Finding, ...]

    @property
    def half(self) -> str:
        """Which half it belongs to."""
        return half_of(self.name)


def half_of(name: str) -> str:
    """Which half a case belongs to."""
    return "first" if int(hashlib.sha1(name.encode()).hexdigest(), 16) % 2 else "second"

"""The parts of a readiness report that every format spells: a document of sections of items.

Texts are words of ours in which backticks mark code; names and paths in them are escaped already.
"""

from __future__ import annotations

from compilelint.model import Location, Rule, Severity
from compilelint.model.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Bar:
    """A range of speeds against eager, 1 being as fast, that pages draw."""

    label: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Item:
    """One entry: a place with its rule, or a name; its text, and lines below it."""

    text: str
    details: tuple[str, ...] = ()
    place: Location | None = None
    rule: Rule | None = None
    severity: Severity | None = None
    bars: tuple[Bar, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with things below it; `more` says what was left out."""

    title: str
    items: tuple[Item, ...]
    ordered: bool = False
    more: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """The whole: `headline` and `summary` come first, `foot` last, as heads with sentences."""

    headline: str
    summary: tuple[str, ...]
    sections: tuple[Section, ...]
    foot: tuple[tuple[str, str], ...]

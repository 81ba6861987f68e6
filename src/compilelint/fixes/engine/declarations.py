"""What each rewrite says of itself: where it is legal and what it changes, for rule pages, from its own docstring.

A docstring is a headline, what there is to explain, `Legal where ...` and `Changes: ...`; `declarations` refuses one
that leaves out either. Does not belong here: whether that holds for a piece of code (the rewrite itself, `laws`).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable

from compilelint.fixes.engine.registry import Registered
from compilelint.model.slotted import dataclass

_PROOF = "Kept by `compilelint fix` only."
_TEXT = re.compile(r"(?P<note>.*?)\s*Legal where (?P<assumes>.*?)\s*Changes: (?P<changes>.*)")


@dataclass(frozen=True, slots=True)
class Declaration:
    """One rewrite in words: each text is Markdown, a sentence or more; `proven` is kept by `compilelint fix` alone."""

    name: str
    title: str
    note: str
    assumes: str
    changes: str
    proven: bool
    rules: tuple[str, ...]


def declarations(rewrites: Iterable[Registered]) -> tuple[Declaration, ...]:
    """What the rewrites declare, those that need no proof first. Raises ValueError for one that does not say."""
    return tuple(sorted(map(_declared, rewrites), key=lambda one: one.proven))


def rewrites_page(found: Iterable[Declaration]) -> str:
    """The section `Rewrites` of a rule's page, as Markdown; empty where there are none."""
    items = [
        f"- {' '.join(filter(None, (one.title, one.note, _PROOF if one.proven else '')))}\n"
        f"    - Assumes: {one.assumes}\n    - Changes: {one.changes}\n"
        for one in found
    ]
    return "\n## Rewrites\n" + "".join(items) if items else ""


def _declared(one: Registered) -> Declaration:
    headline, _, body = (inspect.getdoc(one.function) or "").partition("\n")
    found = _TEXT.fullmatch(" ".join(body.split()))
    if found is None:
        raise ValueError(f"{one.function.__name__} does not say `Legal where ...` and `Changes: ...` in its docstring")
    assumes = found["assumes"][:1].upper() + found["assumes"][1:]
    changes = found["changes"][:1].upper() + found["changes"][1:]
    return Declaration(one.function.__name__, headline, found["note"], assumes, changes, one.proven, one.rules)

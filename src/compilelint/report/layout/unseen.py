"""What a run did not see: where imports were looked up, packages that were not found, files of a later Python.

Compile calls that are not resolved and roots out of time stand in `judged`. All of it is said beside the counts and
never under `--verbose` alone: what was not seen has no finding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from compilelint.model import Location
from compilelint.model.slotted import dataclass
from compilelint.report.layout.text import counted, escaped, shown_path
from compilelint.report.report import Report
from compilelint.rulebook import UNPARSABLE_FILE
from compilelint.syntax.newer_syntax import NEEDS

_MOST_NAMES = 4
_CHOSEN = {
    "named": "as `--python` says",
    "active": "$VIRTUAL_ENV",
    "nearby": "the nearest environment to the files",
    "conda": "$CONDA_PREFIX",
}


@dataclass(frozen=True, slots=True)
class Unseen:
    """`packages` are those that judged roots call and that were not found, each with how many call it; `roots` how many
    call any of them. `newer` are the files that only a later Python can read.
    """

    packages: tuple[tuple[str, int], ...]
    roots: int
    newer: tuple[str, ...]


def unseen(report: Report) -> Unseen:
    """What a report did not see."""
    by_root: dict[Location, set[str]] = {}
    for root in report.roots:
        if root.unseen:
            by_root.setdefault(root.location, set()).update(root.unseen)
    callers = Counter(name for names in by_root.values() for name in names)
    refused = (one for one in report.findings if one.rule.code == UNPARSABLE_FILE.code)
    newer = dict.fromkeys(one.location.path for one in refused if NEEDS in one.message)
    return Unseen(tuple(sorted(callers.items(), key=lambda one: (-one[1], one[0]))), len(by_root), tuple(newer))


def unseen_words(report: Report) -> list[tuple[str, str]]:
    """A head and a sentence each; none where all that was called for was found."""
    found = unseen(report)
    lines = []
    if found.packages:
        many = len({root.location for root in report.roots})
        calls = f"{found.roots:,} of {counted(many, 'root')} {'calls' if found.roots == 1 else 'call'}"
        them = "it" if len(found.packages) == 1 else "them"
        names = _listed([f"{escaped(name)} ({count:,})" for name, count in found.packages])
        gives = "it returns" if len(found.packages) == 1 else "they return"
        lines.append(("Not found", f"{names}: {calls} {them}, and what {gives} is unknown{_looked_up(report)}."))
    if found.newer:
        paths = _listed([shown_path(path) for path in found.newer])
        lines.append(("Not read", f"{counted(len(found.newer), 'file')} for a later Python than ours: {paths}."))
    return lines


def _looked_up(report: Report) -> str:
    environment = report.environment
    if environment is None:
        return ""
    at = f" (looked up in {shown_path(environment.prefix)}"
    if environment.kind == "own":
        return f"{at}, where compilelint runs, since no environment of the project was found: `--python` names one)"
    return f"{at}, {_CHOSEN.get(environment.kind, environment.kind)})"


def unseen_data(report: Report) -> dict[str, Any]:
    """The same for programs."""
    found = unseen(report)
    environment = report.environment
    return {
        "environment": None if environment is None else {"path": environment.prefix, "chosen": environment.kind},
        "packages": [{"name": name, "roots": count} for name, count in found.packages],
        "roots": found.roots,
        "newer_python": list(found.newer),
    }


def _listed(words: Sequence[str]) -> str:
    more = f" and {len(words) - _MOST_NAMES:,} more" if len(words) > _MOST_NAMES else ""
    return ", ".join(words[:_MOST_NAMES]) + more

"""What was judged, and what was not: the words that stand beside every count of findings, and the same as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from compilelint.model import Location
from compilelint.model.slotted import dataclass
from compilelint.project.compile_calls import CompileCall
from compilelint.report.layout.paths import Places
from compilelint.report.layout.text import counted, escaped, pasted, shown_place, spoken
from compilelint.report.layout.unseen import unseen, unseen_data, unseen_words
from compilelint.report.report import CompileRoot, Report

_MOST_PLACES = 3
_MOST_ENTRIES = 3


@dataclass(frozen=True, slots=True)
class Judged:
    """Counts of distinct functions and of compile calls; `failed` counts what a defect of ours ended,
    `slow` the files whose roots took longer than they may. `partly` says that of what was asked only a part is known,
    `unseen` how many functions call packages that were not found.
    """

    calls: int
    unresolved: tuple[CompileCall, ...]
    compiled: int
    forwards: int
    autograd: int
    named: int
    if_compiled: int
    left: tuple[CompileRoot, ...]
    failed: int
    slow: int
    partly: bool = False
    unseen: int = 0

    @property
    def nothing(self) -> bool:
        """Whether no function was judged as compiled."""
        return not (self.compiled or self.forwards or self.autograd or self.named or self.if_compiled)

    @property
    def whole(self) -> bool:
        """Whether something was judged, and nothing that is known to be compiled escaped."""
        return not (self.nothing or self.unresolved or self.failed or self.slow or self.partly or self.unseen)


def judged(report: Report) -> Judged:
    """What a report is about."""
    by_kind: dict[str, set[Location]] = {}
    for root in report.roots:
        by_kind.setdefault(root.kind, set()).add(root.location)

    def count(*kinds: str) -> int:
        return len(set[Location]().union(*(by_kind.get(kind, ()) for kind in kinds)))

    places = {call.location for call in report.calls}
    places.update(root.compiled_at for root in report.roots if root.compiled_at is not None)
    return Judged(
        len(places),
        tuple(call for call in report.calls if not call.resolved),
        count("explicit"),
        count("forward"),
        count("autograd"),
        count("glob"),
        count("unreached", "all"),
        report.unjudged,
        sum(notice.kind == "defect" for notice in report.notices),
        sum(notice.kind == "timeout" for notice in report.notices),
        any(notice.kind == "export" for notice in report.notices),
        unseen(report).roots,
    )


def judged_words(report: Report, places: Places | None = None) -> list[tuple[str, str]]:
    """A head and a sentence each: what was judged and, where there is any, what was not; none where no file was.

    Paths count from the repository where `places` are given, else from the current folder.
    """
    if not report.files_checked:
        return []
    found = judged(report)
    parts = [_calls(found, _shown(places))]
    if found.nothing:
        parts.append(f"no function checked as compiled by {_asked(report.asked_roots)}")
    if found.forwards:
        parts.append(counted(found.forwards, "module forward"))
    if found.autograd:
        parts.append(counted(found.autograd, "method") + " of autograd functions")
    if found.named:
        parts.append(counted(found.named, "function") + " named by --roots")
    if found.if_compiled:
        parts.append(counted(found.if_compiled, "function") + " if compiled")
    counts = [("Checked", "; ".join(parts) + ".")]
    missing = []
    if found.failed:
        missing.append(f"{counted(found.failed, 'defect')} of compilelint ended a part of the run, see the notices")
    if found.slow:
        missing.append(f"{counted(found.slow, 'file')} to the end, see the notices on --timeout")
    if found.left:
        missing.append(_entries(found.left, report.asked_roots))
    if missing:
        counts.append(("Not checked", "; ".join(missing) + "."))
    return [*unseen_words(report), *counts]


def judged_text(report: Report, places: Places) -> str:
    """The words on one line."""
    return " ".join(f"{head}: {body}" for head, body in judged_words(report, places))


def judged_data(report: Report) -> dict[str, Any]:
    """The same for programs; places as the report's findings have them."""
    found = judged(report)
    return {
        "roots": list(report.asked_roots),
        "compile_calls": {
            "found": found.calls,
            "resolved": found.calls - len(found.unresolved),
            "unresolved": [{**place(one.location), "call": one.how, "why": one.reason} for one in found.unresolved],
        },
        "compiled_functions": found.compiled,
        "module_forwards": found.forwards,
        "autograd_methods": found.autograd,
        "named_functions": found.named,
        "functions_if_compiled": found.if_compiled,
        "defects": found.failed,
        "files_out_of_time": found.slow,
        "not_seen": unseen_data(report),
        "not_judged": [{"name": one.name, "roots": one.spec, **place(one.location)} for one in found.left],
    }


def place(location: Location) -> dict[str, Any]:
    """Path (absolute), in a notebook the cell, and line."""
    cell = {} if location.cell is None else {"cell": location.cell}
    return {"path": location.path, **cell, "line": location.span.line}


def _shown(places: Places | None) -> Callable[[Location], str]:
    if places is None:
        return shown_place
    return lambda at: escaped(places.relative(at.path)) + spoken(at)


def _calls(found: Judged, shown: Callable[[Location], str]) -> str:
    if not found.calls:
        return "no compile call found"
    missing = len(found.unresolved)
    functions = f" ({counted(found.compiled, 'function')})" if found.compiled else ""
    if not missing:
        return f"{counted(found.calls, 'compile call')} found, {'' if found.calls == 1 else 'all '}resolved{functions}"
    resolved = f"{found.calls - missing} resolved{functions}"
    places = _listed([f"{shown(one.location)} ({escaped(one.reason)})" for one in found.unresolved], _MOST_PLACES)
    return f"{counted(found.calls, 'compile call')} found, {resolved}, {missing} not: {places}"


def _entries(left: Sequence[CompileRoot], asked: Sequence[str]) -> str:
    names = _listed([escaped(one.spec) for one in left], _MOST_ENTRIES)
    judging = f"`{_asked((*asked, left[0].spec))}` checks {'it' if len(left) == 1 else 'the first'}"
    listed = "" if len(left) == 1 else ", `compilelint roots` lists all"
    noun = "function that looks like an entry point" if len(left) == 1 else "functions that look like entry points"
    return f"{len(left):,} {noun}: {names}; {judging}{listed}"


def _asked(specs: Iterable[str]) -> str:
    """The options as a shell takes them."""
    return " ".join(f"--roots {pasted(spec)}" for spec in specs)


def _listed(words: Sequence[str], most: int) -> str:
    more = f" and {len(words) - most:,} more" if len(words) > most else ""
    return ", ".join(words[:most]) + more

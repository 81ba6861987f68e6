"""What the exercises of targets say of a change: whether all agree, and whether every side of it was exercised.

A change is proven as far as it was run, and no further. Does not belong here: how exercises are run
(`dynamic.worker.exercising`), and which sides a change has (`dynamic.sides`).
"""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Mapping, Sequence

from compilelint.dynamic.asking import Asking
from compilelint.dynamic.proof import Exercised, Proof
from compilelint.dynamic.sides import Seen, Side, sides
from compilelint.model import Finding
from compilelint.syntax.source import read_source
from compilelint.syntax.unreadable import Unreadable


def named(kind: str, name: str) -> str:
    """`output y`, `gradient of w`: what differs, by a name that may have the kind in it."""
    return name if name == kind or name.startswith(f"{kind} ") else f"{kind} {name}"


def of_exercises(proof: Proof) -> str:
    """What the exercises of one target have against a change; empty where all agree."""
    name, original, changed = proof.after.target, proof.original, proof.changed
    if original is None or changed is None:
        cause = f": {proof.unexercised}" if proof.unexercised else ""
        return f"not exercised: {name} cannot be run a second time, apart from its compiled run{cause}"
    if changed.differences:
        first = changed.differences[0]
        return f"{named(first.kind, first.name)} of {name} differs: {first.text}"
    if changed.runs < original.runs:
        return f"not exercised: {name} ends after {changed.runs} of {original.runs} exercises"
    if (often := _compiled_too_often(original, changed)) is not None:
        return f"{name} recompiles more often in the exercises: {often}; its own calls are counted apart"
    return ""


def _compiled_too_often(original: Exercised, changed: Exercised) -> str | None:
    """The function that a change makes Dynamo compile more often than there is cause for, with counts; None if none.

    A frame that only the change lets Dynamo compile (a break in a loop skips it whole) may be compiled once for each
    kind of call.
    """
    if sum(changed.recompiles.values()) <= sum(original.recompiles.values()):
        return None
    for frame, count in changed.recompiles.items():
        allowed = original.recompiles.get(frame, 0) if frame in original.frames else changed.kinds - 1
        if count > allowed:
            return f"`{frame.rpartition('::')[2]}` {_times(count)}, {_times(allowed)} {_whence(frame, original)}"
    return None


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _whence(frame: str, original: Exercised) -> str:
    return "before" if frame in original.frames else "at most expected of a function that was not compiled before"


def how_far_exercised(proofs: Sequence[Proof], changes: Mapping[str, tuple[str, str]]) -> tuple[str, str]:
    """Why changes are not proven for want of exercise (empty where they are), and in words how much was exercised."""
    done: list[Side] = []
    for path, (old, new) in changes.items():
        before = _seen([proof.original for proof in proofs], path)
        after = _seen([proof.changed for proof in proofs], path)
        done += sides(old, new, before, after)
    missed = [one for one in done if not one.happened]
    runs = [proof.changed for proof in proofs if proof.changed is not None]
    if any(not one.places for one in runs):
        return "not exercised: only Python 3.11 and newer can say which side ran", ""
    if missed:
        more = f", and {len(missed) - 1} more" if len(missed) > 1 else ""
        way = f"; {missed[0].way}" if missed[0].way else ""
        return f"not exercised: line {missed[0].line}: never seen that {missed[0].words}{more}{way}", ""
    count, compiled = sum(one.runs for one in runs), sum(one.compiled for one in runs)
    raising = sum(one.raising for one in runs)
    what = f"all {len(done)} sides of it" if done else "eager code takes no side of it"
    fixed = in_one_value(proofs)
    alike = f"; not varied: {', '.join(sorted(fixed))}" if fixed else ""
    return "", f"exercised: {count} runs ({compiled} compiled too, {raising} that raise), {what}{alike}"


def in_one_value(proofs: Sequence[Proof]) -> frozenset[str]:
    """What no run of a changed copy could vary, though it was tried."""
    runs = [frozenset(proof.changed.one_value) for proof in proofs if proof.changed is not None]
    return frozenset.intersection(*runs) if runs else frozenset()


def _seen(exercised: Sequence[Exercised | None], path: str) -> Seen:
    found = Seen()
    for one in exercised:
        if one is not None and os.path.abspath(path) in one.seen:
            found = found.joined(one.seen[os.path.abspath(path)])
    return found


class Unreached:
    """Which lines no exercise of the originals ran: what stands there cannot be proven, so no copy need be run."""

    def __init__(self, originals: Sequence[Exercised | None]) -> None:
        self._known = all(one is not None and one.places for one in originals)
        self._ran: dict[str, set[int]] = {}
        for one in originals:
            for path, seen in ({} if one is None else one.seen).items():
                lines = self._ran.setdefault(path, set())
                for _, place in seen.steps:
                    if place is not None:
                        lines.add(place[0])

    def holds(self, finding: Finding, broken: Collection[str] = ()) -> bool:
        """Whether a finding stands inside a function, in a line of the original that never ran.

        A line that eager code cannot come to, by its text, was run where one of the `broken` statements of compiled
        runs holds it.
        """
        path, text = os.path.abspath(finding.location.path), finding.line_text.strip()
        if not self._known or not text or finding.function in ("", "<module>"):
            return False
        source = read_source(path)
        if isinstance(source, Unreadable):
            return False
        lines = [number for number, line in enumerate(source.lines, 1) if line.strip() == text]
        if not lines or any(number in self._ran.get(path, ()) for number in lines):
            return False
        tree = source.tree()
        if not isinstance(tree, ast.Module) or not any(" ".join(text.split()) in one for one in broken):
            return True
        return not Asking(tree).lines(tree) & set(lines)

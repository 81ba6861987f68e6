"""Which lines a branch changed: `--diff-base REV` reports findings on those lines only.

The base is the point where the branch left REV, and what is compared with it is the working tree, so that uncommitted
and untracked files count. git is asked for three things: which commit is meant, what its tree holds, and the bytes of
some blobs (`pipeline.history`). The files of the working tree are read by us, and compared by `difflib`: no filter,
text conversion or file monitor that a repository configures has anything to do.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from compilelint.config import UsageError
from compilelint.model import Effect, Finding, Severity
from compilelint.model.slotted import dataclass
from compilelint.syntax.notebooks import is_notebook
from compilelint.syntax.source import read_bytes
from compilelint.syntax.unreadable import Unreadable

if TYPE_CHECKING:
    from compilelint.session.pipeline.history import Blob

# Pairs of equal lines that may be looked at in a run: some four seconds. Past it, what is left of a file is changed.
_MOST_STEPS = 20_000_000


@dataclass(frozen=True, slots=True)
class Changed:
    """Changed lines by resolved path: pairs of first and last line, both included; None for a file that is all new."""

    lines: dict[str, list[tuple[int, int]] | None]

    def __call__(self, finding: Finding) -> bool:
        """Whether a finding stands on a changed line. What spoils a whole file counts if any line of it changed."""
        path = os.path.realpath(finding.location.path)
        if path not in self.lines:
            return False
        ranges = self.lines[path]
        # A cell's lines are not the file's: any change of a notebook counts for all of it.
        if ranges is None or finding.location.cell is not None:
            return True
        if finding.effect is Effect.TOOL and finding.severity is Severity.ERROR:
            return bool(ranges)
        span = finding.location.span
        return any(first <= span.end_line and span.line <= last for first, last in ranges)


def changed_since(revision: str, folders: Sequence[str], files: Iterable[str]) -> Changed:
    """What changed in some files since `revision`, in the repository around the folders. Raises UsageError."""
    from compilelint.session.pipeline.history import History  # git and what runs it, for `--diff-base` alone

    where = f"--diff-base {revision}"
    history = History.around(folders[0], where)
    for folder in folders[1:]:
        if History.around(folder, where).top != history.top:
            raise UsageError("the paths are in two repositories", where, "lint them one after the other")
    if "\0" in revision or not revision.strip():
        raise UsageError("no revision", where, "name a branch, tag or commit")
    with history:
        old = history.base_of(revision)
        wanted = {os.path.realpath(path): path for path in files}
        found: dict[str, list[tuple[int, int]] | None] = {}
        touched: dict[Blob, list[tuple[str, str]]] = {}
        for real, path in sorted(wanted.items()):
            known = old.get(os.fsencode(os.path.relpath(real, history.top)).replace(os.fsencode(os.sep), b"/"))
            data = b"" if known is None else read_bytes(path)
            if known is None or isinstance(data, Unreadable):
                found[real] = None
            elif known.name != _name_of(data, known.name):
                found[real] = None  # until its lines are known
                if not is_notebook(real):
                    touched.setdefault(known, []).append((real, path))
        budget = _Budget(_MOST_STEPS)
        for blob, before in history.contents(touched):
            for real, path in touched[blob]:
                data = read_bytes(path)
                if budget.left > 0 and not isinstance(data, Unreadable):
                    found[real] = changed_lines(before, data, budget)
            if budget.left <= 0:
                break
    return Changed(found)


def _name_of(data: bytes, like: str) -> str:
    """git's name for a blob of these bytes, by the hash that makes names as long as `like`."""
    kind = "sha1" if len(like) == 40 else "sha256"
    return hashlib.new(kind, b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


# ------------------------------------------------------------------------ lines


class _Budget:
    """The steps that are left in a run."""

    def __init__(self, steps: int) -> None:
        self.left = steps


def changed_lines(before: bytes, after: bytes, budget: _Budget | None = None) -> list[tuple[int, int]]:
    """The lines of `after` (1-based, first and last) that do not stand in `before`, in order.

    However a line ends is no difference, as a checkout may convert it. Linear in the budget: `difflib` compares every
    line with all that are like it, so what it would take is counted before each step.
    """
    budget = budget or _Budget(_MOST_STEPS)
    old, new = _split_lines(before), _split_lines(after)
    budget.left -= len(old) + len(new)
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    import difflib

    matcher = difflib.SequenceMatcher(None, old, new, autojunk=len(old) + len(new) > 2_000)
    alike: dict[bytes, list[int]] = vars(matcher)["b2j"]  # documented, and unknown to typeshed
    same = [False] * len(new)
    same[:head] = [True] * head
    same[len(new) - tail :] = [True] * tail
    waiting = [(head, len(old) - tail, head, len(new) - tail)]
    while waiting:
        alo, ahi, blo, bhi = waiting.pop()
        if alo >= ahi or blo >= bhi:
            continue
        budget.left -= sum(len(alike.get(line, ())) + 1 for line in old[alo:ahi])
        if budget.left < 0:
            break
        match = matcher.find_longest_match(alo, ahi, blo, bhi)
        if match.size:
            same[match.b : match.b + match.size] = [True] * match.size
            waiting.append((alo, match.a, blo, match.b))
            waiting.append((match.a + match.size, ahi, match.b + match.size, bhi))
    return list(_ranges(same))


def _split_lines(data: bytes) -> list[bytes]:
    """The lines as they are linted: any of the three line ends ends one."""
    lines = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    return lines[:-1] if not lines[-1] else lines


def _ranges(same: Sequence[bool]) -> Iterable[tuple[int, int]]:
    first = 0
    for number, is_same in enumerate([*same, True], 1):
        if is_same and first:
            yield first, number - 1
            first = 0
        elif not is_same and not first:
            first = number

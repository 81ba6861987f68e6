"""Which lines a branch changed, asked of git: `--diff-base REV` reports findings on those lines only.

The base is the point where the branch left REV, and what is compared with it is the working tree, so that uncommitted
and untracked files count. git is called without a shell; REV can be no option and no path, and no configured program
(external diff, text conversion, file monitor) is run.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compilelint.config import UsageError
from compilelint.model import Effect, Finding, Severity

_HUNK = re.compile(rb"@@ -\d+(?:,(?P<old>\d+))? \+(?P<first>\d+)(?:,(?P<new>\d+))? @@")
_QUIET = ("-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "diff.noprefix=false")
_DIFF = (
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-renames",
    "--inter-hunk-context=0",
    "--src-prefix=a/",
    "--dst-prefix=b/",
)
_ESCAPES = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_SECONDS = 120


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


def changed_since(revision: str, folders: Sequence[str]) -> Changed:
    """What changed since `revision` in the repository around the folders. Raises UsageError."""
    where = f"--diff-base {revision}"
    top = _top(folders[0], where)
    for folder in folders[1:]:
        if _top(folder, where) != top:
            raise UsageError("the paths lie in two repositories", where, "lint them one after the other")
    if "\0" in revision or not revision.strip():
        raise UsageError("no revision", where, "name a branch, tag or commit")
    commit = _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
    if commit is None:
        hint = "name a branch, tag or commit; a shallow clone has to fetch it first"
        raise UsageError(f"git knows no revision {revision!r}", where, hint)
    base = _git(top, "merge-base", commit.decode().strip(), "HEAD")
    if base is None:
        hint = "fetch more of the history (git fetch --unshallow), or name another revision"
        raise UsageError(f"{revision!r} and HEAD have no common commit", where, hint)
    diff = _git(top, "diff", "-U0", *_DIFF, base.decode().strip(), "--")
    new = _git(top, "ls-files", "-z", "--others", "--exclude-standard")
    if diff is None or new is None:
        raise UsageError("git cannot compare the files", where, f"see what `git diff {revision}` says")
    found: dict[str, list[tuple[int, int]] | None] = {
        os.path.realpath(os.path.join(top, os.fsdecode(path))): ranges for path, ranges in _files(diff)
    }
    found |= {os.path.realpath(os.path.join(top, os.fsdecode(path))): None for path in new.split(b"\0") if path}
    return Changed(found)


def _top(folder: str, where: str) -> str:
    """The root of the repository around a file or folder."""
    near = folder if os.path.isdir(folder) else os.path.dirname(folder)
    found = _git(near, "rev-parse", "--show-toplevel", where=where)
    if found is None:
        raise UsageError(f"{near} is in no git repository", where, "leave the option out, or lint a repository")
    return os.path.realpath(os.fsdecode(found.removesuffix(b"\n")))


def _git(folder: str, *words: str, where: str = "--diff-base") -> bytes | None:
    """What git prints, None where it fails. Raises UsageError where there is no git."""
    command = ["git", *_QUIET, *words]
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError as error:
        raise UsageError("there is no git on the PATH", where, "install git, or leave the option out") from error
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"git took longer than {_SECONDS} s", where, "leave the option out") from error
    if done.returncode and b"safe.directory" in done.stderr:
        hint = f"git config --global --add safe.directory {folder}"
        raise UsageError("git does not trust a repository of another owner", where, hint)
    return done.stdout if done.returncode == 0 else None


def _files(diff: bytes) -> Iterator[tuple[bytes, list[tuple[int, int]]]]:
    """The files of a diff without context, and which of their lines are new.

    The lines of a hunk are counted off, so that an added line `++ b/other.py` is not taken for a file's head.
    """
    lines = iter(diff.split(b"\n"))
    path: bytes | None = None
    ranges: list[tuple[int, int]] = []
    for line in lines:
        if line.startswith(b"diff --git "):
            if path is not None:
                yield path, ranges
            path, ranges = None, []
        elif line.startswith(b"+++ "):
            path = _path(line[4:])
        elif hunk := _HUNK.match(line):
            first, new = int(hunk["first"]), int(hunk["new"] or 1)
            if new:
                ranges.append((first, first + new - 1))
            left = new + int(hunk["old"] or 1)
            while left:
                left -= not next(lines).startswith(b"\\")  # "\ No newline at end of file" belongs to no side
    if path is not None:
        yield path, ranges


def _path(name: bytes) -> bytes | None:
    """The path behind `+++`: quoted as in C where it holds odd characters; None for a file that is gone."""
    if name.startswith(b'"'):
        name = re.sub(rb"\\([0-7]{3}|.)", _unescaped, name.rstrip()[1:-1], flags=re.DOTALL)
    else:
        name = name.removesuffix(b"\t")
    return None if name == b"/dev/null" else name.removeprefix(b"b/")


def _unescaped(found: re.Match[bytes]) -> bytes:
    word = found[1]
    return bytes([int(word, 8)]) if len(word) == 3 else _ESCAPES.get(word, word)

"""What a git checkout says of itself in a few of its files: where its data lies, its commit, its first remote.

git is never run: its configuration may name programs. Files are read within bounds, links are refused, and what does
not look like what it should be is left out.
"""

from __future__ import annotations

import contextlib
import os
import re

from compilelint.disk.read import SMALL, NotReadError, read_bytes
from compilelint.disk.tree import leads_out, lies_in, repository_around
from compilelint.model.slotted import dataclass

_PACKED_BYTES = 20_000_000
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = re.compile(r"refs/[\w.@+/-]+")
_REMOTE = re.compile(r'\[remote "([^"]*)"\]')


@dataclass(frozen=True, slots=True)
class Checkout:
    """The commit that is checked out, by its whole hash, and the address of `origin` as it is written; it may hold a
    password.
    """

    commit: str
    remote: str


def checkout_of(top: str) -> Checkout | None:
    """The checkout whose working tree begins at a folder; None where it is none, or its commit or remote is unknown."""
    folder = git_folder(top)
    if folder is None or not _belongs(folder, top):
        return None
    common = common_folder(folder)
    commit, remote = _commit(folder, common), _remote(common)
    return Checkout(commit, remote) if commit and remote else None


def _belongs(folder: str, top: str) -> bool:
    """Whether data elsewhere is of this tree: a worktree's names it, a submodule's lies in the repository around."""
    real = os.path.realpath(top)
    if lies_in(folder, real):
        return True
    back = first_line(os.path.join(folder, "gitdir"))
    around = repository_around(os.path.dirname(real))
    return (bool(back) and os.path.realpath(back) == os.path.join(real, ".git")) or (
        bool(around) and lies_in(folder, os.path.realpath(around))
    )


def git_folder(top: str) -> str | None:
    """Where `.git` is: the folder itself, or what the file of a worktree or submodule points to."""
    marked = os.path.join(top, ".git")
    if os.path.isdir(marked) and not leads_out(marked):
        return os.path.realpath(marked)
    pointed = first_line(marked)
    if not pointed.startswith("gitdir:"):
        return None
    folder = os.path.realpath(os.path.join(top, pointed.removeprefix("gitdir:").strip()))
    return folder if os.path.isfile(os.path.join(folder, "HEAD")) else None


def common_folder(folder: str) -> str:
    """Where refs and objects are: another folder than HEAD's for `git worktree`."""
    pointed = first_line(os.path.join(folder, "commondir"))
    return os.path.realpath(os.path.join(folder, pointed)) if pointed else folder


def first_line(path: str) -> str:
    """The first line of a small file, empty where there is none."""
    data = plain_bytes(path) or b""
    return os.fsdecode(data[:4096].partition(b"\n")[0]).strip()


def plain_bytes(path: str, most: int = SMALL) -> bytes | None:
    """A regular file of git's own; None where it is a link, larger than it may be, or cannot be had."""
    with contextlib.suppress(NotReadError):
        return None if os.path.islink(path) else read_bytes(path, most)
    return None


def _commit(folder: str, common: str) -> str:
    """The hash that HEAD means, by itself or through a branch; empty where it cannot be seen in files."""
    head = first_line(os.path.join(folder, "HEAD"))
    if head.startswith("ref:"):
        name = head.removeprefix("ref:").strip()
        if not _REF.fullmatch(name) or ".." in name:
            return ""
        head = first_line(os.path.join(common, *name.split("/"))) or _packed(common, name)
    return head if _COMMIT.fullmatch(head) else ""


def _packed(common: str, name: str) -> str:
    data = plain_bytes(os.path.join(common, "packed-refs"), _PACKED_BYTES) or b""
    wanted = b" " + name.encode()
    found = next((line for line in data.splitlines() if line.endswith(wanted)), b"")
    return found.partition(b" ")[0].decode("ascii", "replace")


def _remote(common: str) -> str:
    """The address of `origin`, else of the first remote."""
    text = (plain_bytes(os.path.join(common, "config")) or b"").decode("utf-8", "replace")
    remotes: dict[str, str] = {}
    section = ""
    for line in text.splitlines():
        words = line.strip()
        if words.startswith("["):
            found = _REMOTE.fullmatch(words)
            section = found[1] if found else ""
        key, equals, value = words.partition("=")
        if section and equals and key.strip().lower() == "url":
            remotes.setdefault(section, value.strip().strip('"'))
    return remotes.get("origin") or next(iter(remotes.values()), "")

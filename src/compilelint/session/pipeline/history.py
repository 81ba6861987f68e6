"""git, asked for names and blobs and for nothing else, so that no repository can make it run a program.

A repository is a stranger's: its `config` may name programs (filters, hooks, monitors, remotes that fetch what is
missing), and a folder in it may be a bare repository of its own. So its configuration is never read. git works in a
repository of ours: an empty folder with our own `config`, a copy of the refs, and the stranger's objects beside it. The
working tree is not git's to look at. `cat-file` and `ls-tree` give bytes as they were committed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from compilelint.config import UsageError
from compilelint.disk.checkout import common_folder, git_folder, plain_bytes
from compilelint.disk.programs import program_on_path
from compilelint.model.slotted import dataclass

_SECONDS = 60.0
"""For all that git is asked of one repository: an object that is a pipe would keep it for ever."""
_MOST_LISTED = 64_000_000
"""Bytes, a million files: ten trees that hold each other ten times over list ten billion."""
_MOST_REFS = 20_000
_MOST_BLOB_BYTES = 5_000_000
_AT_ONCE = 20_000_000
"""Bytes of blobs that are held together: packed, five megabytes of one line take five thousand bytes."""
_PACKED_BYTES = 100_000_000
_REF_BYTES = 4_096
_MOST_TABLES = 20
"""Files of a `reftable`: git keeps as many as one writes in turn, and joins them."""
_NAME = re.compile(rb"[0-9a-f]{40}([0-9a-f]{24})?")
# What would run something or go out of the house even though the configuration is ours.
_NOTHING_ELSE = (
    *("-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}"),
    # What git has worked out of its objects, and may as well be wrong.
    *("-c", "core.commitGraph=false", "-c", "core.multiPackIndex=false"),
    *("-c", "core.alternateRefsCommand=", "-c", "protocol.allow=never", "--no-pager", "--no-replace-objects"),
)
_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_PAGER": "cat",
}


@dataclass(frozen=True, slots=True)
class Blob:
    """A file of a commit: the hash that git names its bytes by."""

    name: str


@dataclass(slots=True)
class History:
    """The history of one repository. Used with `with`: the folder that git works in is gone afterwards.

    `top` is the real folder of the working tree, `git_folder` where HEAD stands, `common` where refs and objects are
    (another folder for `git worktree`).
    """

    top: str
    git_folder: str
    common: str
    where: str
    _scratch: str = field(default="", repr=False)
    _until: float = field(default=0.0, repr=False)

    @staticmethod
    def around(path: str, where: str) -> History:
        """The repository of the working tree around a file or folder. Raises UsageError.

        Only a `.git` makes a folder one: what merely looks like a bare repository is a folder of files.
        """
        folder = os.path.realpath(path if os.path.isdir(path) else os.path.dirname(path))
        near = folder
        while not os.path.lexists(os.path.join(near, ".git")):
            above = os.path.dirname(near)
            if above == near:
                hint = "leave the option out, or lint a repository"
                raise UsageError(f"{folder} is not in a git repository", where, hint)
            near = above
        found = git_folder(near)
        if found is None:
            raise UsageError(f"{near} has a .git that is not a repository", where, "leave the option out")
        return History(near, found, common_folder(found), where)

    def __enter__(self) -> History:
        self._scratch = tempfile.mkdtemp(prefix="compilelint-git-")
        self._until = time.monotonic() + _SECONDS
        try:
            self._prepare()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._scratch, ignore_errors=True)

    def base_of(self, revision: str) -> Mapping[bytes, Blob]:
        """The files, by path from the top, of the commit where HEAD left a revision. Raises UsageError."""
        commit = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
        if commit is None:
            hint = "name a branch, tag or commit; a shallow clone has to fetch it first"
            raise UsageError(f"git does not know the revision {revision!r}", self.where, hint)
        base = self._git("merge-base", commit.decode().strip(), "HEAD")
        if base is None:
            hint = "fetch more of the history (git fetch --unshallow), or name another revision"
            raise UsageError(f"{revision!r} and HEAD have no common commit", self.where, hint)
        listed = self._git("ls-tree", "-r", "-z", "--full-tree", base.decode().strip())
        if listed is None:
            hint = "fetch the commit's trees (a partial clone may lack them)"
            raise UsageError("git cannot list the files of the commit", self.where, hint)
        return dict(_entry(line) for line in listed.split(b"\0") if b" blob " in line.partition(b"\t")[0])

    def contents(self, blobs: Iterable[Blob]) -> Iterator[tuple[Blob, bytes]]:
        """The bytes of blobs, a few at a time; of what is missing or larger than any linted file, nothing.

        Raises UsageError.
        """
        names = "".join(f"{one.name}\n" for one in dict.fromkeys(blobs)).encode()
        sizes = self._git("cat-file", "--batch-check=%(objectname) %(objectsize)", given=names) if names else None
        waiting: list[bytes] = []
        held = 0
        for line in (sizes or b"").splitlines():
            words = line.split()
            if len(words) != 2 or not words[1].isdigit() or int(words[1]) > _MOST_BLOB_BYTES:
                continue
            if held + int(words[1]) > _AT_ONCE:
                yield from self._read(waiting)
                waiting, held = [], 0
            waiting.append(words[0])
            held += int(words[1])
        yield from self._read(waiting)

    def _read(self, names: Sequence[bytes]) -> Iterator[tuple[Blob, bytes]]:
        given = b"".join(name + b"\n" for name in names)
        return _batch(self._git("cat-file", "--batch", given=given) or b"" if names else b"")

    # ------------------------------------------------------------------ git

    def _prepare(self) -> None:
        """Our own repository: no setting of theirs but how objects are named and where refs are kept."""
        theirs = _extensions(os.path.join(self.common, "config"))
        version = 1 if theirs else 0
        lines = ["[core]", f"\trepositoryformatversion = {version}", "\tbare = true"]
        lines += ["[extensions]", *(f"\t{key} = {value}" for key, value in theirs.items())] if theirs else []
        _put(os.path.join(self._scratch, "config"), ("\n".join(lines) + "\n").encode())
        for folder in ("refs", "objects"):
            os.mkdir(os.path.join(self._scratch, folder))
        _put(
            os.path.join(self._scratch, "HEAD"),
            plain_bytes(os.path.join(self.git_folder, "HEAD"), _PACKED_BYTES) or b"ref: refs/none\n",
        )
        for name in ("packed-refs", "shallow", "FETCH_HEAD", "ORIG_HEAD"):
            data = plain_bytes(os.path.join(self.common, name), _PACKED_BYTES)
            if data is not None:
                _put(os.path.join(self._scratch, name), data)
        left = _copied(_refs_of(self.common), os.path.join(self._scratch, "refs"), _MOST_REFS, _REF_BYTES)
        tables = os.path.join(self.common, "reftable")
        if not os.path.islink(tables):
            _copied(tables, os.path.join(self._scratch, "reftable"), min(left, _MOST_TABLES), _PACKED_BYTES)

    def _git(self, *words: str, given: bytes = b"") -> bytes | None:
        """What git prints, None where it fails. Raises UsageError where there is no git, or it goes on and on."""
        program = program_on_path("git")
        if program is None:
            raise UsageError("git is not on the PATH", self.where, "install git, or leave the option out")
        command = [program, f"--git-dir={self._scratch}", f"--work-tree={self._scratch}", *_NOTHING_ELSE, *words]
        own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        environment = {**own, **_ENVIRONMENT, "GIT_OBJECT_DIRECTORY": os.path.join(self.common, "objects")}
        asked = os.path.join(self._scratch, "asked")
        _put(asked, given)
        with (
            open(asked, "rb") as stream,
            subprocess.Popen(
                command,
                cwd=self._scratch,
                env=environment,
                stdin=stream,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            ) as running,
        ):
            assert running.stdout is not None
            clock = threading.Timer(max(0.0, self._until - time.monotonic()), running.kill)
            clock.start()
            try:
                printed = running.stdout.read(_MOST_LISTED + 1)
                if len(printed) > _MOST_LISTED:
                    running.kill()
                running.wait()
            finally:
                clock.cancel()
        if time.monotonic() > self._until:
            raise UsageError(f"git took longer than {_SECONDS:g} s", self.where, "leave the option out")
        if len(printed) > _MOST_LISTED:
            raise UsageError("git lists more than a million files", self.where, "leave the option out")
        return printed if running.returncode == 0 else None


def _refs_of(common: str) -> str:
    """Where the refs are. A link counts where it leads to those of another repository (`repo` links them)."""
    refs = os.path.join(common, "refs")
    real = os.path.realpath(refs)
    own = os.path.basename(real) == "refs" and os.path.isdir(os.path.join(os.path.dirname(real), "objects"))
    return real if own else ""


def _entry(line: bytes) -> tuple[bytes, Blob]:
    """One line of `ls-tree`: mode, kind and name, a tab, the path."""
    head, _, path = line.partition(b"\t")
    return path, Blob(head.split(b" ")[2].decode("ascii"))


def _batch(data: bytes) -> Iterator[tuple[Blob, bytes]]:
    """What `cat-file --batch` prints: `NAME blob SIZE`, the bytes, a newline; `NAME missing` for what is not there."""
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        words = data[at:end].split(b" ")
        at = end + 1
        if end < 0 or len(words) != 3 or not words[2].isdigit():
            continue
        size = int(words[2])
        if words[1] == b"blob" and _NAME.fullmatch(words[0]):
            yield Blob(words[0].decode()), data[at : at + size]
        at += size + 1


def _extensions(config: str) -> dict[str, str]:
    """How a repository names objects and keeps refs: the two settings without which its files cannot be understood."""
    known = {"objectformat": ("sha1", "sha256"), "refstorage": ("files", "reftable")}
    found = {}
    section = ""
    for line in (plain_bytes(config, _PACKED_BYTES) or b"").decode("utf-8", "replace").splitlines():
        text = line.strip().lower()
        if text.startswith("["):
            section = text
        key, _, value = text.partition("=")
        if section == "[extensions]" and value.strip() in known.get(key.strip(), ()):
            found[key.strip()] = value.strip()
    return found


def _copied(folder: str, to: str, left: int, most: int) -> int:
    """Copy regular files of up to `most` bytes below a folder, no links; how many files and folders more may come."""
    waiting = [(folder, to)]
    while waiting and left > 0:
        here, there = waiting.pop()
        try:
            entries = list(os.scandir(here)) if here else []
        except OSError:
            continue
        os.makedirs(there, exist_ok=True)
        for entry in entries[:left]:
            target = os.path.join(there, entry.name)
            left -= 1
            if entry.is_dir(follow_symlinks=False):
                waiting.append((entry.path, target))
            elif entry.is_file(follow_symlinks=False) and (data := plain_bytes(entry.path, most)) is not None:
                _put(target, data)
    return left


def _put(path: str, data: bytes) -> None:
    with open(path, "wb") as opened:
        opened.write(data)

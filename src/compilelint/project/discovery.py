"""Which files a command line means.

What is named is linted, and all below it except what ignore rules found at or below it exclude: `.gitignore` files,
the built-in excludes and the user's own patterns. Ignore rules above a named folder say nothing about it, so a
git-ignored site-packages folder is linted when named. Links to folders are not followed (as in git and ruff, so
that no loop and no foreign tree is walked into), links to files are, where they stay in the linted paths or their
repository (one that leads elsewhere would carry another's file into a report); each real file comes once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import field

from compilelint.disk.read import NotReadError, read_text
from compilelint.disk.tree import Tree, leads_out, tree_of
from compilelint.model.slotted import dataclass
from compilelint.project.globs import IgnoreList, NoGlobError
from compilelint.syntax.source import portable

# ruff's default list. The generic names below it are left out only where they are no Python packages.
DEFAULT_EXCLUDES = frozenset(
    (
        ".bzr",
        ".direnv",
        ".eggs",
        ".git",
        ".git-rewrite",
        ".hg",
        ".ipynb_checkpoints",
        ".mypy_cache",
        ".nox",
        ".pants.d",
        ".pyenv",
        ".pytest_cache",
        ".pytype",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        ".vscode",
        "__pycache__",
        "__pypackages__",
        "_build",
        "buck-out",
        "node_modules",
        "site-packages",
    )
)
GENERIC_EXCLUDES = frozenset(("build", "dist", "venv"))


@dataclass(frozen=True, slots=True)
class Excludes:
    """The user's patterns (those of a .gitignore), relative to `base`, beside the built-in names.

    `force` applies both to files and folders that the command line names, as pre-commit needs it.
    """

    patterns: tuple[str, ...] = ()
    base: str = "."
    force: bool = False
    defaults: frozenset[str] = DEFAULT_EXCLUDES | GENERIC_EXCLUDES


@dataclass(frozen=True, slots=True)
class NotDiscovered:
    """A named path without a result, or a folder that cannot be listed.

    `missing` and `no-files` are usage errors (exit 2), `unlistable` and `link` are CL9xx findings.
    """

    kind: str
    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Discovery:
    """Absolute paths with `/` separators: in the order named, and sorted below each named folder.

    `files` holds notebooks too; `roots` are the named paths that exist, `folders` those that were walked.
    """

    files: tuple[str, ...] = ()
    errors: tuple[NotDiscovered, ...] = ()
    roots: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


def discover(paths: Sequence[str], excludes: Excludes | None = None) -> Discovery:
    """Walk the named paths. Never raises for what it finds on disk."""
    walk = _Walk(excludes or Excludes(), tree_of(paths))
    roots = [portable(path) for path in paths if walk.named(path)]
    if not walk.files and not walk.errors:
        walk.errors.append(NotDiscovered("no-files", "", walk.why_nothing()))
    return Discovery(tuple(walk.files), tuple(walk.errors), tuple(roots), tuple(walk.folders))


@dataclass(slots=True)
class _IgnoreFile:
    """One .gitignore and the folder its patterns are relative to."""

    folder: str
    patterns: IgnoreList

    def decides(self, path: str, is_folder: bool) -> bool | None:
        """True: ignored; False: un-ignored by a `!` pattern; None: nothing said."""
        relative = path[len(self.folder) :].lstrip("/")
        return self.patterns.decides(relative + "/" if is_folder else relative)


@dataclass(slots=True)
class _Walk:
    """The state of one discovery."""

    excludes: Excludes
    tree: Tree
    files: list[str] = field(default_factory=list)
    errors: list[NotDiscovered] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    _seen: set[str] = field(default_factory=set)
    _links: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _own: _IgnoreFile = field(init=False)

    def __post_init__(self) -> None:
        self._own = _IgnoreFile(portable(self.excludes.base), IgnoreList(self.excludes.patterns))

    def named(self, path: str) -> bool:
        """Take in what one command-line argument means; whether it exists."""
        shown = portable(path)
        if not os.path.lexists(path):
            self.errors.append(NotDiscovered("missing", shown, "no such file or folder"))
            return False
        is_folder = os.path.isdir(path)
        if self.excludes.force and self._excluded_by_force(shown, is_folder):
            self.excluded.append(shown)
        elif leads_out(path, self._links):
            self.errors.append(NotDiscovered("link", shown, "a link that leads out of its tree; name what it leads to"))
        elif is_folder:
            self._below(shown)
        elif not shown.endswith(".pyi"):
            self._take(shown, linked=True)
        return True

    def why_nothing(self) -> str:
        """For the message when no file is left."""
        if self.excluded:
            more = f" and {len(self.excluded) - 1} more" if len(self.excluded) > 1 else ""
            return f"no Python file found (excluded: {self.excluded[0]}{more})"
        return "no Python file found"

    def _excluded_by_force(self, path: str, is_folder: bool) -> bool:
        """Whether the path or a folder above it, up to the base of the patterns, is excluded."""
        base = self._own.folder.rstrip("/") + "/"
        if not path.startswith(base):
            return False
        parts = path[len(base) :].split("/")
        for end in range(1, len(parts) + 1):
            step = base + "/".join(parts[:end])
            folder = is_folder or end < len(parts)
            if (folder and self._excluded_by_name(step)) or self._excluded_by_user(step, folder):
                return True
        return False

    def _below(self, top: str) -> None:
        """Everything under a named folder, depth first; iterative, since folders nest without bound."""
        real_top = os.path.realpath(top).replace(os.sep, "/")
        pending: list[tuple[str, tuple[_IgnoreFile, ...]]] = [(top, ())]
        while pending:
            folder, ignores = pending.pop()
            try:
                with os.scandir(folder) as listing:
                    entries = sorted(listing, key=lambda entry: entry.name)
            except OSError as error:
                reason = error.strerror or str(error)
                self.errors.append(NotDiscovered("unlistable", folder, reason[:1].lower() + reason[1:]))
                continue
            self.folders.append(folder)
            if any(entry.name == ".gitignore" for entry in entries):
                ignores = (*ignores, *_ignore_file(folder))
            folders = []
            for entry in entries:
                path = f"{folder.rstrip('/')}/{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    if not self._excluded(path, True, ignores):
                        folders.append((path, ignores))
                elif _is_wanted(entry) and not self._excluded(path, False, ignores):
                    if entry.is_symlink() and not self.tree.holds(path):
                        what = "a link that leads out of the linted paths and their repository"
                        self.errors.append(NotDiscovered("link", path, what))
                        continue
                    self._take(path, entry.is_symlink(), real_top + path[len(top.rstrip("/")) :])
            pending.extend(reversed(folders))

    def _excluded(self, path: str, is_folder: bool, ignores: tuple[_IgnoreFile, ...]) -> bool:
        """The innermost .gitignore that says anything decides, then the user's patterns and the built-in names."""
        out = (is_folder and self._excluded_by_name(path)) or self._excluded_by_user(path, is_folder)
        if not out:
            for ignore in reversed(ignores):
                decision = ignore.decides(path, is_folder)
                if decision is not None:
                    out = decision
                    break
        if out:
            self.excluded.append(path)
        return out

    def _excluded_by_user(self, path: str, is_folder: bool) -> bool:
        """The user's own patterns, which speak of nothing outside their base."""
        inside = self.excludes.patterns and path.startswith(self._own.folder.rstrip("/") + "/")
        return bool(inside and self._own.decides(path, is_folder))

    def _excluded_by_name(self, folder: str) -> bool:
        """Built-in excludes, and virtual environments of any name."""
        name = folder.rpartition("/")[2]
        if name in self.excludes.defaults:
            return name not in GENERIC_EXCLUDES or not os.path.isfile(f"{folder}/__init__.py")
        return os.path.isfile(f"{folder}/pyvenv.cfg")

    def _take(self, path: str, linked: bool, real: str = "") -> None:
        """Add a file unless its real path is there already."""
        key = os.path.realpath(path).replace(os.sep, "/") if linked or not real else real
        if key in self._seen:
            return
        self._seen.add(key)
        self.files.append(path)


def _is_wanted(entry: os.DirEntry[str]) -> bool:
    """A source or notebook that is a regular file or links to one; no FIFO, no broken link (an editor's lock file)."""
    try:
        return entry.name.endswith((".py", ".ipynb")) and entry.is_file()
    except OSError:  # a loop of links
        return False


def _ignore_file(folder: str) -> Iterator[_IgnoreFile]:
    """The folder's .gitignore, unless it cannot be read; a broken pattern spoils itself alone, as in git."""
    path = f"{folder}/.gitignore"
    try:
        lines = [] if os.path.islink(path) else read_text(path).splitlines()  # git follows no link here either
    except NotReadError:
        return
    patterns = IgnoreList(())
    for line in lines:
        with suppress(NoGlobError):
            patterns.add(line)
    yield _IgnoreFile(folder, patterns)

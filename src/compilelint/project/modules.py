"""Dotted names to files and back, by listing folders; nothing is imported.

A `ModuleFinder` answers for one run. It lists every folder once and keeps what it did not find (`missed`), because a
cached result must not outlive the day on which a missing module appears.
"""

from __future__ import annotations

import enum
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import field

from compilelint.disk.tree import Tree, tree_of
from compilelint.model.slotted import dataclass
from compilelint.project.environment import Environment
from compilelint.syntax.source import portable

_SITE_NAMES = ("site-packages", "dist-packages")
_PROJECT_FILES = ("pyproject.toml", "setup.py", "setup.cfg")
EXTENSION_ENDINGS = (".so", ".pyd")
_BINARY_ENDINGS = (*EXTENSION_ENDINGS, ".pyc", ".pyi")


class Kind(enum.Enum):
    """What stands behind a dotted name. BINARY: it exists, but no source can be read (extension, stub, built-in)."""

    SOURCE = "source"
    PACKAGE = "package"
    NAMESPACE = "namespace"
    BINARY = "binary"


@dataclass(frozen=True, slots=True)
class Found:
    """A module. `path` is its source file (`__init__.py` for a package), for a namespace its first folder, for a
    binary the file or nothing; `folders` are where submodules lie; `in_project` separates project from installed.
    """

    name: str
    kind: Kind
    path: str
    folders: tuple[str, ...] = ()
    in_project: bool = False

    @property
    def has_source(self) -> bool:
        """Whether `path` can be read as Python source."""
        return self.kind in (Kind.SOURCE, Kind.PACKAGE)


@dataclass(slots=True)
class ModuleFinder:
    """Looks names up in the standard library, in the project's roots, then in the environment's search path."""

    environment: Environment
    project_roots: tuple[str, ...] = ()
    missed: set[str] = field(default_factory=set)
    tree: Tree = field(init=False)
    _found: dict[str, Found | None] = field(default_factory=dict)
    _listings: dict[str, dict[str, bool]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tree = tree_of(self.project_roots)

    def find(self, dotted: str) -> Found | None:
        """The module of that absolute name, or None (and the name is in `missed`)."""
        if dotted in self._found:
            known = self._found[dotted]
            if known is None:
                self._miss(dotted)
            return known
        parent_name, _, last = dotted.rpartition(".")
        found: Found | None = None
        if not last:
            return None
        if not parent_name:
            found = self._top_level(dotted)
        else:
            parent = self.find(parent_name)
            if parent is not None and parent.kind is Kind.BINARY:
                found = Found(dotted, Kind.BINARY, "", (), parent.in_project)
            elif parent is not None:
                found = self._in_folders(dotted, last, parent.folders, parent.in_project)
        if found is None:
            self.missed.add(dotted)
        self._found[dotted] = found
        return found

    def _miss(self, dotted: str) -> None:
        """Note a name that was not found before, and what around it was not: `missed` may have been emptied since."""
        while dotted and self._found.get(dotted) is None:
            self.missed.add(dotted)
            dotted = dotted.rpartition(".")[0]

    def listing(self, folder: str) -> dict[str, bool]:
        """Name to "is a folder" of everything in a folder; empty where it cannot be listed. Asked of the disk once."""
        known = self._listings.get(folder)
        if known is None:
            known = {}
            try:
                with os.scandir(folder) as entries:
                    for entry in entries:
                        known[entry.name] = _is_folder(entry)
            except (OSError, ValueError):
                pass  # a search path may name folders that are gone; what it lacks is simply not found
            self._listings[folder] = known
        return known

    def _top_level(self, name: str) -> Found | None:
        """A name without dots: built in, in the project, in the environment, or an editable install."""
        if name in sys.builtin_module_names:
            return Found(name, Kind.BINARY, "")
        if name in sys.stdlib_module_names:
            # A script's folder is a root for its own script alone: its `types.py` must not become everyone's.
            stdlib = self.environment.stdlib
            found = self._in_folders(name, name, (stdlib, f"{stdlib}/lib-dynload"), stdlib in self.project_roots)
            if found is not None:
                return found
        project = self._in_folders(name, name, self.project_roots, True)
        if project is not None and project.kind is not Kind.NAMESPACE:
            return project
        installed = self._in_folders(name, name, self.environment.search_path, False)
        if installed is None:
            installed = self._editable(name)
        if project is None or installed is None:
            return project or installed or self._around(name)
        if installed.kind is not Kind.NAMESPACE:
            return installed  # Python takes a real module anywhere on the path before it thinks of a namespace
        folders = tuple(dict.fromkeys(project.folders + installed.folders))
        return Found(name, Kind.NAMESPACE, project.path, folders, True)

    def _around(self, name: str) -> Found | None:
        """A folder around linted files that bears the name: a package that was named without the folder around it."""
        folders: dict[str, None] = {}
        for root in self.project_roots:
            parts = root.split("/")
            if name in parts[1:]:
                last = len(parts) - parts[::-1].index(name)
                folders.setdefault("/".join(parts[:last]))
        for folder in folders:
            package = self._package(name, folder, True)
            if package is not None:
                return package
        return Found(name, Kind.NAMESPACE, next(iter(folders)), tuple(folders), True) if folders else None

    def _in_folders(self, dotted: str, name: str, folders: Iterable[str], in_project: bool) -> Found | None:
        """The first module called `name` in the folders; else all the portions of a namespace."""
        portions = []
        for folder in folders:
            listing = self.listing(folder)
            if listing.get(name):
                inner = f"{folder}/{name}"
                package = self._package(dotted, inner, in_project)
                if package is not None:
                    return package
                portions.append(inner)
            if listing.get(f"{name}.py") is False:
                if binary := self._binary(listing, name, EXTENSION_ENDINGS):
                    return Found(dotted, Kind.BINARY, f"{folder}/{binary}", (), in_project)
                return Found(dotted, Kind.SOURCE, f"{folder}/{name}.py", (), in_project)
            if binary := self._binary(listing, name, _BINARY_ENDINGS):
                return Found(dotted, Kind.BINARY, f"{folder}/{binary}", (), in_project)
        if portions:
            return Found(dotted, Kind.NAMESPACE, portions[0], tuple(portions), in_project)
        return None

    def _package(self, dotted: str, folder: str, in_project: bool) -> Found | None:
        """The regular package in a folder, or None if the folder has no `__init__` of any make."""
        listing = self.listing(folder)
        if listing.get("__init__.py") is False:
            return Found(dotted, Kind.PACKAGE, f"{folder}/__init__.py", (folder,), in_project)
        if binary := self._binary(listing, "__init__", _BINARY_ENDINGS):
            return Found(dotted, Kind.BINARY, f"{folder}/{binary}", (folder,), in_project)
        return None

    @staticmethod
    def _binary(listing: Mapping[str, bool], name: str, endings: tuple[str, ...]) -> str:
        """`name.cpython-311-x86_64-linux-gnu.so` and the like, or an empty string; an extension before its stub."""
        for ending in EXTENSION_ENDINGS:
            if listing.get(name + ending) is False:
                return name + ending
        prefixes = (f"{name}.cpython-", f"{name}.abi3.", f"{name}.cp3", f"{name}.pypy")
        for entry, is_folder in listing.items():
            if not is_folder and entry.startswith(prefixes) and entry.endswith(EXTENSION_ENDINGS):
                return entry
        return next((name + ending for ending in endings if listing.get(name + ending) is False), "")

    def _editable(self, name: str) -> Found | None:
        """Setuptools' editable finder comes last on Python's meta path, hence here too."""
        target = self.environment.editable.get(name)
        if target is None:
            return None
        package = self._package(name, target, False)
        if package is not None:
            return package
        if os.path.isdir(target):
            return Found(name, Kind.NAMESPACE, target, (target,))
        source = target if target.endswith(".py") else f"{target}.py"
        return Found(name, Kind.SOURCE, source) if os.path.isfile(source) else None


@dataclass(frozen=True, slots=True)
class ModuleName:
    """The dotted name of a file and the folder it is counted from (what `sys.path` would hold)."""

    dotted: str
    root: str
    is_package: bool


def module_name(path: str) -> ModuleName:
    """Name a source file as Python would import it.

    Packages are found by walking up while `__init__.py` exists. Above the outermost one the walk goes on through
    namespace folders only where the root is beyond doubt: below site-packages, or below a `src` folder that lies
    beside a project file. `pkg/__init__.py` is `pkg`; a lone script is its stem, counted from its own folder.
    """
    absolute = portable(path)
    folder, _, name = absolute.rpartition("/")
    stem = name.rpartition(".")[0] or name
    parts = [] if stem == "__init__" else [stem]
    while os.path.isfile(f"{folder}/__init__.py"):
        above, _, last = folder.rpartition("/")
        if not last.isidentifier():
            break
        parts.append(last)
        folder = above
    root = _sure_root(folder)
    if root is not None and root != folder:
        between = folder[len(root) + 1 :].split("/")
        if all(part.isidentifier() for part in between):
            parts += reversed(between)
            folder = root
    return ModuleName(".".join(reversed(parts)) or stem, folder or "/", stem == "__init__")


def project_roots(paths: Iterable[str]) -> tuple[str, ...]:
    """The folders from which the linted files (or named folders) import each other, in order of first appearance.

    For each: the folder above its outermost package, then the nearest project folder's `src` and itself.
    """
    roots: dict[str, None] = {}
    seen: set[str] = set()
    for path in paths:
        absolute = portable(path)
        folder = absolute if os.path.isdir(absolute) else absolute.rpartition("/")[0]
        if folder in seen:
            continue
        seen.add(folder)
        roots.setdefault(module_name(f"{folder}/__init__.py").root if _is_package(folder) else folder)
        project = _project_folder(folder)
        if project is not None:
            for root in (f"{project}/src", project):
                if os.path.isdir(root):
                    roots.setdefault(root)
    return tuple(roots)


def is_project_folder(folder: str) -> bool:
    """Whether a project file or a repository's mark says that all below belongs together."""
    return any(os.path.lexists(f"{folder}/{mark}") for mark in (*_PROJECT_FILES, ".git", ".hg"))


def _is_package(folder: str) -> bool:
    return os.path.isfile(f"{folder}/__init__.py")


def _sure_root(folder: str) -> str | None:
    """The site-packages, or the `src` beside a project file, at or above a folder."""
    while True:
        above, _, last = folder.rpartition("/")
        if last in _SITE_NAMES:
            return folder
        if last == "src" and any(os.path.isfile(f"{above}/{mark}") for mark in _PROJECT_FILES):
            return folder
        if not above or above == folder:
            return None
        folder = above


def _project_folder(folder: str) -> str | None:
    """The nearest folder with a project file, not beyond the repository and not above a site-packages."""
    while True:
        if any(os.path.isfile(f"{folder}/{mark}") for mark in _PROJECT_FILES):
            return folder
        above, _, last = folder.rpartition("/")
        if not above or last in _SITE_NAMES or os.path.exists(f"{folder}/.git"):
            return None
        folder = above


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a loop of links
        return False

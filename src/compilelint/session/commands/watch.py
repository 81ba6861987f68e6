"""Waiting for what a run depends on to change: `check --watch`.

Guarantee: what changes after a `Watch` was entered is seen by the next `changes`, folders that come and go included.
Folders are watched one by one and not below, so that what the linter ignores (`node_modules`, environments) is neither
watched nor counted; those above the named paths are watched for configuration, and for named paths that come back.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import TracebackType

from compilelint.config import Options, UsageError
from compilelint.disk.tree import repository_around
from compilelint.model.slotted import dataclass
from compilelint.project.discovery import Discovery, Excludes, discover
from compilelint.project.modules import is_project_folder, project_roots
from compilelint.session.pipeline.inputs import excludes_of
from compilelint.syntax.source import portable

SOURCES = (".py", ".ipynb")
CONFIGURING = frozenset({"compilelint.toml", "pyproject.toml", ".gitignore", "requirements.txt", "pyvenv.cfg"})
"""Files that change what a run means, wherever they lie."""

MOST_FOLDERS = 8_000  # the limit of many systems is 8,192 watches in all
_TOGETHER = 1_000  # ms: changes of one checkout or one "save all" are one change
_QUIET = 80  # ms without a change end it
_POLL = 500  # ms between two looks where the system does not say


@dataclass(frozen=True, slots=True)
class Scope:
    """What a run may depend on, as absolute paths with `/`: linted or importable `files`, the `folders` to watch, other
    files that were `named` (configuration, baseline, rules).
    """

    files: frozenset[str]
    folders: frozenset[str]
    named: frozenset[str]


def scope_of(each: Sequence[Options], paths: Sequence[str]) -> Scope:
    """The scope of the runs that are made of some paths; `each` is empty where their configuration cannot be read."""
    real = [path for path in paths if os.path.lexists(path)]
    excludes = [excludes_of(one) for one in each] or [Excludes()]
    found = [discover(real, one) for one in excludes] if real else []
    files = {file for one in found for file in one.files}
    folders = dict.fromkeys(folder for one in found for folder in one.folders)
    for root in project_roots(path if os.path.lexists(path) else _existing(portable(path)) for path in paths):
        tops = [root] if is_project_folder(root) else _packages(root, real)
        around = discover(tops, excludes[0]) if tops else Discovery()
        files.update((*around.files, *_sources_in(root)))
        folders.update(dict.fromkeys((*around.folders, root)))
    named = {portable(path) for one in each for path in _named(one)}
    near = dict.fromkeys(folder for path in paths for folder in _around(portable(path)))
    near.update(dict.fromkeys(_existing(os.path.dirname(path)) for path in named))
    watched = [*near, *(one for one in folders if one not in near)][:MOST_FOLDERS]
    return Scope(frozenset(files), frozenset(watched), frozenset(named))


def _packages(root: str, paths: Iterable[str]) -> list[str]:
    """The folders right below a root that hold the named paths: their packages, where nothing marks a project."""
    below = [path[len(root) + 1 :] for path in map(portable, paths) if path.startswith(f"{root}/")]
    tops = dict.fromkeys(f"{root}/{path.partition('/')[0]}" for path in below)
    return [top for top in tops if os.path.isdir(top)]


def _sources_in(folder: str) -> list[str]:
    try:
        return [f"{folder}/{name}" for name in os.listdir(folder) if name.endswith(SOURCES)]
    except OSError:  # it went while we looked
        return []


def _named(options: Options) -> Iterator[str]:
    yield from options.packs
    yield from (path for path in (options.config_file, options.baseline) if path)


def _around(path: str) -> Iterator[str]:
    """The folders above a path from the nearest that exists, up to its repository; without one, that folder alone."""
    top = repository_around(path)
    folder = _existing(os.path.dirname(path))
    yield folder
    while top and folder.startswith(f"{portable(top)}/"):
        folder = os.path.dirname(folder)
        yield folder


def _existing(folder: str) -> str:
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


class Watch:
    """Says what changed of the scope that `ask` gives, between one call of `changes` and the next.

    `ask` is called again after every change. `never` are files that the run itself writes. Raises UsageError where
    watchfiles is not installed.
    """

    def __init__(self, ask: Callable[[], Scope], never: Iterable[str] = ()) -> None:
        try:
            from watchfiles._rust_notify import RustNotify  # documented; `watch()` begins only when it is asked
        except ImportError as error:
            hint = "install it: pip install 'compilelint[watch]'"
            raise UsageError("watching files needs watchfiles", "--watch", hint) from error
        self._make = RustNotify
        self._ask = ask
        self._never = frozenset(map(portable, never))
        self.scope = ask()
        self.polls = False
        self._watcher = self._start()

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._watcher.close()

    def _start(self) -> RustNotify:  # type: ignore[name-defined]  # noqa: F821
        """A watcher of the scope's folders, which looks now and then where the system has no watches left."""
        while True:
            folders = sorted(folder for folder in self.scope.folders if os.path.isdir(folder))
            try:
                return self._make(folders, False, self.polls, _POLL, False, True)
            except FileNotFoundError:  # one went just now
                continue
            except OSError:
                if self.polls:
                    raise
                self.polls = True

    def changes(self) -> tuple[str, ...]:
        """Wait until something changed; what did, sorted. Raises KeyboardInterrupt."""
        while True:
            noticed = self._watcher.watch(_TOGETHER, _QUIET, 0, None)
            if not isinstance(noticed, set):
                raise KeyboardInterrupt
            changed = self._of_interest({path.replace(os.sep, "/") for _, path in noticed} - self._never)
            if changed:
                return tuple(sorted(changed))

    def _of_interest(self, paths: set[str]) -> set[str]:
        before = self.scope
        folders = {path for path in paths if path in before.folders or os.path.isdir(path)}
        exact = {path for path in paths if path in before.named or path.rpartition("/")[2] in CONFIGURING}
        sources = {path for path in paths if path.endswith(SOURCES)}
        if not (folders or exact or sources):
            return set()
        self.scope = self._ask()
        if folders or self.scope.folders != before.folders:  # one that was made again is not watched any more
            self._watcher.close()
            self._watcher = self._start()
            self.scope = self._ask()  # and what came into it meanwhile
        mine = before.files | self.scope.files
        return exact | (sources & mine) | ((before.files ^ self.scope.files) - self._never)

"""What is linted together: the files of a workspace folder to which one configuration file is the nearest.

A folder whose files make up more than one part (`session.parallel.split`) is too large to be followed at every
keystroke: of it the open files are linted, each alone with what it imports. Everything here runs in the thread that
analyses.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from compilelint import checks
from compilelint.config import Options, UsageError, settle
from compilelint.interp.core.clock import never
from compilelint.lib.file_state import FileState
from compilelint.model import Finding
from compilelint.report.report import Report
from compilelint.server.settings import Settings
from compilelint.session.commands.lint import files_to_lint
from compilelint.session.live import Live, Modules
from compilelint.session.parallel.split import parts_of
from compilelint.syntax.source import Source


@dataclass(frozen=True, slots=True)
class Results:
    """What a project came to: one report under the empty path, or one for each file that was linted alone.

    `texts` are the open texts that were linted, `files` all files that were; `failure` says in words why there is no
    report.
    """

    texts: Mapping[str, Source]
    reports: Mapping[str, Report] = field(default_factory=dict)
    files: frozenset[str] = frozenset()
    failure: str = ""

    def findings(self, path: str) -> list[Finding]:
        """The findings of a file, by place."""
        report = self.report_of(path)
        return [] if report is None else [one for one in report.findings if one.location.path == path]

    def paths(self) -> list[str]:
        """The files in which something was found."""
        return list(dict.fromkeys(one.location.path for report in self.reports.values() for one in report.findings))

    def report_of(self, path: str) -> Report | None:
        """The report that speaks of a file."""
        return self.reports.get(path) or self.reports.get("")


class Project:
    """The files of `folder` to which the configuration file `config` (None: none) is the nearest.

    `alone` says that the folder is no workspace folder: only what is open is linted. `packs` are rule packs that the
    server's command line names.
    """

    def __init__(
        self, folder: str, config: str | None, settings: Settings, packs: Sequence[str] = (), alone: bool = False
    ) -> None:
        self.folder = folder
        self.config = config
        self.settings = settings
        self._packs = tuple(packs)
        self._alone = alone
        self._modules = Modules()
        self._options: Options | None = None
        self._files: tuple[str, ...] | None = None
        self._whole: Live | None = None
        self._single: dict[str, Live] = {}
        self._believed: tuple[Mapping[str, Source], str, FileState | None] | None = None
        self.one_by_one = alone

    def options(self) -> Options:
        """The request for the folder. Raises UsageError where a configuration file is wrong."""
        if self._options is None:
            rules = checks.rulebook(self._packs, (self.folder,)).rules
            settled = settle((self.folder,), dict(self.settings.said), rules, nearest=(self.config,))
            self._options = replace(settled.options, packs=self._packs)
        return self._options

    def forget(self) -> None:
        """Files came or went, or a configuration changed: find out again which files there are, and what holds."""
        self._options = self._files = self._whole = self._believed = None
        self._single.clear()

    @property
    def is_large(self) -> bool:
        """Whether its files are linted one by one. Raises UsageError."""
        if self._alone or self.settings.mode == "openFiles":
            return True
        if self.settings.mode == "workspace":
            return False
        size = 0
        for path in self.files():
            with suppress(OSError):
                size += os.stat(path).st_size
        return parts_of(size) > 1

    def files(self) -> tuple[str, ...]:
        """Its files on the disk. Raises UsageError."""
        if self._files is None:
            options = self.options()
            try:
                self._files = files_to_lint(options)
            except UsageError as error:
                if not error.what.startswith("no Python file"):
                    raise
                self._files = ()  # none that holds Python, yet
        return self._files

    def results(self, texts: Mapping[str, Source], stopped: Callable[[], bool] = never) -> Results:
        """Lint with these texts in place of what the disk holds. A request that cannot be followed is a failure.

        Raises StoppedError when `stopped` says that the results are not wanted any more.
        """
        try:
            self.one_by_one = self.is_large
            if self.one_by_one:
                return self._one_by_one(texts, stopped)
            return self._at_once(texts, stopped)
        except UsageError as error:
            return Results(texts, failure=f"{error.what} ({error.where}); {error.hint}")

    def _at_once(self, texts: Mapping[str, Source], stopped: Callable[[], bool]) -> Results:
        unsaved = self._unsaved(texts)
        if not self.files() and not unsaved:
            return Results(texts)
        report = self._at_once_by().report(texts, unsaved, stopped)
        return Results(texts, {"": report}, frozenset((*self.files(), *unsaved)))

    def _at_once_by(self) -> Live:
        if self._whole is None:
            self._whole = Live(self.options(), self._modules)
        return self._whole

    def _unsaved(self, texts: Mapping[str, Source]) -> list[str]:
        return [path for path in texts if path not in self.files() and self._is_new(path)]

    def beliefs(self, texts: Mapping[str, Source], path: str) -> FileState | None:
        """What is believed of a file's expressions; None where it is not linted, or cannot be."""
        known = self._believed
        if known is None or known[1] != path or known[0] != texts:
            try:
                if not self.one_by_one:
                    found = self._at_once_by().beliefs(texts, path, self._unsaved(texts))
                elif path in self._single:
                    found = self._single[path].beliefs(texts, path, [path] if self._is_new(path) else [])
                else:
                    found = None
            except UsageError:
                found = None
            known = self._believed = dict(texts), path, found
        return known[2]

    def _one_by_one(self, texts: Mapping[str, Source], stopped: Callable[[], bool]) -> Results:
        reports: dict[str, Report] = {}
        known = None if self._alone else frozenset(self.files())
        mine = [path for path in texts if known is None or path in known or self._is_new(path)]
        self._single = {path: one for path, one in self._single.items() if path in mine}
        for path in mine:
            live = self._single.setdefault(path, Live(self._options_of(path), self._modules))
            reports[path] = live.report(texts, [path] if self._is_new(path) else [], stopped)
        return Results(texts, reports, frozenset(mine))

    def _options_of(self, path: str) -> Options:
        return replace(self.options(), paths=(path,), nearest_only=False)

    def _is_new(self, path: str) -> bool:
        """Whether a path lies in the folder and not on the disk."""
        return path.startswith(f"{self.folder}/") and not os.path.exists(path)

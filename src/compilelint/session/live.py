"""One request asked again and again while texts change: what a run reads, lowers and learns stays for the next.

Guarantee: a report is that of a fresh run (`session.commands.lint`) over the same texts, whatever was asked before.
What is kept is the IR of files, found by path, name and the hash of the text, and what the last run did, call by call
(`session.parallel.last`).
"""

from __future__ import annotations

import gc
import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from compilelint.config import Options
from compilelint.interp.core.clock import never
from compilelint.lib.file_state import FileState
from compilelint.report.report import Report
from compilelint.session.commands.lint import lint_run, without_gc
from compilelint.session.live_beliefs import beliefs
from compilelint.session.parallel.last import LastOutcomes
from compilelint.session.run import Run, run_of
from compilelint.syntax import ir
from compilelint.syntax.line_numbers import first_numbers, next_numbers
from compilelint.syntax.same import going_on
from compilelint.syntax.source import Source, standing_in
from compilelint.syntax.stack import run_with_deep_stack

MAX_GONE_ON_WITH = 300_000
"""Characters of a text of which anything is kept beside its next tree: the densest that is read takes 150 MB of IR, and
a tree of 230 MB."""

MAX_KEPT = 4_000
"""Modules that are kept; an IR takes up to eight times its text."""


class Modules:
    """The IR of this process's runs, the newest text of each file; satisfies `project.loader.Kept`."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str, bool], tuple[str, ir.Module]] = {}
        self._lines: dict[
            tuple[str, str, bool], tuple[list[str], list[int]]
        ] = {}  # of linted files, with their numbers

    def module(self, source: Source, name: str, is_package: bool) -> ir.Module | None:
        """The IR of a text that was lowered before."""
        digest, module = self.kept.get((source.path, name, is_package), ("", None))
        return module if source.digest and digest == source.digest else None

    def numbers(self, source: Source, name: str, is_package: bool) -> list[int]:
        """Those of the lines of a text that is about to be lowered, so that a line put in changes no other's."""
        key = source.path, name, is_package
        lines = source.text.split("\n")
        before = self._lines.get(key)
        numbers = first_numbers(len(lines)) if before is None else next_numbers(*before, lines)
        self._lines[key] = lines, numbers
        return numbers

    def keep(self, source: Source, module: ir.Module) -> ir.Module:
        """Remember what a text was lowered to in place of the text before it, whose IR goes on where it is the same."""
        if not source.digest:
            return module
        key = source.path, module.name, module.is_package
        _, before = self.kept.get(key, ("", None))
        if before is not None:
            module = going_on(before, module)
        if len(self.kept) >= MAX_KEPT:
            self.kept.clear()
            self._lines.clear()
        self.kept[key] = source.digest, module
        return module

    def forget(self, paths: Collection[str]) -> None:
        """Keep nothing of these files."""
        for table in (self.kept, self._lines):
            for key in [key for key in table if key[0] in paths]:
                del table[key]

    def go_on_with(self, before: ir.Module, after: ir.Module) -> None:
        """Take the module that was there before an edit in place of the one after it: both say the same by now."""
        key = after.path, after.name, after.is_package
        digest, module = self.kept.get(key, ("", None))
        if module is after:
            self.kept[key] = digest, before


_RUNS = itertools.count(1)  # there is one heap
_OFTEN = 4


def _set_aside() -> None:
    """Keep what a run has left behind out of the way of the collector, which would go through all of it at times.

    What runs before have left is looked through now and then, since it holds each other.
    """
    if next(_RUNS) % _OFTEN == 0:
        gc.unfreeze()
        gc.collect()
    gc.freeze()


class Live:
    """The analysis of one request. Not for two threads at once: texts stand in for files in the whole process.

    What lies on the disk is taken to stay as it is: when it changes, begin with a new one (and the same `Modules`).
    `read` are the files that the last report rests on: a change of any other text leaves it as it is. `tidy` is called
    after a run of everything, and looks through what runs have left behind: who has idle time may do that then.
    """

    def __init__(
        self, options: Options, modules: Modules | None = None, tidy: Callable[[], object] = _set_aside
    ) -> None:
        self.options = options
        self._tidy = tidy
        self.read: frozenset[str] = frozenset()
        self.modules = modules or Modules()
        self._last: Report | None = None
        self._outcomes = LastOutcomes(self.modules.go_on_with)
        self._last_new: list[str] = []
        self._last_texts: Mapping[str, Source] = {}

    def report(
        self, texts: Mapping[str, Source], new: Sequence[str] = (), stopped: Callable[[], bool] = never
    ) -> Report:
        """The report, without fixes, where these texts (by absolute path) stand in for what the disk holds.

        `new` are files to be linted that the disk does not hold at all. Raises UsageError as `lint` does, and
        StoppedError when `stopped` says that the report is not wanted any more.
        """
        if self._last is not None and self._last_new == list(new) and self._is_unchanged(texts):
            return self._last
        self._last = None
        self._make_room(texts)
        with without_gc(frozen=True), standing_in(texts):
            report = run_with_deep_stack(lambda: self._report(new, stopped))
        if self._outcomes.edited:
            gc.collect(0)  # what was interpreted holds each other, and is the youngest
        else:
            self._tidy()
        self._last, self._last_new, self._last_texts = report, list(new), dict(texts)
        return report

    def _make_room(self, texts: Mapping[str, Source]) -> None:
        """Let go of what was kept of large texts that have changed."""
        large = {
            path
            for path, source in texts.items()
            if len(source.text) > MAX_GONE_ON_WITH
            and (path not in self._last_texts or self._last_texts[path].text != source.text)
        }
        if large:
            self._outcomes = LastOutcomes(self.modules.go_on_with)
            self.modules.forget(large)
            gc.unfreeze()
            gc.collect()  # what was learnt holds each other

    @property
    def is_quick(self) -> bool:
        """Whether the last report cost no run of everything: calls were repeated, or nothing was followed again."""
        return self._outcomes.edited

    def _is_unchanged(self, texts: Mapping[str, Source]) -> bool:
        """Whether all that the last report rests on stands in these texts as it stood in those."""
        before = self._last_texts
        changed = [
            path
            for path in {*texts, *before}
            if path not in texts or path not in before or texts[path].text != before[path].text
        ]
        return self.read.isdisjoint(changed)

    def beliefs(self, texts: Mapping[str, Source], path: str, new: Sequence[str] = ()) -> FileState | None:
        """What is believed of the expressions of a file, over the same texts; None where it is not linted."""
        with without_gc(frozen=True), standing_in(texts):
            return run_with_deep_stack(lambda: beliefs(self._run(new), path))

    def _run(self, new: Sequence[str], stopped: Callable[[], bool] = never) -> Run:
        run = run_of(self.options, new=new, stopped=stopped)
        run.loader.kept = self.modules
        run.loader.keeps_linted = True
        return run

    def _report(self, new: Sequence[str], stopped: Callable[[], bool]) -> Report:
        run = replace(self._run(new, stopped), last=self._outcomes)
        report = lint_run(run)
        self.read = frozenset((*run.files.files, *run.loader.readings.digests))
        return report

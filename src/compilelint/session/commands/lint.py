"""The pipeline on one page: discover, take from the cache or analyse, choose, sort, report.

Guarantee: nothing that is read is imported or run, torch included, and the same files give the same report. Raises
`UsageError` for a request that cannot be carried out, never for what stands in a linted file.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from compilelint.config import Options, UsageError
from compilelint.model import Notice
from compilelint.project.discovery import Discovery
from compilelint.report.layout.text import counted
from compilelint.report.report import Environment, Report
from compilelint.session.incremental.page_cache import PageCache
from compilelint.session.incremental.run_cache import RunCache, run_cache_of
from compilelint.session.pipeline.deduplicate import fold_lines
from compilelint.session.pipeline.finish import (
    about_roots,
    about_time,
    calls_unresolved,
    in_cells,
    notices_of,
    place_of,
    unfounded,
    with_lines,
)
from compilelint.session.pipeline.gates import gate
from compilelint.session.pipeline.inputs import Project, base_of_all, files_of, unparsable
from compilelint.session.pipeline.made import as_made
from compilelint.session.pipeline.merge import Analysis, Folded, Judged, as_configured
from compilelint.session.pipeline.purpose import left_out, viewed
from compilelint.session.pipeline.reached import with_roots
from compilelint.session.pipeline.whole import seen_whole
from compilelint.session.run import Progress, Run, run_of, silent
from compilelint.syntax import ir
from compilelint.syntax.source import any_standing_in
from compilelint.syntax.stack import run_with_deep_stack


def lint(
    options: Options, progress: Progress = silent, keep_alive: list[object] | None = None, fixes: bool = False
) -> Report:
    """Lint what the options name. Raises UsageError where they cannot be followed.

    `progress` is called with what a long run is doing, in words; with `fixes`, findings carry theirs. What was read and
    learnt is put into `keep_alive`: a caller about to exit saves the time it takes to free it.
    """
    with without_gc():
        return run_with_deep_stack(lambda: lint_run(run_of(options, progress, keep_alive, fixes)))


def modules_of(run: Run) -> Iterator[ir.Module]:
    """The linted files, as they were analysed where they are still held, else read and lowered again.

    Each of those is let go of before the next, so that a reader of one at a time holds one.
    """
    from compilelint.session.parallel.module_cache import ModuleCache

    analysed = [one for one in run.keep_alive if isinstance(one, ModuleCache)]
    held = {path: known for path in run.files.files for one in analysed if (known := one.at_hand(path)) is not None}
    if len(held) == len(run.files.files):
        yield from held.values()
        return
    project = Project(run.loader, run.files, run.options.stdin)
    modules = ModuleCache(run.loader, project.files, project.texts, project.given)
    for file in project.files:
        module = modules.lowered(file)
        modules.forget((), ())
        if isinstance(module, ir.Module):
            yield module
        del module


def lint_run(run: Run) -> Report:
    """The report of a run whose inputs are settled, on the stack of the caller."""
    options, files, torch, book = run.options, run.files, run.torch, run.book
    with run_cache_of(run) as cache:
        judged, project = cache.load(), None
        if judged is None:
            run.progress(f"reading {counted(len(files.files), 'file')}")
            judged, project = _analysed(run, cache)
            cache.keep(judged)
    run.keep_alive.extend((project, judged))
    sources, notebooks = (project.sources, project.notebooks) if project is not None else ({}, {})

    every_effect = list(as_configured(judged.findings, book.rules, options))
    made = as_made(viewed(every_effect, options.purpose), judged.roots, files, lambda: modules_of(run))
    wanted = list(with_roots(made, judged.roots))
    roots, off = seen_whole(judged, files, lambda: modules_of(run), cache)
    sure = [one for one in wanted if one.confidence >= options.min_confidence]
    unsure = [one for one in wanted if one.confidence < options.min_confidence]
    # Sorted before the lines of notebooks count by cell, so that cells come in their order.
    shown = sorted(with_lines(fold_lines(sure), sources), key=place_of)
    in_order = list(in_cells(shown, notebooks))
    codes = [rule.code for rule in run.rules]
    gated = gate(options, in_order, lambda: with_lines(unsure, sources), files, codes)
    hidden = 0
    if unsure:  # what `--min-confidence possible` would add: of one line and rule the surest alone is reported
        every = list(with_lines(fold_lines(wanted), sources))
        hidden = len(gate(replace(options, update_baseline=False), every, tuple, files, codes).findings)
        hidden -= len(gated.findings)
    return Report(
        findings=gated.findings,
        files_checked=len(files.files),
        torch=torch.target,
        base=base_of_all(files.roots),
        notices=(
            *calls_unresolved(judged.calls),
            *judged.notices,
            *notices_of(options, files, run.environment, torch, run.loader),
            *about_roots(options, judged.started, len(files.files)),
            *about_time(options, judged.given_up),
            *([Notice("cache", cache.note)] if cache.note else ()),
            *(Notice("configuration", text) for text in book.notes),
            *left_out(every_effect, options.purpose),
            *gated.notices,
        ),
        suppressed=judged.suppressed,
        hidden=hidden,
        baselined=gated.baselined,
        unchanged=gated.unchanged,
        min_confidence=options.min_confidence,
        torch_versions=torch.versions,
        roots=roots,
        unjudged=judged.unjudged,
        calls=judged.calls,
        asked_roots=options.roots,
        unsaved=() if options.stdin is None else ((files.roots[0], options.stdin),),
        rules=book.rules,
        configured_targets=len(options.targets),
        environment=Environment(run.environment.prefix, run.environment.kind),
        pages=PageCache(cache, cache.read) if cache.read else None,
        off=off,
    )


def _analysed(run: Run, cache: RunCache) -> tuple[Analysis, Project]:
    """What the files come to, read and followed. Only here the interpreter is loaded: half of a start-up."""
    from compilelint.session.analyse import analyse
    from compilelint.session.parallel.workers import idle_workers

    with idle_workers(_workers(run.options, run.files)) as idle:
        project = Project(run.loader, run.files, run.options.stdin)
        return analyse(run, project, cache, idle), project


def files_to_lint(options: Options) -> tuple[str, ...]:
    """What `lint` would read. Raises UsageError where a named path is missing or no file is left."""
    return files_of(options).files


def _workers(options: Options, files: Discovery) -> int:
    """How many other processes are of use: a project that is one part is analysed here.

    None where texts stand in for files, which another process would not know of.
    """
    if options.jobs == 1 or options.stdin is not None or any_standing_in():
        return 0
    from compilelint.session.parallel.split import parts_of

    size = 0
    for path in files.files:
        with suppress(OSError):  # it is refused when it is read
            size += os.stat(path).st_size
    count = min(options.jobs, parts_of(size), len(files.files))
    return count if count > 1 else 0


@contextmanager
def without_gc(frozen: bool = False) -> Iterator[None]:
    """Trees and IR are millions of objects without cycles: collecting among them costs two fifths of the run.

    `frozen` leaves aside what was put aside from the collector.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if not frozen:
                gc.unfreeze()
            gc.enable()


__all__ = ["Folded", "Judged", "Options", "Report", "UsageError", "files_to_lint", "lint", "unfounded", "unparsable"]

"""The pipeline on one page: discover, recall or analyse, choose, sort, report.

Guarantee: nothing that is read is imported or run, torch included, and the same files give the same report. Raises
`UsageError` for a request that cannot be carried out, never for what stands in a linted file.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from compilelint import checks
from compilelint.config import Options, UsageError, chosen_rules
from compilelint.project.discovery import Discovery
from compilelint.project.loader import Loader
from compilelint.project.modules import ModuleFinder, project_roots
from compilelint.report.report import Report
from compilelint.session.analyse import analysed
from compilelint.session.incremental.run_cache import memory_of
from compilelint.session.parallel.split import parts_of
from compilelint.session.parallel.workers import waiting
from compilelint.session.pipeline.deduplicate import fold_lines
from compilelint.session.pipeline.finish import (
    about_roots,
    in_cells,
    notices_of,
    place_of,
    unfounded,
    with_lines,
)
from compilelint.session.pipeline.gates import gate
from compilelint.session.pipeline.inputs import Project, base_of, environment_of, files_of, torch_of, unparsable
from compilelint.session.pipeline.merge import Folded, Judged, as_configured
from compilelint.syntax.source import any_standing_in
from compilelint.syntax.stack import run_with_deep_stack


def lint(
    options: Options, tell: Callable[[str], object] = len, kept: list[object] | None = None, fixes: bool = False
) -> Report:
    """Lint what the options name. Raises UsageError where they cannot be followed.

    `tell` hears in words what a long run is doing; with `fixes`, findings carry theirs. What was read and learnt is put
    into `kept`: a caller about to exit saves the time it takes to free it.
    """
    with _without_gc():
        return run_with_deep_stack(lambda: _lint(options, tell, [] if kept is None else kept, fixes))


def _lint(options: Options, tell: Callable[[str], object], kept: list[object], fixes: bool) -> Report:
    book = checks.rulebook()
    rules = chosen_rules(book.rules, options)
    files = files_of(options)
    environment = environment_of(options, files.roots[0])
    torch = torch_of(options, environment, files.roots[0])
    finder = ModuleFinder(environment, project_roots(files.files))
    loader = Loader(finder, options.follow_imports, torch.facts[-1].known_packages)
    memory = memory_of(options, files, environment, torch, loader, rules, book.rules, fixes)

    judged, project = memory.recalled(), None
    if judged is None:
        tell(f"reading {len(files.files):,} files")
        with waiting(_workers(options, files)) as idle:
            project = Project(loader, files, options.stdin)
            judged = analysed(options, project, files, loader, torch, memory, book, rules, tell, kept, idle, fixes)
        memory.keep(judged)
    kept += [project, judged]
    sources, notebooks = (project.sources, project.notebooks) if project is not None else ({}, {})

    wanted = list(as_configured(judged.findings, book.rules, options))
    sure = [one for one in wanted if one.confidence >= options.min_confidence]
    unsure = [one for one in wanted if one.confidence < options.min_confidence]
    # Sorted before the lines of notebooks count by cell, so that cells come in their order.
    shown = sorted(with_lines(fold_lines(sure), sources), key=place_of)
    in_order = list(in_cells(shown, notebooks))
    gated = gate(options, in_order, lambda: with_lines(unsure, sources), files, [rule.code for rule in rules])
    return Report(
        findings=gated.findings,
        files_checked=len(files.files),
        torch=torch.target,
        base=base_of(files.roots[0]),
        notices=(
            *notices_of(options, files, environment, torch, loader),
            *about_roots(options, judged.started, len(files.files)),
            *gated.notices,
        ),
        suppressed=judged.suppressed,
        hidden=len(unsure),
        baselined=gated.baselined,
        unchanged=gated.unchanged,
        min_confidence=options.min_confidence,
        torch_versions=torch.versions,
        roots=judged.roots,
        unsaved=() if options.stdin is None else ((files.roots[0], options.stdin),),
        rules=book.rules,
    )


def files_to_lint(options: Options) -> tuple[str, ...]:
    """What `lint` would read. Raises UsageError where a named path is missing or no file is left."""
    return files_of(options).files


def _workers(options: Options, files: Discovery) -> int:
    """How many other processes are of use: a project that is one part is analysed here.

    None where texts stand in for files, which another process would not know of.
    """
    if options.jobs == 1 or options.stdin is not None or any_standing_in():
        return 0
    size = 0
    for path in files.files:
        with suppress(OSError):  # it is refused when it is read
            size += os.stat(path).st_size
    return min(options.jobs, parts_of(size)) if parts_of(size) > 1 else 0


@contextmanager
def _without_gc() -> Iterator[None]:
    """Trees and IR are millions of objects without cycles: collecting among them costs two fifths of the run."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


__all__ = ["Folded", "Judged", "Options", "Report", "UsageError", "files_to_lint", "lint", "unfounded", "unparsable"]

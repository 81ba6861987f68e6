"""The costly middle of a run: find roots, interpret, survey, fold, and take out what pragmas silence."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

from compilelint.report.layout.text import counted
from compilelint.session.incremental.fix_cache import with_fixes
from compilelint.session.incremental.ir_cache import IrCache
from compilelint.session.incremental.part_cache import PartCache
from compilelint.session.incremental.run_cache import RunCache
from compilelint.session.parallel.ahead import merged
from compilelint.session.parallel.importance import imports
from compilelint.session.parallel.in_process import Asked, Executor, InProcess, Question
from compilelint.session.parallel.module_cache import ModuleCache
from compilelint.session.parallel.outcome import Outcome
from compilelint.session.parallel.part import Part, Request
from compilelint.session.parallel.split import split
from compilelint.session.parallel.workers import (
    KEPT_BY_WORKERS,
    WORKERS_AT_ONCE,
    LostWorkerError,
    Process,
    WorkerPool,
    WorkerSetup,
)
from compilelint.session.pipeline.beside import beside
from compilelint.session.pipeline.finish import calls_in_cells, notices_in_cells, roots_in_cells
from compilelint.session.pipeline.inputs import Linted, Project
from compilelint.session.pipeline.merge import Analysis, Folded, suppressed
from compilelint.session.pipeline.switched import switched, switches_of
from compilelint.session.run import Run
from compilelint.syntax.places import line_of
from compilelint.torchfacts import Capture
from compilelint.torchfacts.switches import Switch


def analyse(run: Run, project: Project, cache: RunCache, idle: Sequence[Process] = ()) -> Analysis:
    """Run all compile roots of the project under every torch asked for.

    `idle` are the processes that a project of several parts may be given to.
    """
    options, torch = run.options, run.torch
    specs = tuple(spec.replace(":", ".") for spec in options.roots)  # `pkg.mod:Class.method` is a dotted name too
    judge = run.book.only(run.rules)
    parts = split(project.files)
    remembered = not cache.is_off and run.last is None and len(parts) > 1
    module_cache = ModuleCache(run.loader, project.files, project.texts, project.given, judge.words, options.compilers)
    request = Request(
        specs,
        options.dynamo,
        torch.facts,
        frozenset(run.files.files),
        options.timeout,
        run.stopped,
        compilers=options.compilers,
        question=run.question,
    )
    # Looked for in the few files that may say it, and apart: what a survey asks of a module before the roots are run
    # is answered without what their imports say, and the answer would stay.
    others = beside(project.files, module_cache.text_of, run.loader)
    naming = [file for file in (*project.files, *others) if file.switches]
    looked = Part(request, module_cache, naming, judge) if naming else None
    switches = {} if looked is None else switches_of(looked.switches(), [facts.version for facts in torch.facts])
    everywhere = frozenset(file.path for file in project.files)
    held = switched(switches, [*project.files, *others], module_cache.text_of)
    only_in = tuple(
        (switch, paths & everywhere)
        for switch, paths in held.items()
        if switch not in options.dynamo.captures and not paths >= everywhere
    )
    if looked is not None and len(parts) > 1:  # what the look has lowered lies in all parts
        looked.let_go()
        module_cache.forget((), ())
    captures = options.dynamo.captures.union(one for one in switches if isinstance(one, Capture))
    named = frozenset(one for one in switches if isinstance(one, Switch))
    config = replace(options.dynamo, captures=captures, switches=named)
    request = replace(request, config=config, only_in=only_in, alone=len(parts) == 1, remembered=remembered)
    if len(parts) > 1:  # operators are compared across all files
        parts.append([file for file in project.files if file.operators])
    if run.last is not None:
        known = run.last.of(request, project.files, module_cache, run.loader.readings.digests)
        if known is not None:
            return _together(*known, run, project)
    run.progress(f"following the compile roots of {counted(len(project.files), 'file')}")

    in_process = InProcess(request, module_cache, parts, judge, records=run.last is not None)
    if run.last is not None:
        found = _outcomes(in_process, request, parts)
        run.last.keep(request, project.files, module_cache, run.loader.readings.digests, judge, found, in_process.only)
        return _together(*found, run, project)
    run.keep_alive.extend((in_process, module_cache))
    if idle and len(parts) > 1:
        with contextlib.suppress(LostWorkerError, OSError):  # then it is done here
            read = partial(imports, parts, module_cache.text_of)
            workers = WorkerPool(idle[: len(parts)], _setup(run, project, request, parts), run.book.rules, read)
            return _analysed_by(workers, run, project, request, parts, cache, module_cache)
    return _analysed_by(in_process, run, project, request, parts, cache, module_cache)


def _analysed_by(
    executor: Executor,
    run: Run,
    project: Project,
    request: Request,
    parts: Sequence[Sequence[Linted]],
    cache: RunCache,
    modules: ModuleCache,
) -> Analysis:
    """What an executor makes of the parts, less what the cache holds of them. Raises LostWorkerError."""
    part_cache = None if request.alone or cache.is_off else PartCache(executor, cache, request, parts, modules)
    found = _together(*_outcomes(part_cache or executor, request, parts), run, project)
    if part_cache is not None:
        part_cache.keep()
    if not run.fixes:
        return found
    make_fixes = executor.with_fixes if cache.is_off else partial(with_fixes, executor, cache)
    return replace(found, findings=make_fixes(found.findings, run.options.min_confidence))


_SURVEYED = 10  # so many times quicker is a survey than a run


def _setup(run: Run, project: Project, request: Request, parts: Sequence[Sequence[Linted]]) -> WorkerSetup:
    number = {file.path: at for at, file in enumerate(project.files)}
    kept = run.loader.kept
    return WorkerSetup(
        request.specs,
        request.config,
        request.only_in,
        tuple(facts.version for facts in request.facts),
        tuple(rule.code for rule in run.rules),
        run.loader.follow,
        run.environment,
        run.loader.finder.project_roots,
        tuple(project.files),
        tuple(tuple(number[file.path] for file in part) for part in parts),
        tuple(run.files.files),
        project.given,
        request.timeout,
        (kept.folder, kept.own) if isinstance(kept, IrCache) else None,
        run.options.packs,
        run.options.paths,
        request.remembered,
        (KEPT_BY_WORKERS, WORKERS_AT_ONCE),
        request.compilers,
    )


def _outcomes(
    executor: Asked, request: Request, parts: Sequence[Sequence[Linted]]
) -> tuple[list[Outcome], Collection[str]]:
    """What the parts come to, in their order, and the places of the functions that any of them reached.

    Where there are several, the last holds the operators of all.
    """
    everyone, last = range(len(parts)), len(parts) - 1
    started = everyone if request.alone else range(last)
    weights = [sum(file.size for file in part) for part in parts]
    outcomes: list[Outcome] = []
    reached: dict[str, bool] = {}
    for version in range(len(request.facts)):
        reached = {}
        for stage in request.stages:
            questions = [Question(part, "start", (version, stage, reached), weights[part]) for part in started]
            if stage == request.stages[-1]:
                questions += [Question(part, "survey", (version,)) for part in started]
                questions.append(Question(last, "survey_operators", (version,), weights[last] // _SURVEYED))
                if version == len(request.facts) - 1:
                    questions += [Question(part, "outcome") for part in everyone]
            found = executor.ask(questions)
            for places in found[: len(started)]:
                reached = merged(reached, places)
            outcomes = found[-len(parts) :]
    return outcomes, reached


def _together(outcomes: Sequence[Outcome], reached: Collection[str], run: Run, project: Project) -> Analysis:
    """The outcome of the run, and what the parts read put down as read."""
    folded, loader = Folded(), run.loader
    for outcome in outcomes:
        folded.add(outcome.findings)
        for name, whole in outcome.asked.items():
            loader.asked[name] = whole or loader.asked.get(name, False)
        loader.finder.missed.update(outcome.missed)
        searched = {path: digest for path, (digest, _) in outcome.lacking.items()}
        for path, digest in (*outcome.digests.items(), *searched.items()):
            loader.readings.torn |= loader.readings.digests.setdefault(path, digest) != digest
        loader.readings.torn |= outcome.torn
    unreadable = {one.path: one for outcome in outcomes for one in outcome.unreadable}
    loader.unreadable[:] = unreadable.values()
    folded.add(project.refused)
    judged = suppressed(folded.findings(), project.pragmas, run.rules, run.book.rules)
    roots = [root for outcome in outcomes for root in outcome.roots]
    roots.sort(key=lambda root: root.compiled_at is None)  # what the code compiles itself comes first
    started = sum(outcome.started for outcome in outcomes)
    calls = tuple(calls_in_cells([call for outcome in outcomes for call in outcome.calls], project.notebooks))
    places = tuple(roots_in_cells(roots, project.notebooks))
    given_up = tuple(sorted({one for outcome in outcomes for one in outcome.given_up}))
    # What another part reached in its last stage, a part could not know of.
    met = {(path, line_of(int(position))) for path, _, position in (place.rpartition(":") for place in reached)}
    left = [
        root
        for outcome in outcomes
        for root in outcome.unjudged
        if (root.location.path, root.location.span.line) not in met
    ]
    unjudged = tuple(roots_in_cells(left, project.notebooks))
    notices = tuple(notices_in_cells([one for outcome in outcomes for one in outcome.notices], project.notebooks))
    return Analysis(judged.findings, judged.suppressed, places, started, calls, given_up, unjudged, notices)

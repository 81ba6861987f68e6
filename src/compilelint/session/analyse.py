"""The costly middle of a run: find roots, interpret, survey, fold, and take out what pragmas silence."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from compilelint.config import Options
from compilelint.model import Confidence, Rule
from compilelint.project.discovery import Discovery
from compilelint.project.loader import Loader
from compilelint.rulebook import Rulebook
from compilelint.session.incremental.fix_cache import mended
from compilelint.session.incremental.part_cache import Recalling
from compilelint.session.incremental.run_cache import Memory
from compilelint.session.parallel.part import Outcome, Part, Request, Shelf
from compilelint.session.parallel.split import divided
from compilelint.session.parallel.workers import (
    Alone,
    Asked,
    Contract,
    Crew,
    LostWorkerError,
    Process,
    Question,
    Workers,
)
from compilelint.session.pipeline.finish import calls_in_cells, roots_in_cells
from compilelint.session.pipeline.inputs import Linted, Project, Torch, captures_of
from compilelint.session.pipeline.merge import Analysed, Folded, suppressed


def analysed(
    options: Options,
    project: Project,
    files: Discovery,
    loader: Loader,
    torch: Torch,
    memory: Memory,
    book: Rulebook,
    rules: Sequence[Rule],
    tell: Callable[[str], object],
    kept: list[object],
    idle: Sequence[Process] = (),
    fixes: bool = False,
) -> Analysed:
    """Run all compile roots of the project under every torch asked for; with `fixes`, findings carry theirs.

    `idle` are the processes that a project of several parts may be given to.
    """
    specs = tuple(spec.replace(":", ".") for spec in options.roots)  # `pkg.mod:Class.method` is a dotted name too
    judge = book.only(rules)
    shelf = Shelf(loader, project.files, project.texts)
    request = Request(specs, options.dynamo, torch.facts, frozenset(files.files))
    # Looked for in the few files that may say it, and apart: what a survey asks of a module before the roots are run
    # is answered without what their imports tell, and the answer would stay.
    naming = [file for file in project.files if file.switches]
    switches = captures_of(Part(request, shelf, naming, judge).switches()) if naming else frozenset()
    config = replace(options.dynamo, captures=options.dynamo.captures | switches)
    parts = divided(project.files)
    request = replace(request, config=config, alone=len(parts) == 1)
    if len(parts) > 1:  # operators are compared across all files
        parts.append([file for file in project.files if file.operators])
    tell(f"following the compile roots of {len(project.files):,} files")

    alone = Alone(request, shelf, parts, judge)
    kept += [alone, shelf]
    least = options.min_confidence if fixes else None
    if idle and len(parts) > 1:
        with contextlib.suppress(LostWorkerError, OSError):  # then it is done here
            contract = _contract(project, files, loader, request, parts, rules)
            crew = Workers(idle[: len(parts)], contract, book.rules)
            return _by(crew, request, parts, project, loader, memory, rules, book, least)
    return _by(alone, request, parts, project, loader, memory, rules, book, least)


def _by(
    crew: Crew,
    request: Request,
    parts: Sequence[Sequence[Linted]],
    project: Project,
    loader: Loader,
    memory: Memory,
    rules: Sequence[Rule],
    book: Rulebook,
    least: Confidence | None,
) -> Analysed:
    """What a crew makes of the parts, and of what is remembered of them. Raises LostWorkerError."""
    recalling = None if request.alone or memory.forgetful else Recalling(crew, memory, request, parts)
    found = _together(_outcomes(recalling or crew, request, parts), project, loader, rules, book)
    if recalling is not None:
        recalling.keep()
    if least is None:
        return found
    with_fixes = crew.mended if memory.forgetful else partial(mended, crew, memory)
    return replace(found, findings=with_fixes(found.findings, least))


_SURVEYED = 10  # so many times quicker is a survey than a run


def _contract(
    project: Project,
    files: Discovery,
    loader: Loader,
    request: Request,
    parts: Sequence[Sequence[Linted]],
    rules: Sequence[Rule],
) -> Contract:
    number = {file.path: at for at, file in enumerate(project.files)}
    return Contract(
        request.specs,
        request.config,
        tuple(facts.version for facts in request.facts),
        tuple(rule.code for rule in rules),
        loader.follow,
        loader.finder.environment,
        loader.finder.project_roots,
        tuple(project.files),
        tuple(tuple(number[file.path] for file in part) for part in parts),
        tuple(files.files),
        project.given,
    )


def _outcomes(crew: Asked, request: Request, parts: Sequence[Sequence[Linted]]) -> list[Outcome]:
    """What the parts come to, in their order. Where there are several, the last holds the operators of all."""
    everyone, last = range(len(parts)), len(parts) - 1
    started = everyone if request.alone else range(last)
    weights = [sum(file.size for file in part) for part in parts]
    outcomes: list[Outcome] = []
    for version in range(len(request.facts)):
        reached: dict[str, bool] = {}
        for stage in request.stages:
            questions = [Question(part, "start", (version, stage, reached), weights[part]) for part in started]
            if stage == request.stages[-1]:
                questions += [Question(part, "survey", (version,)) for part in started]
                questions.append(Question(last, "survey_operators", (version,), weights[last] // _SURVEYED))
                if version == len(request.facts) - 1:
                    questions += [Question(part, "outcome") for part in everyone]
            found = crew.ask(questions)
            reached = dict(reached)
            for places in found[: len(started)]:
                for place, trusted in places.items():
                    reached[place] = trusted or reached.get(place, False)
            outcomes = found[-len(parts) :]
    return outcomes


def _together(
    outcomes: Sequence[Outcome], project: Project, loader: Loader, rules: Sequence[Rule], book: Rulebook
) -> Analysed:
    """The outcome of the run, and what the parts read put down as read."""
    folded = Folded()
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
    judged = suppressed(folded.findings(), project.pragmas, rules, book.rules)
    roots = [root for outcome in outcomes for root in outcome.roots]
    roots.sort(key=lambda root: root.compiled_at is None)  # what the code compiles itself comes first
    started = sum(outcome.started for outcome in outcomes)
    calls = tuple(calls_in_cells([call for outcome in outcomes for call in outcome.calls], project.notebooks))
    places = tuple(roots_in_cells(roots, project.notebooks))
    return Analysed(judged.findings, judged.suppressed, places, started, calls)

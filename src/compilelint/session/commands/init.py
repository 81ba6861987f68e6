"""What `init` finds in a project, and which of its models ran: the facts that a first configuration is made from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from compilelint.config import Options, UsageError
from compilelint.dynamic.no_worker import NoWorkerError
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.targets import Target, TargetError, input_set
from compilelint.dynamic.unanswered import refuse_unanswered
from compilelint.model import Fate, TargetRun
from compilelint.project.import_roots import import_roots, reference_of
from compilelint.session.parallel.module_cache import ModuleCache
from compilelint.session.parallel.part import Part, Request
from compilelint.session.pipeline.inputs import Project
from compilelint.session.run import run_of
from compilelint.survey.top_models import Model, models
from compilelint.syntax.stack import run_with_deep_stack

_MOST_MODELS = 20
_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Tried:
    """A model and, where it was run, what came of it: the inputs that worked as texts, else why there are none.

    `breaks` counts the graph breaks of the run.
    """

    model: Model
    inputs: tuple[str, ...] = ()
    why_not: str = ""
    breaks: int = 0


def models_in(folder: str) -> tuple[list[Model], int]:
    """The first models of the project in a folder, tests left out, and how many there are in all.

    Nothing is imported or run. Raises UsageError.
    """
    found = run_with_deep_stack(lambda: _models_in(folder))
    return found[:_MOST_MODELS], len(found)


def _models_in(folder: str) -> list[Model]:
    options = Options((folder,), follow_imports="project")
    run = run_of(options)
    project = Project(run.loader, run.files)
    request = Request(options.roots, options.dynamo, run.torch.facts, frozenset(run.files.files))
    whole = Part(request, ModuleCache(run.loader, project.files, project.texts), project.files, run.book)
    found = models(whole.program, whole.modules)
    roots = import_roots(folder)
    return [
        replace(one, reference=f"{reference_of(one.path, roots)}:{one.reference.rpartition(':')[2]}")
        for one in found
        if not _is_test(os.path.relpath(one.path, folder))
    ]


def _is_test(path: str) -> bool:
    parts = path.replace(os.sep, "/").split("/")
    return bool({"test", "tests"} & set(parts[:-1])) or parts[-1].startswith(("test_", "conftest"))


def tried(found: Sequence[Model], settings: Settings) -> list[Tried]:
    """Each model built and called in a worker process, in eager code and compiled. Raises UsageError without torch."""
    ready = [one for one in found if not one.required]
    targets = [Target(one.reference, timeout=_SECONDS) for one in ready]
    try:
        observed = observe(targets, settings) if targets else []
        refuse_unanswered(observed)
        runs = dict(zip(ready, observed, strict=True))
    except NoWorkerError as error:
        raise UsageError(
            str(error), "compilelint init --verify", "leave out --verify to write targets to fill in"
        ) from error
    return [_tried(one, runs.get(one), f"{settings.cwd}/") for one in found]


def _tried(model: Model, run: TargetRun | None, folder: str) -> Tried:
    if run is None:
        return Tried(model)
    if run.fate not in (Fate.RAN, Fate.COMPILE_ERROR):
        why_not = run.detail.strip().partition("\n")[0] or run.fate.value
        return Tried(model, why_not=why_not.replace(folder, ""))
    try:
        input_set(run.inputs, "inputs")
    except TargetError:
        return Tried(model, why_not=f"it ran, with inputs that have no short form ({run.inputs_from})")
    return Tried(model, run.inputs, breaks=len(run.own_breaks))

"""What `init` finds in a project, and which of its models ran: the facts that a first configuration is made from."""

from __future__ import annotations

import ast
import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from compilelint.config import Options, UsageError
from compilelint.dynamic.no_worker import NoWorkerError
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.targets import Target, TargetError, input_set
from compilelint.dynamic.unanswered import refuse_unanswered
from compilelint.model import Fate, TargetRun
from compilelint.project.import_roots import import_roots, reference_of
from compilelint.session.building.bindings import binding_in
from compilelint.session.building.candidates import Candidate, candidates
from compilelint.session.building.factories import NAME as FACTORIES
from compilelint.session.building.factories import names_for, text_of
from compilelint.session.building.settings import settings_of
from compilelint.session.building.slices import Project as Known
from compilelint.session.building.sources import sources_in
from compilelint.session.parallel.module_cache import ModuleCache
from compilelint.session.parallel.part import Part, Request
from compilelint.session.pipeline.inputs import Project
from compilelint.session.run import run_of
from compilelint.survey.top_models import Model, models
from compilelint.syntax.stack import run_with_deep_stack

_MOST_MODELS = 20
_MOST_ROUNDS = 7
_SECONDS = 60.0
_SECONDS_IN_ALL = 900.0
FROM_FACTORY = "the factory"


@dataclass(frozen=True, slots=True)
class Tried:
    """A model and what came of trying it: whether it `ran`, with which inputs as texts, else why not.

    `way` is the factory that built it; None where its class was enough. `inputs` are empty where `verify` finds them by
    itself, or the factory gives them. `breaks` counts the graph breaks of the run, `ways` how many were tried.
    """

    model: Model
    inputs: tuple[str, ...] = ()
    why_not: str = ""
    breaks: int = 0
    ran: bool = False
    way: Candidate | None = None
    ways: int = 0


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
    request = Request(
        options.roots, options.dynamo, run.torch.facts, frozenset(run.files.files), compilers=options.compilers
    )
    whole = Part(
        request,
        ModuleCache(run.loader, project.files, project.texts, compilers=options.compilers),
        project.files,
        run.book,
    )
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


def ways_in(folder: str, found: Sequence[Model]) -> dict[Model, list[Candidate]]:
    """Factories to try for each model, by what the project's code, documents and settings say. Raises UsageError."""
    return run_with_deep_stack(lambda: _ways_in(folder, found))


def _ways_in(folder: str, found: Sequence[Model]) -> dict[Model, list[Candidate]]:
    sources = sources_in(folder, run_of(Options((folder,), follow_imports="project")).files.files)
    by_module = {one.module: one for one in sources if one.module}
    project = Known(by_module, settings_of(folder, sources))
    ways = {}
    for model in found:
        home = by_module.get(model.reference.rpartition(":")[0])
        name = model.reference.rpartition(":")[2]
        cls = None if home is None else binding_in(home.tree, name, None)
        known = home is not None and isinstance(cls, ast.ClassDef)
        ways[model] = candidates(cls, home, sources, project) if known else []  # type: ignore[arg-type]
    return ways


def tried(
    found: Sequence[Model], settings: Settings, ways: Mapping[Model, Sequence[Candidate]] | None = None
) -> list[Tried]:
    """Each model built and called in a worker process, in eager code and compiled; the next way where one fails.

    Raises UsageError without torch.
    """
    left: dict[Model, list[Candidate | None]] = {
        one: [*([] if one.required else [None]), *(ways or {}).get(one, ())] for one in found
    }
    results = {one: Tried(one) for one in found}
    end = time.monotonic() + _SECONDS_IN_ALL
    with tempfile.TemporaryDirectory(prefix="compilelint-init-") as scratch:
        for number in range(_MOST_ROUNDS):
            batch = [(one, left[one].pop(0)) for one in found if left[one] and not results[one].ran]
            if not batch or time.monotonic() > end:
                break
            path = os.path.join(scratch, f"ways_{number}.py")
            for (model, way), run in zip(batch, _runs(batch, path, settings), strict=True):
                outcome = _tried(model, run, (f"{settings.cwd}/", f"{scratch}/"))
                before = results[model].ways
                results[model] = replace(outcome, way=way if outcome.ran else None, ways=before + 1)
    return [results[one] for one in found]


def _runs(batch: Sequence[tuple[Model, Candidate | None]], path: str, settings: Settings) -> list[TargetRun]:
    """The runs of some models, each built in one way; `path` is where their factories are written for the worker."""
    written = [(number, way) for number, (_, way) in enumerate(batch) if way is not None]
    folders = [one for _, way in written for one in way.folders]
    with open(path, "w", encoding="utf-8") as file:
        file.write(text_of([way.text(f"way_{number}") for number, way in written], folders, settings.cwd))
    references = [
        model.reference if way is None else f"{path}:way_{number}" for number, (model, way) in enumerate(batch)
    ]
    try:
        runs = observe([Target(one, timeout=_SECONDS) for one in references], settings)
        refuse_unanswered(runs)
    except NoWorkerError as error:
        raise UsageError(
            str(error), "compilelint init --verify", "leave out --verify to write targets to fill in"
        ) from error
    return runs


def _tried(model: Model, run: TargetRun, folders: Sequence[str]) -> Tried:
    if run.fate not in (Fate.RAN, Fate.COMPILE_ERROR):
        why_not = run.detail.strip().partition("\n")[0] or run.fate.value
        for folder in folders:
            why_not = why_not.replace(folder, "")
        return Tried(model, why_not=why_not)
    given = run.inputs
    try:
        if given and run.inputs_from != FROM_FACTORY:
            input_set(given, "inputs")
        else:
            given = ()
    except TargetError:  # no short form: `verify` finds them again as it did here
        given = ()
    return Tried(model, given, breaks=len(run.own_breaks), ran=True)


def factories_text(outcomes: Sequence[Tried]) -> tuple[str, dict[Model, str]]:
    """The text of `compilelint_targets.py` with the factories that ran, and what each model's is called as a target.

    The text is empty where no model needs one.
    """
    built = [(one.model, one.way) for one in outcomes if one.way is not None]
    names = names_for([model.reference for model, _ in built])
    folders = [folder for _, way in built for folder in way.folders]
    text = text_of([way.text(name) for name, (_, way) in zip(names, built, strict=True)], folders) if built else ""
    module = FACTORIES.removesuffix(".py")
    return text, {model: f"{module}:{name}" for name, (model, _) in zip(names, built, strict=True)}

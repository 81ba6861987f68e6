"""What the engine believes of the expressions of one file, as a run over all files of a request leaves it."""

from __future__ import annotations

from collections.abc import Mapping

from compilelint.events import Event
from compilelint.interp import roots_of
from compilelint.interp.driver.observer import Observer
from compilelint.lib.file_state import FileState
from compilelint.project.index import Program
from compilelint.session.parallel.module_cache import ModuleCache, View
from compilelint.session.pipeline.inputs import Project
from compilelint.session.run import Run
from compilelint.syntax.source import Source
from compilelint.syntax.unreadable import Unreadable


def beliefs(run: Run, path: str) -> FileState | None:
    """The state of a linted file, on the stack of the caller; None where it is not linted or cannot be read."""
    project = Project(run.loader, run.files, run.options.stdin)
    given: Mapping[str, Source] = project.given
    module_cache = ModuleCache(run.loader, project.files, project.texts, given)
    program = Program(View(module_cache), frozenset(run.files.files).__contains__)
    modules = []
    for file in project.files:
        module = module_cache.lowered(file)
        if not isinstance(module, Unreadable):
            modules.append(program.add(module))
    config = run.options.dynamo
    facts = run.torch.facts[-1]
    interpreter = Observer(program, facts, _unjudged, config, None, run.options.timeout, watched=frozenset({path}))
    interpreter.clock.stopped = run.stopped
    hosting = [one for one in modules if one.ir.path in module_cache.hosting]
    specs = tuple(spec.replace(":", ".") for spec in run.options.roots)
    interpreter.analyse(roots_of(interpreter, modules, specs, config, hosting))
    info = next((one for one in modules if one.ir.path == path), None)
    return None if info is None else FileState(program, info, facts, interpreter.seen.get(path), config)


def _unjudged(event: Event) -> None:
    """Nothing is reported here."""

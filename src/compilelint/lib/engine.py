"""The engine for other tools: what it knows of some files, without a lint around it.

Roots are found as by default (`auto`), for the torch of the environment near the files. Nothing is imported or run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from compilelint.events import Event
from compilelint.interp import roots_of
from compilelint.interp.driver.observer import Observer
from compilelint.lib.file_state import FileState
from compilelint.project.environment import Environment, find_environment
from compilelint.project.index import Program
from compilelint.project.loader import Loader, Names, load_source
from compilelint.project.modules import ModuleFinder, project_roots
from compilelint.syntax import ir
from compilelint.syntax.source import Source, portable, read_source
from compilelint.syntax.stack import run_with_deep_stack
from compilelint.syntax.unreadable import Unreadable
from compilelint.torchfacts import load, resolve_target


class _Modules:
    """What a name means to an import: a file that is asked about, else what the loader finds."""

    def __init__(self, loader: Loader, own: Mapping[str, ir.Module]) -> None:
        self._loader = loader
        self._own = own

    def load(self, dotted: str) -> ir.Module | None:
        return self._own.get(dotted) or self._loader.load(dotted)

    def is_package(self, dotted: str) -> bool:
        return self._loader.is_package(dotted)

    def is_there(self, dotted: str) -> bool:
        return dotted in self._own or self._loader.is_there(dotted)

    def is_in_project(self, dotted: str) -> bool:
        return dotted in self._own or self._loader.is_in_project(dotted)

    def is_compiled(self, dotted: str) -> bool:
        return self._loader.is_compiled(dotted)

    def may_bind(self, dotted: str, name: str) -> bool:
        source = self._loader.text(dotted)
        return not isinstance(source, Source) or name in source.text or "import *" in source.text


def files_known(root: Path, paths: Iterable[str]) -> dict[str, FileState]:
    """What the engine knows of files, by the path that was given (absolute, or counted from `root`).

    They are read as one program. A file that cannot be read is left out.
    """
    given = {portable(os.path.join(root, path)): path for path in paths}
    sources = [one for one in map(read_source, given) if isinstance(one, Source)]
    known = run_with_deep_stack(lambda: known_of(sources))
    return {given[path]: state for path, state in known.items()}


def known_of(
    sources: Iterable[Source], roots: tuple[str, ...] = ("auto",), python: str | None = None
) -> dict[str, FileState]:
    """What the engine knows of some texts, by path; on the stack of the caller. `python` as the option of a lint."""
    sources = list(sources)
    if not sources:
        return {}
    near = sources[0].path
    found = find_environment(python, near)
    if not isinstance(found, Environment):
        raise ValueError(found.message)
    target = resolve_target(None, found.installed_version("torch"), None)
    facts = load(target.versions[-1])
    finder = ModuleFinder(found, project_roots([one.path for one in sources]))
    loader = Loader(finder, "all", facts.known_packages)
    names = Names()
    lowered: dict[str, ir.Module] = {}
    for source in sources:
        name = names.name(source.path)
        module = load_source(source, name.dotted, name.is_package)
        if not isinstance(module, Unreadable):
            lowered[source.path] = module
    program = Program(_Modules(loader, {one.name: one for one in lowered.values()}), lowered.__contains__)
    modules = [program.add(module) for module in lowered.values()]
    interpreter = Observer(program, facts, _silent, watched=frozenset(lowered))
    interpreter.analyse(roots_of(interpreter, modules, roots))
    return {one.ir.path: FileState(program, one, facts, interpreter.seen.get(one.ir.path)) for one in modules}


def _silent(event: Event) -> None:
    """Nothing is judged here."""

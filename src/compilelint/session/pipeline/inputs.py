"""What a run is about: the files, the environment their imports are looked up in, the torch to predict for.

Raises `UsageError` where a request cannot be followed; what stands in a linted file never raises.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from compilelint.config import Options, UsageError, nearest_files
from compilelint.model import Confidence, Finding, Location, Span
from compilelint.model.slotted import dataclass
from compilelint.project.discovery import Discovery, Excludes, discover
from compilelint.project.environment import Environment, NoEnvironment, find_environment
from compilelint.project.loader import Loader, Names
from compilelint.report.layout.text import shown_path
from compilelint.report.report import TorchTarget
from compilelint.rulebook import UNPARSABLE_FILE
from compilelint.survey.words import names_operators
from compilelint.syntax.notebooks import Notebook, is_notebook, notebook_from_bytes, read_notebook
from compilelint.syntax.source import Source, portable, source_from_bytes
from compilelint.syntax.suppressions import Suppressions, suppressions
from compilelint.syntax.unreadable import Unreadable
from compilelint.torchfacts import Capture, FactsError, TorchFacts, allows, load, required_torch, resolve_target
from compilelint.torchfacts import Source as TargetSource
from compilelint.torchfacts.switches import NAMES

# A project of usual size is read once; of a large one most files carry no finding, and reading again is cheap.
_SWITCHES = (*(capture.value for capture in Capture), *NAMES)
_MOST_CHARACTERS = 8_000_000
_MOST_WAITING = 16_000_000  # characters of a project whose texts are kept until they are lowered


def files_of(options: Options, new: Sequence[str] = ()) -> Discovery:
    """What the named paths hold, and `new` files that are not on the disk yet. Raises UsageError where a path is
    missing or no file is left.
    """
    if new:
        there = [path for path in options.paths if portable(path) not in new]
        found = files_of(replace(options, paths=tuple(there))) if there else Discovery(())
        files = tuple(sorted((*found.files, *new), key=in_walk)) if there else tuple(new)
        return replace(found, files=files, roots=found.roots or tuple(new))
    if options.stdin is not None and not options.force_exclude:
        path = portable(options.paths[0])
        return Discovery((path,), roots=(path,))
    found = discover(options.paths, excludes_of(options))
    if options.stdin is not None:  # its name decides, and need not exist
        named = () if any("excluded" in error.message for error in found.errors) else (portable(options.paths[0]),)
        return Discovery(named, roots=(portable(options.paths[0]),))
    if options.nearest_only:
        nearest = nearest_files(found.files)
        own = tuple(path for path in found.files if nearest[path] == options.config_file)
        return replace(found, files=own)
    missing = [shown_path(error.path) for error in found.errors if error.kind == "missing"]
    if missing:
        raise UsageError("no such file or folder", ", ".join(missing), "name files or folders that exist")
    nothing = [error.message for error in found.errors if error.kind == "no-files"]
    # A hook that was handed excluded files only has nothing to do; everyone else mistyped.
    if nothing and not (options.force_exclude and "excluded" in nothing[0]):
        raise UsageError(nothing[0], ", ".join(options.paths), "name a .py file or a folder that holds one")
    return found


def excludes_of(options: Options) -> Excludes:
    """What is left out of the folders that the options name."""
    return Excludes(options.exclude, options.exclude_base or _exclude_base(options.paths), options.force_exclude)


def _exclude_base(paths: Iterable[str]) -> str:
    """Where patterns count from: the current folder, unless every named path lies outside it."""
    here = portable(os.getcwd())
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in map(portable, paths)]
    if any(f"{folder}/".startswith(f"{here}/") for folder in folders):
        return here
    try:
        return os.path.commonpath(folders)
    except ValueError:  # two drives
        return here


def in_walk(path: str) -> list[tuple[bool, str]]:
    """The order in which a walk meets files: those of a folder before its folders."""
    *folders, name = path.split("/")
    return [*((True, folder) for folder in folders), (False, name)]


def environment_of(options: Options, near: str) -> Environment:
    """Where imports are looked up: what `--python` names, else what is found near the files."""
    found = find_environment(options.python, near)
    if isinstance(found, NoEnvironment):
        raise UsageError(
            found.message, options.where("python", found.path), "name a Python interpreter or its environment"
        )
    return found


@dataclass(frozen=True, slots=True)
class Torch:
    """The facts to judge by, oldest version first, which torch they are for, and what was assumed, in words."""

    facts: tuple[TorchFacts, ...]
    target: TorchTarget
    assumed: str

    @property
    def versions(self) -> tuple[str, ...]:
        """The versions of a range; empty for one target."""
        return tuple(facts.version for facts in self.facts) if len(self.facts) > 1 else ()


def torch_of(options: Options, environment: Environment, near: str) -> Torch:
    """Which torch to predict for: what was asked for, the one installed, the one required, else the newest known."""
    wanted = options.torch_version
    project = above(near, "pyproject.toml", "requirements.txt")
    requirement = required_torch(Path(project)) if project else None
    installed = environment.installed_version("torch")
    try:
        found = resolve_target(wanted, installed, requirement)
        facts = tuple(load(version) for version in found.versions)
    except FactsError as error:
        if wanted is None:
            raise
        raise UsageError(error.what, options.where("torch-version", wanted), error.hint) from error
    source = {
        TargetSource.OPTION: dict(options.origins).get("torch-version", "--torch-version"),
        TargetSource.ENVIRONMENT: f"installed in {environment.prefix}{_own(environment)}",
        TargetSource.REQUIREMENT: _of_requirement(requirement or "", found.versions[0], project or ""),
        TargetSource.DEFAULT: f"newest known; none is installed in {environment.prefix}{_own(environment)}",
    }[found.source]
    version = installed if found.source is TargetSource.ENVIRONMENT else wanted or found.versions[0]
    if len(facts) > 1:
        source = f"{source}: {', '.join(one.version for one in facts)}"
    return Torch(facts, TorchTarget(version or "", source), found.stand_in)


def _own(environment: Environment) -> str:
    return ", where compilelint itself runs" if environment.kind == "own" else ""


def _of_requirement(requirement: str, version: str, project: str) -> str:
    """Why a requirement leads to a version: it is the newest allowed, or the nearest of those with facts."""
    if not requirement:
        return f"the newest known; {project} requires no version"
    which = "the newest that fits" if allows(requirement, version) else "the nearest known to"
    return f"{which} torch{requirement}, which {project} requires"


@dataclass(frozen=True, slots=True)
class Linted:
    """A linted file: the name that others import it by, and what its text is worth looking at for.

    `size` counts characters; `switches` says that it holds the name of a capture switch, `operators` a word by which
    operators are registered.
    """

    path: str
    dotted: str
    is_package: bool
    size: int
    switches: bool
    operators: bool


def linted_of(source: Source, dotted: str, is_package: bool) -> Linted:
    """What a text is worth looking at for."""
    text = source.text
    switches = "_dynamo" in text and any(name in text for name in _SWITCHES)
    return Linted(source.path, dotted, is_package, len(text), switches, names_operators(text))


class Project:
    """The texts of the linted files: their names, what could not be read, the pragmas, the first few lines' worth.

    `texts` holds what was read and has not been lowered yet; what lowers a file takes it out. Of a very large project
    both hold what stands in no file alone: the others are read again, which costs less than the memory that they take.
    """

    def __init__(self, loader: Loader, files: Discovery, stdin: bytes | None = None) -> None:
        self.files: list[Linted] = []
        self.refused: list[Finding] = [
            unparsable(Unreadable("io", error.path, error.message))
            for error in files.errors
            if error.kind in ("unlistable", "link")
        ]
        self.pragmas: dict[str, Suppressions] = {}
        self.sources: dict[str, Source] = {}  # the first few, for what the report quotes
        self.texts: dict[str, Source] = {}
        self._room = _MOST_CHARACTERS
        self._waiting = _MOST_WAITING
        self._from_stdin = stdin is not None
        self.notebooks: dict[str, Notebook] = {}
        names = Names()
        for path in sorted(files.files, key=is_notebook):  # a script keeps its name before a notebook of the same
            source = self._notebook(path, stdin) if is_notebook(path) else _source(path, stdin, loader)
            if isinstance(source, Unreadable):
                self.refused.append(unparsable(source))
            else:
                self._take(source, names)

    @property
    def given(self) -> dict[str, Source]:
        """The texts that do not stand in their files as they are: notebooks and standard input, for another process or
        a later look.
        """
        held = (*self.notebooks, *((file.path for file in self.files) if self._from_stdin else ()))
        return {path: self.sources[path] for path in held if path in self.sources}

    def _notebook(self, path: str, stdin: bytes | None) -> Source | Unreadable:
        found = read_notebook(path) if stdin is None else notebook_from_bytes(path, stdin)
        if isinstance(found, Unreadable):
            return found
        self.notebooks[path] = found
        self.refused += [unparsable(one) for one in found.refused]
        return found.source

    def _take(self, source: Source, names: Names) -> None:
        text = source.text
        if source.path in self.notebooks:
            self.sources[source.path] = source
        elif len(text) <= self._room:
            self._room -= len(text)
            self.sources[source.path] = source
        waited, self._waiting = self._waiting, self._waiting - len(text)
        if self._waiting > 0 or source.path in self.notebooks or len(self.files) == 0:  # what stands in no file
            self.texts[source.path] = source
        elif waited > 0:
            given = self.given
            self.sources, self.texts, self._room = given, dict(given), 0
        found = suppressions(source)
        if found.pragmas or found.malformed:
            self.pragmas[source.path] = found
        name = names.name(source.path)
        self.files.append(linted_of(source, name.dotted, name.is_package))


def _source(path: str, stdin: bytes | None, loader: Loader) -> Source | Unreadable:
    return loader.readings.read(path) if stdin is None else source_from_bytes(path, stdin)


def unparsable(refused: Unreadable) -> Finding:
    """The finding for a file or folder that is out of reach."""
    what = {
        "syntax": "is not valid Python",
        "encoding": "cannot be decoded",
        "too-deep": "is nested too deeply",
        "notebook": "is not a notebook",
    }
    message = f"the file {what.get(refused.kind, 'cannot be read')}: {refused.message}"
    why = "Nothing in this file was checked, and what other files import from it is unknown."
    if refused.kind == "newer":
        message = f"the file {refused.message}"
        why = f"{why} Install compilelint under that Python, or a later one."
    span = Span(refused.line, refused.column, refused.line, refused.column + 1)
    return Finding(
        UNPARSABLE_FILE,
        message,
        UNPARSABLE_FILE.effects,
        Confidence.CERTAIN,
        Location(refused.path, span),
        why=why,
    )


def base_of(path: str) -> str:
    """The repository, else the project, that a path lies in; else its own folder, wherever the run was started."""
    own = path if os.path.isdir(path) else os.path.dirname(path)
    return above(path, ".git") or above(path, "pyproject.toml") or own


def base_of_all(paths: Sequence[str]) -> str:
    """What all paths of a run lie in, in whatever order they were named: marks of findings count from there."""
    bases = sorted({base_of(path) for path in paths})
    try:
        return bases[0] if len(bases) == 1 else os.path.commonpath(bases).replace(os.sep, "/")
    except ValueError:  # two drives
        return bases[0]


def above(path: str, *marks: str) -> str:
    """The nearest folder around `path` that holds one of the marks; empty where there is none."""
    here = path if os.path.isdir(path) else os.path.dirname(path)
    while not any(os.path.exists(f"{here}/{mark}") for mark in marks):
        above = os.path.dirname(here)
        if above == here:
            return ""
        here = above
    return here

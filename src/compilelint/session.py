"""The pipeline on one page: discover, load, find roots, interpret, check, fold, suppress, sort.

Guarantee: nothing that is read is imported or run, torch included, and the same files give the same report. Raises
`UsageError` for a request that cannot be carried out, never for what stands in a linted file.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from compilelint import checks
from compilelint.config import Options, UsageError, chosen_rules
from compilelint.events import DynamoConfig, Event
from compilelint.interp import Interpreter
from compilelint.model import Confidence, Effect, Finding, Location, Notice, Rule, Span
from compilelint.program.cst import locate
from compilelint.program.discovery import Discovery, Excludes, discover
from compilelint.program.environment import Environment, NoEnvironment, find_environment
from compilelint.program.index import ModuleInfo, Program
from compilelint.program.loader import Loader, Names, load_source
from compilelint.program.modules import ModuleFinder, project_roots
from compilelint.program.roots import find_roots
from compilelint.program.source import Source, portable, read_source
from compilelint.program.stack import run_with_deep_stack
from compilelint.program.suppressions import Pragma, Suppressions, suppressions
from compilelint.program.survey import survey, worth_surveying
from compilelint.program.unreadable import Unreadable
from compilelint.report import Report, TorchTarget
from compilelint.rulebook import MALFORMED_SUPPRESSION, UNPARSABLE_FILE, UNUSED_SUPPRESSION, worst_first
from compilelint.torchfacts import FactsError, TorchFacts, load, required_torch, resolve_target
from compilelint.torchfacts import Source as TargetSource

_MOST_NAMES = 8

# A project of usual size is read once; of a large one most files carry no finding, and reading again is cheap.
_KEPT_CHARACTERS = 8_000_000


def lint(options: Options) -> Report:
    """Lint what the options name. Raises UsageError where they cannot be followed."""
    with _without_gc():
        return run_with_deep_stack(lambda: _lint(options))


def _lint(options: Options) -> Report:
    book = checks.rulebook()
    rules = chosen_rules(book.rules, options)
    files = _files(options)
    environment = _environment(options, files.roots[0])
    torch = _torch(options, environment, files.roots[0])
    finder = ModuleFinder(environment, project_roots(files.files))
    loader = Loader(finder, options.follow_imports, torch.facts[-1].rule("skip_modules"))
    project = _Project(loader, files)

    folded = Folded()
    judge = book.only(rules)
    specs = tuple(spec.replace(":", ".") for spec in options.roots)  # `pkg.mod:Class.method` is a dotted name too
    roots = find_roots(project.program, project.modules, specs)

    for facts in torch.facts:
        version = facts.version if len(torch.facts) > 1 else ""

        def sink(event: Event, facts: TorchFacts = facts, version: str = version) -> None:
            folded.add(judge.findings_for(event, facts), version)  # at once, so that no event has to be kept

        Interpreter(project.program, facts, sink, DynamoConfig()).analyse(roots)
        for event in survey(project.program, project.to_survey):
            sink(event)
    folded.add(project.refused)

    judged = _suppressed(folded.findings(), project.pragmas, rules, book.rules)
    shown = [one for one in judged.findings if one.confidence >= options.min_confidence]
    return Report(
        findings=tuple(sorted(_with_lines(shown, project.sources), key=_place)),
        files_checked=len(files.files),
        torch=torch.target,
        base=_base(files.roots[0]),
        notices=(
            *_notices(options, files, environment, torch, loader),
            *_about_roots(options, len(roots.first) + len(roots.rest), len(files.files)),
        ),
        suppressed=judged.suppressed,
        hidden=len(judged.findings) - len(shown),
        min_confidence=options.min_confidence,
        torch_versions=torch.versions,
    )


def files_to_lint(options: Options) -> tuple[str, ...]:
    """What `lint` would read. Raises UsageError where a named path is missing or no file is left."""
    return _files(options).files


# ------------------------------------------------------------------- gathering


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


def _files(options: Options) -> Discovery:
    excludes = Excludes(options.exclude, _exclude_base(options.paths), options.force_exclude)
    found = discover(options.paths, excludes)
    missing = [error.path for error in found.errors if error.kind == "missing"]
    if missing:
        raise UsageError("no such file or folder", ", ".join(missing), "name files or folders that exist")
    nothing = [error.message for error in found.errors if error.kind == "no-files"]
    # A hook that was handed excluded files only has nothing to do; everyone else mistyped.
    if nothing and not (options.force_exclude and "excluded" in nothing[0]):
        raise UsageError(nothing[0], ", ".join(options.paths), "name a .py file or a folder that holds one")
    if found.notebooks and not found.files and not options.force_exclude:
        raise UsageError("notebooks are not linted", found.notebooks[0], "name a .py file or a folder that holds one")
    return found


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


def _environment(options: Options, near: str) -> Environment:
    found = find_environment(options.python, near)
    if isinstance(found, NoEnvironment):
        raise UsageError(found.message, f"--python {found.path}", "name a Python interpreter or its environment")
    return found


@dataclass(frozen=True, slots=True)
class _Torch:
    """The facts to judge by, oldest version first, which torch they are for, and what was assumed, in words."""

    facts: tuple[TorchFacts, ...]
    target: TorchTarget
    assumed: str

    @property
    def versions(self) -> tuple[str, ...]:
        """The versions of a range; empty for one target."""
        return tuple(facts.version for facts in self.facts) if len(self.facts) > 1 else ()


def _torch(options: Options, environment: Environment, near: str) -> _Torch:
    """Which torch to predict for: what was asked for, the one installed, the one required, else the newest known."""
    wanted = options.torch_version
    project = _above(near, "pyproject.toml", "requirements.txt")
    requirement = required_torch(Path(project)) if project else None
    installed = environment.installed_version("torch")
    try:
        found = resolve_target(wanted, installed, requirement)
        facts = tuple(load(version) for version in found.versions)
    except FactsError as error:
        if wanted is None:
            raise
        raise UsageError(error.what, f"--torch-version {wanted}", error.mend) from error
    source = {
        TargetSource.OPTION: "--torch-version",
        TargetSource.ENVIRONMENT: f"installed in {environment.prefix}",
        TargetSource.REQUIREMENT: f"the newest that torch{requirement} of {project} allows",
        TargetSource.DEFAULT: f"newest known; none is installed in {environment.prefix}",
    }[found.source]
    version = installed if found.source is TargetSource.ENVIRONMENT else wanted or found.versions[0]
    if len(facts) > 1:
        source = f"{source}: {', '.join(one.version for one in facts)}"
    return _Torch(facts, TorchTarget(version or "", source), found.stand_in)


class _Project:
    """The linted files, read once: the program they make, what could not be read, and the pragmas in them."""

    def __init__(self, loader: Loader, files: Discovery) -> None:
        linted = frozenset(files.files)
        self.program = Program(loader, linted.__contains__)
        self.modules: list[ModuleInfo] = []
        self.to_survey: list[ModuleInfo] = []
        self.refused: list[Finding] = [
            unparsable(Unreadable("io", error.path, error.message))
            for error in files.errors
            if error.kind == "unlistable"
        ]
        self.pragmas: dict[str, Suppressions] = {}
        self.sources: dict[str, Source] = {}  # the first few, for what the report quotes
        self._room = _KEPT_CHARACTERS
        names = Names()
        for path in files.files:
            source = read_source(path)
            if isinstance(source, Unreadable):
                self.refused.append(unparsable(source))
            else:
                self._take(source, names, loader)

    def _take(self, source: Source, names: Names, loader: Loader) -> None:
        if len(source.text) <= self._room:
            self._room -= len(source.text)
            self.sources[source.path] = source
        found = suppressions(source)
        if found.pragmas or found.malformed:
            self.pragmas[source.path] = found
        name = names.name(source.path)
        module = load_source(source, name.dotted, name.is_package)
        if isinstance(module, Unreadable):
            self.refused.append(unparsable(module))
            return
        info = self.program.add(module) if loader.importable(module) else ModuleInfo(module, linted=True)
        self.modules.append(info)
        if worth_surveying(source.text):
            self.to_survey.append(info)


def unparsable(refused: Unreadable) -> Finding:
    """The finding for a file or folder that is out of reach."""
    what = {"syntax": "is no Python", "encoding": "cannot be decoded", "too-deep": "is nested too deeply"}
    message = f"the file {what.get(refused.kind, 'cannot be read')}: {refused.message}"
    span = Span(refused.line, refused.column, refused.line, refused.column + 1)
    return Finding(
        UNPARSABLE_FILE,
        message,
        UNPARSABLE_FILE.effects,
        Confidence.CERTAIN,
        Location(refused.path, span),
        why="Nothing in this file was checked, and what other files import from it is unknown.",
    )


# -------------------------------------------------------------------- judging


@dataclass(slots=True)
class _Same:
    """All that was said by one rule about one place: the best finding, and what the others add."""

    best: Finding
    effects: set[Effect] = field(default_factory=set)
    break_ids: dict[str, None] = field(default_factory=dict)
    roots: dict[str, None] = field(default_factory=dict)
    versions: dict[str, None] = field(default_factory=dict)

    def add(self, other: Finding, version: str) -> None:
        self.effects.update(other.effects)
        self.break_ids.update(dict.fromkeys(other.break_ids))
        self.roots.update(dict.fromkeys(other.roots))
        if version:
            self.versions[version] = None
        if _worth(other) > _worth(self.best):
            self.best = other

    def finding(self) -> Finding:
        return replace(
            self.best,
            effects=worst_first(self.effects),
            break_ids=tuple(sorted(self.break_ids)),
            roots=tuple(self.roots),
            torch_versions=tuple(self.versions),
        )


def _worth(finding: Finding) -> tuple[int, int]:
    """The surest finding tells it, and among those the one with the shortest way from a root."""
    return finding.confidence, -len(finding.call_chain)


class Folded:
    """Findings by rule and place: a line reached from forty roots is one finding with forty roots."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, Location], _Same] = {}

    def add(self, findings: Iterable[Finding], version: str = "") -> None:
        """Put findings in, each to its like; `version` is the torch they hold for where there are several."""
        for finding in findings:
            key = (finding.rule.code, finding.location)
            same = self._found.get(key)
            if same is None:
                same = self._found[key] = _Same(finding)
            same.add(finding, version)

    def findings(self) -> list[Finding]:
        """One finding for each rule and place."""
        return [same.finding() for same in self._found.values()]


@dataclass(frozen=True, slots=True)
class Judged:
    """What is left after the pragmas, unused and malformed ones included, and how many findings they silenced."""

    findings: list[Finding]
    suppressed: int


def _suppressed(
    findings: Iterable[Finding], pragmas: dict[str, Suppressions], active: Iterable[Rule], every: Iterable[Rule]
) -> Judged:
    kept: list[Finding] = []
    used: dict[str, list[tuple[Pragma, str]]] = {}
    for finding in findings:
        location, code = finding.location, finding.rule.code
        of_file = pragmas.get(location.path)
        # The span's end is exclusive, but a span never ends at the first column of the line after it.
        pragma = of_file.match(location.span.line, location.span.end_line, code) if of_file else None
        if pragma is None:
            kept.append(finding)
        else:
            used.setdefault(location.path, []).append((pragma, code))
    codes = frozenset(rule.code for rule in active)
    all_active = codes == {rule.code for rule in every}
    for path, of_file in pragmas.items():
        for unused in of_file.unused(used.get(path, ()), codes, all_active):
            named = ", ".join(unused.codes) or "any rule"
            text = f"nothing to suppress here for {named}"
            kept.append(_about_pragma(UNUSED_SUPPRESSION, Location(path, unused.pragma.span), text))
        for malformed in of_file.malformed:
            kept.append(_about_pragma(MALFORMED_SUPPRESSION, Location(path, malformed.span), malformed.message))
    return Judged([one for one in kept if one.rule.code in codes], sum(len(pairs) for pairs in used.values()))


def _about_pragma(rule: Rule, location: Location, message: str) -> Finding:
    return Finding(rule, message, rule.effects, Confidence.LIKELY, location)


# ------------------------------------------------------------------ finishing


def _with_lines(findings: Iterable[Finding], sources: dict[str, Source]) -> Iterator[Finding]:
    """The findings with the text of their first line; files that are not at hand are read again, once each."""
    by_path: dict[str, list[Finding]] = {}
    for finding in findings:
        by_path.setdefault(finding.location.path, []).append(finding)
    for path, found in by_path.items():
        source = sources.get(path) or read_source(path)
        if isinstance(source, Unreadable):
            yield from found
        else:
            yield from (replace(one, line_text=source.line(one.location.span.line)) for one in found)


def unfounded(findings: Iterable[Finding]) -> Iterator[Notice]:
    """What keeps findings from standing on a LibCST node, a notice each; no part of `lint`.

    Every span is that of an `ast` node, and LibCST has a node for each of those: `tests/program/test_cst.py` proves it
    on whole files. Asking again for every finding of every run would cost as much as finding it (a second for each
    megabyte), so LibCST is left to what rewrites code, and this question to tests and `benchmarks.robustness`.
    """
    spans: dict[str, set[Span]] = {}
    for finding in findings:
        if finding.effect is not Effect.TOOL:
            spans.setdefault(finding.location.path, set()).add(finding.location.span)
    for path, wanted in spans.items():
        source = read_source(path)
        located = source if isinstance(source, Unreadable) else locate(source, wanted)
        if isinstance(located, Unreadable):
            yield Notice("no-tree", f"{located.message}: its findings cannot be fixed automatically", path)
            continue
        for span in sorted(wanted):
            if located.node(span) is None:
                yield Notice("no-node", f"no syntax node at line {span.line}, column {span.column}", path)


def _notices(
    options: Options, files: Discovery, environment: Environment, torch: _Torch, loader: Loader
) -> Iterator[Notice]:
    yield Notice("environment", f"imports are looked up in {environment.prefix} ({environment.kind})")
    for text in environment.notices:
        yield Notice("environment", text)
    if torch.assumed:
        yield Notice("torch", torch.assumed)
    missing = sorted(name for name in loader.finder.missed if "." not in name)
    if missing:
        more = f" and {len(missing) - _MOST_NAMES} more" if len(missing) > _MOST_NAMES else ""
        yield Notice("unresolved", f"packages not found: {', '.join(missing[:_MOST_NAMES])}{more}")
    for refused in loader.unreadable:
        yield Notice("unresolved", f"an imported module cannot be read: {refused.message}", refused.path)
    if files.notebooks:
        yield Notice("notebooks", f"{len(files.notebooks)} notebooks were not linted")
    if not files.files and not files.notebooks:
        yield Notice("nothing", "every named file is excluded")
    if options.jobs > 1:
        yield Notice("jobs", "one process does the work; --jobs has no effect yet")


def _about_roots(options: Options, found: int, files: int) -> Iterator[Notice]:
    """Nothing starts, so nothing was followed: worth knowing before one trusts a clean report."""
    if files and not found:
        kind = "no-roots" if options.roots == ("auto",) else "roots"
        yield Notice(kind, f"no compile root found by --roots {', '.join(options.roots)}: no code was followed")


def _place(finding: Finding) -> tuple[str, Span, str]:
    return finding.location.path, finding.location.span, finding.rule.code


def _base(path: str) -> str:
    """The repository, else the project, that a path lies in; else the current folder."""
    return _above(path, ".git") or _above(path, "pyproject.toml") or portable(os.getcwd())


def _above(path: str, *marks: str) -> str:
    """The nearest folder around `path` that holds one of the marks; empty where there is none."""
    here = path if os.path.isdir(path) else os.path.dirname(path)
    while not any(os.path.exists(f"{here}/{mark}") for mark in marks):
        above = os.path.dirname(here)
        if above == here:
            return ""
        here = above
    return here


__all__ = ["Folded", "Judged", "Options", "Report", "UsageError", "files_to_lint", "lint", "unfounded", "unparsable"]

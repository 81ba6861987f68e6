"""The last touch: the quoted lines, the order, and the notices about the run itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from compilelint.config import Options
from compilelint.model import Effect, Finding, Location, Notice, NoticeKind, Span
from compilelint.project.compile_calls import CompileCall
from compilelint.project.discovery import Discovery
from compilelint.project.environment import Environment
from compilelint.project.loader import Loader
from compilelint.report.report import CompileRoot
from compilelint.rulebook import UNPARSABLE_FILE
from compilelint.session.pipeline.inputs import Torch
from compilelint.survey.deadline import SHARE_AROUND
from compilelint.syntax.cst import locate
from compilelint.syntax.notebooks import Notebook
from compilelint.syntax.source import Source, read_source
from compilelint.syntax.unreadable import Unreadable

_MOST_NAMES = 8


def with_lines(findings: Iterable[Finding], sources: dict[str, Source]) -> Iterator[Finding]:
    """The findings with the text of their first line; files that are not at hand are read again, once each."""
    by_path: dict[str, list[Finding]] = {}
    for finding in findings:
        by_path.setdefault(finding.location.path, []).append(finding)
    for path, found in by_path.items():
        refused = all(one.rule.code == UNPARSABLE_FILE.code for one in found)
        source = None if refused else sources.get(path) or read_source(path)
        if source is None or isinstance(source, Unreadable):
            yield from found
        else:
            yield from (
                one
                if one.rule.code == UNPARSABLE_FILE.code
                else replace(one, line_text=source.line(one.location.span.line))
                for one in found
            )


def in_cells(findings: Iterable[Finding], notebooks: Mapping[str, Notebook]) -> Iterator[Finding]:
    """The findings with every place in a notebook given by its cell, and without fixes there: edits are of files."""
    placed = _placing(notebooks)
    for one in findings:
        if not notebooks:
            yield one
            continue
        yield replace(
            one,
            location=placed(one.location),
            fix=None if one.location.path in notebooks else one.fix,
            related=tuple(replace(related, location=placed(related.location)) for related in one.related),
            call_chain=tuple(replace(site, location=placed(site.location)) for site in one.call_chain),
        )


def calls_unresolved(calls: Iterable[CompileCall]) -> Iterator[Notice]:
    """A notice for each compile call of which it is not known what it compiles."""
    for call in calls:
        if not call.resolved:
            at = call.location
            text = f"what `{call.how}` compiles here is unknown, so it is not checked: {call.reason}"
            yield Notice("compile-call", text, at.path, at.span.line, at.cell)


def notices_in_cells(notices: Iterable[Notice], notebooks: Mapping[str, Notebook]) -> Iterator[Notice]:
    """The notices, each once; a line in a notebook counts by its cell."""
    placed = _placing(notebooks)
    for one in dict.fromkeys(notices):
        if one.path is None or not one.line:
            yield one
            continue
        at = placed(Location(one.path, Span(one.line, 1, one.line, 1)))
        yield replace(one, line=at.span.line, cell=at.cell)


def roots_in_cells(roots: Iterable[CompileRoot], notebooks: Mapping[str, Notebook]) -> Iterator[CompileRoot]:
    """The roots with every place in a notebook given by its cell."""
    placed = _placing(notebooks)
    for root in roots:
        yield root._replace(location=placed(root.location), compiled_at=root.compiled_at and placed(root.compiled_at))


def calls_in_cells(calls: Iterable[CompileCall], notebooks: Mapping[str, Notebook]) -> Iterator[CompileCall]:
    """The compile calls by place, each once; a place in a notebook counts by its cell."""
    placed = _placing(notebooks)
    once = {(call.location.path, call.location.span, call.how): call for call in calls}
    for _, call in sorted(once.items(), key=lambda one: one[0]):
        yield replace(call, location=placed(call.location))


def _placing(notebooks: Mapping[str, Notebook]) -> Callable[[Location], Location]:
    def placed(location: Location) -> Location:
        notebook = notebooks.get(location.path)
        return location if notebook is None else notebook.located(location)

    return placed


def unfounded(findings: Iterable[Finding]) -> Iterator[Notice]:
    """What keeps findings from standing on a LibCST node, a notice each; no part of `lint`.

    Every span is that of an `ast` node, and LibCST has a node for each of those: `tests/syntax/test_cst.py` proves it
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


def notices_of(
    options: Options, files: Discovery, environment: Environment, torch: Torch, loader: Loader
) -> Iterator[Notice]:
    """What the run was based on and what it could not have."""
    for text in options.notes:
        yield Notice("configuration", text)
    if options.config_file is not None:
        yield Notice("environment", "the configuration is read from here", options.config_file)
    yield Notice("environment", f"looking up imports in {environment.prefix} ({environment.kind})")
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
    if not files.files:
        yield Notice("nothing", "every named file is excluded")


def about_time(options: Options, given_up: Sequence[tuple[str, str]]) -> Iterator[Notice]:
    """The roots that took longer than they may: what they reach was judged in part only."""
    by_path: dict[str, list[str]] = {}
    for path, root in given_up:
        if root:
            by_path.setdefault(path, []).append(root)
        else:
            seconds = options.timeout / SHARE_AROUND
            text = f"stopped early, because reading the code around compiled code in this file took {seconds:g} s"
            yield Notice("timeout", f"{text}; --timeout gives it more", path)
    for path, roots in by_path.items():
        more = f" and {len(roots) - _MOST_NAMES} more" if len(roots) > _MOST_NAMES else ""
        named = ", ".join(roots[:_MOST_NAMES]) + more
        text = f"stopped early, because the roots of this file took {options.timeout:g} s: {named}"
        yield Notice("timeout", f"{text}; --timeout gives them more", path)


def about_roots(options: Options, found: int, files: int) -> Iterator[Notice]:
    """Nothing starts, so nothing was followed: worth knowing before one trusts a clean report."""
    if files and not found:
        kind: NoticeKind = "no-roots" if options.roots == ("auto",) else "roots"
        yield Notice(kind, f"no compile root matches --roots {', '.join(options.roots)}: no code was followed")


def place_of(finding: Finding) -> tuple[str, int, Span, str]:
    """The order of a report: by file, place and code."""
    location = finding.location
    return location.path, location.cell or 0, location.span, finding.rule.code

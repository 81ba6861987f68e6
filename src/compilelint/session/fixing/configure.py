"""Switches of `torch._dynamo.config` for what no rewrite cures: set in the files that compile, as the engine confirms.

A switch holds for the whole process, so only a file that compiles by itself may set one, below its imports. Whether it
helps there is asked of the engine: the files are linted as they would be with it. It is kept where the findings that
it is for are gone and no other has come that ends a graph or fails: under captured numbers a later branch, or an index
into a list, may do so. Does not belong here: what a switch cures (`torchfacts.switches`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from compilelint.fixes import code_of
from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.edits import with_edits
from compilelint.fixes.rewrites.capture_switch import NUMBERS, SHAPES, is_passed_as_truth, switches
from compilelint.model import Confidence, Edit, Effect, Finding, Fix, Safety
from compilelint.report.report import Report
from compilelint.syntax.source import Source, read_source
from compilelint.torchfacts.switches import cures

_MOST_FILES = 8
_HARMS = frozenset({Effect.GRAPH_BREAK, Effect.ERROR, Effect.WRONG_RESULT})

Linted = Callable[[Mapping[str, Source]], Report]
_Settings = dict[str, bool]


def with_switches(report: Report, linted: Linted) -> tuple[Finding, ...]:
    """The findings that switches cure, each with the fix that sets them in the file that compiles.

    `linted` gives the report with other texts of some files. All switches of a file are tried together, then each.
    """
    found: list[Finding] = []
    by_file: dict[str, list[tuple[Finding, _Settings]]] = {}
    homes = {
        (root.name, root.location.path): root.compiled_at.path for root in report.roots if root.compiled_at is not None
    }
    for one in report.findings:
        settings = _settings_for(one, report.torch.version) if one.confidence >= Confidence.LIKELY else {}
        begins = (one.call_chain[0] if one.call_chain else one).location.path
        paths = {homes[root, begins] for root in one.roots if (root, begins) in homes}
        if settings and len(paths) == 1:
            by_file.setdefault(paths.pop(), []).append((one, settings))
    for path, wanted in list(by_file.items())[:_MOST_FILES]:
        together: _Settings = {name: value for _, settings in wanted for name, value in settings.items()}
        tries = [together, *({name: value} for name, value in together.items() if len(together) > 1)]
        for settings in tries:
            meant = [one for one, needed in wanted if needed.keys() <= settings.keys()]
            edits = _edits(path, settings)
            if meant and edits and _helps(meant, report, linted({path: _changed(path, edits)})):
                found += [replace(one, fix=_fix(path, edits, settings, one.location.path)) for one in meant]
                break
    return tuple(found)


def _settings_for(finding: Finding, version: str) -> _Settings:
    """The switches that cure a break: what its rewrite says is captured, else what was tried for its id."""
    if Effect.GRAPH_BREAK not in finding.effects:
        return {}
    known = finding.rewrite
    captured = [] if known is None else [name for name in (NUMBERS, SHAPES) if known.fact(name)]
    code = _code(finding.location.path) if captured else None
    if code is not None and is_passed_as_truth(finding, code):
        return {}
    tried = (cures(gb_id, version)[:1] for gb_id in finding.break_ids)
    return dict.fromkeys(captured, True) or {name: value for pairs in tried for name, value in pairs}


def _edits(path: str, settings: _Settings) -> tuple[Edit, ...]:
    code = _code(path)
    return () if code is None else switches(code, tuple(settings), settings)


def _code(path: str) -> Code | None:
    source = read_source(path)
    return code_of(source) if isinstance(source, Source) else None


def _changed(path: str, edits: Iterable[Edit]) -> Source:
    source = read_source(path)
    assert isinstance(source, Source), "edits were made of it"
    return source.with_text(with_edits(source, edits))


def _fix(path: str, edits: Sequence[Edit], settings: Collection[str], home: str) -> Fix:
    """The edits of the file that compiles, which another file's finding may need."""
    names = " and ".join(f"`{name}`" for name in settings)
    title = f"set {names}, for this whole process"
    return Fix(Safety.UNSAFE, title, tuple(replace(one, path="" if path == home else path) for one in edits), True)


def _helps(meant: Collection[Finding], before: Report, after: Report) -> bool:
    """Whether these findings are gone, and none has come that ends a graph, fails or gives a wrong result."""
    left = {_key(one) for one in after.findings}
    known = {_key(one) for one in before.findings}
    new = [one for one in after.findings if _key(one) not in known and not _HARMS.isdisjoint(one.effects)]
    return not new and not any(_key(one) in left for one in meant)


def _key(finding: Finding) -> tuple[str, str, str, str]:
    """What stays of a finding where lines move."""
    return finding.location.path, finding.rule.code, finding.line_text.strip(), finding.message

"""What the tools do: lint, explain, fix, reveal. Nothing of the linted tree is run; `fix` writes only if asked to.

One call is carried out at a time: texts stand in for files while fixes are tried, for the whole process.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from compilelint import checks
from compilelint.config import Options, UsageError, named, nearest_files, settle
from compilelint.disk.tree import tree_of
from compilelint.lib.engine import known_of
from compilelint.mcp.answers import (
    MOST_CHARACTERS,
    MOST_DIFF,
    MOST_ENTRIES,
    MOST_PAGE,
    Belief,
    ExplainAnswer,
    FileChange,
    FixAnswer,
    LintAnswer,
    RevealAnswer,
    clipped,
)
from compilelint.mcp.confined import RefusedError, Roots
from compilelint.mcp.findings import page_of
from compilelint.model import Span
from compilelint.model.break_ids import break_id_of
from compilelint.report.layout.text import escaped
from compilelint.report.report import Report
from compilelint.session.commands.fix import Fixed, fix, one_round, store, unified
from compilelint.session.commands.lint import files_to_lint, lint
from compilelint.session.fixing.propose import with_fixes
from compilelint.session.pipeline.unite import united
from compilelint.syntax.source import Source, read_source
from compilelint.syntax.stack import run_with_deep_stack
from compilelint.syntax.unreadable import Unreadable

MOST_FILES = 3_000
"""Files that one call may lint: what takes minutes is asked for in parts."""


def linted(roots: Roots, named: Sequence[str], said: dict[str, Any], offset: int, limit: int) -> LintAnswer:
    """What `lint` answers. Raises RefusedError and UsageError."""
    report = _report(_options(roots, roots.paths(named), said))
    return page_of(report, roots.shown, offset, limit, with_fixes)


def report_on(roots: Roots, paths: tuple[str, ...]) -> Report:
    """The lint of some files of the folders, with what is only possible. Raises RefusedError and UsageError."""
    return _report(_options(roots, paths, {"min-confidence": "possible"}))


def _options(roots: Roots, paths: tuple[str, ...], said: dict[str, Any]) -> tuple[Options, ...]:
    """A run for each configuration that is the nearest to some files, as the command line has it."""
    rules = checks.rulebook((), paths).rules
    first = settle(paths, said, rules, tree=roots.folders).options
    files = files_to_lint(first)
    if len(files) > MOST_FILES:
        raise RefusedError(f"{len(files):,} files are too many for one call; name folders of at most {MOST_FILES:,}")
    nearest = dict.fromkeys(nearest_files(files).values())
    if set(nearest) == {first.config_file}:
        return (replace(first, no_cache=False),)
    each = (settle(paths, said, rules, nearest=(one,), tree=roots.folders).options for one in nearest)
    return tuple(replace(one, no_cache=False) for one in each)


def _report(each: Sequence[Options]) -> Report:
    return united([lint(options) for options in each])


def explained(word: str) -> ExplainAnswer:
    """What `explain` answers. Raises UsageError for a word that is neither a rule nor a break id."""
    if break_id := break_id_of(word):
        return _break_id(break_id)
    from compilelint.rulebook import page_of as rule_page

    book = checks.rulebook()
    rule = book.rule(word) or named(book.rules, [word], "explain")[0]
    page = rule_page(rule)
    text = "" if page is None else page.text
    return ExplainAnswer(code=rule.code, name=rule.name, summary=rule.summary, page=clipped(text, MOST_PAGE))


def _break_id(gb_id: str) -> ExplainAnswer:
    from compilelint.report.layout.facts_history import break_page
    from compilelint.torchfacts import available, load, reach_of

    for version in reversed(available()):
        facts = load(version)
        entry = facts.graph_break(gb_id)
        if entry is not None:
            rules = [one for one in checks.rulebook().rules if entry.reason.value in one.breaks]
            text = break_page(entry, facts.version, rules, False, reach_of(gb_id))
            return ExplainAnswer(
                code=gb_id, name=entry.reason.value, summary=f"torch {facts.version}", page=clipped(text, MOST_PAGE)
            )
    raise UsageError(f"no version of torch has a graph break {gb_id}", "explain", "ids look like GB0170")


def fixed(
    roots: Roots, named: Sequence[str], said: dict[str, Any], line: int | None, unsafe: bool, write: bool
) -> FixAnswer:
    """What `fix` answers: what it made, written if `write`. Raises RefusedError and UsageError."""
    paths = roots.paths(named)
    if line is not None and not (len(paths) == 1 and os.path.isfile(paths[0])):
        raise RefusedError("`line` goes with one file; name that file alone in `paths`")
    each = _options(roots, paths, said)
    made = [_fixed_on(options, line, unsafe) if line else fix(options, unsafe) for options in each]
    applied: Counter[str] = sum((one.applied for one in made), Counter())
    refused = {path: reason for one in made if write for path, reason in store(one, roots.folders).items()}
    files = [_change(one, path, roots, write, refused.get(path, "")) for one in made for path in one.texts]
    shown = _within(files)
    return FixAnswer(
        written=write and any(file.written for file in files),
        fixed=dict(sorted(applied.items())),
        files=shown,
        more_files=len(files) - len(shown),
        left=sum(len(one.report.findings) for one in made),
    )


def _fixed_on(options: Options, line: int, unsafe: bool) -> Fixed:
    """The fixes of the findings on one line, in one round."""
    report = lint(options)
    here = [one for one in report.findings if one.location.span.line <= line <= one.location.span.end_line]
    made = one_round(here, unsafe)  # of this file alone, so nothing ties files together
    applied = Counter(finding.rule.code for finding in made.findings)
    places = {(one.rule.code, one.location) for one in made.findings}
    left = tuple(one for one in report.findings if (one.rule.code, one.location) not in places)
    texts = {source.path: (source, text) for source, text in made.files}
    return Fixed(replace(report, findings=left), texts, applied, 1, True)


def _change(one: Fixed, path: str, roots: Roots, write: bool, refused: str) -> FileChange:
    diff = unified(replace(one, texts={path: one.texts[path]}), roots.shown)
    return FileChange(
        path=escaped(roots.shown(path)),
        diff=clipped(diff, MOST_DIFF),
        clipped=len(diff) > MOST_DIFF,
        written=write and not refused,
        refused=escaped(refused),
    )


def _within(files: Sequence[FileChange]) -> list[FileChange]:
    """As many as an answer has room for."""
    shown: list[FileChange] = []
    size = 0
    for file in files:
        size += len(file.diff)
        if shown and size > MOST_CHARACTERS:
            break
        shown.append(file)
    return shown[:MOST_ENTRIES]


def revealed(roots: Roots, named: str, line: int, expression: str) -> RevealAnswer:
    """What `reveal` answers: all expressions that begin on a line, or those that read like one. Raises RefusedError."""
    path = roots.path(named)
    source = read_source(path) if os.path.isfile(path) and tree_of(roots.folders).holds(path) else None
    if source is None or isinstance(source, Unreadable):
        reason = "it is not a file" if source is None else source.message
        raise RefusedError(f"{named[:200]!r} cannot be read: {escaped(reason)}")
    known = run_with_deep_stack(lambda: known_of([source])).get(path)
    if known is None:
        raise RefusedError(f"{named[:200]!r} cannot be read: it is not valid Python")
    found = []
    for key in known.keys():  # noqa: SIM118 - a method of ours
        span = known.span(key)
        text = _text(source, span)
        if span.line == line and (not expression or _plain(text) == _plain(expression)):
            found.append((span, text, known.state(key, known.function_at(key))))
    found.sort(key=lambda one: (one[0].column, -one[0].end_line, -one[0].end_column))
    beliefs = [
        Belief(
            expression=clipped(escaped(_plain(text)), 120),
            line=span.line,
            column=span.column,
            kind=state.kind,
            belief=clipped(escaped(state.words)),
            reached_from=[clipped(escaped(one.root), 300) for one in state.reached_by[:5]],
            happens=[" ".join(filter(None, (one.what, one.break_id, one.reason))) for one in state.happenings],
        )
        for span, text, state in found[:MOST_ENTRIES]
    ]
    return RevealAnswer(path=escaped(roots.shown(path)), beliefs=beliefs, more=len(found) - len(beliefs))


def _text(source: Source, span: Span) -> str:
    """What stands at a place; of what goes over many lines the first few."""
    lines = source.lines[span.line - 1 : min(span.end_line, span.line + 5)]
    if span.end_line == span.line:
        return lines[0][span.column - 1 : span.end_column - 1]
    if span.end_line <= span.line + 5:
        lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)


def _plain(text: str) -> str:
    return " ".join(text.split())

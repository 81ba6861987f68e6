"""`why FILE:LINE`: all that led to the findings of a line, or kept them from it, from the very run that reports.

The line is analysed as a lint of the same paths analyses it, in this process and without the cache; the interpreter
notes on the way how it came there. Nothing that is read is imported or run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from compilelint.config import Options, UsageError
from compilelint.interp.driver.explained import LineQuestion, Visit
from compilelint.model import Location, Span
from compilelint.report.explanation import Explanation, Happening, Outcome, Way
from compilelint.report.layout.text import shown_path
from compilelint.session.analyse import analyse
from compilelint.session.commands.lint import modules_of, without_gc
from compilelint.session.explaining import silence
from compilelint.session.explaining.outcomes import outcomes_of, unselected
from compilelint.session.explaining.ways import Story
from compilelint.session.incremental.run_cache import run_cache_of
from compilelint.session.pipeline.inputs import Project
from compilelint.session.pipeline.merge import Analysis
from compilelint.session.run import Progress, Run, run_of, silent
from compilelint.syntax import ir
from compilelint.syntax.source import Source, read_source
from compilelint.syntax.stack import run_with_deep_stack
from compilelint.syntax.unreadable import Unreadable

_NEARBY = 10
_NOT_OF_A_ROOT = frozenset({"survey", "class", "module", "host"})


def why(options: Options, file: str, line: int, progress: Progress = silent) -> Explanation:
    """The explanation of a line (from 1) of a file. Raises UsageError where the file is missing or a notebook."""
    path = os.path.abspath(file).replace(os.sep, "/")
    if not os.path.isfile(path):
        raise UsageError(f"{file} is not a file", "compilelint why", "write FILE:LINE")
    if path.endswith(".ipynb"):
        raise UsageError(f"{file} is a notebook", "compilelint why", "copy the cells into a .py file and ask there")
    with without_gc():
        return run_with_deep_stack(lambda: _explained(options, path, line, progress))


def _explained(options: Options, path: str, line: int, progress: Progress) -> Explanation:
    question = LineQuestion(path, line)
    plain = replace(options, jobs=1, no_cache=True, update_baseline=False)
    run = replace(run_of(plain, progress), question=question)
    project = Project(run.loader, run.files, options.stdin)
    with run_cache_of(run) as cache:
        analysis = analyse(run, project, cache)
    source = read_source(path)
    if isinstance(source, Unreadable):
        refused = silence.unread(analysis, path, run.files.files) or f"the file cannot be read: {source.message}"
        return _answer(run, question, "", (), (refused,), (), ())
    modules = list(modules_of(run))
    story = Story(question, source, run.book, run.torch.facts[-1])
    ways = story.ways(_visits(question))
    outcomes = outcomes_of(run, project, analysis, question, modules)
    judged = [one for _, event in question.events for one in story.findings(event)]
    outcomes += unselected(run, judged)
    around = _around(story, question)
    silent_since: tuple[str, ...] = ()
    if not any(one.fate == "reported" for one in outcomes):
        module = next((one for one in modules if one.path == path), None)
        silent_since = tuple(_silence(run, analysis, question, source, module, ways, outcomes))
    text = source.lines[line - 1].strip() if line <= len(source.lines) else ""
    return _answer(run, question, text, outcomes, silent_since, ways, around)


def _answer(
    run: Run,
    question: LineQuestion,
    text: str,
    outcomes: list[Outcome] | tuple[Outcome, ...],
    silent_since: tuple[str, ...],
    ways: list[Way] | tuple[Way, ...],
    around: tuple[Happening, ...],
) -> Explanation:
    options, line = run.options, question.line
    linted = ", ".join(shown_path(os.path.abspath(path).replace(os.sep, "/")) for path in options.paths)
    return Explanation(
        Location(question.path, Span(line, 1, line, 1)),
        text,
        question.functions[-1].qualname if question.functions else "",
        _lines(question),
        f"{run.torch.target.version} ({run.torch.target.source})",
        f"{run.environment.prefix} ({run.environment.kind})",
        linted,
        f"compilelint {linted}",
        tuple(outcomes),
        silent_since,
        tuple(ways),
        around,
    )


def _lines(question: LineQuestion) -> tuple[int, int]:
    """The first and the last line of the innermost function; outside of functions those nearby."""
    if not question.functions or question.module is None:
        return max(1, question.line - _NEARBY), question.line + _NEARBY
    span = question.module.span(question.functions[-1].pos)
    return span.line, span.end_line


def source_around(explanation: Explanation) -> str:
    """The source of the function around the line, each line with its number."""
    source = read_source(explanation.location.path)
    if isinstance(source, Unreadable):
        return ""
    first, last = explanation.lines
    return "\n".join(f"{number:>5}  {text}" for number, text in enumerate(source.lines, 1) if first <= number <= last)


def _visits(question: LineQuestion) -> list[Visit]:
    """The runs of the innermost function around the line, and of lambdas on it."""
    inner = question.functions[-1].pos if question.functions else None
    return [one for one in question.visits if one.function.node.pos == inner or one.function.node.name == "<lambda>"]


def _around(story: Story, question: LineQuestion) -> tuple[Happening, ...]:
    """What was noted of the line without a root: by the survey, and by rules on trees."""
    events = [event for event, _ in question.judged if event is not None]
    found = story.happenings(one for one in events if one.site.context.root_kind in _NOT_OF_A_ROOT)
    for event, one in question.judged:
        if event is None:
            said = f"{one.rule.code} {one.rule.name}: {one.confidence.explained}"
            found.append(Happening(one.location, "the syntax of the line", "", (said,)))
    return tuple(dict.fromkeys(found))


def _silence(
    run: Run,
    analysis: Analysis,
    question: LineQuestion,
    source: Source,
    module: ir.Module | None,
    ways: list[Way],
    outcomes: list[Outcome],
) -> Iterator[str]:
    """Why nothing is reported: the first reason that holds, with what belongs to it."""
    refused = silence.unread(analysis, question.path, run.files.files) or silence.no_code(source.text, question.line)
    if refused or module is None:
        yield refused or "the file is not analysed"
        return
    if outcomes:
        yield from (f"{one.finding.rule.code} is {one.fate}: {'; '.join(one.because)}" for one in outcomes)
        return
    outside = silence.not_in_region(module, question)
    if outside:
        yield outside
    elif not ways:
        function = question.functions[-1]
        spec = f"{module.name}:{function.qualname}"
        texts = ((path, text) for path in run.files.files if (text := _text(path)))
        yield from silence.not_run(question, analysis, spec, silence.callers_of(function.name, texts))
    elif all(way.stop for way in ways):
        yield from silence.passed_by(ways)
    else:
        yield from silence.accepted([way for way in ways if not way.stop])


def _text(path: str) -> str:
    source = read_source(path)
    return source.text if isinstance(source, Source) else ""

"""What became of the findings of one line: each step of a lint is taken, and asked what it dropped."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from compilelint.interp.driver.explained import LineQuestion
from compilelint.model import Finding, Location
from compilelint.report.explanation import Outcome
from compilelint.session.pipeline.deduplicate import fold_lines
from compilelint.session.pipeline.finish import place_of, with_lines
from compilelint.session.pipeline.gates import gate
from compilelint.session.pipeline.inputs import Project
from compilelint.session.pipeline.made import as_made
from compilelint.session.pipeline.merge import Analysis, Folded, as_configured
from compilelint.session.pipeline.purpose import viewed
from compilelint.session.run import Run
from compilelint.syntax import ir


def outcomes_of(
    run: Run, project: Project, analysis: Analysis, question: LineQuestion, modules: Iterable[ir.Module]
) -> list[Outcome]:
    """Every finding of the line, those that are not reported with the step that took them out."""
    options, book = run.options, run.book
    every = [one for one in analysis.findings if _is_at(one.location, question)]
    found = list(_silenced(question, project, every))
    configured = list(as_configured(analysis.findings, book.rules, options))
    found += [
        Outcome(one, "ignored", ("`per-file-ignores` takes the rule out of this file",))
        for one in _lost(every, configured)
    ]
    asked = viewed(configured, options.purpose)
    text = f"it does not stop what `--for {options.purpose}` asks for"
    found += [Outcome(one, "left out", (text,)) for one in _lost(_at(configured, question), asked)]
    wanted = as_made(asked, analysis.roots, run.files, lambda: modules)
    sure = [one for one in wanted if one.confidence >= options.min_confidence]
    least = options.min_confidence.label
    found += [
        Outcome(one, "hidden", (f"its confidence is below `--min-confidence {least}`",))
        for one in _at(wanted, question)
        if one.confidence < options.min_confidence
    ]
    lines = fold_lines(sure)
    found += [_folded_into(one, lines) for one in _lost(_at(sure, question), lines)]
    shown = sorted(with_lines(lines, project.sources), key=place_of)
    return found + list(_gated(run, shown, question))


def unselected(run: Run, findings: Iterable[Finding]) -> Iterator[Outcome]:
    """Findings of rules that do not take part."""
    active = {rule.code for rule in run.rules}
    for one in Folded.of(findings):
        if one.rule.code not in active:
            yield Outcome(one, "ignored", ("the rule is not selected (`select`, `ignore` and their kin)",))


def _gated(run: Run, shown: Sequence[Finding], question: LineQuestion) -> Iterator[Outcome]:
    """What the baseline and `--diff-base` leave of what would be reported."""
    options = replace(run.options, update_baseline=False)
    codes = [rule.code for rule in run.rules]
    here = _at(shown, question)
    new = gate(replace(options, diff_base=None), shown, tuple, run.files, codes).findings
    for one in _lost(here, new):
        yield Outcome(one, "in the baseline", (f"{options.baseline} holds it",))
    changed = new if options.diff_base is None else gate(options, shown, tuple, run.files, codes).findings
    for one in _lost(_at(new, question), changed):
        yield Outcome(one, "on an unchanged line", (f"the line is as it was at {options.diff_base}",))
    for one in _at(changed, question):
        yield Outcome(one, "reported")


def _silenced(question: LineQuestion, project: Project, left: Collection[Finding]) -> Iterator[Outcome]:
    """The findings that a comment silences."""
    known = {(one.rule.code, one.location) for one in left}
    of_file = project.pragmas.get(question.path)
    for one in Folded.of(found for _, found in question.judged):
        if (one.rule.code, one.location) in known or of_file is None:
            continue
        span = one.location.span
        pragma = of_file.match(span.line, span.end_line, one.rule.code)
        if pragma is not None:
            said = f" ({pragma.reason.strip()})" if pragma.reason.strip() else ""
            yield Outcome(one, "suppressed", (f"the comment on line {pragma.span.line} silences it{said}",))


def _folded_into(one: Finding, lines: Sequence[Finding]) -> Outcome:
    span = one.location.span
    first = next(
        (
            f
            for f in lines
            if f.rule.code == one.rule.code
            and f.location.path == one.location.path
            and f.location.span.line == span.line
        ),
        one,
    )
    return Outcome(one, "folded", (f"the finding of column {first.location.span.column} stands for it",))


def _lost(before: Iterable[Finding], after: Iterable[Finding]) -> list[Finding]:
    left = {(one.rule.code, one.location) for one in after}
    return [one for one in before if (one.rule.code, one.location) not in left]


def _at(findings: Iterable[Finding], question: LineQuestion) -> list[Finding]:
    return [one for one in findings if _is_at(one.location, question)]


def _is_at(location: Location, question: LineQuestion) -> bool:
    return location.path == question.path and location.span.line <= question.line <= location.span.end_line

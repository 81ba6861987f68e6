"""Trace on one page: read a run's logs, place their causes in the checkout, name the rules, join with a lint.

Nothing that a log names is opened or run: its paths are compared with files of the checkout. Raises UsageError where
there is nothing to read.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace

from compilelint import checks
from compilelint.config import UsageError
from compilelint.disk.read import NotReadError
from compilelint.model import Confidence, Effect, Finding, Location, Outcome, Rule, Span, Step, Verdict
from compilelint.report.report import Report, TorchTarget
from compilelint.rulebook import RUN_ONLY_BREAK, RUN_ONLY_RECOMPILE
from compilelint.session.fixing.propose import with_fixes
from compilelint.torchfacts import TorchFacts, available, load
from compilelint.torchfacts.explanations import callables_in
from compilelint.trace.advice import advice_for
from compilelint.trace.cause import Cause, Kind, Trace
from compilelint.trace.checkout import Checkout, Here
from compilelint.trace.compare import changes
from compilelint.trace.entry import Change, Entry, TraceReport
from compilelint.trace.gather import gathered, is_torch
from compilelint.trace.words import message_of, seconds, why_of

_LINES_OF_A_FINDING = 3
_MOST_LINTED = 40  # files in which causes stand that are linted without being asked
_AT_FRAMES = (
    Kind.RECOMPILE,
    Kind.LIMIT,
    Kind.CACHE,
    Kind.CUDA_GRAPH,
)  # placed where a function begins, without its line
_EFFECT = {
    Kind.BREAK: Effect.GRAPH_BREAK,
    Kind.RECOMPILE: Effect.RECOMPILE,
    Kind.LIMIT: Effect.RECOMPILE,
    Kind.CUDA_GRAPH: Effect.CUDAGRAPH,
    Kind.ERROR: Effect.ERROR,
    Kind.CACHE: Effect.SLOW,
}


def read_trace(paths: Sequence[str], *, may_be_silent: bool = False) -> Trace:
    """The trace of one run. Raises UsageError where a path holds none, unless a run that logs nothing is meant, too."""
    for path in paths:
        try:
            yielded = gathered([path]) if len(paths) == 1 else None
        except NotReadError as error:
            raise UsageError(f"cannot read the log: {error.message}", path, _HINT) from error
        if yielded is not None:
            return yielded if may_be_silent else _not_empty(yielded, path)
    try:
        trace = gathered(paths)
    except NotReadError as error:
        raise UsageError(f"cannot read the log: {error.message}", ", ".join(paths), _HINT) from error
    return trace if may_be_silent else _not_empty(trace, ", ".join(paths))


_HINT = "name what TORCH_TRACE=DIR wrote, a tl_out folder, or the output of TORCH_LOGS"


def _not_empty(trace: Trace, path: str) -> Trace:
    if not trace.records and not trace.messages:
        raise UsageError("no line of torch's logs is in it", path, _HINT)
    return trace


def traced(paths: Sequence[str], checkout: str, against: Sequence[str] = ()) -> TraceReport:
    """A run's logs as they are reported. Raises UsageError."""
    if not os.path.isdir(checkout):
        raise UsageError("no such folder", checkout, "name the folder that holds the job's source")
    # A text log of a job that is cured has no line of torch's: against an older one it says that all is gone
    trace = read_trace(paths, may_be_silent=bool(against))
    placed = entries_of(trace, checkout)
    old = read_trace(against) if against else None
    return TraceReport(
        trace,
        tuple(placed),
        os.path.abspath(checkout),
        changes=_changes(placed, old, checkout) if old is not None else None,
        against=old,
    )


def _changes(placed: Sequence[Entry], old: Trace, checkout: str) -> tuple[Change, ...]:
    """What changed since an older run; what is gone stands at its line of then, in the file that it is here."""
    files = Checkout(checkout)

    def with_file(one: Change) -> Change:
        place = one.entry.cause.place
        here = files.place(place.path, place.line)
        known = one.kind == "gone" and bool(here.path)
        return replace(one, entry=replace(one.entry, here=here._replace(line=place.line))) if known else one

    return tuple(map(with_file, changes(placed, old.causes)))


def reported(trace: Trace, checkout: str) -> TraceReport:
    """A trace that was gathered already, as it is reported."""
    return TraceReport(trace, tuple(entries_of(trace, checkout)), os.path.abspath(checkout))


# --------------------------------------------------------------------- entries


def entries_of(trace: Trace, checkout: str) -> list[Entry]:
    """Every cause with its line here, the rules about it, and what to write."""
    files = Checkout(checkout)
    facts = _facts(trace)
    rules = checks.rulebook().rules
    kept = _Classes(files)
    return [_entry(cause, files, kept, rules, facts) for cause in trace.causes]


def _facts(trace: Trace) -> TorchFacts:
    """What is known of the torch that wrote the log, or of the one nearest to it."""
    version = trace.torch[-1].partition("+")[0] if trace.torch else ""
    known = available()
    if version in known:
        return load(version)
    return load(next((one for one in known if one.rpartition(".")[0] == version.rpartition(".")[0]), known[-1]))


def _entry(cause: Cause, files: Checkout, classes: _Classes, rules: Sequence[Rule], facts: TorchFacts) -> Entry:
    code = _code_of(cause)
    begins = cause.place.function if cause.kind in _AT_FRAMES and not cause.resumed else ""
    here = files.place(cause.place.path, cause.place.line, code, begins)
    about = _rules_of(cause, rules, facts)
    instances = bool(here.path) and classes.is_set_once(here, cause)
    return Entry(
        cause,
        here,
        _called_from(cause, files) if not here.path else None,
        about,
        advice_for(cause),
        instances=instances,
        code=code or (_line(files, here) if here.path else ""),
    )


def _line(files: Checkout, here: Here) -> str:
    lines = files.lines(here.path)
    return lines[here.line - 1] if 0 < here.line <= len(lines) else ""


def _code_of(cause: Cause) -> str:
    """What the log says that the line reads."""
    failure = cause.failure
    if failure is not None and failure.place is not None and failure.place.line == cause.place.line:
        return failure.code
    for step, code in zip(reversed(cause.stack), reversed(cause.codes), strict=False):
        if (step.path, step.line) == (cause.place.path, cause.place.line):
            return code
    return ""


def _called_from(cause: Cause, files: Checkout) -> Step | None:
    """The innermost line of the way to it that is in this checkout."""
    for step, code in zip(reversed(cause.stack), reversed(cause.codes), strict=False):
        if is_torch(step.path):
            continue
        here = files.place(step.path, step.line, code)
        if here.path:
            return Step(here.path, here.line, step.function)
    return None


def _rules_of(cause: Cause, rules: Iterable[Rule], facts: TorchFacts) -> tuple[Rule, ...]:
    """The rules that are about a break of this id, or, where torch names what was called, about that.

    One id stands for many callables (`print` and `open` alike), of which a lint says more.
    """
    if cause.kind is not Kind.BREAK or not cause.break_id:
        return ()
    entry = facts.graph_break(cause.break_id)
    if entry is None:
        return ()
    called = (facts.callable(name) for name in callables_in(cause.explanation))
    reason = next((fact.reason for fact in called if fact is not None and fact.reason is not None), entry.reason)
    return tuple(one for one in rules if reason.value in one.breaks)


class _Classes:
    """Where attributes are set in the checkout's classes, a file parsed once."""

    def __init__(self, files: Checkout) -> None:
        self._files = files
        self._trees: dict[str, ast.Module | None] = {}

    def is_set_once(self, here: Here, cause: Cause) -> bool:
        """Whether the attribute of a failing guard is set only where the object is made: then objects differ in it."""
        failure = cause.failure
        if failure is None or cause.kind not in (Kind.RECOMPILE, Kind.LIMIT):
            return False
        if cause.of_parameter:
            return True
        head, _, name = failure.source.partition("L['self'].")
        if head or not name.isidentifier():
            return False
        around = self._class_around(here)
        return around is not None and _setters(around, name) == {"__init__"}

    def _class_around(self, here: Here) -> ast.ClassDef | None:
        if here.path not in self._trees:
            self._trees[here.path] = _parsed("\n".join(_with_indents(here.path)))
        tree = self._trees[here.path]
        if tree is None:
            return None
        around = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef) and node.lineno <= here.line <= (node.end_lineno or 0)
        ]
        return max(around, key=lambda node: node.lineno, default=None)


def _with_indents(path: str) -> list[str]:
    from compilelint.disk.read import read_bytes

    try:
        return read_bytes(path, 5_000_000).decode("utf-8", "replace").splitlines()
    except NotReadError:
        return []


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _setters(around: ast.ClassDef, name: str) -> set[str]:
    """The methods in which `self.NAME` is bound."""
    found = set()
    for method in around.body:
        if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for node in ast.walk(method):
                bound = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr == name
                if bound and isinstance(node.value, ast.Name) and node.value.id == "self":  # type: ignore[attr-defined]
                    found.add(method.name)
    return found


# ------------------------------------------------------------- join with a lint


def files_with_causes(report: TraceReport) -> tuple[str, ...]:
    """The files of the checkout that the causes stand in or were reached through, those of the first causes first."""
    found: dict[str, None] = {}
    for entry in report.entries:
        place = entry.here.path or (entry.called_from.path if entry.called_from is not None else "")
        if place and len(found) < _MOST_LINTED:
            found[place] = None
    return tuple(found)


def joined(report: TraceReport, lint: Report, *, whole: bool = True) -> TraceReport:
    """The report with the findings that speak of its causes, and, of a lint of the `whole` checkout, those that the run
    did not show. Which rule a line breaks is for the lint to say: a cause that has a finding has its rule.
    """
    entries = [_with_finding(one, lint.findings) for one in report.entries]
    spoken = {id(one.finding) for one in entries if one.finding is not None}
    judged = [one for one in lint.findings if _decidable(one)]
    return replace(
        report,
        entries=tuple(entries),
        unseen=tuple(one for one in judged if id(one) not in spoken) if whole else (),
        linted=whole,
    )


def _with_finding(entry: Entry, findings: Iterable[Finding]) -> Entry:
    found = _finding_for(entry, findings)
    return entry if found is None else replace(entry, finding=found, rules=(found.rule,))


def with_rewrites(report: TraceReport) -> TraceReport:
    """The report with the rewrites of the findings that it shows."""
    spoken = {id(one.finding): one.finding for one in report.entries if one.finding is not None}
    fixed = dict(zip(spoken, with_fixes(spoken.values()), strict=True))
    entries = (replace(one, finding=fixed.get(id(one.finding), one.finding)) for one in report.entries)
    return replace(report, entries=tuple(entries))


def _decidable(finding: Finding) -> bool:
    """Whether a log could show what a finding says."""
    return bool({Effect.GRAPH_BREAK, Effect.ERROR, Effect.RECOMPILE, Effect.CUDAGRAPH} & set(finding.effects))


def _finding_for(entry: Entry, findings: Iterable[Finding]) -> Finding | None:
    """The finding about the entry's line with its effect; of several the one with its id, else with its rule."""
    effect = _EFFECT[entry.cause.kind]
    wanted = {Effect.GRAPH_BREAK, Effect.ERROR} if effect is Effect.GRAPH_BREAK else {effect}
    found = [one for one in findings if wanted & set(one.effects) and _meets(one, entry)]
    codes = {rule.code for rule in entry.rules}

    def strangeness(one: Finding) -> tuple[bool, bool, int]:
        return entry.cause.break_id not in one.break_ids, one.rule.code not in codes, one.location.span.line

    return min(found, key=strangeness, default=None)


def _meets(finding: Finding, entry: Entry) -> bool:
    span, place = finding.location.span, entry.here if entry.here.path else entry.called_from
    if place is None or finding.location.path != place.path.replace(os.sep, "/"):
        return False
    last = min(span.end_line, span.line + _LINES_OF_A_FINDING - 1)
    return span.line <= place.line <= last


def with_trace(lint: Report, paths: Sequence[str]) -> tuple[Report, TraceReport]:
    """A lint's report with the verdicts of a run, and the findings that only the run has. Raises UsageError."""
    found = joined(traced(paths, lint.base), lint)
    name = ", ".join(os.path.basename(path.rstrip("/\\")) for path in paths)
    confirmed: dict[int, tuple[int, Entry]] = {}
    for place, entry in enumerate(found.entries, 1):
        if entry.finding is not None:
            confirmed.setdefault(id(entry.finding), (place, entry))
    judged = []
    for one in lint.findings:
        if id(one) in confirmed:
            place, entry = confirmed[id(one)]
            ids = (entry.cause.break_id,) if entry.cause.break_id else ()
            verdict = Verdict(Outcome.CONFIRMED, _times(entry.cause, name), (name,), ids, place)
            judged.append(replace(one, verdict=verdict))
        elif _decidable(one):
            judged.append(replace(one, verdict=Verdict(Outcome.NOT_REACHED, f"not seen in the run {name}", (name,))))
        else:
            judged.append(one)
    only = [
        finding_of(one, name, place)
        for place, one in enumerate(found.entries, 1)
        if one.finding is None and _own_place(one) is not None
    ]
    return replace(lint, findings=(*judged, *only)), found


def _times(cause: Cause, name: str) -> str:
    times = "once" if cause.count == 1 else f"{cause.count:,} times"
    lost = f", {seconds(cause.seconds)} of compiling" if cause.seconds else ""
    return f"seen {times} in the run {name}{lost}"


def _own_place(entry: Entry) -> Step | None:
    if entry.here.path:
        return Step(entry.here.path, entry.here.line, entry.cause.place.function)
    return entry.called_from


def finding_of(entry: Entry, name: str, number: int = 0) -> Finding:
    """What only a run has shown, as a finding, with its `number` in the log; at the job's own path where the line is
    not in the checkout.
    """
    cause = entry.cause
    place = _own_place(entry) or cause.place
    rule = entry.rules[0] if len(entry.rules) == 1 else _tool_rule(cause)
    line = max(place.line, 1)
    ids = (cause.break_id,) if cause.break_id else ()
    advice = entry.advice[0] if entry.advice else None
    help_ = "" if advice is None else f"{advice.text}: `{advice.paste}`" if advice.paste else advice.text
    return Finding(
        rule,
        message_of(entry),
        (_EFFECT[cause.kind],),
        Confidence.CERTAIN,
        Location(place.path.replace(os.sep, "/"), Span(line, 1, line, 2)),
        function=place.function,
        break_ids=ids,
        why=why_of(cause),
        help=help_ or (cause.hints[0] if cause.hints else ""),
        line_text=entry.code,
        skips_frame=cause.skips_frame,
        verdict=Verdict(Outcome.RUN_ONLY, _times(cause, name), (name,), ids, number),
    )


def _tool_rule(cause: Cause) -> Rule:
    return RUN_ONLY_RECOMPILE if _EFFECT[cause.kind] is Effect.RECOMPILE else RUN_ONLY_BREAK


def as_report(found: TraceReport, name: str) -> Report:
    """A run's causes as findings, for the formats that show findings."""
    findings = tuple(
        replace(one.finding, verdict=Verdict(Outcome.CONFIRMED, _times(one.cause, name), (name,)))
        if one.finding is not None
        else finding_of(one, name)
        for one in found.entries
        if one.cause.place.path
    )
    version = found.trace.torch[-1] if found.trace.torch else ""
    files = len({one.location.path for one in findings})
    return Report(
        findings, files, TorchTarget(version, "the one that wrote the log"), found.base, rules=checks.rulebook().rules
    )

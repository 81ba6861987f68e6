"""Joins the two witnesses: findings get verdicts, and what only the runs saw becomes findings of its own. Pure data.

A finding about breaks is **confirmed** where a run broke in its lines, **refuted** where runs traced its lines and
never broke there, **not reached** else. What a run saw speaks for the inputs it was given: a refuted finding may still
hold for others, so it is kept, as a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from compilelint.model import (
    CallSite,
    Confidence,
    Effect,
    Fate,
    Finding,
    LeftOut,
    Location,
    ObservedBreak,
    Outcome,
    Recompile,
    Rule,
    Span,
    Step,
    TargetRun,
    Verdict,
)
from compilelint.rulebook import DIVERGING_RESULT, RUN_ONLY_BREAK, RUN_ONLY_RECOMPILE, TARGET_NOT_RUN

# A finding over a long expression stands for its first lines; further down other statements may begin.
_LINES_OF_A_FINDING = 3
_BREAKING = frozenset({Effect.GRAPH_BREAK, Effect.ERROR})
_MOST_CHARACTERS = 600
_MOST_WORDS = 200
# How rules of state spell the guard that will fail, and the words that stand in guards of anything.
_NAMED_GUARD = re.compile(r"Dynamo guards `(.+?)`")
_NAME = re.compile(r"[A-Za-z_]\w*")
_IN_ANY_GUARD = frozenset("self not is in len type hasattr L G None True False".split())
_FRAME = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')
# What torch and CUDA say where a recording or a replay fails; `capture_scalar_outputs` is none of it.
_OF_CAPTURE = re.compile(r"stream ?captur|stream is capturing|during (?:\w+ ){0,3}capture|cuda ?graph", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Side:
    """One target's row where static and dynamic stand side by side.

    `predicted` of the run's breaks have a finding; `unpredicted` have none; `refuted` findings lie on lines that this
    target traced without a break.
    """

    run: TargetRun
    predicted: int
    unpredicted: int
    refuted: int


def join(findings: Sequence[Finding], runs: Sequence[TargetRun]) -> tuple[Finding, ...]:
    """The findings with their verdicts, then those that only the runs saw."""
    judged = tuple(replace(one, verdict=_verdict(one, runs)) for one in findings)
    return (*judged, *_only_seen(findings, runs))


def sides(findings: Iterable[Finding], runs: Sequence[TargetRun]) -> tuple[Side, ...]:
    """A row for each target, from joined findings."""
    static = [one for one in findings if one.rule.code != RUN_ONLY_BREAK.code and _is_breaking(one)]
    rows = []
    for run in runs:
        breaks = run.own_breaks
        predicted = sum(any(meets(one, seen) for one in static) for seen in breaks)
        traced = _traced([run])
        refuted = sum(
            one.verdict is not None and one.verdict.outcome is Outcome.REFUTED and _was_traced(one, traced)
            for one in static
        )
        rows.append(Side(run, predicted, len(breaks) - predicted, refuted))
    return tuple(rows)


# -------------------------------------------------------------------- verdicts


def meets(finding: Finding, seen: ObservedBreak) -> bool:
    """Whether a finding speaks of the statement that broke."""
    first, last = _line_span(finding)
    return finding.location.path == seen.path and first <= seen.end_line and last >= seen.first_line


def _line_span(finding: Finding) -> tuple[int, int]:
    span = finding.location.span
    return span.line, min(span.end_line, span.line + _LINES_OF_A_FINDING - 1)


def _is_breaking(finding: Finding) -> bool:
    return bool(_BREAKING & set(finding.effects)) and not _fails_recording(finding)


def _fails_recording(finding: Finding) -> bool:
    """Whether a finding says that recording or replaying a CUDA graph raises."""
    effects = set(finding.effects)
    return {Effect.ERROR, Effect.CUDAGRAPH} <= effects and Effect.GRAPH_BREAK not in effects


def _verdict(finding: Finding, runs: Sequence[TargetRun]) -> Verdict | None:
    """None for findings that no run can decide: costs that are no event, and the tool's own."""
    if not runs:
        return None
    recorded = [run for run in runs if run.cuda_graphs is not None]
    if _fails_recording(finding):
        return _of_failed_recording(finding, recorded) if recorded else None
    if _is_breaking(finding):
        return _of_break(finding, runs)
    if Effect.RECOMPILE in finding.effects:
        return _of_recompile(finding, runs)
    if Effect.WRONG_RESULT in finding.effects:
        return _of_result(finding, runs)
    if Effect.CUDAGRAPH in finding.effects and recorded:
        return _of_recording(finding, recorded)
    return None


def _of_break(finding: Finding, runs: Sequence[TargetRun]) -> Verdict:
    hits = [(run, seen) for run in runs for seen in run.breaks if not seen.after and meets(finding, seen)]
    if hits:
        targets = tuple(dict.fromkeys(run.target for run, _ in hits))
        ids = tuple(sorted({seen.break_id for _, seen in hits if seen.break_id}))
        detail = f"{hits[0][1].words} in {_listed(targets)}"
        return Verdict(Outcome.CONFIRMED, detail, targets, ids)
    tracing = tuple(run.target for run in runs if _was_traced(finding, _traced([run])))
    if not tracing:
        return _not_traced(runs)
    once = _reported_once(finding, runs)
    if once is not None:
        detail = f"line {once.line} breaks inside the same call of a library, which torch reports once"
        return Verdict(Outcome.NOT_REACHED, detail, tracing)
    if any(seen.after and meets(finding, seen) for run in runs for seen in run.breaks):
        return Verdict(Outcome.NOT_REACHED, "broke only because of an earlier break", tracing)
    return Verdict(Outcome.REFUTED, f"traced without a break in {_listed(tracing)}", tracing)


def _not_traced(runs: Sequence[TargetRun]) -> Verdict:
    """That no target traced a line; where none ran to its end, that nothing was run, and why."""
    unfinished = [run for run in runs if run.fate is not Fate.RAN]
    if unfinished and len(unfinished) == len(runs):
        fates = dict.fromkeys(_FATES.get(run.fate, run.fate.value.replace("-", " ")) for run in unfinished)
        return Verdict(Outcome.NOT_REACHED, f"not run: {_listed(list(fates))}")
    if unfinished:
        names = _listed([run.target for run in unfinished])
        return Verdict(Outcome.NOT_REACHED, f"no target that ran traced this line; not run: {names}")
    return Verdict(Outcome.NOT_REACHED, "no target traced this line")


_FATES = {Fate.TIME_LIMIT: "target timed out", Fate.MEMORY_LIMIT: "target ran out of memory"}


def _reported_once(finding: Finding, runs: Sequence[TargetRun]) -> ObservedBreak | None:
    """A break that another line of the finding's function has met inside of code that is not watched: where two lines
    lead to the same line of a library, torch reports the first alone.
    """
    own = finding.function.rpartition(".")[2]
    for run in runs:
        for seen in run.breaks:
            inner = seen.stack[-1] if seen.stack else None
            beyond = inner is not None and inner.path != seen.path
            same = seen.path == finding.location.path and seen.function.rpartition(".")[2] == own
            if beyond and same and (seen.break_id in finding.break_ids or not finding.break_ids):
                return seen
    return None


def _of_recompile(finding: Finding, runs: Sequence[TargetRun]) -> Verdict:
    hits = [run for run in runs for one in run.recompiles if _causes(finding, one, run)]
    if hits:
        targets = tuple(dict.fromkeys(run.target for run in hits))
        return Verdict(Outcome.CONFIRMED, f"recompiled in {_listed(targets)}", targets)
    tracing = tuple(run.target for run in runs if run.calls > 1 and _was_traced(finding, _traced([run])))
    if not tracing:
        return Verdict(Outcome.NOT_REACHED, "no target that was called more than once traced this line")
    return Verdict(Outcome.REFUTED, f"called again without recompiling in {_listed(tracing)}", tracing)


def _causes(finding: Finding, seen: Recompile, run: TargetRun) -> bool:
    """Whether the guard that failed was made in the finding's lines or reads what the finding names; where neither
    says, whether the run went through those lines of the same function.
    """
    inside = finding.location.path == seen.path and bool(finding.function) and finding.function == seen.function
    named = _NAMED_GUARD.search(finding.why)
    if inside and named and _names(named[1]) & _names(" ".join(seen.guards)):
        return True
    if seen.source is not None:
        first, last = _line_span(finding)
        return finding.location.path == seen.source.path and first <= seen.source.line <= last
    if named and (seen.guards or seen.cause != "state"):
        return False
    return inside and _was_traced(finding, _traced([run]))


def _names(guard: str) -> frozenset[str]:
    """The words of a guard that name what it reads."""
    return frozenset(_NAME.findall(guard)) - _IN_ANY_GUARD


def _of_result(finding: Finding, runs: Sequence[TargetRun]) -> Verdict:
    tracing = [run for run in runs if _was_traced(finding, _traced([run]))]
    apart = tuple(run.target for run in tracing if run.parity is not None and run.parity.divergences)
    if apart:
        return Verdict(Outcome.CONFIRMED, f"results differ in {_listed(apart)}, which traced this line", apart)
    if tracing:
        return Verdict(
            Outcome.NOT_REACHED, "traced, and results agreed on these inputs", tuple(r.target for r in tracing)
        )
    return _not_traced(runs)


def _of_recording(finding: Finding, runs: Sequence[TargetRun]) -> Verdict:
    """By what Inductor left out of CUDA graphs in the finding's lines, or elsewhere in its function."""
    for near in (_in_lines, _in_function):
        hits = [(run, one) for run in runs if run.cuda_graphs for one in run.cuda_graphs.left_out if near(finding, one)]
        if hits:
            targets = tuple(dict.fromkeys(run.target for run, _ in hits))
            where = "" if near is _in_lines else f" at line {hits[0][1].line}"
            detail = f"left out of CUDA graphs{where} in {_listed(targets)}: {hits[0][1].reason}"
            return Verdict(Outcome.CONFIRMED, detail, targets)
    return _of_what_was_recorded(finding, runs)


def _of_failed_recording(finding: Finding, runs: Sequence[TargetRun]) -> Verdict:
    """By the error that a recording or a replay raised: in the finding's function, or with no line that it names."""
    failed = [(run, run.cuda_graphs.error) for run in runs if run.cuda_graphs and run.cuda_graphs.error]
    failed = [(run, error) for run, error in failed if _was_traced(finding, _traced([run]))]
    for run, error in failed:
        if not _OF_CAPTURE.search(error):  # the model or the compiler fails for a reason of its own
            continue
        frames = _FRAME.findall(error)
        if any(_in_function(finding, LeftOut("", path, int(line), name)) for path, line, name in frames):
            detail = f"raises under CUDA graphs in {run.target}: {_first_words(error)}"
            return Verdict(Outcome.CONFIRMED, detail, (run.target,))
        if not frames:
            detail = f"capture fails in {run.target}, at a line that the error does not name: {_first_words(error)}"
            return Verdict(Outcome.CONFIRMED, detail, (run.target,))
    if failed:
        names = tuple(run.target for run, _ in failed)
        return Verdict(Outcome.NOT_REACHED, f"traced, but failed elsewhere: {_first_words(failed[0][1])}", names)
    return _of_what_was_recorded(finding, runs)


def _of_what_was_recorded(finding: Finding, runs: Sequence[TargetRun]) -> Verdict:
    tracing = [run for run in runs if run.calls > 1 and _was_traced(finding, _traced([run]))]
    ran = [run for run in tracing if run.fate is Fate.RAN and run.cuda_graphs and not run.cuda_graphs.error]
    whole = tuple(run.target for run in ran if run.cuda_graphs and run.cuda_graphs.whole)
    if whole:
        return Verdict(Outcome.REFUTED, f"recorded as CUDA graphs whole in {_listed(whole)}", whole)
    if ran:
        names = tuple(run.target for run in ran)
        some = any(run.cuda_graphs and run.cuda_graphs.left_out for run in ran)
        detail = "traced; what was left out of CUDA graphs is elsewhere" if some else "traced, but nothing was recorded"
        return Verdict(Outcome.NOT_REACHED, detail, names)
    if tracing:
        names = tuple(run.target for run in tracing)
        why = tracing[0].detail or (tracing[0].cuda_graphs.error if tracing[0].cuda_graphs else "")
        return Verdict(Outcome.NOT_REACHED, f"traced, but the run failed: {_first_words(why)}", names)
    return _not_traced(runs)


def _first_words(detail: str) -> str:
    return " ".join(detail.split())[:_MOST_WORDS]


def _in_lines(finding: Finding, seen: LeftOut) -> bool:
    first, last = _line_span(finding)
    return finding.location.path == seen.path and first <= seen.line <= last


def _in_function(finding: Finding, seen: LeftOut) -> bool:
    name = seen.function.rpartition(".")[2]
    own = finding.function.rpartition(".")[2] if finding.function else ""
    return finding.location.path == seen.path and bool(name) and own == name


def was_traced(finding: Finding, run: TargetRun) -> bool:
    """Whether Dynamo went through a finding's lines in this run."""
    return _was_traced(finding, _traced([run]))


def _traced(runs: Iterable[TargetRun]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = {}
    for run in runs:
        for path, lines in run.traced:
            found.setdefault(path, set()).update(lines)
    return found


def _was_traced(finding: Finding, traced: dict[str, set[int]]) -> bool:
    first, last = _line_span(finding)
    return not traced.get(finding.location.path, set()).isdisjoint(range(first, last + 1))


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return f"{shown} and {len(names) - 3} more" if len(names) > 3 else shown


# ------------------------------------------------------------ only seen at run


def _only_seen(findings: Sequence[Finding], runs: Sequence[TargetRun]) -> Iterator[Finding]:
    predicted = [one for one in findings if _is_breaking(one)]
    recompiling = [one for one in findings if Effect.RECOMPILE in one.effects]
    places: set[tuple[str, str, int]] = set()
    for run in runs:
        for seen in run.own_breaks:
            key = (RUN_ONLY_BREAK.code, seen.path, seen.first_line)
            if key not in places and not any(meets(one, seen) for one in predicted):
                places.add(key)
                yield _break(run, seen)
        for again in run.recompiles:
            place = again.source or Step(again.path, again.line, again.function)
            key = (RUN_ONLY_RECOMPILE.code, place.path, place.line)
            if (
                again.cause == "state"
                and key not in places
                and not any(_causes(one, again, run) for one in recompiling)
            ):
                places.add(key)
                yield _recompile(run, again, place)
        yield from _about(run)


def _found(
    rule: Rule, run: TargetRun, place: Step, message: str, effects: tuple[Effect, ...], why: str, help_: str = ""
) -> Finding:
    line = max(place.line, 1)
    return Finding(
        rule,
        message,
        effects,
        Confidence.CERTAIN,
        Location(place.path, Span(line, 1, line, 2)),
        function=place.function,
        roots=(run.target,),
        why=why,
        help=help_,
        verdict=Verdict(Outcome.RUN_ONLY, f"seen in a run of {run.target}", (run.target,)),
    )


def _break(run: TargetRun, seen: ObservedBreak) -> Finding:
    text = " ".join(part.strip() for part in seen.explanation.splitlines()[1:3]).strip()
    where = Step(seen.path, seen.line, seen.function)
    found = _found(RUN_ONLY_BREAK, run, where, f"graph break: {seen.words}", (Effect.GRAPH_BREAK,), text)
    chain = tuple(CallSite(Location(one.path, Span(one.line, 1, one.line, 2)), one.function) for one in seen.stack)
    own = tuple(one for one in chain if one.location.path != seen.path or one.location.span.line != seen.line)
    ids = (seen.break_id,) if seen.break_id else ()
    return replace(found, call_chain=own[:4], break_ids=ids, verdict=replace(_run_only(run), break_ids=ids))


def _run_only(run: TargetRun) -> Verdict:
    return Verdict(Outcome.RUN_ONLY, f"seen in a run of {run.target}", (run.target,))


def _recompile(run: TargetRun, again: Recompile, place: Step) -> Finding:
    guard = again.guards[0] if again.guards else "a guard failed"
    same = [one for one in run.recompiles if one.path == again.path and one.line == again.line]
    instances = len({one.instance for one in same} - {0})
    message = f"`{again.function}` recompiles: {guard}"
    why = f"Recompiled {len(same)} times in {run.calls} calls, because state that the code keeps has changed."
    help_ = "keep what changes in a tensor, or set it before the first call"
    if instances > 1:  # the first one of all was compiled, not recompiled
        why = (
            f"{instances} or more module instances share this code, and Dynamo guards what each of them holds: "
            f"recompiled {len(same)} times in {run.calls} calls."
        )
        help_ = "compile the module that holds them all, or make what differs between them a tensor"
    return _found(RUN_ONLY_RECOMPILE, run, place, message, (Effect.RECOMPILE,), why, help_)


def _about(run: TargetRun) -> Iterator[Finding]:
    """What is wrong with a target as a whole."""
    place = run.place or Step("", 1, "")
    for limit in run.limits:
        where = Step(limit.path, limit.line, limit.function) if limit.path else place
        text = "From here on it runs uncompiled."
        message = f"`{limit.function or run.target}` hit the recompile limit"
        yield _found(RUN_ONLY_RECOMPILE, run, where, message, (Effect.RECOMPILE,), text)
    if run.fate is Fate.COMPILE_ERROR:
        first, _, rest = run.detail.partition("\n")
        message = f"compiling {run.target} fails where eager runs: {first}"
        yield _found(DIVERGING_RESULT, run, place, message, (Effect.ERROR,), rest.strip()[:_MOST_CHARACTERS])
    elif run.fate not in (Fate.RAN, Fate.NO_ANSWER):  # which says nothing about the target
        first, _, rest = run.detail.partition("\n")
        message = f"target {run.target} was not run ({run.fate.value}): {first}"
        found = _found(TARGET_NOT_RUN, run, place, message, (Effect.TOOL,), rest.strip()[:_MOST_CHARACTERS])
        tried = Verdict(Outcome.RUN_ONLY, f"shown by trying to run {run.target}", (run.target,))
        yield replace(found, verdict=tried, roots=())  # nothing was reached
    if run.parity is not None and run.parity.divergences:
        first_one, *others = run.parity.divergences
        effect = Effect.ERROR if first_one.kind == "exception" else Effect.WRONG_RESULT
        message = f"{first_one.name} differs between eager and compiled in call {first_one.call + 1}: {first_one.text}"
        more = "; ".join(f"{one.name}: {one.text}" for one in others[:3])
        why = f"Also: {more}." if more else "Same weights, same inputs, same seed; only compiling differs."
        yield _found(DIVERGING_RESULT, run, place, message, (effect,), why)


def without_places(findings: Iterable[Finding], where: str) -> Iterator[Finding]:
    """Findings of targets whose code could not be found are charged to the file that names them."""
    for one in findings:
        yield one if one.location.path else replace(one, location=Location(where, Span(1, 1, 1, 2)))

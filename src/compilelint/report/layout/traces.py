"""A run's log in words, the same in every format: headline, facts of an entry, what else the run shows."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.model import Safety, Step
from compilelint.report.layout.text import counted, escaped, pasted_path, shown_path
from compilelint.trace.cause import Cause, Divergence, Kind, Trace
from compilelint.trace.entry import Change, Entry, TraceReport
from compilelint.trace.words import message_of, seconds

_MOST_RANKS = 6
# Hints of Dynamo's that name nothing to write.
_SAYS_NOTHING = (
    "This graph break is fundamental",
    "Please report an issue",
    "It may be possible to write Dynamo tracing",
)


def headline(report: TraceReport) -> str:
    """What the run came to, in one line."""
    trace = report.trace
    kinds = {kind: sum(one.count for one in trace.causes if one.kind is kind) for kind in Kind}
    parts = [f"{counted(kinds[Kind.BREAK], 'graph break')}", f"{counted(kinds[Kind.RECOMPILE], 'recompile')}"]
    if kinds[Kind.LIMIT]:
        parts.append(f"{counted(kinds[Kind.LIMIT], 'frame')} eager after the limit")
    if kinds[Kind.ERROR]:
        parts.append(f"{counted(kinds[Kind.ERROR], 'failed compile')}")
    found = ", ".join(parts)
    if trace.compiles:
        found += f" in {counted(trace.compiles, 'compile')} of {seconds(trace.seconds)}"
    return found


def sources(report: TraceReport) -> Iterator[str]:
    """What was read, and what of it could not be."""
    trace = report.trace
    torch = f"torch {', '.join(trace.torch)}" if trace.torch else "an unknown torch"
    ranks = f", {len(trace.ranks)} ranks" if len(trace.ranks) > 1 else ""
    if trace.files:  # a run that was watched has none
        yield f"read {counted(trace.files, 'file')}{ranks}, {trace.lines:,} lines, written by {torch}"
    if trace.damaged:
        yield f"{counted(trace.damaged, 'record')} could not be read and were left out"
    if trace.left_out:
        yield f"{trace.left_out:,} events of further causes are not shown"
    if not trace.structured:
        yield "TORCH_LOGS text has no seconds and shows a break once; set TORCH_TRACE=DIR for the rest"


def costs(trace: Trace) -> Iterator[tuple[str, str]]:
    """Where the compile time went."""
    if not trace.compiles:
        return
    yield "first compiles", seconds(trace.first_seconds)
    yield "compiles repeated", seconds(trace.again_seconds)
    if trace.backward_seconds:
        yield "backward graphs", seconds(trace.backward_seconds)
    broken = sum(one.seconds for one in trace.causes if one.kind is Kind.BREAK)
    if broken:
        yield "of these, because of graph breaks", seconds(broken)
    yield "graphs in use", f"{trace.graphs:,}"
    for cache in trace.caches:
        bypassed = f", {cache.bypasses:,} bypassed" if cache.bypasses else ""
        yield f"cache {cache.cache}", f"{cache.hits:,} hits, {cache.misses:,} misses{bypassed}"


def facts(entry: Entry) -> Iterator[tuple[str, str]]:
    """What is known of an entry beside its headline: name and text."""
    cause = entry.cause
    yield "seen", _seen(cause)
    if cause.seconds:
        cold = f"{seconds(cause.cold)} cold" if cause.cold else ""
        again = f"{seconds(cause.again)} again" if cause.again else ""
        graphs = f", {counted(cause.graphs, 'graph')}" if cause.graphs else ""
        yield "compile time", " and ".join(filter(None, (cold, again))) + graphs
    if cause.limit:
        yield "limit reached", "it runs eagerly from there on"
    if entry.instances:
        yield "instances", "what differs is set where the object is made: several objects share this code"
    where = placed_words(entry)
    if where:
        yield "place", where
    if cause.others:
        yield "also", "; ".join(cause.others[:3])
    if entry.finding is not None:
        code = entry.finding.rule.code
        yield "lint", f"confirmed: {code} {entry.finding.message} (`compilelint rule {code}`)"


def _seen(cause: Cause) -> str:
    times = "once" if cause.count == 1 else f"{cause.count:,} times"
    frames = f" in {cause.frame_count:,} frames" if cause.frame_count > 1 else ""
    ranks = f" on {_ranks(cause.ranks)}" if len(cause.ranks) > 1 else ""
    return f"{times}{frames}{ranks}"


def _ranks(ranks: tuple[int, ...]) -> str:
    shown = ", ".join(map(str, ranks[:_MOST_RANKS]))
    return f"ranks {shown}" + (f" and {len(ranks) - _MOST_RANKS} more" if len(ranks) > _MOST_RANKS else "")


def placed_words(entry: Entry) -> str:
    """How the line was found here, where that is not plain."""
    cause, here = entry.cause, entry.here
    job = f"{cause.place.path}:{cause.place.line}" if cause.place.path else ""
    if here.match == "moved":
        return f"moved here by its text from line {cause.place.line} of the job's file"
    if here.match == "changed":
        return f"the line reads otherwise here; the job ran {job}"
    if here.match == "ambiguous":
        return "several files of this checkout end like the job's path"
    if here.match == "elsewhere" and entry.called_from is not None:
        return f"not in this checkout; called from {place_words(entry.called_from)}"
    if here.match == "elsewhere" and job:
        return "not in this checkout"
    return ""


def place_words(step: Step) -> str:
    """`src/net.py:12`."""
    return f"{escaped(shown_path(step.path))}:{step.line}" if step.path else "an unnamed frame"


def remedies(entry: Entry) -> Iterator[tuple[str, str]]:
    """What to write: a text, and what to paste (may be empty). A lint's own help comes first, then its rewrite."""
    finding = entry.finding
    if finding is not None and finding.help:
        yield finding.help, ""
    if finding is not None and finding.fix is not None:
        unsafe = "" if finding.fix.safety is Safety.SAFE else " --unsafe-fixes"
        path = pasted_path(finding.location.path)
        yield f"or have it rewritten: {finding.fix.title}", f"compilelint check {path}{unsafe} --diff"
    yield from entry.advice
    for rule in () if finding is not None else entry.rules[:2]:
        about = f"{rule.code} {rule.name}: {rule.summary}"
        yield f"{about}; its page shows what to write instead", f"compilelint rule {rule.code}"
    if not entry.advice and entry.finding is None:
        hints = [hint for hint in entry.cause.hints if not hint.startswith(_SAYS_NOTHING)]
        yield from ((hint, "") for hint in hints[: 1 if entry.rules else 2])


def divergence_words(one: Divergence) -> str:
    """Where a rank goes another way."""
    if one.place is not None and one.place == one.other_place:
        where = f"`{one.place.function}` ({place_words(one.place)})"
        return (
            f"rank {one.rank} differs from rank {one.other} at compile {one.number}: {where} has "
            f"{counted(one.ops, 'operation')}, {one.other_ops} on rank {one.other}"
        )
    other = (
        "nothing more" if one.other_place is None else f"`{one.other_place.function}` ({place_words(one.other_place)})"
    )
    own = (
        "compiles nothing more" if one.place is None else f"compiles `{one.place.function}` ({place_words(one.place)})"
    )
    return f"rank {one.rank} differs from rank {one.other} at compile {one.number}: it {own}, rank {one.other} {other}"


def change_words(change: Change) -> str:
    """What became of a cause since the older run."""
    place = place_words(change.entry.place)
    text = f"{change.kind}: {place}: {message_of(change.entry)}"
    old, new = change.old, change.entry.cause
    if change.kind in ("more", "less") and old is not None:
        text += f" ({old.count:,} before, {new.count:,} now"
        text += f"; {seconds(old.seconds)} before, {seconds(new.seconds)} now)" if old.seconds or new.seconds else ")"
    return text

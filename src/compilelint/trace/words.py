"""What a cause of a run's log is called, in one line and in a sentence."""

from __future__ import annotations

from compilelint.trace.cause import Cause, Kind
from compilelint.trace.entry import Entry
from compilelint.trace.guards import spoken_source


def message_of(entry: Entry) -> str:
    """The headline of an entry."""
    cause = entry.cause
    if cause.kind is Kind.BREAK:
        return f"{'frame not compiled' if cause.skips_frame else 'graph break'}: {cause.words or 'no reason is given'}"
    if cause.kind is Kind.RECOMPILE:
        return f"`{_function(cause)}` is recompiled: {guard_words(cause)}"
    if cause.kind is Kind.LIMIT:
        name = cause.words if cause.words.endswith("limit") else "recompile_limit"
        return f"`{_function(cause)}` runs eagerly: it hit {name}{f' ({cause.limit})' if cause.limit else ''}"
    if cause.kind is Kind.CUDA_GRAPH:
        return f"left out of CUDA graphs: {cause.words}"
    if cause.kind is Kind.CACHE:
        return f"a compiled graph is not taken from the cache: {cause.words}"
    return f"compiling fails: {cause.words}"


def _function(cause: Cause) -> str:
    return cause.frames[0] if cause.frames else cause.place.function or "a function"


def guard_words(cause: Cause) -> str:
    """What differed, with the values that came."""
    failure = cause.failure
    if failure is None:
        return cause.words
    name = spoken_source(failure.source)
    values = ", ".join(cause.values[:8]) + (", ..." if len(cause.values) > 8 else "")
    if failure.kind in ("size", "stride") and failure.dimension >= 0:
        return f"{failure.kind} {failure.dimension} of `{name}` was {values}"
    if failure.kind in ("dtype", "rank", "device", "requires-grad", "type", "dispatch-keys"):
        what = {"requires-grad": "`requires_grad`", "rank": "number of dimensions", "type": "type"}.get(
            failure.kind, failure.kind.replace("-", " ")
        )
        return f"{what} of `{name}` was {values}"
    if failure.kind == "value":
        return f"`{name}` was {values}"
    if failure.kind == "length" and values:
        return f"the length of `{name}` was {values}"
    if failure.kind == "global-state":
        return f"global state changed ({failure.actual or failure.expected})"
    return failure.text or cause.words


def why_of(cause: Cause) -> str:
    """What it cost, and why torch did so."""
    parts = []
    if cause.seconds:
        parts.append(f"It cost {seconds(cause.seconds)} of compiling.")
    if cause.limit:
        parts.append("From there on it runs uncompiled.")
    if cause.explanation:
        parts.append(" ".join(cause.explanation.split()))
    return " ".join(parts)


def seconds(value: float) -> str:
    """`0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`."""
    if value < 0.95:
        return f"{value:.2f} s"
    if value < 10:
        return f"{value:.1f} s"
    if value < 120:
        return f"{value:.0f} s"
    minutes = int(value // 60)
    return f"{minutes} min {int(value % 60)} s" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"

"""A run's log as JSON: causes in their order, with everything that is known of each; paths of the job beside ours."""

from __future__ import annotations

import json
from typing import Any

from compilelint import __version__
from compilelint.model import Finding, Step
from compilelint.report.layout.text import json_text
from compilelint.trace.cause import Cause, Divergence, Trace
from compilelint.trace.entry import Change, Entry, TraceReport
from compilelint.trace.guards import Failure
from compilelint.trace.words import message_of

SCHEMA_VERSION = 1


def trace_json(report: TraceReport) -> str:
    """`{"schema_version", "tool", "run", "causes": [...], ...}`; times in seconds."""
    return json_text(json.dumps(trace_data(report), indent=1, ensure_ascii=True, allow_nan=False)) + "\n"


def trace_data(report: TraceReport) -> dict[str, Any]:
    """The document as data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "compilelint", "version": __version__},
        "run": _run(report.trace),
        "causes": [entry_data(one) for one in report.entries],
        "divergences": [_divergence(one) for one in report.trace.divergences],
        "linted": report.linted,
        "not_seen": [_finding(one) for one in report.unseen],
        "changes": None if report.changes is None else [_change(one) for one in report.changes],
    }


def _run(trace: Trace) -> dict[str, Any]:
    return {
        "torch": list(trace.torch),
        "ranks": list(trace.ranks),
        "files": trace.files,
        "lines": trace.lines,
        "records": trace.records,
        "messages": trace.messages,
        "damaged": trace.damaged,
        "left_out": trace.left_out,
        "compiles": trace.compiles,
        "graphs": trace.graphs,
        "seconds": {
            "first": round(trace.first_seconds, 6),
            "again": round(trace.again_seconds, 6),
            "backward": round(trace.backward_seconds, 6),
        },
        "caches": [one._asdict() for one in trace.caches],
    }


def entry_data(entry: Entry) -> dict[str, Any]:
    """One cause."""
    cause = entry.cause
    return {
        "kind": cause.kind.value,
        "message": message_of(entry),
        "path": entry.here.path or None,
        "line": entry.here.line if entry.here.path else None,
        "match": entry.here.match,
        "job": _step(cause.place),
        "called_from": None if entry.called_from is None else _step(entry.called_from),
        "code": entry.code,
        "break_id": cause.break_id,
        "words": cause.words,
        "explanation": cause.explanation,
        "hints": list(cause.hints),
        "skips_frame": cause.skips_frame,
        "count": cause.count,
        "ranks": list(cause.ranks),
        "frames": list(cause.frames),
        "frame_count": cause.frame_count,
        "seconds": {"cold": round(cause.cold, 6), "again": round(cause.again, 6)},
        "graphs": cause.graphs,
        "limit": cause.limit,
        "guard": None if cause.failure is None else _guard(cause, cause.failure),
        "instances": entry.instances,
        "stack": [_step(one) for one in cause.stack],
        "rules": [rule.code for rule in entry.rules],
        "write": [one._asdict() for one in entry.advice],
        "finding": None if entry.finding is None else _finding(entry.finding),
    }


def _guard(cause: Cause, failure: Failure) -> dict[str, Any]:
    return {
        "kind": failure.kind,
        "source": failure.source,
        "dimension": None if failure.dimension < 0 else failure.dimension,
        "values": list(cause.values),
        "text": failure.text,
        "others": list(cause.others),
    }


def _step(step: Step) -> dict[str, Any]:
    return {"path": step.path, "line": step.line, "function": step.function}


def _finding(one: Finding) -> dict[str, Any]:
    return {
        "code": one.rule.code,
        "path": one.location.path,
        "line": one.location.span.line,
        "message": one.message,
        "help": one.help,
    }


def _divergence(one: Divergence) -> dict[str, Any]:
    return {
        "rank": one.rank,
        "other": one.other,
        "compile": one.number,
        "place": None if one.place is None else _step(one.place),
        "operations": one.ops,
        "other_operations": one.other_ops,
        "other_place": None if one.other_place is None else _step(one.other_place),
    }


def _change(one: Change) -> dict[str, Any]:
    old = one.old
    return {
        "kind": one.kind,
        "cause": entry_data(one.entry),
        "old": None if old is None else {"count": old.count, "seconds": round(old.seconds, 6), "line": old.place.line},
    }

"""The tools `trace` and `reproduce`: what a run that is over shows, and the smallest script that shows it again.

`trace` only reads: logs and a checkout in folders of the server. `reproduce` runs code, as `verify` does, and is there
only where that is. Answers are bounded, and texts of logs and scripts in them are data.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Sequence

from pydantic import BaseModel, Field

from compilelint.mcp.answers import MOST_CHARACTERS, clipped
from compilelint.mcp.confined import RefusedError, Roots
from compilelint.mcp.proof import home_of, ran
from compilelint.mcp.tools import report_on
from compilelint.report.layout.text import escaped
from compilelint.report.layout.traces import change_words, divergence_words, headline, remedies, sources
from compilelint.session.commands.trace import files_with_causes, joined, traced, with_rewrites
from compilelint.session.own_process import command_of
from compilelint.trace.entry import Entry
from compilelint.trace.words import message_of

_MOST_LINES = 20
_MOST_SCRIPT = 20_000
_AROUND = 120  # seconds for what is not the reduction: starting, the target's own run


class TraceCause(BaseModel):
    """One reason at one line, and what it cost."""

    kind: str = Field(description="break, recompile, limit, error, cuda-graph or cache")
    path: str
    line: int
    match: str = Field(description="same, moved, changed, unchecked, ambiguous or elsewhere (not in this checkout)")
    message: str
    break_id: str
    count: int
    seconds: float = Field(description="spent on compiling because of it")
    graphs: int
    values: list[str] = Field(description="what the value of the failing guard was, one after the other")
    write: list[str] = Field(description="what to write instead; a line to paste where there is one")
    rules: list[str]


class TraceAnswer(BaseModel):
    """What a run's logs come to, most expensive cause first."""

    headline: str
    read: list[str]
    total: int
    next_offset: int | None = Field(description="ask again with this offset for the next causes")
    causes: list[TraceCause]
    ranks_differ: list[str]
    changes: list[str] = Field(description="what changed since the older run")


class ReproduceAnswer(BaseModel):
    """A stand-alone script, or why there is none."""

    script: str
    lines: int
    said: str


def read_logs(roots: Roots, named: Sequence[str], against: Sequence[str], offset: int, limit: int) -> TraceAnswer:
    """What `trace` answers. Raises RefusedError and UsageError."""
    if not named:
        raise RefusedError("name what TORCH_TRACE=DIR wrote, or the output of TORCH_LOGS")
    found = traced(roots.paths(named), roots.folders[0], roots.paths(against) if against else ())
    if files := files_with_causes(found):
        found = with_rewrites(joined(found, report_on(roots, files), whole=False))
    shown: list[TraceCause] = []
    size = 0
    for entry in found.entries[offset : offset + limit]:
        made = _cause(entry, roots)
        size += len(made.model_dump_json())
        if shown and size > MOST_CHARACTERS:
            break
        shown.append(made)
    after = offset + len(shown)
    return TraceAnswer(
        headline=headline(found),
        read=[_word(line) for line in sources(found)],
        total=len(found.entries),
        next_offset=after if after < len(found.entries) else None,
        causes=shown,
        ranks_differ=[_word(divergence_words(one)) for one in found.trace.divergences[:_MOST_LINES]],
        changes=[_word(change_words(one)) for one in (found.changes or ())[:_MOST_LINES]],
    )


def _cause(entry: Entry, roots: Roots) -> TraceCause:
    cause = entry.cause
    write = [f"{text}: {paste}" if paste else text for text, paste in remedies(entry)]
    return TraceCause(
        kind=cause.kind.value,
        path=_word(roots.shown(entry.here.path) if entry.here.path else cause.place.path),
        line=entry.place.line,
        match=entry.here.match,
        message=_word(message_of(entry)),
        break_id=cause.break_id,
        count=cause.count,
        seconds=round(cause.seconds, 3),
        graphs=cause.graphs,
        values=[_word(one) for one in cause.values],
        write=[_word(one) for one in write[:5]],
        rules=[rule.code for rule in entry.rules],
    )


def reproduced(
    roots: Roots,
    python: str,
    target: str,
    inputs: Sequence[str],
    at: str,
    break_id: str,
    seconds: int,
    stopped: threading.Event,
) -> ReproduceAnswer:
    """What `reproduce` answers. Raises RefusedError."""
    folder, search = home_of(roots, target, inputs)
    with tempfile.TemporaryDirectory() as scratch:
        script = os.path.join(scratch, "reproducer.py")
        words = [f"--input={one}" for one in inputs] + [f"--path={one}" for one in search]
        if at:
            path, _, line = at.rpartition(":")
            words.append(f"--at={roots.path(path)}:{line}")
        words += [f"--id={break_id}"] if break_id else []
        limits = [f"--seconds={seconds}", f"--python={python}", f"--output={script}"]
        command = command_of(["reproduce", *words, *limits, "--", target], ends_with_us=True)
        said = ran(command, folder, seconds + _AROUND, stopped)
        try:
            with open(script, encoding="utf-8", errors="replace") as file:
                text = file.read(_MOST_SCRIPT + 1)
        except OSError:
            text = ""
    code = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return ReproduceAnswer(script=clipped(text, _MOST_SCRIPT), lines=len(code), said=said)


def _word(text: str) -> str:
    return clipped(escaped(" ".join(text.split())), 600)

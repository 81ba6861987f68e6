"""Targets and graph strips as the HTML report shows them: readiness, what ran, and the strip of each function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from compilelint.model import Fate, Location, Span, TargetRun
from compilelint.report.layout.findings_html import Findings
from compilelint.report.layout.strips import Strip, observed
from compilelint.report.layout.templating import Shown
from compilelint.report.layout.text import counted

View = dict[str, Any]


def target_view(run: TargetRun) -> View:
    """A row of the table; `result` is what came of the comparison with eager code."""
    view: View = {"name": run.target, "ran": run.fate in (Fate.RAN, Fate.COMPILE_ERROR)}
    if not view["ran"]:
        return view | {"why_not": f"{run.fate.value}: {_first(run.detail)}"}
    parity = run.parity
    result = "not compared" if parity is None else "unknown" if parity.unknown else "yes"
    return view | {
        "graphs": run.graphs,
        "breaks": len(run.own_breaks),
        "recompiles": f"{len(run.recompiles)}{', then eager' if run.limits else ''}",
        "result": result,
        "differs": parity.divergences[0].name if parity is not None and parity.divergences else "",
        "seconds": f"{run.compile_seconds:.1f} s",
        "kept": run.within_budget,
    }


def run_view(run: TargetRun, findings: Findings) -> View:
    """What Dynamo did with a target, function by function."""
    strips, others = observed(run)
    graphs = f"{counted(run.graphs, 'graph')} of {counted(sum(run.ops), 'operation')} in {counted(run.calls, 'call')}"
    return {
        "name": run.target,
        "inputs": f"Called with {', '.join(run.inputs)} ({run.inputs_from})." if run.inputs else "",
        "graphs": f"Dynamo made {graphs}." if run.graphs else "",
        "strips": [strip_view(strip, findings) for strip in strips],
        "others": f"{counted(others, 'function')} more without a graph break." if others else "",
        "skipped": [
            (frame.function, _at(findings, frame.path, frame.line), _first(frame.reason)) for frame in run.skipped
        ],
        "recompiles": [
            {
                "call": again.call + 1,
                "function": again.function,
                "place": _at(findings, again.path, again.line),
                "cause": again.cause,
                "guard": _first(again.guards[0] if again.guards else "a guard failed"),
            }
            for again in run.recompiles
        ],
        "limits": [(limit.function, _first(limit.text)) for limit in run.limits],
    }


def strip_view(strip: Strip, findings: Findings, words: str = "") -> View:
    """A function's lines in stretches; a break leads to its finding. `words` say what is expected of it."""
    return {
        "name": strip.name,
        "words": words,
        "root": findings.root(strip.name),
        "place": findings.place_of(strip.path),
        "stretches": [
            {
                "kind": one.kind,
                "part": one.part,
                "lines": _ranges(one.lines),
                "note": _first(one.note),
                "card": findings.anchor(strip.path, one.lines[0]) if one.kind == "break" else None,
            }
            for one in strip.stretches
        ],
    }


def _at(findings: Findings, path: str, line: int) -> tuple[Shown, str]:
    """A line of a file; without a column, as a run knows none."""
    _, address = findings.place(Location(path, Span(line, 1, line, 1)))
    return Shown(f"{findings.place_of(path)}:{line}"), address


def _first(text: str) -> str:
    return text.strip().partition("\n")[0]


def _ranges(lines: Sequence[int]) -> str:
    """`line 7`, `lines 7, 13 to 15`."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    numbers = ", ".join(f"{first}" if first == last else f"{first} to {last}" for first, last in runs)
    return f"line{'' if len(lines) == 1 else 's'} {numbers}"

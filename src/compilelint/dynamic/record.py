"""Runs as recorded cases: a JSON object a target, in the format that `score` and `benchmarks/truth` read.

File names are relative to the folder of the target's outermost package, so that a record outlives the machine.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any

from compilelint.dynamic.observations import top_folder
from compilelint.model import Fate, ObservedBreak, Recompile, TargetRun

_SECONDARY = {"comprehension": "comprehension-root", "recompile-limit": "recompile-limit", "constructor": "init-root"}


def record(runs: Iterable[TargetRun]) -> str:
    """JSON lines, one for each target that ran; the others say nothing about any line."""
    return "".join(json.dumps(case_of(run)) + "\n" for run in runs if run.fate is Fate.RAN and run.place is not None)


def root_of(run: TargetRun) -> str:
    """The folder that a run's file names are relative to: the one around the target's outermost package."""
    if run.place is None:
        return ""
    home = top_folder(run.place.path).rstrip("/")
    return os.path.dirname(home) if os.path.exists(f"{home}/__init__.py") else home


def case_of(run: TargetRun) -> dict[str, Any]:
    """One target's run as a case; files outside the root are left out."""
    root = root_of(run)
    inside = f"{root}/"
    library = run.place.path.removeprefix(inside).partition("/")[0].removesuffix(".py") if run.place else ""
    return {
        "case": f"{run.target}/{run.mode}",
        "library": library,
        "torch": run.torch,
        "mode": run.mode,
        "inputs": list(run.inputs),
        "traced_lines": {
            path.removeprefix(inside): list(lines) for path, lines in run.traced if path.startswith(inside)
        },
        "breaks": [_break(one, inside) for one in run.breaks if one.path.startswith(inside)],
        "recompiles": [_recompile(one, inside) for one in run.recompiles if one.path.startswith(inside)],
    }


def _break(one: ObservedBreak, inside: str) -> dict[str, Any]:
    return {
        "file": one.path.removeprefix(inside),
        "line": one.line,
        "function": one.function,
        "span": [one.first_line, one.end_line],
        "gb": one.break_id or None,
        "gb_type": one.words,
        "kind": "skip_frame" if one.skips_frame else "break",
        "secondary": _SECONDARY.get(one.after),
        "sample": one.call,
        "reason": one.explanation[:600],
        "stack": [[step.path.removeprefix(inside), step.line, step.function] for step in one.stack],
    }


def _recompile(one: Recompile, inside: str) -> dict[str, Any]:
    return {
        "file": one.path.removeprefix(inside),
        "function": one.function,
        "line": one.line,
        "reasons": list(one.guards),
        "cause": one.cause,
    }

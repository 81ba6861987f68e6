"""Accepted numbers of each target, in a file that is reviewed like a snapshot and that only improves.

Breaks, graphs and recompiles are held exactly; compile seconds and peak memory, which vary from run to run, with the
room that `SECONDS` and `MEGABYTES` give. A target that ran may not stop running.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from compilelint.disk.data import NotParsedError, json_of
from compilelint.disk.shape import misfit
from compilelint.model import Fate, TargetRun

Numbers = dict[str, Any]

SECONDS = (1.5, 1.0)
"""Compile seconds may grow by this factor and by these seconds before they are a regression."""

MEGABYTES = (1.25, 64.0)
"""Peak memory likewise, in MB."""

_EXACT = {"breaks": "graph breaks", "graphs": "graphs", "recompiles": "recompiles"}
_ROOM = {"compile_seconds": (SECONDS, "compile seconds"), "peak_memory": (MEGABYTES, "MB of memory")}


class NotAcceptedError(ValueError):
    """The file holds no accepted numbers; the text says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs beside accepted numbers: a sentence for each regression and each improvement, and what is not accepted yet.

    `better` holds the numbers of the file with all that improved, and those of new targets.
    """

    regressions: tuple[str, ...]
    improvements: tuple[str, ...]
    new: tuple[str, ...]
    better: Mapping[str, Numbers]


def key_of(run: TargetRun) -> str:
    """What a target's numbers stand under: another mode compiles other code."""
    return run.target if run.mode == "eval" else f"{run.target} ({run.mode})"


def numbers_of(run: TargetRun) -> Numbers:
    """What is accepted of a run."""
    if run.fate is not Fate.RAN:
        return {"fate": run.fate.value}
    return {
        "fate": run.fate.value,
        "breaks": len(run.own_breaks),
        "graphs": run.graphs,
        "recompiles": len(run.recompiles),
        "compile_seconds": round(run.compile_seconds, 1),
        "peak_memory": round(run.peak_memory),
        "agrees": run.parity is None or not run.parity.divergences,
    }


def compared(accepted: Mapping[str, Numbers], runs: Iterable[TargetRun]) -> Comparison:
    """Hold runs against accepted numbers. Targets that did not run this time keep theirs."""
    worse: list[str] = []
    gains: list[str] = []
    new: list[str] = []
    better = {name: dict(numbers) for name, numbers in accepted.items()}
    for run in runs:
        name, now = key_of(run), numbers_of(run)
        if name not in accepted:
            new.append(name)
            better[name] = now
            continue
        lost, gained, best = _against(accepted[name], now)
        worse += [f"{name}: {one}" for one in lost]
        gains += [f"{name}: {one}" for one in gained]
        better[name] = best
    return Comparison(tuple(worse), tuple(gains), tuple(new), better)


def _against(before: Numbers, now: Numbers) -> tuple[list[str], list[str], Numbers]:
    """Sentences of what is worse and of what is better, and the best of both."""
    ran = Fate.RAN.value
    if now["fate"] != ran:
        lost = [f"does not run any more ({now['fate']})"] if before["fate"] == ran else []
        return lost, [], before
    if before["fate"] != ran:
        return [], [f"runs now (was {before['fate']})"], now
    worse, gains, best = [], [], dict(before)
    for name, words in _EXACT.items():
        old, new = before.get(name, now[name]), now[name]
        if new > old:
            worse.append(f"{words}: {new}, accepted are {old}")
        elif new < old:
            gains.append(f"{words}: {new}, accepted are {old}")
        best[name] = min(old, new)
    for name, ((factor, more), words) in _ROOM.items():
        old, new = float(before.get(name, now[name]) or 0), float(now[name])
        if new > old * factor + more:
            worse.append(f"{words}: {new:g}, accepted are {old:g}")
        elif new * factor + more < old:
            gains.append(f"{words}: {new:g}, accepted are {old:g}")
            best[name] = now[name]
        best.setdefault(name, now[name])
    if before.get("agrees", True) and not now["agrees"]:
        worse.append("results differ from eager, and did not")
    best["agrees"] = before.get("agrees", True) or now["agrees"]
    return worse, gains, best


def text_of(numbers: Mapping[str, Numbers], torch: str) -> str:
    """The file: sorted, a line a target, so that a review shows each change by itself."""
    lines = [f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in sorted(numbers.items())]
    inside = ",\n".join(lines)
    return f'{{"schema": 1, "torch": {json.dumps(torch)}, "targets": {{\n{inside}\n}}}}\n'


def read(text: str) -> dict[str, Numbers]:
    """The accepted numbers of a file's text. Raises NotAcceptedError."""
    try:
        found = json_of(text)
    except NotParsedError as error:
        raise NotAcceptedError(f"it is not JSON: {error.message}") from error
    return read_accepted(found)


def read_accepted(found: Any) -> dict[str, Numbers]:
    """The same of what the text holds."""
    targets = found.get("targets") if isinstance(found, dict) and found.get("schema") == 1 else None
    if not isinstance(targets, dict):
        raise NotAcceptedError('it does not begin with {"schema": 1, ...}')
    for name, numbers in targets.items():
        if not isinstance(numbers, dict) or not isinstance(numbers.get("fate"), str):
            raise NotAcceptedError(f"{name} has no fate")
        for one in (*_EXACT, *_ROOM):
            value = numbers.get(one, 0)
            if misfit(value, float):
                raise NotAcceptedError(f"`{one}` of {name} is not a number")
    return targets

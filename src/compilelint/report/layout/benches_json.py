"""Measurements as JSON, every single time included, so that a doubted number can be computed again."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from compilelint import __version__
from compilelint.bench.advice import advise
from compilelint.bench.result import Bench, Measured
from compilelint.model.patterns import late_pattern

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SCHEMA_VERSION = 1
_NUMBERS = late_pattern(r"\[[-+.,\deE\s]+\]")  # a line for each of thousands of numbers helps no reader


def bench_json(benches: Sequence[Bench]) -> str:
    """`{"schema_version", "tool", "benches": [...]}`; times in seconds, memory in bytes."""
    tool = {"name": "compilelint", "version": __version__}
    document = {"schema_version": SCHEMA_VERSION, "tool": tool, "benches": [bench_data(one) for one in benches]}
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
    return _NUMBERS.sub(lambda found: " ".join(found[0].split()), text) + "\n"


def bench_data(bench: Bench) -> dict[str, Any]:
    """One target."""
    return {
        "target": bench.target,
        "mode": bench.mode,
        "device": bench.device,
        "rounds": bench.plan.rounds,
        "processes": list(bench.plan.processes),
        "inputs": list(bench.sets),
        "inputs_from": bench.inputs_from,
        "weights": list(bench.weights),
        "stack": dict(bench.stack),
        "verdict": asdict(advise(bench)),
        "causes": [_record(one) for one in bench.causes],
        "copies": [_record(one) for one in bench.measured[0].copies],
        "configurations": [_measured(bench, one) for one in bench.measured],
    }


def _measured(bench: Bench, one: Measured) -> dict[str, Any]:
    run = one.run
    calls = {"cold": bench.break_even(one), "warm": bench.break_even(one, warm=True)} if one.ran else None
    return {
        "name": one.name,
        "change": one.variant.change,
        "fate": one.fate.value,
        "detail": one.detail,
        "times": [[[round(time, 8) for time in times] for times in sets] for sets in one.rounds],
        "median": bench.typical(one) if one.ran else None,
        "faster_than_base": _record(bench.ratios.get(one.name)),
        "faster_than_eager": _record(bench.overall.get(one.name)),
        "price": _record(bench.prices.get(one.name)),
        "break_even_calls": calls,
        "cold": _record(one.cold),
        "warm": _record(one.warm),
        "memory": _record(one.memory),
        "agreement": _record(one.agreement),
        "kernels": _record(one.kernels),
        "blocks": None if one.blocks is None else {"class": one.blocks[0], "count": one.blocks[1]},
        "processors_busy": one.busy,
        "late_recompiles": one.late,
        "graphs": None if run is None else run.graphs,
        "breaks": None
        if run is None
        else [{"path": b.path, "line": b.line, "break_id": b.break_id, "words": b.words} for b in run.own_breaks],
        "recompiles": None
        if run is None
        else [{"path": r.path, "line": r.line, "cause": r.cause, "guards": list(r.guards)} for r in run.recompiles],
        "given_up": None if run is None else len(run.limits),
        "soak": _record(one.soak),
    }


def _record(value: DataclassInstance | None) -> Any:
    """A record as JSON holds it; what is not a number (infinity) as null."""
    return None if value is None else _finite(asdict(value))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

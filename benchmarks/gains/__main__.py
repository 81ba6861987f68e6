"""Whether measured gains lie in the ranges that findings state: `python -m benchmarks.gains [--check]`.

Lints the programs as they are before their fix, counts how often a step runs the lines that are found (in eager
Python, on the CPU), and compares cost times count with what was measured. Writes the table of `README.md`, or compares
it. Needs torch, for the counting alone.
"""

from __future__ import annotations

import functools
import importlib
import json
import re
import statistics
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

from benchmarks.gains.measure import ONCE, PROGRAMS, names
from compilelint.torchfacts.costs import Cause, Setting, step_price

HERE = Path(__file__).parent
PAGE = HERE / "README.md"
RECORDED_MODE = {"one_image": Setting.INFER, "small_policy": Setting.INFER, "small_vit": Setting.TRAIN}
"""Programs whose fix is another mode, which `report` states a range of."""
Tracer: TypeAlias = Callable[[FrameType, str, Any], Any]


@dataclass(frozen=True)
class Stated:
    """The range that findings state for one step (milliseconds) or for the first (seconds)."""

    rules: tuple[str, ...]
    low: float
    high: float
    runs: int


def stated(name: str, found: list[dict[str, Any]]) -> Stated | None:
    """What the findings of a program state; None where nothing with a price is found."""
    if name in RECORDED_MODE:
        price = step_price(Cause.GRAPHS, RECORDED_MODE[name], "reduce-overhead")
        assert price is not None
        return Stated(("mode",), price.low, price.high, 1)
    unit = "s once" if name in ONCE else "ms a step"
    priced = [one for one in found if one["cost"] is not None and one["cost"]["unit"] == unit]
    if not priced:
        return None
    if name in ONCE:
        runs = {one["line"]: _compilations(name) for one in priced}
    else:
        runs = runs_of(name, {one["line"] for one in priced})
    return Stated(
        tuple(one["rule"] for one in priced),
        sum(one["cost"]["low"] * runs[one["line"]] for one in priced),
        sum(one["cost"]["high"] * runs[one["line"]] for one in priced),
        max(runs.values()),
    )


def _compilations(name: str) -> int:
    """How many compilations the first step of a program spares when it is fixed, as Dynamo counts them."""
    import torch
    from torch._dynamo.testing import CompileCounter

    compilers = torch.compile
    counted: list[int] = []
    for side in ("before", "after"):
        torch._dynamo.reset()
        counter = CompileCounter()
        torch.compile = functools.partial(_counting, compilers, counter)
        try:
            _step(name, side)()
        finally:
            torch.compile = compilers
        counted.append(counter.frame_count)
    return counted[0] - counted[1]


def _counting(compilers: Callable[..., object], counter: object, model: object, **_options: object) -> object:
    return compilers(model, backend=counter)


def runs_of(name: str, lines: set[int]) -> dict[int, int]:
    """How often one eager step of a program runs each of these lines."""
    import torch

    counts: dict[int, int] = dict.fromkeys(lines, 0)
    path = str(PROGRAMS / f"{name}_before.py")

    def trace(frame: FrameType, event: str, _argument: Any) -> Tracer | None:
        if frame.f_code.co_filename != path:
            return None
        if event == "line" and frame.f_lineno in counts:
            counts[frame.f_lineno] += 1
        return trace

    compilers, torch.compile = torch.compile, lambda model, **_options: model
    try:
        step = _step(name, "before")
        sys.settrace(trace)
        step()
    finally:
        sys.settrace(None)
        torch.compile = compilers
    return counts


def _step(name: str, side: str) -> Callable[[], object]:
    sys.path.insert(0, str(PROGRAMS))
    try:
        step: Callable[[], object] = importlib.import_module(f"{name}_{side}").make("cpu")
    finally:
        sys.path.remove(str(PROGRAMS))
    return step


def findings() -> dict[str, list[dict[str, Any]]]:
    """The findings of each program before its fix that it no longer has after it, low confidence too."""
    command = [sys.executable, "-m", "compilelint", "check", ".", "--min-confidence", "possible", "--all"]
    command += ["--exit-zero", "--output-format", "json", "--no-cache"]
    done = subprocess.run(command, cwd=PROGRAMS, capture_output=True, text=True, check=True)
    sides: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in json.loads(done.stdout)["findings"]:
        sides[Path(one["path"]).stem].append(one)
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for name in names():
        left = {(one["rule"], one["message"]) for one in sides[f"{name}_after"]}  # what the fix does not answer
        found[name] = [one for one in sides[f"{name}_before"] if (one["rule"], one["message"]) not in left]
    return found


def measured() -> dict[str, list[float]]:
    """The gain of each program in each process, from the recorded rows."""
    rows = [json.loads(line) for path in sorted(HERE.glob("*.jsonl")) for line in path.read_text().splitlines()]
    gains: dict[str, list[float]] = defaultdict(list)
    sides: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in rows:
        if "gain_ms" in row:
            gains[row["program"]].append(row["gain_ms"])
        for side in ("before", "after"):
            if f"{side}_s" in row:
                sides[row["program"], side].append(row[f"{side}_s"])
    for name in ONCE:
        pairs = zip(sides[name, "before"], sides[name, "after"], strict=False)
        gains[name] = [before - after for before, after in pairs]
    return gains


def table() -> tuple[list[str], int, int]:
    """The lines of the page's table, how many gains lie in their range, and how many have one."""
    found, gains = findings(), measured()
    lines = ["| program | found | runs | stated | measured | in the range |", "|---|---|---|---|---|---|"]
    inside = with_range = 0
    for name in names():
        unit = "s" if name in ONCE else "ms"
        got = ", ".join(f"{gain:.2f}" for gain in gains[name])
        range_ = stated(name, found[name])
        if range_ is None:
            lines.append(f"| `{name}` | nothing with a price | | | {got} {unit} | |")
            continue
        holds = range_.low <= statistics.median(gains[name]) <= range_.high
        inside, with_range = inside + holds, with_range + 1
        stated_ = f"{range_.low:.2f} to {range_.high:.2f} {unit}"
        rules = ", ".join(range_.rules)
        lines.append(
            f"| `{name}` | {rules} | {range_.runs} | {stated_} | {got} {unit} | {'yes' if holds else '**no**'} |"
        )
    return lines, inside, with_range


def main() -> int:
    """Write the page's table, or say with `--check` that it would change; the exit code."""
    lines, inside, with_range = table()
    summary = f"**{inside} of {with_range}** measured gains lie in the range that is stated."
    between = "\n".join(["<!-- table:begin -->", *lines, "", summary, "<!-- table:end -->"])
    page = PAGE.read_text(encoding="utf-8")
    text = re.sub(r"<!-- table:begin -->.*<!-- table:end -->", lambda _: between, page, flags=re.DOTALL)
    print(summary)
    if "--check" in sys.argv:
        return int(text != page)
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

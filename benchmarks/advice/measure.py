"""Measures the pairs over processes. Needs torch alone.

    python -m benchmarks.advice.measure OUT.jsonl steps   [--pair NAME ...] [--processes 3] [--seconds 540]
    python -m benchmarks.advice.measure OUT.jsonl stories [--pair NAME ...] [--processes 3] [--seconds 540]

Steps: both sides in one process, rounds in turns, after a process of each has filled a cache of compiled kernels that
all share, since starting is not what they measure. Stories: a process for each side, with empty caches, both sides of
two pairs at a time. A line of the output is a side of a process: `pair`, `model`, `side` (`before`, `after`),
`process`, `seconds` (of a step in each round; of a story once), `story`, `peak_mb` (device memory while it ran; in one
of both sides it includes what the other holds), `result` (what parity compares), `torch`, `device`, `error`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

_HUNG = 240.0
_MODELS = ("language", "vision")
_SIDES = ("before", "after")
_STORIES = ("uneven_last_batch", "growing_sequence", "whole_model", "rate_as_number")


def main() -> None:
    """Run what fits into the time; a round of processes for every pair before the next one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("kind", choices=("steps", "stories", "one"))
    parser.add_argument("what", nargs="*")
    parser.add_argument("--pair", action="append", default=[])
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=540.0)
    args = parser.parse_args()
    if args.kind == "one":
        _one(args.out, args.what[0], args.what[1], args.what[2:], args.rounds)
        return
    from benchmarks.advice.pairs import names

    end = time.monotonic() + args.seconds
    wanted = [name for name in names(args.pair) if (name in _STORIES) == (args.kind == "stories")]
    jobs = [(name, model) for name in wanted for model in _MODELS]
    if args.kind == "stories":
        alone = [(name, model, (side,)) for name, model in jobs for side in _SIDES]
        for process in range(args.processes):
            _together(args, alone, process, 4, end)
        return
    both = [(name, model, _SIDES) for name, model in jobs]
    with tempfile.TemporaryDirectory() as shared:
        _together(args, both, -1, 8, end, shared)
        for process in range(args.processes):
            _together(args, both, process, 1, end, shared)


def _together(
    args: argparse.Namespace,
    jobs: Sequence[tuple[str, str, tuple[str, ...]]],
    process: int,
    most: int,
    end: float,
    cache: str = "",
) -> None:
    with ThreadPoolExecutor(most) as pool:
        for job in jobs:
            pool.submit(_run, args, *job, process, cache, end)


def _run(
    args: argparse.Namespace, pair: str, model: str, sides: tuple[str, ...], process: int, cache: str, end: float
) -> None:
    """One process; what it found is written unless it only filled the cache (`process` below zero)."""
    begun = time.monotonic()
    if begun > end:
        print("out of time", process, pair, model, *sides, flush=True)
        return
    with tempfile.TemporaryDirectory() as own:
        kept = cache or own
        environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": kept, "TRITON_CACHE_DIR": f"{kept}/triton"}
        out = Path(own) / "lines.json"
        rounds = str(args.rounds if process >= 0 else 1)
        command = [sys.executable, "-m", __spec__.name, str(out), "one", pair, model, *sides, "--rounds", rounds]
        try:
            done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_HUNG, check=False)
            error = "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1][:300]
        except subprocess.TimeoutExpired:
            error = f"no answer in {_HUNG:.0f} s"
        found: dict[str, Any] = json.loads(out.read_text()) if out.exists() else {}
    took = " ".join(f"{side} {min(found[side]['seconds']) * 1e3:.2f} ms" for side in sides if side in found)
    print(f"{process} {pair} {model}: {took}, {time.monotonic() - begun:.0f} s {error}", flush=True)
    if process < 0:
        return
    with args.out.open("a") as file:
        for side in sides:
            line = {
                "pair": pair,
                "model": model,
                "side": side,
                "process": process,
                "error": error,
                **found.get(side, {}),
            }
            file.write(json.dumps(line, sort_keys=True) + "\n")


def _one(out: Path, pair: str, model: str, sides: list[str], rounds: int) -> None:
    import torch

    from benchmarks.advice.pairs import PAIRS, timed

    made = {side: PAIRS[pair](model, side == "after") for side in sides}
    found = timed(made, rounds)
    for side, line in found.items():
        line["seconds"] = [round(one, 6) for one in line["seconds"]]
        line["peak_mb"] = round(line["peak_mb"], 1)
        line["story"] = made[side].story
        line["torch"] = torch.__version__
        line["device"] = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
    out.write_text(json.dumps(found))


if __name__ == "__main__":
    main()

"""Measures the pairs over processes. Needs torch alone.

    python -m benchmarks.advice.measure OUT.jsonl steps   [--pair NAME ...] [--processes 3] [--seconds 540]
    python -m benchmarks.advice.measure OUT.jsonl stories [--pair NAME ...] [--processes 3] [--seconds 540]

Steps: both sides in one process, rounds in turns. Six processes compile at a time, with one cache of compiled kernels;
when all are ready they are timed one after the other, while nothing else runs. Stories: a process for each
side, with empty caches, four at a time; of `kept_cache` the side after is the second process with the same caches.
Stories that compile before their clock starts are made ready eight at a time, and run one after the other. A
line of the output is a side of a process: `pair`, `model`, `side` (`before`, `after`), `process`, `seconds` (of a step
in each round; of a story once), `story`, `peak_mb` (device memory while it ran; in one of both sides it includes what
the other holds), `result` (what parity compares), `torch`, `device`, `error`.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_HUNG = 240.0
_AT_ONCE = {"steps": 6, "stories": 4, "prepared": 8}
_MODELS = ("language", "vision")
_SIDES = ("before", "after")
_PREPARED = ("graph_for_each_size", "first_request")
_STORIES = (
    *_PREPARED,
    "uneven_last_batch",
    "growing_sequence",
    "raised_size",
    "counted_argument",
    "kept_cache",
    "compiled_loop",
    "whole_model",
    "rate_as_number",
)


def main() -> None:
    """Run what fits into the time; a process for every pair before the next one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="where the lines go; of `one` the folder that both processes use")
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

    measure = _Measure(args.out, args.rounds, time.monotonic() + args.seconds)
    wanted = [name for name in names(args.pair) if (name in _STORIES) == (args.kind == "stories")]
    jobs = [(name, model) for name in wanted for model in _MODELS]
    if args.kind == "stories":
        measure.stories(jobs, args.processes)
    else:
        measure.steps(jobs, args.processes)


@dataclass(frozen=True)
class _Job:
    """A process of one pair and model. It touches `ready` in its folder, and is timed once `go` is there."""

    pair: str
    model: str
    sides: tuple[str, ...]
    folder: Path
    running: subprocess.Popen[str]

    @property
    def ready(self) -> bool:
        return (self.folder / "ready").exists() or self.running.poll() is not None

    def finish(self) -> str:
        """Let it be timed, and wait for its end. Why it failed, or nothing."""
        (self.folder / "go").touch()
        try:
            self.running.wait(_HUNG)
        except subprocess.TimeoutExpired:
            self.running.kill()
            self.running.wait()
            return f"no answer in {_HUNG:.0f} s"
        lines = (self.folder / "output").read_text().strip().splitlines()
        return "" if self.running.returncode == 0 else (lines or [f"exit {self.running.returncode}"])[-1][:300]


@dataclass(frozen=True)
class _Measure:
    """Runs processes, and appends what they found to `out` until `end`, a time of the monotonic clock."""

    out: Path
    rounds: int
    end: float

    def stories(self, jobs: Sequence[tuple[str, str]], processes: int) -> None:
        for process in range(processes):
            with ThreadPoolExecutor(_AT_ONCE["stories"]) as pool:
                for pair, model in jobs:
                    for side in _SIDES if pair not in _PREPARED else ():
                        pool.submit(self._story, pair, model, side, process)
            sides = [(pair, model, (side,)) for pair, model in jobs if pair in _PREPARED for side in _SIDES]
            for first in range(0, len(sides), _AT_ONCE["prepared"]):
                self._together(sides[first : first + _AT_ONCE["prepared"]], process, None)

    def _story(self, pair: str, model: str, side: str, process: int) -> None:
        if self._out_of_time(process, pair, model, side):
            return
        with tempfile.TemporaryDirectory() as own:
            if pair == "kept_cache" and side == "after":
                self._start(pair, model, (side,), Path(own, "first"), Path(own, "cache")).finish()
            job = self._start(pair, model, (side,), Path(own, "timed"), Path(own, "cache"))
            self._write(job, process, job.finish())

    def steps(self, jobs: Sequence[tuple[str, str]], processes: int) -> None:
        with tempfile.TemporaryDirectory() as cache:
            for process in range(processes):
                for first in range(0, len(jobs), _AT_ONCE["steps"]):
                    some = jobs[first : first + _AT_ONCE["steps"]]
                    self._together([(*job, _SIDES) for job in some], process, Path(cache))

    def _together(self, jobs: Sequence[tuple[str, str, tuple[str, ...]]], process: int, cache: Path | None) -> None:
        """Processes that get ready at the same time, with one cache or (None) each its own, and are timed in turn."""
        if self._out_of_time(process, *jobs):
            return
        with tempfile.TemporaryDirectory() as own:
            started = [
                self._start(*job, Path(own, f"{number}"), cache or Path(own, f"cache{number}"))
                for number, job in enumerate(jobs)
            ]
            limit = time.monotonic() + _HUNG
            while not all(job.ready for job in started) and time.monotonic() < limit:
                time.sleep(0.2)
            for job in started:
                if not job.ready:
                    job.running.kill()
            for job in started:
                self._write(job, process, job.finish())

    def _start(self, pair: str, model: str, sides: tuple[str, ...], folder: Path, cache: Path) -> _Job:
        folder.mkdir(parents=True)
        environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(cache), "TRITON_CACHE_DIR": f"{cache}/triton"}
        command = [sys.executable, "-m", __spec__.name, str(folder), "one", pair, model, *sides]
        with (folder / "output").open("w") as output:
            running = subprocess.Popen(
                [*command, "--rounds", str(self.rounds)], env=environment, stdout=output, stderr=output, text=True
            )
        return _Job(pair, model, sides, folder, running)

    def _write(self, job: _Job, process: int, error: str) -> None:
        kept = job.folder / "lines.json"
        found: dict[str, Any] = json.loads(kept.read_text()) if kept.exists() else {}
        took = " ".join(f"{side} {min(line['seconds']) * 1e3:.2f} ms" for side, line in found.items())
        print(f"{process} {job.pair} {job.model}: {took} {error}", flush=True)
        names = {"pair": job.pair, "model": job.model, "process": process, "error": error}
        with self.out.open("a") as file:
            for side in job.sides:
                file.write(json.dumps({**names, "side": side, **found.get(side, {})}, sort_keys=True) + "\n")

    def _out_of_time(self, *what: object) -> bool:
        if time.monotonic() > self.end:
            print("out of time", *what, flush=True)
            return True
        return False


def _one(folder: Path, pair: str, model: str, sides: list[str], rounds: int) -> None:
    """What a process of its own does."""
    import torch

    from benchmarks.advice.pairs import PAIRS
    from benchmarks.advice.sides import timed

    def ready() -> None:
        (folder / "ready").touch()
        while not (folder / "go").exists():
            time.sleep(0.05)

    made = {side: PAIRS[pair](model, side == "after") for side in sides}
    found = timed(made, rounds, ready=ready)
    for side, line in found.items():
        line["seconds"] = [round(one, 6) for one in line["seconds"]]
        line["peak_mb"] = round(line["peak_mb"], 1)
        line["story"] = made[side].story
        line["torch"] = torch.__version__
        line["device"] = torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu"
    (folder / "lines.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main()

"""Runs the groups of probes in worker processes, restarts behind a culprit, and shows progress on stderr."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compilelint.torchfacts.generate.groups import GROUPS, ON_DEVICE, measured_lines

_PROBES = 3600  # about as many as torch 2.13 has; only the progress bar reads it
_POLL_SECONDS = 0.3


@dataclass(slots=True)
class Running:
    """A worker at work on its group."""

    group: str
    process: subprocess.Popen[bytes]
    results: Path


def _environment(group: str) -> dict[str, str]:
    """The worker's environment: one thread, no device without need, no torch logging (an empty TORCH_LOGS crashes)."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("TORCH_", "TORCHDYNAMO_"))}
    if group not in ON_DEVICE:
        environment["CUDA_VISIBLE_DEVICES"] = ""
    return {**environment, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}


def _start(group: str, folder: Path) -> Running:
    results = folder / f"{group}.jsonl"
    command = [sys.executable, "-m", "compilelint.torchfacts.generate.worker", group, str(results)]
    with (folder / f"{group}.log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=_environment(group))
    return Running(group, process, results)


def _blame(running: Running) -> bool:
    """Writes a crash line for the probe that took the worker down; False where no probe had begun."""
    now = running.results.with_suffix(".now")
    if not now.exists():
        return False
    culprit = json.loads(now.read_text(encoding="utf-8"))
    with running.results.open("a", encoding="utf-8") as results:
        # The crash may have cut the line before off; a fresh line keeps this one whole.
        results.write("\n" + json.dumps({**culprit, "unmeasured": "crash"}) + "\n")
    now.unlink()
    return True


def _show(folder: Path, started: float, *, last: bool = False) -> None:
    if not sys.stderr.isatty() and not last:
        return  # a bar is for who watches; a log gets its last state
    done = sum(path.read_bytes().count(b"\n") for path in folder.glob("*.jsonl"))
    width = 30
    filled = width if last else min(width - 1, done * width // _PROBES)
    end = "\n" if last else ""
    print(
        f"\r[{'#' * filled}{'.' * (width - filled)}] {done} probes, {time.monotonic() - started:.0f} s",
        end=end,
        file=sys.stderr,
        flush=True,
    )


def measure_all(
    folder: Path,
    *,
    jobs: int = 1,
    groups: Iterable[str] = GROUPS,
    start: Callable[[str, Path], Running] = _start,
) -> list[dict[str, Any]]:
    """All result lines, group by group; what `folder` holds already is not measured again. `start` starts a worker.

    Raises RuntimeError where a worker ends before its first probe (its log is in `folder`).
    """
    folder.mkdir(parents=True, exist_ok=True)
    waiting, running, started = list(groups), list[Running](), time.monotonic()
    wanted = list(waiting)
    while waiting or running:
        while waiting and len(running) < jobs:
            running.append(start(waiting.pop(0), folder))
        time.sleep(_POLL_SECONDS)
        _show(folder, started)
        for worker in [worker for worker in running if worker.process.poll() is not None]:
            running.remove(worker)
            if worker.process.returncode != 0:
                if not _blame(worker):
                    raise RuntimeError(
                        f"the worker of group {worker.group} failed; see {folder / (worker.group + '.log')}"
                    )
                waiting.insert(0, worker.group)
    _show(folder, started, last=True)
    return [line for group in wanted for line in measured_lines(folder / f"{group}.jsonl")]

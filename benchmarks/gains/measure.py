"""Measure gains on this machine: `python -m benchmarks.gains.measure OUT.jsonl SECONDS [--device cpu] [--only NAME]`.

For each program of `programs`, the milliseconds a step before and after its fix, timed in turns in one warm process
while nothing else runs, in three processes; for the programs that compile again, the seconds of the first step from
empty caches, before and after. Needs torch alone.
"""

from __future__ import annotations

import argparse
import fcntl
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.costs.measure import measure_alone, time_in_turns

PROGRAMS = Path(__file__).parent / "programs"
ONCE = ("last_batch", "longer_texts", "numbered_steps")
"""Programs whose gain is seconds of the first step."""
PROCESSES = 3


def names() -> list[str]:
    """The programs, sorted."""
    return sorted(path.name.removesuffix("_before.py") for path in PROGRAMS.glob("*_before.py"))


def main() -> None:
    """Warm up all processes of a wave, then let them measure one by one; rows of finished processes are kept."""
    read = argparse.ArgumentParser(description=__doc__)
    read.add_argument("out", type=Path)
    read.add_argument("seconds", type=float)
    read.add_argument("--device", default="cuda")
    read.add_argument("--only", default="")
    read.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    read.add_argument("--one", nargs=2, metavar=("NAME", "SIGNS"), help="measure this in this process")
    options = read.parse_args()
    if options.one:
        name, signs = options.one
        row = measure(name, options.device, Path(signs))
        with options.out.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(json.dumps(row) + "\n")
        return
    end = time.time() + options.seconds
    wanted = options.only.split(",") if options.only else names()
    wanted = [job for name in wanted for job in ([f"{name} after", f"{name} before"] if name in ONCE else [name])]
    for _ in range(PROCESSES):
        if time.time() < end - 60:
            run_wave(wanted, options, end)


def run_wave(wanted: list[str], options: argparse.Namespace, end: float) -> None:
    """One process a program. Those that measure seconds of compilation do so while the others warm up."""
    with tempfile.TemporaryDirectory() as folder:
        signs = Path(folder)
        waiting, running = [*wanted], list[subprocess.Popen[bytes]]()
        while (waiting or any(one.poll() is None for one in running)) and time.time() < end:
            warming = sum(one.poll() is None for one in running) - len(list(signs.glob("*.warm")))
            while waiting and warming < options.workers:
                name = waiting.pop(0)
                command = [sys.executable, "-m", "benchmarks.gains.measure", str(options.out), "0"]
                command += ["--device", options.device, "--one", name, folder]
                running.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
                warming += 1
            if not waiting and warming <= 0:
                (signs / "go").touch()
            time.sleep(0.1)
        for one in running:
            one.kill()
            one.wait()


def measure(job: str, device: str, signs: Path) -> dict[str, object]:
    """The row of a program, or of one side of a program of `ONCE`, in this process."""
    name, _, side = job.partition(" ")
    caches = Path(tempfile.mkdtemp()) if side else Path(tempfile.gettempdir()) / "gains-caches" / name
    os.environ["TORCHINDUCTOR_CACHE_DIR"], os.environ["TRITON_CACHE_DIR"] = str(caches), str(caches / "triton")
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    import torch

    torch.set_num_threads(1)
    about: dict[str, object] = {
        "program": name,
        "device": torch.cuda.get_device_name() if device == "cuda" else "CPU, one thread",
        "torch": torch.__version__,
    }
    try:
        if side:
            torch.compile(torch.sin)(torch.ones(8, device=device))  # what a first compilation loads
            step = load(name, side, device)
            start = time.perf_counter()
            step()
            return about | {f"{side}_s": round(time.perf_counter() - start, 3)}
        steps = [load(name, which, device) for which in ("after", "before")]
        after, before = time_in_turns(steps, device, lambda: measure_alone(signs, os.getpid()))
    except Exception as error:  # noqa: BLE001  # a row says what failed; the other programs go on
        return about | {"error": f"{type(error).__name__}: {error}"[:300]}
    gains = [b - a for a, b in zip(after, before, strict=True)]
    medians = {"before_ms": before, "after_ms": after, "gain_ms": gains}
    return about | {key: round(statistics.median(values), 4) for key, values in medians.items()}


def load(name: str, which: str, device: str) -> Callable[[], object]:
    """A step of a program, with code objects of its own and the precision of matrix products that it asks for."""
    import torch

    sys.path.insert(0, str(PROGRAMS))
    sys.modules.pop("parts", None)
    torch.set_float32_matmul_precision("highest")
    torch.manual_seed(0)
    step: Callable[[], object] = importlib.import_module(f"{name}_{which}").make(device)
    precision = torch.get_float32_matmul_precision()

    def run() -> object:
        torch.set_float32_matmul_precision(precision)
        return step()

    return run


if __name__ == "__main__":
    main()

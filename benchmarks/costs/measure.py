"""Measure prices on this machine: `python -m benchmarks.costs.measure OUT.jsonl SECONDS [--device cpu] [--reps 3]`.

A row `step` is a pair in one process: the milliseconds a step of a clean and of a planted model, timed in turns (for
`compile` and `graphs` the second is the better mode, so that the price of going without is the difference). All
processes of a wave compile and warm up first; they are timed one by one when nothing else runs. A row `cold` is the
seconds of a first call from empty caches and of the second compilation that another batch size makes, with the number
of operations captured. Needs torch alone.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import importlib.util
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

ROUNDS = 9
SPAN = 0.04  # seconds of one timed stretch, three steps at least
WAVE = 28  # processes that wait with a warm model each: what memory holds
HUNG = 120.0  # seconds after which a process that has not warmed up is ended

# By setting and mode: what is planted, or which mode the clean model is compared with.
COSTS: dict[str, tuple[str, ...]] = {
    "default": ("break", "branch", "copy", "read", "compile", "float32"),
    "reduce-overhead": ("break", "branch", "copy", "scalar", "split", "read", "graphs", "clone", "pending"),
}
INFERENCE = ("clone", "pending")  # what only inference without gradients can have
COLD = ("cold", "record", "by-block", "recompile-infer")  # `cold` measures the second compilation as well
Job = tuple[str, str, str, str, int]  # kind, setting or number of blocks, mode, cost, repetition


def main() -> None:
    """Run the jobs in waves until the time is over; rows of finished processes are kept."""
    read = argparse.ArgumentParser(description=__doc__)
    read.add_argument("out", type=Path)
    read.add_argument("seconds", type=float)
    read.add_argument("--device", default="cuda")
    read.add_argument("--reps", type=int, default=3)
    read.add_argument("--costs", default="", help="only these, separated by commas")
    read.add_argument("--kinds", default="gpt_small,unet,gpt_large,policy")
    read.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    options = read.parse_args()
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    # Loaded once, before the processes are forked; nothing here touches the device.

    end = time.time() + options.seconds
    kinds = options.kinds.split(",")
    modes = COSTS if options.device == "cuda" else {"default": ("break", "branch", "read", "compile")}
    jobs: list[Job] = [
        (kind, setting, mode, cost, rep)
        for rep in range(options.reps)
        for kind in kinds
        for setting in ("train", "infer")
        for mode, costs in modes.items()
        for cost in costs
        if (not options.costs or cost in options.costs.split(",")) and (cost not in INFERENCE or setting == "infer")
    ]
    jobs += [
        (kind, str(blocks), "cold", cost, rep)
        for rep in range(options.reps)
        for kind in kinds
        for cost in COLD
        for blocks in (2, 8)
        if not options.costs or cost in options.costs.split(",")
    ]
    while jobs and time.time() < end - 30:
        wave, jobs = jobs[:WAVE], jobs[WAVE:]
        run_wave(wave, options, end)
    print(len(options.out.read_text().splitlines()) if options.out.exists() else 0, "rows;", len(jobs), "jobs left")


def run_wave(jobs: list[Job], options: argparse.Namespace, end: float) -> None:
    """Warm up all jobs of a wave, as many at a time as there are workers, then let them measure one by one."""
    with tempfile.TemporaryDirectory() as folder:
        signs = Path(folder)
        running: dict[int, float] = {}
        waiting = list(enumerate(jobs))
        while (waiting or running) and time.time() < end:
            warming = len(running) - len(list(signs.glob("*.warm")))
            while waiting and warming < options.workers:
                place, job = waiting.pop(0)
                child = os.fork()
                if child == 0:
                    with contextlib.suppress(BaseException):
                        silence()
                        work(job, options.device, options.out, signs, place)
                    os._exit(0)
                running[child] = time.time()
                warming += 1
            for child, began in list(running.items()):
                ended, _ = os.waitpid(child, os.WNOHANG)
                if ended:
                    del running[child]
                elif time.time() - began > HUNG and not (signs / "go").exists():
                    os.kill(child, 9)
            if not waiting and len(list(signs.glob("*.warm"))) >= len(running):
                (signs / "go").touch()
            time.sleep(0.1)
        for child in running:
            os.kill(child, 9)
            os.waitpid(child, 0)


def silence() -> None:
    """Send what torch prints nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.dup2(nowhere, sys.stderr.fileno())


def work(job: Job, device: str, out: Path, signs: Path, place: int) -> None:
    """Measure one job in this process and append its rows."""
    import torch

    kind, setting, mode, cost, rep = job
    caches = Path(tempfile.gettempdir()) / "costs-caches" / "_".join(map(str, job if mode == "cold" else job[:4]))
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(caches)
    os.environ["TRITON_CACHE_DIR"] = str(caches / "triton")
    torch.set_num_threads(1)
    torch.manual_seed(0)
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU, one thread"
    about = {"job": "cold" if mode == "cold" else "step", "model": kind, "device": name, "torch": torch.__version__}
    about |= {"rep": rep} if mode == "cold" else {"setting": setting, "mode": mode, "cost": cost, "rep": rep}
    try:
        if mode == "cold":
            measured = {"cold": cold_rows, "record": record_rows, "by-block": block_rows, "recompile-infer": infer_rows}
            rows = measured[cost](kind, int(setting), device)
        else:
            rows = [step_row(kind, setting, mode, cost, device, lambda: measure_alone(signs, place))]
    except Exception as error:  # noqa: BLE001  # a row says what failed; the other jobs go on
        rows = [{"error": f"{type(error).__name__}: {error}"[:300]}]
    (signs / f"{place}.warm").touch()
    with out.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.writelines(json.dumps(about | row) + "\n" for row in rows)


def measure_alone(signs: Path, place: int) -> Any:
    """Wait until all of the wave are warm; the lock under which one process measures."""
    (signs / f"{place}.warm").touch()
    while not (signs / "go").exists():
        time.sleep(0.05)
    lock = (signs / "lock").open("w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def fresh_models() -> ModuleType:
    """The module of the models with code objects of its own.

    Dynamo keeps what it compiled, and that it gave a frame up, by code object: a break planted in one model would
    leave the clean one of the same code in pieces too.
    """
    from benchmarks.costs import models

    spec = importlib.util.spec_from_file_location("benchmarks.costs.models", models.__file__)
    assert spec is not None
    assert spec.loader is not None
    fresh = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fresh)
    return fresh


def stepper(kind: str, setting: str, device: str, cost: str, mode: str) -> Callable[[], object]:
    """A function that makes one step: of training with a fused optimizer, or of inference at batch 1."""
    import torch

    from benchmarks.costs.models import PLANTED, Planted, sample

    planted = Planted(cost if cost in PLANTED else "")
    model: torch.nn.Module = fresh_models().build(kind, planted, device)
    compiled = model if mode == "eager" else torch.compile(model, mode=None if mode == "default" else mode)
    precision = "highest" if cost == "float32" else "high"
    lower = torch.autocast(device, torch.bfloat16) if kind == "gpt_large" else contextlib.nullcontext()
    if setting == "infer":
        model.eval()
        one = sample(kind, device, 1)

        def infer() -> object:
            torch.set_float32_matmul_precision(precision)
            with torch.set_grad_enabled(cost == "pending"), lower:
                result = compiled(one)
            if cost == "clone":
                return result.clone()
            return result.sum().item() if cost == "read" else result

        return infer
    batch = sample(kind, device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def train() -> object:
        torch.set_float32_matmul_precision(precision)
        with lower:
            loss = compiled(batch).float().square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.item() if cost == "read" else None

    return train


def step_row(kind: str, setting: str, mode: str, cost: str, device: str, alone: Callable[[], Any]) -> dict[str, object]:
    """Milliseconds a step with and without a cost, the difference for each planted place, and their ratio."""
    from benchmarks.costs.models import PLANTED, Planted

    with_it = {"compile": "eager", "graphs": "default"}.get(cost, mode)
    steps = [stepper(kind, setting, device, "", mode), stepper(kind, setting, device, cost, with_it)]
    times = time_in_turns(steps, device, alone)
    places = Planted().blocks if cost in PLANTED else 1
    return {
        "clean_ms": statistics.median(times[0]),
        "ms": statistics.median(times[1]),
        "places": places,
        "each_ms": statistics.median([(b - a) / places for a, b in zip(*times, strict=True)]),
        "ratio": statistics.median([b / a for a, b in zip(*times, strict=True)]),
    }


def time_in_turns(
    steps: list[Callable[[], object]], device: str, alone: Callable[[], Any]
) -> tuple[list[float], list[float]]:
    """Milliseconds a step of two steps, round by round, warm, timed in turns under the lock that `alone` gives."""
    import torch

    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    for step in steps:
        for _ in range(6):
            step()
    wait()
    with alone():
        counts = []
        for step in steps:
            for _ in range(3):
                step()
            wait()
            start = time.perf_counter()
            step()
            wait()
            counts.append(max(3, min(60, int(SPAN / max(time.perf_counter() - start, 1e-5)))))
        times: tuple[list[float], list[float]] = ([], [])
        for turn in range(ROUNDS):
            for which in (0, 1) if turn % 2 == 0 else (1, 0):
                start = time.perf_counter()
                for _ in range(counts[which]):
                    steps[which]()
                wait()
                times[which].append(1e3 * (time.perf_counter() - start) / counts[which])
    return times


def operations_of(model: Any, x: Any) -> int:
    """How many operations Dynamo captures of a call."""
    import torch

    operations: list[int] = []

    def count(graph: torch.fx.GraphModule, _inputs: list[torch.Tensor]) -> Callable[..., object]:
        operations.append(sum(node.op.startswith("call") for node in graph.graph.nodes))
        run: Callable[..., object] = graph.forward
        return run

    torch.compile(model, backend=count)(x)
    torch._dynamo.reset()
    return operations[0]


def cold_rows(kind: str, blocks: int, device: str) -> list[dict[str, object]]:
    """Seconds of a first training step from empty caches, and of the one that another batch size compiles."""
    import torch

    from benchmarks.costs.models import Planted, build, sample

    model = build(kind, Planted(blocks=blocks), device)
    size = sample(kind, device).shape[0]
    operations = operations_of(model, sample(kind, device))
    compiled = torch.compile(model)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    rows: list[dict[str, object]] = []
    for what, batch in (("cold", size), ("recompile", size - 1)):
        x = sample(kind, device, batch)
        wait()
        start = time.perf_counter()
        compiled(x).float().square().mean().backward()
        wait()
        seconds = time.perf_counter() - start
        rows.append({"cost": what, "blocks": blocks, "operations": operations, "s": seconds})
    return rows


def infer_rows(kind: str, blocks: int, device: str) -> list[dict[str, object]]:
    """Seconds of the compilation that another batch size causes, without gradients."""
    import torch

    from benchmarks.costs.models import Planted, build, sample

    model = build(kind, Planted(blocks=blocks), device).eval()
    operations = operations_of(model, sample(kind, device))
    compiled = torch.compile(model)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    with torch.no_grad():
        compiled(sample(kind, device))
        x = sample(kind, device, sample(kind, device).shape[0] - 1)
        wait()
        start = time.perf_counter()
        compiled(x)
        wait()
    return [{"cost": "recompile-infer", "blocks": blocks, "operations": operations, "s": time.perf_counter() - start}]


def block_rows(kind: str, blocks: int, device: str) -> list[dict[str, object]]:
    """Seconds of a first training step from empty caches where each block is compiled by itself."""
    import torch

    from benchmarks.costs.models import Planted, build, sample

    model = build(kind, Planted(blocks=blocks), device)
    x = sample(kind, device)
    operations = operations_of(model, x)
    for block in model.blocks:
        block.compile()
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    wait()
    start = time.perf_counter()
    model(x).float().square().mean().backward()
    wait()
    return [{"cost": "by-block", "blocks": blocks, "operations": operations, "s": time.perf_counter() - start}]


def record_rows(kind: str, blocks: int, device: str) -> list[dict[str, object]]:
    """Seconds that a further size takes where code compiled for all sizes records a CUDA graph for each: the first two
    calls of it, less two that replay.
    """
    import torch

    from benchmarks.costs.models import Planted, build, sample

    model = build(kind, Planted(blocks=blocks), device).eval()
    operations = operations_of(model, sample(kind, device))
    compiled = torch.compile(model, mode="reduce-overhead", dynamic=True)

    def two_calls(batch: int) -> float:
        x = sample(kind, device, batch)
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(2):
            compiled(x)
        torch.cuda.synchronize()
        return time.perf_counter() - start

    with torch.no_grad():
        for _ in range(2):
            two_calls(6)
        seconds = [two_calls(batch) - two_calls(batch) for batch in (5, 4, 3)]
    return [{"cost": "record", "blocks": blocks, "operations": operations, "s": statistics.median(seconds)}]


if __name__ == "__main__":
    main()

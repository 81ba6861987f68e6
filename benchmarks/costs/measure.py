"""Measure prices on this machine: `python -m benchmarks.costs.measure OUT.jsonl SECONDS [--device cpu] [--reps 5]`.

A process a (model, setting, repetition). In each, every variant is compiled and warmed first; then, one process at a
time, all variants are timed in turns against the clean one in the same mode: rows `step`, milliseconds a step of both
and the difference for each planted place. Rows `cold` are seconds of a first call from empty caches and of the second
compilation that another batch size makes, with the number of operations captured. Needs torch alone.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

SETTINGS = ("train", "infer")
PLANTED = ("break", "branch", "copy", "scalar")
ROUNDS = 7
SPAN = 0.03  # seconds of one timed stretch, at least one step


def main() -> None:
    """Start the processes, at most one a core less two, and gather their rows until the time is over."""
    read = argparse.ArgumentParser(description=__doc__)
    read.add_argument("out", type=Path)
    read.add_argument("seconds", type=float)
    read.add_argument("--device", default="cuda")
    read.add_argument("--reps", type=int, default=5)
    read.add_argument("--kinds", default="policy,gpt_small,gpt_large,vit,unet")
    read.add_argument("--workers", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    read.add_argument("--work", default="")
    options = read.parse_args()
    if options.work:
        work(options.work.split(","), options.device, options.out)
        return
    kinds = options.kinds.split(",")
    steps = [["step", kind, setting, str(rep)] for rep in range(options.reps) for kind in kinds for setting in SETTINGS]
    cold = [["cold", kind, str(blocks), str(rep)] for rep in range(3) for kind in kinds for blocks in (2, 8)]
    # The first repetition fills the caches of the others; cold ones use none, so that they fill the gaps.
    first, rest = steps[: 2 * len(kinds)], steps[2 * len(kinds) :]
    jobs = [*first, *cold, *rest]
    end = time.time() + options.seconds
    running: list[subprocess.Popen[bytes]] = []
    while (jobs or running) and time.time() < end:
        running = [process for process in running if process.poll() is None]
        while jobs and len(running) < options.workers:
            line = [sys.executable, "-m", "benchmarks.costs.measure", str(options.out), "0", "--device", options.device]
            running.append(subprocess.Popen([*line, "--work", ",".join(jobs.pop(0))], stdout=subprocess.DEVNULL))
        time.sleep(0.2)
    for process in running:
        process.kill()
    print(len(options.out.read_text().splitlines()) if options.out.exists() else 0, "rows;", len(jobs), "jobs left")


def work(job: list[str], device: str, out: Path) -> None:
    """Measure one job in this process and append its rows."""
    what, kind, *_ = job
    caches = Path(tempfile.gettempdir()) / "costs-caches" / ("_".join(job) if what == "cold" else f"{kind}_{job[2]}")
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(caches)
    os.environ["TRITON_CACHE_DIR"] = str(caches / "triton")
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    import torch  # after the caches are named

    torch.set_num_threads(1)
    torch.manual_seed(0)
    name = torch.cuda.get_device_name() if device == "cuda" else "CPU, one thread"
    about = {"job": what, "model": kind, "device": name, "torch": torch.__version__}
    try:
        measured = step_rows(kind, job[2], device) if what == "step" else cold_rows(kind, int(job[2]), device)
        rows = [about | {"rep": int(job[3])} | row for row in measured]
    except Exception as error:  # noqa: BLE001  # a row says what failed; the other jobs go on
        rows = [about | {"setting": job[2], "rep": int(job[3]), "error": f"{type(error).__name__}: {error}"[:300]}]
    with out.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.writelines(json.dumps(row) + "\n" for row in rows)


def stepper(kind: str, setting: str, device: str, cost: str, mode: str) -> Callable[[], object]:
    """A function that makes one step: of training with a fused optimizer, or of inference at batch 1."""
    import torch

    from benchmarks.costs.models import Planted, build, sample

    model = build(kind, Planted("" if cost == "read" else cost), device)
    compiled = model if mode == "eager" else torch.compile(model, mode=None if mode == "default" else mode)
    lower = torch.autocast(device, torch.bfloat16) if kind == "gpt_large" else contextlib.nullcontext()
    if setting == "infer":
        model.eval()
        one = sample(kind, device, 1)

        def infer() -> object:
            with torch.no_grad(), lower:
                result = compiled(one)
            return result.sum().item() if cost == "read" else result

        return infer
    batch = sample(kind, device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)

    def train() -> object:
        with lower:
            loss = compiled(batch).float().square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.item() if cost == "read" else loss

    return train


def step_rows(kind: str, setting: str, device: str) -> Iterator[dict[str, object]]:
    """Yield a row a mode and planted cost: milliseconds a step of the clean and the planted model, in turns."""
    import torch

    from benchmarks.costs.models import Planted

    modes = ("default", "reduce-overhead") if device == "cuda" else ("default",)
    steps = {("eager", ""): stepper(kind, setting, device, "", "eager")}
    for mode in modes:
        for cost in ("", "read", *PLANTED):
            if device == "cpu" and cost in ("copy", "scalar"):
                continue  # a copy from the host to the host is none
            steps[mode, cost] = stepper(kind, setting, device, cost, mode)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    failed: dict[tuple[str, str], str] = {}
    for key, step in steps.items():
        try:
            for _ in range(6):
                step()
        except Exception as error:  # noqa: BLE001  # one variant that does not run leaves the others
            failed[key] = f"{type(error).__name__}: {error}"[:200]
    wait()
    times: dict[tuple[str, str], list[float]] = {key: [] for key in steps if key not in failed}
    with (Path(tempfile.gettempdir()) / "costs.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        counts = {}
        for key in times:
            start = time.perf_counter()
            steps[key]()
            wait()
            counts[key] = max(3, min(50, int(SPAN / max(time.perf_counter() - start, 1e-5))))
        for turn in range(ROUNDS):
            for key in list(times) if turn % 2 == 0 else list(times)[::-1]:
                start = time.perf_counter()
                for _ in range(counts[key]):
                    steps[key]()
                wait()
                times[key].append(1e3 * (time.perf_counter() - start) / counts[key])
    for (mode, cost), ms in times.items():
        row: dict[str, object] = {"setting": setting, "mode": mode, "cost": cost, "ms": statistics.median(ms)}
        clean = times.get((mode, ""))
        if cost and clean:
            places = 1 if cost == "read" else Planted().blocks
            row["places"] = places
            row["each_ms"] = statistics.median([(a - b) / places for a, b in zip(ms, clean, strict=True)])
            row["ratio"] = statistics.median([a / b for a, b in zip(ms, clean, strict=True)])
        yield row
    for (mode, cost), reason in failed.items():
        yield {"setting": setting, "mode": mode, "cost": cost, "error": reason}


def cold_rows(kind: str, blocks: int, device: str) -> Iterator[dict[str, object]]:
    """Yield seconds of a first training step from empty caches, and of the one that another batch size compiles."""
    import torch

    from benchmarks.costs.models import Planted, build, sample

    model = build(kind, Planted(blocks=blocks), device)
    operations: list[int] = []

    def counted(graph: torch.fx.GraphModule, _inputs: list[torch.Tensor]) -> Callable[..., object]:
        operations.append(sum(node.op.startswith("call") for node in graph.graph.nodes))
        run: Callable[..., object] = graph.forward
        return run

    size = sample(kind, device).shape[0]
    torch.compile(model, backend=counted)(sample(kind, device, size))
    torch._dynamo.reset()
    compiled = torch.compile(model)
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    for what, batch in (("cold", size), ("recompile", size - 1), ("warm", size - 1)):
        x = sample(kind, device, batch)
        wait()
        start = time.perf_counter()
        compiled(x).float().square().mean().backward()
        wait()
        seconds = time.perf_counter() - start
        yield {"cost": what, "blocks": blocks, "operations": operations[0], "s": seconds}


if __name__ == "__main__":
    main()

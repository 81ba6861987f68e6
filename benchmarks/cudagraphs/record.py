"""Records on a GPU what CUDA graphs make of programs and models; run as a file, for it needs torch and nothing of ours.

    python benchmarks/cudagraphs/record.py programs benchmarks/cudagraphs/programs OUT.jsonl
    python benchmarks/cudagraphs/record.py models CASES.jsonl OUT.jsonl --factories FOLDER --seconds 540
    python benchmarks/cudagraphs/record.py operations - OUT.jsonl

Every `make_NAME()` of a file of programs gives a callable and its calls. It is built on the host and moved as its owner
would: modules and the tensors among the arguments with `.to("cuda")`; a tensor in a plain attribute, a global or a
closure stays where it was made. It runs eagerly first, then under `torch.compile(mode="reduce-overhead")`, four times
for each of two calls, without gradients. `operations` are those of torch's own tests, each with up to three samples
(the package `expecttest` must be installed). A case of models is a line `{"case", "factory": "FILE.py:NAME",
"factory_args"}`, whose factory returns a module, its calls and more.

A line of the output: `case`, `torch`, `device`, `status`, `recorded` (CUDA graphs), `graphs` (of Dynamo), `breaks`,
`skips` (graphs that were not recorded: reason, file, line), `partitions` (what Inductor runs between two recordings:
reason, node, places), `error`. `status` is one of

    eager-error  it raises on the device without a compiler
    error        it raises under the compiler before anything was recorded, and not for a result that was overwritten
    no-graph     Dynamo captured nothing
    graphed      everything that was captured was recorded
    partial      something was recorded, with graphs left out or split
    skipped      nothing was recorded
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import logging
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

_HUNG = 120.0  # seconds for one case
_FRAME = re.compile(r'File "([^"]+)", line (\d+)')
_OVERWRITTEN = "has been overwritten by a subsequent run"


def main() -> None:
    """Share the cases among processes, each of which writes a file of its own, and join these."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=("programs", "models", "operations", "work"))
    parser.add_argument("source")
    parser.add_argument("out")
    parser.add_argument("--factories", default=".")
    parser.add_argument("--workers", type=int, default=14)
    parser.add_argument("--seconds", type=float, default=480.0)
    args = parser.parse_args()
    if args.kind == "work":
        _work(Path(args.source), Path(args.out), args.factories)
        return
    if args.kind == "operations":
        jobs = _operations()
    else:
        jobs = _programs(Path(args.source)) if args.kind == "programs" else _lines(Path(args.source))
    folder = Path(args.out).with_suffix(".parts")
    folder.mkdir(parents=True, exist_ok=True)
    _share(jobs, folder, args.workers, args.seconds, args.factories)
    rows = [row for part in sorted(folder.glob("*.jsonl")) for row in _lines(part)]
    rows.sort(key=lambda row: str(row["case"]))
    Path(args.out).write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(len(rows), "of", len(jobs), "recorded")


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def _programs(folder: Path) -> list[dict[str, Any]]:
    return [
        {"case": f"{path.stem}/{name}", "file": str(path.resolve()), "make": f"make_{name}"}
        for path in sorted(folder.glob("*.py"))
        for name in re.findall(r"^def make_(\w+)", path.read_text(), re.MULTILINE)
    ]


def _operations() -> list[dict[str, Any]]:
    found = []
    for name in known_operations():
        last = len(samples(name)) - 1
        found += [
            {"case": f"{name}#{i}", "operation": name, "sample": i} for i in sorted({0, last // 2, last}) if i >= 0
        ]
    return found


def known_operations() -> dict[str, Any]:
    """By the name in the cases: what torch's tests know of each operation."""
    from torch.testing._internal.common_methods_invocations import op_db

    return {one.formatted_name: one for one in op_db}


def samples(name: str) -> list[Any]:
    """The inputs of an operation, on the host, of the dtype that most have."""
    import torch

    one = known_operations()[name]
    wanted = (torch.float32, torch.int64, torch.bool, torch.complex64)
    dtype = next((d for d in wanted if d in one.dtypes), next(iter(one.dtypes)))
    return list(one.sample_inputs("cpu", dtype))


def _operation(name: str, number: int) -> tuple[Any, list[Any]]:
    sample, operation = samples(name)[number], known_operations()[name].op
    call = ((sample.input, *sample.args), dict(sample.kwargs))
    return (lambda *args, **kwargs: operation(*args, **kwargs)), [call, call]  # noqa: PLW0108 - Dynamo gets a function


def _share(jobs: list[dict[str, Any]], folder: Path, workers: int, seconds: float, factories: str) -> None:
    """Run the jobs in processes of a dozen; one that hangs or dies loses its current case and goes on with the rest."""
    end = time.time() + seconds
    batches = [jobs[i : i + 12] for i in range(0, len(jobs), 12)]
    todo = [folder / f"batch{i:03}" for i in range(len(batches))]
    for path, batch in zip(todo, batches, strict=True):
        path.write_text("".join(json.dumps(job) + "\n" for job in batch))
    running: dict[Path, tuple[subprocess.Popen[bytes], float, str]] = {}
    while (todo or running) and time.time() < end:
        while todo and len(running) < workers:
            path = todo.pop(0)
            command = [sys.executable, __file__, "work", str(path), f"{path}.jsonl", "--factories", factories]
            environment = {
                **os.environ,
                "TORCHINDUCTOR_CACHE_DIR": f"{path}.cache",
                "TORCHINDUCTOR_COMPILE_THREADS": "1",
            }
            with open(f"{path}.err", "ab") as errors:
                process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, env=environment)
            running[path] = (process, time.time(), "")
        time.sleep(0.5)
        for path, (process, since, seen) in list(running.items()):
            at = Path(f"{path}.now").read_text() if Path(f"{path}.now").exists() else ""
            if at != seen:
                running[path] = (process, time.time(), at)
                continue
            hung = time.time() - since > _HUNG
            if hung:
                process.kill()
            if process.poll() is None and not hung:
                continue
            del running[path]
            if at not in ("", "done"):
                error = "hung" if hung else f"the process ended with {process.wait()}"
                done = (
                    {row["case"] for row in _lines(Path(f"{path}.jsonl"))} if Path(f"{path}.jsonl").exists() else set()
                )
                if at not in done:
                    with open(f"{path}.jsonl", "a") as out:
                        out.write(json.dumps({"case": at, "status": "error", "error": error}) + "\n")
                todo.append(path)
    for process, _, _ in running.values():
        process.kill()


def _work(batch: Path, out: Path, factories: str) -> None:
    """Record the cases of one batch that `out` lacks."""
    import torch

    torch.set_num_threads(1)
    recorder = _Recorder()
    done = {row["case"] for row in _lines(out)} if out.exists() else set()
    sys.path[:0] = [factories]
    for job in _lines(batch):
        if job["case"] in done:
            continue
        Path(f"{batch}.now").write_text(job["case"])
        row = recorder.record(job)
        with open(out, "a") as file:
            file.write(json.dumps(row) + "\n")
        if "CUDA error" in (row["error"] or "") or "device-side" in (row["error"] or ""):
            os._exit(7)  # the context of the device is lost, and the next process goes on
    Path(f"{batch}.now").write_text("done")
    os._exit(0)


def _load(job: dict[str, Any]) -> tuple[Any, list[Any]]:
    """The callable of a case and its first two calls."""
    if "operation" in job:
        return _operation(job["operation"], job["sample"])
    file, name = (job["file"], job["make"]) if "file" in job else job["factory"].split(":")
    if "file" in job:
        module = sys.modules.get(Path(file).stem)
        if module is None:
            spec = importlib.util.spec_from_file_location(Path(file).stem, file)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[Path(file).stem] = module
            spec.loader.exec_module(module)
        target, calls = getattr(module, name)()
    else:
        made = getattr(importlib.import_module(Path(file).stem), name)(**job["factory_args"])
        target, calls = made[0], made[1]
        if hasattr(target, "eval"):
            target = target.eval() if job.get("mode", "eval") == "eval" else target.train()
    return target, list(calls)[:2]


class _Handler(logging.Handler):
    """Gives each record to a function."""

    def __init__(self, given: Callable[[logging.LogRecord], None]) -> None:
        super().__init__()
        self._given = given

    def emit(self, record: logging.LogRecord) -> None:
        """Called by a logger."""
        self._given(record)


class _Recorder:
    """What Inductor logs and decides while a case runs."""

    def __init__(self) -> None:
        import torch
        from torch._inductor import cudagraph_trees, scheduler

        self.messages: list[str] = []
        self.splits: list[dict[str, Any]] = []
        self.nodes = 0
        torch._logging.set_logs(perf_hints=True, cudagraphs=True)
        handler = _Handler(self._logged)
        logging.getLogger("torch").addHandler(handler)
        for name in list(logging.root.manager.loggerDict):
            logger = logging.getLogger(name)
            if name.startswith("torch._inductor") and not logger.propagate:
                logger.addHandler(handler)
        decide = scheduler.Scheduler.should_partition

        def decided(this: Any, node: Any, *args: Any, **kwargs: Any) -> Any:
            reason = decide(this, node, *args, **kwargs)
            if reason:
                self._split(str(reason), node)
            return reason

        scheduler.Scheduler.should_partition = decided
        begin = cudagraph_trees.CUDAGraphNode.__init__

        def began(this: Any, *args: Any, **kwargs: Any) -> None:
            self.nodes += 1
            begin(this, *args, **kwargs)

        cudagraph_trees.CUDAGraphNode.__init__ = began

    def _logged(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        if "skipping cudagraph" in text.lower() or "disabling cudagraph" in text.lower():
            self.messages.append(text)

    def _split(self, reason: str, node: Any) -> None:
        inner = getattr(node, "node", None)
        places: set[str] = set()
        for origin in getattr(inner, "origins", None) or ():
            frames = _own(str(getattr(origin, "stack_trace", "") or ""))
            places.update(frames[-1:])
        one = {"reason": reason[:120], "node": type(inner).__name__, "places": sorted(places)}
        if one not in self.splits:
            self.splits.append(one)

    def record(self, job: dict[str, Any]) -> dict[str, Any]:
        """One row of the output."""
        import torch
        import torch._dynamo

        self.messages.clear()
        self.splits.clear()
        self.nodes = 0
        torch._dynamo.reset()
        counters = torch._dynamo.utils.counters
        counters.clear()
        row: dict[str, Any] = {"case": job["case"], "torch": torch.__version__, "device": torch.cuda.get_device_name()}
        row |= {"status": "eager-error", "error": None}
        try:
            torch.manual_seed(0)
            self._called(*_load(job), compiled=False)
        except Exception as error:  # noqa: BLE001 - whatever a program raises is what is recorded
            return row | {"error": f"{type(error).__name__}: {error}"[:300]}
        counters.clear()
        try:
            torch.manual_seed(0)
            self._called(*_load(job), compiled=True)
        except Exception as error:  # noqa: BLE001 - likewise
            row["error"] = f"{type(error).__name__}: {error}"[:600]
        graphs = counters["stats"].get("unique_graphs", 0)
        skipped = counters["inductor"].get("cudagraph_skips", 0)
        skips = [_skip(text) for text in dict.fromkeys(self.messages)]
        row |= {"recorded": self.nodes, "graphs": graphs, "breaks": sum(counters["graph_break"].values())}
        row |= {"skip_count": skipped, "skips": skips, "partitions": list(self.splits)}
        overwritten = _OVERWRITTEN in (row["error"] or "")
        if row["error"] and not overwritten and not self.nodes:
            row["status"] = "error"
        elif not graphs:
            row["status"] = "no-graph"
        elif self.nodes and not skipped and not self.splits and not row["error"]:
            row["status"] = "graphed"
        else:
            row["status"] = "partial" if self.nodes else "skipped"
        return row

    def _called(self, target: Any, calls: list[Any], *, compiled: bool) -> None:
        import torch
        from torch.utils import _pytree as pytree

        for one in (target, getattr(target, "__self__", None)):
            if isinstance(one, torch.nn.Module):
                one.to("cuda")
        run = torch.compile(target, mode="reduce-overhead") if compiled else target
        for args, kwargs in calls:
            args, kwargs = pytree.tree_map(lambda x: x.to("cuda") if isinstance(x, torch.Tensor) else x, (args, kwargs))
            for _ in range(4 if compiled else 1):
                if compiled:
                    torch.compiler.cudagraph_mark_step_begin()
                with torch.no_grad():
                    run(*args, **kwargs)
        torch.cuda.synchronize()


def _own(trace: str) -> list[str]:
    """The frames of a stack that lie in what is recorded, outermost first, as `file:line`."""
    found = []
    for file, line in _FRAME.findall(trace):
        if "/programs/" in file:
            found.append(f"{Path(file).name}:{line}")
        for library in ("transformers", "diffusers"):
            if f"/{library}/" in file:
                found.append(f"{library}/{file.rpartition(f'/{library}/')[2]}:{line}")
    return found


def _skip(text: str) -> dict[str, Any]:
    return {"reason": re.sub(r"\s*Found from.*", "", text, flags=re.DOTALL)[:200], "places": _own(text)[-1:]}


if __name__ == "__main__":
    main()

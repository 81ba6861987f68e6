"""Records on a GPU what CUDA graphs make of whole scripts; run as a file, for it needs torch and nothing of ours.

    python benchmarks/cudagraphs/record_scripts.py FOLDER OUT.jsonl [--workers 15] [--seconds 300]

Each script runs twice as `__main__` in a process of its own. The first run is as users have it. In the second no graph
is replayed (`force_cudagraphs_warmup`), so that whatever a call takes back is marked as lost: a result that replays
overwrite in silence raises there.

A line of the output: `case`, `torch`, `device`, `error`, `strict` (the error of the second run), `trail` (w: run not
recorded, r: recorded, x: replayed; in order), `graphs` and `breaks` of Dynamo, `skips` (what Inductor said of graphs
that it does not record), `partitions` (what runs between two recordings, and where), `wall`.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import json
import logging
import os
import re
import runpy
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path
from typing import Any

_SAID = ("skipping cudagraph", "disabling cudagraph", "pending, uninvoked", "distinct sizes", "re-recording")
_LETTERS = {"record_function": "r", "execute_node": "x", "run_eager": "w"}


def main() -> None:
    """Run the scripts, as many at a time as there are workers, and join their rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--workers", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--hung", type=float, default=75.0)
    parser.add_argument("--one", type=Path)
    parser.add_argument("--strict", action="store_true")
    args = parser.parse_args()
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    if args.one is not None:
        _child(args.one, args.out, strict=args.strict)
    importlib.import_module("torch")  # before the processes are forked; parts of Inductor would touch the device
    parts = args.out.with_suffix(".parts").resolve()
    parts.mkdir(parents=True, exist_ok=True)
    scripts = sorted(args.folder.resolve().glob("*.py"))
    todo = [(path, strict) for strict in (False, True) for path in scripts]
    running: dict[int, tuple[Path, bool, float]] = {}
    end = time.time() + args.seconds
    while (todo or running) and time.time() < end:
        ended = {path.stem for path, strict, _ in running.values() if not strict}
        while todo and len(running) < args.workers:
            if todo[0][1] and todo[0][0].stem in ended:
                break  # both runs of a script share what was compiled
            path, strict = todo.pop(0)
            child = os.fork()
            if child == 0:
                _child(path, parts / f"{path.stem}.{'strict' if strict else 'plain'}.json", strict=strict)
            running[child] = (path, strict, time.time())
        time.sleep(0.1)
        for child, (path, strict, since) in list(running.items()):
            gone, status = os.waitpid(child, os.WNOHANG)
            hung = not gone and time.time() - since > args.hung
            if hung:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            if not (gone or hung):
                continue
            del running[child]
            place = parts / f"{path.stem}.{'strict' if strict else 'plain'}.json"
            if not place.exists():
                died = "hung" if hung else f"the process ended with {status}"
                place.write_text(json.dumps({"case": path.stem, "error": died, "trail": ""}))
    for child in running:
        os.kill(child, signal.SIGKILL)
    _join(scripts, parts, args.out)


def _join(scripts: list[Path], parts: Path, out: Path) -> None:
    rows = []
    for path in scripts:
        plain, strict = (parts / f"{path.stem}.{which}.json" for which in ("plain", "strict"))
        if plain.exists():
            row = json.loads(plain.read_text())
            row["strict"] = json.loads(strict.read_text())["error"] if strict.exists() else "not run"
            rows.append(row)
    out.write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(len(rows), "of", len(scripts), "recorded;", sum(row["strict"] == "not run" for row in rows), "not run twice")


def _child(path: Path, place: Path, *, strict: bool) -> None:
    """Run one script in this process, write its row, and end."""
    import torch

    if torch.cuda._is_in_bad_fork():  # what was loaded before has touched the device: begin with a fresh process
        words = [sys.executable, __file__, str(path.parent), str(place), "--one", str(path)]
        os.execv(sys.executable, [*words, "--strict"] if strict else words)
    try:
        with contextlib.suppress(OSError):
            os.setsid()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(os.open(str(place) + ".err", os.O_WRONLY | os.O_CREAT, 0o644), 2)
        caches = place.parent / "caches" / path.stem
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(caches)
        os.environ["TRITON_CACHE_DIR"] = str(caches / "triton")
        place.write_text(json.dumps(_recorded(path, strict=strict)))
    except BaseException:  # noqa: BLE001 - the error stands in the file of errors
        traceback.print_exc()
    finally:
        os._exit(0)


def _recorded(path: Path, *, strict: bool) -> dict[str, Any]:
    import torch
    from torch._dynamo.utils import counters

    torch.set_num_threads(1)
    row: dict[str, Any] = {"case": path.stem, "torch": torch.__version__, "error": None}
    said, split, trail = _listen(path.name)
    torch._inductor.config.triton.force_cudagraphs_warmup = strict
    began = time.time()
    try:
        row["device"] = torch.cuda.get_device_name()
        torch.manual_seed(0)
        sys.argv = [str(path)]
        runpy.run_path(str(path), run_name="__main__")
        torch.cuda.synchronize()
    except BaseException as error:  # noqa: BLE001 - whatever a script raises is what is recorded
        row["error"] = f"{type(error).__name__}: {error}"[:500]
        frames = traceback.extract_tb(error.__traceback__)
        row["error_at"] = [f"{path.name}:{one.lineno}" for one in frames if one.filename.endswith(path.name)][-1:]
    return row | {
        "trail": "".join(trail)[:400],
        "graphs": counters["stats"].get("unique_graphs", 0),
        "breaks": sum(counters["graph_break"].values()),
        "skip_count": counters["inductor"].get("cudagraph_skips", 0),
        "skips": [{"reason": text[:300], "places": _own(text, path.name)[-1:]} for text in dict.fromkeys(said)],
        "partitions": split,
        "wall": round(time.time() - began, 1),
    }


def _own(text: str, name: str) -> list[str]:
    return [f"{name}:{line}" for file, line in re.findall(r'File "([^"]+)", line (\d+)', text) if file.endswith(name)]


def _listen(name: str) -> tuple[list[str], list[dict[str, Any]], list[str]]:
    """What is said of graphs, where they are split, and the trail of runs: lists that fill while a script runs."""
    import torch
    from torch._inductor import cudagraph_trees, scheduler

    said: list[str] = []
    split: list[dict[str, Any]] = []
    trail: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            text = record.getMessage()
            if any(word in text.lower() for word in _SAID):
                said.append(text)

    torch._logging.set_logs(perf_hints=True, cudagraphs=True)
    handler = Handler()
    logging.getLogger("torch").addHandler(handler)
    for one in list(logging.root.manager.loggerDict):
        logger = logging.getLogger(one)
        if one.startswith("torch") and not logger.propagate:
            logger.addHandler(handler)

    def warned(message: object, *_: object, **__: object) -> None:
        if "cudagraph" in str(message).lower():
            said.append(str(message))

    warnings.warn = warned
    decide = scheduler.Scheduler.should_partition

    def decided(this: Any, node: Any, *args: Any, **keywords: Any) -> Any:
        reason = decide(this, node, *args, **keywords)
        if reason:
            inner = getattr(node, "node", None)
            origins = getattr(inner, "origins", None) or ()
            places = {place for one in origins for place in _own(str(getattr(one, "stack_trace", "")), name)[-1:]}
            one = {"reason": str(reason)[:160], "node": type(inner).__name__, "places": sorted(places)}
            if one not in split:
                split.append(one)
        return reason

    scheduler.Scheduler.should_partition = decided
    for attribute, letter in _LETTERS.items():
        _count(cudagraph_trees.CUDAGraphTreeManager, attribute, letter, trail)
    return said, split, trail


def _count(of: Any, attribute: str, letter: str, trail: list[str]) -> None:
    method = getattr(of, attribute)

    def counted(*args: Any, **keywords: Any) -> Any:
        trail.append(letter)
        return method(*args, **keywords)

    setattr(of, attribute, counted)


if __name__ == "__main__":
    main()

"""What a process of a cluster does: performs tasks, each in an isolated worker of this process, as `observe` does here.

The worker stays for the next task of the same thread and settings, so that torch is imported once; it ends with the
thread or the process that started it, however that ends. Imported by name on the cluster's side.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Mapping
from typing import Any

from compilelint import __version__
from compilelint.dynamic.no_worker import NoWorkerError
from compilelint.dynamic.protocol import target_of
from compilelint.dynamic.worker_process import End, Work, Worker
from compilelint.fleet.digest import digests, each
from compilelint.fleet.task import settings_of

_MOST_KEPT = 2
"""Workers that one thread keeps: of another backend or interpreter, say."""

_kept: dict[tuple[int, str], Worker] = {}
_lock = threading.Lock()


def perform(task: Mapping[str, Any]) -> dict[str, Any]:
    """Run one target and say what was observed, or why it was refused. Never raises for what the target does."""
    started = time.monotonic()
    where = {"host": socket.gethostname(), "pid": os.getpid()}
    refused = _unlike(task)
    if refused:
        return {**refused, **where}
    try:
        worker, end = _served(task)
    except NoWorkerError as error:
        return {"refused": error.what, "hint": error.hint, **where}
    except _OtherTorchError as error:
        hint = "use one torch everywhere, or name another environment"
        return {"refused": f"it has torch {error}, where {task['torch']} is expected", "hint": hint, **where}
    return {
        "observed": end.observed or end.as_observed(),
        "output": end.output,
        "torch_path": worker.torch_path,
        "wall": time.monotonic() - started,
        **where,
    }


def _unlike(task: Mapping[str, Any]) -> dict[str, Any]:
    """What this process has otherwise than the client; empty where nothing is."""
    if task["compilelint"] != __version__:
        what = f"it has compilelint {__version__}, the client {task['compilelint']}"
        return {"refused": what, "hint": "install the same version"}
    settings = task["settings"]
    kept = [os.path.dirname(task["job"][name]) for name in ("save_to", "compare_with", "exercise")]
    missing = [one for one in (settings["cwd"], *settings["paths"], *kept) if one and not os.path.isdir(one)]
    if missing:
        return {"refused": f"it has no folder {missing[0]}", "hint": "share the project's folder with the cluster"}
    found = digests(task["job"]["target"]["model"], settings["paths"], settings["cwd"])
    for place, digest in task["files"].items():
        if found.get(place) != digest:
            return {"refused": "its files are not the client's", "place": place, "files": each(place)}
    return {}


def _served(task: Mapping[str, Any]) -> tuple[Worker, End]:
    """One target, and once more in a worker of its own where an earlier target may be why it died."""
    work = _work(task["job"])
    worker = _worker(task)
    end = worker.serve(worker.served + 1, work)
    if end.is_death and worker.served > 1:
        _end(worker)
        worker = _worker(task)
        end = worker.serve(worker.served + 1, work)
    if end.observed is None and not end.worker_lives:
        _end(worker)
    return worker, end


def _work(job: Mapping[str, Any]) -> Work:
    target = target_of(job["target"], ast.literal_eval)
    return Work(target, None, job["save_to"], job["compare_with"], job["exercise"], dict(job["changes"]))


class _OtherTorchError(Exception):
    """The environment has another torch than the task asks for."""


def _worker(task: Mapping[str, Any]) -> Worker:
    """The worker of this thread for the task's settings, started where there is none that lives."""
    key = (threading.get_ident(), json.dumps(task["settings"], sort_keys=True, default=repr))
    with _lock:
        worker = _kept.get(key)
        mine = [one for one in _kept if one[0] == key[0] and one != key]
    if worker is not None and not worker.lives:
        _end(worker)
        worker = None
    if worker is None:
        for one in mine[: max(len(mine) + 1 - _MOST_KEPT, 0)]:
            _end(_kept[one])
        worker = Worker(settings_of(task["settings"])).__enter__()
        with _lock:
            _kept[key] = worker
    if task["torch"] and worker.torch_version.partition("+")[0] != task["torch"].partition("+")[0]:
        raise _OtherTorchError(worker.torch_version)
    return worker


def _end(worker: Worker) -> None:
    with _lock:
        for key in [key for key, one in _kept.items() if one is worker]:
            del _kept[key]
    with contextlib.suppress(OSError):
        worker.__exit__()


@atexit.register
def end_all() -> None:
    """End every worker of this process; what is killed leaves that to the workers themselves (`worker.channel`)."""
    for worker in list(_kept.values()):
        _end(worker)

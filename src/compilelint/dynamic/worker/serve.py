"""The worker's life: say that torch is there, take jobs, answer each, and leave.

Started with the path of our package and nothing else, so that it works in an environment where compilelint is not
installed; nothing above `dynamic` and `model` is imported here.
"""

from __future__ import annotations

import ast
import contextlib
import logging
import os
import random
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from compilelint.dynamic.protocol import Settings, target_of
from compilelint.dynamic.worker import limits
from compilelint.dynamic.worker.channel import Channel, die_with_parent, leave

MEGABYTE = 1 << 20


def main() -> None:
    """Serve until the parent says goodbye."""
    started = start()
    if started is None:
        leave()
        return
    channel, settings, messages = started
    from compilelint.dynamic.worker.calling import can_fork
    from compilelint.dynamic.worker.places import Place
    from compilelint.dynamic.worker.warming import warm_up

    warm_up()
    say_ready(channel)
    place: Place | None = None
    for message in messages:
        if message["event"] == "place":
            if place is not None:
                place.leave()
            place = Place(channel, settings, message, serve_in_child)
            continue
        if place is not None:
            place.serve(message)
            continue
        channel.send({"event": "start", "number": message["number"]})
        if can_fork(settings.device):
            serve_in_child(channel, settings, message)
        else:
            _serve(channel, settings, message)
    leave()


def start(*, compiles: bool = False) -> tuple[Channel, Settings, Iterator[dict[str, Any]]] | None:
    """Take the settings, find torch and quieten it; the messages that follow. None where there is nothing to serve.

    From here on the process is limited (`limits`); `compiles` lets compilers run whatever the settings' backend is.
    """
    channel = Channel()
    messages = channel.messages()
    first = next(messages, None)
    if first is None:
        return None
    settings = _settings(first)
    sys.path[:0] = settings.paths
    sys.path[:] = [entry for number, entry in enumerate(sys.path) if entry not in sys.path[:number]]
    try:
        import torch
        import torch._dynamo
    except ImportError as error:
        channel.send({"event": "no-torch", "text": str(error), "python": sys.executable})
        return None
    if settings.threads:
        torch.set_num_threads(settings.threads)
    for name in ("torch", *(one for one in logging.root.manager.loggerDict if one.startswith("torch."))):
        for handler in logging.getLogger(name).handlers:
            handler.setLevel(logging.ERROR)  # breaks are recorded, not logged
    warnings.filterwarnings("ignore", module=r"torch\.")
    warnings.filterwarnings("ignore", message=".*fork.*", category=DeprecationWarning)  # the thread only reads a pipe
    limits.refuse(settings.allow, compiles=compiles or settings.backend == "inductor")
    return channel, settings, messages


def say_ready(channel: Channel) -> None:
    """Signal the parent that jobs may come."""
    import torch

    channel.send({"event": "ready", "torch": torch.__version__, "path": torch.__path__[0], "pid": os.getpid()})


def serve_in_child(channel: Channel, settings: Settings, message: Mapping[str, Any]) -> None:
    """Serve a job in a forked copy of this process, so that every target finds torch and its package as imported.

    Caches, warnings given once and patches of one target are not there for the next. The target's module is imported
    here first, since all targets of a package then share it, unless its job is `apart`; what goes wrong in that is
    reported by the child, which imports it again.
    """
    from compilelint.dynamic.worker.loading import find

    number = message["number"]
    channel.send({"event": "phase", "number": number, "phase": "import"})
    if not message["apart"]:
        with contextlib.suppress(BaseException):
            find(message["target"]["model"])
    child = os.fork()
    if not child:
        code = 70
        try:
            die_with_parent()
            _serve(channel, settings, message)
            code = 0
        except Exception:  # noqa: BLE001 - a defect of ours goes to the output, and costs this target alone
            traceback.print_exc()
        finally:
            leave(code)
    _, status = os.waitpid(child, 0)
    channel.send({"event": "died", "number": number, "status": status})


def _serve(channel: Channel, settings: Settings, message: Mapping[str, Any]) -> None:
    """Run one job and answer it."""
    from compilelint.dynamic.worker.asked import Asked
    from compilelint.dynamic.worker.job import run

    number, changes = message["number"], dict(message["changes"])
    if "config" in changes:
        changes["config"] = {**settings.config, **changes["config"]}
    target = target_of(message["target"], ast.literal_eval)
    kept = (message["save_to"], message["compare_with"], message["exercise"])
    asked = Asked(target, replace(settings, **changes), *kept, tuple(message["watched"]), message["fewer_than"])
    random.seed(target.seeds[0])

    def progress(phase: str) -> None:
        channel.send({"event": "phase", "number": number, "phase": phase})

    held = _status_bytes("VmRSS")
    with _limited(target.memory):
        observed = run(asked, progress)
    observed["peak_memory"] = round(max(_status_bytes("VmHWM") - held, 0) / MEGABYTE, 1)
    sys.stdout.flush()
    sys.stderr.flush()
    channel.send({"event": "done", "number": number, "observed": observed})


def _settings(message: Mapping[str, Any]) -> Settings:
    fields = {name: value for name, value in message.items() if name != "event"}
    return Settings(**{**fields, "paths": tuple(fields["paths"]), "allow": tuple(fields["allow"])})


@contextlib.contextmanager
def _limited(megabytes: int | None) -> Iterator[None]:
    """Let the process grow by no more than this much; what asks for more gets MemoryError.

    Data is limited, not address space: reserved and mapped memory (CUDA, files of weights) costs nothing. Only Linux
    keeps such a limit; elsewhere, and for children, the parent watches.
    """
    if megabytes is None or sys.platform != "linux":
        yield
        return
    import resource  # there is none on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (_status_bytes("VmData") + megabytes * MEGABYTE, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _status_bytes(name: str) -> int:
    """What the kernel says that the process holds: `VmData` is what its limit counts, `VmRSS` what lies in memory now,
    `VmHWM` the most that ever did. 0 where there is no `/proc`.
    """
    with contextlib.suppress(OSError), open("/proc/self/status", encoding="ascii") as status:
        for line in status:
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return 0

"""The worker's life: say that torch is there, take jobs, answer each, and leave.

Started with the path of our package and nothing else, so that it works in an environment where compilelint is not
installed; nothing above `dynamic` and `model` is imported here.
"""

from __future__ import annotations

import ast
import contextlib
import faulthandler
import logging
import os
import random
import sys
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from compilelint.dynamic.protocol import OLDEST_TORCH, Settings, target_of
from compilelint.dynamic.worker import limits
from compilelint.dynamic.worker.channel import DEFECT, Channel, die_with_parent, leave

if TYPE_CHECKING:
    from compilelint.dynamic.worker.last_words import Ending

MEGABYTE = 1 << 20


def main(secret: str) -> None:
    """Serve until the parent says goodbye."""
    started = start(secret)
    if started is None:
        leave()
        return
    channel, settings, messages = started
    with ends_in_words(channel):
        _serve_all(channel, settings, messages)
    leave()


@contextlib.contextmanager
def ends_in_words(channel: Channel) -> Iterator[None]:
    """Say to the parent what ends this process, and end it, as `worker_process._BOOT` does for what fails earlier."""
    try:
        yield
    except BaseException as error:  # noqa: BLE001 - it goes into words; there is no caller to go to
        from compilelint.dynamic.worker.last_words import ending_of

        channel.send({"event": "defect", "text": ending_of(error).detail})
        leave(DEFECT)


def _serve_all(channel: Channel, settings: Settings, messages: Iterator[dict[str, Any]]) -> None:
    """Say that jobs may come, and serve those that do."""
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
            _serve_here(channel, settings, message)


def start(secret: str, *, compiles: bool = False) -> tuple[Channel, Settings, Iterator[dict[str, Any]]] | None:
    """Take the settings, find torch and quieten it; the messages that follow. None where there is nothing to serve.

    From here on the process is limited (`limits`); `compiles` lets compilers run whatever the settings' backend is.
    """
    channel = Channel(secret)
    messages = channel.messages()
    first = next(messages, None)
    if first is None:
        return None
    settings = _settings(first)
    sys.path[:0] = settings.paths
    sys.path[:] = [entry for number, entry in enumerate(sys.path) if entry not in sys.path[:number]]
    faulthandler.enable()  # the line of the target that a signal met, where no copy of this process runs it
    # torch says so while it is imported; most targets have no use for NumPy, and those that do say so themselves
    warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
    try:
        import torch

        lack = _lack(settings)
        if not lack:
            import torch._dynamo
    except Exception as error:  # noqa: BLE001 - a broken installation raises anything
        lack = _not_imported(error)
    if lack:
        channel.send({"event": "no-torch", **lack})
        return None
    _run_targets_alone()
    if settings.threads:
        torch.set_num_threads(settings.threads)
    for name in ("torch", *(one for one in logging.root.manager.loggerDict if one.startswith("torch."))):
        for handler in logging.getLogger(name).handlers:
            handler.setLevel(logging.ERROR)  # breaks are recorded, not logged
    warnings.filterwarnings("ignore", module=r"torch\.")
    warnings.filterwarnings("ignore", message=".*fork.*", category=DeprecationWarning)  # the thread only reads a pipe
    limits.refuse(settings.allow, compiles=compiles or settings.backend == "inductor")
    return channel, settings, messages


def _not_imported(error: Exception) -> dict[str, str]:
    """The message where torch cannot be imported: it is not there, or does not fit the machine."""
    if isinstance(error, ModuleNotFoundError) and error.name == "torch":
        hint = "install it there: pip install 'compilelint[dynamic]', or name another interpreter with --python"
        return {"text": f"cannot import torch: {error}", "hint": hint}
    words = f"{type(error).__name__}: {error}".partition("\n")[0]
    hint = "install torch there again: pip install --force-reinstall torch, or name another interpreter with --python"
    return {"text": f"cannot import torch: {words}", "hint": hint}


def _lack(settings: Settings) -> dict[str, str]:
    """What this torch lacks for any target, as `text` and `hint`: it is too old, or has no device. Empty if nothing."""
    import torch

    version = tuple(int(part) for part in torch.__version__.split(".")[:2] if part.isdigit())
    if version < OLDEST_TORCH:
        oldest = ".".join(map(str, OLDEST_TORCH))
        hint = f"upgrade it there: pip install --upgrade 'torch>={oldest}', or name another interpreter with --python"
        return {"text": f"has torch {torch.__version__}, and {oldest} is the oldest that runs targets", "hint": hint}
    if settings.device == "cuda" and not torch.cuda.is_available():
        what = f"has torch {torch.__version__}, which finds no CUDA device"
        if torch.version.cuda is None:
            return {
                "text": f"{what}: it is a build without CUDA",
                "hint": "install a build with CUDA, or use --device cpu",
            }
        hint = "see what nvidia-smi says, install the driver of NVIDIA, or use --device cpu"
        return {"text": f"{what}: {_why_no_device()}", "hint": hint}
    return {}


def _why_no_device() -> str:
    """What torch says of a device that it does not find, its first sentence."""
    import torch

    try:
        torch.cuda.init()
    except Exception as error:  # noqa: BLE001 - in words: its class differs between versions
        return str(error).partition("\n")[0].partition(". ")[0].rstrip(".")
    return "no device is visible"


def _run_targets_alone() -> None:
    from compilelint.dynamic.worker import faults

    faults.alone = True


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
    from compilelint.dynamic.worker.coverage import watch_of
    from compilelint.dynamic.worker.last_words import run_in_copy
    from compilelint.dynamic.worker.loading import find

    number = message["number"]
    channel.send({"event": "phase", "number": number, "phase": "import"})
    if not message["apart"]:
        watched = watch_of(message["watched"] or (settings.cwd,)).importing() if message["exercise"] else None
        with contextlib.suppress(BaseException), watched or contextlib.nullcontext():
            find(message["target"]["model"])

    def serve() -> None:
        die_with_parent()
        channel.let_go()
        _serve(channel, settings, message)

    say_died(channel, number, run_in_copy(serve), lives=True)


def say_died(channel: Channel, number: int, ending: Ending, *, lives: bool) -> None:
    """Say that what ran a job is no more, and why; `lives` where this process goes on."""
    words = {"fate": ending.fate, "detail": ending.detail}
    channel.send({"event": "died", "number": number, **words, "lives": lives})


def _serve_here(channel: Channel, settings: Settings, message: Mapping[str, Any]) -> None:
    """Serve a job in this process, which ends where the job does not."""
    from compilelint.dynamic.worker.last_words import ending_of

    try:
        _serve(channel, settings, message)
    except BaseException as error:  # noqa: BLE001 - it goes into words; there is no caller to go to
        say_died(channel, message["number"], ending_of(error), lives=False)
        leave(DEFECT)


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

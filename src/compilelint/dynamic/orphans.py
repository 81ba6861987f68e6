"""Finding and ending what a worker leaves behind: every process it started carries its mark in the environment.

Process groups are not enough, since a child may leave its group. On Linux a worker takes in what its children leave
behind as well, so that a process is found that left its group and its environment. Where there is no `/proc`, psutil
(of the extra `dynamic`) shows the environment of a process; without it the group must do.
Imports nothing of ours, since parent and worker both use it.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 20
_taker = 0
MARK = "COMPILELINT_WORKER"
"""The environment variable that holds the mark."""
# Windows has no SIGKILL; there `os.kill` ends a process whatever the signal.
_KILL: signal.Signals = getattr(signal, "SIGKILL", signal.SIGTERM)


def marked(mark: str) -> list[int]:
    """Processes with a worker's mark: it, its guard, and whatever it started."""
    if not Path("/proc/self").exists():
        return _marked_by_psutil(mark)
    found = []
    wanted = f"{MARK}={mark}".encode()
    proc = Path("/proc")
    for folder in proc.iterdir() if proc.is_dir() else ():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
    return found


def _marked_by_psutil(mark: str) -> list[int]:
    """The same where there is no `/proc` (macOS, BSD), by psutil of the extra `dynamic`; without it, none is known."""
    with contextlib.suppress(ImportError):
        psutil = importlib.import_module("psutil")
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if process.environ().get(MARK) == mark:
                    found.append(int(process.pid))
        return found
    return []


def started_by(pid: int) -> dict[int, str]:
    """What a process started and what that started in turn, each with the time of its start, which separates it from a
    later one of the same number. Where it takes in orphans (`take_in_orphans`), those are there, too. Linux only.
    """
    parents: dict[int, list[tuple[int, str]]] = {}
    proc = Path("/proc")
    for folder in proc.iterdir() if proc.is_dir() else ():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                # Behind the name, which may hold anything: state, parent, ..., time of the start
                fields = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
                if fields[0] not in "ZX":
                    parents.setdefault(int(fields[1]), []).append((int(folder.name), fields[19]))
    found: dict[int, str] = {}
    waiting = [pid]
    while waiting:
        for child, since in parents.get(waiting.pop(), ()):
            if child not in found:
                found[child] = since
                waiting.append(child)
    return found


def watch_started(pid: int, goes_on: Callable[[], bool]) -> dict[int, str]:
    """What a process started, by the last two looks at it before it ended; `goes_on` waits until the next look.

    One look is not enough: what is read while the process ends has another parent by then.
    """
    known: dict[int, str] = {}
    last: dict[int, str] = {}
    while goes_on():
        seen = started_by(pid)
        known, last = {**last, **seen}, seen
    return known


def end_started(pid: int, *but: int) -> None:
    """Kill what a process started, until nothing is left that starts more; `but` are left alone."""
    for _ in range(_ROUNDS):
        left = [one for one in started_by(pid) if one not in (*but, os.getpid())]
        if not left:
            return
        for one in left:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one, _KILL)


def end_left(known: dict[int, str], *but: int) -> None:
    """Kill those of the processes that are still there."""
    for pid, since in known.items():
        with contextlib.suppress(OSError, IndexError):
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
            if pid not in but and stat.rpartition(")")[2].split()[19] == since:
                os.kill(pid, _KILL)


def take_in_orphans() -> None:
    """Let this process be the parent of what its children leave behind, so that it is found. Linux only."""
    global _taker  # noqa: PLW0603 - what holds for a process and not for its copies
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        _taker = os.getpid()


def end_taken_in() -> None:
    """Kill what this process started, where it took in orphans; a copy of it does not."""
    if _taker == os.getpid():
        end_started(_taker)


def end_marked(mark: str, but: int = 0) -> None:
    """Kill them all, `but` one."""
    for pid in marked(mark):
        if pid != but:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, _KILL)


def resident_bytes(mark: str) -> int:
    """Memory that they hold together, in bytes; 0 where it cannot be known.

    What forked copies share is counted once: the kernel gives each its share.
    """
    total = 0
    if not Path("/proc/self").exists():
        with contextlib.suppress(ImportError):
            psutil = importlib.import_module("psutil")
            for pid in marked(mark):
                with contextlib.suppress(psutil.Error, OSError):
                    total += int(psutil.Process(pid).memory_info().rss)
        return total
    for pid in marked(mark):
        with contextlib.suppress(OSError, ValueError, IndexError):
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
    return total

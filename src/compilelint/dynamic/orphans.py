"""Finding and ending what a worker leaves behind: every process it started carries its mark in the environment.

Process groups are not enough, since a child may leave its group. Where there is no `/proc`, psutil (of the extra
`dynamic`) shows the environment of a process; without it the group must do.
Imports nothing of ours, since parent and worker both use it.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
from pathlib import Path

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

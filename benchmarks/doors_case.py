"""What the cases of `benchmarks.doors` share: facts that are noted, the command in a process, small file systems."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

BREAKS = (
    "import torch\n\n\n@torch.compile\ndef f(x: torch.Tensor):\n    if x.sum() > 0:\n        return x\n    return -x\n"
)
OTHER = 65534


class NotRunError(Exception):
    """This machine does not let a case be tried."""


class Facts:
    """What a case saw."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def seen(self, what: str, seen: object, held: bool = True) -> None:
        """Note a fact, and whether it is as it must be."""
        self.rows.append({"what": what, "seen": seen if isinstance(seen, (int, float)) else str(seen), "held": held})

    def ended(self, what: str, done: subprocess.CompletedProcess[str], *codes: int, says: str = "") -> None:
        """Note how the command ended: by one of these codes, without a traceback or a defect, and with those words."""
        last = (done.stderr.strip().splitlines() or [""])[-1]
        well = (
            done.returncode in codes and "Traceback" not in done.stderr and "defect of compilelint" not in done.stderr
        )
        self.seen(what, f"code {done.returncode} {last[:200]}".strip(), well and says in done.stderr + done.stdout)


def command(*words: str) -> list[str]:
    """The command line of this checkout."""
    return [sys.executable, "-m", "compilelint", *words]


def run(
    folder: Path, *words: str, user: int | None = None, timeout: float = 240, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The command in a folder, to its end, as another user if need be."""
    return subprocess.run(
        [*(() if user is None else _as_user(user)), *command(*words)],
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        check=False,
    )


def _as_user(user: int) -> tuple[str, ...]:
    """Become that user, who may still read the interpreter and this checkout wherever they lie, and write nothing."""
    reads = ("--inh-caps=-all,+dac_read_search", "--ambient-caps=+dac_read_search") if user else ()
    return ("setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *reads, "--")


def need_root() -> None:
    """Raise NotRunError for anyone else."""
    if sys.platform != "linux" or os.getuid() != 0:
        raise NotRunError("it needs root on Linux")


@contextlib.contextmanager
def small_disk(folder: Path, kilobytes: int, *options: str) -> Iterator[Path]:
    """A file system in memory of that size; with `ro` it cannot be written afterwards."""
    need_root()
    folder.mkdir()
    size = ",".join((f"size={kilobytes}k", *options))
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)], capture_output=True, check=False)
    if done.returncode != 0:
        raise NotRunError("no file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=False)


def fill(folder: Path) -> None:
    """Leave no room in a file system."""
    with contextlib.suppress(OSError), open(folder / "filler", "wb", buffering=0) as opened:
        while opened.write(b"\0" * 4096):
            pass


def peak_of(pid: int) -> float:
    """The most memory, in MB, that a process has held."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1000

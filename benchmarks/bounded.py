"""Run one lint in a process with hard limits, and say what it took; shared by `bombs` and `fuzz`.

The process is forked from one that has everything imported, so that a run costs what the input costs. A run that ends
by a signal, with a traceback, or with an exit code that the command line does not know is a complaint. Linux only.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CPU_SECONDS = 10
MEGABYTES = 1000
_EXPECTED = (0, 1, 2)
_CRASHED = 70
_WALL_FACTOR = 30


@dataclass(frozen=True)
class Hostile:
    """What someone may hand to the linter: files by relative path, and words for the command line."""

    files: Mapping[str, str | bytes]
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ending:
    """What a run took (CPU s, peak resident MB), its exit code (negative: the signal), and what is wrong with it."""

    cpu: float
    peak: float
    code: int
    complaint: str


def warm() -> None:
    """Lint something small once, before the first fork: every run needs what that imports and reads."""
    from compilelint.cli import run

    with tempfile.TemporaryDirectory(prefix="bounded-") as folder:
        (Path(folder) / "small.py").write_text("import torch\n\n\ndef run(x: torch.Tensor):\n    return x\n")
        run(["check", folder, "--no-cache", "--quiet", "--torch-version", "2.13"])


def write(hostile: Hostile, folder: Path) -> None:
    """Put the files where they belong."""
    for name, text in hostile.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))


def ended(hostile: Hostile, seconds: int = CPU_SECONDS, megabytes: int = MEGABYTES) -> Ending:
    """Lint a hostile input in a child of this process, within limits."""
    with tempfile.TemporaryDirectory(prefix="bounded-") as folder:
        write(hostile, Path(folder))
        errors = Path(folder) / "stderr.log"
        child = os.fork()
        if child == 0:
            _lint(folder, hostile.arguments, seconds, megabytes, errors)
        _, status, usage = os.wait4(child, 0)
        code = os.waitstatus_to_exitcode(status)
        said = errors.read_text(encoding="utf-8", errors="replace") if errors.exists() else ""
    cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000
    return Ending(cpu, peak, code, _complaint(code, said, cpu, peak, seconds, megabytes))


def _complaint(code: int, said: str, cpu: float, peak: float, seconds: int, megabytes: int) -> str:
    if code < 0:
        return f"ended by {signal.Signals(-code).name} after {cpu:.1f} CPU s and {peak:.0f} MB"
    if code not in _EXPECTED or "Traceback" in said:
        return f"exit code {code}: {said.strip().splitlines()[-1:] or ['nothing said']}"
    if cpu > seconds:
        return f"{cpu:.1f} CPU s"
    return f"{peak:.0f} MB" if peak > megabytes else ""


def _lint(folder: str, arguments: tuple[str, ...], seconds: int, megabytes: int, errors: Path) -> None:
    """The child: never returns."""
    code = _CRASHED
    try:
        os.chdir(folder)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds + 1, seconds + 2))
        # Address space, since resident memory cannot be limited: what is mapped and not touched is let off.
        most = (megabytes * 2) * 1_000_000
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.alarm(seconds * _WALL_FACTOR)
        null, log = os.open(os.devnull, os.O_RDWR), os.open(errors, os.O_WRONLY | os.O_CREAT)
        for target, source in ((0, null), (1, null), (2, log)):
            os.dup2(source, target)
        from compilelint.cli import run

        given = arguments if "--torch-version" in arguments else ("--torch-version", "2.13", *arguments)
        cache = () if "--cache-dir" in arguments else ("--no-cache",)
        paths = ["p"] if cache == () else ["."]
        code = run(["check", *paths, *cache, *given])
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:  # noqa: BLE001 - the child must not return, whatever happened
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(code)

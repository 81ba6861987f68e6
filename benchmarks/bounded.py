"""Run a lint in a process with hard limits, and say what it took; shared by `bombs`, `fuzz` and `volume`.

The process is forked from one that has everything imported, so that a run costs what the input costs. A run that ends
by a signal, with a traceback, or with an exit code that the command line does not know is a complaint. Linux only.
`ended` takes a process for each input; `ended_each` gives one process many, each with a clock and a peak of its own.
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

CPU_SECONDS = 10
MEGABYTES = 1000
_EXPECTED = (0, 1, 2)
_CRASHED = 70
_WALL_FACTOR = 30
_DEFECT = "this is a defect of compilelint"
_GIVEN_UP = ("not followed to the end", "was given up")


@dataclass(frozen=True)
class Hostile:
    """What someone may hand to the linter: files by relative path, and words for the command line."""

    files: Mapping[str, str | bytes]
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Ending:
    """What a run took (CPU s, peak resident MB), its exit code (negative: the signal), what is wrong with it, and the
    first line by which it said that it gave something up."""

    cpu: float
    peak: float
    code: int
    complaint: str
    gave_up: str = ""


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
    return Ending(cpu, peak, code, _complaint(code, said, cpu, peak, seconds, megabytes), _gave_up(said))


def _complaint(code: int, said: str, cpu: float, peak: float, seconds: int, megabytes: int) -> str:
    if code < 0:
        return f"ended by {signal.Signals(-code).name} after {cpu:.1f} CPU s and {peak:.0f} MB"
    if code not in _EXPECTED or "Traceback" in said:
        return f"exit code {code}: {said.strip().splitlines()[-1:] or ['nothing said']}"
    if _DEFECT in said:
        return next(line for line in said.splitlines() if _DEFECT in line)
    if cpu > seconds:
        return f"{cpu:.1f} CPU s"
    return f"{peak:.0f} MB" if peak > megabytes else ""


def _gave_up(said: str) -> str:
    return next((line for line in said.splitlines() if any(words in line for words in _GIVEN_UP)), "")


def ended_each(inputs: Sequence[Hostile], seconds: int = CPU_SECONDS, megabytes: int = MEGABYTES) -> Iterator[Ending]:
    """Lint hostile inputs one after the other, all in one child until one of them ends it; an ending each, in order.

    The peak of an input counts what earlier ones left in the process: it is never too low.
    """
    number = 0
    while number < len(inputs):
        got, put = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(got)
            _lint_each(inputs[number:], seconds, megabytes, put)
        os.close(put)
        with os.fdopen(got, "rb") as answers:
            while True:
                try:
                    found = pickle.load(answers)  # from our own child
                except (EOFError, pickle.UnpicklingError):
                    break
                yield found
                number += 1
        _, status, usage = os.wait4(child, 0)
        code = os.waitstatus_to_exitcode(status)
        if number < len(inputs):  # this one ended the process
            cpu, peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000
            said = "ended the process that it shared with others, with code 0" if code == 0 else ""
            yield Ending(cpu, peak, code, said or _complaint(code, "", cpu, peak, seconds, megabytes) or "no ending")
            number += 1


def _lint_each(inputs: Sequence[Hostile], seconds: int, megabytes: int, put: int) -> None:
    """The child of `ended_each`: never returns."""
    gc.collect()
    gc.freeze()
    with tempfile.TemporaryDirectory(prefix="bounded-") as top:
        errors = Path(top) / "stderr.log"
        _quiet(megabytes, errors)
        for number, hostile in enumerate(inputs):
            folder = Path(top) / str(number)
            folder.mkdir()
            write(hostile, folder)
            os.truncate(errors, 0)
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins again
            before = _cpu()
            resource.setrlimit(resource.RLIMIT_CPU, (int(before) + seconds + 2, resource.RLIM_INFINITY))
            signal.alarm(seconds * _WALL_FACTOR)
            code = _code(str(folder), hostile.arguments)
            sys.stderr.flush()
            cpu, peak = _cpu() - before, _peak()
            said = errors.read_text(encoding="utf-8", errors="replace")
            complaint = _complaint(code, said, cpu, peak, seconds, megabytes)
            os.write(put, pickle.dumps(Ending(cpu, peak, code, complaint, _gave_up(said))))
            os.chdir("/")
            shutil.rmtree(folder, ignore_errors=True)
            gc.collect()
    os._exit(0)


def _cpu() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def _peak() -> float:
    """The most that was resident since the peak began again, in MB."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1000
    return 0.0


def _lint(folder: str, arguments: tuple[str, ...], seconds: int, megabytes: int, errors: Path) -> None:
    """The child of `ended`: never returns."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds + 1, seconds + 2))
    signal.alarm(seconds * _WALL_FACTOR)
    _quiet(megabytes, errors)
    code = _code(folder, arguments)
    sys.stderr.flush()
    os._exit(code)


def _quiet(megabytes: int, errors: Path) -> None:
    """No input, no output, errors in a file, and a limit of memory."""
    # Address space, since resident memory cannot be limited: what is mapped and not touched is let off.
    most = (megabytes * 2) * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    null, log = os.open(os.devnull, os.O_RDWR), os.open(errors, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for target, source in ((0, null), (1, null), (2, log)):
        os.dup2(source, target)


def _code(folder: str, arguments: tuple[str, ...]) -> int:
    """Lint a folder in this process; the exit code."""
    try:
        os.chdir(folder)
        from compilelint.cli import run

        given = arguments if "--torch-version" in arguments else ("--torch-version", "2.13", *arguments)
        cache = () if "--cache-dir" in arguments else ("--no-cache",)
        paths = ["p"] if cache == () else ["."]
        return run(["check", *paths, *cache, *given])
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else 1
    except BaseException:  # noqa: BLE001 - the child must not return, whatever happened
        traceback.print_exc()
        return _CRASHED

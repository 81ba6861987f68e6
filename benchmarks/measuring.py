"""Measure commands: what each costs in CPU and wall seconds and in memory, and the commands themselves.

Every command is a process of its own. What its children do, such as parsing many files, is done by this module run as
a program: `python -m benchmarks.measuring parse libcst LISTING`, or `... count SITE OUT ARGUMENTS` for a lint that
counts what it opens. Works where `resource` exists (Linux, macOS).
"""

from __future__ import annotations

import ast
import gc
import os
import platform
import random
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reproduce import commit_name

TORCH = "2.13"
_SEED = 20
_KIB = 1 if sys.platform == "darwin" else 1024  # the unit of ru_maxrss
_NO_SUCH_PROGRAM = 127  # as shells say it
COMPILELINT = (sys.executable, "-m", "compilelint")


@dataclass(frozen=True)
class Cost:
    """What one process took: CPU and wall seconds, peak resident MB, and the exit code (negative: the signal)."""

    cpu: float
    wall: float
    peak: float
    code: int


# Run by an interpreter of its own: Linux counts the memory of the parent into that process's peak,
# and ours holds reports (under pytest: torch). This one is never above 10 MB.
_GO_BETWEEN = """
import os, resource, subprocess, sys, time
limit, command = float(sys.argv[1]), sys.argv[2:]
begin = time.perf_counter()
try:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
except FileNotFoundError:
    raise SystemExit(127)
try:
    code = process.wait(limit)
except subprocess.TimeoutExpired:
    process.kill()
    code = process.wait()
wall = time.perf_counter() - begin
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss, code)
"""


def measured(command: Sequence[str], limit: float = 3600.0) -> Cost:
    """Run a command to its end, output dropped, and say what it cost; it is killed after `limit` seconds of wall time.

    Raises FileNotFoundError where there is no such program.
    """
    between = [sys.executable, "-I", "-S", "-c", _GO_BETWEEN, str(limit), *command]
    said = subprocess.run(between, stdout=subprocess.PIPE, text=True, check=False)
    if said.returncode == _NO_SUCH_PROGRAM:
        raise FileNotFoundError(command[0])
    cpu, wall, peak, code = said.stdout.split()
    return Cost(float(cpu), float(wall), int(peak) * _KIB / 1e6, int(code))


def checked(command: Sequence[str]) -> Cost:
    """`measured`, for commands that must succeed. Raises RuntimeError where one does not."""
    cost = measured(command)
    if cost.code != 0:
        raise RuntimeError(f"exit code {cost.code}: {' '.join(map(str, command[:6]))} ...; run it by hand to see why")
    return cost


_SCREEN = ("--output", "grouped")  # it has work of its own to do: it asks what is around each finding


def lint_command(paths: Sequence[Path], report: Path, jobs: int = 1, follow: str = "all") -> list[str]:
    """The command line of a lint whose report goes to a file, and the screen that users see to standard output."""
    named = [str(path) for path in paths]
    options = ["--torch-version", TORCH, "--jobs", str(jobs), "--follow-imports", follow, "--no-cache"]
    return [*COMPILELINT, "check", *named, *options, "--output", f"json:{report}", *_SCREEN, "--exit-zero"]


# -------------------------------------------------------------------- parsers


def parse_all(parser: str, listing: Path) -> int:
    """Parse every file that `listing` names, with `libcst` or `ast`; return how many. The work of a child process."""
    parse: Callable[[str], object]
    if parser == "libcst":
        import libcst

        parse = libcst.parse_module
    else:
        warnings.simplefilter("ignore")
        parse = ast.parse
    texts = listing.read_text(encoding="utf-8").split("\n")
    for path in texts:
        parse(Path(path).read_text(encoding="utf-8"))
    return len(texts)


def parse_command(parser: str, listing: Path) -> list[str]:
    """The command line of `parse_all`."""
    return [sys.executable, "-m", "benchmarks.measuring", "parse", parser, str(listing)]


# ---------------------------------------------------------------------- reads


_COUNT = (sys.executable, "-m", "benchmarks.measuring", "count")


def lint_and_count(site: Path, out: Path, argv: Sequence[str]) -> int:
    """Run compilelint; write to `out` how many MB of Python it opened below `site`. The work of a child process."""
    opened: set[str] = set()

    def hook(event: str, given: tuple[object, ...]) -> None:
        if event == "open" and isinstance(given[0], str) and given[0].endswith(".py"):
            opened.add(given[0])

    sys.addaudithook(hook)
    gc.disable()  # as the command line does
    from compilelint.cli import run

    code = run(list(argv))
    below = [Path(path) for path in opened if site in Path(path).parents]
    out.write_text(str(megabytes(below)), encoding="utf-8")
    return code


def counted(site: Path, scratch: Path, command: Sequence[str]) -> tuple[Cost, float]:
    """The cost of a lint and the MB that it read, imports included."""
    out = scratch / "read.txt"
    cost = checked([*_COUNT, str(site), str(out), *command[len(COMPILELINT) :]])
    return cost, float(out.read_text(encoding="utf-8"))


# --------------------------------------------------------------------- corpus


def megabytes(files: Sequence[Path]) -> float:
    """The size of all files together."""
    return sum(file.stat().st_size for file in files) / 1e6


def sources(folder: Path) -> list[Path]:
    """Every Python file below a folder, sorted."""
    return sorted(folder.rglob("*.py"))


def parses(file: Path) -> bool:
    """Whether a file is Python that this interpreter reads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            return False
    return True


def some_folders(folders: Sequence[Path], most: float) -> list[Path]:
    """Folders drawn in an order that is always the same, up to `most` MB of Python."""
    drawn = sorted(folders)
    random.Random(_SEED).shuffle(drawn)
    taken: list[Path] = []
    size = 0.0
    for folder in drawn:
        more = megabytes(sources(folder))
        if size + more <= most * 1.02:
            taken.append(folder)
            size += more
    return taken


def machine(date: str) -> str:
    """What the numbers were measured on."""
    python = platform.python_version()
    cores = os.cpu_count() or 1
    return f"Commit {commit_name()}, {date}, Python {python}, {platform.system()} {platform.machine()}, {cores} cores."


def main(argv: Sequence[str]) -> int:
    """The work of a child process."""
    what, *given = argv
    if what == "parse":
        parse_all(given[0], Path(given[1]))
        return 0
    code = lint_and_count(Path(given[0]), Path(given[1]), given[2:])
    sys.stdout.flush()
    os._exit(code)  # as the command line does


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Measure what compilelint costs, beside what merely parsing costs, in one run on the same files.

    python -m benchmarks.speed                 print the tables
    python -m benchmarks.speed --update        and write them to benchmarks/speed.md
    python -m benchmarks.speed --every 1       hold LibCST and `ast` against every file, not every tenth
    python -m benchmarks.speed --only warm     one of the tables: small, pace, jobs, warm, growth; repeats

Linted is `transformers/models` of the pinned package (see `benchmarks.reproduce`), imports followed, one process,
without a cache but in the table about it. Every number is CPU time of a fresh process: user and system, start included.
The machine's pace changes while others use it, so LibCST is measured right before and right after the full run, and
ratios use the mean of both. Works where `resource` exists (Linux, macOS). MB are 10^6 bytes, peak memory is the largest
resident set.
"""

from __future__ import annotations

import argparse
import ast
import gc
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.reproduce import ROOT, commit_name, fetch, replaced, table_of

PAGE = ROOT / "benchmarks" / "speed.md"
TORCH = "2.13"
GROWTH_MB = (1, 5, 20)
TABLES = ("small", "pace", "jobs", "warm", "growth")
JOBS = (1, 2)
REPEATS = 7
_SEED = 20
_KIB = 1 if sys.platform == "darwin" else 1024  # the unit of ru_maxrss
_NO_SUCH_PROGRAM = 127  # as shells say it
_LINT = [sys.executable, "-m", "compilelint"]


@dataclass(frozen=True)
class Cost:
    """What one process took: CPU and wall seconds, peak resident MB, and the exit code (negative: the signal)."""

    cpu: float
    wall: float
    peak: float
    code: int


# Run by an interpreter of its own: Linux counts the memory of whoever starts a process into that process's peak,
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


def lint_command(paths: Sequence[Path], report: Path, jobs: int = 1) -> list[str]:
    """The command line of a lint whose report goes to a file."""
    named = [str(path) for path in paths]
    options = ["--torch-version", TORCH, "--jobs", str(jobs), "--no-cache", "--output", f"json:{report}", "--exit-zero"]
    return [*_LINT, "check", *named, *options]


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
    return [sys.executable, "-m", "benchmarks.speed", "--parse", parser, str(listing)]


# ---------------------------------------------------------------------- reads


def lint_and_count(site: Path, told: Path, argv: Sequence[str]) -> int:
    """Run compilelint; write to `told` how many MB of Python it opened below `site`. The work of a child process."""
    opened: set[str] = set()

    def hook(event: str, given: tuple[object, ...]) -> None:
        if event == "open" and isinstance(given[0], str) and given[0].endswith(".py"):
            opened.add(given[0])

    sys.addaudithook(hook)
    gc.disable()  # as the command line does
    from compilelint.cli import run

    code = run(list(argv))
    below = [Path(path) for path in opened if site in Path(path).parents]
    told.write_text(str(megabytes(below)), encoding="utf-8")
    return code


def counted(site: Path, scratch: Path, command: Sequence[str]) -> tuple[Cost, float]:
    """The cost of a lint and the MB that it read, imports included."""
    told = scratch / "read.txt"
    cost = checked([sys.executable, "-m", "benchmarks.speed", "--count", str(site), str(told), *command[len(_LINT) :]])
    return cost, float(told.read_text(encoding="utf-8"))


# --------------------------------------------------------------------- corpus


def megabytes(files: Sequence[Path]) -> float:
    """The size of all files together."""
    return sum(file.stat().st_size for file in files) / 1e6


def sources(folder: Path) -> list[Path]:
    """Every Python file below a folder, sorted."""
    return sorted(folder.rglob("*.py"))


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


# --------------------------------------------------------------------- tables


@dataclass(frozen=True)
class Row:
    """One measured command over some MB of source; `read` are the MB with what these import, 0 if not counted."""

    what: str
    size: float
    cost: Cost
    read: float = 0.0

    @property
    def pace(self) -> float:
        """MB for each CPU second."""
        return self.size / self.cost.cpu

    def cells(self, floor: float) -> list[str]:
        """The row of the table; `floor` is LibCST's CPU seconds for a MB."""
        each = self.cost.cpu / self.size
        return [
            self.what,
            f"{self.size:.1f}",
            f"{self.cost.cpu:.1f}",
            f"{each:.2f}",
            f"{self.pace:.2f}",
            f"{each / floor:.2f}",
            f"{self.cost.peak:.0f}",
        ]


def floor_of(before: Row, after: Row) -> float:
    """LibCST's CPU seconds for a MB, from both of its runs."""
    return (before.cost.cpu + after.cost.cpu) / (before.size + after.size)


def pace_table(rows: Sequence[Row], floor: float) -> str:
    """The table of the large runs."""
    columns = ["run", "MB", "CPU s", "CPU s per MB", "MB per CPU s", "times LibCST", "peak MB"]
    return table_of(columns, [row.cells(floor) for row in rows])


def jobs_table(costs: Sequence[tuple[int, Cost]]) -> str:
    """What several processes cost and save; the peak is that of the largest of them."""
    alone = costs[0][1]
    cells = [
        [count, f"{one.cpu:.1f}", f"{one.wall:.1f}", f"{alone.wall / one.wall:.2f}", f"{one.peak:.0f}"]
        for count, one in costs
    ]
    return table_of(["processes", "CPU s, all", "wall s", "times faster", "peak MB, largest"], cells)


def warm_table(cold: Cost, warm: Cost) -> str:
    """What a run costs that finds nothing changed."""
    columns = ["run", "CPU s", "wall s", "of cold, CPU", "peak MB"]
    rows = [("first run, which fills the cache", cold), ("again, nothing changed", warm)]
    cells = [
        [what, f"{one.cpu:.2f}", f"{one.wall:.2f}", f"{one.cpu / cold.cpu:.1%}", f"{one.peak:.0f}"]
        for what, one in rows
    ]
    return table_of(columns, cells)


def growth_table(rows: Sequence[Row]) -> str:
    """The cost of a MB as more is linted, against the largest run."""
    whole = rows[-1].cost.cpu / rows[-1].read
    columns = [
        "linted MB",
        "read MB, with imports",
        "CPU s",
        "CPU s per MB linted",
        "per MB read",
        "against all",
        "peak MB",
    ]
    cells = []
    for row in rows:
        cpu, each = row.cost.cpu, row.cost.cpu / row.read
        sizes = [f"{row.size:.1f}", f"{row.read:.1f}", f"{cpu:.1f}", f"{cpu / row.size:.2f}"]
        cells.append([*sizes, f"{each:.2f}", f"{each / whole:.2f}", f"{row.cost.peak:.0f}"])
    return table_of(columns, cells)


def small_table(costs: Sequence[tuple[str, Sequence[Cost]]]) -> str:
    """What is done many times a day; the median of several cold processes."""
    cells = []
    for what, found in costs:
        cpu = [cost.cpu * 1000 for cost in found]
        peak = max(cost.peak for cost in found)
        cells.append([what, f"{statistics.median(cpu):.0f}", f"{min(cpu):.0f}", f"{peak:.0f}"])
    return table_of(["command", "CPU ms, median", "least", "peak MB"], cells)


# ----------------------------------------------------------------------- runs

SMALL_FILE = """\
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        batch, length, width = x.shape
        q, k, v = self.project(x).chunk(3, dim=-1)
        q = q.view(batch, length, self.heads, -1).transpose(1, 2)
        k = k.view(batch, length, self.heads, -1).transpose(1, 2)
        v = v.view(batch, length, self.heads, -1).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = scores.softmax(dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attention = Attention(width, heads)
        self.norm = nn.LayerNorm(width)
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.norm(x))
        x = x + self.narrow(torch.nn.functional.gelu(self.widen(x)))
        if x.abs().max() > 1e4:
            x = x.clamp(-1e4, 1e4)
        return x


class Model(nn.Module):
    def __init__(self, width: int = 64, heads: int = 4, depth: int = 2) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return x
"""


def small_costs(scratch: Path, repeats: int) -> list[tuple[str, list[Cost]]]:
    """`--version`, `--help` and one file of 50 lines, each in cold processes one after the other."""
    file = scratch / "small.py"
    file.write_text(SMALL_FILE, encoding="utf-8")
    commands = {
        "compilelint --version": [*_LINT, "--version"],
        "compilelint --help": [*_LINT, "--help"],
        "compilelint check small.py": lint_command([file], scratch / "small.json"),
    }
    return [(what, [checked(command) for _ in range(repeats)]) for what, command in commands.items()]


def pace_rows(models: Path, scratch: Path, every: int) -> list[Row]:
    """LibCST before, `ast`, compilelint on the sample, compilelint on everything, LibCST after."""
    files = sources(models)
    sample = files[::every]
    listing = scratch / "sample.txt"
    listing.write_text("\n".join(map(str, sample)), encoding="utf-8")
    part, whole = megabytes(sample), megabytes(files)
    share = "every file" if every == 1 else f"1 file in {every}"
    report = scratch / "report.json"
    before = Row(f"`libcst.parse_module`, {share}, before", part, checked(parse_command("libcst", listing)))
    parsed = Row(f"`ast.parse`, {share}", part, checked(parse_command("ast", listing)))
    few = Row(f"compilelint, {share} (and the imports of these)", part, checked(lint_command(sample, report)))
    cost, read = counted(models.parents[1], scratch, lint_command([models], report))
    full = Row("compilelint, all files", whole, cost, read)
    after = Row(f"`libcst.parse_module`, {share}, after", part, checked(parse_command("libcst", listing)))
    return [parsed, before, after, few, full]


def jobs_costs(models: Path, scratch: Path, counts: Sequence[int]) -> list[tuple[int, Cost]]:
    """The same run in so many processes. Raises RuntimeError where the reports differ by a byte."""
    costs = []
    texts = set()
    for count in counts:
        report = scratch / "jobs.json"
        costs.append((count, checked(lint_command([models], report, count))))
        texts.add(report.read_bytes())
    if len(texts) > 1:
        raise RuntimeError("the number of processes changed the report")
    return costs


def warm_costs(models: Path, scratch: Path) -> tuple[Cost, Cost]:
    """A run that fills a cache, and the same run again. Raises RuntimeError where the reports differ by a byte."""
    costs = []
    texts = []
    for name in ("cold.json", "warm.json"):
        command = [word for word in lint_command([models], scratch / name) if word != "--no-cache"]
        costs.append(checked([*command, "--cache-dir", str(scratch / "cache")]))
        texts.append((scratch / name).read_bytes())
    if texts[0] != texts[1]:
        raise RuntimeError("a run from the cache gave another report than the run that filled it")
    return costs[0], costs[1]


def growth_rows(models: Path, scratch: Path, steps: Sequence[float]) -> list[Row]:
    """compilelint on ever more model folders."""
    folders = [path for path in models.iterdir() if path.is_dir()]
    rows = []
    for step in steps:
        taken = some_folders(folders, step)
        size = megabytes([file for folder in taken for file in sources(folder)])
        cost, read = counted(models.parents[1], scratch, lint_command(taken, scratch / "growth.json"))
        rows.append(Row(f"{step} MB", size, cost, read))
    return rows


def machine(date: str) -> str:
    """What the numbers were measured on."""
    python = platform.python_version()
    return f"Commit {commit_name()}, {date}, Python {python}, {platform.system()} {platform.machine()}."


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and write them into the page when asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the tables to benchmarks/speed.md")
    parser.add_argument("--cache", type=Path, default=ROOT / ".benchmark-cache", help="folder for the packages")
    parser.add_argument("--site", type=Path, help="folder that holds the pinned packages already")
    parser.add_argument("--only", action="append", choices=TABLES, help="this table only; repeats")
    parser.add_argument("--every", type=int, default=10, metavar="N", help="parse every Nth file only")
    parser.add_argument("--parse", nargs=2, metavar=("PARSER", "LISTING"), help=argparse.SUPPRESS)
    parser.add_argument("--count", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.count:
        code = lint_and_count(Path(args.count[0]), Path(args.count[1]), args.count[2:])
        sys.stdout.flush()
        os._exit(code)  # as the command line does
    if args.parse:
        parse_all(args.parse[0], Path(args.parse[1]))
        return 0
    site = (args.site or args.cache / "site").resolve()
    site.mkdir(parents=True, exist_ok=True)
    fetch(site)
    models = site / "transformers" / "models"
    wanted = args.only or list(TABLES)
    blocks = {"machine": machine(time.strftime("%Y-%m-%d", time.gmtime()))}
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        if "small" in wanted:
            blocks["small"] = small_table(small_costs(scratch, REPEATS))
        if "jobs" in wanted:
            blocks["jobs"] = jobs_table(jobs_costs(models, scratch, JOBS))
        if "warm" in wanted:
            blocks["warm"] = warm_table(*warm_costs(models, scratch))
        if "pace" in wanted or "growth" in wanted:
            rows = pace_rows(models, scratch, args.every)
            blocks["pace"] = pace_table(rows, floor_of(rows[1], rows[2]))
            if "growth" in wanted:
                blocks["growth"] = growth_table([*growth_rows(models, scratch, GROWTH_MB), rows[-1]])
    print("\n\n".join(blocks.values()))
    if args.update:
        page = PAGE.read_text(encoding="utf-8")
        for block, text in blocks.items():
            page = replaced(page, block, text)
        PAGE.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

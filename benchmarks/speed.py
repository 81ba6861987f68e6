"""Measure what compilelint costs, beside what merely parsing costs and what other linters cost, in one run.

    python -m benchmarks.speed                 print the tables
    python -m benchmarks.speed --update        and write them to benchmarks/speed.md, and the charts to docs/
    python -m benchmarks.speed --peers FOLDER  with the peers, pinned in `benchmarks.peers`, from the environments in
                                               this folder, which are made where they are not there
    python -m benchmarks.speed --repositories FOLDER    with a table of the repositories in a folder: clones of ten or
                                               more research projects, linted whole
    python -m benchmarks.speed --only warm     one of the tables; repeats
    python -m benchmarks.speed --by-feature    the table of what the CPU goes into, room by room of the source
    python -m benchmarks.speed --only pace --resume FILE    goes on behind the rows that an interrupted run has kept
    python -m benchmarks.speed --smoke         in a minute, ratios only, on what stands in this repository: for CI

Linted is `transformers/models` of the pinned package (see `benchmarks.reproduce`). Every number is CPU time of a fresh
process and its children, user and system, start included, without a cache but in the table about it. The machine's pace
changes while others use it, so LibCST is measured right before and right after the full run, and ratios use the mean of
both. A tool that is too slow for all files is measured on one file in ten, and the floors with it. MB are 10^6 bytes,
peak memory is the largest resident set.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks import charts, features, peers, robustness
from benchmarks.kept_rows import KeptRows
from benchmarks.measuring import (
    COMPILELINT,
    TORCH,
    Cost,
    checked,
    counted,
    lint_command,
    machine,
    measured,
    megabytes,
    parse_command,
    parses,
    some_folders,
    sources,
)
from benchmarks.reproduce import ROOT, SMALL_CASES, fetch, replaced, table_of
from benchmarks.tables import (
    Row,
    Step,
    floor_of,
    growth_table,
    hostile_table,
    jobs_table,
    pace_table,
    repositories_table,
    small_table,
    warm_table,
)

PAGE = ROOT / "benchmarks" / "speed.md"
CHARTS = ROOT / "docs"
SITE_PAGE = ROOT / "docs" / "speed.md"
GROWTH_MB = (1, 5, 20)
TABLES = ("small", "pace", "features", "jobs", "warm", "hook", "repositories", "growth", "hostile")
WITH_IMPORTS = " and all that these import"
HOOK = ("sentence-transformers", "5.1.2", "sentence_transformers/sparse_encoder")
"""A repository of some thirty files that import transformers: its package, version, and the folder that is linted."""
EDITS = 7
HOOK_EDITS = 5
JOBS = (1, 2)
REPEATS = 7
HOSTILE = (
    "function of 10,000 lines",
    "99 blocks in each other",
    "101 blocks in each other (Python refuses them)",
    "150 brackets in each other",
    "250 brackets in each other (Python refuses them)",
    "sum of 20,000 terms",
    "chain of 3,000 method calls",
    "2,000 `elif`",
    "classes that are each other's attribute, base and factory",
    "5 MB of generated functions",
    "20 MB of generated functions (too long)",
)


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
        "compilelint --version": [*COMPILELINT, "--version"],
        "compilelint --help": [*COMPILELINT, "--help"],
        "compilelint check small.py": lint_command([file], scratch / "small.json"),
    }
    return [(what, [checked(command) for _ in range(repeats)]) for what, command in commands.items()]


def peer_rows(environments: Path | None, wanted: Sequence[peers.Peer], files: Sequence[Path]) -> list[Row]:
    """Every peer on the same files; one that cannot be measured has a row that says why."""
    size = megabytes(files)
    rows = []
    for peer in wanted:
        why = "no environments given (`--peers`)" if environments is None else peers.fault(environments, peer)
        cost = None if environments is None or why else measured(peer.command(environments, files))
        if cost is not None and cost.code not in peer.codes:
            why, cost = f"exit code {cost.code}", None
        if why:
            print(f"not measured: {peer.title}: {why}", file=sys.stderr)
        rows.append(Row(peer.title, size, cost, why=why))
    return rows


def pace_rows(
    models: Path, scratch: Path, every: int, environments: Path | None, kept: KeptRows | None = None
) -> list[Row]:
    """LibCST before, `ast`, compilelint on the sample, compilelint on everything, LibCST after, the peers.

    Rows that are `kept` from a run that was interrupted are not measured again.
    """
    kept = kept or KeptRows(None)
    files = sources(models)
    sample = files[::every]
    listing = scratch / "sample.txt"
    listing.write_text("\n".join(map(str, sample)), encoding="utf-8")
    part, whole = megabytes(sample), megabytes(files)
    share = "every file" if every == 1 else f"1 file in {every}"
    report = scratch / "report.json"

    def of_part(what: str, command: list[str]) -> Row:
        return kept.row(what, lambda: Row(what, part, checked(command)))

    def of_all(what: str) -> Row:
        cost, read = counted(models.parents[1], scratch, lint_command([models], report))
        return Row(what, whole, cost, read)

    def of_peer(what: str, peer: peers.Peer) -> Row:
        (row,) = peer_rows(environments, [peer], sample)
        return Row(what, row.size, row.cost, why=row.why)

    everything = f"compilelint, all files{WITH_IMPORTS}"
    before = of_part(f"`libcst.parse_module`, {share}, before", parse_command("libcst", listing))
    parsed = of_part(f"`ast.parse`, {share}", parse_command("ast", listing))
    bare = of_part(f"compilelint, {share}", lint_command(sample, report, follow="none"))
    few = of_part(f"compilelint, {share}{WITH_IMPORTS}", lint_command(sample, report))
    full = kept.row(everything, lambda: of_all(everything))
    after = of_part(f"`libcst.parse_module`, {share}, after", parse_command("libcst", listing))
    others = []
    for peer in peers.PEERS:
        what = f"{peer.title}, {share}{WITH_IMPORTS if peer.follows else ''}"
        others.append(kept.row(what, partial(of_peer, what, peer)))
    return [parsed, before, after, bare, few, full, *others]


def feature_looks(models: Path, scratch: Path) -> features.Looks:
    """Where the CPU goes on one folder in eight with all that they import, first screen included."""
    folders = [str(one) for one in sorted(models.iterdir()) if one.is_dir()][::8]
    out = scratch / "looks.json"
    given = ["check", *folders, "--isolated", "--no-cache", "--jobs", "1", "--torch-version", TORCH]
    checked([sys.executable, "-m", "benchmarks.features", str(out), *given])
    return features.read(out)


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


def warm_costs(
    site: Path, package: str, scratch: Path, edits: int, beside: Sequence[str] = ()
) -> tuple[Cost, Cost, list[tuple[str, Cost]]]:
    """A run that fills a cache, the same again, and runs after edits of single files, on a copy of the package.

    `package` is what is linted, below `site`, whose top folder is copied, and those `beside` it; the edited files
    (listed with what each cost) lie evenly among its files, and each gets a function, so that positions and names
    change. Raises RuntimeError where a report from the cache is not, byte for byte, that of a run without one: after
    the first run and after all edits.
    """
    for top in (package.partition("/")[0], *beside):
        shutil.copytree(site / top, scratch / "copy" / top, ignore=shutil.ignore_patterns("__pycache__"))
    linted = scratch / "copy" / package

    def cost(name: str) -> Cost:
        command = [word for word in lint_command([linted], scratch / name) if word != "--no-cache"]
        return checked([*command, "--cache-dir", str(scratch / "cache")])

    first, again = cost("cold.json"), cost("warm.json")
    _same(scratch / "cold.json", scratch / "warm.json")
    files = [file for file in sources(linted) if file.stat().st_size > 0]
    edited = []
    for number in range(1, edits + 1):
        file = files[len(files) * number // (edits + 1)]
        with file.open("a", encoding="utf-8") as opened:
            opened.write("\n\ndef added(x):\n    return x\n")
        edited.append((file.relative_to(linted).as_posix(), cost("edited.json")))
    checked(lint_command([linted], scratch / "without.json"))
    _same(scratch / "edited.json", scratch / "without.json")
    return first, again, edited


def hook_costs(site: Path, scratch: Path) -> tuple[Cost, Cost, list[tuple[str, Cost]]]:
    """The same on a small repository, which stands in `site` beside the transformers that it imports."""
    place = scratch / "hook"
    place.mkdir()
    return warm_costs(site, HOOK[2], place, HOOK_EDITS, ["transformers"])


def fetch_hook(site: Path) -> None:
    """Install the small repository's sources into `site`, unless they stand there already."""
    name, version, folder = HOOK
    if not (site / folder).is_dir():
        pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--target", str(site), f"{name}=={version}"]
        subprocess.run(pip, check=True)


def repository_rows(folder: Path, scratch: Path) -> list[tuple[str, Row, Row]]:
    """Every repository in a folder, linted whole with all that it imports, and LibCST on the same files."""
    rows = []
    for repository in sorted(path for path in folder.iterdir() if path.is_dir()):
        files = [file for file in sources(repository) if parses(file)]
        listing = scratch / "repository.txt"
        listing.write_text("\n".join(map(str, files)), encoding="utf-8")
        floor = Row("`libcst.parse_module`", megabytes(files), checked(parse_command("libcst", listing)))
        cost, read = counted(repository, scratch, lint_command([repository], scratch / "repository.json"))
        rows.append((repository.name, floor, Row("compilelint", megabytes(files), cost, read)))
    return rows


def _same(recalled: Path, fresh: Path) -> None:
    if recalled.read_bytes() != fresh.read_bytes():
        raise RuntimeError(f"{recalled.name} was made from the cache and is not what {fresh.name} is")


def growth_steps(models: Path, scratch: Path, most: Sequence[float], whole: Row | None) -> list[Step]:
    """compilelint on ever more model folders, and on all; `whole` is the run on all that was measured already."""
    folders = [path for path in models.iterdir() if path.is_dir()]
    drawn = [some_folders(folders, step) for step in most]
    report = scratch / "growth.json"
    steps = []
    for taken in [*drawn, [models]]:
        size = megabytes([file for folder in taken for file in sources(folder)])
        alone = checked(lint_command(taken, report, follow="none"))
        if taken == [models] and whole is not None and whole.cost is not None:
            cost, read = whole.cost, whole.read
        else:
            cost, read = counted(models.parents[1], scratch, lint_command(taken, report))
        steps.append(Step(size, alone, read, cost))
    return steps


def start_cost(scratch: Path) -> float:
    """CPU seconds of linting a file that holds nothing, the median of several."""
    file = scratch / "empty.py"
    file.write_text("", encoding="utf-8")
    return statistics.median(checked(lint_command([file], scratch / "empty.json")).cpu for _ in range(REPEATS))


def hostile_outcomes(scratch: Path) -> list[tuple[float, robustness.Outcome]]:
    """The inputs of `HOSTILE`, linted as `benchmarks.robustness` does."""
    cases = {one.name: one for one in robustness.CASES}
    found = []
    for number, name in enumerate(HOSTILE):
        place = scratch / f"hostile{number}"
        place.mkdir()
        found.append((cases[name].budget, robustness.run_case(cases[name], place, scratch / "hostile.json")))
    return found


# ----------------------------------------------------------------------- charts


def drawn(rows: Sequence[Row], steps: Sequence[Step], folder: Path) -> None:
    """Write the charts of what was measured, each for light and dark pages."""
    for name, palette in (("light", charts.LIGHT), ("dark", charts.DARK)):
        if rows:
            shown = [charts.Bar(short(row.what), row.each, "compilelint" in row.what) for row in rows if row.cost]
            title = "CPU seconds for a megabyte of transformers/models"
            text = charts.bars(title, "CPU s per MB", sorted(shown, key=lambda bar: bar.value), palette)
            (folder / f"speed-{name}.svg").write_text(text, encoding="utf-8")
        if steps:
            alone = charts.Line("imports not read", [(one.size, one.alone.cpu) for one in steps], ours=True)
            full = charts.Line("with all that is imported", [(one.size, one.full.cpu) for one in steps])
            text = charts.lines("CPU seconds as more is linted", "MB linted", "CPU s", [alone, full], palette)
            (folder / f"growth-{name}.svg").write_text(text, encoding="utf-8")


def short(what: str) -> str:
    """The name of a row as a chart has room for it."""
    name = what.replace("`", "").replace(WITH_IMPORTS, " + imports").replace("libcst.", "LibCST ")
    return name.replace("1 file in ", "1/").replace(", all files", ", all")


# ----------------------------------------------------------------------- smoke


def smoke(scratch: Path, environments: Path | None, names: Sequence[str]) -> tuple[str, list[str]]:
    """Ratios on the small recorded cases, repeated so often that start-up counts little, and what is out of bounds.

    Bounds are wide: a shared machine is no place for numbers, only for what is quadratic or forgotten.
    """
    folder = scratch / "smoke"
    for copy in range(8):
        place = folder / f"copy{copy}"
        place.mkdir(parents=True)
        for file in sources(SMALL_CASES):
            shutil.copy(file, place / f"{file.stem}_{copy}.py")
    files = sources(folder)
    listing = scratch / "smoke.txt"
    listing.write_text("\n".join(map(str, files)), encoding="utf-8")
    size = megabytes(files)
    report = scratch / "smoke.json"
    floor = Row("`libcst.parse_module`", size, checked(parse_command("libcst", listing)))
    ours = Row("compilelint", size, checked(lint_command(files, report)))
    half = Row("compilelint, half of it", megabytes(files[::2]), checked(lint_command(files[::2], report)))
    chosen = [peer for peer in peers.PEERS if peer.name in names]
    others = peer_rows(environments, chosen, files) if chosen else []
    cells = [
        [row.what, f"{row.each / floor.each:.2f}" if row.cost else row.why] for row in (floor, ours, half, *others)
    ]
    wrong = [f"{row.what} was asked for and not measured: {row.why}" for row in others if row.cost is None]
    if ours.each > SMOKE_TIMES * floor.each:
        wrong.append(f"compilelint costs {ours.each / floor.each:.1f} times LibCST; the bound is {SMOKE_TIMES}")
    if ours.each > 1.5 * half.each:
        wrong.append(f"twice as much costs {2 * ours.each / half.each:.1f} times as much; the bound is 3")
    return table_of(["run", "CPU for a MB, times LibCST"], cells), wrong


SMOKE_TIMES = 1.5  # half of LibCST today


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the tables, and write them into the page when asked to; 1 if the smoke test complains."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write tables and charts into the repository")
    parser.add_argument(
        "--cache",
        type=Path,
        default=ROOT / "benchmark-cache",
        help="folder for the packages; a hidden one is not linted by pyright and Fixit",
    )
    parser.add_argument("--site", type=Path, help="folder that holds the pinned packages already")
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="the peers' environments, made where they lack")
    parser.add_argument("--repositories", type=Path, metavar="FOLDER", help="research projects, each a folder in it")
    parser.add_argument("--only", action="append", choices=TABLES, help="this table only; repeats")
    parser.add_argument("--by-feature", action="append_const", const="features", dest="only", help="as --only features")
    parser.add_argument("--every", type=int, default=10, metavar="N", help="parse every Nth file only")
    parser.add_argument("--resume", type=Path, metavar="FILE", help="rows of the table of paces, kept as they are made")
    parser.add_argument("--smoke", action="store_true", help="ratios on small files, and 1 if they are out of bounds")
    parser.add_argument(
        "--peer", action="append", default=[], choices=[one.name for one in peers.PEERS], help="with --smoke; repeats"
    )
    args = parser.parse_args(argv)
    site = args.peers.resolve() if args.peers else None
    if site is not None:
        peers.make(site, [one for one in peers.PEERS if not args.smoke or one.name in args.peer])
    with tempfile.TemporaryDirectory() as folder:
        if args.smoke:
            table, wrong = smoke(Path(folder), site, args.peer)
            print(table, *wrong, sep="\n")
            return 1 if wrong else 0
        return measure(args, site, Path(folder))


def measure(args: argparse.Namespace, environments: Path | None, scratch: Path) -> int:
    """All tables that are asked for, each written as soon as it is measured."""
    site = (args.site or args.cache / "site").resolve()
    site.mkdir(parents=True, exist_ok=True)
    fetch(site)
    models = site / "transformers" / "models"
    wanted = args.only or list(TABLES)
    rows: list[Row] = []
    steps: list[Step] = []

    def write(block: str, text: str, pages: Sequence[Path] = (PAGE,)) -> None:
        print(f"{text}\n", flush=True)
        for page in pages if args.update else ():
            page.write_text(replaced(page.read_text(encoding="utf-8"), block, text), encoding="utf-8")

    write("machine", machine(time.strftime("%Y-%m-%d", time.gmtime())))
    if "small" in wanted:
        write("small", small_table(small_costs(scratch, REPEATS)))
    if "features" in wanted:
        write("features", features.table(feature_looks(models, scratch)))
    if "jobs" in wanted:
        write("jobs", jobs_table(jobs_costs(models, scratch, JOBS)))
    if "pace" in wanted:
        rows = pace_rows(models, scratch, args.every, environments, KeptRows(args.resume))
        table = pace_table(rows, floor_of(rows[1], rows[2]))
        write("pace", table)
        write("speed", table, [SITE_PAGE])
    if "warm" in wanted:
        write("warm", warm_table(*warm_costs(site, "transformers/models", scratch, EDITS)))
    if "hook" in wanted:
        fetch_hook(site)
        write("hook", warm_table(*hook_costs(site, scratch)))
    if "repositories" in wanted and args.repositories is not None:
        write("repositories", repositories_table(repository_rows(args.repositories.resolve(), scratch)))
    if "growth" in wanted:
        steps = growth_steps(models, scratch, GROWTH_MB, rows[5] if rows else None)
        start = start_cost(scratch)
        write("growth", f"{growth_table(steps, start)}\n\nThe start, {start:.2f} CPU s, is left out of costs per MB.")
    if "hostile" in wanted:
        write("hostile", hostile_table(hostile_outcomes(scratch)))
    if args.update:
        drawn(rows, steps, CHARTS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
